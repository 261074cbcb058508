"""A collective says its line, its equation and the shardings between which it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client import one_shot
from jaxscope.model import is_available
from jaxscope.model.capture import graph_named
from jaxscope.program.sharding import placement
from jaxscope.program.sharding.arrays import describe_sharding
from jaxscope.program.sharding.placement import NodeShardings, PlacementReport
from jaxscope.report.document import write_text
from jaxscope.report.sharding import placement_to_document, placement_to_json

SOURCE = """\
import jax, jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


def put(x, *spec):
    mesh = jax.make_mesh((2, 4), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
    return jax.device_put(x, NamedSharding(mesh, P(*spec)))


def mlp(x, w1, w2):
    h = jnp.tanh(x @ w1)
    y = h @ w2
    return jnp.sum(y**2)
"""
CALL = (
    "mlp(put(f32[16, 32], 'data'), put(f32[32, 64], 'data', 'model'), "
    "put(f32[64, 32], 'model', None))"
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> PlacementReport:
    path = tmp_path_factory.mktemp("standing") / "mlp.py"
    path.write_text(SOURCE)
    return PlacementReport(one_shot.capture(str(path), CALL, target="cpu:8"))


def test_equations_are_named_only_where_a_collective_stands_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "alone.py"
    path.write_text("def f(x):\n    return x * 2\n")
    alone = PlacementReport(one_shot.capture(str(path), "f(f32[3])"))
    assert alone.collectives == ()
    monkeypatch.setattr(placement, "short_equation_names", None)
    assert alone.standings == ()


def test_each_collective_has_a_line_an_equation_and_both_sides(report: PlacementReport) -> None:
    """The mesh splits contractions over `model` in line 12, and everything in line 13."""
    told = placement_to_json(report)["collectives"]
    sides = {
        each["line"]: (
            [value["spec"] for value in side["operands"]],
            [value["spec"] for value in side["results"]],
        )
        for each in told
        for side in each["between"]
    }
    assert sides[12] == (["P('data', 'model')", "P('model', None)"], ["P('data', None)"])
    assert sides[13][0] == ["P('data', None)"]
    assert sides[13][1] == ["P()"]
    gathered = [each for each in told if each["kind"] == "all-gather"]
    for each in gathered:  # w1 is put together along `data` before it is multiplied
        if each["line"] is None:  # XLA has the name of the argument alone, since 0.11
            assert not each["between"] and not each["equations"]
        else:
            assert (
                each["between"][0]["operands"][1]["spec"] == "P('data', 'model')"
                and each["line"] == 11
            )
    for each in told:
        assert each["line"] is None or (each["file"].endswith("mlp.py") and each["equations"])


def test_the_text_says_the_same(report: PlacementReport) -> None:
    text = write_text(placement_to_document(report))
    assert "dot_general · mlp.py:12" in text
    wanted = (
        "f32[16,64] P('data', 'model'), f32[64,32] P('model', None) → f32[16,32] P('data', None)"
    )
    assert f"stands between {wanted}" in text


def test_what_is_combined_says_all_of_its_equations(tmp_path: Path) -> None:
    """XLA sums both gradients over `data` in one all-reduce, which has the name of one."""
    path = tmp_path / "mlp.py"
    path.write_text(SOURCE)
    call = CALL.replace("mlp(", "grad(mlp, argnums=(1, 2))(").replace(
        "'data', 'model')", "None, 'model')"
    )
    report = PlacementReport(one_shot.capture(str(path), call, target="cpu:8"))
    found = placement_to_json(report)["collectives"]
    (combined,) = [each for each in found if each["axes"] == ["data"]]
    assert len(combined["equations"]) == 2
    assert [side["equation"] for side in combined["between"]] == combined["equations"]
    assert {side["line"] for side in combined["between"]} == {11, 12}
    text = write_text(placement_to_document(report))
    for side in combined["between"]:
        assert f"{combined['id']} ({side['text']}) stands between" in text


MANUAL = """\
import functools, jax, jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
auto = NamedSharding(mesh, P("x", "y"))


def all_axes(a):
    body = lambda b: jax.lax.psum(b, "x")
    return jax.shard_map(body, mesh=mesh, in_specs=P("x", "y"), out_specs=P(None, "y"))(a)


def one_axis(a):
    body = lambda b: jax.lax.psum(jnp.sin(b), "x")
    spread = jax.lax.with_sharding_constraint(a, auto)
    return jax.shard_map(
        body, mesh=mesh, in_specs=P("x"), out_specs=P(None), axis_names={"x"}
    )(spread)


def in_a_loop(a):
    def body(b):
        return jax.lax.fori_loop(0, 3, lambda _, c: jax.lax.psum(c, "y") / 4, b)

    return jax.shard_map(
        body, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False
    )(a)


def constrained(a):
    def body(b):
        here = NamedSharding(jax.sharding.get_abstract_mesh(), P(None, "y"))
        return jax.lax.with_sharding_constraint(jnp.sin(b), here)

    return jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})(a)


