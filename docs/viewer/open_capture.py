"""What the viewer runs in the browser: a `.jaxscope` file in, its page out."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

ctypes.CDLL(str(Path(__file__).with_name("backtrace.so")), mode=ctypes.RTLD_GLOBAL)

import numpy as np  # noqa: E402 - it needs the library


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

from jaxscope.errors import JaxscopeError  # noqa: E402 - it calls what is replaced above
from jaxscope.export.html import write_page  # noqa: E402
from jaxscope.schema.archive import load_capture  # noqa: E402


def open_capture(path: str, on_step: Callable[[str, float], None]) -> list[str]:
    """The page of a capture, in parts.

    Args:
        path: Of the file, which is removed.
        on_step: Told what is being done, and how far it is, from 0 to 1.

    Raises:
        ValueError: It is no capture, or has nothing to show; says why and what to try.
    """
    try:
        capture = load_capture(path)
        return list(write_page(capture, on_step=on_step))
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
