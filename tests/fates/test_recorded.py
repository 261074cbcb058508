"""Fates of recorded programs, found anew from their graphs: what was checked once stays so."""

from __future__ import annotations

import pytest

from jaxscope.model import Fate
from jaxscope.program.fates.outcomes import PassOutcome
from jaxscope.program.fates.table import find_all_fates
from tests.fates.compiled_calls import compare_fates
from tests.fates.recorded import CALLS, Program, read_programs


@pytest.fixture(scope="module")
def programs() -> list[Program]:
    return read_programs()


def test_the_file_has_every_call(programs: list[Program]) -> None:
    assert [program.call for program in programs] == [c for calls in CALLS.values() for c in calls]


def test_passes_contradict_no_fate_that_is_found_without_them(programs: list[Program]) -> None:
    for program in programs:
        told = list(compare_fates(program.alone[1], program.recorded[1]))
        assert told == [], program.call


@pytest.mark.parametrize("way", ["alone", "recorded"])
def test_fates_stay_as_they_were(programs: list[Program], way: str) -> None:
    for program in programs:
        outcomes: dict[str, PassOutcome] = program.outcomes if way == "recorded" else {}
        found = find_all_fates(program.graphs, outcomes)
        kept: tuple[dict[str, Fate], dict[str, Fate]] = getattr(program, way)
        for which, (now, then) in enumerate(zip(found, kept, strict=True)):
            changed = [
                f"{program.call}, {('base', 'lowered')[which]} {id}: {now.get(id)}, was {fate}"
                for id, fate in then.items()
                if now.get(id) != fate
            ]
            assert not changed, "\n".join(changed[:5])
            assert list(now) == list(then), program.call
