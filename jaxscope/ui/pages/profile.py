"""Experiment: where the time goes, by source lines and by instructions or equations, and the
timeline of one run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QSplitter, QTabWidget

from jaxscope.client.requests import ProfileRequest
from jaxscope.model import SourceFile, Stage, is_available
from jaxscope.model.timing import NodeTimes, Profile, Timeline
from jaxscope.model.units import format_seconds, format_share
from jaxscope.picture.tint.classes import ColourBy
from jaxscope.program.links import Links
from jaxscope.program.node_times import (
    describe_overlap,
    find_node,
    line_shares,
    names_of_linked,
    overlay_stage,
)
from jaxscope.report.document import Table
from jaxscope.report.measurement_documents import line_table, node_table
from jaxscope.ui.pages.experiments import ExperimentPage
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr, tr_count, tr_said
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.toolkit.widgets import ChoiceBox, fill_box
from jaxscope.ui.window.page_context import PageContext

if TYPE_CHECKING:
    from jaxscope.export.figures import LaneChart
    from jaxscope.ui.figures.figure_panel import FigurePanel

_MEANING = (
    "Each instruction of the compiled program under XLA's own recorder, and each equation "
    "run by itself. The graph, the table of nodes and the inspector then show the times."
)
_BY_JOB = (
    "Measured by XLA's profiler while the job ran. The graph, the table of nodes and the inspector "
    "show the times, too."
)
_OPEN_ONE = (
    "Open the profile of a job that ran this program (the folder that jax.profiler.trace wrote, or "
    "its xplane.pb) to see what each instruction and line took there."
)
_NAME_COLUMN = 4
_TIMELINE_STAGE = "optimized"


class ProfilePage(ExperimentPage[Profile]):
    """Tables of lines and of nodes, of the compiled program or the eager run; and one run."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context, "profile", tr(_MEANING), tr("Measure each node"))
        self._stages: Sequence[Stage] = ()
        self._files: Sequence[SourceFile] = ()
        self.side = ChoiceBox()
        self.side.addItems([tr("compiled"), tr("eager")])
        self.side.setAccessibleName(tr("Which run to show"))
        self.with_eager = QCheckBox(tr("Run the equations one by one, too"))
        self.with_eager.setChecked(True)
        self.lines, self.nodes = (
            ResultTable(tr("Time of source lines")),
            ResultTable(tr("Time of nodes")),
        )
        self._choices = row = fill_box(QHBoxLayout(), self.side, self.with_eager)
        self.colours = QPushButton(tr("Colour the graphs by time"))
        self.colours.hide()
        row.addWidget(self.colours)
        row.addStretch(1)
        self.form.addRow(tr("Show"), row)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.addWidget(self.lines)
        self._split.addWidget(self.nodes)
        self.run: FigurePanel | None = None
        self._chart: LaneChart | None = None
        self._chosen: frozenset[str] = frozenset()
        self._tabs = QTabWidget(documentMode=True)
        self._tabs.addTab(self._split, tr("Lines and nodes"))
        self.hold_result(self._tabs)
        self.nodes.clicked.connect(self._on_nodes_clicked)
        self.colours.clicked.connect(self._on_colours_clicked)
        self.side.currentIndexChanged.connect(self._show)
        context.selection.changed.connect(self.show_links)

    def make_request(self) -> ProfileRequest:
        return ProfileRequest(skip_eager=not self.with_eager.isChecked())

    def show_result(self, _found: Profile) -> None:
        self._chart = None
        self._show()
        self._show_run()

    def show_state(self, state: WindowState) -> None:
        self._stages, self._files = state.stages, state.files
        super().show_state(state)
        profile = self.found
        self.colours.setVisible(profile is not None)
        is_of_job = profile is not None and bool(profile.recording)
        has_choice = not is_of_job and (profile is not None or not state.is_view_only)
        self.form.setRowVisible(0, is_of_job or has_choice)
        self.side.setVisible(has_choice)  # of a job there is no run equation by equation
        self.form.labelForField(self._choices).setVisible(has_choice)
        self.with_eager.setHidden(state.is_view_only)
        self.button.setHidden(state.is_view_only)
        of_job = tr(_BY_JOB) if is_of_job else tr(_OPEN_ONE)
        self._meaning.setText(of_job if is_of_job or state.is_view_only else tr(_MEANING))

    def old_call(self, state: WindowState) -> str:
        return "" if self.found is None or self.found.recording else super().old_call(state)

    def start(self) -> None:
        super().start()
        self.show_links(self._context.selection.links)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._show_run()

    def _on_colours_clicked(self) -> None:
        """Tables have the numbers anyway."""
        self._context.colour_graphs(ColourBy.TIME)

    def _show(self) -> None:
        profile = self.found
        if profile is None:
            return
        side = profile.compiled if self.side.currentIndex() == 0 else profile.eager
        if not isinstance(side, NodeTimes):
            self.say(
                tr("{currentText}: not available", currentText=self.side.currentText()),
                [side.reason],
            )
            for table in (self.lines, self.nodes):
                table.rows.set_table(Table((), ()))
            return
        overlay = overlay_stage(self._stages, side)
        if profile.recording:
            work = sum(time.exclusive for time in side.times)
            heading = tr(
                "{call}: in the job a run took {work} of work, the mean of {num_runs}",
                call=profile.call,
                work=format_seconds(work),
                num_runs=tr_count(side.runs, "run"),
            )
            self.say(heading, [side.protocol, *profile.warnings])
        else:
            self._say_measured(profile, side, is_other=overlay is None or bool(overlay.unmatched))
        lines = line_shares(overlay, side) if overlay is not None else ()
        self.lines.rows.set_table(line_table(self._files, lines))
        self.nodes.rows.set_table(node_table(side, overlay, is_of_job=bool(profile.recording)))

    def _say_measured(self, profile: Profile, side: NodeTimes, *, is_other: bool) -> None:
        heading = tr(
            "{call}: a recorded run takes {wall}; {share} of it is in what is "
            "listed, {gaps} are dispatch and gaps",
            call=profile.call,
            wall=format_seconds(side.wall),
            share=format_share(side.coverage),
            gaps=format_seconds(side.gaps),
        )
        notes = [
            f"{tr_count(side.runs, 'run')}. {tr_said(side.protocol)}",
            *filter(None, [describe_overlap(side)]),
            tr(
                "Other runs, without recording, took {plain_wall} each.",
                plain_wall=format_seconds(side.plain_wall),
            ),
            *profile.warnings,
        ]
        if is_other:
            notes.append(tr("Some names belong to another program than the one that is shown."))
        self.say(heading, notes, (profile.call, profile.environment))

    def show_links(self, links: Links) -> None:
        """Mark the instructions that a selection made elsewhere means."""
        self._chosen = names_of_linked(self._stages, links, _TIMELINE_STAGE)
        if self.run is not None:
            self.run.choose(self._chosen)

    def _show_run(self) -> None:
        """The timeline of one run, made anew only for another profile."""
        profile = self.found
        timeline = profile.timeline if profile is not None else None
        if profile is None or not isinstance(timeline, Timeline):
            if self.run is not None:
                self._tabs.setTabVisible(1, False)
            return
        from jaxscope.export.figures import timeline_chart
        from jaxscope.ui.figures.figure_panel import FigurePanel  # pyqtgraph costs half a second

        if self._chart is None:
            self._chart = timeline_chart(profile.call, timeline)
        if self.run is None:
            self.run = FigurePanel("timeline")
            self.run.bar_chosen.connect(self._choose_node)
            self.run.enlarged.connect(self.show_result_only)
            self._tabs.addTab(self.run, tr("One run"))
        self._tabs.setTabVisible(1, True)
        self.run.show_figure(self._chart, profile.environment, self.theme)
        self.run.choose(self._chosen)

    def _on_nodes_clicked(self, index: QModelIndex) -> None:
        self._choose_node(self.nodes.rows.cell(index.row(), _NAME_COLUMN))

    def _choose_node(self, name: str) -> None:
        """Tell which node of which stage has that name, where the program shown has one."""
        for stage in self._stages:
            if not is_available(stage.graph) or stage.name not in self._measured_stages():
                continue
            place = find_node(stage.graph, name)
            if place is not None:
                self._context.selection.select_node(stage.name, place)
                return

    def _measured_stages(self) -> tuple[str, ...]:
        profile = self.found
        sides = () if profile is None else (profile.compiled, profile.eager)
        return tuple(side.stage for side in sides if isinstance(side, NodeTimes))


make_page = ProfilePage
