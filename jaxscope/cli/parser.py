"""The words of the command line: verbs, their options, their help."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import jaxscope
from jaxscope.cli.chip_options import (
    add_roofline_options,
    add_targets_options,
    read_targets,
)
from jaxscope.cli.diff_options import (
    DIFFERENT,
    DiffOptions,
    add_diff_options,
    read_diff_options,
)
from jaxscope.cli.picture_options import (
    PictureOptions,
    add_picture_options,
    read_picture_options,
)
from jaxscope.cli.time_options import TimeOptions, add_time_options, read_time_options
from jaxscope.cli.verbs import OPEN, VERBS
from jaxscope.client.ssh_target import is_remote
from jaxscope.errors import Explanation, UsageError

FORMATS = ("jaxscope", "json", "svg", "png", "pdf", "dot", "html", "txt", "md")


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """A parsed command line.

    Attributes:
        verb: Key of `VERBS`.
        file: The user's file; None for the start page and for `doctor`.
        call: The call, or None for the file's first offered one.
        others: The two sides of `diff`.
        output: Where `capture` writes; None for standard output.
        output_format: One of `FORMATS`.
        stage: Name of the stage that a picture or text shows, or `all`.
        picture: How `capture` draws pictures.
        passes: Whether `capture` compiles once more and records what each XLA pass changed.
        gradient: Whether the gradient of a call without transforms is made in any case.
        xla: Options of XLA's that `capture` compiles with, name to value.
        calibrate: Whether `roofline` measures what the machine reaches at most.
        remat: Whether `memory` compares policies of `jax.checkpoint`.
        is_rigorous: Whether `time` measures in several processes.
        time: Which experiment `time` makes.
        diff: What `diff` is asked for beyond its two sides.
        chip: Whose published limits `roofline` takes, or None for those that were measured.
        targets: What `targets` compiles for; empty for every chip that it can.
        timeout_s: Wall seconds after which a run is stopped, or None.
        memory_bytes: Memory a worker may take, or None for the default share of the machine.
    """

    verb: str
    file: Path | None = None
    call: str | None = None
    others: tuple[str, ...] = ()
    output: Path | None = None
    output_format: str = "json"
    stage: str = "optimized"
    target: str = "cpu"
    targets: tuple[str, ...] = ()
    python: Path | None = None
    timeout_s: float | None = None
    memory_bytes: int | None = None
    x64: bool = False
    is_json: bool = False
    is_rigorous: bool = False
    passes: bool = False
    gradient: bool = False
    calibrate: bool = False
    chip: str | None = None
    remat: bool = False
    xla: Mapping[str, str] = dataclasses.field(default_factory=dict)
    picture: PictureOptions = dataclasses.field(default_factory=PictureOptions)
    time: TimeOptions = dataclasses.field(default_factory=TimeOptions)
    diff: DiffOptions = dataclasses.field(default_factory=DiffOptions)


def parse(words: Sequence[str]) -> Options:
    """Read a command line.

    Raises:
        UsageError: It cannot be read.
        SystemExit: Help or the version was asked for and has been printed.
    """
    verb = words[0] if words and words[0] in VERBS and words[0] != OPEN else OPEN
    rest = words if verb == OPEN else words[1:]
    read = _make_parser(verb).parse_args(list(rest))
    output, output_format = _read_output(verb, read)
    return Options(
        verb=verb,
        file=Path(read.file) if getattr(read, "file", None) else None,
        call=getattr(read, "call", None),
        others=(read.side_a, read.side_b) if verb == "diff" else (),
        output=output,
        output_format=output_format,
        stage=read.stage if verb == "capture" else "optimized",
        target=read.target,
        targets=read_targets(read.targets) if verb == "targets" else (),
        python=_read_python(read.python, read.target),
        timeout_s=read.timeout,
        memory_bytes=None if read.memory is None else int(read.memory * 2**30),
        x64=read.x64,
        is_json=read.json,
        is_rigorous=getattr(read, "rigorous", False),
        passes=getattr(read, "passes", False),
        gradient=getattr(read, "gradient", False),
        calibrate=getattr(read, "calibrate", False),
        chip=getattr(read, "chip", None),
        remat=getattr(read, "remat", False),
        xla=_read_xla(read.xla) if verb == "capture" else {},
        picture=read_picture_options(read) if verb == "capture" else PictureOptions(),
        time=read_time_options(read) if verb == "time" else TimeOptions(),
        diff=read_diff_options(read) if verb == "diff" else DiffOptions(),
    )


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(
            Explanation(
                what=message[:1].upper() + message[1:] + ".",
                remedy=f"Type: {self.prog} --help",
            )
        )


def _make_parser(verb: str) -> argparse.ArgumentParser:
    about = VERBS[verb]
    is_open = verb == OPEN
    parser = _Parser(
        prog="jaxscope" if is_open else f"jaxscope {verb}",
        description=(jaxscope.__doc__ or "").splitlines()[0] if is_open else about.summary + ".",
        epilog=_epilog(verb),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if is_open:
        version = f"jaxscope {jaxscope.__version__}"
        parser.add_argument("--version", action="version", version=version)
    if about.takes == "pair":
        for side in ("A", "B"):
            parser.add_argument(
                f"side_{side.lower()}",
                metavar=side,
                help="a .jaxscope or .json capture, FILE.py, or 'FILE.py::CALL'",
            )
    elif about.takes:
        optional = about.takes == "optional call"
        parser.add_argument(
            "file", nargs="?" if optional else None, metavar="FILE", help="a Python file"
        )
        if about.takes != "file":
            parser.add_argument(
                "call",
                nargs="?",
                metavar="CALL",
                help="a call expression; without it the file's first offered call is taken",
            )
    if verb == "capture":
        _add_capture_options(parser)
    if verb in ("capture", "memory"):
        parser.add_argument(
            "--gradient",
            action="store_true",
            help="make the gradient of a call without transforms even where that takes long, or "
            "where the program holds its own derivative",
        )
    if verb == "memory":
        parser.add_argument(
            "--remat",
            action="store_true",
            help="compile the gradient anew with each policy of jax.checkpoint, and compare",
        )
    if verb == "roofline":
        add_roofline_options(parser)
    if verb == "targets":
        add_targets_options(parser)
    if verb == "time":
        add_time_options(parser)
    if verb == "diff":
        add_diff_options(parser)
    _add_common_options(parser)
    return parser


def _add_capture_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="where to write; the ending picks the format: "
        + " ".join(f".{name}" for name in FORMATS)
        + "; - with --json prints to standard output",
    )
    parser.add_argument(
        "--stage",
        default="optimized",
        metavar="NAME",
        help="stage of a picture or text: jaxpr, gradient, stablehlo, hlo, optimized, machine, "
        "the name of a transform, or all (default: optimized)",
    )
    parser.add_argument(
        "--passes",
        action="store_true",
        help="compile once more and record what each XLA pass changed",
    )
    parser.add_argument(
        "--xla",
        action="append",
        metavar="OPTION=VALUE",
        default=[],
        help="compile with an option of XLA, such as xla_disable_hlo_passes=algsimp;"
        " can be repeated",
    )
    add_picture_options(parser)


def _read_python(word: str | None, target: str) -> Path | None:
    """The interpreter; one on another machine has its home there."""
    if not word:
        return None
    return Path(word) if is_remote(target) else Path(word).expanduser()


def _read_xla(words: Sequence[str]) -> dict[str, str]:
    """Options of XLA's by name; the last of a name counts."""
    options: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            raise UsageError(
                Explanation(
                    what=f"{word[:100]!r} is no option of XLA with its value.",
                    remedy="Such as: --xla xla_disable_hlo_passes=algsimp",
                )
            )
        options[name.strip()] = value.strip()
    return options


