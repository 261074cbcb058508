"""The action that says on a pull request what changed, with `gh` replaced."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".github" / "actions" / "what-changed" / "what_changed.sh"
MOST_LINES = 15
PROGRAM = """\
import jax.numpy as jnp

# jaxscope: score(f32[8, 8], f32[8])


def score(x, w):
    return jnp.tanh(x @ w)
"""


@dataclasses.dataclass(frozen=True)
class Repository:
    """A repository with one commit, and what was posted."""

    folder: Path
    tools: Path

    def compare(self, **variables: str) -> subprocess.CompletedProcess[str]:
        told = {"FILE": "model.py", "BASE": "HEAD", "PULL_REQUEST": "7", "GH_TOKEN": "t"}
        path = f"{self.tools}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            ["bash", SCRIPT],
            cwd=self.folder,
            env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **told, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def posted(self) -> str:
        return (self.tools / "posted").read_text()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    folder, tools = tmp_path / "code", tmp_path / "tools"
    for each in (folder, tools):
        each.mkdir()
    # The last word is the file of the comment.
    for name, does in (
        ("jaxscope", f'exec {sys.executable} -m jaxscope "$@"'),
        ("gh", f'echo "$*" > {tools}/words; cp "${{!#}}" {tools}/posted'),
    ):
        (tools / name).write_text(f"#!/bin/bash\n{does}\n")
        (tools / name).chmod(0o755)
    (folder / "model.py").write_text(PROGRAM)
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "before"]):
        who = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *who, *words], cwd=folder, check=True)
    return Repository(folder, tools)


@pytest.mark.slow
def test_what_changed_is_posted_in_a_few_lines(repository: Repository, tmp_path: Path) -> None:
    file = repository.folder / "model.py"
    file.write_text(PROGRAM.replace("jnp.tanh(x @ w)", "jnp.sin(jnp.tanh(x @ w))"))
    summary = tmp_path / "summary.md"
    done = repository.compare(GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 0, done.stderr
    told = repository.posted
    assert told.startswith("# Different in jaxpr") and len(told.splitlines()) <= MOST_LINES
    assert "model.py:7" in told
    assert summary.read_text() == told and told in done.stdout
    assert (repository.tools / "words").read_text().startswith("pr comment 7 --edit-last")
    trees = subprocess.run(
        ["git", "worktree", "list"], cwd=repository.folder, capture_output=True, text=True
    )
    assert len(trees.stdout.splitlines()) == 1, "it leaves nothing behind"


@pytest.mark.slow
def test_equal_programs_are_told_as_equal(repository: Repository) -> None:
    done = repository.compare(CALL="score(f32[4, 8], f32[8])", OPTIONS="--x64")
    assert done.returncode == 0, done.stderr
    assert repository.posted.startswith("# Equal")


@pytest.mark.parametrize(
    ("text", "variables", "status", "told"),
    [
        ("def score(:\n", {}, 1, "could not be captured with the change"),
        (PROGRAM, {"FILE": "new.py"}, 0, "could not be captured before the change"),
    ],
)
@pytest.mark.slow
def test_a_side_that_fails_is_told(
    repository: Repository, text: str, variables: dict[str, str], status: int, told: str
) -> None:
    (repository.folder / "model.py").write_text(text)
    (repository.folder / "new.py").write_text(PROGRAM)
    done = repository.compare(**variables)
    assert done.returncode == status, done.stderr
    assert told in repository.posted and len(repository.posted.splitlines()) <= MOST_LINES


def test_no_text_of_a_pull_request_is_run(repository: Repository, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    repository.compare(CALL=f"score(f32[8, 8], f32[8])$(touch {mark})", OPTIONS=f"$(touch {mark})")
    assert not mark.exists()
