"""Takes the modules after each pass, one by one, and keeps what is worth keeping of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from jaxscope.analysis.fates.trace import Ending
from jaxscope.analysis.passes.excerpt import excerpt_changes
from jaxscope.analysis.passes.follow import Follower
from jaxscope.analysis.passes.snapshot import Snapshot, SnapshotReader
from jaxscope.model.graph import Cost
from jaxscope.model.op_name import TagTable
from jaxscope.model.passes import PassRecord
from jaxscope.model.unavailable import Unavailable

_MAX_TOTAL_CHARS = 16 << 20
_MAX_CARRIERS = 4
_START = "pipeline-start"
BETWEEN = "between pipelines"
"""The name of what changed the module outside of any pass, such as the scheduler."""


@dataclasses.dataclass(frozen=True, eq=False)
class Passes:
    """What was recorded.

    Attributes:
        records: The module as XLA received it, then every pass that changed something.
        endings: What the passes did to each equation that no instruction carries at the end.
        missing: Why some passes are not there, or None.
    """

    records: tuple[PassRecord, ...] = ()
    endings: Mapping[str, Ending] = dataclasses.field(default_factory=dict)
    missing: Unavailable | None = None


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
        self._records: list[PassRecord] = []
        self._num_chars = 0
        self._is_damaged = False

    def feed(self, name: str, pipeline: str, proto: bytes, cost: Cost) -> None:
        """Take the module after a pass. One that cannot be read is passed over."""
        try:
            snapshot = self._reader.read(proto)
        except ValueError:
            self._is_damaged = True
            return
        before, self._last = self._last, snapshot
        if before is None:
            carriers = {
                tag: tuple(names[:_MAX_CARRIERS]) for tag, names in snapshot.holders.items()
            }
            self._records.append(
                PassRecord(
                    "",
                    "",
                    len(snapshot.rows),
                    snapshot.num_fusions,
                    cost=cost,
                    text=self._bounded(_whole(snapshot)),
                    carriers=carriers,
                )
            )
            return
        self._compare(name, pipeline, before, snapshot, cost)

    def result(self, missing: str | None = None) -> Passes:
        """What was recorded so far."""
        reason = missing
        if reason is None and self._is_damaged:
            reason = "A module between two passes could not be read."
        return Passes(
            tuple(self._records),
            self._follower.endings(self._last) if self._last else {},
            Unavailable(reason, "passes") if reason else None,
        )

    def _compare(
        self, name: str, pipeline: str, before: Snapshot, after: Snapshot, cost: Cost
    ) -> None:
        old, new = before.rows, after.rows
        removed, added = old.keys() - new.keys(), new.keys() - old.keys()
        changed = {n for n, row in new.items() if n in old and old[n].key != row.key}
        is_start = name == _START
        if is_start and not (removed or added or changed):
            return
        name = BETWEEN if is_start else name
        ended = self._follower.follow(name, pipeline, before, after)
        carriers = {
            tag: tuple(after.holders.get(tag, ())[:_MAX_CARRIERS])
            for tag in before.holders.keys() | after.holders.keys()
            if before.holders.get(tag) != after.holders.get(tag)
        }
        if not (removed or added or changed or carriers or ended):
            return
        texts = excerpt_changes(before, after, set(removed), set(added), changed)
        self._records.append(
            PassRecord(
                name,
                pipeline,
                len(new),
                after.num_fusions,
                len(added),
                len(removed),
                len(changed),
                cost,
                self._bounded(texts[0]),
                self._bounded(texts[1]),
                tuple(ended),
                carriers,
            )
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
