"""Calls that a file's own script makes, found in its text: what `if __name__ == "__main__":` runs.

Each is written so that it can be typed elsewhere: names of the script are replaced by what they
were given, one round of each loop is followed, and functions of the file are looked into.
"""

from __future__ import annotations

import ast
import builtins
import copy
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

_MAX_CALLS, _MAX_LENGTH, _MAX_DEPTH, _MAX_FOLLOWED = 20, 900, 4, 100
_HARMLESS = frozenset(
    {
        *("jax", "jaxlib", "numpy", "scipy", "math", "functools", "itertools", "collections"),
        *("dataclasses", "typing", "types", "enum", "random", "string", "operator"),
        *("flax", "optax", "equinox", "haiku", "chex", "einops", "jaxtyping", "distrax"),
    }
)
"""Packages whose functions only compute, but for those of such names as `_OUTWARD_NAME`: what calls
functions of others is not run for a proposal."""
_OUTWARD = frozenset({"open", "input", "exec", "eval", "compile", "breakpoint", "exit", "quit"})
_OUTWARD_NAME = re.compile(
    r"(load|save|read|write|open|dump|fetch|download|memmap|from_?file|to_?file|genfromtxt"
    r"|from_?regex|from_pretrained|restore)"
)
"""How functions and methods are called that read or write files, also in packages that compute,
such as `numpy.load`."""
_TRANSFORM = re.compile(r"(jax\.)?(jit|pmap|vmap|grad|value_and_grad|jacfwd|jacrev|hessian)")
_MAKER = re.compile(r"(\w+\.)*(jit\()?(init|make|create|build|new)")
_COMPILED = re.compile(r"\b(jit|pmap|filter_jit)\b")

_Values = dict[str, ast.expr | None]


def find_script_calls(text: str) -> tuple[str, ...]:
    """Calls of functions of a file with arguments that its script gives them, the likeliest first.

    First those of functions that are jitted or differentiated; last those that only make
    arguments of others. A call is left out where a name of it is not known, and where evaluating
    its arguments might do more than compute: read files, say, or download.
    """
    try:
        module = ast.parse(text)
        reader = _Reader(module)
        reader.read_script()
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found = reader.found

    def rank(text: str) -> tuple[bool, bool, bool]:
        is_maker = any(text in other and text != other for other in found)
        if found[text]:
            is_maker = is_maker and _MAKER.match(text) is not None
        takes_compiled = any(found[other] and other in text and text != other for other in found)
        return not found[text], is_maker, takes_compiled

    ranked = sorted(found, key=rank)  # stable
    return tuple(ranked[:_MAX_CALLS])


