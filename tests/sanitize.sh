#!/bin/sh
# The alarm and a walk over the command line under AddressSanitizer and UndefinedBehaviourSanitizer; B names that build.
# A sanitizer's report may leave a test green (a forked child, a leak at exit), so reports go to files, and any report is
# a failure; but for the leaks of the test library itself, which keeps a few structs for the whole run.
# ONLY: a pattern of tests, as --filter takes it.
B=${B:-build/sanitize}; logs=$B/reports; bad=0
rm -rf "$logs"; mkdir -p "$logs"
ASAN_OPTIONS=log_path=$logs/asan:exitcode=0:detect_leaks=${LEAKS:-1}:strict_string_checks=1:detect_stack_use_after_return=1
UBSAN_OPTIONS=log_path=$logs/ubsan:print_stacktrace=1
export ASAN_OPTIONS UBSAN_OPTIONS
# The reports in the file $1, but for leaks of the test library itself, whose first frame outside the allocator is its own.
# A suppression of that library would hide every leak of every test, as it calls them all.
ours() {
    awk '
        function close_block() { if (leak && !theirs) printf "%s", text; leak = 0; text = "" }
        /^(Direct|Indirect) leak of/ { close_block(); leak = 1; theirs = first = 0 }
        /^SUMMARY: AddressSanitizer: [0-9]+ byte/ || /ERROR: LeakSanitizer/ || /^=+$/ { close_block(); next }
        leak { text = text $0 "\n" }
        leak && /^ *#[0-9]+ / && !first &&
            !/ in (__interceptor_|operator new|_*(malloc|calloc|realloc|strdup|strndup|vasprintf|asprintf) )/ {
            first = 1; theirs = /libcriterion/
        }
        !leak && NF { print }
        END { close_block() }' "$1"
}
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
MERIDIAN_PATIENCE=10 timeout ${ALARM_LIMIT:-7200} "$B/alarm" ${ONLY:+--filter "$ONLY"} >"$B/out" 2>&1
got=$?
[ $got -eq 0 ] || { grep -E 'FAIL|CRASH|Synthesis' "$B/out"; bad=1; }
[ $got -ne 124 ] || echo "stopped after ${ALARM_LIMIT:-7200} s, with tests left: ALARM_LIMIT gives them more"
grep -E 'Tested: 0 ' "$B/out" && bad=1
tail -1 "$B/out"
for f in "$logs"/*; do
    [ -e "$f" ] && [ -n "$(ours "$f")" ] && { echo "report $f"; ours "$f" | head -20; bad=1; }
done
[ $bad -eq 0 ] && echo "sanitizers silent"
exit $bad
