"""What becomes of single nodes, program against program."""

from __future__ import annotations

import numpy as np

from comparison.programs import build_graph, compare_programs, counts_of, differences
from jaxscope.program.diff.changes import compare_graphs
from jaxscope.program.diff.matching import ComparedGraph

BASE = """
    x in
    a sin x
    b mul a a
    r out b
"""


def test_nothing_differs() -> None:
    assert differences(BASE, BASE) == []


def test_names_do_not_count() -> None:
    renamed = "p in\n q sin p\n z mul q q\n s out z"
    assert differences(BASE, renamed) == []


def test_an_operation_in_between_is_added_and_its_user_changed() -> None:
    second = "x in\n a sin x\n n neg a\n b mul n n\n r out b"
    assert differences(BASE, second) == [
        "added n = neg : f32[8]",
        "changed b = mul: operands 0: a = sin → n = neg; operands 1: a = sin → n = neg",
    ]


def test_a_removed_operation() -> None:
    second = "x in\n b mul x x\n r out b"
    assert differences(BASE, second)[0] == "removed a = sin : f32[8]"


def test_another_operation_in_the_same_place_is_one_change() -> None:
    assert differences(BASE, BASE.replace("sin", "cos")) == [
        "changed a = sin (a = cos): operation: sin → cos"
    ]


def test_a_program_at_another_size_finds_itself() -> None:
    small = "x in : f32[8]\n a sin x : f32[8]\n b mul a a : f32[8]\n r out b : f32[8]"
    graphs = compare_programs(small, small.replace("[8]", "[16]"))
    assert counts_of(graphs) == (0, 4, 0, 0, 0)
    assert differences(small, small.replace("[8]", "[16]"))[1] == (
        "changed a = sin: types: f32[8] → f32[16]"
    )


def test_an_attribute() -> None:
    first = "x in\n a pow x : f32[8] y=2\n r out a"
    assert differences(first, first.replace("y=2", "y=3")) == [
        "changed a = pow: attributes y: 2 → 3"
    ]


def test_attributes_that_only_name_other_nodes_do_not_count() -> None:
    first = "x in\n a call x : f32[8] calls=f.1 called_by=g.2\n r out a"
    assert differences(first, first.replace("f.1", "f.7").replace("g.2", "g.9")) == []


def test_swapped_operands() -> None:
    first = "x in\n y in : f32[4]\n a sub x y\n r out a"
    assert differences(first, first.replace("sub x y", "sub y x")) == [
        "changed a = sub: operands 0: argument x → argument y; operands 1: argument y → argument x"
    ]


def test_another_cost() -> None:
    first = "x in\n a sin x : f32[8] flops=8\n r out a"
    found = differences(first, first.replace("flops=8", "flops=16"))
    assert len(found) == 1
    assert "cost FLOPs: 8 FLOP → 16 FLOP" in found[0]


def test_costs_that_do_not_mean_the_same_are_left_out() -> None:
    first = build_graph("x in\n a sin x : f32[8] flops=8\n r out a")
    second = build_graph("x in\n a sin x : f32[8] flops=16\n r out a")
    assert compare_graphs(
        ComparedGraph(first, {}), ComparedGraph(second, {}), with_cost=False
    ).counts.is_equal
    assert not compare_graphs(ComparedGraph(first, {}), ComparedGraph(second, {})).counts.is_equal


def test_a_cost_that_is_unknown_on_one_side_is_no_difference() -> None:
    first = "x in\n a sin x : f32[8] flops=8\n r out a"
    assert differences(first, first.replace("flops=8", "flops=nan")) == []


def test_a_node_that_leaves_its_group_moved() -> None:
    first = """
        x in
        group one
        group two
        a sin x : f32[8] in=one
        b cos a : f32[8] in=one
        c exp b : f32[8] in=one
        d log c : f32[8] in=two
        e tanh d : f32[8] in=two
        r out e
    """
    second = first.replace("c exp b : f32[8] in=one", "c exp b : f32[8] in=two")
    assert differences(first, second) == ["moved c = exp: group: one → two"]


def test_a_group_with_a_new_name_moves_nothing() -> None:
    first = "x in\n group one\n a sin x : f32[8] in=one\n b cos a : f32[8] in=one\n r out b"
    assert differences(first, first.replace("one", "seven")) == []


def test_a_node_that_leaves_the_program_for_a_group_moved() -> None:
    first = "x in\n a sin x\n b cos a\n r out b"
    second = "x in\n group g\n a sin x\n b cos a : f32[8] in=g\n r out b"
    assert differences(first, second) == ["moved b = cos: group: the program → g"]


def test_a_scope_that_was_renamed_moves_nothing_and_one_that_was_left_does() -> None:
    first = (
        "x in\n a sin x : f32[8] scope=head\n b cos a : f32[8] scope=head\n"
        " c exp b : f32[8] scope=tail\n d log c : f32[8] scope=tail\n r out d"
    )
    assert differences(first, first.replace("head", "front")) == []
    second = first.replace("b cos a : f32[8] scope=head", "b cos a : f32[8] scope=tail")
    assert differences(first, second) == ["moved b = cos: scope: head → tail"]


def test_swapped_arguments_moved() -> None:
    first = "x in : f32[8] argument=0\n y in : f32[4] argument=1\n a sub x y\n r out a"
    second = "y in : f32[4] argument=0\n x in : f32[8] argument=1\n a sub x y\n r out a"
    assert len(differences(first, second)) == 1
    assert differences(first, second)[0].startswith("moved argument")


def test_an_argument_before_the_others_moves_none() -> None:
    first = "x in : f32[8] argument=0\n a sin x\n r out a"
    second = "n in : f32[2] argument=0\n x in : f32[8] argument=1\n a sin x\n r out a"
    assert differences(first, second) == ["added argument n : f32[2]"]


def test_two_alike_branches_do_not_cross() -> None:
    branches = "x in\n a sin x\n b cos a\n c sin x\n d cos c\n e add b d\n r out e"
    crossed = "x in\n a sin x\n c sin x\n d cos c\n b cos a\n e add b d\n r out e"
    assert differences(branches, crossed) == []


def test_more_of_a_chain_is_only_more() -> None:
    def chain(length: int) -> str:
        lines = ["n0 in", *(f"n{i + 1} sin n{i}" for i in range(length))]
        return "\n".join([*lines, f"r out n{length}"])

    graphs = compare_programs(chain(300), chain(305))
    same, changed, moved, added, removed = counts_of(graphs)
    assert (added, removed, moved) == (5, 0, 0)
    assert changed <= 2
    assert same + changed == 302


def test_nested_programs_follow_their_owner() -> None:
    first = """
        x in
        s scan x
        group body of s
        i in : f32[8] in=body operand=0
        j sin i : f32[8] in=body
        o out j : f32[8] in=body
        r out s
    """
    assert differences(first, first.replace("j sin i", "j sin i")) == []
    assert differences(first, first.replace("sin", "cos")) == [
        "changed j = sin (j = cos): operation: sin → cos"
    ]


def test_empty_graphs() -> None:
    graphs = compare_programs("", "")
    assert graphs.counts.is_equal
    assert counts_of(compare_programs("", BASE)) == (0, 0, 0, 4, 0)


def test_rows_stand_in_program_order_of_the_second() -> None:
    graphs = compare_programs(BASE, "x in\n a sin x\n n neg a\n m neg n\n b mul m m\n r out b")
    seconds = [b for _, _, b in graphs.rows() if b >= 0]
    assert seconds == sorted(seconds)
    assert np.all(graphs.second_changes >= 0)
