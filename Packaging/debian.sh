#!/usr/bin/env bash
# Builds the Debian packages, for this machine's architecture, of what `make install-…` has installed into a folder.
#
#     Packaging/debian.sh INSTALLED BUILD FOLDER
#
# INSTALLED has the files, with PREFIX=/usr; BUILD is SwiftPM's folder of the programs, and SERVER_BUILD that of the service
# (Server/.build/standalone): they say whose code is in them. The packages go to FOLDER. DEBFULLNAME and DEBEMAIL say who
# maintains the packages.
set -euo pipefail
cd "$(dirname "$0")/.."

(($# == 3)) || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 64; }
installed=$1
built=$2
mkdir -p "$3"
packages=$(realpath "$3")
server=${SERVER_BUILD:-Server/.build/standalone}
work=$PWD/.build/packages/debian
version=$(Packaging/version.sh)
maintainer="${DEBFULLNAME:-Earshot contributors} <${DEBEMAIL:-earshot@localhost}>"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

rm -rf "$work"
mkdir -p "$work/debian"
cp CHANGELOG.md README.md SECURITY.md CONTRIBUTING.md "$work"
cp -r docs "$work"
# What the installed pages link to is installed too, or the link leads to where Debian has it.
mkdir -p "$work/Bindings/python" "$work/Bindings/web" "$work/Samples/Page" "$work/service"
cp Bindings/python/README.md "$work/Bindings/python"
cp Bindings/web/*.d.ts "$work/Bindings/web"
cp Samples/Page/index.html "$work/Samples/Page"
sed -i 's|](CHANGELOG.md)|](changelog.gz)|; s|](LICENSE)|](copyright)|' "$work"/{README,CONTRIBUTING}.md
sed -i 's|\[earshot.h\]([^)]*)|`/usr/include/earshot.h`|' "$work/docs/C.md"
sed -i 's|\[[^]]*\](\.\./Benchmarks/Reference/service/reference.py)|`Benchmarks/Reference/service/reference.py`|' "$work/docs/BENCHMARKS.md"
sed 's|](\([A-Z]*\.md\)|](../earshot/docs/\1|g' docs/SERVICE.md >"$work/service/SERVICE.md"
sed 's|](docs/SERVICE.md|](SERVICE.md|g; s|](docs/|](../earshot/docs/|g' SECURITY.md >"$work/service/SECURITY.md"
cp Packaging/debian/* "$work/debian"
cd "$work/debian"
sed -i "s|@MAINTAINER@|$maintainer|" control
cat >changelog <<END
earshot ($version-1) unstable; urgency=medium

  * Version $version. What changed is in changelog.gz.

 -- $maintainer  $(LC_ALL=C date -Ru -d "@$SOURCE_DATE_EPOCH")
END
cd - >/dev/null

cp -a "$installed" "$work/debian/tmp"
cd "$work/debian"
mkdir -p tmp/etc/earshotd
mv environment earshotd.conf tmp/etc/earshotd/
# The service's user is one of the machine: the operator's commands run as it, and PostgreSQL knows it. All else that DynamicUser=
# means, the unit says by itself, but for this.
sed -i 's/^DynamicUser=yes$/RemoveIPC=yes/' tmp/usr/lib/systemd/system/earshotd.service
cd - >/dev/null
# Older debhelpers look for units of the system in /lib only.
if dpkg --compare-versions "$(dpkg-query -W -f='${Version}' debhelper)" lt 13.11.6; then
    sed -i 's|^usr/lib/systemd/system$|& lib/systemd|' "$work/debian/earshotd.install"
fi
install -D -m 644 -t "$work/examples" Server/Operation/{nginx.conf,prometheus.yaml,alerts.yaml,alerts.test.yaml,dashboard.json,postgres.sql,compose.yaml}

licences() { Packaging/licences.py "$2" "${@:3}" >"$work/debian/$1.copyright"; }
licences earshot "$built" earshot
licences earshot-nearby "$built" earshot-messages earshot-agent
licences earshotd "$server" earshotd
licences libearshot0 "$built" earshot-c
cp "$work/debian/libearshot0.copyright" "$work/debian/libearshot-dev.copyright"

cd "$work"
# Programs are stripped by `install`; without root the files are root's all the same.
DEB_BUILD_OPTIONS="noautodbgsym parallel=$(nproc)" DEB_RULES_REQUIRES_ROOT=no PACKAGES=$packages \
    debian/rules binary >build.log 2>&1 || { tail -n 40 build.log >&2; exit 1; }
grep -E '^dpkg-(shlibdeps|gencontrol): (warning|error)' build.log >&2 || true
checks=(--tag-display-limit 0 --allow-root --fail-on error)
[[ -n ${DEBEMAIL:-} ]] || checks+=(--suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog)
lintian "${checks[@]}" "$packages"/*.deb >lintian 2>&1 || { cat lintian >&2; exit 1; }
echo "lintian: no errors, $(grep -c '^W:' lintian) warnings"
