"""What a machine can do at most, as measured on it or as published of its chip."""

from __future__ import annotations

import dataclasses

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
class Ceilings:
    """What a machine reached in a calibration.

    Attributes:
        environment: Where.
        arithmetic: FLOP per second of a large matrix product.
        bandwidth: Bytes per second of a sum of arrays that no cache holds.
        warnings: What disturbed the measurement.
    """

    environment: Environment
    arithmetic: Ceiling
    bandwidth: Ceiling
    warnings: tuple[str, ...] = ()

    @property
    def is_published(self) -> bool:
        """Whether these are a chip's published peaks: nothing was measured."""
        return self.arithmetic.runs == 0

    @property
    def ridge(self) -> float:
        """FLOP per byte at which both limits meet."""
        return self.arithmetic.best / self.bandwidth.best

    def attainable(self, intensity: float) -> float:
        """FLOP per second that are possible at an arithmetic intensity."""
        return min(self.arithmetic.best, intensity * self.bandwidth.best)
