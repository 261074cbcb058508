"""The key of a call of a jitted function, as far as it decides about compiling again."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.worker.conditions import read_setting
from jaxscope.worker.key_differences import (
    find_tree_differences,
    find_value_differences,
    is_equal,
    is_same_tree,
)
from jaxscope.worker.values import aval_text, value_text

_SETTINGS = (
    "jax_enable_x64",
    "jax_default_matmul_precision",
    "jax_default_device",
    "jax_numpy_dtype_promotion",
    "jax_numpy_rank_promotion",
    "jax_debug_nans",
    "jax_threefry_partitionable",
    "jax_default_prng_impl",
    "jax_softmax_custom_jvp",
)
_ANYWHERE = "on the default device"
_AXES = re.compile(r"@(?:\([^)]*\)|[^,\]]+)|\{[^}]*\}")
"""Axes of a mesh within a type, such as `f32[8@d,4@(x,y)]{V:i}`: a matter of sharding."""
_SCALAR_TYPES = {bool: jnp.bool_, int: jnp.int_, float: jnp.float_, complex: jnp.complex_}


@dataclasses.dataclass(frozen=True, slots=True)
class LeafKey:
    """What counts of one array argument."""

    type: str
    weak_type: bool
    sharding: str


@dataclasses.dataclass(frozen=True, eq=False)
class StaticKey:
    """What counts of one static argument: its type, and what it is equal to."""

    text: str
    value: Any
    is_by_name: bool = False


_UNSET = "not set"
_ABSENT = StaticKey("absent", object())
_PASSED = {True: "passed by name", False: "passed by position"}


@dataclasses.dataclass(frozen=True, eq=False)
class CallKey:
    """What decides whether a call finds a program.

    Attributes:
        function: Identity of the function object.
        place: `file:line` of its definition.
        options: Of `jit`, as text.
        leaves: By path.
        static: Static arguments by name.
        tree: Structure of the arguments, a `PyTreeDef`.
        paths: The key path of each of the leaves, as JAX has it.
        settings: Of JAX's configuration.
    """

    function: int
    place: str
    options: str
    leaves: Mapping[str, LeafKey]
    static: Mapping[str, StaticKey]
    tree: Any
    paths: Sequence[Sequence[Any]]
    settings: Mapping[str, str]

    def changes_from(self, before: CallKey) -> list[tuple[str, str, str, str]]:
        """Kind, path, before and after of each difference."""
        changes: list[tuple[str, str, str, str]] = []
        if self.function != before.function:
            changes.append(("new_function", self.place, "an earlier object", "a new object"))
        if self.options != before.options:
            changes.append(("options", "", before.options, self.options))
        for name in {**before.static, **self.static}:
            known, present = before.static.get(name, _ABSENT), self.static.get(name, _ABSENT)
            changes += _compare_static(name, known, present)
        if not is_same_tree(before.tree, self.tree):
            found = find_tree_differences(before.tree, self.tree, [*self.leaves], self.paths)
            changes += [("tree", *difference) for difference in found]
        for path in self.leaves.keys() & before.leaves.keys():
            changes += _compare_leaves(path, before.leaves[path], self.leaves[path])
        for name in {**before.settings, **self.settings}:
            old, new = (key.settings.get(name, _UNSET) for key in (before, self))
            if old != new:
                changes.append(("config", name, old, new))
        return changes

    def describe(self) -> list[str]:
        """Each argument in a few words."""
        texts = [
            f"{path}: {leaf.type}{' (weak type)' if leaf.weak_type else ''}"
            for path, leaf in self.leaves.items()
        ]
        return texts + [f"{name} = {key.text} (static)" for name, key in self.static.items()]


def find_key(
    function: Callable[..., Any],
    options: Mapping[str, Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> CallKey:
    """The key of a call of `jax.jit(function, **options)`."""
    names, static_names = _static_names(function, options, len(args))
    passed = [*((n, a, False) for n, a in zip(names, args, strict=True))]
    passed += [(name, value, True) for name, value in kwargs.items()]
    static = {
        name: StaticKey(value_text(value), value, is_by_name)
        for name, value, is_by_name in passed
        if name in static_names
    }
    traced_names = [name for name in names if name not in static_names]
    traced_args = tuple(a for n, a in zip(names, args, strict=True) if n not in static_names)
    traced_kwargs = {n: a for n, a in kwargs.items() if n not in static_names}
    leaves, tree = jax.tree_util.tree_flatten_with_path((traced_args, traced_kwargs))
    return CallKey(
        id(function),
        _place_of(function),
        ", ".join(f"{name}={value!r}" for name, value in sorted(options.items())),
        {_path_text(path, traced_names): _leaf_key(leaf) for path, leaf in leaves},
        static,
        tree,
        [path for path, _ in leaves],
        {name: str(read_setting(name)) for name in _SETTINGS if read_setting(name) is not None},
    )


def has_tracers(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a call is inside of another's trace: then it compiles nothing by itself."""
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves((args, kwargs)))


