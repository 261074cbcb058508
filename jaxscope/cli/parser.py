"""The words of the command line: verbs, their options, their help.

Loads nothing heavy: a command line is read in a moment.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import jaxscope
from jaxscope.cli.verbs import VERBS, WINDOW
from jaxscope.client.ssh_target import is_remote
from jaxscope.errors import UsageError
from jaxscope.export.choices import ALL_STAGES, DEFAULT_SCALE, DOWN, FIRST, MAX_WIDTH_PX, RIGHT
from jaxscope.program.size_range import read_growth, read_scale

# Options that name chips: whose limits `roofline` takes, and what `targets` compiles for.


def add_roofline_options(parser: argparse.ArgumentParser) -> None:
    """Give `roofline` its options."""
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="measure anew what this machine reaches at most (3 s), and keep it",
    )
    parser.add_argument(
        "--chip",
        metavar="NAME",
        help="take what is published of a chip as the limits, such as v5e or h100",
    )


def add_targets_options(parser: argparse.ArgumentParser) -> None:
    """Give `targets` its options."""
    parser.add_argument(
        "--targets",
        default="",
        metavar="A,B,…",
        help="such as v5e:2x2,h100,aot:gpu:a100:8,cpu (default: every chip that the installed "
        "compilers know)",
    )


def read_targets(words: str) -> tuple[str, ...]:
    """The targets of a list with commas, each once."""
    return tuple(dict.fromkeys(word.strip() for word in words.split(",") if word.strip()))


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
            raise UsageError(f"{word[:100]!r} is no name=value.", remedy=f"Such as: {example}")
        for values in chosen:
            values[name.strip()] = value.strip()
    return sides


DIFF_FORMATS = ("html", "md", "txt", "json")
DIFFERENT = 5
"""Exit status of `jaxscope diff` where the sides differ, and of `check` where something was found;
1 to 4 keep their meanings."""


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
    """Add the options of `diff`."""
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
        + " ".join(f".{name}" for name in DIFF_FORMATS),
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
    """The options of `diff` that were given.

    Raises:
        UsageError: The ending of the output names no format, or an option has no value.
    """
    output = None if read.output in (None, "-") else Path(read.output)
    if output is not None:
        ending = output.suffix.lower().removeprefix(".")
        if ending not in DIFF_FORMATS:
            raise UsageError(
                f"{output.name} has no ending that names a format of comparisons.",
                why="The endings are: " + " ".join(f".{name}" for name in DIFF_FORMATS) + ".",
                remedy="Such as: -o out.html",
            )
    return DiffOptions(
        stages=tuple(read.stage),
        output=output,
        target_b=read.target_b,
        python_b=Path(read.python_b).expanduser() if read.python_b else None,
        x64_b=read.x64_b,
        xla=read_assignments(read.xla, "--xla B:xla_disable_hlo_passes=algsimp"),
    )


@dataclasses.dataclass(frozen=True, slots=True)
class PictureOptions:
    """How a picture shall look; see `ExportOrder`."""

    theme: str = "light"
    scale: float = DEFAULT_SCALE
    width_px: int | None = None
    expand: str = FIRST
    direction: str = DOWN


def add_picture_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how a picture looks."""
    group = parser.add_argument_group(
        "pictures", f"With --stage {ALL_STAGES}, .svg, .png and .dot become a file for each stage."
    )
    group.add_argument("--theme", choices=("light", "dark"), default="light", help="colours")
    group.add_argument(
        "--expand",
        default=FIRST,
        metavar="GROUPS",
        help="groups to open: first (as a picture opens), all, none, or a number of boxes to "
        "open the largest up to",
    )
    group.add_argument("--direction", choices=(DOWN, RIGHT), default=DOWN, help="where values flow")
    size = group.add_mutually_exclusive_group()
    size.add_argument(
        "--scale",
        type=_scale,
        default=DEFAULT_SCALE,
        metavar="X",
        help=f"of a PNG: 1 is the size of an SVG (default: {DEFAULT_SCALE:g})",
    )
    size.add_argument("--width", type=_width, metavar="PIXELS", help="of a PNG: its width")


def read_picture_options(read: argparse.Namespace) -> PictureOptions:
    """What was said on the command line."""
    return PictureOptions(read.theme, read.scale, read.width, read.expand, read.direction)


