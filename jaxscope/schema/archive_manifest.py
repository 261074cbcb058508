"""The typed manifest of a `.jaxscope` file."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import msgspec

from jaxscope.model import (
    Check,
    Cost,
    Environment,
    Fate,
    FunctionSource,
    Leaf,
    Measurement,
    PassRecord,
    Ratio,
    Timing,
    Unavailable,
)
from jaxscope.model.capture import MemoryPlan, Place
from jaxscope.model.sharding import Job, Placement
from jaxscope.model.statistics import drop_unsupported_intervals

FORMAT = "jaxscope.session"
VERSION = 1

_MAX_STAGES = 60
_MAX_PASSES = 4000
_MAX_ARRAYS = 256
_Size = Annotated[int, msgspec.Meta(ge=0, lt=2**40)]


class ArrayEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """Name, dtype and shape of one array of a stage, in the order in which their bytes stand."""

    name: str
    dtype: Literal["int8", "uint8", "int32", "int64", "float64"]
    shape: Annotated[tuple[_Size, ...], msgspec.Meta(max_length=2)]


class StageEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is small of one stage; the reasons stand for what is missing."""

    name: str
    title: str
    cost: tuple[float | None, float | None, float | None]
    arrays: Annotated[tuple[ArrayEntry, ...], msgspec.Meta(max_length=_MAX_ARRAYS)]
    seconds: float | None = None
    seconds_missing: Unavailable | None = None
    text_missing: Unavailable | None = None
    graph_missing: Unavailable | None = None
    unavailable: Unavailable | None = None


class MeasurementEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A measurement; JSON has no NaN, so an unknown number is null."""

    name: str
    median: float | None
    low: float | None
    high: float | None
    confidence: float | None
    runs: int
    samples: tuple[float | None, ...]
    is_noisy: bool
    unit: str
    protocol: str
    reasons: tuple[str, ...]


class RatioEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ratio of two measured quantities."""

    name: str
    median: float | None
    low: float | None
    high: float | None
    verdict: str
    confidence: float | None = None
    pairs: int = 0
    why_not: str = ""
    is_noisy: bool = False


class TimingEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The measurements that were saved with a capture."""

    call: str
    environment: Environment
    measurements: tuple[MeasurementEntry, ...]
    ratios: tuple[RatioEntry, ...]
    warnings: tuple[str, ...]

    @classmethod
    def from_model(cls, timing: Timing) -> TimingEntry:
        """Describe measurements."""
        return cls(
            timing.call,
            timing.environment,
            tuple(
                MeasurementEntry(
                    m.name,
                    _finite(m.median),
                    _finite(m.low),
                    _finite(m.high),
                    _finite(m.confidence),
                    m.runs,
                    tuple(map(_finite, m.samples)),
                    m.is_noisy,
                    m.unit,
                    m.protocol,
                    m.reasons,
                )
                for m in timing.measurements
            ),
            tuple(
                RatioEntry(
                    r.name,
                    _finite(r.median),
                    _finite(r.low),
                    _finite(r.high),
                    r.verdict,
                    _finite(r.confidence),
                    r.pairs,
                    r.why_not,
                    r.is_noisy,
                )
                for r in timing.ratios
            ),
            timing.warnings,
        )

    def to_model(self) -> Timing:
        """The measurements described."""
        timing = Timing(
            call=self.call,
            environment=self.environment,
            measurements=tuple(
                Measurement(
                    name=m.name,
                    median=_number(m.median),
                    low=_number(m.low),
                    high=_number(m.high),
                    confidence=_number(m.confidence),
                    runs=m.runs,
                    samples=tuple(map(_number, m.samples)),
                    is_noisy=m.is_noisy,
                    unit=m.unit,
                    protocol=m.protocol,
                    reasons=m.reasons,
                )
                for m in self.measurements
            ),
            ratios=tuple(
                Ratio(
                    r.name,
                    _number(r.median),
                    _number(r.low),
                    _number(r.high),
                    r.verdict,
                    _number(r.confidence),
                    r.pairs,
                    r.why_not,
                    r.is_noisy,
                )
                for r in self.ratios
            ),
            warnings=self.warnings,
        )
        return drop_unsupported_intervals(timing)


class MemoryEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """XLA's memory plan, or why there is none; an unknown size is null."""

    argument_bytes: float | None = None
    result_bytes: float | None = None
    temporary_bytes: float | None = None
    aliased_bytes: float | None = None
    code_bytes: float | None = None
    peak_bytes: float | None = None
    donated: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    missing: Unavailable | None = None
    places: tuple[Place, ...] = ()

    @classmethod
    def from_model(cls, plan: MemoryPlan | Unavailable) -> MemoryEntry:
        """Describe a plan."""
        if isinstance(plan, Unavailable):
            return cls(missing=plan)
        return cls(
            _finite(plan.argument_bytes),
            _finite(plan.result_bytes),
            _finite(plan.temporary_bytes),
            _finite(plan.aliased_bytes),
            _finite(plan.code_bytes),
            _finite(plan.peak_bytes),
            plan.donated,
            plan.kept,
            places=plan.places,
        )

    def to_model(self) -> MemoryPlan | Unavailable:
        """The plan described."""
        if self.missing is not None:
            return self.missing
        return MemoryPlan(
            _number(self.argument_bytes),
            _number(self.result_bytes),
            _number(self.temporary_bytes),
            _number(self.aliased_bytes),
            _number(self.code_bytes),
            _number(self.peak_bytes),
            self.donated,
            self.kept,
            self.places,
        )


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of a capture but its columns, its texts and its source files."""

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
    fates: dict[str, Fate]
    checks: tuple[Check, ...]
    messages: tuple[str, ...]
    wall_seconds: float | None = None
    timing: TimingEntry | None = None
    memory: MemoryEntry | None = None
    placement: Placement | None = None
    job: Job | None = None
    placement_missing: Unavailable | None = None


class Sources(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts of the user's files, in the manifest's order."""

    texts: tuple[str, ...]


class PassEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One recorded pass."""

    name: str
    pipeline: str
    num_instructions: int
    num_fusions: int
    num_added: int
    num_removed: int
    num_changed: int
    cost: tuple[float | None, float | None, float | None]
    before: str
    text: str
    ended: tuple[str, ...]
    carriers: dict[str, tuple[str, ...]]
    seconds: float | None = None
    peak_bytes: float | None = None
    estimated_peak_bytes: float | None = None
    peak_missing: str = ""
    packed: bytes = b""
    number: int | None = None

    @classmethod
    def from_model(cls, record: PassRecord) -> PassEntry:
        """Describe a pass."""
        cost = record.cost
        return cls(
            record.name,
            record.pipeline,
            record.num_instructions,
            record.num_fusions,
            record.num_added,
            record.num_removed,
            record.num_changed,
            (_finite(cost.flops), _finite(cost.bytes_accessed), _finite(cost.transcendentals)),
            record.before,
            record.text,
            record.ended,
            dict(record.carriers),
            _finite(record.seconds),
            _finite(record.peak_bytes),
            _finite(record.estimated_peak_bytes),
            record.peak_missing,
            record.packed,
            record.number,
        )

    def to_model(self) -> PassRecord:
        """The pass described."""
        return PassRecord(
            self.name,
            self.pipeline,
            self.num_instructions,
            self.num_fusions,
            self.num_added,
            self.num_removed,
            self.num_changed,
            Cost(*map(_number, self.cost)),
            self.before,
            self.text,
            self.ended,
            self.carriers,
            _number(self.seconds),
            _number(self.peak_bytes),
            _number(self.estimated_peak_bytes),
            self.peak_missing,
            self.packed,
            self.number,
        )


class PassEntries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All recorded passes."""

    passes: Annotated[tuple[PassEntry, ...], msgspec.Meta(max_length=_MAX_PASSES)]
    base_tags: tuple[str, ...] = ()
    derived_tags: tuple[str, ...] = ()
    fusion_log: str = ""


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
    return msgspec.json.decode(data, type=Manifest)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _number(value: float | None) -> float:
    return math.nan if value is None else value
