#!/bin/sh
# The price of a row: new files only, those of tests/next_row.  In a copy of the tree they are added, seen by everybody who has to
# see a row (rooms, list, check, judge, eval, the checks, the laboratory, bench, its own tests), and go again.
set -eu
unset MAKEFLAGS MAKELEVEL
here=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap "rm -rf $copy" EXIT
# By tar, and without what other parts of a test run may be writing meanwhile; times stay, so that only what has to is compiled.
tar -C "$here" --exclude=./build/peers --exclude=./build/sanitize --exclude=./build/analyze --exclude='./build/second.*' -cf - . | tar -C "$copy" -xf -
cd "$copy"
files=$(cd tests/next_row && find . -type f)
for f in $files; do
    [ ! -e "$f" ] || { echo "$f is there already: a new row would edit it"; exit 1; }
    mkdir -p "$(dirname "$f")"
    cp "tests/next_row/$f" "$f"
done
make -s all >/dev/null
# $1: pattern; stdin is read to its end, so that who writes it never meets a closed pipe
shows() { [ "$(grep -c -e "$1")" -gt 0 ]; }
not() { echo "$1"; exit 1; }
make -s rooms | shows '^scratch ' || not "rooms does not show the scratch row"
build/meridian list | shows '^scratch ' || not "list does not show it"
[ "$(build/meridian check quick --row scratch --verbose | grep -c ' scratch')" -gt 1 ] || not "check does not judge it"
build/meridian judge own:scalar --row scratch --out dx | shows '^PASS' || not "judge does not pass its gradient"
build/meridian judge own:scalar --row scratch --out y --checks SCRATCH,TWICE | shows '^PASS.*TWICE' || not "no check asks it"
build/meridian eval scratch y --x 3 --k 0 | shows ' = 4.5' || not "eval does not know it"
build/meridian eval scratch dx --dy 3 --k 0 --contract 'fault=forgotten' | shows ' = 3' || not "its fault changes nothing"
build/meridian eval scratch dx --dy 3 --contract 'fault=lost' 2>&1 | shows 'overwritten forgotten' || not "its fault has no name"
build/meridian list --checks | shows 'SCRATCH' || not "list has not its check"
build/meridian list --checks | shows 'fault.twice fault.scratch' || not "list has not its fault of code"
build/meridian lab list | shows '^scratch .*gain=1/8' || not "the laboratory does not list its encoding"
build/meridian lab gradcheck --encoding scratch | shows '^1 encodings, 0 with' || not "the laboratory does not train with it"
build/meridian bench --quick --only 'scratch product' | shows '^scratch product' || not "bench has not its item"
# its own tests, and those of every row that must not ask for a line in a file that is there
make -s build/alarm tests='build/tests/scratch.o build/tests/schema.o build/tests/words.o build/tests/valid.o' >/dev/null
build/alarm --filter '@(scratch|schema|words|valid)/*' || not "its own tests fail, or those of all rows"
rm ref/scratch.c data/mistakes/scratch.tsv
if make -s rooms >/dev/null 2>&1; then not "rooms does not see a hole"; fi
rm -f $files
make -s all >/dev/null
for verb in list 'list --checks' 'lab list'; do
    ! build/meridian $verb | shows '[sS][cC][rR][aA][tT][cC][hH]' || not "the row does not go again: $verb"
done
make -s rooms >/dev/null
echo "next row: a row with kernels, laws, mistakes, gradients, faults, a check, an encoding and a bench item is new files only, and goes again"
