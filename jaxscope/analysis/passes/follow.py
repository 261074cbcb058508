"""Follow every equation through the passes: what became of its operation, and what ended it.

An equation lives as long as an instruction holds it (`lineage.py`) that does work of its kind. Of
a product that is a matrix product, and not the reshape that is left when the product is gone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from jaxscope.analysis.fates.trace import Ending, Step
from jaxscope.analysis.fates.work import NAMING, work_of
from jaxscope.analysis.passes.ending import Found, find_ending
from jaxscope.analysis.passes.snapshot import Row, Snapshot
from jaxscope.model.op_name import without_call

_UNTELLING = frozenset(
    {
        *("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "copy", "fusion"),
        *("broadcast", "reshape", "call", "iota", "convert"),
    }
)
_MAX_STEPS = 4
_MAX_NAMES = 16
_MAX_OPCODES = 3


@dataclasses.dataclass(slots=True)
class _Life:
    """What happened so far to an equation that is still held.

    Attributes:
        work: How much its telling instructions do, as `work_of` says.
        first: Names of these in the module that XLA received.
        steps: What became of its operation, in words.
        placed: The pass that put it where it is, with names before and after it.
    """

    work: int
    first: tuple[str, ...]
    steps: list[str] = dataclasses.field(default_factory=list)
    placed: tuple[Step, tuple[str, ...], tuple[str, ...]] | None = None


class Follower:
    """Takes each pair of neighbouring modules, as `Lineage` gives them.

    Args:
        stage: Name of the stage whose equations are followed, for texts.
    """

    def __init__(self, stage: str = "") -> None:
        self._stage = stage
        self._found: dict[str, Found] = {}
        self._lives: dict[str, _Life] = {}

    def begin(self, first: Snapshot, whole: Snapshot) -> None:
        """Note who holds what in the module that XLA received.

        Args:
            first: What of it matters.
            whole: All of it: what nothing depends on is dead from the start.
        """
        for tag, names in first.holders.items():
            work = min(work_of(first.rows[name].opcode) for name in names)
            life = self._lives[tag] = _Life(work, ())
            life.first = tuple(row.name for row in self._telling(tag, first))
        for tag, names in whole.holders.items():
            if tag not in first.holders:
                ending = Ending("dead", before=tuple(names), text="nothing uses its result")
                self._found[tag] = Found(ending, ())

    def follow(self, step: Step, before: Snapshot, after: Snapshot) -> list[str]:
        """Note what the pass did to each equation; returns the ids of those that end here."""
        for tag, found in self._found.items():
            found.heirs = tuple([before.renamed.get(name, name) for name in found.heirs])
            gone = [before.rows[n] for n in found.heirs if n not in after.rows and n in before.rows]
            if gone:
                self._pass_on(tag, found, gone, step, before, after)
        ended: list[str] = []
        called: set[str] = set()
        for tag in after.holders.keys() - self._lives.keys():
            called.add(without_call(tag))
            whole = self._lives.get(without_call(tag))  # before its function was inlined
            work = min(work_of(after.rows[name].opcode) for name in after.holders[tag])
            self._lives[tag] = _Life(whole.work if whole else work, whole.first if whole else ())
        for tag, names in after.holders.items():
            if before.holders.get(tag) != names and self._telling(tag, after):
                self._found.pop(tag, None)
                self._note(tag, step, before, after)
        for tag in before.holders:
            if tag in self._found or self._telling(tag, after):
                continue
            if tag in called:
                del self._lives[tag]  # its function was inlined, and none of the calls is its own
                continue
            rows = self._telling(tag, before)
            if rows:
                ended.append(tag)
                self._found[tag] = find_ending(tag, rows, step, before, after, self._stage)
        return ended

    def endings(self, last: Snapshot) -> dict[str, Ending]:
        """What the passes did to each equation that XLA received."""
        known: dict[str, Ending] = {}
        for tag, life in self._lives.items():
            names = tuple(last.holders.get(tag, ()))
            telling = tuple(row.name for row in self._telling(tag, last))
            if not telling:
                continue
            step, before, after = life.placed or (None, life.first, telling)
            rest = tuple(name for name in names if name not in telling)
            known[tag] = Ending(
                "",
                step,
                instructions=telling + rest,
                before=before[:_MAX_NAMES],
                after=after[:_MAX_NAMES],
                text="; ".join(life.steps),
            )
        for tag, found in self._found.items():
            heirs = [name for name in found.heirs if name in last.rows]
            left = [name for name in last.holders.get(tag, ()) if name not in heirs]
            known[tag] = dataclasses.replace(found.ending, instructions=(*heirs, *left))
        return known

    def _telling(self, tag: str, snapshot: Snapshot) -> list[Row]:
        """The instructions that do the equation's work, not only what comes with it."""
        life = self._lives.get(tag)
        if life is None:
            return []
        rows = [snapshot.rows[name] for name in snapshot.holders.get(tag, ())]
        return [row for row in rows if work_of(row.opcode) <= life.work]

    def _note(self, tag: str, step: Step, before: Snapshot, after: Snapshot) -> None:
        """Keep what changed of an equation that lives on: its operation, or where it stands."""
        old, new = self._telling(tag, before), self._telling(tag, after)
        life = self._lives[tag]
        was_names = before.own_names(row.name for row in old)
        fused = [row.name for row in new if row.computation in after.fused]
        if fused and not any(row.computation in before.fused for row in old):
            life.placed = step, was_names, tuple(fused)
        elif life.work == NAMING and {row.opcode for row in old} != {row.opcode for row in new}:
            life.placed = step, was_names, tuple(row.name for row in new)
        was, now = _operations(old), _operations(new)
        gone, come = sorted(was - now), sorted(now - was)
        if gone and come and len(life.steps) < _MAX_STEPS:
            by = _factor(come[0], new, after) if len(come) == 1 else ""
            was_text, now_text = _join(gone), _join(come)
            life.steps.append(f"{was_text} became {now_text}{by} in {step.name}")

    def _pass_on(
        self,
        tag: str,
        found: Found,
        gone: Sequence[Row],
        step: Step,
        before: Snapshot,
        after: Snapshot,
    ) -> None:
        """What took an equation's place ends as well: follow what takes its place in turn."""
        later = find_ending(tag, list(gone), step, before, after, self._stage)
        kept = [name for name in found.heirs if name in after.rows]
        fusions = [n for n in later.heirs if after.rows[n].opcode == "fusion"]
        if fusions or later.ending.fate in ("", "dead"):
            found.heirs = (*kept, *fusions)
            return
        found.heirs = (*kept, *later.heirs)
        if len(found.ending.text) < 200 and later.ending.text not in found.ending.text:
            text = f"{found.ending.text}; then {later.ending.text}"
            found.ending = dataclasses.replace(found.ending, text=text)


def _operations(rows: Sequence[Row]) -> set[str]:
    return {row.opcode for row in rows} - _UNTELLING


def _join(opcodes: Sequence[str]) -> str:
    """Opcodes in words; of a whole algorithm its loop, if it is one."""
    if len(opcodes) > _MAX_OPCODES:
        return "a while loop" if "while" in opcodes else f"{len(opcodes)} kinds of operation"
    return " and ".join(opcodes)


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
