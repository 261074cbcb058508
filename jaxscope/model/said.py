"""Sentences that know their template, so that the window can say them in another language.

A `Said` is English text like any other. What joins it to other texts (`+`, `join`, an f-string)
gives text without a template: a sentence around a sentence is another call of `say`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from jaxscope.model.units import format_count, lower_first, upper_first

SENTENCES, LISTED, CLAUSES = "{first} {then}", "{first}, {then}", "{first}; {then}"
BOTH, EITHER = "{first} and {then}", "{first} or {then}"
LINES = "{first}\n{then}"
"""By which `say_joined` joins."""

NAMED, TOGETHER, BESIDE = "{name}: {meaning}", "{first}{then}", "{first} · {then}"
WITHIN = "{outer} / {inner}"

ENDED, WHOLE = "{text}.", "{text}"

COUNTED = "{count:,} "
"""What templates of counts begin with; behind it stands the noun in the singular."""


_TEXT = "said"
_FIELDS = re.compile(r"(?:[^{}]|\{\w+(?::,?(?:\.\d[fg])?|:g)?\})*")


class Said(str):
    """A sentence in English.

    Attributes:
        template: What it was made from: the key of its translation.
        values: What was put into the fields. Those that are `Said` are translated as well.
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, object]


def _make(text: str, template: str, values: Mapping[str, object]) -> Said:
    said = Said(text)
    said.template, said.values = template, values
    return said


def pack_said(said: Said) -> dict[str, Any]:
    """The sentence for a message or a file."""
    values = {
        name: pack_said(v)
        if isinstance(v, Said)
        else v
        if isinstance(v, str | int | float | None)
        else str(v)
        for name, v in said.values.items()
    }
    return {_TEXT: str(said), "template": said.template, "values": values}


def unpack_said(value: Any) -> Any:
    """The sentence that `pack_said` packed; everything else as it is.

    Raises:
        ValueError: It is none, or its template has fields that no sentence has.
    """
    if not isinstance(value, dict) or value.keys() != {_TEXT, "template", "values"}:
        return value
    text, template, values = value[_TEXT], value["template"], value["values"]
    if not isinstance(text, str) or not isinstance(template, str) or not isinstance(values, dict):
        raise ValueError("a sentence is no text")
    values = {name: unpack_said(each) for name, each in values.items()}
    if values and not _FIELDS.fullmatch(template):
        raise ValueError("the template of a sentence has strange fields")
    if not all(isinstance(each, str | int | float | None) for each in values.values()):
        raise ValueError("a sentence holds what is no text and no number")
    return _make(text, template, values)


def say(template: str, /, **values: object) -> Said:
    """A sentence, or a part of one.

    Args:
        template: A literal, or of a table of constants that `docs/write_translations.py` reads.
            With values it has fields as `str.format` has them.
    """
    return _make(template.format(**values) if values else template, template, values)


def said(text: str) -> Said:
    """A text that may be a sentence of a table: its own template."""
    return text if isinstance(text, Said) else say(text)


def template(text: str) -> str:
    """A template that stands in a table, so that `docs/write_translations.py` finds it."""
    return text


def say_count(count: int, noun: str) -> Said:
    """Such as `1,234 nodes` or `1 node`.

    Args:
        noun: In the singular: a literal.
    """
    return _make(format_count(count, noun), COUNTED + noun, {"count": count})


def on_each(num_devices: int) -> str:
    """What stands behind an amount of a program that several devices run."""
    many = say(", on each of {num_devices:,} devices", num_devices=num_devices)
    return many if num_devices > 1 else ""


def say_sentence(text: str) -> Said:
    """The text with a capital and a full stop; empty stays empty."""
    sentence = upper_first(text.strip())
    end = "" if not sentence or sentence.endswith(".") else "."
    return _make(sentence + end, ENDED if end else WHOLE, {"text": text})


def say_clause(text: str) -> Said:
    """The text as it stands behind a colon."""
    return _make(lower_first(text), WHOLE, {"text": text})


def say_joined(parts: Iterable[str], template: str = SENTENCES) -> Said:
    """Those that are not empty, one behind the other."""
    found, *others = [each for each in parts if each] or [""]
    said = say(WHOLE, text=found)
    for each in others:
        said = say(template, first=said, then=each)
    return said


def shorten_said(text: str, shorten: Callable[[str], str]) -> str:
    """A text that is cut to have room; a sentence keeps its template, another may not be as long.

    Args:
        shorten: Cuts a text; gives one that has room back as it is.
    """
    short = shorten(text)
    if short == text:
        return text
    return _make(short, text.template, text.values) if isinstance(text, Said) else short


def say_range(low: float, high: float, form: Callable[[float], str]) -> str:
    """Such as `1.2 MFLOP`, `1.2 MFLOP to 3.4 MFLOP` or `up to 3.4 MFLOP`."""
    least, most = form(low), form(high)
    if least == most or math.isnan(low):
        return most
    return (
        say("{low} to {high}", low=least, high=most) if low > 0 else say("up to {most}", most=most)
    )


def first_of(texts: Iterable[str], most: int) -> list[str]:
    """At most so many texts, and behind them how many more there are: `a`, `b`, `and 3 more`."""
    every = list(texts)
    rest = len(every) - most
    return [*every[:most], *([say("and {rest:,} more", rest=rest)] if rest > 0 else [])]


def join_first(texts: Iterable[str], most: int, separator: str = ", ") -> Said:
    """The same as one text, such as `a, b and 3 more`."""
    first = first_of(texts, most)
    told = separator.join(first[:most])
    return say_joined((told, *first[most:]))
