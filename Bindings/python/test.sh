#!/usr/bin/env bash
# Builds the wheel, installs it into an environment of its own, and runs the Python package's tests there.
#
#     Bindings/python/test.sh EARSHOT [pytest's arguments]...     EARSHOT is the built program, to compare with
set -euo pipefail
cd "$(dirname "$0")/../.."

(($#)) || { echo "usage: $0 EARSHOT [pytest's arguments]..." >&2; exit 64; }
EARSHOT=$(realpath "$1")
export EARSHOT
shift
environment=$PWD/.build/python/tests

Bindings/python/wheel.sh
# The sources are not on Python's path: the tests see the wheel alone.
[[ -x $environment/bin/python ]] || "${PYTHON:-python3}" -m venv "$environment"
"$environment/bin/pip" uninstall --quiet --disable-pip-version-check --yes earshot 2>/dev/null
"$environment/bin/pip" install --quiet --disable-pip-version-check "$(echo .build/python/dist/*.whl)[test]"
cd Bindings/python
PYTHONDONTWRITEBYTECODE=1 "$environment/bin/python" -P -m pytest -p no:cacheprovider "$@"
