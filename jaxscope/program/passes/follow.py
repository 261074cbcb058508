"""Follow the instructions of each equation from module to module, and say how the last of them
ended.

Idea (lineage): XLA names the instructions of a module uniquely and keeps an instruction's name for
as long as it lives. So an instruction that stands in two neighbouring modules holds after the pass
what it held before, whatever the pass wrote into its metadata: late passes stamp the name of a
whole loop on instructions inside of it that had no name left. A new instruction holds the equations
that its own metadata names, which XLA copies from what it replaces. Without such a name it holds
the equations of the instruction whose place it takes, of the new instruction that reads it where
that took the place, of the unnamed instruction that it is a copy of, or, in a computation that is
new as well, of the instruction that calls it: a loop that XLA made of a scatter. XLA splits a large
reduction: unnamed windows reduce parts of it, and the reduction is left with what they give; they
hold what it holds. A name that was given up may be given anew, with other metadata: XLA calls what
takes an instruction's place as that one was called. Then the module before is read with other
names: that of the instruction that it was is changed, and where an older instruction took the
place, that one has its new name already.

Idea (outcome): an instruction that no result and no effect depends on any more is gone from here
on, though XLA removes it later (dce): what took its place can only be seen in the pass that stopped
using it. Somebody who used the result lives on and now uses something else: an operand of the
vanished instruction (it was an identity), an older instruction that computes the same (merged), a
constant (folded), a new instruction (rewritten); without users it is dead. What is computed of
constants alone and is gone since constant folding is folded, however far its users are. An equation
lives as long as an instruction holds it that does work of its kind.

Cost: linear in the instructions of each module, and per vanished equation a search through at most
`_MAX_VISITS` users. Limits: where a pass rebuilds a region at once, nothing says which of the new
instructions took the place, and the equation is unknown or gone with its users; copies among
several unnamed instructions of one kind that a pass replaces at once are not distinguished and hold
nothing.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from jaxscope.late_dataclass import dataclass
from jaxscope.model.op_name import without_call
from jaxscope.model.said import BOTH, CLAUSES, Said, say, say_joined
from jaxscope.program.fates.instructions import NAMING, SHARDING_MARKS, work_of
from jaxscope.program.fates.outcomes import PassOutcome, PassStep, quote_equations
from jaxscope.program.passes.snapshot import InstructionRow, Snapshot

_HOLDING_NOTHING = frozenset(
    {
        *("parameter", "tuple", "get-tuple-element", "fusion", "call", "while", "conditional"),
        *("opt-barrier", "after-all", "add-dependency", "partition-id", "replica-id"),
    }
)
"""Opcodes that compute nothing by themselves: without a name they are nobody's."""

