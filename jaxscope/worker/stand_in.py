"""Functions that stand in for the user's, to trace and tag them where the transforms call them."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any

import jax

from jaxscope.model.op_name import BASE_TAG
from jaxscope.worker import compat, compat_inlining
from jaxscope.worker.arguments import leaf_path, named_like, parameter_names
from jaxscope.worker.call import Call
from jaxscope.worker.tagging import Tagger


@dataclasses.dataclass(frozen=True, eq=False)
class StageJaxpr:
    """One jaxpr-level stage.

    Attributes:
        name: As in the contract.
        jaxpr: Closed, tagged.
        argument_paths: Of its inputs.
        result_paths: Of its outputs.
        seconds: Wall seconds that tracing took.
    """

    name: str
    jaxpr: Any
    argument_paths: tuple[str, ...]
    result_paths: tuple[str, ...]
    seconds: float


class BaseRecorder:
    """Stands in for the base function: traces, tags and evaluates it.

    Attributes:
        stage: The base function's jaxpr as first seen, or None before it was called.
        tagger: Numbered the equations.
    """

    def __init__(self, base: Callable[..., Any], *, keeps_constants: bool) -> None:
        self._base = base
        self._keeps_constants = keeps_constants
        self.stage: StageJaxpr | None = None
        self.tagger = Tagger(BASE_TAG)

    def stand_in(self) -> Callable[..., Any]:
        """The function to put in place of the base."""

        def stand_in(*args: Any, **kwargs: Any) -> Any:
            return self._call(args, kwargs)

        return named_like(self._base, stand_in)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        # A call that hands an argument on gives the very same value where it is inlined at once,
        # and another where it is transformed first. What closes over both takes one or two.
        inlined = compat_inlining.inlines_at_once()
        function = (
            self._base
            if inlined
            else _with_whole_calls(self._base, keeps_constants=self._keeps_constants)
        )
        here = trace_here(function, args, kwargs)
        tagged, shown = self._tag(here)
        if self.stage is None:
            self.stage = here.stage("jaxpr", shown)
        return jax.tree.unflatten(
            here.result_tree, compat.evaluate_jaxpr(tagged, here.traced_leaves)
        )

    def _tag(self, here: LocalTrace) -> tuple[Any, Any]:
        """The tagged jaxpr to evaluate, and the one to show: an already jitted base's body."""
        if self.stage is not None:
            # A transform that calls the function again repeats its equations. They are numbered
            # like the first ones, so that a tag means the same equation in every repetition.
            again = Tagger(BASE_TAG)
            tagged, shown = self._tag_with(again, here)
            if again.ids == self.tagger.ids:
                return tagged, shown
            return here.jaxpr, shown
        return self._tag_with(self.tagger, here)

    def _tag_with(self, tagger: Tagger, here: LocalTrace) -> tuple[Any, Any]:
        tagged, shown = tag_shown(tagger, here.jaxpr, int(compat.is_jitted(self._base)))
        if tagger.has_inlined:
            # Evaluating it inlines the calls, as tracing the function itself would have.
            def evaluate(*leaves: Any) -> list[Any]:
                return compat.evaluate_jaxpr(tagged, leaves)

            shown = jax.make_jaxpr(evaluate)(*here.traced_leaves)
            tagger.name_inlined(shown)
        return tagged, shown


def _with_whole_calls(function: Callable[..., Any], *, keeps_constants: bool) -> Callable[..., Any]:
    """A function to trace once, for calls that are inlined later: many are the same."""

    def whole(*args: Any, **kwargs: Any) -> Any:
        with compat_inlining.whole_calls(keeps_constants=keeps_constants):
            return function(*args, **kwargs)

    return named_like(function, whole)


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
        return self._names[-1]

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
            if name not in self._recorded:
                here = trace_here(function, args, kwargs)
                self._recorded[name] = here.stage(name, here.jaxpr)
            return function(*args, **kwargs)

        return named_like(function, observed)


@dataclasses.dataclass(frozen=True, eq=False)
class LocalTrace:
    """A function traced where a transform calls it, at the types it is called with.

    Attributes:
        jaxpr: Closed.
        traced_leaves: The tracers among the arguments, in order: the jaxpr's inputs.
        argument_paths: One for each input.
        result_paths: One for each output.
        result_tree: Structure of the results.
        seconds: Wall seconds of tracing.
    """

    jaxpr: Any
    traced_leaves: tuple[Any, ...]
    argument_paths: tuple[str, ...]
    result_paths: tuple[str, ...]
    result_tree: Any
    seconds: float

    def stage(self, name: str, jaxpr: Any) -> StageJaxpr:
        """The stage that shows a (tagged) form of this jaxpr."""
        return StageJaxpr(name, jaxpr, self.argument_paths, self.result_paths, self.seconds)


def trace_here(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> LocalTrace:
    """Trace a function under whatever transforms are active; what is no tracer stays as it is."""
    pairs, tree = jax.tree_util.tree_flatten_with_path((args, kwargs))
    leaves = [leaf for _, leaf in pairs]
    dynamic = [i for i, leaf in enumerate(leaves) if isinstance(leaf, compat.Tracer)]

    def of_dynamic(*values: Any) -> Any:
        merged = list(leaves)
        for index, value in zip(dynamic, values, strict=True):
            merged[index] = value
        inner_args, inner_kwargs = jax.tree.unflatten(tree, merged)
        return function(*inner_args, **inner_kwargs)

    named_like(function, of_dynamic, keep_signature=False)
    start = time.perf_counter()
    jaxpr, shape = jax.make_jaxpr(of_dynamic, return_shape=True)(*(leaves[i] for i in dynamic))
    seconds = time.perf_counter() - start
    names = parameter_names(function, args)
    results = jax.tree_util.tree_flatten_with_path(shape)[0]
    return LocalTrace(
        jaxpr=jaxpr,
        traced_leaves=tuple(leaves[i] for i in dynamic),
        argument_paths=tuple(leaf_path(pairs[i][0], names) for i in dynamic),
        result_paths=tuple(f"result{jax.tree_util.keystr(path)}" for path, _ in results),
        result_tree=jax.tree.structure(shape),
        seconds=seconds,
    )
