"""The arguments of a call as JAX sees them: what is traced, what is static, what each is called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from jaxscope.worker.call import Call
from jaxscope.worker.values import value_text

_SCALARS = (bool, int, float, complex)


def _is_scalar(leaf: Any) -> bool:
    return isinstance(leaf, _SCALARS) and not isinstance(leaf, np.generic)


def is_traceable(leaf: Any, *, scalars: bool = True) -> bool:
    """Whether `jit` would trace a leaf: arrays, and Python scalars where wanted."""
    if _is_scalar(leaf):
        return scalars
    return isinstance(leaf, jax.Array | np.ndarray | np.generic | jax.ShapeDtypeStruct) or hasattr(
        leaf, "__jax_array__"
    )


@jax.tree_util.register_pytree_node_class
class StaticBox:
    """A leaf that is not traced, in the shape of a pytree without leaves."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def tree_flatten(self) -> tuple[tuple[()], StaticBox]:
        return (), self

    @classmethod
    def tree_unflatten(cls, box: StaticBox, _children: Sequence[Any]) -> StaticBox:
        return box


class Arguments:
    """The arguments of a call, those that JAX cannot trace set apart."""

    def __init__(self, call: Call, *, scalars_are_static: bool = False) -> None:
        self._call = call
        self._scalars = not scalars_are_static
        pairs = jax.tree_util.tree_flatten_with_path((call.args, call.kwargs))[0]
        leaves = [leaf for _, leaf in pairs]
        self.has_scalars = any(map(_is_scalar, leaves))
        names = parameter_names(call.base, call.args)
        self._scalar_paths = {
            leaf_path(path, names): value_text(leaf) for path, leaf in pairs if _is_scalar(leaf)
        }
        self.static = tuple(
            (leaf_path(path, names), value_text(leaf))
            for path, leaf in pairs
            if not is_traceable(leaf, scalars=self._scalars)
        )

    def static_besides(self, traced_paths: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Path and text of every static leaf, with the scalars that a `jit` itself took as such."""
        known = {*traced_paths, *(path for path, _ in self.static)}
        # JAX calls what `**options` collects `options['n']`.
        known |= {path.rpartition("['")[2].removesuffix("']") for path in traced_paths}
        taken = (pair for pair in self._scalar_paths.items() if pair[0] not in known)
        return (*self.static, *taken)

    def boxed(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if not self.static:
            return self._call.args, self._call.kwargs

        def box(leaf: Any) -> Any:
            return leaf if is_traceable(leaf, scalars=self._scalars) else StaticBox(leaf)

        boxed: tuple[tuple[Any, ...], dict[str, Any]] = jax.tree.map(
            box, (self._call.args, self._call.kwargs)
        )
        return boxed

    def unboxing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if not self.static:
            return function

        def unbox(leaf: Any) -> Any:
            return leaf.value if isinstance(leaf, StaticBox) else leaf

        def unboxed(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = jax.tree.map(
                unbox, (args, kwargs), is_leaf=lambda leaf: isinstance(leaf, StaticBox)
            )
            return function(*args, **kwargs)

        return named_like(function, unboxed)


def keep_arrays(result: Any, left_out: list[str] | None = None) -> Any:
    """A result with None in place of every leaf that is no array, if it has any arrays.

    Libraries that filter, as Equinox does, give models back whole, their functions included.

    Args:
        left_out: Takes the paths of what was left out.
    """
    pairs, tree = jax.tree_util.tree_flatten_with_path(result)
    is_array = [is_traceable(leaf) for _, leaf in pairs]
    if all(is_array) or not any(is_array):
        return result
    if left_out is not None:
        paths = [path for (path, _), is_kept in zip(pairs, is_array, strict=True) if not is_kept]
        left_out.extend(f"result{jax.tree_util.keystr(path)}" for path in paths)
    kept = [leaf if fits else None for (_, leaf), fits in zip(pairs, is_array, strict=True)]
    return jax.tree.unflatten(tree, kept)


def named_like(
    original: Any, function: Callable[..., Any], *, keep_signature: bool = True
) -> Callable[..., Any]:
    """Give a stand-in the name, and so the parameter names, of what it stands for."""
    for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
        value = getattr(original, attribute, None)
        if isinstance(value, str):
            setattr(function, attribute, value)
    if keep_signature:
        function.__wrapped__ = original  # type: ignore[attr-defined] # as functools does
    return function


def parameter_names(function: Any, args: Sequence[Any]) -> list[str]:
    """A name for each positional argument: the parameter's, or `args[2]`."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names: list[str] = []
    for index in range(len(args)):
        if index < len(parameters) and parameters[index].kind in (
            inspect.Parameter.POSITIONAL_ONLY,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
        ):
            names.append(parameters[index].name)
        else:
            variadic = next(
                (p for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL), None
            )
            if variadic is None:
                names.append(f"args[{index}]")
            else:
                names.append(f"{variadic.name}[{index - parameters.index(variadic)}]")
    return names


def leaf_path(path: Sequence[Any], names: Sequence[str]) -> str:
    """Text of a key path into `(args, kwargs)`: `params['w']`, `x`."""
    which, position = path[0], path[1]
    rest = jax.tree_util.keystr(tuple(path[2:]))
    if getattr(which, "idx", 0) == 0:
        return f"{names[position.idx]}{rest}"
    return f"{position.key}{rest}"
