"""Two calls against each other, and how well results agree."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSplitter,
    QWidget,
)

from jaxscope.analysis.lab_words import LEAF_HEADERS, describe_ulps, leaf_row
from jaxscope.analysis.quantities import format_count
from jaxscope.client.requests import AgreementRequest, ComparisonRequest, Request
from jaxscope.model.agreement import Agreement, Comparison, ResultsAgreement
from jaxscope.ui.lab_state import LabState
from jaxscope.ui.pages.experiment import ExperimentPage
from jaxscope.ui.pages.result_table import ResultTable
from jaxscope.ui.pages.timing import describe_ratios
from jaxscope.ui.pages.timing_table import HEADERS, row_texts
from jaxscope.ui.theme import Theme

_PRECISIONS = ("", "default", "high", "highest", "bfloat16", "tensorfloat32", "float32")


class VersusPage(ExperimentPage):
    """The present call is the first; the form says what the second is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "Which of two is faster, and do they agree?",
            "The call in the bar against another call, another version of the file, another "
            "precision or option of XLA: measured in random pairs, results compared bit by bit.",
            "Compare",
            parent,
        )
        self._comparison: Comparison | None = None
        self.call, self.file, self.options = QLineEdit(), QLineEdit(), QLineEdit()
        self.call.setPlaceholderText("the same call")
        self.file.setPlaceholderText("the same file")
        self.options.setPlaceholderText("such as xla_cpu_enable_fast_math=true, another=1")
        self.precision = QComboBox()
        for precision in _PRECISIONS:
            self.precision.addItem(precision or "the same precision", precision)
        choose = QPushButton("Choose …")
        row = QHBoxLayout()
        row.addWidget(self.file, 1)
        row.addWidget(choose)
        for label, field in (
            ("Second call", self.call),
            ("of the file", row),
            ("with precision", self.precision),
            ("with options of XLA", self.options),
        ):
            self.form.addRow(label, field)
        self.timings, self.results = ResultTable("Measurements"), ResultTable("Differences")
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.addWidget(self.timings)
        self._split.addWidget(self.results)
        self._split.hide()
        self.body.addWidget(self._split, 1)
        self.body.addStretch(0)
        choose.clicked.connect(self._on_choose_clicked)

    def make_request(self) -> ComparisonRequest | None:
        options: dict[str, str] = {}
        for word in filter(None, (part.strip() for part in self.options.text().split(","))):
            name, equals, value = word.partition("=")
            if not equals:
                self.say("", [f"{word} is no option: write name=value."])
                return None
            options[name.strip()] = value.strip()
        request = ComparisonRequest(
            other_call=self.call.text().strip() or None,
            other_file=self.file.text().strip() or None,
            other_precision=self.precision.currentData(),
            other_options=options,
        )
        if request == ComparisonRequest():
            self.say("", ["Nothing is different: name another call, file, precision or option."])
            return None
        return request

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
                describe_results(found.agreement),
                *found.timing.warnings,
            ],
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

    def _on_choose_clicked(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Another version", "", "Python (*.py)")
        if path:
            self.file.setText(path)


class AgreementPage(ExperimentPage):
    """Eager, jitted and double precision, result by result and equation by equation."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "Do eager, jit and double precision agree?",
            "Runs the call three ways and counts differences in units of the last place (ULP): "
            "the distance between neighbouring numbers of the result's type.",
            "Compare results",
            parent,
        )
        self._found: Agreement | None = None
        self.results = ResultTable("Differences of results")
        self.equations = ResultTable("Differences of equations")
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.addWidget(self.results)
        self._split.addWidget(self.equations)
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
            [describe_equations(found), *found.warnings],
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

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.results.fit()
        self.equations.fit()


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
            f"Each of {format_count(found.num_equations, 'equation')} gives the same bits compiled "
            "and by itself: differences arise only where XLA fuses or sums in another order."
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
