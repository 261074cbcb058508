"""What is written on a box, and in which style it is drawn."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph, NodeKind
from jaxscope.model.op_name import name_derivative
from jaxscope.model.said import BESIDE, TOGETHER, Said, on_each, said, say, say_joined, template
from jaxscope.model.stages import GRADIENT_OF
from jaxscope.model.types import (
    batch_size,
    describe_batch,
    mark_batch_axes,
    parse_array_type,
    read_batch_axes,
    short_type,
)
from jaxscope.picture.view.arguments import argument_path, result_path
from jaxscope.picture.view.control_flow import REFERS, Role
from jaxscope.picture.view.operations import (
    ORDERED,
    Style,
    short_operation,
    style_of,
)
from jaxscope.picture.view.tree import BACKWARD, GATHERED, ITSELF, BranchKind
from jaxscope.picture.view.view import ROOT, Box, View
from jaxscope.program.size import count_program, describe_count

_AXIS_SIZES = re.compile(r"axis_sizes=\(([\d, ]+)\)")
_AXIS_SIZE = re.compile(r"'[^']*': (\d+)")
"""Two ways in which JAX writes a mesh: a `Mesh`, and an `AbstractMesh`."""
_LITERAL_TYPE = re.compile(r":[a-z]\w*\[[^\]]*\]$")
_MADE_OF = {"integer_pow": "y"}
"""The parameter without which an operation's name does not say what it does."""
_PASSING = frozenset({"parameter", "tuple", "get-tuple-element", "get_tuple_element"})
"""Instructions that a person does not look for: each is where lines lead from or to."""
_FUSION_NAME = re.compile(r"_fusion(\.\d+)?( / |$)")
"""How XLA calls fusions by operations in them: the first need not be said twice."""
_DROPPED = "_"
"""What JAX calls a result that nothing uses."""
ELSEWHERE = "↗"
"""Behind the title of a box whose inside is drawn at another one; a double click leads there."""
_MAX_NOTES = 3
_MAX_LABEL = 28
_MAX_DIGITS = 8

# Members of enumerations are slow to look up, and every box needs these.
_OUTPUT, _CONSTANT, _EQUATION = (
    int(kind) for kind in (NodeKind.OUTPUT, NodeKind.CONSTANT, NodeKind.EQUATION)
)

_GROUP_STYLES = {
    BranchKind.PROGRAM: Style.GROUP,
    BranchKind.NESTED: Style.GROUP,  # but that of a loop or a branch
    BranchKind.FUSION: Style.FUSION,
    BranchKind.SCOPE: Style.GROUP,
    BranchKind.ARGUMENTS: Style.INPUT,
    BranchKind.REPEAT: Style.REPEAT,
    BranchKind.SECTION: Style.SECTION,
    BranchKind.RESULTS: Style.OUTPUT,
    BranchKind.FORWARD: Style.FORWARD,
    BranchKind.BACKWARD: Style.BACKWARD,
    BranchKind.CONSTANTS: Style.CONSTANT,
    BranchKind.PORTS: Style.PORT,
    BranchKind.ARM: Style.CONTROL,
    BranchKind.ORDER: Style.GROUP,
}


_PARTS = {BranchKind.FORWARD: "forward", BranchKind.BACKWARD: "backward"}
"""What the labels of the parts of a gradient begin with."""


@dataclass(frozen=True, slots=True)
class BoxText:
    """What is written on a box.

    Attributes:
        title: First line, bold.
        detail: Second line, or empty.
        style: How the box is drawn.
        name: What the second line begins with and what alike boxes differ in: a value's name.
    """

    title: str
    detail: str
    style: Style
    name: str = ""


def text_of(view: View, box: Box) -> BoxText:
    """The text of any box."""
    if box.type:
        return BoxText(box.label, box.type, Style.OUTPUT)
    return _text_of_group(view, box) if box.children else _text_of_node(view, box.node)


