"""Large modules, whose instructions are parsed one by one, give the same graphs as others."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxscope.program.hlo import proto
from jaxscope.program.hlo.proto import SlicedModule, module_class, parse_module, read_module
from tests.hlo.programs import PROGRAMS, convert, draw_broken, optimized, proto_of
from tests.hlo.test_graph import LOOP

GOOD = proto_of(LOOP)


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proto, "_LARGE", 0)


def assert_equal(one: Any, other: Any) -> None:
    for field in dataclasses.fields(one):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if dataclasses.is_dataclass(mine):
            assert_equal(mine, theirs)
        elif isinstance(mine, np.ndarray):
            np.testing.assert_array_equal(mine, theirs)
        else:
            assert mine == theirs


@pytest.mark.parametrize("name", PROGRAMS)
def test_graphs_are_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = optimized(name)[0]
    whole = convert(data)
    monkeypatch.setattr(proto, "_LARGE", 0)
    assert isinstance(read_module(data), SlicedModule)
    assert_equal(convert(data), whole)


def test_small_modules_and_those_with_tags_are_parsed_whole(slices: None) -> None:
    assert isinstance(read_module(GOOD), SlicedModule)
    module = module_class().FromString(GOOD)
    module.computations[0].instructions[0].metadata.op_name = "jxsb1"
    assert isinstance(read_module(module.SerializeToString()), module_class())


def test_small_modules_are_parsed_whole() -> None:
    assert isinstance(read_module(GOOD), module_class())


def test_an_instruction_is_what_it_is_in_the_whole(slices: None) -> None:
    whole, sliced = parse_module(GOOD), read_module(GOOD)
    assert sliced.entry_computation_id == whole.entry_computation_id
    for one, other in zip(sliced.computations, whole.computations, strict=True):
        assert (one.name, one.id, one.root_id) == (other.name, other.id, other.root_id)
        assert len(one.instructions) == len(other.instructions)
        assert list(one.instructions) == list(other.instructions)
        assert one.instructions[-1] == other.instructions[-1]


def test_what_is_no_module_is_refused(slices: None) -> None:
    with pytest.raises(ValueError, match="no serialized HLO module"):
        read_module(b"\xff" * 40)
    with pytest.raises(ValueError, match="has no instructions"):
        read_module(b"")
    with pytest.raises(ValueError, match="of the stage optimized cannot be read"):
        convert(GOOD[: len(GOOD) // 2])


@settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_changed_bytes_give_what_the_whole_gives_or_raise(
    slices: None, data: st.DataObject
) -> None:
    broken = draw_broken(data, GOOD)
    try:
        graph = convert(broken)
    except ValueError:
        return
    assert len(graph.nodes) == sum(len(c.instructions) for c in parse_module(broken).computations)
