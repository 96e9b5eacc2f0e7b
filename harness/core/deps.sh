#!/bin/sh
# Installs what the build needs and what is missing, on Debian and its kin; elsewhere says what is needed.
# Exit 2 when something stays missing.  `deps.sh --check` only looks; `deps.sh --text` gets the laboratory's text, and says so where it cannot: nothing stops for it.
if [ "$1" = --text ]; then
    command -v bible >/dev/null && exit 0
    text="bible-kjv bible-kjv-text"
    if [ "$(id -u)" = 0 ]; then run=""; else run="sudo -n"; fi
    export DEBIAN_FRONTEND=noninteractive
    { echo "installing: $text"; $run apt-get update -qq && $run apt-get install -y -qq --no-install-recommends $text >/dev/null; } 2>/dev/null && exit 0
    echo "no $text to be had here: the task of language is not run; by hand: apt-get update && apt-get install -y $text" >&2
    exit 0
fi
need="gcc make pkg-config libmpfr-dev libgmp-dev libcriterion-dev libjansson-dev libsqlite3-dev gnuplot-nox fonts-dejavu-core python3"
missing=""
for p in $need; do
    case $p in
    gcc) command -v gcc >/dev/null || missing="$missing $p" ;;
    make) command -v make >/dev/null || missing="$missing $p" ;;
    pkg-config) command -v pkg-config >/dev/null || missing="$missing $p" ;;
    python3) command -v python3 >/dev/null || missing="$missing $p" ;;
    gnuplot-nox) command -v gnuplot >/dev/null || missing="$missing $p" ;;
    fonts-dejavu-core) [ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || ! command -v dpkg >/dev/null || missing="$missing $p" ;;
    libmpfr-dev) echo '#include <mpfr.h>' | cc -E - >/dev/null 2>&1 || missing="$missing $p" ;;
    libgmp-dev) echo '#include <gmp.h>' | cc -E - >/dev/null 2>&1 || missing="$missing $p" ;;
    libcriterion-dev) echo '#include <criterion/criterion.h>' | cc -E - >/dev/null 2>&1 || missing="$missing $p" ;;
    libjansson-dev) echo '#include <jansson.h>' | cc -E - >/dev/null 2>&1 || missing="$missing $p" ;;
    libsqlite3-dev) echo '#include <sqlite3.h>' | cc -E - >/dev/null 2>&1 || missing="$missing $p" ;;
    esac
done
# Wanted, and nothing stops for them.  Dense products: found at run time; without it they are plain loops, thirty times slower, and `meridian --version` says so.
# The second system of the tests: Arb (tests/arb*.c) and mpmath (tests/second); without them those say that they did not run.
wanted=""
ldconfig -p 2>/dev/null | grep -q 'libopenblas\.so\.0 ' || wanted="libopenblas0"
echo '#include <arb.h>' | cc -E - >/dev/null 2>&1 || wanted="$wanted libflint-arb-dev"
python3 -c 'import mpmath' 2>/dev/null || wanted="$wanted python3-mpmath"
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
    case $p in
    libopenblas0) echo "$p is not to be had: dense products are plain loops" >&2 ;;
    *) echo "$p is not to be had: that part of the second system is not run, and says so" >&2 ;;
    esac
done
[ -z "$missing" ] && exit 0
{ $run apt-get update -qq && $run apt-get install -y -qq --no-install-recommends $missing; } >/dev/null || {
    echo "apt-get failed; run: apt-get update && apt-get install -y$missing" >&2
    exit 2
}
