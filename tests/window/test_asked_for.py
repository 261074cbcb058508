"""Fates and fusions of large programs are worked out when somebody looks at them, not before."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jaxscope.client.requests import CaptureRequest
from jaxscope.model import Graph, is_available
from jaxscope.picture.tint.classes import ColourBy
from jaxscope.ui.pages.fusions import FusionsPage
from jaxscope.ui.pages.passes import PassesPage
from jaxscope.ui.selection import capture_facts
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import FILE, RecordedRun, build_capture

Look = Callable[[MainWindow], None]


class Work:
    """What was begun to be found, by name; none of it ends while `may_end` is not set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun: list[str] = []
        self.may_end = threading.Event()
        self.may_end.set()
        for name, call in (("fates", "find_tables"), ("fusions", "_find_fusions")):
            monkeypatch.setattr(capture_facts, call, self._watch(name, call))

    def _watch(self, name: str, call: str) -> Callable[..., Any]:
        work = getattr(capture_facts, call)

        def watched(*about: object) -> Any:
            self.begun.append(name)
            assert self.may_end.wait(30)
            return work(*about)

        return watched


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    return Work(monkeypatch)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every program is a large one."""
    monkeypatch.setattr(capture_facts, "_SMALL_NODES", 0)


def show(window: MainWindow, driver: Driver, source: Path, qtbot: QtBot) -> None:
    """Show a capture, until all is done that the window does by itself."""
    driver.finish(driver.open(source), build_capture())
    with qtbot.waitSignal(window.workspace.settled):
        pass
    window.make_unseen_pages()
    driver.wait_until(lambda: not window._unseen.isActive())
    qtbot.wait(50)


def run_again(window: MainWindow, driver: Driver) -> RecordedRun:
    before = driver.session.of_type(CaptureRequest)
    window.controller.run("grad(f)(f32[3])", "cpu")
    driver.wait_until(lambda: len(driver.session.of_type(CaptureRequest)) > len(before))
    return driver.session.of_type(CaptureRequest)[-1]


def node(window: MainWindow, stage: str, id: str) -> int:
    graph = window.workspace.selection.graph_of(stage)
    assert isinstance(graph, Graph) and is_available(graph)
    return graph.index_by_id[id]


def select(stage: str, *ids: str) -> Look:
    def look(window: MainWindow) -> None:
        nodes = [node(window, stage, id) for id in ids]
        window.workspace.selection.select_nodes(stage, nodes)

    return look


def point_at_stage(window: MainWindow) -> None:
    card = next(c for c in window.strip.cards if c.step and c.step.name == "optimized")
    QApplication.sendEvent(card, QEnterEvent(QPointF(), QPointF(), QPointF()))


def colour_by_fate(window: MainWindow) -> None:
    window.workspace.area.show_in_main("grad")
    window.workspace.colour_graphs(ColourBy.FATE)


def show_passes(window: MainWindow) -> None:
    select("grad", "0", "2")(window)  # the inspector tells the fates of none of several
    window.pages.show_page("passes")


def inspected(window: MainWindow) -> str:
    return window.workspace.inspector.page.toPlainText().replace("\u200b", "")


def page_of_fusions(window: MainWindow) -> str:
    page = window.pages["fusions"]
    assert isinstance(page, FusionsPage)
    return page.heading.text()


def page_of_passes(window: MainWindow) -> str:
    page = window.pages["passes"]
    assert isinstance(page, PassesPage)
    return page.fate.text()


def hint(window: MainWindow) -> str:
    return next(c for c in window.strip.cards if c.step and c.step.name == "optimized").toolTip()


def legend(window: MainWindow) -> str:
    for canvas in window.workspace.area.canvases():
        tint = canvas.tint_of(canvas.scene) if canvas.isVisible() and canvas.scene else None
        if tint is not None and canvas.isVisible():
            return f"{tint.note} {[tint.classes[i].name for i in tint.of_item if i >= 0]}"
    return ""


LOOKS = [
    pytest.param(select("grad", "1"), inspected, "fates", id="an equation"),
    pytest.param(select("optimized", "fusion"), inspected, "fusions", id="an instruction"),
    pytest.param(
        select("optimized", "fusion", "copy"), inspected, "fusions", id="two instructions"
    ),
    pytest.param(
        lambda window: window.pages.show_page("fusions"), page_of_fusions, "fusions", id="the page"
    ),
    pytest.param(show_passes, page_of_passes, "fates", id="the page of passes"),
    pytest.param(point_at_stage, hint, "fusions", id="the hint of a stage"),
    pytest.param(colour_by_fate, legend, "fates", id="colours"),
]


@pytest.mark.sweep(3)
@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(("look", "read", "what"), LOOKS)
def test_of_a_large_program_only_what_is_looked_at_is_worked_out(
    window: MainWindow,
    driver: Driver,
    source: Path,
    qtbot: QtBot,
    work: Work,
    look: Look,
    read: Callable[[MainWindow], str],
    what: str,
) -> None:
    show(window, driver, source, qtbot)
    assert work.begun == []
    work.may_end.clear()
    look(window)
    driver.wait_until(lambda: work.begun == [what])
    assert "being worked out …" in read(window)
    work.may_end.set()
    driver.wait_until(lambda: "being worked out" not in read(window))
    qtbot.wait(50)
    assert work.begun == [what]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("look", "read", "what"), LOOKS)
def test_in_the_end_the_same_is_said_of_large_programs_and_of_small_ones(
    window: MainWindow,
    driver: Driver,
    source: Path,
    qtbot: QtBot,
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
    look: Look,
    read: Callable[[MainWindow], str],
    what: str,
) -> None:
    said = []
    for most in (10_000, 0):
        work.begun.clear()
        monkeypatch.setattr(capture_facts, "_SMALL_NODES", most)
        if said:  # the same call once more
            window.workspace.selection.clear()
            window.pages.close_drawer()
            window.workspace.colour_graphs(ColourBy.FAMILY)
            run = run_again(window, driver)
        else:
            run = driver.open(source)
        driver.finish(run, build_capture())
        with qtbot.waitSignal(window.workspace.settled):
            pass
        if most:
            driver.wait_until(lambda: sorted(work.begun) == ["fates", "fusions"])
            driver.wait_until(lambda: window.workspace.fusions.report is not None)
        look(window)
        driver.wait_until(lambda: what in work.begun)
        driver.wait_until(lambda: read(window) and "being worked out" not in read(window))
        said.append(read(window))
    assert said[0] == said[1]


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    "look",
    [
        lambda window: window.workspace.selection.select_line(FILE, 5),
        lambda window: window.pages.show_page("notes"),
        select("grad", "0", "2"),
        lambda window: window.workspace.colour_graphs(ColourBy.FLOPS),
    ],
    ids=["a line", "another page", "several equations", "other colours"],
)
def test_where_neither_is_shown_neither_is_worked_out(
    window: MainWindow, driver: Driver, source: Path, qtbot: QtBot, work: Work, look: Look
) -> None:
    show(window, driver, source, qtbot)
    look(window)
    qtbot.wait(100)
    assert work.begun == []


@pytest.mark.usefixtures("large", "work")
def test_what_stays_selected_gets_the_fate_of_the_next_run(
    window: MainWindow, driver: Driver, source: Path, qtbot: QtBot
) -> None:
    """Nothing is selected anew, and the fates are found once the picture is there."""
    show(window, driver, source, qtbot)
    select("grad", "1")(window)
    driver.wait_until(lambda: "fate" in inspected(window))
    driver.wait_until(lambda: "being worked out" not in inspected(window))
    before = inspected(window)
    driver.finish(run_again(window, driver), build_capture())
    driver.wait_until(lambda: inspected(window) == before)
