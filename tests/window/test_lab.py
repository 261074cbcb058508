"""The pages of the timing lab: what they ask for, what they show, what they write."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

from jaxscope.client.events import Failed, Finished
from jaxscope.client.requests import (
    AgreementRequest,
    ComparisonRequest,
    ProfileRequest,
    RecompilationRequest,
    Request,
    ScalingRequest,
)
from jaxscope.errors import Stopped
from jaxscope.model import Environment, Leaf, Measurement, Ratio, Timing, Unavailable
from jaxscope.model.experiments import (
    Agreement,
    KeyChange,
    LeafAgreement,
    ProgramComparison,
    Recompilation,
    ResultsAgreement,
    Signature,
)
from jaxscope.model.timing import NodeTime, NodeTimes, Profile, ScalePoint, Scaling
from jaxscope.program.scaling import find_crossovers, fit_slopes
from jaxscope.report.document import Number, Table
from jaxscope.ui.pages.scaling import propose_range
from jaxscope.ui.toolkit.result_table import ResultModel, ResultTable
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture

HERE = Environment("0.10.2", "0.10.2", "3.11", "cpu", "cpu")


def measured(name: str, seconds: float) -> Measurement:
    return Measurement(name, seconds, seconds * 0.9, seconds * 1.1, 0.95, 20, (seconds,), False)


def scaling(*sizes: int) -> Scaling:
    points = tuple(
        ScalePoint(
            size,
            measured("eager", size * 2e-5),
            measured("jit", 1e-4),
            Ratio("eager/jit", size / 5, size / 6, size / 4.5, "faster" if size > 5 else "slower"),
            flops=float(size),
        )
        for size in sizes
    )
    return Scaling(
        "f(x)", HERE, "x:0", points, fit_slopes(points), find_crossovers(points), ("It was noisy.",)
    )


@pytest.fixture
def lab(driver: Driver, source: Path) -> dict[str, Any]:
    """The page, after a call was captured."""
    driver.finish(driver.open(source), build_capture())
    return driver.window.pages


def cells(table: ResultTable, row: int) -> list[str]:
    model = table.rows
    return [str(model.data(model.index(row, column))) for column in range(model.columnCount())]


@pytest.mark.parametrize(
    ("page", "kind"),
    [("profile", ProfileRequest), ("agreement", AgreementRequest)],
)
def test_a_page_asks_about_the_call_in_the_bar(
    driver: Driver, lab: dict[str, Any], source: Path, page: str, kind: type[Request]
) -> None:
    lab[page].button.click()
    request = driver.wait_for(kind).request
    assert (request.file, request.call) == (str(source), "grad(f)(f32[3])")
    assert not lab[page].button.isEnabled()  # until this one is over


def test_sizes_are_read_and_nonsense_is_explained(driver: Driver, lab: dict[str, Any]) -> None:
    lab["scaling"].range.setText("x:0=9..3")
    lab["scaling"].button.click()
    assert "does not rise" in lab["scaling"].notes.text()
    lab["scaling"].range.setText("x:0=8..32")
    lab["scaling"].button.click()
    assert driver.wait_for(ScalingRequest).request.sizes == (8, 16, 32)


def test_without_a_range_the_first_dimension_of_the_call_is_varied(
    driver: Driver, lab: dict[str, Any]
) -> None:
    offered = lab["scaling"].range.placeholderText()
    assert offered.endswith(":0=1..24")
    lab["scaling"].button.click()
    request = driver.wait_for(ScalingRequest).request
    assert (request.vary, request.sizes) == (offered.split("=")[0], (1, 2, 4, 8, 16, 24))


def test_nothing_is_proposed_where_no_array_has_a_dimension() -> None:
    leaves = [Leaf("n", "'f32[8]'", 0, is_static=True), Leaf("rate", "f32[]", 4)]
    assert propose_range(leaves) == ""
    assert propose_range([*leaves, Leaf("w['a']", "f32[2,8]", 64)]) == "w['a']:0=1..16"
    tree = [Leaf("w['a']", "f32[2,8]", 64), Leaf("w['b']", "f32[8]", 32)]
    assert propose_range(tree) == ""
    batch = [*tree, Leaf("x", "f32[64,2]", 512), Leaf("y", "f32[64]", 256), Leaf("z", "f32[3]", 12)]
    assert propose_range(batch) == "x:0,y:0=8..512"


def test_scaling_is_shown_as_sentence_table_and_plot(driver: Driver, lab: dict[str, Any]) -> None:
    lab["scaling"].range.setText("x:0=1..64")
    lab["scaling"].button.click()
    driver.wait_for(ScalingRequest).tell(Finished(scaling(1, 4, 16, 64)))
    driver.wait_until(lambda: lab["scaling"].table.rows.rowCount() == 4)
    assert "eager is faster up to 4, jit from 16 on" in lab["scaling"].heading.text()
    assert "It was noisy." in lab["scaling"].notes.text()
    assert cells(lab["scaling"].table, 3)[0] == "64"
    plot = lab["scaling"].plot.plot
    for setter, name in ((plot.setXRange, "bottom"), (plot.setYRange, "left")):
        setter(0.0, 0.6)  # sizes of 1 to 4, as logarithms
        assert "(x" not in plot.getAxis(name).labelString(), "a factor that the ticks do not have"
    sizes = [math.log10(size) for size in (0.3, 1.0, 1.5, 2.0, 1000.0)]
    told = plot.getAxis("bottom").tickStrings(sizes, 1.0, 0.3)
    assert told == ["", "1", "", "2", "1,000"], "0.3 is no size of 0"


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("name", "beginning"),
    [("a.svg", b"<svg"), ("a.png", b"\x89PNG"), ("a.csv", b"size,"), ("a.json", b"{")],
)
def test_what_was_found_is_written_in_every_form(
    driver: Driver, lab: dict[str, Any], tmp_path: Path, name: str, beginning: bytes
) -> None:
    lab["scaling"].range.setText("x:0=1..64")
    lab["scaling"].button.click()
    driver.wait_for(ScalingRequest).tell(Finished(scaling(1, 4, 16, 64)))
    driver.wait_until(lab["scaling"].export.isEnabled)
    lab["scaling"].write(str(tmp_path / name))
    assert (tmp_path / name).read_bytes().startswith(beginning)


def test_a_stopped_experiment_shows_what_it_had(driver: Driver, lab: dict[str, Any]) -> None:
    lab["scaling"].range.setText("x:0=1..64")
    lab["scaling"].button.click()
    driver.wait_for(ScalingRequest).tell(Failed(Stopped("Stopped."), scaling(1, 4)))
    driver.wait_until(lambda: lab["scaling"].table.rows.rowCount() == 2)


def test_times_come_with_their_coverage(driver: Driver, lab: dict[str, Any]) -> None:
    times = (
        NodeTime("add.1", 1, 3e-6, 2e-6, 4e-6, 3e-6),
        NodeTime("dot", 2, 5e-6, 4e-6, 6e-6, 5e-6),
    )
    compiled = NodeTimes("optimized", times, 30, 10e-6, 9e-6, 8e-6, "How.")
    lab["profile"].button.click()
    found = Profile("grad(f)(f32[3])", HERE, compiled, Unavailable("Not asked for."))
    driver.wait_for(ProfileRequest).tell(Finished(found))
    driver.wait_until(lambda: lab["profile"].nodes.rows.rowCount() == 2)
    assert (
        "takes 10.0 µs; 80% of it is in what is listed, 2.00 µs are dispatch"
        in lab["profile"].heading.text()
    )
    assert cells(lab["profile"].nodes, 0)[4] == "dot"  # the costliest first
    lab["profile"].side.setCurrentIndex(1)
    assert "Not asked for." in lab["profile"].notes.text()


def test_recompilations_take_calls_from_lines_and_show_causes(
    driver: Driver, lab: dict[str, Any]
) -> None:
    lab["recompilation"].calls.setPlainText("f(f32[3])\n\n  f(f32[4])  \n")
    lab["recompilation"].button.click()
    run = driver.wait_for(RecompilationRequest)
    assert run.request.calls == ("f(f32[3])", "f(f32[4])")
    change = KeyChange("shape", "x", "f32[3]", "f32[4]")
    signatures = (
        Signature(0, "f", "f.py:1", "f()", (), None, (), 0.1, 0.1, 0.1, False, 1, "", None),
        Signature(
            1, "f", "f.py:1", "f()", (), 0, (change,), 0.1, math.nan, 0.4, False, 1, "", True
        ),
    )
    run.tell(Finished(Recompilation("f()", HERE, run.request.calls, signatures, 0.5)))
    driver.wait_until(lambda: lab["recompilation"].table.rows.rowCount() == 2)
    assert "1 recompilation: 500 ms" in lab["recompilation"].heading.text()
    assert "x: f32[3] → f32[4] (another shape)" in cells(lab["recompilation"].table, 1)


def test_the_calls_to_run_begin_with_the_call_in_the_bar(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
) -> None:
    """Then come the others that the file offers; what somebody typed is left alone."""
    offered = ("f(f32[3])", "f(f32[4])", "f(f32[5])")
    driver.finish(driver.open(source, offered), build_capture())
    window.call_bar.set_call("f(f32[4])")
    window.run_call()
    window.pages.show_page("recompilation")
    page = window.pages["recompilation"]
    assert page.calls.toPlainText() == "f(f32[4])\nf(f32[3])\nf(f32[5])"
    window.call_bar.set_call("f(f32[9])")
    window.run_call()
    assert page.calls.toPlainText() == "f(f32[9])\nf(f32[3])\nf(f32[4])\nf(f32[5])"
    page.calls.setPlainText("f(f32[7])")
    window.call_bar.set_call("f(f32[8])")
    window.run_call()
    assert page.calls.toPlainText() == "f(f32[7])"
    other = tmp_path / "other.py"
    other.write_text(source.read_text() + "\n# jaxscope: f(f32[2])\n")
    window.open_path(str(other))
    driver.wait_until(lambda: page.calls.toPlainText() == "f(f32[2])")
    page.calls.clear()
    window.run_call()
    assert page.calls.toPlainText() == "", "none are those that the file offers"


def test_a_comparison_needs_a_difference(driver: Driver, lab: dict[str, Any]) -> None:
    lab["versus"].button.click()
    assert "Nothing is different" in lab["versus"].notes.text()
    lab["versus"].side.options.setText("xla_cpu_enable_fast_math=true")
    lab["versus"].button.click()
    request = driver.wait_for(ComparisonRequest).request
    assert request.other_options == {"xla_cpu_enable_fast_math": "true"}
    assert request.call == "grad(f)(f32[3])"


def compared(*leaves: LeafAgreement) -> ProgramComparison:
    timing = Timing("f()", HERE, (), (), ("No time was taken.",))
    return ProgramComparison("f()", "g()", timing, ResultsAgreement("first", "second", leaves))


def test_why_nothing_was_compared_goes_with_the_form_and_with_the_next_comparison(
    driver: Driver, lab: dict[str, Any]
) -> None:
    page = lab["versus"]
    page.button.click()
    page.side.call.setText("f(x)")
    assert "Nothing is different" not in page.notes.text()
    page.button.click()
    equal = LeafAgreement("[0]", "f32[3]", 3, 0, 0.0, 0.0, 0.0, "", "", "", 0)
    driver.wait_for(ComparisonRequest).tell(Finished(compared(equal)))
    driver.wait_until(lambda: page.found is not None)
    heading = page.heading.text()
    assert "equal bit by bit" in page.notes.text() and "differ" not in heading
    page.side.call.clear()
    page.button.click()
    assert "Nothing is different" in page.notes.text() and page.heading.text() == heading
    page.side.rigorous.setChecked(True)
    page.side.call.setText("g(x)")
    assert "Nothing is different" not in page.notes.text()
    assert "equal bit by bit" in page.notes.text(), "the comparison that is shown is told again"


def test_the_heading_says_that_the_results_of_two_calls_differ(
    driver: Driver, lab: dict[str, Any]
) -> None:
    page = lab["versus"]
    page.side.call.setText("g(x)")
    page.button.click()
    worst = LeafAgreement("[0]", "f32[3]", 3, 2, 4.0, 1e-7, 1e-6, "[1]", "1.0", "1.1", 0)
    driver.wait_for(ComparisonRequest).tell(Finished(compared(worst)))
    driver.wait_until(lambda: page.found is not None)
    assert "first and second differ in 1 of 1 array, by 4 ULP at most" in page.heading.text()


def test_the_second_program_can_be_made_in_other_ways(driver: Driver, lab: dict[str, Any]) -> None:
    side = lab["versus"].side
    side.dtype.setCurrentText("bfloat16")
    side.remat.setCurrentText("dots_saveable")
    side.target.setCurrentText("cpu:4")
    side.donate.setText("x+y")
    side.variables.setText("XLA_FLAGS=--xla_cpu_multi_thread_eigen=false")
    side.rigorous.setChecked(True)
    lab["versus"].button.click()
    request = driver.wait_for(ComparisonRequest).request
    assert (request.dtype, request.other_dtype) == ("", "bfloat16")
    assert (request.other_remat, request.other_donate) == ("dots_saveable", "x+y")
    assert request.other_environment == {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
    assert request.rigorous
    assert request.needs_processes


def test_what_is_no_assignment_is_refused_in_words(driver: Driver, lab: dict[str, Any]) -> None:
    lab["versus"].side.variables.setText("XLA_FLAGS")
    lab["versus"].button.click()
    assert "XLA_FLAGS is no option" in lab["versus"].notes.text()


def test_a_table_of_what_was_not_compared_does_not_say_that_nothing_differs(
    driver: Driver, lab: dict[str, Any]
) -> None:
    reason = "One side has a result of the shape (), the other one of (64, 64)."
    found = Agreement("f()", HERE, (ResultsAgreement("eager", "jit", (), reason),), "jaxpr", (), 5)
    lab["agreement"].button.click()
    driver.wait_for(AgreementRequest).tell(Finished(found))
    table = lab["agreement"].results
    driver.wait_until(lambda: reason in table.notice.text)
    assert table.notice.text == f"eager against jit: not compared. {reason}"


def test_agreement_names_the_worst_in_words(driver: Driver, lab: dict[str, Any]) -> None:
    worst = LeafAgreement("[0]", "f32[3]", 3, 2, 4.0, 1e-7, 1e-6, "[1]", "1.0", "1.1", 0)
    found = Agreement("f()", HERE, (ResultsAgreement("eager", "jit", (worst,)),), "jaxpr", (), 5)
    lab["agreement"].button.click()
    driver.wait_for(AgreementRequest).tell(Finished(found))
    driver.wait_until(lambda: lab["agreement"].results.rows.rowCount() == 1)
    assert "differ in 1 of 1 array, by 4 ULP at most" in lab["agreement"].heading.text()
    assert "Each of 5 equations" in lab["agreement"].notes.text()


def test_rows_sort_by_the_numbers_behind_them(qtmodeltester: ModelTester) -> None:
    model = ResultModel()
    rows = [(Number(9e-6, "9 µs"), "b"), (Number(1e-3, "1 ms"), "a")]
    model.set_table(Table(("time", "name"), rows))
    qtmodeltester.check(model)
    model.sort(0, Qt.SortOrder.DescendingOrder)
    assert [model.row_text(row) for row in (0, 1)] == ["1 ms\ta", "9 µs\tb"]
    model.sort(1)
    assert model.row_text(0) == "1 ms\ta"
    assert model.to_csv() == "time,name\n1 ms,a\n9 µs,b\n"
