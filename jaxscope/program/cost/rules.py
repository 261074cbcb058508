"""How XLA's `HloCostAnalysis` counts the instruction that a primitive is lowered to.

A rule gets one equation (primitive, types, parameters) and gives FLOPs, bytes and transcendentals,
or raises `UncountedError` where it does not apply; a primitive without a rule has unknown cost.
Elementwise functions, reductions, products, convolutions, collectives, random bits, linear algebra,
references. Counts of functions that are lowered to many instructions were taken from the modules
that JAX 0.8.0, 0.10.2 and 0.12.0 make before optimization: where these releases agree the count
serves all, where they do not, only the releases that were counted, and any between two that agree.
Threefry counts as XLA counts the hash written out, as for a TPU (shifts, xors, additions); for a
CPU the same rounds stand in a loop, of which XLA's analysis counts one round; this counts all.
`jax_threefry_partitionable` is taken as JAX sets it by default: each number is the hash of its own
position.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import say
from jaxscope.model.types import ArrayType, read_count

Costs = tuple[float, float, float]
"""FLOPs, bytes, transcendentals."""


class UncountedError(Exception):
    """A rule does not apply; the text says why, without a full stop."""


@dataclass(frozen=True, slots=True)
class Equation:
    """What a rule may look at.

    Attributes:
        primitive: JAX's name.
        operands: Types in order; None where a type is not an array's or not known.
        results: Types in order; None as above.
        parameters: Texts of the equation's parameters.
        release: Major and minor version of the JAX that made it; zeros if not known.
    """

    primitive: str
    operands: tuple[ArrayType | None, ...]
    results: tuple[ArrayType | None, ...]
    parameters: Mapping[str, str]
    release: tuple[int, int] = (0, 0)

    def operand(self, index: int) -> ArrayType:
        """The type of an operand.

        Raises:
            LookupError: It is not known.
        """
        return _known(self.operands[index])

    def result(self, index: int = 0) -> ArrayType:
        """The type of a result.

        Raises:
            LookupError: It is not known.
        """
        return _known(self.results[index])

    def parameter(self, name: str) -> Any:
        """A parameter that is a number or nested tuples and lists of numbers.

        Raises:
            LookupError: The equation has no such parameter.
            ValueError: The text is something else, or was cut short.
        """
        try:
            return ast.literal_eval(self.parameters[name])
        except (SyntaxError, MemoryError, RecursionError) as error:
            raise ValueError(f"{name} is no literal") from error

    def traffic(self) -> float:
        """Bytes of all operands and results; NaN if one is unknown."""
        types = self.operands + self.results
        return sum((math.nan if type is None else type.num_bytes for type in types), 0.0)


def _known(type: ArrayType | None) -> ArrayType:
    if type is None:
        raise LookupError("the type is not known")
    return type


# Work of collectives, as one device does it: what is reduced counts, what is moved does not.


_AXIS_INDEX_FLOPS = 3.0
"""The number of the device, divided by the stride of the axis, modulo its size, converted."""


def all_reduce(equation: Equation) -> Costs:
    """One for each element of the results: XLA counts as if two devices took part."""
    sizes = [equation.result(i).size for i in range(len(equation.results))]
    return float(sum(sizes)), equation.traffic(), 0.0


def exchange(equation: Equation) -> Costs:
    """Moved between devices; the sums of a reduce-scatter count nothing either."""
    return 0.0, equation.traffic(), 0.0


def axis_index(equation: Equation) -> Costs:
    """Which device this is along an axis."""
    return _AXIS_INDEX_FLOPS, equation.traffic(), 0.0


# FLOPs of a convolution: padding and holes of dilation do no work.


_SPECS = re.compile(r"(lhs_spec|rhs_spec|out_spec)=(\([\d, ]*\))")


def convolution_flops(equation: Equation) -> float:
    """Two FLOPs for every product of an input element and a kernel element that really meet.

    Raises:
        LookupError: A type or parameter is missing.
        ValueError: A parameter cannot be read.
    """
    specs = dict(_SPECS.findall(equation.parameters["dimension_numbers"]))
    lhs_spec, rhs_spec, out_spec = (
        ast.literal_eval(specs[name]) for name in ("lhs_spec", "rhs_spec", "out_spec")
    )
    lhs, rhs, out = equation.operand(0).shape, equation.operand(1).shape, equation.result().shape
    num_spatial = len(lhs_spec) - 2
    strides = _sequence(equation, "window_strides", num_spatial, 1)
    lhs_dilation = _sequence(equation, "lhs_dilation", num_spatial, 1)
    rhs_dilation = _sequence(equation, "rhs_dilation", num_spatial, 1)
    padding = _sequence(equation, "padding", num_spatial, (0, 0))
    groups = int(equation.parameters.get("feature_group_count", "1"))
    batch_groups = int(equation.parameters.get("batch_group_count", "1"))
    products = float(
        (lhs[lhs_spec[1]] // groups) * out[out_spec[1]] * (lhs[lhs_spec[0]] // batch_groups)
    )
    for axis in range(num_spatial):
        products *= count_meetings(
            input_size=lhs[lhs_spec[2 + axis]],
            kernel_size=rhs[rhs_spec[2 + axis]],
            output_size=out[out_spec[2 + axis]],
            stride=strides[axis],
            padding_low=padding[axis][0],
            input_dilation=lhs_dilation[axis],
            kernel_dilation=rhs_dilation[axis],
        )
    return 2.0 * products


def count_meetings(
    *,
    input_size: int,
    kernel_size: int,
    output_size: int,
    stride: int,
    padding_low: int,
    input_dilation: int,
    kernel_dilation: int,
) -> int:
    """Pairs of output and kernel positions along one axis that meet an input element."""
    limit = (input_size - 1) * input_dilation
    count = 0
    for kernel in range(kernel_size):
        first = kernel * kernel_dilation - padding_low
        for output in range(output_size):
            position = first + output * stride
            if position > limit:
                break
            if position >= 0 and position % input_dilation == 0:
                count += 1
    return count


def _sequence(equation: Equation, name: str, length: int, default: Any) -> Any:
    """A parameter with one entry per spatial axis; JAX leaves it away where it is trivial."""
    if name not in equation.parameters:
        return [default] * length
    values = equation.parameter(name)
    if len(values) != length:
        raise ValueError(f"{name} does not have {length} entries")
    return values


# Linear algebra that XLA has an instruction for; the rest are library calls without a count.


def cholesky(equation: Equation) -> Costs:
    """A third of n³ for each matrix, whole numbers; half of both matrices is touched."""
    matrices = equation.operand(0)
    flops = matrices.size * matrices.shape[-1] // 3
    return float(flops), equation.traffic() / 2.0, 0.0


def triangular_solve(equation: Equation) -> Costs:
    """Two for each product of an unknown with a row; half of the matrix is read."""
    matrices, sides = equation.operand(0), equation.operand(1)
    flops = 2 * sides.size * matrices.shape[-1]
    return float(flops), equation.traffic() - matrices.num_bytes / 2.0, 0.0


# Reading and writing mutable references, as kernels do.


def get(equation: Equation) -> Costs:
    """Only what is taken is read."""
    return 0.0, 2.0 * equation.result().num_bytes, 0.0


def swap(equation: Equation) -> Costs:
    """The old value is read where somebody takes it; counted as written only."""
    return 0.0, 2.0 * equation.operand(1).num_bytes, 0.0


def add_update(equation: Equation) -> Costs:
    """One addition for each element; the old value is read, the new one written."""
    value = equation.operand(1)
    return float(value.size), 3.0 * value.num_bytes, 0.0


_HASH_FLOPS = 117
"""Of one `threefry2x32`, which makes two 32-bit words: twenty rounds and five key injections."""

_KEY_FLOPS = 2
"""Once for each key: the third word of its schedule."""

_FINISH_FLOPS = {8: 2, 16: 2, 32: 1, 64: 2}
"""By the width asked for: two words become one number."""

_SEED_FLOPS = {"u32": 1, "i32": 3, "u8": 3}
"""An integer becomes the two words of a key."""

_GENERATOR_STATE_WORDS = 2
"""XLA counts each number that its generator makes, and its 64-bit state words, as one."""


def random_bits(equation: Equation) -> Costs:
    """Draw numbers from each key of an array of keys."""
    keys = equation.operand(0)
    width, count = int(equation.parameter("bit_width")), math.prod(_shape_for_each_key(equation))
    if keys.element == "key<fry>":
        each = _HASH_FLOPS + _FINISH_FLOPS[width]
        return _threefry(equation, count, each), equation.traffic(), 0.0
    if keys.size != 1:
        raise UncountedError(say("releases of JAX draw from several keys of this kind differently"))
    return 2.0, equation.traffic(), float(count + _GENERATOR_STATE_WORDS)


def random_split(equation: Equation) -> Costs:
    """Make new keys: each is the hash of its position."""
    _require_threefry(equation)
    count = math.prod(_shape_for_each_key(equation))
    return _threefry(equation, count, _HASH_FLOPS), equation.traffic(), 0.0


def random_fold_in(equation: Equation) -> Costs:
    """Make a key of a key and an integer, which is first made a key itself."""
    _require_threefry(equation)
    keys, data = equation.operand(0), equation.operand(1)
    flops = _HASH_FLOPS * equation.result().size + _KEY_FLOPS * keys.size
    return float(flops + _SEED_FLOPS[data.element] * data.size), equation.traffic(), 0.0


def random_seed(equation: Equation) -> Costs:
    """Make a key of an integer."""
    if equation.result().element != "key<fry>":
        raise UncountedError(say("only seeds of Threefry keys are counted"))
    seeds = equation.operand(0)
    return float(_SEED_FLOPS[seeds.element] * seeds.size), equation.traffic(), 0.0


def threefry(equation: Equation) -> Costs:
    """The hash itself, on two words of key and two words of counter."""
    flops = _HASH_FLOPS * equation.result().size + _KEY_FLOPS * equation.operand(0).size
    return float(flops), equation.traffic(), 0.0


def rng_bit_generator(equation: Equation) -> Costs:
    """XLA's generator; its state as four 32-bit words is packed and unpacked."""
    state = equation.operand(0)
    if (state.element, state.shape) != ("u32", (4,)):
        raise UncountedError(say("only a state of four 32-bit words is counted"))
    numbers = equation.result(1).size
    return 6.0, equation.traffic(), float(numbers + _GENERATOR_STATE_WORDS)


