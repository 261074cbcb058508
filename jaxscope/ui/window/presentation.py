"""Presentation mode: one view, the source, the call and a caption on the whole screen.

`PresentedSteps` goes through the program with its numbers, as a lecture does: first the parts of
the lesson that come before, then equation by equation, each with what it reads and a question mark,
then with what it makes; at last what the lesson says in the end. Through a lesson of its own it
goes part by part, and through the equations of each call before it leaves it. `SpeakerScreen` shows
the notes of such a lesson on another screen. Where the page *Step* goes by lines, or the lesson
says so, the lines that ran while JAX traced take the place of the equations.
"""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QKeySequence,
    QResizeEvent,
    QScreen,
    QShortcut,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QMainWindow,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from jaxscope.model import NONE, Graph, NodeKind
from jaxscope.model.capture import graph_named
from jaxscope.model.said import said
from jaxscope.model.stages import stage_kind
from jaxscope.model.units import shorten
from jaxscope.model.values import Step, StepValue
from jaxscope.picture.scene.scene import LEAST_TEXT_PX
from jaxscope.program.explanations import explain_operation
from jaxscope.program.links import NodeSelection
from jaxscope.program.size import count_named
from jaxscope.report.stepping import describe_operation
from jaxscope.ui.panes.pane_header import SOURCE
from jaxscope.ui.selection.capture_facts import OPTIMIZED, FateReader
from jaxscope.ui.selection.selection import Place, SelectionModel
from jaxscope.ui.selection.tracing import TracedPlace, TracingRun
from jaxscope.ui.session.controller import Controller
from jaxscope.ui.session.screen import Screen, title_of_stage
from jaxscope.ui.session.state import RunKind, WindowState
from jaxscope.ui.session.stepping import SteppingRun
from jaxscope.ui.toolkit.language import tr, tr_count, tr_named, tr_said
from jaxscope.ui.toolkit.theme import FIXED_SHARE, ThemeSwitch
from jaxscope.ui.window.call_bar import CallBar
from jaxscope.ui.window.lesson_strip import HEADS
from jaxscope.ui.window.text_lesson import (
    LessonWalk,
    MarkdownView,
    read_lesson_shown,
    to_plain_text,
)
from jaxscope.ui.window.workspace import Workspace

_SETTLED_MS = 250
_LATE_MS = 300
_LEAST_TEXT = 0.025
"""Of the screen's height: what is smaller cannot be read from the last row."""
_LEAST_IN_GRAPHS = 1 / 60
"""The same of what is written into a graph, where that is `LEAST_TEXT_PX` in the window: so titles
are a fiftieth at least."""
_POINTS_PER_INCH = 72.0
_OF_SOURCE = "Source: the file as it ran."


_ON = ("Space", "Right", "PgDown")
_BACK = ("Backspace", "Shift+Space", "Left", "PgUp")
"""Keys of a keyboard, and those of the clickers that lecturers have."""
_SKIP = ("N", "B", ".")
"""The last two are what the third button of a clicker types, which is for a black screen."""
_LIGHT = "S"
_HINT = "Space or →: on, equation by equation"
_HINT_OF = "Space or →: on, equation by equation of {stage}"
_OF_LINES = "Space or →: on, line by line"
_WITHOUT_EQUATIONS, _WITHOUT_LINES = "N: on without equations", "N: on without lines"
_GO_BACK = "←: back"
_END = "The end · Space, → or N: from the beginning · ←: back"
_SAVED = "A saved capture is not run: open its file to go through the call with its numbers."
_STALE = "This is of an earlier run: run the call, then go through it."
_MAX_VALUES = 4
_MAX_CHARACTERS, _LEAST_CHARACTERS = 48, 18
_LINE_CHARACTERS = 96
"""What the values of an equation may take: a line of the caption, also where screens are small."""
_CAPTION_LINES = 3
_CAPTION_CHARACTERS = 300
"""A longer text of a lesson is shown as several captions, one after the other, each of whole
sentences."""
_SIZES = (1.0, 0.9, 0.8)
"""Of the caption's type: smaller where a text needs more than its lines."""
_AROUND_PX = (24, 6, 24, 10)
_IS_LINE, _NUMBERS = re.compile(r"\[[^\[\]]*\]"), re.compile(r"(?<= )\[[^\[\]]*\]")
_END_OF_SENTENCE = re.compile(r"(?<=[.?!])\s+|(?<=[。？！])")


