"""What a call can reach and could change: its arguments, and what its functions see by name.

It is read before and after a call, part by part, so that what differs has a name. Followed are the
user's own functions, classes and objects; those of libraries are left alone.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator
import random
import sys
import types
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from jaxscope.worker.host.arguments import parameter_names

_MAX_VISITED = 2_000
"""Objects that are looked at to find functions."""
_MAX_PARTS = 20_000
"""Further parts are not watched."""
_MAX_READ_BYTES = 1 << 28
"""Of NumPy's arrays; of larger ones a part of the elements is read."""
_MOST_READ = 65_536
_PLAIN_TYPES = (bool, int, float, complex, str, bytes)
_ATOMS = frozenset(
    {"jax", "jaxlib", "numpy", "builtins", "logging", "threading", "_thread", "concurrent"}
    | {"asyncio", "multiprocessing", "io", "_io", "weakref", "_weakref", "functools", "itertools"}
)
"""Packages whose objects have no parts that a function of the user's would change."""
_PYTHONS_RANDOM = "Python's `random`"
_NUMPYS_RANDOM = "NumPy's `np.random`"


@dataclasses.dataclass(frozen=True, eq=False)
class Reach:
    """What a call can reach by name.

    Attributes:
        functions: The user's own functions.
        values: What they see besides their arguments, by how it is written.
    """

    functions: tuple[types.FunctionType, ...]
    values: Mapping[str, Any]


def find_reach(base: Any) -> Reach:
    """Follow the names that the functions of a call use."""
    functions: list[types.FunctionType] = []
    values: dict[str, Any] = {}
    waiting: deque[Any] = deque([base])
    seen: dict[int, Any] = {}
    owner = getattr(base, "__self__", None)
    if owner is None and _is_own_object(base):
        owner = base
    if owner is not None and not isinstance(owner, types.ModuleType | type):
        values["self"] = owner
    while waiting and len(seen) < _MAX_VISITED:
        value = waiting.popleft()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, types.FunctionType):
            if _is_own(value.__module__, value.__code__.co_filename):
                functions.append(value)
                for label, named in _named_values(value):
                    if values.setdefault(label, named) is not named:  # another file's
                        values.setdefault(f"{value.__module__}.{label}", named)
                    waiting.append(named)
        elif isinstance(value, type):
            if _is_own(value.__module__):
                values.setdefault(value.__name__, value)
                waiting.extend(vars(value).values())
        elif isinstance(value, list | tuple | set | frozenset):
            waiting.extend(itertools.islice(value, _MAX_VISITED))
        elif isinstance(value, dict):
            waiting.extend(itertools.islice(value.values(), _MAX_VISITED))
        elif _is_own_object(value):
            waiting.append(type(value))
            waiting.extend(child for _, child in _attributes_of(value) or ())
        if isinstance(value, functools.partial):
            names = parameter_names(value.func, value.args)
            values.update({**dict(zip(names, value.args, strict=True)), **value.keywords})
            waiting.extend([value.func, *value.args, *value.keywords.values()])
        waiting.extend(_inside_of(value))
    return Reach(tuple(functions), values)


def _inside_of(value: Any) -> Iterator[Any]:
    """Functions and objects that a method, a wrapper or a descriptor stands for."""
    if _is_own_object(value):
        return  # its attributes are followed without asking its class
    for name in ("__func__", "__self__", "__wrapped__", "fget"):
        inside = getattr(value, name, None)
        if inside is not None and not isinstance(inside, types.ModuleType):
            yield inside


