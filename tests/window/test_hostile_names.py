"""Whatever things are called: no text of the window is turned around, and none takes long."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from export.test_hostile_names import name_everything
from jaxscope.export.capture_json import capture_to_json
from jaxscope.marks import has_marks, show_marks
from jaxscope.model import Graph
from jaxscope.picture.syntax import PythonColouring
from jaxscope.schema.archive import save_capture
from jaxscope.ui.panes.pane_header import Form
from jaxscope.ui.source.code_view import CodeView
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings
from jaxscope.ui.window.trust import TrustedFoldersDialog

from .programs import build_capture

MARKED = "ab\u202ecd\x1b[31mef\u2066g\x00h"
TEXTS = (
    *("text", "title", "windowTitle", "toolTip", "accessibleName", "accessibleDescription"),
    *("placeholderText", "currentText"),
)
ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)


def texts(window: MainWindow) -> Iterator[tuple[QWidget, str]]:
    """All that labels, buttons, fields and tables of a window say, whether seen or not."""
    for widget in (window, *window.findChildren(QWidget)):
        for name in TEXTS:
            found = getattr(widget, name, None)
            if callable(found) and isinstance(said := found(), str):
                yield widget, said
        if isinstance(widget, QComboBox):
            yield from ((widget, widget.itemText(row)) for row in range(widget.count()))
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            yield from ((widget, text) for text in cells(widget.model(), QModelIndex()))


def cells(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[str]:
    is_list = isinstance(model, QAbstractListModel)  # which tells no columns
    for row in range(model.rowCount(parent)):
        for column in range(1 if is_list else model.columnCount(parent)):
            place = model.index(row, column, parent)
            yield from (t for role in ROLES if isinstance(t := model.data(place, role), str))
            if not column:
                yield from cells(model, place)


def turned(window: MainWindow) -> list[tuple[str, str]]:
    return [(type(widget).__name__, text) for widget, text in texts(window) if has_marks(text)]


@pytest.mark.parametrize("name", (MARKED, "x" * 10_000), ids=("marks", "long"))
@pytest.mark.parametrize("ending", ("jaxscope", "json"))
@pytest.mark.slow
def test_a_capture_in_which_everything_has_a_bad_name(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, name: str, ending: str
) -> None:
    capture = name_everything(build_capture(), name)
    (stage,), graph = capture.stages, capture.stages[0].graph
    assert isinstance(graph, Graph)  # the file of somebody who writes what he likes
    written = tuple(name if text == show_marks(name) else text for text in graph.strings)
    stage = dataclasses.replace(stage, graph=dataclasses.replace(graph, strings=written))
    capture = dataclasses.replace(capture, stages=(stage,))
    path = tmp_path / f"saved.{ending}"
    if ending == "json":
        path.write_text(json.dumps(capture_to_json(capture)), "utf-8")
    else:
        save_capture(capture, path)
    window.open_path(str(path))
    qtbot.waitUntil(lambda: window.controller.state.capture is not None)
    area = window.workspace.area
    assert turned(window) == []
    for form in (Form.TEXT, Form.TABLE, Form.TREE, Form.GRAPH):
        window.workspace.set_form(form)
        qtbot.waitUntil(lambda: not any(canvas.is_busy for canvas in area.canvases()))
        window.grab()
    window.workspace.selection.select_node(capture.stages[0].name, 1)
    for page in window.pages:
        window.pages.show_page(page)
        QApplication.processEvents()
    window.show_palette()
    assert turned(window) == []


def test_a_file_and_a_folder_with_marks_in_their_names(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "ab\u202ecd" / "fi\u202eyp.le.py"
    path.parent.mkdir()
    path.write_text("def f(x):\n    return x\n", "utf-8")
    window.files.path_chosen.emit(str(path))
    qtbot.waitUntil(lambda: window.trust_question.isVisible())
    window.trust_question.folder.click()
    dialog = TrustedFoldersDialog(Settings(str(tmp_path / "window.json")))
    qtbot.addWidget(dialog)
    assert dialog.list.count() == 1 and not has_marks(dialog.list.item(0).text())
    dialog.list.setCurrentRow(0)
    dialog.remove.click()
    assert Settings(str(tmp_path / "window.json")).trusted_folders == ()
    window._fill_recent()
    window.call_bar.set_call('f("a\u202eb")')
    assert turned(window) == []
    window.controller.close_file()
    window.show_palette()
    assert turned(window) == []
    assert not has_marks(window._recent_menu.actions()[0].text())


def test_a_line_of_code_is_painted_in_the_order_in_which_it_is_written(qtbot: QtBot) -> None:
    """Else a person would allow to run what he has not read."""
    pictures = []
    for line in (f"if x: # {MARKED} y", f"if x: # {show_marks(MARKED)} y"):
        view = CodeView()
        qtbot.addWidget(view)
        view.resize(600, 60)
        view.set_lines([line], PythonColouring(line))
        pictures.append(view.grab().toImage())
    assert pictures[0] == pictures[1]
