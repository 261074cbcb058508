"""The rows of the timing page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from jaxscope.analysis.quantities import format_seconds
from jaxscope.model import Measurement

Index = QModelIndex | QPersistentModelIndex

HEADERS = ("what", "median", "interval", "runs", "quality")
MEANINGS = {
    "eager": "each operation run on its own, as plain Python calls do",
    "jit": "compiled once, then called",
    "trace": "running the Python code once to record the program",
    "lower": "turning the recorded program into StableHLO",
    "compile": "XLA's compilation",
    "first_call": "the first call of the compiled function",
    "first_eager_call": "the first call without jit: compiles every operation",
    "second_call": "the call after it",
    "eager_dispatch": "the part of an eager call before the device answers",
    "gradient_eager_dispatch": "its part before the device answers",
    "gradient_jit_dispatch": "its part before the device answers",
    "gradient_trace": "running the Python code once to record it",
    "gradient_lower": "turning it into StableHLO",
    "gradient_compile": "XLA's compilation of it",
    "dispatch": "the part of a compiled call before the device answers",
    "wait": "the part of a compiled call that waits for the device",
    "gradient_eager": "the gradient, each operation run on its own",
    "gradient_jit": "the gradient, compiled",
    "fetch": "copying the results to the host",
    "throughput": "a call among many that do not wait for each other",
    "jit_until_steady": "what the calls took until they were steady",
    "eager_until_steady": "what the calls took until they were steady",
    "value_and_gradient_eager": "value and gradient, each operation run on its own",
    "value_and_gradient_jit": "value and gradient, compiled: they share the forward part",
    "transfer": "copying the arguments to the device",
    "import": "running the file",
}
_NO_INDEX = QModelIndex()


class TimingTableModel(QAbstractTableModel):
    """Measurements as rows."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[Measurement] = ()

    def set_measurements(self, measurements: Sequence[Measurement]) -> None:
        """Show these measurements."""
        self.beginResetModel()
        self._rows = tuple(measurements)
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return HEADERS[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row_texts(row)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            parts = (MEANINGS.get(row.name, ""), row.protocol, *row.reasons)
            return "\n".join(part for part in parts if part)
        return None


def row_texts(row: Measurement) -> tuple[str, str, str, str, str]:
    """The cells of one measurement."""
    meaning = MEANINGS.get(row.name, "")
    what = row.name.replace("_", " ") + (f" — {meaning}" if meaning else "")
    interval = "one run" if row.confidence == 0 else (
        f"{format_seconds(row.low)} to {format_seconds(row.high)} ({row.confidence:.0%})"
    )  # fmt: skip
    quality = "noisy; see the plot" if row.is_noisy else (
        "steady" if row.runs > 1 else ""
    )  # fmt: skip
    return what, format_seconds(row.median), interval, f"{row.runs:,}", quality
