#!/usr/bin/env bash
# Builds the documentation of every library into one site. Any warning is an error.
#
#     scripts/docs.sh [FOLDER]
#
# FOLDER defaults to .build/docs. Each library's pages come from its doc comments and its catalogue,
# Sources/WING/LIBRARY/LIBRARY.docc. The script makes a debug build and needs the toolchain's docc.
set -euo pipefail
cd "$(dirname "$0")/.."

site=${1:-.build/docs}
swift=${SWIFT:-swift}

# A library comes after the libraries that its pages link to.
libraries=(
    EarshotCoding EarshotDSP EarshotModem EarshotChannel EarshotAudio EarshotLive NearbyWire EarshotDiscovery
    EarshotNotifications EarshotMessages EarshotTerminalConsent NearbyMessages
)

for library in $(sed -nE 's/.*\.library\(name: "([A-Za-z]+)".*/\1/p' Package.swift); do
    [[ " ${libraries[*]} " == *" $library "* ]] || { echo "$0 does not list the library $library; add it to 'libraries'" >&2 && exit 70; }
done

docc=${DOCC:-$(command -v docc || echo "$(dirname "$(readlink -f "$(command -v "$swift")")")/docc")}
[[ -x $docc ]] || { echo "There is no docc beside $swift. Install a complete Swift toolchain, or set DOCC." >&2 && exit 69; }

work=.build/documentation
rm -rf "$work"
mkdir -p "$work"

# The symbol graphs of all modules lie in one folder, and docc takes one library at a time. The command warns about
# the test bundles, which are not built for it.
symbols=$("$swift" build --show-bin-path)/../symbolgraph
rm -rf "$symbols"
"$swift" package dump-symbol-graph --minimum-access-level public --skip-synthesized-members >"$work/log" 2>&1 || true

earlier=()
archives=()
failed=0
for library in "${libraries[@]}"; do
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
    convert=("$docc" convert Sources/*/"$library/$library.docc" --additional-symbol-graph-dir "$work/$library"
        --fallback-display-name "$library" --fallback-bundle-identifier "$library" --fallback-default-module-kind Library
        --enable-experimental-external-link-support "${earlier[@]}" --output-dir "$archive")
    # Later libraries need the archive, and their warnings have to be seen too.
    "${convert[@]}" --warnings-as-errors || { failed=1 && "${convert[@]}" >/dev/null 2>&1; }
    earlier+=(--dependency "$archive")
    archives+=("$archive")
done

((failed == 0)) || exit 1

rm -rf "$site"
"$docc" merge "${archives[@]}" --synthesized-landing-page-name Earshot --output-path "$site"
echo "Wrote $site. To read it: python3 -m http.server --directory $site 8000"
echo "and open http://localhost:8000/documentation/"
