"""The key of a call of a jitted function, as far as it decides about compiling again."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.worker.conditions import read_setting
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

    def differs_from(self, other: StaticKey) -> bool:
        """Whether JAX takes them for two values: 1, 1.0 and True are three."""
        if type(self.value) is not type(other.value):
            return True
        try:
            return not bool(self.value == other.value)
        except Exception:  # equality is the user's code
            return self.value is not other.value


_ABSENT = StaticKey("absent", object())


@dataclasses.dataclass(frozen=True, eq=False)
class CallKey:
    """What decides whether a call finds a program.

    Attributes:
        function: Identity of the function object.
        place: `file:line` of its definition.
        options: Of `jit`, as text.
        leaves: By path.
        static: Static arguments by name.
        tree: Structure of the arguments.
        settings: Of JAX's configuration.
    """

    function: int
    place: str
    options: str
    leaves: Mapping[str, LeafKey]
    static: Mapping[str, StaticKey]
    tree: str
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
            if present.differs_from(known):
                changes.append(("static", name, known.text, present.text))
        if self.tree != before.tree:
            changes.append(("tree", "", before.tree, self.tree))
        for path in self.leaves.keys() & before.leaves.keys():
            changes += _compare_leaves(path, before.leaves[path], self.leaves[path])
        for name in self.settings:
            if self.settings[name] != before.settings.get(name):
                old = before.settings.get(name, "")
                changes.append(("config", name, old, self.settings[name]))
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
    static = {
        name: StaticKey(value_text(value), value)
        for name, value in [*zip(names, args, strict=True), *kwargs.items()]
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
        str(tree),
        {name: str(read_setting(name)) for name in _SETTINGS if read_setting(name) is not None},
    )


def has_tracers(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a call is inside of another's trace: then it compiles nothing by itself."""
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves((args, kwargs)))


def _compare_leaves(path: str, old: LeafKey, new: LeafKey) -> list[tuple[str, str, str, str]]:
    changes = []
    is_spread = _AXES.sub("", old.type) == _AXES.sub("", new.type)
    if old.type != new.type and not is_spread:
        same_dtype = old.type.partition("[")[0] == new.type.partition("[")[0]
        changes.append(("shape" if same_dtype else "dtype", path, old.type, new.type))
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
