"""Rigorous measurements: the same one in several fresh processes, each of which is one value."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from jaxscope.client.composite_run import CompositeRun, OnEvent, StartWorker
from jaxscope.client.events import Event, MeasurementArrived, Progress, ResultGrew
from jaxscope.client.requests import ComparisonRequest, Request, TimeRequest
from jaxscope.client.results import Result
from jaxscope.client.timing_assemble import combine_processes
from jaxscope.errors import InternalError
from jaxscope.model.agreement import Comparison
from jaxscope.model.timing import Timing

RIGOROUS_PROCESSES = 6
"""Six processes cover the median with 96.9 %; see `combine_processes`."""


class RigorousRun(CompositeRun):
    """A timing or a comparison, one process after another."""

    def __init__(
        self, request: Request, start_worker: StartWorker, on_event: OnEvent | None
    ) -> None:
        super().__init__(request, start_worker, on_event)
        self._found: list[Timing | Comparison] = []

    def conduct(self) -> Result:
        request = self.request
        if not isinstance(request, TimeRequest | ComparisonRequest):
            raise InternalError(f"A {request.type} request is not repeated.")
        for number in range(1, RIGOROUS_PROCESSES + 1):
            prefix = f"Process {number} of {RIGOROUS_PROCESSES}: "

            def pass_on(event: Event, prefix: str = prefix) -> None:
                if isinstance(event, Progress):
                    self.tell(dataclasses.replace(event, text=prefix + event.text))
                elif not isinstance(event, MeasurementArrived | ResultGrew):  # of one process only
                    self.tell(event)

            found = self.start_part(dataclasses.replace(request, rigorous=False), pass_on).wait()
            if not isinstance(found, Timing | Comparison):
                raise InternalError(f"A {request.type} run returned {type(found).__name__}.")
            self._found.append(found)
            whole = self._combine()
            timing = whole.timing if isinstance(whole, Comparison) else whole
            for measurement in timing.measurements:
                self.tell(MeasurementArrived(measurement))
            self.tell(ResultGrew(whole))
        return self._combine()

    def partial(self) -> Result | None:
        if not self._found:
            return None
        note = (
            f"The run ended early: these results are partial, of {len(self._found)} of "
            f"{RIGOROUS_PROCESSES} processes."
        )
        return with_warning(self._combine(), note)

    def _combine(self) -> Timing | Comparison:
        comparisons = [found for found in self._found if isinstance(found, Comparison)]
        if comparisons:
            return combine_comparisons(comparisons)
        return combine_processes([found for found in self._found if isinstance(found, Timing)])


def combine_comparisons(found: Sequence[Comparison]) -> Comparison:
    """The comparisons of one pair of programs in several processes, or pairs of them.

    What does not change from process to process is taken from the first.
    """
    return dataclasses.replace(
        found[0],
        timing=combine_processes([comparison.timing for comparison in found]),
        num_processes=len(found),
    )


def with_warning(found: Timing | Comparison, text: str) -> Timing | Comparison:
    """The same result with one more warning."""
    if isinstance(found, Comparison):
        timing = dataclasses.replace(found.timing, warnings=(*found.timing.warnings, text))
        return dataclasses.replace(found, timing=timing)
    return dataclasses.replace(found, warnings=(*found.warnings, text))
