"""Bytes that are no module, or a broken one, never do worse than a ValueError."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.program.hlo.proto import module_class, parse_module
from tests.hlo.programs import convert, draw_broken, proto_of
from tests.hlo.test_graph import LOOP

GOOD = proto_of(LOOP)


def test_no_module_says_so() -> None:
    with pytest.raises(ValueError, match="no serialized HLO module"):
        parse_module(b"\xff" * 40)
    with pytest.raises(ValueError, match="has no instructions"):
        parse_module(b"")
    with pytest.raises(ValueError, match="of the stage optimized cannot be read"):
        convert(GOOD[: len(GOOD) // 2])


@settings(max_examples=150)
@given(st.data())
def test_changed_bytes_convert_or_raise_value_error(data: st.DataObject) -> None:
    broken = draw_broken(data, GOOD)
    try:
        graph = convert(broken)
    except ValueError:
        return
    assert len(graph.nodes) > 0


def test_references_to_what_is_not_there_are_refused() -> None:
    module = module_class().FromString(GOOD)
    module.computations[0].instructions[1].operand_ids[0] = 999
    with pytest.raises(ValueError, match="an operand that is not there"):
        convert(module.SerializeToString())


def test_computations_that_call_each_other_for_ever_end() -> None:
    module = module_class().FromString(GOOD)
    entry = next(c for c in module.computations if c.id == module.entry_computation_id)
    body = next(c for c in module.computations if c.name == "body")
    loop = next(i for i in entry.instructions if i.opcode == "while")
    body.instructions[4].called_computation_ids.append(body.id)
    loop.called_computation_ids.append(entry.id)
    graph = convert(module.SerializeToString())
    assert len(graph.nodes) == sum(len(c.instructions) for c in module.computations)


def test_repeated_names_still_give_unique_ids() -> None:
    module = module_class().FromString(GOOD)
    for computation in module.computations:
        computation.name = "same"
        for instruction in computation.instructions:
            instruction.name = "same"
    graph = convert(module.SerializeToString())
    assert len(graph.index_by_id) == len(graph.nodes)


def test_frames_that_name_themselves_as_parents_end() -> None:
    module = module_class().FromString(GOOD)
    index = module.stack_frame_index
    index.file_names.append("f.py")
    index.function_names.append("f")
    index.file_locations.add(file_name_id=1, function_name_id=1, line=3, column=4)
    index.stack_frames.add(file_location_id=1, parent_frame_id=1)
    instruction = module.computations[0].instructions[0]
    instruction.metadata.stack_frame_id = 1
    graph = convert(module.SerializeToString())
    assert [place.line for place in graph.node(0).source] == [3]
    instruction.metadata.stack_frame_id = 77
    assert convert(module.SerializeToString()).node(0).source == ()
