"""Why two kernels are not one: rules that state what keeps XLA's backends from fusing.

One that applies is a likely reason, not the compiler's own word.
"""

from __future__ import annotations

import enum
from collections.abc import Callable

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE
from jaxscope.model.said import BOTH, say, say_count, say_joined
from jaxscope.model.types import parse_array_type, type_bytes
from jaxscope.model.units import format_bytes, format_flops
from jaxscope.program.cost.kernels import REPLACES
from jaxscope.program.fates.instructions import COLLECTIVES
from jaxscope.program.fusion.fusions import Module

_EFFECTS = frozenset({"infeed", "outfeed", "send", "recv", "rng-get-and-update-state"})
_OWN_KERNEL = frozenset(
    {
        *("sort", "fft", "cholesky", "triangular-solve", "convolution", "dot", "topk", "scatter"),
        *("rng-bit-generator", "custom-call", "ragged-dot", "select-and-scatter"),
    }
)
_REDUCTIONS = frozenset({"reduce", "reduce-window"})
_MOVES = frozenset({"copy", "transpose"})


@dataclass(frozen=True, slots=True)
class KernelPair:
    """Two kernels of one computation.

    Attributes:
        module: That they stand in.
        first: The one whose result the second takes, where one does.
        second: The other.
        flows: Whether the second takes the first's result, bitcasts and tuples between them aside.
        users: Kernels that take the first's result.
    """

    module: Module
    first: int
    second: int
    flows: bool
    users: tuple[int, ...]

    @property
    def both(self) -> tuple[int, int]:
        return self.first, self.second

    def name(self, node: int) -> str:
        """The id of a node."""
        return self.module.id(node)

    @property
    def names(self) -> dict[str, str]:
        """The ids of both, for sentences."""
        return {"first": self.name(self.first), "second": self.name(self.second)}


FusionRule = Callable[[KernelPair], str]
"""Returns a sentence if the rule applies, and nothing if it does not."""


def _control_flow(pair: KernelPair) -> str:
    for node in pair.both:
        operation = pair.module.operations[node]
        if operation in ("while", "conditional", "call"):
            return say(
                "{name} is a {operation}: what is inside is compiled by itself.",
                name=pair.name(node),
                operation=operation,
            )
    return ""


def _side_effect(pair: KernelPair) -> str:
    for node in pair.both:
        operation = pair.module.operations[node]
        row = pair.module.attributes[node]
        if (
            operation.removesuffix("-done") in _EFFECTS
            or row.get("custom_call_has_side_effect") == "true"
            or row.get("is_host_transfer") == "true"
        ):
            return say(
                "{name} has an effect outside of the program: no kernel may repeat it or leave it "
                "out.",
                name=pair.name(node),
            )
    return ""


def _collective(pair: KernelPair) -> str:
    for node in pair.both:
        if pair.module.operations[node].startswith(COLLECTIVES):
            return say(
                "{name} is a collective: devices wait for each other there.", name=pair.name(node)
            )
    return ""


def _library(pair: KernelPair) -> str:
    for node in pair.both:
        operation, row = pair.module.operations[node], pair.module.attributes[node]
        if operation == "custom-call":
            target = row.get("custom_call_target", "")
            return say(
                "{name} calls {target}, which is one unit.",
                name=pair.name(node),
                target=target or say("code outside of XLA"),
            )
        if operation == "fusion" and row.get("fusion_kind") == "kCustom":
            config = row.get("fusion_config", "")
            return say(
                "{name} is a pattern that {config} computes as a whole: only what that supports "
                "can be part of it.",
                name=pair.name(node),
                config=config or say("code of the backend"),
            )
    return ""


def _own_kernel(pair: KernelPair) -> str:
    for node in pair.both:
        operation = pair.module.operations[node]
        if operation in _OWN_KERNEL:
            return say(
                "{name} is a {operation}, which has code of its own.",
                name=pair.name(node),
                operation=operation,
            )
    return ""


def _several_results(pair: KernelPair) -> str:
    if pair.flows:
        return ""
    return say(
        "Nothing goes from {first} to {second}: one kernel for both would need several results, "
        "and saves at most reading a shared input again.",
        **pair.names,
    )


def _in_place(pair: KernelPair) -> str:
    for node in pair.both if pair.flows else ():
        operation = pair.module.operations[pair.module.last_operation(node)]
        if operation in REPLACES:
            return say(
                "{name} ends in a {operation}, which can be done in place, touching only the part "
                "that changes, as long as it is the end of its kernel and nothing else of the "
                "array is computed there.",
                name=pair.name(node),
                operation=operation,
            )
    return ""


def _reduction(pair: KernelPair) -> str:
    last = pair.module.last_operation(pair.first)
    if not pair.flows or pair.module.operations[last] not in _REDUCTIONS:
        return ""
    return say(
        "{first} ends in a {operation}: an element of it is there only after all that it sums up, "
        "so {second} starts after it.",
        **pair.names,
        operation=pair.module.operations[last],
    )


def _copy(pair: KernelPair) -> str:
    for node in pair.both:
        if _is_plain_copy(pair.module, node):
            return say(
                "{name} copies a value that is about to be overwritten, by a loop or in place. "
                "Such copies are put in after fusing.",
                name=pair.name(node),
            )
    return ""


