"""What is written on boxes, shortened to fit the widest box there is."""

from __future__ import annotations

from jaxscope.analysis.layout.scene import DETAIL_PX, TITLE_PX
from jaxscope.analysis.layout.text_width import shorten_text
from jaxscope.analysis.view.labels import BoxText, text_of
from jaxscope.analysis.view.view import View

BOX_PADDING_PX = 12.0
BOX_MAX_PX = 256.0


class BoxTexts:
    """Texts of a view's boxes, each worked out once for all pictures of the view."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._known: dict[int, BoxText] = view.remembered.setdefault("texts", {})

    def of(self, box: int) -> BoxText:
        """The text of a box."""
        known = self._known.get(box)
        if known is None:
            full = text_of(self._view, self._view.boxes[box])
            room = BOX_MAX_PX - 2 * BOX_PADDING_PX
            title = shorten_text(full.title, room, TITLE_PX, True)
            detail = shorten_text(full.detail, room, DETAIL_PX)
            is_short = title is full.title and detail is full.detail
            known = self._known[box] = (
                full if is_short else BoxText(title, detail, full.style, full.name)
            )
        return known

    def title_of(self, box: int) -> str:
        """Its first line."""
        return self.of(box).title
