"""Runs what the pages tell a reader to type: `python docs/examples.py [PAGE …]` writes into the
pages what it prints today; `tests/test_documents.py` holds the pages against it. A translation
(`PAGE.zh.md`) gets the blocks of its page.

A block `console` has commands behind `$ ` and below each what it prints; a line `…` stands for
lines that are left out. A block `python` that begins with `# name.py` is a file that the reader
saves; another one is run, and a block `text` directly below it is what it prints. All blocks of a
page are run in order, in one folder that has the samples. A comment before a block says what is
special:

    <!-- measured -->           other figures every time: what is printed is not compared.
                                A timing test in it may fail with "Slower", and with nothing
                                else: the machine may have been slower than at its baseline
    <!-- slow -->               run by the slow tests alone
    <!-- fails -->              ends with status 1
    <!-- not run: WHY -->       needs what a test cannot have, such as another machine

A command ends with status 0, or with 5 where something was found; `echo $?` prints it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
_SLOWER = "AssertionError: Slower"
MADE_WITH = ("0.10.2", "x86_64")
"""JAX and processor that the pages show the output of; with others only the statuses are compared.
"""
ASKED = "?"
"""Stands in a page for what shall be written there."""
READER = "/home/ada"
"""Where the pages' reader is."""
TRANSLATED = ".zh.md"
"""How the names of translations end: those of pages into Simplified Chinese."""
_LEFT_OUT = "…"
# A checkout has no entry points; where jaxscope is installed, pytest finds the plugin by itself.
_PLUGIN = (
    () if entry_points(group="pytest11", name="jaxscope") else ("-p", "jaxscope.pytest_plugin")
)
_FENCE = re.compile(
    r"(?P<notes>(?:^<!--[^\n]*-->\n)*)^```(?P<language>\w+)\n(?P<body>.*?)^```$", re.M | re.S
)
_NOTE = re.compile(r"<!-- (.*?) -->")
_SAVED = re.compile(r"# (\w+\.(?:py|ini|toml))\n")


@dataclasses.dataclass(frozen=True, slots=True)
class Block:
    """A block of a page that is run.

    Attributes:
        language: Such as `console` or `python`.
        notes: What the comments before it say.
        line: Of the page, 1-based, at which it begins.
    """

    language: str
    body: str
    notes: tuple[str, ...]
    line: int

    @property
    def is_run(self) -> bool:
        if self.language not in ("console", "python"):
            return (
                False  # what another prints or holds; cells of notebooks have a test of their own
            )
        return not any(note.startswith("not run: ") for note in self.notes)


@dataclasses.dataclass(slots=True)
class Printed:
    """What a command or a program printed, and what the page shows of it."""

    line: int
    command: str
    shown: str
    printed: str
    status: int
    is_compared: bool
    statuses: tuple[int, ...] = (0, 5)

    @property
    def problem(self) -> str:
        """What is wrong; empty where nothing is."""
        if self.status not in self.statuses:
            return f"line {self.line}: {self.command}: status {self.status}\n{self.printed}"
        if self.is_compared and not is_shown(self.shown, self.printed):
            return f"line {self.line}: {self.command}: it prints\n{self.printed}"
        return ""


def list_pages() -> list[Path]:
    """The pages for users: README, and what `docs/` holds beside the design of jaxscope.

    Translations are not among them: they show the blocks of their originals.
    """
    pages = sorted((ROOT / "docs").rglob("*.md"))
    pages = [page for page in pages if page.parent.name != "design"]
    return [ROOT / "README.md", *(p for p in pages if not p.name.endswith(TRANSLATED))]


def translation_of(page: Path) -> Path:
    """Where the translation of a page is, if it has one."""
    return page.with_name(page.name.removesuffix(".md") + TRANSLATED)


def copy_blocks(page: Path) -> None:
    """Write the blocks of a page into its translation.

    Raises:
        ValueError: The translation has more blocks or fewer.
    """
    text = translation_of(page).read_text("utf-8")
    blocks = [found[0] for found in _FENCE.finditer(page.read_text("utf-8"))]
    if len(blocks) != len(_FENCE.findall(text)):
        raise ValueError(f"{translation_of(page).name} has not the blocks of {page.name}")
    following = iter(blocks)
    translation_of(page).write_text(_FENCE.sub(lambda _: next(following), text), "utf-8")


def read_blocks(page: Path) -> list[Block]:
    """The blocks of a page that say something about running."""
    text = page.read_text("utf-8")
    return [
        Block(
            found["language"],
            found["body"],
            tuple(_NOTE.findall(found["notes"])),
            text.count("\n", 0, found.start("language")) + 1,
        )
        for found in _FENCE.finditer(text)
    ]


def is_shown(shown: str, printed: str) -> bool:
    """Whether a page shows what is printed; nothing shown is a command that is only run."""
    if not shown.strip():
        return True
    lines = [
        r"(?:.*\n)*?" if line.strip() == _LEFT_OUT else re.escape(line.rstrip()) + r"\n"
        for line in shown.strip("\n").splitlines()
    ]
    told = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
    return re.fullmatch("".join(lines), told) is not None


