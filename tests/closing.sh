#!/bin/sh
# Prints the closing line of a run of the tests, whose output is LOG, and fails where fewer than 95 % of the tests that
# there are were run.  How many there are is counted in the tree itself: the tests that the binary lists, where the one
# that asks all own kernels of a row under one of its presets (tests/rows.c) counts as often as the rows have presets.
# Usage: B=build sh tests/closing.sh LOG
B=${B:-build}
listed=$("$B/alarm" --list | awk '/^[^ ]+: [0-9]+ tests?$/ { n += $(NF - 1) } END { print n + 0 }')
asked=$("$B/meridian" list --json | awk '{ if (match($0, /"presets":[0-9]+/)) n += substr($0, RSTART + 10, RLENGTH - 10) } END { print n + 0 }')
if [ "$listed" -lt 1 ] || [ "$asked" -lt 1 ]; then echo "closing: cannot count the tests of the tree: $listed listed, $asked of presets"; exit 1; fi
of=$((listed - 1 + asked))
closing=$(grep -aE 'Synthesis: Tested: [0-9]+' "$1" | tail -1)
tested=$(printf '%s' "$closing" | sed -E 's/.*Tested: ([0-9]+).*/\1/')
[ $((100 * ${tested:-0})) -ge $((95 * of)) ] || { echo "only ${tested:-0} of $of tests ran"; exit 1; }
printf '%s, of %s in the tree\n' "$closing" "$of"
