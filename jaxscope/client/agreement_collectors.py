"""Collect the answers of `compare` and `agree`: two programs, two results."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Annotated

import msgspec

from jaxscope.client.capture_messages import ShortText
from jaxscope.client.events import Event, MeasurementArrived
from jaxscope.client.lab_collectors import LabCollector
from jaxscope.client.timing_assemble import TimingAssembler, read_text
from jaxscope.model.agreement import (
    Agreement,
    Comparison,
    EquationAgreement,
    LeafAgreement,
    ResultsAgreement,
)
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


class AgreementCollector(LabCollector):
    """Answers to `agree`."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._pairs: list[ResultsAgreement] = []
        self._equations = _EquationsFields("", 0, ())

    def take(self, message: Message) -> None:
        if message.type == "results":
            if len(self._pairs) >= 3:
                raise ValueError("more results than were asked for")
            self._pairs.append(msgspec.convert(dict(message.fields), _ResultsFields).to_model())
        elif message.type == "equations":
            self._equations = msgspec.convert(dict(message.fields), _EquationsFields)

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
        )

    def is_empty(self) -> bool:
        return not self._pairs


class ComparisonCollector(LabCollector):
    """Answers to `compare`: a timing of two programs, and whether they return the same."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._assembler = TimingAssembler(call)
        self._sides = ("first", "second")
        self._agreement = ResultsAgreement("first", "second", (), "They were not compared.")

    def feed(self, message: Message) -> Iterator[Event]:
        yield from super().feed(message)
        if message.type == "measurement":
            measurement = self._assembler.timing().measurement(str(message.fields.get("name")))
            if measurement is not None:
                yield MeasurementArrived(measurement)

    def take(self, message: Message) -> None:
        if message.type == "sides":
            self._sides = (read_text(message, "first"), read_text(message, "second"))
        elif message.type == "results":
            fields = msgspec.convert(dict(message.fields), _ResultsFields)
            self._agreement = fields.to_model()
        else:
            self._assembler.feed(message)

    def result(self) -> Comparison:
        timing = dataclasses.replace(
            self._assembler.timing(),
            call=self.call,
            environment=self.environment,
            warnings=tuple(self.warnings),
        )
        return Comparison(*self._sides, timing, self._agreement)

    def is_empty(self) -> bool:
        return not self._assembler.timing().measurements
