"""Kinds of fusions in words."""

from __future__ import annotations

from collections.abc import Mapping

_WORDS = {
    "kLoop": "one loop over the elements of its result, each computed from the inputs at once",
    "kInput": "what is computed from the inputs is reduced or scattered while it is read",
    "kOutput": "an operation such as a matrix product, and what follows computed on its result "
    "before that is written",
    "kCustom": "code of the backend's own for exactly this pattern, often a library's",
}


def describe_kind(attributes: Mapping[str, str]) -> str:
    """A fusion's kind: the compiler's word and, where it is a known one, what it means.

    A backend's own name for the pattern is shown as it is: these change from release to release.
    """
    kind = attributes.get("fusion_kind", "")
    name = attributes.get("fusion_config", "") or attributes.get("custom_call_target", "")
    words = _WORDS.get(kind, "")
    parts = [kind or "of no stated kind", f"({name})" if name else ""]
    head = " ".join(part for part in parts if part)
    return f"{head}: {words}" if words else head
