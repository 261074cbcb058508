"""Puts the pages of memory and of the roofline into a window, and follows what they choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from jaxscope.client.ceilings_collector import store_ceilings, stored_ceilings
from jaxscope.client.requests import CalibrationRequest, RematRequest
from jaxscope.model.roofline import Ceilings
from jaxscope.ui.pages.memory import MemoryPage
from jaxscope.ui.pages.roofline import RooflinePage
from jaxscope.ui.state import WindowState
from jaxscope.ui.theme import ThemeSwitch

if TYPE_CHECKING:
    from jaxscope.ui.window import MainWindow


class MemoryMenu(QObject):
    """Owns the pages; lives as long as its window."""

    def __init__(self, window: MainWindow, themes: ThemeSwitch) -> None:
        super().__init__(window)
        self._window, self._themes = window, themes
        self._measured: Ceilings | None = None
        self._host: object = None
        self.page, self.roofline = MemoryPage(), RooflinePage()
        window.workspace.tabs.add_page(self.page, "Memory")
        window.workspace.lab.addTab(self.roofline, "Roofline")
        self.page.node_chosen.connect(window.workspace.selection.select_node)
        self.page.remat.compare_requested.connect(self._on_compare_requested)
        self.roofline.nodes_chosen.connect(self._on_roofline_nodes_chosen)
        self.roofline.calibration_requested.connect(self._on_roofline_calibration_requested)
        self.roofline.shown.connect(self._on_roofline_shown)
        window.controller.state_changed.connect(self._on_controller_state_changed)
        themes.changed.connect(self._on_themes_changed)
        self._on_themes_changed()
        self._on_controller_state_changed()

    def _on_controller_state_changed(self) -> None:
        state = self._window.controller.state
        if state.capture is not None or not state.is_running:
            self.page.show_capture(state.capture)
        can_run = bool(state.file and state.call) and not state.is_view_only
        self.roofline.set_can_calibrate(can_run and not state.is_running)
        self.page.remat.set_can_compare(can_run and not state.is_running)
        remat = state.lab.rematpolicies
        self.page.remat.show_policies(remat if remat and remat.call == state.call else None)
        measured = state.lab.ceilings
        if measured is not None and measured is not self._measured:
            store_ceilings(measured)
            self._measured = measured
        if self.roofline.isVisible():
            self._show_roofline(state)

    def _show_roofline(self, state: WindowState) -> None:
        """Only while it is looked at: a run changes the state many times."""
        environment = state.head.environment if state.head is not None else None
        if self._measured is None and environment is not None and environment != self._host:
            self._host = environment
            self._measured = stored_ceilings(environment)
        stage = next((stage for stage in state.stages if stage.name == "optimized"), None)
        self.roofline.show_program(stage, self._measured, state.capture)

    def _on_roofline_shown(self) -> None:
        self._show_roofline(self._window.controller.state)

    def _on_roofline_nodes_chosen(self, stage: str, nodes: Sequence[int]) -> None:
        self._window.workspace.selection.select_nodes(stage, nodes)

    def _on_compare_requested(self) -> None:
        self._window.controller.experiment(RematRequest())

    def _on_roofline_calibration_requested(self) -> None:
        self._window.controller.experiment(
            CalibrationRequest(target=self._window.controller.state.target)
        )

    def _on_themes_changed(self) -> None:
        self.page.set_theme(self._themes.theme)
        self.roofline.set_theme(self._themes.theme)


def add_memory(window: MainWindow, themes: ThemeSwitch) -> MemoryMenu:
    """Give a window its pages of memory and of the roofline."""
    return MemoryMenu(window, themes)
