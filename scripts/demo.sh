#!/usr/bin/env bash
# Shows Earshot's main functions, each step with its command.
#
#     scripts/demo.sh EARSHOT DIR
#
# EARSHOT is the built program; DIR receives the WAV file and the picture.
set -euo pipefail

tool=$(realpath "$1")
mkdir -p "$2"
cd "$2"
token=0123456789abcdef
rm -f token.wav token.svg

step() { printf '\n%s\n' "$1"; }

# Prints the command as a user would type it, then its output.
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
    echo "The demo failed: the decoder did not find the token." >&2
    exit 1
fi

step "The same as a picture, with every symbol where the receiver heard it:"
earshot inspect token.wav -o token.svg

step "Both are in $PWD:
  token.wav   play it: aplay $2/token.wav
  token.svg   open it in a browser

Go on with: .build/release/earshot --help"
