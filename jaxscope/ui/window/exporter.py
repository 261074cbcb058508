"""Exports what the window shows: asks for format and size, writes on a thread, shows progress and
can be stopped.
"""

from __future__ import annotations

import dataclasses
import enum
import re
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from jaxscope.client.events import Event, Progress, Stepped
from jaxscope.errors import (
    EnvironmentProblem,
    Explanation,
    InternalError,
    JaxscopeError,
    UsageError,
)
from jaxscope.export.choices import (
    ALL_STAGES,
    DEFAULT_SCALE,
    EVERYTHING,
    FIRST,
    FORMATS,
    MAX_WIDTH_PX,
)
from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Capture, is_available
from jaxscope.model.graph import distinct
from jaxscope.model.lessons import TextLesson, read_lesson
from jaxscope.schema.whole_file import write_bytes
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.threads import Post, start_thread
from jaxscope.ui.toolkit.widgets import ChoiceBox, fill_box

if TYPE_CHECKING:
    from jaxscope.client.requests import StepRequest
    from jaxscope.export.order import DisplayedGraph, ExportOrder, OnProgress
    from jaxscope.ui.canvas.graph_canvas import GraphCanvas
    from jaxscope.ui.panes.stage_pane import StagePane


# Writes what a window shows, or all there is, on a thread: large pictures take seconds.


_TELL_S = 0.05
"""So often progress is shown: as smooth as an eye asks for."""


_PICTURES = ("svg", "png", "pdf")
DRAWINGS = (*_PICTURES, "dot")
"""Formats that hold a graph."""


class ExportExtent(enum.Enum):
    """How much to export; the value is fit to show."""

    SEEN = "What is seen"
    OPENED = "This stage with every group opened"
    ALL = "Everything: all stages"


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """What a person chose; see `ExportOrder` for theme and size."""

    extent: ExportExtent = ExportExtent.SEEN
    theme: str = "light"
    scale: float = DEFAULT_SCALE
    width_px: int | None = None


def make_order(
    capture: Capture,
    path: str,
    choice: ExportChoice,
    active: tuple[str, StagePane],
    panes: Iterable[tuple[str, StagePane]],
) -> ExportOrder:
    """What to write for a choice.

    Args:
        capture: What there is.
        path: Where to write; its ending picks the format.
        choice: What a person chose.
        active: The stage and the pane that commands go to.
        panes: All stages and panes that are open.
    """
    from jaxscope.export.order import ExportOrder

    is_seen = choice.extent is ExportExtent.SEEN
    ending = Path(path).suffix.lower().removeprefix(".")
    panes = tuple(panes)
    stage = choose_stage(capture, ending, active, panes)
    seen: dict[str, DisplayedGraph] = {}
    if choice.extent is not ExportExtent.OPENED:
        # The active pane comes last: where two panes show a stage it is the one that is meant.
        for name, pane in (*panes, active):
            canvas = pane.canvas
            if canvas is not None and pane.is_graph_shown and canvas.scene is not None:
                seen[name] = seen_graph(canvas)
    if is_seen and ending == "html":
        shown = {name for name, _ in panes} | {stage}
        stages = tuple(each for each in capture.stages if each.name in shown)
        capture = dataclasses.replace(capture, stages=stages)
    return ExportOrder(
        capture,
        ALL_STAGES if choice.extent is ExportExtent.ALL else stage,
        ending,
        choice.theme,
        choice.scale,
        choice.width_px,
        EVERYTHING if choice.extent is ExportExtent.OPENED else FIRST,
        active[1].canvas.direction if active[1].canvas is not None else "down",
        seen,
    )


def choose_stage(
    capture: Capture,
    ending: str,
    active: tuple[str, StagePane],
    panes: Iterable[tuple[str, StagePane]],
) -> str:
    """The stage that is exported: of the active pane, unless that is none or cannot be drawn.

    A picture is then of the first graph that is seen, else of the first that there is.

    Args:
        capture: What there is.
        ending: The format.
        active: The stage and the pane that commands go to.
        panes: All stages and panes that are open.
    """
    stage = capture.stage(active[0])
    if stage is not None and (ending not in DRAWINGS or is_available(stage.graph)):
        return stage.name
    drawn = [each.name for each in capture.stages if is_available(each.graph)]
    seen = (name for name, pane in panes if name in drawn and pane.is_graph_shown)
    names = (each.name for each in (stage, *capture.stages) if each is not None)
    return next(seen, "") or next(iter(drawn), "") or next(names, "")


def write_source(text: str, path: str, _on_step: OnProgress) -> tuple[list[str], list[str]]:
    """Write the text of a source, as `write_export` writes a stage."""
    write_bytes(Path(path), text.encode("utf-8", "replace"))
    return [path], []


