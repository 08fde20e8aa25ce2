#!/usr/bin/env bash
# Shows that attackers do not disturb honest devices: loads a token service on loopback twice, and compares.
#
#     Server/Benchmarks/attack.sh [EARSHOTD] [SECONDS] [CONNECTIONS] [open|sealed]
#
# Honest: 200 devices of one key, each with a publication, half of them with a subscription. Each reports five tokens of its
# neighbours every five seconds. Second run: the devices also hear 20,000 tokens of other projects a minute, and five more
# devices of the same key report 100 random tokens at a time as fast as the service answers, each on CONNECTIONS connections.
# The service keeps its ordinary limits, except that one key opens 205 sessions at once. SECONDS at most 100: tokens live 120 s.
set -euo pipefail

earshotd=${1:-Server/.build/release/earshotd}
seconds=${2:-60}
connections=${3:-4}
kind=${4:-open}
case $kind in
open) opening=--open ;;
sealed) opening= ;;
*) echo "$0: the kind of project is open or sealed, not $kind" >&2; exit 64 ;;
esac
for tool in wrk python3; do
    command -v "$tool" >/dev/null || { echo "$0 needs $tool; install it first" >&2; exit 69; }
done

scratch=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$scratch"' EXIT

for attackers in 0 5; do
    database=$scratch/$attackers.sqlite
    "$earshotd" project create crowd $opening --database "$database" >/dev/null
    key=$("$earshotd" key create crowd --database "$database" 2>/dev/null)
    "$earshotd" serve --port 0 --no-operations --database "$database" --log-level warning --session-rate 1000 >"$scratch/out" &
    server=$!
    until grep -q http "$scratch/out"; do sleep 0.1; done
    base=$(sed 's/.* //' "$scratch/out")
    python3 "$(dirname "$0")/attack.py" "$base" "$key" "$seconds" "$attackers" "$connections" "$scratch" "$kind"
    grep VmHWM "/proc/$server/status"
    kill "$server"
    wait "$server" || true
    server=
done
