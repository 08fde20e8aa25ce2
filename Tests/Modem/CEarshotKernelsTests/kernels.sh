#!/usr/bin/env bash
# Compares every form of the C kernels with slow twins: those that this processor runs, and the plain one as aarch64 code
# under qemu. All kernels must compile for aarch64.
set -euo pipefail
cd "$(dirname "$0")/../../.."

folder=.build/kernels
sources=(Sources/Modem/CEarshotKernels/*.c)
options=(-std=gnu17 -O2 -Wall -Wextra -Werror -ISources/Modem/CEarshotKernels/include)
mkdir -p "$folder"

# The C compiler that comes with Swift, which compiles the kernels.
swift_clang() { "$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")/clang" "$@"; }

echo "$(uname -m):"
swift_clang "${options[@]}" Tests/Modem/CEarshotKernelsTests/kernels.c "${sources[@]}" -lm -o "$folder/native"
"$folder/native"
echo "aarch64, under qemu:"
aarch64-linux-gnu-gcc "${options[@]}" -static Tests/Modem/CEarshotKernelsTests/kernels.c "${sources[@]}" -lm -o "$folder/aarch64"
qemu-aarch64 "$folder/aarch64"
