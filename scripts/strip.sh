#!/usr/bin/env bash
# Strips a program or a library; `install -s` runs it in place of strip.
#
#     scripts/strip.sh FILE
#
# Swift's compiler leaves hashes of the modules for its next build (.swift_modhash), which depend on the folder of the build. This script
# sets them to zero. It does not remove the section, because binutils would then leave out the segment of read-only relocations.
set -euo pipefail

strip "$1"
size=$(readelf -SW "$1" | sed -nE 's/.* \.swift_modhash +PROGBITS +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) .*/\1/p')
if [[ -n $size ]]; then
    zeros=$(mktemp)
    trap 'rm -f "$zeros"' EXIT
    head -c "$((16#$size))" /dev/zero >"$zeros"
    objcopy --update-section .swift_modhash="$zeros" "$1"
fi
