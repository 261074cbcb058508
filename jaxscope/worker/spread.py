"""How the arguments and results of a StableHLO function are to be spread over devices.

Shardy writes it as `sdy.sharding`, GSPMD as `mhlo.sharding`, both as attributes of the function.
"""

from __future__ import annotations

import dataclasses
from typing import Any

_NAMES = ("sdy.sharding", "mhlo.sharding")


@dataclasses.dataclass(frozen=True, slots=True)
class Spread:
    """The texts of a function's shardings, empty where it states none.

    Attributes:
        arguments: Of each argument.
        results: Of each result.
    """

    arguments: tuple[str, ...] = ()
    results: tuple[str, ...] = ()

    def of_argument(self, number: int) -> dict[str, str]:
        """The attribute `sharding` of an argument, if it has one."""
        return _attribute(self.arguments, number)

    def of_result(self, number: int) -> dict[str, str]:
        """The attribute `sharding` of a result, if it has one."""
        return _attribute(self.results, number)


NO_SPREAD = Spread()


def read_spread(function: Any) -> Spread:
    """Read it from a `func.func`."""
    attributes = function.operation.attributes
    return Spread(_texts(attributes, "arg_attrs"), _texts(attributes, "res_attrs"))


def _texts(attributes: Any, name: str) -> tuple[str, ...]:
    if name not in attributes:
        return ()
    return tuple(
        next((str(own[key]).strip('"') for key in _NAMES if key in own), "")
        for own in attributes[name]
    )


def _attribute(texts: tuple[str, ...], number: int) -> dict[str, str]:
    text = texts[number] if number < len(texts) else ""
    return {"sharding": text} if text else {}
