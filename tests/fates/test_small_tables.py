"""Fates of base equations, from those of what the transforms made of them; and sentences."""

from __future__ import annotations

import dataclasses

import pytest

from jaxscope.model import Capture, Cost, Fate, Graph, Proof, Stage, StageText, Unavailable
from jaxscope.model.said import say_sentence
from jaxscope.program.fates.outcomes import (
    PassOutcome,
    PassStep,
    combine_fates,
    describe_removed_call,
    in_pass,
    quote_equations,
    quote_names,
    summarize_fates,
)
from jaxscope.program.fates.table import (
    FateTable,
    find_all_fates,
    find_fate_table,
    link_products,
    saved_fates,
)
from tests.fates.small_graphs import build
from tests.window.programs import build_capture


def find_fates(stages: tuple[Stage, ...]) -> dict[str, Fate]:
    """Fates of the equations of the base function."""
    return find_all_fates(stages)[0]


BASE = """
in x input
eqn 0 sin <x
eqn 1 mul <0,x
eqn 2 cos <x
eqn 3 add <1 in[1]=1.0:f32[]
eqn 4 custom_jvp_call <3 +4/call
in c.x input @4/call operand=0
eqn 4/call/0 tanh <c.x @4/call
out c.o out <4/call/0 @4/call result=0
eqn 5 reshape <3
eqn 6 neg <3
out o out <4
out p out <5
out q out <6
"""
GRAD = """
in x input
eqn 0 cos <x ^0
eqn 1 sin <x ^0
eqn 2 mul <0,1 ^1
eqn 3 mul <0,1 ^1
eqn 4 exp <2,3 ^4
out o out <4
"""
OPTIMIZED = """
ins p parameter parameter_number=0
ins f fusion <p +fc=fusion ~4 root=true
ins f.p parameter @fc parameter_number=0
ins a cosine <f.p @fc ~0
ins b sine <f.p @fc ~1
ins m multiply <a,b @fc ~2
ins e exponential <m @fc ~4 root=true
"""


def stage(name: str, graph: str | Graph | Unavailable) -> Stage:
    graph = build(graph) if isinstance(graph, str) else graph
    return Stage(name, name, StageText.plain(""), graph, Cost(), 0.0)


def stages(transform: str = "grad", **others: str) -> tuple[Stage, ...]:
    named = {"jaxpr": BASE, transform: GRAD, "optimized": OPTIMIZED, **others}
    return tuple(stage(name, text) for name, text in named.items())


def told(fates: dict[str, Fate]) -> dict[str, tuple[str, str]]:
    return {id: (fate.fate, fate.text) for id, fate in fates.items()}


def test_a_base_equation_has_one_fate_of_all_that_came_from_it() -> None:
    base, derived = find_all_fates(stages())
    assert [fate.fate for fate in derived.values()] == [
        "fused",
        "fused",
        "fused",
        "merged",
        "fused",
    ]
    assert told(base) == {
        "0": (
            "fused",
            "2 equations came from it (2 fused). Of equation 0 of grad (cos): Fused into f.",
        ),
        "1": (
            "fused",
            "2 equations came from it (1 fused, 1 merged). Of equation 2 of grad (mul): "
            "Fused into f.",
        ),
        "2": ("dead", "Nothing that is kept needs its result."),
        "3": ("dead", "grad does not need its result, so JAX left it out."),
        "4": ("fused", "Fused into f."),
        "4/call/0": ("simplified", "The custom rule of 4 takes its place in grad."),
        "5": ("simplified", "Nothing of this reshape is needed in grad."),
        "6": ("dead", "grad does not need its result, so JAX left it out."),
    }
    assert base["0"].instructions == ("a", "b")
    assert base["2"].proof == Proof(None, "grad", ("2",))
    assert [base[id].certainty for id in ("2", "3", "4/call/0", "5")] == [
        *("proven", "inferred", "inferred", "inferred"),
    ]
    other = told(find_fates(stages("vmap")))
    assert other["3"] == ("unknown", "It is not in vmap, and JAX does not say why.")


