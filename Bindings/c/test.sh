#!/usr/bin/env bash
# Tests the C interface: its exports, its header, every function, the programs of docs/C.md, and random calls under
# AddressSanitizer.
#
#     Bindings/c/test.sh [part]...      parts: exports header interface programs fuzz; all if none is named
#
# With FFTW=0 the library has no FFTW in it. EARSHOT_FUZZ_CALLS is the number of random calls for each of four seeds (5000; `make test-long`: 30000), EARSHOT_FUZZ_SEED the first seed (1).
set -euo pipefail
cd "$(dirname "$0")/../.."

swift=${SWIFT:-swift}
folder=.build/c
traits=()
if [[ ${FFTW:-1} == 0 ]]; then
    folder=.build/c-without-fftw
    traits=(--disable-default-traits)
fi
staged=$PWD/$folder/staged
header=Sources/Bindings/CEarshot/earshot.h
warnings=(-Wall -Wextra -Werror -pedantic)

fail() {
    echo "test-c: $1" >&2
    exit 1
}

# The C compiler that comes with Swift has the sanitizers that Swift's code needs.
clang() { "$(dirname "$(readlink -f "$(command -v "$swift")")")/clang" "$@"; }

declared() { sed -E 's/^ ?\*.*|^\/\*.*//' $header | grep -oE '\bearshot_[a-z0-9_]+\(' | tr -d '(' | sort -u; }

exports() {
    local library=$staged/lib/libearshot.so exported needed newest
    exported=$(nm -D --extern-only --defined-only "$library" | awk '$2 != "A" {print $3}' | sort)
    [[ $exported == "$(declared | sed 's/$/@@EARSHOT_0.2/')" ]] ||
        fail "the library does not export what the header declares, but:"$'\n'"$exported"
    readelf -d "$library" | grep -q 'SONAME.*\[libearshot\.so\.0\]' || fail "the soname is not libearshot.so.0"
    ! readelf -d "$library" | grep -E 'RPATH|RUNPATH' || fail "the library has a search path of its own"
    needed=$(readelf -d "$library" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' |
        grep -vE '^(libc|libm|libstdc\+\+|libgcc_s|ld-linux-[a-z0-9_-]+)\.so\.[0-9]$' || true)
    [[ -z $needed ]] || echo "The library needs $needed too."
    exported=$(nm --extern-only --defined-only "$staged/lib/libearshot.a" | awk 'NF == 3 {print $3}' | sort)
    [[ $exported == "$(declared)" ]] || fail "the archive does not export what the header declares, but:"$'\n'"$exported"
    newest=$(readelf -V "$library" | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -1)
    [[ $(printf '%s\n' "$newest" GLIBC_2.34 | sort -V | tail -1) == GLIBC_2.34 ]] || fail "the library needs $newest, not GLIBC_2.34"
    echo "exports: $(declared | wc -l) functions, $(stat -Lc %s "$library") bytes"
}

header() {
    local language
    for language in c99 c11 c17; do
        echo '#include <earshot.h>' | gcc -std=$language "${warnings[@]}" -fsyntax-only -I"$staged/include" -x c -
        echo '#include <earshot.h>' | clang -std=$language "${warnings[@]}" -fsyntax-only -I"$staged/include" -x c -
    done
    for language in c++11 c++20; do
        echo '#include <earshot.h>' | g++ -std=$language "${warnings[@]}" -fsyntax-only -I"$staged/include" -x c++ -
    done
    [[ $(awk 'length > 120' $header) == "" ]] || fail "$header has lines of more than 120 characters"
    echo "header: C99, C11, C17, C++11 and C++20"
}

# Compiles a program as users do.
compile() {
    local source=$1 program=$2
    shift 2
    # shellcheck disable=SC2046 # These are several words.
    gcc -O1 "${warnings[@]}" "$@" "$source" -o "$program" -Wl,-rpath,"$staged/lib" \
        $(PKG_CONFIG_PATH=$staged/lib/pkgconfig pkg-config --cflags --libs earshot) -lm
}

interface() {
    compile Tests/Bindings/C/interface.c $folder/interface -std=c11 -pthread
    $folder/interface
}

# The code blocks of docs/C.md whose first line names them.
extract() {
    awk -v name="$1" '/^```c$/ {getline; inside = index($0, "/* " name ":") == 1} /^```$/ {inside = 0} inside' docs/C.md
}

programs() {
    local name heard
    for name in hear say; do
        extract $name.c >$folder/$name.c
        [[ -s $folder/$name.c ]] || fail "docs/C.md has no $name.c"
        compile $folder/$name.c $folder/$name -std=c11
    done
    heard=$(tail -c +45 Fixtures/token-standard-clean.48000.s16.wav | $folder/hear)
    [[ $heard =~ ^0123456789abcdef\ \ 0\.1[0-9]*\ s\ \ standard\ \ SNR\ [0-9.]+\ dB$ ]] || fail "hear printed '$heard'"
    heard=$($folder/say | $folder/hear)
    [[ $heard == "0123456789abcdef  "* ]] || fail "say | hear printed '$heard'"
    # The same with the archive. Nothing is left to report of either under valgrind.
    $folder/say >$folder/said.raw
    # shellcheck disable=SC2046 # These are several words.
    gcc -O1 "${warnings[@]}" -std=c11 $folder/hear.c -o $folder/hear-static \
        $(PKG_CONFIG_PATH=$staged/lib/pkgconfig pkg-config --cflags earshot) "$staged/lib/libearshot.a" -lstdc++ -lm
    ! ldd $folder/hear-static | grep -q libearshot || fail "the program with the archive loads libearshot.so"
    for name in hear hear-static; do
        heard=$(valgrind --quiet --leak-check=full --error-exitcode=1 --suppressions="$staged/share/earshot/valgrind.supp" \
            $folder/$name <$folder/said.raw) || fail "valgrind reports something of $name"
        [[ $heard == "0123456789abcdef  "* ]] || fail "$name printed '$heard' under valgrind"
    done
    echo "programs: hear and say, with both libraries, and under valgrind"
}

fuzz() {
    local scratch=$PWD/$folder-address seed=${EARSHOT_FUZZ_SEED:-1} calls=${EARSHOT_FUZZ_CALLS:-5000} fault log
    "$swift" build -c release --product earshot-c --scratch-path "$scratch" --sanitize address \
        --explicit-target-dependency-import-check error "${traits[@]}"
    clang -std=c11 -O1 -g "${warnings[@]}" -fsanitize=address -fuse-ld=lld -I"$staged/include" Tests/Bindings/C/fuzz.c -o $folder/fuzz \
        -L"$scratch/release" -learshot-c -lm -Wl,-rpath,"$scratch/release"
    # First the sanitizer has to report planted faults: one that misses these proves nothing.
    log=$folder/fuzz.log
    for fault in overflow overwrite use-after-destroy; do
        if $folder/fuzz plant $fault >$log 2>&1 || ! grep -q 'ERROR: AddressSanitizer: heap-' $log; then
            tail -n 40 $log >&2
            fail "the planted fault '$fault' was not reported"
        fi
        echo "The sanitizer found the planted fault '$fault'."
    done
    for ((i = 0; i < 4; i++)); do
        $folder/fuzz $((seed + i)) "$calls"
    done
}

mkdir -p $folder
PREFIX=$staged Bindings/c/library.sh "$staged"
(($#)) || set -- exports header interface programs fuzz
for part; do
    case $part in
    exports | header | interface | programs | fuzz) $part ;;
    *)
        echo "usage: $0 [exports|header|interface|programs|fuzz]..." >&2
        exit 64
        ;;
    esac
done
