"""What a file contains, without running it: functions, the calls it offers, its docstring."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from typing import Any

from jaxscope.errors import SourceError
from jaxscope.model.outline import OutlinedFunction, find_offered_calls
from jaxscope.model.said import say
from jaxscope.model.units import shorten
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import guard
from jaxscope.worker.host.source import SourceSnapshot, read_source

MAX_FUNCTIONS = 2000
_MAX_SIGNATURE_CHARS = 300
_MAX_DOC_CHARS = 2000
_MAX_FILE_DOC_CHARS = 50_000

_TRANSFORMS = frozenset(
    prefix + name
    for prefix in ("", "jax.")
    for name in ("jit", "pjit", "vmap", "pmap", "grad", "value_and_grad", "checkpoint", "remat")
)

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def handle_outline(request: dict[str, Any], channel: Channel) -> None:
    """Answer what a file contains. Executes nothing of it.

    Raises:
        SourceError: The file cannot be read or parsed.
    """
    source = read_source(request["file"])
    tree = parse_source(source)
    functions = find_functions(tree)
    channel.send(
        "outline",
        {
            "functions": [dataclasses.asdict(function) for function in functions],
            "calls": [dataclasses.asdict(call) for call in find_offered_calls(source.text)],
            "doc": (ast.get_docstring(tree) or "")[:_MAX_FILE_DOC_CHARS],
        },
    )


def parse_source(source: SourceSnapshot) -> ast.Module:
    """Parse a file.

    Raises:
        SourceError: It is not valid Python, or nested more deeply than Python's parser can go.
    """
    try:
        with guard(say("parsing the file"), [source.path]):
            return ast.parse(source.text, source.path)
    except SourceError:
        raise
    except Exception as error:
        raise SourceError(
            say("{path} is too complex for Python's parser.", path=source.path),
            why=say("It raised {kind}.", kind=type(error.__cause__ or error).__name__),
            remedy=say("Split the deeply nested or very long expression."),
            kind=type(error.__cause__ or error).__name__,
        ) from None


def find_functions(tree: ast.Module) -> tuple[OutlinedFunction, ...]:
    """Find functions and classes at the top level, and methods of those classes; at most 2,000.

    Names to which a lambda or a `functools.partial` is assigned at the top level count too. What
    is under a top-level `if`, `try` or `with` counts; what is inside functions does not.
    """
    found = []
    for outline in _outline_body(tree.body, ""):
        found.append(outline)
        if len(found) == MAX_FUNCTIONS:
            break
    return tuple(found)


def _outline_body(body: list[ast.stmt], owner: str) -> Iterator[OutlinedFunction]:
    for statement in body:
        if isinstance(statement, _Function):
            yield _outline_function(statement, owner)
        elif isinstance(statement, ast.ClassDef):
            yield _outline_class(statement, owner)
            yield from _outline_body(statement.body, f"{owner}{statement.name}.")
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)) and not owner:
            yield from _outline_assigned(statement)
        elif isinstance(statement, (ast.If, ast.Try, ast.With)):
            yield from _outline_body(statement.body, owner)
            yield from _outline_body(getattr(statement, "orelse", []), owner)
            for handler in getattr(statement, "handlers", []):
                yield from _outline_body(handler.body, owner)


def _outline_function(function: _Function, owner: str) -> OutlinedFunction:
    result = f" -> {_unparse(function.returns)}" if function.returns else ""
    return OutlinedFunction(
        name=f"{owner}{function.name}",
        kind="method" if owner else "function",
        line=function.lineno,
        end_line=function.end_lineno or function.lineno,
        signature=shorten(
            f"{function.name}({_unparse(function.args)}){result}", _MAX_SIGNATURE_CHARS
        ),
        doc=(ast.get_docstring(function) or "")[:_MAX_DOC_CHARS],
    )


def _outline_assigned(statement: ast.Assign | ast.AnnAssign) -> Iterator[OutlinedFunction]:
    """The name to which a statement gives a lambda or a partial, if that is what it does."""
    target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
    value = statement.value
    if not isinstance(target, ast.Name):
        return
    if isinstance(value, ast.Lambda):
        signature = f"{target.id}({_unparse(value.args)})"
    elif isinstance(value, ast.Call) and _is_partial_of_a_function(value):
        # What a partial still takes depends on the function, which only running could find.
        signature = f"{target.id} = {_unparse(value)}"
    else:
        return
    yield OutlinedFunction(
        name=target.id,
        kind="function",
        line=statement.lineno,
        end_line=statement.end_lineno or statement.lineno,
        signature=shorten(signature, _MAX_SIGNATURE_CHARS),
        doc="",
    )


def _is_partial_of_a_function(call: ast.Call) -> bool:
    """`partial(jax.jit, …)` makes a decorator, not a function of arrays."""
    if not call.args or _unparse(call.func) not in ("partial", "functools.partial"):
        return False
    return _unparse(call.args[0]) not in _TRANSFORMS


def _outline_class(definition: ast.ClassDef, owner: str) -> OutlinedFunction:
    bases = ", ".join(_unparse(base) for base in definition.bases)
    return OutlinedFunction(
        name=f"{owner}{definition.name}",
        kind="class",
        line=definition.lineno,
        end_line=definition.end_lineno or definition.lineno,
        signature=shorten(
            f"class {definition.name}({bases})" if bases else f"class {definition.name}",
            _MAX_SIGNATURE_CHARS,
        ),
        doc=(ast.get_docstring(definition) or "")[:_MAX_DOC_CHARS],
    )


def _unparse(node: ast.AST) -> str:
    try:
        return ast.unparse(node)
    except (RecursionError, ValueError):
        return "…"
