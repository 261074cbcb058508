"""Tags change nothing but metadata: same optimized module, same bits, every tag linked."""

from __future__ import annotations

from pathlib import Path

import jax
import numpy as np
import pytest
from compiling import comparable, compile_plain, compile_tagged

from jaxscope.model.op_name import read_op_name
from jaxscope.worker.call import Call, call_namespace, parse_call
from jaxscope.worker.outline import find_offered_calls
from jaxscope.worker.user_module import execute_file

SAMPLES = Path(__file__).parents[2] / "samples"
LARGE = frozenset({"transformer.py"})


def offered() -> list[object]:
    """Every call of every sample that traces without an error by intent."""
    cases: list[object] = []
    for file in sorted(SAMPLES.glob("*.py")):
        calls = find_offered_calls(file.read_text("utf-8"))
        for call in calls[:1] if file.name in LARGE else calls:
            marks = [pytest.mark.slow] if file.name in LARGE else []
            cases.append(pytest.param(file, call.call, id=f"{file.stem}-{call.call}", marks=marks))
    return cases


def load(file: Path, text: str) -> Call:
    module = execute_file(str(file), file.read_text("utf-8"))
    return parse_call(text, call_namespace(vars(module)), file=str(file))


@pytest.mark.parametrize(("file", "text"), offered())
def test_the_optimized_module_and_the_results_are_those_of_the_untagged_program(
    file: Path, text: str
) -> None:
    try:
        call = load(file, text)
    except ImportError as error:
        pytest.skip(f"needs {error.name}")
    try:
        plain = compile_plain(call)
    except Exception as error:
        pytest.skip(f"the sample shows an error: {type(error).__name__}")
    tagged, _, _ = compile_tagged(call)

    assert comparable(tagged.as_text()) == comparable(plain.as_text())


def test_results_are_bit_equal() -> None:
    file = SAMPLES / "linear_regression.py"
    for offer in find_offered_calls(file.read_text("utf-8")):
        first, second = load(file, offer.call), load(file, offer.call)
        try:
            plain = compile_plain(first)(*first.args, **first.kwargs)
        except TypeError:
            continue
        tagged, _, _ = compile_tagged(second)
        for ours, theirs in zip(
            jax.tree.leaves(tagged(*second.args, **second.kwargs)),
            jax.tree.leaves(plain),
            strict=True,
        ):
            assert np.asarray(ours).tobytes() == np.asarray(theirs).tobytes()


def test_every_tagged_name_is_linked_to_an_equation() -> None:
    file = SAMPLES / "control_flow.py"
    import re

    for offer in find_offered_calls(file.read_text("utf-8")):
        compiled, _, tags = compile_tagged(load(file, offer.call))
        names = re.findall(r'op_name="([^"]*jxs[^"]*)"', compiled.as_text())
        assert names
        for name in names:
            assert read_op_name(name, tags).derived, name
