"""The words of the command line: verbs, their options, their help.

Loads nothing heavy: a command line is read in a moment.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import functools
import math
import os
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast

from jaxscope.client.ssh_target import is_remote
from jaxscope.errors import UsageError
from jaxscope.export import choices
from jaxscope.export.choices import ALL_STAGES, DEFAULT_SCALE, DOWN, FIRST, MAX_WIDTH_PX, RIGHT
from jaxscope.late_dataclass import dataclass
from jaxscope.report.document import wrap_command
from jaxscope.verbs import VERBS, WINDOW
from jaxscope.version import __version__

T = TypeVar("T")
_WIDTH = 79
"""Of a line of help that argparse does not wrap itself."""

_Options = argparse.ArgumentParser | argparse._ArgumentGroup


def _option(options: _Options, spelling: str, help: str, **given: Any) -> None:
    """Add an option with its help to a parser.

    Args:
        spelling: As it is typed, with the name of its value: `-o --output OUT`. One without a
            value and without anything in `given` that implies one is a switch.
        given: What else `add_argument` takes.
    """
    words = spelling.split(" ")
    names = [word for word in words if word.startswith("-")]
    if value := " ".join(words[len(names) :]):
        given["metavar"] = value
    elif given.keys() <= {"dest"}:
        given["action"] = "store_true"
    options.add_argument(*names, help=help, **given)


# Options that name chips: whose limits `roofline` takes, and what `targets` compiles for.


def _add_roofline_options(parser: argparse.ArgumentParser) -> None:
    add = functools.partial(_option, parser)
    add("--calibrate", "measure anew what this machine reaches at most (3 s), and keep it")
    add("--chip NAME", "take what is published of a chip as the limits, such as v5e or h100")


def _add_targets_options(parser: argparse.ArgumentParser) -> None:
    add = functools.partial(_option, parser)
    add(
        "--targets A,B,…",
        "such as v5e:2x2,h100,aot:gpu:a100:8,cpu (default: every chip that the installed "
        "compilers know)",
        type=_read_targets,
        default="",
    )


def _read_targets(words: str) -> tuple[str, ...]:
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


def _add_comparison_options(parser: argparse.ArgumentParser) -> None:
    """Add the options; each names what differs between the two, or holds for both."""
    group = parser.add_argument_group(
        "comparisons (a value is of both; A,B is one for each; the first may be empty)"
    )
    add_grouped = functools.partial(_option, group)
    add_grouped("--against-file FILE", "file of the call compared with", type=_path)
    add_grouped("--against-target T", "target of the second program, such as cpu:4")
    add_grouped("--against-python PATH", "interpreter of the second program")
    for name, text in _PAIRS.items():
        if name != "precision":
            group.add_argument(f"--{name}", metavar="A[,B]", help=text)
    add_grouped(
        "--precision A[,B] | P",
        f"{_PAIRS['precision']}; a number instead, such as 1%%, is how precise the ratio of a "
        "timing shall be; can be repeated",
        action="append",
        default=[],
    )
    add_grouped(
        "--xla [A:|B:]OPTION=VALUE",
        "a compiler option of XLA for one side or both; can be repeated",
        action="append",
        default=[],
    )
    add_grouped(
        "--env [A:|B:]NAME=VALUE",
        "an environment variable of one side's process or both, such as "
        "B:XLA_FLAGS=--xla_cpu_multi_thread_eigen=false; can be repeated",
        action="append",
        default=[],
    )


def _read_comparison_options(read: argparse.Namespace) -> dict[str, Any]:
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
            found[name], found[f"other_{name}"] = _read_assignments(words, example)
    if read.against_target:
        found["other_target"] = read.against_target
    if read.against_python:
        found["other_python"] = read.against_python
    return found


def _differs(made_with: Mapping[str, Any]) -> bool:
    """Whether the two programs are made with something different."""
    return any(
        made_with[name] != made_with.get(name.removeprefix("other_"))
        for name in made_with
        if name.startswith("other_")
    )


def _read_assignments(words: Sequence[str], example: str) -> tuple[dict[str, str], dict[str, str]]:
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


@dataclass(frozen=True, slots=True)
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


def _add_diff_options(parser: argparse.ArgumentParser) -> None:
    add = functools.partial(_option, parser)
    add(
        "--stage NAME",
        "list every difference of this stage, and compare its text line by line; may be "
        "given again; two names with a colon compare different stages, such as jaxpr:grad",
        action="append",
        default=[],
    )
    add(
        "-o --output OUT",
        "write everything to a file instead; the ending picks the format: "
        + " ".join(f".{name}" for name in DIFF_FORMATS),
        type=_read_report,
    )
    add(
        "--xla [A:|B:]OPTION=VALUE",
        "compile one side or both with an option of XLA, such as "
        "B:xla_disable_hlo_passes=algsimp; can be repeated",
        action="append",
        default=[],
    )
    add(
        "--md",
        "print what changed, as Markdown for a pull request, in at most 15 lines",
        dest="is_markdown",
    )
    second = parser.add_argument_group("options of B alone; without them it has those of A")
    add_second = functools.partial(_option, second)
    add_second("--target-b TARGET", "target of B")
    add_second("--python-b PATH", "interpreter of B: another JAX", type=_home_path)
    add_second("--x64-b", "64-bit types in B only")


def _read_report(word: str) -> Path | None:
    """Raises: UsageError: The ending names no format."""
    if word in ("", "-"):
        return None
    output = Path(word)
    if output.suffix.lower().removeprefix(".") not in DIFF_FORMATS:
        raise UsageError(
            f"{output.name} has no ending that names a format of comparisons.",
            why="The endings are: " + " ".join(f".{name}" for name in DIFF_FORMATS) + ".",
            remedy="Such as: -o out.html",
        )
    return output


def _read_diff_options(read: argparse.Namespace) -> DiffOptions:
    xla = _read_assignments(read.xla, "--xla B:xla_disable_hlo_passes=algsimp")
    return _take(DiffOptions, read, stages=tuple(read.stage), xla=xla)


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """How a picture shall look; see `ExportOrder`."""

    theme: str = "light"
    scale: float = DEFAULT_SCALE
    width_px: int | None = None
    expand: str = FIRST
    direction: str = DOWN


def _add_picture_options(parser: argparse.ArgumentParser, about: str = "") -> None:
    group = parser.add_argument_group("pictures", about)
    add_grouped = functools.partial(_option, group)
    add_grouped("--theme", "colours", choices=("light", "dark"), default="light")
    add_grouped(
        "--expand GROUPS",
        "groups to open: first (as a picture opens), all, none, or a number of boxes to "
        "open the largest up to",
        default=FIRST,
    )
    add_grouped("--direction", "where values flow", choices=(DOWN, RIGHT), default=DOWN)
    size = group.add_mutually_exclusive_group()
    add_size = functools.partial(_option, size)
    add_size(
        "--scale X",
        f"of a PNG: 1 is the size of an SVG (default: {DEFAULT_SCALE:g})",
        type=_scale,
        default=DEFAULT_SCALE,
    )
    add_size("--width PIXELS", "of a PNG: its width", dest="width_px", type=_width)


def _number(word: str) -> float:
    """NaN where it is none, which lies in no range."""
    try:
        return float(word)
    except ValueError:
        return math.nan


def _scale(word: str) -> float:
    number = _number(word)
    if not 0.01 <= number <= 100:
        raise argparse.ArgumentTypeError(f"{word!r} is not a number from 0.01 to 100")
    return number


def _width(word: str) -> int:
    number = int(word) if word.isascii() and word.isdigit() and len(word) < 9 else 0
    if not 1 <= number <= MAX_WIDTH_PX:
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number from 1 to {MAX_WIDTH_PX}")
    return number


@dataclass(frozen=True, slots=True)
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
    baseline: Path | None = None
    saved: Path | None = None


def _add_time_options(parser: argparse.ArgumentParser) -> None:
    add = functools.partial(_option, parser)
    add("--rigorous", "measure in six fresh processes (slower)", dest="is_rigorous")
    add(
        "--save FILE",
        "save the timing, to be a baseline (as --json prints it)",
        dest="saved",
        type=_path,
    )
    add(
        "--baseline FILE",
        f"compare with a saved timing; exit status {DIFFERENT} where the call has become "
        "slower. With --rigorous on both sides small differences can be told",
        type=_path,
    )
    add("--gradient", "time the gradient, and value and gradient, too")
    add(
        "--budget S",
        "seconds for measuring the pairs of a program; by default 2, stretched for slow calls "
        "until there are six pairs",
        dest="budget_s",
        type=_read_budget,
    )
    group = parser.add_argument_group("experiments (one at a time)")
    add_grouped = functools.partial(_option, group)
    one = group.add_mutually_exclusive_group()
    add_one = functools.partial(_option, one)
    add_one(
        "--per-node",
        "time each instruction of the compiled program, each equation, each source line",
    )
    add_one(
        "--scale X=LOW..HIGH",
        "measure at several sizes: x:0=64..4096 changes dimension 0 of the argument x, "
        "n=1..64 a name n that the call uses; /7 at the end asks for seven sizes",
    )
    add_one(
        "--batch [NAMES=]LOW..HIGH",
        "measure a loop over so many calls against vmap; all array arguments are stacked, or "
        "those named: x+y=1..256",
    )
    add_one(
        "--depth LOW..HIGH",
        "feed the result back into the first argument so many times: unrolled against scan",
    )
    add_one(
        "--recompilations CALL",
        "run this call and further ones, and say what compiled again and why",
        dest="others",
        nargs="*",
    )
    add_one("--against CALL", "compare with another call, in random pairs")
    add_one("--agreement", "compare the results of eager, jit and double precision")
    _add_comparison_options(parser)
    add_grouped("--no-eager", "leave eager runs out", dest="skip_eager")
    add_grouped(
        "-o --output OUT",
        "write what is drawn: the distributions of a timing, the timeline of one run "
        "(--per-node), the curves of --scale; .csv .json .svg .png",
        type=_path,
    )
    add_grouped(
        "--figure",
        "which figure of a timing -o writes; stages are those of the run, import to steady",
        choices=("distributions", "stages"),
        default="distributions",
    )


def _read_time_options(read: argparse.Namespace) -> TimeOptions:
    """Take the options from what was parsed.

    Raises:
        UsageError: They do not go together, or a range is none.
    """
    output = read.output
    preset, vary, sizes = _read_sizes(read)
    precision, read.precision = _split_precision(read.precision)
    made_with = _read_comparison_options(read)
    compares = read.against is not None or read.against_file is not None or _differs(made_with)
    if read.per_node:
        experiment = "nodes"
    elif sizes:
        experiment = "scaling"
    elif read.others is not None:
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
    if read.is_rigorous and experiment not in ("call", "comparison"):
        raise UsageError(
            "--rigorous repeats a timing or a comparison, nothing else.",
            remedy="Leave it out, or leave the other experiment out.",
        )
    if experiment != "call" and (read.baseline or read.saved):
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
    return _take(
        TimeOptions,
        read,
        experiment=experiment,
        vary=vary,
        sizes=sizes,
        preset=preset,
        others=tuple(read.others or ()),
        made_with=made_with,
        precision=precision,
    )


def _read_budget(text: str) -> float:
    seconds = _number(text.removesuffix("s"))
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
    from jaxscope.program.scaling import read_growth, read_scale  # with NumPy

    if read.scale:
        return "", *read_scale(read.scale)
    for preset in ("batch", "depth"):
        if text := getattr(read, preset):
            return preset, *read_growth(text)
    return "", "", ()


WRITING = ("capture", "open")
"""Verbs that write a capture with `-o`."""
FORMATS = ("jaxscope", *choices.FORMATS)
"""Endings of files that they write."""


@dataclass(frozen=True, slots=True)
class Options:
    """A parsed command line.

    Attributes:
        verb: Key of `VERBS`.
        file: The user's file; None for the start page and for `doctor`.
        call: The call, or None for the file's first offered one.
        others: The two sides of `diff`; what `open` opens; the folder of `ranks`.
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
        question: That `ask` or `ranks` answers, as typed.
        sql: A query for `ranks`; empty for none.
        name: Of the operation that `explain` explains.
        figure: That `figure` draws.
        is_animated: Whether its steps follow each other in one place.
        shell: For which `completion` is; one of `SHELLS`.
        typed: Words that it shall complete; none to print the script that asks so.
        chip: Whose published limits `roofline` takes, or None for those that were measured.
        targets: What `targets` compiles for; empty for every chip that it can.
        timeout_s: Wall seconds after which a run is stopped, or None.
        memory_bytes: Memory a worker may take, or None for the default share of the machine.
        is_self_test: Whether `doctor` also tries what differs from system to system.
        allow_run: Whether `mcp` runs Python files that an agent names.
        is_whole: Whether all of a report is printed, not a screenful.
        is_markdown: Whether `capture` and `diff` print a few lines for a pull request.
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
    is_markdown: bool = False
    new_window: bool = False
    is_self_test: bool = False
    allow_run: bool = False
    is_json: bool = False
    is_whole: bool = False
    is_rigorous: bool = False
    passes: bool = False
    gradient: bool = False
    without_source: bool = False
    calibrate: bool = False
    chip: str | None = None
    question: str = ""
    sql: str = ""
    name: str = ""
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


