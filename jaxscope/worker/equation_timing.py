"""Time each equation of a program by itself, as an eager run does them: one after another."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from jaxscope.worker import compat
from jaxscope.worker.arguments import Arguments, is_traceable, leaf_path, parameter_names
from jaxscope.worker.call import Call
from jaxscope.worker.program import TracedProgram
from jaxscope.worker.stopwatch import Stopwatch, paused_collector
from jaxscope.worker.tagging import nested_jaxprs
from jaxscope.worker.trace_events import RunTimes

TAKEN_APART = frozenset(
    {
        *("jit", "pjit", "closed_call", "core_call", "remat", "remat2", "checkpoint"),
        *("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"),
    }
)
_block: Callable[[Any], Any] = jax.block_until_ready


@dataclasses.dataclass(frozen=True, eq=False)
class EquationTimes:
    """What was measured.

    Attributes:
        times: Seconds of the equations by id, in each round.
        walls: Seconds of each whole round, waiting after every equation.
        plain: Seconds of rounds that wait only at the end, as an eager run does.
    """

    times: RunTimes
    walls: list[float]
    plain: list[float]


def describe_refusal(program: TracedProgram, call: Call) -> str:
    """Why the equations of a program cannot be run on the arguments; empty if they can."""
    if find_inputs(program, call) is None:
        return "Which argument each input of the program is, could not be found out."
    return ""


def find_inputs(program: TracedProgram, call: Call) -> list[Any] | None:
    """Values of the inputs of the last jaxpr-level stage; None where they cannot be told."""
    inputs = compat.open_jaxpr(program.derived.jaxpr).invars
    hoisted = list(compat.traced_consts(program.traced))
    for leaves in (_boxed_leaves(call), _named_leaves(program, call)):
        for values in (leaves, [*hoisted, *leaves]):
            if len(values) == len(inputs) and all(map(_fits, inputs, values)):
                return values
    return None


def time_equations(
    program: TracedProgram, call: Call, stopwatch: Stopwatch, budget_s: float, max_rounds: int
) -> EquationTimes:
    """Run all equations once to compile each, then in rounds that count.

    Raises:
        Exception: Whatever an equation raises when it runs.
    """
    inputs = find_inputs(program, call) or []
    jaxpr = program.derived.jaxpr
    _Walk(stopwatch.now_s, {}).run(jaxpr, inputs, "")  # compiles each primitive
    rounds: list[dict[str, tuple[float, int]]] = []
    walls: list[float] = []
    plain: list[float] = []
    deadline = stopwatch.now_s() + budget_s
    with paused_collector():
        while not rounds or (len(rounds) < max_rounds and stopwatch.now_s() < deadline):
            start_s = stopwatch.now_s()
            _block(compat.evaluate_jaxpr(jaxpr, inputs))
            plain.append(stopwatch.now_s() - start_s)
            found: dict[str, tuple[float, int]] = {}
            start_s = stopwatch.now_s()
            _Walk(stopwatch.now_s, found).run(jaxpr, inputs, "")
            walls.append(stopwatch.now_s() - start_s)
            rounds.append(found)
    return EquationTimes(_as_columns(rounds), walls, plain)


class _Walk:
    """One round over a jaxpr: `found` gets seconds and number of executions of each equation."""

    def __init__(self, now_s: Callable[[], float], found: dict[str, tuple[float, int]]) -> None:
        self._now_s = now_s
        self._found = found
        self._prefixes: dict[int, str] = {}

    def run(self, jaxpr: Any, inputs: Sequence[Any], prefix: str) -> list[Any]:
        inner = compat.open_jaxpr(jaxpr)
        environment: dict[Any, Any] = {}
        environment.update(zip(inner.constvars, compat.consts_of(jaxpr), strict=False))
        environment.update(zip(inner.invars, inputs, strict=True))

        def read(atom: Any) -> Any:
            return atom.val if compat.is_literal(atom) else environment[atom]

        for number, equation in enumerate(inner.eqns):
            values = [read(atom) for atom in equation.invars]
            results = self._run_equation(equation, values, f"{prefix}{number}")
            environment.update(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in inner.outvars]

    def _run_equation(self, equation: Any, values: list[Any], path: str) -> list[Any]:
        nested = nested_jaxprs(equation.params)
        body = next((j for _, j in nested), None)
        now_s = self._now_s
        if (
            equation.primitive.name in TAKEN_APART
            and body is not None
            and len(compat.open_jaxpr(body).invars) == len(values)
        ):
            name = nested[0][0]
            # A shared body is shown once, inside of the first equation that has it.
            inside = self._prefixes.setdefault(id(compat.open_jaxpr(body)), f"{path}/{name}/")
            start_s = now_s()
            results = self.run(body, values, inside)
        else:
            start_s = now_s()
            results = compat.bind_equation(equation, values)
            _block(results)
        seconds, count = self._found.get(path, (0.0, 0))
        self._found[path] = (seconds + now_s() - start_s, count + 1)
        return results


def _as_columns(rounds: Sequence[dict[str, tuple[float, int]]]) -> RunTimes:
    names = tuple(sorted(rounds[0], key=_program_order)) if rounds else ()
    column = {name: i for i, name in enumerate(names)}
    inclusive = np.array([[found[name][0] for name in names] for found in rounds], np.float64)
    inclusive = inclusive.reshape(len(rounds), len(names))
    exclusive = inclusive.copy()
    for name, index in column.items():
        parent = column.get("/".join(name.split("/")[:-2]))
        if parent is not None:
            exclusive[:, parent] -= inclusive[:, index]
    is_root = [i for name, i in column.items() if "/" not in name]
    return RunTimes(
        names,
        inclusive,
        np.maximum(exclusive, 0.0),
        np.array([rounds[0][name][1] for name in names], np.int32),
        inclusive[:, is_root].sum(axis=1),
    )


def _program_order(path: str) -> tuple[tuple[int, str], ...]:
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in path.split("/"))


def _boxed_leaves(call: Call) -> list[Any]:
    args, kwargs = Arguments(call).boxed()
    return [leaf for leaf in jax.tree.leaves((args, kwargs)) if is_traceable(leaf)]


def _named_leaves(program: TracedProgram, call: Call) -> list[Any]:
    """The leaves that the program itself names as its inputs."""
    names = parameter_names(call.base, call.args)
    wanted = set(program.derived.argument_paths)
    pairs = jax.tree_util.tree_flatten_with_path((call.args, call.kwargs))[0]
    return [leaf for path, leaf in pairs if leaf_path(path, names) in wanted]


def _fits(variable: Any, value: Any) -> bool:
    return tuple(getattr(variable.aval, "shape", ())) == tuple(np.shape(value))
