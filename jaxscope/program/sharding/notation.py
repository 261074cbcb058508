"""Readers of shardings as programs print them: Shardy in StableHLO, `{devices=[2,1,4]<=[8]}` and
named axes in HLO, lists of devices.

All give `jaxscope.model.capture.Sharding`; what is not understood raises `ValueError`. Texts are
not trusted: numbers of devices are bounded.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Sharding, ShardingKind

# Lists of devices as HLO writes them: one by one, or as a range that is reshaped and turned.
#
# `<=[4,2]T(1,0)` are the numbers 0 to 7 as a table of 4 rows and 2 columns, read column by column.


MAX_DEVICES = 1 << 17
"""More than any machine has; a text that says more is not believed."""

_IOTA = re.compile(r"<=\[(?P<shape>[\d,\s]+)\](?:T\((?P<order>[\d,\s]+)\))?")


def read_numbers(text: str) -> tuple[int, ...]:
    """Numbers separated by commas.

    Raises:
        ValueError: They are none.
    """
    return tuple(int(part) for part in text.split(",") if part.strip())


def expand_iota(shape: Sequence[int], order: Sequence[int] = ()) -> tuple[int, ...]:
    """The numbers from 0, reshaped, transposed and read in rows.

    Raises:
        ValueError: The order does not fit the shape, or there are too many.
    """
    count = math.prod(shape)
    if not 0 < count <= MAX_DEVICES or min(shape, default=0) < 1:
        raise ValueError(f"a range of {count} devices")
    if order and sorted(order) != list(range(len(shape))):
        raise ValueError(f"an order {tuple(order)} of {len(shape)} dimensions")
    table = np.arange(count).reshape(tuple(shape))
    if order:
        table = table.transpose(tuple(order))
    return tuple(table.reshape(-1).tolist())


def read_device_list(text: str) -> tuple[int, ...]:
    """`<=[4,2]T(1,0)` or `0,2,4,6`, as numbers; what follows is passed over.

    Raises:
        ValueError: It is neither.
    """
    match = _IOTA.match(text)
    if match is not None:
        return expand_iota(read_numbers(match["shape"]), read_numbers(match["order"] or ""))
    listed = re.match(r"\d+(?:\s*,\s*\d+)*", text)
    if listed is None:
        raise ValueError(f"no devices in {text[:60]!r}")
    return read_numbers(listed[0])


_SPEC = re.compile(r"\bP(?:artitionSpec)?(\((?:[^()]|\([^()]*\))*\))")


def read_specs(text: str) -> tuple[str, ...]:
    """The specifications in the `in_specs` or `out_specs` of a `shard_map`, in order: each as JAX
    writes it, such as `P(None, 'devices')`."""
    return tuple(f"P{dimensions}" for dimensions in _SPEC.findall(text))


_MESH_LINE = re.compile(
    r"sdy\.mesh @(?P<name>[\w.$-]+|\"[^\"]+\")\s*=\s*(?P<body><.*?>)", re.DOTALL
)
_MESH = re.compile(
    r"<\[(?P<axes>[^\]]*)\](?:,\s*device_ids\s*=\s*\[(?P<ids>[\d,\s]*)\])?(?P<rest>[^>]*)>"
)
_AXIS = re.compile(r'"(?P<name>[^"]+)"\s*=\s*(?P<size>\d+)')
_SHARDING = re.compile(
    r"<@(?P<mesh>[\w.$-]+|\"[^\"]+\"),\s*\[(?P<dimensions>[^\]]*)\](?P<rest>[^>]*)>"
)
_DIMENSION = re.compile(r"\{(?P<axes>[^}]*)\}(?:p\d+)?")
_AXIS_USE = re.compile(r'"(?P<name>[^"]+)"(?::\((?P<before>\d+)\)(?P<size>\d+))?')
_UNREDUCED = re.compile(r"unreduced\s*=\s*\{(?P<axes>[^}]*)\}")

AxisPart = tuple[int, int, int]
"""Which axis a dimension is cut along, and which part of it: axis, parts before, parts."""


@dataclass(frozen=True, slots=True)
class Mesh:
    """Devices in a grid whose dimensions have names.

    Attributes:
        axes: Name and size of each axis, outermost first.
        positions: Of the devices in row-major order; empty for 0, 1, 2, …
    """

    axes: tuple[tuple[str, int], ...]
    positions: tuple[int, ...] = ()

    @property
    def num_devices(self) -> int:
        """Devices in it."""
        return math.prod(size for _, size in self.axes)


def parse_mesh(text: str) -> Mesh:
    """Read `<["data"=2, "model"=4]>`.

    Raises:
        ValueError: It is none.
    """
    match = _MESH.search(text)
    if match is None:
        raise ValueError(f"{text[:60]!r} is no mesh")
    axes = tuple((axis["name"], int(axis["size"])) for axis in _AXIS.finditer(match["axes"]))
    mesh = Mesh(axes, read_numbers(match["ids"] or ""))
    if not 0 < mesh.num_devices <= MAX_DEVICES or min((s for _, s in axes), default=1) < 1:
        raise ValueError(f"a mesh of {mesh.num_devices} devices")
    if axes and mesh.positions and sorted(mesh.positions) != list(range(mesh.num_devices)):
        raise ValueError("a mesh with devices that are not its own")
    return mesh


def find_meshes(text: str) -> dict[str, Mesh]:
    """The meshes that a StableHLO module declares, by name; what is not understood is left out."""
    meshes = {}
    for match in _MESH_LINE.finditer(text):
        try:
            meshes[match["name"].strip('"')] = parse_mesh(match["body"])
        except ValueError:
            continue
    return meshes


def parse_shardy(text: str, meshes: Mapping[str, Mesh]) -> Sharding:
    """Read the sharding of one array.

    Raises:
        ValueError: It is none, or of a mesh that is not among these.
    """
    match = _SHARDING.search(text)
    if match is None:
        raise ValueError(f"{text[:60]!r} is no sharding of Shardy's")
    mesh = meshes.get(match["mesh"].strip('"'))
    if mesh is None:
        raise ValueError(f"there is no mesh {match['mesh'][:60]}")
    if not mesh.axes and mesh.positions:
        return Sharding(ShardingKind.ONE_DEVICE, holders=(mesh.positions[:1],))
    uses = [
        [_read_use(use, mesh) for use in _AXIS_USE.finditer(part["axes"])]
        for part in _DIMENSION.finditer(match["dimensions"])
    ]
    if not any(uses) and "?" in match["dimensions"]:
        return Sharding(ShardingKind.UNKNOWN)
    unreduced = _UNREDUCED.search(match["rest"])
    has_own = bool(unreduced and _AXIS_USE.search(unreduced["axes"]))
    return spread_over_mesh(uses, mesh, has_own)


def parse_shardy_values(text: str, meshes: Mapping[str, Mesh]) -> tuple[Sharding, ...]:
    """Read one sharding or `#sdy.sharding_per_value<[<…>, <…>]>`.

    Raises:
        ValueError: As for `parse_shardy`.
    """
    return tuple(parse_shardy(match[0], meshes) for match in _SHARDING.finditer(text))


def _read_use(use: re.Match[str], mesh: Mesh) -> AxisPart:
    names = [name for name, _ in mesh.axes]
    if use["name"] not in names:
        raise ValueError(f"the mesh has no axis {use['name'][:60]}")
    axis = names.index(use["name"])
    if use["size"] is None:
        return axis, 1, mesh.axes[axis][1]
    return part_of_axis(mesh, axis, int(use["before"]), int(use["size"]))


def part_of_axis(mesh: Mesh, axis: int, before: int, size: int) -> AxisPart:
    """Name a part of an axis.

    Raises:
        ValueError: The axis cannot be cut so.
    """
    whole = mesh.axes[axis][1]
    if before < 1 or size < 1 or whole % (before * size):
        raise ValueError(f"no part ({before}){size} of an axis of {whole}")
    return axis, before, size


def spread_over_mesh(uses: Sequence[Sequence[AxisPart]], mesh: Mesh, has_own: bool) -> Sharding:
    """The sharding of an array whose dimensions are cut along parts of axes.

    Args:
        uses: What each dimension is cut along, outermost first.
        mesh: The devices; it has axes.
        has_own: Whether the devices of one tile hold values of their own.

    Raises:
        ValueError: An axis is used twice.
    """
    sizes = [size for _, size in mesh.axes]
    tiles = tuple(math.prod(size for _, _, size in dimension) for dimension in uses)
    num_tiles = math.prod(tiles)
    if num_tiles > mesh.num_devices:
        raise ValueError("an axis is used twice")
    places = np.indices(sizes).reshape(len(sizes), -1)
    tile = np.zeros(mesh.num_devices, np.int64)
    for dimension in uses:
        for axis, before, size in dimension:
            after = sizes[axis] // (before * size)
            tile = tile * size + (places[axis] // after) % size
    positions = np.array(mesh.positions or range(mesh.num_devices))
    holders = tuple(tuple(positions[tile == number].tolist()) for number in range(num_tiles))
    if len({len(holder) for holder in holders}) > 1:
        raise ValueError("an axis is used twice")
    if num_tiles == 1:
        if has_own:
            return Sharding(ShardingKind.MANUAL, tiles, holders, has_own=True)
        return Sharding(ShardingKind.REPLICATED)
    return Sharding(ShardingKind.TILED, tiles, holders, has_own)


# Read shardings by the names of axes, the newest form of HLO's proto, as its fields are listed.
#
# `mesh=(axes={(name=x, size=2)}), dim_shardings={(axes={()}, is_closed=True),()}`; a field that has
# its default, such as the index 0 of an axis, is not written.


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
    unreduced, manual = (
        _read_axes(fields, name, mesh) for name in ("unreduced_axes", "manual_axes")
    )
    made = spread_over_mesh(uses, mesh, has_own=bool(unreduced or manual))
    return dataclasses.replace(made, manual=_group_along(manual, mesh))


def parse_mesh_groups(text: str) -> tuple[tuple[int, ...], ...]:
    """Read which devices take part together along axes of a mesh: `mesh=(axes=…), axes={…}`.

    Raises:
        ValueError: It is no such text, or its axes do not fit its mesh.
    """
    tokens = deque(_TOKEN.findall(text))
    fields = _read_fields(tokens, 0)
    mesh = _read_mesh(_message(fields.get("mesh", {})))
    parts = _read_axes(fields, "axes", mesh)
    if tokens or not parts:
        raise ValueError(f"{text[:60]!r} is no mesh that is understood here")
    return _group_along(parts, mesh)


def _group_along(parts: Sequence[AxisPart], mesh: Mesh) -> tuple[tuple[int, ...], ...]:
    """Groups of the devices that differ only along parts of axes; none where there are no parts.

    The members of each are in the order of the parts, the last one changing fastest.
    """
    sizes = [size for _, size in mesh.axes]
    places = np.indices(sizes).reshape(len(sizes), -1)
    along = []
    for axis, before, size in parts:
        after = sizes[axis] // (before * size)
        along.append((places[axis] // after) % size)
        places[axis] -= along[-1] * after
    groups: dict[tuple[int, ...], list[int]] = {}
    for device in np.lexsort(along[::-1]).tolist() if parts else ():
        position = mesh.positions[device] if mesh.positions else device
        groups.setdefault(tuple(places[:, device].tolist()), []).append(position)
    return tuple(map(tuple, groups.values()))


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


# Read shardings as HLO writes them: `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`.
#
# JAX 0.12's modules have them by the names of axes instead, `{mesh=(axes=…), dim_shardings=…}`.


_TILED = re.compile(r"devices=\[(?P<tiles>[\d,\s]+)\](?P<list>[<\d][^ ]*)?(?P<rest>.*)", re.DOTALL)
_LAST_DIMS = re.compile(r"last_tile_dims=\{(?P<kinds>[\w,\s]*)\}")
_MAXIMAL = re.compile(r"maximal\s+device=(?P<device>\d+)")
_SAME = frozenset({"replicated"})
_WORDS = {
    "replicated": ShardingKind.REPLICATED,
    "manual": ShardingKind.MANUAL,
    "unknown": ShardingKind.UNKNOWN,
    "unreduced": ShardingKind.UNKNOWN,
}


def parse_hlo_sharding(text: str) -> Sharding:
    """Read the sharding of one array.

    Raises:
        ValueError: It is none, or one of a tuple.
    """
    return _parse(text.strip())


def parse_hlo_shardings(text: str) -> tuple[Sharding, ...]:
    """Read the shardings of a value that may be a tuple, one for each of its leaves.

    Raises:
        ValueError: It is none.
    """
    body = text.strip()
    if body.startswith("{{") or body == "{}":
        return tuple(leaf for part in split_tuple(body) for leaf in parse_hlo_shardings(part))
    return (_parse(body),)


def split_tuple(text: str) -> tuple[str, ...]:
    """The parts of `{{…}, {…}}`.

    Raises:
        ValueError: The braces do not match.
    """
    body = text.strip()
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(body):
        if letter == "{":
            depth += 1
            start = place if depth == 2 else start
        elif letter == "}":
            depth -= 1
            if depth == 1:
                parts.append(body[start : place + 1])
            if depth < 0 or (depth == 0 and place + 1 < len(body)):
                break
    if depth != 0 or not body.startswith("{"):
        raise ValueError(f"the braces of {text[:60]!r} do not match")
    return tuple(parts)


@functools.lru_cache(maxsize=4096)
def _parse(text: str) -> Sharding:
    if not (text.startswith("{") and text.endswith("}")):
        raise ValueError(f"{text[:60]!r} is no sharding")
    body = text[1:-1].strip()
    if body.startswith("mesh="):
        return parse_named_sharding(body)
    word = re.match(r"\w+", body)
    if word is not None and word[0] in _WORDS:
        return Sharding(_WORDS[word[0]])
    maximal = _MAXIMAL.match(body)
    if maximal is not None:
        return Sharding(ShardingKind.ONE_DEVICE, holders=((int(maximal["device"]),),))
    tiled = _TILED.match(body)
    if tiled is None:
        raise ValueError(f"{text[:60]!r} is no sharding that is known here")
    return _tiled(
        read_numbers(tiled["tiles"]), read_device_list(tiled["list"] or ""), tiled["rest"]
    )


def _tiled(tiles: tuple[int, ...], devices: tuple[int, ...], rest: str) -> Sharding:
    if not tiles or min(tiles) < 1 or math.prod(tiles) > MAX_DEVICES:
        raise ValueError(f"tiles of {tiles}")
    if len(devices) != math.prod(tiles) or len(set(devices)) != len(devices):
        raise ValueError(f"{len(devices)} devices for {math.prod(tiles)} tiles")
    # The dimensions after the array's own count the devices that share a tile.
    kinds: tuple[str, ...] = ()
    named = _LAST_DIMS.search(rest)
    if named is not None:
        kinds = tuple(part.strip() for part in named["kinds"].split(",") if part.strip())
    elif "last_tile_dim_replicate" in rest:
        kinds = ("replicated",)
    if len(kinds) > len(tiles):
        raise ValueError(f"{len(kinds)} shared dimensions of {len(tiles)}")
    own = tiles[: len(tiles) - len(kinds)]
    together = math.prod(tiles[len(own) :])
    holders = tuple(devices[k : k + together] for k in range(0, len(devices), together))
    sizes = zip(kinds, tiles[len(own) :], strict=True)
    has_own = any(kind not in _SAME and size > 1 for kind, size in sizes)
    if math.prod(own) == 1 and not has_own:
        return Sharding(ShardingKind.REPLICATED)
    kind = ShardingKind.MANUAL if math.prod(own) == 1 else ShardingKind.TILED
    manual = [len(own) + place for place, each in enumerate(kinds) if each == "manual"]
    members = math.prod(tiles[place] for place in manual)
    table = np.moveaxis(np.array(devices).reshape(tiles), manual, range(-len(manual), 0))
    groups = table.reshape(-1, members).tolist() if members > 1 else ()
    return Sharding(kind, own, holders, has_own, tuple(map(tuple, groups)))
