"""Machine code has no graph of its own: its lines stand for instructions of another stage."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from jaxscope.model import Stage, StageText, is_available

LINKED_BY = {"machine": "optimized"}
"""Stage whose text shows nodes of another stage → that stage."""


class KernelLinks:
    """Links the stage `machine` to the stage `optimized`, once per pair of the two."""

    def __init__(self) -> None:
        self._from: tuple[Stage | None, Stage | None] = (None, None)
        self._linked: Stage | None = None

    def link(self, stages: Mapping[str, Stage]) -> dict[str, Stage]:
        """The same stages; the lines of the machine code lead to instructions."""
        machine, optimized = stages.get("machine"), stages.get("optimized")
        if machine is None or optimized is None:
            return dict(stages)
        if self._from != (machine, optimized):
            self._from = (machine, optimized)
            self._linked = machine
            if is_available(machine.text) and is_available(optimized.graph):
                from jaxscope.analysis.machine import link_kernel_lines  # with machine code

                text = machine.text.text
                nodes = link_kernel_lines(text, optimized.graph)
                self._linked = dataclasses.replace(machine, text=StageText(text, nodes))
        return {**stages, "machine": self._linked or machine}
