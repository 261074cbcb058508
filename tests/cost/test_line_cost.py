"""What the lines of a source file cost."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl

from jaxscope.model import (
    Cost,
    Graph,
    GraphBuilder,
    GroupKind,
    NodeKind,
    Stage,
    Unavailable,
    is_available,
)
from jaxscope.model.graph_builder import add_attributes
from jaxscope.model.units import format_bytes, format_flops
from jaxscope.program.cost import lines
from jaxscope.program.cost.attribution import CostChange
from jaxscope.program.cost.equations import cost_equations
from jaxscope.program.cost.lines import LineCost, find_line_costs
from jaxscope.program.cost.work import find_work
from jaxscope.report.diff import describe_cost_change
from view.programs import trace

FILE = "/home/u/model.py"
LIBRARY = "/usr/lib/library.py"


def stage(builder: GraphBuilder) -> Stage:
    return Stage("jaxpr", "jaxpr", Unavailable("None."), builder.build(), Cost(), 0.0)


def add(builder: GraphBuilder, name: str, flops: float, *lines: tuple[str, int], group: int = -1):
    return builder.add_node(
        name, NodeKind.EQUATION, name, group=group, cost=(flops, flops * 4, 0.0),
        source=[(file, line, 0, "f") for file, line in lines],
    )  # fmt: skip


def test_a_node_counts_for_the_innermost_line_of_the_file() -> None:
    builder = GraphBuilder()
    add(builder, "dot", 30.0, (LIBRARY, 7), (FILE, 5), (FILE, 9))
    add(builder, "add", 10.0, (FILE, 9))
    add(builder, "unknown", math.nan, (FILE, 9))
    add(builder, "elsewhere", 60.0, (LIBRARY, 5))
    found = find_line_costs([stage(builder)], FILE)
    assert {line: cost.share for line, cost in found.items()} == {5: 0.3, 9: 0.1}
    of_what = "of the known FLOP of jaxpr"
    assert found[5].text == f"30.0% {of_what}: 30 FLOP, 120 B read and written"
    assert found[9].text == f"10.0% {of_what}: at least 10 FLOP, at least 40 B read and written"


def test_a_line_of_a_square_root_says_that_it_is_no_flop() -> None:
    """By XLA: what it counts of the same function alone is one transcendental an element."""

    def scaled(x: jax.Array) -> jax.Array:
        y = x * 2.0
        return jnp.sqrt(y)

    counted = jax.jit(jnp.sqrt).lower(jnp.ones(8)).compile().cost_analysis()
    assert isinstance(counted, dict)
    assert (counted.get("flops", 0.0), counted["transcendentals"]) == (0.0, 8.0)
    graph, _ = cost_equations(trace(scaled, jnp.ones(8)))
    traced = Stage("jaxpr", "jaxpr", Unavailable("None."), graph, Cost(), 0.0)
    costs = find_line_costs([traced], __file__)
    first = scaled.__code__.co_firstlineno
    assert {line - first: cost.share for line, cost in costs.items()} == {1: 1.0, 2: 0.0}
    assert costs[first + 2].text == (
        "0.0% of the FLOP of jaxpr: 0 FLOP, 64 B read and written, "
        "exp, sqrt and the like, which XLA counts apart"
    )


def test_a_line_whose_cost_nobody_knows_has_no_share_and_says_so() -> None:
    builder = GraphBuilder()
    builder.add_node("0", NodeKind.EQUATION, "qr", cost=(math.nan, 64.0, 0.0),
                     source=[(FILE, 5, 0, "f")])  # fmt: skip
    add(builder, "dot", 30.0, (FILE, 6))
    found = find_line_costs([stage(builder)], FILE)
    assert math.isnan(found[5].share)
    assert found[5].text == "FLOPs unknown, 64 B read and written"
    assert found[6].text.startswith("100.0% of the known FLOP of jaxpr: ")


def test_unknown_bytes_are_said_to_be_unknown() -> None:
    builder = GraphBuilder()
    builder.add_node("kernel", NodeKind.EQUATION, "pallas_call", cost=(8.0, math.nan, 0.0),
                     source=[(FILE, 2, 0, "f")])  # fmt: skip
    told = find_line_costs([stage(builder)], FILE)[2].text
    assert told == "100.0% of the FLOP of jaxpr: 8 FLOP, bytes unknown"


def test_a_kernel_counts_all_its_steps_where_one_of_its_equations_is_unknown() -> None:
    """By arithmetic: each of 24 steps multiplies two blocks and adds the product to the sums."""

    def kernel(a_ref: Any, b_ref: Any, sums_ref: Any) -> None:
        @pl.when(pl.program_id(2) == 0)
        def _() -> None:
            sums_ref[...] = jnp.zeros_like(sums_ref)

        sums_ref[...] += a_ref[...] @ b_ref[...]

    multiply = pl.pallas_call(
        kernel,
        grid=(4, 3, 2),
        in_specs=[
            pl.BlockSpec((16, 16), lambda i, j, k: (i, k)),
            pl.BlockSpec((16, 16), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((16, 16), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((64, 48), jnp.float32),
        interpret=True,
    )
    graph, cost = cost_equations(trace(multiply, jnp.ones((64, 32)), jnp.ones((32, 48))))
    whole = Stage("jaxpr", "jaxpr", Unavailable("None."), graph, cost, 0.0)
    dearest = max(find_line_costs([whole], __file__).values(), key=lambda line: line.share)
    product, sums = 2 * 64 * 48 * 32, 2 * 64 * 48
    moved = 24 * 16 * 16 * 4 * (2 + 2 + 3 + 3 + 2 + 2)  # three reads, a product, a sum, a write
    size, written = format_flops(product + sums), format_bytes(moved)
    assert f"FLOP of jaxpr: {size}, {written} read and written" in dearest.text


def test_a_loop_counts_once_and_for_the_lines_of_its_body() -> None:
    builder = GraphBuilder()
    scan = add(builder, "scan", 100.0, (FILE, 3))  # ten rounds of a body of ten
    body = builder.add_group("body", GroupKind.JAXPR, "body", owner=scan)
    add(builder, "mul", 8.0, (FILE, 4), group=body)
    add(builder, "exp", 2.0, (FILE, 5), group=body)
    add(builder, "sum", 100.0, (FILE, 7))
    shares = {k: cost.share for k, cost in find_line_costs([stage(builder)], FILE).items()}
    assert shares == pytest.approx({4: 0.4, 5: 0.1, 7: 0.5})


def test_a_loop_that_never_runs_costs_nothing() -> None:
    """By XLA: of the same function alone it counts nothing."""

    def doubled(x: jax.Array) -> jax.Array:
        y = jax.lax.fori_loop(3, 3, lambda _, y: y * 2.0, x)
        return y + 1.0

    counted = jax.jit(doubled).lower(jnp.ones(8)).compile().cost_analysis()
    graph, _ = cost_equations(trace(doubled, jnp.ones(8)))
    traced = Stage("jaxpr", "jaxpr", Unavailable("None."), graph, Cost(), 0.0)
    costs = find_line_costs([traced], __file__)
    first = doubled.__code__.co_firstlineno
    assert {line - first: cost.share for line, cost in costs.items()} == {2: 1.0}
    assert costs[first + 2].text.startswith(f"100.0% of the FLOP of jaxpr: {counted['flops']:.0f} ")


def test_the_lines_of_a_shared_jaxpr_say_that_it_is_called_more_often() -> None:
    """The other calls count for their lines; what has no line of the file is no such line."""
    builder = GraphBuilder()
    call = add(builder, "jit", 64.0, (FILE, 14))
    add(builder, "jit2", 64.0, (FILE, 15))
    group = builder.add_group("0/jaxpr", GroupKind.JAXPR, "act", owner=call)
    add(builder, "mul", 48.0, (FILE, 11), group=group)
    add(builder, "max", 16.0, (LIBRARY, 3), group=group)
    shown = stage(builder)
    assert is_available(shown.graph)
    graph = add_attributes(shown.graph, {call: {"shared_by": "jit2"}})
    found = find_line_costs([dataclasses.replace(shown, graph=graph)], FILE)
    assert {line: cost.share for line, cost in found.items()} == {11: 0.375, 14: 0.125, 15: 0.5}
    assert found[11].text.endswith(
        "for one of 2 calls of its function; the others count at the lines that make them"
    )
    assert "calls" not in found[14].text + found[15].text


def test_what_may_never_run_is_no_part_of_what_runs_at_least() -> None:
    builder = GraphBuilder()
    loop = add(builder, "while", math.nan, (FILE, 3))
    body = builder.add_group("body", GroupKind.JAXPR, "body", owner=loop)
    add(builder, "mul", 8.0, (FILE, 3), group=body)
    add(builder, "exp", 2.0, (FILE, 4), group=body)
    add(builder, "sum", 10.0, (FILE, 4))
    call = add(builder, "jit", math.nan, (FILE, 5))
    callee = builder.add_group("call", GroupKind.JAXPR, "call", owner=call)
    add(builder, "sin", 20.0, (FILE, 6), group=callee)
    add(builder, "callback", math.nan, (FILE, 6), group=callee)
    program = stage(builder)
    told = {k: cost.text.partition(": ")[2] for k, cost in find_line_costs([program], FILE).items()}
    assert told == {
        3: "8 FLOP, 32 B read and written, each time it runs",
        4: "10 FLOP, 40 B read and written, and more in a loop",
        6: "at least 20 FLOP, at least 80 B read and written",
    }
    assert is_available(program.graph)
    work = find_work(program.graph)  # the loop's round is in the most, and said to be
    assert (work.high.flops, work.num_unknown, work.num_unbounded) == (40.0, 1, 1)
    assert work.flops == "at least 40 FLOP, 1 loop counted once"


def branch(builder: GraphBuilder, *arms: tuple[float, int], line: int, inside: int = -1) -> int:
    """A `cond` at a line whose arms do so many FLOPs at a line each."""
    cond = builder.add_node(
        f"cond{line}", NodeKind.EQUATION, "cond", group=inside,
        cost=(math.nan, math.nan, 0.0), source=[(FILE, line, 0, "f")],
    )  # fmt: skip
    for number, (flops, at) in enumerate(arms):
        group = builder.add_group(
            f"{cond}/branches.{number}", GroupKind.JAXPR, "", parent=inside, owner=cond
        )
        add(builder, f"{cond}/{number}", flops, (FILE, at), group=group)
    return cond


def texts(shown: Stage) -> dict[int, str]:
    return {line: cost.text for line, cost in find_line_costs([shown], FILE).items()}


def test_of_the_arms_of_a_branch_one_counts() -> None:
    """Arms of 1 and 2 FLOP: at one line, at one beside 4 FLOP that always run, at two lines."""
    builder = GraphBuilder()
    branch(builder, (1.0, 3), (2.0, 3), line=3)
    branch(builder, (1.0, 4), (2.0, 4), line=4)
    add(builder, "mul", 4.0, (FILE, 4))
    branch(builder, (1.0, 6), (2.0, 7), line=5)
    found = find_line_costs([stage(builder)], FILE)
    of = "of the FLOP of jaxpr with the dearest branches"
    assert {line: cost.text for line, cost in found.items()} == {
        3: f"20.0% {of}: 1 FLOP to 2 FLOP, 4 B to 8 B read and written",
        4: f"60.0% {of}: 5 FLOP to 6 FLOP, 20 B to 24 B read and written",
        6: f"10.0% {of}: up to 1 FLOP, up to 4 B read and written",
        7: f"20.0% {of}: up to 2 FLOP, up to 8 B read and written",
    }


def test_arms_that_cost_the_same_are_not_shared_out_among_their_lines() -> None:
    builder = GraphBuilder()
    cond = branch(builder, (2.0, 4), (2.0, 5), line=3)
    both = branch(builder, (2.0, 6), (2.0, 6), line=6)
    shown = stage(builder)
    assert is_available(shown.graph)
    costs = shown.graph.nodes.cost.copy()
    costs[[cond, both]] = 2.0, 8.0, 0.0
    told = texts(dataclasses.replace(shown, graph=shown.graph.replace_nodes(cost=costs)))
    assert {line: text.partition(": ")[2] for line, text in told.items()} == {
        4: "up to 2 FLOP, up to 8 B read and written",
        5: "up to 2 FLOP, up to 8 B read and written",
        6: "2 FLOP, 8 B read and written",
    }


def test_an_arm_that_a_literal_index_rules_out_costs_nothing() -> None:
    builder = GraphBuilder()
    loop = add(builder, "while", math.nan, (FILE, 2))
    body = builder.add_group("body", GroupKind.JAXPR, "body", owner=loop)
    cond = branch(builder, (1.0, 3), (2.0, 3), line=3, inside=body)
    add(builder, "sum", 3.0, (FILE, 5))
    shown = stage(builder)
    assert is_available(shown.graph)
    graph = add_attributes(shown.graph, {cond: {"in[0]": "1:i32[]"}})
    of = "of the FLOP of jaxpr, each while loop once"
    assert texts(dataclasses.replace(shown, graph=graph)) == {
        3: f"40.0% {of}: 2 FLOP, 8 B read and written, each time it runs",
        5: f"60.0% {of}: 3 FLOP, 12 B read and written",
    }
    work = find_work(graph)
    assert work.low == work.high == Cost(5.0, 20.0, 0.0)


def test_of_a_linear_solve_only_the_solve_runs() -> None:
    """`matvec` is for its derivatives: lines of a real solve, by the sizes of its arrays."""

    def solve(a: jax.Array, b: jax.Array) -> jax.Array:
        return jax.lax.custom_linear_solve(
            lambda vector: a @ vector,
            b,
            lambda _, right: jnp.tanh(right) * 2.0,
        )

    graph, _ = cost_equations(trace(solve, jnp.ones((8, 8)), jnp.ones(8)))
    shown = Stage("jaxpr", "jaxpr", Unavailable("None."), graph, Cost(), 0.0)
    first = solve.__code__.co_firstlineno
    costs = find_line_costs([shown], __file__)
    assert {line - first: cost.text for line, cost in costs.items()} == {
        4: "100.0% of the FLOP of jaxpr: 8 FLOP, 132 B read and written"
    }


def test_a_scan_around_a_branch_counts_all_its_rounds() -> None:
    """What the scan costs is not known, yet how often it runs is; a loop in it says one round."""
    builder = GraphBuilder()
    scan = add(builder, "scan", math.nan, (FILE, 2))
    body = builder.add_group("body", GroupKind.JAXPR, "body", owner=scan)
    branch(builder, (1.0, 3), (2.0, 3), line=3, inside=body)
    add(builder, "mul", 4.0, (FILE, 4), group=body)
    loop = add(builder, "while", math.nan, (FILE, 5), group=body)
    deep = builder.add_group("deep", GroupKind.JAXPR, "deep", parent=body, owner=loop)
    add(builder, "exp", 1.0, (FILE, 6), group=deep)
    shown = stage(builder)
    assert is_available(shown.graph)
    graph = add_attributes(shown.graph, {scan: {"length": "10"}})
    told = texts(dataclasses.replace(shown, graph=graph))
    assert {line: text.partition(": ")[2] for line, text in told.items()} == {
        3: "10 FLOP to 20 FLOP, 40 B to 80 B read and written",
        4: "40 FLOP, 160 B read and written",
        6: "1 FLOP, 4 B read and written, each time it runs",
    }


def test_an_arm_that_is_shown_at_another_branch_is_said_to_be_unknown() -> None:
    builder = GraphBuilder()
    branch(builder, (1.0, 4), (9.0, 5), line=3)
    second = branch(builder, (2.0, 6), line=6)
    shown = stage(builder)
    assert is_available(shown.graph)
    calls = f"{second}/branches.0, 0/branches.1"
    graph = add_attributes(shown.graph, {second: {"shares": "0/branches.1", "calls": calls}})
    told = texts(dataclasses.replace(shown, graph=graph))
    assert told[6].endswith(": FLOPs unknown, bytes unknown")
    taken = add_attributes(graph, {second: {"in[0]": "0:i32[]"}})
    told = texts(dataclasses.replace(shown, graph=taken))
    assert told[6].endswith(": 2 FLOP, 8 B read and written")


def test_what_is_known_in_part_is_at_least_what_the_cheapest_branches_do() -> None:
    after, before = Cost(3.0, 12.0, 0.0), Cost(6.0, 24.0, 0.0)
    change = CostChange((), before, after, (), (Cost(5.0, 20.0, 0.0), Cost(1.0, 4.0, 0.0)), (0, 1))
    assert describe_cost_change(change).startswith(
        "Optimizing turned 5 FLOP to 6 FLOP into at least 1 FLOP, and 20 B to 24 B read and "
        "written into at least 4 B"
    )


def test_what_a_call_into_a_library_costs_counts_for_the_line_of_the_call() -> None:
    builder = GraphBuilder()
    call = add(builder, "jit", 90.0, (FILE, 3))
    body = builder.add_group("normal", GroupKind.JAXPR, "normal", owner=call)
    inner = add(builder, "pjit", 60.0, group=body)
    deepest = builder.add_group("uniform", GroupKind.JAXPR, "uniform", parent=body, owner=inner)
    add(builder, "random_bits", 60.0, (LIBRARY, 7), group=deepest)
    add(builder, "mul", 30.0, group=body)
    add(builder, "sum", 10.0, (FILE, 5))
    shares = {k: cost.share for k, cost in find_line_costs([stage(builder)], FILE).items()}
    assert shares == pytest.approx({3: 0.9, 5: 0.1})


def test_bytes_stand_in_where_nothing_is_calculated() -> None:
    builder = GraphBuilder()
    builder.add_node("copy", NodeKind.EQUATION, "copy", cost=(0.0, 64.0, 0.0),
                     source=[(FILE, 2, 0, "f")])  # fmt: skip
    assert find_line_costs([stage(builder)], FILE)[2].share == 1.0


def test_nothing_is_said_where_nothing_is_known() -> None:
    builder = GraphBuilder()
    add(builder, "mystery", math.nan, (FILE, 2))
    assert find_line_costs([stage(builder)], FILE) == {}
    assert find_line_costs([], FILE) == {}


def timed(builder: GraphBuilder, name: str, **seconds: float) -> Stage:
    graph = builder.build()
    times = [
        seconds.get(graph.string(graph.nodes.operation, node), math.nan)
        for node in range(len(graph.nodes))
    ]
    measured = graph.replace_nodes(seconds=np.array(times))
    return Stage(name, name, Unavailable("None."), measured, Cost(), 0.0)


def test_measured_times_stand_beside_the_costs_of_their_lines() -> None:
    traced, compiled = GraphBuilder(), GraphBuilder()
    add(traced, "dot", 30.0, (FILE, 5))
    add(compiled, "fusion", 30.0, (LIBRARY, 2), (FILE, 5))
    add(compiled, "copy", 0.0, (FILE, 8))
    add(compiled, "stray", 0.0, (LIBRARY, 8))
    add(compiled, "unmeasured", 0.0, (FILE, 9))
    stages = stage(traced), timed(compiled, "optimized", fusion=0.006, copy=0.003, stray=0.001)
    found = find_line_costs(stages[:1], FILE, stages)
    assert sorted(found) == [5, 8]
    assert (found[5].share, found[5].seconds, found[5].time_share) == pytest.approx(
        (1.0, 0.006, 0.6)
    )
    assert found[5].text == (
        "100.0% of the FLOP of jaxpr: 30 FLOP, 120 B read and written; "
        "60.0% of the measured time of optimized: 6.00 ms"
    )
    assert math.isnan(found[8].share)
    assert found[8].text == "30.0% of the measured time of optimized: 3.00 ms"


def test_where_nothing_was_measured_no_line_has_a_time() -> None:
    builder = GraphBuilder()
    add(builder, "dot", 30.0, (FILE, 5))
    cost = find_line_costs([stage(builder)], FILE, [stage(builder)])[5]
    assert math.isnan(cost.seconds)
    assert math.isnan(cost.time_share)
    assert "time" not in cost.text


def test_a_stage_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    builder = GraphBuilder()
    add(builder, "mul", 10.0, (FILE, 3))
    one, find, found = stage(builder), lines._costs_of, list[str]()

    def note(graph: Graph, title: str, file: str) -> dict[int, LineCost]:
        found.append(title)
        return find(graph, title, file)

    note.__name__ = find.__name__
    monkeypatch.setattr(lines, "_costs_of", note)
    first = find_line_costs([one], FILE)
    other = dataclasses.replace(one, seconds=1.0)  # as when something else was learnt of it
    assert find_line_costs([other], FILE) == first
    assert found == ["jaxpr"]
    assert find_line_costs([one], LIBRARY) == {}
