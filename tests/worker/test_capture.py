"""The pipeline: what is sent, in which order, and what a failure leaves behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import jax
import jax.numpy as jnp
import pytest

from jaxscope.errors import CallError, TraceError
from jaxscope.worker.channel import Channel
from jaxscope.worker.stages import capture, machine_code
from jaxscope.worker.stages.machine_code import Dump


class RecordingChannel:
    """Keeps what a capture sends."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, dict[str, Any], dict[str, Any]]] = []
        self.error: TraceError | None = None

    def send(self, type: str, fields: Any, arrays: Any = None) -> None:
        self.messages.append((type, dict(fields), dict(arrays or {})))

    def progress(self, step: str, text: str) -> None:
        self.messages.append(("progress", {"step": step}, {}))

    def message(self, text: str) -> None:
        self.send("message", {"text": text})

    def stages(self) -> dict[str, str | None]:
        return {f["name"]: f["unavailable"] for t, f, _ in self.messages if t == "stage"}

    def texts(self) -> list[str]:
        return [f["name"] for t, f, _ in self.messages if t == "text"]


def run(tmp_path: Path, source: str, call: str | None) -> RecordingChannel:
    file = tmp_path / "user_file.py"
    file.write_text(source)
    channel = RecordingChannel()
    try:
        capture.handle_capture({"file": str(file), "call": call}, cast(Channel, channel))
    except TraceError as error:
        channel.error = error
    return channel


def test_every_stage_and_every_text_is_sent_the_gradient_last(tmp_path: Path) -> None:
    channel = run(
        tmp_path, "import jax.numpy as jnp\ndef f(x): return jnp.sin(x).sum()", "f(f32[8])"
    )

    names = ["jaxpr", "gradient", "stablehlo", "hlo", "optimized", "machine"]
    assert channel.stages() == dict.fromkeys(names)
    assert channel.texts() == ["jaxpr", "stablehlo", "hlo", "optimized", "gradient"]
    assert [fields["name"] for kind, fields, _ in channel.messages if kind == "kernels"] == names[
        -1:
    ]


def test_what_was_traced_is_sent_before_it_is_lowered(tmp_path: Path) -> None:
    """The window draws it meanwhile."""
    source = "import jax\nimport jax.numpy as jnp\ndef f(x): return jnp.sin(x).sum()"
    channel = run(tmp_path, source, "jax.grad(f)(f32[8])")
    told = [f.get("name") or f.get("step") for _, f, _ in channel.messages]

    assert told.index("jaxpr") < told.index("grad") < told.index("lower")


def test_a_program_is_run_once_all_else_has_been_sent(tmp_path: Path) -> None:
    """Its first run may take long, as libraries make their code in it."""
    source = "import jax.numpy as jnp\ndef f(x): return jnp.log(x - 10.0)"
    channel = run(tmp_path, source, "f(f32[8])")
    told = [(kind, f.get("step") or f.get("rule")) for kind, f, _ in channel.messages]
    at = told.index(("progress", capture.RUN_ONCE))

    assert {kind for kind, _ in told[at + 1 :]} == {"message", "check"}
    assert told[-1] == ("check", "non-finite-result")


def test_a_failed_compilation_keeps_the_stages_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError("INTERNAL: no registers left")

    monkeypatch.setattr(capture, "compile_program", fail)
    channel = run(tmp_path, "def f(x): return x + 1", "f(f32[8])")

    stages = channel.stages()
    assert stages["hlo"] is None
    assert "no registers left" in str(stages["optimized"])
    assert stages["machine"] == "The stage optimized failed."
    assert "stablehlo" in channel.texts()
    assert getattr(channel.error, "stage", None) == "optimized"


@pytest.mark.parametrize("call", ["f()", "f(f32[2], 1, 2)", "grad(f)(f32[2])"])
def test_a_failure_outside_of_the_code_points_at_the_function(tmp_path: Path, call: str) -> None:
    channel = run(tmp_path, "import jax\n\ndef f(x): return x + 1", call)

    assert channel.error is not None
    assert channel.error.explanation.where == "user_file.py:3"


def test_a_failed_conversion_costs_its_stage_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: Any, **_kwargs: Any) -> Any:
        raise KeyError("unheard-of parameter")

    monkeypatch.setattr(capture, "convert_jaxpr", fail)
    stages = run(tmp_path, "def f(x): return x + 1", "f(f32[8])").stages()

    assert "a bug in jaxscope" in str(stages["jaxpr"])
    assert stages["stablehlo"] is None
    assert stages["optimized"] is None


