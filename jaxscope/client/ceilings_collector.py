"""Collect the answers to `calibrate`, and keep what a machine reached."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np

from jaxscope.client.capture_messages import ShortText, read_message_fields
from jaxscope.client.lab_collectors import LabCollector
from jaxscope.client.timing_assemble import read_column
from jaxscope.model.capture import Environment
from jaxscope.model.roofline import Ceiling, Ceilings
from jaxscope.wire.messages import Message

_MAX_KEPT_BYTES = 100_000


class _CeilingFields(msgspec.Struct, frozen=True):
    name: Literal["matmul", "stream"]
    unit: Literal["FLOP", "bytes"]
    work: Annotated[float, msgspec.Meta(gt=0, lt=1e30)]
    protocol: ShortText


class CeilingsCollector(LabCollector):
    """Answers to `calibrate`."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._found: dict[str, Ceiling] = {}

    def take(self, message: Message) -> None:
        if message.type != "ceiling":
            return
        fields = read_message_fields(message, _CeilingFields)
        seconds = read_column(message, "seconds", np.float64)
        if not len(seconds) or not bool(np.all(np.isfinite(seconds) & (seconds > 0))):
            raise ValueError("the times of a ceiling are malformed")
        self._found[fields.name] = Ceiling(
            fields.name,
            fields.unit,
            fields.work / float(seconds.min()),
            fields.work / float(np.median(seconds)),
            len(seconds),
            fields.protocol,
        )

    def result(self) -> Ceilings:
        if not {"matmul", "stream"} <= self._found.keys():
            raise ValueError("the worker measured no ceilings")
        return Ceilings(
            self.environment, self._found["matmul"], self._found["stream"], tuple(self.warnings)
        )

    def is_empty(self) -> bool:
        return len(self._found) < 2


def store_ceilings(ceilings: Ceilings) -> None:
    """Keep what was measured for the next time; a folder that cannot be written is no failure."""
    path = _place(ceilings.environment)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}")
        draft.write_bytes(msgspec.json.encode(ceilings))
        draft.replace(path)
    except OSError:
        return


def stored_ceilings(environment: Environment) -> Ceilings | None:
    """What was measured before on the machine and device of an environment, or None."""
    path = _place(environment)
    try:
        if path.stat().st_size > _MAX_KEPT_BYTES:
            return None
        found = msgspec.json.decode(path.read_bytes(), type=Ceilings)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    known = found.arithmetic.best > 0 and found.bandwidth.best > 0
    return found if known and _key(found.environment) == _key(environment) else None


def _key(environment: Environment) -> tuple[str, str, str, str]:
    return environment.host, environment.platform, environment.device, environment.jaxlib


def _place(environment: Environment) -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    name = re.sub(r"[^\w.-]+", "-", "-".join(_key(environment)))[:150]
    return Path(base) / "jaxscope" / f"ceilings-{name}.json"
