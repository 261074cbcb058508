"""What Python does while JAX traces, and the compiled program never does again.

Functions that print, read the clock, draw random numbers or open files are replaced by ones that
note who calls them, while the trace runs. Generators of NumPy that the function sees are compared
before and after. Only calls from the user's own lines count.
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import random
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import jax
import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import say, template
from jaxscope.worker import compat
from jaxscope.worker.faults.tracebacks import is_installed
from jaxscope.worker.host.function_source import OF_JAX, innermost_function

PRINT = "trace-time-print"
CLOCK = "trace-time-clock"
RANDOM = "trace-time-random"
FILE = "trace-time-io"
_SLEEP = "sleep"
_DRAWS = ("random", "uniform", "normal", "randint", "choice", "permutation", "shuffle")
_REPLACED: dict[str, tuple[tuple[Any, tuple[str, ...]], ...]] = {
    PRINT: ((builtins, ("print",)),),
    CLOCK: ((time, ("time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", _SLEEP)),),
    RANDOM: (
        (random, ("random", "uniform", "gauss", "randint", "randrange", "choice", "shuffle")),
        (np.random, (*_DRAWS, "rand", "randn", "standard_normal", "default_rng")),
    ),
    FILE: ((builtins, ("open", "input")),),
}
_TOLD = {
    PRINT: (
        Severity.INFO,
        template(
            "{name} runs while JAX traces, once for each new type of the arguments, and never when "
            "the compiled program runs; of arrays it shows types, no values."
        ),
        say('jax.debug.print("x = {x}", x=x), which runs with the program.'),
        "samples/print_debug.py",
    ),
    CLOCK: (
        Severity.WARNING,
        template(
            "{name} is called while JAX traces: its result is a constant of the compiled program, "
            "and a difference of two is the time of tracing."
        ),
        say(
            "Time the call from outside: start = time.perf_counter(); "
            "jax.block_until_ready(f(x)); time.perf_counter() - start."
        ),
        "samples/async_dispatch.py",
    ),
    RANDOM: (
        Severity.WARNING,
        template(
            "{name} is called while JAX traces: what it draws is a constant of the compiled "
            "program, the same numbers in every run."
        ),
        say("Take a key as an argument: jax.random.normal(key, shape)."),
        "samples/random_keys.py",
    ),
    FILE: (
        Severity.INFO,
        template(
            "{name} is called while JAX traces: what is read is a constant of the compiled "
            "program, and what is written is written once."
        ),
        say(
            "Read before and pass the array; write after the call, or by "
            "jax.experimental.io_callback."
        ),
        "samples/pure_and_impure.py",
    ),
}
_TOLD_OF_SLEEP = (
    Severity.WARNING,
    template("{name} waits while JAX traces, and never when the compiled program runs."),
    say(
        "Wait outside of the function; or jax.experimental.io_callback(time.sleep, None, seconds), "
        "which waits in each run."
    ),
    "samples/async_dispatch.py",
)


_NARROWED = re.compile(
    r"Explicitly requested dtype (?P<wanted>float64|complex128)\b"
    r".* truncated to dtype (?P<given>\w+)"
)
"""Of integers too JAX warns: that they are narrow is seldom a mistake."""


@dataclass
class EffectWatch:
    """Notes what the function does while it is traced.

    Attributes:
        base: The function.
        is_own: Whether a file is the user's own.
        on_effect: Told at once what is called, and from which frame.
    """

    base: Any
    is_own: Callable[[str], bool] = lambda file: not is_installed(file)
    on_effect: Callable[[str, FrameType], None] | None = None
    _seen: dict[tuple[str, str, int], str] = dataclasses.field(default_factory=dict)
    _moved: list[str] = dataclasses.field(default_factory=list)
    _narrowed: dict[tuple[str, int], tuple[str, str]] = dataclasses.field(default_factory=dict)

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch this thread."""
        names = _visible(self.base)
        generators = {name: _state(value) for name, value in names.items() if _state(value)}
        undo: list[tuple[dict[str, Any], str, Any, Any]] = []
        thread = threading.get_ident()
        spaces = [getattr(innermost_function(self.base), "__globals__", {})]
        for rule, modules in _REPLACED.items():
            for module, attributes in modules:
                for attribute in attributes:
                    original = vars(module).get(attribute)  # a file may have removed it
                    if original is None:
                        continue
                    name = f"{module.__name__}.{attribute}".removeprefix("builtins.")
                    noting = self._noting(rule, name.replace("numpy", "np"), original, thread)
                    for space in (vars(module), *spaces):
                        for key in [key for key, value in space.items() if value is original]:
                            undo.append((space, key, original, noting))
                            space[key] = noting
        warning = self._noting_narrow_types(warnings.warn, thread)
        undo.append((vars(warnings), "warn", warnings.warn, warning))
        warnings.warn = warning
        try:
            yield
        finally:
            for space, key, original, noting in undo:
                if space.get(key) is noting:  # else the function has put something else there
                    space[key] = original
            self._moved += [
                name for name, before in generators.items() if _state(names[name]) != before
            ]

    def _noting(self, rule: str, name: str, original: Any, thread: int) -> Any:
        def noting(*args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() == thread:
                frame = sys._getframe(1)
                file, line = frame.f_code.co_filename, frame.f_lineno
                is_meant = (name.endswith("default_rng") and bool(args or kwargs)) or (
                    name == "open" and not _writes(*args[1:2], **kwargs)
                )
                if self.is_own(file) and not is_meant:
                    if rule != PRINT or _shows_tracer(args):
                        self._seen.setdefault((rule, file, line), name)
                    if self.on_effect is not None:
                        self.on_effect(name, frame)
            return original(*args, **kwargs)

        return noting

    def _noting_narrow_types(self, original: Any, thread: int) -> Any:
        """JAX warns where a type of 64 bits is asked for by name and x64 is off."""

        def noting(message: Any, *args: Any, stacklevel: int = 1, **kwargs: Any) -> Any:
            narrowed = _NARROWED.match(str(message))
            if narrowed is not None and threading.get_ident() == thread:
                frame = sys._getframe(1)
                while frame.f_back is not None and frame.f_code.co_filename.startswith(OF_JAX):
                    frame = frame.f_back  # what a library asks for, nobody changes
                place = (frame.f_code.co_filename, frame.f_lineno)
                if self.is_own(place[0]):
                    self._narrowed.setdefault(place, (narrowed["wanted"], narrowed["given"]))
            return original(message, *args, stacklevel=stacklevel + 1, **kwargs)

        return noting

    def _find_narrow_types(self) -> Iterator[Check]:
        for (file, line), (wanted, given) in self._narrowed.items():
            yield Check(
                "float64-not-available",
                Severity.WARNING,
                say(
                    "{wanted} is asked for here, and JAX gives {given}: it has types of 64 bits "
                    "only where they are switched on.",
                    wanted=wanted,
                    given=given,
                ),
                say(
                    "Ask for {given}; or switch them on before the first array is made: "
                    'jax.config.update("jax_enable_x64", True), JAX_ENABLE_X64=1, '
                    "jaxscope … --x64.",
                    given=given,
                ),
                "",
                "",
                file,
                line,
            )

    def find_effects(self) -> Iterator[Check]:
        """What was done."""
        for (rule, file, line), name in self._seen.items():
            told = _TOLD_OF_SLEEP if name == f"time.{_SLEEP}" else _TOLD[rule]
            severity, message, remedy, lesson = told
            yield Check(rule, severity, say(message, name=name), remedy, lesson, "", file, line)
        yield from self._find_narrow_types()
        for name in self._moved:
            severity, message, remedy, lesson = _TOLD[RANDOM]
            code = innermost_function(self.base).__code__
            yield Check(
                RANDOM,
                severity,
                say(message, name=say("The generator `{name}`", name=name)),
                remedy,
                lesson,
                "",
                code.co_filename,
                code.co_firstlineno,
            )


def _visible(base: Any) -> dict[str, Any]:
    """Names of generators that the function sees: its globals that it names, and its closure."""
    function = innermost_function(base)
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    found = {n: function.__globals__[n] for n in code.co_names if n in function.__globals__}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=False):
        with contextlib.suppress(ValueError):  # not assigned yet
            found[name] = cell.cell_contents
    return found


def _writes(mode: Any = "r", **_: Any) -> bool:
    """Whether a file is opened to write: to read one is to have a constant, which may be meant."""
    return not isinstance(mode, str) or not {*"wax+"}.isdisjoint(mode)


def _shows_tracer(printed: tuple[Any, ...]) -> bool:
    """Whether `print` shows a tracer where a number is expected: other texts may be meant."""
    return any(
        "Tracer" in each if isinstance(each, str) else isinstance(each, compat.Tracer)
        for each in jax.tree.leaves(printed)
    )


def _state(value: Any) -> str:
    """The state of a random generator; empty of anything else."""
    if isinstance(value, np.random.Generator):
        return repr(value.bit_generator.state)
    if isinstance(value, np.random.RandomState | random.Random):
        get = value.get_state if isinstance(value, np.random.RandomState) else value.getstate
        return repr(get())
    return ""
