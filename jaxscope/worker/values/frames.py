"""Run a jaxpr equation by equation, and keep every value.

A frame runs the equations of one jaxpr in order, each once, and keeps what they made. Where all
that is kept grows too large, values are dropped and computed again when they are asked for: what is
read behind the next checkpoint stays, so that computing again takes no longer than the time between
two checkpoints. An equation with side effects is never run again.

Calls and the branch that is taken are run as frames of their own. A loop is bound as a whole for
its results; the state before any of its rounds is computed by the loop itself, compiled once with
the number of rounds as an operand, and the equations of a round are run on that.
"""

from __future__ import annotations

import collections
import time
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.model.said import say
from jaxscope.worker import compat
from jaxscope.worker.channel import Skipped, was_skipped
from jaxscope.worker.provenance.tagging import nested_jaxprs
from jaxscope.worker.stages.running import find_called, read_loop

_SEGMENT_S = 0.2
"""Between two checkpoints: computing a value again takes about as long."""
_ROUNDS_S = 0.2
"""The same inside of loops."""
_MOST_STATES = 64
_LAST_LEVEL = 16
_MOST_ROUNDS = 2**31 - 2

_Segments = collections.OrderedDict[tuple[int, int], "JaxprFrame"]


class EquationFailed(Exception):
    """An equation raised something.

    Attributes:
        id: Of the equation.
        error: What it raised.
    """

    def __init__(self, id: str, error: Exception) -> None:
        super().__init__(id)
        self.id, self.error = id, error


class ValueCache:
    """Counts what all frames of a run keep, and drops what can be computed again.

    Attributes:
        most_bytes: Values are dropped where there are more.
        num_bytes: Of all values that are kept, without the arguments.
    """

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.num_bytes = 0
        self._whole: _Segments = collections.OrderedDict()
        self._thinned: _Segments = collections.OrderedDict()
        self._level = 0  # of so many checkpoints as 2 to this power one is left

    def touch(self, frame: JaxprFrame, segment: int) -> None:
        """Note that a segment of a frame is in use."""
        key = id(frame), segment
        self._thinned.pop(key, None)
        self._whole[key] = frame
        self._whole.move_to_end(key)

    def forget(self, frame: JaxprFrame) -> None:
        """Forget what a frame kept."""
        for segment in range(frame.num_segments):
            for known in (self._whole, self._thinned):
                known.pop((id(frame), segment), None)

    def trim(self) -> None:
        """Drop values until there is room, those not used for longest first.

        Where checkpoints alone are too much, every other one is given up, for all segments alike.
        """
        while True:
            while self.num_bytes > self.most_bytes and len(self._whole) > 1:
                key, frame = self._whole.popitem(last=False)
                self._thinned[key] = frame
                frame.drop(key[1], self._level)
            if self.num_bytes <= self.most_bytes or self._level >= _LAST_LEVEL:
                return
            self._level += 1
            for key, frame in list(self._thinned.items()):
                if key in self._thinned:  # it may go with the equation that it is inside of
                    frame.drop(key[1], self._level)


