"""What a chain search needs of a graph is found by columns, with no work per node or border.

It is found while somebody types: with a step of Python for each border, 9,000 fusions held the
window up for a sixth of a second.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from jaxscope.model import Graph, GraphBuilder, GroupKind, NodeKind
from jaxscope.program.search import SearchIndex

_CHAIN = "dot_general -> add -> max"


def fusions(count: int) -> Graph:
    """Fusions one after the other, each a product, a sum and a maximum."""
    builder = GraphBuilder()
    last = builder.add_node("p", NodeKind.INSTRUCTION, "parameter")
    for number in range(count):
        owner = builder.add_node(f"fusion.{number}", NodeKind.INSTRUCTION, "fusion")
        builder.add_edge(last, owner)
        inside = builder.add_group(f"f{number}", GroupKind.FUSION, "fused", owner=owner)
        before = builder.add_node(
            f"f{number}.p",
            NodeKind.INSTRUCTION,
            "parameter",
            group=inside,
            attributes={"parameter_number": "0", "operand": "0"},
        )
        for operation in ("dot", "add", "maximum"):
            is_root = {"root": "true"} if operation == "maximum" else {}
            node = builder.add_node(
                f"f{number}.{operation}",
                NodeKind.INSTRUCTION,
                operation,
                group=inside,
                attributes=is_root,
            )
            builder.add_edge(before, node)
            before = node
        last = owner
    return builder.build()


def count_calls(work: Callable[[], object]) -> int:
    """Python and C functions that a piece of work calls."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_a_chain_is_found_in_every_fusion() -> None:
    assert len(SearchIndex(fusions(30)).find(_CHAIN)) == 90
    across = SearchIndex(fusions(30)).find("maximum -> dot")
    assert len(across) == 58  # the first product is fed by a parameter, the last maximum feeds none


def test_a_longer_program_costs_hardly_more_calls_to_prepare() -> None:
    few, many = fusions(30), fusions(300)
    calls = [
        count_calls(lambda graph=graph: SearchIndex(graph).find(_CHAIN)) for graph in (few, many)
    ]
    added = calls[1] - calls[0]
    assert added < 4 * 270, "at most looking at the labels of 270 groups more"
