"""The work of library calls that XLA does not count: matrix products of cuBLAS.

XLA writes into each call which dimensions are contracted; the rest follows from the types.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

import numpy as np

from jaxscope.analysis.value_sizes import bytes_of_type, num_elements
from jaxscope.model import Graph

_PRODUCTS = re.compile(r"__cublas\$(gemm|lt\$matmul.*)")
_CONTRACTED = re.compile(r'"lhs_contracting_dimensions":(\[[^\]]*\])')
_SHAPE = re.compile(r"[a-z]\w*\[([\d,]*)\]")


def is_product(attributes: Mapping[str, str]) -> bool:
    """Whether an instruction with these attributes calls a library for a matrix product."""
    return _PRODUCTS.fullmatch(attributes.get("custom_call_target", "")) is not None


def product_cost(graph: Graph, node: int) -> tuple[float, float] | None:
    """FLOPs and bytes of one run of a library's matrix product; None for any other node.

    Its second result is scratch space of unknown use, and counts nothing.
    """
    attributes = graph.attributes(node)
    if not is_product(attributes):
        return None
    contracted = _CONTRACTED.search(attributes.get("backend_config", ""))
    operands = [
        graph.row(graph.nodes.types, int(graph.edges.source[edge]))[int(graph.edges.output[edge])]
        for edge in np.flatnonzero(graph.edges.target == node)
    ]
    results = graph.row(graph.nodes.types, node)
    shape = _SHAPE.match(operands[0]) if operands else None
    if contracted is None or shape is None or not results:
        return None
    sizes = [float(size) for size in shape[1].split(",") if size]
    try:
        depth = math.prod(sizes[int(place)] for place in json.loads(contracted[1]))
    except (IndexError, ValueError):
        return None
    flops = 2.0 * depth * num_elements(results[0])
    return flops, sum(map(bytes_of_type, operands)) + bytes_of_type(results[0])
