"""What a job wrote down in words: what JAX logs of compilations, and XLA's message where memory
does not suffice. Lines of other programs stand between; words differ by release.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from google.protobuf import message

from jaxscope.late_dataclass import dataclass
from jaxscope.program.xplane import make_message_class

# A device memory profile as `jax.profiler.save_device_memory_profile` writes it: a tree by stack.
#
# The format is pprof's, read by protobuf; nothing here needs JAX.

_FIELDS = {
    "Profile": (
        ("sample_type", 1, "ValueType"),
        ("sample", 2, "Sample"),
        ("location", 4, "Location"),
        ("function", 5, "Function"),
        ("string_table", 6, "bytes"),
    ),
    "ValueType": (("type", 1, "int64"), ("unit", 2, "int64")),
    "Sample": (("location_id", 1, "uint64"), ("value", 2, "int64"), ("label", 3, "Label")),
    "Label": (("key", 1, "int64"), ("str", 2, "int64")),
    "Location": (("id", 1, "uint64"), ("line", 4, "Line")),
    "Line": (("function_id", 1, "uint64"), ("line", 2, "int64")),
    "Function": (("id", 1, "uint64"), ("name", 2, "int64"), ("filename", 4, "int64")),
}
_REPEATED = {("Sample", "location_id"), ("Sample", "value"), ("Profile", "string_table")}
_MAX_DEPTH = 200
_LIBRARY = "/jax/_src/"


@dataclass(slots=True)
class HeldMemory:
    """What was allocated from one place, and from the places that it called.

    Attributes:
        function: Its name; of the root empty.
        file: Of it.
        line: From 1; 0 where none is known.
        num_bytes: With all below.
        count: Of allocations, with all below.
        kind: Of what is allocated here itself, such as `buffer` or `executable`; or empty.
        inside: By what they are, the largest first once the tree is made.
    """

    function: str = ""
    file: str = ""
    line: int = 0
    num_bytes: int = 0
    count: int = 0
    kind: str = ""
    inside: list[HeldMemory] = dataclasses.field(default_factory=list)


def read_memory_profile(data: bytes) -> HeldMemory:
    """The tree of what was held; frames of JAX itself are left out.

    Args:
        data: Unpacked; treated as hostile.

    Raises:
        ValueError: The bytes are no such profile.
    """
    try:
        profile = make_message_class("pprof", _FIELDS, "Profile", _REPEATED).FromString(data)
    except (message.DecodeError, RecursionError) as error:
        raise ValueError(f"the bytes are no profile: {error}") from None
    strings = [each.decode("utf-8", "replace") for each in profile.string_table]

    def text(index: int) -> str:
        return strings[index] if 0 <= index < len(strings) else ""

    kinds = [text(each.type) for each in profile.sample_type]
    if not {"space", "allocations"} <= set(kinds):
        raise ValueError("it is a profile, but not of memory")
    space, count = kinds.index("space"), kinds.index("allocations")
    functions = {each.id: (text(each.name), text(each.filename)) for each in profile.function}
    places = {
        each.id: [(*functions.get(at.function_id, ("", "")), int(at.line)) for at in each.line]
        for each in profile.location
    }
    root = HeldMemory()
    index: dict[tuple[int, Any], HeldMemory] = {}
    for sample in profile.sample:
        values = sample.value
        if len(values) != len(kinds):
            raise ValueError("a sample has not as many values as the profile has kinds")
        num_bytes, number = int(values[space]), int(values[count])
        labels = {text(each.key): text(each.str) for each in sample.label}
        frames = [
            place
            for id in reversed(list(sample.location_id)[:_MAX_DEPTH])
            for place in reversed(places.get(id, []))
            if _LIBRARY not in place[1]
        ]
        _add(root, frames, labels.get("kind", ""), (num_bytes, number), index)
    _sort(root)
    return root


def _add(
    root: HeldMemory,
    frames: list[tuple[str, str, int]],
    kind: str,
    size: tuple[int, int],
    index: dict[tuple[int, Any], HeldMemory],
) -> None:
    node = root
    _grow(node, size)
    keys: list[Any] = [*frames, *([kind] if kind else [])]
    for key in keys:
        known = index.get((id(node), key))
        if known is None:
            is_kind = isinstance(key, str)
            known = HeldMemory(kind=key) if is_kind else HeldMemory(*key)
            index[id(node), key] = known
            node.inside.append(known)
        node = known
        _grow(node, size)


def _grow(node: HeldMemory, size: tuple[int, int]) -> None:
    node.num_bytes += size[0]
    node.count += size[1]


def _sort(root: HeldMemory) -> None:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        node.inside.sort(key=lambda each: -each.num_bytes)
        waiting += node.inside


# What `jax_log_compiles` and `jax_explain_cache_misses` log.


@dataclass(slots=True)
class LoggedCompilation:
    """One compilation of one function, as the log has it.

    Attributes:
        function: Its name.
        place: `file:line` where it is defined; empty where the log does not say it.
        called: `file:line` of the call that compiled it, or empty.
        types: Of its arguments, as JAX writes them.
        trace: Seconds; None where the log does not say them.
        lower: Seconds, or None.
        compile: Seconds, or None.
        why: JAX's explanation of why it was traced; empty where it gives none.
    """

    function: str
    place: str = ""
    called: str = ""
    types: tuple[str, ...] = ()
    trace: float | None = None
    lower: float | None = None
    compile: float | None = None
    why: str = ""

    @property
    def seconds(self) -> float:
        """Seconds of tracing, lowering and compiling, as far as they are known."""
        return (self.trace or 0.0) + (self.lower or 0.0) + (self.compile or 0.0)


# Names and places have their bounds: else a long line made for it takes time by its square.
_TRACED = re.compile(
    r"Finished tracing (?:\+ transforming )?(?P<name>.{1,1000}?) for (?:p?jit|pmap|xmap) in "
    r"(?P<seconds>[\d.e+-]+) sec"
)
_COMPILING = re.compile(
    r"Compiling (?P<name>.{1,1000}?) (?:with global shapes and types|for args) (?P<types>[\[(].*)"
)
_LOWERED = re.compile(
    r"Finished jaxpr to MLIR module conversion (?P<name>.{1,1000}?) in (?P<seconds>[\d.e+-]+) sec"
)
_COMPILED = re.compile(
    r"Finished XLA compilation of (?P<name>.{1,1000}?) in (?P<seconds>[\d.e+-]+) sec"
)
_MISS = re.compile(r"TRACING CACHE MISS at (?P<place>\S{1,1000}?:\d+)(?::\d+)? \(")
_SEEN = re.compile(r"for (?P<name>.{1,1000}?) defined at (?P<place>\S{1,1000}:\d+)")
_NEVER_SEEN = re.compile(r"(?P<name>\S{1,1000}) id=\d+ defined at (?P<place>\S{1,1000}:\d+)")
_TYPE = re.compile(r"ShapedArray\((?P<type>[\w~]+\[[^\]]*\])(?P<weak>, weak_type=True)?[^()]*\)")
_SAID_ALWAYS = (
    "because:",
    "never seen function:",
    "all previously seen cache keys differ. For the closest previous key:",
)
_MAX_WHY_LINES = 40
_MAX_FOUND = 100_000


def read_compilations(text: str) -> list[LoggedCompilation]:
    """The compilations of a log in their order."""
    found: list[LoggedCompilation] = []
    waiting: dict[str, LoggedCompilation] = {}
    open_: dict[str, LoggedCompilation] = {}
    misses: dict[str, tuple[str, str, str]] = {}
    for called, lines, line in _with_misses(text.split("\n")):
        if called:
            name, place, why = _read_miss(lines)
            misses[name] = (place, called, why)
        elif match := _TRACED.search(line):
            name = _bare(match["name"])
            waiting[name] = LoggedCompilation(name, trace=_seconds(match["seconds"]))
        elif match := _COMPILING.search(line):
            name = _bare(match["name"])
            each = waiting.pop(name, None) or LoggedCompilation(name)
            each.types = tuple(_types(match["types"]))
            each.place, each.called, each.why = misses.pop(name, ("", "", ""))
            open_[name] = each
            found.append(each)
        elif match := _LOWERED.search(line):
            if _bare(match["name"]) in open_:
                open_[_bare(match["name"])].lower = _seconds(match["seconds"])
        elif match := _COMPILED.search(line):
            name = _bare(match["name"])
            if name not in open_:  # the log begins in the middle of it
                open_[name] = LoggedCompilation(name)
                found.append(open_[name])
            each = open_.pop(name)
            each.compile = _seconds(match["seconds"])
        if len(found) >= _MAX_FOUND:
            break
    return found


def _with_misses(lines: Sequence[str]) -> Iterator[tuple[str, list[str], str]]:
    """Each line; of an explanation its place, and the lines that follow and are further in."""
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        match = _MISS.search(line)
        if match is None:
            yield "", [], line
            continue
        inside = []
        while number < len(lines) and lines[number].startswith("  "):
            inside.append(lines[number])
            number += 1
        yield match["place"], inside[:_MAX_WHY_LINES], ""


def _read_miss(lines: Sequence[str]) -> tuple[str, str, str]:
    """The function, where it is defined, and why it was traced."""
    name = place = ""
    told = []
    for line in lines:
        match = _SEEN.search(line) or _NEVER_SEEN.search(line)
        if match is not None and not name:
            name, place = match["name"].strip(), match["place"]
        else:
            told.append(line.strip())
    why = " ".join(told)
    for words in _SAID_ALWAYS:
        why = why.removeprefix(words).strip()
    return name, place, why


def _bare(name: str) -> str:
    """`step` for `jit(step)`."""
    inner = re.fullmatch(r"(?:p?jit|pmap)\((.*)\)", name)
    return inner[1] if inner else name


def _types(text: str) -> Iterator[str]:
    for match in _TYPE.finditer(text.partition(" Argument mapping")[0]):
        yield f"{match['type']}{' (weak type)' if match['weak'] else ''}"


def _seconds(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def repeated(found: Iterable[LoggedCompilation]) -> list[tuple[str, list[LoggedCompilation]]]:
    """Functions that were compiled more than once, the costliest first."""
    groups: dict[tuple[str, str], list[LoggedCompilation]] = {}
    for each in found:
        groups.setdefault((each.function, each.place), []).append(each)
    often = [(name, group) for (name, _), group in groups.items() if len(group) > 1]
    return sorted(often, key=lambda pair: -sum(each.seconds for each in pair[1]))


# XLA's message where a program does not fit: of GPUs by its buffer assignment, of TPUs by theirs.


@dataclass(slots=True)
class LargeBuffer:
    """One of the largest buffers that the message lists.

    Attributes:
        size: Bytes, as exact as the message has them; None where it has none.
        shape: With the layout where the message has it.
        name: From JAX, or empty.
        file: Of the line that made it, or empty.
        line: From 1; 0 where none is known.
        label: What XLA calls it: an operation or an instruction.
        kind: What it is for, such as `argument`, where it is said.
        unpadded: Bytes without padding; None where it is not said.
    """

    size: float | None
    shape: str = ""
    name: str = ""
    file: str = ""
    line: int = 0
    label: str = ""
    kind: str = ""
    unpadded: float | None = None


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """A message of XLA's that memory ran out, with its sizes.

    Attributes:
        wanted: Bytes that could not be allocated, or that the program needs; None if not said.
        capacity: Bytes that there are; None if not said.
        sums: What the memory is for, and bytes.
        buffers: The largest, as listed.
        is_whole: Whether the message ends where a buffer does.
    """

    wanted: float | None
    capacity: float | None
    sums: tuple[tuple[str, float], ...]
    buffers: tuple[LargeBuffer, ...]
    is_whole: bool = True


_BEGINS = re.compile(
    r"Out of memory while trying to allocate|Failed to allocate request for"
    r"|Out of memory allocating|Ran out of memory in memory space"
)
_WANTED = (
    re.compile(r"trying to allocate (?P<size>[\d.]+ ?\w+)"),
    re.compile(r"Out of memory allocating (?P<size>[\d.]+ ?\w+)"),
    re.compile(r"allocate request for [^(]*\((?P<size>\d+ ?B)\)"),
    re.compile(r"Used (?P<size>[\d.]+\w?) of (?P<capacity>[\d.]+\w?) "),
)
_SUM = re.compile(
    r"^\s*(?P<what>(?:[a-z_]+ )*(?:allocation|fragmentation)|reserved|program|arguments|global"
    r"|scoped|HLO temp|Total \w+ usage >=):?\s+(?P<size>[\d.]+ ?[KMGTP]?i?B?)(?=[\s(:.]|$)"
)
_BUFFER = re.compile(r"^\s*(?:Buffer \d+:|\d+\. Size: (?P<size>\S+))\s*$")
_FIELD = re.compile(
    r"^\s*(?P<key>Size|Operator|XLA [Ll]abel|Shape|Entry Parameter Subshape|Unpadded size"
    r"|Allocation type|Extra memory due to padding): ?(?P<value>.*)$"
)
_ENDS = re.compile(r"^\s*={10,}\s*$")
_SIZE = re.compile(r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>bytes|[KMGTP]?i?B?)")
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


def read_size(text: str) -> float | None:
    """Bytes of `21.10G`, `3.40GiB`, `4B` or `17 bytes`; None of anything else."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    unit = match["unit"]
    power = 0 if unit == "bytes" else _POWERS[unit.rstrip("B").rstrip("i")]
    return float(match["number"]) * 1024.0**power


