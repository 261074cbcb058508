"""Small HLO modules: where values come from, what stands beside what, what holds an equation."""

from __future__ import annotations

import pytest

from jaxscope.model import Graph
from jaxscope.program.fates.derived import DerivedFates, Lowering
from jaxscope.program.fates.equations import Equations
from jaxscope.program.fates.instructions import (
    COMPUTING,
    MOVING,
    NAMING,
    NEVER,
    Instructions,
    work_of,
)
from jaxscope.program.fates.matching import (
    BEGIN,
    END,
    EquationNeighbours,
    InstructionNeighbours,
    InstructionRole,
    RoleClassifier,
    describe_loop,
    describe_role,
)
from jaxscope.program.fates.outcomes import PassOutcome
from tests.fates.small_graphs import build


def read(text: str) -> Instructions:
    return Instructions.read(build(text))


FUSED = """
ins p parameter parameter_number=0
ins q parameter parameter_number=1
ins f fusion <q,p +fc=fusion ~9
ins f.0 parameter @fc parameter_number=0
ins f.1 parameter @fc parameter_number=1
ins f.2 bitcast <f.1 @fc
ins f.3 sine <f.2 @fc ~1
ins f.4 cosine <f.0 @fc ~2
ins f.5 tuple <f.3,f.4 @fc root=true
ins g0 get-tuple-element <f tuple_index=0
ins g1 get-tuple-element <f tuple_index=1
ins g2 get-tuple-element <f tuple_index=2
ins g3 get-tuple-element <f
ins c copy <g1
ins n copy <g0 ~3
ins o opt-barrier
ins t tuple <g0,c
ins t1 get-tuple-element <t tuple_index=1
ins w while <t +wb=region
ins w0 get-tuple-element <w tuple_index=0
ins wb.0 parameter @wb parameter_number=0
ins wb.1 get-tuple-element <wb.0 @wb tuple_index=0
ins wb.2 negate <wb.1 @wb ~4 root=true
ins r add <w0,n root=true ~5
"""


def test_a_value_is_followed_through_what_only_hands_it_on() -> None:
    module = read(FUSED)
    place = {name: index for index, name in enumerate(module.names)}
    found = {name: module.names[module.producer(index)] for name, index in place.items()}
    followed = {"f.0": "q", "f.1": "p", "f.2": "p", "f": "f.5"}
    followed |= {"g0": "f.3", "g1": "f.4", "c": "f.4", "t1": "f.4"}
    assert found == {name: name for name in place} | followed


def test_a_chain_of_copies_without_end_is_given_up() -> None:
    rows = ["ins 0 add", *(f"ins {n} copy <{n - 1}" for n in range(1, 250))]
    module = read("\n".join(rows))
    assert module.producer(200) == 0
    assert module.producer(201) == 1


def test_a_module_is_read_into_lists() -> None:
    module = read(FUSED)
    place = module.names.index
    assert module.roots == {
        -1: place("r"),
        0: place("f.5"),
        1: place("wb.2"),
    }
    assert module.called == {place("f"): [0], place("w"): [1]}
    assert module.holders["1"] == [place("f.3")]
    assert module.operands[place("f")] == [place("q"), place("p")]
    inner = {(0, 0): place("f.0"), (0, 1): place("f.1"), (1, 0): place("wb.0")}
    assert module.parameters == {(-1, 0): place("p"), (-1, 1): place("q")} | inner
    assert [module.owner(place(name)) for name in ("p", "f.3", "wb.1")] == [
        *(-1, place("f"), place("w")),
    ]
    shared = read("ins a add ~1 call=1@2,\nins b add ~1\n")
    assert [*shared.holders] == ["1@2,", "1"]


def test_what_a_result_or_an_effect_depends_on_is_reachable() -> None:
    module = read(f"{FUSED}\nins dead sine <p\nins e custom-call <p\nins z sine <e\n")
    names = {module.names[index] for index in module.reachable()}
    assert names == set(module.names) - {"dead", "z", "g2", "g3", "o", "t1"}
    assert read("ins a add <b\nins b sine").reachable() == set()


def test_instructions_of_a_reduction_say_how_elements_combine() -> None:
    module = read(
        """
        ins a reduce +ra=region
        ins a0 add @ra
        ins b while +rb=region
        ins b0 add @rb
        ins c conditional +rc=region
        ins c0 add @rc
        ins d fusion +rd=fusion
        ins d0 add @rd
        """
    )
    combining = {name for i, name in enumerate(module.names) if module.combines(i)}
    assert combining == {"a0"}


