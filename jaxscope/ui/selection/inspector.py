"""The inspector: the panel and the HTML that it shows about nodes, lines, groups and several things
together.
"""

from __future__ import annotations

import html
import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol
from urllib.parse import unquote

import numpy as np
from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, QTimer, QUrl, Signal
from PySide6.QtWidgets import QFrame, QTabBar, QTextBrowser, QVBoxLayout, QWidget

from jaxscope.model import (
    NONE,
    Direction,
    Fate,
    Graph,
    Leaf,
    Node,
    NodeKind,
    Proof,
    Stage,
    Unavailable,
    is_available,
    stage_named,
)
from jaxscope.model.graph import RESULTS
from jaxscope.model.op_name import name_derivative, shown_orders
from jaxscope.model.said import CLAUSES, first_of, join_first, say_joined
from jaxscope.model.stages import OWN_SUM, lowered_name
from jaxscope.model.types import (
    describe_batch,
    explain_manual_axes,
    mark_batch_axes,
    read_batch_axes,
    sizes_of_batch,
)
from jaxscope.model.units import format_bytes, format_flops, format_seconds
from jaxscope.model.values import ArraySummary, Values
from jaxscope.program.cards import Card, find_card
from jaxscope.program.cost.lines import LineCost
from jaxscope.program.dataflow import attribute_column, find_shared_groups, find_shown_groups
from jaxscope.program.equation_text import equation_text, name_of_result
from jaxscope.program.explanations import explain_operation
from jaxscope.program.kernel_grid import PLACES
from jaxscope.program.links import LineSelection, Linked, Links, NodeSelection, is_made_by_compiler
from jaxscope.program.predicates import Predicates
from jaxscope.program.size import count_named, count_program
from jaxscope.program.source_lines import (
    explain_idle_line,
    explain_unnamed_line,
    find_named_lines,
    find_statement,
)
from jaxscope.report.cards import NOTATION, list_facts
from jaxscope.ui.selection.capture_facts import FateReader
from jaxscope.ui.selection.selection import GroupPlace, Place, SelectionModel
from jaxscope.ui.session.screen import title_of_stage
from jaxscope.ui.session.source_file import line_of
from jaxscope.ui.source.source_lines import SourceLines
from jaxscope.ui.toolkit.language import tr, tr_count, tr_list, tr_named, tr_said
from jaxscope.ui.toolkit.widgets import (
    ANY_PX,
    SOFT_BREAK,
    escape_breakable,
    escape_html,
    make_label,
)

# The equations that a node comes from, as texts; no Qt.


_MAX_SHOWN = 4
_BASE = "jaxpr"


def describe_ancestry(stage: Stage, node: Node, stages: Sequence[Stage]) -> list[tuple[str, str]]:
    """Rows of label and HTML: the equations of the program as written, and those they became.

    Args:
        stage: Of the node.
        stages: That are shown.
    """
    rows = []
    if stage.name != _BASE and node.origins:
        rows.append(
            (tr("comes from"), _list_equations(node.origins, stage_named(stages, _BASE), _BASE))
        )
    last = lowered_name(stage.name for stage in stages) or _BASE
    if node.derived and stage.name != last and not (rows and last == _BASE):
        label = tr("by way of") if rows else tr("comes from")
        rows.append((label, _list_equations(node.derived, stage_named(stages, last), last)))
    return rows


def _list_equations(ids: Sequence[str], stage: Stage | None, name: str) -> str:
    shown = map(tr_said, first_of((_link(each, stage) for each in ids), _MAX_SHOWN))
    return "<br>".join(shown) + tr("<br>of {name}", name=escape_breakable(title_of_stage(name)))


def _link(id: str, stage: Stage | None) -> str:
    """An equation's text, which leads to it; its number where the stage is not there."""
    index = stage.graph.index_by_id if stage is not None and is_available(stage.graph) else {}
    if stage is None or id not in index:
        return tr("equation {id}", id=escape_breakable(id, 60))
    text = escape_breakable(equation_text(stage, index[id]), 100)
    return f"<a href='node:{escape_html(stage.name)}:{index[id]}'>{text}</a>"


_MAX_NEIGHBOURS = 24
_MAX_LEAVES = 8
_MAX_LINKS = 2
"""Of arguments and results: with them the first window has 20 controls."""
_MAX_PLACES = 6
_MAX_SPOKEN = 400
_MAX_TYPES = 8
_KINDS = {
    NodeKind.INPUT: "argument",
    NodeKind.CONSTANT: "constant",
    NodeKind.EQUATION: "equation",
    NodeKind.OPERATION: "operation",
    NodeKind.INSTRUCTION: "instruction",
    NodeKind.OUTPUT: "result",
}
_CODE, _CODE_HTML = re.compile("`([^`]*)`"), r"<code>\1</code>"
_LONG_LABEL = 13
_PART = re.compile(r"\[[^\]]*\]|\.?[^.\[\]]+")
_LINE_LINK = re.compile(
    r"(?P<start><a href='line:(?P<line>\d+):(?P<file>[^']*)'>)(?P<name>[^<]*:\W*)(?P=line)</a>"
)
"""A link to a line, which is named by its number."""
_LONG = {"sharding", "metadata", "backend_config"}


class NodeFacts(Protocol):
    """What is known of nodes from the whole capture."""

    @property
    def unplaced(self) -> str:
        """Where equations come from that have no line, such as `typed in the call`."""

    @property
    def problem(self) -> str:
        """Why no fate is known, or empty."""

    def fate_of(self, stage: str, node: Node) -> Fate | None:
        """The fate of a node of a stage, if it has one and that is known."""

    def is_coming(self, stage: str) -> bool:
        """Whether the fates of a stage are being found."""

    def reason_of_copy(self, stage: str, index: int) -> str:
        """Why XLA copies an argument as it is; empty of other nodes, and where not known."""


