"""What teaches: the docstring of a file with three parts, and lessons that are files of their own.

A lesson of its own is a text in Markdown. Its first line is the title; each heading of the second
rank begins a part. At the beginning of a part stand its fields, a line each:

    Show: softmax.py::naive(f32[3])    what is open; of a part without it what was
    Stage: jaxpr                       the view
    Steps: lines                       go through the tracing line by line, not through equations
    Fact: equations of jaxpr = 4       for tests; a reader does not see it

Then the text follows, and behind `Reveal:`, on its line and below, what is shown when it is asked
for, which may begin with fields as well. What stands behind `Notes:`, up to `Reveal:` or the end of
the part, is for who teaches it: nobody else sees it. Files are named from the folder of the lesson.
Nothing of a lesson is run but the calls that it shows. `NAME.zh.md` is `NAME.md` in Chinese.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from pathlib import Path

from jaxscope.errors import UsageError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.file_kinds import open_without_waiting
from jaxscope.model.said import say
from jaxscope.model.units import upper_first

LESSON_ENDING = ".md"
"""How names of lessons end."""
_MAX_BYTES = 200_000
_MAX_PARTS = 100
_MAX_BESIDE = 200
_MAX_FIELD_CHARACTERS = 500
_FIELD = re.compile(r"(?P<name>[A-Z][a-z]+):(?P<value>.*)")
_FIELDS = ("Show", "Stage", "Steps", "Fact")
BY_LINES = "lines"
"""What a part goes through by `Steps`, in place of the equations."""
_FENCE = re.compile(r" {0,3}(```|~~~)")
_REVEAL, _NOTES = "Reveal:", "Notes:"
_LANGUAGE = re.compile(r"\.(?P<code>[a-z]{2})\.md$")
BETWEEN = "::"
"""Between a file and a call of it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Which file, call and stage a part of a lesson shows.

    Attributes:
        file: Path of the Python file.
        call: The call of it.
        stage: What is shown of it; empty to leave that as it is.
        facts: What tests assert of the call, as written.
        steps: What is gone through, `lines`; empty for the equations.
    """

    file: str
    call: str
    stage: str = ""
    facts: tuple[str, ...] = ()
    steps: str = ""


@dataclass(frozen=True, slots=True)
class LessonPart:
    """One part of a lesson.

    Attributes:
        heading: Of the part; of the first the lesson's title.
        text: Markdown.
        reveal: Markdown that is shown when it is asked for; may be empty.
        shown: What is open beside the text.
        revealed: What is open beside what is revealed.
        line: Of the heading, 1-based.
        notes: Markdown for who teaches it; may be empty.
    """

    heading: str
    text: str
    reveal: str
    shown: Shown
    revealed: Shown
    line: int = 0
    notes: str = ""


@dataclass(frozen=True, slots=True)
class TextLesson:
    """A lesson that is a file of its own.

    Attributes:
        path: Of the file.
        title: A few words.
        parts: At least one.
    """

    path: str
    title: str
    parts: tuple[LessonPart, ...]


def read_text_lesson(path: Path) -> TextLesson:
    """Read a lesson. Nothing is run, and no file but this one is read.

    Raises:
        UsageError: It cannot be read or is no lesson; it says at which line.
    """
    try:
        with open_without_waiting(path) as file:
            data = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", "") or str(error)
        raise UsageError(say("{name} could not be read.", name=path.name), why=why) from error
    if len(data) > _MAX_BYTES:
        raise UsageError(
            say("{name} is too large for a lesson: it may have 200 kB.", name=path.name)
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(say("{name} is no text in UTF-8.", name=path.name)) from error
    return parse_text_lesson(text, path)


def parse_text_lesson(text: str, path: Path) -> TextLesson:
    """Read the text of a lesson.

    Args:
        text: What the file holds.
        path: Of the file; files that it shows are looked for beside it.

    Raises:
        UsageError: It is no lesson; it says at which line.
    """
    sections = _split(text)
    if sections[0][1].strip():
        raise _wrong(path, sections[0][0], "A lesson begins with its title: # TITLE")
    if len(sections) < 2 or not sections[1][1].startswith("# "):
        raise _wrong(path, 1, "A lesson begins with its title: # TITLE")
    if len(sections) > _MAX_PARTS + 1:
        raise _wrong(path, sections[_MAX_PARTS + 1][0], f"A lesson may have {_MAX_PARTS} parts")
    parts: list[LessonPart] = []
    for line, section in sections[1:]:
        parts.append(_read_part(section, line, path, parts[-1] if parts else None))
    return TextLesson(str(path.resolve()), parts[0].heading, tuple(parts))


def _split(text: str) -> list[tuple[int, str]]:
    """Parts with the lines where they begin; the first is what stands before the title."""
    found: list[tuple[int, list[str]]] = [(1, [])]
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        if match := _FENCE.match(line):
            fence = "" if fence == match[1] else fence or match[1]
        is_title = line.startswith("# ") and len(found) == 1
        if not fence and (is_title or (line.startswith("## ") and len(found) > 1)):
            found.append((number, []))
        found[-1][1].append(line)
    return [(number, "\n".join(lines)) for number, lines in found]


def _read_part(section: str, line: int, path: Path, before: LessonPart | None) -> LessonPart:
    head, *lines = section.split("\n")
    heading = head.lstrip("#").strip()
    if not heading:
        raise _wrong(path, line, "A heading has no words")
    fence, behind = "", len(lines)
    for number, each in enumerate(lines):
        if match := _FENCE.match(each):
            fence = "" if fence == match[1] else fence or match[1]
        if not fence and each.strip().startswith(_REVEAL):
            behind = number
            break
    around = before.revealed if before is not None else None
    asking, notes = _split_notes(lines[:behind])
    after = [each.strip().removeprefix(_REVEAL).strip() for each in lines[behind : behind + 1]]
    revealing, more_notes = _split_notes([*after, *lines[behind + 1 :]])
    shown, text = _read_fields(asking, line + 1, path, around)
    if shown is None:
        raise _wrong(path, line, "The first part has to say what it shows: Show: FILE.py::CALL")
    revealed, reveal = _read_fields(revealing, line + behind + 1, path, shown)
    revealed = revealed or shown
    revealed = dataclasses.replace(revealed, steps=revealed.steps or shown.steps)
    if not text and not reveal:
        raise _wrong(path, line, "A part has no text")
    notes = "\n\n".join(filter(None, (notes, more_notes)))
    return LessonPart(heading[:200], text, reveal, shown, revealed, line, notes)


def _split_notes(lines: list[str]) -> tuple[list[str], str]:
    """What all see, and the notes behind it."""
    fence = ""
    for number, each in enumerate(lines):
        if match := _FENCE.match(each):
            fence = "" if fence == match[1] else fence or match[1]
        if not fence and each.strip().startswith(_NOTES):
            first = each.strip().removeprefix(_NOTES)
            return lines[:number], "\n".join([first, *lines[number + 1 :]]).strip()
    return lines, ""


def _read_fields(
    lines: list[str], line: int, path: Path, around: Shown | None
) -> tuple[Shown | None, str]:
    """What is open by the fields at the beginning, and the text behind them."""
    shown = around and Shown(around.file, around.call)
    stage, steps, facts = "", "", []
    for start, each in enumerate(lines):
        field = _FIELD.fullmatch(each.strip())
        if each.strip() and (field is None or field["name"] not in _FIELDS):
            text = "\n".join(lines[start:]).strip()
            break
        if field is None:
            continue
        name, value = field["name"], field["value"].strip()
        if not value or len(value) > _MAX_FIELD_CHARACTERS:
            raise _wrong(path, line + start, f"{name}: has to be followed by something of one line")
        if name == "Fact":
            facts.append(value)
        elif name == "Stage":
            stage = value
        elif name == "Steps":
            if value != BY_LINES:
                raise _wrong(path, line + start, f"Steps: {value[:80]} is not Steps: {BY_LINES}")
            steps = value
        else:
            shown = Shown(*_read_shown(value, line + start, path))
    else:
        text = ""
    if shown is not None:
        shown = Shown(shown.file, shown.call, stage, tuple(facts), steps)
    return shown, text


def _read_shown(value: str, line: int, path: Path) -> tuple[str, str]:
    """The file, made absolute, and the call."""
    name, between, call = value.partition(BETWEEN)
    name, call = name.strip(), call.strip()
    if not between or not call or not name.endswith(".py"):
        raise _wrong(path, line, f"{value[:80]} is not of the form FILE.py::CALL")
    if Path(name).is_absolute() or ":" in name or "\\" in name:
        raise _wrong(path, line, f"{name[:80]} is not named from the folder of the lesson")
    try:
        file = (path.parent / name).resolve()
        is_there = file.is_file()
    except (OSError, ValueError, RuntimeError):
        is_there = False
    if not is_there:
        raise _wrong(path, line, f"There is no file {name[:80]}")
    return str(file), call


def _wrong(path: Path, line: int, why: str) -> UsageError:
    return UsageError(
        say("{name} is no lesson.", name=path.name),
        why=say("{why}.", why=why),
        where=f"{path.name}:{line}",
        remedy=say("docs/reference/files.md says what a lesson may hold."),
    )


def lessons_beside(path: Path) -> list[Path]:
    """Lessons of the same folder in the order of their names, in the same language; at most 200."""
    try:
        found = sorted(path.parent.glob(f"*{LESSON_ENDING}"))[:_MAX_BESIDE]
    except OSError:
        return [path]
    language = language_of(path)
    return [in_language(each, language) for each in found if not language_of(each)]


def language_of(path: Path) -> str:
    """Of a translation, such as `zh` of `NAME.zh.md`; empty of an original."""
    match = _LANGUAGE.search(path.name)
    is_translated = match is not None and _original_of(path).is_file()
    return match["code"] if match is not None and is_translated else ""


def in_language(path: Path, language: str) -> Path:
    """The same lesson in a language, where there is one beside it; else the original."""
    original = _original_of(path) if language_of(path) else path
    name = f"{original.name.removesuffix(LESSON_ENDING)}.{language}{LESSON_ENDING}"
    translated = original.with_name(name)
    return translated if language and translated.is_file() else original


def _original_of(path: Path) -> Path:
    return path.with_name(_LANGUAGE.sub(LESSON_ENDING, path.name))


def title_of(path: Path) -> str:
    """The first line of a lesson, else its name. No more of it is read."""
    try:
        with open_without_waiting(path) as file:
            line = file.readline(_MAX_FIELD_CHARACTERS).decode("utf-8-sig", "replace").strip()
    except (OSError, ValueError):
        line = ""
    return line.removeprefix("# ") if line.startswith("# ") else path.stem


# What a docstring teaches: what to look at, what to predict, and what one then sees.

_MAX_SUMMARY_CHARACTERS = 120
_MAX_TITLE_CHARACTERS = 60
_PARTS = re.compile(r"^(Look at|Predict|Then see):\s*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the docstring of a file teaches.

    Attributes:
        title: A few words.
        summary: What it is about, one sentence; may be empty.
        look: What to look at; empty where the docstring is not written as a lesson.
        predict: The question, before anything is run.
        see: The answer.
    """

    title: str
    summary: str = ""
    look: str = ""
    predict: str = ""
    see: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether all three parts are there."""
        return bool(self.look and self.predict and self.see)


def read_lesson(path: Path) -> Lesson:
    """What a file teaches, by its docstring. The file is not run.

    Without such a docstring the file's name is the title.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            return Lesson(_name(path))
        doc = _docstring_of(path.read_text("utf-8"))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return Lesson(_name(path))
    return parse_lesson(doc, _name(path))


