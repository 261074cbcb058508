"""What checks look at: a traced call."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jaxscope.late_dataclass import dataclass
from jaxscope.model.op_name import BASE_TAG, NO_EQUATION, base_numbers
from jaxscope.model.outline import DERIVATIVES
from jaxscope.worker import compat
from jaxscope.worker.checks.dataflow import Dataflow, Site
from jaxscope.worker.checks.effects import EffectWatch
from jaxscope.worker.checks.purity import PurityWatch
from jaxscope.worker.faults.tracebacks import is_installed
from jaxscope.worker.host.call import Call
from jaxscope.worker.provenance.traced_program import TracedProgram


@dataclass(frozen=True, eq=False)
class CheckedCall:
    """A traced call, and what several checks want to know of it.

    Attributes:
        call: The call.
        program: Its trace.
        watch: What watched the trace; None where nothing did.
        effects: The same for what Python did besides.
        target: Such as `cpu` or `aot:tpu:v5e:2x2`.
        owns_all: Whether lines of installed libraries are looked at as the user's own.
    """

    call: Call
    program: TracedProgram
    watch: PurityWatch | None = None
    effects: EffectWatch | None = None
    target: str = "cpu"
    owns_all: bool = False

    @functools.cached_property
    def base(self) -> Dataflow:
        """The equations of the base function."""
        return Dataflow(self.program.base.jaxpr)

    @functools.cached_property
    def derived(self) -> Dataflow:
        """The equations of the whole call; those of the base where it applies no transform."""
        return Dataflow(self.program.derived.jaxpr) if self.program.transformed else self.base

    @functools.cached_property
    def base_ids(self) -> Mapping[str, Sequence[Site]]:
        """The equations of the whole call by the id of the base's equation that they are of."""
        found: dict[str, list[Site]] = {}
        ids = self.program.base_ids
        for site in self.derived.sites:
            numbers = base_numbers(compat.read_tags(site.equation.source_info.name_stack))
            for id in {ids[n] for n in numbers if n < len(ids)}:
                if not _is_beside_the_base(site):
                    found.setdefault(id, []).append(site)
        return found

    @property
    def is_differentiated(self) -> bool:
        """Whether the call differentiates the base function."""
        return any(level.name in DERIVATIVES for level in self.call.levels)

    def is_own(self, file: str) -> bool:
        """Whether a file is no installed library's."""
        return self.owns_all or not is_installed(file)

    def place(self, site: Site) -> tuple[str, int, int] | None:
        """File, line and column where an equation was made; None inside of a library."""
        frame = next(compat.user_frames(site.equation.source_info), None)
        return None if frame is None or not self.is_own(frame[0]) else frame[:3]

    def caller_place(self, site: Site) -> tuple[str, int, int] | None:
        """The same; of what stands in a function of JAX's, `jnp.cumsum` say, where it is called."""
        while not any(compat.user_frames(site.equation.source_info)) and site.body.kind == "call":
            assert site.body.owner is not None
            site = site.body.owner
        return self.place(site)


def _is_beside_the_base(site: Site) -> bool:
    """Whether an equation is in a call that a rule of a derivative makes, say."""
    owner = site.body.owner
    return owner is not None and (
        (BASE_TAG, NO_EQUATION) in compat.read_tags(owner.equation.source_info.name_stack)
        or _is_beside_the_base(owner)
    )


def parse_file(file: str) -> ast.Module | None:
    """The syntax of a file as it was run; None where it is not there."""
    return _parse("".join(linecache.getlines(file)))


@functools.lru_cache(maxsize=64)
def _parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text) if text else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def nodes_at(file: str, line: int, column: int) -> Iterator[ast.AST]:
    """What begins at a place of a file, such as the subscript and the name of `x[i]`."""
    tree = parse_file(file)
    if tree is not None:
        yield from _by_place(tree).get((line, column), ())


@functools.lru_cache(maxsize=16)
def _by_place(tree: ast.Module) -> dict[tuple[int, int], list[ast.AST]]:
    found: dict[tuple[int, int], list[ast.AST]] = {}
    for node in ast.walk(tree):
        line = getattr(node, "lineno", None)
        if line is not None:
            column: int = node.col_offset  # type: ignore[attr-defined]  # every node with lineno has it
            found.setdefault((line, column), []).append(node)
    return found


def code_at(file: str, line: int, column: int, kinds: type | tuple[type, ...]) -> Any:
    """The largest piece of code of some kinds that begins at a place, or None."""
    return next((node for node in nodes_at(file, line, column) if isinstance(node, kinds)), None)
