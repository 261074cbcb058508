"""Fates: what became of each equation in the optimized module.

Everything rests on names that the compiler carried along (`jaxscope.model.op_name`), on the
structure of the program, and, where they were recorded, on what each pass did. What none of them
shows is `unknown`, with its reason.
"""

from jaxscope.analysis.fates.find import (
    FateTable,
    find_all_fates,
    find_fates,
    link_products,
    saved_fates,
)
from jaxscope.analysis.fates.trace import Ending, Step

__all__ = [
    "Ending",
    "FateTable",
    "Step",
    "find_all_fates",
    "find_fates",
    "link_products",
    "saved_fates",
]