def _scale(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = -1.0
    if not 0.01 <= number <= 100:
        raise argparse.ArgumentTypeError(f"{word!r} is not a number from 0.01 to 100")
    return number


def _width(word: str) -> int:
    number = int(word) if word.isascii() and word.isdigit() and len(word) < 9 else 0
    if not 1 <= number <= MAX_WIDTH_PX:
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number from 1 to {MAX_WIDTH_PX}")
    return number


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
            the fields of `ComparisonRequest` that have a counterpart, `other_…`.
        skip_eager: Whether to leave eager runs out.
        gradient: Whether a plain timing measures the gradient, too.
        budget_s: Seconds for the pairs of each program; None for the default, which is stretched.
        precision: At what half-width of the ratio's interval it ends; None for the default.
        output: Where the experiment's table or plot is written, or None.
        figure: Which figure of a plain timing: `distributions` or `stages`.
        is_whole: Whether every row of a plain timing is printed, and how it was measured.
        baseline: A saved timing that a plain one is held against, or None.
        saved: Where a plain timing is saved for that, or None.
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
    is_whole: bool = False
    baseline: Path | None = None
    saved: Path | None = None


def add_time_options(parser: argparse.ArgumentParser) -> None:
    """Add the options; only one experiment at a time."""
    parser.add_argument(
        "--rigorous", action="store_true", help="measure in six fresh processes (slower)"
    )
    parser.add_argument(
        "--all", action="store_true", help="print every row of a timing, and how it was measured"
    )
    parser.add_argument(
        "--save", metavar="FILE", help="save the timing, to be a baseline (as --json prints it)"
    )
    parser.add_argument(
        "--baseline",
        metavar="FILE",
        help=f"compare with a saved timing; exit status {DIFFERENT} where the call has become "
        "slower. With --rigorous on both sides small differences can be told",
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
            "What programs are made with belongs to a comparison, which this is not.",
            why="No other experiment takes these options, and nothing differs between the two.",
            remedy="Give both sides, such as --precision default,highest.",
        )
    if read.rigorous and experiment not in ("call", "comparison"):
        raise UsageError(
            "--rigorous repeats a timing or a comparison, nothing else.",
            remedy="Leave it out, or leave the other experiment out.",
        )
    if experiment != "call" and (read.baseline or read.save):
        raise UsageError(
            "--save and --baseline belong to a plain timing, which this is not.",
            remedy="Leave them out, or leave the experiment out.",
        )
    if output is not None and (
        experiment not in {"call", "nodes", "scaling"}
        or output.suffix not in {".csv", ".json", ".svg", ".png"}
    ):
        raise UsageError(
            "-o writes figures of a timing, of --per-node, of --scale or a preset, as "
            ".csv, .json, .svg or .png.",
            remedy="Such as: --scale x:0=64..4096 -o scaling.svg",
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
        read.all,
        Path(read.baseline) if read.baseline else None,
        Path(read.save) if read.save else None,
    )


def _read_budget(text: str) -> float:
    try:
        seconds = float(text.removesuffix("s"))
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise UsageError(f"{text!r} is no budget.", remedy="Such as: --budget 10")
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
            raise UsageError(f"{word!r} is no precision.", remedy="Such as: --precision 1%")
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


WRITING = ("capture", "open")
"""Verbs that write a capture with `-o`."""
FORMATS = ("jaxscope", "json", "svg", "png", "pdf", "dot", "html", "txt", "md")


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """A parsed command line.

    Attributes:
        verb: Key of `VERBS`.
        file: The user's file; None for the start page and for `doctor`.
        call: The call, or None for the file's first offered one.
        others: The two sides of `diff`; what `open` opens.
        module: The module that `open` takes; None for the largest.
        output: Where `capture` writes; None for standard output.
        output_format: One of `FORMATS`.
        stage: Name of the stage that a picture or text shows, or `all`.
        picture: How `capture` draws pictures.
        passes: Whether `capture` compiles once more and records what each XLA pass changed.
        gradient: Whether the gradient of a call without transforms is made in any case.
        without_source: Whether `capture` leaves the text of source files out.
        xla: Options of XLA's that `capture` compiles with, name to value.
        calibrate: Whether `roofline` measures what the machine reaches at most.
        step: Where `values` goes, and what it loads.
        remat: Whether `memory` compares policies of `jax.checkpoint`.
        is_rigorous: Whether `time` measures in several processes.
        time: Which experiment `time` makes.
        diff: What `diff` is asked for beyond its two sides.
        question: That `ask` answers, as typed.
        figure: That `figure` draws.
        is_animated: Whether its steps follow each other in one place.
        shell: For which `completion` is; one of `SHELLS`.
        typed: Words that it shall complete; none to print the script that asks so.
        chip: Whose published limits `roofline` takes, or None for those that were measured.
        targets: What `targets` compiles for; empty for every chip that it can.
        timeout_s: Wall seconds after which a run is stopped, or None.
        memory_bytes: Memory a worker may take, or None for the default share of the machine.
        new_window: Whether a window is opened even where one is open that could show the file.
    """

    verb: str
    file: Path | None = None
    call: str | None = None
    others: tuple[str, ...] = ()
    module: str | None = None
    output: Path | None = None
    output_format: str = "json"
    stage: str = "optimized"
    target: str = "cpu"
    targets: tuple[str, ...] = ()
    python: Path | None = None
    timeout_s: float | None = None
    memory_bytes: int | None = None
    x64: bool = False
    new_window: bool = False
    is_json: bool = False
    is_rigorous: bool = False
    passes: bool = False
    gradient: bool = False
    without_source: bool = False
    calibrate: bool = False
    chip: str | None = None
    question: str = ""
    figure: str = ""
    is_animated: bool = False
    shell: str = ""
    typed: tuple[str, ...] = ()
    remat: bool = False
    xla: Mapping[str, str] = dataclasses.field(default_factory=dict)
    picture: PictureOptions = dataclasses.field(default_factory=PictureOptions)
    time: TimeOptions = dataclasses.field(default_factory=TimeOptions)
    diff: DiffOptions = dataclasses.field(default_factory=DiffOptions)
    script: ScriptOptions = dataclasses.field(default_factory=lambda: ScriptOptions())
    bisect: BisectOptions = dataclasses.field(default_factory=lambda: BisectOptions())
    step: StepOptions = dataclasses.field(default_factory=lambda: StepOptions())


@dataclasses.dataclass(frozen=True, slots=True)
class StepOptions:
    """Where `values` goes.

    Attributes:
        at: An equation's id with rounds of loops, `start`, `end` or `nonfinite`; empty for a table
            of all equations.
        until: A condition at which to stop behind `at`; empty for none.
        value: Kind and index of the value that is shown.
        slice: Of that value.
        stage: Whose equations; empty for the last of the jaxprs.
        loaded: Files of arguments, by their paths.
    """

    at: str = ""
    until: str = ""
    value: tuple[str, int] = ("result", 0)
    slice: str = ""
    stage: str = ""
    loaded: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def steps(self) -> bool:
        """Whether one place is shown."""
        return bool(self.at or self.until or self.stage)


def _add_step_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--argument",
        action="append",
        default=[],
        metavar="PATH=FILE",
        help="load an argument, such as params['w'], from a .npy or .npz file (file.npz::name)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT.html",
        help="write a page that goes through the call step by step: for each equation what it "
        "reads, then what it makes; its lesson before and after",
    )
    group = parser.add_argument_group("one place in place of the table of all equations")
    group.add_argument(
        "--at",
        default="",
        metavar="EQUATION",
        help="id of an equation, with rounds of loops behind @, such as 4/jaxpr/2@7; or start, "
        "end, or nonfinite: where NaN or Inf is made first",
    )
    group.add_argument(
        "--until",
        default="",
        metavar="CONDITION",
        help="go on to the next value with nan, inf, '> 1e3', 'shape [8, 3]' or 'dtype bfloat16'",
    )
    group.add_argument(
        "--value",
        default="result:0",
        metavar="KIND:N",
        help="which value's numbers: result:0, operand:1, argument:0",
    )
    group.add_argument("--slice", default="", metavar="'[0, :]'", help="which of its numbers")
    group.add_argument("--stage", default="", choices=("", "gradient"), help="step its gradient")