def detail_when_open(view: View, box: int, detail: str, opened: Collection[int] = ()) -> str:
    """What an open group says behind its name: how much it holds, also the program, box 0.

    Also what of it a person would look for and finds in the boxes of others. Not of a repeat, which
    shows one copy for all.

    Args:
        detail: What it says closed.
        opened: The groups in it that are open.
    """
    each = view.boxes[box]
    if not each.num_counted or each.kind is BranchKind.REPEAT:
        return detail
    folded = sort_boxless(view, view.without_box(box, opened)).folded
    num = sum(_operation(view.graph, node) not in _PASSING for node in folded)
    if not num:
        return detail
    if num == 1:
        return say("{count}, 1 in another box", count=detail)
    return say("{count}, {num:,} in other boxes", count=detail, num=num)


class Boxless(NamedTuple):
    """What has no box of its own, by why.

    Attributes:
        folded: Written or meant by the box of another, or in the program that another runs for each
            element, such as the `add` of a sum.
        passing: Only passes values on: drawn as lines.
        ports: Drawn as what a loop or a branch takes or gives.
        constants: Written in what reads them.
        around: Holds a program of which the inside is drawn in its place, such as a fusion of one
            instruction.
    """

    folded: list[int]
    passing: list[int]
    ports: list[int]
    constants: list[int]
    around: list[int]


def sort_boxless(view: View, nodes: Iterable[int]) -> Boxless:
    """Nodes without a box (`View.without_box`) by why that is."""
    found = Boxless([], [], [], [], [])
    graph = view.graph
    known: dict[int, set[int]] = view.remembered.setdefault("owners", {})
    if ROOT not in known:
        known[ROOT] = set(graph.groups.owner.tolist())
    for node in nodes:
        operation = _operation(graph, node)
        group = int(graph.nodes.group[node])
        owner = int(graph.groups.owner[group]) if group != NONE else NONE
        if node in view.flow.roles:
            found.ports.append(node)
        elif owner != NONE and _is_leaf(view, owner):
            found.folded.append(node)
        elif operation in _PASSING:
            found.passing.append(node)
        elif operation == "constant":
            found.constants.append(node)
        elif node in known[ROOT]:
            found.around.append(node)
        else:
            found.folded.append(node)
    return found


def _is_leaf(view: View, node: int) -> bool:
    """Whether a node has a box of its own that is no group."""
    box = view.boxes[int(view.box_of_node[node])]
    return box.node == node and not box.children


