"""Gradients that are 0 whatever the arguments, and roots that have none where they are 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.model.capture import Check, Severity
from jaxscope.model.operations import COMPARISONS
from jaxscope.model.said import LISTED, first_of, say, say_joined
from jaxscope.worker.checks.dataflow import Site, TracedValue, ancestors
from jaxscope.worker.checks.subject import CheckedCall

_STEPS = frozenset({"floor", "ceil", "round", "sign", "argmax", "argmin", "is_finite"})
_MOST_NAMED = 3


def find_zero_gradients(subject: CheckedCall) -> Iterator[Check]:
    """A gradient whose every part is the constant 0 in the program that JAX made of it.

    Told of `grad` and `value_and_grad`, where an equation of the user's keeps the result from
    depending smoothly on any of the arguments.
    """
    names = [level.name for level in subject.call.levels if level.name not in ("jit", "vmap")]
    if names not in (["grad"], ["value_and_grad"]):
        return
    results, base = subject.derived.bodies[0].results, subject.base.bodies[0].results
    num_beside = len(base) - (names == ["grad"])  # the value and what comes with it
    num_gradients = len(results) - num_beside
    gradients = results[:num_gradients] if names == ["grad"] else results[num_beside:]
    if not gradients or not all(_is_zero(each) for each in gradients):
        return
    places = _find_differentiated(subject)
    found = [
        (site, place)
        for site in _find_cuts(subject, places)
        if (place := subject.caller_place(site)) is not None
    ]
    if not found:
        return
    site, place = found[0]
    named = dict.fromkeys(
        say("{what} (line {line})", what=_word(cut), line=at[1]) for cut, at in found
    )
    yield Check(
        "zero-gradient",
        Severity.WARNING,
        say(
            "The gradient is 0 whatever the arguments are: JAX made a constant of it. All that "
            "leads from them to the result passes through {named}, of which the derivative is 0.",
            named=say_joined(first_of(named, _MOST_NAMED), LISTED),
        ),
        say(
            "Differentiate something smooth: jax.nn.softmax for an argmax, jax.nn.sigmoid for a "
            "comparison; or pass the gradient straight through: x + jax.lax.stop_gradient("
            "jnp.round(x) - x)."
        ),
        "",
        site.id,
        *place[:2],
    )


def _is_zero(value: TracedValue) -> bool:
    return value.number() == 0.0


def _find_differentiated(subject: CheckedCall) -> set[int]:
    """By which inputs of the base the call differentiates; none where that cannot be found out.

    The transform tells it of a sum in which each leaf, made a single number, has its own factor.
    """
    (level,) = (level for level in subject.call.levels if level.name not in ("jit", "vmap"))
    leaves, tree = jax.tree.flatten((subject.call.args, subject.call.kwargs))
    if len(leaves) != len(subject.base.inputs):
        return set()
    inputs = enumerate(subject.base.inputs)
    floats = {place for place, value in inputs if _is_float(value)}
    single = [np.float32(1) if n in floats else np.int32(1) for n in range(len(leaves))]

    def weigh(*args: Any, **kwargs: Any) -> Any:
        given = jax.tree.leaves((args, kwargs))
        return sum((place + 1) * given[place] for place in floats)

    def weigh_beside(*args: Any, **kwargs: Any) -> Any:
        return weigh(*args, **kwargs), None

    for function in (weigh, weigh_beside):  # the second one for `has_aux`
        try:
            args, kwargs = jax.tree.unflatten(tree, single)
            result = level.apply(function)(*args, **kwargs)
        except Exception:  # classes that check what they are made of, say
            continue
        found = jax.tree.leaves(result if level.name == "grad" else result[1])
        return {round(float(each)) - 1 for each in found if each.dtype == np.float32}
    return set()


def _find_cuts(subject: CheckedCall, places: set[int]) -> list[Site]:
    """Equations of the base that read what depends smoothly on some inputs, and end that.

    Only those whose own result a result depends on. None where the value is smooth all the same:
    then a rule of the user's or of a library's makes the gradient 0, not these.
    """
    found = []
    smooth = {id(subject.base.inputs[place]) for place in places}
    for site in subject.base.sites:
        if not any(id(value) in smooth for value in site.inputs):
            continue
        if any(body.kind == "call" for body in site.bodies):
            continue  # what it does stands for itself
        if not _ends_smoothness(site):  # loops and branches are not looked into
            smooth.update(id(value) for value in site.outputs if _is_float(value))
        elif _leads_to_a_result(site, lambda _user: True):
            found.append(site)
    return [] if id(subject.base.bodies[0].results[0]) in smooth else found


def _ends_smoothness(site: Site) -> bool:
    if site.name in _STEPS | COMPARISONS or site.name == "stop_gradient":
        return True
    return site.name == "convert_element_type" and not _is_float(site.outputs[0])


def _is_float(value: TracedValue) -> bool:
    return value.dtype is not None and bool(jnp.issubdtype(value.dtype, jnp.inexact))


def _word(site: Site) -> str:
    if site.name in COMPARISONS:
        return say("a comparison")
    if site.name == "convert_element_type":
        return say("a cast to {dtype}", dtype=str(site.outputs[0].dtype))
    return site.name


_PARTS = frozenset({"slice", "dynamic_slice", "gather"})
_PASSES_0 = frozenset({"neg", "concatenate", "sub"})


def find_roots_at_zero(subject: CheckedCall) -> Iterator[Check]:
    """The root of a sum of squares in what is differentiated: a norm has no gradient at 0.

    Told where nothing is added under the root, no `where` stands behind it, and what is squared is
    an argument or a difference, made of no comparison and of no random number, which may keep it
    from 0. Where the call divides by the root, or takes its logarithm, its value is not finite at 0
    already: then 0 is no argument of it. And only where it is a part of the result, alone or added
    to others, as a penalty is; or where a small number is added to it, or is its least: then 0 is
    expected.
    """
    if not subject.is_differentiated:
        return
    for site in subject.base.sites:
        if site.name != "sqrt" or not _vanishes(site.inputs[0], 8):
            continue
        is_differentiated = len(subject.base_ids.get(site.id, ())) > 1
        place = subject.caller_place(site) if is_differentiated else None
        if place is None or _is_chosen(site.outputs[0], 4) or _is_divisor(site.outputs[0], 4):
            continue
        if not _leads_to_a_result(site, lambda user: not _ends_smoothness(user)):
            continue
        if not _is_guarded(site.outputs[0], 4) and not _leads_to_a_result(site, _sums_norms):
            continue
        yield Check(
            "root-gradient-at-zero",
            Severity.INFO,
            say(
                "The root of a sum of squares, as a norm is one, has an infinite derivative where "
                "all of them are 0; times the 0 that the squares pass back, the gradient is NaN "
                "there."
            ),
            say(
                "Add a small number under the root, jnp.sqrt(jnp.sum(x**2) + 1e-12), or give it a "
                "safe operand: s = jnp.sum(x**2); safe = jnp.where(s > 0, s, 1.0); "
                "jnp.where(s > 0, jnp.sqrt(safe), 0.0)."
            ),
            "",
            site.id,
            *place[:2],
        )


def _leads_to_a_result(site: Site, passes_on: Callable[[Site], bool]) -> bool:
    """Whether a result depends on it, by equations that pass on what is asked."""
    waiting, seen = list(site.outputs), {id(site)}
    while waiting:
        value = waiting.pop()
        if value.is_result and value.maker is not None:
            body = value.maker.body
            while body.kind == "call" and body.owner is not None:
                body = body.owner.body
            if body.owner is None:
                return True
            waiting += [] if id(body.owner) in seen else body.owner.outputs
            seen.add(id(body.owner))
        for user in value.users:
            if id(user) not in seen and passes_on(user):
                seen.add(id(user))
                waiting += user.outputs
    return False


def _vanishes(value: TracedValue, depth: int) -> bool:
    """Whether it is a sum of squares with nothing added, of values that can all be 0."""
    site = value.source().maker
    if site is None or depth == 0:
        return False
    match site.name:
        case "reduce_sum":
            return _vanishes(site.inputs[0], depth - 1)
        case "add" | "add_any":
            return all(_vanishes(each, depth - 1) for each in site.inputs)
        case "square" | "abs":
            return _may_be_zero(site.inputs[0])
        case "integer_pow":
            power = site.equation.params["y"]
            return power > 0 and power % 2 == 0 and _may_be_zero(site.inputs[0])
        case "mul" | "dot_general" if site.inputs[0].source() is site.inputs[1].source():
            return _may_be_zero(site.inputs[0])
        case "mul" | "div":
            first, second = site.inputs
            number = second.number()
            return number is not None and number > 0 and _vanishes(first, depth - 1)
    return False


def _may_be_zero(value: TracedValue) -> bool:
    """Whether it is an argument, or a difference of arguments: what is computed seldom is 0."""
    made_of = [each.source() for each in ancestors(value, 40)]
    return (
        _is_argument(value, 8)
        and any(each.maker is None and each.constant is None for each in made_of)
        and not any(map(_is_kept_from_0, made_of))
    )


def _is_argument(value: TracedValue, depth: int) -> bool:
    """Whether it is given or known, or made of such by differences alone."""
    source = value.source()
    if source.number() is not None or source.maker is None:
        return _is_float(source)
    site = source.maker
    if site.name in _PARTS:
        return depth > 0 and _is_argument(site.inputs[0], depth - 1)
    is_known = site.name == "mul" and all(each.number() is not None for each in site.inputs)
    return is_known or (
        depth > 0
        and site.name in _PASSES_0
        and all(_is_argument(each, depth - 1) for each in site.inputs)
    )


def _is_kept_from_0(value: TracedValue) -> bool:
    name = "" if value.maker is None else value.maker.name
    return value.dtype == bool or name in ("select_n", "max", "clamp", "random_bits")


_STAYS_0 = frozenset(
    {"broadcast_in_dim", "reshape", "squeeze", "expand_dims", "convert_element_type", "integer_pow"}
    | {"square", "copy"}
)


def _is_divisor(value: TracedValue, depth: int) -> bool:
    """Whether something is divided by it or a power of it, or a logarithm taken; or of less."""
    return depth > 0 and any(
        (user.name == "div" and user.inputs[1] is value)
        or user.name == "log"
        or (user.name in _STAYS_0 | {"sub"} and _is_divisor(user.outputs[0], depth - 1))
        for user in value.users
    )


def _is_guarded(value: TracedValue, depth: int) -> bool:
    """Whether a small number is added to it, or is its least: then it is expected to be 0."""
    return depth > 0 and any(
        (user.name in ("add", "max", "clamp") and any(map(_is_small, user.inputs)))
        or (user.name in _STAYS_0 and _is_guarded(user.outputs[0], depth - 1))
        for user in value.users
    )


def _is_small(value: TracedValue) -> bool:
    number = value.number()
    return number is not None and 0.0 < number < 1e-2


def _sums_norms(user: Site) -> bool:
    """Whether an equation adds norms up or scales them, as a penalty does."""
    is_scaled = user.name in ("mul", "div", "sub") and any(
        each.number() is not None for each in user.inputs
    )
    return is_scaled or user.name in _STAYS_0 | {"reduce_sum", "add", "add_any", "neg"}


def _is_chosen(value: TracedValue, depth: int) -> bool:
    """Whether a `where` takes it, or what is made of it: it may be there for the 0."""
    return depth > 0 and any(
        user.name == "select_n" or any(_is_chosen(output, depth - 1) for output in user.outputs)
        for user in value.users
    )