def _add_common_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("common options")
    group.add_argument(
        "--target",
        default="cpu",
        help="cpu, cpu:8, gpu, gpu:0, tpu, or compile only: aot:tpu:v5e:2x2, aot:gpu:h100; "
        "ssh://host/gpu:0 is one of another machine's (default: cpu)",
    )
    group.add_argument(
        "--python",
        metavar="PATH",
        help="run user code under that interpreter, of the machine that it runs on",
    )
    group.add_argument(
        "--timeout", type=_positive, metavar="S", help="stop the run after so many seconds"
    )
    group.add_argument(
        "--memory", type=_positive, metavar="GIB", help="stop the run if it takes more memory"
    )
    group.add_argument("--x64", action="store_true", help="let JAX use 64-bit types")
    group.add_argument(
        "--json", action="store_true", help="print the result, or the failure, as one JSON object"
    )


def _positive(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = -1.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{word!r} is not a positive number")
    return number


def _epilog(verb: str) -> str:
    lines = [f"example:\n  {VERBS[verb].example}"]
    if verb == OPEN:
        width = max(map(len, VERBS))
        verbs = [
            f"  jaxscope {name:{width}}  {about.summary}"
            for name, about in VERBS.items()
            if name != OPEN
        ]
        lines.append("other commands (each has --help):\n" + "\n".join(verbs))
    done = f"0 equal, {DIFFERENT} different" if verb == "diff" else "0 done"
    lines.append(
        f"exit status: {done}, 1 the user's code or call failed, 2 wrong usage,\n"
        "3 something needed is not available, 4 the worker died or ran out of time or memory,\n"
        "70 a bug of jaxscope's"
    )
    return "\n\n".join(lines)


def _read_output(verb: str, read: argparse.Namespace) -> tuple[Path | None, str]:
    """Where to write, and in which format."""
    named = getattr(read, "output", None)
    if verb != "capture":
        return None, "json"
    if named is None and not read.json:
        raise UsageError(
            Explanation(
                what="Nothing says where to write.",
                remedy="Name a file, such as -o out.html, or print JSON with --json.",
            )
        )
    if named in (None, "-"):
        if not read.json:
            raise UsageError(
                Explanation(
                    what="Standard output has no ending that would pick a format.",
                    remedy="Add --json, or name a file, such as -o out.svg.",
                )
            )
        return None, "json"
    path = Path(named)
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise UsageError(
            Explanation(
                what=f"{path.name} has no ending that names a format.",
                why="The endings are: " + " ".join(f".{name}" for name in FORMATS) + ".",
                remedy="Such as: -o out.html",
            )
        )
    return path, ending
