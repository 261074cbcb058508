"""Frozen dataclasses as plain JSON values and back, checked against their annotations.

What is read may be damaged or hostile: every value has the type that its annotation names, or the
whole is refused. A field that is not there takes its default, and one that is not known is left
out, so that files outlive changes of what is measured.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import functools
import math
import types
import typing
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def to_plain(value: Any) -> Any:
    """A value as JSON has it; a number that is not known is null."""
    if isinstance(value, bool) or value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return _plain_number(value)
    if isinstance(value, np.ndarray):
        return [to_plain(item) for item in value.tolist()]
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    if isinstance(value, collections.abc.Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"is": type(value).__name__, **fields}
    raise TypeError(f"a value of the type {type(value).__name__} has no plain form")


def from_plain(wanted: type[T], value: Any) -> T:
    """The value that a plain one stands for.

    Args:
        wanted: A dataclass.

    Raises:
        ValueError: It stands for none.
    """
    found: T = _read(wanted, value)
    return found


def _plain_number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def _read(wanted: Any, value: Any) -> Any:
    if isinstance(wanted, type) and dataclasses.is_dataclass(wanted):
        return _read_dataclass(wanted, value)
    origin, arguments = typing.get_origin(wanted), typing.get_args(wanted)
    if hasattr(origin, "__value__"):  # an alias: `NDArray` is one where Python has a word for it
        return _read(origin.__value__[arguments], value)
    if origin in (typing.Union, types.UnionType):
        return _read_union(arguments, value)
    if wanted is float:
        return _read_number(value)
    if wanted in (int, str, bool):
        if type(value) is not wanted:
            raise ValueError(f"{str(value)[:50]!r} is no {wanted.__name__}")
        return value
    if origin is tuple:
        return _read_tuple(arguments, value)
    if origin is np.ndarray:
        return _read_array(typing.get_args(arguments[1])[0], value)
    if origin in (dict, collections.abc.Mapping):
        return {_read(str, key): _read(arguments[1], item) for key, item in _items(value)}
    raise ValueError(f"values of the type {wanted} are not read")


def _read_number(value: Any) -> float:
    if value is None:
        return math.nan
    if isinstance(value, str) and value in _INFINITE:
        return _INFINITE[value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{str(value)[:50]!r} is no number")
    return float(value)


def _read_tuple(arguments: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{str(value)[:50]!r} is no list")
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(_read(arguments[0], item) for item in value)
    if len(value) != len(arguments):
        raise ValueError(f"a list has {len(value)} items, not {len(arguments)}")
    return tuple(_read(kind, item) for kind, item in zip(arguments, value, strict=True))


def _read_array(dtype: Any, value: Any) -> np.ndarray[Any, Any]:
    kind = float if np.issubdtype(dtype, np.floating) else int
    array = np.array(_read_tuple((kind, ...), value), np.float64 if kind is float else np.int64)
    if kind is int and array.size and np.abs(array).max() > np.iinfo(dtype).max:
        raise ValueError(f"a number of an array is too large for {dtype.__name__}")
    return array.astype(dtype)


def _read_union(arguments: tuple[Any, ...], value: Any) -> Any:
    if value is None and type(None) in arguments:
        return None
    kinds = [kind for kind in arguments if kind is not type(None)]
    if isinstance(value, dict):
        kinds = [kind for kind in kinds if getattr(kind, "__name__", "") == value.get("is")]
    elif len(kinds) > 1:
        kinds = [kind for kind in kinds if kind is type(value)]
    if len(kinds) != 1:
        raise ValueError(f"{str(value)[:50]!r} is none of the things that may stand here")
    return _read(kinds[0], value)


def _read_dataclass(wanted: Any, value: Any) -> Any:
    items = dict(_items(value))
    if items.get("is") != wanted.__name__:
        raise ValueError(f"{str(items.get('is'))[:50]!r} stands where {wanted.__name__} should")
    hints = _hints_of(wanted)
    found = {}
    for field in dataclasses.fields(wanted):
        if field.name in items:
            found[field.name] = _read(hints[field.name], items[field.name])
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise ValueError(f"{wanted.__name__} lacks {field.name}")
    return wanted(**found)


@functools.cache
def _hints_of(wanted: Any) -> dict[str, Any]:
    return typing.get_type_hints(wanted)


def _items(value: Any) -> typing.ItemsView[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{str(value)[:50]!r} has no fields")
    return value.items()
