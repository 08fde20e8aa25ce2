#!/usr/bin/env bash
# Runs the tests of the token service on the embedded store under ThreadSanitizer: in its own process, without those that start the
# program, other programs or PostgreSQL. The build takes a quarter of an hour.
#
#     Server/Tests/sanitize.sh
#
# `Tests/Support/sanitize.sh thread` checks that ThreadSanitizer reports a planted race.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift=${SWIFT:-swift}
folder=Server/.build/thread
EARSHOT_TESTING=1 "$swift" build --package-path Server -c release --traits Postgres --sanitize thread --scratch-path "$folder" \
    --product earshot-serverPackageTests --explicit-target-dependency-import-check error
"$(dirname "$(readlink -f "$(command -v "$swift")")")/clang" -O1 -shared -fPIC -o "$folder/tsan-mutex.so" Tests/Support/tsan-mutex.c -ldl
LD_PRELOAD=$PWD/$folder/tsan-mutex.so TSAN_OPTIONS="suppressions=$PWD/Server/Tests/tsan-suppressions.txt" \
    "$folder/release/earshot-serverPackageTests.xctest" --testing-library swift-testing \
    --skip 'NodeTests|PostgresStoreTests|StreamMemoryTests|DaemonTests|KillTests|UpgradeTests|OperationTests|OperationsListenerTests|LogTests|ReloadTests' </dev/null
