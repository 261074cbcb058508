"""Machine code is coloured by the language that each heading names."""

from __future__ import annotations

import pytest

from jaxscope.picture.syntax import MachineColouring

TEXT = """\
; ===== fusion =====
; ----- LLVM IR after optimization -----
  %9 = fadd <8 x float> %7, splat (float 1.000000e+00) ; why
; ----- PTX -----
.visible .entry fusion(
\tld.param.b64 \t%rd10, [fusion_param_0];
\t@%p1 bra \t$L__BB0_2;
; ----- SASS -----
        /*0060*/                   SHF.L.U32 R6, R2, 0x9, RZ ;
; ----- assembly for x86-64: fusion, 308 bytes -----
      11:  vmovups      ymm1, ymmword ptr [rax + 0x20]   ; .rodata = 1
"""


def coloured(line: int) -> dict[str, str]:
    lines = TEXT.split("\n")
    return {
        lines[line][start : start + length]: role
        for start, length, role in MachineColouring(lines).spans(line)
    }


@pytest.mark.parametrize(
    ("line", "roles"),
    [
        (0, {"; ===== fusion =====": "comment"}),
        (2, {"fadd": "keyword", "<8 x float>": "type", "%9": "symbol", "; why": "comment"}),
        (4, {".visible": "type", ".entry": "type"}),
        (5, {"ld.param.b64": "keyword", "%rd10": "symbol"}),
        (6, {"%p1": "symbol", "$L__BB0_2": "symbol"}),
        (8, {"/*0060*/": "comment", "SHF.L.U32": "keyword", "R6": "type", "0x9": "number"}),
        (10, {"vmovups": "keyword", "ymm1": "type", "ymmword ptr": "symbol", "0x20": "number"}),
    ],
)
def test_each_language_has_its_own_words(line: int, roles: dict[str, str]) -> None:
    assert coloured(line).items() >= roles.items()


def test_the_same_word_means_another_thing_under_another_heading() -> None:
    lines = ["; ----- PTX -----", "R6", "; ----- SASS -----", "R6"]
    colouring = MachineColouring(lines)
    assert [list(colouring.spans(n)) for n in (1, 3)] == [[], [(0, 2, "type")]]


def test_a_line_made_to_take_for_ever_does_not() -> None:
    lines = [
        f"; ----- {title} -----" for title in ("LLVM IR", "PTX", "SASS", "assembly", "bundles")
    ]
    hostile = ["<1 x " * 5000, "/*" * 5000, '"\\' * 5000, "a" * 100_000, "%." * 9000]
    for title in lines:
        colouring = MachineColouring([title, *hostile])
        for number, line in enumerate((title, *hostile)):
            ends = [start + length for start, length, _ in colouring.spans(number)]
            assert ends == sorted(ends)
            assert all(end <= len(line) for end in ends)