def run_page(page: Path, *, with_slow: bool) -> Iterator[Printed]:
    """Run the blocks of a page in the working directory; `samples` must be there."""
    names: dict[str, Any] = {"__name__": "__main__"}
    is_like = (version("jax"), platform.machine()) == MADE_WITH
    before: Printed | None = None
    status = 0
    for number, block in enumerate(read_blocks(page)):
        if block.language == "text" and before is not None:  # what the block before prints
            before.shown = block.body
        if before is not None:
            yield before
            before = None
        if not block.is_run or ("slow" in block.notes and not with_slow):
            continue
        is_compared = is_like and "measured" not in block.notes
        if block.language == "console":
            for line, command, shown in split_commands(block):
                if command == "echo $?":
                    status, printed = 0, str(status)
                else:
                    status, printed = run_command(command)
                statuses = (1,) if "fails" in block.notes else (0, 5)
                if "measured" in block.notes and _SLOWER in printed:
                    statuses = (1,)  # other programs ran meanwhile, so the verdict is true
                yield Printed(line, command, shown, printed, status, is_compared, statuses)
        elif block.language == "python":
            saved = _SAVED.match(block.body)
            place = Path(saved[1] if saved else f"{page.stem}_{number}.py")
            place.write_text(block.body, "utf-8")
            if not saved:
                failed, printed = _catch(functools.partial(_run_python, place, names))
                before = Printed(block.line, f"block {number}", "", printed, failed, is_compared)
    if before is not None:
        yield before


def split_commands(block: Block) -> Iterator[tuple[int, str, str]]:
    """Line, command and what is shown below it; a backslash at the end joins lines."""
    command, shown, start, is_open = "", "", 0, False
    for number, line in enumerate(block.body.splitlines(), block.line + 1):
        if is_open or line.startswith("$ "):
            if not is_open:
                if command:
                    yield start, command, shown
                command, shown, start = "", "", number
            is_open = line.endswith("\\")
            command += line.removeprefix("$ ").removesuffix("\\")
        else:
            shown += f"{line}\n"
    if command:
        yield start, command, shown


def run_command(command: str) -> tuple[int, str]:
    """Status and output of a command; those of jaxscope run in this process."""
    words = shlex.split(command, comments=True)
    if words[0] in ("jaxscope", "./run"):
        from jaxscope.setup.start import parse_words

        if words[0] == "./run":
            wish = parse_words(words[1:])
            words = ["jaxscope", *wish.arguments]
            if wish.verb or (wish.is_agreed and not wish.arguments):
                return 0, ""  # sets up: `tests/setup` runs that
        return _catch(lambda: _run_jaxscope(words[1:]))
    if words[0] in ("python", "pytest"):
        tests = ["-m", "pytest", "-p", "no:cacheprovider", *_PLUGIN] if words[0] == "pytest" else []
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        answer = subprocess.run(
            [sys.executable, *tests, *words[1:]],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": path},
        )
        return answer.returncode, answer.stdout + answer.stderr
    return 127, f"{words[0]}: the pages run no such command"


def _run_jaxscope(words: list[str]) -> int:
    from jaxscope.cli import main
    from jaxscope.ui import launch

    with mock.patch.object(launch, "open_window", _open_no_window):
        return main(words)


def _open_no_window(file: str | None, _call: str | None, **_options: object) -> int:
    """For a command that opens the window: whether there is what it is opened on."""
    return 0 if file is None or os.path.exists(file) else 2


def _run_python(place: Path, names: dict[str, Any]) -> int:
    try:
        exec(compile(place.read_text("utf-8"), str(place), "exec"), names)
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def _catch(run: Any) -> tuple[int, str]:
    """What it returns, and what it prints to either stream."""
    caught = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with contextlib.redirect_stdout(caught), contextlib.redirect_stderr(caught):
        try:
            status = run()
        except SystemExit as end:  # of `--help`
            status = int(end.code or 0)
    caught.flush()
    printed = caught.buffer.getvalue().decode()
    for place in (os.getcwd(), str(ROOT)):
        printed = printed.replace(place, READER)
    return status, printed


@contextlib.contextmanager
def reader_folder(folder: Path) -> Iterator[None]:
    """Be in a folder such as a reader has: with the samples."""
    (folder / "samples").symlink_to(ROOT / "samples")
    with contextlib.chdir(folder), mock.patch.object(sys, "path", [str(folder), *sys.path]):
        yield


def renew(page: Path) -> list[str]:
    """Write into a page what its commands print; what failed is returned instead."""
    lines = page.read_text("utf-8").splitlines()
    failed, moved = [], 0
    with tempfile.TemporaryDirectory() as folder, reader_folder(Path(folder)):
        for found in run_page(page, with_slow=True):
            is_new = bool(found.shown.strip()) and not is_shown(found.shown, found.printed)
            if not found.is_compared:  # a page may speak of its figures
                is_new = found.shown.strip() == ASKED
            if found.status not in found.statuses:
                failed.append(f"{page.name}: {found.problem}")
            elif is_new:
                start = _find_shown(lines, found, moved)
                count = len(found.shown.splitlines())
                printed = [line.rstrip() for line in found.printed.strip("\n").splitlines()]
                lines[start : start + count] = printed
                moved += len(printed) - count
    page.write_text("\n".join(lines) + "\n", "utf-8")
    if translation_of(page).exists():
        copy_blocks(page)
    return failed


def _find_shown(lines: list[str], found: Printed, moved: int) -> int:
    first = found.shown.splitlines()
    for start in range(found.line - 1 + moved, len(lines)):
        if lines[start : start + len(first)] == first:
            return start
    raise ValueError(f"{found.shown!r} is not in the page")


def main(names: list[str]) -> int:
    """Renew the named pages, or all; returns how many commands failed."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    failed = []
    for page in [Path(name).resolve() for name in names] or list_pages():
        failed += renew(page)
    print("\n".join(failed) or "all examples were run")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
