"""Where the values of a jaxpr come from and go to, through calls and into loops.

A function that is called stands for its body: what it reads are the values of the caller, and what
it gives are those of its body. So `jnp.where`, which is a call of a jitted function, is a
`select_n`. What a loop carries and what it takes slices of begin anew inside of its body.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.worker import compat
from jaxscope.worker.provenance.tagging import nested_jaxprs

MAX_SITES = 20_000
"""Of a program with more equations, those of every call counted, the rest is not looked at."""

_SKIPPED = frozenset({"pallas_call"})  # reads and writes memory: no dataflow
_PASSED_ON = frozenset(
    {"convert_element_type", "broadcast_in_dim", "reshape", "squeeze", "expand_dims", "copy"}
    | {"copy_p", "stop_gradient", "optimization_barrier", "transpose", "reduce_precision", "name"}
)


@dataclass(slots=True, eq=False)
class TracedValue:
    """A value that equations make, read and pass on.

    Attributes:
        aval: Its type.
        maker: The equation that makes it; None of arguments, constants and what a loop gives.
        constant: The literal or captured array that it is, or None.
        users: The equations that read it, calls that only pass it on left out.
        is_result: Whether a program, a loop's body or a branch gives it back.
    """

    aval: Any
    maker: Site | None = dataclasses.field(default=None, repr=False)
    constant: Any = None
    users: list[Site] = dataclasses.field(default_factory=list, repr=False)
    is_result: bool = False

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """None of what is no array of numbers, random keys among it."""
        dtype = getattr(self.aval, "dtype", None)
        return dtype if isinstance(dtype, np.dtype) else None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(getattr(self.aval, "shape", ()))

    @property
    def size(self) -> int:
        """Elements; 0 where the shape is not known."""
        try:
            return int(np.prod(self.shape, dtype=np.int64))
        except TypeError:
            return 0

    def number(self) -> float | None:
        """The number that it is, or that fills it; None of what is not known while tracing."""
        value = self.source()
        if value.constant is None or getattr(value.constant, "size", 1) != 1:
            return None
        try:
            return float(np.asarray(value.constant).reshape(()))
        except (TypeError, ValueError):
            return None

    def source(self) -> TracedValue:
        """The value before it was cast, reshaped, transposed or filled into an array."""
        value = self
        while value.maker is not None and value.maker.name in _PASSED_ON:
            value = value.maker.inputs[0]
        return value


@dataclass(slots=True, eq=False)
class Body:
    """A jaxpr as it is used in one place.

    Attributes:
        kind: `program`, `call`, `loop`, `branch` or `other`.
        owner: The equation that holds it; None of the program.
        sites: Its equations.
        inputs: What it is given.
        results: What it gives.
    """

    kind: str
    owner: Site | None
    sites: list[Site] = dataclasses.field(default_factory=list)
    inputs: Sequence[TracedValue] = ()
    results: Sequence[TracedValue] = ()

    def branches(self) -> dict[Site, Body]:
        """The branches that it stands in, itself included, by the equations that choose."""
        found, body = {}, self
        while body.owner is not None:
            if body.kind == "branch":
                found[body.owner] = body
            body = body.owner.body
        return found


@dataclass(slots=True, eq=False)
class Site:
    """An equation as it is used in one place.

    Attributes:
        id: Of the equation in the graph: a jaxpr that is used twice has the ids of the first use.
        name: Of the primitive.
        inputs: What it reads.
        outputs: What it makes.
        body: What it stands in.
        bodies: What stands in it.
    """

    id: str
    equation: Any
    name: str
    inputs: list[TracedValue]
    outputs: list[TracedValue]
    body: Body = dataclasses.field(repr=False)
    bodies: list[Body] = dataclasses.field(default_factory=list, repr=False)

    def loops(self) -> list[Site]:
        """The loops that it stands in, the innermost first."""
        found, body = [], self.body
        while body.owner is not None:
            if body.kind == "loop":
                found.append(body.owner)
            body = body.owner.body
        return found


class Dataflow:
    """The equations of a program, in order, those of every call and loop included.

    Attributes:
        sites: Equations, one that holds others before those.
        bodies: The program first.
        inputs: Of the program.
        is_whole: Whether all equations are there.
    """

    def __init__(self, jaxpr: Any) -> None:
        self.sites: list[Site] = []
        self.bodies: list[Body] = []
        self.is_whole = True
        self._prefixes: dict[int, str] = {}
        inner = compat.open_jaxpr(jaxpr)
        self.inputs = [TracedValue(v.aval) for v in inner.invars]
        self._walk(jaxpr, "", self.inputs, Body("program", None))

    def _walk(
        self, jaxpr: Any, prefix: str, inputs: Sequence[TracedValue], body: Body
    ) -> list[TracedValue]:
        """Add the equations of a jaxpr that is given these values, and return its results."""
        inner = compat.open_jaxpr(jaxpr)
        prefix = self._prefixes.setdefault(id(inner), prefix)
        self.bodies.append(body)
        values: dict[Any, TracedValue] = dict(zip(inner.invars, inputs, strict=True))
        consts = compat.consts_of(jaxpr)
        for number, variable in enumerate(inner.constvars):
            constant = consts[number] if number < len(consts) else None
            values[variable] = TracedValue(variable.aval, constant=constant)

        def read(atom: Any) -> TracedValue:
            if compat.is_literal(atom):
                return TracedValue(atom.aval, constant=atom.val)
            return values[atom]

        for number, equation in enumerate(inner.eqns):
            if len(self.sites) >= MAX_SITES:
                self.is_whole = False
                break
            site = Site(
                f"{prefix}{number}",
                equation,
                equation.primitive.name,
                [read(atom) for atom in equation.invars],
                [],
                body,
            )
            self.sites.append(site)
            body.sites.append(site)
            given = self._enter(site)
            if given is None:
                for value in site.inputs:
                    value.users.append(site)
                given = [TracedValue(v.aval, site) for v in equation.outvars]
            site.outputs = given
            values.update(zip(equation.outvars, given, strict=True))
        if not self.is_whole:
            for equation in inner.eqns:
                for variable in equation.outvars:
                    values.setdefault(variable, TracedValue(variable.aval))
        results = [read(atom) for atom in inner.outvars]
        body.inputs, body.results = inputs, results
        if body.kind != "call":
            for value in results:
                value.is_result = True
        return results

    def _enter(self, site: Site) -> list[TracedValue] | None:
        """Walk what an equation holds; its results where it is a call, else None."""
        if site.name in _SKIPPED:
            return None
        nested = nested_jaxprs(site.equation.params)
        parameters = site.equation.params
        results = None
        for path, jaxpr in nested:
            inner = compat.open_jaxpr(jaxpr)
            takes = len(inner.invars)
            kind, inputs = "other", None
            if site.name == "scan" and path == "jaxpr":
                kind, inputs = "loop", _scan_inputs(site, inner)
            elif site.name == "while":
                kind, inputs = "loop", _while_inputs(site, inner, path)
            elif site.name == "cond" and takes == len(site.inputs) - 1:
                kind, inputs = "branch", site.inputs[1:]
            elif len(nested) == 1 and _is_call(site, inner, parameters):
                kind, inputs = "call", site.inputs
            body = Body(kind, site)
            site.bodies.append(body)
            if inputs is None:
                inputs = [TracedValue(v.aval) for v in inner.invars]
            given = self._walk(jaxpr, f"{site.id}/{path}/", inputs, body)
            if kind == "call":
                results = given
        return results


def _is_call(site: Site, inner: Any, parameters: dict[str, Any]) -> bool:
    """Whether an equation gives what the jaxpr that it holds gives for the same values."""
    if site.name in ("shard_map", "xla_pmap", "custom_transpose", "run_state"):
        return False
    pairs = zip(inner.invars, site.equation.invars, strict=False)
    return (
        len(inner.invars) == len(site.equation.invars)
        and len(inner.outvars) == len(site.equation.outvars)
        and all(_alike(own.aval, outer.aval) for own, outer in pairs)
        and not {"call_jaxpr", "jaxpr", "fun_jaxpr"}.isdisjoint(parameters)
    )


def _alike(one: Any, other: Any) -> bool:
    return bool(getattr(one, "shape", None) == getattr(other, "shape", None))


def _scan_inputs(site: Site, inner: Any) -> list[TracedValue]:
    num_consts = compat.scan_counts(site.equation.params)["num_consts"]
    return [*site.inputs[:num_consts], *(TracedValue(v.aval) for v in inner.invars[num_consts:])]


def _while_inputs(site: Site, inner: Any, path: str) -> list[TracedValue]:
    parameters = site.equation.params
    of_test, of_body = parameters["cond_nconsts"], parameters["body_nconsts"]
    own = site.inputs[:of_test] if path == "cond_jaxpr" else site.inputs[of_test:][:of_body]
    starts = site.inputs[of_test + of_body :]
    return [*own, *(TracedValue(start.aval) for start in starts)]


def ancestors(value: TracedValue, most: int) -> Iterator[TracedValue]:
    """The values that one is computed from, itself first; at most so many."""
    seen, waiting = {id(value)}, [value]
    while waiting and most > 0:
        each = waiting.pop()
        most -= 1
        yield each
        if each.maker is not None:
            for before in each.maker.inputs:
                if id(before) not in seen:
                    seen.add(id(before))
                    waiting.append(before)


def count_work(site: Site) -> float:
    """Multiplications and additions of products, else elements; in a loop once for each round."""
    each = float(max((value.size for value in (*site.inputs, *site.outputs)), default=0))
    if site.name == "dot_general":
        (contracted, _), _ = site.equation.params["dimension_numbers"]
        depth = math.prod(site.inputs[0].shape[axis] for axis in contracted)
        each = 2.0 * site.outputs[0].size * depth
    for loop in site.loops():
        each *= num_rounds(loop) or 1
    return each


def num_rounds(loop: Site) -> int | None:
    """How often a loop runs; None where that depends on values."""
    length = loop.equation.params.get("length") if loop.name == "scan" else None
    return None if length is None else int(length)
