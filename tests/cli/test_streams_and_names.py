"""Outputs that cannot be written, few descriptors, and names that are no text: a sentence each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FULL = "/dev/full"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def shell(words: str, *parts: object, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of the shell, where `$@` is this jaxscope with some words."""
    command = [sys.executable, "-m", "jaxscope", *map(os.fspath, map(_word, parts))]
    return subprocess.run(
        ["sh", "-c", words, "sh", *command],
        capture_output=True,
        env={**ENVIRONMENT, **variables},
        check=False,
    )


def _word(part: object) -> str | bytes:
    return part if isinstance(part, bytes) else str(part)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("line", "says"),
    (
        (f'"$@" > {FULL}', "No space left on device"),
        (f'"$@" --json > {FULL}', "No space left on device"),
        ('"$@" >&-', "it is closed"),
        ('"$@" --json >&-', "it is closed"),
        ('"$@" >&- 2>&-', ""),
    ),
)
def test_an_output_that_cannot_be_written_is_said(archive: Path, line: str, says: str) -> None:
    answer = shell(line, "open", archive)
    errors = answer.stderr.decode()

    assert answer.returncode == 3
    assert says in errors
    assert "Traceback" not in errors
    assert "Exception ignored" not in errors


@pytest.mark.parametrize("words", (("--help",), ("capture", "--help"), ("--version",)))
@pytest.mark.parametrize(
    ("line", "says"), ((f'"$@" > {FULL}', "No space left on device"), ('"$@" >&-', "it is closed"))
)
def test_help_that_cannot_be_written_is_said(words: tuple[str, ...], line: str, says: str) -> None:
    answer = shell(line, *words)
    errors = answer.stderr.decode()

    assert answer.returncode == 3 and says in errors and "Traceback" not in errors


def test_who_reads_no_further_has_seen_enough(archive: Path) -> None:
    answer = shell('"$@" | head -c 1', "open", archive)

    assert (answer.returncode, len(answer.stdout), answer.stderr) == (0, 1, b"")


def test_a_file_is_written_though_all_streams_are_closed(archive: Path, tmp_path: Path) -> None:
    place = tmp_path / "out.json"
    answer = shell('"$@" <&- >&- 2>&-', "capture", archive, "-o", place)

    assert answer.returncode == 0
    assert place.read_text().startswith("{")


def test_a_file_that_cannot_be_saved_is_named_by_its_own_name(
    archive: Path, tmp_path: Path
) -> None:
    """And not by that of its draft."""
    place = tmp_path / "out.jaxscope"

    answer = shell('ulimit -f 1; "$@"', "capture", archive, "-o", place)
    errors = answer.stderr.decode()
    assert answer.returncode == 3, errors
    assert "out.jaxscope" in errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("count", (40, pytest.param(256, marks=pytest.mark.slow)))
def test_few_descriptors_suffice(tmp_path: Path, count: int) -> None:
    """A worker's own are numbered from 200 on, where there are so many."""
    file = tmp_path / "file.py"
    file.write_text("# jaxscope: f(f32[3])\ndef f(x):\n    return x + 1\n")

    answer = shell(f'ulimit -n {count}; "$@"', "capture", file, "-o", tmp_path / "out.json")
    assert answer.returncode == 0, answer.stderr.decode()


def test_too_few_descriptors_are_said(tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text("# jaxscope: f(f32[3])\ndef f(x):\n    return x + 1\n")

    answer = shell('ulimit -n 14; "$@"', "calls", file)
    errors = answer.stderr.decode()
    assert answer.returncode == 3, errors
    assert "descriptors" in errors
    assert "ulimit -n" in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("name", "variables"),
    (
        (b"b\xff\xfe.py", {}),
        ("\N{GRINNING FACE}.py".encode(), {"LC_ALL": "C", "PYTHONUTF8": "0"}),
    ),
)
@pytest.mark.slow
def test_a_path_that_is_no_text_is_said(
    tmp_path: Path, name: bytes, variables: dict[str, str]
) -> None:
    """JAX fails on it with `std::bad_cast`."""
    file = os.path.join(os.fsencode(tmp_path), name)
    Path(os.fsdecode(file)).write_text("# jaxscope: f(f32[3])\ndef f(x):\n    return x + 1\n")
    answer = shell('"$@"', "capture", file, "--json", **variables)
    assert answer.returncode == 1, answer.stdout
    assert b"encoding" in answer.stdout

    answer = shell('"$@"', "calls", file, **variables)
    assert answer.returncode == 0, "nothing of it runs"
    assert b"f(f32[3])" in answer.stdout


def test_pipes_and_devices_are_no_scripts(tmp_path: Path) -> None:
    pipe = tmp_path / "script.py"
    os.mkfifo(pipe)
    answer = shell('"$@"', "run", "--out", tmp_path / "out", pipe)
    assert answer.returncode == 1
    assert b"is no regular file" in answer.stderr
