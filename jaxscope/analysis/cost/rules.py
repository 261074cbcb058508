"""How XLA's `HloCostAnalysis` counts the instruction that a primitive is lowered to.

A rule gives FLOPs, bytes and transcendentals, or raises where it does not apply. A primitive
without a rule has unknown cost. Primitives that are lowered to a few instructions count all of
these (`logistic` is 3 FLOPs and 1 transcendental per element); bytes are always those of the
equation's own operands and results, as if it were one instruction. What the lowering adds besides
(broadcast literals, initial values of reductions, clamped indices) is not counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from jaxscope.analysis.cost import communication, linear_algebra, random_keys, references
from jaxscope.analysis.cost.convolution import convolution_flops
from jaxscope.analysis.cost.equation import Costs, Equation, UncountedError
from jaxscope.analysis.cost.special_functions import SPECIAL_FUNCTIONS, special_function

Rule = Callable[[Equation], Costs]

CUMULATIVE_PRIMITIVES = frozenset({"cumsum", "cumprod", "cummax", "cummin"})
"""Lowered to a window as long as the axis, of which XLA counts n - 1 FLOPs for each element."""

_ARGUMENT_REDUCTION_FLOPS = {True: 9.0, False: 7.0}
"""Instructions in the comparator of `argmax`: floats look for NaN too."""


def find_rule(primitive: str) -> Rule | None:
    """The rule of a primitive, or None."""
    return _RULES.get(primitive)


def _elementwise(flops: float, transcendentals: float) -> Rule:
    def rule(equation: Equation) -> Costs:
        result = equation.result()
        if transcendentals and result.is_complex:
            raise UncountedError("complex functions are lowered to many real ones")
        return flops * result.size, equation.traffic(), transcendentals * result.size

    return rule


def _sign(equation: Equation) -> Costs:
    if equation.result().is_complex:
        raise UncountedError("the complex sign is lowered to a quotient")
    return float(equation.result().size), equation.traffic(), 0.0


def _power(equation: Equation) -> Costs:
    """An integer exponent of a float, as Adam's bias correction has it, is converted first."""
    base, exponent = equation.operand(0), equation.operand(1)
    if base.element == exponent.element:
        return _elementwise(0.0, 1.0)(equation)
    if base.shape != exponent.shape:
        raise UncountedError("operands of two types")
    return _elementwise(1.0, 1.0)(equation)


def _move(equation: Equation) -> Costs:
    return 0.0, equation.traffic(), 0.0


def _nothing(_equation: Equation) -> Costs:
    return 0.0, 0.0, 0.0


def _convert(equation: Equation) -> Costs:
    """A change of weak type alone is lowered to nothing."""
    if equation.operand(0).element == equation.result().element:
        return 0.0, 0.0, 0.0
    return float(equation.result().size), equation.traffic(), 0.0


def _select(equation: Equation) -> Costs:
    """More than two cases are lowered to a tree of comparisons: no rule."""
    if len(equation.operands) != 3:
        raise UncountedError("more than two cases")
    return float(equation.result().size), equation.traffic(), 0.0


def _integer_power(equation: Equation) -> Costs:
    """Repeated squaring; a negative exponent divides once."""
    exponent = int(equation.parameter("y"))
    magnitude = abs(exponent)
    multiplies = max(magnitude.bit_length() - 1 + magnitude.bit_count() - 1, 0)
    per_element = multiplies + (exponent < 0)
    return float(per_element * equation.result().size), equation.traffic(), 0.0


def _polynomial(equation: Equation) -> Costs:
    """Horner's rule: a product and a sum per coefficient but the last; many are a loop: no rule."""
    num_coefficients = len(equation.operands) - 1
    unroll = equation.parameters.get("unroll", "8")
    if not unroll.isdecimal() or num_coefficients > int(unroll):
        raise UncountedError("many coefficients are lowered to a loop")
    if equation.operand(0).shape != equation.result().shape:
        raise UncountedError("the first steps are smaller than the result")
    return 2.0 * (num_coefficients - 1) * equation.result().size, equation.traffic(), 0.0


def _reduction(equation: Equation) -> Costs:
    saved = equation.operand(0).size - equation.result().size
    return float(max(saved, 0)), equation.traffic(), 0.0


def _argument_reduction(equation: Equation) -> Costs:
    operand = equation.operand(0)
    saved = max(operand.size - equation.result().size, 0)
    return _ARGUMENT_REDUCTION_FLOPS[operand.is_float] * saved, equation.traffic(), 0.0


def _cumulative(equation: Equation) -> Costs:
    """Lowered to a reduce-window as long as the axis: quadratic before optimization."""
    operand = equation.operand(0)
    length = operand.shape[int(equation.parameter("axis"))]
    return float(operand.size * max(length - 1, 0)), equation.traffic(), 0.0


def _window_reduction(equation: Equation) -> Costs:
    window = math.prod(equation.parameter("window_dimensions"))
    return float(equation.result().size * max(window - 1, 0)), equation.traffic(), 0.0


def _dot(equation: Equation) -> Costs:
    (contracting, _), _ = equation.parameter("dimension_numbers")
    shape = equation.operand(0).shape
    width = math.prod(shape[axis] for axis in contracting)
    return 2.0 * equation.result().size * width, equation.traffic(), 0.0


