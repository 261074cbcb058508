"""No comprehension has a variable of the name that another of the same function has of a global.

Python 3.12.0 and 3.12.1 take the global for a variable of the function then, which is unset:
`{id: one for id, one in pairs}` before `[id(one) for one in pairs]` ends in UnboundLocalError.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator

import pytest

from test_architecture import FILES, name_of

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef)


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a scope or a comprehension, without what further scopes hold."""
    waiting = [node]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            yield child
            if not isinstance(child, SCOPES):
                waiting.append(child)


def targets(comprehension: ast.AST) -> set[ast.AST]:
    """The variables of a comprehension and of those in it, as nodes."""
    parts = (each for each in ast.walk(comprehension) if isinstance(each, ast.comprehension))
    return {each for part in parts for each in ast.walk(part.target)}


def names(nodes: Iterable[ast.AST], context: type[ast.expr_context]) -> set[str]:
    found = (each for each in nodes if isinstance(each, ast.Name))
    return {each.id for each in found if isinstance(each.ctx, context)}


def confused(tree: ast.AST) -> list[tuple[int, str]]:
    """The line and the name of what one comprehension makes a variable and another uses."""
    found = set()
    for scope in ast.walk(tree):
        if not isinstance(scope, SCOPES):
            continue
        content = list(inside(scope))
        every = [each for each in content if isinstance(each, COMPREHENSIONS)]
        nested = {each for one in every for each in inside(one)}
        outermost = [each for each in every if each not in nested]
        if len(outermost) < 2:
            continue
        variables = {each: names(targets(each), ast.Store) for each in outermost}
        theirs = set().union(*map(targets, outermost))
        own = names(set(content) - theirs, ast.Store)
        own |= {each.arg for each in ast.walk(scope) if isinstance(each, ast.arg)}
        own |= {each.name for each in content if isinstance(each, ast.FunctionDef)}
        for one, other in itertools.permutations(outermost, 2):
            used = names(inside(one), ast.Load) - variables[one] - own
            found |= {(other.lineno, name) for name in variables[other] & used}
    return sorted(found)


@pytest.mark.parametrize(
    ("body", "is_wrong"),
    [
        ("{id: p for id, p in x}; return [id(p) for p in x]", True),
        ("{id: p for id, p in x}; return [[id(p) for p in x] for _ in x]", True),
        ("return [id(q) + len([id for id, _ in x]) for q in x]", False),
        ("{id: p for id, p in x}; return id(x)", False),
        ("{key: p for key, p in x}; return [id(p) for p in x]", False),
        ("id = len; [id for id in x]; return [id(p) for p in x]", False),
        ("list((id, p) for id, p in x); return [id(p) for p in x]", False),
        ("[id for id in x]; return [id for id in x]", False),
    ],
)
def test_what_confuses_python(body: str, is_wrong: bool) -> None:
    assert bool(confused(ast.parse(f"def f(x): {body}"))) is is_wrong


@pytest.mark.slow
def test_no_comprehension_confuses_python() -> None:
    found = [
        f"{name_of(file)}:{line} {name}"
        for file in FILES
        for line, name in confused(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert found == []
