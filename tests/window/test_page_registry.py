"""A page is one module with `add(context)` and one name in the list of pages."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtWidgets import QApplication, QLabel

from jaxscope.ui import application
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.window.page_context import PageContext
from jaxscope.ui.window.settings import Settings

from .conftest import destroy
from .programs import RecordedSession, build_capture


def test_a_module_and_its_name_make_a_page(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = QLabel()

    def add(context: PageContext) -> None:
        context.add_page(page, "Example")
        context.selection.changed.connect(lambda links: page.setText(", ".join(links.stages)))
        context.show_message("The example is here.")

    module = ModuleType("jaxscope.ui.pages.example")
    module.add = add  # type: ignore[attr-defined] # a module made by hand
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(application, "PAGES", ("example",))
    bridge = Bridge(RecordedSession)
    settings = Settings(str(tmp_path / "window.ini"))
    window = application.build_window(qapp, bridge, RunOptions(), settings)
    try:
        tabs = window.workspace.tabs
        assert tabs.tabText(tabs.indexOf(page)) == "Example"
        assert window.statusBar().currentMessage() == "The example is here."
        window.workspace.selection.set_stages(build_capture().stages)
        window.workspace.selection.select_node("jaxpr", 1)
        assert "grad" in page.text()
    finally:
        destroy(window)
        bridge.close()
