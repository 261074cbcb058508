"""What was measured is saved with a capture, comes back as it was, and is read with suspicion."""

from __future__ import annotations

import dataclasses
import json
import math
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.errors import SourceError
from jaxscope.model import Environment, Measurement, Ratio, Timing, Unavailable
from jaxscope.model.experiments import (
    Advice,
    Agreement,
    CompileLine,
    CompileSpan,
    CompileTime,
    KeyChange,
    LeafAgreement,
    ProgramComparison,
    Recompilation,
    RematPolicies,
    ResultsAgreement,
    Signature,
)
from jaxscope.model.hardware import Ceilings
from jaxscope.model.timing import NodeTime, NodeTimes, Profile, ScalePoint, Scaling, Slope, Timeline
from jaxscope.schema.archive import (
    LAB,
    SAVED_TYPES,
    decode_lab,
    encode_lab,
    load_saved,
    save_capture,
)

from .recorded import capture

HERE = Environment(
    *("0.10.2", "0.10.2", "3.11", "cpu", "cpu", "lab-pc", "2026-01-02T03:04:05"),
    load=0.5,
    processors=2,
    processor_share=0.99,
    busy_processors=0.1,
)
TIMED = Measurement(
    *("jit", 1e-3, 0.9e-3, math.inf, 0.95, 3, (1e-3, 2e-3), True),
    detail="cache hit",
    began=0.5,
    device_seconds=0.8e-3,
)
RATIO = Ratio("eager/jit", 3.0, 2.9, 3.1, "faster", 0.95, 12)
TIMING = Timing("f(x)", HERE, (TIMED,), (RATIO,), ("A warning.",))
NODES = NodeTimes("optimized", (NodeTime("dot", 2, 3e-6, 2e-6, 4e-6, 3e-6),), 30, 9e-6, 8e-6, 7e-6,
                  "How.")  # fmt: skip
TIMELINE = Timeline(
    ("dot", "add"),
    ("device 0 · thread 1",),
    np.array([0, 1], np.int32),
    np.array([0, 0], np.int32),
    np.array([1e-6, 4e-6]),
    np.array([3e-6, 1e-6]),
    returned=2e-6,
    wall=9e-6,
    covered=4e-6,
)
LEAF = LeafAgreement("[0]", "f32[3]", 3, 2, math.nan, 1e-7, math.inf, "[1]", "1.0", "1.1", 0)
RESULTS = (
    TIMING,
    Profile("f(x)", HERE, NODES, Unavailable("Not asked for."), ("Partial.",), TIMELINE),
    Scaling("f(x)", HERE, "x:0", (ScalePoint(8, None, TIMED, RATIO, reason="Too large."),),
            (Slope("jit", 1.0, 0.9, 1.1, 4, 8),)),
    Recompilation("f(x)", HERE, ("f(x)",), (
        Signature(0, "f", "f.py:1", "f(x)", ("x: f32[3]",), None,
                  (KeyChange("shape", "x", "f32[3]", "f32[4]"),), 0.1, math.nan, 0.4, True, 2, "",
                  None),), 0.5, (Advice("f", "shape", "Pad.", 0.5),)),
    ProgramComparison("f(x)", "g(x)", TIMING, ResultsAgreement("first", "second", (LEAF,))),
    CompileTime("f(x)", HERE, (CompileSpan("trace", "stage", -1, 0.5),
                               CompileSpan("f line 3", "line", 0, 0.5, "f.py", 3)),
                (CompileLine("f.py", 3, 0.5, 0.0, 7),), 7, 400, ("Use scan.",)),
    Agreement("f(x)", HERE, (ResultsAgreement("eager", "jit", (LEAF,), "Why."),), "jaxpr"),
)  # fmt: skip


