"""Named scopes of the user's program, read out of an `op_name`."""

from __future__ import annotations

import functools
import re

_WRAPPER = re.compile(r"^([A-Za-z_]\w*)\((.*)\)$", re.DOTALL)
_FUNCTION_NAMES = frozenset({"jit", "pjit", "pmap", "shard_map", "custom_jvp", "custom_vjp"})
_STRUCTURE = re.compile(
    r"^(?:while|body|cond|scan|closed_call|core_call|eval_jaxpr|checkpoint|remat2?|"
    r"rematted_computation|custom_jvp_call|custom_vjp_call(?:_jaxpr)?|custom_lin|jit|pjit|"
    r"branch_\d+_fun|body_fun|cond_fun|body_pred|shard_map|transpose|main)$"
)
_MAX_DEPTH = 64


@functools.lru_cache(maxsize=4096)
def read_scope(op_name: str) -> tuple[str, ...]:
    """The user's named scopes, outermost first, without the operation's own name.

    `jit(loss)/transpose(jvp(layer))/attention/mul` reads `("layer", "attention")`: transforms
    are unwrapped, and names of functions and of JAX's control flow are left out.

    Args:
        op_name: Without tags. Of merged instructions, the first part counts.
    """
    parts = split_path(op_name.split(";", 1)[0])
    scopes: list[str] = []
    for part in parts[:-1]:
        scopes += _unwrap(part, 0)
    return tuple(scopes)


def split_path(op_name: str) -> list[str]:
    """Split at the slashes that are not within parentheses."""
    parts: list[str] = []
    depth = start = 0
    for position, letter in enumerate(op_name):
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth = max(depth - 1, 0)
        elif letter == "/" and depth == 0:
            parts.append(op_name[start:position])
            start = position + 1
    parts.append(op_name[start:])
    return parts


def _unwrap(part: str, depth: int) -> list[str]:
    match = _WRAPPER.match(part)
    if match is None:
        return [] if not part or _STRUCTURE.match(part) else [part]
    if match[1] in _FUNCTION_NAMES or depth > _MAX_DEPTH:
        return []
    inner: list[str] = []
    for piece in split_path(match[2]):
        inner += _unwrap(piece, depth + 1)
    return inner
