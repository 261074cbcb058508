"""Evaluates a sample's calls with JAX alone: the smallest reading of what a call means."""

from __future__ import annotations

import io
import pathlib
import tokenize
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

SAMPLES = pathlib.Path(__file__).parents[2] / "samples"
_MARK = "# jaxscope:"


class Shorthand:
    """`f32[2, 3]`: an array of that dtype and shape."""

    def __init__(self, dtype: str) -> None:
        self._dtype = dtype

    def __getitem__(self, shape: Any) -> jax.Array:
        shape = shape if isinstance(shape, tuple) else (shape,)
        values = np.random.default_rng(0).standard_normal(shape)
        return jnp.asarray(values * (3 if self._dtype == "int32" else 1), self._dtype)


def load(name: str) -> dict[str, Any]:
    """The namespace of a sample after it ran."""
    path = SAMPLES / name
    namespace: dict[str, Any] = {"__name__": path.stem}
    exec(compile(path.read_text("utf-8"), str(path), "exec"), namespace)
    return namespace


def offered_calls(name: str) -> list[str]:
    """The calls in the comments of a sample."""
    text = (SAMPLES / name).read_text("utf-8")
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [
        token.string.removeprefix(_MARK).strip()
        for token in tokens
        if token.type == tokenize.COMMENT and token.string.startswith(_MARK)
    ]


def trace(name: str, call: str) -> Any:
    """The types of a call's results: everything is traced, nothing compiled."""
    names = load(name)
    return jax.eval_shape(lambda: _evaluate(names, call))


def evaluate(name: str, call: str) -> Any:
    """The value of a call in the namespace of a sample."""
    return _evaluate(load(name), call)


def _evaluate(namespace: dict[str, Any], call: str) -> Any:
    shorthands = {"f32": Shorthand("float32"), "i32": Shorthand("int32"), "key": jax.random.key}
    transforms = ("grad", "value_and_grad", "vmap", "jit", "hessian", "jacfwd", "jacrev")
    names = {transform: getattr(jax, transform) for transform in transforms}
    return eval(call, {**shorthands, **names, **namespace})
