"""Errors of JAX's that say little come with something to try."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy
import pytest
from jax.experimental import pallas

from jaxscope.errors import CallError, TraceError
from jaxscope.worker.compat import place_of_tracer
from jaxscope.worker.faults.explain import explain_exception, guard
from jaxscope.worker.faults.remedies import find_remedy
from jaxscope.worker.host.call import call_namespace, parse_call
from jaxscope.worker.host.user_module import execute_file
from jaxscope.worker.provenance.traced_program import trace_call


def generate(x: jax.Array) -> Iterator[jax.Array]:
    yield x


def remedy_of(text: str) -> str:
    """What is advised about the exception that a call raises."""
    found_in_file = {"f": jnp.sin, "jax": jax, "numpy": numpy, "generate": generate}
    names = call_namespace({"__name__": "file", **found_in_file})
    try:
        trace_call(parse_call(text, names, file="f.py"))
    except Exception as error:
        found = find_remedy(error, str(error))
        return found.remedy if found else ""
    raise AssertionError(f"{text} raised nothing")


def test_programs_inside_of_operations_are_left_out_of_jaxs_words() -> None:
    def driver() -> float:
        return float(jax.jit(lambda x: jnp.sin(x) * 2)(1.0))

    with pytest.raises(jax.errors.ConcretizationTypeError, match=r"jaxpr=\{") as raised:
        jax.jit(driver)()
    _, explanation = explain_exception(raised.value, {__file__}, stage="trace")
    assert "jaxpr={" not in explanation.why and "= jit[…]\n" in explanation.why
    assert explanation.why.count("from line") == str(raised.value).count("from line")


def test_a_negative_size_is_answered_with_what_a_size_may_be() -> None:
    assert "0 or more" in remedy_of("f(f32[-3])")


def test_too_few_devices_for_pmap_are_answered_with_a_target_that_has_them() -> None:
    rows = jax.device_count() + 3

    assert "--target cpu:" in remedy_of(f"pmap(f)(f32[{rows}, 2])")


def test_an_argument_with_a_function_inside_is_not_told_as_a_result() -> None:
    with pytest.raises(TypeError) as given:
        jax.grad(lambda model, x: x)((jnp.ones(3), jax.nn.relu), 1.0)
    with pytest.raises(TypeError) as returned:
        jax.jit(lambda x: (x, "text"))(1.0)
    told = [find_remedy(each.value, str(each.value)) for each in (given, returned)]
    assert [each and each.what for each in told] == [
        "An argument holds something that is no array.",
        "The function returns something that is no array.",
    ]


def test_the_truth_of_a_whole_array_is_answered_with_what_chooses_by_element() -> None:
    assert "jnp.where" in remedy_of("(lambda x: 1 if x > 0 else 2)(f32[3])")


def test_a_truth_that_depends_on_no_argument_can_be_known_while_tracing() -> None:
    def choose(x: jax.Array) -> jax.Array:
        return x + 1 if jnp.max(jnp.float32(0.5)) > 0 else x

    def remedied(x: jax.Array) -> jax.Array:
        with jax.ensure_compile_time_eval():
            return x + 1 if jnp.max(jnp.float32(0.5)) > 0 else x

    with pytest.raises(jax.errors.TracerBoolConversionError) as raised:
        jax.jit(choose)(1.0)
    found = find_remedy(raised.value, str(raised.value))
    assert found and "jax.ensure_compile_time_eval()" in found.remedy and not found.edits
    assert jax.jit(remedied)(1.0) == 2.0
    assert "ensure_compile_time_eval" not in remedy_of("(lambda x: 1 if x > 0 else 2)(f32[()])")


def test_jvp_without_tangents_is_answered_in_words_of_the_call() -> None:
    names = call_namespace({"__name__": "file", "f": jnp.sin, "jax": jax})
    for text in ("jvp(f)", "jvp(grad(f))", "jvp(f, (1.0,))"):
        with pytest.raises(CallError, match="primals") as raised:
            parse_call(text, names, file="f.py")
        assert "(t,)" in raised.value.explanation.remedy
    assert parse_call("jvp(f, *pair)", {**names, "pair": ((1.0,), (1.0,))}, file="f.py")


def test_a_leaked_tracer_has_the_place_that_jax_knows() -> None:
    kept: list[jax.Array] = []

    def keep(x: jax.Array) -> jax.Array:
        kept.append(x * 2)
        return x

    line = keep.__code__.co_firstlineno + 1
    jax.jit(keep)(1.0)
    with pytest.raises(jax.errors.UnexpectedTracerError) as raised:
        jax.jit(lambda x: x + kept[0])(1.0)
    _, explanation = explain_exception(raised.value)
    assert explanation.why.startswith(f"It was made at test_remedies.py:{line} in ")


KEPT: dict[str, list[jax.Array]] = {"seen": []}


class Layer:
    hidden: jax.Array

    def run(self, x: jax.Array) -> jax.Array:
        self.hidden = x * 3
        return self.hidden


LAYER = Layer()


def test_a_leaked_tracer_of_vmap_has_its_line_and_what_keeps_it() -> None:
    """JAX's own message has neither."""
    jax.vmap(LAYER.run)(jnp.ones((2, 3)))
    with pytest.raises(jax.errors.UnexpectedTracerError) as raised:
        LAYER.hidden + 1
    assert "created on line" not in str(raised.value)
    line = Layer.run.__code__.co_firstlineno + 1
    _, explanation = explain_exception(raised.value)
    assert explanation.why.startswith(
        f"It was made at test_remedies.py:{line} in Layer.run. It is kept in `LAYER.hidden`. "
    )


