"""*Try a change*: the source edited in its pane, on a scratch copy that runs when typing pauses.

The file stays as it is until the change is saved. A file that comes with jaxscope is never written:
its change is saved as another file. A change that is neither saved nor discarded is
kept beside what the window remembers, and goes on where it was.
"""

from __future__ import annotations

import ast
import codecs
import contextlib
import hashlib
import io
import itertools
import json
import os
import re
import tokenize
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from jaxscope.errors import UsageError
from jaxscope.model.file_kinds import NOTEBOOK_ENDING
from jaxscope.schema.whole_file import write_bytes
from jaxscope.ui.panes.pane_header import SOURCE
from jaxscope.ui.panes.stage_pane import StagePane, line_mark_of
from jaxscope.ui.session.controller import Controller
from jaxscope.ui.session.source_file import decode_source
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.theme import Theme, ThemeSwitch
from jaxscope.ui.toolkit.widgets import FileDialog, fill_box, make_label, restyle
from jaxscope.ui.window.sample_path import is_sample
from jaxscope.ui.window.workspace import Workspace

_SAID = "Scratch copy: the file is as it was."
_CHANGED = "Scratch copy. The file has changed on disk since."
_REFUSED = "The file has changed on disk since. Save as another one."
_GOES_ON = "Scratch copy with your change from before: the file is as it was."
_WAITS = "Not run: nothing of this file runs before you run its call."
_KEPT = "A change of this file was kept. Try a change (Ctrl+Shift+T) goes on with it."
_MAX_KEPT_BYTES = 64 * 1024 * 1024
"""Of the largest source, each character written as an escape of JSON."""


class KeptChanges:
    """Changes that nobody has saved or discarded yet, one for each file.

    Args:
        folder: Where they are kept; made when there is something to keep.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, file: str, began_with: str, text: str) -> None:
        """Keep the text that a file is to have; where the disk refuses, it is not kept.

        Args:
            file: Its path.
            began_with: SHA-256 of the file that the change began with.
            text: All of it.
        """
        data = json.dumps({"file": file, "began_with": began_with, "text": text}).encode()
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_bytes(self._path(file), data)

    def read(self, file: str) -> tuple[str, str] | None:
        """What a file began with, and its text; None where nothing, or nothing sound, is kept."""
        try:
            with self._path(file).open("rb") as stream:
                found = json.loads(stream.read(_MAX_KEPT_BYTES))
            began_with, text = found["began_with"], found["text"]
            if found["file"] == file and isinstance(began_with, str) and isinstance(text, str):
                return began_with, text
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            pass
        return None

    def forget(self, file: str) -> None:
        """Keep nothing of a file any longer."""
        with contextlib.suppress(OSError):
            self._path(file).unlink(missing_ok=True)

    def _path(self, file: str) -> Path:
        name = hashlib.sha256(os.fsencode(file)).hexdigest()[:32]
        return self._folder / f"{name}.json"


def _encode(text: str, before: bytes) -> bytes:
    """A source as bytes, in the encoding that it names, with ends of lines and mark of others.

    Raises:
        SyntaxError: There is no such encoding.
        UnicodeEncodeError: It lacks a character.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(text.encode()).readline)
    if before.startswith(codecs.BOM_UTF8) and encoding == "utf-8":
        encoding = "utf-8-sig"
    return _with_ends_of(text, before).encode(encoding)


