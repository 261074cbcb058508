"""Modules of one instruction, cut out of real and of broken modules."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model.op_name import TagTable
from jaxscope.program.hlo.graph import convert_hlo
from jaxscope.program.hlo.proto import module_class, parse_module
from jaxscope.worker.stages import hlo_cost
from jaxscope.worker.stages.hlo_cost import ModuleSlicer, array_of_module
from tests.hlo.programs import PROGRAMS, draw_broken, optimized, proto_of
from tests.hlo.test_graph import LOOP, TWO_CALLERS

GOOD = proto_of(LOOP)


@pytest.mark.parametrize("name", PROGRAMS)
def test_slice_is_the_instruction_its_operands_and_what_it_calls(name: str) -> None:
    proto, _ = optimized(name)
    whole = parse_module(proto)
    originals = [i for computation in whole.computations for i in computation.instructions]
    by_id = {i.id: i for i in originals}
    sliced = ModuleSlicer(proto)
    for original, row in zip(originals, sliced.instructions(), strict=True):
        module = parse_module(sliced.slice(*row))
        entry = module.computations[-1]
        assert entry.id == module.entry_computation_id
        *parameters, root = entry.instructions
        assert root.id == entry.root_id == original.id
        assert root.opcode == original.opcode
        assert root.shape == original.shape
        assert list(root.operand_ids) == list(original.operand_ids)
        assert list(root.called_computation_ids) == list(original.called_computation_ids)
        assert {p.id for p in parameters} == set(original.operand_ids)
        for parameter in parameters:
            assert parameter.opcode == "parameter"
            assert parameter.shape == by_id[parameter.id].shape
        inner = {computation.id for computation in module.computations[:-1]}
        assert inner >= set(original.called_computation_ids)
        for computation in module.computations:
            for instruction in computation.instructions:
                assert not instruction.metadata.ByteSize()


def test_metadata_is_hidden_in_a_field_that_xla_never_has() -> None:
    module = module_class().FromString(GOOD)
    number = hlo_cost._IGNORED_KEY >> 3
    fields = type(module.computations[0].instructions[0]).DESCRIPTOR.fields_by_number
    assert number not in fields and hlo_cost.InstructionField.METADATA in fields


def test_metadata_and_names_do_not_change_a_key() -> None:
    module = module_class().FromString(GOOD)
    before = [ModuleSlicer(GOOD).key(*row) for row in ModuleSlicer(GOOD).instructions()]
    for computation in module.computations:
        for number, instruction in enumerate(computation.instructions):
            instruction.name = f"{computation.name}.{number}"
            instruction.metadata.op_name = "elsewhere"
            instruction.metadata.stack_frame_id = 3
    renamed = ModuleSlicer(module.SerializeToString())
    assert [renamed.key(*row) for row in renamed.instructions()] == before


def test_what_a_called_computation_does_changes_the_key() -> None:
    module = module_class().FromString(proto_of(TWO_CALLERS))
    before = ModuleSlicer(module.SerializeToString())
    module.computations[0].instructions[2].opcode = "multiply"
    after = ModuleSlicer(module.SerializeToString())
    reduce_row = next(row for row in before.instructions() if before.opcode(*row) == b"reduce")
    assert before.key(*reduce_row) != after.key(*reduce_row)


def test_endless_calls_are_refused() -> None:
    module = module_class().FromString(GOOD)
    body = next(c for c in module.computations if c.name == "body")
    body.instructions[4].called_computation_ids.append(body.id)
    sliced = ModuleSlicer(module.SerializeToString())
    loop = next(row for row in sliced.instructions() if sliced.opcode(*row) == b"while")
    with pytest.raises(ValueError, match="without end"):
        sliced.key(*loop)
    with pytest.raises(ValueError, match="without end"):
        sliced.slice(*loop)


@settings(max_examples=200)
@given(st.data())
def test_changed_bytes_are_cut_or_refused(data: st.DataObject) -> None:
    """Nothing broken is handed to XLA here: it may end the process over it."""
    broken = draw_broken(data, GOOD)
    try:
        sliced = ModuleSlicer(broken)
        for row in sliced.instructions():
            sliced.opcode(*row)
            assert sliced.key(*row)[0] is not None
            assert sliced.slice(*row)
    except ValueError:
        pass


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "bool", "complex64", "bfloat16"])
def test_a_large_constant_is_sent_with_its_first_values_and_shown_alike(dtype: str) -> None:
    numbers = np.random.default_rng(0).integers(0, 2**31, 1 << 20)
    table = np.asarray(jnp.asarray(numbers % 2 if dtype == "bool" else numbers).astype(dtype))
    lowered = jax.jit(lambda x: (x == table).sum()).lower(table)
    proto = lowered.compiler_ir("hlo").as_serialized_hlo_module_proto()
    sent = array_of_module(proto).tobytes()
    assert len(sent) < 10_000 < 1 << 20 <= len(proto)
    whole, shown = (convert_hlo(each, TagTable(), None, None, "hlo") for each in (proto, sent))
    assert whole.strings == shown.strings
    assert "(1048576 values)" in str(shown.strings)


def test_what_is_no_module_is_sent_as_it_is() -> None:
    for data in (b"", b"\xff" * (1 << 20), bytes(1 << 20)):
        assert array_of_module(data).tobytes() == data
