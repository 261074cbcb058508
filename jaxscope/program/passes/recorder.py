"""Takes the modules after each pass, one by one, compares each with the one before, and keeps what
is worth keeping (bounded, compressed); and the passes as text, one line each.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping, Sequence

from jaxscope.late_dataclass import dataclass
from jaxscope.model import PassRecord
from jaxscope.model.capture import pack_module
from jaxscope.model.graph import Cost
from jaxscope.model.op_name import TagTable, without_call
from jaxscope.model.said import say
from jaxscope.model.unavailable import Unavailable
from jaxscope.model.units import format_bytes, format_flops, format_seconds
from jaxscope.program.fates.outcomes import PassOutcome, PassStep
from jaxscope.program.memory.module_peak import ModulePeak, find_module_peak
from jaxscope.program.passes.follow import EquationFollower, Lineage
from jaxscope.program.passes.snapshot import (
    Snapshot,
    SnapshotReader,
    compare_notes,
    excerpt_changes,
)

_MAX_TOTAL_CHARS = 16 << 20
_MAX_PACKED_BYTES = 24 << 20
"""Compressed modules together; later ones are not kept, and their graphs not shown."""

_MAX_CARRIERS = 4
_PEAK_BUDGET_S = 2.0
_ESTIMATES_BUDGET_S = 4.0
"""Thread time: a module of 4,000 instructions takes 0.06 s."""

_TOO_LONG = say("Left out: finding the peaks of the modules before it took long enough.")
_NOT_FOLLOWED = say("It is not known what lives when in this module.")
_END = "after_optimizations"
COMPILED = say("as compiled")
"""The name of the last module: the one whose order is fixed."""


@dataclass(frozen=True, eq=False)
class Passes:
    """What was recorded.

    Attributes:
        records: The module as XLA received it, then every pass that changed something.
        endings: What the passes did to each equation that no instruction carries at the end.
        missing: Why some passes are not there, or None.
        tags: What the tags in the records' modules stand for.
        no_times: Why no pass has seconds; empty where some have.
    """

    records: tuple[PassRecord, ...] = ()
    endings: Mapping[str, PassOutcome] = dataclasses.field(default_factory=dict)
    missing: Unavailable | None = None
    tags: TagTable = dataclasses.field(default_factory=TagTable)
    no_times: str = ""


class PassRecorder:
    """Compares each module with the one before; holds only the last of them.

    Args:
        tags: What the tags in the names of operations stand for.
        stage: Name of the last jaxpr-level stage, for texts; empty if it is the base function's.
    """

    def __init__(self, tags: TagTable, stage: str = "") -> None:
        self._reader = SnapshotReader(tags)
        self._last: Snapshot | None = None
        self._last_proto = b""
        self._followed: Snapshot | None = None
        self._lineage = Lineage()
        self._follower = EquationFollower(stage)
        self._tags = tags
        self._records: list[PassRecord] = []
        self._steps: list[int] = []
        self._num_fed = 0
        self._num_chars = self._num_packed = 0
        self._left_s = _PEAK_BUDGET_S
        self._left_for_estimates_s = _ESTIMATES_BUDGET_S
        self._is_damaged = False

    def feed(self, step: PassStep, proto: bytes, cost: Cost) -> None:
        """Take the module after a pass. One that cannot be read is passed over."""
        self._num_fed += 1
        if self._records and proto == self._last_proto:
            self._steps.append(self._num_fed - 1)
            self._records.append(_unchanged(step, self._records[-1], cost))
            return
        try:
            snapshot = self._reader.read(proto)
        except ValueError:
            self._is_damaged = True
            return
        before, self._last = self._last, snapshot
        before_proto, self._last_proto = self._last_proto, proto
        if before is None:
            self._followed = self._lineage.feed(snapshot)
            self._follower.begin(self._followed, snapshot)
            record = self._first(snapshot)
        else:
            record = self._compare(step, before, snapshot)
            if not record.has_changed:
                notes = compare_notes(before_proto, proto)
                record = dataclasses.replace(record, notes_changed=notes)
        self._steps.append(self._num_fed - 1)
        packed = self._pack(proto)
        self._records.append(self._with_peak(record, proto, cost=cost, packed=packed))

    def result(self, missing: str | None = None, seconds: Sequence[float] = ()) -> Passes:
        """What was recorded so far.

        Args:
            missing: Why some passes are not there.
            seconds: Of the pass before each module that was fed; may be empty.
        """
        reason = missing
        if reason is None and self._is_damaged:
            reason = say("A module between two passes could not be read.")
        records = self._records
        if len(seconds) == self._num_fed:
            records = [
                dataclasses.replace(record, seconds=seconds[step])
                for record, step in zip(records, self._steps, strict=True)
            ]
        # What was followed to a module that does not run tells no fate.
        is_whole = reason is None or (records[-1:] and records[-1].name == COMPILED)
        followed = self._followed if is_whole else None
        return Passes(
            tuple(records),
            self._follower.endings(followed) if followed else {},
            Unavailable(reason, "passes") if reason else None,
            self._tags,
        )

    def _first(self, snapshot: Snapshot) -> PassRecord:
        carriers = {
            without_call(tag): tuple(names[:_MAX_CARRIERS])
            for tag, names in snapshot.holders.items()
        }
        text = self._bounded(_whole(snapshot))
        size = len(snapshot.rows)
        return PassRecord("", "", size, snapshot.num_fusions, text=text, carriers=carriers)

    def _compare(self, step: PassStep, before: Snapshot, after: Snapshot) -> PassRecord:
        """What changed between two modules."""
        old, new = before.rows, after.rows
        removed, added = old.keys() - new.keys(), new.keys() - old.keys()
        changed = {n for n, row in new.items() if n in old and old[n].key != row.key}
        name = COMPILED if step.name == _END else step.name
        named = dataclasses.replace(step, name=name)
        self._followed = self._lineage.feed(after)
        followed = self._lineage.before
        assert followed is not None
        ended = self._follower.follow(named, followed, self._followed)
        was, now = followed.holders, self._followed.holders
        carriers: dict[str, tuple[str, ...]] = {}
        for tag in was.keys() | now.keys():
            if was.get(tag) != now.get(tag):
                id = without_call(tag)
                names = (*carriers.get(id, ()), *now.get(tag, ()))
                carriers[id] = tuple(dict.fromkeys(names))[:_MAX_CARRIERS]
        texts = excerpt_changes(before, after, set(removed), set(added), changed)
        return PassRecord(
            name,
            step.pipeline,
            len(new),
            after.num_fusions,
            len(added),
            len(removed),
            len(changed),
            number=step.number,
            before=self._bounded(texts[0]),
            text=self._bounded(texts[1]),
            ended=tuple(dict.fromkeys(map(without_call, ended))),
            carriers=carriers,
        )

    def _pack(self, proto: bytes) -> bytes:
        """The module, compressed, as long as all of them together are not too large."""
        packed = pack_module(proto) if self._num_packed < _MAX_PACKED_BYTES else b""
        self._num_packed += len(packed)
        return packed if self._num_packed <= _MAX_PACKED_BYTES else b""

    def _with_peak(
        self, record: PassRecord, proto: bytes, *, cost: Cost, packed: bytes
    ) -> PassRecord:
        """The record with the peak of its module, or why that is not known."""
        start = time.thread_time()
        peak, missing = ModulePeak(), _TOO_LONG
        may_estimate = self._left_for_estimates_s > 0
        if self._left_s > 0:
            try:
                peak = find_module_peak(proto, estimates=may_estimate)
                missing = _NOT_FOLLOWED if may_estimate else _TOO_LONG
            except ValueError:
                missing = _NOT_FOLLOWED
        took_s = time.thread_time() - start
        if math.isnan(peak.estimated_bytes):
            self._left_s -= took_s
        else:
            self._left_for_estimates_s -= took_s
        is_known = not math.isnan(peak.scheduled_bytes) or not math.isnan(peak.estimated_bytes)
        return dataclasses.replace(
            record,
            cost=cost,
            packed=packed,
            peak_bytes=peak.scheduled_bytes,
            estimated_peak_bytes=peak.estimated_bytes,
            peak_missing="" if is_known else missing,
        )

    def _bounded(self, text: str) -> str:
        """The text, as long as all texts together are not too long."""
        if self._num_chars + len(text) > _MAX_TOTAL_CHARS:
            return "… left out: the texts of the passes are too long to keep"
        self._num_chars += len(text)
        return text


def _unchanged(step: PassStep, last: PassRecord, cost: Cost) -> PassRecord:
    """The record of a dump that is the one before, byte for byte."""
    return PassRecord(
        COMPILED if step.name == _END else step.name,
        step.pipeline,
        last.num_instructions,
        last.num_fusions,
        number=step.number,
        cost=cost,
        peak_bytes=last.peak_bytes,
        estimated_peak_bytes=last.estimated_peak_bytes,
        peak_missing=last.peak_missing,
        packed=last.packed if step.name == _END else b"",
    )


def _whole(snapshot: Snapshot) -> str:
    """The text of a whole module, as far as it fits."""
    empty = Snapshot({}, {}, {}, {}, {}, set(), set(), "")
    return excerpt_changes(empty, snapshot, set(), set(snapshot.rows), set())[1]


TIMED = say(
    "Seconds are those of the compilation whose result is shown, as XLA's own recorder noted "
    "them; a pass that repeats others includes them. Unknown for what changes the module outside "
    "of a pass of a pipeline."
)
COUNTED = say(
    "FLOPs and bytes of each pass are XLA's own count of the module after it: one round of each "
    "loop, and of branches the dearest."
)
ESTIMATED = say(
    "Peak memory is that of XLA's own order where it has fixed one. Before, nobody knows what will "
    "live when: a figure with ~ is an estimate, of the module run instruction by instruction in "
    "program order, before scheduling. The two do not compare: over the samples the estimate of "
    "the module that XLA then schedules is the same in four of five programs on the CPU, and a "
    "third to 1.2 times the scheduled figure in the others. Copies that XLA puts in late, for the "
    "state of loops, count from copy-insertion on."
)


def list_passes(passes: Passes) -> str:
    """What each pass left: instructions, fusions, cost, peak memory, and what it changed.

    The number before a name is that of XLA's dump.
    """
    has_seconds = any(not math.isnan(record.seconds) for record in passes.records)
    titles = ("instructions", "fusions", "XLA's FLOPs", "bytes", "seconds", "peak")
    lines = [f"{titles[0]:>12} {titles[1]:>8} {titles[2]:>11} {titles[3]:>10} {titles[4]:>10} "]
    lines[0] += f"{titles[5]:>10}  pass"
    pipeline = ""
    for record in passes.records:
        if record.pipeline != pipeline:
            pipeline = record.pipeline
            lines += [f"{'':68}{pipeline}:"] if pipeline else []
        lines.append(_line(record))
    lines.append(
        TIMED if has_seconds else passes.no_times or say("How long passes took is not known.")
    )
    lines += [COUNTED, ESTIMATED]
    if passes.missing is not None:
        lines.append(passes.missing.reason)
    return "\n".join(lines)


def format_peak(record: PassRecord) -> str:
    """The peak after a pass, an estimate with `~` before it; empty where none is known."""
    if not math.isnan(record.peak_bytes):
        return format_bytes(record.peak_bytes)
    estimate = record.estimated_peak_bytes
    return "" if math.isnan(estimate) else f"~{format_bytes(estimate)}"


def explain_missing_peak(record: PassRecord) -> str:
    """Why the peak by XLA's schedule is not known; empty where it is."""
    if not math.isnan(record.peak_bytes):
        return ""
    if math.isnan(record.estimated_peak_bytes):
        return record.peak_missing or say("It was not looked for.")
    return say("XLA has not fixed the order in which the module runs; estimated in program order.")


def describe_change(record: PassRecord) -> str:
    """How many instructions are new, gone and changed; or what else differs."""
    counts = f"+{record.num_added} −{record.num_removed} ~{record.num_changed}"
    return f"{counts}, {record.change} only" if record.notes_changed else counts


def _line(record: PassRecord) -> str:
    cost = record.cost
    flops, accessed = format_flops(cost.flops), format_bytes(cost.bytes_accessed)
    change = describe_change(record)
    name = f"{record.name}  ({change})" if record.name else "as XLA received it"
    name = name if record.number is None else f"{record.number:04} {name}"
    seconds = "" if math.isnan(record.seconds) else format_seconds(record.seconds)
    peak = format_peak(record)
    return (
        f"{record.num_instructions:12} {record.num_fusions:8} {flops:>11} {accessed:>10} "
        f"{seconds:>10} {peak:>10}  {name}"
    )
