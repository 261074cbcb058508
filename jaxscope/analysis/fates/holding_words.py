"""What holds an equation, in words."""

from __future__ import annotations

from collections.abc import Sequence

from jaxscope.analysis.fates.equations import Equations
from jaxscope.analysis.fates.holding import LAYOUT_OPCODES, Holding
from jaxscope.analysis.fates.instructions import Instructions
from jaxscope.analysis.fates.words import quote_names
from jaxscope.model.graph import NONE

_PASSED_ON = LAYOUT_OPCODES | {"transpose", "broadcast"}
_MAX_DIGITS = 18


def name_instructions(module: Instructions, indices: Sequence[int]) -> str:
    """A few names, and how many more there are."""
    return quote_names([module.names[index] for index in indices])


def describe_holding(module: Instructions, holding: Holding, before: set[str]) -> str:
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
        return f"taken into the product {place}, which gives its result in that order"
    if holding.fate == "folded":
        return f"{'is' if before <= {'constant'} else 'became'} the constant {names}"
    if holding.fate == "layout":
        if before - _PASSED_ON:
            return f"simplified until only {names} is left of it, which computes nothing"
        return f"computes nothing: it only says how bytes lie ({names})"
    if holding.fate == "library":
        return f"runs in {holding.library}, as {place}"
    if all(module.combines(index) for index in indices):
        return f"says how {place} combines two elements"
    if holding.fate == "fused":
        return f"fused into {place}"
    loops = [index for index in indices if module.opcodes[index] == "while"]
    if loops:
        return f"became the loop {name_instructions(module, loops)}"
    if module.opcodes[holding.place] in ("dot", "convolution"):
        return f"is the instruction {place} of its own"
    return f"has a kernel of its own, {place}"


def describe_loop(
    module: Instructions, loops: Sequence[int], equations: Equations, node: int
) -> str:
    """Which loop an equation became, and how often its body runs where that is known."""
    text = f"became the loop {name_instructions(module, loops)}"
    row = equations.attributes[node] if equations.operations[node] == "scan" else {}
    length, unroll = row.get("length", ""), row.get("unroll", "1")
    rounds = module.graph.attributes(loops[0]).get("known_trip_count", "")
    if not rounds and unroll == "1":
        rounds = length
    if not rounds.isdecimal() or len(rounds) > _MAX_DIGITS:
        return text
    text += f", whose body runs {int(rounds):,} times"
    if unroll.isdecimal() and int(unroll) > 1:
        text += f" and does {int(unroll):,} of the {length} steps each time"
    return text
