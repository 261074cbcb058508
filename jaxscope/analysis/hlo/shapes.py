"""Shapes and layouts as XLA writes them: `f32[8,128]` and `{1,0:T(8,128)}`."""

from __future__ import annotations

from jaxscope.analysis.hlo.proto import HloMessage

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