def _text_of_group(view: View, box: Box) -> BoxText:
    assert box.kind is not None
    count = describe_count(view.graph, box.num_counted)
    label = box.label
    if box.kind in GATHERED:
        num, around = box.num_leaves, view.boxes[box.parent].kind
        # The gradient of an argument is whole: how many results there are besides says nothing.
        is_part = num < view.num_results and not label.startswith(GRADIENT_OF)
        if BranchKind.RESULTS is box.kind is not around and is_part:
            detail = say("{num:,} of {all:,} arrays", num=num, all=view.num_results)
        elif box.kind is BranchKind.PORTS:
            detail = say("{num:,} values", num=num)
        else:
            detail = say("{num:,} arrays", num=num)
        if NONE < box.num_needed < num:
            detail = say("{arrays}, {needed:,} needed", arrays=detail, needed=box.num_needed)
        if 0 < box.num_values < num:
            detail = say("{arrays}, {values:,} values", arrays=detail, values=box.num_values)
        batch = _describe_batch(view, box)
        told = say(TOGETHER, first=detail, then=batch) if batch else detail
        return BoxText(label, told, _GROUP_STYLES[box.kind])
    part, dot, path = label.rpartition(" · ")
    if len(label) > _MAX_LABEL and " / " in path:
        label = f"{part}{dot}{_last_names(path)}"
    if box.kind is BranchKind.ORDER:
        orders, dot, path = label.partition(" · ")
        derivative = name_derivative(orders)
        label = say(TOGETHER, first=_say_orders(orders), then=f"{dot}{path}")
        count = say_joined((derivative, count), BESIDE)
    if (word := _PARTS.get(box.kind)) and label.startswith(word):
        label = say(TOGETHER, first=said(word), then=label.removeprefix(word))
    elif label.endswith(BACKWARD):
        label = say("{name} backward", name=_say_itself(label.removesuffix(BACKWARD)))
    else:
        label = _say_itself(label)
    if box.kind is BranchKind.SCOPE:
        number, num = _count_alike(view, box)
        label = (
            say("{name} ({number} of {num})", name=label, number=number, num=num)
            if num > 1
            else label
        )
    if box.kind is BranchKind.REPEAT:
        title = say(TOGETHER, first=label, then=f" ×{box.copies}")
        shared = view.count_shared(view.boxes[box.children[0]].parent)
        if shared:
            count = say("{count}, {shared:,} shared", count=count, shared=shared)
        return BoxText(title, count, Style.REPEAT)
    if box.node != NONE:
        operation = _operation(view.graph, box.node)
        label = label or operation
        if count_program(view.graph, [box.node]):  # so that what is around adds up
            is_said = re.search(rf"(?<![^\W_]){re.escape(operation)}(?![^\W_])", str(label))
            named = say("{operation} + {count}", operation=operation, count=count)
            count = say("+ {count}", count=count) if is_said else named
        chosen = [text for operand, text in view.notes.get(box.node, ()) if operand == 0]
        if chosen and (word := view.flow.branches.get(box.node)):
            value = say("{word} {value}", word=said(word), value=_short_value(chosen[0]))
            count = say_joined((value, count), BESIDE)
        devices = _count_devices(view.graph.attributes(box.node))
        if devices:
            count = say(TOGETHER, first=count, then=on_each(devices))
    return BoxText(label, count, style_of_group(view, box))


def style_of_group(view: View, box: Box) -> Style:
    """How a group is drawn, open or closed: what a call holds as other groups, a loop not."""
    assert box.kind is not None
    owner = box
    while owner.kind is BranchKind.NESTED and owner.node == NONE:  # such as the body of a loop
        owner = view.boxes[owner.parent]
    is_nested = box.kind is owner.kind is BranchKind.NESTED
    if is_nested and style_of(view.graph.operation(owner.node)) is Style.CONTROL:
        return Style.CONTROL
    return _GROUP_STYLES[box.kind]


def _count_alike(view: View, box: Box) -> tuple[int, int]:
    """Which of the scopes with its name a group is among those beside it, and how many there are.

    A scope is several groups where one would close a cycle.
    """
    known: dict[int, tuple[int, int]] = view.remembered.setdefault("scopes alike", {})
    if box.children[0] not in known:
        alike: dict[str, list[int]] = {}
        for child in view.boxes[box.parent].children:
            if view.boxes[child].kind is BranchKind.SCOPE:
                alike.setdefault(view.boxes[child].label, []).append(child)
        for children in alike.values():
            for number, each in enumerate(children, 1):
                known[view.boxes[each].children[0]] = (number, len(children))
    return known[box.children[0]]


def _say_itself(label: str) -> str:
    if not label.endswith(ITSELF):
        return label
    return say("{name} itself", name=label.removesuffix(ITSELF))


def _say_orders(orders: str) -> Said:
    """Such as `backward of forward`."""
    outer, of, inner = orders.partition(" of ")
    part = said(outer)
    return say("{outer} of {inner}", outer=part, inner=_say_orders(inner)) if of else part


def _describe_batch(view: View, box: Box) -> str:
    if not view.batched:
        return ""
    graph = view.graph
    return describe_batch(
        [
            batch_size(
                graph.types(node)[0],
                read_batch_axes(graph.attributes(node).get("batch_axes", "")).get(0, ()),
            )
            for node in _nodes_in(view, box)
        ]
    )


