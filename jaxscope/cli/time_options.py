"""The options of `jaxscope time`: which experiment, and what it varies or compares."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from jaxscope.analysis.size_range import read_scale
from jaxscope.errors import Explanation, UsageError


@dataclasses.dataclass(frozen=True, slots=True)
class TimeOptions:
    """What `jaxscope time` shall find out.

    Attributes:
        experiment: `call`, `nodes`, `scaling`, `recompilations`, `comparison` or `agreement`.
        vary: What `scaling` changes.
        sizes: To what, in rising order.
        others: Further calls of `recompilations`.
        against: The second call of `comparison`; None for the same call.
        against_file: Its file; None for the same.
        precision: Of matrix products in both calls of `comparison`; empty for the default.
        options: XLA's options of both calls, name to value.
        skip_eager: Whether to leave eager runs out.
        output: Where the experiment's table or plot is written, or None.
    """

    experiment: str = "call"
    vary: str = ""
    sizes: tuple[int, ...] = ()
    others: tuple[str, ...] = ()
    against: str | None = None
    against_file: Path | None = None
    precision: tuple[str, str] = ("", "")
    options: tuple[dict[str, str], dict[str, str]] = ({}, {})
    skip_eager: bool = False
    output: Path | None = None


def add_time_options(parser: argparse.ArgumentParser) -> None:
    """Add the options; only one experiment at a time."""
    parser.add_argument(
        "--rigorous", action="store_true", help="measure in six fresh processes (slower)"
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
    group.add_argument("--against-file", metavar="FILE", help="file of the call compared with")
    group.add_argument(
        "--precision",
        metavar="A[,B]",
        help="precision of matrix products, such as default,highest for the two sides",
    )
    group.add_argument(
        "--xla",
        action="append",
        metavar="[A:|B:]OPTION=VALUE",
        default=[],
        help="an option of XLA for one side of a comparison or both; can be repeated",
    )
    group.add_argument("--no-eager", action="store_true", help="leave eager runs out")
    group.add_argument(
        "-o", "--output", metavar="OUT", help="write what --scale found: .csv .json .svg .png"
    )


def read_time_options(read: argparse.Namespace) -> TimeOptions:
    """Take the options from what was parsed.

    Raises:
        UsageError: They do not go together, or a range is none.
    """
    output = Path(read.output) if read.output else None
    vary, sizes = read_scale(read.scale) if read.scale else ("", ())
    against_file = Path(read.against_file) if read.against_file else None
    precision = _read_precision(read.precision)
    options = _read_xla_options(read.xla)
    compares = read.against is not None or against_file is not None
    compares = compares or precision[0] != precision[1] or options[0] != options[1]
    if read.per_node:
        experiment = "nodes"
    elif read.scale:
        experiment = "scaling"
    elif read.recompilations is not None:
        experiment = "recompilations"
    elif read.agreement:
        experiment = "agreement"
    else:
        experiment = "comparison" if compares else "call"
    if experiment != "comparison" and (compares or any(precision) or any(options)):
        raise UsageError(
            Explanation(
                what="--against-file, --precision and --xla belong to a comparison.",
                remedy="Give both sides, such as --precision default,highest.",
            )
        )
    if output is not None and (
        experiment != "scaling" or output.suffix not in {".csv", ".json", ".svg", ".png"}
    ):
        raise UsageError(
            Explanation(
                what="-o writes what --scale found, as .csv, .json, .svg or .png.",
                remedy="Such as: --scale x:0=64..4096 -o scaling.svg",
            )
        )
    return TimeOptions(
        experiment,
        vary,
        sizes,
        tuple(read.recompilations or ()),
        read.against,
        against_file,
        precision,
        options,
        read.no_eager,
        output,
    )


def _read_precision(text: str | None) -> tuple[str, str]:
    first, comma, second = (text or "").partition(",")
    return first.strip(), (second if comma else first).strip()


def _read_xla_options(words: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    sides: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for word in words:
        side, colon, rest = word.partition(":")
        chosen = {"A": sides[:1], "B": sides[1:]}.get(side if colon else "", sides)
        name, equals, value = (rest if chosen is not sides else word).partition("=")
        if not equals or not name.strip():
            raise UsageError(
                Explanation(
                    what=f"{word[:100]!r} is no option of XLA.",
                    remedy="Such as: --xla B:xla_cpu_enable_fast_math=true",
                )
            )
        for options in chosen:
            options[name.strip()] = value.strip()
    return sides
