"""What a run reports while it goes on, and what it returns in the end.

Events arrive in order, on a thread of the run's own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from jaxscope.errors import JaxscopeError
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Measurement, Stage, StageText, Timing
from jaxscope.model.experiments import (
    Agreement,
    CompileTime,
    ProgramComparison,
    ProgramCost,
    Recompilation,
    RematPolicies,
    ResultsAgreement,
)
from jaxscope.model.hardware import Ceilings
from jaxscope.model.outline import Outline
from jaxscope.model.timing import Profile, Scaling
from jaxscope.model.values import ArrayView, Step, Stepping, Values
from jaxscope.wire.messages import Message

if TYPE_CHECKING:
    from jaxscope.model.tracing import Tracing  # which most commands do not need

# What runs return besides captures and timings.


@dataclass(frozen=True, slots=True)
class Proposal:
    """A call of a function that traces."""

    call: str


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """A device that JAX sees; `memory_bytes` is None where the backend does not say."""

    id: int
    platform: str
    kind: str
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class TargetReport:
    """Whether a target works here, and if not, why."""

    target: str
    is_available: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
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
    devices: tuple[DeviceReport, ...] = ()
    targets: tuple[TargetReport, ...] = ()


Result: TypeAlias = (
    "Capture | Timing | Profile | Scaling | Recompilation | ProgramComparison | Agreement | "
    "Ceilings | RematPolicies | CompileTime | Outline | Proposal | Values | Stepping | Tracing | "
    "EnvironmentReport"
)


@dataclass(frozen=True, slots=True)
class Progress:
    """What a run is doing now.

    Attributes:
        step: A stable name.
        text: Fit to show.
        left_s: Seconds that the step takes at most; NaN where nobody knows.
        can_skip: Whether `Run.skip` would leave out just this step.
    """

    step: str
    text: str
    left_s: float = math.nan
    can_skip: bool = False


@dataclass(frozen=True, eq=False)
class HeadArrived:
    """What is known before the first stage: call, arguments, source; stages still empty."""

    capture: Capture


@dataclass(frozen=True, eq=False)
class StageArrived:
    """A stage is complete, or has failed and says why; its text may follow."""

    stage: Stage


@dataclass(frozen=True, slots=True)
class TextArrived:
    """The text of a stage that arrived before, with the nodes that its lines define."""

    name: str
    text: StageText


@dataclass(frozen=True, slots=True)
class Output:
    """Something that the user's code printed, terminal escapes removed.

    Attributes:
        stream: `stdout` or `stderr`.
        text: At most about 16 KiB; what was left out of a flood is counted in it.
        num_ends: How many lines ended in what was printed, those left out counted in.
    """

    stream: str
    text: str
    num_ends: int


@dataclass(frozen=True, slots=True)
class NotResponding:
    """The worker shows no sign of life: something in C holds the interpreter's lock.

    Attributes:
        seconds: For how long by now.
        where: `file.py:12`, the line of the user's code that runs, or empty.
    """

    seconds: float
    where: str


@dataclass(frozen=True, slots=True)
class Responding:
    """The worker answers again."""


@dataclass(frozen=True, slots=True)
class MeasurementArrived:
    """One quantity has been measured."""

    measurement: Measurement


@dataclass(frozen=True, slots=True, eq=False)
class ResultGrew:
    """All that a measurement or an experiment has found so far; it goes on."""

    result: Result


@dataclass(frozen=True, slots=True)
class SideReady:
    """One of two programs is warm and waits for its turn.

    Attributes:
        words: What it is.
        typical_s: Seconds of a warm call.
        cost: What it takes besides time.
        is_judged: Whether a verdict on it makes sense.
    """

    words: str
    typical_s: float
    cost: ProgramCost
    is_judged: bool = True


@dataclass(frozen=True, eq=False)
class BlockMeasured:
    """One of two programs had its turn; with a reason where a call failed."""

    seconds: npt.NDArray[np.float64]
    reason: str
    num_compilations: int


@dataclass(frozen=True, eq=False)
class OutcomeArrived:
    """What one of two programs returned, as the other one's process shall get it."""

    message: Message


@dataclass(frozen=True, eq=False)
class ResultsCompared:
    """How well the results of two processes agree."""

    agreement: ResultsAgreement


@dataclass(frozen=True, slots=True)
class SideEnded:
    """One of two programs is done."""


@dataclass(frozen=True, eq=False)
class SteppingReady:
    """The program that is stepped through was traced: it stands at its start."""

    stepping: Stepping


@dataclass(frozen=True, eq=False)
class Stepped:
    """The answer to a `move`: where the run stands, and what it reads and makes."""

    step: Step


@dataclass(frozen=True, eq=False)
class ArrayViewed:
    """The answer to a look at a value."""

    view: ArrayView


@dataclass(frozen=True, eq=False)
class Finished:
    """The run ended well. The last event."""

    result: Result


@dataclass(frozen=True, eq=False)
class Failed:
    """The run ended without its result. The last event.

    Attributes:
        error: Why.
        partial: What a capture or an experiment had by then; None where nothing had arrived.
    """

    error: JaxscopeError
    partial: Result | None = None


Event = (
    Progress
    | HeadArrived
    | StageArrived
    | TextArrived
    | Output
    | NotResponding
    | Responding
    | MeasurementArrived
    | ResultGrew
    | SideReady
    | BlockMeasured
    | OutcomeArrived
    | ResultsCompared
    | SideEnded
    | SteppingReady
    | Stepped
    | ArrayViewed
    | Finished
    | Failed
)
