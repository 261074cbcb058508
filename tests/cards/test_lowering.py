"""What primitives turn into, against the modules that JAX and XLA make of the examples."""

from __future__ import annotations

import jax
import pytest

from jaxscope.program.cards import MADE_WITH, read_cards
from tests.cards.examples import EXAMPLES, HOLD_PROGRAMS, INSIDE
from tests.cards.lowering import observe

LOWERED = {name: card for name, card in read_cards()[0].items() if card.stablehlo is not None}


def test_it_was_seen_with_the_release_that_is_tested() -> None:
    assert f"JAX {jax.__version__} " in MADE_WITH


@pytest.mark.sweep(20)
@pytest.mark.parametrize("name", sorted(LOWERED))
def test_what_it_turns_into(name: str) -> None:
    card = LOWERED[name]
    inside = INSIDE if name in HOLD_PROGRAMS else frozenset[str]()
    stablehlo, hlo, alone = observe(*EXAMPLES[name], inside)
    assert list(card.stablehlo or ()) == stablehlo
    assert list(card.hlo or ()) == hlo
    if card.alone is not None:
        assert alone is not None and list(card.alone) == alone
