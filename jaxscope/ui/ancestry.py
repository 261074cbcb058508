"""The equations that a node comes from, told by their texts; no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from jaxscope.analysis.equation_words import equation_text
from jaxscope.analysis.links import LATE_STAGES
from jaxscope.model import Node, Stage, is_available
from jaxscope.ui.plain import escape_breakable, escape_html
from jaxscope.ui.screen import title_of_stage

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
        rows.append(("comes from", _tell(node.origins, _find(stages, _BASE), _BASE)))
    early = [s.name for s in stages if is_available(s.graph) and s.name not in LATE_STAGES]
    last = early[-1] if early else _BASE
    if node.derived and stage.name != last and not (rows and last == _BASE):
        label = "by way of" if rows else "comes from"
        rows.append((label, _tell(node.derived, _find(stages, last), last)))
    return rows


def _tell(ids: Sequence[str], stage: Stage | None, name: str) -> str:
    shown = [_link(each, stage) for each in ids[:_MAX_SHOWN]]
    if len(ids) > _MAX_SHOWN:
        shown.append(f"and {len(ids) - _MAX_SHOWN:,} more")
    return "<br>".join(shown) + f"<br>of {escape_breakable(title_of_stage(name))}"


def _link(id: str, stage: Stage | None) -> str:
    """An equation's text, which leads to it; its number where the stage is not there."""
    index = stage.graph.index_by_id if stage is not None and is_available(stage.graph) else {}
    if stage is None or id not in index:
        return f"equation {escape_breakable(id, 60)}"
    text = escape_breakable(equation_text(stage, index[id]), 100)
    return f"<a href='node:{escape_html(stage.name)}:{index[id]}'>{text}</a>"


def _find(stages: Sequence[Stage], name: str) -> Stage | None:
    return next((stage for stage in stages if stage.name == name), None)
