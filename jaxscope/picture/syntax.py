"""Syntax colours: which parts of a line are keywords, names, numbers and so on, for Python, jaxprs,
StableHLO, HLO and machine code.

Programs are coloured line by line when a line is first shown; a Python file as a whole, since
strings may run over lines.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pygments import lex
from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

Span = tuple[int, int, str]
"""Start, length and role, the role being a colour's name in `Theme`."""

MAX_COLOURED_CHARACTERS = 1_000_000
"""Python beyond this size is shown plain: lexing it would hold the window up for over a second."""

_MAX_LINE_CHARACTERS = 2_000
_PROGRAM_TOKENS = re.compile(
    r"""(?P<comment>//.*$|/\*.*?\*/|^;.*$|(?<=\s);.*$)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<keyword>\b(?:let|in|lambda|ROOT|ENTRY|HloModule|module|func|return|define|declare|private
        |public|fusion|while|scan|cond|branches|jaxpr|calls|body|condition)\b)
    |(?P<type>(?:tensor<[^>]*>)|\b(?:pred|bool|bf16|[fsiuc]\d{1,3}(?:e\dm\d\w*)?)\[[^\]]*\]
        (?:\{[^}]*\})?)
    |(?P<symbol>[%@\#][\w.$-]+)
    |(?P<number>(?<![\w.])-?\d[\w.+-]*)""",
    re.VERBOSE,
)
_PYTHON_ROLES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "comment"),
    (String, "string"),
    (Number, "number"),
    (Keyword, "keyword"),
    (Operator.Word, "keyword"),
    (Name.Decorator, "type"),
    (Name.Function, "number"),
    (Name.Class, "type"),
    (Name.Builtin, "type"),
)


_NAME = r"[^\x00-@\[-^`{-\x7f][^\x00-/:-@\[-^`{-\x7f]*"
"""A name where Python's grammar has one: beyond ASCII nothing else is outside of strings."""


def _with_short_names(rule: Any) -> Any:
    """A rule of a lexer without the table of all letters, which takes 5 ms to compile, in each."""
    if isinstance(rule, tuple) and isinstance(rule[0], str):
        return (rule[0].replace(PythonLexer.uni_name, _NAME), *rule[1:])
    return rule


class _QuickLexer(PythonLexer):  # type: ignore[misc] # Pygments has no types
    tokens: ClassVar[Any] = {
        state: [_with_short_names(rule) for rule in rules]
        for state, rules in PythonLexer.tokens.items()
    }


