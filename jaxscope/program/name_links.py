"""Links between the stages of a program that jaxscope did not trace, from XLA's own metadata.

There are no tags. What tells an equation is the whole name of an operation (its path through
transforms, loops and calls) together with the place in the source: both go along from StableHLO to
the last instruction. Names inside of a function are relative to its calls, as XLA completes them
when it inlines them. Where several equations share name and place, as in a loop that Python
unrolled, what a node reads and what reads it says which one it is of (`disambiguation`); nodes
that stay ambiguous are linked by their line alone.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import NONE, Graph, GroupKind, NodeKind
from jaxscope.model.graph_builder import Numbers, add_attribute_rows
from jaxscope.program.dataflow import attribute_column, find_boundaries

# Which of several equations that share name and place a node of a later stage is of.
#
# XLA's names do not distinguish them: JAX's own functions make many multiplications for one line,
# and Python unrolls loops. What a node reads and what reads it do. Each node begins with all
# equations of its name as candidates; one that no candidate of a neighbour feeds, or is fed by, is
# removed, until nothing changes. What optimization may remove, reshapes and the like, is looked
# through. A neighbour that supports none of the candidates is ignored, since optimization has
# changed something there.
#
# **Source.** Arc consistency of constraint satisfaction (Mackworth 1977, AC-3), with data flow as
# the constraint. **Cost.** Linear in the edges for a bounded number of candidates, quadratic in the
# candidates of one node; `_MAX_EFFORT` bounds the whole. **Limits.** Nodes whose neighbours all
# have the same candidates stay ambiguous. XLA may have rewritten the data flow so that a wrong
# candidate is supported; `bench/name_links.py` measures how often.
#
# **Loops.** Several loops may share name and place, as a library's that is called twice. They are
# numbered, and the numbers are candidates as equations are. What feeds a loop and what reads its
# results decide which loop it is; nodes in its body then keep the equations of that loop only.
# Until it is decided, nodes of a body do not choose between equations of different loops.
# **Shared functions.** A function that JAX makes to lower an equation may be called for several
# equations. Each call is a candidate of its own for the nodes that XLA inlines.

HELPERS = frozenset(
    {"constant", "broadcast_in_dim", "broadcast", "reshape", "convert", "iota", "parameter"}
)
"""What the lowering of one equation may need several of."""
_MOVED = frozenset(
    {"reshape", "broadcast", "transpose", "convert", "bitcast", "bitcast-convert", "copy"}
)
"""What optimization moves and takes away."""
_MERGED = _MOVED | {"slice"}
"""What optimization also merges with the operation before it: two slices become one."""
_MADE_ONCE = _MOVED | {"constant", "iota"}
_TAKING_TUPLES = frozenset({"while", "conditional", "call"})
_WHOLE = -1
"""Stands in place of an output's number for the whole tuple of outputs."""
_LOOKED_INTO = frozenset({"fusion", "call", "func.call"})
_XLAS_NAMES = {"dot-general": "dot", "broadcast-in-dim": "broadcast"}
_CARRYING = (HELPERS | _MOVED) - {"constant", "iota", "parameter"}
_MAX_ADOPTIONS = 8
"""Rounds in which nodes take the candidate of a node that they belong to."""
_MAX_STEPS = 40
"""Through nodes without a name, up to the next that has one."""
_MAX_PAIRS = 64
_MAX_FEEDING = 500
_MAX_EFFORT = 20_000_000
"""Comparisons of equations; a program that needs more keeps the rest ambiguous."""

Labels = Sequence[Iterable[str]]
"""Of each node the equations that it may be of."""


def disambiguate(
    lowered: Graph, labels: Labels, graph: Graph, candidates: Labels, is_open: Sequence[bool]
) -> list[set[str]]:
    """Remove from each node's candidates those that its neighbours do not support.

    Args:
        lowered: The stage that shows the equations as they were lowered.
        labels: Of its nodes.
        graph: A later stage.
        candidates: Of its nodes.
        is_open: The nodes that are of just one of their candidates; others are of all.

    Returns:
        The candidates that are left, by node.
    """
    equations = _Equations(lowered, name_arguments(lowered, labels))
    return _Solver(equations, graph, name_arguments(graph, candidates), is_open).run()


def name_arguments(graph: Graph, labels: Labels) -> list[tuple[str, ...]]:
    """The same with the program's own inputs, by their numbers: they distinguish their readers."""
    found = [tuple(of_row) for of_row in labels]
    columns = [attribute_column(graph, key) for key in ("argument", "parameter_number")]
    for row in np.flatnonzero(graph.nodes.group == NONE).tolist():
        numbers = [graph.strings[column[row]] for column in columns if column[row] != NONE]
        if numbers:
            found[row] = (f"argument {numbers[0]}",)
    return found


def list_owners(graph: Graph) -> list[list[int]]:
    """Of each group the nodes that it is the inside of, that under which it is shown first."""
    strings, owners = graph.strings, graph.groups.owner.tolist()
    found: list[list[int]] = [[owner] if owner != NONE else [] for owner in owners]
    by_name = graph.group_by_id()
    calls, shares = (attribute_column(graph, key) for key in ("calls", "shares"))
    for row in np.flatnonzero((calls != NONE) | (shares != NONE)).tolist():
        for column in (calls, shares):
            for name in strings[column[row]].split(", ") if column[row] != NONE else ():
                group = by_name.get(name, NONE)
                if group != NONE and found[group] and row not in found[group][:1]:
                    found[group].append(row)
    return found


