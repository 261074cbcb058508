"""Answer a `recompile` request: run calls in turn, watch every jitted function, and say what
compiled again and why.

`jax.jit` is replaced before the user's file runs, so decorators and jits inside functions are seen
alike. The key of a call is what decides about compiling again; a cause is the part in which two
keys differ, checked against JAX's own explanation.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import inspect
import logging
import re
import shlex
import threading
import types
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.errors import CallError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.outline import find_offered_calls
from jaxscope.model.said import say
from jaxscope.model.types import normal_type
from jaxscope.model.units import format_place
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import explain_exception, guard
from jaxscope.worker.host.arguments import parameter_names
from jaxscope.worker.host.call import Call, parse_call
from jaxscope.worker.host.function_source import find_wrapped, is_wrapper_of_library
from jaxscope.worker.host.user_arguments import UserArguments, find_user_arguments
from jaxscope.worker.host.values import aval_text, value_text
from jaxscope.worker.stages.call_loader import load_names
from jaxscope.worker.targets.environment import describe_environment
from jaxscope.worker.timing.conditions import Conditions, read_setting
from jaxscope.worker.timing.stages_and_transfers import CACHE_HIT
from jaxscope.worker.timing.traffic import find_line

# Where two values that decide about compiling differ: that part, and not the whole of them.


Difference = tuple[str, str, str]
"""Where it is, such as `[1].rate`; before; after."""
MAX_DIFFERENCES = 3
"""Enough to see what changed; where much changed, these say it as well."""
_MAX_DEPTH = 30
_SHOWN = 160
_CONTEXT = 40


def is_equal(before: Any, after: Any) -> bool:
    """Whether JAX takes two static values for one: 1, 1.0 and True are three."""
    if type(before) is not type(after):
        return False
    try:
        return bool(before == after)
    except Exception:  # equality is the user's code
        return before is after


def is_same_tree(before: Any, after: Any) -> bool:
    """Whether two `PyTreeDef`s are equal: what they carry may be, and yet read otherwise."""
    try:
        return bool(before == after)
    except Exception:  # what nodes carry is compared by the user's code
        return str(before) == str(after)


def find_value_differences(before: Any, after: Any) -> list[Difference]:
    """The parts of two values that are not equal, the first few; at least one."""
    return list(islice(_walk_values("", before, after, 0), MAX_DIFFERENCES))


def find_tree_differences(
    before: Any, after: Any, paths: Sequence[str], own_paths: Sequence[Sequence[Any]]
) -> list[Difference]:
    """Where two structures part, the first few; at least one.

    Args:
        before: A `PyTreeDef` of `(args, kwargs)`.
        after: Another one.
        paths: What each leaf of the second is called.
        own_paths: Its key path, as JAX has it.
    """
    walk = _walk_trees(before, after, _Place(paths, own_paths, 0, 0))
    return list(islice(walk, MAX_DIFFERENCES)) or [("", *_around(str(before), str(after)))]


def _walk_values(path: str, before: Any, after: Any, depth: int) -> Iterator[Difference]:
    parts = None if depth > _MAX_DEPTH else _common_parts(before, after)
    found = False
    for name, old, new in parts or ():
        if not is_equal(old, new):
            found = True
            yield from _walk_values(f"{path}{name}", old, new, depth + 1)
    if not found:
        old_text, new_text = _text(before), _text(after)
        if isinstance(before, jax.tree_util.PyTreeDef) and isinstance(after, type(before)):
            old_text, new_text = _around(str(before), str(after))
        yield path, old_text, new_text


def _text(value: Any) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, np.generic):  # JAX takes 1.0 and float32(1.0) for two
        return f"{type(value).__name__}({value})"
    # Two lambdas have one name: the line tells them apart.
    file, _, line = place_of(value).rpartition(":") if inspect.isfunction(value) else ("", "", "")
    return f"{value_text(value)} ({format_place(file, line)})" if file else value_text(value)


def _common_parts(before: Any, after: Any) -> list[tuple[str, Any, Any]] | None:
    """The parts of two values of one form by name; None where they have no such parts."""
    if type(before) is not type(after):
        return None
    if isinstance(before, tuple | list):
        if len(before) != len(after):
            return None
        return [(f"[{n}]", *pair) for n, pair in enumerate(zip(before, after, strict=True))]
    if isinstance(before, Mapping):
        if before.keys() != after.keys():
            return None
        return [(f"[{key!r}]", before[key], after[key]) for key in before]
    if isinstance(before, functools.partial):
        names: tuple[str, ...] = ("func", "args", "keywords")
    elif dataclasses.is_dataclass(before) and not isinstance(before, type):
        names = tuple(field.name for field in dataclasses.fields(before) if field.compare)
    else:
        return None
    missing = object()
    pairs = ((n, getattr(before, n, missing), getattr(after, n, missing)) for n in names)
    return [(f".{name}", old, new) for name, old, new in pairs]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the second structure a walk is.

    Attributes:
        names: What each leaf is called.
        paths: The key path of each leaf.
        leaf: Number of the first leaf here.
        depth: How many keys lead here.
    """

    names: Sequence[str]
    paths: Sequence[Sequence[Any]]
    leaf: int
    depth: int

    def name(self, num_leaves: int) -> str:
        """Of what is here: the path of its first leaf without what leads on from here."""
        if not num_leaves or self.leaf >= len(self.names) or self.depth < 2:
            return ""
        rest = jax.tree_util.keystr(tuple(self.paths[self.leaf][self.depth :]))
        return self.names[self.leaf].removesuffix(rest)


