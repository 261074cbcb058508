"""Calls in place of one that failed: what was typed, with the part changed that was at fault.

Only written here; whether they trace is tried by `stages/call_remedies.py`.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator, Sequence

from jaxscope.model.types import SHORTHANDS, spell_scalars

_DERIVATIVES = frozenset({"grad", "value_and_grad", "jacfwd", "jacrev", "hessian"})
_INTEGERS = re.compile(r"[iu]\d+|bool_")
"""Shorthands of arrays that are not of floats."""
_BLAMED = re.compile(r"value of the argument ([A-Za-z_]\w*)|at path ([A-Za-z_]\w*)")


def edit_call(call: str, edits: Sequence[str], why: str = "") -> tuple[str, ...]:
    """The calls in place of one.

    Args:
        call: As typed.
        edits: Of `grad(f)(x)` and its like, what to write: `{grad}` is what differentiates,
            `{jax}` is `jax.` if that has it, and `{function}`, `{options}` and `{arguments}` are
            as they were; `{floats}` are the arguments with floats in place of integers. Of any
            call, the whole of an edit may be `{static}`, with the argument static that the error
            names; `{unjitted}`, without `jit`; `{tuples}`, with tuples in place of lists;
            `{keys}`, with a key in place of a number.
        why: The text of the error.
    """
    outer = read_call(call) if edits else None
    if outer is None:
        return ()
    found: list[str] = []
    for edit in edits:
        if edit in _OF_ANY_CALL:
            found += map(ast.unparse, _OF_ANY_CALL[edit](outer, why))
        else:
            found += _write_derivative(outer, edit)
    return tuple(dict.fromkeys(each for each in found if each != ast.unparse(outer)))


def _write_derivative(outer: ast.Call, edit: str) -> Iterator[str]:
    if not isinstance(grad := outer.func, ast.Call):
        return
    name = ast.unparse(grad.func)
    short = name.rpartition(".")[2]
    if short not in _DERIVATIVES or not grad.args:
        return
    function, *options = [ast.unparse(each) for each in (*grad.args, *grad.keywords)]
    if not isinstance(grad.args[0], ast.Name | ast.Attribute | ast.Call):
        function = f"({function})"
    given = (*outer.args, *outer.keywords)
    yield edit.format_map(
        {
            "grad": name,
            "jax": name.removesuffix(short),
            "function": function,
            "options": "".join(f", {each}" for each in options),
            "arguments": ", ".join(map(ast.unparse, given)),
            "floats": ", ".join(ast.unparse(replace_integers(each)) for each in given),
        }
    )


def read_call(text: str) -> ast.Call | None:
    """The call that a text is; None where it is none."""
    try:
        found = ast.parse(spell_scalars(text.strip()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found if isinstance(found, ast.Call) else None


def replace_integers(node: ast.AST) -> ast.AST:
    """The same expression with floats in place of `i32[8]`, of `3` and their like."""

    class Replacer(ast.NodeTransformer):
        def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
            is_integer = isinstance(node.value, ast.Name) and _INTEGERS.fullmatch(node.value.id)
            kind = ast.Name("f32", ast.Load()) if is_integer else node.value
            return ast.Subscript(kind, node.slice, node.ctx)

        def visit_Call(self, node: ast.Call) -> ast.AST:
            return node  # what `init(3)` makes of its number is not known

        def visit_Constant(self, node: ast.Constant) -> ast.AST:
            return ast.Constant(float(node.value)) if type(node.value) is int else node

    replaced: ast.AST = Replacer().visit(copy.deepcopy(node))
    return replaced


def _with_static(outer: ast.Call, why: str) -> Iterator[ast.Call]:
    """Where the function is jitted in the call, and where it is in the file.

    Of an error that names no argument each one in turn that is a number or a text.
    """
    jit = outer.func
    if isinstance(jit, ast.Name | ast.Attribute):
        wrapped = ast.Attribute(jit, "__wrapped__", ast.Load())
        jit = ast.Call(ast.Name("jit", ast.Load()), [wrapped], [])
    if not isinstance(jit, ast.Call) or ast.unparse(jit.func) not in ("jit", "jax.jit"):
        return
    if any(each.arg in ("static_argnames", "static_argnums") for each in jit.keywords):
        return
    named = _BLAMED.search(why)
    if named is not None:
        options = [("static_argnames", named[1] or named[2])]
    else:
        options = [("static_argnums", place) for place in _find_constants(outer.args)]
        places = _find_constants([each.value for each in outer.keywords])
        options += [("static_argnames", outer.keywords[place].arg or "") for place in places]
    for name, value in options:
        option = ast.keyword(name, ast.Constant(value))
        function = ast.Call(jit.func, jit.args, [*jit.keywords, option])
        yield ast.Call(function, outer.args, outer.keywords)


def _find_constants(arguments: Sequence[ast.expr]) -> list[int]:
    """Where there are numbers and texts among arguments."""
    return [place for place, each in enumerate(arguments) if isinstance(each, ast.Constant)]


def _without_jit(outer: ast.Call, _why: str) -> Iterator[ast.Call]:
    """With what is no array taken as it is, as jaxscope takes it where nothing is jitted."""
    jit = outer.func
    if isinstance(jit, ast.Call) and ast.unparse(jit.func) in ("jit", "jax.jit") and jit.args:
        yield ast.Call(jit.args[0], outer.args, outer.keywords)


def _with_tuples(outer: ast.Call, _why: str) -> Iterator[ast.Call]:
    class Replacer(ast.NodeTransformer):
        def visit_List(self, node: ast.List) -> ast.AST:
            return ast.Tuple([self.visit(each) for each in node.elts], node.ctx)

    arguments = [Replacer().visit(copy.deepcopy(each)) for each in (*outer.args, *outer.keywords)]
    count = len(outer.args)
    yield ast.Call(outer.func, arguments[:count], arguments[count:])


def _with_keys(outer: ast.Call, _why: str) -> Iterator[ast.Call]:
    """With one number, or one array of numbers, replaced after the other."""
    for place in range(len(outer.args) + len(outer.keywords)):
        changed = copy.deepcopy(outer)
        is_named = place >= len(changed.args)
        keyword = changed.keywords[place - len(changed.args)] if is_named else None
        value = changed.args[place] if keyword is None else keyword.value
        seed: ast.expr = ast.Constant(0)
        if isinstance(value, ast.Constant) and type(value.value) is int:
            seed = value
        elif not (isinstance(value, ast.Subscript) and ast.unparse(value.value) in SHORTHANDS):
            continue
        key = ast.Call(ast.Name("key", ast.Load()), [seed], [])
        if keyword is None:
            changed.args[place] = key
        else:
            keyword.value = key
        yield changed


_OF_ANY_CALL: dict[str, Callable[[ast.Call, str], Iterator[ast.Call]]] = {
    "{static}": _with_static,
    "{unjitted}": _without_jit,
    "{tuples}": _with_tuples,
    "{keys}": _with_keys,
}
