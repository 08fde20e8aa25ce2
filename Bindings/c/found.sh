#!/usr/bin/env bash
# Tells the loader of an installed libearshot.so, or else says what programs then need.
#
#     Bindings/c/found.sh LIBDIR
set -euo pipefail

ldconfig 2>/dev/null || true
found=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | sed -n 's/^\s*libearshot\.so\.0 .*=> //p')
if ! grep -qxF "$1/libearshot.so.0" <<<"$found"; then
    echo "The loader does not look into $1 (as root, ldconfig may change that). Link your programs so that they do:"
    echo "    export PKG_CONFIG_PATH=$1/pkgconfig"
    echo "    cc hear.c -o hear \$(pkg-config --cflags --libs earshot) -Wl,-rpath,\$(pkg-config --variable=libdir earshot)"
fi
