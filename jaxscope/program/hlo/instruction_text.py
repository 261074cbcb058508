"""Types, layouts, literals and attributes of HLO instructions, as short texts.

Only fields of the proto that are set are read. The tables here are the whole vocabulary; a field
that is in none of them is left out, because the stage's text has it in full.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from google.protobuf import message, message_factory, unknown_fields

from jaxscope.model.units import shorten
from jaxscope.program.hlo.proto import HloMessage

_TUPLE, _OPAQUE, _TOKEN, _BUFFER = 13, 14, 17, 34
_SPECIAL_NAMES = {_OPAQUE: "opaque[]", _TOKEN: "token[]"}
_DEFAULT_ELEMENT_BITS = 0


class ShapeTexts:
    """Texts of shapes; each distinct shape is rendered once.

    A module repeats few shapes thousands of times, and looking one up by its serialized bytes is
    several times cheaper than rendering it.
    """

    def __init__(self) -> None:
        self._types: dict[bytes, tuple[str, tuple[str, ...], str]] = {}

    def render(self, shape: HloMessage) -> tuple[str, tuple[str, ...], str]:
        """The type, the types of the results (a tuple's elements) and the layouts."""
        key = shape.SerializeToString()
        found = self._types.get(key)
        if found is None:
            elements = shape.tuple_shapes if shape.element_type == _TUPLE else (shape,)
            found = (
                render_type(shape),
                tuple(render_type(element) for element in elements),
                _render_layouts(elements),
            )
            self._types[key] = found
        return found


def render_type(shape: HloMessage) -> str:
    """Element type and dimensions, without the layout; a tuple as `(f32[8], s32[])`."""
    code = shape.element_type
    if code == _TUPLE:
        return "(" + ", ".join(render_type(element) for element in shape.tuple_shapes) + ")"
    if code == _BUFFER and shape.tuple_shapes:
        return "b(" + ", ".join(render_type(element) for element in shape.tuple_shapes) + ")"
    if code in _SPECIAL_NAMES:
        return _SPECIAL_NAMES[code]
    dynamic = list(shape.is_dynamic_dimension)
    dimensions = [
        ("<=" if index < len(dynamic) and dynamic[index] else "") + str(size)
        for index, size in enumerate(shape.dimensions)
    ]
    return f"{_element_name(shape)}[{','.join(dimensions)}]"


def render_layout(shape: HloMessage) -> str:
    """The layout, such as `{1,0}` or `{1,0:T(8,128)S(1)}`; empty if it has none or rank 0."""
    layout = shape.layout
    order = ",".join(map(str, layout.minor_to_major))
    extras = "".join("(" + ",".join(map(str, t.dimensions)) + ")" for t in layout.tiles)
    if extras:
        extras = "T" + extras
    if layout.element_size_in_bits != _DEFAULT_ELEMENT_BITS:
        extras += f"E({layout.element_size_in_bits})"
    if layout.memory_space:
        extras += f"S({layout.memory_space})"
    if not order and not extras:
        return ""
    return "{" + order + (":" + extras if extras else "") + "}"


def _render_layouts(elements: HloMessage) -> str:
    layouts = [render_layout(element) for element in elements]
    return ", ".join(layouts) if any(layouts) else ""


def _element_name(shape: HloMessage) -> str:
    enum = shape.DESCRIPTOR.fields_by_name["element_type"].enum_type
    value = enum.values_by_number.get(shape.element_type)
    return "invalid" if value is None or value.number == 0 else value.name.lower()


_MAX_ELEMENTS = 8
_ARRAYS = ("preds", "s32s", "s64s", "u32s", "u64s", "f32s", "f64s", "c64s", "c128s")
_BYTES = {"s8s": "<i1", "u8s": "<u1", "s16s": "<i2", "u16s": "<u2", "f16s": "<f2"}
_COMPLEX = frozenset({"c64s", "c128s"})
_DIGITS = {"f64s": (15, 17), "c128s": (15, 17), "bf16s": (4, 4), "f16s": (5, 5)}
"""By type, how many digits XLA tries first, and how many always give the same number back."""


def render_literal(literal: HloMessage) -> str:
    """The value of a scalar, all values of a small array, the first few of a larger one.

    Numbers are written as in XLA's own text. Sub-byte and 8-bit floating-point values are not
    decoded: they read `…`.
    """
    size = math.prod(literal.shape.dimensions)
    if size == 0:
        return "{}"
    values = _first_values(literal)
    if values is None:
        return "…" if size == 1 else f"{{…}} ({size} values)"
    if not literal.shape.dimensions:
        return values[0] if values else "…"
    text = ", ".join(values)
    return f"{{{text}}}" if size <= _MAX_ELEMENTS else f"{{{text}, …}} ({size} values)"


def _first_values(literal: HloMessage) -> list[str] | None:
    for field in _ARRAYS:
        array = getattr(literal, field)
        if len(array):
            if field in _COMPLEX:
                numbers = [_number(value, field) for value in array[: 2 * _MAX_ELEMENTS]]
                pairs = zip(numbers[0::2], numbers[1::2], strict=False)
                return [f"({real}, {imaginary})" for real, imaginary in pairs]
            return [_number(value, field) for value in array[:_MAX_ELEMENTS]]
    for field, dtype in _BYTES.items():
        data = getattr(literal, field)
        if data:
            itemsize = np.dtype(dtype).itemsize
            usable = min(len(data) // itemsize, _MAX_ELEMENTS) * itemsize
            values = np.frombuffer(data[:usable], dtype).tolist()
            return [_number(value, field) for value in values]
    if literal.bf16s:
        halves = literal.bf16s[: 2 * _MAX_ELEMENTS]
        words = np.frombuffer(halves[: len(halves) // 2 * 2], "<u2").astype("<u4") << 16
        return [_number(value, "bf16s") for value in words.view("<f4").tolist()]
    return None


def _number(value: Any, field: str) -> str:
    """A number as XLA's text has it: with so many digits that it is no other of its type."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, float):
        return str(value)
    few, enough = _DIGITS.get(field, (6, 9))
    text = f"{value:.{few}g}"
    is_same = float(text) == value or (enough == 9 and np.float32(text) == np.float32(value))
    return text if is_same else f"{value:.{enough}g}"


_MAX_TEXT = 300
_WHOLE = frozenset({"replica_groups", "source_target_pairs", "sharding"})
"""What is read again: a part of a list of devices would say something else."""

_LEVELS = {"DEFAULT": 0, "HIGH": 1, "HIGHEST": 2}
_NO_ALGORITHM = "ALG_UNSET"

_IOTA_FIELD, _IOTA_GROUPS = 2, "xla.IotaReplicaGroupListProto"


def read_attributes(instruction: HloMessage) -> dict[str, str]:
    """The attributes of an instruction that stand in its own fields."""
    attributes: dict[str, str] = {}
    for field, value in instruction.ListFields():
        render, name = _BY_FIELD[field]
        if render is not None:
            text = render(value)
            if text:
                attributes[name] = text if name in _WHOLE else shorten(text, _MAX_TEXT)
    if instruction.opcode == "parameter":
        attributes["parameter_number"] = str(instruction.parameter_number)
    elif instruction.opcode == "get-tuple-element":
        attributes["tuple_index"] = str(instruction.tuple_index)
    config = instruction.backend_config or instruction.backend_config_payload.value
    if config:
        _read_backend_config(config, attributes)
    return attributes


def _braces(values: Any) -> str:
    return "{" + ",".join(map(str, values)) + "}"


def _flag(value: Any) -> str:
    return "true" if value else ""


def _dot(numbers: HloMessage) -> str:
    parts = []
    for side in ("lhs", "rhs"):
        for name in ("batch", "contracting"):
            dimensions = getattr(numbers, f"{side}_{name}_dimensions")
            if dimensions:
                parts.append(f"{side}_{name}={_braces(dimensions)}")
    return ", ".join(parts)


def _window(window: HloMessage) -> str:
    """As in HLO text: `size=3x3 stride=2x2 pad=1_1x1_1`, trivial parts left out."""
    dimensions = list(window.dimensions)
    if not dimensions:
        return ""
    parts = ["size=" + "x".join(str(d.size) for d in dimensions)]
    columns: tuple[tuple[str, Callable[[HloMessage], str], str], ...] = (
        ("stride", lambda d: str(d.stride), "1"),
        ("pad", lambda d: f"{d.padding_low}_{d.padding_high}", "0_0"),
        ("lhs_dilate", lambda d: str(d.base_dilation), "1"),
        ("rhs_dilate", lambda d: str(d.window_dilation), "1"),
        ("rhs_reversal", lambda d: str(int(d.window_reversal)), "0"),
    )
    for name, render, trivial in columns:
        texts = [render(dimension) for dimension in dimensions]
        if any(text != trivial for text in texts):
            parts.append(f"{name}={'x'.join(texts)}")
    return " ".join(parts)


def _convolution(numbers: HloMessage) -> str:
    """As in HLO text: `b01f_01io->b01f`."""

    def side(letters: dict[int, str], spatial: Any) -> str:
        named = {**letters, **{int(axis): str(i) for i, axis in enumerate(spatial)}}
        return "".join(named[axis] for axis in sorted(named))

    lhs = side(
        {numbers.input_batch_dimension: "b", numbers.input_feature_dimension: "f"},
        numbers.input_spatial_dimensions,
    )
    rhs = side(
        {numbers.kernel_input_feature_dimension: "i", numbers.kernel_output_feature_dimension: "o"},
        numbers.kernel_spatial_dimensions,
    )
    out = side(
        {numbers.output_batch_dimension: "b", numbers.output_feature_dimension: "f"},
        numbers.output_spatial_dimensions,
    )
    return f"{lhs}_{rhs}->{out}"


def _slices(dimensions: Any) -> str:
    return _braces(f"[{d.start}:{d.limit}:{d.stride}]" for d in dimensions)


def _padding(config: HloMessage) -> str:
    return "x".join(
        f"{d.edge_padding_low}_{d.edge_padding_high}"
        + (f"_{d.interior_padding}" if d.interior_padding else "")
        for d in config.dimensions
    )


def _message(value: HloMessage) -> str:
    """The set fields of a message on one line: `offset_dims={0}, index_vector_dim=1`."""
    parts = []
    for field, content in value.ListFields():
        if field.name == "metadata":
            continue
        if hasattr(content, "ListFields"):
            parts.append(f"{field.name}=({_message(content)})")
        elif hasattr(content, "__len__") and not isinstance(content, (str, bytes)):
            parts.append(
                f"{field.name}="
                + _braces(f"({_message(c)})" if hasattr(c, "ListFields") else c for c in content)
            )
        else:
            parts.append(f"{field.name}={_enum_name(field, content)}")
    return ", ".join(parts)


def _enum_name(field: Any, content: Any) -> Any:
    if field.enum_type is None:
        return content
    value = field.enum_type.values_by_number.get(content)
    return content if value is None else value.name


def render_sharding(sharding: HloMessage) -> str:
    """As in HLO text: `{replicated}`, `{maximal device=0}`, `{devices=[2,4]<=[8]}`."""
    if sharding.tuple_shardings:
        return "{" + ", ".join(render_sharding(part) for part in sharding.tuple_shardings) + "}"
    if sharding.HasField("named_sharding"):
        return "{" + _message(sharding.named_sharding) + "}"
    kind = sharding.DESCRIPTOR.fields_by_name["type"].enum_type.values_by_number
    name = kind[sharding.type].name.lower() if sharding.type in kind else str(sharding.type)
    if name == "maximal":
        return f"{{maximal device={next(iter(sharding.tile_assignment_devices), 0)}}}"
    if name != "other":
        return f"{{{name}}}"
    tiles = ",".join(map(str, sharding.tile_assignment_dimensions))
    if sharding.iota_reshape_dims:
        order = "<=[" + ",".join(map(str, sharding.iota_reshape_dims)) + "]"
        permutation = ",".join(map(str, sharding.iota_transpose_perm))
        order += f"T({permutation})" if permutation not in ("", "0") else ""
    else:
        order = ",".join(map(str, sharding.tile_assignment_devices))
    last = " last_tile_dim_replicate" if sharding.replicate_on_last_tile_dim else ""
    if sharding.last_tile_dims:
        names = [kind[each].name.lower() for each in sharding.last_tile_dims if each in kind]
        last = f" last_tile_dims={{{', '.join(names)}}}"
    return f"{{devices=[{tiles}]{order}{last}}}"


def _precision(config: HloMessage) -> str:
    text = _message(config)
    return "" if set(config.operand_precision) <= {0} and not config.algorithm else text


def _frontend(attributes: HloMessage) -> str:
    told = attributes.map
    return ", ".join(f"{key}={told[key]}" for key in sorted(told)) if told else ""


def _groups(groups: Any) -> str:
    return _braces(_braces(group.replica_ids) for group in groups)


def _device_list(devices: HloMessage) -> str:
    """Groups one by one; jaxlib 0.8 writes a range into a field that later releases moved."""
    if not devices.replica_groups:
        for field in unknown_fields.UnknownFieldSet(devices):
            if field.field_number == _IOTA_FIELD and isinstance(field.data, bytes):
                found = devices.DESCRIPTOR.file.pool.FindMessageTypeByName(_IOTA_GROUPS)
                try:
                    groups = message_factory.GetMessageClass(found).FromString(field.data)
                except message.DecodeError:
                    return "unreadable"  # and so unknown: an empty list would mean all devices
                return _iota_groups(groups)
    return _groups(devices.replica_groups)


def _iota_groups(groups: HloMessage) -> str:
    """As in HLO text: `[2,4]<=[8]`, two groups of four in the order of the devices."""
    order = ",".join(map(str, groups.iota_reshape_dims))
    permutation = ",".join(map(str, groups.iota_transpose_perm))
    turned = f"T({permutation})" if permutation not in ("", "0") else ""
    return f"[{groups.num_replica_groups},{groups.num_devices_per_group}]<=[{order}]{turned}"


# Newer releases say in three fields what was one.
_NAMES = {
    "collective_device_list": "replica_groups",
    "iota_collective_device_list": "replica_groups",
    "mesh_axes_replica_group_list": "replica_groups",
}


class _FieldTable(dict[Any, tuple[Callable[[Any], str] | None, str]]):
    """Of each field that was met how it is written, and its name: protobuf takes long to say it."""

    def __missing__(self, field: Any) -> tuple[Callable[[Any], str] | None, str]:
        known = self[field] = _RENDERERS.get(field.name), _NAMES.get(field.name, field.name)
        return known


_BY_FIELD = _FieldTable()
_RENDERERS: dict[str, Callable[[Any], str]] = {
    "literal": render_literal,
    "fusion_kind": str,
    "custom_call_target": str,
    "dimensions": _braces,
    "dot_dimension_numbers": _dot,
    "ragged_dot_dimension_numbers": _message,
    "window": _window,
    "convolution_dimension_numbers": _convolution,
    "feature_group_count": lambda value: "" if value == 1 else str(value),
    "batch_group_count": lambda value: "" if value == 1 else str(value),
    "slice_dimensions": _slices,
    "dynamic_slice_sizes": _braces,
    "padding_config": _padding,
    "gather_dimension_numbers": _message,
    "gather_slice_sizes": _braces,
    "scatter_dimension_numbers": _message,
    "indices_are_sorted": _flag,
    "unique_indices": _flag,
    "comparison_direction": str,
    "fft_length": _braces,
    "channel_id": str,
    "replica_groups": _groups,
    "collective_device_list": _device_list,
    "iota_collective_device_list": _iota_groups,
    "mesh_axes_replica_group_list": _message,
    "source_target_pairs": lambda pairs: _braces(f"{{{p.source},{p.target}}}" for p in pairs),
    "sharding": render_sharding,
    "precision_config": _precision,
    "triangular_solve_options": _message,
    "cholesky_options": _message,
    "custom_call_has_side_effect": _flag,
    "output_operand_aliasing": lambda aliases: _braces(f"({_message(a)})" for a in aliases),
    "is_stable": _flag,
    "is_host_transfer": _flag,
    "frontend_attributes": _frontend,
    "k": str,
    "largest": _flag,
    "async_execution_thread": str,
}


def _read_backend_config(config: bytes, attributes: dict[str, str]) -> None:
    """Pick what readers look for out of the backend's own configuration."""
    text = config.decode("utf-8", "replace")
    attributes["backend_config"] = shorten(text, _MAX_TEXT)
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return  # some backends write text protos or bytes
    if not isinstance(parsed, dict):
        return
    trip_count = parsed.get("known_trip_count")
    if isinstance(trip_count, dict) and str(trip_count.get("n", "")).isdecimal():
        attributes["known_trip_count"] = str(trip_count["n"])
    window = parsed.get("window_config")
    cycles = parsed.get(
        "estimated_cycles", window.get("estimated_cycles") if isinstance(window, dict) else None
    )
    if isinstance(cycles, int | str) and str(cycles).isdecimal():
        attributes["estimated_cycles"] = str(cycles)
    fusion = parsed.get("fusion_config", parsed.get("fusion_backend_config"))
    if isinstance(fusion, dict) and isinstance(fusion.get("kind"), str):
        attributes["fusion_config"] = shorten(fusion["kind"], _MAX_TEXT)
    product = parsed.get("gemm_backend_config")
    if isinstance(product, dict) and isinstance(product.get("precision_config"), dict):
        _read_precision(product["precision_config"], attributes)


def _read_precision(config: dict[str, Any], attributes: dict[str, str]) -> None:
    """A library call's precision, written as that of a `dot`."""
    levels = config.get("operand_precision")
    numbers = [_LEVELS.get(str(each), 0) for each in levels] if isinstance(levels, list) else []
    algorithm = str(config.get("algorithm", _NO_ALGORITHM))
    if any(numbers) or algorithm != _NO_ALGORITHM:
        told = f"operand_precision={_braces(numbers)}"
        told += f", algorithm={algorithm}" if algorithm != _NO_ALGORITHM else ""
        attributes["precision_config"] = shorten(told, _MAX_TEXT)
