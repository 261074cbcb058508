"""Where compile time went: parts that make up the whole, and what is planted is found."""

from __future__ import annotations

import dataclasses
import json
import math
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from cli.commands import CommandLine
from jaxscope.client.requests import CompileTimeRequest
from jaxscope.client.session import Session
from jaxscope.errors import TraceError
from jaxscope.export.figures import compile_chart
from jaxscope.model.experiments import CompileLine, CompileSpan, CompileTime
from jaxscope.report.measurement_documents import compile_lines_table, costly_parts
from jaxscope.schema.archive import decode_lab, encode_lab
from jaxscope.worker.stages.passes import Span
from jaxscope.worker.timing import compile_time
from jaxscope.worker.timing.compile_time import StackSampler, TimePart, count_equations, flatten

PROGRAM = """\
import jax, jax.numpy as jnp
import numpy as np

TABLE = np.random.default_rng(0).random((900, 900), np.float32)


def rounds(number, w, x):
    for _ in range(number):
        x = jnp.tanh(w @ x)
        x = x - x.mean()
    return x


def constant(x):
    square = jnp.dot(TABLE, TABLE)
    return square @ x


def slow(x):
    return late(x) + 1


def late(x):
    end = __import__("time").perf_counter() + 0.3
    while __import__("time").perf_counter() < end:
        pass
    return x * 2


def refused(x):
    raise ValueError("not today")


def step(w, x):
    return rounds(210, w, x)


def short(w, x):
    return rounds(200, w, x)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compile_time") / "program.py"
    path.write_text(PROGRAM)
    return path


def measure(session: Session, program: Path, call: str) -> CompileTime:
    found = session.start(CompileTimeRequest(str(program), call)).wait()
    assert isinstance(found, CompileTime), found
    return found


@pytest.fixture(scope="module")
def unrolled(session: Session, program: Path) -> CompileTime:
    return measure(session, program, "step(f32[32, 32], f32[32])")


@pytest.fixture(scope="module")
def session() -> Any:
    with Session(is_warm=False, has_spares=False) as session:
        yield session


def assert_adds_up(found: CompileTime) -> None:
    inside: dict[int, float] = {}
    for span in found.spans:
        inside[span.parent] = inside.get(span.parent, 0.0) + span.seconds
    for parent, seconds in inside.items():
        whole = found.seconds if parent < 0 else found.spans[parent].seconds
        assert seconds == pytest.approx(whole, rel=1e-6, abs=1e-6)


def test_parts_make_up_the_whole(unrolled: CompileTime) -> None:
    stages = [span for span in unrolled.spans if span.parent < 0]
    assert [span.name for span in stages] == ["trace", "lower", "compile"]
    assert_adds_up(unrolled)
    assert math.fsum(s.seconds for s in costly_parts(unrolled)) == pytest.approx(unrolled.seconds)
    assert "trace" in stages_of_lines(unrolled) <= {"trace", "lower"}
    compiled = [n for n, s in enumerate(unrolled.spans) if s.name == "XLA"]
    assert compiled and unrolled.spans[compiled[0]].kind == "pass"


def stages_of_lines(found: CompileTime) -> set[str]:
    lines = [span.name for span in costly_parts(found) if span.kind == "line"]
    return {name.partition(", ")[0] for name in lines}


def test_a_line_that_takes_time_of_lowering_is_told_apart(unrolled: CompileTime) -> None:
    """Whether one does depends on the machine: here the lines of tracing are put there."""
    names = [span.name if span.parent < 0 else "" for span in unrolled.spans]
    spans = tuple(
        dataclasses.replace(span, parent=names.index("lower")) if span.kind == "line" else span
        for span in unrolled.spans
    )
    assert stages_of_lines(dataclasses.replace(unrolled, spans=spans)) == {"lower"}


def test_an_unrolled_loop_is_told_with_its_line(unrolled: CompileTime) -> None:
    (advice,) = unrolled.advice
    assert "loop of line 8 was unrolled: 210 rounds" in advice and "jax.lax.scan" in advice
    # tanh and the product, each 420 times; the mean and what takes it away
    by_line = {line.line: line.equations for line in unrolled.lines}
    assert (by_line[9], by_line[10]) == (420, 630) and unrolled.num_equations == 1050


def middle(x: jax.Array) -> jax.Array:
    return jnp.median(x) + jnp.sort(x)


def test_what_functions_of_jax_do_is_made_by_the_line_that_calls_them() -> None:
    jaxpr = jax.make_jaxpr(lambda x: jax.lax.map(middle, x))(jnp.ones((3, 8)))
    counts = count_equations(jaxpr)
    line = middle.__code__.co_firstlineno + 1
    around = middle.__code__.co_firstlineno + 5
    assert {number for _, number in counts} == {line, around}
    bodies = {id(jaxpr.jaxpr): jaxpr.jaxpr}
    for _ in range(4):  # deeper than they are nested
        values = [value for b in bodies.values() for e in b.eqns for value in e.params.values()]
        values = [getattr(each, "jaxpr", each) for each in jax.tree.leaves(values)]
        bodies |= {id(each): each for each in values if hasattr(each, "eqns")}
    assert sum(counts.values()) == sum(len(body.eqns) for body in bodies.values()) > 20
    assert counts[__file__, around] == 1, "the loop"


def test_a_constant_that_xla_computes_is_told_with_its_line(
    session: Session, program: Path
) -> None:
    found = measure(session, program, "constant(f32[900])")
    assert_adds_up(found)
    (advice,) = found.advice
    assert "constant_folding" in advice and "Line 15 of program.py makes most of" in advice
    parts = [span.name for span in costly_parts(found)]
    assert any("constant_folding" in name for name in parts[:3]), parts


def test_python_that_takes_long_is_told_by_its_line(session: Session, program: Path) -> None:
    found = measure(session, program, "slow(f32[3])")
    assert_adds_up(found)
    line = found.lines[0]
    assert line.line in (25, 26) and line.file == str(program)
    stack = []
    number = next(n for n, s in enumerate(found.spans) if s.line in (25, 26))
    while number >= 0:
        stack.append(found.spans[number].name)
        number = found.spans[number].parent
    assert stack[1:] == ["slow line 20", "trace"]


def test_what_cannot_be_traced_fails_as_always(session: Session, program: Path) -> None:
    with pytest.raises(TraceError, match="not today"):
        session.start(CompileTimeRequest(str(program), "refused(f32[3])")).wait()


def test_it_is_not_longer_than_jax_says_and_what_jax_says_is_within() -> None:
    """JAX's own measure of compiling is a part of ours."""
    said: list[float] = []

    def listen(event: str, duration_secs: float, **_details: object) -> None:
        if event == "/jax/core/compile/backend_compile_duration":
            said.append(duration_secs)

    lowered = jax.jit(lambda x: jax.numpy.sin(x) @ x).lower(jax.numpy.ones((8, 8)))
    jax.monitoring.register_event_duration_secs_listener(listen)
    seconds, spans, problem = compile_time._compile(lowered)
    assert not problem and spans
    (told,) = said
    assert told <= seconds
    inner = compile_time._part_of_spans(seconds, spans).parts[0].seconds
    assert inner <= told


