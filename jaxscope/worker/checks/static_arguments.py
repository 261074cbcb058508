"""Static arguments that are new in every round of a loop: each is traced and compiled.

This reads the file, as the loop is mostly around the call. Told is an argument that needs not be
static: the function only adds, subtracts, multiplies or divides it with arguments that are traced,
or folds it into a key.
"""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Iterator

from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import say
from jaxscope.worker.checks.new_functions import names_of_jit, nodes_in_same_call
from jaxscope.worker.checks.subject import CheckedCall, parse_file
from jaxscope.worker.host.function_source import innermost_function

RULE = "static-argument-in-loop"
_Function = ast.FunctionDef | ast.Lambda
_ARITHMETIC = ast.Add | ast.Sub | ast.Mult | ast.Div
_FEW = 4
"""Loops of fewer rounds are not reported."""


def find_static_arguments(subject: CheckedCall) -> Iterator[Check]:
    """In the file of the base function, of what it uses and what uses it."""
    code = getattr(innermost_function(subject.call.base), "__code__", None)
    file = code.co_filename if code is not None else ""
    tree = parse_file(file) if file and subject.is_own(file) else None
    if code is None or tree is None:
        return
    for line, function, argument in find_places(tree):
        if not _is_about(tree, code.co_name, function):
            continue
        yield Check(
            RULE,
            Severity.WARNING,
            say(
                "Argument `{argument}` of `{function}` is static, and this loop gives it a new "
                "value in each round: jax.jit traces and compiles again for every value.",
                argument=argument,
                function=function,
            ),
            say(
                "Leave `{argument}` out of static_argnums or static_argnames: `{function}` only "
                "computes with it, so it can be traced.",
                argument=argument,
                function=function,
            ),
            "samples/recompilation.py",
            "",
            file,
            line,
        )


@functools.lru_cache(maxsize=32)
def find_places(tree: ast.Module) -> list[tuple[int, str, str]]:
    """Line of a call in a loop, the function's name and the argument's."""
    jitted = dict(_with_static_arguments(tree))
    found = []
    for loop in (node for node in ast.walk(tree) if isinstance(node, ast.For) and jitted):
        new = _new_in_each_round(loop)
        for node in nodes_in_same_call(loop.body) if new else ():
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            name = node.func.id
            for parameter in jitted.get(name, ()):
                given = _given(node, *parameter)
                if isinstance(given, ast.Name) and given.id in new:
                    found.append((node.lineno, name, parameter[0]))
    return sorted(set(found))


def _is_about(tree: ast.Module, base: str, function: str) -> bool:
    """Whether a function is used by the base function, or uses it, by the names in the file."""
    jits, uses = names_of_jit(tree), dict[str, set[str]]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            uses.setdefault(node.name, set()).update(_names_in(node))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            target, made_by = node.targets[0], ast.unparse(node.value.func)
            if isinstance(target, ast.Name) and made_by in jits:
                uses.setdefault(target.id, set()).update(_names_in(node.value))
    is_named = base in uses  # a lambda is not
    return not is_named or function in _reached(base, uses) or base in _reached(function, uses)


def _names_in(node: ast.AST) -> set[str]:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def _reached(start: str, uses: dict[str, set[str]]) -> set[str]:
    found, waiting = {start}, [start]
    while waiting:
        new = uses.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _new_in_each_round(loop: ast.For) -> set[str]:
    """Names of the loop that have another value in each round: of `range`, the count of others."""
    if not isinstance(loop.iter, ast.Call) or not isinstance(loop.iter.func, ast.Name):
        return set()
    kind, target = loop.iter.func.id, loop.target
    bounds = [each.value for each in loop.iter.args if isinstance(each, ast.Constant)]
    if kind == "range" and len(bounds) == len(loop.iter.args):
        numbers = [each for each in bounds if isinstance(each, int)]
        if len(numbers) < len(bounds) or not bounds or len(range(*numbers)) < _FEW:
            return set()
    if kind == "enumerate" and isinstance(target, ast.Tuple):
        target = target.elts[0]
    elif kind != "range":
        return set()
    return {target.id} if isinstance(target, ast.Name) else set()


def _with_static_arguments(tree: ast.Module) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Jitted functions by name, with the static parameters that they only compute with."""
    names = names_of_jit(tree)
    defined = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    counts = Counter(node.name for node in defined)
    functions: dict[str, _Function] = {n.name: n for n in defined if counts[n.name] == 1}
    for name, function in functions.items():
        assert isinstance(function, ast.FunctionDef)
        for each in function.decorator_list:
            if isinstance(each, ast.Call) and _is_jit(each, names):
                yield name, _only_computed(function, each)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            call, target = node.value, node.targets[0]
            if ast.unparse(call.func) in names and call.args and isinstance(target, ast.Name):
                given = call.args[0]
                of = functions.get(given.id) if isinstance(given, ast.Name) else given
                if isinstance(of, _Function):
                    yield target.id, _only_computed(of, call)


def _is_jit(call: ast.Call, names: set[str]) -> bool:
    """Whether a decorator is `jax.jit(…)` or `partial(jax.jit, …)`."""
    made_by = ast.unparse(call.func)
    is_partial = made_by in ("partial", "functools.partial") and bool(call.args)
    return made_by in names or (is_partial and ast.unparse(call.args[0]) in names)


def _only_computed(function: _Function, call: ast.Call) -> list[tuple[str, int]]:
    """The static parameters, and their places, that a function needs no value of in Python."""
    parameters = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    names = [*parameters, *(each.arg for each in function.args.kwonlyargs)]
    static: set[str] = set()
    for keyword in call.keywords:
        if keyword.arg in ("static_argnums", "static_argnames"):
            try:
                told = ast.literal_eval(keyword.value)
                each = told if isinstance(told, tuple | list) else (told,)
                static |= {parameters[n] if isinstance(n, int) else str(n) for n in each}
            except (ValueError, IndexError):
                return []
    traced = set(names) - static
    return [
        (name, parameters.index(name) if name in parameters else len(parameters))
        for name in names
        if name in static and _is_only_computed(function, name, traced)
    ]


def _is_only_computed(function: _Function, name: str, traced: set[str]) -> bool:
    parents = {child: node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}
    uses = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
    return bool(uses) and all(_is_arithmetic(use, parents, traced) for use in uses)


def _is_arithmetic(use: ast.Name, parents: dict[ast.AST, ast.AST], traced: set[str]) -> bool:
    node: ast.AST = use
    around = parents[node]
    if isinstance(around, ast.Call) and ast.unparse(around.func).endswith("random.fold_in"):
        return node in around.args[1:]
    while isinstance(around, ast.BinOp) and isinstance(around.op, _ARITHMETIC):
        operands = (around.left, around.right)
        if any(isinstance(each, ast.Name) and each.id in traced for each in operands):
            return True
        node, around = around, parents[around]
    return False


def _given(call: ast.Call, name: str, place: int) -> ast.expr | None:
    """What a call gives for a parameter; None where that is not written there."""
    if any(isinstance(each, ast.Starred) for each in call.args):
        return None
    if place < len(call.args):
        return call.args[place]
    return next((each.value for each in call.keywords if each.arg == name), None)
