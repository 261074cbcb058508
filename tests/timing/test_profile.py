"""Times of instructions and equations, laid over the graphs and lines of the same call."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jaxscope.client.requests import CaptureRequest, ProfileRequest, ScalingRequest
from jaxscope.client.session import Session
from jaxscope.errors import CallError, EnvironmentProblem
from jaxscope.model import Capture, Graph, GraphBuilder, NodeKind, Unavailable, is_available
from jaxscope.model.timing import NodeTime, NodeTimes, Profile, Scaling
from jaxscope.program.node_times import (
    describe_observed_times,
    describe_overlap,
    describe_profile_place,
    lay_over,
    line_shares,
    overlay_stage,
    sum_lines,
    time_stages,
)
from jaxscope.report.measurement_documents import ProfileOverlay, profile_to_document

PROGRAMS = """
import jax
import jax.numpy as jnp

def inner(x, w):
    return jnp.tanh(x @ w)

def outer(x, w):
    for _ in range(3):
        x = inner(x, w)
    return x.sum()

def loop(x, w):
    return jax.lax.fori_loop(0, 40, lambda i, c: jnp.sin(c @ w), x).sum()

@jax.jit
def jitted(x):
    return jnp.sin(x) + 1

def same(x):
    return x

def sizes(x, n):
    for _ in range(n):
        x = x * 2
    return x

def small_only(x):
    if x.shape[0] > 4:
        raise ValueError("too large for me")
    return x + 1
