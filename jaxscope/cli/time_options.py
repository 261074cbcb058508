"""The options of `jaxscope time`: which experiment, and what it varies or compares."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxscope.analysis.size_range import read_growth, read_scale
from jaxscope.cli.comparison_options import (
    add_comparison_options,
    differs,
    read_comparison_options,
)
from jaxscope.errors import Explanation, UsageError


@dataclasses.dataclass(frozen=True, slots=True)
class TimeOptions:
    """What `jaxscope time` shall find out.

    Attributes:
        experiment: `call`, `nodes`, `scaling`, `recompilations`, `comparison` or `agreement`.
        vary: What `scaling` changes.
        sizes: To what, in rising order.
        preset: Which two forms `scaling` measures; empty for eager and jit.
        others: Further calls of `recompilations`.
        against: The second call of `comparison`; None for the same call.
        against_file: Its file; None for the same.
        made_with: What both programs of `comparison` are made with, and what their processes have:
            the fields of `ComparisonRequest` that have a twin, `other_…`.
        skip_eager: Whether to leave eager runs out.
        gradient: Whether a plain timing measures the gradient, too.
        budget_s: Seconds for the pairs of each program; None for the default, which is stretched.
        precision: At what half-width of the ratio's interval it ends; None for the default.
        output: Where the experiment's table or plot is written, or None.
        figure: Which figure of a plain timing: `distributions` or `stages`.
    """

    experiment: str = "call"
    vary: str = ""
    sizes: tuple[int, ...] = ()
    preset: str = ""
    others: tuple[str, ...] = ()
    against: str | None = None
    against_file: Path | None = None
    made_with: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    skip_eager: bool = False
    gradient: bool = False
    budget_s: float | None = None
    precision: float | None = None
    output: Path | None = None
    figure: str = "distributions"


def add_time_options(parser: argparse.ArgumentParser) -> None:
    """Add the options; only one experiment at a time."""
    parser.add_argument(
        "--rigorous", action="store_true", help="measure in six fresh processes (slower)"
    )
    parser.add_argument(
        "--gradient", action="store_true", help="time the gradient, and value and gradient, too"
    )
    parser.add_argument(
        "--budget",
        metavar="S",
        help="seconds for measuring the pairs of a program; by default 2, stretched for slow calls "
        "until there are six pairs",
    )
    group = parser.add_argument_group("experiments (one at a time)")
    one = group.add_mutually_exclusive_group()
    one.add_argument(
        "--per-node",
        action="store_true",
        help="time each instruction of the compiled program, each equation, each source line",
    )
    one.add_argument(
        "--scale",
        metavar="X=LOW..HIGH",
        help="measure at several sizes: x:0=64..4096 changes dimension 0 of the argument x, "
        "n=1..64 a name n that the call uses; /7 at the end asks for seven sizes",
    )
    one.add_argument(
        "--batch",
        metavar="[NAMES=]LOW..HIGH",
        help="measure a loop over so many calls against vmap; all array arguments are stacked, or "
        "those named: x+y=1..256",
    )
    one.add_argument(
        "--depth",
        metavar="LOW..HIGH",
        help="feed the result back into the first argument so many times: unrolled against scan",
    )
    one.add_argument(
        "--recompilations",
        nargs="*",
        metavar="CALL",
        help="run this call and further ones, and say what compiled again and why",
    )
    one.add_argument("--against", metavar="CALL", help="compare with another call, in random pairs")
    one.add_argument(
        "--agreement",
        action="store_true",
        help="compare the results of eager, jit and double precision",
    )
    add_comparison_options(parser)
    group.add_argument("--no-eager", action="store_true", help="leave eager runs out")
    group.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="write what is drawn: the distributions of a timing, the timeline of one run "
        "(--per-node), the curves of --scale; .csv .json .svg .png",
    )
    group.add_argument(
        "--figure",
        choices=("distributions", "stages"),
        default="distributions",
        help="which figure of a timing -o writes; stages are those of the run, import to steady",
    )


def read_time_options(read: argparse.Namespace) -> TimeOptions:
    """Take the options from what was parsed.

    Raises:
        UsageError: They do not go together, or a range is none.
    """
    output = Path(read.output) if read.output else None
    preset, vary, sizes = _read_sizes(read)
    against_file = Path(read.against_file) if read.against_file else None
    precision, read.precision = _split_precision(read.precision)
    budget_s = None if read.budget is None else _read_budget(read.budget)
    made_with = read_comparison_options(read)
    compares = read.against is not None or against_file is not None or differs(made_with)
    if read.per_node:
        experiment = "nodes"
    elif sizes:
        experiment = "scaling"
    elif read.recompilations is not None:
        experiment = "recompilations"
    elif read.agreement:
        experiment = "agreement"
    else:
        experiment = "comparison" if compares else "call"
    if experiment != "comparison" and (compares or made_with):
        raise UsageError(
            Explanation(
                what="What programs are made with belongs to a comparison, which this is not.",
                why="No other experiment takes these options, and nothing differs between the two.",
                remedy="Give both sides, such as --precision default,highest.",
            )
        )
    if read.rigorous and experiment not in ("call", "comparison"):
        raise UsageError(
            Explanation(
                what="--rigorous repeats a timing or a comparison, nothing else.",
                remedy="Leave it out, or leave the other experiment out.",
            )
        )
    if output is not None and (
        experiment not in {"call", "nodes", "scaling"}
        or output.suffix not in {".csv", ".json", ".svg", ".png"}
    ):
        raise UsageError(
            Explanation(
                what="-o writes figures of a timing, of --per-node, of --scale or a preset, as "
                ".csv, .json, .svg or .png.",
                remedy="Such as: --scale x:0=64..4096 -o scaling.svg",
            )
        )
    return TimeOptions(
        experiment,
        vary,
        sizes,
        preset,
        tuple(read.recompilations or ()),
        read.against,
        against_file,
        made_with,
        read.no_eager,
        read.gradient,
        budget_s,
        precision,
        output,
        read.figure,
    )


def _read_budget(text: str) -> float:
    try:
        seconds = float(text.removesuffix("s"))
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise UsageError(Explanation(f"{text!r} is no budget.", remedy="Such as: --budget 10"))
    return seconds


def _split_precision(words: Sequence[str]) -> tuple[float | None, str | None]:
    """The timing's precision, which is a number, and that of matrix products, which is a name."""
    precision, name = None, None
    for word in words:
        try:
            share = float(word.removesuffix("%")) / (100 if word.endswith("%") else 1)
        except ValueError:
            name = word
            continue
        if not 0 < share < 1:
            raise UsageError(
                Explanation(f"{word!r} is no precision.", remedy="Such as: --precision 1%")
            )
        precision = share
    return precision, name


def _read_sizes(read: argparse.Namespace) -> tuple[str, str, tuple[int, ...]]:
    """The preset, what is varied, and the sizes; none where sizes are not varied."""
    if read.scale:
        return "", *read_scale(read.scale)
    for preset in ("batch", "depth"):
        if text := getattr(read, preset):
            return preset, *read_growth(text)
    return "", "", ()