def _nodes_in(view: View, box: Box) -> Iterator[int]:
    """The nodes of the boxes in a group, at whatever depth."""
    for child in map(view.boxes.__getitem__, box.children):
        if child.children:
            yield from _nodes_in(view, child)
        elif child.node != NONE:
            yield child.node


def _count_devices(attributes: Mapping[str, str]) -> int:
    """Over how many devices the mesh of a `shard_map` is; 0 for one, or where it is not known."""
    mesh = attributes.get("mesh", "") if "out_specs" in attributes else ""
    sizes = _AXIS_SIZES.search(mesh)
    numbers = re.findall(r"\d+", sizes[1]) if sizes else _AXIS_SIZE.findall(mesh)
    num = math.prod(map(int, numbers))
    return num if num > 1 else 0


def _last_names(label: str) -> str:
    """The innermost names of a path that is too long for a box."""
    names = label.split(" / ")
    kept = names.pop()
    while names and len(kept) + len(names[-1]) + 5 <= _MAX_LABEL:
        kept = f"{names.pop()} / {kept}"
    return kept


def _operation(graph: Graph, node: int) -> str:
    return short_operation(graph.operation(node))


def _text_of_node(view: View, node: int) -> BoxText:
    graph = view.graph
    types = _types(graph, node)
    kind = int(graph.nodes.kind[node])
    role = view.flow.roles.get(node)
    if role is not None:
        return _text_of_port(view, node, role, types)
    if node in view.arguments:
        return BoxText(argument_path(graph, node), types, Style.INPUT)
    attributes = graph.attributes(node)
    name = graph.name(node)
    if kind == _OUTPUT:
        return BoxText(result_path(graph, node), types, Style.OUTPUT)
    operation = _operation(graph, node)
    caption = view.captions.get(node, "")
    title = operation
    if operation in ("custom-call", "custom_call"):
        title = attributes.get("custom_call_target") or attributes.get("call_target_name") or title
    elif operation in ("jit", "pjit") and attributes.get("name"):
        title = attributes["name"]
    elif caption and caption != operation:
        is_told = f"_{operation}_" in f"_{caption}" and _FUSION_NAME.search(caption)
        title = caption if is_told else f"{operation} · {caption}"
    noted = view.notes.get(node, ())
    notes = [_short_value(text) for _, text in noted]
    if len(noted) == 1 and noted[0][0] == 0 and operation in ORDERED:
        notes.append("…")  # `1.0 - x` is no `x - 1.0`
    made_of = attributes.get(_MADE_OF.get(operation, ""))
    if made_of is not None:
        notes.append(_short_value(made_of))
    if notes:
        shown = ", ".join(notes[:_MAX_NOTES]) + (", …" if len(notes) > _MAX_NOTES else "")
        title = f"{title} {shown}"
    if kind == _CONSTANT:
        return BoxText(name or say("constant"), types, Style.CONSTANT)
    style = style_of(graph.operation(node))
    if "shares" in attributes:
        title = f"{title} {ELSEWHERE}"
    if name and kind == _EQUATION:
        names = name.split(", ")
        used = [at for at, each in enumerate(names) if each != _DROPPED]
        if not used:
            return BoxText(title, say("_ (unused): {types}", types=types), style)
        unused = len(names) - len(used)
        if not unused or len(names) != len(graph.types(node)):
            return BoxText(title, f"{name}: {types}", style, name)
        name = ", ".join(names[at] for at in used)
        told = f"{name}: {_types(graph, node, used)}"
        detail = say(BESIDE, first=told, then=say("{num:,} unused", num=unused))
        return BoxText(title, detail, style, name)
    return BoxText(title, types, style)


_PORT_WORDS = {
    Role.CARRY_IN: say("carry"),
    Role.SLICE: say("xs[i]"),
    Role.CARRY_OUT: say("next carry"),
    Role.STACKED: say("ys[i]"),
    Role.VERDICT: say("runs on while true"),
    Role.RESULT: say("result"),
    Role.PIECE_IN: say("part of each device"),
    Role.PIECE_OUT: say("part of each device"),
}


