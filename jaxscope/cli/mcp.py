"""`jaxscope mcp`: the answers of `ask`, `calls` and `diff` as tools of the Model Context Protocol.

The protocol goes through standard input and output. The server reads them on a thread that ends
with the process, so that Ctrl-C need not wait for a line that may never come.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
from typing import TYPE_CHECKING

from jaxscope.cli.parser import Options
from jaxscope.errors import EnvironmentProblem, UsageError

if TYPE_CHECKING:
    from jaxscope.cli.agent_tools import AgentTools

DEFAULT_TIMEOUT_S = 600.0
"""After which a run is stopped, for an agent may forget it."""
_WANTED = "mcp>=2.3,<3"


def run(options: Options) -> int:
    """Answer until standard input is closed.

    Raises:
        UsageError: `--json` was asked for.
        EnvironmentProblem: The protocol's library is not installed.
    """
    if options.is_json:
        raise UsageError(
            "Standard output carries the protocol, so nothing else is printed there.",
            remedy="Leave --json out.",
        )
    try:
        from jaxscope.cli.agent_tools import AgentTools
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "jaxscope":
            raise
        raise EnvironmentProblem(
            f"`jaxscope mcp` needs the Python library mcp 2.3 or newer: {error}.",
            kind="NotInstalled",
            remedy=f"{sys.executable} -m pip install '{_WANTED}'",
        ) from None
    if sys.stdin is None:  # closed when the process began
        return 0
    if sys.stdin.isatty():
        print(
            "A client of the Model Context Protocol starts this command, and speaks to it through "
            "standard input and output. Ctrl-C ends it.",
            file=sys.stderr,
        )
    if options.timeout_s is None:
        options = dataclasses.replace(options, timeout_s=DEFAULT_TIMEOUT_S)
    _serve(AgentTools(options))
    return 0


def _serve(tools: AgentTools) -> None:
    failures: list[BaseException] = []

    def answer() -> None:
        try:
            tools.make_server().run("stdio")
        except* (BrokenPipeError, ConnectionResetError):  # the client is gone
            pass
        except* BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=answer, name="jaxscope mcp", daemon=True)
    thread.start()
    try:
        thread.join()
    finally:
        tools.end()
    if failures:
        raise failures[0]
