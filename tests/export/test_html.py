"""The page is one file, needs nothing from outside, and links as the window does."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import json
import re
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtQml import QJSEngine

import jaxscope.export
from jaxscope.errors import UsageError
from jaxscope.export.html import build_page_data, capture_to_html
from jaxscope.in_process import capture_function
from jaxscope.model import Capture, is_available
from jaxscope.program.links import LineSelection, LinkIndex, Links, NodeSelection
from tests.fates import told_wrong

SCRIPTS = Path(jaxscope.export.__file__).parent
Halves = tuple[set[int], set[int]]
"""Linked nodes: those of the forward part and the rest, then those of the backward part."""

ADDRESS_ATTRIBUTES = {"src", "href", "action", "srcset", "xlink:href"}


class Page(html.parser.HTMLParser):
    """What a browser would see: elements with attributes, scripts, styles, the policy."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in self.texts:
            self._inside = tag
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[self._inside][-1] += data

    @property
    def policy(self) -> str:
        return next(
            attributes["content"] or ""
            for tag, attributes in self.elements
            if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
        )


def check_is_closed(page: Page) -> None:
    """Nothing can be fetched, and only the page's own script and style may act."""
    assert page.policy.startswith("default-src 'none';")
    assert "unsafe" not in page.policy
    data, script = page.texts["script"]
    json.loads(data)
    for kind, text in (("script", script), ("style", page.texts["style"][0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in page.policy
    for tag, attributes in page.elements:
        assert not ADDRESS_ATTRIBUTES & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")], tag
        assert "style" not in attributes, "the policy would ignore it"


@pytest.mark.slow
def test_the_page_is_closed(capture: Capture) -> None:
    check_is_closed(Page(capture_to_html(capture)))


def test_hostile_text_stays_text(capture: Capture, hostile: Capture) -> None:
    text = capture_to_html(hostile)
    page = Page(text)
    check_is_closed(page)
    tags = [tag for tag, _ in Page(capture_to_html(capture)).elements]
    assert [tag for tag, _ in page.elements] == tags, "no element was smuggled in"
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_every_graph_is_drawn_and_knows_its_nodes(capture: Capture) -> None:
    page = Page(capture_to_html(capture))
    templates = [a["id"] or "" for tag, a in page.elements if tag == "template"]
    drawings = [name for name in templates if name.startswith("drawing-")]
    graphs = [i for i, stage in enumerate(capture.stages) if is_available(stage.graph)]
    assert drawings == [f"drawing-{index}" for index in graphs]
    linked = [a["data-nodes"] for _, a in page.elements if "data-nodes" in a]
    assert len(linked) > len(graphs)
    assert all(re.fullmatch(r"\d+( \d+)*", nodes or "") for nodes in linked)


def test_an_unknown_stage(capture: Capture) -> None:
    with pytest.raises(UsageError):
        capture_to_html(capture, "fused")


class PageScript:
    """The page's own rule of linking, run on its data by a script engine without a browser."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._engine = QJSEngine()
        program = (SCRIPTS / "page_links.js").read_text(encoding="utf-8")
        self._evaluate(f"const data = {json.dumps(data)};\n{program}")

    def linked(self, stage: int, node: int) -> list[Halves]:
        """Nodes linked to a node, for each stage."""
        return self._ask(f"linksOfNodes({stage}, new Set([{node}]))")

    def linked_to_line(self, line: str) -> list[Halves]:
        """Nodes linked to a source line such as `0:12`, for each stage."""
        return self._ask(f"linksOfLine('{line}')")

    def _ask(self, question: str) -> list[Halves]:
        answer = self._evaluate(
            f"JSON.stringify({question}.stages.map((s) => [[...s.nodes], [...s.backward]]))"
        )
        return [(set(nodes) - set(back), set(back)) for nodes, back in json.loads(answer)]

    def _evaluate(self, program: str) -> str:
        answer = self._engine.evaluate(program)
        assert not answer.isError(), answer.toString()
        return str(answer.toString())


def nodes_of(links: Links, stage: str) -> Halves:
    """What the window would light up in a stage, the selection itself left out."""
    linked = links.stages.get(stage)
    if linked is None:
        return set(), set()
    return set(linked.forward.tolist()), set(linked.backward.tolist())


@pytest.mark.usefixtures("qapp")
def test_the_page_tells_calls_of_a_shared_function_apart() -> None:
    square = np.ones((8, 8), np.float32)
    check_page_links(capture_function(told_wrong.three_relus, (square,) * 4, {}))


@pytest.mark.usefixtures("qapp")
def test_the_page_links_nodes_as_the_window_does(capture: Capture) -> None:
    assert check_page_links(capture).min() > 50, "both colours are seen"


def check_page_links(capture: Capture) -> npt.NDArray[np.int64]:
    """Compare the page's links of nodes with the window's; how many there are of each colour."""
    script = PageScript(build_page_data(capture, "optimized"))
    index = LinkIndex(capture.stages)
    num_links = np.zeros(2, np.int64)
    for number, stage in enumerate(capture.stages):
        if not is_available(stage.graph):
            continue
        for node in range(0, len(stage.graph.nodes), 3):
            links = index.find_links(NodeSelection(stage.name, (node,)))
            by_page = script.linked(number, node)
            for other, nodes in zip(capture.stages, by_page, strict=True):
                own = {node} if other is stage else set()
                forward, backward = (half - own for half in nodes)
                assert (forward, backward) == nodes_of(links, other.name), (stage.name, node)
                num_links += [len(forward), len(backward)]
    return num_links


@pytest.mark.usefixtures("qapp")
def test_the_page_links_lines_as_the_window_does(capture: Capture) -> None:
    script = PageScript(build_page_data(capture, "optimized"))
    index = LinkIndex(capture.stages)
    num_links = 0
    for number, file in enumerate(capture.files):
        for line in range(1, file.text.count("\n") + 1):
            links = index.find_links(LineSelection(file.path, line))
            for stage, nodes in zip(
                capture.stages, script.linked_to_line(f"{number}:{line}"), strict=True
            ):
                assert nodes == nodes_of(links, stage.name), (line, stage.name)
                num_links += len(nodes[0]) + len(nodes[1])
    assert num_links > 20


def test_a_group_says_how_many_and_a_residual_its_bytes_in_its_color() -> None:
    def loss(x: jax.Array) -> jax.Array:
        return jnp.sum(jnp.sin(x) * 2.0)

    page = capture_to_html(capture_function(jax.grad(loss), (jnp.ones(1000),), {}))
    counts = re.findall(r"(forward|backward)[^<]*<tspan[^>]*>(\d+) equations?", page)
    assert [part for part, _ in counts] == ["forward", "backward"]
    jaxpr = jax.make_jaxpr(jax.grad(loss))(jnp.ones(1000))
    assert sum(int(count) for _, count in counts) == len(jaxpr.eqns)
    assert re.search(r'class="detail middle kept"[^>]*>3\.91 KiB<', page)
    assert re.search(r"svg \.detail\.kept \{ fill: #", page)
