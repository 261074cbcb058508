"""The checker of fates takes another line than an equation's only where JAX's lowering has it."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
from jax import lax

from tests.fates.dumps import Place, find_places


def two_of_each(x: jax.Array) -> tuple[jax.Array, ...]:
    first = lax.argmax(x, 0, jnp.int32)
    second = lax.argmax(x * 2, 0, jnp.int32)
    cubed = lax.integer_pow(x, 3)
    again = lax.integer_pow(x * 2, 3)
    return first, second, cubed, again


def test_only_the_line_of_the_function_that_jax_keeps_counts_as_well() -> None:
    traced = jax.jit(two_of_each).trace(jnp.ones(4))
    text = traced.lower().as_text(debug_info=True)
    frames = jax._src.source_info_util.user_frames
    places = find_places(traced.jaxpr, frames, text).values()
    kinds: dict[str, list[Place]] = {}
    for place in places:
        kinds.setdefault(place.operation, []).append(place)
    first, second = kinds["argmax"]
    assert Path(first.file).name == "test_lines_of_lowering.py"
    assert second.line == first.line + 1
    assert {line for _, line in second.elsewhere} == {first.line}
    cubed, again = kinds["integer_pow"]
    assert cubed.line != again.line
    assert (first.file, cubed.line) not in again.elsewhere
    assert (first.file, first.line) not in again.elsewhere
