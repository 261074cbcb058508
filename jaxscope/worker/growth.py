"""A call many times over, in two forms: a loop against vmap, an unrolled loop against a scan."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from jaxscope.errors import CallError, Explanation
from jaxscope.worker.argument_places import ALL, find_array_places
from jaxscope.worker.arguments import box_statics, unbox_statics
from jaxscope.worker.call import Call
from jaxscope.worker.measuring import Compiled, Laboratory, compile_form
from jaxscope.worker.stages_timing import same_arguments
from jaxscope.worker.stopwatch import Subject
from jaxscope.worker.subjects import find_forms

FORMS = {"": ("eager", "jit"), "batch": ("loop", "vmap"), "depth": ("unrolled", "scan")}
"""Names of the two forms of each preset."""
VARIED = {"batch": "batch size", "depth": "depth"}


@dataclasses.dataclass(frozen=True, eq=False)
class Pair:
    """Two compiled forms of the same work.

    Attributes:
        first: Its subject is what is called; of a loop, the stages are those of one call.
        second: The form whose costs are told.
    """

    first: Compiled
    second: Compiled


def compile_batch(laboratory: Laboratory, call: Call, names: str, size: int) -> Pair:
    """A Python loop over the jitted call, and the jitted vmap of the call.

    Args:
        names: Of the arrays that are stacked, joined by `+`; empty for all.
        size: Of the batch.

    Raises:
        CallError: The call has no such array.
        Exception: Whatever the user's code or the compiler raises.
    """
    places = _batched_places(call, names)
    composed = call.compose(call.base)
    leaves, tree = jax.tree.flatten((call.args, call.kwargs))

    def merge(batched: list[Any], rest: list[Any]) -> Any:
        values = list(rest)
        for place, value in zip(places, batched, strict=True):
            values[place] = value
        args, kwargs = jax.tree.unflatten(tree, values)
        return composed(*args, **kwargs)

    def mapped(batched: list[Any], rest: list[Any]) -> Any:
        return jax.vmap(lambda values: merge(values, rest))(batched)

    stacked = [jnp.repeat(jnp.asarray(leaves[place])[None], size, 0) for place in places]
    rest = [None if place in places else leaf for place, leaf in enumerate(leaves)]
    single = compile_form(laboratory, find_forms(call), "eager")
    args, kwargs = single.subject.prepare()
    jitted = single.subject.function

    def loop() -> list[Any]:
        return [jitted(*args, **kwargs) for _ in range(size)]

    first = dataclasses.replace(single, subject=Subject("eager", loop, same_arguments((), {})))
    whole = find_forms(_call_of(call, mapped, (stacked, rest), {}))
    return Pair(first, compile_form(laboratory, whole, "jit"))


def compile_depth(laboratory: Laboratory, call: Call, size: int) -> Pair:
    """The call applied to its own result so many times, unrolled and as a scan; both jitted.

    Raises:
        CallError: The result cannot take the place of the first argument.
        Exception: Whatever the user's code or the compiler raises.
    """
    step = _find_step(call)

    def unrolled(*args: Any, **kwargs: Any) -> Any:
        first, *rest = args
        for _ in range(size):
            first = step(first, *rest, **kwargs)
        return first

    def scanned(*args: Any, **kwargs: Any) -> Any:
        first, *rest = args

        def body(carry: Any, _: None) -> tuple[Any, None]:
            return step(carry, *rest, **kwargs), None

        return jax.lax.scan(body, first, None, length=size)[0]

    forms = [find_forms(_call_of(call, f, call.args, call.kwargs)) for f in (unrolled, scanned)]
    return Pair(
        compile_form(laboratory, forms[0], "eager"), compile_form(laboratory, forms[1], "jit")
    )


def check_growth(preset: str, call: Call, names: str) -> None:
    """Find out before anything is measured whether a preset makes sense of a call.

    Raises:
        CallError: It does not.
    """
    if preset == "batch":
        _batched_places(call, names)
    elif preset == "depth":
        _find_step(call)


def _batched_places(call: Call, names: str) -> list[int]:
    places = find_array_places(call, names or ALL)
    if not places:
        raise _wrong("The call has no array argument to stack.", "Such as: loss(f32[8]).")
    return places


def _find_step(call: Call) -> Callable[..., Any]:
    """The call as a function from its first argument to one like it."""
    composed = call.compose(call.base)
    if not call.args or not jax.tree.leaves(call.args[0]):
        raise _wrong("The call has no first argument to feed its result into.", "Such as: f(x, w).")
    wanted = _shapes(call.args[0])
    boxed = box_statics(call.args, call.kwargs)

    def plain(arguments: Any) -> Any:
        args, kwargs = unbox_statics(*arguments)
        return composed(*args, **kwargs)

    result = jax.eval_shape(plain, boxed)
    if _shapes(result) == wanted:
        return composed
    if isinstance(result, tuple) and len(result) == 2 and _shapes(result[0]) == wanted:
        return lambda *args, **kwargs: composed(*args, **kwargs)[0]
    raise _wrong(
        "The result cannot be fed into the first argument: it has another form.",
        "A layer or a step is needed: its result, or the first of two, is like its first argument.",
    )


def _shapes(value: Any) -> Any:
    leaves, tree = jax.tree.flatten(value)
    return tree, [(jnp.shape(leaf), jnp.result_type(leaf)) for leaf in leaves]


def _call_of(
    call: Call, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Call:
    """A call of another function, without transforms."""
    return dataclasses.replace(call, base=function, levels=(), args=args, kwargs=kwargs)


def _wrong(what: str, remedy: str) -> CallError:
    return CallError(Explanation(what=what, remedy=remedy, kind="NoGrowth"))
