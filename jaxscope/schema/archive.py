"""`.jaxscope` files: save a capture with its measurements and bookmarks, and reopen it without
running anything.

A file is a zip with `manifest.json` (everything small), `sources.json` (texts of the user's files),
one `stages/N.bin` per stage (columns and text, as described in the manifest), `passes.json` where
passes were recorded, `lab.json` where something was measured, `window.json` where a window saved
it; bookmarks are the comment of the zip, so readers that know none can open it. Reading treats the
file as hostile: nothing is unpickled or run, no path in it is opened, sizes are checked while
inflating, and what does not fit is refused as a whole.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from jaxscope.errors import SourceError, UsageError
from jaxscope.late_dataclass import dataclass
from jaxscope.model import (
    Capture,
    Check,
    Cost,
    Environment,
    Fate,
    FunctionSource,
    Leaf,
    PassRecord,
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
    Job,
    MemoryPlan,
    Placement,
)
from jaxscope.model.experiments import LAB_RESULTS, LabResult, ProgramComparison
from jaxscope.model.file_kinds import JSON_ENDING
from jaxscope.model.graph import graph_from_arrays, graph_to_arrays
from jaxscope.model.op_name import TagTable
from jaxscope.model.said import Said, pack_said, say, unpack_said
from jaxscope.model.statistics import drop_unsupported_intervals, without_interval
from jaxscope.model.timing import Scaling
from jaxscope.program.fates.table import FateTable, saved_fates
from jaxscope.schema import archive_container, contract
from jaxscope.schema.records import Codec, Rules
from jaxscope.schema.safe_text import clean_json

# What stands in the JSON entries of a `.jaxscope` file, and the codecs that write and read it.
#
# The records are the model's own; here is only what a file has besides.

FORMAT = "jaxscope.session"
VERSION = 1

MAX_BOOKMARKS = 1_000
_MAX_STAGES = 60
_MAX_PASSES = 4000
_MAX_ARRAYS = 256
_MAX_RESULTS = 100
_Size = Annotated[int, msgspec.Meta(ge=0, lt=2**40)]


@dataclass(frozen=True, slots=True)
class ArrayEntry:
    """Name, dtype and shape of one array of a stage, in the order in which their bytes stand."""

    name: str
    dtype: Literal["int8", "uint8", "int32", "int64", "float64"]
    shape: Annotated[tuple[_Size, ...], msgspec.Meta(max_length=2)]


@dataclass(frozen=True, slots=True)
class StageEntry:
    """What is small of one stage; the reasons stand for what is missing."""

    name: str
    title: str
    cost: Cost
    arrays: Annotated[tuple[ArrayEntry, ...], msgspec.Meta(max_length=_MAX_ARRAYS)]
    seconds: float | None = None
    seconds_missing: Unavailable | None = None
    text_missing: Unavailable | None = None
    graph_missing: Unavailable | None = None
    unavailable: Unavailable | None = None
    kernels: tuple[str, ...] | None = None
    fetched_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """All of a capture but its columns, its texts, its passes and its source files.

    Attributes:
        said: Which of the texts are sentences that can be said in another language, packed.
        timing: Only read: files of 0.1 have the measurements here; they stand in `lab.json` now.
    """

    format: str
    version: int
    call: str
    base: str
    transforms: tuple[str, ...]
    source: FunctionSource
    environment: Environment
    target: str
    arguments: tuple[Leaf, ...]
    results: tuple[Leaf, ...]
    files: tuple[tuple[str, str], ...]
    stages: Annotated[tuple[StageEntry, ...], msgspec.Meta(max_length=_MAX_STAGES)]
    fates: Mapping[str, Fate]
    checks: tuple[Check, ...]
    messages: tuple[str, ...]
    wall_seconds: float | None = None
    timing: Timing | None = None
    memory: MemoryPlan | Unavailable = NO_MEMORY_PLAN
    placement: Placement | None = None
    job: Job | None = None
    placement_missing: Unavailable | None = None
    said: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Sources:
    """Texts of the user's files, in the manifest's order."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PassEntries:
    """All recorded passes, and what the tags in their modules stand for."""

    passes: Annotated[tuple[PassRecord, ...], msgspec.Meta(max_length=_MAX_PASSES)] = ()
    base_tags: tuple[str, ...] = ()
    derived_tags: tuple[str, ...] = ()
    fusion_log: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """What a window looked like."""

    layout: Annotated[str, msgspec.Meta(max_length=65_536)]


@dataclass(frozen=True, slots=True)
class BookmarksComment:
    """The comment of the zip."""

    jaxscope_bookmarks: Annotated[tuple[Bookmark, ...], msgspec.Meta(max_length=MAX_BOOKMARKS)]


