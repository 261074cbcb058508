"""Live ranges of compiled programs, against XLA's own allocation of the same programs."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxscope
from jaxscope.client import one_shot
from jaxscope.model import Capture, StageText, Unavailable
from jaxscope.model.capture import MemoryPlan
from jaxscope.program.memory.live_ranges import (
    LiveRanges,
    Schedule,
    find_live_ranges,
    follow_schedule,
    read_schedule,
)
from jaxscope.report.answers import Evidence, find_question
from jaxscope.report.memory import alive_table, buffer_row, describe_plan, explain_peak
from jaxscope.schema.archive import load_capture, save_capture

from .conftest import Take

ALIGNMENT = 64
"""XLA puts every buffer at a multiple of this."""

PROGRAMS = (
    "grad(loss)([f32[64, 64]] * 4, f32[256, 64])",
    "grad(scanned)(f32[6, 64, 64], f32[128, 64])",
    "looped(f32[64, 64])",
    "branching(f32[64, 64])",
)


def live_of(capture: Capture) -> LiveRanges:
    live = find_live_ranges(capture)
    assert isinstance(live, LiveRanges)
    return live


def plan_of(capture: Capture) -> MemoryPlan:
    assert isinstance(capture.memory, MemoryPlan)
    return capture.memory


@pytest.mark.parametrize("call", PROGRAMS)
def test_temporaries_are_what_xla_allocates(take: Take, call: str) -> None:
    capture = take(call)
    live, plan = live_of(capture), plan_of(capture)
    slack = ALIGNMENT * len(live.buffers)
    assert live.peak_temporary_bytes == pytest.approx(plan.temporary_bytes, abs=slack)
    assert plan.temporary_bytes > 4 * slack  # the allowance would not hide a missing matrix


@pytest.mark.parametrize("call", PROGRAMS)
def test_no_more_is_alive_than_xla_has_room_for(take: Take, call: str) -> None:
    capture = take(call)
    live = live_of(capture)
    assert live.peak_bytes <= plan_of(capture).total_bytes + ALIGNMENT * len(live.buffers)


TRAIN = """\
import jax, jax.numpy as jnp


def block(p, x):
    h = jax.nn.gelu(x @ p["a"]) @ p["b"]
    return x + h + jax.nn.softmax(x @ p["a"] @ p["b"])


def loss(ps, x):
    for p in ps:
        x = block(p, x)
    return (x**2).mean()


def init():
    return [{"a": jnp.ones((32, 64)), "b": jnp.ones((64, 32))} for _ in range(5)]


def step(ps, ms, x):
    value, g = jax.value_and_grad(loss)(ps, x)
    ms = jax.tree.map(lambda m, g: 0.9 * m + g, ms, g)
    return jax.tree.map(lambda p, m: p - 0.01 * m, ps, ms), ms, value
"""


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "call",
    [
        "step(init(), init(), f32[128, 32])",
        "jit(step, donate_argnums=(0, 1))(init(), init(), f32[128, 32])",
        "grad(loss)(init(), f32[128, 32])",
    ],
)
def test_memory_that_values_share_counts_once(tmp_path: Path, call: str) -> None:
    """XLA writes results over operands: values add up to more than it allocates."""
    path = tmp_path / "train.py"
    path.write_text(TRAIN)
    capture = one_shot.capture(str(path), call)
    plan, schedule = plan_of(capture), read_schedule(capture.stage("optimized"))
    assert plan.places and isinstance(schedule, Schedule)
    added, placed = follow_schedule(schedule), live_of(capture)
    assert added.peak_temporary_bytes > plan.temporary_bytes, "the program shows nothing otherwise"
    assert placed.peak_bytes <= plan.total_bytes
    assert placed.peak_temporary_bytes == plan.temporary_bytes
    assert "in use at a time" in explain_peak(placed, plan)
    assert "this same program" not in explain_peak(placed, plan), "both figures are the same"
    told = explain_peak(added, plan)
    assert "add up to" in told
    assert ("more than the" in told) == (added.peak_bytes > plan.total_bytes)
    saved = tmp_path / "train.jaxscope"
    save_capture(capture, saved)
    assert np.array_equal(live_of(load_capture(saved)).timeline, placed.timeline)


LAST = """
import jax

def last(xs):
    def step(carry, x):
        return 0.9 * carry + 0.1 * x, None
    return jax.lax.scan(step, 0.0, xs)[0]
