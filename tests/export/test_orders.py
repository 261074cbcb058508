"""What is asked for is what is written: extent, colours, marks, size, one file or several."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from jaxscope.errors import UsageError
from jaxscope.export.choices import ALL_STAGES, EVERYTHING, NOTHING
from jaxscope.export.order import DisplayedGraph, ExportOrder, Look, split_order
from jaxscope.export.render import render_order
from jaxscope.model import Capture, Graph, is_available
from jaxscope.picture.palette import DARK, LIGHT
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.tint.classes import TINT_PALETTES, ColourBy, tint_scene
from jaxscope.picture.view.build import build_view

SVG = "{http://www.w3.org/2000/svg}"
GRAPHS = ["jaxpr", "gradient", "stablehlo", "hlo", "optimized"]


@pytest.fixture(scope="module")
def graph(capture: Capture) -> Graph:
    stage = capture.stage("jaxpr")
    assert stage is not None
    assert is_available(stage.graph)
    return stage.graph


@pytest.fixture(scope="module")
def scene(graph: Graph) -> Scene:
    return build_scene(build_view(graph), direction="right")


def text_of(order: ExportOrder) -> str:
    return render_order(order).data.decode()


def size_of_png(data: bytes) -> tuple[int, int]:
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def words_of(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_what_is_seen_is_the_scene_that_is_seen(capture: Capture, scene: Scene) -> None:
    seen = {"jaxpr": DisplayedGraph(scene)}
    svg = text_of(ExportOrder(capture, "jaxpr", "svg", seen=seen))
    root = ElementTree.fromstring(svg)
    assert float(root.get("width", "")) == pytest.approx(scene.width, abs=0.01)
    ids = [each.get("id") for each in root.iter() if each.get("id")]
    assert len(ids) == len(scene.items)
    dot = text_of(ExportOrder(capture, "jaxpr", "dot", seen=seen))
    assert "rankdir=LR" in dot, "the direction that is seen"
    assert dot.count("[label=") == len(scene.items) + scene.items.num_frames, "frames have titles"


def test_colours_come_with_a_legend_that_tells_them(
    capture: Capture, graph: Graph, scene: Scene
) -> None:
    tint = tint_scene(graph, scene, ColourBy.DIRECTION)
    assert tint is not None
    look = Look(tint, has_legend=True)
    for theme, palette in TINT_PALETTES.items():
        order = ExportOrder(
            capture, "jaxpr", "svg", theme, seen={"jaxpr": DisplayedGraph(scene, look)}
        )
        svg = text_of(order)
        for each in tint.classes:
            assert each.name in words_of(svg)
            assert svg.count(f'fill="{palette.pair(each)[0]}"') > 1, "a box and the legend"
    height = float(ElementTree.fromstring(svg).get("height", ""))
    assert height > scene.height, "the legend stands under the picture, not over it"


def test_outlines_show_what_is_selected_and_linked(capture: Capture, scene: Scene) -> None:
    boxes = np.arange(scene.items.num_frames, len(scene.items))
    look = Look(selected=boxes[:1], forward=boxes[1:2], backward=boxes[2:4], has_legend=True)
    svg = text_of(ExportOrder(capture, "jaxpr", "svg", seen={"jaxpr": DisplayedGraph(scene, look)}))
    for color, count in ((LIGHT.selected, 1), (LIGHT.forward, 1), (LIGHT.backward, 2)):
        outlines = re.findall(rf'fill="none" stroke="{color}"', svg)
        assert len(outlines) == count + 1, "and one in the legend"
    assert {"selected", "linked, forward", "linked, backward"} <= set(words_of(svg))
    look = Look(forward=boxes[1:2], has_legend=True)
    svg = text_of(ExportOrder(capture, "jaxpr", "svg", seen={"jaxpr": DisplayedGraph(scene, look)}))
    told = {each for each in words_of(svg) if each.startswith(("selected", "linked"))}
    assert told == {"linked"}, "there is no backward part, and nothing is selected"


def test_what_is_out_of_focus_is_faint(capture: Capture, scene: Scene) -> None:
    plain = text_of(ExportOrder(capture, "jaxpr", "svg", seen={"jaxpr": DisplayedGraph(scene)}))
    focus = Look(focused=np.array([len(scene.items) - 1]))
    faint = text_of(
        ExportOrder(capture, "jaxpr", "svg", seen={"jaxpr": DisplayedGraph(scene, focus)})
    )
    assert words_of(faint) == words_of(plain)
    title = f'font-weight="bold" text-anchor="middle" fill="{LIGHT.text}"'
    assert faint.count(title) == 1
    assert plain.count(title) > 1


def test_everything_is_a_picture_for_each_stage_and_one_document(capture: Capture) -> None:
    parts = split_order(ExportOrder(capture, ALL_STAGES, "svg"))
    shown = [stage.name for stage in capture.stages if is_available(stage.graph)]
    assert [suffix for suffix, _ in parts] == [f"-{name}" for name in shown]
    assert [part.stage for _, part in parts] == shown
    pdf = ExportOrder(capture, ALL_STAGES, "pdf", "dark")
    assert split_order(pdf) == [("", pdf)]
    assert len(re.findall(rb"/Type /Page\b", render_order(pdf).data)) == len(shown)
    for ending in ("txt", "md"):
        text = text_of(ExportOrder(capture, ALL_STAGES, ending))
        assert all(word in text for word in ("lambda", "module @", "HloModule"))
    data = json.loads(text_of(ExportOrder(capture, ALL_STAGES, "json")))
    assert [stage["name"] for stage in data["stages"]] == [s.name for s in capture.stages]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_every_picture_has_both_themes(capture: Capture, palette: object) -> None:
    name = "light" if palette is LIGHT else "dark"
    ground = (DARK if name == "dark" else LIGHT).background
    for ending in ("svg", "dot"):
        assert ground in text_of(ExportOrder(capture, "jaxpr", ending, name))


def test_a_png_is_as_wide_as_asked_or_says_why_not(
    capture: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered = render_order(ExportOrder(capture, "jaxpr", "png", width_px=640))
    assert size_of_png(rendered.data)[0] == pytest.approx(640, abs=1)
    assert rendered.notes == ()
    monkeypatch.setattr("jaxscope.export.png.MAX_SIDE_PX", 1_600)
    huge = render_order(ExportOrder(capture, "jaxpr", "png", scale=80.0))
    assert 1_500 < max(size_of_png(huge.data)) <= 1_600
    assert "few programs open larger" in huge.notes[0]
    tiny = render_order(ExportOrder(capture, "jaxpr", "png", width_px=20))
    assert "Texts are left out" in tiny.notes[0]


def test_groups_are_opened_as_asked(capture: Capture) -> None:
    boxes = {
        expand: len(words_of(text_of(ExportOrder(capture, "optimized", "svg", expand=expand))))
        for expand in (NOTHING, "30", EVERYTHING)
    }
    assert boxes[NOTHING] < boxes["30"] <= boxes[EVERYTHING]
    for wrong in ("-1", "some", "", "9" * 30, "٣"):
        with pytest.raises(UsageError, match="cannot be opened"):
            render_order(ExportOrder(capture, "optimized", "svg", expand=wrong))


def test_unknown_formats_and_stages_are_refused(capture: Capture) -> None:
    with pytest.raises(UsageError, match=r"no format \.gif"):
        render_order(ExportOrder(capture, "jaxpr", "gif"))
    for ending in ("svg", "png", "pdf", "dot", "html", "md", "txt"):
        with pytest.raises(UsageError, match="no stage fused"):
            render_order(ExportOrder(capture, "fused", ending))