def _find_whiles(graph: Graph) -> list[bool]:
    """Of each node whether it is a loop."""
    is_while = [text.removeprefix("stablehlo.") == "while" for text in graph.strings]
    return [is_while[code] for code in graph.nodes.operation.tolist()]


def find_loops_around(graph: Graph) -> list[set[int]]:
    """The innermost loops around each node: several where several loops call its function."""
    is_loop = _find_whiles(graph)
    owners, groups = list_owners(graph), graph.nodes.group.tolist()
    known: dict[int, set[int]] = {NONE: set()}

    def find(group: int) -> set[int]:
        waiting = [group]
        while waiting:
            group = waiting[-1]
            inside = [row for row in owners[group] if not is_loop[row]]
            missing = [g for g in {groups[row] for row in inside} if g not in known]
            missing = [g for g in missing if g not in waiting]
            if missing:
                waiting += missing
                continue
            found = {row for row in owners[group] if is_loop[row]}
            known[waiting.pop()] = found.union(*(known.get(groups[row], ()) for row in inside))
        return known[group]

    return [known[group] if group in known else find(group) for group in groups]


class _Flow:
    """What feeds each node, looking through borders of functions and through unnamed nodes."""

    def __init__(self, graph: Graph, is_named: Sequence[bool], whole: Collection[int] = ()) -> None:
        # whole: calls that count as one equation each and are not looked into. The function that
        # they share is in the graph once, as the lowering of the first of them.
        self._is_named = is_named
        self._whole = whole
        self.operations = [
            _operation(graph.strings[code]) for code in graph.nodes.operation.tolist()
        ]
        self._producers: list[dict[int, tuple[int, int]]] = [{} for _ in self.operations]
        for source, output, target, operand in graph.edges.ends():
            self._producers[target][operand] = (source, output)
        self._boundaries = find_boundaries(graph)
        self._groups = graph.nodes.group.tolist()
        self._owners = list_owners(graph)
        self._first_owner = {
            row: owners[0] for owners in self._owners for row in owners[1:] if owners
        }
        is_outside = graph.nodes.group == NONE
        is_root = attribute_column(graph, "root") != NONE
        is_output = graph.nodes.kind == NodeKind.OUTPUT
        self._roots: list[int] = np.flatnonzero(is_outside & is_root & ~is_output).tolist()
        self._outputs: list[int] = np.flatnonzero(is_outside & is_output).tolist()

    def sources(self, row: int) -> set[int]:
        """The named nodes whose values a node reads."""
        places = self._producers[row].values()
        if self.operations[row] in _TAKING_TUPLES:
            return self._named((source, _WHOLE) for source, _ in places) - {row}
        return self._named(places) - {row}

    def _named(self, places: Iterable[tuple[int, int]]) -> set[int]:
        found: set[int] = set()
        seen: set[tuple[int, int]] = set()
        waiting = list(places)
        while waiting and len(seen) < _MAX_STEPS:
            place = waiting.pop()
            if place not in seen:
                seen.add(place)
                further = self._look_through(*place)
                if further is None:
                    found.add(place[0])
                else:
                    waiting += further
        return found

    def list_constant(self) -> list[bool]:
        """Of each node whether it is made of constants alone: XLA keeps one for all equations."""
        known: dict[int, bool] = {}
        for start in range(len(self.operations)):
            waiting = [start]
            while waiting:
                row = waiting[-1]
                if row in known or self.operations[row] not in _MADE_ONCE:
                    known[waiting.pop()] = known.get(row, False)
                    continue
                sources = [source for source, _ in self._producers[row].values()]
                missing = [s for s in sources if s not in known and s not in waiting]
                if missing:
                    waiting.append(missing[0])
                else:
                    known[waiting.pop()] = all(known.get(source, False) for source in sources)
        return [known[row] for row in range(len(self.operations))]

    def results(self) -> list[set[int]]:
        """The named nodes that give each result of the program."""
        return [self._named([place]) for place in self._result_places()]

    def _result_places(self) -> Iterator[tuple[int, int]]:
        for row in self._outputs:
            yield from self._producers[row].values()
        for row in self._roots:
            producers = self._producers[row]
            if self.operations[row] == "tuple":
                yield from (producers[number] for number in sorted(producers))
            else:
                yield row, 0

    def root(self, row: int) -> int:
        """The named node whose value a fusion or a call gives, or `NONE`."""
        for place in self._look_through(row, 0) or ():
            while not self._is_named[place[0]]:
                further = self._look_through(*place)
                if not further or len(further) != 1:
                    return NONE
                place = further[0]
            return place[0]
        return NONE

    def _look_through(self, row: int, output: int) -> list[tuple[int, int]] | None:
        """Where a value comes from; None if it is the node's own."""
        entered = self._boundaries.entering.get(row)
        if entered is not None:
            owners = self._owners[self._groups[row]]
            owners = owners[:1] if owners and owners[0] in self._whole else owners
            places = (self._producers[owner].get(entered[1]) for owner in owners)
            found = [place for place in places if place is not None]
            return [(source, _WHOLE) for source, _ in found] if output == _WHOLE else found
        operation, producers = self.operations[row], self._producers[row]
        if operation in _LOOKED_INTO and row not in self._whole:
            shown_at = self._first_owner.get(row, row)
            given = self._boundaries.leaving.get((shown_at, output))
            roots = given or self._boundaries.leaving.get((shown_at, -1))
            if roots:
                return [self._element(root, output, is_tuple=given is None) for root in roots]
        if operation == "get-tuple-element" and producers:
            source, index = producers[0]
            return [self._element(source, index, is_tuple=True)]
        if operation == "tuple" and output == _WHOLE:
            return list(producers.values())
        if operation in ("tuple", "optimization-barrier"):  # StableHLO's has many results
            place = producers.get(output)
            return [place] if place is not None else []
        if operation == "opt-barrier" and producers:
            return [self._element(*producers[0][:1], output, is_tuple=True)]
        return None if self._is_named[row] else list(producers.values())

    def _element(self, row: int, output: int, *, is_tuple: bool) -> tuple[int, int]:
        if is_tuple and output != _WHOLE and self.operations[row] == "tuple":
            return self._producers[row].get(output, (row, output))
        return row, output


