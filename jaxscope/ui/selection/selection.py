"""`SelectionModel`, the one selection of the window with its links in every stage and its history;
and `Bookmarks`.

Places are held by ids, so that they outlive a new run; after an edit, nodes are followed to what
they are in the new program. Machine code has no graph of its own: `KernelLinks` links its lines to
instructions of the optimized stage.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Graph, Stage, StageText, is_available
from jaxscope.model.capture import SOURCE_STAGE, Bookmark, graph_named
from jaxscope.program.links import (
    NO_LINKS,
    LineSelection,
    LinkIndex,
    Links,
    NodeSelection,
    Selection,
    SeveralSelection,
)
from jaxscope.program.source_lines import LineMoves
from jaxscope.ui.toolkit.threads import LatestJob

if TYPE_CHECKING:
    from jaxscope.program.diff.matching import NodeFollower


# Machine code has no graph of its own: its lines stand for instructions of another stage.


GRAPH_STAGE_OF = {"machine": "optimized"}
"""Stage whose text shows nodes of another stage → that stage."""


class KernelLinks:
    """Links the stage `machine` to the stage `optimized`, once per pair of the two."""

    def __init__(self) -> None:
        self._from: tuple[Stage | None, Stage | None] = (None, None)
        self._linked: Stage | None = None

    def link(self, stages: Mapping[str, Stage]) -> dict[str, Stage]:
        """The same stages; the lines of the machine code lead to instructions."""
        machine, optimized = stages.get("machine"), stages.get("optimized")
        if machine is None or optimized is None:
            return dict(stages)
        if self._from != (machine, optimized):
            self._from = (machine, optimized)
            self._linked = machine
            if is_available(machine.text) and is_available(optimized.graph):
                from jaxscope.program.machine.kernel_text import (
                    link_kernel_lines,  # with machine code
                )

                text = machine.text.text
                nodes = link_kernel_lines(text, optimized.graph)
                self._linked = dataclasses.replace(machine, text=StageText(text, nodes))
        return {**stages, "machine": self._linked or machine}


# The one selection of the window, what it means in every stage, and what is looked at ahead.


@dataclass(frozen=True, slots=True)
class GroupPlace:
    """A group of nodes that is one box: the same place whatever is written on the box by now.

    Attributes:
        stage: Name of the stage.
        id: Of its box in the stage's view.
        label: What stands on the box.
        size: How much is in it, as it stands there; empty where nobody has looked.
        members: Ids of the nodes inside; empty while nobody has looked them up.
    """

    stage: str
    id: str
    label: str = dataclasses.field(compare=False)
    size: str = dataclasses.field(compare=False, default="")
    members: tuple[str, ...] = dataclasses.field(compare=False, default=())


Place = tuple[str, str] | LineSelection | GroupPlace
"""A node by its stage and id, a source line, or a group."""

_MAX_PLACES = 200
_PREVIEW_MS = 25
"""How long the pointer rests before links are looked up: not once per line that it crosses."""


def follow_places(
    places: Sequence[Place], stage: str, follower: NodeFollower | None
) -> tuple[Place, ...]:
    """Places after a stage's program was replaced; those of what is gone are left out.

    Args:
        places: What is held.
        stage: Name of the stage.
        follower: Follows its nodes; None where the program is of something else.
    """
    found: list[Place] = []
    for place in places:
        if _stage_of(place) != stage:
            found.append(place)
        elif follower is None:
            continue
        elif isinstance(place, GroupPlace):
            members = tuple(each for i in place.members if (each := follower.find(i)) is not None)
            if members:
                found.append(dataclasses.replace(place, members=members))
        elif isinstance(place, tuple) and (node := follower.find(place[1])) is not None:
            found.append((stage, node))
    return tuple(found)


def _is_same_program(one: Stage, other: Stage) -> bool:
    """Whether two stages have one text, and nodes of the same ids."""
    texts, graphs = (one.text, other.text), (one.graph, other.graph)
    if not (is_available(texts[0]) and is_available(texts[1])) or not texts[0].text:
        return False
    if not (is_available(graphs[0]) and is_available(graphs[1])):
        return False
    is_same = texts[0].text == texts[1].text
    return is_same and graphs[0].index_by_id == graphs[1].index_by_id


def _stage_of(place: Place) -> str | None:
    if isinstance(place, LineSelection):
        return None
    return place.stage if isinstance(place, GroupPlace) else place[0]


@dataclass(frozen=True, eq=False, slots=True)
class Growth:
    """How far a program has grown where its tracing is gone through.

    Attributes:
        graph: Of the program; None where it is not drawn.
        nodes: Those that are there by now.
        place: File and line that ran, 1-based; an empty name and 0 for none.
    """

    graph: Graph | None
    nodes: frozenset[int]
    place: tuple[str, int]


def _index_links(stages: Sequence[Stage]) -> LinkIndex:
    """Make what answers selections, and load what the first of them would wait for."""
    from jaxscope.program.cards import read_cards  # with the first capture

    importlib.import_module("numpy.ma")  # NumPy's functions of sets load it when they are called
    read_cards()
    for stage in stages:
        if is_available(stage.graph):
            _ = stage.graph.index_by_id  # a property that is kept
    return LinkIndex(stages)


class SelectionModel(QObject):
    """Holds what is selected; `changed` fires with the new `Links`, `previewed` with those ahead.
    `cleared` fires when it is put away: nothing may look selected any more. `growth_changed` fires
    when another part of a program is to look as if it were not there yet.

    A selection outlives a new run, of an edited file too: its nodes are followed to what they are
    by now.

    Attributes:
        reason: Why nothing is selected though something was clicked; else empty.
        growth: How far a program has grown by the line that is looked at; None where none is.
    """

    changed = Signal(object)
    previewed = Signal(object)
    cleared = Signal()
    growth_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stages: Sequence[Stage] = ()
        self._index: LinkIndex | None = None
        self._places: tuple[Place, ...] = ()
        self._known: dict[str, tuple[Stage, Hashable]] = {}
        self._of: Hashable = None
        self.selection: Selection | None = None
        self.reason = ""
        self.growth: Growth | None = None
        self.links: Links = NO_LINKS
        self._past: list[tuple[Place, ...]] = []
        self._future: list[tuple[Place, ...]] = []
        self._ahead: Selection | None = None
        self._shown_ahead: Selection | None = None
        self._rest = QTimer(self, singleShot=True, interval=_PREVIEW_MS)
        self._rest.timeout.connect(self._on_rest_timeout)
        self._job = LatestJob(self, "jaxscope links", in_turn=True)
        self._job.finished.connect(self._on_job_finished)

    def prepare(self) -> None:
        """Have what answers the first selection ready: of a large program it takes a while."""
        stages = self._stages
        if self._index is None and stages:
            self._job.start(lambda _should_stop: (stages, _index_links(stages)))

    def _on_job_finished(self, answer: tuple[Sequence[Stage], LinkIndex]) -> None:
        stages, index = answer
        if self._index is None and stages is self._stages:
            self._index = index

    def set_stages(self, stages: Sequence[Stage], of: Hashable = None) -> None:
        """Select among other stages; the selection is kept if its nodes still exist.

        Args:
            stages: The others.
            of: What they are of. Nodes are followed to what they are by now where that is the
                same; else places stay only in stages that have the same text.
        """
        if stages is self._stages:
            return
        self._of = of
        before = {stage.name: stage.graph for stage in self._stages}
        after = {stage.name: stage.graph for stage in stages}
        self._stages = stages
        if before == after:
            return
        self._follow()
        self._index, self.reason = None, ""
        self._rest.stop()
        self._ahead = None
        if self._shown_ahead is not None:  # its nodes mean others now
            self._shown_ahead = None
            self.previewed.emit(NO_LINKS)
        self._resolve()

    def _follow(self) -> None:
        """Where a stage's program is another, let all places be those of what they were then."""
        for stage in self._stages:
            (known, of), graph = self._known.get(stage.name, (None, None)), stage.graph
            if not is_available(graph) or (known is not None and graph is known.graph):
                continue
            self._known[stage.name] = stage, self._of
            held = (self._places, *self._past, *self._future)
            if known is None or not is_available(known.graph) or _is_same_program(known, stage):
                continue
            if not any(_stage_of(each) == stage.name for p in held for each in p):
                continue
            follower = None
            if of == self._of:
                # Comparing is loaded with the second run of a call.
                from jaxscope.program.diff.matching import NodeFollower

                follower = NodeFollower(known.graph, graph)
            self._places = follow_places(self._places, stage.name, follower)
            for trail in (self._past, self._future):
                followed = (follow_places(places, stage.name, follower) for places in trail)
                trail[:] = [places for places in followed if places]

    def forget(self) -> None:
        """Have no history any more: of another file nothing is gone back to."""
        self._past, self._future = [], []

    # --- selecting ---

    def select_node(self, stage: str, node: int) -> None:
        """Select one node of a stage."""
        self.select_nodes(stage, (node,))

    def select_equation(self, stage: str, id: str) -> None:
        """Select the node of an equation; nothing changes where the stage has none of this id."""
        graph = self.graph_of(stage)
        node = graph.index_by_id.get(id) if graph is not None else None
        if node is not None:
            self.select_node(stage, node)

    def select_nodes(self, stage: str, nodes: Iterable[int], *, adds: bool = False) -> None:
        """Select nodes of a stage.

        Args:
            stage: Its name.
            nodes: Indices; those that the stage lacks are left out.
            adds: Keep what is selected already; what is selected already is let go.
        """
        graph = self.graph_of(stage)
        if graph is None:
            return
        ids = graph.nodes.id
        places = [(stage, graph.string(ids, n)) for n in nodes if 0 <= n < len(graph.nodes)]
        self._take(places, adds=adds)

    def select_group(self, place: GroupPlace, nodes: Iterable[int], *, adds: bool = False) -> None:
        """Select a group as one place, and with it the nodes inside; `adds` as for nodes."""
        graph = self.graph_of(place.stage)
        if graph is None:
            return
        ids = graph.nodes.id
        members = tuple(graph.string(ids, n) for n in nodes if 0 <= n < len(graph.nodes))
        if members:
            self._take([dataclasses.replace(place, members=members)], adds=adds)

    def select_line(self, file: str, line: int) -> None:
        """Select a source line, 1-based."""
        self.select_lines(file, (line,))

    def select_lines(self, file: str, lines: Iterable[int], *, adds: bool = False) -> None:
        """Select source lines, 1-based; `adds` as for nodes."""
        path = os.path.abspath(file)
        self._take([LineSelection(path, line) for line in lines], adds=adds)

    def move_lines(self, file: str, moves: LineMoves) -> None:
        """Move selected lines to where they are in a new version of the file, or deselect them."""
        places: list[Place] = []
        for place in self._places:
            if isinstance(place, LineSelection) and place.file == file:
                line = moves.to_later(place.line)
                places += [LineSelection(file, line)] if line else []
            else:
                places.append(place)
        if tuple(places) != self._places:
            self._places = tuple(places)
            self._resolve()

    def select_argument(self, path: str) -> None:
        """Select the input that a place in the call's arguments is, where one is."""
        found = self._links().find_argument(path)
        if found is not None:
            self.select_node(found.stage, found.nodes[0])

    def select_places(self, places: Iterable[Place]) -> None:
        """Select what was selected at some time, as far as it is there; nothing for nothing."""
        found = [place for place in places if self._is_there(place)]
        if found:
            self._take(found, adds=False)
        else:
            self.clear()

    def clear(self, reason: str = "") -> None:
        """Select nothing; `reason` says why where that is not what was asked for."""
        self._remember()
        self._places, self.reason = (), reason
        self._look(None)
        self._resolve()
        self.cleared.emit()

    # --- growing ---

    @property
    def running(self) -> tuple[str, int]:
        """File and line that a program has grown to; an empty name and 0 for none."""
        return self.growth.place if self.growth is not None else ("", 0)

    def show_growth(self, growth: Growth | None) -> None:
        """Let a program look as far as it has grown; None lets every one be whole."""
        if growth is not self.growth:
            self.growth = growth
            self.growth_changed.emit()

    # --- looking ahead ---

    def preview_node(self, stage: str, node: int) -> None:
        """Look at what a node is linked to without selecting it; a negative one ends that."""
        graph = self.graph_of(stage)
        is_there = graph is not None and 0 <= node < len(graph.nodes)
        self._look(NodeSelection(stage, (node,)) if is_there else None)

    def preview_line(self, file: str, line: int) -> None:
        """Look at what a source line is linked to; line 0 ends that."""
        self._look(LineSelection(os.path.abspath(file), line) if line > 0 else None)

    def _look(self, ahead: Selection | None) -> None:
        self._ahead = ahead
        if ahead != self._shown_ahead and not self._rest.isActive():
            self._rest.start()

    def _on_rest_timeout(self) -> None:
        if self._ahead != self._shown_ahead:
            self._shown_ahead = self._ahead
            found = NO_LINKS if self._ahead is None else self._links().find_links(self._ahead)
            self.previewed.emit(found)

    # --- places ---

    @property
    def place(self) -> Place | None:
        """What was selected last, by ids, so that it can be found again after another run."""
        return self._places[-1] if self._places else None

    @property
    def places(self) -> tuple[Place, ...]:
        """Ids of everything that is selected."""
        return self._places

    @property
    def index(self) -> LinkIndex:
        """What answers questions about links between the present stages."""
        return self._links()

    @property
    def previous(self) -> Place | None:
        """What was selected before, if anything was."""
        return self._past[-1][-1] if self._past else None

    def go_back(self) -> bool:
        """Select what was selected before; false where there is nothing of that any more."""
        return self._go(self._past, self._future)

    def go_forward(self) -> bool:
        """Go forward again in the history of selections."""
        return self._go(self._future, self._past)

    def node_at(self, place: Place | None) -> tuple[str, int] | None:
        """Stage and index of the node at a place, of a group the first inside; None for a line or
        where it is gone.
        """
        if place is None or isinstance(place, LineSelection):
            return None
        stage, nodes = self.nodes_at(place)
        return (stage, nodes[0]) if nodes else None

    def nodes_at(self, place: tuple[str, str] | GroupPlace) -> tuple[str, list[int]]:
        """Stage and indices of the nodes at a place, as far as they are there."""
        if isinstance(place, GroupPlace):
            stage, ids = place.stage, place.members
        else:
            stage, ids = place[0], place[1:]
        graph = self.graph_of(stage)
        index = graph.index_by_id if graph is not None else {}
        return stage, [index[each] for each in ids if each in index]

    def _take(self, places: Sequence[Place], *, adds: bool) -> None:
        if not places:
            return
        self._remember()
        self.reason = ""
        if not adds:
            self._places = tuple(places)
        elif set(places) <= set(self._places):
            self._places = tuple(place for place in self._places if place not in set(places))
        else:
            self._places = tuple(dict.fromkeys((*self._places, *places)))
        self._resolve()

    def _go(self, behind: list[tuple[Place, ...]], ahead: list[tuple[Place, ...]]) -> bool:
        while behind:
            places = tuple(place for place in behind.pop() if self._is_there(place))
            if not places:
                continue
            if self._places:
                ahead.append(self._places)
            self._places = places
            self._resolve()
            return True
        return False

    def _is_there(self, place: Place) -> bool:
        return isinstance(place, LineSelection) or self.node_at(place) is not None

    def _remember(self) -> None:
        """Put what is selected now behind; what was ahead is no longer on the way."""
        here = self._places
        if here and (not self._past or self._past[-1] != here):
            self._past = [*self._past[-_MAX_PLACES:], here]
        self._future = []

    # --- meaning ---

    def graph_of(self, stage: str) -> Graph | None:
        """The graph of a stage; None where there is none."""
        return graph_named(self._stages, stage)

    def _find_selection(self) -> Selection | None:
        """What the places are among the present stages."""
        nodes: dict[str, list[int]] = {}
        lines = [place for place in self._places if isinstance(place, LineSelection)]
        for place in self._places:
            if not isinstance(place, LineSelection):
                stage, found = self.nodes_at(place)
                nodes.setdefault(stage, []).extend(found)
        of_stages = (NodeSelection(name, tuple(own)) for name, own in nodes.items())
        parts: tuple[NodeSelection | LineSelection, ...] = (*of_stages, *lines)
        return parts[0] if len(parts) == 1 else SeveralSelection(parts) if parts else None

    def _links(self) -> LinkIndex:
        if self._index is None:
            self._index = LinkIndex(self._stages)
        return self._index

    def _resolve(self) -> None:
        self.selection = self._find_selection()
        if self.selection is None:
            self.links = NO_LINKS
        else:
            self.links = self._links().find_links(self.selection)
        self.changed.emit(self.links)


