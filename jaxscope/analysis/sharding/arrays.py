"""The arguments and results of a program, and what each device holds of them."""

from __future__ import annotations

import dataclasses
import functools
import math

from jaxscope.analysis.cost.array_type import ArrayType, parse_type
from jaxscope.analysis.sharding.cut import Cut, cut_array
from jaxscope.analysis.sharding.hlo_text import parse_hlo_sharding
from jaxscope.analysis.sharding.words import spell_spec, tell_sharding
from jaxscope.model import Capture, Leaf, Unavailable
from jaxscope.model.sharding import Placement, Sharding

_UNUSED = "The program does not use it."
_NO_SHARDING = "JAX does not tell how it is spread."


@dataclasses.dataclass(frozen=True, eq=False)
class SpreadArray:
    """An array and how it is spread over the devices.

    Attributes:
        role: `argument` or `result`.
        path: Where it sits in the pytree.
        type: Of the whole array, such as `f32[16,32]`.
        num_bytes: Of the whole array.
        sharding: How it is spread, or why that is not known.
        placement: Of the program.
        hlo_text: The sharding as HLO writes it; empty where it is not known.
    """

    role: str
    path: str
    type: str
    num_bytes: float
    sharding: Sharding | Unavailable
    placement: Placement
    hlo_text: str = ""

    @property
    def array_type(self) -> ArrayType | None:
        """The type, read; None where it is no array's."""
        return parse_type(self.type)

    @property
    def shard_shape(self) -> tuple[int, ...] | None:
        """The shape of what one device holds; None where that is not known."""
        type = self.array_type
        if type is None or isinstance(self.sharding, Unavailable):
            return None
        return self.sharding.shard_shape(type.shape)

    @property
    def shard_type(self) -> str:
        """The type of what one device holds; empty where that is not known."""
        shape, type = self.shard_shape, self.array_type
        if shape is None or type is None:
            return ""
        return f"{type.element}[{','.join(map(str, shape))}]"

    @property
    def shard_bytes(self) -> float:
        """Bytes that one device holds; NaN where that is not known."""
        shape, type = self.shard_shape, self.array_type
        if shape is None or type is None:
            return math.nan
        if type.size == 0:
            return 0.0
        return type.num_bytes / type.size * math.prod(shape)

    @property
    def spec(self) -> str:
        """As JAX spells it, `P('data', None)`; empty where it cannot."""
        if isinstance(self.sharding, Unavailable):
            return ""
        return spell_spec(self.sharding, self.placement.axes)

    @property
    def text(self) -> str:
        """What each device holds, in words."""
        if isinstance(self.sharding, Unavailable):
            return self.sharding.reason
        return tell_sharding(self.sharding, self.placement.axes, len(self.placement.devices))

    @functools.cached_property
    def cut(self) -> Cut | None:
        """The picture of how it is cut; None where nothing is known of that."""
        type = self.array_type
        if type is None or isinstance(self.sharding, Unavailable):
            return None
        return cut_array(type.shape, self.sharding, len(self.placement.devices))


def find_arrays(capture: Capture) -> tuple[SpreadArray, ...] | Unavailable:
    """The arguments that are not static, then the results."""
    placement = capture.placement
    if isinstance(placement, Unavailable):
        return placement
    traced = [leaf for leaf in capture.arguments if not leaf.is_static]
    return (
        *_pair("argument", traced, placement.arguments, placement, _UNUSED),
        *_pair("result", list(capture.results), placement.results, placement, _NO_SHARDING),
    )


def _pair(
    role: str, leaves: list[Leaf], texts: tuple[str, ...], placement: Placement, missing: str
) -> list[SpreadArray]:
    if len(texts) != len(leaves):
        texts, missing = ("",) * len(leaves), _NO_SHARDING
    return [
        SpreadArray(
            role, leaf.path, leaf.type, leaf.num_bytes, _read(text, missing), placement, text
        )
        for leaf, text in zip(leaves, texts, strict=True)
    ]


def _read(text: str, missing: str) -> Sharding | Unavailable:
    if not text:
        return Unavailable(missing, "optimized")
    try:
        return parse_hlo_sharding(text)
    except ValueError as error:
        return Unavailable(f"Its sharding cannot be read: {error}.", "optimized")
