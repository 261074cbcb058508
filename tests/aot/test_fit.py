"""What is said of the memory of an absent chip."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from jaxscope.model.hardware import MORE_THAN_DEFAULT, find_chip
from jaxscope.worker.channel import Channel
from jaxscope.worker.targets import lowering
from jaxscope.worker.targets.ahead_of_time import Topology
from jaxscope.worker.targets.lowering import send_memory_fit

GIB = 1 << 30
TARGET = "aot:tpu:v5e:1x1"


class Ear(Channel):
    """A channel that keeps what is sent."""

    def __init__(self) -> None:
        super().__init__(-1)
        self.heard: list[str] = []

    def message(self, text: str) -> None:
        self.heard.append(text)


@pytest.fixture(autouse=True)
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    topology = Topology(TARGET, "tpu", (), find_chip("v5e"))
    monkeypatch.setattr(lowering, "open_topology", lambda _target: topology)


def told(memory: Mapping[str, Any], target: str = TARGET) -> list[str]:
    ear = Ear()
    send_memory_fit(target, memory, ear)
    return ear.heard


@pytest.fixture
def h100(monkeypatch: pytest.MonkeyPatch) -> None:
    topology = Topology("aot:gpu:h100", "gpu", (), find_chip("h100"))
    monkeypatch.setattr(lowering, "open_topology", lambda _target: topology)


@pytest.mark.usefixtures("h100")
def test_the_peak_counts_where_it_is_known() -> None:
    assert told({"peak_bytes": 81 * GIB}, target="aot:gpu:h100") == [
        "It does not fit: a device needs 81.0 GiB and has 79.1 GiB (NVIDIA H100 SXM5 80 GB)."
    ]


@pytest.mark.usefixtures("h100")
def test_jax_takes_three_quarters_of_a_gpu_unless_it_is_told_otherwise() -> None:
    [sentence] = told({"peak_bytes": 70 * GIB}, target="aot:gpu:h100")
    assert sentence.startswith("It fits: ")
    assert sentence.endswith(MORE_THAN_DEFAULT)
    [sentence] = told({"peak_bytes": 50 * GIB}, target="aot:gpu:h100")
    assert MORE_THAN_DEFAULT not in sentence


def test_what_the_compiler_of_a_tpu_made_fits() -> None:
    """It refuses what does not, and its peak has values in it that lie on the chip."""
    [sentence] = told({"peak_bytes": 15.76 * GIB})
    assert sentence.startswith("It fits: the compiler found room in 15.8 GiB (Google TPU v5e).")


@pytest.mark.parametrize(
    ("needed", "shown"), [(0, "0 B"), (10_854, "10.6 KiB"), (3 << 20, "3.00 MiB")]
)
def test_a_little_memory_is_not_none(needed: int, shown: str) -> None:
    [sentence] = told({"peak_bytes": needed})
    assert f"needs {shown} and has" in sentence


def test_else_everything_together_counts_once() -> None:
    sizes = {"argument_bytes": 4 * GIB, "result_bytes": 4 * GIB, "temporary_bytes": GIB}
    [sentence] = told({**sizes, "aliased_bytes": 4 * GIB, "peak_bytes": None})
    assert sentence.startswith("It fits: a device needs 5.00 GiB")


def test_a_memory_that_no_page_states_is_not_a_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    chip = find_chip("h100")
    assert chip is not None
    doubted = dataclasses.replace(chip, unverified={"memory_bytes": "Pages differ."})
    monkeypatch.setattr(
        lowering, "open_topology", lambda _target: Topology("aot:gpu:h100", "gpu", (), doubted)
    )
    [sentence] = told({"peak_bytes": GIB}, target="aot:gpu:h100")
    assert sentence == (
        "It fits: a device needs 1.00 GiB and has 79.1 GiB (NVIDIA H100 SXM5 80 GB). How much it "
        "has is not verified."
    )


@pytest.mark.parametrize("memory", [{}, {"peak_bytes": None, "argument_bytes": 1}])
def test_what_is_not_known_is_not_said(memory: Mapping[str, Any]) -> None:
    assert told(memory) == []


def test_nothing_is_said_of_what_is_here() -> None:
    assert told({"peak_bytes": 1}, target="cpu") == []
