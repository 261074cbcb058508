"""Puts comparing into a window: the page, the menu, and what leads from one to the other."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFileDialog, QMenu

from jaxscope.errors import JaxscopeError
from jaxscope.ui.comparing import Comparing
from jaxscope.ui.file_naming import suggest_name
from jaxscope.ui.pages.compare import ComparePage
from jaxscope.ui.theme import ThemeSwitch
from jaxscope.ui.whole_file import write_whole

if TYPE_CHECKING:
    from jaxscope.analysis.comparison.comparison import Comparison
    from jaxscope.ui.window import MainWindow

_TITLE = "Compare"
_LAST_MENU = "Help"
_FILTER = "Saved captures and Python files (*.jaxscope *.json *.py)"
_SAVE_FILTERS = (
    "Web page (*.html)",
    "Markdown (*.md)",
    "Text (*.txt)",
    "JSON (*.json)",
)
_MESSAGE_MS = 6000


class CompareMenu(QObject):
    """Owns the page and what compares; lives as long as its window.

    Signals:
        saved: Where a comparison was written to, and what prevented it, or nothing.
    """

    saved = Signal(str, str)

    def __init__(self, window: MainWindow, themes: ThemeSwitch) -> None:
        super().__init__(window)
        self._window, self._themes = window, themes
        self.page = ComparePage()
        self.comparing = Comparing(window.controller, self)
        self.menu = QMenu(_TITLE, window)
        self._actions: dict[str, QAction] = {}
        window.workspace.tabs.add_page(self.page, _TITLE)
        last = next((a for a in window.menuBar().actions() if a.text() == _LAST_MENU), None)
        if last is None:
            window.menuBar().addMenu(self.menu)
        else:
            window.menuBar().insertMenu(last, self.menu)
        for name, text, keys, slot in (
            ("call", "With another call …", "Ctrl+D", self.ask_call),
            ("file", "With another file …", "Ctrl+Shift+O", self.ask_file),
            ("previous", "With the run before", "Ctrl+Shift+P", self.compare_with_previous),
            ("save", "Save the comparison as …", "", self.ask_save),
        ):
            action = QAction(text, self.menu)
            if keys:
                action.setShortcut(QKeySequence(keys))
            action.triggered.connect(slot)
            self.menu.addAction(action)
            self._actions[name] = action
        self.page.call_requested.connect(self._on_page_call_requested)
        self.page.file_requested.connect(self.ask_file)
        self.page.previous_requested.connect(self.compare_with_previous)
        self.page.stop_requested.connect(self.comparing.stop)
        self.comparing.busy_changed.connect(self.page.show_busy)
        self.comparing.failed.connect(self._on_comparing_failed)
        self.saved.connect(self._on_saved)
        self.comparing.compared.connect(self.page.show_comparison)
        window.controller.state_changed.connect(self._on_controller_state_changed)
        themes.changed.connect(self._on_themes_changed)
        self._on_themes_changed()
        self._on_controller_state_changed()

    def ask_call(self) -> None:
        """Show the page with the cursor where the other call is typed."""
        self._show_page()
        self.page.focus_call()

    def ask_file(self) -> None:
        """Ask for a saved capture or a Python file, and compare with it."""
        self._show_page()
        dialog = QFileDialog(self._window, "Compare with", "", _FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.comparing.compare_with_file)
        dialog.open()

    def compare_with_previous(self) -> None:
        """Compare the run before with the present one."""
        self._show_page()
        self.comparing.compare_with_previous()

    def compare_without_pass(self, name: str) -> None:
        """Compare what is shown with the same call compiled without a pass of XLA's."""
        self._show_page()
        self.comparing.compare_without_pass(name)

    def ask_save(self) -> None:
        """Ask where to save the comparison that is shown."""
        if self.page.view is None or self.page.view.comparison is None:
            self._show_page()
            self.page.show_problem("There is no comparison to save yet.")
            return
        both = self.page.view.comparison
        name = suggest_name("html", both.first.capture.call, "and", both.second.capture.call)
        dialog = self._window.files.ask_where("Save the comparison", ";;".join(_SAVE_FILTERS), name)
        dialog.fileSelected.connect(self.save)
        dialog.open()

    def save(self, path: str) -> None:
        """Write the comparison that is shown; the file's ending picks the format."""
        comparison = None if self.page.view is None else self.page.view.comparison
        if comparison is not None:
            threading.Thread(
                target=self._write, args=(comparison, path), name="jaxscope-save", daemon=True
            ).start()

    def _write(self, comparison: Comparison, path: str) -> None:
        """On a thread: both graphs are drawn, and texts compared, which may take seconds."""
        from jaxscope.analysis.comparison.report import render_comparison

        said = ""
        try:
            write_whole(Path(path), render_comparison(comparison, Path(path)))
        except OSError as error:
            said = error.strerror or str(error)
        except JaxscopeError as error:
            said = str(error)
        with contextlib.suppress(RuntimeError):  # the window is gone meanwhile
            self.saved.emit(path, said)

    def _on_saved(self, path: str, problem: str) -> None:
        if problem:
            self.page.show_problem(f"{path} could not be written: {problem}")
        else:
            self._window.statusBar().showMessage(f"Saved to {path}", _MESSAGE_MS)

    def _show_page(self) -> None:
        self._window.workspace.tabs.setCurrentWidget(self.page)

    def _on_page_call_requested(self, call: str, target: str, python: str, typed: str) -> None:
        options = _read_options(typed)
        if options is None:
            self.page.show_problem(f"{typed} is no list of options such as NAME=VALUE, NAME=VALUE.")
            return
        present = self._window.controller.state.call
        self.comparing.compare_with_call(
            call or present, target=target, python=python or None, options=options
        )

    def _on_comparing_failed(self, error: JaxscopeError) -> None:
        explanation = error.explanation
        parts = (explanation.what, explanation.why, explanation.remedy)
        self.page.show_problem("\n".join(part for part in parts if part))

    def _on_themes_changed(self) -> None:
        self.page.set_theme(self._themes.theme, self._themes.points)

    def _on_controller_state_changed(self) -> None:
        state, comparing = self._window.controller.state, self.comparing
        calls = [call for function in state.functions for call in function.calls]
        self.page.set_calls(calls, state.target)
        can_run = bool(state.file) and not state.is_view_only
        self.page.set_possible(
            can_run=can_run,
            has_present=comparing.has_present,
            has_previous=comparing.has_previous,
        )
        self._actions["previous"].setEnabled(comparing.has_previous)


def add_comparing(window: MainWindow, themes: ThemeSwitch) -> CompareMenu:
    """Give a window its page and its menu for comparisons."""
    return CompareMenu(window, themes)


def _read_options(typed: str) -> dict[str, str] | None:
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
