"""Instructions of a differentiated program know their equations, scope, direction and lines."""

from __future__ import annotations

import random
import re
from pathlib import Path

import jax
import pytest

from jaxscope.model import Capture, Direction, Graph, Node, is_available
from jaxscope.program.hlo.graph import read_scope, split_path
from jaxscope.worker.stages.capture import handle_capture
from tests.archive.recorded import Recorder, assemble

FILE = """\
import jax
import jax.numpy as jnp

def loss(w, x):
    with jax.named_scope("layer"):
        y = jnp.tanh(x @ w)
    return jnp.sum(y ** 2)

# jaxscope: grad(loss)(f32[8, 8], f32[4, 8])
"""


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    path = tmp_path_factory.mktemp("provenance") / "program.py"
    path.write_text(FILE)
    recorder = Recorder()
    handle_capture({"file": str(path), "call": None}, recorder)
    return assemble(tuple(recorder.messages))


def graph_of(captured: Capture, name: str) -> Graph:
    stage = captured.stage(name)
    assert stage is not None
    assert is_available(stage.graph)
    return stage.graph


def nodes_of(graph: Graph) -> list[Node]:
    return [graph.node(index) for index in range(len(graph.nodes))]


@pytest.mark.parametrize("stage", ["hlo", "optimized"])
def test_instructions_name_equations_of_both_jaxprs(captured: Capture, stage: str) -> None:
    base, derived = graph_of(captured, "jaxpr"), graph_of(captured, "grad")
    linked = [node for node in nodes_of(graph_of(captured, stage)) if node.derived]
    assert linked
    for node in linked:
        for id in node.derived:
            equation = derived.node(derived.index_by_id[id])
            assert set(equation.origins) <= set(node.origins)
        assert all(id in base.index_by_id for id in node.origins)


@pytest.mark.parametrize("stage", ["hlo", "optimized"])
def test_both_products_come_from_the_one_in_the_source(captured: Capture, stage: str) -> None:
    base = graph_of(captured, "jaxpr")
    (product,) = (node for node in nodes_of(base) if node.operation == "dot_general")
    dots = [node for node in nodes_of(graph_of(captured, stage)) if node.operation == "dot"]
    assert {node.direction for node in dots} == {Direction.FORWARD, Direction.BACKWARD}
    for node in dots:
        assert node.origins == (product.id,)
        assert node.scope == ("layer",)
        assert (node.source[0].line, node.source[0].column) == (6, len("        y = jnp.tanh("))
        assert node.source[0].function == "loss"


def test_what_the_compiler_made_has_no_origin(captured: Capture) -> None:
    for node in nodes_of(graph_of(captured, "hlo")):
        if node.operation == "parameter":
            assert node.origins == ()


BATCHED_LOOP = """\
from jax import lax

def count(n):
    return lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 1.5), (0, 1.0))[1]

# jaxscope: vmap(count)(i32[7])
"""


@pytest.mark.parametrize("stage", ["hlo", "optimized"])
def test_what_jax_makes_of_a_batched_condition_is_of_the_loop(stage: str, tmp_path: Path) -> None:
    """Such as the select that keeps the values of those that have ended, whatever JAX calls it."""
    path = tmp_path / "batched.py"
    path.write_text(BATCHED_LOOP)
    names: dict[str, object] = {}
    exec(compile(BATCHED_LOOP, str(path), "exec"), names)
    lowered = jax.jit(jax.vmap(names["count"])).lower(jax.ShapeDtypeStruct((7,), "int32"))
    text = lowered.as_text(dialect="hlo") if stage == "hlo" else lowered.compile().as_text()
    called_after = set(
        re.findall(r"%?(while[.\d]*) = pred\S* or\(|%?(while[.\d]*) = \S+ select", text)
    )
    made = {name for pair in called_after for name in pair if name}
    assert len(made) >= 2  # an `or` of all, and the selects

    recorder = Recorder()
    handle_capture({"file": str(path), "call": None}, recorder)
    nodes = nodes_of(graph_of(assemble(tuple(recorder.messages)), stage))
    (loop,) = (node.derived for node in nodes if node.operation == "while")
    assert len(loop) == 1
    assert {node.name: node.derived for node in nodes if node.name in made} == dict.fromkeys(
        made, loop
    )
    assert all(node.source for node in nodes if node.name in made)


@pytest.mark.parametrize(
    ("op_name", "scope"),
    [
        ("jit(loss)/layer/attention/mul", ("layer", "attention")),
        ("jit(loss)/transpose(jvp(layer))/attention/mul", ("layer", "attention")),
        ("jit(f)/jvp()/while/body/closed_call/tanh", ()),
        ("jit(f)/vmap(jvp(a/b))/c/add", ("a", "b", "c")),
        ("jit(f)/a/add;jit(f)/b/add", ("a",)),
        ("jit(f)/broken(x/y", ()),
        ("x", ()),
        ("", ()),
    ],
)
def test_scopes_are_the_users_own_names(op_name: str, scope: tuple[str, ...]) -> None:
    assert read_scope(op_name) == scope


def split_letter_by_letter(op_name: str) -> list[str]:
    """At the slashes outside of parentheses, as a person would do it."""
    parts, depth = [""], 0
    for letter in op_name:
        depth = max(depth + (letter == "(") - (letter == ")"), 0)
        if letter == "/" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


@pytest.mark.slow
def test_paths_are_split_outside_of_parentheses_whatever_stands_there() -> None:
    rng = random.Random(1)
    pieces = ("jit(f)", "jvp(layer)", "a", "transpose(jvp(a/b))", "while", "(", "))", "x)(", "",
              "vmap(x", "y)", "f(g(h)/i)")  # fmt: skip
    for _ in range(20_000):
        name = "/".join(rng.choices(pieces, k=rng.randrange(1, 7)))
        assert split_path(name) == split_letter_by_letter(name)
        around = split_letter_by_letter(name)[:-1]
        # What stands around an operation does not depend on its name.
        assert read_scope(name) == (read_scope("/".join([*around, "mul"])) if around else ())
        one_by_one = (scope for part in around for scope in read_scope(f"{part}/mul"))
        assert read_scope(name) == tuple(one_by_one)
