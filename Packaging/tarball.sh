#!/usr/bin/env bash
# Packs the installed programs, their manual, completions and units, for /usr/local of any Linux with glibc.
#
#     Packaging/tarball.sh INSTALLED FOLDER
#
# INSTALLED has the files, with PREFIX=/usr. debian.sh ran before: it found whose code is in them, and which libraries they need.
set -euo pipefail
cd "$(dirname "$0")/.."

(($# == 2)) || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 64; }
installed=$1
packages=$2
debian=.build/packages/debian/debian
name=earshot-$(Packaging/version.sh)-linux-$(uname -m)
work=.build/packages/tarball

rm -rf "$work"
mkdir -p "$work/$name/share/doc/earshot/licences" "$work/$name/lib"
cp -a "$installed/usr/bin" "$installed/usr/share" "$work/$name/"
rm -rf "$work/$name/share/earshot"
cp -a "$installed/usr/lib/systemd" "$work/$name/lib/"
sed -i 's|/usr/bin/earshot|/usr/local/bin/earshot|' "$work/$name"/lib/systemd/{user,system}/*.service
for package in earshot earshot-nearby earshotd; do
    cp "$debian/$package.copyright" "$work/$name/share/doc/earshot/licences/$package"
done
cp LICENSE "$work/$name/share/doc/earshot/licences/Apache-2.0"
cp /usr/share/common-licenses/GPL-2 "$work/$name/share/doc/earshot/licences/"

# The libraries that are not in the programs, without those that every Debian has.
needs() { sed -n 's/^shlibs:Depends=//p' "$debian/$1.substvars" | sed -E 's/ \([^)]*\)//g; s/, /\n/g' | grep -vxE 'libc6|libgcc-s1|libstdc\+\+6'; }
glibc=$(sed -n 's/^shlibs:Depends=.*libc6 (>= \([0-9.]*\)).*/\1/p' "$debian"/earshot{,-nearby,d}.substvars | sort -V | tail -1)
# In the folder of documents, so that unpacking puts nothing strange into /usr/local.
cat >"$work/$name/share/doc/earshot/INSTALL" <<END
Unpack this into /usr/local, as root:

    tar -xzf $name.tar.gz -C /usr/local --strip-components=1

The programs need glibc $glibc or later, libstdc++, and on Debian and Ubuntu:

    apt install $( (needs earshot && needs earshot-nearby && needs earshotd) | sort -u | xargs)

of which the modem alone needs $(needs earshot | xargs). Swift is not needed. To remove all again:

    tar -tzf $name.tar.gz | grep -v '/$' | sed 's|^[^/]*/|/usr/local/|' | xargs rm -f
    rmdir /usr/local/share/doc/earshot/licences /usr/local/share/doc/earshot
END
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" \
    -cf - "$name" | gzip -9n >"$packages/$name.tar.gz"
