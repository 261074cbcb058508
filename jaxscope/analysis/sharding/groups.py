"""Replica groups: which devices take part in a collective together."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from jaxscope.analysis.sharding.iota import MAX_DEVICES, expand_iota, read_numbers

Groups = tuple[tuple[int, ...], ...]

_IOTA = re.compile(
    r"\[(?P<groups>\d+),(?P<members>\d+)\]<=\[(?P<shape>[\d,]+)\](?:T\((?P<order>[\d,]+)\))?"
)
_DENSE = re.compile(r"dense<(?P<body>.*?)>\s*:\s*tensor<(?P<shape>[\dx]*)x?i\d+>", re.DOTALL)
_MESH_AXIS = re.compile(r"\((?:name=(?P<name>[\w.$-]*),?\s*)?size=(?P<size>\d+)\)")
_MESH_USE = re.compile(r"\((?P<body>[^()]*(?:\([^()]*\))?[^()]*)\)")


def parse_groups(text: str, num_devices: int) -> Groups:
    """Read groups in any form that HLO and StableHLO have; none are one group of all.

    Args:
        text: `{{0,1},{2,3}}`, `[2,4]<=[8]`, `dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>`, or a
            mesh and its axes.
        num_devices: Of the program.

    Raises:
        ValueError: It is none of these.
    """
    body = text.strip()
    if "…" in body:
        raise ValueError("the list is cut short")
    if body in ("", "{}", "{{}}"):
        return (tuple(range(num_devices)),)
    if body.startswith("mesh="):
        return _of_mesh(body)
    iota = _IOTA.match(body)
    if iota is not None:
        listed = expand_iota(read_numbers(iota["shape"]), read_numbers(iota["order"] or ""))
        count, members = int(iota["groups"]), int(iota["members"])
        if count * members != len(listed) or members < 1:
            raise ValueError(f"{count} groups of {members} out of {len(listed)} devices")
        return tuple(listed[k : k + members] for k in range(0, len(listed), members))
    dense = _DENSE.match(body)
    if dense is not None:
        return _of_dense(dense["body"], dense["shape"])
    found = re.findall(r"\{([\d,\s]*)\}", body)
    if not found or not body.startswith("{"):
        raise ValueError(f"{body[:60]!r} are no groups of devices")
    return tuple(read_numbers(part) for part in found)


def parse_pairs(text: str) -> tuple[tuple[int, int], ...]:
    """Read the pairs of a collective-permute, source first: `{{0,1},{1,2}}`, or a dense table.

    Raises:
        ValueError: They are none.
    """
    pairs = parse_groups(text, 0) if text.strip() not in ("", "{}") else ()
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"{text[:60]!r} are no pairs")
    return tuple((first, second) for first, second in pairs)


def _of_dense(body: str, shape: str) -> Groups:
    """MLIR's table; one number stands for all of them, and -1 fills up short rows."""
    rows, columns = ([int(part) for part in shape.split("x") if part] + [0, 0])[:2]
    numbers = [int(number) for number in re.findall(r"-?\d+", body)]
    if len(numbers) == 1 and "[" not in body:
        numbers *= max(min(rows * columns, MAX_DEVICES), 1)
    if rows * columns != len(numbers) or not numbers:
        raise ValueError(f"{len(numbers)} numbers in a table of {shape}")
    table = (numbers[k : k + columns] for k in range(0, len(numbers), columns))
    return tuple(tuple(number for number in row if number >= 0) for row in table)


def _of_mesh(text: str) -> Groups:
    """`mesh=(axes={(name=a, size=2),…}), axes={(mesh_axis_index=1)}`, the proto's newest form.

    An index that is 0 is not written, as protobuf has it.
    """
    meshed, _, used = text.partition("), axes=")
    sizes = [int(axis["size"]) for axis in _MESH_AXIS.finditer(meshed)]
    count = math.prod(sizes)
    if not sizes or not 0 < count <= MAX_DEVICES or "device" in meshed:
        raise ValueError(f"{text[:60]!r} is no mesh that is understood here")
    if "sub_axis" in used:
        raise ValueError("groups along a part of an axis")
    chosen = []
    for use in _MESH_USE.finditer(used):
        index = re.search(r"mesh_axis_index=(\d+)", use["body"])
        chosen.append(int(index[1]) if index is not None else 0)
    if any(axis >= len(sizes) for axis in chosen) or not chosen:
        raise ValueError("axes that the mesh does not have")
    return groups_along(sizes, chosen)


def groups_along(sizes: Sequence[int], axes: Sequence[int]) -> Groups:
    """Groups of the devices of a grid that differ only along some of its axes."""
    others = [axis for axis in range(len(sizes)) if axis not in axes]
    members = math.prod(sizes[axis] for axis in axes)
    table = np.arange(math.prod(sizes)).reshape(tuple(sizes)).transpose([*others, *axes])
    return tuple(tuple(row) for row in table.reshape(-1, members).tolist())


def name_axes(groups: Groups, axes: Sequence[tuple[str, int]]) -> tuple[str, ...] | None:
    """Along which axes of a mesh the groups run; None where they are no such groups."""
    sizes = [size for _, size in axes]
    count = math.prod(sizes)
    if not axes or not groups or sum(map(len, groups)) != count:
        return None
    members = [member for group in groups for member in group]
    if sorted(members) != list(range(count)):
        return None
    places = np.indices(sizes).reshape(len(sizes), -1)
    first = list(groups[0])
    along = [k for k in range(len(sizes)) if len(set(places[k][first].tolist())) > 1]
    wanted = {frozenset(group) for group in groups_along(sizes, along)} if along else None
    if wanted is None:
        return () if all(len(group) == 1 for group in groups) else None
    return tuple(axes[k][0] for k in along) if wanted == set(map(frozenset, groups)) else None