def _with_ends_of(text: str, before: bytes) -> str:
    """The text with each line ended as it was; new lines as most lines were.

    Lines are the same up to the first that differs, and from the last that does.
    """
    ends = [end.decode() for end in re.findall(rb"\r\n|\r|\n", before)]
    if set(ends) <= {"\n"}:
        return text
    usual = max(sorted(set(ends)), key=ends.count)
    lines, old = text.split("\n"), decode_source(before).split("\n")
    same = list(itertools.takewhile(lambda pair: pair[0] == pair[1], zip(lines, old, strict=False)))
    first = min(len(same), len(lines) - 1, len(ends))
    turned = zip(reversed(lines[first:]), reversed(old[first:]), strict=False)
    last = len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], turned)))
    kept = [*ends[:first], *[usual] * (len(lines) - 1 - first)]
    if last > 1:  # the last line has no end
        kept[len(kept) - last + 1 :] = ends[len(ends) - last + 1 :]
    ended = "".join(line + end for line, end in zip(lines, [*kept, ""], strict=True))
    # An old end and that of an empty line below it can read as one.
    is_same = _with_short_ends(ended.encode()) == text.encode()
    return ended if is_same else text.replace("\n", usual)


def _is_kept_whole(data: bytes) -> bool:
    """Whether the bytes of a source are written as they were where they are not changed."""
    text = decode_source(data)
    try:
        again = _encode(text, data)
    except SyntaxError:  # an encoding that there is not: it was read as UTF-8
        again = text.encode()
    except UnicodeEncodeError:
        return False
    has_ends = not re.search("[\N{PARAGRAPH SEPARATOR}\ufdd0\ufdd1]", text)  # Qt ends lines there
    return has_ends and _with_short_ends(again) == _with_short_ends(data)


