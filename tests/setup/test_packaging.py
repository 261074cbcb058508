"""What is not Python travels with the package all the same."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path, PurePosixPath

import pytest

import jaxscope
from docs import build_core

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "jaxscope"


def test_every_data_file_is_named_in_the_package_data() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = settings["tool"]["setuptools"]["package-data"]["jaxscope"]
    named = {path for pattern in patterns for path in PACKAGE.glob(pattern)}
    data = {
        path
        for path in PACKAGE.rglob("*")
        if path.is_file()
        and path.suffix not in (".py", ".pyc")
        and not any(part.startswith(".") for part in path.relative_to(PACKAGE).parts)
    }
    assert data, "the package has data files"
    assert data <= named, "a wheel would lack these"


def test_the_wheel_without_qt_differs_in_its_name_and_in_what_qt_needs() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    whole, core = (tomllib.loads(each)["project"] for each in (text, build_core.rewrite(text)))
    assert core["name"] == "jaxscope-core"
    left_out = set(whole["dependencies"]) - set(core["dependencies"])
    assert {re.split(r"[<>=]", each)[0] for each in left_out} == set(build_core.OF_QT)
    assert {**core, "name": "", "dependencies": []} == {**whole, "name": "", "dependencies": []}
    with pytest.raises(ValueError, match="another way"):
        build_core.rewrite(build_core.rewrite(text))


def test_the_sdist_has_all_that_is_kept_here() -> None:
    asked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if asked.returncode:  # an unpacked sdist is no repository: its files are all that there is
        pytest.skip("needs git: it lists the files that the sdist should hold")
    lines = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
    words = [word for line in lines for word in line.split()[1:] if line.startswith("include")]
    grafted = {line.split()[1] for line in lines if line.startswith("graft")}
    by_itself = {"jaxscope", "pyproject.toml", "LICENSE", "MANIFEST.in"}
    for path in map(PurePosixPath, asked.stdout.splitlines()):
        first = path.parts[0]
        is_there = first in grafted | by_itself or any(path.match(word) for word in words)
        assert is_there, f"the sdist lacks {path}"


def test_the_licence_is_the_whole_text() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_the_version_stands_in_one_place_and_can_be_read_without_importing() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in settings["project"]
    assert settings["project"]["dynamic"] == ["version"]
    assert settings["tool"]["setuptools"]["dynamic"]["version"] == {
        "attr": "jaxscope.version.__version__"
    }
    # setuptools takes a literal as it stands; for anything else it imports the package, with JAX.
    tree = ast.parse((PACKAGE / "version.py").read_text(encoding="utf-8"))
    found = [
        node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]) == "__version__"
        and isinstance(node.value, ast.Constant)
    ]
    assert found == [jaxscope.__version__]
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|rc\d+)?", jaxscope.__version__)
