"""Follow the instructions of each equation from module to module.

Idea. XLA names the instructions of a module uniquely and keeps an instruction's name for as long as
it lives. So an instruction that stands in two neighbouring modules holds after the pass what it
held before, whatever the pass wrote into its metadata: late passes stamp the name of a whole loop
on instructions inside of it that had no name left. A new instruction holds the equations that its
own metadata names, which XLA copies from what it replaces. A new instruction without such a name
holds the equations of the instruction whose place it takes, of the new instruction that reads it
where that took the place, of the unnamed instruction that it is a copy of, or, in a computation
that is new as well, of the instruction that calls it: a loop that XLA made of a scatter.

A name that was given up may be given anew, with other metadata: XLA calls what takes an
instruction's place as that one was called. Then the module before is read with other names: that of
the instruction that it was is changed, and where an older instruction took the place, that one has
its new name already.

An instruction that no result and no effect depends on any more is gone from here on, though XLA
removes it later (dce): what took its place can only be seen in the pass that stopped using it.

Cost: linear in the instructions of each module. Limits: where a pass replaces several unnamed
instructions of the same kind at once, copies among them are not told apart and hold nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from jaxscope.analysis.passes.snapshot import Row, Snapshot

_HOLDING_NOTHING = frozenset(
    {
        *("parameter", "tuple", "get-tuple-element", "fusion", "call", "while", "conditional"),
        *("opt-barrier", "after-all", "add-dependency", "partition-id", "replica-id"),
    }
)
"""Opcodes that compute nothing by themselves: without a name they are nobody's."""

Owners = dict[str, tuple[str, ...]]

_GIVEN_UP = "@before"


class Lineage:
    """Takes the modules of one compilation in their order.

    Attributes:
        before: The module before the one that was fed last, with `renamed` as that one asks for.
    """

    def __init__(self) -> None:
        self.before: Snapshot | None = None
        self._last: Snapshot | None = None
        self._unnamed: set[str] = set()
        self._named: Owners = {}

    def feed(self, snapshot: Snapshot) -> Snapshot:
        """The part of a module that matters, with the equations that each instruction holds.

        Args:
            snapshot: The next module, with the equations that the metadata of XLA names.

        Returns:
            Instructions that a result or an effect depends on; `tags` and `holders` are those
            followed, and not those of the metadata.
        """
        alive = find_alive(snapshot)
        rows = {name: row for name, row in snapshot.rows.items() if name in alive}
        self.before = self._last
        if self.before is None:
            owners = {name: row.tags for name, row in rows.items()}
        else:
            renamed = self._find_renamed(self.before, rows)
            if renamed:
                self.before = _rename(self.before, renamed)
                self._unnamed = {renamed.get(name, name) for name in self._unnamed}
            owners = self._inherit(self.before, snapshot, rows)
        self._named = {name: row.tags for name, row in rows.items()}
        self._last = _restrict(snapshot, rows, owners)
        return self._last

    def _inherit(self, before: Snapshot, after: Snapshot, rows: dict[str, Row]) -> Owners:
        owners: Owners = {}
        new: list[str] = []
        has_unnamed = False
        for name, row in rows.items():
            old = before.rows.get(name)
            owners[name] = row.tags if old is None else old.tags
            if old is None:
                new.append(name)
                has_unnamed |= not row.tags and row.opcode not in _HOLDING_NOTHING
        if not has_unnamed:
            return owners
        gone = [row for name, row in before.rows.items() if name not in rows]
        copied = self._kinds_of_unnamed(gone)
        lost = {tag for row in gone for tag in row.tags}
        places: dict[str, Row] = {}
        made_for: dict[str, tuple[str, ...]] = {}  # by new computation what its caller holds
        for name in reversed(new):  # who reads or calls an instruction stands below it
            row = rows[name]
            held = owners[name] or made_for.get(row.computation, ())
            made_for |= {home: held for home in row.called if home not in before.computations}
            taken = [
                before.rows[old]
                for old in _find_places(row, before, after, rows, places)
                if old not in rows and old in before.rows
            ]
            if row.tags:
                taken = [old for old in taken if not set(row.tags).isdisjoint(old.tags)]
            if taken:
                places[name] = taken[0]
            if row.tags or row.opcode in _HOLDING_NOTHING:
                continue
            found = dict.fromkeys(copied.get(row.kind, ()))
            found = found or dict.fromkeys(tag for old in taken for tag in old.tags)
            if not found:
                users = (user for user in after.users.get(name, ()) if user not in before.rows)
                found = dict.fromkeys(
                    tag for user in users for tag in owners.get(user, ()) if tag in lost
                )
            owners[name] = tuple(found) or made_for.get(row.computation, ())
            if owners[name]:
                self._unnamed.add(name)
        return owners

    def _find_renamed(self, before: Snapshot, rows: dict[str, Row]) -> dict[str, str]:
        """What to call instructions of the module before, for names that were given anew."""
        old_rows = before.rows
        given = [name for name in rows if name in old_rows and self._is_another(name, rows[name])]
        if not given:
            return {}
        renamed = {name: name + _GIVEN_UP for name in given}
        gone = [row for name, row in old_rows.items() if name not in rows or name in renamed]
        for name in given:
            row = rows[name]
            alike = [
                old.name
                for old in gone
                if self._named.get(old.name) == row.tags
                and (old.kind, old.computation) == (row.kind, row.computation)
            ]
            if len(alike) == 1:
                renamed[alike[0]] = name
        return renamed

    def _is_another(self, name: str, row: Row) -> bool:
        """Whether a name was given anew: metadata of other equations stands in its place."""
        was = self._named.get(name, ())
        return bool(was) and bool(row.tags) and set(was).isdisjoint(row.tags)

    def _kinds_of_unnamed(self, gone: Iterable[Row]) -> dict[int, tuple[str, ...]]:
        """What instructions held that had no name of their own, where their kind tells it."""
        found: dict[int, set[tuple[str, ...]]] = {}
        for row in gone:
            if row.name in self._unnamed:
                found.setdefault(row.kind, set()).add(row.tags)
        return {kind: next(iter(tags)) for kind, tags in found.items() if len(tags) == 1}


