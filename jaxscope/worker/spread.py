"""What a StableHLO module says of devices: how arrays are spread, who takes part in collectives.

Shardy writes it as `sdy.sharding`, GSPMD as `mhlo.sharding`, both as attributes of the function.
"""

from __future__ import annotations

import dataclasses
from typing import Any

_NAMES = ("sdy.sharding", "mhlo.sharding")
_TABLES = frozenset({"replica_groups", "source_target_pairs"})


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


def device_table(name: str, value: Any) -> str:
    """Groups or pairs of devices in full, as HLO writes them, `{{0,1},{2,3}}`.

    Empty for any other attribute, and for what is no table.
    """
    if name not in _TABLES:
        return ""
    try:
        rows, columns = (int(size) for size in value.type.shape)
        numbers = [int(number) for number in value]
    except (AttributeError, TypeError, ValueError):
        return ""
    if len(numbers) != rows * columns:
        return ""
    listed = (numbers[k * columns : (k + 1) * columns] for k in range(rows))
    # A short row is filled up with -1.
    groups = (",".join(str(number) for number in row if number >= 0) for row in listed)
    return "{" + ",".join(f"{{{group}}}" for group in groups) + "}"


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
