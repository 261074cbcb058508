"""What one run of one call produced: stages, arguments, fates, checks, messages."""

from __future__ import annotations

import dataclasses
import enum
import os
from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt

from jaxscope.model.bookmark import Bookmark
from jaxscope.model.graph import Cost, Graph
from jaxscope.model.job import Job
from jaxscope.model.memory import MemoryPlan
from jaxscope.model.op_name import TagTable
from jaxscope.model.passes import PassRecord
from jaxscope.model.sharding import Placement
from jaxscope.model.unavailable import Unavailable

NO_MEMORY_PLAN = Unavailable("The capture holds no memory plan.", "optimized")
NO_PLACEMENT = Unavailable("The capture does not say on which devices arrays lie.", "optimized")


@dataclasses.dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf of the arguments or of the results.

    Attributes:
        path: Where it sits in the pytree, such as `params['w']` or `[0].bias`.
        type: Such as `f32[128,1]`; for a static argument, a short text of its value.
        num_bytes: `prod(shape) * itemsize`, padding not counted; 0 for a static argument.
        is_static: Whether JAX never traces it (a string, a function, a static argument).
    """

    path: str
    type: str
    num_bytes: int
    is_static: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Environment:
    """Where a capture or a measurement was made, and how busy that machine was meanwhile.

    Attributes:
        load: Of the last minute, as the system tells it; None where nothing was measured.
        processors: How many the machine has.
        processor_share: Share of a processor that this process had when it wanted one.
        busy_processors: How many processors other programs kept busy meanwhile.
    """

    jax: str
    jaxlib: str
    python: str
    platform: str
    device: str
    host: str = ""
    recorded_at: str = ""
    load: float | None = None
    processors: int | None = None
    processor_share: float | None = None
    busy_processors: float | None = None

    @property
    def place(self) -> str:
        """The device and its machine, such as `cpu on gpu-box`."""
        device = self.device or self.platform
        return f"{device} on {self.host}" if self.host else device


@dataclasses.dataclass(frozen=True, slots=True)
class SourceFile:
    """A snapshot of a file of the user's, as it was when it was run.

    Attributes:
        path: Absolute path; only a label once the capture is reopened.
        text: The whole text.
        sha256: Of the bytes on disk, hexadecimal.
    """

    path: str
    text: str
    sha256: str


TYPED_IN_THE_CALL = "typed in the call"
CALL_FILE = "<jaxscope call>"
"""The name under which Python compiles a call: frames in it are of what is typed there."""


@dataclasses.dataclass(frozen=True, slots=True)
class FunctionSource:
    """Where the base function is defined.

    Attributes:
        file: Absolute path. Of what is typed in the call, and of what no file defines (a builtin, a
            function made by `exec`), the file that the call is about. Empty only where there is
            none.
        line: 1-based line of the definition, or of the comment that offers the call in which it is
            typed; 0 where there is no such line.
        text: Source text of the function, as typed where it is typed in the call; or empty.
    """

    file: str = ""
    line: int = 0
    text: str = ""

    @property
    def place(self) -> str:
        """`file.py:12`, `typed in the call`, or nothing where no place is known."""
        if self.file and self.line:
            return f"{os.path.basename(self.file)}:{self.line}"
        return TYPED_IN_THE_CALL if self.text else ""


@dataclasses.dataclass(frozen=True, eq=False)
class StageText:
    """The text of a stage and which node each line shows.

    Attributes:
        text: Lines joined by newlines.
        line_nodes: int32, one per line: index of the node that the line defines, or -1.
    """

    text: str
    line_nodes: npt.NDArray[np.int32]

    @classmethod
    def plain(cls, text: str) -> StageText:
        """A text without links."""
        return cls(text, np.full(text.count("\n") + 1, -1, np.int32))

    @property
    def num_lines(self) -> int:
        """As people count: what ends the last line begins no other."""
        return len(self.line_nodes) - (not self.text or self.text.endswith("\n"))


@dataclasses.dataclass(frozen=True, eq=False)
class Stage:
    """One stage of the pipeline.

    Attributes:
        name: As in the contract: `jaxpr`, `grad`, `vmap(grad)`, `gradient`, `stablehlo`, `hlo`,
            `optimized`, `machine`.
        title: Fit to show.
        text: The program as text, or why there is none.
        graph: The program as a graph, or why there is none.
        cost: Of the whole stage.
        seconds: Wall seconds that JAX or XLA took to make it, or why that is not known.
        unavailable: Set if the whole stage is missing; text and graph then are unavailable too.
    """

    name: str
    title: str
    text: StageText | Unavailable
    graph: Graph | Unavailable
    cost: Cost
    seconds: float | Unavailable
    unavailable: Unavailable | None = None


class Severity(enum.Enum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclasses.dataclass(frozen=True, slots=True)
class Check:
    """One finding about the user's code.

    Attributes:
        rule: Stable name, such as `leaked-tracer`.
        file: Absolute path, or empty.
        line: 1-based, or 0 where unknown.
    """

    rule: str
    severity: Severity
    message: str
    remedy: str
    file: str = ""
    line: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Proof:
    """What two modules hold that shows a fate.

    Attributes:
        pass_number: Of the dump that XLA writes after the deciding pass; None where the passes
            were not recorded or none of them decided: then the modules are the one that XLA
            received and the one that it compiled.
        pass_name: Of the pass, as XLA's dump has it; else what lies between the two modules.
        before: Names of instructions of the module before it.
        after: Names of instructions of the module after it; none where nothing is left.
    """

    pass_number: int | None
    pass_name: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Fate:
    """What became of an equation; see the contract for the names.

    Attributes:
        fate: The name.
        pass_name: The XLA pass that decided it, or None where that is not known.
        instructions: Ids of the instructions of the stage `optimized` that hold it now.
        merged_with: Ids of the equations that it is one with now.
        text: The same in one sentence.
        certainty: `proven` where `proof` shows it, `inferred` where it follows from what stands
            around the equation; empty for `unknown`.
        proof: What shows it, or None.
    """

    fate: str
    pass_name: str | None = None
    instructions: tuple[str, ...] = ()
    merged_with: tuple[str, ...] = ()
    text: str = ""
    certainty: Literal["proven", "inferred", ""] = ""
    proof: Proof | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Capture:
    """Everything that one run of one call produced; plain data, safe to save and to share.

    Attributes:
        call: The call as typed.
        base: The function inside the transforms, as typed.
        transforms: Names from innermost to outermost, `jit` included.
        source: Definition of the base function.
        files: Snapshots of the user's files that positions point into.
        arguments: Leaves of the arguments, in order.
        results: Leaves of the results, in order.
        stages: In pipeline order; a failed stage stays in the list with its reason.
        fates: By equation id of the stage `jaxpr`.
        checks: Findings, errors first.
        messages: Sentences for the reader: what was assumed, what was left out.
        wall_seconds: Wall seconds of the whole capture, as the worker saw it.
        passes: The module as XLA received it and each pass that changed something; empty where
            they were not recorded.
        memory: XLA's memory plan of the compiled program, or why there is none.
        bookmarks: Places that a person marked.
        placement: On which devices its arrays lie, or why that is not known.
        job: The processes that run the program together; None for a program of one process.
        fusion_log: What XLA itself wrote of how it decided what to fuse; empty where it wrote
            nothing.
        pass_tags: What the tags in the modules of `passes` stand for.
    """

    call: str
    base: str
    transforms: tuple[str, ...]
    source: FunctionSource
    files: tuple[SourceFile, ...]
    environment: Environment
    target: str
    arguments: tuple[Leaf, ...]
    results: tuple[Leaf, ...]
    stages: tuple[Stage, ...]
    fates: Mapping[str, Fate]
    checks: tuple[Check, ...]
    messages: tuple[str, ...]
    wall_seconds: float = 0.0
    passes: tuple[PassRecord, ...] = ()
    memory: MemoryPlan | Unavailable = NO_MEMORY_PLAN
    bookmarks: tuple[Bookmark, ...] = ()
    placement: Placement | Unavailable = NO_PLACEMENT
    job: Job | None = None
    fusion_log: str = ""
    pass_tags: TagTable = dataclasses.field(default_factory=TagTable)

    def stage(self, name: str) -> Stage | None:
        """The stage of that name, or None."""
        return next((stage for stage in self.stages if stage.name == name), None)
