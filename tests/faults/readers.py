"""What reads bytes or texts that somebody else wrote: each ends well, or with an error of its own.

`test_hostile_inputs.py` gives them some thousands of changed inputs, `python -m bench.fuzz` as many
as there is time for, guided by the lines that they reach.
"""

from __future__ import annotations

import dataclasses
import functools
import gzip
import io
import json
import lzma
import random
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from jaxscope.client.capture_assembler import CaptureAssembler
from jaxscope.client.dump_folders import find_dumps
from jaxscope.client.ssh_target import parse_ssh_target
from jaxscope.errors import JaxscopeError
from jaxscope.model import lessons, outline, targets, types, values
from jaxscope.model.capture import Bookmark
from jaxscope.model.op_name import TagTable
from jaxscope.program import job_texts, scaling
from jaxscope.program.fusion.decisions import parse_log
from jaxscope.program.hlo.graph import convert_hlo
from jaxscope.program.job_texts import read_memory_profile
from jaxscope.program.machine.listing import CodePart, list_machine_code
from jaxscope.program.search import QueryError, parse_query
from jaxscope.program.sharding import collectives, notation
from jaxscope.program.xplane import read_recording
from jaxscope.schema.archive import decode_bookmarks, encode_bookmarks, load_saved, save_capture
from jaxscope.schema.safe_text import clean_fields
from jaxscope.ui.instance_handover import Offer, read_offer
from jaxscope.ui.panes.pane_area import WIDE_ARRANGEMENT, format_arrangement, parse_arrangement
from jaxscope.ui.window.settings import Settings
from jaxscope.wire.frames import FrameError, decode_control, encode_control, split_relayed_frames
from jaxscope.wire.job_files import read_whole
from jaxscope.wire.messages import Message, encode_message, read_message
from jaxscope.worker.values.subject import IN_ARCHIVE, _read_array
from tests.archive.recorded import messages
from tests.archive.test_saved_measurements import RESULTS, TIMING

SAMPLES = Path(__file__).parents[2] / "samples"


@dataclasses.dataclass(frozen=True)
class Reader:
    """A function that reads input of others, with examples of it.

    Attributes:
        read: Reads an input.
        seeds: Makes inputs that are as they should be.
        may_raise: The errors that its description names.
    """

    name: str
    read: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]
    may_raise: tuple[type[Exception], ...] = (ValueError, JaxscopeError)


def of_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def texts(*found: str) -> Callable[[], list[bytes]]:
    return lambda: [text.encode() for text in found]


@functools.cache
def folder() -> Path:
    """Where inputs are put for what reads files."""
    return Path(tempfile.mkdtemp())


def of_file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def read_file(data: bytes) -> object:
        path = folder() / name
        path.write_bytes(data)
        return read(path)

    return read_file


@functools.cache
def capture() -> Any:
    """A small one of every stage."""
    import jax.numpy as jnp

    import jaxscope

    return jaxscope.capture(lambda x: jnp.sin(x).sum(), jnp.ones(3))


@functools.cache
def archive() -> dict[str, bytes]:
    """The entries of an archive's zip file."""
    path = folder() / "seed.jaxscope"
    save_capture(capture(), path, TIMING, RESULTS)
    with zipfile.ZipFile(path) as entries:
        return {name: entries.read(name) for name in entries.namelist()}