@dataclass(frozen=True, slots=True)
class StepOptions:
    """At which equation `values` stops, and what it shows there.

    Attributes:
        at: An equation's id with rounds of loops, `start`, `end` or `nonfinite`; empty for a table
            of all equations.
        until: A condition at which to stop behind `at`; empty for none.
        value: Kind and index of the value that is shown.
        slice: Of that value.
        stage: Whose equations; empty for the last of the jaxprs.
        loaded: Files of arguments, by their paths.
        against: `jit` or `float64`: the form that values are compared with; empty for none.
        ulps: Differences up to so many ULPs are left out.
        is_tracing: Whether the lines of Python are told that run while JAX traces, no values.
    """

    at: str = ""
    until: str = ""
    value: tuple[str, int] = ("result", 0)
    slice: str = ""
    stage: str = ""
    loaded: Mapping[str, str] = dataclasses.field(default_factory=dict)
    against: str = ""
    ulps: int = 0
    is_tracing: bool = False

    @property
    def steps(self) -> bool:
        """Whether one place is shown."""
        return bool(self.at or self.until or self.stage)


def _add_step_options(parser: argparse.ArgumentParser) -> None:
    add = functools.partial(_option, parser)
    add(
        "--argument PATH=FILE",
        "load an argument, such as params['w'], from a .npy, .npz (file.npz::name) or .safetensors "
        "file, or from an image where Pillow is installed",
        dest="loaded",
        action="append",
        type=_read_loaded,
        default=[],
    )
    add(
        "-o --output OUT",
        "go through the call step by step, with what each equation reads and makes and the lesson "
        "around: .html is a page with answers that wait, .pdf a hand-out with answers at its end",
    )
    add(
        "--against FORM",
        "compare each value with that of the compiled program (jit), of double precision "
        "(float64), or of a second run (again); say where they part first and, of jit, by which "
        "pass of XLA",
        choices=("", "jit", "float64", "again"),
        default="",
    )
    add(
        "--tracing",
        "in place of values: which lines of Python run while JAX traces, in order, what each adds "
        "to the jaxpr, and what a second call runs of them",
        dest="is_tracing",
        action="store_true",
    )
    add("--ulps N", "differences up to N units in the last place are none", type=_whole, default=0)
    group = parser.add_argument_group("one place in place of the table of all equations")
    add_grouped = functools.partial(_option, group)
    add_grouped(
        "--at EQUATION",
        "id of an equation, with rounds of loops behind @, such as 4/jaxpr/2@7; or start, "
        "end, or nonfinite: where NaN or Inf is made first",
        default="",
    )
    add_grouped(
        "--until CONDITION",
        "go on to the next value with nan, inf, '> 1e3', 'shape [8, 3]' or 'dtype bfloat16'",
        default="",
    )
    add_grouped(
        "--value KIND:N",
        "which value's numbers: result:0, operand:1, argument:0",
        type=_read_value,
        default="result:0",
    )
    add_grouped("--slice '[0, :]'", "which of its numbers", default="")
    add_grouped("--stage", "step its gradient", default="", choices=("", "gradient"))


