"""What drawings of loops and branches claim, against the parameters that JAX itself gives."""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.extend.core import jaxpr_as_fun
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec

from bench.engines import count_crossings
from jaxscope.model import NONE, Graph
from jaxscope.picture.layout.diagram import Diagram, DiagramEdge, Drawing
from jaxscope.picture.layout.layered import layout_layered
from jaxscope.picture.palette import CONTROL_FRAME
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.first_picture import Arranger, Viewport
from jaxscope.picture.scene.group_layout import measure_header
from jaxscope.picture.scene.returns import Carry, add_returns
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.scene.side_by_side import describe_values
from jaxscope.picture.scene.visible_edges import Wiring
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.control_flow import Role, find_control_flow
from jaxscope.picture.view.labels import text_of
from jaxscope.picture.view.operations import Style
from jaxscope.picture.view.view import ROOT, View
from jaxscope.program.predicates import Predicates
from jaxscope.worker.stages.jaxpr import argument_names
from tests.view.programs import compile_module, lower, trace

V = jnp.arange(6.0)


def totals(start: jax.Array, xs: jax.Array) -> Any:
    scale = start * 2

    def step(total: jax.Array, value: jax.Array) -> tuple[jax.Array, jax.Array]:
        total = total + scale * value
        return total, jnp.sin(total)

    return jax.lax.scan(step, start, xs)


def from_the_end(pair: tuple[jax.Array, jax.Array], xs: jax.Array) -> Any:
    return jax.lax.scan(lambda c, x: ((c[1], c[0] + x), None), pair, xs, reverse=True)


def until(limit: jax.Array, x: jax.Array) -> Any:
    return jax.lax.while_loop(lambda c: c[1] < limit, lambda c: (c[0] + 1, c[1] * limit), (0, x))


def many(params: dict[str, jax.Array]) -> Any:
    return jax.lax.fori_loop(0, 4, lambda _, p: {k: v * 2 for k, v in p.items()}, params)


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "scan": (totals, (1.0, V)),
    "scan reversed": (from_the_end, ((1.0, 2.0), V)),
    "while": (until, (9.0, 2.0)),
    "fori": (lambda x: jax.lax.fori_loop(0, 3, lambda i, y: y + i, x), (1.0,)),
    "many": (many, (dict.fromkeys("abcdef", V),)),
    "gradient": (jax.grad(lambda x: totals(x, V)[0]), (1.0,)),
    "batched": (jax.vmap(totals, in_axes=(0, None)), (V, V)),
}


def equations(jaxpr: Any, name: str) -> list[Any]:
    """All equations of a primitive at any depth, in JAX's own order."""
    found = []
    for equation in jaxpr.eqns:
        found += [equation] if equation.primitive.name == name else []
        for value in equation.params.values():
            for inner in value if isinstance(value, tuple) else (value,):
                if hasattr(inner, "jaxpr") or hasattr(inner, "eqns"):
                    found += equations(getattr(inner, "jaxpr", inner), name)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_carries_slices_and_trips_are_those_of_the_equation(name: str) -> None:
    function, arguments = PROGRAMS[name]
    jaxpr = jax.make_jaxpr(function)(*arguments).jaxpr
    expected: Counter[Role] = Counter()
    trips: list[int] = []
    for scan in equations(jaxpr, "scan"):
        if "num_carry" in scan.params:
            carry, consts = scan.params["num_carry"], scan.params["num_consts"]
        else:  # JAX 0.12
            consts, carry, _ = (len(list(part)) for part in scan.params["ft_in"].unpack())
        expected[Role.CARRY_IN] += carry
        expected[Role.CARRY_OUT] += carry
        expected[Role.SLICE] += len(scan.invars) - carry - consts
        expected[Role.STACKED] += len(scan.outvars) - carry
        trips.append(scan.params["length"])
    for loop in equations(jaxpr, "while"):
        expected[Role.CARRY_IN] += len(loop.outvars)
        expected[Role.CARRY_OUT] += len(loop.outvars)
        expected[Role.VERDICT] += 1
    graph = trace(function, *arguments)
    flow = find_control_flow(graph)
    assert Counter(flow.roles.values()) == expected
    assert sorted(flow.trips.values()) == sorted(trips)
    for given, received in flow.returns.items():
        assert flow.roles[given] is Role.CARRY_OUT and flow.roles[received] is Role.CARRY_IN
        assert graph.node(given).types == graph.node(received).types  # else no round could follow
    assert len(flow.returns) == expected[Role.CARRY_OUT]


