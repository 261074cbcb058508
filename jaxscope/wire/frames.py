"""Frames: `u32 little-endian length, u8 kind, payload`. Standard library only.

Every frame is at most `MAX_FRAME_BYTES`; larger data is cut into several. A reader treats any
violation as a dead peer: it never tries to find the next frame in garbage.
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Callable

MAX_FRAME_BYTES = 1 << 20
HEADER = struct.Struct("<IB")


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