def test_time_of_other_threads_is_shared_among_them() -> None:
    spans = [
        Span("host/compiler", "PjRtCpuClient::Compile", 0, 100),
        Span("host/compiler", "pass", 10, 20),
        Span("host/compiler", "JitCompiler::Compile", 40, 60),
        Span("host/codegen/1", "TaskDispatcher::dispatch", 35, 25),
        Span("host/codegen/2", "TaskDispatcher::dispatch", 50, 20),
        Span("host/codegen/2", "FusionCompiler::Compile", 75, 10),
        Span("host/python", "backend_compile_and_load", 0, 120),
    ]
    whole = compile_time._part_of_spans(130e-9, spans)
    (xla,) = whole.parts
    parts = {part.name: part.seconds * 1e9 for part in xla.parts}
    assert parts == pytest.approx(
        {
            "other threads: LLVM: machine code of a part": 5,
            "pass": 20,
            "waiting for machine code": 60,
        }
    )
    waiting = next(part for part in xla.parts if part.name == "waiting for machine code")
    assert {part.name: round(part.seconds * 1e9) for part in waiting.parts} == {
        "other threads: LLVM: machine code of a part": 30,
        "other threads: MLIR and LLVM IR of a kernel": 10,
    }
    flat = flatten([whole], 130e-9)
    rest = [s for s in flat if s.name == "not attributed" and flat[s.parent].name == xla.name]
    assert [round(span.seconds * 1e9) for span in rest] == [15]


def test_a_compilation_on_the_thread_of_python_is_found() -> None:
    """As since JAX 0.12."""
    spans = [
        Span("host/python", "backend_compile_and_load", 0, 100),
        Span("host/python", "CompileCpuExecutable", 5, 90),
        Span("host/python", "Codegen", 20, 60),
        *(Span("host/codegen/1", "TaskDispatcher::dispatch", at, 19) for at in (0, 20, 40, 60, 80)),
        *(Span("host/codegen/2", "TaskDispatcher::dispatch", at, 19) for at in (0, 20, 40, 60, 80)),
    ]
    whole = compile_time._part_of_spans(100e-9, spans)
    names = [whole.name]
    while whole.parts:
        whole = max(whole.parts, key=lambda part: part.seconds)
        names.append(whole.name)
    told = "other threads: LLVM: machine code of a part"
    assert names == ["compile", "JAX and XLA", "XLA", "Codegen", told]
    assert round(whole.seconds * 1e9) == 57


