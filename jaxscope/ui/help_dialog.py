"""The list of keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from jaxscope.ui.commands import COMMANDS, MORE_KEYS


class HelpDialog(QDialog):
    """Every key of the window, from the one table of commands."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        content = QWidget()
        content.setProperty("role", "content")
        grid = QGridLayout(content)
        grid.setHorizontalSpacing(24)
        rows: Sequence[tuple[str, str]] = [
            *((command.keys[0], command.text.replace(" …", "")) for command in COMMANDS
              if command.keys),
            *MORE_KEYS,
        ]  # fmt: skip
        for number, (keys, text) in enumerate(rows):
            label = QLabel(keys)
            label.setStyleSheet("font-weight: 600;")
            grid.addWidget(label, number, 0)
            meaning = QLabel(text)
            meaning.setWordWrap(True)
            grid.addWidget(meaning, number, 1)
        grid.setColumnStretch(1, 1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(content)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.addWidget(area, 1)
        layout.addWidget(buttons)
        em = self.fontMetrics().horizontalAdvance("m")
        self.resize(56 * em, 44 * em)
