"""Folding in the exported page, run by a script engine without a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtQml import QJSEngine

import jaxscope.export
from jaxscope.export.html import capture_to_html
from jaxscope.export.page import find_frame_membership
from jaxscope.model import Capture, is_available
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.build import build_view

SCRIPTS = Path(jaxscope.export.__file__).parent
TITLE_PX = 120

pytestmark = pytest.mark.usefixtures("qapp")


class Fold:
    """The page's own rule for where things go when frames are folded."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._engine = QJSEngine()
        homes = find_frame_membership(scene)
        drawing = {
            "items": [
                {
                    "rect": scene.items.rect[item].tolist(),
                    "parent": int(scene.items.parent[item]),
                    "isFrame": item < scene.items.num_frames,
                    "titleWidth": TITLE_PX,
                }
                for item in range(len(scene.items))
            ],
            "stubs": [
                {"rect": rect, "home": home}
                for rect, home in zip(
                    scene.connectors.rect.tolist(), homes.of_connector, strict=True
                )
            ],
            "lines": [
                {"corners": scene.lines.corners(line).tolist(), "home": home}
                for line, home in enumerate(homes.of_line)
            ],
            "size": [scene.width, scene.height],
            "isDown": scene.direction == "down",
        }
        programs = [
            (SCRIPTS / name).read_text(encoding="utf-8")
            for name in ("page_rows.js", "page_place.js")
        ]
        self._evaluate("\n".join([*programs, f"var drawing = {json.dumps(drawing)};"]))

    def places(self, folded: set[int]) -> dict[str, Any]:
        """Rects of items and of stubs, corners of lines, None where hidden, and the size."""
        answer = self._evaluate(
            f"JSON.stringify(placeAll(drawing, new Set({sorted(folded)})))"
        )  # fmt: skip
        return dict(json.loads(answer))

    def _evaluate(self, program: str) -> str:
        answer = self._engine.evaluate(program)
        assert not answer.isError(), (answer.toString(), answer.property("lineNumber").toInt())
        return str(answer.toString())


@pytest.fixture(scope="module", params=["down", "right"])
def fold(capture: Capture, request: pytest.FixtureRequest) -> Fold:
    stage = max(
        (s for s in capture.stages if is_available(s.graph)),
        key=lambda s: len(s.graph.groups) if is_available(s.graph) else 0,
    )
    assert is_available(stage.graph)
    view = build_view(stage.graph)
    scene = build_scene(view, view.all_groups(), direction=request.param)
    assert scene.items.num_frames > 2
    return Fold(scene)


def is_around(scene: Scene, frame: int, item: int) -> bool:
    while item >= 0:
        item = int(scene.items.parent[item])
        if item == frame:
            return True
    return False


def some_folds(scene: Scene, num: int) -> list[set[int]]:
    random = np.random.default_rng(4)
    frames = range(scene.items.num_frames)
    return [set(), set(frames), *({i for i in frames if random.random() < 0.5} for _ in range(num))]


def test_nothing_moves_while_nothing_is_folded(fold: Fold) -> None:
    seen = fold.places(set())
    np.testing.assert_allclose(seen["rects"], fold.scene.items.rect, atol=1e-6)
    for line, corners in enumerate(seen["lines"]):
        np.testing.assert_allclose(corners, fold.scene.lines.corners(line), atol=1e-6)


def test_a_folded_frame_hides_what_is_inside_and_gives_its_room_back(fold: Fold) -> None:
    scene = fold.scene
    area = scene.width * scene.height
    for frame in range(scene.items.num_frames):
        seen = fold.places({frame})
        for item, rect in enumerate(seen["rects"]):
            assert (rect is None) == is_around(scene, frame, item)
        width, height = seen["size"]
        assert width * height < area * 1.01
    outermost = {i for i in range(scene.items.num_frames) if scene.items.parent[i] < 0}
    width, height = fold.places(outermost)["size"]
    assert width * height < 0.5 * area, "no gap is left where something was"


def test_a_frame_stays_as_it_is_while_something_beside_it_is_folded(fold: Fold) -> None:
    scene = fold.scene
    frame = next(
        f
        for f in range(scene.items.num_frames)
        if not any(scene.items.parent[g] == f for g in range(scene.items.num_frames))
    )
    others = {
        f
        for f in range(scene.items.num_frames)
        if f != frame and not is_around(scene, f, frame)
    }  # fmt: skip
    assert others
    rects = fold.places(others)["rects"]
    for item in np.flatnonzero(scene.items.parent == frame).tolist():
        moved = np.subtract(rects[item], rects[frame])[:2]
        was = np.subtract(scene.items.rect[item], scene.items.rect[frame])[:2]
        np.testing.assert_allclose(moved, was, atol=1e-6)


def test_whatever_is_folded_nothing_overlaps_and_all_is_inside(fold: Fold) -> None:
    scene = fold.scene
    for folded in some_folds(scene, 25):
        seen = fold.places(folded)
        width, height = seen["size"]
        boxes = [(i, rect) for i, rect in enumerate(seen["rects"]) if rect is not None]
        boxes += [(-2, rect) for rect in seen["stubs"] if rect is not None]
        for at, (one, (x, y, w, h)) in enumerate(boxes):
            assert x > -0.01
            assert y > -0.01
            assert x + w < width + 0.01
            assert y + h < height + 0.01
            for other, (left, top, wide, high) in boxes[at + 1 :]:
                is_apart = (
                    x + w <= left + 0.01
                    or left + wide <= x + 0.01
                    or y + h <= top + 0.01
                    or top + high <= y + 0.01
                )
                is_inside = left > x - 0.01 and top > y - 0.01 and left + wide < x + w + 0.01
                assert is_apart or is_inside, (folded, one, other)


def test_lines_end_where_they_ended_before(fold: Fold) -> None:
    """At the border of the item that they come from or lead to, whatever its size is now."""
    scene = fold.scene
    items, lines = scene.items, scene.lines
    for folded in some_folds(scene, 8):
        seen = fold.places(folded)
        for line, corners in enumerate(seen["lines"]):
            if corners is None or lines.source[line] == lines.target[line]:
                continue
            assert np.isfinite(corners).all()
            for item, (x, y) in (
                (lines.source[line], corners[0]),
                (lines.target[line], corners[-1]),
            ):
                left, top, width, height = seen["rects"][item]
                assert left - 1 < x < left + width + 1, (folded, line, items.titles[item])
                assert top - 1 < y < top + height + 1, (folded, line, items.titles[item])


def test_every_sign_can_be_pressed_by_keyboard_and_told_by_a_screen_reader(
    capture: Capture,
) -> None:
    page = capture_to_html(capture)
    signs = re.findall(r'<text class="sign"([^>]*)>', page)
    assert len(signs) > 4
    assert all('role="button"' in s and "aria-label=" in s and "aria-expanded=" in s for s in signs)
    frames: list[Any] = re.findall(r'data-id="([^"]*)"', page)
    for inside in re.findall(r'data-inside="([^"]*)"', page):
        assert inside in frames, "what a closed box leads to is drawn"
