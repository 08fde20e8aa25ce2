#!/usr/bin/env bash
# Builds the container of Server/Operation/Containerfile from an installed service, runs it, and asks it.
#
#     Server/Operation/container.sh STAGING
#
# STAGING is what `make install-server DESTDIR=STAGING` wrote. The base image is made of Debian's packages, so this needs no registry
# of images. As root: without root the kernel refuses the folders of other users in the image.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

[[ $# == 1 && -x $1/usr/local/bin/earshotd ]] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 64; }
((EUID == 0)) || { echo "$0 needs root" >&2; exit 77; }
staging=$1
scratch=$(mktemp -d)
container=
export BUILDAH_ISOLATION=chroot
# Nothing of the machine's own images is used or changed.
buildah() { command buildah --root "$scratch/images" --runroot "$scratch/run" --storage-driver vfs "$@"; }
end() {
    [[ -z $container ]] || buildah rm "$container" >/dev/null
    rm -rf "$scratch"
}
trap end EXIT
failed=0
check() {
    local name=$1
    shift
    if "$@"; then echo "pass  $name"; else echo "FAIL  $name"; failed=1; fi
}

release=$(sed -n 's/^FROM debian:\([0-9]*\)-slim$/\1/p' "$root/Server/Operation/Containerfile")
case $release in 12) name=bookworm ;; *) echo "$0 does not know Debian $release" >&2; exit 69 ;; esac
echo "Making debian:$release-slim of Debian's packages ..."
mmdebstrap --quiet --variant=minbase "$name" "$scratch/base.tar"
base=$(buildah from scratch)
buildah add --quiet "$base" "$scratch/base.tar" / >/dev/null
buildah commit --quiet "$base" "docker.io/library/debian:$release-slim" >/dev/null
buildah rm "$base" >/dev/null
echo "Building the image ..."
buildah build --quiet --pull-never --file "$root/Server/Operation/Containerfile" --tag earshotd "$staging" >/dev/null
container=$(buildah from --pull-never earshotd)

inside() { buildah run --user earshotd "$container" -- /usr/local/bin/earshotd "$@"; }
check "it says its version" test "$(inside --version)" = "$("$staging/usr/local/bin/earshotd" --version)"
check "it runs as a user of its own" test "$(buildah run "$container" -- id -un)" = earshotd
check "every library is there" bash -c '! grep -q "not found"' <<<"$(buildah run "$container" -- ldd /usr/local/bin/earshotd)"
inside project create demo --open >/dev/null
key=$(inside key create demo --name phones 2>/dev/null)

# chroot isolation shares the machine's network, so the service takes a free port here.
buildah run --user earshotd "$container" -- /usr/local/bin/earshotd serve --host 127.0.0.1 --port 0 --no-operations >"$scratch/out" 2>"$scratch/err" &
server=$!
for _ in {1..100}; do
    grep -q http "$scratch/out" && break
    sleep 0.1
done
address=$(sed 's/.* //' "$scratch/out")
check "it answers" curl -fsS --max-time 10 -o "$scratch/health" "$address/healthz"
check "a device opens a session" curl -fsS --max-time 10 -o "$scratch/session" -X POST -H "Authorization: Bearer $key" "$address/v1/devices"
# The whole command line: buildah's own has the service's in it.
pkill -TERM -x -f "/usr/local/bin/earshotd serve --host 127.0.0.1 --port 0 --no-operations"
status=0
wait "$server" || status=$?
check "SIGTERM ends it in order" test "$status" = 0
((failed == 0))
