"""What is known of small jaxprs before anything runs: liveness, constants, equals, no-ops."""

from __future__ import annotations

import pytest

from jaxscope.model import NONE, GraphBuilder
from jaxscope.program.fates.equations import (
    Equations,
    ValueClasses,
    find_live,
    find_ruled_out,
    has_reader,
    literal_choice,
)
from jaxscope.program.fates.matching import BEGIN, END, EquationNeighbours
from jaxscope.program.fates.no_ops import NoOpDetector
from tests.fates.small_graphs import build


def test_columns_read_at_once_are_those_read_row_by_row() -> None:
    graph = build(WHILE.format(nconsts="cond_nconsts=1 body_nconsts=1", result="0"))
    every, nodes = range(len(graph.nodes)), graph.nodes
    assert graph.rows(nodes.types) == [graph.row(nodes.types, node) for node in every]
    assert graph.all_attributes() == [graph.attributes(node) for node in every]
    empty = GraphBuilder().build()
    assert (empty.rows(empty.nodes.types), empty.all_attributes()) == ([], [])


def test_what_the_output_of_a_shared_function_gives_is_found_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every call of a function gives to all others: looked up anew, that grew quadratically."""
    asked: list[int] = []
    inputs = Equations.inputs

    def counted(equations: Equations, owner: int, group: int) -> list[tuple[int, int]]:
        asked.append(owner)
        return inputs(equations, owner, group)

    monkeypatch.setattr(Equations, "inputs", counted)
    calls = "".join(f"eqn {n} pjit <x calls=0/jaxpr\n" for n in range(1, 5))
    equations = Equations(
        build(
            f"in x input\neqn 0 pjit <x +0/jaxpr\n{calls}"
            "in i input @0/jaxpr operand=0\neqn 0/0 sin <i @0/jaxpr\n"
            "out o out <0/0 @0/jaxpr result=0"
        )
    )
    output = equations.ids.index("o")
    given = [equations.given_by_output(output) for _ in range(3)]
    assert given[0] == given[2] == [(equations.ids.index(str(n)), 0) for n in range(5)]
    assert sorted(asked) == [equations.ids.index(str(n)) for n in range(5)]


def test_what_is_next_to_a_value_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each equation without instructions searches anew, mostly through the same equations."""
    chain = "".join(f"eqn {n} sin <{n - 1}\n" for n in range(1, 9))
    equations = Equations(build(f"in x input\neqn 0 sin <x\n{chain}out o out <8 result=0"))
    neighbours = EquationNeighbours(equations, frozenset())
    asked: list[int] = []
    for name in ("_producers", "_consumers"):
        look_up = getattr(neighbours, name)
        monkeypatch.setattr(
            neighbours, name, lambda node, look_up=look_up: asked.append(node) or look_up(node)
        )
    nodes = [equations.ids.index(str(n)) for n in range(9)]
    assert {neighbours.above(node) for node in nodes} == {frozenset({BEGIN})}
    assert {neighbours.below(node) for node in nodes} == {frozenset({END})}
    assert len(asked) <= 2 * len(equations.ids)


def live(text: str) -> set[str]:
    """Ids of the equations that are alive."""
    equations = Equations(build(text))
    alive = zip(equations.ids, equations.is_equation, find_live(equations), strict=True)
    return {id for id, is_equation, is_live in alive if is_equation and is_live}


WHILE = """
in x input
in y input
in n input :i32[]
eqn 0 while <y,y,n,x,x :i32[]|f32[8]|f32[8] +0/cond_jaxpr|0/body_jaxpr {nconsts}
in c.y input @0/cond_jaxpr operand=0
in c.n input @0/cond_jaxpr operand=2 :i32[]
eqn 0/c/0 lt <c.n,c.y @0/cond_jaxpr
out c.out out <0/c/0 @0/cond_jaxpr result=0
in b.y input @0/body_jaxpr operand=1
in b.n input @0/body_jaxpr operand=2 :i32[]
in b.a input @0/body_jaxpr operand=3
in b.b input @0/body_jaxpr operand=4
eqn 0/b/0 add <b.n @0/body_jaxpr
eqn 0/b/1 sin <b.a @0/body_jaxpr
eqn 0/b/2 cos <b.b @0/body_jaxpr
eqn 0/b/3 mul <b.b,b.y @0/body_jaxpr
out b.out0 out <0/b/0 @0/body_jaxpr result=0
out b.out1 out <0/b/1 @0/body_jaxpr result=1
out b.out2 out <0/b/2 @0/body_jaxpr result=2
out o out <0.{result}
"""