def _with_short_ends(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _read_bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


class TrialEditor(QWidget):
    """The editor, above it what can be done with the change, and below it why it is not run.

    Args:
        text: What it begins with.
        is_sample: Whether the change can be saved as another file only.
    """

    def __init__(self, text: str, *, is_sample: bool = False) -> None:
        from jaxscope.ui.source.editor import SourceEditor

        super().__init__()
        self.edit = SourceEditor(text)
        self.said = make_label(tr(_SAID), "muted", wraps=True)
        self.save, self.save_as, self.discard = map(
            QPushButton, (tr("Save"), tr("Save as …"), tr("Discard"))
        )
        self.save.setToolTip(tr("Write the change into the file (Ctrl+S)"))
        if is_sample:
            self.save_as.setToolTip(tr("Write your copy of this sample (Ctrl+S)"))
        self.discard.setToolTip(tr("Forget the change, and show the file again"))
        self.said.setContentsMargins(8, 2, 4, 2)
        row = fill_box(QHBoxLayout(), margins=(8, 2, 4, 2))
        for button in (self.save, self.save_as, self.discard):
            row.addWidget(button)
        row.addStretch()
        # Above: what is said below the editor takes more room or less with each run.
        parts = (row, (self.edit, 1), self.said)
        fill_box(QVBoxLayout(self), *parts, margins=(0, 0, 0, 0), spacing=2)
        for before, after in itertools.pairwise((self.save, self.save_as, self.discard, self.edit)):
            QWidget.setTabOrder(before, after)
        self.setFocusProxy(self.edit)
        self.save.setHidden(is_sample)
        self.edit.save_requested.connect((self.save_as if is_sample else self.save).click)
        self.edit.left.connect(self._on_edit_left)
        self._problem, self._is_file_changed, self._usual = "", False, tr(_SAID)

    def _on_edit_left(self) -> None:
        self.discard.setFocus(Qt.FocusReason.BacktabFocusReason)

    def note_file_changed(self) -> None:
        """Say from now on that the file is no longer what the text began with."""
        if not self._is_file_changed:
            self._is_file_changed = True
            self.say(self._problem)

    def note_going_on(self) -> None:
        """Say from now on that the change is one from before."""
        self._usual = tr(_GOES_ON)
        self.say(self._problem)

    def say(self, problem: str) -> None:
        """Say why the text is not run, or nothing."""
        self._problem = problem
        usual = tr(_CHANGED) if self._is_file_changed else self._usual
        # A save that was refused for that says it itself.
        is_both = problem and self._is_file_changed and problem != tr(_REFUSED)
        self.said.setText(f"{problem}\n{tr(_CHANGED)}" if is_both else problem or usual)
        self.said.setProperty("role", "error" if problem else "muted")
        restyle(self.said)


class Trial(QObject):
    """Begins, runs, saves and ends a trial.

    Args:
        window: Dialogs are shown above it.
        controller: Runs the text.
        workspace: Whose source pane becomes the editor.
        themes: Colours and size of type.
        folder: Where changes are kept that are neither saved nor discarded.
        say: Tells a person that there is such a change.
        open_file: Opens the file that a change was saved as, with a call.
    """

    def __init__(
        self,
        window: QWidget,
        controller: Controller,
        workspace: Workspace,
        themes: ThemeSwitch,
        folder: Path,
        say: Callable[[str], None],
        open_file: Callable[[str, str], None],
    ) -> None:
        super().__init__(window)
        self._kept, self._say, self._seen = KeptChanges(folder), say, ""
        self._open_file = open_file
        self._window, self._controller = window, controller
        self._workspace, self._themes = workspace, themes
        self._file, self._began_with, self._began_text = "", "", ""
        self._was_running = self._is_refused = self._waits_for_trust = False
        self._pane: StagePane | None = None
        self.editor: TrialEditor | None = None
        self._saving: Sequence[QAction] = ()
        self._capture_action: QAction | None = None
        self._save_keys: Sequence[QKeySequence] = ()
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._mark)
        controller.state_changed.connect(self._on_controller_state_changed)
        workspace.selection.changed.connect(self._later.start)
        workspace.area.panes_changed.connect(self._on_area_panes_changed)
        themes.changed.connect(self._on_themes_changed)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Close and watched is self._window:
            self._keep()
        return super().eventFilter(watched, event)

    def _keep(self) -> None:
        """Keep the change, where there is one."""
        if self.editor is None:
            return
        if self.editor.edit.document().isModified():
            self._kept.keep(self._file, self._began_with, self.editor.edit.text)
        else:  # all of it was undone
            self._kept.forget(self._file)

    def enable_while_editing(self, saving: Sequence[QAction], capture: QAction) -> None:
        """Let these commands be used only while there is a change to save.

        Args:
            saving: The first one has then the key of `capture`: what is saved is the text, wherever
                the keyboard is.
            capture: Saves the capture.
        """
        self._saving, self._capture_action = saving, capture
        self._save_keys = capture.shortcuts()
        self._enable()

    def _enable(self) -> None:
        is_edited = self.editor is not None
        for action in self._saving:
            action.setEnabled(is_edited)
        for action in self._saving[:1]:
            action.setShortcuts(self._save_keys if is_edited else [])
        if self._capture_action is not None:
            self._capture_action.setShortcuts([] if is_edited else self._save_keys)

    def toggle(self) -> None:
        """Begin to edit the source, or end that; what was changed is kept for the next time."""
        if self.editor is not None:
            self._leave()
            return
        state = self._controller.state
        if not state.file or state.is_view_only or state.snapshot is None:
            why = tr("A saved capture has no file to change.") if state.is_view_only else ""
            what = tr("There is no source to change.")
            self._controller.show_problem(
                UsageError(what, why=why, remedy=tr("Open a Python file (Ctrl+O)."))
            )
            return
        self._file, self._began_with = state.file, state.snapshot.sha256
        self._began_text = state.snapshot.text
        kept = self._kept.read(state.file)
        self._attach(state.snapshot.text)
        if kept is not None and self.editor is not None:
            self._began_with, text = kept
            self._go_on(text)
            self.editor.note_going_on()
            if hashlib.sha256(_read_bytes(self._file)).hexdigest() != self._began_with:
                self.editor.note_file_changed()

    def _go_on(self, text: str) -> None:
        """Have a text in the editor that differs from what it began with; that can be undone."""
        if self.editor is not None and text != self.editor.edit.text:
            self.editor.edit.replace_text(text)

    def leave_before(self, path: str) -> None:
        """End it before a file is opened, where that is the one that is edited: what is shown then
        is of the file, and not of the text in the editor.
        """
        if self.editor is not None and os.path.abspath(path) == self._file:
            self._leave()

    def discard(self) -> None:
        """Discard the change and the results of its runs."""
        self._kept.forget(self._file)
        self._end()

    def _leave(self) -> None:
        self._keep()
        self._end()
        if self._kept.read(self._file) is not None:
            self._say(tr(_KEPT))

    def _end(self) -> None:
        if self._is_refused:
            self._controller.edit_call(self._controller.state.call)  # that is what is shown again
        self._detach()
        self._controller.end_trial()

    def save_change(self) -> None:
        """Write the change into the file, unless that was changed by another hand meanwhile; of a
        sample ask for another file.
        """
        if self.editor is None:
            return
        if is_sample(self._file):
            self.ask_save_as()
            return
        path = Path(self._file)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            self.editor.say(tr("The file is no longer there. Save as another one."))
            return
        except OSError:
            data = b""
        if hashlib.sha256(data).hexdigest() != self._began_with:
            self.editor.say(tr(_REFUSED))
        elif self._file.endswith(NOTEBOOK_ENDING):
            self.editor.say(tr("The file is a notebook. Save as a Python file."))
        elif not _is_kept_whole(data):
            self.editor.say(
                tr("Some bytes of the file are no text, and would be lost. Save as another one.")
            )
        elif self._write(path, data):
            self.discard()

    def ask_save_as(self) -> None:
        """Ask for another file for the change."""
        place = self._file
        if is_sample(place):
            place = os.path.join(os.path.expanduser("~"), os.path.basename(place))
        if place.endswith(NOTEBOOK_ENDING):
            place = place.removesuffix(NOTEBOOK_ENDING) + ".py"
        dialog = FileDialog(self._window, tr("Save the change as"), place, tr("Python (*.py)"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("py")
        dialog.fileSelected.connect(self.save_as)
        dialog.open()

    def save_as(self, path: str) -> None:
        """Write the change into another file, and open that."""
        if self.editor is not None and is_sample(path):
            self.editor.say(tr("Samples stay as they are. Save it in another folder."))
        elif self._write(Path(path), _read_bytes(self._file)):
            call = self._controller.state.call
            self._kept.forget(self._file)
            self._detach()
            self._open_file(path, call)

    def _write(self, path: Path, before: bytes) -> bool:
        """Write the text into a file; tells whether it did.

        Args:
            before: What the change began with: it is written with the same ends of lines, and the
                same mark at its beginning.
        """
        assert self.editor is not None
        try:
            data = _encode(self.editor.edit.text, before)
            path.write_bytes(data)
        except (OSError, SyntaxError, UnicodeEncodeError) as error:
            self.editor.say(tr("It could not be saved: {error}.", error=error))
            return False
        return True

    # --- the editor in its pane ---

    def _attach(self, text: str) -> None:
        panes = self._workspace.area.panes
        pane = next((pane for pane in panes if pane.wanted_stage == SOURCE), None)
        if pane is None:
            self._workspace.show_stage(SOURCE)
            pane = self._workspace.area.active
        if pane is None:
            return
        editor = TrialEditor(text, is_sample=is_sample(self._file))
        editor.edit.set_theme(self._themes.theme, self._themes.points)
        editor.edit.set_wrapping(self._workspace.area.is_wrapping)
        editor.edit.settled.connect(self._on_edit_settled)
        editor.edit.textChanged.connect(self._on_edit_text_changed)
        editor.edit.line_chosen.connect(self._on_edit_line_chosen)
        editor.save.clicked.connect(self.save_change)
        editor.save_as.clicked.connect(self.ask_save_as)
        editor.discard.clicked.connect(self.discard)
        line = pane.code.line_in_hand
        pane.set_editor(editor, editor.edit)
        self._workspace.lines.typed = lambda: editor.edit.text
        self._workspace.fill_source()
        self._pane, self.editor = pane, editor
        self._enable()
        editor.edit.show_line(line)
        editor.edit.setFocus()
        self._mark()

    def _detach(self) -> None:
        line = 0 if self.editor is None else self.editor.edit.textCursor().blockNumber()
        pane, self._pane, self.editor = self._pane, None, None
        self._workspace.lines.typed = None
        self._controller.note_typing_ended()
        self._is_refused = False
        self._enable()
        if pane is not None and pane in self._workspace.area.panes:
            focused = QApplication.focusWidget()
            had_focus = focused is not None and pane.isAncestorOf(focused)
            pane.set_editor(None)
            self._workspace.fill_source()
            if not pane.code.is_in_sight(line):
                pane.code.show_line(line)
            if had_focus:
                pane.focus_content()

    def _mark(self) -> None:
        lines, selection = self._workspace.lines, self._workspace.selection
        if self.editor is not None and lines.path == self._file:
            self.editor.edit.set_marks(
                lines.marks(selection.links, line_mark_of(selection), selection.running)
            )

    def _on_edit_text_changed(self) -> None:
        if self.editor is not None and self._controller.state.file == self._file:
            self._controller.note_typed(self.editor.edit.text)

    def _on_edit_settled(self, text: str) -> None:
        assert self.editor is not None
        self._keep()
        try:
            ast.parse(text)
        except SyntaxError as error:
            line = error.lineno or 1
            self.editor.say(tr("Not run: line {lineno}: {msg}.", lineno=line, msg=error.msg))
            self._refuse(line - 1)
        except (ValueError, RecursionError, MemoryError) as error:
            self.editor.say(tr("Not run: {error}.", error=error))
            self._refuse(-1)
        else:
            waits = self._waits_for_trust = self._controller.state.trust.waits
            self.editor.say(tr(_WAITS) if waits else "")
            self._is_refused = False
            self.editor.edit.set_wrong_line(-1)
            self._controller.try_text(text)

    def _refuse(self, line: int) -> None:
        """Mark the line that is wrong, if one is known, and what is shown as of an earlier text."""
        assert self.editor is not None
        self._is_refused = True
        self.editor.edit.set_wrong_line(line)
        self._workspace.selection.clear()  # lines are those of an earlier text
        self._controller.note_text_refused()

    def _on_edit_line_chosen(self, line: int) -> None:
        lines = self._workspace.lines
        if self._is_refused:  # what became of the line, nobody knows
            return
        if lines.is_own and lines.path == self._file:
            ran = lines.to_run(self._file, [line])
            self._workspace.selection.select_lines(self._file, ran)

    def _on_controller_state_changed(self, state: WindowState) -> None:
        has_ended, self._was_running = self._was_running and not state.is_running, state.is_running
        if state.file != self._seen:
            self._seen = state.file
            if self.editor is None and state.file and self._kept.read(state.file) is not None:
                self._say(tr(_KEPT))
        if self.editor is None:
            return
        if state.file != self._file:
            self._keep()
            self._detach()
            return
        if self._waits_for_trust and not state.trust.waits:
            self._waits_for_trust = False
            self.editor.say("")
        file = state.snapshot if state.draft is None else None
        is_other = file is not None and file.sha256 != self._began_with
        if is_other or state.is_changed_on_disk:
            self.editor.note_file_changed()
        self._later.start()
        if has_ended and self._is_refused:
            self._controller.note_text_refused()  # what ran meanwhile is of an earlier text, too
        if has_ended and self.editor.edit.hasFocus():  # lines written since have equations now
            self._on_edit_line_chosen(self.editor.edit.textCursor().blockNumber() + 1)

    def _on_area_panes_changed(self) -> None:
        """A pane that is gone took its editor along: begin again with its text."""
        if self.editor is not None and self._pane not in self._workspace.area.panes:
            text, draft = self.editor.edit.text, self._controller.state.draft
            self._detach()
            if draft is not None or text != self._began_text:
                self._attach(self._began_text)
                self._go_on(text)

    def _on_themes_changed(self, theme: Theme) -> None:
        if self.editor is not None:
            self.editor.edit.set_theme(theme, self._themes.points)
