"""What an export is doing and how far it is, at the bottom of the window, with a Stop."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from jaxscope.ui.exporting import Exporter

_PATIENCE_MS = 300
"""What is done sooner needs no progress: it would only flicker."""

_BAR_PX = 160
_WHOLE = 100


class ExportProgress(QWidget):
    """Shows itself while an export takes long.

    Args:
        exporter: Whose progress is shown, and which the button stops.
    """

    def __init__(self, exporter: Exporter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._exporter = exporter
        self._words = QLabel("Exporting")
        self._bar = QProgressBar()
        self._bar.setRange(0, _WHOLE)
        self._bar.setFixedWidth(_BAR_PX)
        self._bar.setAccessibleName("Progress of the export")
        self.stop_button = QPushButton("Stop")
        self.stop_button.setAccessibleName("Stop the export")
        self.stop_button.setToolTip("Stop the export; nothing is left of it (Esc)")
        self.stop_button.clicked.connect(self._on_stop_button_clicked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for part in (self._words, self._bar, self.stop_button):
            layout.addWidget(part)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self.show)
        exporter.progressed.connect(self._on_exporter_progressed)
        exporter.finished.connect(self._on_exporter_ended)
        exporter.failed.connect(self._on_exporter_ended)
        exporter.stopped.connect(self._on_exporter_ended)
        self.hide()

    def _on_exporter_progressed(self, doing: str, share: float) -> None:
        if not self.isVisible() and not self._patience.isActive():
            self._patience.start()
        self._words.setText(f"{doing} …")
        # While graphs are laid out it is not known how much is done.
        self._bar.setRange(0, _WHOLE if share > 0 else 0)
        self._bar.setValue(round(_WHOLE * share))

    def _on_stop_button_clicked(self) -> None:
        self._words.setText("Stopping …")
        self._exporter.stop()

    def _on_exporter_ended(self, _about: object = None) -> None:
        self._patience.stop()
        self.hide()