def zip_of(entries: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for name, content in entries.items():
            file.writestr(name, content)
    return data.getvalue()


def sent() -> list[bytes]:
    """What a worker sends of a capture: all that is short in one, and each by itself."""
    found = [b"".join(encode_message(each)) for each in messages()]
    short = [each for each in found if len(each) < 1 << 12]
    return [b"".join(short), *short]


def read_messages(data: bytes) -> None:
    assembler = CaptureAssembler()

    def take(message: Message) -> None:
        assembler.feed(Message(message.type, clean_fields(message.fields), message.arrays))

    read_frames(data, take)


def found_files() -> list[bytes]:
    return [compiled()[0], *profiles(), LOG.encode(), MEMORY.encode(), HLO_TEXT, MLIR_TEXT]


def read_arrays(path: Path) -> object:
    """As a worker reads an array that a call names."""
    return _read_array(f"{path}{IN_ARCHIVE}a", "x")


def array_files() -> list[bytes]:
    packed, single = io.BytesIO(), io.BytesIO()
    np.savez(packed, a=np.ones((2, 3), np.float32), b=np.arange(3))
    np.save(single, np.ones(3))
    return [packed.getvalue(), single.getvalue()]


def settings() -> list[bytes]:
    found = Settings(str(folder() / "seed.json"))
    found.add_calls(["f(x)", "g(f32[3])"])
    found.theme, found.points, found.arrangement = "dark", 13.0, ARRANGEMENT
    return [(folder() / "seed.json").read_bytes()]


def load_with(entry: str) -> Callable[[bytes], object]:
    """Read a capture of which one entry is replaced."""
    read = of_file("capture.jaxscope", load_saved)
    return lambda data: read(zip_of({**archive(), entry: data}))


def contract() -> list[bytes]:
    from jaxscope.export.capture_json import capture_to_json

    return [json.dumps(capture_to_json(capture())).encode()]


def frames() -> list[bytes]:
    message = Message("stage", {"run": "0", "name": "jaxpr"}, {"node.id": np.arange(3)})
    return [b"".join(encode_message(message)), b"".join(encode_message(Message("done", {}, {})))]


def read_frames(data: bytes, take: Callable[[Message], object] = id) -> None:
    stream = io.BytesIO(data)

    def read_exactly(size: int) -> bytes:
        piece = stream.read(size)
        if len(piece) < size:
            raise EOFError
        return piece

    while True:
        take(read_message(read_exactly))


def read_relayed(data: bytes) -> None:
    for _, payload in split_relayed_frames().feed(data):
        decode_control(payload)


@functools.cache
def compiled() -> tuple[bytes, list[bytes]]:
    """A serialized HLO module, and object files, which the installed jaxlib makes."""
    import jax
    import jax.numpy as jnp

    from tests.machine.compiled import machine_code

    run = jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda _, y: jnp.sin(y) @ y, x))
    module = run.lower(jnp.ones((4, 4))).compile().runtime_executable().hlo_modules()[0]
    code = machine_code()
    rows = zip(code.forms, code.data, strict=True)
    objects = [data for form, data in rows if form == "object"]
    return module.as_serialized_hlo_module_proto(), objects[:2]


@functools.cache
def profiles() -> tuple[bytes, bytes]:
    """A recording and a memory profile, which the installed JAX writes."""
    import jax
    import jax.numpy as jnp

    run = jax.jit(lambda x: jnp.sin(x) @ x)
    value = run(jnp.ones((4, 4)))
    with jax.profiler.trace(str(folder())):
        run(value).block_until_ready()
    (recording,) = folder().rglob("*.xplane.pb")
    return recording.read_bytes(), gzip.decompress(jax.profiler.device_memory_profile())


def list_object(data: bytes) -> object:
    return list_machine_code([CodePart("kernel", "object", data)])


NOTHING = TagTable((), ())
MESHES = {"mesh": notation.parse_mesh('<["data"=2, "model"=4]>')}
LOG = """Compiling jit(step) with global shapes and types [f32[3]]. Argument mapping: (U,).
Finished tracing + transforming step for pjit in 0.003 sec
Finished jaxpr to MLIR module conversion jit(step) in 0.01 sec
Finished XLA compilation of jit(step) in 0.123 sec
TRACING CACHE MISS at x.py:3 (main) costing 1.2 ms because:
  for step defined at x.py:1
  never seen input type signature:
    x: f32[3]
"""
MEMORY = """RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.
BufferAssignment OOM Debugging.
             parameter allocation:    4.00GiB
              Size: 3.40GiB
              Operator: op_name="jit(f)/dot"
              Shape: f32[4,8]
"""

