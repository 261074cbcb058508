"""A notebook is the module that its code cells make."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from jaxscope.errors import SourceError
from jaxscope.model.notebook_files import notebook_to_python
from jaxscope.ui.session.source_file import read_source as read_for_window
from jaxscope.worker.host.source import read_source

CELLS = (
    "%matplotlib inline\n!pip install \\\n  equinox\nimport jax\n?jax.jit\njax.jit?",
    "%%bash\nif true; then ls; fi",
    "",
    "%%time\ndef step(x):\n    return x * 2",
    'text = """\n%not a magic\n!nor this\n"""',
    "for n in range(2):\n    %timeit -n 3 -r 1 step(n)\n    files = !ls\n    a = 7 %2",
    "%time y = step(4)\n%time",
    "from __future__ import annotations\ndef later(x: Unknown) -> None: ...",
    "%%somebodys\nz = 5",
    "%%somebodys\nno python",
    "%%writefile other.py\nz = 6",
)


def write(path: Path, *cells: str, **metadata: object) -> Path:
    kinds = [{"cell_type": "markdown", "source": ["# Not code"]}]
    kinds += [{"cell_type": "code", "source": text.splitlines(keepends=True)} for text in cells]
    path.write_text(json.dumps({"cells": kinds, "metadata": metadata, "nbformat": 4}))
    return path


def test_a_notebook_is_read_as_the_code_of_its_cells(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ipynb", *CELLS)
    text = read_source(str(path)).text
    assert text == read_for_window(str(path)).text == notebook_to_python(path.read_bytes())
    lines = text.split("\n")
    assert lines[0] == "from __future__ import annotations  # Cell 1"
    lines[0] = "# Cell 1"
    assert [line for line in lines if line.startswith("# Cell")] == [
        f"# Cell {number}" for number in (1, 2, 4, 5, 6, 7, 8, 9, 10, 11)
    ]
    names: dict[str, object] = {}
    exec(compile(text, str(path), "exec"), names)
    assert names["z"] == 5 and names["y"] == 8 and names["files"] is None and names["a"] == 1
    assert names["text"] == "\n%not a magic\n!nor this\n"
    step, _ = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
    assert lines[step.lineno - 2] == "# %%time" and lines[step.lineno - 3] == "# Cell 4"
    kept = [line.lstrip("# ") for line in lines if line and not line.startswith("# Cell")]
    written = [line for cell in CELLS for line in cell.split("\n") if line]
    assert len(kept) == len(written)  # so each cell keeps its lines


@pytest.mark.parametrize("read", [read_source, read_for_window])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"worksheets": []}', "as Jupyter writes"),
        ("import jax", "as Jupyter writes"),
        ("[" * 100_000, "as Jupyter writes"),
        ('{"cells": [], "metadata": {"kernelspec": {"language": "julia"}}}', "is julia"),
    ],
)
def test_what_is_no_notebook_with_python_is_said(
    read: Callable[[str], object], text: str, why: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(text)
    with pytest.raises(SourceError, match="read") as raised:
        read(str(path))
    assert why in raised.value.explanation.why


def test_pictures_in_a_notebook_do_not_make_it_too_large(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ipynb", "x = 1", picture="a" * (6 << 20))
    assert read_source(str(path)).text == read_for_window(str(path)).text == "# Cell 1\nx = 1\n"
