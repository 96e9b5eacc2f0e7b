#!/bin/sh
# An installation as its users have it: `make install` into a scratch prefix, and then each of tests/install/use_*.sh there, as one
# line: PASS, FAIL with what was printed last, or what it lacks, which is said and fails nothing.
#   make install-test                       all of them
#   B=build sh tests/install/run.sh cmake   those named
# A part is run in a folder of its own with, in its environment: PREFIX (the installation), TREE (the sources), B and MAKE.
# It exits 0, 77 after one line that says what is missing, or otherwise.
set -u
cd "$(dirname "$0")/../.."
TREE=$(pwd) B=$(cd "${B:-build}" && pwd) MAKE=${MAKE:-make}
own=$(mktemp -d) && trap 'rm -rf "$own"' EXIT
PREFIX=$own/prefix
export TREE B MAKE PREFIX
unset MAKEFLAGS MAKELEVEL MERIDIAN_DATA
"$MAKE" -s install B="$B" PREFIX="$PREFIX" >"$own/log" 2>&1 || { tail -5 "$own/log"; echo "FAIL install: make install"; exit 1; }
bad=0 ran=0
for part in tests/install/use_*.sh; do
    name=$(basename "$part" .sh) && name=${name#use_}
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    mkdir "$own/$name"
    (cd "$own/$name" && sh "$TREE/$part") >"$own/log" 2>&1
    case $? in
    0) ran=$((ran + 1)); echo "PASS install: $name: $(tail -1 "$own/log")" ;;
    77) echo "not run: install: $name: $(tail -1 "$own/log")" ;;
    *) bad=1; tail -${LINES_SHOWN:-12} "$own/log"; echo "FAIL install: $name" ;;
    esac
done
[ $bad = 0 ] || exit 1
[ $ran -gt 0 ] || exit 77
