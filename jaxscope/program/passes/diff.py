"""The module before and after a pass: as two graphs with what changed in each, and as two texts
line against line.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph, PassRecord, Unavailable
from jaxscope.model.op_name import TagTable
from jaxscope.model.said import say
from jaxscope.program.diff.changes import Change
from jaxscope.program.diff.texts import ADDED, CHANGED, REMOVED, SAME, TextDiff, TextLine, TextRow
from jaxscope.program.hlo.graph import convert_hlo
from jaxscope.program.passes.snapshot import Snapshot, SnapshotReader

Int8s = npt.NDArray[np.int8]

_NOT_KEPT = Unavailable(
    say(
        "The modules around this pass are not kept: all of them together are too "
        "large, or the capture comes from a file that holds texts only."
    ),
    "passes",
)


@dataclass(frozen=True, eq=False, slots=True)
class ModuleGraphs:
    """Two modules, instruction by instruction; XLA's names say which is which.

    Attributes:
        before: The module before the pass.
        after: The module after it.
        before_changes: `Change` codes of the nodes of the one before: same, changed or removed.
        after_changes: The same of the one after: same, changed or added.
        partner: For each node of the one before, the node of that name after it, or `NONE`.
    """

    before: Graph
    after: Graph
    before_changes: Int8s
    after_changes: Int8s
    partner: npt.NDArray[np.int32]

    def partner_of(self, side: int, node: int) -> int:
        """The same instruction on the other side; `NONE` where it is only on this one.

        Args:
            side: 0 for a node of the module before, 1 for one of the module after.
            node: Its index.
        """
        if side == 0:
            return int(self.partner[node]) if 0 <= node < len(self.partner) else NONE
        found = np.flatnonzero(self.partner == node)
        return int(found[0]) if node != NONE and len(found) else NONE

    def holders(self, side: int, equations: Collection[str]) -> list[int]:
        """Nodes of a side that carry one of these equations of the last jaxpr-level stage."""
        graph = self.after if side else self.before
        wanted = set(equations)
        derived = graph.nodes.derived
        codes = {i for i, text in enumerate(graph.strings) if text in wanted}
        if not codes:
            return []
        return [n for n in range(len(graph.nodes)) if not codes.isdisjoint(derived[n].tolist())]


def find_module_graphs(
    records: Sequence[PassRecord], number: int, tags: TagTable
) -> ModuleGraphs | Unavailable:
    """The graphs around a pass, or why there are none.

    Args:
        records: The module as XLA received it, then the passes.
        number: Which of them; 0 for the module as received, which then stands on both sides.
        tags: What the tags in the modules stand for.
    """
    if not 0 <= number < len(records):
        return Unavailable(say("There is no such pass."), "passes")
    try:
        old, new = _module(records, max(number - 1, 0)), _module(records, number)
        if not old or not new:
            return _NOT_KEPT
        reader = SnapshotReader(tags)
        snapshots = reader.read(old), reader.read(new)
        before = convert_hlo(old, tags, None, None, "passes")
        after = convert_hlo(new, tags, None, None, "passes")
    except ValueError as error:
        return Unavailable(
            say("The modules around this pass cannot be drawn: {error}.", error=error), "passes"
        )
    places = {name: node for node, name in enumerate(_names(after))}
    partner = [places.get(name, NONE) for name in _names(before)]
    return ModuleGraphs(
        before,
        after,
        _changes(before, snapshots[0], snapshots[1], Change.REMOVED),
        _changes(after, snapshots[1], snapshots[0], Change.ADDED),
        np.array(partner, np.int32),
    )


def _module(records: Sequence[PassRecord], number: int) -> bytes:
    """The module after a pass; where it changed nothing, that of the one before."""
    while number > 0 and not records[number].packed and not records[number].has_changed:
        number -= 1
    return records[number].module()


def _names(graph: Graph) -> list[str]:
    return [graph.strings[code] for code in graph.nodes.name.tolist()]


def _changes(graph: Graph, own: Snapshot, other: Snapshot, alone: Change) -> Int8s:
    """What each instruction is to the other module: alone, changed or the same."""
    changes = np.full(len(graph.nodes), Change.SAME, np.int8)
    for node, name in enumerate(_names(graph)):
        if name not in other.rows:
            changes[node] = alone
        elif name in own.rows and own.rows[name].key != other.rows[name].key:
            changes[node] = Change.CHANGED
    return changes


_MAX_LINES = 600
"""Beyond so many lines aligning takes longer than a reader waits."""


def diff_pass_texts(before: str, after: str) -> TextDiff:
    """The instructions of a pass as they were and as they are, equal ones beside each other.

    A line that defines the same name on both sides is one that changed.
    """
    first, second = before.split("\n")[:_MAX_LINES], after.split("\n")[:_MAX_LINES]
    if not before:
        first = []
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    rows: list[TextRow] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        left = [_line(number, first[number]) for number in range(a, b)]
        right = [_line(number, second[number]) for number in range(c, d)]
        if kind == "equal":
            rows += [TextRow(SAME, x, y) for x, y in zip(left, right, strict=True)]
        else:
            rows += _unequal(left, right)
    return TextDiff(tuple(rows))


def _unequal(left: list[TextLine], right: list[TextLine]) -> list[TextRow]:
    names = {_defined(line.text) for line in left} & {_defined(line.text) for line in right}
    if not names - {""}:
        return [
            *(TextRow(REMOVED, line, None) for line in left),
            *(TextRow(ADDED, None, line) for line in right),
        ]
    rows: list[TextRow] = []
    gone: list[TextRow] = []
    come: list[TextRow] = []
    for x, y in zip_longest(left, right):
        if x is not None and y is not None and _defined(x.text) == _defined(y.text):
            rows += [*gone, *come, TextRow(CHANGED, x, y)]
            gone, come = [], []
            continue
        if x is not None:
            gone.append(TextRow(REMOVED, x, None))
        if y is not None:
            come.append(TextRow(ADDED, None, y))
    return [*rows, *gone, *come]


def _defined(text: str) -> str:
    name, found, _ = text.partition(" = ")
    return name.replace("ROOT", "").strip() if found else ""


def _line(number: int, text: str) -> TextLine:
    return TextLine(number, text, text, (), 0, -1)
