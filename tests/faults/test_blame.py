"""What is blamed, and where: the line of the user's or the call, never a line of a library's."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.errors import CallError, Explanation, TraceError
from tests.faults.scene import Scene

CODE = """\
import sys
import jax
import jax.numpy as jnp
import numpy as np
# jaxscope: jnp.sin(f32[3], f32[3])
def reshapes(x):
    return jnp.reshape(x, (4, 2))
def differs(x):
    return np.gradient(x)
def adds(x):
    return jax.lax.add(x, jnp.ones(3, jnp.int32))
def scans(x):
    return jax.lax.scan(lambda c, a: (c.astype(jnp.int32), a), x[0], x)
def branches(x):
    return jax.lax.cond(x[0] > 0, lambda a: a, lambda a: a[:2].astype(jnp.int32), x)
def is_traced(x):
    def trace(frame, event, argument):
        raise RuntimeError("it traces")
    sys.settrace(trace)
    return len([x])
"""


def blame(session: Session, folder: Path, call: str | None, code: str = CODE) -> Explanation:
    file = folder / "code.py"
    file.write_text(code)
    error = Scene(session, CaptureRequest(str(file), call)).error()
    assert isinstance(error, (TraceError, CallError)), error.explanation
    return error.explanation


@pytest.mark.parametrize(
    ("call", "code", "what"),
    (
        ("reshapes(f32[6])", "jnp.reshape", "The shapes do not fit together."),
        ("differs(f32[6])", "np.gradient", "A NumPy function"),
        ("adds(f32[3])", "jax.lax.add", "The dtypes do not fit together."),
        ("scans(f32[3])", "jax.lax.scan", "The body of a loop returns a carry of another type"),
        (
            "branches(f32[3])",
            "jax.lax.cond",
            "The branches of a conditional return different types.",
        ),
    ),
)
def test_the_place_is_the_users_line(
    session: Session, tmp_path: Path, call: str, code: str, what: str
) -> None:
    found = blame(session, tmp_path, call)
    line = next(number for number, text in enumerate(CODE.split("\n"), 1) if code in text)

    assert found.where == f"code.py:{line}"
    assert found.what.startswith(what)


@pytest.mark.parametrize(
    ("call", "what", "why"),
    (
        ("jnp.reshape(f32[6], (4, 2))", "The shapes of the arguments", "(6,)"),
        ("np.gradient(f32[6])", "JAX cannot trace a function of NumPy's.", ""),
        ("jit(jnp.nonzero)(i32[10])", "The size of a result", "size argument"),
        ("vmap(jnp.sin)(f32[()])", "", "rank"),
        ("grad(jnp.sin)(f32[3])", "`grad` is applied", "scalar"),
        ("jax.lax.add(f32[3], i32[3])", "The dtypes of the arguments", "int32"),
    ),
)
def test_the_call_of_a_librarys_function_is_the_place(
    session: Session, tmp_path: Path, call: str, what: str, why: str
) -> None:
    found = blame(session, tmp_path, call)

    assert (found.where, found.part) == ("", call)
    assert found.what.startswith(what)
    assert why in found.why
    assert "Tracer(" not in found.why, "our own tracing of a number"


def test_an_offered_call_has_its_line(session: Session, tmp_path: Path) -> None:
    found = blame(session, tmp_path, None)

    assert (found.where, found.part) == ("code.py:5", "jnp.sin(f32[3], f32[3])")


@pytest.mark.parametrize("call", ("is_traced(f32[3])", "made(f32[3])"))
def test_a_trace_function_of_the_users_is_not_our_bug(
    session: Session, tmp_path: Path, call: str
) -> None:
    code = CODE if call != "made(f32[3])" else f"{CODE}is_traced(1)\ndef made(x):\n    return x\n"
    found = blame(session, tmp_path, call, code)

    assert found.kind == "RuntimeError"
    assert "it traces" in found.why


def test_an_unknown_shorthand_lists_those_that_there_are(session: Session, tmp_path: Path) -> None:
    remedy = blame(session, tmp_path, "reshapes(f99[3])").remedy

    assert all(name in remedy for name in ("f32", "bf16", "i64", "u8", "bool_", "c64"))


def test_a_coroutine_is_refused_without_a_warning_that_nobody_awaited_it(
    session: Session, tmp_path: Path
) -> None:
    code = "async def waits(x):\n    return x\n"
    for call in ("waits(f32[3])", "jit(waits)(f32[3])"):
        found = blame(session, tmp_path, call, code)
        assert found.what.startswith("An `async` function gives a coroutine")
        assert found.where == "code.py:1" and not found.output
