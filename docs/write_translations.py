"""Collects the texts of the interface for Qt's translation files, and compiles these.

    python docs/write_translations.py

writes `jaxscope/ui/toolkit/translations/jaxscope_zh_CN.ts` anew, with the translations that it
has, and makes the `.qm` beside it, which the window loads. A text without a translation is marked
`unfinished` and listed. The `.ts` can be edited by hand or with Qt Linguist.
"""

from __future__ import annotations

import ast
import enum
import importlib
import itertools
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

import PySide6

from jaxscope.model.lessons import read_lesson
from jaxscope.model.said import COUNTED
from jaxscope.model.words import TERMS
from jaxscope.program.cards import read_cards

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "jaxscope"
SOURCE = PACKAGE / "ui" / "toolkit" / "translations" / "jaxscope_zh_CN.ts"

TABLES = {
    "jaxscope.export.choices": ("FORMATS",),
    "jaxscope.export.figures": ("COMPILE_KINDS", "TIMELINE_KINDS", "WATERFALL_KINDS"),
    "jaxscope.model.capture": ("Severity",),
    "jaxscope.model.said": (
        *("SENTENCES", "LISTED", "CLAUSES", "BOTH", "EITHER", "LINES", "NAMED", "ENDED", "WHOLE"),
        *("TOGETHER", "BESIDE", "WITHIN"),
    ),
    "jaxscope.model.graph": ("PART_NAMES",),
    "jaxscope.model.stages": ("JAXPR", "LATE_KINDS"),
    "jaxscope.model.types": ("MANUAL_AXES",),
    "jaxscope.model.words": ("TERMS",),
    "jaxscope.model.timing": ("NOISES", "WITHOUT_JIT", "TRANSFORMED"),
    "jaxscope.picture.palette": ("STYLE_NAMES", "FRAME_NAMES", "LINE_NAMES"),
    "jaxscope.picture.view.build": ("PASSES",),
    "jaxscope.picture.tint.classes": ("ColourBy", "FATES"),
    "jaxscope.picture.tint.diff_marks": ("STYLES",),
    "jaxscope.program.cost.attribution": ("RowKind",),
    "jaxscope.program.fates.derived": ("LOWERED",),
    "jaxscope.program.explanations": ("PRIMITIVES", "COMPILER_OPERATIONS", "_BY_KIND"),
    "jaxscope.program.recompilation": ("KEY_CHANGE_TEXTS",),
    "jaxscope.program.size": ("_NOUNS", "_OTHERS"),
    "jaxscope.report.compilations": ("_HEADERS", "_TRANSFER_HEADERS"),
    "jaxscope.report.diff": ("_HEADERS",),
    "jaxscope.report.fusion": ("_LOG_HEADERS",),
    "jaxscope.report.measurement_documents": ("LINE_HEADERS",),
    "jaxscope.report.measurements": (
        *("LEAF_HEADERS", "SIGNATURE_HEADERS", "EQUATION_HEADERS", "TRIAL_HEADERS"),
        *("FORM_WORDS", "_OUTCOMES"),
    ),
    "jaxscope.report.memory": ("_ALIVE_HEADERS", "HEADERS"),
    "jaxscope.report.roofline": ("HEADERS",),
    "jaxscope.report.stepping": ("VALUE_HEADERS",),
    "jaxscope.report.targets": ("HEADERS",),
    "jaxscope.report.tracing": ("LINE_HEADERS", "_OF_IF"),
    "jaxscope.report.values": ("_OF_FORM",),
    "jaxscope.worker.faults.remedies": ("TABLE",),
    "jaxscope.ui.pages": ("PAGES",),
    "jaxscope.ui.pages.compare": ("_SAVE_FILTERS",),
    "jaxscope.ui.pages.comparison_view": ("_COLUMNS",),
    "jaxscope.ui.pages.fusions": ("HEADERS",),
    "jaxscope.ui.pages.passes": ("HEADERS",),
    "jaxscope.ui.pages.recompilation": ("_HEADERS",),
    "jaxscope.ui.pages.roofline": ("_CHOICES", "_MODULES", "_NOUNS"),
    "jaxscope.ui.pages.scaling": ("PRESETS",),
    "jaxscope.ui.pages.stepping": ("_MOVES", "_LINE_HINTS", "_CHOICES", "_COMPARED"),
    "jaxscope.ui.pages.timing": ("HEADERS", "_HINTS", "MEANINGS"),
    "jaxscope.ui.panes.node_table": ("HEADERS",),
    "jaxscope.ui.panes.outline": ("HEADERS",),
    "jaxscope.ui.selection.inspector": ("_KINDS",),
    "jaxscope.ui.session.call_text": ("OFFERED_TRANSFORMS",),
    "jaxscope.ui.session.screen": ("Condition", "TIME_MARKS"),
    "jaxscope.ui.source.code_view": ("_MARK_NAMES",),
    "jaxscope.ui.source.source_lines": ("NEW_LINE",),
    "jaxscope.ui.window.call_bar": ("_AXES",),
    "jaxscope.ui.window.commands": ("COMMANDS", "MORE_KEYS"),
    "jaxscope.ui.window.exporter": ("ExportExtent", "_EXPLAINED", "_THEMES"),
    "jaxscope.ui.window.lesson_strip": ("HEADS",),
    "jaxscope.ui.window.places": ("Place",),
    "jaxscope.ui.window.sample_path": ("PATH",),
}
"""Tables whose texts are translated when they are shown, by module."""

