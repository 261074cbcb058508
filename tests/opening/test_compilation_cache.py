"""Entries of JAX's persistent compilation cache, as JAX wrote them: the modules that XLA made."""

from __future__ import annotations

import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from cli.commands import CommandLine
from jaxscope.client.dump_folders import find_dumps
from jaxscope.errors import SourceError
from jaxscope.model import is_available
from jaxscope.schema.archive import load_capture
from jaxscope.wire.job_files import read_whole
from jaxscope.worker.stages.dump_reader import read_cache_entry

SCRIPT = """
import jax, jax.numpy as jnp

def f(x):
    return jax.lax.fori_loop(0, 7, lambda _, y: jnp.sin(y) @ y, x)

jitted = jax.jit(f)
for size in (3, 4):
    print(jitted.lower(jnp.ones((size, size))).compile().as_text())
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a cache, and the texts of the modules that were put into it."""
    folder = tmp_path_factory.mktemp("cache")
    script = folder.with_name("cached.py")
    script.write_text(SCRIPT)
    settings = {
        "JAX_COMPILATION_CACHE_DIR": str(folder),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }
    lines = [f"os.environ[{name!r}] = {value!r}" for name, value in settings.items()]
    code = "\n".join(["import os, runpy", *lines, f"runpy.run_path({str(script)!r})"])
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return folder, ran.stdout


def test_a_folder_lists_what_is_cached(cache: tuple[Path, str]) -> None:
    folder, _ = cache
    for path in folder.glob("*-cache"):  # as JAX does where the cache has a largest size
        path.with_name(f"{path.name.removesuffix('-cache')}-atime").write_bytes(bytes(8))
    modules = [module for module in find_dumps([str(folder)]).modules if module.name == "jit_f"]
    keys = {path.name[6:14] for path in folder.glob("jit_f-*-cache")}
    assert {module.label for module in modules} == {f"{key}.jit_f" for key in keys}
    assert len(keys) == 2 and {module.stages for module in modules} == {("optimized",)}


def test_an_entry_is_the_module_that_xla_compiled(
    cache: tuple[Path, str], jaxscope: CommandLine, tmp_path: Path
) -> None:
    folder, texts = cache
    for entry in folder.glob("jit_f-*-cache"):
        answer = jaxscope("open", entry, "-o", tmp_path / "f.jaxscope")
        assert answer.status == 0, answer.errors
        assert "compiling took under 1 s" in answer.errors
        stage = load_capture(tmp_path / "f.jaxscope").stage("optimized")
        assert stage is not None and is_available(stage.graph) and is_available(stage.text)
        (layout,) = re.findall(r"entry_computation_layout=\{.*\}", stage.text.text)
        module = next(text for text in texts.split("HloModule") if layout in text)
        wanted = re.findall(r"^ +(?:ROOT )?%(\S+) = ", module, re.MULTILINE)
        assert {stage.graph.id(n) for n in range(len(stage.graph.nodes))} == set(wanted)
        loops = jaxscope("ask", tmp_path / "f.jaxscope", "loops").output
        assert loops.startswith("1 loop.\n") and ": 7 rounds [stated, " in loops
        told = jaxscope("ask", tmp_path / "f.jaxscope", "costs").output
        size = int(layout.split("[")[1].split(",")[0])
        assert told.startswith("In the module after optimization, the only one that is known: ")
        assert re.search(rf", {7 * 2 * size**3} FLOP, 7 runs \[counted", told)


def unpack(entry: Path) -> bytes:
    """What is in an entry, which JAX packs with zstd where Python can, else with zlib."""
    data = read_whole(str(entry))  # which unpacks zstd
    return zlib.decompress(data) if data[:1] == b"\x78" else data


def test_damaged_entries_and_those_without_a_module_say_so(
    cache: tuple[Path, str], tmp_path: Path
) -> None:
    folder, _ = cache
    entry = next(folder.glob("jit_f-*-cache"))
    whole = unpack(entry)
    packed = zlib.compress(whole)
    for data, told in (
        (packed[: len(packed) // 2], "damaged"),
        (zlib.compress(whole[:4] + b"\x0a\x03abc"), "No HLO module"),
        (zlib.compress(b""), "No HLO module"),
        (b"\x78no zlib", "damaged"),
        (b"", "No HLO module"),
    ):
        (tmp_path / entry.name).write_bytes(data)
        with pytest.raises(SourceError) as error:
            read_cache_entry(str(tmp_path / entry.name))
        assert told in error.value.explanation.why


def test_the_time_is_that_of_the_entry(cache: tuple[Path, str], tmp_path: Path) -> None:
    """Four bytes; JAX has whole seconds. Executables of JAX 0.8 have no header of IFRT."""
    entry = next(cache[0].glob("jit_f-*-cache"))
    whole = unpack(entry)
    module, _ = read_cache_entry(str(entry))
    bare = whole[4 + 1 + whole[4] :] if whole[4:5] != b"\x0a" else whole[4:]
    (tmp_path / entry.name).write_bytes(zlib.compress((90).to_bytes(4, "big") + bare))
    assert read_cache_entry(str(tmp_path / entry.name)) == (module, 90)
