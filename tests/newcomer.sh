#!/bin/sh
# What somebody does who has never seen this, step by step as the READMEs tell it, and how many seconds each step takes: from the wheel
# to a first judged rope and attention in numpy, to a fingerprint, a card and a run of the CI file; and, with `clone`, from a clone of
# the sources to a first verdict.  Whoever has the wheel is there within TEN minutes, or this fails.
#   sh tests/newcomer.sh [clone]        B=build
# Exit: 0, 1 where a step does not do what it says or it takes too long, 77 where no wheel or no environment is to be had.
set -u
cd "$(dirname "$0")/.."
TREE=$(pwd) B=${B:-build} TEN=600 all=0 what=
own=$(mktemp -d) && trap 'rm -rf "$own"' EXIT
now() { date +%s.%N; }
# step WORDS: ends the step before, if there is one, and begins another.
step() {
    if [ -n "$what" ]; then
        took=$(echo "$(now) $begun" | awk '{ printf "%.1f", $1 - $2 }')
        all=$(echo "$all $took" | awk '{ printf "%.1f", $1 + $2 }')
        printf '%7s s  %s\n' "$took" "$what"
    fi
    what=$* begun=$(now)
}
fail() { tail -20 "$own/log"; echo "FAIL newcomer: $what"; exit 1; }
absent() { echo "not run: newcomer: $*"; exit 77; }

wheel=$(ls dist/meridian-*.whl 2>/dev/null | head -1)
[ -n "$wheel" ] || absent "no wheel in dist: make wheel"
python3 -c 'import venv, ensurepip' 2>/dev/null || absent "no python3 with venv"
mkdir "$own/work" "$own/work/ci" && cp "$wheel" "$own/work/ci/"

step "an environment with numpy, pytest and the wheel"
python=$own/venv/bin/python
python3 -m venv "$own/venv" >"$own/log" 2>&1 || absent "no python3 -m venv"
"$python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 15 -c harness/adapters/versions.txt numpy pytest >"$own/log" 2>&1 ||
    absent "$(grep -v '^ *$' "$own/log" | tail -1 | cut -c1-160)"
"$python" -m pip install -q --disable-pip-version-check --no-index "$own"/work/ci/*.whl >"$own/log" 2>&1 || fail
# Only this environment, the compiler and make are in reach from here on.
PATH=$own/venv/bin:/usr/local/bin:/usr/bin:/bin
unset MERIDIAN_DATA MERIDIAN_PROGRAM PYTHONPATH
cd "$own/work" || exit 1

cat >mine.py <<'END'
import numpy as np
def my_rope(x, pos):
    a = pos[:, None] * 10000.0 ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    c, s, h = np.cos(a).astype(np.float32), np.sin(a).astype(np.float32), x.shape[-1] // 2
    return np.concatenate([x[..., :h] * c - x[..., h:] * s, x[..., h:] * c + x[..., :h] * s], -1)
def my_attention(q, k, v):
    k, v = (np.repeat(x, q.shape[0] // x.shape[0], 0) for x in (k, v))
    s = np.einsum("hnd,hmd->hnm", q.astype(float), k) / q.shape[-1] ** 0.5
    s = np.where(np.tril(np.ones(s.shape[1:], bool), s.shape[2] - s.shape[1]), s, -np.inf)
    e = np.exp(s - np.maximum(s.max(-1, keepdims=True), -1e30))
    z = e.sum(-1, keepdims=True)
    return np.einsum("hnm,hme->hne", e / np.where(z, z, 1), v).astype(q.dtype)
END
cat >test_mine.py <<'END'
import meridian, mine
def test_rope():
    meridian.conforms(mine.my_rope, "rope")
def test_attention():
    meridian.conforms(mine.my_attention, "attention", causal="bottomright", empty="zero")
def test_wrong():
    assert meridian.judge(lambda x, pos: mine.my_rope(x, pos + 1), "rope", few=True).failures[0]["mistakes"][0]["id"] == "position+1"
END
for one in rope attention wrong; do
    step "judged in pytest: $one"
    "$python" -m pytest -q -p no:cacheprovider -k "$one" test_mine.py >"$own/log" 2>&1 || fail
done

step "a fingerprint, without naming a row"
"$python" -c 'import meridian, mine; said = meridian.fingerprint(mine.my_rope); print(said); assert said and "= (defaults); f32" in said' >"$own/log" 2>&1 || fail

step "the card of a model"
echo '{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 2, "max_position_embeddings": 64}' >config.json
meridian model config.json >"$own/log" 2>&1 || fail
grep -q 'rope' "$own/log" || fail

if command -v cc >/dev/null && command -v make >/dev/null; then
    step "the CI file for GitHub, command by command"
    cp "$TREE/harness/adapters/examples/rope.json" mine.json
    cp "$TREE/harness/adapters/examples/rope.c" mine.c && cp "$TREE/fast/meridian.h" .
    printf 'mine.so: mine.c\n\tcc -O2 -ffp-contract=off -fPIC -shared -o $@ mine.c -lm\n' >Makefile
    sed -n 's/^ *- run: //p' "$TREE/harness/adapters/ci/github.yml" >commands
    [ -s commands ] || fail
    while IFS= read -r command; do
        GITHUB_STEP_SUMMARY=summary.md PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 sh -e -c "$command" </dev/null >"$own/log" 2>&1 || fail
    done <commands
    grep -q '<testcase' meridian.xml && grep -q '| PASS |' summary.md || fail
else
    echo "not run: newcomer: the CI file: no compiler or no make"
fi
step
echo "$all $TEN" | awk '{ printf "%7s s  from the wheel to all of this, of %d s\n", $1, $2; exit !($1 <= $2) }' || { echo "FAIL newcomer: longer than ten minutes"; exit 1; }

[ "${1:-}" = clone ] || exit 0
all=0
step "a clone"
git clone -q "$TREE" "$own/clone" >"$own/log" 2>&1 || absent "the sources are no repository of git"
step "make"
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$own/clone" B=build all >"$own/log" 2>&1 || fail
step "a plug-in judged"
"$own/clone/build/meridian" judge "$own/clone/build/example.so" --few >"$own/log" 2>&1 || fail
step
printf '%7s s  from a clone to a first verdict\n' "$all"