def read_out_of_memory(text: str) -> list[OutOfMemory]:
    """The messages in a text; one that is written several times in a row counts once."""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if _BEGINS.search(line)]
    found: list[OutOfMemory] = []
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(lines)
        each = _read_message(lines[start:end])
        if each not in found and (each.sums or each.buffers or each.wanted is not None):
            found.append(each)
    with_tables = [each for each in found if each.buffers or each.sums]
    return with_tables or found


def _read_message(lines: Sequence[str]) -> OutOfMemory:
    wanted = capacity = None
    for pattern in _WANTED:
        if match := pattern.search(lines[0]):
            wanted = read_size(match["size"])
            capacity = read_size(match.groupdict().get("capacity") or "")
            break
    sums: list[tuple[str, float]] = []
    buffers: list[LargeBuffer] = []
    current: LargeBuffer | None = None
    for line in lines[1:]:
        if match := _BUFFER.match(line):
            current = LargeBuffer(read_size(match["size"] or ""))
            buffers.append(current)
        elif _ENDS.match(line):
            current = None
        elif current is not None:
            _read_field(current, line)
        elif (match := _SUM.match(line)) and (size := read_size(match["size"])) is not None:
            what = match["what"].replace(" >=", ", at least")
            if what not in (name for name, _ in sums):
                sums.append((what, size))
    return OutOfMemory(wanted, capacity, tuple(sums), tuple(buffers), current is None)


def _read_field(buffer: LargeBuffer, line: str) -> None:
    match = _FIELD.match(line)
    if match is None:
        return
    key, value = match["key"].lower(), match["value"].strip()
    if key == "size":
        buffer.size = read_size(value)
    elif key == "operator":
        named = re.search(r'op_name="([^"]*)"', value)
        file = re.search(r'source_file="([^"]*)"', value)
        number = re.search(r"source_line=(\d{1,9})", value)
        buffer.name = named[1] if named else ""
        if file and number:
            buffer.file, buffer.line = file[1], int(number[1])
    elif key == "xla label":
        buffer.label = value
    elif key == "shape":
        buffer.shape = value
    elif key == "entry parameter subshape":
        buffer.shape, buffer.kind = value, "argument"
    elif key == "unpadded size":
        buffer.unpadded = read_size(value)
    elif key == "allocation type":
        buffer.kind = value


@dataclass(frozen=True, slots=True)
class JobText:
    """What one file says.

    Attributes:
        lacks: Messages that memory did not suffice.
        memory: Of a memory profile; None for texts.
    """

    compilations: tuple[LoggedCompilation, ...] = ()
    lacks: tuple[OutOfMemory, ...] = ()
    memory: HeldMemory | None = None
