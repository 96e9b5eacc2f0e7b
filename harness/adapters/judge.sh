#!/bin/sh
# Judges installed libraries.  The examples beside this file are judged under the arithmetic that they declare; copies of
# them with a wrong parameter must fail and be diagnosed as that (live.tsv); the probes of released libraries are computed
# again (probes.py, data/peers/deviations.tsv); and the program in each text of data/findings is run where its library is
# installed: it must print what the text says and fail by its own assertion.  Where torch and transformers are there, a
# fixed sample of model classes is built small and judged by the conventions of their cards, and small checkpoints of every
# class that `meridian lab run` knows are drawn, run by transformers and judged block by block.
#   make judge-peers                     numpy, onnx and onnxruntime of versions.txt, in a virtual environment below build,
#                                        and pytest, by which tests/python are run there
#   make judge-peers JUDGE_PEERS=all     all libraries listed below as well (gigabytes), and the Rust crates, which are
#                                        compiled in some minutes where cargo is installed
#   PEERS_PYTHON=python3                 uses this interpreter and installs nothing
#   MERIDIAN_CRATES=PATH                 the program of harness/adapters/rust, compiled before
#   JUDGE_ONLY=cuda                      only the lines of live.tsv that need this: on a machine with a GPU, torch and nvcc
# What is not available is printed with the reason.  Exit status 0: everything judged is as expected; 1: something is not;
# 77: nothing was judged.
set -u
cd "$(dirname "$0")/../.."
B=${B:-build} all=${JUDGE_PEERS:-} here=harness/adapters
log=$(mktemp) && trap 'rm -rf "$log" "$log.d"' EXIT
judged=0 wrong=0 absent=0 named=0 seen=0 shown=0
KERAS_BACKEND=${KERAS_BACKEND:-jax} && export KERAS_BACKEND
modules="torch triton jax transformers mlx mlx_lm keras keras_hub rotary_embedding_torch x_transformers flax tract openvino tinygrad" crates="candle burn"
# The model classes of transformers that are judged by their cards: configurations of data/models.
sample="llama gpt_oss qwen3 gpt_neox modernbert bert phi3 cohere2 glm4 olmo3 starcoder2 persimmon granite published-gemma-2-27b
    published-falcon-40b published-phi-3.5-mini-instruct published-mixtral-8x7b-v0.1 published-qwen2.5-7b-instruct-yarn"

python=${PEERS_PYTHON:-}
if [ -z "$python" ]; then
    sh $here/peers.sh
    python=$B/peers/bin/python
    [ -e "$B/peers/stamp" ] || python=$(command -v python3) || { echo "peers: not run: no python3"; exit 77; }
fi

have=
for module in numpy onnx onnxruntime $modules; do
    if "$python" -c "import $module" >/dev/null 2>"$log"; then have="$have $module"; else eval "why_$module=\$(tail -1 \"\$log\" | cut -c1-120)"; fi
done

# A GPU that torch can use, and the compiler of CUDA for it.
if why_cuda=$("$python" -c "import torch, sys; sys.exit(None if torch.cuda.is_available() else 'torch finds no GPU')" 2>&1); then have="$have cuda"; else why_cuda=$(echo "$why_cuda" | tail -1 | cut -c1-120); fi
if command -v nvcc >/dev/null; then have="$have nvcc"; else why_nvcc="no nvcc"; fi

# The Rust crates are one program, which is compiled here if wanted.
program=${MERIDIAN_CRATES:-}
if [ -z "$program" ] && [ "$all" = all ]; then
    if ! command -v cargo >/dev/null; then why_candle="no cargo"
    elif CARGO_TARGET_DIR=$B/peers-crates timeout 1800 cargo build -q --release --manifest-path $here/rust/Cargo.toml --features candle,burn >"$log" 2>&1; then program=$B/peers-crates/release/crates
    else why_candle="cargo: $(grep -a '^error' "$log" | head -1 | cut -c1-120)"; fi
fi
why_candle=${why_candle:-"not compiled: JUDGE_PEERS=all does it, or MERIDIAN_CRATES names the program"} why_burn=$why_candle
[ -x "$program" ] && have="$have $crates" && MERIDIAN_CRATES=$program && export MERIDIAN_CRATES

# needs MODULE...: succeeds silently if all are available; otherwise prints the reason in one line.
needs() {
    for module in "$@"; do
        case "$have " in *" $module "*) ;; *) eval "echo \"$module: \$why_$module\""; return 1 ;; esac
    done
}

fail() { wrong=$((wrong + 1)); echo "FAIL peers $1"; sed -n '/^\(FAIL\|CRASH\)/,/again/p' "$log" | head -8; }

# compiled SUBJECT: makes a plug-in of a CUDA source beside this file.
compiled() {
    so=$B/peers-cuda/$(basename "$1" .cu).so
    mkdir -p "$B/peers-cuda"
    [ "$so" -nt "$here/examples/$1" ] || nvcc -O2 -arch=native -std=c++17 -Ifast -shared -Xcompiler -fPIC -o "$so" "$here/examples/$1" >"$log" 2>&1 || { fail "$1: $(head -1 "$log")"; return 1; }
}