def test_of_a_loop_only_what_reaches_the_wanted_result_is_alive() -> None:
    """What is carried comes back; how often the body runs always matters."""
    counts = "cond_nconsts=1 body_nconsts=1"
    assert live(WHILE.format(nconsts=counts, result=1)) == {"0", "0/c/0", "0/b/0", "0/b/1"}
    assert live(WHILE.format(nconsts=counts, result=2)) == {"0", "0/c/0", "0/b/0", "0/b/2"}
    assert live(WHILE.format(nconsts=counts, result=0)) == {"0", "0/c/0", "0/b/0"}


SCAN = """
in k input
in x input
in rows input :f32[3,8]
eqn a sin <k
eqn b cos <x
eqn d exp <x
eqn 0 scan <a,b,d,rows :f32[8]|f32[8]|f32[3,8] +j {consts}
in j.k input @j operand=0
in j.a input @j operand=1
in j.b input @j operand=2
in j.row input @j operand=3
eqn 0/0 mul <j.a,j.k @j
eqn 0/1 tanh <{second} @j
eqn 0/2 neg <j.row @j
out j.o0 out <0/0 @j result=0
out j.o1 out <0/1 @j result=1
out j.o2 out <0/2 @j result=2
out o out <0.{result}
"""


@pytest.mark.parametrize("consts", ["num_consts=1", ""])
@pytest.mark.parametrize(
    ("second", "result", "alive"),
    [
        ("j.b", 0, {"a", "b", "0", "0/0"}),
        ("j.b", 1, {"d", "0", "0/1"}),
        ("j.a", 1, {"a", "b", "0", "0/0", "0/1"}),
        ("j.k", 1, {"a", "0", "0/1"}),
        ("j.b", 2, {"0", "0/2"}),
    ],
)
def test_a_scan_carries_what_stands_behind_its_constants(
    consts: str, second: str, result: int, alive: set[str]
) -> None:
    """Without their number, constants are recognised by their types."""
    text = SCAN.format(consts=consts, second=second, result=result)
    assert live(text) == alive
    unused = f"eqn 1 scan <a,b,d,rows :f32[8]|f32[8]|f32[3,8] shares=j calls=j {consts}"
    assert live(f"{text}{unused}") == alive


def test_a_scan_with_a_literal_start_carries_it_too() -> None:
    text = """
    in k input
    eqn a sin <k
    eqn 0 scan <a,_ :f32[8] +j in[1]=0.0:f32[8]
    in j.k input @j operand=0
    in j.a input @j operand=1
    eqn 0/0 add <j.a @j
    out j.o out <0/0 @j result=0
    out o out <0
    """
    assert live(text) == {"0", "0/0"}


BRANCH = """
in i input :i32[]
in x input
eqn p not <i :i32[]
eqn a sin <x
eqn b cos <x
eqn 0 cond <p,a,b :f32[8]|f32[8] +0/branches.0|0/branches.1
in u.a input @0/branches.0 operand=1
in u.b input @0/branches.0 operand=2
eqn u0 neg <u.a @0/branches.0
eqn u1 exp <u.b @0/branches.0
out u.o0 out <u0 @0/branches.0 result=0
out u.o1 out <u1 @0/branches.0 result=1
in v.a input @0/branches.1 operand=1
out v.o0 out <v.a @0/branches.1 result=0
out v.o1 out <v.a @0/branches.1 {connected}
out o out <0.0
"""


def test_of_a_branch_the_index_and_what_gives_the_wanted_result_are_alive() -> None:
    assert live(BRANCH.format(connected="result=1")) == {"p", "a", "0", "u0"}