SAVED_TYPES: tuple[type[LabResult | Timing], ...] = (Timing, *LAB_RESULTS)
"""What `lab.json` can hold, each at most once."""


@dataclass(frozen=True, slots=True)
class LabEntry:
    """What was measured.

    Attributes:
        results: Each as `LAB` writes it, distinguished by the name of its type.
        said: As in the manifest.
    """

    results: Annotated[list[dict[str, Any]], msgspec.Meta(max_length=_MAX_RESULTS)]
    said: tuple[Any, ...] = ()


ARCHIVE = Codec(
    rules={
        Cost: Rules(as_list=True),
        ArrayEntry: Rules(as_list=True),
        Manifest: Rules(nulls=("memory",)),
        **{kind: Rules() for kind in (StageEntry, Sources, PassEntries, Window, BookmarksComment)},
    },
    is_plain=False,
    is_strict=True,
    missing="missing",
    missing_kind=Unavailable,
)
"""The entries of a capture. The keys are the model's names of fields: renaming a field needs a rule
here, or files that were written before cannot be read."""

LAB = Codec(tag="is")
"""Results of measurements, which outlive changes of what is measured: a field that is not there
takes its default, and one that is not known is left out."""


class _Heading(msgspec.Struct, frozen=True):
    format: str
    version: int


def decode_manifest(data: bytes) -> Manifest:
    """Decode and check a manifest.

    Raises:
        ValueError: It is none, or of another version.
    """
    heading = msgspec.json.decode(data, type=_Heading)
    if heading.format != FORMAT:
        raise ValueError(f"the format is {heading.format[:100]!r}, not {FORMAT!r}")
    if heading.version != VERSION:
        raise ValueError(
            f"the file has version {heading.version} of the format; this jaxscope reads {VERSION}"
        )
    return ARCHIVE.decode(Manifest, data)


# Bookmarks in a `.jaxscope` file: they are the comment of the zip.
#
# Readers that know nothing of bookmarks refuse entries that they do not know, and look at no
# comment: a file with bookmarks stays readable by them.


MAX_COMMENT_BYTES = 65_535
"""What a zip has room for."""

_HEADING = b'{"jaxscope_bookmarks":'


def encode_bookmarks(bookmarks: Sequence[Bookmark]) -> bytes:
    """The comment; empty where nothing is marked.

    Raises:
        UsageError: The notes are longer than the comment of a zip can be.
    """
    if not bookmarks:
        return b""
    data = _encode(BookmarksComment(tuple(bookmarks)))
    if len(data) > MAX_COMMENT_BYTES or len(bookmarks) > MAX_BOOKMARKS:
        raise UsageError(
            say(
                "There are {num} bookmarks with {size:,} bytes of notes; a capture has room for "
                "{most:,} and {most_bytes:,} bytes.",
                num=len(bookmarks),
                size=len(data),
                most=MAX_BOOKMARKS,
                most_bytes=MAX_COMMENT_BYTES,
            ),
            remedy=say("Remove some bookmarks, or shorten their notes."),
        )
    return data


def decode_bookmarks(comment: bytes) -> tuple[Bookmark, ...]:
    """Bookmarks from a comment; none from a comment that somebody else wrote.

    Raises:
        ValueError: The comment begins as ours do and does not go on as they do.
    """
    if not comment.startswith(_HEADING):
        return ()
    return ARCHIVE.decode(BookmarksComment, clean_json(comment)).jaxscope_bookmarks


# What was measured, in a `.jaxscope` file: an entry of its own, left out where there is nothing.
#
# Every result carries where and when it was measured, which need not be where and when the capture
# was made.


_TYPES = {kind.__name__: kind for kind in SAVED_TYPES}


def encode_lab(results: Sequence[object]) -> bytes:
    """The entry; results of types that are never saved are left out."""
    kept = [result for result in results if isinstance(result, SAVED_TYPES)]
    said: dict[str, Said] = {}

    def keep(text: object) -> str:
        if text and isinstance(text, Said):
            said[text] = text
        return str(text)

    written = [msgspec.to_builtins(LAB.write(result), enc_hook=keep) for result in kept]
    return msgspec.json.encode(LabEntry(written, tuple(map(pack_said, said.values()))))


def decode_lab(data: bytes) -> tuple[LabResult | Timing, ...]:
    """The results.

    Raises:
        ValueError: They are none.
    """
    by_name: dict[str, LabResult | Timing] = {}
    entry = msgspec.json.decode(data, type=LabEntry)
    said = {each: each for each in map(unpack_said, entry.said)}
    for result in entry.results:
        name = result.get("is")
        if name in _TYPES:
            found = LAB.read(_TYPES[name], _with_templates(result, said))
            by_name[str(name)] = _without_claims(found)
    return tuple(by_name.values())