def _find_places(
    row: Row, before: Snapshot, after: Snapshot, rows: dict[str, Row], places: dict[str, Row]
) -> Iterator[str]:
    """Names of the instructions that stood where a new one stands.

    Args:
        row: The new one.
        before: The module before.
        after: The module after.
        rows: Its instructions that matter.
        places: Whose place the new ones below took.
    """
    if row.is_root and row.computation in before.roots:
        yield before.roots[row.computation]
    for user in after.users.get(row.name, ()):
        was = before.rows.get(user) or places.get(user)
        if was is None or user not in rows or len(was.operands) != len(rows[user].operands):
            continue
        for old, new in zip(was.operands, rows[user].operands, strict=True):
            if new == row.name:
                yield old


def find_alive(snapshot: Snapshot) -> set[str]:
    """Names of the instructions that a result or an effect of the program depends on."""
    waiting = [row.name for row in snapshot.rows.values() if row.has_effect]
    if snapshot.entry in snapshot.roots:
        waiting.append(snapshot.roots[snapshot.entry])
    seen = set(waiting)
    while waiting:
        row = snapshot.rows[waiting.pop()]
        for other in (*row.operands, *(snapshot.roots.get(c, "") for c in row.called)):
            if other not in seen and other in snapshot.rows:
                seen.add(other)
                waiting.append(other)
    return seen


def _rename(snapshot: Snapshot, renamed: dict[str, str]) -> Snapshot:
    """A module with other names for some of its instructions."""

    def new(name: str) -> str:
        return renamed.get(name, name)

    rows: dict[str, Row] = {}
    for name, row in snapshot.rows.items():
        operands = tuple([new(operand) for operand in row.operands])
        if name in renamed or operands != row.operands:
            key = hash((row.kind, operands))
            row = dataclasses.replace(row, name=new(name), operands=operands, key=key)
        rows[row.name] = row
    return dataclasses.replace(
        snapshot,
        rows=rows,
        users={new(name): list(map(new, users)) for name, users in snapshot.users.items()},
        computations={home: list(map(new, all)) for home, all in snapshot.computations.items()},
        roots={home: new(name) for home, name in snapshot.roots.items()},
        holders={tag: list(map(new, names)) for tag, names in snapshot.holders.items()},
        renamed=renamed,
    )


def _restrict(snapshot: Snapshot, rows: dict[str, Row], owners: Owners) -> Snapshot:
    followed = {
        name: row if row.tags == owners[name] else dataclasses.replace(row, tags=owners[name])
        for name, row in rows.items()
    }
    holders: dict[str, list[str]] = {}
    for name, tags in owners.items():
        for tag in tags:
            holders.setdefault(tag, []).append(name)
    return dataclasses.replace(
        snapshot,
        rows=followed,
        users={
            name: kept
            for name, users in snapshot.users.items()
            if name in rows and (kept := [user for user in users if user in rows])
        },
        roots={home: name for home, name in snapshot.roots.items() if name in rows},
        holders=holders,
    )
