"""Loops against vmap, unrolled against scan: real programs in real workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jaxscope.client.requests import ScalingRequest
from jaxscope.client.session import Session
from jaxscope.errors import CallError
from jaxscope.model.timing import Scaling

Grow = Callable[..., Scaling]

PROGRAMS = """
import jax
import jax.numpy as jnp

def layer(x, w, name="tanh"):
    return getattr(jnp, name)(x @ w)

def step(carry, x):
    return carry + x, carry

def total(x):
    return x.sum()

def settings(params, x):
    return params["w"] * x + params["b"]

def nothing():
    return 1.0
"""


@pytest.fixture(scope="module")
def grow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grow]:
    path = tmp_path_factory.mktemp("growth") / "programs.py"
    path.write_text(PROGRAMS, "utf-8")
    with Session() as session:

        def grow(call: str, preset: str, **options: Any) -> Scaling:
            sizes = options.pop("sizes", (1, 8))
            request = ScalingRequest(
                str(path), call, preset=preset, sizes=sizes, budget_s=0.1, **options
            )
            found = session.start(request).wait()
            assert isinstance(found, Scaling)
            return found

        yield grow


@pytest.mark.slow
def test_a_batch_is_measured_as_loop_and_as_vmap(grow: Grow) -> None:
    found = grow("layer(f32[8], f32[8, 8])", "batch", vary="x", sizes=(1, 2, 4))
    assert (found.forms, found.vary) == (("loop", "vmap"), "batch size")
    assert [point.size for point in found.points] == [1, 2, 4]
    for point in found.points:
        assert not point.reason or point.reason.startswith("Measured twice")  # a busy machine
        assert point.eager is not None
        assert point.jit is not None
        assert point.ratio is not None
        assert point.compile_time > 0
        assert point.first_compile > 0
    work = [slope for slope in found.slopes if slope.quantity == "flops"]
    assert work[0].slope == pytest.approx(1.0, abs=0.05)


@pytest.mark.slow
def test_parts_of_an_argument_can_be_stacked_or_all(grow: Grow) -> None:
    call = "settings({'w': f32[4], 'b': f32[4]}, f32[4])"
    (part,) = grow(call, "batch", vary="params['w']+x", sizes=(4,)).points
    (whole,) = grow(call, "batch", sizes=(4,)).points
    assert part.memory < whole.memory


@pytest.mark.slow
def test_depth_is_measured_unrolled_and_as_a_scan(grow: Grow) -> None:
    found = grow("layer(f32[8, 8], f32[8, 8])", "depth", sizes=(1, 4, 16))
    assert (found.forms, found.vary) == (("unrolled", "scan"), "depth")
    work = [point.flops for point in found.points]
    assert work == pytest.approx(
        [work[0], 4 * work[0], 16 * work[0]], rel=0.01
    )  # counting rounds is work
    assert all(point.first_compile > 0 for point in found.points)


def test_a_step_with_a_second_result_feeds_the_first_back(grow: Grow) -> None:
    (point,) = grow("step(f32[4], f32[4])", "depth", sizes=(3,)).points
    assert not point.reason


@pytest.mark.slow
def test_a_static_argument_stays_what_it_is(grow: Grow) -> None:
    (point,) = grow("layer(f32[4, 4], f32[4, 4], 'sin')", "depth", sizes=(2,)).points
    assert not point.reason


@pytest.mark.parametrize(
    ("call", "preset", "vary", "why"),
    [
        ("total(f32[4])", "depth", "", "cannot be fed into"),
        ("nothing()", "depth", "", "no first argument"),
        ("nothing()", "batch", "", "no array argument"),
        ("total(f32[4])", "batch", "y", "no array argument 'y'"),
    ],
)
def test_what_does_not_grow_is_explained(
    grow: Grow, call: str, preset: str, vary: str, why: str
) -> None:
    with pytest.raises(CallError, match=why):
        grow(call, preset, vary=vary)
