"""The JSON that scripts may rely on: records as JSON, and a capture read back from it.

Key order and extra keys are free; the keys here and their meanings are fixed. NaN is `null`:
unknown, never zero. What needs the interpretation of a program is written by `export.capture_json`.
A file that is read is not trusted: everything is checked, and what does not fit is refused as a
whole; files of older versions have no texts of the user's files and no links from lines to nodes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from jaxscope.errors import JaxscopeError, SourceError
from jaxscope.late_dataclass import dataclass
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
    Ratio,
    SourceFile,
    Stage,
    StageText,
    Timing,
    Unavailable,
    is_available,
)
from jaxscope.model.capture import (
    NO_MEMORY_PLAN,
    NO_PLACEMENT,
    Bookmark,
    Device,
    Job,
    Member,
    MemoryPlan,
    Placement,
    Propagated,
)
from jaxscope.model.experiments import EquationAgreement, ProgramCost, ResultsAgreement
from jaxscope.model.graph import older_part
from jaxscope.model.said import say
from jaxscope.model.timing import NodeTime
from jaxscope.model.values import ArraySummary, EquationValues, NonfiniteOrigin
from jaxscope.program.name_links import LINK
from jaxscope.schema.archive_container import check_items, open_regular
from jaxscope.schema.records import Codec, Rules
from jaxscope.schema.safe_text import clean_json

Json = dict[str, Any]

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


def edges_to_json(graph: Graph, ids: Sequence[str], types: Sequence[Sequence[str]]) -> list[Json]:
    """The edges of a graph.

    An instruction that takes a whole tuple, such as a loop its state, has an edge from each element
    of it, all to the same input; `whole` then has the type of the tuple. An empty tuple has no
    element to name: its one edge has its own type.

    Args:
        graph: Of one stage.
        ids: Id of each node.
        types: Types of the results of each node.
    """
    return list(_edges(graph, ids, types))


def _edges(graph: Graph, ids: Sequence[str], types: Sequence[Sequence[str]]) -> Iterator[Json]:
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


T = TypeVar("T")
CAPTURE_FORMAT = "jaxscope.capture"
CAPTURE_VERSION = 1
_COLUMN_UNKNOWN = -1
"""The JSON counts columns in characters, the model in bytes of lines that the JSON lacks."""


_BUSY = ("load", "processors", "processor_share", "busy_processors")
_DEVICE_TIMES = ("device_seconds", "device_low", "device_high")
_TOLD_APART = (*_DEVICE_TIMES, "protocol", "reasons", "steady_from", "num_processes")
CONTRACT = Codec(
    missing="unavailable",
    rules={
        Environment: Rules(
            defaults=dict.fromkeys(("jax", "jaxlib", "python", "platform", "device"), "")
        ),
        Leaf: Rules(names={"num_bytes": "bytes", "is_static": "static"}),
        SourceFile: Rules(defaults={"sha256": ""}),
        Check: Rules(nulls=("file", "line", "equation", "lesson"), defaults={"remedy": ""}),
        Proof: Rules(names={"pass_name": "pass"}, defaults={"pass_number": None, "pass_name": ""}),
        Fate: Rules(names={"pass_name": "pass", "merged_with": "with"}, nulls=("certainty",)),
        MemoryPlan: Rules(left_out=("places",)),
        Member: Rules(
            names={"reason": "unavailable"}, nulls=("host", "lowered", "compiled", "reason")
        ),
        Measurement: Rules(names={"is_noisy": "noisy"}, nulls=("detail",), left_out=_TOLD_APART),
        ArraySummary: Rules(names={"num_nan": "nan", "num_inf": "inf"}, nulls=("text",)),
        EquationValues: Rules(names={"num_runs": "runs"}, nulls=("file", "line"), left_out=("id",)),
        NonfiniteOrigin: Rules(nulls=("file", "line", "cause")),
        NodeTime: Rules(names={"seconds": "inclusive"}),
        ProgramCost: Rules(nulls=("counting",)),
        ResultsAgreement: Rules(names={"leaves": "results"}, nulls=("reason",)),
        EquationAgreement: Rules(names={"inputs_equal": "arises_here"}, nulls=("place",)),
        Ratio: Rules(names={"is_noisy": "noisy"}, nulls=("pairs", "agreeing", "why_not", "remark")),
        PassRecord: Rules(
            names={
                "num_instructions": "instructions",
                "num_fusions": "fusions",
                "num_added": "added",
                "num_removed": "removed",
                "num_changed": "rewritten",
                "peak_missing": "peak_reason",
            },
            nulls=("peak_missing",),
            left_out=("carriers", "packed"),
            defaults={"pipeline": ""},
        ),
    },
)
"""The model's records as the contract's JSON has them: keys that are not the names of fields, and
what is null where the model has an empty text or a zero."""


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
    calls: dict[str, list[str]] = {}
    direction: str | None = None
    source: list[_Place] = []
    cost: dict[str, float | None] | None = None
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
    part: int | None = None
    function: str = ""


class _Graph(msgspec.Struct):
    nodes: list[_Node]
    edges: list[_Edge]
    groups: list[_Group]


@dataclass(frozen=True, slots=True)
class _Stage:
    name: str
    title: str
    text: str
    cost: Cost
    lines: tuple[str | None, ...] = ()
    passes: tuple[PassRecord, ...] = ()
    graph: _Graph | None = None
    unavailable: str | None = None
    on_request: bool = False
    reasons: Mapping[str, str] = dataclasses.field(default_factory=dict)
    seconds: float | None = None
    kernels: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Axis:
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class _Spread:
    sharding: str | None = None


@dataclass(frozen=True, slots=True)
class _Placement:
    unavailable: str | None = None
    devices: tuple[Device, ...] = ()
    mesh: tuple[_Axis, ...] = ()
    arguments: tuple[_Spread, ...] = ()
    results: tuple[_Spread, ...] = ()
    values: Mapping[str, tuple[Propagated, ...]] = dataclasses.field(default_factory=dict)


_NO_SOURCE = FunctionSource()


@dataclass(frozen=True, slots=True)
class _Capture:
    format: str
    version: int
    call: str
    base: str
    transforms: tuple[str, ...]
    environment: Environment
    target: str
    stages: tuple[_Stage, ...]
    source: FunctionSource = _NO_SOURCE
    files: tuple[SourceFile, ...] = ()
    checks: tuple[Check, ...] = ()
    arguments: tuple[Leaf, ...] = ()
    results: tuple[Leaf, ...] = ()
    fates: Mapping[str, Fate] = dataclasses.field(default_factory=dict)
    messages: tuple[str, ...] = ()
    seconds: float | None = None
    memory: MemoryPlan | Unavailable | None = None
    placement: _Placement | None = None
    job: Job | None = None
    bookmarks: tuple[Bookmark, ...] = ()


MAX_BYTES = 256 << 20
MAX_ITEMS = 20_000_000
"""Of the JSON of a capture; some hundred thousand instructions have less."""


def load_contract(path: str | Path) -> Capture:
    """Read a capture that `jaxscope capture -o out.json` wrote; nothing is run.

    Raises:
        SourceError: The file is missing, damaged or no capture.
    """
    return _load(
        Path(path),
        say("a capture"),
        say("jaxscope capture FILE [CALL] -o out.json writes one."),
        lambda data: _read(CONTRACT.decode(_Capture, data)),
    )


def load_timing(path: str | Path) -> Timing:
    """Read a timing that `jaxscope time --json` or `--save` wrote.

    How it was measured is not read, and why it is noisy.

    Raises:
        SourceError: The file is missing, damaged or no timing.
    """
    return _load(
        Path(path),
        say("a timing"),
        say("jaxscope time FILE [CALL] --save out.json writes one."),
        lambda data: CONTRACT.decode(Timing, data),
    )


def _load(place: Path, what: str, remedy: str, read: Callable[[bytes], T]) -> T:
    try:
        with open_regular(place, MAX_BYTES) as file:
            data = file.read(MAX_BYTES)
        check_items(data, MAX_ITEMS)
        return read(clean_json(data))
    except OSError as error:
        why = error.strerror or str(error)
    except (ValueError, KeyError, RecursionError, OverflowError) as error:  # msgspec's too
        why = str(error)[:500]
        if isinstance(error, KeyError):
            why = say("It names {name} without having it.", name=why)
    told = say("{name} cannot be read as {what}.", name=place.name, what=what)
    raise SourceError(told, why=why, where=str(place), remedy=remedy)


def _read(raw: _Capture) -> Capture:
    if (raw.format, raw.version) != (CAPTURE_FORMAT, CAPTURE_VERSION):
        raise ValueError(
            f"it is {raw.format} of version {raw.version}, not {CAPTURE_FORMAT} {CAPTURE_VERSION}"
        )
    return Capture(
        call=raw.call,
        base=raw.base,
        transforms=raw.transforms,
        source=raw.source,
        files=raw.files,
        environment=raw.environment,
        target=raw.target,
        arguments=raw.arguments,
        results=raw.results,
        stages=tuple(map(_read_stage, raw.stages)),
        fates=raw.fates,
        checks=raw.checks,
        messages=raw.messages,
        wall_seconds=raw.seconds or 0.0,
        memory=NO_MEMORY_PLAN if raw.memory is None else raw.memory,
        placement=_read_placement(raw.placement),
        job=raw.job,
        bookmarks=raw.bookmarks,
        passes=tuple(each for stage in raw.stages for each in stage.passes),
    )


def _read_placement(raw: _Placement | None) -> Placement | Unavailable:
    if raw is None:
        return NO_PLACEMENT
    if raw.unavailable is not None:
        return Unavailable(raw.unavailable, "optimized")
    return Placement(
        raw.devices,
        tuple((axis.name, axis.size) for axis in raw.mesh),
        tuple(each.sharding or "" for each in raw.arguments),
        tuple(each.sharding or "" for each in raw.results),
        raw.values,
    )


def _read_stage(stage: _Stage) -> Stage:
    missing = None
    if stage.unavailable is not None:
        missing = Unavailable(stage.unavailable, stage.name, stage.on_request)
    no_text = stage.reasons.get("text", stage.unavailable)
    no_graph = stage.reasons.get("graph", stage.unavailable or "This stage has no graph.")
    no_seconds = stage.reasons.get("seconds", "The time was not saved.")
    is_fetched = stage.seconds is not None and "seconds" in stage.reasons
    return Stage(
        name=stage.name,
        title=stage.title,
        text=_read_text(stage) if no_text is None else Unavailable(no_text, stage.name),
        graph=Unavailable(no_graph, stage.name)
        if stage.graph is None
        else _read_graph(stage.graph),
        cost=stage.cost,
        seconds=Unavailable(no_seconds) if is_fetched or stage.seconds is None else stage.seconds,
        unavailable=missing,
        kernels=stage.kernels,
        fetched_seconds=stage.seconds if is_fetched else None,
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


def _without(ids: list[str], calls: Collection[str]) -> list[str]:
    return [id for id in ids if id not in calls]


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
            origins=_without(node.origins, node.calls.get("origins", ())),
            derived=_without(node.derived, node.calls.get("derived", ())),
            direction=direction,
            source=[(p.file, p.line, _COLUMN_UNKNOWN, p.function) for p in node.source],
            cost=_read_cost(node.cost or {}),
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
        part, function = group.part, group.function
        if part is None:  # of an earlier release, or of no loop and no branch
            owner = None if group.owner is None else raw.nodes[nodes[group.owner]].operation
            part, function = older_part(group.label, owner)
        builder.add_group(
            group.id,
            GroupKind[group.kind.upper()],
            group.label,
            parent=NONE if group.parent is None else groups[group.parent],
            owner=NONE if group.owner is None else nodes[group.owner],
            part=part,
            function=function,
        )
    return builder.build()


def _read_cost(cost: Mapping[str, float | None]) -> tuple[float, float, float]:
    values = map(cost.get, ("flops", "bytes_accessed", "transcendentals"))
    first, second, third = (math.nan if value is None else value for value in values)
    return first, second, third


_DIRECTIONS: tuple[str | None, ...] = tuple(
    None if direction is Direction.NONE else direction.name.lower() for direction in Direction
)
_NODE_KINDS = tuple(kind.name.lower() for kind in NodeKind)
_GROUP_KINDS = tuple(kind.name.lower() for kind in GroupKind)


def timing_to_json(timing: Timing) -> Json:
    """Measurements of one call as the contract has them."""
    found: Json = CONTRACT.write(timing)
    found["environment"] = environment_to_json(timing.environment)
    for measurement, told in zip(timing.measurements, found["measurements"], strict=True):
        told["protocol"] = measurement.describe_protocol()
        told["reasons"] = list(map(str, measurement.reasons))
        told["device"] = _device_times(measurement)
    return found


def _device_times(measurement: Measurement) -> Json | None:
    if math.isnan(measurement.device_seconds):
        return None
    values = (getattr(measurement, name) for name in _DEVICE_TIMES)
    return dict(zip(("median", "low", "high"), map(number_to_json, values), strict=True))


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
    found: Json = CONTRACT.write(plan, MemoryPlan | Unavailable)
    if is_available(plan):
        found["total_bytes"] = number_to_json(plan.total_bytes)
    return found


def number_to_json(value: float) -> float | None:
    """The number, or None where it is unknown."""
    return value if math.isfinite(value) else None


def environment_to_json(environment: Environment) -> Json:
    """Where a capture or a timing was made; of a timing, how busy the machine was, too."""
    found: Json = CONTRACT.write(environment)
    if environment.processors is None:
        for name in _BUSY:
            del found[name]
    return found


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
                "part": None if part == NONE else part,
                "function": graph.strings[function],
            }
            for id, parent, kind, label, owner, part, function in zip(
                group_ids,
                graph.groups.parent.tolist(),
                graph.groups.kind.tolist(),
                graph.groups.label.tolist(),
                graph.groups.owner.tolist(),
                graph.groups.part.tolist(),
                graph.groups.function.tolist(),
                strict=True,
            )
        ],
    }


def _nodes(graph: Graph, ids: list[str], group_ids: list[str], columns: TextColumns) -> list[Json]:
    strings, nodes = graph.strings, graph.nodes
    types, scopes = _text_rows(graph, nodes.types), _text_rows(graph, nodes.scope)
    origins, derived = _text_rows(graph, nodes.origins), _text_rows(graph, nodes.derived)
    attributes = _text_rows(graph, nodes.attributes)
    links = [dict(zip(row[0::2], row[1::2], strict=True)).get(LINK) for row in attributes]
    is_untagged = any(links)
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
            **({"link": links[index]} if is_untagged else {}),
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
    return [list(row) for row in graph.rows(column)]


def _node_cost(row: list[float]) -> Json | None:
    return None if all(math.isnan(value) for value in row) else _cost(row)


def _cost(row: Iterable[float]) -> Json:
    flops, bytes_accessed, transcendentals = (number_to_json(value) for value in row)
    return {"flops": flops, "bytes_accessed": bytes_accessed, "transcendentals": transcendentals}


def line_nodes_to_json(stage: Stage) -> list[str | None]:
    """The id of the node that each line of the text defines; empty where no line has one."""
    if not is_available(stage.text) or not is_available(stage.graph):
        return []
    graph, line_nodes = stage.graph, stage.text.line_nodes.tolist()
    ids = [graph.strings[s] for s in graph.nodes.id.tolist()]
    lines = [None if node == NONE else ids[node] for node in line_nodes]
    return lines if any(lines) else []
