"""Makes the pictures of README and `docs/` anew: `python docs/make_pictures.py [NAME …]`, in
some minutes.

A picture is a real window with a real capture, drawn off screen, or what `jaxscope figure` writes;
those of the gallery, whose page is written with them. Some show measured times, so they are to be
made on a machine that does nothing else.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication
from taking import (
    ROOT,
    open_window,
    run_call,
    save_themes,
    select_node,
    settle,
    show_page,
    start_application,
    wait,
)

from jaxscope.cli import main as run_jaxscope
from jaxscope.ui.session.state import Phase
from jaxscope.ui.window.main_window import MainWindow

FOLDER = ROOT / "docs" / "pictures"
PERCEPTRON = "grad(loss)(init(key(0)), f32[64, 8], f32[64])"

Act = Callable[[QApplication, MainWindow], None]


@dataclasses.dataclass(frozen=True, slots=True)
class Picture:
    """One picture.

    Attributes:
        file: The program, by its path in the repository.
        call: What to run of it.
        act: What to do before the picture is taken.
        size: Of the window, in pixels.
    """

    file: str
    call: str
    act: Act
    size: tuple[int, int] = (1440, 810)


def _select(part: str) -> Act:
    """Select the first fusion whose name contains something."""

    def act(application: QApplication, window: MainWindow) -> None:
        select_node(application, window, "fusion", part)

    return act


def _measure(application: QApplication, window: MainWindow) -> None:
    window.pages["timing"].measure()
    wait(application, lambda: bool(window.controller.state.timing.ratios))
    wait(application, lambda: window.controller.state.phase is Phase.DONE)
    settle(application, window)


def _show_memory(application: QApplication, window: MainWindow) -> None:
    show_page(application, window, "Memory")


def _compare(call: str) -> Act:
    def act(application: QApplication, window: MainWindow) -> None:
        page = window.pages["compare"]
        show_page(application, window, "Compare")
        page.comparing.compare_with_call(call, target="cpu", python=None)
        wait(application, lambda: page.view is not None and page.view.isVisible())
        wait(application, lambda: page.view.comparison is not None)
        for _ in range(3):  # its graphs are laid out beside the window's
            settle(application, window)

    return act


PICTURES = {
    "quick_start": Picture(
        "samples/quick_start.py",
        "grad(simple_graph)(f32[1000])",
        _select("multiply"),
        (1600, 900),
    ),
    "transformer": Picture(
        "samples/transformer.py",
        "grad(loss)(init(key(0)), tokens(key(1)))",
        _select("gather"),
        (1600, 900),
    ),
    "compare": Picture(
        "samples/vmap_axes.py",
        "vmap(layer, in_axes=(0, None, None))(f32[4, 8], f32[4, 8], f32[4])",
        _compare("layer_loop(f32[4, 8], f32[4, 8], f32[4])"),
    ),
    "timing": Picture("docs/programs/mlp.py", PERCEPTRON, _measure, size=(1440, 1000)),
    "memory": Picture("samples/transformer.py", "grad(loss)(init(key(0)), tokens(key(1)))",
                      _show_memory),
}  # fmt: skip


GALLERY = ROOT / "docs" / "gallery.md"
GALLERY_FOLDER = FOLDER / "gallery"
MEASURED = ("distributions", "stages", "compile-time")
"""Figures of times: other ones in every run."""
_GALLERY_HEAD = """# Gallery

