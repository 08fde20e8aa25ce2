#!/usr/bin/env python3
"""Writes what core.c checks: the vectors, and the fixtures as raw floats.

    list.py FOLDER        makes FOLDER/list.txt and FOLDER/*.f32
"""
import array
import glob
import json
import os
import sys
import wave

PROFILES = {"fast": (1, 16, 93.75), "standard": (2, 32, 46.875), "far": (4, 64, 23.4375)}
LOWEST_HERTZ = 18_500


def samples_of(path):
    """The samples of a WAV file of 8 or 16 bits with one channel, full scale 1, and its rate."""
    with wave.open(path) as file:
        assert file.getnchannels() == 1, path
        data = file.readframes(file.getnframes())
        if file.getsampwidth() == 1:
            samples = [(byte - 128) / 128 for byte in data]
        else:
            samples = [value / 32768 for value in array.array("h", data)]
        return samples, file.getframerate()


def main(folder):
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
    with open(os.path.join(root, "Tests/Modem/Vectors/vectors.json")) as file:
        vectors = json.load(file)
    lines = []
    for frame in vectors["frames"]:
        number, _, spacing = PROFILES[frame["profile"]]
        hertz = [LOWEST_HERTZ + (tone + 0.5) * spacing for tone in frame["tones"]]
        lines.append(["frame", number, frame["payload"], len(hertz), *hertz])
    for shape in vectors["waveforms"]:
        pairs = [value for pair in shape["samples"] for value in pair]
        lines.append(
            ["wave", PROFILES[shape["profile"]][0], shape["payload"], shape["rate"], shape["count"],
             len(shape["samples"]), *pairs])
    for path in sorted(glob.glob(os.path.join(root, "Fixtures", "*.wav"))):
        with open(path[:-4] + ".json") as file:
            truth = json.load(file)
        samples, rate = samples_of(path)
        name = os.path.basename(path)[:-4]
        raw = os.path.join(folder, name + ".f32")
        with open(raw, "wb") as file:
            array.array("f", samples).tofile(file)
        payloads = []
        for frame in truth["frames"]:
            payloads += [PROFILES[frame.get("profile", truth["profile"])][0], frame["payload"]]
        lines.append(["sound", name, rate, len(samples), raw, len(truth["frames"]), *payloads])
    with open(os.path.join(folder, "list.txt"), "w") as file:
        for line in lines:
            print(*line, file=file)


main(sys.argv[1])
