# The snippets of harness/adapters/ci with the wheel: every command line of each is run, as its server would, in a project of its own with
# an environment of its own, for a plug-in that conforms and for one that does not; the second run finds the baseline of the first.
set -eu
python3 -c 'import venv, ensurepip' 2>/dev/null || { echo "no python3 with venv"; exit 77; }
wheel=$(ls "$TREE"/dist/meridian-*.whl 2>/dev/null | head -1)
[ -n "$wheel" ] || { echo "no wheel in dist: make wheel"; exit 77; }
python3 -m venv venv >/dev/null
venv/bin/python -m pip install -q --disable-pip-version-check --retries 1 --timeout 15 -c "$TREE/harness/adapters/versions.txt" numpy >log 2>&1 || { tail -1 log; exit 77; }

# lines FILE: its commands, one a line.
lines() {
    case $1 in
    *Jenkinsfile) sed -n "s/^ *sh '\(.*\)'\$/\1/p" "$1" ;;
    *github.yml) sed -n 's/^ *- run: //p' "$1" ;;
    *gitlab.yml) sed -n '/script:/,/artifacts:/s/^ *- //p' "$1" ;;
    *buildkite.yml) sed -n '/commands:/,$s/^ *- //p' "$1" ;;
    esac
}
# serve FILE: runs them one after the other until one fails, as servers do; the exit status is that of the last.
serve() {
    lines "$TREE/harness/adapters/ci/$1" >commands
    [ "$(wc -l <commands)" -ge 3 ] || { echo "$1: $(wc -l <commands) commands"; exit 1; }
    (cd project && while IFS= read -r command; do
        env -i PATH="$OWN/bin:$OWN/venv/bin:/usr/local/bin:/usr/bin:/bin" HOME="$OWN" GITHUB_STEP_SUMMARY=summary.md PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INDEX=1 \
            sh -e -c "$command" </dev/null || exit $?
    done <../commands) >said 2>&1
}
OWN=$PWD
mkdir bin && printf '#!/bin/sh\nexit 1\n' >bin/buildkite-agent && chmod 755 bin/buildkite-agent # there is no artifact yet
for file in github.yml gitlab.yml buildkite.yml Jenkinsfile; do
    rm -rf project && mkdir -p project/ci
    cp "$wheel" project/ci/
    cp "$TREE/harness/adapters/examples/rope.json" project/mine.json
    cp "$TREE/harness/adapters/examples/rope.c" "$TREE/fast/meridian.h" project/
    cp "$TREE/tests/plugin/rope.c" project/wrong.c
    printf 'mine.so: rope.c\n\tcc -O2 -ffp-contract=off -fPIC -shared -o $@ rope.c -lm\n' >project/Makefile
    [ "$file" != Jenkinsfile ] || cp -r venv project/.venv
    for run in first second; do serve "$file" || { cat said; echo "$file, $run run"; exit 1; }; done
    grep -q ' 0 fail, 0 crash' said && [ -s project/baseline.db ]
    cat project/meridian.xml project/summary.md 2>/dev/null | grep -q -e '<testcase' -e '| PASS |'
    cp project/wrong.c project/rope.c && rm project/mine.so
    rc=0 && serve "$file" || rc=$?
    [ $rc = 1 ] && grep -q 'matches rope.interleaved (layout=interleaved), another convention' said || { tail -5 said; echo "$file: exit $rc for a wrong kernel"; exit 1; }
    cat project/meridian.xml project/summary.md 2>/dev/null | grep -q -e '<failure' -e '| FAIL |'
done
echo "GitHub, GitLab, Buildkite, Jenkins: each command, good twice and bad, with $(basename "$wheel")"
