#!/usr/bin/env bash
# Checks that a formatter does not make. It finds paths that exist on one machine only, scripts that cannot run, names of
# scripts and of Makefile targets that do not exist, and different versions.
set -euo pipefail
cd "$(dirname "$0")/.."

failures=0
complain() {
    echo "$1" >&2
    failures=$((failures + 1))
}

# Searches the project's own text files.
search() {
    grep -rI "$@" . --exclude-dir={.git,.build,.swiftpm,demo} --exclude=.git
}

# Documentation may quote the output of a particular machine.
if found=$(search -nE '(^|[^[:alnum:]._~*-])/(work|home|root)/' --exclude='*.md'); then
    complain "These lines hold a path of one machine:
$found"
fi

# A string that another line continues ends in one space, not two.
if found=$(search -nE '[a-z,.;:]  "$' --include='*.swift'); then
    complain "These parts of a text end with two spaces:
$found"
fi

mapfile -t scripts < <(find . -name .build -prune -o -name '*.sh' -printf '%P\n' | sort)
# The names are not piped to grep: grep ends at the first match, and a process that still writes would then fail.
names=$(printf '/%s\n' "${scripts[@]}")
for script in "${scripts[@]}" .ci/run; do
    bash -n "$script" || complain "$script is no valid shell script"
    # A script without `#!` is sourced by other scripts, so it need not be executable.
    [[ -x $script || $(head -c 2 "$script") != '#!' ]] || complain "$script cannot be run"
done

# A name without a folder belongs to a script beside the text, or to one of the text's subject. The change log may name
# scripts of the past.
while IFS=: read -r file script; do
    file=${file#./}
    if [[ $script == */* ]]; then
        [[ -f $script ]] || complain "$file says '$script', and there is no such script"
    else
        grep -q "/$script$" <<<"$names" || complain "$file says '$script', and there is no such script"
    fi
done < <(search -oP '(?<![\w/$.-])([\w-]+/)*[\w-]+\.sh\b' --exclude=CHANGELOG.md | sort -u)

# Commands are in code spans and code blocks: `make demo` in a sentence, or in a line of a block.
# shellcheck disable=SC2016 # The quotation marks are Markdown's.
made_in() {
    {
        sed -n '/^ *```/,/^ *```/p' "$1" | grep -oE '(^ *|[$;&|(] *)make +[a-z][a-z-]*' || true
        grep -oE '`make [a-z][a-z-]*' "$1" || true
    } | sed 's/.* //' | sort -u
}

mapfile -t makefiles < <(sed -n 's/^include //p' Makefile | xargs -n 1)
while read -r file; do
    while read -r target; do
        grep -qE "^$target:" Makefile "${makefiles[@]}" || complain "$file says 'make $target', and there is no such target"
    done < <(made_in "$file")
done < <(find . -name .build -prune -o -name '*.md' ! -name CHANGELOG.md -printf '%P\n')

# The receiver's folders, from the bottom up: a file uses only types of its own folder and of folders before it. The receiver is at
# the top.
receive=Sources/Modem/EarshotModem/Receive
folders=(
    Baseband Frame Noise Metrics Detection Pilots Motion Sync Cancellation Coherent Decoding Repeats Recognition Search Input
)
[[ "$(printf '%s\n' "${folders[@]}" | sort)" == "$(find "$receive" -mindepth 1 -type d -printf '%P\n' | sort)" ]] ||
    complain "scripts/lint.sh lists other folders than $receive has"
types_of() {
    grep -ohP '^((?!private|fileprivate)[@\w()]+ )*(struct|class|enum|protocol|actor) \K\w+' "$@"
}
mapfile -t above < <(types_of "$receive"/*.swift)
for ((i = ${#folders[@]} - 1; i >= 0; i--)); do
    folder=$receive/${folders[i]}
    if found=$(grep -rnwE "$(IFS='|' && echo "${above[*]}")" "$folder" | grep -vE '^[^:]+:[0-9]+: *//'); then
        complain "These files use types of folders above their own:
$found"
    fi
    mapfile -t -O ${#above[@]} above < <(types_of "$folder"/*.swift)
done

# Computing modules must compile on other systems too: they import each other, and no module of a system. `make test-cross` compiles
# the modem for two of them, which takes minutes.
portable=(Sources/Modem/{EarshotCoding,EarshotDSP,EarshotModem,EarshotChannel} Sources/System/EarshotBasics)
if found=$(grep -rnE '^[[:space:]]*(@[A-Za-z_]+ |package |public |internal )*import ' "${portable[@]}" --include='*.swift' |
    grep -vE 'import (CEarshotKernels|CFFTW3|Earshot(Basics|Coding|DSP|Modem|Channel)|RealModule|Synchronization)$'); then
    complain "These modules must compile on every system, and import more than themselves:
$found"
fi
# The kernels may include C's standard headers, and the processor's if there are any. A builtin or an attribute of one processor or
# of ELF must be between `#if defined(__x86_64__)` and `#endif`.
kernels=Sources/Modem/CEarshotKernels
if found=$(grep -rnE '^ *# *include <' $kernels | grep -vE '<(stddef|stdint|string|immintrin)\.h>$'); then
    complain "The kernels include what other systems may lack:
$found"
fi
if found=$(awk 'FNR == 1 { depth = 0 }
        /^ *# *if/ { if (depth > 0 || /__x86_64__|__AVX|__SSE/) depth++ }
        depth == 0 && /immintrin|target_clones|__builtin_cpu_supports|__builtin_ia32|_mm[0-9]*_|__attribute__\(\(target|ifunc|(^|[^a-z_])(__asm__|asm) *(volatile *)?\(/ {
            print FILENAME ":" FNR ": " $0 }
        /^ *# *endif/ { if (depth > 0) depth-- }' $(find $kernels -name '*.[ch]')); then
    [[ -z $found ]] || complain "The kernels use what only x86-64 or ELF has, outside of #if defined(__x86_64__):
$found"
fi

Packaging/version.sh >/dev/null || complain "The version is not the same everywhere"

((failures == 0))
