"""Tags that stand in stack frames, for operations that JAX gives no name.

Such a tag is the function of a frame in a file of its own, `TAG_FILE`. XLA hands frames on when it
inlines a call: the frame then stands among those of what was called. Here the tags move into the
names of the instructions, where those of all others are, and the tables of files, functions, places
and frames become those of the program without tags.

Cost: linear in the text, and in the number of frames times their depth.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Mapping, Sequence

TAG_FILE = "jxs~"
"""The file of the frames whose functions are tags."""

_TABLES = re.compile(
    r"^FileNames\n(?P<FileNames>.*?)\n\nFunctionNames\n(?P<FunctionNames>.*?)\n\n"
    r"FileLocations\n(?P<FileLocations>.*?)\n\nStackFrames\n(?P<StackFrames>.*?)\n\n",
    re.MULTILINE | re.DOTALL,
)
FRAME_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
"""Titles of the tables at the head of an HLO text, in their order."""
_ROW = re.compile(r"^\d+ (.*)$", re.MULTILINE)
_FIELD = re.compile(r"(\w+)=(\d+)")
_TAGS = re.compile(r"(?:jxs[bdpt]\d+~)+")
_FRAME_ID = re.compile(r"stack_frame_id=(\d+)")
_REFERENCE = re.compile(r"(file_name_id|function_name_id|file_location_id)=(\d+)")
_FRAMED = re.compile(
    r'(?:op_name="(?P<name>[^"]*)" )?'
    r'(?P<between>(?:\w+=(?:"[^"]*"|[^ "{}]+) )*?)stack_frame_id=(?P<frame>\d+) ?'
)


@dataclasses.dataclass(frozen=True)
class Untagged:
    """The frames of a module without those that are tags. All numbers are 1-based, 0 is none.

    Attributes:
        tags: Of each frame and those beneath it, the outermost first; empty where there are none.
        numbers: What each frame is now; 0 where it and all beneath are tags, or it is not needed.
        frames: Place, as it was numbered, and parent of each frame that is left.
    """

    tags: Sequence[str]
    numbers: Sequence[int]
    frames: Sequence[tuple[int, int]]


def is_tags(function: str) -> bool:
    """Whether the function of a frame is tags."""
    return _TAGS.fullmatch(function) is not None


def untag_frames(
    frames: Sequence[tuple[int, int]], tags: Mapping[int, str], used: Collection[int]
) -> Untagged:
    """Take the frames that are tags out of a table; bad parents end a chain.

    Args:
        frames: Place and parent of each.
        tags: The tags of each place that is one.
        used: Numbers of the frames of instructions: others with tags beneath them are not needed.
    """
    told: list[str] = []
    numbers: list[int] = []
    left: dict[tuple[int, int], int] = {}
    for number in range(1, len(frames) + 1):
        places = _walk(frames, number)
        told.append("".join(tags.get(place, "") for place in reversed(places)))
        kept = [place for place in places if place not in tags]
        half = len(kept) // 2
        if len(kept) < len(places) and kept[:half] == kept[half:]:
            # XLA does not put the frames of a call beneath the same ones, but beneath a tag.
            kept = kept[:half]
        new = 0
        for place in reversed(kept if number in used or len(kept) == len(places) else ()):
            new = left.setdefault((place, new), len(left) + 1)
        numbers.append(new)
    return Untagged(told, numbers, list(left))


def _walk(frames: Sequence[tuple[int, int]], number: int) -> list[int]:
    places: list[int] = []
    seen: set[int] = set()
    while 0 < number <= len(frames) and number not in seen:
        seen.add(number)
        place, number = frames[number - 1]
        places.append(place)
    return places


def put_tags(tags: str, op_name: str) -> str:
    """A name with tags at its innermost place.

    Of names that XLA joined they are put into the first, whose instruction the other ones became.
    """
    first, joint, others = op_name.partition(";")
    around, slash, last = first.rpartition("/")
    return f"{around}{slash}{tags}//{last}{joint}{others}" if tags else op_name


def move_tags(text: str) -> str:
    """The text of a module with the tags of its frames in the names of its instructions.

    A text whose tables refer to what they do not have comes back as it is.
    """
    found = _TABLES.search(text) if f'"{TAG_FILE}"' in text else None
    try:
        return text if found is None else _move(text, found)
    except (IndexError, KeyError, ValueError):
        return text


def _move(text: str, found: re.Match[str]) -> str:
    files, functions, places, lines = (_ROW.findall(found[title]) for title in FRAME_TABLES)
    tag_file = files.index(f'"{TAG_FILE}"') + 1
    fields = [_read_fields(place) for place in places]
    tags = {
        number: functions[field["function_name_id"] - 1].strip('"')
        for number, field in enumerate(fields, start=1)
        if field["file_name_id"] == tag_file
    }
    if not all(map(is_tags, tags.values())):
        return text
    # XLA prints a parent's number plus one (seen on 0.8.3 to 0.12.0.1); the first has no parent.
    frames = [_read_fields(line) for line in lines]
    shift = frames[0].get("parent_frame_id", 0)
    untagged = untag_frames(
        [(row["file_location_id"], row.get("parent_frame_id", 0) - shift) for row in frames],
        tags,
        {int(number) for number in _FRAME_ID.findall(text)},
    )
    number_of = {
        "file_name_id": _count_without(files, {tag_file}),
        "function_name_id": _count_without(
            functions, {fields[place - 1]["function_name_id"] for place in tags}
        ),
        "file_location_id": _count_without(places, set(tags)),
    }

    def renumber(row: str) -> str:
        return _REFERENCE.sub(lambda m: f"{m[1]}={number_of[m[1]][int(m[2])]}", row)

    kept = (
        [files[number - 1] for number in number_of["file_name_id"]],
        [functions[number - 1] for number in number_of["function_name_id"]],
        [renumber(places[number - 1]) for number in number_of["file_location_id"]],
        [
            renumber(f"{{file_location_id={place} parent_frame_id={parent + shift}}}")
            for place, parent in untagged.frames
        ],
    )
    tables = "".join(
        f"{title}\n" + "".join(f"{n} {row}\n" for n, row in enumerate(rows, start=1)) + "\n"
        for title, rows in zip(FRAME_TABLES, kept, strict=True)
    )

    def move(match: re.Match[str]) -> str:
        number = int(match["frame"])
        if not 0 < number <= len(frames):
            return match[0]
        name = put_tags(untagged.tags[number - 1], match["name"] or "")
        frame = untagged.numbers[number - 1]
        parts = (
            f'op_name="{name}"' if name else "",
            match["between"].rstrip(),
            f"stack_frame_id={frame}" if frame else "",
        )
        return " ".join(part for part in parts if part)

    rest = _FRAMED.sub(move, text[found.end() :])
    return text[: found.start()] + (tables if untagged.frames else "") + rest


def _read_fields(row: str) -> dict[str, int]:
    return {name: int(value) for name, value in _FIELD.findall(row)}


def _count_without(rows: Sequence[str], gone: set[int]) -> dict[int, int]:
    """New numbers of the rows that are left, by their old ones."""
    left = (number for number in range(1, len(rows) + 1) if number not in gone)
    return {number: new for new, number in enumerate(left, start=1)}
