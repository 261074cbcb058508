"""Numbers as a person reads them."""

from __future__ import annotations

import math
import random
import sys
from decimal import ROUND_HALF_UP, Decimal

import pytest

from jaxscope.model.units import format_share, join_words, round_within


@pytest.mark.parametrize(
    ("share", "decimals", "told"),
    [
        *((0.0, 0, "0%"), (1e-9, 0, "<1%"), (0.004, 0, "<1%"), (0.006, 0, "1%"), (0.5, 0, "50%")),
        *((0.994, 0, "99%"), (0.996, 0, ">99%"), (1.0, 0, "100%"), (1.5, 0, "150%")),
        *((0.0004, 1, "<0.1%"), (0.9996, 1, ">99.9%"), (math.nan, 1, "unknown")),
    ],
)
def test_little_is_not_nothing_and_most_is_not_all(share: float, decimals: int, told: str) -> None:
    assert format_share(share, decimals) == told


@pytest.mark.parametrize(
    ("platform", "typed"),
    [
        ("linux", "jaxscope check 'my file.py' 'f(f32[3])' a.py"),
        ("win32", 'jaxscope check "my file.py" "f(f32[3])" a.py'),
    ],
)
def test_a_command_is_quoted_for_the_shells_of_the_system(
    monkeypatch: pytest.MonkeyPatch, platform: str, typed: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert join_words(["jaxscope", "check", "my file.py", "f(f32[3])", "a.py"]) == typed


def test_a_path_of_windows_needs_no_quotes_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert join_words([r"C:\jobs\train.py", 'f("a")']) == r'C:\jobs\train.py "f(\"a\")"'


@pytest.mark.parametrize(
    ("low", "value", "high", "told"),
    [
        *((38, 140, 160, "100"), (110, 140, 160, "140"), (137, 140, 142, "140")),
        *((38, 54.7, 58.9, "50"), (11.7, 25.0, 84.1, "30"), (139.6, 140.2, 140.8, "140")),
        *((27, 28.4, 29, "28"), (11.9, 12.03, 12.1, "12.0"), (2.9, 3.06, 3.3, "3.1")),
        *((60, 95, 97, "95"), (0.4, 0.452, 0.47, "0.45"), (1000, 1234, 1800, "1,200")),
        *((5.0, 5.0, 5.0, "5.00"), (1.0, 1.0, math.inf, "1.00"), (0.5, math.nan, 2.0, "nan")),
    ],
)
def test_a_number_has_the_digits_that_its_range_supports(
    low: float, value: float, high: float, told: str
) -> None:
    assert round_within(value, low, high) == told


def test_no_number_has_more_digits_than_its_range_supports_nor_leaves_it() -> None:
    """By decimals: the fewest digits, up to three, that stay in the range and round by less."""
    draw = random.Random(3)
    for _ in range(3000):
        ends = sorted(round(10 ** draw.uniform(-2, 3), 3) for _ in range(3))
        low, value, high = ends
        if low == high or low == 0.0:
            continue
        exact, width = Decimal(str(value)), Decimal(str(high)) - Decimal(str(low))
        told = None
        for digits in (1, 2, 3):
            place = Decimal(1).scaleb(exact.adjusted() - digits + 1)
            rounded = (exact / place).quantize(Decimal(1), ROUND_HALF_UP) * place
            is_inside = Decimal(str(low)) <= rounded <= Decimal(str(high))
            if is_inside and (place <= width or digits == 3):
                told = rounded
                break
        if told is not None:
            assert float(round_within(value, low, high).replace(",", "")) == float(told)
