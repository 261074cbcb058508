"""Experiment: which of a sequence of calls compiles again, and why."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit

from jaxscope.client.requests import RecompilationRequest
from jaxscope.model.experiments import Recompilation, Signature
from jaxscope.model.said import CLAUSES, say_joined
from jaxscope.model.units import format_seconds
from jaxscope.program.recompilation import describe_key_change, describe_outside, num_recompilations
from jaxscope.report.document import Cell, make_table
from jaxscope.report.measurement_documents import describe_advice
from jaxscope.report.measurements import SIGNATURE_HEADERS, signature_row
from jaxscope.ui.pages.experiments import ExperimentPage
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr, tr_count
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.window.page_context import PageContext

_HEADERS = (*SIGNATURE_HEADERS, "what changed", "against")


class RecompilationPage(ExperimentPage[Recompilation]):
    """The form takes calls, one a line; a table lists every signature.

    It begins with the call in the bar and the others that the file offers, until somebody types.
    """

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            "recompilation",
            tr(
                "Runs calls one after another, or a loop of yours, and lists every key that a "
                "jitted function was compiled for. One call a line; none for the calls that the "
                "file offers."
            ),
            tr("Run the calls"),
        )
        self.calls = QPlainTextEdit()
        self.calls.setPlaceholderText("f(f32[10])\nf(f32[11])\ntrain(100)")
        self.calls.setAccessibleName(tr("Calls to run, one a line"))
        self.calls.setTabChangesFocus(True)
        self._proposed, self._file = "", ""
        self.table = ResultTable(tr("Signatures"))
        self.form.addRow(tr("Calls"), self.calls)
        self.hold_result(self.table)
        self._fit()

    def show_state(self, state: WindowState) -> None:
        super().show_state(state)
        is_typed = self.calls.toPlainText() != self._proposed and state.file == self._file
        if is_typed or state.is_view_only:
            return
        offered = (call for function in state.functions for call in function.calls)
        calls = dict.fromkeys(call for call in (state.call.strip(), *offered) if call)
        proposed, self._file = "\n".join(calls), state.file
        if proposed != self._proposed or proposed != self.calls.toPlainText():
            self._proposed = proposed
            self.calls.setPlainText(proposed)

    def make_request(self) -> RecompilationRequest:
        lines = [line.strip() for line in self.calls.toPlainText().split("\n")]
        return RecompilationRequest(calls=tuple(line for line in lines if line))

    def show_result(self, found: Recompilation) -> None:
        heading = tr(
            "{num_signatures}, {num_recompilations}: {wasted} spent again",
            num_signatures=tr_count(len(found.signatures), "signature"),
            num_recompilations=tr_count(num_recompilations(found), "recompilation"),
            wasted=format_seconds(found.wasted),
        )
        advice = map(describe_advice, found.advice)
        outside = describe_outside(found)
        self.say(
            heading,
            [*advice, *([outside] if outside else []), *found.warnings],
            (found.call, found.environment),
        )
        table = make_table(_HEADERS, found.signatures, _row)
        self.table.rows.set_table(table, list(map(_hint, found.signatures)))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        # Elsewhere a text without a border is a pane's whole content; here it is a field.
        self.calls.setStyleSheet(
            f"QPlainTextEdit {{ border: 1px solid {theme.border}; border-radius: 6px; "
            f"background: {theme.surface}; }}"
        )
        self._fit()

    def _fit(self) -> None:
        self.calls.setFixedHeight(self.fontMetrics().height() * 4 + 12)


def _row(signature: Signature) -> tuple[Cell, ...]:
    against = "" if signature.nearest is None else f"{signature.nearest + 1}"
    changes = say_joined(map(describe_key_change, signature.changes), CLAUSES)
    return (*signature_row(signature), changes or tr("the first"), against)


def _hint(signature: Signature) -> str:
    """The whole of what a row abbreviates, with JAX's own words."""
    checked = {True: tr("JAX agrees."), False: tr("JAX explains it differently."), None: ""}
    parts = (
        signature.call,
        "\n".join(signature.arguments),
        checked[signature.agrees],
        signature.jax_says,
    )
    return "\n".join(part for part in parts if part)


make_page = RecompilationPage
