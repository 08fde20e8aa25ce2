#!/usr/bin/env bash
# Runs the built tests of the root package in lanes beside each other, and prints the output of each process when it ends.
#
#     Tests/run.sh FOLDER [FILTER …]
#
# FOLDER holds the build, such as .build/testing/debug. With a filter, one process runs the tests whose names match one.
#
# Tests that compute keep Swift's few threads for long, so tests that wait for answers have processes of their own, and precedence on
# the processors: a test of sound must be in time. What a test needs follows from its place and name:
#
#   waits     the wings Nearby, Desktop and Spelling: buses, screens, agents, services
#   plays     suites that play and record in real time, ...SoundCardTests; after all others those that need the machine to themselves,
#             because they keep it busy or need the exact time, ...AloneSoundCardTests
#   computes  all others, and the sound medium's simulated rooms
set -euo pipefail
cd "$(dirname "$0")/.."

built=$1
shift
tests=$built/earshotPackageTests.xctest
[[ -x $tests ]] || { echo "There is no $tests. 'make test' builds it." >&2 && exit 66; }

testing=("$tests" --testing-library swift-testing)
if (($#)); then
    filters=()
    for filter; do filters+=(--filter "$filter"); done
    exec "${testing[@]}" "${filters[@]}"
fi

modules() { for wing; do basename -a Tests/"$wing"/*Tests; done; }
join() { paste -sd '|' | sed 's/.*/^(&)\\./'; }
computing=$({ modules Modem Sound System Programs Fuzz && echo EarshotSoundTests; } | join)
# The commands of messages wait for answers too.
messages='EarshotMessagesTests|NearbyMessagesTests|NearbyMessagesSwift5Tests|MessageCommandTests|EarshotDiscoveryTests'
plays='SoundCardTests/'
alone='AloneSoundCardTests/'

. Tests/Support/processes.sh

# What the others leave. 'nice' would not do: libdispatch gives each of its threads the ordinary niceness back.
computes() { process computing chrt --idle 0 "${testing[@]}" --filter "$computing" --skip "$plays|MessageCommandTests"; }

# Desktop tests have buses and screens of their own: two modules at once, in each one test after the other.
desktop() {
    local module
    for module; do process "$module" "${testing[@]}" --filter "^$module\\." --no-parallel; done
}

waits() {
    process messages "${testing[@]}" --filter "^($messages)\\.|MessageCommandTests/" --skip "$plays"
    desktop EarshotAgentTests EarshotPushTests &
    local other=()
    for module in $(modules Nearby Desktop Spelling); do
        [[ $module =~ ^($messages|EarshotSoundTests|EarshotAgentTests|EarshotPushTests)$ ]] || other+=("$module")
    done
    desktop "${other[@]}" &
    wait
}

plays() {
    process sound-library "${testing[@]}" --filter "^($(modules Sound | paste -sd '|'))\\..*$plays" --skip "$alone"
    process sound-commands "${testing[@]}" --filter "^EarshotCLITests\\..*$plays" --skip "$alone"
}

# A sound card of a busy machine loses sound, so what plays has only tests beside it that wait.
waits &
plays
computes
wait
process faults python3 Tests/Faults/faults.py "$built" --quick
process sound-alone "${testing[@]}" --filter "$alone" --no-parallel

end_processes 'All tests'
