"""The page *Memory*: XLA's plan, what is alive at each step, residuals, donation,
`jax.checkpoint` policies.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from jaxscope.client.requests import RematRequest
from jaxscope.model import Capture, Unavailable, is_available
from jaxscope.model.experiments import RematPolicies
from jaxscope.model.said import say_joined, say_sentence
from jaxscope.model.units import format_bytes
from jaxscope.program.links import NO_LINKED, Links
from jaxscope.program.memory.live_ranges import Buffer, LiveRanges
from jaxscope.report.document import Table
from jaxscope.report.memory import (
    NO_PADDING,
    REMAT_PROTOCOL,
    MemoryReport,
    alive_table,
    describe_kept,
    describe_kept_size,
    describe_padding,
    describe_remat,
    donation_table,
    explain_ranges,
    hold_peak_against_plan,
    meaning_of,
    name_step,
    remat_table,
)
from jaxscope.schema.safe_text import escape_html
from jaxscope.ui.pages import PAGES
from jaxscope.ui.selection.linked_rows import LinkedRows
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr, tr_count, tr_named, tr_said
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.toolkit.threads import LatestJob
from jaxscope.ui.toolkit.widgets import (
    FoldedNotes,
    PlainTabs,
    SelectableLabel,
    TurningSplitter,
    fill_box,
)
from jaxscope.ui.window.page_context import CapturePage, PageContext

if TYPE_CHECKING:
    from jaxscope.ui.figures.plots import MemoryPlot


_REMAT_QUESTION = (
    "What would jax.checkpoint do to this gradient? Each of its policies is put on the base "
    "function in memory, and the gradient compiled anew; your file stays as it is."
)


class RematPart(QWidget):
    """What was found of each policy, and the button `compare` that asks for the compilations."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: RematPolicies | None = None
        self.heading = SelectableLabel(tr(_REMAT_QUESTION))
        self.notes = FoldedNotes()
        self.compare = QPushButton(tr("Compare the policies"))
        self.table = ResultTable(tr("Remat policies"))
        top = QHBoxLayout()
        top.addWidget(self.heading, 1)
        top.addWidget(self.compare, 0, Qt.AlignmentFlag.AlignTop)
        fill_box(QVBoxLayout(self), top, (self.table, 1), self.notes, 0, margins=(0, 4, 0, 0))
        self.show_policies(None)

    def show_policies(self, found: RematPolicies | None) -> None:
        """Show what was found, or what there will be."""
        if found is self._found and found is not None:
            return
        self._found = found
        self.table.setVisible(found is not None)
        if found is None:
            self.notes.set_notes((), ())
            self.heading.setText(tr(_REMAT_QUESTION))
            self.table.rows.set_table(Table((), ()))
            return
        self.heading.setText(
            tr("{savings} For {subject}.", savings=describe_remat(found), subject=found.subject)
        )
        missing = [
            tr_named(outcome.policy, outcome.missing.reason)
            for outcome in found.outcomes
            if outcome.missing is not None
        ]
        self.notes.set_notes(found.warnings, [*missing, tr_said(REMAT_PROTOCOL)])
        hints = [meaning_of(outcome.policy) for outcome in found.outcomes]
        self.table.rows.set_table(remat_table(found), hints)


_QUESTION = PAGES["memory"].answers


