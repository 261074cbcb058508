"""Fates of the equations of the last jaxpr-level stage: what was lowered and compiled."""

from __future__ import annotations

from collections.abc import Mapping

from jaxscope.analysis.fates.combine import combine_fates, say_gone, summarize
from jaxscope.analysis.fates.equations import Equations
from jaxscope.analysis.fates.holders import Holders
from jaxscope.analysis.fates.holding import LAYOUT_OPCODES, Holding, Holdings
from jaxscope.analysis.fates.holding_words import (
    describe_holding,
    describe_loop,
    name_instructions,
)
from jaxscope.analysis.fates.instructions import Instructions
from jaxscope.analysis.fates.literals import literal_choice
from jaxscope.analysis.fates.liveness import find_live
from jaxscope.analysis.fates.lowering import Lowering
from jaxscope.analysis.fates.neighbours import BEGIN, END, EquationNeighbours, InstructionNeighbours
from jaxscope.analysis.fates.trace import REMADE, Ending
from jaxscope.analysis.fates.undoing import Undoing
from jaxscope.analysis.fates.values import IDENTITIES, Values
from jaxscope.analysis.fates.words import in_pass, name_equations, sentence
from jaxscope.model.capture import Fate
from jaxscope.model.graph import NONE, Graph, NodeKind

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
        stage: Name of the stage, for texts; empty if it is the base function's.
        lowered: Graph of the stage `stablehlo`, or None if there is none.
    """

    def __init__(
        self,
        derived: Graph,
        before: Graph | None,
        optimized: Graph,
        kernels: frozenset[str] | None = None,
        endings: Mapping[str, Ending] | None = None,
        stage: str = "",
        lowered: Graph | None = None,
    ) -> None:
        self._stage = stage
        self.equations = Equations(derived)
        self._after = Instructions.read(optimized)
        self._before = Instructions.read(before) if before is not None else None
        self._holders = Holders(
            self.equations, self._before, self._after, Holdings(self._after, kernels)
        )
        self._live = find_live(self.equations)
        self._values = Values(self.equations, are_captured_known=self._has_constants_inside())
        self._endings = endings or {}
        self._lowering = Lowering(lowered, self._before, has_passes=bool(endings))
        self._undoing = Undoing(self.equations, stage)
        self._fates: dict[str, Fate] = {}
        self._pending: set[int] = set()
        self._reachable: set[int] | None = None
        self._given: frozenset[str] | None = None
        self._giving = {
            source
            for node in self.equations.results
            for source, _ in self.equations.operands[node].values()
        }
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

    def _has_constants_inside(self) -> bool:
        """Whether captured arrays are constants of the module: it has no parameters for them."""
        if self._before is None:
            return False
        opcodes, groups = self._before.opcodes, self._before.group
        parameters = sum(
            opcode == "parameter" and group == NONE
            for opcode, group in zip(opcodes, groups, strict=True)
        )
        kinds, equations = self.equations.graph.nodes.kind.tolist(), self.equations
        inputs = sum(
            kind == NodeKind.INPUT and group == NONE and is_live  # JAX drops the others
            for kind, group, is_live in zip(kinds, equations.group, self._live, strict=True)
        )
        return bool(parameters <= inputs)

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
        id = self.equations.ids[node]
        ids = self._ids(holding.instructions)
        before = self._holders.opcodes_before(id)
        ending = self._endings.get(id)
        where = ending.pass_name or None if ending else None
        if ending is not None and not ending.fate and not self._is_inside_fusion(holding):
            where = None  # it put something else of the equation into a fusion
        text = describe_holding(self._after, holding, before)
        opcodes = {self._after.opcodes[index] for index in holding.instructions}
        is_taken = before == {"transpose"} and "dot" in opcodes
        is_left = bool(before - LAYOUT_OPCODES - {"transpose", "broadcast"})
        if is_taken or (holding.fate == "layout" and is_left):
            return Fate("simplified", where, ids, text=sentence(text + in_pass(where)))
        if ending is not None and ending.text and not ending.fate:
            text = f"{ending.text}; {text}"
        return Fate(holding.fate, where, ids, text=sentence(text))

    def _is_inside_fusion(self, holding: Holding) -> bool:
        return holding.place != NONE and self._after.opcodes[holding.place] == "fusion"

    def _of_container(self, node: int, holding: Holding | None) -> Fate:
        """An equation with nested jaxprs: itself where something is left of it, else its inside."""
        operation = self.equations.operations[node]
        opcodes = [self._after.opcodes[i] for i in holding.instructions] if holding else []
        if holding and "while" in opcodes:
            loops = [i for i in holding.instructions if self._is(i, "while")]
            text = describe_loop(self._after, loops, self.equations, node)
            ids = self._ids(tuple(dict.fromkeys((*loops, *holding.instructions))))
            return Fate("kernel", None, ids, text=sentence(text))
        if holding and "conditional" in opcodes:
            branches = [i for i in holding.instructions if self._is(i, "conditional")]
            text = f"became the branch {name_instructions(self._after, branches)}"
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
        # A pass that only put it into a fusion is not the one that inlined it.
        where = ending.pass_name if ending and ending.fate else None
        if not children:
            if holding is not None:
                return self._of_held(node, holding)
            return Fate("simplified", where, text="It only handed its operands on.")
        best = combine_fates(children)
        is_call = operation not in ("scan", "while", "cond")
        who = in_pass(where) if is_call else self._lowering.who(self.equations.ids[node], where)
        text = f"{say_gone(operation)}{who}; {summarize(children)}"
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
        if self._is_dropped_by_lowering(ids[node]):
            removed = f"; removed{in_pass(where)}" if where else ""
            return Fate("dead", where, text=sentence(f"nothing needs its result{removed}"))
        if self._values.is_constant[node] and not self._is_computed_elsewhere(node, ending):
            text = "depends on no argument: its value was computed"
            who = self._lowering.who(ids[node], where) or " when compiling"
            return Fate("folded", where, text=sentence(text + who))
        if ending is not None and ending.fate:
            # That equal operations become one explains more than that one of them is unused then.
            equal = self._of_equal(node, where) if ending.fate in ("dead", "merged") else None
            return equal or self._of_ending(ending)
        return (
            self._of_equal(node, where)
            or self._of_forwarded(node)
            or self._of_layout(node)
            or self._of_rewritten(node, where)
            or self._of_lowering(node)
            or self._unexplained(node, where)
        )

    def _is_computed_elsewhere(self, node: int, ending: Ending | None) -> bool:
        """Whether its value is not known when compiling after all, though no argument is in it.

        XLA leaves large arrays, such as numbers that count up, to the program.
        """
        if ending is not None and ending.fate in ("simplified", "layout", REMADE):
            return True
        holdings = (
            self._holders.of(self.equations.ids[source])
            for source, _ in self.equations.operands[node].values()
        )
        return any(holding is not None and holding.fate != "folded" for holding in holdings)

    def _is_dropped_by_lowering(self, id: str) -> bool:
        """Whether no result depends on any of the instructions that it was lowered to."""
        if self._before is None:
            return False
        if self._reachable is None:
            self._reachable = self._before.reachable()
        lowered = self._before.holders.get(id, ())
        return bool(lowered) and self._reachable.isdisjoint(lowered)

    def _dead(self, node: int) -> Fate:
        ending = self._endings.get(self.equations.ids[node])
        where = ending.pass_name if ending else None
        removed = f"; removed{in_pass(where)}" if where else ""
        return Fate("dead", where, text=sentence(f"nothing uses its result{removed}"))

    def _of_ending(self, ending: Ending) -> Fate:
        """What the passes were seen to do."""
        index = self._after.graph.index_by_id
        kept = [index[name] for name in ending.instructions if name in index]
        text = ending.text
        fate = ending.fate
        holding = self._holders.classify(kept) if kept else None
        if fate == REMADE:
            fate = holding.fate if holding is not None else "simplified"
            if holding is not None:
                text = f"{text}; {describe_holding(self._after, holding, set())}"
        elif holding is not None and fate in ("simplified", "layout"):
            fate = "layout" if holding.fate == "layout" else fate
            place = self._after.names[holding.place]
            if place not in text:
                text = f"{text}, now in {place}"
        return Fate(fate, ending.pass_name, self._ids(kept), ending.merged_with, sentence(text))

    def _of_equal(self, node: int, where: str | None) -> Fate | None:
        """The same operation on the same operands stands elsewhere: one of the two remains."""
        values, ids = self._values, self.equations.ids
        first = values.equal_to[node]
        alike = [n for n in values.alike(node) if n != node]
        held = [n for n in alike if self._holders.of(ids[n]) is not None]
        if held:
            other, name = self.fate(held[0]), name_equations([ids[held[0]]], self._stage)
            who = self._lowering.who(ids[node], where)
            text = f"merged with {name}{who}: the same operation on the same operands"
            return Fate("merged", where, other.instructions, (ids[held[0]],), sentence(text))
        if first == NONE:
            return None
        other = self.fate(first)
        if other.fate == "unknown":
            return None
        name = name_equations([ids[first]], self._stage)
        text = f"the same as {name}. {other.text}"
        return Fate(other.fate, other.pass_name, other.instructions, (ids[first],), sentence(text))

    def _of_forwarded(self, node: int) -> Fate | None:
        """Nothing of it came to XLA: it hands its operand on."""
        id, operation = self.equations.ids[node], self.equations.operations[node]
        if self._lowering.reaches_xla(id) or operation not in IDENTITIES:
            return None
        if not self._lowering.is_lowered(id):
            text = f"JAX's lowering makes no operation of this {operation}: it hands its operand on"
            return Fate("simplified", text=sentence(text))
        return Fate("simplified", text=sentence(self._removed(node, None)))

    def _of_lowering(self, node: int) -> Fate | None:
        """It ended before XLA's first pass."""
        if not self._lowering.has_simplified(self.equations.ids[node]):
            return None
        return Fate("simplified", text=sentence(self._removed(node, None)))

    def _of_layout(self, node: int) -> Fate | None:
        holding = self._holders.find_layout(node)
        return None if holding is None else self._of_held(node, holding)

    def _of_rewritten(self, node: int, where: str | None) -> Fate | None:
        """The equations around it are left, and what they read now tells what took its place."""
        above = self._above_below.above(node)
        below_it = self._above_below.below(node)
        before = self._holders.opcodes_before(self.equations.ids[node])
        moves_only = bool(before) and before <= {"reshape", "bitcast"}
        fate = "layout" if moves_only else "simplified"
        gone = "changes the shape alone" if moves_only else self._removed(node, where)
        gives = self._results_from()
        if END in below_it and node in self._giving and gives & above:
            text = f"{gone}: {self._sources_text(gives & above)} is the result"
            return Fate(fate, where, text=sentence(text))
        for below in sorted(below_it - {END}):
            for index in self._after.holders.get(below, ()):
                if self._after.opcodes[index] == "fusion":
                    continue
                found = self._around.above(index)
                if found & above:
                    users = name_equations([below], self._stage)
                    what = self._sources_text(found & above)
                    text = f"{gone}: {users} now works from {what}"
                    return Fate(fate, where, text=sentence(text))
        return None

    def _removed(self, node: int, where: str | None) -> str:
        """Who removed it, and why, as far as that is known."""
        reason = self._undoing.why(node)
        who = self._lowering.who(self.equations.ids[node], where)
        return f"rewritten away{who}" + (f", for {reason}" if reason else "")

    def _sources_text(self, names: frozenset[str]) -> str:
        sources = sorted(names - {BEGIN})
        if not sources:
            return "an argument"
        return f"what {name_equations(sources, self._stage)} gives"

    def _results_from(self) -> frozenset[str]:
        """Tags of what the optimized program returns."""
        if self._given is None:
            root = self._after.roots.get(NONE, NONE)
            given: frozenset[str] = frozenset()
            if root != NONE:
                given = self._around.above(root) | set(self._after.tags[root])
                if self._after.opcodes[root] == "parameter":
                    given |= {BEGIN}
            self._given = given
        return self._given

    def _unexplained(self, node: int, where: str | None) -> Fate:
        id = self.equations.ids[node]
        has_none = self._before is not None and not self._holders.may_hide(id)
        if has_none or self._undoing.is_nothing(node):
            text = f"{self._removed(node, where)}: no instruction is left that carries it"
            return Fate("simplified", where, text=sentence(text))
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
            index = literal_choice(equations, node, 0)
            if index is None:
                continue
            for group in equations.inside[node]:
                name = equations.graph.string(equations.graph.groups.id, group)
                number = name.rpartition(".")[2]
                if number.isdecimal() and int(number) != index:
                    found.update(self._below(group))
        return found

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

    def _ids(self, indices: list[int] | tuple[int, ...]) -> tuple[str, ...]:
        graph = self._after.graph
        return tuple(graph.string(graph.nodes.id, index) for index in indices)
