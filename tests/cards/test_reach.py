"""Which of the operations that occur have a card: all in the samples, most in library calls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

import jax
import pytest

from bench.operations import COUNTS, ROOT, count_file_here, find_calls
from jaxscope.cli import main
from jaxscope.model import NodeKind
from jaxscope.program.cards import Card, find_by_name, find_card, read_cards
from jaxscope.program.explanations import explain_operation
from jaxscope.report.cards import explain_card, list_facts

COUNTED = json.loads(COUNTS.read_text("utf-8"))
_OF_OTHERS = {
    *("nonbatchable", "select_if_vmap", "nondifferentiable_backward", "linear_solve"),
    *("unvmap_any", "unvmap_max", "maybe_set", "vprim"),
}
"""Primitives of Equinox and Lineax."""
_NO_WORK = {"builtin.module", "func.func", "func.return", "stablehlo.return", "stablehlo.constant"}
KINDS: dict[str, tuple[NodeKind, set[str]]] = {
    "primitives": (NodeKind.EQUATION, _OF_OTHERS),
    "stablehlo": (NodeKind.OPERATION, _NO_WORK),
    "hlo": (NodeKind.INSTRUCTION, set()),
}


def is_full(card: Card | None) -> bool:
    """A sentence, and something for another reader."""
    return card is not None and bool(explain_card(card)) and bool(list_facts(card))


def count(kind: str, *origins: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for origin in origins:
        found.update(COUNTED[origin][kind])
    return found


def without_card(kind: str, found: Counter[str]) -> Counter[str]:
    node_kind, others = KINDS[kind]
    left = {
        name: number
        for name, number in found.items()
        if name not in others and not is_full(find_card(name, node_kind))
    }
    return Counter(left)


@pytest.mark.parametrize("kind", ["primitives", "hlo"])
def test_all_that_occurs_in_samples_has_a_card(kind: str) -> None:
    assert not without_card(kind, count(kind, "samples", "docs/programs"))


@pytest.mark.parametrize(("kind", "most"), [("primitives", 80), ("hlo", 60)])
def test_so_have_the_most_frequent(kind: str, most: int) -> None:
    every = count(kind, *COUNTED)
    for name in KINDS[kind][1]:
        del every[name]
    assert not without_card(kind, Counter(dict(every.most_common(most))))


@pytest.mark.parametrize(
    ("kind", "share"), [("primitives", 0.99), ("stablehlo", 0.97), ("hlo", 0.999)]
)
def test_the_share_of_occurrences_in_library_calls(kind: str, share: float) -> None:
    every = count(kind, "libraries")
    for name in KINDS[kind][1]:
        del every[name]
    left = without_card(kind, every)
    found = 1 - left.total() / every.total()
    assert found >= share, f"{found:.4f}; without: {left.most_common(12)}"


SAMPLES = sorted((ROOT / "samples").glob("*.py"))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(file.name, marks=[pytest.mark.slow] * (file.stem != "quick_start"))
        for file in SAMPLES
    ],
)
def test_the_samples_as_they_are_now(name: str) -> None:
    file = ROOT / "samples" / name
    for result in count_file_here(file, find_calls(file)):
        for kind in ("primitives", "hlo"):
            assert not without_card(kind, Counter(result.get(kind, {}))), result["call"]


NAMES: list[tuple[str, Callable[[], Card]]] = [
    (f"{name} {number}", lambda cards=cards, name=name: cards[name])
    for number, cards in enumerate(read_cards())
    for name in cards
]


@pytest.mark.parametrize("card", [f() for _, f in NAMES], ids=[name for name, _ in NAMES])
def test_every_card_has_its_sentence_and_is_found_by_its_name(card: Card) -> None:
    assert explain_card(card).endswith(".")
    assert card in find_by_name(card.name)


@pytest.mark.parametrize("name", ["all_to_all", "collective-permute"])
def test_what_only_has_a_sentence_is_explained_by_it(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kind = NodeKind.INSTRUCTION if "-" in name else NodeKind.EQUATION
    assert main(["explain", name]) == 0
    printed = capsys.readouterr().out
    assert printed.split(": ", 1)[1].startswith(explain_operation(name, kind))
    assert "In formulas" not in printed


def test_explained_primitives_have_the_names_that_jax_gives_them() -> None:
    def updates(x: jax.Array) -> jax.Array:
        return x.at[0].max(1.0).at[0].min(1.0).at[0].multiply(1.0).at[0].add(1.0).at[0].set(1.0)

    equations = jax.make_jaxpr(updates)(jax.numpy.ones(3)).eqns
    names = [e.primitive.name for e in equations if e.primitive.name.startswith("scatter")]
    assert len(names) == 5
    assert all(explain_operation(name, NodeKind.EQUATION) for name in names)