_MEMORY = {
    "block of operand": template("block of operand {number}"),
    "operand": template("operand {number}"),
    "block of result": template("block of result {number}"),
    "result": template("result {number}"),
}
"""What a reference refers to, before its number."""
_SCRATCH = say("scratch memory")
_REFERENCE = re.compile(r"^\w*Ref(?:<\w+>)?\{(.*)\}$")
"""As JAX prints the type of a reference."""


def _text_of_port(view: View, node: int, role: Role, types: str) -> BoxText:
    """A value at the border of a loop or an arm: its name, and what the loop does with it."""
    graph = view.graph
    if role in (Role.READ, Role.WRITTEN):
        return _text_of_reference(graph, node)
    word = view.flow.specs.get(node) or _PORT_WORDS[role]
    if role is Role.VERDICT and any(_is_of_several(text) for text in graph.types(node)):
        word = say("runs on while any is true")  # `vmap` makes one condition for each element
    attributes = graph.attributes(node)
    receiver = view.flow.returns.get(node, node) if role is Role.CARRY_OUT else node
    name = graph.attributes(receiver).get("argument_name", "")
    if role is Role.RESULT and int(attributes.get("result", "0") or 0):
        word = say(TOGETHER, first=word, then=f"[{attributes['result']}]")
    notes = [_short_value(text) for _, text in view.notes.get(node, ())]
    value = f" {notes[0]}" if notes and role is not Role.CARRY_IN else ""
    if notes and role is Role.CARRY_IN:
        word = say("{word} from {value}", word=word, value=notes[0])
    if role is Role.VERDICT or role is Role.RESULT or not name:
        title = say(TOGETHER, first=word, then=value) if value else word
        has_letters = int(graph.nodes.kind[node]) in (int(NodeKind.INPUT), _OUTPUT)
        is_told = role is Role.VERDICT or role is Role.RESULT
        letters = graph.name(node) if has_letters and not is_told else ""  # those of the jaxpr
        return BoxText(title, f"{letters}: {types}" if letters else types, Style.PORT, letters)
    return BoxText(f"{name}{value}", say(BESIDE, first=word, then=types), Style.PORT)


def _text_of_reference(graph: Graph, node: int) -> BoxText:
    """What a kernel gets: its name, the memory that it refers to, and the type of that."""
    attributes = graph.attributes(node)
    memory, _, number = attributes[REFERS].rpartition(" ")
    word = say(_MEMORY[memory], number=number) if memory in _MEMORY else _SCRATCH
    types = ", ".join(_REFERENCE.sub(r"\1", text) for text in graph.types(node))
    title = attributes.get("argument_name") or graph.name(node)
    return BoxText(title, say(BESIDE, first=word, then=short_type(types)), Style.PORT)


def _is_of_several(type_text: str) -> bool:
    known = parse_array_type(type_text)
    return known is not None and bool(known.shape)


def carry_name(view: View, node: int) -> str:
    """What a carry is called, by the node that receives it; `carry` where it has no name."""
    return view.graph.attributes(node).get("argument_name", "") or "carry"


def _short_value(text: str) -> str:
    """A literal without its type and with six digits: enough to recognise it."""
    value = _LITERAL_TYPE.sub("", text)
    if len(value) <= _MAX_DIGITS:
        return value
    try:
        return f"{float(value):.6g}"
    except ValueError:
        return value


def _types(graph: Graph, node: int, results: Sequence[int] | None = None) -> str:
    """Types of the results of a node, or of some of them."""
    batched = read_batch_axes(graph.attributes(node).get("batch_axes", ""))
    all_types = graph.types(node)
    types = [
        mark_batch_axes(short_type(all_types[result]), batched.get(result, ()))
        for result in (range(len(all_types)) if results is None else results)
    ]
    if len(types) > 2:
        return say("{type} and {num} more", type=types[0], num=len(types) - 1)
    return ", ".join(types)
