"""Experiments: two calls measured against each other, and how well the results of eager, jit and
double precision agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
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
    QSplitter,
    QWidget,
)

from jaxscope.client.requests import AgreementRequest, ComparisonRequest, Request
from jaxscope.model.experiments import Agreement, ProgramComparison, ResultsAgreement
from jaxscope.model.unavailable import Unavailable
from jaxscope.model.units import format_count
from jaxscope.report.measurements import (
    LEAF_HEADERS,
    TRIAL_HEADERS,
    cost_lines,
    describe_origin,
    describe_processes,
    describe_ulps,
    leaf_row,
    trial_row,
)
from jaxscope.ui.measure.experiment_page import ExperimentPage
from jaxscope.ui.measure.timing_page import HEADERS, describe_ratios, row_texts
from jaxscope.ui.session.state import LabState
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.toolkit.widgets import ChoiceBox, FlowLayout, SplitOrTabs

# What the second of two compared programs is made with, as a form.


PRECISIONS = ("default", "high", "highest", "bfloat16", "tensorfloat32", "float32")
DTYPES = ("float32", "bfloat16", "float16", "float64")
POLICIES = (
    "nothing_saveable",
    "everything_saveable",
    "dots_saveable",
    "dots_with_no_batch_dims_saveable",
)
TARGETS = ("cpu", "cpu:2", "cpu:4", "cpu:8", "gpu", "tpu")
_LEAST_CHARS = 14


class SecondProgramForm:
    """Adds its rows to a page's form.

    What stays empty is as in the first program, so a form left alone asks for no difference.
    """

    def __init__(self, form: QFormLayout) -> None:
        self.call = _line("the same call", "Second call")
        self.file = _line("the same file", "File of the second call")
        self.options = _line(
            "such as xla_cpu_enable_fast_math=true, another=1", "Options of XLA of the second"
        )
        self.variables = _line(
            "such as XLA_FLAGS=--xla_cpu_multi_thread_eigen=false",
            "Environment variables of the second process",
        )
        self.python = _line("the same interpreter", "Interpreter of the second")
        self.donate = _line("as written; all, none, or x+y", "Donated arguments of the second")
        self.precision = _choices("the same precision", PRECISIONS, "Precision of the second")
        self.dtype = _choices("the same types", DTYPES, "Types of the second's arguments")
        self.remat = _choices("the same remat", POLICIES, "Remat policy of the second")
        self.target = _choices("the same target", TARGETS, "Target of the second")
        self.rigorous = QCheckBox("in six processes")
        self.rigorous.setToolTip(
            "Slower; shows how much the ratio differs from process to process. Where target, "
            "interpreter or environment differ, it is always done."
        )
        choose = QPushButton("Choose …")
        choose.clicked.connect(self._on_choose_clicked)
        for label, field in (
            ("Second call", self.call),
            ("of the file", _row(self.file, choose)),
            (
                "made with",
                _flow(
                    self.dtype,
                    self.precision,
                    self.remat,
                    *(QLabel("donating"), self.donate),
                    *(QLabel("on"), self.target),
                    self.rigorous,
                ),
            ),
            ("with options of XLA", self.options),
            ("in a process with", _row(self.variables, QLabel("of"), self.python)),
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

    def _on_choose_clicked(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self.file.window(), "Another version", "", "Python (*.py)"
        )
        if path:
            self.file.setText(path)


def _read_assignments(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"{word} is no option: write name=value.")
        found[name.strip()] = value.strip()
    return found


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


# Two calls against each other, and how well results agree.


_ROOMY_LINES = 16
"""Of text, for two tables one above the other."""


class VersusPage(ExperimentPage):
    """The present call is the first; the form says what the second is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "Which of two is faster, and do they agree?",
            "The call in the bar against another call, another version of the file, or the same "
            "made in another way: measured in random pairs, results compared bit by bit.",
            "Compare",
            parent,
        )
        self._comparison: ProgramComparison | None = None
        self.side = SecondProgramForm(self.form)
        self.timings, self.results = ResultTable("Measurements"), ResultTable("Differences")
        self._split = SplitOrTabs(_ROOMY_LINES)
        self._split.insert_part(0, self.timings, "Times", 500)
        self._split.insert_part(1, self.results, "Results", 500)
        self._split.hide()
        self.body.addWidget(self._split, 1)
        self.body.addStretch(0)

    def make_request(self) -> ComparisonRequest | None:
        try:
            different = self.side.read()
        except ValueError as error:
            self.say("", [str(error)])
            return None
        if not different:
            self.say("", ["Nothing is different: name what the second program is made with."])
            return None
        return ComparisonRequest(**different, rigorous=self.side.rigorous.isChecked())

    def show_lab(self, lab: LabState) -> None:
        if lab.comparison is self._comparison:
            return
        self._comparison = found = lab.comparison
        self._split.setVisible(found is not None)
        if found is None:
            self.say("")
            return
        verdict = describe_ratios(found.timing.ratios) or "The two could not be measured together"
        self.say(
            verdict,
            [
                f"first: {found.first}",
                f"second: {found.second}",
                describe_processes(found),
                *(line.strip() for line in cost_lines(found)),
                describe_results(found.agreement),
                *found.timing.warnings,
            ],
            (found.timing.call, found.timing.environment),
        )
        # What is compared comes first, then what was done once to get there.
        measurements = sorted(found.timing.measurements, key=lambda m: "_" in m.name)
        hints = ["\n".join((m.protocol, *m.reasons)) for m in measurements]
        self.timings.rows.set_rows(HEADERS, [row_texts(m) for m in measurements], hints=hints)
        show_leaves(self.results, [found.agreement])

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.timings.fit()
        self.results.fit()


