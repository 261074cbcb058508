"""When spare workers are started."""

from __future__ import annotations

import pytest

from jaxscope.supervisor.supervisor import MAX_IDLE_DEATHS, SpareScheduler, read_spare_key

OURS = read_spare_key({"python": "python3", "environment": {}})
THEIRS = read_spare_key({"python": "python3", "environment": {"XLA_FLAGS": "--x"}})


def test_the_earliest_wish_for_a_kind_counts() -> None:
    wishes = SpareScheduler()
    wishes.add(OURS, 5.0)
    wishes.add(OURS, 2.0)
    wishes.add(OURS, 9.0)
    wishes.add(THEIRS, 3.0)

    assert wishes.take_due(1.9) == []
    assert wishes.take_due(2.0) == [OURS]
    assert wishes.take_due(9.0) == [THEIRS]
    assert wishes.wait_s() is None


def test_a_wish_can_be_dropped() -> None:
    wishes = SpareScheduler()
    wishes.add(OURS, 0.0)
    wishes.drop(OURS)

    assert wishes.take_due(1.0) == []


def test_spares_that_keep_dying_are_not_replaced() -> None:
    wishes = SpareScheduler()
    for _ in range(MAX_IDLE_DEATHS):
        wishes.note_idle_death()
    wishes.add(OURS, 0.0)
    assert wishes.take_due(1.0) == [OURS], "a few deaths may be chance"

    wishes.note_idle_death()
    wishes.add(OURS, 0.0)
    assert wishes.take_due(1.0) == []


@pytest.mark.parametrize("values", ({}, {"python": 3}, {"python": "p", "environment": [1]}))
def test_a_key_must_name_an_interpreter(values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="interpreter"):
        read_spare_key(values)
