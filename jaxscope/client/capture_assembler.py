"""Put the messages of one run together to a capture, interpreting as they arrive: stages, passes,
placement, kernels, memory.

The worker sends the rawest stable thing; here it becomes graphs. An interpretation that fails
leaves its reason in the graph's place and costs nothing else: the text stays.
"""

from __future__ import annotations

import codecs
import dataclasses
import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from jaxscope.heap import return_memory
from jaxscope.marks import show_marks
from jaxscope.model import (
    Capture,
    Check,
    Cost,
    FunctionSource,
    Graph,
    NodeKind,
    Ragged,
    Severity,
    SourceFile,
    Stage,
    StageText,
    Unavailable,
    is_available,
)
from jaxscope.model.capture import (
    CALL_FILE,
    NO_ENVIRONMENT,
    NO_MEMORY_PLAN,
    NO_PLACEMENT,
    Job,
    Leaf,
    MemoryPlan,
    Placement,
    Propagated,
)
from jaxscope.model.graph import NONE, graph_from_arrays, strings_from_arrays
from jaxscope.model.op_name import TagTable, read_op_name, strip_tags
from jaxscope.model.said import say, say_joined
from jaxscope.model.stages import (
    LATE_STAGES,
    find_lowered_jaxpr,
    lowered_name,
    stage_kind,
    stage_rank,
)
from jaxscope.model.types import parse_array_type, type_bytes
from jaxscope.program.batch_axes import mark_lowered, name_functions, name_results
from jaxscope.program.cost.equations import cost_equations, read_release
from jaxscope.program.dataflow import attribute_column
from jaxscope.program.fates.outcomes import PassStep
from jaxscope.program.fates.table import FateTable
from jaxscope.program.fusion.decisions import MAX_LOG_CHARS
from jaxscope.program.hlo.graph import convert_hlo, link_hlo_lines
from jaxscope.program.hlo.instruction_text import render_sharding, render_type
from jaxscope.program.hlo.proto import parse_module
from jaxscope.program.machine.listing import CodePart, list_machine_code
from jaxscope.program.memory.live_ranges import plan_memory
from jaxscope.program.name_links import link_by_name
from jaxscope.program.passes.recorder import Passes, PassRecorder, list_passes
from jaxscope.program.sharding.arrays import describe_devices
from jaxscope.report.sharding import WHOLE_OR_PER_DEVICE, describe_job
from jaxscope.schema.capture_messages import (
    CostFields,
    DoneFields,
    FileFields,
    Head,
    KernelsFields,
    MessageFields,
    MissingTextFields,
    PassesEndFields,
    PassFields,
    PlacementFields,
    StageFields,
    TagsFields,
    TextFields,
    read_memory,
    read_message_fields,
)
from jaxscope.wire.messages import Message

_NO_GRAPH = Unavailable(say("The passes are a list; each has its own text."), "passes")
_STAGE = "passes"


class PassesAssembler:
    """Takes the modules after each pass as they arrive, and keeps one of them at a time."""

    def __init__(self) -> None:
        self._recorder: PassRecorder | None = None
        self.passes = Passes()

    def feed(self, message: Message, tags: TagTable, proto: bytes, stage: str = "") -> None:
        """Take a message of type `pass`.

        Args:
            message: The message.
            tags: What the tags in the names of operations stand for.
            proto: Its bytes.
            stage: Name of the last jaxpr-level stage, if it is not the base function's.

        Raises:
            ValueError: The message is malformed.
        """
        fields = read_message_fields(message, PassFields)
        if self._recorder is None:
            self._recorder = PassRecorder(tags, stage)
        step = PassStep(fields.number, fields.name, fields.pipeline)
        self._recorder.feed(step, proto, fields.cost or Cost())

    def finish(self, message: Message) -> Stage:
        """Take the `passes_end`; returns the stage.

        Raises:
            ValueError: The message is malformed.
        """
        fields = read_message_fields(message, PassesEndFields)
        if self._recorder is not None:
            self.passes = self._recorder.result(fields.reason, _seconds_of(message))
            self.passes = dataclasses.replace(self.passes, no_times=fields.no_times or "")
        records = self.passes.records
        missing = None
        if not records:
            reason = fields.reason or say("XLA wrote down no passes on this platform.")
            missing = Unavailable(reason, _STAGE)
        return Stage(
            name=_STAGE,
            title=stage_kind(_STAGE).title,
            text=missing or StageText.plain(list_passes(self.passes)),
            graph=missing or _NO_GRAPH,
            cost=records[-1].cost if records else Cost(),
            seconds=max(fields.seconds, 0.0),
            unavailable=missing,
        )


