"""jaxscope: see what JAX and XLA do with your code.

From Python: `capture` takes a function of the running process through every stage, `capture_file`
a call on a file in a process of its own, `compare_targets` the same for many chips, `load` reads a
saved capture, `show` opens a window.
In a notebook, a capture that ends a cell shows its stages as linked panes.
Importing this loads neither JAX nor Qt nor NumPy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxscope.analysis.targets.summary import TargetRow
    from jaxscope.model import Capture

__all__ = ["__version__", "capture", "capture_file", "compare_targets", "load", "show"]

__version__ = "0.1.0"


def capture(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Capture:
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

    Raises:
        jaxscope.errors.JaxscopeError: The call failed, the process died, or something is missing.
    """
    from jaxscope.client.run import capture as run_capture
    from jaxscope.notebook import make_shown

    return make_shown(
        run_capture(
            os.fspath(file),
            call,
            target=target,
            python=None if python is None else os.fspath(python),
            timeout_s=timeout_s,
            memory_bytes=memory_bytes,
            x64=x64,
            passes=passes,
            options=dict(xla or {}),
        )
    )


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
    from jaxscope.analysis.targets.summary import summarize
    from jaxscope.client.many_targets import capture_targets, default_targets, full_target
    from jaxscope.client.requests import CaptureRequest

    request = CaptureRequest(
        os.fspath(file),
        call,
        x64=x64,
        python=None if python is None else os.fspath(python),
        timeout_s=timeout_s,
        memory_bytes=memory_bytes,
    )
    found = capture_targets(request, tuple(map(full_target, targets)) or default_targets())
    return tuple(summarize(target, answer) for target, answer in found)


def load(path: str | os.PathLike[str]) -> Capture:
    """Read a `.jaxscope` file. Nothing of it is run, and no other file is opened.

    Raises:
        jaxscope.errors.SourceError: The file cannot be read or is no capture.
    """
    from jaxscope.analysis.archive import load_capture
    from jaxscope.notebook import make_shown

    return make_shown(load_capture(os.fspath(path)))


def show(what: Capture | str | os.PathLike[str], call: str | None = None) -> int:
    """Open the window on a capture, a `.jaxscope` file, or a Python file and a call of it.

    Returns when the window is closed, with its exit status.

    Raises:
        jaxscope.errors.EnvironmentProblem: A library that Qt needs is missing.
    """
    from jaxscope.cli.window import open_on

    return open_on(what, call)
