"""Why two instructions are not one kernel: facts, inferences from rules, or unknown."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from jaxscope.in_process import capture_function
from jaxscope.program.fusion.fusions import Module
from jaxscope.program.fusion.separation import RULES, Certainty, explain_separation, find_users

from .programs import CHAIN, FIVE_ROUNDS, NEIGHBOURS, TWICE, node, read


@pytest.mark.parametrize(
    ("first", "second", "rule"),
    [
        ("total", "after.total", "reduction"),
        ("turned", "after.turned", "layout"),
        ("updated", "after.updated", "in-place"),
        ("after.updated", "library", "library"),
        ("after.library", "gathered", "collective"),
        ("after.gathered", "sorted", "own-kernel"),
        ("after.gathered", "plain", "several-users"),
        ("plain", "apart", "several-results"),
        ("row", "after.turned", "loop-shape"),
        ("turned", "plain", "between"),
    ],
)
def test_each_rule_where_it_alone_can_be_the_likeliest_reason(
    first: str, second: str, rule: str
) -> None:
    module = read(NEIGHBOURS, cost=(64.0, 64.0, 0.0))
    found = explain_separation(module, node(module, first), node(module, second))
    assert found.certainty is Certainty.INFERRED
    assert rule in [name for name, _ in found.reasons]
    assert found.text.startswith("inferred: ")
    turned = explain_separation(module, node(module, second), node(module, first))
    assert {name for name, _ in turned.reasons} == {name for name, _ in found.reasons}


def test_of_an_effect_no_order_is_claimed() -> None:
    """A print that is not ordered may come at any time, as JAX says of `jax.debug.print`."""

    def noted(x: jax.Array) -> jax.Array:
        jax.debug.print("{}", jnp.sin(x))
        return jnp.cos(x)

    stage = capture_function(noted, (jnp.ones(8),), {}).stage("optimized")
    assert stage is not None
    module = Module(stage.graph)
    (printed,) = stage.graph.nodes_of({"custom-call"})
    fused = stage.graph.nodes_of({"fusion"})[0]
    told = dict(explain_separation(module, fused, printed).reasons)["side-effect"]
    assert "has an effect outside of the program" in told and "order" not in told


def test_where_no_rule_applies_nothing_is_guessed() -> None:
    module = read(NEIGHBOURS, cost=(64.0, 64.0, 0.0))
    found = explain_separation(module, node(module, "plain"), node(module, "plain.next"))
    assert found.certainty is Certainty.UNKNOWN
    assert found.text == "unknown: none of the listed rules applies."


def test_a_cheap_value_with_several_users_costs_nothing_to_compute_again() -> None:
    module = read(NEIGHBOURS, cost=(0.0, 64.0, 0.0))
    found = explain_separation(module, node(module, "after.gathered"), node(module, "plain"))
    assert "several-users" not in [name for name, _ in found.reasons]


def test_instructions_of_one_fusion_are_one_kernel() -> None:
    module = read(CHAIN)
    found = explain_separation(module, node(module, "sine"), node(module, "total"))
    assert found.certainty is Certainty.FACT
    assert found.text == "They are one kernel: chain."


def test_what_nothing_runs_for_is_no_kernel() -> None:
    module = read(CHAIN)
    found = explain_separation(module, node(module, "x"), node(module, "chain"))
    assert found.certainty is Certainty.FACT
    assert "x is a parameter" in found.text


def test_a_kernel_never_spans_a_loop_and_what_is_around_it() -> None:
    module = read(FIVE_ROUNDS)
    inside = explain_separation(module, node(module, "sine"), node(module, "last"))
    assert [name for name, _ in inside.reasons] == ["computation"]
    whole = explain_separation(module, node(module, "loop"), node(module, "last"))
    assert [name for name, _ in whole.reasons] == ["control-flow"]


def test_instructions_inside_of_fusions_stand_for_their_kernels() -> None:
    module = read(TWICE)
    found = explain_separation(module, node(module, "left.exp"), node(module, "right.cos"))
    assert (found.first, found.second) == ("kernel.left", "kernel.right")
    assert [name for name, _ in found.reasons] == ["several-results"]


def test_users_are_found_through_what_nothing_runs_for() -> None:
    module = read(FIVE_ROUNDS)
    assert find_users(module, node(module, "loop")) == (node(module, "last"),)


def test_every_rule_says_what_it_says_in_general() -> None:
    assert len({name for name, _, _ in RULES}) == len(RULES)
    assert all(text for _, text, _ in RULES)