def rng_uniform(equation: Equation) -> Costs:
    """One operation for each number that is drawn."""
    return 0.0, equation.traffic(), float(equation.result().size)


def _threefry(equation: Equation, count: int, flops_each: int) -> float:
    """Hashes of `count` positions under each key; the positions are made once for all keys."""
    if count == 0:
        return 0.0
    num_keys = equation.operand(0).size
    positions = count * _position_flops(_shape_for_each_key(equation))
    return float(num_keys * (count * flops_each + _KEY_FLOPS) + positions)


def _shape_for_each_key(equation: Equation) -> tuple[int, ...]:
    return equation.result().shape[len(equation.operand(0).shape) :]


def _position_flops(shape: tuple[int, ...]) -> int:
    """A position is a sum of strided counters, one for each axis, cut into two words."""
    axes = sum(size > 1 for size in shape)
    return 2 * axes + 1 if axes else (2 if shape else 0)


def _require_threefry(equation: Equation) -> None:
    if equation.operand(0).element != "key<fry>":
        raise UncountedError(say("only Threefry keys are counted"))


_HALVES = frozenset({"f16", "bf16"})


@dataclass(frozen=True, slots=True)
class _Count:
    """Instructions for each element.

    Attributes:
        flops: For `f32`.
        transcendentals: For any type.
        is_widened: Whether 16-bit floats are computed in 32 bits: two conversions more.
        first, last: Releases of JAX that it holds for.
    """

    flops: int
    transcendentals: int
    is_widened: bool = True
    first: tuple[int, int] = (0, 8)
    last: tuple[int, int] = (0, 12)


