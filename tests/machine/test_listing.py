"""Machine code as text: kernel by kernel, LLVM IR before and after, then assembly."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jaxscope
from jaxscope.model import is_available
from jaxscope.program.machine import listing
from jaxscope.program.machine import listing as disassembly
from jaxscope.program.machine.listing import CodePart, list_machine_code
from tests.machine.compiled import machine_code

PROGRAM = """\
import jax, jax.numpy as jnp

def loss(w, x):
    return jnp.sum(jax.nn.softmax(jnp.tanh(x @ w) * 3.25) ** 2)

# jaxscope: grad(loss)(f32[64, 40], f32[8, 64])
"""
HEADING = re.compile(r"^; ===== (\S+) =====$", re.MULTILINE)
FORMS = ("LLVM IR before optimization", "LLVM IR after optimization", "assembly for")


def parts() -> list[CodePart]:
    code = machine_code()
    return [CodePart(*row) for row in zip(code.kernels, code.forms, code.data, strict=True)]


def sections(text: str) -> dict[str, str]:
    """What stands below each kernel's heading."""
    pieces = HEADING.split(text)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def test_every_kernel_of_a_capture_has_all_three_forms(tmp_path: Path) -> None:
    """With every supported jaxlib; kernels bear the names of instructions."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    capture = jaxscope.capture_file(str(file))
    machine, optimized = capture.stage("machine"), capture.stage("optimized")
    assert machine is not None and is_available(machine.text)
    assert optimized is not None and is_available(optimized.text)

    kernels = sections(machine.text.text)

    assert len(kernels) >= 3
    for name, code in kernels.items():
        assert f"%{name} = " in optimized.text.text
        assert [form for form in FORMS if f"; ----- {form}" in code] == list(FORMS), name
        assert f"@{name}(" in code  # the function of the LLVM IR
        assert re.search(r"^ +[0-9a-f]+:  ret\b", code, re.MULTILINE), name


def test_addresses_cover_the_code_without_gaps() -> None:
    """Each instruction begins where the one before it ends, to the last byte of the function."""
    text, _ = list_machine_code(parts())
    for size, body in re.findall(
        r"; ----- assembly .*?([\d,]+) bytes -----\n(.*?)\n\n", text, re.S
    ):
        addresses = [int(line.split(":")[0], 16) for line in body.split("\n")]
        assert addresses == sorted(set(addresses))
        assert int(size.replace(",", "")) - 16 <= addresses[-1] < int(size.replace(",", ""))


def test_constants_stand_beside_the_instructions_that_load_them() -> None:
    assert "= 0x40500000" in list_machine_code(parts())[0]  # 3.25


def test_a_text_that_is_too_long_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MAX_TEXT_CHARS", 3_000)

    text, _ = list_machine_code(parts(), num_left_out=2)

    num_kernels = len(set(machine_code().kernels))
    assert len(text) < 4_000
    assert text.startswith(f"; {num_kernels - 1 + 2} more kernels are left out")
    assert text.endswith("; the rest is left out: the text is too long")


def test_without_capstone_the_llvm_ir_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disassembly, "load_capstone", lambda: None)

    text, _ = list_machine_code(parts())

    first = text.split("\n")[0]
    assert first.startswith("; no assembly: Assembly is shown where the package capstone")
    assert "assembly for" not in text
    assert set(sections(text)) == set(machine_code().kernels)


def test_without_capstone_object_files_alone_are_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disassembly, "load_capstone", lambda: None)

    text, why_not = list_machine_code(part for part in parts() if part.form == "object")

    assert text == ""
    assert "capstone" in why_not


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xce\xfa\xed\xfe" + bytes(60), "no object file of a known form"),  # macOS, 32 bits
        (b"\x4c\x01" + bytes(60), "no object file of a known form"),  # Windows, 32 bits
        (b"no object file", "no object file of a known form"),
        (b"", "no object file of a known form"),
    ],
)
def test_other_forms_of_object_files_say_why_there_is_no_assembly(data: bytes, reason: str) -> None:
    text, why_not = list_machine_code([CodePart("kernel", "object", data)])

    assert text == ""
    assert reason in why_not


def test_kernels_of_a_graphics_processor_are_shown_as_they_are() -> None:
    text, _ = list_machine_code([CodePart("fusion", "ptx", b".visible .entry fusion()\n")])

    assert text == "; ===== fusion =====\n; ----- PTX -----\n.visible .entry fusion()"
