"""Takes the modules after each pass, one by one, and keeps what is worth keeping of each."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping, Sequence

from jaxscope.analysis.fates.trace import Ending
from jaxscope.analysis.memory.module_peak import ModulePeak, find_module_peak
from jaxscope.analysis.passes.excerpt import excerpt_changes
from jaxscope.analysis.passes.follow import Follower
from jaxscope.analysis.passes.snapshot import Snapshot, SnapshotReader
from jaxscope.model.graph import Cost
from jaxscope.model.op_name import TagTable
from jaxscope.model.passes import PassRecord, pack_module
from jaxscope.model.unavailable import Unavailable

_MAX_TOTAL_CHARS = 16 << 20
_MAX_PACKED_BYTES = 24 << 20
"""Compressed modules together; later ones are not kept, and their graphs not shown."""

_MAX_CARRIERS = 4
_PEAK_BUDGET_S = 2.0
_ESTIMATES_BUDGET_S = 4.0
"""Thread time: a module of 4,000 instructions takes 0.06 s."""

_TOO_LONG = "Left out: finding the peaks of the modules before it took long enough."
_NOT_FOLLOWED = "It is not known what lives when in this module."
_START = "pipeline-start"
_END = "after_optimizations"
BETWEEN = "between pipelines"
"""The name of what changed the module outside of any pass, such as the scheduler."""
COMPILED = "as compiled"
"""The name of the last module: the one whose order is fixed."""


@dataclasses.dataclass(frozen=True, eq=False)
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
    endings: Mapping[str, Ending] = dataclasses.field(default_factory=dict)
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
        self._follower = Follower(stage)
        self._tags = tags
        self._records: list[PassRecord] = []
        self._steps: list[int] = []
        self._num_fed = 0
        self._num_chars = self._num_packed = 0
        self._left_s = _PEAK_BUDGET_S
        self._left_for_estimates_s = _ESTIMATES_BUDGET_S
        self._is_damaged = False

    def feed(self, name: str, pipeline: str, proto: bytes, cost: Cost) -> None:
        """Take the module after a pass. One that cannot be read is passed over."""
        self._num_fed += 1
        try:
            snapshot = self._reader.read(proto)
        except ValueError:
            self._is_damaged = True
            return
        before, self._last = self._last, snapshot
        if before is None:
            record: PassRecord | None = self._first(snapshot)
        else:
            record = self._compare(name, pipeline, before, snapshot)
        if record is not None:
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
            reason = "A module between two passes could not be read."
        records = self._records
        if len(seconds) == self._num_fed:
            records = [
                dataclasses.replace(record, seconds=seconds[step])
                for record, step in zip(records, self._steps, strict=True)
            ]
        return Passes(
            tuple(records),
            self._follower.endings(self._last) if self._last else {},
            Unavailable(reason, "passes") if reason else None,
            self._tags,
        )

    def _first(self, snapshot: Snapshot) -> PassRecord:
        carriers = {tag: tuple(names[:_MAX_CARRIERS]) for tag, names in snapshot.holders.items()}
        text = self._bounded(_whole(snapshot))
        size = len(snapshot.rows)
        return PassRecord("", "", size, snapshot.num_fusions, text=text, carriers=carriers)

    def _compare(
        self, name: str, pipeline: str, before: Snapshot, after: Snapshot
    ) -> PassRecord | None:
        """What changed between two modules; None if nothing did."""
        old, new = before.rows, after.rows
        removed, added = old.keys() - new.keys(), new.keys() - old.keys()
        changed = {n for n, row in new.items() if n in old and old[n].key != row.key}
        is_start, is_end = name == _START, name == _END
        if is_start and not (removed or added or changed):
            return None
        name = BETWEEN if is_start or is_end else name
        ended = self._follower.follow(name, pipeline, before, after)
        carriers = {
            tag: tuple(after.holders.get(tag, ())[:_MAX_CARRIERS])
            for tag in before.holders.keys() | after.holders.keys()
            if before.holders.get(tag) != after.holders.get(tag)
        }
        if not (removed or added or changed or carriers or ended or is_end):
            return None
        texts = excerpt_changes(before, after, set(removed), set(added), changed)
        return PassRecord(
            COMPILED if is_end else name,
            pipeline,
            len(new),
            after.num_fusions,
            len(added),
            len(removed),
            len(changed),
            before=self._bounded(texts[0]),
            text=self._bounded(texts[1]),
            ended=tuple(ended),
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


def _whole(snapshot: Snapshot) -> str:
    """The whole module, as far as it fits."""
    empty = Snapshot({}, {}, {}, {}, {}, set(), "")
    return excerpt_changes(empty, snapshot, set(), set(snapshot.rows), set())[1]
