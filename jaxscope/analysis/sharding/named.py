"""Read shardings by the names of axes, the newest form of HLO's proto, as its fields are listed.

`mesh=(axes={(name=x, size=2)}), dim_shardings={(axes={()}, is_closed=True),()}`; a field that has
its default, such as the index 0 of an axis, is not written.
"""

from __future__ import annotations

import math
import re
from collections import deque

from jaxscope.analysis.sharding.iota import MAX_DEVICES, expand_iota
from jaxscope.analysis.sharding.shardy import AxisPart, Mesh, part_of_axis, spread_over_mesh
from jaxscope.model.sharding import Sharding, ShardingKind

_Field = str | list["_Field"] | dict[str, "_Field"]

_TOKEN = re.compile(r"[(){},=]|[^(){},=\s][^(){},=]*")
_MAX_DEPTH = 8


def parse_named_sharding(text: str) -> Sharding:
    """Read the sharding of one array.

    Raises:
        ValueError: It is none, or its axes do not fit its mesh.
    """
    tokens = deque(_TOKEN.findall(text))
    fields = _read_fields(tokens, 0)
    if tokens or "mesh" not in fields:
        raise ValueError(f"{text[:60]!r} is no sharding by names of axes")
    mesh = _read_mesh(_message(fields["mesh"]))
    if not mesh.axes:
        if mesh.positions:
            return Sharding(ShardingKind.ONE_DEVICE, holders=(mesh.positions[:1],))
        return Sharding(ShardingKind.REPLICATED)
    uses = [_read_axes(_message(part), "axes", mesh) for part in _list(fields, "dim_shardings")]
    own = [_read_axes(fields, name, mesh) for name in ("unreduced_axes", "manual_axes")]
    return spread_over_mesh(uses, mesh, has_own=any(own))


def _read_mesh(fields: dict[str, _Field]) -> Mesh:
    axes = tuple(
        (str(axis.get("name", "")), _number(axis, "size", 0))
        for axis in map(_message, _list(fields, "axes"))
    )
    positions = _read_positions(fields)
    count = math.prod(size for _, size in axes)
    if not 0 < count <= MAX_DEVICES or min((size for _, size in axes), default=1) < 1:
        raise ValueError(f"a mesh of {count} devices")
    if axes and positions and sorted(positions) != list(range(count)):
        raise ValueError("a mesh with devices that are not its own")
    return Mesh(axes, positions)


def _read_positions(fields: dict[str, _Field]) -> tuple[int, ...]:
    if "iota_transform" not in fields:
        return _numbers(fields, "device_ids")
    turned = _message(fields["iota_transform"])
    return expand_iota(_numbers(turned, "reshape_dims"), _numbers(turned, "transpose_perm"))


def _read_axes(fields: dict[str, _Field], name: str, mesh: Mesh) -> list[AxisPart]:
    found = []
    for use in map(_message, _list(fields, name)):
        axis = _number(use, "mesh_axis_index", 0)
        if not 0 <= axis < len(mesh.axes):
            raise ValueError(f"the mesh has no axis {axis}")
        part = _message(use.get("sub_axis_info", {}))
        whole = mesh.axes[axis][1]
        before, size = _number(part, "pre_size", 1), _number(part, "size", whole)
        found.append(part_of_axis(mesh, axis, before, size))
    return found


def _message(field: _Field) -> dict[str, _Field]:
    if not isinstance(field, dict):
        raise ValueError(f"{str(field)[:60]!r} has no fields")
    return field


def _list(fields: dict[str, _Field], name: str) -> list[_Field]:
    found = fields.get(name, [])
    if not isinstance(found, list):
        raise ValueError(f"{name} is no list")
    return found


def _number(fields: dict[str, _Field], name: str, default: int) -> int:
    return _integer(fields[name]) if name in fields else default


def _numbers(fields: dict[str, _Field], name: str) -> tuple[int, ...]:
    return tuple(map(_integer, _list(fields, name)))


def _integer(field: _Field) -> int:
    if not isinstance(field, str):
        raise ValueError(f"{str(field)[:60]!r} is no number")
    return int(field)


def _read_fields(tokens: deque[str], depth: int) -> dict[str, _Field]:
    """The fields up to a closing parenthesis, which is left, or to the end."""
    found: dict[str, _Field] = {}
    while tokens and tokens[0] != ")":
        if found:
            _expect(tokens, ",")
        name = _take(tokens)
        _expect(tokens, "=")
        found[name] = _read_field(tokens, depth + 1)
    return found


def _read_field(tokens: deque[str], depth: int) -> _Field:
    if depth > _MAX_DEPTH:
        raise ValueError("fields inside of fields without end")
    first = _take(tokens)
    if first == "(":
        fields = _read_fields(tokens, depth)
        _expect(tokens, ")")
        return fields
    if first != "{":
        return first.strip()
    items: list[_Field] = []
    while tokens and tokens[0] != "}":
        if items:
            _expect(tokens, ",")
        items.append(_read_field(tokens, depth + 1))
    _expect(tokens, "}")
    return items


def _take(tokens: deque[str]) -> str:
    if not tokens:
        raise ValueError("a list of fields that ends too early")
    return tokens.popleft()


def _expect(tokens: deque[str], wanted: str) -> None:
    if _take(tokens) != wanted:
        raise ValueError(f"fields without {wanted!r} where it has to be")
