"""Which instructions of the optimized module are an equation's, and in what role: fused, a kernel
of its own, a library call, folded, a layout change.

Idea: instructions carry the names of equations; of these the ones that do the equation's work
decide. XLA makes some instructions anew without a name: such an instruction is assigned to the one
equation whose operation was lowered to that opcode and whose nearest named neighbours above and
below agree. With recorded passes the instructions followed from pass to pass replace names. Cost: a
bounded search (`_MAX_VISITS`) for each unnamed instruction and each equation without instructions,
and a comparison for each pair whose opcodes fit. Limits: where several equations fit, none is
chosen.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import NONE, GroupKind, NodeKind
from jaxscope.model.op_name import without_call
from jaxscope.model.operations import LOOPS
from jaxscope.model.said import Said, say
from jaxscope.model.types import read_count
from jaxscope.program.fates.equations import Equations
from jaxscope.program.fates.instructions import (
    COLLECTIVES,
    COMPUTING,
    LAYOUT_OPCODES,
    SHARDING_MARKS,
    Instructions,
    work_of,
)
from jaxscope.program.fates.outcomes import PassOutcome, quote_names

# What stands next to an equation or an instruction among those that can be distinguished by name.
#
# In a jaxpr: the nearest equations, up and down, that some instruction of the optimized module
# carries. In the optimized module: the nearest instructions with a name. Where both sides agree, an
# instruction without a name stands where the equation stood.


BEGIN = "<"
"""An argument of the program, or of the body of a loop."""

END = ">"
"""A result of the program, or of the body of a loop."""

NAMELESS = "?"
"""An instruction that computes and has no name, so that it may be anybody's."""

_MAX_VISITS = 2000

Names = frozenset[str]


class EquationNeighbours:
    """Nearest held equations of a jaxpr.

    Args:
        equations: The jaxpr.
        held: Ids of the equations that the optimized module carries.
    """

    def __init__(self, equations: Equations, held: Names) -> None:
        self._equations = equations
        self._held = held
        self._users: list[list[int]] = [[] for _ in equations.ids]
        for node, row in enumerate(equations.operands):
            for source, _ in row.values():
                self._users[source].append(node)
        kinds = equations.graph.nodes.kind
        self._is_output: list[bool] = (kinds == NodeKind.OUTPUT).tolist()
        self._is_source: list[bool] = np.isin(kinds, (NodeKind.INPUT, NodeKind.CONSTANT)).tolist()
        self._known_producers: dict[int, list[int | str]] = {}
        self._known_consumers: dict[int, list[int | str]] = {}

    def above(self, node: int) -> Names:
        """What the equation's operands come from."""
        return self._search(node, self._producers, self._known_producers)

    def below(self, node: int) -> Names:
        """What uses the equation's results."""
        return self._search(node, self._consumers, self._known_consumers)

    def _search(
        self,
        node: int,
        step: Callable[[int], list[int | str]],
        steps: dict[int, list[int | str]],
    ) -> Names:
        """What is carried and reached first; `steps` are those that were found before."""
        found: set[str] = set()
        waiting, seen = [node], {node}
        while waiting and len(seen) < _MAX_VISITS:
            current = waiting.pop()
            others = steps.get(current)
            if others is None:
                others = steps[current] = step(current)
            for other in others:
                if isinstance(other, str):
                    found.add(other)
                elif other not in seen:
                    seen.add(other)
                    id = self._equations.ids[other]
                    if self._equations.is_equation[other] and id in self._held:
                        found.add(id)
                    else:
                        waiting.append(other)
        return frozenset(found)

    def _producers(self, node: int) -> list[int | str]:
        equations = self._equations
        if equations.is_equation[node] and node in equations.inside:
            groups = equations.inside[node]
            inner = [o for g in groups for o in equations.nested[g].outputs.values()]
            return [*inner, *(source for source, _ in equations.operands[node].values())]
        if self._is_source[node]:
            nested = equations.nested.get(equations.group[node])
            if nested is None:
                return [BEGIN]
            found: list[int | str] = []
            for owner in nested.owners:
                if equations.operations[owner] in (*LOOPS, "cond"):
                    found.append(BEGIN)
                if equations.operations[owner] not in LOOPS:
                    found += [source for source, _ in equations.operands[owner].values()]
            return found
        return [source for source, _ in equations.operands[node].values()]

    def _consumers(self, node: int) -> list[int | str]:
        equations = self._equations
        if self._is_output[node]:
            nested = equations.nested.get(equations.group[node])
            if nested is None:
                return [END]
            found: list[int | str] = []
            for owner in nested.owners:
                if equations.operations[owner] in (*LOOPS, "cond"):
                    found.append(END)
                if equations.operations[owner] not in LOOPS:
                    found += self._users[owner]
            return found
        found = []
        for user in self._users[node]:
            found.append(user)
            for group in equations.inside.get(user, ()):
                operands = [k for k, (s, _) in equations.operands[user].items() if s == node]
                found += [i for i, k in equations.inputs(user, group) if k in operands]
        return found


