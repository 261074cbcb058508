"""Fates of the equations of the last jaxpr-level stage: what was lowered and compiled."""

from __future__ import annotations

from collections.abc import Mapping

from jaxscope.analysis.fates.equations import Equations
from jaxscope.analysis.fates.holders import Holders
from jaxscope.analysis.fates.holding import LAYOUT_OPCODES, Holding, Holdings
from jaxscope.analysis.fates.instructions import Instructions
from jaxscope.analysis.fates.liveness import find_live
from jaxscope.analysis.fates.neighbours import BEGIN, END, EquationNeighbours, InstructionNeighbours
from jaxscope.analysis.fates.trace import Ending
from jaxscope.analysis.fates.values import Values
from jaxscope.analysis.fates.words import in_pass, name_equations, quote_names, sentence
from jaxscope.model.capture import Fate
from jaxscope.model.graph import NONE, Graph

IDENTITIES = frozenset(
    {
        "stop_gradient",
        "copy",
        "copy_p",
        "pvary",
        "pbroadcast",
        "sharding_constraint",
        "optimization_barrier",
        "name",
        "convert_element_type",
        "reshape",
        "squeeze",
        "expand_dims",
        "broadcast_in_dim",
        "transpose",
        "slice",
        "real",
        "reduce_precision",
        "mesh_cast",
        "layout_constraint",
        "random_wrap",
        "random_unwrap",
    }
)
"""Equations that may hand their operand on as it is."""

_MAX_CHAIN = 50


