#!/usr/bin/env bash
# Listens through the virtual sound card for a long time and reports processor time and memory by the operating
# system's accounting.
#
#     Benchmarks/soak.sh [MINUTES]
#
# Half of the time there is no token, half of it one every 3 seconds. Prints processor time as a share of one core,
# resident memory at the beginning and end, gaps, and tokens. Fails if a token is missing or comes twice, memory grows,
# or a gap has no reason. Meant for a machine that does nothing else. Default: 15 minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=${1:-15}
earshot=${EARSHOT:-.build/release/earshot}
[[ -x $earshot ]] || { echo "soak: $earshot does not exist; run 'make build' first" >&2; exit 69; }
earshot=$(realpath "$earshot")

directory=$(mktemp -d)
card=$directory/card
Tests/Support/virtual-sound-card.sh start "$card" --owner $$
eval "$(Tests/Support/virtual-sound-card.sh env "$card")"
listener=
cleanup() {
    [[ -z $listener ]] || kill -9 "$listener" 2>/dev/null || true
    Tests/Support/virtual-sound-card.sh stop "$card"
    rm -rf "$directory"
}
trap cleanup EXIT

"$earshot" listen --device air_in --json >"$directory/heard" 2>"$directory/notes" &
listener=$!
sleep 3

# utime and stime, in ticks, of all threads.
ticks() { sed 's/.*) //' "/proc/$listener/stat" | awk '{print $12 + $13}'; }
resident() { awk '/^VmRSS/ {print $2}' "/proc/$listener/status"; }
share() { awk -v t="$1" -v s="$2" -v hz="$(getconf CLK_TCK)" 'BEGIN {printf "%.2f", 100 * t / hz / s}'; }

half=$((minutes * 30))
echo "listening for $minutes minutes on $(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"

before=$(ticks)
sleep "$half"
echo "no tokens for $half s: $(share $(($(ticks) - before)) "$half") % of a core, $(resident) kB resident"

# Memory that the first token needs stays allocated.
"$earshot" broadcast 0123456789abcdef --device air_out --count 2 --quiet
early=$(resident)
before=$(ticks)
count=$((half / 3))
"$earshot" broadcast 0123456789abcdef --device air_out --interval 3 --count "$count" --quiet
late=$(resident)
echo "a token every 3 s for $half s: $(share $(($(ticks) - before)) "$half") % of a core, $early kB, then $late kB resident"

sleep 1
kill -TERM "$listener"
wait "$listener" || true
listener=
heard=$(wc -l <"$directory/heard")
echo "$heard of $((count + 2)) tokens heard"
tail -n +2 "$directory/notes"
((heard == count + 2 && late - early <= 256 && late <= 25 * 1024))