class InstructionNeighbours:
    """Nearest instructions of a module that carry an equation.

    Args:
        module: The module.
        tell_calls: Whether calls of a shared function are told apart.
        assigned: Equations of instructions without a name. Where given, a search ends at what
            computes and is in neither, which is `NAMELESS`; else it goes on behind it.
    """

    def __init__(
        self,
        module: Instructions,
        *,
        tell_calls: bool = False,
        assigned: Mapping[int, str] | None = None,
    ) -> None:
        self._module = module
        self._name_of = str if tell_calls else without_call
        self._assigned = assigned
        self._above: dict[int, Names] = {}
        self._below: dict[int, Names] = {}

    def above(self, index: int) -> Names:
        """Tags of what an instruction's operands come from; its own are not among them."""
        if index not in self._above:
            self._above[index] = self._find_above(index)
        return self._above[index]

    def _find_above(self, index: int) -> Names:
        module = self._module
        found: set[str] = set()
        waiting, seen = list(module.operands[index]), {index}
        while waiting and len(seen) < _MAX_VISITS:
            current = module.producer(waiting.pop())
            if current in seen:
                continue
            seen.add(current)
            if module.opcodes[current] == "parameter":
                found.add(BEGIN)
            elif module.tags[current]:
                found.update(map(self._name_of, module.tags[current]))
            elif self._assigned is not None and current in self._assigned:
                found.add(self._name_of(self._assigned[current]))
            else:
                if self._assigned is not None and work_of(module.opcodes[current]) == COMPUTING:
                    found.add(NAMELESS)
                waiting += module.operands[current]
        return frozenset(found)

    def below(self, index: int) -> Names:
        """Tags of what uses an instruction's result; its own are not among them."""
        if index not in self._below:
            self._below[index] = self._find_below(index)
        return self._below[index]

    def _find_below(self, index: int) -> Names:
        module = self._module
        found: set[str] = set()
        waiting, seen = self._uses(index), {index}
        if not waiting:
            found.add(END)
        while waiting and len(seen) < _MAX_VISITS:
            current = waiting.pop()
            if current in seen:
                continue
            seen.add(current)
            if module.tags[current] and module.opcodes[current] != "fusion":
                found.update(map(self._name_of, module.tags[current]))
                continue
            further = self._uses(current)
            waiting += further
            if not further:
                found.add(END)
        return frozenset(found)

    def _uses(self, index: int) -> list[int]:
        """Users, across the borders of fusions."""
        module = self._module
        found: list[int] = []
        for user in module.users[index]:
            if module.opcodes[user] == "fusion":
                for group in module.called.get(user, ()):
                    for number, operand in enumerate(module.operands[user]):
                        inner = module.parameters.get((group, number))
                        if operand == index and inner is not None:
                            found.append(inner)
            else:
                found.append(user)
        group = module.group[index]
        if (
            group != NONE
            and module.roots.get(group) == index
            and module.kind(index) is GroupKind.FUSION
        ):
            found += self._uses(module.owner(index))
        return found


MINOR_OPCODES = frozenset({"broadcast", "iota", "constant", "convert", "transpose", "slice", "pad"})
"""What accompanies an operation; alone it is the operation."""

_LIBRARY_OPCODES = frozenset({"custom-call", "fft", "cholesky", "triangular-solve"})
_MAYBE_LIBRARY = frozenset({"dot", "convolution"})
_HALVES = frozenset({"X64Combine", "X64SplitLow", "X64SplitHigh"})
"""Of 64-bit and complex values on TPUs, which compute with their halves."""

_ANNOTATIONS = _HALVES | SHARDING_MARKS
_COMPILED_KINDS = ("triton", "emitter", "dynamic_slice", "dynamic_memcpy")
_LIBRARY_NAMES = {
    "ynn": "YNNPACK",
    "xnn": "XNNPACK",
    "onednn": "oneDNN",
    "cublas": "cuBLAS",
    "cudnn": "cuDNN",
    "cusolver": "cuSOLVER",
    "cusparse": "cuSPARSE",
    "lapack": "LAPACK",
    "blas": "BLAS",
    "topk": say("XLA's TopK"),
    "ducc": "DUCC",
}


