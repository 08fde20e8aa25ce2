"""Compares the C interface, the Python package and WebAssembly with the command line: speed, memory, size.

    bindings.py EARSHOT DECODE OWN_DECODE WHEEL PAGE [--minutes M] [--note TEXT]

EARSHOT is the program, DECODE the compiled decode.c, OWN_DECODE the same with the library without FFTW, WHEEL the wheel, PAGE
the built web page; the package itself is installed. Prints a section of
Markdown, and with --write FILE puts it into that file in place of the section of the same name.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import os
import re
import subprocess
import sys
import tempfile
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np

import earshot

RATE = 48_000
ROUNDS = 5
TITLE = "Bindings"


def recording(minutes: float, every_seconds: float | None, path: Path) -> int:
    """Writes noise, with a random `standard` token every so many seconds 20 dB above it; returns the number of tokens.

    The seed is 1. The noise repeats after a minute, which no receiver remembers."""
    random = np.random.default_rng(seed=1)
    amplitude = 0.25
    # The noise in 1,500 of 24,000 Hz is 20 dB below a sine of that amplitude.
    deviation = amplitude * np.sqrt(0.5 / 10 ** (20 / 10) * 16)
    minute = random.normal(0, deviation, 60 * RATE)
    count = 0
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        seconds = 0.0
        for _ in range(round(minutes)):
            sound = minute.copy()
            seconds = 0.3
            while every_seconds is not None and seconds < 58:
                token = earshot.encode(random.bytes(8), "standard", RATE, amplitude=amplitude)
                first = round(seconds * RATE)
                sound[first : first + len(token)] += token
                seconds += every_seconds
                count += 1
            file.writeframes(np.round(sound * 32_768).clip(-32_768, 32_767).astype("<i2").tobytes())
    return count


def measure(command: list[str]) -> tuple[str, float]:
    """What a command prints, and its processor time in seconds."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{command[0]} failed with {process.returncode}")
    return output, usage.ru_utime + usage.ru_stime


def peak_memory(command: list[str]) -> int:
    """The largest resident memory of a command, in bytes. GNU time starts it, because a process counts what the one
    that started it took."""
    result = subprocess.run(["/usr/bin/time", "-f", "%M", *command], capture_output=True, text=True, check=False)
    return int(result.stderr.splitlines()[-1]) * 1_024


PYTHON_START = "import numpy, earshot"
PYTHON_DECODE = """
import sys, numpy, earshot
# Mapped, not read: an hour of sound takes no memory.
samples = numpy.memmap(sys.argv[1], dtype="<i2", offset=44)
print(len(earshot.decode(samples, 48_000)))
"""


def section(
    program: str, decode: str, own_decode: str, wheel: Path, page: Path, minutes: float, note: str
) -> str:
    script = str(Path(__file__).with_name("decode.mjs"))
    commands: dict[str, tuple[Callable[[str], list[str]], Callable[[str], int]]] = {
        "`earshot decode`": (lambda path: [program, "decode", "--json", "--quiet", path], lambda text: len(text.splitlines())),
        "C, `libearshot.so`": (lambda path: [decode, path], int),
        "C, without FFTW": (lambda path: [own_decode, path], int),
        "WebAssembly, `modem.js` in node": (lambda path: ["node", script, str(page), path], int),
        "Python, `earshot.decode`": (lambda path: [sys.executable, "-c", PYTHON_DECODE, path], int),
    }
    lines = [
        f"## {TITLE}",
        "",
        "`make bench-bindings`",
        "",
        f"Measured on {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d} with load averages of "
        f"LOAD on {os.cpu_count()} cores. {minutes:.0f} minutes, 48 kHz, 16 bit, mono, all profiles on; noise 20 dB below "
        f"the tokens, seed 1. Whole processes in turns: user and system time, the best of {ROUNDS} runs (the worst in "
        "brackets). *× real time* varies with the machine's other work; *ratio* is the speed over that of `earshot "
        "decode` in the same run. Python's time includes its start, and its memory the recording, which it maps "
        f"({minutes * 60 * RATE * 2 / 1e6:.0f} MB). WebAssembly's includes the start of node and the compilation." + (f" {note}" if note else ""),
        "",
        "| recording | program | processor time | × real time | ratio | peak memory | tokens |",
        "|---|---|---|---|---|---|---|",
    ]
    loads = [os.getloadavg()[0]]
    start = min(measure([sys.executable, "-c", PYTHON_START])[1] for _ in range(ROUNDS))
    for name, every_seconds in [("noise", None), ("a token every 10 s", 10.0), ("a token every 2 s", 2.0)]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "recording.wav"
            sent = recording(minutes, every_seconds, path)
            times: dict[str, list[float]] = {key: [] for key in commands}
            memory = {key: peak_memory(command(str(path))) for key, (command, _) in commands.items()}
            heard: dict[str, int] = {}
            for _ in range(ROUNDS):
                for key, (command, count) in commands.items():
                    output, seconds = measure(command(str(path)))
                    times[key].append(seconds)
                    heard[key] = count(output)
        loads.append(os.getloadavg()[0])
        native = min(times["`earshot decode`"])
        for key, seconds_of in times.items():
            best = min(seconds_of)
            lines.append(
                f"| {name} | {key} | {best:.3f} s ({max(seconds_of):.3f}) | **{minutes * 60 / best:.0f}** | "
                f"{native / best:.2f} | {memory[key] / 1e6:.0f} MB | {heard[key]} of {sent} |"
            )
    library = Path(earshot.__file__).with_name("libearshot.so")
    size_without = (Path(own_decode).parent / "installed/lib/libearshot.so").stat().st_size
    module = page / "earshot.wasm"
    compressed = len(gzip.compress(module.read_bytes()))
    lines += [
        "",
        f"Python's start, with NumPy and the package: {start:.3f} s.",
        "",
        "| file | size |",
        "|---|---|",
        f"| `libearshot.so`, stripped, with Swift's runtime and FFTW in it | {library.stat().st_size / 1e6:.1f} MB |",
        f"| the same without FFTW | {size_without / 1e6:.1f} MB |",
        f"| `earshot.wasm` | {module.stat().st_size / 1e3:.0f} KB, {compressed / 1e3:.0f} KB by gzip |",
        f"| the wheel | {wheel.stat().st_size / 1e6:.1f} MB |",
        "",
    ]
    return "\n".join(lines).replace("LOAD", f"{min(loads):.1f} to {max(loads):.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("decode")
    parser.add_argument("own_decode")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("page", type=Path)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--note", default="", help="a sentence about this run")
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    text = section(
        arguments.program, arguments.decode, arguments.own_decode, arguments.wheel, arguments.page, arguments.minutes,
        arguments.note)
    print(text)
    if arguments.write:
        document = arguments.write.read_text()
        # Up to the next section, or to the end.
        old = re.compile(rf"^## {TITLE}\n.*?(?=^## |\Z)", flags=re.DOTALL | re.MULTILINE)
        new = old.sub(lambda _: text + "\n", document) if old.search(document) else document.rstrip() + "\n\n" + text
        arguments.write.write_text(new)


if __name__ == "__main__":
    main()
