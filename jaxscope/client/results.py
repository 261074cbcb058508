"""What runs return besides captures and timings."""

from __future__ import annotations

import dataclasses

from jaxscope.model import Capture, Timing
from jaxscope.model.experiments import Agreement, ProgramComparison, Recompilation, RematPolicies
from jaxscope.model.hardware import Ceilings
from jaxscope.model.outline import Outline
from jaxscope.model.stepping import Stepping
from jaxscope.model.timing import Profile, Scaling
from jaxscope.model.values import Values


@dataclasses.dataclass(frozen=True, slots=True)
class Proposal:
    """A call of a function that traces."""

    call: str


@dataclasses.dataclass(frozen=True, slots=True)
class Device:
    """A device that JAX sees; `memory_bytes` is None where the backend does not say."""

    id: int
    platform: str
    kind: str
    memory_bytes: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class TargetReport:
    """Whether a target works here, and if not, why."""

    target: str
    is_available: bool
    reason: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class EnvironmentReport:
    """What an interpreter and its machine can do."""

    jax: str
    jaxlib: str
    python: str
    platform: str
    device: str = ""
    numpy: str = ""
    executable: str = ""
    host: str = ""
    system: str = ""
    devices: tuple[Device, ...] = ()
    targets: tuple[TargetReport, ...] = ()


Result = (
    Capture
    | Timing
    | Profile
    | Scaling
    | Recompilation
    | ProgramComparison
    | Agreement
    | Ceilings
    | RematPolicies
    | Outline
    | Proposal
    | Values
    | Stepping
    | EnvironmentReport
)
