"""Links between the stages of a program that jaxscope did not trace, from XLA's own metadata.

There are no tags. What tells an equation is the whole name of an operation (its path through
transforms, loops and calls) together with the place in the source: both go along from StableHLO to
the last instruction. Names inside of a function are relative to its calls, as XLA completes them
when it inlines them. Where several equations share name and place, as in a loop that Python
unrolled, what a node reads and what reads it says which one it is of (`disambiguation`); nodes
that stay ambiguous are linked by their line alone.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from jaxscope.model.graph import NONE, Graph, GroupKind, NodeKind
from jaxscope.model.graph_builder import add_attributes
from jaxscope.program.disambiguation import HELPERS, disambiguate, list_owners

LINK, LINKED_BY = "link", "linked_by"
"""Attributes of a node: by what it is linked (`name` or `line`), and the names it is linked by."""
BY_NAME, BY_LINE = "name", "line"
SEPARATOR = " ; "
_MAKING = ("/scan", "/empty2")
"""What JAX calls the making of a loop's arrays, beside the loop."""
_IN_LOOP = "/body/closed_call/"
"""Where the equations of a loop's body are, whose place may be that of the loop."""
_MADE_CALLS = ("sdy.manual_computation",)
"""Regions that XLA makes to functions, whose operations are named after the call."""
_RUNNING = frozenset({"while", "conditional", "case", "if", *_MADE_CALLS})
"""What runs equations in its regions; those of others, such as reductions, are part of these."""
_ENDS = (int(NodeKind.INPUT), int(NodeKind.OUTPUT))
_MAX_ALIKE = 500
"""Of at most so many equations that share name and place one is found: the cost is quadratic."""
_MAX_CANDIDATES = 2_000_000
"""Of all nodes together, where a few hundred megabytes are enough for them."""
_TOO_MANY = "too many"
_MAX_NAMES = 32
_UNKNOWN = -1
_LOWERED = ("stablehlo", "hlo")
"""The stages that show what was lowered, equation by equation, the better one first."""


def link_by_name(graphs: Mapping[str, Graph]) -> dict[str, Graph]:
    """The graphs with attributes that say by what each node is linked to the other stages.

    Args:
        graphs: Of StableHLO and HLO, by the names of their stages.
    """
    lowered = next((name for name in _LOWERED if name in graphs), "")
    if not lowered:
        return {name: _mark(graph, [()] * len(graph.nodes)) for name, graph in graphs.items()}
    found_keys = {name: find_keys(graph) for name, graph in graphs.items()}
    loops = _find_loops(graphs[lowered], found_keys[lowered].of_node)
    plain: dict[str, str] = {}
    keys = {
        name: _print_keys(of_stage.of_node, loops, plain) for name, of_stage in found_keys.items()
    }
    pieces = _find_pieces(graphs[lowered], keys[lowered], loops, found_keys[lowered])
    labels = [pieces.of_row(row, of_row) for row, of_row in enumerate(keys[lowered])]
    found: dict[str, Graph] = {}
    for name, graph in graphs.items():
        if name == lowered:
            names = labels
        else:
            known = _count_off(graph, keys[name], pieces, plain, is_numbered=name in _LOWERED)
            names = _tell(graphs[lowered], labels, graph, known)
        found[name] = _mark(graph, names)
    return found


def _find_loops(graph: Graph, keys: list[tuple[Key, ...]]) -> dict[str, Counter[str]]:
    """The whole names of loops by their places, and how many loops have them."""
    found: dict[str, Counter[str]] = {}
    for row, of_row in enumerate(keys):
        operation = graph.strings[int(graph.nodes.operation[row])]
        if operation.removeprefix("stablehlo.") == "while":
            for name, place in of_row:
                found.setdefault(place, Counter())[name] += 1
    return found


def _print_keys(
    keys: list[tuple[Key, ...]], loops: Mapping[str, Counter[str]], plain: dict[str, str]
) -> list[tuple[str, ...]]:
    """Keys as texts; what a loop itself consists of has the loop's.

    Counting its rounds and cutting its arrays is named below the loop and has its place; what runs
    in it has places of its own.

    Args:
        plain: Gets the name alone of each text.
    """
    table: dict[Key, str] = {}
    for name, place in {key for of_row in keys for key in of_row}:
        around = [
            loop
            for loop in (loops.get(place, ()) if place else ())
            if (f"{name}/".startswith(f"{loop}/") and not name.startswith(f"{loop}{_IN_LOOP}"))
            or (_parent(name) == _parent(loop) and name.endswith(_MAKING))
        ]
        whole = max(around, key=len, default=name)
        table[name, place] = f"{whole} {place}"
        plain[f"{whole} {place}"] = whole
    return [tuple(dict.fromkeys(table[key] for key in of_row)) for of_row in keys]


