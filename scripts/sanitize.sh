#!/usr/bin/env bash
# Runs the tests of what has threads and raw memory, the devices and those who listen to them, under ThreadSanitizer
# and AddressSanitizer.
#
#     scripts/sanitize.sh [thread|address]...
#
# Faults that are planted have to be reported first: a sanitizer that does not find these proves nothing.
# Optimized like all tests, because the receiver has to keep up with the sound card.
set -euo pipefail
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
# Package.swift leaves the rest out.
export EARSHOT_LIVE_PARTS_ONLY=1
log=$(mktemp)
trap 'rm -f "$log"' EXIT

build() {
    "$swift" build --build-tests --disable-xctest -c release -Xswiftc -enable-testing --sanitize "$sanitizer" \
        --scratch-path "$folder" --explicit-target-dependency-import-check error
    [[ $sanitizer == address ]] || "$(clang)" -O1 -shared -fPIC -o "$folder/tsan-mutex.so" Tests/tsan-mutex.c -ldl
}

# The compiler for C that comes with Swift: it knows how Swift calls functions.
clang() { echo "$(dirname "$(readlink -f "$(command -v "$swift")")")/clang"; }

# Not by 'swift test', which would have to live with what is preloaded.
run() {
    local environment=(ASAN_OPTIONS=detect_leaks=0)
    # What Swift's runtime and ALSA keep to the end is no fault; files that are open and threads are counted by a test.
    [[ $sanitizer == address ]] || environment=(
        LD_PRELOAD="$PWD/$folder/tsan-mutex.so" TSAN_OPTIONS="suppressions=$PWD/Tests/tsan-suppressions.txt"
    )
    env "${environment[@]}" "$folder/release/earshotPackageTests.xctest" --testing-library swift-testing \
        --filter "$1" </dev/null
}

# A fault, and what the report of it says.
expect_report() {
    local fault=$1 report=$2
    if EARSHOT_PLANTED_FAULT=$fault run PlantedFaultTests >"$log" 2>&1 || ! grep -qF "$report" "$log"; then
        tail -n 40 "$log" >&2
        echo "sanitize: the planted fault '$fault' was not reported" >&2
        exit 1
    fi
    echo "The planted fault '$fault' is found."
}

(($#)) || set -- thread address
for sanitizer; do
    folder=.build/$sanitizer
    case $sanitizer in
    thread)
        build
        expect_report race 'WARNING: ThreadSanitizer: data race'
        ;;
    address)
        build
        expect_report overflow 'ERROR: AddressSanitizer: heap-buffer-overflow'
        expect_report use-after-free 'ERROR: AddressSanitizer: heap-use-after-free'
        ;;
    *)
        echo "usage: $0 [thread|address]..." >&2
        exit 64
        ;;
    esac
    run '^(EarshotAudioTests|EarshotLiveTests)\.'
done
