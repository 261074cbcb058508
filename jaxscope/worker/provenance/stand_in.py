"""Replacements for the user's functions, to trace and tag them where the transforms call them."""

from __future__ import annotations

import operator
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

import jax

from jaxscope.errors import PACKAGE_FOLDER
from jaxscope.late_dataclass import dataclass
from jaxscope.model.op_name import BASE_TAG, NO_EQUATION
from jaxscope.worker import compat, compat_recorder
from jaxscope.worker.host.arguments import leaf_path, named_like, parameter_names
from jaxscope.worker.host.call import Call
from jaxscope.worker.provenance.tagging import RunTagger, Tagger, change_jaxprs, nested_jaxprs

# What stands around the user's functions is ours; source lines point into the user's files.
compat.hide_frames_of(PACKAGE_FOLDER + os.sep)


@dataclass(frozen=True, eq=False)
class StageJaxpr:
    """One jaxpr-level stage.

    Attributes:
        name: As in the contract.
        jaxpr: Closed, tagged.
        argument_paths: Of its inputs.
        result_paths: Of its outputs.
        seconds: Wall seconds that tracing took.
        is_fetched: Whether JAX had kept much of it from before.
    """

    name: str
    jaxpr: Any
    argument_paths: tuple[str, ...]
    result_paths: tuple[str, ...]
    seconds: float
    is_fetched: bool = False


class BaseRecorder:
    """Stands in for the base function: runs it, and follows what it does.

    Attributes:
        stage: The base function's jaxpr as first seen; None before it was called, and where it can
            neither be followed nor traced on its own.
        ids: Equation ids by number of the tags.
        why_not: The error that kept the function from being followed.
    """

    def __init__(
        self, base: Callable[..., Any], batch_axes: compat_recorder.BatchAxes | None = None
    ) -> None:
        self._base, self._batch_axes = base, batch_axes
        self._first: tuple[list[str], list[str]] | None = None
        self._taggers: list[RunTagger] = []
        self.was_called = False
        self.stage: StageJaxpr | None = None
        self.ids: list[str] = []
        self.why_not: Exception | None = None

    def stand_in(self) -> Callable[..., Any]:
        """The function to put in place of the base."""

        def stand_in(*args: Any, **kwargs: Any) -> Any:
            self.was_called = True
            if self._batch_axes is not None:
                self._batch_axes.note_call()
            return self._call(args, kwargs)

        return named_like(self._base, stand_in)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tagger = RunTagger(len(self.ids))
        self._taggers.append(tagger)
        result, here, why_not = trace_here(self._base, args, kwargs, tagger)
        if here is None:
            self.why_not = self.why_not or why_not
            self.ids += tagger.ids[len(self.ids) :]
            if self.stage is None:
                self.stage = _trace_alone(self._base, args, kwargs)
            return result
        shown = shown_body(here.jaxpr) if compat.is_jitted(self._base) else here.jaxpr
        tagger.name_equations(shown)
        named = tagger.ids[len(self.ids) :], tagger.primitives[len(self.ids) :]
        if self._first is None:
            self._first = named
            self.stage = here.stage("jaxpr", shown)
        # A transform that calls the function again repeats its equations: a tag of any repetition
        # means the same one. Where it does something else, its equations are not distinguished.
        self.ids += named[0] if named == self._first else [""] * len(named[0])
        return result

    def share_tagged(self, jaxpr: Any) -> Any:
        """The jaxpr of the whole call, functions that the base shares with others shared again."""
        for tagger in self._taggers:
            jaxpr = share_copies(jaxpr, tagger.copies)
        return jaxpr