def test_where_a_nested_jaxpr_does_not_say_how_it_is_connected_all_of_it_is_alive() -> None:
    everything = {"p", "a", "b", "0", "u0", "u1"}
    assert live(BRANCH.format(connected="note=1")) == everything
    text = BRANCH.format(connected="result=1").replace("@0/branches.0 operand=1", "@0/branches.0")
    assert live(text) == everything


def test_of_a_linear_solve_the_rule_that_runs_is_alive() -> None:
    text = """
    in x input
    eqn 0 custom_linear_solve <x +0/jaxprs.0|0/jaxprs.2
    in a.x input @0/jaxprs.0 operand=0
    eqn a0 sin <a.x @0/jaxprs.0
    out a.o out <a0 @0/jaxprs.0 result=0
    in b.x input @0/jaxprs.2 operand=0
    eqn b0 cos <b.x @0/jaxprs.2
    out b.o out <b0 @0/jaxprs.2 result=0
    out o out <0
    """
    assert live(text) == {"0", "b0"}


def test_an_effect_keeps_alive_what_is_around_it() -> None:
    text = """
    in x input
    eqn a sin <x
    eqn 0 jit <a +j
    in j.x input @j operand=0
    eqn k jit <j.x @j +m
    in m.x input @m operand=0
    eqn n debug_callback <m.x @m
    eqn c cos <x
    out o out <x
    """
    assert live(text) == {"a", "0", "k", "n"}


def test_a_choice_that_is_made_keeps_one_side_alive() -> None:
    text = """
    in x input
    eqn a sin <x
    eqn b cos <x
    eqn 0 select_n <{which},a,b {literal}
    out o out <0
    """
    assert live(text.format(which="_", literal="in[0]=True:bool[]")) == {"b", "0"}
    assert live(text.format(which="_", literal="in[0]=False:bool[]")) == {"a", "0"}
    assert live(text.format(which="x", literal="")) == {"a", "b", "0"}


CHOICE = """
in x input
eqn a {first} <{source} in[0]=1:i32[] :i32[]
eqn b jit <a +j
in j.a input @j operand=0
eqn c {second} <{inner} @j
out j.o out <c @j result=0
eqn d {call} <a +k
in k.a input @k operand=0
eqn e neg <k.a @k
"""


def choice(
    first: str, second: str, call: str, source: str = "_", inner: str = "j.a"
) -> list[object]:
    graph = build(CHOICE.format(first=first, second=second, call=call, source=source, inner=inner))
    equations = Equations(graph)
    ids = equations.ids
    return [literal_choice(equations, ids.index(id), 0) for id in ("a", "b", "c", "e")]


def test_an_index_that_is_a_literal_is_followed_through_what_hands_it_on() -> None:
    assert choice("copy", "convert_element_type", "jit") == [1, 1, 1, 1]
    assert choice("sin", "copy", "jit") == [1, None, None, None]
    assert choice("copy", "copy", "scan") == [1, 1, 1, None]
    assert choice("copy", "copy", "jit", inner="x")[2] is None
    words = {"True": 1, "false": 0, "12": 12, "1.5": None, "-1": None}
    for word, value in words.items():
        graph = build(f"eqn 0 cond in[0]={word}:i32[]")
        assert literal_choice(Equations(graph), 0, 0) == value
        assert literal_choice(Equations(graph), 0, 1) is None


def test_an_index_of_a_function_that_several_call_is_not_known() -> None:
    text = """
    eqn a copy in[0]=1:i32[]
    eqn b jit <a +j
    in j.a input @j operand=0
    eqn c neg <j.a @j
    eqn d jit <a shares=j
    """
    equations = Equations(build(text))
    assert literal_choice(equations, equations.ids.index("c"), 0) is None
    assert [equations.is_shared(equations.ids.index(id)) for id in "abcd"] == [
        *(False, False, True, False)
    ]
    assert [equations.ids[n] for n in equations.children(equations.ids.index("d"))] == ["c"]


