"""Notes that take one line until they are asked for: a measurement can have many to mind."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QWidget

from jaxscope.analysis.quantities import format_count
from jaxscope.ui.selectable_label import SelectableLabel

TALL_LINES = 46
"""Of text: a page so high has room for notes, some rows of a table and a figure."""
_MOST_LINES, _FEW_LINES = 12, 4
"""Of unfolded notes where there is room and where there is little; the others are scrolled to, so
that notes never push a figure away."""


class FoldedNotes(QWidget):
    """One line that says how many notes there are, or all of them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._notes: tuple[str, ...] = ()
        self._num_warnings = 0
        self._most_lines = _MOST_LINES
        self._label = SelectableLabel()
        self._label.setProperty("role", "muted")
        self._label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.fold = QPushButton()
        self.fold.setProperty("role", "link")
        self.fold.setCheckable(True)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self._label)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area, 1)
        layout.addWidget(self.fold, 0, Qt.AlignmentFlag.AlignTop)
        self.fold.toggled.connect(self._on_fold_toggled)
        self.hide()

    def set_notes(self, warnings: Sequence[str], others: Sequence[str]) -> None:
        """Show other notes, warnings first; nothing at all where there are none."""
        self._notes, self._num_warnings = (*warnings, *others), len(warnings)
        self.setVisible(bool(self._notes))
        self._show()

    def set_roomy(self, is_roomy: bool, *, folds: bool = True) -> None:
        """Whether there is room for all notes.

        Args:
            folds: Whether they take one line where there is little; else some lines, and scroll.
        """
        self._most_lines = _MOST_LINES if is_roomy else _FEW_LINES
        if is_roomy or folds:
            self.fold.setChecked(is_roomy)
        self._show()

    def text(self) -> str:
        """All notes, a line each."""
        return "\n".join(self._notes)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._show()

    def _show(self) -> None:
        is_folded = not self.fold.isChecked()
        self.fold.setText(f"all {len(self._notes)}" if is_folded else "fewer")
        self.fold.setAccessibleName("Show all notes" if is_folded else "Show one line of notes")
        self.fold.setVisible(len(self._notes) > 1)
        metrics = self._label.fontMetrics()
        wide_px = max(self._area.viewport().width(), 40)
        self._label.setWordWrap(not is_folded)
        if is_folded:
            line = metrics.elidedText(self._one_line(), Qt.TextElideMode.ElideRight, wide_px)
            self._label.setText(line)
            self._area.setFixedHeight(metrics.height() + 4)
            return
        self._label.setText(self.text())
        high_px = min(self._label.heightForWidth(wide_px), self._most_lines * metrics.height())
        self._area.setFixedHeight(high_px + 4)

    def _one_line(self) -> str:
        first = self._notes[0] if self._notes else ""
        if self._num_warnings > 1:
            return f"{format_count(self._num_warnings, 'warning')}: {first}"
        return first

    def _on_fold_toggled(self, _is_open: bool) -> None:
        self._show()