class PresentedSteps(QObject):
    """A way through the program, one caption after the other; `changed` fires with each.

    Where another stage than the one that is gone through is presented, what each equation became
    there is lit, and the caption says of which stage the equation is, and what is lit.

    The order: the lesson's *Look at* and *Predict*, the arguments, each equation as a question and
    with its results, the call's results, the lesson's *Then see*. Without a lesson its parts are
    left out. The worker starts with the first equation. Where a person selects something else, the
    way waits. Through a lesson that is a file of its own it goes part by part; the equations of a
    call come when all that is said of it was said, so that they answer none of its questions.
    Equations that were left out come after the last caption of the lesson, and after the very last
    caption it begins again: each key that goes on always does.

    Attributes:
        run: Computes the values.
    """

    changed = Signal()

    def __init__(
        self,
        controller: Controller,
        selection: SelectionModel,
        walk: LessonWalk,
        tracing: TracingRun,
        fates: FateReader,
        presented: Callable[[], str],
        parent: QObject,
    ) -> None:
        """
        Args:
            presented: Gives the name of the stage that is seen.
        """
        super().__init__(parent)
        self._controller, self._selection = controller, selection
        self._fates, self._presented = fates, presented
        self.tracing = tracing
        self._walk = walk
        walk.changed.connect(self._on_walk_changed)
        self._before: list[str] = []
        self._after: list[str] = []
        self._number_before = -1
        self._number_after = -1  # which caption after the equations is shown
        self._is_asking = self._asks_next = self._was_told = self._is_ended = False
        self._step: Step | None = None
        self._traced: TracedPlace | None = None
        self._is_traced = False
        self._place: Place | None = None
        self._stage = ""
        self.run = SteppingRun(controller, self)
        self.run.changed.connect(self._on_run_changed)
        tracing.changed.connect(self._on_tracing_changed)

    @property
    def way(self) -> SteppingRun | TracingRun:
        """What is gone through: the equations of the call, or its lines."""
        return self.tracing if self.tracing.is_chosen else self.run

    @property
    def is_waiting(self) -> bool:
        """Whether nothing can be gone through before the worker answers."""
        return self.tracing.is_waiting if self.tracing.is_chosen else bool(self.run.doing)

    @property
    def hint(self) -> str:
        """What goes on; empty where nothing can be run."""
        if not self.way.can_step:
            return ""
        is_of_lines, stage = self.tracing.is_chosen, self.run.stage_name
        if is_of_lines:
            ways = [tr(_OF_LINES)]
        elif self._other_stage:
            ways = [tr(_HINT_OF, stage=title_of_stage(stage))]
        else:
            ways = [tr(_HINT)]
        if self._walk.lesson is not None:  # else there is nothing to go on with
            ways.append(tr(_WITHOUT_LINES) if is_of_lines else tr(_WITHOUT_EQUATIONS))
        return " · ".join((*ways, tr(_GO_BACK)))

    @property
    def _other_stage(self) -> str:
        """The stage that is presented, if that is not the one that is gone through; else empty."""
        shown = self._presented()
        return "" if shown in (SOURCE, self.run.stage_name) else shown

    def begin(self, stage: str) -> None:
        """Go back to before the first caption.

        Args:
            stage: The one that is presented. It is gone through if it is the gradient that the
                call did not ask for, else the program of the call.
        """
        self._stage = stage
        file = self._controller.state.file if self._walk.lesson is None else ""
        lesson = read_lesson_shown(Path(file)) if file else None
        told = [(tr(HEADS[0]), lesson.look), (tr(HEADS[1]), lesson.predict)] if lesson else []
        self._before = [tr_named(head, text).replace("`", "") for head, text in told if text]
        self._after = _part(lesson.see.replace("`", "")) if lesson else []
        self._number_before = self._number_after = -1
        self._is_asking = self._was_told = self._is_ended = False
        self._place = self._selection.place
        self.run.set_stage(stage if stage == "gradient" else "")

    @property
    def _is_after(self) -> bool:
        """Whether the caption is one of those that the lesson has for the end."""
        return self._number_after >= 0

    @property
    def _awaits_program(self) -> bool:
        """Whether the next caption is of a program that is being made."""
        state = self._controller.state
        is_next = self._number_before >= len(self._before) - 1 and not self._is_after
        return is_next and state.is_running and state.job is RunKind.CAPTURE

    @property
    def is_told_by_lesson(self) -> bool:
        """Whether the caption is of a lesson of its own, or one before the file's equations."""
        if self._walk.lesson is not None:
            return not self.is_between_equations
        is_before = 0 <= self._number_before < len(self._before)
        return is_before and self._selection.place == self._place

    @property
    def has_begun(self) -> bool:
        """Whether a caption is shown, so that the source is to be seen as well."""
        return self._walk.lesson is not None or self._number_before >= 0 or self._is_after

    @property
    def is_between_equations(self) -> bool:
        """Whether a lesson of its own waits while the equations of its call are gone through."""
        return self._walk.lesson is not None and self._number_before >= 0

    @property
    def has_selected(self) -> bool:
        """Whether what is selected is so because a caption is about it."""
        is_moved = self._number_before == len(self._before) and self.way.step is not None
        return is_moved and self._walk.lesson is None and self._selection.place == self._place

    def stop_waiting(self) -> bool:
        """Stop what the worker does for the next caption; tells whether it was waited for."""
        if not self.is_waiting:
            return False
        self.way.stop()
        return True

    def skip(self) -> None:
        """Go on with the lesson, and leave out the equations of its call."""
        if self.is_waiting:
            return
        step = self.way.step
        is_over = not self.way.can_step or (step is not None and step.is_end)
        if self._walk.lesson is None:
            if self._number_before < len(self._before) - 1 or self._is_after or self._is_ended:
                self.go_on()
            elif self._was_told or not self._after:
                (self._end_or_begin if is_over else self.go_on)()
            else:
                self._number_before = len(self._before)
                self._tell_after(0)
                self.changed.emit()
            return
        is_last = self._walk.is_last and not self._walk.is_asking
        if is_last and (is_over or not self.is_between_equations):
            self._end_or_begin()
            return
        self._leave_equations()
        self._walk.go_on()
        self.changed.emit()

    def go_on(self) -> None:
        """Go to the next caption; while the worker is busy nothing happens."""
        way, step = self.way, self.way.step
        if self._is_ended:
            self._end_or_begin()
            return
        if self._walk.lesson is not None and self._number_before < 0 and not self._leaves_call():
            if self._walk.is_last and not self._walk.is_asking:
                self._end_or_begin()
            else:
                self._walk.go_on()
            return
        if self.is_waiting or self._awaits_program:
            return
        if self._walk.lesson is not None and self._number_before < 0:
            self._number_before = 0
            self.run.set_stage("gradient" if self._stage_shown() == "gradient" else "")
            way.go("start")
            self._place = self._selection.place
            self.changed.emit()
            return
        is_aside = self._number_before >= 0 and self._selection.place != self._place
        is_over = step is not None and step.is_end
        self._select(step)
        if is_aside and self.text:
            pass  # back to the caption that was left
        elif self._is_after and self._number_after < len(self._after) - 1:
            self._tell_after(self._number_after + 1)
        elif self._is_after and not is_over and way.can_step:  # what was left out
            self._number_after, self._was_told = -1, True
            if step is None:
                way.go("start")
            else:
                self._select(step)
        elif self._number_before < len(self._before):
            self._number_before += 1
            is_first = self._number_before == len(self._before)
            if is_first and (step is None or is_over or self.tracing.is_chosen):
                way.go("start")  # the page *Step* may have gone through the same lines before
            else:
                self._select(step)
        elif self._is_after:
            self._end_or_begin()
            return
        elif step is None and way.can_step:
            way.go("start")
        elif self._is_asking:
            self._is_asking = False
        elif step is None or step.is_end:
            self.skip()
            return
        else:
            self._asks_next = True
            way.go("forward")
        self.changed.emit()

    def go_back(self) -> None:
        """Go to the caption before; of an equation to the one that shows its results."""
        if self._is_ended:
            self._is_ended = False
            self.changed.emit()
            return
        if self._walk.lesson is not None and self._number_before < 0:
            self._walk.go_back()
            return
        way, step = self.way, self.way.step
        if self.is_waiting:
            return
        if self._number_after > 0:
            self._tell_after(self._number_after - 1)
            self.changed.emit()
            return
        was_after, self._number_after = self._is_after, -1
        self._select(step)
        is_start = step is None or step.is_start
        if was_after:
            self._number_before -= step is None  # the equations were left out
        elif self._number_before < len(self._before) or is_start:
            self._put_out()
            self._number_before = max(self._number_before - 1, -1)
            self._was_told = False
        else:
            self._asks_next = False
            way.go("back")
        self.changed.emit()

    def _tell_after(self, number: int) -> None:
        """Show a caption that the lesson has for the end; what was lit for another goes out."""
        self._put_out()
        self._number_after = number

    def _end_or_begin(self) -> None:
        """Say that this was all, or begin again where that was said."""
        self._is_ended = not self._is_ended
        if self._is_ended:
            self._place = self._selection.place
        elif self._walk.lesson is not None:
            self._walk.go_to(0)
        else:
            self._put_out()
            self.begin(self._stage)
        self.changed.emit()

    @property
    def text(self) -> str:
        """The caption; empty before the first one, and where something else is selected."""
        way, step = self.way, self.way.step
        if self._is_ended and self._selection.place == self._place:
            return tr(_END)
        if (part := self._walk.part) is not None and not self.is_between_equations:
            lines = [part.heading, to_plain_text(part.text)]
            lines += [] if self._walk.is_asking else [to_plain_text(part.reveal)]
            return "\n".join(filter(None, lines))
        if self._number_before < 0 or self._selection.place != self._place:
            return ""
        if self._number_before < len(self._before):
            return self._before[self._number_before]
        if self._is_after:
            return self._after[self._number_after]
        doing = tr("{doing} · Esc stops", doing=way.doing) if self.is_waiting else ""
        told = way.problem or doing or self._why_not()
        if told or step is None:
            return told
        if isinstance(step, TracedPlace):
            return self._describe_line(step)
        if step.is_end:
            return tr("The results\n{join}", join=_join(step.values, step.num_left_out))
        if not step.equation:
            return tr(
                "The arguments{on}\n{join}",
                on=self._way_on(),
                join=_join(step.values, step.num_left_out),
            )
        return self._describe_equation(step)

    def _way_on(self) -> str:
        """How the lesson goes on without the equations of its call; empty without one."""
        is_between = self.is_between_equations
        return tr(" · {skip}: on with the lesson", skip=_SKIP[0]) if is_between else ""

    def _describe_line(self, step: TracedPlace) -> str:
        from jaxscope.report.tracing import describe_doing, describe_line  # comes with a trace

        tracing, line = self.tracing.tracing, self.tracing.line
        if tracing is None:
            return ""
        head = describe_line(tracing, step.number).replace("`", "")
        if line is None:
            return f"{head}{self._way_on()}" if step.is_start else head
        return "\n".join((head, line.text, describe_doing(tracing, step.number))).strip()

    def _leaves_call(self) -> bool:
        """Whether the lesson is done with its call, and that can be gone through."""
        shown, state = self._walk.shown, self._controller.state
        if shown is None or not self.way.can_step or state.is_running:
            return False
        if (state.file, state.call) != (shown.file, shown.call):
            return False  # it did not run, or a person looks at something else
        return self._walk.is_done_with_call

    def _stage_shown(self) -> str:
        """Which stage the lesson shows last of the call, as far as it says so."""
        part = self._walk.part
        return (part.revealed.stage or part.shown.stage) if part is not None else ""

    def _on_walk_changed(self) -> None:
        if self._walk.lesson is None:
            self.begin(self._stage)
        else:
            self._before, self._after = [], []
            self._leave_equations()
            self._number_after = -1
            self._is_asking = self._is_ended = False
        self.changed.emit()

    def _leave_equations(self) -> None:
        """The lesson goes on, from the whole of a picture, not from an equation that is done."""
        is_lit = self.is_between_equations and self._place is not None
        if is_lit and self._selection.place == self._place:
            self._selection.clear()
        self._number_before = -1

    def _why_not(self) -> str:
        """Why nothing can be run, if so."""
        state = self._controller.state
        is_old = self.tracing.is_old if self.tracing.is_chosen else state.is_stale
        return tr(_SAVED) if state.is_view_only else tr(_STALE) if is_old else ""

    def _describe_equation(self, step: Step) -> str:
        stepping, graph = self.run.stepping, self._selection.graph_of(self.run.stage_name)
        num_steps = stepping.num_equations if stepping is not None else 0
        num_inside = count_named(graph)[0] - num_steps if graph is not None else 0
        head = describe_operation(step, num_steps, num_inside)  # the line of stages has both
        values = [value for value in step.values if value.kind in ("operand", "result")]
        each = _LINE_CHARACTERS // max(len(values), 1)
        read = _join((v for v in values if v.kind == "operand"), each=each)
        made = _join((v for v in values if v.kind == "result"), each=each)
        made = "?" if self._is_asking else step.failure or made
        made = f"{read}  →  {made}" if read else made
        if not (other := self._other_stage):
            return f"{head}\n{made}"
        return "\n".join(
            (tr_named(title_of_stage(self.run.stage_name), head), made, self._tell_lit(step, other))
        )

    def _tell_lit(self, step: Step, stage: str) -> str:
        """What of another stage comes from an equation, and so is lit there."""
        graph, own = map(self._selection.graph_of, (stage, self.run.stage_name))
        if graph is None:
            return ""
        linked = self._selection.links.stages.get(stage)
        if linked is not None and linked.num_nodes:
            nodes = [*linked.forward.tolist(), *linked.backward.tolist()]
            told = tr("{count} lit", count=tr_count(*count_named(graph, nodes)))
            return tr_named(title_of_stage(stage), told)
        told = tr("nothing comes from it")
        node = own.index_by_id.get(step.equation) if own is not None else None
        if own is not None and node is not None and stage == OPTIMIZED:
            fate = self._fates.fate_of(self.run.stage_name, own.node(node))
            told += f" ({tr(fate.fate)})" if fate is not None else ""
        return tr_named(title_of_stage(stage), told)

    def _on_run_changed(self) -> None:
        step = self.run.step
        if step is None:  # of another program
            self._is_asking, self._number_after = False, -1
        elif step is not self._step and not self.run.doing:
            self._is_asking = self._asks_next and bool(step.equation)
            self._select(step)
        self._step = step
        self.changed.emit()

    def _on_tracing_changed(self) -> None:
        """Another line was gone to, here or in the page *Step*; or the way is another."""
        if self.tracing.step is not self._traced:
            self._traced = self.tracing.step
            self._place = self._selection.place
        if self.tracing.is_chosen is not self._is_traced:
            self._is_traced, self._is_asking = self.tracing.is_chosen, False
            if self._is_traced and self._walk.lesson is None:  # chosen to be seen now
                self._number_before = len(self._before)
        self.changed.emit()

    def _select(self, step: Step | TracedPlace | None) -> None:
        """Light up what the caption is about: an equation, the arguments, or the results."""
        if step is not None and self._number_before == len(self._before) and not self._is_after:
            if isinstance(step, TracedPlace):
                self.tracing.show()
            elif step.equation:
                self._selection.select_equation(self.run.stage_name, step.equation)
            else:
                self._select_ends(NodeKind.OUTPUT if step.is_end else NodeKind.INPUT)
        self._place = self._selection.place

    def _put_out(self) -> None:
        """Another caption is about no equation: what is lit for this one goes out."""
        if self.has_selected:
            self._selection.clear()
        self._place = self._selection.place

    def _select_ends(self, kind: NodeKind) -> None:
        """Light up the arguments of the program, or its results."""
        graph = self._selection.graph_of(self.run.stage_name)
        if graph is not None:
            is_outermost = graph.nodes.group == NONE
            found = np.flatnonzero(is_outermost & (graph.nodes.kind == kind))
            self._selection.select_nodes(self.run.stage_name, found.tolist())
        shown = self._selection.graph_of(other) if (other := self._other_stage) else None
        if shown is not None and kind is NodeKind.OUTPUT:  # which no link leads to
            self._selection.select_nodes(other, find_results(shown), adds=True)