def _read_value(word: str) -> tuple[str, int]:
    """Raises: UsageError: It is no kind with an index."""
    kind, _, index = word.partition(":")
    if kind not in ("result", "operand", "argument") or not (index or "0").isdecimal():
        raise UsageError(f"{word[:40]!r} is no value.", remedy="Such as: --value operand:1")
    return kind, int(index or 0)


def _read_loaded(word: str) -> tuple[str, str]:
    """Raises: UsageError: It is no path of an argument with a file."""
    path, equals, file = word.rpartition("=")
    if not equals or not path:
        raise UsageError(f"{word[:100]!r} is no PATH=FILE.", remedy="Such as: --argument x=x.npy")
    return path, file


@dataclass(frozen=True, slots=True)
class ScriptOptions:
    """What `jaxscope run` runs, and what it keeps.

    Attributes:
        kind: `script` or `module`.
        script: Its path or its name.
        arguments: Of the script.
        out: Folder for the list and for captures.
        catch: Names of functions to capture.
        after: Calls of a function that are let pass before it is captured.
        stop_after: Calls of caught functions after which the script is ended.
        at_nan: Whether functions are captured at their first call that makes NaN or Inf.
        launcher: Command line of what starts many processes; empty for one.
    """

    kind: str = "script"
    script: str = ""
    arguments: tuple[str, ...] = ()
    out: Path | None = None
    catch: tuple[str, ...] = ()
    after: int = 0
    stop_after: int | None = None
    at_nan: bool = False
    launcher: str = ""


