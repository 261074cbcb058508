"""How a program is spread over devices: its arrays, its collectives, and one device's part."""

from __future__ import annotations

import math

from PySide6.QtCore import QItemSelection, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from jaxscope.analysis.quantities import format_bytes
from jaxscope.analysis.sharding.arrays import SpreadArray
from jaxscope.analysis.sharding.collectives import KINDS, RING, Collective
from jaxscope.analysis.sharding.job import tell_job
from jaxscope.analysis.sharding.nodes import PER_DEVICE
from jaxscope.analysis.sharding.report import (
    VIEWS,
    PlacementReport,
    tell_devices,
    tell_groups,
    tell_memory,
    tell_place,
    tell_rounds,
    tell_total,
)
from jaxscope.analysis.sharding.standing import Standing
from jaxscope.model import Capture, Unavailable
from jaxscope.ui.choice_box import ChoiceBox
from jaxscope.ui.pages.cut_view import CutView
from jaxscope.ui.pages.result_table import ResultTable, choose_row
from jaxscope.ui.selectable_label import SelectableLabel
from jaxscope.ui.theme import Theme

_ARRAY_HEADERS = ("#", "", "path", "whole", "spec", "on a device", "bytes", "how")
_PART_HEADERS = ("#", "part", "devices")
_COLLECTIVE_HEADERS = (
    "#",
    "instruction",
    "kind",
    "in",
    "out",
    "sends",
    "rounds",
    "devices together",
    "line",
    "equation",
    "between",
)
_QUESTION = "On which devices does it run, who holds what, and what do they tell each other?"