def _read_step_options(read: argparse.Namespace) -> StepOptions:
    """Raises: UsageError: A word does not say what it should."""
    kind, _, index = read.value.partition(":")
    if kind not in ("result", "operand", "argument") or not (index or "0").isdecimal():
        raise UsageError(f"{read.value[:40]!r} is no value.", remedy="Such as: --value operand:1")
    loaded = {}
    for word in read.argument:
        path, equals, file = word.rpartition("=")
        if not equals or not path:
            raise UsageError(
                f"{word[:100]!r} is no PATH=FILE.", remedy="Such as: --argument x=x.npy"
            )
        loaded[path] = file
    return StepOptions(read.at, read.until, (kind, int(index or 0)), read.slice, read.stage, loaded)


@dataclasses.dataclass(frozen=True, slots=True)
class ScriptOptions:
    """What `jaxscope run` runs, and what it keeps.

    Attributes:
        kind: `script` or `module`.
        target: Its path or its name.
        arguments: Of the script.
        out: Folder for the list and for captures.
        catch: Names of functions to capture.
        after: Calls of a function that are let pass before it is captured.
        stop_after: Calls of caught functions after which the script is ended.
    """

    kind: str = "script"
    target: str = ""
    arguments: tuple[str, ...] = ()
    out: Path | None = None
    catch: tuple[str, ...] = ()
    after: int = 0
    stop_after: int | None = None


