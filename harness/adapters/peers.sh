#!/bin/sh
# Makes the Python environment below build in which judge.sh finds the libraries of versions.txt, and tests/python its pytest;
# B and JUDGE_PEERS as there.  What stands is left as it is; what cannot be installed is said in one line, and less is tried.
# $B/peers/stamp names what is installed, and is there only where the environment is whole.
# Exit status: 0, or 77 where there is no environment after it.
set -u
cd "$(dirname "$0")/../.."
B=${B:-build} log=$(mktemp)
trap 'rm -f "$log"' EXIT
some="numpy onnx onnxruntime pytest pytest-xdist"
[ "${JUDGE_PEERS:-}" = all ] && more="$some torch triton jax transformers pillow timm scipy mlx[cpu] mlx-lm keras keras-hub rotary-embedding-torch x-transformers flax tract openvino tinygrad" || more=$some
for want in "$more" "$some"; do
    stamp="$want $(cksum <harness/adapters/versions.txt)"
    [ "$(cat "$B/peers/stamp" 2>/dev/null)" = "$stamp" ] && exit 0
    rm -rf "$B/peers"
    if python3 -m venv --system-site-packages "$B/peers" >"$log" 2>&1 && timeout 900 "$B/peers/bin/python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 15 -c harness/adapters/versions.txt $want >"$log" 2>&1; then
        echo "$stamp" >"$B/peers/stamp"
        exit 0
    fi
    echo "peers: cannot install $want: $(grep -v '^ *$' "$log" | tail -1 | cut -c1-200)"
    [ "$want" = "$some" ] && exit 77
done
