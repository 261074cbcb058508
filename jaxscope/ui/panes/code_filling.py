"""Fills a page of text: with a file of the user's, or with the text of a stage."""

from __future__ import annotations

import numpy as np

from jaxscope.analysis.legible_constants import shorten_constants
from jaxscope.model import StageText
from jaxscope.ui.panes.code_page import CodePage
from jaxscope.ui.panes.colouring import ProgramColouring, PythonColouring
from jaxscope.ui.panes.machine_colouring import MachineColouring


def fill_with_source(code: CodePage, text: str, begin: int | None) -> None:
    """Show a Python file.

    Args:
        begin: 0-based line to look at first; None stays at the same line, as after an edit.
    """
    keeps_place = begin is None
    is_new = code.set_lines(text.split("\n"), PythonColouring(text), keeps_place=keeps_place)
    if is_new and begin:
        code.show_line(begin)


def fill_with_stage(code: CodePage, text: StageText, *, is_machine: bool, is_again: bool) -> None:
    """Show the text of a stage.

    Args:
        is_machine: It is assembly.
        is_again: Another run of the same call: stay at the same line.
    """
    copied = text.text.split("\n")
    lines = [shorten_constants(line) for line in copied]
    colouring = MachineColouring(lines) if is_machine else ProgramColouring(lines)
    is_new = code.set_lines(lines, colouring, keeps_place=is_again, copied=copied)
    if is_new and not is_again:
        # Optimized modules begin with pages of tables: begin where the program does.
        linked = np.flatnonzero(text.line_nodes >= 0)
        code.show_line(int(linked[0]) if len(linked) else 0)
