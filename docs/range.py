#!/usr/bin/env python3
"""How far a token may reach: the arithmetic of docs/range.md.

    docs/range.py             prints the tables
    docs/range.py --write     puts them into docs/range.md

Every level is in dB over 20 µPa, in the band from 18.5 to 20 kHz. No figure was measured with a device of ours.
"""
import math
import os
import sys

BEGIN, END = "<!-- range.py begins -->\n", "<!-- range.py ends -->\n"
BAND_CENTRE_HERTZ = 19_250

# SNR at which 90 % of tokens decode, in dB: in white noise, and across a large room (README, Figures).
NEEDED_DECIBELS = {"fast": (-6.5, 2.0), "standard": (-9.6, -4.0), "far": (-12.4, -7.8)}

# What each link has: the source's full scale at 1 m, what stands in the way, and the noise, of the room and of the microphone.
LINKS = {
    "poor": {"source": 35, "way": 10, "room": 40, "microphone": 36, "absorption": (30, 20)},
    "middle": {"source": 50, "way": 5, "room": 25, "microphone": 25, "absorption": (20, 50)},
    "good": {"source": 60, "way": 0, "room": 10, "microphone": 20, "absorption": (20, 20)},
}
LEVELS_DBFS = (-12, 0)


def absorption(hertz, celsius, humidity_percent):
    """The absorption of air by ISO 9613-1, in dB a metre, at 101,325 kPa."""
    kelvin = celsius + 273.15
    saturation = 10 ** (-6.8346 * (273.16 / kelvin) ** 1.261 + 4.6151)
    water = humidity_percent * saturation
    relative = kelvin / 293.15
    oxygen = 24 + 4.04e4 * water * (0.02 + water) / (0.391 + water)
    nitrogen = relative ** -0.5 * (9 + 280 * water * math.exp(-4.170 * (relative ** (-1 / 3) - 1)))
    return 8.686 * hertz**2 * (
        1.84e-11 * relative**0.5
        + relative**-2.5
        * (
            0.01275 * math.exp(-2239.1 / kelvin) / (oxygen + hertz**2 / oxygen)
            + 0.1068 * math.exp(-3352.0 / kelvin) / (nitrogen + hertz**2 / nitrogen)
        )
    )


def sum_of(*decibels):
    """The level of several noises together."""
    return 10 * math.log10(sum(10 ** (level / 10) for level in decibels))


def snr(link, level_dbfs, metres):
    """Direct sound over noise in 1,500 Hz, in dB."""
    alpha = absorption(BAND_CENTRE_HERTZ, *link["absorption"])
    signal = link["source"] + level_dbfs - link["way"] - 20 * math.log10(metres) - alpha * metres
    return signal - sum_of(link["room"], link["microphone"])


def reach(link, level_dbfs, needed):
    """The distance at which the SNR is `needed`, in metres."""
    low, high = 0.001, 1000.0
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if snr(link, level_dbfs, middle) > needed else (low, middle)
    return low


def metres(value):
    return f"{value:.0f}" if value >= 9.5 else f"{value:.1f}"


def tables():
    names = list(LINKS)
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]

    def row(title, cell):
        lines.append(f"| {title} | " + " | ".join(cell(LINKS[name]) for name in names) + " |")

    row("source at full scale, 1 m", lambda link: f"{link['source']} dB")
    row("default level", lambda link: f"{LEVELS_DBFS[0]} dB".replace("-", "−"))
    row("turned away, covered, a body between", lambda link: f"{-link['way']} dB".replace("-", "−"))
    row(
        "absorption of air (temperature, humidity)",
        lambda link: f"−{absorption(BAND_CENTRE_HERTZ, *link['absorption']):.2f} dB/m "
        "({} °C, {} %)".format(*link["absorption"]))
    row("noise of the room in the band", lambda link: f"{link['room']} dB")
    row("noise of the microphone in the band", lambda link: f"{link['microphone']} dB")
    for distance in (1, 2, 5, 10):
        row(f"SNR at {distance} m", lambda link: f"{snr(link, LEVELS_DBFS[0], distance):.0f} dB".replace("-", "−"))
    lines += ["", "Metres at which 90 % of tokens decode, in white noise and, in brackets, across a large room:", ""]
    lines += ["| profile, level | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for profile, (noise, room) in NEEDED_DECIBELS.items():
        for level in LEVELS_DBFS:
            cells = [
                f"{metres(reach(LINKS[name], level, noise))} ({metres(reach(LINKS[name], level, room))})"
                for name in names
            ]
            title = f"`{profile}`, {level} dBFS".replace("-", "−")
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] not in ([], ["--write"], ["--absorption"]):
        sys.exit("usage: range.py [--write | --absorption]")
    if sys.argv[1:] == ["--write"]:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "range.md")
        try:
            with open(path) as file:
                before, rest = file.read().split(BEGIN)
            after = rest.split(END)[1]
        except OSError as error:
            sys.exit(f"range.py: {path}: {error.strerror}")
        except (ValueError, IndexError):
            sys.exit(f"range.py: {path} does not have the marks {BEGIN.strip()} and {END.strip()}, once each")
        if not os.access(path, os.W_OK):
            sys.exit(f"range.py: {path} cannot be written; --write is for a copy of Earshot's sources")
        with open(path, "w") as file:
            file.write(before + BEGIN + tables() + END + after)
    elif sys.argv[1:] == ["--absorption"]:
        # Table 2 of ISO 9613-2, 8 kHz, in dB a kilometre: 117, 76.6, 59.3, 202, 129, 82.8.
        weather = ((10, 70), (20, 70), (30, 70), (15, 20), (15, 50), (15, 80))
        print(*(f"{1000 * absorption(1000 * 10 ** 0.9, *air):.1f}" for air in weather))
    else:
        print(tables(), end="")


main()
