"""How much of a view a page has room for: which groups to open in a picture of a given width."""

from __future__ import annotations

import heapq

from jaxscope.analysis.view.view import ROOT, View

_BUDGETS = (42, 30, 21, 15, 10, 6, 0)
"""Numbers of boxes to try after the view's own: each a third less, so that few are tried."""


def list_openings(view: View) -> tuple[frozenset[str], ...]:
    """Sets of groups to open, from what the view opens by itself down to nothing.

    Each is a part of the one before it, and none opens a group whose surroundings are closed.
    """
    openings = [view.opened]
    for budget in _BUDGETS:
        fewer = open_largest(view, openings[-1], budget)
        if fewer != openings[-1]:
            openings.append(fewer)
    return tuple(openings)


def list_next(view: View, opened: frozenset[str]) -> tuple[str, ...]:
    """Closed groups in sight that the view would open by itself, those that hide most first."""
    boxes = view.boxes
    queue, found = list(boxes[ROOT].children), list[int]()
    for index in queue:  # grows while it is read
        if boxes[index].id in opened:
            queue += boxes[index].children
        elif boxes[index].id in view.opened:
            found.append(index)
    found.sort(key=lambda index: (-boxes[index].num_leaves, index))
    return tuple(boxes[index].id for index in found)


def open_largest(view: View, allowed: frozenset[str], budget: int) -> frozenset[str]:
    """Of the groups that may be open, those that hide most, as far as a budget of boxes goes."""
    boxes = view.boxes
    opened: set[str] = set()
    visible = len(boxes[ROOT].children)
    queue = [(-boxes[child].num_leaves, child) for child in boxes[ROOT].children]
    heapq.heapify(queue)
    while queue:
        _, index = heapq.heappop(queue)
        box = boxes[index]
        if box.id not in allowed or not box.children:
            continue
        if visible - 1 + len(box.children) > budget:
            continue
        visible += len(box.children) - 1
        opened.add(box.id)
        for child in box.children:
            heapq.heappush(queue, (-boxes[child].num_leaves, child))
    return frozenset(opened)