def find_results(graph: Graph) -> list[int]:
    """The nodes that are the results of a whole program: of HLO the root of its entry."""
    kinds, parents = graph.nodes.kind, graph.groups.parent
    found = np.flatnonzero(kinds == NodeKind.OUTPUT)
    around = graph.nodes.group[found]  # of StableHLO a function is around all
    is_own = (around == NONE) | (parents[around] == NONE if len(parents) else False)
    if len(found):
        results: list[int] = found[is_own].tolist()
        return results
    roots = (node for node in range(len(graph.nodes)) if "root" in graph.attributes(node))
    return [node for node in roots if "called_by" not in graph.attributes(node)]


def _part(text: str) -> list[str]:
    """A text split between sentences into parts that fit into a caption."""
    parts: list[str] = []
    for sentence in _END_OF_SENTENCE.split(text):
        longer = f"{parts[-1]} {sentence}" if parts else sentence
        room = sum(2 - character.isascii() for character in longer)  # Chinese is twice as wide
        if parts and room <= _CAPTION_CHARACTERS:
            parts[-1] = longer
        elif sentence:
            parts.append(sentence)
    return parts


class Caption(QLabel):
    """A text of three lines below what is presented, always as high: the picture does not move.

    What needs more lines is set in smaller type, with its breaks left out; it is never cut off.

    Attributes:
        whole: The text with its breaks.
    """

    def __init__(self) -> None:
        super().__init__()
        self.whole = ""
        self.setProperty("role", "caption")
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hide()

    def setText(self, text: str) -> None:
        self.whole = text
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:  # the window's type has another size
            self._fit()

    def _fit(self) -> None:
        font = QApplication.font(self)
        points = font.pointSizeF()
        left, top, right, bottom = _AROUND_PX
        inside = self.width() - left - right
        least = _CAPTION_LINES * QFontMetrics(font).lineSpacing() + top + bottom
        whole = self._hold_together()
        tries = itertools.product(_SIZES, (whole, whole.replace("\n", " · ")))
        for size, text in tries:
            font.setPointSizeF(points * size)
            metrics = QFontMetrics(font)
            flags = int(Qt.TextFlag.TextWordWrap)
            high = metrics.boundingRect(0, 0, inside, 1 << 14, flags, text).height()
            if high < (_CAPTION_LINES + 0.5) * metrics.lineSpacing():  # both are rounded
                self.setFixedHeight(least)
                break
        else:
            self.setFixedHeight(max(high + top + bottom, least))
        self.setFont(font)
        super().setText(text)

    def _hold_together(self) -> str:
        """The text, in which no line ends within the numbers of an array, or its name."""
        whole = self.whole.replace("][", "]\u2060[")
        return _NUMBERS.sub(lambda found: found[0].replace(" ", "\u00a0"), whole)


