"""Opening or closing a group lays out that group and those around it, and nothing else.

The scene must be the one that a layout of everything gives, whatever was opened and closed before.
"""

from __future__ import annotations

import dataclasses
from random import Random

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model import NONE, Graph, GraphBuilder, GroupKind, NodeKind, Ragged
from jaxscope.picture.layout.engines import LayoutCache
from jaxscope.picture.scene.build import SceneMemory, build_scene
from jaxscope.picture.scene.scene import NO_WIDTH_LIMIT, Fit, Scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.view import View
from view.programs import compile_module, layers, trace

from .test_nested_scenes import nested_programs


def assert_same(one: object, other: object, name: str = "scene") -> None:
    """Every column of two scenes is equal, to the last bit."""
    if isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other, err_msg=name)
    elif dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            pair = getattr(one, field.name), getattr(other, field.name)
            assert_same(*pair, f"{name}.{field.name}")
    else:
        assert one == other, name


def everything_anew(graph: Graph, opened: frozenset[str], direction: str, fit: Fit) -> Scene:
    """A scene that nothing is remembered for, not even by the view."""
    return build_scene(build_view(graph), opened, direction=direction, fit=fit)


def walk(graph: Graph, random: Random, direction: str, fit: Fit, num_steps: int) -> None:
    """Open and close groups one after the other, and compare with everything laid out anew."""
    view, memory, cache = build_view(graph), SceneMemory(), LayoutCache()
    groups = sorted(view.all_groups())
    opened = frozenset(group for group in groups if random.random() < 0.7)
    for _ in range(num_steps):
        scene = build_scene(view, opened, direction=direction, fit=fit, cache=cache, memory=memory)
        assert_same(scene, everything_anew(graph, opened, direction, fit))
        if not groups:
            return
        opened = opened ^ {random.choice(groups)}


DIRECTIONS = st.sampled_from(["down", "right"])
FITS = st.sampled_from([NO_WIDTH_LIMIT, Fit(True, 420.0), Fit(False, 300.0, 48.0)])


@settings(max_examples=12)
@given(nested_programs(), st.randoms(use_true_random=False), DIRECTIONS, FITS)
@pytest.mark.slow
def test_a_scene_does_not_depend_on_the_one_before(
    graph: Graph, random: Random, direction: str, fit: Fit
) -> None:
    walk(graph, random, direction, fit, 4)


def crossing_program(seed: int) -> Graph:
    """A group with lines that cross at the borders inside of it, beside another: g4."""
    random, builder = Random(seed), GraphBuilder()
    groups = [NONE]
    for number, around in enumerate((0, 1, 1, 2, 0)):
        parent = groups[around]
        name = f"part {number}"
        groups.append(builder.add_group(f"g{number}", GroupKind.JAXPR, name, parent=parent))
    made: list[int] = []
    for number in range(random.randint(12, 40)):
        node = builder.add_node(
            f"n{number}",
            NodeKind.EQUATION,
            "add",
            name=f"v{number}",
            types=["f32[8,16]"],
            group=random.choice(groups),
        )
        for operand in range(min(len(made), random.randint(0, 3))):
            builder.add_edge(random.choice(made), node, operand=operand)
        made.append(node)
    return builder.build()


@pytest.mark.sweep(3)
@pytest.mark.parametrize("seed", [59, 136, 152, 365, 428])
@pytest.mark.parametrize(
    ("direction", "fit"), [("right", Fit(True, 420.0)), ("down", NO_WIDTH_LIMIT)]
)
def test_nor_where_lines_cross_in_what_is_taken_over(seed: int, direction: str, fit: Fit) -> None:
    graph = crossing_program(seed)
    view, memory = build_view(graph), SceneMemory()
    groups = view.all_groups()
    build_scene(view, groups - {"g4"}, direction=direction, fit=fit, memory=memory)
    scene = build_scene(view, groups, direction=direction, fit=fit, memory=memory)
    assert_same(scene, everything_anew(graph, groups, direction, fit))


@pytest.fixture(scope="module", params=["jaxpr", pytest.param("module", marks=pytest.mark.slow)])
def gradient(request: pytest.FixtureRequest) -> Graph:
    function, arguments = layers(5)
    make = trace if request.param == "jaxpr" else compile_module
    return make(jax.value_and_grad(function), *arguments)


