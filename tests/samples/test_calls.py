"""Every sample states a lesson, and every call that it offers does what the lesson says."""

from __future__ import annotations

import ast

import jax
import pytest

from .calling import SAMPLES, evaluate, offered_calls, trace

FILES = sorted(path.name for path in SAMPLES.glob("*.py"))
CALLS = [(name, call) for name in FILES for call in offered_calls(name)]
NEEDS = {
    "conv_norm_relu.py": ["flax"],
    "dropout_batchnorm.py": ["flax"],
    "flax_modules.py": ["flax"],
    "xor_training.py": ["flax", "optax"],
}
NEEDS_DEVICES = {"parallel_devices.py"}
"""Files that need a process of their own; see `test_lessons.py`."""
MEANT_TO_FAIL = {
    ("immutable_update.py", "assign(f32[1000])"): TypeError,
    ("dynamic_shapes.py", "keep_large(f32[8])"): jax.errors.NonConcreteBooleanIndexError,
    ("dynamic_shapes.py", "absolute_if(f32[()])"): jax.errors.TracerBoolConversionError,
}


@pytest.mark.parametrize("name", FILES)
def test_a_sample_has_a_lesson_and_a_call(name: str) -> None:
    lesson = ast.get_docstring(ast.parse((SAMPLES / name).read_text("utf-8"))) or ""
    for part in ("Look at:", "Predict:", "Then see:"):
        assert part in lesson
    assert offered_calls(name)


@pytest.mark.parametrize(
    ("name", "call"),
    [c for c in CALLS if c not in MEANT_TO_FAIL and c[0] not in NEEDS_DEVICES],
)
def test_an_offered_call_can_be_traced(name: str, call: str) -> None:
    for package in NEEDS.get(name, []):
        pytest.importorskip(package)
    assert jax.tree.leaves(trace(name, call))


@pytest.mark.parametrize(("name", "call"), MEANT_TO_FAIL)
def test_a_call_that_is_meant_to_fail_does_so_under_jit(name: str, call: str) -> None:
    assert (name, call) in CALLS
    function, arguments = call.split("(", 1)
    with pytest.raises(MEANT_TO_FAIL[name, call]):
        evaluate(name, f"jit({function})({arguments}")
