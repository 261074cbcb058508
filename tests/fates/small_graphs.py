"""Graphs in a notation that fits on the screen: jaxprs, StableHLO and HLO modules for tests."""

from __future__ import annotations

from jaxscope.model import NONE, Graph, GraphBuilder, GroupKind, NodeKind
from jaxscope.model.graph import CONDITION

_KINDS = {
    "in": NodeKind.INPUT,
    "const": NodeKind.CONSTANT,
    "eqn": NodeKind.EQUATION,
    "op": NodeKind.OPERATION,
    "ins": NodeKind.INSTRUCTION,
    "out": NodeKind.OUTPUT,
}
_GROUPS = {
    "jaxpr": GroupKind.JAXPR,
    "fusion": GroupKind.FUSION,
    "region": GroupKind.REGION,
    "computation": GroupKind.COMPUTATION,
}


def build(text: str) -> Graph:
    """A graph from lines such as `eqn 1 scan <x,0.1 :f32[8]|i32[] +0/jaxpr @g length=3 ~a|b`.

    The words: kind, id, operation; `<` and operands, each a node or NODE.RESULT, `_` for none; `:`
    and types, or nothing where it has no result; `@` and the group that it stands in; `+` and
    groups that it owns, which are jaxprs unless a kind stands behind `=`; `~` and the equations
    whose names it carries; `^` and its origins; `#` and its line, which also puts it into a scope;
    attributes. A group may be used before the line of its owner. `in[0]=2.0:f32[]` is a literal
    operand; `calls=G|H` names groups.
    """
    builder = GraphBuilder()
    rows = [line.split() for line in text.splitlines() if line.strip()]
    places = {row[1]: number for number, row in enumerate(rows)}
    owned = [
        (part.partition("=")[0], part.partition("=")[2] or "jaxpr", places[row[1]])
        for row in rows
        for word in row[3:]
        if word[0] == "+"
        for part in word[1:].split("|")
    ]
    groups = {name: number for number, (name, _, _) in enumerate(owned)}
    inside: dict[int, int] = {}
    for kind, name, operation, *words in rows:
        marks = {word[0]: word[1:] for word in words if word[0] in "<:@+~^#"}
        attributes = dict(word.split("=", 1) for word in words if word[0] not in "<:@+~^#")
        if "calls" in attributes:
            attributes["calls"] = attributes["calls"].replace("|", ", ")
        inside[places[name]] = groups[marks["@"]] if "@" in marks else NONE
        builder.add_node(
            name,
            _KINDS[kind],
            operation,
            name=name,
            group=inside[places[name]],
            types=[type for type in marks.get(":", "f32[8]").split("|") if type],
            attributes=attributes,
            derived=[tag for tag in marks.get("~", "").split("|") if tag],
            origins=[id for id in marks.get("^", "").split("|") if id],
            scope=["layer"] if "#" in marks else [],
            source=[("/u/m.py", int(marks["#"]), 2, "f")] if "#" in marks else [],
        )
    for _, name, _, *words in rows:
        for word in words:
            if word[0] == "<":
                for operand, value in enumerate(word[1:].split(",")):
                    source, _, output = value.partition(".")
                    if value in places:
                        source, output = value, ""
                    if value != "_":
                        builder.add_edge(
                            places[source], places[name], output=int(output or 0), operand=operand
                        )
    for name, kind, owner in owned:
        part = CONDITION if name.endswith("/cond_jaxpr") else NONE
        builder.add_group(name, _GROUPS[kind], name, parent=inside[owner], owner=owner, part=part)
    return builder.build()
