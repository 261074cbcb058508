"""Follow every equation through the passes: which one took its last instruction, and how.

Where the instructions that carried an equation end, somebody who used their result lives on and
now uses something else. What that is tells what happened: an operand of the vanished instruction
(it was an identity), an older instruction that computes the same (merged), a constant (folded),
a new instruction (rewritten). Where nobody used the result any more, it was dead.
"""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.fates.trace import Ending
from jaxscope.analysis.fates.words import name_equations
from jaxscope.analysis.passes.snapshot import Row, Snapshot

_MAX_VISITS = 500
_MAX_DEPTH = 12
_DUPLICATE_FINDERS = ("cse", "hlo-cse", "while-loop-simplifier", "domain-isolator")
_FOLDERS = ("constant_folding", "constant-folding")


@dataclasses.dataclass(slots=True)
class _Found:
    """An ending whose replacement is still watched, by name."""

    ending: Ending
    heirs: tuple[str, ...]


class Follower:
    """Takes each pair of neighbouring modules."""

    def __init__(self) -> None:
        self._found: dict[str, _Found] = {}

    def follow(self, pass_name: str, pipeline: str, before: Snapshot, after: Snapshot) -> list[str]:
        """Note the equations that end here; returns their ids."""
        ended = [tag for tag in before.holders if tag not in after.holders]
        for tag in after.holders:
            self._found.pop(tag, None)
        for tag in ended:
            self._found[tag] = _Step(tag, pass_name, pipeline, before, after).find()
        return ended

    def endings(self, last: Snapshot) -> dict[str, Ending]:
        """How each equation ended that no instruction carries at the end."""
        return {
            tag: dataclasses.replace(
                found.ending, instructions=tuple(n for n in found.heirs if n in last.rows)
            )
            for tag, found in self._found.items()
        }


class _Step:
    """What one pass did to one equation."""

    def __init__(
        self, tag: str, pass_name: str, pipeline: str, before: Snapshot, after: Snapshot
    ) -> None:
        self._tag = tag
        self._pass = pass_name
        self._pipeline = pipeline
        self._before = before
        self._after = after
        self._rows = [before.rows[name] for name in before.holders[tag]]

    def find(self) -> _Found:
        """Tell the ending from what the users of the equation's instructions use now."""
        replacements = self._replacements()
        for row, heir in replacements:
            if heir.name == row.name:
                text = f"lost its name{self._by()}, and stays as {heir.name}"
                return self._make("simplified", text, heirs=(heir.name,))
        for row, heir in replacements:
            found = self._judge(row, heir)
            if found is not None:
                return found
        if not replacements and not any(self._is_used(row) for row in self._rows):
            return self._make("dead", f"nothing used its result any more; removed{self._by()}")
        if not replacements and not self._survivors_need_it():
            return self._make("dead", f"what used it was removed{self._by()}")
        return self._make("", "")

    def _judge(self, row: Row, heir: Row) -> _Found | None:
        """What it means that users of `row` now use `heir`."""
        is_old = heir.name in self._before.rows
        sources = self._sources(row)
        if heir.opcode == "constant" and not self._is_source(heir, sources):
            return self._make("folded", f"became a constant{self._by()}", heirs=(heir.name,))
        if is_old and self._is_source(heir, sources):
            what = self._describe(self._before.rows[heir.name])
            text = f"its operand {what} takes its place{self._by()}"
            return self._make("simplified", text)
        if is_old and heir.opcode == row.opcode and heir.name not in sources:
            twin = self._before.rows[heir.name]
            others = tuple(tag for tag in twin.tags if tag != self._tag)
            if self._pass in _DUPLICATE_FINDERS or _are_alike(row, twin, self._before):
                with_whom = name_equations(others) if others else heir.name
                text = f"merged with {with_whom}{self._by()}: the same on the same operands"
                return self._make("merged", text, merged_with=others, heirs=(heir.name,))
        if is_old and not self._flows_into(row, heir):
            return self._make("dead", f"what used it was simplified away{self._by()}")
        if heir.opcode == row.opcode and not is_old:
            text = f"made anew as {heir.name}{self._by()}"
        else:
            text = f"{row.opcode} became {self._describe(heir)}{self._by()}"
        others = tuple(tag for tag in heir.tags if tag != self._tag)
        return self._make("simplified", text, heirs=(heir.name,), merged_with=())

    def _replacements(self) -> list[tuple[Row, Row]]:
        """Pairs of a vanished instruction and what stands where it was used."""
        pairs: list[tuple[Row, Row]] = []
        for row in reversed(self._rows):  # the last one is the equation's result
            waiting, seen = [(row.name, 0)], {row.name}
            while waiting and len(seen) < _MAX_VISITS:
                name, depth = waiting.pop(0)
                was = self._before.rows[name]
                if was.is_root:
                    root = self._after.roots.get(was.computation)
                    if root is not None:
                        pairs.append((row, self._after.rows[root]))
                for user in self._before.users.get(name, ()):
                    is_new_user = user not in seen
                    seen.add(user)
                    now = self._after.rows.get(user)
                    if now is not None:
                        heir = self._operand_now(name, self._before.rows[user], now)
                        if heir is not None:
                            pairs.append((row, heir))
                    elif is_new_user and depth < _MAX_DEPTH:
                        waiting.append((user, depth + 1))
            if pairs:
                break
        return pairs

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

    def _is_source(self, heir: Row, sources: set[str]) -> bool:
        return heir.name in sources

    def _flows_into(self, row: Row, heir: Row) -> bool:
        """Whether what the vanished instruction worked from now reaches what took its place."""
        sources = self._sources(row)
        waiting, seen = [heir.name], {heir.name}
        while waiting and len(seen) < _MAX_VISITS:
            name = waiting.pop()
            if name in sources:
                return True
            for operand in self._after.rows[name].operands if name in self._after.rows else ():
                if operand not in seen:
                    seen.add(operand)
                    waiting.append(operand)
        return False

    def _is_used(self, row: Row) -> bool:
        return row.is_root or bool(self._before.users.get(row.name))

    def _survivors_need_it(self) -> bool:
        """Whether the computation of one of its instructions is still there."""
        return any(row.computation in self._after.computations for row in self._rows)

    def _describe(self, row: Row) -> str:
        """An instruction by the equation it carries, else by its opcode and name."""
        if row.opcode == "parameter":
            return f"the argument {row.name}"
        if row.tags:
            return f"{row.opcode} {row.name} of {name_equations(row.tags)}"
        return f"{row.opcode} {row.name}"

    def _by(self) -> str:
        return f" by {self._pass}"

    def _make(
        self,
        fate: str,
        text: str,
        heirs: tuple[str, ...] = (),
        merged_with: tuple[str, ...] = (),
    ) -> _Found:
        ending = Ending(self._pass, self._pipeline, fate, merged_with, (), text)
        return _Found(ending, heirs)


def _are_alike(row: Row, twin: Row, snapshot: Snapshot) -> bool:
    """Whether two instructions do the same to the same operands, or to operands that are alike."""
    if row.opcode != twin.opcode or len(row.operands) != len(twin.operands):
        return False
    if row.key == twin.key:
        return True
    if row.operands == twin.operands:
        return False
    pairs = zip(row.operands, twin.operands, strict=True)
    return all(
        a == b
        or (
            a in snapshot.rows
            and b in snapshot.rows
            and snapshot.rows[a].key == snapshot.rows[b].key
        )
        for a, b in pairs
    )
