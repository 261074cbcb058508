"""The language of searches: words, types, places, numbers, and chains of connected operations.

    add                  `add` in the id, name, operation, type or scope; case does not matter
    "a b"                text with spaces
    op:add  name:x  scope:layer_0  type:f32  id:3   only there; `op:add` is the whole operation
    f32[*,128]           a type: `*` is any one size, `...` any number of sizes; `*[8]`, `[8,*]`
    model.py:12  line:12 what comes from a line of the source
    flops>1M  bytes>=4k  what costs more or less than a number; unknown costs match nothing
    kind:input  direction:backward
    /add|mul/            a regular expression, found anywhere in what a word is looked for in
    -word                not this
    dot_general -> add -> max      operations each of which feeds the next
    dot_general -> ... -> max      with anything in between

In a chain a bare word is an operation, by its JAX or its XLA name; borders of nested programs and
fusions are no steps. Words next to each other must all hold. Pure text in, frozen values out:
nothing is searched here.
"""

from __future__ import annotations

import dataclasses
import enum
import re

_FIELDS = ("op", "name", "scope", "type", "id", "kind", "direction", "line")
_TOKEN = re.compile(
    r"""\s*(?P<arrow>->|→)
    |\s*(?P<minus>[-!])?(?:
        /(?P<regex>(?:[^/\\]|\\.)+)/(?=\s|$)
        |(?:(?P<field>[a-z]+):)?"(?P<quoted>[^"]*)"
        |(?P<word>(?:(?!->|→)\S)+)
    )""",
    re.VERBOSE,
)
_COMPARISON = re.compile(r"^(flops|bytes|seconds)(<=|>=|<|>)(.+)$", re.IGNORECASE)
_NUMBER = re.compile(r"^(\d+(?:\.\d*)?(?:e[+-]?\d+)?)([kmgt]?)$", re.IGNORECASE)
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_TYPE = re.compile(
    r"^([a-z*][\w*]*)?\[((?:\*|\.\.\.|\d+)?(?:,(?:\*|\.\.\.|\d+))*)\]$", re.IGNORECASE
)
_PLACE = re.compile(r"^([^:\s]+\.py):(\d+)$")
GAP = "..."


class QueryError(ValueError):
    """A search that cannot be understood; the message says why, fit to show."""


class Aspect(enum.Enum):
    """What a term asks about a node."""

    TEXT = "text"
    REGEX = "regex"
    OPERATION = "op"
    NAME = "name"
    SCOPE = "scope"
    TYPE_TEXT = "type"
    ID = "id"
    KIND = "kind"
    DIRECTION = "direction"
    LINE = "line"
    TYPE = "shape"
    COST = "cost"


@dataclasses.dataclass(frozen=True, slots=True)
class Term:
    """One condition.

    Attributes:
        text: What is looked for; of a `LINE` the file name's end, or empty for any file; of a
            `COST` its name.
        is_negated: Whether it must not hold.
        sizes: Of a `TYPE`: sizes as text, `*` and `...` included; the element type is in `text`.
        number: Of a `LINE` the line, of a `COST` what it is compared with.
        comparison: Of a `COST`: `<`, `<=`, `>` or `>=`.
    """

    aspect: Aspect
    text: str
    is_negated: bool = False
    sizes: tuple[str, ...] = ()
    number: float = 0.0
    comparison: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One node of a chain: all terms hold; a gap stands for any nodes, or none, in between."""

    terms: tuple[Term, ...]
    is_gap: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Query:
    """A chain of steps, each of which feeds the next; usually it is one. Empty finds nothing."""

    steps: tuple[Step, ...]


def parse_query(text: str) -> Query:
    """Understand a search.

    Raises:
        QueryError: A regular expression is broken, a field or a number is none, or an arrow
            leads nowhere.
    """
    steps: list[list[Term]] = [[]]
    gaps: list[bool] = [False]
    position = 0
    text = text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.end() == position:
            raise QueryError(f"This is not understood: {text[position:][:40]}")
        position = match.end()
        if match["arrow"]:
            steps.append([])
            gaps.append(False)
        elif match["word"] in (GAP, "…") and not steps[-1]:
            gaps[-1] = True
        else:
            steps[-1].append(_parse_term(match))
    return _assemble(steps, gaps)


def _assemble(steps: list[list[Term]], gaps: list[bool]) -> Query:
    if steps == [[]] and not gaps[0]:
        return Query(())
    for terms, is_gap in zip(steps, gaps, strict=True):
        if not terms and not is_gap:
            raise QueryError("An arrow needs something on both sides: dot_general -> add")
        if terms and is_gap:
            raise QueryError("… stands alone between two arrows: dot_general -> ... -> max")
    if gaps[0] or gaps[-1]:
        raise QueryError("… needs something before and after it: dot_general -> ... -> max")
    if len(steps) > 1:
        steps = [[_as_operation(term) for term in terms] for terms in steps]
    pairs = zip(steps, gaps, strict=True)
    return Query(tuple(Step(tuple(terms), is_gap) for terms, is_gap in pairs))


def _as_operation(term: Term) -> Term:
    is_word = term.aspect is Aspect.TEXT
    return dataclasses.replace(term, aspect=Aspect.OPERATION) if is_word else term


def _parse_term(match: re.Match[str]) -> Term:
    negated = bool(match["minus"])
    if match["regex"] is not None:
        try:
            re.compile(match["regex"])
        except re.error as error:
            raise QueryError(f"The regular expression is broken: {error}") from None
        return Term(Aspect.REGEX, match["regex"], negated)
    if match["quoted"] is not None:
        if match["field"]:
            return _parse_field(match["field"], match["quoted"], negated)
        return Term(Aspect.TEXT, match["quoted"], negated)
    return _parse_word(match["word"], negated)


def _parse_word(word: str, negated: bool) -> Term:
    if place := _PLACE.match(word):
        return Term(Aspect.LINE, place[1], negated, number=int(place[2]))
    if comparison := _COMPARISON.match(word):
        return _parse_comparison(comparison, negated)
    field, colon, rest = word.partition(":")
    if colon and field.lower() in _FIELDS:
        return _parse_field(field.lower(), rest, negated)
    if shape := _TYPE.match(word):
        return _type_term(shape, negated)
    return Term(Aspect.TEXT, word, negated)


def _parse_field(field: str, text: str, negated: bool) -> Term:
    if field not in _FIELDS:
        raise QueryError(f"There is no {field}: to search in; there are {', '.join(_FIELDS)}.")
    if not text:
        raise QueryError(f"Say after {field}: what to look for.")
    if field == "line":
        if not text.isdecimal():
            raise QueryError("A line is a number: line:12")
        return Term(Aspect.LINE, "", negated, number=int(text))
    if field == "type" and (shape := _TYPE.match(text)):
        return _type_term(shape, negated)
    return Term(Aspect(field), text, negated)


def _type_term(shape: re.Match[str], negated: bool) -> Term:
    sizes = tuple(shape[2].split(",")) if shape[2] else ()
    if "" in sizes:
        raise QueryError("A size is missing: f32[*,128]")
    return Term(Aspect.TYPE, shape[1] or "*", negated, sizes)


def _parse_comparison(match: re.Match[str], negated: bool) -> Term:
    number = _NUMBER.match(match[3])
    if number is None:
        raise QueryError(f"{match[3]} is no number; numbers are such as 12, 4k or 1.5M.")
    value = float(number[1]) * _SCALES[number[2].lower()]
    return Term(Aspect.COST, match[1].lower(), negated, number=value, comparison=match[2])
