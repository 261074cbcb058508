"""Names are XLA's: without their tags, those of operations and instructions are JAX's own."""

from __future__ import annotations

import re
from types import ModuleType

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compiling import compile_plain, compile_tagged

from jaxscope.model.op_name import TAG_FILE, move_tags, strip_tags
from jaxscope.program.hlo.graph import convert_hlo, link_hlo_lines
from jaxscope.program.hlo.proto import parse_module
from jaxscope.worker import compat
from jaxscope.worker.host.call import Call, call_namespace, parse_call
from jaxscope.worker.provenance.traced_program import trace_call

SOURCE = """
import jax
import jax.numpy as jnp
from jax import lax

def scoped(w, x):
    with jax.named_scope("layer"):
        y = jnp.tanh(x @ w)
        with jax.named_scope("norm"):
            y = y / jnp.sqrt(jnp.mean(y ** 2, axis=-1, keepdims=True))
    return jnp.sum(jax.nn.relu(y))

def scan(w, xs):
    def step(c, x):
        with jax.named_scope("cell"):
            c = jnp.tanh(c * w + x)
        return c, jnp.sin(c)
    return jnp.sum(lax.scan(step, jnp.zeros_like(w), xs)[1])

def loop(x):
    return lax.while_loop(lambda v: jnp.sum(v) < 9.0, lambda v: v * 1.5 + jnp.abs(v), x).sum()

@jax.checkpoint
def saved(w, x):
    with jax.named_scope("block"):
        return jnp.sin(x @ w)

def remat(w, x):
    return jnp.sum(saved(w, saved(w, x)))

@jax.custom_vjp
def clipped(x):
    return jnp.sinh(x) * 3.0

def forward(x):
    with jax.named_scope("forward rule"):
        return jnp.sinh(x) * 3.0, jnp.cosh(x)

def backward(kept, g):
    with jax.named_scope("backward rule"):
        return (jnp.clip(g, -1.0, 1.0) * kept,)

clipped.defvjp(forward, backward)

@jax.jit
def called(x):
    return jnp.sin(x) * 2.0

def calls(x):
    return called(called(x)).sum()

def rules(x):
    with jax.named_scope("caller"):
        return jnp.sum(clipped(x * 2.0))
"""


def compare(call: Call) -> None:
    """Operation, name and order of every instruction that has a name."""
    pattern = re.compile(r'^  .* ([a-z-]+)\(.*op_name="([^"]*)"', re.MULTILINE)
    tagged, plain = (c.as_text() for c in (compile_tagged(call)[0], compile_plain(call)))
    assert "jxs" in tagged
    assert "%jxs" not in tagged
    assert pattern.findall(strip_tags(tagged)) == pattern.findall(plain)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "text",
    [
        *("grad(scoped)(f32[4, 4], f32[3, 4])", "vmap(grad(scoped))(f32[2, 4, 4], f32[2, 3, 4])"),
        *("hessian(scan)(f32[3], f32[4, 3])", "vmap(grad(scan), (None, 0))(f32[3], f32[2, 4, 3])"),
        *("loop(f32[5])", "vmap(loop)(f32[3, 5])", "grad(remat)(f32[4, 4], f32[4, 4])"),
        *("grad(rules)(f32[7])", "vmap(grad(rules))(f32[2, 7])", "jit(grad(jit(rules)))(f32[7])"),
    ],
)
def test_names_are_those_of_the_untagged_program(text: str) -> None:
    module = ModuleType("user_names")
    exec(compile(SOURCE, "names.py", "exec"), module.__dict__)
    compare(parse_call(text, call_namespace(vars(module)), file="names.py"))


@pytest.mark.parametrize("text", ["grad(calls)(f32[3])", "hessian(calls)(f32[3])"])
def test_before_optimization_calls_are_called_as_those_of_the_untagged_program(text: str) -> None:
    """XLA calls an instruction after the last part of its name, for a call maybe a transform."""
    module = ModuleType("user_names")
    exec(compile(SOURCE, "names.py", "exec"), module.__dict__)
    call = parse_call(text, call_namespace(vars(module)), file="names.py")
    names = re.compile(r"[\w.-]+(?= = )")

    traced, _, _ = trace_call(call).tag_derived()
    tagged = traced.lower().compiler_ir("hlo").as_hlo_text()
    plain = jax.jit(call.compose(call.base)).lower(*call.args).compiler_ir("hlo").as_hlo_text()

    assert any(name.startswith(("jvp_jit", "vmap_jvp")) for name in names.findall(plain))
    assert names.findall(tagged) == names.findall(plain)


