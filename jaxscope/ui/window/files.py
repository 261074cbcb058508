"""Dialogs for opening, saving and exporting, and `CaptureFiles`, which reads and writes `.jaxscope`
files on threads.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QInputDialog, QWidget

from jaxscope.client.requests import OpenRequest
from jaxscope.client.ssh_target import is_remote
from jaxscope.errors import JaxscopeError, UsageError
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Timing, is_available
from jaxscope.model.file_kinds import ARCHIVE_ENDING, CAPTURE_ENDINGS, NOTEBOOK_ENDING
from jaxscope.model.timing import Profile
from jaxscope.model.units import format_share
from jaxscope.ui.panes.pane_area import format_arrangement, parse_arrangement
from jaxscope.ui.panes.pane_header import SOURCE
from jaxscope.ui.session.screen import title_of_stage
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.threads import Post, start_thread
from jaxscope.ui.toolkit.widgets import FileDialog
from jaxscope.ui.window.exporter import (
    DRAWINGS,
    ExportChoice,
    ExportDialog,
    Exporter,
    ExportExtent,
    ExportProgressBar,
    Write,
    choose_stage,
    make_order,
    write_export,
    write_source,
    write_steps,
)

if TYPE_CHECKING:
    from jaxscope.export.order import OnProgress
    from jaxscope.model.dumps import FoundDumps, ModuleFiles
    from jaxscope.program.job_texts import JobText
    from jaxscope.program.xplane import Recording
    from jaxscope.schema.archive import Saved
    from jaxscope.schema.archive_container import ReadAhead
    from jaxscope.ui.session.controller import Controller
    from jaxscope.ui.window.settings import Settings
    from jaxscope.ui.window.text_lesson import LessonWalk
    from jaxscope.ui.window.workspace import Workspace


_MAX_CHARACTERS = 80
_WORDS = re.compile(r"[A-Za-z0-9_]+")


def suggest_name(ending: str, *about: str) -> str:
    """A name for a file that every file system takes: `model-grad-f-x.svg`.

    Args:
        ending: Of the file, without the dot.
        about: What it holds: a file, a call, a stage; of a path the last part without its ending.
    """
    words = [word for part in about for word in _WORDS.findall(_without_folder(part))]
    name = ""
    for word in words:
        longer = f"{name}-{word}" if name else word[:_MAX_CHARACTERS]
        if len(longer) > _MAX_CHARACTERS:
            break
        name = longer
    return f"{name or 'jaxscope'}.{ending}"


def _without_folder(text: str) -> str:
    """What a path is called; anything else as it is."""
    if not text.endswith((".py", NOTEBOOK_ENDING, *CAPTURE_ENDINGS)):
        return text
    return os.path.splitext(os.path.basename(text))[0]


# Reads and writes `.jaxscope` files on threads: a large one takes a second.


@dataclass(frozen=True, slots=True)
class Found:
    """What a job left behind, and what its profiles and its texts say, by path."""

    left: FoundDumps
    recordings: Mapping[str, Recording | str]
    texts: Mapping[str, JobText | str]

    @property
    def has_profile(self) -> bool:
        """Whether a profile can be read."""
        return any(not isinstance(each, str) for each in self.recordings.values())

    def lay_over(
        self, capture: Capture, module: ModuleFiles | None = None
    ) -> tuple[Capture, Profile | None]:
        """See `jaxscope.client.dump_reader.lay_over`."""
        from jaxscope.client.dump_reader import lay_over  # with it comes all of `program.hlo`

        return lay_over(capture, self.recordings, module)


class _Superseded(Exception):
    """Something else is opened: what is being looked for is not wanted any more."""


class CaptureFiles(QObject):
    """Works in the background; of several files that are opened the last one counts.

    Signals:
        opened: What a file holds, as `Saved`, and its path.
        found: What a job left behind, as `Found`, and the path of it.
        saved: The path of a file that was written.
        failed: Why one could not be read or written.
    """

    opened = Signal(object, str)
    found = Signal(object, str)
    saved = Signal(str)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._generation = 0
        self._writing = threading.Lock()
        self._works: list[threading.Event] = []  # each is set when it is over
        self._post_read, self._post_saved = Post(self._on_read), Post(self._on_saved)

    def open(self, *paths: str, ahead: ReadAhead | None = None) -> None:
        """Read a file, or several that belong together."""
        self._generation += 1
        self._start(self._open, self._generation, paths, ahead)

    def open_now(self, path: str, ahead: ReadAhead | None = None) -> None:
        """Read a saved capture before this returns."""
        self._generation += 1
        self._on_read(self._generation, self._read(self._generation, (path,), ahead), path)

    def forget(self) -> None:
        """Something else is opened: what is being read is not wanted any more."""
        self._generation += 1

    def save(
        self, capture: Capture, path: str, timing: Timing | None, lab: Sequence[object], layout: str
    ) -> None:
        """Write a file; see `save_capture`."""
        self._start(self._save, capture, path, timing, lab, layout)

    def finish(self, wait_s: float) -> None:
        """Let what is being written come to its end: the window closes."""
        for is_over in self._works:
            is_over.wait(wait_s)

    def _start(self, work: Callable[..., None], *about: object) -> None:
        is_over = start_thread(work, *about, name="jaxscope-file")
        self._works = [*(each for each in self._works if not each.is_set()), is_over]

    def _open(self, generation: int, paths: tuple[str, ...], ahead: ReadAhead | None) -> None:
        with contextlib.suppress(_Superseded):
            self._post_read(generation, self._read(generation, paths, ahead), paths[0])

    def _read(
        self, generation: int, paths: tuple[str, ...], ahead: ReadAhead | None
    ) -> Saved | Found | JaxscopeError:
        """What a file holds, or why that is not known."""
        from jaxscope.schema.archive import load_saved  # only when a saved capture is opened

        try:
            if len(paths) == 1 and paths[0].endswith(CAPTURE_ENDINGS):
                return load_saved(paths[0], ahead)
            from jaxscope.client.dump_folders import find_dumps  # as above
            from jaxscope.client.dump_reader import add_recorded, read_recordings, read_texts

            left = find_dumps(paths, lambda _: self._go_on(generation))
            recordings = read_recordings(left, lambda _: self._go_on(generation))
            return Found(add_recorded(left, recordings), recordings, read_texts(left))
        except JaxscopeError as error:
            return error

    def _go_on(self, generation: int) -> None:
        if generation != self._generation:
            raise _Superseded

    def _on_read(self, generation: int, found: object, path: str) -> None:
        if generation != self._generation:
            return
        if isinstance(found, JaxscopeError):
            self.failed.emit(found)
        elif isinstance(found, Found):
            self.found.emit(found, path)
        else:
            self.opened.emit(found, path)

    def _save(
        self, capture: Capture, path: str, timing: Timing | None, lab: Sequence[object], layout: str
    ) -> None:
        from jaxscope.schema.archive import save_capture  # only when something is saved

        problem: JaxscopeError | None = None
        try:
            with self._writing:  # of two into one file the later stays
                save_capture(capture, path, timing, lab, layout)
        except JaxscopeError as error:
            problem = error
        except OSError as error:
            remedy = error.strerror or str(error)
            problem = UsageError(tr("{path} could not be written.", path=path), remedy=remedy)
        self._post_saved(path, problem)

    def _on_saved(self, path: str, problem: JaxscopeError | None) -> None:
        if problem is None:
            self.saved.emit(path)
        else:
            self.failed.emit(problem)


_OPEN_FILTER = (
    "Python, lessons and saved captures (*.py *.ipynb *.md *.jaxscope *.json);;All files (*)"
)
_SMALL_BYTES = 8 << 20
"""A capture of 50,000 nodes in three stages has 4 MB and is read in 0.2 s."""
_SAVE_FILTER = "Captures (*.jaxscope)"


class FileDialogs(QObject):
    """Asks, reads and writes for one window; what fails goes to its controller.

    Args:
        parent: The window: dialogs are shown above it.

    Signals:
        path_chosen: The path of a file that is to be opened.
        path_used: The path of a capture that was read or written.
        capture_opened: The call of a capture, which the controller has already.
        message_changed: What the status bar is to say; empty for nothing any more.
        export_begun: The widget that shows how far an export is; emitted with the first export.
    """

    path_chosen = Signal(str)
    path_used = Signal(str)
    capture_opened = Signal(str)
    message_changed = Signal(str)
    export_begun = Signal(object)

    def __init__(
        self,
        parent: QWidget,
        controller: Controller,
        workspace: Workspace,
        settings: Settings,
        walk: LessonWalk,
    ) -> None:
        super().__init__(parent)
        self._walk = walk
        self._parent, self._controller = parent, controller
        self._workspace, self._settings = workspace, settings
        self._export_dialog: ExportDialog | None = None
        self._choice = ExportChoice()
        self.captures = CaptureFiles(self)
        self.captures.opened.connect(self._on_captures_opened)
        self.captures.found.connect(self._on_captures_found)
        self.captures.saved.connect(self._on_captures_saved)
        self.captures.failed.connect(self._on_captures_failed)
        self.exporter = Exporter(self)
        self._export_problem: JaxscopeError | None = None
        self.exporter.finished.connect(self._on_exporter_finished)
        self.exporter.failed.connect(self._show_export_problem)
        self.exporter.stopped.connect(self._on_exporter_stopped)
        self.copier, self._copied = Exporter(self), b""
        self.copier.finished.connect(self._on_copier_finished)
        self.copier.failed.connect(self._controller.show_problem)
        self.copier.stopped.connect(self._on_exporter_stopped)
        self.progress: ExportProgressBar | None = None
        self._beside: Found | None = None

    def ask_open(self) -> None:
        """Ask for a file to open, or for several that a job left behind."""
        dialog = FileDialog(self._parent, tr("Open"), self._folder_of_file(), tr(_OPEN_FILTER))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)  # else it watches its folder on
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.open_together)
        dialog.open()

    def open_together(self, paths: Sequence[str]) -> None:
        """Open one file of any kind, or several that a job left behind, as one."""
        if len(paths) == 1:
            self.path_chosen.emit(paths[0])
            return
        strange = [path for path in paths if path.endswith((".py", NOTEBOOK_ENDING))]
        if strange:
            self._refuse(
                tr(
                    "{basename} cannot be opened together with others.",
                    basename=os.path.basename(strange[0]),
                ),
                tr("Open one Python file, or several files that a job left behind."),
            )
        elif paths:
            self.load(*paths)

    def ask_open_folder(self) -> None:
        """Ask for a folder that a job left behind."""
        dialog = FileDialog(self._parent, tr("Open a folder of dumps"), self._folder_of_file())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.path_chosen)
        dialog.open()

    def ask_interpreter(self) -> None:
        """Ask for the Python that is to run the person's code, beside what is used or near it."""
        if is_remote(self._controller.state.target):
            self._refuse(
                tr("This target is of another machine, whose files cannot be chosen here."),
                tr("Start jaxscope with --python and the path of the interpreter there."),
            )
            return
        known = self._controller.python or find_environment(self._folder_of_file())
        dialog = FileDialog(
            self._parent,
            tr("Choose the interpreter of your code"),
            os.path.dirname(known or sys.executable),
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # An environment's interpreter is often a link to one that has nothing of its packages.
        dialog.setOption(QFileDialog.Option.DontResolveSymlinks)
        dialog.setFilter(dialog.filter() | QDir.Filter.Hidden)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        if known:
            dialog.selectFile(known)
        dialog.fileSelected.connect(self._on_interpreter_selected)
        dialog.open()

    def _on_interpreter_selected(self, path: str) -> None:
        self._controller.choose_python(path)
        self.message_changed.emit(tr("Your code runs under {path}.", path=path))

    def ask_save(self) -> None:
        """Ask where to save the capture."""
        capture = self._controller.state.capture
        if capture is None:
            self._refuse(tr("There is no complete capture to save."), tr("Run a call first."))
            return
        held = (
            tr(", with the text of its source files") if any(f.text for f in capture.files) else ""
        )
        dialog = self.ask_where(
            tr("Save capture{held}", held=held), tr(_SAVE_FILTER), self.suggest("jaxscope")
        )
        dialog.fileSelected.connect(self.save)
        dialog.open()

    def ask_where(self, title: str, endings: str, name: str) -> QFileDialog:
        """A dialog, not yet shown, that asks where to write a file.

        Args:
            title: Of the dialog.
            endings: What names may end with, in Qt's notation.
            name: What is offered, in the folder in which something was saved last.
        """
        dialog = FileDialog(self._parent, title, self._folder(), endings)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(name.rpartition(".")[2])
        dialog.selectFile(name)
        dialog.fileSelected.connect(self._on_place_selected)
        dialog.filterSelected.connect(functools.partial(_use_ending_of, dialog))
        return dialog

    def suggest(self, ending: str, stage: str = "") -> str:
        """A name for a file of what is shown, by the user's file, the call and a stage."""
        state = self._controller.state
        if state.is_view_only and ending == "jaxscope":
            return os.path.splitext(os.path.basename(state.file))[0] + ARCHIVE_ENDING
        file = state.snapshot.path if state.snapshot is not None else state.file
        call = state.head.call if state.head is not None else state.call
        return suggest_name(ending, file, call, stage)

    def ask_export(self, theme_name: str, *, is_in_sight: bool = True) -> None:
        """Ask what to export of the active pane, then where to.

        Args:
            theme_name: The theme that is offered first: `light` or `dark`.
            is_in_sight: Whether the panes are seen, and not another place of the window.
        """
        state = self._controller.state
        if not state.stages:
            what = tr("There is nothing to export.")
            self._show_export_problem(UsageError(what, remedy=tr("Run a call first.")))
            return
        pane = self._workspace.area.active
        canvas = pane.canvas if pane is not None and pane.is_graph_shown else None
        scene = canvas.scene if canvas is not None else None
        size = None if scene is None else (scene.width, scene.height)
        drawn = self._stage_for("svg")
        has_drawing = any(each.name == drawn and is_available(each.graph) for each in state.stages)
        dialog = ExportDialog(
            theme_name,
            size,
            self._parent,
            shown="" if pane is None else title_of_stage(pane.wanted_stage),
            drawn=title_of_stage(drawn) if has_drawing else "",
            is_in_sight=is_in_sight,
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(self._on_export_dialog_accepted)
        self._export_dialog = dialog
        dialog.open()

    def _stage_for(self, ending: str) -> str:
        """The stage that is exported to a format; the source is one for its text."""
        state, area = self._controller.state, self._workspace.area
        capture, pane = state.capture or state.partial_capture(), area.active
        if capture is None or pane is None:
            return ""
        if ending == "txt" and pane.wanted_stage == SOURCE:
            return SOURCE
        panes = [(each.wanted_stage, each) for each in area.panes]
        return choose_stage(capture, ending, (pane.wanted_stage, pane), panes)

    def copy_picture(self, theme_name: str) -> None:
        """Put the graph that is active on the clipboard, whole, as it is opened and coloured.

        Args:
            theme_name: `light` or `dark`.
        """
        state, pane = self._controller.state, self._workspace.area.active
        capture = state.capture or state.partial_capture()
        is_shown = pane is not None and pane.is_graph_shown and pane.canvas is not None
        if capture is None or pane is None or not is_shown:
            self.message_changed.emit(tr("There is no graph in the active view."))
            return
        name, active = "picture.png", (pane.wanted_stage, pane)
        order = make_order(capture, name, ExportChoice(theme=theme_name), active, ())

        def write(on_step: OnProgress) -> tuple[list[str], list[str]]:
            from jaxscope.export.render import render_order  # no window starts with it

            self._copied = render_order(order, on_step).data
            return [], []

        self.copier.start(write, name)

    def _on_copier_finished(self, _told: str) -> None:
        QGuiApplication.clipboard().setImage(QImage.fromData(self._copied))
        self._copied = b""
        self.message_changed.emit(tr("The picture is on the clipboard."))

    def export(self, path: str, choice: ExportChoice | None = None) -> None:
        """Export; the file's ending picks the format, and no choice means what is seen."""
        state, area = self._controller.state, self._workspace.area
        capture = state.capture or state.partial_capture()
        if capture is None or area.active is None:
            return
        choice = choice or self._choice
        is_one, ending = choice.extent is not ExportExtent.ALL, Path(path).suffix.lower()
        if is_one and self._stage_for(ending.removeprefix(".")) == SOURCE:
            typed = self._workspace.lines.typed
            text = area.active.source_text if typed is None else typed()
            self._start_export(functools.partial(write_source, text, path), path)
            return
        capture = dataclasses.replace(capture, bookmarks=self._workspace.bookmarks.to_model())
        panes = [(pane.wanted_stage, pane) for pane in area.panes]
        active = (area.active.wanted_stage, area.active)
        order = make_order(capture, path, choice, active, panes)
        self._start_export(functools.partial(write_export, order, path), path)

    def _start_export(self, write: Write, path: str) -> None:
        if self.progress is None:
            self.progress = ExportProgressBar(self.exporter, self._parent)
            self.export_begun.emit(self.progress)
        self.exporter.start(write, path)

    def ask_export_steps(self) -> None:
        """Ask where to write the page or hand-out that goes through the call with its numbers."""
        state = self._controller.state
        if state.capture is None or state.is_running:
            self._refuse(tr("There is no call to step through."), tr("Run a call first."))
        elif state.is_view_only or state.is_stale:
            what = tr("The numbers are computed for the page, so the call has to run.")
            is_saved = state.is_view_only
            remedy = (
                tr("Open its Python file and run it.") if is_saved else tr("Run the call again.")
            )
            self._refuse(what, remedy)
        else:
            kinds = "html (*.html);;pdf (*.pdf)"
            dialog = self.ask_where(tr("Export"), kinds, self.suggest("html", "steps"))
            dialog.fileSelected.connect(self.export_steps)
            dialog.open()

    def export_steps(self, path: str) -> None:
        """Step through the call once, and write the page."""
        capture = self._controller.state.capture
        if capture is not None:
            request = self._controller.describe_stepping()
            write = functools.partial(write_steps, request, capture, self._walk.lesson, path)
            self._start_export(write, path)

    def stop_export(self) -> bool:
        """Stop what is being exported; whether anything was."""
        running = [each for each in (self.exporter, self.copier) if each.is_running]
        for each in running:
            each.stop()
        return bool(running)

    def close(self) -> None:
        """The window closes: an export ends, and what is being saved is saved."""
        for each in (self.exporter, self.copier):
            each.stop(wait_s=1.0)
        self.captures.finish(wait_s=10.0)

    def load(self, *paths: str, ahead: ReadAhead | None = None) -> None:
        """Open a saved capture, or what a job left behind, view-only.

        A profile alone is laid over the program that is shown, if it is of that.

        Args:
            ahead: What reads a saved capture already.
        """
        self._beside = None
        self.message_changed.emit(tr("Opening {paths} …", paths=", ".join(paths)))
        self.captures.open(*map(os.path.abspath, paths), ahead=ahead)

    def load_first(self, path: str, ahead: ReadAhead | None = None) -> None:
        """Open what a window is started with; a saved capture is there when this returns.

        A large one is read while the window shows that it is.
        """
        if os.path.isfile(path) and os.path.getsize(path) <= _SMALL_BYTES:
            self.captures.open_now(path, ahead)
        else:
            self.load(path, ahead=ahead)

    def save(self, path: str) -> None:
        """Save the capture, with what was marked and measured and how panes are laid out."""
        state = self._controller.state
        if state.capture is None:
            return
        marked = dataclasses.replace(state.capture, bookmarks=self._workspace.bookmarks.to_model())
        place, lab = os.path.abspath(path), state.lab.results()
        self.captures.save(marked, place, state.full_timing(), lab, self.layout())

    def layout(self) -> str:
        """How panes are laid out, to be saved."""
        return format_arrangement(self._workspace.area.arrangement())

    def _on_captures_opened(self, saved: Saved, path: str) -> None:
        self.message_changed.emit("")
        self._controller.open_capture(saved.capture, path, saved.timing, saved.lab)
        self.capture_opened.emit(saved.capture.call)
        arrangement = parse_arrangement(saved.layout)
        if arrangement is not None:
            self._workspace.area.arrange(arrangement)
        self.path_used.emit(path)
        beside, self._beside = self._beside, None
        if beside is not None:
            self._controller.lay_over(beside.lay_over)

    def _on_captures_found(self, found: Found, path: str) -> None:
        """Lay a profile over what is shown, or open the module there is; of several, ask which."""
        self.message_changed.emit("")
        left = found.left
        if found.texts:
            self._show_texts(found.texts)
            if not (left.modules or left.captures or left.profiles):
                return
        if not left.has_own_modules:
            if left.captures:
                self._beside = found if found.has_profile else None
                self.captures.open(left.captures[0])
                return
            if self._controller.lay_over(found.lay_over):
                return
            if not left.modules:
                from jaxscope.client.dump_reader import explain_no_module  # `Found` is from there

                explanation = explain_no_module(left, found.recordings)
                self._controller.show_problem(UsageError(explanation))
                return
        if len(left.modules) == 1:
            self.open_module(left.modules[0], path, found)
            return
        shown = {_describe_choice(module, left): module for module in left.ranked}
        dialog = QInputDialog(self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(tr("Open a module"))
        order = tr("what took most time") if left.ranked[0].seconds > 0 else tr("the largest")
        dialog.setLabelText(
            tr("{num_shown} modules, {order} first:", num_shown=len(shown), order=order)
        )
        dialog.setOption(QInputDialog.InputDialogOption.UseListViewForComboBoxItems)
        dialog.setComboBoxItems(list(shown))
        dialog.setTextValue(next(iter(shown)))  # what Enter takes
        dialog.setOkButtonText(tr("Open"))
        metrics = dialog.fontMetrics()  # names of modules are long, and a job leaves many
        dialog.resize(60 * metrics.averageCharWidth(), 24 * metrics.lineSpacing())
        dialog.textValueSelected.connect(lambda text: self.open_module(shown[text], path, found))
        dialog.open()

    def _show_texts(self, texts: Mapping[str, JobText | str]) -> None:
        from jaxscope.ui.window.text_dialog import TextDialog  # no window starts with it

        dialog = TextDialog(texts, self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()

    def open_module(self, module: ModuleFiles, path: str, found: Found) -> None:
        """Read a module and show it, with the times that profiles beside it have of it."""
        request = OpenRequest.of(module, is_drawn=True)
        self._controller.open_module(
            request, path, functools.partial(found.lay_over, module=module)
        )
        self.capture_opened.emit(request.label)
        self.path_used.emit(path)

    def _on_captures_saved(self, path: str) -> None:
        self.message_changed.emit(tr("Saved to {path}", path=path))
        self.path_used.emit(path)

    def _on_captures_failed(self, error: JaxscopeError) -> None:
        self.message_changed.emit("")
        self._controller.show_problem(error)

    def _on_export_dialog_accepted(self) -> None:
        asked = self._export_dialog
        if asked is None:
            return
        self._choice, ending = asked.choice, asked.ending
        self._export_dialog = None
        is_one = ending in DRAWINGS and self._choice.extent is not ExportExtent.ALL
        stage = self._stage_for(ending) if is_one else ""
        name = self.suggest(ending, stage)
        dialog = self.ask_where(tr("Export"), f"{ending} (*.{ending})", name)
        dialog.fileSelected.connect(self._on_export_path_selected)
        dialog.open()

    def _on_export_path_selected(self, path: str) -> None:
        self.export(path)

    def _show_export_problem(self, error: JaxscopeError) -> None:
        self._export_problem = error
        self._controller.show_problem(error)

    def _on_exporter_finished(self, told: str) -> None:
        if self._controller.state.error is self._export_problem is not None:
            self._controller.dismiss_error()
        self._export_problem = None
        self.message_changed.emit(told)

    def _on_exporter_stopped(self) -> None:
        self.message_changed.emit(tr("The export was stopped."))

    def _on_place_selected(self, path: str) -> None:
        self._settings.set_last_folder(os.path.dirname(os.path.abspath(path)))

    def _folder(self) -> str:
        """Where something was saved last, else beside the file that is open."""
        return self._settings.last_folder or self._folder_of_file()

    def _folder_of_file(self) -> str:
        file = self._controller.state.file
        return os.path.dirname(file) if file else os.path.expanduser("~")

    def _refuse(self, what: str, remedy: str) -> None:
        self._controller.show_problem(UsageError(what, remedy=remedy))


_ENVIRONMENTS = (".venv", "venv", "env")
_MAX_LEVELS = 8


def find_environment(folder: str) -> str:
    """The interpreter of the virtual environment in a folder or one around it; empty if none."""
    inside = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
    for around in (Path(folder), *Path(folder).parents)[:_MAX_LEVELS]:
        for name in _ENVIRONMENTS:
            python = around.joinpath(name, *inside)
            if python.is_file():
                return str(python)
    return ""


def _describe_choice(module: ModuleFiles, left: FoundDumps) -> str:
    """A module by its label, with its share of the time where profiles tell it."""
    whole = sum(each.seconds for each in left.modules)
    return (
        f"{module.label}   {format_share(module.seconds / whole, 1)}" if whole > 0 else module.label
    )


def _use_ending_of(dialog: QFileDialog, kind: str) -> None:
    """Give what is to be written the ending of the kind that is chosen: the ending decides it."""
    found = re.search(r"\*\.(\w+)", kind)
    if found is None:
        return
    ending = found[1]
    dialog.setDefaultSuffix(ending)
    for path in dialog.selectedFiles()[:1]:
        dialog.selectFile(f"{os.path.splitext(os.path.basename(path))[0]}.{ending}")