_REDUCING = frozenset({"reduce", "reduce-window"})
_PRODUCTS = frozenset({"dot", "convolution"})

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

    def _inherit(
        self, before: Snapshot, after: Snapshot, rows: dict[str, InstructionRow]
    ) -> Owners:
        """The equations of each instruction: those that it had; of a new one those of its name,
        or where it has none those of what it stands in the place of."""
        old_rows = before.rows
        owners = {n: old_rows[n].tags if n in old_rows else row.tags for n, row in rows.items()}
        new = [
            name
            for name, row in rows.items()
            if name not in old_rows and row.computation not in after.combining
        ]
        gone = [row for name, row in before.rows.items() if name not in rows]
        stamped = self._find_stamped(gone)
        for name in new:
            row = rows[name]
            if owners[name] and row.opcode in _PRODUCTS:
                owners[name] = _tags_of((owners[name], self._find_product(row, before, gone)))
            elif owners[name]:
                owners[name] = stamped.get((row.kind, row.tags), owners[name])
        if any(_is_unnamed(rows[name]) for name in new):
            self._name_unnamed(before, after, rows, owners, new, gone)
        return owners

    def _name_unnamed(
        self,
        before: Snapshot,
        after: Snapshot,
        rows: dict[str, InstructionRow],
        owners: Owners,
        new: Sequence[str],
        gone: Sequence[InstructionRow],
    ) -> None:
        """Add the equations of those new instructions to `owners` whose metadata names none."""
        lost = {tag for row in gone for tag in row.tags}
        places: dict[str, InstructionRow] = {}
        nested = _NewComputations(before, rows)
        copies = _Copies(gone, self._unnamed, self._named)
        elements: Owners = {}  # what reads each new element of a tuple, which itself holds nothing
        for name in reversed(new):  # who reads or calls an instruction stands below it
            row = rows[name]
            held = owners[name] or nested.held.get(row.computation, ())
            taken = [
                before.rows[old]
                for old in _find_places(row, before, after, rows, places)
                if old not in rows and old in before.rows
            ]
            if row.tags:
                taken = [old for old in taken if not set(row.tags).isdisjoint(old.tags)]
            if taken:
                places[name] = taken[0]
            nested.note(row, held, taken)
            readers = [
                (user, owners.get(user) or elements.get(user, ()))
                for user in after.users.get(name, ())
            ]
            new_readers = [tags for user, tags in readers if user not in before.rows]
            if row.opcode == "get-tuple-element":
                elements[name] = _tags_of(new_readers)
            if not _is_unnamed(row):
                continue
            reductions = (
                tags for user, tags in readers if user in rows and rows[user].opcode in _REDUCING
            )
            owners[name] = (
                _find_inherited(row, taken, nested, copies)
                or tuple(tag for tag in _tags_of(new_readers) if tag in lost)
                or (_tags_of(reductions) if row.opcode == "reduce-window" else ())
                or nested.held.get(row.computation, ())
            )
            if owners[name]:
                self._unnamed.add(name)

    def _find_stamped(
        self, gone: Iterable[InstructionRow]
    ) -> dict[tuple[int, tuple[str, ...]], tuple[str, ...]]:
        """What instructions held that are gone, by their kind and the equations they are named of.

        A pass that writes the name of a whole call on what had none hands it on to every copy.
        """
        found: dict[tuple[int, tuple[str, ...]], set[tuple[str, ...]]] = {}
        for row in gone:
            if named := self._named.get(row.name):
                pairs = [(tag, call) for tag in row.tags for call in named]
                is_inside = pairs and all(tag.startswith(f"{call}/") for tag, call in pairs)
                found.setdefault((row.kind, named), set()).add(row.tags if is_inside else named)
        return {key: next(iter(held)) for key, held in found.items() if len(held) == 1}

    def _find_product(
        self, row: InstructionRow, before: Snapshot, gone: Sequence[InstructionRow]
    ) -> tuple[str, ...]:
        """What a product held that a new one is, which has the name of something else.

        XLA calls a product that it makes in the order of its transpose after that one.
        """
        products = [old for old in gone if old.opcode == row.opcode]
        operands = sorted(row.operands)
        made_anew = [
            old
            for old in products
            if operands in (sorted(old.operands), sorted(_read_values(old, before)))
        ]
        turned = self._find_turned(row, before, gone, {old.name for old in made_anew})
        copied = [old for old in products if self._named.get(old.name) == row.tags]
        found = {old.tags for old in turned or made_anew or copied}
        return next(iter(found)) if len(found) == 1 else ()

    def _find_turned(
        self,
        row: InstructionRow,
        before: Snapshot,
        gone: Sequence[InstructionRow],
        products: set[str],
    ) -> list[InstructionRow]:
        """The products whose transpose a new one is, by way of others that are gone as well."""
        ended = {old.name for old in gone}
        waiting = [old for old in gone if self._named.get(old.name) == row.tags]
        seen = {old.name for old in waiting}
        found = []
        while waiting:
            current = waiting.pop()
            if current.name in products:
                found.append(current)
                continue
            further = [name for name in current.operands if name in ended and name not in seen]
            seen.update(further)
            waiting += [before.rows[name] for name in further]
        return found

    def _find_renamed(self, before: Snapshot, rows: dict[str, InstructionRow]) -> dict[str, str]:
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

    def _is_another(self, name: str, row: InstructionRow) -> bool:
        """Whether a name was given anew: metadata of other equations stands in its place."""
        was = self._named.get(name, ())
        return bool(was) and bool(row.tags) and set(was).isdisjoint(row.tags)


def _read_values(row: InstructionRow, module: Snapshot) -> list[str]:
    """What an instruction reads, by its names in front of the tuples that it comes through."""
    found = []
    for name in row.operands:
        element = module.rows.get(name)
        while element is not None and element.opcode == "get-tuple-element":
            made = module.rows.get(element.operands[0])
            if made is None or made.opcode != "tuple":
                break
            name = made.operands[int(element.proto.tuple_index)]
            element = module.rows.get(name)
        found.append(name)
    return found


def _is_unnamed(row: InstructionRow) -> bool:
    """Whether an instruction computes something, and metadata does not say of which equation."""
    return not row.tags and row.opcode not in _HOLDING_NOTHING


class _NewComputations:
    """What the computations that a pass made stand for, by their names.

    Attributes:
        homes: The computation that the same caller called before.
        held: What the caller holds.
        wrapped: The instruction whose place the caller takes.
    """

    def __init__(self, before: Snapshot, rows: dict[str, InstructionRow]) -> None:
        self._before = before
        self.homes: dict[str, str] = {}
        self.held: dict[str, tuple[str, ...]] = {}
        self.wrapped: dict[str, InstructionRow] = {}
        for name, row in rows.items():
            if row.called and name in before.rows:
                self._pair(before.rows[name], row)

    def note(
        self, caller: InstructionRow, held: tuple[str, ...], taken: list[InstructionRow]
    ) -> None:
        """Note what a new instruction calls, what it holds, and whose place it takes."""
        for home in caller.called:
            if home not in self._before.computations:
                self.held[home] = held
                if taken:
                    self.wrapped[home] = taken[0]
        if caller.called and taken:
            self._pair(taken[0], caller)

    def _pair(self, was: InstructionRow, now: InstructionRow) -> None:
        if len(was.called) == len(now.called):
            for old, new in zip(was.called, now.called, strict=True):
                if new not in self._before.computations:
                    self.homes.setdefault(new, old)


