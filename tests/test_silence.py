"""The silence that every test is held to is itself tested, in a test run of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CONFTEST = (Path(__file__).parent / "conftest.py").read_text(encoding="utf-8")
QUIET = "def test_it(): assert True"
NOISES = {
    "warning": "import warnings\ndef test_it(): warnings.warn('old', DeprecationWarning)",
    "log": "import logging\ndef test_it(): logging.getLogger('x').warning('odd')",
    "qt": "from PySide6.QtCore import qWarning\ndef test_it(): qWarning('strange')",
}


def run(pytester: pytest.Pytester, program: str) -> pytest.RunResult:
    pytester.makeini("[pytest]\nqt_api = pyside6\nqt_log_level_fail = WARNING\n")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(program)
    return pytester.runpytest_subprocess("-p", "no:cacheprovider")


@pytest.mark.parametrize("noise", NOISES)
def test_noise_fails_a_test(pytester: pytest.Pytester, noise: str) -> None:
    assert run(pytester, NOISES[noise]).ret != 0


def test_a_quiet_test_passes(pytester: pytest.Pytester) -> None:
    run(pytester, QUIET).assert_outcomes(passed=1)


def test_an_allowed_message_passes(pytester: pytest.Pytester) -> None:
    program = NOISES["qt"].replace("strange", "This plugin does not support raise()")
    run(pytester, program).assert_outcomes(passed=1)
