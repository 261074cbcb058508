"""Dissolve boxes that hold a single box; their names stay with what was inside."""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.view.draft import Draft
from jaxscope.analysis.view.operations import short_operation
from jaxscope.analysis.view.tree import BACKWARD, GATHERED, Branch, Child
from jaxscope.model import NONE, Graph

_JOINT = " / "
_NOISE = "wrapped_"  # XLA names a fusion of one instruction so


def dissolve_wrappers(draft: Draft, root: Branch) -> tuple[Draft, Branch]:
    """Replace every box around one thing, such as a `jit` of one equation, by that thing."""
    dissolver = _Dissolver(draft.graph, list(draft.home), dict(draft.captions))
    children = tuple(
        dissolver.visit(child) if isinstance(child, Branch) else child for child in root.children
    )
    if len(children) == 1 and isinstance(children[0], Branch):
        children = children[0].children if children[0].node == NONE else children
    root = dataclasses.replace(root, children=children)
    home = dissolver.home
    settled = dataclasses.replace(
        draft, home=tuple(_settle(home, node) for node in home), captions=dissolver.captions
    )
    return settled, root


@dataclasses.dataclass(frozen=True, slots=True)
class _Dissolver:
    graph: Graph
    home: list[int]
    captions: dict[int, str]

    def visit(self, branch: Branch) -> Child:
        children = tuple(
            self.visit(child) if isinstance(child, Branch) else child for child in branch.children
        )
        if branch.kind in GATHERED or len(children) != 1:
            return dataclasses.replace(branch, children=children)
        only = children[0]
        if isinstance(only, int):
            if branch.node not in (NONE, only):
                self.home[branch.node] = only
            self.captions[only] = _join(self._name_of(branch), self.captions.get(only, ""))
            return only
        if branch.node != NONE and only.node not in (NONE, branch.node):
            self.home[branch.node] = only.node
        return dataclasses.replace(
            only,
            label=_join(self._name_of(branch), only.label),
            node=branch.node if only.node == NONE else only.node,
        )

    def _name_of(self, branch: Branch) -> str:
        """The name that is worth keeping: neither the compiler's nor only the operation's."""
        graph = self.graph
        operation = NONE if branch.node == NONE else int(graph.nodes.operation[branch.node])
        is_plain = operation != NONE and short_operation(graph.strings[operation]) == branch.label
        return "" if is_plain or branch.label.startswith(_NOISE) else branch.label


def _settle(home: list[int], node: int) -> int:
    for _ in range(len(home)):
        if home[node] == node:
            break
        node = home[node]
    return node


def _join(outer: str, inner: str) -> str:
    """Both names, each once."""
    if not inner or inner == outer:
        return outer
    if inner.endswith(BACKWARD):
        outer = outer.removesuffix(BACKWARD)
    return f"{outer}{_JOINT}{inner}" if outer else inner
