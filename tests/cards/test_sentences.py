"""Every sentence of a card has a check here, which does what the sentence speaks of.

A sentence that is changed or added fails until its check is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl

from jaxscope.model.op_name import TagTable
from jaxscope.program.cards import read_cards
from jaxscope.program.cost.equations import cost_equations
from jaxscope.worker.compat import scan_counts
from jaxscope.worker.stages.jaxpr import convert_jaxpr
from tests.cards import examples
from tests.cards.examples import EXAMPLES
from tests.cards.test_formulas import equations, find_equation
from tests.cards.test_opcodes import run_example, run_hlo

F32 = np.float32
ALL = [*read_cards()[0].values(), *read_cards()[1].values()]
SENTENCES = sorted(
    (card.name, "primitive" if card.is_primitive else "opcode", sentence)
    for card in ALL
    for sentence in (card.shapes, card.derivative, *card.surprises)
    if sentence
)


def shapes_of(name: str) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]], dict[str, Any]]:
    """Shapes of operands and results of an example's equation, and its parameters."""
    equation = find_equation(name)
    operands, results = equation.invars, equation.outvars
    return [v.aval.shape for v in operands], [v.aval.shape for v in results], equation.params


def primitives_of(function: Callable[..., Any], *args: Any) -> list[str]:
    """The primitives of a function, those inside others too."""
    return [e.primitive.name for e in equations(jax.make_jaxpr(function)(*args))]


def raises(kind: type[Exception], function: Callable[..., Any], *args: Any) -> bool:
    try:
        function(*args)
    except kind:
        return True
    return False


def is_nan(value: Any) -> bool:
    return bool(np.isnan(value).all())


# Shapes.


def same(name: str) -> bool:
    operands, results, _ = shapes_of(name)
    return len({*operands, *results}) == 1


def stretched(name: str) -> bool:
    """Each operand but one may be smaller; another rank or size is refused."""
    function, args = EXAMPLES[name]
    for place in range(len(args)):
        for part in (args[place][:1], args[place][0, 0]):
            given = [*args[:place], part, *args[place + 1 :]]
            jaxpr = jax.make_jaxpr(function)(*given)
            (found,) = [e for e in equations(jaxpr) if e.primitive.name == name]
            shapes = [v.aval.shape for v in found.invars]
            if found.outvars[0].aval.shape != (3, 4) or shapes[place] != np.shape(part):
                return False
    wrong = (args[0][0], args[0][:2])
    return all(raises(TypeError, function, bad, *args[1:]) for bad in wrong)


def summed_back(name: str) -> bool:
    """Against the sum of what flows back to an operand that is as large as the result."""
    function, args = EXAMPLES[name]
    for place in range(len(args)):
        for part in (args[place][:1], args[place][0, 0]):

            def total(value: Any, place: int = place) -> Any:
                return jnp.sum(function(*args[:place], value, *args[place + 1 :]))

            small, large = jax.grad(total)(part), jax.grad(total)(jnp.broadcast_to(part, (3, 4)))
            wanted = jnp.sum(large, 0, keepdims=True) if np.ndim(part) else jnp.sum(large)
            if small.shape != np.shape(part) or not np.allclose(small, wanted, atol=1e-4):
                return False
    return True


def condition_or_limits(name: str) -> bool:
    operands, results, _ = shapes_of(name)
    ones = [lax.select_n(np.bool_(True), examples.A, examples.B)]
    ones.append(lax.clamp(F32(0.0), examples.A, F32(1.0)))
    refused = raises(TypeError, lax.select_n, np.array([True]), examples.A, examples.B)
    refused &= raises(TypeError, lax.clamp, np.zeros(4, F32), examples.A, np.ones(4, F32))
    return len({*operands, *results}) == 1 and all(o.shape == (3, 4) for o in ones) and refused


def without_axes(name: str) -> bool:
    (shape,), (result,), params = shapes_of(name)
    return result == tuple(n for d, n in enumerate(shape) if d not in params["axes"])


def broadcast(name: str) -> bool:
    (shape,), (result,), params = shapes_of(name)
    at = params["broadcast_dimensions"]
    return result == params["shape"] and all(result[at[d]] == n for d, n in enumerate(shape))


def concatenated(name: str) -> bool:
    operands, (result,), params = shapes_of(name)
    d = params["dimension"]
    others = {(*s[:d], *s[d + 1 :]) for s in (*operands, result)}
    refused = raises(TypeError, lambda: lax.concatenate([np.ones((2, 3)), np.ones((2, 4))], 0))
    return len(others) == 1 and result[d] == sum(s[d] for s in operands) and refused


def convolved(name: str) -> bool:
    (image, kernel), (result,), _ = shapes_of(name)
    return result[2:] == tuple(n - k + 1 for n, k in zip(image[2:], kernel[2:], strict=True))


def windowed(name: str) -> bool:
    (image,), (result,), params = shapes_of(name)
    pairs = zip(image, params["window_dimensions"], strict=True)
    return result == tuple(n - k + 1 for n, k in pairs)