class ProgramColouring:
    """Colours jaxprs, StableHLO, HLO and LLVM line by line, when a line is first shown."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def spans(self, line: int) -> Sequence[Span]:
        """The coloured parts of a line, by 0-based number."""
        return _program_spans(self._lines[line][:_MAX_LINE_CHARACTERS])


class PythonColouring:
    """Colours a whole Python file at once, since strings may run over lines."""

    def __init__(self, text: str) -> None:
        self._spans = _python_spans(text) if len(text) <= MAX_COLOURED_CHARACTERS else {}

    def spans(self, line: int) -> Sequence[Span]:
        """The coloured parts of a line, by 0-based number."""
        return self._spans.get(line, ())


@functools.lru_cache(maxsize=2)
def _python_spans(text: str) -> Mapping[int, Sequence[Span]]:
    """The coloured parts of each line that has any; kept, since a file is shown more than once."""
    spans: dict[int, list[Span]] = {}
    line = column = 0
    for token, value in lex(text, _QuickLexer(stripnl=False, ensurenl=False)):
        role = _python_role(token)
        for number, part in enumerate(value.split("\n")):
            if number:
                line, column = line + 1, 0
            if role and part:
                spans.setdefault(line, []).append((column, len(part), role))
            column += len(part)
    return spans


Colouring = ProgramColouring | PythonColouring


def program_pattern() -> str:
    """What finds the coloured words of a line of a program, as JavaScript spells expressions."""
    spaces = re.sub(r"\s*\n\s*", "", _PROGRAM_TOKENS.pattern)
    return spaces.strip().replace("(?P<", "(?<")


@functools.lru_cache(maxsize=4096)
def _program_spans(line: str) -> tuple[Span, ...]:
    return tuple(
        (match.start(), match.end() - match.start(), match.lastgroup or "symbol")
        for match in _PROGRAM_TOKENS.finditer(line)
    )


@functools.lru_cache(maxsize=256)
def _python_role(token: _TokenType) -> str:
    return next((role for kind, role in _PYTHON_ROLES if token in kind), "")


# Colours machine code: LLVM IR, PTX, SASS, assembly and bundles, each by its own words.


_LLVM = r"""(?P<comment>^;.*$|(?<=\s);.*$)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<type><\d+[ ]x[ ]\w+>|\[\d+[ ]x[ ]\w+\]
        |\b(?:i\d+|float|double|half|bfloat|ptr|void|label)\b)
    |(?P<keyword>(?:(?<==[ ])|(?<=^[ ]{2})|^)(?:tail[ ]|musttail[ ])?[a-z]+\b|\bto\b)
    |(?P<symbol>[%@!\#][\w.$-]+)
    |(?P<number>(?<![\w.%])-?(?:0x[\da-fA-F]+|\d[\d.]*(?:e[+-]?\d+)?)\b)"""
_PTX = r"""(?P<comment>//.*$|^;.*$)
    |(?P<type>(?<!\w)\.(?:version|target|address_size|visible|entry|func|extern|shared|global|param
        |reg|local|const|align|reqntid|maxntid|minnctapersm|loc|file|section|ptr|weak)\b
        |(?<=[\s(])\.[bufs](?:8|16|32|64|128)\b|(?<=\s)\.pred\b)
    |(?P<number>(?<![\w.%])(?:0[xfd][\da-fA-F]+|-?\d+(?:\.\d+)?)\b)
    |(?P<symbol>%[\w.]+|\$[\w$]+)
    |(?P<keyword>(?:(?<=^\t)|(?<=\t)|^)(?!\.)[a-z][\w]*(?:[.:]{1,2}\w+)*(?=[ \t;]))"""
_SASS = r"""(?P<comment>/\*.*?\*/|//.*$|^;.*$)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<type>\b(?:U?R(?:\d+|Z)|U?P(?:\d|T)|SR_\w+(?:\.\w+)?|B\d+)\b|c\[0x[\da-f]+\]\[[^\]]*\])
    |(?P<number>(?<![\w.])-?(?:0x[\da-fA-F]+|\d+(?:\.\d+)?)\b)
    |(?P<symbol>\.L_x_\d+|`\(.*?\))
    |(?P<keyword>\b[A-Z][A-Z\d]+(?:\.[\w.]+)?)"""
_ASSEMBLY = r"""(?P<comment>;.*$|^\s*[\da-f]+:)
    |(?P<keyword>(?<=:[ ]{2})[a-z][\w.]*)
    |(?P<type>\b(?:[re]?[abcd]x|[abcd][lh]|[re]?[sd]il?|[re]?[sb]pl?|r(?:8|9|1[0-5])[dwb]?|rip
        |[xyz]mm\d+|k[0-7]|[wxvqdsbh]\d{1,2}(?:\.\d*[bhsd])?|[wx]zr|sp|lr)\b)
    |(?P<symbol>\b(?:byte|word|dword|qword|[xyz]mmword)[ ]ptr\b)
    |(?P<number>(?<![\w.])\#?-?(?:0x[\da-fA-F]+|\d+)\b)"""
_BUNDLES = r"""(?P<comment>^\s*;.*$|//.*$|/\*.*?\*/)
    |(?P<type>\b[vsp]\d+\b|%[\w.]+)
    |(?P<keyword>\b[vs][a-z]+(?:\.[\w.]+)+)
    |(?P<number>(?<![\w.])-?(?:0x[\da-fA-F]+|\d+)\b)"""
_NOTHING = re.compile(r"(?P<comment>^;.*$)|(?P<number>(?<![\w.])\d+\b)")
_LANGUAGES = (
    ("LLVM IR", _LLVM),
    ("PTX", _PTX),
    ("SASS", _SASS),
    ("assembly", _ASSEMBLY),
    ("bundles", _BUNDLES),
)


class MachineColouring(ProgramColouring):
    """Colours the stage `machine`: what language a line is in, its heading says."""

    def __init__(self, lines: Sequence[str]) -> None:
        # A window starts without any machine code.
        from jaxscope.program.machine.kernel_text import KERNEL, PART, read_heading

        super().__init__(lines)
        starts, languages = [0], [_NOTHING]
        for number, line in enumerate(lines):
            if line.startswith((PART, KERNEL)):
                starts.append(number)
                languages.append(_language_of(read_heading(line, PART)))
        self._starts, self._languages = starts, languages

    def spans(self, line: int) -> Sequence[Span]:
        """The coloured parts of a line, by 0-based number."""
        language = self._languages[bisect.bisect_right(self._starts, line) - 1]
        return _spans(language, self._lines[line][:_MAX_LINE_CHARACTERS])


def _language_of(title: str) -> re.Pattern[str]:
    words = next((words for name, words in _LANGUAGES if title.startswith(name)), "")
    return re.compile(words, re.VERBOSE) if words else _NOTHING  # none is needed at the start


@functools.lru_cache(maxsize=4096)
def _spans(language: re.Pattern[str], line: str) -> tuple[Span, ...]:
    return tuple(
        (match.start(), match.end() - match.start(), match.lastgroup or "symbol")
        for match in language.finditer(line)
    )
