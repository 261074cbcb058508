"""Drawings stay as they were: a change of the layout that moves anything is seen, and meant.

`drawings.json` has the places of everything in diagrams that take every way through the layout. The
other tests of this folder say what a drawing must keep; this one says that nothing else changed.
After a change that is meant, look at pictures and write the file anew:

    python -m tests.layout.test_drawings
"""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import pytest

from jaxscope.picture.layout.diagram import Diagram, DiagramEdge, RequestedStub, Spacing
from jaxscope.picture.layout.layered import layout_layered

KEPT = Path(__file__).with_name("drawings.json")
TOLERANCE_PX = 0.002  # the file has three decimals


def make(
    seed: int, num: int, num_links: int, *, reach: int = 6, is_cyclic: bool = False
) -> Diagram:
    """Boxes of many sizes, links mostly between near ones; some say where they meet their boxes."""
    generator = random.Random(seed)
    across = [float(generator.randrange(20, 160)) for _ in range(num)]
    along = [float(generator.randrange(12, 60)) for _ in range(num)]
    links = []
    for _ in range(num_links):
        source = generator.randrange(num - 1)
        target = min(source + 1 + generator.randrange(reach), num - 1)
        if is_cyclic and generator.random() < 0.2:
            source, target = target, source
        shifts = [
            float(generator.randrange(-8, 9)) if generator.random() < 0.3 else float("nan")
            for _ in range(2)
        ]
        links.append(DiagramEdge(source, target, generator.randrange(2), *shifts))
    return Diagram(across, along, links)


def with_ports(diagram: Diagram, first: int, last: int) -> Diagram:
    """The diagram with its first and last boxes as ports, which are flat and stand at the ends."""
    num = len(diagram.across)
    ports = [*range(first), *range(num - last, num)]
    along = [0.0 if node in ports else size for node, size in enumerate(diagram.along)]
    pinned = frozenset(range(first)), frozenset(range(num - last, num))
    links = [
        link
        for link in diagram.links
        if not any(link.source in ends and link.target in ends for ends in pinned)
    ]
    return dataclasses.replace(diagram, along=along, links=links, first=pinned[0], last=pinned[1])


def renumbered(diagram: Diagram, seed: int) -> Diagram:
    """The same diagram with its boxes in another order, so that ports stand anywhere."""
    num = len(diagram.across)
    order = random.Random(seed).sample(range(num), num)
    place = {node: index for index, node in enumerate(order)}
    return dataclasses.replace(
        diagram,
        across=[diagram.across[node] for node in order],
        along=[diagram.along[node] for node in order],
        links=[e._replace(source=place[e.source], target=place[e.target]) for e in diagram.links],
        first=frozenset(place[node] for node in diagram.first),
        last=frozenset(place[node] for node in diagram.last),
    )


