#!/usr/bin/env bash
# Builds the commit of this folder again in a folder whose name has another length, and compares all that is installed, byte by byte.
#
#     Packaging/reproducible.sh [TARGET]...
#
# TARGET is one of the Makefile's: install and install-c (these two by default), install-all, install-agent, install-server. What is
# built there stays in .build/reproducible, so that the next comparison compiles little.
set -euo pipefail
cd "$(dirname "$0")/.."

(($#)) || set -- install install-c
[[ -z $(git status --porcelain -- . ':!*.md') ]] || { echo "Commit your changes first: the other folder has what is committed." >&2; exit 65; }
work=$PWD/.build/reproducible
other=$work/a-folder-of-another-length
mkdir -p "$work"
[[ -d $other ]] || git clone --quiet "$PWD" "$other"
git -C "$other" fetch --quiet origin
git -C "$other" checkout --quiet --detach "$(git rev-parse HEAD)"

rm -rf "$work"/{here,there}
for target; do
    "${MAKE:-make}" --no-print-directory "$target" DESTDIR="$work/here" PREFIX=/usr
    "${MAKE:-make}" --no-print-directory -C "$other" "$target" DESTDIR="$work/there" PREFIX=/usr
done
diff -r --no-dereference "$work/here" "$work/there"
echo "$(find "$work/here" -type f | wc -l) files, each with the same bytes"
