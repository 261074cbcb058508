"""Every figure as SVG, PNG, CSV and JSON, with the values of its table."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
from xml.etree import ElementTree

import pytest

from jaxscope.export.figures import (
    ENDINGS,
    Figure,
    make_histogram,
    timeline_chart,
    waterfall_chart,
    write_figure,
)
from jaxscope.model import Environment, Measurement

from .test_timeline import RUN

HERE = Environment("0.10.2", "0.10.2", "3.11", "cpu", "cpu", "lab-pc", "2026-01-02T03:04:05")
CALL = "f(x) <&> 'f'"


def once(name: str, began: float, ended: float, detail: str = "") -> Measurement:
    seconds = ended - began
    return Measurement(
        *(name, seconds, seconds, seconds, 0.0, 1, (seconds,), False),
        protocol="Once.",
        detail=detail,
        began=began,
        ended=ended,
    )


def steady(name: str, *samples: float) -> Measurement:
    middle = sorted(samples)[len(samples) // 2]
    return Measurement(
        *(name, middle, min(samples), max(samples), 0.95, len(samples), samples, False),
        began=2.0,
        ended=4.0,
    )


MEASUREMENTS = (
    steady("jit", 1e-5, 1.1e-5, 1.2e-5, 3e-5),
    steady("eager", 1e-4, 1.1e-4, 1.2e-4, 9e-4),
    steady("dispatch", 5e-6, 5e-6, 6e-6),
    once("compile", 1.0, 1.5, "cache hit"),
    once("import", 0.0, 0.5),
    Measurement("transfer", 1e-5, 1e-5, 1e-5, 0.0, 1, (1e-5,), False),
)


def figures() -> list[Figure]:
    found = [
        waterfall_chart(CALL, MEASUREMENTS),
        timeline_chart(CALL, RUN),
        make_histogram(CALL, MEASUREMENTS[:2]),
    ]
    assert None not in found
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("figure", figures(), ids=["stages", "run", "distributions"])
def test_pictures_are_well_formed_in_both_themes(figure: Figure, theme: str) -> None:
    root = ElementTree.fromstring(write_figure(figure, ".svg", theme))
    said = " ".join("".join(element.itertext()) for element in root.iter())
    assert CALL in said
    assert write_figure(figure, ".png", theme).startswith(b"\x89PNG")


@pytest.mark.parametrize("figure", figures(), ids=["stages", "run", "distributions"])
def test_tables_and_data_hold_the_same_values(figure: Figure) -> None:
    head, *rows = csv.reader(io.StringIO(write_figure(figure, ".csv").decode()))
    data = json.loads(write_figure(figure, ".json", environment=HERE))
    assert [*data["columns"], "noise"] == head
    assert data["environment"]["host"] == "lab-pc"
    told = [["" if cell is None else str(cell) for cell in row] for row in data["rows"]]
    assert [[*row, ""] for row in told] == rows
    assert len(rows) == len(figure.table().rows) > 0


def test_unknown_numbers_are_empty_and_null() -> None:
    broken = waterfall_chart("f(x)", [once("trace", 0.0, 1.0)])
    assert broken is not None
    bar = broken.bars[0]
    object.__setattr__(bar, "value", math.nan)
    line = write_figure(broken, ".csv").decode().splitlines()[1]
    assert line == "trace,trace,0.0,1.0,,once,1,1.0,1.0,,,"
    assert json.loads(write_figure(broken, ".json"))["rows"][0][4] is None


@pytest.mark.parametrize("figure", figures(), ids=["stages", "run", "distributions"])
def test_a_table_tells_in_each_row_what_disturbed_it(figure: Figure) -> None:
    busy = dataclasses.replace(HERE, processors=2, processor_share=0.3)
    rows = csv.DictReader(io.StringIO(write_figure(figure, ".csv", environment=busy).decode()))
    for row in rows:
        assert row["noise"].startswith("Noisy: This process had a processor for 30%")


def test_a_table_of_stages_tells_how_sure_each_is() -> None:
    noisy = dataclasses.replace(steady("jit", 1e-5, 2e-5), is_noisy=True, confidence=math.nan)
    figure = waterfall_chart(CALL, (noisy, steady("eager", 1e-4, 2e-4), once("trace", 0.0, 1.0)))
    assert figure is not None
    rows = csv.DictReader(io.StringIO(write_figure(figure, ".csv").decode()))
    told = {row["what"]: (row["runs"], row["confidence"], row["noisy"]) for row in rows}
    assert told == {"jit": ("2", "", "noisy"), "eager": ("2", "0.95", ""), "trace": ("1", "", "")}


def test_there_is_no_other_form() -> None:
    with pytest.raises(ValueError, match=r"\.svg"):
        write_figure(figures()[0], ".bmp")
    assert set(ENDINGS) == {".svg", ".png", ".csv", ".json"}


def test_stages_stand_where_they_happened_and_parts_of_others_do_not() -> None:
    chart = waterfall_chart(CALL, MEASUREMENTS)
    assert chart is not None
    assert chart.row_names == ("import", "compile (cache hit)", "jit", "eager")
    assert [(bar.began, bar.ended) for bar in chart.bars[:2]] == [(0.0, 0.5), (1.0, 1.5)]
    assert [bar.value for bar in chart.bars] == [0.5, 0.5, 1.2e-5, 1.2e-4]
    assert "12.0 µs, 10.0 µs to 30.0 µs (95%)" in chart.bars[2].hint


def test_without_times_there_is_no_picture_of_stages() -> None:
    assert waterfall_chart("f(x)", MEASUREMENTS[-1:]) is None


def test_bins_are_even_on_a_logarithmic_axis_and_hold_every_call() -> None:
    histogram = make_histogram(
        "f(x)", [*MEASUREMENTS[:2], steady("gradient_jit", 0.0, 1.0, 1.0, 2.0)]
    )
    assert histogram is not None
    ratios = [b / a for a, b in zip(histogram.edges, histogram.edges[1:], strict=False)]
    assert ratios == pytest.approx([ratios[0]] * len(ratios))
    assert [sum(one.counts) for one in histogram.series] == [4, 4, 3]
    assert "1 reading of 0 s left out" in histogram.note
    first = next(i for i, count in enumerate(histogram.series[0].counts) if count)
    assert "jit" in histogram.describe_bin(first)
    assert histogram.describe_bin(10_000) == ""


def test_too_few_calls_make_no_distribution() -> None:
    assert make_histogram("f(x)", [steady("jit", 1e-5, 2e-5)]) is None


@pytest.mark.parametrize("figure", figures(), ids=["stages", "run", "distributions"])
def test_a_long_note_is_told_to_its_end(figure: Figure) -> None:
    note = "A note of very many words that has to go on. " * 12
    root = ElementTree.fromstring(write_figure(figure.with_note(note), ".svg"))
    lines = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert note.strip() in " ".join(lines)
    assert root.get("height") != ElementTree.fromstring(write_figure(figure, ".svg")).get("height")


def test_the_start_of_jax_is_no_steady_call() -> None:
    chart = waterfall_chart(CALL, [once("jax_start", 0.0, 1.0), once("import", 1.0, 2.0)])
    assert chart is not None
    assert [chart.kinds[bar.kind] for bar in chart.bars] == ["once", "once"]
