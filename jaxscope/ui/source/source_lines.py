"""The user's file as a pane shows it, and where the lines that ran are in it now.

Selections, links and bookmarks mean lines of the text that ran. A pane shows the file as it is;
where it was edited since, every mark is moved to where its line is now, and lines that are gone are
marked nowhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from jaxscope.model import Check, SourceFile, Stage
from jaxscope.model.graph import Int32s
from jaxscope.model.stages import LATE_STAGES
from jaxscope.program.cost.lines import LineCost, find_line_costs
from jaxscope.program.links import LinkIndex, Links, Pairs
from jaxscope.program.source_lines import SAME, LineMoves, find_line_moves
from jaxscope.ui.session.source_file import parse_place
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.source.code_view import Mark
from jaxscope.ui.toolkit.language import tr, tr_count

NO_TEXT = "What was opened holds no text of the source."
NEW_LINE = "This line was written after the run: run the call again to see what becomes of it."


class SourceLines:
    """Answers for one window; lines are counted from 1, but in marks and costs from 0.

    Attributes:
        typed: The text of the user's own file while it is edited, which may be newer than any that
            was run; None while it is not.
    """

    def __init__(self) -> None:
        self._state = WindowState()
        self.typed: Callable[[], str] | None = None
        self._other = ""
        self._costs_of: tuple[Sequence[Stage], str] = ((), "")
        self._costs: Mapping[int, LineCost] = {}

    def set_state(self, state: WindowState) -> None:
        """Know another state; another file begins anew."""
        if state.file != self._state.file:
            self._other = ""
        self._state = state

    def look_at(self, file: str) -> SourceFile | None:
        """Show a file that took part in the run, or the user's own; None where it is not known."""
        found = self.find_file(file)
        if found is not None:
            self._other = found.path
        return found

    @property
    def is_own(self) -> bool:
        """Whether the user's own file is shown, and none that it imports."""
        snapshot = self._state.snapshot
        return not self._other or (snapshot is not None and snapshot.path == self._other)

    @property
    def file(self) -> SourceFile | None:
        """What is shown: the user's own file as it is, another one as it was when it ran."""
        return self._state.snapshot if self.is_own else self.find_file(self._other)

    @property
    def path(self) -> str:
        """Of the file that is shown, or empty."""
        return self.file.path if self.file is not None else ""

    def find_file(self, file: str) -> SourceFile | None:
        """A file as it was when it ran, by its path or else its name."""
        snapshot = self._state.snapshot
        known = [*self._state.files, *([snapshot] if snapshot is not None else [])]
        exact = next((each for each in known if each.path == file), None)
        name = os.path.basename(file)
        return exact or next((e for e in known if os.path.basename(e.path) == name), None)

    @property
    def moves(self) -> LineMoves:
        """From the text that ran to the one that is shown."""
        return self._moves_of(self.path)

    def _moves_of(self, file: str) -> LineMoves:
        """From the text of a file that ran to what is in it now."""
        own = self._state.snapshot
        ran = next((f for f in self._state.files if f.path == file), None)
        if own is None or own.path != file or ran is None or not self._state.stages:
            return SAME  # others are shown as they were when they ran
        return find_line_moves(ran.text, own.text if self.typed is None else self.typed())

    def number_of(self, file: str, line: int) -> int:
        """The number that a line that ran has now; 0 where it was changed or is gone."""
        return self._moves_of(file).to_later(line)

    def note(self, *, has_marks: bool, has_costs: bool) -> str:
        """What to say of a file that was edited since it ran, or that is missing; else empty.

        Args:
            has_marks: Notes are shown beside its lines.
            has_costs: Costs are.
        """
        if self.file is None or (self._state.is_view_only and not self.file.text):
            return tr(NO_TEXT) if self._state.is_view_only else ""
        moves = self.moves
        if not moves.is_edited:
            return ""
        gone = moves.num_gone
        lost = (
            tr(" {num_lines} of the run changed: not marked.", num_lines=tr_count(gone, "line"))
            if gone
            else ""
        )
        edited = {
            (True, True): tr("Edited since the run; marks and costs moved with their lines."),
            (True, False): tr("Edited since the run; marks moved with their lines."),
            (False, True): tr("Edited since the run; costs moved with their lines."),
            (False, False): tr("Edited since the run."),
        }[has_marks, has_costs]
        return tr(
            "{edited} Boxes and pages number lines as they ran.{lost}", edited=edited, lost=lost
        )

    def to_run(self, file: str, lines: Iterable[int]) -> list[int]:
        """Lines that ran, of lines that are shown; those written since are left out."""
        moves = self.moves if file == self.path else SAME
        return [line for line in map(moves.to_earlier, lines) if line]

    def to_shown(self, file: str, line: int) -> int:
        """Where a line that ran is in the file that is shown; 0 where it is not."""
        return self.moves.to_later(line) if file and file == self.path else 0

    def marks(
        self, links: Links, mark: Mark, running: tuple[str, int] = ("", 0)
    ) -> Mapping[int, Mark]:
        """The linked lines of the file that is shown, the one that runs, and that of an error."""
        marks = dict.fromkeys(self._linked(links), mark)
        if line := self.to_shown(*running):
            marks[line - 1] = Mark.SELECTED
        error = self._state.error
        of_code = error.explanation if error is not None else None
        is_of_call = of_code is not None and bool(of_code.part)
        place = parse_place(of_code.where) if of_code is not None and not is_of_call else None
        if place is not None and os.path.basename(place[0]) == os.path.basename(self.path):
            marks.setdefault(place[1] - 1, Mark.ERROR)  # of the last run: it read what is shown
        return marks

    def _linked(self, links: Links) -> Iterator[int]:
        path, moves = self.path, self.moves
        for file, line in links.lines:
            if file == path and (shown := moves.to_later(line)):
                yield shown - 1

    def find_pairs(self, index: LinkIndex, lines: Int32s, stage: str, nodes: Int32s) -> Pairs:
        """Which of the lines that are shown belong to which nodes of a stage."""
        moves = self.moves
        ran = np.asarray([moves.to_earlier(line) for line in lines.tolist()], np.int32)
        pairs = index.find_line_pairs(self.path, ran[ran > 0], stage, nodes).copy()
        pairs[:, 0] = [moves.to_later(line) for line in pairs[:, 0].tolist()]
        return pairs

    def costs(self) -> Mapping[int, LineCost]:
        """What lines cost in what JAX hands on, where they are shown."""
        moves = self.moves
        found = {moves.to_later(line): cost for line, cost in self._costs_of_run().items()}
        return {line - 1: cost for line, cost in found.items() if line}

    def checks(self) -> Mapping[int, Sequence[Check]]:
        """What was noticed about lines, the worst first, where they are shown."""
        moves, found = self.moves, dict[int, list[Check]]()
        for check in self._state.checks:
            if check.line and check.file == self.path and (line := moves.to_later(check.line)):
                found.setdefault(line - 1, []).append(check)
        return found

    def cost_of(self, file: str, line: int) -> LineCost | None:
        """What a line cost when it ran; None where that is not known."""
        return self._costs_of_run().get(line) if file == self.path else None

    def _costs_of_run(self) -> Mapping[int, LineCost]:
        stages, path = self._state.stages, self.path
        if self._costs_of[0] is not stages or self._costs_of[1] != path:
            self._costs_of = stages, path
            traced = [stage for stage in stages if stage.name not in LATE_STAGES]
            self._costs = find_line_costs(traced, path, stages) if path else {}
        return self._costs

    def begin(self) -> int:
        """The line to look at first: of the function that the call is about; 0 for the top."""
        head = self._state.head
        is_of_it = head is not None and head.source.file == self.path
        return max(head.source.line - 1, 0) if head is not None and is_of_it else 0


def find_moved_files(before: WindowState, after: WindowState) -> dict[str, LineMoves]:
    """How the lines of the files that ran moved from one run to the next."""
    if before.file != after.file or before.files is after.files:
        return {}
    texts = {file.path: file.text for file in before.files}
    moves = {
        file.path: find_line_moves(texts[file.path], file.text)
        for file in after.files
        if file.path in texts
    }
    return {path: each for path, each in moves.items() if each.is_edited}
