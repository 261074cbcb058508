"""Which parts of a line of program text are keywords, names, numbers and so on."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

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
        self._spans: dict[int, list[Span]] = {}
        if len(text) <= MAX_COLOURED_CHARACTERS:
            self._lex(text)

    def spans(self, line: int) -> Sequence[Span]:
        """The coloured parts of a line, by 0-based number."""
        return self._spans.get(line, ())

    def _lex(self, text: str) -> None:
        line = column = 0
        for token, value in lex(text, PythonLexer(stripnl=False, ensurenl=False)):
            role = _python_role(token)
            for number, part in enumerate(value.split("\n")):
                if number:
                    line, column = line + 1, 0
                if role and part:
                    self._spans.setdefault(line, []).append((column, len(part), role))
                column += len(part)


Colouring = ProgramColouring | PythonColouring


@functools.lru_cache(maxsize=4096)
def _program_spans(line: str) -> tuple[Span, ...]:
    return tuple(
        (match.start(), match.end() - match.start(), match.lastgroup or "symbol")
        for match in _PROGRAM_TOKENS.finditer(line)
    )


@functools.lru_cache(maxsize=256)
def _python_role(token: _TokenType) -> str:
    return next((role for kind, role in _PYTHON_ROLES if token in kind), "")