class DerivedFates:
    """Finds the fates of one program.

    Args:
        derived: Graph of the last jaxpr-level stage.
        before: Graph of the stage `hlo`, or None.
        optimized: Graph of the stage `optimized`.
        kernels: Names of the instructions with generated code, or None where not known.
        endings: By equation id, what the passes did to the ones that vanished; empty where the
            passes were not recorded.
    """

    def __init__(
        self,
        derived: Graph,
        before: Graph | None,
        optimized: Graph,
        kernels: frozenset[str] | None = None,
        endings: Mapping[str, Ending] | None = None,
    ) -> None:
        self.equations = Equations(derived)
        self._after = Instructions.read(optimized)
        self._before = Instructions.read(before) if before is not None else None
        self._holders = Holders(
            self.equations, self._before, self._after, Holdings(self._after, kernels)
        )
        self._live = find_live(self.equations)
        self._values = Values(self.equations)
        self._endings = endings or {}
        self._fates: dict[str, Fate] = {}
        self._pending: set[int] = set()
        self._not_taken = self._find_not_taken()
        ids = self.equations.ids
        self._nodes = [n for n, is_equation in enumerate(self.equations.is_equation) if is_equation]
        self._holders.adopt(
            [
                node
                for node in self._nodes
                if self._live[node]
                and not self._values.is_constant[node]
                and node not in self.equations.inside
                and node not in self._not_taken
            ]
        )
        held = frozenset(ids[node] for node in self._nodes if self._holders.of(ids[node]))
        self._above_below = EquationNeighbours(self.equations, held)
        self._around = InstructionNeighbours(self._after)

    def all(self) -> dict[str, Fate]:
        """The fate of every equation, by id, in program order."""
        return {self.equations.ids[node]: self.fate(node) for node in self._nodes}

    def fate(self, node: int) -> Fate:
        """The fate of one equation."""
        id = self.equations.ids[node]
        known = self._fates.get(id)
        if known is None:
            if node in self._pending or len(self._pending) > _MAX_CHAIN:
                return Fate("unknown", text="Equations that explain each other explain nothing.")
            self._pending.add(node)
            known = self._fates[id] = self._find(node)
            self._pending.discard(node)
        return known

    def _find(self, node: int) -> Fate:
        id = self.equations.ids[node]
        holding = self._holders.of(id)
        if node in self.equations.inside:
            return self._of_container(node, holding)
        if holding is not None:
            return self._of_held(node, holding)
        return self._of_vanished(node)

    def _of_held(self, node: int, holding: Holding) -> Fate:
        names = self._names(holding.instructions)
        ids = self._ids(holding.instructions)
        place = self._after.names[holding.place] if holding.place != NONE else ""
        before = self._holders.opcodes_before(self.equations.ids[node])
        if holding.fate == "folded":
            if before and before <= {"constant"}:
                return Fate("folded", None, ids, text=sentence(f"it is the constant {names}"))
            return Fate("folded", None, ids, text=sentence(f"became the constant {names}"))
        if holding.fate == "layout":
            if before - LAYOUT_OPCODES:
                ending = self._endings.get(self.equations.ids[node])
                where = ending.pass_name if ending else None
                text = f"simplified until only {names} is left of it, which computes nothing"
                return Fate("simplified", where, ids, text=sentence(text + in_pass(where)))
            text = f"computes nothing: it only says how bytes lie ({names})"
            return Fate("layout", None, ids, text=sentence(text))
        if holding.fate == "library":
            text = f"runs in {holding.library}, as {place}"
        elif holding.fate == "kernel":
            text = f"has a kernel of its own, {place}"
            if self._after.opcodes[holding.place] in ("dot", "convolution"):
                text = f"is the instruction {place} of its own"
        else:
            text = f"fused into {place}"
        return Fate(holding.fate, None, ids, text=sentence(text))

    def _of_container(self, node: int, holding: Holding | None) -> Fate:
        """An equation with nested jaxprs: itself where something is left of it, else its inside."""
        operation = self.equations.operations[node]
        opcodes = [self._after.opcodes[i] for i in holding.instructions] if holding else []
        if holding and "while" in opcodes:
            place = self._names([i for i in holding.instructions if self._is(i, "while")])
            text = f"became the loop {place}"
            return Fate("kernel", None, self._ids(holding.instructions), text=sentence(text))
        if holding and "conditional" in opcodes:
            place = self._names([i for i in holding.instructions if self._is(i, "conditional")])
            text = f"became the branch {place}"
            return Fate("kernel", None, self._ids(holding.instructions), text=sentence(text))
        if not self._live[node]:
            return self._dead(node)
        children = [self.fate(child) for child in self.equations.children(node)]
        if holding is not None and holding.fate != "layout":
            own = self._of_held(node, holding)
            if operation == "cond" and "select" in opcodes:
                text = f"both branches are computed, and a select chooses: {own.text}"
                return Fate(own.fate, own.pass_name, own.instructions, text=sentence(text))
            if operation not in ("jit", "pjit", "closed_call", "remat2", "checkpoint"):
                return own
        ending = self._endings.get(self.equations.ids[node])
        where = ending.pass_name if ending else None
        if not children:
            if holding is not None:
                return self._of_held(node, holding)
            return Fate("simplified", where, text="It only handed its operands on.")
        best = combine_fates(children)
        text = f"{_gone(operation)}{in_pass(where)}; {_summary(children)}"
        return Fate(best.fate, where or best.pass_name, best.instructions, text=sentence(text))

    def _of_vanished(self, node: int) -> Fate:
        ids = self.equations.ids
        ending = self._endings.get(ids[node])
        where = ending.pass_name if ending else None
        if not self._live[node]:
            return self._dead(node)
        if node in self._not_taken:
            text = "is in a branch that is never taken"
            return Fate("dead", where, text=sentence(text + in_pass(where)))
        if self._values.is_constant[node]:
            text = "depends on no argument: its value was computed when compiling"
            return Fate("folded", where, text=sentence(text + in_pass(where)))
        if ending is not None and ending.fate:
            return self._of_ending(ending)
        return (
            self._of_equal(node, where)
            or self._of_forwarded(node)
            or self._of_rewritten(node, where)
            or self._unexplained(node, where)
        )

    def _dead(self, node: int) -> Fate:
        ending = self._endings.get(self.equations.ids[node])
        where = ending.pass_name if ending else None
        return Fate("dead", where, text=sentence("nothing uses its result" + in_pass(where)))

    def _of_ending(self, ending: Ending) -> Fate:
        """What the passes were seen to do."""
        index = self._after.graph.index_by_id
        kept = [index[name] for name in ending.instructions if name in index]
        text = ending.text
        if kept and ending.fate == "simplified":
            holding = self._holders.classify(kept)
            if holding is not None and holding.place != NONE:
                place = self._after.names[holding.place]
                text = f"{text.rstrip('.')}, which is now in {place}"
        return Fate(
            ending.fate, ending.pass_name, self._ids(kept), ending.merged_with, sentence(text)
        )

    def _of_equal(self, node: int, where: str | None) -> Fate | None:
        """The same operation on the same operands stands elsewhere: one of the two remains."""
        values, ids = self._values, self.equations.ids
        first = values.equal_to[node]
        alike = [first] if first != NONE else []
        if first == NONE:
            alike = [n for n in self._nodes if values.equal_to[n] == node]
        held = [n for n in alike if self._holders.of(ids[n]) is not None]
        if not held and first == NONE:
            return None
        partner = (held or alike)[:1]
        if not partner:
            return None
        other = self.fate(partner[0])
        name = name_equations([ids[partner[0]]])
        text = f"merged with {name}: the same operation on the same operands{in_pass(where)}"
        return Fate("merged", where, other.instructions, (ids[partner[0]],), sentence(text))

    def _of_forwarded(self, node: int) -> Fate | None:
        """Lowering made nothing of it: it hands its operand on."""
        operation = self.equations.operations[node]
        if self._before is None or self.equations.ids[node] in self._before.holders:
            return None
        if operation not in IDENTITIES:
            return None
        return Fate("simplified", None, text=f"Lowering needed no operation for this {operation}.")

    def _of_rewritten(self, node: int, where: str | None) -> Fate | None:
        """The equations around it are left, and what they read now tells what took its place."""
        above = self._above_below.above(node)
        for below in sorted(self._above_below.below(node) - {END}):
            for index in self._after.holders.get(below, ()):
                if self._after.opcodes[index] == "fusion":
                    continue
                found = self._around.above(index)
                if found & above:
                    users = name_equations([below])
                    sources = sorted((found & above) - {BEGIN})
                    what = f"what {name_equations(sources)} gives" if sources else "the arguments"
                    text = f"rewritten away{in_pass(where)}: {users} now works from {what}"
                    return Fate("simplified", where, text=sentence(text))
        return None

    def _unexplained(self, node: int, where: str | None) -> Fate:
        id = self.equations.ids[node]
        if self._before is not None and not self._holders.has_unnamed:
            text = "rewritten away: no instruction is left that carries it"
            return Fate("simplified", where, text=sentence(text + in_pass(where)))
        if self._endings:
            text = "No instruction carries it, and no pass was seen to remove it."
        else:
            text = "No instruction carries its name; record the passes (--passes) to see why."
        if self._before is not None and id not in self._before.holders:
            text = f"It was gone before XLA's first pass. {text}"
        return Fate("unknown", where, text=text)

    def _find_not_taken(self) -> set[int]:
        """Equations in branches that a literal index rules out."""
        equations = self.equations
        found: set[int] = set()
        for node in list(equations.inside):
            if equations.operations[node] != "cond":
                continue
            index = self._literal_index(node)
            if index is None:
                continue
            for group in equations.inside[node]:
                name = equations.graph.string(equations.graph.groups.id, group)
                number = name.rpartition(".")[2]
                if number.isdecimal() and int(number) != index:
                    found.update(self._below(group))
        return found

    def _literal_index(self, node: int) -> int | None:
        """The index of a `cond`, where it is a literal, converted or not."""
        equations = self.equations
        while True:
            text = equations.literals[node].get(0)
            if text is not None:
                value = text.partition(":")[0]
                known = {"True": 1, "False": 0}.get(value)
                return known if known is not None else int(value) if value.isdecimal() else None
            value_of = equations.operands[node].get(0)
            if value_of is None:
                return None
            node = value_of[0]
            if equations.operations[node] != "convert_element_type":
                return None

    def _below(self, group: int) -> list[int]:
        equations = self.equations
        groups = {group}
        found = []
        for node, home in enumerate(equations.group):
            if home in groups:
                found.append(node)
                groups.update(equations.inside.get(node, ()))
        return found

    def _is(self, index: int, opcode: str) -> bool:
        return self._after.opcodes[index] == opcode

    def _names(self, indices: list[int] | tuple[int, ...]) -> str:
        return quote_names([self._after.names[index] for index in indices])

    def _ids(self, indices: list[int] | tuple[int, ...]) -> tuple[str, ...]:
        graph = self._after.graph
        return tuple(graph.string(graph.nodes.id, index) for index in indices)