OF_REPORTS = (
    *("read at", "read by", "what became of it", "sends", "rounds", "devices together", "between"),
    *("devices", "path", "whole", "spec", "on a device", "how", "module", "share", "shape"),
    *("why not", "Graph", "Text", "Table", "Tree", "temporary", "thread-local"),
    *("ways", "size", "eager/jit", "pays off after", "alone", "of all work", "with calls", "code"),
    *("where", "began", "ended", "duration", "what it is", "takes, median", "high", "low", "time"),
    *("seconds", "confidence", "from", "share", "FLOP"),
    *("with inside", "observed", "times", "instruction", "operation"),
    *("faster", "slower", "same", "operation", "types", "attributes", "operands", "cost", "group"),
    *("scope", "place", "devices", "argument", "result", "memory", "arithmetic"),
)
"""Titles of columns of reports, and words of their cells; forms of a pane."""

COLUMNS = {"_MOVES": (1, 2), "MORE_KEYS": (1,), "_AXES": (0,), "FATES": (1,)}
"""Of tables whose rows are tuples: where texts stand that are shown."""

OF_QT = {"&Look in:": "查找范围(&L)：", "Files of &type:": "文件类型(&T)："}
"""Texts of Qt's `QFileDialog` that Qt's own file lacks: it has older ones."""

NOUNS = {"_NOUNS", "_OTHERS"}
"""Tables of nouns in the singular that `tr_count` is given."""

SHOWN = {
    *(
        "menu",
        "text",
        "hint",
        "title",
        "answers",
        "effect",
        "question",
        "meaning",
        "value",
        "group",
    ),
    *("group", "what", "remedy", "of_call", "reason", "words"),
}
"""Fields of rows that are shown."""


def find_texts() -> set[str]:
    """Every text that `tr`, `tr_count`, `say` or `say_count` may be given, in English."""
    names = (term.name for term in TERMS)
    found = {t for t in (*_of_tables(), *_of_cards(), *of_samples(), *names, *OF_REPORTS) if t}
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if _SAYS.search(text):
            found.update(_of_module(ast.parse(text)))
    return found


def of_samples() -> Iterator[str]:
    """What the docstrings of the samples teach; `read_lesson_shown` translates it."""
    for path in sorted((ROOT / "samples").glob("*.py")):
        told = read_lesson(path)
        yield from (told.title, told.summary, told.look, told.predict, told.see)


def _of_cards() -> Iterator[str]:
    for card in (card for cards in read_cards() for card in cards.values()):
        yield from (card.when, card.shapes, card.derivative, *card.surprises)


_SAYS = re.compile(r"\b(tr|say|template|tr_count|say_count)\(")
"""What a module says begins so."""


