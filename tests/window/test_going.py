"""Places visited, focus, paths, and the palette of commands."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from jaxscope.model import Capture
from jaxscope.picture.scene.scene import DETAIL_PX, LEAST_TEXT_PX, LEAST_TITLE_PX, TITLE_PX
from jaxscope.ui.application import is_too_large
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.canvas.legend import Legend
from jaxscope.ui.panes.pane_area import FIRST_ARRANGEMENT, PaneSpec, Split
from jaxscope.ui.selection.selection import SelectionModel
from jaxscope.ui.session.state import Phase
from jaxscope.ui.source.code_view import CodeView
from jaxscope.ui.window import presentation
from jaxscope.ui.window.main_window import MainWindow, first_size
from jaxscope.ui.window.menus import GoCommands
from jaxscope.ui.window.palette import CommandPalette, rank_names
from jaxscope.ui.window.places import Place

from .conftest import Driver
from .programs import FILE, JAXPR, OPTIMIZED, build_capture, build_stage
from .test_window import capture_of


@pytest.fixture
def selection() -> SelectionModel:
    model = SelectionModel()
    model.set_stages((build_stage("jaxpr", JAXPR), build_stage("optimized", OPTIMIZED)))
    return model


def test_back_and_forward_through_what_was_selected(selection: SelectionModel) -> None:
    assert not selection.go_back()
    selection.select_node("jaxpr", 1)
    selection.select_node("optimized", 2)
    selection.select_line(FILE, 5)
    assert selection.go_back() and selection.node_at(selection.place) == ("optimized", 2)
    assert selection.go_back() and selection.node_at(selection.place) == ("jaxpr", 1)
    assert not selection.go_back()
    assert selection.go_forward() and selection.node_at(selection.place) == ("optimized", 2)
    selection.select_node("jaxpr", 0)
    assert not selection.go_forward(), "another way was taken"
    assert selection.go_back() and selection.node_at(selection.place) == ("optimized", 2)


def test_places_that_are_gone_are_left_out(selection: SelectionModel) -> None:
    selection.select_node("optimized", 2)
    selection.select_node("jaxpr", 1)
    selection.select_node("jaxpr", 2)
    selection.set_stages((build_stage("jaxpr", JAXPR),))
    assert selection.go_back() and selection.node_at(selection.place) == ("jaxpr", 1)
    assert not selection.go_back(), "that stage is no more"


@pytest.mark.parametrize(
    ("typed", "first"),
    [("op", "File: Open"), ("stop", "Run: Stop"), ("cbd", "Colour boxes by direction"),
     ("", "File: Open")],
)  # fmt: skip
def test_the_best_fitting_command_is_first(typed: str, first: str) -> None:
    names = ["File: Open", "Run: Stop", "Colour boxes by direction", "View: As graph"]
    assert names[rank_names(typed, names)[0]] == first


def test_what_does_not_fit_is_not_offered() -> None:
    assert rank_names("xyz", ["File: Open", "Run: Stop"]) == []


NAMES = [
    "Open sample: selu",
    "Graph: Reopen",
    "View: Open another pane",
    "File: Open",
    "Show page: Bookmarks",
    "Go: Next bookmark",
    "Go: Bookmark before",
]


@pytest.mark.parametrize(
    ("typed", "order"),
    [
        ("open", ["File: Open", "View: Open another pane", "Open sample: selu", "Graph: Reopen"]),
        ("bookm", ["Show page: Bookmarks", "Go: Bookmark before", "Go: Next bookmark"]),
        ("pane open", ["View: Open another pane"]),
        ("oap", ["View: Open another pane"]),
    ],
)
def test_beginnings_of_commands_come_before_those_of_words_and_these_before_insides(
    typed: str, order: list[str]
) -> None:
    assert [NAMES[index] for index in rank_names(typed, NAMES)] == order


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("bokmark", "Show page: Bookmarks"),
        ("opne sample", "Open sample: selu"),
        ("viw another", "View: Open another pane"),
        ("how do I reopen the graph?", "Graph: Reopen"),
        ("where is my bokmark", "Show page: Bookmarks"),
    ],
)
def test_a_question_or_a_mistyped_word_finds_what_the_most_similar_word_finds(
    typed: str, first: str
) -> None:
    assert NAMES[rank_names(typed, NAMES)[0]] == first


def test_what_was_used_lately_comes_first_among_what_fits_alike() -> None:
    recent = ["Go: Bookmark before", "Graph: Reopen"]
    assert NAMES[rank_names("bookm", NAMES, recent)[0]] == "Go: Bookmark before"
    assert NAMES[rank_names("open", NAMES, recent)[0]] == "File: Open", "it fits better"
    assert [NAMES[index] for index in rank_names("", NAMES, recent)[:3]] == [*recent, NAMES[0]]


@pytest.mark.slow
def test_the_palette_remembers_what_was_used(qtbot: QtBot, window: MainWindow) -> None:
    for _ in range(2):  # a state in the name is no other command
        window.show_palette()
        palette: CommandPalette = window._palette
        qtbot.keyClicks(palette.field, "hide tuples")
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
        window.show_palette()
        assert window._palette.names()[0].startswith("Graph: Simplifications: Hide tuples")
    assert len(window._settings.recent_commands) == 1


@pytest.fixture
def menu(window: MainWindow) -> GoCommands:
    menu = window.findChild(GoCommands)
    assert isinstance(menu, GoCommands)
    return menu


def test_the_palette_does_what_any_menu_does(qtbot: QtBot, window: MainWindow) -> None:
    window.show_palette()
    palette: CommandPalette = window._palette
    names = palette.names()
    assert any(name.startswith("View: What is selected") for name in names)
    was_hidden = window.workspace.inspector.isHidden()
    qtbot.keyClicks(palette.field, "whatisselected")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.workspace.inspector.isHidden() is not was_hidden
    assert palette.isHidden()


@pytest.mark.parametrize("typed", ["slow", "Why is this slow?"])
def test_the_palette_finds_where_the_time_goes_by_asking_what_is_slow(
    qtbot: QtBot, window: MainWindow, typed: str
) -> None:
    """It was taken for a mistyped `show`, which is the menu of every page."""
    window.show_palette()
    palette: CommandPalette = window._palette
    qtbot.keyClicks(palette.field, typed)
    assert palette.names() == ["Show page: Where the time goes"]
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)


def test_the_palette_shows_pages_of_every_place(qtbot: QtBot, window: MainWindow) -> None:
    window.show_palette()
    palette: CommandPalette = window._palette
    qtbot.keyClicks(palette.field, "chips")
    assert palette.names()[0] == "Show page: Chips"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.pages.place is Place.MEASURE
    assert window.pages.current == "targets"


@pytest.mark.slow
def test_the_palette_opens_samples_and_is_no_higher_than_what_it_finds(
    qtbot: QtBot, driver: Driver, window: MainWindow
) -> None:
    window.show_palette()
    palette: CommandPalette = window._palette
    height_of_all = palette.height()
    qtbot.keyClicks(palette.field, "open sample quick start")
    assert palette.names()[0] == "Open sample: quick start"
    assert palette.height() < height_of_all
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert driver.window.controller.state.file.endswith("quick_start.py")


def test_the_palette_is_gone_through_by_keys(qtbot: QtBot, window: MainWindow) -> None:
    window.show_palette()
    palette: CommandPalette = window._palette
    names, used = palette.names(), list[str]()
    palette.used.connect(used.append)
    place = names.index("Run: Stop")  # does nothing here
    for key in [Qt.Key.Key_Up, *[Qt.Key.Key_Down] * (place + 8), Qt.Key.Key_PageUp]:
        qtbot.keyClick(palette.field, key)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert used == ["Run: Stop"]


def test_the_palette_says_when_nothing_fits(qtbot: QtBot, window: MainWindow) -> None:
    window.show_palette()
    palette: CommandPalette = window._palette
    qtbot.keyClicks(palette.field, "xyzzy")
    assert palette.names() == [] and palette.list.isHidden()
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isHidden()


def test_no_keys_mean_two_things(window: MainWindow) -> None:
    local = (Qt.ShortcutContext.WidgetShortcut, Qt.ShortcutContext.WidgetWithChildrenShortcut)
    uses = Counter(
        keys.toString()
        for action in window.findChildren(QAction)
        if action.shortcutContext() not in local
        for keys in action.shortcuts()
    )
    assert uses["Ctrl+R"] == 1
    assert [keys for keys, count in uses.items() if count > 1] == []


def present(driver: Driver, source: Path, capture: Capture | None = None) -> MainWindow:
    """A window of 1280 by 720 that presents a capture."""
    window = driver.window
    window.resize(1280, 720)  # before it has room for a third view
    window.workspace.area.arrange(FIRST_ARRANGEMENT)
    driver.finish(driver.open(source), capture or build_capture())
    window.lesson.hide()
    driver.qtbot.wait(20)
    window.toggle_presenting()
    driver.qtbot.wait(20)
    return window


def seen(window: MainWindow) -> set[str]:
    """What is seen of the window: its controls, and its parts with words."""
    kinds = (QAbstractButton, QComboBox, QLineEdit, QLabel, QTabBar, GraphCanvas, CodeView, Legend)
    parts = (part for part in window.findChildren(QWidget) if isinstance(part, kinds))
    return {type(part).__name__ for part in parts if part.isVisible() and part.height()}


def test_a_caption_has_no_marks_of_code(
    driver: Driver, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = "A whole power; `x ** 2` becomes this."
    monkeypatch.setattr(presentation, "explain_operation", lambda *_: card)
    window = present(driver, source)
    window.workspace.selection.select_node("grad", 1)
    assert window.presenting.caption.text().startswith("cos: A whole power; x ** 2 becomes")


def test_presenting_shows_the_picture_its_legend_the_call_and_a_caption_and_then_the_rest(
    driver: Driver, source: Path
) -> None:
    window = driver.window
    window.workspace.inspector.hide()
    window = present(driver, source)
    assert window.isFullScreen()
    assert seen(window) == {"GraphCanvas", "Legend", "CallEdit", "Caption"}
    labels = [part for part in window.findChildren(QLabel) if part.isVisible() and part.text()]
    assert labels == [window.presenting.caption]
    caption = window.presenting.caption.text()
    assert caption.startswith("grad: The program of grad(f).\nSpace or →: on, equation by equation")
    assert "N: on without" not in caption, "there is no lesson to go on with"
    window.workspace.selection.select_node("grad", 1)
    assert window.presenting.caption.text().startswith("cos: The cosine")
    window.workspace.area.focus_next(1)
    assert seen(window) == {"GraphCanvas", "Legend", "CodeView", "CallEdit", "Caption"}
    window.commands.actions["show_alone"].trigger()
    assert seen(window) == {"CodeView", "CallEdit", "Caption"}
    window.toggle_presenting()
    assert not window.isFullScreen() and window.presenting.caption.isHidden()
    around = (window.strip, window.menu_button, window.row, window.call_bar.run_button)
    assert all(part.isVisible() for part in around)
    assert window.workspace.inspector.isHidden()
    assert all(pane.header.isVisible() for pane in window.workspace.area.panes)


def test_the_source_is_presented_beside_the_view_and_follows_what_is_selected(
    driver: Driver, source: Path
) -> None:
    source.write_text(source.read_text() + "# a line\n" * 200)
    window = present(driver, source, capture_of(source))
    area = window.workspace.area
    code, canvas = area.panes[0].code, area.canvas_of("grad")
    room = window.width()
    assert canvas is not None and canvas.width() > 0.95 * room, "at first all is the picture's"
    assert not code.isVisible()
    window.presenting.steps.go_on()
    driver.qtbot.wait(20)
    assert canvas.isVisible() and code.isVisible()
    assert code.mapTo(window, QPoint(0, 0)).x() < canvas.mapTo(window, QPoint(0, 0)).x()
    assert 0.33 * room < code.width() < 0.37 * room
    assert canvas.width() > 0.6 * room
    assert code.fontInfo().pixelSize() >= 0.0195 * window.screen().geometry().height()
    code.show_line(150, is_first=True)
    window.workspace.selection.select_node("jaxpr", 1)  # as a step does
    assert list(code.marks) == [4]
    driver.wait_until(lambda: code.is_in_sight(4))
    # The keyboard may be in the source: what is presented stays.
    area.activate(area.panes[0])
    assert canvas.isVisible() and area.presented is not None
    assert area.presented.wanted_stage == "grad"
    # The active view alone, and the source again.
    area.activate(area.presented)
    alone = window.commands.actions["show_alone"]
    alone.trigger()
    driver.qtbot.wait(20)
    assert not code.isVisible() and canvas.width() > 0.95 * room
    area.focus_next(1)
    assert code.isVisible() and not canvas.isVisible(), "one view at a time then"
    area.focus_next(1)
    alone.trigger()
    driver.qtbot.wait(20)
    assert code.isVisible() and canvas.isVisible()
    window.toggle_presenting()


@pytest.mark.slow
def test_views_have_their_widths_again_after_a_presentation(driver: Driver, source: Path) -> None:
    window = driver.window
    window.resize(1500, 800)
    area = window.workspace.area
    area.arrange(Split(True, (*FIRST_ARRANGEMENT.parts, PaneSpec("optimized")), (22, 48, 30)))
    driver.finish(driver.open(source), build_capture())
    driver.qtbot.wait(20)
    # The window may be narrow for a moment, where Qt rounds to whole pixels of that.
    before = pytest.approx([pane.width() for pane in area.panes], abs=3)
    ways = ([False, True, False], [False, False, True]), ([False, False, True], [True, False, True])
    for shown, after in ways:
        window.toggle_presenting()
        driver.qtbot.wait(20)
        assert [pane.isVisible() for pane in area.panes] == shown
        area.focus_next(1)
        assert [pane.isVisible() for pane in area.panes] == after
        assert list(area.arrangement().shares) == before
        window.toggle_presenting()
        driver.wait_until(lambda: window.width() == 1500)
        driver.qtbot.wait(400)
        assert [pane.width() for pane in area.panes] == before


def test_what_was_closed_before_a_presentation_is_not_in_it(driver: Driver, source: Path) -> None:
    window = driver.window
    window.workspace.area.arrange(FIRST_ARRANGEMENT)
    driver.finish(driver.open(source), build_capture())
    window.workspace.area.close_pane(window.workspace.area.panes[0])
    window.lesson.hide()
    window.toggle_presenting()
    driver.qtbot.wait(20)
    assert seen(window) == {"GraphCanvas", "Legend", "CallEdit", "Caption"}
    window.toggle_presenting()


def test_help_has_room_on_the_screen_while_presenting(driver: Driver, source: Path) -> None:
    window = present(driver, source)
    window.commands.actions["show_keys"].trigger()
    dialog = window.help.dialog
    assert dialog is not None and dialog.isVisible()
    room = window.screen().availableSize()
    assert dialog.width() <= room.width() and dialog.height() <= room.height()
    dialog.close()
    window.toggle_presenting()


def test_presented_text_can_be_read_from_the_last_row(driver: Driver, source: Path) -> None:
    window = present(driver, source)
    high = window.screen().geometry().height()
    canvas = window.workspace.area.canvas_of("grad")
    assert canvas is not None

    def least_px() -> tuple[float, float]:
        """Of what is written into boxes: titles, and the rest."""
        scale, unit = canvas.camera.scale, canvas._unit
        title, detail = LEAST_TITLE_PX * unit, LEAST_TEXT_PX * unit
        return max(scale * TITLE_PX, title), max(scale * DETAIL_PX, detail)

    driver.wait_until(lambda: least_px()[0] >= high / 50 and least_px()[1] >= high / 60)
    for part in (window.presenting.caption, window.call_bar.edit):
        assert part.fontInfo().pixelSize() >= 0.025 * high
    assert high / 50 <= canvas.legend.text_px < 0.035 * high
    window.toggle_presenting()
    driver.wait_until(lambda: least_px()[0] < high / 50)


def test_a_caption_has_three_lines_whatever_it_says(driver: Driver, source: Path) -> None:
    window = present(driver, source)
    caption = window.presenting.caption
    high, size = caption.height(), caption.fontInfo().pixelSize()
    sentence = "In its graph the forward equations feed the loss and the backward ones alike. "
    inside = caption.width() - 48
    smaller = set()
    for count in range(1, 12):
        caption.setText("The results\n" + count * sentence)
        driver.qtbot.wait(1)
        metrics = caption.fontMetrics()
        wrapped = metrics.boundingRect(0, 0, inside, 9999, Qt.TextFlag.TextWordWrap, caption.text())
        if wrapped.height() > 3.5 * metrics.lineSpacing():
            break
        assert caption.height() == high
        smaller.add(caption.fontInfo().pixelSize())
    assert len(smaller) > 1 and min(smaller) >= 0.75 * size
    caption.setText(40 * sentence)
    driver.qtbot.wait(20)
    wrapped = caption.fontMetrics().boundingRect(
        0, 0, inside, 9999, Qt.TextFlag.TextWordWrap, caption.text()
    )
    assert caption.height() >= wrapped.height(), "nothing is cut off"


def test_arrow_keys_select_in_what_is_presented(driver: Driver, source: Path) -> None:
    window = present(driver, source)
    canvas = window.workspace.area.canvas_of("grad")
    driver.wait_until(lambda: canvas is not None and canvas.scene is not None)
    assert window.focusWidget() is canvas
    driver.qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Down)
    assert window.workspace.selection.selection is not None
    window.toggle_presenting()


@pytest.mark.slow
def test_a_spotlight_dims_all_but_what_is_selected(driver: Driver, source: Path) -> None:
    window = present(driver, source)
    canvas = window.workspace.area.canvas_of("grad")
    assert canvas is not None and canvas.scene is not None
    window.workspace.selection.select_node("grad", 1)
    driver.wait_until(lambda: canvas.is_sharp and not canvas.is_busy)
    scene = canvas.scene
    lit = int(scene.item_of_node[1])
    other = lit + 1  # between those that are lit, so that it is in sight with them

    def contrast(item: int) -> int:
        """Between the lightest and the darkest of what is inside of a box."""
        x, y, width, height = scene.items.rect[item].tolist()
        left, top = canvas.camera.to_widget(x + 4, y + 4)
        right, bottom = canvas.camera.to_widget(x + width - 4, y + height - 4)
        area = QRect(QPoint(round(left), round(top)), QPoint(round(right), round(bottom)))
        picture = canvas.grab(area).toImage()
        across, down = range(0, picture.width(), 2), range(0, picture.height(), 2)
        seen = [picture.pixelColor(x, y).lightness() for x in across for y in down]
        return max(seen) - min(seen)

    before = contrast(lit), contrast(other)
    driver.qtbot.keyClick(window, Qt.Key.Key_S)
    assert contrast(lit) == before[0]
    assert contrast(other) < 0.3 * before[1]
    driver.qtbot.keyClick(window, Qt.Key.Key_S)
    assert (contrast(lit), contrast(other)) == before
    driver.qtbot.keyClick(window, Qt.Key.Key_S)
    window.workspace.selection.clear()
    assert contrast(other) > 0.3 * before[1], "nothing is dimmed where nothing is selected"
    window.workspace.selection.select_node("jaxpr", 1)  # as when the equations are gone through
    driver.wait_until(lambda: canvas.is_sharp and not canvas.is_busy)
    assert canvas._highlight.selected.tolist() == [] and lit in canvas._highlight.forward
    assert contrast(lit) > 0.3 * before[0] and contrast(other) < 0.3 * before[1]
    window.toggle_presenting()
    window.workspace.selection.select_node("grad", 1)
    driver.wait_until(lambda: canvas.is_sharp and not canvas.is_busy)
    assert not canvas._is_spotlit


@pytest.mark.slow
def test_presenting_keeps_the_place_in_the_source_and_what_was_looked_at(
    driver: Driver, source: Path
) -> None:
    source.write_text(source.read_text() + "\n" + f"# {'a line that is wrapped ' * 8}\n" * 200)
    window = driver.window
    window.workspace.area.arrange(FIRST_ARRANGEMENT)
    driver.finish(driver.open(source), build_capture())
    code, canvas = window.workspace.area.panes[0].code, window.workspace.area.canvas_of("grad")
    assert canvas is not None
    driver.wait_until(lambda: code.verticalScrollBar().maximum() > 40)
    code.show_line(37, is_first=True)
    assert code.verticalScrollBar().value() > 37, "lines are wrapped"
    canvas.zoom(0.7)
    camera = canvas.camera
    window.toggle_presenting()
    driver.wait_until(lambda: canvas.camera != camera)
    window.toggle_presenting()
    driver.wait_until(lambda: code.first_line == 37)
    assert canvas.camera == camera
    window.resize(window.width() - 300, window.height())  # some desktops take their time
    assert code.first_line == 37
    driver.qtbot.wait(600)
    code.show_line(60, is_first=True)
    code.verticalScrollBar().setValue(code.verticalScrollBar().value() + 1)
    before = code.first_row
    assert before == (60, 1), "from the second row of a wrapped line on"
    window.toggle_presenting()
    driver.qtbot.wait(20)
    window.toggle_presenting()
    driver.wait_until(lambda: code.first_row == before)


@pytest.mark.slow
def test_presenting_keeps_the_size_of_type_that_a_person_chose_meanwhile(
    driver: Driver, source: Path
) -> None:
    themes = driver.window._themes
    ordinary = themes.points
    window = present(driver, source)
    window.toggle_presenting()
    assert themes.points == ordinary
    window.toggle_presenting()
    window.zoom_in()
    chosen = themes.points
    window.toggle_presenting()
    assert themes.points == chosen
    window.zoom_reset()


def test_focus_widens_and_ends(driver: Driver, menu: GoCommands, source: Path) -> None:
    driver.finish(driver.open(source), build_capture())
    workspace = driver.window.workspace
    workspace.selection.select_node("grad", 1)
    pane = next(p for p in workspace.area.panes if p.wanted_stage == "grad")
    assert pane.canvas is not None
    menu.widen_focus()
    near = pane.canvas.focus
    assert near is not None and 1 in near
    menu.widen_focus()
    wider = pane.canvas.focus
    assert wider is not None and near < wider
    menu.narrow_focus()
    assert pane.canvas.focus == near
    menu.end_focus()
    assert pane.canvas.focus is None


def test_the_path_between_two_selections(driver: Driver, menu: GoCommands, source: Path) -> None:
    driver.finish(driver.open(source), build_capture())
    workspace = driver.window.workspace
    menu.show_path()
    assert "two nodes" in driver.window.row.message
    workspace.selection.select_node("grad", 0)
    workspace.selection.select_node("grad", 2)
    menu.show_path()
    pane = next(p for p in workspace.area.panes if p.wanted_stage == "grad")
    assert pane.canvas is not None
    assert pane.canvas.focus == {0, 1, 2}


@pytest.mark.parametrize("leave", ["stop_run", "close_file"])
def test_escape_and_the_start_page_end_a_presentation(
    driver: Driver, source: Path, leave: str
) -> None:
    window = driver.window
    driver.finish(driver.open(source), build_capture())
    window.workspace.selection.select_node("jaxpr", 1)
    window.toggle_presenting()
    window.commands.actions[leave].trigger()
    assert not window.presenting.is_on
    assert window.presenting.caption.isHidden()
    if leave == "stop_run":
        assert window.workspace.selection.selection is not None
        window.commands.actions[leave].trigger()
        assert window.workspace.selection.selection is None


def test_a_presented_lesson_waits_for_the_program_that_is_being_made(
    driver: Driver, tmp_path: Path
) -> None:
    """Its question is read meanwhile; no key passes it, or tells the answer."""
    parts = "A line.\n\nLook at: one.\n\nPredict: two.\n\nThen see: three.\n"
    path = tmp_path / "line.py"
    path.write_text(f'"""{parts}"""\n\n\ndef f(x):\n    return x\n')
    window = driver.window
    run = driver.open(path)
    window.toggle_presenting()
    steps, caption = window.presenting.steps, window.presenting.caption

    def press() -> str:
        steps.go_on()
        # As with each second that a run takes.
        window.controller.state_changed.emit(window.controller.state)
        return caption.whole

    assert press() == "Look at: One."
    assert [press() for _ in range(3)] == ["Predict: Two."] * 3
    driver.finish(run, build_capture())
    assert caption.whole == "Predict: Two."
    steps.go_back()
    assert caption.whole == "Look at: One."


@pytest.mark.parametrize("is_chosen", [True, False])
def test_escape_leads_from_the_start_page_back_to_the_program(
    driver: Driver, source: Path, is_chosen: bool
) -> None:
    window = driver.window
    driver.finish(driver.open(source), build_capture())
    window.workspace.selection.select_node("jaxpr", 1)
    if not is_chosen:
        window.workspace.selection.clear()
    chosen = window.workspace.selection.places
    before = window.controller.state
    window.commands.actions["close_file"].trigger()
    window.commands.actions["close_file"].trigger()
    assert window.screen_shown is not None and window.screen_shown.shows_start_page
    window.commands.actions["stop_run"].trigger()
    assert window.controller.state == before
    assert window.workspace.selection.places == chosen
    assert window.screen_shown is not None and not window.screen_shown.shows_start_page
    window.run_call()  # by a new run
    assert window.controller.state.is_running and window.controller.state.call == before.call


def test_a_run_that_the_start_page_stopped_is_shown_as_stopped(
    driver: Driver, source: Path
) -> None:
    window = driver.window
    driver.finish(driver.open(source), build_capture())
    window.run_call()
    window.commands.actions["close_file"].trigger()
    window.commands.actions["stop_run"].trigger()
    assert window.controller.state.file == str(source)
    assert window.controller.state.phase is Phase.STOPPED
    assert not window.controller.state.is_running


def test_what_was_in_the_middle_of_a_view_is_in_the_middle_of_its_presentation(
    driver: Driver, source: Path
) -> None:
    """Tools, pages and the bars around give it room before the screen does."""
    window = driver.window
    driver.finish(driver.open(source), build_capture())
    area = window.workspace.area
    area.activate(next(pane for pane in area.panes if pane.wanted_stage != "source"))
    pane = area.active
    assert pane is not None
    driver.wait_until(lambda: pane._canvas is not None and pane._canvas.scene is not None)
    canvas = pane._canvas
    assert canvas is not None
    canvas.zoom(1.5)
    canvas.pan(60.0, 90.0)
    driver.qtbot.wait(400)  # longer than what is beside it takes to come
    before, size = canvas.camera, canvas.size()
    middle = before.to_scene(size.width() / 2, size.height() / 2)
    window.toggle_presenting()
    driver.wait_until(lambda: canvas.height() != size.height())
    shown = canvas.camera.to_scene(canvas.width() / 2, canvas.height() / 2)
    assert shown == pytest.approx(middle)
    window.toggle_presenting()
    driver.wait_until(lambda: canvas.size() == size)
    assert canvas.camera == before


def test_a_maximized_window_is_maximized_again_after_a_presentation(
    driver: Driver, source: Path
) -> None:
    window = driver.window
    driver.finish(driver.open(source), build_capture())
    window.showMaximized()
    driver.wait_until(window.isMaximized)
    window.toggle_presenting()
    assert window.isFullScreen()
    window.toggle_presenting()
    assert window.isMaximized() and not window.isFullScreen()


def test_a_first_window_has_room_on_the_screen_with_its_title(qapp: QApplication) -> None:
    room = qapp.primaryScreen().availableGeometry().size()
    assert is_too_large(room, qapp.primaryScreen())
    assert is_too_large(QSize(room.width() + 1, 100), qapp.primaryScreen())
    assert not is_too_large(room - QSize(0, 60), qapp.primaryScreen())


def test_a_first_window_takes_most_of_a_large_screen() -> None:
    class Large:
        def availableGeometry(self) -> QRect:
            return QRect(0, 0, 2560, 1440)

    class Small:
        def availableGeometry(self) -> QRect:
            return QRect(0, 0, 1280, 720)

    assert first_size(Large()).width() >= 0.8 * 2560
    assert first_size(Small()) == QSize(1280, 720)