def _convolution(equation: Equation) -> Costs:
    return convolution_flops(equation), equation.traffic(), 0.0


def _slice(equation: Equation) -> Costs:
    """Only what is taken is read."""
    return 0.0, 2.0 * sum(equation.result(i).num_bytes for i in range(len(equation.results))), 0.0


def _dynamic_slice(equation: Equation) -> Costs:
    return 0.0, 2.0 * equation.result().num_bytes + equation.operand(1).num_bytes, 0.0


def _dynamic_update_slice(equation: Equation) -> Costs:
    """Only the update is read and written; of the indices XLA counts the first."""
    return 0.0, 2.0 * equation.operand(1).num_bytes + equation.operand(2).num_bytes, 0.0


def _gather(equation: Equation) -> Costs:
    return 0.0, 2.0 * equation.result().num_bytes + equation.operand(1).num_bytes, 0.0


def _scatter(flops_per_update: float) -> Rule:
    def rule(equation: Equation) -> Costs:
        updates = equation.operand(2)
        moved = 3.0 * updates.num_bytes + equation.operand(1).num_bytes
        return flops_per_update * updates.size, moved, 0.0

    return rule


def _sort(equation: Equation) -> Costs:
    size = equation.operand(0).size
    return float(size * max(size - 1, 0).bit_length()), equation.traffic(), 0.0


def _fourier(equation: Equation) -> Costs:
    """Four fused multiply-adds per complex product; one of both sides is real or both are not."""
    size = max(equation.operand(0).size, equation.result().size)
    factors = math.prod(max(n, 1).bit_length() - 1 for n in equation.parameter("fft_lengths"))
    return 8.0 * size * factors, equation.traffic(), 0.0


_ONE_FLOP = """abs add add_any and ceil clamp clz complex div eq floor ge gt imag is_finite le lt
    max min mul ne neg not or population_count real reduce_precision rem round shift_left
    shift_right_arithmetic shift_right_logical square sub xor bitcast_convert_type"""
_ONE_TRANSCENDENTAL = """atan2 atan cbrt cos erf exp expm1 log log1p rsqrt sin sqrt tan tanh"""
_MOVES = """broadcast_in_dim concatenate copy copy_p device_put empty empty2 expand_dims iota
    optimization_barrier pad reshape rev squeeze stack transpose"""
_FREE = """name num_programs pcast program_id pbroadcast pvary random_unwrap random_wrap
    stop_gradient"""
_REDUCTIONS = "and max min or prod sum xor"

# FLOPs and transcendentals per element of what these are lowered to, the same since JAX 0.8 (the
# last two: since 0.12, which has them first).
_COMPOSITES = {
    "exp2": (1.0, 1.0),
    "logistic": (3.0, 1.0),
    "log2": (1.0, 1.0),
    "one_minus_square": (3.0, 0.0),
}

_RULES: dict[str, Rule] = {
    **{name: _elementwise(1.0, 0.0) for name in _ONE_FLOP.split()},
    **{name: _elementwise(0.0, 1.0) for name in _ONE_TRANSCENDENTAL.split()},
    **{name: _elementwise(*counts) for name, counts in _COMPOSITES.items()},
    **dict.fromkeys(_MOVES.split(), _move),
    **{f"reduce_{name}": _reduction for name in _REDUCTIONS.split()},
    **dict.fromkeys(("argmax", "argmin"), _argument_reduction),
    **dict.fromkeys(CUMULATIVE_PRIMITIVES, _cumulative),
    **{f"reduce_window_{name}": _window_reduction for name in ("sum", "max", "min")},
    **dict.fromkeys(_FREE.split(), _nothing),
    **{name: _scatter(1.0) for name in ("scatter-add", "scatter-sub", "scatter-mul")},
    **{name: _scatter(1.0) for name in ("scatter-min", "scatter-max")},
    "scatter": _scatter(0.0),
    "convert_element_type": _convert,
    "select_n": _select,
    "sign": _sign,
    "pow": _power,
    "integer_pow": _integer_power,
    "polynomial": _polynomial,
    "dot_general": _dot,
    "conv_general_dilated": _convolution,
    "slice": _slice,
    "split": _slice,
    "unstack": _slice,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "gather": _gather,
    "sort": _sort,
    "top_k": _move,
    **dict.fromkeys(SPECIAL_FUNCTIONS, special_function),
    "random_bits": random_keys.random_bits,
    "random_split": random_keys.random_split,
    "random_fold_in": random_keys.random_fold_in,
    "random_seed": random_keys.random_seed,
    "threefry2x32": random_keys.threefry,
    "rng_bit_generator": random_keys.rng_bit_generator,
    "rng_uniform": random_keys.rng_uniform,
    "cholesky": linear_algebra.cholesky,
    "triangular_solve": linear_algebra.triangular_solve,
    **dict.fromkeys(("psum", "psum2", "psum_invariant", "pmax", "pmin"), communication.all_reduce),
    **dict.fromkeys(
        ("all_gather", "all_gather_invariant", "all_to_all", "ppermute", "reduce_scatter"),
        communication.exchange,
    ),
    "axis_index": communication.axis_index,
    "get": references.get,
    "swap": references.swap,
    "addupdate": references.add_update,
    "fft": _fourier,
}
