"""Lay measured times over the nodes of a graph, and over the lines of the user's code."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Stage, graph_named
from jaxscope.model.graph import Graph
from jaxscope.model.said import say
from jaxscope.model.timing import LineTime, NodeTime, NodeTimes, Profile
from jaxscope.model.unavailable import is_available
from jaxscope.model.units import format_place, format_seconds
from jaxscope.program.links import Links


@dataclass(frozen=True, eq=False)
class Overlay:
    """A graph with times on its nodes.

    Attributes:
        graph: `seconds` of each measured node, without what ran inside of it, so that the nodes of
            a group can be added up; NaN elsewhere.
        nodes: Node index of each time that has one, in the order of the times.
        times: Those times.
        unmatched: Names of times that belong to no node: another program was compiled.
    """

    graph: Graph
    nodes: tuple[int, ...]
    times: tuple[NodeTime, ...]
    unmatched: tuple[str, ...]


def lay_over(graph: Graph, times: Sequence[NodeTime]) -> Overlay:
    """Find the node of each time: by id, as equations have them, else by name."""
    by_name = graph.index_by_name()
    by_id = graph.index_by_id
    seconds = np.full(len(graph.nodes), np.nan)
    nodes, known, unmatched = [], [], []
    for time in times:
        index = by_id.get(time.name, by_name.get(time.name))
        if index is None:
            unmatched.append(time.name)
            continue
        seconds[index] = time.exclusive
        nodes.append(index)
        known.append(time)
    return Overlay(
        graph.replace_nodes(seconds=seconds), tuple(nodes), tuple(known), tuple(unmatched)
    )


def find_node(graph: Graph, name: str) -> int | None:
    """The node that measured times call so: by id, else by name; None where there is none."""
    index = graph.index_by_id.get(name)
    if index is not None:
        return index
    named = np.flatnonzero(graph.nodes.name == _string_place(graph, name))
    return int(named[0]) if len(named) else None


def names_of_linked(stages: Sequence[Stage], links: Links, name: str) -> frozenset[str]:
    """Names of the nodes of a stage that a selection means there, as measured times call them."""
    graph, linked = graph_named(stages, name), links.stages.get(name)
    if graph is None or linked is None:
        return frozenset()
    nodes = np.concatenate([linked.selected, linked.forward, linked.backward])
    return frozenset(graph.name(int(node)) for node in nodes)


def _string_place(graph: Graph, text: str) -> int:
    """Place of a string in the graph's table; −2, which no node has, where it is not there."""
    try:
        return graph.strings.index(text)
    except ValueError:
        return -2


def sum_lines(overlay: Overlay) -> tuple[LineTime, ...]:
    """What each source line is charged with, the costliest first.

    A node's exclusive time goes to the innermost line that it came from, and to the total of
    every line that called there. A fusion has the place of its root instruction.
    """
    own: dict[tuple[str, int], float] = {}
    total: dict[tuple[str, int], float] = {}
    for index, time in zip(overlay.nodes, overlay.times, strict=True):
        places = [(place.file, place.line) for place in overlay.graph.source(index)] or [("", 0)]
        own[places[0]] = own.get(places[0], 0.0) + time.exclusive
        for place in dict.fromkeys(places):
            total[place] = total.get(place, 0.0) + time.exclusive
    lines = [
        LineTime(file, line, own.get((file, line), 0.0), seconds)
        for (file, line), seconds in total.items()
    ]
    return tuple(sorted(lines, key=lambda line: (-line.seconds, -line.total, line.file, line.line)))


def line_shares(overlay: Overlay, side: NodeTimes) -> tuple[tuple[LineTime, float], ...]:
    """The lines with their share of all work, which adds up to 1; what no line has comes last.

    Of all work, not of the seconds on the wall: several threads work at the same time.
    """
    lines = sum_lines(overlay)
    unmatched = set(overlay.unmatched)
    rest = sum(time.exclusive for time in side.times if time.name in unmatched)
    if rest > 0:
        lines = (*lines, LineTime("", -1, rest, rest))
    whole = sum(line.seconds for line in lines)
    return tuple((line, line.seconds / whole if whole > 0 else 0.0) for line in lines)


def describe_profile_place(line: LineTime) -> str:
    """Where a line is, such as `model.py:12`."""
    if line.line > 0:
        return format_place(line.file, line.line)
    return say("not in the program that is shown") if line.line < 0 else say("no known line")


def describe_overlap(side: NodeTimes) -> str:
    """Why parts can take longer together than the whole; empty where they do not."""
    work = sum(time.exclusive for time in side.times)
    if not work > 1.05 * side.covered:
        return ""
    return say(
        "{work} of work in {covered}: several threads work at the same time. Shares are of the "
        "work.",
        work=format_seconds(work),
        covered=format_seconds(side.covered),
    )


def describe_observed_times(time: NodeTime, runs: int) -> str:
    """From the shortest to the longest run of a node."""
    if runs < 2:
        return say("one run")
    low, high = format_seconds(time.low), format_seconds(time.high)
    return say("{low} to {high}", low=low, high=high)


def overlay_stage(stages: Sequence[Stage], times: NodeTimes) -> Overlay | None:
    """The times over the stage of that name; None where there is no such graph."""
    graph = graph_named(stages, times.stage)
    return None if graph is None else lay_over(graph, times.times)


def time_stages(stages: Sequence[Stage], profile: Profile) -> tuple[Stage, ...]:
    """The stages, with the profile's times on the nodes of the two that were measured.

    Nodes of other stages keep what they have; a stage whose graph knows none of the measured
    names stays as it is.
    """
    measured = {
        side.stage: side for side in (profile.compiled, profile.eager) if is_available(side)
    }
    result = []
    for stage in stages:
        side = measured.get(stage.name)
        if side is not None and is_available(stage.graph):
            overlay = lay_over(stage.graph, side.times)
            if overlay.nodes:
                stage = dataclasses.replace(stage, graph=overlay.graph)
        result.append(stage)
    return tuple(result)
