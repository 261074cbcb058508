"""What `./run` decides: what is missing, whether to ask, what to start."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jaxscope import cli
from jaxscope.setup import SetupProblem, start, system_libraries
from jaxscope.setup.environment import SAMPLES, TOOLS, VirtualEnvironment
from jaxscope.setup.system_libraries import (
    PACKAGE_BY_SONAME,
    MissingLibraries,
    find_missing_libraries,
)
from jaxscope.verbs import VERBS, WINDOW

PACKAGES_BY_HAND = {
    *("libglib2.0-0", "libgl1", "libegl1", "libdbus-1-3", "libfontconfig1"),
    *("libxkbcommon-x11-0", "libxcb-cursor0", "libxcb-icccm4", "libxcb-keysyms1"),
    "libxcb-shape0",
}


class FakeEnvironment(VirtualEnvironment):
    """An environment that is or is not ready, and remembers how it was prepared."""

    def __init__(self, is_here: bool, *further: str) -> None:
        super().__init__(Path("/checkout"), Path("/checkout/.venv"))
        self._is_here = is_here
        self._further = set(further)

    def is_ready(self, *further: str) -> bool:
        return self._is_here and self._further.issuperset(further)

    def prepare(self, *further: str) -> None:
        self._is_here = True
        self._further.update(further)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """A machine without Qt's libraries; returns what was installed."""
    installed: list[tuple[str, ...]] = []
    missing = [MissingLibraries(("libEGL.so.1",), ("libegl1",))]
    monkeypatch.setattr(start, "find_missing_libraries", lambda: missing[-1])
    monkeypatch.setattr(start, "find_missing_python_packages", lambda _has_uv: ())
    monkeypatch.setattr(start, "find_missing_test_programs", lambda: ("xvfb",))
    monkeypatch.setattr(start.shutil, "which", lambda name: f"/usr/bin/{name}")

    def install(packages: tuple[str, ...]) -> None:
        installed.append(tuple(packages))
        missing.append(MissingLibraries())

    monkeypatch.setattr(system_libraries, "install_packages", install)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    return installed


def test_every_package_of_the_list_is_found_missing() -> None:
    def load(name: str) -> None:
        raise OSError(name)

    missing = find_missing_libraries(load)
    assert set(missing.sonames) == set(PACKAGE_BY_SONAME)
    assert set(missing.packages) >= PACKAGES_BY_HAND


def test_one_missing_library_means_one_package() -> None:
    def load(name: str) -> None:
        if name == "libxcb-cursor.so.0":
            raise OSError(name)

    assert find_missing_libraries(load).packages == ("libxcb-cursor0",)


def test_nothing_is_installed_without_consent(bare: list[tuple[str, ...]]) -> None:
    wish = start.parse_words(["test", "-k", "name"])
    with pytest.raises(SetupProblem, match=r"\./run test --yes -k name") as caught:
        start.prepare(wish, FakeEnvironment(is_here=False))
    assert "apt-get install -y libegl1" in str(caught.value)
    assert bare == []


def test_yes_installs_everything(bare: list[tuple[str, ...]]) -> None:
    environment = FakeEnvironment(is_here=False)
    start.prepare(start.parse_words(["--yes"]), environment)
    assert bare == [("libegl1",)]
    assert environment.is_ready()


def test_tests_want_an_x_server_too(bare: list[tuple[str, ...]]) -> None:
    start.prepare(start.parse_words(["test", "--yes"]), FakeEnvironment(is_here=True))
    assert bare == [("libegl1", "xvfb")]


def test_a_windowless_verb_needs_no_library(bare: list[tuple[str, ...]]) -> None:
    start.prepare(start.parse_words(["capture", "x.py"]), FakeEnvironment(is_here=True))
    assert bare == []


def test_a_plain_start_leaves_the_libraries_of_the_samples_out(
    bare: list[tuple[str, ...]],
) -> None:
    environment = FakeEnvironment(is_here=False)
    start.prepare(start.parse_words(["--yes"]), environment)
    assert environment.is_ready()
    assert not environment.is_ready(SAMPLES) and not environment.is_ready(TOOLS)


