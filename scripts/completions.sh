#!/usr/bin/env bash
# Writes the completions of bash, zsh and fish for the first PROGRAM. Further programs add commands to it: `earshot
# publish` is a command of earshot-messages.
#
#     scripts/completions.sh FOLDER PROGRAM ...
#
# FOLDER is a share folder. The files get the names and places that the shells expect.
set -euo pipefail

folder=$1
shift
programs=("$@")
name=$(basename "$1")

# The commands of a program, without `help`.
commands() { "$1" --help | sed -nE '/^SUBCOMMANDS:/,$ s/^  ([a-z][a-z-]*) .*/\1/p' | grep -vx help; }

# Prints a program's script without the lines that register the completion. Its functions begin with _PREFIX instead
# of _NAME, so that scripts do not collide.
functions() {
    "$1" --generate-completion-script "$3" | case $3 in
    bash) sed -e '/^#!/d' -e '/^complete /d' ;;
    zsh) sed -e '/^#compdef/d' -e '/^if \[\[ "\${funcstack/,$d' ;;
    fish) cat ;;
    esac | sed -E "s/_$name(_|\b)/_$2\1/g"
}

# The commands of all programs, as arguments of `help`.
all_commands() { for program in "${programs[@]}"; do commands "$program"; done | xargs; }

prefix() { basename "$1" | tr - _ | sed 's/^/in_/'; }

bash() {
    local program
    for program in "${programs[@]}"; do functions "$program" "$(prefix "$program")" bash; done
    printf '\n_%s() {\n    case "${COMP_CWORD}:${COMP_WORDS[1]}" in\n    1:*)\n' "$name"
    printf '        "_%s" "${@}"\n' "$(prefix "${programs[0]}")"
    for program in "${programs[@]:1}"; do
        printf "        COMPREPLY+=(\$(compgen -W '%s' -- \"\${2}\"))\n" "$(commands "$program" | xargs)"
    done
    printf '        ;;\n'
    printf "    2:help) COMPREPLY=(\$(compgen -W '%s' -- \"\${2}\")) ;;\n" "$(all_commands)"
    for program in "${programs[@]:1}"; do
        printf '    %s) "_%s" "${@}" ;;\n' "$(commands "$program" | sed 's/^/*:/' | paste -sd '|')" "$(prefix "$program")"
    done
    printf '    *) "_%s" "${@}" ;;\n    esac\n}\n\n' "$(prefix "${programs[0]}")"
    printf 'complete -o filenames -F _%s %s\n' "$name" "$name"
}

zsh() {
    local program
    printf '#compdef %s\n' "$name"
    for program in "${programs[@]}"; do functions "$program" "$(prefix "$program")" zsh; done
    printf '_%s() {\n    case "${CURRENT}:${words[2]}" in\n    2:*)\n        local -i ret=1\n' "$name"
    printf '        "_%s" "${@}" && ret=0\n' "$(prefix "${programs[0]}")"
    for program in "${programs[@]:1}"; do
        printf '        local -a more=(\n'
        commands "$program" | while read -r command; do
            "$program" --generate-completion-script zsh | grep -m 1 "^ *'$command:"
        done
        printf '        )\n        _describe -V subcommand more && ret=0\n'
    done
    printf '        return "${ret}"\n        ;;\n'
    printf '    3:help) compadd -- %s ;;\n' "$(all_commands)"
    for program in "${programs[@]:1}"; do
        printf '    %s) "_%s" "${@}" ;;\n' "$(commands "$program" | sed 's/^/*:/' | paste -sd '|')" "$(prefix "$program")"
    done
    printf '    *) "_%s" "${@}" ;;\n    esac\n}\n\n' "$(prefix "${programs[0]}")"
    # The first call loads this file as the function.
    printf 'if [[ "${funcstack[1]}" = _%s ]]; then\n    _%s "${@}"\nelse\n    compdef _%s %s\nfi\n' "$name" "$name" "$name" "$name"
}

# Fish merges several scripts itself.
fish() {
    local program
    # Each script takes the commands of the others for arguments of its own first level, so that offers only the first word.
    for program in "${programs[@]}"; do functions "$program" "$(prefix "$program")" fish; done | sed -E \
        "s/^(complete -c '$name' -n '_[a-z_]+_should_offer_completions_for_(positional|flags_or_options) \"$name\"[^']*)'/\\1; and test (count (commandline -opc)) -eq 1'/"
    printf "complete -c '%s' -n 'test (count (commandline -opc)) -eq 2; and __fish_seen_subcommand_from help' -fa '%s'\n" \
        "$name" "$(all_commands)"
}

write() {
    mkdir -p "$(dirname "$1")"
    "$2" >"$1"
    chmod 644 "$1"
}

write "$folder/bash-completion/completions/$name" bash
write "$folder/zsh/site-functions/_$name" zsh
write "$folder/fish/vendor_completions.d/$name.fish" fish
