"""One real dump of XLA and of JAX, made by a process with the variables that people set."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from jaxscope.client.one_shot import capture
from jaxscope.client.session import Session
from jaxscope.model import Capture
from jaxscope.ui.window.main_window import MainWindow
from window.conftest import window_over

CALL = "step({'w': f32[8, 8], 'b': f32[8]}, f32[4, 8], f32[4, 8])"
PROGRAM = f"""\
import sys

import jax
import jax.numpy as jnp
from jax import lax


def layer(w, x):
    with jax.named_scope("layer"):
        return jnp.tanh(x @ w["w"] + w["b"])


def loss(w, x, y):
    def body(h, _):
        return layer(w, h), h.sum()

    h, s = lax.scan(body, x, None, length=3)
    p = jax.nn.softmax(h, axis=-1)
    p = lax.cond(s.sum() > 0, lambda p: p * 2, lambda p: p - 1, p)
    return jnp.mean((p - y) ** 2) + jnp.sort(p.reshape(-1))[0]


# jaxscope: {CALL}
@jax.jit
def step(w, x, y):
    l, g = jax.value_and_grad(loss)(w, x, y)
    return jax.tree.map(lambda a, b: a - 0.1 * b, w, g), l


if __name__ == "__main__":
    out = sys.argv[1]
    w = {{"w": jnp.ones((8, 8)), "b": jnp.zeros(8)}}
    lowered = step.lower(w, jnp.ones((4, 8)), jnp.zeros((4, 8)))
    compiled = lowered.compile()
    with open(f"{{out}}/before.hlo", "w") as file:
        file.write(lowered.as_text("hlo"))
    with open(f"{{out}}/after.hlo", "w") as file:
        file.write(compiled.as_text())
    with open(f"{{out}}/step.mlir", "w") as file:
        file.write(lowered.as_text(debug_info=True))
    with open(f"{{out}}/step.pb", "wb") as file:
        (module,) = compiled.runtime_executable().hlo_modules()
        file.write(module.as_serialized_hlo_module_proto())
    from jax import export

    exported = export.export(step)(w, jnp.ones((4, 8)), jnp.zeros((4, 8)))
    with open(f"{{out}}/step.mlirbc", "wb") as file:
        file.write(exported.mlir_module_serialized)
"""


@dataclasses.dataclass(frozen=True)
class Left:
    """What the job left: its program, single files, and dumps of several kinds."""

    program: Path
    files: Path
    both: Path
    jax: Path

    def part(self, home: Path, *patterns: str) -> Path:
        """A dump of only some of XLA's files, such as those of a run without `…_as_proto`."""
        folder = home / "part"
        folder.mkdir()
        for file in self.both.iterdir():
            if file.is_file() and any(re.search(pattern, file.name) for pattern in patterns):
                shutil.copy(file, folder)
        return folder


TEXTS = r"(before|after)_optimizations(-buffer-assignment)?\.txt$"
PROTOS = r"(before|after)_optimizations\.hlo\.pb$"


@pytest.fixture(scope="session")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    home = tmp_path_factory.mktemp("job")
    for name in ("files", "xla", "jax"):
        (home / name).mkdir()
    program = home / "job.py"
    program.write_text(PROGRAM)
    flags = "--xla_dump_hlo_as_proto --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*"
    variables = {
        "XLA_FLAGS": f"--xla_dump_to={home}/xla {flags}",
        "JAX_DUMP_IR_TO": f"{home}/jax",
        "JAX_DUMP_IR_MODES": "stablehlo,jaxpr,jaxpr_html",
        "JAX_PLATFORMS": "cpu",
    }
    subprocess.run(
        [sys.executable, str(program), f"{home}/files"],
        env={**os.environ, **variables},
        check=True,
        capture_output=True,
    )
    return Left(program, home / "files", home / "xla", home / "jax")


@pytest.fixture(scope="session")
def traced(left: Left) -> Capture:
    """The same program, traced and compiled by jaxscope itself: links by tags, XLA's own plan."""
    return capture(str(left.program), CALL, passes=True)


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    with window_over(lambda: Session(is_warm=False, has_spares=False), qapp, tmp_path) as window:
        yield window