@pytest.mark.parametrize(
    "body",
    [
        "jax.random.permutation(k, 10)",
        "jax.random.categorical(k, jnp.ones((5, 3)))",
        "jax.vmap(jax.random.normal)(jax.random.split(k, 4))",
        "lax.scan(lambda k, _: tuple(jax.random.split(k)), k, None, length=3)",
        "jax.grad(lambda a: jax.random.gamma(k, a))(2.5)",
    ],
)
@pytest.mark.skipif(not compat.HAS_TAG_FRAMES, reason="before JAX 0.10.2 tags have to be names")
@pytest.mark.slow
def test_the_whole_text_is_that_of_the_untagged_program(body: str) -> None:
    """JAX gives no name to the calls that make random numbers, and XLA keeps their results."""
    names: dict[str, object] = {"__name__": "file", "jax": jax, "jnp": jnp, "lax": jax.lax}
    exec(f"def f(k): return {body}", names)
    call = parse_call("f(key(0))", call_namespace(names), file="f.py")
    place = re.compile(r"(?<= )line=.*(?=})")

    tagged, plain = (c.as_text() for c in (compile_tagged(call)[0], compile_plain(call)))

    shown = strip_tags(tagged).replace("compile_tagged", "compile_plain")
    assert place.sub("", shown).splitlines() == place.sub("", plain).splitlines()


@pytest.mark.skipif(not compat.HAS_TAG_FRAMES, reason="before JAX 0.10.2 tags have to be names")
@pytest.mark.parametrize(
    ("inner", "name"), [("jnp.argmax(x)", "pick"), ("helper(x) + 1", "helper")]
)
def test_a_call_without_a_name_has_that_of_the_function_around_it(inner: str, name: str) -> None:
    """XLA takes the innermost frame for the name of a call that stands in no scope."""
    source = f"""
def helper(x): return jnp.argmax(x)
@jax.jit
def pick(x): return {inner}
def f(x): return pick(x), pick(x * 3)
"""
    names: dict[str, object] = {"__name__": "file", "jax": jax, "jnp": jnp}
    exec(compile(source, "f.py", "exec"), names)
    call = parse_call("f(f32[8])", call_namespace(names), file="f.py")

    tagged, plain = (c.as_text() for c in (compile_tagged(call)[0], compile_plain(call)))

    found = [re.findall('op_name="([^"]*)"', text) for text in (strip_tags(tagged), plain)]
    assert found[0] == found[1]
    assert any(each.endswith(f"/jit(pick)/{name}") for each in found[1])


@pytest.mark.skipif(not compat.HAS_TAG_FRAMES, reason="before JAX 0.10.2 tags have to be names")
def test_tags_of_frames_are_read_alike_from_the_module_and_from_its_text() -> None:
    def f(k: jax.Array) -> jax.Array:
        return jax.random.permutation(k, 10)

    call = parse_call("f(key(0))", call_namespace({"__name__": "f", "f": f}), file="f.py")
    module = compat.optimized_module_of(compile_tagged(call)[0])

    parsed = parse_module(module.as_serialized_hlo_module_proto())

    lines = re.findall(r"^ +(?:ROOT )?%(\S+) = (.*)$", move_tags(module.to_string()), re.MULTILINE)
    named = re.compile(r'op_name="([^"]*)"')
    in_text = {name: (*named.findall(rest), "")[0] for name, rest in lines}
    in_module = {
        instruction.name: instruction.metadata.op_name
        for computation in parsed.computations
        for instruction in computation.instructions
    }
    assert in_module == in_text and sum("//xor" in name for name in in_text.values()) > 1
    assert TAG_FILE not in str(parsed.computations)


def test_a_function_that_xla_gives_no_name_has_one_in_graph_and_text() -> None:
    """The generator of random numbers is called by an operation that JAX gives no name."""
    call = parse_call(
        "f(key(0))",
        call_namespace({"__name__": "file", "f": lambda k: jax.random.normal(k, (3,))}),
        file="f.py",
    )
    compare(call)
    compiled, _, tags = compile_tagged(call)
    module = compat.optimized_module_of(compiled)

    graph = convert_hlo(module.as_serialized_hlo_module_proto(), tags, None, None, "optimized")
    text = strip_tags(module.to_string())

    assert not any("jxs" in string for string in graph.strings)
    linked = link_hlo_lines(text, graph)
    assert set(linked[linked >= 0].tolist()) == set(np.arange(len(graph.nodes)).tolist())