def test_one_small_part_keeps_its_name_and_kind() -> None:
    parts = [TimePart("large", "pass", 0.9), TimePart("f line 3", "line", 0.001, "f.py", 3)]
    flat = flatten([TimePart("trace", "stage", 1.0, parts=parts)], 1.0)
    assert [(span.name, span.kind, span.line) for span in flat[:3]] == [
        ("trace", "stage", 0), ("large", "pass", 0), ("f line 3", "line", 3),
    ]  # fmt: skip


def test_small_parts_are_joined() -> None:
    parts = [TimePart(f"p{number}", "pass", 0.001) for number in range(100)]
    flat = flatten(
        [TimePart("compile", "stage", 1.0, parts=[TimePart("large", "pass", 0.5), *parts])], 1.0
    )
    assert [span.name for span in flat] == ["compile", "large", "100 smaller", "not attributed"]
    assert [round(span.seconds, 6) for span in flat] == [1.0, 0.5, 0.1, 0.4]


def test_a_frame_between_two_lines_is_of_the_first_line_of_its_function() -> None:
    """Python has no number for it then."""
    code = SimpleNamespace(co_filename="/home/me/model.py", co_firstlineno=7, co_name="loss")
    frame: Any = SimpleNamespace(f_code=code, f_lineno=None, f_back=None)
    assert compile_time.read_user_stack(frame) == (("/home/me/model.py", 7, "loss"),)


def test_a_sampler_counts_all_of_the_time_but_the_ends() -> None:
    with StackSampler(lambda frame: (("f", 1, "f"),)) as sampler:
        time.sleep(0.1)
    total = sum(sampler.found.values())
    assert 0 < total <= sampler.seconds and sampler.count >= 1
    assert not any(thread.name == "jaxscope sampler" for thread in threading.enumerate())


def test_a_chip_that_is_not_there_is_compiled_for(session: Session, program: Path) -> None:
    pytest.importorskip("libtpu")
    request = CompileTimeRequest(str(program), "short(f32[32, 32], f32[32])", "aot:tpu:v5e:1x1")
    found = session.start(request).wait()
    assert isinstance(found, CompileTime) and found.seconds > 0
    assert_adds_up(found)


@pytest.mark.slow
def test_figure_and_answer(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "compile.json"
    jaxscope, call = CommandLine(capsys), "short(f32[32, 32], f32[32])"
    done = jaxscope("figure", "compile-time", program, call, "-o", out)
    assert "loop of line 8 was unrolled" in done.errors
    rows = json.loads(out.read_text())["rows"]
    assert [row[0] for row in rows if row[5] == "a stage"] == ["trace", "lower", "compile"]
    told = jaxscope("ask", program, call, "compile").output
    assert "in all: trace" in told and "unrolled" in told
    assert "600 of 1,000 equations are made by this line [stated, program.py:10]" in told


def test_bars_lie_within_what_they_are_in(unrolled: CompileTime) -> None:
    chart = compile_chart(unrolled)
    for bar, span in zip(chart.bars, unrolled.spans, strict=True):
        if span.parent >= 0:
            outer = chart.bars[span.parent]
            assert bar.row == outer.row + 1
            assert outer.began - 1e-9 <= bar.began and bar.ended <= outer.ended + 1e-9
    assert chart.seconds == pytest.approx(unrolled.seconds)
    (again,) = decode_lab(encode_lab([unrolled]))
    assert again.spans == unrolled.spans and again.lines == unrolled.lines


def test_a_saved_part_that_is_in_a_later_one_is_drawn_at_the_left() -> None:
    from tests.archive.test_saved_measurements import HERE

    spans = (CompileSpan("a", "pass", 7, 1.0), CompileSpan("b", "pass", 1, 1.0))
    chart = compile_chart(CompileTime("f(x)", HERE, spans, ()))
    assert [bar.row for bar in chart.bars] == [0, 0]


def test_a_look_that_is_later_than_the_end_makes_the_whole_longer() -> None:
    """The thread that looks may be between its clock and its sum when the stage ends."""
    with StackSampler(lambda _frame: ()) as sampler:
        time.sleep(0.005)
        sampler._is_over.set()
        sampler._thread.join()
        late = time.perf_counter() + 0.5
        sampler.found["late",] = late - sampler._last
        sampler._last = late
    assert sampler.seconds == pytest.approx(math.fsum(sampler.found.values()), abs=1e-9)


def test_a_line_that_no_look_met_is_not_said_to_take_no_time() -> None:
    from tests.archive.test_saved_measurements import HERE

    lines = (CompileLine("f.py", 3, 0.25, 0.0, 1),)
    table = compile_lines_table(CompileTime("f(x)", HERE, (), lines))
    assert [getattr(cell, "text", "") for cell in table.rows[0][1:3]] == ["250 ms", "not seen"]
