"""What the inspector tells about fusions; found on a thread of its own, like fates."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from jaxscope.analysis.links import NodeSelection, Selection
from jaxscope.model import Capture, Unavailable

if TYPE_CHECKING:
    from jaxscope.analysis.fusion.report import FusionReport

OPTIMIZED = "optimized"
_NOT_READ = "jaxscope could not look into the fusions, which is a bug in jaxscope"


class FusionReader(QObject):
    """Holds the report of the capture that is shown; `changed` fires when it is known.

    Attributes:
        report: None while there is none.
        problem: Why a capture has none; empty as long as that is not known.
    """

    changed = Signal()
    _found = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._capture: Capture | None = None
        self.report: FusionReport | None = None
        self.problem = ""
        self._found.connect(self._on_found)

    def read(self, capture: Capture | None) -> None:
        """Look into the fusions of a capture, unless that is done or being done."""
        if capture is self._capture:
            return
        self._capture, self.report, self.problem = capture, None, ""
        self.changed.emit()
        if capture is None:
            return
        threading.Thread(
            target=self._find, args=(capture,), name="jaxscope fusions", daemon=True
        ).start()

    def describe(self, selection: Selection | None, muted: str) -> str:
        """What there is to say of a selection, as HTML; empty where that is nothing."""
        if self.report is None or not isinstance(selection, NodeSelection):
            return ""
        if selection.stage != OPTIMIZED:
            return ""
        nodes = selection.nodes
        from jaxscope.ui.fusion_describing import describe_kernel, describe_pair

        if len(nodes) == 2:
            return describe_pair(self.report, nodes[0], nodes[1])
        return describe_kernel(self.report, nodes[0], muted) if len(nodes) == 1 else ""

    def _find(self, capture: Capture) -> None:
        from jaxscope.analysis.fusion.decisions import read_fusion_log
        from jaxscope.analysis.fusion.report import report_fusions  # with the first capture

        found, problem = None, ""
        try:
            found = report_fusions(capture.stages, read_fusion_log(capture))
        except Exception as error:  # or the page would wait for ever
            problem = f"{_NOT_READ}: {type(error).__name__}: {error}"
        else:
            problem = "" if found is not None else _why_none(capture)
        with contextlib.suppress(RuntimeError):  # the window is gone
            self._found.emit(capture, (found, problem))

    def _on_found(self, capture: Capture, found: tuple[FusionReport | None, str]) -> None:
        if capture is self._capture:
            self.report, self.problem = found
            self.changed.emit()


def _why_none(capture: Capture) -> str:
    """Why a capture has no fusions to look into."""
    stage = capture.stage(OPTIMIZED)
    if stage is None:
        return "This capture has no optimized program."
    missing = stage.unavailable or stage.graph
    return missing.reason if isinstance(missing, Unavailable) else _NOT_READ
