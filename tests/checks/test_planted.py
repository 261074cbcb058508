"""Planted mistakes are found, and look-alikes are not."""

from __future__ import annotations

import pytest

from tests.checks import planted
from tests.checks.running import findings_of

FAULTS = [(rule, call) for rule, calls in planted.FAULTS.items() for call in calls]
ALIKE = [(rule, call) for rule, calls in planted.ALIKE.items() for call in calls]


@pytest.mark.parametrize(("rule", "call"), FAULTS)
def test_a_planted_mistake_is_found(rule: str, call: str) -> None:
    found = findings_of(planted.__file__, call, planted.TARGETS.get(rule, "cpu"))
    assert rule in [each.rule for each in found]
    lines = {(each.file or planted.__file__, bool(each.line), bool(each.remedy)) for each in found}
    assert lines == {(planted.__file__, True, True)}


@pytest.mark.parametrize(("rule", "call"), ALIKE)
def test_nothing_is_said_of_a_look_alike(rule: str, call: str) -> None:
    found = findings_of(planted.__file__, call, planted.TARGETS.get(rule, "cpu"))
    assert [each.rule for each in found] == []
