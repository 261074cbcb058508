"""Processes as users have them."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _started(started_workers: None) -> None:
    """How a worker starts is part of what is tested here."""
