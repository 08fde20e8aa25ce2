#!/usr/bin/env bash
# Runs scripts of this folder, each in a machine of its own, as many at a time as there are processors, and prints one table: the
# numbers of checks that passed, that show a known limit, and that failed. The exit status is 1 if a check failed or a script gave no
# result.
#
#     Tests/Machine/together.sh SCRIPT...
#
# The files of a script are in .build/machine/SCRIPT, its output in .build/machine/SCRIPT.log.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 66
results=.build/machine
mkdir -p "$results"

run() {
    local begin=$SECONDS
    Tests/Machine/machine.sh --seconds 3600 --share "$results/$1" "Tests/Machine/$1" >"$results/$1.log" 2>&1
    echo "$? $((SECONDS - begin))" >"$results/$1.result"
}
# Fetch the packages and the kernel once for all scripts. This run also checks a checkout among the temporary files, for
# which a machine has an empty folder.
scripts/install-dependencies.sh machine
checkout=$(mktemp -d)
trap 'rm -rf "$checkout"' EXIT
mkdir "$checkout/Tests"
cp -r Tests/Machine "$checkout/Tests"
cp -r scripts "$checkout"
"$checkout/Tests/Machine/machine.sh" --seconds 300 test -x Tests/Machine/machine.sh || {
    echo "FAILED checkout-among-temporary-files: no machine ran there"
    exit 1
}
echo "ok checkout-among-temporary-files"

for script; do
    rm -f "$results/$script.result"
    while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
    run "$script" &
done
wait

failures=0
for script; do
    grep -E '^(FAILED|known)' "$results/$script.log" | sed "s/^/$script: /"
done
printf '%-18s %6s %6s %7s %8s\n' script ok known failed seconds
for script; do
    read -r status seconds <"$results/$script.result"
    printf '%-18s %6d %6d %7d %8d\n' "$script" "$(grep -c '^ok' "$results/$script.log")" \
        "$(grep -c '^known' "$results/$script.log")" "$(grep -c '^FAILED' "$results/$script.log")" "$seconds"
    if ((status)); then
        failures=$((failures + 1))
        grep -q '^FAILED' "$results/$script.log" || tail -n 5 "$results/$script.log" | sed "s/^/$script: /"
    fi
done
((failures == 0))
