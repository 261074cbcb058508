"""How the last instructions that held an equation ended.

Somebody who used their result lives on and now uses something else. What that is tells what
happened: an operand of the vanished instruction (it was an identity), an older instruction that
computes the same (merged), a constant (folded), a new instruction (rewritten). Where nobody uses
the result any more, it is dead.

The modules compared are those of `lineage.py`: instructions that nothing depends on are not in
them, so an instruction ends in the pass that stopped using it, and not in the one that swept up.

Cost: per vanished equation a search through at most `_MAX_VISITS` users. Limits: where a pass
rebuilds a whole region at once, users of a vanished instruction are new as well, and nothing tells
which of them took its place: then it is said to have gone together with them.
"""

from __future__ import annotations

import dataclasses
import functools

from jaxscope.analysis.fates.trace import Ending, Step
from jaxscope.analysis.fates.words import name_equations
from jaxscope.analysis.passes.snapshot import Row, Snapshot

_MAX_VISITS = 500
_MAX_DEPTH = 12
_TRANSPOSE_FOLDER = "transpose-folding"
_LAYOUT = frozenset({"bitcast", "reshape", "copy"})
_CONSTANT = frozenset({"constant", "broadcast"})


@dataclasses.dataclass(slots=True)
class Found:
    """An ending, and the names of the instructions that took the place."""

    ending: Ending
    heirs: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class _Replacement:
    """Where `row` was used, `heir` is used now; `depth` users between them vanished as well.

    `user` is who uses it, where that changed in more than this.
    """

    row: Row
    heir: Row
    depth: int
    user: Row | None = None


def find_ending(
    tag: str, rows: list[Row], step: Step, before: Snapshot, after: Snapshot, stage: str = ""
) -> Found:
    """Tell what a pass did to the instructions of an equation.

    Args:
        tag: Id of the equation.
        rows: Its instructions before the pass; after it there are none.
        step: The pass.
        before: The module before.
        after: The module after.
        stage: Name of the equation's stage, for texts.
    """
    return _Ending(tag, rows, step, before, after, stage).find()


