"""Write results, to standard output or to files: these whole or not at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jaxscope.cli.parser import Options
from jaxscope.errors import EnvironmentProblem, UsageError
from jaxscope.report.document import Document, write_text
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
    options: Options,
    to_json: Callable[[], Any],
    to_document: Callable[[], Document],
    *,
    width: int = 0,
) -> None:
    """Print what a verb found, as JSON where that was asked for.

    Args:
        width: To which paragraphs are wrapped; 0 for not.
    """
    if options.is_json:
        print_text(json.dumps(to_json(), indent=2, allow_nan=False))
    else:
        print_text(write_text(to_document(), width=width))


def print_text(text: str) -> None:
    """Print to standard output, whatever encoding it has."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.buffer.write(b"" if text.endswith("\n") else b"\n")
    sys.stdout.buffer.flush()
