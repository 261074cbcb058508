"""A page is one module with `make_page` and one entry in `PAGES`."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtWidgets import QApplication, QLabel

from jaxscope.ui import application, pages
from jaxscope.ui.pages import PAGES
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.page_context import PageContext
from jaxscope.ui.window.places import Page, Place
from jaxscope.ui.window.settings import Settings

from .conftest import destroy
from .programs import RecordedSession, build_capture


def test_a_module_and_its_name_make_a_page(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(context: PageContext) -> QLabel:
        page = QLabel()
        context.selection.changed.connect(lambda links: page.setText(", ".join(links.stages)))
        context.show_message("The example is here.")
        return page

    module = ModuleType("jaxscope.ui.pages.example")
    module.make_page = make  # type: ignore[attr-defined]  # a module takes any attribute
    monkeypatch.setitem(sys.modules, module.__name__, module)
    registry = {"example": Page("Example", Place.PROGRAM, "What is an example?")}
    monkeypatch.setattr(application, "PAGES", registry)
    bridge = Bridge(RecordedSession)
    settings = Settings(str(tmp_path / "window.json"))
    window = application.build_window(qapp, bridge, RunOptions(), settings)
    try:
        page = window.pages["example"]
        assert isinstance(page, QLabel)
        assert window.row.names["example"].text() == "Example"
        assert window.row.message == "The example is here."
        window.workspace.selection.set_stages(build_capture().stages)
        window.workspace.selection.select_node("jaxpr", 1)
        assert "grad" in page.text()
    finally:
        destroy(window)
        bridge.close()


def test_every_page_says_what_it_answers_and_has_a_module(window: MainWindow) -> None:
    assert list(window.pages) == list(PAGES)
    assert [page.title for page in PAGES.values() if not page.answers.endswith("?")] == []
    folder = Path(pages.__file__).parent
    assert [name for name in PAGES if not (folder / f"{name}.py").is_file()] == []
    assert len({page.title for page in PAGES.values()}) == len(PAGES)


def test_every_command_is_done_by_somebody(window: MainWindow) -> None:
    assert not window.commands.missing_owners