class _Copies:
    """What unnamed instructions held that are gone, where their kind says it.

    Args:
        gone: The instructions.
        unnamed: Names of those that hold something and have no name of their own.
        named: What the metadata of each names.
    """

    def __init__(
        self, gone: Iterable[InstructionRow], unnamed: set[str], named: Mapping[str, object]
    ) -> None:
        self._found: dict[tuple[str | None, int], set[tuple[str, ...]]] = {}
        for row in gone:
            if row.name in unnamed or not named.get(row.name):
                for home in (None, row.computation):
                    self._found.setdefault((home, row.kind), set()).add(row.tags)

    def of(self, row: InstructionRow, home: str | None) -> tuple[str, ...]:
        """What a new instruction holds that is a copy of one of these.

        Args:
            row: The instruction.
            home: The computation that its own was made of, or None where that is not known.
        """
        found = self._found.get((home, row.kind)) or self._found.get((None, row.kind), set())
        return next(iter(found)) if len(found) == 1 else ()


def _find_inherited(
    row: InstructionRow, taken: list[InstructionRow], nested: _NewComputations, copies: _Copies
) -> tuple[str, ...]:
    """What a new instruction holds of those that are gone: what it wraps, copies or replaces."""
    wrapped = nested.wrapped.get(row.computation) if row.is_root else None
    if wrapped is not None and wrapped.kind == row.kind:
        return _tags_of([wrapped.tags])
    copied = copies.of(row, nested.homes.get(row.computation))
    return _tags_of([copied]) or _tags_of(old.tags for old in taken)


