"""Cost of every equation of a jaxpr-level stage, and of the stage; where the cost is unknown, why.

Equations with nested jaxprs cost what these cost: a call (`jit`, `remat2`, `custom_jvp_call`, …)
costs its body, `custom_linear_solve` its `solve`; `scan` costs its body times its length, and says
so in the attribute `cost_note` (XLA's own analysis counts a loop's body once); `while` is unknown,
because how often it runs is; `cond` is unknown unless all branches cost the same or its index is a
literal, which says the one that runs; `shard_map` and `pmap` cost what one device does, and say so;
`pallas_call` costs its kernel once for each point of the grid; its traffic is unknown, as the
kernel's author and the device decide which blocks stay in fast memory. The cost of an equation
inside a body is that of one execution. What is unknown makes every sum that it is part of unknown,
and says why in `cost_note`.
"""

from __future__ import annotations

import math
import re

import numpy as np
import numpy.typing as npt

from jaxscope.model.graph import NONE, ROUNDS, Cost, Graph, NodeKind
from jaxscope.model.graph_builder import add_attributes
from jaxscope.model.operations import CALLS_OF_JAXPRS, SOLVE, find_solve
from jaxscope.model.said import said, say, template
from jaxscope.model.types import ArrayType, parse_array_type, read_count
from jaxscope.program.cost.rules import (
    COMBINATIONS,
    CUMULATIVE_PRIMITIVES,
    FORMULAS,
    Equation,
    UncountedError,
    find_rule,
)
from jaxscope.program.cost.trip_counts import taken_arm
from jaxscope.program.dataflow import attribute_column
from jaxscope.program.kernel_grid import read_grid

_LIBRARY = say("it is a call of a linear algebra library, whose work XLA does not count")
_SERIES = say("it is a series that is summed until it converges")
_SEARCHES = say("JAX lowers it to searches and sorts, which are not counted")
_CALLBACK = say("it is Python code of the program")

_MAX_OPERANDS = 1_000_000
_LIBRARY_CALLS = """eig eigh geqp3 geqrf hessenberg householder_product lu ormqr qr schur svd
    symmetric_product tridiagonal tridiagonal_solve"""
_SUMS = """igamma igamma_grad_a igammac polygamma random_gamma random_gamma_grad
    regularized_incomplete_beta zeta"""
_SPARSE = """bcoo_fromdense bcoo_sort_indices bcoo_spdot_general bcoo_sum_duplicates
    bcsr_fromdense"""

_REASONS = {
    "while": say("how often the loop runs is not known before it runs"),
    "cond": say("its branches cost differently, and which one runs depends on values"),
    **dict.fromkeys(_LIBRARY_CALLS.split(), _LIBRARY),
    **dict.fromkeys(_SUMS.split(), _SERIES),
    **dict.fromkeys(("io_callback", "pure_callback", "debug_callback", "debug_print"), _CALLBACK),
    **dict.fromkeys(("ffi_call", "custom_call"), say("it is code outside JAX and XLA")),
    **dict.fromkeys(_SPARSE.split(), _SEARCHES),
    "lu_pivots_to_permutation": say("it is a loop inside XLA's lowering"),
    "approx_top_k": say("it is lowered differently for each device"),
}


UNKNOWN_COST = template("unknown: {reason}")
KERNEL = template("kernel × {steps}; bytes unknown: the kernel decides what it keeps")
_NOTES = (UNKNOWN_COST, KERNEL, ROUNDS)


def read_cost_note(text: str) -> str:
    """The attribute `cost_note` of a node, which has no template in a graph, with its own."""
    for each in _NOTES:
        before, _, after = each.partition("{")
        name, _, after = after.partition("}")
        if text.startswith(before) and text.endswith(after):
            return say(each, **{name: said(text[len(before) : len(text) - len(after)])})
    return said(text)


def reason_without_rule(primitive: str) -> str:
    """Why a primitive that no rule counts is unknown."""
    return _REASONS.get(primitive, say("no rule counts {primitive}", primitive=primitive))


