"""Large programs: every format is written, and says what it leaves out."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import itertools
import json

import numpy as np
import pytest

from jaxscope.export import html, render
from jaxscope.export.choices import EVERYTHING
from jaxscope.export.html import capture_to_html, write_page
from jaxscope.export.order import ExportOrder
from jaxscope.export.render import render_order
from jaxscope.model import Capture, Graph, GraphBuilder, GroupKind, NodeKind, StageText

NUM_LAYERS, PER_LAYER = 60, 50
NUM_EQUATIONS = NUM_LAYERS * PER_LAYER


def build_layers(num_layers: int = NUM_LAYERS) -> Graph:
    """Fifty equations in each of many groups, each group of its own structure."""
    builder = GraphBuilder()
    last = builder.add_node("in:0", NodeKind.INPUT, "input", types=["f32[8]"])
    random = np.random.default_rng(0)
    for layer in range(num_layers):
        group = builder.add_group(f"g{layer}", GroupKind.SCOPE, f"layer_{layer}")
        inside = [last]
        for _ in range(PER_LAYER):
            number = layer * PER_LAYER + len(inside)
            node = builder.add_node(
                str(number), NodeKind.EQUATION, str(random.choice(["add", "mul", "sin", "dot"])),
                group=group, types=["f32[8]"], scope=[f"layer_{layer}"],
            )  # fmt: skip
            for source in {inside[-1], inside[int(random.integers(len(inside)))]}:
                builder.add_edge(source, node, type="f32[8]")
            inside.append(node)
        last = inside[-1]
    return builder.build()


@pytest.fixture(scope="module")
def large(capture: Capture) -> Capture:
    return capture_of(build_layers(), capture)


def capture_of(graph: Graph, capture: Capture) -> Capture:
    lines = np.arange(len(graph.nodes), dtype=np.int32)
    text = StageText("\n".join(f"line {i} = add" for i in lines.tolist()), lines)
    stage = dataclasses.replace(capture.stages[0], graph=graph, text=text)
    return dataclasses.replace(capture, stages=(stage,))


def order(capture: Capture, ending: str, expand: str = EVERYTHING) -> ExportOrder:
    return ExportOrder(capture, capture.stages[0].name, ending, expand=expand)


@pytest.mark.parametrize("num_layers", [40, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_thousands_of_equations_are_drawn_whole(capture: Capture, num_layers: int) -> None:
    large, total = capture_of(build_layers(num_layers), capture), num_layers * PER_LAYER
    svg = render_order(order(large, "svg"))
    assert svg.notes == ()
    assert svg.data.count(b'font-weight="bold"') > total
    assert len(svg.data) < 2e3 * total
    dot = render_order(order(large, "dot"))
    assert dot.data.count(b"[label=") > total * 0.9


@pytest.mark.slow
def test_a_png_of_them_leaves_out_what_cannot_be_read(
    large: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jaxscope.export.png.MAX_SIDE_PX", 1_000)
    png = render_order(order(large, "png"))
    assert len(png.notes) == 2
    assert "few programs open larger" in png.notes[0]
    assert "Texts are left out" in png.notes[1]


def test_a_pdf_of_them_says_how_small_it_is(large: Capture) -> None:
    assert "PDF allows sides of 5 m" in render_order(order(large, "pdf", "1000")).notes[0]


def test_groups_beyond_the_limit_stay_closed_and_are_counted(
    large: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "MAX_DRAWN_BOXES", 800)
    svg = render_order(order(large, "svg"))
    assert "groups closed" in svg.notes[0]
    assert svg.data.count(b'font-weight="bold"') < 1_000


@pytest.mark.slow
def test_a_page_says_what_it_leaves_out(large: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "MAX_DETAILED_NODES", 1_500)
    monkeypatch.setattr(html, "MAX_LINES", 1_500)
    page = render_order(order(large, "html"))
    assert "no inspector entries" in page.notes[0]
    assert f"1,500 of the {NUM_EQUATIONS + 1:,} lines" in page.notes[1]
    packed = page.data[page.data.index(b'id="packed">') + 12 :]
    content = gzip.decompress(base64.b64decode(packed[: packed.index(b"<")]))
    assert b'"maxLines":1500' in content


@pytest.mark.slow
def test_no_part_of_a_page_takes_a_window_s_time(
    capture: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that works on one long string lets no other thread of Python move meanwhile."""
    monkeypatch.setattr(html, "PACKED_FROM", 1 << 40)
    large = capture_of(build_layers(200), capture)
    stage = large.stages[0].name
    steps: list[float] = []
    parts: list[str] = []
    after: list[int] = []
    for part in write_page(large, stage, on_step=lambda _doing, share: steps.append(share)):
        parts.append(part)
        after.append(len(steps))
    begin = next(at for at, part in enumerate(parts) if 'id="data"' in part)
    columns = parts[begin + 1 :]
    total = sum(map(len, columns))
    assert max(map(len, columns)) < total / 10, "rows are spelt a thousand at a time"
    told = [at for at, (one, other) in enumerate(itertools.pairwise(after)) if one != other]
    assert len(told) > len(columns) / 4, "between them it is told how far it is, and can be stopped"
    data = "".join(columns).removesuffix("</script>" + parts[-1])
    (read,) = json.loads(data)["stages"]
    assert len(read["group"]) == len(large.stages[0].graph.nodes)


@pytest.mark.slow
def test_a_large_page_holds_the_same_compressed(
    large: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = capture_to_html(large, "jaxpr")
    monkeypatch.setattr(html, "PACKED_FROM", 1 << 40)
    plain = capture_to_html(large, "jaxpr")
    packed = page[page.index('id="packed">') + len('id="packed">') :]
    content = gzip.decompress(base64.b64decode(packed[: packed.index("<")])).decode()
    assert content in plain
    assert 'id="data"' in content
    assert len(page) < len(plain) / 4
