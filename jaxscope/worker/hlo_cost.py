"""Cost of HLO modules and of their single instructions, by XLA's own analysis.

The same analysis serves every module: before and after optimization, for any target. XLA counts
the body of a loop once; whoever shows a loop's cost must say so. Where XLA knows no cost (custom
calls) it says -1, adds that up, and marks the sum by a negative `optimal_seconds`: such results
are unknown here, unless all the custom calls are marks of how arrays are sharded, which JAX puts
beside every random key and which do nothing.
"""

from __future__ import annotations

import math
import re
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.worker import compat
from jaxscope.worker.hlo_slices import Key, SlicedModule

Costs = tuple[float, float, float]
"""FLOPs, bytes accessed, transcendentals; NaN where unknown."""

UNKNOWN: Costs = (math.nan, math.nan, math.nan)
_FREE: Costs = (0.0, 0.0, 0.0)
_FREE_OPCODES = frozenset({b"parameter", b"constant", b"get-tuple-element", b"bitcast"})
"""XLA counts nothing for these, whatever their shapes; a test asks it."""

_MARKS = frozenset(
    [
        b"Sharding",
        b"SPMDFullToShardShape",
        b"SPMDShardToFullShape",
        b"xla.sdy.FuncResultSharding",
        b"xla.sdy.GlobalToLocalShape",
        b"xla.sdy.LocalToGlobalShape",
    ]
)
_CUSTOM_CALL_TARGET = re.compile(rb"\xe2\x01(.)", re.DOTALL)
"""Field 28 of an `HloInstructionProto`, `custom_call_target`: its tag and a length of one byte."""

_PROPERTIES = ("flops", "bytes accessed", "transcendentals")


def module_cost(client: Any, hlo_module_proto: Any) -> Costs:
    """Cost of a whole module; unknown if the analysis fails or meets what it cannot count.

    Args:
        client: A client of the CPU backend.
        hlo_module_proto: A serialized `HloModuleProto`, or jaxlib's `HloModule`.
    """
    try:
        module = (
            compat.parse_hlo_module(hlo_module_proto)
            if isinstance(hlo_module_proto, bytes)
            else hlo_module_proto
        )
        properties = compat.hlo_cost_properties(client, module)
    except Exception:  # jaxlib's own error classes differ by release; none may cost the capture
        return UNKNOWN
    flops, accessed, transcendentals = (float(properties.get(name, 0.0)) for name in _PROPERTIES)
    num_uncounted = -properties.get("optimal_seconds", 0.0)
    if num_uncounted > 0.0:
        if not _has_only_marks(module):
            return UNKNOWN
        flops, accessed = flops + num_uncounted, accessed + num_uncounted
    return (_known(flops), _known(accessed), _known(transcendentals))


def _has_only_marks(module: Any) -> bool:
    """Whether every custom call of a module does nothing; bytes that look like another count."""
    data: bytes = module.as_serialized_hlo_module_proto()
    targets = (
        data[found.end() : found.end() + found[1][0]]
        for found in _CUSTOM_CALL_TARGET.finditer(data)
    )
    return all(target in _MARKS for target in targets)


def instruction_costs(
    proto: bytes, *, client: Any = None, budget_s: float = 2.0
) -> npt.NDArray[np.float64]:
    """Cost of every instruction, in the proto's order: its computations, their instructions.

    An instruction that calls computations includes them: the rows of the entry computation add
    up to the module's cost, and the rows of inner computations are not to be added to them.

    Args:
        proto: A serialized `HloModuleProto`.
        client: A client of the CPU backend; by default the process's own.
        budget_s: Seconds of this thread's processor time after which the instructions not seen
            yet stay unknown; wall time would charge it for a compilation beside it. The entry
            computation's instructions are analysed first.

    Returns:
        float64, shape `(num_instructions, 3)`; NaN where unknown.

    Raises:
        ValueError: The bytes are no HLO module.
    """
    deadline = time.thread_time() + budget_s
    module = SlicedModule(proto)
    if client is None:
        client = compat.cpu_client()
    known: dict[Key, Costs] = {}
    rows = list(module.instructions())
    costs: list[Costs] = [UNKNOWN] * len(rows)
    for row in sorted(range(len(rows)), key=lambda row: rows[row][0] != module.entry_id):
        if module.opcode(*rows[row]) in _FREE_OPCODES:
            costs[row] = _FREE
            continue
        try:
            key = module.key(*rows[row])
            cost = known.get(key)
            if cost is None:
                if time.thread_time() > deadline:
                    break
                cost = known[key] = module_cost(client, module.slice(*rows[row]))
        except ValueError:  # it refers to what is not there
            continue
        costs[row] = cost
    return np.array(costs, np.float64).reshape(-1, 3)


def _known(value: float) -> float:
    return value if value >= 0.0 else math.nan