def _is_plain_copy(module: Module, node: int) -> bool:
    """Whether it is a copy that keeps the order of the elements."""
    if module.operations[node] != "copy" or not module.operands[node]:
        return False
    source, output = module.operands[node][0]
    layouts = module.attributes[source].get("layout", "").split(", {")
    before = layouts[output] if output < len(layouts) else layouts[0]
    return before.strip("{}") == module.attributes[node].get("layout", "").strip("{}")


def _layout(pair: KernelPair) -> str:
    for node in pair.both if pair.flows else ():
        if _is_plain_copy(pair.module, node):
            continue
        last = pair.module.last_operation(node)
        if pair.module.operations[last] in _MOVES:
            return say(
                "{name} changes the order of the elements in memory ({operation}): one of the two "
                "would read or write across the rows.",
                name=pair.name(node),
                operation=pair.module.operations[last],
            )
    return ""


def _several_users(pair: KernelPair) -> str:
    others = [user for user in pair.users if user != pair.second]
    if not pair.flows or not others:
        return ""
    flops, _, transcendentals = pair.module.graph.nodes.cost[pair.first].tolist()
    if flops == 0 and transcendentals == 0:
        return ""
    kinds: list[str] = [format_flops(flops)] if flops > 0 else []
    if transcendentals > 0:
        told = say(
            "{transcendentals:,.0f} of exp, tanh and the like", transcendentals=transcendentals
        )
        kinds.append(told)
    return say(
        "{first} has {more} to serve ({others}): fused into {second}, {work} would be computed "
        "again or the result be written all the same.",
        **pair.names,
        more=say_count(len(others), "other kernel"),
        others=", ".join(map(pair.name, others[:4])),
        work=say_joined(kinds, BOTH) or say("its work, which is not known,"),
    )


def _shapes(pair: KernelPair) -> str:
    if not pair.flows:
        return ""
    module = pair.module
    types = [next(iter(module.types(module.last_operation(node))), "") for node in pair.both]
    counts = [None if array is None else array.size for array in map(parse_array_type, types)]
    if None in counts or counts[0] == counts[1]:
        return ""
    size = format_bytes(type_bytes(types[0]))
    return say(
        "They loop over different numbers of elements ({one} and {other}): in one loop, elements "
        "of {first} would be computed several times or in another order; written as they are now, "
        "they are {size}.",
        one=types[0],
        other=types[1],
        first=pair.name(pair.first),
        size=size,
    )


RULES: tuple[tuple[str, str, FusionRule], ...] = (
    ("control-flow", "loops, branches and calls are no part of a kernel", _control_flow),
    ("side-effect", "what acts outside of the program stays by itself", _side_effect),
    ("collective", "communication between devices stays by itself", _collective),
    ("library", "a library's or a backend's own code takes whole patterns only", _library),
    ("own-kernel", "some operations have code of their own", _own_kernel),
    ("several-results", "kernels that share no value need several results", _several_results),
    ("copy", "copies that protect a value come after fusing", _copy),
    ("in-place", "an update in place ends its kernel", _in_place),
    ("reduction", "what follows a reduction waits for it", _reduction),
    ("layout", "a change of memory order is a boundary", _layout),
    ("several-users", "fusing into one of several users computes again", _several_users),
    ("loop-shape", "different loops do not become one", _shapes),
)
"""Name, what it says in general, and the rule; the likeliest reason first."""

_MAX_BETWEEN = 20_000
_DECISIVE = frozenset({"control-flow", "copy"})
"""Rules beside which no other says anything."""


class Certainty(enum.Enum):
    """How much an answer is worth."""

    FACT = "fact"
    LOGGED = "logged"
    INFERRED = "inferred"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
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
        """The answer in a few sentences, after a word on what it is worth."""
        is_worth_a_word = self.certainty in (Certainty.INFERRED, Certainty.UNKNOWN)
        if not is_worth_a_word:
            return self.reason
        return say("{name}: {meaning}", name=say(self.certainty.value), meaning=self.reason)

    @property
    def reason(self) -> str:
        """The answer in a few sentences."""
        sentences = say_joined(sentence for _, sentence in self.reasons)
        if self.certainty is Certainty.UNKNOWN:
            return say("none of the listed rules applies.")
        is_logged = self.certainty is Certainty.LOGGED
        return say("XLA's own log: {text}", text=sentences) if is_logged else sentences


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
        fact = say("They are one kernel: {name}.", name=names[0])
        return Separation(*names, Certainty.FACT, (("same", fact),))
    for node in (first, second):
        if module.is_free(node):
            operation = module.operations[node]
            fact = say(
                "{name} is a {operation}: nothing runs for it, so it is no kernel.",
                name=module.id(node),
                operation=operation,
            )
            return Separation(*names, Certainty.FACT, (("no-kernel", fact),))
    if module.home(first) != module.home(second):
        sentence = say(
            "They stand in different computations ({one} and {other}), which a kernel never spans.",
            one=_place(module, first),
            other=_place(module, second),
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
        sentence = say(
            "{name} stands between them: one kernel for both would have to hold that as well, or "
            "wait for it.",
            name=module.id(between),
        )
        return Separation(*names, Certainty.INFERRED, (("between", sentence),))
    pair = KernelPair(module, first, second, flows, users)
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
        return say("the entry")
    label: str = module.graph.string(module.graph.groups.label, group)
    return label
