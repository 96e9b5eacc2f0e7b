#!/bin/sh
# Real libraries, live: the examples beside this file are judged under the arithmetic they declare; copies of them that believe something
# else must fail and be named for it (live.tsv); and the probes of released libraries are asked again (probes.py, data/peers/deviations.tsv).
#   make judge-peers                     numpy, onnx and onnxruntime of versions.txt in a scratch environment below the build directory
#   make judge-peers JUDGE_PEERS=all     every library below too: gigabytes; and the Rust crates, compiled in some minutes where cargo is
#   PEERS_PYTHON=python3                 this interpreter, and nothing is installed
#   MERIDIAN_CRATES=PATH                 the program of harness/adapters/rust, compiled before
# What cannot be had is said with its reason.  Exit 0: all that was judged is as expected; 1: something is not; 77: nothing was judged.
set -u
cd "$(dirname "$0")/../.."
B=${B:-build} all=${JUDGE_PEERS:-} here=harness/adapters
log=$(mktemp) && trap 'rm -rf "$log" "$log.d"' EXIT
judged=0 wrong=0 absent=0 named=0 seen=0
KERAS_BACKEND=${KERAS_BACKEND:-jax} && export KERAS_BACKEND
modules="torch jax transformers mlx mlx_lm keras keras_hub rotary_embedding_torch x_transformers flax tract openvino tinygrad" crates="candle burn"

python=${PEERS_PYTHON:-}
if [ -z "$python" ]; then
    some="numpy onnx onnxruntime" python=$B/peers/bin/python got=
    [ "$all" = all ] && more="$some torch jax transformers mlx[cpu] mlx-lm keras keras-hub rotary-embedding-torch x-transformers flax tract openvino tinygrad" || more=$some
    for want in "$more" "$some"; do
        stamp="$want $(cksum <$here/versions.txt)"
        [ "$(cat "$B/peers/stamp" 2>/dev/null)" = "$stamp" ] && got=1 && break
        rm -rf "$B/peers"
        if python3 -m venv --system-site-packages "$B/peers" >"$log" 2>&1 && timeout 900 "$python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 15 -c $here/versions.txt $want >"$log" 2>&1; then
            echo "$stamp" >"$B/peers/stamp"
            got=1
            break
        fi
        echo "peers: cannot install $want: $(grep -v '^ *$' "$log" | tail -1 | cut -c1-200)"
        [ "$want" = "$some" ] && break
    done
    [ "$got" ] || python=$(command -v python3) || { echo "peers: not run: no python3"; exit 77; }
fi

have=
for module in numpy onnx onnxruntime $modules; do
    if "$python" -c "import $module" >/dev/null 2>"$log"; then have="$have $module"; else eval "why_$module=\$(tail -1 \"\$log\" | cut -c1-120)"; fi
done

# The crates: one program, compiled here on demand.
program=${MERIDIAN_CRATES:-}
if [ -z "$program" ] && [ "$all" = all ]; then
    if ! command -v cargo >/dev/null; then why_candle="no cargo"
    elif CARGO_TARGET_DIR=$B/peers-crates timeout 1800 cargo build -q --release --manifest-path $here/rust/Cargo.toml --features candle,burn >"$log" 2>&1; then program=$B/peers-crates/release/crates
    else why_candle="cargo: $(grep -a '^error' "$log" | head -1 | cut -c1-120)"; fi
fi
why_candle=${why_candle:-"not compiled: JUDGE_PEERS=all does it, or MERIDIAN_CRATES names the program"} why_burn=$why_candle
[ -x "$program" ] && have="$have $crates" && MERIDIAN_CRATES=$program && export MERIDIAN_CRATES

# needs MODULE...: silent and true, or the reason on one line
needs() {
    for module in "$@"; do
        case "$have " in *" $module "*) ;; *) eval "echo \"$module: \$why_$module\""; return 1 ;; esac
    done
}

fail() { wrong=$((wrong + 1)); echo "FAIL peers $1"; sed -n '/^\(FAIL\|CRASH\)/,/again/p' "$log" | head -8; }

# one NEEDS SUBJECT EXPECTED FLAGS: every answer that is wrong against the definition must be named so (checks that compare a subject's answers with
# each other say what they found in words of their own)
one() {
    if ! why=$(needs $1); then
        absent=$((absent + 1)); echo "not run: $2 ($3): $why"; return
    fi
    eval "set -- \"\$2\" \"\$3\" $4"
    subject=$1 expected=$2; shift 2
    case $subject in
    *.py*) how="PYTHONPATH=$here/python exec '$python' $here/examples/$subject" ;;
    *) how="exec '$program' $subject" ;;
    esac
    "$B/meridian" judge --exec "$how" --seconds 60 "$@" >"$log" 2>&1
    rc=$? pass=$(grep -ac '^PASS' "$log") fails=$(grep -acE '^FAIL.* used ' "$log") as=$(grep -acE "^  (matches|resembles) [a-z0-9-]*\.$(printf %s "$expected" | sed 's/[+]/[+]/g') " "$log")
    judged=$((judged + 1))
    if [ "$expected" = pass ]; then
        if [ $rc = 0 ] && [ "$pass" -gt 0 ]; then echo "PASS peers $subject: $pass questions $*"; else fail "$subject: exit $rc, $pass pass, $fails fail"; fi
    elif [ $rc = 1 ] && [ "$fails" -gt 0 ] && [ "$as" = "$fails" ]; then
        named=$((named + 1)); echo "PASS peers $subject: $fails wrong answers, each named $expected"
    else
        fail "$subject: wanted $expected; exit $rc, $fails fail, $as so named"
    fi
}

probes() {
    mkdir "$log.d"
    for library in numpy onnxruntime $modules $crates; do
        case $library in onnxruntime|tract|openvino) with=onnx ;; *) with= ;; esac
        if ! why=$(needs numpy $library $with); then
            absent=$((absent + 1)); echo "not run: probes of $library: $why"; continue
        fi
        if ! "$python" $here/probes.py "$log.d/probes" $library >"$log" 2>&1; then fail "probes of $library: $(tail -1 "$log")"; continue; fi
        if grep -q '"cases": \[\]' "$log.d/probes/pack.json"; then absent=$((absent + 1)); echo "not run: probes of $library: $(tail -1 "$log" | sed 's/^not run: [^:]*: //')"; continue; fi
        "$B/meridian" judge "$log.d/probes" >"$log" 2>&1
        rc=$? known=$(grep -ac '^KNOWN' "$log")
        judged=$((judged + 1)) seen=$((seen + known))
        if [ $rc = 0 ] && [ $((known + $(grep -ac '^PASS' "$log"))) -gt 0 ]; then echo "PASS peers probes of $library: $known known deviations seen again"; else fail "probes of $library: exit $rc"; fi
    done
}

while IFS= read -r line; do
    case $line in '#'*) continue ;; esac
    n=$(printf '%s' "$line" | cut -f1) s=$(printf '%s' "$line" | cut -f2) e=$(printf '%s' "$line" | cut -f3) f=$(printf '%s' "$line" | cut -f4)
    one "$n" "$s" "$e" "$f" </dev/null
done <$here/live.tsv
probes

echo "peers, live: $judged judged, $named mistakes named, $seen known deviations seen again, $wrong not as expected, $absent not run"
[ $wrong = 0 ] || exit 1
[ $judged -gt 0 ] || exit 77
