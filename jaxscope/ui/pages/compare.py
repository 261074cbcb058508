"""The page *Compare*: asks what to compare with, runs or reads the other side in the background,
compares on a thread, saves reports.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jaxscope.client.events import Failed, Finished, Progress
from jaxscope.errors import InternalError, JaxscopeError, UsageError
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Timing
from jaxscope.model.experiments import ProgramComparison as MeasuredPair
from jaxscope.model.file_kinds import CAPTURE_ENDINGS
from jaxscope.model.targets import is_absent
from jaxscope.program.diff.captures import Comparison
from jaxscope.schema.whole_file import write_bytes
from jaxscope.ui.session.controller import Controller
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr, tr_list
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.toolkit.threads import LatestJob, Post, start_thread
from jaxscope.ui.toolkit.widgets import ChoiceBox, FileDialog, fill_box, strip_marks
from jaxscope.ui.window.files import suggest_name
from jaxscope.ui.window.page_context import PageContext, PageWidget

if TYPE_CHECKING:
    from jaxscope.program.diff.captures import ComparedCapture
    from jaxscope.program.diff.quantities import QuantityDifference
    from jaxscope.ui.pages.comparison_view import CompareView


class SecondSide(NamedTuple):
    """What is typed or chosen of the second of two calls; empty for what is as in the first."""

    call: str
    target: str
    python: str
    options: str
    file: str = ""


@dataclass(frozen=True, eq=False)
class _FinishedRun:
    """A finished run that a later one can be compared with."""

    name: str
    key: tuple[str, str, str]
    capture: Capture
    timing: Timing | None


class ComparisonRunner(QObject):
    """Compares what the window shows with another capture.

    Signals:
        compared: A `Comparison`.
        failed: A `JaxscopeError`: why there is none.
        busy_changed: What is being done, or empty.
    """

    compared = Signal(object)
    failed = Signal(object)
    busy_changed = Signal(str)

    def __init__(self, controller: Controller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._job = LatestJob(self, "jaxscope compare")
        self._run = 0
        self._first: _FinishedRun | None = None
        self._other_name = ""
        self._timed_options: Mapping[str, str] = {}
        self._times: tuple[QuantityDifference, ...] = ()
        self._shown: Comparison | None = None
        self._latest: _FinishedRun | None = None
        self._previous: _FinishedRun | None = None
        controller.state_changed.connect(self._on_controller_state_changed)
        controller.background_event_arrived.connect(self._on_controller_background_event_arrived)
        self._job.finished.connect(self._on_job_finished)
        self._job.failed.connect(self._on_job_failed)
        self._on_controller_state_changed(controller.state)

    @property
    def has_present(self) -> bool:
        """Whether the window shows a complete capture."""
        return self._latest is not None

    @property
    def has_previous(self) -> bool:
        """Whether the call that is shown has been run before in this window."""
        return self._previous is not None

    def compare_with_previous(self) -> None:
        """Compare the run before with the present one."""
        present, previous = self._latest, self._previous
        if present is None or previous is None:
            self._refuse(
                tr("There is no earlier run of this call in this window."),
                tr("Change the file or the target and run the call again."),
            )
            return
        self._compare(
            dataclasses.replace(previous, name=f"{previous.name} [the run before]"),
            dataclasses.replace(present, name=f"{present.name} [now]"),
        )

    def compare_with_file(self, path: str) -> None:
        """Compare with a saved capture, or with the same call in another version of the file."""
        present = self._take_present()
        if present is None:
            return
        if not path.endswith(CAPTURE_ENDINGS):
            self.compare_with_call(present.capture.call, path=path)
            return
        self._start(lambda: (present, _load(path)), tr("Reading the other capture …"))

    def compare_with_call(
        self,
        call: str,
        *,
        path: str = "",
        target: str = "",
        python: str | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Run another call, or this one elsewhere, and compare with it.

        Args:
            call: The call.
            path: A Python file; empty for the one that is shown.
            target: Kind of device; empty for the present one.
            python: Interpreter; None for the present one.
            options: Options of XLA's to compile the other side with.
        """
        present, state = self._take_present(), self._controller.state
        if present is None:
            return
        file = path or state.file
        if file.endswith(CAPTURE_ENDINGS) or (state.is_view_only and not path):
            self._refuse(
                tr("What is shown is a saved capture: its calls cannot be run."),
                tr("Open the Python file, or compare with another saved capture."),
            )
            return
        self.stop()
        self._first = present
        target = target or present.capture.target or "cpu"
        told = [f"{name}={value}" for name, value in (options or {}).items()]
        self._other_name = tr_list([_name_of(file, call, target, python), *told])
        self._run = self._controller.capture_in_background(file, call, target, python, options)
        self.busy_changed.emit(tr("Running the other side …"))

    def compare_without_pass(self, name: str) -> None:
        """Compile the present call without a pass of XLA's, and compare with it.

        Both are then measured in turns, where the target can run; their times follow.

        Args:
            name: Of the pass; wherever it runs, it is left out.
        """
        present = self._take_present()
        if present is None:
            return
        options = {"xla_disable_hlo_passes": name}
        self.compare_with_call(present.capture.call, options=options)
        if self._run and not is_absent(present.capture.target):
            self._timed_options = options

    def stop(self) -> None:
        """Stop what is being worked out."""
        self._job.stop()
        self._timed_options, self._times, self._shown = {}, (), None
        if self._run:
            self._controller.forget_background_run(self._run)
            self._run = 0
        self.busy_changed.emit("")

    # --- how it is done ---

    def _take_present(self) -> _FinishedRun | None:
        if self._latest is None:
            self._refuse(
                tr("There is nothing to compare yet."), tr("Run a call, or open a capture first.")
            )
        return self._latest

    def _compare(self, first: _FinishedRun, second: _FinishedRun) -> None:
        self._start(lambda: (first, second), tr("Comparing …"))

    def _start(self, obtain: Callable[[], tuple[_FinishedRun, _FinishedRun]], what: str) -> None:
        self.stop()
        self.busy_changed.emit(what)
        self._job.start(lambda _should_stop: _compare_runs(*obtain()))

    def _on_job_failed(self, error: Exception) -> None:
        if not self._run:
            self.busy_changed.emit("")
        if not isinstance(error, JaxscopeError):
            error = InternalError(tr("The comparison failed."), why=repr(error))
        self.failed.emit(error)

    def _on_job_finished(self, comparison: Comparison) -> None:
        if not self._run:
            self.busy_changed.emit("")
        self._shown = comparison
        self._show()

    def _show(self) -> None:
        """Tell what is known by now: the outcome, and the times once they are measured."""
        shown = self._shown
        if shown is not None:
            times = self._times or shown.times
            self.compared.emit(dataclasses.replace(shown, times=times))

    def _on_controller_background_event_arrived(self, number: int, event: object) -> None:
        if number != self._run:
            return
        if isinstance(event, Progress):
            self.busy_changed.emit(tr("The other side: {text} …", text=event.text))
        elif isinstance(event, Failed):
            self._run = 0
            self.busy_changed.emit("")
            self.failed.emit(event.error)
        elif isinstance(event, Finished) and isinstance(event.result, Capture):
            self._run = 0
            first = self._first
            if first is not None:
                other = _FinishedRun(self._other_name, ("", "", ""), event.result, None)
                options = self._timed_options
                self._compare(first, other)
                if options:
                    self._run = self._controller.measure_in_background(first.capture, options)
        elif isinstance(event, Finished) and isinstance(event.result, MeasuredPair):
            from jaxscope.program.diff.quantities import describe_paired_times

            self._run = 0
            self.busy_changed.emit("")
            self._times = describe_paired_times(event.result.timing)
            self._show()

    def _on_controller_state_changed(self, state: WindowState) -> None:
        capture = state.capture
        if capture is None:
            if self._latest is not None and state.file != self._latest.key[0]:
                self._latest = self._previous = None
            return
        if self._latest is not None and self._latest.capture is capture:
            if state.full_timing() is not None:
                self._latest = dataclasses.replace(self._latest, timing=state.full_timing())
            return
        key = (state.file, capture.base, capture.call)
        run = _FinishedRun(
            _name_of(state.file, capture.call, capture.target, None),
            key,
            capture,
            state.full_timing(),
        )
        before, self._latest = self._latest, run
        self._previous = before if before is not None and before.key == key else None

    def _refuse(self, what: str, remedy: str) -> None:
        self.failed.emit(UsageError(what, remedy=remedy))


