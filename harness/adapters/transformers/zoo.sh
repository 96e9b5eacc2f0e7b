#!/bin/sh
# `make zoo`: every model type of data/models/types.tsv against transformers (zoo.py).  zoo.sh BUILD i/n; the Python is
# MERIDIAN_PYTHON, else the one that `make judge-peers JUDGE_PEERS=all` installs, else python3.  One line a type is kept
# in BUILD/zoo-i-of-n.tsv, and what has a line is not asked again.  Exit status 77: torch or transformers is missing.
set -u
cd "$(dirname "$0")/../../.."
B=$1 shard=$2
python=${MERIDIAN_PYTHON:-$B/peers/bin/python}
command -v "$python" >/dev/null || python=python3
out=$B/zoo-$(echo "$shard" | sed 's|/|-of-|').tsv
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
exec "$python" harness/adapters/transformers/zoo.py --meridian "$B/meridian" --out "$out" --shard "$shard"
