"""Lines that cross in pictures of real programs: our layout against Graphviz's `dot`.

python -m bench.crossings [CAPTURE.jaxscope …]     counts as JSON; the samples where none is named

Every group of every graph of a program is laid out, all open, as the window draws them. Both
engines get the same diagrams, with the same places where lines meet open groups; groups that `dot`
does not lay out within its limits are left out of both counts. `alone` and `following` count all
groups of our own pictures: with ports in the order that suits each group's inside, and as they are
drawn, where ports follow the lines around them. `bends` and `turns` are of our layout of all
groups: how often lines lead aside, and how often to one side after the other.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator

import jaxscope
from bench.engines import count_bends, count_crossings
from jaxscope.model import Capture, is_available
from jaxscope.picture.layout.diagram import Diagram, Drawing, Spacing
from jaxscope.picture.layout.engines import find_graphviz, layout_by_graphviz
from jaxscope.picture.layout.layered import layout_layered
from jaxscope.picture.scene.build import SceneMemory, build_scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.view import View

CALLS = (
    ("samples/quick_start.py", "grad(simple_graph)(f32[1000])"),
    ("samples/control_flow.py", "grad(nested)(f32[5, 7])"),
    ("samples/linear_regression.py", "grad(loss)(init(key(0)), *make_data(key(1)))"),
    ("samples/transformer.py", "grad(loss)(init(key(0)), tokens(key(1)))"),
    ("docs/programs/mlp.py", "grad(loss)(init(key(0)), f32[64, 8], f32[64])"),
    ("docs/programs/mlp.py", "vmap(grad(loss), in_axes=(None, 0, 0))"
     "(init(key(0)), f32[64, 1, 8], f32[64, 1])"),
)  # fmt: skip


def diagrams_of(capture: Capture) -> Iterator[Diagram]:
    """Every group of every graph, as it is laid out with all groups open."""
    for stage in capture.stages:
        if is_available(stage.graph):
            view, cache = build_view(stage.graph), dict[object, Drawing]()
            build_scene(view, view.all_groups(), cache=cache, follows=False)
            for key in cache:
                assert isinstance(key, tuple)
                diagram = key[0]
                assert isinstance(diagram, Diagram)
                if diagram.links and not diagram.loose:
                    yield diagram


def count_drawn(view: View, *, follows: bool) -> int:
    """Crossings in a picture with all groups open."""
    memory = SceneMemory()
    build_scene(view, view.all_groups(), memory=memory, follows=follows)
    assert memory.latest is not None
    total = 0
    for drawing in memory.latest.drawings.values():
        stops = drawing.lines[:, 0].cumsum().tolist()
        routes = [
            tuple((x, y) for x, y in drawing.points[start:stop].tolist())
            for start, stop in itertools.pairwise([0, *stops])
        ]
        total += count_crossings(routes)
    return total


def count(captures: list[Capture]) -> dict[str, int]:
    """Crossings of both engines, over the groups that both lay out."""
    program, spacing = find_graphviz(), Spacing()
    names = (
        "groups",
        "own",
        "dot",
        "left_out",
        "own_of_left_out",
        "alone",
        "following",
        "bends",
        "turns",
    )
    found = dict.fromkeys(names, 0)
    for capture in captures:
        for stage in capture.stages:
            if is_available(stage.graph):
                view = build_view(stage.graph)
                found["alone"] += count_drawn(view, follows=False)
                found["following"] += count_drawn(view, follows=True)
        for diagram in diagrams_of(capture):
            routes = layout_layered(diagram, spacing).routes
            own, (num_bends, num_turns) = count_crossings(routes), count_bends(routes)
            found["bends"] += num_bends
            found["turns"] += num_turns
            other = (
                layout_by_graphviz(diagram, spacing, program, lambda: False) if program else None
            )
            if isinstance(other, Drawing):
                found["groups"] += 1
                found["own"] += own
                found["dot"] += count_crossings(other.routes)
            else:
                found["left_out"] += 1
                found["own_of_left_out"] += own
    return found


if __name__ == "__main__":
    if sys.argv[1:]:
        opened = [jaxscope.load(path) for path in sys.argv[1:]]
    else:
        opened = [jaxscope.capture_file(file, call) for file, call in CALLS]
    print(json.dumps(count(opened)))
