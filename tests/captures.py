"""Captures that several tests look at, each taken once."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from pathlib import Path

from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.model import Capture


@contextlib.contextmanager
def taking() -> Iterator[Callable[..., Capture]]:
    """Captures a call of a file on a target; the first time it is asked for."""
    with Session(None, is_warm=False) as session:

        @functools.cache
        def capture(file: Path, call: str | None = None, target: str = "cpu") -> Capture:
            result = session.start(CaptureRequest(str(file), call, target)).wait()
            assert isinstance(result, Capture)
            return result

        yield capture
