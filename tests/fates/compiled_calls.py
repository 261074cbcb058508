"""Capture a call with its passes in this process, and compile it again for XLA's own dumps."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jax

from bench import identity
from jaxscope.client.capture_assembler import CaptureAssembler
from jaxscope.model import Capture, Fate
from jaxscope.program.fates.table import FateTable
from jaxscope.wire.messages import Message
from jaxscope.worker.channel import Channel
from jaxscope.worker.compat import hide_frames_of, parse_hlo_module
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.source import read_source
from jaxscope.worker.provenance.traced_program import trace_call
from jaxscope.worker.stages.capture import send_capture
from jaxscope.worker.stages.machine_code import compile_with
from jaxscope.worker.targets.lowering import lower_for_target
from tests.fates.dumps import Dumps, Verdicts, check_fates, find_places

_RUNS = ("fused", "kernel", "library")
_GONE = ("dead", "merged", "simplified", "folded")

for _file in (__file__, identity.__file__):
    hide_frames_of(_file)  # they call the program and are no part of it


class _Ear(Channel):
    """A channel that ends in an assembler."""

    def __init__(self) -> None:
        super().__init__(-1)
        self.assembler = CaptureAssembler()

    def send(
        self, type: str, fields: Mapping[str, Any], arrays: Mapping[str, Any] | None = None
    ) -> None:
        self.assembler.feed(Message(type, {"run": "", **fields}, dict(arrays or {})))


def capture_call(call: Call, file: str = __file__, target: str = "cpu") -> Capture:
    """A capture of the call, with its passes."""
    ear = _Ear()
    send_capture({"target": target, "passes": True}, ear, read_source(file), call)
    return ear.assembler.capture()


def find_contradictions(capture: Capture) -> Iterator[str]:
    """Fates found without passes that say the opposite of what the recorded passes prove."""
    recorded = capture.fates
    assert isinstance(recorded, FateTable)
    yield from compare_fates(FateTable(capture.stages).derived, recorded.derived)


def compare_fates(alone: Mapping[str, Fate], recorded: Mapping[str, Fate]) -> Iterator[str]:
    """The same of the fates of the lowered equations, found without passes and with them."""
    for id, fate in alone.items():
        proven = recorded[id]
        if proven.certainty != "proven" or "unknown" in (fate.fate, proven.fate):
            continue
        if _told_call(fate) != _told_call(proven):
            continue  # of several calls of a shared function another one is known to run
        is_other = (
            (fate.fate in _GONE and proven.fate in _RUNS)
            or (fate.fate == "dead" and proven.fate not in _GONE)
            or (
                fate.fate in _RUNS
                and proven.fate in (*_GONE, *_RUNS)
                and set(fate.instructions).isdisjoint(proven.instructions)
            )
            or (
                fate.fate == "folded"
                and proven.fate == "merged"
                and any(recorded[other].fate in _RUNS for other in proven.merged_with)
            )
        )
        if is_other:
            yield f"{id}: {fate.fate} ({fate.certainty}): {fate.text}   [{proven.text}]"


def _told_call(fate: Fate) -> str:
    """Which call the fate of a shared function's equation is of, where its id does not say."""
    return fate.text.partition(" calls it: ")[0] if fate.text.startswith("As ") else ""


def _write_in_full(folder: Path) -> None:
    """Write dumps again in which XLA left out each get-tuple-element: `%tuple.1#0`, since 0.11."""
    for path in folder.glob("*.hlo.pb"):
        text = path.with_name(path.name.removesuffix(".hlo.pb") + ".txt")
        if text.exists() and re.search(r"%[\w.\-]+#\d", text.read_text("utf-8")):
            module = parse_hlo_module(_read_module(path))
            text.write_text(module.to_string(), "utf-8")


def _read_module(path: Path) -> bytes:
    """The module, which is the first field of what XLA dumps (`HloProto` in XLA's hlo.proto)."""
    data = path.read_bytes()
    assert data[0] == 1 << 3 | 2
    end = next(place for place in range(1, len(data)) if data[place] < 128) + 1
    size = sum((byte & 127) << 7 * place for place, byte in enumerate(data[1:end]))
    return data[end : end + size]


def hold_against_dumps(capture: Capture, call: Call, target: str = "cpu") -> dict[str, Verdicts]:
    """What XLA's dumps say of a capture's fates, found with and without recorded passes."""
    program = trace_call(call)
    plain = identity.trace_plain(call)
    places = find_places(
        identity.peel(plain.jaxpr, program.num_jits),
        lambda traceback: jax._src.source_info_util.user_frames(traceback),
        lower_for_target(plain, target, _Ear()).as_text(debug_info=True),
    )
    traced, _, numbers = program.tag_derived()
    with tempfile.TemporaryDirectory() as folder:
        options = {
            "xla_dump_to": folder,
            "xla_dump_hlo_pass_re": ".*",
            "xla_dump_hlo_as_text": True,
            "xla_dump_hlo_as_proto": True,
        }
        compile_with(lower_for_target(traced, target, _Ear()), options)
        _write_in_full(Path(folder))
        dumps = Dumps(Path(folder))
        recorded, alone = capture.fates, FateTable(capture.stages, None, target)
        assert isinstance(recorded, FateTable)
        order: dict[tuple[int, str], int] = {}
        met: dict[str, int] = {}
        for record in capture.passes:
            if record.number is not None:
                met[record.name] = met.get(record.name, -1) + 1
                order[record.number, record.name] = met[record.name]
        found = {}
        for way, table in (("recorded", recorded), ("alone", alone)):
            held = check_fates(table.derived, dumps, numbers, order, places)
            failed = {str(f.text) for f in table.values() if "a bug in jaxscope" in str(f.text)}
            found[way] = dataclasses.replace(held, refuted=(*held.refuted, *failed))
        return found
