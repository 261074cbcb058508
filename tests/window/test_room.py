"""How the window's room is used: the program's graph is large, and little stands around it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLineEdit,
    QTabBar,
    QTextBrowser,
    QWidget,
)
from pytestqt.qtbot import QtBot

from jaxscope.client.events import Output
from jaxscope.model import Leaf
from jaxscope.model.capture import Device, Placement
from jaxscope.ui.application import build_window
from jaxscope.ui.panes.pane_area import FIRST_ARRANGEMENT, WIDE_ARRANGEMENT, parse_arrangement
from jaxscope.ui.panes.ribbon import RibbonSplitter
from jaxscope.ui.panes.stage_pane import StagePane
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.source.code_view import CodeView
from jaxscope.ui.window import workspace
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.pipeline_strip import PipelineLabel
from jaxscope.ui.window.settings import Settings

from .conftest import Driver, destroy
from .programs import RecordedSession, build_capture

LEAST_SHARE, MOST_CONTROLS, MOST_TABS = 0.55, 20, 8
NUM_STAGES = 7
"""Of a gradient or with one beside the line: what the line names."""
BAR_PX, LINE_PX = 40, 32


def is_inside_of_box(part: QWidget) -> bool:
    return isinstance(part.parentWidget(), QComboBox)


def buttons_and_fields(window: MainWindow) -> list[str]:
    """Buttons, boxes, fields and tabs that are seen; a box whose choice can be typed is one, and
    the tab in front a title. Stages of the line are not among them.
    """
    kinds = (QAbstractButton, QComboBox, QLineEdit)
    bars = [bar for bar in window.findChildren(QTabBar) if bar.isVisible()]
    return [
        *(
            part.accessibleName() or getattr(part, "text", str)()
            for part in window.findChildren(QWidget)
            if isinstance(part, kinds)
            and part.isVisible()
            and not is_inside_of_box(part)
            and not isinstance(part, PipelineLabel)
        ),
        *(bar.tabText(i) for bar in bars for i in range(bar.count()) if i != bar.currentIndex()),
    ]


def controls(window: MainWindow) -> list[str]:
    """These, the links and the folded blocks that are seen; the place in front is a title."""
    found = buttons_and_fields(window)
    found.remove(window.row.places[window.pages.place].text())
    return [
        *found,
        *(
            link
            for page in window.findChildren(QTextBrowser)
            if page.isVisible()
            for link in re.findall(r'href="([^"]+)"', page.toHtml())
        ),
        *(
            f"line {line + 1}"
            for code in window.findChildren(CodeView)
            for line in code.folding.folded
            if code.isVisible() and code.is_in_sight(line)
        ),
    ]


def shown(window: MainWindow) -> list[StagePane]:
    return [pane for pane in window.workspace.area.panes if pane.isVisible()]


def marked(window: MainWindow) -> set[str]:
    """Stages that the line says are seen."""
    steps = [card.step for card in window.strip.cards]
    return {step.name for step in steps if step is not None and step.is_shown}


@pytest.fixture
def small(driver: Driver, window: MainWindow, source: Path, qtbot: QtBot) -> MainWindow:
    """A window of 1280 by 720 as it is first seen, with a call that ran."""
    window.workspace.area.arrange(FIRST_ARRANGEMENT)
    window.resize(1280, 720)
    driver.finish(driver.open(source), build_capture())
    window.lesson.hide()
    qtbot.wait(20)
    return window


def test_the_graph_has_most_of_a_small_window(small: MainWindow) -> None:
    (pane,) = [pane for pane in shown(small) if pane.is_graph_shown]
    share = pane.width() * pane.height() / (small.width() * small.height())
    assert share >= LEAST_SHARE, share
    assert small.call_bar.mapTo(small, small.call_bar.rect().bottomLeft()).y() < BAR_PX
    assert small.strip.height() <= LINE_PX
    assert small.workspace.mapTo(small, small.workspace.rect().topLeft()).y() <= BAR_PX + LINE_PX


LESSON = '"""Sums.\n\nLook at: `loss`.\n\nPredict: what?\n\nThen see: that.\n"""\n'


@pytest.mark.sweep(2)
@pytest.mark.parametrize("has_lesson", [True, False])
@pytest.mark.parametrize("size", [(1280, 720), (1600, 900), (2560, 1440)])
def test_few_controls_are_seen_at_first(
    driver: Driver,
    window: MainWindow,
    source: Path,
    qtbot: QtBot,
    size: tuple[int, int],
    has_lesson: bool,
) -> None:
    window.resize(*size)
    is_wide = size[0] >= 1600
    window.workspace.area.arrange(WIDE_ARRANGEMENT if is_wide else FIRST_ARRANGEMENT)
    if has_lesson:
        source.write_text(LESSON + source.read_text())
    driver.finish(driver.open(source), dataclasses.replace(build_capture(), messages=()))
    assert window.lesson.isVisible() is has_lesson
    qtbot.waitUntil(lambda: len(shown(window)) == (3 if is_wide else 2))
    qtbot.wait(20)
    assert window.strip.time.text() == "Measure ›"
    for found in (controls(window), buttons_and_fields(window)):
        assert len(found) + NUM_STAGES <= MOST_CONTROLS, ", ".join(found)


NAMES = ("a", "b", "c", "d")


@pytest.mark.sweep(3)
@pytest.mark.parametrize("asks", [True, False])
@pytest.mark.parametrize("num_arguments", range(1, 5))
@pytest.mark.parametrize("size", [(1280, 720), (2560, 1440)])
def test_few_controls_are_seen_of_a_program_of_which_there_is_most_to_tell(
    driver: Driver,
    window: MainWindow,
    source: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    size: tuple[int, int],
    num_arguments: int,
    asks: bool,
) -> None:
    """One for several devices, with notes, output and bookmarks, whose lesson was closed."""
    monkeypatch.setattr(workspace, "is_to_be_asked", lambda _state: asks)
    window.resize(*size)
    window.workspace.area.arrange(WIDE_ARRANGEMENT if size[0] >= 1600 else FIRST_ARRANGEMENT)
    source.write_text(LESSON + source.read_text())
    run = driver.open(source)
    run.tell(Output("stdout", "printed\n", 1))
    capture = dataclasses.replace(
        build_capture(),
        arguments=tuple(Leaf(name, "f32[3]", 12) for name in NAMES[:num_arguments]),
        results=(Leaf("[0]", "f32[3]", 12), Leaf("[1]", "f32[3]", 12)),
        placement=Placement(tuple(Device(number, "cpu") for number in range(8))),
    )
    driver.finish(run, capture)
    window.pages.set_count("bookmarks", 2)
    window.toggle_lesson()
    qtbot.wait(20)
    told = window.row.more.text()
    assert told == "Passes, Fusions, Memory, Devices (8), Notes (1), Output (1), Bookmarks (2) ▴"
    found = controls(window)
    assert "Lesson" in found, "its tab"
    assert asks is ("values:" in found)
    assert any(link.startswith(("argument:", "page:")) for link in found)
    assert len(found) + NUM_STAGES <= MOST_CONTROLS, ", ".join(found)


def press_through(
    window: MainWindow, qapp: QApplication, qtbot: QtBot, key: Qt.Key = Qt.Key.Key_Tab
) -> list[QWidget]:
    """What has the keyboard after each press, from the call back to the call."""
    window.activateWindow()
    window.call_bar.edit.setFocus()
    visited: list[QWidget] = []
    while not visited or visited[-1] is not window.call_bar.edit:
        qtbot.keyClick(qapp.focusWidget(), key)
        for _ in range(3):  # a view's tools come when it has the keyboard
            qtbot.wait(10)
        visited.append(qapp.focusWidget())
        assert len(visited) < 100, [type(each).__name__ for each in visited]  # all samples
    return visited


def place_of(window: MainWindow, widget: QWidget) -> tuple[int, int, int]:
    """Which part of the window it is in, as one reads; in a view its header comes first."""
    parts = (window.workspace.inspector, window.row, window.call_bar, window.strip)
    for number, part in zip((3, 4, 0, 1), parts, strict=True):
        if part.isAncestorOf(widget):
            return number, 0, 0
    number, view = next((n, v) for n, v in enumerate(shown(window)) if v.isAncestorOf(widget))
    return 2, number, not view.header.isAncestorOf(widget)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("has_lesson", [True, False])
def test_tab_goes_as_one_reads(
    small: MainWindow, qapp: QApplication, qtbot: QtBot, has_lesson: bool
) -> None:
    if has_lesson:
        small.toggle_lesson()
    small.strip.show_time("eager 23.0 ms · jit 357 µs", can_measure=True)
    visited = press_through(small, qapp, qtbot)
    assert all(each.isVisible() for each in visited)
    *before, menu, functions, call = visited
    assert menu is small.menu_button and functions is small.call_bar.functions_button
    assert call is small.call_bar.edit
    places = [place_of(small, each) for each in before]
    assert places == sorted(places)
    assert {part for part, _, _ in places} == {0, 1, 2, 3, 4}
    assert places.index((2, 1, 0)) + 1 <= MOST_TABS, "presses of Tab to the second view"
    assert before.index(small.strip.time) == places.index((1, 0, 0)) + 1, "after the stages"
    back = press_through(small, qapp, qtbot, Qt.Key.Key_Backtab)
    assert back[:-1] == visited[-2::-1]


def test_arrow_keys_lead_through_the_stages_and_the_tools_of_a_view(
    small: MainWindow, qapp: QApplication, qtbot: QtBot
) -> None:
    small.activateWindow()
    header = next(pane for pane in shown(small) if pane.is_graph_shown).header
    header.grip.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.wait(10)
    seen = []
    while not seen or qapp.focusWidget() is not header.grip:
        seen.append(qapp.focusWidget().accessibleName())
        qtbot.keyClick(qapp.focusWidget(), Qt.Key.Key_Right)
        assert len(seen) < 9
    assert seen[1:] == [
        *("Stage of this view", "What the colours of boxes tell", "Form of this view"),
        "Find in this view (Ctrl+F)",
    ]
    small.strip.show_time("eager 23.0 ms · jit 357 µs", can_measure=True)
    first, *_ = cards = small.strip.cards
    cards[-1].setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(cards[-1], Qt.Key.Key_Right)
    assert qapp.focusWidget() is first
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    assert qapp.focusWidget() is small.strip.time, "whichever stage has the keyboard"


def look_of(window: MainWindow, widget: QWidget) -> list[str]:
    """Colours of what says that a widget has the keyboard: itself, or the pane that it fills."""
    panes = [pane for pane in shown(window) if widget in pane.tab_stops()]
    framed = panes[0] if panes else widget
    image = window.grab(QRect(framed.mapTo(window, QPoint(0, 0)), framed.size())).toImage()
    return [image.pixelColor(x, y).name() for x in range(image.width()) for y in rows_of(image)]


def rows_of(image: QImage) -> Iterable[int]:
    """All of a small picture, the ends of a high one."""
    high = image.height()
    return range(high) if high < 40 else (*range(8), *range(high - 8, high))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.slow
def test_each_stop_of_the_tab_key_is_framed(
    driver: Driver, window: MainWindow, source: Path, qapp: QApplication, qtbot: QtBot, theme: str
) -> None:
    """Else whoever has no mouse does not know what Enter would do."""
    window.resize(1280, 720)
    window.workspace.area.arrange(FIRST_ARRANGEMENT)
    source.write_text(LESSON + source.read_text())
    driver.finish(driver.open(source), build_capture())
    qtbot.waitUntil(lambda: len(shown(window)) == 2)
    if theme != window._themes.theme.name:
        window.toggle_theme()
    window.activateWindow()
    window.call_bar.edit.setFocus()
    unseen, stop = [], None
    for _ in range(40):
        qtbot.keyClick(qapp.focusWidget(), Qt.Key.Key_Tab)
        stop = qapp.focusWidget()
        if stop is window.call_bar.edit:
            break
        qtbot.wait(30)
        framed = look_of(window, stop)
        stop.clearFocus()
        qtbot.wait(30)
        plain = look_of(window, stop)
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        if sum(one != other for one, other in zip(framed, plain, strict=True)) < stop.width():
            unseen.append(stop.accessibleName() or type(stop).__name__)
    assert stop is window.call_bar.edit
    assert not unseen


def test_arrow_keys_lead_along_the_line_of_stages(
    small: MainWindow, qapp: QApplication, qtbot: QtBot
) -> None:
    small.activateWindow()
    cards = small.strip.cards
    stops = [card for card in cards if card.focusPolicy() != Qt.FocusPolicy.NoFocus]
    assert len(stops) == 1
    stops[0].setFocus()
    at = cards.index(stops[0])
    qtbot.keyClick(stops[0], Qt.Key.Key_Right)
    assert qapp.focusWidget() is cards[(at + 1) % len(cards)]
    qtbot.keyClick(qapp.focusWidget(), Qt.Key.Key_Left)
    assert qapp.focusWidget() is stops[0]


# --- columns ---


MIRRORED_PX = 694
"""What both parts of a transformer's gradient need side by side, at the smallest first scale."""


