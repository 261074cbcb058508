"""A Python file is coloured as by the lexer of Pygments, whose table of letters is left out."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from pygments import lex
from pygments.lexers import PythonLexer

from jaxscope.picture import syntax

SOURCES = {
    "samples": "".join(
        path.read_text("utf-8") for path in sorted(Path(__file__).parents[2].glob("samples/*.py"))
    ),
    "inspect": inspect.getsource(inspect),
    "names": (
        "from días import größe as l·l, 変数\n@größe.décorer\nclass Ünï_1(Exception):\n"
        "    def समय(self, _x2, *, ﬁ=1):\n        return f'{self.größe!r} é' + _x2.µ @ 変数\n"
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_python_is_coloured_as_by_pygments(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = SOURCES[name]
    quick = syntax.PythonColouring(text)
    monkeypatch.setattr(syntax, "_QuickLexer", PythonLexer)
    plain = syntax.PythonColouring(text)
    lines = range(text.count("\n") + 1)
    assert [quick.spans(line) for line in lines] == [plain.spans(line) for line in lines]


@pytest.mark.parametrize("name", SOURCES)
def test_python_is_taken_apart_as_by_pygments(name: str) -> None:
    assert list(lex(SOURCES[name], syntax._QuickLexer())) == list(lex(SOURCES[name], PythonLexer()))
