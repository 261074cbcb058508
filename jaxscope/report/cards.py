"""The card of a primitive or an opcode in three levels, for three readers: a sentence for
newcomers, formulas and derivatives for users, lowering and fusion for compiler engineers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NodeKind
from jaxscope.model.said import Said, say
from jaxscope.program.cards import MADE_WITH, Card, find_sources
from jaxscope.program.explanations import explain_operation
from jaxscope.report.document import Document, Section, Table, Verbatim
from jaxscope.schema.contract import Json

USER, ENGINEER = say("For users"), say("For compiler engineers")


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a card says.

    Attributes:
        label: A word or two.
        text: Code where `is_code`, else a sentence in which code stands between backticks.
    """

    label: str
    text: str
    is_code: bool = False


def explain_card(card: Card) -> str:
    """The sentence for newcomers."""
    kind = NodeKind.EQUATION if card.is_primitive else NodeKind.INSTRUCTION
    return explain_operation(card.name, kind)


def list_facts(card: Card) -> list[tuple[str, list[Fact]]]:
    """What the card says to users and to compiler engineers, under their titles."""
    levels = [(USER, list(_for_users(card))), (ENGINEER, list(_for_engineers(card)))]
    return [(title, facts) for title, facts in levels if facts]


def _for_users(card: Card) -> Iterator[Fact]:
    if card.numpy:
        yield Fact(say("computes"), card.numpy.strip(), is_code=True)
    if card.when:
        yield Fact(say("where"), say("{when}.", when=say(card.when)))
    if card.shapes:
        yield Fact(say("shapes"), say(card.shapes))
    yield from _derivative(card)
    for sentence in card.surprises:
        yield Fact(say("mind"), say(sentence))


def _derivative(card: Card) -> Iterator[Fact]:
    names = card.operands.split()
    if card.slopes:
        tangents = [multiply(f"d{n}", s) for n, s in zip(names, card.slopes, strict=False)]
        yield Fact("JVP", " + ".join(t for t in tangents if t != "0") or "0", is_code=True)
        for name, slope in zip(names, card.slopes, strict=False):
            yield Fact(say("back to {name}", name=name), multiply("ct", slope), is_code=True)
    if card.linear:
        yield Fact("JVP", _describe_linear(card.linear))
    if card.jvp:
        yield Fact("JVP", card.jvp, is_code=True)
    for name, formula in zip(names, card.cotangents, strict=False):
        if formula:
            yield Fact(say("back to {name}", name=name), formula, is_code=True)
    if card.derivative:
        yield Fact(say("derivative"), say(card.derivative))


def _describe_linear(linear: str) -> Said:
    if "," in linear:
        x, y = linear.split(", ")
        return say("Linear in {x} and in {y}: of d{x} and {y}, plus of {x} and d{y}.", x=x, y=y)
    if " " not in linear:
        return say("Linear in {x}: the operation itself, of d{x}.", x=linear)
    x, y = linear.split()
    return say("Linear in {x} and {y}: the operation itself, of d{x} and d{y}.", x=x, y=y)


def multiply(factor: str, slope: str) -> str:
    """A formula of a tangent or cotangent times a derivative, such as `dx * np.cos(x)`."""
    if slope in ("0", "1", "-1"):
        return {"0": "0", "1": factor, "-1": f"-{factor}"}[slope]
    for one, sign in (("1 / ", ""), ("-1 / ", "-")):
        if slope.startswith(one):
            return f"{sign}{factor} / {slope.removeprefix(one)}"
    body = ast.parse(slope, mode="eval").body
    binds = isinstance(body, ast.Call | ast.Name | ast.Subscript) or (
        isinstance(body, ast.BinOp) and isinstance(body.op, ast.Mult | ast.Div | ast.Pow)
    )
    return f"{factor} * {slope}" if binds else f"{factor} * ({slope})"


def _for_engineers(card: Card) -> Iterator[Fact]:
    if card.example:
        yield Fact(say("for example"), card.example, is_code=True)
    if card.stablehlo is not None:
        yield Fact("StableHLO", _list(card.stablehlo) or say("no operation"))
    if card.hlo is not None:
        yield Fact("HLO", _list(card.hlo) or say("no instruction"))
    if card.alone is not None:
        yield Fact(say("on a CPU"), _describe_alone(card.hlo or (), card.alone))
    sources = [] if card.is_primitive else find_sources(card.name)
    if sources:
        told = say("{names}, in a small example of each.", names=_list(sources))
        yield Fact(say("of JAX"), told)


def _list(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _describe_alone(hlo: Sequence[str], alone: Sequence[str]) -> Said:
    if alone:
        return say(
            "Between two operations on single elements: not fused, {names} stands alone.",
            names=_list(alone),
        )
    if hlo:
        return say("Between two operations on single elements: fused with them.")
    return say("Between two operations on single elements: no work is left.")


NOTATION = say(
    "In formulas `dx` is the tangent of `x`, `ct` the cotangent of the result `out`; parameters "
    "have their own names, or `params['y']`. What it turns into was seen in one small example, "
    "with {made_with}; other parameters and types may give more.",
    made_with=MADE_WITH,
)


def name_card(card: Card) -> Said:
    """Such as `sin, a primitive of JAX`."""
    if card.is_primitive:
        return say("{name}, a primitive of JAX", name=card.name)
    return say("{name}, an opcode of HLO", name=card.name)


def cards_to_document(cards: Sequence[Card]) -> Document:
    """Cards for a terminal: of each the sentence, then both levels."""
    sections = []
    for card in cards:
        explanation = explain_card(card).replace("`", "")
        sections.append(Section(blocks=[f"{name_card(card)}: {explanation}"]))
        for title, facts in list_facts(card):
            rows = [row for fact in facts for row in _rows(fact)]
            sections.append(Section(title, [Table(("", ""), rows)]))
    if any(card.is_primitive and list_facts(card) for card in cards):
        sections.append(Section(blocks=[NOTATION.replace("`", "")]))
    return sections


def _rows(fact: Fact) -> list[tuple[str, str]]:
    """A row for each line of code, or one for a sentence."""
    if not fact.is_code:
        return [(fact.label, fact.text.replace("`", ""))]
    return [
        ("" if number else fact.label, Verbatim(line))
        for number, line in enumerate(fact.text.splitlines())
    ]


def card_to_json(card: Card) -> Json:
    """The same for programs."""
    return {
        "name": card.name,
        "kind": "primitive" if card.is_primitive else "opcode",
        "explanation": explain_card(card),
        "levels": [
            {
                "title": title,
                "facts": [
                    {"label": fact.label, "text": fact.text, "code": fact.is_code} for fact in facts
                ],
            }
            for title, facts in list_facts(card)
        ],
    }