def test_opcodes_do_more_or_less() -> None:
    opcodes = {"add": COMPUTING, "slice": MOVING, "copy": NAMING, "fusion": NEVER}
    opcodes |= {"constant": NEVER, "dot": COMPUTING, "iota": MOVING, "tuple": NAMING}
    assert {opcode: work_of(opcode) for opcode in opcodes} == opcodes
    assert COMPUTING < MOVING < NAMING < NEVER


def neighbours(text: str) -> dict[str, tuple[set[str], set[str]]]:
    module = read(text)
    around = InstructionNeighbours(module)
    found = {}
    for index, name in enumerate(module.names):
        found[name] = set(around.above(index)), set(around.below(index))
        assert around.above(index) is around.above(index)
        assert around.below(index) is around.below(index)
    return found


def test_the_nearest_named_instructions_stand_above_and_below() -> None:
    found = neighbours(FUSED)
    assert found["f.3"] == ({BEGIN}, {"3", "5", END})
    assert found["g0"][0] == {"1", "2"}  # of a tuple all elements
    assert found["c"][0] == {"2"}
    assert found["n"] == ({"1"}, {"5"})
    assert found["r"][1] == {END}
    assert found["wb.2"] == ({BEGIN}, {END})
    assert found["p"][1] == {"1"}
    assert found["q"][1] == {"2"}
    assert found["w0"] == (found["w"][0], {"5"})


def test_the_root_of_a_fusion_is_used_where_the_fusion_is_and_that_of_a_loop_is_not() -> None:
    found = neighbours(
        """
        ins p parameter
        ins f fusion <p +fc=fusion
        ins f.p parameter @fc parameter_number=0
        ins f.a add <f.p @fc
        ins f.r negate <f.a @fc root=true
        ins u sine <f ~7
        ins w while <u +wb=region
        ins wb.p parameter @wb
        ins wb.r abs <wb.p @wb root=true
        ins v cosine <w ~8 root=true
        """
    )
    assert [found[name][1] for name in ("p", "f.a", "f.r", "w", "wb.r", "v")] == [
        *({"7"}, {"7"}, {"7"}, {"8"}, {END}, {END}),
    ]


def test_names_of_a_call_stand_for_the_equation() -> None:
    found = neighbours("ins a sine ~1@2\nins b copy <a\nins c cosine <b ~3@2 root=true")
    assert found["b"] == ({"1"}, {"3"})


def test_the_nearest_held_equations_stand_above_and_below() -> None:
    equations = Equations(
        build(
            """
            in x input
            in y input
            eqn a sin <x
            eqn b neg <a
            eqn 0 scan <b,y +j num_consts=0
            in j.b input @j operand=0
            in j.y input @j operand=1
            eqn c cos <j.b @j
            eqn d exp <c,j.y @j
            out j.o out <d @j result=0
            eqn 1 jit <b +k
            in k.b input @k operand=0
            eqn e neg <k.b @k
            eqn g tanh <e @k
            out k.o out <g @k result=0
            eqn 2 cond <_,a in[0]=1:i32[] +m
            in m.a input @m operand=1
            eqn h neg <m.a @m
            out m.o out <h @m result=0
            eqn f add <0,1
            eqn i sub <2,f
            out o out <i
            """
        )
    )
    around = EquationNeighbours(equations, frozenset("acdgf"))
    found = {
        id: (set(around.above(node)), set(around.below(node)))
        for node, id in enumerate(equations.ids)
        if equations.is_equation[node]
    }
    assert found == {
        "a": ({BEGIN}, {"c", "g", "f", END}),
        "b": ({"a"}, {"c", "g", "f"}),
        "0": ({"d", "a", BEGIN}, {"f"}),
        "c": ({BEGIN}, {"d"}),
        "d": ({"c", BEGIN}, {END}),
        "1": ({"g", "a"}, {"f"}),
        "e": ({"a"}, {"g"}),
        "g": ({"a"}, {"f"}),
        "2": ({"a", BEGIN}, {END}),
        "h": ({"a", BEGIN}, {END}),
        "f": ({"d", "g", "a", BEGIN}, {END}),
        "i": ({"f", "a", BEGIN}, {END}),
    }


