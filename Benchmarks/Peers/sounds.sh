#!/usr/bin/env bash
# Makes recordings of other programs' data sounds, for `earshot-bench false-tokens --audio DIR`.
#
#     Benchmarks/Peers/sounds.sh DIR [GGWAVE_PEER]
#
# They are minimodem's frequency-shift keying at several speeds in our band, and ggwave's protocols in their own band
# and moved into ours (their tones are as far apart as those of `standard`). GGWAVE_PEER is the program that
# Benchmarks/Peers/install.sh builds. The script installs nothing; it leaves out a missing program and says so.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${1:?"usage: Benchmarks/Peers/sounds.sh DIR [GGWAVE_PEER]"}
ggwave=${2:-.build/peers/ggwave_peer}
mkdir -p "$target"

if command -v minimodem >/dev/null; then
    # Mark and space in hertz, and bits a second.
    for setting in '19300 19500 50' '18700 19700 100' '18900 19600 300' '19000 19800 600' '18600 19900 1200'; do
        read -r mark space speed <<<"$setting"
        for number in {1..20}; do echo "The quick brown fox jumps over the lazy dog $((number * 2654435761 % 1000003))"; done |
            minimodem --tx --tx-carrier -R 48000 -M "$mark" -S "$space" -f "$target/minimodem-$speed.wav" "$speed"
    done
else
    echo 'minimodem is missing (Benchmarks/Peers/install.sh installs it): leaving out its sounds' >&2
fi

if [[ -x $ggwave ]] && command -v python3 >/dev/null; then
    python3 - "$target" "$ggwave" <<'PY'
import array
import random
import struct
import subprocess
import sys
import wave

target, program = sys.argv[1:]
# Protocol, payload length (0: variable, with markers), first tone in steps of 46.875 Hz (0: its own, 395: 18.5 kHz).
modes = [(p, 0, 0) for p in range(6)] + [(p, 0, 395) for p in (3, 4, 5)] + [(p, 8, 395) for p in (3, 4, 5, 9, 10, 11)]
draw = random.Random(1)
for protocol, length, first in modes:
    requests = b"".join(b"E" + struct.pack("=I", 8) + draw.randbytes(8) for _ in range(30))
    made = subprocess.run([program, "serve", str(protocol), str(length), str(first), "0"], input=requests, stdout=-1)
    samples, place = array.array("f"), 0
    while made.returncode == 0 and place < len(made.stdout):
        (count,) = struct.unpack_from("=I", made.stdout, place)
        samples.frombytes(made.stdout[place + 4 : place + 4 + 4 * count])
        samples.extend([0.0] * 4800)
        place += 4 + 4 * count
    if not samples:
        print(f"ggwave's protocol {protocol} at {first} with {length} bytes is left out", file=sys.stderr)
        continue
    with wave.open(f"{target}/ggwave-{protocol}-{length}-{first}.wav", "wb") as file:
        file.setparams((1, 2, 48000, 0, "NONE", ""))
        file.writeframes(array.array("h", (int(32000 * max(-1.0, min(1.0, x))) for x in samples)).tobytes())
PY
else
    echo "$ggwave is missing (Benchmarks/Peers/install.sh builds it): leaving out its sounds" >&2
fi
echo "Sounds of other programs are in $target: $(find "$target" -name '*.wav' | wc -l) files"
