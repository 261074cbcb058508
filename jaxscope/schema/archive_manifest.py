"""What stands in the JSON entries of a `.jaxscope` file, and the codecs that write and read it.

The records are the model's own; here is only what a file has besides.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from jaxscope.model import (
    Check,
    Cost,
    Environment,
    Fate,
    FunctionSource,
    Leaf,
    PassRecord,
    Timing,
    Unavailable,
)
from jaxscope.model.capture import NO_MEMORY_PLAN, Bookmark, MemoryPlan
from jaxscope.model.experiments import (
    LAB_RESULTS,
    LabResult,
)
from jaxscope.model.sharding import Job, Placement
from jaxscope.schema.records import Codec, Rules

FORMAT = "jaxscope.session"
VERSION = 1

MAX_BOOKMARKS = 1_000
_MAX_STAGES = 60
_MAX_PASSES = 4000
_MAX_ARRAYS = 256
_MAX_RESULTS = 100
_Size = Annotated[int, msgspec.Meta(ge=0, lt=2**40)]


@dataclasses.dataclass(frozen=True, slots=True)
class ArrayEntry:
    """Name, dtype and shape of one array of a stage, in the order in which their bytes stand."""

    name: str
    dtype: Literal["int8", "uint8", "int32", "int64", "float64"]
    shape: Annotated[tuple[_Size, ...], msgspec.Meta(max_length=2)]


@dataclasses.dataclass(frozen=True, slots=True)
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


@dataclasses.dataclass(frozen=True, slots=True)
class Manifest:
    """All of a capture but its columns, its texts, its passes and its source files.

    Attributes:
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


@dataclasses.dataclass(frozen=True, slots=True)
class Sources:
    """Texts of the user's files, in the manifest's order."""

    texts: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class PassEntries:
    """All recorded passes, and what the tags in their modules stand for."""

    passes: Annotated[tuple[PassRecord, ...], msgspec.Meta(max_length=_MAX_PASSES)] = ()
    base_tags: tuple[str, ...] = ()
    derived_tags: tuple[str, ...] = ()
    fusion_log: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Window:
    """What a window looked like."""

    layout: Annotated[str, msgspec.Meta(max_length=65_536)]


@dataclasses.dataclass(frozen=True, slots=True)
class BookmarksComment:
    """The comment of the zip."""

    jaxscope_bookmarks: Annotated[tuple[Bookmark, ...], msgspec.Meta(max_length=MAX_BOOKMARKS)]


SAVED_TYPES: tuple[type[LabResult | Timing], ...] = (Timing, *LAB_RESULTS)
"""What `lab.json` can hold, each at most once."""


@dataclasses.dataclass(frozen=True, slots=True)
class LabEntry:
    """What was measured: each result as `LAB` writes it, distinguished by the name of its type."""

    results: Annotated[list[dict[str, Any]], msgspec.Meta(max_length=_MAX_RESULTS)]


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