# one NEEDS SUBJECT EXPECTED FLAGS: judges one line of live.tsv.  If EXPECTED is a mistake, every failure against the
# definition must be diagnosed as it; checks that compare answers of the subject with each other have words of their own.
one() {
    if ! why=$(needs $1); then
        absent=$((absent + 1)); echo "not run: $2 ($3): $why"; return
    fi
    eval "set -- \"\$2\" \"\$3\" $4"
    subject=$1 expected=$2; shift 2; asked=$*
    case $subject in
    *.py*) set -- --exec "PYTHONPATH=$here/python exec '$python' $here/examples/$subject" "$@" ;;
    *.cu) compiled "$subject" || return; set -- "$B/peers-cuda/$(basename "$subject" .cu).so" "$@" ;;
    *) set -- --exec "exec '$program' $subject" "$@" ;;
    esac
    "$B/meridian" judge --seconds 60 "$@" >"$log" 2>&1
    rc=$? pass=$(grep -ac '^PASS' "$log") fails=$(grep -acE '^FAIL.* used ' "$log") as=$(grep -acE "^  (matches|resembles) [a-z0-9-]*\.$(printf %s "$expected" | sed 's/[+]/[+]/g') " "$log")
    judged=$((judged + 1))
    if [ "$expected" = pass ]; then
        if [ $rc = 0 ] && [ "$pass" -gt 0 ]; then echo "PASS peers $subject: $pass questions $asked"; else fail "$subject: exit $rc, $pass pass, $fails fail"; fi
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

# fence WORD TEXT: prints the lines between ```WORD and ``` of a text.
fence() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$2" | sed '1d;$d'; }

# sent: runs the programs in the texts of data/findings, which are meant to be sent to the libraries' authors.  A Rust
# program is compiled with the dependencies of harness/adapters/rust.
sent() {
    own=$log.d/sent
    mkdir -p "$own/src/bin"
    for text in data/findings/*.md; do
        id=$(basename "$text" .md) library=$(awk -F'\t' -v id="$(basename "$text" .md)" '$1 == id { print $2 }' data/findings.tsv)
        case $library in onnx|onnxruntime|tract) with="numpy onnx" ;; *) with= ;; esac
        if ! why=$(needs $library $with); then absent=$((absent + 1)); echo "not run: data/findings/$id.md: $why"; continue; fi
        fence text "$text" >"$own/want"
        if grep -q '^```rust$' "$text"; then
            [ -f "$own/Cargo.toml" ] || { sed 's/^name = .*/name = "sent"/' $here/rust/Cargo.toml >"$own/Cargo.toml"; [ ! -f $here/rust/Cargo.lock ] || cp $here/rust/Cargo.lock "$own"; }
            fence rust "$text" >"$own/src/bin/$id.rs"
            target=$(cd "$(dirname "$program")/.." && pwd) wanted=101 failed="panicked at"
            CARGO_TARGET_DIR=$target timeout 1800 cargo build -q --release --manifest-path "$own/Cargo.toml" --features candle,burn --bin "$id" >"$log" 2>&1 || { fail "data/findings/$id.md: $(grep -a '^error' "$log" | head -1)"; continue; }
            "$target/release/$id" >"$own/got" 2>"$log"
        else
            fence python "$text" >"$own/$id.py"
            wanted=1 failed="^AssertionError"
            timeout 300 "$python" "$own/$id.py" >"$own/got" 2>"$log"
        fi
        rc=$? judged=$((judged + 1))
        if [ $rc = $wanted ] && grep -q "$failed" "$log" && cmp -s "$own/want" "$own/got"; then
            shown=$((shown + 1)); echo "PASS peers data/findings/$id.md: its program shows it"
        else
            fail "data/findings/$id.md: exit $rc, printed: $(head -3 "$own/got" | tr '\n' ';') $(tail -1 "$log" | cut -c1-120)"
        fi
    done
}

# models: model classes of transformers, built small from configurations of data/models and judged by their cards
# (harness/adapters/transformers).  Each must be judged and nothing may deviate.
models() {
    for type in $sample; do
        if ! why=$(needs torch transformers); then absent=$((absent + 1)); echo "not run: model $type against transformers: $why"; continue; fi
        MERIDIAN_PYTHON=$python "$B/meridian" model "data/models/$type.json" --against transformers --seconds 120 >"$log" 2>&1
        rc=$? pass=$(grep -ac '^PASS' "$log")
        judged=$((judged + 1))
        if [ $rc = 0 ] && [ "$pass" -gt 0 ]; then echo "PASS peers model $type against transformers: $pass questions"; else fail "model $type against transformers: exit $rc, $pass pass"; fi
    done
}

# checkpoints: drawn small ones of every class of data/weights (harness/adapters/transformers/drawn.sh), eight of each.
checkpoints() {
    if ! why=$(needs torch transformers); then absent=$((absent + 1)); echo "not run: checkpoints against transformers: $why"; return; fi
    sh $here/transformers/drawn.sh "$python" 8 >"$log.d/drawn" 2>&1
    grep -v '^checkpoints, live:' "$log.d/drawn" | sed 's/^\(PASS\|FAIL\) /\1 peers /'
    judged=$((judged + $(grep -c '^\(PASS\|FAIL\) ' "$log.d/drawn"))) wrong=$((wrong + $(grep -c '^FAIL ' "$log.d/drawn")))
    absent=$((absent + $(grep -c '^not run:' "$log.d/drawn")))
}

while IFS= read -r line; do
    case $line in '#'*) continue ;; esac
    n=$(printf '%s' "$line" | cut -f1) s=$(printf '%s' "$line" | cut -f2) e=$(printf '%s' "$line" | cut -f3) f=$(printf '%s' "$line" | cut -f4)
    case " $n " in *" ${JUDGE_ONLY:-$n} "*) ;; *) continue ;; esac
    one "$n" "$s" "$e" "$f" </dev/null
done <$here/live.tsv
[ -n "${JUDGE_ONLY:-}" ] || { probes; sent; models; checkpoints; }

echo "peers, live: $judged judged, $named mistakes named, $seen known deviations seen again, $shown findings shown by their own programs, $wrong not as expected, $absent not run"
[ $wrong = 0 ] || exit 1
[ $judged -gt 0 ] || exit 77
