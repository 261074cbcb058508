"""Open what a job left behind: its modules as a list, and each as a capture."""

from __future__ import annotations

from typing import Any

from jaxscope.client.one_shot import OnEvent, ask
from jaxscope.client.requests import OpenRequest
from jaxscope.errors import Explanation, SourceError
from jaxscope.model import Capture
from jaxscope.model.left_behind import LeftBehind, LeftModule
from jaxscope.schema.archive import load_capture


def open_module(module: LeftModule, on_event: OnEvent | None = None, **options: Any) -> Capture:
    """One module as a capture; nothing of it is run.

    Args:
        on_event: Told how far it is.
        options: Those that every request has, such as `timeout_s`.

    Raises:
        SourceError: Nothing of it can be read.
        WorkerLost: XLA's or MLIR's parser died of it, or it took too much time or memory.
    """
    return ask(OpenRequest.of(module, **options), Capture, on_event)


def open_found(
    found: LeftBehind, name: str | None = None, on_event: OnEvent | None = None, **options: Any
) -> Capture:
    """A capture of a module that was found, or one that jaxscope saved where there is no module.

    Args:
        found: What is there.
        name: Of the module; None for the largest.

    Raises:
        UsageError: There is no such module.
        SourceError: Nothing can be read.
    """
    if found.modules or name is not None:
        return open_module(found.module(name), on_event, **options)
    if found.captures:
        return load_capture(found.captures[0])
    raise SourceError(
        Explanation(
            what=f"There is no module in {', '.join(found.paths)}, only a profile.",
            remedy="Name the dump folder of the same run beside it.",
        )
    )