_COUNTS = {
    "acos": (_Count(3, 2, is_widened=False),),
    "acosh": (_Count(7, 4, is_widened=False),),
    "asin": (
        _Count(5, 2, is_widened=False, last=(0, 10)),
        _Count(3, 2, is_widened=False, first=(0, 12)),
    ),
    "asinh": (_Count(11, 3, is_widened=False),),
    "atanh": (_Count(6, 2, is_widened=False),),
    "bessel_i0e": (_Count(87, 1, last=(0, 8)), _Count(83, 1, first=(0, 10))),
    "bessel_i1e": (_Count(87, 1, last=(0, 8)), _Count(83, 1, first=(0, 10))),
    "cosh": (_Count(3, 2),),
    "digamma": (_Count(73, 3, last=(0, 10)), _Count(75, 3, first=(0, 12))),
    "erf_inv": (_Count(37, 2),),
    "erfc": (_Count(62, 1),),
    "lgamma": (_Count(53, 4, last=(0, 10)), _Count(292, 0, first=(0, 12))),
    "nextafter": (_Count(24, 0, is_widened=False),),
    "sinh": (_Count(10, 3),),
}

SPECIAL_FUNCTIONS = frozenset(_COUNTS)
"""Primitives that `special_function` knows."""


def special_function(equation: Equation) -> Costs:
    """Count a special function.

    Raises:
        UncountedError: Not for this type, or not with this release of JAX.
    """
    result = equation.result()
    if result.element != "f32" and result.element not in _HALVES:
        raise UncountedError(
            say("{primitive} is counted for f32, f16 and bf16 only", primitive=equation.primitive)
        )
    counts = _COUNTS[equation.primitive]
    fitting = [c for c in counts if c.first <= equation.release <= c.last]
    if len(counts) == 1:
        fitting = list(counts)
    if not fitting:
        raise UncountedError(
            say("releases of JAX lower {primitive} differently", primitive=equation.primitive)
        )
    count = fitting[0]
    widening = 2 if count.is_widened and result.element in _HALVES else 0
    size = result.size
    flops = float((count.flops + widening) * size)
    return flops, equation.traffic(), float(count.transcendentals * size)


