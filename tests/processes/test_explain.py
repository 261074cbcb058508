"""User errors in words, whatever the exception does."""

from __future__ import annotations

import sys

import jax
import jax.numpy as jnp
import pytest

from jaxscope.errors import CallError, JaxscopeError, SourceError, TraceError
from jaxscope.marks import strip_controls
from jaxscope.worker.faults.explain import explain_exception, guard
from jaxscope.worker.faults.tracebacks import safe_text


def run(code: str) -> JaxscopeError:
    """Execute code as the file `/folder/user.py` and return how `guard` reports its failure."""
    with pytest.raises(JaxscopeError) as caught, guard("import", {"/folder/user.py"}):
        exec(compile(code, "/folder/user.py", "exec"), {"jax": jax, "jnp": jnp})
    return caught.value


@pytest.mark.parametrize(
    ("code", "kind", "says"),
    (
        ("x = jnp.ones(3)\nx[0] = 1", "TypeError", "x.at[index].set(value)"),
        ("jax.grad(lambda x: x * 2)(jnp.ones(3))", "TypeError", "jax.jacrev"),
        ("jax.grad(lambda x: x * 2)(1)", "TypeError", "argnums="),
        ("jnp.ones((2, 3)) @ jnp.ones((4, 5))", "TypeError", "Compare the shapes"),
        ("jax.jit(jnp.sin)('text')", "TypeError", "static"),
        (
            "import numpy\njax.jit(lambda x: numpy.sin(x))(1.0)",
            "TracerArrayConversionError",
            "jax.numpy",
        ),
        ("jax.jit(lambda x: jnp.ones(int(x)))(3)", "ConcretizationTypeError", "static"),
        ("jax.jit(lambda x: [1, 2][x])(0)", "TracerIntegerConversionError", "static"),
        ("import nobody.has_this", "ModuleNotFoundError", "-m pip install nobody"),
        ("f = jax.jit(lambda x: x, static_argnums=0)\nf([1])", "ValueError", "tuple"),
        ("def f(a): pass\nf(1, 2)", "TypeError", "Compare the call"),
        ("jax.make_mesh((4096,), ('d',))", "ValueError", "--target cpu:8"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", ""),
    ),
)
def test_faults_that_users_of_jax_meet(code: str, kind: str, says: str) -> None:
    error = run(code)

    assert type(error) is TraceError
    assert error.explanation.kind == kind
    assert says in error.explanation.remedy
    assert error.explanation.where == f"user.py:{code.count(chr(10)) + 1}"


def test_jaxs_own_notes_are_left_out() -> None:
    explanation = run("jax.jit(lambda x: x if x > 0 else -x)(1.0)").explanation

    assert "JAX_TRACEBACK_FILTERING" not in explanation.why
    assert "https://" not in explanation.why
    assert "https://docs.jax.dev" in explanation.remedy


def test_a_syntax_error_is_one_of_the_source() -> None:
    error = run("x = 1\ny = = 2\n")

    assert type(error) is SourceError
    assert error.explanation.where == "user.py:2"
    assert "    ^" in error.explanation.why


def test_errors_of_ours_pass_unchanged() -> None:
    ours = CallError("There is no such function.")
    with pytest.raises(CallError) as caught, guard("call"):
        raise ours

    assert caught.value is ours


def test_only_the_users_frames_are_shown() -> None:
    explanation = run("import json\njson.loads('{')").explanation

    assert "user.py" in explanation.traceback
    assert "json/decoder.py" not in explanation.traceback
    assert "decoder.py" in explanation.full_traceback


def test_an_exception_that_resists_is_explained() -> None:
    class Evil(Exception):
        def __str__(self) -> str:
            raise RuntimeError

        @property
        def __cause__(self) -> None:  # type: ignore[override] # the wickedness that is tested
            raise RuntimeError

    fault, explanation = explain_exception(Evil())

    assert fault == "trace"
    assert explanation.kind == "Evil"


def test_texts_are_cut_and_cleaned() -> None:
    assert len(safe_text("x" * 10_000_000)) < 5000
    assert strip_controls("\x1b[31mred\x1b[0m\x07\u202e") == "red"
    assert strip_controls("two\nlines\tand a tab") == "two\nlines\tand a tab"


def test_the_interpreter_is_named_where_a_module_is_missing() -> None:
    assert sys.executable in run("import nobody_has_this").explanation.what
