"""What colours tell of a program's boxes."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from contrast import contrast, luminance
from jaxscope.model import Direction, Graph, GraphBuilder, GroupKind, NodeKind
from jaxscope.model.op_name import TagTable
from jaxscope.picture.palette import PALETTES
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.tint.classes import (
    MAX_ORIGINS,
    TINT_PALETTES,
    ColourBy,
    Tint,
    count_result_bytes,
    find_origins,
    sum_by_item,
    tint_scene,
)
from jaxscope.picture.view.build import build_view
from jaxscope.program.cost.equations import cost_equations
from jaxscope.worker.stages.jaxpr import convert_jaxpr


def node(builder: GraphBuilder, name: str, flops: float = math.nan, **more: object) -> int:
    return builder.add_node(
        name, NodeKind.INSTRUCTION, str(more.pop("operation", name)), name=name,
        types=["f32[8]"], cost=(flops, flops * 2, 0.0), **more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def graph() -> Graph:
    """A fusion of two, a costly `dot` of the backward part, and an `exp` of unknown cost."""
    builder = GraphBuilder()
    fusion = node(builder, "fusion", 10.0, scope=["layer_0"], direction=Direction.FORWARD)
    group = builder.add_group("fusion:0", GroupKind.FUSION, "fusion", owner=fusion)
    first = node(builder, "mul", 4.0, group=group, scope=["layer_0"], direction=Direction.FORWARD)
    second = node(builder, "add", 6.0, group=group, scope=["layer_0"], direction=Direction.FORWARD)
    dot = node(builder, "dot", 1000.0, scope=["layer_1"], direction=Direction.BACKWARD)
    exp = node(builder, "exp", scope=["layer_1"])
    builder.add_edge(first, second, operand=0, type="f32[8]")
    builder.add_edge(fusion, dot, operand=0, type="f32[8]")
    builder.add_edge(dot, exp, operand=0, type="f32[8]")
    return builder.build()


def capture_graph(function: Callable[[jax.Array], jax.Array]) -> Graph:
    return convert_jaxpr(
        jax.make_jaxpr(function)(jnp.ones(3)), tags=TagTable((), ()), is_base=True, is_derived=True
    ).graph


def draw(graph: Graph, *, is_open: bool) -> Scene:
    view = build_view(graph)
    return build_scene(view, view.all_groups() if is_open else frozenset())


def classes_of(graph: Graph, scene: Scene, tint: Tint) -> dict[str, str]:
    """The class of each node's box, by the node's name."""
    named = {}
    for number in range(len(graph.nodes)):
        item = int(scene.item_of_node[number])
        if item >= scene.items.num_frames and int(scene.items.node[item]) == number:
            code = int(tint.of_item[item])
            named[graph.node(number).name] = tint.classes[code].name if code >= 0 else ""
    return named


def tinted(graph: Graph, by: ColourBy, selected: tuple[int, ...] = ()) -> dict[str, str]:
    view = build_view(graph, without=("group-by-scope",))
    scene = build_scene(view, frozenset())
    tint = tint_scene(graph, scene, by, selected)
    assert tint is not None
    return classes_of(graph, scene, tint)


@pytest.mark.parametrize("is_open", [True, False])
def test_a_cost_is_counted_once_however_much_is_open(graph: Graph, is_open: bool) -> None:
    scene = draw(graph, is_open=is_open)
    sums = sum_by_item(graph, scene, graph.nodes.cost[:, 0])
    boxes = sums[scene.items.num_frames :]
    assert np.nansum(boxes) == 1010.0


@pytest.mark.parametrize("flag", [jnp.array(True), True, False])
def test_of_a_branch_in_one_box_the_dearest_arm_that_may_run_counts(flag: jax.Array | bool) -> None:
    """Arms of 8 x 3 FLOP and of 2 to choose + 8 x 1 + (8 x 5 or 8 x 2)."""

    def times(number: int) -> Callable[[jax.Array], jax.Array]:
        return lambda x: functools.reduce(lambda y, _: jnp.sin(y) * x, range(number), x)

    def second(x: jax.Array) -> jax.Array:
        return jax.lax.cond(x[0] > 0, times(5), times(2), x) * x

    def branches(x: jax.Array, chosen: jax.Array) -> jax.Array:
        is_known = isinstance(flag, bool)
        return jax.lax.cond(flag if is_known else chosen, second, times(3), x)

    closed_jaxpr = jax.make_jaxpr(branches)(jnp.ones(8), flag)
    traced = convert_jaxpr(closed_jaxpr, tags=TagTable((), ()), is_base=True, is_derived=True)
    graph, _ = cost_equations(traced.graph)

    def total(*, is_open: bool) -> float:
        scene = draw(graph, is_open=is_open)
        sums = sum_by_item(graph, scene, graph.nodes.cost[:, 0])
        return float(np.nansum(sums[scene.items.num_frames :]))

    others = 2 + 8 * (1 + 5 + 2) if flag is False else 8 * (3 + 2)
    assert total(is_open=True) - total(is_open=False) == others


@pytest.mark.parametrize("is_scan", [True, False])
@pytest.mark.parametrize("is_open", [True, False])
def test_what_counts_one_round_of_a_loop_says_so(is_scan: bool, is_open: bool) -> None:
    """A closed scan is coloured by all its rounds; what is in it, and any `while`, by one."""

    def looped(x: jax.Array) -> jax.Array:
        if is_scan:
            return jax.lax.scan(lambda y, _: (y * x + y, None), x, None, length=5)[0]
        return jax.lax.while_loop(lambda y: y[0] < 2, lambda y: y * x + y, x)

    traced = convert_jaxpr(
        jax.make_jaxpr(looped)(jnp.ones(8)), tags=TagTable((), ()), is_base=True, is_derived=True
    )
    graph, _ = cost_equations(traced.graph)
    scene = draw(graph, is_open=is_open)
    sums = sum_by_item(graph, scene, graph.nodes.cost[:, 0])
    rounds = 5 if is_scan and not is_open else 1
    condition = 0 if is_scan else 1
    assert np.nansum(sums[scene.items.num_frames :]) == rounds * 16 + condition

    for by in (ColourBy.FLOPS, ColourBy.BYTES, ColourBy.MEMORY):
        tint = tint_scene(graph, scene, by)
        assert tint is not None and tint.classes
        is_told = by is not ColourBy.MEMORY and rounds == 1
        assert tint.note == ("in loops: cost of one round" if is_told else "")


def test_costs_are_levels_with_values(graph: Graph) -> None:
    found = tinted(graph, ColourBy.FLOPS)
    assert found["exp"] == "unknown", "what is not known is not little"
    assert found["dot"].endswith("to 1.00 kFLOP")
    assert found["fusion"].startswith("from") or found["fusion"].startswith("below")
    assert found["fusion"] != found["dot"]


def test_directions_scopes_and_likeness(graph: Graph) -> None:
    assert tinted(graph, ColourBy.DIRECTION) == {
        "fusion": "forward", "dot": "backward", "exp": "neither",
    }  # fmt: skip
    assert tinted(graph, ColourBy.SCOPE) == {
        "fusion": "layer_0", "dot": "layer_1", "exp": "layer_1",
    }  # fmt: skip
    same = tinted(graph, ColourBy.SAME, (3,))
    assert same["dot"] == "dot of the same types (1)" and same["exp"] == "other"


def test_intensity_is_work_per_byte(graph: Graph) -> None:
    assert tinted(graph, ColourBy.INTENSITY)["dot"] == "from 0.250 FLOP/B"


def test_what_is_not_known_at_all_is_said(graph: Graph) -> None:
    scene = draw(graph, is_open=True)
    for by, word in ((ColourBy.TIME, "known"), (ColourBy.SAME, "select")):
        tint = tint_scene(graph, scene, by)
        assert tint is not None and not tint.classes and word in tint.note
        assert (tint.of_item == -1).all()
    assert tint_scene(graph, scene, ColourBy.FAMILY) is None


def test_sizes_of_results() -> None:
    builder = GraphBuilder()
    for types in (["f32[8,128]"], ["tensor<8x2xbf16>", "i32[]"], ["token[]"], []):
        builder.add_node(str(types), NodeKind.OPERATION, "op", types=types)
    sizes = count_result_bytes(builder.build())
    assert sizes[:3].tolist() == [4096.0, 36.0, 0.0]
    assert np.isnan(sizes[3:]).all()


def test_every_result_of_a_compiled_program_has_a_size() -> None:
    from view.programs import compile_module

    def ranked(x: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jnp.sort(x), (x > jnp.arange(8, dtype=jnp.int32)).sum()

    graph = compile_module(ranked, jnp.zeros(8, jnp.int32))
    printed = " ".join(graph.strings)
    assert "s32[8]" in printed and "pred[" in printed
    sizes = count_result_bytes(graph)
    is_given = graph.nodes.types.lengths() > 0
    assert is_given.any() and not np.isnan(sizes[is_given]).any()


@pytest.mark.parametrize("by", ColourBy)
def test_every_box_of_a_real_program_is_explained(by: ColourBy) -> None:
    from view.programs import trace

    graph = trace(jax.grad(lambda x: jnp.tanh(x @ x).sum()), jnp.ones((4, 4)))
    scene = draw(graph, is_open=True)
    tint = tint_scene(graph, scene, by, (1,))
    if tint is None:
        return
    assert len(tint.of_item) == len(tint.share) == len(scene.items)
    assert int(tint.of_item.max(initial=-1)) < len(tint.classes)
    assert len({each.name for each in tint.classes}) == len(tint.classes)
    assert not (tint.share > 1.0).any()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_is_legible_on_every_tint_and_levels_keep_their_order_in_grey(theme: str) -> None:
    palette, ground = TINT_PALETTES[theme], PALETTES[theme]
    for fill, border in (*palette.kinds, *palette.levels):
        assert contrast(fill, ground.text) >= 4.5, fill
        assert contrast(border, ground.background) >= 2.5, border
    greys = [luminance(fill) for fill, _ in palette.levels]
    steps = [b - a for a, b in itertools.pairwise(greys)]
    assert all(step < 0 for step in steps) or all(step > 0 for step in steps)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_twelve_kinds_such_as_devices_have_colours_of_their_own(theme: str) -> None:
    fills = [fill for fill, _ in TINT_PALETTES[theme].kinds[1:]]
    assert len(fills) >= 12
    parts = [[int(fill[at : at + 2], 16) for at in (1, 3, 5)] for fill in fills]
    assert all(math.dist(one, other) > 12.0 for one, other in itertools.combinations(parts, 2))


def test_origins_are_lines_where_they_are_few_and_else_functions() -> None:
    @jax.jit
    def inner(x: jax.Array) -> jax.Array:
        return jnp.sin(x) * 2

    def outer(x: jax.Array) -> jax.Array:
        return inner(x) + jnp.exp(x)

    few = capture_graph(outer)
    found = tinted(few, ColourBy.ORIGIN)
    names = set(found.values())
    assert any(name.startswith("test_tint.py:") and name.endswith("in outer") for name in names)
    assert "no known origin" in names, "arguments came from nowhere in the source"

    def many(x: jax.Array) -> jax.Array:
        x = jnp.sin(x)
        x = jnp.cos(x)
        x = jnp.tan(x)
        x = jnp.exp(x)
        x = jnp.sinh(x)
        x = jnp.cosh(x)
        x = jnp.tanh(x)
        return jnp.log(inner(x))

    names = set(tinted(capture_graph(many), ColourBy.ORIGIN).values())
    assert "many of test_tint.py" in names


def test_origins_without_places_are_equations() -> None:
    builder = GraphBuilder()
    for number in range(9):
        builder.add_node(f"i{number}", NodeKind.INSTRUCTION, "add", origins=[str(number)])
    builder.add_node("i9", NodeKind.INSTRUCTION, "add", name="last", origins=["3"])
    builder.add_node("i10", NodeKind.INSTRUCTION, "copy", name="copy")
    graph = builder.build()
    found = find_origins(graph)
    assert found is not None
    assert len(found.names) == MAX_ORIGINS
    assert found.names[3] == "equation 3"
    assert found.codes[9] == found.codes[3] == 3
    assert found.codes[8] == MAX_ORIGINS, "one of the others"
    assert found.codes[10] == -1
    assert find_origins(GraphBuilder().build()) is None
