"""Compile a program, and read what XLA decided: its memory plan, its buffer assignment, and how
arrays are spread over devices.

The plan is asked for in a thread of its own, while the main thread reads the optimized module: XLA
serializes it (0.1 ms for a program of 94 instructions, 54 ms for 15,740).
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import re
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import Graph
from jaxscope.model.op_name import TagTable, read_op_name, strip_tags
from jaxscope.model.protobuf import read_fields, read_packed
from jaxscope.model.said import CLAUSES, Said, say, say_joined
from jaxscope.model.units import format_place
from jaxscope.worker import compat
from jaxscope.worker.host.job import note_program
from jaxscope.worker.stages.background import Background
from jaxscope.worker.stages.hlo_cost import array_of_module, instruction_ids
from jaxscope.worker.stages.machine_code import compile_with
from jaxscope.worker.stages.passes import module_of

# Where XLA put each value of a compiled program: its own buffer assignment, as columns.
#
# Values whose lifetimes do not meet share memory, and results are written over operands; which ones
# is XLA's decision, and only this says it.


MAX_PLACES = 1 << 20

_LOGICAL, _ALLOCATION = 1, 3
_ID, _DEFINED_AT = 1, 3
_SHAPE_INDEX, _INSTRUCTION = 3, 4
_INDEX, _THREAD_LOCAL, _PARAMETER, _LIVE_OUT, _ASSIGNED, _CONSTANT = 1, 3, 5, 7, 9, 12
_BUFFER, _OFFSET, _SIZE = 1, 2, 3

TEMPORARY, ARGUMENT, RESULT, CONSTANT, THREAD_LOCAL = range(5)


def read_buffer_assignment(assignment: bytes, module: bytes) -> dict[str, Any]:
    """Columns of a message: for each value its node, result, allocation, offset, size and kind.

    Args:
        assignment: A serialized `BufferAssignmentProto`.
        module: The serialized `HloModuleProto` that it is of.

    Raises:
        ValueError: The bytes are something else.
    """
    rows = {id: row for row, id in enumerate(instruction_ids(module))}
    values: dict[int, tuple[int, int]] = {}
    found: list[tuple[int, int, int, int, int, int]] = []
    for number, _, start, end, _ in read_fields(assignment):
        if number == _LOGICAL:
            value = _read_value(assignment, start, end, rows)
            if value is not None:
                values[value[0]] = value[1:]
        elif number == _ALLOCATION:
            found += _read_allocation(assignment, start, end, values)
    table = np.array(found[:MAX_PLACES], np.int64).reshape(-1, 6)
    names = ("node", "output", "allocation", "offset", "size", "kind")
    return {name: np.ascontiguousarray(column) for name, column in zip(names, table.T, strict=True)}


def _read_value(
    data: bytes, start: int, end: int, rows: dict[int, int]
) -> tuple[int, int, int] | None:
    """Id, row of the instruction and number of its result; None for the inside of a tuple."""
    id = instruction = 0
    output: list[int] = []
    for number, _, begin, stop, value in read_fields(data, start, end):
        if number == _ID:
            id = value
        elif number == _DEFINED_AT:
            for inner, _, first, last, inner_value in read_fields(data, begin, stop):
                if inner == _INSTRUCTION:
                    instruction = inner_value
                elif inner == _SHAPE_INDEX:
                    output += read_packed(data, first, last)
    row = rows.get(instruction)
    return None if row is None or len(output) > 1 else (id, row, output[0] if output else 0)


def _read_allocation(
    data: bytes, start: int, end: int, values: dict[int, tuple[int, int]]
) -> list[tuple[int, int, int, int, int, int]]:
    fields = read_fields(data, start, end)
    numbers = {number: value for number, _, _, _, value in fields}
    index = numbers.get(_INDEX, 0)
    kind = TEMPORARY
    for field, name in (
        (_LIVE_OUT, RESULT),
        (_PARAMETER, ARGUMENT),
        (_CONSTANT, CONSTANT),
        (_THREAD_LOCAL, THREAD_LOCAL),
    ):
        kind = name if numbers.get(field) else kind
    found = []
    for number, _, begin, stop, _ in fields:
        if number == _ASSIGNED:
            parts = {part: each for part, _, _, _, each in read_fields(data, begin, stop)}
            known = values.get(parts.get(_BUFFER, 0))
            if known is not None:
                place = (parts.get(_OFFSET, 0), parts.get(_SIZE, 0))
                found.append((*known, index, *place, kind))
    return found


# What JAX and XLA say about how arrays are spread over several devices.


_MAX_PROTO_BYTES = 128 << 20
_PROPAGATED = re.compile(r"module_\d+\..*\.after_(?:shardy-xla|sharding-propagation)\..*\.hlo\.pb")


def propagation_options(lowered: Any) -> dict[str, Any]:
    """Options that let XLA write down the module in which every value has got its sharding.

    Empty for a program of one device, which has none.
    """
    if compat.num_partitions(lowered) < 2:
        return {}
    return {
        "xla_dump_hlo_pass_re": "^(shardy-xla|sharding-propagation)$",
        "xla_dump_hlo_as_proto": True,
        "xla_dump_hlo_as_text": False,
    }


def describe_placement(
    lowered: Any, compiled: Any, folder: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields and arrays of the message `placement`.

    Args:
        lowered: The program before compilation.
        compiled: JAX's executable.
        folder: Where XLA wrote the module that `propagation_options` asks for, if it did.
    """
    try:
        fields = _describe(lowered, compiled)
    except Exception as error:  # private names differ by release; none is worth the capture
        reason = say("JAX's description of the devices raised {name}.", name=type(error).__name__)
        return {"reason": reason}, {}
    proto = _propagated_module(folder) if len(fields["devices"]) > 1 else b""
    return fields, {"proto": array_of_module(proto)} if proto else {}


