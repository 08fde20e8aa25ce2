#!/usr/bin/env bash
# Packs the modules of the web page, without the demo, for npm: .build/npm/earshot-VERSION.tgz
#
#     Bindings/web/npm.sh PAGE      PAGE is the page that page.sh built
set -euo pipefail
cd "$(dirname "$0")/../.."

(($# == 1)) || { echo "usage: $0 PAGE" >&2; exit 64; }
page=$1
folder=.build/npm
rm -rf $folder
mkdir -p $folder/package
# The library is what its three modules import, and what these start by name.
cp "$page"/*.js "$page"/{earshot,modem,messages}.d.ts "$page/earshot.wasm" $folder/package/
rm -f $folder/package/{demo*,waterfall,service-worker}.js
cp Bindings/web/npm/* LICENSE $folder/package/
{
    echo "earshot.wasm has code of others in it:"
    echo
    echo "Swift's standard library, copyright 2014-2026 Apple Inc. and the Swift project authors,"
    echo "and swift-numerics, copyright 2019-2026 Apple Inc. and the Swift Numerics project authors:"
    echo "Apache License 2.0 with Runtime Library Exception."
    echo
    echo "wasi-libc:"
    echo
    cat /usr/share/doc/wasi-libc/copyright
} >$folder/package/NOTICE
(cd $folder/package && npm pack --silent --pack-destination .. >/dev/null)
echo "$folder/$(basename $folder/*.tgz)"
