"""The tools that `jaxscope mcp` offers to agents. Each answers in at most 2,000 bytes, with what
the command of the same purpose prints.

Programs are run one after the other, for what is measured must not be disturbed, and only where the
person who started the server allowed it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from jaxscope.cli.ask import find_answer, list_questions
from jaxscope.cli.calls import find_outline, outline_to_document
from jaxscope.cli.diff import compare
from jaxscope.cli.dispatch import format_error, sort_error
from jaxscope.cli.parser import Options
from jaxscope.client.events import Event, Progress
from jaxscope.client.live_run import Run
from jaxscope.client.multi_process_runs import CompositeRun
from jaxscope.client.one_shot import OnEvent
from jaxscope.client.subjects import is_saved
from jaxscope.errors import UsageError
from jaxscope.model.file_kinds import CAPTURE_ENDINGS
from jaxscope.report.answers import MAX_BYTES, answer_to_json
from jaxscope.report.diff import describe_changes
from jaxscope.report.document import write_text
from jaxscope.schema.json_text import write_json
from jaxscope.schema.safe_text import make_safe_line
from jaxscope.version import __version__

_MAX_CHARS = 4000
_MAX_SHOWN = 200
_MAX_LINE = 300
_SAVED = "a saved capture (.jaxscope or .json)"
_CALL = "such as grad(loss)(f32[8, 2]), where f32[8, 2] is a random array of that type and shape"

_File = Annotated[str, Field(description="Path of a Python file.", max_length=_MAX_CHARS)]
_Asked = Annotated[
    str,
    Field(
        description=f"Path of {_SAVED}; of a Python file where runs are allowed.",
        max_length=_MAX_CHARS,
    ),
]
_Question = Annotated[
    str,
    Field(
        description="A name that the tool questions lists, such as costs, memory or nan; or a "
        "sentence. What became of a line: 'line 12', or 'model.py:12'.",
        max_length=_MAX_CHARS,
    ),
]
_Call = Annotated[
    str,
    Field(
        description=f"A Python call of the file, {_CALL}. Empty: that of the saved capture, or "
        "the first that the file offers.",
        max_length=_MAX_CHARS,
    ),
]
_Side = Annotated[
    str,
    Field(
        description=f"Path of {_SAVED}; where runs are allowed FILE.py or FILE.py::CALL, too.",
        max_length=_MAX_CHARS,
    ),
]


class _Ending(threading.Event):
    """Follows the runs of one request, to end them when nobody waits for the answer any more.

    Args:
        tell: Sends what is being done to the agent, if it asked for that.
    """

    def __init__(self, tell: Callable[[int, str], None]) -> None:
        super().__init__()
        self._run: Run | CompositeRun | None = None
        self._tell = tell
        self._steps: list[str] = []

    def __call__(self, event: Event) -> None:
        """Tell each new step of a run. What a program prints is not sent."""
        if isinstance(event, Progress) and not self.is_set() and event.text not in self._steps[-1:]:
            self._steps.append(event.text)
            self._tell(len(self._steps), f"{make_safe_line(event.text)[:_MAX_SHOWN]} …")

    def follow(self, run: Run | CompositeRun) -> None:
        """Take the run that has just been started."""
        self._run = run
        if self.is_set():
            run.kill()

    def end(self) -> None:
        """End the run, and each that is started yet."""
        self.set()
        run = self._run
        if run is not None and not run.is_over:
            run.kill()


class AgentTools:
    """The tools that `jaxscope mcp` offers to an agent.

    Attributes:
        options: Of the command line; what they say of runs holds for each.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self._endings: set[_Ending] = set()
        self._turn = asyncio.Lock()

    def make_server(self) -> MCPServer[None]:
        """The server of the protocol, with the tools."""
        may_run = self.options.allow_run
        server: MCPServer[None] = MCPServer(
            "jaxscope",
            instructions="Says what JAX and XLA do with a call of a Python file: what it costs, "
            "what became of its lines, where NaN begins, what it needs of memory. "
            f"{'Python files are run.' if may_run else 'No program is run.'} "
            "Relative paths begin in the folder that the server was started in.",
            version=__version__,
            log_level="WARNING",
        )
        reads = ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        )
        # What runs is the user's program, which may do anything.
        runs = ToolAnnotations(
            read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True
        )
        answers = runs if may_run else reads
        run = "A Python file is run for that." if may_run else "Nothing is run."
        for function, title, told, hints in (
            (self.questions, "Questions", "List the questions that the tool ask answers.", reads),
            (
                self.calls,
                "Calls of a file",
                "List the calls that a Python file offers, and its functions. The file is read, "
                "not run.",
                reads,
            ),
            (
                self.ask,
                "Ask",
                f"Answer a question about a call: a sentence or two, then facts, each with its "
                f"line and how certain it is, as JSON of at most 2 kB. {run}",
                answers,
            ),
            (
                self.changes,
                "What changed",
                f"Say in at most 15 lines what differs between two captured programs: costs, "
                f"memory, what became of equations, stages, equations with their lines. {run}",
                answers,
            ),
        ):
            server.add_tool(
                function, title=title, description=told, annotations=hints, structured_output=False
            )
        return server

    async def questions(self) -> str:
        """List the questions that `ask` can answer."""
        return list_questions()

    async def calls(self, file: _File, context: Context) -> str:
        """List what a file offers."""
        options = dataclasses.replace(self.options, verb="calls", file=Path(file))

        def find(on_event: OnEvent) -> str:
            found = find_outline(options, on_event)
            return _shorten(write_text(outline_to_document(file, found)))

        return await self._answer(find, context)

    async def ask(
        self, file: _Asked, question: _Question, context: Context, call: _Call = ""
    ) -> str:
        """Answer a named question about a call."""
        options = dataclasses.replace(
            self.options, verb="ask", file=Path(file), question=question, call=call or None
        )

        def find(on_event: OnEvent) -> str:
            self._check(file, is_saved=file.endswith(CAPTURE_ENDINGS))
            return write_json(answer_to_json(*find_answer(options, on_event)))

        return await self._answer(find, context)

    async def changes(self, before: _Side, after: _Side, context: Context) -> str:
        """Describe what differs between two calls or captures."""
        options = dataclasses.replace(self.options, verb="diff", others=(before, after))

        def find(on_event: OnEvent) -> str:
            for side in options.others:
                self._check(side, is_saved=is_saved(side))
            return _shorten("\n".join(describe_changes(compare(options, on_event))))

        return await self._answer(find, context)

    def end(self) -> None:
        """Stop the request that is running."""
        for ending in tuple(self._endings):
            ending.end()

    def _check(self, name: str, *, is_saved: bool) -> None:
        """Raises: UsageError: It is to be run, which the person did not allow."""
        if self.options.allow_run or is_saved:
            return
        raise UsageError(
            f"{name[:_MAX_SHOWN]} is no saved capture, and this server was started without "
            "permission to run programs.",
            why="To answer, it would have to run the file.",
            remedy="Name a saved capture, such as the person makes by `jaxscope capture FILE.py "
            "CALL -o saved.jaxscope`; or let the person start the server as "
            "`jaxscope mcp --allow-run`.",
        )

    async def _answer(self, find: Callable[[OnEvent], str], context: Context) -> str:
        """Work on a thread; when the request is cancelled, what is being run is ended."""
        loop = asyncio.get_running_loop()

        def tell(step: int, text: str) -> None:
            asyncio.run_coroutine_threadsafe(context.report_progress(step, None, text), loop)

        ending = _Ending(tell)
        self._endings.add(ending)
        try:
            async with self._turn:
                return await asyncio.to_thread(_find, find, ending)
        finally:
            ending.end()
            self._endings.discard(ending)


def _find(find: Callable[[OnEvent], str], ending: _Ending) -> str:
    """Raises: ToolError: Why there is no answer, as the command line says it."""
    try:
        return find(ending)
    except Exception as error:
        raise ToolError(_shorten(format_error(sort_error(error)))) from None


def _shorten(text: str) -> str:
    """The first lines that fit, and the last, since an error ends with what to try."""
    if len(text.encode()) <= MAX_BYTES:
        return text
    *lines, last = (
        line if len(line) <= _MAX_LINE else f"{line[: _MAX_LINE - 2]} …"
        for line in text.splitlines()
    )
    kept: list[str] = []
    room = MAX_BYTES - len(last.encode()) - len("[… 1,000,000 lines left out …]\n".encode())
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            kept.append(f"[… {len(lines) - len(kept):,} lines left out …]")
            break
        kept.append(line)
    return "\n".join([*kept, last])
