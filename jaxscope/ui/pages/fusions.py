"""The page *Fusions*: the fusions of the optimized program as a table, and what fusing saved in
all.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QItemSelection, QObject, Signal
from PySide6.QtWidgets import QLabel, QTabWidget, QVBoxLayout, QWidget

from jaxscope.model.units import UNKNOWN, format_bytes, format_count
from jaxscope.program.fusion.decisions import (
    LOG_HEADERS,
    LOG_NUMERIC,
    NO_LOG,
    FusionLog,
    decision_numbers,
    decision_row,
    describe_log,
)
from jaxscope.program.fusion.fusions import Fusion
from jaxscope.program.fusion.summary import FusionReport
from jaxscope.report.fusion import describe_operations, describe_saving
from jaxscope.ui.selection.capture_facts import OPTIMIZED
from jaxscope.ui.selection.fusion_text import describe_launches
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.window.page_context import PageContext

# The fusions of the optimized program in a table, and what fusing brought as a whole.


HEADERS = ("#", "fusion", "kind", "reads", "writes", "saves", "computed twice", "computes")
_NUMERIC = (0, 3, 4, 5, 6)
_NONE_YET = (
    "Run a call: this page opens each kernel that the compiler fused, with what it reads, writes "
    "and saves. Select two instructions of the optimized program to see why they are not one "
    "kernel."
)


class FusionsPage(QWidget):
    """`fusion_chosen` carries the node of the row that was clicked."""

    fusion_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._report: FusionReport | None = None
        self.heading = QLabel(_NONE_YET)
        self.heading.setWordWrap(True)
        self.table = ResultTable("Fusions of the optimized program")
        self.table.selectionModel().selectionChanged.connect(self._on_table_selection_changed)
        self.note = QLabel()
        self.note.setProperty("role", "muted")
        self.note.setWordWrap(True)
        self.decisions = ResultTable("XLA's own log of what it fused")
        logged = QWidget()
        column = QVBoxLayout(logged)
        column.setContentsMargins(0, 4, 0, 0)
        column.addWidget(self.note)
        column.addWidget(self.decisions, 1)
        column.addStretch(0)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Fusions and XLA's decisions")
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.addTab(self.table, "Fusions")
        self.tabs.addTab(logged, "XLA's decisions")
        layout = QVBoxLayout(self)
        layout.addWidget(self.heading)
        layout.addWidget(self.tabs, 1)
        layout.addStretch(0)
        self.tabs.hide()

    def show_report(self, report: FusionReport | None, problem: str = "") -> None:
        """Show a report, or why there is none, or what there will be."""
        if report is self._report and report is not None:
            return
        self._report = report
        self.tabs.setVisible(report is not None)
        self._show_log(None if report is None else report.log)
        if report is None:
            self.heading.setText(problem or _NONE_YET)
            self.table.rows.set_rows(HEADERS, ())
            return
        told, *definitions = describe_launches(report) or ("",)
        count = format_count(len(report.fusions), "fusion")
        num_twice = len(report.duplicates)
        twice = "no value is" if not num_twice else f"{num_twice:,} values are"
        twice = "1 value is" if num_twice == 1 else twice
        self.heading.setText(f"{told} {count}; {twice} computed by more than one kernel.".strip())
        self.heading.setToolTip("\n\n".join(definitions))
        fusions = report.fusions
        again = [len(report.duplicates_in(fusion.node)) for fusion in fusions]
        self.table.rows.set_rows(
            HEADERS,
            [_row(i, fusion, again[i]) for i, fusion in enumerate(fusions)],
            _NUMERIC,
            [_numbers(i, fusion, again[i]) for i, fusion in enumerate(fusions)],
            [f"{fusion.id} saves {describe_saving(fusion)}" for fusion in fusions],
        )

    def _show_log(self, log: FusionLog | None) -> None:
        """What XLA wrote itself; or that it wrote nothing."""
        steps = () if log is None else log.decisions
        self.decisions.setVisible(log is not None)
        self.note.setText(NO_LOG if log is None else describe_log(log))
        self.decisions.rows.set_rows(
            LOG_HEADERS,
            [decision_row(number, step) for number, step in enumerate(steps)],
            LOG_NUMERIC,
            [decision_numbers(number, step) for number, step in enumerate(steps)],
            [step.text for step in steps],
        )

    def _on_table_selection_changed(
        self, selected: QItemSelection, _deselected: QItemSelection
    ) -> None:
        indexes = selected.indexes()
        if indexes and self._report is not None:
            number = int(self.table.rows.index(indexes[0].row(), 0).data())
            self.fusion_chosen.emit(self._report.fusions[number].node)


def _row(number: int, fusion: Fusion, again: int) -> tuple[str, ...]:
    return (
        str(number),
        fusion.id,
        fusion.kind.partition(":")[0],
        _size(_reads(fusion)),
        _size(_writes(fusion)),
        _size(fusion.saving.num_bytes),
        str(again) if again else "",
        describe_operations(fusion),
    )


def _numbers(number: int, fusion: Fusion, again: int) -> tuple[float, ...]:
    saved = fusion.saving.num_bytes
    return float(number), _reads(fusion), _writes(fusion), saved, float(again)


def _reads(fusion: Fusion) -> float:
    return sum(value.num_bytes for value in fusion.inputs)


def _writes(fusion: Fusion) -> float:
    return sum(value.num_bytes for value in fusion.outputs)


def _size(num_bytes: float) -> str:
    return UNKNOWN if math.isnan(num_bytes) else format_bytes(num_bytes)


# Puts the page of fusions into a window, and keeps it in step with what is shown.


_TITLE = "Fusions"


class FusionsMenu(QObject):
    """Owns the page; lives as long as its window."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context.window)
        self._context = context
        self.page = FusionsPage()
        context.add_page(self.page, _TITLE)
        self.page.fusion_chosen.connect(self._on_page_fusion_chosen)
        context.fusions.changed.connect(self._on_fusions_changed)
        self._on_fusions_changed()  # a capture may be there before this page is

    def _on_fusions_changed(self) -> None:
        fusions = self._context.fusions
        report = fusions.report
        self.page.show_report(report, fusions.problem)
        told = describe_launches(report) if report is not None else ()
        self._context.set_stage_hint(OPTIMIZED, told[0] if told else "")

    def _on_page_fusion_chosen(self, node: int) -> None:
        self._context.selection.select_node(OPTIMIZED, node)


def add(context: PageContext) -> FusionsMenu:
    """Give a window its page of fusions."""
    return FusionsMenu(context)
