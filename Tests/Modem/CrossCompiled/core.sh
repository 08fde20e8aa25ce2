#!/usr/bin/env bash
# Compiles the modem for other systems in the way of the web page's module: in Embedded Swift, without FFTW.
#
#     Tests/Modem/CrossCompiled/core.sh linux     aarch64 Linux: linked, and run under qemu against vectors and fixtures
#     Tests/Modem/CrossCompiled/core.sh darwin    objects for Apple's processors, which nothing here can run
#
# Swift's toolchain for Linux has no standard library for other systems, but it has that of
# Embedded Swift for many processors.
set -euo pipefail
cd "$(dirname "$0")/../../.."

swift=${SWIFT:-swift}
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v "$swift")")")")
embedded=$toolchain/lib/swift/embedded
folder=.build/cross
mkdir -p $folder/headers

# Builds a target: TRIPLE FOLDER TARGET HEADERS, and options for C.
build() {
    local triple=$1 scratch=$2 target=$3 headers=$4
    shift 4
    [[ -e $embedded/Swift.swiftmodule/$triple.swiftmodule ]] ||
        { echo "This Swift has no Embedded Swift for $triple: 6.3 or later is needed" >&2; exit 69; }
    local swift_options=(-enable-experimental-feature Embedded -wmo -Xfrontend -disable-stack-protector)
    local c_options=("$@" -isystem "$headers") option
    for option in "${c_options[@]}"; do swift_options+=(-Xcc "$option"); done
    json() { printf '"%s",' "$@" | sed 's/,$//'; }
    # SwiftPM asks for Apple's libtool, which is not available here. Any librarian will do, because nothing is archived.
    cat >$scratch.json <<END
{
    "schemaVersion": "1.0",
    "swiftCompiler": {"extraCLIOptions": [$(json "${swift_options[@]}")]},
    "cCompiler": {"extraCLIOptions": [$(json "${c_options[@]}")]},
    "librarian": {"path": "$toolchain/bin/llvm-ar"}
}
END
    EARSHOT_WEB=1 "$swift" build -c release --triple "$triple" --toolset $scratch.json --target "$target" \
        --scratch-path $scratch --disable-default-traits --explicit-target-dependency-import-check error
}

linux() {
    local scratch=$folder/aarch64
    build aarch64-none-none-elf $scratch EarshotWeb /usr/aarch64-linux-gnu/include
    local objects
    mapfile -t objects < <(find $scratch/release/ -name '*.o' ! -path '*/EarshotWeb.build/main.swift.o')
    # The program's main function is the test's, so the one of the web module is renamed.
    aarch64-linux-gnu-objcopy --redefine-sym main=earshot_web_main \
        $scratch/release/EarshotWeb.build/main.swift.o $folder/web-main.o
    # lld links, because GNU's linker cannot copy the protected symbols of Embedded Swift.
    aarch64-linux-gnu-gcc -std=gnu17 -O2 -Wall -Wextra -Werror -ISources/Bindings/CEarshot \
        -B"$toolchain/bin" -fuse-ld=lld -static Tests/Modem/CrossCompiled/core.c "${objects[@]}" $folder/web-main.o \
        "$embedded/aarch64-none-none-elf/libswiftUnicodeDataTables.a" -lm -o $folder/core
    python3 Tests/Modem/CrossCompiled/list.py $folder
    echo "the modem as aarch64 code, under qemu:"
    qemu-aarch64 $folder/core $folder/list.txt
}

darwin() {
    # The functions of a C library that the kernels use, as Darwin declares them.
    cat >$folder/headers/string.h <<'END'
#include <stddef.h>
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
END
    local triple source
    for triple in arm64-apple-macosx13 x86_64-apple-macosx13; do
        for source in Sources/Modem/CEarshotKernels/*.c; do
            "$toolchain/bin/clang" -target $triple -std=gnu17 -O2 -ffreestanding -Wall -Wextra -Werror \
                -isystem $folder/headers -ISources/Modem/CEarshotKernels/include -c "$source" -o $folder/kernel.o
        done
        echo "the C kernels compile for $triple"
    done
    build arm64-apple-none-macho $folder/darwin EarshotC "$PWD/$folder/headers" -ffreestanding
    echo "the modem compiles for arm64-apple-none-macho"
}

case ${1:-} in
linux) linux ;;
darwin) darwin ;;
*) echo "usage: $0 linux|darwin" >&2; exit 64 ;;
esac
