"""float64 that comes out of float32."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import say
from jaxscope.worker.checks.dataflow import Site
from jaxscope.worker.checks.subject import CheckedCall, code_at

RULE = "float64-from-float32"


def find_float64(subject: CheckedCall) -> Iterator[Check]:
    """The first place where a program that is given no float64 computes in it.

    What names the type is meant, and so is all that comes of it.
    """
    flow = subject.base
    given = {value.dtype for value in flow.inputs}
    if np.dtype(np.float64) in given or np.dtype(np.float32) not in given:
        return
    for site in flow.sites:
        place = subject.place(site) if _makes_float64(site) else None
        if place and _is_asked_for(place):
            return
        if place:
            yield Check(
                RULE,
                Severity.WARNING,
                say(
                    "Here float32 becomes float64, though no argument is float64: all that comes "
                    "of it takes twice the memory, and many times the time on most GPUs and TPUs. "
                    "A NumPy scalar or array of float64 does this; a Python number does not."
                ),
                say(
                    "Give the constant the type of the data, as in np.float32(0.5) or "
                    "jnp.asarray(table, x.dtype); or .astype(jnp.float32)."
                ),
                "",
                site.id,
                *place[:2],
            )
            return


def _makes_float64(site: Site) -> bool:
    if site.name != "convert_element_type" or site.outputs[0].dtype != np.dtype(np.float64):
        return False
    value = site.inputs[0]
    return value.dtype == np.dtype(np.float32) and value.source().constant is None


def _is_asked_for(place: tuple[str, int, int]) -> bool:
    """Whether the line names the type: `x.astype(…)`, `jnp.float64(x)`, `jnp.sum(x, dtype=…)`."""
    call = code_at(*place, ast.Call)
    if call is None:
        return False
    name = getattr(call.func, "attr", "")
    has_type = any(each.arg == "dtype" for each in call.keywords)
    is_made = name in ("asarray", "array") and len(call.args) > 1
    return has_type or is_made or name in ("astype", "float64")
