"""Real machine code: what the installed jaxlib writes for a small program."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp

from jaxscope.worker.stages.machine_code import MachineCode, compile_with, dump_folder


@functools.cache
def machine_code() -> MachineCode:
    """The code of a softmax: several kernels, constants, loops."""
    lowered = jax.jit(lambda x: jax.nn.softmax(jnp.sin(x) * 3.25)).lower(jnp.ones((64, 40)))
    with dump_folder() as dump:
        compile_with(lowered, dump.compiler_options)
        return dump.machine_code()


def object_file() -> bytes:
    """The largest of its object files."""
    code = machine_code()
    rows = zip(code.forms, code.data, strict=True)
    return max((data for form, data in rows if form == "object"), key=len)
