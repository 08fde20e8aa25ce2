#!/usr/bin/env bash
# Sends tokens through codecs, resamplers and effects, and prints how many arrive, as the table of docs/codecs.md.
#
#     Benchmarks/codecs.sh [MUSIC]
#
# MUSIC is any sound file of 50 s or more; without it, the script takes one of Benchmarks/recordings.sh. It sends ten
# tokens of 8 bytes for each profile, with a peak of -12 dBFS: alone in one channel, and in both channels of music whose
# peak is -6 dBFS, the sum with its peak below 0 dBFS. Needs ffmpeg, sox and .build/release/earshot. Ends with 0 for any
# result: the table is a measurement, not a test.
set -euo pipefail
music=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/.."

earshot=$(realpath -m "${EARSHOT:-.build/release/earshot}")
for tool in ffmpeg sox "$earshot"; do
    command -v "$tool" >/dev/null || { echo "codecs: $tool is missing; run: apt-get install ffmpeg sox; make build" >&2; exit 69; }
done
if [[ -z $music ]]; then
    Benchmarks/recordings.sh .build/recordings >&2
    music=$(printf '%s\n' .build/recordings/music/*.ogg | head -n 1)
fi
[[ -r $music ]] || { echo "codecs: $music cannot be read" >&2; exit 66; }
seconds=$(soxi -D "$music")
((${seconds%.*} >= 50)) || { echo "codecs: $music has $seconds s; give 50 s or more" >&2; exit 65; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
music_name=$(basename "$music")
cd "$folder"

convert() { ffmpeg -hide_banner -loglevel error -y "$@" </dev/null; }

# Ten tokens a profile, one after another.
files=()
for profile in fast standard far; do
    for number in 0 1 2 3 4 5 6 7 8 9; do
        token=$(printf '%s-%s' "$profile" "$number" | sha256sum | head -c 16)
        echo "$profile $token" >>sent
        "$earshot" encode "$token" --profile "$profile" -o "$profile-$number.wav" &>/dev/null
        files+=("$profile-$number.wav")
    done
done
sox "${files[@]}" mono.wav
seconds=$(soxi -D mono.wav)
sox -D "$music" -r 48000 -c 2 music.wav trim 5 "$seconds" gain -n -6
sox -D mono.wav -c 2 both.wav
sox -D -m -v 1 both.wav -v 1 music.wav -b 16 stereo.wav

# decoded FILE: a cell of the table, the tokens of each profile that arrived, and tokens that were not sent.
decoded() {
    "$earshot" decode --quiet --json "$1" 2>/dev/null >found || true
    awk '
        NR == FNR { profile[$2] = $1; next }
        match($0, /"token":"[0-9a-f]*"/) {
            token = substr($0, RSTART + 9, RLENGTH - 10)
            if (!(token in profile)) wrong++
            else if (!seen[token]++) count[profile[token]]++
        }
        END {
            printf "%d %d %d", count["fast"], count["standard"], count["far"]
            if (wrong) printf " (%d wrong)", wrong
        }' sent found
}

# row NAME COMMAND: the command makes out.wav from in.wav; it runs once for one channel and once for two with music.
row() {
    local name=$1 cells=() kind
    shift
    for kind in mono stereo; do
        cp "$kind.wav" in.wav
        rm -f out.wav
        if "$@" >errors 2>&1 && [[ -s out.wav ]]; then
            cells+=("$(decoded out.wav)")
        else
            cells+=("–")
        fi
    done
    printf '| %s | %s | %s |\n' "$name" "${cells[0]}" "${cells[1]}"
}

# through EXTENSION OPTIONS: encodes, and decodes at 48 kHz.
through() {
    local extension=$1
    shift
    convert -i in.wav "$@" "coded.$extension" && convert -i "coded.$extension" -ar 48000 out.wav
}
filtered() { convert -i in.wav -af "$1" -ar 48000 out.wav; }
effects() { sox -D in.wav out.wav "$@"; }
resampled() { sox in.wav between.wav rate $2 "$1" && sox between.wav out.wav rate $2 48000; }
quiet() { sox -D in.wav -b 24 out.wav gain -60; }

echo "Tokens of 10 that arrive: \`fast\`, \`standard\`, \`far\`. Music: $music_name. $(ffmpeg -version | head -n 1 | cut -d ' ' -f 1-3), $(sox --version | sed 's/.*SoX/SoX/')."
echo
echo '| through | one channel | both channels of music |'
echo '|---|---|---|'
row 'nothing' cp in.wav out.wav
for rate in 16 24 32 48 64 96 128; do row "Opus, $rate kbit/s" through opus -c:a libopus -b:a "${rate}k"; done
for rate in 64 96 128 192 256 320; do row "AAC-LC, $rate kbit/s" through m4a -c:a aac -b:a "${rate}k"; done
for rate in 64 96 128 192 256 320; do row "MP3, $rate kbit/s" through mp3 -c:a libmp3lame -b:a "${rate}k"; done
for quality in 2 4 5 6 8; do row "Vorbis, q$quality" through ogg -c:a libvorbis -q:a "$quality"; done
for rate in 96 192; do row "AC-3, $rate kbit/s" through ac3 -c:a ac3 -b:a "${rate}k"; done
row 'SBC, 328 kbit/s' through sbc -c:a sbc -b:a 328k
row 'aptX' through aptx -c:a aptx -ac 2
row 'IMA ADPCM' through wav -c:a adpcm_ima_wav
row 'µ-law at 48 kHz' through wav -c:a pcm_mulaw
row 'GSM, 8 kHz' through wav -c:a libgsm_ms -ar 8000 -ac 1
row 'Speex, 32 kHz' through spx -c:a libspeex -ar 32000 -q:a 10
row '8 bits' through wav -c:a pcm_u8
row '44.1 kHz and back, `sox rate -v`' resampled 44100 -v
row '44.1 kHz and back, `sox rate -m`' resampled 44100 -m
row '44.1 kHz and back, `sox rate -l`' resampled 44100 -l
row '44.1 kHz and back, ffmpeg' through wav -ar 44100
row '32 kHz and back' resampled 32000 -v
row '60 dB quieter' quiet
row 'clipped hard, 40 dB too loud' filtered 'volume=40dB'
row 'companded' filtered 'acompressor=threshold=0.03:ratio=9:makeup=4'
row 'loudness normalised, EBU R 128' filtered 'loudnorm=I=-16'
for speed in 0.99 0.995 1.005 1.01; do row "speed × $speed" effects speed "$speed"; done
row 'pitch + 10 cents' effects pitch 10
row 'tempo × 1.01' effects tempo 1.01
