"""The call: parse it, find the base function inside its transforms, evaluate its arguments.

`vmap(grad(loss), in_axes=(None, 0))(w, x)` has the base function `loss`, the levels `grad` and
`vmap`, and the arguments `w` and `x`. The levels are kept as syntax, so that the same transforms
can be applied again to another function: the tagged stand-in for the base.
"""

from __future__ import annotations

import ast
import copy
import difflib
import enum
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.errors import CallError, Explanation
from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import CALL_FILE
from jaxscope.model.outline import TRANSFORMS
from jaxscope.model.said import EITHER, say, say_joined
from jaxscope.model.types import spell_scalars
from jaxscope.model.units import shorten
from jaxscope.worker.host.values import ArrayShorthand, find_shorthand, shorthands

APPLIED = {"jvp": "jvp({}, (x,), (t,))", "vjp": "vjp({}, x)", "linearize": "linearize({}, x)"}
"""Transforms that take the function and its arguments in one call, and how they are written."""
_FUNCTION_KEYWORDS = ("fun", "f", "func")
_STAND_IN = "__jaxscope_function__"
_COLLECT = "__jaxscope_collect__"
_POSITION = re.compile(r"\.at_position\(\d+\)")

Function = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Level:
    """A transform around the base function, such as `grad`.

    Attributes:
        name: Such as `grad`.
        apply: Builds the transformed function from the function inside.
    """

    name: str
    apply: Callable[[Function], Function]


@dataclass(frozen=True, eq=False)
class Call:
    """A call, taken apart.

    Attributes:
        text: As typed, surrounding blanks removed.
        base_text: The expression of the base function.
        base: The base function itself.
        levels: Transforms from innermost to outermost.
        args: Positional arguments of the whole call, evaluated.
        kwargs: Keyword arguments.
    """

    text: str
    base_text: str
    base: Function
    levels: tuple[Level, ...]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @property
    def transforms(self) -> tuple[str, ...]:
        """Names of the transforms from innermost to outermost, `jit` included."""
        return tuple(level.name for level in self.levels)

    def compose(
        self, base: Function, observe: Callable[[str, Function], Function] | None = None
    ) -> Function:
        """Apply the transforms to a function.

        Args:
            base: Stands where the base function stands in the call.
            observe: Called with the name of each level but the outermost and the function built
                so far; what it returns is used in place of that function.
        """
        function = base
        for index, level in enumerate(self.levels):
            function = level.apply(function)
            if observe is not None and index < len(self.levels) - 1:
                function = observe(level.name, function)
        return function


def call_namespace(module_names: Mapping[str, Any]) -> dict[str, Any]:
    """The names that a call may use: the file's own, then the shorthands and transforms."""
    names: dict[str, Any] = {name: getattr(jax, name) for name in TRANSFORMS if hasattr(jax, name)}
    names |= {"jax": jax, "jnp": jnp, "np": np, "key": jax.random.key}
    names |= shorthands()
    names |= module_names
    return names


def parse_call(text: str, names: Mapping[str, Any], *, file: str) -> Call:
    """Take a call apart and evaluate its arguments.

    Args:
        text: The call expression.
        names: What `call_namespace` made; nothing is added to it.
        file: The user's file, for messages; empty for a notebook.

    Raises:
        CallError: The text is no call, or names what the file does not have.
        Exception: Whatever evaluating an argument raises.
    """
    text = text.strip()
    return _CallParser(text, names, file).parse()


