"""Read shardings as HLO writes them: `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`.

JAX 0.12's modules have them by the names of axes instead, `{mesh=(axes=…), dim_shardings=…}`.
"""

from __future__ import annotations

import functools
import math
import re

from jaxscope.analysis.sharding.iota import MAX_DEVICES, read_device_list, read_numbers
from jaxscope.analysis.sharding.named import parse_named_sharding
from jaxscope.model.sharding import Sharding, ShardingKind

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
    if math.prod(own) == 1:
        return Sharding(ShardingKind.MANUAL, own, holders, has_own=True)
    return Sharding(ShardingKind.TILED, own, holders, has_own)
