"""What the two programs of a comparison are made with, as words of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from jaxscope.errors import Explanation, UsageError

_PAIRS = {
    "precision": "precision of matrix products: default,highest",
    "dtype": "type that floating-point arguments are cast to: float32,bfloat16, or float64 with "
    "64-bit types on",
    "donate": "arguments whose buffers a call may reuse: none,all, or their names joined by +: "
    "none,params+state",
    "remat": "what of the function is kept for its gradient: none,dots_saveable, or "
    "nothing_saveable, everything_saveable, dots_with_no_batch_dims_saveable",
}


def add_comparison_options(parser: argparse.ArgumentParser) -> None:
    """Add the options; each names what differs between the two, or holds for both."""
    group = parser.add_argument_group(
        "comparisons (one value is that of both; A,B is one for each; the first may be empty)"
    )
    group.add_argument("--against-file", metavar="FILE", help="file of the call compared with")
    group.add_argument(
        "--against-target", metavar="T", help="target of the second program, such as cpu:4"
    )
    group.add_argument("--against-python", metavar="PATH", help="interpreter of the second program")
    for name, text in _PAIRS.items():
        if name != "precision":
            group.add_argument(f"--{name}", metavar="A[,B]", help=text)
    group.add_argument(
        "--precision",
        metavar="A[,B] | P",
        action="append",
        default=[],
        help=f"{_PAIRS['precision']}; a number instead, such as 1%%, is how precise the ratio of a "
        "timing shall be; can be repeated",
    )
    group.add_argument(
        "--xla",
        action="append",
        metavar="[A:|B:]OPTION=VALUE",
        default=[],
        help="a compiler option of XLA for one side or both; can be repeated",
    )
    group.add_argument(
        "--env",
        action="append",
        metavar="[A:|B:]NAME=VALUE",
        default=[],
        help="an environment variable of one side's process or both, such as "
        "B:XLA_FLAGS=--xla_cpu_multi_thread_eigen=false; can be repeated",
    )


def read_comparison_options(read: argparse.Namespace) -> dict[str, Any]:
    """What was given: fields of a `ComparisonRequest`; empty where nothing was.

    Raises:
        UsageError: A word names no option with its value.
    """
    found: dict[str, Any] = {}
    for name in _PAIRS:
        text = getattr(read, name)
        if text is not None:
            first, comma, second = text.partition(",")
            found[name] = first.strip()
            found[f"other_{name}"] = (second if comma else first).strip()
    for name, words, example in (
        ("options", read.xla, "--xla B:xla_cpu_enable_fast_math=true"),
        ("environment", read.env, "--env B:XLA_FLAGS=--xla_cpu_multi_thread_eigen=false"),
    ):
        if words:
            found[name], found[f"other_{name}"] = read_assignments(words, example)
    if read.against_target:
        found["other_target"] = read.against_target
    if read.against_python:
        found["other_python"] = read.against_python
    return found


def differs(made_with: Mapping[str, Any]) -> bool:
    """Whether the two programs are made with something different."""
    return any(
        made_with[name] != made_with.get(name.removeprefix("other_"))
        for name in made_with
        if name.startswith("other_")
    )


def read_assignments(words: Sequence[str], example: str) -> tuple[dict[str, str], dict[str, str]]:
    """What `[A:|B:]NAME=VALUE` says of each side.

    Raises:
        UsageError: A word has no name with its value; `example` shows one that does.
    """
    sides: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for word in words:
        side, colon, rest = word.partition(":")
        chosen = {"A": sides[:1], "B": sides[1:]}.get(side if colon else "", sides)
        name, equals, value = (rest if chosen is not sides else word).partition("=")
        if not equals or not name.strip():
            raise UsageError(
                Explanation(what=f"{word[:100]!r} is no name=value.", remedy=f"Such as: {example}")
            )
        for values in chosen:
            values[name.strip()] = value.strip()
    return sides
