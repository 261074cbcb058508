"""Captures and reports as a prompt and a notebook show them.

The model knows no HTML; what `jaxscope.capture` and its kin return is the model's capture with one
method more, which Jupyter looks for. Comparisons and reports show the text of the command line, and
so do errors, in place of every frame of JAX and of ours. `%load_ext jaxscope` adds the magic
`%%jaxscope`.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import dataclasses
import gzip
import html
import os
from pathlib import Path
from typing import Any

from jaxscope.errors import CallError, JaxscopeError, UsageError
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Cost, Unavailable, is_available
from jaxscope.model.capture import Checked
from jaxscope.model.dumps import FoundDumps
from jaxscope.model.experiments import Bisection, RematPolicies
from jaxscope.model.file_kinds import CAPTURE_ENDINGS, JSON_ENDING
from jaxscope.model.said import say
from jaxscope.model.tracing import Tracing
from jaxscope.model.values import Values
from jaxscope.program.diff.captures import Comparison
from jaxscope.program.sharding.placement import PlacementReport
from jaxscope.report.opened import describe_capture
from jaxscope.schema.rank_store import RankStore

MAX_PAGE_BYTES = 8 << 20
"""A notebook stores what it shows; beyond this it gets a table instead of the linked page."""

_HEIGHT_PX = 720


@dataclass(frozen=True, eq=False, repr=False)
class ShownCapture(Capture):
    """A capture that shows itself: a line per stage at a prompt, linked panes in a notebook."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, which `jaxscope.load` and the window open without running anything.

        Args:
            path: Ends with `.jaxscope`, or with `.json` for the JSON that scripts read.

        Raises:
            jaxscope.errors.UsageError: The name ends otherwise, or its folder does not exist.
            jaxscope.errors.EnvironmentProblem: The disk refuses.
        """
        place = Path(path)
        if place.suffix not in CAPTURE_ENDINGS:
            raise UsageError(
                f"{place.name} is no name of a capture's file.",
                remedy=f"End it with {' or '.join(CAPTURE_ENDINGS)}.",
            )
        if place.suffix == JSON_ENDING:
            from jaxscope.cli.output import check_place, write_file
            from jaxscope.export.capture_json import format_json

            check_place(place)
            text = format_json(self)
            write_file(place, lambda draft: _write(draft, text))
            return
        from jaxscope.schema.archive import save_capture

        save_capture(self, place)

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the instructions that run as kernels of the compiled program, in its order.

        One in a loop counts once. Their work is in `stage("optimized").graph`.

        Raises:
            jaxscope.errors.JaxscopeError: They are not known; says why.
        """
        from jaxscope.program.cost.kernels import name_kernels

        found = name_kernels(self)
        if isinstance(found, Unavailable):
            raise JaxscopeError(say("The kernels are not known."), why=found.reason)
        return found

    @property
    def cost(self) -> Cost:
        """Work of one run by XLA's rules: `flops`, `bytes_accessed` and `transcendentals`, NaN
        where not known. Of the compiled program, or of what comes before it where there is none.
        """
        stages = map(self.stage, ("optimized", "hlo", "stablehlo", "jaxpr"))
        known = (stage.cost for stage in stages if stage is not None and stage.cost.is_known)
        return next(known, Cost())

    def __repr__(self) -> str:
        return describe_capture(self)

    def _repr_html_(self) -> str:
        from jaxscope.export.html import capture_to_html

        shown = [stage.name for stage in self.stages if is_available(stage.text)]
        if shown:
            right = "optimized" if "optimized" in shown else shown[-1]
            page = capture_to_html(self, right)
            if len(page) <= MAX_PAGE_BYTES:
                return _frame(page)
        return f"<pre>{html.escape(repr(self))}</pre>"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def make_shown(capture: Capture) -> ShownCapture:
    """The same capture, fit for a prompt and for a notebook."""
    fields = {field.name: getattr(capture, field.name) for field in dataclasses.fields(Capture)}
    return ShownCapture(**fields)


