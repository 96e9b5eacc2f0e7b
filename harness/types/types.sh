#!/bin/sh
# make types: reads the release that harness/adapters/versions.txt names, fetched by pip where TYPES_SOURCES (a wheel, or the folder of the
# package) does not say where it lies, and writes data/models/types.tsv and undecided.tsv.  Twice the same: the same bytes.
set -e
sources=$TYPES_SOURCES
if [ -z "$sources" ]; then
    release=$(sed -n 's/^transformers==//p' harness/adapters/versions.txt)
    sources=${B:-build}/types/transformers-$release-py3-none-any.whl
    [ -e "$sources" ] || python3 -m pip download -q --no-deps -d "${B:-build}/types" "transformers==$release" || {
        echo "make types: transformers $release is not to be had; say where its sources lie: make types TYPES_SOURCES=FOLDER" >&2
        exit 2
    }
fi
python3 harness/types/main.py --sources "$sources" --settled data/models/settled.tsv --out "${B:-build}/types.tsv" --undecided "${B:-build}/undecided.tsv"
mv "${B:-build}/types.tsv" data/models/types.tsv
mv "${B:-build}/undecided.tsv" data/models/undecided.tsv
