"""The arguments of a call as JAX sees them: what is traced, what is static, what each is called,
and which arrays a name means.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from jaxscope.errors import CallError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import say
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.values import value_text

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


@dataclass(frozen=True)
class _Path:
    """A key path as one key: its text is that of the whole."""

    text: str

    def __str__(self) -> str:
        return self.text


@jax.tree_util.register_pytree_with_keys_class
class Leaves:
    """Some leaves of a pytree, in its stead: nobody's class is rebuilt without the others.

    Args:
        pairs: Path and value of each leaf.
        rest: Whatever else is to be remembered, compared by identity.
    """

    def __init__(self, pairs: Sequence[tuple[str, Any]], rest: Any = None) -> None:
        self.pairs = tuple(pairs)
        self.rest = rest

    @property
    def values(self) -> tuple[Any, ...]:
        """The leaves."""
        return tuple(value for _, value in self.pairs)

    def tree_flatten_with_keys(self) -> tuple[list[tuple[Any, Any]], Any]:
        return [(_Path(text), value) for text, value in self.pairs], self._structure()

    def tree_flatten(self) -> tuple[tuple[Any, ...], Any]:
        return self.values, self._structure()

    def _structure(self) -> Any:
        return tuple(text for text, _ in self.pairs), self.rest

    @classmethod
    def tree_unflatten(cls, structure: Any, values: Sequence[Any]) -> Leaves:
        texts, rest = structure
        return cls(list(zip(texts, values, strict=True)), rest)


class _StaticPart:
    """What is left of an argument without its traced leaves; equal to itself only."""

    def __init__(self, leaves: Sequence[Any], tree: Any, traced: Sequence[int]) -> None:
        self._leaves, self._tree, self._traced = leaves, tree, traced

    def rebuild(self, values: Sequence[Any]) -> Any:
        """The argument with these values in place of its traced leaves."""
        leaves = list(self._leaves)
        for index, value in zip(self._traced, values, strict=True):
            leaves[index] = value
        return jax.tree.unflatten(self._tree, leaves)


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
        """The arguments as JAX can trace them."""
        return box_statics(self._call.args, self._call.kwargs, scalars=self._scalars)

    def unboxing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the boxed arguments."""
        if not self.static:
            return function

        def unboxed(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = unbox_statics(args, kwargs)
            return function(*args, **kwargs)

        return named_like(function, unboxed)


def box_statics(
    args: Sequence[Any], kwargs: Mapping[str, Any], *, scalars: bool = True
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments that JAX can trace: those with leaves that it cannot are `Leaves`.

    Args:
        scalars: Whether Python scalars are to be traced.
    """

    def box(argument: Any) -> Any:
        pairs, tree = jax.tree_util.tree_flatten_with_path(argument)
        leaves = [leaf for _, leaf in pairs]
        traced = [i for i, leaf in enumerate(leaves) if is_traceable(leaf, scalars=scalars)]
        if len(traced) == len(leaves):
            return argument
        kept = [(jax.tree_util.keystr(pairs[i][0]), leaves[i]) for i in traced]
        return Leaves(kept, _StaticPart(leaves, tree, traced))

    return tuple(map(box, args)), {name: box(value) for name, value in kwargs.items()}


def split_leaves(
    function: Callable[..., Any],
    arguments: tuple[tuple[Any, ...], dict[str, Any]],
    places: Sequence[int],
) -> tuple[Callable[[list[Any], list[Any]], Any], list[Any], list[Any]]:
    """A function of some leaves of its arguments and of the others, and both.

    Args:
        function: Of the whole arguments.
        arguments: Positional and keyword ones.
        places: Of the leaves that are set apart, among all.

    Returns:
        The function; the leaves that are set apart; all leaves, with None in the places of those.
    """
    leaves, tree = jax.tree.flatten(arguments)

    def merged(apart: list[Any], rest: list[Any]) -> Any:
        values = list(rest)
        for place, value in zip(places, apart, strict=True):
            values[place] = value
        args, kwargs = jax.tree.unflatten(tree, values)
        return function(*args, **kwargs)

    rest = [None if place in places else leaf for place, leaf in enumerate(leaves)]
    return merged, [leaves[place] for place in places], rest


def unbox_statics(
    args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments as they were before `box_statics`, with what their leaves are by now."""

    def unbox(argument: Any) -> Any:
        is_boxed = isinstance(argument, Leaves) and isinstance(argument.rest, _StaticPart)
        return argument.rest.rebuild(argument.values) if is_boxed else argument

    return tuple(map(unbox, args)), {name: unbox(value) for name, value in kwargs.items()}


def keep_arrays(result: Any, left_out: list[str] | None = None) -> Any:
    """The arrays alone of a result that has other leaves besides; any other result as it is.

    Libraries that filter, as Equinox does, give models back whole, their functions included.

    Args:
        left_out: Takes the paths of what was left out.
    """
    pairs = jax.tree_util.tree_flatten_with_path(result)[0]
    is_array = [is_traceable(leaf) for _, leaf in pairs]
    if all(is_array) or not any(is_array):
        return result
    if left_out is not None:
        paths = [path for (path, _), is_kept in zip(pairs, is_array, strict=True) if not is_kept]
        left_out.extend(f"result{jax.tree_util.keystr(path)}" for path in paths)
    return _keep_arrays(result)


def _keep_arrays(result: Any) -> Any:
    """The arrays alone: None for other leaves, `Leaves` for objects that hold some."""
    if type(result) is dict:
        return {key: _keep_arrays(value) for key, value in result.items()}
    if type(result) in (tuple, list):
        return type(result)(map(_keep_arrays, result))
    pairs = jax.tree_util.tree_flatten_with_path(result)[0]
    kept = [(jax.tree_util.keystr(path), leaf) for path, leaf in pairs if is_traceable(leaf)]
    if len(kept) == len(pairs):
        return result
    return Leaves(kept) if kept else None


class _FunctionProxy:
    """A function that passes for another one, as far as JAX looks.

    JAX's transforms take over what stands in `__dict__`, so nothing of ours may stand there.
    """

    __slots__ = ("__dict__", "__weakref__", "_function", "_keeps_signature", "_original")

    def __init__(self, original: Any, function: Callable[..., Any], keeps_signature: bool) -> None:
        self._original, self._function = original, function
        self._keeps_signature = keeps_signature
        self.__dict__.update(getattr(original, "__dict__", None) or {})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name in {"__name__", "__qualname__", "__annotations__", "__code__"}:
            return getattr(self._original, name)
        raise AttributeError(name)

    @property
    def __signature__(self) -> inspect.Signature | None:
        try:
            return inspect.signature(self._original if self._keeps_signature else self._function)
        except (TypeError, ValueError):
            return None

    __doc__ = property(lambda self: getattr(self._original, "__doc__", None))
    __module__ = property(lambda self: getattr(self._original, "__module__", None))


def named_like(
    original: Any, function: Callable[..., Any], *, keep_signature: bool = True
) -> Callable[..., Any]:
    """Give a stand-in the name, and so the parameter names, of what it stands for."""
    return _FunctionProxy(original, function, keep_signature)


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


ALL = "all"


def find_array_places(call: Call, wanted: str = ALL) -> list[int]:
    """Places of the arrays that are named.

    Args:
        wanted: Names joined by `+`, of whole arguments or of parts of them, or `all`.

    Raises:
        CallError: The call has no array of such a name.
    """
    names = parameter_names(call.base, call.args)
    pairs = jax.tree_util.tree_flatten_with_path((call.args, call.kwargs))[0]
    arrays = {
        place: leaf_path(path, names)
        for place, (path, leaf) in enumerate(pairs)
        if is_traceable(leaf, scalars=False)
    }
    if wanted == ALL:
        return list(arrays)
    chosen = [word.strip() for word in wanted.split("+")]
    for word in chosen:
        if not any(_is_part(path, word) for path in arrays.values()):
            raise _no_array(word, tuple(dict.fromkeys(arrays.values())))
    return [p for p, path in arrays.items() if any(_is_part(path, word) for word in chosen)]


def _is_part(path: str, name: str) -> bool:
    return path == name or path.startswith((f"{name}[", f"{name}."))


def _no_array(name: str, known: tuple[str, ...]) -> CallError:
    return CallError(
        say("There is no array argument {name}.", name=repr(name)),
        remedy=say("There are: {names}.", names=", ".join(known)[:500])
        if known
        else say("The call has none."),
        kind="NoSetting",
    )
