"""Names of targets."""

from __future__ import annotations

import pytest

from jaxscope.model.targets import EXAMPLES, Target, is_absent, parse_target


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("cpu", Target("cpu")),
        ("cpu:8", Target("cpu", 8)),
        ("gpu", Target("gpu")),
        ("gpu:0", Target("gpu", 0)),
        ("tpu:3", Target("tpu", 3)),
        ("aot:tpu:v5e", Target("tpu", None, "v5e")),
        ("aot:tpu:v5p:2x2x1", Target("tpu", None, "v5p", "2x2x1")),
        ("aot:gpu:h100:8", Target("gpu", None, "h100", "8")),
    ],
)
def test_a_target_is_read(text: str, target: Target) -> None:
    assert parse_target(text) == target
    assert is_absent(text) == bool(target.chip)


@pytest.mark.parametrize(
    "text",
    ["", "cpu:0", "cpu:12345", "cpu:", "gpu:-1", "npu", "aot:tpu", "aot:cpu:x", "aot:tpu:v5e:",
     "aot:tpu:v5e:2x2x2x2", "aot:gpu:../h100", "cpu\n", "ssh://box/cpu"],
)  # fmt: skip
def test_what_is_no_target_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="There is no target"):
        parse_target(text)


def test_the_examples_are_targets() -> None:
    for text in EXAMPLES.split(", "):
        parse_target(text)