def parse_lesson(doc: str, name: str) -> Lesson:
    """What a docstring teaches.

    Args:
        doc: Without indentation.
        name: The title where the first sentence has none.
    """
    first, *_ = _PARTS.split(doc, maxsplit=1)
    sentence = " ".join(first.split("\n\n", 1)[0].split()).partition(". ")[0]
    title, colon, summary = sentence.partition(": ")
    if not colon or len(title) > _MAX_TITLE_CHARACTERS:
        title, summary = name, sentence
    summary = summary[:1].upper() + summary[1 : _MAX_SUMMARY_CHARACTERS + 1]
    if summary and not summary.endswith((".", "?", "!")):
        summary += "."
    parts = _PARTS.split(doc)[1:]
    told = {
        head: " ".join(text.split()) for head, text in zip(parts[::2], parts[1::2], strict=True)
    }
    return Lesson(
        title,
        summary,
        upper_first(told.get("Look at", "")),
        upper_first(told.get("Predict", "")),
        upper_first(told.get("Then see", "")),
    )


def _name(path: Path) -> str:
    return path.stem.replace("_", " ").capitalize()


def _docstring_of(text: str) -> str:
    """A module's docstring; the program below an ordinary one is not parsed, which takes longer."""
    quotes = '"""'
    end = text.find(quotes, len(quotes))
    if text.startswith(quotes) and end > 0:
        return inspect.cleandoc(ast.literal_eval(text[: end + len(quotes)]))
    return ast.get_docstring(ast.parse(text)) or ""
