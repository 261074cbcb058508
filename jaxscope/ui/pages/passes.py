"""The page *Passes*: recorded XLA passes as a table, the module before and after each, and the
command that records them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from jaxscope.model import NONE, Fate, NodeKind, PassRecord, Stage, Unavailable, is_available
from jaxscope.model.op_name import TagTable
from jaxscope.model.said import join_first
from jaxscope.model.stages import find_lowered_stage
from jaxscope.model.units import format_bytes, format_flops, format_seconds
from jaxscope.program.equation_text import name_and_number
from jaxscope.program.links import NO_LINKED, Links, NodeSelection
from jaxscope.program.passes.diff import ModuleGraphs, diff_pass_texts, find_module_graphs
from jaxscope.program.passes.recorder import (
    COUNTED,
    ESTIMATED,
    TIMED,
    describe_change,
    explain_missing_peak,
)
from jaxscope.report.document import Cell, Number, Table, count_cell, known_cell, number_cell
from jaxscope.ui.pages.diff_graph import ComparedCanvas, MarkLegend
from jaxscope.ui.pages.diff_text import DiffTextView
from jaxscope.ui.session.screen import tr_passes
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr, tr_count, tr_list, tr_said
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.theme import BASE_POINTS, LIGHT, Theme
from jaxscope.ui.toolkit.threads import LatestJob
from jaxscope.ui.toolkit.widgets import (
    ANY_PX,
    PlainTabs,
    TurningSplitter,
    escape_html,
    fill_box,
    make_label,
    make_splitter,
)
from jaxscope.ui.window.page_context import CapturePage, PageContext

# The module before and after an XLA pass as two linked graphs with marks.
#
# Imported when such graphs are first shown.


class PassGraphs(QWidget):
    """`equations_chosen` carries ids of the equations that a clicked instruction holds."""

    equations_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._job = LatestJob(self, "jaxscope pass graphs")
        self._job.finished.connect(self._on_job_finished)
        self._job.failed.connect(self._on_job_failed)
        self._key: tuple[int, int] | None = None
        self._graphs: ModuleGraphs | None = None
        self._followed: frozenset[str] = frozenset()
        self.canvases = (ComparedCanvas(), ComparedCanvas())
        self.legend = MarkLegend()
        self.note = make_label(role="muted")
        self.reason = QLabel(wordWrap=True, margin=24, alignment=Qt.AlignmentFlag.AlignCenter)
        self._body = QStackedWidget()
        self._build()
        self.canvases[0].node_selected.connect(self._on_first_node_selected)
        self.canvases[1].node_selected.connect(self._on_second_node_selected)

    def _build(self) -> None:
        sides = make_splitter(Qt.Orientation.Horizontal)
        for title, canvas in zip(("before", "after"), self.canvases, strict=True):
            side = QWidget()
            column = QVBoxLayout(side)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(2)
            name = make_label(title, "muted")
            column.addWidget(name)
            column.addWidget(canvas, 1)
            sides.addWidget(side)
        shown = QWidget()
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        row = fill_box(QHBoxLayout(), self.legend, (self.note, 1))
        column.addLayout(row)
        column.addWidget(sides, 1)
        self._body.addWidget(shown)
        self._body.addWidget(self.reason)
        fill_box(QVBoxLayout(self), self._body, margins=(0, 0, 0, 0))

    @property
    def graphs(self) -> ModuleGraphs | None:
        """What is shown."""
        return self._graphs

    def show_pass(self, records: Sequence[PassRecord], number: int, tags: TagTable) -> None:
        """Show the modules around a pass; they are read on a thread, as they may be large."""
        if self._key == (id(records), number):
            return
        self._key = id(records), number
        self._say(tr("Reading the modules …"))
        self._job.start(lambda _should_stop: find_module_graphs(records, number, tags))

    def forget(self) -> None:
        """Show no graphs, and ask for a pass to be chosen."""
        self._job.stop()
        self._key = self._graphs = None
        self._say(tr("Choose a pass to see the module before and after it."))

    def follow(self, equations: Collection[str]) -> None:
        """Outline the instructions that hold these equations, on both sides."""
        self._followed = frozenset(equations)
        graphs = self._graphs
        if graphs is None:
            return
        counts = []
        for side, canvas in enumerate(self.canvases):
            nodes = graphs.holders(side, self._followed) if self._followed else []
            canvas.set_highlight(nodes, (), ())
            counts.append(len(nodes))
        told = tr(
            "Instructions that hold what is selected: {before:,} before, {after:,} after.",
            before=counts[0],
            after=counts[1],
        )
        self.note.setText(told if self._followed else "")

    def set_theme(self, theme: Theme = LIGHT, points: float = BASE_POINTS) -> None:
        """Use a theme's colours and a size of type."""
        self.legend.set_theme(theme.name)
        for canvas in self.canvases:
            canvas.set_theme(theme.name)
            canvas.set_text_scale(points / BASE_POINTS)

    def _on_job_failed(self, error: Exception) -> None:
        told = f"{type(error).__name__}: {error}"
        self._say(
            tr("The modules could not be compared, which is a bug in jaxscope: {told}", told=told)
        )

    def _on_job_finished(self, found: ModuleGraphs | Unavailable) -> None:
        if isinstance(found, Unavailable):
            self._say(tr_said(found.reason))
            return
        self._graphs = found
        sides = ((found.before, found.before_changes), (found.after, found.after_changes))
        titles = (tr("the module before the pass"), tr("the module after the pass"))
        for canvas, (graph, changes), title in zip(self.canvases, sides, titles, strict=True):
            canvas.set_changes(changes)
            canvas.show_graph(graph, title)
        self._body.setCurrentIndex(0)
        self.follow(self._followed)

    def _say(self, text: str) -> None:
        self._graphs = None
        self.reason.setText(text)
        self._body.setCurrentWidget(self.reason)

    def _on_first_node_selected(self, node: int) -> None:
        self._select(0, node)

    def _on_second_node_selected(self, node: int) -> None:
        self._select(1, node)

    def _select(self, side: int, node: int) -> None:
        """Select the same instruction on the other side, and say what it holds."""
        graphs = self._graphs
        if graphs is None:
            return
        self.canvases[1 - side].select_node(graphs.partner_of(side, node))
        graph = graphs.after if side else graphs.before
        if node != NONE:
            self.equations_chosen.emit(graph.derived(node))