def _join(
    values: Iterable[StepValue], num_left_out: int = 0, each: int = _LINE_CHARACTERS // 3
) -> str:
    """The types and first numbers of values, names of arguments, and how many more there are.

    Args:
        num_left_out: Of those the worker did not tell.
        each: How many characters each may take, type and numbers together.
    """
    told = [
        (f"{value.name}: " if value.kind == "argument" and value.name else "")
        + f"{value.type} {_shorten_numbers(value.summary.text, each - len(value.type))}".strip()
        for value in values
    ]
    num_shown = min(len(told), _MAX_VALUES)
    while num_shown > 1 and len(", ".join(told[:num_shown])) > 2 * _LINE_CHARACTERS:
        num_shown -= 1  # names may be long
    num_more = len(told) - num_shown + num_left_out
    more = tr(", {num_told} more", num_told=num_more) if num_more else ""
    return ", ".join(told[:num_shown]) + more


def _shorten_numbers(text: str, most: int) -> str:
    """Fewer of the first and last numbers of an array, such as `[0.5 0.25 … 8.]`."""
    most = min(max(most, _LEAST_CHARACTERS), _MAX_CHARACTERS)
    numbers = text[1:-1].split()
    if len(text) <= most or len(numbers) < 3 or not _IS_LINE.fullmatch(text):
        return shorten(text, _MAX_CHARACTERS)
    middle = numbers.index("…") if "…" in numbers else (len(numbers) + 1) // 2
    first, last = numbers[:middle], [each for each in numbers[middle:] if each != "…"]
    told = text
    while len(told) > most and len(first) + len(last) > 2:
        (first if len(first) > len(last) else last).pop(-1 if len(first) > len(last) else 0)
        told = f"[{' '.join((*first, '…', *last))}]"
    return shorten(told, _MAX_CHARACTERS)


