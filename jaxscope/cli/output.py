"""Write results, to standard output or to files: these whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from jaxscope.cli.parser import Options
from jaxscope.errors import EnvironmentProblem, UsageError
from jaxscope.report.document import Document, fit, write_text
from jaxscope.schema.whole_file import write_whole


def check_place(path: Path) -> None:
    """Refuse a place that cannot work before minutes are spent on what shall be written there.

    Raises:
        UsageError: It is a folder, or its folder does not exist.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder.", remedy=f"-o {path}/out.html")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"There is no folder {path.parent}.", remedy="Make it, or name another.")


def write_file(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a neighbour of `path`, then put it in place in one step.

    A full disk or a stopped run leaves what was there before.

    Raises:
        EnvironmentProblem: The file cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            write(path)  # a device or a pipe, such as /dev/stdout, has no neighbour
        else:
            write_whole(path, write)
    except OSError as error:
        raise EnvironmentProblem(
            f"{path} could not be written: {error.strerror or error}.",
            kind=type(error).__name__,
            remedy="Name another place with -o, make room, or fix the permissions.",
        ) from None


def write_data(path: Path, data: bytes) -> None:
    """Put bytes in place in one step.

    Raises:
        EnvironmentProblem: The file cannot be written.
    """

    def write(draft: Path) -> None:
        draft.write_bytes(data)

    write_file(path, write)


def print_found(
    options: Options, to_json: Callable[[], Any], to_document: Callable[[], Document]
) -> None:
    """Print what a verb found, as JSON where that was asked for."""
    if options.is_json:
        from jaxscope.schema.json_text import write_json  # a person's text does not need it

        print_text(write_json(to_json()))
    else:
        print_document(options, to_document())


def print_document(options: Options, document: Document) -> None:
    """Print a report: a screenful, or all of it where that was asked for."""
    width = find_width(sys.stdout)
    shown = document if options.is_whole else fit(document, width)
    print_text(write_text(shown, width, is_coloured=wants_colour(sys.stdout)))


_NARROWEST = 40


def find_width(stream: TextIO) -> int:
    """Characters of a line: what COLUMNS says, else the terminal's; 0 in files and pipes."""
    if not (stream.isatty() or os.environ.get("COLUMNS")):
        return 0
    return max(shutil.get_terminal_size().columns, _NARROWEST)


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal whose person did not turn colours off.

    NO_COLOR and FORCE_COLOR are those of https://no-color.org and https://force-color.org.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    is_old_console = os.name == "nt" and "WT_SESSION" not in os.environ
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not is_old_console


def print_text(text: str) -> None:
    """Print to standard output, whatever encoding it has."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.buffer.write(b"" if text.endswith("\n") else b"\n")
    sys.stdout.buffer.flush()
