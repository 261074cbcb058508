"""Random keys that are given a name and that nothing reads.

The equation tells that the key was made in this call; that nothing reads it, the text of its
function tells: another branch of Python may. Meant to be left are a name that `split` makes out of
the same name (`key, subkey = split(key)`), the rest to split again, which stands first (`rng, one =
split(other)`), and a name that begins with `_`.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

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
_RESTS = frozenset({"key", "rng", "prng", "seed", "rng_key", "prng_key", "random_key", "carry_key"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_unused_keys(subject: CheckedCall) -> Iterator[Check]:
    """The names of keys that no line of their function reads."""
    for site in subject.base.sites:
        place = subject.caller_place(site) if site.name in _MADE_BY else None
        tree = parse_file(place[0]) if place is not None else None
        if place is None or tree is None:
            continue
        names = _unread(tree).get(place[1:], ())
        if names:
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


@functools.lru_cache(maxsize=32)
def _unread(tree: ast.Module) -> dict[tuple[int, int], list[str]]:
    """Names that nothing reads, by line and column of the call that makes their keys."""
    found = {}
    for function in (node for node in ast.walk(tree) if isinstance(node, _Function)):
        own = list(_own_nodes(function))
        outside = {
            name for n in own if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names
        }
        if any(isinstance(n, ast.Name) and n.id in ("locals", "exec", "eval") for n in own):
            continue
        loops = [n for n in own if isinstance(n, ast.For | ast.While | ast.AsyncFor)]
        for node in own:
            names = _names_of_keys(node)
            if names:
                assert isinstance(node, ast.Assign)
                line = node.lineno
                is_again = any(each.lineno <= line <= (each.end_lineno or 0) for each in loops)
                read = {*outside, *_read_after(function, own, None if is_again else node)}
                unread = [name for name in names if name not in read]
                if unread:
                    found[node.value.lineno, node.value.col_offset] = unread
    return found


def _own_nodes(function: _Function) -> Iterator[ast.AST]:
    """What stands in a function, functions that are defined in it left out."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _Function | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)


def _names_of_keys(node: ast.AST) -> list[str]:
    """The names that a statement gives to new keys and that are not meant to be left."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return []
    called, target = node.value.func, node.targets[0]
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    if len(node.targets) > 1 or not any(name in names for names in _MADE_BY.values()):
        return []
    targets = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    if len(targets) > 1 and _is_rest(targets[0], targets[1]):
        targets = targets[1:]
    given = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
    return [
        each.id
        for each in targets
        if isinstance(each, ast.Name)
        and each.id not in given
        and not each.id.lower().startswith(_DISCARDED)
    ]


def _is_rest(first: ast.expr, second: ast.expr) -> bool:
    """Whether the first of several new keys is what a next split is to take."""
    name, other = (each.id if isinstance(each, ast.Name) else "" for each in (first, second))
    return name in _RESTS or name.startswith(("new_", "next_")) or other == f"_{name}"


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
