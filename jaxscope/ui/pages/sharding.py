"""The page *Devices*: how arrays are cut over devices, collectives, and one device's part."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from jaxscope.model import Capture, Unavailable
from jaxscope.model.capture import Placement
from jaxscope.model.said import say, say_joined
from jaxscope.picture.tint.classes import TINT_PALETTES
from jaxscope.program.links import NodeSelection
from jaxscope.program.sharding.arrays import (
    ArrayPart,
    Cut,
    SpreadArray,
    cut_to_text,
    describe_devices,
    describe_sharding,
    format_partition_spec,
    name_devices,
)
from jaxscope.program.sharding.collectives import KINDS, RING, Collective, find_collectives
from jaxscope.program.sharding.placement import (
    PER_DEVICE,
    NodeSharding,
    NodeShardings,
    PlacementReport,
)
from jaxscope.report.document import Number, Table
from jaxscope.report.sharding import (
    SIDES,
    WHOLE_OR_PER_DEVICE,
    array_table,
    collective_table,
    describe_collective,
    describe_communication,
    describe_device_memory,
    describe_job,
)
from jaxscope.ui.pages import PAGES
from jaxscope.ui.selection.linked_rows import LinkedRows
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr, tr_named, tr_said
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.theme import LIGHT, Theme
from jaxscope.ui.toolkit.widgets import (
    ChoiceBox,
    SelectableLabel,
    TurningSplitter,
    escape_breakable,
    fill_box,
    make_splitter,
)
from jaxscope.ui.window.page_context import CapturePage, PageContext

_MARGIN_PX = 6
_CAPTION_PX = 20
_LONGEST = 6.0
"""A side is at most so many times as long as the other, whatever the array's shape: long arrays
would be a line."""


class CutView(QWidget):
    """`device_chosen` carries the position of the first device of the part that was clicked."""

    device_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cut: Cut | None = None
        self._title = ""
        self._device = -1
        self._theme = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("How the array is cut"))

    def sizeHint(self) -> QSize:
        return QSize(340, 240)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 120)

    def show_cut(self, title: str, cut: Cut | None) -> None:
        """Show an array; None for one of which nothing is known."""
        self._title, self._cut = title, cut
        lines = [] if cut is None else map(tr_said, cut_to_text(cut))
        self.setAccessibleDescription("\n".join([title, *lines]))
        self.update()

    def choose_device(self, position: int) -> None:
        """Mark the part that a device holds; -1 for none."""
        self._device = position
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours."""
        self._theme = theme
        self.update()

    def part_at(self, point: QPointF) -> ArrayPart | None:
        """The part that is drawn at a place."""
        if self._cut is None:
            return None
        return next((part for part in self._cut.parts if self._box(part).contains(point)), None)

    def _frame(self) -> QRectF:
        """Where the array is drawn: as high and wide as its sides are to each other, within
        bounds."""
        room = QRectF(self.rect()).adjusted(
            _MARGIN_PX, _MARGIN_PX + _CAPTION_PX, -_MARGIN_PX, -_MARGIN_PX
        )
        if self._cut is None or room.width() <= 0 or room.height() <= 0:
            return room
        ratio = min(max(self._cut.side_ratio, 1 / _LONGEST), _LONGEST)
        width = min(room.width(), room.height() * ratio)
        return QRectF(room.left(), room.top(), width, width / ratio)

    def _box(self, part: ArrayPart) -> QRectF:
        frame, cut = self._frame(), self._cut
        assert cut is not None  # whoever asks has a part of it
        width, height = frame.width() / cut.num_columns, frame.height() / cut.num_rows
        return QRectF(
            frame.left() + part.column * width, frame.top() + part.row * height, width, height
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.surface))
        painter.setPen(QColor(self._theme.text))
        caption = QRectF(self.rect()).adjusted(_MARGIN_PX, 2, -_MARGIN_PX, 0)
        title = self.fontMetrics().elidedText(
            self._title, Qt.TextElideMode.ElideRight, int(caption.width())
        )
        painter.drawText(caption, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, title)
        if self._cut is None:
            return
        pairs = TINT_PALETTES[self._theme.name].kinds
        for part in self._cut.parts:
            first = min(part.devices, default=0)
            fill, border = pairs[1 + first % (len(pairs) - 1)]
            self._paint_part(painter, part, fill, border)
        for part in self._cut.parts:
            if self._device in part.devices:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(self._theme.selected), 3))
                painter.drawRect(self._box(part).adjusted(1.5, 1.5, -1.5, -1.5))

    def _paint_part(self, painter: QPainter, part: ArrayPart, fill: str, border: str) -> None:
        box = self._box(part)
        painter.setPen(QPen(QColor(border), 1))
        painter.setBrush(QColor(fill))
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
        metrics = self.fontMetrics()
        if box.height() < metrics.height() or box.width() < metrics.averageCharWidth() * 2:
            return
        painter.setPen(QColor(self._theme.text))
        room = int(box.width()) - 4
        names = (name_devices(part.devices), f"{min(part.devices)} …", "")
        text = next(name for name in names if metrics.horizontalAdvance(name) <= room or not name)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        part = self.part_at(event.position())
        if part is not None and part.devices:
            self.device_chosen.emit(min(part.devices))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            part = self.part_at(QPointF(event.pos()))
            if part is not None:
                told = tr(
                    "{text} on devices {name_devices}",
                    text=part.text,
                    name_devices=name_devices(part.devices),
                )
                QToolTip.showText(event.globalPos(), told, self)
                return True
        return super().event(event)