def values(text: str, *, are_captured_known: bool = False) -> tuple[set[str], dict[str, str]]:
    """Ids of constant equations, and of each equal one that of the first."""
    equations = Equations(build(text))
    found = ValueClasses(equations, are_captured_known=are_captured_known)
    ids = equations.ids
    constants = {
        id
        for id, is_equation, is_constant in zip(
            ids, equations.is_equation, found.is_constant, strict=True
        )
        if is_equation and is_constant
    }
    for node, first in enumerate(found.equal_to):
        if first != -1:
            assert node in found.alike(first) and found.alike(first)[0] == first
            assert found.alike(node) == found.alike(first)
    equal = {ids[node]: ids[first] for node, first in enumerate(found.equal_to) if first != -1}
    return constants, equal


def test_what_depends_on_literals_alone_is_constant() -> None:
    text = """
    in x input
    const t const
    eqn 0 iota dimension=0
    eqn 1 sin <0
    eqn 2 add <1,x
    eqn 3 axis_index
    eqn 4 exp <t
    eqn 5 random_seed <0
    eqn 6 jit <1,x +j
    in j.0 input @j operand=0
    in j.x input @j operand=1
    eqn 6/0 cos <j.0 @j
    eqn 6/1 mul <j.x,j.0 @j
    out j.o out <6/0 @j result=0
    eqn 7 neg <6
    eqn 8 scan <1 +k
    in k.0 input @k operand=0
    eqn 8/0 cos <k.0 @k
    out k.o out <8/0 @k result=0
    eqn 9 cond <_,_ in[0]=1:i32[] in[1]=2.0:f32[8] +m
    in m.0 input @m operand=1
    eqn 9/0 cos <m.0 @m
    """
    constants = {"0", "1", "6", "6/0", "7", "9/0"}
    assert values(text)[0] == constants
    assert values(text, are_captured_known=True)[0] == constants | {"4"}


def test_a_call_with_an_output_that_varies_is_no_constant() -> None:
    text = """
    in x input
    eqn 0 jit <x +j
    in j.x input @j operand=0
    eqn 0/0 iota @j
    eqn 0/1 sin <j.x @j
    out j.o0 out <0/0 @j result=0
    out j.o1 out <0/1 @j result=1
    eqn 1 jit <x +k
    """
    assert values(text)[0] == {"0/0"}


EQUAL = """
in x input
in y input
eqn 0 sin <x
eqn 1 sin <x {first}
eqn 2 sin <y
eqn 3 add <0,y
eqn 4 add <1,y
eqn 5 sub <0,y
eqn 6 sub <y,0
eqn 7 jit <x +j
in j.x input @j operand=0
eqn 7/0 sin <j.x @j
eqn 8 scan <x +k
in k.x input @k operand=0
eqn 8/0 sin <k.x @k
eqn 8/1 sin <k.x @k
eqn 9 sin <x :f64[8]
eqn a get <x
eqn b get <x
"""


def test_equal_operations_on_equal_operands_are_found() -> None:
    """Also inside of a call that XLA inlines; not between a loop's body and what is around it."""
    wanted = {"1": "0", "4": "3", "7/0": "0", "8/1": "8/0"}
    assert values(EQUAL.format(first="shares=no"))[1] == wanted
    others = values(EQUAL.format(first="accuracy=high"))[1]
    assert others == {"7/0": "0", "8/1": "8/0"}
    for first in ("text=a…", "f=<lambda>", "in[1]=[1.2.]:f32[2]"):
        assert values(EQUAL.format(first=first))[1] == others


def test_literals_are_part_of_what_is_equal() -> None:
    text = """
    in x input
    eqn 0 add <x in[1]=1.0:f32[]
    eqn 1 add <x in[1]=2.0:f32[]
    eqn 2 add <x in[1]=1.0:f32[]
    eqn 3 top_k <x :f32[8]|i32[8]
    eqn 4 sin <3.0
    eqn 5 sin <3.1
    eqn 6 sin <3.1
    """
    assert values(text)[1] == {"2": "0", "6": "5"}


