"""Which workers of tests are forked, and which are started as those of users are."""

from __future__ import annotations

import pytest

from jaxscope.client.session import Session
from jaxscope.client.supervisor_link import LocalLink
from jaxscope.wire.protocol import FOR_READING
from tests import forking
from tests.faults.scene import PATIENCE_S, sample


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> list[str]:
    """Gets an entry for each supervisor that is started."""
    if pytestconfig.getoption("started"):
        pytest.skip("with --started every worker is started")
    found: list[str] = []
    connect = LocalLink.connect
    monkeypatch.setattr(LocalLink, "connect", lambda self: (found.append(""), connect(self))[1])
    return found


def run() -> None:
    with Session() as session:
        session.start(sample("works")).wait(PATIENCE_S)


@pytest.mark.slow
def test_where_a_test_sets_a_variable_the_worker_is_started(
    started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run()
    assert not started
    monkeypatch.setenv("JAX_ENABLE_X64", "1")
    run()
    assert started


def test_a_worker_that_only_reads_is_forked_as_well() -> None:
    """Started, it takes a fifth of a second of a processor, and each opened file asks for one."""
    assert forking._differ_late({FOR_READING: "1"}, {})


@pytest.mark.slow
def test_what_an_import_sets_starts_no_worker(
    started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As pyqtgraph does; each later worker of the whole run was started then."""
    run()
    monkeypatch.setenv("SET_BY_A_MODULE", "1")
    monkeypatch.setattr(forking, "_not_asked_for", {*forking._not_asked_for})
    forking.pass_over_imports()
    run()
    assert not started
    monkeypatch.setenv("JAX_ENABLE_X64", "1")
    run()
    assert started


@pytest.mark.slow
def test_what_the_first_test_sets_is_no_variable_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would be passed over from the second test on, as one that an import has set."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/nowhere")
    origin = forking._Origin()
    origin.close()
    assert origin.variables["XDG_CACHE_HOME"] != "/nowhere"
