"""What Python does while JAX traces, against a trace function of Python's and against JAX alone."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

from jaxscope.cli import main
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import CaptureRequest, TraceLinesRequest
from jaxscope.client.session import Session
from jaxscope.model import Capture
from jaxscope.model.capture import graph_named
from jaxscope.model.stages import lowered_name
from jaxscope.model.tracing import RecordedEquation, TracedLine, Tracing
from jaxscope.report.tracing import (
    describe_doing,
    describe_line,
    describe_python,
    describe_reruns,
    line_rows,
    tracing_to_document,
)
from jaxscope.worker.values.tracing import LineRecorder, _TooLong

PROGRAM = """import random
import jax, jax.numpy as jnp, numpy as np
from jax import lax

log = []
scale = np.ones(3, np.float32)


@jax.jit
def inner(x):
    y = x * 2
    return y + 1


def helper(x, n):
    for i in range(n):
        x = x + i
    return x


def body(c, x):
    print("in the body")
    return c + x, c * x


def everything(x):
    print("tracing", x)
    log.append(1)
    if x.shape[0] > 2:
        y = x * scale
    else:
        y = x
    y = helper(y, 3) * 2
    z = inner(y) + inner(y)
    total, _ = lax.scan(body, 0.0, z)
    return total


def branches(x):
    if x.ndim == 2:
        return x
    elif (
        x.ndim == 1
        and x.shape[0] == 3
    ):
        x = -x
    while x.ndim < 3:
        x = x[None]
    if x.ndim > 7:
        x = x[0]
    return lax.cond(x[0, 0, 0] > 0, lambda v: v * 2, lambda v: v - 1, x)


def generated(x):
    def squares():
        for i in range(2):
            yield x ** (i + 2)
    return sum(squares()) + sum([x * i for i in range(2)])


def fails(x):
    y = jnp.where(x > 0, x, 0.0)
    if y[0] > 0:
        return y
    return x


def endless(x):
    while True:
        x = x + 1


def called_back(x):
    def host(v):
        return np.sin(v)
    return jax.pure_callback(host, x, x)
"""

PLAIN = """import json, sys
import jax
file, name, transform = sys.argv[1:]
names = {"__name__": "program"}
exec(compile(open(file).read(), file, "exec"), names)
function = getattr(jax, transform)(names[name]) if transform else names[name]
lines = []

def on_call(frame, event, argument):
    return on_line if frame.f_code.co_filename == file else None

def on_line(frame, event, argument):
    if event == "line":
        lines.append(frame.f_lineno)
    return on_line

sys.stdout = sys.stderr
x = jax.numpy.arange(3.0)
sys.settrace(on_call)
jax.jit(function).trace(x)
sys.settrace(None)

equations = []

def visit(jaxpr, prefix, seen):
    for number, equation in enumerate(jaxpr.eqns):
        frames = [f for f in equation.source_info.traceback.frames if f.file_name == file]
        line = frames[0].line_num if frames else 0
        equations.append([f"{prefix}{number}", equation.primitive.name, line])
        for key, value in equation.params.items():
            several = isinstance(value, (tuple, list))
            for n, each in enumerate(value if several else [value]):
                inner = getattr(each, "jaxpr", each)
                if hasattr(inner, "eqns") and id(inner) not in seen:
                    seen.add(id(inner))
                    place = f"{key}.{n}" if several else key
                    visit(inner, f"{prefix}{number}/{place}/", seen)

visit(jax.make_jaxpr(function)(x).jaxpr, "", set())
print(json.dumps([lines, equations]), file=sys.__stdout__)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tracing") / "program.py"
    path.write_text(PROGRAM)
    return str(path)


def trace(program: str, call: str) -> Tracing:
    return ask(TraceLinesRequest(program, call), Tracing)


@pytest.fixture(scope="module")
def everything(program: str) -> Tracing:
    return trace(program, "everything(f32[3])")


def begun(tracing: Tracing) -> list[TracedLine]:
    return [line for line in tracing.lines if line.line and not line.is_resumed]


