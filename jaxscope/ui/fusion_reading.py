"""What the inspector tells about fusions; found on a thread of its own, like fates."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from jaxscope.analysis.links import NodeSelection, Selection
from jaxscope.model import Capture

if TYPE_CHECKING:
    from jaxscope.analysis.fusion.report import FusionReport

OPTIMIZED = "optimized"


class FusionReader(QObject):
    """Holds the report of the capture that is shown; `changed` fires when it is known."""

    changed = Signal()
    _found = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._capture: Capture | None = None
        self.report: FusionReport | None = None
        self._found.connect(self._on_found)

    def read(self, capture: Capture | None) -> None:
        """Look into the fusions of a capture, unless that is done or being done."""
        if capture is self._capture:
            return
        self._capture, self.report = capture, None
        if capture is None:
            self.changed.emit()
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

        found = report_fusions(capture.stages, read_fusion_log(capture))
        try:
            self._found.emit(capture, found)
        except RuntimeError:
            return  # the window is gone

    def _on_found(self, capture: Capture, report: FusionReport | None) -> None:
        if capture is self._capture:
            self.report = report
            self.changed.emit()