def _add_script_options(parser: argparse.ArgumentParser) -> None:
    add = functools.partial(_option, parser)
    add(
        "-m",
        "run a module by its name",
        dest="kind",
        action="store_const",
        const="module",
        default="script",
    )
    add(
        "--out DIR",
        "folder for compilations.json and a .jaxscope of every caught function",
        type=_path,
    )
    add(
        "--catch NAME",
        "capture this function (default with --out: every one); can be repeated",
        action="append",
        default=[],
    )
    add(
        "--after N",
        "let so many calls of a function pass before it is captured",
        type=_whole,
        default=0,
    )
    add("--stop-after N", "end the script after so many calls of caught functions", type=_whole)
    add(
        "--at-nan",
        "capture a function at its first call that returns NaN or Inf although its arguments hold "
        "none, in place of its first call; each call is waited for",
        action="store_true",
    )
    add(
        "--launcher COMMAND",
        "start the script in many processes by this command line, such as 'srun -n 8'; each "
        "writes DIR/rank-N",
        default="",
    )
    parser.add_argument("script", metavar="SCRIPT", help="a Python file, or a module after -m")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="of the script")


def _whole(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number")
    return int(word)


@dataclass(frozen=True, slots=True)
class BisectOptions:
    """What `jaxscope bisect` searches.

    Attributes:
        over: `versions`, `passes`, `flags` or `commits`.
        measure: `time`, `memory`, `kernels`, `numbers` or `failure`.
        pythons: Interpreters, in order.
        versions: Of JAX, to make interpreters for.
        good: The earlier commit; empty where none is named.
        bad: The later one.
        launcher: Command line behind which trials are started; empty for none.
        at_once: Trials that run beside each other; None for what is usual.
    """

    over: str = "passes"
    measure: str = "memory"
    pythons: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    good: str = ""
    bad: str = "HEAD"
    launcher: str = ""
    at_once: int | None = None


def _add_bisect_options(parser: argparse.ArgumentParser) -> None:
    add = functools.partial(_option, parser)
    add(
        "--over",
        "what changes from point to point",
        required=True,
        choices=("versions", "passes", "flags", "commits"),
    )
    add(
        "--for",
        "what is looked at (default: memory)",
        dest="measure",
        default="memory",
        choices=("time", "memory", "kernels", "numbers", "failure"),
    )
    add(
        "--pythons A,B,…",
        "interpreters for --over versions, in order",
        type=_read_targets,
        default="",
    )
    add(
        "--versions A,B,…",
        "versions of JAX for --over versions, such as 0.9.0,0.10.2; an environment of each is "
        "made, with uv or venv and pip, and kept",
        type=_read_targets,
        default="",
    )
    add("--good REV", "the earlier commit", default="")
    add("--bad REV", "the later one (default: HEAD)", default="HEAD")
    add(
        "--launcher COMMAND",
        "start trials behind this command line, such as 'srun -n 1', three at once",
        default="",
    )
    add(
        "--targets A,B,…",
        "spread trials over these machines, such as ssh://a/gpu,ssh://b/gpu",
        type=_read_targets,
        default="",
    )
    add(
        "--at-once N",
        "trials that run beside each other; times are measured one after another on each machine",
        type=_whole,
    )
    add(
        "--xla OPTION=VALUE",
        "an option of XLA's for --over flags; can be repeated",
        action="append",
        default=[],
    )


def parse(words: Sequence[str]) -> Options:
    """Parse the words of a command line into `Options`.

    Raises:
        UsageError: It cannot be read.
        SystemExit: Help or the version was asked for and has been printed.
    """
    verb = words[0] if words and words[0] in VERBS and words[0] != WINDOW else WINDOW
    rest = words if verb == WINDOW else words[1:]
    try:
        read = make_parser(verb).parse_args(list(rest))
    except UsageError:
        refuse_unknown_word(rest[0] if verb == WINDOW and rest else None)
        raise
    output, output_format = _read_output(verb, read)
    return _take(
        Options,
        read,
        verb=verb,
        others=_read_others(verb, read),
        output=output,
        output_format=output_format,
        stage=read.stage if verb in WRITING else "optimized",
        python=_read_python(read.python, read.target),
        xla=_read_xla(read.xla) if verb in ("capture", "bisect") else {},
        figure=read.figure if verb == "figure" else "",
        picture=_take(PictureOptions, read) if verb in (*WRITING, "figure") else PictureOptions(),
        time=_read_time_options(read) if verb == "time" else TimeOptions(),
        diff=_read_diff_options(read) if verb == "diff" else DiffOptions(),
        step=_take(StepOptions, read, loaded=dict(read.loaded))
        if verb == "values"
        else StepOptions(),
        script=_take(ScriptOptions, read) if verb == "run" else ScriptOptions(),
        bisect=_take(BisectOptions, read) if verb == "bisect" else BisectOptions(),
    )


def refuse_unknown_word(file: object) -> None:
    """A mistyped verb reads as the name of a file; the window would only say that none is there.

    Raises:
        UsageError: The word is no file, and could be a verb.
    """
    word = "" if file is None else str(file)
    if not word.isidentifier() or os.path.lexists(word):
        return
    close = difflib.get_close_matches(word, [verb for verb in VERBS if verb != WINDOW], n=1)
    remedy = f"Did you mean jaxscope {close[0]}?" if close else "jaxscope --help"
    raise UsageError(f"There is no command and no file {word!r}.", remedy=remedy)


def _take(kind: type[T], read: argparse.Namespace, **given: Any) -> T:
    """A dataclass from what was parsed under the names of its fields, but for what is given."""
    names = {field.name for field in dataclasses.fields(cast(Any, kind))}
    found = {name: value for name, value in vars(read).items() if name in names}
    lists = {name: tuple(value) for name, value in found.items() if isinstance(value, list)}
    return kind(**{**found, **lists, **given})


def _read_others(verb: str, read: argparse.Namespace) -> tuple[str, ...]:
    if verb == "diff":
        return (read.side_a, read.side_b)
    if verb == "ranks":
        return (read.folder,)
    return tuple(read.paths) if verb == "open" else ()


class _StoreOnce(argparse.Action):
    """Refuses an option that is given twice: of two files to write, one would be left out."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        given = namespace.__dict__.setdefault("_given", set())
        if option_string is not None and self.dest in given:
            parser.error(f"{option_string} is given twice")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class _Parser(argparse.ArgumentParser):
    def __init__(self, **about: Any) -> None:
        super().__init__(**about)
        self.register("action", None, _StoreOnce)

    def error(self, message: str) -> NoReturn:
        remedy = f"{self.prog} --help"
        if self.prog.endswith(" diff") and message.startswith("unrecognized"):
            remedy = (
                f"Write a call behind its file: {self.prog} 'a.py::f(f32[3])' 'b.py::f(f32[3])'"
            )
        elif message.startswith("unrecognized"):
            remedy = self._find_meant(message.partition(": ")[2].split()) or remedy
        raise UsageError(message[:1].upper() + message[1:] + ".", remedy=remedy)

    def _find_meant(self, words: list[str]) -> str:
        """An option that is written alike, or that for a file to write; else empty."""
        spelled = [text for text in self._option_string_actions if text.startswith("--")]
        word = words[0].partition("=")[0] if words else ""
        if word.startswith("--"):
            begun = [text for text in spelled if text.startswith(word)]
            close = begun or difflib.get_close_matches(word, spelled, n=1)
            return f"{close[0]}, as {self.prog} --help has it" if close else ""
        is_file = Path(word).suffix.removeprefix(".") in FORMATS and "--output" in spelled
        return f"-o {word}, to write that file" if is_file else ""

    def _print_message(self, message: str, file: Any = None) -> None:
        """As argparse does, but an output that cannot be written is an error."""
        if message:
            print(message, end="", file=file, flush=True)


def make_parser(verb: str) -> argparse.ArgumentParser:
    about = VERBS[verb]
    is_open = verb == WINDOW
    parser = _Parser(
        prog="jaxscope" if is_open else f"jaxscope {verb}",
        description=textwrap.fill(
            "jaxscope: see what JAX and XLA do with your code." if is_open else f"{about.summary}.",
            _WIDTH,
        ),
        epilog=_epilog(verb),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if is_open:
        version = f"jaxscope {__version__}"
        parser.add_argument("--version", action="version", version=version)
        _option(
            parser,
            "--new-window",
            "open a window of its own, even where one is open that could show the file",
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
    elif about.takes == "ranks":
        parser.add_argument("folder", metavar="DIR", help="that has the folders rank-N")
        parser.add_argument(
            "question",
            nargs="?",
            metavar="QUESTION",
            choices=RANK_QUESTIONS,
            help=f"{', '.join(RANK_QUESTIONS)} (default: a little of each)",
        )
        _option(
            parser,
            "--sql SELECT",
            "what this query finds in the store, whose tables are rank, module, program, reason "
            "and compiled",
            default="",
        )
    elif about.takes == "name":
        parser.add_argument(
            "name", metavar="NAME", help="such as dot_general, or dynamic-update-slice"
        )
    elif about.takes == "paths":
        parser.add_argument("paths", nargs="+", metavar="PATH", help="a folder or a file")
    elif about.takes:
        if about.takes == "figure":
            parser.add_argument("figure", metavar="NAME", choices=FIGURES, help=", ".join(FIGURES))
        optional = about.takes == "optional call"
        parser.add_argument(
            "file",
            type=_path,
            nargs="?" if optional else None,
            metavar="FILE",
            help="a Python file",
        )
        if about.takes != "file":
            taken = "the file's first offered call is taken"
            if optional:  # the window remembers
                taken = (
                    "the call that was run last on the file in the window, else its first offered"
                )
            parser.add_argument(
                "call", nargs="?", metavar="CALL", help=f"a call expression; without it {taken}"
            )
        if about.takes == "question":
            parser.add_argument(
                "question",
                metavar="QUESTION",
                help="a name such as costs, or words; `jaxscope ask FILE help` lists the questions",
            )
    if verb in _ADDED:
        _ADDED[verb](parser)
    _add_common_options(parser)
    return parser


SHELLS = ("bash", "zsh", "fish", "powershell")
"""What `jaxscope completion` knows."""

RANK_QUESTIONS = ("differ", "slow", "again", "memory", "ranks")
"""What `jaxscope ranks` answers."""

FIGURES = (
    *("program", "optimized", "memory", "roofline", "sharding", "communication", "collective"),
    *("pallas", "distributions", "stages", "compile-time"),
)
"""What `jaxscope figure` draws."""


def _add_figure_options(parser: argparse.ArgumentParser) -> None:
    add = functools.partial(_option, parser)
    add("-o --output OUT", "file; its ending is the format")
    add("--chip NAME", "of a roofline, such as v5e or h100")
    add(
        "--animated",
        "show what happens one after another, in an .svg: collectives, the steps of one, those of "
        "a Pallas kernel",
        dest="is_animated",
    )
    _add_picture_options(parser)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    add = functools.partial(_option, parser)
    add(
        "-o --output OUT",
        "where to write; the ending picks the format: "
        + " ".join(f".{name}" for name in FORMATS)
        + "; - with --json prints to standard output",
    )
    add(
        "--stage NAME",
        "stage of a picture or text: jaxpr, gradient, stablehlo, hlo, optimized, machine, "
        "the name of a transform, or all (default: optimized)",
        default="optimized",
    )
    _add_picture_options(
        parser, f"With --stage {ALL_STAGES}, .svg, .png and .dot become a file for each stage."
    )


def _add_capture_options(parser: argparse.ArgumentParser) -> None:
    _add_output_options(parser)
    add = functools.partial(_option, parser)
    add("--passes", "compile once more and record what each XLA pass changed")
    add(
        "--xla OPTION=VALUE",
        "compile with an option of XLA, such as xla_disable_hlo_passes=algsimp; can be repeated",
        action="append",
        default=[],
    )
    add("--gradient", _GRADIENT)
    add("--md", "print what it comes to, as Markdown for a pull request", dest="is_markdown")
    add(
        "--without-source", "leave the text of source files out; paths, lines, names and types stay"
    )


def _add_opening_options(parser: argparse.ArgumentParser) -> None:
    _add_output_options(parser)
    _option(
        parser,
        "--module NAME",
        "the module to look at, by a name of the list (default with -o: the one that took "
        "most time where a profile says it, else the largest)",
    )


def _add_memory_options(parser: argparse.ArgumentParser) -> None:
    add = functools.partial(_option, parser)
    add("--gradient", _GRADIENT)
    add("--remat", "compile the gradient anew with each policy of jax.checkpoint, and compare")


def _add_mcp_options(parser: argparse.ArgumentParser) -> None:
    _option(
        parser,
        "--allow-run",
        "run the Python files that an agent names, with all that you may do; without it only "
        "saved captures are answered from",
    )


_GRADIENT = (
    "make the gradient of a call without transforms even where that takes long, or where the "
    "program holds its own derivative"
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
    add_grouped = functools.partial(_option, group)
    add_grouped(
        "--target",
        "cpu, cpu:8, gpu, gpu:0, tpu, or compile only: aot:tpu:v5e:2x2, aot:gpu:h100; "
        "ssh://host/gpu:0 is one of another machine's (default: cpu)",
        default="cpu",
    )
    add_grouped(
        "--python PATH", "run user code under that interpreter, of the machine that it runs on"
    )
    add_grouped(
        "--timeout S", "stop the run after so many seconds", dest="timeout_s", type=_positive
    )
    add_grouped(
        "--memory GIB",
        "stop the run if it takes more memory",
        dest="memory_bytes",
        type=lambda word: int(_positive(word) * 2**30),
    )
    add_grouped("--x64", "let JAX use 64-bit types")
    add_grouped("--all", "print all of a report, not a screenful", dest="is_whole")
    add_grouped("--json", "print the result, or the failure, as one JSON object", dest="is_json")


def _path(word: str) -> Path | None:
    return Path(word) if word else None


def _home_path(word: str) -> Path | None:
    return Path(word).expanduser() if word else None


def _positive(word: str) -> float:
    number = _number(word)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{word!r} is not a positive number")
    return number


def _add_doctor_options(parser: argparse.ArgumentParser) -> None:
    _option(
        parser,
        "--selftest",
        "also try, in about a minute, what differs from system to system: runs, Stop, limits, "
        "crashes, a window; prints a table to paste into a report",
        dest="is_self_test",
    )


_ADDED = {
    "capture": _add_capture_options,
    "open": _add_opening_options,
    "memory": _add_memory_options,
    "values": _add_step_options,
    "roofline": _add_roofline_options,
    "figure": _add_figure_options,
    "targets": _add_targets_options,
    "time": _add_time_options,
    "diff": _add_diff_options,
    "bisect": _add_bisect_options,
    "mcp": _add_mcp_options,
    "doctor": _add_doctor_options,
}
"""What gives each verb its own options."""


def _epilog(verb: str) -> str:
    example = "\n".join(wrap_command(VERBS[verb].example, _WIDTH, "  "))
    lines = [f"example:\n{example}"]
    if verb == WINDOW:
        width = max(map(len, VERBS))
        verbs = [
            textwrap.fill(
                about.summary,
                _WIDTH,
                initial_indent=f"  jaxscope {name:{width}}  ",
                subsequent_indent=" " * (width + 13),
            )
            for name, about in VERBS.items()
            if name != WINDOW
        ]
        lines.append("other commands (each has --help):\n" + "\n".join(verbs))
    done = {
        "diff": f"0 equal, {DIFFERENT} different",
        "time": f"0 done, {DIFFERENT} slower than the --baseline",
        "ranks": f"0 done, {DIFFERENT} asked what differs, and something does",
        "check": f"0 nothing found, {DIFFERENT} a warning or an error found",
        WINDOW: f"0 done, {DIFFERENT} something was found (check), differs (diff), or is slower "
        "(time --baseline)",
    }.get(verb, "0 done")
    status = (
        f"exit status: {done}, 1 the user's code or call failed, 2 wrong usage, 3 something needed "
        "is not available, 4 the worker died or ran out of time or memory, 70 a bug of jaxscope's"
    )
    lines.append(textwrap.fill(status, _WIDTH))
    return "\n\n".join(lines)


def _read_output(verb: str, read: argparse.Namespace) -> tuple[Path | None, str]:
    """Where to write, and in which format."""
    named = getattr(read, "output", None)
    if verb == "figure":
        return Path(named) if named else None, "json"
    if verb == "values" and named is not None:
        ending = Path(named).suffix.lower()
        if ending not in (".html", ".pdf"):
            raise UsageError(
                f"{named[:100]} does not end with .html or .pdf.", remedy="Such as: -o steps.html"
            )
        return Path(named), ending.removeprefix(".")
    if verb not in WRITING or (verb == "open" and named is None):
        return None, "json"
    if named in (None, "-"):
        if named == "-" and not read.is_json:
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