def _describe(lowered: Any, compiled: Any) -> dict[str, Any]:
    given = _leaves(compiled.input_shardings)
    returned = _leaves(compiled.output_shardings)
    known = [sharding for sharding in (*given, *returned) if sharding is not None]
    devices = compat.device_order(known, compiled)
    return {
        "reason": None,
        "devices": [_describe_device(device) for device in devices],
        "axes": next((axes for each in known if (axes := _mesh_axes(each, devices))), []),
        "arguments": _texts(given, jax.tree.leaves(lowered.args_info)),
        "results": _texts(returned, compat.described_results(lowered)),
    }


def _leaves(tree: Any) -> list[Any]:
    """The shardings of a tree; None for an argument that the program does not use."""
    return jax.tree.leaves(tree, is_leaf=lambda leaf: leaf is None)


def _texts(shardings: list[Any], leaves: list[Any]) -> list[str]:
    if len(shardings) != len(leaves):
        return ["" for _ in leaves]
    return [
        "" if sharding is None else compat.hlo_sharding_text(sharding, len(leaf.shape))
        for sharding, leaf in zip(shardings, leaves, strict=True)
    ]


def _mesh_axes(sharding: Any, devices: list[Any]) -> list[list[Any]]:
    """Name and size of the axes of a sharding's mesh, if it has one of these devices, in order."""
    mesh = getattr(sharding, "mesh", None)
    shape = getattr(mesh, "shape", None)
    if mesh is None or not shape or list(mesh.devices.flat) != devices:
        return []
    return [[str(name), int(size)] for name, size in shape.items()]


def _describe_device(device: Any) -> list[Any]:
    coordinates = [int(part) for part in getattr(device, "coords", ()) or ()]
    return [int(device.id), str(device.device_kind), int(device.process_index), coordinates]


def _propagated_module(folder: Path) -> bytes:
    """The serialized module after propagation; empty where XLA wrote none that can be sent."""
    for path in sorted(folder.iterdir(), reverse=True):
        if _PROPAGATED.fullmatch(path.name) and path.stat().st_size <= _MAX_PROTO_BYTES:
            try:
                return module_of(path.read_bytes())
            except ValueError:
                return b""
    return b""


