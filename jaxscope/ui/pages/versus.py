"""Experiment: two calls measured against each other, and how well their results agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from jaxscope.client.requests import ComparisonRequest
from jaxscope.model.experiments import CAST_DTYPES, POLICIES, ProgramComparison
from jaxscope.report.document import Table
from jaxscope.report.measurements import PAIRED, cost_lines, describe_processes, describe_ratio
from jaxscope.ui.pages.agreement import describe_results, show_leaves
from jaxscope.ui.pages.compare import SecondSide, read_options
from jaxscope.ui.pages.experiments import ExperimentPage
from jaxscope.ui.pages.timing import HEADERS, row_texts, tell_reason
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.widgets import ChoiceBox, FlowLayout, SplitOrTabs
from jaxscope.ui.window.page_context import PageContext

PRECISIONS = ("default", "high", "highest", "bfloat16", "tensorfloat32", "float32")
TARGETS = ("cpu", "cpu:2", "cpu:4", "cpu:8", "gpu", "tpu")
_LEAST_CHARS = 14
_AROUND_PX = 26


class SecondProgramForm:
    """Adds its rows to a page's form.

    What stays empty is as in the first program, so a form left alone asks for no difference.
    """

    def __init__(self, form: QFormLayout) -> None:
        self.call = _line(tr("the same call"), tr("Second call"))
        self.file = _line(tr("the same file"), tr("File of the second call"))
        self.options = _line(
            tr("such as xla_cpu_enable_fast_math=true, another=1"),
            tr("Options of XLA of the second"),
        )
        self.variables = _line(
            tr("such as XLA_FLAGS=--xla_cpu_multi_thread_eigen=false"),
            tr("Environment variables of the second process"),
        )
        self.python = _line(tr("the same interpreter"), tr("Interpreter of the second"))
        self.donate = _line(
            tr("as written; all, none, or x+y"), tr("Donated arguments of the second")
        )
        _show_hint_whole(self.donate)
        self.precision = _choices(
            tr("the same precision"), PRECISIONS, tr("Precision of the second")
        )
        self.dtype = _choices(
            tr("the same types"), CAST_DTYPES, tr("Types of the second's arguments")
        )
        self.remat = _choices(tr("the same remat"), POLICIES, tr("Remat policy of the second"))
        self.target = _choices(tr("the same target"), TARGETS, tr("Target of the second"))
        self.rigorous = QCheckBox(tr("in six processes"))
        self.rigorous.setToolTip(
            tr(
                "Slower; shows how much the ratio differs from process to process. Where target, "
                "interpreter or environment differ, it is always done."
            )
        )
        choose = QPushButton(tr("Choose …"))
        choose.clicked.connect(self._on_choose_clicked)
        for label, field in (
            (tr("Second call"), self.call),
            (tr("of the file"), _row(self.file, choose)),
            (
                tr("made with"),
                _flow(
                    self.dtype,
                    self.precision,
                    self.remat,
                    *(QLabel(tr("donating")), self.donate),
                    *(QLabel(tr("on")), self.target),
                    self.rigorous,
                ),
            ),
            (tr("with options of XLA"), self.options),
            (tr("in a process with"), _row(self.variables, QLabel(tr("of")), self.python)),
        ):
            form.addRow(label, field)

    def read(self) -> dict[str, Any]:
        """The fields of a `ComparisonRequest` that differ from its defaults.

        Raises:
            ValueError: A text is no list of name=value; the message is a sentence.
        """
        found: dict[str, Any] = {
            "other_call": self.call.text().strip() or None,
            "other_file": self.file.text().strip() or None,
            "other_python": self.python.text().strip() or None,
            "other_donate": self.donate.text().strip(),
            "other_precision": self.precision.currentData(),
            "other_dtype": self.dtype.currentData(),
            "other_remat": self.remat.currentData(),
            "other_target": self.target.currentData(),
            "other_options": _read_assignments(self.options.text()),
            "other_environment": _read_assignments(self.variables.text()) or None,
        }
        return {name: value for name, value in found.items() if value}

    @property
    def second(self) -> SecondSide:
        """What of it *Compare* asks for as well."""
        return SecondSide(
            self.call.text().strip(),
            self.target.currentData(),
            self.python.text().strip(),
            self.options.text().strip(),
            self.file.text().strip(),
        )

    def take_second(self, second: SecondSide) -> None:
        """Take over what was typed there."""
        self.call.setText(second.call)
        if self.target.findData(second.target) < 0:
            self.target.addItem(second.target, second.target)
        self.target.setCurrentIndex(self.target.findData(second.target))
        self.python.setText(second.python)
        self.options.setText(second.options)
        self.file.setText(second.file)

    def _on_choose_clicked(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self.file.window(), tr("Another version"), "", tr("Python (*.py)")
        )
        if path:
            self.file.setText(path)


def _read_assignments(text: str) -> dict[str, str]:
    found = read_options(text)
    if found is None:
        raise ValueError(tr("{word} is no option: write name=value.", word=text.strip()))
    return found


def _show_hint_whole(line: QLineEdit) -> None:
    hint_px = line.fontMetrics().horizontalAdvance(line.placeholderText())
    line.setMinimumWidth(hint_px + _AROUND_PX)


def _line(placeholder: str, name: str) -> QLineEdit:
    line = QLineEdit()
    line.setPlaceholderText(placeholder)
    line.setAccessibleName(name)
    return line


def _choices(same: str, values: Sequence[str], name: str) -> QComboBox:
    box = ChoiceBox()
    box.setAccessibleName(name)
    box.setMinimumContentsLength(_LEAST_CHARS)
    box.addItem(same, "")
    for value in values:
        box.addItem(value, value)
    return box


def _row(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    for widget in widgets:
        row.addWidget(widget, int(isinstance(widget, QLineEdit)))
    return row


def _flow(*widgets: QWidget) -> QWidget:
    """A row that wraps: all in one would make the window as wide as itself."""
    holder = QWidget()
    flow = FlowLayout(holder, spacing_px=6)
    for widget in widgets:
        if isinstance(widget, QLineEdit):
            widget.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        flow.addWidget(widget)
    return holder


_ROOMY_LINES = 16
"""Of text, for two tables one above the other."""


class VersusPage(ExperimentPage[ProgramComparison]):
    """The present call is the first; the form says what the second is.

    *Compare* asks for some of that as well: what is typed there is here, and the other way round.
    """

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            "versus",
            tr(
                "The call in the bar against another call, another version of the file, or the "
                "same made in another way: measured in random pairs, results compared bit by bit."
            ),
            tr("Compare"),
            "comparison",
        )
        self._file = context.controller.state.file
        self.side = SecondProgramForm(self.form)
        self.timings, self.results = ResultTable(tr("Measurements")), ResultTable(tr("Differences"))
        split = SplitOrTabs(_ROOMY_LINES)
        split.insert_part(0, self.timings, tr("Times"), 500)
        split.insert_part(1, self.results, tr("Results"), 500)
        self.hold_result(split)

    def show_state(self, state: WindowState) -> None:
        super().show_state(state)
        if state.file != self._file:  # a call of another file, and a version of that
            self._file = state.file
            self.side.call.clear()
            self.side.file.clear()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():  # else the window was minimized
            self._context.ask_page("compare", "tell_second", self.side.take_second)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():
            self._context.ask_page("compare", "take_second", self.side.second)

    def make_request(self) -> ComparisonRequest | None:
        try:
            different = self.side.read()
        except ValueError as error:
            self.refuse(str(error))
            return None
        if not different:
            self.refuse(tr("Nothing is different: name what the second program is made with."))
            return None
        return ComparisonRequest(**different, rigorous=self.side.rigorous.isChecked())

    def show_result(self, found: ProgramComparison) -> None:
        verdict = "\n".join(tr_said(describe_ratio(each)) for each in found.timing.ratios) or tr(
            "The two could not be measured together"
        )
        results = describe_results(found.agreement)
        is_same = not found.agreement.reason and all(x.is_equal for x in found.agreement.leaves)
        self.say(
            verdict if is_same else f"{verdict}\n{results}",
            [
                *([results] if is_same else []),
                *([PAIRED] if found.timing.ratios else []),
                tr("first: {first}", first=found.first),
                tr("second: {second}", second=found.second),
                describe_processes(found),
                *cost_lines(found),
                *found.timing.warnings,
            ],
            (found.timing.call, found.timing.environment),
        )
        # What is compared comes first, then what was done once to get there.
        measurements = sorted(found.timing.measurements, key=lambda m: "_" in m.name)
        hints = [
            "\n".join((tr_said(m.describe_protocol()), *map(tell_reason, m.reasons)))
            for m in measurements
        ]
        self.timings.rows.set_table(Table(HEADERS, [row_texts(m) for m in measurements]), hints)
        show_leaves(self.results, [found.agreement])


make_page = VersusPage