def _compare_static(
    name: str, old: StaticKey, new: StaticKey
) -> Iterator[tuple[str, str, str, str]]:
    if old is _ABSENT or new is _ABSENT:
        yield "static", name, old.text, new.text
    elif not is_equal(old.value, new.value):
        for path, before, after in find_value_differences(old.value, new.value):
            yield "static", f"{name}{path}", before, after
    elif old.is_by_name != new.is_by_name:
        yield "tree", name, _PASSED[old.is_by_name], _PASSED[new.is_by_name]


def _compare_leaves(path: str, old: LeafKey, new: LeafKey) -> list[tuple[str, str, str, str]]:
    changes = []
    is_spread = _AXES.sub("", old.type) == _AXES.sub("", new.type)
    if old.type != new.type and not is_spread:
        (old_dtype, _, old_shape), (new_dtype, _, new_shape) = (
            _AXES.sub("", leaf.type).partition("[") for leaf in (old, new)
        )
        changes += [
            (kind, path, old.type, new.type)
            for kind, differs in (
                ("shape", old_shape != new_shape),
                ("dtype", old_dtype != new_dtype),
            )
            if differs
        ]
    if old.weak_type != new.weak_type:
        words = {True: "weak type (a Python number)", False: "strong type"}
        changes.append(("weak_type", path, words[old.weak_type], words[new.weak_type]))
    if old.sharding != new.sharding or (is_spread and old.type != new.type):
        places = (old.sharding or _ANYWHERE, new.sharding or _ANYWHERE)
        changes.append(("sharding", path, *places))
    return changes


def _leaf_key(leaf: Any) -> LeafKey:
    if type(leaf) in _SCALAR_TYPES:
        dtype = jax.dtypes.canonicalize_dtype(_SCALAR_TYPES[type(leaf)])
        text = aval_text(jax.core.ShapedArray((), dtype))
        return LeafKey(text, type(leaf) is not bool, "")
    if isinstance(leaf, jax.Array):
        committed = getattr(leaf, "committed", getattr(leaf, "_committed", False))
        return LeafKey(
            aval_text(leaf.aval),
            bool(getattr(leaf, "weak_type", False)),
            str(leaf.sharding) if committed else "",
        )
    array = np.asarray(leaf)
    dtype = jax.dtypes.canonicalize_dtype(array.dtype)
    return LeafKey(aval_text(jax.core.ShapedArray(array.shape, dtype)), False, "")


def _static_names(
    function: Callable[..., Any], options: Mapping[str, Any], num_args: int
) -> tuple[list[str], set[str]]:
    """A name for each positional argument, and the names of the static ones."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [p.name for p in parameters if p.kind in kinds]
    names = [*positional[:num_args], *(f"args[{i}]" for i in range(len(positional), num_args))]
    numbers = options.get("static_argnums")
    numbers = () if numbers is None else (numbers,) if isinstance(numbers, int) else numbers
    wanted = options.get("static_argnames")
    wanted = () if wanted is None else (wanted,) if isinstance(wanted, str) else wanted
    static = {names[number] for number in numbers if -len(names) <= number < len(names)}
    static |= {positional[number] for number in numbers if 0 <= number < len(positional)}
    return names, static | set(wanted)


def _path_text(path: Sequence[Any], names: Sequence[str]) -> str:
    """The name of the argument, and what follows as JAX writes it."""
    which, place = path[0], path[1]
    name = names[place.idx] if which.idx == 0 else place.key
    return f"{name}{jax.tree_util.keystr(tuple(path[2:]))}"


def _place_of(function: Callable[..., Any]) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""
