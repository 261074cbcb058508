"""Compile a call with and without tags, and bring both modules into a form that can be compared."""

from __future__ import annotations

import re
from typing import Any

import jax

from jaxscope.model.op_name import TagTable
from jaxscope.worker import compat
from jaxscope.worker.host.call import Call
from jaxscope.worker.provenance.traced_program import TracedProgram, trace_call

_METADATA = re.compile(r", metadata=\{(?:[^{}\"]|\"[^\"]*\")*\}")
_NAME = re.compile(r"%[\w.\-]+")
_COMMENT = re.compile(r"/\*.*?\*/")
_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
_WORD = re.compile(r"\b[a-zA-Z_][\w.\-]*(?=: )")


def compile_tagged(call: Call) -> tuple[Any, TracedProgram, TagTable]:
    """Compile as a capture does."""
    program = trace_call(call)
    traced, _, derived_ids = program.tag_derived()
    return traced.lower().compile(), program, TagTable(program.base_ids, derived_ids)


def compile_plain(call: Call) -> Any:
    """Compile as a user of JAX does."""
    function = call.compose(call.base)
    if not compat.is_jitted(function):
        function = jax.jit(function)
    return function.lower(*call.args, **call.kwargs).compile()


def comparable(hlo_text: str) -> str:
    """The module's text without metadata and tables, every name replaced by its order."""
    blocks = hlo_text.split("\n\n")
    kept = [block for block in blocks if not block.lstrip().startswith(_TABLES)]
    text = _COMMENT.sub("", _METADATA.sub("", "\n\n".join(kept)))
    names: dict[str, str] = {}
    text = _WORD.sub("p", text)
    return _NAME.sub(lambda match: names.setdefault(match.group(), f"%{len(names)}"), text)
