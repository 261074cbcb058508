"""Which instructions of the optimized module hold each equation, named after it or not."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

from jaxscope.analysis.fates.equations import Equations
from jaxscope.analysis.fates.holding import LAYOUT_OPCODES, MINOR_OPCODES, Holding, Holdings
from jaxscope.analysis.fates.instructions import Instructions
from jaxscope.analysis.fates.neighbours import EquationNeighbours, InstructionNeighbours, Names
from jaxscope.analysis.fates.trace import Ending
from jaxscope.analysis.fates.work import COMPUTING, work_of
from jaxscope.analysis.memory.sizes import find_bytes
from jaxscope.model.graph import NONE, GroupKind
from jaxscope.model.op_name import without_call

_KIN = {
    "reduce-window": frozenset({"reduce"}),
    "multiply": frozenset({"dot", "power"}),
    "reduce": frozenset({"dot"}),
    "add": frozenset({"subtract"}),
    "map": frozenset({"reduce"}),
}
"""Opcodes that XLA makes without a name out of others that had one."""

_MOVING = frozenset({"reshape", "transpose", "bitcast", "copy"})
_MOVED = frozenset({"bitcast", "copy", "reshape"})

_SIMPLE = (
    frozenset(
        {
            *("add", "subtract", "multiply", "divide", "negate", "abs", "sign", "maximum"),
            *("minimum", "and", "or", "not", "xor", "compare", "select", "sqrt", "rsqrt", "power"),
            *("exponential", "log", "sine", "cosine", "tanh", "logistic", "clamp", "floor", "ceil"),
        }
    )
    | LAYOUT_OPCODES
    | MINOR_OPCODES
)
"""What XLA replaces by few and similar instructions, and never by a whole algorithm."""


class Holders:
    """Finds the instructions of each equation of the last jaxpr-level stage.

    Args:
        equations: That stage.
        before: The module before optimization, or None if there is none.
        after: The optimized module.
        holdings: Classifies its instructions.
        endings: What the recorded passes did to each equation; empty where none were recorded.
            Then names alone tell which instructions are an equation's.
    """

    def __init__(
        self,
        equations: Equations,
        before: Instructions | None,
        after: Instructions,
        holdings: Holdings,
        endings: Mapping[str, Ending],
    ) -> None:
        self._equations = equations
        self._before = before
        self._after = after
        self._holdings = holdings
        holders = after.holders
        if endings:
            places = {name: index for index, name in enumerate(after.names)}
            holders = {
                id: [places[name] for name in ending.instructions if name in places]
                for id, ending in endings.items()
                if not ending.fate
            }
            holders |= {
                id: indices
                for id, indices in after.holders.items()
                if id not in endings and all(map(after.combines, indices))
            }
        self._named = {
            id: holding
            for id, indices in holders.items()
            if (holding := self._hold(id, indices)) is not None
        }
        self._is_recorded = bool(endings)
        if not endings:
            self._give_products_back()
        self._around = InstructionNeighbours(after)
        self._unnamed = [i for i in range(len(after.names)) if self._is_unnamed(i)]
        self._adopted: dict[str, list[int]] = {}
        self._places = EquationNeighbours(equations, frozenset(self._named))
        self._moving = [
            index
            for index, opcode in enumerate(after.opcodes)
            if opcode in _MOVED and not after.tags[index]
        ]

    def _hold(self, id: str, indices: Sequence[int]) -> Holding | None:
        """What instructions are to an equation; the ones that do its work decide.

        An instruction may have the name of an equation and be a small part of what became of it:
        the reciprocal of a divisor, the sum over the parts of a product that was split. So the
        operation that the equation was lowered to decides, at its size or larger; else the largest.
        """
        work = min((work_of(opcode) for opcode in self.opcodes_before(id)), default=0)
        opcodes = self._after.opcodes
        telling = [index for index in indices if work_of(opcodes[index]) <= work]
        if not telling and work == COMPUTING:
            return None  # what is left came with the operation and is not the operation
        telling = telling or list(indices)
        sizes = self._sizes_before(id)
        same = [i for i in telling if self._size(self._after, i) >= sizes.get(opcodes[i], math.inf)]
        largest = max((self._size(self._after, index) for index in telling), default=0.0)
        main = same or [i for i in telling if self._size(self._after, i) == largest] or telling
        holding = self._holdings.of(main)
        if holding is None:
            return None
        rest = [index for index in indices if index not in main]
        return dataclasses.replace(
            holding, instructions=(*holding.instructions, *rest), is_same=bool(same)
        )

    def _sizes_before(self, id: str) -> dict[str, float]:
        """Bytes of the largest instruction of each opcode that an equation was lowered to."""
        found: dict[str, float] = {}
        if self._before is not None:
            for index in self._before.holders.get(without_call(id), ()):
                opcode, size = self._before.opcodes[index], self._size(self._before, index)
                found[opcode] = max(found.get(opcode, 0.0), size)
        return found

    @staticmethod
    def _size(module: Instructions, index: int) -> float:
        sizes = [find_bytes(type) for type in module.graph.row(module.graph.nodes.types, index)]
        return max((size for size in sizes if not math.isnan(size)), default=0.0)

    def _give_products_back(self) -> None:
        """A product that is made in the order of its transpose has the name of the transpose."""
        equations = self._equations
        for node, id in enumerate(equations.ids):
            holding = self._named.get(id)
            if holding is None or self.opcodes_before(id) != {"transpose"}:
                continue
            opcodes = {self._after.opcodes[index] for index in holding.instructions}
            for source, _ in equations.operands[node].values():
                product = equations.ids[source]
                if "dot" in opcodes and "dot" in self.opcodes_before(product):
                    self._named.setdefault(product, holding)

    def may_hide(self, id: str) -> bool:
        """Whether an instruction without a name, which nothing claims, may be the equation's."""
        claimed = {index for rows in self._adopted.values() for index in rows}
        free = {self._after.opcodes[index] for index in self._unnamed if index not in claimed}
        before = self.opcodes_before(id)
        if not before:
            return bool(free)
        if before <= LAYOUT_OPCODES | MINOR_OPCODES:
            return bool(free & before)
        if before <= _SIMPLE:
            return any(self._is_kin(opcode, id) for opcode in free)
        return bool(free)

    def opcodes_before(self, id: str) -> set[str]:
        """Opcodes of what the equation was lowered to."""
        if self._before is None:
            return set()
        indices = self._before.holders.get(without_call(id), ())
        return {self._before.opcodes[index] for index in indices}

    def of(self, id: str) -> Holding | None:
        """What holds the equation; None where nothing is known to."""
        adopted = self._adopted.get(id)
        if adopted:
            holding = self._holdings.of([*adopted, *self._after.holders.get(id, ())])
            return None if holding is None else dataclasses.replace(holding, is_same=False)
        return self._named.get(id)

    def is_adopted(self, id: str) -> bool:
        """Whether its instructions are only known by what stands around them."""
        return id in self._adopted

    def may_hide_elements(self, id: str) -> bool:
        """Whether an unnamed instruction that makes elements of nothing may be the equation's."""
        before = self.opcodes_before(id)
        making = before & {"iota", "broadcast"}
        return bool(making) and any(
            opcode in making and not tags
            for opcode, tags in zip(self._after.opcodes, self._after.tags, strict=True)
        )

    def classify(self, indices: Sequence[int]) -> Holding | None:
        """What instructions are to an equation that they carry."""
        return self._holdings.of(indices)

    def find_layout(self, node: int) -> Holding | None:
        """The unnamed bitcast or copy that stands where an equation stood that only moves bytes."""
        id = self._equations.ids[node]
        before = self.opcodes_before(id)
        if not before or not before <= _MOVING:
            return None
        above, below = self._places.above(node), self._places.below(node)
        fitting = [
            index
            for index in self._moving
            if _agree(above, self._around.above(index)) and _agree(below, self._around.below(index))
        ]
        return self._holdings.of(fitting) if self._is_chain(fitting) else None

    def _is_chain(self, indices: Sequence[int]) -> bool:
        """Whether instructions feed one another in a row; one is a row."""
        linked = sum(
            any(operand in indices for operand in self._after.operands[index]) for index in indices
        )
        return bool(indices) and linked == len(indices) - 1

    def adopt(self, candidates: Sequence[int]) -> None:
        """Give unnamed instructions to the equations whose place they stand in.

        XLA makes some instructions anew without a name, such as the products of matrices and
        vectors. An instruction is an equation's if its opcode is what the equation was lowered
        to, and what stands above and below it is what stands above and below the equation; or if
        an instruction next to it still carries the equation's name.

        Args:
            candidates: Nodes of the equations that matter and that no computing instruction
                carries.
        """
        if not self._unnamed or self._is_recorded:
            return
        ids = self._equations.ids
        wanting = {
            ids[node]: node
            for node in candidates
            # Whose call an instruction without a name is of cannot be told.
            if not self._equations.is_shared(node) and self._lacks_its_work(ids[node])
        }
        held = frozenset(id for id in self._named if id not in wanting)
        neighbours = EquationNeighbours(self._equations, held)
        places: dict[str, tuple[Names, Names]] = {}
        kin: dict[str, list[str]] = {}
        for index in self._unnamed:
            above, below = self._around.above(index), self._around.below(index)
            opcode = self._after.opcodes[index]
            if opcode not in kin:
                kin[opcode] = [id for id in wanting if self._is_kin(opcode, id)]
            fitting = []
            for id in kin[opcode]:
                node = wanting[id]
                if id in above or id in below:
                    fitting.append(id)
                    continue
                if id not in places:
                    places[id] = neighbours.above(node), neighbours.below(node)
                if _agree(places[id][0], above) and _agree(places[id][1], below):
                    fitting.append(id)
            direct = [id for id in fitting if id in above or id in below]
            chosen = direct or fitting
            if len(chosen) == 1:
                self._adopted.setdefault(chosen[0], []).append(index)

    def _lacks_its_work(self, id: str) -> bool:
        """Whether what the equation computes is in no instruction that carries its name."""
        holding = self._named.get(id)
        if holding is None:
            return True
        if holding.fate not in ("layout", "folded") and not all(
            self._after.opcodes[i] in MINOR_OPCODES | LAYOUT_OPCODES for i in holding.instructions
        ):
            return False
        return bool(self.opcodes_before(id) - LAYOUT_OPCODES - MINOR_OPCODES)

    def _is_kin(self, opcode: str, id: str) -> bool:
        before = self.opcodes_before(id)
        return opcode in before or bool(_KIN.get(opcode, frozenset()) & before)

    def _is_unnamed(self, index: int) -> bool:
        module = self._after
        opcode = module.opcodes[index]
        if module.tags[index] or opcode in LAYOUT_OPCODES or opcode in ("constant", "fusion"):
            return False
        if opcode in ("broadcast", "iota", "call", "partition-id", "replica-id"):
            return False
        if module.kind(index) is GroupKind.REGION and module.owner(index) != NONE:
            return module.opcodes[module.owner(index)] in ("while", "conditional")
        return True


def _agree(wanted: Names, found: Names) -> bool:
    return bool(wanted & found)
