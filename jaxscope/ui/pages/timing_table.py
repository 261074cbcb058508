"""The rows of the timing page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from jaxscope.analysis.lab_words import describe_spread
from jaxscope.analysis.quantities import format_seconds
from jaxscope.analysis.statistics import count_outliers
from jaxscope.model import Measurement

Index = QModelIndex | QPersistentModelIndex

HEADERS = ("what", "median", "range", "on the device", "runs", "quality")
_HINTS = {
    1: "Wall time as the calling program sees it",
    2: "From the shortest to the longest that was observed; where six processes on a quiet machine "
    "earned one, the interval that the median lies in, with its confidence",
    3: "For how long a call kept the device at work, by XLA's own recorder, from further calls; "
    "it is no part of the other columns",
}
MEANINGS = {
    "eager": "each operation run on its own, as plain Python calls do",
    "jit": "compiled once, then called",
    "trace": "running the Python code once to record the program",
    "lower": "turning the recorded program into StableHLO",
    "compile": "XLA's compilation",
    "first_call": "the first call of the compiled function",
    "first_eager_call": "the first call without jit: compiles every operation",
    "second_call": "the call after it",
    "eager_dispatch": "the part of an eager call until it returns",
    "eager_wait": "the part of an eager call from its return to its result",
    "jit_dispatch": "the part of a compiled call until it returns",
    "jit_wait": "the part of a compiled call from its return to its result",
    "jit_warm_up": "partial: its warm-up, with nothing after it",
    "eager_warm_up": "partial: its warm-up, with nothing after it",
    "gradient_first_call": "its first call after compiling",
    "gradient_second_call": "the call after it",
    "gradient_first_eager_call": "its first call without jit: compiles every operation",
    "gradient_trace": "running the Python code once to record it",
    "gradient_lower": "turning it into StableHLO",
    "gradient_compile": "XLA's compilation of it",
    "dispatch": "the part of a compiled call until it returns",
    "wait": "the part of a compiled call from its return to its result",
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
    "jax_start": "JAX's own start, with a throw-away function",
}
_NO_INDEX = QModelIndex()


_PREFIXES = ("value_and_gradient_", "gradient_")


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
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        return _HINTS.get(section) if role == Qt.ItemDataRole.ToolTipRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row_texts(row)[index.column()]
        return describe_protocol(row) if role == Qt.ItemDataRole.ToolTipRole else None

    def name_of(self, row: int) -> str:
        """The name of the measurement in a row; empty where there is none."""
        return self._rows[row].name if 0 <= row < len(self._rows) else ""

    def row_of(self, name: str) -> int:
        """The row of a measurement; -1 where there is none."""
        return next((row for row, each in enumerate(self._rows) if each.name == name), -1)

    def describe(self, row: int) -> str:
        """How a row was measured, in whole sentences."""
        return describe_protocol(self._rows[row]) if 0 <= row < len(self._rows) else ""


def describe_protocol(row: Measurement) -> str:
    """What was measured, how, and what to mind."""
    outliers = count_outliers(row.samples)
    told = (
        f"{outliers.mild:,} mild and {outliers.severe:,} severe outliers are among the samples."
        if outliers.mild or outliers.severe
        else ""
    )
    meaning = f"{row.name.replace('_', ' ')}: {meaning_of(row.name) or row.detail}"
    parts = (meaning, row.protocol, *row.reasons, told)
    return "\n".join(part for part in parts if part)


def meaning_of(name: str) -> str:
    """What a measurement is of; of a gradient the same as of the program, where nothing else."""
    if name in MEANINGS:
        return MEANINGS[name]
    prefix = next(filter(name.startswith, _PREFIXES), "")
    return MEANINGS.get(name.removeprefix(prefix), "")


def row_texts(row: Measurement) -> tuple[str, ...]:
    """The cells of one measurement."""
    meaning = meaning_of(row.name)
    detail = f" ({row.detail})" if row.detail else ""
    what = row.name.replace("_", " ") + detail + (f" — {meaning}" if meaning else "")
    quality = "noisy" if row.is_noisy else "steady" if row.runs > 1 else ""
    device = "" if math.isnan(row.device_seconds) else (
        f"{format_seconds(row.device_seconds)} ({format_seconds(row.device_low)} to "
        f"{format_seconds(row.device_high)})"
    )  # fmt: skip
    runs = f"{row.runs:,}"
    return what, format_seconds(row.median), describe_spread(row), device, runs, quality
