"""Types as stages print them, against sizes written down by hand and against NumPy's."""

from __future__ import annotations

import math
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.model.types import (
    ArrayType,
    TupleType,
    explain_manual_axes,
    normal_type,
    packed_type_bytes,
    parse_array_type,
    parse_type,
    short_type,
    type_bytes,
)

NAN = math.nan

# Text, bytes where elements of less than a byte have no known size, bytes where they are packed.
SIZES = (
    ("s32[8]", 32, 32),
    ("i32[8]", 32, 32),
    ("ui32[8]", 32, 32),
    ("u32[8]", 32, 32),
    ("bool[8]", 8, 8),
    ("pred[8]", 8, 8),
    ("i1[8]", 8, 8),
    ("pred[]", 1, 1),
    ("s4[8]", NAN, 4),
    ("i4[8]", NAN, 4),
    ("u4[3]", NAN, 2),
    ("f4e2m1fn[8]", NAN, 4),
    ("f8e4m3fn[8]", 8, 8),
    ("f8_e4m3fn[8]", 8, 8),
    ("tensor<8xf8E4M3FN>", 8, 8),
    ("f32[]", 4, 4),
    ("bf16[2,3]", 12, 12),
    ("f64[2]", 16, 16),
    ("c64[2]", 16, 16),
    ("c128[2]", 32, 32),
    ("key<fry>[]", 8, 8),
    ("key<fry>[3]", 24, 24),
    ("key<rbg>[]", 16, 16),
    ("key<urbg>[]", 16, 16),
    ("key<unsafe_rbg>[]", 16, 16),
    ("float0[8]", 0, 0),
    ("f32[0,9]", 0, 0),
    ("token[]", 0, 0),
    ("!stablehlo.token", 0, 0),
    ("opaque[]", 0, 0),
    ("()", 0, 0),
    ("(f32[8], s32[])", 36, 36),
    ("(f32[2], (s32[], u8[3]))", 15, 15),
    ("(f32[8]{0:T(8)}, /*index=1*/s32[])", 36, 36),
    ("(f32[8], s4[8])", NAN, 36),
    (f"({', '.join(['f32[8]{0:T(8,128)(2,1)}'] * 80)})", 2560, 2560),
    ("~f32[8]", 32, 32),
    ("f32[8@x,4]", 128, 128),
    ("f32[8@(x,y),4@z]{V:i}", 128, 128),
    ("f32<host>[8,4@z]{V:i}", 128, 128),
    ("f32<any>[8]", 32, 32),
    ("key<fry><host>[3]", 24, 24),
    ("f32[<=8]", 32, 32),
    ("bf16[<=4,2]", 16, 16),
    ("f32[8]{0:T(8)}", 32, 32),
    ("f32[8]{0:S(1)}", 32, 32),
    ("tensor<8xf32>", 32, 32),
    ("tensor<f32>", 4, 4),
    ("tensor<3xi1>", 3, 3),
    ("tensor<4xcomplex<f32>>", 32, 32),
    ("tensor<8xf32, #stablehlo.bounds<8>>", 32, 32),
    ("strange[3]", NAN, NAN),
)


@pytest.mark.parametrize(("text", "num_bytes", "packed_bytes"), SIZES)
def test_sizes(text: str, num_bytes: float, packed_bytes: float) -> None:
    assert parse_type(text) is not None
    np.testing.assert_equal(type_bytes(text), float(num_bytes))
    np.testing.assert_equal(packed_type_bytes(text), float(packed_bytes))


@pytest.mark.parametrize(
    "text",
    ["", "?", "f32", "f32[8", "Ref{f32[2]}", "f32[a]", "f32[2,]", "f32[-1]", "f32[<=?]",
     "tensor<?x4xf32>", "(f32[8], f32[n])", "(f32[8]", "tensor<8x>"],
)  # fmt: skip
def test_what_is_no_type_has_no_size(text: str) -> None:
    assert parse_type(text) is None
    assert math.isnan(type_bytes(text)) and math.isnan(packed_type_bytes(text))


