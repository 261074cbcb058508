"""The roofline: what bounds each kernel, equation, line or scope, before and after optimization."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout

from jaxscope.client.requests import CalibrationRequest
from jaxscope.model import Capture, Environment, Graph, Stage, Unavailable, stage_named
from jaxscope.model.hardware import Ceilings, chip_names, chip_of_target, find_chip
from jaxscope.model.timing import Measurement
from jaxscope.program.cost.attribution import CostChange, RowKind, find_cost_change
from jaxscope.program.cost.trip_counts import find_trip_counts
from jaxscope.program.fates.table import link_products
from jaxscope.program.roofline import Roofline, RooflinePoint, find_limit, find_roofline
from jaxscope.report import diff
from jaxscope.report.roofline import (
    NO_CEILINGS,
    UNDECIDED,
    describe_ceilings,
    describe_compiled_for,
    describe_conditions,
    describe_excess,
    describe_fast_call,
    describe_protocol,
    describe_rows,
    describe_unmeasured,
    find_fastest_run,
    label_equations,
    roofline_table,
)
from jaxscope.schema.ceilings_file import store_ceilings, stored_ceilings
from jaxscope.ui.pages import PAGES
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr, tr_count, tr_said
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.toolkit.threads import LatestJob
from jaxscope.ui.toolkit.widgets import ChoiceBox, SelectableLabel, fill_box, make_splitter
from jaxscope.ui.window.page_context import PageContext, PageWidget

if TYPE_CHECKING:
    from jaxscope.ui.figures.plots import RooflinePlot

_QUESTION = PAGES["roofline"].answers
_NOUNS = ("kernel", "line", "scope", "equation")
_CHOICES = ("kernels", "source lines", "named scopes", "equations")
_BY = (RowKind.EQUATION, RowKind.LINE, RowKind.SCOPE, RowKind.EQUATION)
COMPILED, RECEIVED, BOTH = range(3)
_MEASURED = "this machine"
_INLINE_NODES = 200
"""What so few instructions do is found out at once: a thread would only let the page flicker."""
_MODULES = ("optimized", "HLO", "HLO and optimized")


class RooflinePage(PageWidget):
    """Points of the compiled program as a plot and as a table; keeps the ceilings measured here."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._latest: Ceilings | None = None
        self._measured: Ceilings | None = None
        self._call_time: Measurement | None = None
        self._host: Environment | None = None
        self._stage: Stage | None = None
        self._capture: Capture | None = None
        self._answers: dict[str | RowKind, Roofline | CostChange | Unavailable] = {}
        self._asked: str | RowKind | None = None
        self._job = LatestJob(self, "jaxscope roofline")
        self._job.finished.connect(self._on_job_finished)
        self._job.failed.connect(self._on_job_failed)
        self._equations: dict[str, tuple[RooflinePoint, ...]] = {}
        self._ceilings: Ceilings | None = None
        self._published: dict[str, Ceilings] = {}
        self._theme = context.themes.theme
        self.heading = SelectableLabel(tr(_QUESTION), "heading")
        self.notes = SelectableLabel(role="muted")
        self.calibrate = QPushButton(tr("Measure this machine"))
        self.setFocusProxy(self.calibrate)
        self.choice = ChoiceBox()
        self.choice.addItems(list(map(tr, _CHOICES)))
        self.choice.setAccessibleName(tr("What each point is"))
        self.module = ChoiceBox()
        self.module.addItems(list(map(tr, _MODULES)))
        self.module.setAccessibleName(tr("Which module"))
        self.module.setToolTip(
            tr(
                "The module that XLA compiled; the one that it received, as if each instruction "
                "were a kernel; or the work of each row in both."
            )
        )
        self.limits = ChoiceBox()
        self.limits.addItem(tr(_MEASURED))
        self.limits.setAccessibleName(tr("Whose limits"))
        self.limits.setToolTip(
            tr("What this machine reached when it was measured, or what is published of a chip")
        )
        self.export = QPushButton(tr("Export …"))
        self.table = ResultTable(tr("Work and traffic"))
        self._build()
        self.calibrate.clicked.connect(self._on_calibrate_clicked)
        self.choice.currentIndexChanged.connect(self._on_choice_changed)
        self.module.currentIndexChanged.connect(self._on_module_changed)
        self.limits.currentIndexChanged.connect(self._on_choice_changed)
        self.export.clicked.connect(self._on_export_clicked)
        self.table.place_selected.connect(self._on_table_place_selected)

    def _build(self) -> None:
        top = fill_box(QHBoxLayout(), (self.heading, 1))
        for button in (self.module, self.choice, self.limits, self.export, self.calibrate):
            top.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._split = make_splitter(Qt.Orientation.Vertical, self.table)
        fill_box(QVBoxLayout(self), top, self.notes, (self._split, 1), 0)
        self._show()

    @functools.cached_property
    def plot(self) -> RooflinePlot:
        """Made when there are ceilings to plot under."""
        from jaxscope.ui.figures.plots import RooflinePlot  # pyqtgraph costs half a second

        plot = RooflinePlot()
        plot.point_chosen.connect(self._on_plot_point_chosen)
        self._split.insertWidget(0, plot)
        self._split.setSizes([330, 250])
        return plot

    # --- showing ---

    def show_state(self, state: WindowState) -> None:
        self.calibrate.setEnabled(state.can_start)
        measured = state.lab.ceilings
        if measured is not None and measured is not self._latest:
            self._latest, self._measured = measured, store_ceilings(measured)
        if self.isVisible():
            self._show_present()

    def old_call(self, state: WindowState) -> str:
        return state.shown_call if state.is_old else ""

    def _show_present(self) -> None:
        """Only while it is looked at: a run changes the state many times."""
        state = self._context.controller.state
        environment = state.head.environment if state.head is not None else None
        if self._measured is None and environment is not None and environment != self._host:
            self._host = environment
            self._measured = stored_ceilings(environment)
        stage, timing = stage_named(state.stages, "optimized"), state.full_timing()
        measured = None if timing is None else timing.measurement("jit")
        self.show_program(stage, self._measured, state.capture, measured)

    def show_program(
        self,
        stage: Stage | None,
        ceilings: Ceilings | None,
        capture: Capture | None = None,
        measured: Measurement | None = None,
    ) -> None:
        """Show a compiled program under ceilings, as far as there are any.

        Args:
            stage: The stage `optimized`.
            ceilings: What the machine or a chip can do at most.
            capture: What the stage is part of, once it is complete.
            measured: The jitted call, if it was measured.
        """
        if stage is not self._stage or capture is not self._capture:
            self._stage, self._capture = stage, capture
            self._answers, self._equations, self._asked = {}, {}, None
            self._job.stop()
            # A program for an absent chip is seen under that chip's limits at first.
            chip = chip_of_target(self._capture.target) if self._capture is not None else None
            if chip is not None:
                self._fill_limits()
                self.limits.setCurrentIndex(self.limits.findData(chip.name))
            elif self._capture is not None:
                self.limits.setCurrentIndex(0)
        elif ceilings is self._ceilings and measured is self._call_time:
            return
        self._ceilings, self._call_time = ceilings, measured
        self._show()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._show()

    @property
    def ceilings(self) -> Ceilings | None:
        """The limits that are shown: measured here, or of the chosen chip."""
        chip = find_chip(str(self.limits.currentData() or ""))
        return (
            self._ceilings
            if chip is None
            else self._published.setdefault(chip.name, chip.ceilings())
        )

    def _fill_limits(self) -> None:
        if self.limits.count() == 1:  # reading the chips' files can wait until somebody looks
            for name in chip_names():
                self.limits.addItem(name, name)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fill_limits()
        self._show_present()

    @property
    def points(self) -> tuple[RooflinePoint, ...]:
        """What is shown."""
        found = self._found()
        if found is None:
            return ()
        if self.choice.currentIndex() == _CHOICES.index("equations"):
            if found.stage not in self._equations:
                self._equations[found.stage] = label_equations(self._capture, found.equations)
            return self._equations[found.stage]
        return (found.kernels, found.lines, found.scopes)[self.choice.currentIndex()]

    @property
    def change(self) -> CostChange | None:
        """What optimizing did, where that is what is shown."""
        if self._capture is None or self.module.currentIndex() != BOTH:
            return None
        by, capture = _BY[self.choice.currentIndex()], self._capture
        found = self._answer(by, lambda: find_cost_change(capture, by))
        return found if isinstance(found, CostChange) else None

    def _shown_stage(self) -> Stage | None:
        """The stage of the points."""
        if self.module.currentIndex() == RECEIVED and self._capture is not None:
            return self._capture.stage("hlo")
        return self._stage

    def _found(self) -> Roofline | None:
        found = self._search()
        return found if isinstance(found, Roofline) else None

    def _search(self) -> Roofline | Unavailable | None:
        stage = self._shown_stage()
        if stage is None:
            return None
        found = self._answer(stage.name, functools.partial(_look_into, stage, self._capture))
        return None if isinstance(found, CostChange) else found

    def _answer(
        self, key: str | RowKind, work: Callable[[], Roofline | CostChange | Unavailable]
    ) -> Roofline | CostChange | Unavailable | None:
        """What is known under a key; None while it is worked out on a thread."""
        graph = self._stage.graph if self._stage is not None else None
        if key not in self._answers and (graph is None or not _takes_long(graph)):
            self._answers[key] = work()
        elif key not in self._answers and key != self._asked:
            self._asked = key
            self._job.start(lambda _should_stop: work())
        return self._answers.get(key)

    def _on_job_finished(self, found: Roofline | CostChange | Unavailable) -> None:
        key, self._asked = self._asked, None
        if key is not None:
            self._answers[key] = found
            self._show()

    def _on_job_failed(self, error: Exception) -> None:
        told = f"{type(error).__name__}: {error}"
        self._on_job_finished(
            Unavailable(tr("This is a bug in jaxscope: {told}", told=told), "optimized")
        )

    def _show(self) -> None:
        found, change = self._search(), self.change
        is_both = self.module.currentIndex() == BOTH
        waits = self._asked is not None and change is None and (found is None or is_both)
        self.module.setVisible(self._capture is not None)
        for part in (self._split, self.export, self.choice, self.limits):
            part.setVisible(isinstance(found, Roofline) and not waits)
        if waits:
            self.heading.setText(tr("Finding out what each kernel does …"))
            self.notes.setText("")
        elif change is not None:
            self.heading.setText(tr_said(diff.describe_cost_change(change)))
            self.notes.setText("\n".join(map(tr_said, change.notes)))
            self.notes.setToolTip("")
            if "plot" in vars(self):
                self.plot.hide()
            self.table.rows.set_table(diff.cost_change_table(change))
        elif isinstance(found, Roofline):
            self._show_points(found)
        else:
            self.heading.setText(tr(_QUESTION))
            self.notes.setText(
                tr_said(found.reason)
                if found is not None
                else tr("The kernels of a call are shown here once it has run.")
            )

    def _show_points(self, found: Roofline) -> None:
        ceilings = self.ceilings
        how = tr(
            "{no_ceilings} “{text}” finds it out in seconds.",
            no_ceilings=tr_said(NO_CEILINGS),
            text=self.calibrate.text(),
        )
        notes = [how if ceilings is None else describe_ceilings(ceilings)]
        refuted = ""
        if ceilings is not None:
            refuted = describe_fast_call(found, ceilings, find_fastest_run(self._call_time))
            doubts = describe_excess(self.points, ceilings), refuted
            notes += [*describe_conditions(ceilings), *ceilings.warnings, *filter(None, doubts)]
            target = self._capture.target if self._capture is not None else ""
            notes += describe_compiled_for(target, ceilings) if target else []
            notes += describe_unmeasured(found, ceilings)
        if self.choice.currentIndex() != _CHOICES.index("kernels"):
            notes += describe_rows(found)
        self.notes.setText("\n".join(map(tr_said, [*notes, *found.notes])))
        self.notes.setToolTip("" if ceilings is None else tr_said(describe_protocol(ceilings)))
        points = self.points
        self.heading.setText(tr_said(UNDECIDED) if refuted else _heading(points, ceilings))
        if ceilings is not None:
            self.plot.show()
            self.plot.show_points(points, ceilings, self._theme)
        elif "plot" in vars(self):
            self.plot.hide()
        self.table.rows.set_table(roofline_table(points, ceilings))

    # --- choosing and exporting ---

    def write_to(self, path: str) -> None:
        """Write the table as comma-separated text, or the plot as a picture, by the ending.

        Raises:
            OSError: It cannot be written.
        """
        if path.lower().endswith(".png"):
            if not self.plot.grab().save(path, "PNG"):
                raise OSError(tr("{path} cannot be written", path=path))
        else:
            Path(path).write_text(self.table.rows.to_csv(), encoding="utf-8")

    def _on_export_clicked(self) -> None:
        endings = (
            tr("Table (*.csv)") if self.ceilings is None else tr("Table (*.csv);;Picture (*.png)")
        )
        path, _ = QFileDialog.getSaveFileName(self, tr("Export"), "roofline.csv", endings)
        if not path:
            return
        try:
            self.write_to(path)
        except OSError as error:
            self.notes.setText(tr("Not exported: {error}", error=error))

    def _on_calibrate_clicked(self) -> None:
        controller = self._context.controller
        controller.experiment(CalibrationRequest(target=controller.state.target))

    def _on_module_changed(self, index: int) -> None:
        if index == BOTH and self.choice.currentIndex() == 0:
            self.choice.setCurrentIndex(_CHOICES.index("equations"))  # kernels are of one module
        self._show()

    def _on_choice_changed(self, _index: int) -> None:
        self._show()

    def _on_plot_point_chosen(self, number: int) -> None:
        self.table.choose(number)
        self.table.scrollTo(self.table.currentIndex())

    def _on_table_place_selected(self, place: int) -> None:
        stage = self._shown_stage()
        if stage is None:
            return
        if (change := self.change) is not None:
            found = change.rows[place]
            after = found.after.nodes
            self._context.selection.select_nodes(
                "optimized" if after else "hlo", after or found.before.nodes
            )
            return
        if "plot" in vars(self):
            self.plot.choose(place)
        self._context.selection.select_nodes(stage.name, self.points[place].nodes)