def _seconds_of(message: Message) -> list[float]:
    """Seconds of each pass that was sent; NaN where unknown, and none if the column is none."""
    column = message.arrays.get("pass_seconds")
    if column is None or column.dtype != np.float64 or column.ndim != 1:
        return []
    known = np.isfinite(column) & (column >= 0.0)
    return list(map(float, np.where(known, column, np.nan)))


_MAX_TEXT = 10_000


def read_placement(message: Message, tags: TagTable) -> Placement | Unavailable:
    """What a `placement` says.

    Args:
        message: The message.
        tags: What the tags in the names of operations stand for.

    Raises:
        ValueError: The message is malformed.
    """
    fields = read_message_fields(message, PlacementFields)
    if fields.reason is not None:
        return Unavailable(fields.reason, "optimized")
    has_mesh = math.prod(size for _, size in fields.axes) == len(fields.devices)
    return Placement(
        devices=fields.devices,
        axes=fields.axes if has_mesh else (),
        arguments=fields.arguments,
        results=fields.results,
        values=_read_values(message, tags),
    )


def _read_values(message: Message, tags: TagTable) -> dict[str, tuple[Propagated, ...]]:
    proto = message.arrays.get("proto")
    if proto is None or proto.dtype != np.uint8 or proto.ndim != 1:
        return {}
    found: dict[str, dict[Propagated, None]] = {}
    try:
        for id, value in _find_values(proto.tobytes(), tags):
            found.setdefault(id, {})[value] = None
    except ValueError:
        return {}  # what XLA decided in between is a bonus: the arguments and results are known
    return {id: tuple(values) for id, values in found.items()}


def _find_values(proto: bytes, tags: TagTable) -> Iterator[tuple[str, Propagated]]:
    """The equation that a value belongs to, and the value, of each value with a sharding."""
    for computation in parse_module(proto).computations:
        for instruction in computation.instructions:
            if not instruction.HasField("sharding"):
                continue
            ids = read_op_name(instruction.metadata.op_name, tags).derived
            if not ids:
                continue
            text = render_sharding(instruction.sharding)
            if len(text) <= _MAX_TEXT:
                value = Propagated(render_type(instruction.shape), text)
                yield from ((id, value) for id in ids)


_MAX_STAGES = 60  # as many as a `.jaxscope` file holds
_MAX_FILES = 256
_MAX_FINDINGS = 10_000
_MAX_MESSAGES = 500
_MAX_MESSAGE_CHARS = 500_000
_TAGGED_TEXTS = frozenset({"stablehlo", "hlo", "optimized"})
_SEVERITIES = list(Severity)
_WAITING = Unavailable(say("The text has not arrived."))
_NO_HEAD = Head("", "", (), FunctionSource(), NO_ENVIRONMENT, "")