@pytest.mark.parametrize("transform", ["jacrev", "vjp", "hessian", "jvp", "linearize"])
def test_derivatives_leave_out_what_they_do_not_need(transform: str) -> None:
    assert find_fates(stages(transform))["6"].fate == "dead"


def test_parts_that_were_merged_with_each_other() -> None:
    """Of a base equation whose parts were merged with those of others, the others are named."""
    text = """
    in x input
    eqn 0 cos <x ^0
    eqn 1 cos <x ^{first}
    eqn 2 cos <x ^{second}
    out o out <0
    out p out <1
    out q out <2
    """
    after = """
    ins p parameter parameter_number=0
    ins a cosine <p ~0 root=true
    """

    def found(first: str, second: str) -> dict[str, Fate]:
        graphs = {"jaxpr": BASE, "grad": text.format(first=first, second=second)}
        return find_fates(tuple(stage(n, g) for n, g in (graphs | {"optimized": after}).items()))

    apart = found("1", "1")
    assert apart["1"].merged_with == ("0",)
    assert apart["1"].text.startswith("2 equations came from it (2 merged). Of equation 1 of grad")
    assert "Merged with equation 0 of grad: " in apart["1"].text
    within = found("0", "2")
    assert (within["0"].fate, within["0"].merged_with) == ("kernel", ())
    assert within["2"].merged_with == ("0",)
    assert within["2"].text.startswith("Merged with equation 0 of grad")


def test_where_nothing_runs_what_became_of_the_operation_itself_is_told() -> None:
    derived = """
    in x input
    eqn 0 sin <x ^0
    eqn 1 cos <x ^0
    eqn 2 iota ^0
    eqn 3 neg <2 ^1
    eqn 4 mul <2,3 ^1
    eqn 5 exp <4 ^4
    out o out <5
    """
    after = "ins k constant root=true ~5"
    found = find_fates((stage("jaxpr", BASE), stage("grad", derived), stage("optimized", after)))
    assert found["0"].fate == "dead"
    assert found["0"].text == (
        "3 equations came from it (2 dead, 1 folded). Of equation 0 of grad (sin): "
        "Nothing that is kept needs its result."
    )
    assert found["1"].text.startswith(
        "2 equations came from it (2 folded). Of equation 3 of grad (neg): Depends on no argument"
    )


def test_a_branch_that_a_transform_made_a_choice_of_says_so() -> None:
    base = "in x input\neqn 0 cond <x +0/b\neqn 1 sin <x @0/b\nout o out <0"
    parts = "in x input\neqn 0 sin <x ^0\neqn 1 select_n <x,0,x ^0\n{more}\nout o out <1"
    after = "ins p parameter\nins a sine <p ~0\nins b select <p,a ~1 root=true"

    def text(more: str) -> str:
        derived = parts.format(more=more)
        return find_fates(
            (stage("jaxpr", base), stage("vmap", derived), stage("optimized", after))
        )["0"].text

    chosen = "vmap computes both branches, and a select chooses. "
    assert text("").startswith(chosen)
    assert not text("eqn 2 cond <x ^0").startswith(chosen)


def test_what_is_missing_is_told() -> None:
    graphs = stages()
    assert find_all_fates(graphs[1:]) == ({}, {})
    gone = Unavailable("No.")
    unread = find_all_fates((graphs[0], stage("grad", gone), graphs[2]))
    assert unread[1] == {} and unread[0].keys() == find_fates(graphs).keys()
    assert told(unread[0])["0"] == (
        *("unknown", "The graph of the stage grad is not there to follow."),
    )
    base, derived = find_all_fates(graphs[:2])
    missing = ("unknown", "There is no optimized module to look into.")
    assert set(told(base).values()) == set(told(derived).values()) == {missing}
    assert list(derived) == ["0", "1", "2", "3", "4"]
    plain = find_all_fates((graphs[1], graphs[2])[1:])
    assert plain == ({}, {})
    same = find_all_fates((dataclasses.replace(graphs[1], name="jaxpr"), graphs[2]))
    assert same[0] is same[1]