def describe_node(
    stage: Stage,
    index: int,
    links: Links,
    muted: str,
    facts: NodeFacts | None = None,
    stages: Sequence[Stage] = (),
    values: Values | None = None,
    *,
    has_card: bool = False,
) -> str:
    """A node in full, as HTML whose links are `node:STAGE:INDEX`, `line:NUMBER:FILE` and `card:`.

    Args:
        muted: Colour of labels.
        facts: What is known of the nodes from the whole capture, if anything.
        stages: That are shown: equations that the node comes from are shown by their texts.
        values: What the equations of a stage computed, if that is known.
        has_card: Whether the card of its operation is shown, if there is one.
    """
    graph = stage.graph
    if isinstance(graph, Unavailable):
        return escape_breakable(tr_said(graph.reason))
    node = graph.node(index)
    places = "<br>".join(_place(p.file, p.line, p.function) for p in node.source[:6])
    if not places and (node.kind is NodeKind.EQUATION or node.origins):
        places = escape_breakable(facts.unplaced) if facts is not None else ""
    rows = [
        (tr("stage"), title_of_stage(stage.name)),
        (tr("argument"), "<br>".join(escape_breakable(path) for path in links.arguments[:6])),
        (tr("result"), _types(node)),
        (tr("memory"), _move(graph, index, facts, stage.name)),
        (tr("value"), _values(stage, node, values)),
        (tr("part"), _direction(node) + _computed_again(stage.name, graph, index)),
        (tr("source"), places),
        (tr("work"), _cost(node)),
        (tr("time"), "" if math.isnan(node.seconds) else format_seconds(node.seconds)),
        (tr("fate"), _fate_of(facts, stage.name, node)),
        *describe_ancestry(stage, node, stages),
        (tr("scope"), escape_breakable("/".join(node.scope))),
        (tr("takes"), _neighbours(stage.name, graph, index, incoming=True)),
        (tr("goes to"), _neighbours(stage.name, graph, index, incoming=False)),
        (tr("inside"), escape_breakable(_group_label(graph, index))),
        (tr("drawn at"), _drawn_elsewhere(stage.name, graph, index)),
        (tr("used in"), _other_calls(stage.name, graph, index)),
        *(
            (
                escape_breakable(key, 60),
                escape_breakable(_attribute(key, value), 120 if key in _LONG else 600),
            )
            for key, value in node.attributes.items()
            if not key.startswith(PLACES)
            and key not in _OF_CALLS
            and not (links.arguments and key in _OF_ARGUMENTS)
        ),
        (tr("elsewhere"), _elsewhere(stage.name, links, stages)),
    ]
    heading = f"<h3>{escape_breakable(_title_of(node))}</h3>"
    name = f"{tr(_KINDS[node.kind])} <b>{escape_breakable(node.name or node.id)}</b>"
    if node.kind is NodeKind.EQUATION and node.name not in ("", node.id):
        name += f" ({escape_breakable(node.id)})"
    card = find_card(node.operation, node.kind)
    made = (
        tr(
            "<p>Made by lowering or by XLA: no equation or line of your program is known to be "
            "behind it.</p>"
        )
        if node.operation != "parameter"  # the call's own argument, or a fusion's
        and is_made_by_compiler(graph, index)
        and not links.has_origin
        else ""
    )
    if OWN_SUM in node.scope:
        made = tr(
            "<p>Added by jaxscope, no part of your function: what gives more than one number has "
            "no gradient, so this is the gradient of the sum of its results.</p>"
        )
    return (
        f"{heading}<p>{name}</p>"
        + _explain(node, card, has_card=has_card)
        + (describe_card(card, muted) if card is not None and has_card else "")
        + made
        + _table(rows, muted)
    )


_OF_CALLS = ("shares", "shared_by")
"""What the rows *drawn at* and *used in* say."""
_OF_ARGUMENTS = ("argument", "path")
"""What the row of an argument's name says already."""


def _move(graph: Graph, index: int, facts: NodeFacts | None, stage: str) -> str:
    """Of a copy or a transpose of HLO how the order in memory changes, and why it is there where
    an argument is copied as it is.
    """
    is_move = graph.operation(index) in ("copy", "copy-start", "transpose")
    if not is_move or graph.nodes.kind[index] != NodeKind.INSTRUCTION:
        return ""
    from jaxscope.report.moves import describe_change  # few selections need it

    reason = facts.reason_of_copy(stage, index) if facts is not None else ""
    told = say_joined((describe_change(graph, index), reason), CLAUSES)
    return escape_breakable(tr_said(told))


def _attribute(key: str, value: str) -> str:
    if key == RESULTS:
        return value.replace("\n", ", ")
    if key != "cost_note":
        return value
    from jaxscope.program.cost.equations import read_cost_note  # few selections need it

    return tr_said(read_cost_note(value))


def _title_of(node: Node) -> str:
    """What stands on a node's box: of an argument what the code calls it, else the operation."""
    if node.kind is NodeKind.INPUT:
        known = node.attributes.get("path") or node.attributes.get("argument_name")
        return known or node.name or tr(_KINDS[node.kind])
    return node.operation or tr(_KINDS[node.kind])


def _explain(node: Node, card: Card | None, *, has_card: bool) -> str:
    """The sentence on an operation, and the link that opens or closes its card.

    The link is short, so that it seldom takes a line of its own: in a small window few are seen.
    """
    parts = [_mark_code(tr_said(explain_operation(node.operation, node.kind)))]
    if card is not None:
        parts.append(f"<a href='card:'>{(tr('Less') if has_card else tr('More'))}</a>")
    told = " ".join(filter(None, parts))
    return f"<p>{told}</p>" if told else ""


def describe_card(card: Card, muted: str) -> str:
    """What a card says to users and to compiler engineers, as HTML.

    Args:
        muted: Colour of labels.
    """
    parts = []
    for title, facts in list_facts(card):
        rows = [
            (
                tr_said(fact.label),
                _code_lines(fact.text) if fact.is_code else _mark_code(tr_said(fact.text)),
            )
            for fact in facts
        ]
        parts.append(f"<h4>{tr_said(title)}</h4>{_table(rows, muted)}")
    if card.is_primitive:
        parts.append(f"<p style='color:{muted}'>{_mark_code(tr_said(NOTATION))}</p>")
    return "".join(parts)


