"""A scene: everything that a drawing of a graph shows, placed, in columns; and `Fit`, how it is
arranged for the room it has. Knows nothing of Qt.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Ragged
from jaxscope.model.graph import distinct
from jaxscope.picture.layout.text_width import halve_text, measure_text

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]

TITLE_PX = 13.0
DETAIL_PX = 11.0
HEADER_PX = 26.0
STUB_TEXT_PX = 11.0

TITLE_PITCH_PX = 15.0
"""From one line of a title to the next."""

STACK_PX = 6.0
"""By which the cards behind a repeat stick out."""

# In a small picture texts are painted larger than its scale: sizes in pixels of the screen.

LEAST_TITLE_PX = 11.0
"""Titles are never smaller, where there is room."""
SMALL_LINE_PX = 12.0
"""From one line of a title of that size to the next."""
SMALL_SIGN_PX = 9.0
"""What the triangle of a closed group needs beside the title."""
LEAST_TEXT_PX = 9.0
"""What else is written into boxes and connectors is never smaller; it is cut short or left out."""
LABEL_PX = 15.0
"""Size of type that labels of residuals have room for: in a small picture it is that large."""
LEAST_STUB_PADDING_PX = 4.0
"""Beside the text of a connector."""


@dataclass(frozen=True, eq=False)
class Items:
    """What is drawn as a rectangle: frames of open groups, outermost first, then boxes.

    Attributes:
        rect: float64, shape `(n, 4)`: x, y, width, height in pixels.
        ids: Ids of the view's boxes.
        titles: First lines, already shortened to fit.
        details: Second lines, shortened, or empty.
        style: `Style` codes, int8.
        node: Node index that a click selects, or `NONE`.
        box: Index of the view's box.
        parent: Item index of the frame around, or `NONE`.
        is_group: Whether a double click opens or closes it.
        num_frames: Items before this index are frames.
        is_reversed: Whether values flow against the scene's direction where it stands, as they do
            in the backward part of a gradient.
        ground: int8, of each frame which of a palette's `frame_fill` is below what is inside.
    """

    rect: Floats
    ids: tuple[str, ...]
    titles: tuple[str, ...]
    details: tuple[str, ...]
    style: npt.NDArray[np.int8]
    node: Int32s
    box: Int32s
    parent: Int32s
    is_group: npt.NDArray[np.bool_]
    num_frames: int
    is_reversed: npt.NDArray[np.bool_]
    ground: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.ids)

    def title_lines(self, item: int) -> tuple[str, ...]:
        """A box's title; in two if the box was made for that (`Fit.halves_titles`)."""
        title = self.titles[item]
        if measure_text(title, TITLE_PX, True) <= self.rect[item, 2]:
            return (title,)
        return tuple(halve_text(title, TITLE_PX, True).split("\n"))


_Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def _sort_pairs(keys: npt.NDArray[np.integer], rows: npt.NDArray[np.integer]) -> _Pairs:
    """Keys, ascending, and the row of each."""
    order = np.argsort(keys, kind="stable")
    return keys[order].astype(np.int64), rows[order].astype(np.int64)


