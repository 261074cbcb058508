"""A table's header with a field below each title that filters by that column."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTableView

_HELP = (
    "Only rows whose cell contains this. -text: that do not; /text/: a regular expression; "
    "numbers compare: >1M, <10us."
)


class FilterHeader(QHeaderView):
    """`filter_edited` carries a column and what was typed for it."""

    filter_edited = Signal(int, str)

    def __init__(self, table: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.fields: list[QLineEdit] = []
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.sectionResized.connect(self._on_section_resized)
        table.horizontalScrollBar().valueChanged.connect(self._place_fields)

    def add_fields(self, titles: tuple[str, ...]) -> None:
        """Make a field for each column."""
        for column, title in enumerate(titles):
            field = QLineEdit(self)
            field.setProperty("role", "compact")
            field.setPlaceholderText("filter")
            field.setAccessibleName(f"Filter by {title}")
            field.setToolTip(_HELP)
            field.setClearButtonEnabled(True)
            field.setProperty("column", column)
            field.textChanged.connect(self._on_field_text_changed)
            self.fields.append(field)
        self._place_fields()

    def show_problem(self, column: int, problem: str) -> None:
        """Say that a filter cannot be understood; empty that it can."""
        field = self.fields[column]
        field.setToolTip(problem or _HELP)
        field.setAccessibleDescription(problem)
        if field.property("problem") != ("true" if problem else "false"):
            field.setProperty("problem", "true" if problem else "false")
            field.style().unpolish(field)
            field.style().polish(field)

    def clear(self) -> None:
        """Let everything through."""
        for field in self.fields:
            field.clear()

    def sizeHint(self) -> QSize:
        size = super().sizeHint()
        size.setHeight(size.height() + self._field_px())
        return size

    def updateGeometries(self) -> None:
        self.setViewportMargins(0, 0, 0, self._field_px())
        super().updateGeometries()
        self._place_fields()

    def _field_px(self) -> int:
        return self.fields[0].sizeHint().height() + 2 if self.fields else 0

    def _place_fields(self) -> None:
        top = self.height() - self._field_px()
        for column, field in enumerate(self.fields):
            left = self.sectionPosition(column) - self.offset()
            field.setGeometry(left, top, self.sectionSize(column), self._field_px() - 2)

    def _on_section_resized(self, _column: int, _before: int, _after: int) -> None:
        self._place_fields()

    def _on_field_text_changed(self, text: str) -> None:
        field = self.sender()
        if isinstance(field, QLineEdit):
            self.filter_edited.emit(field.property("column"), text)
