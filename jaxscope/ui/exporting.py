"""Writes what a window shows, or all there is, on a thread: large pictures take seconds."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal, SignalInstance

from jaxscope.analysis.export.choices import ALL_STAGES, DEFAULT_SCALE, EVERYTHING, FIRST
from jaxscope.errors import Explanation, InternalError, JaxscopeError, UsageError
from jaxscope.model import NONE, Capture
from jaxscope.ui.whole_file import write_whole

if TYPE_CHECKING:  # exports and the graph view are loaded when they are first needed
    from jaxscope.analysis.export.order import ExportOrder, Seen
    from jaxscope.analysis.export.steps import OnStep
    from jaxscope.ui.graph.canvas import GraphCanvas
    from jaxscope.ui.panes.stage_pane import StagePane

FORMATS: Mapping[str, str] = {
    "svg": "Picture of the graph, scalable",
    "png": "Picture of the graph",
    "pdf": "Document with the graph",
    "dot": "Graphviz",
    "html": "Page with linked stages",
    "md": "Report",
    "txt": "Text of the stage",
    "json": "Everything, as data",
}


_TELL_S = 0.05
"""So often progress is told: as smooth as an eye asks for."""


class Extent(enum.Enum):
    """How much to export; the value is fit to show."""

    SEEN = "What is seen: open groups, colours, marks, direction"
    OPENED = "This stage with every group opened"
    ALL = "Everything: all stages"


@dataclasses.dataclass(frozen=True, slots=True)
class ExportChoice:
    """What a person chose; see `ExportOrder` for theme and size."""

    extent: Extent = Extent.SEEN
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
    from jaxscope.analysis.export.order import ExportOrder

    is_seen = choice.extent is Extent.SEEN
    stage = active[0]
    if capture.stage(stage) is None:
        stage = capture.stages[-1].name
    ending = Path(path).suffix.lower().removeprefix(".")
    seen: dict[str, Seen] = {}
    if choice.extent is not Extent.OPENED:
        # The active pane comes last: where two panes show a stage it is the one that is meant.
        for name, pane in (*panes, active):
            canvas = pane.canvas
            if canvas is not None and pane.is_graph_shown and canvas.scene is not None:
                seen[name] = see(canvas)
    if is_seen and ending == "html":
        shown = {name for name, _ in panes} | {stage}
        stages = tuple(each for each in capture.stages if each.name in shown)
        capture = dataclasses.replace(capture, stages=stages)
    return ExportOrder(
        capture,
        ALL_STAGES if choice.extent is Extent.ALL else stage,
        ending,
        choice.theme,
        choice.scale,
        choice.width_px,
        EVERYTHING if choice.extent is Extent.OPENED else FIRST,
        active[1].canvas.direction if active[1].canvas is not None else "down",
        seen,
    )


def see(canvas: GraphCanvas) -> Seen:
    """The graph as it is on the screen, with a legend."""
    from jaxscope.analysis.export.look import Look
    from jaxscope.analysis.export.order import Seen

    scene, highlight = canvas.scene, canvas.highlight
    assert scene is not None  # asked by the caller
    selected = highlight.selected
    if highlight.current != NONE:
        selected = np.union1d(selected, [highlight.current])
    return Seen(
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


class Exporter(QObject):
    """Writes one export at a time on a thread, and can be stopped.

    Signals:
        progressed: What is being done, and how much of it is done, from 0 to 1.
        finished: What to say of it.
        failed: The error.
        stopped: It was stopped, and left nothing behind.
    """

    progressed = Signal(str, float)
    finished = Signal(str)
    failed = Signal(object)
    stopped = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self._is_writing = False
        self._is_stopped = threading.Event()
        self._told = 0.0

    @property
    def is_running(self) -> bool:
        """Whether something is being written."""
        return self._is_writing

    def start(self, order: ExportOrder, path: str) -> None:
        """Write in the background."""
        if self.is_running:
            remedy = "Wait for it, or stop it at the bottom of the window."
            what = "Another export is being written."
            self.failed.emit(UsageError(Explanation(what, remedy=remedy)))
            return
        self._is_stopped.clear()
        self._is_writing = True
        self._thread = threading.Thread(
            target=self._work, args=(order, path), name="jaxscope-export", daemon=True
        )
        self._thread.start()

    def stop(self, wait_s: float = 0.0) -> None:
        """Stop it, and give it time to clean up."""
        self._is_stopped.set()
        if self._thread is not None and wait_s:
            self._thread.join(wait_s)

    def _work(self, order: ExportOrder, path: str) -> None:
        # Whoever hears of the end may start the next one, before this thread is gone.
        told = self._write(order, path)
        self._is_writing = False
        self._tell(*told)

    def _write(self, order: ExportOrder, path: str) -> tuple[SignalInstance, *tuple[object, ...]]:
        """Write, and return the signal to emit with what it carries."""
        try:
            paths, notes = write_export(order, path, self._on_step)
        except ExportStopped:
            return (self.stopped,)
        except JaxscopeError as error:
            return self.failed, error
        except OSError as error:
            reason = error.strerror or str(error)
            explained = Explanation(f"{path} was not written.", why=reason)
            return self.failed, UsageError(explained)
        except Exception as error:
            what = "The export failed inside jaxscope."
            return self.failed, InternalError(Explanation(what, why=repr(error)[:500]))
        return self.finished, " ".join([f"Exported to {', '.join(paths)}.", *notes])

    def _on_step(self, doing: str, share: float) -> None:
        if self._is_stopped.is_set():
            raise ExportStopped
        now = time.monotonic()
        if now - self._told > _TELL_S:
            self._told = now
            self._tell(self.progressed, doing, share)
            time.sleep(0)  # the window may take Python's lock before its turn

    def _tell(self, signal: SignalInstance, *about: object) -> None:
        """Emit, unless the window is gone meanwhile."""
        with contextlib.suppress(RuntimeError):
            signal.emit(*about)


def write_export(order: ExportOrder, path: str, on_step: OnStep) -> tuple[list[str], list[str]]:
    """Write one file, or one for each stage; returns the paths, and what is not as asked for.

    Args:
        order: What to write.
        path: Where to.
        on_step: Told how far it is; what it raises ends the export, and no file is half written.

    Raises:
        JaxscopeError: The format is unknown, or the stage has nothing of that kind.
        OSError: A file cannot be written.
    """
    from jaxscope.analysis.export.order import split_order
    from jaxscope.analysis.export.render import render_order
    from jaxscope.analysis.export.steps import part_of_steps

    place = Path(path)
    paths: list[str] = []
    notes: list[str] = []
    parts = split_order(order)
    for number, (suffix, part) in enumerate(parts):
        step = part_of_steps(on_step, number / len(parts), (number + 1) / len(parts))
        rendered = render_order(part, step)
        step("Writing", 1.0)
        target = place.with_name(f"{place.stem}{suffix}{place.suffix}")
        write_whole(target, rendered.data)
        paths.append(str(target))
        notes += rendered.notes
    return paths, notes
