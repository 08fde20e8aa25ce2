#!/usr/bin/env bash
# Measures a service on SQLite whose devices keep their event streams open, as our clients do: memory a stream, and processor time of those
# that stay.
#
#     Server/Benchmarks/streams.sh [--tls] [EARSHOTD] [DEVICES] [SECONDS] [SENDERS]
#
# With --tls, all connections use TLS.
set -euo pipefail
tls=
[[ ${1:-} != --tls ]] || { tls=--tls && shift; }
root=$(cd "$(dirname "$0")/../.." && pwd)
earshotd=${1:-$root/Server/.build/release/earshotd}
devices=${2:-18500}
seconds=${3:-60}

# The load and the service each take one descriptor for each stream.
ulimit -n $((devices + 1000))
scratch=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$scratch"' EXIT
database=$scratch/devices.sqlite
"$earshotd" project create load --open --database "$database" >/dev/null
for key in {1..10}; do "$earshotd" key create load --name "$key" --database "$database" >/dev/null 2>&1; done
python3 "$root/Server/Benchmarks/fill.py" "$database" "$devices"
options=()
if [[ -n $tls ]]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost \
        -keyout "$scratch/key.pem" -out "$scratch/cert.pem" 2>/dev/null
    options=(--tls-certificate "$scratch/cert.pem" --tls-key "$scratch/key.pem")
fi
"$earshotd" serve --port 0 --operations-port 0 --database "$database" --log-level warning --connections $((devices + 500)) \
    --connections-per-address $((devices + 500)) --device-rate 1000000 --key-rate 1000000 "${options[@]}" >"$scratch/out" &
server=$!
until grep -q http "$scratch/out"; do sleep 0.1; done
echo "| phase | requests | processor | memory |"
echo "|---|---|---|---|"
python3 "$root/Server/Benchmarks/streams.py" $tls "$(sed 's/.*://' "$scratch/out")" "$server" "$devices" "$seconds" 100 10 ${4:+"$4"}
