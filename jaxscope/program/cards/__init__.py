"""Cards of JAX's primitives and of HLO's opcodes: what each computes, its shapes and derivative,
and what it turns into. The short sentence that everybody sees first is in `explanations`.

The cards are the `.toml` files beside this module. Formulas are lines of NumPy that run:
`tests/cards` evaluates each and compares it with JAX, does the same with the derivatives, lowers
and compiles each primitive, runs each line of HLO, and has a check of its own for each sentence.
What is compiled was seen with JAX 0.10.2 on a CPU. A field that nobody could check is empty.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NodeKind
from jaxscope.model.said import say
from jaxscope.program import explanations

MADE_WITH = say("JAX 0.10.2 on a CPU")
"""Where it was seen what primitives turn into."""

_FOLDER = Path(__file__).parent
_FAMILY = "family"
_OPCODES = "opcodes.toml"

_OPCODE_OF = {
    "broadcast-in-dim": "broadcast",
    "case": "conditional",
    "dot-general": "dot",
    "if": "conditional",
    "next-after": "nextafter",
    "optimization-barrier": "opt-barrier",
    "top-k": "topk",
}
"""HLO's opcode where StableHLO has another name."""


_SENTENCES = {
    NodeKind.EQUATION: explanations.PRIMITIVES,
    NodeKind.INSTRUCTION: explanations.COMPILER_OPERATIONS,
}


@dataclass(frozen=True, slots=True)
class Card:
    """What is said of one operation besides its explanation; what is not known is empty.

    In formulas operands have the names of `operands`, parameters their own (or `params['k']`, where
    an operand is called so); results are `out`, the tangent of `x` is `dx`, and `ct` is the
    cotangent of the result.

    Attributes:
        name: Of the primitive, or HLO's opcode.
        is_primitive: Whether it is one of JAX's primitives.
        operands: Names in formulas; `*` before one that stands for all that are left.
        numpy: A NumPy expression of the result, or statements that set `out`.
        when: For which uses the formulas hold; empty for all.
        shapes: Of operands and results.
        slopes: Of functions of single elements: the derivative by each operand.
        linear: Operands in which it is linear: `x y` together, `x, y` each while the other stays.
        jvp: The tangent of the result, where neither `slopes` nor `linear` says it.
        cotangents: What flows back to each operand, where `slopes` does not say it.
        derivative: What else is to be said of derivatives.
        surprises: Precision, NaN, cost, limits.
        example: Of an opcode: how an instruction reads in a module's text, with named operands.
        stablehlo: Operations that a primitive is lowered to; None if nobody looked. Calls,
            constants and returns are left out, here and in the next two.
        hlo: Opcodes that it is before optimization.
        alone: What of it is an instruction of its own after optimization on a CPU, between two
            operations on single elements: nothing if it is fused, or no work.
    """

    name: str
    is_primitive: bool
    operands: str = "x y"
    numpy: str = ""
    when: str = ""
    shapes: str = ""
    slopes: tuple[str, ...] = ()
    linear: str = ""
    jvp: str = ""
    cotangents: tuple[str, ...] = ()
    derivative: str = ""
    surprises: tuple[str, ...] = ()
    example: str = ""
    stablehlo: tuple[str, ...] | None = None
    hlo: tuple[str, ...] | None = None
    alone: tuple[str, ...] | None = None


@functools.cache
def read_cards() -> tuple[Mapping[str, Card], Mapping[str, Card]]:
    """Cards of primitives and of opcodes, each by name."""
    import tomllib

    primitives: dict[str, Card] = {}
    opcodes: dict[str, Card] = {}
    for path in sorted(_FOLDER.glob("*.toml")):
        tables = tomllib.loads(path.read_text("utf-8"))
        family = tables.pop(_FAMILY, {})
        is_primitive = path.name != _OPCODES
        cards = primitives if is_primitive else opcodes
        for name, fields in tables.items():
            values: dict[str, Any] = {
                key: tuple(value) if isinstance(value, list) else value
                for key, value in {**family, **fields}.items()
            }
            cards[name] = Card(name=name, is_primitive=is_primitive, **values)
    return primitives, opcodes


def find_card(operation: str, kind: NodeKind) -> Card | None:
    """The card of a node's operation, or None.

    Operations of StableHLO have the card of HLO's opcode, or of the primitive where HLO has none.

    Args:
        operation: JAX's or XLA's own name; a dialect prefix such as `stablehlo.` is ignored.
    """
    primitives, opcodes = read_cards()
    if kind is NodeKind.EQUATION:
        return primitives.get(operation)
    if kind in (NodeKind.OPERATION, NodeKind.INSTRUCTION):
        name = operation.rsplit(".", 1)[-1].replace("_", "-")
        name = _OPCODE_OF.get(name, name)
        return opcodes.get(name) or primitives.get(name.replace("-", "_"))
    return None


_IN_BRACKETS = re.compile(r"\((.*?)\)")


def name_operands(operation: str, kind: NodeKind, num: int) -> tuple[str, ...]:
    """What the card of an operation calls its operands: in the formula of a primitive, in the
    example of an opcode. Numbers from 1 where the card has no names, or names of fewer or more.

    Args:
        operation: As for `find_card`.
        num: How many operands there are.
    """
    card, names = find_card(operation, kind), list[str]()
    if card is not None and card.is_primitive and card.numpy:
        names = card.operands.split()
    elif card is not None and (example := _IN_BRACKETS.search(card.example)):
        names = [operand.rpartition(" ")[2] for operand in example[1].split(", ")]
    if names and names[-1].startswith("*"):
        rest = names.pop().removeprefix("*")
        names += [f"{rest}[{at}]" for at in range(num - len(names))]
    return tuple(names if len(names) == num else map(str, range(1, num + 1)))


def find_by_name(name: str) -> list[Card]:
    """The cards that a typed name may mean: of the primitive, then of the opcode.

    Of an operation that only has a sentence the card says nothing more.
    """
    found = []
    for kind, told in _SENTENCES.items():
        card = find_card(name, kind)
        if card is None and name in told:
            card = Card(name, kind == NodeKind.EQUATION)
        found.append(card)
    return list(dict.fromkeys(card for card in found if card is not None))


def list_names() -> list[str]:
    """All names that `find_by_name` knows."""
    cards = (name for known in read_cards() for name in known)
    return list(dict.fromkeys((*cards, *(name for told in _SENTENCES.values() for name in told))))


def find_sources(opcode: str) -> list[str]:
    """The primitives that become this opcode alone, besides constants."""
    primitives, _ = read_cards()
    return [name for name, card in primitives.items() if card.hlo and set(card.hlo) == {opcode}]
