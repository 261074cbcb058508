"""What the instructions that carry an equation are to it: a fusion, a kernel, a library call, …"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from jaxscope.analysis.fates.instructions import Instructions
from jaxscope.model.graph import NONE, GroupKind

LAYOUT_OPCODES = frozenset(
    {
        "bitcast",
        "copy",
        "copy-start",
        "copy-done",
        "parameter",
        "tuple",
        "get-tuple-element",
        "opt-barrier",
        "after-all",
        "add-dependency",
        "reshape",
    }
)
"""They move or rename bytes, or say who owns them, and compute nothing."""

MINOR_OPCODES = frozenset({"broadcast", "iota", "constant", "convert", "transpose", "slice", "pad"})
"""What accompanies an operation; alone it is the operation."""

_LIBRARY_OPCODES = frozenset({"custom-call", "fft", "cholesky", "triangular-solve"})
_MAYBE_LIBRARY = frozenset({"dot", "convolution"})
_ANNOTATIONS = frozenset(
    {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "xla.sdy.FuncResultSharding"}
)
_COMPILED_KINDS = ("triton", "emitter", "dynamic_slice", "dynamic_memcpy")
_LIBRARY_NAMES = {
    "ynn": "YNNPACK",
    "xnn": "XNNPACK",
    "onednn": "oneDNN",
    "cublas": "cuBLAS",
    "cudnn": "cuDNN",
    "cusolver": "cuSOLVER",
    "cusparse": "cuSPARSE",
    "lapack": "LAPACK",
    "blas": "BLAS",
    "topk": "XLA's TopK",
    "ducc": "DUCC",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Holding:
    """What holds an equation.

    Attributes:
        fate: `fused`, `kernel`, `library`, `layout` or `folded`.
        instructions: Node indices, the telling ones first.
        place: The fusion, or the instruction itself, that runs it; `NONE` where nothing does.
        library: Name of the library, for the fate `library`.
        is_same: Whether one of them is the operation, at its size, that the equation was lowered
            to.
    """

    fate: str
    instructions: tuple[int, ...]
    place: int = NONE
    library: str = ""
    is_same: bool = False


class Holdings:
    """Classifies the instructions of one optimized module.

    Args:
        module: The module.
        kernels: Names of the instructions for which XLA generated code, or None where that is
            not known; a product of matrices without code of its own is a call of a library.
    """

    def __init__(self, module: Instructions, kernels: frozenset[str] | None) -> None:
        self._module = module
        self._kernels = kernels
        self._fusions: dict[int, str] = {}

    def of(self, indices: Sequence[int]) -> Holding | None:
        """What a set of instructions is to the equation they carry; None if there are none."""
        if not indices:
            return None
        found: dict[str, list[int]] = {}
        for index in indices:
            found.setdefault(self._class_of(index), []).append(index)
        main = [c for c in ("library", "kernel", "fused") if c in found]
        if main:
            # A broadcast that was left outside is not what became of the equation.
            telling = [c for c in main if not self._is_minor(found[c])]
            fate = (telling or main)[0]
            chosen = found.pop(fate)
            rest = [index for group in found.values() for index in group]
            place = self._place(chosen[-1])
            chosen.sort(key=self._module.combines)  # how two elements are combined comes last
            library = self._library(place) if fate == "library" else ""
            return Holding(fate, (*chosen, *rest), place, library)
        if "layout" in found:
            return Holding("layout", tuple(indices), self._place(found["layout"][-1]))
        return Holding("folded", tuple(indices), indices[-1])

    def _is_minor(self, indices: Sequence[int]) -> bool:
        return all(self._module.opcodes[index] in MINOR_OPCODES for index in indices)

    def _class_of(self, index: int) -> str:
        module = self._module
        opcode = module.opcodes[index]
        if opcode == "constant":
            return "folded"
        if opcode in LAYOUT_OPCODES or self._is_annotation(index):
            return "layout"
        if opcode == "fusion":
            return self._fusion_class(index)
        kind = module.kind(index)
        if kind is GroupKind.FUSION:
            return self._fusion_class(module.owner(index))
        if kind is GroupKind.REGION and module.opcodes[module.owner(index)] not in (
            "while",
            "conditional",
        ):
            return self._class_of(module.owner(index))
        if opcode in _LIBRARY_OPCODES or opcode.removesuffix("-start") in _LIBRARY_OPCODES:
            return "library"
        if opcode in _MAYBE_LIBRARY and self._kernels is not None:
            return "kernel" if self._has_code(index) else "library"
        return "kernel"

    def _has_code(self, index: int) -> bool:
        assert self._kernels is not None
        name = self._module.names[index]
        return name in self._kernels or name.replace(".", "_") in self._kernels

    def _fusion_class(self, fusion: int) -> str:
        """A fusion around a single operation is that operation's own kernel."""
        known = self._fusions.get(fusion)
        if known is None:
            inner = set(self._module.called.get(fusion, ()))
            if self._library(fusion):
                known = "library"
            elif sum(self._num_computing(group) for group in inner) > 1:
                known = "fused"
            else:
                known = "kernel"
            self._fusions[fusion] = known
        return known

    def _num_computing(self, group: int) -> int:
        root = self._module.roots.get(group, NONE)
        if root == NONE:
            return 2
        waiting, seen = [root], {root}
        count = 0
        while waiting:
            index = waiting.pop()
            opcode = self._module.opcodes[index]
            count += opcode not in LAYOUT_OPCODES and opcode != "constant"
            for operand in self._module.operands[index]:
                if operand not in seen:
                    seen.add(operand)
                    waiting.append(operand)
        return count

    def _place(self, index: int) -> int:
        """The instruction that runs it: the fusion around it, or itself."""
        module = self._module
        while module.kind(index) is not None and (
            module.kind(index) is GroupKind.FUSION
            or module.opcodes[module.owner(index)] not in ("while", "conditional", "call")
        ):
            owner = module.owner(index)
            if owner == NONE:
                break
            index = owner
        return index

    def _is_annotation(self, index: int) -> bool:
        if self._module.opcodes[index] != "custom-call":
            return False
        target = self._module.graph.attributes(index).get("custom_call_target", "")
        return target in _ANNOTATIONS

    def _library(self, index: int) -> str:
        """The library that an instruction calls; empty for code that XLA generates."""
        opcode = self._module.opcodes[index]
        row = self._module.graph.attributes(index)
        if opcode == "fusion":
            if row.get("fusion_kind") != "kCustom":
                return ""
            config = row.get("fusion_config", "").lower()
            if any(kind in config for kind in _COMPILED_KINDS):
                return ""
            return _library_name(config) or "a library"
        if opcode == "custom-call":
            target = row.get("custom_call_target", "")
            return _library_name(target.lower()) or f"the custom call {target}"
        return {"fft": "an FFT library", "cholesky": "LAPACK", "triangular-solve": "LAPACK"}.get(
            opcode, "Eigen" if opcode in _MAYBE_LIBRARY else ""
        )


def _library_name(text: str) -> str:
    return next((name for part, name in _LIBRARY_NAMES.items() if part in text), "")
