"""The garbage collector rests during a layout, and only then."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
from pathlib import Path

import jax
import pytest

from jaxscope import heap
from jaxscope.heap import paused_gc
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.build import build_view
from view.programs import layers, trace


@pytest.fixture(autouse=True)
def never_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another test may have frozen this process for a while."""
    monkeypatch.setattr(heap, "_is_frozen", False)


def test_the_collector_is_back_after_the_last_layout() -> None:
    with paused_gc():
        with paused_gc():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_failed_layout_gives_it_back() -> None:
    with pytest.raises(ValueError, match="stopped"), paused_gc():
        raise ValueError("stopped")
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with paused_gc():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_a_layout_leaves_is_not_looked_through_as_new() -> None:
    looked: list[int] = []
    frozen = gc.get_freeze_count()

    def watch(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            looked.append(sum(len(gc.get_objects(generation)) for generation in (0, 1)))

    with paused_gc():
        kept = [[number] for number in range(200_000)]
    gc.callbacks.append(watch)
    try:
        more = [[number] for number in range(3 * gc.get_threshold()[0])]
    finally:
        gc.callbacks.remove(watch)
    assert len(kept) == 200_000 and more
    assert looked and max(looked) < 100_000
    assert gc.get_freeze_count() < frozen + 1_000  # Python 3.12 keeps what it never frees there


def test_what_a_process_froze_stays_frozen() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with paused_gc():
            kept = [[number] for number in range(1_000)]
        assert len(kept) == 1_000
        assert gc.get_freeze_count() == pytest.approx(frozen, abs=1_000)
        assert frozen > 2_000
    finally:
        gc.unfreeze()


def test_a_frozen_process_is_not_walked_through_for_each_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count, counted = gc.get_freeze_count, list[int]()

    def counting() -> int:
        counted.append(count())
        return counted[-1]

    monkeypatch.setattr(gc, "get_freeze_count", counting)
    gc.freeze()
    try:
        for _ in range(3):
            with paused_gc():
                pass
    finally:
        gc.unfreeze()
    assert len(counted) == 1 and counted[0] > 2_000


@pytest.mark.slow
def test_views_and_layouts_leave_no_cycles() -> None:
    """What they made meanwhile counts as old: cycles in it would stay for long."""
    function, arguments = layers(4)
    graph = trace(jax.grad(function), *arguments)
    build_scene(build_view(graph))  # what is kept for good is made the first time
    gc.collect()
    gc.disable()
    try:
        view = build_view(graph)
        build_scene(view, view.all_groups())
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_memory_goes_back_to_the_system_after_work_on_a_large_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On Linux; and a C library that has no such function changes nothing."""
    asked: list[int] = []

    class Library:
        def __init__(self, _name: None) -> None:
            self.malloc_trim = asked.append

    monkeypatch.setattr(ctypes, "CDLL", Library)
    monkeypatch.setattr(sys, "platform", "emscripten")
    heap.return_memory(200_000)
    monkeypatch.setattr(sys, "platform", "linux")
    heap.return_memory(1_000)
    assert not asked
    heap.return_memory(200_000)
    assert asked == [0]
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    heap.return_memory(200_000)


HEAPS = """
import ctypes, sys, threading
from jaxscope.heap import share_heap

def count_heaps():
    library = ctypes.CDLL(None)
    library.fopen.restype = ctypes.c_void_p
    file = library.fopen(sys.argv[1].encode(), b"w")
    library.malloc_info(0, ctypes.c_void_p(file))
    library.fclose(ctypes.c_void_p(file))
    print(open(sys.argv[1]).read().count("<heap "))

if len(sys.argv) > 2:
    share_heap()
every = [threading.Thread(target=bytearray, args=(size,)) for size in (1_000, 2_000, 3_000)]
for each in every:
    each.start()
for each in every:
    each.join()
count_heaps()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only the GNU C library has such heaps")
def test_threads_share_the_heap_where_they_are_told_to(tmp_path: Path) -> None:
    def count(*words: str) -> int:
        command = [sys.executable, "-c", HEAPS, str(tmp_path / "told"), *words]
        ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return int(ran.stdout)

    assert count() > 1
    assert count("shared") == 1
