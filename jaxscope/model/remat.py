"""What each policy of `jax.checkpoint` would do to a gradient: bytes kept, work, memory."""

from __future__ import annotations

import dataclasses
import math

from jaxscope.model.capture import Environment
from jaxscope.model.graph import Cost
from jaxscope.model.unavailable import Unavailable

AS_WRITTEN = "as written"
_UNKNOWN = Cost()


@dataclasses.dataclass(frozen=True, slots=True)
class RematOutcome:
    """The gradient compiled with one policy on the base function.

    Attributes:
        policy: Its name in `jax.checkpoint_policies`, or `AS_WRITTEN`.
        kept_bytes: What the forward part keeps for the backward part; arguments, which are there
            anyway, left out.
        num_kept: Of how many values.
        traced_flops: Of the gradient's jaxpr: with what is computed again, whether or not XLA
            merges it with the first time.
        cost: Of the compiled gradient in one run, loops by their rounds where these are known.
        temporary_bytes: What XLA allocates for each run besides arguments and results.
        peak_bytes: The most that is alive at once, arguments and results included, as computed
            from the schedule.
        seconds: Wall seconds that tracing, lowering and compiling took.
        missing: Why nothing is known of this policy, or None.
    """

    policy: str
    kept_bytes: float = math.nan
    num_kept: int = 0
    traced_flops: float = math.nan
    cost: Cost = _UNKNOWN
    temporary_bytes: float = math.nan
    peak_bytes: float = math.nan
    seconds: float = math.nan
    missing: Unavailable | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class RematPolicies:
    """All policies, compiled one after another.

    Attributes:
        call: What was differentiated.
        environment: Where.
        subject: In a few words: which gradient.
        outcomes: `AS_WRITTEN` first.
        warnings: What to mind.
    """

    call: str
    environment: Environment
    subject: str
    outcomes: tuple[RematOutcome, ...]
    warnings: tuple[str, ...] = ()

    @property
    def as_written(self) -> RematOutcome | None:
        """The gradient without any policy of ours."""
        return next((o for o in self.outcomes if o.policy == AS_WRITTEN), None)