def test_what_a_stage_is_counted_in_is_told_also_where_the_line_has_no_room(
    small: MainWindow,
) -> None:
    cards = [card for card in small.strip.cards if card.step is not None and card.step.size]
    assert any(card._size.text() != card.step.size for card in cards if card.step is not None)
    for card in cards:
        assert card.step is not None and " " in card.step.size
        assert card.accessibleName().startswith(f"{card.step.title}: {card.step.size}")
        assert card.toolTip().startswith(card.step.size)


def test_beside_two_others_the_program_has_room_for_both_parts_of_a_gradient(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    window.lesson.hide()
    window.resize(1600, 900)
    window.workspace.area.arrange(WIDE_ARRANGEMENT)
    driver.finish(driver.open(source), build_capture())
    qtbot.waitUntil(lambda: len(shown(window)) == 3)
    program = window.workspace.area.panes[1]
    assert program.canvas is not None
    qtbot.waitUntil(lambda: program.canvas.isVisible())
    assert program.canvas.width() >= MIRRORED_PX, program.canvas.width()


def test_a_narrow_window_shows_two_columns_and_a_wide_one_all_again(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    window.lesson.hide()
    driver.finish(driver.open(source), build_capture())
    area = window.workspace.area
    window.resize(1600, 900)
    qtbot.waitUntil(lambda: len(shown(window)) == 3)
    before = [pane.width() for pane in shown(window)]
    window.resize(1280, 720)
    qtbot.waitUntil(lambda: len(shown(window)) == 2)
    assert shown(window) == [area.panes[0], area.active]
    qtbot.waitUntil(lambda: marked(window) == {"source", "grad"})
    assert area.active.width() > 0.6 * window.width()
    area.show_in_main("grad")
    qtbot.waitUntil(lambda: shown(window) == [area.panes[0], area.panes[1]])
    window.workspace.inspector.node_requested.emit("optimized", 1)
    qtbot.waitUntil(lambda: shown(window) == [area.panes[0], area.panes[2]])
    window.workspace.inspector.node_requested.emit("grad", 1)
    qtbot.waitUntil(lambda: shown(window) == [area.panes[0], area.panes[1]])
    area.active.focus_content()
    area.focus_next(1)
    qtbot.waitUntil(lambda: shown(window) == [area.panes[0], area.panes[2]])
    window.resize(1600, 900)
    qtbot.waitUntil(lambda: len(shown(window)) == 3)
    after = [pane.width() for pane in shown(window)]
    assert all(abs(a - b) <= 3 for a, b in zip(before, after, strict=True)), (before, after)


def stages(window: MainWindow) -> list[str]:
    return [pane.wanted_stage for pane in window.workspace.area.panes]


def test_a_window_that_grows_gets_the_third_view_unless_somebody_arranged_views(
    small: MainWindow, qtbot: QtBot
) -> None:
    assert stages(small) == ["source", "grad"]
    before = small.workspace.area.panes[1]
    small.resize(1600, 900)
    qtbot.waitUntil(lambda: len(shown(small)) == 3)
    area = small.workspace.area
    assert stages(small) == ["source", "grad", "optimized"]
    assert area.panes[1] is before
    assert area.active is before
    area.close_pane(area.panes[2])
    small.resize(1280, 720)
    qtbot.wait(20)
    small.resize(1700, 900)
    qtbot.wait(20)
    assert stages(small) == ["source", "grad"]


def test_the_program_is_as_wide_with_a_third_view_as_without(
    small: MainWindow, qtbot: QtBot
) -> None:
    """At 1600 pixels it was narrower than at 1280, and its type smaller."""
    area = small.workspace.area
    source_px, program_px = (pane.width() for pane in shown(small))
    for width in (1600, 1700, 1920, 2560, 1920, 1600):
        small.resize(width, 900)
        qtbot.waitUntil(lambda: len(shown(small)) == 3)
        qtbot.wait(50)
        widths = [pane.width() for pane in shown(small)]
        assert widths[1] >= program_px and widths[2] >= 320, widths
        assert widths[0] >= source_px - 20, "lines of the source are not wrapped more"
        shares = {1920: WIDE_ARRANGEMENT.shares, 2560: (30.0, 42.3, 27.7)}.get(width)
        if shares is not None:
            wanted = [share / 100 for share in shares]
            assert [px / sum(widths) for px in widths] == pytest.approx(wanted, abs=0.01)
    small.resize(1280, 720)
    qtbot.waitUntil(lambda: [p.width() for p in shown(small)] == [source_px, program_px])
    assert area.grows


def test_the_view_beside_gets_the_room_of_a_closed_one(small: MainWindow, qtbot: QtBot) -> None:
    """The source stays as wide as it was: it has nothing to show there."""
    small.resize(1600, 900)
    qtbot.waitUntil(lambda: len(shown(small)) == 3)
    area = small.workspace.area
    source, program, optimized = (pane.width() for pane in shown(small))
    area.close_pane(area.panes[1])
    assert stages(small) == ["source", "optimized"]
    qtbot.waitUntil(lambda: shown(small)[1].width() > program + optimized - 20)
    assert shown(small)[0].width() == pytest.approx(source, abs=20)


def test_a_third_view_that_came_by_itself_goes_where_it_would_not_come(
    small: MainWindow, qtbot: QtBot
) -> None:
    small.resize(2560, 1440)
    qtbot.waitUntil(lambda: len(shown(small)) == 3)
    small.resize(1500, 900)  # a window that is opened so has two views
    qtbot.waitUntil(lambda: len(shown(small)) == 2)
    assert small.workspace.area.active in shown(small)
    small.resize(1600, 900)
    qtbot.waitUntil(lambda: len(shown(small)) == 3)


def test_a_border_that_was_dragged_stays_when_the_window_grows(
    small: MainWindow, qtbot: QtBot
) -> None:
    area = small.workspace.area
    (splitter,) = [
        part
        for part in area.findChildren(RibbonSplitter)
        if part.orientation() == Qt.Orientation.Horizontal and part.count() == 2
    ]
    splitter.moveSplitter(600, 1)
    share = area.panes[0].width() / small.width()
    small.resize(1900, 1000)
    qtbot.wait(50)
    assert stages(small) == ["source", "grad"]
    assert area.panes[0].width() / small.width() == pytest.approx(share, abs=0.03)


def test_two_of_three_columns_keep_the_widths_that_a_person_gave_them(
    driver: Driver, small: MainWindow, qtbot: QtBot
) -> None:
    window, area = small, small.workspace.area
    window.resize(1600, 900)
    qtbot.waitUntil(lambda: len(shown(window)) == 3)
    window.resize(1500, 900)  # room for two only, as long as nobody has asked for the third
    qtbot.waitUntil(lambda: len(shown(window)) == 2)
    (splitter,) = [
        part
        for part in area.findChildren(RibbonSplitter)
        if part.orientation() == Qt.Orientation.Horizontal and part.count() == 3
    ]
    splitter.moveSplitter(700, 1)
    qtbot.wait(20)
    before = [pane.width() for pane in shown(window)]
    assert before[0] > 600

    def check() -> None:
        qtbot.wait(350)
        assert [pane.width() for pane in shown(window)] == before

    area.show_in_main("jaxpr")  # another stage
    check()
    area.show_in_main("optimized")
    area.show_in_main("jaxpr")
    check()
    for _ in range(2):
        area.show_alone()
        qtbot.wait(20)
    check()
    window.resize(1600, 900)
    qtbot.waitUntil(lambda: len(shown(window)) == 3)
    window.resize(1500, 900)
    check()


def test_a_card_leaves_the_border_that_a_person_dragged_where_it_is(
    driver: Driver, small: MainWindow, qtbot: QtBot
) -> None:
    small.resize(1280, 1000)
    inspector = small.workspace.inspector
    small.workspace.selection.select_node("grad", 2)
    qtbot.wait(20)
    pane = next(pane for pane in shown(small) if pane.isAncestorOf(inspector))
    pane._body.moveSplitter(pane._body.height() * 3 // 4, 1)
    qtbot.wait(20)
    height = inspector.height()
    inspector.card_toggled.emit()
    qtbot.wait(50)
    assert inspector.height() == height


@pytest.mark.parametrize("is_arranged", [False, True])
def test_whether_views_were_arranged_is_remembered(
    small: MainWindow, qapp: QApplication, tmp_path: Path, is_arranged: bool
) -> None:
    if is_arranged:
        area = small.workspace.area
        area.close_pane(area.open_pane("hlo"))
    small.close()
    bridge = Bridge(RecordedSession)
    settings = Settings(str(tmp_path / "window.json"))
    window = build_window(qapp, bridge, RunOptions(), settings)
    qapp.processEvents()
    assert stages(window) == ["source", "grad"]
    assert window.workspace.area.grows is not is_arranged
    destroy(window)
    bridge.close()


def test_what_a_narrow_window_does_not_show_is_remembered(
    window: MainWindow, driver: Driver, source: Path, qtbot: QtBot
) -> None:
    window.lesson.hide()
    driver.finish(driver.open(source), build_capture())
    window.resize(1280, 720)
    qtbot.waitUntil(lambda: len(shown(window)) == 2)
    found = window.workspace.area.arrangement()
    assert [part.stage for part in found.parts] == ["source", "grad", "optimized"]
    total, wanted = sum(found.shares), sum(WIDE_ARRANGEMENT.shares)
    for share, first in zip(found.shares, WIDE_ARRANGEMENT.shares, strict=True):
        assert share / total == pytest.approx(first / wanted, abs=0.03)
    qtbot.waitUntil(lambda: len(shown(window)) == 2)


OLD = (
    # As remembered by a window with three panes at first, and with a form that is gone.
    '{"is_across": true, "parts": [{"stage": "source", "form": "text", "name": ""}, {"stage": '
    '"jaxpr", "form": "graph", "name": ""}, {"stage": "optimized", "form": "lines", "name": "x"}], '
    '"shares": [330.0, 460.0, 460.0]}'
)


def test_what_an_older_window_remembered_opens_sensibly(
    qapp: QApplication, qtbot: QtBot, session: RecordedSession, source: Path, tmp_path: Path
) -> None:
    settings = Settings(str(tmp_path / "old.ini"))
    settings.arrangement = OLD
    bridge = Bridge(lambda: session)
    window = build_window(qapp, bridge, RunOptions(), settings, late_panes=True)
    window.resize(1280, 720)
    window.show()
    driver = Driver(qtbot, window, session)
    driver.wait_until(lambda: len(window.workspace.area.panes) == 3)
    driver.finish(driver.open(source), build_capture())
    window.lesson.hide()
    driver.wait_until(lambda: len(shown(window)) == 2)
    assert [pane.form.value for pane in window.workspace.area.panes][1:] == ["graph", "graph"]
    window.resize(1700, 900)
    driver.wait_until(lambda: len(shown(window)) == 3)
    window.close()
    kept = parse_arrangement(settings.arrangement)
    assert kept is not None and len(kept.parts) == 3
    destroy(window)
    bridge.close()


def test_the_source_has_the_height_that_arguments_and_results_do_not_need(
    driver: Driver, small: MainWindow, qtbot: QtBot
) -> None:
    small.resize(1280, 1000)
    inspector, selection = small.workspace.inspector, small.workspace.selection
    code = next(pane for pane in shown(small) if pane.isAncestorOf(inspector)).code
    share = (inspector.height(), code.height())

    def is_filled() -> bool:
        page = inspector.page
        return abs(page.document().size().height() - page.viewport().height()) <= 4

    qtbot.waitUntil(is_filled)
    height = code.height()
    assert height > 2 * inspector.height(), share
    selection.select_node("grad", 2)
    qtbot.waitUntil(lambda: inspector.height() > (inspector.height() + code.height()) / 4)
    selection.select_node("grad", 1)
    before = inspector.height()
    qtbot.wait(20)
    assert inspector.height() == before, "not with each click"
    selection.clear()
    qtbot.waitUntil(lambda: is_filled() and code.height() >= height)


def test_the_border_below_the_source_stays_where_a_person_dragged_it(
    driver: Driver, small: MainWindow, qtbot: QtBot
) -> None:
    small.resize(1280, 1000)
    inspector, selection = small.workspace.inspector, small.workspace.selection
    selection.select_node("grad", 2)
    qtbot.wait(20)
    pane = next(pane for pane in shown(small) if pane.isAncestorOf(inspector))
    pane._body.moveSplitter(pane._body.height() // 2, 1)
    qtbot.wait(20)
    height = inspector.height()
    selection.clear()
    qtbot.waitUntil(lambda: inspector.height() < height)
    selection.select_node("grad", 2)
    qtbot.waitUntil(lambda: abs(inspector.height() - height) <= 4)


def test_what_is_selected_has_some_lines_above_a_page_that_is_open(
    small: MainWindow, qtbot: QtBot
) -> None:
    """In a window of 1280 by 720; until a person drags the border."""
    small.pages.show_page("fusions")
    small.workspace.selection.select_node("grad", 2)
    page = small.workspace.inspector.page
    pane = next(pane for pane in shown(small) if pane.isAncestorOf(page))
    line_px = page.fontMetrics().lineSpacing()
    qtbot.waitUntil(lambda: page.viewport().height() >= 7 * line_px)
    assert small.workspace.area.height() < 380
    assert pane.code.height() >= 7 * line_px, "and so has the source"
    before = small.workspace.inspector.height()
    small.resize(1280, 700)
    qtbot.wait(50)
    assert abs(small.workspace.inspector.height() - before) <= 12
    pane._body.moveSplitter(pane._body.height() * 3 // 4, 1)
    given = small.workspace.inspector.height() / pane._body.height()
    small.resize(1280, 720)
    small.workspace.selection.clear()
    small.workspace.selection.select_node("grad", 2)
    qtbot.wait(50)
    share = small.workspace.inspector.height() / pane._body.height()
    assert share == pytest.approx(given, abs=0.03)


def test_the_line_that_is_clicked_stays_in_sight_when_the_source_gets_lower(
    qtbot: QtBot,
) -> None:
    view = CodeView()
    qtbot.addWidget(view)
    view.set_lines([f"line {number}" for number in range(200)], None)
    view.resize(400, 600)
    view.show()
    qtbot.waitExposed(view)
    view.show_line(60)
    first, last = view._visible_range()
    view._cursor = last - 3
    view.resize(400, 300)
    first, last = view._visible_range()
    assert first <= view._cursor < last
    before = first
    view.resize(400, 320)
    assert view._visible_range()[0] == before, "nothing moves where that is not needed"


def test_what_is_selected_is_named_whole_beside_the_lesson_in_a_low_window(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    """As on a screen of 1280 by 720 at a scale of 1.5, with a title bar and the drawer open."""
    window.workspace.area.arrange(FIRST_ARRANGEMENT)
    window.resize(853, 466)
    source.write_text(LESSON + source.read_text())
    driver.finish(driver.open(source), build_capture())
    window.pages.show_page("stepping")
    qtbot.wait(100)
    window.workspace.selection.select_node("grad", 2)
    page = window.workspace.inspector.page
    qtbot.waitUntil(page.isVisible)
    qtbot.wait(100)
    layout, block, room = page.document().documentLayout(), page.document().begin(), page.height()
    for _ in range(2):  # the heading, and which equation it is
        assert block.text()
        assert layout.blockBoundingRect(block).bottom() <= room, (block.text(), room)
        block = block.next()


def test_the_keyboard_stays_near_a_button_that_goes(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    window.resize(1280, 720)
    source.write_text(LESSON + source.read_text())
    driver.finish(driver.open(source), build_capture())
    window.activateWindow()
    (button,) = [
        part
        for part in window.lesson.findChildren(QAbstractButton)
        if part.isVisible()
        and part.accessibleName() == ""
        and getattr(part, "text", str)() == "Show what to see"
    ]
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert not button.isVisible()
    focused = qapp.focusWidget()
    assert focused is not None and window.lesson.isAncestorOf(focused)
    window.pages.show_page("timing")
    measure = next(b for b in window.pages["timing"].findChildren(QAbstractButton) if b.isVisible())
    measure.setFocus()
    qtbot.waitUntil(measure.hasFocus)
    measure.setEnabled(False)  # it runs
    focused = qapp.focusWidget()
    assert focused is not None and window.pages["timing"].isAncestorOf(focused)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("closed", ["source", "grad"])
def test_a_view_that_comes_back_is_marked_in_the_line_and_gets_the_keyboard(
    small: MainWindow, qtbot: QtBot, closed: str
) -> None:
    """At once: nothing may follow that would put the marks right."""
    small.activateWindow()
    small.pages.show_page("passes")
    qtbot.waitUntil(small.pages["passes"].isVisible)
    area = small.workspace.area
    for _ in range(3):
        pane = next(pane for pane in area.panes if pane.wanted_stage == closed)
        pane.header.close_requested.emit()
        assert marked(small) == {"source", "grad"} - {closed}
        qtbot.wait(20)
        area.panes[0].focus_content()
        small.strip.step_chosen.emit(closed)
        assert marked(small) == {"source", "grad"}
        back = next(pane for pane in area.panes if pane.wanted_stage == closed)
        assert back.isAncestorOf(QApplication.focusWidget())
        qtbot.wait(20)
        assert marked(small) == {"source", "grad"} == {p.wanted_stage for p in shown(small)}


def test_views_that_are_laid_out_anew_are_marked_in_the_line(small: MainWindow) -> None:
    small.workspace.area.arrange(FIRST_ARRANGEMENT)
    assert marked(small) == {pane.wanted_stage for pane in shown(small)} == {"source", "jaxpr"}


def test_the_question_of_a_lesson_is_read_beside_a_page_that_is_open(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    window.resize(1280, 720)
    window.workspace.area.arrange(FIRST_ARRANGEMENT, grows=False)
    source.write_text(LESSON + source.read_text())
    driver.finish(driver.open(source), build_capture())
    window.pages.show_page("fusions")
    question = window.lesson._parts["Predict"]
    qtbot.waitUntil(lambda: window.workspace.area.height() < 420)
    qtbot.wait(200)
    assert window.pages.drawer.isVisible()
    assert question.visibleRegion().boundingRect().height() == question.height()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("has_lesson", [True, False])
@pytest.mark.parametrize("size", [(1280, 720), (1600, 900)])
def test_a_graph_without_the_source_has_nearly_all_the_height(
    driver: Driver,
    window: MainWindow,
    source: Path,
    qtbot: QtBot,
    size: tuple[int, int],
    has_lesson: bool,
) -> None:
    """What is selected below it needs what its text does, a third at most; a lesson one line."""
    window.resize(*size)
    window.workspace.area.arrange(FIRST_ARRANGEMENT, grows=False)
    if has_lesson:
        source.write_text(LESSON + source.read_text())
    driver.finish(driver.open(source), build_capture())
    area, inspector = window.workspace.area, window.workspace.inspector
    selection, page = window.workspace.selection, inspector.page
    selection.select_node("grad", 2)
    qtbot.wait(50)
    before = [pane.size() for pane in shown(window)], inspector.height()
    area.close_pane(area.panes[0])
    (graph,) = shown(window)
    assert graph.canvas is not None

    def is_fitted() -> bool:
        lines_px, room_px = page.document().size().height(), page.viewport().height()
        is_third = abs(inspector.height() - graph._body.height() / 3) <= 8
        return abs(lines_px - room_px) <= 8 or (lines_px > room_px and is_third)

    qtbot.waitUntil(is_fitted)
    assert inspector.height() <= graph._body.height() / 3
    selection.select_lines(str(source), [2])
    qtbot.waitUntil(is_fitted)
    assert inspector.height() <= graph._body.height() / 4, "a line has little to tell"
    if has_lesson:
        selection.clear()
        qtbot.waitUntil(lambda: not page.isVisible())
        qtbot.waitUntil(lambda: inspector.height() < 2 * LINE_PX)
    qtbot.waitUntil(lambda: graph._body.widget(0).height() > 0.6 * graph._body.height())
    selection.select_node("grad", 2)
    qtbot.wait(20)
    window.strip.step_chosen.emit("source")
    qtbot.waitUntil(lambda: ([pane.size() for pane in shown(window)], inspector.height()) == before)