def _mark_code(text: str) -> str:
    return _CODE.sub(_CODE_HTML, escape_breakable(text))


def _code_lines(code: str) -> str:
    """Lines of code with their indents."""
    lines = (
        "&nbsp;" * (len(line) - len(line.lstrip())) + escape_breakable(line.lstrip())
        for line in code.splitlines()
    )
    return f"<code>{'<br>'.join(lines)}</code>"


def describe_line(
    selection: LineSelection,
    text: str,
    links: Links,
    muted: str,
    cost: LineCost | None = None,
    stages: Sequence[Stage] = (),
    file_text: str = "",
    number: int | None = None,
) -> str:
    """A source line, what became of it and, where that is known, what it costs, as HTML.

    Args:
        muted: Colour of labels.
        stages: Of the program, for why nothing may be known of the line.
        file_text: Of the file, for what kind of line it is.
        number: Of the line in the text as it is now, if that is not the one that ran; 0 where it
            was changed or is gone.
    """
    name = escape_breakable(os.path.basename(selection.file))
    idle = escape_breakable(explain_idle_line(file_text, selection.line))
    became = _elsewhere("", links, stages) or idle or _no_operation(stages, selection, file_text)
    place = tr("{name}, line {line}", name=name, line=number or selection.line)
    place = tr("{place} of the text that ran", place=place) if number == 0 else place
    code = f"<p><code>{escape_breakable(text.strip())}</code></p>"
    return f"<h3>{place}</h3>{code}" + _table(
        [(tr("became"), became), (tr("cost"), escape_breakable(cost.text if cost else ""))], muted
    )


def _no_operation(stages: Sequence[Stage], selection: LineSelection, file_text: str) -> str:
    """Why a line has no operation: JAX gives what a custom rule computes another line."""
    graphs = [stage.graph for stage in stages if not isinstance(stage.graph, Unavailable)]
    if not graphs:
        return tr("Not known yet: the call has not been traced.")
    statement = find_statement(file_text, selection.line)
    named = sorted({n for g in graphs for n in find_named_lines(g, selection.file, statement)})
    return escape_breakable(explain_unnamed_line(graphs[0].strings, others=named))


def describe_several(
    names: Sequence[tuple[str, str]], links: Links, stages: Sequence[Stage], muted: str
) -> str:
    """Several things together, as HTML.

    Args:
        names: What each is called and the link that leads to it, empty for none.
        links: Of all of them.
        stages: That are shown.
        muted: Colour of labels.
    """
    shown = (
        f"<a href='{escape_html(link)}'>{escape_breakable(name, 80)}</a>" for name, link in names
    )
    rows = [
        (tr("things"), "<br>".join(map(tr_said, first_of(shown, _MAX_NEIGHBOURS)))),
        (tr("source"), _places(links)),
        (tr("elsewhere"), _elsewhere("", links, stages)),
    ]
    return tr("<h3>{num_names:,} things together</h3>", num_names=len(names)) + _table(rows, muted)


def describe_group(name: str, size: str, links: Links, stages: Sequence[Stage], muted: str) -> str:
    """A group that is one box, as HTML.

    Args:
        name: Of the group.
        size: How much is in it, as on its box: `12 equations`, `6 arrays`.
        links: Of what is in it.
        stages: That are shown.
        muted: Colour of labels.
    """
    rows = [
        (tr("holds"), size),
        (tr("source"), _places(links)),
        (tr("elsewhere"), _elsewhere("", links, stages)),
    ]
    return f"<h3>{escape_breakable(name, 80)}</h3>" + _table(rows, muted)


_FIRST_HINT = "<p>Click a line or a box to follow it through all stages.</p>"
_HINTS = (
    "<p>Click a line of the source, an equation, an instruction or a box. What it came from "
    "and what it went into lights up in every view.</p>"
    "<p>Rest the pointer on something to see its links ahead. Ctrl+click adds one more, "
    "Shift+click all up to there.</p>"
)


def split_path(path: str) -> list[str]:
    """Cut a path such as `params['w'].bias` into `params`, `['w']`, `.bias`; empty has no parts."""
    return _PART.findall(path)


def _values(stage: Stage, node: Node, values: Values | None) -> str:
    """What an equation computed, or what an input got."""
    if values is None or values.stage != stage.name:
        return ""
    if node.kind is NodeKind.INPUT:
        path = node.attributes.get("path", "")
        paths = values.argument_paths
        found = values.arguments[paths.index(path)] if path in paths else None
        return "" if found is None else describe_summary(found)
    equation = next((each for each in values.equations if each.id == node.id), None)
    if node.kind is not NodeKind.EQUATION or equation is None:
        return ""
    runs = equation.num_runs
    told = "<br>".join(describe_summary(each, runs) for each in equation.outputs[:_MAX_SHOWN])
    if not told:
        return ""
    return tr("{told}<br><a href='page:stepping'>Step through the numbers</a>", told=told)


def describe_summary(found: ArraySummary, num_runs: int = 1) -> str:
    """The first elements of an array and its range, as HTML.

    Args:
        num_runs: How often it was computed: the elements are of the last time, the range of all.
    """
    text, numbers = found.text, write_range(found, num_runs)
    if num_runs > 1:
        runs = tr_count(num_runs, "run")
        text = text and tr("{value} in the last of {num_runs} looked at", value=text, num_runs=runs)
        numbers = numbers and tr("in all of them: {range}", range=numbers)
    return "<br>".join(map(escape_breakable, filter(None, (text, numbers))))