def _with_templates(value: Any, said: Mapping[str, Said]) -> Any:
    """Plain values whose sentences have their templates again."""
    if isinstance(value, dict):
        return {key: _with_templates(each, said) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_templates(each, said) for each in value]
    return said.get(value, value) if isinstance(value, str) else value


def _without_claims(result: LabResult | Timing) -> LabResult | Timing:
    """What an earlier release measured claims no interval that one process does not earn."""
    if isinstance(result, Timing):
        return drop_unsupported_intervals(result)
    if isinstance(result, ProgramComparison):
        return dataclasses.replace(result, timing=drop_unsupported_intervals(result.timing))
    if isinstance(result, Scaling) and result.environment.processors is None:
        points = (
            dataclasses.replace(
                point,
                eager=None if point.eager is None else without_interval(point.eager),
                jit=None if point.jit is None else without_interval(point.jit),
            )
            for point in result.points
        )
        return dataclasses.replace(result, points=tuple(points))
    return result


def split_timing(
    results: Sequence[LabResult | Timing],
) -> tuple[Timing | None, tuple[LabResult, ...]]:
    """The timing of the call, and the experiments."""
    timing = next((result for result in results if isinstance(result, Timing)), None)
    return timing, tuple(result for result in results if not isinstance(result, Timing))


_MANIFEST = "manifest.json"
_SOURCES = "sources.json"
_PASSES = "passes.json"
_LAB = "lab.json"
_WINDOW = "window.json"
_DTYPES = {"int8": "<i1", "uint8": "<u1", "int32": "<i4", "int64": "<i8", "float64": "<f8"}
_TEXT, _LINE_NODES = "text.utf8", "text.line_nodes"

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Saved:
    """What a file holds.

    Attributes:
        capture: The capture.
        timing: The measurements of its call, if there are any.
        lab: What experiments found, at most one of each kind.
        layout: How a window laid out its panes, in the window's own words; empty where unknown.
    """

    capture: Capture
    timing: Timing | None = None
    lab: tuple[LabResult, ...] = ()
    layout: str = ""


def save_capture(
    capture: Capture,
    path: str | Path,
    timing: Timing | None = None,
    lab: Sequence[object] = (),
    layout: str = "",
) -> None:
    """Write a capture, and its measurements if there are any, to a file.

    The file is complete or not there: it is written beside its place and moved.

    Args:
        timing: Measurements of its call.
        lab: What experiments found; what is of no kind that files hold is left out.
        layout: How a window lays out its panes, in the window's own words.

    Raises:
        UsageError: `path` is a folder, or its folder does not exist; or notes are too long.
        EnvironmentProblem: The disk refuses: full, read-only, no permission.
    """
    stages, blobs = [], {}
    for index, stage in enumerate(capture.stages):
        arrays = _stage_arrays(stage)
        described, blob = _pack(arrays)
        stages.append(_describe_stage(stage, described))
        blobs[_stage_name(index)] = blob
    manifest = Manifest(
        format=FORMAT,
        version=VERSION,
        call=capture.call,
        base=capture.base,
        transforms=capture.transforms,
        source=capture.source,
        environment=capture.environment,
        target=capture.target,
        arguments=capture.arguments,
        results=capture.results,
        files=tuple((file.path, file.sha256) for file in capture.files),
        stages=tuple(stages),
        fates=saved_fates(capture.fates),
        checks=capture.checks,
        messages=capture.messages,
        wall_seconds=capture.wall_seconds,
        memory=capture.memory,
        job=capture.job,
        placement=None if isinstance(capture.placement, Unavailable) else capture.placement,
        placement_missing=_missing(capture.placement),
        said=_find_said(capture),
    )
    sources = Sources(tuple(file.text for file in capture.files))
    entries = {_MANIFEST: _encode(manifest), _SOURCES: _encode(sources), **blobs}
    if capture.passes:
        tags = capture.pass_tags
        entries[_PASSES] = _encode(
            PassEntries(capture.passes, tags.base, tags.derived, capture.fusion_log)
        )
    measured = [*lab, *(() if timing is None else (timing,))]
    if measured:
        entries[_LAB] = encode_lab(measured)
    if layout:
        entries[_WINDOW] = _encode(Window(layout))
    archive_container.write(Path(path), entries, encode_bookmarks(capture.bookmarks))