def _named_values(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function sees besides its arguments: by how it writes it."""
    names = set(_names_in(function.__code__))
    for name in sorted(names & function.__globals__.keys()):
        value = function.__globals__[name]
        if not isinstance(value, types.ModuleType):
            yield name, value
        elif _is_own(value.__name__):
            for attribute in sorted(names & vars(value).keys()):
                yield f"{name}.{attribute}", vars(value)[attribute]
    yield from cells_of(function)
    positional = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = function.__defaults__ or ()
    yield from zip(positional[len(positional) - len(defaults) :], defaults, strict=True)
    yield from (function.__kwdefaults__ or {}).items()
    for name, value in vars(function).items():
        if name != "__wrapped__":
            yield f"{function.__name__}.{name}", value


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


def cells_of(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The variables of enclosing functions, by name."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not filled yet
            continue


@functools.lru_cache(maxsize=4096)
def _is_own(module: str | None, file: str = "") -> bool:
    """Whether the user wrote it: no library did, nor JAX, nor jaxscope."""
    top = str(module or "").partition(".")[0]
    file = file or str(getattr(sys.modules.get(str(module)), "__file__", "") or "")
    is_known = top in sys.stdlib_module_names or top in ("jax", "jaxlib", "jaxscope", "builtins")
    return not (is_known and top != "__main__") and "-packages" not in file


def _is_own_object(value: Any) -> bool:
    return not isinstance(value, type | types.FunctionType) and _is_own(type(value).__module__)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part of what can be reached: the object, and what it holds where it is no container.

    Attributes:
        value: The object; of a container its class.
        content: The number of its parts, or a number that says what is in it.
    """

    value: Any
    content: int = 0

    def is_same(self, other: Part | None) -> bool:
        """Whether it is that, with the same in it."""
        if other is None or self.content != other.content:
            return False
        is_equal = type(self.value) in _PLAIN_TYPES and type(self.value) is type(other.value)
        return self.value is other.value or (is_equal and bool(self.value == other.value))

    @property
    def draws(self) -> bool:
        """Whether it makes random numbers."""
        return _has_state(self.value)


def find_changed(before: Mapping[str, Part], now: Mapping[str, Part]) -> list[str]:
    """The paths of the parts that are not what they were, outermost first."""
    changed = [path for path, part in now.items() if not part.is_same(before.get(path))]
    return changed + [path for path in before if path not in now]


def find_parts(values: Mapping[str, Any]) -> Iterator[tuple[str, Part]]:
    """Each part of some values by its path, outermost first: a container by its kind and size.

    So a container that is replaced by one that holds the same is the same.
    """
    waiting = deque(values.items())
    seen: dict[int, Any] = {}  # the objects too: an id is another's once its object is gone
    left_bytes = _MAX_READ_BYTES
    for _ in range(_MAX_PARTS):
        if not waiting:
            return
        path, value = waiting.popleft()
        inside = _children(value)
        if inside is None:
            yield path, Part(value, _read_content(value, left_bytes))
            left_bytes -= min(getattr(value, "nbytes", 0), left_bytes)
            continue
        is_sized = isinstance(value, dict | list | tuple | set | frozenset | deque)
        yield path, Part(type(value), len(value) if is_sized else len(inside))
        if id(value) not in seen:
            seen[id(value)] = value
            waiting.extend((f"{path}{key}", child) for key, child in inside)


def read_global_generators() -> dict[str, Part]:
    """The generators of random numbers that every function can use."""
    return {
        _PYTHONS_RANDOM: Part(random, hash(random.getstate())),
        _NUMPYS_RANDOM: Part(np.random, hash(str(np.random.get_state(legacy=False)))),
    }


def _children(value: Any) -> list[tuple[str, Any]] | None:
    """What a container or an object holds, by how it is written; None where it is neither."""
    if isinstance(value, dict):
        items = itertools.islice(value.items(), _MAX_PARTS)
        return [(f"[{key!r}]"[:60], child) for key, child in items]
    if isinstance(value, list | tuple | deque):
        elements = itertools.islice(value, _MAX_PARTS)
        return [(f"[{number}]", child) for number, child in enumerate(elements)]
    if isinstance(value, set | frozenset):
        return [(f" has {child!r}"[:60], child) for child in itertools.islice(value, _MAX_PARTS)]
    if isinstance(value, type):
        own = vars(value).items() if _is_own(value.__module__) else ()
        return [(f".{name}", child) for name, child in own if not _is_definition(name, child)]
    if type(value).__module__.partition(".")[0] in _ATOMS or _has_state(value):
        return None
    found = _attributes_of(value)
    return [(f".{name}", child) for name, child in found] if found is not None else None


def _is_definition(name: str, value: Any) -> bool:
    """Whether it is part of how a class is written, and no value that it keeps."""
    return name.startswith("__") or callable(value) or hasattr(value, "__get__")


def _attributes_of(value: Any) -> list[tuple[str, Any]] | None:
    attributes = getattr(value, "__dict__", None)
    names = [name for kind in type(value).__mro__ for name in _slots_of(kind)]
    if attributes is None and not names:
        return None
    slots = {name: getattr(value, name) for name in names if hasattr(value, name)}
    return list({**(attributes or {}), **slots}.items())


def _slots_of(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _read_content(value: Any, most_bytes: int) -> int:
    """A number that says what an array of NumPy's, a generator or a cache holds; else 0."""
    if _has_state(value):
        return hash(_read_state(value))
    if isinstance(value, functools._lru_cache_wrapper):
        return value.cache_info().misses
    if isinstance(value, itertools.count):
        return hash(repr(value))
    if isinstance(value, bytearray):
        return zlib.crc32(value)
    if type(value).__name__.endswith("_iterator"):
        return operator.length_hint(value, 0)
    if not isinstance(value, np.ndarray):
        return 0
    if value.dtype.hasobject:
        return hash(tuple(map(id, value.reshape(-1)[:_MAX_PARTS])))
    if value.nbytes > most_bytes:
        value = value.reshape(-1)[:: max(1, value.size // _MOST_READ)]
    return zlib.crc32(np.ascontiguousarray(value).tobytes())


def _has_state(value: Any) -> bool:
    """Whether it is a generator of random numbers that come from a state."""
    if isinstance(value, types.ModuleType):
        return value in (random, np.random)
    kinds = (random.Random, np.random.Generator, np.random.RandomState, np.random.BitGenerator)
    return isinstance(value, kinds) and not isinstance(value, random.SystemRandom)


def _read_state(value: Any) -> str:
    if isinstance(value, random.Random):
        return str(hash(value.getstate()))
    if isinstance(value, np.random.Generator):
        return str(value.bit_generator.state)
    if isinstance(value, np.random.BitGenerator):
        return str(value.state)
    return str(value.get_state(legacy=False))
