"""What is published of chips: every file says where its figures are from."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client.requests import CaptureRequest, request_fields
from jaxscope.model.hardware import Chip, Peak, chip_names, chip_of_target, find_chip, read_chip
from jaxscope.worker.targets.ahead_of_time import describe_gpu

DESCRIPTION = """
title = "Abacus"
kind = "gpu"
memory_bytes = 1_000
bytes_per_second = 10

[peak]
f32 = 5

[compiler]
device = "Abacus"
core_count = 3
{more}
"""
SOURCE = """
[[sources]]
title = "A page"
url = "https://example.org/abacus"
gives = ["memory_bytes", "bytes_per_second", "compiler.core_count", "peak.f32"]
says = "1,000 bytes at 10 bytes a second, 5 FLOP a second, 3 rows"
"""
UNVERIFIED = """
[unverified]
"peak.f32" = "Nobody counted."
"""


def chip(name: str) -> Chip:
    found = find_chip(name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", chip_names())
def test_every_figure_has_a_source(name: str) -> None:
    described = chip(name)
    given = {figure for source in described.sources for figure in source.gives}
    wanted = {"memory_bytes", "bytes_per_second", *(f"peak.{type}" for type in described.peak)}
    wanted |= {f"compiler.{field}" for field in described.compiler if field != "device"}
    assert wanted <= given | set(described.unverified)
    assert all(source.url.startswith(("https://", "pkg:")) for source in described.sources)
    assert described.memory_bytes > 8 << 30
    assert described.bytes_per_second > 1e11
    assert all(rate > 1e12 for rate in described.peak.values())


@pytest.mark.parametrize(
    "name",
    [name for name in chip_names("gpu") if "compiler.core_count" not in chip(name).unverified],
)
def test_figures_from_several_pages_agree(name: str) -> None:
    """An FP32 unit multiplies and adds in a cycle: SMs, units and clock give the peak in f32."""
    described = chip(name)
    units = described.compiler["core_count"] * described.compiler["fpus_per_core"]
    computed = 2e9 * units * described.compiler["clock_rate_ghz"]
    assert described.peak["f32"] == pytest.approx(computed, rel=0.015)


@pytest.mark.parametrize("name", chip_names("tpu"))
def test_programs_get_less_than_the_whole_memory(name: str) -> None:
    described = chip(name)
    whole = described.memory_bytes / described.devices
    assert 0.93 * whole < described.device_memory_bytes < 1.005 * whole


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (DESCRIPTION.format(more=""), "no source is named for bytes_per_second, compiler.core"),
        (DESCRIPTION.format(more="l2_cache_size = 5") + SOURCE, "for compiler.l2_cache_size"),
        (DESCRIPTION.format(more="") + SOURCE + UNVERIFIED, "peak.f32 is verified and is not"),
        (DESCRIPTION.format(more="") + SOURCE.replace("f32", "f64"), "no source .* peak.f32"),
        (DESCRIPTION.format(more="") + SOURCE.replace("https:", "ftp:"), "an address"),
        (DESCRIPTION.format(more="") + SOURCE.replace('"1,000', '"" # '), "what it says"),
        (
            DESCRIPTION.format(more="")
            + UNVERIFIED.replace("Nobody counted.", "")
            + SOURCE.replace(', "peak.f32"', ""),
            "why peak.f32 is not verified",
        ),
        (
            DESCRIPTION.format(more="").replace("[peak]\nf32 = 5", "[peak]") + SOURCE,
            "for peak.f32, which it lacks",
        ),
    ],
)
def test_a_figure_without_a_source_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "abacus.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=why):
        read_chip(path)


def test_what_is_not_verified_says_so_where_it_counts(tmp_path: Path) -> None:
    path = tmp_path / "abacus.toml"
    text = DESCRIPTION + UNVERIFIED + SOURCE.replace(', "peak.f32"', "")
    path.write_text(text.format(more="").replace("f32", "f16"))
    found = read_chip(path)
    assert found.caveats == (("Abacus: the peak in f16 is not verified.", "Nobody counted."),)
    assert found.ceilings().warnings == (" ".join(found.caveats[0]),)
    assert "not verified" in found.ceilings().arithmetic.protocol
    assert "https://example.org/abacus" in found.ceilings().bandwidth.protocol


@pytest.mark.parametrize("name", chip_names())
def test_every_chip_is_a_target(name: str) -> None:
    target = chip(name).target
    assert chip_of_target(target) is chip(name)
    assert request_fields(CaptureRequest("f.py", target=target))["target"] == target


def test_the_promised_chips_are_there() -> None:
    assert set(chip_names("tpu")) == {"v2", "v3", "v4", "v5e", "v5p", "v6e", "tpu7x"}
    assert {"v100", "a100", "h100", "h200", "b200", "rtx4090"} <= set(chip_names("gpu"))
    assert {"t4", "l4", "l40s", "rtx3090", "gb200", "b300", "gb300"} <= set(chip_names("gpu"))


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
    assert both.device_memory_bytes == pytest.approx(15.48 * 2**30)  # of 16 GiB
    assert both.peak_of("dot:bf16").rate == 123e12 / 2
    assert both.ceilings().bandwidth.best == 450e9
    assert "half" in both.ceilings().arithmetic.protocol


def test_products_of_single_precision_are_taken_at_the_precision_asked_for() -> None:
    """JAX's documentation of `jax.lax.Precision`: three and six passes, or tf32, or f32."""
    assert chip("v5e").peak_of("dot:f32") == chip("v5e").peak_of("dot:bf16") == Peak(197e12, "bf16")
    assert chip("v5e").peak_of("dot:f32:high") == Peak(197e12 / 3, "bf16, 3 passes")
    assert chip("v5e").peak_of("dot:f32:highest") == Peak(197e12 / 6, "bf16, 6 passes")
    assert chip("h100").peak_of("dot:f32") == Peak(494.7e12, "tf32")
    assert chip("h100").peak_of("dot:f32:highest") == Peak(66.9e12, "f32")
    assert chip("h100").peak_of("dot:bf16x3") == Peak(989.4e12 / 3, "bf16, 3 passes")
    assert chip("v100").peak_of("dot:f32").name == "f32"  # it has no tf32


def test_elementwise_work_is_none_of_a_matrix_unit() -> None:
    assert chip("h100").peak_of("f32") == Peak(66.9e12, "f32")
    assert chip("v5e").peak_of("f32") == Peak(197e12, "fastest")  # no page tells of its vectors


def test_where_nothing_is_published_the_fastest_stands_in() -> None:
    """The time at best stays one that nothing can undercut."""
    assert chip("v5e").peak_of("dot:f64") == Peak(197e12, "fastest")
    assert chip("v100").peak_of("dot:bf16") == Peak(chip("v100").peak["f16"], "fastest")


def test_a_gpu_is_described_in_the_words_of_xla() -> None:
    text = describe_gpu(chip("a100"))
    assert "core_count: 108" in text
    assert "cuda_compute_capability { major: 8 minor: 0 }" in text
    assert "memory_bandwidth: 2039000000000" in text
    assert text.count("{") == text.count("}")