def _add_script_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", dest="module", action="store_true", help="run a module by its name")
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="folder for compilations.json and a .jaxscope of every caught function",
    )
    parser.add_argument(
        "--catch",
        metavar="NAME",
        action="append",
        default=[],
        help="capture this function (default with --out: every one); can be repeated",
    )
    parser.add_argument(
        "--after",
        metavar="N",
        type=_whole,
        default=0,
        help="let so many calls of a function pass before it is captured",
    )
    parser.add_argument(
        "--stop-after",
        metavar="N",
        type=_whole,
        help="end the script after so many calls of caught functions",
    )
    parser.add_argument("script", metavar="SCRIPT", help="a Python file, or a module after -m")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="of the script")


def _whole(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number")
    return int(word)


def _read_script_options(read: argparse.Namespace) -> ScriptOptions:
    return ScriptOptions(
        "module" if read.module else "script",
        read.script,
        tuple(read.arguments),
        Path(read.out) if read.out else None,
        tuple(read.catch),
        read.after,
        read.stop_after,
    )


@dataclasses.dataclass(frozen=True, slots=True)
class BisectOptions:
    """What `jaxscope bisect` searches.

    Attributes:
        over: `versions`, `passes`, `flags` or `commits`.
        measure: `time`, `memory`, `kernels`, `numbers` or `failure`.
        pythons: Interpreters, in order.
        versions: Of JAX, to make interpreters for.
        good: The earlier commit; empty where none is named.
        bad: The later one.
    """

    over: str = "passes"
    measure: str = "memory"
    pythons: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    good: str = ""
    bad: str = "HEAD"


def _add_bisect_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--over",
        required=True,
        choices=("versions", "passes", "flags", "commits"),
        help="what changes from point to point",
    )
    parser.add_argument(
        "--for",
        dest="measure",
        default="memory",
        choices=("time", "memory", "kernels", "numbers", "failure"),
        help="what is looked at (default: memory)",
    )
    parser.add_argument(
        "--pythons", default="", metavar="A,B,…", help="interpreters for --over versions, in order"
    )
    parser.add_argument(
        "--versions",
        default="",
        metavar="A,B,…",
        help="versions of JAX for --over versions, such as 0.9.0,0.10.2; an environment of each is "
        "made, with uv or venv and pip, and kept",
    )
    parser.add_argument("--good", default="", metavar="REV", help="the earlier commit")
    parser.add_argument(
        "--bad", default="HEAD", metavar="REV", help="the later one (default: HEAD)"
    )
    parser.add_argument(
        "--xla",
        action="append",
        metavar="OPTION=VALUE",
        default=[],
        help="an option of XLA's for --over flags; can be repeated",
    )


