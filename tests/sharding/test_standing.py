"""A collective says its line, its equation and the shardings between which it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client import one_shot
from jaxscope.program.sharding.placement import PlacementReport
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


def test_each_collective_has_a_line_an_equation_and_both_sides(report: PlacementReport) -> None:
    """The mesh splits contractions over `model` in line 12, and everything in line 13."""
    told = placement_to_json(report)["collectives"]
    sides = {
        each["line"]: (
            [value["spec"] for value in each["operands"]],
            [value["spec"] for value in each["results"]],
        )
        for each in told
    }
    assert sides[12] == (["P('data', 'model')", "P('model', None)"], ["P('data', None)"])
    assert sides[13][0] == ["P('data', None)"]
    assert sides[13][1] == ["P()"]
    gathered = [each for each in told if each["kind"] == "all-gather"]
    for each in gathered:  # w1 is put together along `data` before it is multiplied
        if each["line"] is None:  # XLA has the name of the argument alone, since 0.11
            assert not each["operands"] and not each["equations"]
        else:
            assert each["operands"][1]["spec"] == "P('data', 'model')" and each["line"] == 11
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
    assert ", and 1 more" in write_text(placement_to_document(report))
