"""What is on the screen of a canvas and where, and a program of any length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from jaxscope.model import Graph, GraphBuilder, NodeKind
from jaxscope.ui.canvas.graph_canvas import GraphCanvas


def long_program(num_nodes: int, skips: Sequence[tuple[int, int]] = ()) -> Graph:
    builder = GraphBuilder()
    last = builder.add_node("in", NodeKind.INPUT, "input")
    for number in range(num_nodes):
        node = builder.add_node(str(number), NodeKind.EQUATION, ("sin", "cos", "exp")[number % 3])
        builder.add_edge(last, node)
        last = node
    for source, target in skips:
        builder.add_edge(source, target, operand=1)
    return builder.build()


def picture(canvas: GraphCanvas) -> QImage:
    """What is on the screen once all tiles are painted."""
    for _ in range(50):
        QApplication.processEvents()
    return canvas.grab().toImage()


def centre(canvas: GraphCanvas, item: int) -> QPoint:
    scene = canvas.scene
    assert scene is not None
    x, y, width, height = scene.items.rect[item].tolist()
    return QPointF(*canvas.camera.to_widget(x + width / 2, y + height / 2)).toPoint()


def first_closed_group(canvas: GraphCanvas) -> int:
    scene = canvas.scene
    assert scene is not None
    closed = np.flatnonzero(
        scene.items.is_group & (np.arange(len(scene.items)) >= scene.items.num_frames)
    )
    return int(closed[0])