class MemoryPage(CapturePage):
    """A click on a row selects its node. Found when first looked at."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._capture: Capture | None = None
        self._report: MemoryReport | None = None
        self._theme = context.themes.theme
        self._searched: Capture | None = None
        self._job = LatestJob(self, "jaxscope memory")
        self._job.finished.connect(self._on_job_finished)
        self._job.failed.connect(self._on_job_failed)
        self.heading = SelectableLabel(tr(_QUESTION), "heading")
        self.notes = SelectableLabel(role="muted")
        self.step_title = QLabel()
        self.to_peak = QPushButton(tr("To the peak"))
        self.elsewhere = SelectableLabel(role="muted")
        self.to_value = QPushButton(tr("To its first step"))
        self._step = 0
        self._value: Buffer | None = None
        self.alive = ResultTable(tr("What is alive at the chosen step"))
        self.kept = ResultTable(tr("Values kept for the backward part"))
        self.donated = ResultTable(tr("Donated arguments"))
        self.constants = ResultTable(tr("Captured arrays"))
        self.remat = RematPart()
        self.tabs = PlainTabs(tr("Memory"))
        self._build()
        self.remat.compare.clicked.connect(self._on_compare_clicked)
        self.to_peak.clicked.connect(self._on_to_peak_clicked)
        self.to_value.clicked.connect(self._on_to_value_clicked)
        context.selection.changed.connect(self._tell_elsewhere)
        tables = (self.alive, self.kept, self.constants)
        self._linked = {table: LinkedRows(table, context.selection) for table in tables}

    def _build(self) -> None:
        alive = QWidget()
        column = QVBoxLayout(alive)
        column.setContentsMargins(0, 4, 0, 0)
        row = fill_box(QHBoxLayout(), (self.step_title, 1), self.to_peak)
        column.addLayout(row)
        column.addLayout(fill_box(QHBoxLayout(), (self.elsewhere, 1), self.to_value))
        column.addWidget(self.alive, 1)
        for title, page in (
            (tr("Alive"), alive),
            (tr("Kept for the backward part"), self.kept),
            (tr("Donated"), self.donated),
            (tr("Captured arrays"), self.constants),
            (tr("Remat policies"), self.remat),
        ):
            self.tabs.addTab(page, title)
        self._split = TurningSplitter((260, 320), self.tabs)
        fill_box(QVBoxLayout(self), self.heading, self.notes, (self._split, 1), 0)
        self._split.hide()

    @functools.cached_property
    def plot(self) -> MemoryPlot:
        """Made when there is something to plot."""
        from jaxscope.ui.figures.plots import MemoryPlot  # pyqtgraph costs half a second

        plot = MemoryPlot()
        plot.step_chosen.connect(self.choose_step)
        self._split.insertWidget(0, plot)
        self._split.share_out()
        return plot

    # --- showing ---

    def show_state(self, state: WindowState) -> None:
        if state.capture is not None or not state.is_running:
            self.show_capture(state.capture)
        self.remat.compare.setEnabled(state.can_start)
        found = state.lab.rematpolicies
        self.remat.show_policies(found if found and found.call == state.call else None)

    def show_capture(self, capture: Capture | None) -> None:
        """Show a capture, now or when the page is looked at."""
        if capture is self._capture:
            return
        self._capture, self._report, self._searched = capture, None, None
        self._job.stop()
        for rows in self._linked.values():
            rows.set_rows(())  # the tables are of the capture before
        self._tell_elsewhere(self._context.selection.links)
        if self.isVisible() or capture is None:
            self._search()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if (live := self._live()) is not None:
            self.plot.show_live(live, theme)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._report is None:
            self._search()

    def choose_step(self, step: int) -> None:
        """Show what is alive at a step."""
        live = self._live()
        if live is None or not 0 <= step < len(live.steps):
            return
        self._step = step
        self.plot.set_step(step)
        node = live.graph.node(live.steps[step])
        alive = live.alive_at(step)
        peak = tr(", the peak") if step == live.peak_step else ""
        self.to_peak.setEnabled(not peak)
        self.step_title.setText(
            tr(
                "Step {name_step}{peak}: {name} ({operation}), {timeline} in {num_buffers}",
                name_step=name_step(live, step),
                peak=peak,
                name=node.name,
                operation=node.operation,
                timeline=format_bytes(float(live.timeline[step])),
                num_buffers=tr_count(len(alive), "buffer"),
            )
        )
        self.alive.rows.set_table(alive_table(live, alive))
        self._linked[self.alive].set_rows([("optimized", (each.node,)) for each in alive])
        self._tell_elsewhere(self._context.selection.links)

    def _tell_elsewhere(self, links: Links) -> None:
        """Say where what is selected is alive, if it is not at the step that is shown."""
        live, linked = self._live(), links.stages.get("optimized", NO_LINKED)
        meant = frozenset(linked.selected.tolist()) or linked.nodes
        self._value = None
        told = "" if live is None or not meant else self._find_elsewhere(live, meant)
        self.elsewhere.setText(told)
        self.elsewhere.setVisible(bool(told))
        self.to_value.setVisible(self._value is not None)

    def _find_elsewhere(self, live: LiveRanges, meant: frozenset[int]) -> str:
        step = self._step
        found = [b for b in live.buffers if not meant.isdisjoint((b.node, *b.writers))]
        if not found:
            return tr("What is selected has no memory of its own in the compiled program.")
        here = [b for b in found if b.start <= step <= b.end]
        name = live.graph.name((here or found)[0].node)
        if any(b.kind != "constant" for b in here):
            return ""
        if here:
            return tr("{name} is a constant: it is alive at all steps, and not listed.", name=name)
        self._value = value = found[0]
        return tr(
            "{name} is alive from step {start:,} to {end:,}; shown: step {step:,}.",
            name=name,
            start=value.start,
            end=value.end,
            step=step,
        )

    def _live(self) -> LiveRanges | None:
        live = self._report.live if self._report is not None else None
        return live if isinstance(live, LiveRanges) else None

    def _search(self) -> None:
        """Find everything on a thread: large programs take a while."""
        capture = self._capture
        if capture is None:
            self.heading.setText(tr(_QUESTION))
            self.notes.setText(tr("The memory of a call is shown here once it has run."))
            self._split.hide()
            return
        if self._searched is capture:
            return
        self._searched = capture
        self.heading.setText(tr("Finding out what is alive when …"))
        self._job.start(lambda _should_stop: find_memory(capture))

    def _on_job_failed(self, error: Exception) -> None:
        self.heading.setText(tr("What is alive when is not known: looking for it failed."))
        self.notes.setText(
            tr("This is a bug in jaxscope: {name}: {error}", name=type(error).__name__, error=error)
        )
        self._split.hide()

    def _on_job_finished(self, report: MemoryReport) -> None:
        self._report = report
        self._tell(report)
        self._fill_kept(report)
        live = report.live
        self._split.show()
        if is_available(live):
            self.plot.show()
            self.plot.show_live(live, self._theme)
        elif "plot" in vars(self):
            self.plot.hide()
        self.tabs.setTabVisible(0, is_available(live))
        if is_available(live):
            self.choose_step(live.peak_step)
        donations = report.donations
        known = () if isinstance(donations, Unavailable) else donations
        self.tabs.setTabVisible(2, bool(known))
        self.donated.rows.set_table(donation_table(known))

    def _tell(self, report: MemoryReport) -> None:
        plan, live = report.capture.memory, report.live
        if isinstance(plan, Unavailable):
            heading = tr("XLA's memory plan is not available: {reason}", reason=plan.reason)
        else:
            heading = tr(
                "{total_bytes} by XLA's plan: {argument_bytes} arguments, {result_bytes} "
                "results, {temporary_bytes} temporaries",
                total_bytes=format_bytes(plan.total_bytes),
                argument_bytes=format_bytes(plan.argument_bytes),
                result_bytes=format_bytes(plan.result_bytes),
                temporary_bytes=format_bytes(plan.temporary_bytes),
            )
            if plan.aliased_bytes:
                heading += tr(
                    "; {aliased_bytes} of it shared by donation",
                    aliased_bytes=format_bytes(plan.aliased_bytes),
                )
        hint = ""
        if isinstance(live, Unavailable):
            notes = tr("What is alive when is not available: {reason}", reason=live.reason)
        else:
            found, padding = hold_peak_against_plan(live, plan), describe_padding(live)
            is_plain = padding == NO_PADDING
            notes = tr_said(found if is_plain else say_joined((found, padding)))
            how = explain_ranges(live)
            hint = tr_said(say_joined((how, padding if is_plain else "")))
        self.heading.setText(heading)
        self.notes.setText(notes)
        for label in (self.heading, self.notes):
            label.setToolTip(f"<p>{escape_html(hint)}</p>" if hint else "")  # which wraps

    def _fill_kept(self, report: MemoryReport) -> None:
        residuals = report.residuals
        shown = (*residuals.values, *residuals.in_rounds)
        self.tabs.setTabVisible(1, bool(shown))
        size = tr_said(describe_kept_size(residuals))
        self.tabs.setTabText(
            1,
            tr("Kept for the backward part, in the jaxpr ({size})", size=size)
            if residuals.is_compiled
            else tr("Its gradient would keep ({size})", size=size),
        )
        self.tabs.setTabToolTip(1, tr_said(say_sentence(describe_kept(residuals))))
        kept, constants = report.tables
        self.kept.rows.set_table(kept)
        self._linked[self.kept].set_rows([(v.stage, (v.node,)) for v in shown])
        self.tabs.setTabVisible(3, bool(report.constants))
        self.constants.rows.set_table(constants)
        self._linked[self.constants].set_rows([(v.stage, (v.node,)) for v in report.constants])

    # --- choosing ---

    def _on_compare_clicked(self) -> None:
        self._context.controller.experiment(RematRequest())

    def _on_to_peak_clicked(self) -> None:
        live = self._live()
        if live is not None:
            self.choose_step(live.peak_step)

    def _on_to_value_clicked(self) -> None:
        if self._value is not None:
            self.choose_step(self._value.start)


def find_memory(capture: Capture) -> MemoryReport:
    """The report of a capture, with all of its parts worked out."""
    report = MemoryReport(capture)
    parts = (report.live, report.donations, report.tables)
    assert len(parts) == 3  # each is found when it is first asked for: here, not on show
    return report


make_page = MemoryPage
