"""Presentation mode: one view, the call and a caption on the whole screen, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QMainWindow, QWidget

from jaxscope.model import is_available
from jaxscope.model.stages import stage_kind
from jaxscope.picture.scene.edge_details import LABEL_TEXT_PX
from jaxscope.program.explanations import explain_operation
from jaxscope.program.links import NodeSelection
from jaxscope.ui.panes.pane_header import SOURCE
from jaxscope.ui.session.screen import Screen
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.theme import ThemeSwitch
from jaxscope.ui.window.call_bar import CallBar
from jaxscope.ui.window.workspace import Workspace

_SETTLED_MS = 250
_LEAST_TEXT = 0.025
"""Of the screen's height: what is smaller cannot be read from the last row."""
_POINTS_PER_INCH = 72.0
_OF_SOURCE = "Source: the file as it ran."


class PresentationMode:
    """Hides all but the active view, the call and a caption, and brings back what it hid.

    No text is smaller than a fortieth of the screen's height. `F6` leads to the next view, what is
    selected is said in the caption, and the call can be typed into.

    Args:
        window: Takes the whole screen.
        around: What is hidden, besides what the parts hide themselves.
    """

    def __init__(
        self,
        window: QMainWindow,
        around: Sequence[QWidget],
        call_bar: CallBar,
        workspace: Workspace,
        themes: ThemeSwitch,
    ) -> None:
        self._window, self._around, self._call_bar = window, around, call_bar
        self._workspace, self._themes = workspace, themes
        self._points = (themes.points, themes.points)
        self._hidden: list[QWidget] | None = None
        self._was_full_screen = False
        self._places: dict[QWidget, tuple[int, int]] = {}
        self.caption = QLabel()
        self.caption.setProperty("role", "caption")
        self.caption.setWordWrap(True)
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        self.caption.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.caption.hide()

    @property
    def is_on(self) -> bool:
        """Whether only the picture is shown."""
        return self._hidden is not None

    def toggle(self) -> None:
        """Begin, or end."""
        if self._hidden is None:
            self._begin()
        else:
            self._end(self._hidden)

    def tell(self, state: WindowState, screen: Screen) -> None:
        """Say in the caption what is seen, or what goes on."""
        if not self.is_on:
            return
        pane = self._workspace.area.active
        name = pane.wanted_stage if pane is not None else SOURCE
        if state.is_running:
            self.caption.setText(" · ".join(filter(None, (screen.status, screen.detail))))
        elif screen.failed_over:
            self.caption.setText(f"Of an earlier run: {screen.failed_over}")
        elif name == SOURCE:
            self.caption.setText(_OF_SOURCE)
        else:
            kind = stage_kind(name, state.head.base if state.head is not None else "")
            selected = self._describe_selected(state, name)
            self.caption.setText(selected or f"{kind.title}: {kind.meaning}")

    def _describe_selected(self, state: WindowState, name: str) -> str:
        """The operation that is selected in a stage, and what it does; or empty."""
        selection = self._workspace.selection.selection
        stage = next((stage for stage in state.stages if stage.name == name), None)
        if stage is None or not is_available(stage.graph):
            return ""
        if not isinstance(selection, NodeSelection) or selection.stage != name:
            return ""
        if len(selection.nodes) != 1:
            return ""
        node = stage.graph.node(selection.nodes[0])
        return f"{node.operation}: {explain_operation(node.operation, node.kind)}".rstrip(": ")

    def _begin(self) -> None:
        area = self._workspace.area
        self._hidden = [part for part in self._around if not part.isHidden()]
        self._places = {
            pane.code: (
                pane.code.horizontalScrollBar().value(),
                pane.code.verticalScrollBar().value(),
            )
            for pane in area.panes
        }
        for part in self._hidden:
            part.hide()
        self._call_bar.set_bare(is_bare=True)
        least_px = _LEAST_TEXT * self._window.screen().geometry().height()
        dots = self._window.logicalDpiY()
        before = self._themes.points
        # Rounded up: a pixel less would be too small.
        self._themes.set_points(max(before, float(-(-least_px * _POINTS_PER_INCH // dots))))
        self._points = (before, self._themes.points)
        from jaxscope.ui.canvas.navigation import WHOLE_SCALE  # the canvas comes with a result

        area.present(least_px / (LABEL_TEXT_PX * WHOLE_SCALE))
        self.caption.show()
        self._was_full_screen = self._window.isFullScreen()
        self._window.showFullScreen()

    def _end(self, hidden: list[QWidget]) -> None:
        self._hidden = None
        before, during = self._points
        if self._themes.points == during:  # or a person has chosen another size meanwhile
            self._themes.set_points(before)
        self.caption.hide()
        self._call_bar.set_bare(is_bare=False)
        self._workspace.area.present(0.0)
        for part in hidden:
            part.show()
        if not self._was_full_screen:
            self._window.setWindowState(
                self._window.windowState() & ~Qt.WindowState.WindowFullScreen
            )
        QTimer.singleShot(_SETTLED_MS, self._window, self._restore_places)

    def _restore_places(self) -> None:
        """Lines of another height moved the sources; each shows again what it showed."""
        for pane in self._workspace.area.panes:
            across, down = self._places.get(pane.code, (-1, -1))
            if down >= 0:
                pane.code.horizontalScrollBar().setValue(across)
                pane.code.verticalScrollBar().setValue(down)
        self._places = {}
