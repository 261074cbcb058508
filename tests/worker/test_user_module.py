"""Files of packages run under their own names, whichever module imports them first."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxscope.worker.host.user_module import execute_file


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Path]:
    """A package whose modules come back to the file that is opened, as those of libraries do."""
    files = {
        "roundabout/__init__.py": "from .core import go\nMARK = 1\n",
        "roundabout/core.py": (
            "from . import parts\nfrom .parts.helper import help_me\n"
            "NAME = __name__\ndef go(x): return help_me(x) + parts.SIZE\n"
        ),
        "roundabout/parts/__init__.py": "SIZE = 2\n",
        "roundabout/parts/helper.py": (
            "def help_me(x):\n    from ..core import NAME\n    return x * len(NAME)\n"
        ),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    before, path = set(sys.modules), list(sys.path)
    yield tmp_path / "roundabout"
    for name in set(sys.modules) - before:
        del sys.modules[name]
    sys.path[:] = path


@pytest.mark.parametrize("name", ["core.py", "parts/helper.py", "__init__.py"])
def test_relative_imports_work_in_a_circle(package: Path, name: str) -> None:
    module = execute_file(str(package / name), (package / name).read_text())
    function = getattr(module, "go", None) or module.help_me
    assert function(1) in (15, 17)


def test_there_is_one_copy_of_the_module(package: Path) -> None:
    file = package / "core.py"
    module = execute_file(str(file), file.read_text())
    assert module.__name__ == "roundabout.core"
    assert sys.modules["roundabout"].go is module.go
    assert module.go.__code__.co_filename == str(file)


def test_what_is_executed_is_the_text_that_was_read(package: Path) -> None:
    text = (package / "core.py").read_text() + "READ = 3\n"
    assert execute_file(str(package / "core.py"), text).READ == 3


def test_what_the_file_raises_comes_through(package: Path) -> None:
    text = (package / "core.py").read_text() + "raise KeyError('mine')\n"
    with pytest.raises(KeyError, match="mine"):
        execute_file(str(package / "core.py"), text)


def test_a_file_whose_package_cannot_be_imported_runs_by_itself(package: Path) -> None:
    (package / "__init__.py").write_text("import no_such_module_anywhere\n")
    alone = package / "alone.py"
    alone.write_text("def f(x): return x + 1\n")
    assert execute_file(str(alone), alone.read_text()).f(1) == 2


def test_a_librarys_own_file_is_the_module_that_is_loaded() -> None:
    import jax.scipy.stats.norm as known

    path = str(known.__file__)
    assert execute_file(path, Path(path).read_text()) is known