def _parent(name: str) -> str:
    return name.rpartition("/")[0]


@dataclasses.dataclass(frozen=True, slots=True)
class _Pieces:
    """How the operations of a lowered program are spread over equations.

    Attributes:
        equations: Of each name with its place, the equations that have it, as far as is seen.
        number: Which of them an operation is of, by its row and that name.
    """

    equations: dict[str, list[str]]
    number: dict[tuple[int, str], int]

    def of_row(self, row: int, keys: tuple[str, ...]) -> tuple[str, ...]:
        """The equations of an operation."""
        known = (key for key in keys if (row, key) in self.number)
        return tuple(dict.fromkeys(self.equations[key][self.number[row, key]] for key in known))


def _find_pieces(
    graph: Graph,
    keys: list[tuple[str, ...]],
    loops: Mapping[str, Counter[str]],
    found_keys: Keys,
) -> _Pieces:
    """Cut the operations of one name and place into equations.

    The lowering of an equation stands in one piece. A second piece, or a second operation of a kind
    that none needs twice, is of another equation; constants and shapes go with what follows them.
    """
    nodes, strings = graph.nodes, graph.strings
    owners = graph.groups.owner.tolist()
    kinds: dict[str, set[str]] = {}
    in_loops = {
        f"{name} {place}": count for place, names in loops.items() for name, count in names.items()
    }
    # Loops of the same name cannot be told apart, so the number of pieces is unknown.
    counts = {key: count if count == 1 else _UNKNOWN for key, count in in_loops.items()}
    helpers: dict[str, list[int]] = {}
    number: dict[tuple[int, str], int] = {}
    lowerings = _find_lowerings(graph, keys, found_keys)
    last: dict[int, tuple[str, ...]] = {}
    worked = _find_worked(graph, keys)
    for row, (group, code) in enumerate(
        zip(nodes.group.tolist(), nodes.operation.tolist(), strict=True)
    ):
        if nodes.kind[row] in _ENDS:
            continue
        around = keys[owners[group]] if group != NONE and owners[group] != NONE else ()
        operation = strings[code].removeprefix("stablehlo.")
        for key in keys[row]:
            if group in found_keys.of_call:
                continue
            if key in in_loops:
                # What several loops share is shown in the first of them, and is that one's.
                if in_loops[key] == 1 and key == next(filter(in_loops.__contains__, keys[row])):
                    number[row, key] = 0
                continue
            if key in around:  # inside of an operation, as the body of a reduction
                number[row, key] = max(counts.get(key, 1) - 1, 0)
                continue
            is_helper = operation in (HELPERS if key in worked else {"constant"})
            seen = kinds.setdefault(key, set())
            is_apart = key not in last.get(group, ())
            if is_apart and not seen:
                for helper in helpers.pop(key, ()):
                    del number[helper, key]  # what they help, is not seen
            is_next = is_apart and bool(seen)
            if is_next or (not is_helper and operation in seen):
                counts[key] += 1
                seen.clear()
                for helper in () if is_next else helpers.get(key, ()):
                    number[helper, key] = counts[key] - 1
            counts.setdefault(key, 1)
            number[row, key] = counts[key] - 1
            if is_helper:
                helpers.setdefault(key, []).append(row)
            else:
                seen.add(operation)
                helpers[key] = []
        last[group] = keys[row]
    equations = {
        key: [key] if count == 1 else [f"{key} #{n}" for n in range(max(count, 0))]
        for key, count in counts.items()
    }
    numbered = {key for _, key in number}
    equations = {key: of_key for key, of_key in equations.items() if key in numbered}
    for (row, key), label in lowerings.items():
        of_key = equations.setdefault(key, [])
        if label not in of_key:
            of_key.append(label)
        number[row, key] = of_key.index(label)
    return _Pieces(equations, number)


def _find_lowerings(
    graph: Graph, keys: list[tuple[str, ...]], found_keys: Keys
) -> dict[tuple[int, str], str]:
    """The equation of each operation whose function is the lowering of one equation.

    A function that several equations share is shown where the first calls it, and counts as that
    one's. Where two calls have the same name and place, nothing tells them apart.
    """
    found: dict[tuple[int, str], str] = {}
    for row, group in enumerate(graph.nodes.group.tolist()):
        of_call = found_keys.of_call.get(group, ())
        if any(found_keys.calls[call] > 1 for call in of_call):
            continue
        for name, _ in of_call:
            for key in keys[row]:
                if f"{key}/".startswith(f"{name}/"):
                    found[row, key] = f"{' '.join(of_call[0])} ()"
    return found


def _find_worked(graph: Graph, keys: list[tuple[str, ...]]) -> set[str]:
    """The names that have other operations than what helps these."""
    strings = graph.strings
    return {
        key
        for of_row, code in zip(keys, graph.nodes.operation.tolist(), strict=True)
        if strings[code].removeprefix("stablehlo.") not in HELPERS
        for key in of_row
    }