ROLES = """
ins s sine
ins b broadcast
ins k constant
ins y copy
ins d dot
ins lib custom-call custom_call_target=lapack_dpotrf
ins own custom-call custom_call_target=Mine
ins note custom-call custom_call_target=Sharding
ins fft fft
ins ch cholesky-start
ins f1 fusion +f1c=fusion
ins f1.0 parameter @f1c
ins f1.1 sine <f1.0 @f1c root=true
ins f2 fusion +f2c=fusion
ins f2.0 parameter @f2c
ins f2.1 sine <f2.0 @f2c
ins f2.k constant @f2c
ins f2.2 add <f2.1,f2.k @f2c root=true
ins f3 fusion +f3c=fusion fusion_kind=kCustom fusion_config=__onednn$matmul
ins f3.1 dot @f3c root=true
ins f4 fusion +f4c=fusion fusion_kind=kCustom fusion_config=__triton
ins f4.1 sine @f4c root=true
ins f5 fusion +f5c=fusion fusion_kind=kCustom fusion_config=other
ins f5.1 sine @f5c root=true
ins f6 fusion +f6c=fusion
ins f6.1 sine @f6c
ins r reduce +rc=region
ins r.1 add @rc
ins w while +wc=region
ins w.1 sine @wc
ins w.2 fusion @wc +wfc=fusion
ins w.3 sine @wfc
ins w.4 add <w.3 @wfc root=true
ins v convolution
"""


def role(names: str, kernels: frozenset[str] | None = None) -> tuple[str, str, str, str]:
    """Fate, place, library, and instructions in order."""
    module = read(ROLES)
    found = RoleClassifier(module, kernels).of([module.names.index(n) for n in names.split()])
    assert found is not None
    place = module.names[found.place] if found.place >= 0 else ""
    order = " ".join(module.names[index] for index in found.instructions)
    return found.fate, place, found.library, order


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("s", ("kernel", "s", "", "s")),
        ("b", ("kernel", "b", "", "b")),
        ("k", ("folded", "k", "", "k")),
        ("y", ("layout", "y", "", "y")),
        ("k y", ("layout", "y", "", "k y")),
        ("note", ("layout", "note", "", "note")),
        ("lib", ("library", "lib", "LAPACK", "lib")),
        ("own", ("library", "own", "the custom call Mine", "own")),
        ("fft", ("library", "fft", "an FFT library", "fft")),
        ("ch", ("library", "ch", "", "ch")),
        ("f1.1", ("kernel", "f1", "", "f1.1")),
        ("f2.1 f2.2", ("fused", "f2", "", "f2.1 f2.2")),
        ("f2", ("fused", "f2", "", "f2")),
        ("f3.1", ("library", "f3", "oneDNN", "f3.1")),
        ("f4.1", ("kernel", "f4", "", "f4.1")),
        ("f5.1", ("library", "f5", "a library", "f5.1")),
        ("f6.1", ("fused", "f6", "", "f6.1")),
        ("r.1 r", ("kernel", "r", "", "r r.1")),
        ("w.1", ("kernel", "w.1", "", "w.1")),
        ("w.3", ("fused", "w.2", "", "w.3")),
        ("b f2.1", ("fused", "f2", "", "f2.1 b")),
        ("s f2.1", ("kernel", "s", "", "s f2.1")),
        ("f2.1 lib y", ("library", "lib", "LAPACK", "lib f2.1 y")),
    ],
)
def test_instructions_have_a_role(names: str, expected: tuple[str, str, str, str]) -> None:
    assert role(names) == expected


def test_a_product_without_code_of_its_own_is_a_call_of_a_library() -> None:
    assert role("d") == ("kernel", "d", "", "d")
    assert role("d", frozenset()) == ("library", "d", "Eigen", "d")
    assert role("v", frozenset({"s"})) == ("library", "v", "Eigen", "v")
    assert role("d", frozenset({"d"})) == ("kernel", "d", "", "d")
    module = read("ins dot.1 dot")
    found = RoleClassifier(module, frozenset({"dot_1"})).of([0])
    assert found is not None and found.fate == "kernel"
    assert RoleClassifier(module, None).of([]) is None