_SIZES = {
    "argument_bytes": "argument_size_in_bytes",
    "result_bytes": "output_size_in_bytes",
    "temporary_bytes": "temp_size_in_bytes",
    "aliased_bytes": "alias_size_in_bytes",
    "code_bytes": "generated_code_size_in_bytes",
    "peak_bytes": "peak_memory_in_bytes",
}


@dataclass(frozen=True, slots=True)
class CompiledProgram:
    """A compiled program.

    Attributes:
        module: jaxlib's `HloModule` after optimization.
        seconds: Wall seconds that XLA took.
        memory: Fields and arrays of the message `memory`, on their way.
        placement: Fields and arrays of the message `placement`.
        executable: What runs it.
    """

    module: Any
    seconds: float
    memory: Background[tuple[dict[str, Any], dict[str, Any]]]
    placement: tuple[dict[str, Any], dict[str, Any]]
    executable: Any


def compile_program(
    lowered: Any, options: dict[str, str], wanted: dict[str, str] | None = None
) -> CompiledProgram:
    """Compile with options of XLA's, some of which it may not know.

    Args:
        lowered: What to compile.
        options: Ours, left out where they are not known; they name a folder for XLA to write to.
        wanted: The person's, none of which is left out.

    Raises:
        EnvironmentProblem: This XLA does not take one of those.
    """
    start = time.perf_counter()
    compiled = compile_with(lowered, {**options, **propagation_options(lowered)}, wanted)
    seconds = time.perf_counter() - start
    module = compat.optimized_module_of(compiled)
    note_program(lowered, module)
    return CompiledProgram(
        module,
        seconds,
        Background(lambda: _read_memory(compiled, lowered, module)),
        describe_placement(lowered, compiled, Path(options["xla_dump_to"])),
        compiled,
    )


def describe_memory(compiled: Any, lowered: Any) -> dict[str, Any]:
    """Fields of the message `memory`: sizes in bytes per device, null where unknown."""
    return _describe_plan(compiled, lowered)[0]


def _describe_plan(compiled: Any, lowered: Any) -> tuple[dict[str, Any], Any]:
    """The fields, and what XLA says of its plan, which it serializes each time it is asked."""
    reason: str | None = None
    stats: Any = None
    try:
        stats = compiled.memory_analysis()
    except Exception as error:  # backends differ in what they raise; none may cost the capture
        reason = say("XLA's memory analysis raised {name}.", name=type(error).__name__)
    sizes = {name: _size(stats, field) for name, field in _SIZES.items()}
    if reason is None and all(size is None for size in sizes.values()):
        reason = say("This backend does not tell its memory plan.")
    if compat.platform_of(compiled) == "cpu":
        # Its "peak" is arguments, results and constants, seen with 0.8, 0.10.2 and 0.12.
        sizes["peak_bytes"] = None
    donated, kept = _donated(lowered)
    return {**sizes, "reason": reason, "donated": donated, "kept": kept}, stats