def write_range(found: ArraySummary, num_runs: int = 1) -> str:
    """Such as `min -1 · mean 0.2 · max 3, 2 NaN`; of one number only that it is NaN or Inf."""
    numbers = [(tr("min"), found.min), (tr("mean"), found.mean), (tr("max"), found.max)]
    known = [f"{name} {number:.4g}" for name, number in numbers if not math.isnan(number)]
    odd = [
        f"{count:,} {n}" for count, n in ((found.num_nan, "NaN"), (found.num_inf, "Inf")) if count
    ]
    return tr_list((" · ".join(known) if found.shape or num_runs > 1 else "", *odd))


def describe_call(
    arguments: Sequence[Leaf],
    results: Sequence[Leaf],
    muted: str,
    values: Values | None = None,
    *,
    asks: bool = False,
) -> str:
    """What goes into a call and what comes out, as HTML; links are `argument:PATH`, `page:NAME`
    and `values:`.

    Leaves below one part, such as all of `params`, are one row. Of more links than `_MAX_LINKS`
    only the one to all arguments and results is there.

    Args:
        muted: Colour of labels.
        values: What they were in a run, if that is known.
        asks: Whether that is looked at only if a person asks for it.
    """
    known = values_of_leaves(arguments, results, values)
    parts = _group_leaves(arguments), _group_leaves(results)
    shown_in, shown_out = (list(groups.items())[:_MAX_LEAVES] for groups in parts)
    is_all_told = all(len(groups) <= _MAX_LEAVES for groups in parts) and all(
        len(leaves) == 1 for groups in parts for leaves in groups.values()
    )
    num_linked = sum(_is_linked(leaves) for _, leaves in shown_in)
    is_linked = asks + num_linked + (not is_all_told) <= _MAX_LINKS
    lines_in = [_describe_leaves(*each, known, is_linked=is_linked) for each in shown_in]
    lines_out = [_describe_leaves(*each, known, is_linked=False) for each in shown_out]
    rows = [
        (tr("in"), "<br>".join([*lines_in, *_count_rest(parts[0])])),
        (tr("out"), "<br>".join([*lines_out, *_count_rest(parts[1])])),
    ]
    more = tr("<p><a href='page:arguments'>All arguments and results</a></p>")
    way = tr("<p><a href='values:'>Look at its values</a> (Ctrl+Alt+V)</p>") if asks else ""
    return _table(rows, muted) + way + ("" if is_all_told and is_linked else more)


def _group_leaves(leaves: Sequence[Leaf]) -> dict[str, list[Leaf]]:
    """Leaves by the part that they are below."""
    groups: dict[str, list[Leaf]] = {}
    for leaf in leaves:
        groups.setdefault((split_path(leaf.path) or ["result"])[0], []).append(leaf)
    return groups


def _count_rest(groups: Collection[str]) -> list[str]:
    """How many parts are not shown, if any."""
    rest = len(groups) - _MAX_LEAVES
    return [tr("and {num_groups:,} more", num_groups=rest)] if rest > 0 else []


def _is_linked(leaves: Sequence[Leaf]) -> bool:
    """Whether a part of the arguments may lead to a box: one that is an array."""
    return len(leaves) == 1 and not leaves[0].is_static


def values_of_leaves(
    arguments: Sequence[Leaf], results: Sequence[Leaf], values: Values | None
) -> dict[int, ArraySummary]:
    """Summaries of arguments and results, by the identity of their leaves."""
    if values is None:
        return {}
    by_path = dict(zip(values.argument_paths, values.arguments, strict=False))
    found = {id(leaf): by_path[leaf.path] for leaf in arguments if leaf.path in by_path}
    if len(results) == len(values.results):
        found |= {id(leaf): each for leaf, each in zip(results, values.results, strict=True)}
    return found


def _describe_leaves(
    name: str, leaves: Sequence[Leaf], values: Mapping[int, ArraySummary], *, is_linked: bool
) -> str:
    told, leaf = f"<b>{escape_breakable(name, 60)}</b>", leaves[0]
    size = format_bytes(sum(each.num_bytes for each in leaves))
    if len(leaves) > 1:  # counted as on the box in the graph: a static leaf is no array
        num_static = sum(each.is_static for each in leaves)
        static = tr(", {num_static} static", num_static=num_static) if num_static else ""
        batch = describe_batch([sizes_of_batch(each.type) for each in leaves if not each.is_static])
        num_arrays = tr_count(len(leaves) - num_static, "array")
        return f"{told} {num_arrays}{batch}, {size}{static}"
    if is_linked and _is_linked(leaves):
        told = f"<a href='argument:{escape_html(leaf.path)}'>{told}</a>"
    told = f"{told} {escape_breakable(leaf.type, 60)}" + (f", {size}" if not leaf.is_static else "")
    value = values.get(id(leaf))
    return told if value is None else f"{told}<br>{describe_summary(value)}"


def _table(rows: Iterable[tuple[str, str]], muted: str) -> str:
    cells = "".join(_row(label, value, muted) for label, value in rows if value)
    return f"<table cellspacing='0' cellpadding='2' style='margin-top:8px'>{cells}</table>"


def _row(label: str, value: str, muted: str) -> str:
    """A long label stands above its value: beside it, it would take the room of both."""
    style = f"color:{muted}; padding-right:10px"
    if len(label) > _LONG_LABEL:
        above = f"<tr><td colspan='2' style='{style}'>{label}</td></tr>"
        return f"{above}<tr><td></td><td>{value}</td></tr>"
    return f"<tr><td style='{style}; white-space:nowrap'>{label}</td><td>{value}</td></tr>"


def _types(node: Node) -> str:
    """What it gives; of a whole training step the first few, or all else would be out of sight."""
    batched = read_batch_axes(node.attributes.get("batch_axes", ""))
    shown = (
        escape_breakable(mark_batch_axes(type_, batched.get(result, ())))
        for result, type_ in enumerate(node.types)
    )
    axes = dict.fromkeys(told for type_ in node.types for told in explain_manual_axes(type_))
    told = [*map(tr_said, first_of(shown, _MAX_TYPES))]
    return "<br>".join((*told, *(escape_html(tr_said(each)) for each in axes)))


