"""Before eager and jit are compared it is known that they do the same work, else it is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

from jaxscope.client.requests import ScalingRequest, TimeRequest
from jaxscope.client.session import Session
from jaxscope.errors import TraceError
from jaxscope.model import Timing
from jaxscope.model.timing import Scaling
from jaxscope.worker.host.call import call_namespace, parse_call
from jaxscope.worker.host.source import read_source
from jaxscope.worker.host.user_module import execute_file
from jaxscope.worker.timing.same_work import Outcome, WorkWatch, find_differences, observed

from .timed_programs import DIFFERENT_WORK, EQUINOX_STATE, FLAX_STEP


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
    "model.noisy(f32[4])": "random numbers from `self.generator`",
    "closed(f32[4])": "variable of an enclosing function `steps` was changed",
    "iterates(f32[4])": "the function changes `ticks`",
    "another_shape(f32[4])": "returned different results",
    "grad(lambda x: draws(x).sum())(f32[4])": "random numbers from `generator`",
    "changes_dict({'count': 0}, f32[4])": "changes its argument `state['count']`",
    "logs(f32[4])": "each eager call writes",
    "counts_deep_inside(f32[4])": "the function changes `nested['a']['b'][0]`",
    "takes_a_batch(f32[4])": "takes the next value of a generator that was made before",
    "remembers(f32[4])": "the first eager call changed `remembered`",
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("call", OTHER_WORK)
def test_other_work_is_told_and_gets_no_verdict(session: Session, file: str, call: str) -> None:
    timing = measure(session, file, call)
    told = [text for text in timing.warnings if text.startswith("No verdict: ")]
    assert [text for text in told if OTHER_WORK[call] in text], timing.warnings
    (ratio,) = timing.ratios
    assert (ratio.verdict, ratio.is_judged) == ("unclear", False)
    assert f"No verdict: {ratio.why_not}." in " ".join(told)
    assert [text for text in told if "work.py:" in text or call.startswith("grad(")]


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("draws(f32[4])", "random numbers from `generator`"),
        ("remembers(f32[4])", "the first eager call changed `remembered`"),
        ("caching(f32[4])", "was made at work.py:"),
    ],
)
def test_no_size_of_a_scaling_gets_a_verdict_on_other_work(
    session: Session, file: str, call: str, told: str
) -> None:
    request = ScalingRequest(file, call, vary="x:0", sizes=(4, 8), budget_s=0.05)
    scaling = session.start(request).wait()
    assert isinstance(scaling, Scaling)
    assert told in scaling.points[0].reason
    for point in scaling.points:
        assert point.ratio is None or (point.ratio.verdict, point.ratio.is_judged) == (
            "unclear",
            False,
        )


def test_a_leaked_tracer_is_told_and_not_timed(session: Session, file: str) -> None:
    timing = measure(session, file, "caching(f32[4])")
    (told,) = [text for text in timing.warnings if "leaked tracer" in text]
    assert "made at work.py:11" in told
    assert not [m.name for m in timing.measurements if "eager" in m.name]
    assert timing.measurement("jit").runs > 0
    assert not timing.ratios


def test_a_second_call_that_lacks_what_the_first_took_says_so(session: Session, file: str) -> None:
    timing = measure(session, file, "takes_away({'count': 0}, f32[4])")
    assert [text for text in timing.warnings if "changes its argument `state`" in text]
    assert not timing.ratios


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("saves(f32[4])", "each eager call opens a file"),
        ("draws_from_the_system(f32[4])", "each eager call asks the system for random bytes"),
        ("counts_in_a_class(f32[4])", "the function changes `Statistics.calls`"),
        ("counts_in_a_decorator(f32[4])", "changes `counts_in_a_decorator.calls`"),
        ("counts_in_a_default(f32[4])", "the default of argument `seen` of counts_in_a_default"),
        ("counts_in_a_part(f32[4])", "the function changes `outer.inner.steps`"),
        ("counts_by_an_iterator(f32[4])", "the function changes `numbers`"),
        ("draws_from_a_part(f32[4])", "random numbers from `pipeline['augment']`"),
        ("draws_global(f32[4])", "random numbers from NumPy's `np.random`"),
        ("sets_the_environment(f32[4])", "changes `os.environ['TEST_STEPS']`"),
        ("sets_a_librarys_attribute(f32[4])", "changes `string.capwords`"),
        ("adds_to_a_librarys_attribute(f32[4])", "changes `string.whitespace`"),
        ("reads_libraries(f32[4])", ""),
        ("draws_the_same(f32[4])", ""),
        ("looks_up(f32[4])", ""),
        ("calls_back(f32[4])", ""),
        ("fills_once(Lazy(), f32[4])", ""),
    ],
)
def test_what_a_call_does_beside_computing_is_seen(file: str, text: str, told: str) -> None:
    """As timing does it: a compiled call, an eager one, and an eager one that is watched."""
    source = read_source(file)
    call = parse_call(text, call_namespace(vars(execute_file(file, source.text))), file=file)
    traced = [value for value in call.args if isinstance(value, jax.Array)]
    others = [value for value in call.args if not isinstance(value, jax.Array)]
    compiled, eager = Outcome(), Outcome()
    watch = WorkWatch(call, source)
    jitted = jax.jit(lambda *args: call.base(*others, *args))
    jitted(*traced)
    with observed(compiled):
        jitted(*traced)
    call.base(*call.args)
    watch.begin()
    with observed(eager, watch.find_generators()):
        call.base(*call.args)
    found = watch.find_changes(is_traced=False) + find_differences(None, eager, compiled, "")
    assert (told in found[0].what) if told else not found


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("changes_list([], f32[4])", "`made`"),
        ("changes_inside({'seen': [set()]}, f32[4])", "`parts['seen'][0]`"),
        ("changes_array(np.zeros(3), f32[4])", "`host`"),
        ("changes_object(Layer(), f32[4])", "`layer.calls`"),
        ("changes_object(layer=Layer(), x=f32[4])", "`layer.calls`"),
        ("changes_slot(Slotted(), f32[4])", "`slotted.last`"),
        ("draws_from(np.random.default_rng(1), f32[4])", "`numbers`"),
        ("takes_away({'count': 0, 'x': f32[4]}, f32[4])", "`state`"),
        ("leaves_alone(Layer(), {'seen': [set()]}, np.zeros(4), f32[4])", ""),
        ("fills_once(Lazy(), f32[4])", ""),
    ],
)
def test_the_part_of_an_argument_that_changes_is_named(file: str, text: str, changed: str) -> None:
    source = read_source(file)
    names = call_namespace(vars(execute_file(file, source.text)))
    call = parse_call(text, names, file=file)
    if "Slotted" in text or "Lazy" in text:
        call.base(*call.args, **call.kwargs)  # the first call makes what was not there
    watch = WorkWatch(call, source)
    assert watch.find_changed_arguments() == []
    call.base(*call.args, **call.kwargs)
    told = [found.what for found in watch.find_changed_arguments()]
    assert told == ([f"the call changes its argument {changed}"] if changed else [])
    watch.begin()
    assert watch.find_changed_arguments() == []


@pytest.mark.slow
def test_a_step_that_changes_its_model_says_so(session: Session, tmp_path: Path) -> None:
    pytest.importorskip("flax.nnx")
    file = tmp_path / "step.py"
    file.write_text(FLAX_STEP, "utf-8")
    timing = measure(session, str(file), "step(make(), f32[2, 4])")
    (ratio,) = timing.ratios
    assert "changes its argument `both[0]." in ratio.why_not
    same = measure(session, str(file), "forward(make(), f32[2, 4])")
    assert same.ratios[0].is_judged, same.warnings


@pytest.mark.slow
def test_a_state_that_a_call_uses_up_is_no_fault_of_jaxscope(
    session: Session, tmp_path: Path
) -> None:
    """Equinox marks a state as used: eager calls fail from the second on, compiled ones do not."""
    pytest.importorskip("equinox")
    file = tmp_path / "counter.py"
    file.write_text(EQUINOX_STATE, "utf-8")
    call = "step(eqx.nn.make_with_state(Counter)(), f32[4])"
    timing = measure(session, str(file), call)
    told = "\n".join(timing.warnings)
    assert "changes its argument `both[1]." in told and "eager failed at call 2" in told
    assert timing.measurement("jit").runs > 0 and not timing.ratios


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("generates(f32[4])", "a generator"),
        ("awaits(f32[4])", "a coroutine"),
        ("maps(f32[4])", "an iterator"),
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


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "call",
    [
        "looks_up(f32[4])",
        "debugs(f32[4])",
        "logs_in_a_callback(f32[4])",
        "draws_with_a_key(key(0))",
        "chaotic(f32[4])",
        "fills_once(Lazy(), f32[4])",
        "vmap(looks_up)(f32[3, 4])",
    ],
)
def test_the_same_work_is_judged(session: Session, file: str, call: str) -> None:
    timing = measure(session, file, call)
    assert timing.ratios[0].is_judged, timing.warnings
