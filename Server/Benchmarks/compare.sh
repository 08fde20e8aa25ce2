#!/usr/bin/env bash
# Measures the token service and a reference alternately on the same machine, and prints both speeds and their ratio.
#
#     Server/Benchmarks/compare.sh [--into FILE] [EARSHOTD] [SECONDS] [ROUNDS] [CONNECTIONS...]
#
# With --into it also replaces the section "Token service" of FILE.
#
# The reference (Benchmarks/Reference/service) is uvicorn with SQLite: five selects, five inserts and a durable commit for each request.
# Its packages come from PyPI into a virtual environment in .build/reference. Both get the requests of load.lua.
# The last columns are the load average before the run and the processor time of the service.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

command="Server/Benchmarks/compare.sh $*"
file=
if [[ ${1:-} == --into ]]; then
    file=$2
    shift 2
fi
earshotd=${1:-$root/Server/.build/release/earshotd}
seconds=${2:-15}
rounds=${3:-3}
shift $(($# < 3 ? $# : 3))
connections=("${@:-32}")
(($#)) || connections=(32 128)
reference=$root/Benchmarks/Reference/service
environment=$root/.build/reference

for tool in wrk curl python3; do
    command -v "$tool" >/dev/null || { echo "$0 needs $tool; install it first" >&2; exit 69; }
done
if [[ ! -x $environment/bin/uvicorn || $reference/requirements.txt -nt $environment/bin/uvicorn ]]; then
    python3 -c 'import ensurepip, venv' || { echo "$0 needs Debian's python3-venv; install it first" >&2; exit 69; }
    python3 -m venv "$environment"
    "$environment/bin/pip" install -q --disable-pip-version-check -r "$reference/requirements.txt"
    touch "$environment/bin/uvicorn"
fi

scratch=$(mktemp -d)
server=
end() { [[ -z $server ]] || { kill "$server" 2>/dev/null && wait "$server" 2>/dev/null; } || true; server=; }
trap 'end; rm -rf "$scratch"' EXIT

# The requests of the mix with 200 sessions and 200 tokens that the reference knows.
python3 - "$scratch" <<'SETUP'
import random, sys
random.seed(7)
for name, digits in (("sessions", 64), ("tokens", 16)):
    with open(f"{sys.argv[1]}/{name}", "w") as file:
        for _ in range(200):
            print("%0*x" % (digits, random.getrandbits(4 * digits)), file=file)
SETUP

ticks() { awk '{print $14 + $15}' "/proc/$1/stat"; }

load_reference() {
    local port before after
    rm -f "$scratch/reference.sqlite"*
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    DATABASE=$scratch/reference.sqlite TOKENS=$scratch/tokens "$environment/bin/uvicorn" --app-dir "$reference" \
        --port "$port" --loop uvloop --http httptools --lifespan off --no-access-log --log-level warning reference:app &
    server=$!
    until curl -s -o /dev/null -d '{"heard":[]}' "http://127.0.0.1:$port/v1/sightings"; do sleep 0.1; done
    before=$(ticks "$server")
    wrk --threads 1 --timeout 30s --connections "$1" --duration "${seconds}s" --latency --script "$root/Server/Benchmarks/load.lua" \
        "http://127.0.0.1:$port" -- "$scratch/sessions" "$scratch/tokens"
    after=$(ticks "$server")
    echo "CPU of the service: $(((after - before) * 100 / $(getconf CLK_TCK) / seconds)) % of a core"
    end
}

# Reads requests a second, p50, p99 and processor time from wrk's output. An answer other than 2xx fails the run.
figures() {
    ! grep -E 'Non-2xx|Socket errors' "$1" >&2 || { echo "$0: requests failed" >&2; exit 1; }
    awk '/Requests\/sec/ {rate = $2} /^ +50%/ {p50 = $2} /^ +99%/ {p99 = $2} /^CPU of/ {cpu = $5}
        END {printf "%.0f %s %s %s\n", rate, p50, p99, cpu}' "$1"
}

measure() {
    echo "## Token service"
    echo
    echo "\`$command\` on $(date -u +%F)"
    echo
    echo "\`earshotd\` in turns with a reference that only stores ([its source](../Benchmarks/Reference/service/reference.py): uvicorn"
    echo "and SQLite, five selects, five inserts and a durable commit for each request), on the same machine. \`wrk\` on the same"
    echo "cores sends both the requests of \`Server/Benchmarks/load.lua\`: nine of ten report five tokens, one publishes 192 bytes."
    echo "Every run lasts $seconds s. *Load*: the load average before the run, other programs included. *Processor*: of the service, in"
    echo "per cent of a core."
    echo
    echo "| connections | run | service | requests/s | p50 | p99 | ratio | load | processor |"
    echo "|---|---|---|---|---|---|---|---|---|"
    local count round before base rate p50 p99 cpu ratio
    for count in "${connections[@]}"; do
        for ((round = 1; round <= rounds; round++)); do
            before=$(cut -d ' ' -f 1 /proc/loadavg)
            load_reference "$count" >"$scratch/out"
            figures "$scratch/out" >"$scratch/figures"
            read -r base p50 p99 cpu <"$scratch/figures"
            echo "| $count | $round | reference | $base | $p50 | $p99 | | $before | $cpu % |"
            before=$(cut -d ' ' -f 1 /proc/loadavg)
            "$root/Server/Benchmarks/load.sh" "$earshotd" "$seconds" "$count" >"$scratch/out"
            figures "$scratch/out" >"$scratch/figures"
            read -r rate p50 p99 cpu <"$scratch/figures"
            ratio=$(awk -v a="$rate" -v b="$base" 'BEGIN {printf "%.2f", a / b}')
            echo "| $count | $round | earshotd | $rate | $p50 | $p99 | $ratio | $before | $cpu % |"
        done
    done
}

measure | tee "$scratch/section"
[[ -z $file ]] || python3 - "$file" "$scratch/section" <<'REPLACE'
import re, sys
text, section = open(sys.argv[1]).read(), open(sys.argv[2]).read()
rest = re.sub(r"\n## Token service\n.*?(?=\n## |\Z)", "", text, flags=re.S)
open(sys.argv[1], "w").write(rest.rstrip("\n") + "\n\n" + section)
REPLACE
