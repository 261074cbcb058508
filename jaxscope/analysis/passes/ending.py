"""How the last instructions that carried an equation ended.

Somebody who used their result lives on and now uses something else. What that is tells what
happened: an operand of the vanished instruction (it was an identity), an older instruction that
computes the same (merged), a constant (folded), a new instruction (rewritten). Where nobody used
the result any more, it was dead.
"""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.fates.trace import REMADE, Ending
from jaxscope.analysis.fates.words import name_equations
from jaxscope.analysis.passes.snapshot import Row, Snapshot

_MAX_VISITS = 500
_MAX_DEPTH = 12
_DUPLICATE_FINDERS = ("cse", "hlo-cse", "while-loop-simplifier")
_TRANSPOSE_FOLDER = "transpose-folding"
_LAYOUT = frozenset({"bitcast", "reshape", "copy"})


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
    tag: str,
    rows: list[Row],
    step: tuple[str, str],
    before: Snapshot,
    after: Snapshot,
    stage: str = "",
) -> Found:
    """Tell what a pass did to the instructions of an equation.

    Args:
        tag: Id of the equation.
        rows: Its instructions before the pass; after it there are none.
        step: Name of the pass, and of its pipeline.
        before: The module before.
        after: The module after.
        stage: Name of the equation's stage, for texts.
    """
    return _Step(tag, rows, step, before, after, stage).find()


class _Step:
    def __init__(
        self,
        tag: str,
        rows: list[Row],
        step: tuple[str, str],
        before: Snapshot,
        after: Snapshot,
        stage: str,
    ) -> None:
        self._tag, self._rows, self._stage = tag, rows, stage
        self._pass, self._pipeline = step
        self._before, self._after = before, after

    def find(self) -> Found:
        """Tell the ending from what the users of the equation's instructions use now."""
        replacements = self._replacements()
        for found in replacements:
            if found.heir.name == found.row.name:
                name = found.heir.name
                text = f"what is left of it is {name}, without its name since {self._pass}"
                return self._make("simplified", text, (found.heir.name,))
        if replacements:
            return self._judge(replacements[0])
        if not any(self._is_used(row) for row in self._rows):
            return self._make(
                "dead", f"removed by {self._pass}, for nothing used its result any more"
            )
        return self._make("dead", f"removed by {self._pass} together with all that used it")

    def _judge(self, found: _Replacement) -> Found:
        """What it means that users of the instruction now use its heir."""
        row, heir = found.row, found.heir
        is_old = heir.name in self._before.rows
        sources = self._sources(row)
        heirs = (heir.name,)
        others = tuple(tag for tag in heir.tags if tag != self._tag)
        if heir.opcode == "constant" and heir.name not in sources:
            return self._make("folded", f"turned into a constant by {self._pass}", heirs)
        if is_old and heir.name in sources:
            what = self._describe(self._before.rows[heir.name])
            if row.opcode == "transpose" and self._pass == _TRANSPOSE_FOLDER:
                text = (
                    f"folded by {self._pass} into the product that read it: that now reads {what}"
                )
                return self._make("simplified", f"{text} in the other order")
            return self._make("simplified", self._removed(found, what))
        if is_old and found.depth > 0:
            text = f"removed by {self._pass}, which simplified away what used it"
            return self._make("dead", text)
        if is_old and heir.opcode == row.opcode:
            twin = self._before.rows[heir.name]
            if self._pass in _DUPLICATE_FINDERS or _are_alike(row, twin, self._before):
                whom = name_equations(others, self._stage) if others else heir.name
                text = f"merged with {whom} by {self._pass}: the same on the same operands"
                return self._make("merged", text, heirs, others)
        if heir.opcode in _LAYOUT and row.opcode in (*_LAYOUT, "transpose", "broadcast"):
            does = "only moves bytes" if heir.opcode == "copy" else "computes and moves nothing"
            text = f"turned into {_name(heir)} by {self._pass}, which {does}"
            return self._make("layout", text, heirs)
        if heir.opcode == row.opcode and not is_old:
            return self._make(REMADE, f"made anew as {heir.name} by {self._pass}", heirs)
        if others and not is_old:
            text = f"taken into {self._describe(heir)} by {self._pass}"
        else:
            text = f"turned into {self._describe(heir)} by {self._pass}"
        return self._make("simplified", text, heirs)

    def _removed(self, found: _Replacement, what: str) -> str:
        """It is gone, and what it worked from is used in its place."""
        row, heir, user = found.row, found.heir, found.user
        was = self._before.rows[heir.name]
        if row.opcode == "convert" and was.element != row.element == heir.element:
            return f"removed by {self._pass}: {what} gives this type itself now"
        if user is not None:
            into = self._describe(user)
            return f"taken into {into} by {self._pass}, which now works from {what}"
        return f"removed by {self._pass}, for it changes nothing: {what} takes its place"

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

    def _is_used(self, row: Row) -> bool:
        return row.is_root or bool(self._before.users.get(row.name))

    def _describe(self, row: Row) -> str:
        """An instruction by the equation it carries, else by its opcode and name."""
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
    ) -> Found:
        return Found(Ending(self._pass, self._pipeline, fate, merged_with, (), text), heirs)


def _has_changed_more(was: Row, now: Row) -> bool:
    """Whether a user reads something else in more than one place, or is another operation."""
    differing = sum(a != b for a, b in zip(was.operands, now.operands, strict=False))
    return was.opcode != now.opcode or differing > 1


def _name(row: Row) -> str:
    """`the dot dot_general.3`, `the bitcast`, `the constant.4`."""
    return f"the {row.name}" if row.name.startswith(row.opcode) else f"the {row.opcode} {row.name}"


def _are_alike(row: Row, twin: Row, snapshot: Snapshot) -> bool:
    """Whether two instructions do the same to the same operands, or to operands that are alike."""
    if row.key == twin.key:
        return True
    if len(row.operands) != len(twin.operands) or row.operands == twin.operands:
        return False
    rows = snapshot.rows
    return all(
        a == b or (a in rows and b in rows and rows[a].key == rows[b].key)
        for a, b in zip(row.operands, twin.operands, strict=True)
    )
