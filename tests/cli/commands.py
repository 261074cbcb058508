"""Run the command line in this process and catch what it says; watch the processes it starts."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jaxscope.cli import main


@dataclasses.dataclass(frozen=True)
class Answer:
    """Exit status, standard output and standard error of a command."""

    status: int
    output: str
    errors: str

    def json(self) -> Any:
        """The one object on standard output."""
        return json.loads(self.output)


class CommandLine:
    """`jaxscope` as a function; user code still runs in worker processes."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: object) -> Answer:
        self._capsys.readouterr()
        status = main([str(word) for word in words])
        caught = self._capsys.readouterr()
        return Answer(status, caught.out, caught.err)


def processes_with(marker: str) -> list[int]:
    """Processes that inherited our environment variable, zombies left out."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def wait_for(condition: Callable[[], object], limit_s: float = 300.0) -> None:
    """Wait until something is so, and fail where it never is."""
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.05)
