"""The recorder with modules that are damaged, and with many."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.export.capture_json import capture_to_json
from jaxscope.in_process import capture_function
from jaxscope.model import Cost
from jaxscope.model.op_name import TagTable
from jaxscope.model.protobuf import encode_bytes
from jaxscope.program.fates.outcomes import PassStep
from jaxscope.program.passes.recorder import PassRecorder
from jaxscope.worker.stages.passes import module_of


def test_damaged_modules_are_passed_over_and_said_to_be() -> None:
    recorder = PassRecorder(TagTable())
    for data in (b"", b"\xff" * 40, np.random.default_rng(0).bytes(4000)):
        recorder.feed(PassStep(3, "algsimp", "simplification"), data, Cost())
    passes = recorder.result()
    assert passes.records == ()
    assert passes.missing is not None
    assert "could not be read" in passes.missing.reason


def test_a_reason_of_the_worker_is_kept() -> None:
    passes = PassRecorder(TagTable()).result("Only the first 2 passes were recorded.")
    assert passes.missing is not None
    assert passes.missing.reason == "Only the first 2 passes were recorded."


def test_the_module_is_cut_out_of_what_xla_writes() -> None:
    assert module_of(encode_bytes(1, b"module") + encode_bytes(3, b"buffers")) == b"module"


def test_a_pass_that_writes_names_alone_says_so() -> None:
    """XLA names instructions of an outlined loop after the loop; its dumps have it in `op_name`."""

    def power(a: jax.Array, v: jax.Array) -> jax.Array:
        def body(_: int, v: jax.Array) -> jax.Array:
            v = a @ v
            return v / jnp.linalg.norm(v)

        return jax.lax.fori_loop(0, 10, body, v)

    capture = capture_function(power, (np.eye(6), np.ones(6)), {}, passes=True)
    (record,) = [each for each in capture.passes if each.name == "propagate-call-metadata"]
    assert not record.has_changed and record.change == "metadata"
    (written,) = [s["passes"] for s in capture_to_json(capture)["stages"] if s["name"] == "passes"]
    by_name = {each["name"]: (each["changed"], each["change"]) for each in written}
    assert by_name["propagate-call-metadata"] == (True, "metadata")
    assert by_name["algsimp"] == (True, "instructions")
    assert by_name["layout-assignment"] == (False, None), "its dump is the one before"
