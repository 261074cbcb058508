"""`jaxscope explain NAME`: the card of a primitive or an opcode."""

from __future__ import annotations

from jaxscope.cli.output import print_found
from jaxscope.cli.parser import Options
from jaxscope.errors import UsageError
from jaxscope.program.cards import find_by_name, list_names
from jaxscope.report.cards import card_to_json, cards_to_document


def run(options: Options) -> int:
    """Print what is known of an operation; runs nothing.

    Raises:
        UsageError: No card has that name.
    """
    cards = find_by_name(options.name)
    if not cards:
        near = _find_near(options.name)
        raise UsageError(
            f"There is no card of {options.name!r}.",
            remedy=f"Did you mean {near}?" if near else "Such as: jaxscope explain dot_general",
        )
    print_found(
        options,
        lambda: {"cards": [card_to_json(card) for card in cards]},
        lambda: cards_to_document(cards),
    )
    return 0


def _find_near(name: str) -> str:
    import difflib

    return " or ".join(difflib.get_close_matches(name, list_names(), 3))