def _operation(name: str) -> str:
    """XLA's own name of an operation of StableHLO."""
    plain = name.removeprefix("stablehlo.").replace("_", "-") if "." in name else name
    return name if name in _LOOKED_INTO else _XLAS_NAMES.get(plain, plain)


_NOWHERE: frozenset[str] = frozenset()
_Detail = tuple[str, ...]


def _detail(graph: Graph, row: int, operation: str) -> _Detail:
    """Which part of an array is cut out or filled, or along which of its axes is counted."""
    if operation not in ("slice", "pad", "iota"):
        return ()
    known = graph.attributes(row)
    if operation == "iota":
        types = graph.types(row)
        axis = _numbers(known.get("iota_dimension") or known.get("dimensions", ""))
        return (*axis[:1], types[0].partition("[")[2]) if types and axis else ()
    written = known.get("slice_dimensions") or known.get("padding_config")
    if written:  # {[3:4:1],[0:8:1]}, or 3_0x0_0
        ranges = re.findall(r"(-?\d+)[:_](-?\d+)", written)
        return tuple(itertools.chain.from_iterable(zip(*ranges, strict=True)))
    names = ("start_indices", "limit_indices", "edge_padding_low", "edge_padding_high")
    return tuple(itertools.chain.from_iterable(_numbers(known.get(name, "")) for name in names))


def _made(graph: Graph, row: int, operation: str) -> _Detail:
    """What a node makes: optimization seldom changes the types of elements, often their shape."""
    return (operation, *(each.partition("[")[0] for each in graph.types(row)))


def _numbers(text: str) -> list[str]:
    """Those of `array<i64: 3, 0>`, of `1 : i64` and of `{1}`."""
    return re.findall(r"(?<![a-z\d])-?\d+", text)


class _Equations:
    """What the equations of a lowered program consist of, and what feeds them."""

    def __init__(self, graph: Graph, labels: Labels) -> None:
        rows = [tuple(of_row) for of_row in labels]
        whole = {
            row
            for row, code in enumerate(graph.nodes.operation.tolist())
            if graph.strings[code] == "func.call" and any(map(_is_lowering, rows[row]))
        }
        flow = _Flow(graph, [bool(of_row) for of_row in rows], whole)
        self.operations: dict[str, set[str]] = {}
        self.details: dict[str, set[_Detail]] = {}
        self.made: dict[str, set[_Detail]] = {}
        self._fed_by: dict[str, set[str]] = {}
        for row, of_row in enumerate(rows):
            operation = flow.operations[row]
            for label in of_row:
                self.operations.setdefault(label, set()).add(operation)
                self.made.setdefault(label, set()).add(_made(graph, row, operation))
                if detail := _detail(graph, row, operation):
                    self.details.setdefault(label, set()).add(detail)
            for source in flow.sources(row) if of_row else ():
                for before, after in _pairs(rows[source], of_row):
                    if before != after:
                        self._fed_by.setdefault(after, set()).add(before)
        for owners in list_owners(graph):
            for call in owners[1:] if owners and owners[0] in whole else ():
                self._share(rows[owners[0]][0], rows[call][0])
        for number, sources in enumerate(flow.results()):
            fed_by = itertools.chain.from_iterable(rows[source] for source in sources)
            self._fed_by[f"result {number}"] = set(fed_by)
        self._reached: dict[str, frozenset[str]] = {}
        self._around: dict[str, set[str]] = {}
        for of_row, loops in zip(rows, find_loops_around(graph), strict=True):
            for label, loop in itertools.product(of_row, loops):
                self._around.setdefault(label, set()).update(rows[loop])

    def _share(self, first: str, other: str) -> None:
        """Let an equation have the operations of another whose function it uses."""
        self.operations.setdefault(other, set()).update(self.operations.get(first, ()))
        self.made.setdefault(other, set()).update(self.made.get(first, ()))
        self.details.setdefault(other, set()).update(self.details.get(first, ()))

    def may_be_in(self, label: str, loops: Collection[str]) -> bool:
        """Whether an equation is one of some loops, or stands in one of them."""
        return label in loops or not self._around.get(label, _NOWHERE).isdisjoint(loops)

    def loops_around(self, label: str) -> Collection[str]:
        """The loops that an equation stands in, without those around these."""
        return self._around.get(label, _NOWHERE)

    def feeding(self, label: str) -> frozenset[str]:
        """The equations that feed one, looking through those that may be taken away."""
        known = self._reached.get(label)
        if known is None:
            found: set[str] = set()
            waiting = list(self._fed_by.get(label, ()))
            while waiting and len(found) < _MAX_FEEDING:
                each = waiting.pop()
                if each not in found:
                    found.add(each)
                    if self.operations.get(each, _MOVED) <= _MERGED:
                        waiting += self._fed_by.get(each, ())
            known = self._reached[label] = frozenset(found)
        return known


