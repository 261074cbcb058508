"""The library's face: capture in this process, capture a file, load, show."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import jaxscope
from cli.conftest import CALL, SAMPLE
from jaxscope.errors import EnvironmentProblem, SourceError, TraceError, UsageError
from jaxscope.model import Capture, Graph


def scaled_sum(weights: dict[str, jax.Array], scale: float = 2.0) -> jax.Array:
    return jnp.sum(weights["w"]) * scale


def stage_names(capture: Capture) -> list[str]:
    return [stage.name for stage in capture.stages]


def test_capture_of_a_live_function() -> None:
    capture = jaxscope.capture(scaled_sum, {"w": jnp.ones((3, 2))}, scale=3.0)
    assert capture.call == "scaled_sum(dict(…), scale=3.0)"
    assert capture.source.file == __file__
    assert "def scaled_sum" in capture.source.text
    assert [leaf.path for leaf in capture.arguments] == ["weights['w']", "scale"]
    assert stage_names(capture)[:2] == ["jaxpr", "gradient"]
    stage = capture.stage("optimized")
    assert stage is not None
    assert isinstance(stage.graph, Graph)


def test_lines_point_into_the_users_file_only() -> None:
    capture = jaxscope.capture(jax.grad(scaled_sum), {"w": jnp.ones(3)})
    files = {
        position.file
        for stage in capture.stages
        if isinstance(stage.graph, Graph)
        for index in range(len(stage.graph.nodes))
        for position in stage.graph.source(index)
    }
    assert files == {__file__}


def test_a_jitted_function_keeps_its_static_arguments() -> None:
    power = jax.jit(lambda x, n: x**n, static_argnames="n")
    capture = jaxscope.capture(power, jnp.ones(3), n=4)
    stage = capture.stage("jaxpr")
    assert stage is not None
    assert isinstance(stage.graph, Graph)
    assert "integer_pow" in [stage.graph.node(i).operation for i in range(len(stage.graph.nodes))]


def test_a_failing_function_is_explained() -> None:
    with pytest.raises(TraceError) as caught:
        jaxscope.capture(lambda x: x[x > 0], jnp.ones(3))
    assert "jnp.where" in caught.value.explanation.remedy


def test_what_is_no_function() -> None:
    with pytest.raises(UsageError, match="int is no function"):
        jaxscope.capture(3)


def test_a_file_is_captured_saved_and_loaded(archive: Path) -> None:
    saved = jaxscope.load(archive)
    fresh = jaxscope.capture_file(SAMPLE, CALL)
    assert saved.call == fresh.call == CALL
    assert stage_names(saved) == stage_names(fresh)
    for ours, theirs in zip(saved.stages, fresh.stages, strict=True):
        if isinstance(ours.graph, Graph):
            assert isinstance(theirs.graph, Graph)
            assert len(ours.graph.nodes) == len(theirs.graph.nodes)


def test_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "x.jaxscope"
    path.write_bytes(b"PK\x03\x04 not a capture")
    with pytest.raises(SourceError):
        jaxscope.load(path)


def test_show_needs_a_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(EnvironmentProblem, match="no display"):
        jaxscope.show(SAMPLE)