def _of_module(tree: ast.Module) -> Iterator[str]:
    constants: dict[str, ast.expr] = {}
    calls: list[tuple[str, ast.Call]] = []
    for each in ast.walk(tree):
        if isinstance(each, ast.Call):
            if isinstance(each.func, ast.Name):
                calls.append((each.func.id, each))
        elif isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
            constants[each.targets[0].id] = each.value
        elif isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Tuple):
            values = each.value.elts if isinstance(each.value, ast.Tuple) else []
            pairs = zip(each.targets[0].elts, values, strict=False)
            constants |= {n.id: v for n, v in pairs if isinstance(n, ast.Name)}
    for name, call in calls:
        is_whole = name in ("tr", "say", "template")
        given = call.args[0] if is_whole else None
        if name in ("tr_count", "say_count") and len(call.args) == 2:
            given = call.args[1]
        if isinstance(given, ast.Name):
            given = constants.get(given.id)
        if isinstance(given, ast.Constant) and isinstance(given.value, str) and given.value:
            yield given.value if is_whole else COUNTED + given.value


def _of_tables() -> Iterator[str]:
    for module, names in TABLES.items():
        for name in names:
            table = getattr(importlib.import_module(module), name)
            if name in COLUMNS:
                table = [row[column] for row in table for column in COLUMNS[name]]
            yield from _texts_in(table)
            if name in NOUNS:
                befores = ("", "other ") if module == "jaxscope.program.size" else ("",)
                nouns = itertools.product(befores, _texts_in(table))
                yield from (f"{COUNTED}{before}{noun}" for before, noun in nouns)


def _texts_in(table: object) -> Iterator[str]:
    if isinstance(table, str):
        yield table
    elif isinstance(table, dict):
        yield from _texts_in([*table.values()])
    elif isinstance(table, tuple | list | enum.EnumType):
        for row in table:
            yield from _texts_in(row)
    else:
        values = (getattr(table, field, None) for field in SHOWN)
        yield from (value for value in values if isinstance(value, str))


def read_translations(path: Path = SOURCE) -> dict[str, str]:
    """Finished translations by their English texts."""
    if not path.exists():
        return {}
    found = {}
    for message in ET.parse(path).getroot().iterfind("context[1]/message"):
        translation = message.find("translation")
        if translation is not None and translation.get("type") is None:
            found[message.findtext("source") or ""] = translation.text or ""
    return found


def format_source(texts: set[str], known: dict[str, str]) -> str:
    """The `.ts` file."""
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!DOCTYPE TS>",
        '<TS version="2.1" language="zh_CN" sourcelanguage="en">',
        "<context>",
        "    <name>jaxscope</name>",
    ]
    for text in sorted(texts):
        told = known.get(text)
        translation = (
            '<translation type="unfinished"></translation>'
            if told is None
            else f"<translation>{escape(told)}</translation>"
        )
        lines += [
            "    <message>",
            f"        <source>{escape(text)}</source>",
            f"        {translation}",
            "    </message>",
        ]
    lines += ["</context>", "<context>", "    <name>QFileDialog</name>"]
    for text, told in OF_QT.items():
        lines += [
            "    <message>",
            f"        <source>{escape(text)}</source>",
            f"        <translation>{escape(told)}</translation>",
            "    </message>",
        ]
    return "\n".join([*lines, "</context>", "</TS>", ""])


def compile_source(source: Path, place: Path) -> None:
    """Make the `.qm` file that Qt reads."""
    program = Path(PySide6.__file__).parent / "lrelease"
    subprocess.run([program, "-silent", source, "-qm", place], check=True)


if __name__ == "__main__":
    all_texts, translated = find_texts(), read_translations()
    SOURCE.write_text(format_source(all_texts, translated), encoding="utf-8")
    compile_source(SOURCE, SOURCE.with_suffix(".qm"))
    missing = sorted(all_texts - translated.keys())
    print(f"{len(all_texts) - len(missing):,} of {len(all_texts):,} texts are translated.")
    sys.exit("\n".join(missing) if missing else 0)
