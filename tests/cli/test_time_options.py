"""Which experiment the words of `jaxscope time` name, and what is refused."""

from __future__ import annotations

import pytest

from jaxscope.cli.parser import parse
from jaxscope.cli.time_options import TimeOptions
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
        (("--recompilations",), "recompilations"),
        (("--recompilations", "g(x)"), "recompilations"),
        (("--against", "g(x)"), "comparison"),
        (("--against-file", "g.py"), "comparison"),
        (("--precision", "default,highest"), "comparison"),
        (("--xla", "B:xla_cpu_enable_fast_math=true"), "comparison"),
        (("--agreement",), "agreement"),
    ],
)
def test_the_words_name_the_experiment(words: tuple[str, ...], experiment: str) -> None:
    assert read(*words).experiment == experiment


def test_options_of_xla_belong_to_one_side_or_both() -> None:
    options = read("--against", "g(x)", "--xla", "a=1", "--xla", "A:b=2", "--xla", "B:c=3").options
    assert options == ({"a": "1", "b": "2"}, {"a": "1", "c": "3"})


def test_one_precision_is_that_of_both_sides() -> None:
    assert read("--against", "g(x)", "--precision", "high").precision == ("high", "high")


@pytest.mark.parametrize(
    "words",
    [
        ("--scale", "x"),
        ("--scale", "x:0=1..8", "--agreement"),
        ("--precision", "high"),
        ("--agreement", "--precision", "default,high"),
        ("--xla", "nothing"),
        ("--per-node", "-o", "out.csv"),
        ("--scale", "x:0=1..8", "-o", "out.pdf"),
    ],
)
def test_what_does_not_go_together_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        read(*words)
