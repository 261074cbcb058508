"""Runs a short call by itself once its capture is complete: its time at a glance, and its values.

The measurement is that of the page *Timing* with less time for its pairs, by the same protocol, so
its range is wider, but with as many pairs as a verdict takes; then the call is run equation by
equation. Both begin only where nothing else runs and the program is small, end when a person starts
anything, and are given up where they take long. Then the window offers to do them.

Of other calls a process makes the arguments and waits, so that *Measure* has its first time soon.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QTimer

from jaxscope.client.events import Failed, Finished
from jaxscope.client.requests import Request, TimeRequest, ValuesRequest
from jaxscope.client.ssh_target import is_remote
from jaxscope.model import Capture, Timing, Unavailable
from jaxscope.model.capture import MemoryPlan
from jaxscope.model.graph import distinct
from jaxscope.model.targets import is_absent
from jaxscope.model.values import Values
from jaxscope.ui.session.controller import Controller
from jaxscope.ui.session.state import Phase, RunKind, Trust, WindowState

BUDGET_S: Final = 0.4
"""Seconds for the pairs of eager and jit."""
PATIENCE_MS = 8_000
"""After which it is given up."""
_PAUSE_MS: Final = 400
_MOST_NODES = 300  # eager compiles each kind of equation at its first call
_LEAST_CAPTURE_S: Final = 2.0
"""What is captured sooner begins soon anyway."""
_MOST_CAPTURE_S: Final = 20.0
"""A file that takes longer to read, say, is not read once more unasked."""
_MOST_ARGUMENT_BYTES: Final = 256 * 2**20
_MOST_FLOPS, _MOST_BYTES = 1e8, 1e9  # about 10 ms of one core, 0.1 s of its memory


class QuickLook(QObject):
    """Follows a controller, and gives it what was measured; see the module.

    Args:
        parent: The window.
    """

    def __init__(self, controller: Controller, parent: QObject) -> None:
        super().__init__(parent)
        self._controller = controller
        self._capture: Capture | None = None
        self._run = 0
        self._left: list[Callable[[], None]] = []
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._start)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self._give_up)
        controller.state_changed.connect(self._on_state_changed)
        controller.background_event_arrived.connect(self._on_event_arrived)

    def _on_state_changed(self, state: WindowState) -> None:
        capture = state.capture
        is_wanted = state.phase is Phase.DONE and not state.is_stale
        if is_wanted and capture is self._capture:
            return
        self._end()
        self._capture = capture
        is_own = state.job is RunKind.CAPTURE and not state.is_view_only
        if capture is not None and is_wanted and is_own:
            if is_short(capture):
                is_timed = bool(state.timing.measurements) and not state.has_old_timing
                self._left = [self._look_at_values]
                self._left[:0] = [] if is_timed else [self._measure]
            has_no_limit = not self._controller.has_time_limit  # waiting would count
            if has_no_limit and is_worth_preparing(capture, state.trust):
                self._left.append(self._controller.prepare_to_measure)
            self._go_on()

    def _go_on(self) -> None:
        if self._left:
            self._pause.start()

    def _start(self) -> None:
        self._left.pop(0)()

    def _measure(self) -> None:
        self._run_in_background(TimeRequest(budget_s=BUDGET_S, is_stretched=True))

    def _look_at_values(self) -> None:
        self._run_in_background(ValuesRequest())

    def _run_in_background(self, request: Request) -> None:
        self._run = self._controller.run_in_background(request)
        self._patience.start()

    def _end(self) -> None:
        self._left = []
        self._pause.stop()
        self._end_run()

    def _give_up(self) -> None:
        """What was begun takes long: so would the looks that are left."""
        self._end_run()
        self._left = [do for do in self._left if do == self._controller.prepare_to_measure]
        self._go_on()

    def _end_run(self) -> None:
        self._patience.stop()
        if self._run:
            self._controller.forget_background_run(self._run)
            self._run = 0

    def _on_event_arrived(self, number: int, event: object) -> None:
        if number != self._run or not isinstance(event, Finished | Failed):
            return
        self._end_run()
        if isinstance(event, Finished) and isinstance(event.result, Timing | Values):
            self._controller.show_found(event.result)
            self._go_on()


def is_short(capture: Capture) -> bool:
    """Whether measuring the call is sure to take little: by its program, before it ever ran.

    A loop may run for ever, and what calls back into Python does more than compute.
    """
    if is_remote(capture.target) or is_absent(capture.target):
        return False
    jaxpr, hlo = capture.stage("jaxpr"), capture.stage("hlo")
    if jaxpr is None or hlo is None or isinstance(jaxpr.graph, Unavailable):
        return False
    graph, cost = jaxpr.graph, hlo.cost
    names = {graph.strings[s] for s in distinct(graph.nodes.operation).tolist()}
    return (
        len(graph.nodes) <= _MOST_NODES
        and not any(name == "while" or "callback" in name for name in names)
        and cost.flops <= _MOST_FLOPS
        and cost.bytes_accessed <= _MOST_BYTES
    )


def is_to_be_asked(state: WindowState) -> bool:
    """Whether what the call computes is looked at only if a person asks for it."""
    capture = state.capture
    return (
        capture is not None
        and state.values is None
        and state.can_run
        and not is_absent(capture.target)
        and not is_short(capture)
    )


def is_worth_preparing(capture: Capture, trust: Trust) -> bool:
    """Whether its file may be run again and its arguments kept, beside what a person does.

    Args:
        trust: In the file: one that was to run once does not.
    """
    return (
        trust is Trust.TRUSTED
        and not is_remote(capture.target)
        and not is_absent(capture.target)
        and _LEAST_CAPTURE_S <= capture.wall_seconds <= _MOST_CAPTURE_S
        and isinstance(capture.memory, MemoryPlan)
        and capture.memory.argument_bytes <= _MOST_ARGUMENT_BYTES
    )
