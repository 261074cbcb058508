"""Graphs and scenes in the DOT language, for Graphviz and whatever else reads it."""

from __future__ import annotations

from collections.abc import Iterator

import graphviz

from jaxscope.export.painter import FONT_FAMILY
from jaxscope.model import NONE, Graph, NodeKind
from jaxscope.model.types import short_type
from jaxscope.picture.palette import PALETTES, Palette
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.operations import Style, style_of
from jaxscope.program.predicates import Predicates
from jaxscope.schema.safe_text import make_safe_line

_KIND_STYLES = {
    NodeKind.INPUT: Style.INPUT,
    NodeKind.OUTPUT: Style.OUTPUT,
    NodeKind.CONSTANT: Style.CONSTANT,
}


def graph_to_dot(graph: Graph, theme: str = "light") -> str:
    """The whole graph, nothing folded: every node, every edge, groups as clusters."""
    palette = PALETTES[theme]
    members: dict[int, list[int]] = {}
    for node, group in enumerate(graph.nodes.group.tolist()):
        members.setdefault(group, []).append(node)
    inner: dict[int, list[int]] = {}
    for group, parent in enumerate(graph.groups.parent.tolist()):
        inner.setdefault(parent, []).append(group)
    predicates = Predicates(graph)
    open_groups = [_new_digraph(palette, "TB")]
    waiting: list[tuple[int, bool]] = [(NONE, False)]
    while waiting:  # a stack, for groups nest as deep as programs do
        group, is_end = waiting.pop()
        if is_end:
            closed = open_groups.pop()
            open_groups[-1].subgraph(closed)
            continue
        if group != NONE:
            open_groups.append(_new_cluster(group, predicates.label(group)))
            waiting.append((group, True))
        for node in members.get(group, ()):
            _add_node(open_groups[-1], graph, node, palette)
        waiting += [(child, False) for child in reversed(inner.get(group, ()))]
    (whole,) = open_groups
    edges = graph.edges
    columns = (edges.source.tolist(), edges.target.tolist(), edges.type.tolist())
    for source, target, type_ in zip(*columns, strict=True):
        whole.edge(f"n{source}", f"n{target}", tooltip=_escape(short_type(graph.strings[type_])))
    return str(whole.source)


def scene_to_dot(scene: Scene, theme: str = "light") -> str:
    """What a scene shows: its boxes, its open groups as clusters, its edges box to box.

    Edges that cross the border of an open group are drawn in the scene as several lines; here
    each of them starts or ends at the cluster.
    """
    palette = PALETTES[theme]
    items = scene.items
    inner: dict[int, list[int]] = {}
    for item, parent in enumerate(items.parent.tolist()):
        inner.setdefault(parent, []).append(item)
    open_groups = [_new_digraph(palette, "TB" if scene.direction == "down" else "LR")]
    waiting: list[tuple[int, bool]] = [(item, False) for item in reversed(inner.get(NONE, []))]
    while waiting:
        item, is_end = waiting.pop()
        if is_end:
            closed = open_groups.pop()
            open_groups[-1].subgraph(closed)
        elif item < items.num_frames:
            cluster = _new_cluster(item, items.titles[item])
            # The invisible point gives edges of the cluster an end that Graphviz accepts.
            cluster.node(f"i{item}", shape="point", style="invis", label="")
            open_groups.append(cluster)
            waiting.append((item, True))
            waiting += [(child, False) for child in reversed(inner.get(item, ()))]
        else:
            colors = _colors(Style(int(items.style[item])), palette)
            label = _label(items.titles[item], items.details[item])
            open_groups[-1].node(f"i{item}", label, **colors)
    (whole,) = open_groups
    for source, target in _scene_edges(scene):
        whole.edge(f"i{source}", f"i{target}")
    return str(whole.source)


def _new_digraph(palette: Palette, direction: str) -> graphviz.Digraph:
    font = {"fontname": FONT_FAMILY}
    return graphviz.Digraph(
        graph_attr={
            **font,
            "rankdir": direction,
            "compound": "true",
            "bgcolor": palette.background,
            "fontsize": "12",
            "fontcolor": palette.text,
            "color": palette.frame_border,
            "style": "rounded",
        },
        node_attr={
            **font,
            "shape": "box",
            "style": "rounded,filled",
            "fontsize": "11",
            "fontcolor": palette.text,
            "margin": "0.12,0.05",
        },
        edge_attr={
            **font,
            "color": palette.edge,
            "fontsize": "9",
            "fontcolor": palette.muted,
            "arrowsize": "0.7",
        },
    )


def _new_cluster(number: int, label: str) -> graphviz.Digraph:
    return graphviz.Digraph(f"cluster_{number}", graph_attr={"label": _escape(label)})


def _add_node(digraph: graphviz.Digraph, graph: Graph, node: int, palette: Palette) -> None:
    nodes = graph.nodes
    operation = graph.string(nodes.operation, node)
    name = graph.string(nodes.name, node)
    types = ", ".join(short_type(text) for text in graph.row(nodes.types, node))
    style = _KIND_STYLES.get(NodeKind(int(nodes.kind[node])), style_of(operation))
    label = _label(operation, f"{name}: {types}" if name else types)
    digraph.node(f"n{node}", label, **_colors(style, palette))


def _scene_edges(scene: Scene) -> Iterator[tuple[int, int]]:
    lines = scene.lines
    pairs = dict.fromkeys(zip(lines.source.tolist(), lines.target.tolist(), strict=True))
    connectors = scene.connectors
    for at, item in enumerate(connectors.item.tolist()):
        if connectors.is_source[at]:
            pairs |= dict.fromkeys((item, far) for far in connectors.far[at].tolist())
    for source, target in pairs:
        if source != target:
            yield source, target


def _colors(style: Style, palette: Palette) -> dict[str, str]:
    return {"fillcolor": palette.fill[style], "color": palette.border[style]}


def _label(title: str, detail: str) -> str:
    return _as_it_is("\\n".join(_escape(text) for text in (title, detail) if text))


def _escape(text: str) -> str:
    """Text that Graphviz shows as it is, on one line: no escapes, no HTML."""
    return _as_it_is(graphviz.escape(make_safe_line(text)))


def _as_it_is(label: str) -> str:
    """The label marked as no HTML: joining and slicing lose the mark."""
    marked: str = graphviz.nohtml(label)
    return marked