# Why an equation changes nothing.


def why(text: str, id: str, stage: str = "") -> str:
    equations = Equations(build(text))
    return NoOpDetector(equations, stage).why(equations.ids.index(id))


PAIR = "in x input\neqn 0 {first} <x {a}\neqn 1 {second} <0 {b}\neqn 2 sin <1\nout o out <2"


@pytest.mark.parametrize(
    ("first", "a", "second", "b", "is_pair"),
    [
        ("neg", "", "neg", "", True),
        ("neg", "", "not", "", False),
        ("sin", "", "sin", "", False),
        ("exp", "", "log", "", True),
        ("log", "", "exp", "", True),
        ("log", "", "log", "", False),
        ("rev", "dimensions=(0,)", "rev", "dimensions=(0,)", True),
        ("rev", "dimensions=(0,)", "rev", "dimensions=(1,)", False),
        ("transpose", "permutation=(1,2,0)", "transpose", "permutation=(2,0,1)", True),
        ("transpose", "permutation=(1,2,0)", "transpose", "permutation=(1,2,0)", False),
        ("transpose", "permutation=(1,0)", "transpose", "permutation=(1,0,2)", True),
        ("transpose", "", "transpose", "", False),
        ("reshape", ":f32[2,4]", "reshape", "", True),
        ("reshape", ":f32[2,4]", "reshape", ":f32[4,2]", False),
        ("broadcast_in_dim", ":f32[2,8]", "reshape", ":f32[16]", False),
        ("reshape", ":f32[2,4]", "squeeze", "", True),
        ("sin", ":f32[2,4]", "reshape", "", False),
    ],
)
def test_two_equations_undo_each_other(
    first: str, a: str, second: str, b: str, is_pair: bool
) -> None:
    text = PAIR.format(first=first, a=a, second=second, b=b)
    told = [why(text, id, "grad") for id in ("0", "1", "2")]
    both = [f"it and equation {id} of grad undo each other" for id in ("1", "0")]
    assert told == ([*both, ""] if is_pair else ["", "", ""])


def test_a_row_of_reshapes_that_ends_where_it_began() -> None:
    text = """
    in x input
    eqn 0 reshape <x :f32[2,4]
    eqn 1 reshape <0 :f32[4,2]
    eqn 2 reshape <1 :f32[8]
    eqn 3 reshape <2 :f32[2,2,2]
    eqn 4 neg <_ in[0]=1.0:f32[8]
    eqn 5 neg <4
    """
    assert [why(text, id) for id in "012345"] == [
        *("it and equation 2 undo each other", "", "it and equation 0 undo each other", ""),
        *("it and equation 5 undo each other", "it and equation 4 undo each other"),
    ]


NOTHING = """
in x input
in e input :f32[0]
in r input :f32[1,8]
in p input :bool[]
eqn 0 sin <e :f32[0]
eqn 1 top_k <e :f32[0]|i32[0]
eqn 2 split <e :f32[0]|f32[8]
eqn 3 reduce_sum <r :f32[8]
eqn 4 reduce_sum <r :f32[1]
eqn 5 cumsum <r :f32[8]
eqn 6 gt <x :bool[8]
eqn 7 copy <x
eqn 8 select_n <6,x,7
eqn 9 select_n <p,x,r
eqn a select_n <p,x in[2]=0.0:f32[8]
eqn b reshape <x
eqn c reshape <x :f32[4,2]
eqn d convert_element_type <x
eqn f sin <x
eqn g copy <x
eqn h tanh <f
eqn i not <p :bool[]
eqn j select_n <i,x,x
eqn k sin <i :bool[]
eqn l add <x in[1]=0.0:f32[]
eqn m mul <x in[1]=(2+0j):c64[]
eqn n debug_callback <x :
"""


