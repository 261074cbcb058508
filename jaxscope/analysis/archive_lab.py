"""What was measured, in a `.jaxscope` file: an entry of its own, left out where there is nothing.

Every result carries where and when it was measured, which need not be where and when the capture
was made.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import msgspec

from jaxscope.analysis.plain_data import from_plain, to_plain
from jaxscope.analysis.statistics import as_observed, forget_unearned
from jaxscope.model.agreement import Agreement, Comparison
from jaxscope.model.lab import Profile, Scaling
from jaxscope.model.recompilation import Recompilation
from jaxscope.model.remat import RematPolicies
from jaxscope.model.roofline import Ceilings
from jaxscope.model.timing import Timing

LabResult = Profile | Scaling | Recompilation | Comparison | Agreement | Ceilings | RematPolicies
SAVED_TYPES: tuple[type[LabResult | Timing], ...] = (
    *(Timing, Profile, Scaling, Recompilation, Comparison, Agreement, Ceilings),
    RematPolicies,
)
"""What an entry can hold, each at most once."""
_TYPES = {kind.__name__: kind for kind in SAVED_TYPES}


def encode_lab(results: Sequence[object]) -> bytes:
    """The entry; results of types that are never saved are left out."""
    kept = [result for result in results if isinstance(result, SAVED_TYPES)]
    return msgspec.json.encode({"results": [to_plain(result) for result in kept]})


def decode_lab(data: bytes) -> tuple[LabResult | Timing, ...]:
    """The results.

    Raises:
        ValueError: They are none.
    """
    found = msgspec.json.decode(data)
    results = found.get("results") if isinstance(found, dict) else None
    if not isinstance(results, list) or len(results) > 100:
        raise ValueError("the entry of measurements is none")
    by_name: dict[str, LabResult | Timing] = {}
    for result in results:
        name = result.get("is") if isinstance(result, dict) else None
        if name in _TYPES:
            by_name[str(name)] = _without_claims(from_plain(_TYPES[name], result))
    return tuple(by_name.values())


def _without_claims(result: LabResult | Timing) -> LabResult | Timing:
    """What an earlier release measured claims no interval that one process does not earn."""
    if isinstance(result, Timing):
        return forget_unearned(result)
    if isinstance(result, Comparison):
        return dataclasses.replace(result, timing=forget_unearned(result.timing))
    if isinstance(result, Scaling) and result.environment.processors is None:
        points = (
            dataclasses.replace(
                point,
                eager=None if point.eager is None else as_observed(point.eager),
                jit=None if point.jit is None else as_observed(point.jit),
            )
            for point in result.points
        )
        return dataclasses.replace(result, points=tuple(points))
    return result


def split_timing(
    results: Sequence[LabResult | Timing],
) -> tuple[Timing | None, tuple[LabResult, ...]]:
    """The timing of the call, and the experiments."""
    timing = next((result for result in results if isinstance(result, Timing)), None)
    return timing, tuple(result for result in results if not isinstance(result, Timing))