def seen_graph(canvas: GraphCanvas) -> DisplayedGraph:
    """The graph as it is on the screen, with a legend."""
    from jaxscope.export.order import DisplayedGraph, Look

    scene, highlight = canvas.scene, canvas.highlight
    assert scene is not None  # asked by the caller
    selected = highlight.selected
    if highlight.current != NONE:
        selected = distinct(selected, [highlight.current])
    return DisplayedGraph(
        scene,
        Look(
            canvas.tint_of(scene),
            selected,
            highlight.forward,
            highlight.backward,
            canvas.focused_items(scene),
            has_legend=True,
        ),
        canvas.tint_of,
    )


class ExportStopped(Exception):
    """The person stopped an export."""


Write = Callable[["OnProgress"], tuple[list[str], list[str]]]
"""Writes files, as `write_export` and `write_steps` do."""


class Exporter(QObject):
    """Writes one export at a time on a thread, and can be stopped.

    Signals:
        progressed: What is being done, and how much of it is done, from 0 to 1.
        finished: What to say of it.
        failed: The error.
        stopped: It was stopped, and left nothing behind.
    """

    progressed = Signal(object, float)
    finished = Signal(str)
    failed = Signal(object)
    stopped = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_over: threading.Event | None = None
        self._is_writing = False
        self._is_stopped = threading.Event()
        self._told = 0.0
        self._post = Post(self._on_told)

    @property
    def is_running(self) -> bool:
        """Whether something is being written."""
        return self._is_writing

    def start(self, write: Write, path: str) -> None:
        """Write in the background.

        Args:
            write: What does it; it runs on a thread.
            path: Where to, as errors name it.
        """
        if self.is_running:
            remedy = tr("Wait for it, or stop it at the bottom of the window.")
            what = tr("Another export is being written.")
            self.failed.emit(UsageError(what, remedy=remedy))
            return
        self._is_stopped.clear()
        self._is_writing = True
        self._is_over = start_thread(self._work, write, path, name="jaxscope-export")

    def stop(self, wait_s: float = 0.0) -> None:
        """Stop the export, and wait while it removes unfinished files."""
        self._is_stopped.set()
        if self._is_over is not None and wait_s:
            self._is_over.wait(wait_s)

    def _work(self, write: Write, path: str) -> None:
        # Whoever hears of the end may start the next one, before this thread is gone.
        told = self._write(write, path)
        self._is_writing = False
        self._post(*told)

    def _write(self, write: Write, path: str) -> tuple[str, *tuple[object, ...]]:
        """Write, and return the name of the signal to emit with what it carries."""
        try:
            paths, notes = write(self._on_step)
        except ExportStopped:
            return ("stopped",)
        except JaxscopeError as error:
            return "failed", error
        except OSError as error:
            reason = error.strerror or str(error)
            explained = Explanation(tr("{path} was not written.", path=path), why=reason)
            return "failed", UsageError(explained)
        except Exception as error:
            what = tr("The export failed inside jaxscope.")
            return "failed", InternalError(what, why=repr(error)[:500])
        return "finished", " ".join([tr("Exported to {paths}.", paths=", ".join(paths)), *notes])

    def _on_step(self, doing: str, share: float) -> None:
        if self._is_stopped.is_set():
            raise ExportStopped
        now = time.monotonic()
        if now - self._told > _TELL_S:
            self._told = now
            self._post("progressed", doing, share)
            time.sleep(0)  # the window may take Python's lock before its turn

    def _on_told(self, signal: str, *about: object) -> None:
        getattr(self, signal).emit(*about)


def write_export(order: ExportOrder, path: str, on_step: OnProgress) -> tuple[list[str], list[str]]:
    """Write one file, or one for each stage; returns the paths, and what is not as asked for.

    Args:
        order: What to write.
        path: Where to.
        on_step: Told how far it is; what it raises ends the export, and no file is half written.

    Raises:
        JaxscopeError: The format is unknown, or the stage has nothing of that kind.
        OSError: A file cannot be written.
    """
    from jaxscope.export.order import part_of_progress, split_order
    from jaxscope.export.render import render_order

    place = Path(path)
    paths: list[str] = []
    notes: list[str] = []
    parts = split_order(order)
    for number, (suffix, part) in enumerate(parts):
        step = part_of_progress(on_step, number / len(parts), (number + 1) / len(parts))
        try:
            rendered = render_order(part, step)
        except EnvironmentProblem as error:  # nothing that was asked for is missing here
            told = error.explanation
            why = " ".join(filter(None, (told.what, told.why)))
            what = tr("{path} was not written.", path=path)
            raise UsageError(Explanation(what, why=why, remedy=told.remedy)) from error
        step(tr("Writing"), 1.0)
        target = place.with_name(f"{place.stem}{suffix}{place.suffix}")
        write_bytes(target, rendered.data)
        paths.append(str(target))
        notes += rendered.notes
    return paths, notes


