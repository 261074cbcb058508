"""XLA's own log of fusing on GPUs: what it weighed, what it fused, what it refused, and why.

The pass `priority-fusion` writes it where it is asked to dump: the text form of a
`FusionProcessDumpProto` (xla/service/gpu/fusion_process_dump.proto), one `fusion_steps` for each
step. Times are XLA's estimates in microseconds, not measurements. Other compilers write none.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture
from jaxscope.model.said import say, say_count, say_joined
from jaxscope.program.passes.snapshot import Snapshot, SnapshotReader

PASS = "priority-fusion"
MAX_LOG_CHARS = 16 << 20
NO_LOG = say(
    "XLA wrote no log of its decisions: only the pass priority-fusion of GPUs does. Why two "
    "kernels are not one is inferred from listed rules, and said to be."
)
UNLINKED = say(
    "Record the passes to link this log to equations: it names instructions by that pass."
)
_MAX_STEPS = 200_000
_OPEN = re.compile(r"(\w+)\s*:?\s*\{")
_FIELD = re.compile(r'(\w+)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))')
_ESCAPED = re.compile(r"\\(.)")


class Verdict(enum.Enum):
    """What a step of the log says."""

    FUSED = "fused"
    ESTIMATED = "estimated"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Decision:
    """One step of the log.

    Attributes:
        verdict: Whether it fused, weighed or refused.
        producer: Name of the instruction that makes the value.
        consumers: Names of those that read it; empty for a refusal.
        fusion: Name of the fusion that came of it; empty unless fused.
        us_fused: Estimated microseconds as one kernel; NaN where none was made.
        us_unfused: The same apart.
        reason: Why it refused, in XLA's words.
    """

    verdict: Verdict
    producer: str
    consumers: tuple[str, ...] = ()
    fusion: str = ""
    us_fused: float = math.nan
    us_unfused: float = math.nan
    reason: str = ""

    @property
    def text(self) -> str:
        """In one sentence."""
        into = ", ".join(self.consumers)
        if self.verdict is Verdict.REFUSED:
            reason = self.reason or say("no reason was written")
            return say("{name} was not fused: {reason}.", name=self.producer, reason=reason)
        names = {"name": self.producer, "into": into}
        if self.verdict is Verdict.FUSED:
            return say("{name} was fused into {into}, as {fusion}.", **names, fusion=self.fusion)
        pays = self.us_fused < self.us_unfused
        return say(
            "XLA estimated {fused:g} µs with {name} fused into {into} and {apart:g} µs apart, "
            "{better}.",
            **names,
            fused=self.us_fused,
            apart=self.us_unfused,
            better=say("which pays") if pays else say("which does not pay"),
        )


@dataclass(frozen=True, eq=False, slots=True)
class FusionLog:
    """All steps of one compilation.

    Attributes:
        decisions: In the order in which XLA made them.
        equations: Ids of the equations whose results an instruction of the log made, by its name.
    """

    decisions: tuple[Decision, ...]
    equations: Mapping[str, frozenset[str]]

    def between(self, made: Collection[str], read: Collection[str]) -> Decision | None:
        """Why XLA, in its own words, did not fuse a kernel into one that reads what it makes.

        Args:
            made: Equations whose results the first makes.
            read: Equations whose results the second makes.

        Returns:
            The last refusal, or the last estimate by which fusing did not pay; None where the log
            has neither, as where the two were once one candidate and the log went on.
        """
        wanted = frozenset(made), frozenset(read)
        for decision in reversed(self.decisions):
            if decision.verdict is Verdict.FUSED or not self._held(decision.producer) & wanted[0]:
                continue
            readers = frozenset().union(*(self._held(name) for name in decision.consumers))
            if decision.verdict is Verdict.REFUSED:
                return decision
            if readers & wanted[1]:
                return decision if decision.us_fused >= decision.us_unfused else None
        return None

    def _held(self, name: str) -> frozenset[str]:
        return self.equations.get(name, frozenset())


def read_fusion_log(capture: Capture) -> FusionLog | None:
    """The log of a capture's compilation; None where XLA wrote none."""
    if not capture.fusion_log:
        return None
    decisions = tuple(parse_log(capture.fusion_log))
    return FusionLog(decisions, _equations(capture, decisions)) if decisions else None


