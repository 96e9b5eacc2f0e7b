#!/bin/sh
# Runs commands at the same time and prints what each said as one piece, in the order in which they were given: each of these spends most of
# its time in one process, or waits, so that a second processor would have nothing to do.
#   side_by_side.sh COMMAND ...     each is one argument, run by sh
# Exit: that of the first command, in the order given, which ended neither with 0 nor with 77 (nothing was there to be judged); else 0.
said=$(mktemp -d) || exit 2
trap 'rm -rf "$said"' EXIT
trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM
n=0
for command in "$@"; do
    n=$((n + 1))
    { sh -c "$command" >"$said/$n.out" 2>&1 </dev/null; echo $? >"$said/$n.rc"; } &
done
wait
bad=0 k=0
while [ $k -lt $n ]; do
    k=$((k + 1))
    cat "$said/$k.out"
    rc=$(cat "$said/$k.rc" 2>/dev/null || echo 2)
    case $rc in 0 | 77) ;; *) [ $bad -ne 0 ] || bad=$rc ;; esac
done
exit $bad
