"""JAX's persistent cache gives executables of other programs that have the same instructions.

A capture must be of its own program: with its lines and equations, and with machine code.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxscope.client.requests import CaptureRequest, CompileTimeRequest
from jaxscope.client.session import Session
from jaxscope.model import is_available

ONE = """\
import jax.numpy as jnp


def f(x):
    return jnp.tanh(x) * jnp.exp(x)
"""
SAME_INSTRUCTIONS = """\
import jax.numpy as jnp


def f(x):
    jnp.sin(x)
    bent = jnp.tanh(x)

    return bent * jnp.exp(x)
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "cache"
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(folder))
    monkeypatch.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    monkeypatch.setenv("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
    yield folder


@pytest.mark.parametrize("passes", [False, True])
@pytest.mark.slow
def test_a_capture_is_of_its_own_program(cache: Path, tmp_path: Path, passes: bool) -> None:
    with Session() as session:
        for name, text in (("one.py", ONE), ("same.py", SAME_INSTRUCTIONS)):
            path = tmp_path / name
            path.write_text(text)
            request = CaptureRequest(file=str(path), call="f(f32[64])", passes=passes)
            capture = session.start(request).wait()
    stages = {stage.name: stage for stage in capture.stages}
    graph = stages["optimized"].graph
    assert is_available(graph)
    lines = {
        graph.operation(node): [(Path(p.file).name, p.line) for p in graph.source(node)[:1]]
        for node in range(len(graph.nodes))
    }
    assert lines["tanh"] == [("same.py", 6)]
    assert lines["exponential"] == lines["multiply"] == [("same.py", 8)]
    fates = {id: fate.fate for id, fate in capture.fates.items()}
    assert fates == {"0": "dead", "1": "fused", "2": "fused", "3": "fused"}
    assert is_available(stages["machine"].text)


@pytest.mark.slow
def test_where_compile_time_went_is_not_read_from_it(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text(ONE)
    with Session() as session:
        for _ in range(2):
            found = session.start(CompileTimeRequest(file=str(path), call="f(f32[64])")).wait()
            assert any("LLVM" in span.name for span in found.spans)


SCRIPT = """\
import os
import jax
import jax.numpy as jnp
import jaxscope

jaxscope.capture(lambda x: jnp.sin(x) + 1.0, jnp.ones(8))
before = os.listdir({folder!r})
jax.jit(lambda x: jnp.cos(x) + 2.0).lower(jnp.ones(8)).compile()
jax.jit(lambda x: jnp.cos(x) + 2.0).lower(jnp.ones(8)).compile()
print(len(os.listdir({folder!r})) - len(before), jax.config.jax_enable_compilation_cache)
"""


@pytest.mark.slow
def test_a_process_of_the_users_keeps_its_cache(cache: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(folder=str(cache))],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    added, is_enabled = done.stdout.split()
    assert int(added) >= 1
    assert is_enabled == "True"
