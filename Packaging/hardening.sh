#!/usr/bin/env bash
# Checks how programs and libraries are hardened, with Debian's hardening-check and readelf.
#
#     Packaging/hardening.sh FILE|FOLDER...      each program and shared library, and those of a folder
#
# Position independent, canaries on the stack, relocations that are read-only, libraries bound at the start, no stack that can be
# executed, no library path, and no folder of the machine that built it. What Swift's compiler does not have is printed, not required:
# the fortified functions of the C library (its calls go to none that has such a twin, except in C), stack clash protection and
# control flow integrity.
set -euo pipefail

(($#)) || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 64; }
command -v hardening-check >/dev/null ||
    { echo "hardening-check is missing: scripts/install-dependencies.sh packages" >&2; exit 69; }
root=$(realpath "$(dirname "$0")/..")

count=0
failed=0
complain() {
    echo "$1: $2" >&2
    failed=1
}

check() {
    local file=$1 found segments
    found=$(hardening-check --nofortify --nocfprotection "$file" 2>&1) ||
        complain "$file" "hardening-check: $(grep -E ': no' <<<"$found" | xargs -d '\n')"
    segments=$(readelf -lW "$file")
    grep -qE 'GNU_STACK +(0x[0-9a-f]+ +){5}RW +' <<<"$segments" || complain "$file" "its stack can be executed"
    ! grep -qE ' RWE ' <<<"$segments" || complain "$file" "a part of it can be written and executed"
    ! readelf -d "$file" | grep -E 'RPATH|RUNPATH' >&2 || complain "$file" "it looks for libraries in a folder of its own"
    # In programs that `install` has stripped: debug information names the sources.
    ! strings -a "$file" | grep -F -m 3 "$root/" >&2 || complain "$file" "it names the folder of its build"
    count=$((count + 1))
    echo "$file: $(hardening-check "$file" 2>&1 | sed -nE 's/^ (Position|Stack prot|Fortify|Read-only|Immediate)[^:]*: ([^ ,]*).*/\1 \2/p' |
        sed -e 's/Position/position independent/' -e 's/Stack prot/canaries/' -e 's/Fortify/fortified calls/' \
            -e 's/Read-only/read-only relocations/' -e 's/Immediate/bound at the start/' | paste -sd , | sed 's/,/, /g')"
}

while IFS= read -r file; do
    if [[ $(head -c 4 "$file" | tr -d '\0') == $'\x7fELF' ]]; then check "$file"; fi
done < <(find "$@" -type f ! -name '*.a' ! -name '*.o' | sort)
((count > 0)) || { echo "There is no program in $*" >&2; exit 66; }
((failed == 0))
