"""A worker may be taken over by what it runs: nothing that it sends is believed unchecked."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from jaxscope.client.events import Event, Progress
from jaxscope.client.live_run import MAX_PROGRESS_BURST
from jaxscope.client.requests import CaptureRequest, OutlineRequest, Request
from jaxscope.client.session import Session
from jaxscope.client.supervisor_link import LocalLink
from jaxscope.errors import InternalError, JaxscopeError, SourceError, WorkerLost
from jaxscope.model import Capture, Graph, GraphBuilder, NodeKind, Unavailable
from jaxscope.model.graph import graph_to_arrays
from jaxscope.model.outline import Outline
from jaxscope.wire.frames import HEADER
from jaxscope.wire.messages import Message, encode_message
from tests.processes.impostor import write_impostor

PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(is_warm=False, link=LocalLink()) as session:
        yield session


def outline_of(python: str) -> Request:
    return OutlineRequest(__file__, python=python)


def failure(session: Session, request: Request) -> JaxscopeError:
    with pytest.raises(JaxscopeError) as caught:
        session.start(request).wait(PATIENCE_S)
    return caught.value


NONSENSE = {
    "no frame": "raw(b'hello, world' * 10)",
    "a huge frame": "raw(struct.pack('<IB', 2**31, 1))",
    "an unknown kind of frame": "raw(struct.pack('<IB', 0, 99))",
    "no JSON": "frame(b'{\"type\": ')",
    "no object": "frame(b'[1, 2]')",
    "JSON nested deeply": "frame(b'[' * 500_000)",
    "fields nested deeply": "say('progress', step='', text='', extra=eval('[' * 50 + ']' * 50))",
    "a blob without a header": "frame(b'data', 2)",
    "an array of 4 TB": "say('outline', arrays=[['a', 'float64', [2**39]]])",
    "an array of objects": "say('outline', arrays=[['a', 'object', [1]]])",
    "an array that is too long": "say('x', arrays=[['a', 'uint8', [2]]]); frame(b'123', 2)",
    "a wrong type": "say('outline', functions=3, calls=[], doc='')",
    "a negative line": "say('outline', functions=[], calls=[{'call': 'f', 'line': -1}], doc='')",
    "too many calls": "say('outline', functions=[], doc='', calls=[{'call': '', 'line': 1}] * 501)",
    "an unknown fault": "say('failed', fault='yours', stage=None, explanation={'what': ''})",
    "done without an answer": "say('done', wall_seconds=0.0)",
    "messages without end": "for _ in range(20_000): say('message', text='x' * 1000)",
    "progress without a text": "say('progress', step='import')",
}


@pytest.mark.sweep(8)
@pytest.mark.parametrize("code", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_ends_the_run(session: Session, tmp_path: Path, code: str) -> None:
    python = write_impostor(tmp_path, f"{code}\ntime.sleep(3600)")
    error = failure(session, outline_of(python))

    assert type(error) is WorkerLost
    assert error.explanation.kind == "ProtocolViolation"


def test_messages_of_another_run_are_dropped(session: Session, tmp_path: Path) -> None:
    python = write_impostor(
        tmp_path,
        "say('outline', run='0123', functions=[], calls=[], doc='forged')\n"
        "say('outline', functions=[], calls=[], doc='true')\n"
        "say('done', run='0123', wall_seconds=0.0)\n"
        "say('done', wall_seconds=0.0)",
    )
    outline = session.start(outline_of(python)).wait(PATIENCE_S)

    assert isinstance(outline, Outline)
    assert outline.doc == "true"


def test_what_comes_after_the_end_is_ignored(session: Session, tmp_path: Path) -> None:
    python = write_impostor(
        tmp_path,
        "say('outline', functions=[], calls=[], doc='true')\n"
        "say('done', wall_seconds=0.0)\n"
        "say('outline', functions=[], calls=[], doc='late')\n"
        "say('failed', fault='trace', stage=None, explanation={'what': 'late'})",
    )
    outline = session.start(outline_of(python)).wait(PATIENCE_S)

    assert isinstance(outline, Outline)
    assert outline.doc == "true"


def test_numbers_that_are_none_do_no_harm(session: Session, tmp_path: Path) -> None:
    python = write_impostor(
        tmp_path,
        "head = dict(call='f()', base='f', transforms=[], target='cpu', arguments=[], results=[],"
        " source={}, environment={})\n"
        "say('head', **head)\n"
        "stage = dict(name='jaxpr', title='', form='none', unavailable=None)\n"
        "nan = float('nan')\n"
        "say('stage', seconds=nan, cost=[nan, float('inf'), -1.0], **stage)\n"
        "say('done', wall_seconds=nan)",
    )
    request = CaptureRequest(__file__, "f()", python=python)
    capture = session.start(request).wait(PATIENCE_S)

    assert isinstance(capture, Capture)
    assert isinstance(capture.stages[0].seconds, Unavailable)
    assert not capture.stages[0].cost.is_known
    assert capture.wall_seconds == 0.0


def forge_stage(arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    """Code of an impostor that sends a head and then a stage with these arrays for its graph."""
    fields = {"name": "jaxpr", "title": "", "form": "graph", "unavailable": None, "seconds": 0.0}
    frames = b"".join(encode_message(Message("stage", fields, dict(arrays))))
    size, _ = HEADER.unpack_from(frames)
    header, blobs = frames[HEADER.size :][:size], frames[HEADER.size + size :]
    return (
        "say('head', call='f()', base='f', transforms=[], target='cpu', arguments=[], results=[],"
        " source={}, environment={})\n"
        f"frame(json.dumps(dict(json.loads({header!r}), run=RUN)).encode())\n"
        f"raw({blobs!r})\n"
        "say('done', wall_seconds=0.0)"
    )


def real_graph() -> dict[str, npt.NDArray[Any]]:
    builder = GraphBuilder()
    first = builder.add_node("0", NodeKind.EQUATION, "sin")
    second = builder.add_node("1", NodeKind.EQUATION, "cos")
    builder.add_edge(first, second, type="f32[]")
    return dict(graph_to_arrays(builder.build()))


def test_a_graph_that_is_as_it_should_be(session: Session, tmp_path: Path) -> None:
    """So that the forged ones below fail for what was forged."""
    python = write_impostor(tmp_path, forge_stage(real_graph()))
    capture = session.start(CaptureRequest(__file__, "f()", python=python)).wait(PATIENCE_S)

    assert isinstance(capture, Capture)
    assert isinstance(capture.stages[0].graph, Graph)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("value", (-7, 1000, 2**31 - 1))
@pytest.mark.parametrize("column", ("edge.target", "node.id", "node.group", "edge.type"))
def test_a_forged_graph_costs_only_itself(
    session: Session, tmp_path: Path, column: str, value: int
) -> None:
    arrays = real_graph()
    arrays[column] = np.full_like(arrays[column], value)
    python = write_impostor(tmp_path, forge_stage(arrays))
    capture = session.start(CaptureRequest(__file__, "f()", python=python)).wait(PATIENCE_S)

    assert isinstance(capture, Capture)
    assert isinstance(capture.stages[0].graph, Unavailable)
    assert "could not be drawn" in capture.stages[0].graph.reason


def test_texts_lose_their_escapes(session: Session, tmp_path: Path) -> None:
    python = write_impostor(
        tmp_path,
        "say('progress', step='x', text='\\x1b[2Jboo \\u202ehcae')\n"
        "say('failed', fault='source', stage=None, explanation={'what': '\\x1b]0;t\\x07bad'})\n",
    )
    events: list[Event] = []
    with pytest.raises(SourceError, match=r"^bad$"):
        session.start(outline_of(python), events.append).wait(PATIENCE_S)

    assert [event.text for event in events if isinstance(event, Progress)] == ["boo hcae"]


def test_a_message_that_breaks_off(session: Session, tmp_path: Path) -> None:
    python = write_impostor(tmp_path, "raw(struct.pack('<IB', 100, 1) + b'{\"typ')\nos._exit(5)")
    error = failure(session, outline_of(python))

    assert type(error) is WorkerLost
    assert error.explanation.kind == "EXIT(5)"


def test_an_event_function_that_raises_ends_the_run_and_not_the_session(
    session: Session, tmp_path: Path
) -> None:
    python = write_impostor(tmp_path, "say('progress', step='', text='')\ntime.sleep(3600)")

    def fail(_event: Event) -> None:
        raise ZeroDivisionError

    with pytest.raises(InternalError):
        session.start(outline_of(python), fail).wait(PATIENCE_S)


HEAD = (
    "say('head', call='f()', base='f', transforms=[], target='cpu', arguments=[], results=[],"
    " source={}, environment={})\n"
)


def test_many_messages_are_counted_and_not_all_kept(session: Session, tmp_path: Path) -> None:
    python = write_impostor(
        tmp_path,
        f"{HEAD}for _ in range(2000): say('message', text='again')\n"
        "say('message', text='x' * 900_000)\nsay('done', wall_seconds=0.0)",
    )
    capture = session.start(CaptureRequest(__file__, "f()", python=python)).wait(PATIENCE_S)

    assert isinstance(capture, Capture)
    assert len(capture.messages) == 501
    assert capture.messages[-1] == "1501 more messages were left out."


@pytest.mark.slow
def test_a_flood_of_progress_is_not_told_in_full(session: Session, tmp_path: Path) -> None:
    python = write_impostor(
        tmp_path,
        f"{HEAD}for _ in range(5000): say('progress', step='x', text='again')\n"
        "say('done', wall_seconds=0.0)",
    )
    events: list[Event] = []
    request = CaptureRequest(__file__, "f()", python=python)
    start = time.monotonic()
    session.start(request, events.append).wait(PATIENCE_S)
    seconds = time.monotonic() - start

    told = [event for event in events if isinstance(event, Progress)]
    assert MAX_PROGRESS_BURST <= len(told) <= MAX_PROGRESS_BURST + 20 * seconds + 1
