"""Fates and fusions of the capture that is shown, each computed on a thread; `changed` is emitted
when they are known.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from jaxscope.model import Capture, Fate, Node, NodeKind, Unavailable
from jaxscope.model.stages import lowered_name
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.threads import LatestJob

if TYPE_CHECKING:
    from jaxscope.program.fusion.summary import FusionReport


# Finds the fates of what is shown, on a thread of its own: large programs take seconds.


Tables = Mapping[str, Mapping[str, Fate]]
"""Fates by the name of the stage and the id of the equation."""


_NOT_FOUND = "jaxscope could not find the fates, which is a bug in jaxscope"


class FateReader(QObject):
    """Holds the fates of the capture that is shown; `changed` fires when they are known.

    Attributes:
        problem: Why the fates of this capture cannot be known; empty as long as they can.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._capture: Capture | None = None
        self._tables: Tables = {}
        self._names: dict[str, Mapping[str, str]] = {}
        self.problem = ""
        self._job = LatestJob(self, "jaxscope fates", in_turn=True)
        self._job.finished.connect(self._on_job_finished)
        self._job.failed.connect(self._on_job_failed)

    def read(self, capture: Capture | None) -> None:
        """Find the fates of a capture, unless they are known or being found."""
        if capture is self._capture:
            return
        self._capture, self._tables, self._names, self.problem = capture, {}, {}, ""
        self._job.stop()
        if capture is not None:
            self._job.start(lambda _should_stop: find_tables(capture))

    def fate_of(self, stage: str, node: Node) -> Fate | None:
        """The fate of an equation of a stage; None if it is none, or not known yet."""
        if node.kind is not NodeKind.EQUATION:
            return None
        return self._tables.get(stage, {}).get(node.id)

    @property
    def unplaced(self) -> str:
        """Where equations without a line come from, if the base function has none either."""
        source = self._capture.source if self._capture is not None else None
        return source.place if source is not None and not source.line else ""

    def names_of(self, stage: str) -> Mapping[str, str]:
        """The names of the fates of all equations of a stage, as far as known."""
        table = self._tables.get(stage, {})
        if stage not in self._names:  # asked for at each change of the window
            self._names[stage] = {id: fate.fate for id, fate in table.items()}
        return self._names[stage]

    def _on_job_finished(self, tables: Tables) -> None:
        self._tables, self._names = tables, {}
        self.changed.emit()

    def _on_job_failed(self, error: Exception) -> None:
        self.problem = f"{tr(_NOT_FOUND)}: {type(error).__name__}: {error}"
        self.changed.emit()


def find_tables(capture: Capture) -> Tables:
    """The fates of a capture, by stage."""
    from jaxscope.program.fates.table import (
        find_fate_table,  # twenty modules, of no use before a capture
    )

    tables: dict[str, Mapping[str, Fate]] = {"jaxpr": dict(capture.fates)}
    lowered = lowered_name(stage.name for stage in capture.stages)
    if lowered not in ("", "jaxpr"):
        table = find_fate_table(capture)  # a file keeps those of the base function alone
        tables[lowered] = dict(table.derived)
    return tables


OPTIMIZED = "optimized"
_NOT_READ = "jaxscope could not look into the fusions, which is a bug in jaxscope"


class FusionReader(QObject):
    """Holds the report of the capture that is shown; `changed` fires when it is known.

    Attributes:
        report: None while there is none.
        problem: Why a capture has none; empty as long as that is not known.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._capture: Capture | None = None
        self.report: FusionReport | None = None
        self.problem = ""
        self._job = LatestJob(self, "jaxscope fusions", in_turn=True)
        self._job.finished.connect(self._on_job_finished)
        self._job.failed.connect(self._on_job_failed)

    def read(self, capture: Capture | None) -> None:
        """Look into the fusions of a capture, unless that is done or being done."""
        if capture is self._capture:
            return
        self._capture, self.report, self.problem = capture, None, ""
        self._job.stop()
        self.changed.emit()
        if capture is not None:
            self._job.start(functools.partial(_find_fusions, capture))

    def _on_job_finished(self, report: FusionReport | None) -> None:
        assert self._capture is not None  # else the job was stopped
        self.report = report
        self.problem = "" if report is not None else _why_none(self._capture)
        self.changed.emit()

    def _on_job_failed(self, error: Exception) -> None:
        self.problem = f"{tr(_NOT_READ)}: {type(error).__name__}: {error}"
        self.changed.emit()


def _find_fusions(capture: Capture, _should_stop: Callable[[], bool]) -> FusionReport | None:
    from jaxscope.program.fusion.decisions import read_fusion_log
    from jaxscope.program.fusion.summary import report_fusions  # with the first capture

    return report_fusions(capture.stages, read_fusion_log(capture), capture.num_devices)


def _why_none(capture: Capture) -> str:
    """Why a capture has no fusions to look into."""
    stage = capture.stage(OPTIMIZED)
    if stage is None:
        return tr("This capture has no optimized program.")
    missing = stage.unavailable or stage.graph
    return tr_said(missing.reason) if isinstance(missing, Unavailable) else tr(_NOT_READ)
