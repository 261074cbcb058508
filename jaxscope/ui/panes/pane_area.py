"""All panes: their arrangement as a value, the tree of splitters that shows it, and opening,
closing, moving and activating panes.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QRubberBand, QSplitter, QVBoxLayout, QWidget

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE
from jaxscope.program.links import NO_PAIRS, Links, Pairs
from jaxscope.ui.panes.pane_header import SOURCE, Form
from jaxscope.ui.panes.ribbon import HANDLE_PX, RIBBON_PX, RibbonSetting, RibbonSplitter
from jaxscope.ui.panes.stage_pane import StagePane
from jaxscope.ui.selection.selection import GRAPH_STAGE_OF, GroupPlace, SelectionModel
from jaxscope.ui.source.source_lines import SourceLines
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.toolkit.widgets import fill_box

if TYPE_CHECKING:
    from jaxscope.ui.canvas.graph_canvas import GraphCanvas
    from jaxscope.ui.canvas.graph_page import GraphPage


# How panes are laid out, as a value that is remembered between starts; no Qt.


MAX_PANES = 24
"""More are too small to be of use, on any screen."""

_MAX_DEPTH = 12
_MAX_NAME_CHARACTERS = 200
_MOST_OPENED_FOR = 8
"""Nodes that groups are opened for: more are seen as parts of closed ones."""


@dataclass(frozen=True, slots=True)
class PaneSpec:
    """A pane as it is written down: its stage, form and name.

    Attributes:
        stage: What it is for: a stage's name, or `source`.
        form: How it shows that: `graph`, `text`, `table` or `tree`.
        name: As a person named it, or empty.
    """

    stage: str
    form: str = "graph"
    name: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """Parts beside each other, or below each other.

    Attributes:
        is_across: Beside each other.
        parts: From left to right, or from top to bottom.
        shares: Of the room, as many as parts, in any unit.
    """

    is_across: bool
    parts: tuple[PaneSpec | Split, ...]
    shares: tuple[float, ...]


FIRST_ARRANGEMENT = Split(True, (PaneSpec("source", "text"), PaneSpec("jaxpr")), (34.0, 66.0))
"""What a new window shows: the source, and the program of the call."""

WIDE_ARRANGEMENT = Split(
    True, (*FIRST_ARRANGEMENT.parts, PaneSpec("optimized")), (27.5, 45.0, 27.5)
)
"""The same where three panes have room: of a gradient, both parts side by side in the second."""

_WIDEST_SHARES, _WIDEST_PX = (30.0, 42.3, 27.7), 2200
"""And from this width on: lines of 90 characters are not wrapped at 2560 pixels, type of the
program is as large as can be, and the third pane has the rest."""

_WIDE_PX = 1580
"""From this width of the panes on; a window of 1600 pixels has it."""
_LEAST_PROGRAM_PX, _LEAST_THIRD_PX = 836, 320
"""The program is no narrower beside a third pane than it is without one at 1280 pixels. What it
lacks is taken from the third pane, which is to be of use, and then from the source.
"""
_NARROW_PX = 1400
"""Below this width at most two columns are seen at a time."""
_LEAST_ACROSS_PX, _LEAST_DOWN_PX = 280, 200
"""A view that is opened beside another gets at least as much: less shows parts of boxes."""
_AS_LARGE = 0.7
"""Of the area of the largest view: one that has as much may be the main one."""
COMPANION_SHARE = 0.34
"""Of the height of a column: what stands below the source until a person drags the border."""
_SOURCE_PRESENTED = 36.0
"""Of the width, in percent: what is presented beside the source keeps the rest. In the type that
code has there that is some 45 characters on a screen of 16 by 9."""
_SHARE_BELOW_GRAPH = 0.33
"""The same where there is no source: a graph needs the height."""
_LEAST_BELOW_PX, _MOST_BELOW = 170, 0.5
"""What stands below the source has room for some lines, also in a low window: up to that share."""


def format_arrangement(arrangement: Split) -> str:
    """An arrangement as one line of JSON."""
    return json.dumps(dataclasses.asdict(arrangement))


def parse_arrangement(text: str) -> Split | None:
    """Read an arrangement back; None where the text is none, or cannot be shown."""
    try:
        found = _read_split(json.loads(text), _MAX_DEPTH)
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None
    return found if 1 <= len(panes_of(found)) <= MAX_PANES else None


def panes_of(part: PaneSpec | Split) -> list[PaneSpec]:
    """All panes, from the top left to the bottom right."""
    if isinstance(part, PaneSpec):
        return [part]
    return [pane for inner in part.parts for pane in panes_of(inner)]


def drop_twins(arrangement: Split) -> Split:
    """An arrangement without further panes of one stage and form, which show nothing else."""
    known: set[PaneSpec] = set()

    def keep(part: PaneSpec | Split) -> PaneSpec | Split | None:
        if isinstance(part, PaneSpec):
            is_twin = part in known
            known.add(part)
            return None if is_twin else part
        pairs = [(keep(inner), share) for inner, share in zip(part.parts, part.shares, strict=True)]
        kept = [(inner, share) for inner, share in pairs if inner is not None]
        if not kept:
            return None
        return Split(part.is_across, *(tuple(each) for each in zip(*kept, strict=True)))

    found = keep(arrangement)
    assert isinstance(found, Split)  # the first pane of all is kept
    return found


def _read_split(value: Any, depth: int) -> Split:
    parts = tuple(_read_part(part, depth - 1) for part in value["parts"])
    shares = tuple(float(share) for share in value["shares"])
    is_sound = all(math.isfinite(share) and share >= 0 for share in shares)
    if depth <= 0 or not parts or len(shares) != len(parts) or not is_sound:
        raise ValueError("no arrangement")
    return Split(bool(value["is_across"]), parts, shares)


def _read_part(value: Any, depth: int) -> PaneSpec | Split:
    if "parts" in value:
        return _read_split(value, depth)
    words = [value["stage"], value["form"], value["name"]]
    if not all(isinstance(word, str) and len(word) <= _MAX_NAME_CHARACTERS for word in words):
        raise ValueError("no view")
    return PaneSpec(*words)


# Panes in splitters within splitters: put in, taken out, moved, described and built again.


_EDGE_SHARE = 0.28
"""How much of a pane counts as its edge when another is dropped there; the middle swaps."""


class PaneSide(enum.Enum):
    """Where a pane goes, seen from another."""

    LEFT = "left"
    RIGHT = "right"
    ABOVE = "above"
    BELOW = "below"
    PLACE = "place"

    @property
    def is_across(self) -> bool:
        return self in (PaneSide.LEFT, PaneSide.RIGHT)

    @property
    def is_before(self) -> bool:
        return self in (PaneSide.LEFT, PaneSide.ABOVE)


class PaneTree(QWidget):
    """The splitters, and the panes in them; independent of what the panes show.

    Signals:
        border_dragged: A person has given a pane more room, or less.
    """

    border_dragged = Signal()

    def __init__(self, setting: RibbonSetting) -> None:
        super().__init__()
        self._setting = setting
        self._ribbon_px = RIBBON_PX
        self._all_sizes: list[int] = []  # of all columns, while only two are seen
        self._two_sizes: list[int] = []  # of these, as a person dragged them
        self._sizes_before_pair: list[int] = []  # the same, while two panes are presented
        self._root = self._make_splitter(is_across=True)
        self._layout = fill_box(QVBoxLayout(self), self._root, margins=(0, 0, 0, 0))

    def panes(self) -> list[StagePane]:
        """From the top left to the bottom right."""
        return list(_panes_in(self._root))

    def pane_at(self, place: QPoint) -> StagePane | None:
        """The pane at a place on the screen."""
        for pane in self.panes():
            if pane.isVisible() and pane.rect().contains(pane.mapFromGlobal(place)):
                return pane
        return None

    # --- changing ---

    def add_first(self, pane: StagePane) -> None:
        """Put in a pane where there is none."""
        self._root.addWidget(pane)

    def insert(
        self, pane: StagePane, beside: StagePane, side: PaneSide, *, in_column: bool = False
    ) -> None:
        """Put in a pane to a side of another, which gives it half of its room.

        Args:
            pane: What is put in.
            beside: The other.
            side: Of the other.
            in_column: Both become one column together, where they stand side by side.
        """
        parent = _splitter_of(beside)
        index, sizes = parent.indexOf(beside), parent.sizes()
        is_across = parent.orientation() == Qt.Orientation.Horizontal
        is_along = is_across == side.is_across and not (in_column and parent is self._root)
        if is_along or parent.count() == 1:
            if is_across != side.is_across:
                self._turn(parent)
            parent.insertWidget(index if side.is_before else index + 1, pane)
            sizes[index : index + 1] = [sizes[index] // 2, sizes[index] - sizes[index] // 2]
            parent.setSizes(sizes)
        else:
            inner = self._make_splitter(is_across=side.is_across)
            parent.insertWidget(index, inner)
            for each in (pane, beside) if side.is_before else (beside, pane):
                inner.addWidget(each)
                each.show()
            room = inner.width() if side.is_across else inner.height()
            inner.setSizes([max(room // 2, 100)] * 2)
            parent.setSizes(sizes)
        pane.show()

    def take_out(self, pane: StagePane) -> None:
        """Take out a pane: the one beside it gets its room, not the source where there is another.

        What held only it and one more is dissolved.
        """
        parent = _splitter_of(pane)
        index, sizes = parent.indexOf(pane), parent.sizes()
        pane.setParent(None)
        if parent is self._root or parent.count() != 1:
            freed = sizes.pop(index)
            beside = [at for at in (index, index - 1) if 0 <= at < len(sizes)]
            if beside:
                heir = min(beside, key=lambda at: _is_source(parent.widget(at)))
                sizes[heir] += freed
                parent.setSizes(sizes)
            return
        outer, left_over = _splitter_of(parent), parent.widget(0)
        assert left_over is not None
        sizes = outer.sizes()
        outer.insertWidget(outer.indexOf(parent), left_over)
        left_over.show()
        parent.setParent(None)
        parent.deleteLater()
        outer.setSizes(sizes)

    def move_pane(self, pane: StagePane, beside: StagePane, side: PaneSide) -> None:
        """Put a pane elsewhere, or let two swap their places."""
        if side is not PaneSide.PLACE:
            self.take_out(pane)
            self.insert(pane, beside, side)
            return
        first, second = _splitter_of(pane), _splitter_of(beside)
        sizes = first.sizes(), second.sizes()
        at, there = first.indexOf(pane), second.indexOf(beside)
        first.insertWidget(at, beside)
        second.insertWidget(there, pane)
        for widget in (pane, beside):
            widget.show()
        first.setSizes(sizes[0])
        second.setSizes(sizes[1])

    def neighbour(self, pane: StagePane, side: PaneSide) -> StagePane | None:
        """The nearest pane on a side."""
        here = _place_of(pane)

        def is_there(other: StagePane) -> bool:
            place = _place_of(other)
            across = place.top() <= here.bottom() and here.top() <= place.bottom()
            along = place.left() <= here.right() and here.left() <= place.right()
            return {
                PaneSide.LEFT: across and place.right() < here.left(),
                PaneSide.RIGHT: across and place.left() > here.right(),
                PaneSide.ABOVE: along and place.bottom() < here.top(),
                PaneSide.BELOW: along and place.top() > here.bottom(),
            }.get(side, False)

        def distance(other: StagePane) -> int:
            return (_place_of(other).center() - here.center()).manhattanLength()

        others = [other for other in self.panes() if other is not pane and is_there(other)]
        return min(others, key=distance, default=None)

    def show_only(self, *shown: StagePane) -> None:
        """Hide all panes but these."""
        for each in self.panes():
            each.setVisible(each in shown)
        for splitter in self.findChildren(RibbonSplitter):
            splitter.setVisible(any(not each.isHidden() for each in _panes_in(splitter)))

    def show_all(self) -> None:
        """Show all panes, as wide as they were before two of them had all the room."""
        self.show_only(*self.panes())
        if len(self._sizes_before_pair) == self._root.count():
            self._root.setSizes(self._sizes_before_pair)

    def restore_widths(self) -> None:
        """The room is again what it was before two panes had it all: so are all widths, exactly."""
        sizes, self._sizes_before_pair = self._sizes_before_pair, []
        if not self._all_sizes and len(sizes) == self._root.count():
            self._root.setSizes(sizes)

    def keep_widths(self) -> None:
        """Remember how wide all panes are before some of them have all the room."""
        self._sizes_before_pair = self._sizes_before_pair or self._root.sizes()

    def show_pair(self, pane: StagePane, narrow: StagePane, share: float) -> None:
        """Hide all panes but two.

        Args:
            pane: The one that gets most of the width, where they stand side by side.
            narrow: The other.
            share: Of the width, in percent, for the other.
        """
        self.show_only(pane, narrow)
        columns = [self._root.widget(number) for number in range(self._root.count())]
        holding = [
            [
                column is each or (column is not None and column.isAncestorOf(each))
                for column in columns
            ]
            for each in (pane, narrow)
        ]
        if holding[0] != holding[1] and self._root.orientation() == Qt.Orientation.Horizontal:
            shares = [
                (100.0 - share) * wide + share * thin for wide, thin in zip(*holding, strict=True)
            ]
            self._root.setSizes([round(self.width() * each / 100) for each in shares])

    # --- columns ---

    def show_two(self, pane: StagePane, first: StagePane, shares: tuple[int, int]) -> None:
        """Of more than two columns see only that of a pane and that of another.

        Args:
            shares: Of the room, in percent; two columns that are seen already keep theirs.
        """
        every = (self._root.widget(number) for number in range(self._root.count()))
        columns = [column for column in every if column is not None]
        if len(columns) <= 2 or self._root.orientation() != Qt.Orientation.Horizontal:
            return
        kept = [
            column
            for column in columns
            if column in (first, pane) or any(column.isAncestorOf(each) for each in (first, pane))
        ]
        kept += [column for column in columns if column not in kept][: 2 - len(kept)]
        slots: Sequence[int] = self._two_sizes
        if len(slots) != 2:
            slots = [self.width() * share // 100 for share in shares]
        if self._all_sizes:  # two are seen already: the other takes its place
            slots = tuple(size for size in self._root.sizes() if size)
        else:
            self._all_sizes = self._root.sizes()
        sizes = iter(slots)
        for column in columns:
            column.setVisible(column in kept)
        self._root.setSizes(
            [
                next(sizes, 1) if column in kept else most
                for column, most in zip(columns, self._all_sizes, strict=True)
            ]
        )

    @property
    def num_columns(self) -> int:
        """How many parts stand side by side, seen or not."""
        return self._root.count() if self._root.orientation() == Qt.Orientation.Horizontal else 1

    @property
    def hides_columns(self) -> bool:
        """Whether two of more columns are seen."""
        return bool(self._all_sizes)

    def show_columns(self) -> None:
        """See all columns again, as wide as they were."""
        if self._all_sizes:
            sizes, self._all_sizes = self._all_sizes, []
            self.show_only(*self.panes())
            self._root.setSizes(sizes)
            self._root.refresh()

    def clear(self) -> None:
        """Take all panes out."""
        self._all_sizes, self._two_sizes, self._sizes_before_pair = [], [], []
        for pane in self.panes():
            pane.setParent(None)
        before, self._root = self._root, self._make_splitter(is_across=True)
        self._layout.replaceWidget(before, self._root)
        before.hide()
        before.deleteLater()

    # --- arrangements ---

    def build(self, arrangement: Split, make: Callable[[PaneSpec], StagePane]) -> None:
        """Open the panes of an arrangement in an empty tree."""
        if arrangement.is_across != (self._root.orientation() == Qt.Orientation.Horizontal):
            self._turn(self._root)
        self._fill(self._root, arrangement, make)
        self._root.show()  # Qt would later: until then no pane would count as seen

    @property
    def room_px(self) -> int:
        """What the columns share: the width without the borders between them."""
        return self.width() - self._root.handleWidth() * (self._root.count() - 1)

    def share(self, shares: Sequence[float]) -> None:
        """Give the columns their shares of the room."""
        self._root.setSizes([round(self.room_px * share / sum(shares)) for share in shares])

    def describe(self, specify: Callable[[StagePane], PaneSpec]) -> Split:
        """The arrangement of now, with the columns that have no room for now."""
        found = _describe(self._root, specify)
        shares = tuple(map(float, self._all_sizes)) or found.shares
        return dataclasses.replace(found, shares=shares)

    def _fill(
        self, splitter: QSplitter, split: Split, make: Callable[[PaneSpec], StagePane]
    ) -> None:
        for part in split.parts:
            if isinstance(part, PaneSpec):
                splitter.addWidget(make(part))
            else:
                inner = self._make_splitter(is_across=part.is_across)
                splitter.addWidget(inner)
                self._fill(inner, part, make)
        total = sum(split.shares) or 1.0
        splitter.setSizes([max(round(10_000 * share / total), 1) for share in split.shares])

    # --- ribbons ---

    @property
    def shows_ribbons(self) -> bool:
        """Whether ribbons have room."""
        return self._ribbon_px == RIBBON_PX

    def set_ribbons_shown(self, is_shown: bool) -> None:
        """Make room for ribbons, or take it away."""
        self._ribbon_px = RIBBON_PX if is_shown else HANDLE_PX
        for splitter in self.findChildren(RibbonSplitter):
            splitter.set_ribbon_px(self._ribbon_px)

    def repaint_ribbons(self) -> None:
        """Draw all ribbons anew."""
        for splitter in self.findChildren(RibbonSplitter):
            for number in range(1, splitter.count()):
                splitter.handle(number).update()

    def _make_splitter(self, *, is_across: bool) -> RibbonSplitter:
        orientation = Qt.Orientation.Horizontal if is_across else Qt.Orientation.Vertical
        splitter = RibbonSplitter(orientation, self._setting, self._ribbon_px)
        splitter.splitterMoved.connect(self._on_splitter_moved)
        return splitter

    def _on_splitter_moved(self, _place: int, _index: int) -> None:
        if self._all_sizes and not self._sizes_before_pair:
            self._two_sizes = [size for size in self._root.sizes() if size]
        self.border_dragged.emit()

    def _turn(self, splitter: RibbonSplitter) -> None:
        is_across = splitter.orientation() == Qt.Orientation.Horizontal
        splitter.setOrientation(Qt.Orientation.Vertical if is_across else Qt.Orientation.Horizontal)
        splitter.set_ribbon_px(self._ribbon_px)


def side_at(pane: StagePane, place: QPoint) -> PaneSide:
    """The side of a pane that a place on the screen is at; its middle is its own place."""
    local = pane.mapFromGlobal(place)
    x, y = local.x() / max(pane.width(), 1), local.y() / max(pane.height(), 1)
    nearest = min(
        (x, PaneSide.LEFT), (1 - x, PaneSide.RIGHT), (y, PaneSide.ABOVE), (1 - y, PaneSide.BELOW),
        key=lambda found: found[0],
    )  # fmt: skip
    return nearest[1] if nearest[0] < _EDGE_SHARE else PaneSide.PLACE


def zone_of(pane: StagePane, side: PaneSide) -> QRect:
    """The room that a pane dropped at a side would take."""
    width, height = pane.width(), pane.height()
    return {
        PaneSide.LEFT: QRect(0, 0, width // 2, height),
        PaneSide.RIGHT: QRect(width // 2, 0, width - width // 2, height),
        PaneSide.ABOVE: QRect(0, 0, width, height // 2),
        PaneSide.BELOW: QRect(0, height // 2, width, height - height // 2),
        PaneSide.PLACE: QRect(0, 0, width, height),
    }[side]


def _panes_in(splitter: QSplitter) -> Iterator[StagePane]:
    for number in range(splitter.count()):
        widget = splitter.widget(number)
        if isinstance(widget, StagePane):
            yield widget
        elif isinstance(widget, QSplitter):
            yield from _panes_in(widget)


def _is_source(widget: QWidget | None) -> bool:
    return isinstance(widget, StagePane) and widget.wanted_stage == SOURCE


def _splitter_of(widget: QWidget) -> RibbonSplitter:
    parent = widget.parentWidget()
    assert isinstance(parent, RibbonSplitter)
    return parent


def _place_of(pane: StagePane) -> QRect:
    return QRect(pane.mapToGlobal(QPoint(0, 0)), pane.size())


def _describe(splitter: QSplitter, specify: Callable[[StagePane], PaneSpec]) -> Split:
    parts: list[PaneSpec | Split] = []
    for number in range(splitter.count()):
        widget = splitter.widget(number)
        if isinstance(widget, StagePane):
            parts.append(specify(widget))
        elif isinstance(widget, QSplitter):
            parts.append(_describe(widget, specify))
    shares = tuple(float(size) for size in splitter.sizes())
    return Split(splitter.orientation() == Qt.Orientation.Horizontal, tuple(parts), shares)


def _shape(part: PaneSpec | Split) -> object:
    """How parts lie in each other, whatever they show and however wide they are."""
    if isinstance(part, PaneSpec):
        return None
    return part.is_across, *map(_shape, part.parts)


@dataclass(frozen=True, slots=True)
class _Closed:
    """A pane that was closed, so that it can come back where it was.

    Attributes:
        before: How panes were laid out with it.
        at: Which of these it was.
        after: How they were laid out without it.
        grows: Whether a third view would have come by itself.
    """

    before: Split
    at: int
    after: Split
    grows: bool

    @property
    def spec(self) -> PaneSpec:
        return panes_of(self.before)[self.at]


def no_room() -> str:
    """What to say where a pane could not be opened."""
    return tr("There is no room for another view: close one first.")


class PaneArea(QWidget):
    """Owns the panes; `panes_changed` fires when one is opened, closed or shows another stage.

    Signals:
        panes_changed: See above.
        forms_changed: A pane shows its stage in another form.
        menu_requested: A pane, and the place on the screen where its menu is wanted.
        graph_menu_requested: The place on the screen where the menu of the active pane's graph is
            wanted.
        shown_changed: Other panes than before may be seen.
        stage_changed: The active pane is for another stage, whose name it carries: another pane
            was made active, or the active one was given another stage.
        notes_requested: What was noticed about the call is to be shown.
    """

    panes_changed = Signal()
    forms_changed = Signal()
    menu_requested = Signal(object, QPoint)
    graph_menu_requested = Signal(QPoint)
    notes_requested = Signal()
    shown_changed = Signal()
    stage_changed = Signal(str)

    def __init__(
        self, make_graph: Callable[[], GraphPage], selection: SelectionModel, lines: SourceLines
    ) -> None:
        super().__init__()
        self._make_graph, self._selection, self._lines = make_graph, selection, lines
        self._active: StagePane | None = None
        self._last_view: StagePane | None = None
        self._active_stage = ""
        self._alone: StagePane | None = None
        self._before_alone = FIRST_ARRANGEMENT
        self._scale = 0.0  # of texts, while one pane is presented
        self._has_source_beside = True  # of what is presented
        self._is_source_chosen = False  # by a person, meanwhile
        self._ribbons = RibbonSetting(self._find_pairs)
        self._tree = PaneTree(self._ribbons)
        self._waiting: Split | None = None
        self._grows = False
        self._closed: list[_Closed] = []
        self.is_wrapping = False
        self._companion: QWidget | None = None
        self._focus_companion: Callable[[], None] | None = None
        self._is_companion_hidden, self._companion_share = False, COMPANION_SHARE
        self._share_below_graph, self._is_share_given = _SHARE_BELOW_GRAPH, False
        self._zone = QRubberBand(QRubberBand.Shape.Rectangle, self)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._tree.repaint_ribbons)
        self._revealing = QTimer(self, singleShot=True, interval=0)
        self._revealing.timeout.connect(self._on_revealing_timeout)
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit_columns)
        fill_box(QVBoxLayout(self), self._tree, margins=(0, 0, 0, 0))
        selection.changed.connect(self.refresh_ribbons)
        selection.cleared.connect(self.clear_current)
        self.panes_changed.connect(self._place_companion)
        self.panes_changed.connect(self._fit_columns)
        self._tree.border_dragged.connect(self._on_border_dragged)

    @property
    def panes(self) -> Sequence[StagePane]:
        """From the top left to the bottom right."""
        return tuple(self._tree.panes())

    @property
    def active(self) -> StagePane | None:
        """The pane that commands go to."""
        return self._active

    @property
    def presented(self) -> StagePane | None:
        """The view that is presented, also while the source beside it has the keyboard; else the
        active pane.
        """
        return self._alone if self._scale else self._active

    def wanted_stages(self) -> frozenset[str]:
        """Names of the stages that panes are for, or will be once there are panes."""
        if self._waiting is not None:
            return frozenset(spec.stage for spec in panes_of(self._waiting))
        return frozenset(pane.wanted_stage for pane in self.panes)

    def shown_stages(self) -> frozenset[str]:
        """Of these the ones whose panes are seen, where a few hide the others for now."""
        if self._waiting is not None:
            return self.wanted_stages()
        return frozenset(pane.wanted_stage for pane in self.panes if pane.isVisibleTo(self))

    def canvases(self) -> Iterator[GraphCanvas]:
        """The graphs of all panes that have ever shown one."""
        return (pane.canvas for pane in self.panes if pane.canvas is not None)

    def canvas_of(self, stage: str) -> GraphCanvas | None:
        """The graph of a stage, where one is shown."""
        shown = (p for p in self.panes if p.wanted_stage == stage and p.is_graph_shown)
        return next((pane.canvas for pane in shown), None)

    # --- opening and closing ---

    def open_pane(
        self,
        stage_name: str,
        *,
        after: StagePane | None = None,
        side: PaneSide = PaneSide.RIGHT,
        may_be_below: bool = True,
    ) -> StagePane | None:
        """Open a pane for a stage; None if there is no room where it could be of use.

        Args:
            after: The pane beside which it is opened; None for the last.
            side: Where beside it.
            may_be_below: Whether it goes below it, where that would be too narrow or a third
                column; else it parts the other's column.
        """
        self.make_panes()
        panes = self._tree.panes()
        beside = after or (panes[-1] if panes else None)
        is_full = self.width() < _NARROW_PX and self._tree.num_columns >= 2
        if beside is not None and beside.isVisible():
            is_thin = beside.width() < 2 * _LEAST_ACROSS_PX
            if side.is_across and may_be_below and (is_full or is_thin):
                side = PaneSide.BELOW
            is_low = beside.height() < 2 * _LEAST_DOWN_PX
            if is_thin if side.is_across else is_low:
                return None
        if len(self.panes) >= MAX_PANES:
            return None
        self._grows = False
        self._loosen()
        pane = self._make_pane(stage_name)
        if beside is None:
            self._tree.add_first(pane)
        else:
            self._tree.insert(pane, beside, side, in_column=is_full and not may_be_below)
            pane.prefer_form(beside.form)
        self.activate(pane)
        self.panes_changed.emit()
        self._revealing.start()
        return pane

    def set_companion(self, part: QWidget, take_keyboard: Callable[[], None]) -> None:
        """Show a part of the window below the source, or below the first pane without one."""
        self._companion, self._focus_companion = part, take_keyboard
        part.setParent(self)
        self._place_companion()

    def _release_companion(self) -> None:
        """Take it out of its pane, which is about to go."""
        if self._companion is not None and self._companion.parentWidget() is not self:
            self._is_companion_hidden = self._companion.isHidden()
            self._companion.setParent(self)

    def _place_companion(self) -> None:
        panes = self.panes
        if self._companion is None or not panes:
            return
        pane = next((pane for pane in panes if pane.wanted_stage == SOURCE), panes[0])
        if not pane.isAncestorOf(self._companion):
            self._release_companion()
            pane.add_below(self._companion, self._share_below(pane))
            self._companion.setHidden(self._is_companion_hidden)

    def _share_below(self, pane: StagePane) -> float:
        if not _is_source(pane):
            return self._share_below_graph
        if self._is_share_given:
            return self._companion_share
        least = min(_LEAST_BELOW_PX / max(pane.height(), 1), _MOST_BELOW)
        return max(self._companion_share, least)

    def set_companion_share(self, share: float) -> None:
        """Give the companion a part of the source's height, from 0 to 1, unless a person has."""
        if not self._is_share_given:
            self._companion_share = share
            self.refit_companion()

    def refit_companion(self, *, keeps_top: bool = False) -> None:
        """Give the companion its part of the height again: it may need more or less of it.

        Args:
            keeps_top: The text above it goes on to begin at the same line.
        """
        if self._companion is not None:
            for pane in self.panes:
                if pane.isAncestorOf(self._companion):
                    share = self._share_below(pane)
                    pane.add_below(self._companion, share, keeps_top=keeps_top)

    def arrange(self, arrangement: Split = FIRST_ARRANGEMENT, *, grows: bool | None = None) -> None:
        """Close all panes and open those of an arrangement; the first without source is active.

        Args:
            grows: Whether a third view comes where it has room; None for the first one only.
        """
        self._grows = arrangement is FIRST_ARRANGEMENT if grows is None else grows
        if self._waiting is not None:
            self._waiting = arrangement
            return
        self._loosen()
        self._closed.clear()
        before, self._active = self.panes, None
        self._release_companion()
        self._tree.clear()
        for pane in before:
            pane.hide()
            pane.deleteLater()
        self._tree.build(arrangement, self._make_specified)
        panes = self._tree.panes()
        self.activate(next((pane for pane in panes if pane.wanted_stage != SOURCE), panes[-1]))
        self.panes_changed.emit()

    def defer_panes(self) -> None:
        """Have no panes before `make_panes`: a window that can take a call needs none."""
        self._waiting, self._grows = FIRST_ARRANGEMENT, True

    def make_panes(self) -> None:
        """Make the panes of the arrangement that was asked for last, where they still wait."""
        if self._waiting is not None:
            arrangement, self._waiting = self._waiting, None
            self.arrange(arrangement, grows=self._grows)
            self._grow()

    @property
    def is_one_alone(self) -> bool:
        """Whether one pane has all the room for now."""
        return self._alone is not None

    def arrangement(self) -> Split:
        """How panes are laid out now; while one is alone, how they were before.

        Asked every few seconds, so it changes nothing that is seen.
        """
        if self._waiting is not None:
            return self._waiting
        if self._alone is not None:
            return self._before_alone
        return self._tree.describe(self._specify)

    @property
    def grows(self) -> bool:
        """Whether a third view comes where it has room: nobody has arranged views otherwise."""
        return self._grows

    def close_pane(self, pane: StagePane) -> None:
        """Close a pane, unless it is the last."""
        if len(self.panes) == 1:
            return
        self._loosen()
        before, at, grows = self._tree.describe(self._specify), self.panes.index(pane), self._grows
        focused = QApplication.focusWidget()
        had_keyboard = focused is not None and pane.isAncestorOf(focused)
        if had_keyboard and focused is not None:
            focused.clearFocus()  # else Qt would give it to another pane, which became active
        self._grows = False
        self._release_companion()
        self._tree.take_out(pane)
        closed = _Closed(before, at, self._tree.describe(self._specify), grows)
        self._closed = [*self._closed, closed][-MAX_PANES:]
        pane.hide()
        pane.deleteLater()
        if self._alone is pane and self._active is not pane:
            self._alone = self._active  # the source, beside what is closed
        if self._active is pane:
            self._active, left = None, self._tree.panes()
            # The nearest one; the source only where no other is left.
            near = sorted(enumerate(left), key=lambda each: abs(each[0] - at + 0.5))
            self.activate(min((each for _, each in near), key=_is_source))
        if had_keyboard and self._active is not None:
            self._active.focus_content()
        self.panes_changed.emit()
        self._revealing.start()

    def close_twins(self) -> None:
        """Close further panes of one stage and form, which show nothing else."""
        known: set[PaneSpec] = set()
        for pane in self.panes:
            spec = self._specify(pane)
            if spec in known:
                self.close_pane(pane)
            known.add(spec)

    def _reopen(self, stage_name: str) -> bool:
        """Show a stage where a pane was closed, unless panes were laid out otherwise since.

        The source comes back where it was, and any stage where one was. Tells whether it does.
        """
        now, is_source = _shape(self._tree.describe(self._specify)), stage_name == SOURCE
        fitting = (
            each
            for each in reversed(self._closed)
            if (each.spec.stage == SOURCE) is is_source and _shape(each.after) == now
        )
        closed = next(fitting, None)
        if closed is None:
            return False
        self._closed.remove(closed)
        self._loosen()
        spec, panes = closed.spec, self._tree.panes()
        is_same = spec.stage == stage_name
        pane = self._make_specified(spec if is_same else PaneSpec(stage_name, spec.form))
        panes.insert(closed.at, pane)
        in_order, had_keyboard = iter(panes), self._drop_keyboard()
        self._tree.clear()
        self._tree.build(closed.before, lambda _spec: next(in_order))
        self._grows = closed.grows
        self.activate(pane)
        self.panes_changed.emit()
        if had_keyboard:
            pane.focus_content()
        return True

    def _drop_keyboard(self) -> bool:
        """Take the keyboard from panes that are about to be moved, and tell whether they had it.

        Qt would give it to the next in the order of `Tab`, such as a button of the drawer.
        """
        widget = QApplication.focusWidget()
        if widget is None or not self.isAncestorOf(widget):
            return False
        widget.clearFocus()
        return True

    def move_pane(self, pane: StagePane, beside: StagePane, side: PaneSide) -> None:
        """Put a pane to a side of another, or swap the two."""
        if pane is beside:
            return
        self._grows = False
        self._loosen()
        self._tree.move_pane(pane, beside, side)
        self.panes_changed.emit()

    def move_active(self, side: PaneSide) -> None:
        """Swap the active pane with its neighbour on a side, where there is one."""
        if self._active is not None:
            self._loosen()
            neighbour = self._tree.neighbour(self._active, side)
            if neighbour is not None:
                self.move_pane(self._active, neighbour, PaneSide.PLACE)
            self._fitting.start()

    def show_alone(self) -> None:
        """Maximize the active pane, or restore all panes if it is maximized.

        While one is presented: with the source beside it, or alone.
        """
        if self._scale:
            self._has_source_beside = not self._has_source_beside
            self._is_source_chosen = True
            self._alone = self._active
            self._show_presented()
        elif self._alone is not None:
            self.show_all()
        elif self._active is not None:
            self._show_active_alone()

    def present(self, scale: float, *, has_source: bool = True) -> None:
        """Show one view at a time, without tools, and texts of graphs enlarged; 0 ends that.

        Args:
            scale: Of texts; 1 is ordinary.
            has_source: Whether the source is beside it.
        """
        self._scale = 0.0
        self.show_all()
        self._scale, self._has_source_beside = scale, has_source
        self._is_source_chosen = False
        for pane in self.panes:
            pane.present(scale)
        if scale:
            view = self._view()
            if view is not None:
                self.activate(view)
            self._show_active_alone()

    def show_source_beside(self, *, is_shown: bool) -> None:
        """Present the source beside the view, or the view alone, unless a person chose that."""
        if self._scale and not self._is_source_chosen and is_shown != self._has_source_beside:
            self._has_source_beside = is_shown
            self._fitting.start()

    def restore_widths(self) -> None:
        """After a presentation, once the window has its size again."""
        self._tree.restore_widths()
        self._fitting.start()

    def _show_active_alone(self) -> None:
        self._before_alone = self.arrangement()
        self._alone = self._active
        self._tree.show_columns()
        if self._scale:
            self._tree.keep_widths()
        self._show_presented()

    def _show_presented(self) -> None:
        """Show the pane that has all the room, and the source beside it where it is presented."""
        sources = [pane for pane in self.panes if pane.wanted_stage == SOURCE]
        if self._alone in sources and self._scale and self._has_source_beside:
            self._alone = self._view()  # the source has the keyboard, beside a view
        pane = self._alone
        if pane is None:
            return
        if self._scale and self._has_source_beside and sources and pane not in sources:
            self._tree.show_pair(pane, sources[0], _SOURCE_PRESENTED)
        else:
            self._tree.show_only(pane)
        self.shown_changed.emit()

    def show_all(self) -> None:
        """See every pane, or the one that is presented."""
        if self._scale:
            return
        if self._alone is not None:
            self._alone = None
            self._tree.show_all()
            self._fitting.start()

    # --- columns ---

    @property
    def is_narrow(self) -> bool:
        """Whether there is room for two columns only; a third that came by itself needs more."""
        return self.width() < (_WIDE_PX if self._grows else _NARROW_PX)

    def _share_three(self) -> None:
        """Give the three panes of the wide arrangement their widths, in the room that there is."""
        shares = _WIDEST_SHARES if self.width() >= _WIDEST_PX else WIDE_ARRANGEMENT.shares
        room = self._tree.room_px
        source, program, third = (room * share / sum(shares) for share in shares)
        missing = max(_LEAST_PROGRAM_PX - program, 0.0)
        from_third = min(missing, max(third - _LEAST_THIRD_PX, 0.0))
        self._tree.share((source - missing + from_third, program + missing, third - from_third))

    def _grow(self) -> None:
        """Open the third view where it has room, and nobody has arranged views."""
        third = WIDE_ARRANGEMENT.parts[-1]
        assert isinstance(third, PaneSpec)
        is_open = third.stage in {pane.wanted_stage for pane in self.panes}
        if self._grows and self.width() >= _WIDE_PX and len(self.panes) == 2 and not is_open:
            self._tree.show_columns()
            self._tree.insert(self._make_specified(third), self.panes[-1], PaneSide.RIGHT)
            self._share_three()
            self.panes_changed.emit()

    def _fit_columns(self) -> None:
        """See two columns where there is no room for more: the source, and the active pane."""
        if self._scale:
            self._show_presented()  # in another room, or it is for another stage by now
        if not self.isVisible() or self._alone is not None or self._active is None:
            return
        self._grow()
        if self.is_narrow:
            first = next((p for p in self.panes if p.wanted_stage == SOURCE), self.panes[0])
            shares = (34, 66) if first.wanted_stage == SOURCE else (50, 50)
            self._tree.show_two(self._active, first, shares)
        else:
            self._tree.show_columns()
            if self._grows and len(self.panes) == self._tree.num_columns == 3:
                self._share_three()  # at another width they have others
        self.shown_changed.emit()

    def _on_border_dragged(self) -> None:
        # Of three columns two are seen: their widths are remembered, and the third waits for room.
        if not self._tree.hides_columns:
            self._grows = False

    def _loosen(self) -> None:
        """See every column, however narrow: something is moved, or asked about."""
        self.show_all()
        self._tree.show_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fitting.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fitting.start()

    # --- what panes are for ---

    def show_in_main(self, stage_name: str) -> None:
        """Show a stage in the main view, unless one shows it already.

        The source has a pane of its own, and so has the program: where there is none, one is
        opened, where it was if it was closed.
        """
        target = self._view()
        had_keyboard = target is not None and self._has_keyboard(target)
        for pane in self.panes:
            if pane.wanted_stage == stage_name:
                if self._alone is not pane:
                    self.show_all()
                if target is not None and self._would_hide(target, pane):
                    self._loosen()
                    self._tree.move_pane(pane, target, PaneSide.PLACE)
                    self.activate(pane)
                    self.panes_changed.emit()
                self.activate(pane)
                if had_keyboard:
                    pane.focus_content()
                return
        if target is None:
            return
        is_source = stage_name == SOURCE
        if is_source or (len(self.panes) == 1 and target.wanted_stage == SOURCE):
            beside, side = (self.panes[0], PaneSide.LEFT) if is_source else (target, PaneSide.RIGHT)
            if self._reopen(stage_name):
                return
            if self.open_pane(stage_name, after=beside, side=side) is not None:
                if len(self.panes) == self._tree.num_columns == 2:
                    self._tree.share(FIRST_ARRANGEMENT.shares)
                return
        target = self._main_view() or target
        self.set_stage(target, stage_name)
        self.activate(target)
        if had_keyboard:
            target.focus_content()

    def show_beside(self, stage_name: str) -> StagePane | None:
        """Show a stage beside the view that has, or had last, the keyboard.

        Both are one column together where there is no room for a third.

        Returns:
            The pane of that stage; None if there is no room.
        """
        self.make_panes()
        target = self._view()
        pane = next((pane for pane in self.panes if pane.wanted_stage == stage_name), None)
        if pane is None or target is None:
            return self.open_pane(stage_name, after=target, may_be_below=False)
        if not pane.isVisibleTo(self) and self._alone is None:
            if target.width() < 2 * _LEAST_ACROSS_PX:
                return None
            self._grows = False
            self._loosen()
            self._release_companion()
            self._tree.take_out(pane)
            self._tree.insert(pane, target, PaneSide.RIGHT, in_column=self.is_narrow)
            self.activate(pane)
            self.panes_changed.emit()
        self.show_all()
        self.activate(pane)
        return pane

    def _view(self) -> StagePane | None:
        """The view that has, or had last, the keyboard: the source only where there is no other."""
        views = [pane for pane in self.panes if pane.wanted_stage != SOURCE]
        known = (each for each in (self._active, self._last_view) if each in views)
        return next(known, views[0] if views else self._active)

    def _main_view(self) -> StagePane | None:
        """The largest view but the source; of those about as large the one of `_view`."""
        views = [p for p in self.panes if p.wanted_stage != SOURCE and p.isVisibleTo(self)]
        sizes = [pane.width() * pane.height() for pane in views]
        large = [p for p, size in zip(views, sizes, strict=True) if size >= _AS_LARGE * max(sizes)]
        if (known := self._view()) in large:
            return known
        return max(large, key=lambda pane: pane.width() * pane.height(), default=None)

    def _has_keyboard(self, pane: StagePane) -> bool:
        """Whether it does, or will have it again when what stands over the window is closed."""
        focused = self.window().focusWidget()
        return focused is not None and pane.isAncestorOf(focused)

    def _would_hide(self, view: StagePane, pane: StagePane) -> bool:
        """Whether a view's column, with further views in it, would give way to that of a pane."""
        if pane.isVisibleTo(self) or not view.isVisibleTo(self):
            return False
        return any(
            each is not view and each.wanted_stage != SOURCE and each.isVisibleTo(self)
            for each in self.panes
        )

    def show_links(self, links: Links, *, reveal: bool) -> None:
        """Highlight in all panes what is linked to the selection."""
        for pane in self.panes:
            pane.show_links(links, reveal=reveal)
        self.refresh_ribbons()

    def _on_revealing_timeout(self) -> None:
        """Panes have other sizes now: what is selected is to be in sight again."""
        self.show_links(self._selection.links, reveal=True)

    def reveal_selected(self) -> None:
        """Open in graphs what is around the place that is selected, and bring it into sight."""
        place = self._selection.place
        at = self._selection.node_at(place)
        for pane in self.panes:
            if pane.canvas is None or at is None or pane.wanted_stage != at[0]:
                continue
            if isinstance(place, GroupPlace):
                pane.canvas.show_group(place.id)
            else:
                pane.canvas.select_node(at[1])

    def reveal_linked(self) -> None:
        """Open in the graph that is presented what is around the few nodes that are linked to a
        selection in another stage.
        """
        pane, place = self.presented, self._selection.node_at(self._selection.place)
        if pane is None or pane.canvas is None or place is None or pane.wanted_stage == place[0]:
            return
        linked = self._selection.links.stages.get(pane.wanted_stage)
        nodes = [] if linked is None else [*linked.forward.tolist(), *linked.backward.tolist()]
        if 0 < len(nodes) <= _MOST_OPENED_FOR:
            pane.canvas.open_around(nodes)

    def focus_next(self, step: int) -> None:
        """Move the keyboard to the next pane; from elsewhere in the window to the active one.

        What is below a pane comes after all of them, as with `Tab`.
        """
        panes, focused, companion = self.panes, QApplication.focusWidget(), self._companion
        if not panes:
            return
        index = panes.index(self._active) if self._active in panes else -step
        is_elsewhere = focused is not None and not self.isAncestorOf(focused)
        num_stops = len(panes)
        if companion is not None and companion.isVisible():
            num_stops += 1
            if focused is not None and companion.isAncestorOf(focused):
                index = num_stops - 1
        place = (index + (0 if is_elsewhere else step)) % num_stops
        if place == len(panes):
            assert self._focus_companion is not None
            self._focus_companion()
            return
        pane = panes[place]
        if self._alone is not None:
            self.show_all()
        self.activate(pane)
        pane.focus_content()

    def clear_current(self) -> None:
        """Let no box of a graph be the current one."""
        for canvas in self.canvases():
            canvas.select_node(NONE, reveal=False)

    # --- ribbons ---

    def _find_pairs(self, left: StagePane, right: StagePane) -> Pairs:
        """Which linked things of one pane belong to which of another."""
        names = [GRAPH_STAGE_OF.get(p.wanted_stage, p.wanted_stage) for p in (left, right)]
        things = [pane.highlighter.things() for pane in (left, right)]
        if self._selection.selection is None or names[0] == names[1] == SOURCE:
            return NO_PAIRS
        index = self._selection.index
        if SOURCE not in names:
            return index.find_pairs(names[0], things[0], names[1], things[1])
        at = names.index(SOURCE)
        pairs = self._lines.find_pairs(index, things[at], names[1 - at], things[1 - at])
        return pairs if at == 0 else pairs[:, ::-1]

    def refresh_ribbons(self) -> None:
        """Another selection, or another stage: ask for the pairs anew."""
        self._ribbons.generation += 1
        self._tree.repaint_ribbons()

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours for ribbons."""
        self._ribbons.theme = theme
        self._tree.repaint_ribbons()

    @property
    def shows_ribbons(self) -> bool:
        """Whether there is room for ribbons between panes."""
        return self._tree.shows_ribbons

    def set_ribbons_shown(self, is_shown: bool) -> None:
        """Make room for ribbons, or take it away."""
        self._tree.set_ribbons_shown(is_shown)

    def set_wrapping(self, is_wrapping: bool) -> None:
        """Wrap long lines of texts, or scroll sideways to their ends."""
        self.is_wrapping = is_wrapping
        for pane in self.panes:
            pane.code.set_wrapping(is_wrapping)

    # --- inside ---

    def _make_pane(self, stage_name: str) -> StagePane:
        pane = StagePane(self._make_graph, self, self._selection, self._lines, stage_name)
        pane.code.set_wrapping(self.is_wrapping)
        return pane

    def _make_specified(self, spec: PaneSpec) -> StagePane:
        pane = self._make_pane(spec.stage)
        pane.header.set_name(spec.name)
        if spec.stage != SOURCE and spec.form in {form.value for form in Form}:  # that is a text
            pane.prefer_form(Form(spec.form))
        return pane

    def _specify(self, pane: StagePane) -> PaneSpec:
        return PaneSpec(pane.wanted_stage, pane.form.value, pane.header.name)

    # --- what panes ask for ---

    def set_stage(self, pane: StagePane, name: str) -> None:
        """Let a pane be for another stage."""
        pane.wanted_stage = name
        self.panes_changed.emit()

    def activate(self, pane: StagePane) -> None:
        """Let commands go to a pane."""
        if pane is self._active:
            return
        if self._active is not None:
            self._active.set_active(False)
        self._active = pane
        if pane.wanted_stage != SOURCE:
            self._last_view = pane
        pane.set_active(True)
        if self._scale:
            # The source gets the keyboard beside the view that is presented.
            is_asked_for = pane.wanted_stage == SOURCE and not self._is_source_chosen
            self._has_source_beside |= is_asked_for
            self._is_source_chosen |= is_asked_for
            self._show_active_alone()
        elif pane.isHidden() or not pane.isVisibleTo(self):
            self._fit_columns()
        self.tell_stage()

    def tell_stage(self) -> None:
        """Emit `stage_changed` if the stage of the active pane is not the one emitted last."""
        stage = self._active.wanted_stage if self._active is not None else ""
        if stage != self._active_stage:
            self._active_stage = stage
            self.stage_changed.emit(stage)

    def open_menu(self, pane: StagePane, place: QPoint) -> None:
        """Ask for the menu of a pane at a place of the screen."""
        self.activate(pane)
        self.menu_requested.emit(pane, place)

    def open_graph_menu(self, pane: StagePane, place: QPoint) -> None:
        """Ask for the menu of a pane's graph at a place of the screen."""
        self.activate(pane)
        self.graph_menu_requested.emit(place)

    def show_notes(self) -> None:
        """Ask for what was noticed about the call."""
        self.notes_requested.emit()

    def keep_share(self, share: float) -> None:
        """The companion was given that part of the height by hand."""
        if SOURCE in self.wanted_stages():
            self._companion_share, self._is_share_given = share, True
        else:
            self._share_below_graph = share

    def note_form(self, _pane: StagePane) -> None:
        """A pane shows its stage in another form: things are elsewhere."""
        self._later.start()
        self.forms_changed.emit()

    def drag(self, _pane: StagePane, place: QPoint) -> None:
        """Show where a pane would go that is dropped at a place of the screen."""
        target = self._tree.pane_at(place)
        self._zone.setVisible(target is not None)
        if target is not None:
            zone = zone_of(target, side_at(target, place))
            corner = self.mapFromGlobal(target.mapToGlobal(zone.topLeft()))
            self._zone.setGeometry(corner.x(), corner.y(), zone.width(), zone.height())

    def drop(self, pane: StagePane, place: QPoint) -> None:
        """Move a pane to where it was dropped."""
        self._zone.hide()
        target = self._tree.pane_at(place)
        if target is not None:
            self.move_pane(pane, target, side_at(target, place))
