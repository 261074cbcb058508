"""Why two instructions are not one kernel, as far as the module lets one infer it."""

from __future__ import annotations

import dataclasses
import enum

from jaxscope.analysis.fusion.module import Module
from jaxscope.analysis.fusion.rules import RULES, Pair
from jaxscope.model import NONE

_MAX_BETWEEN = 20_000
_DECISIVE = frozenset({"control-flow", "copy"})
"""Rules beside which no other says anything."""


class Certainty(enum.Enum):
    """How much an answer is worth."""

    FACT = "fact"
    LOGGED = "logged"
    INFERRED = "inferred"
    UNKNOWN = "unknown"


@dataclasses.dataclass(frozen=True, slots=True)
class Separation:
    """Why two instructions are not one kernel.

    Attributes:
        first: Id of the kernel of one of them, the earlier where a value goes between them.
        second: Id of the other's.
        certainty: A fact follows from the module, what is logged was written by XLA itself, an
            inference comes from a rule.
        reasons: Names of the rules that apply and what they say here, the likeliest first.
    """

    first: str
    second: str
    certainty: Certainty
    reasons: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The answer in a few sentences, which say what it is worth."""
        sentences = " ".join(sentence for _, sentence in self.reasons)
        if self.certainty is Certainty.UNKNOWN:
            return "unknown: none of the listed rules applies."
        if self.certainty is Certainty.LOGGED:
            return f"XLA's own log: {sentences}"
        return f"inferred: {sentences}" if self.certainty is Certainty.INFERRED else sentences


def explain_separation(module: Module, first: int, second: int) -> Separation:
    """Why two instructions of an HLO module are not one kernel.

    Args:
        module: Of the stage `optimized`.
        first: A node, in a fusion or by itself.
        second: Another.
    """
    first, second = module.kernel(first), module.kernel(second)
    names = module.id(first), module.id(second)
    if first == second:
        fact = f"They are one kernel: {names[0]}."
        return Separation(*names, Certainty.FACT, (("same", fact),))
    for node in (first, second):
        if module.is_free(node):
            operation = module.operations[node]
            fact = f"{module.id(node)} is a {operation}: nothing runs for it, so it is no kernel."
            return Separation(*names, Certainty.FACT, (("no-kernel", fact),))
    if module.home(first) != module.home(second):
        sentence = (
            f"They stand in different computations ({_place(module, first)} and "
            f"{_place(module, second)}), which a kernel never spans."
        )
        return Separation(*names, Certainty.INFERRED, (("computation", sentence),))
    return _infer(module, first, second)


def _infer(module: Module, first: int, second: int) -> Separation:
    users = find_users(module, first)
    if second not in users:
        backwards = find_users(module, second)
        if first in backwards:
            first, second, users = second, first, backwards
    names = module.id(first), module.id(second)
    flows = second in users
    between = None if flows else _find_between(module, first, second)
    if between is not None:
        sentence = (
            f"{module.id(between)} stands between them: one kernel for both would have to hold "
            "that as well, or wait for it."
        )
        return Separation(*names, Certainty.INFERRED, (("between", sentence),))
    pair = Pair(module, first, second, flows, users)
    found = [(name, rule(pair)) for name, _, rule in RULES]
    reasons = tuple((name, sentence) for name, sentence in found if sentence)
    if reasons and reasons[0][0] in _DECISIVE:
        reasons = reasons[:1]
    return Separation(*names, Certainty.INFERRED if reasons else Certainty.UNKNOWN, reasons)


def find_users(module: Module, node: int) -> tuple[int, ...]:
    """Kernels that take a node's result, through what nothing runs for."""
    found: dict[int, None] = {}
    waiting, seen = [node], {node}
    while waiting:
        for user, _ in module.users[waiting.pop()]:
            if user in seen:
                continue
            seen.add(user)
            if module.is_free(user):
                waiting.append(user)
            else:
                found[user] = None
    return tuple(sorted(found))


def _find_between(module: Module, first: int, second: int) -> int | None:
    """A kernel on a way from one to the other, in either direction."""
    for start, end in ((first, second), (second, first)):
        before: dict[int, int] = {}
        waiting = [start]
        while waiting and len(before) < _MAX_BETWEEN:
            node = waiting.pop()
            for user, _ in module.users[node]:
                if user in before:
                    continue
                before[user] = node
                if user == end:
                    return _last_kernel(module, before, end, start)
                waiting.append(user)
    return None


def _last_kernel(module: Module, before: dict[int, int], end: int, start: int) -> int | None:
    node = before[end]
    while node != start:
        if not module.is_free(node):
            return node
        node = before[node]
    return None


def _place(module: Module, node: int) -> str:
    group = module.home(node)
    if group == NONE:
        return "the entry"
    label: str = module.graph.string(module.graph.groups.label, group)
    return label
