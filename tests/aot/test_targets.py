"""One call on many targets: rows, estimates by published peaks, and what is said of each."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import jaxscope
from jaxscope.cli import main
from jaxscope.client import one_shot
from jaxscope.client.many_targets import capture_targets, default_targets, full_target
from jaxscope.client.requests import CaptureRequest
from jaxscope.errors import CallError, EnvironmentProblem, TraceError, UsageError
from jaxscope.model import Capture, Unavailable
from jaxscope.model.hardware import MORE_THAN_DEFAULT, chip_names, find_chip
from jaxscope.model.types import type_bytes
from jaxscope.program.roofline import Roofline, find_peak, find_roofline
from jaxscope.program.targets import (
    ESTIMATE,
    Estimate,
    TargetRow,
    estimate,
    read_exhausted,
    summarize_target,
)
from jaxscope.report.document import write_text
from jaxscope.report.targets import targets_to_document, targets_to_json
from tests.hlo.programs import convert, proto_of

from .conftest import CUT, LOOP, ON_ONE, needs_gpu_compiler, needs_tpu_compiler, stage_of, text_of

Compile = Callable[..., Capture]
GIB = 1 << 30


def estimate_on(capture: Capture, chip_name: str) -> Estimate:
    chip = find_chip(chip_name)
    assert chip is not None
    found = estimate(capture.stage("optimized"), chip)
    assert isinstance(found, Estimate)
    return found


def test_a_sum_takes_as_long_as_its_bytes(compile_for: Compile) -> None:
    capture = compile_for("cpu", "jnp.add(f32[512, 512], f32[512, 512])")
    found = estimate_on(capture, "v5e")
    assert found.num_bytes == 3 * 512 * 512 * 4
    assert found.seconds == pytest.approx(found.num_bytes / 819e9)
    assert math.isnan(found.cycles)


def test_a_large_product_takes_as_long_as_its_arithmetic(compile_for: Compile) -> None:
    capture = compile_for("cpu", "jnp.matmul(f32[2048, 2048], f32[2048, 2048])")
    single, half = estimate_on(capture, "v100"), estimate_on(capture, "v5e")
    assert single.seconds == pytest.approx(2 * 2048**3 / 15.7e12, rel=0.01)
    assert half.seconds == pytest.approx(2 * 2048**3 / 197e12, rel=0.01)


def test_half_a_chip_takes_twice_as_long(compile_for: Compile) -> None:
    """A device of TPU v3 has half of its chip's traffic."""
    capture = compile_for("cpu", "jnp.add(f32[512, 512], f32[512, 512])")
    assert estimate_on(capture, "v3").seconds == pytest.approx(3 * 512 * 512 * 4 / 450e9)


def test_without_a_program_there_is_no_estimate() -> None:
    chip = find_chip("v5e")
    assert chip is not None
    assert isinstance(estimate(None, chip), Unavailable)


@pytest.mark.parametrize(
    ("word", "target"),
    [
        ("v5e", "aot:tpu:v5e:1x1"),
        (" v5e:2x2 ", "aot:tpu:v5e:2x2"),
        ("h100", "aot:gpu:h100"),
        ("H100:8", "aot:gpu:h100:8"),
        ("aot:tpu:v4:2x2x1", "aot:tpu:v4:2x2x1"),
        ("cpu:8", "cpu:8"),
    ],
)
def test_a_chips_name_is_a_target(word: str, target: str) -> None:
    assert full_target(word) == target


def test_the_default_is_every_chip_of_a_kind() -> None:
    assert len(default_targets()) == len(chip_names())
    assert default_targets(["gpu"])[0].startswith("aot:gpu:")


@pytest.mark.parametrize(
    ("text", "needed", "there"),
    [
        (
            "RESOURCE_EXHAUSTED: Ran out of memory on HBM, the total memory required for HLO "
            "temporaries (32.00G) exceeds available HBM (15.75G).",
            32.0 * GIB,
            15.75 * GIB,
        ),
        ("Ran out of memory in memory space hbm. Used 21.05G of 15.75G hbm.", 21.05, 15.75),
        ("Used 512.00M of 1.00K hbm", 0.5, 1 / (1 << 20)),
    ],
)
def test_what_xla_says_of_memory(text: str, needed: float, there: float) -> None:
    found = read_exhausted(text)
    scale = 1 if needed > 1000 else GIB
    assert found == pytest.approx((needed * scale, there * scale))