@pytest.mark.parametrize("verb", ["test", "samples"])
def test_tests_and_samples_want_libraries(bare: list[tuple[str, ...]], verb: str) -> None:
    environment = FakeEnvironment(is_here=True)
    with pytest.raises(SetupProblem, match=rf"Python packages.*\./run {verb} --yes"):
        start.prepare(start.parse_words([verb]), environment)
    start.prepare(start.parse_words([verb, "--yes"]), environment)
    assert environment.is_ready(SAMPLES)
    assert environment.is_ready(TOOLS) is (verb == "test")


def test_samples_alone_opens_nothing_and_says_what_opens_now(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(
        start, "VirtualEnvironment", lambda _checkout: FakeEnvironment(is_here=True)
    )
    assert start.main(["samples", "--yes"]) == 0
    assert "./run samples/flax_modules.py" in capsys.readouterr().out


def test_another_distribution(bare: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start.shutil, "which", lambda _name: None)
    with pytest.raises(SetupProblem, match="no apt-get"):
        start.prepare(start.parse_words(["--yes"]), FakeEnvironment(is_here=True))
    assert bare == []


def test_no_display_names_the_way_without(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SetupProblem, match=r"no display.*\./run capture"):
        start.check_display(start.parse_words([]))
    start.check_display(start.parse_words(["calls", "x.py"]))
    start.check_display(start.parse_words(["test"]))


@pytest.mark.parametrize("verb", sorted(VERBS.keys() - {WINDOW}))
def test_no_verb_opens_the_window(verb: str) -> None:
    assert not start.parse_words([verb]).opens_window
    assert start.parse_words([f"{verb}.py"]).opens_window


def test_what_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(
        start.os, "execve", lambda _path, command, variables: started.append((command, variables))
    )
    monkeypatch.setattr(start.os, "chdir", lambda _folder: None)
    monkeypatch.setattr(start.os, "cpu_count", lambda: 2)
    monkeypatch.setenv("PYTHONPATH", "/other")
    environment = FakeEnvironment(is_here=True)
    for words in (
        ["--yes"],
        ["time", "x.py", "--yes"],
        ["samples", "calls", "x.py"],
        ["test", "-q"],
        ["test", "-q", "--pdb"],
        ["dev", "a.py", "--yes"],
        ["dev", "--window", "x.py"],
    ):
        start.start(start.parse_words(words), environment)
    python = "/checkout/.venv/bin/python"
    jaxscope = [python, "-P", "/checkout/jaxscope/__main__.py"]
    assert [command for command, _ in started] == [
        jaxscope,
        [*jaxscope, "time", "x.py"],
        [*jaxscope, "calls", "x.py"],
        [python, "-m", "pytest", "-n", "2", "--dist", "loadfile", "-q"],
        [python, "-m", "pytest", "-q", "--pdb"],
        [python, "-m", "jaxscope.setup.checks", "a.py"],
        [*jaxscope, "x.py"],
    ]
    assert [variables["PYTHONPATH"] for _, variables in started] == [
        f"/checkout{os.pathsep}/other" if is_test else "/other"
        for is_test in (False, False, False, True, True, True, False)
    ]
    assert all(started[n][1]["QT_QPA_PLATFORM"] == "offscreen" for n in (3, 4, 5))
    assert [variables.get("JAXSCOPE_LIVE_STYLE") for _, variables in started] == [*[None] * 6, "1"]


@pytest.mark.slow
def test_another_jaxscope_on_the_path_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for the command line, nor for its supervisor and its worker."""
    (tmp_path / "jaxscope").mkdir()
    (tmp_path / "jaxscope" / "__init__.py").write_text("raise SystemExit('another jaxscope')\n")
    (tmp_path / "own.py").write_text("def f(x):\n    return x + 1\n")
    started: list[list[str]] = []
    monkeypatch.setattr(start.os, "execve", lambda _path, command, _: started.append(command))
    environment = FakeEnvironment(is_here=True)
    environment.checkout, environment.folder = Path(start.__file__).parents[2], Path(sys.prefix)
    start.start(start.parse_words(["capture", "own.py", "f(f32[3])", "--json"]), environment)
    answer = subprocess.run(
        started[0],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert answer.returncode == 0, answer.stderr
    assert "optimized" in answer.stdout
    other = subprocess.run(
        [sys.executable, "-m", "jaxscope"], cwd=tmp_path, capture_output=True, text=True
    )
    assert "another jaxscope" in other.stderr, "the other one is there to be started"


def test_an_installed_script_says_that_another_jaxscope_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def said_by(script: str) -> str:
        monkeypatch.setattr(sys, "argv", [script, "--version"])
        with pytest.raises(SystemExit):
            cli.main()
        return capsys.readouterr().err

    script = str(tmp_path / "bin" / "jaxscope")
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / name))
    assert said_by(script) == "", "there is no other"
    (tmp_path / "purelib" / "jaxscope").mkdir(parents=True)
    said = said_by(script)
    assert "PYTHONPATH" in said and str(tmp_path / "purelib") in said
    assert said_by("/any/jaxscope/__main__.py") == ""


@pytest.mark.parametrize("words", [["dev", "--window", "x.py"], ["dev", "a.py"], ["samples", "x"]])
def test_the_line_to_type_repeats_what_was_typed(
    bare: list[tuple[str, ...]], words: list[str]
) -> None:
    with pytest.raises(SetupProblem, match=f"type: ./run .*--yes {words[-1]}") as caught:
        start.prepare(start.parse_words(words), FakeEnvironment(is_here=False))
    assert all(word in str(caught.value).partition("type: ")[2] for word in words)
    assert bare == []


def test_work_on_the_window_needs_a_display_and_checks_need_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SetupProblem, match="no display"):
        start.check_display(start.parse_words(["dev", "--window"]))
    start.check_display(start.parse_words(["dev", "capture"]))


def test_sudo_is_named_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_libraries, "is_root", lambda: False)
    present = {"apt-get": "/usr/bin/apt-get"}
    monkeypatch.setattr(system_libraries.shutil, "which", present.get)
    with pytest.raises(SetupProblem, match="As root: apt-get install -y libegl1"):
        system_libraries.install_packages(["libegl1"])


LOCKED = """\
E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 20254 (python3)
E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), …
"""


@pytest.mark.parametrize(
    ("said", "words", "others"),
    (
        ("E: Unable to fetch some archives\n", "online", "lock"),
        (LOCKED, "holds apt's lock", "online"),
        ("E: Could not open lock file /x/lock - open (13: Permission denied)\n", "sudo", "holds"),
    ),
)
def test_a_failing_apt_is_one_sentence(
    said: str,
    words: str,
    others: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    program = tmp_path / "apt-get"
    program.write_text(
        f'#!/bin/sh\necho "$*" >> {tmp_path}/commands\ncat >&2 <<END\n{said}END\nexit 100\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(system_libraries, "is_root", lambda: True)
    with pytest.raises(SetupProblem, match=words) as caught:
        system_libraries.install_packages(["libegl1"])
    assert others not in str(caught.value)
    assert said in capfd.readouterr().err
    last = (tmp_path / "commands").read_text().splitlines()[-1]
    assert last.endswith("libegl1") and "DPkg::Lock::Timeout=" in last


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--help"], ["usage: ./run [--yes]", "other commands (each has --help)"]),
        (["-h"], ["usage: ./run [--yes]", "exit status: 0 done, 5 something was found (check)"]),
        (["time", "--help"], ["usage: jaxscope time"]),
        (["test", "--help"], ["usage: ./run [--yes]"]),
    ],
)
def test_help_takes_nothing_that_is_installed(
    words: list[str], told: list[str], monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    monkeypatch.setattr(
        start, "VirtualEnvironment", lambda _checkout: FakeEnvironment(is_here=False)
    )
    monkeypatch.setattr(sys, "executable", _without_packages(monkeypatch))
    assert start.main(words) == 0
    said = capfd.readouterr()
    assert all(each in said.out for each in told)
    assert said.err == ""


def _without_packages(monkeypatch: pytest.MonkeyPatch) -> str:
    """This Python without what is installed beside it, as on a bare machine."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return os.path.realpath(sys.executable)


def test_help_among_the_words_of_a_script_is_the_script_s() -> None:
    assert not start.parse_words(["run", "train.py", "--help"]).asks_help
    assert start.parse_words(["run", "--help"]).asks_help
