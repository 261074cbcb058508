"""What a person asks of a pane by the row above it, told by the pane with itself first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint

if TYPE_CHECKING:
    from jaxscope.ui.panes.stage_pane import StagePane


class PaneWishes(QObject):
    """Passes on what the header and its grip of one pane tell."""

    def __init__(self, pane: StagePane) -> None:
        super().__init__(pane)
        self._pane = pane
        header, grip = pane.header, pane.header.grip
        header.stage_requested.connect(self._on_header_stage_requested)
        header.add_requested.connect(self._on_header_add_requested)
        header.close_requested.connect(self._on_header_close_requested)
        grip.moved.connect(self._on_grip_moved)
        grip.dropped.connect(self._on_grip_dropped)
        grip.clicked.connect(self._on_grip_clicked)

    def _on_header_stage_requested(self, name: str) -> None:
        self._pane.stage_requested.emit(self._pane, name)

    def _on_header_add_requested(self) -> None:
        self._pane.add_requested.emit(self._pane)

    def _on_header_close_requested(self) -> None:
        self._pane.close_requested.emit(self._pane)

    def _on_grip_moved(self, place: QPoint) -> None:
        self._pane.moved.emit(self._pane, place)

    def _on_grip_dropped(self, place: QPoint) -> None:
        self._pane.dropped.emit(self._pane, place)

    def _on_grip_clicked(self, place: QPoint) -> None:
        self._pane.menu_requested.emit(self._pane, place)
