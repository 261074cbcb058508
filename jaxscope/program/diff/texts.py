"""The texts of two stages line by line: each line becomes a template without names of values, and
templates are aligned, so that new numbers of values are no difference.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Stage, StageText, Unavailable
from jaxscope.model.op_name import FRAME_TABLES
from jaxscope.program.diff.changes import ChangedAspect, GraphComparison
from jaxscope.program.diff.sequences import align_sequences

# Read the lines of a stage's text so that new numbers of values are no difference.
#
# Each line becomes a template, with `·` for every name, and the names in order. What only says
# where the code stands in its file (HLO's metadata and its tables of files and frames) is left out:
# an empty line in the source would change all of it.


_HLO = frozenset({"hlo", "optimized"})

_JAXPR_HEADER = re.compile(r"\blambda\b")
_JAXPR_NAME = re.compile(r"(?<![\w.%@:<])([a-z]+|_)(?![\w=.(\[<])")
_JAXPR_DEFINITION = re.compile(r"(?<![\w.%@:<])([a-z]+|_):(?=[a-zA-Z])")
_MLIR_NAME = re.compile(r"%[\w$.-]+")
_MLIR_SYMBOL = re.compile(r"(@[A-Za-z_$.][\w$.]*?)_\d+\b")
_HLO_NAME = re.compile(r"%[\w$.-]+|\b[A-Za-z_][\w-]*(?:\.[\w-]*)*\.\d+\b")
_HLO_METADATA = re.compile(r", metadata=\{[^{}]*\}")
_HLO_TURN = re.compile(r"(?<= parameter)\(\d+\)")
_MACHINE_NAME = re.compile(r"%[\w$.-]+|![0-9]+|#[0-9]+|\$[\w.]+")
_WORDS = frozenset({"lambda", "let", "in"})

NAME_SIGN = "·"


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line.

    Attributes:
        number: 0-based place in the stage's text.
        text: What is shown of it.
        template: The text with a sign for each name.
        names: The names, in order.
        num_defined: So many of them are defined here; they come first.
        node: Index of the node that it defines, or -1.
    """

    number: int
    text: str
    template: str
    names: tuple[str, ...]
    num_defined: int
    node: int


def read_lines(text: StageText, stage: str) -> list[TextLine]:
    """The lines of a stage that can be compared, in order."""
    lines, nodes = text.text.split("\n"), text.line_nodes.tolist()
    if stage in _HLO:
        return _read_hlo(lines, nodes)
    if stage in ("stablehlo", "machine"):
        pattern = _MLIR_NAME if stage == "stablehlo" else _MACHINE_NAME
        return [_read(i, line, nodes[i], pattern) for i, line in enumerate(lines)]
    return _read_jaxpr(lines, nodes)


def _read(number: int, text: str, node: int, pattern: re.Pattern[str]) -> TextLine:
    """A line whose names have a sign of their own, such as `%`."""
    names = tuple(pattern.findall(text))
    template = _MLIR_SYMBOL.sub(r"\1", pattern.sub(NAME_SIGN, text))
    before = text.partition(" = ")[0] if " = " in text else ""
    num_defined = len(pattern.findall(before)) if before else 0
    is_header = not before and text.rstrip().endswith("{")
    return TextLine(number, text, template, names, len(names) if is_header else num_defined, node)


def _read_hlo(lines: Sequence[str], nodes: Sequence[int]) -> list[TextLine]:
    found, in_table = [], False
    for number, text in enumerate(lines):
        if text in FRAME_TABLES:
            in_table = True
        elif in_table and text.startswith(("%", "ENTRY")):
            in_table = False
        if in_table:
            continue
        line = _read(number, _HLO_METADATA.sub("", text), nodes[number], _HLO_NAME)
        template = _HLO_TURN.sub(f"({NAME_SIGN})", line.template)
        found.append(dataclasses.replace(line, template=template))
    return found


