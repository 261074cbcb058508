"""The locks pin everything that the project needs, for every Python and system it supports."""

from __future__ import annotations

import itertools
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCKS = {
    "requirements.lock": (),
    "requirements-dev.lock": ("dev",),
    "requirements-samples.lock": ("samples", "libraries"),
}
"""Name → extras of the project that it holds beside what the project itself needs."""
PYTHONS = ("3.11", "3.12", "3.13")
SYSTEMS = {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}

Lock = list[tuple[Requirement, str]]


def read(name: str) -> Lock:
    """Every entry of a lock, with its text."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return [
        (Requirement(block.splitlines()[0].rstrip(" \\")), block)
        for block in re.split(r"\n(?=\S)", text)
        if not block.startswith("#")
    ]


def markers(python: str, system: str) -> dict[str, str]:
    return {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": system,
        "platform_python_implementation": "CPython",
        "platform_system": SYSTEMS[system],
    }


def locked(name: str, python: str, system: str) -> dict[str, str]:
    """Name and version of what a lock installs."""
    variables = markers(python, system)
    chosen = [
        entry for entry, _ in read(name) if entry.marker is None or entry.marker.evaluate(variables)
    ]
    versions = {entry.name: str(entry.specifier).removeprefix("==") for entry in chosen}
    assert len(versions) == len(chosen), "two versions of one package"
    return versions


@pytest.mark.parametrize("name", LOCKS)
def test_every_entry_is_one_version_with_hashes(name: str) -> None:
    for entry, block in read(name):
        assert [specifier.operator for specifier in entry.specifier] == ["=="], entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), entry


@pytest.mark.parametrize("name", LOCKS)
def test_it_names_no_host(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert "index-url" not in text


@pytest.mark.parametrize("name", LOCKS)
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_it_satisfies_the_project(name: str, python: str, system: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = locked(name, python, system)
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"]]
    wanted += [text for extra in LOCKS[name] for text in extras[extra]]
    for text in wanted:
        requirement = Requirement(text)
        if requirement.name == project["name"]:
            wanted += [inner for extra in requirement.extras for inner in extras[extra]]
            continue
        if requirement.marker is None or requirement.marker.evaluate(markers(python, system)):
            version = versions[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), text


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_lock_changes_what_another_installed(python: str, system: str) -> None:
    for first, second in itertools.combinations(
        [locked(name, python, system) for name in LOCKS], 2
    ):
        shared = first.keys() & second.keys()
        assert {name: second[name] for name in shared} == {name: first[name] for name in shared}


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_who_only_opens_the_window_gets_no_tool_of_ours(python: str, system: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tools = {
        canonicalize_name(Requirement(text).name)
        for text in project["optional-dependencies"]["dev"]
    }
    assert not (tools - {"jax"}) & locked("requirements.lock", python, system).keys()


@pytest.mark.parametrize("name", LOCKS)
def test_qt_that_kills_python_3_11_is_kept_out(name: str) -> None:
    major, minor, *_ = locked(name, "3.11", "linux")["pyside6-essentials"].split(".")
    assert (int(major), int(minor)) < (6, 12)