Figures of programs in `samples/`, as `jaxscope figure` writes them for a paper or a slide; below
each stands the command that made it. The same commands write `.png` for slides, and the numbers as
`.csv` or `.json`; `--theme dark` is for a dark ground.
[Commands](reference/command-line.md#jaxscope-figure) has all kinds and options.
`python docs/make_pictures.py gallery` makes all of them and this page.

They were made with JAX 0.10.2 on a processor of type x86-64. Figures of times were measured on one
machine and are other ones on yours.
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the gallery.

    Attributes:
        kind: What `jaxscope figure` names it.
        call: Of the file.
        told: What it shows, a sentence.
        options: More words of the command.
        section: Heading on the page.
    """

    section: str
    kind: str
    file: str
    call: str
    told: str
    options: tuple[str, ...] = ()

    def words(self, name: str) -> list[str]:
        """The words of the command that writes it."""
        told = [self.kind, f"samples/{self.file}", self.call, *self.options, "-o", f"{name}.svg"]
        return ["jaxscope", "figure", *told]


_TRACED = "Programs as JAX traced them"
_COMPILED = "What XLA made of them"
_MEMORY = "Memory, step by step"
_ROOFLINES = "Rooflines"
_ARRAYS = "Arrays cut over devices"
_COLLECTIVES = "Collectives, step by step"
_COMMUNICATION = "What devices send to each other"
_KERNELS = "Kernels of Pallas, step by step"
_TIMES = "Times"

FIGURES = {
    "five_equations": Figure(
        _TRACED,
        "program",
        "quick_start.py",
        "simple_graph(f32[1000])",
        "A function of a few lines as a jaxpr: five equations, one below the other.",
    ),
    "its_gradient": Figure(
        _TRACED,
        "program",
        "quick_start.py",
        "grad(simple_graph)(f32[1000])",
        "Its gradient: the forward pass on the left, the backward pass beside it, and "
        "between them the residual with its bytes.",
    ),
    "activation": Figure(
        _TRACED,
        "program",
        "selu.py",
        "selu(f32[1000])",
        "An activation function whose two branches are both computed, and a select between them.",
    ),
    "scan": Figure(
        _TRACED,
        "program",
        "control_flow.py",
        "running_total(f32[1000])",
        "A scan is one equation with a program inside; the carry goes round.",
    ),
    "while_loop": Figure(
        _TRACED,
        "program",
        "control_flow.py",
        "newton_sqrt(2.0)",
        "A while loop holds two programs: the condition and the body.",
    ),
    "cond": Figure(
        _TRACED,
        "program",
        "control_flow.py",
        "leaky(f32[()])",
        "A condition holds both branches; one of them runs.",
    ),
    "vmapped_cond": Figure(
        _TRACED,
        "program",
        "control_flow.py",
        "vmap(leaky)(f32[8])",
        "The same condition under vmap: both branches are computed and a select chooses.",
    ),
    "switch": Figure(
        _TRACED,
        "program",
        "control_flow.py",
        "pick(1, f32[4])",
        "A switch between several branches.",
    ),
    "nested_loops": Figure(
        _TRACED, "program", "control_flow.py", "nested(f32[5, 7])", "A loop in a loop."
    ),
    "nested_loops_backward": Figure(
        _TRACED,
        "program",
        "control_flow.py",
        "grad(nested)(f32[5, 7])",
        "The gradient of a loop in a loop: the loops of the backward pass run the other"
        " way and read what those of the forward pass kept.",
    ),
    "custom_jvp": Figure(
        _TRACED,
        "program",
        "custom_rules.py",
        "grad(softplus)(f32[()])",
        "The gradient of a function with a derivative rule of its own.",
    ),
    "custom_vjp": Figure(
        _TRACED,
        "program",
        "custom_rules.py",
        "grad(clipped_square)(f32[()])",
        "A backward pass of one's own, which clips the gradient; the residual has 4 bytes.",
    ),
    "second_derivative": Figure(
        _TRACED,
        "program",
        "higher_order.py",
        "grad(grad(parabola))(f32[()])",
        "The gradient of a gradient.",
    ),
    "one_example": Figure(
        _TRACED,
        "program",
        "vmap_axes.py",
        "layer(f32[8], f32[4, 8], f32[4])",
        "A layer on one example.",
    ),
    "batch": Figure(
        _TRACED,
        "program",
        "vmap_axes.py",
        "vmap(layer, in_axes=(0, None, None))(f32[16, 8], f32[4, 8], f32[4])",
        "The same layer under vmap: each equation does the whole batch, and two more "
        "put the axes in order.",
    ),
    "training_step": Figure(
        _TRACED,
        "program",
        "linear_regression.py",
        "update(init(key(0)), *make_data(key(1)))",
        "A training step of a linear regression: loss, gradient and update are one program.",
        ("--direction", "right"),
    ),
    "pytree": Figure(
        _TRACED,
        "program",
        "pytrees.py",
        "loss(init_model(), f32[3])",
        "Parameters in a pytree: each array is an argument of the program.",
    ),
    "random_keys": Figure(
        _TRACED,
        "program",
        "random_keys.py",
        "init_two_layers(key(0))",
        "Random keys: one split, and each key is used once.",
    ),
    "pallas": Figure(
        _TRACED,
        "program",
        "pallas_kernel.py",
        "scale_and_shift(f32[128, 128], f32[128, 128])",
        "A Pallas kernel: one equation, with the reads and writes of a block inside.",
    ),
    "transformer": Figure(
        _TRACED,
        "program",
        "transformer.py",
        "loss(init(key(0)), tokens(key(1)))",
        "A transformer of twelve layers: layers of one structure are drawn once, with "
        "their number.",
    ),
    "transformer_scanned": Figure(
        _TRACED,
        "program",
        "transformer.py",
        "scanned_loss(stack_layers(init(key(0))), tokens(key(1)))",
        "The same transformer with its layers in a scan.",
    ),
    "sharded_product": Figure(
        _TRACED,
        "program",
        "parallel_devices.py",
        "split_product(f32[16, 64], f32[64, 16])",
        "A shard_map: each of eight devices multiplies its piece, and psum adds up the pieces.",
        ("--target", "cpu:8"),
    ),
    "fusion": Figure(
        _COMPILED,
        "optimized",
        "optimizer_passes.py",
        "chain(f32[1000])",
        "Eight operations, one fusion: the array is read once and written once.",
    ),
    "merged": Figure(
        _COMPILED,
        "optimized",
        "optimizer_passes.py",
        "repeated(f32[1000], f32[1000])",
        "What was written twice is computed once.",
    ),
    "fused_gradient": Figure(
        _COMPILED,
        "optimized",
        "selu.py",
        "vmap(grad(selu))(f32[1000])",
        "The gradient of an activation function for a thousand numbers: one fusion.",
    ),
    "batch_norm": Figure(
        _COMPILED,
        "optimized",
        "dropout_batchnorm.py",
        "train_batchnorm(init_batchnorm(), f32[8, 4])",
        "A batch normalization: where a sum is needed before the next step, a kernel ends.",
    ),
    "loss_and_gradient": Figure(
        _COMPILED,
        "optimized",
        "value_and_grad.py",
        "value_and_grad(loss)(init(key(0)), f32[64, 16], f32[64, 1])",
        "A loss and its gradient share the forward pass.",
    ),
    "inserted_all_gather": Figure(
        _COMPILED,
        "optimized",
        "parallel_devices.py",
        "gram(f32[64, 32])",
        "The code asks for rows on each device; XLA inserted the all-gather that the "
        "product needs.",
        ("--target", "cpu:8"),
    ),
    "memory_transformer": Figure(
        _MEMORY,
        "memory",
        "transformer.py",
        "grad(loss)(init(key(0)), tokens(key(1)))",
        "Memory of the gradient of a transformer: it grows through the forward pass, as"
        " residuals are kept, and falls through the backward pass.",
    ),
    "memory_scanned": Figure(
        _MEMORY,
        "memory",
        "transformer.py",
        "grad(scanned_loss)(stack_layers(init(key(0))), tokens(key(1)))",
        "The same with the layers in a scan: fewer steps, and a higher peak.",
    ),
    "memory_kept": Figure(
        _MEMORY,
        "memory",
        "custom_rules.py",
        "grad(deep)(f32[4, 64, 64], f32[64])",
        "The gradient of four layers of a network, with all residuals kept.",
    ),
    "memory_recomputed": Figure(
        _MEMORY,
        "memory",
        "custom_rules.py",
        "grad(deep_recomputed)(f32[4, 64, 64], f32[64])",
        "The same with jax.checkpoint: on a CPU the peak is the same.",
    ),
    "memory_forward": Figure(
        _MEMORY,
        "memory",
        "higher_order.py",
        "jacfwd(wide)(f32[100])",
        "A Jacobian of one row and 100 columns in forward mode.",
    ),
    "memory_reverse": Figure(
        _MEMORY,
        "memory",
        "higher_order.py",
        "jacrev(wide)(f32[100])",
        "The same Jacobian in reverse mode needs a fraction of it.",
    ),
    "roofline_large_product": Figure(
        _ROOFLINES,
        "roofline",
        "async_dispatch.py",
        "product(f32[1000, 1000], f32[1000, 1000])",
        "A product of matrices of 1000 × 1000 does 167 FLOP per byte.",
        ("--chip", "v5e"),
    ),
    "roofline_small_product": Figure(
        _ROOFLINES,
        "roofline",
        "async_dispatch.py",
        "product(f32[16, 16], f32[16, 16])",
        "A product of matrices of 16 × 16 does 2.67 FLOP per byte, so memory bounds it.",
        ("--chip", "v5e"),
    ),
    "roofline_transformer": Figure(
        _ROOFLINES,
        "roofline",
        "transformer.py",
        "loss(init(key(0)), tokens(key(1)))",
        "A small transformer against the published limits of a TPU v5e.",
        ("--chip", "v5e"),
    ),
    "roofline_network": Figure(
        _ROOFLINES,
        "roofline",
        "value_and_grad.py",
        "value_and_grad(loss)(init(key(0)), f32[64, 16], f32[64, 1])",
        "A small network against the published limits of an H100.",
        ("--chip", "h100"),
    ),
    "arrays_product": Figure(
        _ARRAYS,
        "sharding",
        "parallel_devices.py",
        "split_product(f32[16, 64], f32[64, 16])",
        "A product whose inner dimension is spread over eight devices: columns of one "
        "array, rows of the other, and all of the result on each.",
        ("--target", "cpu:8"),
    ),
    "arrays_gram": Figure(
        _ARRAYS,
        "sharding",
        "parallel_devices.py",
        "gram(f32[64, 32])",
        "Rows on each device, of the argument and of the result.",
        ("--target", "cpu:8"),
    ),
    "arrays_exchange": Figure(
        _ARRAYS,
        "sharding",
        "parallel_devices.py",
        "rows_to_columns(f32[64, 64])",
        "From rows on each device to columns.",
        ("--target", "cpu:8"),
    ),
    "all_gather": Figure(
        _COLLECTIVES,
        "collective",
        "parallel_devices.py",
        "gram(f32[64, 32])",
        "An all-gather of eight devices: after seven steps each has all parts.",
        ("--target", "cpu:8"),
    ),
    "all_gather_moving": Figure(
        _COLLECTIVES,
        "collective",
        "parallel_devices.py",
        "gram(f32[64, 32])",
        "The same, animated.",
        ("--target", "cpu:8", "--animated"),
    ),
    "reduce_scatter": Figure(
        _COLLECTIVES,
        "collective",
        "parallel_devices.py",
        "scattered_sums(f32[8, 64])",
        "A reduce-scatter: sums travel, and each device ends with one whole sum.",
        ("--target", "cpu:8"),
    ),
    "all_reduce": Figure(
        _COLLECTIVES,
        "collective",
        "parallel_devices.py",
        "split_product(f32[16, 64], f32[64, 16])",
        "An all-reduce of eight devices takes 14 steps: a reduce-scatter, then an all-gather.",
        ("--target", "cpu:8"),
    ),
    "all_to_all": Figure(
        _COLLECTIVES,
        "collective",
        "parallel_devices.py",
        "rows_to_columns(f32[64, 64])",
        "An all-to-all: each device sends a part to every other.",
        ("--target", "cpu:8"),
    ),
    "communication_ring": Figure(
        _COMMUNICATION,
        "communication",
        "parallel_devices.py",
        "ring_product(f32[16, 8], f32[8, 4])",
        "`shard_map` with a loop: in each round every device sends its rows to its neighbour.",
        ("--target", "cpu:8"),
    ),
    "communication_columns": Figure(
        _COMMUNICATION,
        "communication",
        "parallel_devices.py",
        "split_product(f32[16, 64], f32[64, 16])",
        "Each device multiplies its piece; one sum over all eight.",
        ("--target", "cpu:8"),
    ),
    "kernel_rows": Figure(
        _KERNELS,
        "pallas",
        "pallas_kernel.py",
        "scale_and_shift(f32[128, 128], f32[128, 128])",
        "Four steps, each of which takes the same 32 rows of every array.",
    ),
    "kernel_product": Figure(
        _KERNELS,
        "pallas",
        "pallas_kernel.py",
        "product(f32[64, 64], f32[64, 64])",
        "A matrix product: a block of rows is taken at all points of the second axis, a block of "
        "columns at all of the first.",
    ),
    "kernel_product_moving": Figure(
        _KERNELS,
        "pallas",
        "pallas_kernel.py",
        "product(f32[64, 64], f32[64, 64])",
        "The same, animated.",
        ("--animated",),
    ),
    "times": Figure(
        _TIMES,
        "distributions",
        "quick_start.py",
        "grad(simple_graph)(f32[1000])",
        "How long calls took, eager and jitted, on a logarithmic axis.",
    ),
    "times_large": Figure(
        _TIMES,
        "distributions",
        "selu.py",
        "vmap(grad(selu))(f32[1000])",
        "The same of another function.",
    ),
    "stages_of_a_run": Figure(
        _TIMES,
        "stages",
        "quick_start.py",
        "grad(simple_graph)(f32[1000])",
        "From the import to calls that take the same time again and again.",
    ),
    "compile_time_loop": Figure(
        _TIMES,
        "compile-time",
        "transformer.py",
        "loss(init(key(0)), tokens(key(1)))",
        "Where the compile time of a transformer went whose twelve layers are a Python loop.",
    ),
    "compile_time_scan": Figure(
        _TIMES,
        "compile-time",
        "transformer.py",
        "scanned_loss(stack_layers(init(key(0))), tokens(key(1)))",
        "Where it went with the layers in a scan.",
    ),
}


def render_gallery() -> str:
    """The page of the gallery as Markdown."""
    lines = [_GALLERY_HEAD]
    for section, items in itertools.groupby(FIGURES.items(), lambda item: item[1].section):
        lines += [f"## {section}", ""]
        for name, figure in items:
            lines += [
                figure.told,
                "",
                f"![{figure.kind} of {figure.call}](pictures/gallery/{name}.svg)",
                "",
                "<!-- not run: tests/figures/test_gallery.py runs it -->",
                "```console",
                f"$ {shlex.join(figure.words(name))}",
                "```",
                "",
            ]
    return "\n".join(lines).rstrip() + "\n"


def make_figure(name: str, folder: Path) -> Path:
    """Write a figure of the gallery into a folder.

    Raises:
        RuntimeError: The command failed.
    """
    words = FIGURES[name].words(name)[1:]
    with contextlib.chdir(ROOT):  # where the samples are
        status = run_jaxscope([*words[:-1], str(folder / words[-1])])
    if status:
        raise RuntimeError(f"{name}: status {status}")
    return folder / words[-1]


def main() -> None:
    """Make the named pictures, or all; `gallery` is all of the gallery."""
    names = sys.argv[1:] or [*PICTURES, "gallery"]
    GALLERY_FOLDER.mkdir(exist_ok=True)
    figures = list(FIGURES) if "gallery" in names else [n for n in names if n in FIGURES]
    for name in figures:
        make_figure(name, GALLERY_FOLDER)
    GALLERY.write_text(render_gallery(), "utf-8")
    windows = [name for name in names if name in PICTURES]
    if not windows:
        return
    application = start_application()
    for name in windows:
        picture = PICTURES[name]
        with open_window(application, picture.size) as window:
            run_call(application, window, picture.file, picture.call)
            picture.act(application, window)
            save_themes(application, window, FOLDER, name)


if __name__ == "__main__":
    main()
