"""What one side of a comparison is made with: types, precision, donation, remat, XLA's options.

All of these can differ between two programs of one process. What cannot (the number of devices,
environment variables, the interpreter) is set where the process starts.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from jaxscope.errors import CallError, Explanation
from jaxscope.worker.argument_places import ALL, find_array_places
from jaxscope.worker.arguments import is_traceable
from jaxscope.worker.call import Call
from jaxscope.worker.subjects import Forms, find_forms, with_donation, with_settings

DTYPES = ("float16", "bfloat16", "float32", "float64")
POLICIES = (
    "nothing_saveable",
    "everything_saveable",
    "dots_saveable",
    "dots_with_no_batch_dims_saveable",
)
"""JAX's policies that take no arguments."""
AS_WRITTEN = ""
NONE = "none"
_COMPLEX = {"float32": "complex64", "float64": "complex128"}


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """What a program is made with; empty means: as the file has it.

    Attributes:
        precision: Of matrix products, as JAX names it.
        options: XLA's compiler options, name to value.
        dtype: One of `DTYPES`: floating-point arrays among the arguments are cast to it; with
            `float64` 64-bit types are on for this program.
        donate: Names of arguments whose buffers are given away, joined by `+`; `all` or `none`.
        remat: One of `POLICIES`: the base function is rematerialized with it; `none` does nothing.
    """

    precision: str = AS_WRITTEN
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    dtype: str = AS_WRITTEN
    donate: str = AS_WRITTEN
    remat: str = AS_WRITTEN

    def describe(self) -> list[str]:
        """What is set, each in a few words that follow the text of a call."""
        words = [f"in {self.dtype}"] if self.dtype else []
        if self.precision:
            words.append(f"with precision {self.precision}")
        if self.donate:
            donated = {NONE: "nothing", ALL: "all arrays"}.get(self.donate, self.donate)
            words.append(f"with {donated} donated")
        if self.remat:
            words.append("without remat" if self.remat == NONE else f"with remat {self.remat}")
        return words + [f"with {name}={value}" for name, value in self.options.items()]

    def context(self) -> contextlib.AbstractContextManager[Any]:
        """What the program is traced, compiled and called in."""
        return jax.enable_x64(True) if self.dtype == "float64" else contextlib.nullcontext()

    def make_forms(self, call: Call) -> Forms:
        """Both forms of a call with these settings; to be called within `context`.

        Raises:
            CallError: No argument to donate has such a name.
            Exception: Whatever a transform raises when applied.
        """
        if self.dtype:
            call = _with_dtype(call, self.dtype)
        if self.remat not in (AS_WRITTEN, NONE):
            policy = getattr(jax.checkpoint_policies, self.remat)
            call = dataclasses.replace(call, base=with_remat(call.base, policy))
        forms = find_forms(call)
        if self.donate not in (AS_WRITTEN, NONE):
            return with_donation(
                forms, find_array_places(call, self.donate), self.precision, dict(self.options)
            )
        if self.precision or self.options or self.donate:
            return with_settings(forms, self.precision, dict(self.options))
        return forms

    def check(self) -> None:
        """Raises: CallError: A setting has no such value; arguments to donate are not looked at."""
        if self.dtype and self.dtype not in DTYPES:
            raise _no_such("type", self.dtype, DTYPES)
        if self.remat not in (AS_WRITTEN, NONE, *POLICIES):
            raise _no_such("remat policy", self.remat, (NONE, *POLICIES))
        try:
            with jax.default_matmul_precision(self.precision or "default"):
                pass
        except ValueError as error:
            known = ("default", "high", "highest", "bfloat16", "tensorfloat32", "float32")
            raise _no_such("precision", self.precision, known, str(error)[:500]) from None


def read_settings(request: Mapping[str, Any], prefix: str = "") -> Settings:
    """The settings of a request; those of its second side have the prefix `other_`."""

    def text(name: str) -> str:
        return str(request.get(f"{prefix}{name}") or "").strip()

    options = request.get(f"{prefix}options") or {}
    return Settings(
        text("precision"),
        {str(name): str(value) for name, value in options.items()},
        text("dtype"),
        text("donate"),
        text("remat"),
    )


def _with_dtype(call: Call, dtype: str) -> Call:
    def cast(leaf: Any) -> Any:
        own = getattr(leaf, "dtype", None)
        if own is None or not is_traceable(leaf) or jnp.issubdtype(own, jax.dtypes.extended):
            return leaf
        if jnp.issubdtype(own, jnp.floating):
            return jnp.asarray(leaf, dtype)
        if jnp.issubdtype(own, jnp.complexfloating) and dtype in _COMPLEX:
            return jnp.asarray(leaf, _COMPLEX[dtype])
        return leaf

    args, kwargs = jax.tree.map(cast, (call.args, call.kwargs))
    return dataclasses.replace(call, args=args, kwargs=kwargs)


def with_remat(base: Callable[..., Any], policy: Any) -> Callable[..., Any]:
    """The function, rematerialized; what is no array passes around `jax.checkpoint`."""

    def rematerialized(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree.flatten((args, kwargs))
        places = [i for i, leaf in enumerate(leaves) if is_traceable(leaf, scalars=False)]

        def inner(arrays: list[Any]) -> Any:
            merged = list(leaves)
            for place, array in zip(places, arrays, strict=True):
                merged[place] = array
            args, kwargs = jax.tree.unflatten(tree, merged)
            return base(*args, **kwargs)

        return jax.checkpoint(inner, policy=policy)([leaves[place] for place in places])

    return rematerialized


def _no_such(what: str, name: str, known: tuple[str, ...], why: str = "") -> CallError:
    return CallError(
        Explanation(
            what=f"There is no {what} {name!r}.",
            why=why,
            remedy=f"There are: {', '.join(known)[:500]}.",
            kind="NoSetting",
        )
    )
