#!/bin/sh
# Runs COMMAND, if one is given, and then the tests of the Python package on the folder that `make package` writes.  The
# interpreter is the first of PEERS_PYTHON, that of judge.sh (which COMMAND may have just made) and python3 that has numpy
# and pytest; without one the tests are not run, and that is said.
#   sh tests/python/run.sh [COMMAND ...]
# Exit: that of COMMAND where it failed, else that of the tests, else 77 where nothing was run.
set -u
cd "$(dirname "$0")/../.."
B=${B:-build} first=77
[ $# = 0 ] || { "$@"; first=$?; }
python=
for one in ${PEERS_PYTHON:-} "$B/peers/bin/python" python3; do
    "$one" -c 'import numpy, pytest' 2>/dev/null && python=$one && break
done
if [ -z "$python" ]; then
    echo "not run: tests/python: no interpreter here has numpy and pytest"
    exit $first
fi
# Most of their time they wait for what never returns: three at once, where pytest-xdist is there.
"$python" -c 'import xdist' 2>/dev/null && set -- -n 3 || set --
PYTHONPATH=$(cd "$B/python" && pwd) PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest "$@" -q -rs -p no:cacheprovider -p no:faulthandler tests/python
rc=$?
case $first in 0 | 77) exit $rc ;; *) exit $first ;; esac