def _pairs(before: tuple[str, ...], after: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    if len(before) == len(after):
        return zip(before, after, strict=True)  # of a function that several calls share
    if len(before) * len(after) > _MAX_PAIRS:
        return ()
    return ((one, other) for one in before for other in after)


def _is_lowering(label: str) -> bool:
    """Whether an equation may have the same operation more than once."""
    return f" {LOWERING}" in label[-9:]


class _Solver:
    """The candidates of every node of a graph, and how they are reduced."""

    def __init__(
        self, equations: _Equations, graph: Graph, candidates: Labels, is_open: Sequence[bool]
    ) -> None:
        self._equations = equations
        self._is_open = list(is_open)
        self._flow = _Flow(graph, [bool(of_row) for of_row in candidates])
        self._groups = graph.nodes.group.tolist()
        self._owners = graph.groups.owner.tolist()
        self._effort = 0
        self._domains = [
            self._of_kind(graph, row, set(of_row)) if is_open[row] else set(of_row)
            for row, of_row in enumerate(candidates)
        ]
        is_constant = self._flow.list_constant()
        self._sources: list[set[int]] = [
            {source for source in self._flow.sources(row) if not is_constant[source]}
            if domain
            else set()
            for row, domain in enumerate(self._domains)
        ]
        for number, found in enumerate(self._flow.results()):
            self._sources.append(found)
            self._domains.append({f"result {number}"})
            self._is_open.append(False)
            self._flow.operations.append("result")
        self._loops = [next(iter(f)) if len(f) == 1 else NONE for f in find_loops_around(graph)]
        self._loops += [NONE] * (len(self._domains) - len(self._loops))
        self._inside: dict[int, list[int]] = {}
        for row, loop in enumerate(self._loops):
            if loop != NONE:
                self._inside.setdefault(loop, []).append(row)
        for row in self._inside:
            self._narrow_loop(row)
        self._users: list[set[int]] = [set() for _ in self._domains]
        for row, sources in enumerate(self._sources):
            for source in sources:
                self._users[source].add(row)

    def run(self) -> list[set[str]]:
        waiting = deque(filter(self._is_ambiguous, range(len(self._domains))))
        while waiting and self._effort < _MAX_EFFORT:
            self._propagate(waiting)
            self._effort += len(self._domains)
            waiting.extend(self._remove_taken())
        for _ in range(_MAX_ADOPTIONS):
            if not sum(map(self._adopt, range(len(self._groups)))):
                break
        return self._domains[: len(self._groups)]

    def _adopt(self, row: int) -> bool:
        """Give an ambiguous node the candidate of one that it belongs to; whether there was one.

        A fusion has the name of its root, what is in a reduction the reduction's. What only moves
        a value has the name of what it moves, or of what it moves it for.
        """
        if not self._is_ambiguous(row):
            return False
        operation, domain = self._flow.operations[row], self._domains[row]
        is_fusion = operation in _LOOKED_INTO
        others = [self._flow.root(row) if is_fusion else self._owner(row)]
        found = {label for other in others if other != NONE for label in self._only(other) & domain}
        for around in (self._sources[row], self._users[row]) if operation in _CARRYING else ():
            found = found or set().union(*(self._only(other) & domain for other in around))
        if len(found) == 1:
            self._domains[row] = found
        return len(found) == 1

    def _only(self, row: int) -> set[str]:
        domain = self._domains[row]
        return domain if len(domain) == 1 else set()

    def _owner(self, row: int) -> int:
        group = self._groups[row]
        return self._owners[group] if group != NONE else NONE

    def _is_ambiguous(self, row: int) -> bool:
        return self._is_open[row] and len(self._domains[row]) > 1

    def _of_kind(self, graph: Graph, row: int, domain: set[str]) -> set[str]:
        """Without equations that have no such operation, cut out other parts of an array, or make
        elements of another type, where others make such.
        """
        operation = self._flow.operations[row]
        if len(domain) < 2:
            return domain
        known = self._equations
        if operation not in HELPERS or operation == "iota":
            kind = {label for label in domain if operation in known.operations.get(label, ())}
            detail = _detail(graph, row, operation)
            same = {label for label in kind if detail and detail in known.details.get(label, ())}
            domain = same or kind or domain
        if operation == "convert":  # optimization joins several, so the type is that of another
            return domain
        made = _made(graph, row, operation)
        return {label for label in domain if made in known.made.get(label, ())} or domain

    def _propagate(self, waiting: deque[int]) -> None:
        is_waiting = set(waiting)
        while waiting and self._effort < _MAX_EFFORT:
            row = waiting.popleft()
            is_waiting.discard(row)
            domain = self._domains[row]
            left = domain.intersection(*self._supported(row))
            left = self._keep_loops(row, domain, left) if left else left
            if left and left != domain:
                self._domains[row] = left
                for other in self._neighbours(row):
                    if self._is_ambiguous(other) and other not in is_waiting:
                        is_waiting.add(other)
                        waiting.append(other)
        waiting.clear()

    def _neighbours(self, row: int) -> set[int]:
        """What feeds a node and is fed by it, and what is in a loop."""
        return self._sources[row] | self._users[row] | set(self._inside.get(row, ()))

    def _narrow_loop(self, row: int) -> None:
        """Remove the loops in which no equation has the name of something that is in the loop."""
        around = self._equations.loops_around
        for other in self._inside[row] if self._is_ambiguous(row) else ():
            others = self._domains[other]
            found = self._domains[row] & others.union(*map(around, others))
            self._domains[row] = found or self._domains[row]

    def _keep_loops(self, row: int, domain: set[str], left: set[str]) -> set[str]:
        """What is left of a node's candidates, and all of a loop of which none would be left.

        Which of several loops a node is in, is not its neighbours' to decide, most of which are in
        that same loop; what feeds the loop and reads it, does.
        """
        loops = self._domains[self._loops[row]] if self._loops[row] != NONE else _NOWHERE
        if len(loops) < 2 or left == domain:
            return left
        for loop in loops:
            of_loop = {label for label in domain if self._equations.may_be_in(label, {loop})}
            if of_loop.isdisjoint(left):
                left = left | of_loop
        return left

    def _supported(self, row: int) -> Iterator[set[str]]:
        """For each neighbour that supports any, the candidates of a node that it supports."""
        domain, feeding = self._domains[row], self._equations.feeding
        for source in self._sources[row]:
            others, may_equal = self._domains[source], self._may_equal(row, source)
            self._effort += len(domain)
            found = {
                label
                for label in domain
                if (label in others and (may_equal or _is_lowering(label)))
                or not feeding(label).isdisjoint(others)
            }
            if found:
                yield found
        for user in self._users[row]:
            others, may_equal = self._domains[user], self._may_equal(row, user)
            fed: set[str] = set().union(*(feeding(label) for label in others))
            self._effort += len(domain) + len(others) + len(fed)
            found = {
                label
                for label in domain
                if label in fed or (label in others and (may_equal or _is_lowering(label)))
            }
            if found:
                yield found
        if self._loops[row] != NONE:
            loops = self._domains[self._loops[row]]
            self._effort += len(domain)
            found = {label for label in domain if self._equations.may_be_in(label, loops)}
            if found:
                yield found

    def _may_equal(self, row: int, other: int) -> bool:
        """Whether two nodes may be of one equation, which has each operation once but helpers."""
        operation = self._flow.operations[row]
        return operation != self._flow.operations[other] or operation in HELPERS

    def _remove_taken(self) -> list[int]:
        """Remove what another node of that operation, in the same computation, is surely of.

        Returns:
            What is to be looked at again: nodes that have fewer equations now, and around them.
        """
        kinds: dict[tuple[int, str], list[int]] = {}
        for row, domain in enumerate(self._domains):
            operation = self._flow.operations[row]
            if (
                row < len(self._is_open)
                and self._is_open[row]
                and domain
                and operation not in HELPERS | _MOVED
            ):
                kinds.setdefault((self._groups[row], operation), []).append(row)
        changed = []
        for rows in kinds.values():
            taken = {next(iter(self._domains[r])) for r in rows if len(self._domains[r]) == 1}
            for row in filter(self._is_ambiguous, rows if taken else ()):
                domain = self._domains[row]
                left = {label for label in domain if label not in taken or _is_lowering(label)}
                left = self._keep_loops(row, domain, left) if left else left
                if left and left != domain:
                    self._domains[row] = left
                    changed += [row, *self._neighbours(row)]
        return list(filter(self._is_ambiguous, dict.fromkeys(changed)))


LINK, LINKED_BY = "link", "linked_by"
"""Attributes of a node: by what it is linked (`name` or `line`), and the names it is linked by."""
BY_NAME, BY_LINE = "name", "line"
SEPARATOR = " ; "
_MAKING = ("/scan", "/empty2")
"""What JAX calls the making of a loop's arrays, beside the loop."""
_IN_LOOP = "/body/closed_call"
"""The call of a loop's body, whose equations may have the place of the loop."""
LOWERING = "()"
"""Marks the equation of a call whose function is its lowering."""
_LOWERED_BY = ("jit(_threefry_split)", "jit(_threefry_fold_in)", "jit(_threefry_seed)")
"""Functions that JAX jits in the lowering of `random_split`, `random_fold_in`, `random_seed`."""
_MADE_CALLS = ("sdy.manual_computation",)
"""Regions that XLA makes to functions, whose operations are named after the call."""
_RUNNING = frozenset({"while", "conditional", "case", "if", *_MADE_CALLS})
"""What runs equations in its regions; those of others, such as reductions, are part of these."""
_ENDS_OF_UPDATE = ("parameter", "return")
"""What takes and gives the values of a scatter's update: of the scatter, not of the update."""
_COMPUTING = frozenset(
    {"dot", "convolution", "custom-call", "reduce", "sort", "fft", "scatter", "gather"}
)
"""Never a loop's own. XLA gives the loop's name to one of these that it moves out of the loop."""
_ENDS = (int(NodeKind.INPUT), int(NodeKind.OUTPUT))
_MAX_ALIKE = 500
"""Of at most so many equations that share name and place one is found: the cost is quadratic."""
_MAX_CANDIDATES = 2_000_000
"""Of all nodes together, where a few hundred megabytes are enough for them."""
_TOO_MANY = "too many"
_MAX_NAMES = 32
_NO_ROOT = "\0"
"""Nothing begins with it."""
_LOWERED = ("stablehlo", "hlo")
"""The stages that show what was lowered, equation by equation, the better one first."""


def link_by_name(graphs: Mapping[str, Graph]) -> dict[str, Graph]:
    """The graphs with attributes that say by what each node is linked to the other stages.

    Args:
        graphs: Of StableHLO and HLO, by the names of their stages.
    """
    lowered = next((name for name in _LOWERED if name in graphs), "")
    if not lowered:
        return {name: _mark(graph, []) for name, graph in graphs.items()}
    found_keys = {name: find_keys(graph) for name, graph in graphs.items()}
    loops = _find_loops(graphs[lowered], found_keys[lowered].of_node)
    plain: dict[str, str] = {}
    calling = {
        name[: found.start()]
        for name in {name for of_row in found_keys[lowered].of_node for name, _ in of_row}
        for found in re.finditer(_IN_LOOP, name)
    }
    keys = {
        name: _print_keys(of_stage.of_node, loops, calling, plain)
        for name, of_stage in found_keys.items()
    }
    pieces = _find_pieces(graphs[lowered], keys[lowered], loops, found_keys[lowered])
    labels = [pieces.of_row(row, of_row) for row, of_row in enumerate(keys[lowered])]
    for row, label in _label_calls(found_keys[lowered]).items():
        labels[row] = (label,)
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
    keys: list[tuple[Key, ...]],
    loops: Mapping[str, Counter[str]],
    calling: Collection[str],
    plain: dict[str, str],
) -> list[tuple[str, ...]]:
    """Keys as texts; what a loop itself consists of has the loop's.

    Counting its rounds and cutting its arrays is named below the loop and has its place; what runs
    in it has places of its own, or, in a loop that does not call its body, names alone.

    Args:
        calling: The loops that call their body.
        plain: Gets the name alone of each text.
    """
    everywhere = frozenset(itertools.chain.from_iterable(loops.values()))
    table: dict[Key, str] = {}
    for name, place in {key for of_row in keys for key in of_row}:
        # XLA's constants have the name of the call that they are in, and may have no place.
        whole = _find_loop(name, loops.get(place, ()) if place else everywhere, calling)
        table[name, place] = f"{whole} {place}"
        plain[f"{whole} {place}"] = whole
    return [tuple(dict.fromkeys(table[key] for key in of_row)) for of_row in keys]


