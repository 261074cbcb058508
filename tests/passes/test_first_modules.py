"""In which module an instruction stood first: one that was removed does not come back."""

from __future__ import annotations

import pytest

from jaxscope.model.capture import PassRecord, pack_module
from jaxscope.program.passes.first_modules import FirstModule, find_first_modules
from jaxscope.worker.compat import serialized_hlo_of_text

_TEXT = """\
HloModule m

ENTRY main {{
  p = f32[8] parameter(0)
  sum = f32[8] add(p, p), metadata={{op_name="jit(f)/add"}}
{copy}  ROOT out = f32[8] negate({read}), metadata={{op_name="jit(f)/neg"}}
}}
"""


def record(number: int, name: str, copy: str = "") -> PassRecord:
    line = f'  {copy} = f32[8] copy(sum), metadata={{op_name="jit(f)/add"}}\n' if copy else ""
    text = _TEXT.format(copy=line, read=copy or "sum")
    return PassRecord(
        name, "", 0, 0, number=number, packed=pack_module(serialized_hlo_of_text(text))
    )


@pytest.mark.parametrize(
    ("copies", "made_by"),
    [
        (("", "copy.1", "copy.1"), "1 (first)"),
        (("", "copy.1", "clone"), "1 (first)"),  # fusing gives it another name
        (("copy.1", "", "copy.1"), "2 (second)"),
        (("copy.1", "", "copy.2"), "2 (second)"),
    ],
)
def test_what_was_removed_is_another_one_later(copies: tuple[str, ...], made_by: str) -> None:
    names = ("", "first", "second")
    records = [record(at, *each) for at, each in enumerate(zip(names, copies, strict=True))]
    found = find_first_modules(records)
    assert found[copies[-1]] == FirstModule(made_by)
    assert found["sum"] == FirstModule()
