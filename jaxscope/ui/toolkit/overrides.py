"""Keep an exception in a method that Qt calls from ending the process.

Where Python called Qt, and Qt the method, PySide keeps its exception until Qt returns. A method
that is looked up meanwhile is given up, and loses a reference that was not taken (PySide 6.11 and
6.12): often its only one, so that its next call reads freed memory. So no exception leaves these
methods: it is reported at once, as PySide does where no call from Python is on the way.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from PySide6.QtCore import QObject

_WRAPPED: Any = QObject.__mro__[1]
"""The base of all classes of PySide."""

_BY_PYQTGRAPH = {"boundingRect", "itemChange", "paint", "shape", "sizeHint"}
"""Besides those that handle an event. What others are wrong about, they tell their callers."""


def guard_overrides() -> None:
    """Guard our classes and pyqtgraph's, those to come, too. Again, it does nothing."""
    hook = "__init_subclass__"
    if hook in vars(_WRAPPED):
        return
    setattr(_WRAPPED, hook, classmethod(_guard_new))
    waiting = [_WRAPPED]
    found: set[type] = set()  # one that has several bases is met several times
    while waiting:
        new = set(type.__subclasses__(waiting.pop())) - found
        found |= new
        waiting += new
    for cls in found:
        _guard_own(cls)


def _guard_new(cls: Any, /, **options: Any) -> None:
    super(_WRAPPED, cls).__init_subclass__(**options)  # as of `Generic`
    _guard_own(cls)


def _guard_own(cls: type) -> None:
    owner = cls.__module__.split(".")[0]
    if owner == "jaxscope":
        guard(cls, lambda _name: True)
    elif owner == "pyqtgraph":
        guard(cls, lambda name: name in _BY_PYQTGRAPH or name.endswith("Event"))


def guard(cls: type, is_called_by_qt: Callable[[str], bool]) -> None:
    """Let no exception leave those methods of a class that override Qt's.

    Args:
        cls: A class of its own, derived from one of PySide.
        is_called_by_qt: Tells by the name of such a method whether it is to be guarded.
    """
    for name, function in list(vars(cls).items()):
        if isinstance(function, FunctionType) and not name.startswith("__"):
            of_qt = overridden(cls, name)
            if of_qt is not None and is_called_by_qt(name):
                setattr(cls, name, _guarded(function, None if _is_done_once(name) else of_qt))


def overridden(cls: type, name: str) -> Callable[..., Any] | None:
    """What a class of PySide has under the name of a method, if any does."""
    bases = (base for base in cls.__mro__ if base.__module__.startswith("PySide6."))
    return next((vars(base)[name] for base in bases if name in vars(base)), None)


def _is_done_once(name: str) -> bool:
    """Whether Qt must not do again, or otherwise, what the method began."""
    return name == "paint" or (name.endswith("Event") and name != "viewportEvent")


def _guarded(function: FunctionType, of_qt: Callable[..., Any] | None) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except (Exception, KeyboardInterrupt) as error:
            sys.excepthook(type(error), error, error.__traceback__)
        try:
            return None if of_qt is None else of_qt(*arguments, **options)
        except Exception:  # Qt has none: the method is pure virtual
            return None

    return call
