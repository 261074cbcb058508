"""Collect the answers to `remat`: what each policy keeps, computes and needs."""

from __future__ import annotations

import math
import re

import msgspec
import numpy as np

from jaxscope.analysis.cost import cost_equations
from jaxscope.analysis.cost.shares import By, share_out
from jaxscope.analysis.hlo.graph import convert_hlo
from jaxscope.analysis.memory.module_peak import find_module_peak
from jaxscope.analysis.memory.residuals import find_kept
from jaxscope.client.capture_messages import LongText, ShortText, Size, read_message_fields
from jaxscope.client.lab_collectors import LabCollector
from jaxscope.model import Cost, Stage, Unavailable
from jaxscope.model.graph_columns import graph_from_arrays
from jaxscope.model.op_name import TagTable
from jaxscope.model.remat import RematOutcome, RematPolicies
from jaxscope.wire.messages import Message

_MAX_POLICIES = 50


class _PolicyFields(msgspec.Struct, frozen=True):
    policy: ShortText
    seconds: float | None = None
    temporary_bytes: Size | None = None
    reason: LongText | None = None


class _SubjectFields(msgspec.Struct, frozen=True):
    text: LongText


class RematCollector(LabCollector):
    """Answers to `remat`."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._subject = ""
        self._outcomes: list[RematOutcome] = []

    def take(self, message: Message) -> None:
        if message.type == "remat_subject":
            self._subject = read_message_fields(message, _SubjectFields).text
        elif message.type == "remat_policy" and len(self._outcomes) < _MAX_POLICIES:
            self._outcomes.append(_read_outcome(message, self._release()))

    def _release(self) -> tuple[int, int]:
        found = re.match(r"(\d{1,4})\.(\d{1,4})", self.environment.jax)
        return (int(found[1]), int(found[2])) if found else (0, 0)

    def result(self) -> RematPolicies:
        if not self._outcomes:
            raise ValueError("the worker compiled no policy")
        return RematPolicies(
            self.call,
            self.environment,
            self._subject,
            tuple(self._outcomes),
            tuple(self.warnings),
        )

    def is_empty(self) -> bool:
        return not self._outcomes


def _read_outcome(message: Message, release: tuple[int, int]) -> RematOutcome:
    fields = read_message_fields(message, _PolicyFields)
    if fields.reason is not None:
        return RematOutcome(fields.policy, missing=Unavailable(fields.reason))
    graph = graph_from_arrays(message.arrays)
    stage = Stage("gradient", "", Unavailable("Not sent."), graph, Cost(), Unavailable("Not kept."))
    kept = find_kept(stage, graph)
    proto = message.arrays.get("proto")
    if proto is None or proto.dtype != np.uint8 or proto.ndim != 1:
        raise ValueError("a policy has no module")
    return RematOutcome(
        fields.policy,
        kept.num_bytes,
        len(kept.values),
        cost_equations(graph, release)[1].flops,
        _cost(message, proto.tobytes()),
        math.nan if fields.temporary_bytes is None else float(fields.temporary_bytes),
        find_module_peak(proto.tobytes(), estimates=False).scheduled_bytes,
        _seconds(fields.seconds),
    )


def _cost(message: Message, proto: bytes) -> Cost:
    """Work of one run, loops by their rounds; unknown where any part of it is."""
    costs = message.arrays.get("instruction_cost")
    graph = convert_hlo(proto, TagTable(), None, None, "optimized")
    if costs is None or costs.dtype != np.float64 or costs.shape != (len(graph.nodes), 3):
        return Cost()
    known = np.isfinite(costs) & (costs >= 0.0)
    shares = share_out(graph.replace_nodes(cost=np.where(known, costs, np.nan)), By.LINE)
    if any(share.num_unknown for share in shares.rows.values()):
        return Cost()
    return shares.total


def _seconds(value: float | None) -> float:
    return value if value is not None and math.isfinite(value) and value >= 0 else math.nan
