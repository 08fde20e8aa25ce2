#!/usr/bin/env bash
# Measures the token service with 100,000 devices in 1,000 rooms: one service on SQLite, then one, two and three nodes on PostgreSQL.
#
#     Server/Benchmarks/nodes.sh [--into FILE] [--nodes 0,1,2,3] [EARSHOTD] [SECONDS] [DEVICES] [ROOM]
#
# With --into it also replaces the section "Token service with many devices" of FILE. EARSHOTD must be built with POSTGRES=1. 0 nodes are
# the service on SQLite.
#
# SQL statements insert the devices, each with a publication, a subscription and their tokens; everything else uses HTTP. One
# wrk for each node sends the requests of rooms.lua. Everything runs on this machine, so nodes, database and wrk share its
# cores: the processor time of each says more than the requests a second.
#
# In the phase `arrive` each device reports for the first time. In the phase `stay` each device reports every 5 s, so that none falls
# silent. Their number is limited so that the rate of `arrive` suffices. The messages found and lost in this phase show that the
# devices stayed. SECONDS is at most 40, because the service shortens the tokens' lifetime to 120 s at its start, and all phases use
# these tokens.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

command="Server/Benchmarks/nodes.sh $*"
file= all=(0 1 2 3)
while [[ ${1:-} == --* ]]; do
    case $1 in
    --into) file=$2 ;;
    --nodes) IFS=, read -ra all <<<"$2" ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
    esac
    shift 2
done
earshotd=${1:-$root/Server/.build/release/earshotd}
seconds=${2:-20}
devices=${3:-100000}
room=${4:-100}
heard=10
connections=48
# The time between two reports of a device that stays. Silence ends its sightings after 15 s.
period_seconds=5
# The time until all other devices have fallen silent, and the service has swept their sightings.
settling_seconds=25
for tool in wrk curl python3 psql; do
    command -v "$tool" >/dev/null || { echo "$0 needs $tool; install it first" >&2; exit 69; }
done

scratch=$(mktemp -d)
chmod 755 "$scratch"
servers=()
end() {
    local server
    for server in "${servers[@]}"; do kill "$server" 2>/dev/null && wait "$server" 2>/dev/null || true; done
    servers=()
}
trap 'end; "$root/Server/Benchmarks/postgres.sh" stop "$scratch/postgres" 2>/dev/null || true; rm -rf "$scratch"' EXIT
address=$("$root/Server/Benchmarks/postgres.sh" start "$scratch/postgres")

# Inserts the devices as a service would. The first renewal of each item issues the next token.
fill_postgres() {
    psql -qX -v ON_ERROR_STOP=1 -d "$address" >/dev/null <<SQL
TRUNCATE device, publication, subscription, token, delivery, owner;
CREATE TEMP TABLE d AS SELECT n, n + 1 AS id, 1 + n / 10000 % 10 AS key FROM generate_series(0, $devices - 1) AS n;
INSERT INTO device SELECT id, 'd' || n, key, 1, sha256(convert_to('earshot-session-' || lpad(to_hex(n), 64, '0'), 'UTF8')),
    moment(NULL) + 86400000, 0, 0 FROM d;
INSERT INTO publication (id, identifier, device_id, project_id, namespace, type, expires_at, content_count, content)
    SELECT id, lpad(to_hex(n), 32, '0'), id, 1, '', '', moment(NULL) + 86400000, 192, decode(repeat('41', 192), 'hex') FROM d;
INSERT INTO subscription (id, identifier, device_id, project_id, namespace, type, expires_at)
    SELECT id, lpad(to_hex(n), 32, '0'), id, 1, '', '', moment(NULL) + 86400000 FROM d;
INSERT INTO token SELECT id, 1, 4096 + n, id, id, NULL, moment(NULL) - 61000, moment(NULL) + 3600000 FROM d
    UNION ALL SELECT $devices + id, 1, -4096 - n, id, NULL, id, moment(NULL) - 61000, moment(NULL) + 3600000 FROM d;
VACUUM ANALYZE;
CHECKPOINT;
SQL
}

fill_sqlite() {
    rm -f "$scratch/devices.sqlite"*
    keys "$scratch/devices.sqlite"
    python3 "$root/Server/Benchmarks/fill.py" "$scratch/devices.sqlite" "$devices"
}

keys() {
    "$earshotd" project create load --open --database "$1" >/dev/null
    local key
    for key in 1 2 3 4 5 6 7 8 9 10; do "$earshotd" key create load --name "$key" --database "$1" >/dev/null 2>&1; done
}

# database, processes
start() {
    local node
    for ((node = 0; node < $2; node++)); do
        : >"$scratch/out$node"
        "$earshotd" serve --port 0 --operations-port 0 --database "$1" --log-level notice --database-connections 12 \
            --device-rate 1000000 --key-rate 1000000 >"$scratch/out$node" 2>"$scratch/log$node" &
        servers+=($!)
    done
    for ((node = 0; node < $2; node++)); do
        until grep -q http "$scratch/out$node"; do sleep 0.1; done
        # While a node reads the project, its devices get 503.
        until curl -sfo /dev/null -H "Authorization: Bearer $(printf 'earshot-session-%064x' 0)" \
            "$(sed 's/.* //' "$scratch/out$node")/v1/device"; do sleep 0.1; done
    done
}

# The messages that all nodes have found, or lost.
events() {
    local log
    for log in "$scratch"/log*; do curl -s "$(sed -n 's/.*metrics=\(http[^ ]*\).*/\1/p' "$log")"; done \
        | awk -v series="earshot_deliveries_total{event=\"$1\"}" '$1 == series {sum += $2} END {print sum + 0}'
}