def test_what_keeps_a_leaked_tracer_is_named_beside_the_place_that_jax_knows() -> None:
    def keep(x: jax.Array) -> jax.Array:
        KEPT["seen"].append(jnp.sin(x))
        return x

    jax.jit(keep)(jnp.ones(7))
    with pytest.raises(jax.errors.UnexpectedTracerError) as raised:
        jax.jit(lambda x: x + KEPT["seen"][0])(jnp.ones(7))
    _, explanation = explain_exception(raised.value)
    line = keep.__code__.co_firstlineno + 1
    assert "It is kept in `KEPT['seen'][0]`." in explanation.why
    assert f"It was made at test_remedies.py:{line} in " in explanation.why


def test_the_place_of_an_argument_that_leaked_is_its_function() -> None:
    kept: list[jax.Array] = []

    def keep(number: jax.Array) -> jax.Array:
        kept.append(number)
        return number * 2

    jax.jit(keep)(jnp.ones(3))
    made = place_of_tracer(kept[0])
    assert made is not None
    assert made[:2] == (__file__, keep.__code__.co_firstlineno)
    assert made[2].startswith("keep (its argument `number`)")
    jax.grad(lambda x: (kept.append(x * 2), x.sum())[1])(jnp.ones(3))
    assert place_of_tracer(kept[1]) is None  # JAX keeps no line of it


def test_functions_that_cannot_be_traced_are_answered_with_what_can() -> None:
    assert "Return a list" in remedy_of("generate(f32[3])")
    text = "f returned a value of type <class 'coroutine'>, which is not a valid JAX type"
    found = find_remedy(TypeError(text), text)
    assert found is not None and "`async`" in found.what
    text = "cannot create weak reference to 'operator.methodcaller' object"
    found = find_remedy(TypeError(text), text)
    assert found is not None and "`lambda`" in found.remedy
    of_numpy = remedy_of("numpy.sin(f32[3])")
    assert "`jax.numpy`" in of_numpy
    assert "lambda" not in of_numpy, "there it fails as well"


def test_a_missing_file_is_told_with_where_it_was_looked_for_and_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    (home / "code.py").write_text("def read(name): return open(name).read()\n")
    (home / "data.txt").write_text("1")
    monkeypatch.chdir(elsewhere)
    module = execute_file(str(home / "code.py"), (home / "code.py").read_text())
    told = []
    for name in ("data.txt", "nowhere.txt"):
        try:
            module.read(name)
        except OSError as error:
            told.append(find_remedy(error, str(error)))
    beside, nowhere = told
    assert beside is not None and nowhere is not None
    assert str(elsewhere) in beside.what and "working directory" in beside.what
    assert f"It is in {home}" in beside.remedy
    assert "folder that the code is meant to run in" in nowhere.remedy


def test_a_kernel_for_a_chip_is_answered_with_targets_that_need_none() -> None:
    found = find_remedy(ValueError(), "Only interpret mode is supported on CPU backend.")
    assert found is not None
    assert "aot:tpu" in found.remedy and "interpret=True" in found.remedy


def test_names_that_modules_do_not_have_yet_are_no_matter_of_versions() -> None:
    text = "cannot import name 'f' from partially initialized module 'm' (circular import)"
    found = find_remedy(ImportError(text), text)
    assert found is not None and "version" not in found.remedy


