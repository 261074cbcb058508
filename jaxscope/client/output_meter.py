"""What a worker prints, cut to what a window can show: a few pieces a second, each small."""

from __future__ import annotations

import codecs

PIECE_BYTES = 16 << 10
TAIL_BYTES = 4 << 10


class OutputMeter:
    """Collects one stream between two updates, keeps its first and last bytes, counts the rest.

    Attributes:
        num_bytes: All bytes that came so far.
        tail: The last `TAIL_BYTES` of them, for the message of a worker that died.
    """

    def __init__(self) -> None:
        self.num_bytes = 0
        self.tail = b""
        self._head = b""
        self._end = b""
        self._skipped_bytes = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, data: bytes) -> None:
        """Take what was read."""
        self.num_bytes += len(data)
        self.tail = (self.tail + data)[-TAIL_BYTES:]
        room = PIECE_BYTES // 2 - len(self._head)
        if room > 0 and not self._end:
            self._head += data[:room]
            data = data[room:]
        if data:
            joined = self._end + data
            self._end = joined[-PIECE_BYTES // 2 :]
            self._skipped_bytes += len(joined) - len(self._end)

    def take(self) -> str:
        """What to show of everything since the last call; empty if nothing came."""
        if not self._head:
            return ""
        text = self._decoder.decode(self._head)
        if self._skipped_bytes:
            text += f"\n[… {self._skipped_bytes} bytes left out …]\n"
        text += self._decoder.decode(self._end)
        self._head, self._end, self._skipped_bytes = b"", b"", 0
        return text
