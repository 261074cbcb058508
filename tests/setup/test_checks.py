"""What `./run dev` checks: the changed files, and the tests nearest to them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from jaxscope.setup import checks

FILES = {
    "jaxscope/low.py": "",
    "jaxscope/high.py": "def f():\n    from jaxscope.low import thing\n",
    "jaxscope/lonely.py": "",
    "jaxscope/page.py": 'SHEET = "page.css"\n',
    "jaxscope/page.css": "",
    "tests/helper.py": "import jaxscope.page\n",
    "tests/test_high.py": "from jaxscope import (\n    high,\n)\n",
    "tests/test_much.py": "import jaxscope.high\nimport jaxscope.page\nimport jaxscope.lonely2\n",
    "tests/test_helped.py": "from .helper import x\n",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def git(checkout: Path, *words: str) -> None:
    settings = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *settings, *words], cwd=checkout, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        # Imported by no test: those of the module that imports it; few imports come first.
        ("jaxscope/low.py", ["test_architecture", "test_high", "test_much"]),
        ("jaxscope/lonely.py", ["test_architecture"]),
        # A data file stands for the module that names it; a test that imports it directly is nearer
        # than one that goes by a helper.
        ("jaxscope/page.css", ["test_architecture", "test_much"]),
        ("tests/helper.py", ["test_helped"]),
        ("tests/test_high.py", ["test_high"]),
        ("README.md", ["test_documents"]),
        ("jaxscope/ui/texts.ts", ["test_architecture", "window/test_language"]),
    ],
)
def test_the_nearest_tests_are_those_that_import_it(
    checkout: Path, changed: str, tests: list[str]
) -> None:
    found = checks.find_nearest_tests(checkout, [changed])
    assert found == [f"tests/{name}.py" for name in tests]


def test_changed_tests_come_first_and_changed_modules_take_turns(checkout: Path) -> None:
    changed = ["jaxscope/high.py", "jaxscope/page.css", "tests/test_helped.py"]
    found = checks.find_nearest_tests(checkout, changed)
    assert found[:2] == ["tests/test_helped.py", "tests/test_architecture.py"]
    near = [checks.find_nearest_tests(checkout, [name])[1] for name in changed[:2]]
    assert found[2:4] == near


def test_what_changed_is_what_differs_from_main(checkout: Path) -> None:
    git(checkout, "init", "-q", "-b", "main")
    git(checkout, "add", ".")
    git(checkout, "commit", "-qm", "first")
    git(checkout, "checkout", "-qb", "mine")
    (checkout / "jaxscope/low.py").write_text("x = 1\n", encoding="utf-8")
    git(checkout, "commit", "-qam", "second")
    (checkout / "jaxscope/high.py").write_text("x = 1\n", encoding="utf-8")
    (checkout / "jaxscope/new.py").write_text("", encoding="utf-8")
    (checkout / "jaxscope/lonely.py").unlink()
    assert checks.find_changed(checkout) == [
        "jaxscope/high.py",
        "jaxscope/low.py",
        "jaxscope/new.py",
    ]


def test_checks_follow_from_what_changed(checkout: Path) -> None:
    def names(*changed: str) -> list[str]:
        return [name for name, _ in checks.find_checks(checkout, changed)]

    assert names("jaxscope/low.py") == ["lint", "format", "types", "tests"]
    assert names("tests/test_high.py") == ["lint", "format", "tests"]
    assert names("README.md") == ["tests"]
    assert names("LICENSE") == []


def test_what_can_be_mended_is_mended_first(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    low = checkout / "jaxscope" / "low.py"
    low.write_text("import os\nthing = 'a'\n")
    (checkout / "docs").mkdir()
    (checkout / "docs" / "write_reference.py").write_text("open('written', 'w').close()\n")
    monkeypatch.chdir(checkout)
    monkeypatch.setattr(checks, "_passes", lambda _name, _command: True)
    assert checks.main(checkout, ["jaxscope/low.py"]) == 0
    assert "import os" in low.read_text()
    assert checks.main(checkout, ["--fix", "jaxscope/low.py"]) == 0
    assert low.read_text() == 'thing = "a"\n'
    assert (checkout / "written").exists()


@pytest.mark.parametrize("failing", ["", "lint", "types"])
def test_a_failed_check_is_named_and_the_others_run_but_no_test(
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    failing: str,
) -> None:
    done: list[str] = []

    def passes(name: str, _command: list[str]) -> bool:
        done.append(name)
        return name != failing

    monkeypatch.setattr(checks, "_passes", passes)
    assert checks.main(checkout, ["jaxscope/low.py"]) == (1 if failing else 0)
    assert done == ["lint", "format", "types", *([] if failing else ["tests"])]
    said = capsys.readouterr().out
    assert (f"FAILED: {failing}" in said) is bool(failing)
    assert ("not run" in said) is bool(failing)
    assert checks.main(checkout, ["LICENSE"]) == 0
