"""Puts XLA's passes into a window: their page, and the command that records them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence

from jaxscope.analysis.links import NO_LINKED, Links, NodeSelection
from jaxscope.model import Stage, Unavailable, is_available
from jaxscope.ui.pages.passes import PassesPage
from jaxscope.ui.screen import LATE_NAMES
from jaxscope.ui.theme import ThemeSwitch

if TYPE_CHECKING:
    from jaxscope.ui.compare_menu import CompareMenu
    from jaxscope.ui.window import MainWindow

_TITLE = "Passes"
_MENU = "Run"


class PassesMenu(QObject):
    """Owns the page; lives as long as its window."""

    def __init__(self, window: MainWindow, themes: ThemeSwitch, comparing: CompareMenu) -> None:
        super().__init__(window)
        self._window, self._themes = window, themes
        self.page = PassesPage()
        window.workspace.tabs.add_page(self.page, _TITLE)
        self.action = QAction("Record XLA's passes", window)
        self.action.setShortcut(QKeySequence("Ctrl+Shift+F5"))
        self.action.triggered.connect(self.record)
        for entry in window.menuBar().actions():
            menu = entry.menu()
            if entry.text() == _MENU and menu is not None:
                menu.addAction(self.action)  # type: ignore[attr-defined] # PySide types it QObject
        self.page.record_requested.connect(self.record)
        self.page.without_requested.connect(comparing.compare_without_pass)
        self.page.equations_chosen.connect(self._on_equations_chosen)
        window.controller.state_changed.connect(self._on_controller_state_changed)
        window.workspace.selection.changed.connect(self._on_selection_changed)
        window.workspace.inspector.pass_requested.connect(self._on_pass_requested)
        window.workspace.fates.changed.connect(self._on_fates_changed)
        themes.changed.connect(self._on_themes_changed)
        self._on_themes_changed()
        self._on_controller_state_changed()

    def record(self) -> None:
        """Run the present call again, and record the passes."""
        state = self._window.controller.state
        if state.call:
            self._window.workspace.tabs.setCurrentWidget(self.page)
            self._window.controller.run(state.call, state.target, passes=True)

    def _on_controller_state_changed(self) -> None:
        state = self._window.controller.state
        can_record = bool(state.file and state.call) and not state.is_view_only
        self.page.set_can_record(can_record and not state.is_running)
        self.action.setEnabled(can_record and not state.is_running)
        if state.capture is None:
            if not state.is_running:
                self.page.show_passes(())
            return
        stage = state.capture.stage("passes")
        missing = stage.unavailable if stage is not None else None
        reason = missing.reason if isinstance(missing, Unavailable) else ""
        if stage is None and state.is_view_only:
            reason = "This capture was made without recording XLA's passes."
        self.page.show_passes(state.capture.passes, reason, state.capture.pass_tags)

    def _on_pass_requested(self, number: int) -> None:
        self._window.workspace.tabs.setCurrentWidget(self.page)
        self.page.choose_dump(number)

    def _on_selection_changed(self, links: Links) -> None:
        self._follow(links)

    def _on_fates_changed(self) -> None:
        self._follow(self._window.workspace.selection.links)

    def _follow(self, links: Links) -> None:
        """Tell the page what is selected, as equations of the stage that was compiled."""
        stages = self._window.controller.state.stages
        compiled = self._compiled()
        if compiled is None:
            return
        graph = compiled.graph
        assert is_available(graph)
        linked = links.stages.get(compiled.name, NO_LINKED)
        nodes = [*linked.forward.tolist(), *linked.backward.tolist()]
        title, fate = "", None
        selection = self._window.workspace.selection.selection
        if isinstance(selection, NodeSelection) and selection.nodes:
            if selection.stage == compiled.name:
                nodes = list(selection.nodes)
            stage = next((s for s in stages if s.name == selection.stage), None)
            if stage is not None and is_available(stage.graph):
                node = stage.graph.node(selection.nodes[0])
                title = f"Equation {node.id} ({node.operation})"
                fate = self._window.workspace.fates.fate_of(stage.name, node)
        ids = [graph.string(graph.nodes.id, node) for node in nodes]
        self.page.follow_equations(ids, title, fate)

    def _compiled(self) -> Stage | None:
        """The last jaxpr-level stage: the one that XLA got to compile."""
        stages = self._window.controller.state.stages
        traced = [s for s in stages if s.name not in LATE_NAMES and is_available(s.graph)]
        return traced[-1] if traced else None

    def _on_equations_chosen(self, ids: Sequence[str]) -> None:
        compiled = self._compiled()
        if compiled is None or not is_available(compiled.graph):
            return
        places = compiled.graph.index_by_id
        nodes = [places[id] for id in ids if id in places]
        if nodes:
            self._window.workspace.selection.select_nodes(compiled.name, nodes)

    def _on_themes_changed(self) -> None:
        self.page.set_theme(self._themes.theme, self._themes.points)


def add_passes(window: MainWindow, themes: ThemeSwitch, comparing: CompareMenu) -> PassesMenu:
    """Give a window its page of passes and the command that records them.

    Args:
        window: The window.
        themes: What it looks like.
        comparing: Where the outcome without a pass is compared.
    """
    return PassesMenu(window, themes, comparing)