_PER_DEVICE = frozenset({"shard_map", "pmap", "xla_pmap"})
_CALLS = CALLS_OF_JAXPRS - _PER_DEVICE
_UNKNOWN = np.full(3, math.nan)

Row = npt.NDArray[np.float64]


def read_release(version: str) -> tuple[int, int]:
    """The first two numbers of a version of JAX; zeros where there are none."""
    found = re.match(r"(\d{1,4})\.(\d{1,4})", version)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def cost_equations(graph: Graph, release: tuple[int, int] = (0, 0)) -> tuple[Graph, Cost]:
    """Count the work of a jaxpr-level stage.

    Args:
        graph: Of nodes of kind `EQUATION`, with types on nodes and edges, literal operands as
            attributes `in[K]` and parameters as attributes.
        release: Major and minor version of the JAX that made it; some functions are lowered
            differently by different releases, and are unknown where it is not known.

    Returns:
        The graph with costs of all equations, NaN where unknown, and the sum over the outermost
        equations.
    """
    counter = _Counter(graph, release)
    costs = counter.count()
    graph = graph.replace_nodes(cost=costs)
    if counter.notes:
        graph = add_attributes(graph, {n: {"cost_note": note} for n, note in counter.notes.items()})
    return graph, Cost(*counter.total(NONE).tolist())


