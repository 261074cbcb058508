"""Collect the answers to `recompile`: signatures, how often each was called, what came besides."""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated

import msgspec

from jaxscope.analysis.recompilation import advise, wasted_seconds
from jaxscope.client.capture_messages import ShortText
from jaxscope.client.lab_collectors import MAX_ENTRIES, LabCollector, read_names
from jaxscope.client.timing_assemble import MalformedTiming
from jaxscope.model.recompilation import (
    KeyChange,
    OutsideCompilation,
    Recompilation,
    Signature,
)
from jaxscope.wire.messages import Message


class RecompilationCollector(LabCollector):
    """Answers to `recompile`."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._calls: tuple[str, ...] = ()
        self._signatures: list[Signature] = []
        self._outside: tuple[OutsideCompilation, ...] = ()

    def take(self, message: Message) -> None:
        if message.type == "sequence":
            self._calls = tuple(read_names(message, "calls"))
        elif message.type == "signature":
            fields = msgspec.convert(dict(message.fields), _SignatureFields)
            if fields.number != len(self._signatures) or fields.number >= MAX_ENTRIES:
                raise MalformedTiming("signatures are not numbered in order")
            if fields.nearest is not None and fields.nearest >= fields.number:
                raise MalformedTiming("a signature is compared with a later one")
            self._signatures.append(fields.to_model())
        elif message.type == "signature_calls":
            counts = message.fields.get("counts")
            if not isinstance(counts, list) or len(counts) != len(self._signatures):
                raise MalformedTiming("the counts of calls are malformed")
            if not all(isinstance(n, int) and n >= 1 for n in counts):
                raise MalformedTiming("a signature without a call")
            self._signatures = [
                dataclasses.replace(signature, num_calls=count)
                for signature, count in zip(self._signatures, counts, strict=True)
            ]

        elif message.type == "outside":
            programs = msgspec.convert(message.fields.get("programs"), _Programs)
            found = [OutsideCompilation(*program) for program in programs]
            self._outside = tuple(sorted(found, key=lambda program: -program.seconds))

    def result(self) -> Recompilation:
        return Recompilation(
            self.call,
            self.environment,
            self._calls,
            tuple(self._signatures),
            wasted_seconds(self._signatures, self._outside),
            advise(self._signatures, self._outside),
            tuple(self.warnings),
            self._outside,
        )

    def is_empty(self) -> bool:
        return not self._signatures


_Programs = Annotated[
    tuple[
        tuple[
            ShortText,
            Annotated[int, msgspec.Meta(ge=1)],
            Annotated[float, msgspec.Meta(ge=0)],
        ],
        ...,
    ],
    msgspec.Meta(max_length=10_000),
]
"""Name, number and seconds of each."""


class _SignatureFields(msgspec.Struct, frozen=True):
    number: Annotated[int, msgspec.Meta(ge=0)]
    function: ShortText
    place: ShortText
    call: ShortText
    arguments: Annotated[tuple[ShortText, ...], msgspec.Meta(max_length=10_000)]
    nearest: Annotated[int, msgspec.Meta(ge=0)] | None
    changes: Annotated[
        tuple[tuple[ShortText, ShortText, ShortText, ShortText], ...],
        msgspec.Meta(max_length=10_000),
    ]
    trace: Annotated[float, msgspec.Meta(ge=0)] | None
    lower: Annotated[float, msgspec.Meta(ge=0)] | None
    compile: Annotated[float, msgspec.Meta(ge=0)] | None
    is_from_cache: bool
    jax_says: ShortText
    agrees: bool | None

    def to_model(self) -> Signature:
        return Signature(
            self.number,
            self.function,
            self.place,
            self.call,
            self.arguments,
            self.nearest,
            tuple(KeyChange(*change) for change in self.changes),
            math.nan if self.trace is None else self.trace,
            math.nan if self.lower is None else self.lower,
            math.nan if self.compile is None else self.compile,
            self.is_from_cache,
            1,
            self.jax_says,
            self.agrees,
        )
