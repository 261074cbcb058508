"""The page *Fusions*: the fusions of the optimized program as a table, and what fusing saved in
all.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from jaxscope.model.said import first_of
from jaxscope.model.units import format_bytes
from jaxscope.program.fusion.decisions import NO_LOG, FusionLog, describe_log
from jaxscope.program.fusion.fusions import Fusion, FusionValue
from jaxscope.program.fusion.summary import FusionReport, compare_counts, compare_launches
from jaxscope.program.links import NodeSelection
from jaxscope.report.document import Cell, Number, Table, number_cell
from jaxscope.report.fusion import (
    decision_table,
    describe_duplicate,
    describe_moved,
    describe_operations,
    describe_saving,
)
from jaxscope.ui.selection.capture_facts import OPTIMIZED
from jaxscope.ui.selection.linked_rows import LinkedRows
from jaxscope.ui.session.screen import waiting_text
from jaxscope.ui.session.state import Phase, WindowState
from jaxscope.ui.toolkit.language import tr, tr_count, tr_said
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.widgets import (
    PlainTabs,
    escape_breakable,
    escape_html,
    fill_box,
    make_label,
)
from jaxscope.ui.window.page_context import CapturePage, PageContext

_MAX_SHOWN = 8


def describe_kernel(report: FusionReport, node: int, muted: str) -> str:
    """The fusion that a node is, or the kernel that it runs in, as HTML."""
    module = report.module
    kernel = module.kernel(node)
    fusion = report.fusion_of(node) or report.fusion_of(kernel)
    rows: list[tuple[str, str]] = []
    if fusion is not None:
        rows = [
            (tr("kind"), escape_breakable(tr_said(fusion.kind.text))),
            (tr("computes"), escape_breakable(describe_operations(fusion))),
            (tr("reads"), _values(fusion.inputs, with_ids=True)),
            (tr("writes"), _values(fusion.outputs)),
            (tr("saves"), escape_breakable(tr_said(describe_saving(fusion)))),
        ]
    twice = report.duplicates_in(kernel)
    lines = (escape_breakable(tr_said(describe_duplicate(d, kernel))) for d in twice)
    told = map(tr_said, first_of(lines, _MAX_SHOWN))
    rows.append((tr("computed twice"), "<br>".join(told)))
    shown = [(label, text) for label, text in rows if text]
    if not shown:
        return ""
    name = escape_breakable(fusion.id if fusion is not None else module.id(kernel))
    cells = "".join(
        f"<tr><td style='color:{muted}; padding-right:10px'>{label}</td><td>{text}</td></tr>"
        for label, text in shown
    )
    title = tr("Fusion {name}", name=name) if fusion is not None else tr("Kernel {name}", name=name)
    return f"<h4>{title}</h4><table cellspacing='0' cellpadding='2'>{cells}</table>"


def describe_pair(report: FusionReport, first: int, second: int) -> str:
    """Why two nodes are not one kernel, as HTML."""
    found = report.why_apart(first, second)
    same = found.first == found.second
    title = tr("One kernel") if same else tr("Why are these not one kernel?")
    return f"<h4>{title}</h4><p>{escape_breakable(tr_said(found.text))}</p>"


def describe_launches(report: FusionReport) -> Sequence[str]:
    """Eager against optimized in a sentence, then the definitions; empty where one is missing."""
    if report.one_by_one is None:
        return ()
    told = compare_launches(report.one_by_one, report.fused)
    definitions = (report.one_by_one.definition, report.fused.definition, report.other_counts)
    return (told, *filter(None, definitions))


def _values(values: Sequence[FusionValue], with_ids: bool = False) -> str:
    lines = (
        escape_breakable(f"{value.id} {value.type}" if with_ids else value.type)
        + f", {tr_said(describe_moved(value))}"
        for value in values
    )
    return "<br>".join(map(tr_said, first_of(lines, _MAX_SHOWN)))


HEADERS = ("#", "fusion", "kind", "reads", "writes", "saves", "computed twice", "computes")
_NONE_YET = (
    "Run a call: this page opens each kernel that the compiler fused, with what it reads, writes "
    "and saves. Select two instructions of the optimized program to see why they are not one "
    "kernel."
)
_NOT_YET = "The fusions are looked into once the run has ended."
_WORKING = "The fusions are being worked out …"


class FusionsPage(CapturePage):
    """A click on a row selects its fusion; the inspector describes it."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._report: FusionReport | None = None
        self.heading = QLabel(tr(_NONE_YET), wordWrap=True)
        self.tabs: PlainTabs | None = None
        self._column = fill_box(QVBoxLayout(self), self.heading, 0)
        context.inspector.additions.append(self._describe_selected)
        context.fusions.changed.connect(self._on_fusions_changed)

    def _build(self) -> PlainTabs:
        """Make the tables, with the first report: the page is made before anybody looks at it."""
        self.table = ResultTable(tr("Fusions of the optimized program"))
        self._linked = LinkedRows(self.table, self._context.selection)
        self.note = make_label(role="muted", wraps=True)
        self.decisions = ResultTable(tr("XLA's own log of what it fused"))
        logged = QWidget()
        fill_box(QVBoxLayout(logged), self.note, (self.decisions, 1), 0, margins=(0, 4, 0, 0))
        tabs = PlainTabs(tr("Fusions and XLA's decisions"))
        tabs.addTab(self.table, tr("Fusions"))
        tabs.addTab(logged, tr("XLA's decisions"))
        self._column.insertWidget(1, tabs, 1)
        return tabs

    def start(self) -> None:
        super().start()
        self._on_fusions_changed()  # a capture may be there before this page is

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._context.fusions.ask()

    def show_report(self, report: FusionReport | None, problem: str = "") -> None:
        """Show a report, or why there is none, or what there will be."""
        if report is self._report and report is not None:
            return
        self._report = report
        if report is None:
            self.heading.setText(problem or self._why_none())
            if self.tabs is not None:
                self.tabs.hide()
                self.table.rows.set_table(Table((), ()))
                self._linked.set_rows(())
                self._show_log(None)
            return
        self.tabs = self.tabs or self._build()
        self.tabs.show()
        self._show_log(report.log)
        told, *definitions = describe_launches(report) or ("",)
        count = tr_count(len(report.fusions), "fusion")
        num_twice = len(report.duplicates)
        twice = (
            tr("no value is")
            if not num_twice
            else tr("{num_twice:,} values are", num_twice=num_twice)
        )
        twice = tr("1 value is") if num_twice == 1 else twice
        self.heading.setText(
            tr(
                "{told} {count}; {twice} computed by more than one kernel.",
                told=told,
                count=count,
                twice=twice,
            ).strip()
        )
        self.heading.setToolTip("\n\n".join(map(tr_said, definitions)))
        fusions = report.fusions
        again = [len(report.duplicates_in(fusion.node)) for fusion in fusions]
        rows = [_row(i, fusion, again[i]) for i, fusion in enumerate(fusions)]
        hints = [
            tr("{id} saves {saving}", id=fusion.id, saving=describe_saving(fusion))
            for fusion in fusions
        ]
        self.table.rows.set_table(Table(HEADERS, rows), hints)
        self._linked.set_rows([(OPTIMIZED, (fusion.node,)) for fusion in fusions])

    def show_state(self, state: WindowState) -> None:
        del state  # `_why_none` asks for it, whatever has changed
        if self._report is None:
            self._on_fusions_changed()

    def _why_none(self) -> str:
        """Why there is no capture to look into: none was asked for, or it is not complete."""
        state = self._context.controller.state
        if state.phase is Phase.IDLE:
            return tr(_NONE_YET)
        is_made = any(stage.name == OPTIMIZED for stage in state.stages)
        return tr(_NOT_YET) if state.is_running and is_made else waiting_text(state, OPTIMIZED)

    def _show_log(self, log: FusionLog | None) -> None:
        """What XLA wrote itself; or that it wrote nothing."""
        steps = () if log is None else log.decisions
        self.decisions.setVisible(log is not None)
        self.note.setText(tr_said(NO_LOG if log is None else describe_log(log)))
        self.decisions.rows.set_table(decision_table(steps), [tr_said(step.text) for step in steps])

    def _on_fusions_changed(self) -> None:
        fusions = self._context.fusions
        if self.isVisible():
            fusions.ask()
        report, working = fusions.report, tr(_WORKING) if fusions.is_coming else ""
        self.show_report(report, fusions.problem or working)
        told = working
        if report is not None and report.one_by_one is not None:
            told = compare_counts(report.one_by_one, report.fused)
        self._context.set_stage_hint(OPTIMIZED, told)

    def _describe_selected(self) -> str:
        """What there is to say of the selection, as HTML; empty where that is nothing."""
        report, selection = self._context.fusions.report, self._context.selection.selection
        if not isinstance(selection, NodeSelection):
            return ""
        nodes = selection.nodes
        if selection.stage != OPTIMIZED or len(nodes) not in (1, 2):
            return ""
        if report is None:
            self._context.fusions.ask()
            is_coming = self._context.fusions.is_coming
            return f"<p>{escape_html(tr(_WORKING))}</p>" if is_coming else ""
        if len(nodes) == 2:
            return describe_pair(report, nodes[0], nodes[1])
        return describe_kernel(report, nodes[0], self._context.themes.theme.muted)


def _row(number: int, fusion: Fusion, again: int) -> tuple[Cell, ...]:
    return (
        Number(number, str(number)),
        fusion.id,
        fusion.kind.name,
        number_cell(fusion.bytes_read, format_bytes),
        number_cell(fusion.bytes_written, format_bytes),
        number_cell(fusion.saving.num_bytes, format_bytes),
        Number(again, str(again) if again else ""),
        describe_operations(fusion),
    )


make_page = FusionsPage
