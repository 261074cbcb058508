"""A page is one module with a `PAGE` and one name in the list of pages."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QTabWidget

from jaxscope.ui import application
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.page_context import Page, PageContext
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
    # A bare module has no such attribute.
    module.PAGE = Page("Example", "What is an example?", make)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(application, "PAGES", ("example",))
    bridge = Bridge(RecordedSession)
    settings = Settings(str(tmp_path / "window.ini"))
    window = application.build_window(qapp, bridge, RunOptions(), settings)
    try:
        tabs, page = window.workspace.tabs, window.pages["example"]
        assert isinstance(page, QLabel)
        assert tabs.tabText(tabs.indexOf(page)) == "Example"
        assert window.statusBar().currentMessage() == "The example is here."
        window.workspace.selection.set_stages(build_capture().stages)
        window.workspace.selection.select_node("jaxpr", 1)
        assert "grad" in page.text()
    finally:
        destroy(window)
        bridge.close()


def test_every_page_says_what_it_answers_and_stands_at_its_place(window: MainWindow) -> None:
    assert tuple(window.pages) == application.PAGES
    outer, inner = window.workspace.tabs, window.pages["experiments"]
    assert isinstance(inner, QTabWidget)
    for tabs in (outer, inner):
        hints = [tabs.tabToolTip(index) for index in range(tabs.count())]
        assert all(hint.endswith("?") for hint in hints if hint)
        pages = [page for page in window.pages.values() if tabs.indexOf(page) >= 0]
        assert [tabs.indexOf(page) for page in pages] == sorted(tabs.indexOf(p) for p in pages)
    assert all(outer.indexOf(page) + inner.indexOf(page) >= -1 for page in window.pages.values())


def test_every_command_is_done_by_somebody(window: MainWindow) -> None:
    assert not window.commands.missing_owners
