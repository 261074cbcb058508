"""One session captures all samples; a call that several tests look at is captured once."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.model import Capture

from .calling import SAMPLES
from .captured import CaptureOf


@pytest.fixture(scope="package")
def capture() -> Iterator[CaptureOf]:
    """Captures a sample's call by real processes."""
    with Session() as session:

        @functools.cache
        def capture(file: str, call: str) -> Capture:
            result = session.start(CaptureRequest(str(SAMPLES / file), call)).wait()
            assert isinstance(result, Capture)
            return result

        yield capture