def dotted(_: str) -> bool:
    x, y = np.ones((2, 5, 3, 7)), np.ones((5, 7, 4, 2))
    return lax.dot_general(x, y, (((3,), (1,)), ((0, 1), (3, 0)))).shape == (2, 5, 3, 4)


def dynamically_sliced(name: str) -> bool:
    _, (result,), params = shapes_of(name)
    moved = lax.dynamic_slice(examples.A, (2, 3), params["slice_sizes"])
    return result == params["slice_sizes"] == moved.shape


def updated(name: str) -> bool:
    (x, y, *_), (result,), _ = shapes_of(name)
    refused = [
        raises(TypeError, lax.dynamic_update_slice, examples.A, np.ones(shape, F32), (0, 0))
        for shape in ((4,), (4, 4))
    ]
    return result == x and len(x) == len(y) and all(refused)


def gathered(name: str) -> bool:
    (_, indices), (result,), params = shapes_of(name)
    offset = params["dimension_numbers"].offset_dims
    return len(result) == len(indices) - 1 + len(offset) and result[0] == indices[0]


def padded(_: str) -> bool:
    config = ((1, 2, 0), (0, 3, 2))
    found = lax.pad(examples.A, F32(0), config).shape
    return found == tuple(
        n + low + high + (n - 1) * inside
        for n, (low, high, inside) in zip((3, 4), config, strict=True)
    )


def sliced(_: str) -> bool:
    return lax.slice(np.ones((9, 7)), (1, 0), (9, 5), (3, 2)).shape == (-(-8 // 3), -(-5 // 2))


def split(name: str) -> bool:
    (shape,), results, params = shapes_of(name)
    axis = params["axis"]
    wanted = [(*shape[:axis], n, *shape[axis + 1 :]) for n in params["sizes"]]
    return results == wanted


def stacked(name: str) -> bool:
    operands, (result,), params = shapes_of(name)
    axis = params["axis"]
    rest = (*result[:axis], *result[axis + 1 :])
    return set(operands) == {rest} and result[axis] == len(operands)


def unstacked(name: str) -> bool:
    (shape,), results, params = shapes_of(name)
    axis = params["axis"]
    return len(results) == shape[axis] and set(results) == {(*shape[:axis], *shape[axis + 1 :])}


def squeezed(name: str) -> bool:
    (shape,), (result,), params = shapes_of(name)
    gone = params["dimensions"]
    kept = tuple(n for d, n in enumerate(shape) if d not in gone)
    return result == kept and all(shape[d] == 1 for d in gone)


def transposed(name: str) -> bool:
    (shape,), (result,), params = shapes_of(name)
    return all(result[i] == shape[d] for i, d in enumerate(params["permutation"]))


def batched(name: str) -> bool:
    """A batch of two gives two of what one gives."""
    function, args = EXAMPLES[name]
    one = function(*args)
    two = function(*(np.stack([a, a]) for a in args))
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(two), strict=True)
    return all(t.shape == (2, *o.shape) and np.allclose(t[1], o, atol=1e-5) for o, t in pairs)


def scanned(name: str) -> bool:
    bad = raises(TypeError, lax.scan, lambda c, x: (c.astype(jnp.int32), x), F32(0), np.ones(3))
    equation = find_equation(name)
    length = equation.params["length"]
    return (
        equation.invars[-1].aval.shape[0] == length == equation.outvars[-1].aval.shape[0]
    ) and bad


# Derivatives.


def has_no_float(name: str) -> bool:
    return all(not jnp.issubdtype(v.aval.dtype, jnp.inexact) for v in find_equation(name).outvars)


def bitcast_tangent(_: str) -> bool:
    def there_and_back(x: Any) -> Any:
        return lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.int32), jnp.float32)

    return (
        jax.grad(there_and_back)(2.0)
        == 0.0
        == jax.grad(lambda x: lax.bitcast_convert_type(x, jnp.float32))(2.0)
    )


def gather_backward(_: str) -> bool:
    def twice(x: Any) -> Any:
        return jnp.sum(x[jnp.array([1, 1])])

    names = primitives_of(jax.grad(twice), np.ones(3, F32))
    return "scatter-add" in names and list(jax.grad(twice)(np.ones(3, F32))) == [0, 2, 0]


def cond_derivatives(_: str) -> bool:
    def branched(i: Any, x: Any) -> Any:
        return lax.switch(i, [jnp.sin, jnp.cos], x)

    forward = primitives_of(lambda i, x: jax.jvp(lambda v: branched(i, v), (x,), (x,)), 1, 2.0)
    backward = primitives_of(jax.grad(branched, argnums=1), 1, 2.0)
    value = jax.grad(branched, argnums=1)(1, 2.0)
    return "cond" in forward and "cond" in backward and np.isclose(value, -np.sin(2.0))


def own_rule(_: str) -> bool:
    ruled = examples.EXAMPLES["custom_jvp_call"][0]
    _, tangent = jax.jvp(ruled, (F32(1.0),), (F32(1.0),))
    return tangent == 3.0 == jax.grad(ruled)(1.0)  # not cos(1)