def test_an_interval_that_an_earlier_release_claimed_of_one_process_is_not_shown() -> None:
    earlier = dataclasses.replace(HERE, load=None, processors=None)
    timing = dataclasses.replace(TIMING, environment=earlier)
    comparison = ProgramComparison(
        "f(x)", "g(x)", timing, ResultsAgreement("first", "second", (LEAF,))
    )
    scaling = dataclasses.replace(RESULTS[2], environment=earlier)
    found, compared, scaled = decode_lab(encode_lab([timing, comparison, scaling]))
    for each in (*found.measurements, *compared.timing.measurements, scaled.points[0].jit):
        assert math.isnan(each.confidence)
        assert (each.low, each.high) == (1e-3, 2e-3)
    assert math.isnan(found.ratios[0].confidence)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "measured.jaxscope"


def plain(results: tuple[object, ...]) -> dict[str, Any]:
    """Results by kind as JSON text has them: arrays and NaN do not compare."""
    return {type(result).__name__: json.dumps(LAB.write(result)) for result in results}


def test_every_result_comes_back_as_it_was(path: Path) -> None:
    save_capture(capture(), path, TIMING, RESULTS[1:])
    saved = load_saved(path)
    assert plain((saved.timing, *saved.lab)) == plain(RESULTS)


def test_where_and_when_is_the_measurements_own(path: Path) -> None:
    assert capture().environment != HERE
    save_capture(capture(), path, TIMING, RESULTS[1:])
    saved = load_saved(path)
    assert saved.timing.environment == HERE
    assert all(result.environment == HERE for result in saved.lab if hasattr(result, "environment"))


def test_a_capture_without_measurements_has_no_entry_for_them(path: Path) -> None:
    save_capture(capture(), path)
    assert "lab.json" not in zipfile.ZipFile(path).namelist()
    assert load_saved(path).lab == ()


def test_all_kinds_of_results_are_tried_here_or_hold_numbers_only() -> None:
    assert {*map(type, RESULTS), Ceilings, RematPolicies} == set(SAVED_TYPES)


def test_what_a_later_version_adds_is_left_out_and_what_is_missing_takes_its_default() -> None:
    entry = json.loads(encode_lab((TIMING,)))
    entry["results"][0]["mood"] = "sunny"
    del entry["results"][0]["ratios"][0]["pairs"]
    entry["results"].append({"is": "Horoscope"})
    (timing,) = decode_lab(json.dumps(entry).encode())
    assert timing.ratios[0].pairs == 0


def set_to(*keys: str | int, value: object) -> Callable[[Any], None]:
    def change(entry: Any) -> None:
        *path, last = keys
        for key in path:
            entry = entry[key]
        entry[last] = value

    return change


PROFILE_LINE = ("results", 1, "timeline")


@pytest.mark.parametrize(
    "change",
    [
        set_to("results", value={}),
        set_to("results", 0, "call", value=7),
        set_to("results", 0, "measurements", 0, "median", value="fast"),
        set_to("results", 0, "measurements", 0, "runs", value=1.5),
        set_to("results", 0, "environment", value=None),
        set_to("results", 1, "compiled", value={"is": "Path"}),
        set_to(*PROFILE_LINE, "name", value=[0, 2]),
        set_to(*PROFILE_LINE, "name", value=[0, 2**40]),
        set_to(*PROFILE_LINE, "lane", value=[0]),
        set_to(*PROFILE_LINE, "began", value=[0.0, None]),
    ],
)
def test_a_damaged_entry_is_refused_with_its_reason(
    path: Path, change: Callable[[Any], None]
) -> None:
    save_capture(capture(), path, None, RESULTS)
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    entry = json.loads(entries["lab.json"])
    change(entry)
    entries["lab.json"] = json.dumps(entry).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    with pytest.raises(SourceError, match="damaged") as refused:
        load_saved(path)
    assert refused.value.explanation.why


def test_a_timing_is_saved_whole() -> None:
    (back,) = decode_lab(encode_lab((TIMING,)))
    for field in dataclasses.fields(Measurement):
        assert str(getattr(back.measurements[0], field.name)) == str(getattr(TIMED, field.name))