@dataclass(frozen=True, slots=True)
class InstructionRole:
    """What holds an equation.

    Attributes:
        fate: `fused`, `kernel`, `library`, `layout` or `folded`.
        instructions: Node indices, the informative ones first.
        place: The fusion, or the instruction itself, that runs it; `NONE` where nothing does.
        library: Name of the library, for the fate `library`.
        is_same: Whether one of them is the operation, at its size, that the equation was lowered
            to.
    """

    fate: str
    instructions: tuple[int, ...]
    place: int = NONE
    library: str = ""
    is_same: bool = False


class RoleClassifier:
    """Classifies the instructions of one optimized module.

    Args:
        module: The module.
        kernels: Names of the instructions for which XLA generated code, or None where that is
            not known; a product of matrices without code of its own is a call of a library.
    """

    def __init__(self, module: Instructions, kernels: frozenset[str] | None) -> None:
        self._module = module
        self._kernels = kernels
        self._fusions: dict[int, str] = {}

    def of(self, indices: Sequence[int]) -> InstructionRole | None:
        """What a set of instructions is to the equation they carry; None if there are none."""
        if not indices:
            return None
        found: dict[str, list[int]] = {}
        for index in indices:
            found.setdefault(self._class_of(index), []).append(index)
        main = [c for c in ("library", "kernel", "fused") if c in found]
        if main:
            # A broadcast that was left outside is not what became of the equation.
            telling = [c for c in main if not self._is_minor(found[c])]
            fate = (telling or main)[0]
            chosen = found.pop(fate)
            rest = [index for group in found.values() for index in group]
            place = self._place(chosen[-1])
            chosen.sort(key=self._module.combines)  # how two elements are combined comes last
            library = self._library(place) if fate == "library" else ""
            return InstructionRole(fate, (*chosen, *rest), place, library)
        if "layout" in found:
            return InstructionRole("layout", tuple(indices), self._place(found["layout"][-1]))
        return InstructionRole("folded", tuple(indices), indices[-1])

    def _is_minor(self, indices: Sequence[int]) -> bool:
        return all(self._module.opcodes[index] in MINOR_OPCODES for index in indices)

    def _class_of(self, index: int) -> str:
        module = self._module
        opcode = module.opcodes[index]
        if opcode == "constant":
            return "folded"
        if opcode in LAYOUT_OPCODES or self._is_annotation(index):
            return "layout"
        if opcode == "fusion":
            return self._fusion_class(index)
        kind = module.kind(index)
        if kind is GroupKind.FUSION:
            return self._fusion_class(module.owner(index))
        if kind is GroupKind.REGION and module.opcodes[module.owner(index)] not in (
            "while",
            "conditional",
        ):
            return self._class_of(module.owner(index))
        if opcode in _LIBRARY_OPCODES or opcode.removesuffix("-start") in _LIBRARY_OPCODES:
            return "library"
        if opcode in _MAYBE_LIBRARY and self._kernels is not None:
            return "kernel" if self._has_code(index) else "library"
        return "kernel"

    def _has_code(self, index: int) -> bool:
        assert self._kernels is not None
        name = self._module.names[index]
        return name in self._kernels or name.replace(".", "_") in self._kernels

    def _fusion_class(self, fusion: int) -> str:
        """A fusion around a single operation is that operation's own kernel."""
        known = self._fusions.get(fusion)
        if known is None:
            inner = set(self._module.called.get(fusion, ()))
            if self._library(fusion):
                known = "library"
            elif sum(self._num_computing(group) for group in inner) > 1:
                known = "fused"
            else:
                known = "kernel"
            self._fusions[fusion] = known
        return known

    def _num_computing(self, group: int) -> int:
        root = self._module.roots.get(group, NONE)
        if root == NONE:
            return 2
        waiting, seen = [root], {root}
        count = 0
        while waiting:
            index = waiting.pop()
            opcode = self._module.opcodes[index]
            count += opcode not in LAYOUT_OPCODES and opcode != "constant"
            for operand in self._module.operands[index]:
                if operand not in seen:
                    seen.add(operand)
                    waiting.append(operand)
        return count

    def _place(self, index: int) -> int:
        """The instruction that runs it: the fusion around it, or itself."""
        module = self._module
        while module.kind(index) is not None and (
            module.kind(index) is GroupKind.FUSION
            or module.opcodes[module.owner(index)] not in ("while", "conditional", "call")
        ):
            owner = module.owner(index)
            if owner == NONE:
                break
            index = owner
        return index

    def _is_annotation(self, index: int) -> bool:
        if self._module.opcodes[index] != "custom-call":
            return False
        target = self._module.graph.attributes(index).get("custom_call_target", "")
        return target in _ANNOTATIONS

    def _library(self, index: int) -> str:
        """The library that an instruction calls; empty for code that XLA generates."""
        opcode = self._module.opcodes[index]
        row = self._module.graph.attributes(index)
        if opcode == "fusion":
            config = row.get("fusion_config", "").lower()
            if row.get("fusion_kind") != "kCustom" or not config:  # XLA's own, on TPUs
                return ""
            if any(kind in config for kind in _COMPILED_KINDS):
                return ""
            return _library_name(config) or say("a library")
        if opcode == "custom-call":
            target = row.get("custom_call_target", "")
            return _library_name(target.lower()) or say("the custom call {target}", target=target)
        if opcode == "fft":
            return say("an FFT library")
        is_lapacks = opcode in ("cholesky", "triangular-solve")
        return "LAPACK" if is_lapacks else "Eigen" if opcode in _MAYBE_LIBRARY else ""


