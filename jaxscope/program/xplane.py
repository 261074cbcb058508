"""What a recording of XLA's profiler (`xplane.pb`) says each instruction took, joined with modules.

JAX puts the compiled modules into the recording; an event names its module, its program's number
and its instruction. So times come to instructions, their equations' names, and lines of the user's
files without anything else. The format is read by protobuf; nothing here needs JAX or TensorFlow.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Capture
from jaxscope.model.graph import Graph
from jaxscope.model.op_name import TagTable, instruction_name
from jaxscope.model.said import say, say_joined
from jaxscope.model.timing import NodeTime, NodeTimes, Profile
from jaxscope.model.unavailable import Unavailable, is_available
from jaxscope.model.units import format_count, format_seconds, format_share
from jaxscope.program.hlo.graph import convert_hlo

_METADATA_PLANE = "/host:metadata"
_MOST_OTHERS = 3
_FIELDS = {
    "Space": (("planes", 1, "Plane"),),
    "Plane": (
        ("name", 2, "string"),
        ("lines", 3, "Line"),
        ("event_metadata", 4, "EventEntry"),
        ("stat_metadata", 5, "StatEntry"),
    ),
    "EventEntry": (("key", 1, "int64"), ("value", 2, "EventMetadata", "one")),
    "StatEntry": (("key", 1, "int64"), ("value", 2, "StatMetadata", "one")),
    "Line": (("name", 2, "string"), ("events", 4, "Event")),
    "Event": (
        ("metadata_id", 1, "int64"),
        ("offset_ps", 2, "int64"),
        ("duration_ps", 3, "int64"),
        ("stats", 4, "Stat"),
    ),
    "Stat": (
        ("metadata_id", 1, "int64"),
        ("uint64_value", 3, "uint64"),
        ("int64_value", 4, "int64"),
        ("str_value", 5, "bytes"),
        ("bytes_value", 6, "bytes"),
        ("ref_value", 7, "uint64"),
    ),
    "EventMetadata": (("name", 2, "bytes"), ("stats", 5, "Stat")),
    "StatMetadata": (("name", 2, "bytes"),),
    "Wrapped": (("module", 1, "bytes"),),
}
"""Of XLA's `xplane.proto` what is read, and of an `HloProto` the module in it."""


@dataclass(frozen=True, slots=True)
class MeasuredInstruction:
    """What one instruction took in all runs of its module.

    Attributes:
        module: The module's name.
        program: The number of the program in its process, as in the names of a dump's files; -1
            where the recording does not say it.
        name: The instruction's.
        operation: Such as `fusion`; empty where the module is not known.
        equation: The name that JAX gave it, or empty.
        file: Of the line that it is from, the user's before a library's; empty where none is known.
        line: 1-based, or 0.
        count: How often it ran.
        runs: How often its module ran, as far as it is said.
        seconds: In all, without what ran inside of it.
        with_inside: In all, with what ran inside of it.
        low: The smallest sum of these over one run of its module.
        high: The largest.
        is_placed: Whether the module in the recording has this instruction.
    """

    module: str
    program: int
    name: str
    operation: str
    equation: str
    file: str
    line: int
    count: int
    runs: int
    seconds: float
    with_inside: float
    low: float
    high: float
    is_placed: bool


@dataclass(frozen=True, slots=True)
class RecordedModule:
    """A module that lies in a recording and ran there.

    Attributes:
        name: The module's.
        program: The number of the program in its process; -1 where the recording does not say it.
        num_bytes: Of the serialized module.
        seconds: Of all of its instructions.
    """

    name: str
    program: int
    num_bytes: int
    seconds: float

    @property
    def label(self) -> str:
        """Name and number of the module, as the recording has them."""
        return f"{self.name}({self.program})" if self.program >= 0 else self.name


@dataclass(frozen=True, slots=True)
class Recording:
    """What one `xplane.pb` says of instructions.

    Attributes:
        instructions: The costliest first.
        modules: Those that lie in it and ran, the costliest first.
    """

    instructions: tuple[MeasuredInstruction, ...]
    modules: tuple[RecordedModule, ...] = ()

    @property
    def seconds(self) -> float:
        """Of all instructions; on several threads and devices more than passed on the wall."""
        return sum(each.seconds for each in self.instructions)

    @property
    def unplaced(self) -> float:
        """Share of the seconds whose instruction no module in the recording has."""
        missing = sum(each.seconds for each in self.instructions if not each.is_placed)
        return missing / self.seconds if self.seconds > 0 else 0.0

    @property
    def without_line(self) -> float:
        """Share of the seconds that are of no known line of the user's."""
        missing = sum(each.seconds for each in self.instructions if not each.line)
        return missing / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True, slots=True)
