"""The command line, and captures that several tests look at.

Commands run in this process, and with `--started` each in one of its own, as a stranger starts
them: `test_as_started.py` checks that both answer the same.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contract.programs import PER_EXAMPLE, PROGRAM
from jaxscope.cli import main

_LIMIT_S = 120


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a command said, and its exit status."""

    status: int
    output: str
    errors: str

    def json(self) -> Any:
        """The one object on standard output."""
        return json.loads(self.output)


Command = Callable[..., Answer]


def run_here(*words: object) -> Answer:
    """`jaxscope WORDS…` in this process."""
    output, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            status = main([str(word) for word in words])
        except SystemExit as end:  # as of `--help`
            status = int(end.code or 0)
    return Answer(status, *(_read(stream) for stream in (output, errors)))


def _read(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def start_jaxscope(*words: object, folder: Path | None = None) -> Answer:
    """`python -m jaxscope WORDS…` in a process of its own."""
    command = [sys.executable, "-m", "jaxscope", *map(str, words)]
    environment = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=_LIMIT_S,
        check=False,
        cwd=folder,
        env=environment,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def jaxscope(pytestconfig: pytest.Config) -> Command:
    return start_jaxscope if pytestconfig.getoption("started") else run_here


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The user's Python file."""
    path = tmp_path_factory.mktemp("user") / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


class Captures:
    """The JSON of calls of the program, each made once."""

    def __init__(self, jaxscope: Command, program: Path) -> None:
        self._jaxscope = jaxscope
        self._program = program
        self._answers: dict[str, dict[str, Any]] = {}

    def __getitem__(self, call: str) -> dict[str, Any]:
        if call not in self._answers:
            answer = self._jaxscope("capture", self._program, call, "--json")
            assert answer.status == 0, answer.errors
            self._answers[call] = answer.json()
        return self._answers[call]


@pytest.fixture(scope="session")
def captures(jaxscope: Command, program: Path) -> Captures:
    return Captures(jaxscope, program)


@pytest.fixture(scope="session")
def archive(jaxscope: Command, program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved capture of a per-example gradient."""
    path = tmp_path_factory.mktemp("saved") / "capture.jaxscope"
    answer = jaxscope("capture", program, PER_EXAMPLE, "-o", path)
    assert answer.status == 0, answer.errors
    return path
