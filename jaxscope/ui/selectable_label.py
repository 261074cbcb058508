"""A label of plain text that can be selected and copied, as long as there is any."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel


class SelectableLabel(QLabel):
    """Wraps its lines. While it is empty, neither keyboard nor click can reach it: a screen reader
    would have nothing to say there.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(
            flags.TextSelectableByMouse if text else flags.NoTextInteraction
        )
