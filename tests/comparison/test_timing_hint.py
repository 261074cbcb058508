"""What is said where neither side was measured: the very command that measures the two."""

from __future__ import annotations

import dataclasses
import shlex

import pytest

from comparison.conftest import Take
from jaxscope.cli.parser import parse
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
    capture = take("f(f32[8])")
    words = command(capture, capture, made, other)
    assert words[:4] == ["jaxscope", "time", capture.source.file, "f(f32[8])"]
    assert words[4:] == expected
    assert parse(words[1:]).time.experiment == "comparison"


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
