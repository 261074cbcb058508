"""Puts the page of fusions into a window, and keeps it in step with what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from jaxscope.ui.fusion_describing import describe_launches
from jaxscope.ui.fusion_reading import OPTIMIZED
from jaxscope.ui.pages.fusions import FusionsPage

if TYPE_CHECKING:
    from jaxscope.ui.window import MainWindow

_TITLE = "Fusions"


class FusionsMenu(QObject):
    """Owns the page; lives as long as its window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.page = FusionsPage()
        window.workspace.tabs.add_page(self.page, _TITLE)
        self.page.fusion_chosen.connect(self._on_page_fusion_chosen)
        window.workspace.fusions.changed.connect(self._on_fusions_changed)
        self._on_fusions_changed()  # a capture may be there before this page is

    def _on_fusions_changed(self) -> None:
        fusions = self._window.workspace.fusions
        report = fusions.report
        self.page.show_report(report, fusions.problem)
        told = describe_launches(report) if report is not None else ()
        self._window.strip.set_hint(OPTIMIZED, told[0] if told else "")

    def _on_page_fusion_chosen(self, node: int) -> None:
        self._window.workspace.selection.select_node(OPTIMIZED, node)


def add_fusions(window: MainWindow) -> FusionsMenu:
    """Give a window its page of fusions."""
    return FusionsMenu(window)