def test_what_there_is_nothing_to_compute_for_is_told() -> None:
    equal = "both sides that it chooses between are the same"
    told = {
        "0": "its result has no elements",
        "1": "its result has no elements",
        "3": "it reduces along axes of length one",
        "6": "it only decided the choice of equation 8 between equals",
        "8": equal,
        "b": "its result is its operand as it was",
        "d": "its result is its operand as it was",
        "j": equal,
        "l": "adding 0 changes nothing",
    }
    equations = Equations(build(NOTHING))
    found = NoOpDetector(equations)
    for node, id in enumerate(equations.ids):
        if equations.is_equation[node]:
            assert found.why(node) == told.get(id, ""), id
            assert found.is_nothing(node) is (id in ("0", "1", "3")), id


# Jaxprs that several equations share, in other roles and with other operands.


BRANCHES = """
in x input
in n input :i32[]
eqn 0 cond <n,x +a|b
in a.x input @a operand=1
eqn a/0 sin <a.x @a
out a.out out <a/0 @a result=0
in b.x input @b operand=1
eqn b/0 cos <b.x @b
out b.out out <b/0 @b result=0
eqn 1 cond {index}x :f32[8] calls=b|a shares=a {literal}
eqn 2 tanh <{used}
out o out <2
"""


def test_branches_live_for_the_calls_that_are_needed() -> None:
    text = BRANCHES.format(index="<n,", literal="", used=1)
    assert live(text) == {"1", "2", "a/0", "b/0"}
    assert live(text.replace("calls=b|a ", "")) == {"1", "2", "a/0"}  # as files of 0.1 have it


def test_a_branch_is_ruled_out_by_its_place_in_each_call() -> None:
    equations = Equations(build(BRANCHES.format(index="<_,", literal="in[0]=0:i32[]", used=1)))
    ids = equations.graph.groups.id
    found = {
        (equations.ids[node], equations.graph.string(ids, group))
        for node, group in find_ruled_out(equations)
    }
    assert found == {("1", "a")}


CALLED = """
in x input
eqn 0 sin <x
eqn 1 jit <x,0 :f32[8]|f32[8]|f32[8] +f
in f.a input @f operand=0
in f.b input @f operand=1
eqn f/0 jit <f.b @f :f32[8]|f32[8] +g
in g.a input @g operand=0
eqn g/0 cos <g.a @g
out g.0 out <g/0 @g result=0
out g.1 out <g.a @g result=1
eqn f/1 tanh <f.a @f
out f.0 out <f/0.0 @f result=0
out f.1 out <f/0.1 @f result=1
out f.2 out <f/1 @f result=2
eqn 2 while <0 +h
in h.a input @h operand=0
eqn h/0 exp <h.a @h
out h.0 out <h/0 @h result=0
eqn 3 jit <x
eqn 4 jit <x +k
in k.a input @k operand=0
out o out <1
"""


@pytest.mark.parametrize(
    ("value", "source"),
    [
        (("1", 0), ("g/0", 0)),
        (("1", 1), ("0", 0)),
        (("1", 2), ("f/1", 0)),
        (("f/0", 1), ("0", 0)),
        (("g.a", 0), ("0", 0)),
        (("f.a", 0), ("x", 0)),
        (("0", 0), ("0", 0)),
        (("2", 0), ("2", 0)),  # other than what a round gives
        (("h.a", 0), ("h.a", 0)),  # in each round another one
        (("3", 0), ("3", 0)),  # what it calls is not shown
        (("4", 0), ("4", 0)),  # nor what that returns
    ],
)
def test_a_value_is_followed_through_calls_to_what_computes_it(
    value: tuple[str, int], source: tuple[str, int]
) -> None:
    equations = Equations(build(CALLED))
    node, result = equations.find_source((equations.ids.index(value[0]), value[1]))
    assert (equations.ids[node], result) == source


def test_an_argument_of_a_function_that_several_call_has_no_one_source() -> None:
    again = "eqn 5 jit <0,x :f32[8]|f32[8]|f32[8] shares=f calls=f"
    equations = Equations(build(f"{CALLED}{again}"))
    argument = equations.ids.index("f.a"), 0
    assert equations.find_source(argument) == argument


