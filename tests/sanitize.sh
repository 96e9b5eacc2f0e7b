#!/bin/sh
# The alarm and a walk over the command line under AddressSanitizer and UndefinedBehaviourSanitizer; B names that build.  A sanitizer's
# report may leave a test green (a forked child, a leak at exit), so reports go to files and any file is a failure.
B=${B:-build/sanitize}; logs=$B/reports; bad=0
rm -rf "$logs"; mkdir -p "$logs"
LSAN_OPTIONS=suppressions=$PWD/tests/leaks.txt:print_suppressions=0
ASAN_OPTIONS=log_path=$logs/asan:detect_leaks=${LEAKS:-1}:strict_string_checks=1:detect_stack_use_after_return=1
UBSAN_OPTIONS=log_path=$logs/ubsan:print_stacktrace=1
export ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS
# $1: expected exit status; the rest: a command line
expect() {
    want=$1; shift
    timeout 300 "$@" >"$logs/../out" 2>&1; got=$?
    [ $got -eq "$want" ] || { echo "exit $got, expected $want: $*"; tail -5 "$logs/../out"; bad=1; }
}
m=$B/meridian
expect 0 "$m" list
expect 0 "$m" show rope
expect 0 "$m" show attention
expect 0 "$m" eval rope cos --dim 128 --base 500000 --pos 131071 --k 1 --digits 40
expect 0 "$m" eval alibi slopes --heads 12
expect 2 "$m"
expect 2 "$m" nonsense
expect 2 "$m" eval rope nothing
expect 2 "$m" eval rope cos --dim 3
expect 2 "$m" eval rope cos --dim banana
expect 2 "$m" judge "$B/no-such-pack"
mkdir -p "$B/bad-pack"
for text in '' '{' '[1, 2]' '{"cases": 7}' '{"cases": [{"row": "rope"}]}'; do
    printf '%s' "$text" >"$B/bad-pack/pack.json"
    timeout 60 "$m" judge "$B/bad-pack" >"$B/out" 2>&1; got=$?
    case $got in 2 | 77) ;; *) echo "exit $got on the pack '$text'"; bad=1 ;; esac
done
expect 0 "$B/storm" --self
MERIDIAN_PATIENCE=10 timeout ${ALARM_LIMIT:-7200} "$B/alarm" >"$B/out" 2>&1 || { grep -E 'FAIL|CRASH|Synthesis' "$B/out"; bad=1; }
grep -E 'Tested: 0 ' "$B/out" && bad=1
tail -1 "$B/out"
for f in "$logs"/*; do
    [ -e "$f" ] && { echo "report $f"; head -20 "$f"; bad=1; }
done
[ $bad -eq 0 ] && echo "sanitizers silent"
exit $bad
