#!/usr/bin/env bash
# Checks the files that operators load from Server/Operation: alerts and their tests, Prometheus' configuration, the dashboard, nginx.conf
# and compose.yaml. It starts the service on SQLite and nginx in front of it, and compares the metrics with those that the files use. It
# takes some seconds.
#
#     Server/Tests/operation.sh [EARSHOTD]
#
# `scripts/install-dependencies.sh operation` installs what it needs.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

earshotd=${1:-$root/Server/.build/release/earshotd}
operation=$root/Server/Operation
# Debian installs nginx there.
PATH=$PATH:/usr/sbin
[[ -x $earshotd ]] || { echo "$0: there is no program $earshotd; 'make server' builds it" >&2; exit 69; }
for program in promtool nginx openssl curl; do
    command -v "$program" >/dev/null || { echo "$0 needs $program: scripts/install-dependencies.sh operation" >&2; exit 69; }
done
python=
# Debian's package of the module works only with Debian's Python.
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import yaml' 2>/dev/null && python=$candidate && break
done
[[ -n $python ]] || { echo "$0 needs python3-yaml: scripts/install-dependencies.sh operation" >&2; exit 69; }

scratch=$(mktemp -d)
processes=()
end() {
    ((${#processes[@]} == 0)) || kill "${processes[@]}" 2>/dev/null || true
    wait
    rm -rf "$scratch"
}
trap end EXIT

failed=0
# check NAME COMMAND...: the command's output gives the reason of a failure.
check() {
    local name=$1
    shift
    if "$@" >"$scratch/check" 2>&1; then
        echo "pass  $name"
    else
        echo "FAIL  $name"
        sed 's/^/      /' "$scratch/check"
        failed=1
    fi
}
ask() { "$python" "$root/Server/Tests/operation.py" "$@"; }
# await FILE TEXT: waits up to five seconds until the file contains the text.
await() {
    for _ in {1..100}; do
        grep -q "$2" "$1" && return
        sleep 0.05
    done
    echo "there is no '$2':"
    cat "$1"
    return 1
}
equal() { [[ $1 == "$2" ]] || { echo "it is '$1', not '$2'"; return 1; }; }

check "the alerts are rules" promtool check rules "$operation/alerts.yaml"
check "each alert fires when it should" promtool test rules "$operation/alerts.test.yaml"
check "each alert has a text, a test, and names what exists" ask alerts
check "Prometheus takes its configuration" promtool check config "$operation/prometheus.yaml"
ask expressions >"$scratch/dashboard.yaml"
check "Prometheus takes the dashboard's expressions" promtool check rules "$scratch/dashboard.yaml"
"$earshotd" serve --help >"$scratch/help"
check "compose.yaml has no password, and agrees with the other files" ask compose "$scratch/help"
# Neither needs a running service for this check.
if docker compose version >/dev/null 2>&1; then
    check "docker compose takes compose.yaml" docker compose --file "$operation/compose.yaml" config --quiet
elif command -v podman-compose >/dev/null; then
    check "podman-compose takes compose.yaml" podman-compose --file "$operation/compose.yaml" config
else
    echo "skip  neither docker compose nor podman-compose is here to read compose.yaml"
fi

database=$scratch/earshotd.sqlite
"$earshotd" project create demo --open --database "$database" >"$scratch/project"
key=$("$earshotd" key create demo --database "$database" 2>/dev/null)
# A budget of one failure for each address shows which address the service sees.
"$earshotd" serve --port 0 --operations-port 0 --database "$database" --proxy 127.0.0.1 --address-failure-rate 0.001 \
    >"$scratch/out" 2>"$scratch/log" &
processes+=($!)
await "$scratch/out" http || { cat "$scratch/log"; exit 1; }
address=$(sed 's|.*http://||' "$scratch/out")
operators=$(sed -n 's|.*metrics=\(http://[^ ]*\)/metrics.*|\1|p' "$scratch/log")

# One node is the service. The other one does not exist, so nginx has to ask the next. The certificate is only for this
# test.
read -r port gone < <("$python" -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(s.getsockname()[1] for s in sockets))')
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=earshotd -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$scratch/key.pem" -out "$scratch/certificate.pem" 2>"$scratch/openssl"
temporary=$(for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path $scratch/$kind;"; done | tr '\n' ' ')
sed -e "s|10\.87\.1\.11:8787|$address|; s|10\.87\.1\.12:8787|127.0.0.1:$gone|; s|listen 8443|listen 127.0.0.1:$port|" \
    -e "s|/tmp/|$scratch/|; s|/run/secrets/|$scratch/|; s|^http {|http { $temporary|" "$operation/nginx.conf" >"$scratch/nginx.conf"
check "nginx takes its configuration" nginx -e stderr -t -c "$scratch/nginx.conf"
nginx -e stderr -c "$scratch/nginx.conf" -g 'daemon off;' >"$scratch/nginx" 2>&1 &
processes+=($!)

request() { curl -s --max-time 5 --cacert "$scratch/certificate.pem" "$@"; }
front=https://127.0.0.1:$port
# 000 if there is no answer.
status() { request -o "$scratch/answer" -w '%{http_code}' "$@" || true; }
for _ in {1..100}; do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
    sleep 0.05
done
check "nginx passes requests on" equal "$(for _ in 1 2 3 4; do status "$front/healthz"; done)" 200200200200
check "nginx asks the next node if one is gone" await "$scratch/nginx" 'Connection refused'
check "nginx shows clients no metrics" equal "$(status "$front/metrics")" 404
statuses=$(for client in 2 3 2; do status --interface "127.0.0.$client" -H 'Authorization: Bearer none' "$front/v1/device"; done)
check "the service knows the clients behind nginx" equal "$statuses" 401401429
session=$(request -X POST -H "Authorization: Bearer $key" "$front/v1/devices" |
    "$python" -c 'import json, sys; print(json.load(sys.stdin)["session"])' 2>/dev/null) || true
device=(-H "Authorization: Bearer $session")
check "a report passes nginx" equal "$(status "${device[@]}" -d '{}' "$front/v1/sightings")" 200
request "${device[@]}" -N "$front/v1/events" >"$scratch/events" 2>&1 &
processes+=($!)
check "an event passes nginx at once" await "$scratch/events" 'event: ready'

request "$operators/metrics" >"$scratch/metrics"
check "Prometheus takes the metrics" promtool check metrics <"$scratch/metrics"
check "the metrics have the path of reports" grep -q 'earshot_request_seconds_bucket{path="/v1/sightings"' "$scratch/metrics"
check "the metrics are those of the alerts and the dashboard" ask names "$scratch/metrics"
((failed == 0))
