"""Calls that work in place of one that does not: each was traced before it is proposed."""

from __future__ import annotations

import ast
import contextlib
import copy
import dataclasses
import difflib
import functools
import inspect
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from jaxscope.errors import CallError, Explanation, JaxscopeError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.outline import TRANSFORMS, find_offered_calls
from jaxscope.model.said import EITHER, say, say_joined
from jaxscope.model.script_calls import find_script_calls
from jaxscope.model.stages import REMEDIES
from jaxscope.model.types import SHORTHANDS
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.call_edits import edit_call, read_call, replace_integers
from jaxscope.worker.host.call import APPLIED, list_functions, parse_call, split_call
from jaxscope.worker.host.source import SourceSnapshot
from jaxscope.worker.provenance.traced_program import trace_call
from jaxscope.worker.stages.proposals import (
    TimeIsUp,
    candidate_calls,
    limit_time,
    printing_nothing,
)

_BUDGET_S = 4.0
_MAX_CANDIDATES = 60
_MAX_SPELLINGS, _MAX_OF_ONE, _MAX_CALLS = 20, 2, 5
_WORD = re.compile(r"\w+")
_SCALAR = re.compile(r"\b((?:bf|[fiuc])\d+|bool_)\[\(\)\]")
"""A scalar's type as Python has it; people write `f32[]`."""


@contextlib.contextmanager
def proposing_calls(
    source: SourceSnapshot, names: dict[str, Any], text: str, channel: Channel
) -> Iterator[None]:
    """Let an error that is the fault of the call propose no calls but those that trace.

    Args:
        source: The user's file.
        names: What the call may use, as `call_namespace` makes it.
        text: The call.
    """
    try:
        yield
    except JaxscopeError as error:
        explanation = error.explanation
        is_of_call = isinstance(error, CallError) or bool(explanation.part)
        arrays = _read_arrays(text) if _names_types(explanation) else None
        if is_of_call or explanation.calls or arrays:
            channel.progress(REMEDIES, say("Looking for a call that traces"))
            subject = text if is_of_call else ""
            error.explanation = _Search(source, names).propose(explanation, subject, arrays)
        raise


