"""Run the command line in this process and catch what it says."""

from __future__ import annotations

import dataclasses
import json
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
