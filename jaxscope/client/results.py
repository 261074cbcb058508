"""What runs return besides captures and timings."""

from __future__ import annotations

import dataclasses

from jaxscope.model import Capture, Timing
from jaxscope.model.experiments import Agreement, ProgramComparison, Recompilation, RematPolicies
from jaxscope.model.hardware import Ceilings
from jaxscope.model.timing import Profile, Scaling


@dataclasses.dataclass(frozen=True, slots=True)
class OutlinedFunction:
    """A function, method or class of a file.

    Attributes:
        name: With its class, such as `Model.loss`.
        kind: `function`, `method` or `class`.
        line: 1-based.
        end_line: Its last line.
        signature: Such as `loss(params, x) -> Array`.
        doc: Its docstring, or empty.
    """

    name: str
    kind: str
    line: int
    end_line: int
    signature: str
    doc: str


@dataclasses.dataclass(frozen=True, slots=True)
class OfferedCall:
    """A call that a comment of the file offers; `line` is 1-based."""

    call: str
    line: int


@dataclasses.dataclass(frozen=True, slots=True)
class Outline:
    """What a file contains, found without running it."""

    functions: tuple[OutlinedFunction, ...]
    calls: tuple[OfferedCall, ...]
    doc: str


@dataclasses.dataclass(frozen=True, slots=True)
class Proposal:
    """A call of a function that traces."""

    call: str


@dataclasses.dataclass(frozen=True, slots=True)
class Device:
    """A device that JAX sees; `memory_bytes` is None where the backend does not tell."""

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
    | EnvironmentReport
)
