#!/bin/sh
# Generated cases for SECONDS_ALL seconds (default 60) under sanitizers; where clang-14 is there, half of them go to the readers under libFuzzer, from the
# kept corpus: new inputs go to build/fuzz/corpus, a crash is kept there and fails.  SEED and KIND as in the Makefile.
all=${SECONDS_ALL:-60}; bad=0; half=$all
clang=; [ -z "$KIND" ] && command -v clang-14 >/dev/null && clang=yes && half=$((all / 2))
build/sanitize/storm --self || exit 1
build/sanitize/storm --seconds "$half" --seed "$SEED" --kind "$KIND" || bad=1
if [ -z "$clang" ]; then
    [ -n "$KIND" ] || echo "readers under libFuzzer: not run, no clang-14"
    exit $bad
fi
${MAKE:-make} -s libfuzzer || exit 1
B=build/fuzz; set -- tests/fuzz/*.c; each=$(((all - half) / $#))
for t in "$@"; do
    t=$(basename "$t" .c); mkdir -p "$B/corpus/$t"
    "$B/fuzz-$t" -max_total_time="$each" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$B/crash-$t-" "$B/corpus/$t" "tests/fuzz/corpus/$t" >"$B/$t.log" 2>&1 || { bad=1; grep -E 'ERROR|SUMMARY|Test unit' "$B/$t.log"; }
    printf '%-12s %s\n' "$t" "$(grep -E 'stat::number_of_executed_units|^Done' "$B/$t.log" | tail -1)"
done
exit $bad
