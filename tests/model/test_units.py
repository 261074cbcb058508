"""Numbers as a person reads them."""

from __future__ import annotations

import math
import sys

import pytest

from jaxscope.model.units import format_share, join_words


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