def _direction(node: Node) -> str:
    """The part of a gradient; of several derivatives also which, as the picture names it."""
    told = {
        Direction.NONE: "",
        Direction.FORWARD: tr("forward pass"),
        Direction.BACKWARD: tr("backward pass"),
    }[node.direction]
    orders = node.attributes.get("differentiation", "")
    order = shown_orders(orders)
    parts = (told, order if " of " in order else "", tr_said(name_derivative(orders)))
    return " · ".join(filter(None, parts))


def _computed_again(stage: str, graph: Graph, index: int) -> str:
    """That XLA computes a value of the forward pass once more in the backward pass, as HTML."""
    from jaxscope.program.fusion.duplicates import find_forward_copies  # not for a first picture

    copies = find_forward_copies(graph, index)
    if not copies:
        return ""
    links = [
        f"<a href='node:{escape_html(stage)}:{each}'>{escape_breakable(graph.name(each), 60)}</a>"
        for each in copies
    ]
    copies_told = "<br>".join(map(tr_said, first_of(links, _MAX_SHOWN)))
    return tr(
        "<br>computed again here, in a fusion of the backward pass; in the forward pass: {copies}",
        copies=copies_told,
    )


def _cost(node: Node) -> str:
    cost, parts = node.cost, []
    if not math.isnan(cost.flops):
        parts.append(format_flops(cost.flops))
    if not math.isnan(cost.bytes_accessed):
        parts.append(
            tr(
                "{bytes_accessed} read and written",
                bytes_accessed=format_bytes(cost.bytes_accessed),
            )
        )
    if cost.transcendentals > 0:
        parts.append(
            tr(
                "{transcendentals:,.0f} of exp, tanh and the like",
                transcendentals=cost.transcendentals,
            )
        )
    return "<br>".join(parts)


_MAX_PROOF = 3


def _fate_of(facts: NodeFacts | None, stage: str, node: Node) -> str:
    """The fate of a node; that it is being found, or why it is not known; else empty."""
    if facts is None:
        return ""
    if facts.problem and node.kind is NodeKind.EQUATION:
        return escape_breakable(tr("not known: {problem}", problem=facts.problem))
    fate = facts.fate_of(stage, node)
    if fate is None:
        is_coming = node.kind is NodeKind.EQUATION and facts.is_coming(stage)
        return tr("being worked out …") if is_coming else ""
    return _fate(fate)


def _fate(fate: Fate) -> str:
    by = (
        tr(" by the pass {pass_name}", pass_name=escape_breakable(fate.pass_name))
        if fate.pass_name
        else ""
    )
    mark = tr(" (inferred)") if fate.certainty == "inferred" else ""
    lines = [f"<b>{tr(fate.fate)}</b>{mark}{by}", escape_breakable(tr_said(fate.text))]
    if fate.instructions:
        shown = tr_said(join_first((escape_breakable(n, 60) for n in fate.instructions), 8))
        word = tr("instruction") if len(fate.instructions) == 1 else tr("instructions")
        lines.append(tr("Now in the {word} {shown}", word=word, shown=shown))
    if fate.proof is not None:
        lines.append(_proof(fate.proof))
    return "<br>".join(lines)


def _proof(proof: Proof) -> str:
    """What two modules hold that shows a fate; a click leads to the pass between them."""
    if proof.pass_number is None:
        from jaxscope.program.fates.derived import COMPILED, LOWERED  # come with a result

        # What JAX left out is an equation of its jaxpr that no operation was made of.
        what = "" if proof.pass_name == COMPILED else tr(" equation")
        place = tr(LOWERED) if proof.pass_name == LOWERED else escape_breakable(proof.pass_name)
        where = tr("proof: {place}:{what}", place=place, what=what)
    else:
        name = f"dump {proof.pass_number:04}, {escape_breakable(proof.pass_name)}"
        link = f"<a href='pass:{proof.pass_number}'>{name}</a>"
        where = tr("proof: {place}:{what}", place=link, what="")
    before, after = (
        tr_said(join_first((escape_breakable(name, 60) for name in names), _MAX_PROOF))
        or tr("nothing")
        for names in (proof.before, proof.after)
    )
    return f"{where} {before} → {after}"


def _place(file: str, line: int, function: str) -> str:
    name = escape_breakable(os.path.basename(file))
    where = (
        tr(" in {function}", function=escape_breakable(function))
        if function and function != "<module>"
        else ""
    )
    return f"<a href='line:{line}:{escape_html(file)}'>{name}:{line}</a>{where}"


def _places(links: Links) -> str:
    """The first source lines in the order of the text, file by file."""
    files = list(dict.fromkeys(file for file, _ in links.lines))
    lines = sorted(links.lines, key=lambda place: (files.index(place[0]), place[1]))
    shown = [_place(file, line, "") for file, line in lines[:_MAX_PLACES]]
    return "<br>".join([*shown, *(["…"] if len(lines) > _MAX_PLACES else [])])


def _neighbours(stage: str, graph: Graph, index: int, *, incoming: bool) -> str:
    edges = graph.edges
    mine, theirs = (edges.target, edges.source) if incoming else (edges.source, edges.target)
    found = np.flatnonzero(mine == index)
    if incoming:
        found = found[np.argsort(edges.operand[found], kind="stable")]
    nodes = list(dict.fromkeys(theirs[found].tolist()))
    outputs: dict[int, set[int]] = {}
    if incoming:
        for edge in found.tolist():
            outputs.setdefault(int(edges.source[edge]), set()).add(int(edges.output[edge]))

    def link(node: int) -> str:
        target = f"node:{escape_html(stage)}:{node}"
        text = f"<a href='{target}'>{escape_breakable(_short(graph, node), 60)}</a>"
        return _of_its_results(graph, node, outputs.get(node, set()), text)

    return tr_list(first_of(map(link, nodes), _MAX_NEIGHBOURS))


