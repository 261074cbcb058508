"""Put the messages `pass` and `passes_end` together: the stage `passes` and what it knows."""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxscope.analysis.fates import Step
from jaxscope.analysis.passes import Passes, PassRecorder, list_passes
from jaxscope.client.capture_messages import PassesEndFields, PassFields, read_message_fields
from jaxscope.model import Cost, Stage, StageText, Unavailable
from jaxscope.model.op_name import TagTable
from jaxscope.wire.messages import Message

_NO_GRAPH = Unavailable("The passes are a list; each has its own text.", "passes")
_STAGE = "passes"


class PassesAssembler:
    """Takes the modules after each pass as they arrive, and keeps one of them at a time."""

    def __init__(self) -> None:
        self._recorder: PassRecorder | None = None
        self.passes = Passes()

    def feed(self, message: Message, tags: TagTable, proto: bytes, stage: str = "") -> None:
        """Take a `pass`.

        Args:
            message: The message.
            tags: What the tags in the names of operations stand for.
            proto: Its bytes.
            stage: Name of the last jaxpr-level stage, if it is not the base function's.

        Raises:
            ValueError: The message is malformed.
        """
        fields = read_message_fields(message, PassFields)
        if self._recorder is None:
            self._recorder = PassRecorder(tags, stage)
        step = Step(fields.number, fields.name, fields.pipeline)
        self._recorder.feed(step, proto, fields.module_cost())

    def finish(self, message: Message) -> Stage:
        """Take the `passes_end`; returns the stage.

        Raises:
            ValueError: The message is malformed.
        """
        fields = read_message_fields(message, PassesEndFields)
        if self._recorder is not None:
            self.passes = self._recorder.result(fields.reason, _seconds_of(message))
            self.passes = dataclasses.replace(self.passes, no_times=fields.no_times or "")
        records = self.passes.records
        missing = None
        if not records:
            reason = fields.reason or "XLA wrote down no passes on this platform."
            missing = Unavailable(reason, _STAGE)
        return Stage(
            name=_STAGE,
            title="XLA's passes",
            text=missing or StageText.plain(list_passes(self.passes)),
            graph=missing or _NO_GRAPH,
            cost=records[-1].cost if records else Cost(),
            seconds=max(fields.seconds, 0.0),
            unavailable=missing,
        )


def _seconds_of(message: Message) -> list[float]:
    """Seconds of each pass that was sent; NaN where unknown, and none if the column is none."""
    column = message.arrays.get("pass_seconds")
    if column is None or column.dtype != np.float64 or column.ndim != 1:
        return []
    known = np.isfinite(column) & (column >= 0.0)
    return list(map(float, np.where(known, column, np.nan)))