class _Counter:
    """Counts bodies before what owns them.

    Attributes:
        notes: What to say of a node's cost.
    """

    def __init__(self, graph: Graph, release: tuple[int, int]) -> None:
        self.notes: dict[int, str] = {}
        self._graph = graph
        self._release = release
        strings = graph.strings
        self._operations = [strings[s] for s in graph.nodes.operation.tolist()]
        self._operands = _operand_types(graph)
        self._costs = np.full((len(graph.nodes), 3), math.nan)
        self._members: dict[int, list[int]] = {}
        is_equation = np.flatnonzero(graph.nodes.kind == NodeKind.EQUATION)
        self._equations: list[int] = is_equation.tolist()
        groups = graph.nodes.group[is_equation].tolist()
        for node, group in zip(self._equations, groups, strict=True):
            self._members.setdefault(group, []).append(node)
        self._insides = graph.owned_groups()
        self._add_shared()

    def _add_shared(self) -> None:
        """A jaxpr that several equations share is drawn inside one and costs for each."""
        groups = self._graph.group_by_id()
        for node in np.flatnonzero(attribute_column(self._graph, "shares") != NONE).tolist():
            self._insides[node] = self._graph.called_groups(node, self._insides, groups)
            if self._operations[node] == "cond" and "calls" not in self._graph.attributes(node):
                # Older captures name the last shared branch only: there may be more of them.
                self._insides[node] = []

    def count(self) -> npt.NDArray[np.float64]:
        """Costs of all nodes, `(n, 3)`; NaN for what is no equation."""
        for group in self._bodies_first():
            for node in self._members.get(group, ()):
                self._costs[node] = self._cost(node)
        return self._costs

    def total(self, group: int) -> Row:
        """Sum over the equations that stand directly in a group."""
        members = self._members.get(group, [])
        total: Row = self._costs[members].sum(axis=0) if members else np.zeros(3)
        return total

    def _bodies_first(self) -> list[int]:
        """All groups, each after the groups inside its equations; sharing makes this no tree."""
        order: list[int] = []
        state: dict[int, bool] = {}
        for start in (NONE, *range(len(self._graph.groups))):
            stack = [start]
            while stack:
                group = stack[-1]
                if group in state:
                    stack.pop()
                    if not state[group]:
                        state[group] = True
                        order.append(group)
                    continue
                state[group] = False
                for node in self._members.get(group, ()):
                    stack += (g for g in self._insides.get(node, ()) if g not in state)
        return order

    def _cost(self, node: int) -> Row:
        primitive = self._operations[node]
        if find_rule(primitive) is not None:
            return self._apply(node, primitive)
        insides = self._insides.get(node, [])
        if primitive == SOLVE:
            insides = find_solve(insides)
        bodies = [self.total(group) for group in insides]
        cost = self._cost_of_bodies(node, primitive, bodies)
        if cost is None:
            self.notes[node] = say(UNKNOWN_COST, reason=reason_without_rule(primitive))
            return _UNKNOWN
        if np.isnan(cost).any() and node not in self.notes:
            self.notes[node] = say(UNKNOWN_COST, reason=say("so is something inside"))
        return cost

    def _cost_of_bodies(self, node: int, primitive: str, bodies: list[Row]) -> Row | None:
        """What an equation costs by the jaxprs inside it; None if these do not say."""
        if primitive == "cond":
            taken = taken_arm(self._graph.attributes(node), bodies)
            if taken is not None:
                return taken
            return bodies[0] if bodies and all(_same(bodies[0], body) for body in bodies) else None
        if len(bodies) != 1:
            return None
        (body,) = bodies
        if primitive in _CALLS or primitive == SOLVE:
            return body
        if primitive in _PER_DEVICE:
            self.notes[node] = say("of one device")
            return body
        if primitive == "scan":
            length = read_count(self._graph.attributes(node).get("length", ""))
            if length is None:
                return None
            self.notes[node] = f"body × {length:,}"
            return body * length
        if primitive == "pallas_call":
            grid = read_grid(self._graph.attributes(node))
            if grid is None:
                return None
            steps = math.prod(grid)
            self.notes[node] = say(KERNEL, steps=f"{steps:,}")
            kernel: Row = body * np.array([steps, math.nan, steps])
            return kernel
        return None

    def _apply(self, node: int, primitive: str) -> Row:
        graph = self._graph
        attributes = graph.attributes(node)
        operands = dict(self._operands.get(node, ()))
        for key, text in attributes.items():
            number = read_count(key[3:-1]) if key.startswith("in[") else None
            if number is not None:
                operands[number] = text.rpartition(":")[2]
        # An operand that neither an edge nor a literal names is unknown, not absent.
        count = max(operands, default=-1) + 1
        if count > _MAX_OPERANDS:
            self.notes[node] = say(UNKNOWN_COST, reason=say("its operands cannot be read"))
            return _UNKNOWN
        types: list[ArrayType | None] = [
            parse_array_type(operands[i]) if i in operands else None for i in range(count)
        ]
        results = tuple(parse_array_type(text) for text in graph.types(node))
        rule = find_rule(primitive)
        equation = Equation(primitive, tuple(types), results, attributes, self._release)
        try:
            assert rule is not None
            counted = np.array(rule(equation))
            if primitive in COMBINATIONS:
                counted += self._combine(node, equation)
            if primitive in CUMULATIVE_PRIMITIVES:
                self.notes[node] = say("as XLA counts the window that JAX makes of it")
            elif primitive in FORMULAS:
                self.notes[node] = FORMULAS[primitive]
            return counted
        except UncountedError as error:
            self.notes[node] = say(UNKNOWN_COST, reason=str(error))
        except (LookupError, ValueError, TypeError, ArithmeticError):
            self.notes[node] = say(UNKNOWN_COST, reason=say("a type or parameter cannot be read"))
        return _UNKNOWN

    def _combine(self, node: int, equation: Equation) -> Row:
        """What the function inside of a reduction or a scatter does; a plain scatter has none.

        Raises:
            UncountedError: It is not known.
        """
        insides = self._insides.get(node, [])
        if not insides and equation.primitive == "scatter":
            return np.zeros(3)
        body = self.total(insides[0]) if len(insides) == 1 else _UNKNOWN
        if np.isnan(body[[0, 2]]).any():
            raise UncountedError(say("so is something inside"))
        work: Row = np.array([body[0], 0.0, body[2]]) * COMBINATIONS[equation.primitive](equation)
        return work


def _operand_types(graph: Graph) -> dict[int, list[tuple[int, str]]]:
    edges, strings = graph.edges, graph.strings
    types: dict[int, list[tuple[int, str]]] = {}
    for target, operand, type in zip(
        edges.target.tolist(), edges.operand.tolist(), edges.type.tolist(), strict=True
    ):
        types.setdefault(target, []).append((operand, strings[type]))
    return types


def _same(first: Row, second: Row) -> bool:
    """Whether both are known and equal."""
    return bool(np.array_equal(first, second))
