"""The documents name what exists, show what is printed, and are what the code says."""

from __future__ import annotations

import platform
import re
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    *(
        ROOT / name
        for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "RELIABILITY.md")
    ),
    *sorted((ROOT / "docs").rglob("*.md")),
]
sys.path.append(str(ROOT / "docs"))
import examples  # noqa: E402 - found after docs/ is on the path
import write_reference  # noqa: E402 - found after docs/ is on the path

_PLACES = [ROOT / name for name in ("jaxscope", "samples", "tests", "bench", "docs")]
# A path between backticks: it has a slash or the ending of a file of ours, and no space.
_PATH = re.compile(
    r"`([\w./*-]+(?:/|\.(?:py|toml|md)))`|`((?:[\w*-]+/)+[\w.*-]+)`|\]\(([\w./-]+)\)"
)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_paths_in_documents_exist(document: Path) -> None:
    names = {name for found in _PATH.findall(document.read_text("utf-8")) for name in found if name}
    typed = "\n".join(block.body for block in examples.read_blocks(document))  # the reader's own
    names = {name for name in names if name not in typed and not name.startswith("FILE.")}
    assert not sorted(name for name in names if not _exists(name, document.parent))


def _exists(name: str, folder: Path) -> bool:
    """Whether a path exists: from the root, the package or the document; a bare name anywhere."""
    if "/" not in name:
        return any(any(place.rglob(name)) for place in _PLACES) or any(ROOT.glob(name))
    places = (ROOT, ROOT / "jaxscope", ROOT / "jaxscope" / "picture", folder)
    return any(any(place.glob(name)) for place in places) or (folder / name).exists()


_LINK = re.compile(r"\]\(([^()\s]+)\)")
_FENCED = re.compile(r"^```.*?^```$", re.M | re.S)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_pages_and_their_headings(document: Path) -> None:
    text = _FENCED.sub("", document.read_text("utf-8"))
    wrong = []
    for link in _LINK.findall(text):
        if link.startswith(("https://", "http://")):
            continue
        name, _, heading = link.partition("#")
        page = (document.parent / name).resolve() if name else document
        if not page.exists() or (heading and heading not in list_headings(page)):
            wrong.append(link)
    assert not wrong


def list_headings(page: Path) -> list[str]:
    """The headings of a page as links name them, on GitHub and in the site that MkDocs builds."""
    text = _FENCED.sub("", page.read_text("utf-8"))
    found = re.findall(r"^#+ (.*)$", text, re.M)
    return [re.sub(r"[^\w\s-]", "", title.lower()).strip().replace(" ", "-") for title in found]


def test_the_site_has_every_page_for_users() -> None:
    site = (ROOT / "mkdocs.yml").read_text("utf-8")
    names = {str(page.relative_to(ROOT / "docs")) for page in examples.list_pages()[1:]}
    names |= {str(examples.translation_of(page).relative_to(ROOT / "docs")) for page in TOLD_TWICE}
    listed = set(re.findall(r": ([\w./-]+\.md)$", site, re.M))
    assert names - {"releasing.md"} <= listed
    assert all((ROOT / "docs" / name).is_file() for name in listed)


# Translations: the tutorial and the how-tos in Simplified Chinese.


TOLD_TWICE = [ROOT / "docs" / "tutorial.md"] + [
    page for page in examples.list_pages() if page.parent.name == "howto"
]
_INLINE = re.compile(r"`[^`]+`")


@pytest.mark.parametrize("page", TOLD_TWICE, ids=lambda page: page.name)
def test_a_translation_shows_the_same_blocks_and_names(page: Path) -> None:
    other = examples.translation_of(page)
    texts = [each.read_text("utf-8") for each in (page, other)]
    blocks = [[found[0] for found in examples._FENCE.finditer(text)] for text in texts]
    assert blocks[0] == blocks[1], f"python docs/examples.py {page.relative_to(ROOT)}"
    prose = [re.sub(r"\s+", " ", examples._FENCE.sub("", text)) for text in texts]
    assert sorted(_INLINE.findall(prose[0])) == sorted(_INLINE.findall(prose[1]))
    headings, rows = (
        [re.findall(pattern, _FENCED.sub("", text), re.M) for text in texts]
        for pattern in (r"^#+ ", r"^\|")
    )
    assert headings[0] == headings[1] and len(rows[0]) == len(rows[1])


@pytest.mark.parametrize("page", TOLD_TWICE, ids=lambda page: page.name)
def test_a_translation_and_its_page_lead_to_each_other_and_to_the_same_pages(page: Path) -> None:
    other = examples.translation_of(page)
    assert f"[简体中文]({other.name})" in page.read_text("utf-8")
    assert f"[English]({page.name})" in other.read_text("utf-8")
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    assert f"]({other.relative_to(ROOT / 'docs')})" in index
    aims = []
    for each in (page, other):
        links = _LINK.findall(_FENCED.sub("", each.read_text("utf-8")))
        names = {link.partition("#")[0].replace(examples.TRANSLATED, ".md") for link in links}
        aims.append(names - {page.name, ""})
    assert aims[0] == aims[1]
    for link in _LINK.findall(other.read_text("utf-8")):  # to the translation where there is one
        aim = (other.parent / link.partition("#")[0]).resolve()
        assert aim == page or aim not in TOLD_TWICE, link