MAX_NOTE_CHARACTERS = 2_000


class Bookmarks(QObject):
    """Places and their notes, in the order in which they were marked.

    `changed` fires after every change. Places are ids, so bookmarks outlive a new run.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._notes: dict[Place, str] = {}

    @property
    def notes(self) -> Mapping[Place, str]:
        """By place."""
        return self._notes

    def toggle(self, places: Sequence[Place]) -> bool:
        """Mark places, or unmark them where all are marked; whether they are marked now."""
        is_new = not all(place in self._notes for place in places)
        for place in places:
            if is_new:
                self._notes.setdefault(place, "")
            else:
                del self._notes[place]
        self.changed.emit()
        return is_new

    def set_note(self, place: Place, note: str) -> None:
        """Write about a place, which marks it."""
        self._notes[place] = note.strip()[:MAX_NOTE_CHARACTERS]
        self.changed.emit()

    def move_lines(self, file: str, moves: LineMoves) -> None:
        """A file ran in another version: its bookmarks go where their lines are or would be."""
        notes: dict[Place, str] = {}
        for place, note in self._notes.items():
            if isinstance(place, LineSelection) and place.file == file:
                place = LineSelection(file, moves.to_nearest(place.line))
            notes[place] = "\n".join(filter(None, (notes.get(place, ""), note)))
        if list(notes) != list(self._notes):
            self._notes = notes
            self.changed.emit()

    def remove(self, place: Place) -> None:
        """Unmark a place."""
        if self._notes.pop(place, None) is not None:
            self.changed.emit()

    def show(self, bookmarks: Sequence[Bookmark]) -> None:
        """Have the bookmarks of a capture that was opened, and no others."""
        found = ((_place_of(each), each.note) for each in bookmarks)
        notes = {place: note for place, note in found if place is not None}
        if notes != self._notes:
            self._notes = notes
            self.changed.emit()

    def to_model(self) -> tuple[Bookmark, ...]:
        """The bookmarks as they are saved with a capture."""
        return tuple(_to_bookmark(place, note) for place, note in self._notes.items())


def _place_of(bookmark: Bookmark) -> Place | None:
    if bookmark.group:
        return GroupPlace(bookmark.stage, bookmark.place, bookmark.group)
    if bookmark.stage != SOURCE_STAGE:
        return bookmark.stage, bookmark.place
    file, _, line = bookmark.place.rpartition(":")
    is_line = file and line.isdecimal() and len(line) < 10 and int(line) > 0
    return LineSelection(file, int(line)) if is_line else None


def _to_bookmark(place: Place, note: str) -> Bookmark:
    if isinstance(place, LineSelection):
        return Bookmark(SOURCE_STAGE, f"{place.file}:{place.line}", note)
    if isinstance(place, GroupPlace):
        return Bookmark(place.stage, place.id, note, place.label)
    return Bookmark(*place, note)
