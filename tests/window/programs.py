"""Small captures in a notation that fits on the screen, and a session that only remembers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from jaxscope.client.events import Event
from jaxscope.client.requests import Request, RunMessage
from jaxscope.model import (
    Capture,
    Cost,
    Direction,
    Environment,
    FunctionSource,
    Graph,
    GraphBuilder,
    GroupKind,
    Leaf,
    NodeKind,
    SourceFile,
    Stage,
    StageText,
)

FILE = "/home/u/model.py"
SOURCE = "import jax.numpy as jnp\n\n\ndef f(x):\n    y = jnp.sin(x)\n    return y * 2\n"
_KINDS = {
    "in": NodeKind.INPUT,
    "eqn": NodeKind.EQUATION,
    "op": NodeKind.OPERATION,
    "ins": NodeKind.INSTRUCTION,
    "out": NodeKind.OUTPUT,
}


def build_graph(program: str) -> Graph:
    """A graph from lines such as `eqn 1 mul <0 from=0 derived=2 line=6 back inside=fusion.0`.

    The words: kind, id, operation, `<` and the ids of operands, then options. `fuses` makes a
    node own a fusion group of its own name, which `inside=` refers to.
    """
    builder, nodes, groups = GraphBuilder(), dict[str, int](), dict[str, int]()
    for line in program.strip().splitlines():
        kind, name, operation, *options = line.split()
        values = dict(option.split("=", 1) for option in options if "=" in option)
        place = [(FILE, int(values["line"]), 4, "f")] if "line" in values else []
        nodes[name] = builder.add_node(
            name,
            _KINDS[kind],
            operation,
            name=name,
            group=groups.get(values.get("inside", ""), -1),
            types=["f32[3]"],
            origins=_ids(values, "from"),
            derived=_ids(values, "derived"),
            direction=Direction.BACKWARD if "back" in options else Direction.NONE,
            source=place,
        )
        if "fuses" in options:
            groups[name] = builder.add_group(name, GroupKind.FUSION, name, owner=nodes[name])
        operands = next((option[1:] for option in options if option.startswith("<")), "")
        for number, operand in enumerate(filter(None, operands.split(","))):
            builder.add_edge(nodes[operand], nodes[name], operand=number, type="f32[3]")
    return builder.build()


def build_stage(name: str, program: str) -> Stage:
    """A stage whose text has one line per node."""
    graph = build_graph(program)
    lines = [line.strip() for line in program.strip().splitlines()]
    text = StageText("\n".join(lines), np.arange(len(lines), dtype=np.int32))
    return Stage(name, name, text, graph, Cost(3.0, 24.0, 0.0), 0.001)


JAXPR = """
in x x
eqn 0 sin <x line=5
eqn 1 mul <0 line=6
out out0 out <1
"""
GRAD = """
in x x
eqn 0 cos <x from=0
eqn 1 mul <0 from=1 back
eqn 2 mul <1,0 from=0 back
out out0 out <2
"""
OPTIMIZED = """
ins param parameter
ins fusion fusion <param from=0 derived=2 fuses
ins mul multiply inside=fusion from=0 derived=2 back
ins cosine cosine inside=fusion from=0 derived=0
ins copy copy <fusion
"""


def build_capture(programs: Mapping[str, str] | None = None) -> Capture:
    """`grad(f)(f32[3])` with three stages, or with these."""
    programs = programs or {"jaxpr": JAXPR, "grad": GRAD, "optimized": OPTIMIZED}
    return Capture(
        call="grad(f)(f32[3])",
        base="f",
        transforms=("grad",),
        source=FunctionSource(FILE, 4, SOURCE),
        files=(SourceFile(FILE, SOURCE, "0" * 64),),
        environment=Environment("0.10.2", "0.10.2", "3.11", "cpu", "cpu:0"),
        target="cpu",
        arguments=(Leaf("x['w']", "f32[3]", 12), Leaf("x['b']", "f32[]", 4)),
        results=(Leaf("", "f32[3]", 12),),
        stages=tuple(build_stage(name, program) for name, program in programs.items()),
        fates={},
        checks=(),
        messages=("A message.",),
        wall_seconds=0.25,
    )


def _ids(values: Mapping[str, str], name: str) -> list[str]:
    return values[name].split(",") if name in values else []


class RecordedRun:
    """A run that goes on until the test tells an event."""

    def __init__(self, request: Request, tell: Callable[[Event], None]) -> None:
        self.request, self.tell = request, tell
        self.was_interrupted = self.was_killed = self.was_skipped = False
        self.sent: list[RunMessage] = []

    def interrupt(self) -> None:
        self.was_interrupted = True

    def kill(self) -> None:
        self.was_killed = True

    def skip(self) -> None:
        self.was_skipped = True

    def send(self, message: RunMessage) -> None:
        self.sent.append(message)


class RecordedSession:
    """Stands in for a session at its seam: starts nothing, remembers what was asked."""

    def __init__(self) -> None:
        self.runs: list[RecordedRun] = []
        self.is_closed = False

    def start(
        self, request: Request, on_event: Callable[[Event], None] | None = None
    ) -> RecordedRun:
        assert on_event is not None
        run = RecordedRun(request, on_event)
        self.runs.append(run)
        return run

    def close(self) -> None:
        self.is_closed = True

    def of_type(self, kind: type[Request]) -> list[RecordedRun]:
        """The runs of one kind of request."""
        return [run for run in self.runs if isinstance(run.request, kind)]