def _library_name(text: str) -> str:
    return next((name for part, name in _LIBRARY_NAMES.items() if part in text), "")


# What holds an equation, in words.


_REDUCING = frozenset({"reduce", "reduce-window"})
_MAX_PARTS = 8
"""XLA reduces 32 elements of each dimension at once: more levels have no place in memory."""
_PASSED_ON = LAYOUT_OPCODES | {"transpose", "broadcast"}
_COMBINING_OPCODES = frozenset(
    {"reduce", "reduce-window", "select-and-scatter", "scatter", "sort", "map"}
)
"""Opcodes with a computation that says how two elements are treated."""


def name_instructions(module: Instructions, indices: Sequence[int]) -> Said:
    """A few names, and how many more there are."""
    return quote_names([module.names[index] for index in indices])


def joins_halves(module: Instructions, holding: InstructionRole, before: set[str]) -> bool:
    """Whether of an equation that computes only the joining of its result's halves has the name."""
    targets = [module.graph.attributes(n).get("custom_call_target") for n in holding.instructions]
    is_left = holding.fate == "layout" and not _HALVES.isdisjoint(targets)
    return is_left and bool(before - _PASSED_ON)


def describe_role(module: Instructions, holding: InstructionRole, before: set[str]) -> Said:
    """Such as `fused into add_fusion`.

    Args:
        module: The optimized module.
        holding: What of it holds the equation.
        before: Opcodes of what the equation was lowered to.
    """
    indices = holding.instructions
    names = name_instructions(module, indices)
    place = module.names[holding.place] if holding.place != NONE else names
    opcodes = {module.opcodes[index] for index in indices}
    if before == {"transpose"} and opcodes <= {"dot", "fusion"} and "dot" in opcodes:
        return say(
            "taken into the product {place}, which gives its result in that order", place=place
        )
    if holding.fate == "folded":
        if before <= {"constant"}:
            return say("is the constant {names}", names=names)
        return say("became the constant {names}", names=names)
    if holding.fate == "layout":
        if before - _PASSED_ON:
            return say(
                "simplified until only {names} is left of it, which computes nothing", names=names
            )
        return say("computes nothing: it only says how bytes lie ({names})", names=names)
    if finish := _find_finish(module, indices) if _is_split(before, opcodes) else []:
        whole = describe_role(
            module, dataclasses.replace(holding, instructions=indices[:1]), before
        )
        last = quote_names(finish)
        if len(finish) == 1:
            return say("{whole}, in parts, which {last} combines", whole=whole, last=last)
        return say("{whole}, in parts, which {last} combine", whole=whole, last=last)
    if holding.fate == "library":
        return say("runs in {library}, as {place}", library=holding.library, place=place)
    if all(module.combines(index) for index in indices) and before.isdisjoint(_COMBINING_OPCODES):
        return say("says how {place} combines two elements", place=place)
    if holding.fate == "fused":
        return say("fused into {place}", place=place)
    loops = [index for index in indices if module.opcodes[index] == "while"]
    if loops:
        return say("became the loop {loops}", loops=name_instructions(module, loops))
    if module.opcodes[holding.place] in ("dot", "convolution"):
        return say("is the instruction {place} of its own", place=place)
    return say("has a kernel of its own, {place}", place=place)


def _is_split(before: set[str], after: Collection[str]) -> bool:
    """Whether a reduction is done in parts: XLA makes windows of it, which it reduces first."""
    return "reduce" in before and "reduce-window" not in before and "reduce-window" in after


