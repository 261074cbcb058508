"""Texts about items of a scene: rich-text tool tips, and plain text for screen readers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from jaxscope.model import NONE, Graph, Unavailable
from jaxscope.model.said import ENDED, LISTED, join_first, say, say_joined
from jaxscope.model.types import explain_manual_axes, short_type, type_bytes
from jaxscope.model.units import format_bytes
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.scene.visible_edges import find_ends_of_values
from jaxscope.picture.view.labels import sort_boxless, text_of
from jaxscope.picture.view.operations import short_operation
from jaxscope.picture.view.tree import BranchKind
from jaxscope.picture.view.view import ROOT, View
from jaxscope.program.size import count_program, describe_count
from jaxscope.ui.toolkit.language import tr, tr_count, tr_list, tr_named, tr_said
from jaxscope.ui.toolkit.widgets import escape_html

# What the pointer says of an item when it rests there.


_MAX_ATTRIBUTES = 6
_MAX_LENGTH = 80
_MAX_HINT_ENDS = 8
_MAX_LINE_ENDS = 3
_MAX_NOTES = 4
_MAX_RESTS, _MAX_REST = 6, 800


def describe_item(view: View, scene: Scene, item: int) -> str:
    """Rich text: the full label, types, a few attributes, and where the code is."""
    box = view.boxes[int(scene.items.box[item])]
    text = text_of(view, box)
    lines = [f"<b>{_plain(tr_said(text.title))}</b>"]
    if box.children:
        lines.append(_plain(tr_said(text.detail)))
        if item < scene.items.num_frames and (
            told := describe_rest(view, scene, int(scene.items.box[item]))
        ):
            lines.append(escape_html(told, _MAX_REST))
        if 0 < box.num_values < box.num_leaves:
            num_again = box.num_leaves - box.num_values
            told = tr("{num:,} of them are the value of another result, too", num=num_again)
            lines.append(told)
        if box.node != NONE and count_program(view.graph, [box.node]):
            lines.append(tr("The operation itself counts besides what is in it"))
        if box.kind is BranchKind.REPEAT and view.count_shared(int(scene.items.box[item])):
            lines.append(tr("What several of them call counts once, in the one that shows it"))
        lines.append(tr("<i>Double click: open or close</i>"))
    if box.node != NONE:
        graph = view.graph
        if not box.children and "shares" in graph.attributes(box.node):
            lines.append(tr("<i>Double click: go to where its inside is drawn</i>"))
        types = graph.types(box.node)[:4]
        axes = dict.fromkeys(told for type_ in types for told in explain_manual_axes(type_))
        lines += [*map(_plain, types), *(escape_html(tr_said(told)) for told in axes)]
        # The title of a group says what it is. The inspector lists the parameters of its operation
        # when that is selected.
        own = [] if box.children else list(graph.attributes(box.node).items())
        attributes = own[:_MAX_ATTRIBUTES]
        lines += [f"{_plain(key)} = {_plain(value)}" for key, value in attributes]
        place = graph.place(box.node)
        if place:
            lines.append(_plain(f"{place.short} {place.function}"))
    return "<br>".join(lines)


def describe_rest(view: View, scene: Scene, number: int) -> str:
    """What of an open group, or of all, has no box in it, and where it is drawn; or empty."""
    opened = frozenset(scene.items.box[: scene.items.num_frames].tolist())
    rest = view.without_box(number, opened)
    if not rest:
        return ""
    why = sort_boxless(view, rest)
    folded, passing, ports, constants, around = (_count_names(view, nodes) for nodes in why)
    told = [
        tr("In boxes of others: {names}.", names=folded) if folded else "",
        tr("Drawn as lines, since they only pass values on: {names}.", names=passing)
        if passing
        else "",
        tr("Drawn as what a loop or a branch takes or gives: {names}.", names=ports)
        if ports
        else "",
        tr("Written in what reads them: {names}.", names=constants) if constants else "",
        tr("Drawn as what is in them: {names}.", names=around) if around else "",
    ]
    count = tr_said(describe_count(view.graph, view.boxes[number].num_counted))
    first = tr("Without a box of their own: {num:,} of {count}.", num=len(rest), count=count)
    return " ".join((first, *filter(None, told)))


def _count_names(view: View, nodes: Sequence[int]) -> str:
    """Such as `4 tuple, 2 copy`."""
    counts = Counter(short_operation(view.graph.operation(node)) for node in nodes)
    names = [f"{num:,} {name}" for name, num in counts.most_common()]
    return tr_said(join_first(names, _MAX_RESTS))


def describe_notes(notes: Sequence[str]) -> str:
    """Rich text: what was written about bookmarked nodes."""
    told = [_plain(note) for note in notes if note][:_MAX_NOTES]
    if not told:
        return tr("<i>bookmarked</i>") if notes else ""
    return tr("<i>bookmarked:</i> ") + "<br>".join(told)


def describe_edge(view: View, scene: Scene, line: int, operand: str = "") -> str:
    """Rich text: what flows along a line, and between what: boxes, also where it ends at a group.

    Args:
        view: The view.
        scene: A picture of it.
        line: Index of the line.
        operand: Name of the operand that it carries; empty where there is none to tell.
    """
    names = (_name_ends(view, own, boxes) for own, boxes in _find_ends(view, scene, line))
    told = f"<b>{_plain(tr_said(scene.lines.types[line]))}</b><br>" + " → ".join(names)
    return (
        tr("{told}, as operand {operand}", told=told, operand=_plain(operand)) if operand else told
    )


def line_size(scene: Scene, line: int) -> str:
    """How much flows along a line each time; empty where its type is not known, or several are."""
    size = type_bytes(scene.lines.types[line])
    return format_bytes(size) if math.isfinite(size) else ""


def _find_ends(view: View, scene: Scene, line: int) -> list[tuple[int, list[int]]]:
    """The boxes at which a line begins and ends, each with those that make or read its values.

    Readers are those that this line leads to: what is in the group that it enters, or what is out
    of the group that it leaves.
    """
    items, lines = scene.items, scene.lines
    source, target = (int(items.box[each[line]]) for each in (lines.source, lines.target))
    ends = find_ends_of_values(view, lines.flows[line])
    connector = scene.connector_of_line.get(line, NONE)
    is_broken = connector != NONE and bool(scene.connectors.is_source[connector])
    around = {target}
    if is_broken:
        around = {int(items.box[far]) for far in scene.connectors.far[connector].tolist()}
    is_leaving = target in view.ancestors(source)
    readers = [
        each for _, each in ends if around.isdisjoint((each, *view.ancestors(each))) == is_leaving
    ]
    return [(source, [each for each, _ in ends]), (target, readers)]


def _name_ends(view: View, own: int, boxes: Sequence[int]) -> str:
    """Boxes by their titles, and the group that each is in where a line leads there by another."""
    found: dict[str, dict[str, None]] = {}
    for box in boxes or (own,):
        name, around = _title_of(view, box), view.boxes[box].parent
        place = "" if box == own or around <= ROOT else _title_of(view, around)
        is_told = name.startswith(place)  # of an argument that has parts
        found.setdefault("" if is_told else place, {})[name] = None
    names = {place: tr_said(join_first([*each], _MAX_LINE_ENDS)) for place, each in found.items()}
    told = [
        tr("{name} in {place}", name=name, place=place) if place else name
        for place, name in names.items()
    ]
    return tr_said(join_first(told, _MAX_LINE_ENDS))


def _title_of(view: View, box: int) -> str:
    return _plain(tr_said(text_of(view, view.boxes[box]).title))


def describe_connector_ends(view: View, scene: Scene, connector: int) -> str:
    """Rich text: which values a connector stands for, and where they come from or go."""
    connectors, graph = scene.connectors, view.graph
    values = connectors.values[connector].tolist()
    rows = [graph.types(node) for node in values[:_MAX_HINT_ENDS]]
    # Which of several results is meant, a connector does not know.
    types = dict.fromkeys(short_type(row[0]) for row in rows if len(row) == 1)
    ends = connectors.far[connector].tolist()
    boxes = [view.boxes[int(scene.items.box[end])] for end in ends]
    names = [_plain(tr_said(text_of(view, box).title)) for box in boxes]
    if len(names) > _MAX_HINT_ENDS:
        names = [
            *names[:_MAX_HINT_ENDS],
            tr("… and {num_names} more", num_names=len(names) - _MAX_HINT_ENDS),
        ]
    word = tr("to") if connectors.is_source[connector] else tr("from")
    what = tr_count(len(values), "value")
    if types:
        what = tr_named(what, ", ".join(_plain(text) for text in types))
    return f"<b>{what}</b><br>{word} {tr_list(names)}" + tr("<br><i>Click: go there</i>")


def explain_absence(graph: Graph | Unavailable | None) -> str:
    """What to say in the place of a graph without nodes."""
    if isinstance(graph, Unavailable):
        return tr_said(graph.reason)
    if graph is None:
        return tr("There is no graph to show.")
    return tr("This stage is empty: it has no arguments, operations or results.")


def _plain(text: str) -> str:
    """Text of a program for a tool tip, at most `_MAX_LENGTH` characters of it."""
    return escape_html(text, _MAX_LENGTH)


# What a screen reader says of a graph: how large it is, and which box the keyboard is at.


_MAX_SPOKEN_ENDS = 4


def spoken_scene(scene: Scene) -> str:
    """How many boxes there are, and how to get about."""
    num = len(scene.items) - scene.items.num_frames
    return tr("{num} boxes are shown. Arrow keys walk along the lines.", num=num)


def spoken_item(view: View, scene: Scene, item: int) -> str:
    """Plain text: a box, whether it is a group, and its neighbours by what flows between them."""
    box = view.boxes[int(scene.items.box[item])]
    text = text_of(view, box)
    told = [tr_said(say(ENDED, text=say_joined((text.title, text.detail), LISTED)))]
    if box.children:
        is_open = item < scene.items.num_frames
        told.append(tr("Open group.") if is_open else tr("Closed group, Enter opens it."))
    lines = scene.lines
    ends = ((tr("From"), lines.target, lines.source), (tr("To"), lines.source, lines.target))
    for word, here, there in ends:
        others = dict.fromkeys(int(other) for other in there[here == item] if other != NONE)
        names = [text_of(view, view.boxes[int(scene.items.box[each])]).title for each in others]
        if names:
            told.append(f"{word} {tr_said(join_first(names, _MAX_SPOKEN_ENDS))}.")
    return " ".join(told)


def announce(widget: QWidget, text: str) -> None:
    """Have a text read out where the keyboard is in the widget; it stays as its description."""
    if text == widget.accessibleDescription():
        return
    widget.setAccessibleDescription(text)
    if widget.hasFocus():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))
