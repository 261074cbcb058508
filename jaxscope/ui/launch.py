"""Starts the window; `open_window` is the only entry point of the command line.

Loading Qt takes as long as starting a worker. So the processes of a session are started first, and
only then is everything that needs Qt imported. This module must not import Qt.
"""

from __future__ import annotations

import builtins
import importlib
import os
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from jaxscope.client.supervisor_link import LocalLink
from jaxscope.errors import JaxscopeError
from jaxscope.heap import share_heap, without_collector

if TYPE_CHECKING:
    from jaxscope.client.session import Session
    from jaxscope.model import Capture
    from jaxscope.schema.archive_container import ReadAhead

_THREADS = "OPENBLAS_NUM_THREADS"
_SWITCH_S = 0.0001
"""How long a thread that interprets a program may keep the window's thread waiting. Qt lets go of
the interpreter many times per event, and at Python's 5 ms each return could cost as much."""


def open_window(
    file: str | None = None,
    call: str | None = None,
    *,
    capture: Capture | None = None,
    target: str = "cpu",
    python: str | None = None,
    timeout_s: float | None = None,
    memory_bytes: int | None = None,
    x64: bool = False,
    settings_file: str | None = None,
    surroundings: str | None = None,
) -> int:
    """Show the window until it is closed, and return its exit status.

    Args:
        file: A Python file or a saved capture; None for the start page.
        call: The call to run; None for the first that the file offers.
        capture: A capture of this process to show instead of a file.
        target: Kind of device to begin with.
        python: Interpreter for user code; None for this one.
        timeout_s: Wall seconds that a run may take; None for no limit.
        memory_bytes: Memory that a run may take; None for three quarters of the machine's.
        x64: Whether 64-bit types are on.
        settings_file: Where the window remembers things; None for the usual place.
        surroundings: What user code finds, as `digest_surroundings` tells it, for the window to
            take files of later launches; None if it takes none.
    """
    sys.setswitchinterval(_SWITCH_S)
    share_heap()
    with without_collector():  # until the window is seen: all that is made until then stays
        # What was saved is shown, not run: it needs processes only if a file is opened later.
        runs_something = capture is None and (
            file is None or file.endswith((".py", ".ipynb", ".md"))
        )
        session = EarlySession(python, begins=runs_something)
        load_qt()
        load_numpy()
        ahead = begin_reading(file)
        from jaxscope.ui.application import run_application
        from jaxscope.ui.session.controller import RunOptions

        return run_application(
            session.wait,
            RunOptions(python, timeout_s, memory_bytes, x64, quick_look=True),
            file=file,
            call=call,
            capture=capture,
            target=target,
            settings_file=settings_file,
            surroundings=surroundings,
            runs_something=runs_something,
            ahead=ahead,
        )


def load_qt() -> None:
    """Load Qt as it is needed here, in two thirds of the time, and keep Python's own import.

    PySide puts one in its place that reads the source of each module that is loaded from then on,
    to see whether the module uses features of PySide that none of ours does.
    """
    python: Any = builtins
    own = python.__import__, python.compile
    python.compile = _compile_late
    try:
        importlib.import_module("PySide6.QtWidgets")
    finally:
        python.__import__, python.compile = own


def _compile_late(source: Any, file: Any, *about: Any, **named: Any) -> Any:
    """As `compile`, but modules in `_LATE` are compiled and run when something in them is used.

    PySide compiles them anew whenever it is loaded. They tell signatures, and what is wrong with
    the arguments of a call; a window that works asks for neither.
    """
    return _compile(_STUB if file in _LATE else source, file, *about, **named)


def run_late(module: ModuleType, name: str) -> Any:
    """Run one of these modules unless it has run, and return what it calls by a name.

    Raises:
        AttributeError: It calls nothing so.
    """
    names, spec, loader = vars(module), module.__spec__, module.__spec__ and module.__spec__.loader
    if name[:2] != "__" and spec and loader:  # of Python's own names it has all that it will have
        with _late_lock:
            if names.pop("__getattr__", None) is not None:
                moved, spec.name = spec.name, module.__name__  # PySide moves it to PySide6.support
                loader.exec_module(module)
                spec.name = moved
        if name in names:
            return names[name]
    raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")


_NAMES = ("errorhandler", "layout", "parser", "lib/enum_sig", "lib/pyi_generator", "lib/tool")
_LATE = frozenset(f"shibokensupport/signature/{name}.py" for name in _NAMES)
_compile = compile
_STUB = """
def __getattr__(name):
    import sys
    from jaxscope.ui.launch import run_late
    return run_late(sys.modules[__name__], name)
"""
_late_lock = threading.RLock()


def load_numpy() -> None:
    """Load NumPy with one thread of OpenBLAS: nothing here multiplies matrices.

    Starting the others takes as long as half of NumPy. What is started from here has them.
    """
    given = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"
    importlib.import_module("numpy")
    del os.environ[_THREADS]
    if given is not None:
        os.environ[_THREADS] = given


def begin_reading(file: str | None) -> ReadAhead | None:
    """Begin to read a saved capture on a thread, if the file is one: a window is made meanwhile."""
    from jaxscope.model.file_kinds import ARCHIVE_ENDING  # with it come all records

    if file is None or not file.endswith(ARCHIVE_ENDING):
        return None
    from jaxscope.schema.archive_container import ReadAhead

    return ReadAhead(Path(file))


class EarlySession:
    """A session whose processes start as soon as this object exists, unless `begins` is False.

    Everything else is made by `wait`, on the thread that asks. No thread imports anything before
    Qt is loaded: while it is, PySide looks through all modules, and if one is added meanwhile the
    whole process ends.
    """

    def __init__(self, python: str | None, *, begins: bool = True) -> None:
        self._python, self._begins = python, begins
        self._link = LocalLink()
        self._error: JaxscopeError | None = None
        if not begins:
            return
        try:
            self._link.begin(python or sys.executable)
        except JaxscopeError as error:
            self._error = error

    def wait(self) -> Session:
        """The session; called once.

        Raises:
            JaxscopeError: It could not be started.
        """
        from jaxscope.client.session import Session

        if self._error is not None:
            raise self._error
        return Session(self._python, link=self._link, is_warm=not self._begins)