def _load(path: str) -> _FinishedRun:
    name, key = os.path.basename(path), ("", "", "")
    from jaxscope.schema.archive import load_session

    capture, timing = load_session(path)
    return _FinishedRun(name, key, capture, timing)


def _compare_runs(first: _FinishedRun, second: _FinishedRun) -> Comparison:
    from jaxscope.program.diff.captures import compare_captures

    comparison = compare_captures(_subject(first), _subject(second))
    for stage in comparison.stages:
        _ = stage.verdict, stage.texts  # worked out here, so that the window need not
    return comparison


def _subject(run: _FinishedRun) -> ComparedCapture:
    from jaxscope.program.diff.captures import ComparedCapture

    return ComparedCapture(run.name, run.capture, run.timing)


def _name_of(file: str, call: str, target: str, python: str | None) -> str:
    parts = [f"{os.path.basename(file)}::{call}"]
    if target not in ("", "cpu"):
        parts.append(tr("target {target}", target=target))
    if python:
        parts.append(python)
    return tr_list(parts)


# What differs between this call and another: what to compare with, and the comparison.


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
    "device, under another JAX, or compiled with other options of XLA: <i>More</i>.</td></tr>"
    "</table>"
    "<p>Nodes are matched by what they are and where they come from; new names and numbers are "
    "no difference.</p>"
)


