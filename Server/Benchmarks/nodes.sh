#!/usr/bin/env bash
# Measures the token service on PostgreSQL: one, two and three nodes, with 100,000 devices in 1,000 rooms.
#
#     Server/Benchmarks/nodes.sh [--into FILE] [EARSHOTD] [SECONDS] [DEVICES] [ROOM]
#
# With --into it also replaces the section "Token service on PostgreSQL" of FILE. EARSHOTD must be built with POSTGRES=1.
#
# Statements of SQL put the devices in, each with a publication, a subscription and their tokens; all else is HTTP. A wrk for
# each node sends it rooms.lua. Everything runs on this machine, so nodes, database and wrk share its cores: the
# processor time of each says more than the requests a second.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

command="Server/Benchmarks/nodes.sh $*"
file=
if [[ ${1:-} == --into ]]; then
    file=$2
    shift 2
fi
earshotd=${1:-$root/Server/.build/release/earshotd}
seconds=${2:-20}
devices=${3:-100000}
room=${4:-100}
heard=10
connections=48
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

# The devices as a service makes them. Tokens live for an hour here, and the first renewal of each item issues the next one.
fill() {
    psql -qX -v ON_ERROR_STOP=1 -d "$address" >/dev/null <<SQL
TRUNCATE device, publication, subscription, token, delivery, sighting, presence, rate, usage RESTART IDENTITY;
CREATE TEMP TABLE d AS SELECT n, n + 1 AS id, 1 + n / 10000 % 10 AS key FROM generate_series(0, $devices - 1) AS n;
INSERT INTO device (id, identifier, key_id, project_id, hash, expires_at) OVERRIDING SYSTEM VALUE
    SELECT id, 'd' || n, key, 1, sha256(convert_to('earshot-session-' || lpad(to_hex(n), 64, '0'), 'UTF8')),
        moment(NULL) + 86400000 FROM d;
INSERT INTO publication (id, identifier, device_id, key_id, project_id, namespace, type, expires_at, content_count, content)
    OVERRIDING SYSTEM VALUE
    SELECT id, lpad(to_hex(n), 32, '0'), id, key, 1, '', '', moment(NULL) + 86400000, 192,
        decode(repeat('41', 192), 'hex') FROM d;
INSERT INTO subscription (id, identifier, device_id, key_id, project_id, namespace, type, expires_at) OVERRIDING SYSTEM VALUE
    SELECT id, lpad(to_hex(n), 32, '0'), id, key, 1, '', '', moment(NULL) + 86400000 FROM d;
INSERT INTO token (id, project_id, bytes, device_id, publication_id, subscription_id, issued_at, expires_at)
    OVERRIDING SYSTEM VALUE
    SELECT id, 1, 4096 + n, id, id, NULL, moment(NULL) - 61000, moment(NULL) + 3600000 FROM d
    UNION ALL SELECT $devices + id, 1, -4096 - n, id, NULL, id, moment(NULL) - 61000, moment(NULL) + 3600000 FROM d;
SELECT setval(pg_get_serial_sequence(t, 'id'), 2 * $devices + 1)
    FROM unnest(ARRAY['device', 'publication', 'subscription', 'token']) AS t;
VACUUM ANALYZE;
CHECKPOINT;
SQL
}

start() {
    local node
    for ((node = 0; node < $1; node++)); do
        : >"$scratch/out$node"
        "$earshotd" serve --port 0 --no-operations --database "$address" --log-level warning --database-connections 12 \
            --device-rate 1000000 --key-rate 1000000 >"$scratch/out$node" &
        servers+=($!)
    done
    for ((node = 0; node < $1; node++)); do
        until grep -q http "$scratch/out$node"; do sleep 0.1; done
    done
}

ticks() { awk '{sum += $14 + $15} END {print sum + 0}' "$@" 2>/dev/null; }
# Also those of processes that have ended: PostgreSQL's connections do.
of_nodes() { local server; for server in "${servers[@]}"; do echo "/proc/$server/stat"; done | xargs cat | ticks; }
of_postgres() {
    local master
    master=$(head -1 "$scratch/postgres/data/postmaster.pid")
    { awk '{print $16 + $17}' "/proc/$master/stat"; pgrep -P "$master" | sed 's#.*#/proc/&/stat#' | xargs cat 2>/dev/null \
        | awk '{print $14 + $15}'; } | awk '{sum += $1} END {print sum}'
}

