"""What the timing lab has found for the window, as one frozen value; no Qt."""

from __future__ import annotations

import dataclasses
from typing import Any

from jaxscope.model.agreement import Agreement, Comparison
from jaxscope.model.lab import Profile, Scaling
from jaxscope.model.recompilation import Recompilation
from jaxscope.model.remat import RematPolicies
from jaxscope.model.roofline import Ceilings

LabResult = Profile | Scaling | Recompilation | Comparison | Agreement | Ceilings | RematPolicies
LAB_RESULTS = (
    *(Profile, Scaling, Recompilation, Comparison, Agreement, Ceilings),
    RematPolicies,
)


@dataclasses.dataclass(frozen=True, eq=False)
class LabState:
    """The latest result of each experiment, or None."""

    profile: Profile | None = None
    scaling: Scaling | None = None
    recompilation: Recompilation | None = None
    comparison: Comparison | None = None
    agreement: Agreement | None = None
    ceilings: Ceilings | None = None
    rematpolicies: RematPolicies | None = None

    def results(self) -> tuple[LabResult, ...]:
        """All that was found, to be saved."""
        found = (getattr(self, field.name) for field in dataclasses.fields(self))
        return tuple(result for result in found if result is not None)

    def with_result(self, result: LabResult) -> LabState:
        """The same with a newer result in place of the old one."""
        changes: dict[str, Any] = {type(result).__name__.lower(): result}
        return dataclasses.replace(self, **changes)