class _Search:
    """Looks for calls that trace."""

    def __init__(self, source: SourceSnapshot, names: dict[str, Any]) -> None:
        self._source, self._names = source, names
        self._functions = list_functions(names)
        self._offered = [offer.call for offer in find_offered_calls(source.text)]
        self._offered += find_script_calls(source.text)
        self._trying = ""

    def propose(
        self, explanation: Explanation, text: str, arrays: _Arrays | None = None
    ) -> Explanation:
        """The explanation with calls that trace: its own, else such as the function takes.

        Args:
            text: The call; empty where it is not at fault, so that no other is looked for.
            arrays: The arrays of the call, where others may mend it.
        """
        own = explanation.calls[:_MAX_SPELLINGS]
        found: list[str] = []
        meant: list[str] = []
        with limit_time(_BUDGET_S), printing_nothing():
            spelt = itertools.chain(_turn_inside_out(text), self._rename_keywords(text))
            meant = list(itertools.islice(self._working(spelt), 1))
        if meant:
            return dataclasses.replace(
                explanation,
                calls=tuple(meant),
                remedy=say("Did you mean {calls}?", calls=say_joined(meant, EITHER)),
                example="",
                is_misspelt=True,
            )
        with limit_time(_BUDGET_S), printing_nothing():
            refilled = self._refill(arrays, explanation.why)
            ranks = set() if arrays is None else {len(shape) for shape in arrays.shapes}
            is_of_sizes = _AXES_DIFFER in explanation.why and len(ranks) == 1
            for call in self._find(own, text, refilled, is_of_sizes=is_of_sizes):
                found.append(call)  # those before the time is up count
        is_typed = arrays is not None and self._trying == arrays.text
        if not found and not is_typed and self._trying in (*own, *self._offered):
            found.append(self._trying)  # nothing is known against it
        told = (_SCALAR.sub(r"\1[]", call) for call in found)
        calls = tuple(dict.fromkeys(told))[:_MAX_CALLS]
        remedy = explanation.remedy
        if explanation.is_misspelt and calls:
            remedy = say("Did you mean {calls}?", calls=say_joined(calls, EITHER))
        elif explanation.example or (calls and not remedy):
            form = calls[0] if calls else f"{explanation.example.partition('(')[0]}(…)"
            remedy = say("Type a call such as {call}.", call=form)
        return dataclasses.replace(explanation, calls=calls, remedy=remedy, example="")

    def _find(
        self, own: Sequence[str], text: str, refilled: Iterable[str], *, is_of_sizes: bool
    ) -> Iterator[str]:
        is_found = False
        refitted = itertools.islice(self._working(_refit(text)), _MAX_REFITTED)
        others = [refitted, refilled]
        if is_of_sizes:  # no array is meant for all: only one of them has a batch of another size
            others = [itertools.chain(refilled, itertools.islice(refitted, 1))]
        for calls in (self._working(own), self._working(_respell(text)), *others):
            for call in calls:
                yield call
                is_found = True
            if is_found:
                return
        if not text:
            return
        subjects = own[:_MAX_CALLS] or (text,)
        each = _MAX_OF_ONE if len(subjects) == 1 else 1
        for subject in subjects:
            yield from itertools.islice(self._working(self._calls_like(subject)), each)

    def _rename_keywords(self, text: str) -> Iterator[str]:
        """The call with the parameters' names that its keywords are nearly."""
        call = read_call(text)
        function = self._names.get(split_call(text)[1])
        if call is None or not call.keywords or not callable(function):
            return
        try:
            parameters = inspect.signature(function).parameters
        except (TypeError, ValueError):
            return
        free = [name for name in parameters if all(each.arg != name for each in call.keywords)]
        for each in call.keywords:
            name = each.arg or ""
            near = [other for other in free if other.casefold() == name.casefold()]
            near = near or difflib.get_close_matches(name, free, 1)
            if near and name not in parameters:
                each.arg = near[0]
                yield ast.unparse(call)

    def _refill(self, arrays: _Arrays | None, why: str) -> Iterator[str]:
        """Calls with other arrays: what the file gives the function, then one array changed.

        None where the call traces as it is: then a later stage failed.
        """
        if arrays is None or self._works(arrays.text):
            return
        left, num_found = iter(range(_MAX_RESHAPED_TRIED)), 0
        offered = itertools.islice(self._working(self._offers_like(arrays.text)), 1)
        found = dict.fromkeys(offered)
        yield from found
        for calls in arrays.change(why):
            tried = (call for call, _ in zip(calls, left, strict=False) if call not in found)
            wanted = _MAX_RESHAPED - len(found)
            for call in itertools.islice(self._working(tried), wanted):
                yield call
                num_found += 1
            if num_found:  # what is less likely is of no use
                return

    def _offers_like(self, text: str) -> Iterator[str]:
        """Calls with the arguments that the file offers for the function that a call names."""
        applied = _read_applied(text)
        outer, base, _ = split_call(applied.function if applied else text)
        split = [(call, *split_call(call)) for call in self._offered[:_MAX_RESHAPED_TRIED]]
        offered = [each for each in split if base and each[2] == base]
        for _, _, _, arguments in sorted(offered, key=lambda each: each[1] != outer):
            yield applied.fill(arguments) if applied else f"{outer}({arguments})"

    def _working(self, calls: Iterable[str]) -> Iterator[str]:
        seen: set[str] = set()
        for call in calls:
            if call not in seen and self._works(call):
                yield call
            seen.add(call)

    def _works(self, text: str) -> bool:
        self._trying = text
        try:
            trace_call(parse_call(text, self._names, file=self._source.path))
        except (TimeIsUp, KeyboardInterrupt):
            raise
        except BaseException:  # whatever the code raises; it may even exit
            works = False
        else:
            works = True
        self._trying = ""
        return works

    def _calls_like(self, text: str) -> Iterator[str]:
        """Calls of the function that a call names, with its transforms; else those of the file."""
        applied = _read_applied(text)
        outer, base, _ = split_call(applied.function if applied else text)
        bases = {split_call(offer)[1] for offer in self._offered}
        if applied and (base in self._functions or base in bases):
            return self._calls_of(outer, base, applied.fill)
        if base not in self._functions and base not in bases:
            words = _WORD.findall(text)
            named = (word for word in words if word in self._functions)
            begun = [name for name in self._functions if words and name.startswith(words[-1])]
            if begun and words[-1] not in self._functions:  # typed as far as that
                before, _, after = text.rpartition(words[-1])
                return self._calls_like(f"{before}{begun[0]}{after}")
            outer = base = next(named, "")
        return self._calls_of(outer, base) if base else iter(self._offered)

    def _calls_of(
        self, outer: str, base: str, fill: Callable[[str], str] | None = None
    ) -> Iterator[str]:
        """First those that the file offers, then those with arguments that it offers.

        Args:
            fill: Writes arguments into the call; behind `outer` they stand without it.
        """
        offered = [call for call in self._offered if split_call(call)[1] == base]
        if fill is None:
            yield from (call for call in offered if split_call(call)[0] == outer)
        candidates = itertools.islice(candidate_calls(base, self._names), _MAX_CANDIDATES)
        for call in itertools.chain(offered, candidates):
            arguments = split_call(call)[2]
            yield fill(arguments) if fill else f"{outer}({arguments})"
        yield from offered