_Known = list[list[tuple[str, ...]]]
"""Of each node, for each of its names, the equations that it may be of."""


def _count_off(
    graph: Graph,
    keys: list[tuple[str, ...]],
    pieces: _Pieces,
    plain: Mapping[str, str],
    *,
    is_numbered: bool,
) -> _Known:
    """The names of a later stage, counted where several equations share one.

    Before optimization XLA has numbered the instructions in the order of the program: the first of
    a kind is of the first equation, if there are as many as equations.
    """
    strings, nodes = graph.strings, graph.nodes
    equations = {key: tuple(of_key) for key, of_key in pieces.equations.items()}
    all_named: dict[str, list[str]] = {}
    for key, of_key in equations.items():
        all_named.setdefault(plain[key], []).extend(of_key)
    by_name = {name: tuple(of_name) for name, of_name in all_named.items()}
    # XLA's names of what it joined may have no place.
    known = [
        [
            equations.get(key, by_name.get(plain[key] if key[-1] == " " else "", ()))
            for key in of_row
        ]
        for of_row in keys
    ]
    if not is_numbered:
        return known
    of_kind: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for row, of_row in enumerate(keys):
        for place, key in enumerate(of_row):
            if len(equations.get(key, ())) > 1:
                of_kind.setdefault((key, int(nodes.operation[row])), []).append((row, place))
    for (key, code), found in of_kind.items():
        if len(found) == len(equations[key]) and strings[code] not in HELPERS:
            found.sort(key=lambda each: _suffix(strings[int(nodes.name[each[0]])]))
            for (row, place), label in zip(found, equations[key], strict=True):
                known[row][place] = (label,)
    return known


def _tell(
    lowered: Graph, labels: list[tuple[str, ...]], graph: Graph, known: _Known
) -> list[tuple[str, ...]]:
    """The equations of each node, as far as names and neighbours decide them."""
    most, counts = _MAX_ALIKE, [sum(map(len, of_row)) for of_row in known]
    while sum(count for count in counts if count <= most) > _MAX_CANDIDATES + len(counts):
        most //= 2
    is_open = [len(of_row) == 1 and 1 < len(of_row[0]) <= most for of_row in known]
    candidates = [
        tuple(itertools.chain.from_iterable(of_row)) if count <= most else (_TOO_MANY,)
        for of_row, count in zip(known, counts, strict=True)
    ]
    if any(is_open):
        left_of = disambiguate(lowered, labels, graph, candidates, is_open)
        known = [
            [tuple(left)] if is_open[row] else of_row
            for row, (left, of_row) in enumerate(zip(left_of, known, strict=True))
        ]
    return [tuple(found[0] for found in of_row if len(found) == 1) for of_row in known]


def _suffix(name: str) -> int:
    """The number at the end of an instruction's name; the first of a name has none."""
    digits = name.rpartition(".")[2]
    return int(digits) if digits.isdigit() and len(digits) < 10 else -1


Key = tuple[str, str]
"""A whole name, and the place in the source; the place is empty where none is known."""


@dataclasses.dataclass(frozen=True, slots=True)
class Keys:
    """The names of the nodes of one stage.

    Attributes:
        of_node: Whole names with their place; none where nothing names a node.
        of_call: Of each group what calls it first, where JAX gave that call no name of its own:
            such a function is the lowering of one equation.
        calls: How many such calls have a name and place.
    """

    of_node: list[tuple[Key, ...]]
    of_call: dict[int, tuple[Key, ...]]
    calls: Counter[Key]


def find_keys(graph: Graph) -> Keys:
    """The whole names with the place of each node; none where nothing names it.

    What has no place of its own has that of the call of its function. So XLA places it when it
    inlines the function. What a reduction or a sort consists of has its name.
    """
    return _Naming(graph).run()


