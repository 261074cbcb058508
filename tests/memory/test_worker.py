"""What the worker tells of a compiled program's memory, whatever the backend answers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jaxscope.worker.stages.compilation import _read_memory, describe_memory


class Program:
    """A compiled program of a backend that answers as it is told to."""

    def __init__(self, stats: Any, platform: str = "gpu") -> None:
        self._stats, self._platform = stats, platform
        self.num_asked = 0

    def memory_analysis(self) -> Any:
        self.num_asked += 1
        if isinstance(self._stats, Exception):
            raise self._stats
        return self._stats

    def runtime_executable(self) -> Any:
        device = SimpleNamespace(platform=self._platform)
        return SimpleNamespace(local_devices=lambda: [device])


STATS = SimpleNamespace(
    argument_size_in_bytes=100,
    output_size_in_bytes=20,
    temp_size_in_bytes=50,
    alias_size_in_bytes=0,
    generated_code_size_in_bytes=7,
    peak_memory_in_bytes=160,
)


def test_all_sizes_of_a_backend_that_tells_them() -> None:
    fields = describe_memory(Program(STATS), None)
    assert (fields["argument_bytes"], fields["temporary_bytes"]) == (100, 50)
    assert fields["peak_bytes"] == 160
    assert fields["reason"] is None


def test_the_cpus_peak_is_not_taken_for_one() -> None:
    assert describe_memory(Program(STATS, "cpu"), None)["peak_bytes"] is None


@pytest.mark.parametrize("stats", [None, SimpleNamespace()])
def test_a_backend_that_tells_nothing(stats: Any) -> None:
    fields = describe_memory(Program(stats), None)
    assert fields["reason"] == "This backend does not tell its memory plan."
    assert fields["argument_bytes"] is None


def test_an_analysis_that_raises_costs_nothing_else() -> None:
    fields = describe_memory(Program(NotImplementedError("no")), None)
    assert fields["reason"] == "XLA's memory analysis raised NotImplementedError."
    assert (fields["donated"], fields["kept"]) == ([], [])


def test_xla_is_asked_for_its_plan_once() -> None:
    """It serializes the plan each time."""
    program = Program(SimpleNamespace(**vars(STATS), serialized_buffer_assignment_proto=b"\x08"))
    fields, places = _read_memory(program, None, None)
    assert (fields["temporary_bytes"], places, program.num_asked) == (50, {}, 1)


@pytest.mark.parametrize("size", [-1, float("nan"), "many"])
def test_impossible_sizes_are_unknown(size: Any) -> None:
    stats = SimpleNamespace(**{**vars(STATS), "temp_size_in_bytes": size})
    assert describe_memory(Program(stats), None)["temporary_bytes"] is None
