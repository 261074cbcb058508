"""One of two programs that are compared: loaded, compiled with its settings, ready to be called."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from jaxscope.worker.call import Call, call_namespace, parse_call
from jaxscope.worker.channel import Channel
from jaxscope.worker.explain import guard
from jaxscope.worker.loading import first_call, load_names
from jaxscope.worker.measuring import (
    Compiled,
    Laboratory,
    ProgramCosts,
    compile_form,
    read_costs,
)
from jaxscope.worker.nonfinite import count_odd, find_origin_of
from jaxscope.worker.program_settings import AS_WRITTEN, NONE, Settings, read_settings
from jaxscope.worker.source import read_source
from jaxscope.worker.stages_timing import fresh_arguments
from jaxscope.worker.user_module import execute_file

_GRADIENTS = frozenset({"grad", "value_and_grad", "vjp", "linearize", "jacrev", "hessian"})


@dataclasses.dataclass(frozen=True, eq=False)
class Side:
    """Where one of the programs comes from, and how it is made.

    Attributes:
        name: `first` or `second`.
        path: Of its file.
        call: With its arguments.
        settings: What it is made with.
    """

    name: str
    path: str
    call: Call
    settings: Settings

    def describe(self, other_path: str = "") -> str:
        """In words; the file only where the other side has another one."""
        parts = [self.call.text]
        if other_path and other_path != self.path:
            parts.append(f"of {self.path.rpartition('/')[2]}")
        return " ".join([*parts, *self.settings.describe()])


@dataclasses.dataclass(frozen=True, eq=False)
class Prepared:
    """A side that is compiled.

    Attributes:
        outcome: What its first call returned.
    """

    side: Side
    compiled: Compiled
    outcome: Any


def load_side(request: dict[str, Any], channel: Channel) -> Side:
    """The only side of a request.

    Raises:
        JaxscopeError: The file or the call is wrong, or the target is not available.
    """
    source, names = load_names(request, channel)
    text = str(request.get("call") or first_call(source, names, channel))
    name = "second" if request.get("name") == "second" else "first"
    return _make_side(name, source.path, text, names, read_settings(request))


def load_sides(request: dict[str, Any], channel: Channel) -> tuple[Side, Side]:
    """Both sides of a request.

    Raises:
        JaxscopeError: As `load_side`.
    """
    source, names = load_names(request, channel)
    text = str(request.get("call") or first_call(source, names, channel))
    first = _make_side("first", source.path, text, names, read_settings(request))
    path, other_file = source.path, request.get("other_file")
    if other_file and other_file != request.get("file"):
        other = read_source(other_file)
        path = other.path
        with guard("import", {path}):
            names = call_namespace(vars(execute_file(other.path, other.text)))
    other_text = str(request.get("other_call") or text)
    settings = read_settings(request, "other_")
    is_same_call = (path, other_text) == (source.path, text)
    if is_same_call and "float64" not in (settings.dtype, first.settings.dtype):
        settings.check()
        return first, Side("second", path, first.call, settings)
    return first, _make_side("second", path, other_text, names, settings)


def _make_side(name: str, path: str, text: str, names: dict[str, Any], settings: Settings) -> Side:
    settings.check()
    with settings.context(), guard("call", {path}):
        return Side(name, path, parse_call(text, names, file=path), settings)


def prepare_side(laboratory: Laboratory, side: Side) -> Prepared:
    """Trace, lower and compile, each time sent; then call once.

    Raises:
        JaxscopeError: The program cannot be compiled or run.
    """
    laboratory.channel.progress("compile", f"Compiling the {side.name} program")
    if side.settings.remat not in (AS_WRITTEN, NONE) and not _GRADIENTS & {*side.call.transforms}:
        laboratory.warn("The call takes no gradient, so what remat keeps for one changes little.")
    with side.settings.context():
        with guard("compile", {side.path}):
            forms = side.settings.make_forms(side.call)
            compiled = compile_form(laboratory, forms, side.name)
        subject = compiled.subject
        subject.context = side.settings.context
        for stage in compiled.stages:
            name = f"{side.name}_{stage.name}"
            send_durations(laboratory, name, [stage.seconds], stage.protocol)
        with guard("run", {side.path}):
            args, kwargs = subject.prepare()
            outcome = subject.function(*args, **kwargs)
    return Prepared(side, compiled, outcome)


def costs_of(prepared: Prepared) -> ProgramCosts:
    """Work, traffic and memory of the compiled program, as XLA counts them."""
    return read_costs(prepared.compiled)


def find_no_verdict(prepared: Prepared) -> str:
    """Why no verdict makes sense of a program; empty if one does."""
    name = prepared.side.name
    if prepared.compiled.is_empty:
        return f"The {name} program computes nothing: no verdict is given."
    if odd := count_odd(prepared.outcome):
        with prepared.side.settings.context():
            origin = find_origin_of(prepared.side.call, odd)
        return f"The {name} results have {odd}: no verdict is given. {origin}"
    return ""


def equalize_arguments(sides: Iterable[Prepared]) -> None:
    """Where one side consumes its arguments, let both have fresh ones in each call.

    Else one would read what it has in the processor's caches, and the other never.
    """
    subjects = [prepared.compiled.subject for prepared in sides]
    if not any(subject.is_consuming for subject in subjects):
        return
    for subject in subjects:
        if not subject.is_consuming:
            subject.is_consuming = True
            subject.prepare = fresh_arguments(*subject.prepare())


def send_durations(
    laboratory: Laboratory,
    name: str,
    seconds: list[float],
    protocol: str,
) -> None:
    """Send a measurement, if there is a reading."""
    if seconds:
        laboratory.channel.send(
            "measurement",
            {"name": name, "protocol": protocol},
            {"seconds": np.asarray(seconds, np.float64)},
        )
