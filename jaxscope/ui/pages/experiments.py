"""`ExperimentPage`, the base of most pages of the place *Measure*: heading, form, button, notes and
a place for the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from jaxscope.client.requests import Request
from jaxscope.model import Environment
from jaxscope.report.measurements import describe_noise, describe_place
from jaxscope.ui.pages import PAGES
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.toolkit.widgets import TALL_LINES, FoldedNotes, SelectableLabel, fill_box
from jaxscope.ui.window.page_context import PageContext, PageWidget

Result = TypeVar("Result")


class ExperimentPage(PageWidget, Generic[Result]):
    """The base of pages with a button that starts an experiment of the controller.

    Args:
        context: Of the page.
        name: Of the page in `PAGES`; what it answers is shown until there is an answer.
        meaning: How, in a sentence or two.
        button: Text of the button.
        result: Field of `LabState` with what the experiment found, where it is not the name.

    Attributes:
        found: The result that is shown, or None.
    """

    def __init__(
        self, context: PageContext, name: str, meaning: str, button: str, result: str = ""
    ) -> None:
        super().__init__(context)
        self._question, self._result = PAGES[name].answers, result or name
        self._shown: QWidget | None = None
        self.found: Result | None = None
        self._is_bare = self._is_refused = self._is_form_watched = False
        self.theme = context.themes.theme
        self.heading = SelectableLabel(tr(self._question), "heading")
        self._meaning = SelectableLabel(meaning, "muted")
        self.notes = FoldedNotes()
        self.notes.fold.setChecked(True)
        self.button = QPushButton(button)
        self.button.setProperty("role", "primary")
        self.form = QFormLayout()
        self.body = QVBoxLayout()
        top = QHBoxLayout()
        top.addWidget(self.heading, 1)
        top.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        fill_box(QVBoxLayout(self), top, self._meaning, self.form, self.notes, (self.body, 1))
        self.button.clicked.connect(self._on_button_clicked)
        self.setFocusProxy(self.button)

    def make_request(self) -> Request | None:
        """What the form asks for; None, after saying why in the notes, where it makes no sense."""
        raise NotImplementedError

    def show_result(self, found: Result) -> None:
        """Show another result of this page's experiment."""
        raise NotImplementedError

    def hold_result(self, widget: QWidget) -> None:
        """Fill the body with what shows a result; hidden while there is none."""
        self._shown = widget
        widget.hide()
        self.body.addWidget(widget, 1)
        self.body.addStretch(0)

    def show_state(self, state: WindowState) -> None:
        """Show what the experiment found, and whether another can start."""
        self.button.setEnabled(state.can_start)
        found = getattr(state.lab, self._result)
        if found is self.found:
            return
        self.found = found
        if self._shown is not None:
            self._shown.setVisible(found is not None)
        if found is None:
            self.say("")
        else:
            self.show_result(found)

    def old_call(self, state: WindowState) -> str:
        subject = dict(state.lab.subjects).get(self._result, state.subject)
        is_old = self.found is not None and (state.is_old or subject != state.subject)
        return subject.call if is_old else ""

    def renew_texts(self) -> None:
        self.found = None
        self.show_state(self._context.controller.state)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.notes.set_roomy(self._is_roomy(), folds=False)
        self._show_meaning()

    def _is_roomy(self) -> bool:
        return self.height() >= TALL_LINES * self.fontMetrics().height()

    def _show_meaning(self) -> None:
        """Where there is little room, what is asked makes way for what was found."""
        is_answered = self.heading.text() != tr(self._question)
        self._meaning.setHidden(self._is_bare or (is_answered and not self._is_roomy()))

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme

    def show_result_only(self, is_bare: bool) -> None:
        """Leave only the heading around the result, or bring the form and the notes back."""
        self._is_bare = is_bare
        self._show_meaning()
        self.notes.setHidden(is_bare or not self.notes.text())
        for row in range(self.form.rowCount()):
            self.form.setRowVisible(row, not is_bare)

    def say(
        self,
        heading: str,
        notes: Sequence[str] = (),
        measured: tuple[str, Environment] | None = None,
    ) -> None:
        """Put the answer on top, and below what to mind.

        Args:
            measured: Of which call, and where: a result outlives a change of the call, and a
                reopened one comes from another day.
        """
        if measured is not None:
            call, environment = measured
            if noise := describe_noise(environment):
                heading = f"{tr_said(heading)}\n{tr_said(noise)}"
            notes = [*notes, f"{call}. {tr_said(describe_place(environment))}"]
        self._is_refused = False
        self.heading.setText(tr_said(heading) or tr(self._question))
        self.notes.set_notes((), [*map(tr_said, notes)])
        self._show_meaning()

    def refuse(self, *why: str) -> None:
        """Say why what the form asks for makes no sense, until the form or its answer changes."""
        self.notes.set_notes((), why)
        self._is_refused = True
        if not self._is_form_watched:
            self._is_form_watched = True
            for line in self.findChildren(QLineEdit):
                line.textChanged.connect(self._end_refusal)
            for box in self.findChildren(QComboBox):
                box.currentTextChanged.connect(self._end_refusal)

    def _end_refusal(self) -> None:
        if not self._is_refused:
            return
        if self.found is None:
            self.say("")
        else:
            self.show_result(self.found)

    def _on_button_clicked(self) -> None:
        request = self.make_request()
        if request is not None:
            self._end_refusal()
            self._context.controller.experiment(request)