ticks() { awk '{sum += $14 + $15} END {print sum + 0}' "$@" 2>/dev/null; }
# The ticks of PostgreSQL include those of ended processes, because its processes end with their connections.
of_nodes() { local server; for server in "${servers[@]}"; do echo "/proc/$server/stat"; done | xargs cat | ticks; }
of_postgres() {
    local master
    master=$(head -1 "$scratch/postgres/data/postmaster.pid")
    { awk '{print $16 + $17}' "/proc/$master/stat"; pgrep -P "$master" | sed 's#.*#/proc/&/stat#' | xargs cat 2>/dev/null \
        | awk '{print $14 + $15}'; } | awk '{sum += $1} END {print sum}'
}

# phase, processes, devices, seconds
send() {
    local node base loaders=()
    for ((node = 0; node < $2; node++)); do
        base=$(sed 's/.* //' "$scratch/out$node")
        wrk --threads 1 --timeout 30s --connections $((connections / $2)) --duration "$4s" --latency \
            --script "$root/Server/Benchmarks/rooms.lua" "$base" -- "$1" "$3" "$room" "$heard" "$node" "$2" \
            >"$scratch/wrk$node" &
        loaders+=($!)
    done
    wait "${loaders[@]}"
    ! grep -hE 'Non-2xx|Socket errors' "$scratch"/wrk* >&2 || { echo "$0: requests failed" >&2; exit 1; }
}

# phase, processes, devices: the columns of the table. The file "rate" gets the requests a second.
load() {
    local nodes postgres found lost
    nodes=$(of_nodes) postgres=$(of_postgres) found=$(events found) lost=$(events lost)
    send "$1" "$2" "$3" "$seconds"
    nodes=$(($(of_nodes) - nodes)) postgres=$(($(of_postgres) - postgres))
    found=$(($(events found) - found)) lost=$(($(events lost) - lost))
    awk -v nodes="$nodes" -v postgres="$postgres" -v tick="$(getconf CLK_TCK)" -v seconds="$seconds" -v found="$found" -v lost="$lost" \
        -v file="$scratch/rate" '
        function ms(text) {
            if (text ~ /us$/) return text / 1000
            if (text ~ /ms$/) return text + 0
            return text * 1000
        }
        /requests in/ {count += $1}
        /^ +50%/ {if (ms($2) > p50) p50 = ms($2)}
        /^ +99%/ {if (ms($2) > p99) p99 = ms($2)}
        END {
            printf "%.0f | %.1f ms | %.1f ms | %.2f ms | %.2f ms | %d | %d |\n", count / seconds, p50, p99,
                1000 * nodes / tick / count, 1000 * postgres / tick / count, found, lost
            printf "%.0f\n", count / seconds >file
        }' "$scratch"/wrk*
    rm "$scratch"/wrk*
}

measure() {
    echo "## Token service with many devices"
    echo
    echo "\`$command\` on $(date -u +%F)"
    echo
    echo "$devices devices in $((devices / room)) rooms. Each has a publication and a subscription, and hears $heard others. *Arrive*: each"
    echo "reports for the first time, and finds up to $heard messages, which wait for the disk. *Stay*: a minute of a device, twelve reports of"
    echo "what is known, and two renewals with new tokens; so many devices that each is visited every $period_seconds s. *Found* and *lost*:"
    echo "the messages of the phase; devices that stay find and lose next to nothing. One wrk a node, $connections connections in all, ${seconds} s a"
    echo "run. Nodes, PostgreSQL and wrk share $(nproc) cores. *Node*, *PostgreSQL*: processor time of a request. *Load*: the load average before."
    echo
    echo "| nodes | phase | devices | load | requests/s | p50 | p99 | node | PostgreSQL | found | lost |"
    echo "|---|---|---|---|---|---|---|---|---|---|---|"
    local nodes count active name before row
    for nodes in "${all[@]}"; do
        rm -f "$scratch"/out* "$scratch"/log*
        if ((nodes == 0)); then
            name=SQLite count=1
            fill_sqlite
            start "$scratch/devices.sqlite" 1
        else
            name=$nodes count=$nodes
            fill_postgres
            start "$address" "$nodes"
        fi
        before=$(cut -d ' ' -f 1 /proc/loadavg)
        row=$(load arrive "$count" "$devices")
        echo "| $name | arrive | $devices | $before | $row"
        active=$(($(<"$scratch/rate") * period_seconds / room * room))
        active=$((active < room ? room : active > devices ? devices : active))
        # The devices that stay report meanwhile.
        send arrive "$count" "$active" "$settling_seconds"
        before=$(cut -d ' ' -f 1 /proc/loadavg)
        row=$(load stay "$count" "$active")
        echo "| $name | stay | $active | $before | $row"
        for server in "${servers[@]}"; do awk '/VmHWM/ {print $2}' "/proc/$server/status"; done >"$scratch/memory$nodes"
        end
    done
    echo
    for nodes in "${all[@]}"; do
        awk -v name="$( ((nodes == 0)) && echo 'the service on SQLite' || echo "a node of $nodes")" \
            '$1 > max {max = $1} END {printf "Memory of %s: %.0f MB at most. ", name, max / 1000}' "$scratch/memory$nodes"
    done
    echo
}

keys "$address"
# This uses no pipe, because the services must end with this script.
measure > >(tee "$scratch/section")
wait $!
[[ -z $file ]] || python3 - "$file" "$scratch/section" <<'REPLACE'
import re, sys
text, section = open(sys.argv[1]).read(), open(sys.argv[2]).read().rstrip("\n") + "\n"
place = re.compile(r"## Token service (?:on PostgreSQL|with many devices)\n.*?(?=\n## |\Z)", re.S)
if place.search(text):
    text = place.sub(lambda _: section, text)
else:
    text = text.rstrip("\n") + "\n\n" + section
open(sys.argv[1], "w").write(text)
REPLACE
