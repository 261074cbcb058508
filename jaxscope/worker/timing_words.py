"""What the parts of a timing are called, and how they were measured, in words."""

from __future__ import annotations

from jaxscope.worker.stopwatch import LEAST_ROUNDS, Rounds, Subject


def noun_of(prefix: str) -> str:
    """What a prefix of names stands for, such as `gradient`."""
    return prefix.removesuffix("_").replace("_", " ") or "program"


def format_duration(seconds: float) -> str:
    """Such as `40 s` or `12 min`."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def dispatch_name(name: str) -> str:
    """Of `jit` it is `dispatch`; of `gradient_eager` it is `gradient_eager_dispatch`."""
    return "dispatch" if name == "jit" else f"{name}_dispatch"


def wait_name(name: str) -> str:
    """Of `jit` it is `wait`; of `gradient_eager` it is `gradient_eager_wait`."""
    return "wait" if name == "jit" else f"{name}_wait"


DISPATCH = (
    "Until the call returned, its result not awaited: no measure of how long the work takes. "
)
WAIT = "From the return of the call until its result was ready. "
SO_FAR = "So far: the last {count} calls of the warm-up, one after another."
WARM_UP = (
    "Partial: the {count} calls of the warm-up, one after another and before it need be steady; "
    "no pairs were timed after it."
)


def describe_fate(call_number: int, *, has_only_warm_up: bool = False) -> str:
    """What became of a form of which this call failed; the first call leaves nothing to keep.

    Args:
        has_only_warm_up: Whether only calls of its warm-up are left of it.
    """
    if has_only_warm_up:
        return f"failed at call {call_number}, so only calls of its warm-up are left: partial"
    if call_number > 1:
        return f"failed at call {call_number}, so its durations are partial or missing"
    return "could not be measured"


def describe_protocol(subject: Subject, rounds: Rounds, budget_s: float, *, paired: bool) -> str:
    """How steady calls were measured, in two or three sentences.

    Args:
        budget_s: Seconds that the pairs could take.
        paired: Whether another form was measured in turns.
    """
    how = "in random pairs of" if paired else "in"
    unit = f"chunks of {rounds.num_per_chunk}" if rounds.num_per_chunk > 1 else "single calls"
    steady = (
        f" Steady from call {subject.steady_call + 3} on."
        if subject.steady_call is not None
        else ""
    )
    spent_s = sum(sum(recording.total_s) for recording in rounds.sides)
    is_stretched = spent_s > 1.5 * budget_s and len(rounds.log_values) == LEAST_ROUNDS
    ends = {
        "precise": " Ended when the pairs agreed.",
        "budget": f" Ended by the budget of {budget_s:.2g} s"
        + (f", stretched until there were {LEAST_ROUNDS} rounds." if is_stretched else "."),
    }
    left_out = ", the first calls of each left out" if rounds.num_dropped else ""
    each = (
        f"Calls so fast that {subject.num_inner} were timed together" if subject.num_inner > 1
        else "Each call timed by itself"
    )  # fmt: skip
    return (
        f"{each} until its result was ready, {how} {unit}{left_out}, garbage collector "
        f"off.{steady}{ends.get(rounds.stopped, '')}"
    )
