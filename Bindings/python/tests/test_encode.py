"""Payloads to samples."""

from __future__ import annotations

import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import REPOSITORY, CommandLine

import earshot

TOKEN = "0123456789abcdef"
# 52 tones of 32 / 1500 s: docs/PROTOCOL.md.
SECONDS = {"fast": 52 * 16 / 1500, "standard": 52 * 32 / 1500, "far": 52 * 64 / 1500}


def test_version_is_the_program_s(command_line: CommandLine) -> None:
    assert command_line.run("--version").strip() == f"earshot {earshot.__version__}"


def test_version_is_the_header_s() -> None:
    header = (REPOSITORY / "Sources/Bindings/CEarshot/earshot.h").read_text()
    project = (REPOSITORY / "Bindings/python/pyproject.toml").read_text()
    assert f'#define EARSHOT_VERSION "{earshot.__version__}"' in header
    assert f'version = "{earshot.__version__}"' in project


@pytest.mark.parametrize("profile", earshot.PROFILES)
@pytest.mark.parametrize("rate", [44_100, 48_000, 96_000, 768_000])
def test_length_type_and_peak(profile: str, rate: int) -> None:
    samples = earshot.encode(TOKEN, profile, rate)
    assert samples.dtype == np.float32 and samples.ndim == 1
    assert 0 <= len(samples) - SECONDS[profile] * rate < 1
    assert 0.249 < np.abs(samples).max() <= 0.25


def test_forms_of_a_payload_are_equal() -> None:
    samples = earshot.encode(TOKEN)
    forms: list[Any] = [
        TOKEN.upper(), "01 23 45 67 89 ab cd ef", bytes.fromhex(TOKEN), bytearray.fromhex(TOKEN),
        memoryview(bytes.fromhex(TOKEN)),
    ]
    for form in forms:
        np.testing.assert_array_equal(earshot.encode(form), samples)
    assert not np.array_equal(earshot.encode("0123456789abcdee"), samples)


def test_integers_are_rounded_floats() -> None:
    floats = earshot.encode(TOKEN, amplitude=1)
    integers = earshot.encode(TOKEN, amplitude=1, dtype=np.int16)
    assert integers.dtype == np.int16
    np.testing.assert_array_equal(integers, np.minimum(np.round(floats * np.float32(32_768)), 32_767))


def test_a_burst_has_gaps_of_four_tones() -> None:
    one, burst = earshot.encode(TOKEN), earshot.encode(TOKEN, burst=3)
    for index in range(3):
        start = round(index * 56 * 32 / 1500 * 48_000)
        np.testing.assert_array_equal(burst[start : start + len(one)], one)
    assert len(burst) == round(2 * 56 * 32 / 1500 * 48_000) + len(one)


@pytest.mark.parametrize("profile", earshot.PROFILES)
@pytest.mark.parametrize("rate", [44_100, 48_000])
def test_the_command_line_writes_the_same(
    command_line: CommandLine, tmp_path: Path, profile: str, rate: int
) -> None:
    path = tmp_path / "token.wav"
    command_line.run("encode", TOKEN, "-o", path, "--profile", profile, "--rate", str(rate), "--level", "0", "-q")
    with wave.open(str(path)) as file:
        written = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
    margin = rate // 10
    np.testing.assert_array_equal(
        written[margin:-margin], earshot.encode(TOKEN, profile, rate, amplitude=1, dtype=np.int16)
    )
    assert not written[:margin].any() and not written[-margin:].any()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"token": ""}, ValueError, "0 bytes"),
        ({"token": b""}, ValueError, "0 bytes"),
        ({"token": bytes(33)}, ValueError, "33 bytes"),
        ({"token": "abc"}, ValueError, "hexadecimal"),
        ({"token": "Hello"}, ValueError, "'Hello'.encode()"),
        ({"token": 5}, TypeError, "int"),
        ({"token": None}, TypeError, "NoneType"),
        ({"profile": "slow"}, ValueError, "'slow'; there are fast, standard, far"),
        ({"profile": None}, ValueError, "None"),
        ({"rate": 0}, earshot.EarshotError, "44100 to 768000"),
        ({"rate": 44_099}, earshot.EarshotError, "44099 Hz"),
        ({"rate": 768_001}, earshot.EarshotError, "768001 Hz"),
        ({"rate": -48_000}, ValueError, "-48000"),
        ({"rate": 48_000.5}, ValueError, "48000.5"),
        ({"rate": 48_000 + 2**32}, ValueError, "rate"),
        ({"amplitude": 0}, ValueError, "amplitude"),
        ({"amplitude": -1}, ValueError, "amplitude"),
        ({"amplitude": 1.01}, ValueError, "amplitude"),
        ({"amplitude": float("nan")}, ValueError, "amplitude"),
        ({"burst": 0}, ValueError, "burst"),
        ({"burst": 9}, earshot.EarshotError, "burst"),
        ({"burst": 2, "token": b"seven77"}, earshot.EarshotError, "burst"),
        ({"dtype": np.float64}, TypeError, "float64"),
        ({"dtype": np.uint8}, TypeError, "uint8"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words.replace("(", r"\(").replace(")", r"\)")):
        earshot.encode(**{"token": TOKEN, **arguments})


def test_the_smallest_amplitude_is_not_the_default() -> None:
    assert np.abs(earshot.encode(TOKEN, amplitude=1e-300)).max() < 1e-20
