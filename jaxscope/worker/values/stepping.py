"""Answer a `step` request: go through a program equation by equation as the client says.

Places are in the order of the text: an equation before what it runs inside, rounds of a loop one
after another. The client names where to go; the answer has what is read and made there, in
summaries. A request to skip ends what takes too long, and the run stays where it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from jaxscope.errors import Explanation, JaxscopeError
from jaxscope.model.said import say, say_joined
from jaxscope.model.values import ValueCondition, parse_condition
from jaxscope.wire.messages import Message
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel, run_skippable
from jaxscope.worker.checks.user_places import find_places
from jaxscope.worker.faults.explain import explain_exception
from jaxscope.worker.faults.tracebacks import is_installed
from jaxscope.worker.host.values import aval_text
from jaxscope.worker.stages.running import held
from jaxscope.worker.values.against import (
    FORMS,
    JIT,
    NoSuchForm,
    OtherForms,
    Place,
    describe_against,
    try_without_passes,
)
from jaxscope.worker.values.arrays import describe_difference, matches, summarize, view_slice
from jaxscope.worker.values.evaluation import Evaluator
from jaxscope.worker.values.frames import EquationFailed, Inside, JaxprFrame, ValueCache
from jaxscope.worker.values.subject import ReadyProgram, open_subject

Path = tuple[tuple[int, int], ...]
"""An equation's number, and the part of its inside that leads on; of the last -1. Empty is the
start, an equation's number behind the last is the end."""

_KEPT_BYTES = 1 << 30
_MAX_VALUES = 64
_MAX_LINKS = 12
_MAX_HOPS = 1_000
_ORIGIN_BUDGET_S = 60.0
_TELL_S = 0.5
_TRIALS = "trials"
"""What asks for the value of jit without parts of the compiler."""


def handle_step(request: dict[str, Any], channel: Channel) -> None:
    """Trace the call of a request, then go where further messages say, until one says `finish`.

    Raises:
        JaxscopeError: The file or the call is wrong, or it cannot be traced.
    """
    subject = open_subject(request, channel)
    most_bytes = int(request.get("most_bytes") or _KEPT_BYTES)
    stepper = Stepper(subject, channel, most_bytes)
    channel.send(
        "stepping",
        {
            "stage": subject.stage.name,
            "num_equations": len(compat.open_jaxpr(subject.stage.jaxpr).eqns),
            "argument_paths": list(subject.program.derived.argument_paths),
        },
    )
    while True:
        with channel.quiet():
            message = channel.receive()
        if message.type == "finish":
            return
        if message.type in ("move", "look"):
            stepper.answer(message)


class Unreached(Exception):
    """A place that the run does not come to; the message says why."""


