"""Examples of HLO on cards of opcodes: XLA reads, compiles and runs each, and what comes out is
what the line of NumPy gives.
"""

from __future__ import annotations

import re
from typing import Any

import jax
import numpy as np
import pytest
import scipy  # loads `scipy.signal` and others when a line names them
from jaxlib import _jax

from jaxscope.program.cards import Card, read_cards
from jaxscope.report.cards import list_facts
from jaxscope.worker.compat import parse_hlo_module, serialized_hlo_of_text
from tests.cards.lowering import read_opcodes
from tests.cards.test_formulas import assert_close, compute

OPCODES = read_cards()[1]
_DTYPES = {
    "f32": np.float32,
    "s32": np.int32,
    "u32": np.uint32,
    "pred": np.bool_,
    "c64": np.complex64,
}
_APPLIED = """
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
smaller {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT
}
negate { a = f32[] parameter(0) ROOT r = f32[] negate(a) }
double { a = f32[] parameter(0) ROOT r = f32[] add(a, a) }
below_100 {
  a = f32[] parameter(0)
  limit = f32[] constant(100)
  ROOT r = pred[] compare(a, limit), direction=LT
}
"""
_TYPE = r"(?:\([^()]*\)|\w+\[[\d,]*\](?:\{[\d,]*\})?)"
_INSTRUCTION = re.compile(rf"({_TYPE}) ([a-z\-0-9]+)\((.*?)\)(?=,? ?[a-z_]*=|$|,)(.*)$")
_OPERAND = re.compile(rf"({_TYPE}) (\w+)")


def make_module(example: str) -> tuple[str, list[tuple[str, str]]]:
    """A module that computes an example alone, and the types and names of its operands."""
    found = _INSTRUCTION.match(example)
    assert found, example
    result, opcode, inside, attributes = found.groups()
    operands = _OPERAND.findall(inside)
    called = ", ".join(name for _, name in operands) if operands else inside
    lines = [
        f"  {name} = {type_} parameter({number})" for number, (type_, name) in enumerate(operands)
    ]
    lines.append(f"  ROOT result = {result} {opcode}({called}){attributes}")
    applied = "".join(
        text + "}\n"
        for text in _APPLIED.strip().replace("\n", " ").split("}")
        if text.strip() and re.search(rf"[={{ ]{text.split()[0]}\b", attributes)
    )
    return f"HloModule example\n{applied}\nENTRY main {{\n" + "\n".join(lines) + "\n}", operands


def run_hlo(example: str, *args: Any) -> Any:
    """What XLA computes for an example on the CPU."""
    text, _ = make_module(example)
    stablehlo = _jax.mlir.hlo_to_stablehlo(serialized_hlo_of_text(text))
    device = jax.devices("cpu")[0]
    devices = _jax.DeviceList((device,))
    program = device.client.compile_and_load(stablehlo, devices, _jax.CompileOptions())
    placed = [jax.device_put(value, device) for value in jax.tree.leaves(args)]
    outputs = program.execute_sharded(placed).disassemble_into_single_device_arrays()
    values = [np.asarray(output[0]) for output in outputs]
    return values[0] if not example.startswith("(") else tuple(values)


def run_example(name: str, *args: Any) -> Any:
    """The example of a card with other operands."""
    return run_hlo(OPCODES[name].example, *args)


def make_operand(type_: str, rng: np.random.Generator) -> Any:
    if type_.startswith("("):
        return tuple(make_operand(each, rng) for each in re.findall(r"\w+\[[\d,]*\]", type_))
    name, _, sizes = type_.partition("[")
    shape = tuple(int(size) for size in re.findall(r"\d+", sizes.partition("]")[0]))
    dtype = _DTYPES[name]
    if dtype is np.bool_:
        return np.asarray(rng.random(shape) < 0.5)
    if np.issubdtype(dtype, np.integer):  # as indices they lie inside, as shifts they are small
        return np.asarray(rng.integers(0, 3, shape), dtype)
    real = rng.uniform(0.2, 1.8, shape)
    if dtype is np.complex64:
        return np.asarray(real + 1j * rng.uniform(0.2, 1.8, shape), dtype)
    return np.asarray(real, dtype)


WITH_EXAMPLE = {name: card for name, card in OPCODES.items() if card.example}
COMPUTED = {name: card for name, card in WITH_EXAMPLE.items() if card.numpy}


@pytest.mark.sweep(25)
@pytest.mark.parametrize("name", sorted(COMPUTED))
def test_the_line_of_numpy_gives_what_xla_computes(name: str) -> None:
    card = COMPUTED[name]
    _, operands = make_module(card.example)
    rng = np.random.default_rng(11)
    args = [make_operand(type_, rng) for type_, _ in operands]
    if name == "clamp":
        args[0], args[2] = np.float32(0.6), np.float32(1.2)
    known = {"np": np, "scipy": scipy} | {
        name: arg for (_, name), arg in zip(operands, args, strict=True)
    }
    assert_close(compute(card.numpy.strip(), known), run_hlo(card.example, *args), card.numpy)


@pytest.mark.parametrize("name", sorted(WITH_EXAMPLE))
def test_the_example_is_an_instruction_of_that_opcode(name: str) -> None:
    text, _ = make_module(OPCODES[name].example)
    module = parse_hlo_module(serialized_hlo_of_text(text))
    opcodes = [opcode for where, opcode in read_opcodes(module.to_string()) if where == "ENTRY"]
    assert opcodes[-1].split()[0] == name
    assert name == "parameter" or set(opcodes[:-1]) <= {"parameter"}


def test_a_formula_has_an_example() -> None:
    without: list[Card] = [card for card in OPCODES.values() if card.numpy and not card.example]
    assert not without


@pytest.mark.parametrize("card", OPCODES.values(), ids=lambda card: card.name)
def test_an_example_is_not_told_as_a_fact_of_what_is_selected(card: Card) -> None:
    """The inspector shows the card below the facts of one instruction, which has other types."""
    facts = [fact for _, facts in list_facts(card) for fact in facts]
    assert [fact.label for fact in facts if card.example in fact.text] == ["for example"]