def with_stubs(diagram: Diagram, *, named: bool) -> Diagram:
    """The diagram with widths of stubs, stubs that are asked for, and boxes too wide for them."""
    num = len(diagram.across)
    return dataclasses.replace(
        diagram,
        stub_across=[30.0 + 3 * node for node in range(num)] if named else (),
        merged_across=55.0,
        stub_along=14.0,
        loose=[
            RequestedStub(0, False, 33.0),
            RequestedStub(num // 2, True, 44.0, 5.0),
            RequestedStub(num // 3, False, 21.0, -4.0),
            RequestedStub(num - 1, True, 50.0),
        ],
        wide=frozenset({1, num // 2, num - 2}),
    )


def with_loops(diagram: Diagram) -> Diagram:
    loops = [DiagramEdge(node, node) for node in (0, len(diagram.across) // 2)]
    return dataclasses.replace(diagram, links=[*loops, *diagram.links])


def far_ends(num: int) -> Diagram:
    """A chain with values that are used far away, many of them by one box, some upwards."""
    chain = [DiagramEdge(node, node + 1) for node in range(num - 1)]
    far = [DiagramEdge(node, num - 2, 1, 3.0, float("nan")) for node in range(4)]
    far += [DiagramEdge(2, num - 4, 2), DiagramEdge(num - 3, 4, 3, 2.0, -6.0)]
    return Diagram([40.0 + 7 * (n % 5) for n in range(num)], [20.0] * num, [*chain, *far])


def page(seed: int, most: float) -> Diagram:
    diagram = with_stubs(make(seed, 18, 18, reach=14), named=False)
    return dataclasses.replace(diagram, most_across=most)


DIAGRAMS: dict[str, tuple[Diagram, Spacing | None]] = {
    "program": (make(1, 24, 34), None),
    "dense": (make(2, 16, 60, reach=4), None),
    "long lines": (make(3, 20, 40, reach=18), None),
    "cycles and loops": (with_loops(make(4, 18, 34, is_cyclic=True)), None),
    "ports": (with_ports(make(5, 20, 36, is_cyclic=True), 3, 2), None),
    "ports in a group": (with_ports(make(6, 14, 20, reach=9), 4, 0), Spacing(18.0, 22.0, 6.0)),
    "ports anywhere": (renumbered(with_ports(make(11, 16, 26), 2, 2), 3), None),
    "ports against the flow": (
        Diagram(
            [30.0] * 6,
            [20.0, 20.0, 0.0, 20.0, 20.0, 0.0],
            [DiagramEdge(a, b) for a, b in ((0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (2, 2))],
            first=frozenset({2}),
            last=frozenset({5}),
        ),
        None,
    ),
    "stubs below the first rank": (
        dataclasses.replace(
            make(12, 12, 20), loose=[RequestedStub(9, False, 33.0), RequestedStub(2, True, 20.0)]
        ),
        None,
    ),
    "stubs": (with_stubs(make(7, 22, 40, reach=14), named=True), Spacing(max_span=3)),
    "stubs without names": (
        with_stubs(with_ports(make(8, 18, 40, reach=12, is_cyclic=True), 2, 1), named=False),
        Spacing(max_span=2),
    ),
    "far ends": (with_stubs(far_ends(16), named=True), Spacing(max_span=5)),
    "page": (dataclasses.replace(make(9, 30, 26, reach=20), most_across=420.0), None),
    "page with ports": (
        dataclasses.replace(with_ports(make(10, 24, 30, reach=14), 3, 3), most_across=300.0),
        None,
    ),
    "a narrow page": (page(102, 270.0), Spacing(max_span=20)),
    "a narrower page": (page(107, 210.0), Spacing(max_span=20)),
    "a page with long lines": (page(103, 290.0), Spacing(max_span=20)),
    "a page with wide ports": (
        dataclasses.replace(with_ports(make(13, 18, 20), 5, 4), most_across=200.0),
        None,
    ),
    "a page with ports anywhere": (
        dataclasses.replace(
            renumbered(with_ports(make(102, 16, 20, reach=9, is_cyclic=True), 3, 2), 102),
            most_across=240.0,
        ),
        None,
    ),
    "cycles and stubs": (
        with_stubs(renumbered(make(103, 14, 26, reach=9, is_cyclic=True), 103), named=True),
        Spacing(max_span=3),
    ),
    "cycles and ports": (
        renumbered(with_ports(make(103, 14, 24, is_cyclic=True), 2, 2), 103),
        None,
    ),
    "words": (Diagram([70.0 + n for n in range(9)], [25.0] * 9, [], most_across=250.0), None),
}


def describe(name: str) -> dict[str, Any]:
    """The drawing of a diagram as the file has it, and how often it asks whether to go on."""
    asked: list[bool] = []

    def should_stop() -> bool:
        asked.append(True)
        return False

    diagram, spacing = DIAGRAMS[name]
    drawing = dataclasses.asdict(layout_layered(diagram, spacing, should_stop))
    drawing["asked"] = len(asked)
    described: dict[str, Any] = json.loads(
        json.dumps(drawing), parse_float=lambda text: round(float(text), 3)
    )
    return described


def _flatten(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [each for key in sorted(value) for each in (key, *_flatten(value[key]))]
    if isinstance(value, list):
        return [len(value), *(each for item in value for each in _flatten(item))]
    return [value]


@pytest.mark.parametrize("name", DIAGRAMS)
def test_a_drawing_stays_as_it_was(name: str) -> None:
    kept = json.loads(KEPT.read_text("utf-8"))[name]
    found = describe(name)
    numbers, texts = [], []
    for value in (kept, found):
        flat = _flatten(value)
        numbers.append([each for each in flat if not isinstance(each, str)])
        texts.append([each for each in flat if isinstance(each, str)])
    assert texts[0] == texts[1]
    assert numbers[1] == pytest.approx(numbers[0], abs=TOLERANCE_PX), "see the head of this file"


if __name__ == "__main__":
    rows = (f"{json.dumps(name)}: {json.dumps(describe(name))}" for name in DIAGRAMS)
    KEPT.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")
