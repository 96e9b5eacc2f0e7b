#!/bin/sh
# Holds what the program answers against what another commit of it answers: verdicts, exact values, findings,
# canonical dumps and the command line itself.  No recording is kept: both programs are asked now, on this machine, so
# that its facts are the same for both.
#   recorded.sh compare [COMMIT]    builds COMMIT (HEAD, or $BASE) below $B/recorded, asks both, prints the differences
#   recorded.sh lines               the command lines, one a line, as they are asked of the program in $B
# B names the build of this tree, LINES_ONLY a regular expression for a part of the lines.  Recordings stay in
# $B/recorded: tree, base. Exit: 0 the same, 1 differences, 2 it could not be compared: COMMIT is none or does not
# build, a verb has no line here, a line did not end in time.
B=${B:-build}; at=$B/recorded
say() { echo "recorded: $*" >&2; }

# What is asked, in this order and in one folder, so that a line may read what an earlier one wrote.  "~" before a
# line: its numbers are timings, and none of them is compared.  ROW: the line is asked for every row. Of report, whose
# cells take minutes and are measured for the most part, only the help is asked. Only what is the same however long it
# takes belongs here: a limit of time (judge without --few, climb --seconds) gives other answers on a busy machine.
asked() {
    cat <<'LINES'
--help
--man
--version
list
list --json
list --checks
show ROW
doctor
completion bash
eval rope cos --dim 128 --base 500000 --pos 131071 --k 1 --digits 40
eval attention o --sizes 'n=2 m=5 probe' --seed 3 --at 1,1 --json
why rope cos --contract hf-f32 --pos 3 --k 1
why rope cos --contract bf16-freq --pos 4095 --k 9 --json
share softmax --seeds 1
ulp softmax
ulp alibi --lines 4
judge own:scalar --row softmax --few --seed 1
judge own:scalar --row t5 --few --lines 1 --seed 1
judge build/plugin.so --row rope --out y --preset paper --few --checks none --seed 1
judge own:scalar --row alibi --preset paper --checks none --few --json --seed 1 --md verdicts.md --junit verdicts.xml
judge data/peers/probes
export softmax --out exported --reference --seed 1 --sizes 'n=3 m=5'
pack check exported
pack words
judge exported
fingerprint own:scalar --row rope
diff own:scalar build/plugin.so --row rope
laws --seeds 1
laws rope --json
errata
errata E2 --json
findings
findings --json
golden --check
golden rope --write --to goldens
second --random 100 --lines 2 --seed 1
second --golden data/golden
model data/weights/tiny/llama/config.json
model data/weights/tiny/gemma3/config.json --card --json
exact bases --dim 64 --lengths 64,512
exact interpolation bound --tsv
power known --quick
power scale --quick
power classes --quick
power alarms --quick --json
climb softmax --work 1 --seed 1 --jobs 1
check quick --row softmax
sweep data/recipes/smoke.recipe --list
sweep data/recipes/smoke.recipe --out smoke
sweep data/recipes/smoke.recipe --out part --shard 1/2
sweep data/recipes/smoke.recipe --out part --shard 2/2
merge part.1-of-2.db part.2-of-2.db -o joined.db
sweep joined.db --dump
plot joined.db --out figures
lab list
lab gradcheck --encoding rope
lab run data/weights/tiny/llama --tokens '3 13 5' --judge
lab run data/weights/tiny/llama --tokens data/weights/tiny/tokens.txt --length 6 --changes 'near: attention window=2'
lab tokens data/tokenizers/expression --text data/weights/tiny/tokens.txt
lab weights data/weights/tiny/llama
demo reverse abc --model seq2seq --out demo
extrapolate --design design.tsv --out trained --jobs 1
~lab speed --encoding rope --turns 1
~bench --quick --only softmax
~report --help
LINES
}

# The lines of this tree, ROW filled in by the program $1, and only those that LINES_ONLY asks for.
lines() {
    rows=$("$1" list --json | sed -n 's/^{"row":"\([a-z0-9]*\)".*/\1/p')
    asked | while IFS= read -r line; do
        case $line in
        *" ROW"*) for row in $rows; do echo "${line%% ROW*} $row${line#* ROW}"; done ;;
        *) printf '%s\n' "$line" ;;
        esac
    done | grep -E -e "${LINES_ONLY:-.}"
}

# Every verb of the program $1 has a line, and every line a verb.
covered() {
    "$1" --help | sed -n 's/^  meridian \([a-z]*\) .*/\1/p' | sort -u >"$at/verbs"
    asked | sed -n 's/^~*\([a-z]\{1,\}\)\( .*\)\{0,1\}$/\1/p' | sort -u >"$at/lines"
    grep -vxF -f "$at/lines" "$at/verbs" | sed 's/^/recorded: no line asks this verb: /' >"$at/missing"
    grep -vxF -f "$at/verbs" "$at/lines" |
        sed 's/^/recorded: no verb of the program, and a line asks it: /' >>"$at/missing"
    cat "$at/missing" >&2
    [ ! -s "$at/missing" ]
}

