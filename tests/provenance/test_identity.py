"""Tags change nothing but metadata: same optimized module, same bits, every tag linked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from compiling import comparable, compile_plain, compile_tagged

from jaxscope.model.op_name import read_op_name
from jaxscope.model.outline import find_offered_calls
from jaxscope.worker.host.call import Call, call_namespace, parse_call
from jaxscope.worker.host.user_module import execute_file

SAMPLES = Path(__file__).parents[2] / "samples"
LARGE = frozenset({"transformer.py"})
"""Of these the first call alone is compiled."""
SLOW = LARGE | {
    "conv_norm_relu.py",
    "dropout_batchnorm.py",
    "linear_regression.py",
    "random_keys.py",
    "value_and_grad.py",
    "xor_training.py",
}
"""A second of XLA's and more."""
ERRORS = frozenset({"keep_large(f32[8])", "absolute_if(f32[()])", "assign(f32[1000])"})
"""Calls whose lesson is the error that they raise."""


def offered() -> list[object]:
    """Every call of every sample that traces without an error by intent, on one device.

    Slow are all but the last call of a sample, which has the most transforms, and large samples.
    """
    cases: list[object] = []
    for file in sorted(SAMPLES.glob("*.py")):
        found = (call.call for call in find_offered_calls(file.read_text("utf-8")))
        calls = [call for call in found if call not in ERRORS and not call.startswith("pmap(")]
        for call in calls[:1] if file.name in LARGE else calls:
            is_quick = call == calls[-1] and file.name not in SLOW
            marks = [] if is_quick else [pytest.mark.slow]
            cases.append(pytest.param(file, call, id=f"{file.stem}-{call}", marks=marks))
    return cases


def load(file: Path, text: str) -> Call:
    module = execute_file(str(file), file.read_text("utf-8"))
    return parse_call(text, call_namespace(vars(module)), file=str(file))


def output_bytes(compiled: Any, call: Call) -> list[bytes]:
    # Copies: the program may donate its arguments.
    args, kwargs = jax.tree.map(
        lambda leaf: leaf.copy() if isinstance(leaf, jax.Array) else leaf, (call.args, call.kwargs)
    )
    outputs = jax.tree.leaves(compiled(*args, **kwargs))
    return [np.asarray(to_array(leaf)).tobytes() for leaf in outputs]


def to_array(leaf: Any) -> Any:
    is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(leaf) if is_key else leaf


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("file", "text"), offered())
def test_the_optimized_module_and_the_results_are_those_of_the_untagged_program(
    file: Path, text: str
) -> None:
    try:
        call = load(file, text)
    except ImportError as error:
        pytest.skip(f"needs {error.name}")
    plain = compile_plain(call)
    tagged, program, _ = compile_tagged(call)

    assert comparable(tagged.as_text()) == comparable(plain.as_text())
    if not program.static:
        assert output_bytes(tagged, call) == output_bytes(plain, call)


@pytest.mark.slow
def test_every_tagged_name_is_linked_to_an_equation() -> None:
    file = SAMPLES / "control_flow.py"
    import re

    for offer in find_offered_calls(file.read_text("utf-8")):
        compiled, _, tags = compile_tagged(load(file, offer.call))
        names = re.findall(r'op_name="([^"]*jxs[^"]*)"', compiled.as_text())
        assert names
        for name in names:
            assert read_op_name(name, tags).derived, name


@pytest.mark.parametrize(
    "text", ["grad(f)(f32[3])", "grad(checkpoint(f))(f32[3])", "jit(grad(jit(f)))(f32[3])"]
)
def test_a_loop_closes_over_what_a_call_handed_on_as_often_as_without_tags(text: str) -> None:
    """The real part of a real array is the array, or another one where a transform is between."""

    def f(x: Any) -> Any:
        real = jnp.real(x)
        return jax.lax.scan(lambda c, _: (c + x * real, None), x, None, length=3)[0].sum()

    call = parse_call(text, call_namespace({"__name__": "file", "f": f}), file="f.py")
    plain = compile_plain(call)
    tagged, _, _ = compile_tagged(call)

    assert comparable(tagged.as_text()) == comparable(plain.as_text())
