"""PNG files put together from bands that were rendered one by one.

The rows of a PNG are filtered, each with the one above it, and then compressed. All rows of a band
but the first stay as they are; the first, which had nothing above it, is given a filter that does
not look up.
"""

from __future__ import annotations

import struct
import zlib

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = 4
_NO_FILTER, _LEFT, _UP, _AVERAGE, _PAETH = range(5)
_LEVEL = 6


class PngRows:
    """A PNG of 8-bit RGBA that grows downwards.

    Args:
        width: In pixels.
        height: Of all bands together.
    """

    def __init__(self, width: int, height: int) -> None:
        header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
        self._parts = [_SIGNATURE, _chunk(b"IHDR", header)]
        self._packer = zlib.compressobj(_LEVEL)
        self._row_bytes = 1 + width * _CHANNELS

    def add(self, png: bytes) -> None:
        """Append a band: a PNG of the same width and kind.

        Raises:
            ValueError: It is of another kind.
        """
        rows = bytearray(_unpack(png))
        if len(rows) % self._row_bytes:
            raise ValueError("a band has another width than its picture")
        rows[: self._row_bytes] = _without_above(rows[: self._row_bytes])
        self._parts.append(_chunk(b"IDAT", self._packer.compress(rows)))

    def finish(self) -> bytes:
        """The whole file."""
        self._parts += [_chunk(b"IDAT", self._packer.flush()), _chunk(b"IEND", b"")]
        return b"".join(self._parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _unpack(png: bytes) -> bytes:
    """The filtered rows of a PNG."""
    packed, place = [], len(_SIGNATURE)
    while place < len(png):
        (size,) = struct.unpack_from(">I", png, place)
        kind, data = png[place + 4 : place + 8], png[place + 8 : place + 8 + size]
        if kind == b"IHDR" and data[8:] != b"\x08\x06\0\0\0":
            raise ValueError("a band is not 8-bit RGBA")
        if kind == b"IDAT":
            packed.append(data)
        place += 12 + size
    return zlib.decompress(b"".join(packed))


def _without_above(row: bytearray) -> bytearray:
    """A first row, which takes zeros for the row above, by a filter that looks only to the left."""
    kind = row[0]
    if kind == _UP:
        row[0] = _NO_FILTER
    elif kind == _PAETH:  # the nearest of left, 0 and 0 is what is left
        row[0] = _LEFT
    elif kind == _AVERAGE:
        row[0] = _NO_FILTER
        for place in range(1 + _CHANNELS, len(row)):
            row[place] = (row[place] + row[place - _CHANNELS] // 2) & 0xFF
    return row
