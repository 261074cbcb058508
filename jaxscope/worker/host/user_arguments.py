"""Arguments and results of functions that a library jits, by the names that a user gave them.

`equinox.filter_jit` gives `jax.jit` a function of tuples: the arrays of the arguments, and apart
from them, static, everything else with the structure. `flax.nnx.jit` gives it lists of the arrays
of modules, each with a description of the module. JAX names what it sees:
`dynamic_nodonate['first'][2]`, `model.states[0][1]`. Here the structures are read, without
importing the libraries; where one does not look as expected, JAX's names stay.

Source: `equinox/_jit.py` of Equinox 0.13, `flax/nnx/graphlib.py` of Flax 0.12.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax

from jaxscope.late_dataclass import dataclass
from jaxscope.worker.host.arguments import leaf_path, parameter_names

_GROUPS = ("fun", "first", "rest")
MARKER = "marker (Equinox)"
"""The result that Equinox adds to those of the function."""


@dataclass(frozen=True)
class UserArguments:
    """What a function was called with, before a library took it apart.

    Attributes:
        function: The user's; None where it is the one that JAX was given.
        args: As they were, or as what says the same where they cannot be had.
        kwargs: Likewise.
        paths: Of each leaf that JAX names, where it sits in these, such as `model.l1.weight`.
        static: Path and value of the leaves that are not traced, where the library makes them so.
    """

    function: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    paths: Mapping[str, str]
    static: tuple[tuple[str, Any], ...] = ()


class Module:
    """Stands for a module of Flax in the text of a call.

    Args:
        name: Of its class.
    """

    def __init__(self, name: str) -> None:
        self.name = name


def find_user_arguments(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> UserArguments | None:
    """What the user called a jitted function of a library's with.

    Args:
        function: What `jax.jit` was given, or its jitted form.
        args: What that is called with.
        kwargs: By name.

    Returns:
        None for other functions, and where the library is of another release.
    """
    try:
        if _is_equinox(args):
            return _read_equinox(function, args)
        if any(map(_is_states, (*args, *kwargs.values()))):
            return _read_flax(function, args, kwargs)
    except Exception:  # its own classes are built again, by its own code
        return None
    return None


def find_user_results(function: Any, args: Sequence[Any], results: Any) -> tuple[str, ...] | None:
    """Where each result of such a function sits in what the user's function returns.

    What `nnx.jit` returns besides are the arguments with what was written into them; these are
    named as the arguments are.

    Args:
        function: As `find_user_arguments` takes it.
        args: Likewise.
        results: What it returns, or anything of that structure.
    """
    pairs = jax.tree_util.tree_flatten_with_path(results)[0]
    try:
        if _is_equinox(args):
            return tuple(
                f"result{jax.tree_util.keystr(path[1:])}" if path[0].idx else MARKER
                for path, _ in pairs
            )
        names, returned = parameter_names(function, args), []
        for (path, _), text in zip(pairs, _list_paths(results), strict=True):
            num_first = 1 if path[0].idx == _RETURNED else 2
            rest = text.removeprefix(jax.tree_util.keystr(path[:num_first]))
            start = "result" if path[0].idx == _RETURNED else leaf_path(path[:2], names)
            returned.append(f"{start}{rest}")
        return tuple(returned)
    except Exception:  # as above
        return None


_RETURNED = 2
"""Of what `nnx.jit` returns: positional arguments, those by name, and what the function returns."""


def _is_equinox(args: Sequence[Any]) -> bool:
    if len(args) != 3 or not all(isinstance(part, dict) for part in args[:2]):
        return False
    is_static = isinstance(args[2], tuple) and len(args[2]) == len(_GROUPS)
    groups = sorted((*args[0], *args[1]))
    return is_static and groups == sorted(_GROUPS)


def _read_equinox(function: Any, args: Sequence[Any]) -> UserArguments:
    given = {**args[0], **args[1]}
    built: dict[str, Any] = {}
    paths: dict[tuple[str, int], tuple[Any, ...]] = {}
    for name, (fixed, tree) in zip(_GROUPS, args[2], strict=True):
        leaves = [
            array if other is None else other
            for array, other in zip(given[name], fixed, strict=True)
        ]
        built[name] = jax.tree.unflatten(tree, leaves)
        found = jax.tree_util.tree_flatten_with_path(built[name])[0]
        if len(found) != len(leaves):
            raise ValueError("it does not come back as it was")
        paths |= {(name, place): path for place, (path, _) in enumerate(found)}
    rest, kwargs = built["rest"]
    whole = (built["first"], *rest)[:-1]  # the last is None, so that there is always a first
    names = parameter_names(built["fun"], whole)

    def name_leaf(group: str, place: int) -> str:
        path = paths[group, place]
        if group == "fun":
            return f"self{jax.tree_util.keystr(path)}"
        if group == "first":
            return f"{names[0]}{jax.tree_util.keystr(path)}"
        number, *others = path
        if number.idx:
            return f"{others[0].key}{jax.tree_util.keystr(tuple(others[1:]))}"
        return f"{names[others[0].idx + 1]}{jax.tree_util.keystr(tuple(others[1:]))}"

    said = parameter_names(function, args)
    pairs = jax.tree_util.tree_flatten_with_path((tuple(args[:2]), {}))[0]
    named = {leaf_path(path, said): name_leaf(path[2].key, path[3].idx) for path, _ in pairs}
    static = [
        (name_leaf(group, place), leaf)
        for group, (fixed, _) in zip(_GROUPS, args[2], strict=True)
        for place, leaf in enumerate(fixed)
        if leaf is not None and group != "fun"
    ]
    return UserArguments(built["fun"], whole, kwargs, named, tuple(static))


# Modules of Flax. The description of a module lists its nodes, and the attributes of each, as they
# are come across on the way down; what was met before is only referred to. An array belongs to each
# variable, and to each attribute that is a leaf.


def _is_states(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ == "NodeStates" and kind.__module__.startswith("flax.")


def _read_flax(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> UserArguments:
    names = parameter_names(function, args)
    whole = (tuple(args), dict(kwargs))
    pairs = jax.tree_util.tree_flatten_with_path(whole)[0]
    paths = {}
    for (path, _), text in zip(pairs, _list_paths(whole), strict=True):
        start = jax.tree_util.keystr(path[:2])
        paths[leaf_path(path, names)] = leaf_path(path[:2], names) + text[len(start) :]
    shown = [Module(_class_name(each)) if _is_states(each) else each for each in args]
    named = {
        name: Module(_class_name(each)) if _is_states(each) else each
        for name, each in kwargs.items()
    }
    return UserArguments(None, tuple(shown), named, paths)


def _class_name(states: Any) -> str:
    return str(states._graphdef.nodes[0].type.__name__)


def _list_paths(tree: Any) -> Iterator[str]:
    """The key path of each leaf as text, within modules as attributes are written."""
    for path, part in jax.tree_util.tree_flatten_with_path(tree, is_leaf=_is_states)[0]:
        start = jax.tree_util.keystr(path)
        if not _is_states(part):
            yield start
            continue
        inside = jax.tree_util.tree_flatten_with_path(part)[0]
        found = list(_walk_module(part._graphdef)) if len(part.states) == 1 else []
        if len(found) != len(inside):
            yield from (start + jax.tree_util.keystr(rest) for rest, _ in inside)
        else:
            yield from (start + text for text in found)


def _walk_module(described: Any) -> Iterator[str]:
    """Where each array of a module is, such as `.layers[0].kernel`."""
    nodes, attributes = iter(described.nodes), iter(described.attributes)

    def walk(node: Any, text: str, is_in_state: bool = False) -> Iterator[str]:
        kind = type(node).__name__
        if kind == "VariableDef":
            yield text
        elif kind == "NodeDef":
            is_in_state |= node.type.__name__ == "State"  # whose keys are attributes, too
            is_dict = node.type is dict and not is_in_state
            for _ in range(node.num_attributes):
                key, what = next(attributes)
                is_attribute = str(key).isidentifier() and not is_dict
                below = f"{text}.{key}" if is_attribute else f"{text}[{key!r}]"
                if type(what).__name__ == "NodeAttr":
                    yield from walk(next(nodes), below, is_in_state)
                elif type(what).__name__ == "LeafAttr":
                    yield below

    return walk(next(nodes), "")
