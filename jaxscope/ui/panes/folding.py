"""Which lines of a text are folded away, and which line stands in which row; no Qt.

A block is what is indented deeper than the line above it: the body of a function, of an inner
jaxpr, of a computation, of a region. Whether a line begins one is seen from the line after it, so
nothing is computed for lines that nobody looks at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

_LOOK_AHEAD = 32
"""So many empty lines may stand between a block's first line and its inside."""


class Folding:
    """Maps rows, which are on the screen, to lines and back; 0-based both."""

    def __init__(self, lines: Sequence[str] = ()) -> None:
        self._lines = lines
        self._folded: dict[int, int] = {}
        self._shown: npt.NDArray[np.int64] | None = None

    @property
    def num_rows(self) -> int:
        return len(self._lines) if self._shown is None else len(self._shown)

    @property
    def folded(self) -> tuple[int, ...]:
        """Lines whose blocks are folded away."""
        return tuple(self._folded)

    def line_at(self, row: int) -> int:
        """The line in a row; the row must be there."""
        return row if self._shown is None else int(self._shown[row])

    def row_of(self, line: int) -> int:
        """The row of a line, or of the line that it is folded into."""
        if self._shown is None:
            return line
        return max(int(np.searchsorted(self._shown, line, "right")) - 1, 0)

    def is_shown(self, line: int) -> bool:
        """Whether no fold hides a line."""
        return self._shown is None or self.line_at(self.row_of(line)) == line

    def is_folded(self, line: int) -> bool:
        """Whether the block that a line begins is folded away."""
        return line in self._folded

    def num_hidden(self, line: int) -> int:
        """How many lines are folded into a line."""
        return self._folded[line] - line - 1 if line in self._folded else 0

    def begins_block(self, line: int) -> bool:
        """Whether the lines after a line are deeper."""
        own = _depth(self._lines[line])
        if own is None:
            return False
        for after in self._lines[line + 1 : line + 1 + _LOOK_AHEAD]:
            depth = _depth(after)
            if depth is not None:
                return depth > own
        return False

    def block_of(self, line: int) -> int | None:
        """The line that begins the innermost block around a line; itself where it begins one."""
        if self.begins_block(line):
            return line
        own = _depth(self._lines[line])
        for before in range(line - 1, -1, -1):
            depth = _depth(self._lines[before])
            if own is None:
                own = depth
            elif depth is not None and depth < own:
                return before
        return None

    def toggle(self, line: int) -> bool:
        """Fold the block that a line begins, or unfold it; false where it begins none."""
        if line in self._folded:
            del self._folded[line]
        elif self.begins_block(line):
            self._folded[line] = self._end_of(line)
        else:
            return False
        self._arrange()
        return True

    def unfold_around(self, line: int) -> bool:
        """Unfold all blocks that hide a line; false where none did."""
        hiding = [begin for begin, end in self._folded.items() if begin < line < end]
        for begin in hiding:
            del self._folded[begin]
        if hiding:
            self._arrange()
        return bool(hiding)

    def fold_all(self) -> None:
        """Fold every block, inner ones as well: unfolding an outer one shows them folded."""
        self._fold(line for line in range(len(self._lines)) if self.begins_block(line))

    def unfold_all(self) -> None:
        """Show every line."""
        self._folded.clear()
        self._arrange()

    def _fold(self, begins: Iterable[int]) -> None:
        open_blocks: list[tuple[int, int]] = []  # depth, line
        wanted, last = set(begins), -1
        for line, text in enumerate(self._lines):
            depth = _depth(text)
            if depth is None:
                continue
            while open_blocks and open_blocks[-1][0] >= depth:
                self._folded[open_blocks.pop()[1]] = last + 1
            if line in wanted:
                open_blocks.append((depth, line))
            last = line
        self._folded.update((line, last + 1) for _, line in open_blocks)
        self._arrange()

    def _end_of(self, line: int) -> int:
        """The line after the block's last; empty lines at its end stay outside."""
        own, last = _depth(self._lines[line]) or 0, line
        for number in range(line + 1, len(self._lines)):
            depth = _depth(self._lines[number])
            if depth is None:
                continue
            if depth <= own:
                break
            last = number
        return last + 1

    def _arrange(self) -> None:
        if not self._folded:
            self._shown = None
            return
        is_shown = np.ones(len(self._lines), bool)
        for begin, end in self._folded.items():
            is_shown[begin + 1 : end] = False
        self._shown = np.flatnonzero(is_shown)


def _depth(line: str) -> int | None:
    """How far a line is indented; None for an empty one."""
    stripped = line.lstrip()
    return len(line) - len(stripped) if stripped else None
