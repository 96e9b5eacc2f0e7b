#!/bin/sh
# Fuzzes every reader for SECONDS in all (default 60) under AddressSanitizer, from the kept corpus; new inputs go to B/corpus, a crash is kept there and fails.
B=${B:-build/fuzz}; set -- tests/fuzz/*.c; each=$(( ${SECONDS_ALL:-60} / $# )); bad=0
for t in "$@"; do
    t=$(basename "$t" .c); mkdir -p "$B/corpus/$t"
    "$B/fuzz-$t" -max_total_time="$each" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$B/crash-$t-" "$B/corpus/$t" "tests/fuzz/corpus/$t" >"$B/$t.log" 2>&1 || { bad=1; grep -E 'ERROR|SUMMARY|Test unit' "$B/$t.log"; }
    printf '%-12s %s\n' "$t" "$(grep -E 'stat::number_of_executed_units|^Done' "$B/$t.log" | tail -1)"
done
exit $bad
