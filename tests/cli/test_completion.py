"""`completion`: what may follow, and the scripts in the shells themselves."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.commands import CommandLine
from jaxscope.cli.completion import complete
from jaxscope.cli.parser import SHELLS
from jaxscope.report.answers import QUESTIONS
from jaxscope.verbs import VERBS, WINDOW

CALL = "layer_norm(f32[256, 1024])"
PATIENCE_S = 300


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    text = f"# jaxscope: gelu(f32[8])\n# jaxscope: {CALL}\nraise SystemExit('it ran')\n"
    (tmp_path / "norm.py").write_text(text, "utf-8")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "jaxscope"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m jaxscope "$@"\n', "utf-8")
    command.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words_after(*words: str) -> list[str]:
    return [one.word for one in complete(words)[0]]


def test_a_verb_or_a_file_comes_first() -> None:
    found, has_files = complete([""])
    assert {one.word for one in found} == set(VERBS) - {WINDOW}
    assert has_files
    assert words_after("ca") == ["calls", "capture"]


@pytest.mark.usefixtures("folder")
def test_calls_are_those_of_the_file() -> None:
    assert words_after("capture", "norm.py", "") == ["gelu(f32[8])", CALL]
    assert words_after("norm.py", "lay") == [CALL]
    assert words_after("capture", "--target", "cpu:8", "norm.py", "g") == ["gelu(f32[8])"]
    assert words_after("capture", "none.py", "") == []
    assert not complete(["capture", "norm.py", ""])[1]
    assert words_after("capture", "norm.py", CALL, "") == []


def test_values_belong_to_the_option_before() -> None:
    assert words_after("capture", "norm.py", "--the") == ["--theme"]
    assert words_after("capture", "norm.py", "--theme", "") == ["light", "dark"]
    assert "optimized" in words_after("capture", "norm.py", "--stage", "")
    assert words_after("time", "norm.py", "--target", "aot:t") == ["aot:tpu:v5e:2x2"]
    assert complete(["capture", "norm.py", "-o", ""]) == ([], True)
    assert complete(["time", "norm.py", "--timeout", ""]) == ([], False)


def test_questions_and_figures_are_named() -> None:
    assert set(words_after("ask", "norm.py", "")) >= {question.name for question in QUESTIONS}
    assert words_after("ask", "norm.py", "gelu(f32[8])", "kern") == ["kernels"]
    assert "memory" in words_after("figure", "")
    assert words_after("completion", "") == list(SHELLS)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("jaxscope capture norm.py lay", f"'{CALL}'"),
        ("jaxscope capture norm.py 'lay", CALL),
        ('jaxscope capture "norm.py" "lay', CALL),
        ("jaxscope capture nor\\m.py 'gelu(f32[8])' --target aot:g", "gpu:h100"),
        ("jaxscope capture norm.py --theme  ", "light\ndark"),
        ("jaxscope capture 'no", ":files"),
        ("jaxscope doctor x", ""),
    ],
)
def test_bash_hands_over_its_line(jaxscope: CommandLine, line: str, answer: str) -> None:
    found = jaxscope("completion", "bash", line)
    assert (found.status, found.output.strip()) == (0, answer)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("shell", [shell for shell in SHELLS if shell != "bash"])
def test_others_hand_over_words(jaxscope: CommandLine, shell: str) -> None:
    sign = "+" if shell == "powershell" else ""
    assert jaxscope("completion", shell, f"{sign}--ver").output.startswith("--version")
    assert CALL in jaxscope("completion", shell, "capture", "norm.py", f"{sign}'l").output


def test_it_is_no_json(jaxscope: CommandLine) -> None:
    assert jaxscope("completion", "--json", "bash").status == 2


# In the shells themselves.


def need(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"needs {shell} (apt-get install {shell})")
    return found


def type_into(command: list[str], folder: Path, setup: str, keys: str, wanted: str) -> str:
    """What an interactive shell shows after keys were typed; waits until the wanted is there."""
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    variables = {**os.environ, "PATH": path, "TERM": "dumb", "HOME": str(folder), "PS1": "> "}
    # The terminal is made by a process of its own: this one may have threads, and must not fork.
    process = subprocess.Popen(
        [sys.executable, "-c", "import pty, sys; pty.spawn(sys.argv[1:])", *command],
        env=variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None
    typed, terminal = process.stdin.fileno(), process.stdout.fileno()
    shown = ""
    end = time.monotonic() + PATIENCE_S

    def wait_for(text: str) -> None:
        nonlocal shown
        while text not in shown and time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                read = os.read(terminal, 1 << 16).decode("utf-8", "replace")
                if not read:
                    break
                shown += read.replace("\a", "")  # zsh rings where a word is not complete yet

    try:
        # The shell takes keys only when it asks; what is echoed of this is not `READY2`.
        os.write(typed, f"{setup}; echo READY$((1+1))\n".encode())
        wait_for("READY2")
        shown = ""
        os.write(typed, keys.encode())
        wait_for(wanted)
    finally:
        process.kill()  # the shell loses its terminal by that, and ends
        process.communicate()
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ("jaxscope capt\t", "jaxscope capture "),
        ("jaxscope capture norm.py 'lay\t", f"'{CALL}'"),
        ("jaxscope capture norm.py --target aot:t\t", "aot:tpu:v5e:2x2"),
        ("jaxscope diff nor\t", "norm.py"),
    ],
)
@pytest.mark.parametrize(
    ("shell", "options", "setup"),
    [
        ("bash", ["--norc", "--noprofile", "-i"], 'eval "$(jaxscope completion bash)"'),
        (
            "zsh",
            ["-f", "-i"],
            'autoload -Uz compinit && compinit -u -D; eval "$(jaxscope completion zsh)"',
        ),
    ],
    ids=["bash", "zsh"],
)
def test_tab_completes(
    folder: Path, shell: str, options: list[str], setup: str, keys: str, wanted: str
) -> None:
    shown = type_into([need(shell), *options], folder, setup, keys, wanted)
    assert wanted in shown


def test_fish_completes(folder: Path) -> None:
    fish = need("fish")
    program = "jaxscope completion fish | source\n" + "\n".join(
        f'complete -C "jaxscope {words}"'
        for words in ("capt", "capture norm.py 'lay", "capture norm.py --target aot:t", "diff nor")
    )
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    answer = subprocess.run(
        [fish, "--no-config", "-c", program],
        env={**os.environ, "PATH": path, "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = [line.partition("\t")[0] for line in answer.stdout.splitlines()]
    assert found == ["capture", CALL, "aot:tpu:v5e:2x2", "norm.py"]