_QUESTION = PAGES["sharding"].answers


class ShardingPage(CapturePage):
    """A click on a collective selects it; the inspector says how values lie on devices."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._capture: Capture | None = None
        self._is_due = False
        self._theme = LIGHT
        self._shardings: NodeShardings | None = None
        self._report: PlacementReport | None = None
        self._arrays: tuple[SpreadArray, ...] = ()
        self._shown: SpreadArray | None = None
        self._collectives: tuple[Collective, ...] = ()
        self.heading = SelectableLabel(tr(_QUESTION), "heading")
        self.notes = SelectableLabel(role="muted")
        self._split: TurningSplitter | None = None
        self._column = fill_box(QVBoxLayout(self), self.heading, self.notes, 0)
        context.inspector.additions.append(self._describe_selected)

    def _build(self) -> TurningSplitter:
        """Make tables and picture, when devices are first shown; the page is made before."""
        self.arrays = ResultTable(tr("Arrays and how they are spread"))
        self.parts = ResultTable(tr("Parts of the chosen array"))
        self.collectives = ResultTable(tr("Collectives of the optimized program"))
        self.cut = CutView()
        self.cut.set_theme(self._theme)
        self.device = ChoiceBox()
        self.device.setAccessibleName(tr("Device whose parts are marked"))
        self.arrays.place_selected.connect(self._show_array)
        self._linked = LinkedRows(self.collectives, self._context.selection)
        self.device.currentIndexChanged.connect(self._on_device_current_index_changed)
        self.cut.device_chosen.connect(self._on_cut_device_chosen)
        picture = QWidget()
        column = QVBoxLayout(picture)
        column.setContentsMargins(0, 0, 0, 0)
        row = fill_box(QHBoxLayout(), QLabel(tr("Mark what one holds:")), (self.device, 1))
        column.addLayout(row)
        column.addWidget(self.cut, 3)
        column.addWidget(self.parts, 2)
        across = make_splitter(Qt.Orientation.Horizontal, self.arrays, picture)
        across.setSizes([620, 380])
        split = TurningSplitter((650, 350), across, self.collectives)
        self._column.insertWidget(2, split, 1)
        return split

    def show_state(self, state: WindowState) -> None:
        if state.capture is not None or not state.is_running:
            self.show_capture(state.capture)

    def show_capture(self, capture: Capture | None) -> None:
        """Show a capture, or what there will be; looked into when the page is looked at."""
        if capture is self._capture:
            return
        self._capture, self._shardings, self._is_due = capture, None, True
        if self.isVisible():
            self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_due:
            self._show()

    def _show(self) -> None:
        capture, self._is_due = self._capture, False
        self._report = None if capture is None else PlacementReport(capture)
        self._arrays, self._collectives = (), ()
        report = self._report
        if report is None or isinstance(report.placement, Unavailable):
            self.heading.setText(tr(_QUESTION))
            missing = report.placement if report is not None else None
            self.notes.setText(tr_said(missing.reason) if isinstance(missing, Unavailable) else "")
            if self._split is not None:
                self._split.hide()
            return
        found, arrays = report.collectives, report.arrays
        self._arrays = () if isinstance(arrays, Unavailable) else arrays
        self._collectives = () if isinstance(found, Unavailable) else found
        self.heading.setText(tr_said(describe_devices(report.placement)))
        told = found.reason if isinstance(found, Unavailable) else describe_communication(found)
        choose = say("Choose a target with several devices, such as cpu:8, to spread arrays.")
        memory = describe_device_memory(report.capture.memory)
        sent = say_joined((told, choose if report.num_devices < 2 else "", memory))
        job = f"{describe_job(report.capture.job)}\n" if report.capture.job is not None else ""
        self.notes.setText(f"{job}{tr_said(sent)}\n{tr_said(WHOLE_OR_PER_DEVICE)}")
        self.notes.setToolTip(f"{tr_said(SIDES)}\n{tr_said(RING)}")
        self._split = self._split or self._build()
        self._split.show()
        self._fill(report)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self._split is not None:
            self.cut.set_theme(theme)

    def _fill(self, report: PlacementReport) -> None:
        self.arrays.rows.set_table(_with_places(array_table(self._arrays)))
        self.collectives.rows.set_table(
            _with_places(collective_table(self._collectives, report.standings)),
            [tr_named(each.kind, KINDS[each.kind].text) for each in self._collectives],
        )
        self._linked.set_rows([(PER_DEVICE, (each.node,)) for each in self._collectives])
        self.collectives.setVisible(bool(self._collectives))
        self.device.blockSignals(True)
        self.device.clear()
        self.device.addItem(tr("no device"))
        if not isinstance(report.placement, Unavailable):
            self.device.addItems(
                [
                    f"{position}: {device.kind} {device.id}"
                    + (
                        tr(", process {process}", process=device.process)
                        if report.placement.num_processes > 1
                        else ""
                    )
                    for position, device in enumerate(report.placement.devices)
                ]
            )
        self.device.blockSignals(False)
        self.cut.choose_device(-1)
        self._show_array(-1)
        first = next((n for n, a in enumerate(self._arrays) if a.cut and len(a.cut.parts) > 1), 0)
        if self._arrays:
            self.arrays.choose(first)

    def _show_array(self, number: int) -> None:
        if not 0 <= number < len(self._arrays):
            self.cut.show_cut("", None)
            self.parts.rows.set_table(Table((), ()))
            self._shown = None
            return
        array = self._shown = self._arrays[number]
        self.cut.show_cut(tr_named(f"{array.path} {array.type}", array.text), array.cut)
        parts = array.cut.parts if array.cut is not None else ()
        rows = [(part.text, ", ".join(map(str, part.devices))) for part in parts]
        self.parts.rows.set_table(_with_places(Table(("part", "devices"), rows)))
        self._choose_part(self.device.currentIndex() - 1)

    def _choose_part(self, device: int) -> None:
        """Mark the part of the shown array that a device holds, in the table as in the picture."""
        cut = self._shown.cut if self._shown is not None else None
        held = next((n for n, p in enumerate(cut.parts) if device in p.devices), -1) if cut else -1
        if held >= 0:
            self.parts.choose(held)
        else:
            self.parts.clearSelection()

    def _on_device_current_index_changed(self, index: int) -> None:
        self.cut.choose_device(index - 1)
        self._choose_part(index - 1)

    def _on_cut_device_chosen(self, position: int) -> None:
        self.device.setCurrentIndex(position + 1)

    def _describe_selected(self) -> str:
        """How the selected node's values lie on several devices, as HTML; empty for one device."""
        selection, capture = self._context.selection.selection, self._capture
        if capture is None or not isinstance(selection, NodeSelection) or not selection.nodes:
            return ""
        placement, stage = capture.placement, capture.stage(selection.stage)
        if isinstance(placement, Unavailable) or len(placement.devices) < 2:
            return ""
        if len(selection.nodes) > 1 or stage is None or isinstance(stage.graph, Unavailable):
            return ""
        self._shardings = self._shardings or NodeShardings(capture)
        found = self._shardings.of(stage.name, stage.graph, selection.nodes[0])
        told = [
            f"{escape_breakable(value.type)}: "
            f"{escape_breakable(format_partition_spec(value.sharding, placement.axes))} "
            f"{escape_breakable(_describe_sharding(value, placement))}<br>"
            for value in found
        ]
        exchanged = find_collectives(stage.graph, placement, selection.nodes)
        told += [
            escape_breakable(tr_said(describe_collective(collective))) for collective in exchanged
        ]
        return (
            tr(
                "<h4>On {num_devices} devices</h4><p>{told}</p>",
                num_devices=len(placement.devices),
                told="".join(told),
            )
            if told
            else ""
        )


def _with_places(table: Table) -> Table:
    """The same table with the place of each row, which a sorted table still has."""
    rows = [(Number(place, str(place)), *row) for place, row in enumerate(table.rows)]
    return Table(("#", *table.headers), rows)


def _describe_sharding(value: NodeSharding, placement: Placement) -> str:
    how = describe_sharding(value.sharding, placement.axes, len(placement.devices))
    return f"{tr_said(how)} ({tr_said(value.origin)})"


make_page = ShardingPage