@pytest.mark.parametrize(
    ("text", "part", "calls"),
    [
        ("f(jnp.onez(3))", "jnp.onez", ("f(jnp.ones(3))",)),
        ("f(1 / 0)", "1 / 0", ()),
        ("f(f32[3], 1, 2, key=3)", "f(f32[3], 1, 2, key=3)", ()),
        (
            "grad(f)(f32[3])",
            "grad(f)(f32[3])",
            (
                "grad(lambda *xs: f(*xs).sum())(f32[3])",
                "grad(lambda *xs: f(*xs).mean())(f32[3])",
                "jacrev(f)(f32[3])",
                "vjp(f, f32[3])",
            ),
        ),
        (
            "grad(vmap(f))(f32[3])",
            "grad(vmap(f))(f32[3])",
            (
                "grad(lambda *xs: vmap(f)(*xs).sum())(f32[3])",
                "grad(lambda *xs: vmap(f)(*xs).mean())(f32[3])",
                "jacrev(vmap(f))(f32[3])",
                "vjp(vmap(f), f32[3])",
            ),
        ),
        ("(lambda x: x[x > 0])(f32[3])", "x[x > 0]", ()),
    ],
)
def test_what_is_wrong_in_the_call_is_told_by_its_part(
    text: str, part: str, calls: tuple[str, ...]
) -> None:
    names = call_namespace({"__name__": "file", "f": jnp.sin})
    with pytest.raises(TraceError) as caught, guard("call", call=text):
        trace_call(parse_call(text, names, file="f.py"))
    assert caught.value.explanation.part == part
    assert caught.value.explanation.calls == calls


@pytest.mark.parametrize(("name", "is_of_it"), [("mode", True), ("mood", False)])
def test_a_text_under_a_name_that_the_function_lacks_is_not_just_to_be_marked_static(
    name: str, is_of_it: bool
) -> None:
    """jit refuses the text before the function is called, which would refuse the name."""

    def scale(x: jax.Array, mode: str = "sum") -> jax.Array:
        return x * 2

    assert (name in inspect.signature(scale).parameters) is is_of_it
    with pytest.raises(TypeError) as caught:
        jax.jit(scale)(jnp.ones(3), **{name: "mean"})
    found = find_remedy(caught.value, str(caught.value))
    assert found is not None and "static" in found.remedy
    assert ("the function's parameters" in found.remedy) is not is_of_it


