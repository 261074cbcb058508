"""Two calls against each other, and how well results agree."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QSplitter,
    QWidget,
)

from jaxscope.analysis.lab_words import (
    LEAF_HEADERS,
    cost_lines,
    describe_processes,
    describe_ulps,
    leaf_row,
)
from jaxscope.analysis.origin_words import TRIAL_HEADERS, describe_origin, trial_row
from jaxscope.analysis.quantities import format_count
from jaxscope.client.requests import AgreementRequest, ComparisonRequest, Request
from jaxscope.model.agreement import Agreement, Comparison, ResultsAgreement
from jaxscope.model.unavailable import Unavailable
from jaxscope.ui.lab_state import LabState
from jaxscope.ui.pages.experiment import ExperimentPage
from jaxscope.ui.pages.result_table import ResultTable
from jaxscope.ui.pages.roomy_split import RoomySplit
from jaxscope.ui.pages.side_form import SideForm
from jaxscope.ui.pages.timing import describe_ratios
from jaxscope.ui.pages.timing_table import HEADERS, row_texts
from jaxscope.ui.theme import Theme

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
        self._comparison: Comparison | None = None
        self.side = SideForm(self.form)
        self.timings, self.results = ResultTable("Measurements"), ResultTable("Differences")
        self._split = RoomySplit(_ROOMY_LINES)
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