@pytest.mark.slow
@settings(max_examples=6)
@given(st.randoms(use_true_random=False), DIRECTIONS, FITS)
def test_nor_where_a_forward_part_faces_a_backward_one(
    gradient: Graph, random: Random, direction: str, fit: Fit
) -> None:
    walk(gradient, random, direction, fit, 5)


@pytest.mark.parametrize("direction", ["down", "right"])
def test_nor_where_what_stands_above_a_backward_part_turns(direction: str) -> None:
    """Values flow up in an open update while the backward part is open, and down else."""

    def step(w: jax.Array, x: jax.Array) -> jax.Array:
        slope = jax.grad(lambda w: (jnp.tanh(w * x) ** 2).sum())(w)
        with jax.named_scope("update"):
            change = jnp.sin(slope) * slope
        with jax.named_scope("apply"):
            return w - 0.1 * change * jnp.cos(change)

    graph = trace(step, jnp.ones(3), jnp.ones(3))
    view, memory = build_view(graph), SceneMemory()
    groups = view.all_groups()
    assert any("update" in group for group in groups)
    (backward,) = (group for group in groups if group.startswith("root/backward"))
    drawn = []
    for opened in (groups, groups - {backward}, groups):
        scene = build_scene(view, opened, direction=direction, memory=memory)
        assert_same(scene, everything_anew(graph, opened, direction, NO_WIDTH_LIMIT))
        (sine,) = (n for n, title in enumerate(scene.items.titles) if title == "sin")
        (line,) = np.flatnonzero(scene.lines.target == sine)
        first, *_, last = scene.lines.corners(line)[:, int(direction == "down")]
        drawn.append(bool(first < last))
    assert drawn == [False, True, False]


def families(view: View) -> dict[str, set[str]]:
    """Of each group its own id and those of the groups around it."""
    return {
        box.id: {box.id, *(view.boxes[around].id for around in view.ancestors(number))}
        for number, box in enumerate(view.boxes)
        if number and box.children
    }


def test_only_what_changed_is_laid_out() -> None:
    function, arguments = layers(40)
    view = build_view(trace(function, *arguments), without=["box-repeats"])
    memory, cache = SceneMemory(), LayoutCache()
    groups = view.all_groups()
    build_scene(view, groups, cache=cache, memory=memory)
    assert memory.latest is not None
    assert memory.latest.num_laid_out == len(groups) + 1 > 40
    for group, family in sorted(families(view).items())[::20]:
        build_scene(view, groups - {group}, cache=cache, memory=memory)
        assert memory.latest.num_laid_out == len(family), "those around it, and the whole"
        build_scene(view, groups, cache=cache, memory=memory)
        assert memory.latest.num_laid_out == len(family) + 1, "and itself"


def test_what_is_seen_again_is_not_even_laid_out_again() -> None:
    function, arguments = layers(40)
    view = build_view(trace(function, *arguments), without=["box-repeats"])
    memory, cache = SceneMemory(), LayoutCache()
    groups = view.all_groups()
    build_scene(view, groups, cache=cache, memory=memory)
    assert len(cache) < len(groups) / 4, "alike layers share their layouts"
    closed = next(iter(sorted(groups)))
    build_scene(view, groups - {closed}, cache=cache, memory=memory)
    before = len(cache)
    build_scene(view, groups, cache=cache, memory=memory)
    build_scene(view, groups - {closed}, cache=cache, memory=memory)
    assert len(cache) == before


@pytest.mark.parametrize("change", ["view", "direction", "fit"])
def test_nothing_is_taken_over_from_a_scene_made_otherwise(change: str) -> None:
    function, arguments = layers(4)
    graph = trace(function, *arguments)
    view, memory = build_view(graph), SceneMemory()
    build_scene(view, view.all_groups(), memory=memory)
    other = build_view(graph) if change == "view" else view
    direction = "right" if change == "direction" else "down"
    fit = Fit(True, 420.0) if change == "fit" else NO_WIDTH_LIMIT
    scene = build_scene(other, other.all_groups(), direction=direction, fit=fit, memory=memory)
    assert memory.latest is not None
    assert memory.latest.num_laid_out == len(view.all_groups()) + 1
    assert_same(scene, everything_anew(graph, view.all_groups(), direction, fit))


def test_ragged_columns_are_compared() -> None:
    with pytest.raises(AssertionError, match="values"):
        assert_same(Ragged.from_rows([[1, 2]]), Ragged.from_rows([[1, 3]]))
