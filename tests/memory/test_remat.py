"""What policies of `jax.checkpoint` do to a gradient: compiled for real, told three ways."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from jaxscope.cli import main
from jaxscope.client.experiment_collectors import RematCollector
from jaxscope.client.requests import RematRequest
from jaxscope.client.session import Session
from jaxscope.errors import CallError
from jaxscope.model.experiments import RematOutcome, RematPolicies
from jaxscope.report.document import write_text
from jaxscope.report.memory import describe_remat, remat_to_document, remat_to_json
from jaxscope.ui.pages.memory import RematPart
from jaxscope.wire.messages import Message

SOURCE = """\
import jax
import jax.numpy as jnp
from jax.ad_checkpoint import checkpoint_name


def loss(w, x):
    h = checkpoint_name(jnp.tanh(x @ w[0]), "first")
    return jnp.sum(jnp.sin(h @ w[1]))


def count(n):
    return n + 1
"""
CALL = "grad(loss)((f32[32, 32], f32[32, 32]), f32[64, 32])"
ARRAY = 64 * 32 * 4
POLICIES = [
    "as written",
    "nothing_saveable",
    "everything_saveable",
    "dots_saveable",
    "dots_with_no_batch_dims_saveable",
    "save_only_these_names(first)",
]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(None, is_warm=False) as session:
        yield session


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("remat") / "program.py"
    path.write_text(SOURCE)
    return path


@pytest.fixture(scope="module")
def found(session: Session, program: Path) -> RematPolicies:
    result = session.start(RematRequest(str(program), CALL)).wait()
    assert isinstance(result, RematPolicies)
    return result


def outcome(found: RematPolicies, policy: str) -> RematOutcome:
    return next(outcome for outcome in found.outcomes if outcome.policy == policy)


def test_every_policy_is_compiled_and_the_file_stays(found: RematPolicies, program: Path) -> None:
    assert [outcome.policy for outcome in found.outcomes] == POLICIES
    assert all(outcome.missing is None and outcome.seconds > 0 for outcome in found.outcomes)
    assert program.read_text() == SOURCE


def test_what_is_kept_is_what_the_policy_says(found: RematPolicies) -> None:
    kept = {outcome.policy: outcome.kept_bytes / ARRAY for outcome in found.outcomes}
    assert kept["nothing_saveable"] == 0
    assert kept["dots_saveable"] == kept["dots_with_no_batch_dims_saveable"] == 2
    assert kept["save_only_these_names(first)"] == 1
    assert kept["as written"] == 3  # tanh, its slope, cos
    assert kept["everything_saveable"] in (3, 4)  # and what was given a name by itself, before 0.12


def test_what_is_not_kept_is_computed_again(found: RematPolicies) -> None:
    plain, nothing = outcome(found, "as written"), outcome(found, "nothing_saveable")
    product = 2 * 64 * 32 * 32
    assert nothing.traced_flops >= plain.traced_flops + 2 * product
    assert not any(math.isnan(o.cost.flops) for o in found.outcomes)
    assert not any(math.isnan(o.peak_bytes + o.temporary_bytes) for o in found.outcomes)


@pytest.mark.slow
def test_a_call_without_a_transform_is_differentiated(session: Session, program: Path) -> None:
    call = CALL.removeprefix("grad(loss)")
    result = session.start(RematRequest(str(program), f"loss{call}")).wait()
    assert isinstance(result, RematPolicies)
    assert result.subject.startswith("the gradient of loss with respect to every float argument")
    assert outcome(result, "dots_saveable").kept_bytes == 2 * ARRAY


def test_without_floats_there_is_nothing_to_compare(session: Session, program: Path) -> None:
    with pytest.raises(CallError) as caught:
        session.start(RematRequest(str(program), "count(i32[3])")).wait()
    assert "None of its arguments is a float" in caught.value.explanation.why


def test_a_function_that_differentiates_itself_is_not_differentiated_again(
    session: Session, program: Path, tmp_path: Path
) -> None:
    """What its own gradient keeps cannot be changed from outside of it."""
    own = tmp_path / "own.py"
    own.write_text(f"{SOURCE}\n\ndef own(*args):\n    return jax.grad(loss)(*args)\n")
    with pytest.raises(CallError) as caught:
        session.start(RematRequest(str(own), CALL.replace("grad(loss)", "own"))).wait()
    assert "holds its own derivative" in caught.value.explanation.what
    assert "grad(loss)" in caught.value.explanation.remedy


def test_text_json_and_page_tell_the_same(found: RematPolicies, qtbot: QtBot) -> None:
    text = write_text(remat_to_document(found))
    told = remat_to_json(found)
    assert "nothing_saveable keeps 0 B instead of 24.0 KiB" in text
    assert [policy["policy"] for policy in told["policies"]] == POLICIES
    json.dumps(told, allow_nan=False)
    part = RematPart()
    qtbot.addWidget(part)
    part.show_policies(found)
    assert describe_remat(found) in part.heading.text()
    assert part.table.rows.rowCount() == len(POLICIES)
    part.show_policies(None)
    assert part.table.rows.rowCount() == 0


def test_the_command_line(program: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", str(program), CALL, "--remat", "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert [policy["policy"] for policy in told["remat"]["policies"]] == POLICIES


def test_a_policy_that_failed_says_why() -> None:
    collector = RematCollector("f(x)")
    collector.take(Message("remat_policy", {"policy": "as written", "reason": "XLA gave up."}))
    text = write_text(remat_to_document(collector.result()))
    assert "as written: XLA gave up." in text


def test_a_policy_without_a_module_is_refused() -> None:
    message = Message("remat_policy", {"policy": "x"}, {"proto": np.zeros(3, np.float32)})
    with pytest.raises((ValueError, KeyError)):
        RematCollector("f(x)").take(message)