def _find_loop(name: str, loops: Collection[str], calling: Collection[str]) -> str:
    """The innermost loop that consists of what has a name, by its name; that name where none is."""
    if name.endswith(_MAKING):
        beside = [loop for loop in loops if _parent(loop) == _parent(name)]
        return max(beside, key=len, default=name)
    loop = name
    while loop:
        if loop in loops and loop in calling and not name.startswith(f"{loop}{_IN_LOOP}/"):
            return loop
        loop = _parent(loop)
    return name


def _parent(name: str) -> str:
    return name.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
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
    in_loops = {
        f"{name} {place}": count for place, names in loops.items() for name, count in names.items()
    }
    numbers = _number_loops(graph, keys, in_loops)
    cutter = _Cutter(in_loops, _find_worked(graph, keys))
    last: dict[int, tuple[str, ...]] = {}
    for row, (group, code) in enumerate(
        zip(nodes.group.tolist(), nodes.operation.tolist(), strict=True)
    ):
        if nodes.kind[row] in _ENDS:
            continue
        around = keys[owners[group]] if group != NONE and owners[group] != NONE else ()
        operation = strings[code].removeprefix("stablehlo.")
        for key in () if group in found_keys.callers else keys[row]:
            if key in in_loops:
                if (row, key) in numbers:
                    cutter.number[row, key] = numbers[row, key]
            elif key in around:
                cutter.add_inside(row, key)
            else:
                cutter.add(row, key, operation, is_apart=key not in last.get(group, ()))
        last[group] = keys[row]
    return cutter.finish(*_find_lowerings(graph, keys, found_keys))


