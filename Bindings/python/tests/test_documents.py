"""The examples run as they stand in the documents, and the types are what the annotations say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PACKAGE, REPOSITORY

import earshot

DOCUMENTS = [REPOSITORY / "docs/LIBRARIES.md", PACKAGE / "README.md"]


def blocks(path: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", path.read_text(), flags=re.DOTALL)


def run_python(code: str, folder: Path, **environment: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=600, check=False,
        env={**os.environ, **environment},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("path", DOCUMENTS, ids=["libraries", "package"])
def test_the_two_lines_of_each_document(path: Path, tmp_path: Path) -> None:
    first = blocks(path)[0]
    assert len(first.strip().splitlines()) == 2
    assert "payload=b'\\x01#Eg\\x89\\xab\\xcd\\xef', profile='standard'" in run_python(first, tmp_path)


def test_the_recording_of_the_readme(tmp_path: Path) -> None:
    fixture = REPOSITORY / "Fixtures/token-standard-clean.48000.s16.wav"
    (tmp_path / "token.wav").write_bytes(fixture.read_bytes())
    printed = run_python(blocks(PACKAGE / "README.md")[1], tmp_path)
    assert re.fullmatch(r"0\.1\d\d s  0123456789abcdef  standard  SNR \d+\.\d dB\n", printed)


def test_the_stream_of_the_readme(tmp_path: Path) -> None:
    """With an arecord that plays a fixture."""
    fixture = REPOSITORY / "Fixtures/token-standard-clean.48000.s16.wav"
    program = tmp_path / "arecord"
    program.write_text(f"#!/bin/sh\ntail -c +45 '{fixture}'\nhead -c 96000 /dev/zero\n")
    program.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    assert run_python(blocks(PACKAGE / "README.md")[2], tmp_path, PATH=path) == "0123456789abcdef None\n"


def test_the_blocks_of_the_readme(tmp_path: Path) -> None:
    fixture = REPOSITORY / "Fixtures/token-standard-clean.48000.s16.wav"
    (tmp_path / "token.wav").write_bytes(fixture.read_bytes())
    code = blocks(PACKAGE / "README.md")[3] + "print([frame.token for frame in frames])\n"
    assert run_python(code, tmp_path) == "['0123456789abcdef']\n"


def test_the_docstring_s_example(tmp_path: Path) -> None:
    assert earshot.__doc__
    lines = [line.strip() for line in earshot.__doc__.splitlines() if line.startswith("    ")]
    assert len(lines) == 3 and "profile='standard'" in run_python("\n".join(lines), tmp_path)


@pytest.mark.parametrize("fixture", [None, "token-standard-clean.48000.s16.wav"])
def test_the_waterfall(fixture: str | None, tmp_path: Path) -> None:
    import matplotlib.image

    picture = tmp_path / "waterfall.png"
    example = PACKAGE / "examples/waterfall.py"
    arguments = [str(REPOSITORY / "Fixtures" / fixture), str(picture)] if fixture else []
    # Without arguments it shows a window, which Agg leaves out.
    result = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore:FigureCanvasAgg:UserWarning", str(example), *arguments], capture_output=True, text=True,
        timeout=600, check=False, env={**os.environ, "MPLBACKEND": "Agg"},
    )
    assert result.returncode == 0, result.stderr
    tokens = [line.split()[2] for line in result.stdout.splitlines()]
    if fixture is None:
        hello = b"Hello, room".hex()
        assert tokens == ["a1a1a1a1a1a1a1a1", "b2b2b2b2b2b2b2b2", "c3c3c3c3c3c3c3c3", hello]
        return
    assert tokens == ["0123456789abcdef"]
    # The tones stand out: bright pixels in a dark picture.
    image = matplotlib.image.imread(picture)[:, :, :3].mean(axis=2)
    assert image.shape[1] > 1_000 and image.std() > 0.1


def test_types() -> None:
    from mypy import api

    configuration = ["--strict", "--config-file", str(PACKAGE / "pyproject.toml")]
    configuration += ["--cache-dir", str(REPOSITORY / ".build/python/mypy")]
    output, errors, status = api.run([*configuration, "-p", "earshot"])
    assert status == 0, output + errors
    # A program of a user: it sees the annotations because of py.typed.
    program = (
        "import earshot\n"
        "reveal_type(earshot.decode(earshot.encode('00'), 48000))\n"
        "earshot.encode(3)\n"
        "earshot.Receiver(48000).push([0.0])[0].snr_db + 'x'\n"
    )
    output, errors, status = api.run([*configuration, "-c", program])
    assert status == 1 and 'list[earshot.frame.Frame]"' in output, output + errors
    assert "incompatible type" in output and "Unsupported operand types" in output and "Found 2 errors" in output