def write_steps(
    request: StepRequest,
    capture: Capture,
    lesson: TextLesson | None,
    path: str,
    on_step: OnProgress,
) -> tuple[list[str], list[str]]:
    """Write the page or hand-out that goes through a call with its numbers, computed for that.

    Args:
        request: What to step through.
        capture: Of the same call.
        lesson: What it tells; None for what the docstring of the file does.
        path: Where to write.
        on_step: As for `write_export`; asked while the call runs, too.

    Raises:
        JaxscopeError: The call cannot be stepped through.
        OSError: The file cannot be written.
    """
    from jaxscope.client.stepping import SteppingClient
    from jaxscope.export.render import render_steps
    from jaxscope.export.steps import MOST_STEPS

    doing = tr("Starting the call")

    def on_event(event: Event) -> None:
        nonlocal doing
        if isinstance(event, Progress):
            doing = event.text
        elif isinstance(event, Stepped) and event.step.equation:
            doing = tr(
                "Running {equation} {operation}",
                equation=event.step.equation,
                operation=event.step.operation,
            )
        on_step(doing, 0.0)

    with SteppingClient(request, on_event, lambda: on_step(doing, 0.0)) as stepper:
        steps = stepper.record(MOST_STEPS)
        on_step(tr("Writing"), 1.0)
        told = lesson or read_lesson(Path(request.file or ""))
        data = render_steps(Path(path).suffix, stepper.stepping, steps, capture, told)
    write_bytes(Path(path), data)
    last = steps[-1]
    if last.failure:
        return [path], [
            tr(
                "{equation} {operation} failed: the page ends there.",
                equation=last.equation,
                operation=last.operation,
            )
        ]
    return [path], [] if last.is_end else [
        tr("The page has the first {num_steps:,} equations.", num_steps=len(steps) - 1)
    ]


_PATIENCE_MS = 300
"""What is done sooner needs no progress: it would only flicker."""

_BAR_PX = 160
_WHOLE = 100


class ExportProgressBar(QWidget):
    """Shows itself while an export takes long.

    Args:
        exporter: Whose progress is shown, and which the button stops.
    """

    def __init__(self, exporter: Exporter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._exporter = exporter
        self._words = QLabel(tr("Exporting"))
        self._bar = QProgressBar()
        self._bar.setRange(0, _WHOLE)
        self._bar.setFixedWidth(_BAR_PX)
        self._bar.setAccessibleName(tr("Progress of the export"))
        self.stop_button = QPushButton(tr("Stop"))
        self.stop_button.setAccessibleName(tr("Stop the export"))
        self.stop_button.setToolTip(tr("Stop the export; nothing is left of it (Esc)"))
        self.stop_button.clicked.connect(self._on_stop_button_clicked)
        fill_box(QHBoxLayout(self), self._words, self._bar, self.stop_button, margins=(0, 0, 0, 0))
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self.show)
        exporter.progressed.connect(self._on_exporter_progressed)
        exporter.finished.connect(self._on_exporter_ended)
        exporter.failed.connect(self._on_exporter_ended)
        exporter.stopped.connect(self._on_exporter_ended)
        self.hide()

    def _on_exporter_progressed(self, doing: str, share: float) -> None:
        if not self.isVisible() and not self._patience.isActive():
            self._patience.start()
        self._words.setText(tr("{doing} …", doing=doing))
        # While graphs are laid out it is not known how much is done.
        self._bar.setRange(0, _WHOLE if share > 0 else 0)
        self._bar.setValue(round(_WHOLE * share))

    def _on_stop_button_clicked(self) -> None:
        self._words.setText(tr("Stopping …"))
        self._exporter.stop()

    def _on_exporter_ended(self, _about: object = None) -> None:
        self._patience.stop()
        self.hide()


_THEMES = ("light", "dark")
_EXPLAINED = {"json": "Data always holds everything.", "html": "The stages of the open views."}


