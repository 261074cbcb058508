"""Read provenance out of the names that JAX hands to XLA.

The worker puts a tag into the name stack of every equation: `jxsb12` for equation number 12 of
the base function, `jxsd7` for number 7 of the last jaxpr-level stage. JAX and XLA carry the tags
through differentiation, batching, lowering and fusion, so an instruction named
`jxsd7~jxsb12~//jit(loss)/transpose(jvp(layer))/mul` came from both. Without its tags the name is
the one that JAX gives. Where tags nest, the last one of each prefix is the innermost equation:
`mul` of `jxsd7~//jit(f)/while/jxsd9~/body/mul` is equation 9, in the loop that is equation 7.
`jxsp3` after `jxsb12` means number 15: the third equation after the first one of a small function
that JAX inlines at every call, and that all calls share. `jxst4` stands at equations of one jaxpr
that JAX gives the same name and place, set number 4 of such ones. XLA joins the names of
instructions it merges with `;`, and puts the name of a call before those of what is called, with
`/` between them.

Of operations that JAX gives no name the tags are stack frames; how these are read is said below.

A tag must not contain `@` (it cuts the name), `/`, `(`, `)` or `;` (they are syntax).
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import Direction
from jaxscope.model.said import say

# Tags that stand in stack frames, for operations that JAX gives no name.
#
# Such a tag is the function of a frame in a file of its own, `TAG_FILE`. XLA hands frames on when
# it inlines a call: the frame then stands among those of what was called. Here the tags move into
# the names of the instructions, where those of all others are, and the tables of files, functions,
# places and frames become those of the program without tags.
#
# Cost: linear in the text, and in the number of frames times their depth.

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


@dataclass(frozen=True)
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


BASE_TAG = "b"
NO_EQUATION = 999_999_999
"""Number of the base tag of a call that is no equation of the base function.

A custom derivative's rule makes one, say. What it calls the base function may call, too: the tags
inside are then not of this call.
"""
DERIVED_TAG = "d"
PLUS_TAG = "p"
EQUALS_TAG = "t"

_TAG = re.compile(r"jxs([bdpt])(\d+)")
# All begin with a literal, which the search for them uses: texts have millions of characters.
_NAMELESS = re.compile(r'op_name="(?:jxs[bdpt]\d+~/*)+" ?')
_NAMED_BEFORE = re.compile(r"/jxs[bdpt]\d+~/*(?:jxs[bdpt]\d+~/*)*(?=[\"';]|$)")
_PRINTED = re.compile(r"jxs[bdpt]\d+~/*")
_JOINED = re.compile(r'op_name="([^";:]*[;:][^"]*)"')
_JOINED_INSTRUCTION = re.compile(r'%([\w.-]+) = [^\n]*op_name="([^"\n]*;jxs[^"\n]*)"')
_PERCENT_NAME = re.compile(r"%([\w.-]+)")
_NO_NAME = re.compile(r"[^\w.-]")
# Files that jaxscope 0.1 saved have tags that are parts of the name, as scopes are.
_TAG_AFTER_SLASH = re.compile(r"/jxs[bdpt]\d+")
_LEADING_TAG = re.compile(r"jxs[bdpt]\d+/?")
_NAMED_BY_TAG = re.compile(r"%jxs([bdpt]\d+)")


NOT_THE_USERS = re.compile(
    r"[/\\](?:site|dist)-packages[/\\](?:jax|jaxlib)[/\\]"  # installed
    r"|[/\\]jax[/\\]_src[/\\]"  # from a checkout
    r"|[/\\]jaxscope[/\\]worker[/\\]"  # the code that calls the user's
    r"|^<frozen "
)
"""Paths of files whose code is JAX's or jaxscope's own."""


@dataclass(frozen=True, eq=False)
class TagTable:
    """Which equation each tag number stands for.

    Attributes:
        base: Equation ids of the stage `jaxpr`, by the number in `jxsb…` tags; empty for an
            equation that JAX folded into a constant where it inlined it.
        derived: Equation ids of the last jaxpr-level stage, by the number in `jxsd…` tags.
        argument_paths: Of a function that a library jitted, the places in its user's arguments,
            by the names that parameters have.
    """

    base: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    argument_paths: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OpName:
    """What an operation's name says about where it came from.

    Attributes:
        origins: Ids of equations of the stage `jaxpr`, without repeats; empty where no tag is.
        derived: Ids of equations of the last jaxpr-level stage.
        calls: For each of `derived`, the ids of the equations that call the function it is in,
            outermost first, where several equations share that function's jaxpr: its equations
            have one id, that below the first caller. Empty where the id says it all.
        direction: Backward if the name passes through a differentiation that was transposed,
            forward if it passes through a differentiation only.
        op_name: The name itself.
    """

    origins: tuple[str, ...]
    derived: tuple[str, ...]
    calls: tuple[tuple[str, ...], ...]
    direction: Direction
    op_name: str

    @property
    def display(self) -> str:
        """The name without tags: what JAX itself would have called it."""
        return _plain_name(self.op_name)


def print_tag(kind: str, number: int) -> str:
    """A tag as it stands in a name."""
    return f"jxs{kind}{number}~"


def is_tagged(op_name: str) -> bool:
    """Whether a name may have tags; else it is as JAX and XLA made it."""
    return "jxs" in op_name


def read_op_name(op_name: str, table: TagTable) -> OpName:
    """Read the tags of a name. Tags with numbers outside the table are ignored."""
    if not is_tagged(op_name):
        return OpName((), (), (), read_direction(op_name), op_name)
    origins: dict[str, None] = {}
    derived: dict[str, tuple[str, ...]] = {}
    names = [part for each in _split_combined(op_name) for part in each.split(";")]
    for part in names:
        tags = [(kind, int(number)) for kind, number in _TAG.findall(part)]
        if origin := read_origin(tags, table):
            origins[origin] = None
        last = next((number for kind, number in reversed(tags) if kind == DERIVED_TAG), -1)
        if 0 <= last < len(table.derived):
            derived[table.derived[last]] = _find_calls(part, table)
    calls = tuple(derived.values())
    return OpName(tuple(origins), tuple(derived), calls, read_direction(op_name), op_name)


def _find_calls(op_name: str, table: TagTable) -> tuple[str, ...]:
    """Ids of the tagged equations around the innermost one that its own id does not name."""
    numbers = (int(number) for prefix, number in _TAG.findall(op_name) if prefix == "d")
    ids = [table.derived[number] for number in numbers if number < len(table.derived)]
    return tuple(a for a, b in itertools.pairwise(ids) if a != b and not b.startswith(f"{a}/"))


def in_call(equation: str, calls: tuple[str, ...]) -> str:
    """An equation of a function that several equations call, in one of these calls: `2/jaxpr/0@5`.

    Args:
        equation: Its id.
        calls: As `OpName.calls` has them; empty for the call that the id itself names.
    """
    return f"{equation}@{'@'.join(calls)}" if calls else equation


def without_call(tag: str) -> str:
    """The equation's id in a text of `in_call`."""
    return tag.partition("@")[0]


