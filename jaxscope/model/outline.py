"""What a file offers, found without running it: functions, calls, what its docstring teaches."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import io
import re
import tokenize
from pathlib import Path

TRANSFORMS = (
    *("grad", "value_and_grad", "vmap", "jit", "jvp", "vjp", "linearize"),
    *("jacfwd", "jacrev", "hessian", "checkpoint", "pmap", "shard_map"),
)
"""JAX's transforms that a call may name without `jax.`."""
_MAX_CALLS = 500
_OFFER = re.compile(r"#+\s*jaxscope:\s*(?P<call>\S.*)")


@dataclasses.dataclass(frozen=True, slots=True)
class OutlinedFunction:
    """A function, method or class of a file.

    Attributes:
        name: With its class, such as `Model.loss`.
        kind: `function`, `method` or `class`.
        line: 1-based line of its `def` or `class`.
        end_line: Its last line.
        signature: Such as `loss(params, x, *, scale=1.0) -> Array`, at most 300 characters.
        doc: Its docstring, at most 2,000 characters, or empty.
    """

    name: str
    kind: str
    line: int
    end_line: int
    signature: str
    doc: str


@dataclasses.dataclass(frozen=True, slots=True)
class OfferedCall:
    """A call that a comment of the file offers; `line` is 1-based."""

    call: str
    line: int


@dataclasses.dataclass(frozen=True, slots=True)
class Outline:
    """What a file contains."""

    functions: tuple[OutlinedFunction, ...]
    calls: tuple[OfferedCall, ...]
    doc: str


def find_offered_calls(text: str) -> tuple[OfferedCall, ...]:
    """Find the calls that comment lines `# jaxscope: CALL` offer, in order.

    Only real comments count, never a look-alike inside a string. At most 500.
    """
    if "jaxscope:" not in text:
        return ()
    calls: list[OfferedCall] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and (offer := _OFFER.fullmatch(token.string)):
                calls.append(OfferedCall(offer["call"].strip(), token.start[0]))
            if len(calls) == _MAX_CALLS:
                break
    except (tokenize.TokenError, SyntaxError):
        pass  # the offers before the broken place stand
    return tuple(calls)


# What a docstring teaches: what to look at, what to predict, and what one then sees.

_MAX_BYTES = 200_000
_MAX_SUMMARY_CHARACTERS = 120
_MAX_TITLE_CHARACTERS = 60
_PARTS = re.compile(r"^(Look at|Predict|Then see):\s*", re.MULTILINE)


@dataclasses.dataclass(frozen=True, slots=True)
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
        _sentence(told.get("Look at", "")),
        _sentence(told.get("Predict", "")),
        _sentence(told.get("Then see", "")),
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _name(path: Path) -> str:
    return path.stem.replace("_", " ").capitalize()


def _docstring_of(text: str) -> str:
    """A module's docstring; the program below an ordinary one is not parsed, which takes longer."""
    quotes = '"""'
    end = text.find(quotes, len(quotes))
    if text.startswith(quotes) and end > 0:
        return inspect.cleandoc(ast.literal_eval(text[: end + len(quotes)]))
    return ast.get_docstring(ast.parse(text)) or ""
