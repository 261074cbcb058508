"""Library functions keep their modules and results under tags, and every tagged name links."""

from __future__ import annotations

import re
import warnings
from types import ModuleType

import pytest
from compiling import comparable, compile_plain, compile_tagged
from library_programs import PREAMBLE, PROGRAMS

from jaxscope.model.op_name import read_op_name
from jaxscope.worker.host.call import Call, call_namespace, parse_call


def load(name: str) -> Call:
    libraries, source, text = PROGRAMS[name]
    for library in libraries:
        pytest.importorskip(library)
    module = ModuleType(f"user_{name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries, not ours
        exec(compile(PREAMBLE + source, f"{name}.py", "exec"), module.__dict__)
        return parse_call(text, call_namespace(vars(module)), file=f"{name}.py")


# `test_calls_are_jaxs_own.py` has calls of these libraries, too.
SLOW = {"diffrax", "equinox", "minimize", "numpyro"}


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in PROGRAMS],
)
def test_the_optimized_module_is_that_of_the_untagged_program(name: str) -> None:
    call = load(name)
    tagged, program, tags = compile_tagged(call)
    if not program.static:
        assert comparable(tagged.as_text()) == comparable(compile_plain(call).as_text())

    names = re.findall(r'op_name="([^"]*jxs[^"]*)"', tagged.as_text())
    assert names
    assert all(read_op_name(op_name, tags).derived for op_name in names)
