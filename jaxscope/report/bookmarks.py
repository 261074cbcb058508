"""Bookmarks in words: where each is, and what is there."""

from __future__ import annotations

from typing import NamedTuple

from jaxscope.model import NONE, Capture, is_available
from jaxscope.model.capture import SOURCE_STAGE, Bookmark


class MarkedPlace(NamedTuple):
    """A bookmark of a capture.

    Attributes:
        bookmark: What was marked.
        where: The title of the stage, or the file.
        what: The operation with its id, what stands on a group's box, or the line with its text.
        stage: Index of the stage, or `NONE` for a line of a file.
        node: Node index in that stage, or `NONE`.
        file: Index of the file, or `NONE`.
        line: 1-based line of the file; 0 for a node.
    """

    bookmark: Bookmark
    where: str
    what: str
    stage: int = NONE
    node: int = NONE
    file: int = NONE
    line: int = 0


def find_marked_places(capture: Capture) -> tuple[MarkedPlace, ...]:
    """Every bookmark of a capture, in the order in which they were made.

    What a bookmark names may not be there, as a graph that was never made: then it is named by the
    words it has.
    """
    return tuple(
        (_find_line if each.stage == SOURCE_STAGE else _find_node)(capture, each)
        for each in capture.bookmarks
    )


def _find_line(capture: Capture, bookmark: Bookmark) -> MarkedPlace:
    path, _, number = bookmark.place.rpartition(":")
    line = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0
    for index, file in enumerate(capture.files):
        lines = file.text.split("\n") if file.path == path else []
        if 0 < line <= len(lines):
            text = lines[line - 1].strip()
            return MarkedPlace(bookmark, path, f"line {line}: {text}", file=index, line=line)
    return MarkedPlace(bookmark, path or bookmark.place, f"line {number}", line=line)


def _find_node(capture: Capture, bookmark: Bookmark) -> MarkedPlace:
    names = [stage.name for stage in capture.stages]
    if bookmark.stage not in names:
        return MarkedPlace(bookmark, bookmark.stage, bookmark.place)
    index = names.index(bookmark.stage)
    stage = capture.stages[index]
    where = stage.title or stage.name
    if bookmark.group:
        return MarkedPlace(bookmark, where, bookmark.group, index)
    if not is_available(stage.graph):
        return MarkedPlace(bookmark, where, bookmark.place, index)
    graph = stage.graph
    node = graph.index_by_id.get(bookmark.place, NONE)
    if node == NONE:
        return MarkedPlace(bookmark, where, bookmark.place, index)
    what = f"{graph.operation(node)} {bookmark.place}"
    return MarkedPlace(bookmark, where, what, index, node)
