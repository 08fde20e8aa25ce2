#!/usr/bin/env python3
"""An encoder written from docs/PROTOCOL.md alone, sharing no code with the Swift one.

Prints the vectors that vectors.json holds:

    python3 Tests/Modem/Vectors/reference_encoder.py > Tests/Modem/Vectors/vectors.json

The comments name the sections of docs/PROTOCOL.md. Slow and literal on purpose; standard library only.
"""

import hashlib
import json
import math
from dataclasses import dataclass

LOWEST_HZ = 18_500
BAND_HZ = 1_500
RAMP_SECONDS = 0.005


@dataclass(frozen=True)
class Profile:
    """Sections 1, 2 and 4."""

    name: str
    tones: int
    sync: tuple
    generators: tuple


FAST = Profile("fast", 16, (1, 9, 13, 7, 3, 15, 5, 11), (0o4224, 0o2174, 0o1065, 0o457))
STANDARD = Profile(
    "standard", 32, (10, 22, 2, 26, 18, 6, 14, 30), (0o4167, 0o2022, 0o1135, 0o503, 0o333)
)
FAR = Profile(
    "far", 64, (44, 20, 60, 12, 28, 52, 36, 4), (0o4050, 0o2034, 0o1057, 0o471, 0o201, 0o103)
)
PROFILES = (FAST, STANDARD, FAR)


def symbol_seconds(profile):
    return profile.tones / BAND_HZ


def tone_hz(profile, tone):
    return LOWEST_HZ + (tone + 0.5) * BAND_HZ / profile.tones


# Section 2


