"""How measured quantities grow with size: slopes with intervals, crossovers; and ranges of sizes as
people type them: `x:0=64..4096`, `n=1..64/7`.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from jaxscope.errors import UsageError
from jaxscope.model.said import say
from jaxscope.model.timing import Crossover, ScalePoint, Slope

_LEAST_FOR_HALF = 10
"""Half of fewer sizes would have an interval that covers far less than 95 %."""
QUANTITIES: dict[str, Callable[[ScalePoint], float]] = {
    "eager": lambda point: math.nan if point.eager is None else point.eager.median,
    "jit": lambda point: math.nan if point.jit is None else point.jit.median,
    "compile_time": lambda point: point.compile_time,
    "first_compile": lambda point: point.first_compile,
    "flops": lambda point: point.flops,
    "bytes_accessed": lambda point: point.bytes_accessed,
    "memory": lambda point: point.memory,
}
"""What is looked at, each by name: NaN where a point does not know it."""


def fit_slopes(points: Sequence[ScalePoint]) -> tuple[Slope, ...]:
    """The slope of each quantity over all sizes and, from ten points on, over the larger half."""
    return tuple(_fit_all(points))


def fit_slope(sizes: Sequence[float], values: Sequence[float], quantity: str = "") -> Slope | None:
    """Theil's and Sen's slope of logarithms: the median of the slopes between all pairs.

    One reading that was disturbed does not move it, and the interval assumes nothing about the
    distribution: how many pairs are discordant is known exactly if size did not matter.

    Returns:
        None with fewer than three positive values.
    """
    known = [
        (math.log(size), math.log(value))
        for size, value in zip(sizes, values, strict=True)
        if size > 0 and value > 0 and math.isfinite(value)
    ]
    if len(known) < 3:
        return None
    slopes = sorted(
        (y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in itertools.combinations(known, 2) if x2 > x1
    )
    if not slopes:
        return None
    trim, _ = trimmed_pairs(len(known))
    return Slope(
        quantity,
        float(np.median(slopes)),
        slopes[min(trim, len(slopes) // 2)],
        slopes[-1 - min(trim, len(slopes) // 2)],
        len(known),
        round(math.exp(known[0][0])),
    )


def trimmed_pairs(num_points: int, confidence: float = 0.95) -> tuple[int, float]:
    """How many of the smallest, and of the largest, slopes lie outside of the interval.

    Returns:
        That number and the coverage, which is less than wanted below five points.
    """
    counts = np.ones(1)
    for length in range(2, num_points + 1):  # permutations by their number of inversions
        counts = np.convolve(counts, np.ones(length))
    tail = np.cumsum(counts / counts.sum())
    trim = int(np.searchsorted(tail, (1.0 - confidence) / 2.0, side="right"))
    # `tail[trim - 1]` is the chance that at most `trim - 1` pairs are discordant.
    outside = max(trim - 1, 0)
    return outside, float(1.0 - 2.0 * tail[outside])


def name_quantity(quantity: str, forms: tuple[str, str] = ("eager", "jit")) -> str:
    """What a quantity is called, where the two forms have names of their own."""
    first, second = forms
    is_usual = forms == ("eager", "jit")
    names = {
        "eager": first,
        "jit": second,
        "compile_time": say("compile time")
        if is_usual
        else say("compile time of {form}", form=second),
        "first_compile": say("compile time of {form}", form=first),
        "flops": say("work"),
        "bytes_accessed": say("read, written"),
        "memory": say("memory"),
    }
    return names.get(quantity, quantity)


def find_crossovers(
    points: Sequence[ScalePoint], forms: tuple[str, str] = ("eager", "jit")
) -> tuple[Crossover, ...]:
    """Where the two forms change places; sizes with an unclear order decide nothing."""
    decided = [
        (point.size, math.log(point.ratio.median), point.ratio.verdict)
        for point in points
        if point.ratio is not None and point.ratio.verdict in ("faster", "slower")
    ]
    found = []
    for (low, before, old), (high, after, new) in itertools.pairwise(decided):
        if old == new:
            continue
        share = before / (before - after)
        size = math.exp(math.log(low) + share * (math.log(high) - math.log(low)))
        names = {"faster": forms[1], "slower": forms[0]}
        found.append(Crossover(low, high, size, names[old], names[new]))
    return tuple(found)


def calls_to_break_even(point: ScalePoint) -> float:
    """How many calls it takes until compiling has paid off; infinite if never, NaN if unknown."""
    if point.eager is None or point.jit is None or math.isnan(point.compile_time):
        return math.nan
    if point.ratio is None or point.ratio.verdict == "unclear":
        return math.nan
    saved = point.eager.median - point.jit.median
    return point.compile_time / saved if saved > 0 else math.inf


def _fit_all(points: Sequence[ScalePoint]) -> Iterator[Slope]:
    larger = points[len(points) // 2 :]
    for quantity, read in QUANTITIES.items():
        for part in (points, larger) if len(points) >= _LEAST_FOR_HALF else (points,):
            slope = fit_slope([p.size for p in part], [read(p) for p in part], quantity)
            if slope is not None:
                yield slope


_SCALE = re.compile(
    r"(?P<vary>[^=]+)=(?P<low>\d{1,20})\.\.(?P<high>\d{1,20})(?:/(?P<count>\d{1,20}))?"
)
_NAME = re.compile(r"[^\W\d]\w*(?:[\w.\[\]'\"]*:\d+(?:,[^\W\d][\w.\[\]'\"]*:\d+)*)?")
_NAMES = re.compile(r"[^\W\d][\w.\[\]'\"]*(?:\+[^\W\d][\w.\[\]'\"]*)*")
_MAX_CHARACTERS = 1000
_MAX_SIZES = 40
_MAX_SIZE = 2**31
DEFAULT_GROWTH = "1..64"


def read_scale(text: str) -> tuple[str, tuple[int, ...]]:
    """Such as `x:0=64..4096`: what is varied, and the sizes in even steps of a logarithmic scale.

    Raises:
        UsageError: It is no such text.
    """
    match = _SCALE.fullmatch(text.strip()) if len(text) <= _MAX_CHARACTERS else None
    if match is None or _NAME.fullmatch(match["vary"].strip()) is None:
        raise _no_range(text, say("It has another form."))
    low, high = int(match["low"]), int(match["high"])
    if not 0 < low < high <= _MAX_SIZE:
        raise _no_range(
            text, say("The range {low}..{high} does not rise from at least 1.", low=low, high=high)
        )
    count = int(match["count"]) if match["count"] else None
    if count is not None and not 2 <= count <= _MAX_SIZES:
        raise _no_range(text, say("There may be 2 to {max_sizes} sizes.", max_sizes=_MAX_SIZES))
    return match["vary"].strip(), spread_sizes(low, high, count)


def read_growth(text: str) -> tuple[str, tuple[int, ...]]:
    """Such as `1..64`, or `x+y=1..64`: names of what is stacked, empty for all, and the sizes.

    Raises:
        UsageError: It is no such text.
    """
    names, equals, rest = text[: _MAX_CHARACTERS + 1].strip().rpartition("=")
    if equals and _NAMES.fullmatch(names.strip()) is None:
        raise _no_range(text, say("{names} names no arguments.", names=repr(names[:60])))
    try:
        return names.strip(), read_scale(f"n={rest}")[1]
    except UsageError:
        raise _no_range(text, say("It is neither LOW..HIGH nor NAME=LOW..HIGH.")) from None


def spread_sizes(low: int, high: int, count: int | None = None) -> tuple[int, ...]:
    """Sizes from `low` to `high` in even steps of a logarithmic scale; doubling by default."""
    if count is None:
        sizes = [low]
        while sizes[-1] * 2 <= high and len(sizes) < _MAX_SIZES - 1:
            sizes.append(sizes[-1] * 2)
        return tuple(sizes) if sizes[-1] == high else (*sizes, high)
    step = (high / low) ** (1.0 / (count - 1))
    return tuple(dict.fromkeys(round(low * step**number) for number in range(count)))


def _no_range(text: str, why: str) -> UsageError:
    return UsageError(
        say("{text} is no range of sizes.", text=repr(text[:100])),
        why=why,
        remedy=say("Such as x:0=64..4096, or n=1..64 for a name n in the call."),
    )