def _read_bisect_options(read: argparse.Namespace) -> BisectOptions:
    return BisectOptions(
        read.over,
        read.measure,
        read_targets(read.pythons),
        read_targets(read.versions),
        read.good,
        read.bad,
    )


def parse(words: Sequence[str]) -> Options:
    """Read a command line.

    Raises:
        UsageError: It cannot be read.
        SystemExit: Help or the version was asked for and has been printed.
    """
    verb = words[0] if words and words[0] in VERBS and words[0] != WINDOW else WINDOW
    rest = words if verb == WINDOW else words[1:]
    read = make_parser(verb).parse_args(list(rest))
    output, output_format = _read_output(verb, read)
    return Options(
        verb=verb,
        file=Path(read.file) if getattr(read, "file", None) else None,
        call=getattr(read, "call", None),
        others=_read_others(verb, read),
        module=getattr(read, "module", None) if verb == "open" else None,
        output=output,
        output_format=output_format,
        stage=read.stage if verb in WRITING else "optimized",
        target=read.target,
        targets=read_targets(read.targets) if verb == "targets" else (),
        python=_read_python(read.python, read.target),
        timeout_s=read.timeout,
        memory_bytes=None if read.memory is None else int(read.memory * 2**30),
        x64=read.x64,
        new_window=getattr(read, "new_window", False),
        is_json=read.json,
        is_rigorous=getattr(read, "rigorous", False),
        passes=getattr(read, "passes", False),
        gradient=getattr(read, "gradient", False),
        without_source=getattr(read, "without_source", False),
        calibrate=getattr(read, "calibrate", False),
        chip=getattr(read, "chip", None),
        question=getattr(read, "question", ""),
        remat=getattr(read, "remat", False),
        xla=_read_xla(read.xla) if verb in ("capture", "bisect") else {},
        picture=read_picture_options(read) if verb in (*WRITING, "figure") else PictureOptions(),
        figure=getattr(read, "figure", "") if verb == "figure" else "",
        shell=getattr(read, "shell", ""),
        typed=tuple(getattr(read, "typed", ())),
        is_animated=getattr(read, "animated", False),
        time=read_time_options(read) if verb == "time" else TimeOptions(),
        diff=read_diff_options(read) if verb == "diff" else DiffOptions(),
        step=_read_step_options(read) if verb == "values" else StepOptions(),
        script=_read_script_options(read) if verb == "run" else ScriptOptions(),
        bisect=_read_bisect_options(read) if verb == "bisect" else BisectOptions(),
    )


def _read_others(verb: str, read: argparse.Namespace) -> tuple[str, ...]:
    if verb == "diff":
        return (read.side_a, read.side_b)
    return tuple(read.paths) if verb == "open" else ()


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(
            message[:1].upper() + message[1:] + ".", remedy=f"Type: {self.prog} --help"
        )

    def _print_message(self, message: str, file: Any = None) -> None:
        """As argparse does, but an output that cannot be written is an error."""
        if message:
            print(message, end="", file=file, flush=True)


