"""The values of a program under jit, in double precision or in a second run, and the eager ones.

A compiled program has no values but its results. So the whole program is compiled with the value
that is asked for as a further result: XLA may then fuse in another way than without. In double
precision the same equations run on the same arguments and constants, each made wider. An equation
that works on the bits of a number, or whose rule was traced for one type, runs in its own type
there, and is named. A second run does what the first did; where it differs, the arguments do not
determine the values. Cost: a compilation for each value that is asked for, and of jit one for each
part of the compiler that is left out to find what makes the first difference.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.model.operations import CALLS
from jaxscope.model.said import say, say_count, say_joined
from jaxscope.model.values import ArrayDifference, is_beyond
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.host.values import aval_text
from jaxscope.worker.provenance.tagging import nested_jaxprs
from jaxscope.worker.stages.pass_trials import OutOfTime, try_passes
from jaxscope.worker.stages.passes import name_passes
from jaxscope.worker.stages.running import as_input, is_plain
from jaxscope.worker.values.arrays import describe_difference
from jaxscope.worker.values.frames import JaxprFrame, ValueCache
from jaxscope.worker.values.subject import ReadyProgram

JIT, FLOAT64, AGAIN = FORMS = "jit", "float64", "again"
Place = tuple[tuple[int, str, int], ...]
"""Numbers of equations from the outermost in, each with the name of the jaxpr inside that leads on
and the index of the round; of the last nothing leads on."""
_OWN_TYPE = ("bitcast_convert_type", "random_bits", "random_seed", "random_wrap", "random_unwrap")
_BUDGET_S = 60.0
_TRIALS_BUDGET_S = 30.0
_KEPT_BYTES = 1 << 30
_MOST_EQUATIONS = 5_000


_NOT_HERE = say("The second run does not come here.")


class NoSuchForm(Exception):
    """A value that the other form does not have; the message says why."""


class OtherForms:
    """Values of one program under jit, in float64, and in a second run.

    Attributes:
        in_own_type: Primitives that double precision left in the types that they have.
    """

    def __init__(self, jaxpr: Any, inputs: Sequence[Any], cache: ValueCache | None = None) -> None:
        self._jaxpr, self._inputs = jaxpr, list(inputs)
        self._cache = ValueCache(_KEPT_BYTES) if cache is None else cache
        self._is_wide = False
        self._known: tuple[tuple[str, Place], list[Any]] | None = None
        self._second: JaxprFrame | None = None
        self.in_own_type: set[str] = set()

    def find(self, form: str, place: Place = ()) -> list[Any]:
        """The results of an equation in a form; without a place those of the program.

        Raises:
            NoSuchForm: There is none.
            Exception: Whatever compiling or running raises.
        """
        if self._known is None or self._known[0] != (form, place):
            self._known = (form, place), self._compute(form, place)
        return self._known[1]

    def _compute(self, form: str, place: Place) -> list[Any]:
        if compat.open_jaxpr(self._jaxpr).effects:
            raise NoSuchForm(say("The program has side effects: it is not run once more."))
        if form == AGAIN:
            return list(map(_as_numpy, self._run_again(place)))
        self._is_wide = form == FLOAT64
        with jax.enable_x64(True) if self._is_wide else contextlib.nullcontext():
            inputs = [_widen(each) for each in self._inputs] if self._is_wide else self._inputs
            results, asked = jax.jit(lambda *given: self._run(self._jaxpr, given, place))(*inputs)
        if not place:
            return list(map(_as_numpy, results))
        if not bool(asked[0]):
            raise NoSuchForm(say("In {form} the program does not come here.", form=form))
        return list(map(_as_numpy, asked[1:]))

    def _run_again(self, place: Place) -> list[Any]:
        """The results of an equation in one second run, whichever is asked for first."""
        if self._second is None:
            self._second = JaxprFrame(self._cache, self._jaxpr, self._inputs)
        frame, outputs = self._second, self._second.outputs()
        if not place:
            return outputs
        for number, name, iteration in place[:-1]:
            inside = frame.inside(number)
            try:
                part = inside.find(name, None if inside.num_rounds is None else iteration)
            except LookupError as error:
                raise NoSuchForm(say_joined((_NOT_HERE, error.args[0]))) from None
            if inside.is_aside(part):
                raise NoSuchForm(say_joined((_NOT_HERE, inside.reason)))
            frame = inside.part(part)
        return frame.results(place[-1][0])

    def lower(self, place: Place) -> Callable[[Mapping[str, Any]], list[Any]]:
        """The program whose results include those of an equation, to be compiled under jit.

        Returns:
            Compiles it with options of XLA's, and gives the results at the place. It raises
            `NoSuchForm` where the program does not come there, and whatever compiling raises.
        """
        self._is_wide = False
        lowered = jax.jit(lambda *given: self._run(self._jaxpr, given, place)).lower(*self._inputs)

        def run(options: Mapping[str, Any]) -> list[Any]:
            compiled = lowered.compile(compiler_options=dict(options) or None)
            results, asked = compiled(*self._inputs)
            if not place:
                return list(map(_as_numpy, results))
            if not bool(asked[0]):
                raise NoSuchForm(say("The program does not come here."))
            return list(map(_as_numpy, asked[1:]))

        return run

    def _run(
        self, jaxpr: Any, inputs: Sequence[Any], place: Place
    ) -> tuple[list[Any], tuple[Any, ...]]:
        """Run a jaxpr while it is traced.

        Returns:
            Its results; and whether the place was come to, with the results there: nothing where no
            place was given.
        """
        asked: tuple[Any, ...] = ()

        def run(number: int, equation: Any, operands: list[Any]) -> list[Any]:
            nonlocal asked
            operands = [
                as_input(atom, value) if compat.is_literal(atom) else value
                for atom, value in zip(equation.invars, operands, strict=True)
            ]
            if self._is_wide:
                operands = list(map(_widen, operands))
            is_on_way = bool(place) and number == place[0][0]
            if is_on_way and len(place) > 1:
                results, asked = self._enter(equation, operands, place)
            else:
                results = self._bind(equation, operands)
                asked = (jnp.ones((), bool), *results) if is_on_way else asked
            return results

        return compat.run_equations(jaxpr, inputs, run), asked

    def _bind(self, equation: Any, operands: list[Any]) -> list[Any]:
        if not self._is_wide:
            return list(compat.bind_equation(equation, operands))
        try:
            return self._enter(equation, operands, ())[0]
        except NoSuchForm:
            return self._bind_wide(equation, operands)

    def _enter(
        self, equation: Any, operands: list[Any], place: Place
    ) -> tuple[list[Any], tuple[Any, ...]]:
        """Run what is inside of an equation; see `_run`.

        Raises:
            NoSuchForm: It runs as a whole.
        """
        name = equation.primitive.name
        nested = nested_jaxprs(equation.params)
        if name in CALLS and nested:
            if equation.params.get("differentiated") and equation.params.get("prevent_cse"):
                barrier: Callable[[Sequence[Any]], Sequence[Any]] = jax.lax.optimization_barrier
                operands = list(barrier(operands))
            return self._run(nested[0][1], operands, place[1:])
        enter = {"cond": self._enter_branch, "scan": self._enter_scan, "while": self._enter_while}
        if name in enter:
            return enter[name](equation, operands, place)
        raise NoSuchForm(say("{name} is compiled as a whole.", name=name))

    def _enter_branch(
        self, equation: Any, operands: list[Any], place: Place
    ) -> tuple[list[Any], tuple[Any, ...]]:
        nested = [n for n in nested_jaxprs(equation.params) if n[0].startswith("branches")]
        inner = place[1:]
        wanted = next((n for n, each in enumerate(nested) if place and each[0] == place[0][1]), 0)
        of_wanted = jax.eval_shape(
            lambda *given: self._run(nested[wanted][1], given, inner)[1], *operands[1:]
        )

        def make(number: int, branch: Any) -> Callable[..., Any]:
            def run(*given: Any) -> Any:
                if number == wanted:
                    return self._run(branch, given, inner)
                missing = tuple(jnp.zeros(each.shape, each.dtype) for each in of_wanted)
                return self._run(branch, given, ())[0], missing

            return run

        branches = [make(number, branch) for number, (_, branch) in enumerate(nested)]
        results, asked = jax.lax.switch(operands[0], branches, *operands[1:])
        return list(results), asked

    def _enter_scan(
        self, equation: Any, operands: list[Any], place: Place
    ) -> tuple[list[Any], tuple[Any, ...]]:
        parameters = equation.params
        num_consts, num_carry = compat.scan_counts(parameters).values()
        end = num_consts + num_carry

        def take_round(carry: Any, sliced: Any) -> Any:
            given = [*operands[:num_consts], *carry, *sliced]
            results, asked = self._run(parameters["jaxpr"], given, place[1:])
            return results[:num_carry], (results[num_carry:], asked)

        carry, (stacked, asked) = jax.lax.scan(
            take_round,
            operands[num_consts:end],
            operands[end:],
            length=int(parameters["length"]),
            reverse=bool(parameters["reverse"]),
            unroll=parameters["unroll"],
        )
        return [*carry, *stacked], tuple(each[place[0][2]] for each in asked)

    def _enter_while(
        self, equation: Any, operands: list[Any], place: Place
    ) -> tuple[list[Any], tuple[Any, ...]]:
        parameters = equation.params
        condition, body = parameters["cond_jaxpr"], parameters["body_jaxpr"]
        if place and place[0][1] == "cond_jaxpr":
            raise NoSuchForm(say("What the condition of a loop computes is no result of the loop."))
        if compat.open_jaxpr(condition).outvars[0].aval.shape:
            raise NoSuchForm(say("The loop is one of several by vmap: it is compiled as a whole."))
        num_cond, num_body = parameters["cond_nconsts"], parameters["body_nconsts"]
        for_cond, for_body = operands[:num_cond], operands[num_cond : num_cond + num_body]
        start = operands[num_cond + num_body :]
        inner, wanted = place[1:], place[0][2] if place else 0

        def take_asked(*state: Any) -> Any:
            return self._run(body, [*for_body, *state], inner)[1]

        kept = tuple(jnp.zeros(e.shape, e.dtype) for e in jax.eval_shape(take_asked, *start))

        def goes_on(carried: Any) -> Any:
            return self._run(condition, [*for_cond, *carried[1]], ())[0][0]

        def take_round(carried: Any) -> Any:
            number, state, kept = carried
            results, asked = self._run(body, [*for_body, *state], inner)
            is_wanted = number == wanted
            kept = tuple(jnp.where(is_wanted, a, k) for a, k in zip(asked, kept, strict=True))
            return number + 1, results, kept

        _, state, kept = jax.lax.while_loop(goes_on, take_round, (jnp.int32(0), start, kept))
        return list(state), kept

    def _bind_wide(self, equation: Any, operands: list[Any]) -> list[Any]:
        """Bind an equation in double precision; in its own type where it has no other."""
        name, parameters = equation.primitive.name, equation.params
        if name not in _OWN_TYPE and not any(map(compat.holds_jaxpr, parameters.values())):
            wide = {key: _widen_parameter(value) for key, value in parameters.items()}
            try:
                widened = equation.replace(params=wide)
                return list(map(_widen, compat.bind_equation(widened, operands)))
            except Exception:  # a rule of the primitive's wants the types that were traced
                pass
        if any(_is_narrow(atom.aval) for atom in (*equation.invars, *equation.outvars)):
            self.in_own_type.add(name)
        own = [
            jnp.asarray(value, atom.aval.dtype) if is_plain(value) else value
            for atom, value in zip(equation.invars, operands, strict=True)
        ]
        return list(map(_widen, compat.bind_equation(equation, own)))


def _as_numpy(value: Any) -> Any:
    """An array that no setting of JAX makes narrower."""
    return np.asarray(value) if is_plain(value) else value


def _is_narrow(value: Any) -> bool:
    dtype = getattr(value, "dtype", None)
    return dtype is not None and _wide_type(dtype) != dtype


def _wide_type(dtype: Any) -> Any:
    if jnp.issubdtype(dtype, jnp.complexfloating):
        return np.dtype(np.complex128)
    return np.dtype(np.float64) if jnp.issubdtype(dtype, jnp.floating) else dtype


def _widen(value: Any) -> Any:
    """A number or an array in double precision; what is none stays."""
    return jnp.asarray(value, _wide_type(value.dtype)) if _is_narrow(value) else value


def _widen_parameter(value: Any) -> Any:
    is_scalar_type = isinstance(value, type) and issubclass(value, np.generic)
    is_type = is_scalar_type or isinstance(value, np.dtype)
    return _wide_type(np.dtype(value)) if is_type else value


def describe_against(eager: Any, other: Any) -> tuple[Any, dict[str, Any] | None]:
    """A value of another form in the type of the eager one, and how they differ."""
    dtype = getattr(eager, "dtype", None)
    if dtype is not None and is_plain(eager) and is_plain(other) and other.dtype != dtype:
        with np.errstate(over="ignore"):
            other = np.asarray(other).astype(dtype)
    return other, describe_difference(eager, other)


def send_comparison(subject: ReadyProgram, form: str, ulps: int, channel: Channel) -> None:
    """Send how each equation's results in a form differ from the eager ones.

    Equations of calls and of branches that are taken are looked at one by one, loops as a whole.
    Of jit it is then found out which part of the compiler makes the first difference.

    Args:
        ulps: Differences up to so many ULPs are none.
    """
    cache = ValueCache(_KEPT_BYTES)
    forms = OtherForms(subject.stage.jaxpr, subject.inputs, cache)
    root = JaxprFrame(cache, subject.stage.jaxpr, subject.inputs)
    started_s = time.monotonic()
    deadline_s = started_s + _BUDGET_S
    rows: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    reason = ""
    first: tuple[str, Place, int, Any] | None = None
    try:
        made = zip(root.outputs(), forms.find(form), strict=True)
        for number, (eager, other) in enumerate(made):
            difference = describe_against(eager, other)[1]
            results.append({"number": number, "difference": difference})
        for num_done, (frame, number, place, file, line) in enumerate(_find_places(root)):
            equation = frame.equations[number]
            if time.monotonic() > deadline_s or num_done >= _MOST_EQUATIONS:
                reason = say(
                    "From {prefix}{number} on nothing was compared: the comparison was stopped "
                    "after {done}, in {seconds:.0f} s.",
                    prefix=frame.prefix,
                    number=number,
                    done=say_count(num_done, "equation"),
                    seconds=time.monotonic() - started_s,
                )
                break
            channel.progress(
                "against",
                say(
                    "Equation {prefix}{number} in {form}",
                    prefix=frame.prefix,
                    number=number,
                    form=form,
                ),
            )
            found = zip(frame.results(number), forms.find(form, place), strict=True)
            for at, (eager, other) in enumerate(found):
                difference = describe_against(eager, other)[1]
                rows.append(
                    {
                        "id": f"{frame.prefix}{number}",
                        "operation": equation.primitive.name,
                        "type": aval_text(equation.outvars[at].aval),
                        "number": at,
                        "difference": difference,
                        "file": file,
                        "line": line,
                    }
                )
                if first is None and _is_beyond(difference, ulps):
                    first = f"{frame.prefix}{number}", place, at, eager
    except NoSuchForm as missing:
        reason = missing.args[0]
    except Exception as error:  # of XLA, or of an equation that cannot run by itself
        reason = f"{type(error).__name__}: {str(error).strip()[:300]}"
    fields = {"form": form, "in_own_type": sorted(forms.in_own_type), "reason": reason}
    told = {**fields, "equations": rows, "results": results}
    if form != JIT or first is None:
        channel.send("comparison", told)
        return
    # Should XLA end the process for want of a pass, what is known by then is known.
    lost = say("XLA gave up when it was compiled without a pass.")
    channel.send("comparison", {**told, "trials_reason": lost})
    channel.progress(
        "against", say("Which part of the compiler makes equation {number} differ", number=first[0])
    )
    trials, why = try_without_passes(forms, *first[1:], ulps)
    channel.send("comparison", {**told, "trials": trials, "trials_reason": why})


def _is_beyond(difference: Mapping[str, Any] | None, ulps: int) -> bool:
    return difference is not None and is_beyond(ArrayDifference(**difference), ulps)


def try_without_passes(
    forms: OtherForms, place: Place, number: int, eager: Any, ulps: int = 0
) -> tuple[list[dict[str, Any]], str]:
    """What a value under jit becomes without a part of the compiler.

    Args:
        place: The equation that makes it; empty: the program does.
        number: Among the results there.
        eager: What it is without jit.
        ulps: Differences up to so many ULPs are none.

    Returns:
        The trials, and why they are not all there.
    """
    deadline_s = time.monotonic() + _TRIALS_BUDGET_S
    trials: list[dict[str, Any]] = []

    def compare(one: Sequence[Any], other: Sequence[Any]) -> dict[str, Any] | None:
        found = describe_against(one[0], other[0])[1]
        return found if _is_beyond(found, ulps) else None

    try:
        run = forms.lower(place)

        def run_in_time(options: Mapping[str, Any]) -> list[Any]:
            if time.monotonic() > deadline_s:
                raise OutOfTime
            return [run(options)[number]]

        def list_passes(options: Mapping[str, Any]) -> list[str]:
            return name_passes(lambda others: run({**options, **others}))

        for trial in try_passes(run_in_time, [eager], list_passes, compare):
            trials.append(trial)  # those that were made count, should time run out
    except OutOfTime:
        return trials, say(
            "After {seconds:.0f} s no further pass was switched off.", seconds=_TRIALS_BUDGET_S
        )
    except Exception as error:  # of XLA, or of an equation that cannot run by itself
        return trials, f"{type(error).__name__}: {str(error).strip()[:300]}"
    return trials, ""


def _find_places(
    frame: JaxprFrame, around: Place = (), line: tuple[str, int] = ("", 0)
) -> Iterator[tuple[JaxprFrame, int, Place, str, int]]:
    """All equations that run, with their places and lines, but for those inside of loops."""
    for number, equation in enumerate(frame.equations):
        inside = frame.inside(number)
        here = compat.user_place(equation) or line
        if inside.is_call:
            yield from _find_places(inside.part(0), (*around, (number, inside.name(0), 0)), here)
        elif equation.outvars:
            yield frame, number, (*around, (number, "", 0)), *here