class RecordedDifference:
    """What a line of a module took for each run of it in two recordings; NaN where it is not there.

    Attributes:
        module: Its name.
        place: The line; the instruction where no line is known.
        first: Seconds in the first.
        second: Seconds in the second.
    """

    module: str
    place: str
    first: float
    second: float

    @property
    def ratio(self) -> float:
        """The second over the first; NaN where one is not there."""
        return self.second / self.first if self.first > 0 else math.nan


def sum_recorded(
    recording: Recording, key: Callable[[MeasuredInstruction], str]
) -> list[tuple[str, float]]:
    """Seconds of all instructions with the same key, the largest first."""
    sums: dict[str, float] = {}
    for each in recording.instructions:
        sums[key(each)] = sums.get(key(each), 0.0) + each.seconds
    return sorted(sums.items(), key=lambda row: (-row[1], row[0]))


def compare_recordings(first: Recording, second: Recording) -> list[RecordedDifference]:
    """Lines of two recordings, those that differ most first, by module and place."""
    sides = [_per_run(first), _per_run(second)]
    rows = [
        RecordedDifference(*key, *(side.get(key, math.nan) for side in sides))
        for key in {**sides[0], **sides[1]}
    ]

    def change(row: RecordedDifference) -> float:
        known = [0.0 if math.isnan(value) else value for value in (row.first, row.second)]
        return abs(known[1] - known[0])

    return sorted(rows, key=lambda row: (-change(row), row.module, row.place))


def _per_run(recording: Recording) -> dict[tuple[str, str], float]:
    sums: dict[tuple[str, str], float] = {}
    for each in recording.instructions:
        place = f"{each.file}:{each.line}" if each.line else each.name
        key = (each.module, place)
        sums[key] = sums.get(key, 0.0) + each.seconds / max(each.runs, 1)
    return sums


def read_recording(data: bytes) -> Recording:
    """Sum the times of each instruction.

    Args:
        data: Of an `xplane.pb`; treated as hostile.

    Raises:
        ValueError: The bytes are no recording.
    """
    try:
        space = _class("Space").FromString(data)
    except (message.DecodeError, RecursionError) as error:
        raise ValueError(f"the bytes are no recording of XLA's profiler: {error}") from None
    modules: dict[tuple[str, int], bytes] = {}
    sums: dict[tuple[str, int, str], _Sums] = {}
    runs: dict[tuple[str, int], set[object]] = {}
    for plane in space.planes:
        if plane.name == _METADATA_PLANE:
            modules.update(_find_modules(plane))
        for module, program, name, run, seconds, with_inside in _list_events(plane):
            total = sums.setdefault((module, program, name), _Sums())
            total.count += 1
            total.seconds += seconds
            total.by_run[run] = total.by_run.get(run, 0.0) + with_inside
            runs.setdefault((module, program), set()).add(run)
    graphs = {key: _read_graph(modules, *key) for key in dict.fromkeys(key[:2] for key in sums)}
    found = [
        _place(graphs[module, program], module, program, name, total, runs)
        for (module, program, name), total in sums.items()
    ]
    recording = Recording(tuple(sorted(found, key=lambda each: (-each.seconds, each.name))))
    seconds_of = dict(sum_recorded(recording, lambda each: f"{each.module}({each.program})"))
    named = [
        RecordedModule(*key, len(proto), seconds_of[f"{key[0]}({key[1]})"])
        for key, proto in modules.items()
        if graphs.get(key) is not None
    ]
    named.sort(key=lambda each: (-each.seconds, each.name))
    return dataclasses.replace(recording, modules=tuple(named))


@dataclass(slots=True)
class _Sums:
    """Of the events of one instruction; `by_run` with what ran inside of them."""

    count: int = 0
    seconds: float = 0.0
    by_run: dict[object, float] = dataclasses.field(default_factory=dict)


