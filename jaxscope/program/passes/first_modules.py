"""In which module of the recorded passes each instruction of the last module stood first.

An instruction is the same where opcode and op_name are: fusing clones instructions under new names.
One without an op_name is the same by its name. One that is new where a pass removed one with its
opcode, shape and end of op_name is taken for that one: passes inline and move instructions under
other names. Of more new ones than were removed nothing is said. Each module is read once: the cost
is linear in the instructions of all modules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from jaxscope.model.capture import PassRecord
from jaxscope.program.hlo.proto import HloMessage, parse_module


class FirstModule(NamedTuple):
    """The first module that has an instruction.

    Attributes:
        pass_name: Number and name of the pass that made the module; empty: XLA received it.
        is_renamed: Whether it was taken for an instruction of another name there.
    """

    pass_name: str = ""
    is_renamed: bool = False


def find_first_modules(passes: Sequence[PassRecord]) -> dict[str, FirstModule]:
    """For each instruction of the last module, the first module that has it.

    Returns:
        By name of the instruction; nothing where the module after a pass that changed something is
        not kept, or where it may be another of several.
    """
    reader = _Modules()
    is_gap, is_first = not passes or bool(passes[0].name), True
    for record in passes:
        module = record.module()
        if not module:
            is_gap = is_gap or record.has_changed
            continue
        name = record.name if record.number is None else f"{record.number} ({record.name})"
        here = None if is_gap else FirstModule("" if is_first else name)
        reader.feed(module, here, is_first=is_first)
        is_gap = is_first = False
    return reader.find()


_Key = tuple[str, str]
"""By which an instruction is the same in two modules."""
_Kind = tuple[object, ...]


def _key_of(each: HloMessage) -> _Key:
    op_name = each.metadata.op_name
    return (each.opcode, op_name) if op_name else ("", each.name)


def _kind_of(each: HloMessage) -> _Kind:
    """What an instruction keeps where a pass gives it another name."""
    last = each.metadata.op_name.rpartition("/")[2]
    return (each.opcode, last, each.shape.element_type, *each.shape.dimensions)


class _Modules:
    """Takes modules in their order."""

    def __init__(self) -> None:
        self._found: dict[_Key, FirstModule | None] = {}
        self._last: dict[str, _Key] = {}
        self._kinds: dict[_Key, _Kind] = {}
        self._counts: Counter[_Key] = Counter()
        self._nameless: set[str] = set()

    def find(self) -> dict[str, FirstModule]:
        """By name of an instruction of the last module, where that is known."""
        firsts = ((name, self._found[key]) for name, key in self._last.items())
        return {name: first for name, first in firsts if first is not None}

    def feed(self, module: bytes, here: FirstModule | None, *, is_first: bool) -> None:
        """Take the next module.

        Args:
            here: Of what is new in it; None where a module before it is not kept.
            is_first: Whether it is what XLA received.
        """
        read = [
            (each, _key_of(each))
            for computation in parse_module(module).computations
            for each in computation.instructions
        ]
        counts = Counter(key for _, key in read)
        num_new = Counter(_kind_of(each) for each, key in read if key not in self._found)
        replaced = {} if here is None else self._find_replaced(counts, num_new)
        for key in self._kinds.keys() - counts.keys():
            self._found.pop(key)  # what comes later by this key is another one
        self._last = {each.name: key for each, key in read}
        self._kinds, self._counts = {key: _kind_of(each) for each, key in read}, counts
        for each, key in read:
            first = replaced.get(self._kinds[key], here)
            self._found.setdefault(key, first)
            if each.metadata.op_name:
                continue
            if is_first:
                self._nameless.add(each.opcode)
            elif each.opcode in self._nameless:  # may be another one of these
                self._found[key] = None

    def _find_replaced(
        self, counts: Counter[_Key], num_new: Counter[_Kind]
    ) -> dict[_Kind, FirstModule | None]:
        """By kind, where those stood first that a pass removed; None where they differ in it."""
        num_gone = Counter[_Kind]()
        firsts: dict[_Kind, set[FirstModule | None]] = {}
        for key, kind in self._kinds.items():
            if counts[key] < self._counts[key]:
                num_gone[kind] += self._counts[key] - counts[key]
                first = self._found.get(key)
                firsts.setdefault(kind, set()).add(first and first._replace(is_renamed=False))
        replaced: dict[_Kind, FirstModule | None] = {}
        for kind, several in firsts.items():
            one = next(iter(several)) if len(several) == 1 else None
            if one == FirstModule() and num_new[kind] > num_gone[kind]:
                one = None  # some of the new ones are the pass's own
            replaced[kind] = one and one._replace(is_renamed=True)
        return replaced
