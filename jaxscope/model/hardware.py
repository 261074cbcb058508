"""What a machine can do at most: ceilings measured on it, and published figures of chips from
`chips/*.toml`, each with the page that states it.

The figures give ceilings for a roofline without the chip, and the description that XLA needs to
compile for a GPU that is not there.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import NO_ENVIRONMENT, Environment
from jaxscope.model.said import say
from jaxscope.model.targets import parse_target
from jaxscope.model.types import read_count

# What a machine can do at most, as measured on it or as published of its chip.


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A rate that hardware reaches at most: of arithmetic or of memory.

    Attributes:
        name: `matmul` or `stream`.
        unit: `FLOP` or `bytes`, per second.
        best: Work over the shortest of the measured times.
        median: Work over the median time.
        runs: Number of times; 0 for a published peak, which stands as `best` and as `median`.
        protocol: One sentence: how it was measured.
        conditions: Where and when it was measured, and how busy the machine was meanwhile.
    """

    name: str
    unit: str
    best: float
    median: float
    runs: int
    protocol: str
    conditions: Environment = NO_ENVIRONMENT


@dataclass(frozen=True, slots=True)
class Peak:
    """How fast one kind of arithmetic can be.

    Attributes:
        rate: FLOP per second; NaN where it is not known.
        name: What it is the peak of, such as `tf32`, `bf16, 3 passes`, or `fastest` where no page
            gives a figure for it and the chip's fastest stands in.
    """

    rate: float
    name: str


@dataclass(frozen=True, slots=True)
class Ceilings:
    """What a machine reached in calibrations, or what is published of a chip.

    Attributes:
        environment: Where, and when last.
        arithmetic: FLOP per second of a large matrix product.
        bandwidth: Bytes per second of a sum of arrays that no cache holds.
        warnings: What disturbed the measurement.
        chip: Name of the chip whose published peaks these are; empty where they were measured.
    """

    environment: Environment
    arithmetic: Ceiling
    bandwidth: Ceiling
    warnings: tuple[str, ...] = ()
    chip: str = ""

    @property
    def is_published(self) -> bool:
        """Whether these are a chip's published peaks: nothing was measured."""
        return self.arithmetic.runs == 0

    def peak_of(self, arithmetic: str) -> Peak:
        """How fast a machine that was measured is at a kind of arithmetic at most.

        Its product was of `f32` at the default precision: that says nothing of products of other
        types, nor on other devices than CPUs of those at another precision.
        """
        name, _, asked = arithmetic.removeprefix("dot:").partition(":")
        is_product = arithmetic.startswith("dot:")
        if is_product and (name != "f32" or (asked and self.environment.platform != "cpu")):
            return Peak(math.nan, arithmetic.removeprefix("dot:").replace(":", ", "))
        return Peak(self.arithmetic.best, "measured")

    def keep_best(self, before: Ceilings) -> Ceilings:
        """These, with what an earlier calibration of the same machine reached where that is more.

        Other programs make a peak look lower, never higher.
        """
        kept = tuple(
            max(old, new, key=lambda ceiling: ceiling.best)
            for old, new in (
                (before.arithmetic, self.arithmetic),
                (before.bandwidth, self.bandwidth),
            )
        )
        return dataclasses.replace(self, arithmetic=kept[0], bandwidth=kept[1])

    @property
    def ridge(self) -> float:
        """FLOP per byte at which both limits meet."""
        return self.arithmetic.best / self.bandwidth.best


# Published facts of chips, one file of `chips/` each, with the pages they were taken from.
#
# They serve two ends: ceilings for a roofline without the chip, and the description that XLA needs
# to compile for a GPU that is not there. Every figure names the page that states it, or stands
# among those that are not verified, with the reason, and is shown as such; a file of which this
# does not hold is refused. What no page states is left out and unknown here; nothing is measured.


_FOLDER = Path(__file__).parent / "chips"
_ADDRESSES = ("https://", "pkg:")
_IN_WORDS = {
    "memory_bytes": "the size of the memory",
    "bytes_per_second": "the rate of the memory",
    "compiler.core_count": "the number of SMs",
}
_MATRIX_TYPES = {"f8e4m3fn": "f8", "f8e5m2": "f8", "s8": "i8", "u8": "i8"}
_COMPLEX_TYPES = {"c64": "f32", "c128": "f64"}
_VECTOR_TYPES = {
    **dict.fromkeys(("f32", "c64", "s32", "u32", "s64", "u64", "pred"), "f32"),
    **dict.fromkeys(("f64", "c128"), "f64"),
}
"""Whose figure bounds elementwise work; other types can be packed, and have no figure."""


