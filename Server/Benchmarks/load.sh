#!/usr/bin/env bash
# Loads a token service on loopback from a second process (wrk), and reports requests, latency and processor time.
#
#     Server/Benchmarks/load.sh [EARSHOTD] [SECONDS] [CONNECTIONS] [open|sealed]
#
# The mix: 200 devices of one project, half of them with a subscription, and 200 publications. Nine of ten requests
# report five of their tokens, one publishes 192 bytes for 20 seconds. In a sealed project each report has a key for each of the five
# tokens, and each publication a token and its key. The service runs without its own limits.
set -euo pipefail

earshotd=${1:-Server/.build/release/earshotd}
seconds=${2:-30}
connections=${3:-32}
kind=${4:-open}
devices=200
mix=$(dirname "$0")/load.lua
for tool in wrk curl python3; do
    command -v "$tool" >/dev/null || { echo "$0 needs $tool; install it first" >&2; exit 69; }
done

scratch=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$scratch"' EXIT
database=$scratch/earshotd.sqlite

[[ $kind == sealed ]] || opening=--open
"$earshotd" project create load ${opening:-} --database "$database" >/dev/null
key=$("$earshotd" key create load --database "$database" 2>/dev/null)
: >"$scratch/out"
"$earshotd" serve --port 0 --operations-port 0 --database "$database" --log-level notice \
    --device-rate 1000000 --key-rate 1000000 --session-rate 1000000 \
    --publications-per-device 1000000 --publications-per-key 1000000 >"$scratch/out" 2>"$scratch/log" &
server=$!
until grep -q http "$scratch/out"; do sleep 0.1; done
base=$(sed 's/.* //' "$scratch/out")
metrics=$(sed -n 's/.*metrics=\(http[^ ]*\).*/\1/p' "$scratch/log")

python3 - "$base" "$key" "$devices" "$scratch" "$kind" <<'SETUP'
import base64, json, secrets, sys, urllib.request
base, key, devices, scratch, kind = sys.argv[1:]

def token(has_key):
    if kind != "sealed": return {}
    wrapped = {"key": base64.b64encode(bytes(60)).decode()} if has_key else {}
    return {"token": {"token": secrets.token_hex(8), **wrapped}}

def post(bearer, path, body):
    headers = {"Authorization": "Bearer " + bearer}
    request = urllib.request.Request(base + path, json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(request))

with open(scratch + "/sessions", "w") as sessions, open(scratch + "/tokens", "w") as tokens:
    for device in range(int(devices)):
        session = post(key, "/v1/devices", {"sealing": [1]})["session"]
        if device % 2:
            post(session, "/v1/subscriptions", {"ttl_s": 86400, **token(False)})
        made = post(session, "/v1/publications", {"ttl_s": 86400, "content": "aGVsbG8=", **token(True)})
        print(session, made["id"], file=sessions)
        print(made["token"]["token"], file=tokens)
SETUP

ticks() { awk '{print $14 + $15}' "/proc/$server/stat"; }
before=$(ticks)
wrk --threads 1 --timeout 30s --connections "$connections" --duration "${seconds}s" --latency --script "$mix" "$base" \
    -- "$scratch/sessions" "$scratch/tokens" "$kind"
after=$(ticks)

echo "CPU of the service: $(((after - before) * 100 / $(getconf CLK_TCK) / seconds)) % of a core"
grep -E 'VmHWM|VmRSS' "/proc/$server/status"
ls -l "$database"* | awk '{print $5, $9}'
curl -s "$metrics" | grep -E '^earshot_(requests|problems|publications|sightings|deliveries)_total|^earshot_live'
