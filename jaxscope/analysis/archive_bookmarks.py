"""Bookmarks in a `.jaxscope` file: they are the comment of the zip.

Readers that know nothing of bookmarks refuse entries that they do not know, and look at no
comment: a file with bookmarks stays readable by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from jaxscope.errors import Explanation, UsageError
from jaxscope.model.bookmark import Bookmark

MAX_BOOKMARKS = 1_000
MAX_COMMENT_BYTES = 65_535
"""What a zip has room for."""

_HEADING = b'{"jaxscope_bookmarks":'


class _Comment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    jaxscope_bookmarks: Annotated[tuple[Bookmark, ...], msgspec.Meta(max_length=MAX_BOOKMARKS)]


def encode_bookmarks(bookmarks: Sequence[Bookmark]) -> bytes:
    """The comment; empty where nothing is marked.

    Raises:
        UsageError: The notes are longer than the comment of a zip can be.
    """
    if not bookmarks:
        return b""
    try:
        data = msgspec.json.encode(_Comment(tuple(bookmarks)))
    except UnicodeEncodeError:  # a path whose name is no Unicode
        data = msgspec.json.encode(_Comment(tuple(map(_without_surrogates, bookmarks))))
    if len(data) > MAX_COMMENT_BYTES or len(bookmarks) > MAX_BOOKMARKS:
        raise UsageError(
            Explanation(
                what=f"There are {len(bookmarks)} bookmarks with {len(data):,} bytes of notes; a "
                f"capture has room for {MAX_BOOKMARKS:,} and {MAX_COMMENT_BYTES:,} bytes.",
                remedy="Remove some bookmarks, or shorten their notes.",
            )
        )
    return data


def decode_bookmarks(comment: bytes) -> tuple[Bookmark, ...]:
    """Bookmarks from a comment; none from a comment that somebody else wrote.

    Raises:
        ValueError: The comment begins as ours do and does not go on as they do.
    """
    if not comment.startswith(_HEADING):
        return ()
    return msgspec.json.decode(comment, type=_Comment).jaxscope_bookmarks


def _without_surrogates(bookmark: Bookmark) -> Bookmark:
    words = (bookmark.stage, bookmark.place, bookmark.note, bookmark.group)
    return Bookmark(*(word.encode("utf-8", "replace").decode("utf-8") for word in words))
