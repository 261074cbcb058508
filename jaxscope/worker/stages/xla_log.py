"""What XLA writes to standard error while it compiles, read as notes about equations.

XLA names the instruction that it warns about, with the tags of this program in its name: a person
can do nothing with those, and with the equation and its line much. Lines that are no such warning
go where they would have gone.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import threading
import warnings
from collections.abc import Iterator

from jaxscope.model.graph import Graph
from jaxscope.model.op_name import TagTable, read_op_name, strip_tags

_OP_NAME = re.compile(r'op_name="([^"]*)"')
_TYPE = re.compile(r"= (\(?[a-z]\w*\[[\d,]*\])")
_REMATERIALIZED = re.compile(
    r"Involuntary full rematerialization\. The compiler (?:cannot|was not able to) go from "
    r"sharding (?P<before>\{.*?\}) to (?P<after>\{.*?\})(?: efficiently| without)"
)
_FOLDING = re.compile(r"(Constant folding an instruction is taking > ?[^:\s]+)")
_AFTER_FOLDING = (
    "This isn't necessarily a bug",
    "If you'd like to file a bug",
    "The operation took",
)
_DONATED = "Some donated buffers were not usable"


@dataclasses.dataclass(frozen=True, slots=True)
class LogNote:
    """One warning, ready to be a check.

    Attributes:
        rule: Stable name.
        message: In sentences, without the place.
        remedy: What to try.
        op_name: Of the instruction, with tags; empty where it has none.
    """

    rule: str
    message: str
    remedy: str
    op_name: str = ""


class XlaLog:
    """Stands in for standard error while it is open, and keeps the warnings that it knows."""

    def __init__(self) -> None:
        self.notes: list[LogNote] = []
        self._is_folding = False
        self._folding = ""

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Read what is written to the descriptor of standard error, by whatever thread."""
        saved = os.dup(2)
        begin, end = os.pipe()
        os.dup2(end, 2)
        os.close(end)
        reader = threading.Thread(
            target=self._read, args=(begin, saved), name="jaxscope log", daemon=True
        )
        reader.start()
        try:
            yield
        finally:
            os.dup2(saved, 2)  # closes the last writing end, so that the reader ends
            reader.join(5.0)
            os.close(saved)

    def _read(self, source: int, target: int) -> None:
        with os.fdopen(source, "rb") as stream:
            for line in stream:
                if not self._take(line.decode("utf-8", "replace")):
                    with contextlib.suppress(OSError):
                        os.write(target, line)

    def _take(self, line: str) -> bool:
        """Whether a line is part of a warning that is kept."""
        found = _REMATERIALIZED.search(line)
        if found is not None:
            self._keep(_rematerialized(found, line))
            return True
        folding = _FOLDING.search(line)
        if folding is not None:
            self._is_folding, self._folding = True, folding[1]
            return True
        if self._is_folding and (not line.strip() or line.lstrip().startswith("%")):
            if line.strip():
                self._keep(_folded(self._folding, line))
                self._folding = ""
            return True
        self._is_folding = self._is_folding and any(word in line for word in _AFTER_FOLDING)
        return self._is_folding

    def _keep(self, note: LogNote) -> None:
        if note not in self.notes:  # XLA may fold an instruction in several passes
            self.notes.append(note)


def _rematerialized(found: re.Match[str], line: str) -> LogNote:
    type = _TYPE.search(line)
    return LogNote(
        "involuntary-rematerialization",
        f"XLA puts {type[1] if type else 'a value'} together whole on every device and cuts it "
        f"anew, to go from the sharding {found['before']} to {found['after']}: it knows no better "
        "way between these two.",
        "Choose shardings that differ along fewer axes, or go through one that is between them.",
        _name_in(line),
    )


def _folded(told: str, line: str) -> LogNote:
    type = _TYPE.search(line)
    return LogNote(
        "slow-constant-folding",
        f"{told}: XLA computes {type[1] if type else 'a value'}, which depends on no argument, "
        "while it compiles.",
        "Pass what is large as an argument, or keep it from being a constant.",
        _name_in(line),
    )


def _name_in(line: str) -> str:
    found = _OP_NAME.search(line)
    return found[1] if found else ""


@contextlib.contextmanager
def catching_donations(notes: list[LogNote]) -> Iterator[None]:
    """Keep JAX's warning of donated arguments that no result can be written over."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        text = str(warning.message)
        if text.startswith(_DONATED):
            types = text.partition(":")[2].partition("\n")[0].strip().rstrip(".")
            notes.append(
                LogNote(
                    "donation-unused",
                    f"Donated, and no result can be written over it: {types}.",
                    "Donate what a result of the same shape and type replaces. "
                    "See https://docs.jax.dev/en/latest/faq.html#buffer-donation",
                )
            )
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


def place_note(note: LogNote, tags: TagTable, graph: Graph) -> tuple[str, str, int]:
    """A note's message with its equation, and the file and line of that.

    Args:
        note: The note.
        tags: What the tags in its name stand for.
        graph: Of the last jaxpr-level stage.
    """
    for id in read_op_name(note.op_name, tags).derived:
        node = graph.index_by_id.get(id)
        if node is None:
            continue
        places = graph.source(node)
        file, line = (places[0].file, places[0].line) if places else ("", 0)
        where = f", {os.path.basename(file)}:{line}" if file else ""
        operation = graph.operation(node)
        return f"{note.message} It is of equation {id} ({operation}{where}).", file, line
    name = strip_tags(note.op_name)
    return note.message + (f" It is of {name}." if name else ""), "", 0
