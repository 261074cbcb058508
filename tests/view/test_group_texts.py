"""What is written on groups: how much they hold, of what, and where it runs."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.interpreters import partial_eval
from jax.sharding import AbstractMesh, AxisType, PartitionSpec

from jaxscope.model import NONE, Graph, NodeKind
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.group_layout import BoxTexts
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.labels import detail_when_open, sort_boxless, text_of
from jaxscope.picture.view.operations import untold_operation
from jaxscope.picture.view.tree import GATHERED, BranchKind
from jaxscope.picture.view.view import ROOT, View
from jaxscope.program.fates.equations import Equations, find_live, find_surely_live
from jaxscope.program.size import count_program

from .programs import compile_call, compile_module, relabel, trace


def details(graph: Graph, kind: BranchKind) -> set[str]:
    view = build_view(graph)
    return {text_of(view, box).detail for box in view.boxes[1:] if box.kind is kind}


def test_a_box_of_some_of_the_results_says_of_how_many() -> None:
    def loss(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
        return ((params["a"] * x + params["b"] * params["c"]) ** 2).sum()

    def step(params: dict[str, jax.Array], x: jax.Array) -> Any:
        value, slopes = jax.value_and_grad(loss)(params, x)
        return slopes, (value, x * 2, x + 1, x - 1)

    params = {name: jnp.ones(3) for name in "abc"}
    x, results = jnp.ones(3), BranchKind.RESULTS
    assert details(trace(step, params, x), results) == {"3 of 7 arrays", "4 of 7 arrays"}
    assert details(trace(jax.grad(loss), params, x), results) == {"3 arrays"}, "all of them"


def test_what_is_alive_for_sure_is_what_jax_keeps() -> None:
    """Its own elimination of dead code is asked; a choice by a literal is known to us alone."""

    def function(a: jax.Array, b: jax.Array, c: jax.Array, d: jax.Array, e: jax.Array) -> jax.Array:
        _ = jnp.exp(b) * a
        chosen = jax.lax.select_n(np.bool_(True), c, d) + jax.lax.select_n(a > 0, d, e)
        return jax.lax.cond(a.sum() > 0, jnp.sin, lambda x: x * 2, chosen)

    values = [jnp.ones(3)] * 5
    closed = jax.make_jaxpr(function)(*values)
    _, used = partial_eval.dce_jaxpr(closed.jaxpr, [True])
    assert used == [True, False, True, True, True]
    graph = trace(function, *values)
    alive, sure = find_live(Equations(graph)), find_surely_live(graph)
    inputs = [at for at, kind in enumerate(graph.nodes.kind) if kind == int(NodeKind.INPUT)][:5]
    assert [alive[at] for at in inputs] == [True, False, False, True, True]
    assert not any(sure[at] for at in inputs), "what goes into a cond is not followed"
    assert all(is_alive or not is_sure for is_alive, is_sure in zip(alive, sure, strict=True))

    def plain(a: jax.Array, b: jax.Array, c: jax.Array, d: jax.Array, e: jax.Array) -> jax.Array:
        return jnp.sin(jax.lax.select_n(np.bool_(True), c, d)) + jax.lax.select_n(a > 0, d, e)

    graph = trace(plain, *values)
    alive, sure = find_live(Equations(graph)), find_surely_live(graph)
    inputs = [at for at, kind in enumerate(graph.nodes.kind) if kind == int(NodeKind.INPUT)][:5]
    assert [alive[at] for at in inputs] == [True, False, False, True, True]
    assert [bool(sure[at]) for at in inputs] == [True, False, False, True, True]


def test_a_box_of_arguments_says_how_many_are_needed() -> None:
    """As many as JAX hands over to XLA, which it leaves out where no result needs them."""
    tables = [np.arange(3.0) + n for n in range(5)]

    def function(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
        def body(carry: Any, row: jax.Array) -> Any:
            first, second = carry
            return (first * 2 + row, second + params["d"] * tables[4]), None

        _ = jnp.sin(params["b"]) * tables[0]
        (first, _), _ = jax.lax.scan(body, (x, params["c"]), jnp.stack(tables[1:3]))
        return first + params["e"] + tables[3]

    params = {name: jnp.ones(3) for name in "abcde"}
    lowered = jax.jit(function).lower(params, jnp.ones(3)).as_text()
    (main,) = [line for line in lowered.splitlines() if "func.func public @main(" in line]
    assert main.count("%arg") == 1 + 1  # x and params["e"]
    paths = [*(f"params['{name}']" for name in params), "x"]
    graph = trace(function, params, jnp.ones(3), paths=paths)
    assert details(graph, BranchKind.ARGUMENTS) == {"5 arrays, 1 needed"}
    # Of the arrays that it brings along, the first is read by what nobody needs, the last by what
    # a loop carries for itself alone.
    assert details(graph, BranchKind.CONSTANTS) == {"5 arrays, 3 needed"}
    some = {name: params[name] for name in "abc"}
    alone = trace(lambda p: sum(p.values()), some, paths=paths[:3])
    assert details(alone, BranchKind.ARGUMENTS) == {"3 arrays"}


def test_no_box_of_results_is_called_as_if_it_held_those_of_another() -> None:
    def loss(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
        return ((params["a"] * x + params["b"] * params["c"]) ** 2).sum()

    def step(params: dict[str, jax.Array], x: jax.Array) -> Any:
        value, slopes = jax.value_and_grad(loss)(params, x)
        return {**slopes, "count": x + 1}, value, x * 2

    paths = [
        *(f"result[0]['{name}']" for name in ("a", "b", "c", "count")),
        "result[1]",
        "result[2]",
    ]
    params = {name: jnp.ones(3) for name in "abc"}
    view = build_view(trace(step, params, jnp.ones(3), result_paths=paths))
    titles = {text_of(view, box).title for box in view.boxes if box.kind is BranchKind.RESULTS}
    assert titles == {"results from backward", "other results"}, "one of them is in result[0], too"


def test_updated_parameters_are_not_called_results_from_backward() -> None:
    """The update behind the backward part computes them, of gradients and of what was there."""

    def loss(params: dict[str, jax.Array], x: jax.Array) -> Any:
        sums = params["a"] * x + params["b"] * params["c"]
        return (sums**2).sum(), (sums, jnp.sin(sums))

    def step(params: dict[str, jax.Array], x: jax.Array, *, is_updated: bool) -> Any:
        (value, more), given = jax.value_and_grad(loss, has_aux=True)(params, x)
        if is_updated:
            given = {name: params[name] - 0.1 * slope for name, slope in given.items()}
        return {**given, "sums": more[0]}, value, more[1]

    paths = [
        *(f"result[0]['{name}']" for name in ("a", "b", "c", "sums")),
        "result[1]",
        "result[2]",
    ]
    params = {name: jnp.ones(3) for name in "abc"}
    for is_updated, name in ((False, "results from backward"), (True, "results after backward")):
        program = functools.partial(step, is_updated=is_updated)
        view = build_view(trace(program, params, jnp.ones(3), result_paths=paths))
        titles = {text_of(view, box).title for box in view.boxes if box.kind is BranchKind.RESULTS}
        assert titles == {name, "other results"}


def test_a_shard_map_says_on_how_many_devices_it_runs() -> None:
    for size, told in (
        (8, "+ 2 equations, on each of 8 devices"),
        (1, "+ 2 equations"),
    ):
        mesh = AbstractMesh((size,), ("d",), axis_types=(AxisType.Auto,))

        def halves(x: jax.Array, mesh: Any = mesh) -> jax.Array:
            spec = PartitionSpec("d")
            return jax.shard_map(lambda x: jnp.sin(x) * x, mesh=mesh, in_specs=spec,
                                 out_specs=spec)(x)  # fmt: skip

        assert details(trace(halves, jnp.ones(16)), BranchKind.NESTED) == {told}


def opened(scene: Scene) -> dict[str, str]:
    items = scene.items
    return dict(zip(items.titles[: items.num_frames], items.details, strict=False))


def test_an_open_group_says_how_much_of_it_is_in_boxes() -> None:
    def scaled(x: jax.Array) -> jax.Array:
        with jax.named_scope("outer"):
            y = jnp.clip(x, -1.0, 1.0)
            z = jnp.sin(y) * jnp.cos(y)
        with jax.named_scope("after"):
            return jnp.tanh(z) + jnp.exp(z)

    view = build_view(trace(scaled, jnp.ones(3)))
    outer = next(box.id for box in view.boxes if box.label == "outer")
    told = opened(build_scene(view, view.all_groups()))
    counted = {view.boxes[n].label: view.boxes[n].num_counted for n in range(1, len(view.boxes))}
    # clip casts both of its limits: the casts are in the boxes of `max` and `min`.
    assert counted["clip"] == 4 and told["clip"] == "jit + 4 equations, 2 in other boxes"
    assert counted["outer"] == 8
    assert told["outer"] == "8 equations, 2 in other boxes", "the two casts in clip"
    closed = opened(build_scene(view, frozenset({outer})))
    assert closed == {"outer": "8 equations"}, "clip says 4, and sin, cos, mul and div are boxes"


def test_a_group_with_closed_groups_in_it_says_what_is_in_no_box_of_it() -> None:
    def scaled(x: jax.Array) -> jax.Array:
        with jax.named_scope("outer"):
            with jax.named_scope("inner"):
                y = jnp.sin(x) * jnp.cos(x)
            y = jnp.exp(y) * jax.lax.broadcast(2.0, (3,))  # cast and broadcast in its box
        with jax.named_scope("after"):
            return jnp.tanh(y) + jnp.exp(y)

    view = build_view(trace(scaled, jnp.ones(3)))
    outer = next(box.id for box in view.boxes if box.label == "outer")
    told = opened(build_scene(view, frozenset({outer})))
    assert told == {"outer": "7 equations, 2 in other boxes"}, "not the product, exp, 3 of inner"


def test_what_is_in_no_box_of_an_open_group_is_in_none_of_those_around_it() -> None:
    """Who counts boxes and what closed groups say finds the number that the title says."""

    def scaled(x: jax.Array) -> jax.Array:
        with jax.named_scope("outer"):
            with jax.named_scope("inner"):
                y = jnp.sin(x) * jax.lax.broadcast(2.0, (3,))  # cast and broadcast in its box
            y = jnp.exp(y)
        with jax.named_scope("after"):
            return jnp.tanh(y) + jnp.exp(y)

    view = build_view(trace(scaled, jnp.ones(3)))
    ids = {box.label: box.id for box in view.boxes if box.label in ("outer", "inner")}
    closed = opened(build_scene(view, frozenset({ids["outer"]})))
    assert closed == {"outer": "5 equations"}, "inner says 4"
    assert opened(build_scene(view, frozenset(ids.values()))) == {
        "outer": "5 equations, 2 in other boxes",
        "inner": "4 equations, 2 in other boxes",
    }


def cumulate(x: jax.Array) -> Any:
    """Its carry begins with what stands before the loop, and each row is a loop of its own."""

    def row(total: jax.Array, values: jax.Array) -> Any:
        kept = jax.lax.cond(values[0] > 0, jnp.sin, lambda v: v * 2, values)
        inner = jax.lax.scan(lambda c, v: (c + v, c), jnp.zeros(()), kept)
        return total + inner[0], inner[1]

    return jax.lax.scan(row, jnp.zeros(()) + x[0, 0], x)


def pick(index: jax.Array, x: jax.Array) -> jax.Array:
    return jax.lax.switch(index, [jnp.sin, jnp.cos, jnp.tanh], x)


COUNTED = (
    (cumulate, (jnp.ones((5, 7)),)),
    (jax.grad(lambda x: cumulate(x)[1].sum()), (jnp.ones((5, 7)),)),
    (jax.vmap(cumulate), (jnp.ones((3, 5, 7)),)),
    (pick, (jnp.int32(1), jnp.ones(4))),
)


def count_equations(jaxpr: Any, prefix: str, found: dict[str, int]) -> int:
    """Of a jaxpr and of those in it, by JAX alone, and of those of each equation by its id."""
    for number, equation in enumerate(jaxpr.eqns):
        id = f"{prefix}{number}"
        found[id] = 0
        for key, value in equation.params.items():
            parts = value if isinstance(value, tuple) else (value,)
            for at, part in enumerate(parts):
                inner = getattr(part, "jaxpr", part)
                if hasattr(inner, "eqns"):
                    place = f"{key}.{at}" if isinstance(value, tuple) else key
                    found[id] += count_equations(inner, f"{id}/{place}/", found)
    own = [id for id in found if id.startswith(prefix) and "/" not in id[len(prefix) :]]
    return len(own) + sum(found[id] for id in own)


@pytest.mark.parametrize(("function", "arguments"), COUNTED)
def test_a_loop_and_a_branch_hold_as_many_equations_as_their_jaxprs(
    function: Any, arguments: Any
) -> None:
    wanted = dict[str, int]()
    count_equations(jax.make_jaxpr(function)(*arguments).jaxpr, "", wanted)
    graph = trace(function, *arguments)
    found = {
        graph.node(box.node).id: box.num_counted
        for box in build_view(graph).boxes[1:]
        if box.node != NONE and box.children
    }
    assert found
    assert {id: wanted[id] for id in found} == found


def count_of(text: str) -> int:
    """What the second line of a group says that it counts: with its operation itself, if it has."""
    own, count = re.findall(r"((?:\S+ )?\+ )?([\d,]+) (?:equation|operation|instruction)", text)[0]
    return bool(own) + int(count.replace(",", ""))


@pytest.mark.parametrize(("function", "arguments"), COUNTED)
def test_what_groups_say_adds_up(function: Any, arguments: Any) -> None:
    num_groups = 0
    for graph in (trace(function, *arguments), compile_module(function, *arguments)):
        view = build_view(graph)
        for number, box in enumerate(view.boxes):
            if not box.children or box.kind in (BranchKind.REPEAT, *GATHERED):
                continue
            inside = [view.boxes[child] for child in box.children]
            nodes = [each.node for each in inside if not each.children and not each.type]
            drawn = count_program(graph, [node for node in nodes if node not in view.flow.roles])
            groups = [
                count_of(text_of(view, each).detail)
                for each in inside
                if each.children and each.kind not in GATHERED
            ]
            missing = len(view.without_box(number))
            assert drawn + sum(groups) + missing == box.num_counted, box.label
            num_groups += len(groups)
    assert num_groups


def means(x: jax.Array) -> jax.Array:
    """Sums, whose `add` is a program of its own, beside what is fused."""
    return jnp.tanh(x - x.mean(axis=1, keepdims=True)).sum() * jnp.ones(2)


@pytest.mark.parametrize(("function", "arguments"), [*COUNTED, (means, (jnp.ones((64, 32)),))])
def test_what_has_no_box_is_sorted_by_what_the_text_of_xla_says(
    function: Any, arguments: Any
) -> None:
    (module,) = compile_call(function, *arguments).runtime_executable().hlo_modules()
    program = re.compile(r"^(?:ENTRY )?%?([\w.-]+) \(.*\{$", re.M).split(module.to_string())
    bodies = dict(zip(program[1::2], program[2::2], strict=True))
    line = re.compile(r"^\s+(?:ROOT )?%?([\w.-]+) = (?:\(.*?\)|\S+) ([a-z][\w-]*)\((.*)$", re.M)
    opcodes = {name: code for body in bodies.values() for name, code, _ in line.findall(body)}
    calls = {
        called: name
        for body in bodies.values()
        for name, _, rest in line.findall(body)
        for called in re.findall(r"to_apply=%?([\w.-]+)", rest)
    }
    home = {name: at for at, body in bodies.items() for name, _, _ in line.findall(body)}
    graph = compile_module(function, *arguments)
    view = build_view(graph)
    scene = build_scene(view, view.all_groups())
    frames = frozenset(scene.items.box[: scene.items.num_frames].tolist())
    rest = sort_boxless(view, view.without_box(ROOT, frames))
    drawn = {
        graph.name(box.node)
        for box in map(view.boxes.__getitem__, scene.items.box.tolist())
        if box.node != NONE and not box.type and box.node not in view.flow.roles
    }
    told = [{graph.name(node) for node in nodes} for nodes in rest]
    names = [name for each in (drawn, *told) for name in each]
    assert sorted(names) == sorted(opcodes), "each once, and no other"
    folded, passing, ports, constants, around = told
    assert {opcodes[name] for name in passing} <= {"parameter", "tuple", "get-tuple-element"}
    assert {opcodes[name] for name in constants} <= {"constant"}
    assert {opcodes[name] for name in around} <= {"fusion", "call"}
    inner = {name for name in opcodes if opcodes.get(calls.get(home[name], "")) != "call"}
    run = {name for name in inner if home[name] in calls}  # such as the `add` of a sum
    assert run - drawn <= folded and not run & passing
    assert function is not means or run
    assert bool(ports) == any(code in ("while", "conditional") for code in opcodes.values())
    count = len([name for name in folded if opcodes[name] not in ("parameter", "tuple")])
    text = detail_when_open(view, ROOT, text_of(view, view.boxes[ROOT]).detail, frames)
    said = f"{count} in other boxes" if count > 1 else "1 in another box"
    assert text == (f"{len(opcodes)} instructions" + (f", {said}" if count else ""))


def test_a_repeat_says_what_of_it_counts_once() -> None:
    """Twelve layers call one jitted function, whose inside the first shows."""
    inner = jax.jit(lambda x: jnp.sin(x) * x + 1.0)

    def layered(x: jax.Array, ws: list[jax.Array]) -> jax.Array:
        for number, w in enumerate(ws):
            with jax.named_scope(f"layer_{number}"):
                x = jnp.tanh(inner(x @ w) @ w)
        return x

    graph = trace(layered, jnp.ones((3, 3)), [jnp.ones((3, 3))] * 12)
    view = build_view(graph)
    (repeat,) = (box for box in view.boxes if box.kind is BranchKind.REPEAT)
    first, *others = (view.boxes[child].num_counted for child in repeat.children)
    shared = len(jax.make_jaxpr(inner)(jnp.ones((3, 3))).eqns[0].params["jaxpr"].eqns)
    assert (repeat.copies, shared, set(others)) == (12, 3, {first - shared})
    assert text_of(view, repeat).detail == f"{12 * first - 11 * shared} equations, 3 shared"


def test_a_shared_function_of_one_box_takes_no_copy_out_of_a_repeat() -> None:
    """The first layer shows the inside, which is one box, so no group of the function is left.

    Of the backward part of twelve layers that made eleven and one.
    """
    inner = jax.jit(lambda x, m: jnp.where(m, x, 0.0))

    def layered(x: jax.Array, ws: list[jax.Array]) -> jax.Array:
        for number, w in enumerate(ws):
            with jax.named_scope(f"layer_{number}"):
                x = jnp.tanh(inner(x @ w, w > 0) @ w)
        return x

    view = build_view(trace(layered, jnp.ones((3, 3)), [jnp.ones((3, 3))] * 12))
    (repeat,) = (box for box in view.boxes if box.kind is BranchKind.REPEAT)
    assert repeat.copies == 12
    first, *others = (
        {view.graph.operation(n) for n in view.nodes_inside(c)} for c in repeat.children
    )
    assert "select_n" in first and not any("select_n" in each for each in others)


COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.-]+) .*\{$", re.MULTILINE)
INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?([\w.-]+) = (.*)$", re.MULTILINE)


@pytest.mark.parametrize(("function", "arguments"), COUNTED)
def test_a_group_of_hlo_holds_as_many_instructions_as_xlas_own_text(
    function: Any, arguments: Any
) -> None:
    text = compile_call(function, *arguments).as_text()
    parts = COMPUTATION.split(text)
    bodies = dict(zip(parts[1::2], parts[2::2], strict=True))
    called = {
        name: [part for part in re.findall(r"[\w.-]+", rest.partition("(")[2]) if part in bodies]
        for body in bodies.values()
        for name, rest in INSTRUCTION.findall(body)
    }

    def count(computation: str) -> int:
        names = [name for name, _ in INSTRUCTION.findall(bodies[computation])]
        return len(names) + sum(count(inner) for name in names for inner in called[name])

    graph = compile_module(function, *arguments)
    view = build_view(graph)
    num_groups = 0
    for box in view.boxes[1:]:
        if box.node == NONE or not box.children:
            continue
        num_groups += 1
        name = graph.node(box.node).name
        assert box.num_counted == sum(map(count, called[name])), box.label
    assert num_groups


def test_what_a_branch_gives_is_no_instruction_that_is_drawn() -> None:
    """XLA ends each arm with a tuple; a jaxpr has none, and both are drawn alike."""
    compiled = compile_module(pick, jnp.int32(1), jnp.ones(4))
    for graph in (trace(pick, jnp.int32(1), jnp.ones(4)), compiled):
        view = build_view(graph)
        arms = {at for at, box in enumerate(view.boxes) if box.kind is BranchKind.ARM}
        (branch,) = {view.boxes[at].parent for at in arms}
        num, in_arms = (
            view.boxes[branch].num_counted,
            sum(view.boxes[at].num_counted for at in arms),
        )
        assert num - len(view.without_box(branch, arms)) == 3
        assert num - len(view.without_box(branch)) == in_arms


def test_groups_of_one_scope_that_stand_beside_each_other_are_numbered() -> None:
    """One scope would close a cycle, so it is two groups: they must not look like one program."""

    def program(x: jax.Array) -> jax.Array:
        with jax.named_scope("outer"):
            y = jnp.sin(x) * x + 1
        with jax.named_scope("between"):
            z = jnp.cos(y) * y - 2
        with jax.named_scope("outer"):
            return jnp.tanh(z) * z / y

    view = build_view(trace(program, jnp.ones(3)))
    scopes = [text_of(view, box).title for box in view.boxes if box.kind is BranchKind.SCOPE]
    assert scopes == ["outer (1 of 2)", "between", "outer (2 of 2)"]


def test_a_group_of_a_backward_part_says_so_where_one_is_called_like_it() -> None:
    """As a forward part that is computed again in a fusion of the backward part."""

    def program(x: jax.Array) -> jax.Array:
        for name in ("a", "b"):
            with jax.named_scope(name):
                x = jnp.sin(x) * jnp.tanh(x * x)
        return x.sum()

    def titles(view: View) -> list[str]:
        texts, scopes = BoxTexts(view), (BranchKind.SCOPE,)
        return [texts.of(at).title for at, box in enumerate(view.boxes) if box.kind in scopes]

    view = build_view(trace(jax.grad(program), jnp.ones(3)))
    assert titles(view) == ["a", "b", "b", "a"]
    (at,) = (number for number, box in enumerate(view.boxes) if box.label == "b backward")
    again = relabel(view, {at: "a"})
    assert titles(again) == ["a", "b", "a", "a backward"]
    inner = relabel(view, {at: "a backward / b"})
    assert titles(inner) == ["a", "b", "a / b", "a"], "it is not its own twin"


def test_a_branch_of_a_known_index_says_which_arm_runs() -> None:
    """The index of `cond(True, …)` is a literal of the equation: the first arm is for false."""
    graph = trace(lambda x: jax.lax.cond(True, jnp.sin, jnp.cos, x), jnp.ones(3))
    view = build_view(graph)
    branch = next(box for box in view.boxes if box.node != NONE and box.children)
    assert text_of(view, branch).detail == "index 1 · + 2 equations"
    unknown = trace(lambda x: jax.lax.cond(x[0] > 0, jnp.sin, jnp.cos, x), jnp.ones(3))
    view = build_view(unknown)
    branch = next(box for box in view.boxes if box.node != NONE and box.children)
    assert text_of(view, branch).detail == "+ 2 equations"


def test_a_repeat_of_fusions_says_first_what_they_do() -> None:
    """Each name is of operations that are in a fusion of that name in XLA's own text."""

    def program(weights: list[jax.Array], x: jax.Array) -> jax.Array:
        for each in weights:
            x = jax.nn.softmax(x @ each) * jnp.sin(x).sum(1, keepdims=True)
        return x

    arguments = [jnp.ones((64, 64))] * 6, jnp.ones((32, 64))
    view = build_view(compile_module(program, *arguments))
    (label,) = {box.label for box in view.boxes if box.copies > 1}
    text = compile_call(program, *arguments).as_text()
    fusions = {*re.findall(r"%(\w+)_fusion[.\d]* = ", text)}
    told = re.fullmatch(r"(\w+) and (\d) more", label)
    names = label.split(", ") if told is None else [told[1]]
    assert set(names) <= fusions
    assert len(names) == 2 or 2 <= int(told[2] if told else 0) < len(fusions), "not only '…'"