# Takes out what differs from run to run: folders, times with their units or keys, the share of them, what waited for
# the disk, commits, days.
# $1 is the scratch folder, $2 the tree.
plain() {
    times='(us|ms|ns|s|seconds)(_[a-z_]*)?|[a-z_]*_(us|ms|ns|s|seconds)'
    LC_ALL=C sed -E -e "s|$1|SCRATCH|g" -e "s|$2|TREE|g" \
        -e "s/\"($times|commit|program|when|time|run)\": ?(\"[^\"]*\"|[-0-9.e+]+)/\"\1\":-/g" \
        -e 's/ time="[0-9.]+"/ time="-"/g' \
        -e 's/(judging) [0-9.e+-]+ s \([0-9]+ %\)/\1 - s (- %)/g' \
        -e 's/[0-9][0-9.]*(e[-+]?[0-9]+)? ?(ns|us|ms|s|min|h)([^[:alnum:]_]|$)/- \2\3/g' \
        -e 's/(commit |meridian [0-9.]+ \()[0-9a-f]{7,40}\b/\1-/g' -e 's/program=[0-9a-f]+/program=-/g' \
        -e 's/[0-9]+ (waits for the disk)/- \1/g' \
        -e 's/20[0-9][0-9]-[01][0-9]-[0-3][0-9]([T ][0-9:]+Z?)?/-/g'
}

# What a line left: its exit status and both streams, the second marked; "timings": without any number, or what
# follows from one.
answered() {
    echo "status $1"
    { cat "$2/out"; sed 's/^/stderr: /' "$2/err"; } | plain "$2/work" "$3" |
        case $4 in
        timings) sed -E 's/[0-9][0-9.]*(e[-+]?[0-9]+)?/-/g; s/reached|missed/-/g; s/ +/ /g' ;;
        *) cat ;;
        esac
}

# Asks every line of the program of the tree $1, in a folder of its own, and writes what was answered to $2; last the
# files that were written, each with the digest of its text.  Stores are told by their dump, pictures by the script
# and the data that they are made of, trained weights by the digest beside their answers; a name may hold a digest of
# the program.
record() {
    tree=$(cd "$1" && pwd) || return 2
    scratch=$(mktemp -d) || return 2
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 130' INT TERM
    work=$scratch/work bad=0
    mkdir "$work" && ln -s "$tree/data" "$tree/$3" "$work" || return 2
    [ "$3" = build ] || ln -s "$3" "$work/build"
    sizes='layers=1 heads=2 channels=32 inner=64 length=16 reach=40 batch=4 part=4 warm=5'
    printf 'needle\t20\t1\tnone rope\t16 40\t0 1\t5\t%s\n' "$sizes" >"$work/design.tsv"
    while IFS= read -r line; do
        kind=exact command=$line
        case $line in "~"*) kind=timings command=${line#"~"} ;; esac
        (cd "$work" && PATH="$tree/$3:$PATH" MERIDIAN_DATA=data SEED=1 CI='' NO_COLOR=1 LC_ALL=C TMPDIR=$scratch \
            timeout "${LIMIT:-300}" sh -c "meridian $command" \
            >"$scratch/out" 2>"$scratch/err" </dev/null)
        rc=$?
        [ $rc -ne 124 ] || { say "not ended after ${LIMIT:-300} s: meridian $command"; bad=2; }
        echo "\$ meridian $command"
        answered $rc "$scratch" "$tree" $kind
    done >"$2.part" <"$at/asked"
    (cd "$work" && find . -type f ! -name '*.db*' ! -name '*.png' ! -name '*.pdf' ! -name '*.checkpoint' |
        LC_ALL=C sort) | while IFS= read -r file; do
        name=$(echo "$file" | sed -E 's/-[0-9a-f]{12}([.-])/--\1/g')
        echo "file $name $(plain "$work" "$tree" <"$work/$file" | cksum)"
    done >>"$2.part"
    rm -rf "$scratch"
    mv "$2.part" "$2"
    return $bad
}

# The tree of the commit $1, built below $at; what is there is brought to that commit and built again where it
# changed.
base() {
    git worktree prune
    [ -e "$at/worktree/.git" ] || git worktree add -q --detach "$at/worktree" "$1" || return 2
    git -C "$at/worktree" checkout -q --detach "$1" || return 2
    (cd "$at/worktree" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u B make -s all) >"$at/made" 2>&1 ||
        { tail -5 "$at/made" >&2; say "$1 does not build; $at/made says why"; return 2; }
}

compare() {
    commit=$(git rev-parse -q --verify "$1^{commit}") || { say "no commit '$1'"; return 2; }
    covered "$B/meridian" || return 2
    base "$commit" || return 2
    lines "$B/meridian" >"$at/asked"
    [ -s "$at/asked" ] || { say "no line matches '$LINES_ONLY'"; return 2; }
    record . "$at/tree" "$B" || return 2
    record "$at/worktree" "$at/base" build || return 2
    n=$(wc -l <"$at/asked")
    diff --show-function-line='^\$ meridian' -U1 --label "base $commit" "$at/base" --label tree "$at/tree" &&
        echo "recorded: $n command lines and $(grep -c '^file ' "$at/tree") files are what they were at $1"
}

mkdir -p "$at" || exit 2
case ${1-} in
compare) compare "${2:-${BASE:-HEAD}}" ;;
lines) lines "$B/meridian" ;;
*) say "found '${1-}'; there are: compare [COMMIT], lines"; exit 2 ;;
esac
