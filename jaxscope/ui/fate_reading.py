"""Finds the fates of what is shown, on a thread of its own: large programs take seconds."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from jaxscope.model import Capture, Fate, Node, NodeKind
from jaxscope.ui.screen import LATE_NAMES

Tables = Mapping[str, Mapping[str, Fate]]
"""Fates by the name of the stage and the id of the equation."""


class FateReader(QObject):
    """Holds the fates of the capture that is shown; `changed` fires when they are known."""

    changed = Signal()
    _found = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._capture: Capture | None = None
        self._tables: Tables = {}
        self._found.connect(self._on_found)

    def read(self, capture: Capture | None) -> None:
        """Find the fates of a capture, unless they are known or being found."""
        if capture is self._capture:
            return
        self._capture, self._tables = capture, {}
        if capture is not None:
            threading.Thread(
                target=self._find, args=(capture,), name="jaxscope fates", daemon=True
            ).start()

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
        return {id: fate.fate for id, fate in self._tables.get(stage, {}).items()}

    def _find(self, capture: Capture) -> None:
        self._found.emit(capture, find_tables(capture))

    def _on_found(self, capture: Capture, tables: Tables) -> None:
        if capture is self._capture:
            self._tables = tables
            self.changed.emit()


def find_tables(capture: Capture) -> Tables:
    """The fates of a capture, by stage."""
    from jaxscope.analysis.fates import FateTable  # twenty modules, of no use before a capture

    tables: dict[str, Mapping[str, Fate]] = {"jaxpr": dict(capture.fates)}
    names = [stage.name for stage in capture.stages if stage.name not in LATE_NAMES]
    if names and names[-1] != "jaxpr":
        fates = capture.fates  # a file keeps those of the base function; others are found again
        table = fates if isinstance(fates, FateTable) else FateTable(capture.stages)
        tables[names[-1]] = dict(table.derived)
    return tables
