"""All that is known about the fusions of one capture, as data."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence

from jaxscope.model import Stage, is_available
from jaxscope.model.stages import find_lowered_jaxpr
from jaxscope.program.cost.trip_counts import RUNS_INSIDE, trip_counts_of_stages
from jaxscope.program.fusion.decisions import FusionLog
from jaxscope.program.fusion.duplicates import Duplicate, find_duplicates
from jaxscope.program.fusion.fusions import Fusion, Module, find_fusions
from jaxscope.program.fusion.launches import Launches, count_fused, count_one_by_one
from jaxscope.program.fusion.separation import Certainty, Separation, explain_separation, find_users


@dataclasses.dataclass(frozen=True, eq=False)
class FusionReport:
    """What fusing brought to one program.

    Attributes:
        module: The optimized module, for questions about pairs.
        fusions: In program order.
        duplicates: Values that several kernels compute.
        one_by_one: The program equation by equation; None without a graph of it.
        fused: The optimized program.
        log: What XLA itself wrote of its decisions; None where it wrote nothing.
    """

    module: Module
    fusions: tuple[Fusion, ...]
    duplicates: tuple[Duplicate, ...]
    one_by_one: Launches | None
    fused: Launches
    log: FusionLog | None = None

    def why_apart(self, first: int, second: int) -> Separation:
        """Why two instructions are not one kernel: by XLA's own log where it says, else inferred.

        Args:
            first: A node of the optimized module.
            second: Another.
        """
        inferred = explain_separation(self.module, first, second)
        if self.log is None or inferred.certainty is Certainty.FACT:
            return inferred
        first, second = self.module.kernel(first), self.module.kernel(second)
        if first in find_users(self.module, second):
            first, second = second, first
        elif second not in find_users(self.module, first):
            return inferred  # the log is about those that make a value and those that read it
        if self.module.operations[first] in RUNS_INSIDE:
            return inferred  # no candidate: the log has at most what went into it
        decision = self.log.between(self._results_of(first), self._results_of(second))
        if decision is None:
            return inferred
        names = self.module.id(first), self.module.id(second)
        return Separation(*names, Certainty.LOGGED, (("log", decision.text),))

    def readers(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Every kernel with those that read what it makes, where there are any."""
        module = self.module
        for node in range(len(module.operations)):
            if module.is_free(node) or module.kernel(node) != node:
                continue
            users = tuple(user for user in find_users(module, node) if module.kernel(user) == user)
            if users:
                yield node, users

    def _results_of(self, kernel: int) -> tuple[str, ...]:
        """Equations of the last jaxpr-level stage whose results a kernel makes."""
        graph, last = self.module.graph, self.module.last_operation(kernel)
        return graph.derived(kernel) or graph.derived(last)

    def fusion_of(self, node: int) -> Fusion | None:
        """The fusion of an instruction, if it is one."""
        return self._fusion_of_node.get(node)

    def duplicates_in(self, kernel: int) -> tuple[Duplicate, ...]:
        """What a kernel computes that another computes too."""
        return tuple(self._duplicates_of_kernel.get(kernel, ()))

    @functools.cached_property
    def _fusion_of_node(self) -> Mapping[int, Fusion]:
        return {fusion.node: fusion for fusion in self.fusions}

    @functools.cached_property
    def _duplicates_of_kernel(self) -> Mapping[int, Sequence[Duplicate]]:
        found: dict[int, list[Duplicate]] = {}
        for duplicate in self.duplicates:
            for copy in duplicate.copies:
                found.setdefault(copy.kernel, []).append(duplicate)
        return found


def report_fusions(stages: Sequence[Stage], log: FusionLog | None = None) -> FusionReport | None:
    """Look into the fusions of a capture; None if its stage `optimized` has no graph.

    Args:
        stages: Of the capture.
        log: See `read_fusion_log`.
    """
    graphs = {stage.name: stage.graph for stage in stages if is_available(stage.graph)}
    optimized = graphs.get("optimized")
    if optimized is None:
        return None
    module = Module(optimized)
    lowered = find_lowered_jaxpr(stages)
    return FusionReport(
        module,
        find_fusions(module),
        find_duplicates(module),
        None
        if lowered is None
        else count_one_by_one(Module(lowered), trip_counts_of_stages(stages)),
        count_fused(module),
        log,
    )
