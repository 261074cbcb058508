"""Messages: a JSON object and named arrays, cut into frames. Standard library and NumPy only.

The header frame holds the object; its key `arrays` lists name, dtype and shape of each array,
whose bytes follow in order in blob frames. An object larger than a frame travels as the bytes of
an array without a name. Nothing is ever unpickled. What a received message
means is checked by whoever uses it; here only that it is well formed and not too large.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.wire.frames import MAX_FRAME_BYTES, FrameError, FrameKind, encode_frame, read_frame

MAX_MESSAGE_BYTES = 512 << 20
_MAX_ARRAYS = 256
_MAX_FIELDS_BYTES = 64 << 20
_MAX_HEADER_FIELDS_BYTES = MAX_FRAME_BYTES // 2  # the list of arrays takes room as well
_DTYPES = frozenset({"int8", "uint8", "int32", "int64", "float64", "bool"})


@dataclass(frozen=True, eq=False)
class Message:
    """One message.

    Attributes:
        type: What it is, such as `stage`.
        fields: Its JSON values, `type` and `arrays` left out.
        arrays: Its arrays by name. Who reads a large one may take it out: each is of use once.
    """

    type: str
    fields: Mapping[str, Any]
    arrays: dict[str, npt.NDArray[Any]] = dataclasses.field(default_factory=dict)


def encode_message(message: Message) -> Iterator[bytes]:
    """Cut a message into frames.

    Raises:
        ValueError: A dtype is not allowed.
    """
    described = []
    arrays = [(name, np.ascontiguousarray(array)) for name, array in message.arrays.items()]
    fields: Mapping[str, Any] = message.fields
    encoded = json.dumps(dict(fields)).encode()
    if len(encoded) > _MAX_HEADER_FIELDS_BYTES:
        arrays.insert(0, ("", np.frombuffer(encoded, np.uint8)))
        fields = {}
    for name, array in arrays:
        if array.dtype.name not in _DTYPES:
            raise ValueError(f"array {name} has the dtype {array.dtype}, which no message carries")
        described.append([name, array.dtype.name, list(array.shape)])
    header = {**fields, "type": message.type, "arrays": described}
    yield encode_frame(FrameKind.HEADER, json.dumps(header, ensure_ascii=True).encode())
    for _, array in arrays:
        data = array.reshape(-1).view(np.uint8).data if array.size else memoryview(b"")
        for start in range(0, len(data), MAX_FRAME_BYTES):
            yield encode_frame(FrameKind.BLOB, data[start : start + MAX_FRAME_BYTES])


def read_message(read_exactly: Callable[[int], bytes]) -> Message:
    """Read one message.

    Args:
        read_exactly: Returns exactly so many bytes or raises EOFError.

    Raises:
        EOFError: The stream ended.
        FrameError: The bytes are no message, or too many.
    """
    kind, payload = read_frame(read_exactly)
    if kind is not FrameKind.HEADER:
        raise FrameError("a message starts with a header frame")
    try:
        header = json.loads(payload)
    except (ValueError, RecursionError):
        raise FrameError("a header frame is not JSON") from None
    if not isinstance(header, dict) or not isinstance(header.get("type"), str):
        raise FrameError("a header frame is not a message")
    described = header.pop("arrays", [])
    result: dict[str, npt.NDArray[Any]] = {}
    for name, dtype, shape, size in _check_arrays(described):
        buffer = bytearray(size)
        filled = 0
        while filled < size:
            kind, payload = read_frame(read_exactly)
            if kind is not FrameKind.BLOB or not payload or filled + len(payload) > size:
                raise FrameError(f"the bytes of array {name} do not have the announced length")
            buffer[filled : filled + len(payload)] = payload
            filled += len(payload)
        result[name] = np.frombuffer(buffer, dtype).reshape(shape)
    if "" in result:
        header = {**_decode_fields(result.pop("").tobytes()), "type": header["type"]}
    return Message(header.pop("type"), header, result)


def _decode_fields(payload: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(payload)
    except (ValueError, RecursionError):
        raise FrameError("the fields of a message are not JSON") from None
    if not isinstance(fields, dict):
        raise FrameError("the fields of a message are not an object")
    return fields


def _check_arrays(described: Any) -> list[tuple[str, np.dtype[Any], tuple[int, ...], int]]:
    if not isinstance(described, list) or len(described) > _MAX_ARRAYS:
        raise FrameError("the list of arrays is malformed")
    arrays = []
    total = 0
    for entry in described:
        if not isinstance(entry, list) or len(entry) != 3:
            raise FrameError("an array is described by name, dtype and shape")
        name, dtype_name, shape = entry
        if not isinstance(name, str) or dtype_name not in _DTYPES:
            raise FrameError("an array has no name or an unknown dtype")
        if not isinstance(shape, list) or not all(
            isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 2**40 for n in shape
        ):
            raise FrameError(f"array {name} has an impossible shape")
        dtype = np.dtype(dtype_name)
        size = math.prod(shape) * dtype.itemsize
        total += size
        if not name and size > _MAX_FIELDS_BYTES:
            raise FrameError(f"fields of {size} bytes were announced")
        if total > MAX_MESSAGE_BYTES:
            raise FrameError(f"a message of {total} bytes was announced")
        arrays.append((name, dtype, tuple(shape), size))
    return arrays
