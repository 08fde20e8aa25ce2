#!/usr/bin/env bash
# Runs the built tests of the token service on both stores, and compares the OpenAPI document with a running service. Several processes run
# at once, because they wait for answers most of the time. The script prints the output of each when it ends.
#
#     Server/Tests/run.sh FOLDER
#
# FOLDER holds the build, such as Server/.build/release.
set -euo pipefail
cd "$(dirname "$0")/../.."

built=$(realpath "$1")
tests=$built/earshot-serverPackageTests.xctest
[[ -x $tests ]] || { echo "There is no $tests. 'make test-server' builds it." >&2 && exit 66; }

# The tests of guarantees that both stores give. EARSHOT_TEST_STORE selects the store of a run.
both='MatchingTests|ModelTests|TokenTests|IsolationTests|LimitTests|SilenceTests|RegistryTests|ResumptionTests'
both+='|StoreTests|EventStreamTests|SightingDetailTests|BrowserTests|OperatorTests'

# The tests that start programs. They open few files, and the others start no program: see `Process.begin` in Daemon.swift.
programs='DaemonTests|KillTests|LogTests|OperationTests|OperationsListenerTests|OperatorTests|ReloadTests'

. Tests/Support/processes.sh

{
    process sqlite "$tests" --testing-library swift-testing \
        --skip "$programs|NodeTests|PostgresStoreTests|StreamMemoryTests"
    process programs "$tests" --testing-library swift-testing --filter "$programs"
} &
# One test after the other, which keeps the number of open files low.
process postgres env EARSHOT_TEST_STORE=postgres "$tests" --testing-library swift-testing --no-parallel \
    --filter "$both|NodeTests|StreamMemoryTests"
process openapi Server/Tests/openapi.sh "$built/earshotd"
wait

end_processes 'All tests of the service'
