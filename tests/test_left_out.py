"""The end of a run names what it left out: one line for slow tests, one for all others."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CONFTEST = (Path(__file__).parent / "conftest.py").read_text(encoding="utf-8")
PROGRAM = """
import pytest

@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_slow(number): pass

@pytest.mark.sweep(2)
@pytest.mark.parametrize("number", range(9))
def test_of_many(number): pass

def test_in_a_browser(): pytest.skip("needs Chromium")

@pytest.mark.skipif(True, reason="needs sshd")
def test_far(): pass

def test_here(): pass
"""


@pytest.mark.parametrize("words", [[], ["-n", "2"], ["--slow"]], ids=["alone", "two", "slow"])
def test_what_is_left_out_is_counted(pytester: pytest.Pytester, words: list[str]) -> None:
    pytester.makeini(
        "[pytest]\nqt_api = pyside6\nmarkers =\n slow: takes long\n sweep(n): n cases\n"
    )
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(PROGRAM)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *words)
    is_slow = words == ["--slow"]
    result.assert_outcomes(passed=12 if is_slow else 3, skipped=2 if is_slow else 11)
    told = [line for line in result.outlines if "left out" in line]
    assert told.pop().startswith("left out for lack of something: 2 (1: needs ")
    assert told == ([] if is_slow else ["left out as slow: 9 (./run test --slow has them)"])
