"""Planted mistakes are found, and look-alikes are not."""

from __future__ import annotations

import re

import pytest

from tests.checks import planted
from tests.checks.running import findings_of

FAULTS = [(rule, call) for rule, calls in planted.FAULTS.items() for call in calls]
PYTHON_WORDS = re.compile(r"\w+\((?:shape|dtype)=|dtype\('|<class|<function| at 0x[0-9a-f]+")
ALIKE = [(rule, call) for rule, calls in planted.ALIKE.items() for call in calls]


@pytest.mark.sweep(60)
@pytest.mark.parametrize(("rule", "call"), FAULTS)
def test_a_planted_mistake_is_found(rule: str, call: str) -> None:
    found = findings_of(planted.__file__, call, planted.TARGETS.get(rule, "cpu"))
    assert rule in [each.rule for each in found]
    lines = {(each.file or planted.__file__, bool(each.line), bool(each.remedy)) for each in found}
    assert lines == {(planted.__file__, True, True)}
    for each in found:
        assert not PYTHON_WORDS.search(f"{each.message} {each.remedy}"), "not as JAX writes types"


def test_a_state_that_changes_is_told_by_types_as_jax_writes_them() -> None:
    (found,) = findings_of(planted.__file__, "update((f32[3], 1.0), f32[3])")
    assert (
        "[1] goes in as f32[] (weak, as a Python number is) and comes back as f32[]"
    ) in found.message


@pytest.mark.sweep(60)
@pytest.mark.parametrize(("rule", "call"), ALIKE)
def test_nothing_is_said_of_a_look_alike(rule: str, call: str) -> None:
    found = findings_of(planted.__file__, call, planted.TARGETS.get(rule, "cpu"))
    assert [each.rule for each in found] == []