def own_backward_rule(_: str) -> bool:
    ruled = examples.EXAMPLES["custom_vjp_call"][0]
    return jax.grad(ruled)(1.0) == 5.0 and raises(
        TypeError, lambda: jax.jvp(ruled, (F32(1.0),), (F32(1.0),))
    )


def wrapped_derivatives(name: str) -> bool:
    function, args = EXAMPLES[name]
    forward = primitives_of(lambda x: jax.jvp(function, (x,), (x,)), *args)
    backward = primitives_of(jax.grad(lambda x: jnp.sum(function(x))), *args)
    value = jax.grad(lambda x: jnp.sum(function(x)))(*args)
    return name in forward and name in backward and np.allclose(value, np.cos(args[0]), atol=1e-5)


def callback_raises(name: str) -> bool:
    function, args = EXAMPLES[name]
    return raises(ValueError, jax.grad(lambda x: jnp.sum(function(x))), *map(jnp.asarray, args))


def recomputes(_: str) -> bool:
    def kept(x: Any) -> Any:
        return jnp.sin(jnp.sin(x))

    plain = primitives_of(jax.grad(kept), 1.0)
    again = primitives_of(jax.grad(jax.checkpoint(kept)), 1.0)
    forward = primitives_of(lambda x: jax.jvp(jax.checkpoint(kept), (x,), (x,)), 1.0)
    return again.count("sin") == plain.count("sin") + 1 and forward.count("sin") == 2


def _multiplied(x: Any) -> Any:
    return lax.scan(lambda c, v: (c * v, c), F32(1.0), x)[0]


def scan_derivatives(_: str) -> bool:
    x = jnp.arange(1.0, 4.0)
    forward = jax.make_jaxpr(lambda v: jax.jvp(_multiplied, (v,), (v,)))(x)
    scans = [e for e in equations(forward) if e.primitive.name == "scan"]
    carries = [scan_counts(each.params)["num_carry"] for each in scans]
    backward = jax.make_jaxpr(jax.grad(_multiplied))(x)
    turned = [e.params["reverse"] for e in equations(backward) if e.primitive.name == "scan"]
    return carries == [2] and turned == [False, True]


def scan_residuals(_: str) -> bool:
    def stacked_bytes(length: int) -> int:
        jaxpr = jax.make_jaxpr(jax.grad(_multiplied))(np.ones(length, F32))
        first = next(e for e in equations(jaxpr) if e.primitive.name == "scan")
        carries = scan_counts(first.params)["num_carry"]
        return sum(v.aval.size for v in first.outvars[carries:])

    return stacked_bytes(20) == 2 * stacked_bytes(10) > 0


def _grown(x: Any) -> Any:
    return lax.while_loop(lambda c: c < 100.0, lambda c: c * x, x)


def while_derivatives(_: str) -> bool:
    jaxpr = jax.make_jaxpr(lambda x: jax.jvp(_grown, (x,), (x,)))(3.0)
    loops = [e for e in equations(jaxpr) if e.primitive.name == "while"]
    return [len(e.outvars) for e in loops] == [2] and raises(ValueError, jax.grad(_grown), 3.0)


def while_under_vmap(_: str) -> bool:
    x = np.array([3.0, 50.0], F32)
    mapped = jax.jit(jax.vmap(_grown)).lower(x).as_text()
    alone = jax.jit(_grown).lower(x[0]).as_text()
    kept = "stablehlo.select" in mapped and "stablehlo.select" not in alone
    return kept and list(jax.vmap(_grown)(x)) == [243.0, 2500.0]


def while_keeps_type(_: str) -> bool:
    return raises(TypeError, lax.while_loop, lambda c: c < 9, lambda c: c * 1.5, jnp.int32(1))


def cond_keeps_types(_: str) -> bool:
    return raises(TypeError, lax.cond, True, lambda x: x, lambda x: x > 0, 1.0)


def cond_under_vmap(_: str) -> bool:
    names = primitives_of(
        jax.vmap(lambda i, x: lax.cond(i, jnp.sin, jnp.cos, x)), np.ones(3, bool), np.ones(3, F32)
    )
    return {"sin", "cos", "select_n"} <= set(names) and "cond" not in names


_DIAGONAL = np.array([1.0, 2.0, 4.0], F32)


def _solved(b: Any, **given: Any) -> Any:
    return jnp.sum(
        lax.custom_linear_solve(lambda v: _DIAGONAL * v, b, lambda _, y: y / _DIAGONAL, **given)
    )


def solves_again(_: str) -> bool:
    def solved(b: Any) -> Any:
        return _solved(b, symmetric=True)

    b = np.ones(3, F32)
    backward = primitives_of(jax.grad(solved), b)
    forward = primitives_of(lambda v: jax.jvp(solved, (v,), (v,)), b)
    counts = [names.count("custom_linear_solve") for names in (forward, backward)]
    return counts == [2, 2] and np.allclose(jax.grad(solved)(b), 1 / _DIAGONAL)


