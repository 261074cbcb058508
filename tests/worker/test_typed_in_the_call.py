"""Where a call's function is: typed in the call, offered by a comment, or defined in no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client import one_shot
from jaxscope.errors import TraceError
from jaxscope.export.capture_json import capture_to_json
from jaxscope.export.markdown import capture_to_markdown
from jaxscope.model import Capture, Graph, NodeKind
from jaxscope.program.links import NO_LINKS
from jaxscope.ui.selection.capture_facts import FateReader
from jaxscope.ui.selection.inspector import describe_node
from jaxscope.worker.faults.explain import guard
from jaxscope.worker.host.call import call_namespace, parse_call


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    file = tmp_path_factory.mktemp("typed") / "program.py"
    file.write_text("import jax.numpy as jnp\n")
    return one_shot.capture(str(file), "grad(lambda x: jnp.sum(jnp.sin(x)))(f32[3])")


def test_json_has_its_text_and_its_place(capture: Capture) -> None:
    source = capture_to_json(capture)["source"]
    assert source == {
        "file": capture.files[0].path,
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


OFFERS = """import functools

import jax
import jax.numpy as jnp

# jaxscope: grad(lambda x: jnp.sum(jnp.sin(inner(x))))(f32[3])


def inner(x):
    return jnp.tanh(x)


space = {}
exec("def made(x):\\n    return x * x\\n", space)
made = space["made"]
"""
OFFERED = "grad(lambda x: jnp.sum(jnp.sin(inner(x))))(f32[3])"


@pytest.fixture(scope="module")
def offering(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("offered") / "program.py"
    file.write_text(OFFERS)
    return file


def test_what_a_comment_offers_has_the_comments_line_in_every_stage(offering: Path) -> None:
    offered = one_shot.capture(str(offering), OFFERED)
    source = capture_to_json(offered)["source"]
    assert source["file"] == str(offering) and source["line"] == 6
    assert source["text"] == "lambda x: jnp.sum(jnp.sin(inner(x)))"
    comment = OFFERS.split("\n")[5]
    for name in ("jaxpr", "grad", "stablehlo", "hlo", "optimized"):
        stage = offered.stage(name)
        assert stage is not None and isinstance(stage.graph, Graph)
        places = [p for i in range(len(stage.graph.nodes)) for p in stage.graph.source(i)]
        assert {place.file for place in places} == {str(offering)}
        assert {place.line for place in places} <= {6, 10}
        assert {place.line for place in places} >= {6}, name
        columns = {p.column for p in places if p.line == 6 and p.column >= 0}
        assert all(comment[column:].startswith(("jnp.", "inner")) for column in columns), name


def test_what_is_typed_elsewhere_has_no_line_in_any_stage(offering: Path) -> None:
    typed = one_shot.capture(str(offering), "jit(lambda x: inner(x) * 2)(f32[4])")
    for stage in typed.stages:
        if isinstance(stage.graph, Graph):
            graph = stage.graph
            places = [p for i in range(len(graph.nodes)) for p in graph.source(i)]
            assert {(p.file, p.line) for p in places} == {(str(offering), 10)}, stage.name


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "call",
    [
        "made(f32[3])",
        "abs(f32[3])",
        "sum([f32[3], f32[3]])",
        "jnp.add(f32[3], f32[3])",
        "functools.partial(lambda a, b: a * b, 2.0)(f32[3])",
    ],
)
def test_what_no_file_defines_is_of_the_users_file(offering: Path, call: str) -> None:
    source = capture_to_json(one_shot.capture(str(offering), call))["source"]
    assert source["file"] == str(offering) and source["line"] == 0
    assert bool(source["text"]) == ("lambda" in call)


def test_a_librarys_function_brings_its_file_along(offering: Path) -> None:
    found = one_shot.capture(
        str(offering), "functools.partial(jax.tree_util.Partial, inner)()(f32[3])"
    )
    assert found.source.line == 9
    found = one_shot.capture(str(offering), "functools.reduce(jnp.multiply, (f32[3], f32[3]))")
    assert found.source.file == str(offering)


def test_what_the_call_itself_raises_shows_the_call_and_no_place_in_a_file() -> None:
    names = call_namespace({"__name__": "file", "f": lambda x: x})
    with pytest.raises(TraceError) as caught, guard("call", {"/home/u/file.py"}):
        parse_call("f([1.0][3])", names, file="/home/u/file.py")
    explanation = caught.value.explanation
    assert 'File "<jaxscope call>", line 1' in explanation.traceback
    assert "jaxscope/worker" not in explanation.traceback
    assert explanation.where == ""
