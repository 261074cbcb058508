"""The export dialog and what follows from it: what is seen, or everything, as chosen."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QLabel, QStyle, QStyleOptionComboBox
from pytestqt.qtbot import QtBot

from jaxscope.errors import UsageError
from jaxscope.export.choices import FORMATS
from jaxscope.export.order import OnProgress
from jaxscope.model import Capture, Unavailable
from jaxscope.picture.palette import DARK, LIGHT
from jaxscope.picture.tint.classes import ColourBy
from jaxscope.program.diff.captures import ComparedCapture, compare_captures
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.pages.compare import ComparePage
from jaxscope.ui.panes.pane_header import SOURCE
from jaxscope.ui.session.screen import title_of_stage
from jaxscope.ui.window.error_panel import kind_of_error
from jaxscope.ui.window.exporter import ExportChoice, ExportDialog, ExportExtent
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import SOURCE as PROGRAM
from .programs import build_capture

ARROW_PX = 20
"""What the arrow of a box takes at its end."""


@pytest.fixture
def capture() -> Capture:
    return build_capture()


@pytest.fixture
def canvas(driver: Driver, source: Path, capture: Capture) -> GraphCanvas:
    """The graph of the jaxpr, in the active pane."""
    driver.finish(driver.open(source), capture)
    area = driver.window.workspace.area
    area.show_in_main("jaxpr")
    pane = area.active
    assert pane is not None
    driver.wait_until(lambda: pane.canvas is not None and pane.canvas.scene is not None)
    assert pane.canvas is not None
    return pane.canvas


def export(driver: Driver, path: Path, choice: ExportChoice | None = None) -> str:
    """Export and wait; returns what the window says of it."""
    files = driver.window.files
    with driver.qtbot.waitSignal(files.exporter.finished) as done:
        files.export(str(path), choice)
    return str(done.args[0])


def test_what_is_seen_has_its_colours_marks_and_direction(
    driver: Driver, canvas: GraphCanvas, tmp_path: Path
) -> None:
    export(driver, tmp_path / "plain.svg")
    canvas.set_direction("right")
    driver.wait_until(lambda: canvas.scene is not None and canvas.scene.direction == "right")
    canvas.set_colour_by(ColourBy.DIRECTION)
    canvas.set_highlight([1], [2], [])
    scene = canvas.scene
    assert scene is not None
    export(driver, tmp_path / "seen.svg", ExportChoice(theme="dark"))
    plain, seen = ((tmp_path / name).read_text() for name in ("plain.svg", "seen.svg"))
    assert LIGHT.background in plain
    assert DARK.background in seen
    assert f'stroke="{DARK.selected}"' in seen
    assert f'stroke="{LIGHT.selected}"' not in plain
    assert ">neither</text>" in seen, "the legend"
    assert seen.count(' id="') == len(scene.items)


def test_everything_is_a_file_for_each_stage(
    driver: Driver, canvas: GraphCanvas, capture: Capture, tmp_path: Path
) -> None:
    said = export(driver, tmp_path / "all.svg", ExportChoice(ExportExtent.ALL))
    names = {path.name for path in tmp_path.glob("all*.svg")}
    assert names == {f"all-{stage.name}.svg" for stage in capture.stages if stage.graph}
    assert all(name in said for name in names)


def test_a_page_of_what_is_seen_has_the_stages_of_the_open_panes(
    driver: Driver, canvas: GraphCanvas, capture: Capture, tmp_path: Path
) -> None:
    area = driver.window.workspace.area
    shown = {pane.wanted_stage for pane in area.panes} & {s.name for s in capture.stages}
    export(driver, tmp_path / "seen.html")
    export(driver, tmp_path / "all.html", ExportChoice(ExportExtent.ALL))
    drawings = [
        len(re.findall('<template id="drawing-', (tmp_path / name).read_text()))
        for name in ("seen.html", "all.html")
    ]
    assert drawings == [len(shown), len(capture.stages)]
    assert drawings[0] < drawings[1]


def test_the_dialog_leads_to_a_file(
    driver: Driver, qtbot: QtBot, canvas: GraphCanvas, tmp_path: Path
) -> None:
    window = driver.window
    window.export_dialog()
    dialog = window.findChild(ExportDialog)
    assert dialog is not None
    dialog.formats.setCurrentIndex(list(FORMATS).index("png"))
    dialog.width_px.setValue(700)
    buttons = dialog.findChild(QDialogButtonBox)
    assert buttons is not None
    go = next(b for b in buttons.buttons() if b.text().startswith("Export"))
    qtbot.mouseClick(go, Qt.MouseButton.LeftButton)
    chooser = window.findChild(QFileDialog)
    assert chooser is not None
    assert chooser.defaultSuffix() == "png"
    path = tmp_path / "wide.png"
    with qtbot.waitSignal(window.files.exporter.finished):
        chooser.fileSelected.emit(str(path))
    chooser.close()
    assert int.from_bytes(path.read_bytes()[16:20], "big") == pytest.approx(700, abs=1)


def test_what_cannot_be_written_is_told_and_leaves_nothing(
    driver: Driver, canvas: GraphCanvas, tmp_path: Path
) -> None:
    files = driver.window.files
    with driver.qtbot.waitSignal(files.exporter.failed) as failed:
        files.export(str(tmp_path / "no such folder" / "a.svg"))
    assert "was not written" in failed.args[0].explanation.what
    (tmp_path / "taken.svg").mkdir()
    with driver.qtbot.waitSignal(files.exporter.failed):
        files.export(str(tmp_path / "taken.svg"))
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".svg"] == ["taken.svg"]


def asked(window: MainWindow) -> ExportDialog:
    """The dialog, once the command was given."""
    window.export_dialog()
    dialog = window.findChild(ExportDialog)
    assert dialog is not None
    return dialog


def offered(dialog: ExportDialog) -> set[str]:
    return {dialog.formats.itemData(number) for number in range(dialog.formats.count())}


def test_of_the_source_its_text_is_offered_first_and_then_the_graph_beside_it(
    driver: Driver, canvas: GraphCanvas, tmp_path: Path
) -> None:
    area = driver.window.workspace.area
    area.activate(next(pane for pane in area.panes if pane.wanted_stage == SOURCE))
    dialog = asked(driver.window)
    assert dialog.ending == "txt" and "The text of Source." in texts(dialog)
    dialog.formats.setCurrentIndex(dialog.formats.findData("svg"))
    title = title_of_stage("jaxpr")
    assert f"Source has no graph: this is the one of {title}." in texts(dialog)
    dialog.accept()
    chooser = driver.window.findChild(QFileDialog)
    assert chooser is not None and "jaxpr" in chooser.selectedFiles()[0]
    chooser.close()
    for extent in (ExportExtent.SEEN, ExportExtent.OPENED):  # a text has no groups
        export(driver, tmp_path / f"{extent.name}.txt", ExportChoice(extent))
        assert (tmp_path / f"{extent.name}.txt").read_text() == PROGRAM
    export(driver, tmp_path / "seen.svg", ExportChoice())
    scene = canvas.scene
    assert scene is not None
    assert (tmp_path / "seen.svg").read_text().count(' id="') == len(scene.items)


def test_a_program_without_a_graph_is_offered_as_text_alone(
    driver: Driver, canvas: GraphCanvas, capture: Capture
) -> None:
    none = Unavailable("It has no graph.")
    stages = tuple(dataclasses.replace(stage, graph=none) for stage in capture.stages)
    state = driver.window.controller.state
    bare = dataclasses.replace(capture, stages=stages)
    driver.window.controller.state = dataclasses.replace(state, capture=bare, stages=stages)
    assert offered(asked(driver.window)) == {*FORMATS} - {"svg", "png", "pdf", "dot"}


def test_an_error_of_an_export_speaks_of_it_and_goes_with_the_next_that_succeeds(
    driver: Driver, canvas: GraphCanvas, capture: Capture, tmp_path: Path
) -> None:
    files, controller = driver.window.files, driver.window.controller
    bare = dataclasses.replace(capture.stages[0], text=Unavailable("It was not dumped."))
    before = controller.state
    controller.state = dataclasses.replace(
        before, capture=dataclasses.replace(capture, stages=(bare, *capture.stages[1:]))
    )
    with driver.qtbot.waitSignal(files.exporter.failed) as failed:
        files.export(str(tmp_path / "a.txt"), ExportChoice())
    error = failed.args[0]
    assert error.explanation.what == f"{tmp_path / 'a.txt'} was not written."
    assert error.explanation.why.endswith("It was not dumped.")
    assert kind_of_error(error) == "This cannot be done" and controller.state.error is error
    export(driver, tmp_path / "a.svg", ExportChoice())
    assert controller.state.error is None
    other = UsageError("Of something else.")
    controller.show_problem(other)
    export(driver, tmp_path / "a.svg", ExportChoice())
    assert controller.state.error is other


def test_of_a_comparison_on_the_screen_the_comparison_is_exported(
    driver: Driver, canvas: GraphCanvas, capture: Capture, tmp_path: Path
) -> None:
    window = driver.window
    page = window.pages["compare"]
    assert isinstance(page, ComparePage)
    window.pages.show_page("compare")
    assert asked(window).extents.itemText(0) == "What is seen in Program", "nothing is compared"
    window.findChild(ExportDialog).close()
    other = dataclasses.replace(capture, call="another(f32[7])")
    sides = (ComparedCapture("one", capture, None), ComparedCapture("two", other, None))
    page.show_comparison(compare_captures(*sides))
    window.export_dialog()
    chooser = window.findChild(QFileDialog)
    assert chooser is not None and chooser.windowTitle() == "Save the comparison"
    path = tmp_path / "both.html"
    chooser.fileSelected.emit(str(path))
    driver.wait_until(lambda: window.row.message == f"Saved to {path}")
    chooser.close()
    written = path.read_text()
    assert capture.call in written and other.call in written


def texts(dialog: ExportDialog) -> str:
    return " ".join(label.text() for label in dialog.findChildren(QLabel))


def test_the_dialog_offers_only_what_makes_sense(qtbot: QtBot) -> None:
    dialog = ExportDialog("dark", (100.0, 300.0))
    qtbot.addWidget(dialog)
    assert dialog.choice == ExportChoice(ExportExtent.SEEN, "dark")
    enabled = {}
    for number, ending in enumerate(FORMATS):
        dialog.formats.setCurrentIndex(number)
        assert dialog.ending == ending
        enabled[ending] = (dialog.themes.isEnabled(), dialog.width_px.isEnabled())
    assert enabled["png"] == (True, True)
    assert enabled["svg"] == enabled["pdf"] == enabled["dot"] == (True, False)
    assert enabled["html"] == enabled["txt"] == enabled["json"] == (False, False)


def test_an_export_can_be_stopped_and_leaves_nothing(
    driver: Driver, canvas: GraphCanvas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def linger(_order: object, on_step: OnProgress) -> None:
        while True:  # as long as a large picture takes
            on_step("Drawing", 0.4)

    monkeypatch.setattr("jaxscope.export.render.render_order", linger)
    files, window = driver.window.files, driver.window
    files.export(str(tmp_path / "large.svg"))
    progress = files.progress
    assert progress is not None
    driver.wait_until(progress.isVisible)
    with driver.qtbot.waitSignal(files.exporter.failed) as refused:
        files.export(str(tmp_path / "other.svg"))
    assert "Another export" in refused.args[0].explanation.what
    with driver.qtbot.waitSignal(files.exporter.stopped):
        driver.qtbot.mouseClick(progress.stop_button, Qt.MouseButton.LeftButton)
    assert not progress.isVisible()
    assert "stopped" in window.row.message
    files.export(str(tmp_path / "large.svg"))
    with driver.qtbot.waitSignal(files.exporter.stopped):
        window.stop_run()
    assert list(tmp_path.glob("*.svg")) == []
    assert list(tmp_path.glob(".*")) == []


def test_every_choice_can_be_read_and_no_button_has_an_icon(
    window: MainWindow, qtbot: QtBot
) -> None:
    dialog = ExportDialog("light", (100.0, 300.0), window)
    dialog.show()
    qtbot.waitExposed(dialog)
    for box in (dialog.extents, dialog.formats, dialog.themes):
        option = QStyleOptionComboBox()
        box.initStyleOption(option)
        parts = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        field = box.style().subControlRect(parts[0], option, parts[1], box)
        room = min(field.right(), box.width() - ARROW_PX) - field.left()
        for at in range(box.count()):
            assert box.fontMetrics().horizontalAdvance(box.itemText(at)) <= room, box.itemText(at)
    for number, ending in enumerate(FORMATS):
        dialog.formats.setCurrentIndex(number)
        assert dialog.width_px.isVisible() is (ending == "png")
        assert dialog.extents.isVisible() is (ending != "json")
    buttons = dialog.findChild(QDialogButtonBox)
    assert buttons is not None
    style = buttons.style()
    hint = QStyle.StyleHint.SH_DialogButtonBox_ButtonsHaveIcons
    assert not style.styleHint(hint, None, buttons)
    assert all(button.icon().isNull() for button in buttons.buttons())
