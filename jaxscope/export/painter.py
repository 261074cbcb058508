"""Paints SVG as PNG: in this process, or as the program of one that does nothing else.

As a program it reads documents from standard input and writes pictures to standard output, each
after its length in eight bytes, until the input ends. The renderer holds Python's lock while it
works, and it works on one core: in processes of its own it does neither.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import IO

FONT_FAMILY = "DejaVu Sans"
FIRST_UNKNOWN = 0x3000
"""Texts with characters from here on, such as Chinese ones, look for a font of the system's."""

_FONTS = Path(__file__).parent / "fonts"
FONT_FILES = tuple(str(_FONTS / name) for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"))
"""Of the bundled font: regular and bold."""
_LENGTH = struct.Struct(">Q")


def paint(svg: str, zoom: float | None = None) -> bytes:
    """A document as PNG, with the bundled font."""
    import resvg_py  # only where something is painted

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            zoom=zoom,
            skip_system_fonts=svg.isascii() or ord(max(svg)) < FIRST_UNKNOWN,
            font_files=list(FONT_FILES),
            font_family=FONT_FAMILY,
            sans_serif_family=FONT_FAMILY,
        )
    )


def write_block(stream: IO[bytes], block: bytes) -> None:
    """Send one block."""
    stream.write(_LENGTH.pack(len(block)))
    stream.write(block)
    stream.flush()


def read_block(stream: IO[bytes]) -> bytes | None:
    """Receive one block; None where there is no other, or not the whole of it."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    block = stream.read(length)
    return block if len(block) == length else None


def main() -> None:
    """Paint whatever comes, until nothing does."""
    while (block := read_block(sys.stdin.buffer)) is not None:
        write_block(sys.stdout.buffer, paint(block.decode()))


if __name__ == "__main__":
    main()
