"""The canvas: a graph that one can look over, walk through, open and close."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.sharing import find_shown_groups, first_node_inside
from jaxscope.analysis.tint import ColourBy, Tint, tint_scene
from jaxscope.analysis.view.labels import text_of
from jaxscope.model import NONE
from jaxscope.ui.graph.camera import fit_rect
from jaxscope.ui.graph.hints import describe_edge, describe_far, describe_item, describe_notes
from jaxscope.ui.graph.node_places import find_places_across, find_places_down
from jaxscope.ui.graph.overlay import Highlight, items_of_nodes
from jaxscope.ui.graph.picture_view import PictureView
from jaxscope.ui.graph.scene_view import SceneView
from jaxscope.ui.graph.speaking import speak_item, speak_scene, tell
from jaxscope.ui.graph.walking import step

_KEY_PAN_PX = 80.0
_LEAST_TOGETHER = 0.45
"""Smaller, names could not be read: then things are looked at one by one."""

_NO_MARKS: tuple[frozenset[int], ...] = (frozenset(), frozenset(), frozenset())

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}

_KEYS: dict[Qt.Key, Callable[[SceneView], None]] = {
    Qt.Key.Key_Plus: SceneView.zoom_in,
    Qt.Key.Key_Equal: SceneView.zoom_in,
    Qt.Key.Key_Minus: SceneView.zoom_out,
    Qt.Key.Key_F: SceneView.fit,
    Qt.Key.Key_Z: SceneView.zoom_to_selection,
    Qt.Key.Key_Home: SceneView.go_to_beginning,
}


class GraphCanvas(PictureView):
    """Shows one graph.

    Mouse: drag pans, the wheel zooms at the pointer (with Shift it pans across), a click selects,
    with Ctrl one more, a double click opens or closes a group, a click on a connector leads to its
    far end.
    Keys: arrows walk along the lines, with Shift they pan; Enter opens or closes; + and - zoom;
    F fits all; Z zooms to the selection; Home goes to the beginning; Escape stops a layout.

    Signals:
        node_selected: Node index of what the person selected; -1 if nothing.
        group_selected: Id of a group without a node of its own, what stands on its box,
            the indices of the nodes inside, and whether it is selected besides others.
        nodes_selected: Indices of several nodes, and whether they are selected besides others.
        node_hovered: Node index under the pointer; -1 if none.
        colours_changed: The `ColourBy` that boxes are coloured by now.
    """

    node_selected = Signal(int)
    group_selected = Signal(str, str, object, bool)
    nodes_selected = Signal(object, bool)
    node_hovered = Signal(int)
    colours_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None, *, theme: str = "light") -> None:
        super().__init__(parent, theme=theme)
        self._marks = _NO_MARKS
        self._ahead: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        self._adds = False
        self._current_node = NONE
        self._current_id = ""
        self._reveal = NONE
        self._colour_by = ColourBy.FAMILY
        self._focus: frozenset[int] | None = None
        self._fates: Mapping[str, str] = {}
        self._notes: Mapping[int, str] = {}
        self._group_notes: Mapping[str, str] = {}

    @property
    def colour_by(self) -> ColourBy:
        """What the colours of boxes tell."""
        return self._colour_by

    def set_colour_by(self, by: ColourBy) -> None:
        """Let the colours of boxes tell something else."""
        if by is not self._colour_by:
            self._colour_by = by
            self.repaint_scene()
            self.colours_changed.emit(by)

    def set_focus(self, nodes: Collection[int] | None) -> None:
        """Fade everything but some nodes; None lets all be seen."""
        self._focus = None if nodes is None else frozenset(nodes)
        self.repaint_scene()

    def look_at_nodes(self, nodes: Collection[int]) -> None:
        """Bring nodes into sight together, as large as now or smaller, where that can be read."""
        scene = self.scene
        items = items_of_nodes(scene, nodes) if scene is not None else np.zeros(0, np.int64)
        if scene is None or not len(items):
            return
        boxes = items[items >= scene.items.num_frames]
        rects = scene.items.rect[boxes if len(boxes) else items]
        low, high = rects[:, :2].min(axis=0), (rects[:, :2] + rects[:, 2:]).max(axis=0)
        around = (*low.tolist(), *(high - low).tolist())
        camera = fit_rect(around, self.width(), self.height(), self.camera.scale)
        if camera.scale >= _LEAST_TOGETHER:
            self._look(camera)

    @property
    def focus(self) -> frozenset[int] | None:
        """The nodes that are in focus; None where all are."""
        return self._focus

    def focused_items(self, scene: Scene) -> npt.NDArray[np.int64] | None:
        """Items of the nodes that are in focus."""
        return None if self._focus is None else items_of_nodes(scene, self._focus)

    def tint_of(self, scene: Scene) -> Tint | None:
        """The colours of a scene; None for those of its styles."""
        if self._graph is None:
            return None
        marked = sorted(self._marks[0])
        return tint_scene(self._graph, scene, self._colour_by, marked, self._fates)

    def set_fates(self, fates: Mapping[str, str]) -> None:
        """Know the fates of the equations that are shown, by their ids."""
        if fates != self._fates:
            self._fates = fates
            if self._colour_by is ColourBy.FATE:
                self.repaint_scene()

    def forget_nodes(self) -> None:
        """Another graph is to be shown: node indices of the one before mean nothing."""
        self._current_node = self._reveal = NONE
        self._current_id = ""
        self._marks = _NO_MARKS
        self._has_marks = False
        self._ahead = np.zeros(0, np.int32)
        self._focus = None
        self._notes, self._group_notes = {}, {}

    def meet_picture(self) -> None:
        """Another picture is shown: find the selection in it."""
        self._update_highlight()
        if self._reveal != NONE:
            self._bring_into_sight(self._item_of(self._reveal))
            self._reveal = NONE

    def set_highlight(
        self, selected: Iterable[int], forward: Iterable[int], backward: Iterable[int]
    ) -> None:
        """Outline nodes: the selected ones, what they went into, what they came from."""
        before = self._marks[0]
        self._marks = (frozenset(selected), frozenset(forward), frozenset(backward))
        if self._colour_by is ColourBy.SAME and self._marks[0] and self._marks[0] != before:
            self.repaint_scene()
        self._update_highlight()

    def set_preview(self, nodes: npt.NDArray[np.int32]) -> None:
        """Outline nodes thinly: what is linked to what is looked at ahead."""
        if len(nodes) or len(self._ahead):
            self._ahead = nodes
            scene = self.scene
            if scene is not None:
                ahead = items_of_nodes(scene, nodes)
                self._highlight = dataclasses.replace(self._highlight, ahead=ahead)
                self.update()

    def set_notes(self, notes: Mapping[int, str], groups: Mapping[str, str]) -> None:
        """Mark bookmarked nodes, and groups by their ids; say on hovering what was written."""
        if (notes, groups) != (self._notes, self._group_notes):
            self._notes, self._group_notes = notes, groups
            self._update_highlight()

    def places_of_nodes(
        self, nodes: npt.NDArray[np.int32], *, is_across: bool = False
    ) -> npt.NDArray[np.float64]:
        """Top and bottom of the boxes of nodes, in pixels from the widget's top, one row each.

        Or left and right, from its left, where that is what is asked for.
        Those of nodes that are not drawn are NaN; an open group is where its title is.
        """
        scene = self.scene
        if scene is None:
            return np.full((len(nodes), 2), np.nan)
        find = find_places_across if is_across else find_places_down
        return find(scene, self.camera, nodes)

    def select_node(self, node: int, *, reveal: bool = True) -> None:
        """Make a node the current one without telling anybody; -1 clears it.

        Args:
            node: Node index.
            reveal: Open the groups around it and bring it into sight.
        """
        self._current_node, self._current_id = node, ""
        view = self._view
        if reveal and view is not None and 0 <= node < len(view.box_of_node):
            self._show_inside(node, view.path_to_node(node))
        self._update_highlight()

    def show_group(self, group_id: str) -> bool:
        """Bring a group's box into sight, opening what is around it; false where there is none."""
        view = self._view
        box = view.index_of(group_id) if view is not None else None
        if view is None or box is None:
            return False
        first = next(iter(view.nodes_inside(box)), NONE)
        self._show_inside(first, frozenset(view.boxes[each].id for each in view.ancestors(box)))
        return True

    def _show_inside(self, node: int, needed: frozenset[str]) -> None:
        """Open groups, and bring a node, or the closed group that it is in, into sight."""
        if needed <= self._expanded:
            self._bring_into_sight(self._item_of(node))
        else:
            self._anchor = None
            self._reveal = node
            self._expanded |= needed
            self._is_untouched = False
            self._restart()

    def click(self, place: QPointF) -> None:
        """Select what is there; on a connector, what is at its far end."""
        if self._drawing is None:
            return
        if self._adds:
            self._add_item(self.item_at(place))
            return
        connector = self.connector_at(place)
        if connector != NONE:
            far = self._drawing.scene.connectors.far[connector]
            if len(far):
                self._select_item(int(far[0]))
            return
        # What was clicked is in sight: the picture must not run away from the pointer.
        self._select_item(self.item_at(place), reveal=False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._adds = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        super().mouseReleaseEvent(event)

    def _add_item(self, item: int) -> None:
        """Select an item besides what is selected already, or let it go."""
        if item != NONE:
            self._take_current(item)
            if self._current_node != NONE:
                self.nodes_selected.emit([self._current_node], True)
            else:
                self._tell_group(item, adds=True)
            self._update_highlight()

    def double_click(self, place: QPointF) -> None:
        """Open or close the group that is there."""
        self._toggle_item(self.item_at(place))

    def hover(self, item: int, connector: int = NONE) -> None:
        """Outline an item and its lines; draw the edges of a connector in full."""
        before = self._highlight
        if self._drawing is None or (item, connector) == (before.hovered, before.connector):
            return
        self._highlight = dataclasses.replace(before, hovered=item, connector=connector)
        if item == before.hovered:
            self.update()
            return
        self.node_hovered.emit(NONE if item == NONE else self._node_of(item))
        self.update()

    def describe(self, item: int) -> str:
        """The full label of an item, its types and where its code is."""
        scene, view = self.scene, self._view
        if scene is None or view is None:
            return ""
        inside = scene.nodes_of_item(item).tolist() if self._notes else ()
        own = [note for each, note in self._group_notes.items() if each == scene.items.ids[item]]
        notes = describe_notes([*own, *(self._notes[n] for n in inside if n in self._notes)])
        told = describe_item(view, scene, item)
        return f"{told}<br>{notes}" if notes else told

    def describe_connector(self, connector: int) -> str:
        """What a connector stands for, and between what."""
        scene, view = self.scene, self._view
        return describe_far(view, scene, connector) if scene and view else ""

    def describe_line(self, line: int) -> str:
        """What flows along a line."""
        scene, view = self.scene, self._view
        return describe_edge(view, scene, line) if scene is not None and view is not None else ""

    def _item_of(self, node: int) -> int:
        scene = self.scene
        if scene is None or not 0 <= node < len(scene.item_of_node):
            return NONE
        return int(scene.item_of_node[node])

    def _update_highlight(self) -> None:
        scene = self.scene
        if scene is None:
            return
        selected, forward, backward = (items_of_nodes(scene, nodes) for nodes in self._marks)
        current = keyboard = self._current_item()
        if self._is_chosen_frame(current):
            selected = np.asarray([current], np.int64)
        elif self._marks is not _NO_MARKS and current not in selected:
            current = NONE  # what is selected now is elsewhere: the keyboard alone is here
        self._highlight = Highlight(
            selected, np.setdiff1d(forward, selected), np.setdiff1d(backward, selected), current
        )
        self._highlight = dataclasses.replace(
            self._highlight,
            ahead=items_of_nodes(scene, self._ahead),
            noted=np.union1d(items_of_nodes(scene, self._notes), self._noted_groups(scene)),
        )
        self._has_marks = any(self._marks) or current != NONE
        view = self._view if keyboard != NONE else None
        tell(self, speak_item(view, scene, keyboard) if view is not None else speak_scene(scene))
        self._show_extras()
        self.update()

    def _take_current(self, item: int) -> None:
        """Let an item have the keyboard; it is known by its id, for other pictures number anew."""
        scene = self.scene
        known = scene is not None and item != NONE
        self._current_id = scene.items.ids[item] if scene is not None and known else ""
        self._current_node = self._node_of(item) if known else NONE

    def _current_item(self) -> int:
        """The item that has the keyboard, or `NONE`."""
        scene = self.scene
        if self._current_node != NONE or scene is None:
            return self._item_of(self._current_node)
        return scene.item_of_id.get(self._current_id, NONE)

    def _is_chosen_frame(self, item: int) -> bool:
        """Whether an item is an open group, and all that is inside is what is selected."""
        scene, view = self.scene, self._view
        if scene is None or view is None or not 0 <= item < scene.items.num_frames:
            return False
        return frozenset(view.nodes_inside(int(scene.items.box[item]))) == self._marks[0]

    def _noted_groups(self, scene: Scene) -> npt.NDArray[np.int64]:
        known = scene.item_of_id
        return np.asarray([known[each] for each in self._group_notes if each in known], np.int64)

    def _node_of(self, item: int) -> int:
        scene = self.scene
        return NONE if scene is None else int(scene.items.node[item])

    def _select_item(self, item: int, *, reveal: bool = True) -> None:
        self._take_current(item)
        self._update_highlight()
        if reveal:
            self._bring_into_sight(item)
        self.node_selected.emit(self._current_node)
        if self._current_node == NONE and item != NONE:
            self._tell_group(item, adds=False)

    def _tell_group(self, item: int, *, adds: bool) -> None:
        """Tell that a group without a node of its own was selected, where it is one."""
        scene, view = self.scene, self._view
        assert scene is not None  # it has items
        box = view.index_of(scene.items.ids[item]) if view is not None else None
        inside = view.nodes_inside(box) if view is not None and box is not None else []
        if view is not None and inside and box is not None:
            label = text_of(view, view.boxes[box]).title or scene.items.ids[item]
            self.group_selected.emit(scene.items.ids[item], label, inside, adds)

    def _toggle_item(self, item: int) -> None:
        if self.scene is None or item == NONE:
            return
        if self.scene.items.is_group[item]:
            self.toggle_group(self.scene.items.ids[item])
        elif self._graph is not None and (node := self._node_of(item)) != NONE:
            self.lead_inside(node)

    def lead_inside(self, node: int) -> None:
        """Select and show what a node is the outside of, where that is drawn at another node."""
        assert self._graph is not None
        group = int(find_shown_groups(self._graph)[node])
        first = first_node_inside(self._graph, group)
        if first != NONE:
            self.select_node(first)
            self.node_selected.emit(first)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _ARROWS:
            self._press_arrow(*_ARROWS[key], event.modifiers())
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._toggle_item(self._current_item())
        elif key in _KEYS:
            _KEYS[key](self)
        elif key == Qt.Key.Key_Escape and self._job.is_running:
            self.stop_layout()
        else:
            super().keyPressEvent(event)

    def _press_arrow(self, dx: int, dy: int, modifiers: Qt.KeyboardModifier) -> None:
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            self.pan(dx * _KEY_PAN_PX, dy * _KEY_PAN_PX)
            return
        scene = self.scene
        if scene is None:
            return
        item = step(scene, self._current_item(), dx, dy)
        if item != NONE:
            self._select_item(item)
