#!/usr/bin/env bash
# Runs the tests of networks that need a kernel of their own with Wi-Fi, inside machine.sh: `make test-machine`. Each check
# prints a line, `ok` or `FAILED`; the exit status is 1 if one failed.
#
#     Tests/Machine/push-all.sh [FOLDER OF THE PROGRAMS]
set -uo pipefail
programs=$(cd "${1:-$(dirname "$0")/../../.build/release}" && pwd) || exit 66
cd "$(dirname "$0")" || exit 66

# shellcheck source=Tests/Machine/support.sh
source ./support.sh
# shellcheck source=Tests/Machine/access-points.sh
source ./access-points.sh
# shellcheck source=Tests/Machine/wifi.sh
source ./wifi.sh

end_run