def _read_jaxpr(lines: Sequence[str], nodes: Sequence[int]) -> list[TextLine]:
    """Names of a jaxpr are plain words: a word is one where the program defines it somewhere."""
    defined = [_defined_in(line) for line in lines]
    known = {name for names in defined for name in names}
    found = []
    for number, (text, names_here) in enumerate(zip(lines, defined, strict=True)):
        names: list[str] = []
        operation_at = text.find(" = ") + 3 if " = " in text else -1

        def replace(match: re.Match[str], names: list[str] = names, at: int = operation_at) -> str:
            if match[1] not in known or match.start() == at or match[1] in _WORDS:
                return match[0]
            names.append(match[1])
            return NAME_SIGN

        template = _JAXPR_NAME.sub(replace, text)
        found.append(TextLine(number, text, template, tuple(names), len(names_here), nodes[number]))
    return found


def _defined_in(line: str) -> list[str]:
    before, equals, _ = line.partition(" = ")
    if _JAXPR_HEADER.search(line):
        return _JAXPR_DEFINITION.findall(line)
    return _JAXPR_DEFINITION.findall(before) if equals else []


# The texts of two stages line by line: what is the same although every value has a new name.


SAME, CHANGED, ADDED, REMOVED = "same", "changed", "added", "removed"

CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class TextRow:
    """One row of the two texts side by side.

    Attributes:
        kind: `same`, `changed`, `added` or `removed`.
        first: The line on the first side, or None.
        second: The line on the second side, or None.
    """

    kind: str
    first: TextLine | None
    second: TextLine | None


@dataclass(frozen=True, eq=False)
class TextDiff:
    """Two texts side by side.

    Attributes:
        rows: All lines of both, in order.
    """

    rows: tuple[TextRow, ...]

    @property
    def is_equal(self) -> bool:
        """Whether the texts say the same, names aside."""
        return all(row.kind == SAME for row in self.rows)

    def count(self, kind: str) -> int:
        """How many rows are of a kind."""
        return sum(row.kind == kind for row in self.rows)

    def hunks(self, context: int = CONTEXT_LINES) -> Iterator[list[TextRow]]:
        """Runs of rows that differ, with some that are the same around them."""
        wanted: list[tuple[int, int]] = []
        for index, row in enumerate(self.rows):
            if row.kind == SAME:
                continue
            start, stop = max(index - context, 0), min(index + context + 1, len(self.rows))
            if wanted and start <= wanted[-1][1]:
                wanted[-1] = (wanted[-1][0], stop)
            else:
                wanted.append((start, stop))
        for start, stop in wanted:
            yield list(self.rows[start:stop])


def diff_texts(
    first: Stage, second: Stage, graphs: GraphComparison | None
) -> TextDiff | Unavailable:
    """Compare the texts of two stages.

    Args:
        first: The stage of the first side.
        second: The stage of the second side.
        graphs: What their graphs say about which line is which, or None.

    Returns:
        The rows, or why a text is missing.
    """
    if isinstance(first.text, Unavailable):
        return first.text
    if isinstance(second.text, Unavailable):
        return second.text
    sides = read_lines(first.text, first.name), read_lines(second.text, second.name)
    pairs = align_sequences(*_keys(sides, graphs))
    return TextDiff(tuple(_rows(sides, pairs, graphs)))


def format_unified(diff: TextDiff, first_name: str, second_name: str) -> str:
    """As `diff -u` writes it, with the names of both sides on top; empty if nothing differs."""
    lines = []
    for hunk in diff.hunks():
        lines.append(_hunk_header(hunk))
        removed: list[str] = []
        added: list[str] = []
        for row in hunk:
            if row.kind == SAME:
                lines += removed + added
                removed, added = [], []
                lines.append(f" {row.second.text if row.second else ''}")
                continue
            if row.first is not None:
                removed.append(f"-{row.first.text}")
            if row.second is not None:
                added.append(f"+{row.second.text}")
        lines += removed + added
    return "\n".join([f"--- {first_name}", f"+++ {second_name}", *lines]) if lines else ""


