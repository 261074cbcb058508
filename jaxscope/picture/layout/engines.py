"""Who lays a group out: our own layout, or Graphviz where it is fit for the group."""

from __future__ import annotations

import enum
import time

from jaxscope.model import Unavailable
from jaxscope.picture.layout.diagram import Diagram, Drawing, ShouldStop, Spacing
from jaxscope.picture.layout.graphviz import find_graphviz, layout_by_graphviz
from jaxscope.picture.layout.layered import layout_layered

_TOTAL_LIMIT_S = 6.0
"""Of Graphviz for one picture: hundreds of groups would take a minute."""

LayoutCache = dict[object, Drawing]
"""Drawings by diagram: alike groups are laid out once, and what stays open keeps its layout."""


class Engine(enum.Enum):
    """Who lays groups out."""

    OWN = "own"
    GRAPHVIZ = "graphviz"


class GroupLayouts:
    """Lays diagrams out for one scene; where Graphviz does not, ours does, and the reason is kept.

    Args:
        engine: Who is asked first.
        spacing: Distances.
        cache: Layouts of earlier scenes, added to.
        should_stop: Asked often.
    """

    def __init__(
        self, engine: Engine, spacing: Spacing, cache: LayoutCache, should_stop: ShouldStop
    ) -> None:
        self._engine = engine
        self._spacing = spacing
        self._cache = cache
        self._should_stop = should_stop
        self._program = find_graphviz() if engine is Engine.GRAPHVIZ else None
        self._spent_s = 0.0
        self._reasons: dict[str, int] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the person who chose Graphviz: what it did not lay out, and why."""
        if self._engine is Engine.GRAPHVIZ and self._program is None:
            return ("Graphviz is not installed: jaxscope lays graphs out itself.",)
        return tuple(
            f"{reason}: jaxscope laid out {count:,} {'group' if count == 1 else 'groups'} itself."
            for reason, count in self._reasons.items()
        )

    def lay_out(self, diagram: Diagram) -> Drawing:
        """The drawing of a diagram.

        Raises:
            LayoutStopped: `should_stop` returned true.
        """
        key = (diagram, self._spacing, self._program)
        drawing = self._cache.get(key)
        if drawing is None:
            drawing = self._ask_graphviz(diagram) or layout_layered(
                diagram, self._spacing, self._should_stop
            )
            self._cache[key] = drawing
        return drawing

    def _ask_graphviz(self, diagram: Diagram) -> Drawing | None:
        if self._program is None or not diagram.links or diagram.loose:
            return None
        answer: Drawing | Unavailable
        if self._spent_s > _TOTAL_LIMIT_S:
            answer = Unavailable("Graphviz would take too long for all groups")
        else:
            before_s = time.monotonic()
            answer = layout_by_graphviz(diagram, self._spacing, self._program, self._should_stop)
            self._spent_s += time.monotonic() - before_s
        if isinstance(answer, Drawing):
            return answer
        reason = answer.reason[0].upper() + answer.reason[1:]
        self._reasons[reason] = self._reasons.get(reason, 0) + 1
        return None
