"""Harm at random moments: every run ends and says why, and the next one works."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from jaxscope.client.session import Session
from tests.faults.chaos import Chaos
from tests.faults.killed_window import kill_one

NUM_EACH = 25


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_harm_at_random_moments(seed: int, tmp_path: Path) -> None:
    with Session() as session:
        chaos = Chaos(session, seed, tmp_path)
        for number in range(NUM_EACH):
            try:
                chaos.hurt()
            except AssertionError as error:
                raise AssertionError(f"number {number} of seed {seed}") from error
    assert not [each for each in threading.enumerate() if each.name.startswith("jaxscope run")]


@pytest.mark.slow
def test_a_window_that_is_killed_keeps_what_it_had_kept(tmp_path: Path) -> None:
    chance = random.Random(1)
    for _ in range(5):
        kill_one(tmp_path, chance)
