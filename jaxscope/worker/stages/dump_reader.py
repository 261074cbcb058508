"""Read what a job left behind: modules and texts of dump folders and of single files, as stages.

Nothing of it is run. What cannot be read costs its own stage. XLA's and MLIR's parsers look at
files of strangers here, in a process that may die of them.
"""

from __future__ import annotations

import contextlib
import gc
import os
import re
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from jaxscope.errors import SourceError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.file_kinds import BYTE_ORDER_MARK, HEAD_BYTES, FileForm, recognise
from jaxscope.model.graph import graph_to_arrays
from jaxscope.model.op_name import TagTable
from jaxscope.model.protobuf import BYTES, read_fields, read_varint
from jaxscope.model.said import said, say
from jaxscope.wire.job_files import MAX_FILE_BYTES, read_head, read_whole
from jaxscope.worker.channel import Channel
from jaxscope.worker.stages.hlo_cost import (
    UNKNOWN,
    array_of_module,
    instruction_costs,
    module_cost,
)
from jaxscope.worker.stages.machine_code import MAX_CODE_BYTES, MachineCode, kernel_files
from jaxscope.worker.stages.passes import (
    AFTER_NAME,
    MAX_PASSES,
    MAX_TOTAL_BYTES,
    dumped_pass,
    find_gaps,
)
from jaxscope.worker.stages.sender import TITLES, StageSender

try:
    from jaxscope.worker import compat
    from jaxscope.worker.stages.stablehlo import (
        convert_stablehlo,
        link_stablehlo_lines,
        print_module,
    )
except Exception:  # missing or broken in a way of its own: what needs no parser is opened
    HAS_JAX = False
else:
    HAS_JAX = True

NO_PARSER = say("It takes jaxlib's parser, and JAX cannot be imported here.")
NOT_THERE = {
    "stablehlo": say("The files that were opened hold no StableHLO of it."),
    "hlo": say("The files that were opened hold no HLO before optimization."),
    "optimized": say("The files that were opened hold no HLO after optimization."),
    "machine": say("The files that were opened hold no machine code."),
}
_CODE_OF_CACHE = say("Machine code in an entry of the compilation cache is not read.")
_SOME_PASSES = say(
    "The dump holds the modules of some passes only. A row 'all up to' a pass is "
    "the work of that pass and of all others since the module before."
)
_COST_BUDGET_S = 2.0
_MAX_TEXT = 64 << 20
_LARGE, _S_PER_BYTE, _MOST_S = 8 << 20, 6e-8, 20.0
"""Bytes of a module whose picture takes seconds, about how long that is for a byte, and the most
that it is waited for.
"""
_COMPUTATION, _SCHEDULE, _ALIAS = 3, 7, 8
"""Fields of an `HloModuleProto`."""
_EXPORTED_MODULE = 30
"""Where the table of `Exported` says where the field `mlir_module_serialized` is."""
_MODULE_OF_PROTO = 1
_METADATA_PLANE = b"/host:metadata"
_PLANES, _NAME, _METADATA, _VALUE, _STATS, _BYTES_OF_STAT = 1, 2, 4, 2, 5, 6
"""Fields of an `XSpace`, of its planes and of what these say of events."""
_MAX_NESTING = 3
_ZLIB, _FIRST_FIELD = b"\x78", b"\x0a"
"""How what zlib packed, and messages, begin."""
_TIME_BYTES = 4


def handle_open(request: dict[str, Any], channel: Channel) -> None:
    """Answer an `open` request: the stages of one module.

    Raises:
        SourceError: Nothing of it could be read.
    """
    gc.disable()  # it would go through millions of pieces; the process ends soon
    try:
        _Reading(request, channel).run()
    finally:
        gc.enable()


@dataclass(frozen=True, slots=True)
class _Hlo:
    """An HLO module that was read.

    Attributes:
        proto: Serialized; empty where there is only a text, which jaxlib does not take.
        text: As the file has it; None where that is no text.
        reason: Why there is no proto.
    """

    proto: bytes
    text: Callable[[], str] | None
    reason: str = ""