def test_roles_are_put_into_words() -> None:
    module = read(ROLES)

    def text(fate: str, names: str, before: str, place: str = "", library: str = "") -> str:
        indices = tuple(module.names.index(name) for name in names.split())
        where = module.names.index(place) if place else -1
        return describe_role(
            module, InstructionRole(fate, indices, where, library), set(before.split())
        )

    assert text("kernel", "d", "transpose", "d") == (
        "taken into the product d, which gives its result in that order"
    )
    assert text("kernel", "d", "dot", "d") == "is the instruction d of its own"
    assert text("kernel", "v", "convolution", "v") == "is the instruction v of its own"
    assert text("kernel", "s", "transpose", "s") == "has a kernel of its own, s"
    assert text("folded", "k", "constant") == "is the constant k"
    assert text("folded", "k", "add") == "became the constant k"
    assert text("layout", "y", "reshape", "y") == (
        "computes nothing: it only says how bytes lie (y)"
    )
    assert text("layout", "y", "add reshape", "y") == (
        "simplified until only y is left of it, which computes nothing"
    )
    assert text("library", "lib", "", "lib", "LAPACK") == "runs in LAPACK, as lib"
    assert text("kernel", "r.1", "", "r") == "says how r combines two elements"
    assert text("kernel", "r r.1", "", "r") == "has a kernel of its own, r"
    assert text("fused", "f2.1 b", "", "f2") == "fused into f2"
    assert text("kernel", "w s", "", "w") == "became the loop w"


@pytest.mark.parametrize(
    ("loop", "equation", "more"),
    [
        ("known_trip_count=8", "scan length=8 unroll=1", ", whose body runs 8 times"),
        ("", "scan length=1000 unroll=1", ", whose body runs 1,000 times"),
        ("", "scan length=8", ", whose body runs 8 times"),
        ("", "scan length=8 unroll=2", ""),
        (
            "known_trip_count=4",
            "scan length=8 unroll=2",
            ", whose body runs 4 times and does 2 of the 8 steps each time",
        ),
        ("known_trip_count=5", "while length=8 unroll=2", ", whose body runs 5 times"),
        ("", "while length=8", ""),
        ("known_trip_count=5" + "0" * 17, "while", ", whose body runs 5" + ",000" * 5 + ",00"),
        ("known_trip_count=5" + "0" * 18, "while", ""),
    ],
)
def test_loops_say_how_often_they_run(loop: str, equation: str, more: str) -> None:
    module = read(f"ins w while {loop}")
    equations = Equations(build(f"eqn 0 {equation}"))
    text = describe_loop(module, [0], equations, 0)
    if len(loop) > 33:
        assert ("body runs" in text) is bool(more)
    else:
        assert text == f"became the loop w{more}"


# From StableHLO to HLO.


def graph(text: str) -> Graph:
    return build(text)


STABLEHLO = """
op 0 add ~a
op 1 sine <0 ~b
op 2 cosine ~c
op 3 custom <2 +r=region ~d
op 3.0 negate <2 @r ~e
out 3.o out <3.0 @r
op 4 abs <3 ~f
op 5 floor ~g
"""


def lowering(before: str | None = "b d f", *, has_passes: bool = False) -> Lowering:
    module = None
    if before is not None:
        module = read("\n".join(f"ins {tag} add ~{tag}" for tag in [*before.split(), "h"]))
    return Lowering(graph(STABLEHLO), module, has_passes=has_passes)


def test_who_removed_an_equation_is_told_by_where_it_was_seen_last() -> None:
    by_jax = " in lowering to StableHLO, by JAX itself"
    known = lowering()
    assert known.who("a", "algsimp") == " in the pass algsimp"
    assert known.who("z") == by_jax
    assert known.who("a") == " when StableHLO became HLO, before XLA's first pass"
    assert known.who("b") == " by a pass of XLA's"
    assert known.who("h") == " by a pass of XLA's"  # named by the conversion alone
    assert lowering(has_passes=True).who("b") == ""
    assert lowering(None).who("b") == ""
    assert lowering(None).who("z") == by_jax
    alone = Lowering(None, read("ins b add ~b"), has_passes=False)
    assert alone.who("a") == " before XLA's first pass"
    assert alone.who("b") == " by a pass of XLA's"
    nothing = Lowering(None, None, has_passes=False)
    assert nothing.who("a") == ""
    assert nothing.is_lowered("a") and nothing.reaches_xla("a")
    assert known.is_lowered("a") and not known.is_lowered("z")
    assert known.reaches_xla("b") and not known.reaches_xla("a")


def test_an_equation_is_simplified_if_its_readers_reach_xla_and_it_does_not() -> None:
    known = lowering()
    assert {id for id in "abcdefgz" if known.has_simplified(id)} == {"a", "c", "e"}
    assert not lowering(None).has_simplified("a")
    assert not Lowering(None, read("ins b add ~b"), has_passes=False).has_simplified("a")
    two = STABLEHLO.replace("op 3 custom <2", "op 3 custom <2 :f32[]|f32[]")
    module = read("ins d add ~d\nins f add ~f")
    assert not Lowering(graph(two), module, has_passes=False).has_simplified("e")
    same = Lowering(graph("op 0 add ~a\nop 1 sine <0 ~a"), read("ins b add"), has_passes=False)
    assert not same.has_simplified("a")