def _tags_of(held: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """All tags, each once."""
    return tuple(dict.fromkeys(tag for tags in held for tag in tags))


def _find_places(
    row: InstructionRow,
    before: Snapshot,
    after: Snapshot,
    rows: dict[str, InstructionRow],
    places: dict[str, InstructionRow],
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
        was, now = before.rows.get(user) or places.get(user), rows.get(user)
        if was is None or now is None or was.opcode != now.opcode:
            continue  # operands of a sum of products are not those of the product that it was
        if len(was.operands) != len(now.operands):
            continue
        for old, new in zip(was.operands, now.operands, strict=True):
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

    rows: dict[str, InstructionRow] = {}
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


def _restrict(snapshot: Snapshot, rows: dict[str, InstructionRow], owners: Owners) -> Snapshot:
    followed = {
        name: row if row.tags == owners[name] else dataclasses.replace(row, tags=owners[name])
        for name, row in rows.items()
    }
    holders: dict[str, list[str]] = {}
    for name, tags in owners.items():
        for tag in tags:
            holders.setdefault(tag, []).append(name)
    unused = [r for n, r in snapshot.rows.items() if r.opcode in _CALLING and n not in rows]
    return dataclasses.replace(
        snapshot,
        rows=followed,
        unused_calls=frozenset((tag, row.opcode) for row in unused for tag in row.tags),
        users={
            name: kept
            for name, users in snapshot.users.items()
            if name in rows and (kept := [user for user in users if user in rows])
        },
        roots={home: name for home, name in snapshot.roots.items() if name in rows},
        holders=holders,
    )


_MAX_VISITS = 500
_MAX_DEPTH = 12
_TRANSPOSE_FOLDER = "transpose-folding"
_CONSTANT_FOLDING = "constant_folding"
_LAYOUT = frozenset({"bitcast", "reshape", "copy"})
_CONSTANT = frozenset({"constant", "broadcast"})
_PASSING_ON = frozenset({"while", "fusion", "call"})
"""What gives the result of the computation that it calls as its own."""


@dataclass(slots=True)
class OutcomeAndReplacements:
    """An ending, and the names of the instructions that took the place."""

    ending: PassOutcome
    replacement_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Replacement:
    """Where `row` was used, `successor` is used now.

    `passed` are the users between them, which vanished as well; `user` is who uses it, where that
    changed in more than this.
    """

    row: InstructionRow
    successor: InstructionRow
    passed: tuple[str, ...]
    user: InstructionRow | None = None

    @property
    def depth(self) -> int:
        """How many users between them vanished."""
        return len(self.passed)


def find_outcome(
    tag: str,
    rows: list[InstructionRow],
    step: PassStep,
    before: Snapshot,
    after: Snapshot,
    stage: str = "",
) -> OutcomeAndReplacements:
    """Find what a pass did to the instructions of an equation.

    Args:
        tag: Id of the equation.
        rows: Its instructions before the pass; after it there are none.
        step: The pass.
        before: The module before.
        after: The module after.
        stage: Name of the equation's stage, for texts.
    """
    return _OutcomeFinder(tag, rows, step, before, after, stage).find()


class _OutcomeFinder:
    def __init__(
        self,
        tag: str,
        rows: list[InstructionRow],
        step: PassStep,
        before: Snapshot,
        after: Snapshot,
        stage: str,
    ) -> None:
        self._tag, self._rows, self._stage = tag, rows, stage
        self._step = step
        self._before, self._after = before, after

    def find(self) -> OutcomeAndReplacements:
        """Tell the ending from what the users of the equation's instructions use now."""
        by = self._step.name
        replacements = self._replacements()
        for row in reversed(self._rows):
            equal = self._find_equal_instruction(row, replacements)
            if equal is not None:
                return self._merged(row, equal)
        if replacements:
            return self._judge(replacements[0])
        row = self._rows[-1]
        caller = next(reversed(_callers(self._before).get(row.computation, ())), None)
        if caller is not None and caller.name not in self._after.rows:
            twin = self._find_twin(row, caller)
            if twin is not None:
                return self._merged(row, twin)
            users = self._before.users.get(caller.name, ())
            if caller.opcode == "fusion" and any(user in self._after.rows for user in users):
                text = say(
                    "gone since {by}, with {caller} that it stood in; what used that is still "
                    "there, and what became of it is not told",
                    by=by,
                    caller=_name(caller),
                )
                return self._make("unknown", text, before=(row.name, caller.name), after=())
        if row.proto.custom_call_target in SHARDING_MARKS:
            text = say(
                "computes nothing: it says how an array is spread over devices, which {by} reads",
                by=by,
            )
            return self._make("simplified", text, before=(row.name,), after=())
        used = self._before.users.get(row.name, [])
        if self._is_given(row):
            if by == _CONSTANT_FOLDING and row.name in _made_of_constants(self._before):
                text = say("turned into a constant by {by}, with what it was used for", by=by)
                return self._make("folded", text, before=(row.name,), after=())
            return self._made_anew(row)
        if used and all(self._before.rows[user].opcode == "call" for user in used):
            text = say("gone since {by}: the function that gets it does not use it", by=by)
        else:
            text = say("removed by {by} together with all that used it", by=by)
        return self._make("dead", text, before=(row.name, *used), after=())

    def _made_anew(self, row: InstructionRow) -> OutcomeAndReplacements:
        text = say(
            "gone since {by}, which made what it stood in anew; which of the new instructions "
            "are its own is not told",
            by=self._step.name,
        )
        used = self._before.users.get(row.name, [])
        return self._make("unknown", text, before=(row.name, *used), after=())

    def _is_given(self, row: InstructionRow) -> bool:
        """Whether what the program gives, or what decides what it does, was computed from it."""
        callers = _callers(self._before)
        waiting: list[tuple[str, int | None]] = [(row.name, None)]
        seen = set(waiting)
        while waiting and len(seen) < _MAX_VISITS:
            name, element = waiting.pop()
            was = self._before.rows[name]
            further = list(self._readers(name, element))
            if was.has_effect:
                return True
            if was.is_root:
                around = callers.get(was.computation, [])
                if not around or any(c.opcode not in _PASSING_ON for c in around):
                    return True
                further += [(caller.name, element) for caller in around]
                if any(caller.opcode == "while" for caller in around):
                    given = _parameters(self._before).get(was.computation, [])
                    if element is None or not given:  # it is the condition
                        return True
                    further += [(each, element) for each in given]  # in the next round
            reached = [self._into_call(name, each) for each in further]
            new = {each for each in reached if each is not None} - seen
            waiting += new
            seen |= new
        return bool(waiting)

    def _into_call(
        self, operand: str, reader: tuple[str, int | None]
    ) -> tuple[str, int | None] | None:
        """The parameter that an operand is in the computation that its reader calls; the reader
        itself where it does not just call one, and nothing where that does not use it."""
        row = self._before.rows[reader[0]]
        if row.opcode != "call" or operand not in row.operands:
            return reader
        places = [at for at, each in enumerate(row.operands) if each == operand]
        parameters = _parameters(self._before).get(row.called[0], [])
        rows = self._before.rows
        given = [name for name in parameters if rows[name].proto.parameter_number in places]
        if len(given) > 1:
            return reader
        return (given[0], reader[1]) if given else None

    def _find_equal_instruction(
        self, row: InstructionRow, replacements: list[_Replacement]
    ) -> InstructionRow | None:
        """An instruction that computes the same and takes its place."""
        replacement_names = {
            r.successor.name for r in replacements if r.row is row and r.depth == 0
        }
        is_finder = "cse" in self._step.name
        for name in _equals(self._before).get(row.name, ()):
            if (
                name != row.name
                and name in self._after.rows
                and (name in replacement_names or is_finder)
            ):
                return self._before.rows[name]
        return None

    def _find_twin(self, row: InstructionRow, caller: InstructionRow) -> InstructionRow | None:
        """What does the same in an equal fusion, or call, that takes the place of its own."""
        if "cse" not in self._step.name:
            return None
        place = caller.called.index(row.computation)
        alike = [n for n in self._in(row.computation) if self._before.rows[n].kind == row.kind]
        for name in _equals(self._before).get(caller.name, ()):
            if name == caller.name or name not in self._after.rows:
                continue
            names = self._in(self._before.rows[name].called[place])
            twins = [n for n in names if self._before.rows[n].kind == row.kind]
            if len(twins) == len(alike):
                return self._before.rows[twins[alike.index(row.name)]]
        return None

    def _in(self, computation: str) -> list[str]:
        """The instructions of a computation that something depends on."""
        names = self._before.computations.get(computation, ())
        return [name for name in names if name in self._before.rows]

    def _merged(self, row: InstructionRow, equal: InstructionRow) -> OutcomeAndReplacements:
        others = tuple(tag for tag in equal.tags if tag != self._tag)
        whom = quote_equations(others, self._stage) if others else equal.name
        if self._is_inside(equal, others):
            whom = self._describe(equal)
        text = say(
            "merged with {whom} by {by}: the same on the same operands",
            whom=whom,
            by=self._step.name,
        )
        names = (row.name, equal.name)
        return self._make("merged", text, (equal.name,), others, names, (equal.name,))

    def _is_inside(self, row: InstructionRow, tags: tuple[str, ...]) -> bool:
        """Whether it is a step towards what equations compute, such as the array that a `max` of an
        array and a number makes of the number, and not their result."""
        users = self._before.users.get(row.name, ())
        return any(not set(tags).isdisjoint(self._before.rows[user].tags) for user in users)

    def _judge(self, found: _Replacement) -> OutcomeAndReplacements:
        """What it means that users of the instruction now use its successor."""
        row, successor = found.row, found.successor
        is_old = successor.name in self._before.rows
        sources = self._sources(row)
        names = (successor.name,)
        make = functools.partial(self._make, before=(row.name,), after=names)
        others = tuple(tag for tag in successor.tags if tag != self._tag)
        by = self._step.name
        if (
            successor.opcode in _CONSTANT
            and successor.name not in sources
            and self._is_constant(successor)
        ):
            return make("folded", say("turned into a constant by {by}", by=by), names)
        if is_old and successor.name in sources:
            what = self._describe(self._before.rows[successor.name])
            if row.opcode == "transpose" and by == _TRANSPOSE_FOLDER:
                text = say(
                    "folded by {by} into the product that read it: that now reads {what} in the "
                    "other order",
                    by=by,
                    what=what,
                )
                return make("simplified", text)
            return make("simplified", self._removed(found, what))
        is_unrolled = (row.opcode, successor.opcode) == ("while", "tuple")
        if is_unrolled and any(name not in self._before.rows for name in successor.operands):
            text = say(
                "unrolled by {by}; which of the new instructions are its own is not told", by=by
            )
            return make("unknown", text)
        if successor.opcode == "tuple" and row.num_elements:
            if self._is_given(row):
                return self._made_anew(row)
            return make("dead", say("no longer part of the state of its loop since {by}", by=by))
        is_gone = is_old or not self._reads(successor, {row.name, *sources})
        if found.depth > 0 and is_gone and not self._is_widened(found):
            return make("dead", say("removed by {by}, which simplified away what used it", by=by))
        if successor.opcode in _LAYOUT and row.opcode in (*_LAYOUT, "transpose", "broadcast"):
            what = _name(successor)
            if successor.opcode == "copy":
                text = say("turned into {what} by {by}, which only moves bytes", what=what, by=by)
            else:
                text = say(
                    "turned into {what} by {by}, which computes and moves nothing", what=what, by=by
                )
            return make("layout", text, names)
        what = self._describe(successor)
        if others and not is_old:
            return make("simplified", say("taken into {what} by {by}", what=what, by=by), names)
        return make("simplified", say("turned into {what} by {by}", what=what, by=by), names)

    def _is_widened(self, found: _Replacement) -> bool:
        """Whether numbers in order are made at once in the shape to which they were brought."""
        between = {self._before.rows[name].opcode for name in found.passed}
        is_new = found.successor.name not in self._before.rows
        return (
            found.row.opcode == found.successor.opcode == "iota"
            and is_new
            and between <= {*_LAYOUT, "broadcast", "transpose"}
        )

    def _removed(self, found: _Replacement, what: str) -> Said:
        """It is gone, and what it worked from is used in its place."""
        row, successor, user = found.row, found.successor, found.user
        was, by = self._before.rows[successor.name], self._step.name
        if row.opcode == "convert" and was.element != row.element == successor.element:
            return say("removed by {by}: {what} gives this type itself now", by=by, what=what)
        if user is not None:
            return say(
                "taken into {user} by {by}, which now works from {what}",
                user=self._describe(user),
                by=by,
                what=what,
            )
        between = (*self._path_to(successor.name, row), *found.passed)
        tags = dict.fromkeys(tag for name in between for tag in self._before.rows[name].tags)
        others = [tag for tag in tags if tag != self._tag]
        if others:
            whom = quote_equations(others, self._stage)
            return say(
                "removed by {by} together with {whom}: {what} takes their place",
                by=by,
                whom=whom,
                what=what,
            )
        if between:
            return say("removed by {by}: {what} takes its place", by=by, what=what)
        return say(
            "removed by {by}, for it changes nothing: {what} takes its place", by=by, what=what
        )

    def _path_to(self, wanted: str, row: InstructionRow) -> list[str]:
        """What vanished between an instruction and one that it worked from."""
        came_from: dict[str, str] = {}
        waiting = [row.name]
        while waiting and len(came_from) < _MAX_VISITS:
            name = waiting.pop(0)
            for operand in self._before.rows[name].operands:
                if operand == wanted:
                    path = []
                    while name != row.name:
                        path.append(name)
                        name = came_from[name]
                    return path
                is_new = operand not in came_from and operand in self._before.rows
                if is_new and operand not in self._after.rows:
                    came_from[operand] = name
                    waiting.append(operand)
        return []

    def _replacements(self) -> list[_Replacement]:
        """What stands where a vanished instruction was used, nearest first."""
        for row in reversed(self._rows):  # the last one is the equation's result
            found: list[_Replacement] = []
            waiting: list[tuple[str, int | None, tuple[str, ...]]] = [(row.name, None, ())]
            seen: set[tuple[str, int | None]] = set()
            while waiting and len(seen) < _MAX_VISITS:
                name, element, passed = waiting.pop(0)
                was = self._before.rows[name]
                root = self._after.roots.get(was.computation)
                if was.is_root and root is not None:
                    found.append(_Replacement(row, self._after.rows[root], passed))
                for user, place in self._readers(name, element):
                    is_new_user = (user, place) not in seen
                    seen.add((user, place))
                    now = self._after.rows.get(user)
                    if now is not None:
                        before = self._before.rows[user]
                        successor = self._operand_now(name, before, now)
                        if successor is not None:
                            changed = now if self._has_changed_more(before, now) else None
                            found.append(_Replacement(row, successor, passed, changed))
                    elif is_new_user and len(passed) < _MAX_DEPTH:
                        waiting.append((user, place, (*passed, user)))
            if found:
                return sorted(found, key=lambda replacement: replacement.depth)
        return []

    def _has_changed_more(self, was: InstructionRow, now: InstructionRow) -> bool:
        """Whether a user is another operation, or not only what vanished was replaced in it."""
        pairs = zip(was.operands, now.operands, strict=False)
        return now.opcode != "tuple" and (
            was.opcode != now.opcode
            or any(
                old != new and (old in self._after.rows or new not in self._before.rows)
                for old, new in pairs
            )
        )

    def _readers(self, name: str, element: int | None) -> Iterator[tuple[str, int | None]]:
        """Users of an instruction, each with the element of a tuple that it becomes there.

        Args:
            name: Of the instruction.
            element: Which one of a tuple matters; None for all of it.
        """
        for user in dict.fromkeys(self._before.users.get(name, ())):
            row = self._before.rows[user]
            if row.opcode == "tuple":
                yield from (
                    (user, at) for at, operand in enumerate(row.operands) if operand == name
                )
            elif element in (None, _element(row)) or row.opcode != "get-tuple-element":
                yield user, None

    def _operand_now(
        self, name: str, was: InstructionRow, now: InstructionRow
    ) -> InstructionRow | None:
        """The present operand of a remaining user, in the place of a former one."""
        if was.operands == now.operands:
            return None
        if len(was.operands) == len(now.operands):
            for old, new in zip(was.operands, now.operands, strict=True):
                if old == name and new != old:
                    return self._after.rows.get(new)
        fresh = [o for o in now.operands if o not in was.operands]
        return self._after.rows.get(fresh[0]) if len(fresh) == 1 else None

    def _sources(self, row: InstructionRow) -> set[str]:
        """What the vanished instruction worked from, through others that vanished with it."""
        found: set[str] = set()
        seen: set[tuple[str, int | None]] = set()
        waiting: list[tuple[str, int | None]] = [(row.name, None)]
        while waiting and len(seen) < _MAX_VISITS:
            name, element = waiting.pop()
            was = self._before.rows[name]
            for at, operand in enumerate(was.operands):
                if was.opcode == "tuple" and element not in (None, at):
                    continue
                each = operand, _element(was)
                if each in seen or operand not in self._before.rows:
                    continue
                seen.add(each)
                found.add(operand)
                if operand not in self._after.rows:
                    waiting.append(each)
        return found

    def _reads(self, successor: InstructionRow, wanted: set[str]) -> bool:
        """Whether an instruction works from any of these, through others that are new as well."""
        seen, waiting = {successor.name}, [successor.name]
        while waiting and len(seen) < _MAX_VISITS:
            for operand in self._after.rows[waiting.pop()].operands:
                if operand in wanted:
                    return True
                if operand not in seen and operand not in self._before.rows:
                    seen.add(operand)
                    waiting.extend([operand] if operand in self._after.rows else [])
        return False

    def _is_constant(self, row: InstructionRow) -> bool:
        if row.opcode == "broadcast" and row.operands:
            row = self._after.rows[row.operands[0]]
        return row.opcode == "constant"

    def _describe(self, row: InstructionRow) -> Said:
        """An instruction by the other equations it holds, else by its opcode and name."""
        if row.opcode == "parameter":
            return say("the argument {name}", name=row.name)
        others = tuple(tag for tag in row.tags if tag != self._tag)
        if others:
            whom = quote_equations(others, self._stage)
            return say("{name} of {whom}", name=row.name, whom=whom)
        return _name(row)

    def _make(
        self,
        fate: str,
        text: str,
        replacement_names: tuple[str, ...] = (),
        merged_with: tuple[str, ...] = (),
        before: tuple[str, ...] = (),
        after: tuple[str, ...] = (),
    ) -> OutcomeAndReplacements:
        own = self._before.own_names(before)
        ending = PassOutcome(fate, self._step, merged_with, (), own, after, text)
        return OutcomeAndReplacements(ending, replacement_names)


def _element(row: InstructionRow) -> int | None:
    """Which element of a tuple an instruction takes out; None for all else."""
    return int(row.proto.tuple_index) if row.opcode == "get-tuple-element" else None


@functools.lru_cache(maxsize=2)
def _callers(snapshot: Snapshot) -> dict[str, list[InstructionRow]]:
    """The instructions that call each computation."""
    found: dict[str, list[InstructionRow]] = {}
    for row in snapshot.rows.values():
        for called in row.called:
            found.setdefault(called, []).append(row)
    return found


@functools.lru_cache(maxsize=2)
def _parameters(snapshot: Snapshot) -> dict[str, list[str]]:
    """The parameters of each computation that something depends on."""
    found: dict[str, list[str]] = {}
    for name, row in snapshot.rows.items():
        if row.opcode == "parameter":
            found.setdefault(row.computation, []).append(name)
    return found


@functools.lru_cache(maxsize=2)
def _equals(snapshot: Snapshot) -> dict[str, list[str]]:
    """For each instruction those of its computation that compute the same, itself included.

    The same operation on the same operands, by a number for each. Parameters are distinguished by
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


@functools.lru_cache(maxsize=2)
def _made_of_constants(snapshot: Snapshot) -> set[str]:
    """What is computed from constants alone, outside of what it calls: it can be folded."""
    found: set[str] = set()
    for name, row in snapshot.rows.items():  # operands come first
        is_made = all(operand in found for operand in row.operands)
        if is_made and row.opcode != "parameter" and not row.has_effect:
            found.add(name)
    return found


def _name(row: InstructionRow) -> Said:
    """`the dot dot_general.3`, `the bitcast`, `the constant.4`."""
    is_telling = row.name.startswith(row.opcode)
    return say("the {name}", name=row.name if is_telling else f"{row.opcode} {row.name}")


_UNSPECIFIC_OPCODES = frozenset(
    {
        *("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "copy", "fusion"),
        *("broadcast", "reshape", "call", "iota", "convert"),
    }
)
_MAX_STEPS = 4
_MAX_NAMES = 16
_MAX_OPCODES = 3
_CALLING = frozenset({"call", "while", "conditional"})


@dataclass(slots=True)
class _EquationState:
    """What happened so far to an equation that is still held.

    Attributes:
        work: How much its informative instructions do, as `work_of` says.
        first: Names of these in the module that XLA received.
        steps: What became of its operation, in words.
        placed: The pass that put it where it is, with names before and after it.
    """

    work: int
    first: tuple[str, ...]
    steps: list[str] = dataclasses.field(default_factory=list)
    placed: tuple[PassStep, tuple[str, ...], tuple[str, ...]] | None = None


class EquationFollower:
    """Takes each pair of neighbouring modules, as `Lineage` gives them.

    Args:
        stage: Name of the stage whose equations are followed, for texts.
    """

    def __init__(self, stage: str = "") -> None:
        self._stage = stage
        self._found: dict[str, OutcomeAndReplacements] = {}
        self._lives: dict[str, _EquationState] = {}
        self._unwrapped: dict[str, dict[str, PassStep]] = {}

    def begin(self, first: Snapshot, whole: Snapshot) -> None:
        """Note who holds what in the module that XLA received.

        Args:
            first: What of it matters.
            whole: All of it: what nothing depends on is dead from the start.
        """
        for tag, names in first.holders.items():
            work = min(work_of(first.rows[name].opcode) for name in names)
            life = self._lives[tag] = _EquationState(work, ())
            life.first = tuple(row.name for row in self._telling(tag, first))
        for tag, names in whole.holders.items():
            if tag not in first.holders:
                ending = PassOutcome(
                    "dead", before=tuple(names), text=say("nothing uses its result")
                )
                self._found[tag] = OutcomeAndReplacements(ending, ())

    def follow(self, step: PassStep, before: Snapshot, after: Snapshot) -> list[str]:
        """Note what the pass did to each equation; returns the ids of those that end here."""
        self._note_unwrapped(step, before, after)
        for tag, found in self._found.items():
            found.replacement_names = tuple(
                [before.renamed.get(name, name) for name in found.replacement_names]
            )
            gone = [
                before.rows[n]
                for n in found.replacement_names
                if n not in after.rows and n in before.rows
            ]
            if gone:
                self._pass_on(tag, found, gone, step, before, after)
        ended: list[str] = []
        called: set[str] = set()
        for tag in after.holders.keys() - self._lives.keys():
            called.add(without_call(tag))
            whole = self._lives.get(without_call(tag))  # before its function was inlined
            work = min(work_of(after.rows[name].opcode) for name in after.holders[tag])
            self._lives[tag] = _EquationState(
                whole.work if whole else work, whole.first if whole else ()
            )
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
                self._found[tag] = find_outcome(tag, rows, step, before, after, self._stage)
        return ended

    def endings(self, last: Snapshot) -> dict[str, PassOutcome]:
        """What the passes did to each equation that XLA received."""
        known: dict[str, PassOutcome] = {}
        for tag, life in self._lives.items():
            names = tuple(last.holders.get(tag, ()))
            telling = tuple(row.name for row in self._telling(tag, last))
            if not telling:
                continue
            step, before, after = life.placed or (None, life.first, telling)
            rest = tuple(name for name in names if name not in telling)
            known[tag] = PassOutcome(
                "",
                step,
                instructions=telling + rest,
                before=before[:_MAX_NAMES],
                after=after[:_MAX_NAMES],
                text=say_joined(life.steps, CLAUSES),
            )
        for tag, found in self._found.items():
            replacement_names = [name for name in found.replacement_names if name in last.rows]
            left = [name for name in last.holders.get(tag, ()) if name not in replacement_names]
            instructions = tuple(dict.fromkeys((*replacement_names, *left)))
            known[tag] = dataclasses.replace(found.ending, instructions=instructions)
        for tag, steps in self._unwrapped.items():
            if tag in known:
                known[tag] = dataclasses.replace(known[tag], unwrapped=steps)
        return known

    def _note_unwrapped(self, step: PassStep, before: Snapshot, after: Snapshot) -> None:
        """Keep which equations have no call, loop or branch of their own any more since a pass.

        What stood in it unnamed has the equation's name from then on, so that other instructions
        of the equation end later, in passes that have nothing to do with it.
        """
        gone: dict[str, set[str]] = {}
        for row in before.rows.values():
            if row.opcode in _CALLING and row.name not in after.rows:
                for tag in row.tags:
                    gone.setdefault(tag, set()).add(row.opcode)
        for tag, opcodes in gone.items():
            left = {after.rows[name].opcode for name in after.holders.get(tag, ())}
            for opcode in opcodes - left:
                if (tag, opcode) not in after.unused_calls:
                    self._unwrapped.setdefault(tag, {})[opcode] = step

    def _telling(self, tag: str, snapshot: Snapshot) -> list[InstructionRow]:
        """The instructions that do the equation's work, not only what comes with it."""
        life = self._lives.get(tag)
        if life is None:
            return []
        rows = [snapshot.rows[name] for name in snapshot.holders.get(tag, ())]
        return [row for row in rows if work_of(row.opcode) <= life.work]

    def _note(self, tag: str, step: PassStep, before: Snapshot, after: Snapshot) -> None:
        """Note what changed of an equation that remains: its operation, or its place."""
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
            text = say(
                "{was} became {now}{by} in {pass_name}",
                was=_join(gone),
                now=_join(come),
                by=by,
                pass_name=step.name,
            )
            life.steps.append(text)

    def _pass_on(
        self,
        tag: str,
        found: OutcomeAndReplacements,
        gone: Sequence[InstructionRow],
        step: PassStep,
        before: Snapshot,
        after: Snapshot,
    ) -> None:
        """What took an equation's place ends as well: follow what takes its place in turn."""
        if found.ending.fate == "unknown":
            return
        kept = [name for name in found.replacement_names if name in after.rows]
        copies = dict.fromkeys(name for row in gone for name in _find_copies(row, before, after))
        if copies:
            found.replacement_names = (*kept, *copies)
            return
        later = find_outcome(tag, list(gone), step, before, after, self._stage)
        fusions = [n for n in later.replacement_names if after.rows[n].opcode == "fusion"]
        if fusions or later.ending.fate in ("", "dead"):
            found.replacement_names = (*kept, *fusions)
            return
        found.replacement_names = (*kept, *later.replacement_names)
        if len(found.ending.text) < 200 and later.ending.text not in found.ending.text:
            first, then = found.ending.text, later.ending.text
            text = say("{first}; then {then}", first=first, then=then)
            found.ending = dataclasses.replace(found.ending, text=text)


def _find_copies(row: InstructionRow, before: Snapshot, after: Snapshot) -> Iterator[str]:
    """New instructions of the same kind that hold what an instruction held: it has another name."""
    for tag in row.tags:
        for name in after.holders.get(tag, ()):
            if name not in before.rows and after.rows[name].kind == row.kind:
                yield name


def _operations(rows: Sequence[InstructionRow]) -> set[str]:
    return {row.opcode for row in rows} - _UNSPECIFIC_OPCODES


def _join(opcodes: Sequence[str]) -> str:
    """Opcodes in words; of a whole algorithm its loop, if it is one."""
    if len(opcodes) > _MAX_OPCODES:
        if "while" in opcodes:
            return say("a while loop")
        return say("{count} kinds of operation", count=len(opcodes))
    return say_joined(opcodes, BOTH)


def _factor(opcode: str, rows: Sequence[InstructionRow], snapshot: Snapshot) -> str:
    """` by 0.333333343`, where the new operation is one product, with a constant."""
    products = [row for row in rows if row.opcode == opcode == "multiply"]
    if len(products) != 1:
        return ""
    for operand in products[0].operands:
        source = snapshot.rows.get(operand)
        if source is not None and source.opcode == "broadcast" and source.operands:
            source = snapshot.rows.get(source.operands[0])
        if source is not None and source.opcode == "constant":
            value = source.literal()
            return say(" by {value}", value=value) if value and len(value) < 24 else ""
    return ""
