"""Collect the answers of `compare`, `side` and `agree`: two programs, two results."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from jaxscope.client.capture_messages import ShortText
from jaxscope.client.events import (
    BlockMeasured,
    Event,
    MeasurementArrived,
    OutcomeArrived,
    ResultsCompared,
    SideEnded,
    SideReady,
)
from jaxscope.client.lab_collectors import LabCollector, read_matrix, read_number
from jaxscope.client.timing_assemble import TimingAssembler, read_text
from jaxscope.client.work_reading import read_cost
from jaxscope.model.agreement import (
    Agreement,
    Comparison,
    EquationAgreement,
    LeafAgreement,
    Origin,
    ProgramCost,
    ResultsAgreement,
    Trial,
)
from jaxscope.model.timing import Timing
from jaxscope.model.unavailable import Unavailable
from jaxscope.wire.messages import Message

_Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Size = Annotated[float, msgspec.Meta(ge=0)]


class _LeafFields(msgspec.Struct, frozen=True):
    path: ShortText
    type: ShortText
    count: _Count
    differing: _Count
    max_ulp: _Size | None
    max_absolute: _Size | None
    max_relative: _Size | None
    index: ShortText
    first: ShortText
    second: ShortText
    num_nan: _Count

    def to_model(self) -> LeafAgreement:
        return LeafAgreement(
            self.path,
            self.type,
            self.count,
            self.differing,
            math.nan if self.max_ulp is None else self.max_ulp,
            math.nan if self.max_absolute is None else self.max_absolute,
            math.nan if self.max_relative is None else self.max_relative,
            self.index,
            self.first,
            self.second,
            self.num_nan,
        )


class _ResultsFields(msgspec.Struct, frozen=True):
    first: ShortText
    second: ShortText
    leaves: Annotated[tuple[_LeafFields, ...], msgspec.Meta(max_length=10_000)]
    reason: ShortText = ""

    def to_model(self) -> ResultsAgreement:
        leaves = tuple(leaf.to_model() for leaf in self.leaves)
        return ResultsAgreement(self.first, self.second, leaves, self.reason)


def read_results(message: Message) -> ResultsAgreement:
    """How well two results agree.

    Raises:
        ValueError: The message is malformed.
    """
    return msgspec.convert(dict(message.fields), _ResultsFields).to_model()


class _EquationFields(msgspec.Struct, frozen=True):
    id: ShortText
    operation: ShortText
    place: ShortText
    worst: _LeafFields
    inputs_equal: bool


class _EquationsFields(msgspec.Struct, frozen=True):
    stage: ShortText
    num_equations: _Count
    equations: Annotated[tuple[_EquationFields, ...], msgspec.Meta(max_length=10_000)]


class _TrialFields(msgspec.Struct, frozen=True):
    what: ShortText
    option: ShortText
    outcome: Literal["equal", "both", "unchanged", "changed", "failed"]
    reason: ShortText
    whole: Literal["", "equal", "unchanged", "changed", "failed"] = ""

    def to_model(self) -> Trial:
        return Trial(self.what, self.option, self.outcome, self.reason, self.whole)


class _OriginFields(msgspec.Struct, frozen=True):
    equations: Annotated[tuple[ShortText, ...], msgspec.Meta(min_length=1, max_length=10_000)]
    operations: Annotated[tuple[ShortText, ...], msgspec.Meta(min_length=1, max_length=10_000)]
    place: ShortText
    worst: _LeafFields
    is_least: bool
    fusions: Annotated[tuple[ShortText, ...], msgspec.Meta(max_length=10_000)]
    trials: Annotated[tuple[_TrialFields, ...], msgspec.Meta(max_length=1_000)]
    num_compiled: _Count
    reason: ShortText

    def to_model(self) -> Origin:
        return Origin(
            self.equations,
            self.operations,
            self.place,
            self.worst.to_model(),
            self.is_least,
            self.fusions,
            tuple(trial.to_model() for trial in self.trials),
            self.num_compiled,
            self.reason,
        )


class AgreementCollector(LabCollector):
    """Answers to `agree`."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._pairs: list[ResultsAgreement] = []
        self._equations = _EquationsFields("", 0, ())
        self._origin: Origin | Unavailable = Unavailable("It was not looked for.")

    def take(self, message: Message) -> None:
        if message.type == "results":
            if len(self._pairs) >= 3:
                raise ValueError("more results than were asked for")
            self._pairs.append(read_results(message))
        elif message.type == "equations":
            self._equations = msgspec.convert(dict(message.fields), _EquationsFields)
        elif message.type == "origin":
            self._origin = msgspec.convert(dict(message.fields), _OriginFields).to_model()
        elif message.type == "origin_missing":
            self._origin = Unavailable(read_text(message, "reason"))

    def result(self) -> Agreement:
        found = self._equations
        return Agreement(
            self.call,
            self.environment,
            tuple(self._pairs),
            found.stage,
            tuple(
                EquationAgreement(e.id, e.operation, e.place, e.worst.to_model(), e.inputs_equal)
                for e in found.equations
            ),
            found.num_equations,
            tuple(self.warnings),
            self._origin,
        )

    def is_empty(self) -> bool:
        return not self._pairs


