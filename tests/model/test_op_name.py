"""Tags in names: which equation, which direction, and the name as JAX would have written it."""

from __future__ import annotations

import pytest

from jaxscope.model.graph import Direction
from jaxscope.model.op_name import TagTable, read_op_name, strip_tags

TABLE = TagTable(tuple(f"b{i}" for i in range(20)), tuple(f"d{i}" for i in range(20)))


@pytest.mark.parametrize(
    ("name", "origins", "derived", "direction", "display"),
    [
        ("jxsd3~jxsb1~jit(f)/Dense/dot", "b1", "d3", "none", "jit(f)/Dense/dot"),
        ("jxsd3~jxsb4~jit(f)/jvp(Dense)/mul", "b4", "d3", "forward", "jit(f)/jvp(Dense)/mul"),
        ("jxsd3~jit(f)/while/jxsd9~body/add", "", "d9", "none", "jit(f)/while/body/add"),
        (
            "jxsd1~jit(f)/jit(g)/jxsd2~//while/body/add",
            "",
            "d2",
            "none",
            "jit(f)/jit(g)/while/body/add",
        ),
        ("jit(f)/jit(g)/jxsd2~/", "", "d2", "none", "jit(f)/jit(g)"),
        ("jxsd2~//mul", "", "d2", "none", "mul"),
        ("jxsb4~jxsp3~jit(f)/add;jxsb0~jit(f)/sub", "b7 b0", "", "none", "jit(f)/add;jit(f)/sub"),
        ("jxsb3~jvp(jxsb99~f)/add", "b3", "", "forward", "jvp(f)/add"),
        ("params['w']", "", "", "none", "params['w']"),
    ],
)
def test_a_name_tells_where_an_operation_came_from(
    name: str, origins: str, derived: str, direction: str, display: str
) -> None:
    read = read_op_name(name, TABLE)

    assert " ".join(read.origins) == origins
    assert " ".join(read.derived) == derived
    assert read.direction is Direction[direction.upper()]
    assert read.display == display


@pytest.mark.parametrize(
    ("tagged", "plain", "derived"),
    [
        ("(jxsd0~/jit(f)/add:jxsd1~/jit(f)/add)", "jit(f)/add", ("a", "b")),
        ("(jxsd0~/jit(f)/u/a:jxsd1~/jit(f)/v/b)", "jit(f)/(u/a:v/b)", ("a", "b")),
        ("jit(f)/(jxsd0~//a:jxsd1~//a)", "jit(f)/a", ("a", "b")),
        ("jit(f)/(jxsd0~//a:jxsd1~//a:jxsd2~//b)", "jit(f)/(a:a:b)", ("a", "b", "c")),
        ("jit(f)/(jxsd0~//jvp(a:b)/c)", "jit(f)/(jvp(a:b)/c)", ("a",)),
    ],
)
def test_collectives_that_xla_combines_keep_every_tag(
    tagged: str, plain: str, derived: tuple[str, ...]
) -> None:
    """XLA writes what the names begin with once, then the rests, unless all are the same."""
    read = read_op_name(tagged, TagTable(derived=("a", "b", "c")))
    assert read.derived == derived
    assert read.display == plain
    assert strip_tags(f'op_name="{tagged}"') == f'op_name="{plain}"'


def test_a_whole_text_is_stripped_in_place() -> None:
    text = (
        '%add = f32[] add(%a, %b), metadata={op_name="jxsd3~jxsb4~jit(f)/jvp()/add"}\n'
        '%call = f32[] call(%a), metadata={op_name="jxsd3~jxsb4~/"}\n'
        '%call = f32[] call(%a), metadata={op_name="jxsd3~jxsb4~/" stack_frame_id=3}'
    )

    assert strip_tags(text) == (
        '%add = f32[] add(%a, %b), metadata={op_name="jit(f)/jvp()/add"}\n'
        "%call = f32[] call(%a)\n"
        "%call = f32[] call(%a), metadata={stack_frame_id=3}"
    )