def box_named(view: View, title: str) -> int:
    (found,) = (i for i, box in enumerate(view.boxes) if i and text_of(view, box).title == title)
    return found


def test_a_loop_says_what_enters_it_and_how() -> None:
    view = build_view(trace(totals, 1.0, V))
    texts = [text_of(view, box) for box in view.boxes[1:]]
    told = [(text.title, text.detail) for text in texts]
    assert ("total", "carry · f32[]") in told
    assert ("value", "xs[i] · f32[]") in told
    assert ("total", "next carry · f32[]") in told
    # What the source does not name is called by what the loop does with it.
    (stacked,) = (detail for title, detail in told if title == "ys[i]")
    assert re.fullmatch(r"[a-z]+: f32\[\]", stacked)
    assert any(title == "scan ×6 · step" for title, _ in told)
    entering = {
        (text_of(view, view.boxes[edge.source]).title, view.graph.strings[edge.type])
        for edge in view.edges
        if edge.target in {box_named(view, "value")}
    }
    assert entering == {("b", "f32[6]")}


def test_a_loop_is_named_after_the_function_of_its_body_also_when_differentiated() -> None:
    def sum_of_sines(x: jax.Array) -> jax.Array:
        def row(total: jax.Array, values: jax.Array) -> tuple[jax.Array, None]:
            def column(index: jax.Array, part: jax.Array) -> jax.Array:
                return part + jnp.sin(values[index])

            return jax.lax.fori_loop(0, 7, column, total), None

        return jax.lax.scan(row, jnp.float32(0), x)[0]

    def loops(graph: Graph) -> set[str]:
        titles = {
            text_of(view, box).title for view in [build_view(graph)] for box in view.boxes[1:]
        }
        return {title for title in titles if title.startswith(("scan", "while"))}

    x = jnp.ones((5, 7))
    assert loops(trace(sum_of_sines, x)) == {"scan ×5 · row", "scan ×7 · column"}
    told = loops(trace(jax.grad(sum_of_sines), x))
    assert {"scan ×5 · row", "scan ×5 reversed · row", "scan ×7 reversed · column"} <= told
    counted = trace(lambda n: jax.lax.fori_loop(0, n, lambda _, c: c * 2, 1), 3)
    assert loops(counted) == {"while"}, "a lambda has no name"

    def double(carry: jax.Array) -> jax.Array:
        return carry * 2

    def body(carry: jax.Array) -> jax.Array:
        return carry * 2

    def repeat(function: Callable[[jax.Array], jax.Array], n: int) -> jax.Array:
        return jax.lax.while_loop(lambda c: c < 9, function, n)

    for function, name in ((double, "body · double"), (body, "body")):
        view = build_view(trace(functools.partial(repeat, function), 3))
        titles = [text_of(view, box).title for box in view.boxes[1:]]
        assert {"while", "condition", name} <= set(titles), "the frame of both has neither name"
    assert loops(trace(lambda x: jax.lax.map(jnp.sin, x), x)) == {"scan ×5"}, "JAX's own function"


def test_a_scan_from_the_end_and_a_start_are_said() -> None:
    view = build_view(trace(from_the_end, (1.0, 2.0), V))
    assert any(text_of(view, box).title == "scan ×6 reversed" for box in view.boxes[1:])
    view = build_view(trace(until, 9.0, 2.0))
    details = [text_of(view, box).detail for box in view.boxes[1:]]
    assert "carry from 0 · i32[]" in details
    titles = [text_of(view, box).title for box in view.boxes[1:]]
    assert {"while", "condition", "body", "runs on while true"} <= set(titles)
    view = build_view(trace(jax.vmap(until, (0, None)), V, 2.0))
    titles = [text_of(view, box).title for box in view.boxes[1:]]
    assert "runs on while any is true" in titles and "runs on while true" not in titles


