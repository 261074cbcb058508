"""What `./run` does, in order: agree, install, start."""

from __future__ import annotations

import dataclasses
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from jaxscope.setup import SetupProblem, system_libraries
from jaxscope.setup.environment import SAMPLES, TOOLS, VirtualEnvironment
from jaxscope.setup.system_libraries import (
    find_display,
    find_missing_libraries,
    find_missing_python_packages,
    find_missing_test_programs,
    format_install_line,
)
from jaxscope.verbs import VERBS

USAGE = """\
usage: ./run [--yes]              set up if needed, open the window; at first on a sample
       ./run test [--yes] [...]   set up if needed, run the tests (further words go to pytest)
       ./run test --slow          run all of them, slow ones too; --started: no process is forked
       ./run dev [FILE...]        lint, types and the nearest tests of what changed (or of FILEs);
                                  --fix: first mend what ruff can, write the reference anew
       ./run dev --window [ARGS]  open the window; colours and style sheet are reloaded when saved
       ./run samples [--yes] [...]  add the libraries that some samples need (Flax, Optax, ...)
       ./run ARGS...              set up if needed, then jaxscope ARGS...

--yes installs what is missing without asking: system packages through apt-get, with sudo where
needed, and Python packages into .venv (JAXSCOPE_VENV names another folder).
"""

# Half of the time of most tests is waiting for a process that they started; tests of a file stay
# together, for they share what they set up.
_TWO_AT_ONCE = ("-n", "2", "--dist", "loadfile")
_ALONE = ("-n", "--numprocesses", "--dist", "--pdb", "--trace", "--collect-only", "--co", "-s")


@dataclasses.dataclass(frozen=True)
class StartRequest:
    """What the words after `./run` ask for.

    Attributes:
        arguments: For `jaxscope`, or for pytest in a test run.
        is_test: Whether the tests shall run.
        is_agreed: Whether `--yes` was said.
        is_samples: Whether the libraries of the samples are asked for.
        is_check: Whether what changed shall be checked.
        is_live: Whether the window shall reload its style sheet.
    """

    arguments: tuple[str, ...]
    is_test: bool
    is_agreed: bool
    is_samples: bool = False
    is_check: bool = False
    is_live: bool = False

    @property
    def further(self) -> tuple[str, ...]:
        """What must be installed beside what the program needs; the tests run all samples."""
        if self.is_test or self.is_check:
            return SAMPLES, TOOLS
        return (SAMPLES,) if self.is_samples else ()

    @property
    def verb(self) -> tuple[str, ...]:
        """The words after `./run` that `arguments` lack."""
        names = {
            "test": self.is_test,
            "samples": self.is_samples,
            "dev": self.is_check or self.is_live,
            "--window": self.is_live,
        }
        return tuple(name for name, is_asked in names.items() if is_asked)

    @property
    def needs_qt(self) -> bool:
        """Whether the system's libraries of Qt are needed; tests draw on a display of their own."""
        return self.is_test or self.is_check or self.opens_window

    @property
    def opens_window(self) -> bool:
        """Whether a display is needed in the end."""
        first = self.arguments[0] if self.arguments else ""
        if self.is_samples and not self.arguments:
            return False
        if self.is_test or self.is_check:
            return False
        return first not in VERBS and not self.asks_help

    @property
    def asks_help(self) -> bool:
        """Whether nothing is to be done but to say what could be."""
        if self.is_test or self.is_check:
            return self.arguments[:1] in (("-h",), ("--help",))
        of_script = self.arguments[:1] == ("run",)  # its own words follow
        words = self.arguments[: 2 if of_script else None]
        return any(word in ("-h", "--help", "--version") for word in words)


@dataclasses.dataclass(frozen=True)
class Missing:
    """What has to be installed before the wish can come true.

    Attributes:
        packages: Debian packages.
        line: How to install them by hand on this system; empty if none is missing.
        has_environment: Whether `.venv` is ready.
        why: Why an environment that is there is not ready; empty where there is none.
    """

    packages: tuple[str, ...]
    line: str
    has_environment: bool
    why: str = ""

    def __bool__(self) -> bool:
        return bool(self.packages) or not self.has_environment


def main(arguments: Sequence[str]) -> int:
    """Set up what is missing and become the wished program; returns only on failure."""
    wish = parse_words(arguments)
    environment = VirtualEnvironment(Path(__file__).resolve().parents[2])
    try:
        if wish.asks_help and not environment.is_ready():
            return _help(wish)
        prepare(wish, environment)
        check_display(wish)
        if wish.is_samples and not wish.arguments:
            print("jaxscope: every sample opens now, such as: ./run samples/flax_modules.py")
            return 0
        start(wish, environment)
    except SetupProblem as problem:
        print(f"jaxscope: {problem}", file=sys.stderr)
        return problem.exit_status
    except KeyboardInterrupt:
        print("\njaxscope: stopped; start again to go on.", file=sys.stderr)
        return 130
    return 0


def _help(wish: StartRequest) -> int:
    """Say what can be typed, which takes nothing that is installed."""
    if wish.arguments[0] in ("-h", "--help"):
        print(USAGE, flush=True)
    if wish.is_test or wish.is_check:
        return 0
    program = Path(__file__).resolve().parents[1] / "__main__.py"
    command = [sys.executable, "-P", str(program), *wish.arguments]
    return subprocess.run(command, check=False).returncode


