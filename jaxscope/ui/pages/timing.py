"""How long the call takes, eager and compiled, and how sure that is: headline, table, figures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from jaxscope.model import Measurement
from jaxscope.model.outline import DERIVATIVES
from jaxscope.model.statistics import count_outliers
from jaxscope.model.timing import STEADY, Noise
from jaxscope.model.units import format_seconds
from jaxscope.report.document import Table
from jaxscope.report.measurements import (
    PAIRED,
    describe_noise,
    describe_place,
    describe_ratio,
    describe_spread,
)
from jaxscope.ui.session.state import TimingState, WindowState
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.toolkit.widgets import TALL_LINES, FoldedNotes, PlainTabs, fill_box, make_label
from jaxscope.ui.window.page_context import PageContext, PageWidget

if TYPE_CHECKING:
    from jaxscope.ui.figures.figure_panel import FigurePanel


# The rows of the timing page.


HEADERS = ("what", "median", "range", "on the device", "runs", "quality")
_HINTS = {
    1: "Wall time as the calling program sees it",
    2: "From the shortest to the longest that was observed; where six processes on a quiet machine "
    "earned one, the interval that the median lies in, with its confidence",
    3: "For how long a call kept the device at work, by XLA's own recorder, from further calls; "
    "it is no part of the other columns",
}
_PADDED_PX = 10
MEANINGS = {
    "eager": "each operation alone; transforms traced anew",
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
    "eager_memory_kept": "the same once freed memory is kept: no page faults",
    "jit_memory_kept": "the same once freed memory is kept: no page faults",
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


_PREFIXES = ("value_and_gradient_", "gradient_")


def describe_protocol(row: Measurement) -> str:
    """What was measured, how, and what to mind."""
    outliers = count_outliers(row.samples)
    told = (
        tr(
            "{mild:,} mild and {severe:,} severe outliers are among the samples.",
            mild=outliers.mild,
            severe=outliers.severe,
        )
        if outliers.mild or outliers.severe
        else ""
    )
    meaning = f"{row.name.replace('_', ' ')}: {meaning_of(row.name) or tr_said(row.detail)}"
    parts = (meaning, tr_said(row.describe_protocol()), *map(tell_reason, row.reasons), told)
    return "\n".join(part for part in parts if part)


def tell_reason(reason: Noise | str) -> str:
    """Why durations are called noisy."""
    return tr_said(reason.sentence()) if isinstance(reason, Noise) else reason


def meaning_of(name: str) -> str:
    """What a measurement is of; of a gradient the same as of the program, where nothing else."""
    if name in MEANINGS:
        return tr(MEANINGS[name])
    prefix = next(filter(name.startswith, _PREFIXES), "")
    return tr(MEANINGS.get(name.removeprefix(prefix), ""))


def row_texts(row: Measurement) -> tuple[str, ...]:
    """The cells of one measurement."""
    meaning = meaning_of(row.name)
    detail = f" ({tr_said(row.detail)})" if row.detail else ""
    what = row.name.replace("_", " ") + detail + (f" — {meaning}" if meaning else "")
    quality = tr("noisy") if row.is_noisy else tr("steady") if row.runs > 1 else ""
    device = ""
    if not math.isnan(row.device_seconds):
        device = tr(
            "{device} ({low} to {high})",
            device=format_seconds(row.device_seconds),
            low=format_seconds(row.device_low),
            high=format_seconds(row.device_high),
        )
    runs = f"{row.runs:,}"
    return what, format_seconds(row.median), describe_spread(row), device, runs, quality


_MEANING_CHARACTERS = 32
"""What a row is has room for so many in each of its lines."""
_EMPTY_TITLE = "Not measured yet"
_CHOOSE = "Choose a row to read how it was measured."
_EMPTY_TEXT = (
    "<h3>How much faster is this call when it is compiled?</h3>"
    "<table align='center' cellspacing='0' cellpadding='5'>"
    "<tr><td><b>eager</b></td><td>Python runs one operation after another.</td></tr>"
    "<tr><td><b>jit</b></td><td>XLA compiles the whole call once; then that program runs.</td></tr>"
    "<tr><td><b>gradient</b></td><td>Both again for the gradient, where it is wanted.</td></tr>"
    "</table>"
    "<p>Calls are timed one by one in random order, each until its result is there. "
    "What comes out is what was observed in one process; six processes earn an interval.</p>"
    "<p><b>Measure</b> (Ctrl+M) takes a few seconds.</p>"
)
_SAVED_TITLE = "Not measured"
_SAVED_TEXT = (
    "<h3>This saved capture holds no measurements.</h3>"
    "<p>Nothing is run from a saved capture. Open its Python file to measure the call; saving the "
    "capture then keeps what was measured.</p>"
)


class TimingPage(PageWidget):
    """The headline, the measurements as a table, and their figures."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._state = TimingState()
        self._is_saved, self._is_derivative, self._old = False, False, ""
        self._theme = context.themes.theme
        self.distributions: FigurePanel | None = None
        self.stages: FigurePanel | None = None
        self._verdict, self.notes = QLabel(tr(_EMPTY_TITLE)), FoldedNotes()
        self._noise = make_label(wraps=True)
        self._noise.setTextFormat(Qt.TextFormat.PlainText)
        self._empty = QLabel(tr(_EMPTY_TEXT))
        self._verdict.setProperty("role", "heading")
        self._verdict.setWordWrap(True)
        self._verdict.setTextFormat(Qt.TextFormat.PlainText)
        self._empty.setTextFormat(Qt.TextFormat.RichText)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._empty.setMargin(24)
        self.quick = QPushButton(tr("Measure"))
        self.quick.setProperty("role", "primary")
        self.quick.setToolTip(tr("In one process, within a few seconds"))
        self.rigorous = QPushButton(tr("Measure in six processes"))
        self.rigorous.setToolTip(
            tr("Slower; shows how much results differ from process to process")
        )
        self.gradient = QCheckBox(tr("Gradient, too"))
        self.gradient.setToolTip(
            tr("Measure the gradient as well; takes about three times as long")
        )
        self.table = ResultTable(tr("Measurements"))
        self.table.setItemDelegateForColumn(0, _WholeWords(self.table))
        self.table.setSortingEnabled(False)  # what the verdict is about comes first
        self._measurements: list[Measurement] = []
        self.protocol = make_label(tr(_CHOOSE), "muted", wraps=True)
        self.protocol.setTextFormat(Qt.TextFormat.PlainText)
        self.protocol.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.figures = PlainTabs()
        self.setFocusProxy(self.quick)
        self._is_tall = True
        self._build()

    def _build(self) -> None:
        top = QHBoxLayout()
        said = fill_box(QVBoxLayout(), self._verdict, self._noise, spacing=2)
        top.addLayout(said, 1)
        top.addWidget(self.gradient, 0, Qt.AlignmentFlag.AlignTop)
        for button in (self.quick, self.rigorous):
            top.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._split = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        upper = QWidget()
        fill_box(QVBoxLayout(upper), (self.table, 1), self.protocol, margins=(0, 0, 0, 0))
        self.table.setMinimumHeight(4 * self.table.verticalHeader().minimumSectionSize())
        self.measurements = upper
        self._split.addWidget(upper)
        self._split.addWidget(self.figures)
        self.figures.hide()
        self._split.hide()
        fill_box(QVBoxLayout(self), top, self.notes, (self._split, 1), (self._empty, 1))
        self.quick.clicked.connect(self._on_quick_clicked)
        self.rigorous.clicked.connect(self._on_rigorous_clicked)
        self.table.selectionModel().currentRowChanged.connect(self._on_table_row_changed)

    def measure(self) -> None:
        """Show this page, and measure the call."""
        self._context.show_page("timing")
        self._measure(is_rigorous=False)

    def _measure(self, *, is_rigorous: bool) -> None:
        gradient = self.gradient.isChecked() and not self._is_derivative
        self._context.controller.measure(is_rigorous=is_rigorous, gradient=gradient)

    def show_state(self, state: WindowState) -> None:
        can_measure, is_saved = state.can_start, state.is_view_only
        transforms = state.head.transforms if state.head is not None else ()
        self._is_derivative = not DERIVATIVES.isdisjoint(transforms)
        old = describe_old(state)
        self.show_timing(state.timing, can_measure=can_measure, is_saved=is_saved, old=old)

    def show_timing(
        self, timing: TimingState, *, can_measure: bool, is_saved: bool = False, old: str = ""
    ) -> None:
        """Show what has been measured so far.

        Args:
            timing: What was measured.
            can_measure: Whether a measurement can begin now.
            is_saved: It is of a saved capture, from which nothing is run.
            old: What it is of where that is not what is shown now.
        """
        for button in (self.quick, self.rigorous, self.gradient):
            button.setEnabled(can_measure)
            button.setVisible(
                not is_saved and not (self._is_derivative and button is self.gradient)
            )
        self._empty.setText(tr(_SAVED_TEXT) if is_saved else tr(_EMPTY_TEXT))
        if (self._is_saved, self._old) != (is_saved, old):
            self._is_saved, self._old = is_saved, old
            self._show_headline()
        if timing is self._state:
            return
        is_same_call, self._state = timing.call == self._state.call, timing
        self._show_measurements(self._current() if is_same_call else None)
        self._split.setVisible(bool(timing.measurements))
        self._empty.setVisible(not timing.measurements)
        self._draw()
        self._arrange()

    def _show_measurements(self, current: Measurement | None) -> None:
        """The texts on what was measured, in the language that is shown."""
        timing = self._state
        self._measurements = shown = sorted(timing.measurements, key=_rank)
        hints = [describe_protocol(each) for each in shown]
        texts = [row_texts(each) for each in shown]
        self.table.rows.set_table(Table(HEADERS, texts), hints, _HINTS)
        names = [each.name for each in shown]
        if current is not None and current.name in names:
            self.table.choose(names.index(current.name))
        else:
            self.protocol.setText(tr(_CHOOSE))
        self._show_headline()
        self.notes.set_notes([*map(tr_said, timing.warnings)], _notes(timing))

    def _show_headline(self) -> None:
        nothing = tr(_SAVED_TITLE) if self._is_saved else tr(_EMPTY_TITLE)
        noise = describe_disturbance(self._state)
        found = describe_headline(self._state) or nothing
        self._verdict.setText(f"{self._old}\n{found}" if self._old else found)
        self._noise.setText(noise)
        self._noise.setVisible(bool(noise))

    @property
    def verdict_text(self) -> str:
        """What is said above the times, the verdict first."""
        return "\n".join(filter(None, (self._verdict.text(), self._noise.text())))

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours."""
        self._theme = theme
        self._show_measurements(self._current())
        self._draw()

    def _draw(self) -> None:
        state = self._state
        if not state.measurements:
            return
        from jaxscope.export.figures import make_histogram, waterfall_chart

        plotted = [m for m in state.measurements if m.name in STEADY]
        histogram = make_histogram(state.call, plotted)
        stages = waterfall_chart(state.call, state.measurements)
        if histogram is not None:
            if self.distributions is None:
                self.distributions = self._add_panel("distributions", tr("Distributions"), 0)
            self.distributions.show_figure(histogram, state.environment, self._theme)
        if stages is not None:
            if self.stages is None:
                self.stages = self._add_panel("stages", tr("Stages"), self.figures.count())
            self.stages.show_figure(stages, state.environment, self._theme)

    def _add_panel(self, name: str, title: str, place: int) -> FigurePanel:
        from jaxscope.ui.figures.figure_panel import FigurePanel  # pyqtgraph costs half a second

        panel = FigurePanel(name)
        panel.enlarged.connect(self._on_panel_enlarged)
        first = self.figures.indexOf(self.measurements) + 1
        self.figures.insertTab(first + place, panel, title)
        self.figures.setCurrentIndex(0)
        if self.figures.isHidden():
            self.figures.show()
            self._split.setSizes([480, 520])
        return panel

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._arrange)  # out of sight columns are not measured

    def _arrange(self) -> None:
        """Table above the figures where there is room for both, else one tab beside theirs."""
        is_tall = self.height() >= TALL_LINES * self.fontMetrics().height()
        self._size_meanings(is_tall)
        if is_tall == self._is_tall or self.figures.count() == 0:
            return
        self._is_tall = is_tall
        self.notes.set_roomy(is_tall)
        modes = QHeaderView.ResizeMode
        header = self.table.horizontalHeader()
        self.table.setWordWrap(not is_tall)
        rows = self.table.verticalHeader()
        rows.setMinimumSectionSize(rows.defaultSectionSize())
        rows.setSectionResizeMode(modes.Fixed if is_tall else modes.ResizeToContents)
        if is_tall:
            self.table.fit()
        header.setStretchLastSection(is_tall)
        if is_tall:
            self.figures.removeTab(self.figures.indexOf(self.measurements))
            self._split.insertWidget(0, self.measurements)
            self._split.setSizes([480, 520])
            self.measurements.show()
        else:
            self.figures.insertTab(0, self.measurements, tr("Measurements"))
            self.figures.setCurrentIndex(0)

    def _size_meanings(self, is_tall: bool) -> None:
        """Beside its numbers, what a row is takes two lines where it has not room for one; the
        table is scrolled sideways where it would take many.
        """
        table, header, modes = self.table, self.table.horizontalHeader(), QHeaderView.ResizeMode
        numbers = range(1, table.rows.columnCount())
        taken = sum(max(table.sizeHintForColumn(n), header.sectionSizeHint(n)) for n in numbers)
        least = _MEANING_CHARACTERS * self.fontMetrics().averageCharWidth()
        if is_tall:
            header.setSectionResizeMode(0, modes.ResizeToContents)
        elif self.width() - taken >= least:
            header.setSectionResizeMode(0, modes.Stretch)
        else:
            header.setSectionResizeMode(0, modes.Fixed)
            header.resizeSection(0, least)

    def _on_panel_enlarged(self, is_large: bool) -> None:
        """For lectures: the figure gets the room of the table and of the notes."""
        if self._is_tall:
            self.measurements.setVisible(not is_large)
        self.notes.setVisible(not is_large)

    def _current(self) -> Measurement | None:
        """The measurement whose row is chosen."""
        row = self.table.currentIndex().row()
        return self._measurements[self.table.rows.place(row)] if row >= 0 else None

    def _on_table_row_changed(self, _now: QModelIndex, _before: QModelIndex) -> None:
        if (current := self._current()) is not None:
            self.protocol.setText(describe_protocol(current))

    def _on_quick_clicked(self) -> None:
        self._measure(is_rigorous=False)

    def _on_rigorous_clicked(self) -> None:
        self._measure(is_rigorous=True)


class _WholeWords(QStyledItemDelegate):
    """Makes a row as high as its words need: Qt asks for that without what the style pads them by,
    and cut those that have just room for one line.
    """

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        padded = QStyleOptionViewItem(option)
        rect = QRect(option.rect)
        if rect.width() > _PADDED_PX:
            rect.setWidth(rect.width() - _PADDED_PX)
            padded.rect = rect
        return super().sizeHint(padded, index)


def _rank(measurement: Measurement) -> bool:
    """What the verdict is about comes first."""
    return measurement.name not in STEADY


def describe_old(state: WindowState) -> str:
    """Such as `Measured for f(x), not for what is shown now:`; empty where nothing can be old."""
    then, now = state.timing.subject, state.subject
    if not state.has_old_timing:  # but in the bar another call may stand
        return (
            tr("Measured for {call}:", call=then.call)
            if state.is_old and state.timing.measurements
            else ""
        )
    if then.call != now.call:
        of = then.call
    elif then.target != now.target:
        of = then.target
    else:
        of = tr("an earlier version of the file")
    return tr("Measured for {of}, not for what is shown now:", of=of)


def describe_headline(timing: TimingState) -> str:
    """What was found, in a line or a few; the call while nothing was."""
    found = "\n".join(tr_said(describe_ratio(ratio)) for ratio in timing.ratios)
    if not found:
        alone = [m for m in timing.measurements if m.name in ("eager", "jit")]
        found = "\n".join(
            tr(
                "{name} takes {median} ({spread})",
                name=m.name,
                median=format_seconds(m.median),
                spread=describe_spread(m),
            )
            for m in alone
        )
    return found or timing.call


def describe_disturbance(timing: TimingState) -> str:
    """What disturbed the measurements; empty for nothing, and before there are any."""
    if not timing.measurements:
        return ""
    noise = tr_said(describe_noise(timing.environment))
    if not noise and any(m.is_noisy for m in timing.measurements if m.name in STEADY):
        return tr("Noisy: calls of one form differ widely from one another.")
    return noise


def _notes(timing: TimingState) -> list[str]:
    """How and on what machine the times were measured."""
    plotted = [m for m in timing.measurements if m.name in STEADY and m.protocol]
    protocols = dict.fromkeys(m.protocol for m in plotted)
    place = (
        []
        if timing.environment is None
        else [
            tr(
                "{call}. {place}",
                call=timing.call,
                place=tr_said(describe_place(timing.environment)),
            )
        ]
    )
    paired = [PAIRED] if any(ratio.is_judged for ratio in timing.ratios) else []
    return [*map(tr_said, [*paired, *list(protocols)[:1]]), *place]


make_page = TimingPage
