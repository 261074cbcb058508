"""A capture is the same whatever settings of JAX the person's environment has."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client.requests import CaptureRequest, CompileTimeRequest, ValuesRequest
from jaxscope.client.session import Session
from jaxscope.errors import EnvironmentProblem
from jaxscope.model import Capture, is_available

PROGRAM = """\
import jax
import jax.numpy as jnp


@jax.jit
def bend(x):
    return jnp.where(x > 0, x, 0.5 * x)


def total(x):
    def add(carry, each):
        return carry + each, bend(carry)

    return jax.lax.scan(add, 0.0, bend(x))
"""
CALL = "total(f32[6])"


def take(folder: Path, environment: dict[str, str], *, passes: bool = False) -> Capture:
    path = folder / "program.py"
    path.write_text(PROGRAM)
    with Session() as session:
        request = CaptureRequest(file=str(path), call=CALL, environment=environment, passes=passes)
        return session.start(request).wait()


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    return take(tmp_path_factory.mktemp("usual"), {})


def describe(capture: Capture) -> dict[str, object]:
    """Nodes of each stage with their equations and lines, and what became of each equation."""
    found: dict[str, object] = {
        id: (fate.fate, fate.instructions) for id, fate in capture.fates.items()
    }
    for stage in capture.stages:
        graph = stage.graph
        if is_available(graph):
            found[stage.name] = [
                (
                    graph.id(n),
                    graph.operation(n),
                    graph.origins(n),
                    [p.line for p in graph.source(n)],
                )
                for n in range(len(graph.nodes))
            ]
    return found


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("JAX_DISABLE_JIT", "1", "jax_disable_jit is on"),
        pytest.param(
            *("JAX_INCLUDE_FULL_TRACEBACKS_IN_LOCATIONS", "0", ""), marks=pytest.mark.slow
        ),
        pytest.param("JAX_TRACEBACK_IN_LOCATIONS_LIMIT", "0", "", marks=pytest.mark.slow),
        ("JAX_TRANSFER_GUARD", "disallow", "jax_transfer_guard=disallow is set aside"),
        pytest.param("JAX_CHECK_TRACER_LEAKS", "1", "", marks=pytest.mark.slow),
    ],
)
def test_the_program_is_the_same(
    setting: str, value: str, told: str, usual: Capture, tmp_path: Path
) -> None:
    capture = take(tmp_path, {setting: value})
    assert describe(capture) == describe(usual)
    assert capture.fates
    assert not told or any(told in message for message in capture.messages)


@pytest.mark.parametrize(
    "flags",
    [
        "--xla_dump_hlo_module_re=nothing",
        pytest.param("--xla_dump_max_hlo_modules=1", marks=pytest.mark.slow),
        pytest.param("--xla_dump_hlo_pipeline_re=nothing", marks=pytest.mark.slow),
        pytest.param("--xla_dump_include_timestamp=true", marks=pytest.mark.slow),
        pytest.param("--xla_dump_compress_protos=true", marks=pytest.mark.slow),
    ],
)
def test_flags_that_limit_dumps_hide_neither_passes_nor_code(
    flags: str, usual: Capture, tmp_path: Path
) -> None:
    flags = f"{flags} --xla_dump_to={tmp_path / 'dump'}"
    capture = take(tmp_path, {"XLA_FLAGS": flags}, passes=True)
    machine, usually = capture.stage("machine"), usual.stage("machine")
    assert machine is not None and usually is not None
    assert machine.kernels and machine.kernels == usually.kernels
    assert {fate.pass_name for fate in capture.fates.values()} >= {"fusion"}


def test_a_setting_that_jax_refuses_is_laid_to_the_environment(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem) as raised:
        take(tmp_path, {"JAX_DEFAULT_DEVICE": "cpu:1"})
    explanation = raised.value.explanation
    assert "JAX cannot be imported" in explanation.what
    assert explanation.remedy.startswith("Correct the environment, which sets ")
    assert "JAX_DEFAULT_DEVICE=cpu:1" in explanation.remedy


def test_a_guard_that_the_file_sets_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    guard = 'jax.config.update("jax_transfer_guard_host_to_device", "disallow_explicit")'
    path.write_text(f"{PROGRAM}\n\n{guard}\n")
    with Session() as session:
        capture = session.start(CaptureRequest(file=str(path), call=CALL)).wait()
    told = [message for message in capture.messages if "transfer_guard" in message]
    assert len(told) == 1
    assert "jax_transfer_guard_host_to_device=disallow_explicit is set aside" in told[0]


@pytest.mark.slow
def test_compile_time_is_that_of_the_program_that_jit_makes(tmp_path: Path) -> None:
    """Traced with jit disabled, each round of the loop has equations of its own."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    with Session() as session:
        usually, disabled = (
            session.start(
                CompileTimeRequest(file=str(path), call=CALL, environment=environment)
            ).wait()
            for environment in ({}, {"JAX_DISABLE_JIT": "1"})
        )
    assert disabled.num_equations == usually.num_equations


@pytest.mark.slow
def test_values_are_looked_at_where_transfers_are_guarded(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    request = ValuesRequest(
        file=str(path), call=CALL, environment={"JAX_TRANSFER_GUARD": "disallow"}
    )
    with Session() as session:
        values = session.start(request).wait()
    assert not values.origins
