"""A function that is written in the call itself has no file and no line, and says so."""

from __future__ import annotations

import pytest

from jaxscope.analysis.export.contract_json import capture_to_json
from jaxscope.analysis.export.markdown import capture_to_markdown
from jaxscope.analysis.links import NO_LINKS
from jaxscope.client import run
from jaxscope.model import Capture, Graph, NodeKind
from jaxscope.ui.fate_reading import FateReader
from jaxscope.ui.inspection import describe_node


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    file = tmp_path_factory.mktemp("typed") / "program.py"
    file.write_text("import jax.numpy as jnp\n")
    return run.capture(str(file), "grad(lambda x: jnp.sum(jnp.sin(x)))(f32[3])")


def test_json_has_its_text_and_its_place(capture: Capture) -> None:
    source = capture_to_json(capture)["source"]
    assert source == {
        "file": "",
        "line": 0,
        "text": "lambda x: jnp.sum(jnp.sin(x))",
        "place": "typed in the call",
    }


def test_a_report_says_so(capture: Capture) -> None:
    text = capture_to_markdown(capture)
    assert "Typed in the call:" in text
    assert "Line 0" not in text


def test_the_inspector_says_so(capture: Capture, qapp: object) -> None:
    del qapp
    reader = FateReader()
    reader.read(capture)
    stage = capture.stage("jaxpr")
    assert stage is not None and isinstance(stage.graph, Graph)
    kinds = stage.graph.nodes.kind.tolist()
    html = describe_node(stage, kinds.index(NodeKind.EQUATION), NO_LINKS, "#888", reader)
    assert "typed" in html
