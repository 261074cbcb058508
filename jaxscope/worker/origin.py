"""Tell where eager and jitted results part, and which part of the compiler makes the difference."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import jax

from jaxscope.model.op_name import TagTable
from jaxscope.worker import compat
from jaxscope.worker.call import Call
from jaxscope.worker.divergence import Compare, Divergence, Group, OutOfTime
from jaxscope.worker.equation_timing import find_inputs
from jaxscope.worker.measuring import Laboratory
from jaxscope.worker.pass_trials import find_fusions, try_options, try_passes
from jaxscope.worker.passes import name_passes
from jaxscope.worker.program import TracedProgram

BUDGET_S = 30.0
_MOST_EQUATIONS = 5_000
_MOST_WHOLE = 4


def send_origin(
    laboratory: Laboratory, program: TracedProgram, call: Call, compare: Compare
) -> None:
    """Look for the origin, and send it or why it is not known."""
    reason = ""
    try:
        reason = _Search(laboratory, program, call, compare).send()
    except OutOfTime:
        reason = f"Looking for it was given up after {BUDGET_S:.0f} s."
    except Exception as error:  # whatever the program or XLA raises
        reason = f"Looking for it failed: {laboratory.describe(error)}"
    if reason:
        laboratory.channel.send("origin_missing", {"reason": reason})


class _Search:
    def __init__(
        self, laboratory: Laboratory, program: TracedProgram, call: Call, compare: Compare
    ) -> None:
        self._laboratory = laboratory
        self._program = program
        self._call = call
        self._compare = compare
        self._deadline_s = laboratory.stopwatch.now_s() + BUDGET_S

    def send(self) -> str:
        """Send what was found; otherwise returns why nothing was."""
        jaxpr = self._program.derived.jaxpr
        inputs = find_inputs(self._program, self._call)
        equations = compat.open_jaxpr(jaxpr).eqns
        if inputs is None:
            return "Which argument each input of the program is, could not be found out."
        if len(equations) > _MOST_EQUATIONS:
            return f"The program has {len(equations):,} equations, too many to look at."
        divergence = Divergence(jaxpr, inputs, self._compare, self._check_time)
        group = divergence.find()
        if group is None:
            return (
                "The equations give the same bits one by one and compiled together, so the eager "
                "run of the function must compute something else than its equations do."
            )
        last = equations[group.numbers[-1]]
        frame = next(iter(compat.user_frames(last.source_info)), None)
        ids = [str(number) for number in group.numbers]
        fields = {
            "equations": ids,
            "operations": [equations[number].primitive.name for number in group.numbers],
            "place": f"{frame[0]}:{frame[1]}" if frame is not None else "",
            "worst": group.difference,
            "is_least": group.is_least,
            "fusions": self._find_fusions(ids),
        }
        # Should XLA end the process for want of a pass, what is known by then is known.
        self._send(fields, [], divergence, "XLA gave up when it was compiled without a pass.")
        trials, reason = self._try_passes(divergence, group, inputs)
        self._send(fields, trials, divergence, reason)
        return ""

    def _send(
        self,
        fields: dict[str, Any],
        trials: list[dict[str, Any]],
        divergence: Divergence,
        reason: str,
    ) -> None:
        rest = {"trials": trials, "num_compiled": divergence.num_compiled, "reason": reason}
        self._laboratory.channel.send("origin", fields | rest)

    def _try_passes(
        self, divergence: Divergence, group: Group, inputs: Sequence[Any]
    ) -> tuple[list[dict[str, Any]], str]:
        """The trials, and why they are not all there."""
        trials: list[dict[str, Any]] = []
        run = divergence.lower(group.numbers)
        eager = divergence.eager(group.numbers[-1])

        def list_passes(options: Mapping[str, Any]) -> list[str]:
            return name_passes(lambda others: run({**options, **others}))

        try:
            run_apart = functools.partial(divergence.compile_apart, group.numbers)
            found = try_passes(run, eager, run_apart, list_passes, self._compare)
            for trial in found:  # those that were made count, should time run out
                trials.append(trial)
            self._try_whole(trials, divergence, inputs)
        except OutOfTime:
            return trials, f"After {BUDGET_S:.0f} s no further pass was switched off."
        except Exception as error:
            return trials, f"Passes could not be recorded: {self._laboratory.describe(error)}"
        return trials, ""

    def _try_whole(
        self, trials: list[dict[str, Any]], divergence: Divergence, inputs: Sequence[Any]
    ) -> None:
        """What restores the group may not restore the program: other differences may be left."""
        lowered = jax.jit(
            lambda *values: compat.evaluate_jaxpr(self._program.derived.jaxpr, values)
        ).lower(*inputs)

        def run(options: Any) -> Sequence[Any]:
            self._check_time()
            results: Sequence[Any] = lowered.compile(compiler_options=dict(options) or None)(
                *inputs
            )
            return results

        plain = list(run({}))
        restoring = [trial for trial in trials if trial["outcome"] == "equal"]
        for trial in restoring[:_MOST_WHOLE]:
            name, _, value = trial["option"].partition("=")
            options = {name: int(value) if value.isdigit() else value}
            trial["whole"] = try_options(run, options, divergence.results, plain, self._compare)[0]

    def _find_fusions(self, ids: Sequence[str]) -> list[str]:
        traced, _, derived_ids = self._program.tag_derived()
        self._check_time()
        table = TagTable(self._program.base_ids, derived_ids)
        return find_fusions(traced.lower().compile(), table, ids)

    def _check_time(self) -> None:
        if self._laboratory.stopwatch.now_s() > self._deadline_s:
            raise OutOfTime
