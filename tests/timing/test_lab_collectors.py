"""What a lying worker sends is refused; what a stopped one sent is kept and said to be partial."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from jaxscope.client.events import ResultGrew
from jaxscope.client.experiment_collectors import (
    AgreementCollector,
    ComparisonCollector,
    LabCollector,
    ProfileCollector,
    RecompilationCollector,
    ScalingCollector,
)
from jaxscope.schema.timing_messages import MalformedTiming
from jaxscope.wire.messages import Message

REFUSED = (MalformedTiming, msgspec.ValidationError)
TIMED = Message("timed", {"call": "f(x)", "environment": {"jax": "0.10.2"}})


def node_times(**changes: Any) -> Message:
    """Two runs of two instructions, with some arrays replaced."""
    arrays = {
        "inclusive": np.array([[2.0, 1.0], [4.0, 1.0]]),
        "exclusive": np.array([[1.0, 1.0], [3.0, 1.0]]),
        "counts": np.array([1, 3], np.int32),
        "covered": np.array([2.5, 4.5]),
        "walls": np.array([5.0, 9.0]),
        "plain": np.array([4.0]),
    }
    fields = {"stage": "optimized", "protocol": "How.", "names": ["while", "add"]}
    fields |= {name: value for name, value in changes.items() if name in fields}
    arrays |= {name: value for name, value in changes.items() if name in arrays}
    return Message("node_times", fields, arrays)


def scale_point(**changes: Any) -> Message:
    fields = {"size": 8, "reason": "", "trace": 0.5, "flops": None, **changes}
    arrays = {"jit.seconds": np.array([1e-3, 2e-3, 3e-3])}
    return Message("scale_point", fields, arrays)


def signature(**changes: Any) -> Message:
    fields = {
        "number": 0,
        "function": "f",
        "place": "f.py:1",
        "call": "f()",
        "arguments": ["x"],
        "nearest": None,
        "changes": [],
        "trace": 0.1,
        "lower": None,
        "compile": 0.2,
        "is_from_cache": False,
        "jax_says": "",
        "agrees": None,
    }
    return Message("signature", {**fields, **changes})


def leaf(**changes: Any) -> dict[str, Any]:
    return {
        "path": "[0]",
        "type": "f32[2]",
        "count": 2,
        "differing": 1,
        "max_ulp": 2.0,
        "max_absolute": 0.1,
        "max_relative": None,
        "index": "[1]",
        "first": "1.0",
        "second": "1.1",
        "num_nan": 0,
        **changes,
    }


def results(*leaves: dict[str, Any]) -> Message:
    return Message("results", {"first": "eager", "second": "jit", "leaves": list(leaves)})


def fed(collector: LabCollector, *messages: Message) -> LabCollector:
    for message in (TIMED, *messages):
        assert all(isinstance(event, ResultGrew) for event in collector.feed(message))
    return collector


def test_medians_are_over_runs() -> None:
    profile = fed(ProfileCollector(), node_times()).result()
    first, second = profile.compiled.times
    assert (first.name, first.seconds, first.exclusive, first.count) == ("while", 3.0, 2.0, 1)
    assert (second.name, second.count) == ("add", 3)
    assert (profile.compiled.wall, profile.compiled.covered) == (7.0, 3.5)
    assert (profile.compiled.coverage, profile.compiled.gaps) == (0.5, 3.5)


@pytest.mark.parametrize(
    "message",
    [
        node_times(names=[]),
        node_times(names=["only one"]),
        node_times(names=[1, 2]),
        node_times(inclusive=np.array([[-1.0, 1.0], [1.0, 1.0]])),
        node_times(inclusive=np.array([[np.nan, 1.0], [1.0, 1.0]])),
        node_times(exclusive=np.zeros((2, 3))),
        node_times(counts=np.zeros(2)),
        node_times(covered=np.zeros(0)),
        node_times(walls=np.array([np.inf])),
        node_times(protocol=None),
        Message("node_times_missing", {"stage": "jaxpr"}),
    ],
)
def test_impossible_times_are_refused(message: Message) -> None:
    with pytest.raises(REFUSED):
        fed(ProfileCollector(), message)


@pytest.mark.parametrize(
    "message",
    [
        *(scale_point(size=size) for size in (0, -1, True, "8", 2**60)),
        *(scale_point(trace=value) for value in (-1.0, "1", float("nan"))),
        scale_point(reason=7),
        Message("scale", {"vary": None}),
    ],
)
def test_impossible_sizes_are_refused(message: Message) -> None:
    with pytest.raises(REFUSED):
        fed(ScalingCollector(), message)


@pytest.mark.parametrize(
    "message",
    [
        signature(number=1),
        signature(nearest=0),
        signature(changes=[["shape", "x"]]),
        signature(compile=-1.0),
        signature(arguments="x"),
        Message("signature_calls", {"counts": [1]}),
    ],
)
def test_impossible_signatures_are_refused(message: Message) -> None:
    with pytest.raises(REFUSED):
        fed(RecompilationCollector(), message)


@pytest.mark.parametrize(
    "message",
    [results(leaf(count=-1)), results(leaf(max_ulp=-1.0)), results(leaf(path=None))],
)
@pytest.mark.parametrize("kind", [AgreementCollector, ComparisonCollector])
def test_impossible_differences_are_refused(kind: type[LabCollector], message: Message) -> None:
    with pytest.raises(REFUSED):
        fed(kind(), message)


@pytest.mark.parametrize(
    ("collector", "message"),
    [
        (ProfileCollector(), node_times()),
        (ScalingCollector(), scale_point()),
        (RecompilationCollector(), signature()),
        (AgreementCollector(), results(leaf())),
    ],
)
def test_what_came_before_the_end_is_partial(collector: LabCollector, message: Message) -> None:
    assert fed(collector).partial() is None
    partial = fed(collector, message).partial()
    assert partial.call == "f(x)"
    assert partial.warnings == ("The run ended early: these results are partial.",)


def test_a_program_without_its_costs_is_refused() -> None:
    message = scale_point()
    message.arrays["hlo"] = np.zeros(3, np.uint8)
    with pytest.raises(ValueError, match="without its costs"):
        fed(ScalingCollector(), message)
    message.arrays["instruction_cost"] = np.zeros((1, 3))
    with pytest.raises(ValueError, match="cannot be read"):
        fed(ScalingCollector(), message)


def test_unknown_numbers_stay_unknown() -> None:
    (point,) = fed(ScalingCollector(), scale_point()).result().points
    assert np.isnan(point.flops)
    assert np.isnan(point.compile_time)
    assert point.jit.median == 2e-3
    assert point.eager is None
