"""A device memory profile as `jax.profiler.save_device_memory_profile` writes it: a tree by stack.

The format is pprof's, read by protobuf; nothing here needs JAX.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from google.protobuf import message

from jaxscope.program.recording import make_message_class

_FIELDS = {
    "Profile": (
        ("sample_type", 1, "ValueType"),
        ("sample", 2, "Sample"),
        ("location", 4, "Location"),
        ("function", 5, "Function"),
        ("string_table", 6, "bytes"),
    ),
    "ValueType": (("type", 1, "int64"), ("unit", 2, "int64")),
    "Sample": (("location_id", 1, "uint64"), ("value", 2, "int64"), ("label", 3, "Label")),
    "Label": (("key", 1, "int64"), ("str", 2, "int64")),
    "Location": (("id", 1, "uint64"), ("line", 4, "Line")),
    "Line": (("function_id", 1, "uint64"), ("line", 2, "int64")),
    "Function": (("id", 1, "uint64"), ("name", 2, "int64"), ("filename", 4, "int64")),
}
_REPEATED = {("Sample", "location_id"), ("Sample", "value"), ("Profile", "string_table")}
_MAX_DEPTH = 200
_LIBRARY = "/jax/_src/"


@dataclasses.dataclass(slots=True)
class HeldMemory:
    """What was allocated from one place, and from the places that it called.

    Attributes:
        function: Its name; of the root empty.
        file: Of it.
        line: From 1; 0 where none is known.
        num_bytes: With all below.
        count: Of allocations, with all below.
        kind: Of what is allocated here itself, such as `buffer` or `executable`; or empty.
        inside: By what they are, the largest first once the tree is made.
    """

    function: str = ""
    file: str = ""
    line: int = 0
    num_bytes: int = 0
    count: int = 0
    kind: str = ""
    inside: list[HeldMemory] = dataclasses.field(default_factory=list)


def read_memory_profile(data: bytes) -> HeldMemory:
    """The tree of what was held; frames of JAX itself are left out.

    Args:
        data: Unpacked; treated as hostile.

    Raises:
        ValueError: The bytes are no such profile.
    """
    try:
        profile = make_message_class("pprof", _FIELDS, "Profile", _REPEATED).FromString(data)
    except (message.DecodeError, RecursionError) as error:
        raise ValueError(f"the bytes are no profile: {error}") from None
    strings = [each.decode("utf-8", "replace") for each in profile.string_table]

    def text(index: int) -> str:
        return strings[index] if 0 <= index < len(strings) else ""

    kinds = [text(each.type) for each in profile.sample_type]
    if not {"space", "allocations"} <= set(kinds):
        raise ValueError("it is a profile, but not of memory")
    space, count = kinds.index("space"), kinds.index("allocations")
    functions = {each.id: (text(each.name), text(each.filename)) for each in profile.function}
    places = {
        each.id: [(*functions.get(at.function_id, ("", "")), int(at.line)) for at in each.line]
        for each in profile.location
    }
    root = HeldMemory()
    index: dict[tuple[int, Any], HeldMemory] = {}
    for sample in profile.sample:
        values = sample.value
        if len(values) != len(kinds):
            raise ValueError("a sample has not as many values as the profile has kinds")
        num_bytes, number = int(values[space]), int(values[count])
        labels = {text(each.key): text(each.str) for each in sample.label}
        frames = [
            place
            for id in reversed(list(sample.location_id)[:_MAX_DEPTH])
            for place in reversed(places.get(id, []))
            if _LIBRARY not in place[1]
        ]
        _add(root, frames, labels.get("kind", ""), (num_bytes, number), index)
    _sort(root)
    return root


def _add(
    root: HeldMemory,
    frames: list[tuple[str, str, int]],
    kind: str,
    size: tuple[int, int],
    index: dict[tuple[int, Any], HeldMemory],
) -> None:
    node = root
    _grow(node, size)
    keys: list[Any] = [*frames, *([kind] if kind else [])]
    for key in keys:
        known = index.get((id(node), key))
        if known is None:
            is_kind = isinstance(key, str)
            known = HeldMemory(kind=key) if is_kind else HeldMemory(*key)
            index[id(node), key] = known
            node.inside.append(known)
        node = known
        _grow(node, size)


def _grow(node: HeldMemory, size: tuple[int, int]) -> None:
    node.num_bytes += size[0]
    node.count += size[1]


def _sort(root: HeldMemory) -> None:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        node.inside.sort(key=lambda each: -each.num_bytes)
        waiting += node.inside
