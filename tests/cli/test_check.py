"""`jaxscope check` names what it did not check; what takes a file says so of anything else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import jaxscope
from jaxscope.cli import main
from jaxscope.errors import UsageError

OFFERING = """\
import jax.numpy as jnp
# jaxscope: f(f32[3])
# jaxscope: g(f32[3])
def f(x):
    return jnp.tanh(x).sum()
def g(x):
    return jnp.log(1 + x)
"""


@pytest.mark.slow
def test_calls_that_were_not_checked_are_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "f.py"
    file.write_text(OFFERING)
    assert main(["check", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["call"], found["not_checked"]) == ("f(f32[3])", ["g(f32[3])"])
    main(["check", str(file)])
    told = capsys.readouterr().out
    assert "Only this call was checked, the first that f.py offers. Its 1 other call:" in told
    assert f"jaxscope check {file} 'g(f32[3])'" in told
    main(["check", str(file), "f(f32[3])"])  # one that was asked for
    assert "Only this call" not in capsys.readouterr().out


@pytest.mark.parametrize("verb", [jaxscope.values, jaxscope.check, jaxscope.capture_file])
def test_what_takes_a_file_says_so_of_anything_else(verb: Callable[..., object]) -> None:
    def f(x: float) -> float:
        return x

    with pytest.raises(UsageError, match="a Python file is needed here, not the function f"):
        verb(f, 1.0)
    with pytest.raises(UsageError, match="not a capture") as refused:
        verb(jaxscope.capture(f, 1.0))
    assert "capture.checks" in refused.value.explanation.remedy
    with pytest.raises(UsageError, match="not an object of type int"):
        verb(3)
    with pytest.raises(UsageError, match="not an object of type int"):
        jaxscope.diff(3, 4)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(UsageError, match="not an object of type int"):
        jaxscope.sharding(3)  # type: ignore[arg-type]  # on purpose