def _of_its_results(graph: Graph, node: int, outputs: Collection[int], link: str) -> str:
    """Which results of a node are meant, before the link to it; the link alone for all of them."""
    num_results = len(graph.types(node))
    is_instruction = graph.nodes.kind[node] == NodeKind.INSTRUCTION  # gives a tuple as a whole
    if is_instruction or not 0 < len(outputs) < num_results:
        return link
    names = [name_of_result(graph, node, each) for each in sorted(outputs)]
    if all(names):
        named = map(tr_said, first_of((escape_breakable(name, 60) for name in names), _MAX_SHOWN))
        return tr("{results} (of {link})", results=tr_list(named), link=link)
    numbers = [str(each + 1) for each in sorted(outputs)]
    shown = tr_list(map(tr_said, first_of(numbers, _MAX_SHOWN)))
    return tr(
        "result {numbers} of {count} (of {link})", numbers=shown, count=num_results, link=link
    )


def _short(graph: Graph, node: int) -> str:
    operation = graph.operation(node)
    name = graph.name(node) or graph.id(node)
    if graph.nodes.kind[node] == NodeKind.INPUT:
        return f"{_title_of(graph.node(node))} ({tr(_KINDS[NodeKind.INPUT])})"
    return f"{name} ({operation})" if operation and operation != name else name


def _drawn_elsewhere(stage: str, graph: Graph, index: int) -> str:
    """Programs inside of a node that are drawn at another node, such as arms that several share."""
    links, predicates = [], Predicates(graph)
    if "shares" not in graph.attributes(index):  # those of all nodes take a while to find
        return ""
    for group in find_shown_groups(graph).of(index):
        label, owner = tr_said(predicates.label(group)), int(graph.groups.owner[group])
        told = tr("{label} at ", label=escape_breakable(label or tr("its inside"), 60))
        target = f"node:{escape_html(stage)}:{owner}"
        links.append(f"{told}<a href='{target}'>{escape_breakable(_short(graph, owner), 60)}</a>")
    return "<br>".join(links)


def _other_calls(stage: str, graph: Graph, index: int) -> str:
    """The other calls of the function that a node calls."""
    told = graph.attributes(index).get("shared_by", "")
    known = [graph.index_by_id[each] for each in told.split(", ") if each in graph.index_by_id]
    if not known:
        return ""
    start = f"<a href='node:{escape_html(stage)}:"
    names = ((each, escape_breakable(_short(graph, each), 60)) for each in known)
    links = (f"{start}{each}'>{name}</a>" for each, name in names)
    here = tr("here, and at {others}", others=tr_list(map(tr_said, first_of(links, _MAX_SHOWN))))
    return tr("{here}. What is inside is counted once.", here=here)


def _group_label(graph: Graph, index: int) -> str:
    group = int(graph.nodes.group[index])
    labels, predicates = list[str](), Predicates(graph)
    shared, num_calls = find_shared_groups(graph), 0
    while group >= 0 and len(labels) < 6:
        labels.append(tr_said(predicates.label(group)))
        num_calls = num_calls or shared.calls_of(group)
        group = int(graph.groups.parent[group])
    told = " › ".join(reversed(labels))
    if num_calls:
        told = tr("{groups}, used in {count:,} places, counted once", groups=told, count=num_calls)
    return told


def _elsewhere(own: str, links: Links, stages: Sequence[Stage]) -> str:
    """How much of each stage but a node's own is linked, in the words of that stage."""
    graphs = {stage.name: stage.graph for stage in stages if is_available(stage.graph)}
    parts = []
    for name, linked in links.stages.items():
        if name in graphs and name != own and linked.num_nodes > len(linked.selected):
            told = _count(name, graphs[name], linked)
            parts.append(tr_named(escape_breakable(title_of_stage(name)), told))
    return "<br>".join(parts)


def _count(stage: str, graph: Graph, linked: Linked) -> str:
    """What is linked in a stage, counted as the stage and its groups are."""
    forward, backward = linked.forward.tolist(), linked.backward.tolist()
    first = (forward or backward)[0]
    other = "other " if len(linked.selected) else ""  # what is selected does not count
    if count_program(graph, forward) and count_program(graph, backward):
        told = tr("{nodes} forward, ", nodes=tr_count(*count_named(graph, forward, other)))
        told += tr("{count_program:,} backward", count_program=count_program(graph, backward))
    else:
        told = tr_count(*count_named(graph, forward + backward, other))
        told += tr(" backward") if count_program(graph, backward) else ""
    return f"<a href='node:{escape_html(stage)}:{first}'>{told}</a>"


