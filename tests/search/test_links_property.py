"""Links between the stages of random captures, compared with what sets of keys say."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from jaxscope.model import (
    NONE,
    Cost,
    Direction,
    GraphBuilder,
    GroupKind,
    NodeKind,
    Stage,
    StageText,
    Unavailable,
)
from jaxscope.program.links import (
    LineSelection,
    LinkIndex,
    Links,
    NodeSelection,
    Selection,
    SeveralSelection,
    is_made_by_compiler,
)

STAGES = ("jaxpr", "grad", "stablehlo", "hlo", "optimized")
LOWERED = "grad"
FILES = ("/a.py", "/b.py")
NUM_KEYS = 6
SEEDS = range(25)


@dataclasses.dataclass
class Row:
    """One node as its graph is built of it; `shares` is a group that another node owns."""

    kind: NodeKind
    group: int
    origins: list[str]
    derived: list[str]
    places: list[tuple[str, int]]
    is_back: bool
    shares: int


@dataclasses.dataclass
class Program:
    """The nodes of a stage, and its groups as (kind, owner, parent)."""

    rows: list[Row]
    groups: list[tuple[GroupKind, int, int]]

    def is_input(self, node: int) -> bool:
        return self.rows[node].kind == NodeKind.INPUT


def make_program(chance: random.Random, stage: str) -> Program:
    """A random program: equations before lowering, instructions after it, groups in groups."""
    is_jaxpr, is_late = stage in ("jaxpr", "grad"), stage in ("hlo", "optimized")
    program = Program([], [])
    kinds = [NodeKind.INPUT] * chance.choice((0, 0, 1, 2))
    work = NodeKind.EQUATION if is_jaxpr else NodeKind.INSTRUCTION
    kinds += [chance.choice((work, work, work, NodeKind.OUTPUT)) for _ in range(9)]
    for node, kind in enumerate(kinds):
        groups = range(len(program.groups))
        group = (
            chance.choice([NONE, NONE, *groups, *groups[-2:]]) if kind != NodeKind.INPUT else NONE
        )

        def some(most: int) -> list[str]:
            return [str(chance.randrange(NUM_KEYS)) for _ in range(chance.randrange(most))]

        has_links = kind not in (NodeKind.INPUT, NodeKind.OUTPUT)
        program.rows.append(
            Row(
                kind,
                group,
                some(3) if has_links and stage != "jaxpr" else [],
                some(3) if has_links and not is_jaxpr else [],
                [(chance.choice(FILES), chance.randrange(1, 5)) for _ in range(chance.randrange(3))]
                if has_links
                else [],
                chance.random() < 0.4,
                chance.choice([NONE, NONE, NONE, *groups]) if has_links else NONE,
            )
        )
        if kind == work and chance.random() < (0.6 if node < 2 else 0.3):
            late = GroupKind.FUSION if chance.random() < 0.6 else GroupKind.COMPUTATION
            owned = late if is_late else GroupKind.JAXPR
            program.groups.append((owned, node, group))
    return program


def build(name: str, program: Program) -> Stage:
    builder = GraphBuilder()
    for node, row in enumerate(program.rows):
        attributes = {} if row.shares == NONE else {"shares": f"g{row.shares}"}
        builder.add_node(
            str(node),
            row.kind,
            "input" if row.kind == NodeKind.INPUT else "add",
            group=row.group,
            attributes=attributes,
            origins=row.origins,
            derived=row.derived,
            direction=Direction.BACKWARD if row.is_back else Direction.FORWARD,
            source=[(file, line, 1, "f") for file, line in row.places],
        )
    for number, (kind, owner, parent) in enumerate(program.groups):
        builder.add_group(f"g{number}", kind, "", parent=parent, owner=owner)
    return Stage(name, name, StageText.plain(""), builder.build(), Cost(), 0.0)


class Expected:
    """What a selection means, worked out node by node from the rows.

    An equation of the base function is its own origin, one of what was lowered its own derived
    equation.
    """

    def __init__(self, programs: dict[str, Program]) -> None:
        self.programs = programs

    def origins(self, stage: str, node: int) -> set[str]:
        row = self.programs[stage].rows[node]
        own = {str(node)} if stage == "jaxpr" and row.kind == NodeKind.EQUATION else set()
        return own | set(row.origins)

    def derived(self, stage: str, node: int) -> set[str]:
        row = self.programs[stage].rows[node]
        own = {str(node)} if stage == LOWERED and row.kind == NodeKind.EQUATION else set()
        return own | set(row.derived)

    def inside(
        self, stage: str, nodes: Iterable[int], *, with_shared: bool = True, alone: bool = False
    ) -> set[int]:
        """The nodes and what is in the groups that they own (or own alone) or share."""
        program = self.programs[stage]
        of_several = {
            row.shares
            for node, row in enumerate(program.rows)
            if row.shares != NONE and program.groups[row.shares][1] != node
        }
        found: set[int] = set()
        waiting = set(nodes)
        while waiting:
            found |= waiting
            groups = {g for g, (_, owner, _) in enumerate(program.groups) if owner in waiting}
            if alone:
                groups -= of_several
            elif with_shared:
                groups |= {program.rows[node].shares for node in waiting} - {NONE}
            waiting = {n for n, row in enumerate(program.rows) if row.group in groups} - found
        return found

    def fusion_of(self, stage: str, node: int) -> int:
        """The innermost fusion instruction that a node is inside of."""
        program = self.programs[stage]
        group = program.rows[node].group
        while group != NONE:
            kind, owner, parent = program.groups[group]
            if kind == GroupKind.FUSION:
                return owner
            group = parent
        return NONE

    def split(self, stage: str, nodes: set[int], chosen: set[int]) -> tuple[list[int], ...]:
        """Selected, forward and backward; a fusion stands for what is inside of it."""
        rows = self.programs[stage].rows
        inner: dict[int, list[int]] = {}
        for node in nodes:
            fusion = self.fusion_of(stage, node)
            if fusion != NONE:
                inner.setdefault(fusion, []).append(node)
        back = {node for node in nodes if rows[node].is_back}
        back |= {f for f, parts in inner.items() if all(rows[n].is_back for n in parts)}
        shown = (nodes | inner.keys()) - chosen
        return sorted(chosen), sorted(shown - back), sorted(shown & back)

    def of_nodes(self, stage: str, chosen: set[int], other: str) -> tuple[list[int], ...]:
        rows = self.programs[other].rows
        inside = self.inside(stage, chosen)
        derived = set[str]().union(*(self.derived(stage, node) for node in inside))
        origins = set[str]().union(*(self.origins(stage, node) for node in inside))
        has_derived = any(self.derived(other, node) for node in range(len(rows)))
        keys, of = (derived, self.derived) if derived and has_derived else (origins, self.origins)
        found = {node for node in range(len(rows)) if keys & of(other, node)}
        if other == stage and len(chosen) > 1:
            found -= inside - self.inside(stage, chosen, with_shared=False)
        if stage != other:
            mine, theirs = (
                [n for n in range(len(p.rows)) if p.is_input(n)]
                for p in (self.programs[stage], self.programs[other])
            )
            if len(mine) == len(theirs):
                found |= {b for a, b in zip(mine, theirs, strict=True) if a in chosen}
        return self.split(other, found, chosen if stage == other else set())

    def lines(self, stage: str, nodes: Iterable[int]) -> list[tuple[str, int]]:
        rows = self.programs[stage].rows
        return list(dict.fromkeys(place for node in sorted(nodes) for place in rows[node].places))

    def pairs(
        self, stage: str, nodes: set[int], other: str, others: set[int]
    ) -> set[tuple[int, int]]:
        for of in (self.derived, self.origins):
            found = {
                (a, b)
                for a in nodes
                for b in others
                if self.lifted(of, stage, a) & self.lifted(of, other, b)
            }
            if found:
                return found
        return set()

    def lifted(self, of: object, stage: str, node: int) -> set[str]:
        """The keys of a node and of all that it is the fusion of."""
        assert callable(of)
        rows = range(len(self.programs[stage].rows))
        parts = [n for n in rows if n == node or self.fusion_of(stage, n) == node]
        return set[str]().union(*(of(stage, part) for part in parts))


def make(seed: int) -> tuple[random.Random, Expected, LinkIndex]:
    chance = random.Random(seed)
    programs = {name: make_program(chance, name) for name in STAGES}
    stages = [build(name, program) for name, program in programs.items()]
    return chance, Expected(programs), LinkIndex(stages)


def over_seeds(test: Callable[[int], None]) -> Callable[[], None]:
    """The test with every seed, as one: collecting them one by one takes longer than they do."""

    def run() -> None:
        for seed in SEEDS:
            try:
                test(seed)
            except Exception as error:
                raise AssertionError(f"with seed {seed}") from error

    return run


def as_lists(links: Links, stage: str) -> tuple[list[int], ...]:
    linked = links.stages[stage]
    assert linked.num_nodes == len(linked.selected) + len(linked.forward) + len(linked.backward)
    return linked.selected.tolist(), linked.forward.tolist(), linked.backward.tolist()


def some_nodes(chance: random.Random, program: Program, most: int = 3) -> set[int]:
    return {chance.randrange(len(program.rows)) for _ in range(chance.randrange(1, most + 1))}


@over_seeds
def test_nodes_are_linked_by_the_finest_key_that_both_stages_have(seed: int) -> None:
    chance, expected, index = make(seed)
    for stage in STAGES:
        chosen = some_nodes(chance, expected.programs[stage])
        links = index.find_links(NodeSelection(stage, (*chosen, -1, 99)))
        assert list(links.stages) == list(STAGES)
        for other in STAGES:
            assert as_lists(links, other) == expected.of_nodes(stage, chosen, other), other
        inside = expected.inside(stage, chosen)
        behind = as_lists(links, "jaxpr")[1]
        own = expected.inside(stage, chosen, alone=True)
        lines = expected.lines(stage, own) or expected.lines(stage, inside)
        of_own = set().union(*(expected.origins(stage, n) for n in {*own, *chosen}))
        further = [n for n in behind if expected.origins("jaxpr", n) & of_own or not lines]
        lines = list(dict.fromkeys((*lines, *expected.lines("jaxpr", further))))
        assert list(links.lines) == lines
        keys = [expected.origins(stage, n) | expected.derived(stage, n) for n in inside]
        assert links.has_origin == bool(any(keys) or lines)


@over_seeds
def test_a_line_is_linked_to_its_nodes_and_to_what_came_from_its_equations(seed: int) -> None:
    chance, expected, index = make(seed)
    place = chance.choice(FILES), chance.randrange(1, 5)
    links = index.find_links(LineSelection(*place))
    assert links.lines == (place,)
    base = expected.programs["jaxpr"].rows
    equations = {str(n) for n, row in enumerate(base) if place in row.places}
    for stage, program in expected.programs.items():
        found = {
            node
            for node, row in enumerate(program.rows)
            if place in row.places or expected.origins(stage, node) & equations
        }
        assert as_lists(links, stage) == expected.split(stage, found, set())
    assert links.has_origin == any(linked.num_nodes for linked in links.stages.values())


@over_seeds
def test_pairs_share_a_key(seed: int) -> None:
    chance, expected, index = make(seed)
    for stage in STAGES:
        other = chance.choice(STAGES)
        nodes, others = (some_nodes(chance, expected.programs[s], 9) for s in (stage, other))
        found = index.find_pairs(stage, column(nodes), other, column(others)).tolist()
        wanted = (
            {(node, node) for node in nodes & others}
            if stage == other
            else expected.pairs(stage, nodes, other, others)
        )
        assert found == sorted(map(list, wanted))


@over_seeds
def test_lines_are_paired_with_nodes_of_their_own_or_of_their_equations(seed: int) -> None:
    chance, expected, index = make(seed)
    file, lines = chance.choice(FILES), {chance.randrange(1, 5) for _ in range(3)}
    base = expected.programs["jaxpr"].rows
    for stage, program in expected.programs.items():
        nodes = some_nodes(chance, program, 9)
        wanted = set()
        for line in lines:
            equations = {str(n) for n, row in enumerate(base) if (file, line) in row.places}
            for node in nodes:
                parts = [
                    n
                    for n in range(len(program.rows))
                    if n == node or expected.fusion_of(stage, n) == node
                ]
                is_there = any((file, line) in program.rows[n].places for n in parts)
                is_behind = stage != "jaxpr" and any(
                    expected.origins(stage, n) & equations for n in parts
                )
                if is_there or is_behind:
                    wanted.add((line, node))
        found = index.find_line_pairs(file, column(lines), stage, column(nodes)).tolist()
        assert found == sorted(map(list, wanted)), stage


@over_seeds
def test_several_selections_mean_what_each_means_and_what_is_selected_is_not_linked(
    seed: int,
) -> None:
    chance, expected, index = make(seed)
    parts: list[NodeSelection | LineSelection] = [
        NodeSelection(stage, tuple(some_nodes(chance, expected.programs[stage])))
        for stage in chance.sample(STAGES, 2)
    ]
    parts.append(LineSelection(FILES[0], 1))
    together = index.find_links(SeveralSelection(tuple(parts)))
    alone = [index.find_links(part) for part in parts]
    for stage in STAGES:
        selected, forward, backward = (
            set[int]().union(*(as_lists(links, stage)[kind] for links in alone))
            for kind in range(3)
        )
        backward -= selected
        forward -= selected | backward
        assert as_lists(together, stage) == (sorted(selected), sorted(forward), sorted(backward))
    assert list(together.lines) == list(dict.fromkeys(p for links in alone for p in links.lines))
    assert together.has_origin == any(links.has_origin for links in alone)


def test_nothing_is_linked_to_nothing_and_to_stages_without_a_graph() -> None:
    programs = {name: make_program(random.Random(1), name) for name in ("jaxpr", "optimized")}
    gone = Unavailable("It failed.")
    stages = [build(name, program) for name, program in programs.items()]
    stages.append(dataclasses.replace(stages[0], name="hlo", graph=gone))
    index = LinkIndex(stages)
    selections: list[Selection | None] = [None, NodeSelection("hlo", (0,)), SeveralSelection(())]
    for selection in selections:
        assert index.find_links(selection).stages == {}
    assert index.find_links(None).has_origin
    assert index.find_links(NodeSelection("jaxpr", (3,))).stages.keys() == programs.keys()
    for first, second in (("hlo", "jaxpr"), ("jaxpr", "hlo")):
        assert index.find_pairs(first, column([0]), second, column([0])).shape == (0, 2)
    assert index.find_line_pairs("/no.py", column([1]), "jaxpr", column([0])).shape == (0, 2)
    assert index.find_line_pairs(FILES[0], column([1]), "hlo", column([0])).shape == (0, 2)


def test_without_the_base_s_jaxpr_a_node_has_the_lines_of_its_own() -> None:
    program = make_program(random.Random(2), "hlo")
    index = LinkIndex([build("hlo", program)])
    expected = Expected({"hlo": program})
    found = [index.find_links(NodeSelection("hlo", (n,))).lines for n in range(len(program.rows))]
    inside = [expected.inside("hlo", [node]) for node in range(len(program.rows))]
    alone = [expected.inside("hlo", [node], alone=True) for node in range(len(program.rows))]
    assert found == [
        tuple(expected.lines("hlo", own) or expected.lines("hlo", nodes))
        for own, nodes in zip(alone, inside, strict=True)
    ]
    assert () in found


def test_too_many_pairs_are_none() -> None:
    """What belongs to everything is not drawn as a line to each."""
    builders = GraphBuilder(), GraphBuilder()
    for number in range(100):
        builders[0].add_node(str(number), NodeKind.EQUATION, "add")
        builders[1].add_node(str(number), NodeKind.INSTRUCTION, "add", origins=map(str, range(40)))
    stages = [
        Stage(name, name, StageText.plain(""), builder.build(), Cost(), 0.0)
        for name, builder in zip(("jaxpr", "optimized"), builders, strict=True)
    ]
    nodes = column(range(100))
    pairs = LinkIndex(stages).find_pairs("jaxpr", nodes, "optimized", nodes)
    assert pairs.tolist() == [[a, b] for a in range(40) for b in range(100)]
    assert len(pairs) == 4_000


def column(values: Iterable[int]) -> npt.NDArray[np.int32]:
    return np.asarray(sorted(values), np.int32)


def test_of_a_whole_program_the_lines_of_its_first_nodes_are_told() -> None:
    builder = GraphBuilder()
    for number in range(300):
        place = [(FILES[0], number + 1, 1, "f")]
        builder.add_node(str(number), NodeKind.EQUATION, "add", source=place)
    index = LinkIndex([Stage("jaxpr", "", StageText.plain(""), builder.build(), Cost(), 0.0)])
    lines = index.find_links(NodeSelection("jaxpr", tuple(range(300)))).lines
    assert lines == tuple((FILES[0], line) for line in range(1, 201))


def test_what_has_neither_equation_nor_line_was_made_by_the_compiler() -> None:
    builder = GraphBuilder()
    rows = [
        ({}, True),
        ({"origins": ["0"]}, False),
        ({"derived": ["0"]}, False),
        ({"source": [("f", 1, 1, "f")]}, False),
    ]
    kinds = (NodeKind.INSTRUCTION, NodeKind.OPERATION, NodeKind.EQUATION)
    for kind in kinds:
        for links, _ in rows:
            builder.add_node(f"{kind}{len(links)}{list(links)}", kind, "add", **links)  # type: ignore[arg-type] # of rows
    graph = builder.build()
    found = [is_made_by_compiler(graph, node) for node in range(len(graph.nodes))]
    made = [is_made for _, is_made in rows]
    assert found == [*made, *made, *[False] * 4]


@pytest.mark.parametrize("module", ["hlo", "optimized"])
@pytest.mark.parametrize(
    ("own", "found"), [("ba", [[1], [1]]), (("", ""), [[1], [1]]), ("bc", [[], [1]])]
)
def test_inputs_without_places_of_their_own_borrow_those_of_the_module(
    module: str, own: Sequence[str], found: list[list[int]]
) -> None:
    stages = []
    for name, paths in (("jaxpr", "ab"), ("stablehlo", own), (module, "ca")):
        builder = GraphBuilder()
        for number, path in enumerate(paths):
            attributes = {"argument": str(number)} | ({"path": path} if path else {})
            builder.add_node(str(number), NodeKind.INPUT, "input", attributes=attributes)
        stages.append(Stage(name, name, StageText.plain(""), builder.build(), Cost(), 0.0))
    links = LinkIndex(stages).find_links(NodeSelection("jaxpr", (0,)))
    assert [as_lists(links, stage)[1] for stage in ("stablehlo", module)] == found