class Stepper:
    """A run that stands somewhere.

    Attributes:
        path: Where.
    """

    def __init__(self, subject: ReadyProgram, channel: Channel, most_bytes: int) -> None:
        self._subject, self._channel = subject, channel
        self._cache = ValueCache(most_bytes)
        self._root = JaxprFrame(self._cache, subject.stage.jaxpr, subject.inputs)
        self._pinned: list[tuple[JaxprFrame, int]] = []
        self._held: tuple[str, Any] | None = None  # what it is, and its value
        self._forms = OtherForms(subject.stage.jaxpr, subject.inputs, self._cache)
        self._origins: list[dict[str, Any]] = []
        self._is_origin_of_all = True
        self._given: str = ""
        self._is_origin_known = False
        self._told_s = 0.0
        self.path: Path = ()

    def answer(self, message: Message) -> None:
        """Do what a message says, and tell what came of it."""
        do = self._move if message.type == "move" else self._look
        number, before = int(message.fields.get("number") or 0), self.path
        why: str = say("It was stopped.")
        try:
            done, was_skipped = run_skippable(lambda: do(message))
        except Exception as error:  # of user code, or of an operation that cannot run here
            done, was_skipped, why = None, True, self._explain(error)
        if was_skipped or done is None:
            self.path = before
            if message.type == "look":
                done = "array_view", {"problem": why}, {}
            else:
                note = say_joined((why, say("The run stands where it was.")))
                done = "step", {"is_unmoved": True, "note": note}, {}
        type_, fields, arrays = done
        self._channel.send(type_, {**fields, "number": number}, arrays)

    # --- moving ---

    def _move(self, message: Message) -> tuple[str, dict[str, Any], dict[str, Any]]:
        fields = message.fields
        goal, note = str(fields.get("to")), ""
        extra: dict[str, Any] = {}
        before = self.path
        try:
            if goal == "place":
                rounds = [int(n) for n in fields.get("iterations") or ()]
                self.path = self._find(str(fields.get("equation")), rounds)
                self._refuse_more_than(len(rounds))
            elif goal == "condition":
                self.path, note = self._run_until(parse_condition(str(fields.get("condition"))))
            elif goal == "origin":
                note, extra = self._go_to_origin()
            elif (simple := self._moves().get(goal)) is not None:
                self.path = simple()
            self._come()
        except Unreached as error:
            self.path, note = before, error.args[0]
        except ValueError as error:
            self.path, note = before, str(error)
        except EquationFailed as failed:
            rounds = [n for n in fields.get("iterations") or () if isinstance(n, int)]
            self.path = self._find(failed.id, rounds or self._iterations(before)[0])
            note = say("The run ends here: this equation fails.")
        return "step", {**self._describe(), **extra, "note": note or self._tell_aside()}, {}

    def _moves(self) -> dict[str, Callable[[], Path]]:
        return {
            "start": lambda: (),
            "forward": self._forward,
            "back": self._back,
            "into": self._into,
            "out": self._out,
            "end": lambda: ((len(self._root.equations), -1),),
        }

    def _forward(self) -> Path:
        return self._after(self.path) if self.path else ((0, -1),)

    def _back(self) -> Path:
        path = self.path
        if not path:
            return ()
        number = path[-1][0]
        if number > 0:
            return (*path[:-1], (number - 1, -1))
        if len(path) == 1:
            return ()
        outer, part = path[-2]
        inside = self._frame(path[:-1]).inside(outer)
        for earlier in range(part - 1, -1, -1) if not inside.is_aside(part) else ():
            if count := inside.num_equations(earlier):
                return (*path[:-2], (outer, earlier), (count - 1, -1))
        return (*path[:-2], (outer, -1))

    def _into(self) -> Path:
        if not self.path or self._is_end(self.path):
            return self._forward()
        inner = self._first_inside(self.path)
        if inner is None:
            reason = self._frame(self.path).inside(self.path[-1][0]).reason
            raise Unreached(reason or say("There is nothing inside of this equation."))
        return inner

    def _out(self) -> Path:
        if len(self.path) < 2:
            raise Unreached(say("Nothing is around this equation."))
        return (*self.path[:-2], (self.path[-2][0], -1))

    def _first_inside(self, path: Path) -> Path | None:
        number = path[-1][0]
        inside = self._frame(path).inside(number)
        part = self._next_part(inside, -1)
        return None if part is None else (*path[:-1], (number, part), (0, -1))

    def _next_part(self, inside: Inside, part: int) -> int | None:
        """The next part that has an equation."""
        later = range(part + 1, inside.num_parts)[:2]  # of a loop all rounds have as many
        return next((each for each in later if inside.num_equations(each)), None)

    def _after(self, path: Path) -> Path:
        """The next equation that is not inside of this one; of the last the end."""
        while True:
            number = path[-1][0]
            if len(path) == 1:
                return ((min(number + 1, len(self._root.equations)), -1),)
            if number + 1 < len(self._frame(path).equations):
                return (*path[:-1], (number + 1, -1))
            outer, part = path[-2]
            later = self._next_part(self._frame(path[:-1]).inside(outer), part)
            if later is not None:
                return (*path[:-2], (outer, later), (0, -1))
            path = (*path[:-2], (outer, -1))

    def _run_until(self, conditions: tuple[ValueCondition, ...]) -> tuple[Path, str]:
        """The next place where a condition holds, and why."""
        path = self.path
        closed: list[str] = []
        while True:
            path = (self._first_inside(path) if self._is_equation(path) else None) or (
                self._after(path) if path else ((0, -1),)
            )
            now = time.monotonic()
            if now - self._told_s > _TELL_S:
                self._told_s = now
                self._channel.progress(
                    "step", say("At {equation}", equation=self._id(path)), can_skip=True
                )
            if self._is_end(path):
                note = say("No equation from there to the end has such a value.")
                aside = say("Not looked into: {names}.", names=", ".join(closed))
                return path, say_joined((note, aside if closed else ""))
            frame, number = self._frame(path), path[-1][0]
            inside = frame.inside(number)
            is_opened = inside.num_parts > 0
            if inside.reason and not inside.num_names and len(closed) < _MAX_LINKS:
                closed.append(f"{self._id(path)} {frame.equations[number].primitive.name}")
            for condition in conditions:
                if is_opened and not condition.is_of_type:
                    continue  # the equations inside are looked at
                for place, value in enumerate(frame.results(number)):
                    if matches(condition, value):
                        told = _write_condition(condition)
                        return path, say(
                            "Result {place} is as asked: {told}.", place=place, told=told
                        )

    def _find(self, id: str, iterations: list[int]) -> Path:
        """The place of an equation; of loops without a number the round where the run stands."""
        words = id.split("/")
        if words[-1].startswith("in:"):
            if len(words) == 1:
                return ()
            words[-1] = "0"
        if words[-1].startswith("out:"):
            if len(words) == 1:
                return ((len(self._root.equations), -1),)
            words = words[:-2]
        frame, path, rounds = self._root, (), list(iterations)
        found: list[tuple[int, int]] = []
        for place in range(0, len(words), 2):
            number = _whole(words[place])
            if number is None or number >= max(len(frame.equations), 1):
                stage = self._subject.stage.name
                raise Unreached(say("The stage {stage} has no equation {id}.", stage=stage, id=id))
            if place + 1 >= len(words):
                found.append((number, -1))
                break
            inside = frame.inside(number)
            part = self._choose_part(inside, words[place + 1], rounds, (*path, *found), number)
            found.append((number, part))
            frame = inside.part(part)
        return tuple(found)

    def _choose_part(
        self, inside: Inside, name: str, rounds: list[int], before: Path, number: int
    ) -> int:
        is_loop = inside.num_rounds is not None
        wanted = rounds.pop(0) if is_loop and rounds else None
        depth = len(before)
        here = self.path[depth] if len(self.path) > depth + 1 else None
        is_here = here is not None and self.path[:depth] == before and here[0] == number
        if is_loop and wanted is None and is_here and here is not None:
            if inside.name(here[1]) == name:
                return here[1]
            wanted = inside.iteration(here[1])
        try:
            return inside.find(name, wanted)
        except LookupError as error:
            why = say("The run does not come there.")
            raise Unreached(say_joined((why, error.args[0]))) from None

    def _refuse_more_than(self, num_given: int) -> None:
        num_loops = len(self._iterations(self.path)[0])
        if num_given > num_loops:
            around = say("{num} loops are", num=num_loops)
            if num_loops < 2:
                around = say("One loop is") if num_loops else say("No loop is")
            raise Unreached(
                say(
                    "{around} around this equation, and {num} rounds were given.",
                    around=around,
                    num=num_given,
                )
            )

    def _go_to_origin(self) -> tuple[str, dict[str, Any]]:
        """Go where NaN or Inf was made first; from there, to where the other of them was."""
        subject = self._subject
        if not self._is_origin_known:
            self._channel.progress("step", say("Looking for NaN and Inf"), can_skip=True)
            evaluator = Evaluator(subject.stage.name, time.monotonic() + _ORIGIN_BUDGET_S)
            try:
                evaluator.run(subject.stage.jaxpr, subject.inputs)
            except TimeoutError as error:
                self._channel.send("warning", {"text": error.args[0]})
            if compat.open_jaxpr(subject.stage.jaxpr).effects:
                told = say("Looking for NaN ran the program once more: what it prints came again.")
                self._channel.send("warning", {"text": told})
            found = evaluator.find_origins()
            self._origins = [each for each in found if not each["is_hidden"]] or found
            self._is_origin_known = True
            self._is_origin_of_all = evaluator.is_whole
            self._given = evaluator.given
        if not self._origins:
            given = any(
                each["num_nan"] or each["num_inf"] for each in map(summarize, subject.inputs)
            )
            told = (
                say("No equation makes NaN or Inf of finite operands.")
                if self._is_origin_of_all
                else say("No equation that was run makes NaN or Inf of finite operands.")
            )
            more = say("An argument holds them already.") if given else ""
            raise Unreached(say_joined((told, more, self._given)))
        paths = [self._find(each["equation"], each["iterations"]) for each in self._origins]
        is_at_first = self.path == paths[0]
        place = len(paths) - 1 if is_at_first else 0
        note: str = ""
        if place < len(paths) - 1:
            after = self._origins[-1]
            note = say(
                "The first {kind} is made after it, by {id} ({operation}): asked for once more, "
                "the run goes there.",
                kind="NaN" if after["kind"] == "nan" else "Inf",
                id=after["equation"],
                operation=after["operation"],
            )
        self.path = paths[place]
        return note, {"origin": self._origins[place], "chain": self._find_chain(self.path)}

    def _find_chain(self, path: Path) -> list[dict[str, Any]]:
        """The equations that led to a place, from there backwards, along one operand each.

        It is the operand that holds NaN or Inf; else that which is zero somewhere; else that with
        the largest magnitude.
        """
        links: list[dict[str, Any]] = []
        while len(links) < _MAX_LINKS:
            frame, number = self._frame(path), path[-1][0]
            equation = frame.equations[number]
            links.append(self._link(path, frame.results(number)))
            variables = [
                (atom, value)
                for atom, value in zip(equation.invars, frame.operands(number), strict=True)
                if not compat.is_literal(atom)
            ]
            if not variables:
                break
            atom = max(variables, key=lambda pair: _suspicion(pair[1]))[0]
            maker = self._find_maker(path, atom)
            if maker is None:
                break
            path = maker
        return links

    def _find_maker(self, path: Path, atom: Any) -> Path | None:
        """The equation that made an operand, out of the jaxprs around and rounds before as well."""
        for _ in range(_MAX_HOPS):
            kind, number = self._frame(path).source(atom)
            if kind == "equation":
                return (*path[:-1], (number, -1))
            if kind != "input" or len(path) < 2:
                return None
            outer, part = path[-2]
            earlier, atom = self._frame(path[:-1]).inside(outer).origin_of_input(part, number)
            path = (
                (*path[:-2], (outer, -1))
                if earlier < 0
                else (*path[:-2], (outer, earlier), (0, -1))
            )
        return None

    def _link(self, path: Path, results: list[Any]) -> dict[str, Any]:
        equation = self._frame(path).equations[path[-1][0]]
        summary = summarize(results[0]) if results else {}
        return {
            "equation": self._id(path),
            "operation": equation.primitive.name,
            "line": self._line(path)[1],
            "iterations": self._iterations(path)[0],
            "text": str(summary.get("text", "")),
        }

    # --- where it stands ---

    def _frame(self, path: Path) -> JaxprFrame:
        """The frame that has the last equation of a path."""
        frame = self._root
        for number, part in path[:-1]:
            frame = frame.inside(number).part(part)
        return frame

    def _come(self) -> None:
        """Keep the frames around the present place, and release those around the last.

        Raises:
            EquationFailed: An equation before it fails.
        """
        for frame, number in self._pinned:
            frame.pinned.discard(number)
        self._pinned = []
        frame = self._root
        for number, part in self.path[:-1]:
            frame.pinned.add(number)
            self._pinned.append((frame, number))
            frame = frame.inside(number).part(part)
        if self._is_end(self.path):
            self._root.outputs()

    def _tell_aside(self) -> str:
        """That the run does not come to the present place, which is in a branch not taken."""
        frame = self._root
        for number, part in self.path[:-1]:
            inside = frame.inside(number)
            if inside.is_aside(part):
                here = say(
                    "Here stands what {name} would make of the same operands: nothing of the "
                    "result comes from it.",
                    name=inside.name(part),
                )
                return say_joined((inside.reason, here))
            frame = inside.part(part)
        return ""

    def _is_end(self, path: Path) -> bool:
        return len(path) == 1 and path[0][0] >= len(self._root.equations)

    def _is_equation(self, path: Path) -> bool:
        return bool(path) and not self._is_end(path)

    def _id(self, path: Path) -> str:
        if not self._is_equation(path):
            return ""
        return f"{self._frame(path).prefix}{path[-1][0]}"

    def _iterations(self, path: Path) -> tuple[list[int], list[int]]:
        """Of the loops around, and how many rounds they have."""
        iterations, rounds = [], []
        frame = self._root
        for number, part in path[:-1]:
            inside = frame.inside(number)
            if (iteration := inside.iteration(part)) is not None:
                iterations.append(iteration)
                rounds.append(inside.num_rounds or 0)
            frame = inside.part(part)
        return iterations, rounds

    def _line(self, path: Path) -> tuple[str, int]:
        """Of an equation; in a library's own function of the call of it."""
        found, frame = ("", 0), self._root
        for number, part in path:
            own, library = find_places(frame.equations[number])
            found = own or (found if found[0] and not is_installed(found[0]) else library or found)
            if part >= 0:
                frame = frame.inside(number).part(part)
        return found

    def _describe_place(self) -> dict[str, Any]:
        if not self._is_equation(self.path):
            return {"is_end": bool(self.path)}
        frame, number = self._frame(self.path), self.path[-1][0]
        iterations, rounds = self._iterations(self.path)
        file, line = self._line(self.path)
        return {
            "equation": self._id(self.path),
            "iterations": iterations,
            "rounds": rounds,
            "operation": frame.equations[number].primitive.name,
            "file": file,
            "line": line,
        }

    def _describe(self) -> dict[str, Any]:
        failure, inside = "", None
        if self._is_equation(self.path):
            try:
                self._frame(self.path).results(self.path[-1][0])
            except EquationFailed as failed:
                failure = f"{failed.id}: {self._explain(failed.error)}"
            inside = self._frame(self.path).inside(self.path[-1][0])
        values = list(self._values(has_results=not failure))
        told = [self._tell_value(*each) for each in values[:_MAX_VALUES]]
        self._cache.trim()
        return {
            **self._describe_place(),
            "values": told,
            "num_left_out": len(values) - len(told),
            "can_enter": inside is not None and inside.num_names > 0,
            "inside": inside.reason if inside is not None else "",
            "failure": failure,
            "kept_bytes": self._cache.num_bytes,
            "most_bytes": self._cache.most_bytes,
        }

    def _values(self, *, has_results: bool) -> Iterator[tuple[str, int, Any, Any, str, str]]:
        """Kind, index, aval, value, name and source of each value at the present place."""
        subject, root = self._subject, self._root
        inner = compat.open_jaxpr(subject.stage.jaxpr)
        paths = list(subject.program.derived.argument_paths)
        offset = len(subject.inputs) - len(paths)
        if not self.path:
            for number, (variable, value) in enumerate(
                zip(inner.invars, subject.inputs, strict=True)
            ):
                is_named = 0 <= number - offset < len(paths)
                name = paths[number - offset] if is_named else f"constant {number}"
                yield "argument", number, variable.aval, value, name, ""
        elif self._is_end(self.path):
            result_paths = subject.stage.result_paths
            for number, (atom, value) in enumerate(zip(root.outvars, root.outputs(), strict=True)):
                name = result_paths[number] if number < len(result_paths) else f"result {number}"
                yield "result", number, atom.aval, value, name or "result", self._made_by((), atom)
        else:
            yield from self._values_of_equation(has_results=has_results)

    def _values_of_equation(
        self, *, has_results: bool
    ) -> Iterator[tuple[str, int, Any, Any, str, str]]:
        frame, at = self._frame(self.path), self.path[-1][0]
        equation = frame.equations[at]
        for number, (atom, value) in enumerate(
            zip(equation.invars, frame.operands(at), strict=True)
        ):
            source = self._made_by(self.path[:-1], atom)
            yield "operand", number, atom.aval, value, self._name(frame, atom), source
        if has_results:
            for number, (variable, value) in enumerate(
                zip(equation.outvars, frame.results(at), strict=True)
            ):
                name = "result" if len(equation.outvars) == 1 else f"result {number}"
                yield "result", number, variable.aval, value, name, ""

    def _made_by(self, around: Path, atom: Any) -> str:
        frame = self._frame((*around, (0, -1)))
        kind, number = frame.source(atom)
        return f"{frame.prefix}{number}" if kind == "equation" else ""

    def _name(self, frame: JaxprFrame, atom: Any) -> str:
        kind, number = frame.source(atom)
        if kind == "equation":
            return f"{frame.prefix}{number} {frame.equations[number].primitive.name}"
        if kind == "input" and frame is self._root:
            paths = list(self._subject.program.derived.argument_paths)
            place = number - (len(self._subject.inputs) - len(paths))
            return paths[place] if 0 <= place < len(paths) else f"constant {number}"
        return f"input {number}" if kind == "input" else kind

    def _tell_value(
        self, kind: str, index: int, aval: Any, value: Any, name: str, source: str
    ) -> dict[str, Any]:
        return {
            "kind": kind,
            "index": index,
            "name": name,
            "type": aval_text(aval),
            "summary": summarize(value),
            "source": source,
            "loaded": self._subject.loaded.get(index, "") if kind == "argument" else "",
        }

    # --- a slice of a value ---

    def _look(self, message: Message) -> tuple[str, dict[str, Any], dict[str, Any]]:
        kind, index = str(message.fields.get("kind")), int(message.fields.get("index") or 0)
        for found in self._values(has_results=kind == "result"):
            if found[:2] == (kind, index):
                try:
                    view = view_slice(found[3], str(message.fields.get("slice") or ""))
                except ValueError as error:
                    return "array_view", {"problem": str(error)}, {}
                told = self._compare(message.fields.get("holds"), found[4], found[3])
                wanted = message.fields.get("forms") or ()
                forms = [
                    self._find_form(form, *found[:2], found[3], view.fields["slice"])
                    for form in FORMS
                    if form in wanted or (form == JIT and _TRIALS in wanted)
                ]
                if _TRIALS in wanted and (forms[0]["difference"] or {}).get("num_different"):
                    forms[0] |= self._try_passes(*found[:2], found[3])
                return "array_view", {**view.fields, **told, "forms": forms}, view.arrays
        return "array_view", {"problem": say("There is no such value here.")}, {}

    def _find_form(
        self, form: str, kind: str, index: int, eager: Any, slice: str
    ) -> dict[str, Any]:
        """The fields of an `OtherForm`."""
        self._channel.progress("step", say("Finding the value in {form}", form=form), can_skip=True)
        try:
            value, difference = describe_against(eager, self._find_in(form, kind, index))
        except NoSuchForm as missing:
            return {"form": form, "cells": [], "difference": None, "reason": missing.args[0]}
        except Exception as error:
            return {"form": form, "cells": [], "difference": None, "reason": self._explain(error)}
        cells = view_slice(value, slice).fields["cells"]
        return {"form": form, "cells": cells, "difference": difference, "reason": ""}

    def _find_in(self, form: str, kind: str, index: int) -> Any:
        """A value of the present place in another form.

        Raises:
            NoSuchForm: It has none.
        """
        place, number = self._made_at(kind, index)
        return self._forms.find(form, place)[number]

    def _try_passes(self, kind: str, index: int, eager: Any) -> dict[str, Any]:
        """Fields of an `OtherForm`: what makes the value of jit another."""
        self._channel.progress(
            "step", say("Compiling without parts of the compiler"), can_skip=True
        )
        trials, reason = try_without_passes(self._forms, *self._made_at(kind, index), eager)
        return {"trials": trials, "trials_reason": reason}

    def _made_at(self, kind: str, index: int) -> tuple[Place, int]:
        """The equation that makes a value of the present place, and which of its results it is.

        Raises:
            NoSuchForm: It is the same in all forms, or made elsewhere.
        """
        path = self.path
        if kind == "result":
            return self._place(path), index
        if kind == "operand":
            frame = self._frame(path)
            atom = frame.equations[path[-1][0]].invars[index]
            source, number = frame.source(atom)
            if source == "equation":
                maker = self._place((*path[:-1], (number, -1)))
                places = list(frame.equations[number].outvars)
                return maker, places.index(atom)
            if source == "input" and frame is not self._root:
                raise NoSuchForm(
                    say("It comes from around this part: look at it where it is made.")
                )
        raise NoSuchForm(say("It is given: each form begins with the same numbers."))

    def _place(self, path: Path) -> Place:
        """Names and rounds of the way to an equation; of the end nothing."""
        if self._is_end(path):
            return ()
        frame, found = self._root, []
        for number, part in path[:-1]:
            inside = frame.inside(number)
            found.append((number, inside.name(part), inside.iteration(part) or 0))
            frame = inside.part(part)
        return (*found, (path[-1][0], "", 0))

    def _compare(self, holds: object, name: str, value: Any) -> dict[str, Any]:
        """Hold a value or let go of it, and compare with what is held."""
        if holds is False:
            self._held = None
        elif holds is True:
            iterations = self._iterations(self.path)[0] if self._is_equation(self.path) else []
            rounds = f", round {', '.join(map(str, iterations))}" if iterations else ""
            place = f"{self._id(self.path)} " if self._is_equation(self.path) else ""
            self._held = f"{place}{name}{rounds}", value
        if self._held is None:
            return {}
        against, held = self._held
        if held is value:
            return {"against": against}
        return {"against": against, "difference": describe_difference(held, value)}

    def _explain(self, error: Exception) -> str:
        if isinstance(error, EquationFailed):
            return f"{error.id}: {self._explain(error.error)}"
        if isinstance(error, JaxscopeError):
            explanation: Explanation = error.explanation
        else:
            _, explanation = explain_exception(error, {self._subject.path}, stage="run")
        told = (each.rstrip(".") for each in (explanation.what, explanation.why) if each)
        return f"{': '.join(told)}."[:1000]


def _suspicion(value: Any) -> tuple[int, float]:
    """How likely a value is what led to NaN or Inf; see `_find_chain`."""
    summary = summarize(value)
    if summary["num_nan"] or summary["num_inf"]:
        return 2, float(summary["num_nan"] + summary["num_inf"])
    low, high = summary["min"], summary["max"]
    if low is None or high is None:
        return 0, 0.0
    has_zero = bool((np.asarray(held(value)) == 0).any())
    return int(has_zero), float(max(abs(low), abs(high)))


def _write_condition(condition: ValueCondition) -> str:
    if condition.kind == "shape":
        return f"shape {list(condition.shape)}"
    if condition.kind == "dtype":
        return f"dtype {condition.dtype}"
    named = {"nan": "NaN", "inf": "Inf"}.get(condition.kind)
    return f"it has {named}" if named else f"an element {condition.kind} {condition.number:g}"


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None
