"""jaxscope: see what JAX and XLA do with your code.

From Python: `capture` takes a function of the running process through every stage, `capture_file`
a call on a file in a process of its own, `compare_targets` the same for many chips; a capture's
`save` writes it, `load` reads it again, `show` opens a window. `diff` compares two captures,
`remat` the policies of `jax.checkpoint` for a call's gradient, `bisect` finds the version, pass,
flag or commit with which a property of a call changes, `values` runs a call equation by
equation, `trace_lines` tells what Python does while JAX traces it, `check` looks for likely
mistakes, `sharding` says how a capture is spread over devices, `watch` what a running program
compiles, `ranks` what many processes of a job did, `open` what a job left behind; what these
return prints itself as the command of that name does.
In a notebook, a capture that ends a cell shows its stages as linked panes, and `%load_ext jaxscope`
adds a magic that captures the call that ends a cell.
Importing this loads neither JAX nor Qt nor NumPy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from jaxscope.version import __version__

if TYPE_CHECKING:
    from jaxscope.client.requests import CallRequest
    from jaxscope.client.trial_places import Executor
    from jaxscope.compilation_watch import Watch
    from jaxscope.model.capture import Capture, Checked
    from jaxscope.model.experiments import Bisection, RematPolicies
    from jaxscope.model.tracing import Tracing
    from jaxscope.model.values import Values
    from jaxscope.notebook import OpenedModules, ShownCapture, ShownRanks
    from jaxscope.program.diff.captures import ComparedCapture, Comparison
    from jaxscope.program.sharding.placement import PlacementReport
    from jaxscope.program.targets import TargetRow

R = TypeVar("R", bound="CallRequest")
S = TypeVar("S")

__all__ = [
    "__version__",
    "bisect",
    "capture",
    "capture_file",
    "check",
    "compare_targets",
    "diff",
    "load",
    "ranks",
    "remat",
    "sharding",
    "show",
    "trace_lines",
    "values",
    "watch",
]

# `open` is left out: `from jaxscope import *` would hide Python's own.


def capture(function: Callable[..., Any], *args: Any, **kwargs: Any) -> ShownCapture:
    """Every stage of `function(*args, **kwargs)`, in this process and on JAX's default device.

    The function is traced and compiled, not run. Arrays are traced, as are Python scalars; other
    leaves of the arguments are static. A function that is already `jax.jit` keeps its own static
    and donated arguments.

    Raises:
        jaxscope.errors.UserCodeError: Tracing, lowering or compiling failed.
    """
    from jaxscope.in_process import capture_function
    from jaxscope.notebook import make_shown

    return make_shown(capture_function(function, args, kwargs))


def capture_file(
    file: str | os.PathLike[str],
    call: str | None = None,
    *,
    target: str = "cpu",
    python: str | os.PathLike[str] | None = None,
    timeout_s: float | None = None,
    memory_bytes: int | None = None,
    x64: bool = False,
    passes: bool = False,
    xla: Mapping[str, str] | None = None,
    gradient: bool = False,
) -> Capture:
    """Every stage of a call on a file, from a process of its own that runs the file.

    Args:
        call: Such as `grad(loss)(w, f32[8, 2])`; None takes the file's first offered call.
        target: `cpu`, `cpu:8`, `gpu`, `gpu:0` or `tpu`; `aot:tpu:v5e:2x2` or `aot:gpu:h100`
            compile for a chip that need not be here; `ssh://host/gpu:0` is another machine's.
        python: The interpreter that runs the file; None for this one, or for `python3` of another
            machine. It needs JAX 0.8 or newer, and nothing of jaxscope's.
        timeout_s: Wall seconds after which the run is stopped.
        memory_bytes: Memory that the run may take; None for three quarters of the machine's.
        x64: Whether 64-bit types are on.
        passes: Whether to compile once more and record what each XLA pass changed.
        xla: Options of XLA's to compile with, such as `{"xla_disable_hlo_passes": "algsimp"}`.
        gradient: Whether to make the stage `gradient` of a call without transforms even where that
            takes long, or where the program holds its own derivative.

    Raises:
        jaxscope.errors.JaxscopeError: The call failed, the process died, or something is missing.
    """
    from jaxscope.client.one_shot import ask
    from jaxscope.client.requests import CaptureRequest
    from jaxscope.model import Capture
    from jaxscope.notebook import make_shown

    made_with = {"passes": passes, "options": dict(xla or {}), "gradient": gradient}
    request = _make_request(
        CaptureRequest, file, call, target, x64, python, timeout_s, memory_bytes, **made_with
    )
    return make_shown(ask(request, Capture))


def compare_targets(
    file: str | os.PathLike[str],
    call: str | None = None,
    targets: Sequence[str] = (),
    *,
    python: str | os.PathLike[str] | None = None,
    timeout_s: float | None = None,
    memory_bytes: int | None = None,
    x64: bool = False,
) -> tuple[TargetRow, ...]:
    """What each of several chips would make of a call: estimates, work, traffic, memory.

    Args:
        targets: Such as `v5e:2x2`, `h100:8`, `cpu`; none for every chip that is described here.

    Raises:
        jaxscope.errors.JaxscopeError: The call failed, or no target could be compiled for.
    """
    from jaxscope.client.many_targets import capture_targets, default_targets, full_target
    from jaxscope.client.requests import CaptureRequest
    from jaxscope.program.targets import summarize_target

    request = _make_request(CaptureRequest, file, call, "cpu", x64, python, timeout_s, memory_bytes)
    found = capture_targets(request, tuple(map(full_target, targets)) or default_targets())
    return tuple(summarize_target(target, answer) for target, answer in found)


def diff(
    first: Capture | str | os.PathLike[str], second: Capture | str | os.PathLike[str]
) -> Comparison:
    """What differs between two captures: nodes by what they are, costs, memory, texts.

    Args:
        first: A capture, a saved one (`.jaxscope`, `.json`), `FILE.py`, or `FILE.py::CALL`, which
            is captured now.
        second: Likewise.

    Returns:
        A comparison: `is_equal`, and the `stages` one by one. It prints as a report.

    Raises:
        jaxscope.errors.UsageError: A side is none of these.
        jaxscope.errors.JaxscopeError: A file cannot be read, or a call failed.
    """
    import dataclasses

    from jaxscope.notebook import ShownComparison
    from jaxscope.program.diff.captures import compare_captures

    sides = _subject(first), _subject(second)
    if sides[0].name == sides[1].name:
        sides = (
            dataclasses.replace(sides[0], name=f"{sides[0].name} [first]"),
            dataclasses.replace(sides[1], name=f"{sides[1].name} [second]"),
        )
    found = compare_captures(*sides)
    return _show_as(ShownComparison, found)


def _subject(side: Capture | str | os.PathLike[str]) -> ComparedCapture:
    from jaxscope.client.subjects import obtain_subject
    from jaxscope.program.diff.captures import ComparedCapture

    if isinstance(side, (str, os.PathLike)):
        return obtain_subject(os.fspath(side))
    if not hasattr(side, "stages"):
        _path_of(side)
    return ComparedCapture(side.call, side)


def remat(
    file: str | os.PathLike[str],
    call: str | None = None,
    *,
    target: str = "cpu",
    python: str | os.PathLike[str] | None = None,
    timeout_s: float | None = None,
    memory_bytes: int | None = None,
    x64: bool = False,
) -> RematPolicies:
    """What each policy of `jax.checkpoint` would keep, compute again and need for a gradient.

    Every policy is traced and compiled on the call's base function, in a process of its own;
    nothing runs, and no file changes. The options are those of `capture_file`.

    Returns:
        `outcomes`, the gradient as written first. It prints as a table.

    Raises:
        jaxscope.errors.JaxscopeError: The call failed, or there is nothing to differentiate.
    """
    from jaxscope.client.one_shot import ask
    from jaxscope.client.requests import RematRequest
    from jaxscope.model.experiments import RematPolicies
    from jaxscope.notebook import ShownPolicies

    request = _make_request(RematRequest, file, call, target, x64, python, timeout_s, memory_bytes)
    found = ask(request, RematPolicies)
    return _show_as(ShownPolicies, found)


def bisect(
    file: str | os.PathLike[str],
    call: str | None = None,
    *,
    over: str,
    measure: str = "memory",
    pythons: Sequence[str] = (),
    versions: Sequence[str] = (),
    flags: Mapping[str, str] | None = None,
    good: str = "",
    bad: str = "HEAD",
    launcher: str = "",
    targets: Sequence[str] = (),
    at_once: int | None = None,
    executor: Executor | None = None,
    target: str = "cpu",
    python: str | os.PathLike[str] | None = None,
    timeout_s: float | None = None,
    memory_bytes: int | None = None,
    x64: bool = False,
) -> Bisection:
    """Where a property of a call changes: with which version, pass, flag or commit.

    Args:
        over: `versions`, `passes`, `flags` or `commits`.
        measure: `time`, `memory`, `kernels`, `numbers` or `failure`.
        pythons: Interpreters in order, for `versions`.
        versions: Versions of JAX to make interpreters for, in place of these.
        flags: Options of XLA's, for `flags`.
        good: The earlier commit, for `commits`.
        bad: The later one.
        launcher: Command line behind which trials are started, such as `srun -n 1`.
        targets: On other machines, such as `ssh://a/gpu`, to spread trials over.
        at_once: Trials that run beside each other; three where a launcher or an executor is named.
        executor: What has a `submit` whose result has `result` and `cancel`, such as Dask's
            `Client` or a pool of `concurrent.futures`: trials are calls of it. Its processes need
            jaxscope, and the file in the same place.

    The other options are those of `capture_file`.

    Returns:
        `good`, `bad`, `difference`, `trials`. It prints as `jaxscope bisect` does.

    Raises:
        jaxscope.errors.UsageError: What the axis needs is not named.
        jaxscope.errors.JaxscopeError: The first or the last point cannot be tried.
    """
    from jaxscope.client.bisect import bisect_call
    from jaxscope.client.requests import CallRequest
    from jaxscope.notebook import ShownBisection

    found = bisect_call(
        _make_request(CallRequest, file, call, target, x64, python, timeout_s, memory_bytes),
        over,
        measure,
        pythons=pythons,
        versions=versions,
        flags=flags,
        good=good,
        bad=bad,
        launcher=launcher,
        targets=targets,
        at_once=at_once,
        executor=executor,
    )
    return _show_as(ShownBisection, found)


def values(
    file: str | os.PathLike[str],
    call: str | None = None,
    *,
    target: str = "cpu",
    python: str | os.PathLike[str] | None = None,
    timeout_s: float | None = None,
    memory_bytes: int | None = None,
    x64: bool = False,
    against: str = "",
) -> Values:
    """What each equation of a call computes, in summaries, and where NaN or Inf begins.

    The program is run equation by equation, in a process of its own. The options are those of
    `capture_file`.

    Args:
        against: `jit`, `float64` or `again`: how the values of the compiled program, of double
            precision, or of a second run differ is found, too.

    Returns:
        `equations`, `arguments`, `results`, and `origins` of NaN and Inf; `against`, whose
        `parting(ulps)` are the equations that differ. It prints as a table.

    Raises:
        jaxscope.errors.JaxscopeError: The call failed, the target is not here, or there is no such
            form.
    """
    import dataclasses

    from jaxscope.client.one_shot import ask
    from jaxscope.client.requests import ValuesRequest
    from jaxscope.errors import UsageError
    from jaxscope.model.values import Values
    from jaxscope.notebook import ShownValues

    request = _make_request(ValuesRequest, file, call, target, x64, python, timeout_s, memory_bytes)
    if against not in ("", "jit", "float64", "again"):
        raise UsageError(f"There is no form {against!r}.", remedy="Give jit, float64 or again.")
    found = ask(dataclasses.replace(request, against=against), Values)
    return _show_as(ShownValues, found)


def trace_lines(
    file: str | os.PathLike[str],
    call: str | None = None,
    *,
    target: str = "cpu",
    python: str | os.PathLike[str] | None = None,
    timeout_s: float | None = None,
    memory_bytes: int | None = None,
    x64: bool = False,
) -> Tracing:
    """What Python does, line by line, while JAX traces a call, in a process of its own.

    Then the jitted function is called twice, to see what a further call runs of Python. The options
    are those of `capture_file`.

    Returns:
        `lines`, each with the equations that it added; `reruns`, the number of lines in each
        further call; `failure` where tracing failed. It prints as a table.

    Raises:
        jaxscope.errors.JaxscopeError: The file or the call is wrong, or the target is not here.
    """
    from jaxscope.client.one_shot import ask
    from jaxscope.client.requests import TraceLinesRequest
    from jaxscope.model.tracing import Tracing
    from jaxscope.notebook import ShownTracing

    request = _make_request(
        TraceLinesRequest, file, call, target, x64, python, timeout_s, memory_bytes
    )
    return _show_as(ShownTracing, ask(request, Tracing))


def check(
    file: str | os.PathLike[str],
    call: str | None = None,
    *,
    target: str = "cpu",
    python: str | os.PathLike[str] | None = None,
    timeout_s: float | None = None,
    memory_bytes: int | None = None,
    x64: bool = False,
) -> Checked:
    """What is likely to be a mistake in a call: impurity, keys used twice, NaN, errors of tracing.

    The call is captured, and its program run equation by equation. The options are those of
    `capture_file`.

    Returns:
        `checks`, the worst first. It prints as a report.

    Raises:
        jaxscope.errors.JaxscopeError: The file or the call is wrong, or something is missing.
    """
    from jaxscope.client.check import check_call
    from jaxscope.client.requests import CaptureRequest
    from jaxscope.notebook import ShownChecks

    request = _make_request(
        CaptureRequest, file, call, target, x64, python, timeout_s, memory_bytes
    )
    found = check_call(request)
    return _show_as(ShownChecks, found)


def sharding(what: Capture | str | os.PathLike[str]) -> PlacementReport:
    """How a captured program is spread over devices: parts of arrays, collectives, memory.

    Args:
        what: A capture, such as `capture_file(file, call, target="cpu:8")`, or a saved one.

    Returns:
        A report: `placement`, `arrays`, `collectives`, `num_devices`. It prints as a text.

    Raises:
        jaxscope.errors.SourceError: The file cannot be read or is no capture.
    """
    from jaxscope.notebook import ShownPlacement

    if isinstance(what, (str, os.PathLike)):
        return ShownPlacement(load(what))
    if not hasattr(what, "stages"):
        _path_of(what)
    return ShownPlacement(what)


def watch(
    out: str | os.PathLike[str] | None = None,
    *,
    catch: Sequence[str] = (),
    after: int = 0,
    at_nan: bool = False,
) -> Watch:
    """Watch what is compiled inside of a `with` block or a decorated function, and why again.

    Args:
        out: Folder for the list `compilations.json`, and for a `.jaxscope` of each function. Of
            several processes of one job each writes into a folder `rank-N` in it; see `ranks`.
        catch: Names of the functions to capture; none for all of them.
        after: Calls of a function that are let pass before it is captured.
        at_nan: Capture a function at its first call that returns NaN or Inf although its arguments
            hold none, in place of its first call. Each call is waited for, and what it donates is
            copied before.

    Returns:
        A context manager; `found` has the functions with their arguments, calls and seconds. It
        prints as a table. Functions that were jitted before are known by name and seconds only.

    Raises:
        jaxscope.errors.UsageError: `at_nan` without a folder for what is captured.
    """
    from pathlib import Path

    from jaxscope.compilation_watch import Watch, WatchOptions
    from jaxscope.errors import UsageError

    if at_nan and out is None:
        raise UsageError(
            "at_nan captures calls, so it needs a folder.", remedy="Such as: out='seen'"
        )
    folder = Path(out) if out is not None else None
    return Watch(WatchOptions(folder, tuple(catch), after, at_nan=at_nan))


def ranks(folder: str | os.PathLike[str]) -> ShownRanks:
    """What many processes of one job recorded, each in its folder `rank-N`.

    They are read into a store beside these folders, `ranks.sqlite`, once; lists that are new or
    have changed are read when it is opened again.

    Args:
        folder: The `out` of `watch`, or DIR of `jaxscope run --out DIR`.

    Returns:
        A store to ask: `ranks`, `missing`, `differences`, `slowest`, `again`, and `query` for a
        SELECT of one's own. It prints what `jaxscope ranks` does. `close` it, or use `with`.

    Raises:
        jaxscope.errors.SourceError: There is no such folder.
        jaxscope.errors.UsageError: Something else lies in the place of the store.
    """
    from jaxscope.notebook import ShownRanks

    return ShownRanks(folder)


def _make_request(
    kind: type[R],
    file: str | os.PathLike[str],
    call: str | None,
    target: str,
    x64: bool,
    python: str | os.PathLike[str] | None,
    timeout_s: float | None,
    memory_bytes: int | None,
    **made_with: Any,
) -> R:
    return kind(
        file=_path_of(file),
        call=call,
        target=target,
        x64=x64,
        python=None if python is None else os.fspath(python),
        timeout_s=timeout_s,
        memory_bytes=memory_bytes,
        **made_with,
    )


def _path_of(file: object) -> str:
    """A path as text.

    Raises:
        jaxscope.errors.UsageError: It is none: a function, say, or a capture.
    """
    from jaxscope.errors import UsageError

    if isinstance(file, (str, os.PathLike)):
        return os.fspath(file)
    if callable(file):
        name = getattr(file, "__name__", type(file).__name__)
        raise UsageError(
            f"The path of a Python file is needed here, not the function {name}: the file is run "
            "in a process of its own.",
            remedy=f'Such as: "model.py", "{name}(f32[8])". jaxscope.capture({name}, …) takes the '
            "function itself.",
        )
    what = type(file).__name__
    if hasattr(file, "stages") and hasattr(file, "checks"):
        raise UsageError(
            "The path of a Python file is needed here, not a capture: the file is run again.",
            remedy="What the capture found is capture.checks; its file is capture.source.file.",
        )
    raise UsageError(
        f"The path of a Python file is needed here, not an object of type {what}.",
        remedy='Such as: "model.py", "f(f32[8])".',
    )


def _show_as(kind: type[S], found: Any) -> S:
    """The same record as a class that notebooks display."""
    import dataclasses

    return kind(**{field.name: getattr(found, field.name) for field in dataclasses.fields(found)})


def load(path: str | os.PathLike[str]) -> ShownCapture:
    """Read a saved capture, `.jaxscope` or `.json`; nothing is run, no other file is opened.

    Raises:
        jaxscope.errors.SourceError: The file cannot be read or is no capture.
    """
    from jaxscope.notebook import make_shown
    from jaxscope.schema.archive import load_capture

    return make_shown(load_capture(_path_of(path)))


def open(*paths: str | os.PathLike[str]) -> OpenedModules:
    """What a job left behind: dump folders of XLA and JAX, HLO, StableHLO, exported functions.

    Nothing is run. XLA's own parsers read the files, in a process of their own.

    Args:
        paths: Of folders and files; of several, what is of one module belongs together.

    Returns:
        `modules`, and `capture(name)`, which makes a capture of one. It prints as a table.

    Raises:
        jaxscope.errors.SourceError: A path cannot be read, or nothing in it is known.
    """
    from jaxscope.client.dump_folders import find_dumps
    from jaxscope.notebook import OpenedModules

    return _show_as(OpenedModules, find_dumps([os.fspath(path) for path in paths]))


def show(what: Capture | str | os.PathLike[str], call: str | None = None) -> int:
    """Open the window on a capture, a saved one, or a Python file and a call of it.

    Returns when the window is closed, with its exit status.

    Raises:
        jaxscope.errors.EnvironmentProblem: A library that Qt needs is missing.
    """
    from jaxscope.cli.window import open_on

    return open_on(what, call)


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext jaxscope` calls: adds `%jaxscope CALL` and `%%jaxscope`.

    Args:
        shell: The running `InteractiveShell` of IPython.
    """
    from jaxscope.notebook import add_magic

    add_magic(shell)
