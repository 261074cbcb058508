"""Frames, of workers and of the stream between a client and its supervisor. Standard library only.

A worker's are `u32 little-endian length, u8 kind, payload`. Every frame is at most
`MAX_FRAME_BYTES`; larger data is cut into several. A reader treats any violation as a dead peer: it
never tries to find the next frame in garbage.

Between client and supervisor every frame is `u32 little-endian length, u8 kind, u32 run number,
payload`. Frames of workers pass through unchanged under the number that the client gave the run;
frames of the kind `CONTROL` are JSON between client and supervisor themselves. The supervisor
writes a line of its own first: a remote shell may print a greeting, and the reader skips to that
line.

Client to supervisor:  {"op": "start", "python", "environment", "timeout_s", "memory_bytes",
                       "spare": "now" | "later" | "never"}, then the request as the worker's own
                       frames. The next spare worker starts beside the run, after it or not at all;
                       {"op": "interrupt" | "skip" | "kill" | "finish"};
                       {"op": "prepare", "python", "environment"} with run number 0;
                       {"op": "ping", "id"} with run number 0: answered by "pong".
Supervisor to client:  {"event": "started", "pid"}, again where another worker takes over;
                       {"event": "pong", "id", "runs"} with run number 0: runs that go on;
                       {"event": "output", "stream", "text", "lines"}, with the number
                       of lines that ended, those that were left out of the text counted in;
                       {"event": "silent", "seconds", "stack", "state"}; {"event": "responding"};
                       {"event": "ended", "reason", …}, see `supervisor.worker_process`.
"""

from __future__ import annotations

import contextlib
import enum
import json
import struct
import sys
from collections.abc import Callable, Iterator
from typing import Any

MAX_FRAME_BYTES = 1 << 20
HEADER = struct.Struct("<IB")
GREETING = b"jaxscope-supervisor 1\n"
CONTROL = 16
_RELAYED_HEADER = struct.Struct("<IBI")


class FrameKind(enum.IntEnum):
    """What the payload is."""

    HEADER = 1
    """A JSON object; starts a message."""
    BLOB = 2
    """The next piece of the message's arrays."""


class FrameError(ValueError):
    """The peer sent something that is no frame."""


def encode_frame(kind: FrameKind, payload: bytes | memoryview) -> bytes:
    """Put a header before a payload.

    Raises:
        ValueError: The payload is larger than `MAX_FRAME_BYTES`.
    """
    if len(payload) > MAX_FRAME_BYTES:
        raise ValueError(f"a frame holds at most {MAX_FRAME_BYTES} bytes, not {len(payload)}")
    return HEADER.pack(len(payload), kind) + bytes(payload)


def read_frame(read_exactly: Callable[[int], bytes]) -> tuple[FrameKind, bytes]:
    """Read one frame through a function that returns exactly so many bytes or raises EOFError.

    Raises:
        EOFError: The stream ended.
        FrameError: The header is impossible.
    """
    length, kind = HEADER.unpack(read_exactly(HEADER.size))
    if length > MAX_FRAME_BYTES:
        raise FrameError(f"a frame of {length} bytes was announced")
    try:
        known = FrameKind(kind)
    except ValueError:
        raise FrameError(f"a frame of kind {kind} was announced") from None
    return known, read_exactly(length)


def widen_pipe(descriptor: int) -> None:
    """Let a pipe hold a whole frame, where the system can and the person may.

    Linux gives one 64 KiB: 100 MB through it wake both of its ends thousands of times.
    """
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, MAX_FRAME_BYTES)


# The stream between client and supervisor.

_WORKER_KINDS = frozenset(int(kind) for kind in FrameKind)


def encode(kind: int, number: int, payload: bytes) -> bytes:
    """One frame of the stream between client and supervisor."""
    return _RELAYED_HEADER.pack(len(payload), kind, number) + payload


def encode_control(number: int, values: dict[str, Any]) -> bytes:
    """A `CONTROL` frame. The values must fit in a frame."""
    return encode(CONTROL, number, json.dumps(values).encode("ascii"))


def decode_control(payload: bytes) -> dict[str, Any]:
    """The values of a `CONTROL` frame.

    Raises:
        FrameError: The payload is no JSON object.
    """
    try:
        values = json.loads(payload)
    except (ValueError, RecursionError):
        raise FrameError("a control frame is not JSON") from None
    if not isinstance(values, dict):
        raise FrameError("a control frame is not an object")
    return values


class FrameSplitter:
    """Cuts a stream of bytes, in whatever pieces it arrives, into frames."""

    def __init__(self, header: struct.Struct, kinds: frozenset[int]) -> None:
        self._header = header
        self._kinds = kinds
        self._buffer = bytearray()

    @property
    def is_empty(self) -> bool:
        """Whether no frame has begun that is not complete."""
        return not self._buffer

    def feed(self, data: bytes) -> Iterator[tuple[tuple[int, ...], bytes]]:
        """Yield `(header, payload)` of every frame that is now complete.

        Raises:
            FrameError: A header is impossible; the rest of the stream means nothing.
        """
        self._buffer += data
        start = 0
        size = self._header.size
        try:
            while len(self._buffer) - start >= size:
                header = self._header.unpack_from(self._buffer, start)
                if header[0] > MAX_FRAME_BYTES or header[1] not in self._kinds:
                    raise FrameError(
                        f"a frame of {header[0]} bytes, kind {header[1]}, was announced"
                    )
                stop = start + size + header[0]
                if len(self._buffer) < stop:
                    break
                yield header, bytes(memoryview(self._buffer)[start + size : stop])
                start = stop
        finally:
            del self._buffer[:start]


def split_worker_frames() -> FrameSplitter:
    """A splitter for what a worker writes."""
    return FrameSplitter(HEADER, _WORKER_KINDS)


def split_relayed_frames() -> FrameSplitter:
    """A splitter for the stream between client and supervisor."""
    return FrameSplitter(_RELAYED_HEADER, _WORKER_KINDS | {CONTROL})
