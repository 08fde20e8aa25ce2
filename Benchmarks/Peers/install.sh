#!/usr/bin/env bash
# Installs the missing modems that `earshot-bench peers` compares with Earshot.
#
#     Benchmarks/Peers/install.sh DIR
#
# minimodem is a Debian package. ggwave's sources come from PyPI, with pinned version and checksum, and are compiled
# together with Benchmarks/Peers/ggwave_peer.cpp into DIR/ggwave_peer. Benchmarks only run both programs; none of their
# code enters the project.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${1:?"usage: Benchmarks/Peers/install.sh DIR"}
driver=Benchmarks/Peers/ggwave_peer.cpp
requirements=Benchmarks/Peers/ggwave.requirements.txt
version=$(sed -nE 's/^ggwave==([0-9.]+).*/\1/p' "$requirements")

missing=()
needs() { "${@:2}" >/dev/null 2>&1 || missing+=("$1"); }
needs minimodem command -v minimodem
needs g++ command -v g++
# GNU time, which reports memory; the shell's own does not.
needs time test -x /usr/bin/time
needs python3-venv python3 -c 'import ensurepip, venv'
if ((${#missing[@]})); then
    if ! command -v apt-get >/dev/null; then
        echo "Please install these packages by hand (the names are Debian's): ${missing[*]}" >&2
        exit 69
    fi
    echo "Installing ${missing[*]} from Debian ..."
    as_root=()
    ((EUID == 0)) || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
echo "minimodem: $(minimodem --version | head -n 1 | grep -oE '[0-9.]+[0-9]') at $(command -v minimodem)"

mkdir -p "$target"
archive=$target/ggwave-$version.tar.gz
if [[ ! -f $archive ]]; then
    echo "Fetching ggwave $version from PyPI ..."
    python3 -m venv "$target/venv"
    "$target/venv/bin/pip" download -q --disable-pip-version-check --no-deps --no-binary :all: --require-hashes \
        -r "$requirements" -d "$target"
fi
program=$target/ggwave_peer
if [[ ! -x $program || $archive -nt $program || $driver -nt $program ]]; then
    echo "Compiling ggwave $version ..."
    tar -xzf "$archive" -C "$target"
    sources=$target/ggwave-$version/ggwave
    # The flags are those of ggwave's setup.py and of Python's own extensions.
    g++ -O3 -std=c++11 -DNDEBUG -I "$sources/include" "$driver" "$sources/src/ggwave.cpp" -o "$program.new"
    mv "$program.new" "$program"
fi
echo "ggwave: $version at $program"