# How XLA's `HloCostAnalysis` counts the instruction that a primitive is lowered to.
#
# A rule gives FLOPs, bytes and transcendentals, or raises where it does not apply. A primitive
# without a rule has unknown cost. Primitives that are lowered to a few instructions count all of
# these (`logistic` is 3 FLOPs and 1 transcendental per element); bytes are always those of the
# equation's own operands and results, as if it were one instruction. What the lowering adds besides
# (broadcast literals, initial values of reductions, clamped indices) is not counted.


Rule = Callable[[Equation], Costs]

_CUMULATIVE = {
    **dict.fromkeys(("cumsum", "cumprod", "cummax", "cummin"), (1.0, 0.0)),
    "cumlogsumexp": (8.0, 2.0),
}
"""FLOPs and transcendentals of combining two elements."""

CUMULATIVE_PRIMITIVES = frozenset(_CUMULATIVE)
"""Lowered to a window as long as the axis: XLA counts n - 1 combinations for each element."""

_SPARSE_FORMULA = say("products of stored elements alone; what finds their places is not counted")
FORMULAS: Mapping[str, str] = {
    "ragged_dot_general": say(
        "each row times the matrix of its own group; where XLA has no instruction for it, as for a "
        "CPU, each row is multiplied by the matrices of all groups"
    ),
    **dict.fromkeys(("bcoo_dot_general", "bcoo_dot_general_sampled"), _SPARSE_FORMULA),
}
"""What is counted by the definition of a primitive, as XLA counts otherwise: how, for each."""

