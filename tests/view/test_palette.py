"""Colours can be told apart and read."""

from __future__ import annotations

import importlib
import itertools
import math
import sys

import pytest
from jax._src.interpreters import batching
from jax.extend.core import Primitive

from contrast import contrast, linear
from jaxscope.picture.palette import (
    BACKWARD_FRAME,
    FORWARD_FRAME,
    FRAME_NAMES,
    FUSION_FRAME,
    LIGHT,
    LINE_NAMES,
    PALETTES,
    STYLE_NAMES,
    Palette,
    explain_boxes,
)
from jaxscope.picture.view.operations import Style, style_of


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_text_is_readable_on_every_box(palette: Palette) -> None:
    grounds = [*palette.fill.values(), *palette.frame_fill, *palette.header_fill]
    grounds += [palette.background, palette.stub_fill]
    for ground in grounds:
        assert contrast(palette.text, ground) >= 7.0, ground
        assert contrast(palette.muted, ground) >= 5.0, ground


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_words_on_lines_and_names_of_operands_are_readable(palette: Palette) -> None:
    """They lie on plates in the colour of the frame around."""
    for ground in (palette.background, palette.stub_fill, *palette.frame_fill):
        for text in (palette.residual_text, palette.selected):
            assert contrast(text, ground) >= 4.5, (text, ground)


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_borders_lines_and_outlines_stand_out(palette: Palette) -> None:
    colors = [*palette.border.values(), palette.edge]
    colors += [palette.selected, palette.forward, palette.backward]
    for color in colors:
        for ground in (palette.background, *palette.frame_fill):
            assert contrast(color, ground) >= 3.0, color


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_grey_boxes_are_not_taken_for_closed_groups(palette: Palette) -> None:
    """Both are grey: they must differ by light too, as on a screen with pale colours."""
    fills = [palette.fill[style] for style in (Style.MOVEMENT, Style.GROUP)]
    assert contrast(*fills) >= 1.15


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_grey_boxes_do_not_look_selected(palette: Palette) -> None:
    """Grey borders stand out less than those of groups, which hold more."""
    grey, group = palette.border[Style.MOVEMENT], palette.border[Style.GROUP]
    assert contrast(grey, palette.background) < contrast(group, palette.background)


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
@pytest.mark.parametrize("style", Style)
def test_a_box_stands_out_from_every_group_that_it_may_be_in(
    palette: Palette, style: Style
) -> None:
    """By its fill or by its border, whose inner side lies on the fill."""
    for ground in (palette.background, *palette.frame_fill):
        by_border = min(
            contrast(palette.border[style], each) for each in (ground, palette.fill[style])
        )
        assert max(contrast(palette.fill[style], ground), by_border) >= 3.0, ground


def test_every_style_has_colours_and_a_name() -> None:
    for palette in PALETTES.values():
        assert set(palette.fill) == set(palette.border) == set(Style)
    assert set(STYLE_NAMES) == set(Style)


_EYES = {
    "all": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "without green": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "without red": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
}
"""Linear RGB as eyes without a kind of cones see it: Machado, Oliveira, Fernandes 2009."""


def oklab(color: str, eyes: str) -> tuple[float, float, float]:
    """Björn Ottosson's OKLab: equal distances look equally far apart."""
    light = linear(color)
    seen = (sum(a * b for a, b in zip(row, light, strict=True)) for row in _EYES[eyes])
    r, g, b = (min(max(each, 0.0), 1.0) for each in seen)
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    middle = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
@pytest.mark.parametrize(
    ("eyes", "least"), [("all", 0.12), ("without green", 0.06), ("without red", 0.06)]
)
def test_what_a_legend_tells_apart_looks_apart(palette: Palette, eyes: str, least: float) -> None:
    """By fill and border together; what has the same name looks the same."""
    entries = [explain_boxes([style], [], (), palette)[0] for style in Style]
    entries += [explain_boxes([], [frame], (), palette)[0] for frame in FRAME_NAMES]
    entries += [*explain_boxes([], [], ("residual", "carry"), palette)]
    entries.append((LINE_NAMES["connector"], palette.stub_fill, palette.stub_line))
    looks = dict[str, tuple[str, ...]]()
    for name, *look in entries:
        assert looks.setdefault(name, tuple(look)) == tuple(look), name
    for (one, ones), (other, others) in itertools.combinations(looks.items(), 2):
        distance = sum(
            math.dist(oklab(each, eyes), oklab(beside, eyes))
            for each, beside in zip(ones, others, strict=True)
        )
        assert distance >= least, (one, other, distance)