class CaptureAssembler:
    """Takes messages one by one; has a capture, complete or not, at any time.

    `feed` is not thread-safe. It may take long for large modules: call it where that does no harm.
    """

    def __init__(self) -> None:
        self._head: Head | None = None
        self._tags = TagTable()
        self._stages: dict[str, Stage] = {}
        self._texts: dict[str, StageText | Unavailable] = {}
        self._files: dict[str, SourceFile] = {}
        self._checks: list[Check] = []
        self._messages: list[str] = []
        self._num_message_chars_left = _MAX_MESSAGE_CHARS
        self._num_messages_left_out = 0
        self._passes = PassesAssembler()
        self._memory: MemoryPlan | Unavailable = NO_MEMORY_PLAN
        self._placement: Placement | Unavailable = NO_PLACEMENT
        self._job: Job | None = None
        self._fusion_log = ""
        self._wall_seconds = 0.0

    @property
    def has_head(self) -> bool:
        """Whether the head has arrived: before it there is nothing to show."""
        return self._head is not None

    def feed(self, message: Message) -> Stage | None:
        """Take a message; types that are no part of a capture are passed over.

        Returns:
            The stage that is new or has changed, or None.

        Raises:
            ValueError: The message is malformed: the worker is not to be trusted any further.
        """
        reader = self._READERS.get(message.type)
        return None if reader is None else reader(self, message)

    def capture(self) -> Capture:
        """What has arrived so far, as a capture; stages still to come are simply not in it."""
        head = self._head or _NO_HEAD
        stages = tuple(sorted(self._stages.values(), key=lambda stage: stage_rank(stage.name)))
        passes = self._passes.passes
        return Capture(
            call=head.call,
            base=head.base,
            transforms=head.transforms,
            source=head.source,
            files=tuple(self._files.values()),
            environment=head.environment,
            target=head.target,
            arguments=head.arguments,
            results=head.results,
            stages=stages,
            fates=FateTable(stages, passes.endings, head.target),
            passes=passes.records,
            pass_tags=passes.tags,
            fusion_log=self._fusion_log,
            checks=tuple(sorted(self._checks, key=lambda c: _SEVERITIES.index(c.severity))),
            messages=self._told_messages(),
            wall_seconds=self._wall_seconds,
            memory=self._memory,
            placement=self._placement,
            job=self._job,
        )

    def _read_head(self, message: Message) -> None:
        self._head = read_message_fields(message, Head)

    def _read_file(self, message: Message) -> None:
        fields = read_message_fields(message, FileFields)
        if len(self._files) >= _MAX_FILES and fields.path not in self._files:
            raise ValueError(f"more than {_MAX_FILES} source files were sent")
        if not fields.path:
            return
        self._files[fields.path] = SourceFile(fields.path, read_text(message), fields.sha256)

    def _read_tags(self, message: Message) -> None:
        try:
            self._tags = TagTable(
                strings_from_arrays(message.arrays, "base"),
                strings_from_arrays(message.arrays, "derived"),
                read_message_fields(message, TagsFields).argument_paths,
            )
        except (KeyError, UnicodeDecodeError) as error:
            raise ValueError(f"the table of tags is malformed: {error}") from None

    def _read_stage(self, message: Message) -> Stage:
        fields = read_message_fields(message, StageFields)
        if len(self._stages) >= _MAX_STAGES and fields.name not in self._stages:
            raise ValueError(f"more than {_MAX_STAGES} stages were sent")
        missing = None
        if fields.unavailable is not None:
            missing = Unavailable(fields.unavailable, fields.name, fields.is_on_request)
        cost = fields.cost or Cost()
        graph = missing or self._interpret(fields, message)
        if missing is None and is_available(graph) and _is_jaxpr(graph):
            jax_version = (self._head or _NO_HEAD).environment.jax
            graph, counted = _count(graph, jax_version)
            cost = cost if cost.is_known else counted
        lowered = self._derived_graph()
        is_after = fields.name in ("stablehlo", "hlo", "optimized")
        if lowered is not None and is_available(graph) and is_after:
            graph = mark_lowered(graph, lowered, is_stablehlo=fields.name == "stablehlo")
            graph = name_functions(name_results(graph, lowered), lowered)
        stage = Stage(
            name=fields.name,
            title=fields.title,
            text=missing or _WAITING,
            graph=graph,
            cost=cost,
            seconds=_seconds(fields),
            unavailable=missing,
            kernels=() if fields.has_no_kernels else None,
            fetched_seconds=_finite(fields.seconds) if fields.is_fetched else None,
        )
        self._stages[fields.name] = stage
        text = self._texts.pop(fields.name, None)
        if text is not None:
            self._put_text(fields.name, text)
        return self._stages[fields.name]

    def _interpret(self, fields: StageFields, message: Message) -> Graph | Unavailable:
        """The stage's graph; whatever goes wrong becomes the reason why there is none."""
        if fields.form == "none":
            return Unavailable(say("This stage has no graph."), fields.name)
        try:
            if fields.form == "graph":
                graph = graph_from_arrays(message.arrays)
            else:
                graph = self._interpret_hlo(fields.name, message)
            return _place_the_call(graph, (self._head or _NO_HEAD).call_place)
        except Exception as error:  # a program may be stranger than any list of errors
            reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            return Unavailable(
                say("The program could not be drawn: {reason}.", reason=reason), fields.name
            )

    def _interpret_hlo(self, stage: str, message: Message) -> Graph:
        graph = convert_hlo(
            _take_bytes(message, "proto"), self._tags, self._derived_graph(), None, stage
        )
        return _with_costs(graph, message)

    def _read_cost(self, message: Message) -> Stage | None:
        """Costs of a stage that came without; those of one that did not come are passed over."""
        fields = read_message_fields(message, CostFields)
        stage = self._stages.get(fields.name)
        if stage is None or stage.unavailable is not None:
            return None
        graph = _with_costs(stage.graph, message) if is_available(stage.graph) else stage.graph
        stage = dataclasses.replace(stage, graph=graph, cost=fields.cost)
        self._stages[fields.name] = stage
        return stage

    def _derived_graph(self) -> Graph | None:
        """The graph of what was lowered: the last jaxpr-level stage of the call itself."""
        return find_lowered_jaxpr(self._stages.values())

    def _read_text(self, message: Message) -> Stage | None:
        fields = read_message_fields(message, TextFields)
        text = read_text(message)
        if fields.name in _TAGGED_TEXTS:
            text = strip_tags(text)
        plain = StageText.plain(text)
        nodes = message.arrays.get("line_nodes")
        if nodes is not None and nodes.shape == plain.line_nodes.shape and nodes.dtype == np.int32:
            plain = StageText(text, nodes)
        return self._put_text(fields.name, plain)

    def _read_missing_text(self, message: Message) -> Stage | None:
        fields = read_message_fields(message, MissingTextFields)
        return self._put_text(fields.name, Unavailable(fields.reason, fields.name))

    def _read_kernels(self, message: Message) -> Stage | None:
        fields = read_message_fields(message, KernelsFields)
        parts = _code_parts(message)
        text, why_not = list_machine_code(parts, fields.left_out)
        made = StageText.plain(text) if text else Unavailable(why_not, fields.name)
        stage = self._stages.get(fields.name)
        if stage is not None and not fields.left_out:
            names = tuple(dict.fromkeys(part.kernel for part in parts))
            self._stages[fields.name] = dataclasses.replace(stage, kernels=names)
        return self._put_text(fields.name, made)

    def _put_text(self, name: str, text: StageText | Unavailable) -> Stage | None:
        """Give a stage its text; a text that comes before its stage waits for it."""
        stage = self._stages.get(name)
        if stage is None:
            if len(self._texts) < _MAX_STAGES:
                self._texts[name] = text
            return None
        if is_available(text):
            text = StageText(text.text, _line_nodes(text, stage))
            return_memory(len(text.line_nodes))
        stage = dataclasses.replace(stage, text=text)
        self._stages[name] = stage
        return stage

    def _read_memory(self, message: Message) -> None:
        self._memory = read_memory(message)

    def _read_job(self, message: Message) -> None:
        self._job = read_message_fields(message, Job)
        self._messages.append(describe_job(self._job))

    def _read_placement(self, message: Message) -> None:
        self._placement = read_placement(message, self._tags)
        if is_available(self._placement) and len(self._placement.devices) > 1:
            self._messages.append(
                say_joined(
                    (
                        say("It runs on {devices}.", devices=describe_devices(self._placement)),
                        WHOLE_OR_PER_DEVICE,
                    )
                )
            )

    def _read_pass(self, message: Message) -> None:
        lowered = lowered_name(self._stages)
        stage = "" if lowered == "jaxpr" else lowered
        self._passes.feed(message, self._tags, _take_bytes(message, "proto"), stage)

    def _read_passes_end(self, message: Message) -> Stage:
        stage = self._stages["passes"] = self._passes.finish(message)
        return stage

    def _read_fusion_log(self, message: Message) -> None:
        self._fusion_log = read_text(message)[:MAX_LOG_CHARS]

    def _read_check(self, message: Message) -> None:
        if len(self._checks) < _MAX_FINDINGS:
            self._checks.append(read_message_fields(message, Check))

    def _read_message(self, message: Message) -> None:
        text = read_message_fields(message, MessageFields).text
        if len(self._messages) >= _MAX_MESSAGES or len(text) > self._num_message_chars_left:
            self._num_messages_left_out += 1
            return
        self._num_message_chars_left -= len(text)
        self._messages.append(text)

    def _told_messages(self) -> tuple[str, ...]:
        if not self._num_messages_left_out:
            return tuple(self._messages)
        return (
            *self._messages,
            say(
                "{num_messages_left_out} more messages were left out.",
                num_messages_left_out=self._num_messages_left_out,
            ),
        )

    def _read_done(self, message: Message) -> None:
        seconds = read_message_fields(message, DoneFields).wall_seconds
        self._wall_seconds = seconds if math.isfinite(seconds) and seconds >= 0.0 else 0.0

    _READERS: ClassVar[Mapping[str, Callable[[CaptureAssembler, Message], Stage | None]]] = {
        "file": _read_file,
        "head": _read_head,
        "tags": _read_tags,
        "stage": _read_stage,
        "cost": _read_cost,
        "text": _read_text,
        "text_missing": _read_missing_text,
        "kernels": _read_kernels,
        "memory": _read_memory,
        "placement": _read_placement,
        "job": _read_job,
        "pass": _read_pass,
        "passes_end": _read_passes_end,
        "fusion_log": _read_fusion_log,
        "check": _read_check,
        "message": _read_message,
        "done": _read_done,
    }
    """Not of bound methods: what refers to itself stays until Python's collector finds it."""