MORE_THAN_DEFAULT = say(
    "That is more than the three quarters of a GPU's memory that JAX takes unless the environment "
    "variable XLA_CLIENT_MEM_FRACTION says otherwise."
)


@dataclass(frozen=True, slots=True)
class ChipSource:
    """A page that figures were taken from.

    Attributes:
        title: Of the page or document.
        url: Where it is: `https://…`, or `pkg:…` of a package that states it itself.
        gives: Which figures, as they are named in the chip's file: `memory_bytes`, `peak.bf16`,
            `compiler.core_count`.
        says: What stands there.
    """

    title: str
    url: str
    gives: tuple[str, ...]
    says: str


@dataclass(frozen=True, slots=True)
class Chip:
    """Published figures of a chip.

    Attributes:
        name: As in a target: `v5e`, `h100`.
        title: As its maker calls it.
        kind: `tpu` or `gpu`.
        memory_bytes: Of the whole chip; of a GPU as CUDA counts it, where a page says that.
        usable_gib: What XLA lets a program use of one device's memory; NaN where it does not say.
        bytes_per_second: Peak traffic between the chip and its memory.
        peak: FLOP per second at most, without sparsity, by type: `bf16`, `f16`, `tf32`, `f32`,
            `f64`, `f8`, `i8`. Types that no page names are missing.
        devices: JAX devices a chip, which share memory, traffic and arithmetic equally.
        topology: Smallest usual topology of a TPU; empty for a GPU.
        compiler: What XLA asks about a GPU beyond that, by its own names; empty for a TPU.
        sources: Where the figures are from.
        unverified: Why a figure is not, by its name in the file.
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
    usable_gib: float = math.nan
    unverified: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def target(self) -> str:
        """The target that compiles for one of them."""
        ending = f":{self.topology}" if self.topology else ""
        return f"aot:{self.kind}:{self.name}{ending}"

    @property
    def device_memory_bytes(self) -> float:
        """Memory of one JAX device that a program can use."""
        if not math.isnan(self.usable_gib):
            return self.usable_gib * 2**30
        return self.memory_bytes / self.devices

    @property
    def refuses_what_does_not_fit(self) -> bool:
        """Whether its compiler fails for a program that needs more memory than there is."""
        return self.kind == "tpu"

    @property
    def default_memory_bytes(self) -> float:
        """What JAX takes of a device's memory unless it is told otherwise."""
        return self.device_memory_bytes * (0.75 if self.kind == "gpu" else 1.0)

    @property
    def caveats(self) -> tuple[tuple[str, str], ...]:
        """A sentence on each figure that is not verified, and one that says why."""
        return tuple(map(self._caveat, self.unverified))

    def _caveat(self, figure: str) -> tuple[str, str]:
        return say(
            "{title}: {in_words} is not verified.", title=self.title, in_words=_in_words(figure)
        ), self.unverified[figure]

    def _pages(self, figure: str) -> str:
        """Where a figure is from, in brackets; that it is not verified, where it is not."""
        if figure in self.unverified:
            return "not verified"
        return ", ".join(source.url for source in self.sources if figure in source.gives)

    def peak_of(self, arithmetic: str) -> Peak:
        """How fast one JAX device is at a kind of arithmetic at most.

        Products of `f32` at JAX's default precision are taken in `bf16` on a TPU and may be in
        `tf32` on GPUs that have it. Asked for more, a TPU takes three or six passes in `bf16`;
        a GPU may take `tf32` for `high`, and for `highest` it does not. Work of a vector unit is
        bounded by a GPU's figure for `f32` where it has 32 bits.

        Args:
            arithmetic: As `program/cost/arithmetic.py` names it: `f32`, `dot:f32:highest`.
        """
        if not arithmetic.startswith("dot:"):
            return self._figure(_VECTOR_TYPES.get(arithmetic, "") if self.kind == "gpu" else "")
        type, _, level = arithmetic.removeprefix("dot:").partition(":")
        type, _, passes = type.partition("x")
        if count := read_count(passes):
            return self._figure(type, count)
        type = _COMPLEX_TYPES.get(type, type)
        if type != "f32":
            return self._figure(_MATRIX_TYPES.get(type, type))
        if self.kind == "tpu":
            return self._figure("bf16", {"high": 3, "highest": 6}.get(level, 1))
        return self._figure("f32" if level == "highest" or "tf32" not in self.peak else "tf32")

    def _figure(self, type: str, passes: int = 1) -> Peak:
        """A published figure; where there is none, the fastest for floats: it bounds any other."""
        if type in self.peak:
            told = f"{type}, {passes} passes" if passes > 1 else type
            return Peak(self.peak[type] / self.devices / passes, told)
        fastest = max(rate for name, rate in self.peak.items() if name != "i8")
        return Peak(fastest / self.devices, "fastest")

    def ceilings(self) -> Ceilings:
        """What one JAX device can do at most, in the form of a calibration."""
        type = "bf16" if "bf16" in self.peak else "f16"
        share = (
            ""
            if self.devices == 1
            else say(", half of the chip's, which is {num} devices", num=self.devices)
        )
        arithmetic = self.peak[type] / self.devices
        bandwidth = self.bytes_per_second / self.devices
        used, page = [f"peak.{name}" for name in self.peak], self._pages("bytes_per_second")
        pages: dict[str, list[str]] = {}
        for name in self.peak:
            pages.setdefault(self._pages(f"peak.{name}"), []).append(name)
        told = "; ".join(f"{', '.join(names)}: {page}" for page, names in pages.items())
        return Ceilings(
            Environment("", "", "", self.kind, say("{title}, as published", title=self.title)),
            Ceiling(
                "matmul",
                "FLOP",
                arithmetic,
                arithmetic,
                0,
                say("Peaks without sparsity{share}, in {told}.", share=share, told=told),
            ),
            Ceiling(
                "stream",
                "bytes",
                bandwidth,
                bandwidth,
                0,
                say("Peak of the memory{share}: {page}.", share=share, page=page),
            ),
            tuple(
                " ".join(self._caveat(figure))
                for figure in (*used, "bytes_per_second")
                if figure in self.unverified
            ),
            self.name,
        )


