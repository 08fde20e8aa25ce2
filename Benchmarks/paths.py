#!/usr/bin/env python3
"""What a path that loses tones costs: the table of docs/loopback.md.

    Benchmarks/paths.py [--tokens 100] [--seed 8000000] [--room] [PATH...]

A PATH is `low-pass KILOHERTZ`, flat to there and 80 dB less from 200 Hz above on, or `fall DECIBELS`, from 18.5 to 20 kHz; without any,
those of the table. Tokens go through the path, and white noise is added after it; the SNR counts before the path. With --room they go
through a room first, another one for each token: RT60 0.3 s, DRR −6 dB, of the same energy as without. It prints the share
that decodes at 25 dB, and the SNR at which 90 % decode, by steps of 1 dB and a line between them. It needs numpy and the package
earshot, such as the wheel of `make wheel`. All rows with 200 tokens take a quarter of an hour on two cores.
"""
import argparse
import concurrent.futures
import math
import sys

try:
    import earshot
    import numpy as np
except ImportError as error:
    sys.exit(f"paths.py: {error}. It needs numpy and the package earshot, such as the wheel of 'make wheel'.")

RATE_HERTZ = 48_000
AMPLITUDE = 0.25
NOISE_BAND_HERTZ = 1_500
ROOM_RT60_SECONDS = 0.3
ROOM_DRR_DECIBELS = -6
PATHS = ["low-pass 24"] + [f"low-pass {k}" for k in (19.9, 19.8, 19.7, 19.65, 19.6, 19.5, 19.4, 19.2, 19.0)] + [
    f"fall {d}" for d in (10, 15, 20, 25, 30)]


def checked(path):
    """The path, if it has one of the two forms."""
    try:
        points(path)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{path}' is neither 'low-pass KILOHERTZ' nor 'fall DECIBELS'") from None
    return path


def points(path):
    kind, value = path.split()
    if kind not in ("low-pass", "fall") or not 0 <= float(value) < math.inf:
        raise ValueError
    if kind == "fall":
        return [(0, 0), (18_500, 0), (20_000, -float(value)), (24_000, -float(value))]
    edge = 1_000 * float(value)
    return [(0, 0), (edge, 0), (edge + 200, -80), (24_200, -80)]


def room(random, size):
    """The frequency response of a room: a direct path and a tail of noise that falls by 60 dB in the RT60."""
    direct = 10 ** (ROOM_DRR_DECIBELS / 10)
    seconds = np.arange(int(2 * ROOM_RT60_SECONDS * RATE_HERTZ)) / RATE_HERTZ
    tail = random.standard_normal(len(seconds)) * 10 ** (-3 * seconds / ROOM_RT60_SECONDS)
    # The tail begins after the direct path.
    impulse = np.concatenate([[np.sqrt(direct / (1 + direct))], tail / np.sqrt(np.sum(tail**2) * (1 + direct))])
    return np.fft.rfft(impulse, size)


def share(path, profile, snr_decibels, count, seed, has_room):
    """The share of tokens that decode."""
    random = np.random.default_rng(seed)
    decoded = 0
    for _ in range(count):
        token = random.bytes(8)
        sound = np.asarray(earshot.encode(token, rate=RATE_HERTZ, profile=profile, amplitude=AMPLITUDE), dtype=float)
        begin = int(RATE_HERTZ * (0.15 + 0.1 * random.random()))
        length = begin + len(sound) + int((0.3 + has_room * ROOM_RT60_SECONDS) * RATE_HERTZ)
        size = 1 << (length - 1).bit_length()
        air = np.zeros(size)
        air[begin : begin + len(sound)] = sound
        hertz, decibels = zip(*points(path))
        response = 10 ** (np.interp(np.fft.rfftfreq(size, 1 / RATE_HERTZ), hertz, decibels) / 20)
        if has_room:
            response = response * room(random, size)
        # σ² = (A²/2) / snr / 1,500 Hz · 24,000 Hz
        sigma = np.sqrt(AMPLITUDE**2 / 2 / 10 ** (snr_decibels / 10) / NOISE_BAND_HERTZ * RATE_HERTZ / 2)
        air = np.fft.irfft(np.fft.rfft(air) * response, size) + sigma * random.standard_normal(size)
        frames = earshot.decode(air[:length].astype(np.float32), RATE_HERTZ, profiles=profile)
        decoded += any(frame.payload == token for frame in frames)
    return decoded / count


def row(job):
    path, profile, count, seed, has_room = job
    last = (None, 0.0)
    for snr in np.arange({"fast": -7.5, "standard": -10.5, "far": -13.5}[profile] + 4 * has_room, 20, 1):
        now = (snr, share(path, profile, snr, count, seed + int(100 * snr) + 5_000, has_room))
        if now[1] >= 0.9:
            break
        last = now
    needed = "–" if now[1] < 0.9 else f"{last[0] + (0.9 - last[1]) / (now[1] - last[1]):.1f} dB" if last[0] is not None else f"≤ {now[0]} dB"
    return f"{path:16}{profile:10}{100 * share(path, profile, 25, count, seed, has_room):4.0f} % at 25 dB, 90 % at {needed}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--seed", type=int, default=8_000_000)
    parser.add_argument("--room", action="store_true")
    parser.add_argument("path", nargs="*", type=checked, default=PATHS)
    options = parser.parse_args()
    if options.tokens < 1:
        parser.error("--tokens must be 1 or more")
    jobs = [(path, profile, options.tokens, options.seed, options.room) for path in options.path for profile in ("fast", "standard", "far")]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for line in pool.map(row, jobs):
            print(line, flush=True)


if __name__ == "__main__":
    main()
