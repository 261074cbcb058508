"""Where eager and jitted results part: found by compiling parts, on real programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.client.requests import AgreementRequest
from jaxscope.client.session import Session
from jaxscope.model.experiments import Agreement, LeafAgreement, NumericDivergence
from jaxscope.model.unavailable import Unavailable
from jaxscope.model.values import PassTrial
from jaxscope.report.measurements import describe_origin, trial_row
from jaxscope.worker.stages.pass_trials import OutOfTime, try_passes
from jaxscope.worker.timing.agreement import Divergence, find_difference

PROGRAMS = """
import jax
import jax.numpy as jnp

def contracts(x, y):
    return jnp.sin(x) * y + x

def doubles(x):
    return x * 2
"""
_WORST = LeafAgreement("1", "f32[2]", 2, 1, 3.0, 1e-7, 1e-7, "[0]", "1.0", "1.1", 0)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session() as session:
        yield session


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("origin") / "programs.py"
    path.write_text(PROGRAMS, "utf-8")
    return path


def agree(session: Session, file: Path, call: str) -> Agreement:
    found = session.start(AgreementRequest(str(file), call)).wait()
    assert isinstance(found, Agreement)
    return found


def no_limit() -> None:
    """Time never runs out."""


@pytest.mark.slow
def test_a_contracted_product_is_found_with_its_place_and_what_restores_it(
    session: Session, file: Path
) -> None:
    found = agree(session, file, "contracts(f32[256], f32[256])")
    origin = found.origin
    if all(leaf.is_equal for leaf in found.pairs[0].leaves):
        pytest.skip("this machine has no fused multiply-add, or XLA does not use it")
    assert isinstance(origin, NumericDivergence)
    assert origin.operations == ("mul", "add")
    assert origin.equations == ("1", "2")
    assert origin.place.endswith("programs.py:6")
    assert origin.is_least
    assert origin.worst.differing > 0
    assert len(origin.fusions) == 1
    restoring = {trial.what: trial.whole for trial in origin.causes}
    assert restoring["pass fusion"] == "equal"
    assert "Without pass fusion" in " ".join(describe_origin(origin))


def test_where_all_is_equal_nothing_is_looked_for(session: Session, file: Path) -> None:
    origin = agree(session, file, "doubles(f32[8])").origin
    assert isinstance(origin, Unavailable)
    assert "agree bit by bit" in origin.reason


class _Known(Divergence):
    """Differs where all of some equations are compiled together; compiles nothing."""

    guilty: frozenset[int] = frozenset()

    def differs(self, numbers: Any) -> dict[str, Any] | None:
        return {"differing": 1} if self.guilty <= set(numbers) else None


@pytest.mark.parametrize(
    ("guilty", "expected"),
    [({0, 1}, (0, 1)), ({1, 3}, (1, 3)), ({3}, (3,)), ({0, 1, 2, 3}, (0, 1, 2, 3)), ({2}, (2,))],
)
def test_the_least_group_is_found(guilty: set[int], expected: tuple[int, ...]) -> None:
    def chain(x: Any) -> Any:
        return jnp.sin(jnp.cos(x * 2.0) + 1.0)

    x = np.ones(3, np.float32)
    known = _Known(jax.make_jaxpr(chain)(x), [x], find_difference, no_limit)
    known.guilty = frozenset(guilty)
    group = known.find()
    assert group is not None
    assert (group.numbers, group.is_least) == (expected, True)


def test_no_group_is_found_where_nothing_differs() -> None:
    x = np.ones(3, np.float32)
    divergence = Divergence(jax.make_jaxpr(lambda x: x * 2)(x), [x], find_difference, no_limit)
    assert divergence.find() is None
    assert divergence.num_compiled == 1


def test_the_budget_ends_the_search() -> None:
    def no_time() -> None:
        raise OutOfTime

    x = np.ones(3, np.float32)
    divergence = Divergence(jax.make_jaxpr(lambda x: x * 2)(x), [x], find_difference, no_time)
    with pytest.raises(OutOfTime):
        divergence.find()


def compiler(restoring: set[str], other: set[str], failing: str = "z") -> Any:
    """A compiler that computes 1 without all of some passes, 3 without some other, else 2."""

    def run(options: Mapping[str, Any]) -> list[Any]:
        off = set(str(options.get("xla_disable_hlo_passes", "")).split(","))
        if failing in off:
            raise RuntimeError("this pass is needed")
        return [np.float32(1 if restoring <= off else 3 if other & off else 2)]

    return run


def outcomes(run: Any, apart: Any, passes: list[str]) -> dict[str, str]:
    eager = [np.float32(1)]
    trials = try_passes(run, eager, lambda _options: passes, find_difference, apart)
    return {trial["what"]: trial["outcome"] for trial in trials}


def test_each_pass_is_switched_off_and_what_that_does_is_said() -> None:
    run = compiler({"b"}, {"c"}, failing="d")
    assert outcomes(run, lambda _options: [np.float32(1)], ["a", "b", "c", "d"]) == {
        "pass a": "unchanged",
        "pass b": "equal",
        "pass c": "changed",
        "pass d": "failed",
        "LLVM's optimizations": "unchanged",
    }


def test_two_passes_are_switched_off_where_one_changes_but_does_not_restore() -> None:
    found = outcomes(compiler({"b", "c"}, {"b"}), lambda _options: [np.float32(1)], ["b", "c"])
    assert found["passes b and c"] == "equal"


def test_a_pass_that_eager_code_goes_through_is_switched_off_on_both_sides() -> None:
    found = outcomes(compiler({"none"}, {"b"}), lambda _options: [np.float32(3)], ["a", "b"])
    assert found["pass b"] == "both"


def test_passes_that_xla_may_die_without_are_left_on() -> None:
    passes = ["copy-insertion", "layout-assignment", "flatten-call-graph", "fusion"]
    found = outcomes(compiler({"fusion"}, set()), lambda _options: [np.float32(1)], passes)
    assert list(found) == ["pass fusion", "LLVM's optimizations"]


def test_an_unknown_cause_is_called_unknown() -> None:
    trials = (PassTrial("pass a", "xla_disable_hlo_passes=a", "unchanged"),)
    text = " ".join(
        describe_origin(NumericDivergence(("1",), ("add",), "", _WORST, True, trials=trials))
    )
    assert "is unknown. None of 1 trial restored" in text


def test_a_program_with_further_differences_is_not_called_restored() -> None:
    trial = PassTrial("pass a", "xla_disable_hlo_passes=a", "equal", whole="changed")
    text = " ".join(
        describe_origin(NumericDivergence(("1",), ("add",), "", _WORST, True, trials=(trial,)))
    )
    assert "it has further differences" in text
    assert trial_row(trial)[1:3] == ("agree with eager", "differ in another way")
