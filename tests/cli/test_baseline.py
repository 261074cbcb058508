"""A timing against one that was saved: when it is called slower, and the exit status."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import pytest

from jaxscope.cli import main
from jaxscope.errors import SourceError, UsageError
from jaxscope.model import Environment, Measurement, Timing
from jaxscope.report.baseline import ONE_PROCESS_FACTOR, find_changes, is_slower, judge_change
from jaxscope.schema.contract import load_timing, timing_to_json

PROGRAM = "import jax.numpy as jnp\n\ndef f(x):\n    return jnp.sin(x) * x\n"
HERE = Environment("0.10.2", "0.10.2", "3.11.7", "cpu", "cpu")


def observed(*samples: float, name: str = "jit") -> Measurement:
    """Of one process: the samples are all that is known."""
    ordered = sorted(samples)
    median = ordered[len(ordered) // 2]
    runs = len(samples)
    return Measurement(name, median, ordered[0], ordered[-1], math.nan, runs, samples, False)


def earned(low: float, median: float, high: float) -> Measurement:
    """A measurement whose interval is from six processes."""
    return Measurement("jit", median, low, high, 0.95, 6, (low, median, high), False)


QUIET = observed(*[1.0] * 20, 0.9, 1.1, 50.0)


@pytest.mark.parametrize(
    ("now", "before", "verdict"),
    [
        (earned(1.10, 1.15, 1.20), earned(0.95, 1.00, 1.05), "slower"),
        (earned(0.95, 1.00, 1.05), earned(1.10, 1.15, 1.20), "faster"),
        (earned(1.06, 1.10, 1.20), earned(0.95, 1.00, 1.05), "unclear"),  # by less than 2 %
        (earned(0.95, 1.00, 1.05), earned(0.95, 1.00, 1.05), "unclear"),
        (observed(*[2.0] * 9), QUIET, "slower"),
        (observed(*[1.4] * 9), QUIET, "unclear"),  # as processes differ
        (observed(*[0.5] * 9), QUIET, "faster"),
        (observed(*[0.9, 2.0, 2.1] * 9), QUIET, "unclear"),  # the middle halves overlap
        (earned(1.40, 1.45, 1.49), QUIET, "unclear"),  # only one of them was earned
    ],
)
def test_what_is_called_slower(now: Measurement, before: Measurement, verdict: str) -> None:
    assert judge_change(now, before) == verdict
    assert ONE_PROCESS_FACTOR == 1.5


def test_only_compiled_calls_of_the_same_call_and_device_are_compared() -> None:
    slow, fast = (
        Timing(
            "f(f32[8])",
            HERE,
            tuple(observed(*[s] * 9, name=n) for n in ("eager", "jit", "gradient_jit", "wait")),
            (),
            (),
        )
        for s in (9.0, 1.0)
    )
    changes = find_changes(slow, fast)
    assert [(c.now.name, c.verdict) for c in changes] == [
        ("jit", "slower"),
        ("gradient_jit", "slower"),
    ]
    assert is_slower(changes) and not is_slower(find_changes(fast, slow))
    others = (
        dataclasses.replace(fast, call="f(f32[9])"),
        dataclasses.replace(fast, environment=dataclasses.replace(HERE, device="H100")),
        dataclasses.replace(fast, measurements=fast.measurements[:1]),
    )
    for other, word in zip(others, ("call", "device", "in common"), strict=True):
        with pytest.raises(UsageError, match=word):
            find_changes(slow, other)


def test_what_is_saved_is_read_again(tmp_path: Path) -> None:
    timing = Timing("f(x)", HERE, (QUIET, earned(1.0, 2.0, 3.0)), (), ("mind",))
    place = tmp_path / "a.json"
    place.write_text(json.dumps(timing_to_json(timing)))
    read = load_timing(place)
    for ours, theirs in zip(read.measurements, timing.measurements, strict=True):
        # As texts: NaN, which is what is not known, does not equal itself.
        known, saved = (str(dataclasses.replace(m, confidence=0)) for m in (ours, theirs))
        assert known == saved
    assert math.isnan(read.measurements[0].confidence) and read.measurements[1].confidence == 0.95
    for text in ("[]", "{}", '{"call": 1}', '{"call": "f", "environment": {}'):
        place.write_text(text)
        with pytest.raises(SourceError, match="cannot be read as a timing"):
            load_timing(place)


@pytest.mark.slow
def test_the_exit_status_says_whether_the_call_has_become_slower(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, saved, doctored = (tmp_path / name for name in ("p.py", "saved.json", "quick.json"))
    program.write_text(PROGRAM)
    call = [str(program), "f(f32[64])"]
    assert main(["time", *call, "--save", str(saved)]) == 0
    assert "\n\nf(f32[64])\n" in capsys.readouterr().out
    raw = json.loads(saved.read_text())
    for factor, status in ((1e-3, 5), (1e3, 0)):
        changed = json.loads(json.dumps(raw))
        for measurement in changed["measurements"]:
            for key in ("median", "low", "high"):
                measurement[key] *= factor
            measurement["samples"] = [each * factor for each in measurement["samples"]]
        doctored.write_text(json.dumps(changed))
        assert main(["time", *call, "--baseline", str(doctored), "--json"]) == status
        told = json.loads(capsys.readouterr().out)["baseline"]
        assert told["slower"] is (status == 5)
        assert [each["name"] for each in told["changes"]] == ["jit"]
    doctored.unlink()
    assert main(["time", *call, "--baseline", str(doctored)]) == 1  # before anything is measured
    assert main(["time", *call, "--baseline", str(saved), "--agreement"]) == 2
