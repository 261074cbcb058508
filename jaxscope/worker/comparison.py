"""Answer a `compare` request: two programs, measured in random pairs, and their results."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import numpy as np

from jaxscope.errors import CallError, Explanation
from jaxscope.worker.agreement import send_results
from jaxscope.worker.call import Call, call_namespace, parse_call
from jaxscope.worker.channel import Channel
from jaxscope.worker.conditions import Conditions
from jaxscope.worker.explain import guard
from jaxscope.worker.loading import first_call, load_names
from jaxscope.worker.measuring import (
    Compiled,
    Laboratory,
    compile_form,
    measure_together,
    open_laboratory,
    refuse_absent_target,
    warm_up,
)
from jaxscope.worker.source import read_source
from jaxscope.worker.subjects import Forms, find_forms, with_settings
from jaxscope.worker.user_module import execute_file

DEFAULT_BUDGET_S = 3.0
_PROTOCOL = (
    "Compiled; each call timed by itself until its result was ready, in random pairs of "
    "{unit}, the first calls of each left out, garbage collector off."
)


@dataclasses.dataclass(frozen=True, eq=False)
class _Side:
    """One of the two programs: where it comes from and how it is compiled."""

    name: str
    path: str
    call: Call
    precision: str
    options: dict[str, str]

    def describe(self, other: _Side | None) -> str:
        """In words; the file only where the other side has another one."""
        parts = [self.call.text]
        if other is not None and other.path != self.path:
            parts.append(f"of {self.path.rpartition('/')[2]}")
        if self.precision:
            parts.append(f"with precision {self.precision}")
        parts += [f"with {name}={value}" for name, value in self.options.items()]
        return " ".join(parts)


def handle_compare(request: dict[str, Any], channel: Channel) -> None:
    """Compile both programs, measure them against each other, and compare what they return.

    Raises:
        JaxscopeError: A file or a call is wrong, or one of the two does not run.
    """
    refuse_absent_target(request)
    sides = _load_sides(request, channel)
    budget_s = float(request.get("budget_s") or DEFAULT_BUDGET_S)
    paths = tuple(side.path for side in sides)
    with open_laboratory(channel, sides[0].call.text, paths) as laboratory:
        first, second = sides
        channel.send("sides", {"first": first.describe(second), "second": second.describe(first)})
        compiled = [_prepare(laboratory, side) for side in sides]
        outcomes = []
        for item in compiled:
            args, kwargs = item.subject.prepare()
            with guard("run", set(paths)):
                outcomes.append(item.subject.function(*args, **kwargs))
        send_results(channel, "first", "second", *outcomes)
        outcomes.clear()
        for item in compiled:
            with guard("run", set(paths)):
                warm_up(laboratory, item.subject, budget_s / 8)
        channel.progress("pairs", "Measuring both in random pairs")
        _measure(laboratory, compiled, budget_s)


def _load_sides(request: dict[str, Any], channel: Channel) -> tuple[_Side, _Side]:
    def settings(prefix: str) -> tuple[str, dict[str, str]]:
        options = request.get(f"{prefix}options") or {}
        return str(request.get(f"{prefix}precision") or ""), {
            str(name): str(value) for name, value in options.items()
        }

    source, names = load_names(request, channel)
    text = str(request.get("call") or first_call(source, names, channel))
    with guard("call", {source.path}):
        call = parse_call(text, names, file=source.path)
    first = _Side("first", source.path, call, *settings(""))
    path, other_file = source.path, request.get("other_file")
    other_text = str(request.get("other_call") or text)
    if other_file and other_file != request.get("file"):
        other = read_source(other_file)
        path = other.path
        with guard("import", {path}):
            names = call_namespace(vars(execute_file(other.path, other.text)))
    if path != source.path or other_text != text:
        with guard("call", {path}):
            call = parse_call(other_text, names, file=path)
    return first, _Side("second", path, call, *settings("other_"))


def _prepare(laboratory: Laboratory, side: _Side) -> Compiled:
    laboratory.channel.progress("compile", f"Compiling the {side.name} program")
    with guard("compile", {side.path}):
        forms: Forms = find_forms(side.call)
        if side.precision or side.options:
            _check_precision(side.precision)
            forms = with_settings(forms, side.precision, side.options)
        compiled = compile_form(laboratory, forms, side.name)
    for stage in compiled.stages:
        _send(laboratory, f"{side.name}_{stage.name}", [stage.seconds], [0], stage.protocol)
    return compiled


def _check_precision(name: str) -> None:
    try:
        with jax.default_matmul_precision(name or "default"):
            pass
    except ValueError as error:
        raise CallError(
            Explanation(
                what=f"There is no precision {name!r}.",
                why=str(error)[:500],
                remedy="Such as default, high, highest, bfloat16, tensorfloat32, float32.",
                kind="NoPrecision",
            )
        ) from None


def _measure(laboratory: Laboratory, compiled: list[Compiled], budget_s: float) -> None:
    conditions = Conditions()
    subjects = [item.subject for item in compiled]
    rounds, failure = measure_together(laboratory, subjects, budget_s)
    reasons = conditions.find_disturbances()
    unit = f"chunks of {rounds.num_per_chunk}" if rounds.num_per_chunk > 1 else "single calls"
    for subject, recording in zip(subjects, rounds.sides, strict=True):
        protocol = _PROTOCOL.format(unit=unit)
        _send(laboratory, subject.name, recording.total_s, recording.chunks, protocol, reasons)
        if recording.num_compilations:
            laboratory.warn(f"{subject.name} compiled again while it was measured.")
    if rounds.log_values:
        laboratory.channel.send(
            "ratio",
            {"name": "first/second"},
            {"log_ratios": np.asarray(rounds.log_values, np.float64)},
        )
    if failure is not None:
        laboratory.warn(f"Measuring ended early: {laboratory.describe(failure)}")


def _send(
    laboratory: Laboratory,
    name: str,
    seconds: list[float],
    chunks: list[int],
    protocol: str,
    reasons: list[str] | None = None,
) -> None:
    if seconds:
        laboratory.channel.send(
            "measurement",
            {"name": name, "protocol": protocol, "reasons": reasons or []},
            {
                "seconds": np.asarray(seconds, np.float64),
                "chunks": np.asarray(chunks, np.int32),
            },
        )
