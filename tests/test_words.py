"""Everything that is shown says one word for each thing: those of `docs/design/words.md`."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxscope.cli.parser import parse
from jaxscope.model.words import TERMS
from jaxscope.ui.pages import PAGES as PAGES_OF_WINDOW
from jaxscope.ui.window.commands import COMMANDS
from jaxscope.verbs import VERBS

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))
import write_translations  # noqa: E402 - found after docs/ is on the path

SHOWN = ("cli", "client", "export", "model", "picture", "program", "report", "ui", "worker")
"""Packages whose texts a person reads."""
QUOTED = {
    "worker/faults/remedies.py": "patterns of JAX's own messages",
    "worker/stages/stablehlo.py": "patterns of StableHLO's text",
    "ui/toolkit/theme.py": "the style sheet",
    "model/words.py": "the words themselves",
}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`]*`|\{\w+\}|<code>.*?</code>|^(?: {4}|\t).*$", re.MULTILINE)


def list_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Sentences in a module: its strings of several words, without docstrings and patterns."""
    tree = ast.parse(path.read_text("utf-8"))
    left_out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            left_out.add(node.value)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
            left_out |= set(ast.walk(node))
        elif isinstance(node, ast.JoinedStr):
            left_out |= set(node.values)
    for node in ast.walk(tree):
        if node in left_out:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(v.value if isinstance(v, ast.Constant) else "{}" for v in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if " " in text.strip():
            yield node.lineno, text


def find_other_words(text: str) -> list[str]:
    """What is said in a text that is not said, outside of code and names of placeholders."""
    prose = _CODE.sub("", text)
    found = []
    for term in TERMS:
        hits = [hit[0] for other in term.not_said for hit in re.finditer(other, prose)]
        found += [f"{hit!r} for {term.name!r}" for hit in hits if hit != term.name]
    return found


@pytest.mark.parametrize("package", SHOWN)
def test_the_application_says_each_thing_by_its_word(package: str) -> None:
    found = []
    for path in sorted((ROOT / "jaxscope" / package).rglob("*.py")):
        name = path.relative_to(ROOT / "jaxscope").as_posix()
        if name not in QUOTED:
            for line, text in list_texts(path):
                found += [f"{name}:{line}: {other}" for other in find_other_words(text)]
    assert not found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_pages_say_each_thing_by_its_word(page: Path) -> None:
    assert not find_other_words(page.read_text("utf-8"))


def test_the_lessons_say_each_thing_by_its_word() -> None:
    found = []
    for path in sorted((ROOT / "samples").glob("*.py")):
        lesson = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        found += [f"{path.name}: {other}" for other in find_other_words(lesson)]
    assert not found


# The words in Simplified Chinese, by `docs/design/words.zh.md`.

CHINESE = ROOT / "docs" / "design" / "words.zh.md"
TRANSLATIONS = sorted(
    page
    for place in ("docs", "samples/lessons", "jaxscope/ui/toolkit/translations")
    for page in (ROOT / place).rglob("*")
    if page.name.endswith((".zh.md", "zh_CN.ts"))
)


def chinese_words() -> list[tuple[str, str, str]]:
    """English, Chinese, and what is not written for it."""
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.*?) ?\|$", CHINESE.read_text("utf-8"), re.M)
    return rows[1:]


@pytest.mark.parametrize("page", TRANSLATIONS, ids=lambda page: page.name)
def test_the_translations_say_each_thing_by_its_word(page: Path) -> None:
    if page == CHINESE:
        return
    text = _FENCED.sub("", page.read_text("utf-8"))
    assert not [(other, word) for _, word, other in chinese_words() if other and other in text]
    half = re.findall(r"[\u4e00-\u9fff] ?[,;:?!](?=[\u4e00-\u9fff ])", _CODE.sub("", text))
    assert not half, "the marks of Chinese: ，；：？！"


