"""The options of `jaxscope diff`: what of the two sides differs, what is shown, where it goes."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping
from pathlib import Path

from jaxscope.cli.comparison_options import read_assignments
from jaxscope.errors import Explanation, UsageError

FORMATS = ("html", "md", "txt", "json")
DIFFERENT = 5
"""Exit status of `jaxscope diff` where the sides differ; 1 to 4 keep their meanings."""


@dataclasses.dataclass(frozen=True, slots=True)
class DiffOptions:
    """What `jaxscope diff` is asked for beyond the two sides.

    Attributes:
        stages: Keys of the stages to compare in detail; empty for a summary of all.
        output: Where to write, with an ending out of `FORMATS`; None prints.
        target_b: Target of the second side; None for that of the first.
        python_b: Interpreter of the second side, likewise.
        x64_b: Whether only the second side lets JAX use 64-bit types.
        xla: Options of XLA's that the sides are compiled with, name to value.
    """

    stages: tuple[str, ...] = ()
    output: Path | None = None
    target_b: str | None = None
    python_b: Path | None = None
    x64_b: bool = False
    xla: tuple[Mapping[str, str], Mapping[str, str]] = dataclasses.field(
        default_factory=lambda: ({}, {})
    )


def add_diff_options(parser: argparse.ArgumentParser) -> None:
    """Declare them."""
    parser.add_argument(
        "--stage",
        action="append",
        default=[],
        metavar="NAME",
        help="list every difference of this stage, and compare its text line by line; may be "
        "given again; two names with a colon compare different stages, such as jaxpr:grad",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="write everything to a file instead; the ending picks the format: "
        + " ".join(f".{name}" for name in FORMATS),
    )
    parser.add_argument(
        "--xla",
        action="append",
        metavar="[A:|B:]OPTION=VALUE",
        default=[],
        help="compile one side or both with an option of XLA, such as "
        "B:xla_disable_hlo_passes=algsimp; can be repeated",
    )
    second = parser.add_argument_group("options of B alone; without them it has those of A")
    second.add_argument("--target-b", metavar="TARGET", help="target of B")
    second.add_argument("--python-b", metavar="PATH", help="interpreter of B: another JAX")
    second.add_argument("--x64-b", action="store_true", help="64-bit types in B only")


def read_diff_options(read: argparse.Namespace) -> DiffOptions:
    """Read them.

    Raises:
        UsageError: The ending of the output names no format, or an option has no value.
    """
    output = None if read.output in (None, "-") else Path(read.output)
    if output is not None:
        ending = output.suffix.lower().removeprefix(".")
        if ending not in FORMATS:
            raise UsageError(
                Explanation(
                    what=f"{output.name} has no ending that names a format of comparisons.",
                    why="The endings are: " + " ".join(f".{name}" for name in FORMATS) + ".",
                    remedy="Such as: -o out.html",
                )
            )
    return DiffOptions(
        stages=tuple(read.stage),
        output=output,
        target_b=read.target_b,
        python_b=Path(read.python_b).expanduser() if read.python_b else None,
        x64_b=read.x64_b,
        xla=read_assignments(read.xla, "--xla B:xla_disable_hlo_passes=algsimp"),
    )