def test_more_than_three_carried_values_are_one_box() -> None:
    view = build_view(trace(many, dict.fromkeys("abcdef", V)))
    texts = {(text.title, text.detail) for text in (text_of(view, b) for b in view.boxes[1:])}
    assert {("carry", "7 values"), ("next carry", "7 values")} <= texts


@pytest.mark.parametrize("make", [trace, lower, compile_module])
def test_arms_are_named_by_what_runs_for_that_predicate(make: Callable[..., Graph]) -> None:
    """Each arm holds the operation that JAX runs when the predicate is what the arm is called."""

    def program(p: jax.Array, x: jax.Array) -> jax.Array:
        return jax.lax.cond(p, lambda y: jnp.tanh(y) @ y, lambda y: jnp.sin(y) @ y, x)

    graph = make(program, True, V)
    flow = find_control_flow(graph)
    labels = {flow.arms[g]: g for g in flow.arms}
    assert set(labels) == {"true", "false"}
    for label, group in labels.items():
        value = program(jnp.asarray(label == "true"), V)
        runs = "tanh" if np.allclose(value, jnp.tanh(V) @ V) else "sin"
        inside = {
            graph.string(graph.nodes.operation, node)
            for node in range(len(graph.nodes))
            if group in groups_around(graph, node)
        }
        assert any(runs in operation for operation in inside), (label, inside)


def branching(rows: jax.Array) -> jax.Array:
    """The arm of true triples, the arm of false takes five times as much, in two loops."""

    def column(total: jax.Array, value: jax.Array) -> Any:
        more = jax.lax.cond(value > 0, lambda v: 3.0 * v, lambda v: 5.0 * v, value)
        return total + jnp.sin(more), None

    return jax.lax.scan(lambda t, row: (jax.lax.scan(column, t, row)[0], None), 0.0, rows)[0]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("make", [trace, lower, compile_module])
def test_arms_of_a_backward_part_have_the_names_of_the_forward_one(
    make: Callable[..., Graph],
) -> None:
    """Its index is the number that the predicate became in the forward part, stacked by two loops.

    Each arm holds the factor by which JAX differentiates for that predicate.
    """
    rows = jnp.ones((2, 3))
    gradient = jax.grad(branching)
    graph = make(gradient, rows)
    factors = {"true": gradient(rows)[0, 0] / jnp.cos(3.0), "false": 5.0}
    assert np.allclose(factors["true"], 3.0)
    flow = find_control_flow(graph)
    found: Counter[str] = Counter()
    for group, name in flow.arms.items():
        assert set(Predicates(graph).label(group).split()) & {name, f"{name}:"}, (
            "one name everywhere"
        )
        inside = [n for n in range(len(graph.nodes)) if group in groups_around(graph, n)]
        told = " ".join(str(graph.attributes(node)) for node in inside)
        assert re.search(rf"\b{float(factors[name]):.0f}\b", told), (name, told)
        found[name] += 1
    assert found == {"true": 2, "false": 2}
    assert set(flow.branches.values()) == {"predicate"}


def counted(x: jax.Array) -> Any:
    """The index is counted: it is 0 or 1 in some rounds, and no truth value."""

    def step(count: jax.Array, value: jax.Array) -> Any:
        return count + 1, jax.lax.switch(count, [jnp.sin, jnp.cos], value)

    return jax.lax.scan(step, 0, x)


NUMBERS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "given": (lambda i, x: jax.lax.switch(i, [jnp.sin, jnp.cos], x), (1, 2.0)),
    "counted": (counted, (V,)),
    "computed of a truth value": (
        lambda x: jax.lax.switch((x > 0).astype(int) * 2 - 1, [jnp.sin, jnp.cos], x),
        (2.0,),
    ),
}


@pytest.mark.parametrize("make", [trace, lower, compile_module])
@pytest.mark.parametrize("name", NUMBERS)
def test_an_index_that_is_no_truth_value_numbers_its_arms(
    name: str, make: Callable[..., Graph]
) -> None:
    function, arguments = NUMBERS[name]
    graph = make(function, *arguments)
    names = set(find_control_flow(graph).arms.values())
    assert names == {"branch 0", "branch 1"} or (make is compile_module and not names)


def groups_around(graph: Graph, node: int) -> list[int]:
    found, group = [], int(graph.nodes.group[node])
    while group >= 0:
        found.append(group)
        group = int(graph.groups.parent[group])
    return found


