#!/usr/bin/env bash
# Connects 2,000 clients to a SimplePush server on loopback, over TLS, and reports delivery, memory and processor time.
#
#     Samples/SimplePush/load.sh [CLIENTS] [TEXTS_PER_SECOND] [SECONDS]
#
# SIMPLEPUSH is the folder of the programs, Samples/SimplePush/.build/release by default.
set -euo pipefail
cd "$(dirname "$0")/../.."

clients=${1:-2000}
rate=${2:-200}
seconds=${3:-30}
programs=${SIMPLEPUSH:-Samples/SimplePush/.build/release}
for program in simplepush-server simplepush-load; do
    [[ -x $programs/$program ]] || {
        echo "$programs/$program is not there. Build it: swift build --package-path Samples/SimplePush -c release --product $program" >&2
        exit 69
    }
done

scratch=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$scratch"' EXIT

(umask 077 && "$programs/simplepush-server" secret >"$scratch/secret")
"$programs/simplepush-server" run --host 127.0.0.1 --port 0 --secret-file "$scratch/secret" \
    --database "$scratch/simplepush.sqlite" --log-level warning --json >"$scratch/out" &
server=$!
until grep -q listening "$scratch/out"; do
    kill -0 "$server" 2>/dev/null || exit 69
    sleep 0.1
done
port=$(sed 's/.*"port":\([0-9]*\).*/\1/' "$scratch/out")

"$programs/simplepush-load" --port "$port" --secret-file "$scratch/secret" --server-pid "$server" \
    --clients "$clients" --rate "$rate" --seconds "$seconds"
ls -l "$scratch/simplepush.sqlite"* | awk '{print $5, "bytes", $9}' | sed "s|$scratch/||"