class PresentationMode:
    """Hides all but the active view, the call and a caption, and brings back the rest.

    The source comes beside the view with the first caption of the steps. No text is smaller than a
    fortieth of the screen's height, but code, which is a fiftieth, and what is written into graphs
    (`_LEAST_IN_GRAPHS`). `F6` leads to the next view, what is selected is said in the caption, and
    the call can be typed into. Space goes through the program.

    Args:
        window: Takes the whole screen.
        controller: Has the call that is gone through.
        around: What is hidden, besides what the parts hide themselves.
        walk: Through a lesson of its own, where one is open.
        tracing: The lines that ran while the call was traced, where that is gone through.
    """

    def __init__(
        self,
        window: QMainWindow,
        controller: Controller,
        around: Sequence[QWidget],
        call_bar: CallBar,
        workspace: Workspace,
        themes: ThemeSwitch,
        walk: LessonWalk,
        tracing: TracingRun,
    ) -> None:
        self._walk, self._controller = walk, controller
        self._file = controller.state.file
        self._window, self._around, self._call_bar = window, around, call_bar
        self._workspace, self._themes = workspace, themes
        self._points = (themes.points, themes.points)
        self._hidden: list[QWidget] | None = None
        self._state_before = Qt.WindowState.WindowNoState
        self._lines: dict[QWidget, tuple[int, int, int]] = {}
        self._chosen: tuple[Place, ...] = ()
        self._revealed: Place | None = None
        self.caption = Caption()
        self.steps = PresentedSteps(
            controller, workspace.selection, walk, tracing, workspace.fates, self._presented, window
        )
        self.steps.changed.connect(self._on_steps_changed)
        self._late = QTimer(window, singleShot=True, interval=_LATE_MS)
        self._late.timeout.connect(self._say_step)
        self._settled = QTimer(window, singleShot=True, interval=_SETTLED_MS)
        self._settled.timeout.connect(self._restore_size)
        self._settled.timeout.connect(self._restore_lines)
        self._size_before = window.size()
        self._shortcuts: list[QShortcut] = []
        self._speaker: SpeakerScreen | None = None
        self._told: tuple[WindowState, Screen] | None = None
        walk.changed.connect(self._show_notes)
        slots = (_ON, self.steps.go_on), (_BACK, self.steps.go_back), (_SKIP, self.steps.skip)
        for names, slot in slots:
            for name in names:
                shortcut = QShortcut(QKeySequence(name), window, slot)
                shortcut.setEnabled(False)
                self._shortcuts.append(shortcut)
        self._is_spotlit = False
        self._shortcuts.append(QShortcut(QKeySequence(_LIGHT), window, self.toggle_spotlight))
        self._shortcuts[-1].setEnabled(False)

    @property
    def is_on(self) -> bool:
        """Whether only the picture is shown."""
        return self._hidden is not None

    def has_beside(self, part: QWidget) -> bool:
        """Whether a part of the window is shown, or comes back after the presentation."""
        return not part.isHidden() or part in (self._hidden or ())

    def show_beside(self, part: QWidget, *, is_shown: bool) -> None:
        """Show a part of the window or hide it; after the presentation, while that is on."""
        if self._hidden is None:
            part.setVisible(is_shown)
            return
        others = [each for each in self._hidden if each is not part]
        self._hidden = [*others, part] if is_shown else others

    def toggle(self) -> None:
        """Begin, or end."""
        if self._hidden is None:
            self._begin()
        else:
            self._end(self._hidden)

    def stop_waiting(self) -> bool:
        """Stop what a caption is waited for; tells whether one was."""
        return self.is_on and self.steps.stop_waiting()

    def take_keyboard(self) -> None:
        """While only the picture is shown, give it the keyboard: in the call, keys are typed."""
        pane = self._workspace.area.active
        if self.is_on and pane is not None:
            pane.focus_content()

    def toggle_spotlight(self) -> None:
        """Dim all of the picture but what is selected, or nothing."""
        self._set_spotlight(is_on=not self._is_spotlit)

    def _set_spotlight(self, *, is_on: bool) -> None:
        self._is_spotlit = is_on
        for pane in self._workspace.area.panes:
            pane.set_spotlight(is_on)

    def tell(self, state: WindowState, screen: Screen) -> None:
        """Say in the caption what is seen, or what goes on."""
        self._told = state, screen
        if not self.is_on:
            return
        if state.file != self._file:
            self._file = state.file
            self._begin_other_file()
        self._workspace.area.show_source_beside(is_shown=self.steps.has_begun)
        name = self._presented()
        if self.steps.is_told_by_lesson:  # read while the program is being made, too
            self.caption.setText(self.steps.text)
        elif state.is_running:
            told = " · ".join(filter(None, (screen.status, screen.detail)))
            self.caption.setText(tr("{doing} · Esc stops", doing=told))
        elif screen.failed_over:
            self.caption.setText(
                tr("Of an earlier run: {failed_over}", failed_over=screen.failed_over)
            )
        elif self.steps.text:
            self.caption.setText(self.steps.text)
        elif name == SOURCE:
            self.caption.setText(tr(_OF_SOURCE))
        elif screen.is_stale and state.shown_call:
            self.caption.setText(
                tr("Of an earlier run: {failed_over}", failed_over=state.shown_call)
            )
        else:
            kind = stage_kind(name, state.head.base if state.head is not None else "")
            selected = self._describe_selected(state, name)
            told = "\n".join(
                filter(None, (tr_named(tr(kind.title), said(kind.meaning)), self.steps.hint))
            )
            self.caption.setText(selected or told)

    def _begin_other_file(self) -> None:
        """Nothing of the file before is true of this one: its lesson, its lines, its selection."""
        self._lines, self._chosen, self._revealed = {}, (), None
        if self._walk.lesson is None:  # which goes on from one file to the next
            self.steps.begin("")

    def _presented(self) -> str:
        pane = self._workspace.area.presented
        return pane.wanted_stage if pane is not None else SOURCE

    def _on_steps_changed(self) -> None:
        place = self._workspace.selection.place
        if self.is_on:
            self._workspace.area.show_source_beside(is_shown=self.steps.has_begun)
        if self.is_on and self.steps.has_selected and place != self._revealed:
            self._revealed = place
            self._workspace.area.reveal_selected()
            step = self.steps.way.step
            if not isinstance(step, Step) or step.equation:  # arguments are seen in closed groups
                self._workspace.area.reveal_linked()
        self._late.stop()
        if self.steps.way.doing:  # said only where it takes long: most equations take no time
            self._late.start()
        else:
            self._say_step()

    def _say_step(self) -> None:
        if self.is_on and self.steps.text:
            self.caption.setText(self.steps.text)
        elif self._told is not None:  # before the first caption
            self.tell(*self._told)

    def _describe_selected(self, state: WindowState, name: str) -> str:
        """The operation that is selected in a stage, and what it does; or empty."""
        selection = self._workspace.selection.selection
        graph = graph_named(state.stages, name)
        if graph is None:
            return ""
        if not isinstance(selection, NodeSelection) or selection.stage != name:
            return ""
        if len(selection.nodes) != 1:
            return ""
        node = graph.node(selection.nodes[0])
        explained = tr_said(explain_operation(node.operation, node.kind)).replace("`", "")
        return tr_named(node.operation, explained) if explained else node.operation

    def _begin(self) -> None:
        area, self._file = self._workspace.area, self._controller.state.file
        self._hidden = [part for part in self._around if not part.isHidden()]
        self._chosen = self._workspace.selection.places
        if self._settled.isActive():  # ended a moment ago: what it showed before is not back yet
            self._settled.stop()
        else:
            self._size_before = self._window.size()
            self._lines = {
                pane.code: (pane.code.horizontalScrollBar().value(), *pane.code.first_row)
                for pane in area.panes
            }
        high = self._window.screen().geometry().height()
        least_px = _LEAST_TEXT * high
        # First: what gives pictures more room then leaves the same in their middle.
        has_source = self._walk.lesson is not None
        area.present(_LEAST_IN_GRAPHS * high / LEAST_TEXT_PX, has_source=has_source)
        for part in self._hidden:
            part.hide()
        self._call_bar.set_bare(is_bare=True)
        dots = self._window.logicalDpiY()
        before = self._themes.points
        # Rounded up: a pixel less would be too small. Code is set smaller than the rest.
        points = least_px * _POINTS_PER_INCH / dots / FIXED_SHARE
        self._themes.set_points(max(before, float(math.ceil(points))))
        self._points = (before, self._themes.points)
        self._present_steps(is_on=True)
        self.caption.show()
        self._state_before = self._window.windowState()
        self._window.showFullScreen()
        self._show_notes()

    def _end(self, hidden: list[QWidget]) -> None:
        self._hidden = None
        before, during = self._points
        if self._themes.points == during:  # or a person has chosen another size meanwhile
            self._themes.set_points(before)
        self.caption.hide()
        self._show_notes()
        self._set_spotlight(is_on=False)
        self._present_steps(is_on=False)
        self._call_bar.set_bare(is_bare=False)
        self._workspace.area.present(0.0)
        for part in hidden:
            part.show()
        selection = self._workspace.selection
        if self.steps.has_selected and selection.places != self._chosen:
            selection.select_places(self._chosen)
        self._workspace.inspector.bring_forward(is_selected=selection.selection is not None)
        self._window.setWindowState(self._state_before)  # maximized, where it was
        self._settled.start()

    def _show_notes(self) -> None:
        """Show the notes while a lesson that has some is presented and there is another screen."""
        lesson = self._walk.lesson
        has_notes = lesson is not None and any(part.notes for part in lesson.parts)
        screen = find_other_screen(self._window) if self.is_on and has_notes else None
        if screen is None:
            if self._speaker is not None:
                self._speaker.close()
                self._speaker = None
        elif self._speaker is None:
            self._speaker = SpeakerScreen(self._walk, self._window)
            self._speaker.setGeometry(screen.geometry())
            self._speaker.setWindowState(Qt.WindowState.WindowFullScreen)
            self._speaker.show()  # `showFullScreen` would ask for the keyboard

    def _present_steps(self, *, is_on: bool) -> None:
        for shortcut in self._shortcuts:
            shortcut.setEnabled(is_on)
        self.steps.tracing.watch(self.steps, is_seen=is_on)
        if is_on:
            self.steps.begin(self._presented())
            self.take_keyboard()

    def _restore_size(self) -> None:
        """A small window came back higher: what it shows was still large."""
        large = Qt.WindowState.WindowMaximized | Qt.WindowState.WindowFullScreen
        if not self._window.windowState() & large:
            self._window.resize(self._size_before)
        self._workspace.area.restore_widths()

    def _restore_lines(self) -> None:
        """Lines of another height moved the sources; each shows again what it showed."""
        for pane in self._workspace.area.panes:
            across, first, row = self._lines.get(pane.code, (-1, -1, 0))
            if first >= 0:
                pane.code.show_line(first, is_first=True, rows_above=row)
                pane.code.horizontalScrollBar().setValue(across)
        self._lines = {}


