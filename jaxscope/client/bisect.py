"""Find where a property of a compiled call changes: over versions of JAX, passes of XLA, flags or
commits.

The points stand in a row. The first and the last are tried, and where they differ, binary search
finds two neighbours between which the property changes: of n points about log2(n) are tried, as
`git bisect` does. A point is bad if it is nearer to the last than to the first: in the middle of
two numbers of bytes, kernels or ULPs; at the geometric mean of two ratios of times, whose range
must not hold it. A point that cannot be tried is passed over, and its neighbour tried. Where the
property goes up and down, one of the places where it changes is found.

Passes: XLA can leave most passes out. From the last to the first, each is left out besides those
behind it, and stays in where the program does not compile without it; a point is one such program.
So n passes take n compilations.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import math
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from jaxscope.client.one_shot import OnEvent, ask
from jaxscope.client.requests import CallRequest, CaptureRequest, ComparisonRequest
from jaxscope.client.trial_places import Executor, Places, make_places
from jaxscope.errors import (
    EnvironmentProblem,
    JaxscopeError,
    Stopped,
    UsageError,
    UserCodeError,
    WorkerLost,
)
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Unavailable
from jaxscope.model.experiments import Bisection, BisectTrial, ProgramComparison, ResultsAgreement
from jaxscope.model.units import format_bytes, format_count, three_digits
from jaxscope.program.diff.captures import ComparedCapture, compare_captures
from jaxscope.program.fates.table import link_products
from jaxscope.program.roofline import find_roofline
from jaxscope.report.diff import describe_verdict, stage_row
from jaxscope.report.document import cell_text
from jaxscope.report.measurements import describe_ratios

R = TypeVar("R")
_INTERPRETER = "interpreter {}"
_DISABLE = "xla_disable_hlo_passes"
_LONGEST_GIT_S = 120.0
_LONGEST_INSTALL_S = 900.0
_MAX_ARCHIVE_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class AxisPoint:
    """One setting of the axis that is searched: a version, pass, flag or commit.

    Attributes:
        file: The user's file there.
        python: The interpreter; None for jaxscope's own.
        options: Options of XLA's.
        place: Makes the file where it is not there yet; returns its path.
        commit: Its id, of a commit.
    """

    name: str
    file: str
    python: str | None = None
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    commit: str = ""


# Points of each axis.


def version_points(request: CallRequest, pythons: Sequence[str]) -> list[AxisPoint]:
    """One point for each interpreter, in the order given."""
    return [
        AxisPoint(_INTERPRETER.format(python), request.file or "", python) for python in pythons
    ]


def make_environments(versions: Sequence[str], on_step: Callable[[str], None]) -> list[str]:
    """An interpreter for each version of JAX, made where there is none yet; kept for the next time.

    Raises:
        EnvironmentProblem: One cannot be installed.
    """
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    found = []
    for version in versions:
        if not version.replace(".", "").replace("rc", "").isalnum():
            raise UsageError(f"{version!r} is no version.", remedy="Such as 0.9.0,0.10.2.")
        tag = f"{sys.version_info.major}.{sys.version_info.minor}"
        folder = Path(base, "jaxscope", "environments", f"jax-{version}-python-{tag}")
        python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        done = folder / "jaxscope-complete"
        if not done.exists():
            on_step(f"Installing JAX {version} into {folder}")
            _install(folder, python, version)
            done.touch()
        found.append(str(python))
    return found


def _install(folder: Path, python: Path, version: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    uv = shutil.which("uv")
    packages = [f"jax=={version}", f"jaxlib=={version}"]
    if uv:
        steps = [
            [uv, "venv", "--python", sys.executable, str(folder)],
            [uv, "pip", "install", "--python", str(python), *packages],
        ]
    else:
        steps = [
            [sys.executable, "-m", "venv", str(folder)],
            [str(python), "-m", "pip", "install", "--quiet", *packages],
        ]
    for step in steps:
        done = _run_program(step, _LONGEST_INSTALL_S)
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            raise EnvironmentProblem(
                f"JAX {version} could not be installed.",
                why=lines[-1][:300] if lines else "",
                remedy="Name interpreters that have it, with --pythons.",
            )


def flag_points(request: CallRequest, flags: Mapping[str, str]) -> list[AxisPoint]:
    """None of the flags, then one more each time.

    Raises:
        UsageError: None is named.
    """
    if not flags:
        raise UsageError("No flag is named.", remedy="--xla xla_cpu_enable_fast_math=true")
    points = [AxisPoint("no flag", request.file or "", request.python)]
    for name, value in flags.items():
        options = {**points[-1].options, name: value}
        points.append(
            AxisPoint(f"with {name}={value}", request.file or "", request.python, options)
        )
    return points


def commit_points(request: CallRequest, good: str, bad: str, folder: Path) -> list[AxisPoint]:
    """The commits from a good one to a bad one, each by its first parent.

    The repository is only read: a commit's files are laid out in a folder of their own.

    Args:
        folder: Where they are laid out.

    Raises:
        UsageError: The file is in no repository, or a commit does not lead to the other.
    """
    file = Path(request.file or "").absolute()
    root = _git(file.parent, "rev-parse", "--show-toplevel").strip()
    ends = [
        _git(file.parent, "rev-parse", "--verify", "--end-of-options", f"{rev}^{{commit}}").strip()
        for rev in (good, bad)
    ]
    line = _git(Path(root), "rev-list", "--reverse", "--first-parent", f"{ends[0]}..{ends[1]}")
    commits = line.split()
    parents = _git(Path(root), "rev-list", "--first-parent", ends[1]).split()
    if not commits or ends[0] not in parents:
        raise UsageError(
            f"{good} is no ancestor of {bad} by first parents.",
            remedy="Name an earlier commit with --good, and a later one with --bad.",
        )
    relative = file.resolve().relative_to(Path(root).resolve())
    points = []
    for commit in (ends[0], *commits):
        title = _git(Path(root), "show", "-s", "--format=%h %s", commit).strip()[:90]
        place = str(folder / commit / relative)
        points.append(AxisPoint(f"commit {title}", place, request.python, commit=commit))
    return points


def _lay_out(point: AxisPoint, repository: Path, folder: Path) -> None:
    """Write the files of a commit into a folder.

    Raises:
        UserCodeError: The commit does not have the file.
        EnvironmentProblem: It cannot be read.
    """
    target = folder / point.commit
    if not target.exists():
        top = _git(repository, "rev-parse", "--show-toplevel").strip()
        done = _run_program(
            ["git", "-C", top, "archive", "--format=tar", point.commit], _LONGEST_GIT_S
        )
        if done.returncode or len(done.stdout) > _MAX_ARCHIVE_BYTES:
            raise EnvironmentProblem(f"{point.name} could not be read by git.")
        target.mkdir()
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            archive.extractall(target, filter="data")
    if not Path(point.file).is_file():
        raise UserCodeError(f"{point.name} has no file {Path(point.file).name}.")


def _git(folder: Path, *words: str) -> str:
    done = _run_program(["git", "-C", str(folder), *words], _LONGEST_GIT_S)
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise UsageError(
            f"git {words[0]} failed: {lines[-1][:200] if lines else 'no word of why'}",
            remedy="--over commits takes a file in a git repository, --good REV and --bad REV.",
        )
    return done.stdout.decode(errors="replace")


def _run_program(words: Sequence[str], longest_s: float) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(words, capture_output=True, timeout=longest_s, check=False)
    except FileNotFoundError:
        raise EnvironmentProblem(
            f"{words[0]} is not installed.", remedy=f"Install {words[0]}."
        ) from None
    except subprocess.TimeoutExpired:
        raise EnvironmentProblem(f"{words[0]} did not end within {longest_s:.0f} s.") from None


# What is looked at.


class _Unmeasured(Exception):
    """A point cannot be tried; its text says why."""


class _Bisector:
    """Tries points of one axis and remembers what it found."""

    def __init__(
        self,
        request: CallRequest,
        measure: str,
        on_event: OnEvent | None,
        prepare: Callable[[AxisPoint], None],
        places: Places | None,
    ) -> None:
        self.request = request
        self._measure = measure
        self._on_event = on_event
        self._prepare = prepare
        self._preparing = threading.Lock()
        self.places = places
        self._ask = ask if places is None else places.ask
        self._captures: dict[int, Capture] = {}
        self.points: list[AxisPoint] = []
        self.trials: dict[int, BisectTrial] = {}
        self.call = request.call or ""

    def capture(self, number: int) -> Capture:
        """The capture of a point, taken once.

        Raises:
            JaxscopeError: There is none.
        """
        is_pinned = self.places is not None and self.places.is_pinned
        if number not in self._captures or is_pinned:
            self._captures[number] = self.capture_point(self.points[number])
        return self._captures[number]

    def capture_point(self, point: AxisPoint) -> Capture:
        """Capture the call with the setting of a point."""
        with self._preparing:
            self._prepare(point)
        request = self._of(CaptureRequest, point, options=point.options)
        taken = self._ask(request, Capture, self._on_event)
        self.call = taken.call
        return taken

    def ask(self, request: CaptureRequest) -> Capture:
        """The answer to a request, from any place."""
        return self._ask(request, Capture, None)

    @property
    def num_places(self) -> int:
        """Trials that can run at once."""
        return 1 if self.places is None else len(self.places.places)

    def capture_points(self, points: Sequence[AxisPoint]) -> list[Capture | None]:
        """A capture of each, at once where there are places; None where the program fails."""

        def take(point: AxisPoint) -> Capture | None:
            try:
                return self.capture_point(point)
            except (UserCodeError, WorkerLost) as error:
                if isinstance(error, Stopped):
                    raise
                return None

        return [*map(take, points)] if self.places is None else self.places.map(take, points)

    def keep(self, number: int, capture: Capture) -> None:
        """Remember a capture that was taken already."""
        self._captures[number] = capture

    def try_point(self, number: int) -> BisectTrial:
        """The trial of one point: its value of the property that is searched for."""
        if number not in self.trials:
            point = self.points[number]
            try:
                value, text = self._look_at(number)
            except _Unmeasured as error:
                value, text = math.nan, str(error)
            name = point.name
            if point.name == _INTERPRETER.format(point.python) and number in self._captures:
                name = f"JAX {self._captures[number].environment.jax} ({point.python})"
            self.trials[number] = BisectTrial(number, name, value, text)
        return self.trials[number]

    def try_points(self, numbers: Sequence[int]) -> None:
        """Try some points, at once where there are places for it."""
        if self.places is None:
            for number in numbers:
                self.try_point(number)
        else:
            self.places.map(self.try_point, numbers)
            for number in numbers:  # in this order, whichever ended first
                self.trials[number] = self.trials.pop(number)

    def check_places(self) -> None:
        """See whether the first point is the same in all places; else trials say nothing together.

        Raises:
            EnvironmentProblem: It is not.
        """
        if self.places is None or len(self.places.places) < 2 or self._measure == "time":
            return

        def look() -> tuple[float, str]:
            try:
                return self._look_at(0)
            except _Unmeasured as error:
                return math.nan, str(error)

        found = self.places.at_each(look)
        if len({value for value, _ in found if not math.isnan(value)}) > 1:
            pairs = zip(self.places.places, found, strict=True)
            raise EnvironmentProblem(
                "The places where trials run do not agree on the first point.",
                why="; ".join(f"{place.name}: {text}" for place, (_, text) in pairs),
                remedy="Name machines of one kind, or one place.",
            )

    def _look_at(self, number: int) -> tuple[float, str]:
        if self._measure == "failure":
            try:
                self.capture(number)
            except (UserCodeError, WorkerLost) as error:
                if isinstance(error, Stopped):
                    raise
                return 1.0, f"fails: {error.explanation.what}"
            except JaxscopeError as error:
                raise _Unmeasured(error.explanation.what) from None
            return 0.0, "works"
        try:
            if self._measure in ("memory", "kernels"):
                return self._of_capture(self.capture(number))
            return self._of_comparison(number)
        except Stopped:
            raise
        except JaxscopeError as error:
            raise _Unmeasured(f"fails: {error.explanation.what}") from None

    def _of_capture(self, capture: Capture) -> tuple[float, str]:
        if self._measure == "memory":
            if isinstance(capture.memory, Unavailable):
                raise _Unmeasured(capture.memory.reason)
            needed = capture.memory.total_bytes
            return needed, f"{format_bytes(needed)} at once"
        found = find_roofline(link_products(capture), None, capture.stage("machine"))
        if isinstance(found, Unavailable):
            raise _Unmeasured(found.reason)
        return float(len(found.kernels)), format_count(len(found.kernels), "kernel")

    def _of_comparison(self, number: int) -> tuple[float, str]:
        """Against the first point."""
        first, other = self.points[0], self.points[number]
        with self._preparing:
            for point in (first, other):
                self._prepare(point)
        is_time = self._measure == "time"
        request = self._of(
            ComparisonRequest,
            first,
            options=first.options,
            other_options=other.options,
            other_python=other.python,
            other_file=other.file if other.file != first.file else None,
            budget_s=3.0 if is_time else 0.05,
        )
        found = self._ask(request, ProgramComparison, self._on_event)
        return self._judge_time(number, found) if is_time else judge_numbers(found.agreement)

    def _judge_time(self, number: int, found: ProgramComparison) -> tuple[float, str]:
        (ratio,) = found.timing.ratios[:1] or (None,)
        if ratio is None or not ratio.is_judged or math.isnan(ratio.median):
            raise _Unmeasured("no verdict on the times")
        text = describe_ratios([dataclasses.replace(ratio, name="the first/this one")])
        if number == 0:
            return 1.0, text
        if ratio.verdict == "unclear":
            raise _Unmeasured(text)
        return 1.0 if ratio.verdict == "same" else ratio.median, text

    def _of(self, kind: Callable[..., R], point: AxisPoint, **fields: object) -> R:
        base = self.request
        return kind(
            point.file,
            base.call,
            base.target,
            base.x64,
            python=point.python,
            timeout_s=base.timeout_s,
            memory_bytes=base.memory_bytes,
            environment=base.environment,
            **fields,
        )


def judge_numbers(agreement: ResultsAgreement) -> tuple[float, str]:
    """How far results are from the first point's, as a number and in words.

    Raises:
        _Unmeasured: They could not be compared.
    """
    if agreement.reason:
        raise _Unmeasured(agreement.reason)
    differing = [leaf for leaf in agreement.leaves if not leaf.is_equal]
    if not differing:
        return 0.0, "results equal to the first's, bit by bit"
    count = sum(leaf.differing for leaf in differing)
    one_way = sum(leaf.num_nan for leaf in differing)
    ulps = [leaf.max_ulp for leaf in differing if not math.isnan(leaf.max_ulp)]
    worst = max(ulps, default=float(count))  # integers have no ULP: how many differ
    told = f"{format_count(count, 'element')} not as the first's"
    told += f", by up to {three_digits(worst)} ULP" if ulps else ""
    if one_way:
        return math.inf, f"{told}; {one_way:,} are NaN or infinite one way only"
    return worst, told


# The search.


def _is_bad(trial: BisectTrial, first: BisectTrial, last: BisectTrial, measure: str) -> bool | None:
    """Whether a point is nearer to the last than to the first; None where it was not tried."""
    if math.isnan(trial.value):
        return None
    if math.isinf(last.value):
        return math.isinf(trial.value)
    value, begin, end = trial.value, first.value, last.value
    if measure == "time":
        value, begin, end = (math.log(max(each, 1e-9)) for each in (value, begin, end))
    return abs(value - end) <= abs(value - begin)


def _middle(between: Sequence[int], good: int, bad: int) -> int:
    return min(between, key=lambda n: abs(2 * n - good - bad))


def _upcoming(good: int, bad: int, untold: set[int], most: int) -> list[int]:
    """The points that a search may try next, the next first: whatever it finds, these come first.

    So a search with several places gives what one with a single place gives, in fewer steps.
    """
    found: list[int] = []
    waiting = [(good, bad)]
    while waiting and len(found) < most:
        low, high = waiting.pop(0)
        between = [n for n in range(low + 1, high) if n not in untold]
        if between:
            middle = _middle(between, low, high)
            found.append(middle)
            waiting += [(low, middle), (middle, high)]
    return found


def _search(tried: _Bisector, measure: str, on_step: Callable[[str], None]) -> tuple[int, int]:
    """Two neighbours, the second of which is bad; further apart where those between are untold."""
    good, bad = 0, len(tried.points) - 1
    first, last = tried.trials[good], tried.trials[bad]
    untold: set[int] = set()
    while True:
        between = [n for n in range(good + 1, bad) if n not in untold]
        if not between:
            return good, bad
        middle = _middle(between, good, bad)
        if tried.places is not None and middle not in tried.trials:
            tried.try_points(_upcoming(good, bad, untold, len(tried.places.places)))
        left = max(1, math.ceil(math.log2(len(between) + 1)))
        on_step(f"{tried.points[middle].name}, about {left} more")
        verdict = _is_bad(tried.try_point(middle), first, last, measure)
        tried.trials[middle] = dataclasses.replace(tried.trials[middle], is_bad=verdict)
        if verdict is None:
            untold.add(middle)
        elif verdict:
            bad = middle
        else:
            good = middle


def bisect_call(
    request: CallRequest,
    over: str,
    measure: str = "memory",
    *,
    pythons: Sequence[str] = (),
    versions: Sequence[str] = (),
    flags: Mapping[str, str] | None = None,
    good: str = "",
    bad: str = "HEAD",
    launcher: str = "",
    targets: Sequence[str] = (),
    at_once: int | None = None,
    executor: Executor | None = None,
    on_event: OnEvent | None = None,
    on_step: Callable[[str], None] = lambda _text: None,
) -> Bisection:
    """Find where a property of a call changes.

    Args:
        over: As `Bisection.over`.
        measure: As `Bisection.measure`.
        pythons: Interpreters, in order, for `versions`.
        versions: Versions of JAX to make interpreters for, in place of these.
        flags: Options of XLA's, for `flags`.
        good: The earlier commit, for `commits`.
        bad: The later one.
        launcher: Command line behind which trials are started, such as `srun -n 1`.
        targets: On other machines, to spread trials over, in place of the request's.
        at_once: Trials that run beside each other. Times are never measured beside each other on
            one machine, nor behind a launcher or an executor, whose machines are not known.
        executor: What has `submit`, such as Dask's client: trials are calls of it.
        on_step: Told what is tried.

    Raises:
        UsageError: What the axis needs is not named.
        JaxscopeError: The first or the last point cannot be tried.
    """
    places = make_places(launcher, targets, at_once, executor, alone=measure == "time")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="jaxscope-bisect-")))
        repository = Path(request.file or "").absolute().parent

        def prepare(point: AxisPoint) -> None:
            if point.commit:
                _lay_out(point, repository, folder)

        spread = Places(places) if places else None
        if spread is not None:
            stack.callback(spread.close)
        tried = _Bisector(request, measure, on_event, prepare, spread)
        if over == "versions":
            pythons = [*pythons, *make_environments(versions, on_step)]
            tried.points = version_points(request, pythons)
        elif over == "flags":
            tried.points = flag_points(request, flags or {})
        elif over == "commits":
            if not good:
                raise UsageError("No good commit is named.", remedy="--good REV [--bad REV]")
            tried.points = commit_points(request, good, bad, folder)
        elif over == "passes":
            _find_pass_points(tried, request, on_step)
        else:
            raise UsageError(
                f"{over!r} is nothing to search over.",
                remedy="It is versions, passes, flags or commits.",
            )
        if len(tried.points) < 2:
            raise UsageError(
                "There are no two points to search between.",
                remedy="--over versions takes --pythons A,B,… or --versions 0.9.0,0.10.2.",
            )
        return _bisect(tried, over, measure, on_step)


def _bisect(tried: _Bisector, over: str, measure: str, on_step: Callable[[str], None]) -> Bisection:
    count = len(tried.points)
    on_step(f"{tried.points[0].name} and {tried.points[-1].name}")
    tried.check_places()
    tried.try_points((0, count - 1))
    first, last = tried.trials[0], tried.trials[count - 1]

    def result(**fields: Any) -> Bisection:
        trials = tuple(tried.trials.values())
        return Bisection(tried.call, over, measure, count, trials, **fields)

    for trial in (first, last):
        if math.isnan(trial.value):
            return result(reason=f"{trial.name} could not be tried: {trial.text}")
    if measure == "numbers" and first.value != 0.0:
        return result(reason="Two runs of the first point give different results.")
    if first.value == last.value:
        return result(reason=f"Nothing changes: {first.name} and {last.name} are alike.")
    for number, is_bad in ((0, False), (count - 1, True)):
        tried.trials[number] = dataclasses.replace(tried.trials[number], is_bad=is_bad)
    good, bad = _search(tried, measure, on_step)
    for number, trial in tried.trials.items():  # those that no step needed are told as well
        if number not in (0, count - 1):
            verdict = _is_bad(trial, first, last, measure)
            tried.trials[number] = dataclasses.replace(trial, is_bad=verdict)
    return result(
        good=tried.trials[good],
        bad=tried.trials[bad],
        difference=tuple(_describe_difference(tried, good, bad)),
        script=_write_script(tried, over, measure, good, bad),
    )


def _find_pass_points(
    tried: _Bisector, request: CallRequest, on_step: Callable[[str], None]
) -> None:
    """Programs with more and more passes: the first leaves out all that can be left out."""
    plain = AxisPoint("with all passes", request.file or "", request.python)
    on_step("Recording XLA's passes")
    wanted = CaptureRequest(
        plain.file,
        request.call,
        request.target,
        request.x64,
        True,
        python=request.python,
        timeout_s=request.timeout_s,
        memory_bytes=request.memory_bytes,
    )
    whole = tried.ask(wanted)
    tried.call = whole.call
    names = list(dict.fromkeys(r.name for r in whole.passes if r.name and r.has_changed))
    left_out: list[str] = []
    found = [(plain, whole)]
    waiting = names[::-1]
    while waiting:
        on_step(f"Without {waiting[0]}")
        chosen = waiting[: tried.num_places]  # as if each of these could be left out
        points = [
            AxisPoint(
                "without the passes that can be left out",
                plain.file,
                plain.python,
                {_DISABLE: ",".join([*chosen[number::-1], *left_out])},
            )
            for number in range(len(chosen))
        ]
        for point, taken in zip(points, tried.capture_points(points), strict=True):
            name = waiting.pop(0)
            if taken is None:  # the program needs it, so those behind it were made for nothing
                break
            last, capture = found[-1]
            found[-1] = (dataclasses.replace(last, name=f"with the pass {name}"), capture)
            left_out.insert(0, name)
            found.append((point, taken))
    found.reverse()
    tried.points = [point for point, _ in found]
    for number, (_, taken) in enumerate(found):
        tried.keep(number, taken)


def _describe_difference(tried: _Bisector, good: int, bad: int) -> Iterator[str]:
    sides: list[ComparedCapture] = []
    for number in (good, bad):
        try:
            sides.append(ComparedCapture(tried.points[number].name, tried.capture(number)))
        except Stopped:
            raise
        except JaxscopeError as error:
            yield f"{tried.points[number].name}: {error.explanation.what}"
            if error.explanation.where:
                yield f"It fails at {error.explanation.where}."
    if len(sides) == 2:
        found = compare_captures(sides[0], sides[1])
        yield describe_verdict(found)
        names = ("same", "changed", "moved", "added", "removed")
        for stage in found.stages:
            title, *cells = map(cell_text, stage_row(stage))
            counts = ", ".join(
                f"{cell} {name}" for name, cell in zip(names, cells, strict=False) if cell
            )
            if "differs" in cells[-1]:
                yield f"{title}: {counts}"


def _write_script(tried: _Bisector, over: str, measure: str, good: int, bad: int) -> str:
    """Write a shell script that repeats what the bisection ran."""
    points = [tried.points[good], tried.points[bad]]
    lines = ["#!/bin/sh", f"# {measure}: {points[0].name}, then {points[1].name}"]
    call = [tried.call] if tried.call else []
    request = tried.request
    common = [] if request.target == "cpu" else ["--target", request.target]
    common += ["--x64"] if request.x64 else []
    if over == "commits":
        parts = Path(points[0].file).parts
        relative = Path(*parts[parts.index(points[0].commit) + 1 :])
        for point in points:
            lines += [f"git worktree add --detach ../{point.commit[:10]} {point.commit}"]
        files = [f"../{point.commit[:10]}/{relative}" for point in points]
    else:
        files = [point.file for point in points]
    if measure in ("time", "numbers"):
        words = ["jaxscope", "time", files[0], *call, *common]
        words += ["--against-file", files[1]] if files[1] != files[0] else []
        for option, point in zip(("--python", "--against-python"), points, strict=True):
            words += [option, point.python] if point.python and over == "versions" else []
        for side, point in zip("AB", points, strict=True):
            for name, value in point.options.items():
                words += ["--xla", f"{side}:{name}={value}"]
        if "--against-file" not in words and not points[0].options and over != "versions":
            words += ["--against", *call]
        return "\n".join([*lines, shlex.join(words), ""])
    for out, file, point in zip(("a.jaxscope", "b.jaxscope"), files, points, strict=True):
        words = ["jaxscope", "capture", file, *call, *common, "-o", out]
        words += ["--python", point.python] if point.python else []
        for name, value in point.options.items():
            words += ["--xla", f"{name}={value}"]
        lines.append(shlex.join(words))
        if measure != "failure":
            lines.append(f"jaxscope ask {out} {measure}")
    return "\n".join([*lines, ""])
