"""Mark in StableHLO and HLO what the jaxpr says: axes that `vmap` added, places of results, and
functions that arms and bodies of loops were traced from.

JAX's own batch tracers say them for the equations of the jaxpr, so for its arguments and results.
From the arguments they are followed, instruction by instruction, also after optimization, where XLA
may have moved them. Linear in the nodes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from jaxscope.model import Graph, Leaf, NodeKind
from jaxscope.model.graph import NONE, RESULTS
from jaxscope.model.graph_builder import add_attributes
from jaxscope.model.types import mark_batch_axes, normal_type, parse_array_type, read_batch_axes
from jaxscope.program.dataflow import attribute_texts, find_root

KEY = "batch_axes"


def name_results(graph: Graph, lowered: Graph) -> Graph:
    """The same graph with the paths of its results, where it has as many as the jaxpr.

    In StableHLO each output has its `path`, as in the jaxpr. HLO has no outputs: there the root has
    all of them; see `Graph.result_paths`.

    Args:
        graph: StableHLO or HLO.
        lowered: The jaxpr that it was made of.
    """
    of_lowered, given = _outermost(lowered, ("result",)), _outermost(graph, ("result",))
    is_in_root = not given
    given = given or _results_of_root(graph)
    paths = [lowered.attributes(of_lowered[n]).get("path", "") for n in _count_up(of_lowered)]
    at = _count_up(given)
    num_tokens = len(at) - len(paths)  # of ordered effects; they stand first
    is_token = [_types(graph, given[number]) == ["token[]"] for number in at]
    if not paths or not all(paths) or is_token != [n < num_tokens for n in range(len(at))]:
        return graph
    paths = [*["token"] * num_tokens, *paths]
    if is_in_root:
        return add_attributes(graph, {find_root(graph): {RESULTS: "\n".join(paths)}})
    return add_attributes(graph, {given[n]: {"path": p} for n, p in zip(at, paths, strict=True)})


def name_functions(graph: Graph, lowered: Graph) -> Graph:
    """The same graph with the functions that arms of branches and bodies of loops are of.

    Nodes of an arm say which equations they are of. If all of these that are in an arm of the
    equation that the branch is of are in one, it is that arm, whatever number it has.

    Args:
        graph: StableHLO or HLO.
        lowered: The jaxpr that it was made of.
    """
    groups, nodes = graph.groups, graph.nodes
    named = {
        group
        for group, function in enumerate(lowered.groups.function.tolist())
        if lowered.strings[function] and lowered.groups.owner[group] != NONE
    }
    unnamed = {
        group: graph.derived(int(groups.owner[group]))
        for group in np.flatnonzero(groups.part != NONE).tolist()
        if groups.owner[group] != NONE
        and not (graph.string(groups.function, group) or graph.is_condition(group))
    }
    if not named or not unnamed:
        return graph
    index_by_id = lowered.index_by_id
    found: dict[int, set[int]] = {}
    for node in np.flatnonzero(np.isin(nodes.group, [*unnamed])).tolist():
        group = int(nodes.group[node])
        owners = {index_by_id[each] for each in unnamed[group] if each in index_by_id}
        for equation in graph.derived(node):
            if equation not in index_by_id:
                continue
            at = int(lowered.nodes.group[index_by_id[equation]])
            while at != NONE and int(lowered.groups.owner[at]) not in owners:
                at = int(lowered.groups.parent[at])
            if at != NONE:
                found.setdefault(group, set()).add(at)
    known = {group: min(arms) for group, arms in found.items() if len(arms) == 1}
    functions = {
        group: lowered.string(lowered.groups.function, arm)
        for group, arm in known.items()
        if arm in named
    }
    if not functions:
        return graph
    texts = dict.fromkeys(functions.values())
    numbers = {text: len(graph.strings) + n for n, text in enumerate(texts)}
    column = groups.function.copy()
    for group, text in functions.items():
        column[group] = numbers[text]
    return dataclasses.replace(
        graph,
        strings=(*graph.strings, *texts),
        groups=dataclasses.replace(groups, function=column),
    )


def _count_up(found: Mapping[str, int]) -> list[str]:
    """The numbers of all results, rising; none where one is missing."""
    numbers = list(map(str, range(len(found))))
    return numbers if found.keys() == set(numbers) else []


def mark_lowered(graph: Graph, lowered: Graph, *, is_stablehlo: bool) -> Graph:
    """The same graph with the attribute `batch_axes` where it is known.

    Of a program that is spread over devices only arguments and results that each device has whole
    are marked, and what follows from these.

    Args:
        graph: StableHLO or HLO.
        lowered: The jaxpr that it was made of.
        is_stablehlo: Which of both.
    """
    from jaxscope.program.hlo.batch_axes import follow_batch_axes  # a saved capture has the marks

    if KEY not in lowered.strings:
        return graph
    ends = dict(_ends(graph, lowered))
    given = {
        node: read_batch_axes(axes)[0]
        for node, axes in ends.items()
        if graph.operation(node) in ("input", "parameter")
    }
    known = follow_batch_axes(graph, given, is_stablehlo=is_stablehlo) | ends
    return add_attributes(graph, {node: {KEY: axes} for node, axes in known.items()})


def mark_leaves(
    arguments: Sequence[Leaf], results: Sequence[Leaf], lowered: Graph | None
) -> tuple[list[Leaf], list[Leaf]]:
    """The arguments and results of a call with the axes in their types: `f32[B=8,3]`."""
    if lowered is None or KEY not in lowered.strings:
        return list(arguments), list(results)
    inputs = {
        lowered.attributes(node).get("path", ""): node
        for node in _outermost(lowered, ("argument",)).values()
    }
    outputs = _outermost(lowered, ("result",))

    def mark(leaf: Leaf, node: int | None) -> Leaf:
        axes = "" if node is None or leaf.is_static else lowered.attributes(node).get(KEY, "")
        marked = mark_batch_axes(leaf.type, read_batch_axes(axes).get(0, ()))
        return dataclasses.replace(leaf, type=marked)

    is_known = len(outputs) == len(results)
    return (
        [mark(leaf, inputs.get(leaf.path)) for leaf in arguments],
        [mark(leaf, outputs.get(str(n)) if is_known else None) for n, leaf in enumerate(results)],
    )


def _ends(graph: Graph, lowered: Graph) -> Iterator[tuple[int, str]]:
    """Arguments and results of the whole program, where both have the same."""
    arguments = _outermost(graph, ("argument", "parameter_number"))
    results = _outermost(graph, ("result",)) or _results_of_root(graph)
    for key, found in (("argument", arguments), ("result", results)):
        wanted = _outermost(lowered, (key,))
        if wanted.keys() != found.keys():
            continue
        known: dict[int, set[str]] = {}
        for number, node in found.items():
            axes = lowered.attributes(wanted[number]).get(KEY, "")
            types = _types(graph, node), _types(lowered, wanted[number])
            is_same = types[0] == types[1] or _are_numbers_of_keys(*types)
            known.setdefault(node, set()).add(axes if is_same else "")
        for node, several in known.items():  # one instruction may give two results
            if len(several) == 1 and (axes := next(iter(several))):
                yield node, axes


def _results_of_root(graph: Graph) -> dict[str, int]:
    """The instructions that give the results of an HLO module, by number."""
    root = find_root(graph)
    if root == NONE:
        return {}
    if graph.operation(root) != "tuple":
        return {"0": root}
    edges = graph.edges
    at = np.flatnonzero(edges.target == root)
    return {str(edges.operand[each]): int(edges.source[each]) for each in at}


def _outermost(graph: Graph, keys: tuple[str, ...]) -> dict[str, int]:
    """The nodes of the program itself that have one of these attributes, by its value."""
    nodes = graph.nodes
    return {
        text: node
        for key in keys
        for node, text in attribute_texts(graph, key)
        if nodes.group[node] == NONE and nodes.kind[node] != NodeKind.EQUATION
    }


def _are_numbers_of_keys(numbers: list[str], keys: list[str]) -> bool:
    """Whether an array holds the numbers of random keys, along an axis of their own."""
    one, other = (parse_array_type(each[0]) if len(each) == 1 else None for each in (numbers, keys))
    if one is None or other is None or not other.element.startswith("key<"):
        return False
    return one.shape[:-1] == other.shape


def _types(graph: Graph, node: int) -> list[str]:
    return [normal_type(text) for text in graph.types(node)]