def _with_costs(graph: Graph, message: Message) -> Graph:
    """A graph with the costs of its instructions, where the message has them.

    Costs that do not fit are no reason to lose the graph: they stay unknown.
    """
    cost = message.arrays.get("instruction_cost")
    if cost is None or cost.dtype != np.float64 or cost.shape != (len(graph.nodes), 3):
        return graph
    known = np.isfinite(cost) & (cost >= 0.0)
    return graph.replace_nodes(cost=np.where(known, cost, np.nan))


def _place_the_call(graph: Graph, place: tuple[str, int, int]) -> Graph:
    """Frames of what is typed in the call, where the file offers it; elsewhere they are no place.

    Args:
        graph: Whose frames name the call's own text as their file.
        place: The file, and the 1-based line and 0-based column at which the call begins there;
            line 0 where it is typed elsewhere.
    """
    if CALL_FILE not in graph.strings:
        return graph
    source, typed = graph.nodes.source, graph.strings.index(CALL_FILE)
    frames = source.values.reshape(-1, 4).copy()
    is_typed = frames[:, 0] == typed
    path, line, column = place
    if line:
        strings = (*graph.strings, path)
        frames[is_typed] += np.asarray([0, line - 1, column, 0], np.int32)
        frames[is_typed, 0] = len(graph.strings)
        placed = Ragged(source.offsets, frames.reshape(-1))
        return dataclasses.replace(graph, strings=strings).replace_nodes(source=placed)
    rows = source.row_numbers()[::4][~is_typed]
    counts = np.bincount(rows, minlength=len(source))
    offsets = np.concatenate([[0], np.cumsum(counts * 4)]).astype(np.int32)
    placed = Ragged(offsets, frames[~is_typed].reshape(-1))
    return graph.replace_nodes(source=placed)


