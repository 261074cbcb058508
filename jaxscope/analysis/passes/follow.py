"""Follow every equation through the passes: what became of its operation, and what ended it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from jaxscope.analysis.fates.trace import Ending
from jaxscope.analysis.passes.ending import Found, find_ending
from jaxscope.analysis.passes.snapshot import Row, Snapshot

_UNTELLING = frozenset(
    {
        *("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "copy", "fusion"),
        *("broadcast", "reshape", "call", "iota", "convert"),
    }
)
_MAX_STEPS = 4


@dataclasses.dataclass(slots=True)
class _Life:
    """What happened so far to an equation that is still carried."""

    steps: list[str] = dataclasses.field(default_factory=list)
    placed_by: str = ""


class Follower:
    """Takes each pair of neighbouring modules.

    Args:
        stage: Name of the stage whose equations are followed, for texts.
    """

    def __init__(self, stage: str = "") -> None:
        self._stage = stage
        self._found: dict[str, Found] = {}
        self._lives: dict[str, _Life] = {}

    def follow(self, pass_name: str, pipeline: str, before: Snapshot, after: Snapshot) -> list[str]:
        """Note what the pass did to each equation; returns the ids of those that end here."""
        ended = [tag for tag in before.holders if tag not in after.holders]
        for tag, names in after.holders.items():
            self._found.pop(tag, None)
            if before.holders.get(tag) != names:
                self._note(tag, pass_name, before, after)
        for tag, found in self._found.items():
            gone = [before.rows[n] for n in found.heirs if n not in after.rows and n in before.rows]
            if gone:
                self._pass_on(tag, found, gone, pass_name, pipeline, before, after)
        for tag in ended:
            rows = [before.rows[name] for name in before.holders[tag]]
            step = (pass_name, pipeline)
            self._found[tag] = find_ending(tag, rows, step, before, after, self._stage)
        return ended

    def endings(self, last: Snapshot) -> dict[str, Ending]:
        """What the passes did to each equation that they touched."""
        known = {
            tag: Ending(life.placed_by, "", "", (), (), "; ".join(life.steps))
            for tag, life in self._lives.items()
            if tag in last.holders and (life.placed_by or life.steps)
        }
        for tag, found in self._found.items():
            heirs = tuple(name for name in found.heirs if name in last.rows)
            known[tag] = dataclasses.replace(found.ending, instructions=heirs)
        return known

    def _note(self, tag: str, pass_name: str, before: Snapshot, after: Snapshot) -> None:
        """Keep what changed of an equation that lives on: its operation, or where it stands."""
        old = [before.rows[name] for name in before.holders.get(tag, ())]
        new = [after.rows[name] for name in after.holders[tag]]
        life = self._lives.setdefault(tag, _Life())
        if any(r.computation in after.fused or r.opcode == "fusion" for r in new) and not any(
            r.computation in before.fused or r.opcode == "fusion" for r in old
        ):
            life.placed_by = pass_name
        was, now = _operations(old), _operations(new)
        gone, come = sorted(was - now), sorted(now - was)
        if gone and come and len(life.steps) < _MAX_STEPS:
            by = _factor(come[0], new, after)
            life.steps.append(
                f"{' and '.join(gone)} became {' and '.join(come)}{by} in {pass_name}"
            )

    def _pass_on(
        self,
        tag: str,
        found: Found,
        gone: Sequence[Row],
        pass_name: str,
        pipeline: str,
        before: Snapshot,
        after: Snapshot,
    ) -> None:
        """What took an equation's place ends as well: follow what takes its place in turn."""
        step = (pass_name, pipeline)
        later = find_ending(tag, list(gone), step, before, after, self._stage)
        fusions = tuple(n for n in later.heirs if after.rows[n].opcode == "fusion")
        if fusions or later.ending.fate in ("", "dead"):
            found.heirs = fusions
            return
        found.heirs = later.heirs
        if later.ending.fate == "folded":
            found.ending = dataclasses.replace(found.ending, fate="folded")
        if len(found.ending.text) < 200 and later.ending.text not in found.ending.text:
            text = f"{found.ending.text}; then {later.ending.text}"
            found.ending = dataclasses.replace(found.ending, text=text)


def _operations(rows: Sequence[Row]) -> set[str]:
    return {row.opcode for row in rows} - _UNTELLING


def _factor(opcode: str, rows: Sequence[Row], snapshot: Snapshot) -> str:
    """` by 0.3333333`, where the new operation has a constant operand."""
    for row in rows:
        if row.opcode != opcode:
            continue
        for operand in row.operands:
            source = snapshot.rows.get(operand)
            if source is not None and source.opcode == "broadcast" and source.operands:
                source = snapshot.rows.get(source.operands[0])
            if source is not None and source.opcode == "constant":
                value = source.literal()
                return f" by {value}" if value and len(value) < 24 else ""
    return ""
