"""Matrix products that a chip computes with fewer digits, or in tiles that they do not fill.

Both are told of a target only where JAX's or the chip's documentation says so: nothing is measured.
`docs/design/checks.md` has what XLA's compiler for TPUs makes of such products.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import jax

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Check, Severity
from jaxscope.model.hardware import chip_of_target
from jaxscope.model.said import say
from jaxscope.model.targets import parse_target
from jaxscope.worker import compat
from jaxscope.worker.checks.dataflow import Dataflow, Site, TracedValue, num_rounds
from jaxscope.worker.checks.subject import CheckedCall

ROUNDED, BELOW_TILE = "float32-products-rounded", "products-below-tile"
LARGEST_SIZE = 8
"""Up to here elementwise products and a sum take less of a TPU than its matrix unit."""

MIN_PADDED_WORK = 1e9
MIN_SHARE = 0.25
"""Of what the matrix unit computes for all products of the program."""

_LESSON = "samples/lessons/19_compiled_numbers_differ.md"
_ROWS, _LANES = 8, 128
_FIRST_WITH_TF32 = 8.0
_EXACT_IN_BFLOAT16 = ("bool", "int8", "uint8", "int4", "uint4", "int2", "uint2", "bfloat16")
_NAMES = ("dot_general", "conv_general_dilated")


@dataclass(frozen=True, slots=True)
class _Product:
    """A product of matrices: `batch` times `rows` by `depth` by `columns`, each run."""

    site: Site
    batch: int
    rows: int
    depth: int
    columns: int
    rounds: int

    @property
    def work(self) -> float:
        """FLOP in all rounds."""
        return 2.0 * self.rounds * self.batch * self.rows * self.depth * self.columns

    @property
    def padded_work(self) -> float:
        """What the matrix unit computes for it at least.

        One size is filled up to whole rows of 8, the others to 128 lanes; whichever is least.
        """
        sizes = (self.rows, self.depth, self.columns)
        filled = min(
            math.prod(_fill(size, _ROWS if n == rows else _LANES) for n, size in enumerate(sizes))
            for rows in range(3)
        )
        return 2.0 * self.rounds * self.batch * filled


def _fill(size: int, tile: int) -> int:
    return -(-size // tile) * tile


def find_rounded_products(subject: CheckedCall) -> Iterator[Check]:
    """The costliest of the float32 products that no precision was given for, and how many."""
    told = _rounding(subject.target)
    if told is None:
        return
    products = [p for p in _products(subject.derived) if _is_rounded(p.site)]
    found = _costliest_of_the_base(subject, products)
    if found is None:
        return
    product, site, place = found
    name, digits = told
    is_tpu = name == "bfloat16"
    yield Check(
        ROUNDED,
        Severity.INFO,
        say(
            "On this target products of float32 arrays run with their operands rounded to {name}, "
            "which keeps {digits} of 24 binary digits: that is what JAX documents of its default "
            "precision. The program has {num:,} for which no other was asked for; the costliest is "
            "this one, {work} FLOP. A CPU does not round them, so its results differ.",
            num=len(products),
            name=name,
            digits=digits,
            work=f"{product.work:,.0f}",
        ),
        say(
            "Where the digits matter, jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST), or "
            'with jax.default_matmul_precision("float32"): around the call. {cost}',
            cost=say("It takes about six times the passes of the matrix unit.")
            if is_tpu
            else say("The GPU then computes in float32, which takes longer."),
        ),
        _LESSON,
        site.id,
        *place,
    )


def _rounding(target: str) -> tuple[str, int] | None:
    """The type that operands are rounded to, and its binary digits; None where they are not."""
    kind = parse_target(target).kind
    if kind == "tpu":
        return "bfloat16", 8
    if kind == "gpu" and _has_tf32(target):
        return "tensorfloat32", 11
    return None


def _has_tf32(target: str) -> bool:
    chip = chip_of_target(target)
    if chip is not None:
        return "tf32" in chip.peak
    try:
        return float(jax.devices("gpu")[0].compute_capability) >= _FIRST_WITH_TF32
    except (RuntimeError, AttributeError, ValueError, IndexError):
        return False  # AMD's say `gfx90a`: nothing is documented


def _is_rounded(site: Site) -> bool:
    read = site.inputs[:2]
    types = [str(getattr(value.aval, "dtype", "")) for value in read]
    return (
        "float32" in types
        and set(types) <= {"float32", "bfloat16"}
        and site.equation.params.get("precision") is None
        and not all(map(_is_exact, read))
    )


def _is_exact(value: TracedValue) -> bool:
    """Whether all that a value can be has 8 binary digits or fewer: rounding it changes nothing."""
    while str(getattr(value.aval, "dtype", "")) not in _EXACT_IN_BFLOAT16:
        before = value.maker.inputs[0] if value.maker is not None else None
        if before is None or before.source() is not value.source():
            return value.number() in (0.0, 1.0)
        value = before
    return True


def find_small_products(subject: CheckedCall) -> Iterator[Check]:
    """Batches of tiny products that a TPU computes in tiles of 8 x 128 x 128."""
    if parse_target(subject.target).kind != "tpu":
        return
    products = list(_products(subject.derived))
    total = sum(product.padded_work for product in products)
    small = [
        p
        for p in products
        if p.batch > 1
        and max(p.rows, p.depth, p.columns) <= LARGEST_SIZE
        and p.padded_work >= max(MIN_PADDED_WORK, MIN_SHARE * total)
        and p.site.name == "dot_general"
    ]
    found = _costliest_of_the_base(subject, small)
    if found is None:
        return
    product, site, place = found
    yield Check(
        BELOW_TILE,
        Severity.INFO,
        say(
            "{num:,} products of {rows} x {depth} by {depth} x {columns}: the matrix unit of a TPU "
            "works on tiles of at least 8 x 128 x 128, so it computes {times:,.0f} times what they "
            "need. That follows from the shapes and the documented tile; it is no measurement.",
            num=product.batch * product.rounds,
            rows=product.rows,
            depth=product.depth,
            columns=product.columns,
            times=product.padded_work / product.work,
        ),
        say(
            "In place of a @ b, jnp.sum(a[..., :, :, None] * b[..., None, :, :], axis=-2): that is "
            "no product for the matrix unit."
        ),
        "",
        site.id,
        *place,
    )


def _products(flow: Dataflow) -> Iterator[_Product]:
    """Products of matrices, and convolutions over channels.

    A product with a vector is no matter for the matrix unit: XLA multiplies and adds. Of a loop
    whose rounds are not known one is counted.
    """
    for site in flow.sites:
        if site.name not in _NAMES:
            continue
        parameters = site.equation.params
        left, right = (value.shape for value in site.inputs[:2])
        if site.name == "dot_general":
            (depth_axes, _free), (batch_axes, _) = parameters["dimension_numbers"]
            batch = math.prod(left[axis] for axis in batch_axes)
            depth = math.prod(left[axis] for axis in depth_axes)
            rows = math.prod(left) // max(batch * depth, 1)
            columns = math.prod(right) // max(batch * depth, 1)
        elif parameters["feature_group_count"] == parameters["batch_group_count"] == 1:
            numbers = parameters["dimension_numbers"]
            result = site.outputs[0].shape
            batch, columns = 1, right[numbers.rhs_spec[0]]
            depth = math.prod(right) // max(columns, 1)
            rows = math.prod(result) // max(result[numbers.out_spec[1]], 1)
        else:
            continue
        if min(rows, depth, columns) > 1:
            rounds = math.prod(num_rounds(loop) or 1 for loop in site.loops())
            yield _Product(site, batch, rows, depth, columns, rounds)


def _costliest_of_the_base(
    subject: CheckedCall, products: list[_Product]
) -> tuple[_Product, Site, tuple[str, int]] | None:
    """The costliest of products that are of an equation of the user's own, it and its place."""
    if subject.derived is subject.base:
        bases = {id(site): site for site in subject.base.sites}
    else:
        by_id = {site.id: site for site in reversed(subject.base.sites)}
        bases = {
            id(site): by_id[name]
            for name, sites in subject.base_ids.items()
            if name in by_id
            for site in sites
        }
    for product in sorted(products, key=lambda product: -product.work):
        site = bases.get(id(product.site))
        place = None if site is None else _own_place(subject, site)
        if site is not None and place is not None:
            return product, site, place
    return None


def _own_place(subject: CheckedCall, site: Site) -> tuple[str, int] | None:
    """The innermost line of the user's own that an equation was made for, also in a library."""
    frames = compat.user_frames(site.equation.source_info)
    return next(((file, line) for file, line, *_ in frames if subject.is_own(file)), None)