_FILTER = "Saved captures and Python files (*.jaxscope *.json *.py)"
_SAVE_FILTERS = ("Web page (*.html)", "Markdown (*.md)", "Text (*.txt)", "JSON (*.json)")


class ComparePage(PageWidget):
    """Asks what to compare with, and shows the comparison."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self.comparing = ComparisonRunner(context.controller, self)
        self._view: CompareView | None = None
        self._compared: Comparison | None = None
        self._can_run = self._is_busy = False
        self._other_file = ""
        self._present_target, self._file = "", context.controller.state.file
        self.call: QComboBox = ChoiceBox()
        self.target: QComboBox = ChoiceBox()
        self.interpreter = QLineEdit()
        self.options = QLineEdit()
        self.compare_button = QPushButton(tr("Compare"))
        self.file_button = QPushButton(tr("File …"))
        self.previous_button = QPushButton(tr("Run before"))
        self.more_button, self._more = QToolButton(), QWidget()
        self.stop_button = QPushButton(tr("Stop"))
        self._status, self._empty = QLabel(), QLabel(tr(_EMPTY_TEXT))
        self._busy = QProgressBar()
        self._build()

    def _build(self) -> None:
        self.call.setEditable(True)
        self.call.setAccessibleName(tr("Call to compare with"))
        self.setFocusProxy(self.call)
        self.call.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.call.setMinimumContentsLength(18)
        edit = self.call.lineEdit()
        assert edit is not None
        edit.setPlaceholderText(tr("Another call, such as grad(loss)(…)"))
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
        self.target.setAccessibleName(tr("Target of the other side"))
        self.interpreter.setPlaceholderText(tr("same interpreter"))
        self.interpreter.setAccessibleName(tr("Interpreter of the other side"))
        self.interpreter.setToolTip(tr("Path of another Python that has JAX"))
        self.options.setPlaceholderText(tr("same options"))
        self.options.setAccessibleName(tr("Options of XLA of the other side"))
        self.options.setToolTip(
            tr(
                "NAME=VALUE, NAME=VALUE, such as xla_disable_hlo_passes=algsimp: what XLA "
                "compiles the other side with"
            )
        )
        self.more_button.setText(tr("More"))
        self.more_button.setCheckable(True)
        self.more_button.setToolTip(tr("Another interpreter, or other options of XLA"))
        self.more_button.toggled.connect(self._show_more)
        self.compare_button.setProperty("role", "primary")
        self.file_button.setToolTip(tr("A saved capture, or another version of this Python file"))
        self.previous_button.setToolTip(tr("The run of this call before the present one"))
        self._status.setTextFormat(Qt.TextFormat.PlainText)
        self._status.setWordWrap(True)
        self._busy.setRange(0, 0)
        self._busy.setFixedSize(90, 10)
        self._busy.setTextVisible(False)
        self._empty.setTextFormat(Qt.TextFormat.RichText)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        bar = fill_box(QHBoxLayout(), QLabel(tr("Compare with")), (self.call, 1))
        for part in (
            self.target,
            self.compare_button,
            self.file_button,
            self.previous_button,
            self.more_button,
        ):
            bar.addWidget(part)
        self._more.hide()
        under, compiled = QLabel(tr("under")), QLabel(tr("compiled with"))
        row = QHBoxLayout(self._more)
        fill_box(row, under, (self.interpreter, 1), compiled, (self.options, 1), margins=(0,) * 4)
        state = fill_box(QHBoxLayout(), self._busy, (self._status, 1), self.stop_button)
        # No stack for what comes below: with lines that are wrapped in it, that would need as much
        # height as it would like best, and graphs would reach out of sight.
        self._column = fill_box(QVBoxLayout(self), bar, self._more, state, (self._empty, 1))
        self.compare_button.clicked.connect(self._on_compare_clicked)
        self.file_button.clicked.connect(self.ask_file)
        self.previous_button.clicked.connect(self.compare_with_previous)
        self.stop_button.clicked.connect(self.comparing.stop)
        self.comparing.busy_changed.connect(self.show_busy)
        self.comparing.failed.connect(self._on_comparing_failed)
        self.comparing.compared.connect(self.show_comparison)
        self._post_saved = Post(self._on_saved)
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

    def show_state(self, state: WindowState) -> None:
        if state.file != self._file:
            self._file = state.file
            self._forget()
        calls = [c for function in state.functions for c in function.calls if c != state.call]
        self.set_calls(calls, state.target)
        comparing = self.comparing
        self.set_possible(
            can_run=state.can_run,
            has_present=comparing.has_present,
            has_previous=comparing.has_previous,
        )
        self._context.commands.actions["compare_with_previous"].setEnabled(comparing.has_previous)

    def old_call(self, state: WindowState) -> str:
        if self._compared is None:
            return ""
        first, second = self._compared.first.capture, self._compared.second.capture
        is_present = state.capture in (first, second) and not state.is_old
        return "" if is_present else first.call

    def _forget(self) -> None:
        """Another file is shown: neither what was compared nor the call is about it."""
        self._compared = None
        self.comparing.stop()
        self.call.setEditText("")
        self._other_file = ""
        self._show_view(is_shown=False)

    def tell_second(self, take: Callable[[SecondSide], None]) -> None:
        """Hand what is typed of the other side to *Two calls*, which measures it."""
        target = self.target.currentText().strip()
        take(
            SecondSide(
                self.call.currentText().strip(),
                "" if target == self._present_target else target,
                self.interpreter.text().strip(),
                self.options.text().strip(),
                self._other_file,
            )
        )

    def take_second(self, second: SecondSide) -> None:
        """Take over what was typed there."""
        self.call.setEditText(second.call)
        self.target.setEditText(second.target or self._present_target)
        self.interpreter.setText(second.python)
        self.options.setText(second.options)
        self._other_file = second.file

    def set_calls(self, calls: Sequence[str], target: str) -> None:
        """Offer other calls of the file, and the present target."""
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
        self._status.setText(strip_marks(text))
        self._status.setVisible(True)

    def show_comparison(self, comparison: Comparison) -> None:
        """Show what was found."""
        if self._view is None:
            from jaxscope.ui.pages.comparison_view import CompareView

            self._view = CompareView()
            self._view.set_theme(self._context.themes.theme, self._context.themes.points)
            self._column.addWidget(self._view, 1)
        self._view.show_comparison(comparison)
        self._compared = comparison
        self._mark_old(self._context.controller.state)
        self._show_view(is_shown=True)

    def _show_view(self, *, is_shown: bool) -> None:
        """Show the comparison, or what there is to say before one."""
        self._empty.setHidden(is_shown)
        if self._view is not None:
            self._view.setVisible(is_shown)

    def set_theme(self, theme: Theme) -> None:
        if self._view is not None:
            self._view.set_theme(theme, self._context.themes.points)

    def _show_more(self) -> None:
        """What is typed there counts, so it stays in sight."""
        is_used = bool(self.interpreter.text().strip() or self.options.text().strip())
        self._more.setVisible(is_used or self.more_button.isChecked())

    def focus_call(self) -> None:
        """Put the cursor where the other call is typed."""
        self.call.setFocus()
        edit = self.call.lineEdit()
        if edit is not None:
            edit.selectAll()

    def _offer_compare(self) -> None:
        """Nothing typed means the same call: that differs only elsewhere."""
        self._show_more()
        is_other = bool(
            self.call.currentText().strip()
            or self.interpreter.text().strip()
            or self.options.text().strip()
            or self.target.currentText().strip() not in ("", self._present_target)
        )
        self.compare_button.setEnabled(self._can_run and is_other and not self._is_busy)

    def _on_compare_clicked(self) -> None:
        typed = self.options.text().strip()
        options = read_options(typed)
        if options is None:
            self.show_problem(
                tr("{typed} is no list of options such as NAME=VALUE, NAME=VALUE.", typed=typed)
            )
            return
        self._other_file = ""
        self.comparing.compare_with_call(
            self.call.currentText().strip() or self._context.controller.state.call,
            target=self.target.currentText().strip(),
            python=self.interpreter.text().strip() or None,
            options=options,
        )

    # --- commands ---

    def ask_call(self) -> None:
        """Show the page with the cursor where the other call is typed."""
        self._show_page()
        self.focus_call()

    def ask_file(self) -> None:
        """Ask for a saved capture or a Python file, and compare with it."""
        self._show_page()
        dialog = FileDialog(self._context.window, tr("Compare with"), "", tr(_FILTER))
        dialog.setFileMode(FileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.compare_with_file)
        dialog.open()

    def compare_with_file(self, path: str) -> None:
        """Compare with a saved capture or another version of the file; *Two calls* knows that."""
        self._other_file = "" if path.endswith(CAPTURE_ENDINGS) else path
        self.comparing.compare_with_file(path)

    def compare_with_previous(self) -> None:
        """Compare the run before with the present one."""
        self._show_page()
        self.comparing.compare_with_previous()

    def ask_export(self) -> bool:
        is_shown = self._view is not None and not self._view.isHidden()
        if is_shown:
            self.ask_save()
        return is_shown

    def ask_save(self) -> None:
        """Ask where to save the comparison that is shown."""
        if self._view is None or self._view.comparison is None:
            self._show_page()
            self.show_problem(tr("There is no comparison to save yet."))
            return
        both = self._view.comparison
        name = suggest_name("html", both.first.capture.call, "and", both.second.capture.call)
        dialog = self._context.ask_where(
            tr("Save the comparison"), ";;".join(map(tr, _SAVE_FILTERS)), name
        )
        dialog.fileSelected.connect(self.save)
        dialog.open()

    def save(self, path: str) -> None:
        """Write the comparison that is shown; the file's ending picks the format."""
        comparison = None if self._view is None else self._view.comparison
        if comparison is not None:
            start_thread(self._write, comparison, path, name="jaxscope-save")

    def _write(self, comparison: Comparison, path: str) -> None:
        """On a thread: both graphs are drawn, and texts compared, which may take seconds."""
        from jaxscope.export.diff import render_comparison

        said = ""
        try:
            write_bytes(Path(path), render_comparison(comparison, Path(path)))
        except OSError as error:
            said = error.strerror or str(error)
        except JaxscopeError as error:
            said = str(error)
        self._post_saved(path, said)

    def _on_saved(self, path: str, problem: str) -> None:
        if problem:
            self.show_problem(
                tr("{path} could not be written: {problem}", path=path, problem=problem)
            )
        else:
            self._context.show_message(tr("Saved to {path}", path=path))

    def _show_page(self) -> None:
        self._context.show_page("compare")

    def compare_without_pass(self, name: str) -> None:
        """Compare with what becomes of the call without a pass of XLA's, by its name."""
        self._show_page()
        self.comparing.compare_without_pass(name)

    def _on_comparing_failed(self, error: JaxscopeError) -> None:
        explanation = error.explanation
        parts = (explanation.what, explanation.why, explanation.remedy)
        self.show_problem("\n".join(part for part in parts if part))


def read_options(typed: str) -> dict[str, str] | None:
    """Options of XLA's by name, as typed with commas between them; None where they are none.

    A comma may belong to a value, which then goes on: `xla_disable_hlo_passes=fusion,dce`.
    """
    found: dict[str, str] = {}
    name = ""
    for part in filter(None, map(str.strip, typed.split(","))):
        before, equals, value = part.partition("=")
        if equals and before.strip():
            name = before.strip()
            found[name] = value.strip()
        elif name and not equals:
            found[name] += f",{part}"
        else:
            return None
    return found


make_page = ComparePage
