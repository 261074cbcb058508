"""Random keys that are given a name and that nothing reads.

The equation tells that the key was made in this call; that nothing reads it, the text of its
function tells: another branch of Python may. Meant to be left are a name that `split` makes out of
the same name (`key, subkey = split(key)`), the rest to split again, a name that begins with `_`,
and one that a comment of the function mentions.

The rest is told by its name, where that is the one that is split or has no word for what the key is
for (`rng`, `next_key`), or by its place: where another `split` of the function has a key that is
split again (`k1, k2 = split(key)`, `k3, k4 = split(k2)`).
"""

from __future__ import annotations

import ast
import functools
import linecache
import re
from collections.abc import Iterator, Sequence

from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import BOTH, say, say_joined
from jaxscope.worker.checks.subject import CheckedCall, parse_file

RULE = "key-never-used"
_MADE_BY = {
    "random_seed": ("key", "PRNGKey"),
    "random_split": ("split",),
    "random_fold_in": ("fold_in",),
}
_DISCARDED = ("_", "unused", "dummy")
_WORDS_OF_RESTS = frozenset(
    {"key", "keys", "rng", "rngs", "prng", "prngkey", "seed", "random", "rand", "k", "r", "new"}
    | {"next", "rest", "carry", "carried", "loop", "base", "main", "master", "global"}
    | {
        *("remaining", "retained", "kept", "left", "state", "out", "last", "final", "parent"),
        *("root", "current", "cur"),
    }
    | {"old", "self", "jax", "jrng", "this", "outer", "top", "tmp", "temp", "x", "host", "local"}
)
"""A name of these says only that it is a key, or the one to go on with."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_unused_keys(subject: CheckedCall) -> Iterator[Check]:
    """The names of keys that no line of their function reads."""
    for site in subject.base.sites:
        place = subject.caller_place(site) if site.name in _MADE_BY else None
        names = () if place is None else unread_keys(place[0]).get(place[1:], ())
        if place is not None and names:
            told = say_joined((f"`{name}`" for name in names), BOTH)
            yield Check(
                RULE,
                Severity.INFO,
                say(
                    "Nothing uses the random key {told} that is made here: what was to be drawn "
                    "from it is drawn from another one, or it is one too many.",
                    told=told,
                ),
                say(
                    "Draw from `{name}` where it was meant to be used: jax.random.normal({name}, "
                    "shape); else make one key fewer, or name it _.",
                    name=names[0],
                ),
                "samples/random_keys.py",
                site.id,
                *place[:2],
            )


def unread_keys(file: str) -> dict[tuple[int, int], list[str]]:
    """Names of keys that nothing reads, by line and column of the call that makes them."""
    tree = parse_file(file)
    return {} if tree is None else _unread(tree, file)


@functools.lru_cache(maxsize=32)
def _unread(tree: ast.Module, file: str) -> dict[tuple[int, int], list[str]]:
    """Names that nothing reads, by line and column of the call that makes their keys."""
    found, lines = {}, linecache.getlines(file)
    for function in (node for node in ast.walk(tree) if isinstance(node, _Function)):
        own = list(_own_nodes(function))
        outside = {
            name for n in own if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names
        }
        if any(isinstance(n, ast.Name) and n.id in ("locals", "exec", "eval") for n in own):
            continue
        loops = [n for n in own if isinstance(n, ast.For | ast.While | ast.AsyncFor)]
        outside |= _words_of_comments(lines[function.lineno - 1 : function.end_lineno])
        places = _places_split_again(own)
        for node in own:
            names = _names_of_keys(node, places)
            if names:
                assert isinstance(node, ast.Assign)
                line = node.lineno
                is_again = any(each.lineno <= line <= (each.end_lineno or 0) for each in loops)
                read = {*outside, *_read_after(function, own, None if is_again else node)}
                unread = [name for name in names if name not in read]
                if unread:
                    found[node.value.lineno, node.value.col_offset] = unread
    return found


def _words_of_comments(lines: Sequence[str]) -> set[str]:
    """What is behind a `#`: a line that was commented out may have read a key."""
    return {word for line in lines for word in re.findall(r"\w+", line.partition("#")[2])}


def _own_nodes(function: _Function) -> Iterator[ast.AST]:
    """What stands in a function, functions that are defined in it left out."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _Function | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)


def _names_of_keys(node: ast.AST, places: set[tuple[int, int]]) -> list[str]:
    """The names that a statement gives to new keys and that are not meant to be left."""
    targets = _targets_of_keys(node)
    if not targets:
        return []
    assert isinstance(node, ast.Assign)
    given = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
    names = [each.id if isinstance(each, ast.Name) else "" for each in targets]
    has_rest = not given.isdisjoint(names)  # `rng, key = split(rng)`
    return [
        name
        for place, name in enumerate(names)
        if name
        and name not in given
        and not name.lower().startswith(_DISCARDED)
        and ((has_rest and place) or len(names) == 1 or not _is_rest(name, place, names))
        and (has_rest or (place, len(names)) not in places)
    ]


def _targets_of_keys(node: ast.AST) -> list[ast.expr]:
    """What a statement gives new keys to; nothing where it makes none."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return []
    called, target = node.value.func, node.targets[0]
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    if len(node.targets) > 1 or not any(name in names for names in _MADE_BY.values()):
        return []
    return target.elts if isinstance(target, ast.Tuple | ast.List) else [target]


def _is_rest(name: str, place: int, names: list[str]) -> bool:
    """Whether one of several new keys is what a next split is to take."""
    stem = name.rstrip("0123456789")
    if stem != name:  # `k1, k2`: one of a series, unless the others are none
        return not any(_is_numbered(each, stem) for each in names if each != name)
    words = {word for word in name.lower().split("_") if word}
    return words <= _WORDS_OF_RESTS or (place == 0 and names[1] == f"_{name}")


def _is_numbered(name: str, stem: str) -> bool:
    return name.startswith(stem) and name[len(stem) :].isdigit()


def _places_split_again(own: Sequence[ast.AST]) -> set[tuple[int, int]]:
    """At which places, of how many, a `split` makes the key that a later one splits."""
    split = {
        n.id
        for node in own
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("split")
        for n in node.args[:1]
        if isinstance(n, ast.Name)
    }
    return {
        (place, len(targets))
        for node in own
        for targets in [_targets_of_keys(node)]
        for place, each in enumerate(targets)
        if len(targets) > 1 and isinstance(each, ast.Name) and each.id in split
    }


def _read_after(function: _Function, own: list[ast.AST], node: ast.Assign | None) -> set[str]:
    """Names that a function reads or deletes after a statement, and those that inner ones read."""
    after = (0, 0) if node is None else (node.end_lineno or 0, node.end_col_offset or 0)
    inner = {id(n) for n in own}
    return {
        n.id
        for n in ast.walk(function)
        if isinstance(n, ast.Name)
        and not isinstance(n.ctx, ast.Store)
        and (id(n) not in inner or (n.lineno, n.col_offset) >= after)
    }
