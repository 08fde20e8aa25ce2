#!/usr/bin/env bash
# Installs or removes a manual page for each command of the given programs, and completions for bash, zsh and fish.
#
#     scripts/install-texts.sh SHARE PROGRAM ...      SHARE is a share folder, such as /usr/local/share
#     scripts/install-texts.sh --remove SHARE NAME ...
#
# Both come from the programs' own help. The first program names the completions; further programs add commands.
# MANUAL_PAGES is the built program manual-pages.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ $1 == --remove ]]; then
    share=$2
    shift 2
    for name in "$@"; do
        rm -f "$share/bash-completion/completions/$name" "$share/zsh/site-functions/_$name" \
            "$share/fish/vendor_completions.d/$name.fish"
        # Another program's page may begin with the same word.
        for page in "$share/man/man1/$name.1" "$share/man/man1/$name"-*.1; do
            if [[ -f $page ]] && head -n 1 "$page" | grep -qF "Made from the help of Earshot's programs."; then rm -f "$page"; fi
        done
    done
    exit
fi

share=$1
shift
# A package of one version must have the same bytes whenever it is built.
if [[ -n ${SOURCE_DATE_EPOCH:-} ]]; then
    date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)
else
    date=$(git log -1 --format=%cs 2>/dev/null || date +%F)
fi

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
"${MANUAL_PAGES:?names the built manual-pages}" "$pages" "$date" "$@"
install -d "$share/man/man1"
install -m 644 "$pages"/*.1 "$share/man/man1"
scripts/completions.sh "$share" "$@"
