"""A small edit moves little: what it does not touch looks as it did, and is found again."""

from __future__ import annotations

import dataclasses
import string

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model import NONE, Graph, GraphBuilder, NodeKind
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.view import View

from .box_paths import BoxPath, path_of

OPERATIONS = ("sin", "add", "mul", "dot_general", "reduce_sum", "exp", "transpose")
WITHOUT = ("box-repeats",)


@dataclasses.dataclass(frozen=True)
class Equation:
    """An operation in a layer, and how far back its second operand was made."""

    layer: int
    operation: str
    reach: int


def name_of(number: int) -> str:
    """Variables are called as in a printed jaxpr: a, b, … z, ba, …"""
    letters = string.ascii_lowercase
    return (letters[number // 26] if number >= 26 else "") + letters[number % 26]


def program(equations: list[Equation]) -> Graph:
    """A chain through layers, with some values used again later in the same layer."""
    builder = GraphBuilder()
    made = [builder.add_node("in:0", NodeKind.INPUT, "input", types=["f32[8]"])]
    for number, equation in enumerate(equations):
        node = builder.add_node(
            str(number), NodeKind.EQUATION, equation.operation, name=name_of(number),
            types=["f32[8]"], scope=[f"layer_{equation.layer}"],
        )  # fmt: skip
        builder.add_edge(made[-1], node)
        if equation.reach and equation.reach < len(made):
            back = len(made) - 1 - equation.reach
            if back and equations[back - 1].layer == equation.layer:
                builder.add_edge(made[back], node, operand=1)
        made.append(node)
    return builder.build()


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[Equation], int, Equation]:
    """A program, and an equation more at some place."""
    equations = [
        Equation(layer, draw(st.sampled_from(OPERATIONS)), draw(st.integers(0, 4)))
        for layer in range(draw(st.integers(2, 5)))
        for _ in range(draw(st.integers(3, 9)))
    ]
    place = draw(st.integers(1, len(equations) - 1))
    more = Equation(equations[place].layer, draw(st.sampled_from(OPERATIONS)), 0)
    return equations, place, more


def picture(graph: Graph) -> tuple[View, Scene]:
    view = build_view(graph, WITHOUT)
    return view, build_scene(view, view.all_groups())


def places_in_frames(view: View, scene: Scene) -> dict[BoxPath, tuple[float, ...]]:
    """Of every box in a frame, where it is in there, and the frame's size."""
    items = scene.items
    places = {}
    for item, parent in enumerate(items.parent.tolist()):
        if parent != NONE:
            inside = items.rect[item] - [*items.rect[parent, :2], 0.0, 0.0]
            numbers = (*inside.tolist(), *items.rect[parent, 2:].tolist())
            places[path_of(view, int(items.box[item]))] = tuple(round(n, 6) for n in numbers)
    return places


@settings(max_examples=40)
@given(edits())
def test_an_equation_more_moves_nothing_in_the_other_layers(
    edit: tuple[list[Equation], int, Equation],
) -> None:
    equations, place, more = edit
    before = places_in_frames(*picture(program(equations)))
    after = places_in_frames(*picture(program([*equations[:place], more, *equations[place:]])))
    edited = f" layer_{more.layer}"
    others = {path for path in before if path[0][0] != edited}
    assert others
    assert {path: before[path] for path in others} == {path: after[path] for path in others}


def test_widths_do_not_depend_on_the_letters_of_names() -> None:
    def widths(letter: str) -> np.ndarray:
        builder = GraphBuilder()
        builder.add_node("0", NodeKind.EQUATION, "add", name=letter, types=["f32[8,16]"])
        return build_scene(build_view(builder.build())).items.rect[:, 2]

    assert np.array_equal(widths("i"), widths("m"))
    assert np.array_equal(widths("i"), widths("mw"))