def test_other_texts_say_nothing_of_memory() -> None:
    assert all(map(math.isnan, read_exhausted("INTERNAL: something else (3G)")))


def test_a_program_that_does_not_fit_has_a_row() -> None:
    why = "RESOURCE_EXHAUSTED: Used 21.00G of 15.75G hbm."
    row = summarize_target("aot:tpu:v5e:1x1", TraceError("XLA ran out of memory.", why=why))
    assert row.fits is False
    text = write_text(targets_to_document("f(x)", [row]))
    assert "needs 21.0 GiB, has 15.8 GiB" in text
    [target] = targets_to_json("f(x)", "f.py", [row])["targets"]
    assert target["memory"] == {
        "needed_bytes": 21.0 * GIB,
        "available_bytes": 15.75 * GIB,
        "fits": False,
    }
    assert target["estimate"]["seconds"] is None
    assert target["kernels"] is None


def test_unknown_is_neither_zero_nor_yes() -> None:
    row = TargetRow("cpu")
    assert row.fits is None
    [target] = targets_to_json("f(x)", "f.py", [row])["targets"]
    assert target["memory"]["fits"] is None
    assert target["cost"]["flops"] is None


def test_every_estimate_is_marked(compile_for: Compile) -> None:
    row = summarize_target("cpu", compile_for("cpu"))
    assert ESTIMATE in write_text(targets_to_document(ON_ONE, [row]))
    assert ESTIMATE in targets_to_json(ON_ONE, "f.py", [row])["notes"]


def test_a_target_that_fails_costs_only_its_row(program: Path) -> None:
    request = CaptureRequest(str(program), ON_ONE)
    found = dict(capture_targets(request, ["cpu", "gpu:77"]))
    assert isinstance(found["cpu"], Capture)
    assert isinstance(found["gpu:77"], EnvironmentProblem)
    row = summarize_target("gpu:77", found["gpu:77"])
    assert "gpu:77" in row.reason


def test_a_call_that_fails_everywhere_fails(program: Path) -> None:
    with pytest.raises(CallError):
        capture_targets(CaptureRequest(str(program), "nothing(1)"), ["cpu", "cpu:2"])


def test_no_target_is_no_question(program: Path) -> None:
    with pytest.raises(UsageError):
        capture_targets(CaptureRequest(str(program), ON_ONE), [])


