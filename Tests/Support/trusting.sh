#!/usr/bin/env bash
# Runs a command on a machine that trusts a new certificate for localhost: in a mount namespace of its own, so that the machine's own list
# of authorities stays as it is.
#
#     Tests/Support/trusting.sh COMMAND...
#
# The command finds certificate.pem and key.pem in the folder that EARSHOT_TLS names. Without user namespaces it does not run.
set -euo pipefail

(($#)) || { echo "usage: $0 COMMAND..." >&2; exit 64; }
authorities=/etc/ssl/certs/ca-certificates.crt
unshare --map-root-user --mount true 2>/dev/null || { echo "$0: no user namespaces here, so not run: $*" >&2; exit 0; }
EARSHOT_TLS=$(mktemp -d)
export EARSHOT_TLS
trap 'rm -rf "$EARSHOT_TLS"' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$EARSHOT_TLS/key.pem" -out "$EARSHOT_TLS/certificate.pem" 2>"$EARSHOT_TLS/openssl" || { cat "$EARSHOT_TLS/openssl" >&2; exit 1; }
cat "$authorities" "$EARSHOT_TLS/certificate.pem" >"$EARSHOT_TLS/authorities"
unshare --map-root-user --mount bash -c 'mount --bind "$EARSHOT_TLS/authorities" "$0" && exec "$@"' "$authorities" "$@"
