"""What is said where neither side was measured: the very command that measures the two."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path

import pytest

from comparison.conftest import Take
from jaxscope.cli.parser import parse
from jaxscope.client.one_shot import capture
from jaxscope.model import Capture
from jaxscope.program.diff.captures import DEFAULT_SETTINGS, CompileSettings, describe_missing_times


def command(
    first: Capture, second: Capture, made: CompileSettings, other: CompileSettings
) -> list[str]:
    """The words of the command in the sentence."""
    sentence = describe_missing_times(first, second, made, other)
    _, found, words = sentence.partition("in turns: ")
    assert found, sentence
    return shlex.split(words)


@pytest.mark.parametrize(
    ("made", "other", "expected"),
    [
        (DEFAULT_SETTINGS, CompileSettings(xla={"a": "b c"}), ["--xla", "B:a=b c"]),
        (
            CompileSettings(xla={"a": "1", "b": "2"}),
            CompileSettings(xla={"a": "1", "b": "3"}),
            ["--xla", "a=1", "--xla", "A:b=2", "--xla", "B:b=3"],
        ),
        (DEFAULT_SETTINGS, CompileSettings(x64=True), ["--env", "B:JAX_ENABLE_X64=1"]),
        (
            CompileSettings("/p/python", x64=True),
            CompileSettings("/q/python", x64=True),
            ["--python", "/p/python", "--against-python", "/q/python", "--x64"],
        ),
    ],
)
def test_what_differs_is_said_to_the_stopwatch(
    take: Take, made: CompileSettings, other: CompileSettings, expected: list[str]
) -> None:
    taken = take("f(f32[8])")
    words = command(taken, taken, made, other)
    assert words[:4] == ["jaxscope", "time", taken.call_file, "f(f32[8])"]
    assert words[4:] == expected
    assert parse(words[1:]).time.experiment == "comparison"


def test_the_file_of_the_call_is_named_where_its_function_is_of_another(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def scaled(x):\n    return x * 2.0\n")
    main = tmp_path / "main.py"
    main.write_text("import numpy\nfrom helper import scaled\nDATA = numpy.ones(3)\n")
    taken = capture(str(main), "scaled(DATA)")
    assert Path(taken.source.file).name == "helper.py"
    assert Path(taken.call_file).name == "main.py"
    assert taken.own_file == taken.source.file
    words = command(taken, taken, DEFAULT_SETTINGS, CompileSettings(x64=True))
    assert Path(words[2]).name == "main.py"
    installed = tmp_path / "site-packages" / "flax" / "autodiff.py"
    source = dataclasses.replace(taken.source, file=str(installed))
    assert dataclasses.replace(taken, source=source).own_file == taken.call_file


def test_two_calls_on_two_targets(take: Take) -> None:
    first = take("f(f32[8])")
    second = dataclasses.replace(take("grad(f)(f32[8])"), target="cpu:2")
    words = command(first, second, DEFAULT_SETTINGS, DEFAULT_SETTINGS)
    assert words[4:] == ["--against", "grad(f)(f32[8])", "--against-target", "cpu:2"]


def test_the_same_twice_is_still_measured_against_itself(take: Take) -> None:
    capture = take("f(f32[8])")
    assert command(capture, capture, DEFAULT_SETTINGS, DEFAULT_SETTINGS)[4:] == [
        "--against",
        "f(f32[8])",
    ]


def test_what_cannot_run_is_not_told_to(take: Take) -> None:
    capture = dataclasses.replace(take("f(f32[8])"), target="aot:gpu:h100")
    assert "cannot run" in describe_missing_times(capture, capture)


def test_a_call_that_lived_in_one_process_has_no_command(take: Take) -> None:
    capture = dataclasses.replace(take("f(f32[8])"), call="f(Model(…))")
    assert "FILE CALL" in describe_missing_times(capture, capture)
