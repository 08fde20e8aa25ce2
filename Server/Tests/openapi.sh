#!/usr/bin/env bash
# Compares the OpenAPI document with a running service: schemathesis sends requests that the document allows, and some that it
# forbids, and compares the answers with it. It takes about a minute.
#
#     Server/Tests/openapi.sh [EARSHOTD] [EXAMPLES]
#
# EXAMPLES is the number of random requests for each operation; the others are the same each time. schemathesis comes from PyPI into a
# virtual environment in .build/schemathesis.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

earshotd=${1:-$root/Server/.build/release/earshotd}
examples=${2:-50}
environment=$root/.build/schemathesis
requirements=$root/Server/Tests/requirements.txt

if [[ ! -x $environment/bin/schemathesis || $requirements -nt $environment/bin/schemathesis ]]; then
    python3 -c 'import ensurepip, venv' || { echo "$0 needs Debian's python3-venv; install it first" >&2; exit 69; }
    python3 -m venv "$environment"
    "$environment/bin/pip" install -q --disable-pip-version-check -r "$requirements"
    touch "$environment/bin/schemathesis"
fi

scratch=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$scratch"' EXIT
database=$scratch/earshotd.sqlite
"$earshotd" project create demo --open --database "$database" >/dev/null
key=$("$earshotd" key create demo --database "$database" 2>/dev/null)
owner=$("$earshotd" key create demo --owner --database "$database" 2>/dev/null)
: >"$scratch/out"
"$earshotd" serve --port 0 --no-operations --database "$database" --log-level warning --device-rate 1000000 --key-rate 1000000 \
    --session-rate 1000000 --address-failure-rate 1000000 --publications-per-device 1000000 --subscriptions-per-device 1000000 \
    --publications-per-key 1000000 --subscriptions-per-key 1000000 >"$scratch/out" &
server=$!
until grep -q http "$scratch/out"; do sleep 0.1; done
base=$(sed 's/.* //' "$scratch/out")
session=$(python3 - "$base" "$key" <<'SESSION'
import json, sys, urllib.request
request = urllib.request.Request(sys.argv[1] + "/v1/devices", b"", {"Authorization": "Bearer " + sys.argv[2]})
print(json.load(urllib.request.urlopen(request))["session"])
SESSION
)

failed=0
# name, credentials, selection
compare() {
    local name=$1 bearer=$2
    shift 2
    cd "$scratch"
    if ! "$environment/bin/schemathesis" run "$base/v1/openapi.json" --phases examples,coverage,fuzzing --max-examples "$examples" \
        --seed 1 --continue-on-failure --suppress-health-check all --warnings off -H "Authorization: Bearer $bearer" "$@" \
        >"$scratch/report"; then
        cat "$scratch/report"
        failed=1
    fi
    echo "$name: $(grep -E '^ +[0-9]+ generated' "$scratch/report" || echo 'no requests')"
}

# The stream of events is left out because it does not end. The path that ends a session comes last. HTTPTests covers wrong methods and
# missing credentials.
checks=(--exclude-checks "unsupported_method,ignored_auth")
compare "for anyone" none "${checks[@]}" --include-path /healthz --include-path /v1/openapi.json
compare "with a key" "$key" "${checks[@]}" --include-path /v1/devices
compare "with an owner's key" "$owner" "${checks[@]}" --include-path-regex '^/v1/(beacons|attachments|namespaces)'
compare "with a session" "$session" "${checks[@]}" \
    --include-path-regex '^/v1/(publications|subscriptions|sightings|lookups)'
compare "with a session that ends" "$session" "${checks[@]}" --include-path /v1/device
((failed == 0))