@functools.cache
def chip_names(kind: str = "") -> tuple[str, ...]:
    """Names of the chips that are described here, of one kind or of both, in rising age."""
    chips = sorted(
        (read_chip(path) for path in _FOLDER.glob("*.toml")),
        key=lambda chip: (chip.kind != "tpu", chip.peak.get("bf16", chip.peak.get("f16", 0.0))),
    )
    return tuple(chip.name for chip in chips if kind in ("", chip.kind))


@functools.cache
def find_chip(name: str) -> Chip | None:
    """The chip of that name, in any case of letters; None where it is not described here."""
    path = _FOLDER / f"{name.lower()}.toml"
    if not name.isalnum() or not path.is_file():
        return None
    return read_chip(path)


def chip_of_target(target: str) -> Chip | None:
    """The chip that a target `aot:…` names; None for other targets and unknown chips."""
    try:
        wanted = parse_target(target)
    except ValueError:
        return None
    chip = find_chip(wanted.chip)
    return chip if chip is not None and chip.kind == wanted.kind else None


def read_chip(path: Path) -> Chip:
    """A chip from its file.

    Raises:
        ValueError: Some figure names neither a page nor why it is not verified, or a page is
            named for a figure that is not there.
    """
    import tomllib  # a worker starts without it

    fields = tomllib.loads(path.read_text(encoding="utf-8"))
    sources = tuple(
        ChipSource(source["title"], source["url"], tuple(source["gives"]), source["says"])
        for source in fields.get("sources", ())
    )
    unverified = fields.get("unverified", {})
    _check_sources(path.name, set(_figures(fields)), sources, unverified)
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
        sources,
        float(fields.get("usable_gib", math.nan)),
        unverified,
    )


def _figures(fields: Mapping[str, Any]) -> Iterator[str]:
    """Names of the figures of a file: all that is no name, no kind and no choice."""
    for name, value in fields.items():
        if name in ("peak", "compiler"):
            yield from (f"{name}.{part}" for part in value if part != "device")
        elif name not in ("title", "kind", "topology", "sources", "unverified"):
            yield name


def _check_sources(
    name: str, figures: set[str], sources: tuple[ChipSource, ...], unverified: Mapping[str, str]
) -> None:
    for source in sources:
        if not (source.url.startswith(_ADDRESSES) and source.title and source.says):
            raise ValueError(f"{name}: a source needs a title, an address and what it says.")
    for figure, reason in unverified.items():
        if not reason.endswith("."):
            raise ValueError(f"{name}: no sentence says why {figure} is not verified.")
    given = {figure for source in sources for figure in source.gives}
    if both := sorted(given & set(unverified)):
        raise ValueError(f"{name}: {', '.join(both)} is verified and is not.")
    named = given | set(unverified)
    if nowhere := sorted(figures - named):
        raise ValueError(f"{name}: no source is named for {', '.join(nowhere)}.")
    if unknown := sorted(named - figures):
        raise ValueError(f"{name}: sources are named for {', '.join(unknown)}, which it lacks.")


def _in_words(figure: str) -> str:
    """As a person says it: `the peak in bf16`, `the clock rate ghz`."""
    group, _, part = figure.rpartition(".")
    other = f"the peak in {part}" if group == "peak" else f"the {part.replace('_', ' ')}"
    return _IN_WORDS.get(figure, other)
