#!/usr/bin/env bash
# Builds the web page: the modem as WebAssembly, and the files of Bindings/web without their tests.
#
#     Bindings/web/page.sh [FOLDER]        FOLDER: .build/web/page
set -euo pipefail
cd "$(dirname "$0")/../.."

swift=${SWIFT:-swift}
scratch=.build/web
folder=${1:-$scratch/page}
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v "$swift")")")")
# Where Debian's wasi-libc lies.
headers=${WASI_HEADERS:-/usr/include/wasm32-wasi}
libraries=${WASI_LIBRARIES:-/usr/lib/wasm32-wasi}
unicode=$toolchain/lib/swift/embedded/wasm32-unknown-none-wasm/libswiftUnicodeDataTables.a

[[ -f $libraries/libc.a ]] || { echo "wasi-libc is missing: scripts/install-dependencies.sh web" >&2; exit 69; }
command -v wasm-opt >/dev/null || { echo "wasm-opt (binaryen) is missing: scripts/install-dependencies.sh web" >&2; exit 69; }
[[ -f $unicode ]] || { echo "This Swift has no Embedded Swift for WebAssembly: 6.3 or later is needed" >&2; exit 69; }

# What the module exports: all functions of earshot.h, those of Sources/Bindings/EarshotWeb, and the memory's.
mapfile -t exports < <(
    sed -nE 's/^ +(earshot_[a-z0-9_]+);$/\1/p' Sources/Bindings/CEarshot/earshot.map
    printf '%s\n' earshot_tones malloc free
)

json() { printf '"%s",' "$@" | sed 's/,$//'; }

mkdir -p $scratch
cat >$scratch/toolset.json <<END
{
    "schemaVersion": "1.0",
    "swiftCompiler": {"extraCLIOptions": [$(json \
    -enable-experimental-feature Embedded -wmo -Xfrontend -disable-stack-protector \
    -Xclang-linker -nodefaultlibs -Xclang-linker -nostdlib -Xcc -isystem -Xcc "$headers")]},
    "cCompiler": {"extraCLIOptions": [$(json \
    -isystem "$headers" -msimd128 -mbulk-memory -mnontrapping-fptoint)]},
    "linker": {"extraCLIOptions": [$(json \
    --no-entry --gc-sections "${exports[@]/#/--export=}" \
    --strip-all -z stack-size=1048576 --stack-first "-L$libraries" -lc "$unicode")]}
}
END

EARSHOT_WEB=1 "$swift" build -c release --triple wasm32-unknown-none-wasm --toolset $scratch/toolset.json \
    --product EarshotWeb --scratch-path $scratch --disable-default-traits \
    --explicit-target-dependency-import-check error

rm -rf "$folder"
mkdir -p "$folder"
# LLVM optimizes each of our modules; this optimizes all of them together. It makes the file a tenth smaller, and the modem a fifth faster.
# Without the limit it makes functions of 50 KB, whose compilation in the browser takes 0.2 s more.
wasm-opt -O3 --one-caller-inline-max-function-size=300 --enable-simd --enable-bulk-memory \
    --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals \
    $scratch/release/EarshotWeb.wasm -o "$folder/earshot.wasm"
chmod 644 "$folder/earshot.wasm"
install -m 644 Bindings/web/*.{html,css,js,ts,svg,png,webmanifest} "$folder/"
echo "$folder/earshot.wasm: $(stat -c %s "$folder/earshot.wasm") bytes, $(gzip -9c "$folder/earshot.wasm" | wc -c) compressed"
