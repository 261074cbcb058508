"""Before eager and jit are compared it is known that they do the same work, else it is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jaxscope.client.requests import TimeRequest
from jaxscope.client.session import Session
from jaxscope.errors import TraceError
from jaxscope.model import Timing

from .timed_programs import DIFFERENT_WORK


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("work") / "work.py"
    path.write_text(DIFFERENT_WORK, "utf-8")
    return str(path)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session() as session:
        yield session


def measure(session: Session, file: str, call: str) -> Timing:
    result = session.start(TimeRequest(file, call, budget_s=0.05)).wait()
    assert isinstance(result, Timing)
    return result


OTHER_WORK = {
    "prints(f32[4])": "each eager call prints",
    "sleeps(f32[4])": "each eager call sleeps",
    "draws(f32[4])": "random numbers from `generator`",
    "draws_global(f32[4])": "random numbers from NumPy's `np.random`",
    "draws_python(f32[4])": "random numbers from `own`",
    "counts(f32[4])": "the global `log` was changed",
    "rebinds(f32[4])": "the function changes the global `last`",
    "calls_another(f32[4])": "the global `log` was changed",
    "(lambda x: counts(x))(f32[4])": "the global `log` was changed",
    "model(f32[4])": "the attribute `steps`",
    "model.noisy(f32[4])": "random numbers from `generator`",
    "closed(f32[4])": "changes `steps` of the function around it",
    "iterates(f32[4])": "two eager calls with the same arguments returned different results",
    "another_shape(f32[4])": "returned different results",
    "grad(lambda x: draws(x).sum())(f32[4])": "random numbers from `generator`",
}


@pytest.mark.parametrize("call", OTHER_WORK)
def test_other_work_is_told_and_gets_no_verdict(session: Session, file: str, call: str) -> None:
    timing = measure(session, file, call)
    told = [text for text in timing.warnings if text.startswith("No verdict: ")]
    assert [text for text in told if OTHER_WORK[call] in text], timing.warnings
    (ratio,) = timing.ratios
    assert (ratio.verdict, ratio.is_judged) == ("unclear", False)
    assert ratio.why_not in timing.warnings
    assert [text for text in told if "work.py:" in text or call.startswith("grad(")]


def test_a_leaked_tracer_is_told_and_not_timed(session: Session, file: str) -> None:
    timing = measure(session, file, "caching(f32[4])")
    (told,) = [text for text in timing.warnings if "leaked tracer" in text]
    assert "made at work.py:11" in told
    assert not [m.name for m in timing.measurements if "eager" in m.name]
    assert timing.measurement("jit").runs > 0
    assert not timing.ratios


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("generates(f32[4])", "a generator"),
        ("awaits(f32[4])", "a coroutine"),
    ],
)
def test_a_body_that_never_runs_is_an_error(
    session: Session, file: str, call: str, kind: str
) -> None:
    printed: list[str] = []
    live = session.start(
        TimeRequest(file, call, budget_s=0.05),
        lambda event: printed.append(str(getattr(event, "text", ""))),
    )
    with pytest.raises(TraceError, match=f"returns {kind}") as raised:
        live.wait()
    assert "work.py:" in raised.value.explanation.where
    assert "RuntimeWarning" not in "".join(printed)


def test_a_generator_among_other_results_is_told(session: Session, file: str) -> None:
    timing = measure(session, file, "in_a_list(f32[4])")
    (told,) = [text for text in timing.warnings if "a generator" in text]
    assert told.startswith("eager could not be measured (work.py:")
    assert not timing.ratios


@pytest.mark.parametrize(
    "call",
    [
        "looks_up(f32[4])",
        "debugs(f32[4])",
        "calls_back(f32[4])",
        "draws_with_a_key(key(0))",
        "chaotic(f32[4])",
        "vmap(looks_up)(f32[3, 4])",
    ],
)
def test_the_same_work_is_judged(session: Session, file: str, call: str) -> None:
    timing = measure(session, file, call)
    assert timing.ratios[0].is_judged, timing.warnings
