"""Graphs and scenes in the DOT language, for Graphviz and whatever else reads it."""

from __future__ import annotations

from collections.abc import Iterator

from jaxscope.model import NONE, Graph, NodeKind
from jaxscope.model.types import short_type
from jaxscope.picture.palette import PALETTES, Palette
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.operations import Style, style_of
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
    lines = [*_head(palette, "TB")]
    closing: list[tuple[int, bool]] = [(NONE, False)]
    while closing:  # a stack, for groups nest as deep as programs do
        group, is_end = closing.pop()
        if is_end:
            lines.append("}")
            continue
        if group != NONE:
            label = _quote(graph.string(graph.groups.label, group))
            lines.append(f"subgraph cluster_{group} {{ label={label};")
            closing.append((group, True))
        lines += (_node(graph, node, palette) for node in members.get(group, ()))
        closing += [(child, False) for child in reversed(inner.get(group, ()))]
    lines += _edges(graph)
    return "\n".join([*lines, "}", ""])


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
    lines = [*_head(palette, "TB" if scene.direction == "down" else "LR")]
    stack: list[tuple[int, bool]] = [(item, False) for item in reversed(inner.get(NONE, []))]
    while stack:
        item, is_end = stack.pop()
        if is_end:
            lines.append("}")
        elif item < items.num_frames:
            label = _quote(items.titles[item])
            # The invisible point gives edges of the cluster an end that Graphviz accepts.
            lines.append(
                f"subgraph cluster_{item} {{ label={label};"
                f' i{item} [shape=point style=invis label=""];'
            )
            stack.append((item, True))
            stack += [(child, False) for child in reversed(inner.get(item, ()))]
        else:
            style = Style(int(items.style[item]))
            label = _label(items.titles[item], items.details[item])
            lines.append(f"i{item} [label={label} {_colors(style, palette)}];")
    lines += _scene_edges(scene)
    return "\n".join([*lines, "}", ""])


def _head(palette: Palette, direction: str) -> Iterator[str]:
    yield "digraph {"
    yield f'rankdir={direction}; compound=true; bgcolor="{palette.background}";'
    yield f'fontname="DejaVu Sans"; fontsize=12; fontcolor="{palette.text}";'
    yield f'color="{palette.frame_border}"; style=rounded;'
    yield (
        'node [shape=box style="rounded,filled" fontname="DejaVu Sans" fontsize=11'
        f' fontcolor="{palette.text}" margin="0.12,0.05"];'
    )
    yield (
        f'edge [color="{palette.edge}" fontname="DejaVu Sans" fontsize=9'
        f' fontcolor="{palette.muted}" arrowsize=0.7];'
    )


def _node(graph: Graph, node: int, palette: Palette) -> str:
    nodes = graph.nodes
    operation = graph.string(nodes.operation, node)
    name = graph.string(nodes.name, node)
    types = ", ".join(short_type(text) for text in graph.row(nodes.types, node))
    style = _KIND_STYLES.get(NodeKind(int(nodes.kind[node])), style_of(operation))
    label = _label(operation, f"{name}: {types}" if name else types)
    return f"n{node} [label={label} {_colors(style, palette)}];"


def _edges(graph: Graph) -> Iterator[str]:
    edges = graph.edges
    columns = (edges.source.tolist(), edges.target.tolist(), edges.type.tolist())
    for source, target, type_ in zip(*columns, strict=True):
        yield f"n{source} -> n{target} [tooltip={_quote(short_type(graph.strings[type_]))}];"


def _scene_edges(scene: Scene) -> Iterator[str]:
    lines = scene.lines
    pairs = dict.fromkeys(zip(lines.source.tolist(), lines.target.tolist(), strict=True))
    connectors = scene.connectors
    for at, item in enumerate(connectors.item.tolist()):
        if connectors.is_source[at]:
            pairs |= dict.fromkeys((item, far) for far in connectors.far[at].tolist())
    for source, target in pairs:
        if source != target:
            yield f"i{source} -> i{target};"


def _colors(style: Style, palette: Palette) -> str:
    return f'fillcolor="{palette.fill[style]}" color="{palette.border[style]}"'


def _label(title: str, detail: str) -> str:
    quoted = _quote(title)
    return f"{quoted[:-1]}\\n{_quote(detail)[1:]}" if detail else quoted


def _quote(text: str) -> str:
    """A DOT string: backslashes and quotes escaped, no control characters."""
    return '"' + make_safe_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'
