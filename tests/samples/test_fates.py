"""How far fates reach: at least 95 % of the equations of all samples have a known fate.

One compilation that records its passes serves both ways of finding fates, with and without them.
Of each sample the first and the last call are captured: those between differ in sizes or in one
transform more, and all of them took two minutes.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jaxscope.analysis.fates import FateTable
from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.model import Capture

from .calling import SAMPLES, offered_calls
from .test_calls import FILES, MEANT_TO_FAIL, NEEDS

Counted = list[tuple[int, int]]
"""Of each table of fates the number of equations, and of those whose fate is unknown."""

LEAST = 0.95
LEAST_OF_A_CALL = 0.85
"""Three of 28 are 11 percent: a small program may miss what all of them reach."""
TOO_LONG = {
    # Unrolled: their passes take half a minute, and the scanned forms compute the same.
    ("transformer.py", "loss(init(key(0)), tokens(key(1)))"),
    ("transformer.py", "grad(loss)(init(key(0)), tokens(key(1)))"),
}


def calls_of(file: str) -> list[str]:
    """The first and the last call that a sample offers and that can be captured here."""
    calls = [
        call
        for call in offered_calls(file)
        if (file, call) not in MEANT_TO_FAIL and (file, call) not in TOO_LONG
    ]
    return list(dict.fromkeys((calls[0], calls[-1])))


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session() as session:
        yield session


@pytest.fixture(scope="module")
def counted() -> Counted:
    return []


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_nearly_every_equation_of_a_sample_has_a_known_fate(
    session: Session, counted: Counted, file: str
) -> None:
    for library in NEEDS.get(file, ()):
        pytest.importorskip(library)
    for call in calls_of(file):
        request = CaptureRequest(str(SAMPLES / file), call, passes=True)
        capture = session.start(request).wait()
        assert isinstance(capture, Capture)
        recorded, alone = capture.fates, FateTable(capture.stages)
        assert isinstance(recorded, FateTable)
        for table in (recorded, alone):
            for fates in (table, table.derived):
                unknown = [id for id, fate in fates.items() if fate.fate == "unknown"]
                counted.append((len(fates), len(unknown)))
                assert len(fates) - len(unknown) >= LEAST_OF_A_CALL * len(fates) or (
                    len(unknown) == 1
                ), (call, {id: fates[id].text for id in unknown})


@pytest.mark.slow
def test_at_least_95_percent_are_known_of_all_samples_together(counted: Counted) -> None:
    if len(counted) < 2 * len(FILES):
        pytest.skip("counts what the tests before it captured, and they were left out")
    num_equations, num_unknown = map(sum, zip(*counted, strict=True))
    assert num_unknown <= (1 - LEAST) * num_equations