def _is_jaxpr(graph: Graph) -> bool:
    return bool(np.any(graph.nodes.kind == NodeKind.EQUATION))


def _count(graph: Graph, jax_version: str) -> tuple[Graph, Cost]:
    """Costs of a jaxpr-level stage; unknown, and no reason to lose the graph, if that fails."""
    try:
        return cost_equations(graph, read_release(jax_version))
    except Exception:
        return graph, Cost()


def _line_nodes(text: StageText, stage: Stage) -> npt.NDArray[np.int32]:
    """Links that fit the stage's graph: the worker's, or for HLO those that names give."""
    if not is_available(stage.graph):
        return np.full(len(text.line_nodes), -1, np.int32)
    nodes = text.line_nodes
    if np.all(nodes < 0) and bool(np.any(stage.graph.nodes.kind == NodeKind.INSTRUCTION)):
        nodes = link_hlo_lines(text.text, stage.graph)
    is_known = (nodes >= 0) & (nodes < len(stage.graph.nodes))
    return np.where(is_known, nodes, -1).astype(np.int32)


def _seconds(fields: StageFields) -> float | Unavailable:
    seconds = _finite(fields.seconds)
    if fields.is_fetched:
        return Unavailable(say("Not known: JAX had traced it before, and kept the trace."))
    return (
        Unavailable(say("The time of this stage was not measured.")) if seconds is None else seconds
    )


