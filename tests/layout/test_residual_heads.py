"""Where lines of residuals part, each tells its own bytes, in first pictures of sample programs."""

from __future__ import annotations

import importlib.util
import itertools
import math
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.in_process import capture_function
from jaxscope.model import Graph
from jaxscope.model.units import format_bytes
from jaxscope.picture.layout.diagram import Drawing
from jaxscope.picture.scene.edge_details import LABEL_HEIGHT_PX, EdgeLabel, EdgeLabels
from jaxscope.picture.scene.first_picture import WHOLE_SCALE, Arranger, Viewport
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.scene.side_by_side import LedPair, MeasuredDrawing, align_levels
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.forward_backward import FORWARD_BACKWARD
from jaxscope.picture.view.operations import Style
from jaxscope.picture.view.view import View
from view.programs import trace

ROOT = Path(__file__).parents[2]
ROOMS = {1280: (833.0, 575.0), 1600: (834.0, 745.0), 2560: (1085.0, 1310.0)}
"""The room of a graph in windows of these widths."""
NARROW = ((640.0, 1310.0), (700.0, 1100.0))
"""Like that of the last of three stages side by side."""


def load(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def take_perceptron() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    program = load("docs/programs/mlp.py")
    layers = program.init(jax.random.key(0))
    return jax.grad(program.loss), (layers, jnp.ones((64, 8)), jnp.ones(64))


def take_examples() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    program = load("docs/programs/mlp.py")
    each = jax.vmap(jax.grad(program.loss), in_axes=(None, 0, 0))
    return each, (program.init(jax.random.key(0)), jnp.ones((64, 1, 8)), jnp.ones((64, 1)))


def take_transformer() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    program = load("samples/transformer.py")
    text = program.tokens(jax.random.key(1))
    return jax.grad(program.loss), (program.init(jax.random.key(0)), text)


def take_loops() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return jax.grad(load("samples/control_flow.py").nested), (jnp.ones((5, 7)),)


def take_regression() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    program = load("samples/linear_regression.py")
    data = program.make_data(jax.random.key(1))
    return jax.grad(program.loss), (program.init(jax.random.key(0)), *data)


PROGRAMS = {
    "perceptron": take_perceptron,
    "per example": take_examples,
    "transformer": take_transformer,
    "loops": take_loops,
    "regression": take_regression,
}


@cache
def find_view(name: str, is_optimized: bool) -> View:
    function, arguments = PROGRAMS[name]()
    if is_optimized:  # `compile_module` knows no directions, so no parts
        return build_view(capture_function(function, arguments, {}).stage("optimized").graph)
    return build_view(trace(function, *arguments))


def choose(view: View, width: int) -> Scene:
    return Arranger(view, Viewport(*ROOMS[width]), "down").choose().scene


def list_across(scene: Scene) -> dict[tuple[float, ...], list[int]]:
    """The lines from part to part, by where they leave the forward part."""
    lines, parent = scene.lines, scene.items.parent
    found: dict[tuple[float, ...], list[int]] = {}
    for line in np.flatnonzero(lines.is_residual).tolist():
        if parent[lines.source[line]] == parent[lines.target[line]]:
            found.setdefault(tuple(lines.corners(line)[0].tolist()), []).append(line)
    return found


def count_bytes(graph: Graph, flows: Any) -> int:
    return sum(_size(graph.strings[type_]) for type_ in flows.values())


def _size(type_: str) -> int:
    name, _, rest = type_.partition("[")
    lengths = [int(each) for each in rest.partition("]")[0].split(",") if each]
    of_one = {"pred": 1, "bool": 1}.get(name) or int(name.lstrip("fbiuscp")) // 8
    return int(np.prod(lengths)) * of_one


def list_untold(view: View, scene: Scene) -> Iterator[str]:
    """Lines that part from others without a label of their own bytes, where not all lead on all."""
    labels = EdgeLabels(scene).all()
    heads = {label.line: label.text for label in labels if label.is_head}
    for lines in list_across(scene).values():
        flows = [scene.lines.flows[line] for line in lines]
        every = {number: type_ for each in flows for number, type_ in each.items()}
        whole = format_bytes(count_bytes(view.graph, every))
        is_parted = any(len(each) < len(every) for each in flows)
        for line, each in zip(lines, flows, strict=True):
            own = format_bytes(count_bytes(view.graph, each)) if is_parted else None
            if heads.get(line) != own:
                yield f"{own} of {whole}, told {heads.get(line)}"


CASES = [(name, each) for name in PROGRAMS for each in (False, True)]
CASES.remove(("regression", True))  # of which XLA leaves one part only


@pytest.mark.sweep(2)
@pytest.mark.parametrize("width", ROOMS)
@pytest.mark.parametrize(("name", "is_optimized"), CASES)
def test_what_parts_from_other_residuals_tells_its_own_bytes(
    name: str, is_optimized: bool, width: int
) -> None:
    view = find_view(name, is_optimized)
    assert {box.kind for box in view.boxes} >= set(FORWARD_BACKWARD)
    scene = choose(view, width)
    assert not [*list_untold(view, scene)]


def test_a_layer_keeps_a_factor_for_itself_and_its_tanh_for_the_next_one_as_well() -> None:
    """Of 64 examples and 32 units each, in four bytes: one head is half of the trunk, one all."""
    scene = choose(find_view("perceptron", False), 1280)
    labels = [label for label in EdgeLabels(scene).all() if scene.lines.is_residual[label.line]]
    size = 64 * 32 * 4
    told = [format_bytes(each) for each in (2 * size, size)]
    assert sorted(label.text for label in labels if label.is_head) == sorted(told * 2)
    trunks = [label for label in labels if not label.is_head]
    assert sorted(label.text for label in trunks) == [*[format_bytes(2 * size)] * 2, "256 B"]
    assert all(_begin_of_head(scene, label) for label in labels if label.is_head)


def _begin_of_head(scene: Scene, label: EdgeLabel) -> bool:
    """Whether a label stands behind the place where its line parts from others."""
    start = scene.lines.corners(label.line)[0].tolist()
    forks = [x for x, _ in scene.lines.forks.tolist()]
    return bool(start[0] < min(forks) <= max(forks) < label.x)


def test_inside_a_part_each_branch_with_room_tells_its_own_bytes() -> None:
    """In 31 rows of a transformer's loss, of which one branch has no room in this picture."""
    view = find_view("transformer", False)
    scene = choose(view, 2560)
    lines, told = scene.lines, {label.line: label.text for label in EdgeLabels(scene).all()}
    (box,) = {b.id for b in view.boxes if b.label == "next_token_loss itself backward"}
    group = scene.item_of_id[box]
    rows = np.flatnonzero(lines.is_inner_residual & (lines.source == group)).tolist()
    # The words before softmax and the embedding of 64, what softmax made, and a label of each row.
    rows_, words, width = 2 * 31, 128, 64
    sizes = [rows_ * width * 4, words * width * 4, rows_ * words * 4 + rows_ * 4, rows_ * 4]
    assert sorted(count_bytes(view.graph, lines.flows[row]) for row in rows) == sorted(sizes)
    whole = [
        label.text for label in EdgeLabels(scene).all() if label.text == format_bytes(sum(sizes))
    ]
    assert len(whole) == 1
    parted = [row for row in rows if row in told]
    assert len(parted) >= 3
    for row in parted:
        assert told[row] == format_bytes(count_bytes(view.graph, lines.flows[row]))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("width", ROOMS)
def test_what_belongs_to_neither_part_is_closed_at_first(width: int) -> None:
    """JAX computes the indices of the inner loop once, before both parts of the gradient."""
    view = find_view("loops", False)
    scene = choose(view, width)
    parts = {box.id for box in view.boxes if box.kind in FORWARD_BACKWARD}
    outside = [
        box
        for index, box in enumerate(view.boxes)
        if box.children and box.parent == 0 and index and box.id not in parts
    ]
    assert any(box.label.startswith("scan ×7") for box in outside)
    assert parts <= scene.opened
    assert not [box.label for box in outside if box.id in scene.opened]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("width", ROOMS)
def test_in_a_loop_residuals_tell_what_a_round_keeps_and_outside_what_all_keep(width: int) -> None:
    """Five rounds keep seven f32 and seven i32 each: 28 bytes of each, 280 of both by all."""
    view = find_view("loops", False)
    scene = choose(view, width)
    lines = scene.lines
    texts = [
        (bool(lines.is_inner_residual[label.line]), label.text)
        for label in EdgeLabels(scene).all()
        if lines.is_residual[label.line] or lines.is_inner_residual[label.line]
    ]
    assert sorted(texts) == [(False, "280 B"), *[(True, "5 × 28 B")] * 4]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("width", ROOMS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_line_hugs_the_lower_border_of_an_open_group(name: str, width: int) -> None:
    """Nearer than 10 px, at the smallest scale of ordinary first pictures, it looks like that."""
    scene = choose(find_view(name, False), width)
    lines, items = scene.lines, scene.items
    styles = items.style[: items.num_frames]
    inner = np.flatnonzero(~np.isin(styles, [Style.FORWARD, Style.BACKWARD]))
    frames = [(x, x + w, y + h) for x, y, w, h in items.rect[inner].tolist()]
    for line in np.flatnonzero(lines.is_residual).tolist():
        for (x0, y0), (x1, y1) in itertools.pairwise(lines.corners(line).tolist()):
            left, right = sorted((x0, x1))
            for begin, end, bottom in frames if y0 == y1 else ():
                is_below = left < end - 1 and begin + 1 < right
                assert not (is_below and 0 <= y0 - bottom < 10.0 / WHOLE_SCALE), (y0, bottom)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("room", [ROOMS[1280], ROOMS[1600], (1067.0, 1290.0)])
def test_no_line_of_residuals_crosses_that_of_a_connector_below_a_loop(
    room: tuple[float, float],
) -> None:
    """It came in between the loop and the connector, with room enough below both."""
    scene = Arranger(find_view("loops", False), Viewport(*room), "down").choose().scene
    lines = scene.lines
    pieces = [[*itertools.pairwise(lines.corners(n).tolist())] for n in range(len(lines.source))]
    connectors = np.flatnonzero((lines.source == lines.target) & ~lines.is_return).tolist()
    residuals = np.flatnonzero(lines.is_residual).tolist()
    assert connectors and residuals
    for one, other in itertools.product(connectors, residuals):
        for (begin, end), (start, stop) in itertools.product(pieces[one], pieces[other]):
            if start[1] == stop[1] and begin[1] != end[1]:
                share = (start[1] - begin[1]) / (end[1] - begin[1])
                x = begin[0] + share * (end[0] - begin[0])
                left, right = sorted((start[0], stop[0]))
                assert not (0 < share < 1 and left < x < right), (begin, end, start, stop)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("width", ROOMS)
def test_a_carry_is_named_in_the_middle_of_its_arrow(width: int) -> None:
    """Beside a corner the name looks like a part of it; also where loops are in each other."""
    scene = choose(find_view("loops", False), width)
    labels = {label.line: label for label in EdgeLabels(scene).all()}
    returns = np.flatnonzero(scene.lines.is_return).tolist()
    assert returns
    for line in returns:
        corners = scene.lines.corners(line).tolist()
        pieces = sorted(itertools.pairwise(corners), key=lambda ends: math.dist(*ends))
        (x, y0), (_, y1) = pieces[-1]
        label = labels[line]
        assert label.x + label.width / 2 == pytest.approx(x)
        middle = label.y + LABEL_HEIGHT_PX / 2
        assert abs(middle - (y0 + y1) / 2) < abs(y1 - y0) / 4


@pytest.mark.sweep(4)
@pytest.mark.parametrize("width", ROOMS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_label_hides_where_a_line_of_residuals_begins(name: str, width: int) -> None:
    scene = choose(find_view(name, False), width)
    lines = scene.lines
    for label in EdgeLabels(scene).all():
        if not lines.is_inner_residual[label.line] or lines.source[label.line] == label.group:
            continue
        x, y = lines.corners(label.line)[0].tolist()
        is_above = label.x <= x <= label.x + label.width and y < label.y + LABEL_HEIGHT_PX
        assert not is_above or label.y - y >= 10.0


def take_simple() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return jax.grad(load("samples/quick_start.py").simple_graph), (jnp.ones(1000),)


def take_custom() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return jax.grad(load("samples/custom_rules.py").clipped_square), (jnp.float32(2),)


@pytest.mark.parametrize("width", ROOMS)
@pytest.mark.parametrize("take", [take_simple, take_custom])
def test_rows_of_a_shorter_part_stand_on_the_level_of_what_they_are_joined_with(
    take: Callable[[], tuple[Callable[..., Any], tuple[Any, ...]]], width: int
) -> None:
    """In the one the backward part is shorter, in the other the forward part."""
    function, arguments = take()
    scene = choose(build_view(trace(function, *arguments)), width)
    (lines,) = list_across(scene).values()
    for line in lines:
        levels = scene.lines.corners(line)[:, 1]
        assert np.ptp(levels) < 0.01, "straight"


@pytest.mark.parametrize("seed", range(60))
def test_no_part_becomes_longer_for_rows_on_one_level_and_no_counterparts_part(seed: int) -> None:
    generator = random.Random(seed)

    def stack(num: int) -> MeasuredDrawing:
        along = tuple(generator.choice([26.0, 42.0, 90.0]) for _ in range(num))
        tops = list(itertools.accumulate((each + 30.0 for each in along), initial=0.0))
        middles = tuple(top + each / 2 for top, each in zip(tops, along, strict=False))
        names = {at: f"group {at}" for at in range(num) if generator.random() < 0.3}
        drawing = Drawing((0.0,) * num, middles, (), (), 100.0, tops[-1] - 30.0)
        return MeasuredDrawing(drawing, along, names, 18.0)

    both = stack(generator.randint(1, 6)), stack(generator.randint(1, 6))
    sizes = [len(each.along) for each in both]
    led = [
        LedPair(*map(generator.randrange, sizes), *generator.choices([False, True], k=2))
        for _ in range(generator.randint(0, 4))
    ]
    before, after = align_levels(*both), align_levels(*both, led)
    assert [each.along for each in before] == [each.along for each in after]
    level = [
        (a, b)
        for (a, one), (b, other) in itertools.product(*(each.names.items() for each in both))
        if one == other
        and before[0].y[a] - both[0].along[a] / 2
        == pytest.approx(before[1].y[b] - both[1].along[b] / 2)
    ]
    for a, b in level:
        tops = [
            d.y[at] - each.along[at] / 2 for d, each, at in zip(after, both, (a, b), strict=True)
        ]
        assert tops[0] == pytest.approx(tops[1])
    for drawing, measured in zip(after, both, strict=True):
        ends = [(y - a / 2, y + a / 2) for y, a in zip(drawing.y, measured.along, strict=True)]
        assert all(one[1] + 30.0 <= other[0] + 1e-6 for one, other in itertools.pairwise(ends))
        assert ends[-1][1] <= drawing.along + 1e-6


@pytest.mark.sweep(3)
@pytest.mark.parametrize("room", [*ROOMS.values(), *NARROW])
@pytest.mark.parametrize(("name", "is_optimized"), CASES)
def test_no_other_line_passes_through_bytes(
    name: str, is_optimized: bool, room: tuple[float, float]
) -> None:
    """Lines of all groups count, also those that begin at a connector inside of theirs."""
    scene = Arranger(find_view(name, is_optimized), Viewport(*room), "down").choose().scene
    lines = scene.lines
    ways = [draw(lines.corners(line)) for line in range(len(lines))]
    for label in EdgeLabels(scene).all():
        if not lines.is_inner_residual[label.line]:
            continue
        right, bottom = label.x + label.width, label.y + LABEL_HEIGHT_PX
        for line, way in enumerate(ways):
            if not shares_way(scene, line, label.line):
                assert not is_inside(way, label.x, right, label.y, bottom), (label, line)


def draw(corners: Any) -> np.ndarray:
    """Points of a line that leads down, as it is drawn, close to each other."""
    t = np.linspace(0, 1, 200)[:, None]
    across, along = t * t * (3 - 2 * t), 1.5 * t * (1 - t) + t**3
    points = []
    for begin, end in itertools.pairwise(corners):
        is_straight = bool((begin == end).any())
        shares = np.hstack([t, t] if is_straight else [across, along])
        points.append(begin + (end - begin) * shares)
    return np.concatenate(points)


def is_inside(way: np.ndarray, left: float, right: float, top: float, bottom: float) -> bool:
    (x, y) = way.T
    return bool(((left < x) & (x < right) & (top < y) & (y < bottom)).any())


def shares_way(scene: Scene, line: int, other: int) -> bool:
    """Whether two lines lead the same values from one box."""
    lines = scene.lines
    is_same = lines.source[line] == lines.source[other]
    return bool(is_same) and lines.flows[line] == lines.flows[other]