def _find_pairs(pairs: _Pairs, wanted: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The rows with any of some keys, ascending."""
    known, rows = pairs
    ends = (np.searchsorted(known, wanted, side).tolist() for side in ("left", "right"))
    parts = [rows[begin:end] for begin, end in zip(*ends, strict=True)]
    return distinct(np.concatenate([np.zeros(0, np.int64), *parts]))


@dataclass(frozen=True, eq=False)
class Lines:
    """Edges as corners; a value that crosses frames is several lines.

    Attributes:
        points: float64, shape `(p, 2)`.
        offsets: int32, shape `(n + 1,)`; line `i` is `points[offsets[i]:offsets[i + 1]]`.
        source: Item index where it begins; the frame itself where it enters through its border.
        target: Item index where it ends, likewise.
        has_arrow: Whether it ends at a user, not at a border or a connector.
        values: Nodes whose values flow here.
        types: Type of the value, or how many values of how many types.
        is_unlabelled: Whether the item where it begins leaves it open which type flows here.
        is_return: Whether it leads a loop's carry from the end of a round back to its begin.
        is_residual: Whether it leads what the forward part of a gradient keeps for the backward
            part, to that.
        is_inner_residual: Whether it leads such values on, inside of a group that such a line
            begins or ends at.
        labels: By line, the text of those lines whose label is shown in small pictures as well.
            Every other line has its type as label, in large pictures only.
        heads: By line of residuals that parts from others, what goes on along it: a label of its
            own on its last piece, in small pictures as well.
        forks: float64, shape `(n, 2)`: where lines of residuals part; drawn as dots.
        branches: By line, what it leads on where several values enter a group together and part:
            its label in large pictures. Without it that looks like one value that is used twice.
        flows: By line, the results that flow along it, each by one number in the whole view; none
            where a carry goes back. Unlike `values` they tell the results of one node apart.
    """

    points: Floats
    offsets: Int32s
    source: Int32s
    target: Int32s
    has_arrow: npt.NDArray[np.bool_]
    values: Ragged
    types: tuple[str, ...]
    is_unlabelled: npt.NDArray[np.bool_]
    is_return: npt.NDArray[np.bool_]
    is_residual: npt.NDArray[np.bool_]
    is_inner_residual: npt.NDArray[np.bool_]
    labels: Mapping[int, str]
    heads: Mapping[int, str] = dataclasses.field(default_factory=dict)
    forks: Floats = dataclasses.field(default_factory=lambda: np.zeros((0, 2)))
    branches: Mapping[int, str] = dataclasses.field(default_factory=dict)
    flows: Sequence[Collection[int]] = ()

    def __len__(self) -> int:
        return len(self.types)

    @functools.cached_property
    def _by_flow(self) -> _Pairs:
        counts = np.fromiter(map(len, self.flows), np.int64, len(self.flows))
        each = itertools.chain.from_iterable(self.flows)
        flows = np.fromiter(each, np.int64, int(counts.sum()))
        return _sort_pairs(flows, np.repeat(np.arange(len(counts)), counts))

    def carrying(self, flows: Iterable[int]) -> npt.NDArray[np.int64]:
        """The lines that carry any of some results, ascending."""
        return _find_pairs(self._by_flow, np.asarray([*flows], np.int64))

    def list_coloured(self, items: npt.NDArray[np.int64] | None = None) -> tuple[str, ...]:
        """What the lines are that have a colour of their own: names of `LINE_NAMES`.

        Args:
            items: Where they begin; None for anywhere.
        """
        begins = True if items is None else np.isin(self.source, items)
        kept = self.is_residual | self.is_inner_residual
        kinds = (("residual", kept), ("carry", self.is_return))
        return tuple(name for name, is_one in kinds if (is_one & begins).any())

    def corners(self, line: int) -> Floats:
        """Corners of one line, shape `(k, 2)`."""
        return self.points[self.offsets[line] : self.offsets[line + 1]]


@dataclass(frozen=True, eq=False)
class Connectors:
    """Labels that stand for the far end of edges too long to draw.

    Attributes:
        rect: float64, shape `(n, 4)`.
        texts: What is written in them.
        item: Item beside which each sits.
        far: Items at the far ends.
        is_source: Whether the edges leave the item here, not enter it.
        values: Nodes whose values they stand for.
        is_reversed: Whether the edges lead against the scene's direction here.
    """

    rect: Floats
    texts: tuple[str, ...]
    item: Int32s
    far: Ragged
    is_source: npt.NDArray[np.bool_]
    values: Ragged
    is_reversed: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.texts)

    @functools.cached_property
    def _by_value(self) -> _Pairs:
        return _sort_pairs(self.values.values, self.values.row_numbers())

    @functools.cached_property
    def _by_far(self) -> _Pairs:
        return _sort_pairs(self.far.values, self.far.row_numbers())

    def of_values(self, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Those that stand for a value of any of some nodes, ascending."""
        return _find_pairs(self._by_value, nodes)

    def reaching(self, item: int) -> npt.NDArray[np.int64]:
        """Those with an item at the far end, ascending."""
        return _find_pairs(self._by_far, np.array([item]))


class Walk(NamedTuple):
    """A repeat that shows one of its copies at a time.

    Attributes:
        number: Which copy is shown, from 0.
        total: How many there are.
    """

    number: int
    total: int


@dataclass(frozen=True, eq=False)
class Scene:
    """A placed picture of a view.

    Attributes:
        direction: `down` or `right`.
        opened: Ids of the groups that are open in it.
        width: Of the whole, in pixels; everything lies between 0 and this.
        height: Likewise.
        item_of_node: int32, of each node of the graph the item that shows it, or `NONE`.
        notes: Sentences on how it came about that a person should know.
        walks: Frames of repeats that show one of their copies, by item index.
        label_px: As in `Fit`.
    """

    direction: str
    opened: frozenset[str]
    items: Items
    lines: Lines
    connectors: Connectors
    width: float
    height: float
    item_of_node: Int32s
    notes: tuple[str, ...] = ()
    walks: Mapping[int, Walk] = dataclasses.field(default_factory=dict)
    label_px: float = LABEL_PX

    @functools.cached_property
    def item_of_id(self) -> dict[str, int]:
        """Item index by box id."""
        return {box_id: index for index, box_id in enumerate(self.items.ids)}

    @functools.cached_property
    def connector_of_line(self) -> dict[int, int]:
        """The connectors by the lines between each and its item: both are in the same order."""
        lines = self.lines
        stubs = np.flatnonzero((lines.source == lines.target) & ~lines.is_return)
        return dict(zip(stubs.tolist(), range(len(self.connectors)), strict=True))

    def nodes_of_item(self, item: int) -> Int32s:
        """Nodes that an item stands for, in program order."""
        return np.flatnonzero(self.item_of_node == item).astype(np.int32)


def empty_scene(direction: str, num_nodes: int) -> Scene:
    """The scene of a graph without anything to show."""
    none, no_rects = np.zeros(0, np.int32), np.zeros((0, 4))
    flags = np.zeros(0, bool)
    return Scene(
        direction,
        frozenset(),
        Items(
            no_rects,
            (),
            (),
            (),
            np.zeros(0, np.int8),
            none,
            none,
            none,
            flags,
            0,
            flags,
            np.zeros(0, np.int8),
        ),
        Lines(
            np.zeros((0, 2)),
            np.zeros(1, np.int32),
            none,
            none,
            flags,
            Ragged.empty(0),
            (),
            flags,
            flags,
            flags,
            flags,
            {},
        ),
        Connectors(no_rects, (), none, Ragged.empty(0), flags, Ragged.empty(0), flags),
        0.0,
        0.0,
        np.full(num_nodes, NONE, np.int32),
    )


@dataclass(frozen=True, slots=True)
class Fit:
    """What a scene does to be as narrow as a page.

    Attributes:
        beside: Whether the forward and the backward part of a gradient stand side by side; else
            the one stands after the other.
        across: Pixels across the flow that the scene should not exceed; ranks that would are
            wrapped into several. Infinite where they run on.
        aside: Pixels of it that open groups leave free for lines that pass beside them.
        scale: How small the scene may be shown: boxes have room for their titles then, which are
            painted no smaller than `LEAST_TITLE_PX`.
        halves_titles: Whether long titles of boxes stand on two lines.
        label_px: Size of type that labels of residuals have room for.
    """

    beside: bool = True
    across: float = math.inf
    aside: float = 0.0
    scale: float = 1.0
    halves_titles: bool = False
    label_px: float = LABEL_PX

    @property
    def is_limited(self) -> bool:
        """Whether there is a size that the scene should not exceed."""
        return self.across < math.inf


NO_WIDTH_LIMIT = Fit()
"""As wide as it comes."""