def test_a_table_finds_fates_when_it_is_asked() -> None:
    table = FateTable(stages())
    base, derived = find_all_fates(stages())
    assert (dict(table), dict(table.derived), len(table)) == (base, derived, 8)
    assert table["2"] == base["2"]
    assert not table.has_pass_outcomes and saved_fates(table) == {}
    recorded = FateTable(stages(), {"0": PassOutcome("dead")})
    assert recorded.has_pass_outcomes and saved_fates(recorded) == dict(recorded)
    assert saved_fates(base) == base


@pytest.mark.parametrize("target", ["tpu", "aot:tpu:v5e:2x2", "ssh://host/tpu"])
def test_nothing_is_proven_of_a_program_for_tpus(target: str) -> None:
    elsewhere, table = FateTable(stages(), None, "gpu"), FateTable(stages(), None, target)
    assert "proven" in {fate.certainty for fate in elsewhere.values()}
    for found, here in ((elsewhere, table), (elsewhere.derived, table.derived)):
        for id, fate in found.items():
            told = here[id]
            assert (told.fate, told.text) == (fate.fate, fate.text)
            assert told.certainty == ("inferred" if fate.certainty else "")
            assert told.proof is None
    saved = dataclasses.replace(build_capture(), stages=stages(), fates={}, target=target)
    assert dict(find_fate_table(saved)) == dict(table)


def test_a_program_that_cannot_be_followed_costs_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError("x" * 300)

    monkeypatch.setattr("jaxscope.program.fates.table.find_all_fates", fail)
    table = FateTable(stages())
    why = f"RecursionError: {'x' * 300}"[:200]
    text = f"jaxscope could not follow this program, which is a bug in jaxscope: {why}"
    assert set(table.values()) == {Fate("unknown", text=text)}
    assert len(table) == 8 and table.derived == {}
    assert len(FateTable(stages()[1:])) == 0


LINKED = """
ins p parameter parameter_number=0
ins a sine <p ~0
ins b dot <a,p
ins c tanh <b ~2
ins d dot <c,p ~3
ins e exponential <d root=true
ins n dot
"""
JAXPR = """
in x input
eqn 0 sin <x #1
eqn 1 dot_general <0,x #2 {origin}
eqn 2 tanh <1 #3
eqn 3 dot_general <2,x #4
eqn 4 exp <3 #5
out o out <4
"""


def capture(*graphs: Stage) -> Capture:
    return dataclasses.replace(build_capture(), stages=graphs, fates=FateTable(graphs))


@pytest.mark.parametrize("origin", ["", "^7|8"])
def test_nameless_products_take_over_what_is_known_of_their_equation(origin: str) -> None:
    jaxpr = build(JAXPR.format(origin=origin))
    hlo = build(LINKED.replace("<a,p", "<a,p ~1").replace("ins n dot", ""))
    graphs = stage("jaxpr", jaxpr), stage("hlo", hlo), stage("optimized", LINKED)
    given = capture(*graphs)
    for captured in (given, dataclasses.replace(given, fates=dict(given.fates))):
        linked = link_products(captured)
        assert linked is not None and isinstance(linked.graph, Graph)
        before, after = graphs[2].graph, linked.graph
        assert isinstance(before, Graph)
        for index in range(len(before.nodes)):
            now, then = after.node(index), before.node(index)
            if then.name != "b":
                assert repr(now) == repr(then)
                continue
            source = jaxpr.node(jaxpr.index_by_id["1"])
            assert now.derived == ("1",)
            assert now.origins == (("7", "8") if origin else ("1",))
            assert (now.scope, now.source) == (("layer",), source.source)
            assert now.attributes == {**then.attributes, "link": "inferred"}
    assert link_products(capture(*graphs[:2])) is None
    named = stage("optimized", LINKED.replace("<a,p", "<a,p ~1").replace("ins n dot", ""))
    assert link_products(capture(*graphs[:2], named)) is named
    unread = stage("jaxpr", Unavailable("No."))
    assert link_products(capture(unread, graphs[2])) is graphs[2]
    gone = stage("optimized", Unavailable("No."))
    assert link_products(capture(graphs[0], gone)) is gone