def _find_finish(module: Instructions, indices: Sequence[int]) -> list[str]:
    """The kernels of the later parts of a split reduction, of which the first comes first."""
    later = [index for index in indices[1:] if module.opcodes[index] in _REDUCING]
    fused = [module.kind(index) is GroupKind.FUSION for index in later]
    return list(
        dict.fromkeys(
            module.names[module.owner(index) if is_fused else index]
            for index, is_fused in zip(later, fused, strict=True)
        )
    )


def describe_loop(
    module: Instructions, loops: Sequence[int], equations: Equations, node: int
) -> Said:
    """Which loop an equation became, and how often its body runs where that is known."""
    text = say("became the loop {loops}", loops=name_instructions(module, loops))
    row = equations.attributes[node] if equations.operations[node] == "scan" else {}
    length, unroll = row.get("length", ""), row.get("unroll", "1")
    rounds = module.graph.attributes(loops[0]).get("known_trip_count", "")
    if not rounds and unroll == "1":
        rounds = length
    times, steps = read_count(rounds), read_count(unroll)
    if times is None:
        return text
    if steps is None or steps <= 1:
        return say("{loop}, whose body runs {times:,} times", loop=text, times=times)
    return say(
        "{loop}, whose body runs {times:,} times and does {steps:,} of the {length} steps "
        "each time",
        loop=text,
        times=times,
        steps=steps,
        length=length,
    )


_RELATED_OPCODES = {
    "reduce-window": frozenset({"reduce"}),
    "multiply": frozenset({"dot", "power", "select"}),
    "reduce": frozenset({"dot"}),
    "add": frozenset({"subtract"}),
    "map": frozenset({"reduce"}),
}
"""Opcodes that XLA makes without a name out of others that had one."""

_EXPANDED = frozenset({"gather", "scatter", "select-and-scatter"})
"""Opcodes that XLA makes loops, comparisons and reductions of."""

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


