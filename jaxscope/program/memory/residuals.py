"""What a gradient keeps from the forward part for the backward part, and captured constants."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterator

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import (
    NONE,
    Capture,
    Direction,
    Graph,
    NodeKind,
    SourcePosition,
    Stage,
    is_available,
)
from jaxscope.model.operations import BRANCHES, CALLS_OF_JAXPRS, PLUMBING
from jaxscope.model.types import packed_type_bytes
from jaxscope.program.dataflow import attribute_column


@dataclass(frozen=True, slots=True)
class KeptValue:
    """A value of a jaxpr-level stage.

    Attributes:
        stage: Name of the stage.
        node: Index of the node that makes it.
        id: Of that node.
        operation: Its primitive; `constant` or `input` for what is no equation.
        type: Of the value.
        num_bytes: NaN where the type has no known size.
        readers: Ids of the equations that read it: the backward ones, of a captured array all.
        place: Innermost user frame, or None; of a captured array that of its first reader.
        path: Of an argument, where it stands in what the function takes: `params['w']`.
        is_needed: Of a captured array, whether a result or an effect of the function needs it: what
            none needs is not compiled.
    """

    stage: str
    node: int
    id: str
    operation: str
    type: str
    num_bytes: float
    readers: tuple[str, ...]
    place: SourcePosition | None
    path: str = ""
    is_needed: bool = True


@dataclass(frozen=True, slots=True)
class Residuals:
    """Values that the forward part keeps in memory for the backward part.

    Attributes:
        stage: Name of the stage that was read; empty where none differentiates.
        values: Results of forward equations, the largest first.
        arguments: Inputs of the program that backward equations read: they are there anyway.
        in_rounds: Values that a forward equation hands to a backward one within a round of one
            loop, which computes its own derivative or computes forward values again, the largest
            first. They live for that round and are not among the values.
        are_parts: Whether some are within `shard_map`: those are what one device has of them.
    """

    stage: str
    values: tuple[KeptValue, ...]
    arguments: tuple[KeptValue, ...]
    in_rounds: tuple[KeptValue, ...] = ()
    are_parts: bool = False

    @property
    def is_compiled(self) -> bool:
        """Whether the program that was read is the one that is compiled.

        The stage `gradient` stands beside a call that applies no transform; nothing runs it.
        """
        return self.stage != "gradient"

    @property
    def num_bytes(self) -> float:
        """Bytes of the values; what has no known size counts nothing."""
        return float(np.nansum([value.num_bytes for value in self.values]))

    @property
    def num_bytes_in_rounds(self) -> float:
        """Bytes of what is kept within rounds, of one round of each loop."""
        return float(np.nansum([value.num_bytes for value in self.in_rounds]))


_RUN_ONCE = CALLS_OF_JAXPRS | BRANCHES | {"custom_lin"}
_ON_EACH_DEVICE = frozenset({"shard_map", "pmap", "xla_pmap"})

NO_RESIDUALS = Residuals("", (), ())


def find_residuals(capture: Capture) -> Residuals:
    """Residuals of the last jaxpr-level stage that has a backward part.

    What the call itself lowers comes first; the stage `gradient`, which is never compiled, last.
    A value counts once, however many equations read it. What the jaxpr hands over is what JAX
    asks to be kept; XLA may compute some of it again, or never write it to memory.
    """
    stages = [stage for stage in reversed(capture.stages) if stage.name != "gradient"]
    stages += [stage for stage in capture.stages if stage.name == "gradient"]
    for stage in stages:
        graph = stage.graph
        if is_available(graph) and _has_backward_equations(graph):
            return find_kept(stage, graph)
    return NO_RESIDUALS


def find_constants(capture: Capture) -> tuple[KeptValue, ...]:
    """Arrays that the base function captured, the largest first, with the place of a reader."""
    stage = capture.stage("jaxpr")
    if stage is None or not is_available(stage.graph):
        return ()
    from jaxscope.program.fates.equations import Equations, find_live  # a window begins without it

    graph = stage.graph
    nodes, edges = graph.nodes, graph.edges
    found, captured = [], np.flatnonzero(nodes.kind == NodeKind.CONSTANT).tolist()
    is_needed = find_live(Equations(graph)) if captured else []
    for node in captured:
        users = dict.fromkeys(edges.target[edges.source == node].tolist())
        readers = [at for at in users if nodes.kind[at] == NodeKind.EQUATION]
        value = _value(stage, graph, node, 0, tuple(graph.id(at) for at in readers))
        place = next(filter(None, map(graph.place, readers)), None)
        found.append(dataclasses.replace(value, place=place, is_needed=is_needed[node]))
    return tuple(_by_size([value for value in found if not value.type.endswith("[]")]))


def _has_backward_equations(graph: Graph) -> bool:
    nodes = graph.nodes
    return bool(np.any((nodes.kind == NodeKind.EQUATION) & (nodes.direction == Direction.BACKWARD)))


def find_kept(stage: Stage, graph: Graph) -> Residuals:
    """Residuals of one jaxpr-level stage."""
    nodes, edges = graph.nodes, graph.edges
    backward = _find_backward(stage.name, graph)
    once = _runs_once(graph)[nodes.group]
    between = backward[edges.target] & ~backward[edges.source]
    between[np.flatnonzero(between)] = ~find_seeds(graph, backward)[edges.source[between]]
    crossing = between & once[edges.source] & once[edges.target]
    in_rounds = between & ~once[edges.source] & ~once[edges.target]
    in_rounds &= nodes.kind[edges.source] == NodeKind.EQUATION
    named = _named(graph)

    def collect(chosen: npt.NDArray[np.bool_]) -> list[KeptValue]:
        readers: dict[tuple[int, int], list[str]] = {}
        for number in np.flatnonzero(chosen).tolist():
            key = int(edges.source[number]), int(edges.output[number])
            key = named.get(key[0], key)
            readers.setdefault(key, []).append(graph.string(nodes.id, int(edges.target[number])))
        return [
            _value(stage, graph, node, output, tuple(dict.fromkeys(read)))
            for (node, output), read in readers.items()
        ]

    values, kept_in_rounds = collect(crossing), collect(in_rounds)
    kept = {value.node for value in (*values, *kept_in_rounds)}
    return Residuals(
        stage.name,
        tuple(_by_size(_of_kind(graph, values, NodeKind.EQUATION))),
        tuple(
            _by_size(
                value
                for value in _of_kind(graph, values, NodeKind.INPUT)
                if nodes.group[value.node] == NONE
            )
        ),
        tuple(_by_size(_of_kind(graph, kept_in_rounds, NodeKind.EQUATION))),
        any(_is_within(graph, node, _ON_EACH_DEVICE) for node in kept),
    )


_REVERSE = re.compile(r"(vmap\(|jit\(|checkpoint\()*(grad|value_and_grad|jacrev)\b|gradient$")


def _find_backward(stage: str, graph: Graph) -> npt.NDArray[np.bool_]:
    """The equations of the backward part of the outermost derivative that has one.

    What a gradient in the differentiated function computes backward is forward to the gradient
    around it. Of what is only carried along, as by the outer `jvp` of a hessian, the inner counts.

    Args:
        stage: Its name, such as `vmap(grad)`, says whether the outermost derivative has one.
        graph: Of the stage.
    """
    nodes, groups = graph.nodes, graph.groups
    found: npt.NDArray[np.bool_] = nodes.direction == Direction.BACKWARD
    found = found & (nodes.kind == NodeKind.EQUATION)
    column = attribute_column(graph, "differentiation")
    texts = {code: graph.strings[code] for code in np.unique(column[column != NONE]).tolist()}
    forward = [code for code, text in texts.items() if not text.startswith("backward")]
    if len(forward) < len(texts) or _REVERSE.match(stage):
        found &= ~np.isin(column, forward)
    # The names of what a rule's own program does begin anew.
    in_forward = np.zeros(len(groups) + 1, np.bool_)  # the last entry is of nodes in no group
    for group, (parent, owner) in enumerate(
        zip(groups.parent.tolist(), groups.owner.tolist(), strict=True)
    ):
        is_forward = owner != NONE and nodes.direction[owner] == Direction.FORWARD
        in_forward[group] = in_forward[parent] or is_forward
    return found & ~in_forward[nodes.group]


def find_seeds(graph: Graph, backward: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """For each node, whether it only makes what the backward part begins with; of any stage.

    `grad` begins with a one, `jacrev` with an identity matrix, the backward part of a loop with
    zeros: they depend on no argument, nothing but the backward part reads them, and nothing of the
    forward part is left to do after them. What the forward part hands over without an argument,
    such as a mask, it has read as well.

    Lowering drops what nothing needs of the forward part, and compilers order anew: there it is
    what JAX gives no part, and what it gives the forward part of a derivative around the one that
    begins, which goes on with what the backward part gives.
    """
    nodes, edges = graph.nodes, graph.edges
    is_made = np.isin(nodes.kind, (NodeKind.EQUATION, NodeKind.OPERATION, NodeKind.INSTRUCTION))
    if "parameter" in graph.strings:
        is_made &= nodes.operation != graph.strings.index("parameter")
    order = np.argsort(edges.source, kind="stable")
    borders = np.searchsorted(edges.source[order], np.arange(len(nodes) + 1)).tolist()
    targets = edges.target[order]
    missing = np.bincount(edges.target, minlength=len(nodes)).tolist()
    depends = np.ones(len(nodes), np.bool_)
    free = [node for node in np.flatnonzero(is_made).tolist() if not missing[node]]
    # What a reference holds is written later.
    free = [node for node in free if not _holds_reference(graph, node)]
    for node in free:  # grows while it is read
        depends[node] = False
        for reader in targets[borders[node] : borders[node + 1]].tolist():
            missing[reader] -= 1
            if not missing[reader] and is_made[reader] and not _holds_reference(graph, reader):
                free.append(reader)
    forward = np.flatnonzero(is_made & ~backward & depends)
    forward_of: dict[int, npt.NDArray[np.int64]] = {}

    def is_last(node: int, first_reader: int) -> bool:
        """Whether nothing of the forward part is left to do after it."""
        group = int(nodes.group[node])
        if group not in forward_of:
            forward_of[group] = forward[nodes.group[forward] == group]
        start, stop = np.searchsorted(forward_of[group], (node, first_reader))
        return bool(start == stop)

    reads = backward.copy()
    for node in reversed(graph.nodes_of(PLUMBING)):
        read = targets[borders[node] : borders[node + 1]]
        reads[node] |= nodes.direction[node] == Direction.NONE and len(read) and reads[read].all()
    is_named = nodes.direction == Direction.FORWARD
    is_lowered = nodes.kind != NodeKind.EQUATION
    goes_on = bool(np.any(backward[edges.source] & is_named[edges.target]))
    found = np.zeros(len(nodes), np.bool_)
    for node in reversed(free):
        read = targets[borders[node] : borders[node + 1]]
        if not backward[node] and len(read) and (reads[read] | found[read]).all():
            if is_lowered[node]:
                found[node] = goes_on or not is_named[node]
            else:
                found[node] = is_last(node, int(read.min()))
    return _leave_fed(graph, found, free) if is_lowered.any() else found


def _leave_fed(
    graph: Graph, found: npt.NDArray[np.bool_], free: Collection[int]
) -> npt.NDArray[np.bool_]:
    """Those of a lowered program that read nothing, but what begins the backward part as well."""
    edges = graph.edges
    has_inputs = np.bincount(edges.target, minlength=len(found)) > 0
    is_fed = np.zeros(len(found), np.bool_)
    is_fed[edges.target[has_inputs[edges.source] & ~found[edges.source]]] = True
    order = np.argsort(edges.source, kind="stable")
    borders = np.searchsorted(edges.source[order], np.arange(len(found) + 1))
    for node in free:
        if is_fed[node]:
            is_fed[edges.target[order[borders[node] : borders[node + 1]]]] = True
    left: npt.NDArray[np.bool_] = found & ~(is_fed & (graph.nodes.kind != NodeKind.EQUATION))
    return left


def _holds_reference(graph: Graph, node: int) -> bool:
    return any(text.startswith("Ref") for text in graph.types(node))


def _named(graph: Graph) -> dict[int, tuple[int, int]]:
    """For each equation that only gives a value a name, the value: the same memory."""
    operations = graph.nodes.operation.tolist()
    names = {node for node, code in enumerate(operations) if graph.strings[code] == "name"}
    found: dict[int, tuple[int, int]] = {}
    for source, output, target, _ in graph.edges.ends():
        if target in names:
            found[target] = found.get(source, (source, output))
    return found


def _runs_once(graph: Graph) -> npt.NDArray[np.bool_]:
    """For each group, and last for the top, whether it is run once where it stands.

    Inside of a loop's body nothing is kept: what its rounds keep comes out of it, stacked.
    """
    groups = graph.groups
    once = np.ones(len(groups) + 1, np.bool_)
    for number, (parent, owner) in enumerate(
        zip(groups.parent.tolist(), groups.owner.tolist(), strict=True)
    ):
        operation = "" if owner == NONE else graph.operation(owner)
        once[number] = once[parent] and operation in _RUN_ONCE
    return once


def _is_within(graph: Graph, node: int, operations: Collection[str]) -> bool:
    """Whether an equation of one of these operations holds a node."""
    group, groups = int(graph.nodes.group[node]), graph.groups
    while group != NONE:
        owner = int(groups.owner[group])
        if owner != NONE and graph.operation(owner) in operations:
            return True
        group = int(groups.parent[group])
    return False


def _of_kind(graph: Graph, values: list[KeptValue], kind: NodeKind) -> Iterator[KeptValue]:
    return (value for value in values if graph.nodes.kind[value.node] == kind)


def _value(
    stage: Stage, graph: Graph, node: int, output: int, readers: tuple[str, ...]
) -> KeptValue:
    types = graph.types(node)
    type_text = types[output] if output < len(types) else ""
    return KeptValue(
        stage.name,
        node,
        graph.id(node),
        graph.operation(node),
        type_text,
        packed_type_bytes(type_text),
        readers,
        graph.place(node),
        graph.attributes(node).get("path", ""),
    )


def _by_size(values: list[KeptValue] | Iterator[KeptValue]) -> list[KeptValue]:
    return sorted(values, key=lambda value: -np.nan_to_num(value.num_bytes))
