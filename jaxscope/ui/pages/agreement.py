"""Experiment: how well the results of eager, jit and double precision agree."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter

from jaxscope.client.requests import AgreementRequest, Request
from jaxscope.model.experiments import Agreement, ResultsAgreement
from jaxscope.model.unavailable import Unavailable
from jaxscope.report.document import Table, make_table
from jaxscope.report.measurements import (
    EQUATION_HEADERS,
    LEAF_HEADERS,
    TRIAL_HEADERS,
    describe_origin,
    describe_ulps,
    equation_row,
    leaf_row,
    trial_row,
)
from jaxscope.ui.pages.experiments import ExperimentPage
from jaxscope.ui.toolkit.language import tr, tr_count, tr_said
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.window.page_context import PageContext


class AgreementPage(ExperimentPage[Agreement]):
    """Eager, jitted and double precision, result by result and equation by equation."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            "agreement",
            tr(
                "Runs the call three ways and counts differences in units of the last place (ULP): "
                "the distance between neighbouring numbers of the result's type. Where eager and "
                "jit differ, parts are compiled by themselves, and without single passes, to "
                "find out why."
            ),
            tr("Compare results"),
        )
        self.results = ResultTable(tr("Differences of results"))
        self.equations = ResultTable(tr("Differences of equations"))
        self.trials = ResultTable(tr("What was switched off"))
        split = QSplitter(Qt.Orientation.Vertical)
        for table in (self.results, self.equations, self.trials):
            split.addWidget(table)
        self.hold_result(split)

    def make_request(self) -> Request:
        return AgreementRequest()

    def show_result(self, found: Agreement) -> None:
        self.say(
            "\n".join(map(describe_results, found.pairs)),
            [*describe_origin(found.origin), describe_equations(found), *found.warnings],
            (found.call, found.environment),
        )
        show_leaves(self.results, found.pairs)
        equations = make_table(EQUATION_HEADERS, found.equations, equation_row)
        self.equations.rows.set_table(equations)
        trials = () if isinstance(found.origin, Unavailable) else found.origin.trials
        self.trials.setVisible(bool(trials))
        self.trials.rows.set_table(make_table(TRIAL_HEADERS, trials, trial_row))


def describe_results(pair: ResultsAgreement) -> str:
    """One sentence: equal, different by how much, or why not compared."""
    if pair.reason:
        return tr(
            "{first} against {second}: not compared. {reason}",
            first=pair.first,
            second=pair.second,
            reason=tr_said(pair.reason),
        )
    differing = [leaf for leaf in pair.leaves if not leaf.is_equal]
    if not differing:
        return tr("{first} and {second} are equal bit by bit", first=pair.first, second=pair.second)
    worst = max(differing, key=lambda leaf: (leaf.num_nan, leaf.max_ulp))
    odd = tr("; NaN or infinite one way only") if worst.num_nan else ""
    arrays = tr_count(len(pair.leaves), "array")
    return tr(
        "{first} and {second} differ in {num_differing} of {arrays}, by {ulps} ULP at most{odd}",
        first=pair.first,
        second=pair.second,
        num_differing=len(differing),
        arrays=arrays,
        ulps=tr_said(describe_ulps(worst)),
        odd=odd,
    )


def describe_equations(found: Agreement) -> str:
    """The equations at which eager and compiled results begin to differ."""
    if not found.num_equations:
        return tr("Equations were not compared one by one.")
    if not found.equations:
        return tr(
            "Each of {num_equations} gives the same bits one by one and compiled with all others.",
            num_equations=tr_count(found.num_equations, "equation"),
        )
    here = [equation for equation in found.equations if equation.inputs_equal]
    return tr(
        "{num_equations:,} of {all_equations} give other bits compiled; in "
        "{num_here:,} of them the difference arises.",
        num_equations=len(found.equations),
        all_equations=tr_count(found.num_equations, "equation"),
        num_here=len(here),
    )


def show_leaves(table: ResultTable, pairs: Sequence[ResultsAgreement]) -> None:
    """Fill a table with the arrays of some pairs, those that differ first."""
    found = [(pair, leaf) for pair in pairs for leaf in pair.leaves]
    found.sort(key=lambda item: item[1].is_equal)
    rows = [(f"{pair.first}, {pair.second}", *leaf_row(leaf)) for pair, leaf in found]
    reasons = [describe_results(pair) for pair in pairs if pair.reason]
    told = "\n".join(reasons) or tr("There are no results to compare.")
    table.notice.say(told, can_clear=False)
    table.rows.set_table(Table(("ways", *LEAF_HEADERS), rows))


make_page = AgreementPage