"""


def test_two_figures_of_temporaries_are_said_to_be_of_the_same_program(tmp_path: Path) -> None:
    """XLA places the counters of a loop 64 bytes apart, behind the table of its state."""
    path, names = tmp_path / "last.py", dict[str, Any]()
    path.write_text(LAST)
    exec(LAST, names)
    capture = one_shot.capture(str(path), "last(f32[32])")
    live, plan = live_of(capture), plan_of(capture)
    lowered = jax.jit(names["last"]).lower(jax.ShapeDtypeStruct((32,), "float32"))
    stats = lowered.compile().memory_analysis()
    assert stats is not None and plan.temporary_bytes == stats.temp_size_in_bytes
    assert live.peak_temporary_bytes < plan.temporary_bytes, "else there is nothing to tell"
    said = f"of this same program XLA allocates {stats.temp_size_in_bytes} B."
    assert said in explain_peak(live, plan)
    evidence = Evidence(capture=capture)
    question = find_question("memory")[0]
    assert said in question.answer(evidence).text


def test_what_is_alive_at_the_peak_adds_up_to_it(take: Take) -> None:
    live = live_of(take(PROGRAMS[0]))
    alive = live.alive_at(live.peak_step)
    assert sum(buffer.num_bytes for buffer in alive) == live.peak_bytes == live.timeline.max()
    sizes = [buffer.num_bytes for buffer in alive]
    assert sizes == sorted(sizes, reverse=True)


def test_every_buffer_leads_to_a_node_and_a_line(take: Take) -> None:
    live = live_of(take(PROGRAMS[0]))
    largest = next(b for b in live.alive_at(live.peak_step) if b.kind == "temporary")
    node = live.graph.node(largest.node)
    assert node.types[largest.output] == "f32[256,64]"
    assert node.source[0].line in (12, 13)


def test_arguments_and_results_stay_to_the_end(take: Take) -> None:
    live = live_of(take(PROGRAMS[0]))
    last = len(live.steps) - 1
    kinds = {kind: [b for b in live.buffers if b.kind == kind] for kind in ("argument", "result")}
    assert {buffer.end for buffer in kinds["argument"] + kinds["result"]} == {last}
    assert {buffer.start for buffer in kinds["argument"]} == {0}
    assert sum(b.num_bytes for b in kinds["result"]) == 4 * 64 * 64 * 4


def test_a_loops_state_lies_in_one_place(take: Take) -> None:
    live = live_of(take("looped(f32[64, 64])"))
    squares = [b for b in live.buffers if b.num_bytes == 64 * 64 * 4]
    # The argument, the state that becomes the result, and the product before it is put there.
    assert sorted(b.kind for b in squares) == ["argument", "result", "temporary"]


def forward_state(capture: Capture) -> str:
    """The type of what the first loop of the compiled program carries."""
    optimized = capture.stage("optimized")
    assert optimized is not None
    assert isinstance(optimized.text, StageText)
    entry = optimized.text.text.partition("\nENTRY ")[2]
    found = re.search(r"= (\(.*\)) while\(", entry)
    assert found is not None
    return found[1]


def test_stacked_values_of_a_scan_are_written_in_place(take: Take) -> None:
    capture = take(PROGRAMS[1])
    live = live_of(capture)
    stacked = [b for b in live.buffers if b.num_bytes == 6 * 128 * 64 * 4]
    # What the forward loop keeps, once each: XLA makes one value of some of JAX's three, or not.
    assert len(stacked) == forward_state(capture).count("f32[6,128,64]") >= 2
    # The loop's state is made by the compiler; the lines are those of what the body writes.
    assert {row[-1] for row in alive_table(live, stacked).rows} == {"programs.py:20"}


def test_a_donated_argument_and_its_result_are_one_buffer(take: Take) -> None:
    donated = take("jit(step, donate_argnums=0)({'a': f32[100], 'b': f32[50]}, f32[()])")
    plain = take("jit(step)({'a': f32[100], 'b': f32[50]}, f32[()])")
    assert live_of(plain).peak_bytes - live_of(donated).peak_bytes == 600
    assert plan_of(donated).aliased_bytes == 600
    assert "(600 B of them where donated arguments were)" in describe_plan(plan_of(donated))
    assert "donated" not in describe_plan(plan_of(plain))
    assert plan_of(plain).aliased_bytes == 0


def test_a_capture_read_back_tells_the_same(take: Take, tmp_path) -> None:
    from jaxscope.schema.archive import load_capture, save_capture

    capture = take(PROGRAMS[1])
    save_capture(capture, tmp_path / "c.jaxscope")
    again = load_capture(tmp_path / "c.jaxscope")
    assert np.array_equal(live_of(again).timeline, live_of(capture).timeline)
    # As texts: what is unknown is not a number, which equals nothing.
    assert repr(again.memory) == repr(capture.memory)


def test_a_module_without_a_schedule_says_so(take: Take) -> None:
    capture = take("looped(f32[64, 64])")
    optimized = capture.stage("optimized")
    assert optimized is not None
    assert isinstance(optimized.text, StageText)
    text = dataclasses.replace(
        optimized.text, text=optimized.text.text.replace("is_scheduled=true", "x=1")
    )
    stages = tuple(
        dataclasses.replace(stage, text=text) if stage is optimized else stage
        for stage in capture.stages
    )
    found = find_live_ranges(dataclasses.replace(capture, stages=stages))
    assert found == Unavailable("The compiled program has no schedule: its order is not known.")


def test_without_a_compiled_program_there_is_a_reason(take: Take) -> None:
    found = find_live_ranges(dataclasses.replace(take("looped(f32[64, 64])"), stages=()))
    assert isinstance(found, Unavailable)


def test_a_temporary_says_in_whose_memory_it_lies() -> None:
    def normalize(x: jax.Array) -> jax.Array:
        mean = x.mean(-1, keepdims=True)
        return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-6)

    x = jnp.ones((256, 1024))
    live = live_of(jaxscope.capture(normalize, x))
    planned = jax.jit(normalize).lower(x).compile().memory_analysis().temp_size_in_bytes
    rows = [buffer for buffer in live.buffers if buffer.kind == "temporary"]
    own = [buffer.num_bytes for buffer in rows if buffer.lies_in == "temporary"]
    assert 0 < max(own) <= planned < x.nbytes, "by XLA's own account none of them is large"
    assert any(b.num_bytes == x.nbytes and b.lies_in == "result" for b in rows)
    cells = [buffer_row(live.graph, buffer)[1] for buffer in rows]
    assert set(cells) == {"temporary", "temporary in result"}