def _finite(seconds: float | None) -> float | None:
    """Seconds that can be; None of what a worker cannot have measured."""
    if seconds is None or not math.isfinite(seconds) or seconds < 0.0:
        return None
    return seconds


def _take_array(message: Message, name: str) -> npt.NDArray[np.uint8]:
    """Take bytes out of a message: there may be 100 MB, which nobody needs any more once read."""
    array = message.arrays.pop(name, None)
    if array is None or array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError(f"the message {message.type} has no bytes {name}")
    return np.ascontiguousarray(array)


def _take_bytes(message: Message, name: str) -> bytes:
    return _take_array(message, name).tobytes()


def _code_parts(message: Message) -> list[CodePart]:
    """The rows of a `kernels`.

    Raises:
        ValueError: They do not fit each other.
    """
    code = _take_bytes(message, "code")
    sizes = message.arrays.get("code_bytes")
    if sizes is None or sizes.dtype != np.int64 or sizes.ndim != 1 or bool(np.any(sizes < 0)):
        raise ValueError("the sizes of kernels are malformed")
    try:
        kernels = tuple(map(show_marks, strings_from_arrays(message.arrays, "kernel")))
        forms = strings_from_arrays(message.arrays, "form")
    except (KeyError, UnicodeDecodeError) as error:
        raise ValueError(f"the names of kernels are malformed: {error}") from None
    stops = list(itertools.accumulate(sizes.tolist()))
    if not len(kernels) == len(forms) == len(stops) or (stops or [0])[-1] != len(code):
        raise ValueError("the code of kernels does not fit their number")
    return [
        CodePart(kernel, form, code[stop - size : stop])
        for kernel, form, size, stop in zip(kernels, forms, sizes.tolist(), stops, strict=True)
    ]


def read_text(message: Message) -> str:
    """The text that a message carries.

    Raises:
        ValueError: It has none.
    """
    return codecs.decode(_take_array(message, "utf8").data, "utf-8", "replace")


# What the files of an opened module say of the whole of it: arguments, results, memory plan.

_OF_FUSION = re.compile(r"wrapped_.+|.*fusion[\w.]*")
"""Kernels that have the name of an instruction; others may have that of a computation."""
NO_ASSIGNMENT = Unavailable(
    say("The files that were opened hold no buffer assignment (…-buffer-assignment.txt)."),
    "optimized",
)


def complete_opened(capture: Capture, assignment: str, aliased: tuple[int, ...]) -> Capture:
    """The capture with what its modules say of arguments and results, and its memory plan.

    Args:
        capture: As the worker's messages make it.
        assignment: XLA's own text of its buffer assignment, or empty.
        aliased: Parameters whose memory results are written to.
    """
    graphs = {stage.name: stage.graph for stage in capture.stages if is_available(stage.graph)}
    foreign = tell_other_program(graphs)
    told = [foreign, tell_foreign_kernels(capture)]
    capture = dataclasses.replace(capture, messages=(*capture.messages, *filter(None, told)))
    if not foreign and not any(name not in LATE_STAGES for name in graphs):
        linked = link_by_name(graphs)
        stages = tuple(
            dataclasses.replace(stage, graph=linked.get(stage.name, stage.graph))
            for stage in capture.stages
        )
        capture = dataclasses.replace(capture, stages=stages)
        graphs.update(linked)
    module = graphs.get("optimized") or graphs.get("hlo")
    if module is None:
        return capture
    return_memory(len(module.nodes))
    arguments, results = list_arguments(module), list_results(module)
    memory: MemoryPlan | Unavailable = NO_ASSIGNMENT
    if assignment and "optimized" in graphs:
        plan = plan_memory(assignment, graphs["optimized"])
        kept = tuple(range(len(arguments)))
        memory = dataclasses.replace(plan, donated=tuple(aliased), kept=kept)
    return dataclasses.replace(capture, arguments=arguments, results=results, memory=memory)


