"""Exports: what a scene holds is in the file, whatever names a program uses."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zlib

import jax
import jax.numpy as jnp
import pytest

from jaxscope.export.dot import graph_to_dot, scene_to_dot
from jaxscope.export.pdf import pictures_to_pdf
from jaxscope.export.picture import make_picture
from jaxscope.export.png import MAX_SIDE_PX, fit_scale, scene_to_png
from jaxscope.export.svg import scene_to_svg_parts
from jaxscope.model import Graph, GraphBuilder, NodeKind
from jaxscope.picture.palette import DARK, LIGHT, Palette
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.build import build_view
from view.programs import layers, trace

SVG = "{http://www.w3.org/2000/svg}"


def scene_to_svg(scene: Scene, theme: str = "light", title: str = "") -> str:
    return "".join(scene_to_svg_parts(scene, theme, title))


def scene_to_pdf(scene: Scene, theme: str = "light", title: str = "") -> bytes:
    return pictures_to_pdf([(title, make_picture(scene, theme))], title)


@pytest.fixture(scope="module")
def graph() -> Graph:
    function, arguments = layers(3)
    return trace(jax.grad(function), *arguments)


@pytest.fixture(scope="module")
def scene(graph: Graph) -> Scene:
    return build_scene(build_view(graph))


def hostile_scene() -> Scene:
    builder = GraphBuilder()
    path = 'λ<script>alert("α")</script>&\x00\x1b[31m'
    builder.add_node("in:0", NodeKind.INPUT, "input", attributes={"path": path}, types=["f32[<&>]"])
    builder.add_node('"; } evil', NodeKind.EQUATION, 'add"\\', name="\n")
    return build_scene(build_view(builder.build()))


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_svg_has_every_text(scene: Scene) -> None:
    found = texts(scene_to_svg(scene))
    for title in (*scene.items.titles, *scene.items.details, *scene.connectors.texts):
        assert not title or title in found


def test_svg_stays_well_formed_with_any_name() -> None:
    svg = scene_to_svg(hostile_scene(), title="<&>")
    assert "<script" not in svg
    assert "\x1b" not in svg
    assert any(text.startswith("λ<script>") for text in texts(svg))


def test_svg_ids_are_unique(scene: Scene) -> None:
    ids = [e.get("id") for e in ElementTree.fromstring(scene_to_svg(scene)).iter() if e.get("id")]
    assert len(ids) == len(set(ids)) == len(scene.items)


@pytest.mark.parametrize(("theme", "palette"), [("light", LIGHT), ("dark", DARK)])
def test_both_themes_have_their_colours(scene: Scene, theme: str, palette: Palette) -> None:
    assert palette.background in scene_to_svg(scene, theme)


def test_png_is_as_large_as_asked(scene: Scene) -> None:
    data = scene_to_png(scene, scale=0.5)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(data[i : i + 4], "big") for i in (16, 20))
    assert abs(width - scene.width * 0.5) <= 1
    assert abs(height - scene.height * 0.5) <= 1


def test_png_draws_text_with_the_bundled_font() -> None:
    builder = GraphBuilder()
    builder.add_node("0", NodeKind.EQUATION, "iiii")
    builder.add_node("1", NodeKind.EQUATION, "MMMM")
    with_text = build_scene(build_view(builder.build()))
    assert ink(scene_to_png(with_text, scale=1.0)) > 0


def ink(png: bytes) -> int:
    """Bytes of the picture's data that are near the text's colour."""
    chunks, at = b"", 8
    while at < len(png):
        size = int.from_bytes(png[at : at + 4], "big")
        if png[at + 4 : at + 8] == b"IDAT":
            chunks += png[at + 8 : at + 8 + size]
        at += size + 12
    return sum(byte == 0x1B for byte in zlib.decompress(chunks))


def test_very_large_pictures_are_scaled_down() -> None:
    assert fit_scale(100, 100, 2.0) == 2.0
    assert fit_scale(100, 1_000_000, 2.0) * 1_000_000 <= MAX_SIDE_PX
    with pytest.raises(ValueError, match="cannot be"):
        scene_to_png(hostile_scene(), scale=0)


def test_pdf_is_one_page_with_embedded_fonts(scene: Scene) -> None:
    pdf = scene_to_pdf(scene, title="λ")
    assert pdf.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", pdf)) == 1
    assert pdf.count(b"/FontFile2") == 2
    assert scene_to_pdf(hostile_scene(), "dark").startswith(b"%PDF-")


def test_an_empty_scene_is_an_empty_picture() -> None:
    empty = build_scene(build_view(GraphBuilder().build()))
    ElementTree.fromstring(scene_to_svg(empty))
    assert scene_to_png(empty).startswith(b"\x89PNG")
    assert scene_to_pdf(empty).startswith(b"%PDF")
    assert scene_to_dot(empty).startswith("digraph")


def test_dot_has_every_node_and_edge(graph: Graph) -> None:
    dot = graph_to_dot(graph)
    assert len(re.findall(r"^\s*n\d+ \[", dot, re.M)) == len(graph.nodes)
    assert len(re.findall(r"^\s*n\d+ -> n\d+", dot, re.M)) == len(graph.edges)
    assert dot.count("subgraph cluster_") == len(graph.groups)
    assert dot.count("{") == dot.count("}")


def test_dot_of_a_scene_has_its_boxes_and_frames(scene: Scene) -> None:
    dot = scene_to_dot(scene)
    assert dot.count("subgraph cluster_") == scene.items.num_frames
    assert len(re.findall(r"^\s*i\d+ \[label", dot, re.M)) == len(scene.items)
    assert dot.count("style=invis") == scene.items.num_frames, "a point in each frame"


def test_dot_quotes_names() -> None:
    dot = scene_to_dot(hostile_scene())
    assert 'add\\"\\\\' in dot
    assert "\x1b" not in dot


def test_exports_need_no_window_and_no_jax() -> None:
    modules = ["svg", "png", "pdf", "dot"]
    imports = "; ".join(f"import jaxscope.export.{name}" for name in modules)
    check = f"{imports}; import sys; print([m for m in ('PySide6', 'jax') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_program_of_one_line_is_a_small_picture() -> None:
    scene = build_scene(build_view(trace(lambda x: jnp.sin(x), jnp.ones(3))))
    assert scene.width < 200
    assert scene.height < 260
