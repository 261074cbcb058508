"""Takes twelve programs in both themes at three sizes, to be looked at: seventy-two pictures.

    python docs/gallery.py FOLDER [--python PATH] [--only NAME …] [--sizes WIDTH …] [--scale 2]

Three of the programs need Flax, Optax or MuJoCo MJX: `--python` names an interpreter that has
them; without one they are left out.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
from pathlib import Path

from taking import open_window, run_call, save_themes, start_application

SIZES = ((1280, 720), (1600, 900), (2560, 1440))


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """One program.

    Attributes:
        file: Its path in the repository.
        call: What to run of it.
        target: On what.
        needs_python: Whether it needs libraries that jaxscope does not.
    """

    file: str
    call: str
    target: str = "cpu"
    needs_python: bool = False


PROGRAMS = {
    "quick_start": Program("samples/quick_start.py", "grad(simple_graph)(f32[1000])"),
    "perceptron": Program("docs/programs/mlp.py", "grad(loss)(init(key(0)), f32[64, 8], f32[64])"),
    "transformer": Program("samples/transformer.py", "grad(loss)(init(key(0)), tokens(key(1)))"),
    "control_flow": Program("samples/control_flow.py", "grad(nested)(f32[5, 7])"),
    "switch": Program("samples/control_flow.py", "pick(1, f32[4])"),
    "vmapped_scan": Program("samples/control_flow.py", "vmap(running_total)(f32[4, 1000])"),
    "custom_vjp": Program("samples/custom_rules.py", "grad(clipped_square)(f32[()])"),
    "sharded": Program(
        "samples/parallel_devices.py", "split_product(f32[16, 64], f32[64, 16])", "cpu:8"
    ),
    "per_example": Program(
        "docs/programs/mlp.py",
        "vmap(grad(loss), in_axes=(None, 0, 0))(init(key(0)), f32[64, 1, 8], f32[64, 1])",
    ),
    "flax": Program(
        "samples/conv_norm_relu.py", "grad(loss)(init(), f32[1, 32, 32, 3])", needs_python=True
    ),
    "optax": Program(
        "samples/xor_training.py",
        "train_step(make_state(key(0)), example_batch())",
        needs_python=True,
    ),
    "mjx": Program("docs/programs/mjx_step.py", "step(start())", needs_python=True),
}


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", help="an interpreter with Flax, Optax and MuJoCo MJX")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--sizes", nargs="+", type=int, metavar="WIDTH", help="only these widths")
    parser.add_argument("--scale", type=float, default=1, help="pixels of the screen for each")
    wishes = parser.parse_args()
    wishes.folder.mkdir(parents=True, exist_ok=True)
    os.environ["QT_SCALE_FACTOR"] = str(wishes.scale)
    scaled = "" if wishes.scale == 1 else f"_x{wishes.scale:g}"
    application = start_application()
    for name in wishes.only:
        program = PROGRAMS[name]
        if program.needs_python and not wishes.python:
            print(f"{name}: left out; --python names an interpreter with its libraries")
            continue
        python = wishes.python if program.needs_python else None
        for size in SIZES:
            if wishes.sizes and size[0] not in wishes.sizes:
                continue
            with open_window(application, size, python) as window:
                run_call(application, window, program.file, program.call, program.target)
                save_themes(application, window, wishes.folder, name, f"_{size[0]}{scaled}")
        print(name)


if __name__ == "__main__":
    main()
