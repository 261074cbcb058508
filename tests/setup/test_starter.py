"""`./run` before Python: which interpreter it takes, and what it says where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OLD_PYTHON = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'Python 3.9.2'; fi\nexit 1\n"


class Machine:
    """A folder of programs that is the whole PATH, and a copy of the starter."""

    def __init__(self, folder: Path) -> None:
        self.programs = folder / "programs"
        self.programs.mkdir()
        for name in ("sh", "env", "id"):
            (self.programs / name).symlink_to(shutil.which(name) or f"/bin/{name}")
        self.script = folder / "checkout" / "run"
        self.script.parent.mkdir()
        text = (ROOT / "run").read_text(encoding="utf-8")
        assert " /usr/bin/python3;" in text
        self.script.write_text(text.replace(" /usr/bin/python3;", ";"), encoding="utf-8")

    def install(self, name: str, script: str) -> None:
        program = self.programs / name
        program.write_text(script, encoding="utf-8")
        program.chmod(0o755)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", str(self.script), *words],
            env={"PATH": str(self.programs)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_no_python_and_no_apt(machine: Machine) -> None:
    answer = machine.run()
    assert answer.returncode == 3
    assert "needs Python 3.11 or newer" in answer.stderr
    assert len(answer.stderr.splitlines()) == 1


def test_no_python_names_the_line_to_type(machine: Machine) -> None:
    machine.install("apt-get", "#!/bin/sh\nexit 99\n")
    answer = machine.run()
    assert answer.returncode == 3
    assert "apt-get install -y python3 python3-venv" in answer.stderr


@pytest.mark.parametrize(
    ("said", "words"),
    (
        ("E: Could not get lock /var/lib/dpkg/lock-frontend.", "holds apt's lock"),
        ("E: Unable to fetch some archives", "online"),
    ),
)
def test_a_failing_apt_is_told(machine: Machine, said: str, words: str) -> None:
    machine.install("apt-get", f'#!/bin/sh\necho "{said}" >&2\nexit 100\n')
    machine.install("sudo", '#!/bin/sh\nexec "$@"\n')
    answer = machine.run("--yes")
    assert answer.returncode == 3
    assert said in answer.stderr and words in answer.stderr.splitlines()[-1]


def test_old_python_is_named(machine: Machine) -> None:
    machine.install("python3", OLD_PYTHON)
    answer = machine.run("capture", "x.py")
    assert answer.returncode == 3
    assert "Python 3.9.2" in answer.stderr
    assert "python3.12 run capture x.py" in answer.stderr


def test_a_newer_python_beside_an_old_one_is_taken(machine: Machine) -> None:
    machine.install("python3", OLD_PYTHON)
    machine.install("python3.12", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    package = machine.script.parent / "jaxscope" / "setup"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "start.py").write_text(
        "def main(arguments):\n    print('started', *arguments)\n    return 5\n", encoding="utf-8"
    )
    answer = machine.run("calls", "a b.py")
    assert (answer.returncode, answer.stdout) == (5, "started calls a b.py\n")


def test_starter_says_so_under_an_old_python_too(tmp_path: Path) -> None:
    """`python3.9 run`: the file must compile and its first statement must refuse."""
    source = (ROOT / "run").read_text(encoding="utf-8")
    program = (
        "import sys, ast\n"
        "source = sys.stdin.read()\n"
        "ast.parse(source, feature_version=(3, 7))\n"
        "sys.version_info = (3, 9, 2)\n"
        "exec(compile(source, 'run', 'exec'), {'__file__': 'run'})\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], input=source, capture_output=True, text=True, cwd=tmp_path
    )
    assert answer.returncode == 3
    assert answer.stderr.startswith("jaxscope: needs Python 3.11 or newer; this is Python 3.9")


def test_starter_is_executable() -> None:
    assert os.access(ROOT / "run", os.X_OK)