def _walk_trees(before: Any, after: Any, place: _Place) -> Iterator[Difference]:
    if is_same_tree(before, after) or place.depth > _MAX_DEPTH:
        return
    old_node, new_node = before.node_data(), after.node_data()
    old_parts, new_parts = before.children(), after.children()
    if not _same_node(old_node, new_node) or len(old_parts) != len(new_parts):
        if place.depth == 1 and _same_kind(old_node, new_node):
            yield "", _call_text(before, old_node), _call_text(after, new_node)
            return
        name = place.name(after.num_leaves)
        yield from _tell_nodes(name, (before, old_node), (after, new_node))
        return
    leaf = place.leaf
    for old, new in zip(old_parts, new_parts, strict=True):
        yield from _walk_trees(
            old, new, dataclasses.replace(place, leaf=leaf, depth=place.depth + 1)
        )
        leaf += new.num_leaves


def _tell_nodes(name: str, before: tuple[Any, Any], after: tuple[Any, Any]) -> Iterator[Difference]:
    """Two nodes that are not alike: by what they carry if they are of one kind, else as a whole."""
    (old_tree, old), (new_tree, new) = before, after
    if _same_kind(old, new) and not is_equal(old[1], new[1]) and not isinstance(old[1], type):
        kind = old[0].__name__
        if issubclass(old[0], dict):
            yield name, *_around(_keys(old[1]), _keys(new[1]))
            return
        for path, old_text, new_text in find_value_differences(old[1], new[1]):
            yield f"{name or kind}, data of {kind}{path}", old_text, new_text
        return
    yield name, *_around(_tree_text(old_tree), _tree_text(new_tree))


def _same_kind(before: Any, after: Any) -> bool:
    return before is not None and after is not None and before[0] is after[0]


def _call_text(tree: Any, node: Any) -> str:
    """The arguments of a call that stand by position, or those by name, as it gives them."""
    if issubclass(node[0], dict):
        names = ", ".join(map(str, node[1]))
        return f"{names} by name" if names else "none by name"
    count = len(tree.children())
    return f"{count} argument{'' if count == 1 else 's'} by position"


def _keys(data: Any) -> str:
    keys = ", ".join(map(str, data)) if isinstance(data, tuple | list) else str(data)
    return f"keys {keys}" if keys else "no keys"


def _tree_text(tree: Any) -> str:
    return str(tree).removeprefix("PyTreeDef(").removesuffix(")")


def _same_node(before: Any, after: Any) -> bool:
    if before is None or after is None:
        return before is after
    return before[0] is after[0] and is_equal(before[1], after[1])