# phase, nodes
load() {
    local node base loaders=()
    local nodes_before postgres_before
    nodes_before=$(of_nodes) postgres_before=$(of_postgres)
    for ((node = 0; node < $2; node++)); do
        base=$(sed 's/.* //' "$scratch/out$node")
        wrk --threads 1 --timeout 30s --connections $((connections / $2)) --duration "${seconds}s" --latency \
            --script "$root/Server/Benchmarks/rooms.lua" "$base" -- "$1" "$devices" "$room" "$heard" "$node" "$2" \
            >"$scratch/wrk$node" &
        loaders+=($!)
    done
    wait "${loaders[@]}"
    ! grep -hE 'Non-2xx|Socket errors' "$scratch"/wrk* >&2 || { echo "$0: requests failed" >&2; exit 1; }
    local nodes postgres
    nodes=$(($(of_nodes) - nodes_before)) postgres=$(($(of_postgres) - postgres_before))
    awk -v nodes="$nodes" -v postgres="$postgres" -v tick="$(getconf CLK_TCK)" -v seconds="$seconds" '
        function ms(text) {
            if (text ~ /us$/) return text / 1000
            if (text ~ /ms$/) return text + 0
            return text * 1000
        }
        /requests in/ {count += $1}
        /^ +50%/ {if (ms($2) > p50) p50 = ms($2)}
        /^ +99%/ {if (ms($2) > p99) p99 = ms($2)}
        END {
            printf "%.0f | %.1f ms | %.1f ms | %.2f ms | %.2f ms |\n", count / seconds, p50, p99,
                1000 * nodes / tick / count, 1000 * postgres / tick / count
        }' "$scratch"/wrk*
    rm "$scratch"/wrk*
}

measure() {
    echo "## Token service on PostgreSQL"
    echo
    echo "\`$command\` on $(date -u +%F)"
    echo
    echo "$devices devices in $((devices / room)) rooms. Each has a publication and a subscription, and hears $heard others. *Arrive*: each"
    echo "reports for the first time, and finds up to $heard messages, which wait for the disk. *Stay*: a minute of a device, twelve reports of"
    echo "what is known, and two renewals with new tokens. One wrk a node, $connections connections in all, ${seconds} s a run. Nodes, PostgreSQL"
    echo "and wrk share $(nproc) cores. *Node*, *PostgreSQL*: processor time of a request. *Load*: the load average before the run."
    echo
    echo "| nodes | phase | load | requests/s | p50 | p99 | node | PostgreSQL |"
    echo "|---|---|---|---|---|---|---|---|"
    local nodes phase
    for nodes in 1 2 3; do
        fill
        start "$nodes"
        for phase in arrive stay; do
            before=$(cut -d ' ' -f 1 /proc/loadavg)
            echo "| $nodes | $phase | $before | $(load "$phase" "$nodes")"
        done
        if ((nodes == 3)); then
            for server in "${servers[@]}"; do awk '/VmHWM/ {print $2}' "/proc/$server/status"; done >"$scratch/memory"
        fi
        end
    done
    echo
    echo "Memory of a node: $(awk '$1 > max {max = $1} END {printf "%.0f MB", max / 1000}' "$scratch/memory") at most. Tables and indexes:"
    psql -qXAt -d "$address" -c "SELECT '$devices devices, ' || (SELECT count(*) FROM sighting) || ' sightings and '
        || (SELECT count(*) FROM delivery) || ' deliveries take ' || pg_database_size(current_database()) / 1000000 || ' MB.'"
}

"$earshotd" project create load --database "$address" >/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do "$earshotd" key create load --database "$address" >/dev/null 2>&1; done
measure | tee "$scratch/section"
[[ -z $file ]] || python3 - "$file" "$scratch/section" <<'REPLACE'
import re, sys
text, section = open(sys.argv[1]).read(), open(sys.argv[2]).read()
rest = re.sub(r"\n## Token service on PostgreSQL\n.*?(?=\n## |\Z)", "", text, flags=re.S)
open(sys.argv[1], "w").write(rest.rstrip("\n") + "\n\n" + section)
REPLACE
