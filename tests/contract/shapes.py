"""A small notation for the shape of JSON, so that a promise reads like the page that makes it."""

from __future__ import annotations

import math
from typing import Any

NUMBER = (int, float)


class Maybe:
    """The shape of a value that may be null."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape


def check(value: Any, shape: Any, place: str = "$") -> None:
    """Compare a value with a shape.

    Args:
        value: Parsed JSON.
        shape: A type or several; a set of the values allowed; a list of one shape, for every
            item; a dictionary of keys that must be there (others may be); `{str: shape}` for any
            keys; or `Maybe`.
        place: Where the value stands, for the message.

    Raises:
        AssertionError: It differs; says where.
    """
    if isinstance(shape, Maybe):
        if value is not None:
            check(value, shape.shape, place)
    elif isinstance(shape, set):
        assert value in shape, f"{place}: {value!r}"
    elif isinstance(shape, list):
        assert isinstance(value, list), f"{place}: {value!r}"
        for index, item in enumerate(value):
            check(item, shape[0], f"{place}[{index}]")
    elif isinstance(shape, dict):
        assert isinstance(value, dict), f"{place}: {value!r}"
        if str in shape:
            shape = dict.fromkeys(value, shape[str])
        missing = shape.keys() - value.keys()
        assert not missing, f"{place} lacks {missing}"
        for key, inner in shape.items():
            check(value[key], inner, f"{place}.{key}")
    else:
        is_right = isinstance(value, shape) and (shape is bool or not isinstance(value, bool))
        assert is_right, f"{place}: {value!r} is no {shape}"
        assert not isinstance(value, float) or math.isfinite(value), place


def to_schema(shape: Any) -> dict[str, Any]:
    """The shape as JSON Schema, for `docs/reference/schema.json`."""
    if isinstance(shape, Maybe):
        return {"anyOf": [to_schema(shape.shape), {"type": "null"}]}
    if isinstance(shape, set):
        return {"enum": sorted(shape, key=str)}
    if isinstance(shape, list):
        return {"type": "array", "items": to_schema(shape[0])}
    if isinstance(shape, dict):
        if str in shape:
            return {"type": "object", "additionalProperties": to_schema(shape[str])}
        properties = {key: to_schema(inner) for key, inner in shape.items()}
        return {"type": "object", "required": list(properties), "properties": properties}
    names = {str: "string", int: "integer", bool: "boolean", list: "array", NUMBER: "number"}
    return {"type": names[shape]}


COST = {
    "flops": Maybe(NUMBER),
    "bytes_accessed": Maybe(NUMBER),
    "transcendentals": Maybe(NUMBER),
}
LEAF = {"path": str, "type": str, "bytes": int}
ENVIRONMENT = {"jax": str, "jaxlib": str, "python": str, "platform": str, "device": str}
NODE = {
    "id": str,
    "kind": {"input", "constant", "equation", "operation", "instruction", "output"},
    "operation": str,
    "group": Maybe(str),
    "types": [str],
    "attributes": {str: str},
    "scope": [str],
    "origins": [str],
    "derived": [str],
    "direction": {"forward", "backward", None},
    "source": [{"file": str, "line": int, "column": int}],
    "cost": Maybe(COST),
    "seconds": Maybe(NUMBER),
}
EDGE = {"from": list, "to": list, "type": str}
GROUP = {
    "id": str,
    "parent": Maybe(str),
    "kind": {"jaxpr", "fusion", "computation", "region", "scope"},
    "label": str,
    "owner": Maybe(str),
    "part": Maybe(int),
    "function": str,
}
STAGE = {
    "name": str,
    "title": str,
    "text": str,
    "graph": Maybe({"nodes": [NODE], "edges": [EDGE], "groups": [GROUP]}),
    "unavailable": Maybe(str),
    "cost": COST,
    "seconds": Maybe(NUMBER),
}
CHECK = {
    "rule": str,
    "severity": {"error", "warning", "info"},
    "message": str,
    "remedy": str,
    "file": Maybe(str),
    "line": Maybe(int),
}
FATES = {
    *("fused", "kernel", "library", "folded", "merged", "simplified", "dead", "layout", "unknown")
}
FATE = {"fate": FATES, "pass": Maybe(str), "instructions": [str], "with": [str]}
CAPTURE = {
    "format": {"jaxscope.capture"},
    "version": {1},
    "call": str,
    "base": str,
    "transforms": [str],
    "source": {"file": str, "line": int, "text": str},
    "environment": ENVIRONMENT,
    "target": str,
    "arguments": [LEAF],
    "results": [LEAF],
    "stages": [STAGE],
    "fates": {str: FATE},
    "checks": [CHECK],
    "messages": [str],
}
MEASUREMENT = {
    "name": str,
    "unit": {"s"},
    "median": Maybe(NUMBER),
    "low": Maybe(NUMBER),
    "high": Maybe(NUMBER),
    "confidence": Maybe(NUMBER),
    "runs": int,
    "samples": [Maybe(NUMBER)],
    "noisy": bool,
}
RATIO = {
    "name": str,
    "median": Maybe(NUMBER),
    "low": Maybe(NUMBER),
    "high": Maybe(NUMBER),
    "confidence": Maybe(NUMBER),
    "noisy": bool,
}
TIMING = {
    "call": str,
    "environment": ENVIRONMENT | {"load": Maybe(NUMBER), "processor_share": Maybe(NUMBER)},
    "measurements": [MEASUREMENT],
    "ratios": [RATIO],
    "warnings": [str],
}
ERROR = {"what": str, "where": Maybe(str), "why": Maybe(str), "remedy": Maybe(str)}