def _read_memory(compiled: Any, lowered: Any, module: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields and arrays of the message `memory`: no arrays where XLA does not say its places."""
    fields, stats = _describe_plan(compiled, lowered)
    try:
        assignment = stats.serialized_buffer_assignment_proto
        return fields, read_buffer_assignment(assignment, module.as_serialized_hlo_module_proto())
    except Exception:  # what a release writes differently costs this, never the capture
        return fields, {}


def _donated(lowered: Any) -> tuple[list[int], list[int]]:
    try:
        return compat.donated_arguments(lowered)
    except Exception:  # what a release names differently costs this, never the capture
        return [], []


def _size(stats: Any, field: str) -> int | None:
    value = getattr(stats, field, None)
    if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        return None
    return int(value)


# What XLA writes to standard error while it compiles, read as notes about equations.
#
# XLA names the instruction that it warns about, with the tags of this program in its name: a person
# can do nothing with those, and with the equation and its line much. Lines that are no such warning
# go where they would have gone.

_OP_NAME = re.compile(r'op_name="([^"]*)"')
_TYPE = re.compile(r"= (\(?[a-z]\w*\[[\d,]*\])")
_REMATERIALIZED = re.compile(
    r"Involuntary full rematerialization\. The compiler (?:cannot|was not able to) go from "
    r"sharding (?P<before>\{.*?\}) to (?P<after>\{.*?\})(?: efficiently| without)"
)
_FOLDING = re.compile(r"(Constant folding an instruction is taking > ?[^:\s]+)")
_AFTER_FOLDING = (
    "This isn't necessarily a bug",
    "If you'd like to file a bug",
    "The operation took",
)
_DONATED = "Some donated buffers were not usable"


@dataclass(frozen=True, slots=True)
class LogNote:
    """A warning of a log, ready to be a check.

    Attributes:
        rule: Stable name.
        message: In sentences, without the place.
        remedy: What to try.
        op_name: Of the instruction, with tags; empty where it has none.
    """

    rule: str
    message: str
    remedy: str
    op_name: str = ""


class XlaLog:
    """Replaces standard error while it is open, and keeps the warnings that it recognises."""

    def __init__(self) -> None:
        self.notes: list[LogNote] = []
        self._is_folding = False
        self._folding = ""

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Read what is written to the descriptor of standard error, by whatever thread."""
        saved = os.dup(2)
        begin, end = os.pipe()
        os.dup2(end, 2)
        os.close(end)
        reader = threading.Thread(
            target=self._read, args=(begin, saved), name="jaxscope log", daemon=True
        )
        reader.start()
        try:
            yield
        finally:
            os.dup2(saved, 2)  # closes the last writing end, so that the reader ends
            reader.join(5.0)
            os.close(saved)

    def _read(self, source: int, target: int) -> None:
        with os.fdopen(source, "rb") as stream:
            for line in stream:
                if not self._take(line.decode("utf-8", "replace")):
                    with contextlib.suppress(OSError):
                        os.write(target, line)

    def _take(self, line: str) -> bool:
        """Whether a line is part of a warning that is kept."""
        found = _REMATERIALIZED.search(line)
        if found is not None:
            self._keep(_rematerialized(found, line))
            return True
        folding = _FOLDING.search(line)
        if folding is not None:
            self._is_folding, self._folding = True, folding[1]
            return True
        if self._is_folding and (not line.strip() or line.lstrip().startswith("%")):
            if line.strip():
                self._keep(_folded(self._folding, line))
                self._folding = ""
            return True
        self._is_folding = self._is_folding and any(word in line for word in _AFTER_FOLDING)
        return self._is_folding

    def _keep(self, note: LogNote) -> None:
        if note not in self.notes:  # XLA may fold an instruction in several passes
            self.notes.append(note)


def _rematerialized(found: re.Match[str], line: str) -> LogNote:
    type = _TYPE.search(line)
    return LogNote(
        "involuntary-rematerialization",
        say(
            "XLA puts {value} together whole on every device and cuts it anew, to go "
            "from the sharding {before} to {after}: it knows no better way between "
            "these two.",
            value=type[1] if type else say("a value"),
            before=found["before"],
            after=found["after"],
        ),
        say(
            "Choose shardings that differ along fewer axes, or go through one that is between them."
        ),
        _name_in(line),
    )


def _folded(told: str, line: str) -> LogNote:
    type = _TYPE.search(line)
    return LogNote(
        "slow-constant-folding",
        say(
            "{told}: XLA computes {value}, which depends on no argument, while it compiles.",
            told=told,
            value=type[1] if type else say("a value"),
        ),
        say("Pass what is large as an argument, or keep it from being a constant."),
        _name_in(line),
    )


def _name_in(line: str) -> str:
    found = _OP_NAME.search(line)
    return found[1] if found else ""


@contextlib.contextmanager
def catching_donations(notes: list[LogNote]) -> Iterator[None]:
    """Keep JAX's warning of donated arguments that no result can be written over."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        text = str(warning.message)
        if text.startswith(_DONATED):
            types = text.partition(":")[2].partition("\n")[0].strip().rstrip(".")
            notes.append(
                LogNote(
                    "donation-unused",
                    say("Donated, and no result can be written over it: {types}.", types=types),
                    "Donate what a result of the same shape and type replaces. "
                    "See https://docs.jax.dev/en/latest/faq.html#buffer-donation",
                )
            )
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


def name_donated(note: LogNote, lowered: Any, inputs: Sequence[tuple[str, Any]]) -> LogNote:
    """The note, with the donated arguments that JAX warns of and why no result can take each.

    JAX gives a result the first donated argument of its type, and what is left then to results of
    as many elements; XLA decides about those.

    Args:
        note: The note; one of another rule comes back as it is.
        lowered: The lowered program.
        inputs: Path and type of each input.
    """
    if note.rule != "donation-unused" or len(inputs) != compat.num_arguments(lowered):
        return note
    try:
        taken = compat.usable_donations(lowered)
        results = [(each.shape, each.dtype) for each in jax.tree.leaves(lowered.out_info)]
    except Exception:  # what a release names differently costs the names, never the capture
        return note
    donated, kept = _donated(lowered)
    told = [
        say(
            "`{path}` ({type}): {why}",
            path=inputs[place][0],
            type=_name_type(inputs[place][1]),
            why=_why_unused(inputs[place][1], inputs, taken, results),
        )
        for place in donated
        if place in kept and place not in taken
    ]
    if not told:
        return note
    message = say(
        "Donated, and no result can be written over it: {told}.", told=say_joined(told, CLAUSES)
    )
    return dataclasses.replace(note, message=message)


def _name_type(aval: Any) -> str:
    return f"{aval.dtype}[{','.join(map(str, aval.shape))}]"


def _why_unused(
    aval: Any,
    inputs: Sequence[tuple[str, Any]],
    taken: Mapping[int, int | None],
    results: Sequence[tuple[tuple[int, ...], Any]],
) -> Said:
    alike = [n for n, result in enumerate(results) if result == (aval.shape, aval.dtype)]
    num_elements = math.prod(aval.shape)
    if not any(math.prod(shape) == num_elements for shape, _ in results):
        return say("no result has its type, or as many elements ({count:,})", count=num_elements)
    by = ", ".join(
        f"`{inputs[place][0]}`"
        for place, result in taken.items()
        if (result in alike if alike else math.prod(inputs[place][1].shape) == num_elements)
    )
    if alike:
        return say("each result of its type is written over another one ({names})", names=by)
    return say("each result of as many elements is written over another one ({names})", names=by)


def place_note(
    note: LogNote, tags: TagTable, base: Graph, last: Graph, last_name: str
) -> tuple[str, str, str, int]:
    """A note's message, the id of its equation, and the file and line of that.

    The equation is one of the base function where the instruction comes from one; else the message
    names its stage.

    Args:
        note: The note.
        tags: What the tags in its name stand for.
        base: Of the base function.
        last: Of the last jaxpr-level stage.
        last_name: Of that stage.
    """
    found = read_op_name(note.op_name, tags)
    for ids, graph, stage in ((found.origins, base, ""), (found.derived, last, last_name)):
        for id in ids:
            node = graph.index_by_id.get(id)
            if node is None:
                continue
            place = graph.place(node)
            file, line = (place.file, place.line) if place else ("", 0)
            where = ", ".join(filter(None, [graph.operation(node), format_place(file, line)]))
            told = say("It is of equation {id} ({where}).", id=id, where=where)
            if stage:
                told = say(
                    "It is of equation {id} ({where}) of the stage {stage}.",
                    id=id,
                    where=where,
                    stage=stage,
                )
            return say_joined((note.message, told)), id, file, line
    name = strip_tags(note.op_name)
    return note.message + (f" It is of {name}." if name else ""), "", "", 0
