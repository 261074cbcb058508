"""The program whose values are looked at, with the arguments that it gets.

An argument may come from a file in place of what the call gives: `.npy`, `.npz`, `.safetensors`, or
an image where Pillow is installed. Nothing of such a file is unpickled.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.errors import CallError, TraceError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import say
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import guard
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.values import aval_text
from jaxscope.worker.provenance.traced_program import (
    TracedProgram,
    find_inputs,
    trace_call,
    trace_gradient,
)
from jaxscope.worker.stages.call_loader import load_call
from jaxscope.worker.stages.running import as_input, is_plain
from jaxscope.worker.timing.conditions import describe_machine
from jaxscope.worker.timing.experiment import refuse_absent_target

IN_ARCHIVE = "::"
"""Between the name of a file of several arrays and that of an array in it."""
_IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff"})
_MAX_HEADER_BYTES = 100_000_000
"""Of a file of safetensors, as its format says."""
_SAFETENSORS = {
    **{f"{kind}{bits}": f"{name}{bits}" for kind, name in (("I", "int"), ("U", "uint"))
       for bits in (8, 16, 32, 64)},
    "BOOL": "bool", "F16": "float16", "F32": "float32", "F64": "float64", "BF16": "bfloat16",
    "C64": "complex64", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2",
}  # fmt: skip
"""The types of https://github.com/huggingface/safetensors in NumPy's words."""
_KINDS = (jnp.bool_, jnp.unsignedinteger, jnp.signedinteger, jnp.floating, jnp.complexfloating)


@dataclass(frozen=True, eq=False)
class ReadyProgram:
    """A program that is ready to run.

    Attributes:
        path: Of the user's file.
        call: The call.
        program: What was traced.
        stage: Whose equations are run.
        inputs: Of its jaxpr.
        loaded: Files of inputs, by their numbers.
    """

    path: str
    call: Call
    program: TracedProgram
    stage: Any
    inputs: list[Any]
    loaded: Mapping[int, str]


def open_subject(request: dict[str, Any], channel: Channel) -> ReadyProgram:
    """Trace the call of a request, and find its inputs.

    Args:
        request: May have `stage`, the name of a stage, and `loaded`: files of arguments, by paths.

    Raises:
        JaxscopeError: The file or the call is wrong, or it cannot be traced; a file of an argument
            cannot be read or does not fit; there is no such stage.
    """
    refuse_absent_target(request)
    source, call = load_call(request, channel)
    with guard("call", {source.path}):
        program = trace_call(call)
    channel.send("timed", {"call": call.text, "environment": describe_machine()})
    inputs = find_inputs(program, call)
    if inputs is None:
        raise TraceError(
            say("The values of the program's inputs could not be found."),
            why=say("The arguments of its jaxpr are not those of the call."),
            remedy=say("Give every argument of the call as an array."),
        )
    paths = list(program.derived.argument_paths)
    offset = len(inputs) - len(paths)
    variables = compat.open_jaxpr(program.derived.jaxpr).invars
    inputs = list(map(as_input, variables, inputs))
    loaded: dict[int, str] = {}
    for path, file in (request.get("loaded") or {}).items():
        if path not in paths or offset < 0:
            known = ", ".join(paths[:20]) or "none"
            raise CallError(
                say("The call has no argument {path}.", path=path),
                why=say("Its arguments: {known}.", known=known),
            )
        number = offset + paths.index(path)
        inputs[number], told = load_argument(str(file), path, variables[number], inputs[number])
        loaded[number] = str(file)
        if told:
            channel.send("warning", {"text": told})
    wanted = str(request.get("stage") or "")
    stage = program.derived
    if wanted == "gradient" != stage.name:
        with guard("trace", {source.path}):
            stage, _ = trace_gradient(program.base)
        if len(compat.open_jaxpr(stage.jaxpr).invars) != len(inputs):
            raise TraceError(say("The gradient has other inputs than the call."))
    elif wanted not in ("", stage.name):
        raise CallError(
            say(
                "Values are those of the stage {stage}, not of {wanted}.",
                stage=stage.name,
                wanted=wanted,
            )
        )
    return ReadyProgram(source.path, call, program, stage, inputs, loaded)


def load_argument(file: str, path: str, variable: Any, value: Any) -> tuple[Any, str]:
    """Read an argument from a file.

    Args:
        file: Of one of the formats above; one of several arrays is `file.npz::name`.
        path: Of the argument, for messages.
        variable: Of the jaxpr.
        value: What the call gives: the array goes where that is.

    Returns:
        The array, and what is to be minded, or an empty text.

    Raises:
        CallError: It cannot be read, or does not fit.
    """
    array = _read_array(file, path)
    shape, dtype = tuple(variable.aval.shape), variable.aval.dtype
    type_ = aval_text(variable.aval)
    found = f"{array.dtype}[{', '.join(map(str, array.shape))}]"
    name = os.path.basename(file)
    if array.shape != shape:
        raise CallError(
            say(
                "{name} does not fit the argument {path}: it has the shape {shape}.",
                name=name,
                path=path,
                shape=str(array.shape),
            ),
            why=say("The argument is {type_}; the program was traced for that shape.", type_=type_),
            remedy=say("Load an array of this shape, or change the call."),
            kind="WrongShape",
        )
    if not is_plain(value) or _rank(array.dtype) > _rank(dtype):
        raise CallError(
            say(
                "{name} does not fit the argument {path}: it has the type {dtype}.",
                name=name,
                path=path,
                dtype=str(array.dtype),
            ),
            why=say("The argument is {type_}, which does not hold such numbers.", type_=type_),
            remedy=say("Convert the array before it is saved."),
            kind="WrongType",
        )
    sharding = value.sharding if isinstance(value, jax.Array) else None
    fitting = jax.device_put(jnp.asarray(array, dtype), sharding)
    told = (
        ""
        if array.dtype == dtype
        else say(
            "{path}: {found} of {name} was made {type_}.",
            path=path,
            found=found,
            name=name,
            type_=type_,
        )
    )
    return fitting, told


