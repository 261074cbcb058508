"""Wide programs fit a page: what is many and small is gathered, and nothing gets lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.group_tree import _closed_run
from jaxscope.picture.view.tree import BranchKind
from jaxscope.picture.view.view import ROOT

from .programs import compile_module, lower, outline, simplify, trace
from .test_halves import assert_no_cycles, assert_shown_once

X = jnp.ones(3)


def with_tables(x: jax.Array) -> jax.Array:
    for number in range(12):
        x = jnp.sin(x) + np.arange(3.0, dtype=np.float32) * number
    return x


def test_many_captured_arrays_are_one_box() -> None:
    view = simplify(with_tables, X)
    (index,) = (i for i, box in enumerate(view.boxes) if box.kind is BranchKind.CONSTANTS)
    assert len(view.boxes[index].children) >= 11
    assert "+ constants" in outline(view), "it is closed at first"
    apart = simplify(with_tables, X, without=["gather-constants"])
    assert BranchKind.CONSTANTS not in {box.kind for box in apart.boxes}


def test_captured_arrays_that_a_nested_program_gets_are_one_box() -> None:
    """As of a `pmap`, whose program captures what the function does."""
    graph = trace(lambda x: jax.jit(with_tables)(x) + 1, X)
    view = build_view(graph)
    found = [box for box in view.boxes if box.kind is BranchKind.CONSTANTS]
    assert len(found) == 1 and len(found[0].children) >= 11
    assert_shown_once(view, graph)
    assert_no_cycles(view)


def step(state: dict[str, jax.Array]) -> dict[str, jax.Array]:
    total = jnp.sin(sum(state.values(), jnp.zeros(3)))
    return {name: jnp.cos(value) * total for name, value in state.items()}


def test_what_pmap_does_to_each_argument_and_result_is_gathered() -> None:
    """It takes the mapped axis from each and gives it back: a row as wide as the state."""
    state = {f"p{number:02}": jnp.ones((1, 3)) for number in range(12)}

    graph = trace(jax.pmap(step), state)
    view = build_view(graph)
    lines = [line.strip() for line in outline(view)]
    assert [line for line in lines if line.endswith("squeeze")] == ["+ squeeze"]
    assert [line for line in lines if line.endswith("broadcast_in_dim")] == ["+ broadcast_in_dim"]
    assert_shown_once(view, graph)
    assert_no_cycles(view)


def test_few_captured_arrays_stay_apart() -> None:
    table = np.arange(3.0, dtype=np.float32)
    view = simplify(lambda x: x * table, X)
    assert BranchKind.CONSTANTS not in {box.kind for box in view.boxes}


def test_constants_of_stablehlo_are_gathered_too() -> None:
    view = build_view(lower(lambda x: with_tables(x), X))
    assert any(line.startswith("+ constants") for line in outline(view))


def deep_arguments() -> tuple[Any, list[str]]:
    layer = {"b": X, "scale": X, "w": X}
    params = {"embedding": X, "layers": [layer] * 6}
    leaves = jax.tree_util.tree_flatten_with_path(params)[0]
    return params, [f"params{jax.tree_util.keystr(path)}" for path, _ in leaves]


def test_many_arrays_of_an_argument_are_gathered_by_their_path() -> None:
    params, paths = deep_arguments()
    graph = trace(lambda p: jax.tree.reduce(jnp.add, p), params, paths=paths)
    view = build_view(graph)
    lines = outline(view, view.all_groups())
    assert lines[:5] == [
        "- params",
        "  params['embedding']",
        "  - layers",
        "    - 0",
        "      params['layers'][0]['b']",
    ]
    assert outline(view)[0] == "+ params"
    assert_shown_once(view, graph)


def test_many_single_arguments_are_one_box() -> None:
    view = simplify(lambda *each: sum(each), *[X] * 10)
    assert outline(view)[0] == "+ arguments"


def prepared(x: jax.Array, y: jax.Array) -> tuple[jax.Array, ...]:
    work = jnp.tanh(x.reshape(3, 1) @ y[None, :] + jnp.sin(x)[::-1].T)
    for row in (x[1:], y[:2], x[::-1]):
        work = jnp.exp(work) * row.sum() + 1
    return work.T, jnp.sort(work), work[0], jnp.squeeze(work[1:2])


def test_what_only_prepares_is_one_box_and_what_only_finishes_another() -> None:
    graph = trace(prepared, X, X)
    view = build_view(graph, ["group-by-function"])
    lines = outline(view, frozenset())
    boxes = [line for line in lines if re.match(r"\+ (.+, |.+ and \d+ more$)", line)]
    assert len(boxes) == 2, lines
    plain = build_view(graph, ["group-by-function", "gather-helpers"])
    assert len(view.boxes[ROOT].children) < len(plain.boxes[ROOT].children) - 4
    assert_shown_once(view, graph)
    assert_no_cycles(view)


def test_copies_at_the_border_of_a_program_are_one_box_in_a_scope_too() -> None:
    """And nothing else: what prepares is a part of what a scope is about."""

    def program(x: jax.Array, *others: jax.Array) -> tuple[jax.Array, ...]:
        with jax.named_scope("part"):
            for _ in range(8):
                x = jnp.sin(x) * jnp.cos(x)
            kept = [jax.lax.copy_p.bind(each) for each in others]
            kept += [each[None] for each in others]
        with jax.named_scope("rest"):
            for _ in range(3):
                x = jnp.tanh(x)
        return x, *kept

    graph = trace(program, X, *[X] * 4)
    view = build_view(graph, ["box-repeats"])
    (part,) = (box for box in view.boxes if box.label == "part")
    inside = [view.boxes[each] for each in part.children]
    (copies,) = (box for box in inside if box.children)
    operations = [graph.operation(view.boxes[each].node) for each in copies.children]
    assert copies.label == "copy" and operations == ["copy"] * 4
    spread = [graph.operation(box.node) for box in inside if box.node >= 0]
    assert spread.count("broadcast_in_dim") == 4
    assert_shown_once(view, graph)
    assert_no_cycles(view)


def uneven(x: jax.Array) -> jax.Array:
    with jax.named_scope("large"):
        for _ in range(300):
            x = jnp.sin(x) * 2 if x.ndim else x
    for number in range(9):
        x = jnp.cos(x)
        with jax.named_scope(f"small {'abcdefghi'[number]}"):
            x = jnp.exp(x) + x
    return x


def test_small_neighbours_of_a_large_part_are_one_box() -> None:
    graph = trace(uneven, X)
    without = ["group-by-function", "box-repeats"]
    view = build_view(graph, without)
    # Eight further scopes, and the `cos` between them.
    assert outline(view, frozenset()) == ["a", "+ large", "+ small a and 9 more", "result"]
    apart = build_view(graph, [*without, "gather-small"])
    assert len(outline(apart, frozenset())) == 21
    assert_shown_once(view, graph)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["gather-constants", "gather-helpers", "gather-small"])
def test_gathering_closes_no_cycle(name: str) -> None:
    for graph in (trace(with_tables, X), compile_module(prepared, X, X), trace(uneven, X)):
        for view in (build_view(graph), build_view(graph, [name])):
            assert_no_cycles(view)
            assert_shown_once(view, graph)


def test_a_scope_does_not_go_through_all_that_is_at_the_border() -> None:
    """The border is as large as the program; copied for each scope, it made the view quadratic."""

    class Border(set[int]):
        def __iter__(self) -> Iterator[int]:
            raise AssertionError("the whole border was read")

    users = {1: [2], 2: [0], 3: [4], 4: [9]}
    found = _closed_run([1, 2, 3, 4], Border({0}), users.__getitem__, {1, 2, 3, 4}.__contains__)
    assert found == [2], "1 comes before 2, of which it is not known yet"
    again = _closed_run([4, 3, 2, 1], Border({0}), users.__getitem__, {1, 2, 3, 4}.__contains__)
    assert again == [1, 2]