def _trace_alone(
    base: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> StageJaxpr | None:
    """The jaxpr of a function that could not be followed: it runs once more, without tags."""
    pairs, tree = jax.tree_util.tree_flatten_with_path((args, kwargs))
    leaves = [leaf for _, leaf in pairs]
    dynamic = [index for index, leaf in enumerate(leaves) if isinstance(leaf, compat.Tracer)]

    def of_tracers(*values: Any) -> Any:
        for index, value in zip(dynamic, values, strict=True):
            leaves[index] = value
        inner_args, inner_kwargs = jax.tree.unflatten(tree, leaves)
        return base(*inner_args, **inner_kwargs)

    start = time.perf_counter()
    try:
        jaxpr = jax.make_jaxpr(named_like(base, of_tracers, keep_signature=False))(
            *(leaves[index] for index in dynamic)
        )
    except Exception:
        return None
    names = parameter_names(base, args)
    paths = tuple(leaf_path(pairs[index][0], names) for index in dynamic)
    shown = shown_body(jaxpr) if compat.is_jitted(base) else jaxpr
    return StageJaxpr("jaxpr", shown, paths, (), time.perf_counter() - start)


def tag_shown(tagger: Tagger, jaxpr: Any, num_jits: int) -> tuple[Any, Any]:
    """Tag a jaxpr; returns the whole, and what to show: the body inside of up to `num_jits` calls.

    A function that is already jitted is a single `jit` equation; what is shown is its body, so the
    ids of the body's equations have no prefix.
    """
    parameter = jitted_body(jaxpr) if num_jits else None
    if parameter is None:
        tagged = tagger.tag(jaxpr)
        return tagged, tagged
    (equation,) = compat.open_jaxpr(jaxpr).eqns
    body, shown = tag_shown(tagger, equation.params[parameter], num_jits - 1)
    parameters = {**equation.params, parameter: body}
    return compat.replace_equations(jaxpr, [equation.replace(params=parameters)]), shown


def shown_body(jaxpr: Any) -> Any:
    """The body of a jaxpr that is one call of a jitted function; any other jaxpr as it is."""
    parameter = jitted_body(jaxpr)
    return jaxpr if parameter is None else compat.open_jaxpr(jaxpr).eqns[0].params[parameter]


def jitted_body(jaxpr: Any) -> str | None:
    """The parameter with the program, if the jaxpr is one call of a jitted function and no more."""
    inner = compat.open_jaxpr(jaxpr)
    if len(inner.eqns) != 1 or inner.constvars:
        return None
    (equation,) = inner.eqns
    is_plain = (
        equation.primitive.name in {"jit", "pjit"}
        and list(map(id, equation.invars)) == list(map(id, inner.invars))
        and list(map(id, equation.outvars)) == list(map(id, inner.outvars))
    )
    return "jaxpr" if is_plain else None


class InnerStages:
    """Traces the functions between the base and the outermost transform, where they are called."""

    def __init__(self, call: Call) -> None:
        named = [level.name for level in call.levels if level.name != "jit"]
        self._names: list[str] = []
        for name in named:
            self._names.append(f"{name}({self._names[-1]})" if self._names else name)
        self._next = 0
        self._recorded: dict[str, StageJaxpr] = {}

    @property
    def last_name(self) -> str:
        return self._names[-1] if self._names else "jaxpr"

    def next_name(self) -> str:
        """The first that was not traced to its end."""
        return next(name for name in self._names if name not in self._recorded)

    def stages(self) -> tuple[StageJaxpr, ...]:
        return tuple(self._recorded[name] for name in self._names[:-1] if name in self._recorded)

    def observe(self, level: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the function that a transform made, to trace it at its first call."""
        if level == "jit":
            return function
        name = self._names[self._next]
        self._next += 1
        if name == self.last_name:
            return function

        def observed(*args: Any, **kwargs: Any) -> Any:
            if name in self._recorded:
                return function(*args, **kwargs)
            result, here, _ = trace_here(function, args, kwargs)
            if here is not None:
                self._recorded[name] = here.stage(name, here.jaxpr)
            return result

        return named_like(function, observed)


@dataclass(frozen=True, eq=False)
class LocalTrace:
    """A function followed where a transform calls it, at the types it is called with.

    Attributes:
        jaxpr: Closed.
        argument_paths: One for each input.
        result_paths: One for each output.
        seconds: Wall seconds that running it took.
    """

    jaxpr: Any
    argument_paths: tuple[str, ...]
    result_paths: tuple[str, ...]
    seconds: float

    def stage(self, name: str, jaxpr: Any) -> StageJaxpr:
        """The stage that shows a (tagged) form of this jaxpr."""
        return StageJaxpr(name, jaxpr, self.argument_paths, self.result_paths, self.seconds)


def trace_here(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    tagger: RunTagger | None = None,
) -> tuple[Any, LocalTrace | None, Exception | None]:
    """Run a function under whatever transforms are active, and follow it; it runs once.

    Where this JAX lacks a name that following needs, it runs alone, for a second time if need be.

    Returns:
        What it returned, what it did, and why that is not known. The arguments are handed on as
        they are: classes that check themselves when rebuilt are not rebuilt.
    """
    pairs = jax.tree_util.tree_flatten_with_path((args, kwargs))[0]
    dynamic = [(path, leaf) for path, leaf in pairs if isinstance(leaf, compat.Tracer)]

    start = time.perf_counter()
    try:
        recording = compat_recorder.record(
            lambda: function(*args, **kwargs),
            [leaf for _, leaf in dynamic],
            tagger,
            lambda follow: named_like(function, follow, keep_signature=False),
        )
    except AttributeError as error:
        if not compat.tell_missing(error):
            raise
        return function(*args, **kwargs), None, error
    seconds = time.perf_counter() - start
    if recording.jaxpr is None:
        return recording.result, None, recording.why_not
    names = parameter_names(function, args)
    results = jax.tree_util.tree_flatten_with_path(recording.result)[0]
    here = LocalTrace(
        jaxpr=recording.jaxpr,
        argument_paths=tuple(leaf_path(path, names) for path, _ in dynamic),
        result_paths=tuple(f"result{jax.tree_util.keystr(path)}" for path, _ in results),
        seconds=seconds,
    )
    return recording.result, here, None


# All calls of a jitted function share one jaxpr again, as they do in JAX.
#
# What the base function calls has a tagged copy, and a rule of a derivative that calls it, too, has
# the jaxpr without tags. After tracing, the other calls get the copy. So do calls of what
# transforms made of the jaxpr, where they made the same of the copy.

_SHARING = frozenset({"jit", "pjit", "scan", "while", "cond"})
"""Operations whose jaxprs JAX takes from caches; others may compare what they hold by identity."""


def share_copies(jaxpr: Any, copies: Mapping[int, tuple[Any, Any]]) -> Any:
    """Let what calls a function without its tags call the tagged copy, as the base does.

    Only copies that the program has: others would be shown beside what JAX shares.

    Args:
        jaxpr: Of the whole call.
        copies: Each jaxpr that was tagged and its tagged copy, by the identity of the first.
    """
    present = {id(compat.open_jaxpr(each)) for each in find_nested_jaxprs(jaxpr)}
    copies = compat_recorder.with_derived(copies)

    def copy_of(called: Any) -> Any:
        copy = copies.get(id(called), (None, None))[1]
        return copy if id(compat.open_jaxpr(copy)) in present else None

    return _Replacement(copy_of).change(jaxpr)


class _Replacement:
    """Replaces jaxprs that equations call, wherever in a jaxpr they stand.

    Args:
        find: What to call in place of a jaxpr; None to leave it.
    """

    def __init__(self, find: Callable[[Any], Any]) -> None:
        self._find = find
        self._changed: dict[int, tuple[Any, Any]] = {}

    def change(self, jaxpr: Any) -> Any:
        """The jaxpr with other calls; the same one if none is replaced."""
        if id(jaxpr) not in self._changed:
            before = compat.open_jaxpr(jaxpr).eqns
            after = list(map(self._change_equation, before))
            is_same = all(map(operator.is_, after, before))
            changed = jaxpr if is_same else compat.replace_equations(jaxpr, after)
            self._changed[id(jaxpr)] = (jaxpr, changed)
        return self._changed[id(jaxpr)][1]

    def _change_equation(self, equation: Any) -> Any:
        nested = [jaxpr for _, jaxpr in nested_jaxprs(equation.params)]
        is_call = equation.primitive.name in _SHARING
        found = {id(each): self._find(each) for each in nested} if is_call else {}
        is_found = any(each is not None for each in found.values())
        if not is_found and all(self.change(each) is each for each in nested):
            return equation

        def change(_: str, jaxpr: Any) -> Any:
            other = found.get(id(jaxpr))
            return self.change(jaxpr) if other is None else other

        source_info = equation.source_info
        if is_found:
            source_info = compat.with_innermost_tag(source_info, BASE_TAG, NO_EQUATION)
        return equation.replace(
            params=change_jaxprs(equation.params, change), source_info=source_info
        )


def find_nested_jaxprs(jaxpr: Any) -> list[Any]:
    """The jaxprs that a jaxpr holds, once each."""
    found: dict[int, Any] = {}

    def walk(outer: Any) -> None:
        for equation in compat.open_jaxpr(outer).eqns:
            for _, nested in nested_jaxprs(equation.params):
                if id(nested) not in found:
                    found[id(nested)] = nested
                    walk(nested)

    walk(jaxpr)
    return list(found.values())