@dataclass(frozen=True, eq=False, repr=False)
class ShownComparison(Comparison):
    """A comparison that shows itself: what `jaxscope diff` prints, or its page in a notebook."""

    def __repr__(self) -> str:
        from jaxscope.report.diff import comparison_to_document
        from jaxscope.report.document import write_text

        return write_text(comparison_to_document(self))

    def _repr_html_(self) -> str:
        from jaxscope.export.diff_html import comparison_to_html

        page = comparison_to_html(self)
        if len(page) <= MAX_PAGE_BYTES:
            return _frame(page)
        return f"<pre>{html.escape(repr(self))}</pre>"


@dataclass(frozen=True, repr=False)
class ShownPolicies(RematPolicies):
    """Remat policies that show themselves as a table."""

    def __repr__(self) -> str:
        from jaxscope.report.document import write_text
        from jaxscope.report.memory import remat_to_document

        return write_text(remat_to_document(self))


@dataclass(frozen=True, repr=False)
class ShownBisection(Bisection):
    """What a bisection found, which shows itself: what `jaxscope bisect` prints."""

    def __repr__(self) -> str:
        from jaxscope.report.bisect import bisection_to_document
        from jaxscope.report.document import write_text

        return write_text(bisection_to_document(self))


@dataclass(frozen=True, repr=False)
class ShownValues(Values):
    """Values that show themselves: what `jaxscope values` prints."""

    def __repr__(self) -> str:
        from jaxscope.report.document import write_text
        from jaxscope.report.values import values_to_document

        return write_text(values_to_document(self))


@dataclass(frozen=True, repr=False)
class ShownTracing(Tracing):
    """A trace that shows itself: what `jaxscope values --tracing` prints."""

    def __repr__(self) -> str:
        from jaxscope.report.document import write_text
        from jaxscope.report.tracing import tracing_to_document

        return write_text(tracing_to_document(self))


@dataclass(frozen=True, repr=False)
class ShownChecks(Checked):
    """Findings that show themselves: what `jaxscope check` prints."""

    def __repr__(self) -> str:
        from jaxscope.report.checks import checks_to_document
        from jaxscope.report.document import write_text

        return write_text(checks_to_document(self))


@dataclass(frozen=True, eq=False, repr=False)
class ShownPlacement(PlacementReport):
    """A report on devices that shows itself: what `jaxscope sharding` prints."""

    def __repr__(self) -> str:
        from jaxscope.report.document import write_text
        from jaxscope.report.sharding import placement_to_document

        return write_text(placement_to_document(self))


class ShownRanks(RankStore):
    """What many ranks recorded, which shows itself: what `jaxscope ranks` prints."""

    def __repr__(self) -> str:
        from jaxscope.report.document import write_text
        from jaxscope.report.ranks import ranks_to_document

        return write_text(ranks_to_document(self))


@dataclass(frozen=True, repr=False)
class OpenedModules(FoundDumps):
    """What a job left behind, which shows itself: the list that `jaxscope open` prints."""

    def capture(self, name: str | None = None) -> ShownCapture:
        """A module as a capture with every stage that is there; nothing of it is run.

        Args:
            name: Of the list; None for the largest.

        Raises:
            jaxscope.errors.UsageError: There is no such module.
            jaxscope.errors.SourceError: Nothing of it can be read.
        """
        from jaxscope.client.dump_reader import open_found

        return make_shown(open_found(self, name))

    def __repr__(self) -> str:
        from jaxscope.report.document import write_text
        from jaxscope.report.opened import opened_to_document

        return write_text(opened_to_document(self))