def python_of(tracing: Tracing, line: int) -> list[str]:
    """What is said of each time that a line began."""
    lines = tracing.lines
    return [
        describe_python(lines, number)
        for number, each in enumerate(lines)
        if each.line == line and not each.is_resumed
    ]


def line_of(text: str) -> int:
    """Number of the line of the program with a text."""
    return next(n for n, line in enumerate(PROGRAM.split("\n"), 1) if line.strip() == text)


@pytest.mark.parametrize(
    ("name", "transform"),
    [
        ("everything", ""),
        ("everything", "grad"),
        ("branches", ""),
        ("generated", ""),
        ("generated", "vmap"),
    ],
)
@pytest.mark.slow
def test_lines_and_equations_are_those_of_jax_alone(
    program: str, name: str, transform: str
) -> None:
    argument = "f32[3, 3]" if transform == "vmap" else "f32[3]"
    call = f"{transform}({name})({argument})" if transform else f"{name}({argument})"
    tracing = trace(program, call)
    plain = [sys.executable, "-c", PLAIN, program, name, transform]
    shown = subprocess.run(plain, capture_output=True, text=True, check=True).stdout
    lines, equations = json.loads(shown)
    assert [line.line for line in begun(tracing)] == lines
    found = {e.id: (e.operation, line.line) for line in tracing.lines for e in line.equations}
    assert {id: word for id, (word, _) in found.items()} == {id: w for id, w, _ in equations}
    assert tracing.num_equations == len(equations) and not tracing.num_unplaced
    if not transform:  # else JAX makes some when the line is over
        assert found == {id: (word, line) for id, word, line in equations}


def test_it_is_said_what_tracing_left_out(everything: Tracing) -> None:
    (printed,) = python_of(everything, line_of('print("tracing", x)'))
    assert "print" in printed and "the compiled program does not do it" in printed
    (appended,) = python_of(everything, line_of("log.append(1)"))
    assert "global `log` was changed" in appended
    (decided,) = python_of(everything, line_of("if x.shape[0] > 2:"))
    assert decided.startswith("Python decides now: true.")
    rounds = python_of(everything, line_of("for i in range(n):"))
    assert [told.split(":")[0] for told in rounds] == [
        *(f"Round {n} of 3 of a loop of Python's." for n in (1, 2, 3)),
        "The loop is over",
    ]
    assert "3 rounds added 3 equations" in rounds[-1]
    (called,) = python_of(everything, line_of("y = helper(y, 3) * 2"))
    assert called == "helper is called."
    (scanned,) = python_of(everything, line_of("total, _ = lax.scan(body, 0.0, z)"))
    assert scanned == "JAX calls body, to trace it by itself."
    (in_body,) = python_of(everything, line_of('print("in the body")'))
    assert in_body.endswith("It goes into the jaxpr of body.")


def test_a_line_goes_on_when_what_it_called_has_ended(everything: Tracing) -> None:
    number = line_of("y = helper(y, 3) * 2")
    resumed = [e for e in everything.lines if e.line == number and e.is_resumed]
    assert [[e.operation for e in line.equations] for line in resumed] == [["mul"]]


def test_a_jitted_function_is_traced_once(everything: Tracing) -> None:
    assert len(python_of(everything, line_of("y = x * 2"))) == 1
    number = line_of("z = inner(y) + inner(y)")
    (made,) = (e for e in everything.lines if e.line == number and e.is_resumed)
    assert [e.is_shared for e in made.equations] == [False, True, False]
    told = describe_python(everything.lines, everything.lines.index(made))
    assert "its Python does not run again" in told


def test_further_calls_run_no_python(everything: Tracing) -> None:
    assert everything.reruns == (0, 0) and not everything.no_reruns
    (first, *_) = tracing_to_document(everything)
    assert "jit ran no line of this Python: only the compiled program" in str(first.blocks[0])