def test_a_file_that_offers_no_call_gets_one_proposed(tmp_path: Path) -> None:
    channel = run(tmp_path, "def f(x): return x @ x", None)

    texts = [fields["text"] for kind, fields, _ in channel.messages if kind == "message"]
    assert texts == ["The file offers no call; jaxscope proposed f(f32[8])."]


def test_a_file_without_functions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CallError, match="offers no call"):
        run(tmp_path, "x = 1\n", None)


def test_code_beyond_the_limit_is_counted_and_smaller_kernels_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_code, "MAX_CODE_BYTES", 100)
    for kernel, size in (("add", 60), ("big_fusion", 101), ("multiply", 40), ("tanh", 1)):
        (tmp_path / f"module_0001.jit_f.obj-file.{kernel}_kernel_module.o").write_bytes(bytes(size))

    code = Dump(tmp_path).machine_code()

    assert code.kernels == ("add", "multiply")
    assert code.num_left_out == 2


def test_files_of_the_dump_are_told_apart_by_kernel_and_form(tmp_path: Path) -> None:
    """Names as jaxlib 0.8 to 0.12 write them; what is no code is passed over."""
    for name in (
        "module_0042.jit_f.__compute_module_wrapped_log.1.ir-no-opt.ll",
        "module_0042.jit_f.obj-file.__compute_module_wrapped_log.1.o",
        "module_0042.jit_f.add_fusion_kernel_module.ir-with-opt.ll",
        "module_0042.jit_f.ptx",
        "module_0042.jit_f.obj-file.o",
        "module_0042.jit_f.cpu_after_optimizations.txt",
    ):
        (tmp_path / name).write_bytes(b"x")

    code = Dump(tmp_path).machine_code()

    assert list(zip(code.kernels, code.forms, strict=True)) == [
        ("add_fusion", "ir-with-opt"),
        ("jit_f", "object"),
        ("jit_f", "ptx"),
        ("wrapped_log.1", "ir-no-opt"),
        ("wrapped_log.1", "object"),
    ]


def test_options_that_a_jaxlib_does_not_know_cost_nothing(tmp_path: Path) -> None:
    lowered = jax.jit(jnp.sin).lower(1.0)
    options = {"xla_of_another_time": "1", "xla_dump_to": str(tmp_path)}

    assert machine_code.compile_with(lowered, options)(0.0) == 0.0

    assert list(tmp_path.iterdir())
    with pytest.raises(jax.errors.JaxRuntimeError, match="jax_not_ours"):
        machine_code.compile_with(
            jax.jit(jnp.sin, compiler_options={"jax_not_ours": "1"}).lower(1.0), {}
        )


def test_a_program_of_constants_says_why_there_is_no_machine_code(tmp_path: Path) -> None:
    channel = run(tmp_path, "def f(): return 1.0", "f()")

    assert "no code" in str(channel.stages()["machine"])


CHECKED = """\
import jax

@jax.tree_util.register_pytree_node_class
class Checked:
    def __init__(self, a):
        if not isinstance(a, jax.Array):
            raise TypeError("a must be an array")
        self.a = a

    def tree_flatten(self):
        return (self.a,), None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        return cls(*leaves)

def scale(checked, x):
    return Checked(checked.a * x)
"""


@pytest.mark.parametrize(
    "call", ["scale(Checked(f32[4]), 2.0)", "vmap(scale, in_axes=(0, None))(Checked(f32[4]), 2.0)"]
)
def test_a_class_that_takes_arrays_and_no_descriptions_of_them_is_captured(
    tmp_path: Path, call: str
) -> None:
    """JAX runs such calls, though its own `lower` does not take them."""
    channel = run(tmp_path, CHECKED, call)
    assert channel.error is None
    assert channel.stages()["optimized"] is None
    assert not [fields for type, fields, _ in channel.messages if type == "message"]


@pytest.mark.parametrize(
    ("call", "stage"),
    [
        ("newton(2.0)", ""),
        ("grad(newton)(2.0)", "grad"),
        ("grad(grad(newton))(2.0)", "grad"),
        ("grad(jvp_of)(2.0)", "jaxpr"),
        ("vmap(grad(newton))(f32[3])", "grad"),
        ("grad(vmap(double))(f32[3])", "grad(vmap)"),
        ("grad(jit(refuses))(2.0)", "jaxpr"),
    ],
)
def test_the_stage_that_failed_is_named(tmp_path: Path, call: str, stage: str) -> None:
    source = """
import jax
def newton(a): return jax.lax.while_loop(lambda x: x * x > a, lambda x: 0.5 * (x + a / x), a)
def jvp_of(a): return jax.grad(newton)(a)
def double(x): return 2 * x
def refuses(x): raise ValueError("never")
"""
    error = run(tmp_path, source, call).error
    assert ("" if error is None else error.stage) == stage
