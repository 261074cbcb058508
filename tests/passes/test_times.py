"""How long passes took: what XLA's recorder noted, matched with what XLA wrote down."""

from __future__ import annotations

import math

import pytest

from jaxscope.model import Capture
from jaxscope.worker.stages.passes import DumpedModule, PassWatch, Span, match_seconds
from tests.fates import programs
from tests.fates.programs import X, capture_passes

# Two rounds of one pipeline inside of a pass of its name, as XLA repeats passes until none changes
# anything: nanoseconds on one thread, indented by what runs inside of what.
TRACE = """
0 1000 all (jit_f)
  10 20 RunInvariantCheckers
  100 500 simplify
    110 200 simplify (jit_f)
      120 30 algsimp
      150 7 cse
      160 40 algsimp
    320 200 simplify (jit_f)
      330 5 algsimp
      340 6 cse
      350 8 algsimp
  700 50 fusion pass
"""


def spans(text: str) -> list[Span]:
    rows = [line.split(maxsplit=2) for line in text.strip().splitlines()]
    return [Span("thread 1", name, float(start), float(length)) for start, length, name in rows]


def nanoseconds(steps: list[DumpedModule], text: str = TRACE) -> list[float]:
    return [round(seconds * 1e9, 3) for seconds in match_seconds(steps, spans(text))]


START = DumpedModule("simplify", "pipeline-start", "algsimp")


def test_a_pass_is_found_in_its_round_by_its_neighbours() -> None:
    steps = [
        DumpedModule("all", "pipeline-start", "simplify"),
        START,
        DumpedModule("simplify", "algsimp", "pipeline-end"),
        START,
        DumpedModule("simplify", "algsimp", "cse"),
        DumpedModule("simplify", "algsimp", "pipeline-end"),
        DumpedModule("all", "simplify", "fusion_pass"),
        DumpedModule("all", "fusion_pass", "pipeline-end"),
    ]
    found = nanoseconds(steps)
    assert [found[n] for n in (2, 4, 5, 6, 7)] == [40, 5, 8, 500, 50]
    assert all(math.isnan(found[n]) for n in (0, 1, 3))


def test_a_pipeline_that_was_written_down_more_often_stays_unknown() -> None:
    steps = [START, DumpedModule("simplify", "cse"), START, START]
    assert all(map(math.isnan, nanoseconds(steps)))


def test_a_pass_that_is_not_where_its_neighbours_say_stays_unknown() -> None:
    steps = [START, DumpedModule("simplify", "cse", "dce"), START, DumpedModule("simplify", "gone")]
    assert all(map(math.isnan, nanoseconds(steps)))


def test_a_compilation_runs_even_if_it_cannot_be_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(level: int) -> None:
        raise RuntimeError("another one is on")

    monkeypatch.setattr("jaxscope.worker.compat.start_recording", refuse)
    watch = PassWatch(is_wanted=True)
    assert watch.around(lambda x: x + 1)(2) == 3
    assert watch.reason == "XLA's recorder noted no passes: it could not start (RuntimeError)."


@pytest.fixture(scope="module")
def repeated() -> Capture:
    return capture_passes(programs.repeat, X)


def test_real_passes_have_seconds(repeated: Capture) -> None:
    known = {record.name: record.seconds for record in repeated.passes}
    optimized = repeated.stage("optimized")
    assert optimized is not None and isinstance(optimized.seconds, float)
    assert 0 < known["cse"] < optimized.seconds
    assert 0 < known["fusion"] < optimized.seconds


def test_peak_memory_is_known_once_the_order_is_fixed(repeated: Capture) -> None:
    *before, compiled = repeated.passes
    assert compiled.name == "as compiled"
    known = [not math.isnan(record.peak_bytes) for record in before]
    assert known == sorted(known) and not known[0]
    assert compiled.peak_bytes == 2 * X.nbytes  # one array in, one out