class _Reader:
    """Goes through the script as it would run.

    Attributes:
        found: Calls as text, and whether JAX compiles or transforms what each calls.
    """

    def __init__(self, module: ast.Module) -> None:
        self.found: dict[str, bool] = {}
        self._num_left = _MAX_FOLLOWED  # of functions, which may call each other again and again
        self._module = module
        self._functions = {
            node.name: node for node in module.body if isinstance(node, ast.FunctionDef)
        }
        self._known = {*dir(builtins)} - _OUTWARD
        self._packages: dict[str, str] = {}
        for node in ast.walk(module):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._note_import(node)
        self._classes = {node.name for node in module.body if isinstance(node, ast.ClassDef)}
        self._own = {*self._functions}
        for node in module.body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                self._own |= {
                    name.id
                    for name in ast.walk(node)
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
                }

    def _note_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            module = (
                getattr(node, "module", None) or "." * getattr(node, "level", 0)
            ) or alias.name
            package = "" if _OUTWARD_NAME.match(alias.name) else module.partition(".")[0]
            self._packages[alias.asname or alias.name.partition(".")[0]] = package

    def read_script(self) -> None:
        for node in self._module.body:
            if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
                self._follow(node.body, {}, _MAX_DEPTH)

    def _follow(self, body: Iterable[ast.stmt], values: _Values, depth: int) -> None:
        """Go through statements in order; `values` has what each local name stands for."""
        for statement in body:
            match statement:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    values[name] = None
                case ast.For(target=target, iter=over):
                    self._note_calls(over, values, depth)
                    _bind(target, _first_of(_write(over, values)), values)
                    self._follow(statement.body, values, depth)
                case ast.While() | ast.If():
                    self._note_calls(statement.test, values, depth)
                    self._follow(statement.body, values, depth)
                    self._follow(statement.orelse, values, depth)
                case ast.With():
                    for item in statement.items:
                        if item.optional_vars is not None:
                            _bind(item.optional_vars, None, values)
                    self._follow(statement.body, values, depth)
                case ast.Try():
                    self._follow(statement.body, values, depth)
                case ast.Import() | ast.ImportFrom():
                    for alias in statement.names:  # the file does not have it where it is imported
                        values[alias.asname or alias.name.partition(".")[0]] = None
                case _:
                    self._note_calls(statement, values, depth)
                    _assign(statement, values)

    def _note_calls(self, node: ast.AST, values: _Values, depth: int) -> None:
        """The calls in a statement, from the inside out, as they run."""
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.Lambda | ast.GeneratorExp | ast.ListComp | ast.DictComp):
                self._note_calls(child, values, depth)
        if not isinstance(node, ast.Call):
            return
        base, is_compiled = self._read_function(node.func, values)
        if base is None:
            return
        function = self._functions.get(base)
        if function is not None and not is_compiled and depth and self._num_left:
            self._num_left -= 1
            num_compiled = sum(self.found.values())
            bound = _bind_arguments(function, node, values)
            if bound is not None:
                self._follow(function.body, bound, depth - 1)
            if sum(self.found.values()) > num_compiled:
                return  # a function that calls what JAX compiles is a part of the script
        written = _write(node, values)
        if not isinstance(written, ast.Call) or not (node.args or node.keywords):
            return
        text = ast.unparse(written)
        if len(text) <= _MAX_LENGTH and all(
            self._is_harmless(each, set()) for each in _given_in(written)
        ):
            self.found[text] = self.found.get(text, False) or is_compiled

    def _read_function(self, node: ast.expr, values: _Values) -> tuple[str | None, bool]:
        """The function of the file that is called, and whether JAX compiles or transforms it."""
        is_compiled = False
        while isinstance(node, ast.Call | ast.Name):
            if isinstance(node, ast.Name) and node.id in values:
                value = values[node.id]
                if value is None:
                    return None, False
                node, values = value, {}
            elif isinstance(node, ast.Name):
                function = self._functions.get(node.id)
                decorators = [] if function is None else function.decorator_list
                is_compiled = is_compiled or any(
                    _COMPILED.search(ast.unparse(d)) for d in decorators
                )
                return (node.id if node.id in self._own else None), is_compiled
            elif node.args and _TRANSFORM.fullmatch(ast.unparse(node.func)):
                node, is_compiled = node.args[0], True
            elif is_compiled and isinstance(node.func, ast.Name) and node.func.id in self._own:
                return node.func.id, True  # what a function of the file returns, such as a step
            else:
                break
        return None, False

    def _is_harmless(self, node: ast.AST, seen: set[str]) -> bool:
        """Whether evaluating it only computes, as far as the text says so."""
        bound = {
            name.id
            for name in ast.walk(node)
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
        }
        bound |= {name.arg for name in ast.walk(node) if isinstance(name, ast.arg)}
        bound |= {name.name for name in ast.walk(node) if isinstance(name, ast.FunctionDef)}
        for name in ast.walk(node):
            if isinstance(name, ast.Attribute) and _OUTWARD_NAME.match(name.attr):
                return False
            if not isinstance(name, ast.Name) or name.id in bound or name.id in seen:
                continue
            if name.id in self._own or name.id in self._classes:
                seen.add(name.id)
                function = self._functions.get(name.id)
                if function is not None and not self._is_harmless(function, seen):
                    return False
            elif name.id in self._packages:
                if self._packages[name.id] not in _HARMLESS:
                    return False
            elif name.id not in self._known:
                return False
        return True


