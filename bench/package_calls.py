"""Calls of every public function of a package, with arguments that are made up, for `checks.py`.

A function is called with one shape for all of its arguments, keys and counts by their names, and
with the next shape where that does not trace. So many do not trace; those that do are programs of
people who did not know of the checks.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import pkgutil
import types
from collections.abc import Iterator, Sequence

_SHAPES = ("f32[8]", "f32[()]", "f32[6, 6]", "f32[4, 3]", "f32[3]", "f32[2, 8, 8, 3]", "i32[8]")
_KEYS = ("key", "rng", "rng_key", "prng", "prng_key", "random_key", "seed", "prngkey", "k", "rngs")
_COUNTS = ("n", "num", "size", "dim", "order", "degree", "axis", "steps", "length", "max_iter")
_LEFT_OUT = ("test", "example", "plot", "vis", "render", "demo", "script", "benchmark", "_src.test")
_MOST_ARGUMENTS = 6


def functions_of(package: str) -> Iterator[tuple[str, str, types.FunctionType]]:
    """Module, name and function of all that a package defines in its modules."""
    names = [package]
    with contextlib.suppress(Exception):
        path = importlib.import_module(package).__path__
        walked = pkgutil.walk_packages(path, f"{package}.", onerror=lambda _: None)
        names += [each.name for each in walked]
    for module in names:
        if any(word in module.lower() for word in _LEFT_OUT):
            continue
        try:
            space = vars(importlib.import_module(module))
        except (Exception, SystemExit):  # what it needs is not installed
            continue
        for name, value in list(space.items()):
            inner = inspect.unwrap(value) if callable(value) else None
            if isinstance(inner, types.FunctionType) and inner.__module__ == module:
                yield module, name, inner


def texts_of(function: types.FunctionType, spelling: str) -> Sequence[str]:
    """Calls of a function to try in turn; none where it takes what cannot be made up."""
    needed = []
    for each in inspect.signature(function).parameters.values():
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) or each.default is not each.empty:
            continue
        needed.append(each)
    if not 0 < len(needed) <= _MOST_ARGUMENTS:
        return ()
    return [f"{spelling}({', '.join(_given(each, shape) for each in needed)})" for shape in _SHAPES]


def _given(parameter: inspect.Parameter, shape: str) -> str:
    name = parameter.name.lower().strip("_")
    is_count = name in _COUNTS or name.startswith(("num_", "n_", "max_"))
    value = "key(0)" if name in _KEYS else "3" if is_count else shape
    return f"{parameter.name}={value}" if parameter.kind is parameter.KEYWORD_ONLY else value