REPEATED = """
in x input
eqn 0 sin <x
eqn 1 cos <0
eqn 2 cos <0
eqn 3 exp <1
eqn 4 tan <2
out o out <3
out p out <4
"""
RECEIVED = """
ins p parameter parameter_number=0
ins s sine <p ~0
ins c cosine <s ~1
ins d cosine <s ~2
ins e exponential <c ~3
ins t tan <d ~4
ins o tuple <e,t root=true
"""


def test_an_instruction_without_a_name_is_not_given_to_what_was_merged() -> None:
    """Of two equal equations one is left by name: a nameless neighbour is none of the other's."""
    compiled = RECEIVED.replace("ins d cosine <s ~2", "ins d cosine <s")
    graphs = stage("jaxpr", REPEATED), stage("hlo", RECEIVED), stage("optimized", compiled)
    fate = capture(*graphs).fates["2"]
    assert (fate.fate, fate.merged_with, fate.certainty) == ("merged", ("1",), "inferred")


# Sentences, and several fates as one.


def test_a_few_names_are_told_and_how_many_more() -> None:
    assert [quote_names(list("abcde")[:n]) for n in range(1, 6)] == [
        *("a", "a, b", "a, b, c", "a, b, c and 1 more", "a, b, c and 2 more"),
    ]
    assert [quote_equations(list("abcde")[:n]) for n in range(1, 6)] == [
        *("equation a", "equations a and b", "equations a, b and c"),
        *("equations a, b, c and 1 more", "equations a, b, c and 2 more"),
    ]
    assert quote_equations(["a"], "grad") == "equation a of grad"
    assert quote_equations(list("abcd"), "grad") == "equations a, b, c and 1 more of grad"


def test_sentences_begin_large_and_end_with_a_stop() -> None:
    assert [say_sentence(text) for text in ("", " a b ", "A.", "x")] == ["", "A b.", "A.", "X."]
    assert (in_pass("algsimp"), in_pass(None), in_pass("")) == (" in the pass algsimp", "", "")
    assert PassOutcome("dead", PassStep(3, "dce")).pass_name == "dce"
    assert PassOutcome("dead", PassStep(None, "dce")).pass_name is None
    assert PassOutcome("dead").pass_name is None


@pytest.mark.parametrize(
    ("names", "best"),
    [
        ("dead folded folded", "folded"),
        ("dead dead merged", "merged"),
        ("dead dead", "dead"),
        ("merged simplified simplified", "simplified"),
        ("dead fused kernel", "kernel"),
        ("layout library fused", "library"),
        ("unknown folded", "unknown"),
        ("layout unknown", "layout"),
        ("folded dead fused", "fused"),
    ],
)
def test_of_several_fates_the_most_telling_stands_for_all(names: str, best: str) -> None:
    each = [
        Fate(name, None, (f"i{n}", "shared"), (f"m{n}", "both"), name)
        for n, name in enumerate(names.split())
    ]
    found = combine_fates(each)
    running = [fate for fate in each if fate.fate == best] if best in _GONE else each
    assert found.fate == best
    assert found.instructions == tuple(dict.fromkeys(i for f in running for i in f.instructions))
    merged = dict.fromkeys(m for f in each if f.fate == best for m in f.merged_with)
    assert found.merged_with == tuple(merged)


_GONE = ("folded", "merged", "simplified", "dead")


def test_what_is_inside_is_counted() -> None:
    fused, dead = Fate("fused"), Fate("dead")
    assert summarize_fates([fused]) == "its one equation: fused"
    assert summarize_fates([fused, dead, fused]) == "of its 3 equations: 2 fused, 1 dead"
    assert describe_removed_call("scan") == "the loop was removed"
    assert describe_removed_call("jit") == "the call was inlined"
