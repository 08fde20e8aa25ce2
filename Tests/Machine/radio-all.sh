#!/usr/bin/env bash
# Runs the tests of several programs that share one adapter of Bluetooth 4, inside machine.sh: `make test-machine`. Each check
# prints a line, `ok` or `FAILED`; the exit status is 1 if one failed.
#
#     Tests/Machine/radio-all.sh [FOLDER OF THE PROGRAMS [SECONDS [KIND...]]]
#
# A run of each KIND takes SECONDS (default 25): monitors or discovery, as bluetoothd scans with and without --experimental, and
# each with -foreign, where another program scans too.
set -uo pipefail
programs=$(cd "${1:-$(dirname "$0")/../../.build/release}" && pwd) || exit 66
sharing_seconds=${2:-25}
sharing_kinds=("${@:3}")
((${#sharing_kinds[@]})) || sharing_kinds=(monitors monitors-foreign discovery discovery-foreign)
cd "$(dirname "$0")" || exit 66

# shellcheck source=Tests/Machine/support.sh
source ./support.sh
# shellcheck source=Tests/Machine/radios.sh
source ./radios.sh
# shellcheck source=Tests/Machine/sharing.sh
source ./sharing.sh
# shellcheck source=Tests/Machine/costs.sh
source ./costs.sh
# shellcheck source=Tests/Machine/intervals.sh
source ./intervals.sh
rm -f "$logs"/holder "$logs"/beacon-fifo
cp "$logs"/* "$MACHINE_SHARE"

end_run
