"""Run one long call of XLA's beside the main thread, so that conversions go on meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
_POLL_S = 0.05
"""A wait this short lets the main thread take the signal of a Stop."""


class Background(Generic[T]):
    """A call that runs in a daemon thread from the moment this object is made."""

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._value: T | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="jaxscope background", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._value = self._function()
        except BaseException as error:
            self._error = error

    def wait(self, seconds: float) -> bool:
        """Wait for so long at most; returns whether the call has ended."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def result(self, meanwhile: Callable[[], object] = lambda: None) -> T:
        """Wait for the call.

        Args:
            meanwhile: Called again and again in this thread until the call ends.

        Raises:
            BaseException: Whatever the call raised.
            KeyboardInterrupt: The person pressed Stop; the call goes on until the process ends.
        """
        while self._thread.is_alive():
            self._thread.join(_POLL_S)
            meanwhile()
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value] # set, as no error was
