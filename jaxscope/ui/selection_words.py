"""What the inspector tells of what is selected: a line, a node, a group, or several together."""

from __future__ import annotations

import os
from collections.abc import Sequence

from jaxscope.analysis.links import LineSelection, Links, NodeSelection
from jaxscope.analysis.program_size import tell_size
from jaxscope.model import Stage
from jaxscope.ui.fate_reading import FateReader
from jaxscope.ui.fusion_reading import FusionReader
from jaxscope.ui.inspection import (
    describe_group,
    describe_line,
    describe_node,
    describe_nothing,
    describe_several,
)
from jaxscope.ui.screen import title_of_stage
from jaxscope.ui.selection import GroupPlace, Place, SelectionModel
from jaxscope.ui.source_lines import NUMBERS_OF_RUN, SourceLines
from jaxscope.ui.source_reading import line_of


class SelectionWords:
    """Puts together what the parts of the window know of the selection."""

    def __init__(
        self,
        selection: SelectionModel,
        lines: SourceLines,
        fates: FateReader,
        fusions: FusionReader,
    ) -> None:
        self._selection, self._lines = selection, lines
        self._fates, self._fusions = fates, fusions

    def describe(self, stages: Sequence[Stage], links: Links, muted: str) -> str:
        """The selection as HTML; what to do where nothing is selected.

        Args:
            stages: That are shown.
            links: Of the selection.
            muted: Colour of labels.
        """
        html = self._describe(stages, links, muted)
        if not html:
            return describe_nothing()
        return html + (f"<p>{NUMBERS_OF_RUN}</p>" if self._lines.moves.is_edited else "")

    def _describe(self, stages: Sequence[Stage], links: Links, muted: str) -> str:
        selection, places = self._selection.selection, self._selection.places
        if isinstance(selection, LineSelection):
            file = self._lines.find_file(selection.file)
            text = line_of(file, selection.line)
            cost = self._lines.cost_of(selection.file, selection.line)
            whole = file.text if file is not None else ""
            return describe_line(selection, text, links, muted, cost, stages, whole)
        fused = self._fusions.describe(selection, muted)
        if len(places) > 1:
            return describe_several([self._name_of(each) for each in places], links, muted) + fused
        if not isinstance(selection, NodeSelection) or not selection.nodes:
            return ""
        if isinstance(places[0], GroupPlace):
            name, graph = self._name_of(places[0])[0], self._selection.graph_of(places[0].stage)
            size = "" if graph is None else tell_size(graph, selection.nodes)
            return describe_group(name, size, links, muted) + fused
        stage = next((stage for stage in stages if stage.name == selection.stage), None)
        if stage is None:
            return ""
        return describe_node(stage, selection.nodes[0], links, muted, self._fates, stages) + fused

    def _name_of(self, place: Place) -> tuple[str, str]:
        """What a selected thing is called, and the link that leads to it."""
        if isinstance(place, LineSelection):
            name = os.path.basename(place.file)
            return f"{name}:{place.line}", f"line:{place.line}:{place.file}"
        if isinstance(place, GroupPlace):
            return f"{title_of_stage(place.stage)} · {place.label}", ""
        found = self._selection.node_at(place)
        graph = self._selection.graph_of(place[0])
        if found is None or graph is None:
            return f"{place[1]} (no longer there)", ""
        operation = graph.string(graph.nodes.operation, found[1])
        name = f"{title_of_stage(place[0])} · {place[1]}"
        return f"{name} {operation}", f"node:{found[0]}:{found[1]}"
