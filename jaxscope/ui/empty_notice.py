"""What a table says in its own place while it has no rows, and the way to have some again."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QFrame, QLabel, QPushButton, QVBoxLayout

_MARGIN_PX = 12


class EmptyNotice(QFrame):
    """Lies over a view as long as the view has columns and no rows.

    `clear_requested` fires when a person asks for everything to be shown again.
    """

    clear_requested = Signal()

    def __init__(self, view: QAbstractItemView, text: str) -> None:
        super().__init__(view.viewport())
        self._view = view
        self._words = QLabel()
        self._words.setProperty("role", "muted")
        self._words.setWordWrap(True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._button = QPushButton("Show all again")
        self._button.clicked.connect(self.clear_requested)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        layout.addStretch()
        layout.addWidget(self._words)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch()
        self.say(text, can_clear=False)
        model = view.model()
        for changed in (model.modelReset, model.rowsInserted, model.rowsRemoved):
            changed.connect(self._fit)
        view.viewport().installEventFilter(self)
        self._fit()

    @property
    def text(self) -> str:
        """What is said, or empty while there are rows."""
        return "" if self.isHidden() else self._words.text()

    @property
    def can_clear(self) -> bool:
        """Whether a button offers to show everything again."""
        return not self.isHidden() and not self._button.isHidden()

    def say(self, text: str, *, can_clear: bool) -> None:
        """Say this while there are no rows.

        Args:
            can_clear: Something hides rows that are there: offer to show them again.
        """
        self._words.setText(text)
        self._button.setVisible(can_clear)
        self._view.setAccessibleDescription(text if self.text else "")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        model = self._view.model()
        is_empty = model is not None and model.columnCount() > 0 and model.rowCount() == 0
        self.setGeometry(self._view.viewport().rect())
        self.setVisible(is_empty)
        self._view.setAccessibleDescription(self.text)
