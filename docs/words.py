"""Writes `docs/design/words.md` from the table of words: `python docs/words.py`."""

from __future__ import annotations

import itertools
from pathlib import Path

from jaxscope.model.words import TERMS

PAGE = Path(__file__).resolve().parent / "design" / "words.md"
_HEAD = """# Words

One name for each thing, in the window, on the command line, in JSON and in these pages, as JAX
and XLA name it where they do. The table is `TERMS` of `jaxscope/model/words.py`; *Help,
Glossary* shows it, `python docs/words.py` writes this page, and `tests/test_words.py` looks for
other words in everything that is shown. Names in JSON are those of the contract: `machine`
there is *machine code* here, `stablehlo` is *StableHLO*. What is counted is named by its stage:
equations of a jaxpr, operations of StableHLO, instructions of HLO; *nodes* are what a graph
draws, arguments and results among them.
"""


def render_words() -> str:
    """The page as Markdown."""
    lines = [_HEAD]
    for group, terms in itertools.groupby(TERMS, key=lambda term: term.group):
        lines += [f"## {group}", "", "| word | what it means |", "|---|---|"]
        lines += [f"| {term.name} | {term.meaning} |" for term in terms]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(render_words(), "utf-8")
