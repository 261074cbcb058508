"""What arguments of calls compile is kept for the next process, and for nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.model import Capture
from jaxscope.worker.host import executable_cache

PROGRAM = """\
import pathlib

import jax
import jax.numpy as jnp

events = []
jax.monitoring.register_event_listener(lambda event, **_: events.append(event))


def made(n):
    value = jnp.cos(jnp.arange(n) * 0.37).reshape(2, -1)
    told = pathlib.Path(__file__).with_name("hits")
    told.write_text(str(events.count("/jax/compilation_cache/cache_hits")))
    return value


def f(x):
    told = pathlib.Path(__file__).with_name("traced")
    told.write_text(repr(jax.config.jax_compilation_cache_dir))
    return jnp.sin(x).sum()
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def take(folder: Path, call: str = "f(made(6))") -> tuple[Capture, int]:
    """A capture, in a supervisor of its own, and how often its arguments were not compiled."""
    path = folder / "program.py"
    path.write_text(PROGRAM)
    with Session() as session:
        capture = session.start(CaptureRequest(file=str(path), call=call)).wait()
    return capture, int((folder / "hits").read_text())


def files_of(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file())


def test_the_next_process_does_not_compile_them_again(cache: Path, tmp_path: Path) -> None:
    first, hits = take(tmp_path)
    kept = files_of(cache)
    assert kept
    assert hits == 0
    assert not [path for path in kept if path.name.startswith("jit_f-")]  # what is captured
    second, hits = take(tmp_path)
    assert hits >= 2  # cos, and the product before it
    assert second.fates == first.fates
    assert (tmp_path / "traced").read_text() == "None"
    assert first.messages == second.messages == ()


def test_a_file_that_is_cut_off_is_made_anew(cache: Path, tmp_path: Path) -> None:
    take(tmp_path)
    for path in files_of(cache):
        path.write_bytes(path.read_bytes()[:100])
    capture, hits = take(tmp_path)
    assert hits == 0
    assert capture.messages == ()


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_folder_that_others_can_write_to_is_not_used(cache: Path, tmp_path: Path) -> None:
    take(tmp_path)
    for path in files_of(cache):
        path.unlink()
        path.parent.chmod(0o777)
    _, hits = take(tmp_path)
    assert hits == 0
    assert not files_of(cache)


@pytest.mark.parametrize(
    ("name", "value"), [("JAX_COMPILATION_CACHE_DIR", "own"), ("JAX_ENABLE_COMPILATION_CACHE", "0")]
)
@pytest.mark.slow
def test_what_the_person_has_set_stays(
    name: str, value: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = str(tmp_path / value) if value == "own" else value
    monkeypatch.setenv(name, own)
    take(tmp_path)
    assert not files_of(cache)
    traced = (tmp_path / "traced").read_text()
    assert traced == (repr(own) if value == "own" else "None")


def test_the_older_half_goes_where_there_is_too_much(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executable_cache, "_MAX_FILES", 4)
    with executable_cache.keeping_executables():
        (folder,) = (cache / "jaxscope" / "executables").iterdir()
    for number in range(5):
        file = folder / str(number)
        file.write_bytes(b"x")
        os.utime(file, (number, number))
    with executable_cache.keeping_executables():
        assert [path.name for path in files_of(cache)] == ["3", "4"]


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="needs Linux's /proc")
def test_no_process_is_started_to_name_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    named = executable_cache._describe_machine()
    monkeypatch.setattr(executable_cache.platform, "processor", lambda: pytest.fail("a process"))
    assert executable_cache._describe_machine() == named


def test_the_processor_is_part_of_the_name_where_the_kernel_does_not_tell_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", refuse)
    names = set()
    for processor in ("one", "another"):
        monkeypatch.setattr(executable_cache.platform, "processor", lambda name=processor: name)
        names.add(executable_cache._describe_machine())
    assert len(names) == 2