def _takes_long(graph: Graph | Unavailable) -> bool:
    return isinstance(graph, Graph) and len(graph.nodes) > _INLINE_NODES


def _look_into(stage: Stage, capture: Capture | None) -> Roofline | Unavailable:
    trips = {} if capture is None else find_trip_counts(capture)
    machine = None if capture is None else capture.stage("machine")
    if stage.name == "optimized" and capture is not None:
        stage = link_products(capture) or stage
    return find_roofline(stage, trips, machine)


def _heading(points: tuple[RooflinePoint, ...], ceilings: Ceilings | None) -> str:
    kinds = _NOUNS[1:]
    noun = next((kind for kind in kinds if points and points[0].operation == kind), _NOUNS[0])
    if not points:
        return tr("No kernel whose work is known.")
    if ceilings is None:
        return tr("{count}, the most memory traffic first", count=tr_count(len(points), noun))
    limits = [find_limit(point, ceilings).kind for point in points]
    bound, by_arithmetic = limits.count("memory"), limits.count("arithmetic")
    if bound == len(points) or by_arithmetic == len(points):
        return tr(
            "{value} bounds {kernels}",
            value=tr("Memory") if bound else tr("Arithmetic"),
            kernels=_all_of(len(points), noun),
        )
    told = tr("Memory bounds {bound:,} of {count}", bound=bound, count=tr_count(len(points), noun))
    if bound + by_arithmetic == len(points):
        return tr("{told}, arithmetic the others", told=told)
    return tr("{told}, arithmetic {by_arithmetic:,}", told=told, by_arithmetic=by_arithmetic)


def _all_of(count: int, noun: str) -> str:
    return (
        tr("the only {noun}", noun=tr(noun))
        if count == 1
        else tr("all {count}", count=tr_count(count, noun))
    )


make_page = RooflinePage
