"""Short texts for types and values, and the deterministic arrays that calls may name."""

from __future__ import annotations

import math
import re
import reprlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.model.types import SHORTHANDS
from jaxscope.model.units import shorten
from jaxscope.worker import compat

_FLOAT8_NAMES = (
    *("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz"),
    *("float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
)
MAX_TEXT = 200
_MAX_ITEMS = 16


def find_shorthand(name: str) -> str:
    """What calls write for a type's long name: `f32` for `float32`; empty for other names."""
    return next((short for short, long in SHORTHANDS.items() if long == name != short), "")


def aval_text(aval: Any) -> str:
    """A type as JAX prints it: `f32[8,128]`, `key<fry>[]`."""
    if isinstance(aval, jax.ShapeDtypeStruct):  # of results, before anything is run
        aval = jax.core.ShapedArray(aval.shape, aval.dtype)
    short = getattr(aval, "str_short", None)
    try:
        return str(short(short_dtypes=True)) if short is not None else str(aval)
    except TypeError:
        return str(aval)


def aval_bytes(aval: Any) -> int:
    """Payload bytes: `prod(shape) * itemsize`, without padding; 0 where a size is symbolic."""
    try:
        return int(math.prod(aval.shape)) * int(aval.dtype.itemsize)
    except (AttributeError, TypeError, ValueError):
        return 0


_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = MAX_TEXT
_repr.maxtuple = _repr.maxlist = _repr.maxdict = _MAX_ITEMS
_repr.maxlevel = 4


_NUMPY_NUMBER = re.compile(r"\bnp\.[a-z]+\d+\(([^()]*)\)")


def value_text(value: Any) -> str:
    """One short line for any value; never the contents of a large array, and never raises."""
    if type(value) is tuple and len(value) <= _MAX_ITEMS and {*map(type, value)} == {int}:
        return shorten(repr(value), MAX_TEXT)  # as below; most parameters are such
    try:
        return shorten(" ".join(_describe(value).split()), MAX_TEXT)
    except Exception:
        return f"<{type(value).__name__}>"


def _describe(value: Any) -> str:
    if type(value) is int:  # most parameters are, or tuples of a few of them
        return repr(value)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        inner = ", ".join([_describe(item) for item in value[:_MAX_ITEMS]])
        return (
            f"({inner}{', …' if len(value) > _MAX_ITEMS else ''}{',' if len(value) == 1 else ''})"
        )
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return repr(value)
    for plain in (int, float, complex):  # JAX's literals are subclasses with a longer repr
        if isinstance(value, plain):
            return plain.__repr__(value)
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return _describe_array(value)
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return np.dtype(value).name
    if callable(value):
        return (
            getattr(value, "__qualname__", None) or getattr(value, "__name__", None) or repr(value)
        )
    if compat.is_jaxpr(value):
        return f"jaxpr of {len(compat.open_jaxpr(value).eqns)} equations"
    return _NUMPY_NUMBER.sub(r"\1", _repr.repr(value))


def _describe_array(value: Any) -> str:
    if isinstance(value, np.generic | np.ndarray) and value.size == 1:
        return str(value.item())
    if isinstance(value, jax.Array) and not isinstance(value, compat.Tracer) and value.size == 1:
        return str(np.asarray(value).item()) if jnp.issubdtype(value.dtype, np.generic) else "key"
    if hasattr(value, "__array__") and not isinstance(value, jax.Array) and value.size == 1:
        return str(np.asarray(value).item())  # a literal of JAX 0.8
    return aval_text(jax.typeof(value) if not isinstance(value, jax.ShapeDtypeStruct) else value)


class ArrayShorthand:
    """`f32[8, 2]`: a deterministic random array, seeded by its position in the call.

    Floats are standard normal, integers uniform in 0..9 (`i4`: 0..7), booleans fair, complex
    normal.
    """

    def __init__(self, dtype: Any, position: int = 0) -> None:
        self._dtype = np.dtype(dtype)
        self._position = position

    def at_position(self, position: int) -> ArrayShorthand:
        """The shorthand where it stands in a call: evaluated twice, it gives the same array."""
        return ArrayShorthand(self._dtype, position)

    def __getitem__(self, shape: Any) -> Any:
        dimensions = shape if isinstance(shape, tuple) else (shape,)
        sizes = tuple(_check_size(size) for size in dimensions)
        return _random_array(_available_dtype(self._dtype), sizes, self._position)

    def __repr__(self) -> str:
        return f"<array shorthand {self._dtype.name}>"

    def __call__(self, value: Any) -> Any:
        """`f32(3)`: that value in this dtype, as `numpy.float32(3)` would give."""
        # Without a dtype: given one, JAX leaves the array on one device under `jax.set_mesh`.
        return jnp.asarray(np.asarray(value, _available_dtype(self._dtype)))


def is_float(value: Any) -> bool:
    """Whether it is an array of floats, or the type of one."""
    dtype = getattr(value, "dtype", None)
    return dtype is not None and bool(jnp.issubdtype(dtype, jnp.floating))


def is_plain_array(value: Any) -> bool:
    """Whether it is an array that NumPy holds as well: keys of random numbers are none."""
    dtype = getattr(value, "dtype", None)
    return dtype is not None and not jnp.issubdtype(dtype, jax.dtypes.extended)


_narrowed: dict[str, str] = {}


def narrowed_dtypes() -> dict[str, str]:
    """The 64-bit dtypes that shorthands asked for and did not get, with what they got."""
    return dict(_narrowed)


def _available_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that JAX gives: without x64 a narrow one for every wide one."""
    given = np.dtype(jax.dtypes.canonicalize_dtype(dtype))
    if given != dtype:
        _narrowed[dtype.name] = given.name
    return given


def _check_size(size: Any) -> int:
    try:
        number = size.__index__()
    except AttributeError:
        raise TypeError(f"the size of an array must be an integer, not {size!r}") from None
    if number < 0:
        raise ValueError(f"the size of an array cannot be negative: {number}")
    return int(number)


def _random_array(dtype: np.dtype[Any], shape: tuple[int, ...], seed: int) -> Any:
    generator = np.random.default_rng(seed)
    if dtype == np.bool_:
        return jnp.asarray(generator.integers(0, 2, shape).astype(np.bool_))
    if jnp.issubdtype(dtype, jnp.integer):
        limits = jnp.iinfo(dtype)  # type: ignore[no-untyped-call] # JAX does not annotate it
        end = min(10, int(limits.max) + 1)
        return jnp.asarray(generator.integers(0, end, shape).astype(dtype))
    if jnp.issubdtype(dtype, jnp.complexfloating):
        real, imaginary = generator.standard_normal((2, *shape))
        return jnp.asarray((real + 1j * imaginary).astype(dtype))
    precision = np.float64 if dtype == np.float64 else np.float32
    return jnp.asarray(generator.standard_normal(shape, precision).astype(dtype))


def shorthands() -> dict[str, ArrayShorthand]:
    """The names that a call may use for arrays."""
    names = {short: getattr(jnp, full) for short, full in SHORTHANDS.items()}
    names |= {name: getattr(jnp, name) for name in _FLOAT8_NAMES if hasattr(jnp, name)}
    names |= {
        f"f8_{name.removeprefix('float8_')}": getattr(jnp, name)
        for name in _FLOAT8_NAMES
        if hasattr(jnp, name)
    }
    return {name: ArrayShorthand(dtype) for name, dtype in names.items()}