def twice(a):
    def inner(b):
        return jax.lax.psum(b, "y")

    def outer(b):
        return jax.shard_map(inner, in_specs=P(None, "y"), out_specs=P(), axis_names={"y"})(b)

    return jax.shard_map(outer, mesh=mesh, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})(a)
"""


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("call", "before", "after"),
    [
        (
            "all_axes",
            "manual over 'x', 'y', in_specs P('x', 'y')",
            "manual over 'x', 'y'",
        ),
        (
            "one_axis",
            "dimension 1 in 4 along y; manual over 'x'",
            "dimension 1 in 4 along y; manual over 'x'",
        ),
        ("in_a_loop", "manual over 'x', 'y'", "manual over 'x', 'y'"),
        ("twice", "manual over 'x', 'y', in_specs P(None, 'y')", "manual over 'x', 'y'"),
    ],
)
def test_inside_of_shard_map_the_manual_axes_are_told(
    tmp_path: Path, call: str, before: str, after: str
) -> None:
    path = tmp_path / "manual.py"
    path.write_text(MANUAL)
    report = PlacementReport(one_shot.capture(str(path), f"{call}(f32[4, 8])", target="cpu:8"))
    (told,) = placement_to_json(report)["collectives"]
    (side,) = told["between"]
    assert [value["spec"] for value in side["operands"]] == [before]
    assert [value["spec"] for value in side["results"]] == [after]


def test_what_is_stated_inside_of_shard_map_holds_beside_the_manual_axes(tmp_path: Path) -> None:
    """XLA's HLO has `{replicated}` at the sine, where Shardy's own text leaves it open."""
    path = tmp_path / "manual.py"
    path.write_text(MANUAL)
    capture = one_shot.capture(str(path), "constrained(f32[4, 8])", target="cpu:8")
    placement = capture.placement
    assert is_available(placement)
    shardings = NodeShardings(capture)
    told = set()
    for name in ("stablehlo", "hlo"):
        graph = graph_named(capture.stages, name)
        assert graph is not None
        for node in range(len(graph.nodes)):
            if "sharding_constraint" in graph.operation(node) or graph.operation(node) == "sine":
                told |= {
                    describe_sharding(value.sharding, placement.axes, 8)
                    for value in shardings.of(name, graph, node)
                }
    assert told == {"dimension 1 in 4 along y; manual over 'x'"}


def test_a_sum_that_stays_inside_is_whole_on_each_device(tmp_path: Path) -> None:
    """XLA writes no sharding of it, but a scalar cannot be cut."""
    path = tmp_path / "total.py"
    path.write_text(f"{SOURCE}\n\ndef shifted(x):\n    return x + jnp.sum(x * x)\n")
    call = "shifted(put(f32[16, 32], 'data'))"
    report = PlacementReport(one_shot.capture(str(path), call, target="cpu:8"))

    (told,) = placement_to_json(report)["collectives"]

    assert told["kind"] == "all-reduce"
    (side,) = told["between"]
    assert [value["spec"] for value in side["results"]] == ["P()"]
