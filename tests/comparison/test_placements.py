"""The same program over devices in two ways: what lies otherwise is told in every form."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator

import pytest

from captures import taking
from comparison.conftest import Take
from jaxscope.export.diff import comparison_to_json
from jaxscope.export.diff_html import comparison_to_html
from jaxscope.model import Capture, Unavailable
from jaxscope.program.diff.captures import ComparedCapture, Comparison, compare_captures
from jaxscope.program.diff.quantities import compare_memory, find_cost_reason
from jaxscope.report.diff import comparison_to_document
from jaxscope.report.document import write_markdown, write_text

PROGRAM = """\
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

# jaxscope: f(spread(), f32[8, 4])

here = jax.make_mesh((2, 4), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def spread():
    return jax.device_put(jnp.ones((8, 4)), NamedSharding(here, SPEC))


def f(x, y):
    z = jax.lax.with_sharding_constraint(x * y, NamedSharding(here, SPEC))
    return jnp.sin(z)
"""
SPECS = {"rows": 'P("data", None)', "columns": 'P(None, "model")'}

Placed = Callable[[str], Capture]


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Placed]:
    """Captures the program with its array cut along rows or columns; each once."""
    folder = tmp_path_factory.mktemp("placements")
    with taking() as capture:

        def place(cut: str) -> Capture:
            path = folder / f"{cut}.py"
            path.write_text(PROGRAM.replace("SPEC", SPECS[cut]))
            return capture(path, target="cpu:8")

        yield place


@pytest.fixture(scope="module")
def turned(placed: Placed) -> Comparison:
    return compare_captures(
        ComparedCapture("rows", placed("rows")), ComparedCapture("columns", placed("columns"))
    )


def test_arguments_and_results_that_lie_otherwise_are_told_in_words(turned: Comparison) -> None:
    assert not isinstance(turned.placements, Unavailable)
    told = {each.name: (each.before, each.after) for each in turned.placements}
    rows, columns = (
        "dimension 0 in 2 along data; 4 copies",
        "dimension 1 in 4 along model; 2 copies",
    )
    assert told["argument x"] == (rows, columns)
    assert told["result"] == (rows, columns)
    assert "devices" not in told, "both run on the same eight"
    assert not turned.is_equal


def test_nodes_that_lie_otherwise_are_told_stage_by_stage(turned: Comparison) -> None:
    stage = turned.stage("stablehlo")
    assert stage is not None
    assert stage.placements
    before = {each.before for each in stage.placements}
    assert any("dimension 0 in 2 along data" in words for words in before)
    assert stage.verdict is False


def test_every_form_tells_it(turned: Comparison) -> None:
    line = "argument x: dimension 0 in 2 along data; 4 copies → dimension 1 in 4 along model"
    data = json.loads(json.dumps(comparison_to_json(turned), allow_nan=False))
    assert data["placements"]["unavailable"] is None
    assert data["placements"]["differences"][0] == {
        "what": "argument",
        "path": "x",
        "before": "dimension 0 in 2 along data; 4 copies",
        "after": "dimension 1 in 4 along model; 2 copies",
    }
    stages = {stage["key"]: stage["placements"] for stage in data["stages"]}
    assert stages["stablehlo"][0].keys() == {"first", "second", "before", "after"}
    document = comparison_to_document(turned)
    assert line in write_text(document)
    assert line in comparison_to_html(turned)
    assert line in write_markdown(document).replace("\\", "")
    assert "on other devices" in write_text(document).lower()


def test_a_program_lies_as_it_does_itself(placed: Placed) -> None:
    capture = placed("rows")
    same = compare_captures(ComparedCapture("one", capture), ComparedCapture("other", capture))
    assert same.placements == ()
    assert same.is_equal
    assert all(not stage.placements for stage in same.stages)
    assert "lie alike" in write_text(comparison_to_document(same))


def test_other_devices_are_another_placement(placed: Placed, take: Take) -> None:
    one = take("f(f32[8])")
    other = compare_captures(ComparedCapture("eight", placed("rows")), ComparedCapture("one", one))
    assert not isinstance(other.placements, Unavailable)
    assert other.placements[0].what == "devices"
    assert other.placements[0].before.startswith("8 devices")


def test_what_is_not_known_differs_from_nothing(placed: Placed) -> None:
    capture = placed("rows")
    silent = dataclasses.replace(capture, placement=Unavailable("It was not told."))
    compared = compare_captures(ComparedCapture("one", capture), ComparedCapture("other", silent))
    assert isinstance(compared.placements, Unavailable)
    assert compared.is_equal
    assert comparison_to_json(compared)["placements"] == {
        "unavailable": "It was not told.",
        "differences": [],
    }


def test_one_devices_part_is_not_held_against_the_whole(placed: Placed) -> None:
    """The same target, but the arguments of one side lie on one of its devices."""
    spread = placed("rows")
    alone = dataclasses.replace(spread, placement=Unavailable("It runs on one device."))
    reason = find_cost_reason(alone, spread, "optimized")
    assert reason is not None
    assert reason.reason.startswith("One runs on 1 device, the other on 8 devices")
    assert find_cost_reason(alone, spread, "hlo") is None
    assert find_cost_reason(spread, spread, "optimized") is None
    arguments, results, temporaries, reused, needed = compare_memory(spread, spread)
    parts = arguments.before + results.before + temporaries.before - reused.before
    assert parts == needed.before, "all is one device's part"
    assert "on one device" in arguments.meaning
