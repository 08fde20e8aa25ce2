#!/usr/bin/env bash
# Runs the tests that need a kernel of their own, inside machine.sh: `make test-machine`. Each check prints a line, `ok`
# or `FAILED`; the exit status is 1 if one failed.
#
#     Tests/Machine/all.sh [FOLDER OF THE PROGRAMS]
set -uo pipefail
programs=$(cd "${1:-$(dirname "$0")/../../.build/release}" && pwd) || exit 66
cd "$(dirname "$0")" || exit 66

# shellcheck source=Tests/Machine/support.sh
source ./support.sh
# shellcheck source=Tests/Machine/sound.sh
source ./sound.sh
# shellcheck source=Tests/Machine/radios.sh
source ./radios.sh
check bluetoothd "no adapter: $(tail -n 1 "$logs/bluetoothd")" is_powered 0
# shellcheck source=Tests/Machine/bluetooth.sh
source ./bluetooth.sh
# shellcheck source=Tests/Machine/begins.sh
source ./begins.sh
# shellcheck source=Tests/Machine/service.sh
source ./service.sh
# shellcheck source=Tests/Machine/messages.sh
source ./messages.sh

end_run