class ShardingPage(QWidget):
    """`node_chosen` carries the name of a stage and a node of it."""

    node_chosen = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._capture: Capture | None = None
        self._is_due = False
        self._report: PlacementReport | None = None
        self._arrays: tuple[SpreadArray, ...] = ()
        self._shown: SpreadArray | None = None
        self._collectives: tuple[Collective, ...] = ()
        self.heading, self.notes = SelectableLabel(_QUESTION), SelectableLabel()
        self.heading.setProperty("role", "heading")
        self.notes.setProperty("role", "muted")
        self.arrays = ResultTable("Arrays and how they are spread")
        self.parts = ResultTable("Parts of the chosen array")
        self.collectives = ResultTable("Collectives of the optimized program")
        self.cut = CutView()
        self.device = ChoiceBox()
        self.device.setAccessibleName("Device whose parts are marked")
        self._build()
        self.arrays.selectionModel().selectionChanged.connect(self._on_arrays_selection_changed)
        self.collectives.selectionModel().selectionChanged.connect(
            self._on_collectives_selection_changed
        )
        self.device.currentIndexChanged.connect(self._on_device_current_index_changed)
        self.cut.device_chosen.connect(self._on_cut_device_chosen)

    def _build(self) -> None:
        picture = QWidget()
        column = QVBoxLayout(picture)
        column.setContentsMargins(0, 0, 0, 0)
        row = QHBoxLayout()
        row.addWidget(QLabel("Mark what one holds:"))
        row.addWidget(self.device, 1)
        column.addLayout(row)
        column.addWidget(self.cut, 3)
        column.addWidget(self.parts, 2)
        across = QSplitter(Qt.Orientation.Horizontal)
        across.setChildrenCollapsible(False)
        across.addWidget(self.arrays)
        across.addWidget(picture)
        across.setSizes([620, 380])
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(across)
        self._split.addWidget(self.collectives)
        self._split.setSizes([420, 200])
        layout = QVBoxLayout(self)
        layout.addWidget(self.heading)
        layout.addWidget(self.notes)
        layout.addWidget(self._split, 1)
        layout.addStretch(0)
        self._split.hide()

    def show_capture(self, capture: Capture | None) -> None:
        """Show a capture, or what there will be; looked into when the page is looked at."""
        if capture is self._capture:
            return
        self._capture, self._is_due = capture, True
        if self.isVisible():
            self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_due:
            self._show()

    def _show(self) -> None:
        capture, self._is_due = self._capture, False
        self._report = None if capture is None else PlacementReport(capture)
        self._arrays, self._collectives = (), ()
        report = self._report
        if report is None or isinstance(report.placement, Unavailable):
            self.heading.setText(_QUESTION)
            missing = report.placement if report is not None else None
            self.notes.setText(missing.reason if isinstance(missing, Unavailable) else "")
            self._split.hide()
            return
        found, arrays = report.collectives, report.arrays
        self._arrays = () if isinstance(arrays, Unavailable) else arrays
        self._collectives = () if isinstance(found, Unavailable) else found
        self.heading.setText(tell_devices(report.placement))
        told = found.reason if isinstance(found, Unavailable) else tell_total(found)
        if report.num_devices < 2:
            told += " Choose a target with several devices, such as cpu:8, to spread arrays."
        job = f"{tell_job(report.capture.job)}\n" if report.capture.job is not None else ""
        memory = tell_memory(report.capture.memory)
        self.notes.setText(f"{job}{told} {memory}\n{VIEWS}")
        self.notes.setToolTip(RING)
        self._split.show()
        self._fill(report)

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours."""
        self.cut.set_theme(theme)
        for table in (self.arrays, self.parts, self.collectives):
            table.fit()

    def _fill(self, report: PlacementReport) -> None:
        self.arrays.rows.set_rows(
            _ARRAY_HEADERS,
            [_array_row(number, array) for number, array in enumerate(self._arrays)],
            (0, 6),
            [(float(n), array.shard_bytes) for n, array in enumerate(self._arrays)],
        )
        self.collectives.rows.set_rows(
            _COLLECTIVE_HEADERS,
            [
                _collective_row(n, each, standing)
                for n, (each, standing) in enumerate(
                    zip(self._collectives, report.standings, strict=True)
                )
            ],
            (0, 3, 4, 5, 6),
            [
                (float(n), each.operand_bytes, each.result_bytes, each.sent_bytes, each.rounds)
                for n, each in enumerate(self._collectives)
            ],
            [f"{each.kind}: {KINDS[each.kind]}" for each in self._collectives],
        )
        self.collectives.setVisible(bool(self._collectives))
        self.device.blockSignals(True)
        self.device.clear()
        self.device.addItem("no device")
        if not isinstance(report.placement, Unavailable):
            self.device.addItems(
                [
                    f"{position}: {device.kind} {device.id}"
                    + (f", process {device.process}" if report.placement.num_processes > 1 else "")
                    for position, device in enumerate(report.placement.devices)
                ]
            )
        self.device.blockSignals(False)
        self.cut.choose_device(-1)
        self._show_array(-1)
        first = next((n for n, a in enumerate(self._arrays) if a.cut and len(a.cut.parts) > 1), 0)
        if self._arrays:
            choose_row(self.arrays, first)

    def _show_array(self, number: int) -> None:
        if not 0 <= number < len(self._arrays):
            self.cut.show_cut("", None)
            self.parts.rows.set_rows(_PART_HEADERS, ())
            self._shown = None
            return
        array = self._shown = self._arrays[number]
        self.cut.show_cut(f"{array.path} {array.type}: {array.text}", array.cut)
        parts = array.cut.parts if array.cut is not None else ()
        rows = [
            (str(n), part.text, ", ".join(map(str, part.devices))) for n, part in enumerate(parts)
        ]
        self.parts.rows.set_rows(_PART_HEADERS, rows, (0,), [(float(n),) for n in range(len(rows))])
        self._choose_part(self.device.currentIndex() - 1)

    def _choose_part(self, device: int) -> None:
        """Mark the part of the shown array that a device holds, in the table as in the picture."""
        cut = self._shown.cut if self._shown is not None else None
        held = next((n for n, p in enumerate(cut.parts) if device in p.devices), -1) if cut else -1
        if held >= 0:
            choose_row(self.parts, held)
        else:
            self.parts.clearSelection()

    def _on_arrays_selection_changed(
        self, selected: QItemSelection, _deselected: QItemSelection
    ) -> None:
        if (number := _number(self.arrays, selected)) is not None:
            self._show_array(number)

    def _on_collectives_selection_changed(
        self, selected: QItemSelection, _deselected: QItemSelection
    ) -> None:
        if (number := _number(self.collectives, selected)) is not None:
            self.node_chosen.emit(PER_DEVICE, self._collectives[number].node)

    def _on_device_current_index_changed(self, index: int) -> None:
        self.cut.choose_device(index - 1)
        self._choose_part(index - 1)

    def _on_cut_device_chosen(self, position: int) -> None:
        self.device.setCurrentIndex(position + 1)


def _number(table: ResultTable, selected: QItemSelection) -> int | None:
    indexes = selected.indexes()
    return int(table.rows.index(indexes[0].row(), 0).data()) if indexes else None


def _array_row(number: int, array: SpreadArray) -> tuple[str, ...]:
    size = "" if math.isnan(array.shard_bytes) else format_bytes(array.shard_bytes)
    return (
        str(number),
        array.role,
        array.path,
        array.type,
        array.spec,
        array.shard_type,
        size,
        array.text,
    )


def _collective_row(number: int, collective: Collective, standing: Standing) -> tuple[str, ...]:
    return (
        str(number),
        collective.id,
        collective.kind,
        format_bytes(collective.operand_bytes),
        format_bytes(collective.result_bytes),
        format_bytes(collective.sent_bytes),
        tell_rounds(collective),
        tell_groups(collective),
        tell_place(standing),
        standing.label,
        standing.between,
    )