class ExportDialog(QDialog):
    """Asks; `choice` and `ending` answer.

    Args:
        theme: Name of the window's theme, offered first.
        seen_px: Width and height of the picture that is seen, in pixels; None where none is.
        shown: What the active pane shows, such as `Source`; empty for what `drawn` says.
        drawn: The stage that a picture is of; empty where there is none to draw.
        is_in_sight: Whether the panes are seen, and not another place of the window.
    """

    def __init__(
        self,
        theme: str,
        seen_px: tuple[float, float] | None,
        parent: QWidget | None = None,
        *,
        shown: str = "",
        drawn: str = "",
        is_in_sight: bool = True,
    ) -> None:
        super().__init__(parent)
        self._shown, self._drawn, self._is_in_sight = shown or drawn, drawn, is_in_sight
        self.setWindowTitle(tr("Export"))
        self._seen_px = seen_px
        self.extents = ChoiceBox(self)
        self.formats = ChoiceBox(self)
        self.themes = ChoiceBox(self)
        self.width_px = QSpinBox(self)
        self._form, self._size = QFormLayout(), QLabel()
        self._build(theme)
        self._update()

    def _build(self, theme: str) -> None:
        layout = QVBoxLayout(self)
        form = self._form
        for extent in ExportExtent:
            self.extents.addItem(tr(extent.value), extent)
        if not self._is_in_sight:
            place = tr("What is seen in {place}", place=tr("Program"))
            self.extents.setItemText(self.extents.findData(ExportExtent.SEEN), place)
        can_draw = bool(self._drawn or not self._shown)
        for ending, title in FORMATS.items():
            if can_draw or ending not in DRAWINGS:
                self.formats.addItem(f"{tr(title)} (.{ending})", ending)
        if self._shown != self._drawn:
            self.formats.setCurrentIndex(self.formats.findData("txt"))
        for name in (theme, *({*_THEMES} - {theme})):
            self.themes.addItem(tr(name).capitalize(), name)
        self.width_px.setRange(0, MAX_WIDTH_PX)
        self.width_px.setSingleStep(100)
        self.width_px.setSpecialValueText(tr("twice the size of the window's"))
        self.width_px.setSuffix(tr(" pixels"))
        self._size.setWordWrap(True)
        self.width_px.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self._add(form, tr("&What"), self.extents)
        self._add(form, tr("&Format"), self.formats)
        self._add(form, tr("&Colours"), self.themes)
        self._add(form, tr("W&idth"), self.width_px)
        form.addRow("", self._size)
        layout.addLayout(form)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(tr("Export …"), QDialogButtonBox.ButtonRole.AcceptRole).setDefault(True)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.extents.currentIndexChanged.connect(self._on_changed)
        self.formats.currentIndexChanged.connect(self._on_changed)
        self.width_px.valueChanged.connect(self._on_changed)

    def _add(self, form: QFormLayout, name: str, field: QComboBox | QSpinBox) -> None:
        form.addRow(name, field)
        field.setAccessibleName(re.sub(r"\(&\w\)|&", "", name))

    @property
    def ending(self) -> str:
        """The format, as the ending of the file."""
        return str(self.formats.currentData())

    @property
    def choice(self) -> ExportChoice:
        """What was chosen."""
        extent = ExportExtent(self.extents.currentData())
        width = self.width_px.value() or None
        return ExportChoice(extent, str(self.themes.currentData()), width_px=width)

    def _on_changed(self, _value: int) -> None:
        self._update()

    def _update(self) -> None:
        ending, extent = self.ending, self.choice.extent
        self.themes.setEnabled(ending in DRAWINGS)
        self.width_px.setEnabled(ending == "png")
        self.extents.setEnabled(ending != "json")
        for field in (self.extents, self.themes, self.width_px):
            self._form.setRowVisible(field, field.isEnabled())
        self._size.setText(self._explain(ending, extent))

    def _explain(self, ending: str, extent: ExportExtent) -> str:
        """What is going to be written, in a sentence."""
        if extent is ExportExtent.ALL and ending in ("svg", "png", "dot"):
            return tr("A file for each stage, named after it.")
        if extent is ExportExtent.ALL and ending == "pdf":
            return tr("A page for each stage.")
        if ending in DRAWINGS and self._shown != self._drawn and extent is not ExportExtent.ALL:
            return tr(
                "{shown} has no graph: this is the one of {drawn}.",
                shown=self._shown,
                drawn=self._drawn,
            )
        if ending == "txt" and self._shown and extent is not ExportExtent.ALL:
            return tr("The text of {shown}.", shown=self._shown)
        if ending == "png" and extent is ExportExtent.SEEN and self._seen_px is not None:
            width, height = self._seen_px
            wide = self.width_px.value() or round(2 * width)
            return tr(
                "{wide:,} × {round:,} pixels and the legend.",
                wide=wide,
                round=round(height * wide / max(width, 1.0)),
            )
        if extent is ExportExtent.SEEN and ending in _PICTURES and self._seen_px is not None:
            return tr("With open groups, colours and marks as they are.")
        if ending == "html" and extent is ExportExtent.ALL:
            return tr("All stages.")
        return tr(_EXPLAINED.get(ending, ""))
