"""Whoever silences a checker says why, on the line or on the one above it."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXCUSE = re.compile(r"#\s*(?:type: ignore\[[\w, -]+\]|noqa: [A-Z]+\d+(?:, ?[A-Z]+\d+)*)")
SILENCED = re.compile(r"#\s*(?:type:\s*ignore|noqa)\b")
REASON = re.compile(r"\s*(?:#\s*|\(|-\s*)\w")


def unexplained(text: str) -> list[int]:
    """Numbers of the lines that silence a checker without a reason, or more than they name."""
    if not SILENCED.search(text):
        return []
    lines = text.splitlines()
    found = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT or not SILENCED.search(token.string):
            continue
        excuse = EXCUSE.search(token.string)
        above = lines[token.start[0] - 2].strip() if token.start[0] > 1 else ""
        has_reason = excuse and REASON.match(token.string, excuse.end())
        if not excuse or not (has_reason or above.startswith("#")):
            found.append(token.start[0])
    return found


def test_every_excuse_names_its_reason() -> None:
    files = [
        *(ROOT / "jaxscope").rglob("*.py"),
        *(file for file in (ROOT / "tests").rglob("*.py") if file != Path(__file__)),
    ]
    lines = {
        f"{file.relative_to(ROOT)}:{line}"
        for file in files
        for line in unexplained(file.read_text(encoding="utf-8"))
    }
    assert lines == set()


def test_a_bare_excuse_is_found() -> None:
    excused = "x = f()  # type: ignore[misc] # f has no types\n# as g does\ny = g()  # noqa: B009\n"
    bare = "x = f()  # type: ignore[misc]\ny = f()  # type: ignore\nz = f()  # noqa\n"
    assert unexplained(excused) == []
    assert unexplained(bare) == [1, 2, 3]
