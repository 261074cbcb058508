"""Answer a `side` request: one of two programs that run in processes of their own.

The client lets the two processes take turns: it names one, which measures a block of calls while
the other waits for a message and does nothing. It also hands the results of the first to the
second, which compares them with its own.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.wire.messages import Message
from jaxscope.worker.agreement import plain
from jaxscope.worker.channel import Channel
from jaxscope.worker.comparison_side import (
    Prepared,
    costs_of,
    find_no_verdict,
    load_side,
    prepare_side,
)
from jaxscope.worker.explain import guard
from jaxscope.worker.measuring import (
    Laboratory,
    open_laboratory,
    refuse_absent_target,
    warm_up,
)
from jaxscope.worker.stages_timing import fresh_arguments
from jaxscope.worker.stopwatch import SubjectFailed, paused_collector
from jaxscope.worker.ulps import compare_arrays

MAX_OUTCOME_BYTES = 64 << 20
_MOST_KEPT = 1_000
_DEFAULT_BUDGET_S = 1.0


def handle_side(request: dict[str, Any], channel: Channel) -> None:
    """Prepare the program, then measure blocks and compare results until told to finish.

    Raises:
        JaxscopeError: The file or the call is wrong, or the program does not run.
    """
    refuse_absent_target(request)
    side = load_side(request, channel)
    budget_s = float(request.get("budget_s") or _DEFAULT_BUDGET_S)
    with open_laboratory(channel, side.call.text, (side.path,)) as laboratory:
        prepared = prepare_side(laboratory, side)
        subject = prepared.compiled.subject
        if request.get("is_fresh") and not subject.is_consuming:
            subject.is_consuming = True
            subject.prepare = fresh_arguments(*subject.prepare())
        with guard("run", {side.path}):
            warm_up(laboratory, subject, budget_s / 8)
        costs = costs_of(prepared)
        no_verdict = find_no_verdict(prepared)
        channel.send(
            "side_ready",
            {
                "words": side.describe(),
                "typical_s": subject.typical_s,
                "is_consuming": subject.is_consuming,
                "is_judged": not no_verdict,
                **costs.numbers,
            },
            costs.columns,
        )
        if no_verdict:
            laboratory.warn(no_verdict)
        laboratory.conditions.probe()
        laboratory.conditions.pause()
        while (message := channel.receive()).type != "finish":
            if message.type == "block":
                _measure_block(laboratory, prepared, message)
            elif message.type == "tell_outcome":
                _send_outcome(channel, prepared.outcome)
            elif message.type == "outcome":
                _compare(channel, prepared.outcome, message)
        laboratory.tell_conditions()
        channel.send("side_end", {})


def _measure_block(laboratory: Laboratory, prepared: Prepared, message: Message) -> None:
    """Call so often as the message says, the first ones not counted: a turn."""
    subject, stopwatch = prepared.compiled.subject, laboratory.stopwatch
    kept = min(max(int(message.fields.get("kept") or 1), 1), _MOST_KEPT)
    dropped = min(max(int(message.fields.get("dropped") or 0), 0), _MOST_KEPT)
    durations: list[float] = []
    before = laboratory.counter()
    reason = ""
    laboratory.conditions.resume()
    try:
        with paused_collector():
            for _ in range(dropped):
                stopwatch.time_call(subject)
            durations = [stopwatch.time_call(subject)[1] for _ in range(kept)]
    except SubjectFailed as error:
        reason = laboratory.describe(error)
    finally:
        laboratory.conditions.pause()
    laboratory.channel.send(
        "block",
        {"reason": reason, "num_compilations": laboratory.counter() - before},
        {"seconds": np.asarray(durations, np.float64)},
    )


def _send_outcome(channel: Channel, outcome: Any) -> None:
    """Send the arrays of a result as bytes; larger ones are too much to hand around."""
    leaves, arrays, total = [], {}, 0
    for number, (path, leaf) in enumerate(jax.tree_util.tree_flatten_with_path(outcome)[0]):
        array = np.asarray(plain(leaf))
        array = np.ascontiguousarray(array).reshape(array.shape)
        total += array.nbytes
        name = jax.tree_util.keystr(path) or "result"
        leaves.append({"path": name, "dtype": array.dtype.name, "shape": list(array.shape)})
        arrays[f"leaf{number}"] = array.reshape(-1).view(np.uint8)
    reason = ""
    if total > MAX_OUTCOME_BYTES or len(arrays) > _MOST_KEPT // 5:
        reason = f"They are too large to hand from process to process: {total >> 20} MiB."
        leaves, arrays = [], {}
    channel.send("outcome", {"leaves": leaves, "reason": reason}, arrays)


def _compare(channel: Channel, own: Any, message: Message) -> None:
    """Compare what the first process returned with this one's."""
    reason = str(message.fields.get("reason") or "")
    if reason:
        fields = {"first": "first", "second": "second", "leaves": [], "reason": reason}
        channel.send("results", fields)
        return
    first = {
        leaf["path"]: message.arrays[f"leaf{number}"]
        .view(jnp.dtype(leaf["dtype"]))
        .reshape(leaf["shape"])
        for number, leaf in enumerate(message.fields["leaves"])
    }
    second = {
        jax.tree_util.keystr(path) or "result": leaf
        for path, leaf in jax.tree_util.tree_flatten_with_path(own)[0]
    }
    leaves = []
    try:
        if first.keys() != second.keys():
            raise ValueError("other structures")
        leaves = [compare_arrays(path, first[path], plain(second[path])) for path in first]
    except (ValueError, TypeError) as error:
        reason = f"They do not have the same form: {str(error)[:300]}."
    channel.send(
        "results", {"first": "first", "second": "second", "leaves": leaves, "reason": reason}
    )