class _Reading:
    def __init__(self, request: dict[str, Any], channel: Channel) -> None:
        self._name = str(request.get("name") or "")
        self._label = str(request.get("label") or self._name)
        self._platform = str(request.get("platform") or "")
        self._files: dict[str, list[str]] = {
            str(role): list(map(str, paths)) for role, paths in dict(request["files"]).items()
        }
        self._is_drawn = bool(request.get("is_drawn"))
        self._channel = channel
        self._sender = StageSender(channel)
        self._problems: list[SourceError] = []
        self._num_read = 0
        self._parsed: tuple[bytes, Any] = (b"", None)

    def run(self) -> None:
        """Send every stage that is there, and of the others that they are not."""
        self._send_head()
        self._read_jaxpr()
        self._read_stablehlo()
        modules = self._read_modules()
        self._read_machine_code()
        self._let_draw(sum(len(hlo.proto) for hlo in modules.values()))
        for stage, hlo in modules.items():  # the graphs are drawn meanwhile
            self._send_costs(stage, hlo)
            self._add_text(stage, self._find_text(stage, hlo))
            self._sender.send_texts()  # of what is parsed for its costs
        self._sender.send_texts()
        self._read_passes(modules)
        if not self._num_read and self._problems:
            raise self._problems[0]
        for problem in self._problems:
            explanation = problem.explanation
            self._channel.message(f"{explanation.what} {explanation.why}".strip())

    def _let_draw(self, num_bytes: int) -> None:
        """Leave processors and memory to a window, which has two threads at the graphs."""
        if self._is_drawn and num_bytes > _LARGE:
            time.sleep(min(num_bytes * _S_PER_BYTE, _MOST_S))

    def _send_head(self) -> None:
        base = re.sub(r"^p?jit_", "", self._name)
        self._channel.send(
            "head",
            {
                "call": self._label,
                "base": base,
                "transforms": [],
                "source": {"file": "", "line": 0, "text": ""},
                "environment": {"platform": self._platform},
                "target": self._platform,
                "arguments": [],
                "results": [],
            },
        )

    def _first(self, role: str) -> str:
        return next(iter(self._files.get(role, ())), "")

    def _read_jaxpr(self) -> None:
        """The text of a jaxpr; it is not read as a graph."""
        path = self._first("jaxpr")
        if not path:
            return
        try:
            text = read_whole(path, _MAX_TEXT).decode("utf-8", "replace")
        except SourceError as error:
            self._problems.append(error)
            return
        self._num_read += 1
        self._sender.send_stage("jaxpr", f"Jaxpr of {self._name}", None, "none", UNKNOWN)
        self._channel.message(
            say("JAX's dump has the jaxpr as a text, which is not drawn as a graph.")
        )
        self._sender.add_text("jaxpr", lambda: (text, None))

    def _read_stablehlo(self) -> None:
        title, path = TITLES["stablehlo"], self._first("stablehlo")
        if not path:
            self._sender.send_unavailable("stablehlo", title, NOT_THERE["stablehlo"])
            return
        self._channel.progress("stablehlo", say("Reading {name}", name=os.path.basename(path)))
        try:
            data = read_whole(path).removeprefix(BYTE_ORDER_MARK)
            if not HAS_JAX and recognise(data[:HEAD_BYTES]) is FileForm.MLIR_TEXT:
                self._send_text_alone("stablehlo", data.decode("utf-8", "replace"), path)
                return
            module = _parse_mlir(path, data)
        except SourceError as error:
            self._give_up("stablehlo", error)
            return
        self._num_read += 1
        try:
            converted = convert_stablehlo(module, TagTable(), {})
        except Exception as error:  # a module may be stranger than any list of errors
            reason = say("It could not be drawn: {name}.", name=type(error).__name__)
            self._sender.send_stage("stablehlo", title, None, "none", UNKNOWN)
            self._channel.message(say("{path}: {reason}", path=path, reason=reason))
            self._sender.add_text("stablehlo", lambda: (print_module(module), None))
            return

        for note in converted.notes:
            self._channel.message(say("{path}: {reason}", path=path, reason=note))

        def text() -> tuple[str, Any]:
            printed = print_module(module)
            return printed, link_stablehlo_lines(printed, converted)

        arrays = graph_to_arrays(converted.graph)
        self._sender.send_stage("stablehlo", title, None, "graph", UNKNOWN, arrays)
        self._sender.add_text("stablehlo", text)

    def _send_text_alone(self, stage: str, text: str, path: str) -> None:
        self._num_read += 1
        self._sender.send_stage(stage, TITLES[stage], None, "none", UNKNOWN)
        self._channel.message(
            say("{path} is shown as text, without a graph. {why}", path=path, why=NO_PARSER)
        )
        self._sender.add_text(stage, lambda: (text, None))

    def _read_modules(self) -> dict[str, _Hlo]:
        found: dict[str, _Hlo] = {}
        if path := self._first("module"):
            hlo = self._read_hlo("hlo", path)
            if hlo is not None:
                found["optimized" if _is_scheduled(hlo.proto) else "hlo"] = hlo
        for stage in ("hlo", "optimized"):
            path = self._first(stage)
            if stage not in found and path:
                hlo = self._read_hlo(stage, path)
                if hlo is not None:
                    found[stage] = hlo
        cached = self._first("cached")
        if cached and (module := self._read_cached(cached)):
            found["optimized"] = _Hlo(module, None)
        recorded = self._first("recorded")
        if recorded:
            hlo = self._read_hlo("optimized", recorded, self._label.rpartition("/")[2])
            if hlo is not None:
                found["optimized"] = hlo
        for stage in ("hlo", "optimized"):
            if stage in found:
                self._send_hlo(stage, found[stage])
            elif not self._first(stage) and not (stage == "optimized" and (recorded or cached)):
                self._sender.send_unavailable(stage, TITLES[stage], NOT_THERE[stage])
        return found

    def _read_hlo(self, stage: str, path: str, recorded: str = "") -> _Hlo | None:
        """An HLO module; where it is `recorded`, the one of that name in a profile."""
        self._channel.progress(stage, say("Reading {name}", name=os.path.basename(path)))
        try:
            return read_recorded(path, recorded) if recorded else read_hlo(path)
        except SourceError as error:
            self._give_up(stage, error)
            return None

    def _read_cached(self, path: str) -> bytes:
        self._channel.progress("optimized", say("Reading {name}", name=os.path.basename(path)))
        try:
            module, seconds = read_cache_entry(path)
        except SourceError as error:
            self._give_up("optimized", error)
            return b""
        took = say("{seconds} s", seconds=seconds) if seconds else say("under 1 s")
        self._channel.message(
            say(
                "This is from JAX's persistent compilation cache: compiling took {took}. Names and "
                "lines are those of the program that was compiled first; a later one that differs "
                "in nothing else uses the same entry.",
                took=took,
            )
        )
        return module

    def _send_hlo(self, stage: str, hlo: _Hlo) -> None:
        self._num_read += 1
        title = TITLES[stage]
        if not hlo.proto:
            self._sender.send_stage(stage, title, None, "none", UNKNOWN)
            self._channel.message(hlo.reason)
            return
        arrays = {"proto": array_of_module(hlo.proto)}
        self._sender.send_stage(stage, title, None, "hlo", UNKNOWN, arrays)
        if stage == "optimized":
            self._send_memory(hlo)

    def _send_costs(self, stage: str, hlo: _Hlo) -> None:
        """What a module that was sent costs, as far as XLA can say."""
        if not (HAS_JAX and hlo.proto):
            return
        name = said(TITLES[stage])
        self._channel.progress("cost", say("Counting the work of the stage {stage}", stage=name))
        try:
            client = compat.cpu_client()
            of_each = instruction_costs(hlo.proto, client=client, budget_s=_COST_BUDGET_S)
            of_all = module_cost(client, lambda: self._parse(hlo.proto))
        except Exception:  # the program is drawn by now; its costs stay unknown
            return
        self._channel.send(
            "cost", {"name": stage, "cost": list(of_all)}, {"instruction_cost": of_each}
        )

    def _parse(self, proto: bytes) -> Any:
        """jaxlib's `HloModule`: the last one is kept, which its costs and its text are read from.

        100 MB take it 5 s and 2 GB.
        """
        if self._parsed[0] is not proto:
            self._parsed = (b"", None)  # never two at once
            self._parsed = (proto, compat.parse_hlo_module(proto))
        return self._parsed[1]

    def _find_text(self, stage: str, hlo: _Hlo) -> Callable[[], str] | None:
        """What gives the text of a module: without jaxlib, what XLA dumped beside it."""
        if hlo.text or (HAS_JAX and hlo.proto):
            return hlo.text or (lambda: self._parse(hlo.proto).to_string())
        for path in self._files.get(stage, ()):
            with contextlib.suppress(SourceError):
                if recognise(read_head(path)) is FileForm.HLO_TEXT:
                    return lambda: read_whole(path).decode("utf-8", "replace")
        return None

    def _add_text(self, stage: str, make_text: Callable[[], str] | None) -> None:
        if make_text is not None:
            self._sender.add_text(stage, lambda: (make_text(), None))
        else:
            self._channel.send("text_missing", {"name": stage, "reason": NO_PARSER})

    def _send_memory(self, hlo: _Hlo) -> None:
        if path := self._first("assignment"):
            try:
                text = read_whole(path, _MAX_TEXT)
            except SourceError as error:
                self._problems.append(error)
            else:
                aliased = {"aliased": aliased_parameters(hlo.proto)}
                self._channel.send(
                    "buffer_assignment", aliased, {"utf8": np.frombuffer(text, np.uint8)}
                )

    def _read_machine_code(self) -> None:
        paths = [Path(path) for path in self._files.get("code", ())]
        title = TITLES["machine"]
        if not paths:
            reason = _CODE_OF_CACHE if self._first("cached") else NOT_THERE["machine"]
            self._sender.send_unavailable("machine", title, reason)
            return
        self._channel.progress("machine", say("Reading machine code"))
        try:
            found, left_out = kernel_files(paths, MAX_CODE_BYTES, is_own=False)
        except OSError as error:
            self._sender.send_unavailable("machine", title, error.strerror or str(error))
            return
        if not found:
            reason = say("None of the files that were opened holds the code of a kernel.")
            self._sender.send_unavailable("machine", title, reason)
            return
        self._num_read += 1
        machine = MachineCode(
            tuple(code.kernel for code in found),
            tuple(code.form for code in found),
            tuple(code.data for code in found),
            left_out,
        )
        self._sender.send_machine(machine, None)

    def _read_passes(self, modules: dict[str, _Hlo]) -> None:
        paths = self._files.get("pass", [])
        if not paths:
            return
        reason: str | None = None
        total = 0
        if "hlo" in modules and modules["hlo"].proto:
            self._send_pass("", "", None, modules["hlo"].proto)
        steps = [(p, step) for p in paths if (step := dumped_pass(os.path.basename(p)))]
        gaps = find_gaps([step for _, step in steps])
        if gaps:
            self._channel.message(_SOME_PASSES)
        for number, (path, step) in enumerate(steps):
            self._channel.progress(
                "passes",
                say("Reading pass {number} of {total}", number=number + 1, total=len(paths)),
            )
            if number >= MAX_PASSES or total > MAX_TOTAL_BYTES:
                reason = say(
                    "Only the first {number} passes were read: there are {total}.",
                    number=number,
                    total=len(paths),
                )
                break
            try:
                hlo = read_hlo(path)
            except SourceError as error:
                reason = f"{error.explanation.what} {error.explanation.why}"
                continue
            if not hlo.proto:
                reason = hlo.reason
                continue
            total += len(hlo.proto)
            name = f"all up to {step.name}" if number in gaps else step.name
            self._send_pass(step.pipeline, name, step.number, hlo.proto)
        if reason is None and "optimized" in modules and modules["optimized"].proto:
            self._send_pass("", AFTER_NAME, None, modules["optimized"].proto)
        untimed = say("XLA's dump does not say how long a pass took.")
        self._channel.send("passes_end", {"seconds": 0.0, "reason": reason, "no_times": untimed})

    def _send_pass(self, pipeline: str, name: str, number: int | None, proto: bytes) -> None:
        fields = {"pipeline": pipeline, "name": name, "cost": list(UNKNOWN), "number": number}
        self._channel.send("pass", fields, {"proto": array_of_module(proto)})

    def _give_up(self, stage: str, error: SourceError) -> None:
        """Send a stage that cannot be read, with the reason."""
        explanation = error.explanation
        why = " ".join(f"{explanation.what} {explanation.why}".split())
        self._sender.send_unavailable(stage, TITLES[stage], why[:1000])
        self._problems.append(error)


