"""What a machine can do at most, as measured on it or as published of its chip."""

from __future__ import annotations

import dataclasses
import math

from jaxscope.model.capture import Environment


@dataclasses.dataclass(frozen=True, slots=True)
class Ceiling:
    """One rate.

    Attributes:
        name: `matmul` or `stream`.
        unit: `FLOP` or `bytes`, per second.
        best: Work over the shortest of the measured times.
        median: Work over the median time.
        runs: Number of times; 0 for a published peak, which stands as `best` and as `median`.
        protocol: One sentence: how it was measured.
    """

    name: str
    unit: str
    best: float
    median: float
    runs: int
    protocol: str


@dataclasses.dataclass(frozen=True, slots=True)
class Peak:
    """How fast one kind of arithmetic can be.

    Attributes:
        rate: FLOP per second; NaN where it is not known.
        name: What it is the peak of, such as `tf32`, `bf16, 3 passes`, or `fastest` where no page
            gives a figure for it and the chip's fastest stands in.
    """

    rate: float
    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Ceilings:
    """What a machine reached in a calibration, or what is published of a chip.

    Attributes:
        environment: Where.
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

        Its product was of `f32` at the default precision: that tells nothing of products of other
        types, nor on other devices than CPUs of those at another precision.
        """
        name, _, asked = arithmetic.removeprefix("dot:").partition(":")
        is_product = arithmetic.startswith("dot:")
        if is_product and (name != "f32" or (asked and self.environment.platform != "cpu")):
            return Peak(math.nan, arithmetic.removeprefix("dot:").replace(":", ", "))
        return Peak(self.arithmetic.best, "measured")

    @property
    def ridge(self) -> float:
        """FLOP per byte at which both limits meet."""
        return self.arithmetic.best / self.bandwidth.best

    def attainable(self, intensity: float) -> float:
        """FLOP per second that are possible at an arithmetic intensity."""
        return min(self.arithmetic.best, intensity * self.bandwidth.best)
