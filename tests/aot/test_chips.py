"""What is published of chips: every file says where its figures are from."""

from __future__ import annotations

import math

import pytest

from jaxscope.client.requests import CaptureRequest, request_fields
from jaxscope.model.chip import Chip, chip_names, chip_of_target, find_chip
from jaxscope.worker.gpu_description import describe_gpu


def chip(name: str) -> Chip:
    found = find_chip(name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", chip_names())
def test_every_figure_has_a_source(name: str) -> None:
    described = chip(name)
    assert described.sources
    for source in described.sources:
        assert source.url.startswith("https://")
        assert source.title
        assert source.gives
    assert described.memory_bytes > 8 << 30
    assert described.bytes_per_second > 1e11
    assert all(rate > 1e12 for rate in described.peak.values())


@pytest.mark.parametrize("name", chip_names())
def test_every_chip_is_a_target(name: str) -> None:
    target = chip(name).target
    assert chip_of_target(target) is chip(name)
    assert request_fields(CaptureRequest("f.py", target=target))["target"] == target


def test_the_promised_chips_are_there() -> None:
    assert set(chip_names("tpu")) == {"v2", "v3", "v4", "v5e", "v5p", "v6e", "tpu7x"}
    assert {"v100", "a100", "h100", "h200", "b200", "rtx4090"} <= set(chip_names("gpu"))


@pytest.mark.parametrize("name", ["", "v9", "../v5e", "v5e.toml", "V5E"])
def test_names_are_looked_up_safely(name: str) -> None:
    assert (find_chip(name) is not None) == (name == "V5E")


@pytest.mark.parametrize("target", ["cpu", "gpu:0", "aot:tpu", "aot:gpu:v5e", "aot:tpu:h100", ""])
def test_a_target_of_another_kind_names_no_chip(target: str) -> None:
    assert chip_of_target(target) is None


def test_two_devices_share_a_chip() -> None:
    """JAX shows both TensorCores of these, each with half of the memory and of the arithmetic."""
    both = chip("v3")
    assert both.devices == 2
    assert both.device_memory_bytes == 16 << 30
    assert both.peak_of("bf16") == 123e12 / 2
    assert both.ceilings().bandwidth.best == 450e9
    assert "half" in both.ceilings().arithmetic.protocol


def test_products_of_single_precision_are_taken_at_the_default_precision() -> None:
    assert chip("v5e").peak_of("f32") == chip("v5e").peak_of("bf16") == 197e12
    assert chip("h100").peak_of("f32") == chip("h100").peak["tf32"]
    assert chip("v100").peak_of("f32") == chip("v100").peak["f32"]  # it has no tf32


def test_what_is_not_published_is_unknown() -> None:
    assert math.isnan(chip("v5e").peak_of("f64"))
    assert math.isnan(chip("v100").peak_of("bf16"))


def test_a_gpu_is_described_in_the_words_of_xla() -> None:
    text = describe_gpu(chip("a100"))
    assert "core_count: 108" in text
    assert "cuda_compute_capability { major: 8 minor: 0 }" in text
    assert "memory_bandwidth: 2039000000000" in text
    assert text.count("{") == text.count("}")
