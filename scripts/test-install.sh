#!/usr/bin/env bash
# Installs into a temporary folder, runs the installed programs, and checks that uninstalling leaves no file.
#
#     scripts/test-install.sh [TARGET]...
#
# TARGET is one of the Makefile's: install (the only one by default), install-all, install-agent, install-c, install-server.
set -euo pipefail
cd "$(dirname "$0")/.."

(($#)) || set -- install
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
failed=0
check() {
    local name=$1
    shift
    if "$@"; then echo "ok      $name"; else echo "FAILED  $name"; failed=1; fi
}
run() { "${MAKE:-make}" --no-print-directory "$@" DESTDIR="$staging" PREFIX=/usr; }
installed() { find "$staging" ! -type d -printf '/%P\n' | sort; }

for target; do run "$target"; done
installed

shopt -s nullglob
for program in "$staging"/usr/bin/*; do
    name=${program##*/}
    # A link is a command of another program.
    if [[ -L $program ]]; then
        check "$name runs" grep -q USAGE <<<"$("$program" --help)"
        continue
    fi
    check "$name runs" "$program" --version
    check "$name needs nothing of this folder" bash -c '! readelf -d "$1" | grep -F "$2"' - "$program" "$PWD"
done
if [[ -x $staging/usr/bin/earshot ]]; then
    "$staging/usr/bin/earshot" encode 0123456789abcdef -o "$staging/token.wav" 2>/dev/null
    check "a token arrives" grep -q 0123456789abcdef <<<"$("$staging/usr/bin/earshot" decode "$staging/token.wav")"
    rm "$staging/token.wav"
    check "each command has a manual page" test -f "$staging/usr/share/man/man1/earshot-decode.1"
fi
for page in "$staging"/usr/share/man/man1/*.1; do
    check "${page##*/} is a manual page" mandoc -T lint -W error "$page"
done
for script in "$staging"/usr/share/bash-completion/completions/*; do
    check "bash completes ${script##*/}" bash -c 'source "$1" && complete -p "${1##*/}" >/dev/null' - "$script"
done
for script in "$staging"/usr/share/zsh/site-functions/*; do check "zsh reads ${script##*/}" zsh -n "$script"; done
for script in "$staging"/usr/share/fish/vendor_completions.d/*; do check "fish reads ${script##*/}" fish -n "$script"; done
if [[ -f $staging/usr/lib/pkgconfig/earshot.pc ]]; then
    check "pkg-config knows earshot" env PKG_CONFIG_PATH="$staging/usr/lib/pkgconfig" pkg-config --modversion earshot
fi

run uninstall >/dev/null
check "uninstalling leaves no file" test -z "$(installed)"
installed
((failed == 0))
