"""Place the ordered vertices across the flow: as straight as the order and the sizes allow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from jaxscope.picture.layout.diagram import LayeredGraph
from jaxscope.picture.layout.ranking import Bounds, bound_rows

_NUM_PASSES = 4
_CHAIN_WEIGHT = 4.0  # a long line that bends is uglier than a box a little off its inputs
_LONE_WEIGHT = 0.1
_STUB_WEIGHT = 0.02  # of arguments, results and stubs: they make room for the main line


def place_across(
    threads: LayeredGraph,
    rows: list[list[int]],
    gap: float,
    check_stop: Callable[[], None],
    most: float = math.inf,
) -> list[float]:
    """Centre of every vertex across the flow.

    Each pass asks every rank to sit as near as it can to the neighbours on one side: a least
    squares problem with least distances, solved exactly by pooling adjacent violators.

    Args:
        threads: The diagram.
        rows: Vertices of each rank in their order.
        gap: Least distance between neighbours.
        check_stop: Asked often.
        most: Size across that no rank leaves, unless it is wider itself.
    """
    num = len(threads.rank)
    weight = [1.0] * threads.num_nodes + [_CHAIN_WEIGHT] * (num - threads.num_nodes)
    for v in range(num):
        if len(threads.up[v]) + len(threads.down[v]) <= 1:
            weight[v] = _STUB_WEIGHT
    x = [0.0] * num
    offsets = [_pack(row, threads.across, gap) for row in rows]
    for row, offset in zip(rows, offsets, strict=True):
        middle = offset[-1] / 2 if offset else 0.0
        for v, at in zip(row, offset, strict=True):
            x[v] = at - middle
    bounds = bound_rows(rows, offsets, threads.across, most) if most < math.inf else None
    above = _without_stubs(threads.up, threads.up_shift, threads)
    below = _without_stubs(threads.down, threads.down_shift, threads)
    onward = list(range(len(rows)))
    backward = onward[::-1]
    for _ in range(_NUM_PASSES):
        check_stop()
        _pass(onward, rows, offsets, *above, weight, x, bounds)
        check_stop()
        _pass(backward, rows, offsets, *below, weight, x, bounds)
    both = [up + down for up, down in zip(above[0], below[0], strict=True)]
    shift = [a + b for a, b in zip(above[1], below[1], strict=True)]
    _pass(onward, rows, offsets, both, shift, weight, x, bounds)
    return x


def _without_stubs(
    neighbours: list[list[int]], shift: list[float], threads: LayeredGraph
) -> tuple[list[list[int]], list[float]]:
    """Neighbours without those that have no other neighbour, where that leaves any.

    An argument beside the main line must not pull the line aside a little at every rank.
    """
    degree = [len(u) + len(d) for u, d in zip(threads.up, threads.down, strict=True)]
    kept: list[list[int]] = []
    shifts = list(shift)
    for v, near in enumerate(neighbours):
        firm = [u for u in near if degree[u] > 1]
        if firm and len(firm) < len(near):
            shifts[v] *= len(firm) / len(near)
            kept.append(firm)
        else:
            kept.append(near)
    return kept, shifts


def _pack(row: list[int], across: list[float], gap: float) -> list[float]:
    """Distance of each vertex of a rank from the first one, packed as closely as allowed."""
    offsets, at = [], 0.0
    for index, v in enumerate(row):
        if index:
            at += (across[row[index - 1]] + across[v]) / 2 + gap
        offsets.append(at)
    return offsets


def keep_distances(
    row: list[int], across: list[float], gap: float, wanted: list[float], x: list[float]
) -> None:
    """Place a rank as near to the wanted centres as its order and least distances allow."""
    wishes = [wanted[v] for v in row]
    _pool(row, _pack(row, across, gap), wishes, [1.0] * len(row), x)


def _pass(
    indices: Sequence[int],
    rows: list[list[int]],
    offsets: list[list[float]],
    neighbours: list[list[int]],
    shift: list[float],
    weight: list[float],
    x: list[float],
    bounds: list[Bounds] | None,
) -> None:
    for index in indices:
        row = rows[index]
        if len(row) == 1:
            v = row[0]
            near = neighbours[v]
            if near:
                x[v] = (sum([x[u] for u in near]) + shift[v]) / len(near)
        else:
            _settle(row, offsets[index], neighbours, shift, weight, x)
        if bounds is not None and row:
            _confine(row, offsets[index], bounds[index], x)


def _settle(
    row: list[int],
    offset: list[float],
    neighbours: list[list[int]],
    shift: list[float],
    weight: list[float],
    x: list[float],
) -> None:
    """Place a rank as near to its neighbours on one side as it can be."""
    wanted, weights = [], []
    for v in row:
        near = neighbours[v]
        if not near:
            wanted.append(x[v])
            weights.append(_LONE_WEIGHT)
        elif len(near) == 1:
            wanted.append(x[near[0]] + shift[v])
            weights.append(weight[v])
        else:
            wanted.append((sum([x[u] for u in near]) + shift[v]) / len(near))
            weights.append(weight[v] * len(near))
    _pool(row, offset, wanted, weights, x)


def _confine(row: list[int], offset: list[float], bounds: Bounds, x: list[float]) -> None:
    """Keep a rank on the page: clipped, the nearest places are the nearest of those allowed."""
    for v, at in zip(row, offset, strict=True):
        x[v] = bounds.clip(x[v] - at) + at


def _pool(
    row: list[int],
    offsets: list[float],
    wanted: list[float],
    weights: list[float],
    x: list[float],
) -> None:
    """Weighted isotonic regression: the nearest places that keep order and distance."""
    means = [want - offset for want, offset in zip(wanted, offsets, strict=True)]
    if means == sorted(means):  # nobody is in anybody's way
        for v, mean, offset in zip(row, means, offsets, strict=True):
            x[v] = mean + offset
        return
    blocks: list[tuple[float, float, int]] = []  # weight, mean, count
    for mean, weight in zip(means, weights, strict=True):
        count = 1
        while blocks and blocks[-1][1] > mean:
            other_weight, other_mean, other_count = blocks.pop()
            mean = (mean * weight + other_mean * other_weight) / (weight + other_weight)
            weight += other_weight
            count += other_count
        blocks.append((weight, mean, count))
    index = 0
    for _, mean, count in blocks:
        for _ in range(count):
            x[row[index]] = mean + offsets[index]
            index += 1