RECEIVED = "as XLA received it"
HEADERS = (
    *("dump", "pass", "pipeline", "instructions", "fusions", "FLOPs, each loop once"),
    *("bytes, each loop once", "peak memory", "estimated peak", "time", "changes"),
    "equations ended",
)


def pass_row(record: PassRecord, place: int) -> tuple[Cell, ...]:
    """The cells of a pass, for the columns of `HEADERS`.

    Args:
        place: Of all passes of the program.
    """
    cost = record.cost
    return (
        Number(place, "" if record.number is None else f"{record.number:04}"),
        record.name or tr(RECEIVED),
        record.pipeline,
        count_cell(record.num_instructions),
        count_cell(record.num_fusions),
        number_cell(cost.flops, format_flops),
        number_cell(cost.bytes_accessed, format_bytes),
        known_cell(record.peak_bytes, format_bytes),
        # In program order, where XLA has no order of its own yet.
        known_cell(record.estimated_peak_bytes, lambda value: f"~{format_bytes(value)}"),
        known_cell(record.seconds, format_seconds),
        describe_change(record) if record.name else "",
        Number(len(record.ended), f"{len(record.ended)}" if record.ended else ""),
    )


def describe_totals(records: Sequence[PassRecord]) -> str:
    """Which pass took longest, all of them together, and what the module needs at once."""
    known = [record for record in records if not math.isnan(record.seconds)]
    parts = []
    if known:
        slowest = max(known, key=lambda record: record.seconds)
        total = format_seconds(sum(record.seconds for record in known))
        parts.append(
            tr(
                " The longest, {name}, took {seconds}; these together {total}. The rest of "
                "compiling is passes that changed nothing, buffer assignment and code "
                "generation (LLVM's on CPUs and GPUs).",
                name=slowest.name,
                seconds=format_seconds(slowest.seconds),
                total=total,
            )
        )
    peak = records[-1].peak_bytes
    if not math.isnan(peak):
        parts.append(
            tr(
                " In the end values that are needed at once add up to {peak}; XLA allocates less "
                "where they share memory, and more where it leaves gaps between them.",
                peak=format_bytes(peak),
            )
        )
    return "".join(parts)


