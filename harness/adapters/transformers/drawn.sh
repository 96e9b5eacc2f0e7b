#!/bin/sh
# Small checkpoints of every class of data/weights, drawn and run by transformers (drawn.py), against `meridian lab run`,
# block by block.  drawn.sh PYTHON SEEDS [TYPE ..]; B names the build.  Of each, what the library computed must pass, and
# must not under a configuration with a broken rule.  A line for each; exit status 0: all as expected, 1: something is
# not, 77: nothing was judged.
set -u
cd "$(dirname "$0")/../../.."
B=${B:-build} python=$1 seeds=$2
shift 2
to=$(mktemp -d) && trap 'rm -rf "$to"' EXIT
judged=0 wrong=0 absent=0
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
if ! "$python" harness/adapters/transformers/drawn.py "$to" "$seeds" "$@" >"$to/log" 2>&1; then
    echo "FAIL checkpoints: $(grep -v '^ *$' "$to/log" | tail -1 | cut -c1-300)"; exit 1
fi
for at in "$to"/*-*; do
    name=$(basename "$at") told=$(cat "$at/told.txt")
    set -- "$B/meridian" lab run "$at" --tokens "$at/tokens.txt" --against "$at/logits.npy" --hidden "$at/hidden.npy" --profile f32
    "$@" >"$to/right" 2>"$to/why"; rc=$?
    if [ $rc = 2 ] && grep -q 'not done here' "$to/why"; then
        absent=$((absent + 1)); echo "not run: checkpoint $name: $(cut -c1-200 "$to/why")"; continue
    fi
    "$@" --config "$(cat "$at/broken.txt")" >"$to/broken" 2>&1; broken=$?
    judged=$((judged + 1)) pass=$(grep -c '^PASS' "$to/right") fails=$(grep -c '^FAIL' "$to/broken")
    if [ $rc = 0 ] && [ $broken = 1 ] && [ "$pass" -gt 0 ] && [ "$fails" -gt 0 ]; then
        echo "PASS checkpoint $name: $pass stages; with $(cat "$at/broken.txt") $fails fail; $told"
    else
        wrong=$((wrong + 1))
        echo "FAIL checkpoint $name: exit $rc, $pass stages pass; with $(cat "$at/broken.txt") exit $broken, $fails fail; $told"
        grep -h '^FAIL\|^VACUOUS\|^meridian' "$to/right" "$to/why" | cut -c1-300 | head -3
    fi
done
echo "checkpoints, live: $judged judged, $wrong not as expected, $absent not run"
[ $wrong = 0 ] || exit 1
[ $judged -gt 0 ] || exit 77
