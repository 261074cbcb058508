"""Puts the page of devices into a window, and follows what it chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from jaxscope.analysis.links import NodeSelection
from jaxscope.analysis.sharding.collectives import find_collectives
from jaxscope.analysis.sharding.nodes import NodeSharding, NodeShardings
from jaxscope.analysis.sharding.report import tell_collective
from jaxscope.analysis.sharding.words import spell_spec, tell_sharding
from jaxscope.model import Capture, Unavailable
from jaxscope.model.sharding import Placement
from jaxscope.ui.pages.sharding import ShardingPage
from jaxscope.ui.plain import escape_breakable
from jaxscope.ui.theme import ThemeSwitch

if TYPE_CHECKING:
    from jaxscope.ui.window import MainWindow


class ShardingMenu(QObject):
    """Owns the page; lives as long as its window."""

    def __init__(self, window: MainWindow, themes: ThemeSwitch) -> None:
        super().__init__(window)
        self._window, self._themes = window, themes
        self.page = ShardingPage()
        self._capture: Capture | None = None
        self._shardings: NodeShardings | None = None
        window.workspace.tabs.add_page(self.page, "Devices")
        window.workspace.inspector.additions.append(self._describe_selected)
        self.page.node_chosen.connect(window.workspace.selection.select_node)
        window.controller.state_changed.connect(self._on_controller_state_changed)
        themes.changed.connect(self._on_themes_changed)
        self._on_themes_changed()
        self._on_controller_state_changed()

    def _on_controller_state_changed(self) -> None:
        state = self._window.controller.state
        if state.capture is not None or not state.is_running:
            self.page.show_capture(state.capture)
            if state.capture is not self._capture:
                self._capture, self._shardings = state.capture, None

    def _describe_selected(self) -> str:
        """How the selected node's values lie on several devices, as HTML; empty for one device."""
        selection, capture = self._window.workspace.selection.selection, self._capture
        if capture is None or not isinstance(selection, NodeSelection) or not selection.nodes:
            return ""
        placement, stage = capture.placement, capture.stage(selection.stage)
        if isinstance(placement, Unavailable) or len(placement.devices) < 2:
            return ""
        if len(selection.nodes) > 1 or stage is None or isinstance(stage.graph, Unavailable):
            return ""
        self._shardings = self._shardings or NodeShardings(capture)
        found = self._shardings.of(stage.name, stage.graph, selection.nodes[0])
        told = [
            f"{escape_breakable(value.type)}: "
            f"{escape_breakable(spell_spec(value.sharding, placement.axes))} "
            f"{escape_breakable(_tell(value, placement))}<br>"
            for value in found
        ]
        exchanged = find_collectives(stage.graph, placement, selection.nodes)
        told += [escape_breakable(tell_collective(collective)) for collective in exchanged]
        return f"<h4>On {len(placement.devices)} devices</h4><p>{''.join(told)}</p>" if told else ""

    def _on_themes_changed(self) -> None:
        self.page.set_theme(self._themes.theme)


def _tell(value: NodeSharding, placement: Placement) -> str:
    how = tell_sharding(value.sharding, placement.axes, len(placement.devices))
    return f"{how} ({value.origin})"


def add_sharding(window: MainWindow, themes: ThemeSwitch) -> ShardingMenu:
    """Give a window its page of devices."""
    return ShardingMenu(window, themes)
