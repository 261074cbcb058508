"""How much of a program is drawn: what a picture shows and what it leaves out are all of it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from jaxscope.model import NONE, Graph, is_available
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.labels import detail_when_open, text_of
from jaxscope.picture.view.tree import BranchKind
from jaxscope.picture.view.view import ROOT, View
from jaxscope.ui.canvas.item_text import describe_rest

from .captured import PROGRAM_KINDS, CaptureOf
from .test_calls import FILES, NEEDS
from .test_fates import QUICK, calls_of

NOT_LOOKED_FOR = (
    *("parameter", "tuple", "get-tuple-element", "get_tuple_element", "constant"),
    *("fusion", "call", "jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call"),
)
"""Pass values on, are written in what reads them, or are around what is drawn in their place."""


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    "file",
    [file if file in QUICK else pytest.param(file, marks=pytest.mark.slow) for file in FILES],
)
def test_what_is_drawn_and_what_is_told_to_be_left_out_is_all(
    capture: CaptureOf, file: str
) -> None:
    for library in NEEDS.get(file, ()):
        pytest.importorskip(library)
    for call in calls_of(file):
        for stage in capture(file, call).stages:
            if not is_available(stage.graph):
                continue
            view, counted = build_view(stage.graph), list_counted(stage.graph)
            for opened in (frozenset[str](), view.opened, view.all_groups()):
                scene = build_scene(view, opened)
                frames = frozenset(scene.items.box[: scene.items.num_frames].tolist())
                told = detail_when_open(view, ROOT, text_of(view, view.boxes[ROOT]).detail, frames)
                num, _, left_out = str(told).partition(", ")
                left = counted - find_drawn(view, scene)
                assert read(num) == len(counted), (call, stage.name)
                assert re.fullmatch(r"1 in another box|[\d,]+ in other boxes|", left_out)
                num_left_out = read(left_out) if left_out else 0
                looked_for = {
                    node
                    for node in left - set(view.flow.roles)
                    if stage.graph.operation(node).rpartition(".")[2] not in NOT_LOOKED_FOR
                }
                assert num_left_out == len(looked_for), (call, stage.name, len(opened))
                of_all = describe_rest(view, scene, ROOT).partition(".")[0]
                wanted = f"{len(left):,} of {num}" if left else ""
                assert of_all.partition(": ")[2] == wanted, (call, stage.name, len(opened))


def list_counted(graph: Graph) -> set[int]:
    kinds = [int(kind) for kind in PROGRAM_KINDS]
    return set(np.flatnonzero(np.isin(graph.nodes.kind, kinds)).tolist())


def find_drawn(view: View, scene: Scene) -> set[int]:
    """Nodes that have a box or a frame of their own, or are in a closed group or in a repeat."""
    drawn = set[int]()
    for item, number in enumerate(scene.items.box.tolist()):
        box = view.boxes[number]
        if box.node != NONE and not box.type and box.node not in view.flow.roles:
            drawn.add(box.node)
        is_closed = item >= scene.items.num_frames and bool(box.children)
        if is_closed or box.kind is BranchKind.REPEAT:
            drawn.update(view.nodes_inside(number))
    return drawn


def read(text: str) -> int:
    found = re.search(r"[\d,]+", text)
    assert found is not None
    return int(found[0].replace(",", ""))
