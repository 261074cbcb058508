"""What was measured, in a `.jaxscope` file: an entry of its own, left out where there is nothing.

Every result carries where and when it was measured, which need not be where and when the capture
was made.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from jaxscope.analysis.plain_data import from_plain, to_plain
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
            by_name[str(name)] = from_plain(_TYPES[name], result)
    return tuple(by_name.values())


def split_timing(
    results: Sequence[LabResult | Timing],
) -> tuple[Timing | None, tuple[LabResult, ...]]:
    """The timing of the call, and the experiments."""
    timing = next((result for result in results if isinstance(result, Timing)), None)
    return timing, tuple(result for result in results if not isinstance(result, Timing))
