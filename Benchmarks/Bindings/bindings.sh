#!/usr/bin/env bash
# Compares the C interface, the Python package and WebAssembly with the command line, in one run, and writes the section "Bindings" of
# docs/BENCHMARKS.md.
#
#     Benchmarks/Bindings/bindings.sh EARSHOT [options of Benchmarks/Bindings/bindings.py]...
set -euo pipefail
cd "$(dirname "$0")/../.."

(($#)) || { echo "usage: $0 EARSHOT [--minutes M]" >&2; exit 64; }
program=$(realpath "$1")
shift
environment=.build/python/bench

Bindings/python/wheel.sh
wheel=$(echo .build/python/dist/*.whl)
[[ -x $environment/bin/python ]] || "${PYTHON:-python3}" -m venv $environment
$environment/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
$environment/bin/pip install --quiet --disable-pip-version-check "$wheel"
Bindings/web/page.sh
for kind in c c-without-fftw; do
    if [[ $kind == c ]]; then Bindings/c/library.sh; else FFTW=0 Bindings/c/library.sh; fi
    gcc -std=c11 -O2 -Wall -Wextra -Werror Benchmarks/Bindings/decode.c -o .build/$kind/decode \
        -I.build/$kind/installed/include -L.build/$kind/installed/lib -learshot -Wl,-rpath,"$PWD/.build/$kind/installed/lib"
done
$environment/bin/python -P Benchmarks/Bindings/bindings.py "$program" .build/c/decode .build/c-without-fftw/decode "$wheel" \
    .build/web/page --write docs/BENCHMARKS.md "$@"
