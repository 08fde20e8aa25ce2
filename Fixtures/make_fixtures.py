#!/usr/bin/env python3
"""Makes the sound files of this directory, each with a JSON file that describes its content.

    python3 Fixtures/make_fixtures.py

The signals come from Tests/Modem/Vectors/reference_encoder.py, which follows docs/PROTOCOL.md and uses nothing of the Swift
implementation. Noise and echoes come from numpy's PCG64 with the seeds below. The script needs numpy. Every run writes
the same files.
"""

import json
import math
import sys
import wave
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "Tests" / "Modem" / "Vectors"))

import reference_encoder as reference  # noqa: E402

DATE = "2026-11-25"


def frame(profile, payload, rate, amplitude):
    tones = reference.frame_tones(profile, payload)
    count = reference.sample_count(profile, tones, rate)
    return np.array([reference.sample(profile, tones, i / rate, amplitude) for i in range(count)])


def place(signals, rate, seconds):
    """Adds (start in seconds, samples) pairs into `seconds` of silence."""
    sound = np.zeros(round(seconds * rate))
    for start, samples in signals:
        first = round(start * rate)
        sound[first : first + len(samples)] += samples
    return sound


def white_noise(rng, count, rate, amplitude, snr_decibels):
    """White noise over which a sine of `amplitude` has that SNR, measured in 1,500 Hz."""
    in_band = amplitude**2 / 2 / 10 ** (snr_decibels / 10)
    return rng.standard_normal(count) * math.sqrt(in_band * rate / 2 / 1_500)


def room(rng, rate, reverberation_seconds, direct_to_reverberant_decibels):
    """Impulse response: a direct sound and exponentially decaying noise, together of energy 1."""
    n = np.arange(round(reverberation_seconds * rate))
    tail = rng.standard_normal(len(n)) * 10 ** (-3 * n / (reverberation_seconds * rate))
    ratio = 10 ** (direct_to_reverberant_decibels / 10)
    response = tail * math.sqrt(1 / (1 + ratio) / np.sum(tail**2))
    response[0] += math.sqrt(ratio / (1 + ratio))
    return response


def save(name, sound, rate, bits, facts):
    full_scale = 1 << (bits - 1)
    clipped = np.clip(np.rint(sound * full_scale), -full_scale, full_scale - 1)
    samples = clipped.astype("<i2") if bits == 16 else (clipped + 128).astype(np.uint8)
    with wave.open(str(HERE / f"{name}.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(bits // 8)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())
    facts |= {"command": "python3 Fixtures/make_fixtures.py", "date": DATE}
    (HERE / f"{name}.json").write_text(json.dumps(facts, indent=2) + "\n")


def token_standard_clean():
    rate, payload = 48_000, bytes.fromhex("0123456789abcdef")
    sound = place([(0.1, frame(reference.STANDARD, payload, rate, 0.25))], rate, 1.3)
    save("token-standard-clean.48000.s16", sound, rate, 16, {
        "what": "a token, nothing else",
        "profile": "standard",
        "frames": [{"payload": payload.hex(), "start": 0.1}],
        "toleranceSeconds": 0.02,
        "made": "amplitude 0.25 (-12 dBFS), 16 bits without dither",
        "seed": None,
    })


def token_fast_room():
    rate, payload, seed, amplitude = 44_100, bytes.fromhex("fa57fa57000000ff"), 2, 0.25
    rng = np.random.default_rng(seed)
    sound = place([(0.1, frame(reference.FAST, payload, rate, amplitude))], rate, 0.9)
    sound = np.convolve(sound, room(rng, rate, 0.3, -6))[: len(sound)]
    sound += white_noise(rng, len(sound), rate, amplitude, 25)
    save("token-fast-room.44100.s16", sound, rate, 16, {
        "what": "a token across a large room",
        "profile": "fast",
        "frames": [{"payload": payload.hex(), "start": 0.1}],
        "toleranceSeconds": 0.06,
        "made": "exponential echo, RT60 0.3 s, DRR -6 dB; noise 25 dB below a sine of the peak, in 1500 Hz",
        "seed": seed,
    })


def token_far_noise():
    rate, payload, seed, amplitude = 48_000, bytes.fromhex("0f1e2d3c4b5a6978"), 3, 0.03
    rng = np.random.default_rng(seed)
    sound = place([(0.3, frame(reference.FAR, payload, rate, amplitude))], rate, 2.8)
    sound += white_noise(rng, len(sound), rate, amplitude, -9)
    save("token-far-noise.48000.u8", sound, rate, 8, {
        "what": "a token far below the noise, in eight bits",
        "profile": "far",
        "frames": [{"payload": payload.hex(), "start": 0.3}],
        "toleranceSeconds": 0.02,
        "made": "white noise 9 dB above a sine of the peak, in 1500 Hz",
        "seed": seed,
    })


def two_talkers():
    rate, seed, amplitude = 48_000, 4, 0.2
    rng = np.random.default_rng(seed)
    payloads = [bytes.fromhex("a1a1a1a1a1a1a1a1"), bytes.fromhex("b2b2b2b2b2b2b2b2")]
    starts = [0.1, 0.655]
    signals = [(s, frame(reference.STANDARD, p, rate, amplitude)) for s, p in zip(starts, payloads)]
    sound = place(signals, rate, 1.9)
    sound += white_noise(rng, len(sound), rate, amplitude, 20)
    save("two-talkers.48000.u8", sound, rate, 8, {
        "what": "two tokens, the second half a frame behind the first, equally loud",
        "profile": "standard",
        "frames": [{"payload": p.hex(), "start": s} for p, s in zip(payloads, starts)],
        "toleranceSeconds": 0.02,
        "made": "noise 20 dB below a sine of either's peak, in 1500 Hz",
        "seed": seed,
    })


def text_payload():
    rate, payload = 44_100, b"hello, world"
    seed, amplitude = 5, 0.25
    rng = np.random.default_rng(seed)
    sound = place([(0.05, frame(reference.FAST, payload, rate, amplitude))], rate, 0.95)
    sound += white_noise(rng, len(sound), rate, amplitude, 20)
    save("text-payload-12-bytes.44100.s16", sound, rate, 16, {
        "what": "twelve bytes of text, which take a length header",
        "profile": "fast",
        "frames": [{"payload": payload.hex(), "start": 0.05}],
        "toleranceSeconds": 0.02,
        "made": "noise 20 dB below a sine of the peak, in 1500 Hz",
        "seed": seed,
    })


def token_pilot_tone():
    rate, payload, seed, amplitude = 48_000, bytes.fromhex("77aa55ee33cc1188"), 6, 0.08
    rng = np.random.default_rng(seed)
    sound = place([(0.1, frame(reference.STANDARD, payload, rate, amplitude))], rate, 1.4)
    # 19,123 Hz is 13.3 tone spacings up the band: between tones 12 and 13.
    pilot = amplitude * 10 ** (10 / 20)
    sound += pilot * np.cos(2 * np.pi * 19_123 * np.arange(len(sound)) / rate)
    sound += white_noise(rng, len(sound), rate, amplitude, 10)
    save("token-pilot-tone.48000.s16", sound, rate, 16, {
        "what": "a token under a steady tone within its band",
        "profile": "standard",
        "frames": [{"payload": payload.hex(), "start": 0.1}],
        "toleranceSeconds": 0.02,
        "made": "a sine of 19123 Hz, 10 dB above the token; noise 10 dB below it, in 1500 Hz",
        "seed": seed,
    })


if __name__ == "__main__":
    token_standard_clean()
    token_fast_room()
    token_far_noise()
    two_talkers()
    text_payload()
    token_pilot_tone()