def _around(before: str, after: str) -> tuple[str, str]:
    """Two long texts from shortly before the place where they part."""
    if max(len(before), len(after)) <= _SHOWN:
        return before, after
    pairs = zip(before, after, strict=False)
    same = next((n for n, (old, new) in enumerate(pairs) if old != new), 0)
    start = max(same - _CONTEXT, 0)
    first, second = (_cut(text, start) for text in (before, after))
    return first, second


def _cut(text: str, start: int) -> str:
    end = start + _SHOWN
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


# The key of a call of a jitted function, as far as it decides about compiling again.


_SETTINGS = (
    *("jax_enable_x64", "jax_default_matmul_precision", "jax_default_device"),
    *("jax_numpy_dtype_promotion", "jax_numpy_rank_promotion", "jax_debug_nans"),
    *("jax_threefry_partitionable", "jax_default_prng_impl", "jax_softmax_custom_jvp"),
)
_ANYWHERE = "on the default device"
_SCALAR_TYPES = {bool: jnp.bool_, int: jnp.int_, float: jnp.float_, complex: jnp.complex_}


@dataclass(frozen=True, slots=True)
class LeafKey:
    """What counts of one array argument; and whether it is a value of the host, which JAX moves."""

    type: str
    weak_type: bool
    sharding: str
    is_on_host: bool = False


@dataclass(frozen=True, eq=False)
class StaticKey:
    """What counts of one static argument: its type, and what it is equal to."""

    text: str
    value: Any
    is_by_name: bool = False


_UNSET = "not set"
_ABSENT = StaticKey("absent", object())
_PASSED = {True: "passed by name", False: "passed by position"}


@dataclass(frozen=True, eq=False)
class CallKey:
    """What decides whether a call finds a program.

    Attributes:
        function: Identity of the function object.
        place: `file:line` of the function, as of `RecordedJit`.
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
    place: str,
) -> CallKey:
    """The key of a call of `jax.jit(function, **options)`; the place is that of its function."""
    names, static_names = _static_names(function, options, len(args))
    passed = [*((n, a, False) for n, a in zip(names, args, strict=True))]
    passed += [(name, value, True) for name, value in kwargs.items()]
    static = {
        name: StaticKey(_text(value), value, is_by_name)
        for name, value, is_by_name in passed
        if name in static_names
    }
    traced_names = [name for name in names if name not in static_names]
    traced_args = tuple(a for n, a in zip(names, args, strict=True) if n not in static_names)
    traced_kwargs = {n: a for n, a in kwargs.items() if n not in static_names}
    leaves, tree = jax.tree_util.tree_flatten_with_path((traced_args, traced_kwargs))
    keys = {_path_text(path, traced_names): _leaf_key(leaf) for path, leaf in leaves}
    users = find_user_arguments(function, args, kwargs)
    if users is not None:
        keys = {users.paths.get(text, text): key for text, key in keys.items()}
    if users is not None and users.function is not None:
        # The library decides what is static: all that is no array, and the structure.
        function = users.function
        static = {path: StaticKey(_text(value), value, False) for path, value in users.static}
        leaves, tree = jax.tree_util.tree_flatten_with_path(_keep(keys, users))
    return CallKey(
        id(function),
        place,
        ", ".join(f"{name}={value!r}" for name, value in sorted(options.items())),
        keys,
        static,
        tree,
        [path for path, _ in leaves],
        {name: str(read_setting(name)) for name in _SETTINGS if read_setting(name) is not None},
    )


def _keep(paths: Container[str], users: UserArguments) -> tuple[Any, Any]:
    """The arguments, None in place of each leaf whose path is not among these."""
    names = parameter_names(users.function, users.args)
    kept: tuple[Any, Any] = jax.tree_util.tree_map_with_path(
        lambda path, leaf: leaf if _path_text(path, names) in paths else None,
        (users.args, dict(users.kwargs)),
    )
    return kept


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
    # Axes of a mesh within a type, such as `f32[8@d,4@(x,y)]{V:i}`, are a matter of sharding.
    is_spread = normal_type(old.type) == normal_type(new.type)
    if old.type != new.type and not is_spread:
        (old_dtype, _, old_shape), (new_dtype, _, new_shape) = (
            normal_type(leaf.type).partition("[") for leaf in (old, new)
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
        words = {True: "weak type (as of a Python number)", False: "strong type"}
        changes.append(("weak_type", path, words[old.weak_type], words[new.weak_type]))
    if old.sharding != new.sharding or (is_spread and old.type != new.type):
        places = (old.sharding or _ANYWHERE, new.sharding or _ANYWHERE)
        changes.append(("sharding", path, *places))
    return changes


def _leaf_key(leaf: Any) -> LeafKey:
    if type(leaf) in _SCALAR_TYPES:
        dtype = jax.dtypes.canonicalize_dtype(_SCALAR_TYPES[type(leaf)])
        text = aval_text(jax.core.ShapedArray((), dtype))
        return LeafKey(text, type(leaf) is not bool, "", is_on_host=True)
    if isinstance(leaf, jax.Array):
        committed = getattr(leaf, "committed", getattr(leaf, "_committed", False))
        return LeafKey(
            aval_text(leaf.aval),
            bool(getattr(leaf, "weak_type", False)),
            str(leaf.sharding) if committed else "",
        )
    if hasattr(leaf, "aval"):  # a mutable array, which NumPy would read element by element
        return LeafKey(aval_text(leaf.aval), False, "")
    array = np.asarray(leaf)
    dtype = jax.dtypes.canonicalize_dtype(array.dtype)
    shaped = jax.core.ShapedArray(array.shape, dtype)
    return LeafKey(aval_text(shaped), False, "", is_on_host=True)


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


def _unwrap(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function inside of all wrappers; itself, where user code says that they go round."""
    inner = function
    with contextlib.suppress(ValueError):
        inner = inspect.unwrap(function)
    return inner