def test_the_chinese_words_are_in_use_and_one_for_each_thing() -> None:
    rows = chinese_words()
    assert len({word for _, word, _ in rows}) == len({name for name, _, _ in rows}) == len(rows)
    told = "".join(page.read_text("utf-8") for page in TRANSLATIONS if page != CHINESE)
    assert not [word for _, word, _ in rows if word not in told]


def labels_of_the_window() -> dict[str, str]:
    """What the window writes on pages, menus, their commands and buttons, in both languages."""
    told = write_translations.read_translations()
    commands = (text for each in COMMANDS for text in (each.menu, each.text))
    buttons = ("Compare", "Compare without this pass", "Where the time goes", "Open")
    english = {*(page.title for page in PAGES_OF_WINDOW.values()), *commands, *buttons}
    return {text.removesuffix(" …"): told[text].removesuffix(" …") for text in english}


@pytest.mark.parametrize(
    "page", [p for p in TRANSLATIONS if p.suffix == ".md" and p != CHINESE], ids=lambda p: p.name
)
def test_the_translations_name_parts_of_the_window_as_it_does_in_chinese(page: Path) -> None:
    def named(path: Path) -> list[list[str]]:
        text = _FENCED.sub("", path.read_text("utf-8"))
        return [
            re.split("[,，] ?", " ".join(name.split()))
            for name in re.findall(r"(?<!\*)\*([^*`|]+)\*(?!\*)", text)
        ]

    labels = labels_of_the_window()
    wanted = [
        [labels[part] for part in name]
        for name in named(page.with_name(page.name.replace(".zh.md", ".md")))
        if all(part in labels for part in name)
    ]
    told = named(page)
    assert [name for name in wanted if name not in told] == []
    assert [n for n in told if any(labels.get(part, part) != part for part in n)] == []


@pytest.mark.parametrize(
    "page", [p for p in TRANSLATIONS if p.suffix == ".md" and p != CHINESE], ids=lambda p: p.name
)
def test_the_translations_have_the_numbers_and_the_code_of_their_pages(page: Path) -> None:
    def figures(path: Path) -> tuple[set[str], set[str]]:
        text = re.sub(r"^(Fact|Show|Stage|Steps):.*$", "", path.read_text("utf-8"), flags=re.M)
        text = re.sub(r"\]\([^)]*\)", "]", _FENCED.sub("", text))
        code = {" ".join(each.split()) for each in re.findall("`([^`]+)`", text)}
        bare = re.sub("`[^`]+`", "", text)
        return set(re.findall(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?", bare)), code

    numbers, code = figures(page.with_name(page.name.replace(".zh.md", ".md")))
    told, quoted = figures(page)
    assert numbers <= told and code <= quoted


@pytest.mark.parametrize("verb", list(VERBS))
def test_the_help_of_the_command_line_says_each_thing_by_its_word(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse([verb, "--help"])
    told = capsys.readouterr().out
    assert "usage:" in told and not find_other_words(told.replace("    ", ""))


def test_the_page_of_words_is_what_the_table_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import words

    assert words.PAGE.read_text("utf-8") == words.render_words()


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("A stale result.", True),
        ("Three eqns.", True),
        ("An HLO operation.", True),
        ("An operation of StableHLO.", False),
        ("Named `stale` in code.", False),
        ("5 flops", True),
        ("{flops} in all", False),
        ("5 FLOP", False),
    ],
)
def test_other_words_are_found(text: str, is_found: bool) -> None:
    assert bool(find_other_words(text)) == is_found


def test_who_is_told_of_the_interpreters_option_is_told_of_the_command_in_the_window() -> None:
    """Elsewhere than at a machine reached by ssh, whose files the window cannot list."""
    texts = [
        text
        for package in ("worker", "client")
        for path in sorted((ROOT / "jaxscope" / package).rglob("*.py"))
        if path.name not in ("remote_sessions.py", "bisect.py")
        for _line, text in list_texts(path)
        if re.search(r"--python\b", text) and "uv pip" not in text
    ]
    assert len(texts) >= 5
    assert [each for each in texts if "in the window Run, Choose the interpreter" not in each] == []