_ARGUMENT_REDUCTION_FLOPS = {True: 9.0, False: 7.0}
"""Instructions in the comparator of `argmax`: floats look for NaN too."""


def find_rule(primitive: str) -> Rule | None:
    """The rule of a primitive, or None."""
    return _RULES.get(primitive)


def _elementwise(flops: float, transcendentals: float) -> Rule:
    def rule(equation: Equation) -> Costs:
        result = equation.result()
        if transcendentals and result.is_complex:
            raise UncountedError(say("complex functions are lowered to many real ones"))
        return flops * result.size, equation.traffic(), transcendentals * result.size

    return rule


def _real_elementwise(equation: Equation) -> Costs:
    """One FLOP for each element, which complex numbers need more than one of."""
    if equation.result().is_complex:
        raise UncountedError(say("complex functions are lowered to many real ones"))
    return _elementwise(1.0, 0.0)(equation)


def _conjugate(equation: Equation) -> Costs:
    """Two parts are taken, one is negated, and both put together; a real number has one part."""
    flops = 4.0 if equation.operand(0).is_complex else 1.0
    return flops * equation.result().size, equation.traffic(), 0.0


def _sign(equation: Equation) -> Costs:
    """XLA has the sign of signed numbers; one without a sign is compared with 0 and converted."""
    if equation.result().is_complex:
        raise UncountedError(say("the complex sign is lowered to a quotient"))
    per_element = 2.0 if equation.result().element.startswith("u") else 1.0
    return per_element * equation.result().size, equation.traffic(), 0.0


def _power(equation: Equation) -> Costs:
    """An integer exponent of a float, as Adam's bias correction has it, is converted first."""
    base, exponent = equation.operand(0), equation.operand(1)
    if base.element == exponent.element:
        return _elementwise(0.0, 1.0)(equation)
    if base.shape != exponent.shape:
        raise UncountedError(say("operands of two types"))
    return _elementwise(1.0, 1.0)(equation)


def _move(equation: Equation) -> Costs:
    return 0.0, equation.traffic(), 0.0


def _nothing(_equation: Equation) -> Costs:
    return 0.0, 0.0, 0.0


def _convert(equation: Equation) -> Costs:
    """A change of weak type alone is lowered to nothing; a complex number gives its real part."""
    before, after = equation.operand(0), equation.result()
    if before.element == after.element:
        return 0.0, 0.0, 0.0
    is_taken_apart = before.is_complex and not after.is_complex
    is_part = _PARTS.get(before.element) == after.element
    per_element = 2.0 if is_taken_apart and not is_part else 1.0
    return per_element * after.size, equation.traffic(), 0.0


def _select(equation: Equation) -> Costs:
    """A number that chooses is made a Boolean; of more cases comparisons make a tree: no rule."""
    if len(equation.operands) != 3:
        raise UncountedError(say("more than two cases"))
    which = equation.operand(0)
    conversions = 0 if which.element == "bool" else which.size
    return float(equation.result().size + conversions), equation.traffic(), 0.0


def _integer_power(equation: Equation) -> Costs:
    """Repeated squaring; a negative exponent divides once."""
    exponent = int(equation.parameter("y"))
    if exponent == 1:
        return 0.0, 0.0, 0.0
    magnitude = abs(exponent)
    multiplies = max(magnitude.bit_length() - 1 + magnitude.bit_count() - 1, 0)
    per_element = multiplies + (exponent < 0)
    return float(per_element * equation.result().size), equation.traffic(), 0.0