def load_capture(path: str | Path) -> Capture:
    """Read a capture from a file; nothing is run and no other file is opened.

    Raises:
        SourceError: The file is missing, damaged, too large or no capture.
    """
    return load_session(path)[0]


def load_session(path: str | Path) -> tuple[Capture, Timing | None]:
    """Read a capture and the measurements that were saved with it.

    Raises:
        SourceError: The file is missing, damaged, too large or no capture.
    """
    saved = load_saved(path)
    return saved.capture, saved.timing


def load_saved(path: str | Path, ahead: archive_container.ReadAhead | None = None) -> Saved:
    """Read all that a file holds; nothing is run and no other file is opened.

    Args:
        path: A `.jaxscope` file, or the JSON of a capture, which has neither measurements nor a
            layout.
        ahead: What reads that `.jaxscope` file already.

    Raises:
        SourceError: The file is missing, damaged, too large or no capture.
    """
    place = Path(path)
    if place.name.endswith(JSON_ENDING):
        return Saved(contract.load_contract(place))
    read = archive_container.read_commented
    entries, comment = read(place) if ahead is None else ahead.take()
    try:
        for name in {_MANIFEST, _PASSES, _LAB, _WINDOW} & entries.keys():
            entries[name] = clean_json(entries[name])
        capture, timing = _decode(entries)
        known, lab = split_timing(decode_lab(entries[_LAB]) if _LAB in entries else ())
        marked = dataclasses.replace(capture, bookmarks=decode_bookmarks(comment))
        return Saved(marked, known or timing, lab, _read_layout(entries.get(_WINDOW)))
    except (
        ValueError,  # includes msgspec's and Unicode's errors
        KeyError,
        RecursionError,
        MemoryError,
        OverflowError,
    ) as error:
        raise SourceError(
            say(
                "{name} cannot be opened: it is damaged or no capture of jaxscope's.",
                name=place.name,
            ),
            why=say("The entry {name} is missing.", name=str(error.args[0]))
            if isinstance(error, KeyError)
            else str(error)[:500],
            where=str(place),
            remedy=say("Save the capture again, or capture the call anew."),
        ) from None


def _read_layout(entry: bytes | None) -> str:
    return "" if entry is None else ARCHIVE.decode(Window, entry).layout


def _decode(entries: dict[str, bytes]) -> tuple[Capture, Timing | None]:
    manifest = decode_manifest(entries[_MANIFEST])
    texts = ARCHIVE.decode(Sources, entries[_SOURCES]).texts
    if len(texts) != len(manifest.files):
        raise ValueError(f"{len(manifest.files)} source files are listed, {len(texts)} are there")
    names = map(_stage_name, range(len(manifest.stages)))
    wanted = {_MANIFEST, _SOURCES, _PASSES, _LAB, _WINDOW, *names}
    if set(entries) - wanted:
        raise ValueError(f"the entry {min(set(entries) - wanted)} belongs to no stage")
    stages = tuple(
        _read_stage(entry, entries[_stage_name(index)])
        for index, entry in enumerate(manifest.stages)
    )
    passes = _read_passes(entries.get(_PASSES))
    said = {each: each for each in map(unpack_said, manifest.said)}
    capture = Capture(
        call=manifest.call,
        base=manifest.base,
        transforms=manifest.transforms,
        source=manifest.source,
        files=tuple(
            SourceFile(file, text, sha256)
            for (file, sha256), text in zip(manifest.files, texts, strict=True)
        ),
        environment=manifest.environment,
        target=manifest.target,
        arguments=manifest.arguments,
        results=manifest.results,
        stages=stages,
        fates={
            id: dataclasses.replace(fate, text=said.get(fate.text, fate.text))
            for id, fate in manifest.fates.items()
        }
        or FateTable(stages, None, manifest.target),
        checks=tuple(
            dataclasses.replace(
                each,
                message=said.get(each.message, each.message),
                remedy=said.get(each.remedy, each.remedy),
            )
            for each in manifest.checks
        ),
        messages=tuple(said.get(each, each) for each in manifest.messages),
        wall_seconds=manifest.wall_seconds or 0.0,
        passes=passes.passes,
        pass_tags=TagTable(passes.base_tags, passes.derived_tags),
        fusion_log=passes.fusion_log,
        memory=manifest.memory,
        placement=manifest.placement or manifest.placement_missing or NO_PLACEMENT,
        job=manifest.job,
    )
    timing = manifest.timing
    return capture, None if timing is None else drop_unsupported_intervals(timing)


