"""What each policy of `jax.checkpoint` would do to the gradient: asked for with a button."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from jaxscope.analysis.memory.remat_report import (
    HEADERS,
    NUMERIC,
    PROTOCOL,
    describe_remat,
    meaning_of,
    remat_numbers,
    remat_row,
)
from jaxscope.model.remat import RematPolicies
from jaxscope.ui.pages.result_table import ResultTable
from jaxscope.ui.selectable_label import SelectableLabel

_QUESTION = (
    "What would jax.checkpoint do to this gradient? Each of its policies is put on the base "
    "function in memory, and the gradient compiled anew; your file stays as it is."
)


class RematPart(QWidget):
    """`compare_requested` asks for the compilations."""

    compare_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: RematPolicies | None = None
        self.heading, self.notes = SelectableLabel(_QUESTION), SelectableLabel()
        self.notes.setProperty("role", "muted")
        self.compare = QPushButton("Compare the policies")
        self.compare.clicked.connect(self._on_compare_clicked)
        self.table = ResultTable("Remat policies")
        top = QHBoxLayout()
        top.addWidget(self.heading, 1)
        top.addWidget(self.compare, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.addLayout(top)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.notes)
        layout.addStretch(0)
        self.show_policies(None)

    def set_can_compare(self, can_compare: bool) -> None:
        """Whether a run can start now."""
        self.compare.setEnabled(can_compare)

    def show_policies(self, found: RematPolicies | None) -> None:
        """Show what was found, or what there will be."""
        if found is self._found and found is not None:
            return
        self._found = found
        self.table.setVisible(found is not None)
        self.notes.setVisible(found is not None)
        if found is None:
            self.heading.setText(_QUESTION)
            self.table.rows.set_rows(HEADERS, ())
            return
        self.heading.setText(f"{describe_remat(found)} For {found.subject}.")
        missing = [
            f"{outcome.policy}: {outcome.missing.reason}"
            for outcome in found.outcomes
            if outcome.missing is not None
        ]
        self.notes.setText("\n".join([*found.warnings, *missing, PROTOCOL]))
        base = found.as_written
        self.table.rows.set_rows(
            HEADERS,
            [remat_row(outcome, base) for outcome in found.outcomes],
            NUMERIC,
            [remat_numbers(outcome) for outcome in found.outcomes],
            [meaning_of(outcome.policy) for outcome in found.outcomes],
        )

    def _on_compare_clicked(self) -> None:
        self.compare_requested.emit()