def tell_other_program(graphs: Mapping[str, Graph]) -> str:
    """What to say where the two HLO modules cannot be one program; empty where they may be.

    XLA keeps the number and the order of arguments, and their types; where it divides a program
    among devices, axes get shorter by whole factors.
    """
    if not {"hlo", "optimized"} <= graphs.keys():
        return ""
    before, after = (list_arguments(graphs[name]) for name in ("hlo", "optimized"))
    pairs = [(first.type, second.type) for first, second in zip(before, after, strict=False)]
    if len(before) == len(after) and all(_may_be_part(*pair) for pair in pairs):
        return ""
    return say(
        "The HLO before and after optimization are of different programs: their "
        "arguments differ. Several processes may have written to one folder. Nothing "
        "is linked between the stages."
    )


def _may_be_part(whole: str, part: str) -> bool:
    first, second = parse_array_type(whole), parse_array_type(part)
    if first is None or second is None:
        return first is second
    return (
        first.element == second.element
        and len(first.shape) == len(second.shape)
        and all(map(_is_part_of_axis, first.shape, second.shape))
    )


def _is_part_of_axis(whole: int, part: int) -> bool:
    """Whether an axis is as long, or divided among devices, the last of which may have less."""
    if part == whole or part <= 0 or whole <= 0:
        return part == whole
    count = -(-whole // part)
    return -(-whole // count) == part


def tell_foreign_kernels(capture: Capture) -> str:
    """What to say of kernels of fusions that no instruction has the name of."""
    machine, stage = capture.stage("machine"), capture.stage("optimized")
    if machine is None or stage is None or not is_available(stage.graph) or not machine.kernels:
        return ""
    graph = stage.graph
    named = {re.sub(r"[-.]", "_", name) for name in graph.index_by_id}  # as GPUs have them
    kernels = [name for name in machine.kernels if _OF_FUSION.fullmatch(name)]
    foreign = [name for name in kernels if re.sub(r"[-.]", "_", name) not in named]
    if not foreign:
        return ""
    such = ", ".join(foreign[:3]) + (" …" if len(foreign) > 3 else "")
    return say(
        "The optimized program has no instruction of the name of {num_foreign:,} of "
        "the {num_kernels:,} kernels ({such}). Where several processes wrote to one "
        "folder, kernels of an earlier one are among them.",
        num_foreign=len(foreign),
        num_kernels=len(machine.kernels),
        such=such,
    )


def list_arguments(module: Graph) -> tuple[Leaf, ...]:
    """The parameters of an HLO module, as JAX names them where it does."""
    rows: list[tuple[int, Leaf]] = []
    group_of = module.nodes.group
    for node in module.nodes_of(["parameter"]):
        if group_of[node] != NONE:
            continue
        attributes = module.attributes(node)
        path = attributes.get("op_name") or module.name(node)
        (type,) = module.types(node)[:1] or ("",)
        number = int(attributes.get("parameter_number", len(rows)))
        rows.append((number, _leaf(path, type)))
    return tuple(leaf for _, leaf in sorted(rows, key=lambda row: row[0]))


def list_results(module: Graph) -> tuple[Leaf, ...]:
    """The results of an HLO module: the elements of its root."""
    is_root = attribute_column(module, "root") != NONE
    for node in np.flatnonzero(is_root & (module.nodes.group == NONE)).tolist():
        if module.attributes(node).get("root") == "true":
            types = module.types(node)
            only = len(types) == 1
            return tuple(_leaf("" if only else f"[{n}]", type) for n, type in enumerate(types))
    return ()


def _leaf(path: str, type: str) -> Leaf:
    size = type_bytes(type)
    return Leaf(path, type, 0 if math.isnan(size) else int(size))
