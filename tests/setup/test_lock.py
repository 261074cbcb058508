"""The lock pins everything that the project needs, for every Python that it supports."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
ENTRIES = [
    (Requirement(block.splitlines()[0].rstrip(" \\")), block)
    for block in re.split(r"\n(?=\S)", LOCK)
    if not block.startswith("#")
]
PYTHONS = ("3.11", "3.12", "3.13")


def locked(python: str) -> dict[str, str]:
    """Name and version of what the lock installs under a Python on Linux."""
    variables = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": "linux",
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
    }
    chosen = [
        entry for entry, _ in ENTRIES if entry.marker is None or entry.marker.evaluate(variables)
    ]
    versions = {entry.name: str(entry.specifier).removeprefix("==") for entry in chosen}
    assert len(versions) == len(chosen), "two versions of one package"
    return versions


def test_every_entry_is_one_version_with_hashes() -> None:
    for entry, block in ENTRIES:
        assert [specifier.operator for specifier in entry.specifier] == ["=="], entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), entry


def test_it_names_no_host() -> None:
    assert "://" not in LOCK
    assert "index-url" not in LOCK


@pytest.mark.parametrize("python", PYTHONS)
def test_it_satisfies_the_project(python: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = locked(python)
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["dev"]]
    for text in wanted:
        requirement = Requirement(text)
        if requirement.name == project["name"]:
            wanted += [inner for extra in requirement.extras for inner in extras[extra]]
            continue
        variables = {"python_version": python, "python_full_version": f"{python}.0"}
        if requirement.marker is None or requirement.marker.evaluate(variables):
            version = versions[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), text


def test_qt_that_kills_python_3_11_is_kept_out() -> None:
    major, minor, *_ = locked("3.11")["pyside6-essentials"].split(".")
    assert (int(major), int(minor)) < (6, 12)