def parse_log(text: str) -> Iterator[Decision]:
    """Read the text form of the log; steps that are not understood are passed over."""
    path: list[str] = []
    fields: dict[str, list[str]] = {}
    num_steps = 0
    for line in text[:MAX_LOG_CHARS].splitlines():
        stripped = line.strip()
        opened, field = _OPEN.fullmatch(stripped), _FIELD.fullmatch(stripped)
        if opened is not None:
            path.append(opened[1])
            if len(path) == 2:
                fields = {}
        elif stripped == "}" and path:
            closed = path.pop()
            if path == ["fusion_steps"]:
                step = _step(closed, fields)
                num_steps += 1
                if step is not None:
                    yield step
                if num_steps >= _MAX_STEPS:
                    return
        elif field is not None and path[:1] == ["fusion_steps"] and len(path) == 2:
            value = field[3] if field[2] is None else _ESCAPED.sub(r"\1", field[2])
            fields.setdefault(field[1], []).append(value)


def _step(kind: str, fields: Mapping[str, list[str]]) -> Decision | None:
    producer = fields.get("producer_name", [""])[0]
    if not producer:
        return None
    if kind == "producer_ineligible":
        reason = fields.get("reason", [""])[0].strip().rstrip(".")
        return Decision(Verdict.REFUSED, producer, reason=reason)
    if kind == "fusion":
        consumers, fusion = fields.get("consumer_name", []), fields.get("fusion_name", [""])[0]
        return Decision(Verdict.FUSED, producer, tuple(consumers), fusion)
    if kind == "update_priority":
        times = [_number(fields.get(name, ["0"])[0]) for name in ("us_fused", "us_unfused")]
        consumers = fields.get("consumer_names", [])
        return Decision(Verdict.ESTIMATED, producer, tuple(consumers), "", times[0], times[1])
    return None


def _number(text: str) -> float:
    """A number as text protos have it; a field that is left out is zero there."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _equations(capture: Capture, decisions: tuple[Decision, ...]) -> dict[str, frozenset[str]]:
    """Of which equations each name made the results when the pass met it.

    What a fusion makes is what the last of its instructions makes: that of the consumer.
    """
    snapshot = _before_the_pass(capture)
    if snapshot is None:
        return {}
    held = {name: frozenset(row.tags) for name, row in snapshot.rows.items()}
    for decision in decisions:
        if decision.verdict is Verdict.FUSED and len(decision.consumers) == 1:
            held[decision.fusion] = held.get(decision.consumers[0], frozenset())
    return held


def _before_the_pass(capture: Capture) -> Snapshot | None:
    records = capture.passes
    place = next((n for n, record in enumerate(records) if record.name == PASS), 0)
    try:
        proto = records[place - 1].module() if place else b""
        return SnapshotReader(capture.pass_tags).read(proto) if proto else None
    except ValueError:
        return None


def describe_log(log: FusionLog) -> str:
    """How many steps of which kind, what the times are, and whether equations are linked."""
    counts = {v: sum(d.verdict is v for d in log.decisions) for v in Verdict}
    told = say(
        "{producers} fused, {refusals}, {estimates}. Times are those that XLA's model of the chip "
        "estimates, in microseconds; nothing was measured.",
        producers=say_count(counts[Verdict.FUSED], "producer"),
        refusals=say_count(counts[Verdict.REFUSED], "refusal"),
        estimates=say_count(counts[Verdict.ESTIMATED], "estimate"),
    )
    return told if log.equations else say_joined((told, UNLINKED))


def decision_to_json(decision: Decision) -> dict[str, Any]:
    """A decision as plain data; null is unknown."""
    return {
        "verdict": decision.verdict.value,
        "producer": decision.producer,
        "consumers": list(decision.consumers),
        "fusion": decision.fusion or None,
        "us_fused": None if math.isnan(decision.us_fused) else decision.us_fused,
        "us_unfused": None if math.isnan(decision.us_unfused) else decision.us_unfused,
        "reason": decision.reason or None,
    }