def make_profile(
    capture: Capture, recordings: Mapping[str, Recording], module: str | None = None
) -> tuple[Profile | None, str]:
    """What recordings say that a run of a captured program took, by instruction.

    A recording is of this program if each of its instructions has the same operation under the
    same name from JAX there.

    Args:
        capture: Of the program.
        recordings: By path.
        module: Name of the module; None where it is not known: of any name then.

    Returns:
        The times, and what they are or why there are none; that is empty where no recording has a
        module of that name, or the program was not compiled.
    """
    programs: list[tuple[str, list[MeasuredInstruction]]] = []
    for path, recording in recordings.items():
        by_number: dict[tuple[str, int], list[MeasuredInstruction]] = {}
        for each in recording.instructions:
            if module in (None, each.module):
                by_number.setdefault((each.module, each.program), []).append(each)
        programs += [(path, found) for found in by_number.values()]
    stage = capture.stage("optimized")
    if not programs or stage is None or not is_available(stage.graph):
        return None, ""
    graph = stage.graph
    fitting = [
        (path, found)
        for path, found in programs
        if found[0].runs and all(_is_in(graph, each) for each in found)
    ]
    if len(fitting) != 1:
        told = f"{len(fitting)} programs" if fitting else "No program"
        of_name = f" of the name {module}" if module is not None else ""
        verb = "fit" if fitting else "fits"
        why = f"{told}{of_name} in the profiles that were opened {verb} this module"
        return None, say("{why}: no time is laid over it.", why=why)
    path, found = fitting[0]
    times = NodeTimes(
        stage.name,
        tuple(map(_mean_time, found)),
        *(found[0].runs, math.nan, math.nan, math.nan),
        _describe_origin(path, recordings[path], found),
    )
    no_eager = Unavailable(say("The profile of a job has no run equation by equation."))
    no_timeline = Unavailable(say("One run by itself is not taken from the profile of a job."))
    profile = Profile(
        capture.call, capture.environment, times, no_eager, (), no_timeline, recording=path
    )
    runs = format_count(found[0].runs, "run")
    told = say("Seconds of instructions are from {path}: the mean of {runs}.", path=path, runs=runs)
    return profile, told


def _mean_time(each: MeasuredInstruction) -> NodeTime:
    return NodeTime(
        each.name,
        round(each.count / each.runs),
        each.with_inside / each.runs,
        *(each.low, each.high, each.seconds / each.runs),
    )


def _describe_origin(path: str, recording: Recording, found: Sequence[MeasuredInstruction]) -> str:
    own = sum(each.seconds for each in found)
    whole = recording.seconds
    others = [
        f"{each.label} {format_share(each.seconds / whole if whole > 0 else 0.0, 1)}"
        for each in recording.modules
        if (each.name, each.program) != (found[0].module, found[0].program)
    ]
    shown = [*others[:_MOST_OTHERS], *(["…"] if len(others) > _MOST_OTHERS else [])]
    beside = f"; other modules: {', '.join(shown)}" if others else ""
    told = say(
        "From {path}. Seconds are the mean of a run, added up over threads and "
        "devices. This module has {share} of the {seconds} of work in the "
        "recording{beside}.",
        path=path,
        share=format_share(own / whole if whole > 0 else 0.0, 1),
        seconds=format_seconds(whole),
        beside=beside,
    )
    unplaced = say(
        "{unplaced} of all work could not be placed on an instruction of a module.",
        unplaced=format_share(recording.unplaced, 1),
    )
    return say_joined([told, unplaced if recording.unplaced > 0 else ""])


def _is_in(graph: Graph, each: MeasuredInstruction) -> bool:
    row = graph.index_by_id.get(each.name)
    return (
        row is not None
        and each.is_placed
        and (
            (graph.operation(row), graph.attributes(row).get("op_name", ""))
            == (each.operation, each.equation)
        )
    )


def _place(
    graph: Graph | None,
    module: str,
    program: int,
    name: str,
    total: _Sums,
    runs: dict[tuple[str, int], set[object]],
) -> MeasuredInstruction:
    operation = equation = file = ""
    line, row = 0, None
    if graph is not None:
        row = graph.index_by_id.get(name)
    if graph is not None and row is not None:
        operation = graph.operation(row)
        equation = graph.attributes(row).get("op_name", "")
        place = graph.place(row)
        file, line = (place.file, place.line) if place is not None else ("", 0)
    num_runs = len(runs[module, program] - {None})
    sums = total.by_run.values()
    return MeasuredInstruction(
        *(module, program, name, operation, equation, file, line, total.count, num_runs),
        seconds=total.seconds,
        with_inside=sum(sums),
        low=min(sums) if len(sums) >= num_runs else 0.0,
        high=max(sums),
        is_placed=row is not None,
    )