def read_hlo(path: str) -> _Hlo:
    """Read an HLO module, as text or as a proto.

    Raises:
        SourceError: The file cannot be read, or is no HLO module.
    """
    data = read_whole(path).removeprefix(BYTE_ORDER_MARK)
    form = recognise(data[:HEAD_BYTES])
    if form is FileForm.HLO_TEXT:
        text = data.decode("utf-8", "replace")
        if not HAS_JAX:
            told = f"{path} is shown as text, without a graph. {NO_PARSER}"
            return _Hlo(b"", lambda: text, told)
        try:
            return _Hlo(_parse(text), lambda: text)
        except Exception as error:  # jaxlib's own classes
            why = _first_lines(error)
            version = compat.jaxlib_version()
            return _Hlo(
                b"",
                lambda: text,
                f"{path}: jaxlib {version} cannot parse this text, so there is no graph: {why}",
            )
    if form is FileForm.HLO_PROTO:
        module = cut_out_module(data)
        if module:
            return _Hlo(module, None)
        raise _no_module(
            path, say("It begins as a serialized module does, but is damaged or cut off.")
        )
    raise _no_module(
        path, "" if form is None else say("By its content it is {form}.", form=said(form.value))
    )


def _parse(text: str) -> bytes:
    """The serialized module; a bad text raises jaxlib's own errors."""
    try:
        return compat.serialized_hlo_of_text(text)
    except Exception:
        readable = write_elements(text).replace(_UNSPECIFIED_VERSION, "")
        if readable == text:
            raise
        return compat.serialized_hlo_of_text(readable)


