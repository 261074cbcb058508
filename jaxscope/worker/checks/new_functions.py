"""Functions that are new in every round of a loop and jitted there: each is traced and compiled.

This reads the file, not the program: the loop is mostly around the call, not in it. Told is a
lambda or a function that is defined in the loop's own body, jitted and called there, and that does
not depend on anything that the loop changes: then one jitted function before the loop would do.

Passed over are loops that may mean it: those that measure or test, and those of few rounds, or over
what is written there, each of which may be of another shape and so needs a trace of its own.
"""

from __future__ import annotations

import ast
import functools
import os
import re
from collections.abc import Iterator, Sequence

from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import say
from jaxscope.worker.checks.subject import CheckedCall, parse_file
from jaxscope.worker.host.function_source import innermost_function

RULE = "jit-in-loop"
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Loop = ast.For | ast.While
_FEW = 10
"""A `range` of fewer rounds is not reported."""
_COUNTS = ("range", "trange", "tqdm.trange")
_BATCHES = re.compile("batch|loader|dataset", re.IGNORECASE)
_MEASURES = re.compile(
    r"test|bench|profil|timeit|timer|perf_counter|time\.time|monotonic|block_until_ready|"
    r"cache_size|clear_cache",
    re.IGNORECASE,
)


def find_new_functions(subject: CheckedCall) -> Iterator[Check]:
    """In the file of the base function."""
    code = getattr(innermost_function(subject.call.base), "__code__", None)
    file = code.co_filename if code is not None else ""
    for line in find_lines_of(file) if file and subject.is_own(file) else ():
        yield Check(
            RULE,
            Severity.WARNING,
            say(
                "A function that is made anew in each round is jitted and called here: jax.jit "
                "knows functions by identity, so each round traces and compiles again."
            ),
            say("Jit it once before the loop: f = jax.jit(lambda x: ...); for ...: f(x)."),
            "samples/recompilation.py",
            "",
            file,
            line,
        )


def find_lines_of(file: str) -> list[int]:
    """Lines of calls of `jit` on what is made anew in each round, without need."""
    tree = None if _MEASURES.search(os.path.basename(file)) else parse_file(file)
    return [] if tree is None else find_lines(tree)


@functools.lru_cache(maxsize=32)
def find_lines(tree: ast.Module) -> list[int]:
    """Lines of calls of `jit` on what is made anew in each round, without need."""
    is_jit = names_of_jit(tree)
    if not is_jit:
        return []
    found = []
    measuring = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and _MEASURES.search(node.name)
    ]
    loops = [n for n in ast.walk(tree) if isinstance(n, _Loop) and _has_many_rounds(n)]
    for loop in loops:
        if any(n.lineno <= loop.lineno <= (n.end_lineno or 0) for n in measuring):
            continue
        if _MEASURES.search(ast.unparse(loop)):
            continue
        body = list(nodes_in_same_call(loop.body))
        changed = changed_names(loop, body)
        made = {n.name: n for n in body if isinstance(n, ast.FunctionDef) and not n.decorator_list}
        called = {
            n.func.id for n in body if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
        }
        for node in body:
            jitted = _jitted(node, is_jit, called)
            if jitted is None or not jitted.args:
                continue
            function: ast.AST = jitted.args[0]
            if isinstance(function, ast.Name):
                function = made.get(function.id, function)
            if isinstance(function, _Function) and _reads(function).isdisjoint(changed):
                found.append(jitted.lineno)
    return sorted(set(found))


def _has_many_rounds(loop: _Loop) -> bool:
    """Of a `while`, or a `for` over batches or a `range` that is not known to have few."""
    if isinstance(loop, ast.While) or _BATCHES.search(ast.unparse(loop.iter)):
        return True
    if not isinstance(loop.iter, ast.Call) or ast.unparse(loop.iter.func) not in _COUNTS:
        return False
    try:
        return len(range(*(ast.literal_eval(each) for each in loop.iter.args))) >= _FEW
    except (ValueError, TypeError):
        return True  # not written there


@functools.lru_cache(maxsize=32)
def names_of_jit(tree: ast.Module) -> set[str]:
    """How a file spells `jax.jit`."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {f"{a.asname or a.name}.jit" for a in node.names if a.name == "jax"}
        elif isinstance(node, ast.ImportFrom) and node.module == "jax":
            names |= {a.asname or a.name for a in node.names if a.name == "jit"}
    return names


def nodes_in_same_call(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """What runs in the loop itself: functions that are defined in it, not their bodies."""
    for node in nodes:
        yield node
        if not isinstance(node, _Function):
            yield from nodes_in_same_call(list(ast.iter_child_nodes(node)))


def _jitted(node: ast.AST, names: set[str], called: set[str]) -> ast.Call | None:
    """The call of `jit` whose result is called at once, or by a name in the same round."""
    if isinstance(node, ast.Call) and _is_call_of(node.func, names):
        assert isinstance(node.func, ast.Call)
        return node.func
    if isinstance(node, ast.Assign) and _is_call_of(node.value, names):
        targets = [each.id for each in node.targets if isinstance(each, ast.Name)]
        if len(targets) == len(node.targets) == 1 and targets[0] in called:
            assert isinstance(node.value, ast.Call)
            return node.value
    return None


def _is_call_of(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in names


def changed_names(loop: _Loop, body: Sequence[ast.AST]) -> set[str]:
    """Names that the loop assigns, or whose attributes or elements it assigns."""
    targets: list[ast.AST] = list(body)
    if isinstance(loop, ast.For):
        targets += ast.walk(loop.target)
    stored = (n for n in targets if isinstance(getattr(n, "ctx", None), ast.Store))
    return {n.id for n in map(_innermost, stored) if isinstance(n, ast.Name)} | {
        n.name for n in body if isinstance(n, ast.FunctionDef)
    }


def _innermost(node: ast.AST) -> ast.AST:
    """`a` of `a.b[c]`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node


def _reads(function: _Function) -> set[str]:
    """Names that a function reads and does not make, its defaults included."""
    arguments = function.args
    own = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    own |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
    nodes = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
    own |= {n.id for n in nodes if isinstance(n.ctx, ast.Store)}
    of_defaults = {
        n.id
        for default in (*arguments.defaults, *arguments.kw_defaults)
        if default is not None
        for n in ast.walk(default)
        if isinstance(n, ast.Name)
    }
    return ({n.id for n in nodes} - own) | of_defaults