"""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session() as session:
        yield session


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("profile") / "programs.py"
    path.write_text(PROGRAMS, "utf-8")
    return str(path)


@pytest.fixture
def profile(session: Session, file: str) -> Callable[..., Profile]:
    def profile(call: str, **options: Any) -> Profile:
        request = ProfileRequest(file, call, budget_s=0.8, **options)
        result = session.start(request).wait()
        assert isinstance(result, Profile)
        return result

    return profile


def capture(session: Session, file: str, call: str) -> Capture:
    result = session.start(CaptureRequest(file, call)).wait()
    assert isinstance(result, Capture)
    return result


def small_graph() -> Graph:
    builder = GraphBuilder()
    places = {"a": (("f.py", 3, 0, "f"),), "b": (("f.py", 3, 0, "f"), ("f.py", 9, 0, "main"))}
    for name, source in places.items():
        builder.add_node(f"id-{name}", NodeKind.INSTRUCTION, "add", name=name, source=source)
    builder.add_node("7", NodeKind.EQUATION, "sin")
    return builder.build()


def time(name: str, inclusive: float, exclusive: float) -> NodeTime:
    return NodeTime(name, 1, inclusive, inclusive, inclusive, exclusive)


def test_times_find_their_nodes_by_name_or_id_and_strangers_are_told() -> None:
    overlay = lay_over(small_graph(), [time("a", 2, 1), time("7", 5, 5), time("other", 1, 1)])
    assert overlay.graph.nodes.seconds[[0, 2]].tolist() == [1.0, 5.0]  # without what is inside
    assert overlay.graph.node(1).seconds != overlay.graph.node(1).seconds  # NaN: not measured
    assert overlay.unmatched == ("other",)


def test_lines_get_what_they_take_alone_and_with_what_they_call() -> None:
    overlay = lay_over(small_graph(), [time("a", 2, 2), time("b", 4, 3), time("7", 1, 1)])
    lines = {(line.file, line.line): (line.seconds, line.total) for line in sum_lines(overlay)}
    assert lines == {("f.py", 3): (5.0, 5.0), ("f.py", 9): (0.0, 3.0), ("", 0): (1.0, 1.0)}


def node_times(*times: NodeTime, runs: int, covered: float) -> NodeTimes:
    return NodeTimes("optimized", times, runs, covered, covered, covered, "How.")


def test_shares_of_lines_add_up_to_all_work_even_of_several_threads() -> None:
    times = time("a", 4, 4), time("b", 4, 4), time("7", 1, 1), time("elsewhere", 1, 1)
    side = node_times(*times, runs=30, covered=6.0)
    shares = line_shares(lay_over(small_graph(), side.times), side)
    assert sum(share for _, share in shares) == pytest.approx(1.0)
    assert [(describe_profile_place(line), round(share, 2)) for line, share in shares] == [
        ("f.py:3", 0.8),
        ("no known line", 0.1),
        ("f.py:9", 0.0),
        ("not in the program that is shown", 0.1),
    ]
    assert describe_overlap(side).startswith("10.0 s of work in 6.00 s: several threads")
    assert not describe_overlap(node_times(*times, runs=30, covered=10.0))


def test_one_run_has_no_range() -> None:
    assert describe_observed_times(time("a", 4, 4), 1) == "one run"
    assert describe_observed_times(time("a", 4, 4), 2) == "4.00 s to 4.00 s"


def test_every_instruction_that_was_seen_is_one_of_the_captured_program(
    session: Session, file: str, profile: Callable[..., Profile]
) -> None:
    call = "outer(f32[64, 64], f32[64, 64])"
    found, captured = profile(call), capture(session, file, call)
    compiled = found.compiled
    assert isinstance(compiled, NodeTimes)
    overlay = overlay_stage(captured.stages, compiled)
    assert overlay is not None
    assert overlay.unmatched == ()
    assert overlay.times
    assert compiled.covered <= compiled.wall
    assert compiled.coverage + compiled.gaps / compiled.wall == pytest.approx(1.0)
    lines = {os.path.basename(line.file): line.line for line in sum_lines(overlay) if line.line}
    assert "programs.py" in lines


def test_a_loop_body_is_counted_as_often_as_it_runs(
    profile: Callable[..., Profile],
) -> None:
    compiled = profile("loop(f32[32, 32], f32[32, 32])", skip_eager=True).compiled
    assert isinstance(compiled, NodeTimes)
    assert max(time.count for time in compiled.times) >= 40
    for time in compiled.times:
        assert 0 <= time.exclusive <= time.seconds
        assert time.low <= time.seconds <= time.high


@pytest.mark.slow
def test_equations_have_the_ids_of_the_jaxpr(
    session: Session, file: str, profile: Callable[..., Profile]
) -> None:
    call = "outer(f32[8, 8], f32[8, 8])"
    eager = profile(call).eager
    assert isinstance(eager, NodeTimes)
    overlay = overlay_stage(capture(session, file, call).stages, eager)
    assert overlay is not None
    assert overlay.unmatched == ()
    operations = [overlay.graph.string(overlay.graph.nodes.operation, i) for i in overlay.nodes]
    assert operations.count("dot_general") == 3


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "call", ["grad(outer)(f32[8, 8], f32[8, 8])", "vmap(jitted)(f32[4, 8])", "jitted(f32[8])"]
)
def test_transformed_and_jitted_calls_have_equations_too(
    session: Session, file: str, profile: Callable[..., Profile], call: str
) -> None:
    eager = profile(call).eager
    assert isinstance(eager, NodeTimes)
    overlay = overlay_stage(capture(session, file, call).stages, eager)
    assert overlay is not None
    assert overlay.unmatched == ()


def test_stages_of_a_capture_get_the_times(
    session: Session, file: str, profile: Callable[..., Profile]
) -> None:
    call = "outer(f32[8, 8], f32[8, 8])"
    stages = time_stages(capture(session, file, call).stages, profile(call))
    timed = {s.name for s in stages if is_available(s.graph) and any(s.graph.nodes.seconds > 0)}
    assert timed == {"jaxpr", "optimized"}


@pytest.mark.slow
def test_a_share_says_of_which_run_it_is(
    session: Session, file: str, profile: Callable[..., Profile]
) -> None:
    """Recording may make a run many times as long."""
    call = "outer(f32[8, 8], f32[8, 8])"
    overlay = ProfileOverlay(profile(call), capture(session, file, call))
    first = profile_to_document(overlay)[0].blocks[0]
    assert re.search(r", (<1|\d+)% of a recorded run \(observed ", str(first))


def test_a_program_without_equations_has_no_times_of_any(profile: Callable[..., Profile]) -> None:
    eager = profile("same(f32[8])").eager
    assert isinstance(eager, Unavailable) and eager.reason == "The program has no equation."


def test_nothing_is_profiled_where_nothing_runs(session: Session, file: str) -> None:
    request = ProfileRequest(file, "jitted(f32[8])", target="aot:tpu:v5e:2x2")
    with pytest.raises(EnvironmentProblem):
        session.start(request).wait()


def scale(session: Session, file: str, call: str, vary: str, *sizes: int) -> Scaling:
    request = ScalingRequest(file, call, vary=vary, sizes=sizes, budget_s=0.1)
    result = session.start(request).wait()
    assert isinstance(result, Scaling)
    return result


def test_work_grows_with_the_argument_that_is_varied(session: Session, file: str) -> None:
    found = scale(session, file, "jitted(f32[8])", "x:0", 64, 128, 256, 512)
    assert [point.size for point in found.points] == [64, 128, 256, 512]
    for point in found.points:
        assert point.eager is not None
        assert point.jit is not None
        assert point.compile > 0
    flops = next(slope for slope in found.slopes if slope.quantity == "flops")
    assert flops.slope == pytest.approx(1.0)


@pytest.mark.slow
def test_a_name_in_the_call_can_be_varied(session: Session, file: str) -> None:
    # One multiplication: of several with the same number, some releases of XLA make one.
    found = scale(session, file, "sizes(f32[n], 1)", "n", 10, 20, 40)
    assert [point.flops for point in found.points] == [10.0, 20.0, 40.0]


def test_a_size_that_fails_keeps_the_others_and_says_why(session: Session, file: str) -> None:
    found = scale(session, file, "small_only(f32[2])", "x:0", 2, 4, 8)
    assert [bool(point.reason) for point in found.points] == [False, False, True]
    assert "too large for me" in found.points[2].reason
    assert found.points[2].jit is None


@pytest.mark.parametrize("vary", ["y:0", "x:3", "x:"])
def test_a_dimension_that_is_not_there_is_explained(session: Session, file: str, vary: str) -> None:
    with pytest.raises(CallError) as raised:
        scale(session, file, "small_only(f32[2])", vary, 2, 4)
    assert raised.value.explanation.remedy


@pytest.mark.parametrize("call", ["small_only(f32[2])", "(lambda x: small_only(x))(f32[2])"])
def test_a_name_that_the_call_does_not_use_is_not_varied(
    session: Session, file: str, call: str
) -> None:
    with pytest.raises(CallError, match="uses no name x: it would be the same at every size"):
        scale(session, file, call, "x", 2, 4)
