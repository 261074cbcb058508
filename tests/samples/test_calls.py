"""Every sample states a lesson, and every call that it offers does what the lesson says."""

from __future__ import annotations

import ast
import re

import jax
import pytest
from PySide6.QtGui import QImage

from jaxscope.model.lessons import read_lesson
from jaxscope.ui.session.call_text import find_base_name
from jaxscope.ui.window.sample_path import PATH, find_picture, find_samples

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


@pytest.mark.parametrize("name", FILES)
def test_a_sample_opens_at_the_call_that_its_text_speaks_of(name: str) -> None:
    """The first function of the file that is named under *Look at* is the first call's."""
    look = read_lesson(SAMPLES / name).look
    called = find_base_name(offered_calls(name)[0]).replace("()", "")
    functions = {find_base_name(call).replace("()", "") for call in offered_calls(name)}
    named = [word for word in re.findall(r"`([\w.]+)`", look) if word in functions]
    assert named[:1] == [called]


def test_every_sample_has_its_place_on_the_path_and_its_pictures() -> None:
    listed = [f"{name}.py" for step in PATH for name in step.names]
    assert sorted(listed) == FILES
    assert [path.name for path in find_samples()] == listed
    sizes = {
        (image.width(), image.height())
        for path in find_samples()
        for theme in ("light", "dark")
        for image in [QImage(str(find_picture(path, theme)))]
    }
    assert sizes == {(240, 180)}


@pytest.mark.sweep(40)
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
