"""What copies, transposes and converts of an optimized module are for, and what made them.

What one changes and who reads it stands in the module: types, layouts and dimensions of an
instruction and of its operand. What made it is known from the equation that it computes, from the
modules between XLA's passes, or from the module that XLA received. A layout lists dimensions from
the one that varies fastest in memory, as XLA writes it: `{1,0}` is a matrix by rows, `{0,1}` one by
columns. Tiles and the memory space belong to it, as in `{1,0:T(8,128)S(1)}`.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable
from typing import NamedTuple

from jaxscope.model import NONE, Capture, Graph
from jaxscope.model.capture import graph_named
from jaxscope.model.said import say
from jaxscope.model.stages import find_lowered_jaxpr
from jaxscope.model.types import parse_array_type, read_count
from jaxscope.program.fates.table import find_fate_table
from jaxscope.program.memory.live_ranges import find_kept_arguments
from jaxscope.program.passes.first_modules import FirstModule, find_first_modules

FROM_LAYOUT = "from layout"
"""Of a copy whose layout is not that of its operand."""
SAME_MEMORY = say("of the same memory, as its layout turns with it")
"""Of a transpose that moves nothing."""
AS_IT_IS = say("as it is")
_MOST_READERS = 3
_PRIMITIVES = {
    "copy": ("copy", "copy_p"),
    "transpose": ("transpose",),
    "convert": ("convert_element_type",),
}


class Origin(NamedTuple):
    """What made an instruction.

    Attributes:
        source: `XLA`, `lowering`, `the program` or `an unknown place`.
        told: Why that is said.
        certainty: As of a fact of an answer.
    """

    source: str
    told: str
    certainty: str


class MoveOrigins:
    """Says what made copies, transposes and converts of the optimized module of a capture."""

    def __init__(self, capture: Capture, optimized: Graph) -> None:
        self._optimized = optimized
        self._received = graph_named(capture.stages, "hlo")
        self._lowered = find_lowered_jaxpr(capture.stages)
        self._capture = capture
        self._kept = find_kept_arguments(capture)
        self._lowered_to = dict[str, set[tuple[str, str]]]()

    @functools.cached_property
    def _began(self) -> dict[str, FirstModule]:
        return find_first_modules(self._capture.passes)

    @functools.cached_property
    def _held(self) -> dict[str, list[str]]:
        """For each instruction the equations whose fate it is, where a pass renamed it."""
        held = dict[str, list[str]]()
        for id, fate in find_fate_table(self._capture).derived.items():
            for name in fate.instructions:
                held.setdefault(name, []).append(id)
        return held

    @functools.cached_property
    def _reached(self) -> set[str]:
        """The equations of the module that XLA received."""
        received = self._received
        return (
            set()
            if received is None
            else {*itertools.chain(*received.rows(received.nodes.derived))}
        )

    def of(self, node: int) -> Origin:
        graph = self._optimized
        name, operation = graph.id(node), graph.operation(node).removesuffix("-start")
        ids = (*graph.derived(node), *self._held.get(name, ()))
        if own := self._name_equation(ids, _PRIMITIVES[operation]):
            return Origin("the program", f"written in the program as {own}", "stated")
        if first := self._began.get(name):
            renamed = ", under another name" if first.is_renamed else ""
            if first.pass_name:
                told = f"it is first in the module after pass {first.pass_name}{renamed}"
                return Origin("XLA", told, "inferred" if renamed else "proven")
            told = f"in the module that XLA received{renamed}, so lowering made it"
            return Origin("lowering", told, "inferred" if renamed else "stated")
        if self._received is not None:
            if operation not in self._lowered_to:
                self._lowered_to[operation] = _find_lowered(self._received, operation)
            lowered_to = self._lowered_to[operation]
            if not lowered_to:
                return Origin("XLA", f"made by XLA, which received no {operation}", "proven")
            if {(id, _element(graph, node)) for id in ids} & lowered_to:
                told = f"its equation reached XLA with such a {operation}, so lowering made it"
                return Origin("lowering", told, "inferred")
            if self._reached.intersection(ids) and not {i for i, _ in lowered_to}.intersection(ids):
                told = f"its equation reached XLA without a {operation}: a pass made or moved it"
                return Origin("XLA", told, "inferred")
        return Origin("an unknown place", "what made it is not known", "unknown")

    def why(self, node: int) -> str:
        """Why XLA copies an argument as it is; empty of other copies, and where it is not known.

        XLA adds such a copy where the result, or what overwrites a part of a value or carries it
        through a loop, needs memory of its own. A donated argument would give its memory.
        """
        graph = self._optimized
        operation = graph.operation(node).removesuffix("-start")
        if operation != "copy" or describe_change(graph, node) != AS_IT_IS:
            return ""
        operand = node
        while graph.operation(operand) in ("copy", "copy-start", "bitcast"):
            before = graph.edges.source[graph.edges.target == operand].tolist()
            if len(before) != 1:
                return ""
            operand = before[0]
        number = read_count(graph.attributes(operand).get("parameter_number", ""))
        is_argument = graph.operation(operand) == "parameter" and graph.nodes.group[operand] == NONE
        if number is None or number not in self._kept or not is_argument:
            return ""
        if self.of(node).source != "XLA":
            return ""
        name = self._kept[number] or graph.id(operand)
        if "a result of the program" in describe_use(graph, node):
            return say(
                "a result may not lie in the memory of {name}, as that is not donated", name=name
            )
        return say(
            "what reads it writes into this memory, and that of {name} must stay as it is, as it "
            "is not donated",
            name=name,
        )

    def _name_equation(self, ids: Iterable[str], primitives: Iterable[str]) -> str:
        """The equation that says what an instruction does, if it came from one."""
        lowered = self._lowered
        if lowered is None:
            return ""
        for id in ids:
            index = lowered.index_by_id.get(id)
            if index is not None and lowered.operation(index) in primitives:
                return f"equation {id} ({lowered.operation(index)})"
        return ""


def find_copy_reasons(capture: Capture) -> dict[int, str]:
    """Why XLA copies arguments as they are, by the node of the optimized program; see `why`."""
    graph = graph_named(capture.stages, "optimized")
    if graph is None:
        return {}
    origins = MoveOrigins(capture, graph)
    told = {node: origins.why(node) for node in graph.nodes_of(["copy", "copy-start"])}
    return {node: why for node, why in told.items() if why}


def _find_lowered(received: Graph, operation: str) -> set[tuple[str, str]]:
    """For each such instruction of the module that XLA received, its equations and element type."""
    return {
        (id, _element(received, node))
        for node in received.nodes_of([operation])
        for id in received.derived(node) or ("",)
    }


def describe_change(graph: Graph, node: int) -> str:
    """What of its operand a copy, transpose or convert changes; empty where that is not known."""
    operands = graph.edges.source[graph.edges.target == node].tolist()
    if len(operands) != 1:
        return ""
    operation = graph.operation(node)
    if operation == "convert":
        element = _element(graph, operands[0])
        return say("from {element}", element=element) if element else ""
    before, after = (_layout(graph, each) for each in (operands[0], node))
    if before is None or after is None:
        return ""
    if operation == "transpose":
        order = _numbers(graph.attributes(node).get("dimensions", ""))
        is_plain = ":" not in before + after  # tiles do not turn with the dimensions
        is_known = is_plain and len(order) == len(_numbers(after))
        is_same = is_known and [order[each] for each in _numbers(after)] == _numbers(before)
        return SAME_MEMORY if is_same else ""
    if before == after:
        return AS_IT_IS
    return say("from layout {before} to {after}", before=before, after=after)


def describe_use(graph: Graph, node: int) -> str:
    """Who gets the result: what reads it, or the fusion, loop or program that it is a result of.

    Tuples are looked through: a value that enters a loop is read by the loop. So is the fusion
    that a value is the result of.
    """
    told = _describe_readers(graph, node)
    return told or _describe_result(graph, node, is_fused=True)


def _describe_readers(graph: Graph, node: int) -> str:
    names, results = dict[str, None](), dict[str, None]()
    for reader in graph.edges.target[graph.edges.source == node].tolist():
        operation, attributes = graph.operation(reader), graph.attributes(reader)
        if operation == "custom-call":
            target = attributes.get("custom_call_target", operation)
            names[f"{graph.id(reader)} ({target})"] = None
        elif operation != "tuple":
            names[graph.id(reader)] = None
        elif "root" in attributes:
            results[_describe_result(graph, reader)] = None
        else:
            found = graph.edges.target[graph.edges.source == reader].tolist()
            names.update(dict.fromkeys(map(graph.id, found)))
    told = list(names)[:_MOST_READERS]
    more = [f"{len(names) - len(told)} more"] if len(names) > len(told) else []
    readers = [f"read by {', '.join(told + more)}"] if told else []
    return "; ".join([*readers, *filter(None, results)])


def _describe_result(graph: Graph, node: int, *, is_fused: bool = False) -> str:
    """What the root of a computation is the result of."""
    attributes = graph.attributes(node)
    if "root" not in attributes:
        return ""
    if "called_by" not in attributes:
        return "a result of the program"
    names = [name for name in attributes["called_by"].split(", ") if name in graph.index_by_id]
    if len(names) != 1:
        return "a result of several" if names else ""
    caller = graph.index_by_id[names[0]]
    if graph.operation(caller) == "while":
        return f"for the next round of {names[0]}"
    told = f"the result of {names[0]}"
    used = _describe_readers(graph, caller) if is_fused else ""
    return f"{told}, {used}" if used else told


def _element(graph: Graph, node: int) -> str:
    return next(iter(graph.types(node)), "").partition("[")[0]


def _layout(graph: Graph, node: int) -> str | None:
    """The layout of an array, with tiles and memory space; None where the module has none."""
    array = parse_array_type(next(iter(graph.types(node)), ""))
    if array is None:
        return None
    layout = graph.attributes(node).get("layout", "{}")
    return layout if sorted(_numbers(layout)) == list(range(len(array.shape))) else None


def _numbers(text: str) -> list[int]:
    """Of `{1,0:T(8,128)}` the numbers before what follows a colon."""
    return [int(number) for number in re.findall(r"\d+", text.partition(":")[0])]
