"""The pipeline: what is sent, in which order, and what a failure leaves behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jaxscope.errors import CallError, TraceError
from jaxscope.worker import capture
from jaxscope.worker.machine_code import Dump


class RecordingChannel:
    """Keeps what a capture sends."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, dict[str, Any], dict[str, Any]]] = []

    def send(self, type: str, fields: Any, arrays: Any = None) -> None:
        self.messages.append((type, dict(fields), dict(arrays or {})))

    def progress(self, step: str, text: str) -> None:
        pass

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
    channel.error = None  # type: ignore[attr-defined]
    try:
        capture.handle_capture({"file": str(file), "call": call}, channel)  # type: ignore[arg-type]
    except TraceError as error:
        channel.error = error  # type: ignore[attr-defined]
    return channel


def test_every_stage_and_every_text_is_sent_in_pipeline_order(tmp_path: Path) -> None:
    channel = run(
        tmp_path, "import jax.numpy as jnp\ndef f(x): return jnp.sin(x).sum()", "f(f32[8])"
    )

    names = ["jaxpr", "gradient", "stablehlo", "hlo", "optimized", "machine"]
    assert channel.stages() == dict.fromkeys(names)
    assert channel.texts() == names


def test_a_failed_compilation_keeps_the_stages_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_lowered: Any, _options: Any) -> Any:
        raise RuntimeError("INTERNAL: no registers left")

    monkeypatch.setattr(capture, "_compile", fail)
    channel = run(tmp_path, "def f(x): return x + 1", "f(f32[8])")

    stages = channel.stages()
    assert stages["hlo"] is None
    assert "no registers left" in str(stages["optimized"])
    assert stages["machine"] == "HLO after optimization failed."
    assert "stablehlo" in channel.texts()
    assert channel.error.stage == "optimized"  # type: ignore[attr-defined]


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


def test_object_files_without_text_are_not_taken_for_no_code(tmp_path: Path) -> None:
    (tmp_path / "module_0001.jit_f.obj-file.kernel.o").write_bytes(b"ELF")

    text, why_not = Dump(tmp_path).machine_text()

    assert text == ""
    assert "1 here" in why_not
    assert "no code" not in why_not


def test_a_program_of_constants_says_why_there_is_no_machine_code(tmp_path: Path) -> None:
    channel = run(tmp_path, "def f(): return 1.0", "f()")

    assert "no code" in str(channel.stages()["machine"])
