"""Calls that work in place of one that does not: each was traced before it is proposed."""

from __future__ import annotations

import ast
import contextlib
import copy
import dataclasses
import io
import itertools
import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FrameType
from typing import Any, NamedTuple, NoReturn, cast

from jaxscope.errors import CallError, Explanation, JaxscopeError
from jaxscope.model.outline import find_offered_calls
from jaxscope.model.said import EITHER, say, say_joined
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import edit_call, read_call, replace_integers
from jaxscope.worker.host.call import APPLIED, list_functions, parse_call, split_call
from jaxscope.worker.host.source import SourceSnapshot
from jaxscope.worker.provenance.traced_program import trace_call
from jaxscope.worker.stages.proposals import candidate_calls

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
        if is_of_call or explanation.calls:
            channel.progress("call", say("Looking for a call that traces"))
            subject = text if is_of_call else ""
            error.explanation = _Search(source, names).propose(explanation, subject)
        raise


class _Search:
    """Looks for calls that trace."""

    def __init__(self, source: SourceSnapshot, names: dict[str, Any]) -> None:
        self._source, self._names = source, names
        self._functions = list_functions(names)
        self._offered = [offer.call for offer in find_offered_calls(source.text)]
        self._trying = ""

    def propose(self, explanation: Explanation, text: str) -> Explanation:
        """The explanation with calls that trace: its own, else such as the function takes.

        Args:
            text: The call; empty where it is not at fault, so that no other is looked for.
        """
        own = explanation.calls[:_MAX_SPELLINGS]
        found: list[str] = []
        with _limit_time(), contextlib.redirect_stdout(io.StringIO()):
            for call in self._find(own, text):
                found.append(call)  # those before the time is up count
        if not found and self._trying in (*own, *self._offered):
            found.append(self._trying)  # nothing is known against it
        told = (_SCALAR.sub(r"\1[]", call) for call in found)
        calls = tuple(dict.fromkeys(told))[:_MAX_CALLS]
        remedy = explanation.remedy
        if explanation.is_misspelt and calls:
            remedy = say("Did you mean {calls}?", calls=say_joined(calls, EITHER))
        elif explanation.example:
            form = calls[0] if calls else f"{explanation.example.partition('(')[0]}(…)"
            remedy = say("Type a call such as {call}.", call=form)
        return dataclasses.replace(explanation, calls=calls, remedy=remedy, example="")

    def _find(self, own: Sequence[str], text: str) -> Iterator[str]:
        is_found = False
        refitted = itertools.islice(self._working(_refit(text)), _MAX_REFITTED)
        for calls in (self._working(own), self._working(_respell(text)), refitted):
            for call in calls:
                yield call
                is_found = True
            if is_found or not text:
                return
        subjects = own[:_MAX_CALLS] or (text,)
        each = _MAX_OF_ONE if len(subjects) == 1 else 1
        for subject in subjects:
            yield from itertools.islice(self._working(self._calls_like(subject)), each)

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
        except (_TimeIsUp, KeyboardInterrupt):
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


_SUM_OF_FLOATS = "{grad}(lambda *xs: {function}(*xs).sum(){options})({floats})"


def _respell(text: str) -> Iterator[str]:
    """Calls of `jvp`, `vjp` and `linearize` with what was typed, in the form that they take.

    Of a gradient with respect to integers, that of the sum with respect to floats.
    """
    applied, call = _read_applied(text), read_call(text)
    if call is not None and ast.unparse(call) != ast.unparse(replace_integers(call)):
        yield from edit_call(text, (_SUM_OF_FLOATS,))
    if applied is None or not applied.given:
        return
    given = applied.given
    first = given[0]
    if applied.name.rpartition(".")[2] == "jvp" and not applied.is_apart:
        if isinstance(first, ast.Tuple | ast.List):
            given = first.elts
        elif len(given) == 2:
            yield applied.fill(*map(ast.unparse, given))
    for all_of_it in (given, [replace_integers(each) for each in given]):
        yield applied.fill(", ".join(map(ast.unparse, all_of_it)))


class _TimeIsUp(BaseException):
    """No `Exception`: the code that is traced may catch all of those."""


@contextlib.contextmanager
def _limit_time() -> Iterator[None]:
    """End the block when the time for a search is up; where there are no such signals, never."""

    def end(_number: int, _frame: FrameType | None) -> NoReturn:
        raise _TimeIsUp

    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, _BUDGET_S)
    try:
        with contextlib.suppress(_TimeIsUp):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
