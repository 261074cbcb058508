"""Find nodes by what they are and how they are connected: the language of searches (words, fields,
types, numbers, chains) and an index that answers over one graph.

    add                  `add` in the id, name, operation, type, scope or in a literal such as 2.0;
                         case does not matter
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
fusions are no steps. Words next to each other must all hold.

`parse_query` turns text into a frozen `Query`; `SearchIndex` answers it over one graph: every
string is looked at once, nodes only as arrays, so 50,000 nodes take a few milliseconds.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import operator
import re
import time
import warnings
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Direction, Graph, NodeKind, Ragged
from jaxscope.model.graph import distinct
from jaxscope.model.said import say
from jaxscope.model.types import matches_type, read_count
from jaxscope.program.dataflow import FeedGraph

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
SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_TYPE = re.compile(
    r"^([a-z*][\w*]*)?\[((?:\*|\.\.\.|\d+)?(?:,(?:\*|\.\.\.|\d+))*)\]$", re.IGNORECASE
)
_REGEX_PART = re.compile(r"(.)([*+?]*)", re.DOTALL)
_LITERAL_KEY = re.compile(r"(?:literal|value|in\[\d+\])$")
_PLACE = re.compile(r"^([^:\s]+\.py):(\d+)$")
GAP = "..."


_MAX_MATCHING_S = 0.5
"""Of a thread's processor time, for all texts that one expression is looked for in."""


class QueryError(ValueError):
    """A search that cannot be understood or takes too long; the message says why, fit to show."""