def _polynomial(equation: Equation) -> Costs:
    """Horner's rule: a product and a sum per coefficient but the last; many are a loop: no rule."""
    num_coefficients = len(equation.operands) - 1
    unroll = read_count(equation.parameters.get("unroll", "8"))
    if unroll is None or num_coefficients > unroll:
        raise UncountedError(say("many coefficients are lowered to a loop"))
    if equation.operand(0).shape != equation.result().shape:
        raise UncountedError(say("the first steps are smaller than the result"))
    return 2.0 * (num_coefficients - 1) * equation.result().size, equation.traffic(), 0.0


def _reduction(equation: Equation) -> Costs:
    """Over no axes it is lowered to nothing."""
    if equation.operand(0).shape == equation.result().shape:
        return 0.0, 0.0, 0.0
    return float(_find_reduced(equation)), equation.traffic(), 0.0


def _argument_reduction(equation: Equation) -> Costs:
    operand = equation.operand(0)
    saved = max(operand.size - equation.result().size, 0)
    return _ARGUMENT_REDUCTION_FLOPS[operand.is_float] * saved, equation.traffic(), 0.0


def _cumulative(equation: Equation) -> Costs:
    """Lowered to a reduce-window as long as the axis: quadratic before optimization."""
    operand = equation.operand(0)
    if operand.is_complex and equation.primitive not in ("cumsum", "cumprod"):
        raise UncountedError(say("complex functions are lowered to many real ones"))
    length = operand.shape[int(equation.parameter("axis"))]
    num_combined = operand.size * max(length - 1, 0)
    flops, transcendentals = _CUMULATIVE[equation.primitive]
    return flops * num_combined, equation.traffic(), transcendentals * num_combined


def _largest(equation: Equation) -> Costs:
    if equation.result().is_complex:
        raise UncountedError(say("complex functions are lowered to many real ones"))
    return _reduction(equation)


def _window_reduction(equation: Equation) -> Costs:
    return float(_find_windowed(equation)), equation.traffic(), 0.0


def _select_and_gather(equation: Equation) -> Costs:
    """Of two arrays at once: one comparison and two choices for each pair that is combined."""
    return 3.0 * _find_windowed(equation), equation.traffic(), 0.0


def _select_and_scatter(equation: Equation) -> Costs:
    """For each element of the first operand: the comparisons of its window, and one sum."""
    window = math.prod(equation.parameter("window_dimensions"))
    return float(equation.operand(0).size * window), equation.traffic(), 0.0


def _dot(equation: Equation) -> Costs:
    (contracting, _), _ = equation.parameter("dimension_numbers")
    shape = equation.operand(0).shape
    width = math.prod(shape[axis] for axis in contracting)
    flops = 2.0 * equation.result().size * width
    return flops + _count_conversions(equation), equation.traffic(), 0.0


_RAGGED = re.compile(
    r"dot_dimension_numbers=(\(.*\)), lhs_ragged.*rhs_group_dimensions=(\([\d, ]*\))"
)


def _ragged_dot(equation: Equation) -> Costs:
    """Two for each element of the first operand and column of the matrix of its group."""
    found = _RAGGED.search(equation.parameters["ragged_dot_dimension_numbers"])
    if found is None:
        raise ValueError("ragged_dot_dimension_numbers cannot be read")
    ((_, contracting), (_, batch)) = ast.literal_eval(found[1])
    groups = ast.literal_eval(found[2])
    columns = _free_size(equation.operand(1), (*contracting, *batch, *groups))
    flops = 2.0 * equation.operand(0).size * columns
    return flops + _count_conversions(equation), equation.traffic(), 0.0


def _sparse_dot(equation: Equation) -> Costs:
    """Two for each stored element of the first operand and column of the second."""
    (_, contracting), (_, batch) = equation.parameter("dimension_numbers")
    columns = _free_size(equation.operand(2), (*contracting, *batch))
    return 2.0 * equation.operand(0).size * columns, equation.traffic(), 0.0