def test_arms_of_a_switch_are_numbered_and_the_identity_is_drawn() -> None:
    view = build_view(
        trace(lambda i, x: jax.lax.switch(i, [jnp.sin, lambda y: y, jnp.cos], x), 1, V)
    )
    (owner,) = view.choices
    arms = [view.boxes[child] for child in view.boxes[owner].children]
    assert [text_of(view, arm).title for arm in arms] == ["0: sin", "branch 1", "2: cos"]
    assert [len(arm.children) for arm in arms] == [2, 1, 2]
    scene = build_scene(view, view.all_groups())
    lefts = [scene.items.rect[scene.item_of_id[arm.id], 0] for arm in arms]
    tops = {scene.items.rect[scene.item_of_id[arm.id], 1] for arm in arms}
    assert lefts == sorted(lefts) and len(tops) == 1, "side by side, in order"
    assert "index i32[]" in scene.lines.types
    assert sum(text == "f32[6]" for text in scene.lines.types) and not any(
        re.match(r"\d ×", text) for text in scene.lines.types
    ), "one arm runs, so one value leaves"


def test_trips_of_compiled_loops_are_xlas_own() -> None:
    graph = compile_module(totals, 1.0, V)
    assert list(find_control_flow(graph).trips.values()) == [len(V)]
    view = build_view(graph)
    assert any("×6" in text_of(view, box).title for box in view.boxes[1:])
    compiled = compile_module(until, 9.0, 2.0)
    assert not find_control_flow(compiled).trips, "nobody knows how often it runs"


def segments(scene: Scene, line: int) -> list[tuple[float, float, float, float]]:
    corners = scene.lines.corners(line).tolist()
    return [(*a, *b) for a, b in itertools.pairwise(corners)]


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_arrows_lead_back_and_cross_no_box(name: str, direction: str) -> None:
    function, arguments = PROGRAMS[name]
    view = build_view(trace(function, *arguments))
    opened = frozenset(
        box.id for box in view.boxes[1:] if box.children and text_of(view, box).title[:2] != "ca"
    )
    scene = build_scene(view, opened, direction=direction)
    back = np.flatnonzero(scene.lines.is_return).tolist()
    assert back
    items = scene.items
    for line in back:
        source, target = int(scene.lines.source[line]), int(scene.lines.target[line])
        assert items.parent[source] == items.parent[target] != -1
        begin, end = scene.lines.corners(line)[[0, -1]]
        for (x, y), item in ((begin, source), (end, target)):
            left, top, wide, high = items.rect[item].tolist()
            assert left - 0.1 <= x <= left + wide + 0.1 and top - 0.1 <= y <= top + high + 0.1
        frame = items.rect[items.parent[source]]
        for x0, y0, x1, y1 in segments(scene, line):
            assert x0 == pytest.approx(x1) or y0 == pytest.approx(y1)
            low, high_ = np.array([min(x0, x1), min(y0, y1)]), np.array([max(x0, x1), max(y0, y1)])
            assert (low >= frame[:2]).all() and (high_ <= frame[:2] + frame[2:]).all()
            others = np.flatnonzero(items.parent == items.parent[source])
            rects = items.rect[others]
            inside = (high_ > rects[:, :2] + 0.5) & (low < rects[:, :2] + rects[:, 2:] - 0.5)
            assert not inside.all(axis=1).any(), "an arrow runs through a box"


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("is_reversed", [False, True])
def test_an_arrow_leads_back_on_the_side_where_it_crosses_no_line(
    side: int, is_reversed: bool
) -> None:
    """A line passes both ends of the carry on one side; a box stands beside it on the other."""
    middle, y = 150.0, (60.0, 140.0, 60.0)
    line = ((middle + side * 80, 0.0), (middle + side * 80, 200.0))
    if is_reversed:
        y = (140.0, 60.0, 140.0)
    drawing = Drawing((middle, middle, middle - side * 100), y, (line,), (), 300.0, 200.0)
    sizes = [(80.0, 40.0)] * 3
    carries = [Carry(11, 10, 0, "c")]
    _, (arrow,) = add_returns(drawing, (10, 11, 12), sizes, carries, is_reversed=is_reversed)
    lane = arrow.route[2][0]
    assert (lane - arrow.route[0][0]) * side < 0


