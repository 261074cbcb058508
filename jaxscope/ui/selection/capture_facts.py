"""Fates and fusions of the capture that is shown, and why arguments are copied, each found on a
thread; `changed` is emitted when they are known.

Those of a small program are found as soon as its graphs are drawn. Those of a larger one are found
when somebody looks at the first of them: that takes seconds of a processor, in which the window
waits for the interpreter at each step, and most people look at neither.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from jaxscope.model import Capture, Fate, Node, NodeKind, Unavailable, is_available
from jaxscope.model.capture import graph_named
from jaxscope.model.stages import lowered_name
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.threads import LatestJob

if TYPE_CHECKING:
    from jaxscope.program.fusion.summary import FusionReport

OPTIMIZED = "optimized"
_SMALL_NODES = 500
"""Of all stages together. Fates and fusions took 11 to 27 ms of a processor for programs of 464 to
492 nodes (jits in a row, a scan, the gradient of convolutions, a step of Adam, elementwise
operations; medians of five on a busy machine), which is 23 to 58 µs for each node. Those of
three stages of 44,057 nodes, 132,171 together, take 6 to 8 s."""


def _is_small(capture: Capture) -> bool:
    graphs = (stage.graph for stage in capture.stages if is_available(stage.graph))
    return sum(len(graph.nodes) for graph in graphs) <= _SMALL_NODES


Tables = Mapping[str, Mapping[str, Fate]]
"""Fates by the name of the stage and the id of the equation."""


_NOT_FOUND = "jaxscope could not find the fates, which is a bug in jaxscope"


class FateReader(QObject):
    """Holds the fates of the capture that is shown, and finds them when one is asked for.

    Attributes:
        problem: Why the fates of this capture cannot be known; empty as long as they can.

    Signals:
        changed: The capture is another, or its fates are known.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._capture: Capture | None = None
        self._tables: Tables | None = None
        self._names: dict[str, Mapping[str, str]] = {}
        self._reasons: Mapping[int, str] = {}
        self.problem = ""
        self._job = LatestJob(self, "jaxscope fates", in_turn=True)
        self._job.finished.connect(self._on_job_finished)
        self._job.failed.connect(self._on_job_failed)

    def read(self, capture: Capture | None) -> None:
        """Be for a capture: find the fates of a small one now, of a large one when asked for."""
        if capture is self._capture:
            return
        self._capture, self._tables, self._names, self.problem = capture, None, {}, ""
        self._reasons = {}
        self._job.stop()
        if capture is not None and _is_small(capture):
            self._find(capture)
        self.changed.emit()

    def _find(self, capture: Capture) -> None:
        self._job.start(lambda _should_stop: (find_tables(capture), find_reasons(capture)))

    def _ask(self, stage: str) -> None:
        if self.is_coming(stage) and not self._job.is_running and self._capture is not None:
            self._find(self._capture)

    def is_coming(self, stage: str) -> bool:
        """Whether the equations of a stage have fates, which are not known yet."""
        if self._capture is None or self._tables is not None or self.problem:
            return False
        return stage in ("jaxpr", lowered_name(each.name for each in self._capture.stages))

    def fate_of(self, stage: str, node: Node, *, asks: bool = True) -> Fate | None:
        """The fate of an equation of a stage; None if it is none, or not known yet.

        Args:
            asks: Whether somebody looks at it: then it is found.
        """
        if node.kind is not NodeKind.EQUATION:
            return None
        if asks:
            self._ask(stage)
        return (self._tables or {}).get(stage, {}).get(node.id)

    def reason_of_copy(self, stage: str, index: int) -> str:
        """Why XLA copies an argument as it is; empty of other nodes, and where it is not known."""
        if stage != OPTIMIZED:
            return ""
        self._ask("jaxpr")
        return self._reasons.get(index, "")

    @property
    def unplaced(self) -> str:
        """Where equations without a line come from, if the base function has none either."""
        source = self._capture.source if self._capture is not None else None
        return source.place if source is not None and not source.line else ""

    def names_of(self, stage: str) -> Mapping[str, str] | None:
        """The names of the fates of all equations of a stage; None while they are being found."""
        self._ask(stage)
        if self.is_coming(stage):
            return None
        table = (self._tables or {}).get(stage, {})
        if stage not in self._names:  # asked for at each change of the window
            self._names[stage] = {id: fate.fate for id, fate in table.items()}
        return self._names[stage]

    def _on_job_finished(self, found: tuple[Tables, Mapping[int, str]]) -> None:
        self._tables, self._reasons = found
        self._names = {}
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


def find_reasons(capture: Capture) -> Mapping[int, str]:
    """Why XLA copies arguments as they are, by the node of the optimized program."""
    graph = graph_named(capture.stages, OPTIMIZED)
    if graph is None or not graph.nodes_of(["copy", "copy-start"]):
        return {}
    from jaxscope.report.moves import find_copy_reasons  # few programs have copies

    return find_copy_reasons(capture)


_NOT_READ = "jaxscope could not look into the fusions, which is a bug in jaxscope"


class FusionReader(QObject):
    """Holds the report of the capture that is shown, and makes it when it is asked for.

    Attributes:
        report: None while there is none.
        problem: Why a capture has none; empty as long as that is not known.

    Signals:
        changed: The capture is another, or its report is there.
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
        """Be for a capture: look into the fusions of a small one now, of a large one if asked."""
        if capture is self._capture:
            return
        self._capture, self.report, self.problem = capture, None, ""
        self._job.stop()
        if capture is not None and _is_small(capture):
            self.ask()
        self.changed.emit()

    @property
    def is_coming(self) -> bool:
        """Whether the capture has neither a report yet nor a reason why not."""
        return self._capture is not None and self.report is None and not self.problem

    def ask(self) -> None:
        """Somebody looks at them: look into the fusions, unless that is done or being done."""
        capture = self._capture
        if capture is not None and self.is_coming and not self._job.is_running:
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