# Whole programs.


def fates(
    derived: str, optimized: str, before: str | None = None, lowered: str | None = None
) -> dict[str, str]:
    """Of each equation the fate and its sentence."""
    finder = DerivedFates(
        build(derived),
        None if before is None else build(before),
        build(optimized),
        lowered=None if lowered is None else build(lowered),
    )
    return {id: f"{fate.fate}: {fate.text}" for id, fate in finder.all().items()}


def test_an_instruction_without_a_name_goes_to_the_one_equation_that_fits() -> None:
    """XLA makes products anew: what stands above and below tells whose they are."""
    jaxpr = """
    in x input
    eqn 0 sin <x
    eqn 1 dot_general <0,x
    eqn 2 tanh <1
    eqn 3 dot_general <2,x
    eqn 4 exp <3
    out o out <4
    """
    before = """
    ins p parameter parameter_number=0
    ins a sine <p ~0
    ins b dot <a,p ~1
    ins c tanh <b ~2
    ins d dot <c,p ~3
    ins e exponential <d ~4 root=true
    """
    after = before.replace("~1", "").replace("~3", "")
    found = fates(jaxpr, after, before)
    assert found["1"] == "kernel: Is the instruction b of its own."
    assert found["3"] == "kernel: Is the instruction d of its own."
    one = after.replace("ins d dot <c,p", "ins d bitcast <c")
    told = fates(jaxpr, one, before)
    assert told["1"] == "kernel: Is the instruction b of its own."
    assert told["3"].startswith(("unknown", "simplified"))


def test_an_equation_whose_product_cannot_be_told_apart_has_none() -> None:
    jaxpr = """
    in x input
    eqn 0 sin <x
    eqn 1 dot_general <0,x
    eqn 2 dot_general <0,0
    eqn 3 tanh <1,2
    out o out <3
    """
    before = """
    ins p parameter parameter_number=0
    ins a sine <p ~0
    ins b dot <a,p ~1
    ins c dot <a,a ~2
    ins d tanh <b,c ~3 root=true
    """
    found = fates(jaxpr, before.replace("~1", "").replace("~2", ""), before)
    assert found["1"].startswith("unknown") and found["2"].startswith("unknown")
    half = fates(jaxpr, before.replace("~2", ""), before)
    assert half["1"] == "kernel: Is the instruction b of its own."
    assert half["2"] == "kernel: Is the instruction c of its own."


def held_by(derived: str, optimized: str, before: str) -> dict[str, str]:
    """Names of the instructions of each equation."""
    finder = DerivedFates(build(derived), build(before), build(optimized))
    return {id: " ".join(fate.instructions) for id, fate in finder.all().items()}


def test_what_has_no_name_between_instructions_of_one_equation_is_a_part_of_it() -> None:
    jaxpr = "in x input\neqn 0 lu <x\neqn 1 sin <0\nout o out <1"
    module = """
    ins p parameter parameter_number=0
    ins a custom-call <p custom_call_target=lapack_sgetrf ~0
    ins b reduce <a {b}
    ins c select <a,b ~0
    ins d sine <c ~1 root=true
    """
    text = held_by(jaxpr, module.format(b=""), module.format(b="~0"))
    assert text == {"0": "a c b", "1": "d"}
    mixed = module.replace("reduce <a", "reduce <a,p").format(b="")
    assert held_by(jaxpr, mixed, module.format(b=""))["0"] == "a c"


