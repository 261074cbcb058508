"""Read the lines of a stage's text so that new numbers of values are no difference.

Each line becomes a template, with `·` for every name, and the names in order. What only says where
the code stands in its file (HLO's metadata and its tables of files and frames) is left out: an
empty line in the source would change all of it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from jaxscope.model import StageText

_HLO = frozenset({"hlo", "optimized"})

_JAXPR_HEADER = re.compile(r"\blambda\b")
_JAXPR_NAME = re.compile(r"(?<![\w.%@:<])([a-z]+|_)(?![\w=.(\[<])")
_JAXPR_DEFINITION = re.compile(r"(?<![\w.%@:<])([a-z]+|_):(?=[a-zA-Z])")
_MLIR_NAME = re.compile(r"%[\w$.-]+")
_MLIR_SYMBOL = re.compile(r"(@[A-Za-z_$.][\w$.]*?)_\d+\b")
_HLO_NAME = re.compile(r"%[\w$.-]+|\b[A-Za-z_][\w-]*(?:\.[\w-]*)*\.\d+\b")
_HLO_METADATA = re.compile(r", metadata=\{[^{}]*\}")
_HLO_TURN = re.compile(r"(?<= parameter)\(\d+\)")
_MACHINE_NAME = re.compile(r"%[\w$.-]+|![0-9]+|#[0-9]+|\$[\w.]+")
_WORDS = frozenset({"lambda", "let", "in"})
_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")

NAME_SIGN = "·"


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """One line.

    Attributes:
        number: 0-based place in the stage's text.
        text: What is shown of it.
        template: The text with a sign for each name.
        names: The names, in order.
        num_defined: So many of them are defined here; they come first.
        node: Index of the node that it defines, or -1.
    """

    number: int
    text: str
    template: str
    names: tuple[str, ...]
    num_defined: int
    node: int


def read_lines(text: StageText, stage: str) -> list[Line]:
    """The lines of a stage that can be compared, in order."""
    lines, nodes = text.text.split("\n"), text.line_nodes.tolist()
    if stage in _HLO:
        return _read_hlo(lines, nodes)
    if stage in ("stablehlo", "machine"):
        pattern = _MLIR_NAME if stage == "stablehlo" else _MACHINE_NAME
        return [_read(i, line, nodes[i], pattern) for i, line in enumerate(lines)]
    return _read_jaxpr(lines, nodes)


def _read(number: int, text: str, node: int, pattern: re.Pattern[str]) -> Line:
    """A line whose names have a sign of their own, such as `%`."""
    names = tuple(pattern.findall(text))
    template = _MLIR_SYMBOL.sub(r"\1", pattern.sub(NAME_SIGN, text))
    before = text.partition(" = ")[0] if " = " in text else ""
    num_defined = len(pattern.findall(before)) if before else 0
    is_header = not before and text.rstrip().endswith("{")
    return Line(number, text, template, names, len(names) if is_header else num_defined, node)


def _read_hlo(lines: Sequence[str], nodes: Sequence[int]) -> list[Line]:
    found, in_table = [], False
    for number, text in enumerate(lines):
        if text in _TABLES:
            in_table = True
        elif in_table and text.startswith(("%", "ENTRY")):
            in_table = False
        if in_table:
            continue
        line = _read(number, _HLO_METADATA.sub("", text), nodes[number], _HLO_NAME)
        template = _HLO_TURN.sub(f"({NAME_SIGN})", line.template)
        found.append(dataclasses.replace(line, template=template))
    return found


def _read_jaxpr(lines: Sequence[str], nodes: Sequence[int]) -> list[Line]:
    """Names of a jaxpr are plain words: a word is one where the program defines it somewhere."""
    defined = [_defined_in(line) for line in lines]
    known = {name for names in defined for name in names}
    found = []
    for number, (text, names_here) in enumerate(zip(lines, defined, strict=True)):
        names: list[str] = []
        operation_at = text.find(" = ") + 3 if " = " in text else -1

        def replace(match: re.Match[str], names: list[str] = names, at: int = operation_at) -> str:
            if match[1] not in known or match.start() == at or match[1] in _WORDS:
                return match[0]
            names.append(match[1])
            return NAME_SIGN

        template = _JAXPR_NAME.sub(replace, text)
        found.append(Line(number, text, template, tuple(names), len(names_here), nodes[number]))
    return found


def _defined_in(line: str) -> list[str]:
    before, equals, _ = line.partition(" = ")
    if _JAXPR_HEADER.search(line):
        return _JAXPR_DEFINITION.findall(line)
    return _JAXPR_DEFINITION.findall(before) if equals else []
