"""Which requests take several workers; what conducts them is loaded when it is needed."""

from __future__ import annotations

from jaxscope.client.composite_run import CompositeRun
from jaxscope.client.requests import ComparisonRequest, Request, TimeRequest


def composite_for(request: Request) -> type[CompositeRun] | None:
    """What conducts the request; None where one worker answers it."""
    if isinstance(request, ComparisonRequest) and request.needs_processes:
        from jaxscope.client.paired_run import PairedRun

        return PairedRun
    if isinstance(request, TimeRequest | ComparisonRequest) and request.rigorous:
        from jaxscope.client.rigorous_run import RigorousRun

        return RigorousRun
    return None