def test_what_has_no_name_in_the_loop_that_an_equation_was_lowered_to_is_a_part_of_it() -> None:
    """The end of a condition, say: JAX gives it no name."""
    module = """
    ins p parameter parameter_number=0
    ins w while <p +wc=region root=true ~0
    ins w.p parameter @wc
    ins w.a compare <w.p @wc ~0
    ins w.f fusion <w.a @wc +wf=fusion root=true
    ins w.0 parameter @wf parameter_number=0
    ins w.1 reduce <w.0 @wf root=true
    """
    found = held_by("in x input\neqn 0 random_gamma <x\nout o out <0", module, module)
    assert found["0"] == "w w.a w.1"
    loop = "in x input\neqn 0 while <x +b\nin b.x input @b operand=0\n"
    loop += "eqn 1 sin <b.x @b\nout b.o out <1 @b result=0\nout o out <0"
    assert "w.1" not in held_by(loop, module, module)["0"]
    merged = module.replace("+wf=fusion root=true", "+wf=fusion").replace(
        "~0\n    ins w.p", "~{tags}\n    ins w.p"
    )
    merged += "ins w.b compare <w.f @wc ~0 root=true"
    two = "in x input\neqn 0 random_gamma <x\neqn 1 random_gamma <0\nout o out <1"
    for tags in ("0|1", "9"):  # of two equations, and of none that there is: by what is around
        text = merged.format(tags=tags)
        assert "w.1" in held_by(two, text, text)["0"].split()


def test_what_several_calls_of_a_function_in_a_function_became_is_told_of_each() -> None:
    """0 calls `g`, 1 calls `f`, which calls `g`, and 2 calls `f` as well."""
    jaxpr = """
    in x input
    eqn 0 jit <x +g
    in g.x input @g
    eqn 0/jaxpr/0 sin <g.x @g
    out g.o out <0/jaxpr/0 @g result=0
    eqn 1 jit <0 +f
    in f.x input @f
    eqn 1/jaxpr/0 jit <f.x @f shares=g calls=g
    out f.o out <1/jaxpr/0 @f result=0
    eqn 2 jit <1 shares=f calls=f
    out o out <2
    """
    module = """
    ins p parameter parameter_number=0
    ins a sine <p ~0/jaxpr/0
    ins b sine <a ~0/jaxpr/0 call=0/jaxpr/0@1/jaxpr/0
    ins c sine <b ~0/jaxpr/0 call=0/jaxpr/0@2@1/jaxpr/0 root=true
    """
    found = held_by(jaxpr, module, module)
    assert [found[call] for call in "012"] == ["a", "b", "c"]


def test_a_copy_that_is_left_of_a_call_is_not_what_became_of_its_inside() -> None:
    jaxpr = """
    in x input
    eqn 0 sin <x
    eqn 1 shard_map <0 +b
    in b.x input @b operand=0
    eqn 1/body/0 neg <b.x @b
    eqn 1/body/1 neg <1/body/0 @b
    out b.o out <1/body/1 @b result=0
    out o out <1
    """
    before = """
    ins p parameter parameter_number=0
    ins a sine <p ~0
    ins b copy <a ~1
    ins c negate <b ~1/body/0
    ins d negate <c ~1/body/1
    ins e copy <d ~1 root=true
    """
    after = "ins p parameter parameter_number=0\nins a sine <p ~0\nins b copy <a ~1 root=true"
    found = fates(jaxpr, after, before)
    told = [found[id].partition(":")[0] for id in ("1", "1/body/0", "1/body/1")]
    assert told == ["simplified"] * 3


@pytest.mark.parametrize("is_one", [True, False])
def test_numbers_in_order_are_taken_into_those_of_all_that_spread_them(is_one: bool) -> None:
    jaxpr = """
    in x input
    eqn 0 iota
    eqn 1 broadcast_in_dim <0 :f32[4,8]
    eqn 2 broadcast_in_dim <0 :f32[4,8]
    eqn 3 add <1,x
    eqn 4 mul <2,3
    out o out <4
    """
    before = """
    ins p parameter parameter_number=0
    ins i iota ~0
    ins b broadcast <i ~1
    ins c broadcast <i ~2
    ins d add <b,p ~3
    ins e multiply <c,d ~4 root=true
    """
    after = before.replace("ins i iota ~0", "").replace("broadcast <i", "iota")
    if is_one:
        jaxpr = jaxpr.replace("eqn 2 broadcast_in_dim <0 :f32[4,8]", "").replace("<2", "<1")
        before, after = (
            module.replace(f"ins c {operation} ~2", "").replace("<c", "<b")
            for module, operation in ((before, "broadcast <i"), (after, "iota"))
        )
    into = "b of equation 1" if is_one else "one of b, c of equations 1 and 2"
    why = "XLA makes the array in the shape that is read."
    assert fates(jaxpr, after, before)["0"] == f"simplified: Taken into {into}: {why}"


