#!/usr/bin/env bash
# Looks for bytes that break a parser, with libFuzzer and AddressSanitizer.
#
#     Tests/Fuzz/fuzz.sh run TARGET|all SECONDS      the time for each target
#     Tests/Fuzz/fuzz.sh keep TARGET|all             keeps few, short inputs with all coverage in Fixtures/Fuzz/TARGET
#     Tests/Fuzz/fuzz.sh coverage TARGET|all         the lines that the kept inputs reach, by file
#
# `FuzzTarget` lists the targets. Inputs that break something are in .build/fuzz/findings; `run` starts with the inputs
# of earlier runs (.build/fuzz/inputs).
set -euo pipefail
cd "$(dirname "$0")/../.."

swift=${SWIFT:-swift}
folder=$PWD/.build/fuzz
tools=$(dirname "$(readlink -f "$(command -v "$swift")")")
export EARSHOT_FUZZER=1
# A crash ends the process at once: Swift's own backtrace would wait for a terminal.
export SWIFT_BACKTRACE=enable=no
# OpenSSL and Foundation hold some memory until the process ends.
export ASAN_OPTIONS=detect_leaks=1:symbolize=1 ASAN_SYMBOLIZER_PATH=$tools/llvm-symbolizer

usage() {
    sed -n '4,6s/^# \{0,5\}//p' "$0" >&2
    exit 64
}

build() {
    "$swift" build -c release --product fuzzer --sanitize fuzzer --sanitize address --scratch-path "$folder/build" \
        --explicit-target-dependency-import-check error -Xswiftc -enable-testing 2>&1 | { grep -v 'Cannot export local symbol' || true; }
}

targets() {
    if [[ $1 == all ]]; then
        sed -nE 's/^    case ([a-zA-Z]+)$/\1/p' Tests/Fuzz/FuzzTargets/FuzzTarget.swift
    else
        echo "$1"
    fi
}

fuzzer() { EARSHOT_FUZZ_TARGET=$target "$folder/build/release/fuzzer" "$@"; }

run() {
    local status=0
    for target in $(targets "$1"); do
        mkdir -p "$folder/inputs/$target" "$folder/findings"
        # An input that takes a second would hang a program; the sanitizer makes the receiver forty times slower.
        local limit=2
        [[ $target != receiver ]] || limit=40
        # The limit is in seconds of the clock: LIMIT is for a machine that does other work too. Inputs above the limit of two
        # seconds are in findings all the same, as slow-unit.
        limit=${LIMIT:-$limit}
        fuzzer -max_total_time="$2" -timeout=$limit -report_slow_units=2 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 -verbosity=0 \
            -artifact_prefix="$folder/findings/$target-" "$folder/inputs/$target" "Fixtures/Fuzz/$target" \
            </dev/null >"$folder/$target.log" 2>&1 || status=1
        echo "$target: $(sed -nE 's/^stat::number_of_executed_units: */inputs /p; s/^stat::peak_rss_mb: */, MB /p' "$folder/$target.log" |
            tr '\n' ' ')$(grep -aE 'SUMMARY|Fatal error|ERROR' "$folder/$target.log" || true)"
    done
    return $status
}

keep() {
    for target in $(targets "$1"); do
        local kept
        kept=$(mktemp -d)
        fuzzer -merge=1 "$kept" "Fixtures/Fuzz/$target" "$folder/inputs/$target" </dev/null >"$folder/$target.merge.log" 2>&1
        [[ -n $(ls -A "$kept") ]]
        # Inputs that broke something once stay.
        find "Fixtures/Fuzz/$target" -type f ! -name 'finding-*' -delete
        cp "$kept"/* "Fixtures/Fuzz/$target/"
        rm -rf "$kept"
        echo "$target: $(find "Fixtures/Fuzz/$target" -type f | wc -l) inputs, $(du -sb "Fixtures/Fuzz/$target" | cut -f1) bytes"
    done
}

coverage() {
    "$swift" build -c release --product fuzzer --sanitize fuzzer --scratch-path "$folder/coverage" -Xswiftc -enable-testing \
        -Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping --explicit-target-dependency-import-check error >&2
    local program=$folder/coverage/release/fuzzer
    for target in $(targets "$1"); do
        LLVM_PROFILE_FILE=$folder/$target.profraw EARSHOT_FUZZ_TARGET=$target "$program" -runs=0 \
            -artifact_prefix="$folder/" "Fixtures/Fuzz/$target" </dev/null >/dev/null 2>&1
    done
    "$tools/llvm-profdata" merge -o "$folder/all.profdata" "$folder"/*.profraw
    "$tools/llvm-cov" report "$program" -instr-profile "$folder/all.profdata" "${@:2}"
}

(($# >= 2)) || usage
case $1 in
run)
    (($# == 3)) || usage
    build
    run "$2" "$3"
    ;;
keep) build && keep "$2" ;;
coverage) coverage "${@:2}" ;;
*) usage ;;
esac
