#!/bin/sh
# Installs what the build needs and what is missing, on Debian and its kin; elsewhere says what is needed.  What that is, and how it
# is looked for, stands in data/needs.tsv, which `meridian doctor` reads, too.
# Exit 2 when something stays missing.  `deps.sh --check` only looks; `deps.sh --text` gets the laboratory's text, and says so where it cannot: nothing stops for it.
PATH=$PATH:/usr/sbin:/sbin # where ldconfig is, which is not on everybody's path
table=$(dirname "$0")/../../data/needs.tsv
tab=$(printf '\t')
# all NAME..: whether every program is on the path; of one|other, one.
all() {
    for one; do
        found=1
        IFS='|'
        for other in $one; do command -v "$other" && found=0; done
        unset IFS
        [ $found = 0 ] || return 1
    done
}
# there KIND NAME..: whether it is on this machine; the kinds are those of the table's head.
there() {
    case $1 in
    command) shift; all "$@" ;;
    header) cc -E -x c -include "$2" /dev/null ;;
    library) ldconfig -p | grep "$2 " ;;
    module) python3 -c "import $2" ;;
    debian) [ -e "$2" ] || ! command -v dpkg ;;
    *) false ;;
    esac >/dev/null 2>&1 </dev/null
}
# absent WORD: prints the packages of the lines of need WORD whose thing is not there.
absent() {
    while IFS=$tab read -r name packages purpose where need look lost; do
        [ "$need" = "$1" ] || continue
        there $look && continue
        printf ' %s' "$packages"
    done <"$table"
}
if [ "$1" = --text ]; then
    line=$(grep "^text$tab" "$table")
    there $(echo "$line" | cut -f6) && exit 0
    text=$(echo "$line" | cut -f2)
    if [ "$(id -u)" = 0 ]; then run=""; else run="sudo -n"; fi
    export DEBIAN_FRONTEND=noninteractive
    { echo "installing: $text"; $run apt-get update -qq && $run apt-get install -y -qq --no-install-recommends $text >/dev/null; } 2>/dev/null && exit 0
    echo "no $text to be had here: the task of language is not run; by hand: apt-get update && apt-get install -y $text" >&2
    exit 0
fi
missing=$(absent must)
# Wanted, and nothing stops for it.  Where it is not to be had, the line says what does not work then.
wanted=$(absent wish)
[ -z "$missing" ] && { [ -z "$wanted" ] || [ "$1" = --check ]; } && exit 0
if ! command -v apt-get >/dev/null; then
    [ -z "$missing" ] && exit 0
    echo "meridian needs, under your system's names for them:$missing" >&2
    exit 2
fi
if [ "$(id -u)" = 0 ]; then run=""; elif sudo -n true 2>/dev/null; then run="sudo -n"; elif [ -z "$missing" ]; then exit 0; else
    echo "missing:$missing; run: sudo apt-get update && sudo apt-get install -y$missing" >&2
    exit 2
fi
[ "$1" = --check ]  && { echo "missing:$missing" >&2; exit 2; }
echo "installing:$missing $wanted"
export DEBIAN_FRONTEND=noninteractive
[ -z "$wanted" ] || $run apt-get update -qq >/dev/null 2>&1
for p in $wanted; do # one by one: what one system lacks, it lacks alone
    $run apt-get install -y -qq --no-install-recommends "$p" >/dev/null 2>&1 && continue
    echo "$p is not to be had: $(grep "$tab$p$tab" "$table" | cut -f7)" >&2
done
[ -z "$missing" ] && exit 0
{ $run apt-get update -qq && $run apt-get install -y -qq --no-install-recommends $missing; } >/dev/null || {
    echo "apt-get failed; run: apt-get update && apt-get install -y$missing" >&2
    exit 2
}
