"""Turn a `Graph` into named arrays and back, for the wire and for files.

The names are stable: they are part of the `.jaxscope` file format. Strings travel as one UTF-8
buffer and the offsets of each string in it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.model.graph import Edges, Graph, Groups, Nodes
from jaxscope.model.ragged import Ragged

Arrays = Mapping[str, npt.NDArray[Any]]

_RAGGED = ("types", "attributes", "scope", "origins", "derived", "source")


def graph_to_arrays(graph: Graph) -> dict[str, npt.NDArray[Any]]:
    """Name every column, such as `node.id`, `node.types.offsets`, `edge.source`, `string.utf8`."""
    arrays: dict[str, npt.NDArray[Any]] = dict(strings_to_arrays(graph.strings, "string"))
    for prefix, table in (("node", graph.nodes), ("edge", graph.edges), ("group", graph.groups)):
        for field in dataclasses.fields(table):
            column = getattr(table, field.name)
            if isinstance(column, Ragged):
                arrays[f"{prefix}.{field.name}.offsets"] = column.offsets
                arrays[f"{prefix}.{field.name}.values"] = column.values
            else:
                arrays[f"{prefix}.{field.name}"] = column
    return arrays


def graph_from_arrays(arrays: Arrays) -> Graph:
    """Rebuild a graph from what `graph_to_arrays` made.

    Raises:
        ValueError: A column is missing, of the wrong type or length, or points nowhere.
    """
    try:
        nodes: dict[str, Any] = {
            field.name: (
                Ragged(
                    arrays[f"node.{field.name}.offsets"],
                    arrays[f"node.{field.name}.values"],
                )
                if field.name in _RAGGED
                else arrays[f"node.{field.name}"]
            )
            for field in dataclasses.fields(Nodes)
        }
        edges = {f.name: arrays[f"edge.{f.name}"] for f in dataclasses.fields(Edges)}
        groups = {f.name: arrays[f"group.{f.name}"] for f in dataclasses.fields(Groups)}
        strings = strings_from_arrays(arrays, "string")
    except KeyError as error:
        raise ValueError(f"the column {error.args[0]} is missing") from None
    return Graph(strings, Nodes(**nodes), Edges(**edges), Groups(**groups))


def strings_to_arrays(strings: tuple[str, ...], prefix: str) -> dict[str, npt.NDArray[Any]]:
    """Pack strings into `PREFIX.utf8` (uint8) and `PREFIX.offsets` (int64)."""
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(part) for part in encoded], out=offsets[1:])
    return {
        f"{prefix}.utf8": np.frombuffer(b"".join(encoded), np.uint8),
        f"{prefix}.offsets": offsets,
    }


def strings_from_arrays(arrays: Arrays, prefix: str) -> tuple[str, ...]:
    """Unpack what `strings_to_arrays` made.

    Raises:
        ValueError: The offsets do not fit the bytes, or the bytes are no UTF-8.
        KeyError: One of the two arrays is missing.
    """
    utf8, offsets = arrays[f"{prefix}.utf8"], arrays[f"{prefix}.offsets"]
    if utf8.dtype != np.uint8 or offsets.dtype != np.int64 or offsets.ndim != 1:
        raise ValueError("strings must be uint8 bytes and int64 offsets")
    bounds = offsets.tolist()
    if (
        not bounds
        or bounds[0] != 0
        or bounds[-1] != utf8.size
        or bool(np.any(np.diff(offsets) < 0))
    ):
        raise ValueError("the offsets of the strings do not fit their bytes")
    data = utf8.tobytes()
    return tuple(
        data[start:stop].decode("utf-8", "surrogatepass")
        for start, stop in itertools.pairwise(bounds)
    )