@pytest.mark.parametrize(
    ("name", "operations", "told"),
    [
        ("ynn_fusion.3", ["multiply", "reduce"], "reduce"),
        ("ynn_fusion", ["dot", "reduce", "broadcast", "subtract", "exponential"], "dot"),
        ("fusion.7", ["add", "tanh"], "tanh"),
        ("copy_bitcast_fusion.60", ["copy", "bitcast"], ""),
        ("loop_dynamic-update-slice_fusion", ["constant", "dynamic-update-slice"], ""),
        ("ynn_fusion", [], ""),
    ],
)
def test_of_a_fusion_whose_name_tells_nothing_an_operation_is_told(
    name: str, operations: list[str], told: str
) -> None:
    assert untold_operation(name, operations) == told


@pytest.mark.parametrize(
    ("fusion", "title"),
    [
        ("reduce_bitcast_fusion.2", "reduce_bitcast_fusion.2"),
        ("reduce_bitcast_fusion / add", "reduce_bitcast_fusion / add"),
        ("bitcast_reduce_fusion", "bitcast_reduce_fusion"),
        ("bitcast_add_fusion", "reduce · bitcast_add_fusion"),
        ("reduce_all", "reduce · reduce_all"),
    ],
)
def test_a_fusion_of_one_instruction_is_not_called_by_that_twice(fusion: str, title: str) -> None:
    view = build_view(compile_module(lambda x: x.sum(), jnp.ones(8)))
    graph = view.graph
    box = next(each for each in view.boxes[1:] if graph.operation(each.node) == "reduce")
    named = dataclasses.replace(view, captions={box.node: fusion})
    assert text_of(named, box).title.removesuffix(" 0") == title
