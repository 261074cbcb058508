"""The answer "we do not know", with its reason."""

from __future__ import annotations

from typing import TypeGuard, TypeVar

from jaxscope.late_dataclass import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A result that could not be had, and why.

    Stands where the result would be, so a view shows the reason in the place where the reader
    looks for the result.

    Attributes:
        reason: One sentence that ends with a full stop, fit to show.
        since: The stage that could have produced the result, or empty.
        is_on_request: Whether it is missing only because nobody asked for it.
    """

    reason: str
    since: str = ""
    is_on_request: bool = False


def is_available(value: T | Unavailable) -> TypeGuard[T]:
    """Tell a result from the reason for its absence."""
    return not isinstance(value, Unavailable)