def _hunk_header(hunk: Sequence[TextRow]) -> str:
    parts = []
    for sign, lines in (("-", [r.first for r in hunk]), ("+", [r.second for r in hunk])):
        numbers = [line.number + 1 for line in lines if line is not None]
        parts.append(f"{sign}{numbers[0] if numbers else 0},{len(numbers)}")
    return f"@@ {' '.join(parts)} @@"


def _keys(
    sides: tuple[list[TextLine], list[TextLine]], graphs: GraphComparison | None
) -> tuple[list[int], list[int]]:
    """Numbers by which lines are aligned: of a line with a node, the pair that it belongs to."""
    templates: dict[str, int] = {}
    keys: list[list[int]] = []
    for index, lines in enumerate(sides):
        found = []
        for line in lines:
            pair = NONE
            if graphs is not None and line.node != NONE:
                partners = graphs.matching.second_of_first
                if index:
                    pair = int(graphs.matching.first_of_second[line.node])
                elif partners[line.node] != NONE:
                    pair = line.node
            template = templates.setdefault(line.template, len(templates) + 1)
            found.append(template if pair == NONE else -1 - pair)
        keys.append(found)
    return keys[0], keys[1]


def _known_names(graphs: GraphComparison | None) -> dict[str, str]:
    """What nodes of the first side are called on the second."""
    if graphs is None:
        return {}
    first, second = graphs.first, graphs.second
    names: dict[str, str] = {}
    first_names, second_names = first.nodes.name.tolist(), second.nodes.name.tolist()
    for a, b in enumerate(graphs.matching.second_of_first.tolist()):
        if b != NONE:
            ours = first.strings[first_names[a]].split(", ")
            theirs = second.strings[second_names[b]].split(", ")
            if len(ours) == len(theirs):
                names.update(zip(ours, theirs, strict=True))
                names.update(zip((f"%{n}" for n in ours), (f"%{n}" for n in theirs), strict=True))
    return names


def _rows(
    sides: tuple[list[TextLine], list[TextLine]],
    pairs: Sequence[tuple[int, int]],
    graphs: GraphComparison | None,
) -> Iterator[TextRow]:
    first, second = sides
    names = _known_names(graphs)
    a = b = 0
    for stop_a, stop_b in [*pairs, (len(first), len(second))]:
        yield from (TextRow(REMOVED, line, None) for line in first[a:stop_a])
        yield from (TextRow(ADDED, None, line) for line in second[b:stop_b])
        if stop_a < len(first) and stop_b < len(second):
            ours, theirs = first[stop_a], second[stop_b]
            _learn(ours, theirs, names)
            is_same = _says_the_same(ours, theirs, names) and not _is_rewired(ours, graphs)
            kind = SAME if is_same else CHANGED
            yield TextRow(kind, ours, theirs)
        a, b = stop_a + 1, stop_b + 1


def _learn(ours: TextLine, theirs: TextLine, names: dict[str, str]) -> None:
    """Take over what a line defines: later lines mean that by the name."""
    if ours.num_defined == theirs.num_defined:
        names.update(
            zip(ours.names[: ours.num_defined], theirs.names[: theirs.num_defined], strict=True)
        )


def _is_rewired(line: TextLine, graphs: GraphComparison | None) -> bool:
    """Whether the same words stand for other operands."""
    return (
        graphs is not None
        and line.node != NONE
        and bool(int(graphs.aspects[line.node]) & ChangedAspect.OPERANDS)
    )


def _says_the_same(ours: TextLine, theirs: TextLine, names: Mapping[str, str]) -> bool:
    if ours.template != theirs.template or len(ours.names) != len(theirs.names):
        return False
    return all(
        mine == other if mine not in names else names[mine] == other
        for mine, other in zip(
            ours.names[ours.num_defined :], theirs.names[theirs.num_defined :], strict=True
        )
    )
