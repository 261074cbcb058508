"""Mark the axes that `vmap` added in StableHLO, and in HLO before optimization.

JAX's own batch tracers say them for the equations of the jaxpr. Lowering keeps the order of axes:
so of an operation that was made of one equation with one result, and is the only one of these that
has the result's type, the axes are those of the result; likewise of each elementwise one. What else
a lowering makes on the way is not marked, nor is anything after optimization: XLA may have moved
the axes there. Linear in the nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxscope.model import Graph, NodeKind
from jaxscope.model.graph import NONE
from jaxscope.model.graph_builder import add_attributes
from jaxscope.model.types import normal_type

KEY = "batch_axes"
_ELEMENTWISE = frozenset(
    {
        *("abs", "add", "and", "atan2", "cbrt", "ceil", "compare", "complex", "convert", "cosine"),
        *("divide", "exponential", "exponential_minus_one", "floor", "imag", "is_finite", "log"),
        *("log_plus_one", "logistic", "maximum", "minimum", "multiply", "negate", "not", "or"),
        *("power", "real", "remainder", "rsqrt", "select", "sign", "sine", "sqrt", "subtract"),
        *("tan", "tanh", "xor"),
    }
)


def mark_lowered(graph: Graph, lowered: Graph) -> Graph:
    """The same graph with the attribute `batch_axes` where it is known.

    Args:
        graph: StableHLO, or HLO before optimization.
        lowered: The jaxpr that it was made of.
    """
    if KEY not in lowered.strings:
        return graph
    return add_attributes(
        graph,
        {node: {KEY: axes} for node, axes in (*_ends(graph, lowered), *_made(graph, lowered))},
    )


def _ends(graph: Graph, lowered: Graph) -> Iterator[tuple[int, str]]:
    """Arguments and results of the whole program, where both have the same."""
    for key, named in (("argument", ("argument", "parameter_number")), ("result", ("result",))):
        wanted = _outermost(lowered, (key,))
        found = _outermost(graph, named)
        if wanted.keys() == found.keys():
            for number, node in found.items():
                axes = lowered.attributes(wanted[number]).get(KEY, "")
                if axes and _types(graph, node) == _types(lowered, wanted[number]):
                    yield node, axes


def _outermost(graph: Graph, keys: tuple[str, ...]) -> dict[str, int]:
    found: dict[str, int] = {}
    for node in range(len(graph.nodes)):
        kind = graph.nodes.kind[node]
        if graph.nodes.group[node] == NONE and kind != NodeKind.EQUATION:
            attributes = graph.attributes(node)
            found.update((attributes[key], node) for key in keys if key in attributes)
    return found


def _made(graph: Graph, lowered: Graph) -> Iterator[tuple[int, str]]:
    """Operations that make the result of an equation."""
    made: dict[str, list[int]] = {}
    for node in range(len(graph.nodes)):
        derived = graph.derived(node)
        if len(derived) == 1:
            made.setdefault(derived[0], []).append(node)
    for id, nodes in made.items():
        equation = lowered.index_by_id.get(id)
        if equation is None or len(result := _types(lowered, equation)) != 1:
            continue
        axes = lowered.attributes(equation).get(KEY, "")
        alike = [node for node in nodes if axes and _types(graph, node) == result]
        for node in alike:
            name = graph.operation(node).rpartition(".")[2]
            if len(alike) == 1 or name.replace("-", "_") in _ELEMENTWISE:
                yield node, axes


def _types(graph: Graph, node: int) -> list[str]:
    return [normal_type(text) for text in graph.types(node)]
