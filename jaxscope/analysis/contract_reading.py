"""Read a capture back from the JSON of the contract.

What the JSON lacks stays unknown, such as the modules that passes were recorded with; files of
older versions have no texts of the user's files and no links from lines to nodes either.
The file is not trusted: everything is checked, and what does not fit is refused as a whole.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np

from jaxscope.errors import Explanation, SourceError
from jaxscope.model import (
    NONE,
    Capture,
    Check,
    Cost,
    Direction,
    Environment,
    Fate,
    FunctionSource,
    Graph,
    GraphBuilder,
    GroupKind,
    Leaf,
    NodeKind,
    PassRecord,
    Proof,
    Severity,
    SourceFile,
    Stage,
    StageText,
    Unavailable,
)
from jaxscope.model.bookmark import Bookmark
from jaxscope.model.capture import NO_MEMORY_PLAN, NO_PLACEMENT
from jaxscope.model.job import Job, Member
from jaxscope.model.memory import MemoryPlan
from jaxscope.model.sharding import Device, Placement, Propagated

_FORMAT = "jaxscope.capture"
_VERSION = 1
_COLUMN_UNKNOWN = -1
"""The JSON counts columns in characters, the model in bytes of lines that the JSON lacks."""


class _Cost(msgspec.Struct):
    flops: float | None = None
    bytes_accessed: float | None = None
    transcendentals: float | None = None

    def numbers(self) -> tuple[float, float, float]:
        values = (self.flops, self.bytes_accessed, self.transcendentals)
        first, second, third = (math.nan if value is None else value for value in values)
        return first, second, third


class _Place(msgspec.Struct):
    file: str
    line: int
    function: str = ""


class _Node(msgspec.Struct):
    id: str
    kind: str
    operation: str
    types: list[str]
    name: str = ""
    group: str | None = None
    attributes: dict[str, str] = {}
    scope: list[str] = []
    origins: list[str] = []
    derived: list[str] = []
    direction: str | None = None
    source: list[_Place] = []
    cost: _Cost | None = None
    seconds: float | None = None


class _Edge(msgspec.Struct):
    source: tuple[str, int] = msgspec.field(name="from")
    target: tuple[str, int] = msgspec.field(name="to")
    type: str = ""
    whole: str = ""


class _Group(msgspec.Struct):
    id: str
    kind: str
    label: str
    parent: str | None = None
    owner: str | None = None


class _Graph(msgspec.Struct):
    nodes: list[_Node]
    edges: list[_Edge]
    groups: list[_Group]


class _Pass(msgspec.Struct):
    name: str
    instructions: int
    fusions: int
    pipeline: str = ""
    added: int = 0
    removed: int = 0
    rewritten: int = 0
    cost: _Cost = msgspec.field(default_factory=_Cost)
    seconds: float | None = None
    peak_bytes: float | None = None
    estimated_peak_bytes: float | None = None
    peak_reason: str | None = None
    before: str = ""
    text: str = ""
    ended: tuple[str, ...] = ()


class _Stage(msgspec.Struct):
    name: str
    title: str
    text: str
    cost: _Cost
    lines: list[str | None] = []
    passes: list[_Pass] = []
    graph: _Graph | None = None
    unavailable: str | None = None
    reasons: dict[str, str] = {}
    seconds: float | None = None


class _Leaf(msgspec.Struct):
    path: str
    type: str
    num_bytes: int = msgspec.field(name="bytes")
    is_static: bool = msgspec.field(name="static", default=False)


class _Source(msgspec.Struct):
    file: str = ""
    line: int = 0
    text: str = ""


class _File(msgspec.Struct):
    path: str
    text: str
    sha256: str = ""


class _Check(msgspec.Struct):
    rule: str
    severity: str
    message: str
    remedy: str = ""
    file: str | None = None
    line: int | None = None


class _Proof(msgspec.Struct):
    pass_number: int | None = None
    pass_name: str = msgspec.field(name="pass", default="")
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class _Fate(msgspec.Struct):
    fate: str
    pass_name: str | None = msgspec.field(name="pass", default=None)
    instructions: tuple[str, ...] = ()
    merged_with: tuple[str, ...] = msgspec.field(name="with", default=())
    text: str = ""
    certainty: Literal["proven", "inferred"] | None = None
    proof: _Proof | None = None

    def to_model(self) -> Fate:
        proof = self.proof
        return Fate(
            self.fate,
            self.pass_name,
            self.instructions,
            self.merged_with,
            self.text,
            self.certainty or "",
            Proof(proof.pass_number, proof.pass_name, proof.before, proof.after) if proof else None,
        )


class _Memory(msgspec.Struct):
    unavailable: str | None = None
    argument_bytes: float | None = None
    result_bytes: float | None = None
    temporary_bytes: float | None = None
    aliased_bytes: float | None = None
    code_bytes: float | None = None
    peak_bytes: float | None = None
    donated: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()


class _Device(msgspec.Struct):
    id: int
    kind: str = ""
    process: int = 0
    coordinates: tuple[int, ...] = ()


class _Axis(msgspec.Struct):
    name: str
    size: int


class _Spread(msgspec.Struct):
    sharding: str | None = None


class _Placement(msgspec.Struct):
    unavailable: str | None = None
    devices: list[_Device] = []
    mesh: list[_Axis] = []
    arguments: list[_Spread] = []
    results: list[_Spread] = []
    values: dict[str, tuple[Propagated, ...]] = {}


class _Member(msgspec.Struct):
    host: str | None = None
    lowered: str | None = None
    compiled: str | None = None
    unavailable: str | None = None


class _Job(msgspec.Struct):
    process: int
    members: Annotated[list[_Member], msgspec.Meta(min_length=1)]


class _Capture(msgspec.Struct):
    format: str
    version: int
    call: str
    base: str
    transforms: tuple[str, ...]
    environment: dict[str, str]
    target: str
    stages: list[_Stage]
    source: _Source = msgspec.field(default_factory=_Source)
    files: list[_File] = []
    checks: list[_Check] = []
    arguments: list[_Leaf] = []
    results: list[_Leaf] = []
    fates: dict[str, _Fate] = {}
    messages: tuple[str, ...] = ()
    seconds: float | None = None
    memory: _Memory | None = None
    placement: _Placement | None = None
    job: _Job | None = None
    bookmarks: tuple[Bookmark, ...] = ()


def load_contract(path: str | Path) -> Capture:
    """Read a capture that `jaxscope capture -o out.json` wrote; nothing is run.

    Raises:
        SourceError: The file is missing, damaged or no capture.
    """
    place = Path(path)
    try:
        return _read(msgspec.json.decode(place.read_bytes(), type=_Capture))
    except OSError as error:
        why = error.strerror or str(error)
    except (ValueError, KeyError, RecursionError, OverflowError) as error:  # msgspec's too
        why = f"It names {error} without having it." if isinstance(error, KeyError) else str(error)
    raise SourceError(
        Explanation(
            what=f"{place.name} cannot be read as a capture.",
            why=why[:500],
            where=str(place),
            remedy="jaxscope capture FILE [CALL] -o out.json writes one.",
        )
    )


def _read(raw: _Capture) -> Capture:
    if (raw.format, raw.version) != (_FORMAT, _VERSION):
        raise ValueError(f"it is {raw.format} of version {raw.version}, not {_FORMAT} {_VERSION}")
    told = raw.environment.get
    environment = Environment(
        told("jax", ""),
        told("jaxlib", ""),
        told("python", ""),
        told("platform", ""),
        told("device", ""),
        told("host", ""),
        told("recorded_at", ""),
    )
    return Capture(
        call=raw.call,
        base=raw.base,
        transforms=raw.transforms,
        source=FunctionSource(raw.source.file, raw.source.line, raw.source.text),
        files=tuple(SourceFile(file.path, file.text, file.sha256) for file in raw.files),
        environment=environment,
        target=raw.target,
        arguments=tuple(map(_read_leaf, raw.arguments)),
        results=tuple(map(_read_leaf, raw.results)),
        stages=tuple(map(_read_stage, raw.stages)),
        fates={id: fate.to_model() for id, fate in raw.fates.items()},
        checks=tuple(map(_read_check, raw.checks)),
        messages=raw.messages,
        wall_seconds=raw.seconds or 0.0,
        memory=NO_MEMORY_PLAN if raw.memory is None else _read_memory(raw.memory),
        placement=_read_placement(raw.placement),
        job=_read_job(raw.job),
        bookmarks=raw.bookmarks,
        passes=tuple(_read_pass(each) for stage in raw.stages for each in stage.passes),
    )


def _read_check(raw: _Check) -> Check:
    severity = Severity(raw.severity)
    return Check(raw.rule, severity, raw.message, raw.remedy, raw.file or "", raw.line or 0)


def _read_pass(raw: _Pass) -> PassRecord:
    return PassRecord(
        raw.name,
        raw.pipeline,
        raw.instructions,
        raw.fusions,
        raw.added,
        raw.removed,
        raw.rewritten,
        Cost(*raw.cost.numbers()),
        raw.before,
        raw.text,
        raw.ended,
        seconds=_number(raw.seconds),
        peak_bytes=_number(raw.peak_bytes),
        estimated_peak_bytes=_number(raw.estimated_peak_bytes),
        peak_missing=raw.peak_reason or "",
    )


def _read_job(raw: _Job | None) -> Job | None:
    if raw is None:
        return None
    if not 0 <= raw.process < len(raw.members):
        raise ValueError(f"it is of process {raw.process} of {len(raw.members)}")
    return Job(
        raw.process,
        tuple(
            Member(m.host or "", m.lowered or "", m.compiled or "", m.unavailable or "")
            for m in raw.members
        ),
    )


def _read_placement(raw: _Placement | None) -> Placement | Unavailable:
    if raw is None:
        return NO_PLACEMENT
    if raw.unavailable is not None:
        return Unavailable(raw.unavailable, "optimized")
    return Placement(
        tuple(Device(d.id, d.kind, d.process, d.coordinates) for d in raw.devices),
        tuple((axis.name, axis.size) for axis in raw.mesh),
        tuple(each.sharding or "" for each in raw.arguments),
        tuple(each.sharding or "" for each in raw.results),
        raw.values,
    )


def _read_memory(raw: _Memory) -> MemoryPlan | Unavailable:
    if raw.unavailable is not None:
        return Unavailable(raw.unavailable, "optimized")
    return MemoryPlan(
        _number(raw.argument_bytes),
        _number(raw.result_bytes),
        _number(raw.temporary_bytes),
        _number(raw.aliased_bytes),
        _number(raw.code_bytes),
        _number(raw.peak_bytes),
        raw.donated,
        raw.kept,
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _read_leaf(leaf: _Leaf) -> Leaf:
    return Leaf(leaf.path, leaf.type, leaf.num_bytes, leaf.is_static)


def _read_stage(stage: _Stage) -> Stage:
    missing = None if stage.unavailable is None else Unavailable(stage.unavailable, stage.name)
    no_text = stage.reasons.get("text", stage.unavailable)
    no_graph = stage.reasons.get("graph", stage.unavailable or "This stage has no graph.")
    return Stage(
        name=stage.name,
        title=stage.title,
        text=_read_text(stage) if no_text is None else Unavailable(no_text, stage.name),
        graph=Unavailable(no_graph, stage.name) if stage.graph is None else _graph(stage.graph),
        cost=Cost(*stage.cost.numbers()),
        seconds=Unavailable("The time was not saved.") if stage.seconds is None else stage.seconds,
        unavailable=missing,
    )


def _read_text(stage: _Stage) -> StageText:
    plain = StageText.plain(stage.text)
    if stage.graph is None or not stage.lines:
        return plain
    if len(stage.lines) != len(plain.line_nodes):
        raise ValueError(f"the links of the text of {stage.name} do not fit its lines")
    nodes = {node.id: index for index, node in enumerate(stage.graph.nodes)}
    links = [NONE if id is None else nodes[id] for id in stage.lines]
    return StageText(stage.text, np.asarray(links, np.int32))


def _graph(raw: _Graph) -> Graph:
    builder = GraphBuilder()
    nodes = {node.id: index for index, node in enumerate(raw.nodes)}
    groups = {group.id: index for index, group in enumerate(raw.groups)}
    for node in raw.nodes:
        direction = Direction.NONE if node.direction is None else Direction[node.direction.upper()]
        builder.add_node(
            node.id,
            NodeKind[node.kind.upper()],
            node.operation,
            name=node.name,
            group=NONE if node.group is None else groups[node.group],
            types=node.types,
            attributes=node.attributes,
            scope=node.scope,
            origins=node.origins,
            derived=node.derived,
            direction=direction,
            source=[(p.file, p.line, _COLUMN_UNKNOWN, p.function) for p in node.source],
            cost=(_Cost() if node.cost is None else node.cost).numbers(),
            seconds=math.nan if node.seconds is None else node.seconds,
        )
    tuples: set[tuple[str, str, int]] = set()
    for edge in raw.edges:
        (source, output), (target, operand) = edge.source, edge.target
        if edge.whole:
            if (source, target, operand) in tuples:
                continue  # the other elements of a tuple that is taken whole
            tuples.add((source, target, operand))
        builder.add_edge(
            nodes[source],
            nodes[target],
            output=0 if edge.whole else output,
            operand=operand,
            type=edge.whole or edge.type,
        )
    for group in raw.groups:
        builder.add_group(
            group.id,
            GroupKind[group.kind.upper()],
            group.label,
            parent=NONE if group.parent is None else groups[group.parent],
            owner=NONE if group.owner is None else nodes[group.owner],
        )
    return builder.build()
