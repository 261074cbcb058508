"""What differs between this call and another: what to compare with, and the comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from jaxscope.ui.choice_box import ChoiceBox
from jaxscope.ui.theme import BASE_POINTS, LIGHT, Theme

if TYPE_CHECKING:  # the graph view is loaded when the first comparison is shown
    from jaxscope.analysis.comparison.comparison import Comparison
    from jaxscope.ui.pages.compare_view import CompareView

_EMPTY_TEXT = (
    "<h3>Compare this call with …</h3>"
    "<table align='center' cellspacing='0' cellpadding='5'>"
    "<tr><td><b>another call</b></td><td>its gradient, a vmap instead of a loop, another size "
    "or precision: type it above.</td></tr>"
    "<tr><td><b>another file</b></td><td>a saved capture, or another version of this Python "
    "file.</td></tr>"
    "<tr><td><b>the run before</b></td><td>of the same call: change the file, and see what the "
    "change did to every stage.</td></tr>"
    "<tr><td><b>another target, interpreter or option</b></td><td>the same call for another "
    "device, under another JAX, or compiled with other options of XLA.</td></tr>"
    "</table>"
    "<p>Nodes are matched by what they are and where they come from; new names and numbers are "
    "no difference.</p>"
)


class ComparePage(QWidget):
    """The page; wishes leave as signals.

    Signals:
        call_requested: Call, target, interpreter and options of XLA's of the other side, as typed.
        file_requested: The person wants to choose a file.
        previous_requested: The run before is wanted.
        stop_requested: What runs for the comparison is no longer wanted.
    """

    call_requested = Signal(str, str, str, str)
    file_requested = Signal()
    previous_requested = Signal()
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._points = LIGHT, BASE_POINTS
        self._view: CompareView | None = None
        self._can_run = self._is_busy = False
        self._present_target = ""
        self.call: QComboBox = ChoiceBox()
        self.target: QComboBox = ChoiceBox()
        self.interpreter = QLineEdit()
        self.options = QLineEdit()
        self.compare_button = QPushButton("Compare")
        self.file_button = QPushButton("File …")
        self.previous_button = QPushButton("Run before")
        self.stop_button = QPushButton("Stop")
        self._status, self._empty = QLabel(), QLabel(_EMPTY_TEXT)
        self._busy = QProgressBar()
        self._pages = QStackedWidget()
        self._build()

    def _build(self) -> None:
        self.call.setEditable(True)
        self.call.setAccessibleName("Call to compare with")
        self.call.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.call.setMinimumContentsLength(18)
        edit = self.call.lineEdit()
        assert edit is not None
        edit.setPlaceholderText("Another call, such as grad(loss)(…)")
        edit.returnPressed.connect(self.compare_button.click)
        for changed in (
            edit.textChanged,
            self.target.editTextChanged,
            self.interpreter.textChanged,
            self.options.textChanged,
        ):
            changed.connect(self._offer_compare)
        self.target.setEditable(True)
        self.target.addItems(["cpu", "cpu:8", "gpu", "tpu"])
        self.target.setAccessibleName("Target of the other side")
        self.interpreter.setPlaceholderText("same interpreter")
        self.interpreter.setAccessibleName("Interpreter of the other side")
        self.interpreter.setToolTip("Path of another Python that has JAX")
        self.interpreter.setMaximumWidth(180)
        self.options.setPlaceholderText("same options")
        self.options.setAccessibleName("Options of XLA of the other side")
        self.options.setToolTip(
            "NAME=VALUE, NAME=VALUE, such as xla_disable_hlo_passes=algsimp: what XLA compiles the "
            "other side with"
        )
        self.options.setMaximumWidth(180)
        self.compare_button.setProperty("role", "primary")
        self.file_button.setToolTip("A saved capture, or another version of this Python file")
        self.previous_button.setToolTip("The run of this call before the present one")
        self._status.setTextFormat(Qt.TextFormat.PlainText)
        self._status.setWordWrap(True)
        self._busy.setRange(0, 0)
        self._busy.setFixedSize(90, 10)
        self._busy.setTextVisible(False)
        self._empty.setTextFormat(Qt.TextFormat.RichText)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        bar = QHBoxLayout()
        bar.addWidget(QLabel("Compare with"))
        bar.addWidget(self.call, 1)
        for part in (
            self.target,
            self.interpreter,
            self.options,
            self.compare_button,
            self.file_button,
            self.previous_button,
        ):
            bar.addWidget(part)
        state = QHBoxLayout()
        state.addWidget(self._busy)
        state.addWidget(self._status, 1)
        state.addWidget(self.stop_button)
        self._pages.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.addLayout(bar)
        layout.addLayout(state)
        layout.addWidget(self._pages, 1)
        self.compare_button.clicked.connect(self._on_compare_clicked)
        self.file_button.clicked.connect(self.file_requested)
        self.previous_button.clicked.connect(self.previous_requested)
        self.stop_button.clicked.connect(self.stop_requested)
        self.show_busy("")

    # --- showing ---

    @property
    def view(self) -> CompareView | None:
        """The comparison on the screen, once there was one."""
        return self._view

    @property
    def status_text(self) -> str:
        """What is said about the work under way, or why there is no comparison."""
        return self._status.text()

    def set_calls(self, calls: Sequence[str], target: str) -> None:
        """Offer the calls of the file, and the present target."""
        typed = self.call.currentText()
        known = [self.call.itemText(i) for i in range(self.call.count())]
        if known != list(calls):
            self.call.clear()
            self.call.addItems(list(calls))
            self.call.setEditText(typed)
        self._present_target = target
        if not self.target.hasFocus():
            self.target.setEditText(target)
        self._offer_compare()

    def set_possible(self, *, can_run: bool, has_present: bool, has_previous: bool) -> None:
        """Offer only what can be done."""
        self._can_run = can_run and has_present
        for part in (self.call, self.target, self.interpreter, self.options):
            part.setEnabled(self._can_run)
        self._offer_compare()
        self.file_button.setEnabled(has_present)
        self.previous_button.setEnabled(has_previous)

    def show_busy(self, what: str) -> None:
        """Say what is being done; empty where nothing is."""
        self._is_busy = bool(what)
        self._offer_compare()
        self._busy.setVisible(bool(what))
        self.stop_button.setVisible(bool(what))
        self._status.setText(what)
        self._status.setVisible(bool(what))

    def show_problem(self, text: str) -> None:
        """Say why there is no comparison."""
        self._status.setText(text)
        self._status.setVisible(True)

    def show_comparison(self, comparison: Comparison) -> None:
        """Show what was found."""
        if self._view is None:
            from jaxscope.ui.pages.compare_view import CompareView

            self._view = CompareView()
            self._view.set_theme(self._theme, self._points)
            self._pages.addWidget(self._view)
        self._view.show_comparison(comparison)
        self._pages.setCurrentWidget(self._view)

    def set_theme(self, theme: Theme, points: float) -> None:
        """Use a theme's colours and a size of type."""
        self._theme, self._points = theme, points
        if self._view is not None:
            self._view.set_theme(theme, points)

    def focus_call(self) -> None:
        """Put the cursor where the other call is typed."""
        self.call.setFocus()
        edit = self.call.lineEdit()
        if edit is not None:
            edit.selectAll()

    def _offer_compare(self) -> None:
        """Nothing typed means the same call: that differs only elsewhere."""
        is_other = bool(
            self.call.currentText().strip()
            or self.interpreter.text().strip()
            or self.options.text().strip()
            or self.target.currentText().strip() not in ("", self._present_target)
        )
        self.compare_button.setEnabled(self._can_run and is_other and not self._is_busy)

    def _on_compare_clicked(self) -> None:
        self.call_requested.emit(
            self.call.currentText().strip(),
            self.target.currentText().strip(),
            self.interpreter.text().strip(),
            self.options.text().strip(),
        )
