"""FLOPs of a convolution: padding and holes of dilation do no work."""

from __future__ import annotations

import ast
import re
from typing import Any

from jaxscope.analysis.cost.equation import Equation

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
