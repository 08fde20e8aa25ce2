#!/usr/bin/env bash
# Runs the built tests of the token service on both stores, and compares the OpenAPI document with a running service. Two run at once,
# because they wait for answers most of the time; the third, which computes, follows the shorter one. Prints the output of each when it ends.
#
#     Server/Tests/run.sh FOLDER
#
# FOLDER holds the build, such as Server/.build/release.
set -euo pipefail
cd "$(dirname "$0")/../.."

built=$(realpath "$1")
tests=$built/earshot-serverPackageTests.xctest
[[ -x $tests ]] || { echo "There is no $tests. 'make test-server' builds it." >&2 && exit 66; }

# What both stores promise; EARSHOT_TEST_STORE says on which one a test runs.
both='MatchingTests|ModelTests|TokenTests|IsolationTests|LimitTests|SilenceTests|RegistryTests|ResumptionTests'
both+='|StoreTests|EventStreamTests|SightingDetailTests|BrowserTests|OperatorTests'

logs=$(mktemp -d)
trap 'rm -rf "$logs"; kill $(jobs -p) 2>/dev/null || true' EXIT
touch "$logs/failures"

part() {
    local name=$1 start=$SECONDS status=0
    shift
    # Whoever runs this in the background ignores SIGINT, and programs that ignore it at their start go on doing so.
    env --default-signal=INT,QUIT "$@" >"$logs/$name" 2>&1 </dev/null || status=$?
    # A program that ran no test has tested nothing.
    grep -qE 'Test run with [1-9]|[1-9][0-9]* generated' "$logs/$name" || { ((status)) || status=65; }
    ((status == 0)) || echo "$name" >>"$logs/failures"
    {
        flock 9
        printf '\n-- %s: exit %d, %d s\n' "$name" "$status" "$((SECONDS - start))"
        if ((status)); then cat "$logs/$name"; else grep -aE 'skipped|Test run with [1-9]|generated' "$logs/$name" || true; fi
    } 9>"$logs/lock"
}

part sqlite "$tests" --testing-library swift-testing --skip 'NodeTests|PostgresStoreTests' &
part postgres env EARSHOT_TEST_STORE=postgres "$tests" --testing-library swift-testing --no-parallel --filter "$both|NodeTests"
part openapi Server/Tests/openapi.sh "$built/earshotd"
wait

if [[ -s $logs/failures ]]; then
    printf '\nFailed: %s\n' "$(paste -sd ' ' "$logs/failures")"
    exit 1
fi
printf '\nAll tests of the service passed in %d s.\n' "$SECONDS"
