"""What the viewer runs in the browser: a `.jaxscope` file in, its page out."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

ctypes.CDLL(str(Path(__file__).with_name("backtrace.so")), mode=ctypes.RTLD_GLOBAL)

import numpy as np  # noqa: E402 - it needs the library that is loaded above


def _as_sizes(function: Any, place: int) -> Any:
    """A function of NumPy that takes wider whole numbers for counts than a 32-bit machine has.

    NumPy refuses to narrow them by itself. Counts of what is in memory fit.
    """

    def narrowed(*arguments: Any, **named: Any) -> Any:
        counts = np.asarray(arguments[place]).astype(np.intp, copy=False)
        return function(*arguments[:place], counts, *arguments[place + 1 :], **named)

    return narrowed


np.repeat = _as_sizes(np.repeat, 1)
np.bincount = _as_sizes(np.bincount, 0)

from jaxscope.errors import JaxscopeError  # noqa: E402 - after what is replaced above
from jaxscope.export.html import write_page  # noqa: E402 - it calls what is replaced above
from jaxscope.model import is_available  # noqa: E402 - after what is replaced above
from jaxscope.schema.archive import load_capture  # noqa: E402 - after what is replaced above

_SMALL = 3_000
"""Nodes of all stages, up to which the whole page is drawn within a second or two."""


def open_capture(
    path: str, on_step: Callable[[str, float], None], on_page: Callable[[list[str]], None]
) -> None:
    """Make the page of a capture; of a large one first a page whose groups stay closed.

    Args:
        path: Of the file, which is removed.
        on_step: Told what is being done, and how far it is, from 0 to 1.
        on_page: Given each page, in parts.

    Raises:
        ValueError: It is no capture, or has nothing to show; says why and what to try.
    """
    try:
        capture = load_capture(path)
        graphs = (stage.graph for stage in capture.stages)
        if sum(len(graph.nodes) for graph in graphs if is_available(graph)) > _SMALL:
            on_page(list(write_page(capture, on_step=on_step, is_folded=True)))
        on_page(list(write_page(capture, on_step=on_step)))
    except JaxscopeError as error:
        told = error.explanation
        lines = map(str, (told.what, told.why, told.remedy))
        raise ValueError("\n".join(filter(None, lines))) from None
    except MemoryError:
        raise ValueError(
            "The capture needs more memory than a browser gives to a page.\n"
            "Open it with the program: jaxscope FILE"
        ) from None
    finally:
        os.unlink(path)
