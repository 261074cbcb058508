"""A file that was edited since it ran: nothing points at a line that is another by now."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from jaxscope.client.events import Failed
from jaxscope.client.requests import CaptureRequest
from jaxscope.errors import TraceError
from jaxscope.model import Capture, FunctionSource, SourceFile
from jaxscope.program.links import LineSelection
from jaxscope.schema.archive import save_capture
from jaxscope.ui.panes.pane_header import SOURCE as SOURCE_PANE
from jaxscope.ui.panes.stage_pane import StagePane
from jaxscope.ui.source.code_view import CodeView
from jaxscope.ui.source.source_lines import NEW_LINE
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import SOURCE
from .test_window import capture_of

EDITED = "# one\n# two\n" + SOURCE.replace("y * 2", "y * 3")


def source_pane(window: MainWindow) -> StagePane:
    area = window.workspace.area
    return next(pane for pane in area.panes if pane.wanted_stage == SOURCE_PANE)


def footnotes(pane: StagePane) -> list[str]:
    return [pane.footnote] if pane.footnote else []


def told(window: MainWindow) -> str:
    """What the inspector says."""
    return window.workspace.inspector.page.toPlainText().replace("\u200b", "")


def edit(driver: Driver, source: Path) -> None:
    """Save another text, of which the run fails: the stages of the earlier run stay."""
    source.write_text(EDITED)
    driver.window.controller.note_file_changed()
    run = driver.wait_for(CaptureRequest, 2)
    run.tell(Failed(TraceError("It does not trace.")))
    driver.wait_until(lambda: driver.window.controller.state.error is not None)
    driver.window.controller.dismiss_error()


def marked(code: CodeView) -> list[str]:
    return [code.lines[line].strip() for line in code.marks]


def test_marks_follow_their_lines_and_what_was_changed_is_marked_nowhere(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    pane, selection = source_pane(window), window.workspace.selection
    assert footnotes(pane) == []
    selection.select_node("jaxpr", 1)
    assert marked(pane.code) == ["y = jnp.sin(x)"]
    edit(driver, source)
    assert pane.code.lines[0] == "# one"
    assert marked(pane.code) == ["y = jnp.sin(x)"]
    selection.select_node("jaxpr", 2)
    assert marked(pane.code) == [], "its line was changed"
    assert not pane.header.caption, "the run failed: there is no cost that could have moved"
    assert footnotes(pane) == [
        "Edited since the run. Boxes and pages number lines as they ran. "
        "1 line of the run changed: not marked."
    ]


def test_a_line_that_is_chosen_selects_what_it_was_when_it_ran(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    edit(driver, source)
    code, selection = source_pane(window).code, window.workspace.selection
    code.go_to_line(6)
    assert selection.place == LineSelection(str(source), 5)
    assert selection.links.stages["jaxpr"].num_nodes == 1
    assert marked(code) == ["y = jnp.sin(x)"]
    assert "model.py, line 7" in told(window), "as in the margin, where it was line 5"
    code.go_to_line(0)
    assert selection.places == () and NEW_LINE in told(window)


def test_what_is_selected_has_the_numbers_of_the_margin(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    selection = window.workspace.selection
    numbers = []
    for is_edited in (False, True):
        if is_edited:
            edit(driver, source)
        lines = source_pane(window).code.lines
        selection.select_node("jaxpr", 1)
        (number,) = re.findall(r"model.py:(\d+)", told(window))
        numbers.append(int(number))
        assert lines[int(number) - 1].strip() == "y = jnp.sin(x)"
    assert numbers == [5, 7]
    selection.select_node("jaxpr", 2)
    assert "model.py:6 of the text that ran" in told(window), "its line was changed"
    selection.select_line(str(source), 6)
    assert "model.py, line 6 of the text that ran" in told(window)
    selection.select_places([LineSelection(str(source), 5), LineSelection(str(source), 6)])
    assert re.findall(r"model.py:\d+(?: of the text that ran)?", told(window))[:2] == [
        "model.py:7",
        "model.py:6 of the text that ran",
    ]


def test_an_error_is_where_the_text_that_failed_says(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    edit(driver, source)
    window.workspace.show_present_line(str(source), 7)
    assert window.workspace.selection.place == LineSelection(str(source), 5)
    window.workspace.show_line(str(source), 5)
    assert window.workspace.selection.place == LineSelection(str(source), 5)


def test_selected_and_bookmarked_lines_go_along_into_the_next_run(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    bookmarks, selection = window.workspace.bookmarks, window.workspace.selection
    bookmarks.set_note(LineSelection(str(source), 5), "the sine")
    bookmarks.set_note(LineSelection(str(source), 6), "the product")
    selection.select_line(str(source), 5)
    source.write_text(EDITED)
    window.controller.note_file_changed()
    again = dataclasses.replace(
        capture_of(source), files=(SourceFile(str(source), EDITED, "1" * 64),)
    )
    driver.finish(driver.wait_for(CaptureRequest, 2), again)
    assert selection.place == LineSelection(str(source), 7)
    assert dict(bookmarks.notes) == {
        LineSelection(str(source), 7): "the sine",
        LineSelection(str(source), 8): "the product",
    }
    assert footnotes(source_pane(window)) == []


def long_capture() -> Capture:
    """Of a function far below the top of its file."""
    text = "# above\n" * 200 + SOURCE
    path = "/home/u/model.py"
    return dataclasses.replace(
        capture_of(Path(path)),
        source=FunctionSource(path, 204, SOURCE),
        files=(SourceFile(path, text, "2" * 64),),
    )


def test_a_capture_that_is_opened_shows_the_function_that_was_called(
    driver: Driver, window: MainWindow, tmp_path: Path
):
    path = tmp_path / "long.jaxscope"
    layout = window.files.layout()
    save_capture(long_capture(), path, layout=layout)
    with driver.qtbot.waitSignal(window.files.captures.opened):
        window.open_path(str(path))
    code = source_pane(window).code
    driver.wait_until(lambda: code.isVisible() and code.verticalScrollBar().value() > 0)
    (place,) = code.places_of_lines([203])
    assert code.lines[203] == "def f(x):" and 0 <= place[0] < code.viewport().height()


def test_a_pane_that_comes_later_begins_at_the_function_too(
    driver: Driver, window: MainWindow, tmp_path: Path
):
    path = tmp_path / "long.jaxscope"
    save_capture(long_capture(), path)
    with driver.qtbot.waitSignal(window.files.captures.opened):
        window.open_path(str(path))
    pane = window.workspace.area.open_pane(SOURCE_PANE)
    assert pane is not None
    driver.wait_until(lambda: pane.code.verticalScrollBar().value() > 0)
    (place,) = pane.code.places_of_lines([203])
    assert 0 <= place[0] < pane.code.viewport().height()
