"""Which experiment the words of `jaxscope time` name, and what is refused."""

from __future__ import annotations

import pytest

from jaxscope.cli.parser import TimeOptions, parse
from jaxscope.errors import UsageError


def read(*words: str) -> TimeOptions:
    return parse(["time", "f.py", "f(x)", *words]).time


@pytest.mark.parametrize(
    ("words", "experiment"),
    [
        ((), "call"),
        (("--rigorous",), "call"),
        (("--per-node",), "nodes"),
        (("--scale", "x:0=1..8"), "scaling"),
        (("--batch", "1..8"), "scaling"),
        (("--depth", "1..8"), "scaling"),
        (("--recompilations",), "recompilations"),
        (("--recompilations", "g(x)"), "recompilations"),
        (("--against", "g(x)"), "comparison"),
        (("--against-file", "g.py"), "comparison"),
        (("--precision", "default,highest"), "comparison"),
        (("--xla", "B:xla_cpu_enable_fast_math=true"), "comparison"),
        (("--dtype", "float32,bfloat16"), "comparison"),
        (("--donate", "none,x+y"), "comparison"),
        (("--remat", "none,dots_saveable"), "comparison"),
        (("--against-target", "cpu:4"), "comparison"),
        (("--against-python", "/usr/bin/python3"), "comparison"),
        (("--env", "B:XLA_FLAGS=--xla_cpu_multi_thread_eigen=false"), "comparison"),
        (("--against", "g(x)", "--rigorous"), "comparison"),
        (("--agreement",), "agreement"),
    ],
)
def test_the_words_name_the_experiment(words: tuple[str, ...], experiment: str) -> None:
    assert read(*words).experiment == experiment


def test_options_of_xla_belong_to_one_side_or_both() -> None:
    words = ("--xla", "a=1", "--xla", "A:b=2", "--xla", "B:c=3")
    found = read("--against", "g(x)", *words).made_with
    assert found == {"options": {"a": "1", "b": "2"}, "other_options": {"a": "1", "c": "3"}}


def test_one_value_is_that_of_both_sides() -> None:
    found = read("--against", "g(x)", "--precision", "high").made_with
    assert found == {"precision": "high", "other_precision": "high"}


def test_the_first_of_two_values_may_be_empty() -> None:
    assert read("--dtype", ",bfloat16").made_with == {"dtype": "", "other_dtype": "bfloat16"}


def test_the_value_of_a_variable_may_have_any_characters() -> None:
    found = read("--env", "B:XLA_FLAGS=--a=1 --b=c:d").made_with
    assert found == {"environment": {}, "other_environment": {"XLA_FLAGS": "--a=1 --b=c:d"}}


@pytest.mark.parametrize(
    "words",
    [
        ("--scale", "x"),
        ("--scale", "x:0=1..8", "--agreement"),
        ("--precision", "high"),
        ("--agreement", "--precision", "default,high"),
        ("--xla", "nothing"),
        ("--env", "B:nothing"),
        ("--dtype", "bfloat16"),
        ("--agreement", "--rigorous"),
        ("--recompilations", "-o", "out.csv"),
        ("--scale", "x:0=1..8", "-o", "out.pdf"),
    ],
)
def test_what_does_not_go_together_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        read(*words)