class _CallParser:
    def __init__(self, text: str, names: Mapping[str, Any], file: str) -> None:
        self._text = text
        self._names = dict(names)
        self._file = file
        self._holder = say("The file") if file else say("The notebook")
        self._transforms = {
            id(getattr(jax, name)): name for name in TRANSFORMS if hasattr(jax, name)
        }

    def parse(self) -> Call:
        outer = self._parse_text()
        self._check_names(outer)
        levels: list[Level] = []
        applied = self._transform_name(outer.func)
        if applied in APPLIED and outer.args:
            self._check_applied(applied, outer)
            collected = copy.copy(outer)
            collected.args = outer.args[1:]
            levels.append(Level(applied, self._applied_level(applied, outer.func)))
            inner: ast.expr = outer.args[0]
        else:
            if applied is not None:
                raise self._no_call(
                    say("{call} makes a new function but does not call it.", call=self._text),
                    say("Call it with arguments: {call}(…).", call=self._text),
                )
            collected, inner = outer, outer.func
        inner = self._peel(inner, levels)
        base = self._evaluate(inner)
        if not callable(base):
            raise self._no_call(
                say(
                    "{text} is no function but a {kind}.",
                    text=ast.unparse(inner),
                    kind=type(base).__name__,
                ),
                say("Name a function of the file."),
            )
        args, kwargs = self._collect_arguments(collected)
        return Call(
            text=self._text,
            base_text=_POSITION.sub("", ast.unparse(inner)),
            base=base,
            levels=tuple(reversed(levels)),
            args=args,
            kwargs=kwargs,
        )

    def _parse_text(self) -> ast.Call:
        try:
            tree = ast.parse(spell_scalars(self._text), CALL_FILE, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            why = getattr(error, "msg", None) or str(error)
            column = getattr(error, "offset", None)
            place = say(" at character {column}", column=column) if column else ""
            closed = _close_brackets(self._text)
            remedy = say("Did you mean {calls}?", calls=shorten(closed)) if closed else ""
            raise self._no_call(
                say(
                    "The call {call} is not a Python expression: {why}{place}.",
                    call=repr(shorten(self._text)),
                    why=why,
                    place=place,
                ),
                remedy or say("Type a call such as {call}.", call=self._example()),
                [closed] if closed else (),
                self._text[(column or 1) - 1 :] or self._text,
                "" if closed else self._example(),
                is_misspelt=bool(closed),
            ) from None
        if not isinstance(tree.body, ast.Call):
            is_name = isinstance(tree.body, ast.Name | ast.Attribute)
            text = shorten(self._text)
            raise self._no_call(
                say("{text} is not a call.", text=repr(text)),
                say("Add its arguments in parentheses.")
                if is_name
                else say("Type a call, such as {call}.", call=self._example()),
                [f"{self._text.strip()}(f32[8])"] if is_name else (),
                example="" if is_name else self._example(),
            )
        numbered: ast.Call = _Positions(self._names).visit(tree.body)
        return numbered

    def _peel(self, node: ast.expr, levels: list[Level]) -> ast.expr:
        """Take transforms off from the outside, appending a level for each."""
        while isinstance(node, ast.Call):
            name = self._transform_name(node.func)
            position = _function_position(node)
            if name in APPLIED and len(node.args) == 1 and not node.keywords:
                function = ast.unparse(node.args[0])
                raise self._no_call(
                    say("{name} takes the function and its arguments in one call.", name=name),
                    say("Write {call}.", call=APPLIED[name].format(function)),
                )
            if name is None or name in APPLIED or position is None:
                break
            levels.append(Level(name, self._wrapping_level(node, position)))
            node = node.args[0] if position == "" else _keyword(node, position)
        return node

    def _transform_name(self, node: ast.expr) -> str | None:
        """The transform that an expression evaluates to, found by identity."""
        if not isinstance(node, ast.Name | ast.Attribute | ast.Call):
            return None
        if isinstance(node, ast.Call) and not _is_partial(node):
            return None
        value = self._evaluate(node)
        if isinstance(value, functools.partial) and not value.args:
            value = value.func
        return self._transforms.get(id(value))

    def _wrapping_level(self, node: ast.Call, position: str) -> Callable[[Function], Function]:
        replaced = copy.deepcopy(node)
        stand_in = ast.copy_location(ast.Name(_STAND_IN, ast.Load()), node)
        if position == "":
            replaced.args[0] = stand_in
        else:
            for keyword in replaced.keywords:
                if keyword.arg == position:
                    keyword.value = stand_in
        code = _compile(replaced)

        def apply(function: Function) -> Function:
            applied: Function = eval(code, {**self._names, _STAND_IN: function})
            return applied

        return apply

    def _check_applied(self, name: str, call: ast.Call) -> None:
        """Python's own words would name a function of ours that stands in for the transform."""
        given = len(call.args) - 1 + len({k.arg for k in call.keywords} & {"primals", "tangents"})
        is_open = any(isinstance(arg, ast.Starred) for arg in call.args) or any(
            keyword.arg is None for keyword in call.keywords
        )
        if name == "jvp" and given != 2 and not is_open:
            raise self._no_call(
                say("jvp takes a function, its primals and their tangents."),
                say("Give both as tuples: `jvp(f, (x,), (t,))`."),
            )

    def _applied_level(self, name: str, node: ast.expr) -> Callable[[Function], Function]:
        transform = self._evaluate(node)

        def apply(function: Function) -> Function:
            def applied(*args: Any, **kwargs: Any) -> Any:
                return transform(function, *args, **kwargs)

            def of_primals_and_tangents(primals: Any, tangents: Any, **kwargs: Any) -> Any:
                return transform(function, primals, tangents, **kwargs)

            if name == "jvp":
                return of_primals_and_tangents
            applied.__wrapped__ = function  # type: ignore[attr-defined] # for parameter names
            return applied

        return apply

    def _collect_arguments(self, node: ast.Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
        collected = copy.copy(node)
        collected.func = ast.copy_location(ast.Name(_COLLECT, ast.Load()), node)

        def collect(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
            return args, kwargs

        result: tuple[tuple[Any, ...], dict[str, Any]] = eval(
            _compile(collected), {**self._names, _COLLECT: collect}
        )
        return result

    def _evaluate(self, node: ast.expr) -> Any:
        return eval(_compile(node), dict(self._names))

    def _check_names(self, node: ast.AST) -> None:
        bound = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)} | {
            n.id
            for n in ast.walk(node)
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        builtin_names = self._names.get("__builtins__", __builtins__)
        known = builtin_names if isinstance(builtin_names, dict) else vars(builtin_names)
        for name in ast.walk(node):
            if (
                isinstance(name, ast.Name)
                and name.id not in bound
                and name.id not in self._names
                and name.id not in known
            ):
                raise self._unknown_name(name.id, _find_use(name, node))

    def _unknown_name(self, name: str, use: _Use) -> CallError:
        functions, values = list_functions(self._names), self._list_values()
        is_type = use is _Use.SUBSCRIPTED
        known = {
            _Use.CALLED: [*functions, *TRANSFORMS, "key"],
            _Use.SUBSCRIPTED: [*shorthands(), *values],
            _Use.WITH_ATTRIBUTE: [*self._list_modules(), *values],
            _Use.PASSED: values,
        }[use]
        close = difflib.get_close_matches(name, known, n=3)
        others: Sequence[str] = ()
        if shorthand := find_shorthand(name):
            others = [shorthand]
            remedy = say("Arrays are written short: {shorthand}[8, 2].", shorthand=shorthand)
        elif close:
            others = close
            remedy = say("Did you mean {calls}?", calls=say_joined(close, EITHER))
        elif is_type:
            types = ", ".join(shorthands())
            remedy = say(
                "Arrays are written by their type, such as f32[8, 2]: {types}.", types=types
            )
        elif use is not _Use.CALLED and values:
            remedy = say(
                "Pass an array, such as f32[8, 2], or a value of the file: {values}.",
                values=", ".join(values[:20]),
            )
        elif use is not _Use.CALLED:
            remedy = say("Pass an array, such as f32[8, 2].")
        elif functions:
            others = functions[:20]
            remedy = say(
                "{holder} has: {functions}.",
                holder=self._holder,
                functions=", ".join(functions[:20]),
            )
        else:
            remedy = say("{holder} defines no functions.", holder=self._holder)
        calls = [self._with_name(name, other) for other in others]
        what = say(
            "{holder} has no {name}, which the call names.", holder=self._holder, name=repr(name)
        )
        is_misspelt = bool(close) and others is close
        return self._no_call(what, remedy, calls, name, is_misspelt=is_misspelt)

    def _list_values(self) -> list[str]:
        """Names of what the file holds besides functions, classes and modules."""
        return [
            name
            for name, value in self._names.items()
            if not name.startswith("_")
            and not hasattr(value, "__name__")
            and not isinstance(value, ArrayShorthand)
        ]

    def _list_modules(self) -> list[str]:
        return [name for name, value in self._names.items() if isinstance(value, ModuleType)]

    def _example(self) -> str:
        """A call of the function of the file that is named in the call, else of the first."""
        functions = list_functions(self._names)
        named = (name for name in re.findall(r"\w+", self._text) if name in functions)
        return f"{next(named, next(iter(functions), 'loss'))}(f32[8])"

    def _with_name(self, name: str, other: str) -> str:
        """The call with another name in the place of one that it uses."""
        return re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", other, self._text)

    def _no_call(
        self,
        what: str,
        remedy: str,
        calls: Sequence[str] = (),
        part: str = "",
        example: str = "",
        *,
        is_misspelt: bool = False,
    ) -> CallError:
        return CallError(
            Explanation(
                what=what,
                where=self._file,
                remedy=remedy,
                kind="CallError",
                calls=tuple(calls),
                part=part or self._text,
                example=example,
                is_misspelt=is_misspelt,
            )
        )


class _Positions(ast.NodeTransformer):
    """Tells each `f32[…]` of a call which one it is, so that its array is always the same."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names
        self._next = 0

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        value = node.value
        if isinstance(value, ast.Name) and isinstance(self._names.get(value.id), ArrayShorthand):
            numbered = ast.parse(f"{value.id}.at_position({self._next})", mode="eval").body
            node.value = ast.copy_location(numbered, value)
            self._next += 1
        return self.generic_visit(node)


class _Use(enum.Enum):
    """What a call does with a name."""

    CALLED = "called, or given to a transform"
    SUBSCRIPTED = "stands before brackets, as the type in `f32[8]` does"
    WITH_ATTRIBUTE = "stands before a dot"
    PASSED = "is an argument, or a part of one"


def _find_use(name: ast.Name, tree: ast.AST) -> _Use:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    called = [call.func for call in calls]
    for call in calls:
        function = call.func
        text = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if call in called or text in TRANSFORMS or _is_partial(call):
            position = _function_position(call)
            if position is not None:
                called.append(call.args[0] if position == "" else _keyword(call, position))
    if name in called:
        return _Use.CALLED
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and node.value is name:
            return _Use.SUBSCRIPTED
        if isinstance(node, ast.Attribute) and node.value is name:
            return _Use.WITH_ATTRIBUTE
    return _Use.PASSED


def split_call(text: str) -> tuple[str, str, str]:
    """The expression before a call's arguments, the base function in it, and the arguments.

    Of `grad(loss)(x)` they are `grad(loss)`, `loss` and `x`; all are empty where no function is
    named. A transform of a function is what comes before arguments, a name as well.
    """
    try:
        outer = ast.parse(spell_scalars(text.strip()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "", "", ""
    arguments = ""
    if isinstance(outer, ast.Call) and getattr(outer.func, "id", "") not in TRANSFORMS:
        parts = [ast.unparse(part) for part in (*outer.args, *outer.keywords)]
        outer, arguments = outer.func, ", ".join(parts)
    inner = outer
    while isinstance(inner, ast.Call) and (position := _function_position(inner)) is not None:
        inner = inner.args[0] if position == "" else _keyword(inner, position)
    if not isinstance(inner, ast.Name | ast.Attribute):
        return "", "", ""
    return ast.unparse(outer), ast.unparse(inner), arguments


def _close_brackets(text: str) -> str:
    """The call with its open brackets closed; empty where that is no call.

    Each is closed at the end, or where one around it is.
    """
    pairs, still_open, told, is_changed = {"(": ")", "[": "]", "{": "}"}, [], "", False
    text = text.rstrip(", ")
    if text.endswith(tuple(pairs)):
        return ""  # what is to stand in them is not known
    for letter in text:
        if letter in pairs:
            still_open.append(pairs[letter])
        elif letter in still_open:
            while still_open[-1] != letter:
                told, is_changed = told + still_open.pop(), True
            still_open.pop()
        told += letter
    is_changed |= bool(still_open)
    closed = spell_scalars(told + "".join(reversed(still_open)))
    try:
        tree = ast.parse(closed, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return closed if is_changed and isinstance(tree.body, ast.Call) else ""


def list_functions(names: Mapping[str, Any]) -> list[str]:
    """Names of the callables that the file itself defines, in its order."""
    module = names.get("__name__")
    return [
        name
        for name, value in names.items()
        if callable(value)
        and not name.startswith("_")
        and getattr(value, "__module__", None) == module
    ]


def _function_position(node: ast.Call) -> str | None:
    """Where a transform's call has its function: "" for first argument, or the keyword."""
    if node.args:
        return None if isinstance(node.args[0], ast.Starred) else ""
    names = [keyword.arg for keyword in node.keywords]
    return next((name for name in _FUNCTION_KEYWORDS if name in names), None)


def _keyword(node: ast.Call, name: str) -> ast.expr:
    return next(keyword.value for keyword in node.keywords if keyword.arg == name)


def _is_partial(node: ast.Call) -> bool:
    function = node.func
    return (isinstance(function, ast.Name) and function.id == "partial") or (
        isinstance(function, ast.Attribute) and function.attr == "partial"
    )


def _compile(node: ast.expr) -> CodeType:
    expression = ast.fix_missing_locations(ast.Expression(copy.deepcopy(node)))
    return compile(expression, CALL_FILE, "eval")
