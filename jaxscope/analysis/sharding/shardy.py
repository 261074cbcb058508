"""Read what Shardy writes in StableHLO: `#sdy.sharding<@mesh, [{"x"}, {}]>` and its meshes."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from jaxscope.analysis.sharding.iota import MAX_DEVICES, read_numbers
from jaxscope.model.sharding import Sharding, ShardingKind

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


@dataclasses.dataclass(frozen=True, slots=True)
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