HLO_TEXT = b"HloModule m\n\nENTRY e {\n  ROOT p = f32[2] parameter(0)\n}\n"
MLIR_TEXT = b"module @jit_f attributes {a = 1 : i32} {\n  func.func public @main() {\n  }\n}\n"
BOOKMARKS = (Bookmark("jaxpr", "3", "a note"), Bookmark("source", "/f.py:3"))
ARRANGEMENT = format_arrangement(WIDE_ARRANGEMENT)
OFFER = Offer(*(["/f.py"] * len(dataclasses.fields(Offer)))).encode().decode()
_HEADER = b'{"a": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]}}'
SAFETENSORS = len(_HEADER).to_bytes(8, "little") + _HEADER + bytes(8)

REFUSED = (EOFError, FrameError, ValueError)

READERS = (
    Reader("frames", read_frames, frames, REFUSED),
    Reader(
        "messages of a worker",
        read_messages,
        lambda: [b"".join(sent())],
        (EOFError, FrameError, ValueError, RecursionError),
    ),
    Reader("relayed frames", read_relayed, lambda: [encode_control(3, {"event": "pong"})]),
    Reader("archive", of_file("a.jaxscope", load_saved), lambda: [zip_of(archive())]),
    Reader("archive's manifest", load_with("manifest.json"), lambda: [archive()["manifest.json"]]),
    *(
        Reader(f"archive's {entry}", load_with(entry), lambda entry=entry: [archive()[entry]])
        for entry in ("stages/0.bin", "lab.json")
    ),
    Reader("bookmarks", decode_bookmarks, lambda: [encode_bookmarks(BOOKMARKS)]),
    Reader("capture's JSON", of_file("c.json", load_saved), contract),
    Reader(
        "HLO module",
        lambda data: convert_hlo(data, NOTHING, None, None, "hlo"),
        lambda: [compiled()[0]],
    ),
    Reader("object file", list_object, lambda: compiled()[1]),
    Reader("recording", read_recording, lambda: [profiles()[0]]),
    Reader("memory profile", read_memory_profile, lambda: [profiles()[1]]),
    Reader("found file", of_file("f", lambda path: find_dumps([str(path)])), found_files),
    Reader(
        "packed file",
        of_file("p", lambda path: read_whole(str(path), 1 << 20)),
        lambda: [pack(b"a" * 5000) for pack in (gzip.compress, lzma.compress)],
    ),
    Reader("arrays", of_file("a.npz", read_arrays), array_files),
    Reader("safetensors", of_file("a.safetensors", read_arrays), lambda: [SAFETENSORS]),
    Reader("settings", of_file("w.json", lambda path: Settings(str(path))), settings, ()),
    Reader("arrangement", of_text(parse_arrangement), texts(ARRANGEMENT), ()),
    Reader("offer of a launch", read_offer, texts(OFFER), ()),
    Reader("log of a job", of_text(job_texts.read_compilations), texts(LOG)),
    Reader("message of lack of memory", of_text(job_texts.read_out_of_memory), texts(MEMORY)),
    Reader(
        "log of fusions",
        of_text(lambda text: list(parse_log(text))),
        texts('fusion_steps {\n  fusion {\n    fusion_name: "a"\n    producer_name: "b"\n  }\n}\n'),
    ),
    Reader(
        "lesson of a sample",
        of_text(lambda text: lessons.parse_lesson(text, "name")),
        lambda: [path.read_bytes()[:4000] for path in sorted(SAMPLES.glob("*.py"))[:6]],
    ),
    Reader(
        "lesson",
        of_text(lambda text: lessons.parse_text_lesson(text, SAMPLES / "lesson.md")),
        texts("# Title\nShow: quick_start.py :: f(f32[3])\n\nText.\n## Part\nStage: HLO\nMore.\n"),
    ),
    Reader(
        "offered calls",
        of_text(outline.find_offered_calls),
        texts("# jaxscope: f(f32[3], key(0))\n# jaxscope: grad(f)(f32[2])\ndef f(x): return x\n"),
    ),
    Reader("target", of_text(targets.parse_target), texts("cpu:2", "gpu", "gpu:0")),
    Reader("far target", of_text(parse_ssh_target), texts("ssh://me@host:22/gpu:0")),
    Reader("slice", of_text(lambda text: values.parse_slice(text, (8, 3))), texts("[0:4:2, -1]")),
    Reader("condition", of_text(values.parse_condition), texts("nan, > 1e3 or shape [8, 3]")),
    Reader("place", of_text(values.parse_place), texts("4/jaxpr/2@7,1")),
    Reader("search", of_text(parse_query), texts('op:dot cost>1e6 -> "a b" /x+/'), (QueryError,)),
    Reader(
        "type", of_text(types.parse_type), texts("(f32[8,3]{1,0:T(8,128)}, tensor<2x?xi64>)"), ()
    ),
    Reader("batch axes", of_text(types.read_batch_axes), texts("0,1;2;"), ()),
    Reader("scale", of_text(scaling.read_scale), texts("x:0=64..4096"), (JaxscopeError,)),
    Reader("growth", of_text(scaling.read_growth), texts("x+y=1..64"), (JaxscopeError,)),
    Reader(
        "sharding of HLO",
        of_text(notation.parse_hlo_shardings),
        texts(
            "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}",
            "{{replicated},{maximal device=0}}",
        ),
    ),
    Reader(
        "sharding of Shardy",
        of_text(lambda text: notation.parse_shardy_values(text, MESHES)),
        texts('#sdy.sharding_per_value<[<@mesh, [{"data"}, {"model", ?}]>]>'),
    ),
    Reader(
        "mesh",
        of_text(notation.parse_mesh),
        texts('<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>'),
    ),
    Reader(
        "named sharding",
        of_text(notation.parse_named_sharding),
        texts("mesh=(axes={(name=x, size=2)}), dim_shardings={(axes={()}, is_closed=True),()}"),
    ),
    Reader("devices", of_text(notation.read_device_list), texts("<=[4,2]T(1,0)", "0,2,4,6")),
    Reader(
        "groups",
        of_text(lambda text: collectives.parse_groups(text, 8)),
        texts("{{0,1},{2,3}}", "[2,4]<=[8]", "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>"),
    ),
)