def needs_transpose_solve(_: str) -> bool:
    return raises(TypeError, jax.grad(_solved), np.ones(3, F32))


# What surprises.


def own_batching(_: str) -> bool:
    ruled = EXAMPLES["custom_vmap_call"][0]
    one, several = ruled(F32(1.0)), jax.vmap(ruled)(np.ones(2, F32))
    return bool(np.isclose(one, np.sin(1.0)) and np.allclose(several, 3 * np.sin(1.0)))


def where_sqrt(_: str) -> bool:
    return is_nan(jax.grad(lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0))(0.0))


def halves(name: str) -> bool:
    function = EXAMPLES[name][0]
    return all(float(jax.grad(function, argnums=n)(1.0, 1.0)) == 0.5 for n in (0, 1))


def nan_wins(name: str) -> bool:
    function = EXAMPLES[name][0]
    return is_nan(function(np.nan, 1.0)) and is_nan(function(1.0, np.nan))


def reduced_nan(name: str) -> bool:
    return is_nan(EXAMPLES[name][0](np.array([[1.0, np.nan, 3.0]], F32)))


def shares(_: str) -> bool:
    found = jax.grad(jnp.max)(np.array([2.0, 1.0, 2.0], F32))
    return list(found) == [0.5, 0.0, 0.5]


def first_or_nan(name: str) -> bool:
    function = EXAMPLES[name][0]
    return list(function(np.array([[1, 0, 0, 1, 1], [1, 0, np.nan, 2, 1]], F32))) in (
        [0, 2],
        [1, 2],
    )


def moved_back(name: str) -> bool:
    x = jnp.arange(5.0)
    if name == "dynamic_slice":
        return list(lax.dynamic_slice(x, (4,), (3,))) == [2, 3, 4]
    return list(lax.dynamic_update_slice(x, -jnp.ones(3), (4,))) == [0, 1, -1, -1, -1]


def moved_back_in_hlo(name: str) -> bool:
    x, far = np.arange(4, dtype=F32), np.int32(9)
    if name == "dynamic-slice":
        return list(run_example(name, x, far)) == [2, 3]
    if name == "dynamic-update-slice":
        return list(run_example(name, x, -np.ones(2, F32), far)) == [0, 1, -1, -1]
    rows = np.arange(12, dtype=F32).reshape(4, 3)
    return np.array_equal(run_example(name, rows, np.array([[9], [0]], np.int32)), rows[[3, 0]])


def bfloat16_result(_: str) -> bool:
    x = jnp.ones((2, 2), jnp.bfloat16)
    wide = lax.dot(x, x, preferred_element_type=jnp.float32)
    return lax.dot(x, x).dtype == jnp.bfloat16 and wide.dtype == jnp.float32


def flops(_: str) -> bool:
    m, k, n = 7, 11, 13
    compiled = jax.jit(lax.dot).lower(np.ones((m, k), F32), np.ones((k, n), F32)).compile()
    return compiled.cost_analysis()["flops"] == 2 * m * n * k


def not_flipped(_: str) -> bool:
    function = EXAMPLES["conv_general_dilated"][0]
    image = np.array([[[[0.0, 1.0, 0.0, 0.0]]]], F32)
    kernel = np.array([[[[1.0, 2.0]]]], F32)
    return function(image, kernel).ravel().tolist() == [2.0, 1.0, 0.0]


def cholesky_nan(_: str) -> bool:
    return is_nan(lax.linalg.cholesky(-np.eye(2, dtype=F32))[0, 0])


def lu_packed(_: str) -> bool:
    packed, pivots, permutation = lax.linalg.lu(examples.SQUARE)
    lower = np.tril(packed, -1) + np.eye(3)
    is_right = np.allclose(lower @ np.triu(packed), examples.SQUARE[permutation], atol=1e-4)
    return is_right and pivots.shape == permutation.shape == (3,)


def printed_each_time(_: str) -> bool:
    traced = []
    seen: list[Any] = []

    def shows(x: Any) -> Any:
        traced.append(1)
        jax.debug.callback(seen.append, x)
        return x

    jitted = jax.jit(shows)
    jitted(1.0), jitted(2.0)
    jax.effects_barrier()
    names = primitives_of(lambda x: jax.debug.print("{}", x), 1.0)
    return len(traced) == 1 and len(seen) == 2 and names == ["debug_print"]


def no_reference_left(name: str) -> bool:
    function, args = EXAMPLES[name]
    text = jax.jit(function).lower(*args).as_text()
    return name in primitives_of(function, *args) and "ref" not in text.replace("sharding", "")


def swapped(_: str) -> bool:
    old = EXAMPLES["swap"][0](examples.A, examples.B)

    def writes(x: Any) -> Any:
        kept = jax.new_ref(x)
        kept[...] = x
        return jax.freeze(kept)

    jaxpr = jax.make_jaxpr(writes)(examples.A)
    (swap,) = [e for e in equations(jaxpr) if e.primitive.name == "swap"]
    used = {v for e in jaxpr.eqns for v in e.invars if hasattr(v, "count")} | set(
        jaxpr.jaxpr.outvars
    )
    return np.array_equal(old, examples.A) and swap.outvars[0] not in used