class JaxprFrame:
    """Runs one jaxpr on its inputs.

    Attributes:
        equations: JAX's own.
        prefix: Of the ids of its equations.
        inputs: What the jaxpr got.
        num_run: So many equations were run at least once.
        pinned: Equations whose inside is in use: it is not dropped.
    """

    def __init__(
        self,
        cache: ValueCache,
        jaxpr: Any,
        inputs: Sequence[Any],
        prefix: str = "",
        *,
        is_again: bool = False,
    ) -> None:
        """
        Args:
            is_again: Whether it ran before as a part of a whole: what only has side effects is
                left out.
        """
        inner = compat.open_jaxpr(jaxpr)
        self._cache, self._inner, self._is_again = cache, inner, is_again
        self.equations, self.prefix, self.inputs = inner.eqns, prefix, list(inputs)
        self._given = dict(zip(inner.constvars, compat.consts_of(jaxpr), strict=False))
        self._given.update(zip(inner.invars, inputs, strict=True))
        self._input_numbers = {variable: n for n, variable in enumerate(inner.invars)}
        self._makers: dict[Any, tuple[int, int]] = {}
        self._last_use: dict[int, int] = {}
        for number, equation in enumerate(inner.eqns):
            for atom in equation.invars:
                if not compat.is_literal(atom) and atom in self._makers:
                    self._last_use[self._makers[atom][0]] = number
            self._makers.update((v, (number, i)) for i, v in enumerate(equation.outvars))
        for atom in inner.outvars:
            if not compat.is_literal(atom) and atom in self._makers:
                self._last_use[self._makers[atom][0]] = len(inner.eqns)
        self._made: dict[int, list[Any]] = {}
        self._insides: dict[int, Inside] = {}
        self._failure: EquationFailed | None = None
        self._segment_of: list[int] = []
        self._starts = [0]
        self._segment_s, self._segment_bytes = 0.0, 0
        self.num_run = 0
        self.pinned: set[int] = set()

    @property
    def num_segments(self) -> int:
        """Parts between checkpoints so far."""
        return len(self._starts)

    # --- values ---

    def operands(self, number: int) -> list[Any]:
        """What an equation reads; the equations before it are run if they were not.

        Raises:
            EquationFailed: One of them fails.
        """
        self._run_to(number)
        return self._read(number)

    def results(self, number: int) -> list[Any]:
        """What an equation makes.

        Raises:
            EquationFailed: It, or one before it, fails.
        """
        self._run_to(number + 1)
        self._ensure(number)
        return self._made[number]

    def outputs(self) -> list[Any]:
        """The results of the jaxpr.

        Raises:
            EquationFailed: An equation fails.
        """
        self._run_to(len(self.equations))
        return [self._value(atom) for atom in self._inner.outvars]

    def source(self, atom: Any) -> tuple[str, int]:
        """Where an operand comes from: `literal`, `constant`, `input` with its number, or
        `equation` with its number.
        """
        if compat.is_literal(atom):
            return "literal", 0
        if atom in self._makers:
            return "equation", self._makers[atom][0]
        if atom in self._input_numbers:
            return "input", self._input_numbers[atom]
        return "constant", 0

    @property
    def outvars(self) -> Sequence[Any]:
        """The results of the jaxpr, as variables and literals."""
        results: Sequence[Any] = self._inner.outvars
        return results

    def inside(self, number: int) -> Inside:
        """What an equation runs; its operands are computed if they are not known.

        Raises:
            EquationFailed: One before it fails.
        """
        found = self._insides.get(number)
        if found is None:
            found = self._open(number, self.operands(number))
        return found

    # --- how it is done ---

    def _run_to(self, end: int) -> None:
        """Run the equations before a number that were never run."""
        while self.num_run < end:
            if self._failure is not None:
                raise self._failure
            number = self.num_run
            began = time.monotonic()
            try:
                results = self._compute(number)
            except EquationFailed as failure:
                self._failure = failure
                raise
            self._keep(number, results)
            self.num_run = number + 1
            self._cut(time.monotonic() - began)
            self._cache.trim()

    def _cut(self, seconds: float) -> None:
        """Begin another segment where this one has become long."""
        self._segment_s += seconds
        is_long = self._segment_s > _SEGMENT_S
        if is_long or self._segment_bytes > self._cache.most_bytes // 8:
            self._starts.append(self.num_run)
            self._segment_s, self._segment_bytes = 0.0, 0

    def _ensure(self, number: int) -> None:
        """Compute again what was dropped, with what it needs."""
        pending = [number]
        while pending:
            number = pending[-1]
            if number in self._made:
                pending.pop()
                continue
            needed = [
                self._makers[atom][0]
                for atom in self.equations[number].invars
                if not compat.is_literal(atom) and atom in self._makers
            ]
            missing = [maker for maker in needed if maker not in self._made]
            if missing:
                pending += missing
                continue
            self._keep(number, self._compute(number))
            pending.pop()
        if self._segment_of:
            self._cache.touch(self, self._segment_of[min(number, len(self._segment_of) - 1)])

    def _value(self, atom: Any) -> Any:
        if compat.is_literal(atom):
            return atom.val
        if atom in self._makers:
            number, place = self._makers[atom]
            self._ensure(number)
            return self._made[number][place]
        return self._given[atom]

    def _read(self, number: int) -> list[Any]:
        found = [self._value(atom) for atom in self.equations[number].invars]
        self._cache.trim()
        return found

    def _compute(self, number: int) -> list[Any]:
        equation = self.equations[number]
        operands = [self._value(atom) for atom in equation.invars]
        if self._is_again and equation.effects and not equation.outvars:
            return []
        try:
            inside = self._open(number, operands)
            if inside.is_call:
                return self._run_call(number, inside)
            return list(compat.bind_equation(equation, operands))
        except EquationFailed:
            raise
        except Exception as error:
            if was_skipped():  # a callback turns it into an error of its own
                raise Skipped from error
            raise EquationFailed(f"{self.prefix}{number}", error) from error

    def _run_call(self, number: int, inside: Inside) -> list[Any]:
        was_pinned = number in self.pinned
        self.pinned.add(number)
        try:
            return list(inside.part(0).outputs())
        finally:
            if not was_pinned:
                self.pinned.discard(number)

    def _open(self, number: int, operands: list[Any]) -> Inside:
        found = self._insides.get(number)
        if found is None:
            equation = self.equations[number]
            id = f"{self.prefix}{number}"
            found = Inside(self._cache, equation, operands, id, is_again=self._is_again)
            if found.num_names:
                self._insides[number] = found
        return found

    def _keep(self, number: int, results: list[Any]) -> None:
        if number == len(self._segment_of):
            self._segment_of.append(len(self._starts) - 1)
        size = sum(map(_num_bytes, results))
        if number not in self._made:
            self._cache.num_bytes += size
        self._made[number] = results
        self._segment_bytes += size
        self._cache.touch(self, self._segment_of[number])

    def drop(self, segment: int, level: int) -> None:
        """Drop what a segment made and what is not read behind a checkpoint.

        Args:
            level: Every so many segments as 2 to this power a checkpoint is kept.
        """
        is_last = segment + 1 == len(self._starts)
        end = self.num_run if is_last else self._starts[segment + 1]
        for number in range(self._starts[segment], min(end, self.num_run)):
            last = self._last_use.get(number, -1)
            if last < self.num_run and not self.equations[number].effects:
                later = self._segment_of[last] if last >= 0 else segment
                if later >> level == segment >> level:
                    self.release(number)

    def release(self, number: int) -> None:
        """Drop what one equation made, and what is known of its inside."""
        if number in self.pinned:
            return
        results = self._made.pop(number, None)
        if results is not None:
            self._cache.num_bytes -= sum(map(_num_bytes, results))
        inside = self._insides.pop(number, None)
        if inside is not None:
            inside.close()

    def close(self) -> None:
        """Release all values."""
        self.pinned.clear()
        for number in [*self._made, *self._insides]:
            self.release(number)
        self._cache.forget(self)


