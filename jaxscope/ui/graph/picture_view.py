"""A graph in a widget: which groups are open, and the picture worked out beside the window."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from jaxscope.analysis.layout.engines import Engine, LayoutCache
from jaxscope.analysis.layout.fit import FREE, Fit
from jaxscope.analysis.layout.nesting import DOWN
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.layout.scene_memory import SceneMemory
from jaxscope.analysis.program_size import tell_size
from jaxscope.analysis.view.unfolding import open_many
from jaxscope.analysis.view.view import View
from jaxscope.model import NONE, Graph, Unavailable
from jaxscope.ui.graph.anchor import (
    Anchor,
    Kept,
    anchor_of,
    camera_at,
    find_middle_item,
    list_closed,
)
from jaxscope.ui.graph.arranging import Room
from jaxscope.ui.graph.camera import Camera
from jaxscope.ui.graph.hints import explain_absence
from jaxscope.ui.graph.layout_job import LayoutJob
from jaxscope.ui.graph.overlay import Highlight
from jaxscope.ui.graph.picture import OTHER_ROOM_PX, Picture, PictureOrder
from jaxscope.ui.graph.scene_view import SceneView
from jaxscope.ui.graph.speaking import speak_scene
from jaxscope.ui.graph.transition import Sight, Transition, make_transition, may_move

_INLINE_NODES = 600
"""Graphs up to this size are laid out at once: it takes less than a frame or two."""

_RESIZED_MS = 150
"""How long a size must last before a picture nobody touched is chosen anew for it."""


class PictureView(SceneView):
    """Shows one graph; subclasses say what is selected in it.

    Signals:
        group_toggled: Id of a group that was opened or closed.
        scene_changed: Another picture is shown.
        busy_changed: Whether a layout is being worked out.
    """

    group_toggled = Signal(str)
    scene_changed = Signal()
    busy_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None, *, theme: str = "light") -> None:
        super().__init__(parent, theme=theme)
        self._title = ""
        self._graph: Graph | None = None
        self._view: View | None = None
        self._expanded: frozenset[str] = frozenset()
        self._opened_first: frozenset[str] = frozenset()
        self._direction = DOWN
        self._without: frozenset[str] = frozenset()
        self._engine = Engine.OWN
        self._cache: LayoutCache = {}
        self._memory = SceneMemory()
        self._anchor: Anchor | None = None
        self._transition: Transition | None = None
        self._job = LayoutJob(self)
        self._job.finished.connect(self._on_job_finished)
        self._job.failed.connect(self._on_job_failed)
        self._page: QWidget = self
        self._across_chosen = 0.0
        self._fit_chosen: Fit = FREE
        self._resized = QTimer(self, singleShot=True, interval=_RESIZED_MS)
        self._resized.timeout.connect(self._on_resized_timeout)
        self.setAccessibleName("Graph")

    # What subclasses do

    def forget_nodes(self) -> None:
        """Another graph is to be shown: node indices of the one before mean nothing."""

    def meet_picture(self) -> None:
        """Another picture is shown."""

    @property
    def view(self) -> View | None:
        """The view of the graph, or None while there is none."""
        return self._view

    @property
    def highlight(self) -> Highlight:
        """What stands out in the picture."""
        return self._highlight

    @property
    def expanded(self) -> frozenset[str]:
        """Ids of the groups that are open."""
        return self._expanded

    @property
    def direction(self) -> str:
        """`down` or `right`."""
        return self._direction

    @property
    def is_busy(self) -> bool:
        """Whether a layout is being worked out."""
        return self._job.is_running

    @property
    def is_moving(self) -> bool:
        """Whether boxes are on their way to their places in another picture."""
        return self._transition is not None

    def set_graph(
        self,
        graph: Graph | Unavailable | None,
        title: str = "",
        kept: Kept | None = None,
    ) -> None:
        """Show another graph, or say why there is none.

        Args:
            graph: The graph, the reason for its absence, or None.
            title: Of the stage, for screen readers.
            kept: What to take over from the picture of an earlier run.
        """
        self._job.stop()
        self._title = title
        self.setAccessibleName(f"Graph of {title}" if title else "Graph")
        self._graph = graph if isinstance(graph, Graph) else None
        self._view = None
        self._cache = {}
        self._memory = SceneMemory()
        self._anchor = None
        self.forget_nodes()
        if isinstance(graph, Graph) and len(graph.nodes):
            self.drop_scene(f"Laying out {tell_size(graph)} … Esc stops")
            self._is_untouched = kept is None or kept.middle is None
            self._start(graph, None, None, kept)
            return
        message = explain_absence(graph)
        self.drop_scene(message)
        self.setAccessibleDescription(message)
        self._set_busy(False)

    def keep(self) -> Kept | None:
        """What to keep when a later run's picture of the same stage replaces this one."""
        scene, anchor = self.scene, None
        if scene is None or self._view is None:
            return None
        if not self._is_untouched:
            item = find_middle_item(scene, self._camera, self.width(), self.height())
            anchor = anchor_of(scene, self._camera, item) if item != NONE else None
        items = scene.items
        opened = frozenset(items.box[: items.num_frames].tolist())
        return Kept(
            self._view,
            opened,
            list_closed(self._view, opened),
            self._expanded == self._opened_first,
            anchor,
            self._fit_chosen,
            self._across_chosen,
        )

    def set_direction(self, direction: str) -> None:
        """Let values flow `down` or `right`."""
        if direction != self._direction:
            self._direction = direction
            self._cache = {}
            self._memory = SceneMemory()
            self._is_untouched = True
            self._restart()

    def set_hidden_passes(self, names: Collection[str]) -> None:
        """Leave out simplifications; the names are those of `analysis.view.build.PASSES`."""
        if frozenset(names) != self._without:
            self._without = frozenset(names)
            kept, self._view = self.keep(), None
            if self._graph is not None and len(self._graph.nodes):
                self._start(self._graph, None, None, kept)

    def set_engine(self, engine: Engine) -> None:
        """Choose who lays groups out; what it could not do, the picture's notes say."""
        if engine is not self._engine:
            self._engine = engine
            self._restart()

    def set_expanded(self, ids: Collection[str]) -> None:
        """Open exactly these groups."""
        if frozenset(ids) != self._expanded:
            self._expanded = frozenset(ids)
            self._restart()

    def toggle_group(self, group_id: str) -> None:
        """Open a closed group or close an open one; its place on the screen stays."""
        if self._view is None:
            return
        self._keep_eye_on(self.scene.item_of_id.get(group_id, NONE) if self.scene else NONE)
        self._expanded ^= {group_id}
        self._restart()
        self.group_toggled.emit(group_id)

    def follow(self, ids: Collection[str], group_id: str) -> None:
        """Open exactly these groups, as somebody did elsewhere; one of them keeps its place."""
        wanted = frozenset(ids)
        if self._view is not None and wanted != self._expanded:
            self._keep_eye_on(self.scene.item_of_id.get(group_id, NONE) if self.scene else NONE)
            self._expanded = wanted
            self._restart()

    def expand_all(self) -> None:
        """Open every group."""
        if self._view is not None:
            self._fit_chosen = FREE
            self.set_expanded(self._view.all_groups())

    def expand_many(self) -> None:
        """Open groups, the largest first, as long as one can find one's way in the picture."""
        if self._view is not None:
            self._fit_chosen = FREE
            self.set_expanded(open_many(self._view))

    def collapse_all(self) -> None:
        """Close every group."""
        self._is_untouched = True
        self.set_expanded(())

    def reset_expanded(self) -> None:
        """Open the groups that are open at first, as many as there is room for by now."""
        if self._graph is not None and self._view is not None:
            self._is_untouched = True
            self._anchor = None
            self._start(self._graph, self._view, None)

    def stop_layout(self) -> None:
        """Stop a running layout; what was shown before stays."""
        if self._job.is_running:
            self._job.stop()
            if self.scene is None:
                self.drop_scene("The layout was stopped.")
            else:
                self._expanded = self.scene.opened
            self._set_busy(False)

    def set_page(self, page: QWidget) -> None:
        """Choose pictures for the room of a page, which legend and overview share with them."""
        self._page = page

    def _restart(self) -> None:
        if self._graph is not None and len(self._graph.nodes):
            self._start(self._graph, self._view, None if self._view is None else self._expanded)

    def _start(
        self,
        graph: Graph,
        view: View | None,
        expanded: frozenset[str] | None,
        kept: Kept | None = None,
    ) -> None:
        order = PictureOrder(
            graph,
            view,
            expanded,
            kept,
            self._direction,
            self._cache,
            self._memory,
            self._without,
            Room(self._page.width(), self._page.height(), self._text_scale),
            self._engine,
            self._fit_chosen,
        )
        if len(graph.nodes) <= _INLINE_NODES and self._engine is Engine.OWN:
            self._on_job_finished(order.work_out(lambda: False))
            return
        self._job.start(order.work_out)
        self._set_busy(True)

    def _on_job_finished(self, answer: object) -> None:
        assert isinstance(answer, Picture)
        scene = answer.index.scene
        self._view = answer.view
        self._expanded = scene.opened
        if answer.opened_first is not None:
            self._across_chosen = answer.across
            self._fit_chosen = answer.fit
            self._resized.start()  # the page may have become another while this was worked out
            self._opened_first = answer.opened_first
            # Nothing to hold it by: it is looked at from its beginning.
            self._is_untouched = answer.anchor is None
        self._anchor = answer.anchor or self._anchor
        before = Sight(self._drawing, self._camera) if self._drawing and self._anchor else None
        self.show_scene(answer.index, self._camera_for(scene))
        self._anchor = None
        self._begin_transition(before)
        self.setAccessibleDescription(speak_scene(scene))
        self.meet_picture()
        self._set_busy(False)
        self.scene_changed.emit()

    def _begin_transition(self, before: Sight | None) -> None:
        """Lead the eye from the picture before, where something of it was held in its place."""
        self._transition = None
        if before is not None and self._drawing is not None and may_move(self):
            after = Sight(self._drawing, self._camera)
            self._transition = make_transition(before, after, (self.width(), self.height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        transition = self._transition
        if transition is None or transition.is_over or self._drawing is None:
            self._transition = None
            super().paintEvent(event)
            return
        painter = QPainter(self)
        transition.paint(painter, self.width(), self.height())
        painter.end()
        if self._tiles is not None:  # so that the picture is sharp when everything is in place
            camera = self._camera
            self._tiles.prepare(camera.x, camera.y, self.width(), self.height(), camera.scale)
        self.update()

    def _look(self, camera: Camera) -> None:
        self._transition = None  # who moves the picture has seen enough
        super()._look(camera)

    def _on_job_failed(self, error: object) -> None:
        self.drop_scene(f"The graph could not be laid out: {error}")
        self._set_busy(False)

    def _set_busy(self, is_busy: bool) -> None:
        self._progress = "Laying out … Esc stops" if is_busy else ""
        self.busy_changed.emit(is_busy)
        self.update()

    def _camera_for(self, scene: Scene) -> Camera | None:
        """The camera that leaves what is held where it was."""
        if self._anchor is None:
            return None
        camera = camera_at(self._anchor, scene, self._camera.scale)
        self._is_untouched = self._is_untouched or camera is None
        return camera

    def _keep_eye_on(self, item: int) -> None:
        if self.scene is not None and item != NONE:
            self._anchor = anchor_of(self.scene, self._camera, item)
            self._is_untouched = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resized.start()

    def _on_resized_timeout(self) -> None:
        """A page has room for more or for less: unless somebody has chosen, choose again."""
        is_as_first = self._expanded == self._opened_first
        across = self._page.width() if self._direction == DOWN else self._page.height()
        is_other = abs(across - self._across_chosen) > OTHER_ROOM_PX
        is_idle = self.scene is not None and not self.is_busy
        if self._is_untouched and is_as_first and is_other and is_idle:
            assert self._graph is not None
            self._start(self._graph, self._view, None)