class AgreementPage(ExperimentPage):
    """Eager, jitted and double precision, result by result and equation by equation."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "Do eager, jit and double precision agree?",
            "Runs the call three ways and counts differences in units of the last place (ULP): "
            "the distance between neighbouring numbers of the result's type. Where eager and jit "
            "differ, parts are compiled by themselves, and without single passes, to find out why.",
            "Compare results",
            parent,
        )
        self._found: Agreement | None = None
        self.results = ResultTable("Differences of results")
        self.equations = ResultTable("Differences of equations")
        self.trials = ResultTable("What was switched off")
        self._split = QSplitter(Qt.Orientation.Vertical)
        for table in (self.results, self.equations, self.trials):
            self._split.addWidget(table)
        self._split.hide()
        self.body.addWidget(self._split, 1)
        self.body.addStretch(0)

    def make_request(self) -> Request:
        return AgreementRequest()

    def show_lab(self, lab: LabState) -> None:
        if lab.agreement is self._found:
            return
        self._found = found = lab.agreement
        self._split.setVisible(found is not None)
        if found is None:
            self.say("")
            return
        self.say(
            "\n".join(describe_results(pair) for pair in found.pairs),
            [*describe_origin(found.origin), describe_equations(found), *found.warnings],
            (found.call, found.environment),
        )
        show_leaves(self.results, found.pairs)
        self.equations.rows.set_rows(
            ("equation", "operation", "line", "worst in ULP", ""),
            [
                (
                    equation.id,
                    equation.operation,
                    equation.place.rpartition("/")[2],
                    describe_ulps(equation.worst),
                    "arises here" if equation.inputs_equal else "from its inputs",
                )
                for equation in found.equations
            ],
        )
        trials = () if isinstance(found.origin, Unavailable) else found.origin.trials
        self.trials.setVisible(bool(trials))
        self.trials.rows.set_rows(TRIAL_HEADERS, [trial_row(trial) for trial in trials])

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for table in (self.results, self.equations, self.trials):
            table.fit()


def describe_results(pair: ResultsAgreement) -> str:
    """One sentence: equal, different by how much, or why not compared."""
    if pair.reason:
        return f"{pair.first} against {pair.second}: not compared. {pair.reason}"
    differing = [leaf for leaf in pair.leaves if not leaf.is_equal]
    if not differing:
        return f"{pair.first} and {pair.second} are equal bit by bit"
    worst = max(differing, key=lambda leaf: (leaf.num_nan, leaf.max_ulp))
    odd = "; NaN or infinite one way only" if worst.num_nan else ""
    arrays = format_count(len(pair.leaves), "array")
    return (
        f"{pair.first} and {pair.second} differ in {len(differing)} of {arrays}, by "
        f"{describe_ulps(worst)} ULP at most{odd}"
    )


def describe_equations(found: Agreement) -> str:
    """Where differences of eager and jit arise."""
    if not found.num_equations:
        return "Equations were not compared one by one."
    if not found.equations:
        return (
            f"Each of {format_count(found.num_equations, 'equation')} gives the same bits one by "
            "one and compiled with all others."
        )
    here = [equation for equation in found.equations if equation.inputs_equal]
    return (
        f"{len(found.equations):,} of {format_count(found.num_equations, 'equation')} give other "
        f"bits compiled; in {len(here):,} of them the difference arises."
    )


def show_leaves(table: ResultTable, pairs: Sequence[ResultsAgreement]) -> None:
    """Fill a table with the arrays of some pairs, those that differ first."""
    found = [(pair, leaf) for pair in pairs for leaf in pair.leaves]
    found.sort(key=lambda item: item[1].is_equal)
    table.rows.set_rows(
        ("ways", *LEAF_HEADERS),
        [(f"{pair.first}, {pair.second}", *leaf_row(leaf)) for pair, leaf in found],
        (4, 5, 6),
        [(leaf.max_ulp, leaf.max_absolute, leaf.max_relative) for _, leaf in found],
    )