class TermKind(enum.Enum):
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


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One condition of a query.

    Attributes:
        text: What is looked for; of a `LINE` the file name's end, or empty for any file; of a
            `COST` its name.
        is_negated: Whether it must not hold.
        sizes: Of a `TYPE`: sizes as text, `*` and `...` included; the element type is in `text`.
        number: Of a `LINE` the line, of a `COST` what it is compared with.
        comparison: Of a `COST`: `<`, `<=`, `>` or `>=`.
    """

    aspect: TermKind
    text: str
    is_negated: bool = False
    sizes: tuple[str, ...] = ()
    number: float = 0.0
    comparison: str = ""


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One node of a chain: all terms hold; a gap stands for any nodes, or none, in between."""

    terms: tuple[QueryTerm, ...]
    is_gap: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A chain of steps, each of which feeds the next; usually it is one. Empty finds nothing."""

    steps: tuple[ChainStep, ...]


def parse_query(text: str) -> Query:
    """Understand a search.

    Raises:
        QueryError: A regular expression is broken, a field or a number is none, or an arrow
            leads nowhere.
    """
    steps: list[list[QueryTerm]] = [[]]
    gaps: list[bool] = [False]
    position = 0
    text = text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.end() == position:
            raise QueryError(say("This is not understood: {text}", text=text[position:][:40]))
        position = match.end()
        if match["arrow"]:
            steps.append([])
            gaps.append(False)
        elif match["word"] in (GAP, "…") and not steps[-1]:
            gaps[-1] = True
        else:
            steps[-1].append(_parse_term(match))
    return _assemble(steps, gaps)


def _assemble(steps: list[list[QueryTerm]], gaps: list[bool]) -> Query:
    if steps == [[]] and not gaps[0]:
        return Query(())
    for terms, is_gap in zip(steps, gaps, strict=True):
        if not terms and not is_gap:
            raise QueryError(say("An arrow needs something on both sides: dot_general -> add"))
        if terms and is_gap:
            raise QueryError(say("… stands alone between two arrows: dot_general -> ... -> max"))
    if gaps[0] or gaps[-1]:
        raise QueryError(say("… needs something before and after it: dot_general -> ... -> max"))
    if len(steps) > 1:
        steps = [[_as_operation(term) for term in terms] for terms in steps]
    pairs = zip(steps, gaps, strict=True)
    return Query(tuple(ChainStep(tuple(terms), is_gap) for terms, is_gap in pairs))


def _as_operation(term: QueryTerm) -> QueryTerm:
    is_word = term.aspect is TermKind.TEXT
    return dataclasses.replace(term, aspect=TermKind.OPERATION) if is_word else term


def _parse_term(match: re.Match[str]) -> QueryTerm:
    negated = bool(match["minus"])
    if match["regex"] is not None:
        compile_typed(match["regex"])
        return QueryTerm(TermKind.REGEX, match["regex"], negated)
    if match["quoted"] is not None:
        if match["field"]:
            return _parse_field(match["field"], match["quoted"], negated)
        return QueryTerm(TermKind.TEXT, match["quoted"], negated)
    return _parse_word(match["word"], negated)


def compile_typed(expression: str) -> Callable[[str], bool]:
    """Whether a regular expression that a person typed is found in a text, in any case.

    It is matched by `regex`, which can be stopped. Some expressions take a time that doubles with
    each letter, in which Python's `re` would hold up all threads, the window's among them.

    Raises:
        QueryError: It is broken, or nested too deep; from what is returned: it takes too long.
    """
    import regex  # few searches need it

    try:
        with warnings.catch_warnings(action="ignore"):  # of meanings in later releases
            compiled = regex.compile(expression, regex.IGNORECASE)
    except (regex.error, OverflowError) as error:
        raise QueryError(
            say("The regular expression is broken: {error}", error=str(error))
        ) from None
    except RecursionError:
        raise QueryError(say("The regular expression is nested too deep.")) from None
    end = time.thread_time() + _MAX_MATCHING_S

    def is_found(text: str) -> bool:
        left = end - time.thread_time()
        try:
            if left > 0:
                return compiled.search(text, timeout=left) is not None
        except (TimeoutError, MemoryError):
            pass
        raise QueryError(
            say(
                "The regular expression takes too long and was stopped. Do not repeat what can "
                "match a text in two ways, as in (a|aa)+."
            )
        )

    return is_found


def _parse_word(word: str, negated: bool) -> QueryTerm:
    if place := _PLACE.match(word):
        return QueryTerm(TermKind.LINE, place[1], negated, number=int(place[2]))
    if comparison := _COMPARISON.match(word):
        return _parse_comparison(comparison, negated)
    field, colon, rest = word.partition(":")
    if colon and field.lower() in _FIELDS:
        return _parse_field(field.lower(), rest, negated)
    if shape := _TYPE.match(word):
        return _type_term(shape, negated)
    return QueryTerm(TermKind.TEXT, word, negated)


def _parse_field(field: str, text: str, negated: bool) -> QueryTerm:
    if field not in _FIELDS:
        raise QueryError(
            say(
                "There is no {field}: to search in; there are {names}.",
                field=field,
                names=", ".join(_FIELDS),
            )
        )
    if not text:
        raise QueryError(say("Say after {field}: what to look for.", field=field))
    if field == "line":
        number = read_count(text)
        if number is None:
            raise QueryError(say("A line is a number: line:12"))
        return QueryTerm(TermKind.LINE, "", negated, number=number)
    if field == "type" and (shape := _TYPE.match(text)):
        return _type_term(shape, negated)
    return QueryTerm(TermKind(field), text, negated)


def _type_term(shape: re.Match[str], negated: bool) -> QueryTerm:
    sizes = tuple(shape[2].split(",")) if shape[2] else ()
    if "" in sizes:
        raise QueryError(say("A size is missing: f32[*,128]"))
    return QueryTerm(TermKind.TYPE, shape[1] or "*", negated, sizes)


def _parse_comparison(match: re.Match[str], negated: bool) -> QueryTerm:
    number = _NUMBER.match(match[3])
    if number is None:
        raise QueryError(
            say("{number} is no number; numbers are such as 12, 4k or 1.5M.", number=match[3])
        )
    value = float(number[1]) * SCALES[number[2].lower()]
    return QueryTerm(TermKind.COST, match[1].lower(), negated, number=value, comparison=match[2])


# Answer searches over one graph: every string is looked at once, nodes only as arrays.


Int32s = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

COMPARISONS: dict[str, Callable[[npt.NDArray[np.float64], float], Bools]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


_NAMES = (
    ("mul", "multiply"), ("sub", "subtract"), ("div", "divide"), ("max", "maximum"),
    ("min", "minimum"), ("neg", "negate"), ("exp", "exponential"), ("sin", "sine"),
    ("cos", "cosine"), ("pow", "integer_pow", "power"), ("dot_general", "dot"),
    ("select_n", "select"), ("convert_element_type", "convert"),
    ("reduce_sum", "reduce_max", "reduce"), ("broadcast_in_dim", "broadcast"),
    ("conv_general_dilated", "convolution"), ("rem", "remainder"), ("while", "scan"),
    ("le", "lt", "ge", "gt", "eq", "ne", "compare"), ("custom_call", "custom-call"),
)  # fmt: skip
"""Names of one operation: JAX's first, XLA's and StableHLO's last."""


def _same_operations(name: str) -> frozenset[str]:
    """An operation by JAX's name is looked for under XLA's too, not under another of JAX's."""
    others = {names[-1] for names in _NAMES if name in names[:-1]}
    others |= {each for names in _NAMES if name == names[-1] and len(names) == 2 for each in names}
    spelt = {name, *others}
    return frozenset(spelt | {each.replace("_", "-") for each in spelt})


_END = "\0"
_SHARE = 8
"""Where more than one in so many strings holds a text, looking into each is sooner done."""


