"""`calls`, `time`, `doctor`, help, and the window's guard."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.commands import CommandLine
from cli.conftest import SAMPLE
from jaxscope.cli import window
from jaxscope.setup.system_libraries import MissingLibraries
from jaxscope.verbs import VERBS, WINDOW


def test_calls_lists_without_running(jaxscope: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "loud.py"
    file.write_text(
        "# jaxscope: f(1)\nraise SystemExit('it ran')\n\ndef f(x, y=2):\n    'Doc of f.'\n"
    )
    answer = jaxscope("calls", file)
    assert answer.status == 0
    assert "  f(1)\n" in answer.output
    assert "f(x, y=2)  Doc of f." in answer.output


def test_methods_stand_below_their_class(jaxscope: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("class Model:\n    def apply(self, x): ...\ndef loss(x): ...\n")

    lines = jaxscope("calls", file).output.splitlines()

    assert lines[-3:] == ["  class Model", "    apply(self, x)", "  loss(x)"]


def test_a_mistyped_verb_is_no_file(jaxscope: CommandLine) -> None:
    answer = jaxscope("captur", SAMPLE)

    assert answer.status == 2
    assert "'captur'" in answer.errors
    assert "jaxscope capture?" in answer.errors


def test_calls_as_json(jaxscope: CommandLine) -> None:
    outline = jaxscope("calls", SAMPLE, "--json").json()
    assert outline["calls"][0]["call"] == "simple_graph(f32[3])"
    assert [function["name"] for function in outline["functions"]] == ["simple_graph"]


def test_time_as_json(jaxscope: CommandLine) -> None:
    answer = jaxscope("time", SAMPLE, "simple_graph(f32[1000])", "--json")
    assert answer.status == 0, answer.errors
    timing = answer.json()
    by_name = {measurement["name"]: measurement for measurement in timing["measurements"]}
    assert {"eager", "jit", "trace", "lower", "compile"} <= set(by_name)
    for measurement in by_name.values():
        assert measurement["unit"] == "s"
        assert measurement["median"] > 0
    assert "eager/jit" in [ratio["name"] for ratio in timing["ratios"]]


def test_doctor(jaxscope: CommandLine) -> None:
    answer = jaxscope("doctor", "--json")
    assert answer.status == 0, answer.output
    findings = {finding["name"]: finding for finding in answer.json()["findings"]}
    assert findings["worker"]["is_good"] is True
    assert findings["target cpu"]["is_good"] is True
    assert {"jaxscope", "Python", "Qt's libraries", "display", "Graphviz"} <= set(findings)


def test_doctor_with_a_broken_interpreter(jaxscope: CommandLine, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 7\n")
    broken.chmod(0o755)
    answer = jaxscope("doctor", "--python", broken)
    assert answer.status in (3, 4)
    assert "--  worker" in answer.output
    assert "Qt's libraries" in answer.output, "the rest is still looked at"


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example_and_the_statuses(
    verb: str, capsys: pytest.CaptureFixture[str], jaxscope: CommandLine
) -> None:
    words = ["--help"] if verb == WINDOW else [verb, "--help"]
    with pytest.raises(SystemExit) as caught:
        jaxscope(*words)
    shown = capsys.readouterr().out
    assert caught.value.code == 0
    assert VERBS[verb].example in re.sub(r" \\\n +", " ", shown)
    assert "exit status" in shown
    assert "--target" in shown


def test_the_window_needs_its_libraries(
    jaxscope: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = MissingLibraries(("libEGL.so.1",), ("libegl1",))
    monkeypatch.setattr(window, "find_missing_libraries", lambda: missing)
    answer = jaxscope(SAMPLE)
    assert answer.status == 3
    assert "libEGL.so.1" in answer.errors
    assert "libegl1" in answer.errors
    assert "jaxscope capture" in answer.errors


def test_the_window_needs_a_display(jaxscope: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    answer = jaxscope()
    assert answer.status == 3
    assert "no display" in answer.errors


def test_the_window_prints_no_json(jaxscope: CommandLine) -> None:
    answer = jaxscope(SAMPLE, "--json")
    assert answer.status == 2
    assert "window" in json.loads(answer.output)["what"]
