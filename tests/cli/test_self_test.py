"""`doctor --selftest` with real processes and a window.

A part that fails is reported, and the parts after it are still tried.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.commands import CommandLine
from jaxscope.cli import self_test
from jaxscope.cli.self_test import run_self_test
from jaxscope.errors import EnvironmentProblem

PARTS = [
    *("capture", "time", "Stop", "time limit", "memory limit", "crash"),
    *("processes left", "reopen", "window"),
]


@pytest.mark.slow
def test_all_parts_work_here(
    jaxscope: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))

    answer = jaxscope("doctor", "--selftest")

    assert answer.status == 0, answer.output
    assert answer.output.startswith(f"All {len(PARTS)} parts that were tried work.\n")
    shown = answer.output.splitlines()[2 : 2 + len(PARTS)]
    assert [line.split("  ")[2].strip() for line in shown] == PARTS
    assert "SIGABRT" in answer.output
    assert f"remembers in {tmp_path / 'settings'}" in answer.output


def test_without_an_interpreter_that_starts_each_part_says_so(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 7\n")
    broken.chmod(0o755)

    tried = {part.name: part for part in run_self_test(str(broken), lambda _doing: None)}

    assert list(tried) == PARTS
    assert not any(part.is_good for part in tried.values())
    assert "no capture" in tried["window"].text


def test_what_does_not_end_as_it_must_is_no_success(
    jaxscope: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here a run without a limit, which ends well, stands for a limit that is not kept."""
    part = {"crash": lambda setup: self_test._ends(setup, setup.request("good"))}
    monkeypatch.setattr(self_test, "_CHECKS", part)

    answer = jaxscope("doctor", "--selftest", "--json")

    (tried,) = answer.json()["self_test"]
    assert not tried["is_good"]
    assert "as if nothing had happened" in tried["text"]
    assert answer.status == EnvironmentProblem.exit_status