def _sampled_dot(equation: Equation) -> Costs:
    """A product of a row and a column for each element that is stored of the result."""
    (contracting, _), _ = equation.parameter("dimension_numbers")
    shape = equation.operand(0).shape
    width = math.prod(shape[axis] for axis in contracting)
    return 2.0 * equation.result().size * width, equation.traffic(), 0.0


def _free_size(type: ArrayType, axes: tuple[int, ...]) -> int:
    """The product of the sizes of all other axes."""
    return math.prod(size for axis, size in enumerate(type.shape) if axis not in axes)


def _sparse_to_dense(equation: Equation) -> Costs:
    """Each stored element is added where it belongs."""
    return float(equation.operand(0).size), equation.traffic(), 0.0


def _count_conversions(equation: Equation) -> int:
    """Elements of operands that are made the result's type first, as for a CPU or a GPU.

    Raises:
        UncountedError: An algorithm is asked for that converts operands to types of its own.
    """
    operands, result = (equation.operand(0), equation.operand(1)), equation.result()
    elements = {each.element for each in operands}
    preset = equation.parameters.get("precision", "").partition("DotAlgorithm")[2]
    if preset:
        taken = _TAKEN_AS_THEY_ARE.get(preset.removeprefix("Preset."))
        if preset == "Preset.DEFAULT" or (taken and {*elements, result.element} <= taken):
            return 0
        raise UncountedError(say("the algorithm of the product converts what it multiplies"))
    if len(elements) < 2 or all(element.startswith("f8") for element in elements):
        return 0
    return sum(each.size for each in operands if each.element != result.element)


def _convolution(equation: Equation) -> Costs:
    """Of complex numbers: three of real ones, with sums of the parts before and after."""
    flops = convolution_flops(equation)
    if equation.result().is_complex:
        before = 3 * equation.operand(0).size + 4 * equation.operand(1).size
        flops = 3.0 * flops + before + 3 * equation.result().size
    return flops, equation.traffic(), 0.0


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


def _find_updates(equation: Equation) -> int:
    return equation.operand(2).size


def _find_reduced(equation: Equation) -> int:
    return max(equation.operand(0).size - equation.result().size, 0)


def _find_windowed(equation: Equation) -> int:
    window: int = math.prod(equation.parameter("window_dimensions"))
    return equation.result().size * max(window - 1, 0)


def _sort(equation: Equation) -> Costs:
    size = equation.operand(0).size
    return float(size * max(size - 1, 0).bit_length()), equation.traffic(), 0.0


def _fourier(equation: Equation) -> Costs:
    """Four fused multiply-adds per complex product, by the elements that go in."""
    size = equation.operand(0).size
    factors = math.prod(max(n, 1).bit_length() - 1 for n in equation.parameter("fft_lengths"))
    return 8.0 * size * factors, equation.traffic(), 0.0


_ONE_FLOP = """abs add add_any and ceil clamp clz complex div eq eq_to floor ge gt imag is_finite
    le le_to lt lt_to mul ne neg not or population_count real reduce_precision rem round shift_left
    shift_right_arithmetic shift_right_logical sub xor bitcast_convert_type"""
_ONE_REAL_FLOP = "max min square"
_ONE_TRANSCENDENTAL = """atan2 atan cbrt cos erf exp expm1 log log1p rsqrt sin sqrt tan tanh"""
_MOVES = """broadcast_in_dim concatenate copy copy_p device_put empty empty2 expand_dims iota
    optimization_barrier pad reshape rev squeeze stack transpose"""
