"""Gather arguments by the parameter of the function that they belong to."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Collection, Iterable

import numpy as np

from jaxscope.model import NONE, Graph, NodeKind
from jaxscope.model.said import TOGETHER, say
from jaxscope.model.stages import GRADIENT_OF, RESULT
from jaxscope.picture.view.tree import Branch, BranchKind, Child, Draft, nodes_of

_PARAMETER = re.compile(r"^[^\[.(]+")
STEP = re.compile(r"\[[^\]]*\]|\.[^\[.]+")
_MIN_LEAVES = 3
_MIN_LEAVES_OF_MANY = 2
_MAX_BOXES = 3
_MAX_SINGLE = 6
_MAX_ROW = 12


def argument_path(graph: Graph, node: int) -> str:
    """Where an argument sits in the call's arguments, or its name where that is not known."""
    return graph.argument_path(node) or graph.name(node) or graph.id(node)


def result_path(graph: Graph, node: int) -> str:
    """Where a result sits in what the function returns, or a word for it."""
    path = graph.attributes(node).get("path") or RESULT
    whose, part = path.removeprefix(GRADIENT_OF), path.removeprefix(RESULT)
    if whose != path:
        return say("gradient of {path}", path=whose)
    if part != path and part[:1] in ("", "[", "."):
        return say(TOGETHER, first=say("result"), then=part) if part else say("result")
    return path


def find_arguments(graph: Graph) -> frozenset[int]:
    """Nodes that are inputs of their program, and parameters of HLO computations."""
    nodes = graph.nodes
    parameter = graph.strings.index("parameter") if "parameter" in graph.strings else NONE
    is_input = (nodes.kind == int(NodeKind.INPUT)) | (nodes.operation == parameter)
    return frozenset(np.flatnonzero(is_input).tolist())


def find_results(graph: Graph) -> frozenset[int]:
    """Nodes that are outputs of their program."""
    return frozenset(np.flatnonzero(graph.nodes.kind == int(NodeKind.OUTPUT)).tolist())


def gather_arguments(draft: Draft, root: Branch) -> Branch:
    """One box per parameter that has several leaves, such as `params` with its 48 arrays.

    Arguments come first and results last, wherever the program names them; three or more
    results are gathered likewise.
    """
    graph = draft.graph
    arguments, results = find_arguments(graph), find_results(graph)
    apart: frozenset[Child] = arguments | results
    leaves = [child for child in root.children if child in apart and isinstance(child, int)]
    first = _gather(graph, [leaf for leaf in leaves if leaf in arguments], BranchKind.ARGUMENTS)
    last = _gather(graph, [leaf for leaf in leaves if leaf in results], BranchKind.RESULTS)
    rest = [child for child in root.children if child not in apart]
    return dataclasses.replace(root, children=(*first, *rest, *last))


def _gather(graph: Graph, leaves: list[int], kind: BranchKind) -> list[Child]:
    is_argument = kind is BranchKind.ARGUMENTS
    paths: dict[int, str] = {}
    gathered: dict[str, list[int]] = {}
    for leaf in leaves:
        path = argument_path(graph, leaf) if is_argument else result_path(graph, leaf)
        match = _PARAMETER.match(path)
        name = match[0] if match else path
        paths[leaf] = path.removeprefix(name)
        gathered.setdefault(name, []).append(leaf)
    word = "argument" if is_argument else "result"
    children: list[Child] = []
    boxes = sum(1 if len(group) >= _MIN_LEAVES else len(group) for group in gathered.values())
    least = _MIN_LEAVES if boxes <= _MAX_BOXES else _MIN_LEAVES_OF_MANY
    single = [leaf for group in gathered.values() if len(group) < least for leaf in group]
    if len(single) > _MAX_SINGLE:
        label = say("arguments") if is_argument else say("results")
        children.append(Branch(f"{word}s", kind, label, tuple(single)))
        single = []
    for name, group in gathered.items():
        if len(group) >= least:
            inside = _split(f"{word}:{name}", group, paths, kind)
            children.append(Branch(f"{word}:{name}", kind, name, inside))
    return [*children, *single]


def part_results(
    graph: Graph, box: Branch, gradients: Collection[int], changed: frozenset[int]
) -> tuple[Child, ...]:
    """Results in two boxes, where some are gradients and some are not, such as a loss.

    So each box stands where what is in it comes out of the program.

    Args:
        gradients: What needs values of a backward part, such as updated parameters, too.
        changed: Those that operations behind the backward part make.
    """
    leaves = list(nodes_of(box))
    parts = [[leaf for leaf in leaves if (leaf in gradients) is wanted] for wanted in (False, True)]
    if not all(parts):
        return (box,)
    told = [[result_path(graph, leaf) for leaf in part] for part in parts]
    names = [_name_alike(paths) for paths in told]
    is_shared = [  # the name is that of some in the other part, too
        any(_name_alike((path, name)) == name for path in paths)
        for name, paths in zip(names, reversed(told), strict=True)
    ]
    children: list[Child] = []
    for number, (part, name) in enumerate(zip(parts, names, strict=True)):
        if len(part) < _MIN_LEAVES:
            children += part
            continue
        paths = {leaf: result_path(graph, leaf).removeprefix(name) for leaf in part}
        part_id = f"{box.id}/{number}"
        label = name
        if is_shared[number]:
            is_last = number and all(is_shared)
            label = say("other results")
            if is_last and changed.isdisjoint(part):
                label = say("results from backward")
            elif is_last:
                label = say("results after backward")
        children.append(Branch(part_id, box.kind, label, _split(part_id, part, paths, box.kind)))
    return tuple(children)


def _name_alike(paths: Iterable[str]) -> str:
    """What all paths begin with: `result[0]` of `result[0]['a']` and `result[0]['b']`."""
    steps = zip(*map(_list_steps, paths), strict=False)
    return "".join(step[0] for step in itertools.takewhile(lambda step: len(set(step)) == 1, steps))


def _list_steps(path: str) -> list[str]:
    """`result`, `[1]`, `['bias']` of `result[1]['bias']`."""
    name = _PARAMETER.match(path)
    return [*([name[0]] if name else []), *STEP.findall(path)]


def _split(
    prefix: str, leaves: list[int], paths: dict[int, str], kind: BranchKind
) -> tuple[Child, ...]:
    """Arrays that do not fit in a row, by the next step of their path: `['layers']`, `[0]`."""
    if len(leaves) <= _MAX_ROW:
        return tuple(leaves)
    by_step: dict[str, list[int]] = {}
    rest: dict[int, str] = {}
    for leaf in leaves:
        match = STEP.match(paths[leaf])
        step = match[0] if match else ""
        by_step.setdefault(step, []).append(leaf)
        rest[leaf] = paths[leaf].removeprefix(step)
    if len(by_step) == 1 and "" not in by_step:
        return _split(prefix + next(iter(by_step)), leaves, rest, kind)
    children: list[Child] = []
    for step, group in by_step.items():
        if not step or len(group) < _MIN_LEAVES_OF_MANY:
            children += group
            continue
        inside = _split(prefix + step, group, rest, kind)
        children.append(Branch(f"{prefix}{step}", kind, step.strip("[]'.\""), inside))
    return tuple(children)
