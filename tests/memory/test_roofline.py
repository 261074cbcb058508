"""Work and traffic of kernels, lines and scopes; loops; ceilings measured and kept."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.client.experiment_collectors import CeilingsCollector
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import CalibrationRequest
from jaxscope.model import Capture, Environment, Unavailable
from jaxscope.model.hardware import Ceiling, Ceilings
from jaxscope.program.cost.attribution import CostChange, RowKind, find_cost_change
from jaxscope.program.cost.trip_counts import find_trip_counts
from jaxscope.program.fates.table import link_products
from jaxscope.program.roofline import Roofline, find_best, find_limit, find_roofline
from jaxscope.report.document import write_text
from jaxscope.report.roofline import (
    NO_CEILINGS,
    describe_conditions,
    describe_excess,
    describe_rows,
    roofline_table,
    roofline_to_document,
    roofline_to_json,
)
from jaxscope.schema.ceilings_file import store_ceilings, stored_ceilings
from jaxscope.wire.messages import Message

from .conftest import Take

HERE = Environment("0.10", "0.10", "3.11", "cpu", "cpu", host="here")


def make_ceilings(environment: Environment = HERE) -> Ceilings:
    return Ceilings(
        environment,
        Ceiling("matmul", "FLOP", 1e11, 9e10, 5, "A product."),
        Ceiling("stream", "bytes", 1e10, 9e9, 5, "A sum."),
    )


def roofline_of(capture: Capture) -> Roofline:
    found = find_roofline(capture.stage("optimized"))
    assert isinstance(found, Roofline)
    return found


def test_kernels_without_loops_add_up_to_xlas_count(take: Take) -> None:
    capture = take("grad(loss)([f32[64, 64]] * 4, f32[256, 64])")
    found, stage = roofline_of(capture), capture.stage("optimized")
    assert stage is not None
    assert sum(point.flops for point in found.kernels) == stage.cost.flops
    assert found.notes == ()


def test_a_loops_kernels_count_as_often_as_it_runs(take: Take) -> None:
    found = roofline_of(take("looped(f32[64, 64])"))
    product = max(found.kernels, key=lambda point: point.flops)
    assert product.rounds == 10
    assert product.flops == 10 * 2 * 64**3
    assert found.num_repeated > 0
    assert "count as often as these run" in found.notes[0]


def test_rows_say_that_what_is_in_a_branch_may_not_run(take: Take) -> None:
    found = roofline_of(take("branching(f32[64, 64])"))
    columns = ("runs", "FLOP/byte", "what", "name")
    rows = [
        [table.texts()[at][table.headers.index(name)] for name in columns]
        for table in (roofline_table(found.equations, None), roofline_table(found.lines, None))
        for at in range(len(table.rows))
    ]
    (line,) = [row for row in rows if row[2] == "line" and "programs.py" in row[3]]
    assert line[:2] == ["up to 1", "depends"]  # one product or two, of other bytes
    assert sum(row[0] == "up to 1" for row in rows if row[2] == "equation") >= 3  # the products


def test_lines_and_scopes_have_all_of_the_kernels_work(take: Take) -> None:
    found = roofline_of(take("grad(scanned)(f32[6, 64, 64], f32[128, 64])"))
    whole = sum(point.num_bytes for point in found.kernels)
    assert sum(point.num_bytes for point in found.lines) == pytest.approx(whole)
    assert sum(point.num_bytes for point in found.scopes) == pytest.approx(whole)
    work = max(found.lines, key=lambda point: point.flops)
    assert work.name == "programs.py:18"


def test_lines_and_scopes_are_counted_as_before_and_after_optimization(take: Take) -> None:
    capture = take("grad(loss)([f32[64, 64]] * 4, f32[256, 64])")
    found = find_roofline(link_products(capture), find_trip_counts(capture))
    assert isinstance(found, Roofline)
    pairs = ((RowKind.LINE, found.lines), (RowKind.SCOPE, found.scopes))
    for by, points in (*pairs, (RowKind.EQUATION, found.equations)):
        change = find_cost_change(capture, by)
        assert isinstance(change, CostChange)
        after = {row.name: row.after.cost for row in change.rows if row.after.nodes}
        assert {p.name: (p.flops, p.num_bytes) for p in points} == {
            name: (cost.flops, cost.bytes_accessed) for name, cost in after.items()
        }


def test_what_lies_on_the_chip_is_no_traffic_of_any_row(take: Take) -> None:
    stage = take("grad(loss)([f32[64, 64]] * 4, f32[256, 64])").stage("optimized")
    assert stage is not None
    assert not isinstance(stage.graph, Unavailable)
    strings = tuple("{1,0:S(1)}" if text == "{1,0}" else text for text in stage.graph.strings)
    moved = dataclasses.replace(stage.graph, strings=strings)
    before, found = find_roofline(stage), find_roofline(dataclasses.replace(stage, graph=moved))
    assert isinstance(before, Roofline) and isinstance(found, Roofline)
    whole = sum(point.num_bytes for point in found.kernels)
    assert whole < sum(point.num_bytes for point in before.kernels)
    for points in (found.lines, found.scopes, found.equations):
        assert sum(point.num_bytes for point in points) == pytest.approx(whole)


def test_a_loop_of_unknown_length_is_said_to_count_once(take: Take) -> None:
    capture = take("looped(f32[64, 64])")
    stage = capture.stage("optimized")
    assert stage is not None
    assert not isinstance(stage.graph, Unavailable)
    strings = tuple(
        "something" if text == "known_trip_count" else text for text in stage.graph.strings
    )
    graph = dataclasses.replace(stage.graph, strings=strings)
    found = find_roofline(dataclasses.replace(stage, graph=graph))
    assert isinstance(found, Roofline)
    assert found.num_unbounded == 1
    assert max(point.rounds for point in found.kernels) == 1
    assert "not known" in found.notes[0]


def test_unknown_work_is_left_out_and_counted(take: Take) -> None:
    stage = take("looped(f32[64, 64])").stage("optimized")
    assert stage is not None
    assert not isinstance(stage.graph, Unavailable)
    unknown = stage.graph.replace_nodes(cost=np.full_like(stage.graph.nodes.cost, np.nan))
    found = find_roofline(dataclasses.replace(stage, graph=unknown))
    assert isinstance(found, Roofline)
    assert found.kernels == ()
    assert found.uncounted
    assert found.lines == ()
    assert "are left out" in describe_rows(found)[-1]


def test_what_bounds_a_kernel(take: Take) -> None:
    point = max(roofline_of(take("looped(f32[64, 64])")).kernels, key=lambda p: p.flops)
    ceilings = make_ceilings()
    slow = dataclasses.replace(ceilings.bandwidth, best=1e8)
    slow_memory = dataclasses.replace(ceilings, bandwidth=slow)
    limit = find_limit(point, ceilings)
    assert (limit.kind, limit.best) == ("arithmetic", point.flops / 1e11)
    limit = find_limit(point, slow_memory)
    assert (limit.kind, limit.best) == ("memory", point.num_bytes / 1e8)
    assert math.isnan(find_limit(point, None).best)
    assert ceilings.ridge == 10.0


def test_text_and_json(take: Take) -> None:
    capture = take("looped(f32[64, 64])")
    found = roofline_of(capture)
    missing_ceilings = write_text(
        roofline_to_document(capture, found, None, "jaxscope roofline f.py --calibrate")
    )
    assert NO_CEILINGS in missing_ceilings
    assert "seconds measure it: jaxscope roofline f.py --calibrate" in missing_ceilings
    text = write_text(roofline_to_document(capture, found, make_ceilings()))
    assert "they meet at 10.0 FLOP/byte" in text
    report = json.loads(json.dumps(roofline_to_json(found, make_ceilings()), allow_nan=False))
    assert {point["limit"] for point in report["kernels"]} <= {"memory", "arithmetic"}
    assert report["kernels"][0]["seconds"] is None
    missing = Unavailable("It was not compiled.")
    assert "It was not compiled." in write_text(roofline_to_document(capture, missing, None))
    assert roofline_to_json(missing, None)["unavailable"] == "It was not compiled."


def test_ceilings_are_kept_per_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert stored_ceilings(HERE) is None
    store_ceilings(make_ceilings())
    assert stored_ceilings(HERE) == make_ceilings()
    assert stored_ceilings(dataclasses.replace(HERE, host="elsewhere")) is None
    (kept,) = (tmp_path / "jaxscope").iterdir()
    kept.write_text("{")
    assert stored_ceilings(HERE) is None


def test_a_busy_calibration_does_not_lower_a_peak(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    idle, busy = (
        dataclasses.replace(HERE, recorded_at=when, processors=2, busy_processors=others)
        for when, others in (("2026-01-01", 0.0), ("2026-02-02", 1.5))
    )
    first = calibrated(make_ceilings(), idle)
    assert store_ceilings(first) == first
    assert len(describe_conditions(first)) == 1
    slow = dataclasses.replace(
        first,
        environment=busy,
        arithmetic=Ceiling("matmul", "FLOP", 5e10, 4e10, 5, "", busy),
        bandwidth=Ceiling("stream", "bytes", 2e10, 1.9e10, 5, "", busy),
    )
    when, doubt = describe_conditions(slow)
    assert "2026-02-02; other programs kept 1.5 of 2 processors busy" in when
    assert "too low: measure again" in doubt
    kept = store_ceilings(slow)
    assert (kept.arithmetic, kept.bandwidth) == (first.arithmetic, slow.bandwidth)
    assert stored_ceilings(HERE) == kept
    assert "Arithmetic: the best of 5 runs, 2026-01-01" in describe_conditions(kept)[0]
    assert "Memory: the best of 5 runs, 2026-02-02" in describe_conditions(kept)[0]
    later = dataclasses.replace(slow, environment=dataclasses.replace(busy, recorded_at="2026-03"))
    again = describe_conditions(store_ceilings(later))[0]
    assert "What was measured 2026-03 was less: the best is kept." in again


def calibrated(ceilings: Ceilings, where: Environment) -> Ceilings:
    arithmetic, bandwidth = (
        dataclasses.replace(each, conditions=where)
        for each in (ceilings.arithmetic, ceilings.bandwidth)
    )
    return Ceilings(where, arithmetic, bandwidth)


def test_runs_that_differ_widely_make_a_peak_doubtful() -> None:
    ceilings = make_ceilings()
    assert "half of the runs" not in " ".join(describe_conditions(ceilings))
    slow = dataclasses.replace(ceilings.arithmetic, median=4e10)
    told = describe_conditions(dataclasses.replace(ceilings, arithmetic=slow))
    assert "Arithmetic: half of the runs took 2.50 times as long" in told[-1]


def test_what_was_measured_faster_is_no_bound(take: Take) -> None:
    capture = take("looped(f32[64, 64])")
    found, ceilings = roofline_of(capture), make_ceilings()
    limits = [find_limit(point, ceilings) for point in found.kernels]
    fast = [limit.best / 2 for limit in limits]
    timed = dataclasses.replace(
        found,
        kernels=tuple(
            dataclasses.replace(point, seconds=seconds)
            for point, seconds in zip(found.kernels, fast, strict=True)
        ),
    )
    for point, seconds in zip(timed.kernels, fast, strict=True):
        limit = find_limit(point, ceilings)
        assert (limit.kind, limit.best, limit.most) == ("", seconds, seconds)
    assert find_best(timed, ceilings).best == pytest.approx(find_best(found, ceilings).best / 2)
    assert f"{len(fast)} measured faster" in describe_excess(timed.kernels, ceilings)
    assert "measured too low" in write_text(roofline_to_document(capture, timed, ceilings))
    points = roofline_to_json(timed, ceilings)["kernels"]
    assert all(each["seconds_at_best"] <= each["seconds"] for each in points)
    assert all(each["measured_faster"] and each["limit"] is None for each in points)


def ceiling(**changes: Any) -> Message:
    fields = {"name": "matmul", "unit": "FLOP", "work": 1e9, "protocol": "", **changes}
    return Message("ceiling", fields, {"seconds": np.array([0.1, 0.2])})


@pytest.mark.parametrize(
    "message",
    [
        ceiling(name="guess"),
        ceiling(work=0.0),
        ceiling(work="much"),
        Message("ceiling", ceiling().fields, {"seconds": np.array([0.0])}),
        Message("ceiling", ceiling().fields, {"seconds": np.array([], np.float64)}),
        Message("ceiling", ceiling().fields, {}),
    ],
)
def test_impossible_ceilings_are_refused(message: Message) -> None:
    with pytest.raises(ValueError, match=r"malformed|column"):
        CeilingsCollector().take(message)


def test_half_a_calibration_is_none() -> None:
    collector = CeilingsCollector()
    collector.take(ceiling())
    assert collector.partial() is None
    with pytest.raises(ValueError, match="no ceilings"):
        collector.result()


def test_a_calibration_of_this_machine() -> None:
    found = ask(CalibrationRequest(), Ceilings)
    for measured in (found.arithmetic, found.bandwidth):
        assert measured.best >= measured.median > 1e6
        assert measured.runs >= 5
    assert "1024" in found.arithmetic.protocol
    conditions = found.arithmetic.conditions
    assert conditions.recorded_at
    assert conditions.processors == os.cpu_count()
    assert conditions.busy_processors is None or conditions.busy_processors >= 0
