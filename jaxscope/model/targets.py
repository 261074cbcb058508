"""What a target is called: `cpu`, `cpu:8`, `gpu:0`, `tpu`, `aot:tpu:v5e:2x2`, `aot:gpu:h100:8`."""

from __future__ import annotations

import re

from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import say

EXAMPLES = "cpu, cpu:8, gpu, gpu:0, tpu, aot:tpu:v5e:2x2, aot:gpu:h100"
_TARGET = re.compile(
    r"(?P<cpu>cpu)(?::(?P<count>[1-9]\d{0,3}))?|(?P<kind>gpu|tpu)(?::(?P<place>\d{1,4}))?"
    r"|aot:(?P<absent>tpu|gpu):(?P<chip>[A-Za-z0-9]+)(?::(?P<size>\d{1,4}(?:x\d{1,4}){0,2}))?"
)


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of device, on the machine that has it.

    Attributes:
        kind: `cpu`, `gpu` or `tpu`.
        number: Of a CPU, how many devices; of others, which one, from 0. None where it is not said.
        chip: Of a device that is not there, which is compiled for only; else empty.
        size: How many of these chips, such as `8` or `2x2`; may be empty.
    """

    kind: str
    number: int | None = None
    chip: str = ""
    size: str = ""


def parse_target(text: str) -> Target:
    """Read the name of a target, without the machine that has it.

    Raises:
        ValueError: It is none.
    """
    match = _TARGET.fullmatch(text)
    if match is None:
        raise ValueError(say("There is no target {text}.", text=repr(text[:100])))
    if match["absent"]:
        return Target(match["absent"], None, match["chip"], match["size"] or "")
    number = match["count"] or match["place"]
    return Target(match["cpu"] or match["kind"], None if number is None else int(number))


def is_absent(text: str) -> bool:
    """Whether a target is a chip that is not there, which is compiled for only."""
    return text.startswith("aot:")
