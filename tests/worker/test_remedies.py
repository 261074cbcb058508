"""Errors of JAX's that say little come with something to try."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxscope.worker.call import call_namespace, parse_call
from jaxscope.worker.program import trace_call
from jaxscope.worker.remedies import find_remedy


def remedy_of(text: str) -> str:
    """What is advised about the exception that a call raises."""
    names = call_namespace({"__name__": "file", "f": jnp.sin, "jax": jax})
    try:
        trace_call(parse_call(text, names, file="f.py"))
    except Exception as error:
        found = find_remedy(error, str(error))
        return found.remedy if found else ""
    raise AssertionError(f"{text} raised nothing")


def test_a_negative_size_is_answered_with_what_a_size_may_be() -> None:
    assert "0 or more" in remedy_of("f(f32[-3])")


def test_too_few_devices_for_pmap_are_answered_with_a_target_that_has_them() -> None:
    rows = jax.device_count() + 3

    assert "--target cpu:" in remedy_of(f"pmap(f)(f32[{rows}, 2])")