class Inside:
    """The jaxprs that an equation runs, in the order in which they run.

    A call has one part. So has a `cond`, the branch that is taken; behind it come the others, for
    who asks for them. A scan has one for each round; a `while` has its condition and its body in
    turn, and the condition once more.

    Attributes:
        is_call: Whether it is run as a frame: a call, or a branch.
        reason: Why there are no parts; or which branch is taken.
    """

    def __init__(
        self, cache: ValueCache, equation: Any, operands: list[Any], id: str, *, is_again: bool
    ) -> None:
        self._cache, self._equation, self._operands = cache, equation, operands
        self._id, self._is_again = id, is_again
        self.reason = ""
        self._parts: dict[int, JaxprFrame] = {}
        called = find_called(equation, operands)
        self.is_call = bool(called)
        self._called = called
        self._loop = None if called else read_loop(equation, operands)
        self._names: tuple[str, ...] = ()
        if called:
            if equation.primitive.name == "cond":
                branches = [b for b in nested_jaxprs(equation.params) if b[0].startswith("branch")]
                others = [(*each, called[0][2]) for each in branches if each[0] != called[0][0]]
                names = ", ".join(name for name, _, _ in others)
                taken = called[0][0]
                self.reason = (
                    say("{taken} was taken, not {names}.", taken=taken, names=names)
                    if names
                    else say("{taken} was taken.", taken=taken)
                )
                self._called = [*called, *(each for each in others if _can_be_tried(each[1]))]
            elif equation.primitive.name.startswith("custom_"):
                self.reason = say(
                    "Inside is the function itself; its rule belongs to the derivative."
                )
            self._names = tuple(name for name, _, _ in self._called)
        elif self._loop is not None:
            self._open_loop()
        elif nested_jaxprs(equation.params):
            self.reason = say("{name} runs as a whole.", name=equation.primitive.name)
        self._states: dict[int, tuple[Any, ...]] = {}
        self._num_rounds: int | None = None
        self._advance: Any = None

    def _open_loop(self) -> None:
        assert self._loop is not None
        bodies = [self._loop.body]
        if self._loop.length is None:
            bodies.append(self._equation.params["cond_jaxpr"])
        if any(map(_has_lasting_effects, bodies)):
            self.reason = say("Its rounds have side effects: they are not run a second time.")
            self._loop = None
            return
        if self._loop.is_active is not None:
            self.reason = say(
                "It runs while the condition of any element is true: an element whose condition is "
                "false keeps its values."
            )
        names = (self._loop.name,)
        self._names = names if self._loop.length is not None else ("cond_jaxpr", *names)

    @property
    def num_names(self) -> int:
        """How many jaxprs there are."""
        return len(self._names)

    @property
    def num_parts(self) -> int:
        """How many parts run; of a `while` its rounds are counted once."""
        if self.is_call:
            return 1
        if self._loop is None:
            return 0
        rounds = self.num_rounds or 0
        return 2 * rounds + 1 if self._is_while else rounds

    @property
    def num_rounds(self) -> int | None:
        """Rounds of the loop; None for a part that is no loop."""
        if self._loop is None:
            return None
        if self._loop.length is not None:
            return self._loop.length
        if self._num_rounds is None:
            self._num_rounds = self._run_up_to(_MOST_ROUNDS)[0]
        return self._num_rounds

    @property
    def _is_while(self) -> bool:
        return self._loop is not None and self._loop.length is None

    def name(self, part: int) -> str:
        """Of the jaxpr that a part runs, as in ids."""
        return self._names[part % 2 if self._is_while else part if self.is_call else 0]

    def is_aside(self, part: int) -> bool:
        """Whether a part is a branch that is not taken."""
        return self.is_call and part > 0

    def num_equations(self, part: int) -> int:
        """Equations of the jaxpr that a part runs."""
        if self._loop is None:
            jaxpr = self._called[part][1]
        else:
            is_condition = self._is_while and part % 2 == 0
            jaxpr = self._equation.params["cond_jaxpr"] if is_condition else self._loop.body
        return len(compat.open_jaxpr(jaxpr).eqns)

    def origin_of_input(self, part: int, number: int) -> tuple[int, Any]:
        """Where an input of a part comes from.

        Returns:
            An earlier part, or -1 for the jaxpr around, and the variable or literal of it.
        """
        equation, parameters = self._equation, self._equation.params
        if self._loop is None:
            shift = 1 if equation.primitive.name == "cond" else 0
            return -1, equation.invars[number + shift]
        if not self._is_while:
            carried = number - compat.scan_counts(parameters)["num_consts"]
            if part == 0 or not 0 <= carried < self._loop.num_state:
                return -1, equation.invars[number]
            return part - 1, compat.open_jaxpr(self._loop.body).outvars[carried]
        num_cond, num_body = parameters["cond_nconsts"], parameters["body_nconsts"]
        is_condition = part % 2 == 0
        carried = number - (num_cond if is_condition else num_body)
        if carried < 0:
            return -1, equation.invars[number + (0 if is_condition else num_cond)]
        if part < 2:
            return -1, equation.invars[num_cond + num_body + carried]
        earlier = part - (1 if is_condition else 2)
        return earlier, compat.open_jaxpr(self._loop.body).outvars[carried]

    def iteration(self, part: int) -> int | None:
        """Of a loop: the index of the slices that a round reads; else None."""
        if self._loop is None:
            return None
        return int(self._loop.place(part // 2 if self._is_while else part))

    def find(self, name: str, iteration: int | None) -> int:
        """The part of a name in an iteration; without one in the first that runs.

        Raises:
            LookupError: There is none; the message says why.
        """
        if name not in self._names:
            raise LookupError(self.reason or say("This part of the program does not run."))
        if self._loop is None:
            return self._names.index(name)
        rounds = self.num_rounds or 0
        most = rounds + (self._is_while and name == "cond_jaxpr")
        if not most:
            raise LookupError(say("The loop has no round."))
        number = 0 if iteration is None else int(self._loop.place(iteration))
        if not 0 <= number < most:
            raise LookupError(
                say(
                    "The loop has {rounds:,} rounds: there is no {number:,}.",
                    rounds=rounds,
                    number=iteration,
                )
            )
        return 2 * number + self._names.index(name) if self._is_while else number

    def part(self, number: int) -> JaxprFrame:
        """One of the frames; few of a loop are kept."""
        found = self._parts.get(number)
        if found is None:
            found = self._make_part(number)
            while len(self._parts) > 2:
                oldest = next(n for n in self._parts if n or not self.is_call)
                self._parts.pop(oldest).close()  # what is taken is not run again
            self._parts[number] = found
        return found

    def _make_part(self, number: int) -> JaxprFrame:
        prefix = f"{self._id}/{self.name(number)}/"
        if self._loop is None:
            _, jaxpr, inputs = self._called[number]
            return JaxprFrame(self._cache, jaxpr, inputs, prefix, is_again=self._is_again)
        place = number // 2 if self._is_while else number
        state = self._state(place)
        if self._is_while and number % 2 == 0:
            parameters = self._equation.params
            inputs = [*self._operands[: parameters["cond_nconsts"]], *state]
            return JaxprFrame(self._cache, parameters["cond_jaxpr"], inputs, prefix, is_again=True)
        inputs = self._loop.inputs(place, state)
        return JaxprFrame(self._cache, self._loop.body, inputs, prefix, is_again=True)

    def _state(self, number: int) -> tuple[Any, ...]:
        """The state before a round."""
        return self._run_up_to(number)[1]

    def _run_up_to(self, end: int) -> tuple[int, tuple[Any, ...]]:
        """The state before a round, or that behind the last; and how many rounds came before."""
        assert self._loop is not None
        self._states.setdefault(0, self._loop.start)
        known = max(n for n in self._states if n <= end)
        state, step = self._states[known], 1
        while known < end:
            began, wanted = time.monotonic(), min(end, known + step)
            known, state = self._run_rounds(known, state, wanted)
            self._remember(known, state)
            if known < wanted:
                break
            if time.monotonic() - began < _ROUNDS_S / 4:
                step *= 4
        return known, state

    def _remember(self, number: int, state: tuple[Any, ...]) -> None:
        size = sum(map(_num_bytes, state))
        room = self._cache.most_bytes // 8 // max(size, 1)
        most = max(2, min(_MOST_STATES, room))
        while len(self._states) > most:
            middle = sorted(self._states)[1:-1][::2]
            for each in middle or [max(self._states)]:
                del self._states[each]
        self._states[number] = state

    def _run_rounds(
        self, first: int, state: Sequence[Any], end: int
    ) -> tuple[int, tuple[Any, ...]]:
        """Run rounds until a number, or until the loop ends: the next round, and its state."""
        if self._advance is None:
            self._advance = jax.jit(self._make_advance())
        start = tuple(map(jnp.asarray, state))
        number, after = self._advance(self._operands, start, first, end)
        return int(number), tuple(after)

    def _make_advance(self) -> Any:
        equation = self._equation

        def advance(
            operands: list[Any], state: tuple[Any, ...], first: Any, end: Any
        ) -> tuple[Any, Any]:
            loop = read_loop(equation, operands)
            assert loop is not None
            body = _without_effects(loop.body)

            def goes_on(carried: Any) -> Any:
                number, state = carried
                return (number < end) & loop.goes_on(number, state)

            def take_round(carried: Any) -> Any:
                number, state = carried
                results = compat.evaluate_jaxpr(body, loop.inputs(number, state))
                return number + 1, loop.after(state, results)

            first = jnp.asarray(first, jnp.int32)
            number, after = jax.lax.while_loop(goes_on, take_round, (first, state))
            return number, after

        return advance

    def close(self) -> None:
        """Release all values."""
        for part in self._parts.values():
            part.close()
        self._parts.clear()


def _can_be_tried(branch: Any) -> bool:
    """Whether a branch that is not taken does nothing but compute."""
    waiting = [branch]
    while waiting:
        inner = compat.open_jaxpr(waiting.pop())
        if inner.effects or any("callback" in each.primitive.name for each in inner.eqns):
            return False
        waiting += (nested for each in inner.eqns for _, nested in nested_jaxprs(each.params))
    return True


def _has_lasting_effects(jaxpr: Any) -> bool:
    """Whether running it again would change something, beyond prints that can be left out."""
    inner = compat.open_jaxpr(jaxpr)
    if not inner.effects:
        return False
    return any(
        equation.effects and (equation.outvars or nested_jaxprs(equation.params))
        for equation in inner.eqns
    )


def _without_effects(jaxpr: Any) -> Any:
    """The same jaxpr without the equations that only have side effects."""
    equations = compat.open_jaxpr(jaxpr).eqns
    kept = [each for each in equations if not each.effects or each.outvars]
    return jaxpr if len(kept) == len(equations) else compat.replace_equations(jaxpr, kept)


def _num_bytes(value: Any) -> int:
    try:
        return int(np.size(value)) * int(getattr(value.dtype, "itemsize", 8) or 8)
    except Exception:  # of a type that is no array
        return 0