class SelectionDescriber:
    """Puts together what the parts of the window know of the selection.

    Attributes:
        values: What the equations of a stage computed, if that is known.
        has_card: Whether the card of the selected operation is shown.
    """

    def __init__(self, selection: SelectionModel, lines: SourceLines, fates: FateReader) -> None:
        self._selection, self._lines, self._fates = selection, lines, fates
        self.values: Values | None = None
        self.has_card = False

    def describe(self, stages: Sequence[Stage], links: Links, muted: str) -> str:
        """The selection as HTML; empty where nothing is selected, and no reason is known.

        Args:
            stages: That are shown.
            links: Of the selection.
            muted: Colour of labels.
        """
        page = self._describe(stages, links, muted)
        if not page:
            reason = self._selection.reason
            return f"<p>{escape_html(tr_said(reason))}</p>" if reason else ""
        return _LINE_LINK.sub(self._number_as_shown, page)

    def _number_as_shown(self, link: re.Match[str]) -> str:
        """A link to a line that ran, with the number that the line has now."""
        number = self._lines.number_of(html.unescape(link["file"]), int(link["line"]))
        told = link["name"] + str(number or link["line"])
        told = told if number else tr("{place} of the text that ran", place=told)
        return f"{link['start']}{told}</a>"

    def _describe(self, stages: Sequence[Stage], links: Links, muted: str) -> str:
        selection, places = self._selection.selection, self._selection.places
        if isinstance(selection, LineSelection):
            file = self._lines.find_file(selection.file)
            text = line_of(file, selection.line)
            cost = self._lines.cost_of(selection.file, selection.line)
            whole = file.text if file is not None else ""
            number = self._lines.number_of(selection.file, selection.line)
            return describe_line(selection, text, links, muted, cost, stages, whole, number)
        if len(places) > 1:
            names = [self._name_of(each) for each in places]
            return describe_several(names, links, stages, muted)
        if not isinstance(selection, NodeSelection) or not selection.nodes:
            return ""
        if isinstance(places[0], GroupPlace):
            name, size = self._name_of(places[0])[0], places[0].size
            graph = self._selection.graph_of(selection.stage)
            num_shared = 0
            if graph is not None:
                shares = attribute_column(graph, "shares")[list(selection.nodes)]
                num_shared = int(np.count_nonzero(shares != NONE))
            if num_shared:
                told = tr(
                    "{calls}, whose equations count where the function is called first",
                    calls=tr_count(num_shared, "shared call"),
                )
                size = f"{size}<br>{told}"
            return describe_group(name, size, links, stages, muted)
        stage = stage_named(stages, selection.stage)
        if stage is None:
            return ""
        node = selection.nodes[0]
        return describe_node(
            *(stage, node, links, muted, self._fates, stages, self.values), has_card=self.has_card
        )

    def _name_of(self, place: Place) -> tuple[str, str]:
        """What a selected thing is called, and the link that leads to it."""
        if isinstance(place, LineSelection):
            name = os.path.basename(place.file)
            return f"{name}:{place.line}", f"line:{place.line}:{place.file}"
        if isinstance(place, GroupPlace):
            return f"{title_of_stage(place.stage)} · {tr_said(place.label)}", ""
        found = self._selection.node_at(place)
        graph = self._selection.graph_of(place[0])
        if found is None or graph is None:
            return tr("{place} (no longer there)", place=place[1]), ""
        operation = graph.operation(found[1])
        name = f"{title_of_stage(place[0])} · {place[1]}"
        return f"{name} {operation}", f"node:{found[0]}:{found[1]}"


class _Page(QTextBrowser):
    """A page whose soft breaks are not copied."""

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        text = self.textCursor().selection().toPlainText()
        data.setText(text.replace(SOFT_BREAK, ""))
        return data


_SHOWN_OR_HIDDEN = (QEvent.Type.ShowToParent, QEvent.Type.HideToParent)


_ABOVE_PX, _BELOW_PX, _SPACING_PX = 9, 6, 6
_SPARE_PX = 4
"""For borders that style sheets draw: one pixel too few brings a scroll bar."""
_CLOSE = "h3 { margin: 0; } p { margin-top: 2px; margin-bottom: 8px; }"


