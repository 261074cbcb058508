"""Captures of real programs, and the messages that they were put together from."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from jaxscope.client.capture_assembler import CaptureAssembler
from jaxscope.model import (
    Capture,
    Check,
    Environment,
    Fate,
    Measurement,
    Proof,
    Ratio,
    Severity,
    Timing,
)
from jaxscope.wire.messages import Message
from jaxscope.worker.channel import Channel
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.source import read_source
from jaxscope.worker.stages.capture import send_capture

X = jnp.ones((4, 8))
W = jnp.ones((8, 8))


def loss(w: Any, x: Any) -> Any:
    """A scan in a named scope: nested jaxprs, a loop, fusions."""
    with jax.named_scope("layers"):
        y, _ = jax.lax.scan(lambda c, _: (jnp.tanh(c @ w) * 0.5, None), x, None, length=3)
    return jnp.sum(jax.nn.softmax(y) ** 2)


class Recorder(Channel):
    """A channel that keeps what is sent."""

    def __init__(self) -> None:
        super().__init__(-1)
        self.messages: list[Message] = []

    def send(
        self, type: str, fields: Mapping[str, Any], arrays: Mapping[str, Any] | None = None
    ) -> None:
        self.messages.append(Message(type, {"run": "7", **fields}, dict(arrays or {})))


def record(function: Callable[..., Any], *arguments: Any) -> tuple[Message, ...]:
    """Everything that a worker says of one call."""
    recorder = Recorder()
    call = Call(
        text="loss(w, x)",
        base_text="loss",
        base=function,
        levels=(),
        args=arguments,
        kwargs={},
    )
    send_capture({"target": "cpu"}, recorder, read_source(__file__), call)
    recorder.send("done", {"wall_seconds": 1.5})
    return tuple(recorder.messages)


_recorded = functools.cache(lambda: record(loss, W, X))


def messages() -> tuple[Message, ...]:
    """Messages of one capture of `loss`; who reads them takes their arrays out."""
    return tuple(dataclasses.replace(m, arrays=dict(m.arrays)) for m in _recorded())


def assemble(sent: tuple[Message, ...]) -> Capture:
    """The capture that these messages make."""
    assembler = CaptureAssembler()
    for message in sent:
        assembler.feed(message)
    return assembler.capture()


FUSED = Fate(
    "fused",
    "fusion",
    ("f.1",),
    ("1",),
    certainty="proven",
    proof=Proof(22, "fusion", ("a.1",), ("b.2",)),
)


@functools.cache
def capture() -> Capture:
    """A complete capture of `loss`, with findings and fates."""
    return dataclasses.replace(
        assemble(messages()),
        fates={"0": FUSED, "1": Fate("unknown")},
        checks=(Check("rule", Severity.WARNING, "What.", "Do.", file="/f.py", line=3),),
        messages=("One message.",),
    )


TIMING = Timing(
    call="loss(w, x)",
    environment=Environment("0.1", "0.1", "3.11", "cpu", "cpu:0", "here", "2026-01-01"),
    measurements=(
        Measurement(
            "jit", 1e-3, 0.9e-3, float("nan"), float("nan"), 3, (1e-3, 2e-3), True, reasons=("r",)
        ),
    ),
    ratios=(Ratio("eager/jit", 2.0, 1.9, 2.1, "faster"),),
    warnings=("Noisy.",),
)
