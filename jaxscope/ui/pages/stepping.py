"""The page *Step*: go through the program with its numbers, equation by equation, or through its
tracing, line by line.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSpinBox,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from jaxscope.model import stage_named
from jaxscope.model.said import say_joined
from jaxscope.model.types import read_batch_axes
from jaxscope.model.values import StepValue, parse_condition, parse_place, parse_slice, write_place
from jaxscope.program.links import LineSelection
from jaxscope.report.document import Table
from jaxscope.report.stepping import (
    VALUE_HEADERS,
    cells_to_table,
    describe_cut,
    describe_difference,
    describe_forms,
    describe_memory,
    describe_place,
    describe_value,
    value_rows,
)
from jaxscope.report.tracing import (
    LINE_HEADERS,
    describe_doing,
    describe_left_out,
    describe_line,
    line_rows,
)
from jaxscope.report.values import OF_FORMS, describe_origin
from jaxscope.ui.figures.array_figures import ArrayPicture, HistogramBars
from jaxscope.ui.selection.tracing import TracingRun
from jaxscope.ui.session.screen import title_of_gradient
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.session.stepping import SteppingRun
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.toolkit.widgets import (
    ChoiceBox,
    FileDialog,
    FlowLayout,
    MenuButton,
    SelectableLabel,
    escape_html,
    fill_box,
)
from jaxscope.ui.window.page_context import PageContext, PageWidget

_QUESTION = "Step begins at the arguments. Each step runs one equation, as JAX does without jit."
_OF_LINES = "Step begins before the first line. Each step is one line that runs while JAX traces."
_NO_PROGRAM = "Run a call to step through it."
_NOT_YET = "Once the call has run, it can be stepped through."
_OF_CHAIN = (
    "Backwards along one operand each: the one with NaN or Inf, else one with a zero, else the "
    "one with the largest element. A click goes there."
)
_SAVED = "A saved capture is not run: open its file to step through the call."
_OLD = "This is of an earlier run: run the call, then trace it anew."
_CALL, _GRADIENT, _LINES = "", "gradient", "lines"
_CHOICES = {_CALL: "the call", _LINES: "its tracing, line by line"}
"""What is gone through: the stage of a `SteppingRun`, or the lines of a `TracingRun`."""
_MOVES = (
    ("start", "|◀", "To the arguments", "go_to_start"),
    ("back", "◀", "One equation back (Shift+F8)", "step_back"),
    ("forward", "Step ▶", "One equation on, over what is inside (F8)", "step"),
    ("into", "Into ▼", "Into a call, a branch, or the round of a loop (F7)", "step_into"),
    ("out", "Out ▲", "To the equation around (Shift+F7)", "step_out"),
    ("here", "To selected", "Run to the equation that is selected (F9)", "run_to_selected"),
    ("end", "▶|", "To the results", "run_to_end"),
    ("origin", "First NaN or Inf", "Where NaN or Inf is made first, and how", "go_to_nonfinite"),
)


_LINE_HINTS = {
    "start": "To before the first line",
    "back": "One line back (Shift+F8)",
    "forward": "One line on, also of functions that are called (F8)",
    "out": "To where the function around goes on (Shift+F7)",
    "here": "Run to the selected line, or to the one that added the selected equation (F9)",
    "end": "Behind the last line",
}
"""What the moves do where lines are gone through; there are no others."""
_ARRAYS = "Arrays (*.npy *.npz *.safetensors *.png *.jpg *.jpeg *.gif *.bmp *.webp *.tif *.tiff)"
_FORMS = "jit", "float64", "again", "trials"
_COMPARED = {
    "held": "Hold this value: compare others with it",
    "jit": "With its value in the compiled program (jit)",
    "float64": "With its value in double precision (float64)",
    "again": "With its value in a second run (again)",
    "trials": "Find the pass of XLA that makes jit differ",
}
_VALUES_EM, _NUMBERS_EM = 64, 36
"""What the tables can use of the width."""


class SteppingPage(PageWidget):
    """Moves above; below what is read and made at the place, a picture, and the numbers."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self.run, self.tracing = SteppingRun(context.controller, self), context.tracing
        self._shown: object = None
        self._shown_lines: object = None
        self._rows: list[StepValue] = []
        self._chosen = 0
        self.buttons: dict[str, QPushButton] = {}
        self.condition, self.until = QLineEdit("nan"), QPushButton(tr("Run until"))
        self.stage, self.stop_button = ChoiceBox(), QPushButton(tr("Stop"))
        self.place, self.note = SelectableLabel(), SelectableLabel(role="muted")
        self.chain = QLabel()
        self.values = ResultTable(tr("Values at this equation"))
        self.load_button, self.slice, self.batch = (
            QPushButton(tr("Load …")),
            QLineEdit(),
            QSpinBox(),
        )
        self.compare_menu = QMenu(self)
        self.compare_button, self.compared = MenuButton(self.compare_menu), dict[str, QAction]()
        self.picture, self.histogram = ArrayPicture(), HistogramBars()
        self.numbers, self.of_numbers = ResultTable(tr("Numbers")), SelectableLabel(role="muted")
        self.lines = ResultTable(tr("Lines that ran"))
        self._numbers_side = QWidget()
        self._build()
        self._connect()

    def _build(self) -> None:
        tools = QWidget()
        row = FlowLayout(tools)
        for name, text, _hint, slot in _MOVES:
            self.buttons[name] = button = QPushButton(tr(text))
            button.clicked.connect(getattr(self, slot))
            row.addWidget(button)
        self.condition.setMaximumWidth(150)
        self.condition.setAccessibleName(tr("Condition to stop at"))
        self.condition.setToolTip(
            tr("nan, inf, > 1e3, == 0, shape [8, 3], dtype bfloat16; or several")
        )
        self.until.setToolTip(tr("Go on, into loops too, to the next value that is so"))
        for name in (_CALL, _LINES):
            self.stage.addItem(tr(_CHOICES[name]), name)
        self.stage.setAccessibleName(tr("What is stepped through"))
        row.addWidget(self.until)
        row.addWidget(self.condition)
        row.addWidget(self.stage)
        row.addWidget(self.stop_button)
        self.chain.setTextFormat(Qt.TextFormat.RichText)
        self.chain.setWordWrap(True)
        self.chain.setAccessibleName(tr("What led to it"))
        self.chain.setToolTip(tr(_OF_CHAIN))
        self.values.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.values.setSortingEnabled(False)
        self.values.spare_column = VALUE_HEADERS.index("numbers")  # they stand beside the table
        self.numbers.setSortingEnabled(False)
        self.numbers.notice.hide()
        self.lines.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.lines.setSortingEnabled(False)
        self.lines.spare_column = LINE_HEADERS.index("what Python did")  # said above the table
        self.slice.setPlaceholderText("[0, :, 3]")
        self.slice.setAccessibleName(tr("Slice in view"))
        self.slice.setToolTip(tr("Which part is shown: [0, :, 3], [2:8], [..., 0]; Enter shows it"))
        self.batch.setPrefix(tr("batch "))
        self.batch.lineEdit().setAccessibleName(tr("Element of the batch"))
        self.batch.setAccessibleName(tr("Element of the batch"))
        self.batch.setToolTip(tr("vmap made one program of many: which of them is shown"))
        self.compare_button.setCheckable(True)  # so it looks where something is compared
        self.compare_button.setAccessibleName(tr("Compare this value"))
        self.compare_button.setToolTip(tr("With others, with that of jit, with double precision"))
        self.compare_button.setText(tr("Compare"))
        for name, text in _COMPARED.items():
            self.compared[name] = action = self.compare_menu.addAction(tr(text))
            action.setCheckable(True)
            action.triggered.connect(self._on_compared)
        layout = fill_box(QVBoxLayout(self), tools, spacing=3)
        for part in (self.place, self.note, self.chain):
            layout.addWidget(part)
        self._body = self._build_body()
        fill_box(layout, (self._body, 1), (self.lines, 1), spacing=3)
        self._clear_view()

    def _build_body(self) -> QSplitter:
        pictures, right = QWidget(), self._numbers_side
        fill_box(
            QVBoxLayout(pictures), (self.picture, 3), (self.histogram, 2), margins=(0, 0, 0, 0)
        )
        head = fill_box(
            QHBoxLayout(), (self.slice, 1), self.batch, self.load_button, self.compare_button
        )
        head.addStretch(0)  # for what is left over where nothing can be sliced
        fill_box(QVBoxLayout(right), head, self.of_numbers, (self.numbers, 1), margins=(0, 0, 0, 0))
        split = QSplitter(Qt.Orientation.Horizontal)
        for part, stretch in ((self.values, 5), (pictures, 2), (right, 3)):
            split.addWidget(part)
            split.setStretchFactor(split.indexOf(part), stretch)
        split.setSizes([560, 180, 260])
        split.setChildrenCollapsible(False)
        return split

    def _connect(self) -> None:
        self.run.changed.connect(self._show)
        self.run.viewed.connect(self._show_view)
        self.tracing.changed.connect(self._show)
        self.lines.place_selected.connect(self.tracing.go_to)
        self.until.clicked.connect(self.run_until)
        self.condition.returnPressed.connect(self.run_until)
        self.stop_button.clicked.connect(self._on_stop_clicked)
        self.stage.activated.connect(self._on_stage_chosen)
        self.values.place_selected.connect(self._look_at)
        self.slice.returnPressed.connect(self._on_slice_entered)
        self.batch.valueChanged.connect(self._on_batch_changed)
        self.load_button.clicked.connect(self._on_load_clicked)
        self.chain.linkActivated.connect(self._on_chain_activated)

    # --- commands ---

    def go_to_start(self) -> None:
        """Show the arguments, or go to before the first line."""
        self._go("start")

    def step(self) -> None:
        """One equation or line on; the first step shows the arguments, or the start."""
        self._go("forward" if self._way.step is not None else "start")

    def step_back(self) -> None:
        """Go one equation or line back."""
        self._go("back")

    def step_into(self) -> None:
        """Into what is inside of the present equation; a line of what is called is the next."""
        self._go("forward" if self.tracing.is_chosen else "into")

    def step_out(self) -> None:
        """Go to the equation around, or to where the function around goes on."""
        self._go("out")

    def run_to_end(self) -> None:
        """Go to the results, or behind the last line."""
        self._go("end")

    def go_to_nonfinite(self) -> None:
        """Go to the equation that makes NaN or Inf first."""
        self.tracing.choose(is_chosen=False)  # lines have no numbers
        self._go("origin")

    def trace_lines(self) -> None:
        """Go through the lines of Python that run while JAX traces the call."""
        self.tracing.choose(is_chosen=True)
        self._go("start")

    def run_to_selected(self) -> None:
        """Run up to the selected equation or line."""
        place = self._context.selection.place
        if self.tracing.is_chosen and isinstance(place, LineSelection):
            self._open(self.tracing)
            self.tracing.run_to_line(place.file, place.line)
            return
        stage = self._way.stage_name
        links = self._context.selection.links.stages.get(stage)
        graph = self._context.selection.graph_of(stage)
        if graph is None or links is None:
            self._context.show_message(
                tr("Select an equation of {stage} first.", stage=stage or tr("the program"))
            )
            return
        nodes = [*links.selected, *links.forward, *links.backward]
        if not nodes:
            self._context.show_message(tr("Nothing of {stage} is selected.", stage=stage))
        elif self.tracing.is_chosen:
            self._open(self.tracing)
            self.tracing.run_to_equation(graph.id(int(nodes[0])))
        else:
            self._go("place", equation=graph.id(int(nodes[0])), iterations=[])

    def run_until(self) -> None:
        """To the next value that is as the condition says."""
        try:
            parse_condition(self.condition.text())
        except ValueError as error:
            self.note.setText(str(error))
            self.note.show()
            return
        self._go("condition", condition=self.condition.text())

    @property
    def _way(self) -> SteppingRun | TracingRun:
        return self.tracing if self.tracing.is_chosen else self.run

    def _go(self, to: str, **fields: object) -> None:
        self._open(self._way)
        if self.tracing.is_chosen:
            self.tracing.go(to)
        else:
            self.run.go(to, **fields)

    def _open(self, way: SteppingRun | TracingRun) -> None:
        """Show the page, and at first the stage; whoever then turns to another one stays there."""
        if way.step is None and way.can_step and way.stage_name:
            is_other = way.stage_name not in self._context.area.shown_stages()
            self._context.show_stage(way.stage_name)
            if is_other:
                self._context.show_message(
                    tr("The program that runs is shown: it is stepped through.")
                )
        self._context.show_page("stepping")

    # --- showing ---

    def show_state(self, state: WindowState) -> None:
        gradient, at = stage_named(state.stages, "gradient"), self.stage.findData(_GRADIENT)
        if gradient is None:
            self.stage.removeItem(at)
        elif at < 0:
            self.stage.insertItem(1, title_of_gradient(gradient), _GRADIENT)
        else:
            self.stage.setItemText(at, title_of_gradient(gradient))
        self._show()

    def old_call(self, state: WindowState) -> str:
        is_old = state.is_old and not self.tracing.is_chosen and self.run.step is not None
        return state.shown_call if is_old else ""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.tracing.watch(self, is_seen=True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.tracing.watch(self, is_seen=False)

    def set_theme(self, theme: Theme) -> None:
        em_px = self.fontMetrics().height()  # in a wide window the pictures have the rest
        self.values.setMaximumWidth(_VALUES_EM * em_px)
        self._numbers_side.setMaximumWidth(_NUMBERS_EM * em_px)
        self.picture.set_theme(theme)
        self.histogram.set_theme(theme)

    def _show(self) -> None:
        way, is_traced = self._way, self.tracing.is_chosen
        for name, _, hint, _slot in _MOVES:
            hint, button = _LINE_HINTS.get(name, "") if is_traced else hint, self.buttons[name]
            button.setVisible(bool(hint))
            button.setToolTip(tr(hint))
            button.setAccessibleName(tr(hint).partition(" (")[0])
        for part in (self.until, self.condition, self._body):
            part.setVisible(not is_traced)
        self.lines.setVisible(is_traced)
        self.stop_button.setVisible(bool(way.doing))
        chosen = _LINES if is_traced else self.run.stage
        self.stage.setCurrentIndex(max(self.stage.findData(chosen), 0))
        # What is clicked while the worker is busy is left out: a button that were switched off
        # would lose the keyboard.
        for name, button in self.buttons.items():
            needs_step = name in ("back", "into", "out")
            button.setEnabled(way.can_step and (way.step is not None or not needs_step))
        if is_traced:
            self._show_lines()
        else:
            self._show_equation()

    def _show_equation(self) -> None:
        run, step = self.run, self.run.step
        if step is not None and not run.doing:
            self.buttons["into"].setEnabled(step.can_enter)
            self.buttons["out"].setEnabled("/" in step.equation)
            self.buttons["back"].setEnabled(bool(step.equation) or step.is_end)
            self.buttons["forward"].setEnabled(not step.is_end)
        self.until.setEnabled(run.can_step)
        self.place.setText(self._describe_place())
        self._say_note()
        values = step.values if step is not None else None
        if values is not self._shown:
            self._shown = values
            self._show_values()
            if step is not None:  # it lights up in the picture, and its line in the source
                self._context.selection.select_equation(run.stage_name, step.equation)
                if "/" in step.equation:  # whoever steps into a loop wants to see its inside
                    self._context.area.reveal_selected()

    def _show_lines(self) -> None:
        run, tracing, step = self.tracing, self.tracing.tracing, self.tracing.step
        lines = tracing.lines if tracing is not None else ()
        if lines is not self._shown_lines:
            self._shown_lines = lines
            rows = line_rows(tracing) if tracing is not None else []
            self.lines.rows.set_table(Table(LINE_HEADERS if rows else (), rows))
        told = [run.problem, tr(_OLD) if run.is_old else ""]
        if tracing is None or step is None:
            self.place.setText(run.doing or (tr(_OF_LINES) if run.can_step else self._why_not()))
            self.lines.clearSelection()
        else:
            self.buttons["back"].setEnabled(not step.is_start)
            self.buttons["out"].setEnabled(run.line is not None)
            self.buttons["forward"].setEnabled(not step.is_end)
            self.place.setText(tr_said(describe_line(tracing, step.number)).replace("`", ""))
            if run.line is not None:
                told.append(describe_doing(tracing, step.number))
                self.lines.choose(step.number)
            else:
                told += [*describe_left_out(tracing), *tracing.warnings]
                self.lines.clearSelection()
            told.append(run.doing)
        self.place.setToolTip("")
        self._tell(told)
        self.chain.hide()

    def _describe_place(self) -> str:
        run = self.run
        if run.doing:
            return run.doing
        if run.step is None:
            return tr(_QUESTION) if run.can_step else self._why_not()
        return tr_said(describe_place(run.step))

    def _why_not(self) -> str:
        """Why there is nothing to step through."""
        state = self._context.controller.state
        if state.is_view_only:
            return tr(_SAVED)
        return tr(_NOT_YET) if state.is_running else tr(_NO_PROGRAM)

    def _tell(self, told: Sequence[str]) -> None:
        self.note.setText(tr_said(say_joined(told)))
        self.note.setVisible(bool(self.note.text()))

    def _say_note(self) -> None:
        run, step = self.run, self.run.step
        told = [run.problem]
        if step is not None:
            told += [step.failure, step.note, step.inside]
        if run.stepping is not None:
            told += run.stepping.warnings
        self._tell(told)
        if step is not None:
            self.place.setToolTip(tr_said(describe_memory(step)))
        self.chain.setText(self._describe_chain())
        self.chain.setVisible(bool(self.chain.text()))

    def _describe_chain(self) -> str:
        step = self.run.step
        if step is None or step.origin is None:
            return ""
        links = [
            f"<a href='{escape_html(write_place(link.equation, link.iterations))}'>"
            f"{escape_html(write_place(link.equation, link.iterations))}</a> "
            f"{escape_html(link.operation)}"
            + (tr(" (line {line})", line=link.line) if link.line else "")
            for link in step.chain
        ]
        return tr(
            "{origin} From: {links}",
            origin=escape_html(tr_said(describe_origin(step.origin))),
            links=" ← ".join(links),
        )

    def _show_values(self) -> None:
        step = self.run.step
        self._rows = list(step.values) if step is not None else []
        told = zip(self._rows, value_rows(self._rows), strict=True)
        rows = [(describe_value(value), *cells) for value, (_, *cells) in told]
        self.values.rows.set_table(Table(VALUE_HEADERS if rows else (), rows))
        self._clear_view()
        if not self._rows:
            return
        results = [n for n, value in enumerate(self._rows) if value.kind == "result"]
        self.values.choose((results or [0])[0])
        self._look_at((results or [0])[0])

    # --- a value ---

    def _look_at(self, row: int) -> None:
        self._chosen = min(row, len(self._rows) - 1)
        value = self._rows[self._chosen]
        self.load_button.setVisible(value.kind == "argument")
        is_key = value.type.startswith("key")  # their numbers have one dimension more
        self.slice.setVisible(bool(value.summary.shape) or is_key)
        self.compare_button.show()
        axes = self._batch_axes(value)
        with_signals = self.batch.blockSignals(True)
        self.batch.setVisible(bool(axes))
        if axes:
            self.batch.setMaximum(max(value.summary.shape[axes[0]] - 1, 0))
        self.batch.blockSignals(with_signals)
        text = self._batch_slice(value, axes[0]) if axes else ""
        self._look(value, text)

    def _batch_axes(self, value: StepValue) -> list[int]:
        """The axes of a value that `vmap` added, where they are known."""
        step, graph = self.run.step, self._context.selection.graph_of(self.run.stage_name)
        if step is None or graph is None:
            return []
        id = step.equation if value.kind == "result" else value.source
        index = graph.index_by_id.get(id, -1) if id else -1
        if index < 0:
            return []
        node = graph.node(index)
        place = value.index if value.kind == "result" else 0
        if value.kind == "operand" and len(node.types) != 1:
            return []
        axes = read_batch_axes(node.attributes.get("batch_axes", "")).get(place, ())
        known = [axis for axis in axes if axis is not None]
        return known if all(axis < len(value.summary.shape) for axis in known) else []

    def _batch_slice(self, value: StepValue, axis: int) -> str:
        rank = len(value.summary.shape)
        kept = [n for n in range(rank) if n != axis][-2:]  # so many can be seen
        words = [":" if n in kept else "0" for n in range(rank)]
        words[axis] = str(self.batch.value())
        return f"[{', '.join(words)}]"

    def _on_batch_changed(self, _value: int) -> None:
        if self._rows:
            self._look_at(self._chosen)

    def _on_slice_entered(self) -> None:
        if not self._rows:
            return
        value = self._rows[self._chosen]
        try:
            parse_slice(self.slice.text(), value.summary.shape)
        except ValueError as error:
            if not value.type.startswith("key"):  # their numbers have one dimension more
                self.of_numbers.setText(str(error))
                return
        self._look(value, self.slice.text())

    def _clear_view(self) -> None:
        for figure in (self.picture, self.histogram):
            figure.show_view(None)
        self.numbers.rows.set_table(Table((), ()))
        self.of_numbers.setText("")
        for part in (self.slice, self.load_button, self.batch, self.compare_button):
            part.hide()

    def _show_view(self) -> None:
        view = self.run.view
        if view is None:
            return
        if view.problem:
            self.of_numbers.setText(tr_said(view.problem))
            return
        self.picture.show_view(view)
        self.histogram.show_view(view)
        self.slice.setText(view.slice)
        self.numbers.rows.set_table(cells_to_table(view))
        told = (describe_difference(view), describe_forms(view), describe_cut(view), view.note)
        self.of_numbers.setText(tr_said(say_joined(told)))
        self.of_numbers.setToolTip(tr_said(OF_FORMS) if view.forms else "")
        self.compared["held"].setChecked(bool(view.against))
        self.compare_button.setChecked(bool(view.against or view.forms))
        self.of_numbers.setVisible(bool(self.of_numbers.text()))

    def _on_compared(self) -> None:
        value = self._rows[self._chosen]
        is_held = self.compared["held"].isChecked()
        self._look(value, self.slice.text(), holds=is_held)

    def _look(self, value: StepValue, slice: str, *, holds: bool | None = None) -> None:
        forms = [name for name in _FORMS if self.compared[name].isChecked()]
        if forms:
            self.of_numbers.setText(tr("Compiling …"))
            self.of_numbers.show()
        self.run.look(value.kind, value.index, slice, holds=holds, forms=forms)

    # --- choices ---

    def _on_stop_clicked(self) -> None:
        self._way.stop()

    def _on_stage_chosen(self, index: int) -> None:
        chosen = self.stage.itemData(index)
        self.tracing.choose(is_chosen=chosen == _LINES)
        if chosen != _LINES and chosen != self.run.stage:
            self.run.choose_stage(chosen)
            self._context.show_stage(self.run.stage_name)

    def _on_chain_activated(self, place: str) -> None:
        equation, iterations = parse_place(place)
        self._go("place", equation=equation, iterations=list(iterations))

    def _on_load_clicked(self) -> None:
        value = self._rows[self._chosen]
        dialog = FileDialog(self._context.window, tr("Load an argument"), "", tr(_ARRAYS))
        dialog.setFileMode(FileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda file: self.run.load(value.name, file))
        dialog.open()


make_page = SteppingPage
