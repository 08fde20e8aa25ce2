"""The repository's fixtures: their held truth, and what the command line finds in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import REPOSITORY, CommandLine, read_wav, write_wav

import earshot

FIXTURES = sorted((REPOSITORY / "Fixtures").glob("*.wav"))


def check_equal(frames: list[earshot.Frame], lines: list[dict[str, object]]) -> None:
    """Compares frames with the command line's, which rounds to the digits that it prints."""
    assert [(frame.token, frame.profile, frame.channel, len(frame.payload)) for frame in frames] == [
        (line["token"], line["profile"], line["channel"], line["bytes"]) for line in lines
    ]
    for frame, line in zip(frames, lines, strict=True):
        for value, key, decimals in (
            (frame.start_seconds, "start_s", 3), (frame.end_seconds, "end_s", 3), (frame.snr_db, "snr_db", 1),
            (frame.offset_hz, "offset_hz", 1), (frame.path_metric, "path_metric", 2),
        ):
            expected = line[key]
            assert isinstance(expected, float)
            # Half of the last digit, and single precision.
            assert abs(value - expected) <= 0.5 * 10**-decimals + 1e-5, (key, value, expected)
        assert line.get("text") == frame.text
        assert line.get("combined", 1) == frame.combined


def test_there_are_fixtures() -> None:
    assert len(FIXTURES) == 6


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_truth(path: Path) -> None:
    truth = json.loads(path.with_suffix(".json").read_text())
    frames = earshot.decode(*read_wav(path))
    assert sorted(frame.token for frame in frames) == sorted(sent["payload"] for sent in truth["frames"])
    starts = {sent["payload"]: sent["start"] for sent in truth["frames"]}
    for frame in frames:
        assert frame.profile == truth["profile"]
        assert abs(frame.start_seconds - starts[frame.token]) <= truth["toleranceSeconds"]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_the_command_line_finds_the_same(path: Path, command_line: CommandLine) -> None:
    check_equal(earshot.decode(*read_wav(path)), command_line.decode(path))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("options", [{}, {"combine": 4}, {"separate": True}, {"profiles": ["fast", "far"]}])
def test_the_command_line_finds_the_same_in_noise(
    seed: int, options: dict[str, object], command_line: CommandLine, tmp_path: Path
) -> None:
    """Ten seconds, two channels, random payloads of all profiles from the edge of decoding upwards."""
    random = np.random.default_rng(100 + seed)
    rate = int(random.choice([44_100, 48_000]))
    sound = random.normal(0, 0.05, (10 * rate, 2))
    for _ in range(8):
        size = int(random.choice([8, 8, int(random.integers(1, 33))]))
        frame = earshot.encode(random.bytes(size), str(random.choice(earshot.PROFILES)), rate, amplitude=0.5)
        first = int(random.integers(0, len(sound) - len(frame)))
        # -14 to 6 dB: the noise has 16 times the power outside of the band.
        sound[first : first + len(frame)] += np.outer(frame, 10 ** random.uniform(-1.4, -0.4, 2))
    integers = np.round(sound * 32_768).clip(-32_768, 32_767).astype(np.int16)
    path = tmp_path / "noise.wav"
    write_wav(path, integers, rate)
    arguments = {
        "combine": ["--combine", "4"], "separate": ["--separate"], "profiles": ["--profile", "fast", "--profile", "far"],
    }
    words = [word for option in options for word in arguments[option]]
    frames = earshot.decode(integers, rate, **options)  # type: ignore[arg-type]
    # A third of the eight payloads decodes with each of these seeds, also without one profile.
    assert len(frames) >= 3
    check_equal(frames, command_line.decode(path, *words))


@pytest.mark.parametrize("name", ["token.wav", b"token.wav", Path("token.wav")])
def test_the_name_of_a_file_is_no_array(name: Any) -> None:
    with pytest.raises(TypeError, match="read the file first"):
        earshot.decode(name, 48_000)
