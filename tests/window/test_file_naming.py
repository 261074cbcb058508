"""What dialogs offer: a name that says what is saved, in the folder used last."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QStandardPaths
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QTreeView
from pytestqt.qtbot import QtBot

from jaxscope.ui.window.exporter import ExportDialog, ExportExtent
from jaxscope.ui.window.files import suggest_name
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .test_window import capture_of


@pytest.mark.parametrize(
    ("about", "name"),
    [
        (("/home/u/my model.py", "grad(f)(x, i4[8])"), "my-model-grad-f-x-i4-8.svg"),
        (("run.jaxscope", 'f({"a/b": "..\\x00"})', "jaxpr"), "run-f-a-b-x00-jaxpr.svg"),
        (("/", "…", ""), "jaxscope.svg"),
    ],
)
def test_names_are_made_of_letters_digits_and_hyphens(about: tuple[str, ...], name: str):
    assert suggest_name("svg", *about) == name


def test_a_long_call_is_cut_between_words():
    name = suggest_name("png", "model.py", ", ".join(f"argument_{n}" for n in range(40)))
    assert len(name) <= 84 and name.startswith("model-argument_0-")
    assert name.removesuffix(".png").rpartition("-")[2].startswith("argument_")
    assert len(suggest_name("png", "x" * 500)) == 84


def asked(window: MainWindow) -> QFileDialog:
    found = [each for each in window.findChildren(QFileDialog) if each.isVisible()]
    assert len(found) == 1
    return found[0]


def offered(window: MainWindow) -> Path:
    (path,) = asked(window).selectedFiles()
    return Path(path)


@pytest.fixture
def fresh_dialogs(tmp_path: Path) -> Iterator[None]:
    """Dialogs of files remember nothing of those before: Qt keeps the widths of their columns."""
    form, scope = QSettings.Format.NativeFormat, QSettings.Scope.UserScope
    usual = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    QSettings.setPath(form, scope, str(tmp_path / "settings"))
    yield
    QSettings.setPath(form, scope, usual)


@pytest.mark.usefixtures("fresh_dialogs")
def test_names_and_sizes_in_the_dialog_of_files_are_read_whole(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
):
    with open(tmp_path / "a_transformer_of_twelve_layers.py", "wb") as file:
        file.truncate(1_073_000_000)  # no text of a size is longer
    window.files.ask_open()
    asked(window).setDirectory(str(tmp_path))
    files = asked(window).findChild(QTreeView)
    assert files is not None
    qtbot.waitUntil(lambda: files.model().rowCount(files.rootIndex()) > 0)
    qtbot.waitUntil(lambda: files.header().length() <= files.viewport().width())
    for column in range(files.model().columnCount()):
        assert files.columnWidth(column) >= files.sizeHintForColumn(column), column
    asked(window).close()


def test_saving_offers_file_and_call_and_then_the_folder_used_last(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
):
    driver.finish(driver.open(source), capture_of(source))
    window.files.ask_save()
    assert offered(window) == tmp_path / "model-grad-f-f32-3.jaxscope"
    kept = tmp_path / "kept"
    kept.mkdir()
    with driver.qtbot.waitSignal(window.files.captures.saved):
        asked(window).fileSelected.emit(str(kept / "mine.jaxscope"))
    asked(window).close()
    window.files.ask_save()
    assert offered(window) == kept / "model-grad-f-f32-3.jaxscope"
    asked(window).close()
    with driver.qtbot.waitSignal(window.files.captures.opened):
        window.open_path(str(kept / "mine.jaxscope"))
    window.files.ask_save()
    assert offered(window) == kept / "mine.jaxscope", "a capture that was opened keeps its name"
    asked(window).close()


@pytest.mark.parametrize(
    ("ending", "extent", "name"),
    [
        ("svg", ExportExtent.SEEN, "model-grad-f-f32-3-optimized.svg"),
        ("html", ExportExtent.SEEN, "model-grad-f-f32-3.html"),
        ("png", ExportExtent.ALL, "model-grad-f-f32-3.png"),
    ],
)
def test_exporting_offers_the_stage_too_where_a_picture_is_of_one(
    driver: Driver, window: MainWindow, source: Path, ending: str, extent: ExportExtent, name: str
):
    driver.finish(driver.open(source), dataclasses.replace(capture_of(source)))
    window.workspace.area.show_in_main("optimized")
    window.export_dialog()
    dialog = window.findChild(ExportDialog)
    assert dialog is not None
    dialog.formats.setCurrentIndex(dialog.formats.findData(ending))
    dialog.extents.setCurrentIndex(dialog.extents.findData(extent))
    buttons = dialog.findChild(QDialogButtonBox)
    assert buttons is not None
    buttons.accepted.emit()
    assert offered(window).name == name
    assert asked(window).defaultSuffix() == ending
    asked(window).close()


@pytest.mark.parametrize("ask", ["ask_open", "ask_open_folder"])
def test_a_dialog_of_files_ends_with_its_answer(window: MainWindow, qtbot: QtBot, ask: str) -> None:
    """One that was only hidden watched its folder, and read each file there that changed."""
    getattr(window.files, ask)()
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    with qtbot.waitSignal(dialog.destroyed):
        dialog.reject()
    assert window.findChild(QFileDialog) is None
