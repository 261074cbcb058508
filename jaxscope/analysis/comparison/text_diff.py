"""The texts of two stages line by line: what is the same although every value has a new name."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from jaxscope.analysis.comparison.changes import Aspect, GraphComparison
from jaxscope.analysis.comparison.sequences import align
from jaxscope.analysis.comparison.text_lines import Line, read_lines
from jaxscope.model import NONE, Stage, Unavailable

SAME, CHANGED, ADDED, REMOVED = "same", "changed", "added", "removed"

CONTEXT_LINES = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One row of the two texts side by side.

    Attributes:
        kind: `same`, `changed`, `added` or `removed`.
        first: The line on the first side, or None.
        second: The line on the second side, or None.
    """

    kind: str
    first: Line | None
    second: Line | None


@dataclasses.dataclass(frozen=True, eq=False)
class TextDiff:
    """Two texts side by side.

    Attributes:
        rows: All lines of both, in order.
    """

    rows: tuple[Row, ...]

    @property
    def is_equal(self) -> bool:
        """Whether the texts say the same, names aside."""
        return all(row.kind == SAME for row in self.rows)

    def count(self, kind: str) -> int:
        """How many rows are of a kind."""
        return sum(row.kind == kind for row in self.rows)

    def hunks(self, context: int = CONTEXT_LINES) -> Iterator[list[Row]]:
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
    pairs = align(*_keys(sides, graphs))
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


def _hunk_header(hunk: Sequence[Row]) -> str:
    parts = []
    for sign, lines in (("-", [r.first for r in hunk]), ("+", [r.second for r in hunk])):
        numbers = [line.number + 1 for line in lines if line is not None]
        parts.append(f"{sign}{numbers[0] if numbers else 0},{len(numbers)}")
    return f"@@ {' '.join(parts)} @@"


def _keys(
    sides: tuple[list[Line], list[Line]], graphs: GraphComparison | None
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
    sides: tuple[list[Line], list[Line]],
    pairs: Sequence[tuple[int, int]],
    graphs: GraphComparison | None,
) -> Iterator[Row]:
    first, second = sides
    names = _known_names(graphs)
    a = b = 0
    for stop_a, stop_b in [*pairs, (len(first), len(second))]:
        yield from (Row(REMOVED, line, None) for line in first[a:stop_a])
        yield from (Row(ADDED, None, line) for line in second[b:stop_b])
        if stop_a < len(first) and stop_b < len(second):
            ours, theirs = first[stop_a], second[stop_b]
            _learn(ours, theirs, names)
            is_same = _says_the_same(ours, theirs, names) and not _is_rewired(ours, graphs)
            kind = SAME if is_same else CHANGED
            yield Row(kind, ours, theirs)
        a, b = stop_a + 1, stop_b + 1


def _learn(ours: Line, theirs: Line, names: dict[str, str]) -> None:
    """Take over what a line defines: later lines mean that by the name."""
    if ours.num_defined == theirs.num_defined:
        names.update(
            zip(ours.names[: ours.num_defined], theirs.names[: theirs.num_defined], strict=True)
        )


def _is_rewired(line: Line, graphs: GraphComparison | None) -> bool:
    """Whether the same words stand for other operands."""
    return (
        graphs is not None
        and line.node != NONE
        and bool(int(graphs.aspects[line.node]) & Aspect.OPERANDS)
    )


def _says_the_same(ours: Line, theirs: Line, names: Mapping[str, str]) -> bool:
    if ours.template != theirs.template or len(ours.names) != len(theirs.names):
        return False
    return all(
        mine == other if mine not in names else names[mine] == other
        for mine, other in zip(
            ours.names[ours.num_defined :], theirs.names[theirs.num_defined :], strict=True
        )
    )
