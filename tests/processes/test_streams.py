"""Frames in whatever pieces they arrive; output cut to what can be shown."""

from __future__ import annotations

import io
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from jaxscope.client.supervisor_link import LocalLink
from jaxscope.marks import strip_controls
from jaxscope.schema.safe_text import HeadAndTail, clean_fields
from jaxscope.supervisor.pipes import close, make_pipes
from jaxscope.supervisor.worker_process import (
    FATAL,
    PIECE_BYTES,
    TAIL_BYTES,
    OutputMeter,
    WorkerProcess,
)
from jaxscope.wire.frames import (
    CONTROL,
    HEADER,
    MAX_FRAME_BYTES,
    FrameError,
    FrameKind,
    encode,
    encode_control,
    encode_frame,
    read_frame,
    split_relayed_frames,
)
from jaxscope.wire.messages import Message, encode_message, read_message


def test_frames_survive_any_cutting() -> None:
    frames = [(1, 7, b"x" * size) for size in (0, 1, 5000)] + [(2, 9, b"y"), (CONTROL, 0, b"{}")]
    stream = b"".join(encode(*frame) for frame in frames)
    cuts = random.Random(1)
    for _ in range(20):
        splitter = split_relayed_frames()
        found = []
        start = 0
        while start < len(stream):
            stop = start + cuts.randint(1, 700)
            found += [(h[1], h[2], data) for h, data in splitter.feed(stream[start:stop])]
            start = stop
        assert found == frames


def test_an_impossible_header_is_refused_before_its_payload_comes() -> None:
    splitter = split_relayed_frames()
    header = encode(1, 1, b"")[4:]
    too_long = (MAX_FRAME_BYTES + 1).to_bytes(4, "little") + header

    assert [h[1] for h, _ in splitter.feed(encode_control(1, {}))] == [CONTROL]
    with pytest.raises(FrameError):
        list(splitter.feed(too_long))


def test_a_frame_has_the_header_of_the_protocol() -> None:
    assert encode_frame(FrameKind.HEADER, b"{}") == b"\2\0\0\0\1{}"
    assert encode_frame(FrameKind.BLOB, b"x") == b"\1\0\0\0\2x"
    assert MAX_FRAME_BYTES == 2**20


@pytest.mark.parametrize("excess", [0, 1])
def test_the_largest_frame_passes_and_a_larger_one_is_refused(excess: int) -> None:
    payload = bytes(MAX_FRAME_BYTES + excess)
    frame = HEADER.pack(len(payload), FrameKind.BLOB) + payload
    if excess:
        with pytest.raises(ValueError, match="at most 1048576 bytes, not 1048577"):
            encode_frame(FrameKind.BLOB, payload)
        with pytest.raises(FrameError, match="1048577 bytes"):
            read_frame(io.BytesIO(frame).read)
    else:
        assert encode_frame(FrameKind.BLOB, payload) == frame
        assert read_frame(io.BytesIO(frame).read) == (FrameKind.BLOB, payload)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(FrameError, match="kind 3"):
        read_frame(io.BytesIO(HEADER.pack(0, 3)).read)


def test_fields_larger_than_a_frame_arrive_with_their_arrays() -> None:
    fields = {"names": [f"layer{number}" for number in range(200_000)], "run": "1f"}
    stream = io.BytesIO(b"".join(encode_message(Message("head", fields, {"cost": np.arange(3.0)}))))
    message = read_message(stream.read)

    assert message.type == "head"
    assert message.fields == fields
    assert list(message.arrays) == ["cost"]
    assert message.arrays["cost"].tolist() == [0.0, 1.0, 2.0]


def test_little_output_passes_unchanged() -> None:
    meter = OutputMeter()
    meter.add("grüße\n".encode()[:3])
    first = meter.take()
    meter.add("grüße\n".encode()[3:])

    assert first + meter.take() == "grüße\n"
    assert meter.take() == ""


def test_a_flood_is_cut_in_the_middle_and_counted() -> None:
    meter = OutputMeter()
    for _ in range(1000):
        meter.add(b"a" * 1000)
    meter.add(b"the end")
    text = meter.take()

    assert len(text) < PIECE_BYTES + 100
    assert text.startswith("aaa")
    assert text.endswith("the end")
    assert f"[… {1_000_007 - PIECE_BYTES} bytes left out …]" in text
    assert meter.num_bytes == 1_000_007
    assert len(meter.tail) == TAIL_BYTES


def test_the_lines_of_a_flood_are_counted_with_those_left_out() -> None:
    meter = OutputMeter()
    for number in range(20_000):
        meter.add(f"line {number}\n".encode())
    assert meter.take().count("\n") < 3_000
    assert meter.num_ends == 20_000
    meter.add(b"one\ntwo")
    assert (meter.take(), meter.num_ends) == ("one\ntwo", 1)


def test_head_and_tail_of_a_text() -> None:
    text = HeadAndTail(10)
    text.add("0123456")
    assert str(text) == "0123456"
    text.add("789abc" + "-" * 100 + "the tail!!")

    assert str(text) == "0123456789\n[… 103 characters left out …]\nthe tail!!"


def test_progress_bars_become_lines() -> None:
    assert strip_controls("10 %\r20 %\r\ndone\n") == "10 %\n20 %\ndone\n"


def test_keys_and_lists_are_cleaned_too() -> None:
    assert clean_fields({"a": ["\x1b[1mx"], "b": {"c": "\x00y"}}) == {"a": ["x"], "b": {"c": "y"}}


def test_the_stack_of_a_death_is_not_asked_away() -> None:
    """A worker that dies slowly seems silent, and the silent are asked where they are."""
    worker = WorkerProcess.__new__(WorkerProcess)
    worker.pid, worker.stack = -1, FATAL + b": Segmentation fault"
    worker.ask_where()

    assert worker.stack == FATAL + b": Segmentation fault"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems size their pipes themselves")
def test_pipes_hold_a_frame() -> None:
    """Else 100 MB wake both ends of each pipe on their way thousands of times."""
    import fcntl

    most = int(Path("/proc/sys/fs/pipe-max-size").read_text())
    ((reading, writing),) = make_pipes(1)
    connection = LocalLink().connect()
    assert connection.process.stdout is not None
    for end in (reading, writing, connection.process.stdout.fileno()):
        assert fcntl.fcntl(end, fcntl.F_GETPIPE_SZ) >= min(MAX_FRAME_BYTES, most)
    close((reading, writing))
    connection.process.communicate()
