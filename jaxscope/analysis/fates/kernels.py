"""Which instructions XLA generated code for, read from the machine code that a capture has."""

from __future__ import annotations

import re

from jaxscope.model.capture import Stage
from jaxscope.model.unavailable import Unavailable

_HEADING = re.compile(r"^; ===== (.*) =====$", re.MULTILINE)
_PREFIX = "__compute_module_"
_SUFFIX = re.compile(r"(?:_elemental)?(?:_kernel)?(?:_module)?$")
_LEFT_OUT = "more kernels left out"
_NO_CODE = "XLA generated no code"


def kernel_names(machine: Stage | None) -> frozenset[str] | None:
    """Names of the instructions that have a kernel; None where the code is not there to tell."""
    if machine is None:
        return None
    if isinstance(machine.text, Unavailable):
        return frozenset() if machine.text.reason.startswith(_NO_CODE) else None
    text = machine.text.text
    headings = _HEADING.findall(text)
    if not headings or _LEFT_OUT in text[-200:]:
        return None
    return frozenset(_SUFFIX.sub("", name.removeprefix(_PREFIX)) for name in headings)