def barrier_gone(_: str) -> bool:
    text = jax.jit(lambda x: jnp.sin(lax.optimization_barrier(jnp.cos(x)))).lower(1.0)
    return "opt-barrier" not in text.compile().as_text() and (
        "optimization_barrier" in text.as_text()
    )


def pallas_on_cpu(_: str) -> bool:
    def kernel(x: Any, out: Any) -> None:
        out[...] = x[...] * 2

    def call(x: Any, interpret: bool) -> Any:
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return pl.pallas_call(kernel, out_shape=shape, interpret=interpret)(x)

    x = jnp.ones((8, 128), F32)
    return float(call(x, True)[0, 0]) == 2.0 and raises(ValueError, call, x, False)


def last_branch(_: str) -> bool:
    found = [float(run_example("conditional", np.int32(i), F32(3), F32(5))) for i in (0, 1, 7, -1)]
    return found == [-3.0, 10.0, 10.0, 10.0]


def out_of_bounds_update_left_out(_: str) -> bool:
    found = run_example(
        "scatter", np.zeros(4, F32), np.array([[9], [1]], np.int32), np.ones(2, F32)
    )
    return list(found) == [0, 1, 0, 0]


def selects_true_first(_: str) -> bool:
    which = np.array([True, False, True, False])
    zero, one = np.zeros(4, F32), np.ones(4, F32)
    return list(run_example("select", which, zero, one)) == [0, 1, 0, 1] and list(
        lax.select_n(which, zero, one)
    ) == [1, 0, 1, 0]


def no_flops(_: str) -> bool:
    function, args = EXAMPLES["triangular_solve"]
    compiled = jax.jit(function).lower(*args).compile()
    cost = compiled.cost_analysis()
    return "custom-call(" in compiled.as_text() and cost.get("flops", 0.0) <= 0.0


def one_flop_each(name: str) -> bool:
    """By XLA before and after it compiled, and by the rules for equations."""
    primitive = {"convert": "convert_element_type", "bitcast-convert": "bitcast_convert_type"}
    function, args = EXAMPLES[primitive.get(name, name)]
    lowered, added = jax.jit(function).lower(*args), jax.jit(lax.add).lower(*args, *args)
    jaxpr = convert_jaxpr(
        jax.make_jaxpr(function)(*args), tags=TagTable(), is_base=True, is_derived=False
    )
    counted = float(cost_equations(jaxpr.graph)[1].flops)
    found = [each.cost_analysis()["flops"] for each in (lowered, lowered.compile(), added)]
    return {*found, counted} == {float(np.size(args[0]))}


def state_goes_on(_: str) -> bool:
    def draw(state: Any) -> Any:
        return lax.rng_bit_generator(state, (4,), algorithm=lax.RandomAlgorithm.RNG_THREE_FRY)

    start = np.array([1, 2, 3, 4], np.uint32)
    state, first = draw(start)
    _, second = draw(state)
    return not np.array_equal(start, state) and not np.array_equal(first, second)


def labels(_: str) -> bool:
    """Image and result change places of batch and feature by the labels alone."""
    image, kernel = np.ones((5, 2, 3, 3), F32), np.ones((4, 2, 2, 2), F32)
    text = (
        "f32[5,2,2,4] convolution(f32[5,2,3,3] x, f32[4,2,2,2] y), window={size=2x2}, "
        "dim_labels=bf01_oi01->b01f"
    )
    found = run_hlo(text, image, kernel)
    return found.shape == (5, 2, 2, 4) and bool((found == 8).all())


def hlo_dot_shape(_: str) -> bool:
    text = (
        "f32[6,2,4] dot(f32[6,2,3] x, f32[6,3,4] y), lhs_batch_dims={0}, rhs_batch_dims={0}, "
        "lhs_contracting_dims={2}, rhs_contracting_dims={1}"
    )
    return run_hlo(text, np.ones((6, 2, 3), F32), np.ones((6, 3, 4), F32)).shape == (6, 2, 4)


def example_runs(name: str) -> bool:
    """The example's shapes are as the sentence says, and XLA takes it: see `test_opcodes`."""
    wrong = {
        "broadcast": "f32[4,3] broadcast(f32[4] x), dimensions={1}",
        "reduce": "f32[4] reduce(f32[3,4] x, f32[] y), dimensions={1}, to_apply=add",
        "transpose": "f32[2,3] transpose(f32[2,3] x), dimensions={1,0}",
    }[name]
    return raises(Exception, run_hlo, wrong)


