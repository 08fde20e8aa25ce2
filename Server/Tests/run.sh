#!/usr/bin/env bash
# Runs the built tests of the token service on both stores, and compares the OpenAPI document with a running service. Two processes run at
# once, because they wait for answers most of the time. The third, which computes, follows the shorter of the two. The script prints the
# output of each when it ends.
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

. Tests/Support/processes.sh

process sqlite "$tests" --testing-library swift-testing --skip 'NodeTests|PostgresStoreTests|StreamMemoryTests' &
# One test after the other: StreamMemoryTests opens more than a thousand connections, and with so many open files Foundation's
# Process.run crashed once. The cause is not proved.
process postgres env EARSHOT_TEST_STORE=postgres "$tests" --testing-library swift-testing --no-parallel \
    --filter "$both|NodeTests|StreamMemoryTests"
process openapi Server/Tests/openapi.sh "$built/earshotd"
wait

end_processes 'All tests of the service'