BODIES = """
in x input
in k input :i32[]
eqn 0 while <x,x :f32[8]|f32[8] +0/cond_jaxpr|body cond_nconsts=0 body_nconsts=0
in c.a input @0/cond_jaxpr operand=0
eqn c/0 lt <c.a @0/cond_jaxpr
out c.out out <c/0 @0/cond_jaxpr result=0
in b.a input @body operand=0
in b.b input @body operand=1
eqn b/0 sin <b.a @body
eqn b/1 dot_general <b.b @body
eqn b/2 exp <b/1 @body
out b.0 out <b/0 @body result=0
out b.1 out <b/2 @body result=1
eqn 3 neg <x
eqn 4 abs <x
eqn 5 while <k,3,4 :f32[8]|f32[8] +5/cond_jaxpr calls=5/cond_jaxpr|body shares=body {consts}
in d.k input @5/cond_jaxpr operand=0
in d.a input @5/cond_jaxpr operand=1
eqn d/0 lt <d.a,d.k @5/cond_jaxpr
out d.out out <d/0 @5/cond_jaxpr result=0
out o out <5.0
""".replace("{consts}", "cond_nconsts=1 body_nconsts=0")


def test_each_loop_hands_its_own_operands_to_a_body_that_it_shares() -> None:
    equations = Equations(build(BODIES))
    loop, (_, body) = equations.ids.index("5"), equations.called[equations.ids.index("5")]
    assert [k for _, k in equations.inputs(loop, body)] == [1, 2]
    assert [k for _, k in equations.inputs(equations.ids.index("0"), body)] == [0, 1]
    assert live(BODIES) == {"5", "3", "b/0", "d/0"}
    other = Equations(build(BODIES.replace("eqn 5 while", "eqn 5 mine")))
    assert [k for _, k in other.inputs(other.ids.index("5"), body)] == [NONE, NONE]


@pytest.mark.parametrize(("num_condition", "num_body"), [(0, 0), (1, 0), (0, 1), (1, 2), (2, 1)])
def test_loops_hand_their_operands_to_a_condition_and_a_body_that_they_share(
    num_condition: int, num_body: int
) -> None:
    """As `while` is called: constants of the condition, those of the body, what is carried."""
    count = num_condition + num_body + 1
    named = f"cond_nconsts={num_condition} body_nconsts={num_body}"
    text = "\n".join(
        [
            *(f"in x{k} input" for k in range(count)),
            f"in y input\neqn 0 while <y +c/cond_jaxpr|b {named}",
            *(f"in c{k} input @c/cond_jaxpr operand={k}" for k in range(num_condition + 1)),
            *(f"in b{k} input @b operand={k}" for k in range(num_body + 1)),
            f"eqn 1 while <{','.join(f'x{k}' for k in range(count))} shares=b",
        ]
    )
    equations = Equations(build(f"{text} calls=c/cond_jaxpr|b {named}"))
    loop = equations.ids.index("1")
    found = [[k for _, k in equations.inputs(loop, group)] for group in equations.called[loop]]
    assert found == [
        [*range(num_condition), count - 1],
        [*range(num_condition, num_condition + num_body), count - 1],
    ]


@pytest.mark.parametrize(
    ("node", "held", "is_read"),
    [
        ("b/1", {"b/2"}, True),
        ("b/1", {"b/1"}, True),  # in the next round
        ("b/1", {"b/0", "5", "0"}, False),
        ("4", {"b/2"}, True),
        ("4", {"b/0"}, False),
        ("3", {"d/0"}, True),
    ],
)
def test_readers_are_followed_through_loops(node: str, held: set[str], is_read: bool) -> None:
    equations = Equations(build(BODIES))
    assert has_reader(equations, equations.ids.index(node), held) is is_read


def test_what_is_not_chosen_is_not_read() -> None:
    text = "in x input\neqn 0 sin <x\neqn 1 select_n <_,x,0 in[0]={n}:i32[]\nout o out <1"
    for choice, is_read in ((0, False), (1, True)):
        equations = Equations(build(text.format(n=choice)))
        assert has_reader(equations, equations.ids.index("0"), {"1"}) is is_read