class InstructionMatcher:
    """Finds the instructions of each equation of the last jaxpr-level stage.

    Args:
        equations: That stage.
        before: The module before optimization, or None if there is none.
        after: The optimized module.
        holdings: Classifies its instructions.
        endings: What the recorded passes did to each equation; empty where none were recorded.
            Then names alone say which instructions are an equation's.
    """

    def __init__(
        self,
        equations: Equations,
        before: Instructions | None,
        after: Instructions,
        holdings: RoleClassifier,
        endings: Mapping[str, PassOutcome],
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
            for id, indices in _with_combining(after, holders).items()
            if (holding := self._hold(id, indices)) is not None
        }
        self._is_recorded = bool(endings)
        self._turned: set[str] = set()
        if not endings:
            self._give_products_back()
        self._around = InstructionNeighbours(after)
        self._unnamed = [i for i in range(len(after.names)) if self._is_unnamed(i)]
        self._assigned: dict[str, list[int]] = {}
        self._parts: dict[str, list[int]] = {}
        self._undecided: set[str] = set()
        self._places = EquationNeighbours(equations, frozenset(self._named))
        self._moving = [
            index
            for index, opcode in enumerate(after.opcodes)
            if opcode in _MOVED and not after.tags[index]
        ]

    def _hold(self, id: str, indices: Sequence[int]) -> InstructionRole | None:
        """What instructions are to an equation; the ones that do its work decide.

        An instruction may have the name of an equation and be a small part of what became of it:
        the reciprocal of a divisor, the sum over the parts of a product that was split. So the
        operation that the equation was lowered to decides, at its size or larger; else the largest.
        """
        work = min((work_of(opcode) for opcode in self.opcodes_before(id)), default=0)
        opcodes = self._after.opcodes
        indices = list(dict.fromkeys((*self._nameless_owners(id, indices), *indices)))
        telling = [index for index in indices if work_of(opcodes[index]) <= work]
        if not telling and work == COMPUTING:
            return None  # what is left came with the operation and is not the operation
        telling = telling or list(indices)
        if not any(opcode.startswith(COLLECTIVES) for opcode in self.opcodes_before(id)):
            # What it reads or gives is sent as well where devices share an array.
            own = [index for index in telling if not opcodes[index].startswith(COLLECTIVES)]
            telling = own or telling
        sizes = self._sizes_before(id)
        after = self._after.sizes
        same = [i for i in telling if after[i] >= sizes.get(opcodes[i], math.inf)]
        largest = max((after[index] for index in telling), default=0.0)
        main = same or [i for i in telling if after[i] == largest] or telling
        if _is_split(self.opcodes_before(id), {opcodes[index] for index in telling}):
            parts = [index for index in telling if opcodes[index] == "reduce-window"]
            main, same = [max(parts, key=lambda index: after[index])], []
        holding = self._holdings.of(main)
        if holding is None:
            return None
        rest = [index for index in indices if index not in main]
        return dataclasses.replace(
            holding, instructions=(*holding.instructions, *rest), is_same=bool(same)
        )

    def _nameless_owners(self, id: str, indices: Sequence[int]) -> list[int]:
        """The reductions of which only how they combine elements has kept the equation's name.

        Where a reduction has kept it as well, they are parts of that one.
        """
        after = self._after
        if self.opcodes_before(id).isdisjoint(_COMBINING_OPCODES):
            return []
        named = [index for index in indices if not after.combines(index)]
        owners = dict.fromkeys(
            after.owner(index) for index in (*indices, *self._inside(id)) if after.combines(index)
        )
        return [
            owner
            for owner in owners
            if owner != NONE
            and after.opcodes[owner] in _COMBINING_OPCODES
            and not after.tags[owner]
            and (not named or self._feeds(owner, named))
        ]

    def _inside(self, id: str) -> Iterator[int]:
        """Instructions with the name of an equation, or of one in the jaxpr that it holds."""
        holders = self._after.holders
        yield from holders.get(id, ())
        if self._equations.graph.index_by_id.get(id) in self._equations.called:
            for inner, indices in holders.items():
                if inner.startswith(f"{id}/"):
                    yield from indices

    def _feeds(self, part: int, indices: Sequence[int]) -> bool:
        """Whether a reduction among some instructions reduces further what a part of it gives."""
        after = self._after
        waiting = [index for index in indices if after.opcodes[index] in _REDUCING]
        for _ in range(_MAX_PARTS):
            waiting = [after.producer(after.operands[i][0]) for i in waiting if after.operands[i]]
            if part in waiting:
                return True
            waiting = [i for i in waiting if after.opcodes[i] in _REDUCING and not after.tags[i]]
        return False

    def _sizes_before(self, id: str) -> dict[str, float]:
        """Bytes of the largest instruction of each opcode that an equation was lowered to."""
        found: dict[str, float] = {}
        if self._before is not None:
            for index in self._before.of(id):
                opcode, size = self._before.opcodes[index], self._before.sizes[index]
                found[opcode] = max(found.get(opcode, 0.0), size)
        return found

    def _give_products_back(self) -> None:
        """A product that is made in the order of its transpose has the name of the transpose.

        A product that works from another one which is nowhere else may be gone instead of that one.
        """
        for node, id in enumerate(self._equations.ids):
            holding = self._named.get(id)
            if holding is None or self.opcodes_before(id) != {"transpose"}:
                continue
            if "dot" not in {self._after.opcodes[index] for index in holding.instructions}:
                continue
            for product in self._products_above(node):
                others = self._products_above(product)
                if others:
                    ids = [self._equations.ids[other] for other in (product, *others)]
                    self._turned.update(ids)
                else:
                    self._named.setdefault(self._equations.ids[product], holding)

    def _products_above(self, node: int) -> list[int]:
        """The products that an equation works from and that no instruction is left of by name."""
        equations = self._equations
        sources = (equations.find_source(v)[0] for v in equations.operands[node].values())
        return [
            source
            for source in dict.fromkeys(sources)
            if "dot" in self.opcodes_before(equations.ids[source])
            and equations.ids[source] not in self._named
        ]

    def may_hide(self, id: str) -> bool:
        """Whether an instruction without a name, which nothing claims, may be the equation's.

        Or one with the name of the transpose of one of several products.
        """
        if id in self._turned:
            return True
        claimed = {index for rows in self._assigned.values() for index in rows}
        free = {
            (self._after.opcodes[index], _gives_booleans(self._after, index))
            for index in self._unnamed
            if index not in claimed
        }
        before = self.opcodes_before(id)
        if not before:
            return bool(free)
        if before <= LAYOUT_OPCODES | MINOR_OPCODES:
            return any(opcode in before for opcode, _ in free)
        if before <= _SIMPLE:
            return any(self._may_come_from(*key, id) for key in free)
        return bool(free)

    def opcodes_before(self, id: str) -> set[str]:
        """Opcodes of what the equation was lowered to."""
        if self._before is None:
            return set()
        return {self._before.opcodes[index] for index in self._before.of(id)}

    def of(self, id: str) -> InstructionRole | None:
        """What holds the equation; None where nothing is known to."""
        adopted = self._assigned.get(id)
        holding = self._named.get(id)
        if adopted:
            holding = self._holdings.of([*adopted, *self._after.holders.get(id, ())])
            holding = None if holding is None else dataclasses.replace(holding, is_same=False)
        if holding is not None and (parts := self._parts.get(id)):
            whole = (*holding.instructions, *parts)
            return dataclasses.replace(holding, instructions=whole)
        return holding

    @functools.cached_property
    def held(self) -> frozenset[str]:
        """Ids of the equations of which an instruction is left, in whichever call of them."""
        return frozenset(map(without_call, (*self._named, *self._assigned)))

    @property
    def assigned(self) -> dict[int, str]:
        """Equations of the instructions that are only known by what stands around them."""
        found = (*self._assigned.items(), *self._parts.items())
        return {index: id for id, indices in found for index in indices}

    def is_assigned(self, id: str) -> bool:
        """Whether its instructions are only known by what stands around them."""
        return id in self._assigned

    def is_undecided(self, id: str) -> bool:
        """Whether it is one of several equations that an instruction without a name may be."""
        return id in self._turned or (id in self._undecided and id not in self._assigned)

    def may_hide_elements(self, id: str) -> bool:
        """Whether an unnamed instruction that makes elements of nothing may be the equation's.

        XLA counts up instead of summing one number again and again.
        """
        before = self.opcodes_before(id)
        making = before & {"iota", "broadcast"} | ({"iota"} if "reduce-window" in before else set())
        return bool(making) and any(
            opcode in making and not tags
            for opcode, tags in zip(self._after.opcodes, self._after.tags, strict=True)
        )

    def classify(self, indices: Sequence[int]) -> InstructionRole | None:
        """What instructions are to an equation that they carry."""
        return self._holdings.of(indices)

    def find_layout(self, node: int) -> InstructionRole | None:
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

    def assign_unnamed(self, candidates: Sequence[int]) -> None:
        """Give unnamed instructions to the equations whose place they stand in.

        XLA makes some instructions anew without a name, such as the products of matrices and
        vectors. An instruction is an equation's if its opcode is what the equation was lowered
        to, and what stands above and below it is what stands above and below the equation; or if
        an instruction next to it still carries the equation's name. A simple one, such as a
        comparison, may as well come from what XLA made of another equation: of a `gather`, say.
        One that gives booleans is no part of an equation that gives numbers alone, nor the other
        way round. Where some equations were lowered to what combines elements as it does, it is
        of no equation that combines them in another way.

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
            # It is not known whose call an instruction without a name belongs to.
            if not self._equations.is_shared(node) and self._lacks_its_work(ids[node])
        }
        held = frozenset(id for id in self._named if id not in wanting)
        neighbours = EquationNeighbours(self._equations, held)
        places: dict[str, tuple[Names, Names]] = {}
        kin: dict[tuple[str, bool, tuple[str, ...]], list[str]] = {}
        combining = _read_combining(self._after)
        for index in self._unnamed:
            above, below = self._around.above(index), self._around.below(index)
            opcode = self._after.opcodes[index]
            key = opcode, _gives_booleans(self._after, index), combining.get(index, ())
            if key not in kin:
                kin[key] = [id for id in wanting if self._may_come_from(*key[:2], id)]
                like = [id for id in kin[key] if self._combines_like(id, opcode, key[2])]
                if any(key[2] in self._combining_before(id, opcode) for id in like):
                    kin[key] = like
            fitting = []
            for id in kin[key]:
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
            if len(chosen) == 1 and opcode not in _SIMPLE:
                self._assigned.setdefault(chosen[0], []).append(index)
            else:
                self._undecided.update(chosen)
        self._add_parts()

    def _add_parts(self) -> None:
        """Give what is still nobody's to the equation that it can only be a part of.

        JAX lowers some equations to whole algorithms, and not all that these do has their name.
        """
        claimed = {index for rows in self._assigned.values() for index in rows}
        around = InstructionNeighbours(self._after, tell_calls=True)
        for index in self._unnamed:
            opcode = self._after.opcodes[index]
            if index in claimed or work_of(opcode) != COMPUTING:
                continue
            above, below = around.above(index), around.below(index)
            between = above & below if len(above | below) == 1 else frozenset()
            near = (above | below) & self._named.keys()
            lacking = frozenset(id for id in near if self._lacks(opcode, id))
            found = self._loop_of(index) or between or lacking or self._expanded(index, near)
            if len(found) == 1:
                self._parts.setdefault(next(iter(found)), []).append(index)

    def _loop_of(self, index: int) -> Names:
        """The equation that the loop around an instruction is a part of, if it holds no jaxpr."""
        module, equations = self._after, self._equations
        while (index := module.owner(index)) != NONE:
            if module.opcodes[index] in ("while", "conditional") and (tags := module.tags[index]):
                nodes = [equations.graph.index_by_id.get(without_call(tag), NONE) for tag in tags]
                is_leaf = len(tags) == 1 and nodes[0] != NONE and nodes[0] not in equations.inside
                return frozenset(tags if is_leaf else ())
        return frozenset()

    def _expanded(self, index: int, near: Names) -> Names:
        """Of some equations those that XLA makes several kinds of instructions of.

        None where one may be gone that the kind comes from, or that XLA makes as many kinds of.
        """
        key = self._after.opcodes[index], _gives_booleans(self._after, index)
        for id in self._gone:
            if self._may_come_from(*key, id) or self.opcodes_before(id) & _EXPANDED:
                return frozenset()
        return frozenset(id for id in near if self.opcodes_before(id) & _EXPANDED)

    @functools.cached_property
    def _gone(self) -> list[str]:
        """The equations that XLA received and that no instruction is known of."""
        received = self._before.holders if self._before is not None else ()
        return [id for id in received if self.of(id) is None]

    def _lacks(self, opcode: str, id: str) -> bool:
        """Whether fewer instructions of a kind are an equation's than it was lowered to."""
        if self._before is None:
            return False
        now = (*self._after.of(id), *self._parts.get(id, ()))
        was, left = (
            sum(module.opcodes[index] == opcode for index in indices)
            for module, indices in ((self._before, self._before.of(id)), (self._after, now))
        )
        return left < was

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

    def _may_come_from(self, opcode: str, gives_booleans: bool, id: str) -> bool:
        if self._before is None:
            return False
        related = _RELATED_OPCODES.get(opcode, frozenset()) | {opcode}
        return any(
            self._before.opcodes[index] in related
            and _gives_booleans(self._before, index) == gives_booleans
            for index in self._before.of(id)
        )

    def _combining_before(self, id: str, opcode: str) -> set[tuple[str, ...]]:
        """How the instructions of a kind that an equation was lowered to combine two elements."""
        module = self._before
        if module is None:
            return set()
        return {
            self._combining[index]
            for index in module.of(id)
            if index in self._combining and module.opcodes[index] == opcode
        }

    @functools.cached_property
    def _combining(self) -> dict[int, tuple[str, ...]]:
        return {} if self._before is None else _read_combining(self._before)

    def _combines_like(self, id: str, opcode: str, combining: tuple[str, ...]) -> bool:
        """Whether an equation may have been lowered to what combines two elements in this way."""
        known = self._combining_before(id, opcode)
        return not known or combining in known

    def _is_unnamed(self, index: int) -> bool:
        module = self._after
        opcode = module.opcodes[index]
        if module.tags[index] and not self._has_name_of_call(index):
            return False
        if opcode in LAYOUT_OPCODES or opcode in ("constant", "fusion"):
            return False
        if opcode in ("broadcast", "iota", "call", "partition-id", "replica-id"):
            return False
        if module.kind(index) in (None, GroupKind.FUSION) or module.owner(index) == NONE:
            return True
        return module.opcodes[module.owner(index)] in ("while", "conditional", "call")

    def _has_name_of_call(self, index: int) -> bool:
        """Whether a product has no name but that of a call.

        XLA gives a product that it makes in the order of a transpose the name of that; where a call
        is inlined, a transpose that stands in it without a name has that of the call.
        """
        places, called = self._equations.graph.index_by_id, self._equations.called
        return self._after.opcodes[index] in _MAYBE_LIBRARY and all(
            places.get(without_call(tag)) in called for tag in self._after.tags[index]
        )


def _with_combining(
    module: Instructions, holders: Mapping[str, Sequence[int]]
) -> dict[str, Sequence[int]]:
    """Give what says how two elements are combined to the calls that run: it names no call."""
    found = dict(holders)
    for key, indices in holders.items():
        id = without_call(key)
        alone = holders.get(id, ()) if key != id else ()
        if alone and all(map(module.combines, alone)):
            found[key] = (*indices, *alone)
            found.pop(id, None)
    return found


def _read_combining(module: Instructions) -> dict[int, tuple[str, ...]]:
    """Of what combines two elements at a time, as a reduction does, the opcodes that say how."""
    found: dict[int, list[str]] = {}
    for index, opcode in enumerate(module.opcodes):
        if opcode != "parameter" and module.combines(index) and module.owner(index) != NONE:
            found.setdefault(module.owner(index), []).append(opcode)
    return {owner: tuple(sorted(opcodes)) for owner, opcodes in found.items()}


def _gives_booleans(module: Instructions, index: int) -> bool:
    return any(type.startswith("pred[") for type in module.graph.types(index))


def _agree(wanted: Names, found: Names) -> bool:
    return bool(wanted & found)
