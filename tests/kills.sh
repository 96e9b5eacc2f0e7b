#!/bin/sh
# Kills trainings (SIGKILL) at 50 random moments (KILLS=n: at n), begins them again, and compares them with the same ones left alone:
# the answers must be the same byte by byte, the SHA-256 of the weights among them.  B names the build.  Where a round
# comes to its end before the kills are used up, it is compared and another one begun.
B=${B:-build}; m=$B/meridian; kills=${KILLS:-50}; dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
sizes='layers=2 heads=2 channels=32 inner=64 length=16 reach=40 batch=16 part=4 warm=20'
printf 'needle\t600\t1\tnone rope kerple floater shaw\t16 40\t0 1\t5\t%s\n' "$sizes" >"$dir/extrapolate.tsv"
: >"$dir/gates.tsv"
export MERIDIAN_DATA="$dir"
sums() { (cd "$1/lab" && sha256sum ./*.answers); }
left_alone() { "$m" extrapolate --out "$1" --jobs 2 >"$dir/said" 2>&1 || { cat "$dir/said"; echo "kills: a run left alone failed"; exit 1; }; }
begin=$(date +%s%N); left_alone "$dir/whole"; end=$(date +%s%N)
sums "$dir/whole" >"$dir/want"
grep -q '^# weights [0-9a-f]\{64\},' "$dir"/whole/lab/*.answers || { echo "kills: answers without a digest of the weights"; exit 1; }
killed=0; round=1; went_on=0; cut=0
for share in $(awk 'BEGIN { srand(20); for (k = 0; k < 200; k++) printf "%.4f ", rand() }'); do
    [ $killed -lt "$kills" ] || break
    out=$dir/round$round
    setsid "$m" extrapolate --out "$out" --jobs 2 >"$dir/said" 2>&1 &
    child=$!
    sleep "$(awk "BEGIN { print 0.02 + 0.4 * $share * ($end - $begin) * 1e-9 }")"
    kill -s KILL -- "-$child" 2>/dev/null # This kills it and its workers, which are a session of their own.
    wait $child 2>/dev/null; status=$?
    if [ $status -eq 137 ]; then
        killed=$((killed + 1))
        [ -z "$(ls "$out"/lab/*.checkpoint 2>/dev/null)" ] || went_on=$((went_on + 1))
    elif [ $status -ne 0 ]; then
        cat "$dir/said"; echo "kills: round $round failed"; exit 1
    fi
    if [ "$(ls "$out"/lab/*.answers 2>/dev/null | wc -l)" -eq 5 ]; then
        sums "$out" | cmp -s - "$dir/want" || { sums "$out" | diff - "$dir/want"; echo "kills: after $killed kills other answers"; exit 1; }
        cut=$((cut + 1)); round=$((round + 1))
    fi
done
left_alone "$dir/round$round"
sums "$dir/round$round" | cmp -s - "$dir/want" || { sums "$dir/round$round" | diff - "$dir/want"; echo "kills: after $killed kills other answers"; exit 1; }
[ $killed -eq "$kills" ] && [ $went_on -ge 5 ] || { echo "kills: only $killed kills, $went_on of them after a checkpoint"; exit 1; }
echo "kills: 5 trainings killed at $kills random moments, $went_on times with a checkpoint there, $((cut + 1)) rounds: weights and answers byte for byte as of those left alone"
