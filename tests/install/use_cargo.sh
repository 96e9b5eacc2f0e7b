# A crate whose kernel cargo test judges, without a dependency and without a network; and with a mistake.
set -eu
command -v cargo >/dev/null || { echo "no cargo"; exit 77; }
mkdir examples
cp -r "$TREE/harness/adapters/examples/cargo" "$TREE/harness/adapters/examples/rope.rs" examples
cd examples/cargo
MERIDIAN=$PREFIX/bin/meridian
export MERIDIAN
cargo test --offline -q >log 2>&1 || { cat log; exit 1; }
grep -q '1 passed; 0 failed' log
sed -i 's/at\[r % n\] as f64/(at[r % n] + 1) as f64/' ../rope.rs
cargo test --offline -q >log 2>&1 && exit 1
grep -q 'matches rope.pos' log || { tail -20 log; exit 1; }
echo "a crate, judged by cargo test, good and bad"
