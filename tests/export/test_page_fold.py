"""Folding in the exported page, run by a script engine without a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtQml import QJSEngine

import jaxscope.analysis.export
from jaxscope.analysis.export.html import capture_to_html
from jaxscope.analysis.layout.compose import build_scene
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.view.build import build_view
from jaxscope.model import Capture, is_available

SCRIPT = Path(jaxscope.analysis.export.__file__).parent / "page_fold.js"
HEADER = 34.0


class Fold:
    """The page's own rule for where things go when frames are folded."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._engine = QJSEngine()
        items = [
            {
                "rect": scene.items.rect[item].tolist(),
                "parent": int(scene.items.parent[item]),
                "isFrame": item < scene.items.num_frames,
                "titleWidth": 120,
            }
            for item in range(len(scene.items))
        ]
        program = SCRIPT.read_text(encoding="utf-8")
        self._evaluate(f"{program}\nvar items = {json.dumps(items)};")

    def rects(self, folded: set[int]) -> dict[int, tuple[float, float, float, float]]:
        """Left, top, right, bottom of everything that is seen."""
        answer = self._evaluate(
            f"(() => {{ const folded = new Set({sorted(folded)});"
            "const maps = foldMaps(items, [], folded);"
            "return JSON.stringify(items.map(({ rect: [x, y, w, h] }, i) => maps.hidden[i] ? null :"
            "[maps.x(x), maps.y(y), maps.x(x + w),"
            f"folded.has(i) ? maps.y(y) + {HEADER} : maps.y(y + h)])); }})()"
        )
        return {i: tuple(rect) for i, rect in enumerate(json.loads(answer)) if rect is not None}

    def _evaluate(self, program: str) -> str:
        answer = self._engine.evaluate(program)
        assert not answer.isError(), answer.toString()
        return str(answer.toString())


@pytest.fixture(scope="module")
def fold(capture: Capture) -> Fold:
    stage = max(
        (s for s in capture.stages if is_available(s.graph)),
        key=lambda s: len(s.graph.groups) if is_available(s.graph) else 0,
    )
    assert is_available(stage.graph)
    view = build_view(stage.graph)
    scene = build_scene(view, view.all_groups())
    assert scene.items.num_frames > 2
    return Fold(scene)


def is_around(scene: Scene, frame: int, item: int) -> bool:
    while item >= 0:
        item = int(scene.items.parent[item])
        if item == frame:
            return True
    return False


@pytest.mark.usefixtures("qapp")
def test_nothing_moves_while_nothing_is_folded(fold: Fold) -> None:
    for item, (left, top, right, bottom) in fold.rects(set()).items():
        x, y, width, height = fold.scene.items.rect[item].tolist()
        assert (left, top, right, bottom) == pytest.approx((x, y, x + width, y + height))


@pytest.mark.usefixtures("qapp")
def test_a_folded_frame_hides_what_is_inside_and_gives_room_back(fold: Fold) -> None:
    scene = fold.scene
    whole = fold.rects(set())
    for frame in range(scene.items.num_frames):
        seen = fold.rects({frame})
        assert frame in seen
        assert not [item for item in seen if is_around(scene, frame, item)]
        assert max(r[3] for r in seen.values()) <= max(r[3] for r in whole.values())
    outermost = {i for i in range(scene.items.num_frames) if scene.items.parent[i] < 0}
    lowest = max(rect[3] for rect in fold.rects(outermost).values())
    assert lowest < 0.7 * max(rect[3] for rect in whole.values())


@pytest.mark.usefixtures("qapp")
def test_whatever_is_folded_no_two_boxes_overlap(fold: Fold) -> None:
    scene, random = fold.scene, np.random.default_rng(4)
    for _ in range(25):
        folded = {i for i in range(scene.items.num_frames) if random.random() < 0.5}
        seen = fold.rects(folded)
        boxes = sorted(seen)
        for at, one in enumerate(boxes):
            for other in boxes[at + 1 :]:
                if is_around(scene, one, other) or is_around(scene, other, one):
                    continue
                a, b = seen[one], seen[other]
                apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
                assert apart, (folded, one, other)


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
