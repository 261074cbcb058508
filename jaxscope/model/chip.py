"""Published facts of chips, one file of `chips/` each, with the pages they were taken from.

They serve two ends: ceilings for a roofline without the chip, and the description that XLA needs
to compile for a GPU that is not there. What no page states is left out of the file and unknown
here; nothing is measured or derived from other chips.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jaxscope.model.capture import Environment
from jaxscope.model.roofline import Ceiling, Ceilings

_FOLDER = Path(__file__).parent / "chips"
_MATRIX_TYPES = {
    "f8e4m3fn": "f8",
    "f8e5m2": "f8",
    "s8": "i8",
    "u8": "i8",
    "f16": "f16",
    "bf16": "bf16",
    "f64": "f64",
}


@dataclasses.dataclass(frozen=True, slots=True)
class ChipSource:
    """A page that figures were taken from.

    Attributes:
        title: Of the page or document.
        url: Where it is.
        gives: Which figures.
    """

    title: str
    url: str
    gives: str


@dataclasses.dataclass(frozen=True, slots=True)
class Chip:
    """What is published of a chip.

    Attributes:
        name: As in a target: `v5e`, `h100`.
        title: As its maker calls it.
        kind: `tpu` or `gpu`.
        memory_bytes: Of the whole chip.
        bytes_per_second: Peak traffic between the chip and its memory.
        peak: FLOP per second at most, without sparsity, by type: `bf16`, `f16`, `tf32`, `f32`,
            `f64`, `f8`, `i8`. Types that no page names are missing.
        devices: JAX devices a chip, which share memory, traffic and arithmetic equally.
        topology: Smallest usual topology of a TPU; empty for a GPU.
        compiler: What XLA asks about a GPU beyond that, by its own names; empty for a TPU.
        sources: Where the figures are from.
    """

    name: str
    title: str
    kind: str
    memory_bytes: int
    bytes_per_second: float
    peak: Mapping[str, float]
    devices: int
    topology: str
    compiler: Mapping[str, Any]
    sources: tuple[ChipSource, ...]

    @property
    def target(self) -> str:
        """The target that compiles for one of them."""
        ending = f":{self.topology}" if self.topology else ""
        return f"aot:{self.kind}:{self.name}{ending}"

    @property
    def device_memory_bytes(self) -> float:
        """Memory of one JAX device."""
        return self.memory_bytes / self.devices

    def peak_of(self, type: str) -> float:
        """FLOP per second of one JAX device for matrix products of XLA's element type.

        At JAX's default precision, products of `f32` are taken in `bf16` on a TPU and in `tf32`
        on GPUs that have it. NaN where nothing is published.
        """
        name = _MATRIX_TYPES.get(type, "")
        if not name:
            name = "bf16" if self.kind == "tpu" else "tf32"
            if name not in self.peak:
                name = "f32"
        return self.peak.get(name, math.nan) / self.devices

    def ceilings(self) -> Ceilings:
        """What one JAX device can do at most, in the form of a calibration."""
        type = "bf16" if "bf16" in self.peak else "f16"
        share = (
            "" if self.devices == 1 else f", half of the chip's, which is {self.devices} devices"
        )
        arithmetic = self.peak[type] / self.devices
        bandwidth = self.bytes_per_second / self.devices
        pages = " ".join(dict.fromkeys(source.url for source in self.sources))
        return Ceilings(
            Environment("", "", "", self.kind, f"{self.title}, as published"),
            Ceiling(
                "matmul",
                "FLOP",
                arithmetic,
                arithmetic,
                0,
                f"Peak of matrix products in {type} without sparsity{share}.",
            ),
            Ceiling(
                "stream", "bytes", bandwidth, bandwidth, 0, f"Peak of the memory{share}: {pages}."
            ),
        )


@functools.cache
def chip_names(kind: str = "") -> tuple[str, ...]:
    """Names of the chips that are described here, of one kind or of both, in rising age."""
    chips = sorted(
        (_read(path) for path in _FOLDER.glob("*.toml")),
        key=lambda chip: (chip.kind != "tpu", chip.peak.get("bf16", chip.peak.get("f16", 0.0))),
    )
    return tuple(chip.name for chip in chips if kind in ("", chip.kind))


@functools.cache
def find_chip(name: str) -> Chip | None:
    """The chip of that name, in any case of letters; None where it is not described here."""
    path = _FOLDER / f"{name.lower()}.toml"
    if not name.isalnum() or not path.is_file():
        return None
    return _read(path)


def chip_of_target(target: str) -> Chip | None:
    """The chip that a target `aot:…` names; None for other targets and unknown chips."""
    words = target.split(":")
    if len(words) < 3 or words[0] != "aot":
        return None
    chip = find_chip(words[2])
    return chip if chip is not None and chip.kind == words[1] else None


def _read(path: Path) -> Chip:
    import tomllib  # a worker starts without it

    fields = tomllib.loads(path.read_text(encoding="utf-8"))
    return Chip(
        path.stem,
        fields["title"],
        fields["kind"],
        fields["memory_bytes"],
        float(fields["bytes_per_second"]),
        {type: float(rate) for type, rate in fields["peak"].items()},
        fields.get("devices", 1),
        fields.get("topology", ""),
        fields.get("compiler", {}),
        tuple(ChipSource(**source) for source in fields["sources"]),
    )