def test_parts_of_types() -> None:
    assert parse_type("s32[8,128]{1,0}") == ArrayType("i32", (8, 128))
    assert parse_type("f32[<=8,2]") == ArrayType("f32", (8, 2), is_bounded=True)
    assert parse_type("(pred[], (f32[2]))") == TupleType(
        (ArrayType("bool", ()), TupleType((ArrayType("f32", (2,)),)))
    )
    assert parse_array_type("(f32[2])") is None


@pytest.mark.parametrize(
    ("text", "normal", "short"),
    [
        ("s32[8]{0}", "i32[8]", "s32[8]"),
        ("tensor<2x4xui8>", "u8[2,4]", "u8[2,4]"),
        ("tensor<?x4xbf16>", "tensor<?x4xbf16>", "bf16[?,4]"),
        ("tensor<4xcomplex<f32>>", "c64[4]", "c64[4]"),
        ("f32[8@x,4]", "f32[8,4]", "f32[8@x,4]"),
        ("(pred[8]{0}, u32[]{:T(256)})", "(bool[8], u32[])", "(pred[8], u32[])"),
        ("Ref{f32[2]}", "Ref{f32[2]}", "Ref{f32[2]}"),
    ],
)
def test_one_text_for_a_type_and_a_short_one(text: str, normal: str, short: str) -> None:
    assert (normal_type(text), short_type(text)) == (normal, short)


DTYPES = [
    *("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "bfloat16"),
    *("float32", "complex64", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz"),
    *("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
]


def test_each_dtype_is_the_same_type_in_each_stage() -> None:
    shapes = [jnp.zeros((3, 5), getattr(jnp, name)) for name in DTYPES]
    traced = jax.jit(lambda *arrays: arrays).trace(*shapes)
    jaxpr = [value.aval.str_short(short_dtypes=True) for value in traced.jaxpr.jaxpr.invars]
    lowered = traced.lower()
    (signature,) = re.findall(r"@main\((.*?)\) ->", lowered.as_text(), re.DOTALL)
    stablehlo = re.findall(r"tensor<[^ ]*>(?=[, ]|$)", signature)
    (layout,) = re.findall(r"entry_computation_layout=\{\((.*?)\)->", lowered.as_text("hlo"))
    hlo = re.findall(r"\w+\[[\d,]*\]", layout)
    assert len(jaxpr) == len(stablehlo) == len(hlo) == len(shapes)
    for shape, *texts in zip(shapes, jaxpr, stablehlo, hlo, strict=True):
        found = [parse_array_type(text) for text in texts]
        assert len(set(found)) == 1, texts
        assert found[0] is not None
        assert found[0].shape == shape.shape
        assert found[0].num_bytes == np.dtype(shape.dtype).itemsize * 15, texts
        assert str(found[0]) == texts[0]


def test_axes_behind_a_type_are_explained_as_jax_has_them() -> None:
    mesh = jax.make_mesh((1, 1), ("rows", "columns"), (jax.sharding.AxisType.Auto,) * 2)
    seen: dict[str, frozenset[str]] = {}

    def total(x: jax.Array) -> jax.Array:
        for value in (x, jax.lax.psum(x, "rows"), jax.lax.psum(x, ("rows", "columns"))):
            seen[str(jax.typeof(value))] = jax.typeof(value).mat.varying
        return jax.lax.psum(x, "rows")

    spec = jax.P(("rows", "columns"))
    sharded = jax.shard_map(total, mesh=mesh, in_specs=spec, out_specs=jax.P("columns"))
    jax.make_jaxpr(sharded)(jnp.ones(4))
    assert sorted(map(len, seen.values())) == [0, 1, 2]
    for text, varying in seen.items():
        told = explain_manual_axes(text)
        assert len(told) == bool(varying)
        assert all(
            f"over {','.join(n for n in ('rows', 'columns') if n in varying)} of" in t for t in told
        )
    both = explain_manual_axes("f32[8@d,4@(x,y)]{V:(i,j), U:k, R:(a,b)}")
    assert [text.partition(":")[0] for text in both] == ["V", "U", "R"]
    assert both[0].startswith("V:i,j: varies over i,j of the mesh")
    assert jax.P(reduced={"x"}).to_ct_spec() == jax.P(unreduced={"x"})
    for plain in ("f32[8]{0}", "bf16[2,3]{1,0:T(8,128)(2,1)S(1)}", "f32[]"):
        assert not explain_manual_axes(plain)
