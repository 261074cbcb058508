"""What JAX and XLA make of a function of arrays: operations of StableHLO, opcodes of HLO."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from typing import Any

import jax
import jax.numpy as jnp

_UNNAMED = {"builtin.module", "func.func", "func.return", "stablehlo.return"}
_UNNAMED |= {"stablehlo.constant", "sdy.mesh"}
_BOOKKEEPING = {"parameter", "constant", "tuple", "get-tuple-element"}
_LEFT_ALONE = _BOOKKEEPING | {"fusion", "copy", "bitcast"}
_ENTRY = re.compile(r"^(?:(ENTRY) )?%?([\w.\-]+) .*\{$")
_INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?[\w.\-]+ = (.*)$")
_OPCODE = re.compile(r"\s([a-z][a-z0-9\-]*)\(")
_TARGET = re.compile(r'custom_call_target="([^"]*)"')


def observe(
    function: Callable[..., Any], args: tuple[Any, ...], inside: Set[str] = frozenset()
) -> tuple[list[str], list[str], list[str] | None]:
    """Operations of StableHLO, opcodes before optimization, and what is alone after it.

    The last is seen between two operations on single elements: empty if all three are one fusion,
    None if they are several and nothing else.

    Args:
        inside: Operations that do not count: of a program that the function only holds.
    """
    lowered = jax.jit(function).lower(*args)
    stablehlo = set(_operations(lowered.compiler_ir("stablehlo").operation)) - _UNNAMED
    hlo = {opcode for _, opcode in read_opcodes(lowered.compiler_ir("hlo").as_hlo_text())}
    between = jax.jit(lambda *each: jax.tree.map(_after, function(*map(_before, each))))
    text = between.lower(*map(jnp.asarray, args)).compile().as_text()
    entry = [opcode for computation, opcode in read_opcodes(text) if computation == "ENTRY"]
    alone = sorted(set(entry) - _LEFT_ALONE - inside)
    return (
        sorted({name.removeprefix("stablehlo.") for name in stablehlo} - inside),
        sorted(hlo - _BOOKKEEPING - inside),
        alone if alone or entry.count("fusion") <= 1 else None,
    )


def _operations(operation: Any) -> Iterator[str]:
    yield operation.name
    for region in operation.regions:
        for block in region:
            for inner in block:
                yield from _operations(inner.operation)


def read_opcodes(text: str) -> Iterator[tuple[str, str]]:
    """Each computation (`ENTRY` for the first) and opcode; of a custom call, what it calls too."""
    computation = ""
    for line in re.sub(r"/\*.*?\*/", "", text).splitlines():
        if start := _ENTRY.match(line):
            computation = start.group(1) or start.group(2)
        elif found := _INSTRUCTION.match(line):
            opcode = _OPCODE.search(f" {found.group(1)}")
            target = _TARGET.search(line)
            if opcode:
                yield computation, opcode.group(1) + (f" {target.group(1)}" if target else "")


def _before(value: Any) -> Any:
    """An operation on single elements that is not undone by the one that comes after."""
    if jnp.issubdtype(value.dtype, jnp.floating):
        return jnp.exp(value)
    return _flip(value)


def _after(value: Any) -> Any:
    if jnp.issubdtype(value.dtype, jnp.floating):
        return jnp.sin(value)
    return _flip(value)


def _flip(value: Any) -> Any:
    if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return value
    return ~value if value.dtype == bool else -value
