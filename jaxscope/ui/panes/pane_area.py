"""Panes, as many as wanted, laid out freely: beside and below each other, moved by their grips."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtWidgets import QRubberBand, QVBoxLayout, QWidget

from jaxscope.analysis.link_pairs import NO_PAIRS
from jaxscope.model import NONE
from jaxscope.ui.panes.arrangement import (
    FIRST_ARRANGEMENT,
    MAX_PANES,
    PaneSpec,
    Split,
    panes_of,
)
from jaxscope.ui.panes.pane_choices import TOLD
from jaxscope.ui.panes.pane_header import SOURCE, Form
from jaxscope.ui.panes.pane_tree import PaneTree, Side, side_at, zone_of
from jaxscope.ui.panes.ribbon import FindPairs, RibbonSetting
from jaxscope.ui.panes.stage_pane import StagePane
from jaxscope.ui.theme import Theme

if TYPE_CHECKING:
    from jaxscope.ui.graph.graph_page import GraphPage


class PaneArea(QWidget):
    """Owns the panes; `panes_changed` fires when one is opened, closed or shows another stage.

    The signals that panes have in common are passed on. `menu_requested` carries a pane and the
    place on the screen where its menu is wanted.
    """

    node_chosen = Signal(str, int)
    nodes_chosen = Signal(str, object, bool)
    group_chosen = Signal(str, str, str, object, bool)
    node_hovered = Signal(str, int)
    line_chosen = Signal(str, int)
    lines_chosen = Signal(str, object, bool)
    line_hovered = Signal(str, int)
    panes_changed = Signal()
    menu_requested = Signal(object, QPoint)

    def __init__(self, make_graph: Callable[[], GraphPage]) -> None:
        super().__init__()
        self._make_graph = make_graph
        self._wanted: dict[StagePane, str] = {}
        self._active: StagePane | None = None
        self._alone: StagePane | None = None
        self._ribbons = RibbonSetting(lambda _left, _right: NO_PAIRS)
        self._tree = PaneTree(self._ribbons)
        self._waiting: Split | None = None
        self._zone = QRubberBand(QRubberBand.Shape.Rectangle, self)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._tree.repaint_ribbons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._tree)

    @property
    def panes(self) -> Sequence[StagePane]:
        """From the top left to the bottom right."""
        return tuple(self._tree.panes())

    @property
    def active(self) -> StagePane | None:
        """The pane that commands go to."""
        return self._active

    def wanted_stages(self) -> frozenset[str]:
        """Names of the stages that panes are for, or will be once there are panes."""
        if self._waiting is not None:
            return frozenset(spec.stage for spec in panes_of(self._waiting))
        return frozenset(self._wanted.values())

    def wanted_stage(self, pane: StagePane) -> str:
        """The stage that a pane is for, also while that stage does not exist yet."""
        return self._wanted[pane]

    # --- opening and closing ---

    def open_pane(
        self, stage_name: str, *, after: StagePane | None = None, side: Side = Side.RIGHT
    ) -> StagePane | None:
        """Open a pane for a stage; None if there are too many to be of use.

        Args:
            after: The pane beside which it is opened; None for the last.
            side: Where beside it.
        """
        self.make_panes()
        if len(self._wanted) >= MAX_PANES:
            return None
        self.show_all()
        pane = self._make_pane(stage_name)
        panes = self._tree.panes()
        beside = after or (panes[-1] if panes else None)
        if beside is None:
            self._tree.add_first(pane)
        else:
            self._tree.insert(pane, beside, side)
            pane.prefer_form(beside.form)
        self._on_pane_activated(pane)
        self.panes_changed.emit()
        return pane

    def arrange(self, arrangement: Split = FIRST_ARRANGEMENT) -> None:
        """Close all panes and open those of an arrangement."""
        if self._waiting is not None:
            self._waiting = arrangement
            return
        self.show_all()
        before, self._wanted, self._active = list(self._wanted), {}, None
        self._tree.clear()
        for pane in before:
            pane.hide()
            pane.deleteLater()
        self._tree.build(arrangement, self._make_specified)
        self._on_pane_activated(self._tree.panes()[-1])
        self.panes_changed.emit()

    def wait(self) -> None:
        """Have no panes before `make_panes`: a window that can take a call needs none."""
        self._waiting = FIRST_ARRANGEMENT

    def make_panes(self) -> None:
        """Make the panes of the arrangement that was asked for last, where they still wait."""
        if self._waiting is not None:
            arrangement, self._waiting = self._waiting, None
            self.arrange(arrangement)

    @property
    def is_one_alone(self) -> bool:
        """Whether one pane has all the room for now; asking for the arrangement ends that."""
        return self._alone is not None

    def arrangement(self) -> Split:
        """How panes are laid out now."""
        if self._waiting is not None:
            return self._waiting
        self.show_all()
        return self._tree.describe(self._specify)

    def close_pane(self, pane: StagePane) -> None:
        """Close a pane, unless it is the last."""
        if len(self._wanted) == 1:
            return
        self.show_all()
        self._tree.take_out(pane)
        del self._wanted[pane]
        pane.hide()
        pane.deleteLater()
        if self._active is pane:
            self._active = None
            self._on_pane_activated(self._tree.panes()[0])
        self.panes_changed.emit()

    def move_pane(self, pane: StagePane, beside: StagePane, side: Side) -> None:
        """Put a pane to a side of another, or swap the two."""
        if pane is beside:
            return
        self.show_all()
        self._tree.move_pane(pane, beside, side)
        self.panes_changed.emit()

    def move_active(self, side: Side) -> None:
        """Swap the active pane with its neighbour on a side, where there is one."""
        if self._active is not None:
            self.show_all()
            neighbour = self._tree.neighbour(self._active, side)
            if neighbour is not None:
                self.move_pane(self._active, neighbour, Side.PLACE)

    def show_alone(self) -> None:
        """Let the active pane have all the room; again: give it back."""
        if self._alone is not None:
            self.show_all()
        elif self._active is not None:
            self._alone = self._active
            self._tree.show_only(self._active)

    def show_all(self) -> None:
        """See every pane."""
        if self._alone is not None:
            self._alone = None
            self._tree.show_only(None)

    # --- what panes are for ---

    def show_in_active(self, stage_name: str) -> None:
        """Show a stage in the active pane, unless one shows it already."""
        for pane in self.panes:
            if self._wanted[pane] == stage_name:
                if self._alone is not pane:
                    self.show_all()
                self._on_pane_activated(pane)
                return
        target = self._active
        if target is None or self._wanted[target] == SOURCE:
            target = next((p for p in self.panes if self._wanted[p] != SOURCE), target)
        if target is not None:
            self._on_pane_stage_requested(target, stage_name)
            self._on_pane_activated(target)

    def retarget(self, pane: StagePane, stage_name: str) -> None:
        """Make a pane be for another stage without telling anybody."""
        self._wanted[pane] = stage_name

    def focus_next(self, step: int) -> None:
        """Move the keyboard to the next pane."""
        panes = self.panes
        if not panes:
            return
        index = panes.index(self._active) if self._active in panes else -step
        pane = panes[(index + step) % len(panes)]
        if self._alone is not None:
            self.show_all()
        self._on_pane_activated(pane)
        pane.focus_content()

    def leave_current(self) -> None:
        """Let no box of a graph be the current one."""
        for pane in self.panes:
            if pane.canvas is not None:
                pane.canvas.select_node(NONE, reveal=False)

    # --- ribbons ---

    def set_pair_finder(self, find_pairs: FindPairs) -> None:
        """Let ribbons ask somebody which things belong together."""
        self._ribbons.find_pairs = find_pairs

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

    # --- inside ---

    def _make_pane(self, stage_name: str) -> StagePane:
        pane = StagePane(self._make_graph)
        for told in TOLD:
            getattr(pane, told).connect(getattr(self, told))
        pane.stage_requested.connect(self._on_pane_stage_requested)
        pane.close_requested.connect(self.close_pane)
        pane.add_requested.connect(self._on_pane_add_requested)
        pane.activated.connect(self._on_pane_activated)
        pane.moved.connect(self._on_pane_moved)
        pane.dropped.connect(self._on_pane_dropped)
        pane.menu_requested.connect(self._on_pane_menu_requested)
        pane.header.form_requested.connect(self._on_header_form_requested)
        self._wanted[pane] = stage_name
        return pane

    def _make_specified(self, spec: PaneSpec) -> StagePane:
        pane = self._make_pane(spec.stage)
        pane.header.set_name(spec.name)
        if spec.form in {form.value for form in Form}:
            pane.prefer_form(Form(spec.form))
        return pane

    def _specify(self, pane: StagePane) -> PaneSpec:
        return PaneSpec(self._wanted[pane], pane.form.value, pane.header.name)

    def _on_pane_stage_requested(self, pane: StagePane, name: str) -> None:
        self._wanted[pane] = name
        self.panes_changed.emit()

    def _on_pane_add_requested(self, pane: StagePane) -> None:
        self.open_pane(self._wanted[pane], after=pane)

    def _on_pane_activated(self, pane: StagePane) -> None:
        if pane is self._active:
            return
        if self._active is not None:
            self._active.set_active(False)
        self._active = pane
        pane.set_active(True)

    def _on_pane_menu_requested(self, pane: StagePane, place: QPoint) -> None:
        self._on_pane_activated(pane)
        self.menu_requested.emit(pane, place)

    def _on_header_form_requested(self, _form: object) -> None:
        self._later.start()

    def _on_pane_moved(self, _pane: StagePane, place: QPoint) -> None:
        target = self._tree.pane_at(place)
        self._zone.setVisible(target is not None)
        if target is not None:
            zone = zone_of(target, side_at(target, place))
            corner = self.mapFromGlobal(target.mapToGlobal(zone.topLeft()))
            self._zone.setGeometry(corner.x(), corner.y(), zone.width(), zone.height())

    def _on_pane_dropped(self, pane: StagePane, place: QPoint) -> None:
        self._zone.hide()
        target = self._tree.pane_at(place)
        if target is not None:
            self.move_pane(pane, target, side_at(target, place))
