"""The JSON that scripts may rely on: records as JSON, and a capture read back from it.

Key order and extra keys are free; the keys here and their meanings are fixed. NaN is `null`:
unknown, never zero. What needs the interpretation of a program is written by `export.capture_json`.
A file that is read is not trusted: everything is checked, and what does not fit is refused as a
whole; files of older versions have no texts of the user's files and no links from lines to nodes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from jaxscope.errors import Explanation, JaxscopeError, SourceError
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
    Measurement,
    NodeKind,
    PassRecord,
    Proof,
    Ragged,
    Severity,
    SourceFile,
    Stage,
    StageText,
    Timing,
    Unavailable,
    is_available,
)
from jaxscope.model.capture import NO_MEMORY_PLAN, NO_PLACEMENT, Bookmark, MemoryPlan
from jaxscope.model.sharding import Device, Job, Member, Placement, Propagated

# Columns as a reader counts them.
#
# Python, and with it JAX and XLA, counts the bytes of a line in UTF-8; an editor, and a script that
# indexes the line, counts characters. They differ behind the first letter that is not ASCII.


class TextColumns:
    """Translates columns by the snapshots of the files that a capture carries."""

    def __init__(self, files: Iterable[SourceFile] = ()) -> None:
        self._lines = {
            file.path: {
                number: line.encode("utf-8", "replace")
                for number, line in enumerate(file.text.split("\n"), 1)
                if not line.isascii()
            }
            for file in files
            if not file.text.isascii()
        }

    def in_characters(self, file: str, line: int, column: int) -> int | None:
        """The 0-based column in characters; None where it is unknown.

        Args:
            file: The path as positions name it; of a file without a snapshot the column stays.
            line: 1-based.
            column: 0-based, in bytes of UTF-8; negative where it is unknown.
        """
        if column < 0:
            return None
        encoded = self._lines.get(file, {}).get(line)
        return column if encoded is None else len(encoded[:column].decode("utf-8", "ignore"))


# Edges in the contract's JSON: one for every value that flows, with the type of that value.


EdgeJson = dict[str, Any]


def edges_to_json(
    graph: Graph, ids: Sequence[str], types: Sequence[Sequence[str]]
) -> list[EdgeJson]:
    """The edges of a graph.

    An instruction that takes a whole tuple, such as a loop its state, has an edge from each element
    of it, all to the same input; `whole` then has the type of the tuple. An empty tuple has no
    element to tell of: its one edge has its own type.

    Args:
        graph: Of one stage.
        ids: Id of each node.
        types: Types of the results of each node.
    """
    return list(_edges(graph, ids, types))


def _edges(graph: Graph, ids: Sequence[str], types: Sequence[Sequence[str]]) -> Iterator[EdgeJson]:
    edges, strings = graph.edges, graph.strings
    columns = (edges.source, edges.output, edges.target, edges.operand, edges.type)
    for source, output, target, operand, code in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        type, to, results = strings[code], [ids[target], operand], types[source]
        is_element = not type.startswith("(") or type == _result(results, output)
        if is_element or not results:
            yield {"from": [ids[source], output], "to": to, "type": type}
            continue
        for number, element in enumerate(results):
            yield {"from": [ids[source], number], "to": to, "type": element, "whole": type}


def _result(results: Sequence[str], output: int) -> str | None:
    return results[output] if output < len(results) else None


# Read a capture back from the JSON of the contract.
#
# What the JSON lacks stays unknown, such as the modules that passes were recorded with; files of
# older versions have no texts of the user's files and no links from lines to nodes either. The file
# is not trusted: everything is checked, and what does not fit is refused as a whole.


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
        graph=Unavailable(no_graph, stage.name)
        if stage.graph is None
        else _read_graph(stage.graph),
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


def _read_graph(raw: _Graph) -> Graph:
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


Json = dict[str, Any]

CAPTURE_FORMAT = "jaxscope.capture"
CAPTURE_VERSION = 1

_DIRECTIONS: tuple[str | None, ...] = tuple(
    None if direction is Direction.NONE else direction.name.lower() for direction in Direction
)
_NODE_KINDS = tuple(kind.name.lower() for kind in NodeKind)
_GROUP_KINDS = tuple(kind.name.lower() for kind in GroupKind)


def timing_to_json(timing: Timing) -> Json:
    """Measurements of one call as the contract has them."""
    return {
        "call": timing.call,
        "environment": environment_to_json(timing.environment),
        "measurements": [_measurement(measurement) for measurement in timing.measurements],
        "ratios": [
            {
                "name": ratio.name,
                "median": number_to_json(ratio.median),
                "low": number_to_json(ratio.low),
                "high": number_to_json(ratio.high),
                "verdict": ratio.verdict,
                "confidence": number_to_json(ratio.confidence),
                "pairs": ratio.pairs or None,
                "noisy": ratio.is_noisy,
                "why_not": ratio.why_not or None,
            }
            for ratio in timing.ratios
        ],
        "warnings": list(timing.warnings),
    }


def error_to_json(error: JaxscopeError) -> Json:
    """A failure: what failed, where, why and what to try, with the exit status it leads to."""
    explanation = error.explanation
    return {
        "format": "jaxscope.error",
        "version": CAPTURE_VERSION,
        "error": type(error).__name__,
        "exit_status": error.exit_status,
        "what": explanation.what,
        "where": explanation.where or None,
        "why": explanation.why or None,
        "remedy": explanation.remedy or None,
        "kind": explanation.kind or None,
        "traceback": explanation.traceback or None,
    }


def memory_to_json(plan: MemoryPlan | Unavailable) -> Json:
    """XLA's memory plan in bytes per device; null for what is unknown, with the reason."""
    if isinstance(plan, Unavailable):
        return {"unavailable": plan.reason}
    return {
        "unavailable": None,
        "argument_bytes": number_to_json(plan.argument_bytes),
        "result_bytes": number_to_json(plan.result_bytes),
        "temporary_bytes": number_to_json(plan.temporary_bytes),
        "aliased_bytes": number_to_json(plan.aliased_bytes),
        "code_bytes": number_to_json(plan.code_bytes),
        "peak_bytes": number_to_json(plan.peak_bytes),
        "total_bytes": number_to_json(plan.total_bytes),
        "donated": list(plan.donated),
        "kept": list(plan.kept),
    }


