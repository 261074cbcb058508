"""Groups that StableHLO states along axes of a mesh, read where it does."""

from __future__ import annotations

import pytest

from jaxscope.program.sharding.collectives import parse_groups
from jaxscope.worker.stages.stablehlo import mesh_groups

MESHES = {"mesh_0": (("a", 2), ("b", 2), ("c", 2))}


def stated(*axes: str, mesh: str = "mesh_0") -> str:
    uses = ", ".join(f'#stablehlo.axis_ref<name = "{axis}">' for axis in axes)
    return f"#stablehlo.replica_group_mesh_axes<mesh = @{mesh}, axes = [{uses}]>"


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        (("a",), ((0, 4), (1, 5), (2, 6), (3, 7))),
        (("c",), ((0, 1), (2, 3), (4, 5), (6, 7))),
        (("a", "c"), ((0, 1, 4, 5), (2, 3, 6, 7))),
        (("c", "a"), ((0, 4, 1, 5), (2, 6, 3, 7))),
    ],
)
def test_the_axes_say_who_takes_part(
    axes: tuple[str, ...], expected: tuple[tuple[int, ...], ...]
) -> None:
    assert parse_groups(mesh_groups("replica_groups", stated(*axes), MESHES), 8) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("replica_groups", stated("z")),
        ("replica_groups", stated()),
        ("replica_groups", stated("a", mesh="other")),
        ("replica_groups", stated("a").replace('"a"', '"a", sub_axis_info = 2')),
        ("replica_groups", "dense<[[0, 1]]> : tensor<1x2xi64>"),
        ("backend_config", stated("a")),
    ],
)
def test_what_is_not_understood_is_left_to_its_text(name: str, text: str) -> None:
    assert mesh_groups(name, text, MESHES) == ""
