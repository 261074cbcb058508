"""How far fates reach: at least 95 % of the equations of every sample's calls have a known fate.

One compilation that records its passes serves both ways of finding fates, with and without them.
Of each sample the first and the last call are captured: those between differ in sizes or in one
transform more. Of most samples that is slow: recording takes seconds for each.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.model import Capture, Graph
from jaxscope.program.fates.table import FateTable

from .calling import SAMPLES, offered_calls
from .test_calls import FILES, MEANT_TO_FAIL, NEEDS

LEAST = 0.95
QUICK = {"optimizer_passes.py", "control_flow.py", "custom_rules.py", "quick_start.py"}
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


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    "file",
    [file if file in QUICK else pytest.param(file, marks=pytest.mark.slow) for file in FILES],
)
def test_at_least_95_percent_of_the_equations_have_a_known_fate(
    session: Session, file: str
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
                known = len(fates) - len(unknown)
                assert known >= LEAST * len(fates), (call, {id: fates[id].text for id in unknown})


def test_a_constraint_of_a_sharding_is_no_computation_that_died(session: Session) -> None:
    """What one of the two constrains is the result: it was not removed with all that used it."""
    file = str(SAMPLES / "parallel_devices.py")
    capture = session.start(CaptureRequest(file, "gram(f32[64, 32])", passes=True)).wait()
    assert isinstance(capture, Capture) and isinstance(capture.fates, FateTable)
    stage = capture.stage("jaxpr")
    assert stage is not None and isinstance(stage.graph, Graph)
    constraints = stage.graph.nodes_of(["sharding_constraint"])
    fates = [capture.fates[stage.graph.id(node)] for node in constraints]
    assert [fate.fate for fate in fates] == ["simplified"] * 2
    assert all("omputes nothing" in fate.text for fate in fates)