def number_to_json(value: float) -> float | None:
    """The number, or None where it is unknown."""
    return value if math.isfinite(value) else None


def cost_to_json(cost: Cost) -> Json:
    """A cost with null for what is unknown."""
    return _cost((cost.flops, cost.bytes_accessed, cost.transcendentals))


def environment_to_json(environment: Environment) -> Json:
    """Where a capture or a timing was made; of a timing, how busy the machine was, too."""
    found: Json = {
        "jax": environment.jax,
        "jaxlib": environment.jaxlib,
        "python": environment.python,
        "platform": environment.platform,
        "device": environment.device,
        "host": environment.host,
        "recorded_at": environment.recorded_at,
    }
    if environment.processors is not None:
        found |= {
            "load": environment.load,
            "processors": environment.processors,
            "processor_share": environment.processor_share,
            "busy_processors": environment.busy_processors,
        }
    return found


def check_to_json(check: Check) -> Json:
    """One finding of the lint."""
    return {
        "rule": check.rule,
        "severity": check.severity.value,
        "message": check.message,
        "remedy": check.remedy,
        "file": check.file or None,
        "line": check.line or None,
    }


def graph_to_json(graph: Graph, columns: TextColumns) -> Json:
    """Nodes, edges and groups; reads whole columns at once, so 50,000 nodes stay quick."""
    ids = [graph.strings[s] for s in graph.nodes.id.tolist()]
    group_ids = [graph.strings[s] for s in graph.groups.id.tolist()]
    return {
        "nodes": _nodes(graph, ids, group_ids, columns),
        "edges": edges_to_json(graph, ids, _text_rows(graph, graph.nodes.types)),
        "groups": [
            {
                "id": id,
                "parent": None if parent == NONE else group_ids[parent],
                "kind": _GROUP_KINDS[kind],
                "label": graph.strings[label],
                "owner": None if owner == NONE else ids[owner],
            }
            for id, parent, kind, label, owner in zip(
                group_ids,
                graph.groups.parent.tolist(),
                graph.groups.kind.tolist(),
                graph.groups.label.tolist(),
                graph.groups.owner.tolist(),
                strict=True,
            )
        ],
    }


