"""The garbage collector rests during a layout, and only then."""

from __future__ import annotations

import gc

import pytest

from jaxscope.analysis.collector import paused_collector


def test_the_collector_is_back_after_the_last_layout() -> None:
    with paused_collector():
        with paused_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_failed_layout_gives_it_back() -> None:
    with pytest.raises(ValueError, match="stopped"), paused_collector():
        raise ValueError("stopped")
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with paused_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