def test_blocks_are_copied_into_a_translation(tmp_path: Path) -> None:
    page, other = tmp_path / "page.md", tmp_path / "page.zh.md"
    page.write_text("A\n\n<!-- slow -->\n```console\n$ new\n```\n", "utf-8")
    other.write_text("甲\n\n```console\n$ old\n```\n乙\n", "utf-8")
    examples.copy_blocks(page)
    assert other.read_text("utf-8") == "甲\n\n<!-- slow -->\n```console\n$ new\n```\n乙\n"
    other.write_text("甲\n", "utf-8")
    with pytest.raises(ValueError, match="not the blocks"):
        examples.copy_blocks(page)


@pytest.mark.parametrize("name", write_reference.PAGES)
def test_the_reference_is_what_the_code_says(name: str) -> None:
    page = write_reference.FOLDER / name
    assert page.read_text("utf-8") == write_reference.PAGES[name](), "docs/write_reference.py"


def test_every_setting_is_told() -> None:
    from jaxscope.ui.window.settings import _FIELDS

    page = (ROOT / "docs/reference/settings.md").read_text("utf-8")
    code = "".join(path.read_text("utf-8") for path in (ROOT / "jaxscope").rglob("*.py"))
    ours = {"JAXSCOPE_WORKER", "JAXSCOPE_FOR_READING"}  # said by one process of ours to another
    variables = set(re.findall(r"\b(JAXSCOPE_[A-Z_]+)\b", code)) - ours
    assert not [name for name in {*_FIELDS, *variables} if f"`{name}`" not in page]


def test_the_readme_is_one_page() -> None:
    from jaxscope.report.answers import QUESTIONS

    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 120
    assert f"{len(QUESTIONS)} named questions" in text


@pytest.mark.slow
def test_the_code_of_the_readme_is_typed(tmp_path: Path) -> None:
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    file = tmp_path / "readme.py"
    file.write_text("\n".join(code), "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", str(file)]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.stdout.startswith("Success"), checked.stdout


SLOW_PAGES = frozenset(
    {
        *("agents.md", "fusions.md", "memory.md", "pytest.md", "review.md", "slow-compile.md"),
        "teaching.md",
    }
)
"""Pages whose examples take seconds; those of the others are of every kind."""


def has_slow(page: Path) -> bool:
    return any("slow" in block.notes for block in examples.read_blocks(page))


def has_examples(page: Path) -> bool:
    return any(block.is_run and "slow" not in block.notes for block in examples.read_blocks(page))


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("page", "with_slow"),
    [
        *(
            pytest.param(page, False, marks=[pytest.mark.slow] * (page.name in SLOW_PAGES))
            for page in examples.list_pages()
            if has_examples(page)
        ),
        *(
            pytest.param(page, True, marks=pytest.mark.slow)
            for page in examples.list_pages()
            if has_slow(page)
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else "slow" if value else "",
)
def test_what_a_page_tells_to_type_works(page: Path, with_slow: bool, tmp_path: Path) -> None:
    with examples.reader_folder(tmp_path):
        found = list(examples.run_page(page, with_slow=with_slow))
    assert found
    assert not [one.problem for one in found if one.problem], (
        "docs/examples.py writes what it prints"
    )


def test_commands_that_are_not_run_can_be_read() -> None:
    """What needs another machine is at least no mistake of typing."""
    from jaxscope.cli.parser import parse

    for page in examples.list_pages():
        for block in examples.read_blocks(page):
            if block.language != "console" or block.is_run:
                continue
            for _, command, _ in examples.split_commands(block):
                words = shlex.split(command)
                if "jaxscope" in words:
                    parse(words[words.index("jaxscope") + 1 :])


@pytest.mark.parametrize(
    ("shown", "printed", "is_found"),
    [
        ("one\ntwo\n", "one\ntwo\n", True),
        ("one\n…\nfour\n", "one\ntwo\nthree\nfour\n", True),
        ("one\n…\n", "one\n", True),
        ("one\n", "one\ntwo\n", False),
        ("…\nthree\n", "one\ntwo\n", False),
        ("1.5 (x)\n", "1x5 (x)\n", False),
        ("", "anything\n", True),
    ],
)
def test_what_a_page_shows_is_compared(shown: str, printed: str, is_found: bool) -> None:
    assert examples.is_shown(shown, printed) == is_found


def test_a_page_that_shows_something_else_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ jaxscope calls samples/counter.py\nnothing\n$ jaxscope calls none.py\n```\n"
        "```python\nprint(1)\n```\n```text\n2\n```\n```python\n1 / 0\n```\n",
        "utf-8",
    )
    folder = tmp_path / "reader"
    folder.mkdir()
    with examples.reader_folder(folder):
        problems = [one.problem for one in examples.run_page(page, with_slow=False)]
    assert ["calls that samples/counter.py offers" in problems[0], "status 1" in problems[1]] == [
        (version("jax"), platform.machine()) == examples.MADE_WITH,
        True,
    ]
    assert "ZeroDivisionError" in problems[3]


@pytest.mark.parametrize(
    ("notes", "printed", "is_fine"),
    [
        (" measured", "AssertionError: Slower than the baseline", True),
        (" measured", "AssertionError: no such file", False),
        ("", "AssertionError: Slower than the baseline", False),
    ],
)
def test_a_measured_example_may_find_that_the_machine_was_slower(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, notes: str, printed: str, *, is_fine: bool
) -> None:
    monkeypatch.setattr(examples, "run_command", lambda _command: (1, printed))
    comment = f"<!--{notes} -->\n" if notes else ""
    page = tmp_path / "page.md"
    page.write_text(f"{comment}```console\n$ pytest -q test_time.py\n{printed}\n```\n")
    (found,) = examples.run_page(page, with_slow=True)
    assert (not found.problem) is is_fine