NONE = "None: the result is not a float."
SAME = "Every operand and the result have the same shape."
STRETCHED = (
    "Operands have the shape of the result, or size one where it is larger, or are single numbers."
)
GONE = "The axes in `axes` are gone from the result."
CASE = "The condition is a single value, or has the shape of the cases; the result has it too."
LIMITS = "The limits are single numbers, or have the shape of x; the result has it too."
MATRIX = "The last two dimensions are the matrix; those before are a batch."
WINDOW = (
    "Without padding, strides and dilation a size n becomes n - k + 1, where k is the window's."
)
MOVED = "A block that reaches beyond the end is moved back until it fits"
REFERENCES = "References are made into ordinary values before lowering: none is left in StableHLO."
CHECKS: dict[str, Callable[[str], Any]] = {
    SAME: same,
    STRETCHED: stretched,
    "What flows back to a smaller operand is summed to its shape.": summed_back,
    CASE: condition_or_limits,
    LIMITS: condition_or_limits,
    GONE: without_axes,
    MATRIX: batched,
    WINDOW: windowed,
    NONE: has_no_float,
    REFERENCES: no_reference_left,
    MOVED + ", without an error.": moved_back,
    MOVED + ".": moved_back_in_hlo,
    "The result has the shape `shape`; dimension i of x becomes its dimension "
    "`broadcast_dimensions[i]`.": broadcast,
    "All sizes agree but that of `dimension`, which is the sum of the operands' sizes.": (
        concatenated
    ),
    "Without padding, strides and dilation a spatial size n becomes n - k + 1, where k is the "
    "kernel's.": convolved,
    "The result has the batch dimensions, then what is left of x's dimensions, then what is left "
    "of y's.": dotted,
    "The result has the shape `slice_sizes`, whatever the starts are.": dynamically_sliced,
    "The result has the shape of x; y has as many dimensions, and none is larger.": updated,
    "The result has the dimensions of the indices but their last, and those in `offset_dims`.": (
        gathered
    ),
    "There is no operand; the result has the shape `shape`.": lambda name: (
        shapes_of(name)[:2] == ([], [shapes_of(name)[2]["shape"]])
    ),
    "Each size grows by its low and its high padding; padding between elements adds (n - 1) times "
    "that.": padded,
    "The result has the shape `new_sizes`, with as many elements as x.": lambda name: (
        shapes_of(name)[1] == [shapes_of(name)[2]["new_sizes"]]
        and raises(Exception, lax.reshape, examples.A, (5, 2))
    ),
    "The result has the shape of x.": lambda name: shapes_of(name)[1][0] == shapes_of(name)[0][0],
    "Each size is limit - start, divided by the stride and rounded up.": sliced,
    "The results have the sizes `sizes` along `axis`; the other dimensions are those of x.": split,
    "The dimensions in `dimensions`, all of size one, are gone from the result.": squeezed,
    "The last dimension becomes `k`, in both results.": lambda name: (
        shapes_of(name)[1] == [(2, shapes_of(name)[2]["k"])] * 2
    ),
    "Dimension i of the result is dimension `permutation[i]` of x.": transposed,
    "All operands have one shape; the result has a new dimension `axis`, as long as there are "
    "operands.": stacked,
    "As many results as `axis` is long; each is without that dimension.": unstacked,
    "All branches give the same types; other types raise a TypeError.": cond_keeps_types,
    "Each `xs` has a leading dimension of size `length`, each `ys` gets one; the carry keeps its "
    "type.": scanned,
    "The carry keeps its type; another type raises a TypeError.": while_keeps_type,
    "The result has the shape of the keys, then `shape`.": lambda _: (
        jax.vmap(lambda key: jax.random.bits(key, (4,)))(
            jax.random.split(jax.random.key(0), 3)
        ).shape
        == (3, 4)
        == shapes_of_bits_of_three()
    ),
    "A key of the default kind is two 32-bit integers, in a new last dimension.": lambda _: (
        jax.random.key_data(jax.random.split(jax.random.key(0), 3)).shape == (3, 2)
        and jax.random.key_data(jax.random.key(0)).dtype == np.uint32
    ),
    "The last dimension, of size two for the default kind, is gone from the result.": lambda _: (
        jax.random.wrap_key_data(np.zeros((3, 2), np.uint32)).shape == (3,)
        and raises(TypeError, jax.random.wrap_key_data, np.zeros((3, 4), np.uint32))
    ),
    # Derivatives.
    "None: the tangent is zero, also from float to float.": bitcast_tangent,
    "Backward is a `scatter-add`: rows that were picked twice get both cotangents.": (
        gather_backward
    ),
    "Both modes give a `cond` again, on the same index, whose branches are the derivatives.": (
        cond_derivatives
    ),
    "Its own rule, in both modes, instead of that of what is inside.": own_rule,
    "Its own backward rule; forward mode (`jvp`) raises a TypeError.": own_backward_rule,
    "Both modes differentiate what is inside, and leave a `jit` around it.": wrapped_derivatives,
    "Both modes differentiate what is inside, and leave a `shard_map` around it.": (
        wrapped_derivatives
    ),
    "None: differentiating raises a ValueError, unless a custom rule is around it.": (
        callback_raises
    ),
    "Forward mode differentiates what is inside; the backward pass first computes it again.": (
        recomputes
    ),
    "The JVP is a `scan` with the tangents in its carry. Backward is a `scan` with `reverse` "
    "flipped, over what the forward one kept of every step.": scan_derivatives,
    "Forward mode only: a `while` with the tangents in its carry. Reverse mode raises a "
    "ValueError, for nobody knows how many steps to keep values of.": while_derivatives,
    "None: it has no result.": lambda name: find_equation(name).outvars == [],
    "JVP and backward solve once more: with the same function of the tangent, or with "
    "`transpose_solve` of the cotangent.": solves_again,
    # What surprises.
    "Of equal elements the first is taken; NaN counts as the largest.": first_or_nan,
    "Of equal elements the first is taken; NaN counts as the smallest.": first_or_nan,
    "The kernel is not flipped: what neural networks call a convolution is a correlation.": (
        not_flipped
    ),
    "bfloat16 operands give a bfloat16 result, unless `preferred_element_type` asks for float32.": (
        bfloat16_result
    ),
    "An m by k matrix times a k by n matrix is 2·m·n·k FLOPs.": flops,
    "`x[i]` with an index beyond the end gives the last element, without an error.": lambda _: (
        jax.jit(lambda x, i: x[i])(jnp.arange(5.0), 9) == 4.0
    ),
    "Negative padding cuts elements off.": lambda _: (
        list(lax.pad(jnp.arange(5.0), 0.0, ((-1, -2, 0),))) == [1, 2]
    ),
    "Equal largest elements share the derivative in equal parts.": shares,
    "If one element is NaN, so is the result.": reduced_nan,
    "`x.at[i].set(u)` drops an index beyond the end, without an error.": lambda _: (
        list(jnp.zeros(2).at[jnp.array([5, 1])].set(3.0)) == [0, 3]
    ),
    "`x.at[i].add(u)` adds once for each time that an index is named.": lambda _: (
        list(jnp.zeros(2).at[jnp.array([1, 1])].add(3.0)) == [0, 6]
    ),
    "NaN comes last.": lambda _: is_nan(lax.sort(np.array([1.0, np.nan, np.inf], F32))[-1]),
    "Under `vmap` with an index per element all branches are computed, and `select_n` picks.": (
        cond_under_vmap
    ),
    "It is gone from the optimized module: it holds passes back only until the last of them.": (
        barrier_gone
    ),
    "What is kept for the backward pass grows with `length`: each kept value is stacked.": (
        scan_residuals
    ),
    "Under `vmap` it runs until the last element is done; a `select` keeps elements that are "
    "done.": while_under_vmap,
    "It prints each time the program runs; `print` prints once, while JAX traces.": (
        printed_each_time
    ),
    "On a CPU it runs only with `interpret=True`; without it a ValueError is raised.": (
        pallas_on_cpu
    ),
    "The result is what was there before; `r[...] = y` throws it away.": swapped,
    "Its own rule is used under `vmap`; without `vmap` what is inside runs.": own_batching,
    "The derivative at 0 is 1.": lambda _: jax.grad(lax.abs)(0.0) == 1.0,
    "The derivative at (0, 0) is NaN.": lambda _: is_nan(jax.grad(lax.atan2)(0.0, 0.0)),
    "To an integer the fraction is cut off: -1.7 becomes -1; NaN becomes 0, and what is too large "
    "the largest integer.": lambda _: (
        list(lax.convert_element_type(jnp.array([-1.7, np.nan, 1e20], F32), jnp.int32))
        == [-1, 0, 2**31 - 1]
    ),
    "1 / 0 is inf and 0 / 0 is NaN, without an error.": lambda _: (
        lax.div(1.0, 0.0) == np.inf and is_nan(lax.div(0.0, 0.0))
    ),
    "Signed whole numbers divided by zero give -1 on a CPU, without an error.": lambda _: (
        list(lax.div(np.array([7, 0, -7], np.int32), np.zeros(3, np.int32))) == [-1, -1, -1]
    ),
    "NaN equals nothing, not even NaN.": lambda _: not lax.eq(np.nan, np.nan),
    "At -1 and 1 it is infinite.": lambda _: (
        list(lax.erf_inv(np.array([-1, 1], F32))) == [-np.inf, np.inf]
    ),
    "In float32 it is inf from 88.73 on.": lambda _: (
        lax.exp(F32(88.73)) == np.inf and np.isfinite(lax.exp(F32(88.72)))
    ),
    "In float32 exp(1e-8) - 1 is 0, expm1(1e-8) is 1e-8.": lambda _: (
        lax.exp(F32(1e-8)) - 1 == 0 and lax.expm1(F32(1e-8)) == F32(1e-8)
    ),
    "log(0) is -inf, and the log of a negative number is NaN, without an error.": lambda _: (
        lax.log(0.0) == -np.inf and is_nan(lax.log(-1.0))
    ),
    "In float32 log(1 + 1e-8) is 0, log1p(1e-8) is 1e-8.": lambda _: (
        lax.log(F32(1) + F32(1e-8)) == 0 and lax.log1p(F32(1e-8)) == F32(1e-8)
    ),
    "Where both are equal, each gets half of the derivative.": halves,
    "If one of the two is NaN, so is the result.": nan_wins,
    "0 times inf is NaN.": lambda _: is_nan(lax.mul(0.0, np.inf)),
    "NaN differs from everything, also from NaN.": lambda _: bool(lax.ne(np.nan, np.nan)),
    "A negative number to a power that is not whole is NaN.": lambda _: is_nan(
        lax.pow(-8.0, 1 / 3)
    ),
    "With 8 exponent bits and 7 mantissa bits it gives what a round trip to bfloat16 gives.": (
        lambda _: np.array_equal(
            lax.reduce_precision(examples.A, 8, 7),
            jnp.asarray(examples.A, jnp.bfloat16).astype(F32),
        )
    ),
    "`lax.round` sends 2.5 to 3, `jnp.round` sends it to 2.": lambda _: (
        lax.round(2.5) == 3.0 and jnp.round(2.5) == 2.0
    ),
    "rsqrt(0) is inf.": lambda _: lax.rsqrt(0.0) == np.inf,
    "Both cases are computed. What flows back to the one that is not picked is 0, and 0 times an "
    "infinite derivative is NaN: the gradient of where(x > 0, sqrt(x), 0) at 0 is NaN.": where_sqrt,
    "The derivative at 0 is inf.": lambda _: jax.grad(lax.sqrt)(0.0) == np.inf,
    "Nearly equal numbers lose digits: in float32 (1e8 + 1) - 1e8 is 0.": lambda _: (
        lax.sub(F32(1e8) + F32(1), F32(1e8)) == 0
    ),
    "In float32 tanh(10) is 1 and its derivative 0.": lambda _: (
        lax.tanh(F32(10)) == 1 and jax.grad(lax.tanh)(F32(10)) == 0
    ),
    "A matrix that is not positive definite gives NaN, without an error.": cholesky_nan,
    "The derivative of eigenvectors with equal eigenvalues is NaN.": lambda _: is_nan(
        jax.grad(lambda x: jnp.sum(lax.linalg.eigh(x)[0]))(np.eye(2, dtype=F32))
    ),
    "The result is L below the diagonal, without its ones, and U on and above it; then pivots and "
    "the permutation.": lu_packed,
    "The same key gives the same bits.": lambda _: np.array_equal(
        *(jax.random.bits(jax.random.key(3), (5,)) for _ in range(2))
    ),
    "A zero on the diagonal gives inf or NaN, without an error.": lambda _: (
        not np.isfinite(
            lax.linalg.triangular_solve(
                np.diag(np.array([1, 0], F32)), np.ones((2, 1), F32), left_side=True
            )
        ).all()
    ),
    "Without `transpose_solve` or `symmetric=True` reverse mode raises a TypeError.": (
        needs_transpose_solve
    ),
    # Of opcodes.
    "Dimension i of the operand is dimension `dimensions[i]` of the result, and has its size.": (
        example_runs
    ),
    "An index that is out of range runs the last branch.": last_branch,
    "XLA's cost analysis counts no FLOPs of it.": no_flops,
    "XLA's cost analysis counts 1 FLOP for each element, as for an addition.": one_flop_each,
    "The first result is the next state.": state_goes_on,
    "`dim_labels` names the dimensions of image, kernel and result: b batch, f feature, o and i "
    "output and input feature, digits for space.": labels,
    "The result has the batch dimensions, then what is left of the first operand, then of the "
    "second.": hlo_dot_shape,
    "A start that reaches beyond the end is moved back until the slice fits.": moved_back_in_hlo,
    "The dimensions in `dimensions` are gone from the result.": example_runs,
    "An index beyond the end is left out.": out_of_bounds_update_left_out,
    "The first value is taken where the condition is true; in `select_n` it is the other way "
    "round.": selects_true_first,
    "Dimension i of the result is dimension `dimensions[i]` of the operand.": example_runs,
}


def shapes_of_bits_of_three() -> tuple[int, ...]:
    """The result of the equation itself, with three keys."""
    keys = jax.random.split(jax.random.key(0), 3)
    jaxpr = jax.make_jaxpr(jax.vmap(lambda key: jax.random.bits(key, (4,))))(keys)
    (found,) = [e for e in equations(jaxpr) if e.primitive.name == "random_bits"]
    shape: tuple[int, ...] = found.outvars[0].aval.shape
    return shape


@pytest.mark.sweep(30)
@pytest.mark.parametrize(
    ("name", "kind", "sentence"), SENTENCES, ids=lambda part: str(part)[:40].replace(" ", "_")
)
def test_what_a_sentence_says_is_so(name: str, kind: str, sentence: str) -> None:
    assert sentence in CHECKS, f"no check of what the card of the {kind} {name} says"
    if kind == "primitive" and sentence in (SAME, NONE) and name not in EXAMPLES:
        pytest.fail(f"{name} has no example")
    assert CHECKS[sentence](name)


def test_no_check_is_of_a_sentence_that_no_card_has() -> None:
    assert set(CHECKS) == {sentence for _, _, sentence in SENTENCES}
