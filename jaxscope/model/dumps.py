"""What a job left behind: modules and the files that are about each."""

from __future__ import annotations

from collections.abc import Mapping

from jaxscope.errors import UsageError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import say

_STAGE_OF_ROLE = {
    "pass": "passes",
    "code": "machine",
    "places": "jaxpr",
    "module": "hlo",
    "recorded": "optimized",
    "cached": "optimized",
}


@dataclass(frozen=True, slots=True)
class ModuleFiles:
    """One module and the files that are about it.

    Attributes:
        name: As JAX and XLA call it, such as `jit_step`; of a single file, the file's name.
        label: The same, made unique among all that were found: `module_0008.jit_step`.
        platform: What it was compiled for, as the name of a file says, such as `cpu`; or empty.
        files: Paths by what they hold: `jaxpr`, `places` (a jaxpr with its lines), `stablehlo`,
            `hlo`, `optimized`, `module` (HLO, before or after optimization), `recorded` (a
            profile, which holds the module under its label), `cached` (an entry of JAX's
            persistent compilation cache), `pass`, `assignment`, `code`, `fusion_log`; each in
            order.
        num_bytes: Of all of them, as they lie on the disk.
        weight: Bytes of the module itself, by which the largest of several is found.
        seconds: Work of all its runs in the profiles beside it; 0 where none tells.
        notes: What to mind of its files.
    """

    name: str
    label: str
    platform: str
    files: Mapping[str, tuple[str, ...]]
    num_bytes: int
    weight: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the stages that files are there for, in pipeline order."""
        from jaxscope.model.stages import JAXPR, LATE_STAGES  # most commands open nothing

        held = {_STAGE_OF_ROLE.get(role, role) for role, paths in self.files.items() if paths}
        return tuple(stage for stage in (JAXPR.name, *LATE_STAGES) if stage in held)

    @property
    def num_passes(self) -> int:
        """How many modules between passes there are."""
        return len(self.files.get("pass", ()))


@dataclass(frozen=True, slots=True)
class FoundDumps:
    """What folders and files hold: modules, captures, profiles and texts.

    Attributes:
        paths: What was named.
        modules: In the order in which they were compiled, as far as names tell.
        captures: Paths of captures that jaxscope saved.
        profiles: Paths of recordings of XLA's profiler.
        texts: Paths of logs, of messages that memory did not suffice, and of memory profiles.
        notes: What was passed over, and why.
    """

    paths: tuple[str, ...]
    modules: tuple[ModuleFiles, ...]
    captures: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def largest(self) -> ModuleFiles:
        """The module that has the most bytes; there must be one."""
        return max(self.modules, key=lambda module: module.weight)

    @property
    def has_own_modules(self) -> bool:
        """Whether there is a module that is not only in a profile."""
        return any("recorded" not in module.files for module in self.modules)

    @property
    def ranked(self) -> list[ModuleFiles]:
        """The modules, first those that took most time, then the largest."""
        return sorted(self.modules, key=lambda module: (-module.seconds, -module.weight))

    def module(self, name: str | None = None) -> ModuleFiles:
        """A module by its label or name; without one the first by rank.

        Raises:
            UsageError: There is none of that name, or there are several.
        """
        if name is None:
            return self.ranked[0]
        found = [each for each in self.modules if name in (each.label, each.name)]
        if len(found) == 1:
            return found[0]
        labels = [module.label for module in found or self.modules]
        told = ", ".join(labels[:20]) + (" …" if len(labels) > 20 else "")
        what = f"There are {len(found)} modules {name}." if found else f"There is no module {name}."
        raise UsageError(
            what, remedy=say("Choose one: --module NAME. There are: {told}", told=told)
        )
