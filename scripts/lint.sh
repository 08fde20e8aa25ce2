#!/usr/bin/env bash
# Checks that no formatter makes: paths that exist on one machine only, and commands in the documentation that do not
# work.
set -euo pipefail
cd "$(dirname "$0")/.."

failures=0
complain() {
    echo "$1" >&2
    failures=$((failures + 1))
}

# Documentation may quote the output of a particular machine.
if found=$(grep -rnIE '(^|[^[:alnum:]._~*-])/(work|home|root)/' . --exclude='*.md' \
    --exclude-dir=.git --exclude=.git --exclude-dir=.build --exclude-dir=.swiftpm --exclude-dir=demo); then
    complain "These lines hold a path of one machine:
$found"
fi

# Commands stand in code spans and code blocks: `make demo` in a sentence, or in a line of a block.
# shellcheck disable=SC2016 # The quotation marks are Markdown's.
made_in() {
    {
        sed -n '/^ *```/,/^ *```/p' "$1" | grep -oE '(^ *|[$;&|(] *)make +[a-z][a-z-]*' || true
        grep -oE '`make [a-z][a-z-]*' "$1" || true
    } | sed 's/.* //' | sort -u
}

for file in README.md CONTRIBUTING.md docs/*.md; do
    [[ -f $file ]] || continue
    while read -r target; do
        grep -qE "^$target:" Makefile || complain "$file says 'make $target', and the Makefile has no such target"
    done < <(made_in "$file")
    while read -r script; do
        [[ -x $script ]] || complain "$file says '$script', and there is no such script"
    done < <(grep -oE '(scripts/[A-Za-z-]+\.sh|\.ci/run)' "$file" | sort -u)
done

for script in scripts/*.sh .ci/run; do
    bash -n "$script" || complain "$script is no valid shell script"
    [[ -x $script ]] || complain "$script cannot be run"
done

((failures == 0))