def _number_loops(
    graph: Graph, keys: list[tuple[str, ...]], in_loops: Mapping[str, int]
) -> dict[tuple[int, str], int]:
    """Of which of the loops of one name and place an operation is, by its row and that name.

    Loops are numbered in the order of the program. What is inside of a loop is of the innermost
    that has its name; what makes a loop's arrays stands before it. What several loops share is
    shown in the first of them, and is that one's.
    """
    groups = graph.nodes.group.tolist()
    owners = graph.groups.owner.tolist()
    is_loop = _find_whiles(graph)
    loops: dict[str, list[int]] = {key: [] for key in in_loops}
    for row in itertools.compress(range(len(keys)), is_loop):
        for key in keys[row]:
            if len(loops.get(key, ())) < in_loops.get(key, 0):
                loops[key].append(row)
    number = {(row, key): n for key, rows in loops.items() for n, row in enumerate(rows)}
    found: dict[tuple[int, str], int] = {}
    for row, of_row in enumerate(keys):
        named = [key for key in of_row if key in in_loops]
        if not named:
            continue
        loop = row
        while loop != NONE and not any((loop, key) in number for key in named):
            loop = owners[groups[loop]] if groups[loop] != NONE else NONE
        if loop == NONE:
            of_name = loops[named[0]]
            after = of_name[bisect.bisect(of_name, row) :][:1]
            loop = next((other for other in after if groups[other] == groups[row]), NONE)
        for key in named:
            if (loop, key) in number:
                found[row, key] = number[loop, key]
            elif in_loops[key] == 1 and key == named[0]:
                found[row, key] = 0
    return found


