"""How many operations an equation takes, roughly: what only prices a finding."""

from __future__ import annotations

import math

from jaxscope.worker.checks.dataflow import Site


def count_work(site: Site) -> float:
    """Multiplications and additions of products, else elements; in a loop once for each round."""
    each = float(max((value.size for value in (*site.inputs, *site.outputs)), default=0))
    if site.name == "dot_general":
        (contracted, _), _ = site.equation.params["dimension_numbers"]
        depth = math.prod(site.inputs[0].shape[axis] for axis in contracted)
        each = 2.0 * site.outputs[0].size * depth
    for loop in site.loops():
        each *= num_rounds(loop) or 1
    return each


def num_rounds(loop: Site) -> int | None:
    """How often a loop runs; None where that depends on values."""
    length = loop.equation.params.get("length") if loop.name == "scan" else None
    return None if length is None else int(length)
