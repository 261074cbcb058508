"""`mcp`: what agents may ask, through the protocol's own client; what they may not; how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cli.commands import CommandLine, processes_with, wait_for
from cli.conftest import PLANTED
from cli.test_ask import PROGRAM
from jaxscope.cli.parser import parse
from jaxscope.report.answers import MAX_BYTES, QUESTIONS
from jaxscope.report.diff import MOST_LINES
from tests.checks import planted
from tests.values import causes
from tests.values.test_causes import guilty_line

if TYPE_CHECKING:  # it takes a second of every process that collects tests
    from mcp import Client, StdioServerParameters

MORE = """

shrunk = jax.jit(lambda x: x.sum(axis=0), donate_argnums=0)


def flipped(x):
    return jnp.sort(x.T, axis=0) + 1.0


def endless(x):
    open(__file__ + ".begun", "w").close()
    while True:
        pass


def masked(x):
    return x[x > 3]


def loud(x):
    import os, sys
    print("printed"), os.write(1, b'{"jsonrpc": "2.0"}\\n'), os.system("echo by a child")
    return x * 2
"""
Reply = tuple[bool, str]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mcp") / "program.py"
    path.write_text(PROGRAM + MORE, encoding="utf-8")
    return path


def talk(work: Callable[[Client], Awaitable[Any]], *words: str) -> Any:
    """Let a client speak to the tools of `jaxscope mcp WORDS` in this process."""
    from mcp import Client

    from jaxscope.cli.agent_tools import AgentTools

    async def run() -> Any:
        async with Client(AgentTools(parse(["mcp", *words])).make_server()) as client:
            return await work(client)

    return asyncio.run(run())


async def use(client: Client, tool: str, arguments: dict[str, Any]) -> Reply:
    """Whether it failed, and what it said."""
    found = await client.call_tool(tool, arguments)
    (part,) = found.content
    return bool(found.is_error), part.text


def reply(words: tuple[str, ...], tool: str, **arguments: Any) -> Reply:
    """The answer to one use of a tool."""
    values = {name: str(v) if isinstance(v, Path) else v for name, v in arguments.items()}
    return talk(lambda client: use(client, tool, values), *words)


def fail(words: tuple[str, ...], tool: str, **arguments: Any) -> str:
    """What a tool says that fails."""
    is_error, text = reply(words, tool, **arguments)
    assert is_error, text
    assert len(text.encode()) <= MAX_BYTES + 100, text
    return text


def succeed(words: tuple[str, ...], tool: str, **arguments: Any) -> str:
    """What a tool says that answers."""
    is_error, text = reply(words, tool, **arguments)
    assert not is_error, text
    assert len(text.encode()) <= MAX_BYTES, text
    return text


READING: tuple[str, ...] = ()
RUNNING = ("--allow-run",)


@pytest.mark.parametrize("words", [READING, RUNNING])
def test_the_tools_say_what_they_do(words: tuple[str, ...]) -> None:
    found = {tool.name: tool for tool in talk(lambda client: client.list_tools(), *words).tools}

    assert set(found) == {"questions", "calls", "ask", "changes"}
    for name, tool in found.items():
        assert tool.description and tool.annotations, name
        assert all(field["description"] for field in tool.input_schema["properties"].values())
        reads = name in ("questions", "calls") or not words
        assert tool.annotations.read_only_hint is reads
        assert tool.annotations.destructive_hint is not reads
        assert tool.annotations.open_world_hint is not reads
    assert found["ask"].input_schema["required"] == ["file", "question"]


def test_the_questions_are_those_of_ask(jaxscope: CommandLine, saved: Path) -> None:
    told = succeed(READING, "questions")
    assert told == jaxscope("ask", saved, "help").output.rstrip("\n")


@pytest.mark.parametrize("question", [q.name for q in QUESTIONS if q.needs == "capture"])
def test_an_answer_is_that_of_the_command_line(
    jaxscope: CommandLine, saved: Path, question: str
) -> None:
    asked = "line 14" if question == "line" else question
    told = succeed(READING, "ask", file=saved, question=asked)
    assert told == jaxscope("ask", saved, asked, "--json").output.rstrip("\n")
    assert json.loads(told)["question"] == question


def test_a_file_is_read_and_not_run(tmp_path: Path) -> None:
    file = tmp_path / "loud.py"
    file.write_text("# jaxscope: f(1)\nraise SystemExit('it ran')\n\ndef f(x, y=2):\n    'Doc.'\n")
    told = succeed(READING, "calls", file=file)
    assert "  f(1)\n" in told
    assert "f(x, y=2)  Doc." in told


def test_a_long_list_of_calls_is_cut(tmp_path: Path) -> None:
    file = tmp_path / "long.py"
    functions = "".join(f"def function_{n}(x): ...\n" for n in range(1000))
    file.write_text("# jaxscope: function_0(1)\n" + functions)
    told = succeed(READING, "calls", file=file)
    assert re.search(r"^\[… [89]\d\d lines left out …\]$", told, re.M)
    assert told.endswith("function_999(x)")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("ask", {"file": "program.py", "question": "costs", "call": PLANTED}),
        ("ask", {"file": "program.py", "question": "nan"}),
        ("changes", {"before": "program.py", "after": "program.py::double(f32[4])"}),
        ("changes", {"before": "program.jaxscope", "after": "program.py"}),
        ("changes", {"before": "program.jaxscope", "after": "program.py::double(1)  # .json"}),
        ("ask", {"file": "program.jaxscope/../program.py", "question": "costs"}),
    ],
)
def test_nothing_is_run_without_permission(
    saved: Path, tool: str, arguments: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(saved.parent)
    monkeypatch.setattr("jaxscope.client.one_shot.Session", None)  # no process can be started
    told = fail(READING, tool, **arguments)
    assert re.search(r"program.py\S*( .*)? is no saved capture", told)
    assert "jaxscope mcp --allow-run" in told


def test_a_saved_capture_cannot_answer_what_takes_a_run(saved: Path) -> None:
    assert "takes a run" in fail(READING, "ask", file=saved, question="recompiled")


def test_a_run_answers_where_it_is_allowed(program: Path) -> None:
    told = succeed(RUNNING, "ask", file=program, call=PLANTED, question="where is the NaN?")
    found = json.loads(told)
    assert found["question"] == "nan"
    assert "program.py:15" in found["answer"]


def test_a_run_tells_how_far_it_is(program: Path) -> None:
    told: list[tuple[float, str | None]] = []

    async def hear(step: float, _total: float | None, text: str | None) -> None:
        told.append((step, text))

    async def work(client: Client) -> Reply:
        asked = {"file": str(program), "call": PLANTED, "question": "kernels"}
        found = await client.call_tool("ask", asked, progress_callback=hear)
        (part,) = found.content
        return bool(found.is_error), part.text

    is_error, text = talk(work, *RUNNING)
    assert not is_error, text
    assert [step for step, _ in told] == [*range(1, len(told) + 1)]
    words = [text or "" for _, text in told]
    assert all(each.endswith(" …") for each in words)
    assert any("ompil" in each for each in words), words


def test_an_error_says_what_where_why_and_what_to_try(program: Path) -> None:
    told = fail(RUNNING, "ask", file=program, call="masked(f32[4])", question="costs")
    line = program.read_text().splitlines().index("    return x[x > 3]") + 1
    assert f"program.py:{line}: " in told
    assert "boolean" in told
    assert "\nTry: " in told


@pytest.mark.slow
def test_what_changed_is_told_in_fifteen_lines(
    program: Path, saved: Path, tmp_path: Path, jaxscope: CommandLine
) -> None:
    file, other = tmp_path / "program.py", tmp_path / "other.jaxscope"
    text = (PROGRAM + MORE).replace("jnp.tanh(carry @ TABLE)", "jnp.sin(jnp.tanh(carry @ TABLE))")
    file.write_text(text, encoding="utf-8")
    assert jaxscope("capture", file, PLANTED, "-o", other).status == 0

    told = succeed(READING, "changes", before=saved, after=other)
    assert len(told.splitlines()) <= MOST_LINES
    assert told.startswith("Different in jaxpr, ")
    assert "jaxpr differs: 2 changed, 1 added" in told
    assert re.search(r"jaxpr \+ .* = sin : f32\[8,64\] \(program.py:11\)", told)
    assert "transcendentals: The second has 3,584 more" in told  # 7 · 8 · 64

    same = succeed(READING, "changes", before=saved, after=saved).splitlines()
    assert same[0].startswith("Equal")
    assert len(same) == 3

    run = succeed(RUNNING, "changes", before=saved, after=f"{file}::{PLANTED}")
    assert "jaxpr differs: 2 changed, 1 added" in run


HOSTILE = [
    ("ask", {"file": "program.jaxscope", "question": "x" * 10_000}),
    ("ask", {"file": "program.jaxscope", "question": "?" * 4_000}),
    ("ask", {"file": "program.jaxscope", "question": "\0"}),
    ("ask", {"file": "program.jaxscope", "question": "costs", "call": "f(" * 2_000}),
    ("ask", {"file": "program.jaxscope", "question": "costs", "call": "x" * 1_000_000}),
    ("ask", {"file": "\0.jaxscope", "question": "costs"}),
    ("ask", {"file": "x" * 3_000 + ".json", "question": "costs"}),
    ("ask", {"file": "x" * 1_000_000 + ".json", "question": "costs"}),
    ("ask", {"file": "no.jaxscope", "question": "costs"}),
    ("ask", {"file": "pipe.json", "question": "costs"}),
    ("ask", {"file": "zero.jaxscope", "question": "costs"}),
    ("ask", {"file": "folder.json", "question": "costs"}),
    ("ask", {"file": "/dev/zero", "question": "costs"}),
    ("ask", {"file": "", "question": "costs"}),
    ("ask", {"file": ["program.jaxscope"], "question": {"costs": 1}}),
    ("ask", {}),
    ("calls", {"file": "\0"}),
    ("calls", {"file": "/dev/zero"}),
    ("calls", {"file": "pipe.json"}),
    ("calls", {"file": "pipe"}),
    ("calls", {"file": "."}),
    ("calls", {"file": "no.py"}),
    ("calls", {"file": "x" * 3_000}),
    ("changes", {"before": "pipe.json", "after": "zero.jaxscope"}),
    ("changes", {"before": "program.jaxscope", "after": "\0.json"}),
    ("changes", {"before": "x", "after": "::" * 1_000}),
    ("no such tool", {}),
]


def test_hostile_arguments_are_answered_with_what_is_wrong(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(saved.parent)
    os.mkfifo("pipe.json")
    os.mkfifo("pipe")
    os.symlink("/dev/zero", "zero.jaxscope")
    os.mkdir("folder.json")

    async def work(client: Client) -> list[Reply]:
        found = []
        for tool, arguments in HOSTILE:
            try:
                found.append(await use(client, tool, arguments))
            except Exception as error:  # the protocol's own refusal
                found.append((True, str(error)))
        return [*found, await use(client, "questions", {})]

    for words in (READING, RUNNING):
        *replies, last = talk(work, *words)
        for (tool, arguments), (is_error, text) in zip(HOSTILE, replies, strict=True):
            assert is_error, (tool, str(arguments)[:80], text)
            assert text and len(text.encode()) <= MAX_BYTES + 100
            assert "inside jaxscope" not in text, text
        assert not last[0], "it still answers"


def test_a_fault_of_ours_is_told_as_one(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_of_answer: object) -> None:
        raise RuntimeError("it was planted")

    monkeypatch.setattr("jaxscope.cli.agent_tools.find_answer", broken)
    told = fail(READING, "ask", file=saved, question="costs")
    assert "RuntimeError: it was planted" in told
    assert "bug in jaxscope" in told


def test_without_the_library_it_says_what_to_install(
    jaxscope: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "jaxscope.cli.agent_tools")
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    answer = jaxscope("mcp")
    assert answer.status == 3
    assert "needs the Python library mcp 2.3 or newer" in answer.errors
    assert "-m pip install 'mcp>=2.3,<3'" in answer.errors
    assert not answer.output


def test_its_output_is_the_protocol_alone(jaxscope: CommandLine) -> None:
    assert jaxscope("mcp", "--json").status == 2


# The process, as a client starts it.


def server(marker: str) -> StdioServerParameters:
    from mcp import StdioServerParameters

    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "jaxscope", "mcp", "--allow-run"],
        env={**os.environ, "JAXSCOPE_TEST_MARKER": marker},
    )


@pytest.mark.slow
def test_a_client_starts_it_asks_cancels_and_leaves_nothing(program: Path) -> None:
    from mcp import Client

    marker, begun = f"{time.time_ns()}", Path(f"{program}.begun")
    asked = {"file": str(program), "question": "checks"}

    async def work() -> None:
        async with Client(server(marker)) as client:
            assert len((await client.list_tools()).tools) == 4
            loud = {"file": str(program), "call": "loud(f32[4])", "question": "types"}
            is_error, text = await use(client, "ask", loud)
            assert not is_error and "6 f32" in text, text
            task = asyncio.ensure_future(
                client.call_tool("ask", {**asked, "call": "endless(f32[4])"})
            )
            await asyncio.to_thread(wait_for, begun.exists, 60.0)
            assert len(processes_with(marker)) > 1
            task.cancel()
            await asyncio.to_thread(wait_for, lambda: len(processes_with(marker)) == 1)
            assert not (await use(client, "questions", {}))[0]
            begun.unlink()
            task = asyncio.ensure_future(
                client.call_tool("ask", {**asked, "call": "endless(f32[4])"})
            )
            await asyncio.to_thread(wait_for, begun.exists, 60.0)
        task.cancel()  # its input was closed while it ran the program

    asyncio.run(work())
    begun.unlink()
    wait_for(lambda: not processes_with(marker))


@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM]
)
@pytest.mark.slow
def test_a_signal_ends_it_and_what_it_runs(program: Path, number: signal.Signals) -> None:
    marker, begun = f"{time.time_ns()}", Path(f"{program}.begun")
    process = subprocess.Popen(
        [sys.executable, "-m", "jaxscope", "mcp", "--allow-run"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "JAXSCOPE_TEST_MARKER": marker},
        start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None
    client = {"name": "test", "version": "1"}
    first = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    asked = {"file": str(program), "question": "costs", "call": "endless(f32[4])"}
    for message in (
        {"id": 1, "method": "initialize", "params": first},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "ask", "arguments": asked}},
    ):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()
        if message.get("id") == 1:
            assert json.loads(process.stdout.readline())["result"]["serverInfo"]
    wait_for(begun.exists, 60.0)
    process.send_signal(number)
    process.wait(30)  # though its input is still open
    begun.unlink()
    _, errors = process.communicate()
    assert process.returncode == 4
    assert errors.splitlines()[-1] == "jaxscope: Stopped."
    wait_for(lambda: not processes_with(marker))


CHECKS = [
    *("unrolled-loop", "cond-under-vmap", "callback-in-loop", "log-of-softmax", "cancellation"),
    *("low-precision-accumulation", "trace-time-random", "key-reuse"),
]
SAVED, HERE = "program.jaxscope", "program.py"
FAULTS: list[tuple[str, str, str, tuple[str, ...]]] = [
    *(
        ("checks", planted.__file__, planted.FAULTS[rule][0], (rule, "planted.py:"))
        for rule in CHECKS
    ),
    *(
        ("nan", causes.__file__, call, (f"causes.py:{guilty_line(call)}",))
        for call, _, _ in (*causes.CASES[:6], *causes.CASES[15:24])
    ),
    ("constants", SAVED, "", ("f32[64,64], 16.0 KiB",)),
    ("removed", SAVED, "", ("exp", "program.py:14")),
    ("line 14", SAVED, "", ("dead",)),
    ("loops", SAVED, "", ("7 rounds",)),
    ("recompiled", HERE, "", ("1 recompilation in 2 calls", "f32[3]", "f32[4]")),
    ("donation", HERE, "shrunk(f32[8, 8])", ("0 of 1 donated argument", "no result has its size")),
    ("copies", HERE, "flipped(f32[64, 128])", ("from the program", "transpose")),
]
"""The question, the file, the call, and what the answer must say."""


@pytest.mark.slow
def test_thirty_planted_faults_are_found_through_the_protocol(saved: Path) -> None:
    from mcp import Client

    assert len(FAULTS) == 30

    async def work() -> list[str]:
        missed = []
        async with Client(server(f"{time.time_ns()}")) as client:
            for question, file, call, wanted in FAULTS:
                asked = {"file": str(saved.parent / file), "question": question, "call": call}
                is_error, text = await use(client, "ask", asked)
                if is_error or not all(word in text for word in wanted):
                    missed.append(f"{question} of {call}: {text}")
                assert len(text.encode()) <= MAX_BYTES
        return missed

    assert not asyncio.run(work())
