"""The modules before and after a pass as graphs."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from jaxscope.model import NONE, Capture, Graph, Unavailable
from jaxscope.model.capture import pack_module
from jaxscope.program.diff.changes import Change
from jaxscope.program.passes.diff import ModuleGraphs, find_module_graphs
from tests.fates import programs
from tests.fates.programs import X, capture_passes


@pytest.fixture(scope="module")
def repeated() -> Capture:
    return capture_passes(programs.repeat, X)


@pytest.fixture(scope="module")
def cse(repeated: Capture) -> ModuleGraphs:
    number = [record.name for record in repeated.passes].index("cse")
    found = find_module_graphs(repeated.passes, number, repeated.pass_tags)
    assert isinstance(found, ModuleGraphs)
    return found


def operations(graph: Graph, nodes: np.ndarray) -> list[str]:
    return [graph.string(graph.nodes.operation, node) for node in np.flatnonzero(nodes).tolist()]


def test_what_cse_removed_is_marked_before_and_gone_after(cse: ModuleGraphs) -> None:
    removed = operations(cse.before, cse.before_changes == Change.REMOVED)
    assert sorted(removed) == ["add", "sine"]
    assert Change.ADDED not in cse.after_changes
    assert len(cse.before.nodes) - len(cse.after.nodes) == len(removed)


def test_an_instruction_finds_itself_on_the_other_side(cse: ModuleGraphs) -> None:
    for node in range(len(cse.after.nodes)):
        partner = cse.partner_of(1, node)
        assert partner != NONE
        assert cse.partner_of(0, partner) == node


def test_an_equation_is_held_before_and_no_more_after(cse: ModuleGraphs) -> None:
    assert cse.holders(0, {"3"})
    assert cse.holders(1, {"3"}) == []
    assert cse.holders(1, {"1"})


def test_what_is_not_kept_or_damaged_is_said(repeated: Capture) -> None:
    records, tags = list(repeated.passes), repeated.pass_tags
    for packed, words in (
        (b"", "not kept"),
        (b"no zlib", "damaged"),
        (records[0].packed[:-9], "cut short"),
        (pack_module(b"\xff" * 30), "cannot be drawn"),
    ):
        records[0] = dataclasses.replace(records[0], packed=packed)
        found = find_module_graphs(records, 1, tags)
        assert isinstance(found, Unavailable)
        assert words in found.reason