def describe_unlisted(records: Sequence[PassRecord]) -> str:
    """How many dumps of XLA's are not listed, and how to see them."""
    count = sum(not record.did_something for record in records)
    if not count:
        return ""
    return tr(
        " {num_further_dumps} changed no instruction; filter by name to see it.",
        num_further_dumps=tr_count(count, "further dump"),
    )


def search_text(record: PassRecord) -> str:
    """What a filter looks through."""
    return f"{record.name} {record.pipeline} {record.text} {record.before}".casefold()


_MAX_NAMES = 6
_LINES_OF_NONE = 5  # of text, that the page is high while there are no passes to show
_NONE_YET = (
    "What XLA's optimizer does to the program, pass by pass. Recording compiles the program once "
    "more; then the fates of equations name the pass that decided them."
)


class PassesPage(CapturePage):
    """Follows the selection through the passes; a click in a graph selects its equations."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._records: Sequence[PassRecord] = ()
        self._tags = TagTable()
        self._shown: list[int] = []
        self._followed: frozenset[str] = frozenset()
        self._current = -1
        self._can_run = False
        self.heading = QLabel(tr(_NONE_YET), wordWrap=True)
        self.record = QPushButton(tr("Record the passes"))
        self.record.clicked.connect(self.record_passes)
        self.without = QPushButton(tr("Compare without this pass"))
        self.without.setToolTip(
            tr(
                "Compiles the call once more with xla_disable_hlo_passes, wherever this pass "
                "runs, and shows both programs on the page Compare."
            )
        )
        self.without.setEnabled(False)
        self.without.clicked.connect(self._on_without_clicked)
        self.filter = QLineEdit(
            placeholderText=tr("Passes or text with …"), clearButtonEnabled=True
        )
        self.filter.setAccessibleName(tr("Show only passes whose name or text contains this"))
        self.filter.textChanged.connect(self._fill)
        self.follow = QCheckBox(tr("Only those that touched what is selected"))
        self.follow.setEnabled(False)
        self.follow.toggled.connect(self._fill)
        self.fate = QLabel(wordWrap=True)
        self.fate.hide()
        self.table = ResultTable(tr("Passes in their order"))
        self.table.notice.clear_requested.connect(self._on_notice_clear_requested)
        self.table.place_selected.connect(self._on_table_place_selected)
        self.title = QLabel()
        self.diff = DiffTextView()
        self.forms = PlainTabs()
        self._graphs_home = QWidget()
        self._build()
        self.forms.currentChanged.connect(self._show_graphs)
        context.selection.changed.connect(self._follow)
        context.inspector.pass_requested.connect(self._on_inspector_pass_requested)
        context.fates.changed.connect(self._on_fates_changed)

    def _build(self) -> None:
        top = fill_box(QHBoxLayout(), (self.heading, 1), self.record)
        self._tools = QWidget()
        tools = QHBoxLayout(self._tools)
        tools.setContentsMargins(0, 0, 0, 0)
        tools.addWidget(self.filter, 1)
        tools.addWidget(self.follow)
        tools.addWidget(self.without)
        texts = QWidget()
        column = fill_box(QVBoxLayout(texts), self.title, margins=(0, 4, 0, 0))
        self.forms.addTab(self.diff, tr("Text"))
        self.forms.addTab(self._graphs_home, tr("Graphs"))
        QVBoxLayout(self._graphs_home).setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.forms, 1)
        self._split = TurningSplitter((400, 600), self.table, texts)
        fill_box(QVBoxLayout(self), top, self._tools, self.fate, (self._split, 1), 0)
        self._show_parts()

    def start(self) -> None:
        super().start()
        self._on_fates_changed()  # something may be selected before this page is there

    @functools.cached_property
    def graphs(self) -> PassGraphs:
        """Made when graphs are first asked for."""
        from jaxscope.ui.pages.passes import PassGraphs  # loads the graph view

        graphs = PassGraphs()
        graphs.set_theme(self._context.themes.theme, self._context.themes.points)
        graphs.equations_chosen.connect(self._on_graphs_equations_chosen)
        layout = self._graphs_home.layout()
        assert layout is not None
        layout.addWidget(graphs)
        return graphs

    def record_passes(self) -> None:
        """Run the present call again, and record the passes."""
        state = self._context.controller.state
        if state.call:
            self._context.show_page("passes")
            self._context.controller.run(state.call, state.target, passes=True)

    # --- showing ---

    def show_state(self, state: WindowState) -> None:
        self._can_run = state.can_start
        self.record.setEnabled(self._can_run)
        self._context.commands.actions["record_passes"].setEnabled(self._can_run)
        self._fit_without()
        if state.capture is None:
            if not state.is_running:
                self.show_passes(())
            return
        stage = state.capture.stage("passes")
        missing = stage.unavailable if stage is not None else None
        reason = tr_said(missing.reason) if isinstance(missing, Unavailable) else ""
        if stage is None and state.is_view_only:
            reason = tr("This capture was made without recording XLA's passes.")
        self.show_passes(state.capture.passes, reason, state.capture.pass_tags)

    def old_call(self, state: WindowState) -> str:
        call = super().old_call(state)
        return call if self._records else ""

    def show_passes(
        self, records: Sequence[PassRecord], missing: str = "", tags: TagTable | None = None
    ) -> None:
        """Show recorded passes; or why there are none.

        Args:
            records: The module as XLA received it, then the passes.
            missing: A sentence for the reader, where passes were to be recorded and are not there.
            tags: What the tags in the records' modules stand for.
        """
        if records is self._records and not missing:
            return
        self._records, self._tags = records, tags or TagTable()
        if records:
            first, last = records[0], records[-1]
            self.heading.setText(
                tr(
                    "{passes} changed the program: {num_instructions:,} instructions "
                    "became {num_left:,}, with "
                    "{num_fusions}.{totals}{unlisted}",
                    passes=tr_passes(records),
                    num_instructions=first.num_instructions,
                    num_left=last.num_instructions,
                    num_fusions=tr_count(last.num_fusions, "fusion"),
                    totals=describe_totals(records),
                    unlisted=describe_unlisted(records),
                )
            )
            self.heading.setToolTip("\n\n".join(map(tr_said, (COUNTED, TIMED, ESTIMATED))))
        else:
            self.heading.setText(missing or tr(_NONE_YET))
        self._show_parts()
        self._fill()
        if records:
            self.table.choose(min(1, len(self._shown) - 1))

    def follow_equations(
        self,
        ids: Iterable[str],
        title: str = "",
        fate: Fate | None = None,
        *,
        is_coming: bool = False,
    ) -> None:
        """The person selected something.

        Args:
            ids: Equations of the last jaxpr-level stage that belong to it.
            title: What it is, such as `Equation 4 (mul)`.
            fate: Its fate, if it is an equation.
            is_coming: Its fate is being found.
        """
        self._followed = frozenset(ids)
        known = any(self._touches(record) for record in self._records)
        self.follow.setEnabled(known)
        if not known and self.follow.isChecked():
            self.follow.setChecked(False)
        text = ""
        if is_coming:
            text = tr("{title}: its fate is being worked out …", title=escape_html(title))
        if fate is not None:
            by = tr(", decided by {pass_name}", pass_name=fate.pass_name) if fate.pass_name else ""
            mark = tr(" (inferred)") if fate.certainty == "inferred" else ""
            text = tr(
                "{title}: <b>{fate}</b>{mark}{by}. {text}",
                title=escape_html(title),
                fate=tr(fate.fate),
                mark=mark,
                by=by,
                text=escape_html(tr_said(fate.text)),
            )
        self.fate.setText(text)
        self.fate.setVisible(bool(text))
        if "graphs" in vars(self):
            self.graphs.follow(self._followed)
        if self.follow.isChecked():
            self._fill()
        elif 0 <= self._current < len(self._records):
            self._tell(self._records[self._current])

    def set_theme(self, theme: Theme) -> None:
        points = self._context.themes.points
        self.diff.set_theme(theme, points)
        if "graphs" in vars(self):
            self.graphs.set_theme(theme, points)

    def choose(self, record: int) -> None:
        """Show a pass, by its place in the records."""
        if record in self._shown:
            self.table.choose(self._shown.index(record))

    def choose_dump(self, number: int) -> None:
        """Show the pass after which XLA wrote a dump, by the dump's number."""
        for place, record in enumerate(self._records):
            if record.number == number:
                self.filter.clear()
                self.follow.setChecked(False)
                self.choose(place)

    def _show_parts(self) -> None:
        has_any = bool(self._records)
        self._tools.setVisible(has_any)
        self._split.setVisible(has_any)
        least_px = _LINES_OF_NONE * self.fontMetrics().lineSpacing()
        self.setMaximumHeight(ANY_PX if has_any else least_px)

    def _fill(self) -> None:
        words = self.filter.text().strip().casefold()
        self._shown = [
            number
            for number, record in enumerate(self._records)
            if (words in search_text(record) if words else record.did_something)
            and (not self.follow.isChecked() or self._touches(record))
        ]
        table = Table(HEADERS, [pass_row(self._records[place], place) for place in self._shown])
        hints = [self._hint(self._records[number]) for number in self._shown]
        why = [tr("contains “{words}”", words=words)] if words else []
        why += [tr("touched what is selected")] if self.follow.isChecked() else []
        self.table.notice.say(tr("No pass {why}.", why=" and ".join(why)), can_clear=bool(why))
        self.table.rows.set_table(table, hints)
        self._show_texts(None)

    def _on_notice_clear_requested(self) -> None:
        self.follow.setChecked(False)
        self.filter.clear()

    def _on_table_place_selected(self, place: int) -> None:
        self._current = self._shown[place]
        self._show_texts(self._records[self._current])

    def _show_texts(self, record: PassRecord | None) -> None:
        if record is None:
            self._current = -1
        self._fit_without()
        if record is None:
            self.title.setText(tr("Choose a pass to see what it changed."))
            self.diff.set_diff(None)
            if "graphs" in vars(self):
                self.graphs.forget()
            return
        self._tell(record)
        self.diff.set_diff(diff_pass_texts(record.before, record.text))
        self._show_graphs()

    def _show_graphs(self) -> None:
        """Draw the modules around the current pass, if graphs are looked at."""
        if self.forms.currentWidget() is self._graphs_home and self._current >= 0:
            self.graphs.follow(self._followed)
            self.graphs.show_pass(self._records, self._current, self._tags)

    def _tell(self, record: PassRecord) -> None:
        name = record.name or tr(RECEIVED)
        where = tr(" in {pipeline}", pipeline=record.pipeline) if record.pipeline else ""
        text = f"<b>{name}</b>{where}"
        if not record.before and not record.text:
            text += tr(": only names and annotations changed")
        elif record.name:
            text += tr(": before on the left, after on the right")
        touched = sorted(self._followed & record.carriers.keys())
        if touched:
            names = dict.fromkeys(name for id in touched for name in record.carriers[id])
            held = tr_list(list(names)[:_MAX_NAMES]) or tr("nothing any more")
            text += tr(". What is selected is now in {held}", held=escape_html(held))
        self.title.setText(text + ".")

    def _touches(self, record: PassRecord) -> bool:
        return not self._followed.isdisjoint(record.carriers)

    def _hint(self, record: PassRecord) -> str:
        parts = []
        if record.ended:
            ended = tr_said(join_first(record.ended, 12))
            parts.append(
                tr("Since this pass no instruction carries the equations {ended}.", ended=ended)
            )
        if self._touches(record):
            parts.append(tr("It touched what is selected."))
        if reason := explain_missing_peak(record):
            parts.append(tr("Peak memory: {reason}", reason=reason))
        return "\n".join(parts)

    def _fit_without(self) -> None:
        name = self._current_name()
        self.without.setEnabled(self._can_run and bool(name))
        self.without.setText(
            tr("Compare without {name}", name=name) if name else tr("Compare without this pass")
        )

    def _current_name(self) -> str:
        """Of the pass that is shown; empty for none and for what is no pass of a pipeline."""
        is_there = 0 <= self._current < len(self._records)
        record = self._records[self._current] if is_there else None
        return record.name if record is not None and record.pipeline else ""

    def _on_without_clicked(self) -> None:
        if name := self._current_name():
            self._context.ask_page("compare", "compare_without_pass", name)

    # --- the selection ---

    def _on_inspector_pass_requested(self, number: int) -> None:
        self._context.show_page("passes")
        self.choose_dump(number)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_fates_changed()  # now somebody looks at that of what is selected

    def _on_fates_changed(self) -> None:
        self._follow(self._context.selection.links)

    def _follow(self, links: Links) -> None:
        """Follow what is selected, as equations of the stage that was compiled."""
        compiled = self._compiled()
        if compiled is None:
            return
        graph = compiled.graph
        assert is_available(graph)
        linked = links.stages.get(compiled.name, NO_LINKED)
        nodes = [*linked.forward.tolist(), *linked.backward.tolist()]
        title, fate, is_coming = "", None, False
        selection = self._context.selection.selection
        if isinstance(selection, NodeSelection) and selection.nodes:
            if selection.stage == compiled.name:
                nodes = list(selection.nodes)
            selected = self._context.selection.graph_of(selection.stage)
            if selected is not None:
                node = selected.node(selection.nodes[0])
                title = tr(
                    "Equation {name_and_number}, {operation}",
                    name_and_number=name_and_number(node),
                    operation=node.operation,
                )
                fates, stage = self._context.fates, selection.stage
                fate = fates.fate_of(stage, node, asks=self.isVisible())
                is_coming = node.kind is NodeKind.EQUATION and fates.is_coming(stage)
        ids = [graph.id(node) for node in nodes]
        self.follow_equations(ids, title, fate, is_coming=is_coming)

    def _compiled(self) -> Stage | None:
        """The last jaxpr-level stage: the one that XLA got to compile."""
        stage = find_lowered_stage(self._context.controller.state.stages)
        return stage if stage is not None and is_available(stage.graph) else None

    def _on_graphs_equations_chosen(self, ids: Sequence[str]) -> None:
        compiled = self._compiled()
        if compiled is None or not is_available(compiled.graph):
            return
        places = compiled.graph.index_by_id
        nodes = [places[id] for id in ids if id in places]
        if nodes:
            self._context.selection.select_nodes(compiled.name, nodes)


make_page = PassesPage