_LOADER = """<!DOCTYPE html><meta charset="utf-8"><body>
<noscript>This page needs scripts.</noscript>
<script>
{ // a block: what is written next shares the names of this script
const bytes = Uint8Array.from(atob("%s"), (letter) => letter.charCodeAt(0));
if (window.DecompressionStream) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  new Response(stream).text().then((page) => {
    document.open();
    document.write(page);
    document.close();
  });
} else document.body.textContent = "This page needs a browser of 2023 or later.";
}
</script></body>"""

_THEMES = """<style>
[data-jp-theme-light="false"] .jaxscope-page, .vscode-dark .jaxscope-page,
.vscode-high-contrast .jaxscope-page, html[theme="dark"] .jaxscope-page { color-scheme: dark }
[data-jp-theme-light="true"] .jaxscope-page, .vscode-light .jaxscope-page,
.vscode-high-contrast-light .jaxscope-page,
html[theme="light"] .jaxscope-page { color-scheme: light }
</style>"""
"""What Jupyter, VS Code and Colab say of their theme; the page in the frame takes it for the
system's."""


def _frame(page: str) -> str:
    """The page in a frame of its own: neither it nor the notebook can touch the other.

    A notebook keeps what it shows in its file, so the page is compressed: 153 kB of a small program
    are 47 kB.
    """
    packed = base64.b64encode(gzip.compress(page.encode(), mtime=0)).decode()
    return (
        f"<div>{_THEMES}"
        f'<iframe class="jaxscope-page" sandbox="allow-scripts" '
        f'style="width:100%;height:{_HEIGHT_PX}px;border:0" '
        f'srcdoc="{html.escape(_LOADER % packed, quote=True)}"></iframe></div>'
    )


# IPython: errors as one block, and the magic.


def _render_error(error: JaxscopeError) -> list[str]:
    """What IPython shows of an error: the message of the command line, in place of all frames."""
    from jaxscope.cli.dispatch import format_error

    return format_error(error).splitlines()


JaxscopeError._render_traceback_ = _render_error  # type: ignore[attr-defined] # IPython calls it


def add_magic(shell: Any) -> None:
    """Add `%jaxscope CALL` and `%%jaxscope` to a running IPython.

    Args:
        shell: Its `InteractiveShell`.
    """

    def jaxscope(line: str, cell: str | None = None) -> ShownCapture | None:
        """Run the lines of a cell, and capture the call that ends it: it is compiled, not run.

            %%jaxscope
            w = jnp.ones((8, 2))
            grad(loss)(w, f32[4, 8])

        The call may use what calls on files may: `f32[4, 8]` is an array, `key(0)` a key, JAX's
        transforms go by their bare names. `%jaxscope CALL` captures a call of one line.
        """
        return _run_magic(shell, line, cell)

    shell.register_magic_function(jaxscope, "line_cell", "jaxscope")


def _run_magic(shell: Any, line: str, cell: str | None) -> ShownCapture | None:
    """The capture; None where the cell failed, which IPython has shown then."""
    from jaxscope.in_process import capture_text

    if cell is None:
        return make_shown(capture_text(line, shell.user_ns))
    if line.strip():
        raise UsageError(
            f"%%jaxscope takes nothing on its own line, which has {line.strip()!r}.",
            remedy="Write the call at the end of the cell, or `%jaxscope CALL` without a cell.",
        )
    text = shell.transform_cell(cell)
    statements = None
    with contextlib.suppress(SyntaxError):
        statements = ast.parse(text).body
    if statements is None:
        shell.run_cell(cell)  # which shows what is wrong with it
        return None
    if not statements or not isinstance(last := statements[-1], ast.Expr):
        raise CallError(
            "The cell ends in no call.",
            why="%%jaxscope captures the call that is the last expression of its cell.",
            remedy="Such as: grad(loss)(w, f32[4, 8])",
        )
    lines = text.splitlines(keepends=True)
    before = "".join(lines[: last.lineno - 1])
    if before.strip() and not shell.run_cell(before).success:
        return None
    call = ast.get_source_segment(text, last) or ""
    return make_shown(capture_text(call, shell.user_ns))
