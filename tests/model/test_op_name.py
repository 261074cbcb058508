"""Tags in names: which equation, which direction, and the name as JAX would have written it."""

from __future__ import annotations

import pytest

from jaxscope.model.graph import Direction
from jaxscope.model.op_name import TagTable, instruction_name, read_op_name, strip_tags

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
        # Files of jaxscope 0.1:
        ("jit(f)/jxsd3/jxsb1/Dense/dot", "b1", "d3", "none", "jit(f)/Dense/dot"),
        ("jit(f)/jxsd3/jvp(jxsb4)/mul", "b4", "d3", "forward", "jit(f)/jvp()/mul"),
        ("jit(f)/transpose(jvp(jxsb4))/mul", "b4", "", "backward", "jit(f)/transpose(jvp())/mul"),
        (
            "vmap(transpose(vmap(jvp(jxsb4))))/mul",
            "b4",
            "",
            "backward",
            "vmap(transpose(vmap(jvp())))/mul",
        ),
        ("jit(f)/jvp(jxsb4)/transpose()/mul", "b4", "", "forward", "jit(f)/jvp()/transpose()/mul"),
        ("jit(f)/jxsb4/transpose()/mul", "b4", "", "none", "jit(f)/transpose()/mul"),
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


def test_instructions_named_by_a_tag_alone_keep_a_name_in_texts_and_graphs() -> None:
    text = '%jxsb5.3 = u32[] call(%jxsd5.3), to_apply=%fry, metadata={op_name="jxsb5"}'

    assert strip_tags(text) == (
        '%unnamed_b5.3 = u32[] call(%unnamed_d5.3), to_apply=%fry, metadata={op_name=""}'
    )
    assert instruction_name("jxsb5.3") == "unnamed_b5.3"
    assert instruction_name("add.3") == "add.3"
