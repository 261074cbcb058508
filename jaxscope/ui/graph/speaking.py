"""What a screen reader says of a graph: how large it is, and which box the keyboard is at."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.view.labels import text_of
from jaxscope.analysis.view.view import View
from jaxscope.model import NONE

_MAX_ENDS = 4


def speak_scene(scene: Scene) -> str:
    """How many boxes there are, and how to get about."""
    num = len(scene.items) - scene.items.num_frames
    return f"{num} boxes are shown. Arrow keys walk along the lines."


def speak_item(view: View, scene: Scene, item: int) -> str:
    """Plain text: a box, whether it is a group, and its neighbours by what flows between them."""
    box = view.boxes[int(scene.items.box[item])]
    text = text_of(view, box)
    told = [f"{text.title}, {text.detail}." if text.detail else f"{text.title}."]
    if box.children:
        is_open = item < scene.items.num_frames
        told.append("Open group." if is_open else "Closed group, Enter opens it.")
    lines = scene.lines
    ends = (("From", lines.target, lines.source), ("To", lines.source, lines.target))
    for word, here, there in ends:
        others = dict.fromkeys(int(other) for other in there[here == item] if other != NONE)
        names = [text_of(view, view.boxes[int(scene.items.box[each])]).title for each in others]
        if names:
            more = f" and {len(names) - _MAX_ENDS} more" if len(names) > _MAX_ENDS else ""
            told.append(f"{word} {', '.join(names[:_MAX_ENDS])}{more}.")
    return " ".join(told)


def tell(widget: QWidget, text: str) -> None:
    """Have a text read out where the keyboard is in the widget; it stays as its description."""
    if text == widget.accessibleDescription():
        return
    widget.setAccessibleDescription(text)
    if widget.hasFocus():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))
