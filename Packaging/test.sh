#!/usr/bin/env bash
# Installs each package on a fresh Debian, in a container that has neither Swift nor these sources, uses it there, and removes it.
#
#     Packaging/test.sh FOLDER [PART]...      FOLDER has what `make packages` wrote; parts: library modem nearby service tarball
#                                             python npm; all if none is named
#
# The container boots systemd, so a unit runs under its own rules. It has a network of its own: Debian's packages are fetched before
# it starts, and kept in .build/packages/archives for the next time. As root.
set -euo pipefail
cd "$(dirname "$0")/.."

(($# >= 1)) && [[ -d $1 ]] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 64; }
((EUID == 0)) || { echo "$0 needs root" >&2; exit 77; }
packages=$(realpath "$1")
shift
(($#)) || set -- library modem nearby service tarball python npm
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
kept=$PWD/.build/packages
base=$kept/$release.tar
mkdir -p "$kept/archives"

# What the tests use, and nothing that ours need.
tools=(man-db groff-base bash-completion curl gcc g++ libc6-dev pkg-config valgrind python3-venv python3-numpy nodejs dbus-user-session libpam-systemd)
if [[ ! -f $base ]]; then
    echo "Making a fresh $release ..."
    mmdebstrap --quiet --format=tar --variant=apt --include=systemd,systemd-sysv,dbus "$release" "$base.new"
    mv "$base.new" "$base"
fi

root=$(mktemp -d /var/tmp/earshot-root.XXXXXX)
end() {
    umount "$root/var/cache/apt/archives" 2>/dev/null || true
    rm -rf --one-file-system "$root"
}
trap end EXIT

# The published list of parts describes the files that the packages install.
for package in "$packages"/*.deb; do dpkg-deb --extract "$package" "$root/files"; done
Packaging/sbom.py check --all "$packages"/*.spdx.json "$root"/files/usr/bin/{earshot,earshot-messages,earshot-agent,earshotd} \
    "$(find "$root/files/usr/lib" -name 'libearshot.so.*.*' -type f)"
# Some of the files may be checked, but no other one.
Packaging/sbom.py check "$packages"/*.spdx.json "$root/files/usr/bin/earshot" | grep '1 of 5 files'
cp "$root/files/usr/bin/earshot" "$root/files/another"
if Packaging/sbom.py check "$packages"/*.spdx.json "$root/files/another" 2>"$root/files/said" ||
    ! grep 'does not describe another' "$root/files/said"; then
    echo 'Packaging/sbom.py check takes a file that the list does not have' >&2
    exit 1
fi
rm -rf "$root/files"

tar -C "$root" -xpf "$base"
mkdir "$root/packages"
cp "$packages"/* "$root/packages/"
cp Packaging/inside.sh "$root/packages/"
# The C programs, the lines of Python and those of node come from the documents.
mkdir "$root/packages/documents"
cp docs/C.md "$root/packages/documents/"
cp Bindings/python/README.md "$root/packages/documents/python.md"
cp Bindings/web/npm/README.md "$root/packages/documents/npm.md"
cp --remove-destination /etc/resolv.conf "$root/etc/resolv.conf"
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe"

mount --bind "$kept/archives" "$root/var/cache/apt/archives"
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
apt=(apt-get --quiet --quiet --yes --no-install-recommends -o APT::Sandbox::User=root)
echo "Fetching what ours depend on ..."
inside "${apt[@]}" update
(cd "$root" && inside "${apt[@]}" --download-only install "${tools[@]}" $(echo packages/*.deb | sed 's|packages/|/&|g')) >/dev/null

cat >"$root/etc/systemd/system/test-packages.service" <<END
[Unit]
After=multi-user.target dbus.service
SuccessAction=exit
FailureAction=exit
FailureActionExitStatus=1

[Service]
Type=oneshot
Environment=DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
ExecStart=/bin/bash /packages/inside.sh $*
StandardOutput=file:/packages/log
StandardError=file:/packages/log
TimeoutStartSec=20min
END
ln -s ../test-packages.service "$root/etc/systemd/system/multi-user.target.wants/"
status=0
# The archives are those of the machine; what the tests install stays in the container.
systemd-nspawn --quiet --register=no --keep-unit --private-network --bind="$kept/archives:/var/cache/apt/archives" \
    --directory="$root" --boot </dev/null >"$kept/boot.log" 2>&1 || status=$?
cat "$root/packages/log" || tail -n 40 "$kept/boot.log"
exit "$status"