class SearchIndex:
    """Finds nodes of one graph; made once, it answers 50,000 nodes within a few milliseconds."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._ends = np.zeros(0, np.int64)  # of each string in `_text`

    def find(self, query: Query | str) -> Int32s:
        """Indices of nodes that match, in program order; of a chain, the nodes of all its steps.

        Raises:
            QueryError: A text cannot be understood, or a regular expression takes too long.
        """
        if isinstance(query, str):
            query = parse_query(query)
        if not query.steps:
            return np.zeros(0, np.int32)
        solid = [step for step in query.steps if not step.is_gap]
        masks = [self._match(step) for step in solid]
        gaps = _gaps_before(query.steps)
        for at in range(1, len(masks)):
            masks[at] &= self._feeding.find_fed(masks[at - 1], is_far=gaps[at])
        for at in range(len(masks) - 2, -1, -1):
            masks[at] &= self._feeding.find_feeding(masks[at + 1], is_far=gaps[at + 1])
        return np.flatnonzero(functools.reduce(operator.or_, masks)).astype(np.int32)

    @functools.cached_property
    def _feeding(self) -> FeedGraph:
        return FeedGraph(self._graph)

    # --- single nodes ---

    def _match(self, step: ChainStep) -> Bools:
        mask = np.ones(len(self._graph.nodes), bool)
        for term in step.terms:
            hits = self._match_term(term)
            mask &= ~hits if term.is_negated else hits
        return mask

    def _match_term(self, term: QueryTerm) -> Bools:
        nodes = self._graph.nodes
        if term.aspect is TermKind.TEXT:
            wanted = term.text.casefold()
            return self._anywhere(self._holding(wanted))
        if term.aspect is TermKind.REGEX:
            return self._anywhere(self._raw_hits(term.text, compile_typed(term.text)))
        if term.aspect is TermKind.TYPE:
            return self._of_types(term)
        if term.aspect is TermKind.LINE:
            return self._of_line(term)
        if term.aspect is TermKind.COST:
            column = {"flops": nodes.cost[:, 0], "bytes": nodes.cost[:, 1],
                      "seconds": nodes.seconds}[term.text]  # fmt: skip
            return COMPARISONS[term.comparison](column, term.number)  # NaN compares as false
        if term.aspect in (TermKind.KIND, TermKind.DIRECTION):
            return self._of_code(term)
        return self._in_field(term)

    def _in_field(self, term: QueryTerm) -> Bools:
        nodes, strings = self._graph.nodes, self._graph.strings
        wanted = term.text.casefold()
        if term.aspect is TermKind.OPERATION:
            names = _same_operations(wanted)
            hits = np.zeros(len(strings), bool)
            for index in self._operations.tolist():
                hits[index] = strings[index].casefold().rpartition(".")[2] in names
            return hits[nodes.operation]
        hits = self._holding(wanted)
        if term.aspect is TermKind.ID:
            for index in np.flatnonzero(hits).tolist():
                hits[index] = strings[index].casefold() == wanted
            return hits[nodes.id]
        if term.aspect is TermKind.NAME:
            return hits[nodes.name]
        return _any_of(nodes.scope if term.aspect is TermKind.SCOPE else nodes.types, hits)

    def _of_code(self, term: QueryTerm) -> Bools:
        nodes, wanted = self._graph.nodes, term.text.upper()
        codes: type[NodeKind] | type[Direction]
        codes, column = (
            (NodeKind, nodes.kind) if term.aspect is TermKind.KIND else (Direction, nodes.direction)
        )
        found: Bools = column == (codes[wanted] if wanted in codes.__members__ else -1)
        return found

    def _of_types(self, term: QueryTerm) -> Bools:
        types = self._graph.nodes.types
        hits = np.zeros(len(self._graph.strings), bool)
        numbers = [size for size in term.sizes if size.isdecimal()]
        for index in self._type_strings.tolist():
            string = self._graph.strings[index]
            # Taking a type apart is slow; most lack one of the numbers.
            if all(number in string for number in numbers):
                hits[index] = matches_type(string, term.text, term.sizes)
        return _any_of(types, hits)

    def _of_line(self, term: QueryTerm) -> Bools:
        source, found = self._graph.nodes.source, np.zeros(len(self._graph.nodes), bool)
        places = source.values.reshape(-1, 4)
        hits = places[:, 1] == int(term.number)
        if term.text:
            wanted = term.text.casefold()
            files = distinct(places[hits, 0])
            strings = self._graph.strings
            named = [file for file in files.tolist() if strings[file].casefold().endswith(wanted)]
            hits &= np.isin(places[:, 0], named)
        rows = np.repeat(np.arange(len(source)), source.lengths() // 4)
        found[rows[hits]] = True
        return found

    def _anywhere(self, hits: Bools) -> Bools:
        nodes = self._graph.nodes
        found = hits[nodes.id] | hits[nodes.name] | hits[nodes.operation]
        found |= _any_of(nodes.types, hits) | _any_of(nodes.scope, hits)
        rows, values = self._literals
        found[rows[hits[values]]] = True
        return found

    @functools.cached_property
    def _literals(self) -> tuple[Int32s, Int32s]:
        """Nodes with a number that stands on their box, and the string that it is."""
        attributes, strings = self._graph.nodes.attributes, self._graph.strings
        is_literal = np.zeros(len(strings), bool)
        for key in distinct(attributes.values[0::2]).tolist():
            is_literal[key] = _LITERAL_KEY.match(strings[key]) is not None
        chosen = is_literal[attributes.values[0::2]]
        rows = attributes.row_numbers()[0::2][chosen].astype(np.int32)
        return rows, attributes.values[1::2][chosen]

    def _holding(self, wanted: str) -> Bools:
        """Which strings hold a text, without regard to case."""
        hits = np.zeros(len(self._graph.strings), bool)
        if _END in wanted or not wanted:
            return self._holding_one_by_one(wanted)
        text = self._text
        if text is None or text.count(wanted) > len(hits) // _SHARE:
            return self._holding_one_by_one(wanted)
        places: list[int] = []
        at = text.find(wanted)
        while at >= 0:
            places.append(at)
            at = text.find(wanted, at + len(wanted))
        hits[np.searchsorted(self._ends, np.array(places, np.int64))] = True
        return hits

    def _holding_one_by_one(self, wanted: str) -> Bools:
        folded = self._folded
        return np.fromiter((wanted in string for string in folded), bool, len(folded))

    def _raw_hits(self, text: str, is_found: Callable[[str], bool]) -> Bools:
        """Which strings a regular expression is found in, and only those may be that need be."""
        strings = self._graph.strings
        needed = find_needed(text)
        if not needed:
            return np.fromiter(map(is_found, strings), bool, len(strings))
        hits = functools.reduce(operator.or_, map(self._holding, needed))
        if self._text is None or not self._text.isascii():  # other letters have other cases
            hits |= np.fromiter((not each.isascii() for each in strings), bool, len(strings))
        for index in np.flatnonzero(hits).tolist():
            hits[index] = is_found(strings[index])
        return hits

    @functools.cached_property
    def _text(self) -> str | None:
        """All strings without regard to case, each with its end; None where one holds such an end.

        One look at it tells where a text is, where each string takes a look of its own.
        """
        strings = self._graph.strings
        text = (_END.join(strings) + _END).casefold() if strings else ""
        if text.isascii():
            places = np.frombuffer(text.encode("ascii"), np.uint8) == ord(_END)
        else:
            wide = text.encode("utf-32-le", "surrogatepass")
            places = np.frombuffer(wide, np.uint32) == ord(_END)
        self._ends = np.flatnonzero(places)
        return text if len(self._ends) == len(strings) else None

    @functools.cached_property
    def _folded(self) -> Sequence[str]:
        if self._text is None:
            return tuple(map(str.casefold, self._graph.strings))
        return self._text.split(_END)[:-1]

    @functools.cached_property
    def _operations(self) -> Int32s:
        found: Int32s = distinct(self._graph.nodes.operation)
        return found

    @functools.cached_property
    def _type_strings(self) -> Int32s:
        found: Int32s = distinct(self._graph.nodes.types.values)
        return found


def find_needed(expression: str) -> list[str]:
    """Texts one of which is in whatever ASCII a regular expression matches, without regard to case.

    None are known of one with groups, sets, counts or escapes.
    """
    needed = []
    for way in expression.split("|"):
        runs = [""]
        for character, count in _REGEX_PART.findall(way):
            if character in ".^$" or count[:1] in ("*", "?"):
                runs.append("")
            else:
                runs[-1] += character
                runs += [""] * bool(count)
        needed.append(max(runs, key=len).casefold())
    is_plain = expression.isascii() and not set("\\()[]{}") & set(expression)
    return needed if is_plain and all(needed) else []


def _any_of(column: Ragged, hits: Bools) -> Bools:
    """Rows of which any value is a hit."""
    found = np.zeros(len(column), bool)
    found[column.row_numbers()[hits[column.values]]] = True
    return found


def _gaps_before(steps: tuple[ChainStep, ...]) -> list[bool]:
    """For each step that is no gap, whether a gap comes right before it."""
    gaps, is_after_gap = [], False
    for step in steps:
        if not step.is_gap:
            gaps.append(is_after_gap)
        is_after_gap = step.is_gap
    return gaps
