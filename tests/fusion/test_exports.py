"""Fusions where a capture is written: JSON, the web page, the report."""

from __future__ import annotations

import json

import jax.numpy as jnp
import pytest

from jaxscope.export.capture_json import capture_to_json
from jaxscope.export.html import capture_to_html
from jaxscope.export.markdown import capture_to_markdown
from jaxscope.in_process import capture_function
from jaxscope.model import Capture
from jaxscope.program.fusion.duplicates import find_duplicates
from jaxscope.program.fusion.fusions import find_fusions
from jaxscope.program.fusion.summary import FusionReport, count_fused
from jaxscope.report.fusion import add_fusion_notes

from .programs import TWICE, node, read


@pytest.fixture(scope="module")
def capture() -> Capture:
    return capture_function(lambda x: jnp.tanh(jnp.sin(x) * 2.5 + 1.5), (jnp.ones((8, 8)),), {})


def test_json_tells_each_fusion_and_what_fusing_brought(capture: Capture) -> None:
    found = json.loads(json.dumps(capture_to_json(capture), allow_nan=False))["fusion"]
    (fusion,) = found["fusions"]
    # The sine, the product and the sum stay inside; repeated numbers are no results.
    assert fusion["saves"]["values"] == 3
    assert fusion["saves"]["bytes_written"] == fusion["saves"]["bytes_read"] == 3 * 256
    assert (found["one_by_one"]["kernels"]["low"], found["fused"]["kernels"]["low"]) == (4, 1)


def test_the_page_and_the_report_tell_what_a_fusion_saves(capture: Capture) -> None:
    told = f"{1.5:.2f} KiB: {3} intermediate results not written"  # the page holds this source, too
    assert told in capture_to_html(capture)
    report = capture_to_markdown(capture)
    assert told in report
    assert "The equations one by one: 4 kernel launches" in report


def test_fusions_and_kernels_that_repeat_work_get_attributes() -> None:
    module = read(TWICE, cost=(8.0, 64.0, 8.0))
    report = FusionReport(
        module, find_fusions(module), find_duplicates(module), None, count_fused(module)
    )
    noted = add_fusion_notes(report)
    row = noted.attributes(node(module, "kernel.left"))
    assert row["fusion_computes"] == "exponential, reduce"
    assert row["fusion_saves"].startswith("64 B: 1 intermediate result not written (32 B)")
    assert row["fusion_reads"] == "f32[8] (32 B)"
    assert "also computed in kernel.right" in row["fusion_repeats"]
    assert "fusion_saves" not in noted.attributes(node(module, "x"))