def _nodes(graph: Graph, ids: list[str], group_ids: list[str], columns: TextColumns) -> list[Json]:
    strings, nodes = graph.strings, graph.nodes
    types, scopes = _text_rows(graph, nodes.types), _text_rows(graph, nodes.scope)
    origins, derived = _text_rows(graph, nodes.origins), _text_rows(graph, nodes.derived)
    attributes = _text_rows(graph, nodes.attributes)
    return [
        {
            "id": id,
            "name": strings[name],
            "kind": _NODE_KINDS[kind],
            "operation": strings[operation],
            "group": None if group == NONE else group_ids[group],
            "types": types[index],
            "attributes": dict(zip(attributes[index][0::2], attributes[index][1::2], strict=True)),
            "scope": scopes[index],
            "origins": origins[index],
            "derived": derived[index],
            "direction": _DIRECTIONS[direction],
            "source": [
                {
                    "file": place.file,
                    "line": place.line,
                    "column": columns.in_characters(place.file, place.line, place.column),
                    "function": place.function,
                }
                for place in graph.source(index)
            ],
            "cost": _node_cost(cost),
            "seconds": number_to_json(seconds),
        }
        for index, (id, name, kind, operation, group, direction, cost, seconds) in enumerate(
            zip(
                ids,
                nodes.name.tolist(),
                nodes.kind.tolist(),
                nodes.operation.tolist(),
                nodes.group.tolist(),
                nodes.direction.tolist(),
                nodes.cost.tolist(),
                nodes.seconds.tolist(),
                strict=True,
            )
        )
    ]


def _text_rows(graph: Graph, column: Ragged) -> list[list[str]]:
    """The strings of every row: a slice of an array per row would take three times as long."""
    texts = [graph.strings[s] for s in column.values.tolist()]
    bounds = column.offsets.tolist()
    return [texts[start:stop] for start, stop in itertools.pairwise(bounds)]


def _node_cost(row: list[float]) -> Json | None:
    return None if all(math.isnan(value) for value in row) else _cost(row)


def _cost(row: Iterable[float]) -> Json:
    flops, bytes_accessed, transcendentals = (number_to_json(value) for value in row)
    return {
        "flops": flops,
        "bytes_accessed": bytes_accessed,
        "transcendentals": transcendentals,
    }


def line_nodes_to_json(stage: Stage) -> list[str | None]:
    """The id of the node that each line of the text defines; empty where no line has one."""
    if not is_available(stage.text) or not is_available(stage.graph):
        return []
    graph, line_nodes = stage.graph, stage.text.line_nodes.tolist()
    ids = [graph.strings[s] for s in graph.nodes.id.tolist()]
    lines = [None if node == NONE else ids[node] for node in line_nodes]
    return lines if any(lines) else []


def leaf_to_json(leaf: Leaf) -> Json:
    return {
        "path": leaf.path,
        "type": leaf.type,
        "bytes": leaf.num_bytes,
        "static": leaf.is_static,
    }


def fate_to_json(fate: Fate) -> Json:
    """A fate as the contract has it."""
    return {
        "fate": fate.fate,
        "pass": fate.pass_name,
        "instructions": list(fate.instructions),
        "with": list(fate.merged_with),
        "text": fate.text,
        "certainty": fate.certainty or None,
        "proof": None if fate.proof is None else _proof(fate.proof),
    }


def _proof(proof: Proof) -> Json:
    return {
        "pass_number": proof.pass_number,
        "pass": proof.pass_name,
        "before": list(proof.before),
        "after": list(proof.after),
    }


def _measurement(measurement: Measurement) -> Json:
    return {
        "name": measurement.name,
        "unit": measurement.unit,
        "median": number_to_json(measurement.median),
        "low": number_to_json(measurement.low),
        "high": number_to_json(measurement.high),
        "confidence": number_to_json(measurement.confidence),
        "runs": measurement.runs,
        "samples": [number_to_json(sample) for sample in measurement.samples],
        "noisy": measurement.is_noisy,
        "protocol": measurement.protocol,
        "reasons": list(measurement.reasons),
        "detail": measurement.detail or None,
        "began": number_to_json(measurement.began),
        "ended": number_to_json(measurement.ended),
        "device": None
        if math.isnan(measurement.device_seconds)
        else {
            "median": number_to_json(measurement.device_seconds),
            "low": number_to_json(measurement.device_low),
            "high": number_to_json(measurement.device_high),
        },
    }
