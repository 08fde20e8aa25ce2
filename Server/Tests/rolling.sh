#!/usr/bin/env bash
# Upgrades two nodes on one PostgreSQL, one after the other, while a device publishes and another one listens. No message may be lost, and
# no event may come twice.
#
#     Server/Tests/rolling.sh OLD NEW
#
# OLD and NEW are programs earshotd with PostgreSQL, of two versions that follow each other: build OLD in a checkout of the version before.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

[[ $# == 2 && -x $1 && -x $2 ]] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 64; }
old=$1
new=$2
scratch=$(mktemp -d)
chmod 755 "$scratch"
end() {
    kill $(jobs -p) 2>/dev/null || true
    "$root/Server/Benchmarks/postgres.sh" stop "$scratch/postgres" 2>/dev/null || true
    rm -rf "$scratch"
}
trap end EXIT
failed=0
check() {
    local name=$1
    shift
    if "$@"; then echo "pass  $name"; else echo "FAIL  $name"; failed=1; fi
}
database=$("$root/Server/Benchmarks/postgres.sh" start "$scratch/postgres")

# start NAME PROGRAM PORT: starts a node, always at this port.
declare -A process
start() {
    "$2" serve --port "$3" --no-operations --database "$database" --log-level warning >"$scratch/$1" 2>>"$scratch/$1.log" &
    process[$1]=$!
    for _ in {1..200}; do
        grep -q http "$scratch/$1" && return
        kill -0 "${process[$1]}" 2>/dev/null || return 1
        sleep 0.05
    done
    return 1
}
stop() {
    kill -TERM "${process[$1]}"
    wait "${process[$1]}"
}
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
first=$(free_port)
second=$(free_port)
start a "$old" "$first"
start b "$old" "$second"
"$old" project create demo --database "$database" >/dev/null
key=$("$old" key create demo --database "$database" 2>/dev/null)

# ask PORT METHOD PATH BEARER [BODY]: sends a request, and repeats it while the project moves.
ask() { curl -fsS --retry 20 --retry-delay 1 --retry-all-errors -X "$2" -H "Authorization: Bearer $4" ${5:+-d "$5"} "http://127.0.0.1:$1$3"; }
field() { python3 -c 'import json, sys; v = json.load(sys.stdin)
for k in sys.argv[1].split("."): v = v[k]
print(v)' "$1"; }
publisher=$(ask "$first" POST /v1/devices "$key" | field session)
listener=$(ask "$second" POST /v1/devices "$key" | field session)
ask "$second" POST /v1/subscriptions "$listener" '{"ttl_s":3600}' >/dev/null

# A client as docs/SERVICE.md describes it: when its stream breaks, it resumes at either node.
cat >"$scratch/listen.py" <<'PYTHON'
import sys, time, urllib.request
session, ports = sys.argv[1], sys.argv[2:]
last, turn = None, 0
while True:
    headers = {"Authorization": "Bearer " + session}
    if last: headers["Last-Event-ID"] = last
    turn += 1
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{ports[turn % len(ports)]}/v1/events", headers=headers), timeout=40) as stream:
            name = None
            for line in stream:
                text = line.decode().rstrip("\n")
                if text.startswith("id: "): last = text[4:]
                if text.startswith("event: "): name = text[7:]
                if text.startswith("data: "): print(name, text[6:], flush=True)
    except OSError:
        time.sleep(0.1)
PYTHON
python3 "$scratch/listen.py" "$listener" "$first" "$second" >"$scratch/events" &

# Publishes a message through one node, and lets the listener report its token through the other.
count=0
message() {
    local answer token
    answer=$(ask "$1" POST /v1/publications "$publisher" "{\"content\":\"aGVsbG8=\",\"ttl_s\":3600,\"idempotency_key\":\"m$count\"}")
    token=$(field token.token <<<"$answer")
    ask "$2" POST /v1/sightings "$listener" "{\"heard\":[\"$token\"]}" | grep -q VALID
    count=$((count + 1))
}
# All messages so far were found, each once.
complete() {
    for _ in {1..200}; do
        (($(grep -c '^found ' "$scratch/events" || true) >= count)) && break
        sleep 0.1
    done
    local found
    found=$(grep '^found ' "$scratch/events" | python3 -c 'import json, sys
print(*sorted(json.loads(l.split(" ", 1)[1])["message"]["id"] for l in sys.stdin), sep="\n")')
    (($(wc -l <<<"$found") == count && $(uniq <<<"$found" | wc -l) == count))
}

for _ in 1 2 3; do message "$first" "$second"; done
check "two old nodes: 3 messages are found" complete
check "the first node stops" stop a
check "a new node starts beside the old one" start a "$new" "$first"
for _ in 1 2 3; do message "$second" "$first"; done
for _ in 1 2 3; do message "$first" "$second"; done
check "an old and a new node: 9 messages are found, each once" complete
check "the second node stops" stop b
message "$first" "$first"
refused() { ! start c "$old" "$second" && grep -q 'knows version' "$scratch/c.log"; }
check "an old node does not start any more, and says why" refused
check "a second new node starts" start b "$new" "$second"
for _ in 1 2 3; do message "$second" "$first"; done
check "two new nodes: 13 messages are found, each once" complete
check "nothing was lost meanwhile" bash -c "! grep -q '^lost ' '$scratch/events'"
listed() { (($(ask "$1" GET /v1/publications "$publisher" | field publications | grep -o "'id'" | wc -l) == count)); }
check "the publisher has all its publications" listed "$first"
check "the database is in order" "$new" check --database "$database"
((failed == 0))
