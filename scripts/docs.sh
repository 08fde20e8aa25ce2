#!/usr/bin/env bash
# Builds the documentation of every library into one site. Any warning is an error.
#
#     scripts/docs.sh [FOLDER]
#
# FOLDER defaults to .build/docs. Each library's pages come from its doc comments and its catalogue, LIBRARY.docc in its folder.
# The script uses the build of `make test`, or builds the necessary part of it. It needs the toolchain's docc, and python3.
set -euo pipefail
cd "$(dirname "$0")/.."

site=${1:-.build/docs}
swift=${SWIFT:-swift}

# Name and folder of each library of the manifest. A library comes after those that it depends on: its pages link to theirs.
libraries() {
    "$swift" package describe --type json | python3 -c '
import json, sys

package = json.load(sys.stdin)
targets = {target["name"]: target for target in package["targets"]}
products = {product["name"] for product in package["products"] if product["type"] == {"library": ["automatic"]}}
done = set()

def visit(name):
    if name not in done:
        done.add(name)
        for dependency in targets[name].get("target_dependencies", []):
            visit(dependency)
        if name in products and targets[name]["type"] == "library":
            print(name, targets[name]["path"])

for name in sorted(products):
    visit(name)
'
}

docc=${DOCC:-$(command -v docc || echo "$(dirname "$(readlink -f "$(command -v "$swift")")")/docc")}
[[ -x $docc ]] || { echo "There is no docc beside $swift. Install a complete Swift toolchain, or set DOCC." >&2 && exit 69; }

list=$(libraries)
# The build of `make test`, whose modules need not compile again.
place=(--scratch-path .build/testing)
export EARSHOT_OPTIMIZED=1

work=.build/documentation
rm -rf "$work"
mkdir -p "$work"

# The symbol graphs of all modules are in one folder, and docc takes one library at a time. The command warns about the
# test bundles, which are not built for it.
symbols=$("$swift" build "${place[@]}" --show-bin-path)/../symbolgraph
rm -rf "$symbols"
"$swift" package "${place[@]}" dump-symbol-graph --minimum-access-level public --skip-synthesized-members >"$work/log" 2>&1 || true

earlier=()
archives=()
failed=0
while read -r library folder; do
    catalogue=$folder/$library.docc
    [[ -d $catalogue ]] || { echo "The library $library has no catalogue $catalogue." >&2; exit 70; }
    if [[ ! -f $symbols/$library.symbols.json ]]; then
        cat "$work/log" >&2
        echo "The build made no symbol graph of $library." >&2
        exit 70
    fi
    mkdir "$work/$library"
    cp "$symbols/$library".symbols.json "$work/$library"
    cp "$symbols/$library"@*.symbols.json "$work/$library" 2>/dev/null || true
    archive=$work/$library.doccarchive
    echo "Documenting $library"
    convert=("$docc" convert "$catalogue" --additional-symbol-graph-dir "$work/$library"
        --fallback-display-name "$library" --fallback-bundle-identifier "$library" --fallback-default-module-kind Library
        --enable-experimental-external-link-support "${earlier[@]}" --output-dir "$archive")
    # If there are warnings, build the archive nevertheless: later libraries need it, and their warnings must appear
    # too.
    "${convert[@]}" --warnings-as-errors || { failed=1 && "${convert[@]}" >/dev/null 2>&1; }
    earlier+=(--dependency "$archive")
    archives+=("$archive")
done <<<"$list"

((failed == 0)) || exit 1

rm -rf "$site"
"$docc" merge "${archives[@]}" --synthesized-landing-page-name Earshot --output-path "$site"
echo "Wrote $site. To read it: python3 -m http.server --directory $site 8000"
echo "and open http://localhost:8000/documentation/"