class _Naming:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._own = [_attribute(graph, row, "op_name") for row in range(len(graph.nodes))]
        self._root = _root(graph, self._own)
        self._keys: list[tuple[Key, ...]] = [()] * len(graph.nodes)
        self._carried: list[tuple[Key, ...]] = [()] * len(graph.nodes)
        self._of_call: dict[int, tuple[Key, ...]] = {}
        self._calls: Counter[Key] = Counter()
        self._around: dict[int, tuple[Key, ...]] = {}
        self._rows: dict[int, list[int]] = {}
        for row, group in enumerate(graph.nodes.group.tolist()):
            self._rows.setdefault(group, []).append(row)
        self._owners = list_owners(graph)

    def run(self) -> Keys:
        self._name_rows(NONE, (), (), ())
        groups = self._graph.nodes.group.tolist()
        done = {NONE}
        for number in range(len(self._owners)):
            waiting = [number]
            while waiting:  # a function may stand before one of those that call it
                missing = [groups[row] for row in self._owners[waiting[-1]]]
                missing = [g for g in missing if g not in done and g not in waiting]
                if missing:
                    waiting += missing[:1]
                    continue
                group = waiting.pop()
                if group not in done:
                    done.add(group)
                    self._name_group(group, groups)
        return Keys(self._keys, self._of_call, self._calls)

    def _name_group(self, group: int, groups: list[int]) -> None:
        owners = self._owners[group]
        carried = dict.fromkeys(itertools.chain.from_iterable(self._carried[r] for r in owners))
        of_owner = around = tuple(carried)[:_MAX_NAMES]
        of_call: tuple[Key, ...] = ()
        is_part = False
        if owners:
            home = groups[owners[0]]
            if self._graph.groups.kind[group] == GroupKind.REGION:
                operation = self._operation(owners[0]).removeprefix("stablehlo.")
                is_part = operation not in _RUNNING
                if operation not in _MADE_CALLS:
                    around = self._around.get(home, ())
            of_call = self._of_call.get(home, ())
            if not of_call and self._is_unnamed_call(owners[0]):
                of_call = self._carried[owners[0]]
        if of_call:
            self._of_call[group] = of_call
        self._around[group] = around
        self._name_rows(group, around, of_owner, of_call, is_part=is_part)

    def _is_unnamed_call(self, row: int) -> bool:
        return self._operation(row) == "func.call" and not self._own[row]

    def _operation(self, row: int) -> str:
        return self._graph.strings[int(self._graph.nodes.operation[row])]

    def _name_rows(
        self,
        group: int,
        around: tuple[Key, ...],
        of_owner: tuple[Key, ...],
        of_call: tuple[Key, ...],
        *,
        is_part: bool = False,
    ) -> None:
        graph, nodes = self._graph, self._graph.nodes
        for row in self._rows.get(group, []):
            if nodes.kind[row] in _ENDS:
                continue
            place = _place(graph, row)
            operation = self._operation(row)
            # With the name of the program alone, it is of no equation.
            parts = [part for part in self._own[row].split(";") if part not in ("", self._root)]
            if operation == "func.call" and not parts:
                parts = [name] if (name := _function(graph, row)) else []
            is_whole = bool(parts) and parts[0].startswith(self._root)
            is_owners = is_part or (operation == "parameter" and not is_whole)
            if parts and of_owner and is_owners:
                self._keys[row] = of_owner
            else:
                whole = (_whole(part, place, self._root, around) for part in parts)
                keys = dict.fromkeys(itertools.chain.from_iterable(whole))
                self._keys[row] = tuple(keys)[:_MAX_NAMES]
            self._carried[row] = self._keys[row] or tuple(
                (name, place or other) for name, other in around
            )
            if not of_call and self._is_unnamed_call(row):
                self._calls.update(self._carried[row])


def _function(graph: Graph, row: int) -> str:
    """The function that a node was made in, by which XLA names what JAX gives no name."""
    place = graph.nodes.source[row].tolist()[:4]
    return graph.strings[place[3]] if place else ""


def _whole(part: str, place: str, root: str, around: tuple[Key, ...]) -> Iterator[Key]:
    if part.startswith(root) or not around:
        yield part, place
    else:
        yield from ((f"{name}/{part}", place or other) for name, other in around)


def _root(graph: Graph, own: list[str]) -> str:
    """How whole names begin: with the function that was jitted, as `jit(step)`."""
    groups = graph.nodes.group.tolist()
    firsts = Counter(
        name.split("/", 1)[0] for name, group in zip(own, groups, strict=True) if group == NONE
    )
    named = [(count, first) for first, count in firsts.items() if "(" in first]
    return max(named)[1] if named else "\0"


def _mark(graph: Graph, found: Sequence[tuple[str, ...]]) -> Graph:
    has_source = graph.nodes.source.lengths().tolist()
    added = {
        row: {LINK: BY_NAME, LINKED_BY: SEPARATOR.join(names)} if names else {LINK: BY_LINE}
        for row, names in enumerate(found)
        if names or has_source[row]
    }
    return add_attributes(graph, added)


def _attribute(graph: Graph, row: int, name: str) -> str:
    values = graph.nodes.attributes[row].tolist()
    strings = graph.strings
    return next(
        (strings[values[n + 1]] for n in range(0, len(values), 2) if strings[values[n]] == name), ""
    )


def _place(graph: Graph, row: int) -> str:
    """File, line and column of the innermost frame, as one text."""
    place = graph.nodes.source[row].tolist()[:4]
    return f"{graph.strings[place[0]]}:{place[1]}:{place[2]}" if place else ""
