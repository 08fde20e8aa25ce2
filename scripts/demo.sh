#!/usr/bin/env bash
# Shows what Earshot does, each step with the command that does it.
#
#     scripts/demo.sh EARSHOT DIR
#
# EARSHOT is the built command line; the WAV file and the picture are put into DIR.
set -euo pipefail

tool=$(realpath "$1")
mkdir -p "$2"
cd "$2"
token=0123456789abcdef

step() { printf '\n%s\n' "$1"; }

# The command as a person would type it, then what it says.
earshot() {
    printf '  $ earshot %s\n' "$*"
    "$tool" "$@" 2>&1 | sed 's/^/    /'
}

step "A token becomes a second of near-ultrasound, 18.5 to 20 kHz:"
earshot encode $token -o token.wav

step "Any device that hears it gets the token; here a file stands in for the air:"
found=$(earshot decode token.wav)
echo "$found"
if [[ $found != *"  $token  "* ]]; then
    echo "The token did not come back." >&2
    exit 1
fi

step "The same as a picture, with every symbol where the receiver heard it:"
earshot inspect token.wav -o token.svg

step "Both are in $PWD:
  token.wav   play it: aplay $2/token.wav
  token.svg   open it in a browser

Go on with: .build/release/earshot --help"
