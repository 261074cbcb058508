"""Tags in names: which equation, which direction, and the name as JAX would have written it."""

from __future__ import annotations

import pytest

from jaxscope.model.graph import Direction
from jaxscope.model.op_name import TagTable, instruction_name, read_op_name, strip_tags

TABLE = TagTable(tuple(f"b{i}" for i in range(20)), tuple(f"d{i}" for i in range(20)))


@pytest.mark.parametrize(
    ("name", "origins", "derived", "direction", "display"),
    [
        ("jit(f)/jxsd3/jxsb1/Dense/dot", "b1", "d3", "none", "jit(f)/Dense/dot"),
        ("jit(f)/jxsd3/jvp(jxsb4)/mul", "b4", "d3", "forward", "jit(f)/jvp()/mul"),
        ("jit(f)/transpose(jvp(jxsb4))/mul", "b4", "", "backward", "jit(f)/transpose(jvp())/mul"),
        ("jvp(jxsb0/Dense)/while/body/jxsb1/add", "b1", "", "forward", "jvp(Dense)/while/body/add"),
        ("jit(f)/jxsb0/add;jit(f)/jxsb2/sub", "b0 b2", "", "none", "jit(f)/add;jit(f)/sub"),
        ("jvp(jxsb4)/jvp(jxsp3)/mul", "b7", "", "forward", "jvp()/jvp()/mul"),
        ("jxsb4/jxsp3/while/body/jxsb1/add", "b1", "", "none", "while/body/add"),
        ("jxsp3/mul", "", "", "none", "mul"),
        ("jit(f)/jxsd7", "", "d7", "none", "jit(f)"),
        ("jxsb3", "b3", "", "none", ""),
        ("jit(f)/jxsb99/add", "", "", "none", "jit(f)/add"),
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


def test_a_whole_text_is_stripped_in_place() -> None:
    text = (
        '%add = f32[] add(%a, %b), metadata={op_name="jit(f)/jxsd3/jvp(jxsb4)/add"}\nloc("jxsd1")'
    )

    assert strip_tags(text) == (
        '%add = f32[] add(%a, %b), metadata={op_name="jit(f)/jvp()/add"}\nloc("")'
    )


def test_instructions_named_by_a_tag_alone_keep_a_name_in_texts_and_graphs() -> None:
    text = '%jxsb5.3 = u32[] call(%jxsd5.3), to_apply=%fry, metadata={op_name="jxsb5"}'

    assert strip_tags(text) == (
        '%unnamed_b5.3 = u32[] call(%unnamed_d5.3), to_apply=%fry, metadata={op_name=""}'
    )
    assert instruction_name("jxsb5.3") == "unnamed_b5.3"
    assert instruction_name("add.3") == "add.3"