def header(profile, length):
    k = (1, 7, 10, 13, 4, 15)
    s = (9, 2, 12, 5, 15, 7)
    a, b = (length - 1) % 16, (length - 1) // 16
    m = profile.tones
    return [m // 16 * (a ^ (b * k[i]) ^ s[i]) + m // 32 for i in range(6)]


# Section 3


def crc24(data, crc=0xFEDCBA):
    for byte in data:
        for position in range(7, -1, -1):
            feedback = (crc >> 23) ^ (byte >> position & 1)
            crc = crc << 1 & 0xFFFFFF
            if feedback:
                crc ^= 0x5D6DCB
    return crc


VERSION = 0x03


def sent_bytes(payload):
    x, n = bytearray(payload), len(payload)
    for order in (range(n), range(n - 1, -1, -1), range(n)):
        c = crc24([VERSION, n])
        for i in order:
            x[i] = 45 ** (x[i] ^ c % 256) % 257 % 256
            c = crc24([x[i]], c)
    return bytes(x)


def check(sent):
    return crc24(bytes([VERSION, len(sent)]) + sent)


def input_pairs(payload):
    sent = sent_bytes(payload)
    coded = sent + check(sent).to_bytes(3, "big")
    return [byte >> shift & 3 for byte in coded for shift in (6, 4, 2, 0)]


# Section 4


def parity(number):
    return bin(number).count("1") % 2


def trellis(profile, pairs):
    state = 0
    for pair in pairs[-5:]:
        state = 4 * state + pair
    start = state
    tones = []
    for pair in pairs:
        register = 4 * state + pair
        tones.append(sum(parity(register & g) << b for b, g in enumerate(profile.generators)))
        state = register % 1024
    assert state == start, "the code is tail-biting"
    return tones


# Sections 5 and 2


def stride(n):
    coprime = [a for a in range(1, n) if math.gcd(a, n) == 1]
    return min(coprime, key=lambda a: abs(a - n * (3 - math.sqrt(5)) / 2))


def mask(profile, i):
    return (i + 1) * 40_503 % 65_536 * profile.tones // 65_536


def frame_tones(profile, payload):
    assert 1 <= len(payload) <= 32
    coded = trellis(profile, input_pairs(payload))
    n = len(coded)
    data = [None] * n
    for j, tone in enumerate(coded):
        i = stride(n) * j % n
        data[i] = tone ^ mask(profile, i)
    length = [] if len(payload) == 8 else header(profile, len(payload))
    tones = [None] * (len(profile.sync) + len(length) + n)
    for place, tone in zip((0, 1, 2, 3, 13, 14, 15, 16), profile.sync):
        tones[place] = tone
    free = [place for place, tone in enumerate(tones) if tone is None]
    for place, tone in zip(free, length + data, strict=True):
        tones[place] = tone
    return tones


# Section 6


def sample_count(profile, tones, rate):
    """ceil(K T F) in integers, for a rate in whole hertz."""
    return -(-len(tones) * profile.tones * rate // BAND_HZ)


def smeared_step_integral(t, boundary, sigma):
    """The integral of Phi((u - boundary) / sigma) over u from minus infinity to t."""
    z = (t - boundary) / sigma
    normal_integral = 0.5 * math.erfc(-z / math.sqrt(2))
    normal_density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return sigma * (z * normal_integral + normal_density)


def sample(profile, tones, t, amplitude=1.0):
    """x(t), from the integral of f in closed form, every boundary of the frame included."""
    symbol = symbol_seconds(profile)
    duration = len(tones) * symbol
    sigma = symbol / 24
    cycles = tone_hz(profile, tones[0]) * t
    for k in range(1, len(tones)):
        step_hz = tone_hz(profile, tones[k]) - tone_hz(profile, tones[k - 1])
        cycles += step_hz * smeared_step_integral(t, k * symbol, sigma)
    from_end = min(t, duration - t)
    envelope = 1.0
    if from_end < RAMP_SECONDS:
        envelope = (1 - math.cos(math.pi * from_end / RAMP_SECONDS)) / 2
    return amplitude * envelope * math.cos(2 * math.pi * cycles)


# The vectors


def payload_of(profile, length):
    """Any bytes would do; these need no table."""
    return hashlib.sha256(f"{profile.name} {length}".encode()).digest()[:length]


def vector(profile, payload):
    return {
        "profile": profile.name,
        "payload": payload.hex(),
        "sent": sent_bytes(payload).hex(),
        "crc": f"{check(sent_bytes(payload)):06x}",
        "tones": frame_tones(profile, payload),
    }


def waveform(profile, payload, rate):
    """Samples in the first ramp, in the first symbol, about the first boundary and in the last ramp."""
    tones = frame_tones(profile, payload)
    boundary = profile.tones * rate // BAND_HZ
    count = sample_count(profile, tones, rate)
    near_boundary = [boundary + d for d in (-48, -24, -12, -4, 0, 4, 12, 24, 48)]
    indices = [0, 1, 2, 24, 60, 120, 180, 239, 240, 241, 300, 400, 480] + near_boundary
    indices += [boundary * 3 // 2, count // 2, count - 300, count - 120, count - 24, count - 2, count - 1]
    indices = sorted(set(indices))
    return {
        "profile": profile.name,
        "payload": payload.hex(),
        "rate": rate,
        "count": count,
        "samples": [[i, round(sample(profile, tones, i / rate), 7)] for i in indices],
    }


def vectors():
    worked_example = bytes.fromhex("0123456789abcdef")
    lines = []
    for profile in PROFILES:
        payloads = [payload_of(profile, n) for n in range(1, 33)]
        payloads += [worked_example]
        payloads += [bytes([fill]) * n for fill in (0x00, 0xFF) for n in (1, 8, 32)]
        lines += [vector(profile, payload) for payload in payloads]
    waveforms = [waveform(profile, worked_example, 48_000) for profile in PROFILES]
    waveforms += [waveform(STANDARD, b"hello", 48_000)]
    return lines, waveforms


def main():
    frames, waveforms = vectors()
    print('{"frames": [')
    print(",\n".join(json.dumps(v) for v in frames))
    print('], "waveforms": [')
    print(",\n".join(json.dumps(v) for v in waveforms))
    print("]}")


if __name__ == "__main__":
    assert crc24(b"123456789") == 0x7979BD
    main()