# What only the speaker sees.

_SECOND_MS = 1000


def find_other_screen(window: QWidget) -> QScreen | None:
    """A screen that a window is not on; None where there is only one."""
    return next((s for s in QGuiApplication.screens() if s is not window.screen()), None)


class SpeakerScreen(QWidget):
    """The notes of a lesson where it is, what it reveals, what comes next, and the time.

    It never takes the keyboard: the keys that go through the lesson stay with the presentation.

    Args:
        walk: Through the lesson.
        window: That presents it.
    """

    def __init__(self, walk: LessonWalk, window: QWidget) -> None:
        flags = Qt.WindowType.Window | Qt.WindowType.WindowDoesNotAcceptFocus
        super().__init__(window, flags)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Notes of the lesson"))
        self._walk, self._began = walk, time.monotonic()
        self.place, self.heading, self.next = QLabel(), QLabel(), QLabel()
        self.notes = MarkdownView()
        self.notes.setAccessibleName(tr("Notes"))
        self.place.setProperty("role", "label")
        self.heading.setProperty("role", "title")
        self.next.setProperty("role", "label")
        content = QWidget()
        content.setProperty("role", "content")
        inner = QVBoxLayout(content)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.notes)
        inner.addStretch()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(content)
        column = QVBoxLayout(self)
        column.setContentsMargins(48, 32, 48, 32)
        column.setSpacing(20)
        for part in (self.place, self.heading):
            part.setTextFormat(Qt.TextFormat.PlainText)
            part.setWordWrap(True)
            column.addWidget(part)
        column.addWidget(area, 1)
        self.next.setTextFormat(Qt.TextFormat.PlainText)
        self.next.setWordWrap(True)
        column.addWidget(self.next)
        walk.changed.connect(self._show_part)
        clock = QTimer(self, interval=_SECOND_MS)
        clock.timeout.connect(self._show_place)
        clock.start()
        self._show_part()

    def _show_part(self) -> None:
        lesson, part = self._walk.lesson, self._walk.part
        if lesson is None or part is None:
            return
        self._show_place()
        self.heading.setText(part.heading)
        self.notes.show_markdown(part.notes)
        if self._walk.is_asking:
            told = tr("To be revealed: {to_plain_text}", to_plain_text=to_plain_text(part.reveal))
        elif self._walk.is_last:
            told = tr("The last part")
        else:
            told = tr("Next: {heading}", heading=lesson.parts[self._walk.number + 1].heading)
        self.next.setText(told)

    def _show_place(self) -> None:
        lesson = self._walk.lesson
        if lesson is not None:
            minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
            number = tr(
                "Part {number} of {num_parts}",
                number=self._walk.number + 1,
                num_parts=len(lesson.parts),
            )
            self.place.setText(f"{number} · {minutes}:{seconds:02d}")
