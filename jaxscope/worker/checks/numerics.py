"""Formulas that lose digits, overflow, or have a derivative that is NaN, where another would not.

All are told by where values come from (`dataflow`), so it makes no difference how they are written.
What JAX itself computes inside of its functions is not the user's formula: only equations whose
innermost line is the user's are looked at, and functions of JAX that do it right differ from the
formulas here by what they subtract first.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterator

import jax.numpy as jnp
import numpy as np

from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import say
from jaxscope.worker import compat
from jaxscope.worker.checks.dataflow import Site, TracedValue, ancestors, num_rounds
from jaxscope.worker.checks.subject import CheckedCall
from jaxscope.worker.checks.unrolled_loops import function_at

CANCELLATION = "cancellation"


def find_unstable_formulas(subject: CheckedCall) -> Iterator[Check]:
    """Formulas of `_FORMULAS`, each at the equation that ends it.

    Only where one function has both ends, or calls one of them.
    """
    for site in subject.base.sites:
        for rule, fits, severity, message, remedy in _FORMULAS.get(site.name, ()):
            start, place = fits(site), subject.place(site)
            if start is None or not place or (rule == CANCELLATION and not _digits_matter(site)):
                continue
            if _is_written_together(subject, start, place):
                yield Check(rule, severity, message, remedy, "", site.id, *place[:2])
                break


def _is_written_together(subject: CheckedCall, start: Site, end: tuple[str, int, int]) -> bool:
    """Whether the function that ends a formula has its beginning, or calls what has.

    Else both are parts of wrappers, and nobody could write the formula otherwise.
    """
    while not any(compat.user_frames(start.equation.source_info)) and start.body.owner is not None:
        start = start.body.owner
    function = function_at(*end)
    frames = compat.user_frames(start.equation.source_info)
    return any(
        file == end[0] and function_at(file, line, column) == function
        for file, line, column, _ in frames
    )


def _maker(value: TracedValue, *names: str) -> Site | None:
    """The equation of one of these names that a value comes from, casts and broadcasts aside."""
    site = value.source().maker
    return site if site is not None and site.name in names else None


def _is_one(value: TracedValue) -> bool:
    """Whether it is written as 1; an array that is full of it may be another in the next call."""
    return value.maker is None and value.number() == 1.0


def _other(site: Site, index: int) -> TracedValue:
    return site.inputs[1 - index]


def _log_of_softmax(site: Site) -> Site | None:
    division = _maker(site.inputs[0], "div")
    return division if division is not None and _softmax_exponent(division) else None


def _softmax_exponent(division: Site) -> TracedValue | None:
    """What a softmax is taken of: the exponent of `exp(a) / sum(exp(a))`."""
    above = _maker(division.inputs[0], "exp")
    below = _maker(division.inputs[1], "reduce_sum")
    if above is None or below is None:
        return None
    summed = _maker(below.inputs[0], "exp")
    is_same = summed is not None and summed.inputs[0].source() is above.inputs[0].source()
    return above.inputs[0] if is_same else None


def _naive_softmax(site: Site) -> Site | None:
    exponent = _softmax_exponent(site)
    return site if exponent is not None and not _is_bounded(exponent) else None


def _unbounded_exp(value: TracedValue) -> Site | None:
    exponential = _maker(value, "exp")
    return None if exponential is None or _is_bounded(exponential.inputs[0]) else exponential


def _naive_logsumexp(site: Site) -> Site | None:
    total = _maker(site.inputs[0], "reduce_sum")
    return None if total is None else _unbounded_exp(total.inputs[0])


def _one_plus(value: TracedValue) -> TracedValue | None:
    """The operand that is added to 1."""
    total = _maker(value, "add")
    ones = [n for n in (0, 1) if total is not None and _is_one(total.inputs[n])]
    return None if total is None or len(ones) != 1 else _other(total, ones[0])


def _log_of_one_plus_exp(site: Site) -> Site | None:
    value = site.inputs[0] if site.name == "log1p" else _one_plus(site.inputs[0])
    return None if value is None else _unbounded_exp(value)


def _log_of_logistic(site: Site) -> Site | None:
    rest = _maker(site.inputs[0], "sub")
    is_rest = rest is not None and _is_one(rest.inputs[0])
    return _maker(rest.inputs[1] if rest and is_rest else site.inputs[0], "logistic")


def _log_of_one_plus(site: Site) -> Site | None:
    """Not of a whole number, of which log(1 + x) loses nothing, or of what is large."""
    value = _one_plus(site.inputs[0])
    if value is None or _is_kept_off_0(value):
        return None
    source = value.source()
    is_float = source.dtype is not None and jnp.issubdtype(source.dtype, jnp.floating)
    return _maker(site.inputs[0], "add") if is_float else None


def _exp_minus_one(site: Site) -> Site | None:
    exp = _maker(site.inputs[0], "exp") if _is_one(site.inputs[1]) else None
    return None if exp is None or _is_kept_off_0(exp.inputs[0]) else exp


def _one_minus_cos(site: Site) -> Site | None:
    cos = _maker(site.inputs[1], "cos") if _is_one(site.inputs[0]) else None
    return None if cos is None or _is_kept_off_0(cos.inputs[0]) else cos


def _is_kept_off_0(value: TracedValue) -> bool:
    """Whether it is not small: a `where` or a bound may see to it, or it is made of integers.

    What is made of numbers that are written there is known not to be; what one is added to is
    seldom small.
    """
    if _is_shifted(value) or all(
        each.number() is not None or each.maker for each in ancestors(value, 40)
    ):
        return True
    makers = (each.maker for each in ancestors(value, 12))
    return _is_made_of_integers(value, 6) or any(
        each is not None and each.name in ("select_n", "max", "clamp") for each in makers
    )


def _is_shifted(value: TracedValue) -> bool:
    site = _maker(value, "add", "sub")
    return site is not None and any(each.number() not in (None, 0.0) for each in site.inputs)


def _is_made_of_integers(value: TracedValue, depth: int) -> bool:
    """Whether it is an integer, or a sum or product of some: a whole number, or times π, say."""
    source = value.source()
    if source.dtype is not None and jnp.issubdtype(source.dtype, jnp.integer):
        return True
    site = source.maker
    if site is None or depth == 0 or site.name not in ("add", "sub", "mul"):
        return False
    numbers = [each.number() for each in site.inputs]
    rest = [each for each, number in zip(site.inputs, numbers, strict=True) if number is None]
    if not rest or any(number is not None and abs(number) < 1 for number in numbers):
        return False
    return all(_is_made_of_integers(each, depth - 1) for each in rest)


_KEEPS_DIGITS = frozenset(
    {"neg", "mul", "abs", "integer_pow", "square", "convert_element_type", "broadcast_in_dim"}
    | {"reshape", "squeeze", "expand_dims", "transpose", "copy"}
)
_NEEDS_DIGITS = frozenset({"sqrt", "rsqrt", "log", "cbrt", "pow"})


def _digits_matter(site: Site) -> bool:
    """Whether something large is made of a small difference: a ratio, a root or a logarithm.

    Where it is added to something, as in most losses, its digits are lost there anyhow. A variance
    by squares can be negative, so it matters where it is a result as well.
    """
    is_variance = site.name == "sub" and _variance_by_squares(site) is not None
    varying = {id(each) for each in ancestors(site.outputs[0], 12) if each.maker is None}
    waiting, seen = list(site.outputs), {id(site)}
    while waiting:
        value = waiting.pop()
        if is_variance and value.is_result:
            return True
        for user in value.users:
            if id(user) in seen:
                continue
            seen.add(id(user))
            needs = user.name in _NEEDS_DIGITS and user.inputs[0] is value
            if needs or (user.name == "div" and _vanishes_too(user, value, varying)):
                return True
            is_shifted = is_variance and user.name == "add" and _has_number(user)
            if user.name in _KEEPS_DIGITS or user.name == "div" or is_shifted:
                waiting += user.outputs
    return False


def _has_number(site: Site) -> bool:
    return any(each.number() is not None for each in site.inputs)


def _vanishes_too(division: Site, value: TracedValue, varying: set[int]) -> bool:
    """Whether a value is divided by, or by what is made of the same arguments without a sum."""
    below = division.inputs[1]
    if below is value:
        return True
    waiting = [below.source()]
    while waiting:
        each = waiting.pop().source()
        if each.maker is None:
            if each.constant is None and id(each) in varying:
                return True
        elif each.maker.name in _KEEPS_DIGITS:
            waiting += each.maker.inputs
    return False


def _variance_by_squares(site: Site) -> Site | None:
    """E[x²] - E[x]²."""
    squares, square = _mean_of(site.inputs[0]), _squared(site.inputs[1])
    if squares is None or square is None:
        return None
    one, other = _squared(squares), _mean_of(square)
    is_same = one is not None and other is not None and one.source() is other.source()
    return site if is_same else None


def _squared(value: TracedValue) -> TracedValue | None:
    site = _maker(value, "square", "integer_pow", "mul")
    if site is None:
        return None
    if site.name == "integer_pow" and site.equation.params["y"] != 2:
        return None
    if site.name == "mul" and site.inputs[0] is not site.inputs[1]:
        return None
    return site.inputs[0]


def _mean_of(value: TracedValue) -> TracedValue | None:
    division = _maker(value, "div", "mul")
    total = _maker(division.inputs[0], "reduce_sum") if division is not None else None
    if division is None or total is None:
        return None
    count = division.inputs[1].number()
    size = total.inputs[0].size / max(total.outputs[0].size, 1)
    is_mean = count is not None and (
        np.isclose(count, size) if division.name == "div" else np.isclose(count * size, 1.0)
    )
    return total.inputs[0] if is_mean else None


_FALLING = frozenset({"sub", "neg", "min", "clamp", "logistic", "tanh", "erf", "log", "sin", "cos"})


def _is_bounded(exponent: TracedValue) -> bool:
    """Whether an exponent may have a bound above, so that exp does not overflow.

    Whatever subtracts, negates, clips or takes a logarithm on the way is taken for a bound: a
    formula that may be fine is passed over.
    """
    return any(
        each.maker is not None and each.maker.name in _FALLING for each in ancestors(exponent, 12)
    ) or any(
        (number := each.number()) is not None and number < 0 for each in ancestors(exponent, 12)
    )


Formula = tuple[str, Callable[[Site], Site | None], Severity, str, str]
_FORMULAS: dict[str, tuple[Formula, ...]] = {
    "log": (
        (
            "log-of-softmax",
            _log_of_softmax,
            Severity.WARNING,
            say(
                "This is the logarithm of a softmax: where a probability underflows to 0 it is "
                "-inf, and its gradient is NaN."
            ),
            "jax.nn.log_softmax(x, axis=-1)",
        ),
        (
            "naive-logsumexp",
            _naive_logsumexp,
            Severity.WARNING,
            say(
                "log(sum(exp(x))) without a maximum subtracted: exp overflows to inf where x is "
                "above 88 (float32) or 11 (float16), and all is below -104 gives -inf."
            ),
            "jax.nn.logsumexp(x, axis=-1)",
        ),
        (
            "log-of-one-plus-exp",
            _log_of_one_plus_exp,
            Severity.WARNING,
            say(
                "log(1 + exp(x)) overflows where x is above 88 (float32), and is 0 where x is "
                "below -17."
            ),
            say("jax.nn.softplus(x), or jnp.logaddexp(x, 0.0)"),
        ),
        (
            "log-of-sigmoid",
            _log_of_logistic,
            Severity.WARNING,
            say(
                "The logarithm of a sigmoid: where the sigmoid rounds to 0 it is -inf, with a NaN "
                "gradient, and where it rounds to 1 all digits are lost."
            ),
            say("jax.nn.log_sigmoid(x); of 1 - sigmoid(x): jax.nn.log_sigmoid(-x)"),
        ),
        (
            CANCELLATION,
            _log_of_one_plus,
            Severity.INFO,
            say(
                "log(1 + x) loses the digits of a small x: of x = 1e-6 in float32 five percent are "
                "wrong, and below 5.9e-8 it is 0."
            ),
            "jnp.log1p(x)",
        ),
    ),
    "log1p": (
        (
            "log-of-one-plus-exp",
            _log_of_one_plus_exp,
            Severity.WARNING,
            say("log1p(exp(x)) overflows where x is above 88 (float32)."),
            say("jax.nn.softplus(x), or jnp.logaddexp(x, 0.0)"),
        ),
    ),
    "div": (
        (
            "naive-softmax",
            _naive_softmax,
            Severity.WARNING,
            say(
                "exp(x) / sum(exp(x)) without a maximum subtracted: exp overflows where x is above "
                "88 (float32) or 11 (float16), and inf / inf is NaN."
            ),
            "jax.nn.softmax(x, axis=-1)",
        ),
    ),
    "sub": (
        (
            CANCELLATION,
            _exp_minus_one,
            Severity.INFO,
            say("exp(x) - 1 loses the digits of a small x: below 5.9e-8 in float32 it is 0."),
            "jnp.expm1(x)",
        ),
        (
            CANCELLATION,
            _one_minus_cos,
            Severity.INFO,
            say("1 - cos(x) loses the digits of a small x: below 2e-4 in float32 it is 0."),
            "2 * jnp.sin(x / 2) ** 2",
        ),
        (
            CANCELLATION,
            _variance_by_squares,
            Severity.INFO,
            say(
                "The mean of squares minus the square of the mean: where the mean is large against "
                "the spread, the two are alike and the difference is rounding, which can be "
                "negative."
            ),
            say("jnp.var(x), which subtracts the mean first"),
        ),
    ),
}

_SINGULAR_AT_ZERO = frozenset({"sqrt", "log", "div", "rsqrt"})
_TESTS: dict[str, Callable[[float, float], bool]] = {
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
    "eq": operator.eq,
    "ne": operator.ne,
}
_AT_ZERO = (
    "jnp.where drops the value of this {name} where its operand is 0, and not its derivative: that "
    "is infinite there, and times the 0 that where passes back it is NaN."
)
_BELOW_ZERO = (
    "jnp.where drops the value of this {name} where its operand is negative, and not its "
    "derivative: that is NaN there, and times the 0 that where passes back it stays NaN."
)


def find_where_gradients(subject: CheckedCall) -> Iterator[Check]:
    """`where(x > 0, sqrt(x), 0)` in what is differentiated: x = 0 gives 0 · inf = NaN.

    Told where the test is on the very value whose 0 makes the derivative infinite, the branch is
    not taken there, and nothing has replaced that value: then the test is there because the value
    may be 0; or negative, as of `where(x >= 0, sqrt(x), 0)`. Told only where the whole call has
    equations of its derivative.
    """
    if not subject.is_differentiated:
        return
    varying = _reached(subject)
    for site in subject.base.sites:
        if site.name != "select_n":
            continue
        predicate = site.inputs[0]
        found: list[Check] = []
        for case, value in enumerate(site.inputs[1:]):
            for culprit in _find_singular(value, varying):
                operand = culprit.inputs[-1].source()
                where = _where_dropped(predicate, operand, case, culprit.name)
                is_paid = len(subject.base_ids.get(culprit.id, ())) > 1
                place = subject.place(culprit) if where and is_paid else None
                if place is not None:
                    test = _write_test(predicate, operand, case)
                    found.append(_where_finding(culprit, where, test, place))
                    break
        if len(found) > 1:  # a line is told once: both branches stand on it, as a rule
            told = say(
                "{first} So it is with the other branch, equation {id}: mend both.",
                first=found[0].message,
                id=found[1].equation,
            )
            found[0] = dataclasses.replace(found[0], message=told)
        yield from found


def _where_dropped(predicate: TracedValue, operand: TracedValue, case: int, name: str) -> str:
    """Of which operands `where` drops what has no finite derivative there; empty of none."""
    if _truth(predicate, operand, 0.0) == (not case):
        return _AT_ZERO
    is_root = name in ("sqrt", "rsqrt")
    return _BELOW_ZERO if is_root and _truth(predicate, operand, -1.0) == (not case) else ""


def _write_test(predicate: TracedValue, operand: TracedValue, case: int) -> str:
    """The test by which `where` takes the branch, of an operand `x` that is not 0."""
    below, above = (_truth(predicate, operand, number) == bool(case) for number in (-1.0, 1.0))
    return "x != 0" if below and above else "x < 0" if below else "x > 0"


def _where_finding(culprit: Site, where: str, test: str, place: tuple[str, int, int]) -> Check:
    name = say("division") if culprit.name == "div" else culprit.name
    safe = {"div": "1.0 / safe", "rsqrt": "jax.lax.rsqrt(safe)"}.get(
        culprit.name, f"jnp.{name}(safe)"
    )
    return Check(
        "where-gradient",
        Severity.WARNING,
        say(_AT_ZERO, name=name) if where == _AT_ZERO else say(_BELOW_ZERO, name=name),
        say(
            "Give the branch a safe operand: safe = jnp.where({test}, x, 1.0); "
            "jnp.where({test}, {safe}, 0.0).",
            test=test,
            safe=safe,
        ),
        "",
        culprit.id,
        *place[:2],
    )


def _reached(subject: CheckedCall) -> set[int]:
    """Values that depend on a float argument of the program."""
    flow = subject.base
    found = {
        id(value)
        for value in flow.inputs
        if value.dtype is not None and jnp.issubdtype(value.dtype, jnp.inexact)
    }
    for site in flow.sites:
        is_cut = site.name in ("stop_gradient", "floor", "sign", "round")
        if not is_cut and any(id(value) in found for value in site.inputs):
            found.update(id(value) for value in site.outputs)
    return found


def _truth(
    predicate: TracedValue, operand: TracedValue, number: float, depth: int = 6
) -> bool | None:
    """What a predicate is where a value is a number; None where other values decide."""
    site = predicate.source().maker
    if site is None or depth == 0:
        return None
    if site.name in ("and", "or", "not"):
        found = [_truth(value, operand, number, depth - 1) for value in site.inputs]
        if site.name == "not":
            return None if found[0] is None else not found[0]
        decides = site.name == "or"
        return decides if decides in found else None if None in found else not decides
    for n, value in enumerate(site.inputs if site.name in _TESTS else ()):
        if _other(site, n).number() != 0.0:
            continue
        tested = _value_at(value, operand, number)
        if tested is None:
            continue
        return _TESTS[site.name](*((tested, 0.0) if n == 0 else (0.0, tested)))
    return None


def _value_at(value: TracedValue, operand: TracedValue, number: float) -> float | None:
    """What a value is where another is a number: itself, its magnitude or its negative."""
    if value.source() is operand:
        return number
    for name, found in (("abs", abs(number)), ("neg", -number)):
        inner = _maker(value, name)
        if inner is not None and inner.inputs[0].source() is operand:
            return found
    inner = _maker(operand, "neg")
    return -number if inner is not None and inner.inputs[0].source() is value.source() else None


def _find_singular(value: TracedValue, varying: set[int]) -> Iterator[Site]:
    """Equations with an infinite derivative at 0 of what they read, on the way to `where`."""
    for each in ancestors(value, 12):
        site = each.maker
        if site is not None and site.name in _SINGULAR_AT_ZERO and id(site.inputs[-1]) in varying:
            yield site


_BITS = {"bfloat16": 8, "float16": 11, "float8_e4m3fn": 4, "float8_e5m2": 3}


def find_short_sums(subject: CheckedCall) -> Iterator[Check]:
    """Sums that a loop carries in so few bits that the next term is rounded away.

    Not of `cumsum` and sums along an axis, which XLA does not add up term by term.
    """
    for scan in subject.base.sites:
        if scan.name != "scan":
            continue
        rounds, (body,) = num_rounds(scan) or 0, scan.bodies
        num_consts, num_carry = compat.scan_counts(scan.equation.params).values()
        for carry, result in zip(body.inputs[num_consts:][:num_carry], body.results, strict=False):
            site = result.maker
            bits = _BITS.get(str(result.dtype))
            if site is None or site.name != "add" or not bits or rounds < 2**bits:
                continue
            place = subject.place(site) if carry in site.inputs else None
            if place:
                yield _short_sum(site, str(result.dtype), rounds, place)


def _short_sum(site: Site, dtype: str, terms: int, place: tuple[str, int, int]) -> Check:
    bits = _BITS[dtype]
    return Check(
        "low-precision-accumulation",
        Severity.WARNING,
        say(
            "The loop carries a sum of {terms:,} terms in {dtype}, which has {bits} bits: once it "
            "is {times:,} times as large as a term, adding the term changes nothing.",
            terms=terms,
            dtype=dtype,
            bits=bits,
            times=2**bits,
        ),
        say("Sum in float32: start the carry as jnp.zeros((), jnp.float32), and cast the result."),
        "",
        site.id,
        *place[:2],
    )
