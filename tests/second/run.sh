#!/bin/sh
# The second system: what the reference answers is asked again in mpmath, by formulas of its own (tests/second/main.py).
#   run.sh quick        the golden lines of some rows, random questions and kept ones, within 20 s of processor time; SEED=, or the day's
#   run.sh all          every golden line, the golden pack's cases, RANDOM=4000 random questions
#   run.sh golden DIR   the lines of DIR/ROW.tsv, each of which must be answered: what `make data` asks before it replaces a file
#   run.sh self         faults planted in the reference's answers and in a formula, each of which must be found
# Exit 0: all agree; 1: a disagreement; 77: mpmath is not there, and nothing was compared, which is said.
B=${B:-build}
here=$(dirname "$0")
for python in python3 /usr/bin/python3; do # an own Python in front of the system's may lack what Debian installed
    "$python" -c 'import mpmath' 2>/dev/null && break
    python=
done
[ -n "$python" ] || {
    echo "second system: NOT RUN: python3-mpmath is not installed (apt-get install python3-mpmath); nothing was compared"
    exit 77
}
seed=${SEED:-$(date -u +%Y%m%d)}
# 33 and more rows have about 60 golden lines each: of those every QUARTER-th is asked in the quick part, another one each day.
ask() { "$B/meridian" second "$@" || { echo "second system: meridian second $* failed" >&2; exit 2; }; }
case $1 in
quick)
    echo "second system: seed $seed (SEED=$seed repeats it)"
    ask --random 250 --seed "$seed" >"$B/second.random" || exit
    ask --golden data/golden >"$B/second.golden" || exit
    ask --kept "$here/kept.jsonl" >"$B/second.kept" || exit
    { cat "$B/second.random"; grep '"source":"kept"' "$B/second.kept"; grep '"source":"golden"' "$B/second.golden" | awk -v n="$seed" 'NR % 7 == n % 7'; } | "$python" "$here/main.py" --seconds 20
    ;;
all)
    echo "second system: seed $seed (SEED=$seed repeats it)"
    ask --golden data/golden --pack --random "${RANDOM_QUESTIONS:-4000}" --seed "$seed" >"$B/second.all" || exit
    "$python" "$here/main.py" <"$B/second.all"
    ;;
golden)
    ask --golden "$2" >"$B/second.golden" || exit
    "$python" "$here/main.py" --all <"$B/second.golden"
    ;;
self)
    ask --golden data/golden >"$B/second.golden" || exit
    "$python" "$here/self.py" <"$B/second.golden"
    ;;
*)
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