_UNSPECIFIED_VERSION = ", api_version=API_VERSION_UNSPECIFIED"
"""XLA writes it at custom calls that PyTorch/XLA and others make, and does not read it."""
_UNKNOWN_DIALECT = re.compile(r"Dialect `[^']*' not found for custom op")
_ELEMENT = re.compile(r'"(?:[^"\\]|\\.)*"|(%[\w.\-]+)((?:#\d+)+)')
_TUPLE = re.compile(r"\s+(?:ROOT )?(%[\w.\-]+) = (\(.*)")


def write_elements(text: str) -> str:
    """HLO text with a get-tuple-element for each `%tuple#1`, as XLA writes it since JAX 0.11.

    An older XLA cannot read that. The names of those instructions are not in the text: these are
    called `%tuple.element.1`. Linear in the text.
    """
    lines: list[str] = []
    types: dict[str, str] = {}  # of the tuples of a computation, by name

    def write(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        name = match[1]
        for index in map(int, match[2][1:].split("#")):
            whole, name = name, f"{name}.element.{index}"
            if name not in types:
                types[name] = _split_tuple(types.get(whole, ""))[index]
                lines.append(f"  {name} = {types[name]} get-tuple-element({whole}), index={index}")
        return name

    for line in text.split("\n"):
        if line.startswith("}"):
            types = {}
        elif match := _TUPLE.match(line):
            types[match[1]] = match[2]
        try:
            lines.append(_ELEMENT.sub(write, line))
        except IndexError:  # not a text of XLA's: its parser says why
            return text
    return "\n".join(lines)


def _split_tuple(text: str) -> list[str]:
    """Types of the elements of a tuple's type, behind which there may be more text."""
    parts, depth, begin = [], 0, 1
    text = re.sub(r"/\*.*?\*/", "", text)
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if (sign == "," and depth == 1) or (depth == 0 and sign == ")"):
            parts.append(text[begin:place].strip())
            begin = place + 1
        if depth == 0:
            break
    return parts


def read_recorded(path: str, label: str) -> _Hlo:
    """Read a module from a recording of XLA's profiler, which holds those that ran.

    Args:
        path: Of the recording.
        label: As it names the module: `jit_step(10)`.

    Raises:
        SourceError: The file cannot be read, or holds no such module.
    """
    data = read_whole(path)
    try:
        found = [cut_out_module(proto) for proto in _find_recorded(data, label.encode())]
    except ValueError:
        found = []
    for module in found:
        if module:
            return _Hlo(module, None)
    raise _no_module(path, say("It holds no module {label}.", label=label))


def _find_recorded(data: bytes, label: bytes) -> Iterator[bytes]:
    def parts(span: tuple[int, int], wanted: int) -> list[tuple[int, int]]:
        fields = read_fields(data, *span)
        return [(start, end) for number, _, start, end, _ in fields if number == wanted]

    def is_named(span: tuple[int, int], name: bytes) -> bool:
        return any(data[start:end] == name for start, end in parts(span, _NAME))

    for plane in parts((0, len(data)), _PLANES):
        if is_named(plane, _METADATA_PLANE):
            values = [v for entry in parts(plane, _METADATA) for v in parts(entry, _VALUE)]
            for value in values:
                if is_named(value, label):
                    for stat in parts(value, _STATS):
                        yield from (data[s:e] for s, e in parts(stat, _BYTES_OF_STAT))


def cut_out_module(data: bytes) -> bytes:
    """The `HloModuleProto` in a file; empty if there is none.

    The file may be the module itself, an `HloProto`, or an `HloSnapshot`, which holds one.
    """
    for _ in range(_MAX_NESTING):
        try:
            fields = read_fields(data)
        except ValueError:
            break
        spans = {
            number: (start, end)
            for number, key, start, end, _ in reversed(fields)
            if data[key] & 7 == BYTES
        }
        start, end = spans.get(1, (0, 0))
        if _COMPUTATION in spans and _is_text(data[start:end]):
            return data
        start, end = spans.get(_MODULE_OF_PROTO, (0, 0))
        data = data[start:end]
        if _is_module(data):
            return data
    return b""


def read_cache_entry(path: str) -> tuple[bytes, int]:
    """The optimized module in an entry of JAX's persistent compilation cache, serialized, and the
    whole seconds that compiling took; nothing of the entry is loaded or run.

    It is compressed by zstd or zlib: four bytes with the time, then the executable as PJRT
    serializes it, since JAX 0.8 behind a header of IFRT. Its layout is nobody's promise.

    Raises:
        SourceError: It is damaged, or of a device whose executables hold no module to read.
    """
    data = read_whole(path)
    if data[:1] == _ZLIB:
        unpacking = zlib.decompressobj()
        try:
            data = unpacking.decompress(data, MAX_FILE_BYTES)
        except zlib.error:
            data = b""
        if not unpacking.eof:
            raise _no_module(path, say("It begins as an entry of the cache, but is damaged."))
    executable = data[_TIME_BYTES:]
    if executable[:1] != _FIRST_FIELD:
        with contextlib.suppress(ValueError):
            size, start = read_varint(executable, 0, len(executable))
            executable = executable[start + size :]
    module = cut_out_module(executable)
    if not module:
        raise _no_module(
            path, say("No HLO module is found in this entry of the cache, as of a TPU.")
        )
    return module, int.from_bytes(data[:_TIME_BYTES], "big")


def _is_module(data: bytes) -> bool:
    try:
        fields = read_fields(data)
    except ValueError:
        return False
    names = [data[start:end] for number, _, start, end, _ in fields if number == 1]
    return any(field[0] == _COMPUTATION for field in fields) and _is_text(b"".join(names[:1]))


def _is_text(data: bytes) -> bool:
    return bool(data) and all(0x20 <= byte < 0x7F for byte in data[:200])


def _is_scheduled(proto: bytes) -> bool:
    """Whether XLA has fixed the order in which a module runs: it does so last."""
    return any(field[0] == _SCHEDULE for field in read_fields(proto)) if proto else False


def aliased_parameters(proto: bytes) -> list[int]:
    """The parameters whose memory results are written to: they were donated.

    Args:
        proto: A serialized `HloModuleProto`.
    """
    found: set[int] = set()
    for number, _, start, end, _ in read_fields(proto):
        if number != _ALIAS:
            continue
        for _, _, first, last, _ in read_fields(proto, start, end):
            entry = {field: value for field, _, _, _, value in read_fields(proto, first, last)}
            found.add(entry.get(2, 0))
    return sorted(found)


def find_module_of_export(data: bytes) -> bytes:
    """The MLIR bytecode in what jax.export serialized; empty if there is none.

    It is the last of the early fields of the flatbuffer's root, a vector of bytes.
    """
    try:
        root = _number(data, 0, 4)
        table = root - int.from_bytes(data[root : root + 4], "little", signed=True)
        if not 0 <= table <= len(data) - 4 or _number(data, table, 2) <= _EXPORTED_MODULE:
            return b""
        place = _number(data, table + _EXPORTED_MODULE, 2) + root
        start = place + _number(data, place, 4)
        found = data[start + 4 : start + 4 + _number(data, start, 4)]
    except ValueError:
        return b""
    return found if recognise(found[:HEAD_BYTES]) is FileForm.MLIR_BYTECODE else b""


def _number(data: bytes, start: int, size: int) -> int:
    if not 0 <= start <= len(data) - size:
        raise ValueError("outside of the bytes")
    return int.from_bytes(data[start : start + size], "little")


def _parse_mlir(path: str, data: bytes) -> Any:
    """A StableHLO module, from text, bytecode, or what jax.export serialized.

    Raises:
        SourceError: It is none, or of a version that this jaxlib does not read.
    """
    form = recognise(data[:HEAD_BYTES])
    if form is FileForm.EXPORT:
        data = find_module_of_export(data)
        if not data:
            raise _no_module(
                path, say("It begins as what jax.export serializes, but holds no module.")
            )
    elif form not in (FileForm.MLIR_TEXT, FileForm.MLIR_BYTECODE):
        raise _no_module(
            path, "" if form is None else say("By its content it is {form}.", form=said(form.value))
        )
    if not HAS_JAX:
        raise SourceError(
            say("{path} cannot be read as StableHLO here.", path=path),
            why=NO_PARSER,
            where=path,
            remedy=say(
                "Open it with an interpreter that has JAX: --python, in the window Run, Choose the "
                "interpreter."
            ),
            kind="NoParser",
        )
    try:
        return compat.parse_stablehlo(data)
    except Exception as error:  # MLIR's and jaxlib's own classes
        why = _first_lines(error)
        foreign = _UNKNOWN_DIALECT.search(why)
        remedy = (
            say(
                "It has operations of another compiler, written in a form that only that one "
                "reads. Have them written in the generic form: --mlir-print-op-generic."
            )
            if foreign
            else say(
                "It may be cut off, or of a newer version. Open it with the JAX that wrote "
                "it: --python, in the window Run, Choose the interpreter."
            )
        )
        raise SourceError(
            say(
                "{path} cannot be parsed as StableHLO by jaxlib {version}.",
                path=path,
                version=compat.jaxlib_version(),
            ),
            why=why,
            where=path,
            remedy=remedy,
            kind=type(error).__name__,
        ) from None


def _first_lines(error: Exception) -> str:
    return " ".join(str(error).split())[:500] or type(error).__name__


def _no_module(path: str, why: str) -> SourceError:
    return SourceError(
        say("{path} is no module that can be read.", path=path),
        why=why,
        where=path,
        remedy=say("Make the dump anew, or name another file."),
        kind="NotAModule",
    )
