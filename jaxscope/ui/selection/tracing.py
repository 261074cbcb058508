"""The tracing of the window's call, gone through line by line, without widgets.

A worker traces the call with the first request; all lines come with its answer, so that nothing is
waited for afterwards. The page *Step* and the presentation share one `TracingRun`: while one of
them is seen, what is not in the jaxpr yet is faded in the panes. Another run, call or text of the
file ends it.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from jaxscope.client.events import Failed, Finished, Progress, ResultGrew
from jaxscope.client.requests import TraceLinesRequest
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Graph, NodeKind, Stage
from jaxscope.model.capture import graph_named
from jaxscope.model.stages import lowered_name
from jaxscope.model.tracing import TracedLine, Tracing
from jaxscope.ui.selection.selection import Growth, SelectionModel
from jaxscope.ui.session.controller import Controller
from jaxscope.ui.session.state import Phase, RunSubject, WindowState
from jaxscope.ui.toolkit.language import tr


@dataclass(frozen=True, eq=False, slots=True)
class TracedPlace:
    """Where a trace stands: at its start, at a line, or at its end.

    Attributes:
        number: Of the line, from 0; -1 at the start, the number of lines at the end.
        is_start: Whether no line has run.
        is_end: Whether all have.
    """

    number: int
    is_start: bool
    is_end: bool


class TracingRun(QObject):
    """Follows a controller; `changed` fires after every change.

    Attributes:
        is_chosen: Whether the call is gone through by lines, not by equations.
        tracing: What is gone through; None before it was traced.
        step: Where that stands; None before it began.
        doing: What the worker does now; empty while there is none.
        problem: Why there is nothing to go through; empty otherwise.
    """

    changed = Signal()

    def __init__(self, controller: Controller, selection: SelectionModel, parent: QObject) -> None:
        super().__init__(parent)
        self._controller, self._selection = controller, selection
        self._capture: Capture | None = None
        self._subject = RunSubject()
        self._run = 0
        self._is_stopping = False
        self._goal: Callable[[], object] | None = None
        self._watchers: set[QObject] = set()
        self._stages: Sequence[Stage] = ()
        self._births: tuple[Graph | None, list[int]] = (None, [])
        self.is_chosen = False
        self.tracing: Tracing | None = None
        self.step: TracedPlace | None = None
        self.doing = self.problem = ""
        controller.state_changed.connect(self._on_state_changed)
        controller.background_event_arrived.connect(self._on_event_arrived)

    @property
    def can_step(self) -> bool:
        """Whether there is a call that can be traced, or was; one that fails can be as well."""
        return self.tracing is not None or self._can_begin

    @property
    def _can_begin(self) -> bool:
        state = self._controller.state
        return state.can_start and not state.trust.waits and not self.is_old

    @property
    def is_waiting(self) -> bool:
        """Whether nothing can be gone through before the worker answers."""
        return self.tracing is None and bool(self.doing)

    @property
    def is_old(self) -> bool:
        """Whether what is shown is of an earlier run, and there is or will be a later one."""
        state = self._controller.state
        is_other = self.tracing is not None and state.subject != self._subject
        return is_other or (state.is_stale and state.phase is not Phase.FAILED)

    @property
    def stage_name(self) -> str:
        """Whose equations these are; before the worker said so, whose they will be."""
        if self.tracing is not None:
            return self.tracing.stage
        return lowered_name(stage.name for stage in self._controller.state.stages)

    @property
    def line(self) -> TracedLine | None:
        """The line that it stands at; None at the start and the end."""
        if self.tracing is None or self.step is None or self.step.is_start or self.step.is_end:
            return None
        return self.tracing.lines[self.step.number]

    def choose(self, *, is_chosen: bool) -> None:
        """Go through the call by lines from now on, or by equations."""
        if is_chosen != self.is_chosen:
            self.is_chosen = is_chosen
            self._show()
            self.changed.emit()

    def watch(self, watcher: QObject, *, is_seen: bool) -> None:
        """Say whether somebody looks: else nothing is faded."""
        if is_seen is not (watcher in self._watchers):
            self._watchers ^= {watcher}
            self._show()

    # --- going ---

    def go(self, to: str) -> None:
        """Go to the `start`, `forward`, `back`, `out`, or to the `end`."""
        self._with_tracing(lambda: self._go(to))

    def go_to(self, number: int) -> None:
        """Go to a line by its number; see `TracedPlace`."""
        if self.tracing is not None and (self.step is None or number != self.step.number):
            self._move(number)

    def run_to_line(self, file: str, line: int) -> None:
        """Go to the next time that a line runs; behind the last comes the first."""
        why = tr("That line does not run while JAX traces.")
        self._with_tracing(
            lambda: self._find(
                lambda each: (each.file, each.line) == (file, line) and not each.is_resumed, why
            )
        )

    def run_to_equation(self, id: str) -> None:
        """Go to the line that added an equation."""
        why = tr("Which line added that equation is not known.")
        self._with_tracing(
            lambda: self._find(lambda each: any(e.id == id for e in each.equations), why)
        )

    def stop(self) -> None:
        """Stop what the worker does; asked a second time, end the worker."""
        if self._run and not self._is_stopping:
            self._is_stopping = True
            self.doing = tr("Stopping … (again: end the process)")
            self._controller.skip_background_run(self._run)
        elif self._run:
            self._end()
            self.problem = tr("The process was ended. The next step traces the call anew.")
        self.changed.emit()

    def show(self) -> None:
        """Select again what the line added, where something else was selected since."""
        self._show(selects=True)

    # --- how it is done ---

    def _with_tracing(self, goal: Callable[[], object]) -> None:
        """Do something with the trace, which is made first where there is none."""
        if self.tracing is not None:
            goal()
        elif not self._run and self._can_begin:
            state = self._controller.state
            self._capture, self._subject, self._goal = state.capture, state.subject, goal
            self._stages = () if state.is_stale else state.stages
            self.problem, self.doing = "", tr("Starting …")
            self._run = self._controller.run_in_background(TraceLinesRequest())
            self.changed.emit()

    def _go(self, to: str) -> None:
        assert self.tracing is not None
        lines = self.tracing.lines
        here = self.step.number if self.step is not None else -1
        if to == "out":
            depth = lines[here].depth if 0 <= here < len(lines) else 0
            above = (n for n in range(here + 1, len(lines)) if 0 < lines[n].depth < depth)
            self._move(next(above, len(lines)))
            return
        number = {"start": -1, "back": here - 1, "forward": here + 1, "end": len(lines)}[to]
        self._move(-1 if self.step is None and to == "back" else number)

    def _find(self, is_meant: Callable[[TracedLine], bool], why: str) -> None:
        assert self.tracing is not None
        lines, here = self.tracing.lines, self.step.number if self.step is not None else -1
        order = [*range(here + 1, len(lines)), *range(min(here + 1, len(lines)))]
        number = next((n for n in order if is_meant(lines[n])), None)
        if number is not None:
            self._move(number)
        else:
            self.problem = why
            self.changed.emit()

    def _move(self, number: int) -> None:
        assert self.tracing is not None
        end = len(self.tracing.lines)
        number = min(max(number, -1), end)
        self.problem = ""
        self.step = TracedPlace(number, number < 0, number == end)
        self._show(selects=True)
        self.changed.emit()

    def _show(self, *, selects: bool = False) -> None:
        """Fade what is not in the jaxpr yet; `selects` what the line added."""
        tracing, step, selection = self.tracing, self.step, self._selection
        if tracing is None or step is None or not (self.is_chosen and self._watchers):
            selection.show_growth(None)
            return
        graph, births = self._find_births(tracing)
        there = frozenset(node for node, birth in enumerate(births) if birth <= step.number)
        line = self.line
        place = (line.file, line.line) if line is not None else ("", 0)
        selection.show_growth(Growth(graph, there, place))
        if not selects:
            return
        added = line.equations if line is not None else ()
        is_seen = graph is not None and selection.graph_of(tracing.stage) is graph
        index = graph.index_by_id if graph is not None and is_seen else {}
        newest = [index[each.id] for each in added if each.id in index]
        if newest:
            selection.select_nodes(tracing.stage, newest)
        else:
            selection.clear()

    def _find_births(self, tracing: Tracing) -> tuple[Graph | None, list[int]]:
        """When the nodes came to be; nothing where the program is not drawn."""
        graph = graph_named(self._stages, tracing.stage) if not tracing.failure else None
        if graph is not None and self._births[0] is not graph:
            self._births = graph, find_births(graph, tracing)
        return self._births if graph is not None else (None, [])

    def _end(self) -> None:
        if self._run:
            self._controller.forget_background_run(self._run)
        self._run, self._goal, self.doing, self._is_stopping = 0, None, "", False

    def _on_state_changed(self, state: WindowState) -> None:
        is_other = state.capture is not self._capture or state.subject != self._subject
        if is_other and not state.is_running and (self._run or self.tracing is not None):
            self._end()
            self.tracing = self.step = None
            self._stages, self.problem, self._births = (), "", (None, [])
            self._show()
        self.changed.emit()

    def _on_event_arrived(self, number: int, event: object) -> None:
        if number != self._run:
            return
        if isinstance(event, Progress) and not self._is_stopping:
            self.doing = tr("{doing} …", doing=event.text)
        elif isinstance(event, ResultGrew) and isinstance(event.result, Tracing):
            self._take(event.result)
        elif isinstance(event, Failed):
            self._end()
            told = event.error.explanation
            self.problem = " ".join(filter(None, (told.what, told.why, told.remedy)))
        elif isinstance(event, Finished):
            self._end()
        self.changed.emit()

    def _take(self, tracing: Tracing) -> None:
        if self.tracing is not None:  # the same lines, and what a further call ran of them
            self.tracing = dataclasses.replace(tracing, lines=self.tracing.lines)
            return
        self.tracing, goal, self._goal = tracing, self._goal, None
        if goal is not None:
            goal()


def find_births(graph: Graph, tracing: Tracing) -> list[int]:
    """When each node of a program came to be while JAX traced it: by node, the number of the line.

    Inputs of the program are there before the first, -1. A constant comes with the first equation
    that reads it, an inside of an equation with what is recorded in it. Results, and equations that
    no line is known for, come behind the last line: the number of lines.
    """
    end = len(tracing.lines)
    known = {
        each.id: number for number, line in enumerate(tracing.lines) for each in line.equations
    }
    begun: dict[str, int] = defaultdict(lambda: end)  # by what equations are inside of
    for around, number in known.items():
        while around := around.rpartition("/")[0]:
            begun[around] = min(begun[around], number)
    births = [
        _birth_of(id, NodeKind(kind), known, begun, end)
        for id, kind in zip(graph.index_by_id, graph.nodes.kind.tolist(), strict=True)
    ]
    constants = graph.nodes.kind == NodeKind.CONSTANT
    for source, _, target, _ in graph.edges.ends():
        if constants[source]:
            births[source] = min(births[source], births[target])
    return births


def _birth_of(
    id: str, kind: NodeKind, known: Mapping[str, int], begun: Mapping[str, int], end: int
) -> int:
    if id in known:
        return known[id]
    around = id.rpartition("/")[0]  # such as 5/jaxpr of 5/jaxpr/out:0
    if not around:
        return -1 if kind is NodeKind.INPUT else end
    if kind is NodeKind.INPUT and around in begun:
        return begun[around]
    return _birth_of(around.rpartition("/")[0], NodeKind.EQUATION, known, begun, end)
