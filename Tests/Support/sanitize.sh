#!/usr/bin/env bash
# Runs the tests of the code with threads and raw memory, devices and live sessions, under ThreadSanitizer and
# AddressSanitizer; under ThreadSanitizer also those of messages, Bluetooth, D-Bus, push and the agent that start no other program. The modem
# is compiled without ThreadSanitizer; the manifest says why. `Server/Tests/sanitize.sh` does it with the service.
#
#     Tests/Support/sanitize.sh [thread|address]...
#
# First each sanitizer must report planted faults: a sanitizer that misses these proves nothing. The build is optimized,
# because the receiver must keep up with the sound card.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift=${SWIFT:-swift}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

build() {
    "$swift" build --build-tests --disable-xctest -c release -Xswiftc -enable-testing --sanitize "$sanitizer" \
        --scratch-path "$folder" --explicit-target-dependency-import-check error
    [[ $sanitizer == address ]] || "$(clang)" -O1 -shared -fPIC -o "$folder/tsan-mutex.so" Tests/Support/tsan-mutex.c -ldl
}

# The C compiler that comes with Swift knows Swift's calling convention.
clang() { echo "$(dirname "$(readlink -f "$(command -v "$swift")")")/clang"; }

# Runs the test bundle directly: 'swift test' would load the preloaded library into itself too.
run() {
    local environment=(ASAN_OPTIONS=detect_leaks=0)
    # Memory that Swift's runtime and ALSA keep until the end is no fault; a test counts open files and threads.
    [[ $sanitizer == address ]] || environment=(
        LD_PRELOAD="$PWD/$folder/tsan-mutex.so" TSAN_OPTIONS="suppressions=$PWD/Tests/Support/tsan-suppressions.txt"
    )
    env "${environment[@]}" "$folder/release/earshotPackageTests.xctest" --testing-library swift-testing \
        --filter "$1" </dev/null
}

# Plants a fault and expects its report.
expect_report() {
    local fault=$1 report=$2
    if EARSHOT_PLANTED_FAULT=$fault run PlantedFaultTests >"$log" 2>&1 || ! grep -qF "$report" "$log"; then
        tail -n 40 "$log" >&2
        echo "sanitize: the planted fault '$fault' was not reported; the last lines of its run are above" >&2
        exit 1
    fi
    echo "The sanitizer found the planted fault '$fault'."
}

(($#)) || set -- thread address
for sanitizer; do
    folder=.build/$sanitizer
    # With this, Package.swift leaves out all other tests.
    export EARSHOT_SANITIZER=$sanitizer
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
    [[ $sanitizer == thread ]] || continue
    for wing in Sealing Discovery Messages Bluetooth DBus Networks Notifications Push; do run "^Earshot${wing}Tests\."; done
    run '^NearbyWireTests\.'
    # Only those that start no program of the build, which these are.
    suites='AgentServer|FrameBacklog|AppPresence|AppStarter|StartPolicy|StartedProcesses|StateStore|Calendar|ResumingService'
    run "^EarshotAgentTests\.($suites|Supervisor|RestartPolicy|ProviderLocator|SystemdLauncher)Tests/"
done
