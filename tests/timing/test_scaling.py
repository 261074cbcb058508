"""Slopes, crossovers, ranges: exact values from made-up points."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import math
from xml.etree import ElementTree

import pytest

from jaxscope.errors import UsageError
from jaxscope.export.measurement_files import scaling_to_csv, scaling_to_json, scaling_to_svg
from jaxscope.model import Environment, Measurement, Ratio
from jaxscope.model.timing import ScalePoint, Scaling
from jaxscope.program.scaling import (
    calls_to_break_even,
    find_crossovers,
    fit_slope,
    fit_slopes,
    read_growth,
    read_scale,
    trimmed_pairs,
)
from jaxscope.report.document import write_text
from jaxscope.report.measurement_documents import scaling_to_document
from jaxscope.report.measurements import (
    describe_crossovers,
    describe_slope,
    scaling_table,
)
from jaxscope.worker.timing.scaling import describe_first_reading, find_cliffs

SIZES = (1, 2, 4, 8, 16, 32)
HERE = Environment("0.10.2", "0.10.2", "3.11", "cpu", "cpu")


def measured(name: str, seconds: float) -> Measurement:
    return Measurement(name, seconds, seconds * 0.9, seconds * 1.1, 0.95, 20, (seconds,), False)


def point(size: int, eager_s: float, jit_s: float) -> ScalePoint:
    ratio = eager_s / jit_s
    verdict = "faster" if ratio > 1.02 else "slower" if ratio < 0.98 else "same"
    return ScalePoint(
        size,
        measured("eager", eager_s),
        measured("jit", jit_s),
        Ratio("eager/jit", ratio, ratio * 0.99, ratio * 1.01, verdict),
        trace=0.5,
        lower=0.25,
        compile=0.25,
        flops=float(size**3),
    )


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0, 3.0])
def test_a_power_is_found_exactly(power: float) -> None:
    slope = fit_slope(SIZES, [5.0 * size**power for size in SIZES])
    assert slope is not None
    assert (slope.slope, slope.low, slope.high) == pytest.approx((power, power, power))
    assert slope.num_points == 6


def test_one_disturbed_reading_among_many_moves_nothing() -> None:
    values = [float(size) ** 2 for size in (*SIZES, 64, 128)]
    values[3] *= 50
    slope = fit_slope((*SIZES, 64, 128), values)
    assert slope is not None
    assert (slope.slope, slope.low, slope.high) == pytest.approx((2.0, 2.0, 2.0))


def test_unknown_values_are_left_out_and_too_few_give_no_slope() -> None:
    assert fit_slope((1, 2, 4), (1.0, math.nan, 4.0)) is None
    assert fit_slope((1, 2, 4, 8), (1.0, math.nan, 4.0, 8.0)).num_points == 3


@pytest.mark.parametrize("count", [3, 4, 5, 6, 7])
def test_the_coverage_of_the_interval_is_that_of_all_permutations(count: int) -> None:
    """Under equal values every order is as likely; so count the orders whose interval has zero."""
    outside, confidence = trimmed_pairs(count)
    orders = list(itertools.permutations(range(count)))
    covering = 0
    for order in orders:
        slopes = sorted(
            (order[j] - order[i]) / (j - i) for i in range(count) for j in range(i + 1, count)
        )
        covering += slopes[outside] <= 0 <= slopes[-1 - outside]
    assert confidence == pytest.approx(covering / len(orders))
    assert confidence >= 0.95 or outside == 0


def test_a_crossover_is_between_the_sizes_where_the_order_changes() -> None:
    points = [point(1, 1.0, 4.0), point(10, 2.0, 4.0), point(100, 16.0, 4.0)]
    (crossover,) = find_crossovers(points)
    assert (crossover.low, crossover.high) == (10, 100)
    assert (crossover.before, crossover.after) == ("eager", "jit")
    # From a ratio of 1/2 to one of 4: a third of the way on logarithmic axes.
    assert crossover.size == pytest.approx(10 * 10 ** (1 / 3))


def test_sizes_without_a_clear_order_decide_nothing() -> None:
    points = [point(1, 1.0, 2.0), point(2, 1.0, 1.0), point(4, 1.0, 2.0)]
    assert find_crossovers(points) == ()


def unclear(size: int) -> ScalePoint:
    measured_point = point(size, 2e-5, 1e-5)
    ratio = dataclasses.replace(measured_point.ratio, low=0.8, high=4.0, verdict="unclear")
    return dataclasses.replace(measured_point, ratio=ratio)


def described(*points: ScalePoint) -> str:
    return describe_crossovers(Scaling("f(x)", HERE, "n", points))


def test_a_verdict_says_at_how_many_sizes_it_is_known() -> None:
    clear = [point(size, 2e-5, 1e-5) for size in SIZES]
    assert described(*clear) == "jit is faster than eager at all 6 sizes; no crossover."
    assert described(clear[0], *map(unclear, SIZES[1:])) == (
        "The order is unclear at 5 of 6 sizes; jit is faster than eager at 1."
    )
    assert described(*clear[:4], *map(unclear, SIZES[4:])) == (
        "jit is faster than eager at 4 of 6 sizes; at the others the order is unclear."
    )


def test_where_the_order_is_unclear_nothing_pays_off() -> None:
    assert math.isnan(calls_to_break_even(unclear(8)))
    (row,) = scaling_table(Scaling("f(x)", HERE, "n", (unclear(8),))).texts()
    assert row[5] == "unclear"


def test_a_size_that_takes_far_longer_than_its_neighbours_is_measured_once_more() -> None:
    smooth = {size: {"jit": 1e-5 * size**2, "eager": 1e-3} for size in (1, 10, 100, 1000)}
    assert find_cliffs(smooth) == []
    for size in smooth:
        cliff = {**smooth, size: {"jit": smooth[size]["jit"] * 500, "eager": 1e-3}}
        assert size in find_cliffs(cliff)
    assert find_cliffs({1: {"jit": 1.0}, 2: {"jit": 900.0}}) == []  # nothing to compare with


def test_what_was_measured_twice_is_told_by_the_names_of_its_forms() -> None:
    medians = {"eager": 4.26e-05, "jit": 0.25}
    told = {preset: describe_first_reading(medians, preset) for preset in ("", "batch", "depth")}
    assert told[""] == "Measured twice; the first time eager 42.6 µs, jit 250 ms."
    assert told["batch"] == "Measured twice; the first time loop 42.6 µs, vmap 250 ms."
    assert told["depth"].endswith("unrolled 42.6 µs, scan 250 ms.")


def test_one_pair_has_no_range() -> None:
    ratio = Ratio("eager/jit", 2.0, 2.0, 2.0, "unclear", pairs=1)
    assert ratio.describe_range() == "observed 2.00"
    assert dataclasses.replace(ratio, pairs=2).describe_range() == "observed 2.00 to 2.00"


def test_noise_is_told_with_every_form_of_the_result() -> None:
    busy = dataclasses.replace(HERE, processors=2, processor_share=0.3)
    noisy = dataclasses.replace(measured("jit", 1e-3), is_noisy=True, confidence=math.nan)
    scaling = Scaling("f(x)", busy, "n", (ScalePoint(8, None, noisy),))
    told = "This process had a processor for 30% of the time it wanted one."
    assert told in write_text(scaling_to_document(scaling))
    assert told in scaling_to_svg(scaling)
    assert "noisy 1.00 ms (900 µs to 1.10 ms)" in write_text(scaling_to_document(scaling))
    (row,) = csv.DictReader(io.StringIO(scaling_to_csv(scaling)))
    assert (row["jit_noisy"], row["jit_confidence"]) == ("True", "")
    assert told in row["noise"]
    found = scaling_to_json(scaling)
    assert found["environment"]["processor_share"] == 0.3
    assert found["scaling"]["points"][0]["jit"]["confidence"] is None


def test_compiling_pays_off_after_so_many_calls() -> None:
    assert calls_to_break_even(point(1, 3.0, 1.0)) == pytest.approx(0.5)
    assert calls_to_break_even(point(1, 1.0, 3.0)) == math.inf
    assert math.isnan(calls_to_break_even(ScalePoint(1)))


@pytest.mark.parametrize(
    ("text", "vary", "sizes"),
    [
        ("x:0=64..512", "x:0", (64, 128, 256, 512)),
        ("n=1..100/3", "n", (1, 10, 100)),
        ("x:0,y:1=10..25", "x:0,y:1", (10, 20, 25)),
        ("params['w']:1=8..16", "params['w']:1", (8, 16)),
    ],
)
def test_ranges_are_read(text: str, vary: str, sizes: tuple[int, ...]) -> None:
    assert read_scale(text) == (vary, sizes)


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "x:0", "x:0=64", "x:0=64..", "x:0=9..3", "x:0=0..3", "x:0=1..9999999999"),
        *("x y=1..2", "n=1..8/1", "n=1..8/1000"),
    ],
)
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_scale(text)


def scaling() -> Scaling:
    points = (*(point(size, 2.0 * size, 1.0) for size in SIZES), ScalePoint(64, reason="It failed"))
    environment = Environment("0.10.2", "0.10.2", "3.11", "cpu", "cpu")
    return Scaling("f(x)", environment, "x:0", points, fit_slopes(points), find_crossovers(points))


def test_the_table_has_a_row_for_each_size_and_empty_cells_for_the_unknown() -> None:
    found = scaling()
    ratio = dataclasses.replace(found.points[0].ratio, confidence=0.95, pairs=20)
    points = (dataclasses.replace(found.points[0], ratio=ratio), *found.points[1:])
    found = dataclasses.replace(found, points=points)
    rows = list(csv.DictReader(io.StringIO(scaling_to_csv(found))))
    assert [row["size"] for row in rows] == ["1", "2", "4", "8", "16", "32", "64"]
    assert float(rows[0]["eager_median"]) == 2.0
    assert float(rows[0]["eager_confidence"]) == 0.95
    told = rows[0]["ratio_confidence"], rows[0]["ratio_pairs"], rows[0]["ratio_noisy"]
    assert (told, rows[0]["verdict"]) == (("0.95", "20", "False"), "faster")
    assert (rows[6]["eager_median"], rows[6]["ratio"], rows[6]["flops"]) == ("", "", "")
    assert rows[6]["reason"] == "It failed"


def test_an_order_that_not_all_pairs_have_says_how_many_have_it() -> None:
    found = scaling()
    ratio = Ratio("eager/jit", 2.0, 0.6, 9.0, "faster", pairs=24, agreeing=20)
    points = (dataclasses.replace(found.points[0], ratio=ratio), *found.points[1:])
    text = write_text(scaling_to_document(dataclasses.replace(found, points=points)))
    assert "faster in 20 of 24 pairs, observed 0.600 to 9.00" in text


def test_json_has_the_keys_of_a_timing_and_null_for_the_unknown() -> None:
    data = scaling_to_json(scaling())
    assert {"call", "environment", "measurements", "ratios", "warnings"} <= data.keys()
    assert data["scaling"]["points"][6]["flops"] is None
    assert data["scaling"]["points"][0]["jit"]["median"] == 1.0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_chart_is_a_picture_with_a_mark_for_every_value(theme: str) -> None:
    root = ElementTree.fromstring(scaling_to_svg(scaling(), "time", theme))
    titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "eager, 32: 64.0 s" not in titles  # over a minute it is said in minutes
    assert "eager, 32: 1.1 min" in titles
    assert sum(title.startswith("jit, ") for title in titles) == 6


@pytest.mark.parametrize(
    ("text", "names", "sizes"),
    [
        ("1..8", "", (1, 2, 4, 8)),
        ("x=1..4", "x", (1, 2, 4)),
        ("x+state['m']=2..4", "x+state['m']", (2, 4)),
        ("1..100/3", "", (1, 10, 100)),
    ],
)
def test_what_grows_is_read(text: str, names: str, sizes: tuple[int, ...]) -> None:
    assert read_growth(text) == (names, sizes)


@pytest.mark.parametrize("text", ["", "x", "1", "4..1", "x+=1..2", "1x=1..2", "x=1..2..3"])
def test_what_does_not_grow_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_growth(text)


def test_forms_are_called_by_their_names() -> None:
    forms = ("loop", "vmap")
    points = [point(1, 0.5, 1.0), point(4, 2.0, 1.0), point(16, 8.0, 1.0)]
    crossovers = find_crossovers(points, forms)
    found = dataclasses.replace(scaling(), forms=forms, crossovers=crossovers)
    assert "loop is faster up to 1, vmap from 4 on" in describe_crossovers(found)
    assert scaling_table(found).headers[1:6] == (
        *("loop", "vmap", "loop/vmap", "compile time of vmap", "compile time of loop"),
    )
    slope = fit_slope([1, 2, 4], [1.0, 2.0, 4.0], "first_compile")
    assert slope is not None
    assert describe_slope(slope, forms).startswith("compile time of loop grows like size^1")