def make_parser(verb: str) -> argparse.ArgumentParser:
    about = VERBS[verb]
    is_open = verb == WINDOW
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
        parser.add_argument(
            "--new-window",
            action="store_true",
            help="open a window of its own, even where one is open that could show the file",
        )
    if about.takes == "pair":
        for side in ("A", "B"):
            parser.add_argument(
                f"side_{side.lower()}",
                metavar=side,
                help="a .jaxscope or .json capture, FILE.py, or 'FILE.py::CALL'",
            )
    elif about.takes == "script":
        _add_script_options(parser)
    elif about.takes == "shell":
        parser.add_argument("shell", choices=SHELLS, help="which shell")
        parser.add_argument(
            "typed",
            nargs=argparse.REMAINDER,
            metavar="WORDS",
            help="what was typed so far: print what may follow; the printed script does this",
        )
    elif about.takes == "paths":
        parser.add_argument("paths", nargs="+", metavar="PATH", help="a folder or a file")
    elif about.takes:
        if about.takes == "figure":
            parser.add_argument("figure", metavar="NAME", choices=FIGURES, help=", ".join(FIGURES))
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
        if about.takes == "question":
            parser.add_argument(
                "question",
                metavar="QUESTION",
                help="a name such as costs, or words; `jaxscope ask FILE help` lists the questions",
            )
    if verb in WRITING:
        _add_output_options(parser)
    if verb == "capture":
        _add_capture_options(parser)
    if verb == "open":
        parser.add_argument(
            "--module",
            metavar="NAME",
            help="the module to look at, by a name of the list (default with -o: the one that took "
            "most time where a profile says it, else the largest)",
        )
    if verb in ("capture", "memory"):
        parser.add_argument(
            "--gradient",
            action="store_true",
            help="make the gradient of a call without transforms even where that takes long, or "
            "where the program holds its own derivative",
        )
    if verb == "capture":
        parser.add_argument(
            "--without-source",
            action="store_true",
            help="leave the text of source files out; paths, lines, names and types stay",
        )
    if verb == "memory":
        parser.add_argument(
            "--remat",
            action="store_true",
            help="compile the gradient anew with each policy of jax.checkpoint, and compare",
        )
    if verb == "values":
        _add_step_options(parser)
    if verb == "roofline":
        add_roofline_options(parser)
    if verb == "figure":
        _add_figure_options(parser)
    if verb == "targets":
        add_targets_options(parser)
    if verb == "time":
        add_time_options(parser)
    if verb == "diff":
        add_diff_options(parser)
    if verb == "bisect":
        _add_bisect_options(parser)
    _add_common_options(parser)
    return parser


SHELLS = ("bash", "zsh", "fish", "powershell")
"""What `jaxscope completion` knows."""

FIGURES = (
    *("program", "optimized", "memory", "roofline", "sharding", "collective"),
    *("distributions", "stages"),
)
"""What `jaxscope figure` draws."""


def _add_figure_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="OUT", help="file; its ending is the format")
    parser.add_argument("--chip", metavar="NAME", help="of a roofline, such as v5e or h100")
    parser.add_argument(
        "--animated",
        action="store_true",
        help="show the steps of a collective one after another, in an .svg",
    )
    add_picture_options(parser)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
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
    add_picture_options(parser)


def _add_capture_options(parser: argparse.ArgumentParser) -> None:
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
                f"{word[:100]!r} is no option of XLA with its value.",
                remedy="Such as: --xla xla_disable_hlo_passes=algsimp",
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
    if verb == WINDOW:
        width = max(map(len, VERBS))
        verbs = [
            f"  jaxscope {name:{width}}  {about.summary}"
            for name, about in VERBS.items()
            if name != WINDOW
        ]
        lines.append("other commands (each has --help):\n" + "\n".join(verbs))
    done = {
        "diff": f"0 equal, {DIFFERENT} different",
        "time": f"0 done, {DIFFERENT} slower than the --baseline",
        "check": f"0 nothing found, {DIFFERENT} a warning or an error found",
    }.get(verb, "0 done")
    lines.append(
        f"exit status: {done}, 1 the user's code or call failed, 2 wrong usage,\n"
        "3 something needed is not available, 4 the worker died or ran out of time or memory,\n"
        "70 a bug of jaxscope's"
    )
    return "\n\n".join(lines)


def _read_output(verb: str, read: argparse.Namespace) -> tuple[Path | None, str]:
    """Where to write, and in which format."""
    named = getattr(read, "output", None)
    if verb == "figure":
        return Path(named) if named else None, "json"
    if verb == "values" and named is not None and Path(named).suffix.lower() != ".html":
        raise UsageError(f"{named[:100]} does not end with .html.", remedy="Such as: -o steps.html")
    if verb == "values" and named is not None:
        return Path(named), "html"
    if verb not in WRITING or (verb == "open" and named is None):
        return None, "json"
    if named is None and not read.json:
        raise UsageError(
            "Nothing says where to write.",
            remedy="Name a file, such as -o out.html, or print JSON with --json.",
        )
    if named in (None, "-"):
        if not read.json:
            raise UsageError(
                "Standard output has no ending that would pick a format.",
                remedy="Add --json, or name a file, such as -o out.svg.",
            )
        return None, "json"
    path = Path(named)
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise UsageError(
            f"{path.name} has no ending that names a format.",
            why="The endings are: " + " ".join(f".{name}" for name in FORMATS) + ".",
            remedy="Such as: -o out.html",
        )
    return path, ending