def parse_words(arguments: Sequence[str]) -> StartRequest:
    """Read the words after `./run`; `--yes` may stand anywhere."""
    words = tuple(word for word in arguments if word != "--yes")
    is_agreed = len(words) < len(arguments)
    match words:
        case "test", *rest:
            return StartRequest(tuple(rest), True, is_agreed)
        case "samples", *rest:
            return StartRequest(tuple(rest), False, is_agreed, is_samples=True)
        case "dev", "--window", *rest:
            return StartRequest(tuple(rest), False, is_agreed, is_live=True)
        case "dev", *rest:
            return StartRequest(tuple(rest), False, is_agreed, is_check=True)
        case _:
            return StartRequest(words, False, is_agreed)


def prepare(wish: StartRequest, environment: VirtualEnvironment) -> None:
    """Install what the wish needs, after asking.

    Raises:
        SetupProblem: Nobody agreed, or it failed.
    """
    missing = find_missing(wish, environment)
    if not missing:
        return
    if not wish.is_agreed:
        _ask(wish, missing)
    if missing.packages:
        if shutil.which("apt-get") is None:
            raise SetupProblem(
                f"libraries of the system are missing, and there is no apt-get here. "
                f"Install {missing.line}, then start again."
            )
        system_libraries.install_packages(missing.packages)
        _check_installed(wish)
    if not missing.has_environment:
        environment.prepare(*wish.further)


def find_missing(wish: StartRequest, environment: VirtualEnvironment) -> Missing:
    """Look at what is here and what the wish needs."""
    has_environment = environment.is_ready(*wish.further)
    has_uv = shutil.which("uv") is not None
    packages = () if environment.is_ready() else find_missing_python_packages(has_uv)
    libraries = find_missing_libraries() if wish.needs_qt else None
    wanted = [*packages, *(libraries.packages if libraries else ())]
    if wish.is_test and shutil.which("apt-get") and (wanted or wish.is_agreed):
        # Only a few tests need these, and are skipped without: alone no reason to stop and ask.
        wanted += find_missing_test_programs()
    line = (
        format_install_line(libraries, wanted, is_root=system_libraries.is_root())
        if wanted or libraries
        else ""
    )
    why = ""
    if not has_environment and environment.python.exists():
        why = ", which is not complete or was made for another checkout, lock or Python"
    return Missing(tuple(dict.fromkeys(wanted)), line, has_environment, why)


def check_display(wish: StartRequest) -> None:
    """Refuse to open a window where there is no display.

    Raises:
        SetupProblem: There is none; says how to go on without.
    """
    if wish.opens_window and not find_display():
        raise SetupProblem(
            "everything is installed, but there is no display here (DISPLAY is not set). Log in "
            "on a desktop or with `ssh -X`, or go without a window: "
            "./run capture samples/quick_start.py -o quick_start.html"
        )


def start(wish: StartRequest, environment: VirtualEnvironment) -> None:
    """Replace this process by the wished program; does not return.

    Raises:
        SetupProblem: The program cannot be started.
    """
    variables = dict(os.environ)
    python = str(environment.python)
    if (wish.is_test or wish.is_check) and variables.get("PYTHONPATH"):
        # What tests start elsewhere is this checkout too.
        variables["PYTHONPATH"] = f"{environment.checkout}{os.pathsep}{variables['PYTHONPATH']}"
    if wish.is_test:
        os.chdir(environment.checkout)
        variables["QT_QPA_PLATFORM"] = "offscreen"
        command = [python, "-m", "pytest", *_distribution(wish.arguments), *wish.arguments]
    elif wish.is_check:
        os.chdir(environment.checkout)
        variables["QT_QPA_PLATFORM"] = "offscreen"
        command = [python, "-m", "jaxscope.setup.checks", *wish.arguments]
    else:
        # By its path, and without the working directory: either may hold another jaxscope.
        program = environment.checkout / "jaxscope" / "__main__.py"
        command = [python, "-P", str(program), *wish.arguments]
    if wish.is_live:
        variables["JAXSCOPE_LIVE_STYLE"] = "1"
    sys.stdout.flush()
    try:
        os.execve(python, command, variables)
    except OSError as error:
        raise SetupProblem(f"{python} could not be started: {error.strerror}.") from None


def _distribution(arguments: Sequence[str]) -> Sequence[str]:
    """Words for pytest that let two tests run at once, unless its own words forbid that."""
    if (os.cpu_count() or 1) < 2 or any(word.startswith(_ALONE) for word in arguments):
        return ()
    return _TWO_AT_ONCE


def _ask(wish: StartRequest, missing: Missing) -> None:
    """Go on only if a person at the terminal agrees."""
    parts = []
    if missing.packages:
        parts.append(f"system packages ({' '.join(missing.packages)})")
    if not missing.has_environment:
        size = {(): "0.9 GB", (SAMPLES,): "1 GB"}.get(wish.further, "1.3 GB")
        parts.append(f"Python packages, {size} in all, into .venv{missing.why}")
    what = " and ".join(parts)
    if sys.stdin.isatty() and sys.stderr.isatty():
        print(f"jaxscope: needs {what}. Install now? [y/N] ", file=sys.stderr, end="", flush=True)
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
        raise SetupProblem("nothing was installed.")
    words = shlex.join(["./run", *wish.verb, "--yes", *wish.arguments])
    by_hand = f"\njaxscope: (it runs: {missing.line})" if missing.line else ""
    raise SetupProblem(f"needs {what}. To install, type: {words}{by_hand}")


def _check_installed(wish: StartRequest) -> None:
    if not wish.needs_qt:
        return
    still = find_missing_libraries()
    if still:
        raise SetupProblem(
            f"apt-get ran, but {', '.join(still.sonames)} still cannot be loaded: does the "
            "processor architecture of this Python differ from the system's?"
        )