class ComparisonCollector(LabCollector):
    """Answers to `compare`: a timing of two programs, and whether they return the same."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._assembler = TimingAssembler(call)
        self._sides = ("first", "second")
        self._costs = (ProgramCost(), ProgramCost())
        self._agreement = ResultsAgreement("first", "second", (), "They were not compared.")

    def feed(self, message: Message) -> Iterator[Event]:
        yield from super().feed(message)
        if message.type in {"timed", "conditions"}:
            self._assembler.feed(message)
        if message.type == "measurement":
            measurement = self._assembler.timing().measurement(str(message.fields.get("name")))
            if measurement is not None:
                yield MeasurementArrived(measurement)

    def take(self, message: Message) -> None:
        if message.type == "costs":
            first, second = (
                read_cost(message, message.fields.get(name), f"{name}.")
                for name in ("first", "second")
            )
            self._costs = (first, second)
        elif message.type == "sides":
            self._sides = (read_text(message, "first"), read_text(message, "second"))
        elif message.type == "results":
            self._agreement = read_results(message)
        else:
            self._assembler.feed(message)

    def result(self) -> Comparison:
        timing = dataclasses.replace(
            self._assembler.timing(),
            call=self.call,
            environment=self.environment,
            warnings=tuple(self.warnings),
        )
        first_cost, second_cost = self._costs
        return Comparison(*self._sides, timing, self._agreement, first_cost, second_cost)

    def is_empty(self) -> bool:
        return not self._assembler.timing().measurements


class SideCollector(LabCollector):
    """Answers to `side`: what the client's conductor needs passes through as events."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._assembler = TimingAssembler(call)

    def feed(self, message: Message) -> Iterator[Event]:
        yield from super().feed(message)
        if message.type in {"timed", "conditions"}:
            self._assembler.feed(message)
        match message.type:
            case "side_ready":
                yield SideReady(
                    read_text(message, "words"),
                    max(read_number(message, "typical_s"), 1e-9),
                    message.fields.get("is_consuming") is True,
                    read_cost(message, dict(message.fields)),
                    message.fields.get("is_judged") is not False,
                )
            case "block":
                reason, seconds = read_text(message, "reason"), message.arrays.get("seconds")
                if seconds is None or not (reason or len(seconds)):
                    raise ValueError("a block has no durations")
                durations = read_matrix(message, "seconds", (len(seconds),))
                count = message.fields.get("num_compilations")
                yield BlockMeasured(durations, reason, count if isinstance(count, int) else 0)
            case "outcome":
                yield OutcomeArrived(message)
            case "results":
                yield ResultsCompared(read_results(message))
            case "side_end":
                yield SideEnded()

    def take(self, message: Message) -> None:
        if message.type == "measurement":
            self._assembler.feed(message)

    def result(self) -> Timing:
        return dataclasses.replace(
            self._assembler.timing(),
            call=self.call,
            environment=self.environment,
            warnings=tuple(self.warnings),
        )

    def is_empty(self) -> bool:
        return not self._assembler.timing().measurements