def change(data: bytes, chance: random.Random, others: list[bytes]) -> bytes:
    """An input that is a little different: bytes, lengths, pieces, numbers."""
    found = bytearray(data)
    for _ in range(chance.randrange(1, 8)):
        place = chance.randrange(len(found) + 1)
        end = min(len(found), place + chance.choice((1, 2, 4, 8, 64, 1000)))
        match chance.randrange(7):
            case 0:
                found[place:end] = chance.randbytes(end - place)
            case 1:
                del found[place:end]
            case 2:
                found[place:place] = found[place:end] * chance.choice((1, 2, 50))
            case 3:
                found[place:end] = chance.choice((b"\xff" * 8, b"\0" * 8, b"\x80\x80\x80\x80\x10"))
            case 4:
                found[place:place] = chance.choice(_PIECES)
            case 5:
                other = chance.choice(others)
                start = chance.randrange(len(other) + 1)
                found[place:end] = other[start : start + chance.choice((4, 40, 400))]
            case 6:
                found[place:end] = chance.choice(_NUMBERS)
    return bytes(found[:MAX_BYTES])


MAX_BYTES = 1 << 17
_NUMBERS = (
    b"-1",
    b"0",
    b"1e309",
    b"nan",
    b"9" * 30,
    b"9" * 5000,
    b"4294967296",
    b"00",
    b"1_0",
    b"\xd9\xa3",
)
_PIECES = (
    *(b"[" * 300, b"(" * 3000, b"{" * 3000, b'"', b"'", b"\\", b"\n", b"\0", b"null", b"true"),
    *("\u202e".encode(), "²".encode(), b"\xed\xa0\x80", b",", b":", b"=", b"..", b"->", b"<", b">"),
)