class _Applied(NamedTuple):
    """A call of `jvp`, `vjp` or `linearize`, which take a function and its arguments in one call.

    Attributes:
        name: As it is typed, such as `jax.jvp`.
        function: The function, and transforms around it.
        given: What stands behind the function, or in parentheses of its own.
        is_apart: Whether these are the function's arguments, as in `vjp(f)(x)`.
    """

    name: str
    function: str
    given: Sequence[ast.expr]
    is_apart: bool

    @property
    def has_primals(self) -> bool:
        """Whether it is written `jvp(f, (x,), …)`."""
        is_jvp = self.name.rpartition(".")[2] == "jvp" and not self.is_apart
        return is_jvp and bool(self.given) and isinstance(self.given[0], ast.Tuple | ast.List)

    def fill(self, arguments: str, tangents: str = "") -> str:
        """The call with these arguments; with tangents that are like them, or with others."""
        if self.name.rpartition(".")[2] != "jvp":
            return f"{self.name}({self.function}, {arguments})"
        told = f"{self.name}({self.function}, ({arguments},), ({tangents or arguments},))"
        call = read_call(told)  # of several, the last needs no comma
        return told if call is None else ast.unparse(call)


def _read_applied(text: str) -> _Applied | None:
    call = read_call(text)
    if call is None:
        return None
    is_apart = isinstance(call.func, ast.Call)
    inner = call.func if isinstance(call.func, ast.Call) else call
    name = ast.unparse(inner.func)
    if name.rpartition(".")[2] not in APPLIED or not inner.args:
        return None
    given = call.args if is_apart else call.args[1:]
    named = [each.value for each in call.keywords if each.arg in ("primals", "tangents")]
    return _Applied(name, ast.unparse(inner.args[0]), (*given, *named), is_apart)


_MAX_MAPPED, _MAX_REFITTED = 4, 3
_POSITIONS = ("argnums", "static_argnums", "static_argnames", "donate_argnums")


def _refit(text: str) -> Iterator[str]:
    """Calls with other axes for `vmap` to map over, or without arguments that an option names.

    One option of one transform is changed: first what keeps most of it, then none of it.
    """
    outer = read_call(text)
    if outer is None or not outer.args:
        return
    for place, node in enumerate(ast.walk(outer.func)):
        if isinstance(node, ast.Call) and node.args:
            for option, value in _other_options(node, len(outer.args)):
                other = copy.deepcopy(outer)
                changed = next(itertools.islice(ast.walk(other.func), place, None))
                _set_option(cast("ast.Call", changed), option, value)
                yield ast.unparse(other)
    typed = ast.unparse(outer)
    if "vmap(" in typed:  # of scalars, arrays
        yield typed.replace("[()]", "[8]")
    if isinstance(outer.func, ast.Call) and _name_of(outer.func) == "vmap" and outer.func.args:
        yield ast.unparse(ast.Call(outer.func.args[0], outer.args, outer.keywords))


