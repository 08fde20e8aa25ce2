"""What the tests share: the repository's files and the command line to compare with."""

from __future__ import annotations

import json
import os
import subprocess
import wave
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
PACKAGE = REPOSITORY / "Bindings/python"


def read_wav(path: Path) -> tuple[npt.NDArray[Any], int]:
    """Samples of shape (n, channels), int16 as they are and bytes as floats; and the rate."""
    with wave.open(str(path)) as file:
        data, width, channels = file.readframes(file.getnframes()), file.getsampwidth(), file.getnchannels()
        rate = file.getframerate()
    if width == 2:
        return np.frombuffer(data, dtype="<i2").reshape(-1, channels), rate
    assert width == 1
    return ((np.frombuffer(data, dtype=np.uint8) - 128.0) / 128).reshape(-1, channels), rate


def write_wav(path: Path, samples: npt.NDArray[np.int16], rate: int) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.astype("<i2").tobytes())


class CommandLine:
    """The program earshot."""

    def __init__(self, program: str) -> None:
        self.program = program

    def run(self, *arguments: str | Path) -> str:
        result = subprocess.run(
            [self.program, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False
        )
        # 1: no token.
        assert result.returncode in (0, 1), result.stderr
        return result.stdout

    def decode(self, *arguments: str | Path) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.run("decode", "--json", *arguments).splitlines()]


@pytest.fixture(scope="session")
def command_line() -> CommandLine:
    """The program that the environment variable EARSHOT names; `make test-python` builds it."""
    program = os.environ.get("EARSHOT")
    assert program and Path(program).is_file(), "set EARSHOT to the built program, as 'make test-python' does"
    return CommandLine(program)