def _given_in(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments of a call, and of the calls that make the function that it calls."""
    made = call.func
    while isinstance(made, ast.Call):
        if _TRANSFORM.fullmatch(ast.unparse(made.func)):
            made = made.args[0] if made.args else made.func
        else:
            yield from _given_in(made)
            break
    yield from call.args
    yield from (each.value for each in call.keywords)


def _assign(statement: ast.stmt, values: _Values) -> None:
    """Note what an assignment gives to names."""
    if isinstance(statement, ast.Assign):
        value = _write(statement.value, values)
        for target in statement.targets:
            _bind(target, value, values)
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        _bind(statement.target, _write(statement.value, values), values)
    elif isinstance(statement, ast.AugAssign):
        changed = ast.BinOp(_loaded(statement.target), statement.op, statement.value)
        _bind(statement.target, _write(changed, values), values)


def _loaded(target: ast.expr) -> ast.expr:
    """What is stored to, as an expression that reads it."""
    copied = copy.deepcopy(target)
    for node in ast.walk(copied):
        if hasattr(node, "ctx"):
            node.ctx = ast.Load()
    return copied


def _bind(target: ast.expr, value: ast.expr | None, values: _Values) -> None:
    """Give a value to a name, or its parts to several; a name whose value is unknown has None."""
    if isinstance(target, ast.Name):
        is_short = value is not None and len(ast.unparse(value)) <= _MAX_LENGTH
        values[target.id] = value if is_short else None
    elif isinstance(target, ast.Tuple | ast.List):
        is_known = value is not None and not any(isinstance(e, ast.Starred) for e in target.elts)
        for place, part in enumerate(target.elts):
            inner = _part_of(value, place) if value is not None and is_known else None
            _bind(part, inner, values)
    elif isinstance(target, ast.Starred):
        _bind(target.value, None, values)
    elif (name := next((n for n in ast.walk(target) if isinstance(n, ast.Name)), None)) is not None:
        values[name.id] = None  # what it holds was changed


def _part_of(value: ast.expr, place: int) -> ast.expr:
    if isinstance(value, ast.Tuple | ast.List) and place < len(value.elts):
        return value.elts[place]
    return ast.Subscript(value, ast.Constant(place), ast.Load())


def _first_of(over: ast.expr | None) -> ast.expr | None:
    """What a loop over an expression has in its first round."""
    match over:
        case None:
            return None
        case ast.Tuple(elts=[first, *_]) | ast.List(elts=[first, *_]):
            return first
        case ast.Call(func=ast.Name(id="range"), args=[_]):
            return ast.Constant(0)
        case ast.Call(func=ast.Name(id="range"), args=[first, *_]):
            return first
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner]):
            of_inner = _first_of(inner)
            return of_inner and ast.Tuple([ast.Constant(0), of_inner], ast.Load())
        case ast.Call(func=ast.Name(id="zip"), args=parts):
            firsts = [each for part in parts if (each := _first_of(part)) is not None]
            return ast.Tuple(firsts, ast.Load()) if len(firsts) == len(parts) else None
    iterator = ast.Call(ast.Name("iter", ast.Load()), [over], [])
    return ast.Call(ast.Name("next", ast.Load()), [iterator], [])


def _bind_arguments(function: ast.FunctionDef, call: ast.Call, values: _Values) -> _Values | None:
    """What each parameter of a function has in a call; None where that is not plain."""
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args]
    is_plain = not (arguments.vararg or arguments.kwarg or len(call.args) > len(parameters))
    if not is_plain or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    bound: _Values = {each.arg: None for each in (*parameters, *arguments.kwonlyargs)}
    defaulted = parameters[len(parameters) - len(arguments.defaults) :]
    pairs: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(defaulted, arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    bound |= {each.arg: value for each, value in pairs}
    given = {each.arg: value for each, value in zip(parameters, call.args, strict=False)}
    given |= {each.arg: each.value for each in call.keywords if each.arg is not None}
    return bound | {name: _write(value, values) for name, value in given.items()}


class _UnknownName(Exception):
    """A name of the script whose value is not known."""


class _Substitution(ast.NodeTransformer):
    """Puts what names of the script stand for in their place."""

    def __init__(self, values: Mapping[str, ast.expr | None], bound: Sequence[str]) -> None:
        self._values, self._bound = values, bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._values or node.id in self._bound:
            return node
        value = self._values[node.id]
        if value is None:
            raise _UnknownName
        return copy.deepcopy(value)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Of a dictionary that is written out, what stands at a key."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Dict) and isinstance(node.slice, ast.Constant):
            pairs = [*zip(node.value.keys, node.value.values, strict=True)]
            for key, value in reversed(pairs):  # the last one of a key holds
                if not isinstance(key, ast.Constant):
                    break
                if key.value == node.slice.value:
                    return value
        return node


def _write(node: ast.expr, values: _Values) -> ast.expr | None:
    """The expression with the values of names in it; None where one is not known."""
    if any(isinstance(each, ast.NamedExpr | ast.Await | ast.Yield) for each in ast.walk(node)):
        return None
    try:
        written: ast.expr = _Substitution(values, [*_bound_in(node)]).visit(copy.deepcopy(node))
    except _UnknownName:
        return None
    return written


def _bound_in(node: ast.AST) -> Iterator[str]:
    """Names that comprehensions and lambdas in an expression bind themselves."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id
        elif isinstance(each, ast.arg):
            yield each.arg
