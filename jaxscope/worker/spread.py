"""What a StableHLO module says of devices: how arrays are spread, who takes part in collectives.

Shardy writes it as `sdy.sharding`, GSPMD as `mhlo.sharding`, both as attributes of the function.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

_NAMES = ("sdy.sharding", "mhlo.sharding")
_TABLES = frozenset({"replica_groups", "source_target_pairs"})
_MESH = re.compile(r"#sdy\.mesh<\[(?P<axes>[^\]]*)\]>")
_MESH_AXIS = re.compile(r'"(?P<name>[\w.$-]+)"\s*=\s*(?P<size>\d+)')
_MESH_GROUPS = re.compile(
    r'#stablehlo\.replica_group_mesh_axes<mesh = @"?(?P<mesh>[\w.$-]+)"?, axes = \[(?P<axes>.*)\]>'
)
_AXIS_USE = re.compile(r'#stablehlo\.axis_ref<name = "(?P<name>[^"]+)">')

MeshAxes = tuple[tuple[str, int], ...]
"""Name and size of each axis of a mesh, outermost first."""


@dataclasses.dataclass(frozen=True, slots=True)
class Spread:
    """The texts of a function's shardings, empty where it states none.

    Attributes:
        arguments: Of each argument.
        results: Of each result.
    """

    arguments: tuple[str, ...] = ()
    results: tuple[str, ...] = ()

    def of_argument(self, number: int) -> dict[str, str]:
        """The attribute `sharding` of an argument, if it has one."""
        return _attribute(self.arguments, number)

    def of_result(self, number: int) -> dict[str, str]:
        """The attribute `sharding` of a result, if it has one."""
        return _attribute(self.results, number)


NO_SPREAD = Spread()


def read_spread(function: Any) -> Spread:
    """Read it from a `func.func`."""
    attributes = function.operation.attributes
    return Spread(_texts(attributes, "arg_attrs"), _texts(attributes, "res_attrs"))


def read_meshes(module: Any) -> dict[str, MeshAxes]:
    """The meshes that a module declares, by name; none whose devices have an order of their own."""
    found: dict[str, MeshAxes] = {}
    for operation in module.body.operations:
        if operation.operation.name != "sdy.mesh":
            continue
        attributes = operation.operation.attributes
        match = _MESH.fullmatch(str(attributes["mesh"]))
        axes = match["axes"].split(",") if match is not None and match["axes"] else []
        uses = [_MESH_AXIS.fullmatch(axis.strip()) for axis in axes]
        known = tuple((use["name"], int(use["size"])) for use in uses if use is not None)
        if known and len(known) == len(uses):
            found[str(attributes["sym_name"]).strip('"')] = known
    return found


def mesh_groups(name: str, value: Any, meshes: Mapping[str, MeshAxes]) -> str:
    """Groups along axes of a mesh, as JAX 0.12 states them, with the mesh itself.

    The form is that of HLO's proto, `mesh=(axes={(name=x, size=2)}), axes={(mesh_axis_index=0)}`.
    Empty for any other attribute, for a part of an axis, and for an unknown mesh.
    """
    match = _MESH_GROUPS.fullmatch(str(value)) if name in _TABLES else None
    mesh = meshes.get(match["mesh"]) if match is not None else None
    if match is None or not mesh:
        return ""
    names = [axis for axis, _ in mesh]
    uses = [_AXIS_USE.fullmatch(use) for use in match["axes"].split(", ")]
    chosen = [use["name"] for use in uses if use is not None and use["name"] in names]
    if not chosen or len(chosen) != len(uses):
        return ""
    axes = ",".join(f"(name={axis}, size={size})" for axis, size in mesh)
    used = ",".join(f"(mesh_axis_index={names.index(axis)})" for axis in chosen)
    return f"mesh=(axes={{{axes}}}), axes={{{used}}}"


def device_table(name: str, value: Any) -> str:
    """Groups or pairs of devices in full, as HLO writes them, `{{0,1},{2,3}}`.

    Empty for any other attribute, and for what is no table.
    """
    if name not in _TABLES:
        return ""
    try:
        rows, columns = (int(size) for size in value.type.shape)
        numbers = [int(number) for number in value]
    except (AttributeError, TypeError, ValueError):
        return ""
    if len(numbers) != rows * columns:
        return ""
    listed = (numbers[k * columns : (k + 1) * columns] for k in range(rows))
    # A short row is filled up with -1.
    groups = (",".join(str(number) for number in row if number >= 0) for row in listed)
    return "{" + ",".join(f"{{{group}}}" for group in groups) + "}"


def _texts(attributes: Any, name: str) -> tuple[str, ...]:
    if name not in attributes:
        return ()
    return tuple(
        next((str(own[key]).strip('"') for key in _NAMES if key in own), "")
        for own in attributes[name]
    )


def _attribute(texts: tuple[str, ...], number: int) -> dict[str, str]:
    text = texts[number] if number < len(texts) else ""
    return {"sharding": text} if text else {}