def name_of(function: Callable[..., Any]) -> str:
    """What a function is called, such as `grad(loss)`; an object without a name, by its class.

    As JAX does, a partial is called as its function.
    """
    transforms, _ = compat.read_transforms(function)
    while isinstance(function, functools.partial):
        function = function.func
    inner = _unwrap(function) if transforms else function
    name = str(getattr(inner, "__name__", type(inner).__name__))
    return "".join(f"{each}(" for each in transforms) + name + ")" * len(transforms)


def place_of(function: Callable[..., Any]) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(_unwrap(function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""


# Watch every jitted function of the user's: which keys it is called with, what that compiles.
#
# `jax.jit` is replaced before the user's file runs, so decorators, `from jax import jit` and jits
# made inside of functions are seen alike. A call from within another's trace is passed through.


_EVENTS = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}
_EXPLAINS = "jax_explain_cache_misses"

OnCompiled = Callable[["RecordedJit", CallKey, dict[str, float], bool, str], None]
OnCalled = Callable[["RecordedJit", CallKey], None]


def _loggers_of_jax() -> Iterator[logging.Logger]:
    for name in [*logging.root.manager.loggerDict]:
        if name == "jax" or name.startswith("jax."):
            yield logging.getLogger(name)


class _CallOfThread(threading.local):
    """What JAX did for the call of a jitted function that a thread is at.

    Attributes:
        programs: Fingerprints of what it compiled, where they are asked for.
    """

    def __init__(self) -> None:
        self.is_inside = False
        self.durations: dict[str, list[float]] = {}
        self.explanations: list[str] = []
        self.num_cache_hits = 0
        self.programs: list[str] = []


class JitRecorder:
    """Replaces `jax.jit`, `pmap` and `pjit`; reports every call of a jitted function.

    Attributes:
        num_calls: Of jitted functions, from outside of any trace.
        num_within: Calls of jitted functions within transforms and traces: what they compile by
            themselves belongs to no key.
        outside: Programs compiled outside of calls of jitted functions, by the name that JAX gives
            them: number, seconds, and how many of them `running` had compiled at the same line of
            the user's before. Single operations, and jitted functions within transforms.
        running: What is run now.
        is_user_code: Whether what is compiled now is the user's doing.
        original: JAX's own `jit`.
    """

    def __init__(self, on_called: OnCalled, on_compiled: OnCompiled) -> None:
        self.num_calls = 0
        self.num_within = 0
        self.outside: dict[str, tuple[int, float, int]] = {}
        self.running: object = None
        self._lines: set[tuple[object, str, str]] = set()
        self.is_user_code = False
        self.original = jax.jit
        self._pmap = jax.pmap
        self._replaced = contextlib.ExitStack()
        self._explained: Any = None
        self._on_called = on_called
        self._on_compiled = on_compiled
        self._now = _CallOfThread()
        # A function that is gone leaves its identity to the next one, which would look the same.
        self._alive: dict[int, Any] = {}

    def install(self) -> None:
        """Take `jax.jit`'s place, listen to what JAX measures, and make it explain its misses."""
        self._replace(jax, "jit", self.jit)
        self._replace(jax, "pmap", self.pmap)
        with contextlib.suppress(ImportError):  # an old name of jit
            self._replace(importlib.import_module("jax.experimental.pjit"), "pjit", self.jit)
        jax.monitoring.register_event_duration_secs_listener(self._on_duration)
        jax.monitoring.register_event_listener(self._on_event)
        self._explained = read_setting(_EXPLAINS)
        with contextlib.suppress(AttributeError):  # a release without the setting explains nothing
            # JAX does not annotate it
            jax.config.update(_EXPLAINS, True)  # type: ignore[no-untyped-call]
        # Before any handler: libraries let what JAX logs go to handlers of their own.
        for logger in _loggers_of_jax():
            logger.addFilter(self._keep_explanation)

    def uninstall(self) -> None:
        """Put `jax.jit` and the settings back; functions that were jitted meanwhile stay so.

        JAX has no public way to stop listening to its events: they are passed over.
        """
        self._replaced.close()
        self.is_user_code = False
        if self._explained is not None:
            # JAX does not annotate it
            jax.config.update(_EXPLAINS, self._explained)  # type: ignore[no-untyped-call]
        for logger in _loggers_of_jax():
            logger.removeFilter(self._keep_explanation)

    def _replace(self, module: types.ModuleType, name: str, function: Any) -> None:
        names = vars(module)  # a deprecated name is none of these, and warns when it is read
        if name in names:
            self._replaced.callback(setattr, module, name, names[name])
        else:
            self._replaced.callback(delattr, module, name)
        setattr(module, name, function)

    def jit(self, function: Any = None, /, **options: Any) -> Any:
        """Stand in for `jax.jit`; functions that it makes report what they compile."""
        if function is None:
            function = options.pop("fun", None)
        if function is None:
            return functools.partial(self.jit, **options)
        return RecordedJit(self.original(function, **options), function, options, self)

    def pmap(self, fun: Any, *axis_name: Any, **options: Any) -> Any:
        """Stand in for `jax.pmap`, which compiles as `jax.jit` does."""
        mapped = self._pmap(fun, *axis_name, **options)
        known = options | ({"axis_name": axis_name[0]} if axis_name else {})
        if "static_broadcasted_argnums" in known:
            known["static_argnums"] = known.pop("static_broadcasted_argnums")
        return RecordedJit(mapped, fun, known, self)

    def call(self, jitted: RecordedJit, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a jitted function, and report what it compiled."""
        if self._now.is_inside or read_setting("jax_disable_jit"):
            return jitted.inner(*args, **kwargs)
        if has_tracers(args, kwargs):
            self.num_within += 1
            return jitted.inner(*args, **kwargs)
        self._alive[id(jitted.function)] = jitted.function
        key = find_key(jitted.function, jitted.options, args, kwargs, jitted.place(args, kwargs))
        self.num_calls += 1
        with self.watching() as now:
            result = jitted.inner(*args, **kwargs)
        # A trace without a compilation found its program by what was traced.
        if not now.durations:
            self._on_called(jitted, key)
        else:
            self.report_compiled(jitted, key, now)
        return result

    def report_compiled(self, jitted: RecordedJit, key: CallKey, now: _CallOfThread) -> None:
        """Tell of a call that compiled."""
        seconds = {
            # A jit inside of a jit is traced and lowered inside of the outer one's time.
            name: sum(values) if name == "compile" else max(values)
            for name, values in now.durations.items()
        }
        explanation = "\n".join(now.explanations)
        self._on_compiled(jitted, key, seconds, now.num_cache_hits > 0, explanation)

    def _keep_explanation(self, record: logging.LogRecord) -> bool:
        """Keep JAX's explanations of cache misses; everything else goes on as it would."""
        text = record.getMessage()
        if "CACHE MISS" not in text:
            return True
        self._now.explanations.append(text[:4000])
        return False

    @contextlib.contextmanager
    def watching(self) -> Iterator[_CallOfThread]:
        """Collect what JAX does on this thread meanwhile."""
        now = self._now
        now.durations, now.explanations, now.num_cache_hits, now.programs = {}, [], 0, []
        now.is_inside = True
        try:
            yield now
        finally:
            now.is_inside = False

    def _on_duration(self, event: str, duration_secs: float, **details: Any) -> None:
        if event not in _EVENTS:
            return
        if self._now.is_inside:
            self._now.durations.setdefault(_EVENTS[event], []).append(duration_secs)
        elif self.is_user_code:
            name = str(details.get("fun_name") or "unnamed")
            name = name.removeprefix("jit(").removesuffix(")") if name.startswith("jit(") else name
            count, seconds, num_again = self.outside.get(name, (0, 0.0, 0))
            if _EVENTS[event] == "compile":
                count += 1
                line = self.running, name, ":".join(map(str, compat.running_line()))
                num_again += line in self._lines and line[2] != ""
                self._lines.add(line)
            self.outside[name] = (count, seconds + duration_secs, num_again)

    def _on_event(self, event: str, **_details: Any) -> None:
        self._now.num_cache_hits += self._now.is_inside and event == CACHE_HIT


class RecordedJit:
    """A jitted function whose calls are reported; otherwise like the one inside.

    Attributes:
        inner: What is called.
        program: What can be traced and captured in its place.
        function: That was jitted.
        options: Of `jax.jit`.
    """

    def __init__(
        self,
        inner: Any,
        function: Any,
        options: dict[str, Any],
        recorder: JitRecorder,
        program: Any = None,
    ) -> None:
        self.inner = inner
        self.program = inner if program is None else program
        self.function = function
        self.options = options
        self._recorder = recorder
        self._place: str | None = None
        with contextlib.suppress(AttributeError, TypeError):
            functools.update_wrapper(self, function, updated=())
        self.__wrapped__ = function

    def place(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """`file:line` of the function's definition, found at its first call.

        Of a wrapper of a library's, the line that called it where its function is not known.
        """
        if self._place is None:
            function = find_wrapped(self.function, args, kwargs)
            is_wrapper = is_wrapper_of_library(function)
            file, line = find_line() if is_wrapper else ("", 0)
            self._place = f"{file}:{line}" if file else place_of(function)
        return self._place

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._recorder.call(self, args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """As a method: JAX's jitted functions bind like Python's."""
        return self if instance is None else functools.partial(self, instance)

    def __getattr__(self, name: str) -> Any:
        if name == "inner":  # while it is being made or copied
            raise AttributeError(name)
        return getattr(self.inner, name)


Change = tuple[str, str, str, str]
"""Kind, path, before and after."""
MAX_SIGNATURES = 2_000
_MAX_CALLS = 1_000
_MAX_SAID = 8_000
"""Characters of JAX's explanation: of many functions inside of one there are many."""
_JAX_WORDS = {
    "never seen function": {"new_function", "cleared"},
    "different input pytree": {"tree", "static"},
    "different input types": {"shape", "dtype", "weak_type", "sharding"},
    "different tracing context": {"config", "sharding"},
    "different values of static args": {"static"},
    "tracing context doesn't match": {"config", "sharding"},
    "static args": {"static"},
    "static kwargs": {"static", "tree"},
}
_WEIGHTS = {"tree": 3}
"""Where the structure differs, the leaves of the two cannot be compared: that weighs more."""
_DIFFERS = re.compile(r"\* (?P<name>[\w.]+) differs: now (?P<now>.*?) and before (?P<before>.*)")
"""What JAX says about a miss, and the kinds of change that it means by it."""


def handle_recompile(request: dict[str, Any], channel: Channel) -> None:
    """Run the calls of a request, and send each signature that was compiled.

    Raises:
        JaxscopeError: The file or a call is wrong; what was seen before has been sent.
    """
    watch = CompilationWatch(channel)
    watch.recorder.install()
    source, names = load_names(request, channel)
    texts = [str(text) for text in (request.get("calls") or [])[:_MAX_CALLS]]
    texts = texts or [offered.call for offered in find_offered_calls(source.text)]
    if not texts:
        raise CallError(
            say("There is no call to run: none is named, and the file offers none."),
            remedy=say(
                "Name one or several, such as f(f32[10]) and f(f32[11]): after --recompilations of "
                "`jaxscope time`, or one before the question of `jaxscope ask`. What a script "
                "compiles with its own arguments: {command}",
                command=f"`jaxscope run -- {shlex.quote(source.path)}`",
            ),
            kind="NoCall",
        )
    # Arguments are random numbers that JAX makes: what that compiles is none of the user's.
    channel.send("timed", {"call": texts[0], "environment": describe_environment()})
    channel.send("sequence", {"calls": texts})
    conditions = Conditions()
    try:
        for number, text in enumerate(texts, 1):
            channel.progress(
                "call",
                say(
                    "Running call {number} of {total}: {text}",
                    number=number,
                    total=len(texts),
                    text=text[:80],
                ),
            )
            with guard("call", {source.path}):
                call = parse_call(text, names, file=source.path)
            watch.begin(text)
            try:
                watch.run(call)
            except Exception as error:
                _, explanation = explain_exception(error, {source.path}, stage="run")
                where = f" ({explanation.where})" if explanation.where else ""
                channel.send("warning", {"text": f"{text} failed{where}: {explanation.what}"})
    finally:
        watch.recorder.uninstall()  # its own setting is none that the code has changed
        watch.send_counts()
        channel.send("conditions", conditions.numbers())


class CompilationWatch:
    """Numbers the signatures of all jitted functions and finds each one's nearest.

    Args:
        channel: Where they are sent to.
        make_recorder: Of calls of jitted functions.
    """

    def __init__(
        self, channel: Channel, make_recorder: Callable[..., JitRecorder] = JitRecorder
    ) -> None:
        self._channel = channel
        self.recorder = make_recorder(self._on_called, self._on_compiled)
        self._call = ""
        self._known: dict[str, list[tuple[int, CallKey]]] = {}
        self._counts: list[int] = []
        self._jitted: dict[tuple[int, tuple[str, ...]], tuple[Any, RecordedJit]] = {}

    def begin(self, call: str) -> None:
        """The next call of the sequence."""
        self._call = call

    def run(self, call: Call) -> None:
        """Run a call. A function that uses no jit at all is jitted, to see what that would do."""
        before = self.recorder.num_calls + self.recorder.num_within
        composed = call.compose(call.base)
        key = (id(call.base), call.transforms)
        if not compat.is_jitted(composed) and key not in self._jitted:
            self._run(composed, call)
            if self.recorder.num_calls + self.recorder.num_within > before:
                return
            self._channel.send(
                "warning",
                {
                    "text": say(
                        "{name} uses no jit; it was run as jit({name}).", name=name_of(composed)
                    )
                },
            )
        target = composed if compat.is_jitted(composed) else self._jit_once(call, composed)
        self._run(target, call)

    def _run(self, function: Callable[..., Any], call: Call) -> None:
        self.recorder.is_user_code = True
        self.recorder.running = id(call.base), call.transforms
        try:
            result = function(*call.args, **call.kwargs)
            jax.block_until_ready(result)  # type: ignore[no-untyped-call] # JAX does not annotate it
        finally:
            self.recorder.is_user_code = False

    def send_counts(self) -> None:
        """Say how often each signature was called, and what was compiled besides."""
        self._channel.send("signature_calls", {"counts": self._counts})
        programs = [[name, *found] for name, found in self.recorder.outside.items() if found[0]]
        self._channel.send("outside", {"programs": programs[:MAX_SIGNATURES]})

    def _jit_once(self, call: Call, composed: Callable[..., Any]) -> Any:
        """The same jitted function for every call of the same base, as a program would have."""
        key = (id(call.base), call.transforms)
        if key not in self._jitted:
            self._jitted[key] = (call.base, self.recorder.jit(composed))
        return self._jitted[key][1]

    def _on_called(self, jitted: RecordedJit, key: CallKey) -> None:
        number = self.find(key)
        if number is not None:
            self._counts[number] += 1

    def _on_compiled(
        self,
        jitted: RecordedJit,
        key: CallKey,
        seconds: dict[str, float],
        is_from_cache: bool,
        explanation: str,
    ) -> None:
        if len(self._counts) >= MAX_SIGNATURES:
            return
        name = name_of(jitted.function)
        # Libraries wrap many functions by one of theirs, which takes the name of each. `vmap` with
        # other axes is another function on purpose.
        settings = compat.read_transforms(jitted.function)[1]
        family = self._known.setdefault(" ".join((key.place, name, *settings)), [])
        nearest, changes = _find_nearest(key, family, explanation)
        if family and not changes:
            changes = _read_unseen(explanation)
        is_confirmed = agrees(changes, explanation)
        if is_confirmed is False and any(
            agrees(key.changes_from(known), explanation) for _, known in family
        ):
            is_confirmed = None  # JAX compares it with another key, where it is right as well
        number = len(self._counts)
        family.append((number, key))
        self._counts.append(1)
        self._channel.send(
            "signature",
            {
                "number": number,
                "function": name,
                "place": key.place,
                "call": self._call,
                "arguments": key.describe(),
                "nearest": nearest,
                "changes": changes,
                "trace": seconds.get("trace"),
                "lower": seconds.get("lower"),
                "compile": seconds.get("compile"),
                "is_from_cache": is_from_cache,
                "jax_says": _shorten(explanation),
                "agrees": is_confirmed,
            },
        )

    def find(self, key: CallKey) -> int | None:
        """The signature whose program a call found: that of the same key, or the most alike.

        What is in the key need not matter to JAX, such as checks that are switched on.
        """
        alike = [
            (distance(key.changes_from(known)), -number)
            for family in self._known.values()
            for number, known in family
            if known.function == key.function
        ]
        return -min(alike)[1] if alike else None


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SAID else f"{text[:_MAX_SAID]}…"


def agrees(changes: list[Change], explanation: str) -> bool | None:
    """Whether JAX explains a miss by what was found; None for the first, or without a word."""
    said = explanation.lower()
    meant = set().union(*(kinds for words, kinds in _JAX_WORDS.items() if words in said))
    if not meant or not changes:
        return None
    return any(kind in meant for kind, *_ in changes)


def distance(changes: list[Change]) -> int:
    """How far two keys are apart."""
    return sum(_WEIGHTS.get(kind, 1) for kind, *_ in changes)


def _find_nearest(
    key: CallKey, family: list[tuple[int, CallKey]], explanation: str
) -> tuple[int | None, list[Change]]:
    """The key with the fewest differences, and those.

    Of several, the latest that JAX compares with as well: of two equal explanations it gives one.
    """
    found = [(number, key.changes_from(known)) for number, known in reversed(family)]
    if not found:
        return None, []
    return min(found, key=lambda pair: (distance(pair[1]), agrees(pair[1], explanation) is False))


def _read_unseen(explanation: str) -> list[Change]:
    """What made JAX compile again where the keys look alike: JAX's own word, if it has one."""
    if "never seen function" in explanation:
        return [("cleared", "", "", "")]
    settings = [
        ("config", found["name"], found["before"][:500], found["now"][:500])
        for found in _DIFFERS.finditer(explanation)
    ]
    return settings or [("unknown", "", "", "")]
