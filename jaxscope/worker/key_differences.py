"""Where two values that decide about compiling differ: that part, and not the whole of them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import Any

import jax

from jaxscope.worker.values import value_text

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
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else value_text(value)


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


@dataclasses.dataclass(frozen=True, slots=True)
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
    same_kind = old is not None and new is not None and old[0] is new[0]
    if same_kind and not is_equal(old[1], new[1]) and not isinstance(old[1], type):
        kind = old[0].__name__
        if issubclass(old[0], dict):
            yield name, *_around(f"keys {_keys(old[1])}", f"keys {_keys(new[1])}")
            return
        for path, old_text, new_text in find_value_differences(old[1], new[1]):
            yield f"{name or kind}, data of {kind}{path}", old_text, new_text
        return
    yield name, *_around(_tree_text(old_tree), _tree_text(new_tree))


def _keys(data: Any) -> str:
    return ", ".join(map(str, data)) if isinstance(data, tuple | list) else str(data)


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