class _Cutter:
    """Takes operations in their order, and counts the pieces of each name and place.

    Attributes:
        number: Of the piece of each operation, by row and key.
    """

    def __init__(self, in_loops: Mapping[str, int], worked: Collection[str]) -> None:
        self._counts = dict(in_loops)
        self._worked = worked
        self._kinds: dict[str, set[str]] = {}
        self._helpers: dict[str, list[int]] = {}
        self.number: dict[tuple[int, str], int] = {}

    def add_inside(self, row: int, key: str) -> None:
        """Take what is inside of an operation of the same key, as the body of a reduction."""
        self.number[row, key] = max(self._counts.get(key, 1) - 1, 0)

    def add(self, row: int, key: str, operation: str, *, is_apart: bool) -> None:
        """Take an operation.

        Args:
            is_apart: Whether the operation before it, of its computation, has another key.
        """
        counts, number, helpers = self._counts, self.number, self._helpers
        is_helper = operation in (HELPERS if key in self._worked else {"constant"})
        seen = self._kinds.setdefault(key, set())
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

    def finish(
        self, lowerings: Mapping[tuple[int, str], str], sharing: Mapping[str, list[str]]
    ) -> _Pieces:
        """The equations, with those of operations whose equation is known otherwise."""
        numbered = {key for _, key in self.number}
        equations = {
            key: [key] if count == 1 else [f"{key} #{n}" for n in range(count)]
            for key, count in self._counts.items()
            if key in numbered
        }
        for key, of_key in sharing.items():
            equations[key] = equations.get(key, []) + of_key
        for (row, key), label in lowerings.items():
            self.number[row, key] = equations[key].index(label)
        return _Pieces(equations, self.number)


def _label_calls(found_keys: Keys) -> dict[int, str]:
    """The equation of each call of the lowering of one, by its row.

    Those of one name and place are numbered in the order of the program.
    """
    by_name: dict[str, list[int]] = {}
    for row, names in sorted(found_keys.of_call.items()):
        by_name.setdefault(" ".join(names[0]), []).append(row)
    return {
        row: f"{name} {LOWERING}{f' #{number}' if len(rows) > 1 else ''}"
        for name, rows in by_name.items()
        for number, row in enumerate(rows)
    }


def _find_lowerings(
    graph: Graph, keys: list[tuple[str, ...]], found_keys: Keys
) -> tuple[dict[tuple[int, str], str], dict[str, list[str]]]:
    """The equation of each operation whose function is the lowering of one, and all equations that
    use such a function, by the names that they give to what is in it.

    A function that several equations share is shown where the first calls it, and counts as that
    one's.
    """
    found: dict[tuple[int, str], str] = {}
    equations: dict[str, list[str]] = {}
    labels = _label_calls(found_keys)
    for row, group in enumerate(graph.nodes.group.tolist()):
        callers = found_keys.callers.get(group, [])
        for caller, key in itertools.product(callers, keys[row]):
            if _is_below(key, found_keys.of_call[caller]):
                equations.setdefault(key, []).append(labels[caller])
                if caller == callers[0]:
                    found[row, key] = labels[caller]
    return found, {key: list(dict.fromkeys(of_key)) for key, of_key in equations.items()}


def _is_below(key: str, calls: tuple[Key, ...]) -> bool:
    """Whether what a key names is in a function that a call of one of these names calls."""
    return any(f"{key}/".startswith(f"{name}/") and key.endswith(place) for name, place in calls)


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
    num_calls = _count_calls(graph)
    return [
        _spread(of_row, num) if num > 1 else of_row
        for of_row, num in zip(known, num_calls, strict=True)
    ]


def _spread(of_row: list[tuple[str, ...]], num_calls: int) -> list[tuple[str, ...]]:
    """The names of a node in a function of several calls: it is of the equations of them all."""
    found: list[tuple[str, ...]] = []
    for labels in of_row:
        is_of_all = 1 < len(labels) <= num_calls and all(map(_is_lowering, labels))
        found += [(label,) for label in labels] if is_of_all else [labels]
    return found


def _count_calls(graph: Graph) -> list[int]:
    """Of each node how many calls there are of the function that it is in."""
    owners, groups = list_owners(graph), graph.nodes.group.tolist()
    found = []
    for group in groups:
        count, seen = 1, set()
        while group != NONE and group not in seen and owners[group]:
            seen.add(group)
            count = max(count, len(owners[group]))
            group = groups[owners[group][0]]
        found.append(count)
    return found


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