def read_origin(tags: Iterable[tuple[str, int]], table: TagTable) -> str:
    """The id of the innermost tagged equation of the base function that has one; or nothing."""
    return next(
        (table.base[n] for n in base_numbers(tags) if n < len(table.base) and table.base[n]), ""
    )


def base_numbers(tags: Iterable[tuple[str, int]]) -> list[int]:
    """The number of each tagged equation of the base function, from innermost to outermost."""
    numbers: list[int] = []
    for kind, number in tags:
        if kind == BASE_TAG and number == NO_EQUATION:
            break
        if kind == BASE_TAG:
            numbers.append(number)
        elif kind == PLUS_TAG and numbers:
            numbers[-1] += number
    return numbers[::-1]


_ORDERS = re.compile(r"(transpose\()?(?:vmap\()*jvp\(")
_BACKWARD = re.compile(r"transpose\((?:\w+\()*jvp\(")


@functools.lru_cache(maxsize=4096)
def read_direction(name_stack: str) -> Direction:
    """Tell the backward part of a differentiated program from its forward part.

    What is transposed without being differentiated, as in the rules of a linear solve, is neither.
    """
    if "jvp(" not in name_stack:
        return Direction.NONE
    return Direction.BACKWARD if _BACKWARD.search(name_stack) else Direction.FORWARD


@functools.lru_cache(maxsize=4096)
def read_orders(name_stack: str) -> str:
    """Which part of which derivative, where a program is differentiated more than once.

    The outermost derivative comes first: `backward of forward` is what the second gradient adds to
    the forward part of the first. Empty where there is at most one order. Names of what
    `jax.checkpoint` runs again repeat transforms: of such programs this says nothing true.
    """
    parts = ["backward" if found[1] else "forward" for found in _ORDERS.finditer(name_stack)]
    return " of ".join(parts) if len(parts) > 1 else ""


def shown_orders(orders: str) -> str:
    """The same without what only runs along: `backward` for `forward of backward`."""
    while orders.startswith("forward of "):
        orders = orders.removeprefix("forward of ")
    return orders


_DERIVATIVES = (
    *(say("first derivative"), say("second derivative")),
    *(say("third derivative"), say("fourth derivative")),
)


