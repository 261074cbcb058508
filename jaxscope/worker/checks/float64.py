"""float64 that comes out of float32."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from jaxscope.model.capture import Check, Severity
from jaxscope.worker.checks.dataflow import Site, TracedValue
from jaxscope.worker.checks.subject import CheckedCall

RULE = "float64-from-float32"


def find_float64(subject: CheckedCall) -> Iterator[Check]:
    """The first place where a program that is given no float64 computes in it.

    A sum in float64 that is cast back at once is meant.
    """
    flow = subject.base
    given = {value.dtype for value in flow.inputs}
    if np.dtype(np.float64) in given or np.dtype(np.float32) not in given:
        return
    for site in flow.sites:
        place = subject.place(site) if _makes_float64(site) else None
        if place:
            yield Check(
                RULE,
                Severity.WARNING,
                "Here float32 becomes float64, though no argument is float64: all that comes of "
                "it takes twice the memory, and many times the time on most GPUs and TPUs. "
                "A NumPy scalar or array of float64 does this; a Python number does not.",
                "Give the constant the type of the data, as in np.float32(0.5) or "
                "jnp.asarray(table, x.dtype); or .astype(jnp.float32).",
                "",
                site.id,
                *place[:2],
            )
            return


def _makes_float64(site: Site) -> bool:
    if site.name != "convert_element_type" or site.outputs[0].dtype != np.dtype(np.float64):
        return False
    value = site.inputs[0]
    is_data = value.dtype == np.dtype(np.float32) and value.source().constant is None
    return is_data and not _is_cast_back(site.outputs[0], 4)


def _is_cast_back(value: TracedValue, depth: int) -> bool:
    if value.dtype != np.dtype(np.float64):
        return True
    users = value.users if depth and not value.is_result else []
    made = [output for user in users for output in user.outputs]
    return bool(made) and all(_is_cast_back(each, depth - 1) for each in made)