_RANKS = (
    *("library", "kernel", "fused", "layout", "unknown", "folded", "merged", "simplified", "dead"),
)


def combine_fates(fates: list[Fate]) -> Fate:
    """The most telling of several fates, with the instructions of all that share it."""
    best = min(fates, key=lambda fate: _RANKS.index(fate.fate))
    instructions = dict.fromkeys(i for fate in fates for i in fate.instructions)
    merged = dict.fromkeys(i for f in fates if f.fate == best.fate for i in f.merged_with)
    return Fate(best.fate, best.pass_name, tuple(instructions), tuple(merged), best.text)


def _gone(operation: str) -> str:
    return {
        "scan": "the loop is gone",
        "while": "the loop is gone",
        "cond": "the branch is gone",
        "custom_jvp_call": "a call with a derivative of its own, inlined",
        "custom_vjp_call": "a call with a derivative of its own, inlined",
        "remat2": "a remat, inlined",
        "checkpoint": "a remat, inlined",
    }.get(operation, "the call was inlined")


def _summary(children: list[Fate]) -> str:
    counts: dict[str, int] = {}
    for child in children:
        counts[child.fate] = counts.get(child.fate, 0) + 1
    parts = [f"{number} {fate}" for fate, number in counts.items()]
    return f"of its {len(children)} equations: {', '.join(parts)}"