def name_derivative(orders: str) -> str:
    """Which derivative something is computed for, the innermost first: `second derivative` of
    `backward of forward`. Empty of what runs forward in all, and of one derivative alone.
    """
    number = len(shown_orders(orders).split(" of ")) if "backward" in orders else 0
    return _DERIVATIVES[number - 1] if 0 < number <= len(_DERIVATIVES) else ""


def strip_tags(text: str) -> str:
    """Remove every tag from a name or a whole text: names are then as JAX gives them.

    In files of jaxscope 0.1 tags gave some instructions their names, as `%jxsb5.3`: these are
    called as `instruction_name` has it.
    """
    if "jxs" not in text:
        return text
    moved = move_tags(text)
    if ";jxs" in moved:
        moved = _rename_joined(moved)
    named = _NAMELESS.sub("", moved).replace(", metadata={}", "")
    named = _JOINED.sub(_strip_joined, named)
    named = _PRINTED.sub("", _NAMED_BEFORE.sub("", named))
    if "jxs" not in named:
        return named
    named = _NAMED_BY_TAG.sub(r"%unnamed_\1", named)
    return _LEADING_TAG.sub("", _TAG_AFTER_SLASH.sub("", named))


def _strip_joined(found: re.Match[str]) -> str:
    name = found[1]
    before = name[: max(name.rfind(";"), name.rfind(":"))]
    return f'op_name="{_plain_name(name)}"' if "jxs" in before else found[0]


def _split_combined(name: str) -> list[str]:
    """The names of the collectives that XLA combined: `f/a` and `f/b` of `f/(a:b)`."""
    start = 0 if name.startswith("(") else name.find("/(") + 1
    if not name.endswith(")") or name[start : start + 1] != "(":
        return [name]
    parts, depth = [""], 0
    for letter in name[start + 1 : -1]:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return [name]
        if letter == ":" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [name[:start] + part for part in parts] if len(parts) > 1 else [name]


def _join_combined(names: Sequence[str]) -> str:
    """How XLA names a collective that it combined of those with these names."""
    if len(set(names)) == 1:
        return names[0]
    paths = [name.split("/") for name in names]
    steps = zip(*(path[:-1] for path in paths), strict=False)
    around = [step[0] for step in itertools.takewhile(lambda step: len(set(step)) == 1, steps)]
    return "/".join([*around, f"({':'.join('/'.join(p[len(around) :]) for p in paths)})"])


def _plain_name(name: str) -> str:
    """A name without tags, what XLA joined because of them being one again.

    Names of instructions that are merged are joined by `;`, but for those with the same name and
    place; those of collectives that are combined by `:` in parentheses, if they are different.
    """
    combined = _split_combined(name)
    if len(combined) > 1:
        return _join_combined([_plain_name(part) for part in combined])
    if "jxs" not in name:
        return name
    merged: dict[tuple[str, int], str] = {}
    for number, part in enumerate(name.split(";")):
        # Where a function is inlined, the call's name comes before that of the merged alone.
        own = part[part.rfind("~//") + 1 :]
        equal = next((int(n) for kind, n in reversed(_TAG.findall(part)) if kind == EQUALS_TAG), -1)
        merged.setdefault((strip_tags(own), equal if equal >= 0 else ~number), strip_tags(part))
    return ";".join(merged.values())


def name_without_tags(name: str, op_name: str) -> str:
    """What XLA calls an instruction without tags; where it joined names that differs.

    It takes the last part of the joined name: of `mul;jxsd3~//add` that is `add`, of `mul;add` it
    is `mul_add`. An instruction that got its name before is called after the first.
    """
    called = _called_after(op_name)
    if ";jxs" not in op_name or called == _called_after(op_name.partition(";")[0]):
        return name
    if not is_called_after(name, op_name):
        return name
    return _called_after(_plain_name(op_name)) + name[len(called) :]


def is_called_after(name: str, op_name: str) -> bool:
    """Whether XLA called an instruction after this name, and has not only written it on it."""
    called = _called_after(op_name)
    return name == called or name.startswith(f"{called}.")


def _called_after(op_name: str) -> str:
    return _NO_NAME.sub("_", op_name.rpartition("/")[2])


def _rename_joined(text: str) -> str:
    """A module's text with `name_without_tags` wherever an instruction is named."""
    renamed = {
        name: new
        for name, op_name in _JOINED_INSTRUCTION.findall(text)
        if (new := name_without_tags(name, op_name)) != name
    }
    if not renamed:
        return text
    return _PERCENT_NAME.sub(lambda found: f"%{renamed.get(found[1], found[1])}", text)


def instruction_name(name: str) -> str:
    """What to call an instruction or a computation that a file of jaxscope 0.1 has.

    XLA takes the last part of an operation's name for the instruction's, which was the tag where
    JAX has no name for the operation. The number stays, which distinguishes them.
    """
    return f"unnamed_{name[3:]}" if _LEADING_TAG.match(name) else name