def rows_and_columns(x: jax.Array) -> jax.Array:
    """A loop in a loop, whose gradient keeps two arrays of each round."""

    def row(total: jax.Array, values: jax.Array) -> tuple[jax.Array, None]:
        def column(index: jax.Array, partial: jax.Array) -> jax.Array:
            value = values[index]
            return partial + jax.lax.cond(value > 0, jnp.sqrt, lambda v: 0.5 * v, value)

        return jax.lax.fori_loop(0, 7, column, total), None

    return jax.lax.scan(row, jnp.float32(0), x)[0]


def list_crossed_by_returns(scene: Scene) -> list[tuple[int, int]]:
    """The arrows that lead a carry back, and the lines that each of them crosses."""
    pieces = [segments(scene, line) for line in range(len(scene.lines))]
    found = []
    for back in np.flatnonzero(scene.lines.is_return).tolist():
        for line, theirs in enumerate(pieces):
            for (x0, y0, x1, _), (a0, b0, a1, b1) in itertools.product(pieces[back], theirs):
                if line != back and x0 != x1 and b0 != b1 and min(b0, b1) < y0 < max(b0, b1):
                    at = a0 + (a1 - a0) * (y0 - b0) / (b1 - b0)
                    if min(x0, x1) < at < max(x0, x1):
                        found.append((back, line))
    return found


@pytest.mark.sweep(1)
@pytest.mark.parametrize("room", [(833.0, 575.0), (834.0, 745.0), (1085.0, 1310.0)])
def test_arrows_back_cross_no_line_where_their_boxes_can_stand_outside(
    room: tuple[float, float],
) -> None:
    """What comes and what goes beside the carry, in first pictures of three sizes of the window."""
    view = build_view(trace(jax.grad(rows_and_columns), jnp.ones((5, 7))))
    scene = Arranger(view, Viewport(*room), "down").choose().scene
    assert scene.lines.is_return.any()
    assert not list_crossed_by_returns(scene)


def test_an_arrow_back_crosses_a_line_rather_than_that_two_more_cross_for_it() -> None:
    """Boxes of a pair go outward past others only where that costs no crossing."""
    # 0, 1, 2 in a row; each leads straight down to one of three ports of a wide box.
    links = [DiagramEdge(node, 3, node, 0.0, 60.0 * node - 60.0) for node in range(3)]
    sizes = [40.0, 40.0, 40.0, 200.0, 40.0], [20.0] * 5
    links.append(DiagramEdge(3, 4, 3))
    free = [DiagramEdge(node, 3, node) for node in range(3)] + links[3:]
    for given, is_first in ((links, False), (free, True)):
        x = layout_layered(Diagram(*sizes, given)).x
        (middle,) = set(range(3)) - {x.index(min(x[:3])), x.index(max(x[:3]))}
        drawing = layout_layered(Diagram(*sizes, given, outer=((middle, 4),)))
        assert count_crossings(drawing.routes) == 0
        assert (drawing.x[middle] in (min(drawing.x[:3]), max(drawing.x[:3]))) is is_first


def test_names_of_parameters_are_those_of_the_function() -> None:
    """An independent look: running the body with what it calls `total` changed changes the sum."""
    jaxpr = jax.make_jaxpr(totals)(1.0, V)
    (scan,) = equations(jaxpr.jaxpr, "scan")
    body = scan.params["jaxpr"]
    names = list(argument_names(scan, body.jaxpr))
    assert names[-2:] == ["total", "value"]
    values = [jnp.float32(1.0)] * len(names)
    run = jaxpr_as_fun(body)
    before = run(*values)[0]
    values[names.index("total")] += 10.0
    assert run(*values)[0] - before == pytest.approx(10.0)


