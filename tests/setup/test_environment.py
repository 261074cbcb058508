"""The environment is made, completed after an interruption, and made anew when broken."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from jaxscope.setup import SetupProblem
from jaxscope.setup import environment as environment_module
from jaxscope.setup.environment import (
    LOCK_NAME,
    SAMPLES,
    SAMPLES_LOCK_NAME,
    TOOLS,
    TOOLS_LOCK_NAME,
    VirtualEnvironment,
    explain_failure,
)

EMPTY_LOCK = "# nothing\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("JAXSCOPE_VENV", raising=False)
    monkeypatch.delenv("PYTHONPATH", raising=False)  # another jaxscope would come first
    folder = tmp_path / "checkout"
    (folder / "jaxscope").mkdir(parents=True)
    (folder / "jaxscope" / "__init__.py").write_text("name = 'the checkout'\n")
    (folder / LOCK_NAME).write_text(EMPTY_LOCK)
    (folder / SAMPLES_LOCK_NAME).write_text(EMPTY_LOCK)
    (folder / TOOLS_LOCK_NAME).write_text(EMPTY_LOCK)
    return folder


def imported_name(environment: VirtualEnvironment) -> str:
    answer = subprocess.run(
        [environment.python, "-c", "import jaxscope; print(jaxscope.name)"],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
    )
    return answer.stdout.strip()


@pytest.mark.slow
def test_made_completed_and_made_anew(checkout: Path) -> None:
    environment = VirtualEnvironment(checkout)
    assert not environment.is_ready()
    environment.prepare()
    assert environment.is_ready()
    assert imported_name(environment) == "the checkout"

    (environment.folder / "jaxscope-stamp").unlink()  # as if interrupted
    assert not environment.is_ready()
    marker = environment.folder / "kept"
    marker.touch()
    environment.prepare()
    assert environment.is_ready()
    assert marker.exists(), "what was already installed is kept"

    (checkout / LOCK_NAME).write_text(EMPTY_LOCK + "# changed\n")
    assert not environment.is_ready(), "a new lock means new packages"

    for name in ("python", "python3"):  # as after the removal of the system's Python
        (environment.folder / "bin" / name).unlink()
        (environment.folder / "bin" / name).symlink_to("/nonexistent/python3")
    environment.prepare()
    assert environment.is_ready()
    assert not marker.exists(), "a broken environment is made anew"


@pytest.mark.slow
def test_the_libraries_of_the_samples_come_only_where_asked_for(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = VirtualEnvironment(checkout)
    environment.prepare()
    assert "Flax" not in capsys.readouterr().err
    assert environment.is_ready()
    assert not environment.is_ready(SAMPLES)

    environment.prepare(SAMPLES)
    told = capsys.readouterr().err
    assert "Flax" in told
    assert "Qt" not in told, "what is here already is not installed again"
    assert environment.is_ready(SAMPLES)

    (checkout / SAMPLES_LOCK_NAME).write_text(EMPTY_LOCK + "# changed\n")
    assert environment.is_ready()
    assert not environment.is_ready(SAMPLES)


@pytest.mark.slow
def test_tools_come_only_where_asked_for(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = VirtualEnvironment(checkout)
    environment.prepare(SAMPLES)
    assert "pytest" not in capsys.readouterr().err and not environment.is_ready(TOOLS)
    environment.prepare(SAMPLES, TOOLS)
    told = capsys.readouterr().err
    assert "pytest" in told and "Flax" not in told
    assert environment.is_ready(TOOLS, SAMPLES)


def test_a_strangers_folder_is_not_touched(checkout: Path) -> None:
    (checkout / ".venv").mkdir()
    diary = checkout / ".venv" / "diary.txt"
    diary.write_text("mine")
    with pytest.raises(SetupProblem, match="no virtual environment"):
        VirtualEnvironment(checkout).prepare()
    assert diary.read_text() == "mine"


def test_a_file_in_the_way(checkout: Path) -> None:
    (checkout / ".venv").touch()
    with pytest.raises(SetupProblem, match="no folder"):
        VirtualEnvironment(checkout).prepare()


def test_full_disk(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment_module, "_NEEDED_BYTES", 10**20)
    with pytest.raises(SetupProblem, match=r"GB free.*JAXSCOPE_VENV"):
        VirtualEnvironment(checkout).prepare()
    assert not (checkout / ".venv").exists()


def test_a_folder_that_is_not_ours(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # tests may run as root
    with pytest.raises(SetupProblem, match=r"not writable.*JAXSCOPE_VENV="):
        VirtualEnvironment(checkout).prepare()


def test_an_incomplete_checkout(checkout: Path) -> None:
    (checkout / LOCK_NAME).unlink()
    with pytest.raises(SetupProblem, match="Clone it again"):
        VirtualEnvironment(checkout).prepare()


def test_another_place(checkout: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAXSCOPE_VENV", str(tmp_path / "elsewhere"))
    assert VirtualEnvironment(checkout).folder == tmp_path / "elsewhere"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("ERROR: [Errno 28] No space left on device", "the disk is full"),
        ("Temporary failure in name resolution", "Is this machine online?"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", "refused"),
        ("SSLError: certificate verify failed", "PIP_CERT="),
        ("ERROR: No matching distribution found for jaxlib==1", "no ready-made packages"),
        ("something nobody has seen", "start again"),
        (  # pip, behind a proxy with a certificate of its own
            "Could not fetch URL https://host/simple/jax/: There was a problem confirming the ssl "
            "certificate: HTTPSConnectionPool(host='host', port=443): Max retries exceeded: "
            "/simple/jax/ (Caused by SSLError(SSLCertVerificationError(1, '[SSL: "
            "CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate in "
            "certificate chain (_ssl.c:1029)'))) - skipping",
            "PIP_CERT=",
        ),
        (  # uv, the same
            "Caused by: invalid peer certificate: UnknownIssuer; failed to fetch",
            "PIP_CERT=",
        ),
    ],
)
def test_failures_are_explained_in_a_sentence(line: str, sentence: str) -> None:
    explanation = explain_failure(["Collecting jax", line])
    assert sentence in explanation.splitlines()[0]
    assert line in explanation
