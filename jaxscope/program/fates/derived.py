"""Fates of the equations of the stage that was lowered.

For each equation, from certain to plausible: instructions that hold it; what the recorded passes
did; dead, constant, equal or without effect in the jaxpr; removed by JAX's lowering or by the
conversion to HLO; else unknown, with the reason. A fate with a proof is `proven`, all else
`inferred`.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping
from typing import Literal

from jaxscope.model.capture import Fate, Proof
from jaxscope.model.graph import NONE, Graph, NodeKind
from jaxscope.model.op_name import in_call, without_call
from jaxscope.model.operations import SOLVE
from jaxscope.model.said import CLAUSES, Said, say, say_joined, say_sentence
from jaxscope.model.types import normal_type, parse_array_type
from jaxscope.program.fates.equations import (
    CALLS,
    IDENTITIES,
    Equations,
    ValueClasses,
    find_live,
    find_ruled_out,
    has_reader,
)
from jaxscope.program.fates.instructions import Instructions
from jaxscope.program.fates.matching import (
    BEGIN,
    END,
    NAMELESS,
    EquationNeighbours,
    InstructionMatcher,
    InstructionNeighbours,
    InstructionRole,
    RoleClassifier,
    describe_loop,
    describe_role,
    joins_halves,
    name_instructions,
)
from jaxscope.program.fates.no_ops import NoOpDetector
from jaxscope.program.fates.outcomes import (
    NEEDLESS,
    NOT_RUNNING,
    RUNNING,
    PassOutcome,
    combine_fates,
    describe_removed_call,
    in_pass,
    quote_equations,
    summarize_fates,
)

# Where an equation was seen last on its way to XLA, and so who removed it.


_IN_CONVERSION = say(" when StableHLO became HLO, before XLA's first pass")
_BY_JAX = say(" in lowering to StableHLO, by JAX itself")
_FILLING = frozenset({"broadcast_in_dim", "full", "empty", "empty2", "iota", "copy", "copy_p"})
"""Primitives that only make an array, of one value, of numbers in order, or of another array."""
_BEFORE_XLA = say(" before XLA's first pass")


class Lowering:
    """Compares the StableHLO of a program with the HLO that XLA makes of it.

    Args:
        lowered: Graph of the stage `stablehlo`, or None if there is none.
        before: The module before optimization, or None if there is none.
        has_passes: Whether XLA's passes were recorded.
    """

    def __init__(
        self, lowered: Graph | None, before: Instructions | None, *, has_passes: bool
    ) -> None:
        self._lowered = lowered
        self._before = before
        self._has_passes = has_passes

    def reaches_xla(self, id: str) -> bool:
        """Whether the module that XLA receives has the equation; so too where that is missing."""
        return self._before is None or id in self._before.holders

    def is_lowered(self, id: str) -> bool:
        """Whether StableHLO has an operation of the equation; so too where it is missing."""
        return self._lowered is None or id in self._operations

    def who(self, id: str, pass_name: str | None = None) -> str:
        """Who removed an equation, as the end of a clause: ` in the pass algsimp`.

        Args:
            id: Of the equation; no instruction of the optimized module carries it.
            pass_name: The pass that was seen to do it, or None.

        Returns:
            Empty where recorded passes do not say.
        """
        if pass_name:
            return in_pass(pass_name)
        if not self.is_lowered(id) and not self._reached(id):
            return _BY_JAX
        if not self.reaches_xla(id):
            return _BEFORE_XLA if self._lowered is None else _IN_CONVERSION
        is_told = self._has_passes or self._before is None
        return "" if is_told else say(" by a pass of XLA's")

    def has_simplified(self, id: str) -> bool:
        """Whether StableHLO has an equation and HLO has not, while what reads it is in both.

        Its readers work from something else now: it is not that nothing read it. What a branch
        returns is read by its condition.
        """
        if self._lowered is None or self._before is None or id in self._before.holders:
            return False
        return any(
            other != id and other in self._before.holders
            for operation in self._operations.get(id, ())
            for reader in self._takers(operation)
            for other in self._lowered.derived(reader)
        )

    def _takers(self, operation: int) -> Iterator[int]:
        """What reads an operation; of a region's one result also the operation around."""
        graph = self._lowered
        if graph is None:
            return
        for reader in self._readers.get(operation, ()):
            yield reader
            group = int(graph.nodes.group[reader])
            if graph.nodes.kind[reader] == NodeKind.OUTPUT and group != NONE:
                owner = int(graph.groups.owner[group])
                if owner != NONE and len(graph.types(owner)) == 1:
                    yield owner

    def _reached(self, id: str) -> bool:
        return self._before is not None and id in self._before.holders

    @functools.cached_property
    def _operations(self) -> dict[str, list[int]]:
        """Operations of StableHLO by the equation whose name they carry."""
        found: dict[str, list[int]] = {}
        if self._lowered is not None:
            for operation in range(len(self._lowered.nodes)):
                for id in self._lowered.derived(operation):
                    found.setdefault(id, []).append(operation)
        return found

    @functools.cached_property
    def _readers(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        if self._lowered is not None:
            edges = self._lowered.edges
            for source, target in zip(edges.source.tolist(), edges.target.tolist(), strict=True):
                found.setdefault(source, []).append(target)
        return found


COMPILED = "after_optimizations"
"""Stands for all passes together: from the module that XLA received to the one that runs."""

LOWERED = "lowering to StableHLO"
"""Stands for what JAX left out before XLA had the program."""

_MAX_CHAIN = 50
_MAX_PROOF = 16
_RECORD = say("Record the passes (--passes) to see why.")
_BLOCKS = {
    "get": say("hands on the whole block that its kernel reads"),
    "swap": say("makes its operand the whole block that its kernel writes"),
}
_NO_OPERATION = "JAX's lowering makes no operation of this {operation}: it {does}."
_COMBINING = ("scatter", "reduce", "select_and_scatter")
_CONTROL = {
    **dict.fromkeys(("scan", "while", "pallas_call"), "while"),  # of a kernel that is interpreted
    "cond": "conditional",
}


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
        endings: Mapping[str, PassOutcome] | None = None,
        stage: str = "",
        lowered: Graph | None = None,
    ) -> None:
        self._stage, self._endings = stage, endings or {}
        self.equations = Equations(derived)
        self._after = Instructions.read(optimized)
        self._before = Instructions.read(before) if before is not None else None
        self._holders = InstructionMatcher(
            self.equations,
            self._before,
            self._after,
            RoleClassifier(self._after, kernels),
            self._endings,
        )
        self._live = find_live(self.equations)
        self._lowering = Lowering(lowered, self._before, has_passes=bool(endings))
        self._values = ValueClasses(
            self.equations,
            are_captured_known=self._has_constants_inside(),
            forwarding=self._find_forwarding(),
        )
        self._no_ops = NoOpDetector(self.equations, stage)
        self._fates: dict[str, Fate] = {}
        self._pending: set[str] = set()
        self._calls = self._find_calls()
        received = self._before.holders if self._before is not None else ()
        self._received = frozenset(map(without_call, received))
        self._readers: dict[int, list[int]] = {}
        for reader, operands in enumerate(self.equations.operands):
            for source, _ in operands.values():
                self._readers.setdefault(source, []).append(reader)
        self._reachable: set[int] | None = None
        self._given: frozenset[str] | None = None
        self._giving = {
            source
            for node in self.equations.results
            for source, _ in self.equations.operands[node].values()
        }
        self._ruled_out = find_ruled_out(self.equations)
        ids = self.equations.ids
        self._nodes = [n for n, is_equation in enumerate(self.equations.is_equation) if is_equation]
        self._holders.assign_unnamed(
            [
                node
                for node in self._nodes
                if self._live[node]
                and not self._values.is_constant[node]
                and not self._no_ops.is_nothing(node)
                and (node not in self.equations.inside or self._combines(node))
                and not self._why_unneeded(node, ids[node])[2]
                and not self._is_repeated(node)
            ]
        )
        held = frozenset(ids[node] for node in self._nodes if self._holders.of(ids[node]))
        self._above_below = EquationNeighbours(self.equations, held)
        self._around = InstructionNeighbours(self._after, assigned=self._holders.assigned)

    def _find_forwarding(self) -> frozenset[int]:
        """Equations that hand their operand on, of which JAX's lowering makes no operation."""
        equations = self.equations

        def types(node: int) -> list[str]:
            return list(map(normal_type, equations.types[node]))

        return frozenset(
            node
            for node, operation in enumerate(equations.operations)
            if operation in IDENTITIES
            and not self._lowering.is_lowered(equations.ids[node])
            and not self._lowering.reaches_xla(equations.ids[node])
            and [types(source) for source, _ in equations.operands[node].values()] == [types(node)]
        )

    def _is_repeated(self, node: int) -> bool:
        """Whether what computes the same is left by its name: XLA keeps one of the two."""
        alike = (self._holders.of(self.equations.ids[n]) for n in self._values.alike(node))
        return any(holding is not None and holding.fate in RUNNING for holding in alike)

    def _find_calls(self) -> dict[str, list[str]]:
        """By the id of an equation that several call, its calls but the named one, in order."""
        found: dict[str, list[str]] = {}
        for tag in self._endings or self._after.holders:
            id, _, call = tag.partition("@")
            if call:
                found.setdefault(id, []).append(call)
        for id, call in self._find_calls_of_rules():
            if call not in found.setdefault(id, []):
                found[id].append(call)
        places = self.equations.graph.index_by_id
        for calls in found.values():
            calls.sort(key=lambda call: places.get(call.rpartition("@")[2], NONE))
        return found

    def _find_calls_of_rules(self) -> Iterator[tuple[str, str]]:
        """Equations of a solver's rule that XLA received in a call by another equation than the one
        that their ids name, where that one does not live: none of them may be left by its name."""
        equations = self.equations
        for tag in () if self._endings or self._before is None else self._before.holders:
            id, _, call = tag.partition("@")
            node = equations.graph.index_by_id.get(id, NONE) if call else NONE
            while node != NONE and (group := equations.group[node]) != NONE:
                node = int(equations.graph.groups.owner[group])
                if node != NONE and equations.operations[node] == SOLVE:
                    if not self._live[node]:
                        yield id, call
                    break

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
        """The fate of every equation, by id, in program order.

        An equation of a function that several equations call has the fate that it met with in the
        call that its id names, or where it does not run there and does in another, in that one; the
        text says where it is otherwise.
        """
        return {self.equations.ids[node]: self._of_all_calls(node) for node in self._nodes}

    def _of_all_calls(self, node: int) -> Fate:
        found = named = self.fate(node)
        others = {
            quote_equations([call.rpartition("@")[2]], self._stage): self.fate(node, call)
            for call in self._calls.get(self.equations.ids[node], ())
        }
        running = [by for by, other in others.items() if other.fate in RUNNING]
        if named.fate in NOT_RUNNING and running:
            found = others.pop(running[0])
            text = say(
                "As {other} calls it: {text} In the call of its id: {fate}.",
                other=running[0],
                text=found.text,
                fate=say(named.fate),
            )
            found = dataclasses.replace(found, text=text)
        for by, other in others.items():
            if other.fate not in ("unknown", found.fate):
                text = say("As {other} calls it: {fate}.", other=by, fate=say(other.fate))
                found = dataclasses.replace(found, text=say_joined((found.text, text)))
        return found

    def fate(self, node: int, call: str = "") -> Fate:
        """The fate of one equation.

        Args:
            node: Its node.
            call: Which call of a function that several equations share, as `in_call` writes it
                after the equation's id; empty for the call that the id names.
        """
        key = in_call(self.equations.ids[node], (call,) if call else ())
        known = self._fates.get(key)
        if known is None:
            if key in self._pending or len(self._pending) > _MAX_CHAIN:
                text = say("Equations that explain each other explain nothing.")
                return Fate("unknown", text=text)
            self._pending.add(key)
            known = self._fates[key] = self._find(node, call, key)
            self._pending.discard(key)
        return known

    def _find(self, node: int, call: str, key: str) -> Fate:
        holding = self._holders.of(key)
        calls = self._calls.get(key, ())
        if calls and holding is None and key not in self._endings:
            # A rule of a solver's, say, that only the derivative calls, and not what it belongs to.
            owners = self._owners_of_rule(node)
            ruled = [other for other in calls if other.rpartition("@")[2] in owners]
            if ruled:
                return combine_fates([self.fate(node, other) for other in ruled])
        if node in self.equations.inside:
            return self._of_container(node, call, key, holding)
        if holding is not None:
            return self._of_held(key, holding)
        if self._endings and (known := self._of_recorded(node, key)):
            return known
        was_received = not self._endings or self.equations.ids[node] in self._received
        if (call or calls) and was_received:  # what is around it may be around another call as well
            text = say(
                "No instruction carries its name in this call of a function that several share."
            )
            text = text if self._endings else say_joined((text, _RECORD))
            return self._of_dead(node, key) or Fate("unknown", text=text)
        return self._of_vanished(node)

    def _owners_of_rule(self, node: int) -> set[str]:
        """The equations that hold a rule which an equation is in; none where it is in no rule.

        The one that the id names does not run what it holds; another one may.
        """
        equations = self.equations
        found: set[str] = set()
        while (group := equations.group[node]) != NONE:
            owner = int(equations.graph.groups.owner[group])
            if group in equations.nested:
                found.update(equations.ids[each] for each in equations.nested[group].owners)
            if owner == NONE or equations.operations[owner] == SOLVE:
                return found
            node = owner
        return set()

    def _of_held(self, key: str, holding: InstructionRole) -> Fate:
        ids = self._ids(holding.instructions)
        before = self._holders.opcodes_before(key)
        ending = self._endings.get(key)
        where = ending.pass_name if ending else None
        if joins_halves(self._after, holding, before):
            names = name_instructions(self._after, holding.instructions)
            text = say(
                "Only {names} has its name, which joins the halves of its result; what computes "
                "them has none.",
                names=names,
            )
            return Fate("unknown", text=text)
        if self._is_filled(key, holding):
            return self._of_filled(key, holding, before, ending)
        text = describe_role(self._after, holding, before)
        opcodes = {self._after.opcodes[index] for index in holding.instructions}
        is_taken = before == {"transpose"} and "dot" in opcodes
        proof = self._proof_of_held(key, holding, ending)
        fate = "simplified" if is_taken else holding.fate
        if ending is not None and ending.text:
            text = say_joined((ending.text, text), CLAUSES)
        return _certain(Fate(fate, where, ids, text=say_sentence(text)), proof)

    def _is_filled(self, key: str, holding: InstructionRole) -> bool:
        """Whether all that is left of an equation that computes fills arrays with constants."""
        node = self.equations.graph.index_by_id[without_call(key)]
        left = [i for i in holding.instructions if self._after.opcodes[i] not in ("fusion", "call")]
        return (
            holding.fate in RUNNING
            and self.equations.operations[node] not in _FILLING
            and bool(left)
            and all(self._is_constant(i) for i in left)
        )

    def _of_filled(
        self, key: str, holding: InstructionRole, before: set[str], ending: PassOutcome | None
    ) -> Fate:
        """Its value is a constant, and an instruction of its name fills an array with that."""
        is_early = bool(before) and before <= {"broadcast", "constant"}
        if is_early:
            ending = None  # a pass that changed the instruction afterwards is not what computed it
        text = say(
            "Its value was computed{who}; an array is filled with it in {place}.",
            who=_IN_CONVERSION if is_early else say(" when compiling"),
            place=self._after.names[holding.place],
        )
        if ending is not None and ending.text:
            text = say_joined((say_sentence(ending.text), text))
        where = ending.pass_name if ending is not None else None
        proof = self._proof_of_held(key, dataclasses.replace(holding, fate="folded"), ending)
        return _certain(Fate("folded", where, self._ids(holding.instructions), text=text), proof)

    def _proof_of_held(
        self, key: str, holding: InstructionRole, ending: PassOutcome | None
    ) -> Proof | None:
        """What shows that an equation is held so; without passes, that it is the same operation."""
        if ending is not None:
            return _proof(ending)
        is_shown = holding.is_same or holding.fate in ("layout", "folded")
        if not is_shown or self._before is None or self._holders.is_assigned(key):
            return None
        before = self._before.of(key)
        after = [self._after.names[index] for index in holding.instructions]
        names = tuple(self._before.names[index] for index in before[:_MAX_PROOF])
        return Proof(None, COMPILED, names, tuple(after[:_MAX_PROOF])) if names else None

    def _of_container(
        self, node: int, call: str, key: str, holding: InstructionRole | None
    ) -> Fate:
        """An equation with nested jaxprs: itself where something is left of it, else its inside."""
        if holding and (kept := self._of_kept_control(node, key, holding)):
            return kept
        dead = self._of_dead(node, key)
        if dead is not None:
            return dead
        if holding is None and not self._endings and (same := self._of_same_call(node)):
            return same
        if self._combines(node):
            if holding is not None:
                return self._of_held(key, holding)
            return self._of_recorded(node, key) or self._of_vanished(node)
        return self._of_inside(node, call, key, holding)

    def _of_kept_control(self, node: int, key: str, holding: InstructionRole) -> Fate | None:
        """Of a loop or a branch that is one in the module that runs."""
        loops = [i for i in holding.instructions if self._is(i, "while")]
        if loops:
            text = describe_loop(self._after, loops, self.equations, node)
            ids = self._ids(tuple(dict.fromkeys((*loops, *holding.instructions))))
            return self._of_control(key, "while", loops, ids, text)
        branches = [i for i in holding.instructions if self._is(i, "conditional")]
        if branches:
            text = say("became the branch {names}", names=name_instructions(self._after, branches))
            ids = self._ids(holding.instructions)
            return self._of_control(key, "conditional", branches, ids, text)
        return None

    def _of_inside(self, node: int, call: str, key: str, holding: InstructionRole | None) -> Fate:
        """The fates of what an equation holds, together with what is left of itself."""
        operation = self.equations.operations[node]
        own = None
        if holding is not None and holding.fate != "layout":
            own = self._of_held(key, holding)
            if operation == "cond" and any(self._is(i, "select") for i in holding.instructions):
                text = say(
                    "Both branches are computed, and a select chooses: {text}", text=own.text
                )
                return dataclasses.replace(own, text=text)
        children = [
            self.fate(child, self._call_below(node, call, child))
            for child in self.equations.children(node)
        ]
        if not children:
            if holding is not None:
                return self._of_held(key, holding)
            ending = self._endings.get(key)
            text = say("It only handed its operands on.")
            proof = _proof(ending) if ending is not None and ending.fate else None
            where = ending.pass_name if ending is not None and ending.fate else None
            return _certain(Fate("simplified", where, text=text), proof)
        best = combine_fates(children if own is None or operation in CALLS else [*children, own])
        where = self._unwrapping_pass(key, _CONTROL.get(operation, "call"))
        is_loop = operation in _CONTROL
        who = self._lowering.who(self.equations.ids[node], where) if is_loop else in_pass(where)
        removed = say("{what}{who}", what=describe_removed_call(operation), who=who)
        text = say_joined((removed, summarize_fates(children)), CLAUSES)
        best = dataclasses.replace(best, text=say_sentence(text))
        if best.proof is None or best.proof.pass_name != LOWERED:
            return best
        # That JAX makes no operation of what is inside proves nothing of what it makes around it.
        id = self.equations.ids[node]
        proof = None if self._lowering.is_lowered(id) else Proof(None, LOWERED, (id,))
        return _certain(dataclasses.replace(best, proof=None), proof)

    def _combines(self, node: int) -> bool:
        """Whether the jaxpr that an equation holds only says how two elements become one."""
        operation: str = self.equations.operations[node]
        return operation.startswith(_COMBINING)

    def _unwrapping_pass(self, key: str, opcode: str) -> str | None:
        """The pass that removed the call, loop or branch around what an equation holds."""
        for tag in (key, without_call(key)):
            step = self._endings[tag].unwrapped.get(opcode) if tag in self._endings else None
            if step is not None and step.number is not None:
                return step.name
        return None

    def _of_same_call(self, node: int) -> Fate | None:
        """An earlier call of the same function with the same operands is left in its stead."""
        equations, ids = self.equations, self.equations.ids
        if equations.operations[node] not in CALLS:
            return None
        groups = equations.inside[node]
        for other in dict.fromkeys(o for group in groups for o in equations.nested[group].owners):
            is_same = (
                other < node
                and equations.called[other] == equations.called[node]
                and equations.group[other] == equations.group[node]
                and equations.operands[other] == equations.operands[node]
                and equations.literals[other] == equations.literals[node]
            )
            if not is_same or any(tag.endswith(f"@{ids[node]}") for tag in self._after.holders):
                continue
            if self.fate(other).fate not in ("unknown", "dead"):
                name = quote_equations([ids[other]], self._stage)
                text = say("merged with {name}: the same function of the same operands", name=name)
                fate = Fate("merged", None, self.fate(other).instructions, (ids[other],))
                return _certain(dataclasses.replace(fate, text=say_sentence(text)), None)
        return None

    def _of_control(
        self, key: str, opcode: str, indices: list[int], ids: tuple[str, ...], text: str
    ) -> Fate:
        """A loop or a branch that is left as one instruction."""
        module, proof = self._before, None
        if module is not None:
            before = [
                module.names[index] for index in module.of(key) if module.opcodes[index] == opcode
            ]
            after = [self._after.names[index] for index in indices]
            proof = Proof(None, COMPILED, tuple(before[:_MAX_PROOF]), tuple(after[:_MAX_PROOF]))
        return _certain(Fate("kernel", None, ids, text=say_sentence(text)), proof)

    def _call_below(self, node: int, call: str, child: int) -> str:
        """The call of an equation inside, which shares its jaxpr with others unless its id says."""
        id = self.equations.ids[node]
        if self.equations.ids[child].startswith(f"{id}/"):
            return call
        return f"{call}@{id}" if call else id

    def _of_recorded(self, node: int, key: str) -> Fate | None:
        """What the passes did to an equation that is gone; None where they never had it."""
        ending = self._endings.get(key)
        if ending is not None and ending.fate:
            return self._of_ending(ending)
        id = self.equations.ids[node]
        if id in self._endings and key != id:
            text = say(
                "Nothing tells what became of it in the call by equation {id}.",
                id=key.rpartition("@")[2],
            )
            return Fate("unknown", text=text)
        if ending is not None:
            text = say("Its instructions are not in the module that runs.")
            return Fate("unknown", text=text)
        return None

    def _of_vanished(self, node: int) -> Fate:
        """What follows for an equation that no instruction carries, from what is around it."""
        return (
            self._of_dead(node, self.equations.ids[node])
            or self._of_equal(node)
            or self._of_constant(node)
            or self._of_forwarded(node)
            or self._of_layout(node)
            or self._of_rewritten(node)
            or self._of_lowering(node)
            or self._unexplained(node)
        )

    def _of_dead(self, node: int, key: str) -> Fate | None:
        """Nothing depends on it, in the module that XLA received or in the jaxpr."""
        module = self._before
        proof = None
        if module is not None and self._is_dropped_by_lowering(key):
            names = tuple(module.names[index] for index in module.holders[key][:_MAX_PROOF])
            proof = Proof(None, COMPILED, names, ())
        why: str = NEEDLESS
        around, is_unused = node, not self._live[node]
        if not is_unused:
            around, is_unused, why = self._why_unneeded(node, key)
        if module is not None and not module.of(key) and is_unused:
            proof = Proof(None, LOWERED, (self.equations.ids[node],))
        elif proof is None and is_unused and has_reader(self.equations, around, self._holders.held):
            # XLA keeps what a loop carries for its next round alone, where it does not find out:
            # if an instruction is left of what reads it, it may be left too, without its name.
            return None
        if why or proof is not None:
            return _certain(Fate("dead", text=why or NEEDLESS), proof)
        return None

    def _why_unneeded(self, node: int, key: str) -> tuple[int, bool, str]:
        """What around an equation is not needed, whether nothing uses it, and that as a sentence.

        The sentence is empty where the equation may do something.
        """
        equations, calls = self.equations, key.split("@")[1:]
        while (group := equations.group[node]) != NONE and equations.nested[group].owners:
            owners = equations.nested[group].owners
            node = owners[0]
            if calls and (named := equations.graph.index_by_id.get(calls[-1], NONE)) in owners:
                node = named
                calls.pop()
            if (node, group) in self._ruled_out:
                return node, False, say("Is in a branch that is never taken.")
            if not self._live[node]:
                name = quote_equations([equations.ids[node]], self._stage)
                text = say("Nothing uses the result of {name}, in which it is.", name=name)
                return node, True, text
        return NONE, False, ""

    def _of_constant(self, node: int) -> Fate | None:
        """Its value depends on no argument, and nothing in the module makes it when it runs."""
        if not self._values.is_constant[node] or self._is_computed_elsewhere(node):
            return None
        id = self.equations.ids[node]
        made = self._materialized(node)
        if made is not None:
            names = name_instructions(self._after, made.instructions)
            # XLA brings constants together: of `x * a * b` with both known only `a * b` is left.
            if len(made.instructions) > 1:
                text = say(
                    "Depends on no argument: one of {names} holds its value, or one made of it.",
                    names=names,
                )
            else:
                text = say(
                    "Depends on no argument: {names} holds its value, or one made of it.",
                    names=names,
                )
            fills = self.equations.operations[node] in _FILLING and made.fate != "layout"
            fate = made.fate if fills else "folded"
            return _certain(Fate(fate, None, self._ids(made.instructions), text=text), None)
        if self._before is not None and self._holders.may_hide_elements(id):
            return None
        if not self._endings and self._lowering.reaches_xla(id):
            if (taken := self._of_widened(node)) is not None:
                return taken
            if self._may_be_merged(id):
                text = say(
                    "It depends on no argument: computed when compiling, or merged with another."
                )
                return Fate("unknown", text=say_joined((text, _RECORD)))
            text = say("Depends on no argument, and no instruction is left that computes it.")
            return _certain(Fate("folded", text=text), None)
        who = self._lowering.who(id) or say(" when compiling")
        text = say("Depends on no argument: its value was computed{who}.", who=who)
        return _certain(Fate("folded", text=text), None)

    def _of_widened(self, node: int) -> Fate | None:
        """Numbers in order that XLA makes in the shape to which they were to be brought.

        The instruction then has the name of the equation that would have done so, or that reads
        them, of which none of what XLA received makes such numbers.
        """
        ids = self.equations.ids
        if "iota" not in self._holders.opcodes_before(ids[node]):
            return None
        found: dict[int, str] = {}
        for reader in sorted(self._above_below.below(node) - {END}):
            if "iota" not in self._holders.opcodes_before(reader):
                held = self._after.holders.get(reader, ())
                found.update((index, reader) for index in held if self._is(index, "iota"))
        if not found:
            return None
        names = name_instructions(self._after, list(found))
        readers = quote_equations(list(dict.fromkeys(found.values())), self._stage)
        if len(found) == 1:
            text = say(
                "Taken into {names} of {equations}: XLA makes the array in the shape that is read.",
                names=names,
                equations=readers,
            )
        else:
            text = say(
                "Taken into one of {names} of {equations}: XLA makes the array in the shape that "
                "is read.",
                names=names,
                equations=readers,
            )
        return _certain(Fate("simplified", None, self._ids(list(found)), text=text), None)

    def _may_be_merged(self, id: str) -> bool:
        """Whether what makes elements of constants is left that does what an equation did.

        XLA may make fewer elements and fill the array with them, so that only their type is known.
        """
        module = self._before
        if module is None:
            return False
        kinds = {_kind_of(module, index) for index in module.of(id)}
        # What only moves elements of an array that is filled with one value becomes such an array.
        kinds |= {("broadcast", module.types(index)) for index in module.of(id)}
        # CPUs compute bf16 and f16 as f32, where equal numbers of both are the same value.
        kinds |= {(opcode, tuple(map(_widened, types))) for opcode, types in kinds}
        return not kinds.isdisjoint(self._left_of_constants)

    @functools.cached_property
    def _left_of_constants(self) -> frozenset[tuple[str, tuple[str, ...]]]:
        """Opcode and types of elements of what is left and makes elements of constants alone."""
        module = self._after
        return frozenset(
            _kind_of(module, index)
            for index in module.made_of_constants()
            if module.opcodes[index] not in ("constant", "parameter")
        )

    def _materialized(self, node: int) -> InstructionRole | None:
        """The unnamed broadcast or constant that gives the equation's value to those that read it.

        JAX's lowering turns a filled array into a constant, and the conversion to HLO this one
        into a broadcast without a name.
        """
        if self._lowering.reaches_xla(self.equations.ids[node]):
            return None
        (type, *_) = self.equations.types[node] or ("",)
        wanted = parse_array_type(type)
        after = self._after
        found: list[int] = []
        for reader in self._readers.get(node, ()):
            for index in after.holders.get(self.equations.ids[reader], ()):
                for source in map(after.producer, after.operands[index]):
                    begins = after.opcodes[source] == "tuple"  # with what a loop or a branch begins
                    found += map(after.producer, after.operands[source]) if begins else [source]
        fitting = [
            source
            for source in dict.fromkeys(found)
            if after.opcodes[source] in ("broadcast", "constant")
            and not after.tags[source]
            and [parse_array_type(type) for type in after.graph.types(source)] == [wanted]
        ]
        return self._holders.classify(fitting)

    def _is_computed_elsewhere(self, node: int) -> bool:
        """Whether something that it works from is computed when the program runs after all."""
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

    def _of_ending(self, ending: PassOutcome) -> Fate:
        """The fate of an equation by what the recorded passes did to it."""
        if ending.fate == "unknown":
            return Fate("unknown", text=say_sentence(ending.text))
        index = self._after.graph.index_by_id
        kept = [index[name] for name in ending.instructions if name in index]
        text = ending.text
        if ending.fate == "folded":  # and not what reads the constant
            kept = [i for i in kept if self._is_constant(i)]
        holding = self._holders.classify(kept) if kept else None
        if holding is not None and ending.fate in ("simplified", "layout"):
            place = self._after.names[holding.place]
            if place not in text:
                text = say("{text}, now in {place}", text=text, place=place)
        is_left = ending.fate != "layout" or (holding is not None and holding.fate == "layout")
        fate = Fate(
            ending.fate if is_left else "simplified",
            ending.pass_name,
            self._ids(kept),
            tuple(dict.fromkeys(map(without_call, ending.merged_with))),
            say_sentence(text),
        )
        return _certain(fate, _proof(ending))

    def _of_equal(self, node: int) -> Fate | None:
        """The same operation on the same operands stands elsewhere: one of the two remains."""
        values, ids = self._values, self.equations.ids
        alike = [n for n in values.alike(node) if n != node]
        held = [n for n in alike if self._holders.of(ids[n]) is not None]
        if held:
            other, name = self.fate(held[0]), quote_equations([ids[held[0]]], self._stage)
            who = self._lowering.who(ids[node])
            text = say(
                "Merged with {name}{who}: the same operation on the same operands.",
                name=name,
                who=who,
            )
            fate = Fate("merged", None, other.instructions, (ids[held[0]],), text)
            return _certain(fate, None)
        reached = self._lowering.reaches_xla(ids[node])
        first = next(
            (
                n
                for n in alike
                # What ended before XLA tells nothing of what XLA received.
                if n < node and self._live[n] and self._lowering.reaches_xla(ids[n]) >= reached
            ),
            NONE,
        )
        if first == NONE:
            return None
        other = self.fate(first)
        if other.fate in ("unknown", "dead"):
            return None
        name = quote_equations([ids[first]], self._stage)
        text = say_joined((say("The same as {name}.", name=name), other.text))
        fate = Fate(other.fate, other.pass_name, other.instructions, (ids[first],), text)
        return _certain(fate, None)

    def _of_forwarded(self, node: int) -> Fate | None:
        """Nothing of it came to XLA: it hands its operand on."""
        id, operation = self.equations.ids[node], self.equations.operations[node]
        if self._lowering.reaches_xla(id):
            return None
        if operation in _BLOCKS and self._takes_whole_block(node):
            text = say(_NO_OPERATION, operation=operation, does=_BLOCKS[operation])
            return _certain(Fate("simplified", text=text), Proof(None, LOWERED, (id,)))
        if operation not in IDENTITIES:
            return None
        if not self._lowering.is_lowered(id):
            text = say(_NO_OPERATION, operation=operation, does=say("hands its operand on"))
            return _certain(Fate("simplified", text=text), Proof(None, LOWERED, (id,)))
        return _certain(Fate("simplified", text=say_sentence(self._removed(node))), None)

    def _takes_whole_block(self, node: int) -> bool:
        """Whether it reads or writes a whole block of a kernel that is interpreted, without index.

        The interpreter works with values instead of references. A compiled kernel is one operation.
        """
        equations = self.equations
        source = equations.operands[node].get(0)
        nested = equations.nested.get(equations.group[node])
        if source is None or nested is None or self._lowering.is_lowered(equations.ids[node]):
            return False
        (whole, *_) = equations.types[source[0]] or ("",)
        return equations.types[node] == (whole.partition("{")[2].removesuffix("}"),) and all(
            equations.operations[owner] == "pallas_call"
            and equations.attributes[owner].get("interpret") == "True"
            for owner in nested.owners
        )

    def _of_lowering(self, node: int) -> Fate | None:
        """It ended before XLA's first pass."""
        if not self._lowering.has_simplified(self.equations.ids[node]):
            return None
        return _certain(Fate("simplified", text=say_sentence(self._removed(node))), None)

    def _of_layout(self, node: int) -> Fate | None:
        holding = self._holders.find_layout(node)
        if holding is None:
            return None
        text = describe_role(self._after, holding, set())
        fate = Fate(holding.fate, None, self._ids(holding.instructions), text=say_sentence(text))
        return _certain(fate, None)

    def _of_rewritten(self, node: int) -> Fate | None:
        """The equations around it are left, and what they read now shows what took its place."""
        if self._holders.is_undecided(self.equations.ids[node]):
            return None  # it may be one of those between them
        above = self._above_below.above(node)
        below_it = self._above_below.below(node)
        before = self._holders.opcodes_before(self.equations.ids[node])
        moves_only = bool(before) and before <= {"reshape", "bitcast"}
        gone = say("changes the shape alone") if moves_only else self._removed(node)
        gives = self._results_from()
        if END in below_it and node in self._giving and gives & above and NAMELESS not in gives:
            result = self._sources_text(gives & above)
            text = say("{gone}: {result} is the result", gone=gone, result=result)
            return _certain(Fate("simplified", text=say_sentence(text)), None)
        for below in sorted(below_it - {END}):
            for index in self._after.holders.get(below, ()):
                if self._after.opcodes[index] == "fusion" or self._after.combines(index):
                    continue  # what combines two elements reads none of the program's values
                if self._after.opcodes[index] in before - self._holders.opcodes_before(below):
                    return None  # this one has its user's name, and may be what it became
                found = self._around.above(index)
                own = self._after.holders.get(self.equations.ids[node], ())
                if any(NAMELESS in self._around.above(i) for i in (index, *own)):
                    return None
                if found & above:
                    users = quote_equations([below], self._stage)
                    what = self._sources_text(found & above)
                    text = say(
                        "{gone}: {users} now works from {what}", gone=gone, users=users, what=what
                    )
                    return _certain(Fate("simplified", text=say_sentence(text)), None)
        return None

    def _removed(self, node: int) -> Said:
        """Who removed it, and why, as far as that is known."""
        reason = self._no_ops.why(node)
        who = self._lowering.who(self.equations.ids[node])
        gone = say("rewritten away{who}", who=who)
        return say("{gone}, for {reason}", gone=gone, reason=reason) if reason else gone

    def _sources_text(self, names: frozenset[str]) -> Said:
        sources = sorted(names - {BEGIN})
        if not sources:
            return say("an argument")
        return say("what {equations} gives", equations=quote_equations(sources, self._stage))

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

    def _unexplained(self, node: int) -> Fate:
        id = self.equations.ids[node]
        if not self._lowering.is_lowered(id) and not self._no_ops.is_nothing(node):
            text = say("JAX's lowering made no operation that carries its name.")
            return Fate("unknown", text=text)
        has_none = self._before is not None and not self._holders.may_hide(id)
        if (has_none and not self._endings) or self._no_ops.is_nothing(node):
            gone = self._removed(node)
            left = tuple(self._after.of(id))
            if left:  # as a bitcast, of which nothing else shows that it took the equation's place
                names = name_instructions(self._after, left)
                text = say("{gone}: only {names} has its name", gone=gone, names=names)
            else:
                text = say("{gone}: no instruction is left that carries it", gone=gone)
            fate = Fate("simplified", None, self._ids(left), text=say_sentence(text))
            return _certain(fate, None)
        if self._endings:
            text = say("No instruction that XLA received carries it.")
        else:
            text = say("No instruction that computes it carries its name.")
            text = say_joined((text, _RECORD))
        if self._before is not None and id not in self._before.holders and not self._endings:
            text = say_joined((say("It was gone before XLA's first pass."), text))
        return Fate("unknown", text=text)

    def _is_constant(self, index: int) -> bool:
        """Whether an instruction is a constant, or an array filled with one."""
        if self._is(index, "broadcast") and self._after.operands[index]:
            index = self._after.operands[index][0]
        return self._is(self._after.producer(index), "constant")

    def _is(self, index: int, opcode: str) -> bool:
        return self._after.opcodes[index] == opcode

    def _ids(self, indices: list[int] | tuple[int, ...]) -> tuple[str, ...]:
        graph = self._after.graph
        return tuple(graph.id(index) for index in indices)


def _widened(type: str) -> str:
    return re.sub(r"^b?f16\b", "f32", type)


def _kind_of(module: Instructions, index: int) -> tuple[str, tuple[str, ...]]:
    """Opcode and types of an instruction; of what computes elements without their number."""
    opcode, types = module.opcodes[index], module.types(index)
    if opcode != "broadcast":
        types = tuple(type.partition("[")[0] for type in types)
    return opcode, types


def _proof(ending: PassOutcome) -> Proof:
    step = ending.step
    if step is None or step.number is None:
        return Proof(None, COMPILED, ending.before, ending.after)
    return Proof(step.number, step.name, ending.before, ending.after)


def _certain(fate: Fate, proof: Proof | None) -> Fate:
    """The fate with what shows it; inferred where nothing does."""
    certainty: Literal["proven", "inferred"] = "inferred" if proof is None else "proven"
    return dataclasses.replace(fate, certainty=certainty, proof=proof)
