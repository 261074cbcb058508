"""A private name that a release of JAX lacks costs what needs it, and is named."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jaxscope
from jaxscope.errors import MissingName
from jaxscope.worker import compat, compat_recorder
from jaxscope.worker.late_module import LateModule

NEEDED = {"jax._src.core.Jaxpr", "jax._src.source_info_util.NameStack"}
"""Nothing can be said of a program without these."""


def late_names(module: ModuleType) -> Iterator[tuple[LateModule, str]]:
    """What a module looks up late: where, and the name."""
    assert module.__file__ is not None
    for node in ast.walk(ast.parse(Path(module.__file__).read_text("utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found = getattr(module, node.value.id, None)
            if isinstance(found, LateModule):
                yield found, node.attr


def full_name(late: LateModule, name: str) -> str:
    return f"{vars(late)['_names'][0]}.{name}"


NAMES = sorted({full_name(*each) for each in (*late_names(compat), *late_names(compat_recorder))})
OF_EACH_KIND = {*NEEDED, "jax._src.core.Literal", "jaxlib._jax.mlir", "jaxlib._hlo.HloModule"}


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    def remove(gone: str) -> None:
        for module in (compat, compat_recorder):
            for late, name in late_names(module):
                if full_name(late, name) == gone:
                    vars(late).pop(name, None)
        monkeypatch.setattr(LateModule, "__getattr__", look_up_but(gone))
        forget()

    def look_up_but(gone: str) -> Any:
        look_up = LateModule.__getattr__

        def look(late: LateModule, name: str) -> Any:
            if full_name(late, name) == gone:
                late = LateModule("a_module_that_nobody_has")
            return look_up(late, name)

        return look

    yield remove
    forget()


def forget() -> None:
    compat._jaxpr_types.cache_clear()
    compat._printed_stack.cache_clear()


def mean(w: jax.Array, x: jax.Array) -> jax.Array:
    return jax.lax.fori_loop(0, 3, lambda _, y: jnp.tanh(y @ w), x).mean()


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in OF_EACH_KIND else pytest.mark.slow) for name in NAMES],
)
def test_it_costs_what_needs_it(name: str, without: Any) -> None:
    function, arguments = jax.vmap(jax.grad(mean), (None, 0)), (jnp.eye(3), jnp.ones((2, 4, 3)))
    usual = jaxscope.capture(function, *arguments)
    without(name)
    if name in NEEDED:
        with pytest.raises(MissingName, match=r"JAX .* has no .*, which jaxscope uses"):
            jaxscope.capture(function, *arguments)
        return
    found = jaxscope.capture(function, *arguments)
    assert [stage.name for stage in found.stages] == [stage.name for stage in usual.stages]
    for stage, before in zip(found.stages, usual.stages, strict=True):
        assert stage.unavailable == before.unavailable or (
            "which jaxscope uses" in stage.unavailable.reason
        )
    assert found.stages[-1].unavailable is None
    assert not [message for message in found.messages if "a bug in jaxscope" in message]