@pytest.mark.parametrize(
    ("is_interpreted", "block", "is_whole"),
    [
        ("True", "Ref{f32[8]}", True),
        ("True", "Ref{f32[16]}", False),
        ("True", "f32[8]", False),
        ("False", "Ref{f32[8]}", False),
    ],
)
def test_lowering_makes_nothing_of_what_hands_on_whole_blocks_of_interpreted_kernels(
    is_interpreted: str, block: str, is_whole: bool
) -> None:
    jaxpr = f"""
    in x input
    eqn 0 pallas_call <x +k interpret={is_interpreted}
    in a input :{block} @k
    in b input :{block} @k
    eqn 1 get <a @k
    eqn 2 sin <1 @k
    eqn 3 swap <b,2 @k
    out o out <0
    """
    module = "ins p parameter parameter_number=0\nins a sine <p ~2 root=true"
    found = fates(jaxpr, module, module, lowered="op 0 sine <_ ~2")
    told = ["the whole block that its kernel" in found[id] for id in "13"]
    assert told == [is_whole, is_whole]


def test_a_product_goes_to_the_neighbour_that_lacks_one() -> None:
    """An equation that was lowered to several products, of which some have kept its name."""
    jaxpr = "in x input\neqn 0 solve <x\neqn 1 solve <0\nout o out <1"
    module = """
    ins p parameter parameter_number=0
    ins a dot <p,p ~0
    ins b custom-call <a custom_call_target=lapack_spotrf ~0
    ins c dot <b,p {c}
    ins d custom-call <c custom_call_target=lapack_spotrf ~1 root=true
    """
    before = module.format(c="~1")
    assert held_by(jaxpr, module.format(c=""), before) == {"0": "b a", "1": "d c"}
    both = module.format(c="").replace("ins a dot", "ins a add")
    lacking = held_by(jaxpr, both, before)
    assert "c" not in f"{lacking['0']} {lacking['1']}".split()


def test_what_a_scatter_became_is_a_part_of_it_where_nothing_else_may_be() -> None:
    """XLA makes a loop of it, which compares indices, and removes the loop again."""
    jaxpr = "in x input\neqn 0 sin <x\neqn 1 scatter <0\nout o out <1"
    before = """
    ins p parameter parameter_number=0
    ins a sine <p ~0
    ins b scatter <a ~1 root=true
    """
    after = """
    ins p parameter parameter_number=0
    ins a sine <p ~0
    ins i iota
    ins c compare <i
    ins d reduce <c
    ins b select <d,a root=true ~1
    """
    assert held_by(jaxpr, after, before)["1"].split()[1:] == ["c", "d"]
    jaxpr = jaxpr.replace("<0\nout o", "<0\neqn 2 gather <x\nout o")
    more = f"{before.replace(' root=true', '')}\nins g gather <b ~2 root=true"
    assert "d" not in held_by(jaxpr, after, more)["1"].split()


def test_a_comparison_without_a_name_is_nobody_s() -> None:
    """XLA makes such of what it expands, and removes the equation that compares."""
    jaxpr = """
    in n input
    eqn 0 max <n
    eqn 1 lt <0
    eqn 2 select_n <1,0
    eqn 3 dynamic_update_slice <2
    out o out <3
    """
    before = """
    ins p parameter parameter_number=0
    ins a maximum <p ~0
    ins b compare <a ~1
    ins c select <b,a ~2
    ins d dynamic-update-slice <c ~3 root=true
    """
    after = before.replace("~1", "").replace("~2", "")
    found = fates(jaxpr, after, before)
    told = [found[id].partition(":")[0] for id in "0123"]
    assert told == ["kernel", "unknown", "unknown", "kernel"]


def test_an_equation_is_not_rewritten_away_where_something_nameless_stands() -> None:
    jaxpr = """
    in x input
    eqn 0 sin <x
    eqn 1 gather <0
    eqn 2 tanh <1
    out o out <2
    """
    before = """
    ins p parameter parameter_number=0
    ins a sine <p ~0
    ins b gather <a ~1
    ins c tanh <b ~2 root=true
    """
    after = """
    ins p parameter parameter_number=0
    ins a sine <p ~0
    ins b dynamic-slice <a
    ins e bitcast <b {tag}
    ins c tanh <e,a ~2 root=true
    """
    for tag in ("", "~1"):
        assert fates(jaxpr, after.format(tag=tag), before)["1"].startswith("unknown")
    gone = after.format(tag="").replace("dynamic-slice", "bitcast")
    assert "works from what equation 0 gives" in fates(jaxpr, gone, before)["1"]
    chosen, scaled = before.replace("gather", "select"), after.replace("dynamic-slice", "multiply")
    assert fates(jaxpr, scaled.format(tag=""), chosen)["1"].startswith("unknown")


