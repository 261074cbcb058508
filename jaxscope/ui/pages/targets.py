"""One call compiled for many chips, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from jaxscope.client.many_targets import default_targets, full_target
from jaxscope.ui.pages.result_table import ResultTable
from jaxscope.ui.selectable_label import SelectableLabel
from jaxscope.ui.theme import Theme

if TYPE_CHECKING:
    from jaxscope.analysis.targets.summary import TargetRow

_QUESTION = "How would this call do on other chips?"
_MEANING = (
    "Each target compiles the call with its own compiler; nothing needs the chip, and nothing "
    "runs. `jaxscope doctor` says which compilers are installed."
)
_FIRST = "v5e:2x2, v6e, h100"


class TargetsPage(QWidget):
    """A line of targets and a row for each.

    Signals:
        requested: Targets to compile for, as full names.
        stop_requested: No more of them.
    """

    requested = Signal(object)
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[TargetRow] = []
        self._is_busy = self._can_run = False
        self.heading, self.meaning, self.notes = (
            SelectableLabel(_QUESTION),
            SelectableLabel(_MEANING),
            SelectableLabel(),
        )
        self.heading.setProperty("role", "heading")
        for label in (self.meaning, self.notes):
            label.setProperty("role", "muted")
        self.line = QLineEdit(_FIRST)
        self.line.setAccessibleName("Targets")
        self.line.setToolTip("Chips and targets, with commas between: v5e:2x2, h100:8, cpu:8")
        self.tpus, self.gpus = QPushButton("All TPUs"), QPushButton("All GPUs")
        self.button = QPushButton("Compile")
        self.button.setProperty("role", "primary")
        self.table = ResultTable("Targets")
        self._build()

    def _build(self) -> None:
        top = QHBoxLayout()
        top.addWidget(self.line, 1)
        for button in (self.tpus, self.gpus, self.button):
            top.addWidget(button)
        layout = QVBoxLayout(self)
        layout.addWidget(self.heading)
        layout.addWidget(self.meaning)
        layout.addLayout(top)
        layout.addWidget(self.notes)
        layout.addWidget(self.table, 1)
        self.notes.hide()
        self.button.clicked.connect(self._on_button_clicked)
        self.line.returnPressed.connect(self._on_line_return_pressed)
        self.tpus.clicked.connect(self._on_tpus_clicked)
        self.gpus.clicked.connect(self._on_gpus_clicked)
        self._show_button()

    @property
    def rows(self) -> tuple[TargetRow, ...]:
        """What is shown, in the order of the answers."""
        return tuple(self._rows)

    def targets(self) -> tuple[str, ...]:
        """What stands in the line, as full names, each once."""
        words = (word.strip() for word in self.line.text().split(","))
        return tuple(dict.fromkeys(full_target(word) for word in words if word))

    def begin(self, call: str) -> None:
        """Show that rows of a call will come."""
        self._rows = []
        self.heading.setText(f"{call} on other chips")
        self._show_rows()

    def add_row(self, row: TargetRow) -> None:
        """Show one more target."""
        self._rows.append(row)
        self._show_rows()

    def set_busy(self, what: str) -> None:
        """Say what is being done; empty for nothing."""
        self._is_busy = bool(what)
        self._show_notes(what)
        self._show_button()

    def set_runnable(self, can_run: bool) -> None:
        """Whether there is a call that can be compiled."""
        self._can_run = can_run
        self._show_button()

    def set_theme(self, _theme: Theme) -> None:
        """Use a theme's colours."""
        self.table.fit()

    def _show_rows(self) -> None:
        from jaxscope.analysis.targets.report import (
            HEADERS,
            NUMERIC,
            describe_fit,
            target_cells,
            target_numbers,
        )

        hints = [" ".join(filter(None, (row.chip, describe_fit(row)))) for row in self._rows]
        self.table.rows.set_rows(
            (*HEADERS, "why not"),
            [(*target_cells(row), row.reason) for row in self._rows],
            NUMERIC,
            [target_numbers(row) for row in self._rows],
            hints,
        )
        self._show_notes("")

    def _show_notes(self, what: str) -> None:
        notes = [what] if what else []
        if self._rows and not what:
            from jaxscope.analysis.targets.estimate import ESTIMATE
            from jaxscope.analysis.targets.report import (
                NOT_KNOWN,
                describe_counting,
                describe_problems,
            )

            notes = [*describe_problems(self._rows), *describe_counting(self._rows)]
            notes += [ESTIMATE, NOT_KNOWN]
        self.notes.setText("\n".join(notes))
        self.notes.setVisible(bool(notes))

    def _show_button(self) -> None:
        self.button.setText("Stop" if self._is_busy else "Compile")
        self.button.setEnabled(self._is_busy or self._can_run)

    def _fill(self, kinds: Sequence[str]) -> None:
        self.line.setText(", ".join(default_targets(kinds)))

    def _on_tpus_clicked(self) -> None:
        self._fill(["tpu"])

    def _on_gpus_clicked(self) -> None:
        self._fill(["gpu"])

    def _on_line_return_pressed(self) -> None:
        if not self._is_busy and self._can_run:
            self._on_button_clicked()

    def _on_button_clicked(self) -> None:
        if self._is_busy:
            self.stop_requested.emit()
        elif self.targets():
            self.requested.emit(self.targets())
