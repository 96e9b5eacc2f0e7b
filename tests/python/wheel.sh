#!/bin/sh
# The wheel of dist as a user has it: twice the same bytes, installed into an environment with nothing else, with no
# compiler and no library of this machine in reach, and the three-line test, good and bad.
#   make wheel-test
# Exit: 0, 1, or 77 where no environment could be made.
set -u
cd "$(dirname "$0")/../.."
B=${B:-build}
own=$(mktemp -d) && trap 'rm -rf "$own"' EXIT
fail() { echo "FAIL wheel: $1"; exit 1; }
wheel=$(ls dist/meridian-*-py3-none-manylinux_*_x86_64.whl) || fail "no wheel, or several"
python3 harness/adapters/python/wheel.py --program "$B/wheel/meridian" --version "$(basename "$wheel" | cut -d- -f2)" \
    --golden "$B/golden-$(basename "$wheel" | cut -d- -f2).tar" --out "$own/again" >/dev/null || fail "it cannot be made again"
cmp -s "$wheel" "$own/again/$(basename "$wheel")" || fail "made again it has other bytes"
[ "$(wc -c <"$wheel")" -le 15728640 ] || fail "more than 15 MB"
python3 -m venv "$own/venv" >/dev/null 2>&1 || { echo "not run: wheel: no python3 -m venv"; exit 77; }
"$own/venv/bin/python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 15 -c harness/adapters/versions.txt numpy pytest >"$own/log" 2>&1 ||
    { echo "not run: wheel: $(grep -v '^ *$' "$own/log" | tail -1 | cut -c1-160)"; exit 77; }
"$own/venv/bin/python" -m pip install -q --disable-pip-version-check --no-index "$wheel" >"$own/log" 2>&1 || fail "$(tail -1 "$own/log")"
cat >"$own/test_three_lines.py" <<'END'
import meridian, numpy as np
def right(x, pos):
    a = pos[:, None] * 10000.0 ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    c, s, h = np.cos(a).astype(np.float32), np.sin(a).astype(np.float32), x.shape[-1] // 2
    return np.concatenate([x[..., :h] * c - x[..., h:] * s, x[..., h:] * c + x[..., :h] * s], -1)
def test_right():
    meridian.conforms(right, "rope", types=["f32"])
def test_wrong():
    meridian.conforms(lambda x, pos: right(x, pos + 1), "rope", types=["f32"], few=True, checks="none")
END
begun=$(date +%s)
(cd "$own" && env -i PATH=/proc/nonexistent HOME="$own" "$own/venv/bin/python" -m pytest -q -p no:cacheprovider test_three_lines.py) >"$own/log" 2>&1
grep -q '1 failed, 1 passed' "$own/log" && grep -q '^FAILED test_three_lines.py::test_wrong' "$own/log" && grep -q 'rope.pos' "$own/log" ||
    { cat "$own/log"; fail "the three-line test, good and bad"; }
echo "PASS wheel: $(basename "$wheel"), $(wc -c <"$wheel") bytes; first verdicts $(($(date +%s) - begun)) s after it was installed"
(cd "$own" && env -i "$own/venv/bin/meridian" judge own:scalar --row softmax --few) >"$own/log" 2>&1 || { cat "$own/log"; fail "the program"; }
(cd "$own" && env -i "$own/venv/bin/meridian" golden --check softmax) >"$own/log" 2>&1 || { cat "$own/log"; fail "its data"; }
echo "PASS wheel: the program and its data, without the tree"
