"""What one run of one call produced: stages, arguments, fates, checks, XLA's passes, its memory
plan, where its arrays lie on devices, and the user's bookmarks.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import zlib
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Literal

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import Cost, Graph
from jaxscope.model.op_name import TagTable
from jaxscope.model.said import say
from jaxscope.model.unavailable import Unavailable, is_available
from jaxscope.model.units import format_place

# Where a program's arrays lie when it runs on several devices, and the processes that run it
# together.
#
# Two numberings: a device has an `id`, which JAX prints, and a *position* in the order in which the
# program counts its devices. HLO texts and replica groups use positions.


class ShardingKind(enum.Enum):
    """How an array is spread over the devices."""

    REPLICATED = "replicated"
    """Every device holds all of it."""
    TILED = "tiled"
    """Cut into tiles; a tile may lie on several devices."""
    ONE_DEVICE = "one device"
    """One device holds all of it, the others nothing."""
    MANUAL = "manual"
    """Each device holds an array of its own, as inside `shard_map`."""
    UNKNOWN = "unknown"
    """The compiler leaves it open."""


@dataclass(frozen=True, slots=True)
class Sharding:
    """How one array is spread over the devices of a program.

    Attributes:
        kind: What the other fields mean.
        tiles: Number of parts along each dimension of the array; empty unless tiled.
        holders: For each tile, in row-major order, the positions of the devices that hold it; for
            one device, that one alone; empty where all hold the same.
        has_own: Whether the devices of one tile hold values of their own there (axes that are
            manual or not yet summed), instead of the same.
        manual: Groups of the devices that differ only along manual axes; empty where none are, and
            where all are.
    """

    kind: ShardingKind
    tiles: tuple[int, ...] = ()
    holders: tuple[tuple[int, ...], ...] = ()
    has_own: bool = False
    manual: tuple[tuple[int, ...], ...] = ()

    def shard_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape that one device holds; the last part of an uneven cut is padded to it."""
        if self.kind is not ShardingKind.TILED or len(self.tiles) != len(shape):
            return shape
        return tuple(-(-size // parts) for size, parts in zip(shape, self.tiles, strict=True))


@dataclass(frozen=True, slots=True)
class Device:
    """A device that a program was compiled for.

    Attributes:
        id: As JAX numbers it.
        kind: Such as `cpu` or `TPU v5e`.
        process: Number of the process that it belongs to; another process is another host.
        coordinates: Of its chip in the interconnect, or empty.
    """

    id: int
    kind: str = ""
    process: int = 0
    coordinates: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Propagated:
    """How the compiler decided to spread a value, before it cut the program for one device.

    Attributes:
        type: Of the whole value, such as `f32[16,64]`.
        sharding: As HLO writes it.
    """

    type: str
    sharding: str


@dataclass(frozen=True, eq=False, slots=True)
class Placement:
    """Devices of a program, and how its arrays are spread over them.

    Shardings are texts as HLO writes them; `jaxscope.program.sharding` reads them.

    Attributes:
        devices: In the order in which shardings count them.
        axes: Name and size of each axis of the mesh, outermost first; their product is the number
            of devices. Empty where no mesh is known.
        arguments: Of each argument that is not static; empty where it is unknown, or the program
            does not use it.
        results: Of each result.
        values: Of the equations' values, by id of equations of the last jaxpr-level stage.
    """

    devices: tuple[Device, ...]
    axes: tuple[tuple[str, int], ...] = ()
    arguments: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    values: Mapping[str, tuple[Propagated, ...]] = dataclasses.field(default_factory=dict)

    @property
    def num_processes(self) -> int:
        """Processes that take part."""
        return len({device.process for device in self.devices})


# A program that several processes run together, as one of them sees it.


@dataclass(frozen=True, slots=True)
class Member:
    """One process of a job.

    Attributes:
        host: The machine it runs on; empty where it did not say.
        lowered: SHA-256 of its StableHLO without places of the source; empty where unknown.
        compiled: The same of its optimized HLO.
        reason: Why they are unknown, or empty.
    """

    host: str = ""
    lowered: str = ""
    compiled: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """Processes that run one program together on JAX's distributed runtime.

    Attributes:
        process: Number of the process that this capture is of.
        members: All of them, by number.

    Raises:
        ValueError: There is no process of that number.
    """

    process: int
    members: tuple[Member, ...]

    def __post_init__(self) -> None:
        if not 0 <= self.process < len(self.members):
            raise ValueError(f"process {self.process} of {len(self.members)}")

    @property
    def hosts(self) -> tuple[str, ...]:
        """The machines, each once, in the order of their first process."""
        return tuple(dict.fromkeys(member.host for member in self.members if member.host))

    @property
    def is_same_program(self) -> bool | None:
        """Whether all compiled the same program; None where some did not say."""
        known = [(member.lowered, member.compiled) for member in self.members]
        if len({pair for pair in known if all(pair)}) > 1:
            return False
        return None if any(not all(pair) for pair in known) else True


SOURCE_STAGE = "source"
"""Stands for a stage's name where a line of a file is marked."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A marked node, group of nodes, or source line.

    Attributes:
        stage: Name of the node's stage, or `SOURCE_STAGE`.
        place: The node's id; of a line, `PATH:LINE`, the line counted from 1; of a group, the id of
            its box in a view.
        note: What was written about it, or empty.
        group: What stands on the box where a group is marked; empty for nodes and lines.
    """

    stage: str
    place: str
    note: str = ""
    group: str = ""


Place = tuple[int, int, int, int, int, str]
"""A value's node in the stage `optimized`, which of its results it is, the allocation that holds
it, where in that, its size in bytes, and the kind of the allocation."""

PLACE_KINDS = ("temporary", "argument", "result", "constant", "thread-local")


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """XLA's own memory plan of the compiled program, per device; NaN is unknown.

    Attributes:
        argument_bytes: What goes in.
        result_bytes: What comes out.
        temporary_bytes: Room for everything between: what XLA allocates for each run.
        aliased_bytes: Part of the results that lies where donated arguments were.
        code_bytes: Generated code; some backends say 0.
        peak_bytes: The most that is needed at once, where the backend says so; the CPU's does not.
        donated: Which arguments were donated, by their place among those that are not static.
        kept: For each parameter of the program the place of its argument; arguments that the
            program does not use are dropped.
        places: Where XLA put each value; empty where that is not known.
    """

    argument_bytes: float = math.nan
    result_bytes: float = math.nan
    temporary_bytes: float = math.nan
    aliased_bytes: float = math.nan
    code_bytes: float = math.nan
    peak_bytes: float = math.nan
    donated: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    places: tuple[Place, ...] = dataclasses.field(default=(), repr=False)

    @property
    def total_bytes(self) -> float:
        """Arguments, results and temporaries together; what is aliased counts once."""
        return self.argument_bytes + self.result_bytes - self.aliased_bytes + self.temporary_bytes


_UNKNOWN = Cost()
MAX_MODULE_BYTES = 64 << 20
_LEVEL = 3


@dataclass(frozen=True, eq=False, slots=True)
class PassRecord:
    """One pass that changed something.

    Attributes:
        name: Of the pass, such as `algsimp`; empty for the module as XLA received it.
        pipeline: The pipeline that it ran in, such as `simplification`.
        num_instructions: In the module after it, all computations together.
        num_fusions: Of them, the fusions.
        num_added: Instructions that are new by name.
        num_removed: Instructions that are gone.
        num_changed: Instructions that kept their name and do something else.
        cost: Of the module after it.
        before: The changed computations as they were, as text; bounded.
        text: The same computations after it, as text; bounded.
        ended: Ids of equations (of the last jaxpr-level stage) that no instruction carries from
            here on.
        carriers: Names of the instructions that carry an equation after this pass, for the
            equations for which that changed.
        seconds: That the pass took, in the compilation whose result is shown; NaN where unknown.
        peak_bytes: The most that is alive at once in the module after it; NaN as long as XLA has
            not fixed the order in which the module runs.
        estimated_peak_bytes: The same if the module ran instruction by instruction in program
            order, where XLA has fixed none; NaN where it has. The two are not to be compared.
        peak_missing: Why neither is known; empty where one is.
        packed: The module after it, compressed; empty where it is not kept, or where the pass
            changed nothing and the module is the one before. See `module`.
        number: Of the dump that XLA writes of the module after it; None for the module as XLA
            received or compiled it, whose dumps have none.
        notes_changed: What its dump has otherwise than the one before where no instruction differs:
            "metadata" of instructions, "layouts" of arguments and results, "schedule", or "other".
    """

    name: str
    pipeline: str
    num_instructions: int
    num_fusions: int
    num_added: int = 0
    num_removed: int = 0
    num_changed: int = 0
    cost: Cost = _UNKNOWN
    before: str = ""
    text: str = ""
    ended: tuple[str, ...] = ()
    carriers: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    seconds: float = math.nan
    peak_bytes: float = math.nan
    estimated_peak_bytes: float = math.nan
    peak_missing: str = ""
    packed: bytes = b""
    number: int | None = None
    notes_changed: tuple[str, ...] = ()

    @property
    def change(self) -> str:
        """What its dump has otherwise than the one before; empty where the two are equal."""
        return "instructions" if self.has_changed else ", ".join(self.notes_changed)

    @property
    def has_changed(self) -> bool:
        """Whether it did more than rename or annotate instructions."""
        return bool(self.num_added or self.num_removed or self.num_changed)

    @property
    def did_something(self) -> bool:
        """Whether it did something; XLA writes a dump at the start of each pipeline as well."""
        return self.has_changed or bool(self.ended) or self.number is None

    def module(self) -> bytes:
        """The serialized `HloModuleProto` after the pass; empty where it is not kept.

        Raises:
            ValueError: It is damaged, or larger than any module that is kept.
        """
        if not self.packed:
            return b""
        unpacker = zlib.decompressobj()
        try:
            data = unpacker.decompress(self.packed, MAX_MODULE_BYTES)
        except zlib.error as error:
            raise ValueError(f"the module after {self.name} is damaged: {error}") from None
        if not unpacker.eof:
            raise ValueError(f"the module after {self.name} is cut short or too large")
        return data


def pack_module(proto: bytes) -> bytes:
    """A serialized module as `PassRecord.packed` has it; empty if it is too large to be kept."""
    return zlib.compress(proto, _LEVEL) if len(proto) <= MAX_MODULE_BYTES else b""


NO_MEMORY_PLAN = Unavailable(say("The capture holds no memory plan."), "optimized")
NO_PLACEMENT = Unavailable(
    say("The capture does not say on which devices arrays lie."), "optimized"
)


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Environment:
    """Where a capture or a measurement was made, and how busy that machine was meanwhile.

    Attributes:
        load: Of the last minute, as the system says it; None where nothing was measured.
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


NO_ENVIRONMENT = Environment("", "", "", "", "")
"""Before a worker has said where it runs."""


@dataclass(frozen=True, slots=True)
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


_INSTALLED = frozenset({"site-packages", "dist-packages"})
"""Folders of what was installed."""
NO_SOURCE = say("The text of the source files was left out.")
TYPED_IN_THE_CALL = "typed in the call"
CALL_FILE = "<jaxscope call>"
"""The name under which Python compiles a call: frames in it are of what is typed there."""


@dataclass(frozen=True, slots=True)
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
        return format_place(self.file, self.line) or (TYPED_IN_THE_CALL if self.text else "")


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True, eq=False)
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
        kernels: Of `machine`: names of all kernels that XLA generated code for, none if it
            generated no code; None where that is not known, as of files of earlier releases.
        fetched_seconds: Wall seconds that fetching it took, where JAX had traced it before and
            `seconds` is not known; None where JAX traced or compiled it.
    """

    name: str
    title: str
    text: StageText | Unavailable
    graph: Graph | Unavailable
    cost: Cost
    seconds: float | Unavailable
    unavailable: Unavailable | None = None
    kernels: tuple[str, ...] | None = None
    fetched_seconds: float | None = None


class Severity(enum.StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


NONFINITE_RESULT = "non-finite-result"
"""The rule of a finding that results hold NaN or Inf."""


@dataclass(frozen=True, slots=True)
class Check:
    """One finding about the user's code.

    Attributes:
        rule: Stable name, such as `leaked-tracer`.
        message: What it is and why it matters, in sentences.
        remedy: What to write instead, code where it can be.
        lesson: The program that teaches what the rule is about, such as `samples/counter.py`, or
            empty.
        equation: Id of the equation that it is about, or empty.
        file: Absolute path, or empty; of a worker's check, empty for the file that was run.
        line: 1-based, or 0 where unknown.
    """

    rule: str
    severity: Severity
    message: str
    remedy: str
    lesson: str = ""
    equation: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in a call.

    Attributes:
        call: The call.
        checks: The worst first.
        skipped: What could not be looked at, and why.
    """

    call: str
    checks: tuple[Check, ...]
    skipped: tuple[str, ...] = ()

    @property
    def has_found(self) -> bool:
        """Whether there is more than remarks."""
        return any(check.severity is not Severity.INFO for check in self.checks)


@dataclass(frozen=True, slots=True)
class Proof:
    """What two modules hold that shows a fate.

    Attributes:
        pass_number: Of the dump that XLA writes after the deciding pass; None where the passes
            were not recorded or none of them decided: then the modules are the one that XLA
            received and the one that it compiled, or JAX decided.
        pass_name: Of the pass, as XLA's dump has it; else what lies between the two modules, or
            what JAX did with the jaxpr.
        before: Names of instructions of the module before it; where JAX decided, the id of the
            equation, of the jaxpr that JAX had.
        after: Names of instructions of the module after it; none where nothing is left.
    """

    pass_number: int | None
    pass_name: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
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


def stage_named(stages: Iterable[Stage], name: str) -> Stage | None:
    """The stage of that name, or None."""
    return next((stage for stage in stages if stage.name == name), None)


def graph_named(stages: Iterable[Stage], name: str) -> Graph | None:
    """The graph of the stage of this name; None where that stage or its graph is not there."""
    stage = stage_named(stages, name)
    return stage.graph if stage is not None and is_available(stage.graph) else None


@dataclass(frozen=True, eq=False)
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

    @property
    def num_devices(self) -> int:
        """How many devices each run a part of the program; 1 also where that is not known."""
        placement = self.placement
        return max(len(placement.devices), 1) if isinstance(placement, Placement) else 1

    @property
    def call_file(self) -> str:
        """The file in which the call is evaluated; the base function may be defined in another."""
        return self.files[0].path if self.files else self.source.file

    @property
    def own_file(self) -> str:
        """Where a person looks for the function: its file, or where a library's is called."""
        is_installed = not _INSTALLED.isdisjoint(PurePath(self.source.file).parts)
        return self.call_file if is_installed else self.source.file

    def stage(self, name: str) -> Stage | None:
        """The stage of that name, or None."""
        return stage_named(self.stages, name)


def leave_source_out(capture: Capture) -> Capture:
    """The capture without the text of the user's files, and with a message that says so.

    Paths, lines, names and types stay, the call too; a check may name single expressions.
    """
    return dataclasses.replace(
        capture,
        source=dataclasses.replace(capture.source, text=""),
        files=tuple(dataclasses.replace(file, text="") for file in capture.files),
        messages=(*capture.messages, NO_SOURCE),
    )
