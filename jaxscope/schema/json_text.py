"""JSON as text that a person can read and that is written fast.

Python's own encoder is written in C only where it writes all on one line; with an indent it takes
forty times as long. So the outer levels are written here, one entry a line, and what lies deeper,
such as a node of a graph, by that encoder on one line. Cost: linear in what is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

_LEVELS = 5
"""Of lists and objects with an entry a line; a capture's nodes are five deep."""


def write_json(value: object) -> str:
    """JSON in ASCII characters, whose keys are all texts.

    Raises:
        TypeError: Something in it is no JSON.
        ValueError: A number in it is NaN or infinite.
    """
    return "".join(list_pieces(value))


def list_pieces(value: object) -> Iterator[str]:
    """The same in pieces: an entry takes two, however many there are.

    Raises:
        TypeError: Something in it is no JSON.
        ValueError: A number in it is NaN or infinite.
    """
    return _write(value, json.JSONEncoder(allow_nan=False), _LEVELS, "\n")


def _write(value: object, encoder: json.JSONEncoder, levels: int, newline: str) -> Iterator[str]:
    """Pieces of the text of a value; each line of it begins with `newline`."""
    if not levels or not value or not isinstance(value, dict | list | tuple):
        yield encoder.encode(value)
        return
    inner = f"{newline} "
    separator = inner
    if isinstance(value, dict):
        yield "{"
        for key, each in value.items():
            yield f"{separator}{encoder.encode(key)}: "
            yield from _write(each, encoder, levels - 1, inner)
            separator = f",{inner}"
        yield f"{newline}}}"
        return
    yield "["
    for each in value:
        yield separator
        yield from _write(each, encoder, levels - 1, inner)
        separator = f",{inner}"
    yield f"{newline}]"