@dataclass(frozen=True, slots=True)
class Keys:
    """The names of the nodes of one stage.

    Attributes:
        of_node: Whole names with their place; none where nothing names a node.
        callers: Of each group the calls of it, or of the function that it is in, where that is the
            lowering of one equation of each: JAX gave them no names, or its own.
        of_call: The names of each such call: those of what it stands in.
    """

    of_node: list[tuple[Key, ...]]
    callers: dict[int, list[int]]
    of_call: dict[int, tuple[Key, ...]]


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
        self._is_relative = self._has_relative_names()
        self._keys: list[tuple[Key, ...]] = [()] * len(graph.nodes)
        self._carried: list[tuple[Key, ...]] = [()] * len(graph.nodes)
        self._callers: dict[int, list[int]] = {}
        self._of_call: dict[int, tuple[Key, ...]] = {}
        self._around: dict[int, tuple[Key, ...]] = {}
        self._relative: set[int] = set()
        self._rows: dict[int, list[int]] = {}
        for row, group in enumerate(graph.nodes.group.tolist()):
            self._rows.setdefault(group, []).append(row)
        self._owners = list_owners(graph)

    def _has_relative_names(self) -> bool:
        """Whether most names in functions do not begin as whole names do.

        Then all are relative to the call, also one that begins so: a function of the user's may
        have the name of one that it calls, such as `solve` or `softmax`.
        """
        graph = self._graph
        is_function = [kind == GroupKind.COMPUTATION for kind in graph.groups.kind.tolist()]
        inside = [
            own.startswith(self._root)
            for own, group in zip(self._own, graph.nodes.group.tolist(), strict=True)
            if own and group != NONE and is_function[group]
        ]
        return 2 * sum(inside) < len(inside)

    def run(self) -> Keys:
        self._name_rows(NONE, (), (), is_lowering=False)
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
        return Keys(self._keys, self._callers, self._of_call)

    def _name_group(self, group: int, groups: list[int]) -> None:
        owners = self._owners[group]
        carried = dict.fromkeys(itertools.chain.from_iterable(self._carried[r] for r in owners))
        of_owner = around = tuple(carried)[:_MAX_NAMES]
        callers: list[int] = []
        updates: tuple[Key, ...] = ()
        is_part = False
        if owners:
            home = groups[owners[0]]
            if self._graph.groups.kind[group] == GroupKind.REGION:
                operation = self._operation(owners[0]).removeprefix("stablehlo.")
                is_part = operation not in _RUNNING
                if operation == "scatter":
                    updates = tuple((f"{name}/update", place) for name, place in of_owner)
                if operation not in _MADE_CALLS:
                    around = self._around.get(home, ())
                    self._relative |= {group} if home in self._relative else set()
            elif self._is_relative:
                self._relative.add(group)
            callers = self._callers.get(home, [])
            if not callers and self._is_lowered_call(owners[0]):
                callers = [row for row in owners if row in self._of_call]
        if callers:
            self._callers[group] = callers
        self._around[group] = around
        self._name_rows(
            group, around, of_owner, updates, is_part=is_part, is_lowering=bool(callers)
        )

    def _is_lowered_call(self, row: int) -> bool:
        own = self._own[row]
        return self._operation(row) == "func.call" and (not own or own.endswith(_LOWERED_BY))

    def _operation(self, row: int) -> str:
        return self._graph.strings[int(self._graph.nodes.operation[row])]

    def _name_rows(
        self,
        group: int,
        around: tuple[Key, ...],
        of_owner: tuple[Key, ...],
        updates: tuple[Key, ...] = (),
        *,
        is_part: bool = False,
        is_lowering: bool,
    ) -> None:
        """Name the nodes of a group.

        Args:
            around: The call of the function that they are in.
            of_owner: What the group is the inside of.
            updates: What they have where they compute an update of a scatter: equations of its own.
            is_part: Whether they are a part of the owner, as a reduction's sum.
            is_lowering: Whether they are in the lowering of one equation.
        """
        graph, nodes = self._graph, self._graph.nodes
        root = _NO_ROOT if group in self._relative else self._root
        for row in self._rows.get(group, []):
            if nodes.kind[row] in _ENDS:
                continue
            place = _place(graph, row)
            operation = self._operation(row)
            # With the name of the program alone, it is of no equation.
            parts = [part for part in self._own[row].split(";") if part not in ("", root)]
            if operation in _COMPUTING:
                parts = [part for part in parts if part.rpartition("/")[2] != "while"]
            if operation == "func.call" and not parts:
                parts = [name] if (name := _function(graph, row)) else []
            is_whole = bool(parts) and parts[0].startswith(root)
            is_owners = is_part or (operation == "parameter" and not is_whole)
            if parts and of_owner and is_owners:
                is_update = is_part and operation.removeprefix("stablehlo.") not in _ENDS_OF_UPDATE
                self._keys[row] = updates if is_update and updates else of_owner
            else:
                whole = (_whole(part, place, root, around) for part in parts)
                keys = dict.fromkeys(itertools.chain.from_iterable(whole))
                self._keys[row] = tuple(keys)[:_MAX_NAMES]
            self._carried[row] = self._keys[row] or tuple(
                (name, place or other) for name, other in around
            )
            if not is_lowering and self._is_lowered_call(row) and self._carried[row]:
                self._of_call[row] = self._carried[row]


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
    return max(named)[1] if named else _NO_ROOT


def _mark(graph: Graph, found: Sequence[tuple[str, ...]]) -> Graph:
    """Say how nodes are linked: by the names that were found, else by their line."""
    of_node = (graph.nodes.source.lengths() > 0).astype(np.int32)
    rows = Numbers[tuple[str, ...]]()
    named = [row for row, names in enumerate(found) if names]
    of_node[named] = [2 + rows[found[row]] for row in named]
    by_name = ({LINK: BY_NAME, LINKED_BY: SEPARATOR.join(names)} for names in rows)
    return add_attribute_rows(graph, of_node, [{}, {LINK: BY_LINE}, *by_name])


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
