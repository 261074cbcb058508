"""The silence that every test is held to is itself tested, in a test run of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CONFTEST = (Path(__file__).parent / "conftest.py").read_text(encoding="utf-8")
PROGRAM = """
import logging
import warnings

from PySide6.QtCore import qWarning

def test_warning(): warnings.warn("old", DeprecationWarning)
def test_log(): logging.getLogger("x").warning("odd")
def test_qt(): qWarning("strange")
def test_quiet(): assert True
def test_allowed(): qWarning("This plugin does not support raise()")
"""


def test_noise_fails_a_test_and_what_is_allowed_does_not(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nqt_api = pyside6\nqt_log_level_fail = WARNING\n")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(PROGRAM)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    noisy = re.findall(r"^(?:FAILED|ERROR) \S+::test_(\w+)", result.stdout.str(), re.MULTILINE)
    assert sorted(noisy) == ["log", "qt", "warning"]
    result.assert_outcomes(passed=3, failed=2, errors=1)  # a log fails the end of its test