def _find_said(capture: Capture) -> tuple[Any, ...]:
    texts = [text for each in capture.checks for text in (each.message, each.remedy)]
    texts += [*capture.messages, *(fate.text for fate in saved_fates(capture.fates).values())]
    return tuple(pack_said(t) for t in dict.fromkeys(texts) if isinstance(t, Said))


def _read_passes(data: bytes | None) -> PassEntries:
    return PassEntries() if data is None else ARCHIVE.decode(PassEntries, data)


def _stage_name(index: int) -> str:
    return f"stages/{index}.bin"


def _stage_arrays(stage: Stage) -> Arrays:
    arrays: Arrays = {}
    if is_available(stage.graph):
        arrays |= graph_to_arrays(stage.graph)
    if is_available(stage.text):
        encoded = stage.text.text.encode("utf-8", "surrogatepass")
        arrays[_TEXT] = np.frombuffer(encoded, np.uint8)
        arrays[_LINE_NODES] = stage.text.line_nodes
    return arrays


def _describe_stage(stage: Stage, described: tuple[ArrayEntry, ...]) -> StageEntry:
    return StageEntry(
        name=stage.name,
        title=stage.title,
        cost=stage.cost,
        arrays=described,
        seconds=stage.seconds if is_available(stage.seconds) else None,
        seconds_missing=_missing(stage.seconds),
        text_missing=_missing(stage.text),
        graph_missing=_missing(stage.graph),
        unavailable=stage.unavailable,
        kernels=stage.kernels,
        fetched_seconds=stage.fetched_seconds,
    )


def _missing(value: object) -> Unavailable | None:
    return value if isinstance(value, Unavailable) else None


def _read_stage(entry: StageEntry, blob: bytes) -> Stage:
    arrays = _unpack(entry.arrays, blob)
    seconds: float | Unavailable | None = entry.seconds_missing
    if seconds is None:
        seconds = entry.seconds
    return Stage(
        name=entry.name,
        title=entry.title,
        text=entry.text_missing if entry.text_missing is not None else _read_text(arrays),
        graph=graph_from_arrays(arrays) if entry.graph_missing is None else entry.graph_missing,
        cost=entry.cost,
        seconds=Unavailable("The time was not saved.") if seconds is None else seconds,
        unavailable=entry.unavailable,
        kernels=entry.kernels,
        fetched_seconds=entry.fetched_seconds,
    )


def _read_text(arrays: Arrays) -> StageText:
    text = arrays[_TEXT].tobytes().decode("utf-8", "surrogatepass")
    nodes = arrays[_LINE_NODES]
    num_lines = text.count("\n") + 1
    num_nodes = len(arrays["node.id"]) if "node.id" in arrays else 0
    if nodes.dtype != np.int32 or nodes.shape != (num_lines,):
        raise ValueError("the links of a text do not fit its lines")
    if bool(np.any(nodes < -1)) or bool(np.any(nodes >= num_nodes)):
        raise ValueError("a line of a text links to a node that is not there")
    return StageText(text, nodes)


def _pack(arrays: Arrays) -> tuple[tuple[ArrayEntry, ...], bytes]:
    """Put arrays into one blob, widest elements first so that each is aligned."""
    ordered = sorted(arrays.items(), key=lambda item: -item[1].dtype.itemsize)
    described = tuple(
        ARCHIVE.read(ArrayEntry, [name, array.dtype.name, list(array.shape)])
        for name, array in ordered
    )
    blob = b"".join(array.astype(_DTYPES[array.dtype.name]).tobytes() for _, array in ordered)
    return described, blob


def _unpack(described: tuple[ArrayEntry, ...], blob: bytes) -> Arrays:
    arrays: Arrays = {}
    start = 0
    for entry in described:
        dtype = np.dtype(_DTYPES[entry.dtype])
        if entry.name in arrays:
            raise ValueError(f"the array {entry.name} is there twice")
        count = math.prod(entry.shape)
        stop = start + count * dtype.itemsize
        if stop > len(blob):
            raise ValueError(f"the array {entry.name} runs past the end of its entry")
        arrays[entry.name] = np.frombuffer(blob, dtype, count, start).reshape(entry.shape)
        start = stop
    if start != len(blob):
        raise ValueError("an entry holds more bytes than its arrays")
    return arrays


def _encode(value: object) -> bytes:
    """Encode as JSON, which cannot carry lone surrogates; names of files may have them."""
    plain = ARCHIVE.write(value)
    try:
        return msgspec.json.encode(plain, enc_hook=str)  # `Said` is text
    except UnicodeEncodeError:
        return msgspec.json.encode(_without_surrogates(msgspec.to_builtins(plain, enc_hook=str)))


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_without_surrogates(k): _without_surrogates(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value