def _rank(dtype: Any) -> int:
    """Kinds of numbers in the order in which one holds the other."""
    return next((n for n, kind in enumerate(_KINDS) if jnp.issubdtype(dtype, kind)), len(_KINDS))


def _read_array(file: str, path: str) -> Any:
    outer, _, wanted = file.partition(IN_ARCHIVE)
    name = os.path.basename(outer)
    outer = os.path.expanduser(outer)
    ending = os.path.splitext(outer)[1].lower()
    try:
        if ending in _IMAGES:
            return _read_image(outer)
        with _open_arrays(outer, ending) as read:
            if isinstance(read, np.ndarray):
                return read
            names = list(read)
            if not wanted and len(names) == 1:
                wanted = names[0]
            if wanted in names:
                return read[wanted]
    except CallError:
        raise
    except FileNotFoundError as error:
        raise CallError(
            say("There is no file {name} for {path}.", name=name, path=path),
            why=say("It was looked for at {place}.", place=os.path.abspath(outer)),
            remedy=say("Check the name and the folder."),
            kind="UnreadableArray",
        ) from error
    except Exception as error:  # NumPy parses a header as Python code, and fails as that does
        raise CallError(
            say("{name} could not be read as an array for {path}.", name=name, path=path),
            why=f"{error}"[:500],
            remedy=say(
                "Save it by numpy.save, numpy.savez or safetensors, without Python objects."
            ),
            kind="UnreadableArray",
        ) from error
    raise CallError(
        say("{name} holds several arrays.", name=name)
        if not wanted
        else say("{name} has no array {wanted}.", name=name, wanted=wanted),
        why=say("Its arrays: {names}.", names=", ".join(names[:30]) or say("none")),
        remedy=say(
            "Name one: {name}{in_archive}{first}",
            name=name,
            in_archive=IN_ARCHIVE,
            first=names[0] if names else "x",
        ),
        kind="WhichArray",
    )


@contextlib.contextmanager
def _open_arrays(file: str, ending: str) -> Iterator[Any]:
    """An array, or arrays by their names."""
    if ending == ".safetensors":
        yield _Safetensors(file)
        return
    with open(file, "rb") as stream:  # one that NumPy opens it leaves open where it fails
        yield np.load(stream, allow_pickle=False)


class _Safetensors(Mapping[str, Any]):
    """The arrays of a file of safetensors: a length, JSON with types and places, then the bytes."""

    def __init__(self, file: str) -> None:
        with open(file, "rb") as stream:
            size = int.from_bytes(stream.read(8), "little")
            if size > _MAX_HEADER_BYTES:
                raise ValueError("It is no file of safetensors: its header has no end.")
            header = json.loads(stream.read(size))
        if not isinstance(header, dict):
            raise ValueError("Its header is no object.")
        self._file, self._begin = file, 8 + size
        self._places = {name: each for name, each in header.items() if name != "__metadata__"}

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __getitem__(self, name: str) -> Any:
        match self._places[name]:
            case {"dtype": str(word), "shape": [*shape], "data_offsets": [int(begin), int(end)]}:
                pass
            case _:
                raise ValueError(f"{name} has no type, shape and place in the header.")
        if word not in _SAFETENSORS or not all(isinstance(n, int) and n >= 0 for n in shape):
            raise ValueError(f"{name} has the type {word} and the shape {shape}.")
        dtype = jnp.dtype(_SAFETENSORS[word])
        num_bytes = math.prod(shape) * dtype.itemsize
        if not 0 <= begin <= end <= os.path.getsize(self._file) - self._begin:
            raise ValueError(f"{name} lies outside of the file.")
        if num_bytes != end - begin:
            raise ValueError(f"{name} has {end - begin} bytes, and its shape needs {num_bytes}.")
        with open(self._file, "rb") as stream:
            stream.seek(self._begin + begin)
            return np.frombuffer(stream.read(num_bytes), dtype).reshape(shape)


def _read_image(file: str) -> Any:
    """Its pixels as whole numbers: height, width, and colours where it has any."""
    try:
        from PIL import Image
    except ImportError:
        raise CallError(
            say("{name} could not be read.", name=os.path.basename(file)),
            why=say(
                "Images are read by Pillow, which the Python that runs the file does not have."
            ),
            remedy=say("pip install pillow"),
            kind="UnreadableArray",
        ) from None
    try:
        with Image.open(file) as image:
            return np.asarray(image.convert("RGB") if image.mode == "P" else image)
    except Image.DecompressionBombError as error:
        raise ValueError(f"{error}") from error