def test_what_ends_as_an_argument_that_is_returned_is_told_so() -> None:
    jaxpr = "in x input\neqn 0 neg <x\neqn 1 neg <0\nout o out <1"
    before = """
    ins p parameter parameter_number=0
    ins a negate <p ~0
    ins b negate <a ~1 root=true
    """
    told = fates(jaxpr, "ins p parameter parameter_number=0 root=true", before)["1"]
    assert told.startswith("simplified") and told.endswith("an argument is the result.")


@pytest.mark.parametrize(("num", "fate"), [(0, "simplified"), (4, "unknown")])
def test_lowering_makes_nothing_of_what_has_no_elements(num: int, fate: str) -> None:
    jaxpr = f"""
    in x input
    in e input :f32[{num}]
    eqn 0 tanh <e :f32[{num}]
    eqn 1 sin <x
    eqn 2 concatenate <1,0
    out o out <2
    """
    module = """
    ins p parameter parameter_number=0
    ins a sine <p ~1
    ins b negate <a ~2 root=true
    """
    lowered = "op 0 sine <_ ~1\nop 1 negate <0 ~2"
    told = fates(jaxpr, module, module, lowered)["0"]
    assert told.startswith(fate) and ("no elements" in told) is (num == 0)


def test_a_product_that_has_the_name_of_a_transpose_in_a_call_is_told_as_the_product() -> None:
    jaxpr = """
    in x input
    eqn 0 dot_general <x,x
    eqn 1 jit <0 +j
    in j.x input @j operand=0
    eqn 2 transpose <j.x @j
    eqn 3 cholesky <2 @j
    out j.o out <3 @j result=0
    out o out <1
    """
    before = """
    ins p parameter parameter_number=0
    ins a dot <p,p ~0
    ins b transpose <a ~2
    ins c custom-call <b custom_call_target=lapack_spotrf ~3 root=true
    """
    after = """
    ins p parameter parameter_number=0
    ins b dot <p,p ~2
    ins c custom-call <b custom_call_target=lapack_spotrf ~3 root=true
    """
    found = fates(jaxpr, after, before)
    assert found["0"] == "kernel: Is the instruction b of its own."
    assert found["2"].startswith("simplified: Taken into the product b")
    chain = jaxpr.replace("eqn 1 jit <0", "eqn 4 dot_general <0\neqn 1 jit <4")
    longer = before.replace("ins b transpose <a", "ins d dot <a ~4\nins b transpose <d")
    told = fates(chain, after, longer)
    assert told["0"].startswith("unknown") and told["4"].startswith("unknown")


def test_the_sum_over_the_parts_of_a_split_product_is_not_the_product() -> None:
    """Both have the product's name: the kernel is where the product is."""
    jaxpr = "in x input\neqn 0 dot_general <x,x :f32[8,8]\nout o out <0"
    before = """
    ins p parameter parameter_number=0
    ins d dot <p,p :f32[8,8] ~0 root=true
    """
    after = """
    ins p parameter parameter_number=0
    ins gemm fusion <p :f32[4,8,8] +g=fusion ~0
    ins g.0 parameter @g parameter_number=0
    ins g.1 dot <g.0,g.0 @g :f32[4,8,8] root=true ~0
    ins sum fusion <gemm :f32[8,8] +s=fusion root=true ~0
    ins s.0 parameter @s :f32[4,8,8] parameter_number=0
    ins s.1 reduce <s.0 @s :f32[8,8] root=true ~0
    """
    assert fates(jaxpr, after, before)["0"] == "kernel: Has a kernel of its own, gemm."


def test_what_recorded_passes_do_not_tell_is_unknown() -> None:
    text = "in x input\neqn 0 sin <x\nout o out <0"
    module = "ins p parameter\nins a sine <p {tag} root=true"
    endings = {"0": PassOutcome("", instructions=("gone",)), "0@2": PassOutcome("dead")}
    finder = DerivedFates(
        build(text), build(module.format(tag="~0")), build(module.format(tag="")), endings=endings
    )
    gone = "Its instructions are not in the module that runs."
    assert finder.all()["0"].text == f"{gone} As equation 2 calls it: dead."
    other = finder.fate(finder.equations.ids.index("0"), "3")
    assert other.text == "Nothing tells what became of it in the call by equation 3."
    assert finder.fate(finder.equations.ids.index("0"), "2").fate == "dead"