class _Ending:
    def __init__(
        self, tag: str, rows: list[Row], step: Step, before: Snapshot, after: Snapshot, stage: str
    ) -> None:
        self._tag, self._rows, self._stage = tag, rows, stage
        self._step = step
        self._before, self._after = before, after

    def find(self) -> Found:
        """Tell the ending from what the users of the equation's instructions use now."""
        replacements = self._replacements()
        for row in reversed(self._rows):
            twin = self._twin(row, replacements)
            if twin is not None:
                return self._merged(row, twin)
        if replacements:
            return self._judge(replacements[0])
        row = self._rows[-1]
        used = self._before.users.get(row.name, [])
        text = f"removed by {self._step.name} together with all that used it"
        return self._make("dead", text, before=(row.name, *used), after=())

    def _twin(self, row: Row, replacements: list[_Replacement]) -> Row | None:
        """An instruction that computes the same and lives on in its place."""
        heirs = {r.heir.name for r in replacements if r.row is row and r.depth == 0}
        is_finder = "cse" in self._step.name
        for name in _equals(self._before).get(row.name, ()):
            if name != row.name and name in self._after.rows and (name in heirs or is_finder):
                return self._before.rows[name]
        return None

    def _merged(self, row: Row, twin: Row) -> Found:
        others = tuple(tag for tag in twin.tags if tag != self._tag)
        whom = name_equations(others, self._stage) if others else twin.name
        text = f"merged with {whom} by {self._step.name}: the same on the same operands"
        names = (row.name, twin.name)
        return self._make("merged", text, (twin.name,), others, names, (twin.name,))

    def _judge(self, found: _Replacement) -> Found:
        """What it means that users of the instruction now use its heir."""
        row, heir = found.row, found.heir
        is_old = heir.name in self._before.rows
        sources = self._sources(row)
        names = (heir.name,)
        make = functools.partial(self._make, before=(row.name,), after=names)
        others = tuple(tag for tag in heir.tags if tag != self._tag)
        by = self._step.name
        if heir.opcode in _CONSTANT and heir.name not in sources and self._is_constant(heir):
            return make("folded", f"turned into a constant by {by}", names)
        if is_old and heir.name in sources:
            what = self._describe(self._before.rows[heir.name])
            if row.opcode == "transpose" and by == _TRANSPOSE_FOLDER:
                text = f"folded by {by} into the product that read it: that now reads {what}"
                return make("simplified", f"{text} in the other order")
            return make("simplified", self._removed(found, what))
        if heir.opcode == "tuple" and row.num_elements:
            return make("dead", f"no longer part of the state of its loop since {by}")
        if found.depth > 0 and (is_old or not self._reads(heir, {row.name, *sources})):
            return make("dead", f"removed by {by}, which simplified away what used it")
        if heir.opcode in _LAYOUT and row.opcode in (*_LAYOUT, "transpose", "broadcast"):
            does = "only moves bytes" if heir.opcode == "copy" else "computes and moves nothing"
            return make("layout", f"turned into {_name(heir)} by {by}, which {does}", names)
        verb = "taken into" if others and not is_old else "turned into"
        return make("simplified", f"{verb} {self._describe(heir)} by {by}", names)

    def _removed(self, found: _Replacement, what: str) -> str:
        """It is gone, and what it worked from is used in its place."""
        row, heir, user = found.row, found.heir, found.user
        was, by = self._before.rows[heir.name], self._step.name
        if row.opcode == "convert" and was.element != row.element == heir.element:
            return f"removed by {by}: {what} gives this type itself now"
        if user is not None:
            return f"taken into {self._describe(user)} by {by}, which now works from {what}"
        return f"removed by {by}, for it changes nothing: {what} takes its place"

    def _replacements(self) -> list[_Replacement]:
        """What stands where a vanished instruction was used, nearest first."""
        for row in reversed(self._rows):  # the last one is the equation's result
            found: list[_Replacement] = []
            waiting, seen = [(row.name, 0)], {row.name}
            while waiting and len(seen) < _MAX_VISITS:
                name, depth = waiting.pop(0)
                was = self._before.rows[name]
                root = self._after.roots.get(was.computation)
                if was.is_root and root is not None:
                    found.append(_Replacement(row, self._after.rows[root], depth))
                for user in self._before.users.get(name, ()):
                    is_new_user = user not in seen
                    seen.add(user)
                    now = self._after.rows.get(user)
                    if now is not None:
                        before = self._before.rows[user]
                        heir = self._operand_now(name, before, now)
                        if heir is not None:
                            changed = now if _has_changed_more(before, now) else None
                            found.append(_Replacement(row, heir, depth, changed))
                    elif is_new_user and depth < _MAX_DEPTH:
                        waiting.append((user, depth + 1))
            if found:
                return sorted(found, key=lambda replacement: replacement.depth)
        return []

    def _operand_now(self, name: str, was: Row, now: Row) -> Row | None:
        """What a user that lives on has now in the place of an operand."""
        if was.operands == now.operands:
            return None
        if len(was.operands) == len(now.operands):
            for old, new in zip(was.operands, now.operands, strict=True):
                if old == name and new != old:
                    return self._after.rows.get(new)
        fresh = [o for o in now.operands if o not in was.operands]
        return self._after.rows.get(fresh[0]) if len(fresh) == 1 else None

    def _sources(self, row: Row) -> set[str]:
        """What the vanished instruction worked from, through others that vanished with it."""
        found: set[str] = set()
        waiting = [row.name]
        while waiting and len(found) < _MAX_VISITS:
            for operand in self._before.rows[waiting.pop()].operands:
                if operand in found or operand not in self._before.rows:
                    continue
                found.add(operand)
                if operand not in self._after.rows:
                    waiting.append(operand)
        return found

    def _reads(self, heir: Row, wanted: set[str]) -> bool:
        """Whether an instruction works from any of these, through others that are new as well."""
        seen, waiting = {heir.name}, [heir.name]
        while waiting and len(seen) < _MAX_VISITS:
            for operand in self._after.rows[waiting.pop()].operands:
                if operand in wanted:
                    return True
                if operand not in seen and operand not in self._before.rows:
                    seen.add(operand)
                    waiting.extend([operand] if operand in self._after.rows else [])
        return False

    def _is_constant(self, row: Row) -> bool:
        if row.opcode == "broadcast" and row.operands:
            row = self._after.rows[row.operands[0]]
        return row.opcode == "constant"

    def _describe(self, row: Row) -> str:
        """An instruction by the equation it holds, else by its opcode and name."""
        if row.opcode == "parameter":
            return f"the argument {row.name}"
        if row.tags:
            return f"{row.name} of {name_equations(row.tags, self._stage)}"
        return _name(row)

    def _make(
        self,
        fate: str,
        text: str,
        heirs: tuple[str, ...] = (),
        merged_with: tuple[str, ...] = (),
        before: tuple[str, ...] = (),
        after: tuple[str, ...] = (),
    ) -> Found:
        own = self._before.own_names(before)
        ending = Ending(fate, self._step, merged_with, (), own, after, text)
        return Found(ending, heirs)


@functools.lru_cache(maxsize=2)
def _equals(snapshot: Snapshot) -> dict[str, list[str]]:
    """For each instruction those of its computation that compute the same, itself included.

    The same operation on the same operands, by a number for each. Parameters are told apart by
    theirs, and called computations by what they compute.
    """
    numbers: dict[str, int] = {}
    classes: dict[tuple[str, int], list[str]] = {}
    found: dict[str, list[str]] = {}
    for name, row in snapshot.rows.items():
        operands = tuple([numbers.get(operand, hash(operand)) for operand in row.operands])
        called = tuple([numbers.get(snapshot.roots.get(c, ""), hash(c)) for c in row.called])
        own = name if row.has_effect or row.opcode.startswith("rng") else ""
        numbers[name] = hash((row.kind, operands, called, own))
        found[name] = classes.setdefault((row.computation, numbers[name]), [])
        found[name].append(name)
    return found


def _has_changed_more(was: Row, now: Row) -> bool:
    """Whether a user reads something else in more than one place, or is another operation."""
    differing = sum(a != b for a, b in zip(was.operands, now.operands, strict=False))
    return was.opcode != now.opcode or differing > 1


def _name(row: Row) -> str:
    """`the dot dot_general.3`, `the bitcast`, `the constant.4`."""
    return f"the {row.name}" if row.name.startswith(row.opcode) else f"the {row.opcode} {row.name}"