def several(index: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Each arm gives two arrays; one of the arms is a branch itself."""
    arms = [
        lambda x: (jnp.sin(x), x + 1),
        lambda x: jax.lax.cond(x[0] > 0, lambda y: (y, y), lambda y: (y * 2, jnp.tan(y)), x),
        lambda x: (jnp.exp(x), jnp.cos(x)),
    ]
    one, other = jax.lax.switch(index, arms, x)
    return one * other, one - other


@pytest.mark.parametrize("make", [trace, lower, compile_module])
def test_a_line_out_of_a_branch_counts_the_values_of_one_arm(make: Callable[..., Graph]) -> None:
    view = build_view(make(several, 1, jnp.ones(4)))
    owners = {"switch, 3 branches", "case", "conditional"}
    for opened in (frozenset[str](), view.all_groups()):
        scene = build_scene(view, opened)
        told = {
            scene.lines.types[line]
            for line in range(len(scene.lines))
            if scene.items.titles[scene.lines.source[line]] in owners
            and scene.items.parent[scene.lines.source[line]] == NONE
            and scene.items.parent[scene.lines.target[line]] == NONE
        }
        assert told <= {"f32[4]", "2 × f32[4]", "2 values"}
        assert told


def test_a_cond_of_more_than_two_branches_is_called_a_switch() -> None:
    """JAX has one primitive for both, and `cond` makes two branches only: an inner one here."""
    view = build_view(trace(several, 1, jnp.ones(4)))
    told = {}
    for opened in (frozenset[str](), view.all_groups()):
        items = build_scene(view, opened).items
        told.update(zip(items.titles, items.details, strict=True))
    assert told["switch, 3 branches"].startswith("cond + ")
    assert told["cond"].startswith("+ ")
    two = build_view(trace(lambda i, x: jax.lax.switch(i, [jnp.sin, jnp.cos], x), 1, V))
    assert "cond" in build_scene(two, frozenset()).items.titles, "which of both made it is unknown"


def test_bytes_out_of_a_branch_are_those_of_one_arm() -> None:
    """Two arrays of four floats leave it, whichever arm runs."""
    view = build_view(compile_module(several, 1, jnp.ones(4)))
    wiring = Wiring(view, frozenset())
    wiring.find([ROOT])
    leaving = [
        wire.values
        for wire in wiring.wires[ROOT]
        if isinstance(wire.source, int) and view.boxes[wire.source].label == "conditional"
    ]
    assert max(map(len, leaving)) > 2
    told = {describe_values(view, wiring, values) for values in leaving}
    assert told == {f"2 values · {2 * 4 * 4} B"}


def test_arms_are_as_narrow_as_their_titles_and_say_what_they_hold_where_there_is_room() -> None:
    def wide(y: jax.Array) -> jax.Array:
        return jnp.sin(y) + jnp.cos(y) * jnp.tanh(y)

    view = build_view(trace(lambda i, x: jax.lax.switch(i, [jnp.sin, wide], x), 1, V))
    scene = build_scene(view, view.all_groups())
    items = scene.items
    arms = {items.titles[i]: i for i in range(items.num_frames) if items.titles[i] != "cond"}
    narrow, broad = (next(i for title, i in arms.items() if word in title) for word in "01")
    assert (items.details[narrow], items.details[broad]) == ("", "5 equations")
    assert items.rect[narrow, 2] < measure_header(items.titles[narrow], "1 equation")
    assert items.rect[broad, 2] >= measure_header(items.titles[broad], "5 equations")


def test_a_call_is_drawn_as_a_group_and_a_loop_with_its_inside_as_control_flow() -> None:
    """Open and closed, in a jaxpr as in StableHLO; a legend has no third name for them."""

    @jax.jit
    def inner(x: jax.Array) -> jax.Array:
        return jnp.sin(x) * jnp.cos(x) + x

    def program(x: jax.Array) -> jax.Array:
        y = inner(x) + inner(x * 2)
        return jax.lax.while_loop(lambda c: c.sum() < 9, lambda c: inner(c) + c * 2, y)

    for graph in (trace(program, V), lower(program, V)):
        view = build_view(graph)
        calls = loops = 0
        for opened in (frozenset[str](), view.all_groups()):
            scene = build_scene(view, opened)
            owners = scene.items.node.tolist()
            for item, owner in enumerate(owners):
                box = view.boxes[int(scene.items.box[item])]
                if not box.children or owner == NONE:
                    continue
                operation = graph.operation(owner)
                style, ground = scene.items.style[item], scene.items.ground[item]
                if "while" in operation:
                    loops += 1
                    assert style == Style.CONTROL
                    inside = [n for n, p in enumerate(scene.items.parent.tolist()) if p == item]
                    frames = [n for n in inside if n < scene.items.num_frames]
                    grounds = {int(scene.items.ground[n]) for n in frames if owners[n] == NONE}
                    assert grounds <= {CONTROL_FRAME}, "the body and the condition"
                    assert item >= scene.items.num_frames or ground == CONTROL_FRAME
                else:
                    calls += 1
                    assert operation.rpartition(".")[2] in ("jit", "pjit", "call"), operation
                    assert style == Style.GROUP and ground in (0, 1)
        assert calls > 1 and loops == 2


def _kernel(
    counts: Any, x_ref: Any, all_ref: Any, out_ref: Any, sum_ref: Any, scratch_ref: Any
) -> None:
    scratch_ref[...] = x_ref[...] * all_ref[0, 0]
    out_ref[...] = scratch_ref[...] + counts[0]
    sum_ref[...] = all_ref[...]


def _call_kernel(counts: jax.Array, x: jax.Array, y: jax.Array) -> Any:
    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(2, 3),
        in_specs=[pl.BlockSpec((2, 4), lambda i, j, _: (i, j)), pl.BlockSpec((4, 12))],
        out_specs=[pl.BlockSpec((2, 4), lambda i, j, _: (i, j)), pl.BlockSpec((4, 12))],
        scratch_shapes=[pltpu.VMEM((2, 4), jnp.float32)],
    )
    shape = jax.ShapeDtypeStruct((4, 12), jnp.float32)
    return pl.pallas_call(_kernel, out_shape=(shape, shape), grid_spec=spec)(counts, x, y)


def test_a_kernel_says_what_its_references_refer_to_and_how_often_it_runs() -> None:
    """Pallas hands over prefetched scalars, inputs, outputs and scratch, in this order."""
    x = jnp.ones((4, 12))
    view = build_view(trace(_call_kernel, jnp.ones(3, jnp.int32), x, x, paths=("counts", "x", "y")))
    texts = [text_of(view, box) for box in view.boxes]
    assert "pallas_call ×6" in [text.title for text in texts]
    assert {text.title: text.detail for text in texts if text.style is Style.PORT} == {
        "counts": "operand 0 · i32[3]",
        "x_ref": "block of operand 1 · f32[2,4]",
        "all_ref": "operand 2 · f32[4,12]",
        "out_ref": "block of result 0 · f32[2,4]",
        "sum_ref": "result 1 · f32[4,12]",
        "scratch_ref": "scratch memory · f32[2,4]",
    }
    titles = [text.title for text in texts]
    lines = {(titles[edge.source], titles[edge.target]) for edge in view.edges}
    assert {("counts", "counts"), ("x", "x_ref"), ("y", "all_ref")} <= lines


def test_an_unknown_number_of_steps_is_not_told() -> None:
    """The size of the grid is an operand, so that there are as many operands as references."""

    def doubled(size: jax.Array, x: jax.Array) -> Any:
        def kernel(x_ref: Any, out_ref: Any) -> None:
            out_ref[...] = x_ref[...] * 2

        block = pl.BlockSpec((2, 4), lambda i: (i, 0))
        call = pl.pallas_call(kernel, out_shape=x, grid=(size,), in_specs=[block], out_specs=block)
        return call(x)

    graph = trace(doubled, 2, jnp.ones((4, 4)), paths=("size", "x"))
    (label,) = (graph.group_label(group) for group in range(len(graph.groups)))
    refers = [graph.attributes(node).get("refers", "") for node in range(len(graph.nodes))]
    assert label == "pallas_call"
    assert list(filter(None, refers)) == ["block of operand 1", "block of result 0"]
    assert not any("operand" in graph.attributes(node) for node in range(len(graph.nodes)))


def written(spec: PartitionSpec) -> str:
    """Such as `P('x', None)`, in each release."""
    return f"P({str(spec).partition('(')[2]}"


MESH = AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto, AxisType.Auto))
P = PartitionSpec


def split(function: Callable[..., Any], in_specs: Any, out_specs: Any) -> Callable[..., Any]:
    return jax.shard_map(function, mesh=MESH, in_specs=in_specs, out_specs=out_specs)


def product(a: jax.Array, b: jax.Array, scale: jax.Array) -> jax.Array:
    summed = split(
        lambda a, b, scale: scale * jax.lax.psum(a @ b, "y"),
        (P("x", "y"), P("y", None), P()),
        P("x", None),
    )
    return summed(a, b, scale)


def all_rows(a: jax.Array) -> Any:
    return split(
        lambda a: (a * 2, jax.lax.psum(a, ("x", "y"))), P(("x", "y")), (P(("x", "y")), P())
    )(a)


def alike(a: jax.Array) -> jax.Array:
    return split(lambda a: jnp.sin(a) * 2, P(), P())(a)


SPLIT: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "product": (product, (jnp.ones((8, 6)), jnp.ones((6, 3)), 2.0)),
    "gradient": (
        jax.grad(lambda a, b: product(a, b, 2.0).sum(), (0, 1)),
        (jnp.ones((8, 6)), jnp.ones((6, 3))),
    ),
    "two axes": (all_rows, (jnp.ones((16, 3)),)),
    "alike": (alike, (V,)),
}


@pytest.mark.parametrize("name", SPLIT)
def test_a_shard_map_says_which_part_of_what_each_device_gets_and_gives(name: str) -> None:
    """The shapes are those that JAX cuts by the specification; what is not cut has no box."""
    function, arguments = SPLIT[name]
    expected: list[tuple[str, tuple[int, ...]]] = []
    for equation in equations(jax.make_jaxpr(function)(*arguments).jaxpr, "shard_map"):
        for whole, specs in (
            (equation.invars, equation.params["in_specs"]),
            (equation.outvars, equation.params["out_specs"]),
        ):
            for value, spec in zip(whole, specs, strict=True):
                shape = NamedSharding(MESH, spec).shard_shape(value.aval.shape)
                expected += [(written(spec), shape)] if shape != value.aval.shape else []
    view = build_view(trace(function, *arguments))
    told = []
    for box in view.boxes[1:]:
        role = view.flow.roles.get(box.node)
        if role in (Role.PIECE_IN, Role.PIECE_OUT) and not box.children:
            text = text_of(view, box)
            (shape,) = re.findall(r"^[a-z]+: f32\[([\d,]*)\]", text.detail)
            told.append((text.title, tuple(map(int, shape.split(",")))))
            assert text.style is Style.PORT
    assert Counter(told) == Counter(expected)
    assert bool(told) is (name != "alike")


def test_no_line_leads_a_whole_array_into_a_shard_map_that_splits_it() -> None:
    view = build_view(trace(product, *SPLIT["product"][1]))
    (around,) = (i for i, box in enumerate(view.boxes) if text_of(view, box).title == "shard_map")
    inside = set(view.boxes[around].children)
    pieces = {i for i in inside if view.boxes[i].node in view.flow.roles}
    entering = {(e.target in pieces, view.graph.strings[e.type]) for e in view.edges
                if e.source not in inside and e.target in inside}  # fmt: skip
    assert entering == {(True, "f32[8,6]"), (True, "f32[6,3]"), (False, "f32[]")}
    leaving = {(e.source in pieces, view.graph.strings[e.type]) for e in view.edges
               if e.source in inside and e.target not in inside}  # fmt: skip
    assert leaving == {(True, "f32[8,3]")}
    scene = build_scene(view, view.all_groups())
    tops = {int(box): scene.items.rect[at, 1] for at, box in enumerate(scene.items.box)}
    others = [tops[box] for box in inside - pieces]
    given = {e.source for e in view.edges if e.source in pieces and e.target not in inside}
    assert all(tops[box] < min(others) for box in pieces - given), "at the border by which it comes"
    assert all(tops[box] > max(others) for box in given)


def test_many_parts_are_one_box_in_each_direction() -> None:
    def double(*arrays: jax.Array) -> Any:
        return tuple(2 * each for each in arrays)

    function = split(double, (P("x"),) * 5, (P("x"),) * 5)
    view = build_view(trace(function, *[jnp.ones((4, n + 1)) for n in range(5)]))
    told = [(text_of(view, box).title, text_of(view, box).detail) for box in view.boxes[1:]]
    assert {("parts in", "5 values"), ("parts out", "5 values")} <= set(told)