def test_the_command_prints_each_target_once(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["targets", str(program), ON_ONE, "--targets", "cpu,cpu", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["format"] == "jaxscope.targets"
    assert [target["target"] for target in report["targets"]] == ["cpu"]


@needs_tpu_compiler
def test_tpus_side_by_side(compile_for: Compile) -> None:
    one = summarize_target("aot:tpu:v5e:2x2", compile_for("aot:tpu:v5e:2x2"))
    four = summarize_target("aot:tpu:v5e:2x2", compile_for("aot:tpu:v5e:2x2", CUT))
    assert one.fits
    assert one.cycles > four.cycles > 0
    assert one.seconds > four.seconds > 0
    assert one.flops > four.flops > 0


@needs_tpu_compiler
def test_what_stays_on_the_chip_is_no_traffic(compile_for: Compile) -> None:
    capture = compile_for("aot:tpu:v5e:2x2")
    counted = stage_of(capture, "optimized").cost.bytes_accessed
    assert 0 < estimate_on(capture, "v5e").num_bytes < counted


@needs_tpu_compiler
def test_a_program_too_large_for_a_tpu(program: Path) -> None:
    request = CaptureRequest(str(program), "huge(f32[1024, 1024])")
    [(target, found)] = capture_targets(request, ["aot:tpu:v5e:1x1"])
    row = summarize_target(target, found)
    assert row.fits is False
    assert row.needed_bytes >= 32 * GIB
    assert row.memory_bytes < 16 * GIB


@needs_gpu_compiler
def test_a_program_too_large_for_a_gpu(program: Path) -> None:
    request = CaptureRequest(str(program), "huge(f32[1024, 1024])")
    found = dict(capture_targets(request, ["aot:gpu:rtx4090", "aot:gpu:a100"]))
    rows = {target: summarize_target(target, answer) for target, answer in found.items()}
    assert rows["aot:gpu:rtx4090"].fits is False
    assert rows["aot:gpu:a100"].fits is True
    small, large = found["aot:gpu:rtx4090"], found["aot:gpu:a100"]
    assert isinstance(small, Capture)
    assert isinstance(large, Capture)
    assert any("needs 32.0 GiB and has 24.0 GiB" in message for message in small.messages)
    assert any(message.startswith("It fits: ") for message in large.messages)


@needs_gpu_compiler
def test_products_of_libraries_are_counted(compile_for: Compile) -> None:
    """V100 gets calls of cuBLAS, whose work XLA does not count."""
    old, new = (
        summarize_target(f"aot:gpu:{name}", compile_for(f"aot:gpu:{name}")) for name in OLD_NEW
    )
    assert old.flops == pytest.approx(new.flops, rel=0.05)


OLD_NEW = ("v100", "a100")


SORTED = """
HloModule m, is_scheduled=true

ENTRY %main (x: f32[65536]) -> f32[65536] {
  %x = f32[65536]{0} parameter(0)
  %copy-start = (f32[65536]{0:S(1)}, f32[65536]{0}, u32[]{:S(2)}) copy-start(%x)
  %negate = f32[65536]{0:S(1)} negate(%x), backend_config={"estimated_cycles":"32"}
  %copy-done = f32[65536]{0:S(1)} copy-done(%copy-start)
  %add = f32[65536]{0:S(1)} add(%copy-done, %negate)SECOND
  ROOT %library = f32[65536]{0} custom-call(%add), custom_call_target="Library"
}
"""
CYCLES = ', backend_config={"estimated_cycles":"64"}'


@pytest.fixture
def summarize_text(compile_for: Compile) -> Callable[..., TargetRow]:
    """The row of a module for a TPU, whose instructions cost a FLOP for each byte they give."""
    capture = compile_for("cpu")

    def summarize(hlo: str, library: float = 0.0) -> TargetRow:
        graph = convert(proto_of(hlo))
        cost = np.zeros_like(graph.nodes.cost)
        for node in range(len(graph.nodes)):
            cost[node, 0] = sum(map(type_bytes, graph.types(node)))
            cost[node, 1] = 1e9  # what XLA counts, wherever the values lie
            if graph.operation(node) == "custom-call":
                cost[node] = library
        stage = stage_of(capture, "optimized")
        moved = dataclasses.replace(stage, graph=graph.replace_nodes(cost=cost))
        target = "aot:tpu:v5e:1x1"
        return summarize_target(
            target, dataclasses.replace(capture, target=target, stages=(moved,))
        )

    return summarize


def test_a_copy_in_the_background_is_one_kernel_and_takes_no_time_of_its_own(
    summarize_text: Callable[..., TargetRow],
) -> None:
    """It reads while `negate` computes; what both read of the memory still takes its time."""
    row = summarize_text(SORTED.replace("SECOND", CYCLES))
    assert row.kernels == 4  # the copy, two of arithmetic, the library's
    assert row.num_bytes == 2 * 65536 * 4
    assert row.seconds == pytest.approx(row.num_bytes / 819e9)


SLICED = """
HloModule m, is_scheduled=true

%read (table: f32[50,128], place: s32[], held: f32[1,128]) -> f32[1,128] {
  %table = f32[50,128]{1,0} parameter(0)
  %place = s32[] parameter(1)
  %zero = s32[] constant(0)
  %slice = f32[1,128]{1,0} dynamic-slice(%table, %place, %zero), dynamic_slice_sizes={1,128}
  %held = f32[1,128]{1,0:S(1)} parameter(2)
  ROOT %sum = f32[1,128]{1,0:S(1)} add(%slice, %held)
}

%write (whole: f32[50,128], part: f32[1,128], row: s32[]) -> f32[50,128] {
  %whole = f32[50,128]{1,0} parameter(0)
  %part = f32[1,128]{1,0:S(1)} parameter(1)
  %row = s32[] parameter(2)
  %first = s32[] constant(0)
  ROOT %update = f32[50,128]{1,0} dynamic-update-slice(%whole, %part, %row, %first)
}

ENTRY %main (x: f32[50,128], i: s32[]) -> f32[50,128] {
  %x = f32[50,128]{1,0} parameter(0)
  %i = s32[]{:S(6)} parameter(1)
  %ones = f32[1,128]{1,0:S(1)} custom-call(), custom_call_target="AllocateBuffer"
  %one = f32[1,128]{1,0:S(1)} fusion(%x, %i, %ones), kind=kLoop, calls=%read
  ROOT %all = f32[50,128]{1,0} fusion(%x, %one, %i), kind=kLoop, calls=%write
}
"""


def test_a_kernel_reads_and_writes_no_more_than_it_takes_of_an_array(
    summarize_text: Callable[..., TargetRow],
) -> None:
    """A slice is read, a slice is written; what else they take lies on the chip."""
    assert summarize_text(SLICED).num_bytes == 2 * 128 * 4


def test_cycles_are_added_up_where_every_kernel_has_some(
    summarize_text: Callable[..., TargetRow],
) -> None:
    assert summarize_text(SORTED.replace("SECOND", CYCLES)).cycles == 96
    assert math.isnan(summarize_text(SORTED.replace("SECOND", "")).cycles)


def test_a_program_of_which_nothing_is_counted_has_a_row(
    summarize_text: Callable[..., TargetRow],
) -> None:
    """Its amounts are those of no kernel at all."""
    only = SORTED.replace("SECOND", "").replace("negate(%x)", "bitcast(%x)")
    only = only.replace("add(%copy-done, %negate)", "bitcast(%negate)")
    only = "\n".join(line for line in only.split("\n") if "copy-" not in line)
    row = summarize_text(only, math.nan)
    assert math.isnan(row.flops)
    assert row.kernels == 1
    assert "1 kernel" in row.why_no_work
    text = write_text(targets_to_document("f(x)", [row]))
    assert "FLOPs" not in text  # not "0 FLOP"


def test_what_is_not_whole_is_a_least_amount() -> None:
    row = TargetRow("cpu", kernels=2, least_flops=5e6, why_no_work="Of 1 kernel nothing is known.")
    assert "at least 5.00 MFLOP" in write_text(targets_to_document("f(x)", [row]))


def test_the_answer_comes_first_and_fits_a_terminal() -> None:
    rows = [
        TargetRow("aot:tpu:v5p:2x2x1", "Google TPU v5p", 1e-6, 1e-6, 269, 109, 8.5e7, 8.5e7,
                  2e6, 2e6, needed_bytes=2e6, memory_bytes=1e10, is_room_checked=True),
        TargetRow("aot:gpu:h100pcie", "NVIDIA", 5e-6, 5e-6, 1165, 1165, 8.5e7, 8.5e7, 2e6, 2e6,
                  needed_bytes=2e10, memory_bytes=1e10),
    ]  # fmt: skip
    text = write_text(targets_to_document("f(x)", rows), width=80)
    assert text.startswith("It does not fit on aot:gpu:h100pcie.")
    assert "least on aot:tpu:v5p:2x2x1, 1.00 µs" in " ".join(text.split())
    assert max(map(len, text.split("\n"))) <= 80


def test_a_gpu_has_room_for_what_jax_takes_of_it() -> None:
    row = TargetRow("aot:gpu:h100", needed_bytes=70.0, memory_bytes=80.0, default_memory_bytes=60.0)
    assert row.fits
    assert MORE_THAN_DEFAULT in write_text(targets_to_document("f(x)", [row]))


def test_the_same_from_python(program: Path) -> None:
    [row] = jaxscope.compare_targets(program, ON_ONE, ["cpu"])
    assert row.target == "cpu"
    assert row.flops > 0
    assert math.isnan(row.seconds)  # nothing is published of this machine


def test_figures_that_are_not_verified_are_named() -> None:
    row = TargetRow("aot:gpu:b300", caveats=(("The rate is not verified.", "Guessed."),))
    assert "The rate is not verified. Guessed." in write_text(targets_to_document("f(x)", [row]))
    short = write_text(targets_to_document("f(x)", [row, row]))
    assert "The rate is not verified." in short and "Guessed" not in short
    (told,) = targets_to_json("f(x)", "f.py", [row])["targets"]
    assert told["not_verified"] == ["The rate is not verified. Guessed."]


def test_where_work_is_not_counted_the_row_says_so() -> None:
    why = "XLA does not count the work of 5 of its kernels."
    row = TargetRow("aot:tpu:v5e", kernels=37, fusions=10, why_no_work=why)
    text = write_text(targets_to_document("f(x)", [row]))
    assert f"aot:tpu:v5e: {why}" in text
    assert text.count("the work of") == 1
    (told,) = targets_to_json("f(x)", "f.py", [row])["targets"]
    assert told["estimate"]["unavailable"] == why
    assert told["kernels"] == 37
    assert told["unavailable"] is None


@needs_tpu_compiler
def test_memory_that_a_loop_fills_hides_no_work(compile_for: Compile) -> None:
    """XLA reserves it by custom calls that it counts no work of: they do none."""
    row = summarize_target("aot:tpu:v5e:1x1", compile_for("aot:tpu:v5e:1x1", LOOP))
    assert row.why_no_work == ""
    assert row.seconds > 0
    products = 2 * 20 * 16 * 16  # forward; a module of a TPU does not tell how often a loop runs
    assert row.flops > 2 * products


PRODUCTS = """
import jax, jax.numpy as jnp


def product(a, b):
    return a @ b


def asked(a, b, precision):
    return jax.lax.dot(a, b, precision=precision)
"""


@needs_gpu_compiler
@pytest.mark.parametrize(
    ("call", "instruction", "rate"),
    [
        ("product(f32[1024, 1024], f32[1024, 1024])", "tf32.tf32.f32", 494.7e12),
        ("product(bf16[1024, 1024], bf16[1024, 1024])", "bf16.bf16.f32", 989.4e12),
        ("asked(f32[1024, 1024], f32[1024, 1024], 'highest')", "fma.rn.f32", 66.9e12),
        ("asked(f32[1024, 1024], f32[1024, 1024], 'high')", "fma.rn.f32", 66.9e12),
        (
            "asked(f32[1024, 1024], f32[1024, 1024], 'BF16_BF16_F32_X3')",
            "bf16.bf16.f32",
            989.4e12 / 3,
        ),
    ],
)
def test_a_kernel_is_bounded_by_what_its_ptx_multiplies_with(
    tmp_path: Path, call: str, instruction: str, rate: float
) -> None:
    """The peak of the arithmetic that the PTX shows; other XLAs may show others."""
    path = tmp_path / "products.py"
    path.write_text(PRODUCTS)
    capture = one_shot.capture(str(path), call, target="aot:gpu:h100")
    code = text_of(capture, "machine")
    if instruction not in code or (instruction.startswith("fma") and "mma." in code):
        pytest.skip("this XLA takes the product in another arithmetic")
    found = find_roofline(stage_of(capture, "optimized"), machine=stage_of(capture, "machine"))
    chip = find_chip("h100")
    assert isinstance(found, Roofline) and chip is not None
    product = max(found.kernels, key=lambda point: point.flops)
    (name,) = dict(product.work)
    assert find_peak(chip.ceilings(), name).rate == pytest.approx(rate)


@needs_gpu_compiler
def test_a_librarys_product_has_the_precision_that_was_asked_for(tmp_path: Path) -> None:
    """XLA writes it into the call of cuBLAS, behind what the graph shows of its configuration."""
    path = tmp_path / "products.py"
    path.write_text(PRODUCTS)
    call = "asked(f32[1024, 1024], f32[1024, 1024], 'highest')"
    options = {"xla_gpu_enable_triton_gemm": "false"}
    capture = one_shot.capture(str(path), call, target="aot:gpu:h100", options=options)
    if "__cublas" not in text_of(capture):
        pytest.skip("this XLA calls no library here")
    chip = find_chip("h100")
    assert chip is not None
    found = estimate(stage_of(capture, "optimized"), chip)
    assert isinstance(found, Estimate)
    assert found.seconds == pytest.approx(2 * 1024**3 / 66.9e12, rel=0.01)


BY_HAND = """
import jax, jax.numpy as jnp


def product(a, b):
    return a @ b


def highest(a, b):
    return jnp.dot(a, b, precision="highest")


def elements(a, b):
    return a * b + 1.0


def layer(x, w, b):
    return jax.nn.softmax(x @ w + b, axis=-1)


def scanned(x, ws):
    return jax.lax.scan(lambda h, w: (h @ w, None), x, ws)[0]
"""
CUBE = 2 * 1024**3
MIB = 2**20


@needs_gpu_compiler
@pytest.mark.parametrize(
    ("call", "flops", "num_bytes", "seconds"),
    [
        ("product(f32[1024, 1024], f32[1024, 1024])", CUBE, 12 * MIB, CUBE / 494.7e12),
        ("highest(f32[1024, 1024], f32[1024, 1024])", CUBE, 12 * MIB, CUBE / 66.9e12),
        ("product(bf16[1024, 1024], bf16[1024, 1024])", CUBE, 6 * MIB, CUBE / 989.4e12),
        ("elements(f32[4096, 4096], f32[4096, 4096])", 2 * 4096**2, 192 * MIB, 192 * MIB / 3.35e12),
        (  # both kernels wait for memory: the second reads and writes 4 MiB
            "layer(f32[512, 1024], f32[1024, 2048], f32[2048])",
            CUBE + 5 * MIB,
            22 * MIB,
            22 * MIB / 3.35e12,
        ),
    ],
)
def test_an_h100s_row_is_that_by_hand(
    tmp_path: Path, call: str, flops: float, num_bytes: float, seconds: float
) -> None:
    row = _row_by_hand(tmp_path, call, "aot:gpu:h100")
    assert row.flops == pytest.approx(flops, rel=1e-3)
    assert row.num_bytes == pytest.approx(num_bytes, rel=1e-3)
    assert row.seconds == pytest.approx(seconds, rel=1e-3)
    assert num_bytes * 0.8 < row.needed_bytes < num_bytes * 1.2


@needs_tpu_compiler
@pytest.mark.parametrize(
    ("call", "flops", "num_bytes", "seconds"),
    [
        ("product(f32[1024, 1024], f32[1024, 1024])", CUBE, 12 * MIB, 12 * MIB / 819e9),
        ("highest(f32[1024, 1024], f32[1024, 1024])", CUBE, 12 * MIB, 6 * CUBE / 197e12),
        ("product(bf16[1024, 1024], bf16[1024, 1024])", CUBE, 6 * MIB, CUBE / 197e12),
        ("elements(f32[4096, 4096], f32[4096, 4096])", 2 * 4096**2, 192 * MIB, 192 * MIB / 819e9),
    ],
)
def test_a_v5es_row_is_that_by_hand(
    tmp_path: Path, call: str, flops: float, num_bytes: float, seconds: float
) -> None:
    """It multiplies bfloat16: f32 once by default, six times for `highest`."""
    row = _row_by_hand(tmp_path, call, "aot:tpu:v5e:1x1")
    assert row.flops == pytest.approx(flops, rel=1e-3)
    assert row.num_bytes == pytest.approx(num_bytes, rel=1e-3)
    assert row.seconds == pytest.approx(seconds, rel=1e-3)


@pytest.mark.parametrize("target", ["cpu", pytest.param("aot:gpu:h100", marks=needs_gpu_compiler)])
def test_products_of_a_loop_count_as_often_as_it_runs(tmp_path: Path, target: str) -> None:
    row = _row_by_hand(tmp_path, "scanned(f32[256, 256], f32[12, 256, 256])", target)
    assert row.flops == pytest.approx(12 * 2 * 256**3, rel=0.01)


def _row_by_hand(folder: Path, call: str, target: str) -> TargetRow:
    path = folder / "by_hand.py"
    path.write_text(BY_HAND)
    return summarize_target(target, one_shot.capture(str(path), call, target=target))