FREE_PRIMITIVES = frozenset(
    {
        *("mesh_cast", "name", "num_programs", "pcast", "program_id", "pbroadcast", "pvary"),
        *("random_unwrap", "random_wrap", "stop_gradient"),
        "platform_index",
    }
)
"""They say something of a value, or read what is known: nothing runs for them."""
_PLACES = "freeze layout_constraint new_ref reshard sharding_constraint"
"""Where values lie: in the program of whole arrays nothing is computed or moved for them."""
_REDUCTIONS = "and or prod sum xor"
_PARTS = {"c64": "f32", "c128": "f64"}
_TAKEN_AS_THEY_ARE = {
    "F32_F32_F32": {"f32"},
    "F64_F64_F64": {"f64"},
    "BF16_BF16_F32": {"bf16", "f32"},
    "BF16_BF16_F32_X3": {"f32"},
    "BF16_BF16_F32_X6": {"f32"},
}
"""By algorithm of a product: the types that it neither makes of others nor makes others of."""

# FLOPs and transcendentals per element of what these are lowered to, the same since JAX 0.8 (the
# last two: since 0.12, which has them first).
_COMPOSITES = {
    "exp2": (1.0, 1.0),
    "logistic": (3.0, 1.0),
    "log2": (1.0, 1.0),
    "one_minus_square": (3.0, 0.0),
}

COMBINATIONS: Mapping[str, Callable[[Equation], int]] = {
    "reduce": _find_reduced,
    "reduce_window": _find_windowed,
    "scatter": _find_updates,
}
"""How often the function inside runs that combines two elements, beside what the rule counts."""

_RULES: dict[str, Rule] = {
    **{name: _elementwise(1.0, 0.0) for name in _ONE_FLOP.split()},
    **{name: _elementwise(0.0, 1.0) for name in _ONE_TRANSCENDENTAL.split()},
    **{name: _elementwise(*counts) for name, counts in _COMPOSITES.items()},
    **dict.fromkeys(_MOVES.split(), _move),
    **dict.fromkeys(_ONE_REAL_FLOP.split(), _real_elementwise),
    **{f"reduce_{name}": _reduction for name in _REDUCTIONS.split()},
    **dict.fromkeys(("reduce_max", "reduce_min"), _largest),
    **dict.fromkeys(("argmax", "argmin"), _argument_reduction),
    **dict.fromkeys(CUMULATIVE_PRIMITIVES, _cumulative),
    **{f"reduce_window_{name}": _window_reduction for name in ("sum", "max", "min")},
    "select_and_gather_add": _select_and_gather,
    "select_and_scatter_add": _select_and_scatter,
    **dict.fromkeys((*FREE_PRIMITIVES, *_PLACES.split()), _nothing),
    **{name: _scatter(1.0) for name in ("scatter-add", "scatter-sub", "scatter-mul")},
    **{name: _scatter(1.0) for name in ("scatter-min", "scatter-max")},
    "scatter": _scatter(0.0),
    **dict.fromkeys(("reduce", "reduce_window"), _move),
    "conj": _conjugate,
    "convert_element_type": _convert,
    "select_n": _select,
    "sign": _sign,
    "pow": _power,
    "integer_pow": _integer_power,
    "polynomial": _polynomial,
    "dot_general": _dot,
    "ragged_dot_general": _ragged_dot,
    "bcoo_dot_general": _sparse_dot,
    "bcoo_dot_general_sampled": _sampled_dot,
    "bcoo_todense": _sparse_to_dense,
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
    "random_bits": random_bits,
    "random_split": random_split,
    "random_fold_in": random_fold_in,
    "random_seed": random_seed,
    "threefry2x32": threefry,
    "rng_bit_generator": rng_bit_generator,
    "rng_uniform": rng_uniform,
    "cholesky": cholesky,
    "triangular_solve": triangular_solve,
    **dict.fromkeys(("psum", "psum2", "psum_invariant", "pmax", "pmin"), all_reduce),
    **dict.fromkeys(
        ("all_gather", "all_gather_invariant", "all_to_all", "ppermute", "reduce_scatter"), exchange
    ),
    "axis_index": axis_index,
    "get": get,
    "swap": swap,
    "addupdate": add_update,
    "fft": _fourier,
}