class Inspector(QFrame):
    """Shows prepared HTML; its links become signals that ask for a node, a line or a pass.

    In a narrow window it gives a part of its place to a guest, such as a lesson; a tab leads back.
    In a low one the guest is folded to its tab, until somebody clicks on that. One that was closed
    may be offered: then its tab is there all the same.

    Attributes:
        additions: What pages have to say of what is selected, as HTML or nothing.

    Signals:
        guest_shown: Whether a guest is here that wants to be seen, and is not folded.
        guest_requested: The tab of a guest that is offered was chosen.
        need_changed: It needs more height than before, or less.
    """

    guest_shown = Signal(bool)
    guest_requested = Signal()
    need_changed = Signal()

    node_requested = Signal(str, int)
    line_requested = Signal(str, int)
    present_line_requested = Signal(str, int)
    pass_requested = Signal(int)
    argument_requested = Signal(str)
    page_requested = Signal(str)
    values_requested = Signal()
    card_toggled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.additions: list[Callable[[], str]] = []
        self.setProperty("role", "card")
        self._title = make_label("", "label")
        self.page = _Page()
        self.page.setOpenLinks(False)
        self.page.setProperty("role", "page")  # framed while it has the keyboard
        self.page.document().setDocumentMargin(0)
        self.page.document().setDefaultStyleSheet(_CLOSE)  # a low window shows what it is, whole
        self.page.anchorClicked.connect(self._on_page_anchor_clicked)
        self._later = QTimer(self, singleShot=True, interval=0)  # not while it is laid out
        self._later.timeout.connect(self._limit)
        self.page.document().documentLayout().documentSizeChanged.connect(self._later.start)
        self._is_brief = False
        self._guest: QWidget | None = None
        self._is_low = self._is_unfolded = self._has_told = self._was_used = False
        self._is_offering = self._is_below_graph = False
        self._tabs = QTabBar(expanding=False)
        self._tabs.addTab("")
        self._tabs.addTab(tr("Selected"))
        self._tabs.currentChanged.connect(self._on_tabs_current_changed)
        self._tabs.tabBarClicked.connect(self._on_tabs_tab_bar_clicked)
        self._room = QVBoxLayout()
        self._room.setContentsMargins(0, 0, 0, 0)
        room = QWidget()
        room.setLayout(self._room)
        self._front = room
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, _ABOVE_PX, 6, _BELOW_PX)
        layout.setSpacing(_SPACING_PX)
        for part in (self._title, self._tabs, room):
            layout.addWidget(part)
        layout.setStretchFactor(room, 1)
        layout.addWidget(self.page, 1)
        self._arrange()
        self.show_nothing("")

    @property
    def guest(self) -> QWidget | None:
        """What is shown here besides, or None."""
        return self._guest

    def offer_guest(self, title: str) -> None:
        """Have a tab for a part of the window that is not seen; empty for none."""
        self._is_offering = bool(title)
        if title:
            self._tabs.setTabText(0, title)
        self._arrange()

    def take_guest(self, guest: QWidget, title: str) -> None:
        """Show a part of the window here while it is not hidden, in front of what is selected."""
        self._guest = guest
        self._tabs.setTabText(0, title)
        self._room.addWidget(guest)
        guest.installEventFilter(self)
        self._tabs.setCurrentIndex(0)
        self._arrange()

    def release_guest(self) -> None:
        """The guest has another place now."""
        if self._guest is not None:
            self._guest.removeEventFilter(self)
            self._guest = None
            self._arrange()

    def set_low(self, *, is_low: bool, is_below_graph: bool = False) -> None:
        """Whether there is so little height for it that a guest is folded; and whether a graph
        needs whatever height its text does not.
        """
        if (is_low, is_below_graph) != (self._is_low, self._is_below_graph):
            self._is_unfolded &= is_low is self._is_low
            self._is_low, self._is_below_graph = is_low, is_below_graph
            self._arrange()

    def take_keyboard(self) -> None:
        """Give the keyboard to what is said, or to the tabs while a guest is in front."""
        front = self._tabs if self.page.isHidden() else self.page
        front.setFocus(Qt.FocusReason.TabFocusReason)

    def bring_forward(self, *, is_selected: bool) -> None:
        """Show what is selected, or the guest where nothing is."""
        self._tabs.setCurrentIndex(0 if self._has_guest and not is_selected else 1)

    def show_guest(self) -> None:
        """Show the guest in front of what is selected, unfolded, where it is not hidden."""
        self.show()
        self._is_unfolded = True
        self.bring_forward(is_selected=False)
        self._arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _SHOWN_OR_HIDDEN and watched is self._guest:
            if event.type() == QEvent.Type.ShowToParent:
                self._tabs.setCurrentIndex(0)
            self._arrange()
        return super().eventFilter(watched, event)

    @property
    def _has_guest(self) -> bool:
        return self._guest is not None and not self._guest.isHidden()

    def _on_tabs_current_changed(self, index: int) -> None:
        if index == 0 and not self._has_guest and self._is_offering:
            self.guest_requested.emit()
        self._arrange()

    def _arrange(self) -> None:
        has_guest = self._has_guest
        if not has_guest and self._tabs.currentIndex() == 0:
            self._tabs.setCurrentIndex(1)  # it comes back here
            return
        has_tabs = has_guest or self._is_offering
        is_in_front = has_guest and self._tabs.currentIndex() == 0
        is_folded = is_in_front and self._is_low and not self._is_unfolded
        self._tabs.setVisible(has_tabs)
        self._title.setHidden(has_tabs)
        self._front.setVisible(is_in_front and not is_folded)
        self.page.setHidden(is_in_front)
        self._limit()
        is_told = has_guest and not is_folded
        if self._has_told is not is_told:
            self._has_told = is_told
            self.guest_shown.emit(is_told)

    def _limit(self) -> None:
        """Be no higher than the arguments and results of the call need, or than the tab alone of
        a lesson that is folded.

        What is said of a selection changes with each click: then the height does not, but below a
        graph.
        """
        is_page = not self.page.isHidden()
        above = self._tabs if self._title.isHidden() else self._title
        most_px = above.sizeHint().height() + _ABOVE_PX + _BELOW_PX
        if is_page:
            lines_px = self.page.document().size().height() + 2 * self.page.frameWidth()
            most_px += math.ceil(lines_px) + _SPACING_PX + _SPARE_PX
        is_fitted = self._is_brief or self._is_below_graph
        is_limited = is_fitted if is_page else self._front.isHidden()
        most_px = most_px if is_limited else ANY_PX
        if most_px != self.maximumHeight():
            self.setMaximumHeight(most_px)
            self.need_changed.emit()

    def _on_tabs_tab_bar_clicked(self, index: int) -> None:
        if index == 0:
            self._is_unfolded = True
            self._arrange()

    def show_html(self, text: str) -> None:
        """Show a description of what is selected, and what pages add to it."""
        self._was_used, self._is_brief = True, False
        self._show(tr("Selected"), text + "".join(tell() for tell in self.additions))

    def show_nothing(self, call: str, *, has_failed: bool = False) -> None:
        """Nothing is selected: show what is known of the whole call, and what can be done.

        With a call the hint is one line above it, until something is selected: in a small window
        more would be below the border.

        Args:
            call: As HTML, from `describe_call`; or empty.
            has_failed: Whether the call failed, so that there is nothing to be clicked.
        """
        self._is_brief = bool(call)
        if call:
            self._show(
                tr("Arguments and results"), ("" if self._was_used else tr(_FIRST_HINT)) + call
            )
        else:
            self._show(tr("Selected"), "" if has_failed else tr(_HINTS))

    def _show(self, title: str, html: str) -> None:
        """A screen reader says the title as the name, and the text with it."""
        self._title.setText(title)
        self._tabs.setTabText(1, title)
        self.page.setHtml(html)
        self._later.start()
        self.page.setAccessibleName(title)
        text = self.page.toPlainText().replace(SOFT_BREAK, "")
        self.page.setAccessibleDescription(text[:_MAX_SPOKEN])

    def _on_page_anchor_clicked(self, url: QUrl) -> None:
        # Qt decodes a whole address only in part, and warns where it is asked for all of it.
        kind, _, rest = unquote(bytes(url.toEncoded().data()).decode()).partition(":")
        if kind == "node":
            stage, _, number = rest.rpartition(":")
            if number.isdigit():
                self.node_requested.emit(stage, int(number))
        elif kind == "argument":
            self.argument_requested.emit(rest)
        elif kind == "card":
            self.card_toggled.emit()
        elif kind == "page":
            self.page_requested.emit(rest)
        elif kind == "values":
            self.values_requested.emit()
        elif kind == "pass":
            if rest.isdigit():
                self.pass_requested.emit(int(rest))
        elif kind in ("line", "present"):
            number, _, file = rest.partition(":")
            asked = self.line_requested if kind == "line" else self.present_line_requested
            if number.isdigit():
                asked.emit(file, int(number))