def test_what_is_wrong_in_the_file_is_no_part_of_the_call(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text("def read(x):\n    return x.nothing\n")
    names = call_namespace(vars(execute_file(str(path), path.read_text())))
    with pytest.raises(TraceError) as caught, guard("trace", {str(path)}, call="read(f32[3])"):
        trace_call(parse_call("read(f32[3])", names, file=str(path)))
    assert caught.value.explanation.where == "code.py:2"
    assert not caught.value.explanation.part


def test_whether_the_device_has_too_little_memory_is_a_fact_of_its_own() -> None:
    texts = ("RESOURCE_EXHAUSTED: Out of memory allocating 8 bytes.", "INTERNAL: Out of luck.")
    found = [explain_exception(RuntimeError(text))[1].is_out_of_memory for text in texts]
    assert found == [True, False]


@jax.custom_vjp
def halved(x: jax.Array, y: jax.Array) -> jax.Array:
    return x * y / 2


halved.defvjp(lambda x, y: (halved(x, y), y), lambda y, g: (g * y / 2,))


@jax.custom_jvp
def doubled(x: jax.Array) -> jax.Array:
    return x * 2


@jax.custom_vjp
def without_rule(x: jax.Array) -> jax.Array:
    return x


doubled.defjvp(lambda primals, tangents: (doubled(*primals), jnp.ones(7)))


def kernel(x: jax.Array) -> Any:
    def body(given: Any, made: Any) -> None:
        made[...] = jnp.sin(given[...])

    return pallas.pallas_call(body, out_shape=jax.typeof(x), interpret=True)(x)


class Model:
    scale = 2.0

    @jax.jit
    def apply(self, x: jax.Array) -> jax.Array:
        return x * self.scale


ONES = jnp.ones(4)


@pytest.mark.parametrize(
    ("failing", "advised"),
    [
        (lambda: jax.jit(lambda x: x.item())(1.0), "jax.debug.print"),
        (lambda: jax.jit(lambda x: math.sin(x))(1.0), "`jnp.sin`"),
        (lambda: jax.jit(lambda x: x.tolist())(ONES), "jax.debug.print"),
        (lambda: jax.jit(lambda x: f"{x:.2f}")(1.0), "jax.debug.print"),
        (lambda: jax.jit(lambda x: jnp.where(x))(ONES), "`size=`"),
        (lambda: jax.jit(lambda x: jnp.argwhere(x))(ONES), "`size=`"),
        (lambda: jax.jit(lambda x: jnp.unique(x))(ONES), "`size=`"),
        (lambda: jax.jit(lambda x: jnp.setdiff1d(x, x))(ONES), "`size=`"),
        (lambda: jax.jit(lambda x: jnp.bincount(x))(jnp.arange(3)), "`length=`"),
        (lambda: jax.jit(lambda x: jnp.repeat(x, x))(jnp.arange(3)), "`total_repeat_length=`"),
        (lambda: jax.jit(lambda x: jax.ops.segment_sum(x, x))(jnp.arange(3)), "`num_segments=`"),
        (lambda: jax.jit(lambda x, n: x[n : n + 2])(ONES, 1), "dynamic_slice_in_dim"),
        (lambda: jax.jit(lambda n: jnp.zeros((n, 2)))(3), "`x.shape`"),
        (lambda: jax.jit(lambda x, n: jnp.tile(x, n))(ONES, 3), "`x.shape`"),
        (lambda: jax.jit(lambda k, n: jax.random.split(k, n))(jax.random.key(0), 3), "`x.shape`"),
        (lambda: jnp.zeros((3, 4 / 2)), "`n // 2`"),
        (lambda: jax.jit(lambda n: [n for _ in range(n)])(3), "fori_loop"),
        (lambda: jax.jit(lambda n: {1: 2}[n])(1), "jax.lax.switch"),
        (lambda: jax.jit(lambda x: x.block_until_ready())(1.0), "what the function returns"),
        (lambda: jax.random.normal(jnp.uint32(3)), "`jax.random.key(0)`"),
        (lambda: jax.random.key(0) + 1, "fold_in"),
        (lambda: 2.0 * jax.random.key(0), "fold_in"),
        (lambda: jnp.where(True, jax.random.key(0), 0), "fold_in"),
        (lambda: jax.random.normal(jax.random.split(jax.random.key(0))), "`keys[0]`"),
        (lambda: jax.lax.psum(1.0, "rows"), "axis_name="),
        (lambda: jax.grad(halved)(1.0, 2.0), "one entry for each argument"),
        (lambda: jax.grad(doubled)(1.0), "its tangent"),
        (lambda: without_rule(1.0), "defvjp"),
        (lambda: jax.grad(lambda x: kernel(x).sum())(ONES), "`jax.custom_vjp`"),
        (lambda: jax.lax.cond(True, lambda: 1.0, lambda: ONES), "all of them"),
        (lambda: jax.lax.cond(True, lambda: 1.0, lambda: (1.0, 2.0)), "all of them"),
        (lambda: jax.lax.scan(lambda c, x: (ONES, x), 0.0, ONES), "the body return"),
        (lambda: jax.lax.while_loop(lambda c: c, lambda c: c, 1.0), "`.any()`"),
        (lambda: jax.lax.cond(ONES > 0, lambda: 1, lambda: 2), "`.any()`"),
        (lambda: jnp.sum([1.0, 2.0]), "jnp.asarray"),
        (lambda: operator.add(ONES, [1.0, 2.0]), "jnp.asarray"),
        (lambda: jax.lax.add(ONES, "text"), "Strings"),
        (lambda: operator.mul(ONES, None), "`None`"),
        (lambda: jax.jit(lambda x: "text" + x)(ONES), "Strings"),
        (lambda: Model().apply(ONES), "`@partial(jax.jit, static_argnums=0)`"),
        (lambda: (lambda x, y: x)(*[1.0]), "function's parameters"),
    ],
)
def test_the_remedy_is_of_what_failed(failing: Callable[[], object], advised: str) -> None:
    """Not of any error that speaks of an argument, or that needs a value."""
    with pytest.raises(Exception, match=r".") as raised:
        failing()
    found = find_remedy(raised.value, str(raised.value))
    assert found is not None and advised in found.remedy
    assert ("function's parameters" in found.remedy) is ("function's parameters" in advised)
