"""The command line as a stranger starts it, and captures that several tests look at."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from contract.programs import CALLS, PROGRAM

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


def run_jaxscope(*words: object, folder: Path | None = None) -> Answer:
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
def jaxscope() -> Command:
    return run_jaxscope


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The user's file."""
    path = tmp_path_factory.mktemp("user") / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


class Captures:
    """The JSON of every call of `CALLS`: made two at a time, and once."""

    def __init__(self, program: Path, pool: ThreadPoolExecutor) -> None:
        self._program = program
        self._pool = pool
        self._answers: dict[str, Future[Answer]] = {}
        for call in CALLS:
            self._ask(call)

    def __getitem__(self, call: str) -> dict[str, Any]:
        answer = self._ask(call).result()
        assert answer.status == 0, answer.errors
        capture: dict[str, Any] = answer.json()
        return capture

    def _ask(self, call: str) -> Future[Answer]:
        if call not in self._answers:
            self._answers[call] = self._pool.submit(
                run_jaxscope, "capture", self._program, call, "--json"
            )
        return self._answers[call]


@pytest.fixture(scope="session")
def captures(program: Path) -> Iterator[Captures]:
    with ThreadPoolExecutor(2) as pool:
        yield Captures(program, pool)
        pool.shutdown(cancel_futures=True)


@pytest.fixture(scope="session")
def archive(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved capture of a per-example gradient."""
    from contract.programs import PER_EXAMPLE

    path = tmp_path_factory.mktemp("saved") / "capture.jaxscope"
    answer = run_jaxscope("capture", program, PER_EXAMPLE, "-o", path)
    assert answer.status == 0, answer.errors
    return path