def test_branches_that_python_takes(program: str) -> None:
    tracing = trace(program, "branches(f32[3])")
    assert [
        (line.line, line.outcome, line.round) for line in begun(tracing) if line.statement == "if"
    ] == [
        (line_of("if x.ndim == 2:"), "else", 0),
        (line_of("x.ndim == 1"), "body", 0),
        (line_of("if x.ndim > 7:"), "past", 0),
    ]
    loop = [
        (line.outcome, line.round, line.num_rounds)
        for line in begun(tracing)
        if line.statement == "while"
    ]
    assert loop == [("round", 1, 2), ("round", 2, 2), ("over", 2, 2)]


def test_what_jax_adds_to_a_gradient_has_no_line(program: str) -> None:
    tracing = trace(program, "grad(everything)(f32[3])")
    last = tracing.lines[-1]
    assert not last.line and last.equations
    assert describe_python(tracing.lines, len(tracing.lines) - 1).startswith("No line of Python")
    assert "no line of Python" in describe_line(tracing, len(tracing.lines) - 1)


def test_a_trace_that_fails_tells_its_lines(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["values", program, "fails(f32[3])", "--tracing", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [line["line"] for line in found["lines"]][-1] == line_of("if y[0] > 0:")
    assert "asks for the value of a traced array" in found["failure"]
    assert [e["operation"] for e in found["lines"][0]["equations"]] == ["gt", "jit"]
    assert found["no_reruns"] == "There is nothing to call."


def test_the_command_tells_it(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["values", program, "everything(f32[3])", "--tracing", "--all"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("The trace is done: 15 equations.")
    assert "in the jaxpr" in text and 'print("tracing", x)' in text


def test_a_loop_without_end_is_stopped(program: str) -> None:
    with Session() as session:
        run = None

        def on_event(event: object) -> None:
            if run is not None and getattr(event, "can_skip", False):
                run.skip()

        run = session.start(TraceLinesRequest(program, "endless(f32[3])"), on_event)
        tracing = run.wait()
    assert isinstance(tracing, Tracing) and tracing.failure == "It was stopped."


def test_what_a_program_calls_back_is_no_tracing(program: str) -> None:
    tracing = trace(program, "called_back(f32[3])")
    assert tracing.calls_back and tracing.reruns == (1, 1)
    assert "functions that the program calls back" in str(tracing_to_document(tracing)[0].blocks)


def test_a_trace_function_of_the_file_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "traced.py"
    path.write_text(
        "import sys\nseen = []\ndef hook(frame, event, argument):\n"
        "    if frame.f_code.co_name == 'f' and event == 'line': seen.append(frame.f_lineno)\n"
        "    return hook\nsys.settrace(hook)\n"
        "def f(x):\n    y = x + 1\n    return y * 2\n"
        "def told(x):\n    y = f(x)\n    print('seen', seen)\n    return y\n"
    )
    tracing = ask(TraceLinesRequest(str(path), "told(f32[3])"), Tracing, None)
    assert [line.line for line in begun(tracing) if line.function == "f"] == [8, 9]
    assert not tracing.warnings


SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("file", "call"),
    [
        ("quick_start.py", "simple_graph(f32[3])"),
        ("quick_start.py", "grad(simple_graph)(f32[3])"),
        ("quick_start.py", "jit(simple_graph)(f32[3])"),
        pytest.param("transformer.py", "", marks=pytest.mark.slow),
        pytest.param("higher_order.py", "", marks=pytest.mark.slow),
        pytest.param("control_flow.py", "", marks=pytest.mark.slow),
        pytest.param("flax_modules.py", "", marks=pytest.mark.slow),
        pytest.param("custom_rules.py", "", marks=pytest.mark.slow),
    ],
)
def test_equations_have_the_ids_of_the_capture(file: str, call: str) -> None:
    path = str(SAMPLES / file)
    tracing = ask(TraceLinesRequest(path, call or None), Tracing)
    capture = ask(CaptureRequest(path, tracing.call), Capture)
    graph = graph_named(capture.stages, lowered_name(s.name for s in capture.stages))
    assert graph is not None and tracing.stage == lowered_name(s.name for s in capture.stages)
    for line in tracing.lines:
        for each in line.equations:
            node = graph.node(graph.index_by_id[each.id])
            assert node.operation == each.operation
    assert not tracing.num_unplaced


def test_a_choice_of_pythons_is_told_apart_from_one_that_the_jaxpr_holds(tmp_path: Path) -> None:
    path = tmp_path / "both.py"
    path.write_text(
        "import jax.numpy as jnp\nfrom jax import lax\n\n\ndef f(x):\n"
        "    for _ in range(2):\n"
        "        x = lax.scan(lambda c, _: (c + x.sum(), c), 0.0, None, 3)[1]\n"
        "    if x.ndim == 1:\n"
        "        x = lax.cond(x[0] > 0, jnp.sin, jnp.cos, x)\n"
        "    return x\n"
    )
    tracing = trace(str(path), "f(f32[3])")
    operations = [each.operation for line in tracing.lines for each in line.equations]
    assert operations.count("scan") == 2 and operations.count("cond") == 1
    over = next(line for line in tracing.lines if line.outcome == "over")
    chosen = next(line for line in tracing.lines if line.statement == "if")
    assert over.round == 2
    for line in (over, chosen):
        told = describe_python(tracing.lines, tracing.lines.index(line))
        assert told.endswith(
            ("These are in the jaxpr, the loop is not.", "The choice is not in the jaxpr.")
        )


@pytest.mark.parametrize(
    ("count", "adds", "over"),
    [
        (0, "", "The loop is over: 1 round added no equation."),
        (
            *(1, "Adds 1 equation: mul (0)."),
            "The loop is over: 1 round added 1 equation. It is in the jaxpr, the loop is not.",
        ),
        (
            *(2, "Adds 2 equations: mul (0), mul (1)."),
            "The loop is over: 1 round added 2 equations. These are in the jaxpr, the loop is not.",
        ),
    ],
)
def test_none_one_and_many_equations_are_counted_as_one_speaks(
    everything: Tracing, count: int, adds: str, over: str
) -> None:
    equations = tuple(RecordedEquation(str(n), "mul", "f32[]") for n in range(count))
    lines = (
        TracedLine("a.py", 1, statement="for", outcome="round", round=1, num_rounds=1),
        TracedLine("a.py", 2, equations=equations),
        TracedLine("a.py", 1, statement="for", outcome="over", round=1),
    )
    tracing = dataclasses.replace(everything, lines=lines)
    assert describe_python(lines, 2) == over
    assert all(row[-1] for row in line_rows(tracing)), "no cell is empty"
    if count:
        assert describe_doing(tracing, 1) == adds
    once = dataclasses.replace(tracing, calls_back=True, reruns=(1,), no_reruns="")
    assert describe_reruns(once).partition(" with ")[0] == "Called 1 time"
    assert "ran 1 line of this Python" in describe_reruns(once)


def test_a_program_that_calls_back_may_run_python_elsewhere(everything: Tracing) -> None:
    tracing = dataclasses.replace(everything, calls_back=True)
    assert describe_reruns(tracing).endswith("in its own thread; it calls functions back.")
    assert describe_reruns(dataclasses.replace(tracing, calls_back=False)).endswith(
        "no line of this Python: only the compiled program."
    )


def test_more_lines_than_are_kept_are_counted_and_too_long_a_trace_ends() -> None:
    def run() -> int:
        total = 0
        for number in range(10):
            total += number
        return total

    recorder = LineRecorder(most=5)
    with recorder.recording():
        run()
    assert len(recorder.lines) == 5 and recorder.is_full
    assert recorder.num_lines >= 2 * 10 + 3, "head and body of ten rounds, and three lines"
    with pytest.raises(_TooLong) as ended, LineRecorder(budget_s=-1).recording():
        run()
    assert not isinstance(ended.value, Exception), "`except Exception` does not catch it"
