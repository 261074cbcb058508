"""What each of XLA's passes did to the module."""

from __future__ import annotations

import dataclasses
import math
import zlib
from collections.abc import Mapping

from jaxscope.model.graph import Cost

_UNKNOWN = Cost()
MAX_MODULE_BYTES = 64 << 20
_LEVEL = 3


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class PassRecord:
    """One pass that changed something.

    Attributes:
        name: Of the pass, such as `algsimp`; empty for the module as XLA received it.
        pipeline: The pipeline that it ran in, such as `simplification`.
        num_instructions: In the module after it, all computations together.
        num_fusions: Of them, the fusions.
        num_added: Instructions that are new by name.
        num_removed: Instructions that are gone.
        num_changed: Instructions that kept their name and do something else.
        cost: Of the module after it.
        before: The changed computations as they were, as text; bounded.
        text: The same computations after it, as text; bounded.
        ended: Ids of equations (of the last jaxpr-level stage) that no instruction carries from
            here on.
        carriers: Names of the instructions that carry an equation after this pass, for the
            equations for which that changed.
        seconds: That the pass took, in the compilation whose result is shown; NaN where unknown.
        peak_bytes: The most that is alive at once in the module after it; NaN as long as XLA has
            not fixed the order in which the module runs.
        estimated_peak_bytes: The same if the module ran instruction by instruction in program
            order, where XLA has fixed none; NaN where it has. The two are not to be compared.
        peak_missing: Why neither is known; empty where one is.
        packed: The module after it, compressed; empty where it is not kept, or where the pass
            changed nothing and the module is the one before. See `module`.
        number: Of the dump that XLA writes of the module after it; None for the module as XLA
            received or compiled it, whose dumps have none.
    """

    name: str
    pipeline: str
    num_instructions: int
    num_fusions: int
    num_added: int = 0
    num_removed: int = 0
    num_changed: int = 0
    cost: Cost = _UNKNOWN
    before: str = ""
    text: str = ""
    ended: tuple[str, ...] = ()
    carriers: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    seconds: float = math.nan
    peak_bytes: float = math.nan
    estimated_peak_bytes: float = math.nan
    peak_missing: str = ""
    packed: bytes = b""
    number: int | None = None

    @property
    def has_changed(self) -> bool:
        """Whether it did more than rename or annotate instructions."""
        return bool(self.num_added or self.num_removed or self.num_changed)

    def module(self) -> bytes:
        """The serialized `HloModuleProto` after the pass; empty where it is not kept.

        Raises:
            ValueError: It is damaged, or larger than any module that is kept.
        """
        if not self.packed:
            return b""
        unpacker = zlib.decompressobj()
        try:
            data = unpacker.decompress(self.packed, MAX_MODULE_BYTES)
        except zlib.error as error:
            raise ValueError(f"the module after {self.name} is damaged: {error}") from None
        if not unpacker.eof:
            raise ValueError(f"the module after {self.name} is cut short or too large")
        return data


def pack_module(proto: bytes) -> bytes:
    """A serialized module as `PassRecord.packed` has it; empty if it is too large to be kept."""
    return zlib.compress(proto, _LEVEL) if len(proto) <= MAX_MODULE_BYTES else b""
