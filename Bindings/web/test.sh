#!/usr/bin/env bash
# Runs the tests of the web page with node.
#
#     Bindings/web/test.sh PROGRAMS PAGE [part]...
#
# PROGRAMS is a folder that has the built programs, PAGE the page that page.sh built. Each part stands for the files
# Bindings/web/tests/PART*.test.mjs; without any, all that need no browser run: modem, messages, clock, demo, declarations.
set -euo pipefail
cd "$(dirname "$0")/../.."

(($# >= 2)) || { echo "usage: $0 PROGRAMS PAGE [part]..." >&2; exit 64; }
EARSHOT_PROGRAMS=$(realpath "$1")
EARSHOT_PAGE=$(realpath "$2")
export EARSHOT_PROGRAMS EARSHOT_PAGE
shift 2
(($#)) || set -- modem messages clock demo declarations

failed=0
for part; do
    mapfile -t files < <(compgen -G "Bindings/web/tests/$part*.test.mjs")
    ((${#files[@]})) || { echo "$0: there are no tests '$part'" >&2; exit 64; }
    # One file after the other: some of them listen in real time.
    for file in "${files[@]}"; do node --test "$file" || failed=1; done
done
exit $failed
