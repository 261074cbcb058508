"""The outline of a file turned into the list of functions that the window shows."""

from __future__ import annotations

from jaxscope.client.events import Failed, Finished
from jaxscope.client.results import Outline
from jaxscope.ui.call_text import find_base_name
from jaxscope.ui.state import OfferedFunction


def merge_outline(event: object) -> tuple[OfferedFunction, ...] | None:
    """Functions with the calls offered for them; None while the outline has not come.

    Functions with calls come first: they are what the file wants to show. Calls of something that
    the file does not define stand under what they name. A file that cannot be outlined has no
    functions; the run that follows says why.
    """
    if isinstance(event, Failed):
        return ()
    if not isinstance(event, Finished) or not isinstance(event.result, Outline):
        return None
    outline = event.result
    calls: dict[str, list[str]] = {}
    for offered in outline.calls:
        calls.setdefault(find_base_name(offered.call), []).append(offered.call)
    functions = [
        OfferedFunction(f.name, f.line, f.signature, f.doc, tuple(calls.pop(f.name, ())))
        for f in outline.functions
        if f.kind == "function" or f.name in calls
    ]
    functions += [OfferedFunction(name, 0, "", "", tuple(texts)) for name, texts in calls.items()]
    return (*(f for f in functions if f.calls), *(f for f in functions if not f.calls))