def test_large_boxes_look_apart_by_their_light_fills_alone() -> None:
    # Fills of light boxes are near to white; between dark ones the borders tell more.
    styles = (Style.FORWARD, Style.GROUP, Style.CONTROL, Style.MOVEMENT)
    fills = [oklab(LIGHT.fill[style], "all") for style in styles]
    least = min(math.dist(*pair) for pair in itertools.combinations(fills, 2))
    assert least >= 0.045, least


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_a_legend_explains_tinted_frames_and_says_each_name_once(palette: Palette) -> None:
    styles = [Style.GROUP, Style.REPEAT, Style.SECTION, Style.FUSION]
    grounds = [0, 1, FORWARD_FRAME, BACKWARD_FRAME, FUSION_FRAME]
    entries = explain_boxes([*styles, *styles], grounds, ("residual", "carry"), palette)
    names = ["forward", "backward", "residual", "fusion", "group", "carry"]
    assert [name for name, *_ in entries] == names
    assert entries[0][1] == palette.header_fill[FORWARD_FRAME] == palette.fill[Style.FORWARD]
    assert explain_boxes([], [FUSION_FRAME], (), palette) == (
        ("fusion", palette.header_fill[FUSION_FRAME], palette.border[Style.FUSION]),
    )
    assert len(palette.frame_fill) == len(palette.frame_line) == len(FRAME_NAMES)


@pytest.mark.parametrize(
    ("operation", "style"),
    [
        ("dot_general", Style.CONTRACTION),
        ("stablehlo.dot_general", Style.CONTRACTION),
        ("all-reduce", Style.COLLECTIVE),
        ("reduce_sum", Style.REDUCTION),
        ("broadcast_in_dim", Style.MOVEMENT),
        ("while", Style.CONTROL),
        ("jit", Style.GROUP),
        ("debug_print", Style.LIBRARY),
        ("debug_callback", Style.LIBRARY),
        ("eigh", Style.LIBRARY),
        ("axis_index", Style.LIBRARY),
        ("something_new", Style.LIBRARY),
        ("get", Style.MOVEMENT),
        ("swap", Style.MOVEMENT),
        ("addupdate", Style.MOVEMENT),
        ("stack", Style.MOVEMENT),
        ("opt-barrier", Style.MOVEMENT),
        ("topk", Style.LIBRARY),
        ("sort", Style.LIBRARY),
        ("convert_element_type", Style.ELEMENTWISE),
        ("exponential-minus-one", Style.ELEMENTWISE),
        ("chlo.erf_inv", Style.ELEMENTWISE),
        ("stablehlo.after_all", Style.LIBRARY),
        ("after-all", Style.LIBRARY),
    ],
)
def test_operations_of_every_dialect_have_a_style(operation: str, style: Style) -> None:
    assert style_of(operation) is style


_VECTORIZED_OTHERS = {
    *("random_bits", "random_clone", "random_fold_in", "random_seed", "random_split"),
    *("random_unwrap", "threefry2x32", "threefry4x32", "philox2x32", "philox4x32"),
    *("copy", "bitcast_convert_type", "to_edtype", "from_edtype", "tie"),  # values as they are
    *("stage", "xla_metadata_value", "global_array_to_host_local_array"),
    *("consume", "assert_consumed_value"),  # of the checker of keys, where it was loaded
}
"""What `vmap` carries through as it is, and what computes nothing from element to element."""
_ELEMENTWISE_WITHOUT = {
    *("add_any", "clamp", "select_n", "convert_element_type"),  # with a rule of their own
    *("_copysign", "elementwise_inline_asm_p", "reciprocal", "stochastic_round"),  # no rule
}


def test_what_is_called_elementwise_is_batched_by_jax_as_elementwise() -> None:
    """JAX's rules for `vmap` know which primitives compute each element from those at its place."""
    for module in ("jax.experimental.pallas", "jax.experimental.sparse", "jax.scipy.linalg"):
        importlib.import_module(module)
    of_jax = [module for name, module in sys.modules.copy().items() if name.startswith("jax.")]
    primitives = {
        each for of in of_jax for each in vars(of).copy().values() if isinstance(each, Primitive)
    }
    by_rule = (batching.broadcast_batcher, batching.vectorized_batcher)
    rules = batching.fancy_primitive_batchers
    found = {
        each.name
        for each in primitives
        if getattr(rules.get(each), "func", None) in by_rule
    }  # fmt: skip
    assert {"add", "tanh", "igamma"} < found
    shown = {each.name for each in primitives if style_of(each.name) is Style.ELEMENTWISE}
    assert shown - _ELEMENTWISE_WITHOUT == found - _VECTORIZED_OTHERS


def test_a_closed_part_of_a_gradient_and_an_opened_one_are_one_entry_before_all_others() -> None:
    entries = explain_boxes([Style.INPUT, Style.BACKWARD], [FORWARD_FRAME], (), LIGHT)
    assert [name for name, _, _ in entries] == ["forward", "backward", "argument"]
    both = explain_boxes([Style.FORWARD], [FORWARD_FRAME], (), LIGHT)
    assert [name for name, _, _ in both] == ["forward"]
