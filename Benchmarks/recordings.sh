#!/usr/bin/env bash
# Collects recordings without tokens, for `earshot-bench false-tokens --audio`.
#
#     Benchmarks/recordings.sh DIR
#
# DIR/music and DIR/effects come from Debian packages, which the script installs if they are missing; much of this
# sound reaches 18-20 kHz. DIR/speech is espeak-ng reading the project's own texts at twice the sample rate: twice as
# fast and an octave up, so that its hiss falls into the band. The project keeps none of these files.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:?"usage: Benchmarks/recordings.sh DIR"}

packages=(hyperrogue-music lomiri-sounds sound-theme-freedesktop espeak-ng python3)
missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if ((${#missing[@]})); then
    echo "Installing ${missing[*]}"
    sudo=()
    ((EUID == 0)) || sudo=(sudo)
    "${sudo[@]}" apt-get update -qq
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

mkdir -p "$target"/{music,effects,speech}
cp -n /usr/share/hyperrogue/music/*.ogg "$target/music/"
find /usr/share/sounds/lomiri /usr/share/sounds/freedesktop -type f \( -name '*.ogg' -o -name '*.oga' \) \
    -exec cp -n {} "$target/effects/" \;
for voice in en de fr; do
    [[ -f $target/speech/$voice.wav ]] && continue
    cat README.md docs/PROTOCOL.md docs/DESIGN.md | espeak-ng -v "$voice" --stdin -w "$target/speech/$voice.raw.wav"
    python3 - "$target/speech/$voice" <<'PY'
import sys
import wave

with wave.open(sys.argv[1] + ".raw.wav") as slow, wave.open(sys.argv[1] + ".wav", "wb") as fast:
    fast.setnchannels(slow.getnchannels())
    fast.setsampwidth(slow.getsampwidth())
    fast.setframerate(2 * slow.getframerate())
    fast.writeframes(slow.readframes(slow.getnframes()))
PY
    rm "$target/speech/$voice.raw.wav"
done
echo "Recordings are in $target: $(find "$target" -type f | wc -l) files"
