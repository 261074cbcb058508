"""Where instructions come from: the module's tables of files, functions, places and frames."""

from __future__ import annotations

import re

from jaxscope.analysis.hlo.proto import HloMessage

Frame = tuple[str, int, int, str]
"""File, 1-based line, 0-based column (-1: unknown), function."""

_MAX_DEPTH = 200

_NOT_THE_USERS = re.compile(
    r"[/\\](?:site|dist)-packages[/\\](?:jax|jaxlib)[/\\]"  # installed
    r"|[/\\]jax[/\\]_src[/\\]"  # from a checkout
    r"|[/\\]jaxscope[/\\]worker[/\\]"  # the code that calls the user's
    r"|^<frozen "
)


class FrameTable:
    """Call stacks of one module, innermost frame first, JAX's own frames left out."""

    def __init__(self, module: HloMessage) -> None:
        index = module.stack_frame_index
        self._files = list(index.file_names)
        self._functions = list(index.function_names)
        self._places = [
            (place.file_name_id, place.function_name_id, place.line, place.column)
            for place in index.file_locations
        ]
        self._frames = [(f.file_location_id, f.parent_frame_id) for f in index.stack_frames]
        self._stacks: dict[int, tuple[Frame, ...]] = {}

    def read(self, metadata: HloMessage) -> tuple[Frame, ...]:
        """The user's frames of an instruction; empty if its metadata names no place."""
        frame_id = metadata.stack_frame_id
        if frame_id:
            found = self._stacks.get(frame_id)
            if found is None:
                found = self._stacks[frame_id] = tuple(self._walk(frame_id))
            return found
        if metadata.source_file:  # jaxlib 0.8 keeps one place per instruction and no stack
            column = metadata.source_column if metadata.source_end_column else -1
            frame = (metadata.source_file, max(metadata.source_line, 0), column, "")
            return () if _NOT_THE_USERS.search(frame[0]) else (frame,)
        return ()

    def _walk(self, frame_id: int) -> list[Frame]:
        """Follow parents. All ids are 1-based and 0 ends the chain; bad ids end it too."""
        stack: list[Frame] = []
        seen: set[int] = set()
        while 0 < frame_id <= len(self._frames) and frame_id not in seen:
            seen.add(frame_id)
            place_id, frame_id = self._frames[frame_id - 1]
            if not 0 < place_id <= len(self._places):
                break
            file_id, function_id, line, column = self._places[place_id - 1]
            file = _row(self._files, file_id)
            if file and not _NOT_THE_USERS.search(file) and len(stack) < _MAX_DEPTH:
                stack.append((file, line, column, _row(self._functions, function_id)))
        return stack


def _row(table: list[str], number: int) -> str:
    return table[number - 1] if 0 < number <= len(table) else ""