def _read_graph(modules: dict[tuple[str, int], bytes], module: str, program: int) -> Graph | None:
    """The module of an event: by number, else by name where only one has it."""
    proto = modules.get((module, program))
    named = [data for (name, _), data in modules.items() if name == module]
    if proto is None and program < 0 and len(named) == 1:
        proto = named[0]
    if proto is None:
        return None
    try:
        return convert_hlo(proto, TagTable(), None, None, "optimized")
    except ValueError:
        return None


def split_recorded_name(text: str) -> tuple[str, int]:
    """A module and the number of its program, as recordings name both: `jit_step(10)`."""
    name, _, number = text.rpartition("(")
    return (name, int(number[:-1])) if name and number[:-1].isdecimal() else (text, -1)


def _find_modules(plane: Any) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Modules by name and program number: `jit_step(10)`."""
    for entry in plane.event_metadata:
        name, program = split_recorded_name(_text(entry.value.name))
        for stat in entry.value.stats:
            if stat.bytes_value:
                try:
                    yield (name, program), _class("Wrapped").FromString(stat.bytes_value).module
                except message.DecodeError:
                    continue


def _list_events(plane: Any) -> Iterator[tuple[str, int, str, object, float, float]]:
    """Module, program, instruction, run, and seconds without and with what ran inside."""
    stats = {entry.key: _text(entry.value.name) for entry in plane.stat_metadata}
    wanted = {"hlo_op", "hlo_module", "program_id", "run_id"}
    if "hlo_op" not in stats.values():
        return
    named = {entry.key: _values(entry.value.stats, stats, wanted) for entry in plane.event_metadata}
    for line in plane.lines:
        about = []
        for event in line.events:
            known = {**named.get(event.metadata_id, {}), **_values(event.stats, stats, wanted)}
            if known.get("hlo_op") and event.duration_ps >= 0:
                about.append((event.offset_ps, event.duration_ps, known))
        about.sort(key=lambda each: (each[0], -each[1]))
        spans = [(start, start + duration) for start, duration, _ in about]
        for (_, duration, known), inside in zip(about, _enclosed(spans), strict=True):
            program = known.get("program_id", -1)
            yield (
                str(known.get("hlo_module", "")),
                program if isinstance(program, int) else -1,
                instruction_name(str(known["hlo_op"])),
                known.get("run_id"),
                max(duration - inside, 0) * 1e-12,
                duration * 1e-12,
            )


def _enclosed(spans: Sequence[tuple[int, int]]) -> list[int]:
    """Of each span how much of it those directly inside of it take; sorted by their starts."""
    inside = [0] * len(spans)
    around: list[int] = []
    for number, (start, end) in enumerate(spans):
        while around and spans[around[-1]][1] < max(end, start + 1):
            around.pop()
        if around:
            inside[around[-1]] += end - start
        around.append(number)
    return inside


def _values(found: Iterable[Any], names: dict[int, str], wanted: set[str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for stat in found:
        name = names.get(stat.metadata_id, "")
        if name in wanted:
            if stat.ref_value:
                values[name] = names.get(stat.ref_value, "")
            elif stat.str_value:
                values[name] = _text(stat.str_value)
            else:
                values[name] = stat.uint64_value or stat.int64_value
    return values


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@functools.cache
def _class(name: str) -> Any:
    """The class of a message of `_FIELDS`."""
    return make_message_class("r", _FIELDS, name)


def make_message_class(
    package: str,
    messages: Mapping[str, Sequence[tuple[Any, ...]]],
    name: str,
    repeated: Collection[tuple[str, str]] = (),
) -> Any:
    """The class of a protobuf message that is described here, not by a file of its own.

    Args:
        package: A name of its own for each set of messages.
        messages: By name their fields: name, number, and type or message; a message is repeated
            unless a fourth entry follows.
        name: Of the message whose class is wanted.
        repeated: Message and field of those fields that are no messages and repeated.
    """
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{package}.proto", package=package, syntax="proto3"
    )
    for own, fields in messages.items():
        described = file.message_type.add(name=own)
        for label, number, kind, *single in fields:
            field = described.field.add(name=label, number=number)
            field.label = kinds.LABEL_OPTIONAL
            if (own, label) in repeated:
                field.label = kinds.LABEL_REPEATED
            if kind in messages:
                field.type, field.type_name = kinds.TYPE_MESSAGE, f".{package}.{kind}"
                if not single:
                    field.label = kinds.LABEL_REPEATED
            else:
                field.type = getattr(kinds, f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))