def _name_of(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _other_options(node: ast.Call, size: int) -> Iterator[tuple[str, str]]:
    """Options of a transform of a function of `size` arguments, with values to try; "" is none."""
    if _name_of(node) == "vmap":
        yield "in_axes", ""
        if size <= _MAX_MAPPED:
            axes = itertools.product((0, None), repeat=size)
            for each in sorted(axes, key=lambda each: each.count(None))[1:-1]:
                yield "in_axes", repr(each)
        yield "out_axes", ""
        return
    options = [(each.arg, each.value) for each in node.keywords if each.arg in _POSITIONS]
    if len(node.args) > 1:
        options.append(("argnums", node.args[1]))
    for option, value in options:
        with contextlib.suppress(ValueError):  # no literal
            typed = ast.literal_eval(value)
            if isinstance(typed, int) and typed >= size:
                yield option, repr(size - 1)
            elif isinstance(typed, tuple | list):
                kept = tuple(each for each in typed if isinstance(each, int) and each < size)
                if kept:
                    yield option, repr(kept)
        yield option, ""


def _set_option(node: ast.Call, option: str, value: str) -> None:
    node.keywords = [each for each in node.keywords if each.arg != option]
    if option in ("argnums", "in_axes"):  # they may stand behind the function without a name
        del node.args[1:]
    if value:
        node.keywords.append(ast.keyword(option, ast.parse(value, mode="eval").body))


_MAX_RESHAPED, _MAX_RESHAPED_TRIED, _MAX_ELEMENTS = 3, 40, 1_000_000
_USUAL_SIZE = 8
_SHAPES = re.compile(
    r"shape|dimension|\brank\b|\bndim\b|\bax[ie]s\b|\bsizes?\b|broadcast|to unpack|\bindices\b|"
    "tuple index",
    re.IGNORECASE,
)
_BRANCHES_DIFFER = "branches must have"
"""Where all branches give the same of some arrays, they may still not do so of those meant."""
_AXES_DIFFER = "vmap got inconsistent sizes"
_SIZE = re.compile(r"(?<![\w.-])\d{1,6}(?![\w.-])")


_WANTED = ((re.compile(r"\bintegers?\b"), "i32"), (re.compile(r"\bfloating\b"), "f32"))
"""What an error asks for, and what an array may be then."""


def _names_types(explanation: Explanation) -> bool:
    """Whether arrays of other shapes or dtypes may mend what an error speaks of."""
    is_likely = explanation.kind in ("TypeError", "ValueError", "IndexError")
    patterns = (_SHAPES, *(named for named, _ in _WANTED))
    is_likely = is_likely and _BRANCHES_DIFFER not in explanation.why
    return is_likely and any(each.search(explanation.why) for each in patterns)


@dataclass(frozen=True, slots=True)
class _Arrays:
    """The arrays such as `f32[8, 2]` in the arguments of a call.

    Attributes:
        text: The call.
        nodes: Where each stands in the call.
        shapes: What each has.
        write: The call as the nodes have it.
    """

    text: str
    nodes: Sequence[ast.Subscript]
    shapes: Sequence[tuple[int, ...]]
    write: Callable[[], str]

    def change(self, why: str) -> Iterator[Iterator[str]]:
        """Calls with other arrays, by how likely the change is.

        First another dtype, where the error asks for it, else of several arrays; then the last two
        axes swapped, or a size that the error names put for another one; then other sizes changed;
        then one axis less or more.

        Args:
            why: The text of the error.
        """
        yield self._change_types(why, is_of_all=False)
        yield self._change_types(why, is_of_all=True)
        if _SHAPES.search(why) is None:
            return
        named = [int(size) for size in _SIZE.findall(why)]
        yield itertools.chain(self._swap_axes(), self._resize(named, is_named=True))
        yield self._resize(named, is_named=False)
        yield self._add_or_drop_axes()

    def _change_types(self, why: str, *, is_of_all: bool) -> Iterator[str]:
        """Calls with another dtype where the error asks for one.

        Args:
            why: The text of the error.
            is_of_all: Whether all arrays that have the wrong one are changed at once, or one.
        """
        kinds = [cast("ast.Name", node.value) for node in self.nodes]
        for named, right in _WANTED:
            blamed = [kind for kind in kinds if named.search(why) and kind.id != right]
            groups = [[each] for each in blamed]
            if is_of_all:
                groups = [blamed] if len(blamed) > 1 else []
            for changed in groups:
                before = [kind.id for kind in changed]
                for kind in changed:
                    kind.id = right
                text = self.write()
                for kind, name in zip(changed, before, strict=True):
                    kind.id = name
                yield text

    def _swap_axes(self) -> Iterator[str]:
        for number, shape in enumerate(self.shapes):
            if len(set(shape[-2:])) == 2:
                yield from self._with(number, (*shape[:-2], shape[-1], shape[-2]))

    def _resize(self, named: Sequence[int], *, is_named: bool) -> Iterator[str]:
        """Calls with one size put for another; none becomes 1, which fits about everything.

        Args:
            named: Sizes that the error names.
            is_named: Whether both sizes are among these.
        """
        known = dict.fromkeys((*itertools.chain(*self.shapes), *named))
        for number, shape in enumerate(self.shapes):
            for axis, before in enumerate(shape):
                for size in known:
                    is_change = size > 1 and size != before
                    if is_change and ({before, size} <= {*named}) is is_named:
                        yield from self._with(number, (*shape[:axis], size, *shape[axis + 1 :]))

    def _add_or_drop_axes(self) -> Iterator[str]:
        """Calls with one array without its first axis, then with one more before it."""
        for number, shape in enumerate(self.shapes):
            if shape:
                yield from self._with(number, shape[1:])
        for number, shape in enumerate(self.shapes):
            others = (*self.shapes[:number], *self.shapes[number + 1 :])
            first = dict.fromkeys(each[0] for each in others if len(each) > len(shape))
            for size in first or (_USUAL_SIZE,):
                yield from self._with(number, (size, *shape))

    def _with(self, number: int, shape: Sequence[int]) -> Iterator[str]:
        if math.prod(shape) > max(_MAX_ELEMENTS, *map(math.prod, self.shapes)):
            return  # evaluating it would take much memory
        node = self.nodes[number]
        before, node.slice = node.slice, _write_shape(shape)
        text = self.write()
        node.slice = before
        yield text


def _write_shape(shape: Sequence[int]) -> ast.expr:
    return ast.parse(", ".join(map(str, shape)) or "()", mode="eval").body


def _read_arrays(text: str) -> _Arrays | None:
    """The arrays in the arguments of a call; None where there are none."""
    applied, call = _read_applied(text), read_call(text)
    if call is None:
        return None
    given = [*call.args, *(each.value for each in call.keywords)]
    write: Callable[[], str] = functools.partial(ast.unparse, call)
    if applied and applied.has_primals:
        given = cast("ast.Tuple", applied.given[0]).elts
        write = functools.partial(_fill, applied, given)  # the tangents change with them
    nodes: list[ast.Subscript] = []
    shapes = []
    for node in itertools.chain.from_iterable(map(ast.walk, given)):
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
            continue
        with contextlib.suppress(ValueError):  # no literal
            sizes = ast.literal_eval(node.slice)
            shape = sizes if isinstance(sizes, tuple) else (sizes,)
            if node.value.id in SHORTHANDS and all(type(size) is int for size in shape):
                nodes.append(node)
                shapes.append(shape)
    return _Arrays(text, nodes, shapes, write) if nodes else None


def _fill(applied: _Applied, given: Sequence[ast.expr]) -> str:
    return applied.fill(", ".join(map(ast.unparse, given)))


_SUM_OF_FLOATS = "{grad}(lambda *xs: {function}(*xs).sum(){options})({floats})"


def _turn_inside_out(text: str) -> Iterator[str]:
    """`grad(f)(x)` of `grad(f(x))`: the transform is of the function, not of its result."""
    call = read_call(text)
    outer: list[ast.Call] = []
    while call is not None and _name_of(call) in TRANSFORMS and call.args:
        outer.append(call)
        inner = call.args[0]
        call = inner if isinstance(inner, ast.Call) else None
    if call is None or not outer:
        return
    function = call.func
    for each in reversed(outer):
        function = ast.Call(each.func, [function, *each.args[1:]], each.keywords)
    yield ast.unparse(ast.Call(function, call.args, call.keywords))


def _respell(text: str) -> Iterator[str]:
    """Calls of `jvp`, `vjp` and `linearize` with what was typed, in the form that they take.

    Of a gradient with respect to integers, that of the sum with respect to floats.
    """
    applied, call = _read_applied(text), read_call(text)
    typed = [] if call is None else [*call.args, *call.keywords]
    if any(ast.unparse(each) != ast.unparse(replace_integers(each)) for each in typed):
        yield from edit_call(text, (_SUM_OF_FLOATS,))
    if applied is None or not applied.given:
        return
    given = applied.given
    if applied.has_primals:
        given = cast("ast.Tuple", given[0]).elts
    elif applied.name.rpartition(".")[2] == "jvp" and not applied.is_apart and len(given) == 2:
        yield applied.fill(*map(ast.unparse, given))
    for all_of_it in (given, [replace_integers(each) for each in given]):
        yield applied.fill(", ".join(map(ast.unparse, all_of_it)))
