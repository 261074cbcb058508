"""Places in source files, in short."""

from __future__ import annotations

import pytest

from jaxscope.model import GroupKind, NodeKind, SourcePosition
from jaxscope.model.graph import own_place
from jaxscope.model.graph_builder import GraphBuilder


@pytest.mark.parametrize(
    "file", ["model.py", "/home/someone/model.py", r"C:\Users\someone\model.py"]
)
def test_a_place_in_short(file: str) -> None:
    assert SourcePosition(file, 12, 0).short == "model.py:12"


LIBRARY = SourcePosition("/env/lib/python3.11/site-packages/flax/linear.py", 271, 0)
OTHER = SourcePosition("C:\\env\\dist-packages\\flax\\module.py", 12, 0)
INNER, OUTER = SourcePosition("/home/me/model.py", 9, 0), SourcePosition("/home/me/train.py", 3, 0)


def test_the_users_own_line_stands_before_that_of_a_library() -> None:
    assert own_place((LIBRARY, OTHER, INNER, OUTER)) == INNER
    assert own_place((INNER, LIBRARY, OUTER)) == INNER
    assert own_place((LIBRARY, OTHER)) == LIBRARY
    assert own_place(()) is None


def test_what_only_a_library_wrote_is_of_the_line_that_calls_it() -> None:
    """JAX keeps the stack of a jitted function up to its call, as of Diffrax's `diffeqsolve`."""

    def stack(*places: SourcePosition) -> list[tuple[str, int, int, str]]:
        return [(place.file, place.line, place.column, place.function) for place in places]

    builder = GraphBuilder()
    source = stack(LIBRARY, INNER, OUTER)
    call = builder.add_node("0", NodeKind.EQUATION, "jit", source=source)
    body = builder.add_group("0/jaxpr", GroupKind.JAXPR, "jit", owner=call)
    scope = builder.add_group("0/jaxpr/scope", GroupKind.SCOPE, "scope", parent=body)
    nodes = {
        builder.add_node(
            f"0/jaxpr/{number}", NodeKind.EQUATION, "add", group=group, source=stack(*places)
        )
        for number, (group, places) in enumerate(
            [(body, [OTHER]), (scope, [OTHER, LIBRARY]), (scope, [OTHER, OUTER]), (scope, [])]
        )
    }
    graph = builder.build()
    assert [graph.place(node) for node in sorted(nodes)] == [INNER, INNER, OUTER, None]
    assert graph.place(call) == INNER
